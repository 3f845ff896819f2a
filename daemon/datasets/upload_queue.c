/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/datasets/upload_queue.c - a bounded ring of chunks for each upload, one thread that stores
 * them. */
#include "daemon/datasets/upload_queue.h"

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/lock.h"
#include "daemon/queue/scratch.h"
#include "daemon/share.h"
#include "daemon/store/problem.h"

enum { CHUNK = 256 << 10, CHUNKS = 4 };

/* while one chunk is full and another empty, a whole piece fits */
_Static_assert((int)TQD_INTAKE_PIECE <= (int)CHUNK, "a piece fits into a chunk");

struct tqd_intake {
    tqd_upload_queue *uploads;
    void (*wake)(void *ctx);
    void *ctx;
    /* the ring: full chunks from `head` on, then the one being filled */
    char *chunks[CHUNKS];
    size_t sizes[CHUNKS];
    size_t n_filling; /* bytes in the chunk that is being filled; used by the I/O thread only */
    /* guarded by the mutex of `uploads` */
    size_t head;
    _Atomic size_t n_full;
    bool listed;    /* queued for the upload thread, or being processed */
    bool waiting;   /* the I/O thread waits: `wake` is due */
    bool closed;    /* the upload thread frees it */
    bool completes; /* a worker waits until the ring is empty */
    tqd_intake *next;
    tqd_intake *next_open, *prev_open;
    char client[TQD_CLIENT_TEXT];
    /* used by the upload thread; by the worker while `completes` */
    tqd_upload *upload;
    tqa_dataset *dataset;
    tqd_store_status stored;
    bool parsed;
    tqa_problem problem;
    _Atomic bool failed;          /* set once, after the problem */
    char digest[TQD_DIGEST_TEXT]; /* of the complete file; "" before */
    bool kept;                    /* a row refers to the file */
};

struct tqd_upload_queue {
    tqd_upload_queue_options options;
    pthread_mutex_t mutex; /* held for a few instructions */
    pthread_cond_t some;   /* an intake is queued, or stopping is set */
    pthread_cond_t empty;  /* the ring of a completing intake is empty */
    tqd_intake *first, **last;
    tqd_intake *open; /* all of them */
    size_t n_intake;
    bool stopping;
};

tqd_upload_queue *tqd_upload_queue_new(const tqd_upload_queue_options *options)
{
    tqd_upload_queue *uploads = calloc(1, sizeof *uploads);
    if (uploads == NULL) {
        return NULL;
    }
    uploads->options = *options;
    uploads->last = &uploads->first;
    tqd_lock_init(&uploads->mutex);
    pthread_cond_init(&uploads->some, NULL);
    pthread_cond_init(&uploads->empty, NULL);
    return uploads;
}

void tqd_upload_queue_stop(tqd_upload_queue *uploads)
{
    pthread_mutex_lock(&uploads->mutex);
    uploads->stopping = true;
    pthread_cond_signal(&uploads->some);
    pthread_mutex_unlock(&uploads->mutex);
}

void tqd_upload_queue_free(tqd_upload_queue *uploads)
{
    if (uploads != NULL) {
        assert(uploads->n_intake == 0);
        pthread_cond_destroy(&uploads->empty);
        pthread_cond_destroy(&uploads->some);
        pthread_mutex_destroy(&uploads->mutex);
        free(uploads);
    }
}

/* the mutex is held */
static void list(tqd_intake *intake)
{
    tqd_upload_queue *uploads = intake->uploads;
    if (!intake->listed) {
        intake->listed = true;
        intake->next = NULL;
        *uploads->last = intake;
        uploads->last = &intake->next;
        pthread_cond_signal(&uploads->some);
    }
}

/* -------------------------------------------------------------------------------- I/O thread */

static void destroy(tqd_intake *intake)
{
    tqd_upload_close(intake->upload);
    if (intake->digest[0] != '\0' && !intake->kept) {
        (void)tqd_store_file_collect(intake->uploads->options.store, intake->digest);
    }
    tqa_dataset_close(intake->dataset);
    for (size_t i = 0; i < CHUNKS; i++) {
        free(intake->chunks[i]);
    }
    free(intake);
}

/* Counts the intake; false: too many, of its client if *ret_own. The mutex is held. */
static bool admit(tqd_upload_queue *uploads, tqd_intake *intake, bool *ret_own)
{
    const tqd_upload_queue_options *options = &uploads->options;
    size_t n_own = 0;
    for (const tqd_intake *i = uploads->open; i != NULL; i = i->next_open) {
        n_own += strcmp(i->client, intake->client) == 0;
    }
    *ret_own = intake->client[0] != '\0' &&
               n_own >= tqd_share_now(options->intakes_max, options->client_max,
                                      uploads->n_intake - n_own);
    if (*ret_own || uploads->n_intake >= options->intakes_max) {
        return false;
    }
    uploads->n_intake++;
    intake->next_open = uploads->open;
    if (uploads->open != NULL) {
        uploads->open->prev_open = intake;
    }
    uploads->open = intake;
    return true;
}

/* The mutex is held. */
static void dismiss(tqd_upload_queue *uploads, tqd_intake *intake)
{
    *(intake->prev_open != NULL ? &intake->prev_open->next_open : &uploads->open) =
        intake->next_open;
    if (intake->next_open != NULL) {
        intake->next_open->prev_open = intake->prev_open;
    }
    uploads->n_intake--;
}

tqd_intake *tqd_intake_open(tqd_upload_queue *uploads, const tqd_identity *who,
                            const tqa_dataset_options *options, void (*wake)(void *ctx), void *ctx,
                            bool *ret_own)
{
    *ret_own = false;
    tqd_intake *intake = calloc(1, sizeof *intake);
    if (intake == NULL) {
        return NULL;
    }
    intake->uploads = uploads;
    intake->wake = wake;
    intake->ctx = ctx;
    if (who != NULL) {
        memcpy(intake->client, who->client, sizeof intake->client);
    }
    intake->dataset = tqa_dataset_open(options, NULL);
    bool taken = intake->dataset != NULL;
    if (taken) {
        tqa_dataset_gather(intake->dataset);
    }
    for (size_t i = 0; i < CHUNKS; i++) {
        intake->chunks[i] = malloc(CHUNK); /* pages are allocated at first touch */
        taken = taken && intake->chunks[i] != NULL;
    }
    pthread_mutex_lock(&uploads->mutex);
    taken = taken && admit(uploads, intake, ret_own);
    pthread_mutex_unlock(&uploads->mutex);
    if (!taken) {
        destroy(intake);
        return NULL;
    }
    return intake;
}

static bool fits(const tqd_intake *intake, size_t n)
{
    const size_t n_full = atomic_load(&intake->n_full);
    return n_full < CHUNKS - 1 || (n_full == CHUNKS - 1 && n <= CHUNK - intake->n_filling);
}

bool tqd_intake_room(tqd_intake *intake, size_t n)
{
    assert(n <= TQD_INTAKE_PIECE);
    if (fits(intake, n)) {
        return true;
    }
    /* check again under the mutex, so that no wake-up between check and `waiting` is lost */
    pthread_mutex_lock(&intake->uploads->mutex);
    const bool room = fits(intake, n);
    intake->waiting = !room;
    pthread_mutex_unlock(&intake->uploads->mutex);
    return room;
}

/* makes the chunk being filled visible to the upload thread */
static void publish(tqd_intake *intake, size_t i)
{
    intake->sizes[i] = intake->n_filling;
    intake->n_filling = 0;
    pthread_mutex_lock(&intake->uploads->mutex);
    atomic_fetch_add(&intake->n_full, 1);
    list(intake);
    pthread_mutex_unlock(&intake->uploads->mutex);
}

static size_t filling(tqd_intake *intake)
{
    pthread_mutex_lock(&intake->uploads->mutex);
    const size_t i = (intake->head + atomic_load(&intake->n_full)) % CHUNKS;
    pthread_mutex_unlock(&intake->uploads->mutex);
    return i;
}

bool tqd_intake_put(tqd_intake *intake, const char *bytes, size_t n)
{
    while (n > 0) {
        if (atomic_load(&intake->failed)) {
            return false;
        }
        const size_t i = filling(intake);
        const size_t room = CHUNK - intake->n_filling;
        const size_t piece = n < room ? n : room;
        memcpy(intake->chunks[i] + intake->n_filling, bytes, piece);
        intake->n_filling += piece;
        bytes += piece;
        n -= piece;
        if (intake->n_filling == CHUNK) {
            publish(intake, i);
        }
    }
    return true;
}

void tqd_intake_close(tqd_intake *intake)
{
    pthread_mutex_lock(&intake->uploads->mutex);
    intake->closed = true;
    intake->waiting = false;
    list(intake);
    pthread_mutex_unlock(&intake->uploads->mutex);
}

/* ------------------------------------------------------------------------- the upload thread */

typedef struct chunk {
    tqd_intake *intake;
    const char *bytes;
    size_t n;
} chunk;

/* body 0 stores, body 1 parses: in parallel when a worker is idle */
static void do_half(void *arg, size_t i, void *scratch)
{
    (void)scratch;
    const chunk *c = arg;
    if (i == 0) {
        c->intake->stored = tqd_upload_append(c->intake->upload, c->bytes, c->n);
    } else {
        c->intake->parsed = tqa_dataset_feed(c->intake->dataset, c->bytes, c->n);
    }
}

/* one failure is reported: a malformed table takes precedence over lack of space */
static void report_failure(tqd_intake *intake)
{
    if (!intake->parsed) {
        intake->problem = *tqa_dataset_problem(intake->dataset);
        atomic_store(&intake->failed, true);
    } else if (intake->stored != TQD_STORE_OK) {
        tqd_store_problem(intake->stored, &intake->problem);
        atomic_store(&intake->failed, true);
    }
}

static void take_in(tqd_intake *intake, const char *bytes, size_t n)
{
    if (intake->upload == NULL) {
        intake->parsed = true;
        intake->upload = tqd_upload_open(intake->uploads->options.store, &intake->stored);
    }
    if (intake->upload != NULL) {
        chunk c = {intake, bytes, n};
        tqd_workers_parallel_for(intake->uploads->options.workers, 2, 0, do_half, &c);
    }
    report_failure(intake);
}

/* Processes one chunk of the first intake, which then goes to the end of the queue (round-robin).
 * The mutex is held on entry and return, not while a chunk is processed. */
static void process_chunk(tqd_upload_queue *uploads)
{
    tqd_intake *intake = uploads->first;
    uploads->first = intake->next;
    if (uploads->first == NULL) {
        uploads->last = &uploads->first;
    }
    const size_t i = intake->head;
    const bool has_chunk = atomic_load(&intake->n_full) > 0 && !intake->closed;
    if (has_chunk) {
        pthread_mutex_unlock(&uploads->mutex);
        if (!atomic_load(&intake->failed)) {
            take_in(intake, intake->chunks[i], intake->sizes[i]);
        }
        pthread_mutex_lock(&uploads->mutex);
        intake->head = (i + 1) % CHUNKS;
        atomic_fetch_sub(&intake->n_full, 1);
        if (intake->waiting) {
            intake->waiting = false;
            intake->wake(intake->ctx);
        }
    }
    intake->listed = false;
    if (intake->closed) {
        dismiss(uploads, intake);
        pthread_mutex_unlock(&uploads->mutex);
        destroy(intake);
        pthread_mutex_lock(&uploads->mutex);
    } else if (atomic_load(&intake->n_full) > 0) {
        list(intake);
    } else if (intake->completes) {
        pthread_cond_broadcast(&uploads->empty);
    }
}

void tqd_upload_queue_run(void *arg)
{
    tqd_upload_queue *uploads = arg;
    pthread_mutex_lock(&uploads->mutex);
    while (uploads->first != NULL || !uploads->stopping) {
        if (uploads->first != NULL) {
            process_chunk(uploads);
        } else {
            pthread_cond_wait(&uploads->some, &uploads->mutex);
        }
    }
    pthread_mutex_unlock(&uploads->mutex);
    tqd_scratch_free();
}

/* ------------------------------------------------------------------------------------ workers */

static void wait_until_empty(tqd_intake *intake)
{
    tqd_upload_queue *uploads = intake->uploads;
    if (intake->n_filling > 0) {
        publish(intake, filling(intake));
    }
    pthread_mutex_lock(&uploads->mutex);
    intake->completes = true;
    while (intake->listed) {
        pthread_cond_wait(&uploads->empty, &uploads->mutex);
    }
    intake->completes = false;
    pthread_mutex_unlock(&uploads->mutex);
}

static bool fail(tqd_intake *intake, const char *slug, const char *detail)
{
    if (!atomic_load(&intake->failed)) {
        tqa_problem_set(&intake->problem, slug, "%s", detail);
        atomic_store(&intake->failed, true);
    }
    return false;
}

bool tqd_intake_complete(tqd_intake *intake, tqd_dataset_row *row, char **ret_summary,
                         size_t *ret_n_summary)
{
    wait_until_empty(intake);
    if (atomic_load(&intake->failed)) {
        return false;
    }
    intake->parsed = tqa_dataset_finish(intake->dataset);
    if (intake->parsed) {
        intake->stored = tqd_upload_finish(intake->upload, row->digest, &row->size);
        if (intake->stored == TQD_STORE_OK) {
            memcpy(intake->digest, row->digest, sizeof intake->digest);
        }
    }
    report_failure(intake);
    if (atomic_load(&intake->failed)) {
        return false;
    }
    *ret_summary = tqa_dataset_summary(intake->dataset, ret_n_summary);
    if (*ret_summary == NULL) {
        return fail(intake, "busy", "memory is short");
    }
    snprintf(row->media, sizeof row->media, "%s", tqa_dataset_media(intake->dataset));
    row->n_row = tqa_dataset_rows(intake->dataset);
    row->n_column = tqa_dataset_width(intake->dataset);
    return true;
}

void tqd_intake_keep(tqd_intake *intake)
{
    intake->kept = true;
}

tqa_dataset_blocks *tqd_intake_blocks(tqd_intake *intake)
{
    return tqa_dataset_take_blocks(intake->dataset);
}

const tqa_problem *tqd_intake_problem(const tqd_intake *intake)
{
    return &intake->problem;
}
