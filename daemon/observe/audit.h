/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/observe/audit.h - the audit log: one line for each write, refusal and login, with client,
 * address, action and result; in files of its own that are rotated. */
#ifndef TQD_OBSERVE_AUDIT_H
#define TQD_OBSERVE_AUDIT_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    TQD_AUDIT_RING = 1024,
    TQD_AUDIT_GATHER_MS = 10,  /* after the first of some entries, before they are written */
    TQD_AUDIT_KEPT = 4,        /* audit.log.1 to audit.log.4 */
    TQD_AUDIT_REFUSALS_S = 20, /* lines of refusals a second; more are counted */
    TQD_AUDIT_PEER_TEXT = 64,
};

typedef enum tqd_audit_kind { TQD_AUDIT_WRITE, TQD_AUDIT_REFUSAL, TQD_AUDIT_LOGIN } tqd_audit_kind;

/* One audited answer. Texts that are too long are truncated. */
typedef struct tqd_audit_entry {
    tqd_audit_kind kind;
    int status;
    int64_t at_ms;       /* since 1970; set by tqd_audit_put */
    uint64_t suppressed; /* refusals before it without a line; set by tqd_audit_put */
    const char *method;  /* constant */
    char request_id[32];
    char client[65]; /* "": unknown */
    char peer[TQD_AUDIT_PEER_TEXT];
    char path[160];
} tqd_audit_entry;

/* A ring in memory, and the thread that writes it to FOLDER/audit.log. */
typedef struct tqd_audit {
    pthread_mutex_t mutex; /* a leaf, never held over I/O; guards what follows */
    pthread_cond_t news;
    tqd_audit_entry *ring;
    uint64_t n_put, n_written; /* entries; number i is at i % TQD_AUDIT_RING */
    uint64_t n_lost;           /* entries lost: the ring was full, or the write failed */
    uint64_t n_suppressed;
    int64_t second;
    unsigned n_refusal; /* in this second */
    bool waiting;       /* the thread waits for the first entry */
    bool stopping;
    /* of the thread only */
    char folder[4096];
    uint64_t bytes_max; /* of one file */
    int fd;
    uint64_t n_byte;
} tqd_audit;

/* False: no memory. */
bool tqd_audit_init(tqd_audit *audit, const char *folder, uint64_t bytes_max);
/* Any thread; does not wait for the disk. If the ring is full the entry is lost and counted. */
void tqd_audit_put(tqd_audit *audit, const tqd_audit_entry *entry);
/* Body of the thread; returns when all entries before tqd_audit_stop are written. */
void tqd_audit_run(void *audit);
void tqd_audit_stop(tqd_audit *audit);
/* Number of entries that were lost so far, suppressed refusals not counted. */
uint64_t tqd_audit_lost(tqd_audit *audit);
/* After the thread has ended. */
void tqd_audit_clear(tqd_audit *audit);

#endif
