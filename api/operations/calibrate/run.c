/* SPDX-License-Identifier: Apache-2.0 */
/* api/operations/calibrate/run.c - the session's loop: memory, rows of each pass, checkpoints. */
#include "api/operations/calibrate/calibrate.h"

static const size_t large_step = (size_t)16 << 20; /* bytes, beside which no idle ones are kept */

typedef struct reader {
    tqa_calibration *c;
    const tq_identify_step *step;
    size_t n_block;
    bool is_enough;
    tq_status status; /* of the first block that failed */
    tq_error error;
} reader;

static bool push_block(void *ctx, const tqa_recording_block *block)
{
    reader *r = ctx;
    if (tq_identify_has_enough(r->c->session)) {
        r->is_enough = true;
        return false;
    }
    r->status = tq_identify_push(r->c->session, &block->data, block->t, &r->error);
    r->n_block++;
    return r->status == TQ_OK;
}

static bool report_blocks(void *ctx)
{
    const reader *r = ctx;
    if (r->status != TQ_OK) {
        return tqa_calibration_fail(r->c, r->status, &r->error);
    }
    const double part = (double)r->n_block * (double)TQ_BLOCK / (double)r->step->n_expected;
    return tqa_calibration_pass_progress(r->c, r->step->pass, part < 1.0 ? part : 1.0);
}

static bool read_recording(tqa_calibration *c, const tq_identify_step *step)
{
    reader r = {.c = c, .step = step};
    const tqa_recording_receiver receiver = {
        .sink = push_block, .between = report_blocks, .ctx = &r};
    tqa_recording *log = &c->logs[step->recording];
    c->request.options.delay = step->delay;
    c->request.options.searches = step->in_part;
    c->request.fit = step->fit;
    const bool good = tqa_calibration_pass_progress(c, step->pass, 0.0) &&
                      (tqa_recording_pass_overlapped(log, &receiver) || r.is_enough);
    c->request.fit = NULL;
    return good && (step->in_part || tqa_calibration_check_samples(c, step->pass, step->recording));
}

/* Halves the cached parts of the logs until about so many samples are left. */
static void thin(tqa_calibration *c, size_t n_enough)
{
    bool less = true;
    while (less) {
        size_t n = 0;
        for (size_t i = 0; i < c->n_fitted; i++) {
            n += tq_identify_expected(c->session, i, true);
        }
        less = false;
        for (size_t i = 0; n >= 2 * n_enough && i < c->n_fitted; i++) {
            less = tq_recording_search_less(&c->logs[i].signal) || less;
            if (c->options.recordings[i].n_cached > 0) {
                c->options.recordings[i].n_cached = c->logs[i].signal.cache.n;
            }
        }
    }
}

bool tqa_calibration_run(tqa_calibration *c)
{
    tqa_calibration_load_checkpoint(c);
    tq_identify_step step = {0};
    bool good = true;
    while (good) {
        tq_error error = {0};
        const tq_status status = tq_identify_next(c->session, &step, &error);
        if (status != TQ_OK) {
            return tqa_calibration_fail(c, status, &error);
        }
        switch (step.kind) {
        case TQ_STEP_MEMORY:
            if (step.size > large_step) { /* the next pass takes its memory anew */
                tqa_pass_memory_free(&c->pass_memory);
            }
            good = tqa_calibration_take(c, step.size, &c->memory[step.slot]);
            break;
        case TQ_STEP_THIN:
            thin(c, step.n_enough);
            break;
        case TQ_STEP_PASS:
            tqa_calibration_save_checkpoint(c);
            good = read_recording(c, &step);
            break;
        case TQ_STEP_DONE:
        default:
            return true;
        }
    }
    return false;
}
