/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/store/jobs.h - jobs in the store: a durable queue with leases, and the outputs of each
 * job.
 *
 *              submit            claim              finish
 *     (none) ---------> queued ---------> running ---------> succeeded, failed, cancelled
 *                         |  ^               |
 *                  cancel |  +---------------+ release, or expire: the lease ran out
 *                         v                  |
 *                     cancelled              +---> failed, by expire after too many tries
 *
 * A claim takes a lease and a fencing token. Heartbeat, checkpoint, finish and release must present
 * the token of the present claim; a runner that has lost its lease gets MISMATCH and changes
 * nothing. All times are the store's own clock: callers pass durations. */
#ifndef TQD_STORE_JOBS_H
#define TQD_STORE_JOBS_H

#include "daemon/store/types.h"

enum {
    TQD_JOB_ID_TEXT = 27,
    TQD_JOB_KIND_TEXT = 33,
    TQD_JOB_CLIENT_TEXT = 65,
    TQD_JOB_NODE_TEXT = 65,
    TQD_JOB_STEP_TEXT = 65,
    TQD_JOB_TRACE_TEXT = 56,
    TQD_JOB_KEY_MAX = 255,
};

typedef enum tqd_job_state {
    TQD_JOB_QUEUED,
    TQD_JOB_RUNNING,
    TQD_JOB_SUCCEEDED,
    TQD_JOB_FAILED,
    TQD_JOB_CANCELLED,
    TQD_JOB_STATES
} tqd_job_state;

/* As in the HTTP contract: "queued", ... */
const char *tqd_job_state_name(tqd_job_state state);
bool tqd_job_state_parse(const char *name, tqd_job_state *ret);

/* A row without its bodies. */
typedef struct tqd_job {
    uint64_t seq; /* order of submission, from 1 */
    char id[TQD_JOB_ID_TEXT];
    char kind[TQD_JOB_KIND_TEXT]; /* name of the operation */
    char robot[TQD_NAME_TEXT];    /* "" for operations without one */
    char robot_digest[TQD_DIGEST_TEXT];
    char client[TQD_JOB_CLIENT_TEXT]; /* the key (key.h) of whose it is */
    char trace[TQD_JOB_TRACE_TEXT];   /* traceparent of its submission; "": it belongs to none */
    tqd_job_state state;
    int priority;      /* greater first */
    uint32_t attempts; /* claims so far */
    uint64_t fence;    /* fencing token of the present or last claim */
    bool cancel_asked; /* cancellation of a running job is requested */
    bool waited;       /* its result is for the answer to its submission: retained for a short time
                          only */
    double fraction;   /* progress, 0 to 1 */
    double eta_s;      /* negative: unknown */
    char step[TQD_JOB_STEP_TEXT];
    char node[TQD_JOB_NODE_TEXT];                /* that runs or ran it */
    int64_t created_ms, started_ms, finished_ms; /* 0: not yet */
    int64_t expires_ms; /* not stored: 0, or set by a caller of the store */
} tqd_job;

/* The documents of a job: in the row when `bytes` is set, else a file of the store (files.h) named
 * by its digest, which must exist. */
typedef enum tqd_body_kind {
    TQD_BODY_REQUEST,
    TQD_BODY_RESULT,
    TQD_BODY_CHECKPOINT,
    TQD_BODY_PROBLEM,
    TQD_BODY_KINDS
} tqd_body_kind;

typedef struct tqd_body {
    const char *media;
    const char *bytes;
    const char *file; /* digest, when bytes is NULL */
    uint64_t size;
} tqd_body;

/* A named file attached to a result. */
enum { TQD_ATTACHMENT_NAME_TEXT = 65 };
typedef struct tqd_attachment {
    char name[TQD_ATTACHMENT_NAME_TEXT];
    tqd_body body;
} tqd_attachment;

/* Fills `id` with 128 random bits as 26 letters and digits. */
void tqd_job_id_make(char id[TQD_JOB_ID_TEXT]);

/* ------------------------------------------------------------------------------------- writes */

/* OK; MISMATCH: the key was used for another request; NOT_FOUND: the robot's version has been
 * deleted; QUOTA: the queue is full (queue_full is set), the space for bodies, or what the client
 * may keep (own_full). A key that was used for the same request writes nothing, and `job` is the
 * first one (idempotent). */
typedef struct tqd_job_submit {
    tqd_write write;
    const char *id, *kind, *robot, *robot_digest, *client;
    const char *trace; /* as in tqd_job; NULL: none */
    bool waited;       /* as in tqd_job */
    int priority;
    int64_t deadline_ms; /* from now; 0: none. A job that has not begun by then fails */
    const char *key;     /* Idempotency-Key, or NULL */
    const char *digest;  /* of the request, compared when the key repeats */
    tqd_body request;
    const tqd_robot_row *builtin; /* stored as a version of `robot`, so that the job can be
                                     repeated with a later release; NULL: it is stored already */
    const char *builtin_bytes;
    /* Names of the data that it reads ("name", "name@sha256", "job:{id}"), each NUL-terminated,
     * then an empty one; NULL: none. The present versions are pinned as long as the job exists. */
    const char *inputs;
    uint64_t queued_max, bytes_max; /* 0: no bound */
    uint64_t client_queued_max;     /* of this client's jobs; 0: no bound */
    /* of the bytes of this client's waiting jobs, 0: no bound. Its share of bytes_max where it is
     * alone, of what is free (share.h) where others hold some; its first waiting job needs none */
    uint64_t client_bytes_max;
    /* of what this client keeps, 0: no bound: jobs in any state that are not `waited`, and bytes of
     * its jobs' bodies and its datasets */
    uint64_t own_jobs_max, own_bytes_max;
    bool repeated, queue_full; /* set */
    bool client_full;          /* set with queue_full: by this client's own jobs */
    bool client_bytes_full;    /* set with client_full: by their bytes, own_bytes */
    bool own_full;             /* set with QUOTA: by what it keeps */
    uint64_t own_jobs,
        own_bytes; /* set with own_full: what it keeps now; client_full: has waiting */
    tqd_job job;   /* set */
} tqd_job_submit;

/* Takes the next job: greatest priority first, then round-robin between clients, then oldest first.
 * With `not_of`, the next by turn of the other clients, whatever its priority. OK, NOT_FOUND: none
 * waits, or the node is drained. */
typedef struct tqd_job_claim {
    tqd_write write;
    const char *node;
    const char *not_of; /* of none of these clients, "\nann\nbob\n"; NULL: of any */
    int64_t lease_ms;
    tqd_job job; /* set by the store */
} tqd_job_claim;

/* Heartbeat: extends the lease and stores the progress. OK, MISMATCH. */
typedef struct tqd_job_beat {
    tqd_write write;
    const char *id;
    uint64_t fence;
    int64_t lease_ms;
    double fraction, eta_s;
    const char *step;
    bool cancel_asked; /* set */
} tqd_job_beat;

/* Replaces the checkpoint, and resets the counts of crashes and interruptions. OK, MISMATCH, QUOTA.
 * */
typedef struct tqd_job_checkpoint {
    tqd_write write;
    const char *id;
    uint64_t fence;
    int64_t lease_ms;
    tqd_body body;
    uint64_t bytes_max;
} tqd_job_checkpoint;

/* Ends the job and deletes its checkpoint. `state` is SUCCEEDED, FAILED or CANCELLED; with a result
 * or a problem (media NULL: none), and attached files. OK, MISMATCH. */
typedef struct tqd_job_finish {
    tqd_write write;
    const char *id;
    uint64_t fence;
    tqd_job_state state;
    tqd_body result, problem;
    const tqd_attachment *attachments;
    size_t n_attachment;
} tqd_job_finish;

/* Returns a claimed job to the queue without counting a try (an orderly stop). OK, MISMATCH. */
typedef struct tqd_job_release {
    tqd_write write;
    const char *id;
    uint64_t fence;
} tqd_job_release;

/* Cancels a queued job at once; requests cancellation of a running one, at its next step. OK,
 * NOT_FOUND, MISMATCH: it is finished, OWNED: `job` is another client's. */
typedef struct tqd_job_cancel {
    tqd_write write;
    const char *id;
    const char *by; /* the client that asks; NULL: it may cancel any */
    tqd_job job;    /* set */
} tqd_job_cancel;

/* Deletes a finished job with all its outputs. OK, NOT_FOUND, MISMATCH: it is not finished, OWNED
 * (`owner` is set). */
typedef struct tqd_job_delete {
    tqd_write write;
    const char *id;
    const char *by;             /* as above */
    char owner[TQD_OWNER_TEXT]; /* set */
} tqd_job_delete;

/* Ends or requeues jobs that cannot go on, at most `limit`. Queued past the deadline: failed.
 * Running with an expired lease (`node` NULL), or running on `node` whatever the lease (that
 * process has died): cancelled if that was requested; failed when it is `blamed` for the
 * `crashes_max`th time without a checkpoint in between, or after the `interruptions_max`th end, by
 * any cause, of a process that was running it (0: no bound), also without a checkpoint in between;
 * else queued again, at its old place. OK. */
typedef struct tqd_job_expire {
    tqd_write write;
    const char *node;
    bool any_node; /* and those of all others: no other process has this store (SQLite's only) */
    const char *blamed; /* id of the job that was running in the thread that crashed, or NULL */
    uint32_t crashes_max, interruptions_max;
    uint32_t limit;
    uint32_t n_job; /* set: how many changed */
} tqd_job_expire;

/* Drains a node by its name: its claims find nothing until it is resumed, also after restarts. OK,
 * also if it is already drained. */
typedef struct tqd_node_drain {
    tqd_write write;
    const char *name;
    bool drained; /* false: resumes it */
} tqd_node_drain;

/* Removes the mark `waited`: the submission is answered with the job's id. OK, NOT_FOUND. */
typedef struct tqd_job_keep {
    tqd_write write;
    const char *id;
} tqd_job_keep;

/* Deletes finished jobs, oldest first: those that finished longer ago than age_ms, or than
 * age_waited_ms if they are `waited`, then more until the bytes of all bodies without queued_bytes
 * (tqd_job_counts) are at most bytes_max: each time the oldest one of the client whose jobs take
 * most. At most `limit`. OK. */
typedef struct tqd_job_retain {
    tqd_write write;
    int64_t age_ms, age_waited_ms;
    uint64_t bytes_max;
    uint32_t limit;
    uint32_t n_job; /* set */
} tqd_job_retain;

/* Which jobs; fields that are 0 or NULL do not filter. Ages count from the submission. */
typedef struct tqd_job_filter {
    unsigned states; /* 1 << tqd_job_state, several by | */
    const char *kind, *robot;
    const char *beside;         /* only those of the namespace of this key (key.h) */
    const char *by;             /* only those that this client may delete: its own, or of none */
    int64_t older_ms, newer_ms; /* submitted longer ago than this, or no longer ago */
    uint64_t before_seq;        /* 0: from the newest */
    uint32_t limit;
} tqd_job_filter;

/* The namespace of filter->beside with its '/', in ret; NULL: any. For the engines. */
const char *tqd_job_filter_prefix(const tqd_job_filter *filter, char ret[TQD_JOB_CLIENT_TEXT]);

enum { /* of a filter */
       TQD_JOBS_FINISHED = 1 << TQD_JOB_SUCCEEDED | 1 << TQD_JOB_FAILED | 1 << TQD_JOB_CANCELLED,
};

/* Deletes the finished ones of the jobs that match, newest first, at most filter.limit and at most
 * 64. OK. */
typedef struct tqd_job_purge {
    tqd_write write;
    tqd_job_filter filter;
    uint32_t n_job;    /* set: how many were deleted; 0: none is left */
    uint64_t last_seq; /* set: filter.before_seq of the next write */
} tqd_job_purge;

/* -------------------------------------------------------------------------------------- reads */

tqd_store_status tqd_store_job(tqd_store *store, const char *id, tqd_job *ret_job);

/* Newest first. */
tqd_store_status tqd_store_jobs(tqd_store *store, const tqd_job_filter *filter,
                                int (*each)(void *ctx, const tqd_job *job), void *ctx);

/* A body: *ret_bytes is malloc'ed if it is in the row, else NULL and ret_file is the digest of its
 * file. NOT_FOUND: no such job or body. */
tqd_store_status tqd_store_job_body(tqd_store *store, const char *id, tqd_body_kind kind,
                                    char media[TQD_MEDIA_TEXT], char **ret_bytes,
                                    char ret_file[TQD_DIGEST_TEXT], uint64_t *ret_size);

/* The same for an input of the job, in the version of its submission. */
tqd_store_status tqd_store_job_input(tqd_store *store, const char *id, const char *name,
                                     char media[TQD_MEDIA_TEXT], char **ret_bytes,
                                     char ret_file[TQD_DIGEST_TEXT], uint64_t *ret_size);

/* Whether any job has this version of a dataset as input; its media type and size. OK, NOT_FOUND.
 * */
tqd_store_status tqd_store_input_version(tqd_store *store, const char *name, const char *digest,
                                         char media[TQD_MEDIA_TEXT], uint64_t *ret_size);

/* The same for an attached file. */
tqd_store_status tqd_store_job_attachment(tqd_store *store, const char *id, const char *name,
                                          char media[TQD_MEDIA_TEXT], char **ret_bytes,
                                          char ret_file[TQD_DIGEST_TEXT], uint64_t *ret_size);

/* All attached files, by name: names, media types and sizes. */
tqd_store_status tqd_store_job_attachments(tqd_store *store, const char *id,
                                           int (*each)(void *ctx, const tqd_attachment *attachment),
                                           void *ctx);

/* A change of state, in one total order for all jobs. */
typedef struct tqd_job_event {
    uint64_t seq; /* the id of the event: increasing, never reused */
    char id[TQD_JOB_ID_TEXT];
    char client[TQD_JOB_CLIENT_TEXT]; /* of the job */
    tqd_job_state state;
    uint32_t attempts;
    int64_t at_ms;
} tqd_job_event;

/* Events after `after`, oldest first; of one job, or of all (id NULL). */
tqd_store_status tqd_store_events(tqd_store *store, const char *id, uint64_t after, uint32_t limit,
                                  int (*each)(void *ctx, const tqd_job_event *event), void *ctx);

/* The greatest number that any event has had. */
tqd_store_status tqd_store_event_last(tqd_store *store, uint64_t *ret_seq);

/* Jobs by state, and the bytes of all bodies; of these, those of waiting jobs of clients that have
 * a name. */
typedef struct tqd_job_counts {
    uint64_t n[TQD_JOB_STATES];
    uint64_t body_bytes, queued_bytes;
} tqd_job_counts;
tqd_store_status tqd_store_job_counts(tqd_store *store, tqd_job_counts *ret);

/* -------------------------------------------------------------------------------------- nodes */

enum { TQD_VERSION_TEXT = 33 };

/* Properties that a daemon reports of itself. Times are by the store's own clock; a beat does not
 * read them. */
typedef struct tqd_node {
    char name[TQD_JOB_NODE_TEXT];
    char version[TQD_VERSION_TEXT];
    int64_t since_ms, seen_ms;    /* its start, its last beat */
    uint32_t n_running, n_runner; /* jobs that it runs, and runs at most */
    uint32_t n_lane;              /* samples that one instruction takes */
    uint64_t memory_bytes;        /* resident */
    bool drained;                 /* not read in a beat: tqd_node_drain decides */
} tqd_node;

/* Reports that this daemon is running, and since when. Lost with the process or the database: no
 * guarantee depends on it. Any thread that may block on the store. */
tqd_store_status tqd_store_node_beat(tqd_store *store, const tqd_node *node, int64_t uptime_ms);

/* Nodes seen within the last day, by name; in a store of one node, that node. */
tqd_store_status tqd_store_nodes(tqd_store *store, int (*each)(void *ctx, const tqd_node *node),
                                 void *ctx);

/* Sets *ret to true if a node of this name is drained. */
tqd_store_status tqd_store_node_drained(tqd_store *store, const char *name, bool *ret);

#endif
