/* SPDX-License-Identifier: Apache-2.0 */
/* api/operations/calibrate/checkpoint.c - checkpoints of a calibration: its session between two
 * recordings of a pass, and the repairs of the logs. */
#include <stdlib.h>
#include <string.h>

#include "api/operations/calibrate/calibrate.h"

/* A resume surveys the logs again, which also fills the row cache: the survey's results are a
 * function of the logs. Results of passes come from the checkpoint: this head, the
 * repairs of each log, the session's bytes. Of a state beyond BYTES_MAX (a fit of very many logs
 * with a part of its triangles) none is saved: the one before remains. */
enum { BYTES_MAX = 32 << 20 };

typedef struct saved_head {
    char magic[8];
    uint64_t n_log, n_session;
    double progress;
} saved_head;
static const char saved_magic[8] = {'t', 'q', 'a', 'c', 'a', 'l', '0', '2'};

/* of the last pass over a log */
typedef struct saved_log {
    tq_repair_count repairs[TQ_REPAIRS];
    uint64_t n_sample, n_segment, n_rest, n_border, n_short_segment, n_braked;
    double longest_gap;
} saved_log;

static saved_log log_to_saved(const tq_recording *log)
{
    saved_log saved = {.n_sample = log->n_sample,
                       .n_segment = log->n_segment,
                       .n_rest = log->n_rest,
                       .n_border = log->n_border,
                       .n_short_segment = log->n_short_segment,
                       .n_braked = log->n_braked,
                       .longest_gap = log->longest_gap};
    memcpy(saved.repairs, log->repairs, sizeof saved.repairs);
    return saved;
}

static void saved_to_log(const saved_log *saved, tq_recording *log)
{
    memcpy(log->repairs, saved->repairs, sizeof saved->repairs);
    log->n_sample = saved->n_sample;
    log->n_segment = saved->n_segment;
    log->n_rest = saved->n_rest;
    log->n_border = saved->n_border;
    log->n_short_segment = saved->n_short_segment;
    log->n_braked = saved->n_braked;
    log->longest_gap = saved->longest_gap;
}

void tqa_calibration_read_checkpoint(tqa_calibration *c)
{
    const tqa_host *host = c->tree->host;
    saved_head head;
    if (host == NULL || host->checkpoint_load == NULL) {
        return;
    }
    c->saved = malloc(BYTES_MAX); /* pages that the checkpoint does not fill are never used */
    c->n_saved = c->saved != NULL ? host->checkpoint_load(host->ctx, c->saved, BYTES_MAX) : 0;
    if (c->n_saved >= sizeof head) {
        memcpy(&head, c->saved, sizeof head);
    }
    if (c->n_saved < sizeof head || memcmp(head.magic, saved_magic, sizeof saved_magic) != 0 ||
        head.n_log != c->n_log ||
        c->n_saved != sizeof head + c->n_log * sizeof(saved_log) + head.n_session) {
        free(c->saved);
        c->saved = NULL;
        return;
    }
    c->progress = head.progress;
}

void tqa_calibration_load_checkpoint(tqa_calibration *c)
{
    if (c->saved == NULL) {
        return;
    }
    unsigned char *logs = c->saved + sizeof(saved_head);
    unsigned char *session = logs + c->n_log * sizeof(saved_log);
    const size_t n = c->n_saved - (size_t)(session - c->saved);
    if (!tq_identify_load(c->session, session, n)) {
        return; /* of other data */
    }
    for (size_t i = 0; i < c->n_log; i++) {
        saved_log saved;
        memcpy(&saved, logs + i * sizeof saved, sizeof saved);
        saved_to_log(&saved, &c->logs[i].signal);
    }
}

void tqa_calibration_save_checkpoint(tqa_calibration *c)
{
    const tqa_host *host = c->tree->host;
    free(c->saved); /* the session has resumed */
    c->saved = NULL;
    if (host == NULL || host->checkpoint_save == NULL || host->checkpoint_due == NULL ||
        !host->checkpoint_due(host->ctx)) {
        return;
    }
    saved_head head = {
        .n_log = c->n_log, .n_session = tq_identify_save_size(c->session), .progress = c->progress};
    const size_t n = sizeof head + c->n_log * sizeof(saved_log) + head.n_session;
    unsigned char *bytes = head.n_session > 0 && n <= BYTES_MAX ? malloc(n) : NULL;
    if (bytes == NULL) {
        return; /* the calibration goes on; it only starts earlier if it is killed */
    }
    memcpy(head.magic, saved_magic, sizeof saved_magic);
    memcpy(bytes, &head, sizeof head);
    for (size_t i = 0; i < c->n_log; i++) {
        const saved_log saved = log_to_saved(&c->logs[i].signal);
        memcpy(bytes + sizeof head + i * sizeof saved, &saved, sizeof saved);
    }
    tq_identify_save(c->session, bytes + n - head.n_session, head.n_session);
    (void)host->checkpoint_save(host->ctx, bytes, n);
    free(bytes);
}
