/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/datasets/plots.h - blocks of samples for plots of recently used files, in memory, by the
 * digest of the file. */
#ifndef TQD_DATASETS_PLOTS_H
#define TQD_DATASETS_PLOTS_H

#include <pthread.h>

#include "api/dataset.h"
#include "daemon/store/types.h"

enum {
    TQD_PLOTS = 64,                /* files */
    TQD_PLOTS_BYTES_MAX = 32 << 20 /* of all */
};

typedef struct tqd_plot {
    char digest[TQD_DIGEST_TEXT]; /* "": the entry is free */
    tqa_dataset_blocks *blocks;
    size_t n_byte;
    uint64_t used;    /* sequence number of the last use */
    unsigned readers; /* the entry is not evicted while it has readers */
} tqd_plot;

/* Starts zeroed, but for the mutex; any thread. */
typedef struct tqd_plots {
    pthread_mutex_t mutex;
    tqd_plot plots[TQD_PLOTS];
    size_t n_byte;
    uint64_t n_use;
} tqd_plots;

/* Takes ownership of the blocks of a file; least recently used ones are evicted. Accepts NULL. */
void tqd_plots_keep(tqd_plots *plots, const char *digest, tqa_dataset_blocks *blocks);
/* NULL: not in the table. The caller reads tqd_plot.blocks, then calls tqd_plots_end. */
tqd_plot *tqd_plots_begin(tqd_plots *plots, const char *digest);
void tqd_plots_end(tqd_plots *plots, tqd_plot *plot); /* accepts NULL */
/* Removes a deleted file. */
void tqd_plots_drop(tqd_plots *plots, const char *digest);
void tqd_plots_clear(tqd_plots *plots); /* when no thread uses it any more */

#endif
