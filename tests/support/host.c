/* SPDX-License-Identifier: Apache-2.0 */
/* tests/support/host.c - the daemon's part of a call, in memory. */
#include "tests/support/host.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void keep(tqt_bytes *kept, size_t offset, const void *bytes, size_t n)
{
    kept->bytes = realloc(kept->bytes, offset + n + 1);
    assert(kept->bytes != NULL);
    if (n > 0) {
        memcpy(kept->bytes + offset, bytes, n);
    }
    kept->n = offset + n;
    kept->bytes[kept->n] = '\0';
}

static long copy(const tqt_bytes *kept, uint64_t offset, void *bytes, size_t n)
{
    const size_t left = offset < kept->n ? kept->n - (size_t)offset : 0;
    const size_t some = left < n ? left : n;
    if (some > 0) {
        memcpy(bytes, kept->bytes + offset, some);
    }
    return (long)some;
}

static void parallel_for(void *ctx, size_t n, size_t scratch_size,
                         void (*body)(void *arg, size_t i, void *scratch), void *arg)
{
    (void)ctx;
    for (size_t i = 0; i < n; i++) {
        void *scratch = aligned_alloc(64, (scratch_size + 64) / 64 * 64);
        assert(scratch != NULL);
        body(arg, i, scratch);
        free(scratch);
    }
}

static void progress(void *ctx, double fraction, const char *step)
{
    tqt_host *w = ctx;
    (void)step;
    assert(fraction >= w->fraction && fraction <= 1.0); /* progress never decreases */
    w->fraction = fraction;
}

static bool cancelled(void *ctx)
{
    tqt_host *w = ctx;
    return ++w->n_asked == w->stop_after;
}

static int checkpoint_save(void *ctx, const void *bytes, size_t n)
{
    tqt_host *w = ctx;
    keep(&w->checkpoint, 0, bytes, n);
    w->n_save++;
    return 0;
}

static size_t checkpoint_load(void *ctx, void *bytes, size_t size)
{
    tqt_host *w = ctx;
    w->fraction = 0.0; /* a new run */
    return w->checkpoint.n <= size ? (size_t)copy(&w->checkpoint, 0, bytes, size) : 0;
}

static bool checkpoint_due(void *ctx)
{
    tqt_host *w = ctx;
    w->n_due++;
    return w->is_due;
}

static int spool_write(void *ctx, uint64_t offset, const void *bytes, size_t n)
{
    tqt_host *w = ctx;
    assert(offset <= w->spool.n); /* no holes */
    if (w->spool_max != 0 && offset + n > w->spool_max) {
        w->n_spool_failed++;
        return -1;
    }
    keep(&w->spool, (size_t)offset, bytes, n);
    return 0;
}

static long spool_read(void *ctx, uint64_t offset, void *bytes, size_t n)
{
    return copy(&((tqt_host *)ctx)->spool, offset, bytes, n);
}

static int attach(void *ctx, const char *name, const char *media, const void *bytes, size_t n)
{
    tqt_host *w = ctx;
    assert(w->n_attached < TQA_ATTACH_MAX && strlen(name) <= TQA_ATTACH_NAME_MAX);
    assert(tqt_host_attached(w, name) == NULL); /* each name once */
    tqt_bytes *kept = &w->attached[w->n_attached++];
    snprintf(kept->name, sizeof kept->name, "%s", name);
    snprintf(kept->media, sizeof kept->media, "%s", media);
    keep(kept, 0, bytes, n);
    return 0;
}

static const tqt_bytes *find(const tqt_bytes *all, size_t n, const char *name)
{
    const size_t n_name = strncmp(name, "job:", 4) == 0 ? strlen(name) : strcspn(name, "@");
    for (size_t i = 0; i < n; i++) {
        if (strlen(all[i].name) == n_name && memcmp(all[i].name, name, n_name) == 0) {
            return &all[i];
        }
    }
    return NULL;
}

static int dataset_look(void *ctx, const char *name, tqa_source *ret)
{
    const tqt_host *w = ctx;
    const tqt_bytes *kept = find(w->datasets, w->n_dataset, name);
    if (kept == NULL) {
        return -1;
    }
    *ret = (tqa_source){.size = kept->n};
    memcpy(ret->media, kept->media, sizeof ret->media);
    /* not a real digest: the test needs only its release */
    memset(ret->digest, 'd', sizeof ret->digest - 1);
    return 0;
}

static long dataset_read(void *ctx, const char *name, uint64_t offset, void *bytes, size_t n)
{
    tqt_host *w = ctx;
    const tqt_bytes *kept = find(w->datasets, w->n_dataset, name);
    const long got = kept != NULL ? copy(kept, offset, bytes, n) : -1;
    w->n_dataset_read += got > 0 ? (uint64_t)got : 0;
    return got;
}

const tqt_bytes *tqt_host_attached(const tqt_host *w, const char *name)
{
    return find(w->attached, w->n_attached, name);
}

void tqt_host_dataset(tqt_host *w, const char *name, const char *media, const void *bytes, size_t n)
{
    assert(w->n_dataset < sizeof w->datasets / sizeof w->datasets[0]);
    tqt_bytes *kept = &w->datasets[w->n_dataset++];
    snprintf(kept->name, sizeof kept->name, "%s", name);
    snprintf(kept->media, sizeof kept->media, "%s", media);
    keep(kept, 0, bytes, n);
}

void tqt_host_open(tqt_host *w)
{
    w->host = (tqa_host){.ctx = w,
                         .parallel_for = parallel_for,
                         .progress = progress,
                         .cancelled = cancelled,
                         .checkpoint_save = checkpoint_save,
                         .checkpoint_load = checkpoint_load,
                         .checkpoint_due = checkpoint_due,
                         .spool_write = spool_write,
                         .spool_read = spool_read,
                         .attach = attach,
                         .dataset_look = dataset_look,
                         .dataset_read = dataset_read};
}

void tqt_host_close(tqt_host *w)
{
    for (size_t i = 0; i < w->n_attached; i++) {
        free(w->attached[i].bytes);
    }
    for (size_t i = 0; i < w->n_dataset; i++) {
        free(w->datasets[i].bytes);
    }
    free(w->checkpoint.bytes);
    free(w->spool.bytes);
    *w = (tqt_host){0};
}
