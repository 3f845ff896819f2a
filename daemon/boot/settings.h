/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/boot/settings.h - every setting of the process: one table generates the parser of the
 * file, the flags and --help. */
#ifndef TQD_BOOT_SETTINGS_H
#define TQD_BOOT_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { TQD_SETTING_TEXT = 512, TQD_SETTING_WHY = 640 };

/* X_TEXT(name, flag, default, text)
 * X_NUMBER(name, flag, unit, least, most, default, text): times in ms, sizes in bytes. In the file
 * and in flags a time may have the unit ms, s, min, h or d, a size KiB, MiB or GiB. A default of 0
 * where 0 is allowed means "chosen at start". A flag of "" means: in the file only. */
#define TQD_SETTING_LIST(X_TEXT, X_NUMBER)                                                         \
    X_TEXT(listen, "listen", "127.0.0.1:8420",                                                     \
           "where to listen: HOST:PORT, [ADDRESS]:PORT or unix:PATH")                              \
    X_TEXT(socket_mode, "", "0600",                                                                \
           "permissions of the Unix socket of listen, in octal: 0660 admits the group, 0666 all "  \
           "users of the machine")                                                                 \
    X_TEXT(socket_group, "", "",                                                                   \
           "group of the Unix socket of listen: a name or a number; empty: the process's")         \
    X_TEXT(state_dir, "state-dir", "",                                                             \
           "state folder; empty: $STATE_DIRECTORY, else $XDG_STATE_HOME/torqued, else "            \
           "~/.local/state/torqued")                                                               \
    X_TEXT(store, "store", "sqlite:",                                                              \
           "where jobs and robots are kept: sqlite: in the state folder, or postgresql://... for " \
           "several nodes (docs/cluster.md)")                                                      \
    X_TEXT(node, "node", "",                                                                       \
           "name of this daemon among the nodes of its store; empty: the host's name, with a "     \
           "number made of the state folder where the store is PostgreSQL")                        \
    X_TEXT(hosts, "", "",                                                                          \
           "names that a Host header may have, besides localhost, 127.0.0.1 and [::1]")            \
    X_TEXT(                                                                                        \
        credentials, "", "",                                                                       \
        "file of clients' tokens, a line each: a name, and the token's BLAKE2b-256 in hex "        \
        "(printf %s \"$token\" | b2sum -l 256); empty: $CREDENTIALS_DIRECTORY/tokens, else none")  \
    X_TEXT(confine, "confine", "auto",                                                             \
           "what this process may still do once it serves, by Landlock and seccomp: auto (what "   \
           "the kernel has), required (else it does not start) or off")                            \
    X_TEXT(origins, "", "",                                                                        \
           "CORS: origins whose pages may send requests, such as https://lab.example; empty: off") \
    X_TEXT(log_level, "", "info", "error, warning, info or debug")                                 \
    X_TEXT(log_format, "", "auto",                                                                 \
           "json, journal (JSON after <N>, the priority), text, or auto: text on a terminal, "     \
           "journal under systemd, else json")                                                     \
    X_NUMBER(log_requests, "", "", 0, 1, 0, "1: a log line for every request")                     \
    X_NUMBER(audit_size, "", "bytes", 0, INT64_MAX / 4, 16777216,                                  \
             "audit.log in the state folder: a line for each write, refusal and login; four "      \
             "former files of this size are kept; 0: none")                                        \
    X_NUMBER(workers, "workers", "", 0, 512, 0, "threads that compute; 0: one per core")           \
    X_NUMBER(io_threads, "", "", 0, 64, 0, "threads that serve connections; 0: half the cores")    \
    X_NUMBER(                                                                                      \
        io_realtime, "", "", 0, 1, 0,                                                              \
        "1: these threads in a real-time class (SCHED_RR 1) while they use less than 6 of 10 "     \
        "parts of a core, so that small calls wait for no other thread; needs LimitRTPRIO=1 "      \
        "without RestrictRealtime=, or CAP_SYS_NICE")                                              \
    X_NUMBER(lane_width, "", "", 0, 8, 0, "doubles per vector: 1, 2, 4 or 8; 0: what the CPU has") \
    X_NUMBER(connections, "", "", 1, 100000, 4096, "connections that may be open")                 \
    X_NUMBER(queue, "", "", 1, 1000000, 1024, "computations that may wait for a worker")           \
    X_NUMBER(jobs, "", "", 0, 64, 0, "jobs that run at once; 0: one per worker")                   \
    X_NUMBER(jobs_spare, "", "", 0, 64, 2,                                                         \
             "as many more jobs at once, of clients that have none running, where the jobs of "    \
             "others go on for long")                                                              \
    X_NUMBER(jobs_queued, "", "", 1, 10000000, 100000, "jobs that may wait")                       \
    X_NUMBER(jobs_bytes, "", "bytes", 1048576, INT64_MAX / 4, 34359738368,                         \
             "requests, results and checkpoints of all jobs together")                             \
    X_NUMBER(jobs_time, "", "ms", 0, INT64_MAX / 4, 604800000,                                     \
             "a job that has run for so long, from its last start, fails; 0: no bound")            \
    X_NUMBER(jobs_keep, "", "ms", 1000, INT64_MAX / 4, 2592000000,                                 \
             "retention time of a finished job and its result")                                    \
    X_NUMBER(jobs_keep_waited, "", "ms", 1000, INT64_MAX / 4, 3600000,                             \
             "the same of a job whose result its own POST has answered, unless the request asked " \
             "to keep it (Prefer: respond-async, or an Idempotency-Key)")                          \
    X_NUMBER(wait, "", "ms", 0, 60000, 10000,                                                      \
             "a POST of a long operation waits this long for its result, then answers 202 with "   \
             "the job; 0: 202 at once; Prefer: wait=N takes precedence")                           \
    X_NUMBER(jobs_tries, "", "", 1, 1000, 2,                                                       \
             "a job fails after so many crashes of the process (other ends of it: 16)")            \
    X_NUMBER(lease, "", "ms", 1000, 3600000, 15000,                                                \
             "a running job without a heartbeat for this time is run again")                       \
    X_NUMBER(streams, "", "", 1, 100000, 1024, "event streams and requests that wait for a job")   \
    X_NUMBER(sessions, "", "", 1, 65536, 256,                                                      \
             "sessions (simulated robots driven step by step) that may be open")                   \
    X_NUMBER(sessions_size, "", "bytes", 1048576, INT64_MAX / 4, 268435456,                        \
             "memory of all sessions together, their histories included")                          \
    X_NUMBER(session_idle, "", "ms", 100, INT64_MAX / 4, 600000,                                   \
             "a session without a request for this time ends")                                     \
    X_NUMBER(dataset_size, "", "bytes", 1024, INT64_MAX / 4, 17179869184, "one dataset at most")   \
    X_NUMBER(files_size, "", "bytes", 0, INT64_MAX / 4, 0,                                         \
             "datasets and large results together; 0: no bound")                                   \
    X_NUMBER(datasets, "", "", 1, 1000000, 10000, "datasets, by name")                             \
    X_NUMBER(scrub, "", "ms", 0, INT64_MAX / 4, 86400000,                                          \
             "stored files are verified again after this time; 0: never")                          \
    X_NUMBER(uploads, "", "", 1, 1000, 32, "datasets that may be received at once")                \
    X_NUMBER(body_budget, "", "bytes", 65536, INT64_MAX / 2, 1073741824,                           \
             "memory for request bodies that are being received or computed, all together; the "   \
             "default is less where an eighth of the memory is less")                              \
    X_NUMBER(client_share, "", "", 1, 100, 50,                                                     \
             "percent of what other clients leave of body_budget, jobs_queued, jobs_bytes (its "   \
             "waiting jobs), streams, sessions, uploads and connections, and percent of queue, "   \
             "that one client, by its token, may have")                                            \
    X_NUMBER(sample_budget, "", "bytes", 0, INT64_MAX / 2, 0,                                      \
             "memory for the samples of all computations; 0: half of what the machine, or the "    \
             "control group of this process, has")                                                 \
    X_NUMBER(reply_buffer, "", "bytes", 16384, INT64_MAX / 2, 67108864,                            \
             "a result up to this size is printed whole by a worker; the rest is streamed. The "   \
             "default is less where a sixteenth of the memory for all workers is less")            \
    X_NUMBER(scratch, "", "bytes", 1048576, INT64_MAX / 2, 268435456,                              \
             "working memory of one thread at most; the default is less where a quarter of the "   \
             "memory for all threads that compute is less")                                        \
    X_NUMBER(header_timeout, "", "ms", 100, 3600000, 10000,                                        \
             "for a whole request header, from accept or from its first byte")                     \
    X_NUMBER(idle_timeout, "", "ms", 1000, 86400000, 75000,                                        \
             "between requests, or without any progress")                                          \
    X_NUMBER(body_timeout, "", "ms", 100, 86400000, 600000, "for a whole request body")            \
    X_NUMBER(run_timeout, "", "ms", 100, 86400000, 600000,                                         \
             "for an immediate computation, queueing included")                                    \
    X_NUMBER(queue_timeout, "", "ms", 100, 86400000, 60000,                                        \
             "of run_timeout, until a worker begins it; 503 at once if longer is expected")        \
    X_NUMBER(rate_grace, "", "ms", 100, 3600000, 5000, "grace time before rate_least applies")     \
    X_NUMBER(rate_least, "", "bytes/s", 1, 1000000000, 4096,                                       \
             "minimum rate of bodies and replies; slower connections are closed")                  \
    X_NUMBER(stop_timeout, "", "ms", 0, 600000, 4000,                                              \
             "for requests that still run when the service stops")

typedef struct tqd_settings {
#define TQD_SETTING_FIELD_TEXT(name, flag, preset, text)                      char name[TQD_SETTING_TEXT];
#define TQD_SETTING_FIELD_NUMBER(name, flag, unit, least, most, preset, text) int64_t name;
    TQD_SETTING_LIST(TQD_SETTING_FIELD_TEXT, TQD_SETTING_FIELD_NUMBER)
#undef TQD_SETTING_FIELD_TEXT
#undef TQD_SETTING_FIELD_NUMBER
    /* command-line flags that are not settings */
    bool check_config, version, help, adopt, check_store;
    const char *config;  /* path of --config; NULL: none */
    const char *restore; /* --restore: a state folder to be moved into a store shared by nodes; or
                            NULL */
} tqd_settings;

/* Reads the command line and the file of --config (flags take precedence). False with one line in
 * `why`: "FILE:LINE: reason" or "--flag: reason". */
bool tqd_settings_read(tqd_settings *ret_settings, int argc, char *const *argv,
                       char why[TQD_SETTING_WHY]);

/* Prints all settings that are in effect as a settings file, with `state_dir` in place of the
 * setting: --check-config. */
void tqd_settings_print(const tqd_settings *settings, const char *state_dir, FILE *out);

/* Names of the settings that differ, separated by spaces, into `ret` (size bytes), without those
 * that a reload applies (tqd_settings_reload). */
void tqd_settings_changed(const tqd_settings *a, const tqd_settings *b, char *ret, size_t size);

/* The text of --help: usage, then the table. */
void tqd_settings_help(FILE *out);

#endif
