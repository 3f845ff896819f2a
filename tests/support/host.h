/* SPDX-License-Identifier: Apache-2.0 */
/* tests/support/host.h - the host of one call, in memory: checkpoints, a spool, attachments,
 * datasets. */
#ifndef TQT_HOST_H
#define TQT_HOST_H

#include "api/host.h"

typedef struct tqt_bytes {
    char name[80], media[64];
    unsigned char *bytes; /* malloc'ed, followed by a zero */
    size_t n;
} tqt_bytes;

/* Zero-initialised. State of a run stays: a second call with the same host resumes from the
 * checkpoint, as after a crash. */
typedef struct tqt_host {
    tqa_host host; /* &w.host is passed to the call, after tqt_host_open */
    tqt_bytes checkpoint, spool;
    tqt_bytes attached[TQA_ATTACH_MAX];
    size_t n_attached;
    tqt_bytes datasets[8]; /* "name" or "job:id" */
    size_t n_dataset;
    uint64_t n_dataset_read; /* bytes of datasets read so far */
    size_t n_save;           /* checkpoints so far */
    bool is_due;             /* the next checkpoint_due returns true */
    size_t n_due;            /* number of calls of checkpoint_due */
    double fraction;
    size_t n_asked, stop_after; /* calls of `cancelled`; the call that returns true, 0: never */
    size_t spool_max;           /* larger writes fail, as on a full disk; 0: no bound */
    size_t n_spool_failed;      /* of these */
} tqt_host;

void tqt_host_open(tqt_host *w);
void tqt_host_close(tqt_host *w);

/* Copies the bytes. */
void tqt_host_dataset(tqt_host *w, const char *name, const char *media, const void *bytes,
                      size_t n);

/* NULL when nothing of this name was attached. */
const tqt_bytes *tqt_host_attached(const tqt_host *w, const char *name);

#endif
