/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/datasets/plots.c - a bounded table of blocks with least-recently-used eviction. */
#include "daemon/datasets/plots.h"

#include <stdio.h>
#include <string.h>

static void clear(tqd_plots *plots, tqd_plot *plot)
{
    tqa_dataset_blocks_free(plot->blocks);
    plots->n_byte -= plot->n_byte;
    *plot = (tqd_plot){.used = 0};
}

static tqd_plot *find(tqd_plots *plots, const char *digest)
{
    for (size_t k = 0; k < TQD_PLOTS; k++) {
        if (plots->plots[k].blocks != NULL && strcmp(plots->plots[k].digest, digest) == 0) {
            return &plots->plots[k];
        }
    }
    return NULL;
}

/* a free entry with space for n_byte bytes within the limit; NULL: all entries are being read */
static tqd_plot *make_room(tqd_plots *plots, size_t n_byte)
{
    for (;;) {
        tqd_plot *oldest = NULL;
        tqd_plot *place = NULL;
        for (size_t k = 0; k < TQD_PLOTS; k++) {
            tqd_plot *one = &plots->plots[k];
            if (one->blocks == NULL) {
                place = one;
            } else if (one->readers == 0 && (oldest == NULL || one->used < oldest->used)) {
                oldest = one;
            }
        }
        if (place != NULL && plots->n_byte + n_byte <= TQD_PLOTS_BYTES_MAX) {
            return place;
        }
        if (oldest == NULL) {
            return NULL;
        }
        clear(plots, oldest);
    }
}

void tqd_plots_keep(tqd_plots *plots, const char *digest, tqa_dataset_blocks *blocks)
{
    if (blocks == NULL) {
        return;
    }
    const size_t n_byte = tqa_dataset_blocks_bytes(blocks);
    pthread_mutex_lock(&plots->mutex);
    tqd_plot *place = find(plots, digest) == NULL ? make_room(plots, n_byte) : NULL;
    if (place != NULL) {
        (void)snprintf(place->digest, sizeof place->digest, "%s", digest);
        place->blocks = blocks;
        place->n_byte = n_byte;
        place->used = ++plots->n_use;
        plots->n_byte += n_byte;
    }
    pthread_mutex_unlock(&plots->mutex);
    if (place == NULL) {
        tqa_dataset_blocks_free(blocks);
    }
}

tqd_plot *tqd_plots_begin(tqd_plots *plots, const char *digest)
{
    pthread_mutex_lock(&plots->mutex);
    tqd_plot *plot = find(plots, digest);
    if (plot != NULL) {
        plot->readers++;
        plot->used = ++plots->n_use;
    }
    pthread_mutex_unlock(&plots->mutex);
    return plot;
}

void tqd_plots_end(tqd_plots *plots, tqd_plot *plot)
{
    if (plot != NULL) {
        pthread_mutex_lock(&plots->mutex);
        if (--plot->readers == 0 && plot->digest[0] == '\0') {
            clear(plots, plot);
        }
        pthread_mutex_unlock(&plots->mutex);
    }
}

void tqd_plots_drop(tqd_plots *plots, const char *digest)
{
    pthread_mutex_lock(&plots->mutex);
    tqd_plot *plot = find(plots, digest);
    if (plot != NULL) {
        plot->digest[0] = '\0'; /* no longer found by its digest */
        if (plot->readers == 0) {
            clear(plots, plot);
        }
    }
    pthread_mutex_unlock(&plots->mutex);
}

void tqd_plots_clear(tqd_plots *plots)
{
    for (size_t k = 0; k < TQD_PLOTS; k++) {
        if (plots->plots[k].blocks != NULL) {
            clear(plots, &plots->plots[k]);
        }
    }
}
