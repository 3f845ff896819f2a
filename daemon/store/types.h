/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/store/types.h - outcomes, options, the head of every write, rows of robots. */
#ifndef TQD_STORE_TYPES_H
#define TQD_STORE_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Outcomes. Those up to OWNED are refusals, the others failures; after any but OK nothing was
 * written. */
typedef enum tqd_store_status {
    TQD_STORE_OK,
    TQD_STORE_NOT_FOUND,
    TQD_STORE_MISMATCH, /* a precondition does not hold */
    TQD_STORE_QUOTA,    /* a limit of the settings, or of the client, is reached */
    TQD_STORE_OWNED,    /* it belongs to another client */
    TQD_STORE_BUSY,     /* the queue of writes is full: try again */
    TQD_STORE_NO_SPACE, /* the disk is full */
    TQD_STORE_NO_MEMORY,
    TQD_STORE_BROKEN,  /* the disk or the database failed, or the store is stopping */
    TQD_STORE_DAMAGED, /* the stored bytes have changed or are missing */
} tqd_store_status;

typedef struct tqd_store tqd_store;

typedef enum tqd_notice { TQD_NOTICE_ERROR, TQD_NOTICE_WARNING, TQD_NOTICE_INFO } tqd_notice;

typedef struct tqd_store_options {
    const char *folder;      /* state folder: created (0700) when missing */
    const char *uri;         /* NULL or "sqlite:": a database inside the folder */
    size_t writes_max;       /* bound of the queue of writes; 0: 4096 */
    uint64_t file_bytes_max; /* of all files (files.h) together; 0: no bound */
    bool adopt;              /* create a database although the folder contains files of another */
    bool is_check;           /* --check-store: losses are reported again at the next start */
    /* Called with notices for the operator as they occur; NULL: dropped. Any thread. */
    void (*notice)(void *ctx, tqd_notice notice, const char *what, const char *detail);
    void *notice_ctx;
} tqd_store_options;

enum { TQD_STORE_WHY = 384 };

/* Data that commits of any node may have changed; combined by |. */
enum {
    TQD_CHANGED_JOBS = 1,
    TQD_CHANGED_QUEUE = 2, /* a job was queued */
    TQD_CHANGED_ROBOTS = 4,
    TQD_CHANGED_NODES = 8,  /* a node was drained or resumed */
    TQD_CHANGED_PARTS = 16, /* parts of a running job wait */
    TQD_CHANGED_ALL = 31,
};
typedef struct tqd_changed {
    /* On the thread of tqd_store_follow; returns those that it is to be called with again soon. */
    unsigned (*call)(void *ctx, unsigned changes);
    void *ctx;
} tqd_changed;

/* ------------------------------------------------------------------------------------ writes */

typedef enum tqd_write_kind {
    TQD_WRITE_ROBOT_PUT,
    TQD_WRITE_ROBOT_DELETE,
    TQD_WRITE_JOB_SUBMIT, /* jobs.h */
    TQD_WRITE_JOB_CLAIM,
    TQD_WRITE_JOB_BEAT,
    TQD_WRITE_JOB_CHECKPOINT,
    TQD_WRITE_JOB_FINISH,
    TQD_WRITE_JOB_RELEASE,
    TQD_WRITE_JOB_CANCEL,
    TQD_WRITE_JOB_DELETE,
    TQD_WRITE_JOB_EXPIRE,
    TQD_WRITE_JOB_RETAIN,
    TQD_WRITE_JOB_KEEP,
    TQD_WRITE_JOB_PURGE,
    TQD_WRITE_DATASET_PUT, /* datasets.h */
    TQD_WRITE_DATASET_DELETE,
    TQD_WRITE_GARBAGE_DROP, /* engine.h */
    TQD_WRITE_NODE_DRAIN,   /* jobs.h */
    TQD_WRITE_PART_OPEN,    /* parts.h */
    TQD_WRITE_PART_CLAIM,
    TQD_WRITE_PART_BEAT,
    TQD_WRITE_PART_END,
    TQD_WRITE_PART_DROP,
    TQD_WRITE_KINDS
} tqd_write_kind;

/* The head of every write. `kind` and the fields that follow it in the larger struct belong to the
 * caller and stay unchanged until `done`. Both callbacks run on the writer's thread and must be
 * short. */
typedef struct tqd_write {
    tqd_write_kind kind;
    void (*committed)(struct tqd_write *write); /* status is OK; in the order of the commits, so
                                                   that a cache can follow; may be NULL */
    void (*done)(struct tqd_write *write);      /* after that, or after a failure */
    void *ctx;
    tqd_store_status status; /* set before `done`; OK: durable */
    struct tqd_write *next;  /* private to the queue */
} tqd_write;

/* ------------------------------------------------------------------------------------ robots */

enum {
    TQD_NAME_TEXT = 129,
    TQD_DIGEST_TEXT = 65,
    TQD_MEDIA_TEXT = 64,
    TQD_SOURCE_TEXT = 16,
    TQD_OWNER_TEXT = 65
};

/* The row of a robot, without its bytes. */
typedef struct tqd_robot_row {
    char name[TQD_NAME_TEXT];
    char digest[TQD_DIGEST_TEXT];
    char media[TQD_MEDIA_TEXT];   /* "application/xml", ... */
    char source[TQD_SOURCE_TEXT]; /* "urdf", "mjcf", "document" */
    uint32_t nv;
    uint64_t size;              /* of the bytes */
    int64_t created_ms;         /* of this version, since 1970 */
    char owner[TQD_OWNER_TEXT]; /* the client that made the name; "": unknown, anybody's */
} tqd_robot_row;

/* Whether a row of this owner is closed to the client that asks; NULL: it may change any. */
static inline bool tqd_is_owned(const char *owner, const char *by)
{
    return by != NULL && owner[0] != '\0' && strcmp(owner, by) != 0;
}

/* Creates or replaces a robot. Former versions stay readable by digest, the newest
 * TQD_ROBOT_VERSIONS of each name; a version that another row refers to is never deleted. A name
 * stays its first owner's, whoever replaces it; what is stored already may be put by anybody.
 * Status: OK (`created`, `replaced` and `owner` are set), MISMATCH, QUOTA, OWNED (`owner` is set).
 */
enum { TQD_ROBOT_VERSIONS = 32 };
typedef struct tqd_robot_put {
    tqd_write write;
    const tqd_robot_row *row; /* size and created_ms are not read; owner: of a new name */
    const char *by;           /* the client that asks; NULL: it may replace whatever it likes */
    const char *bytes;
    size_t n_byte;
    const char *if_match;           /* digest that must be current; "*": any; NULL: no condition */
    const char *if_none_match;      /* "*": must not exist; a digest: must not be current; NULL */
    uint64_t robots_max;            /* names; 0: no bound */
    uint64_t bytes_max;             /* of all versions of all robots; 0: no bound */
    bool created;                   /* set: the name was new */
    char replaced[TQD_DIGEST_TEXT]; /* set: the former digest, "" if none */
    char owner[TQD_OWNER_TEXT];     /* set: whose the name is */
} tqd_robot_put;

/* Deletes a robot and every version without other references. Status: OK, NOT_FOUND, MISMATCH,
 * OWNED (`owner` is set). */
typedef struct tqd_robot_delete {
    tqd_write write;
    const char *name;
    const char *by;             /* as above */
    const char *if_match;       /* as above */
    char owner[TQD_OWNER_TEXT]; /* set */
} tqd_robot_delete;

#endif
