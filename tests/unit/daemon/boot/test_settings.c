/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/daemon/boot/test_settings.c - flags, file, precedence; media types of headers. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include "daemon/boot/process.h"
#include "daemon/boot/settings.h"
#include "daemon/compute/handler.h"
#include "daemon/http/media.h"

static tqd_settings settings;
static char why[TQD_SETTING_WHY];

static bool read_flag(const char *flag, const char *value)
{
    char *argv[] = {(char *)"torqued", (char *)flag, (char *)value, NULL};
    return tqd_settings_read(&settings, value != NULL ? 3 : flag != NULL ? 2 : 1, argv, why);
}

/* Reads a file of this text, together with one flag. */
static bool read_text(const char *text, const char *flag, const char *value)
{
    char path[] = "/tmp/torqued-settings-XXXXXX";
    int fd = mkstemp(path);
    cr_assert(eq(long, (long)write(fd, text, strlen(text)), (long)strlen(text)));
    close(fd);
    char *argv[] = {(char *)"torqued", (char *)"--config", path, (char *)flag, (char *)value, NULL};
    bool good = tqd_settings_read(&settings, flag != NULL ? 5 : 3, argv, why);
    unlink(path);
    return good;
}

Test(settings, defaults)
{
    cr_assert(read_flag(NULL, NULL) == true);
    cr_expect(eq(str, settings.listen, (char *)"127.0.0.1:8420"));
    cr_expect(eq(str, settings.store, (char *)"sqlite:"));
    cr_expect(eq(i64, settings.workers, 0));
    cr_expect(eq(i64, settings.header_timeout, 10000));
}

/* What is no flag is a setting, or nearly one of these. */
Test(settings, unknown_flags_have_a_hint)
{
    static const struct {
        const char *flag, *says;
    } flags[] = {{"--credentials", "write credentials = VALUE under [torqued]"},
                 {"--jobs-keep", "write jobs_keep = VALUE"},
                 {"--credentals", "perhaps \"credentials\" is a setting"},
                 {"--lisen", "did you mean --listen?"},
                 {"--zzz", "--help lists them"}};
    for (size_t i = 0; i < sizeof flags / sizeof flags[0]; i++) {
        char *argv[] = {(char *)"torqued", (char *)flags[i].flag, (char *)"x", NULL};
        cr_assert(not(tqd_settings_read(&settings, 3, argv, why)));
        cr_assert(ne(ptr, strstr(why, flags[i].says), NULL), "%s", why);
    }
    char *bare[] = {(char *)"torqued", (char *)"--listen", NULL};
    cr_assert(not(tqd_settings_read(&settings, 2, bare, why)));
    cr_assert(ne(ptr, strstr(why, "its value is missing"), NULL), "%s", why);
}

static const struct {
    const char *value;
    int64_t bytes; /* 0: refused */
} sizes[] = {{"65536", 65536},
             {"64KiB", 65536},
             {"64 KiB", 65536},
             {"1 GiB", 1073741824},
             {"65535", 0},
             {"64 kib", 0},
             {"64 MB", 0},
             {"-1", 0},
             {"", 0},
             {"1e6", 0},
             {"9223372036854775808", 0},
             {"9223372036854775807 KiB", 0}};

Test(settings, sizes)
{
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        char text[80];
        snprintf(text, sizeof text, "body_budget = %s\n", sizes[i].value);
        bool good = read_text(text, NULL, NULL);
        cr_expect(good == (sizes[i].bytes != 0), "%s: %s", text, why);
        int64_t got = good ? settings.body_budget : 0;
        cr_expect(got == sizes[i].bytes, "%s", text);
    }
}

Test(settings, times)
{
    static const struct {
        const char *value;
        int64_t ms; /* 0: refused */
    } cases[] = {{"5000", 5000},      {"5s", 5000},     {"5 s", 5000},
                 {"5000ms", 5000},    {"2min", 120000}, {"36 h", 129600000},
                 {"30d", 2592000000}, {"0s", 0},        {"5 S", 0},
                 {"1.5h", 0},         {"5m", 0},        {"106751991168d", 0},
                 {"5s 3", 0},         {"s", 0}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[80];
        snprintf(text, sizeof text, "jobs_keep = %s\n", cases[i].value);
        const bool good = read_text(text, NULL, NULL);
        cr_expect(good == (cases[i].ms != 0), "%s: %s", text, why);
        cr_expect(settings.jobs_keep == cases[i].ms || !good, "%s", text);
    }
}

/* the output of --check-config is a settings file with the same meaning */
Test(settings, printed_settings_read_back)
{
    static char text[16384];
    cr_assert(read_text("origins = https://a.example, http://b:80\njobs_keep = 90s\nqueue = 7\n"
                        "lease = 1001\nbody_budget = 3MiB\nscrub = 0\n",
                        NULL, NULL));
    const tqd_settings before = settings;
    FILE *out = fmemopen(text, sizeof text, "w");
    tqd_settings_print(&before, "/srv/state", out);
    fclose(out);
    cr_expect(strstr(text, "\njobs_keep = 90s\n") != NULL &&
                  strstr(text, "\nlease = 1001ms\n") != NULL &&
                  strstr(text, "\nbody_budget = 3MiB\n") != NULL &&
                  strstr(text, "\nstate_dir = /srv/state\n") != NULL &&
                  strstr(text, "\nscrub = 0\n") != NULL,
              "%s", text);
    cr_assert(read_text(text, NULL, NULL), "%s", why);
    char changed[TQD_SETTING_TEXT];
    tqd_settings_changed(&before, &settings, changed, sizeof changed);
    cr_expect(eq(str, changed, (char *)"state_dir"));
    cr_expect(eq(str, settings.origins, (char *)before.origins));
}

Test(settings, settings_that_a_reload_cannot_change_are_named)
{
    char changed[TQD_SETTING_TEXT];
    cr_assert(read_text("workers = 3\nlog_level = debug\norigins = https://a.example\nhosts = h\n",
                        NULL, NULL));
    const tqd_settings before = settings;
    cr_assert(read_text("workers = 4\nlisten = unix:/x\n", NULL, NULL));
    tqd_settings_changed(&before, &settings, changed, sizeof changed);
    cr_expect(eq(str, changed, (char *)"listen workers"));
    tqd_settings_changed(&before, &settings, changed, 10);
    cr_expect(eq(str, changed, (char *)"listen"));
}

/* only sizes take a unit of bytes */
Test(settings, numbers_without_units)
{
    static const char *const lines[] = {"workers = 3KiB\n", "workers = 0KiB\n",
                                        "header_timeout = 1 KiB\n", "log_rate = 1 MiB\n"};
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        cr_expect(read_text(lines[i], NULL, NULL) == false, "%s", lines[i]);
    }
}

Test(settings, flags_win_and_the_place_is_reported)
{
    cr_assert(read_text("[torqued]\nworkers = 3\nhosts = a b ; two\n", "--workers", "5") == true);
    cr_expect(eq(i64, settings.workers, 5));
    cr_expect(eq(str, settings.hosts, (char *)"a b"));
    cr_expect(read_text("[torqued]\n\nworker = 3\n", NULL, NULL) == false);
    cr_expect(strstr(why, ":3: there is no setting \"worker\"") != NULL, "%s", why);
    cr_expect(read_flag("--workers", "x") == false);
    cr_expect(strncmp(why, "--workers: ", 11) == 0, "%s", why);
}

Test(settings, an_indented_line_is_a_setting_of_its_own)
{
    /* libinih alone would append it to the value above */
    cr_assert(read_text("[torqued]\nhosts = a\n  queue = 7\n", NULL, NULL) == true);
    cr_expect(eq(str, settings.hosts, (char *)"a"));
    cr_expect(eq(i64, settings.queue, 7));
}

/* a refusal gives the complete reason: bounds are those of --help */
Test(settings, a_refusal_is_one_whole_sentence)
{
    static const struct {
        const char *line, *why;
    } cases[] = {
        {"lane_width = 3\n", ":1: lane_width must be 0, 1, 2, 4 or 8"},
        {"log_level = loud\n", ":1: log_level must be error, warning, info or debug, not \"loud\""},
        {"workers = many\n", ":1: workers must be a whole number, not \"many\""},
        {"body_budget = 2 MB\n",
         ":1: body_budget must be a whole number of bytes, KiB, MiB or GiB, not \"2 MB\""},
        {"lease = 5 sec\n",
         ":1: lease must be a whole number of ms, or with the unit s, min, h or d, not \"5 sec\""},
        {"log_format = xml\n", ":1: log_format must be auto, json, journal or text, not \"xml\""},
        {"confine = maybe\n", ":1: confine must be auto, required or off, not \"maybe\""},
        {"socket_mode = 0777\n", ":1: socket_mode must be 0600, 0660 or 0666, not \"0777\""},
        {"socket_mode = 0060\n", ":1: socket_mode must be 0600, 0660 or 0666, not \"0060\""},
        {"socket_mode = 66\n", ":1: socket_mode must be 0600, 0660 or 0666, not \"66\""},
        {"socket_mode = 0668\n", ":1: socket_mode must be 0600, 0660 or 0666, not \"0668\""},
        {"origins = https://a.example *\n",
         ":1: origins: \"*\": any page could then use this service: list origins one by one"},
        {"origins = a.example\n",
         ":1: origins: \"a.example\": an origin is http://HOST[:PORT] or https://HOST[:PORT]"},
        {"origins = https://a.example/\n",
         ":1: origins: \"https://a.example/\": an origin ends after "
         "its host or port, without a path"},
        {"origins = https://A.example\n",
         ":1: origins: \"https://A.example\": browsers send origins in lower case"},
        {"hosts = lab.example:8420\n",
         ":1: hosts: \"lab.example:8420\": a host is written without its port"},
        {"hosts = *.example\n",
         ":1: hosts: \"*.example\": patterns are not supported: write each name"},
        {"hosts = http://lab\n", ":1: hosts: \"http://lab\": a host is a name or an address, "
                                 "without a scheme or a path"},
        {"workers = 513\n", ":1: workers must lie between 0 and 512"},
        {"connections = 0\n", ":1: connections must lie between 1 and 100000"},
        {"lease = 999\n", ":1: lease must lie between 1s and 1h"},
        {"[server]\nworkers = 1\n",
         ":2: there is no section [server]; settings belong in [torqued]"},
        {"workers = 1\nqueue = 2\nworkers = 1\n", ":3: workers has been set in line 1 already"},
        {"queue = 2\nworkers\n", ":2: this is neither a [section] nor name = value"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        cr_assert(read_text(cases[i].line, NULL, NULL) == false, "%s", cases[i].line);
        const char *at = strchr(why, ':');
        cr_expect(eq(str, (char *)(at != NULL ? at : why), (char *)cases[i].why));
    }
}

/* both bounds are allowed values */
Test(settings, bounds_are_allowed)
{
    static const struct {
        const char *line;
        bool good;
    } cases[] = {
        {"workers = 0\n", true},       {"workers = 512\n", true},
        {"connections = 1\n", true},   {"connections = 100000\n", true},
        {"lane_width = 8\n", true},    {"lane_width = 1\n", true},
        {"lane_width = 2\n", true},    {"lane_width = 4\n", true},
        {"lane_width = 5\n", false},   {"lane_width = 9\n", false},
        {"log_level = debug\n", true}, {"log_level = error\n", true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        cr_expect(read_text(cases[i].line, NULL, NULL) == cases[i].good, "%s", cases[i].line);
    }
    char text[TQD_SETTING_TEXT + 20];
    for (size_t n = TQD_SETTING_TEXT - 1; n <= TQD_SETTING_TEXT; n++) {
        memset(text, 'x', n);
        text[n] = '\0';
        cr_expect(read_flag("--store", text) == (n < TQD_SETTING_TEXT), "%zu", n);
    }
    cr_expect(eq(str, why, (char *)"--store: store is longer than 511 bytes"));
}

/* One worker per core. On one core: one of each, and half of the memory reported by sysinfo(2). */
Test(settings, absent_settings_depend_on_the_machine)
{
    cpu_set_t set, one;
    cr_assert(eq(int, sched_getaffinity(0, sizeof set, &set), 0));
    cr_assert(read_flag(NULL, NULL) == true);
    cr_assert(tqd_settings_resolve(&settings, why) == true, "%s", why);
    cr_expect(eq(i64, settings.workers, CPU_COUNT(&set) < 512 ? CPU_COUNT(&set) : 512));
    cr_expect(eq(i64, settings.jobs, CPU_COUNT(&set) < 64 ? CPU_COUNT(&set) : 64));
    CPU_ZERO(&one);
    for (int cpu = 0; CPU_COUNT(&one) == 0; cpu++) {
        if (CPU_ISSET(cpu, &set)) {
            CPU_SET(cpu, &one);
        }
    }
    cr_assert(eq(int, sched_setaffinity(0, sizeof one, &one), 0));
    struct sysinfo info;
    cr_assert(eq(int, sysinfo(&info), 0));
    cr_assert(read_flag(NULL, NULL) == true);
    cr_assert(tqd_settings_resolve(&settings, why) == true, "%s", why);
    cr_expect(eq(i64, settings.workers, 1));
    cr_expect(eq(i64, settings.jobs, 1));
    cr_expect(eq(i64, settings.io_threads, 1));
    const int64_t page = sysconf(_SC_PAGESIZE);
    cr_expect(eq(i64, settings.sample_budget,
                 (int64_t)(info.totalram * info.mem_unit) / page * page / 2));
}

/* values that are set are not changed; the number of jobs follows the workers, up to 64 */
Test(settings, stated_settings_are_used)
{
    cr_assert(read_text("workers = 3\nio_threads = 5\nsample_budget = 1 MiB\n", NULL, NULL) ==
              true);
    cr_assert(tqd_settings_resolve(&settings, why) == true, "%s", why);
    cr_expect(eq(i64, settings.workers, 3));
    cr_expect(eq(i64, settings.jobs, 3));
    cr_expect(eq(i64, settings.io_threads, 5));
    cr_expect(eq(i64, settings.sample_budget, 1048576));
    cr_assert(read_text("workers = 100\njobs = 0\n", NULL, NULL) == true);
    cr_assert(tqd_settings_resolve(&settings, why) == true, "%s", why);
    cr_expect(eq(i64, settings.jobs, 64));
    cr_assert(read_text("jobs = 7\n", NULL, NULL) == true);
    cr_assert(tqd_settings_resolve(&settings, why) == true, "%s", why);
    cr_expect(eq(i64, settings.jobs, 7));
}

/* 24 + 4 io_threads + 2 workers descriptors are not for connections: 50 with 5 and 3 */
Test(settings, connections_leave_descriptors_for_the_store)
{
    static const struct {
        rlim_t files;
        int64_t connections;
    } cases[] = {{4146, 4096}, {4145, 4095}, {60, 10}, {51, 1}};
    struct rlimit files;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        files = (struct rlimit){cases[i].files, cases[i].files};
        cr_assert(eq(int, setrlimit(RLIMIT_NOFILE, &files), 0));
        cr_assert(read_text("workers = 3\nio_threads = 5\n", NULL, NULL) == true);
        cr_assert(tqd_settings_resolve(&settings, why) == true, "%s", why);
        cr_expect(eq(i64, settings.connections, cases[i].connections));
    }
    files = (struct rlimit){50, 50};
    cr_assert(eq(int, setrlimit(RLIMIT_NOFILE, &files), 0));
    cr_assert(tqd_settings_resolve(&settings, why) == false);
    cr_expect(eq(str, why,
                 (char *)"50 open files are allowed, 51 are needed at least (ulimit -n, "
                         "LimitNOFILE=)"));
}

static const struct {
    const char *header;
    tqa_media media;
} types[] = {{NULL, TQA_MEDIA_NONE},
             {"", TQA_MEDIA_OTHER},
             {"application/json", TQA_MEDIA_JSON},
             {"Application/JSON; charset=utf-8", TQA_MEDIA_JSON},
             {"text/html, application/cbor;q=0.9, */*", TQA_MEDIA_CBOR},
             {"text/html, */*;q=0.1", TQA_MEDIA_NONE},
             {"image/png", TQA_MEDIA_OTHER},
             {"application/jsonx", TQA_MEDIA_OTHER},
             {"text/csv", TQA_MEDIA_CSV},
             {"application/x-npy", TQA_MEDIA_NPY}};

Test(media, table)
{
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        cr_expect(tqd_media_find(types[i].header) == types[i].media, "%s",
                  types[i].header != NULL ? types[i].header : "none");
    }
}
