/* SPDX-License-Identifier: Apache-2.0 */
/* api/operations/calibrate/progress.c - how far a calibration is, by what its parts take. */
#include <math.h>

#include "api/operations/calibrate/calibrate.h"

/* Of the whole; what lies between goes by the rows that are read. */
static const double look_share = 0.08;
static const double report_share = 0.03;

/* A row, beside one that is read into the last fit; measured on a million of seven joints. Twice
 * the columns are four times the work where little else is done. */
typedef struct prices {
    double search, fit, judge;
} prices;
static const prices plain = {1.0, 1.0, 1.0};
static const prices instruments = {3.8, 2.2, 1.0};

enum { PASSES_OF_LAWS = 4, PASSES_OF_LOAD = 7 }; /* usual numbers */

void tqa_calibration_plan(tqa_calibration *c)
{
    const unsigned laws = c->tries_sign ? PASSES_OF_LAWS : 0;
    const unsigned loads = c->options.model.extra != 0 ? PASSES_OF_LOAD : 0;
    c->n_planned[c->has_chosen ? 1 : 0] = 1 + laws + loads;
    c->n_pass = 0;
    c->is_last = false;
}

/* what the searches, the last fit and the residuals take; second: by instruments, once more */
static prices work_of(const tqa_calibration *c, bool second)
{
    const bool asked = tqa_calibration_has_instruments(c) && !c->has_chosen;
    const prices *price = second || asked ? &instruments : &plain;
    const unsigned n_pass = c->n_planned[second ? 1 : 0];
    double searched = 0.0;
    double fitted = 0.0;
    double all = 0.0;
    for (size_t i = 0; i < c->n_log; i++) {
        const tqa_recording *log = &c->logs[i];
        const bool in_part = c->is_sampled && tq_recording_is_sampled(&log->signal);
        const double rows = (double)log->signal.n_chosen;
        all += rows;
        fitted += i < c->n_fitted ? rows : 0.0;
        searched += i >= c->n_fitted ? 0.0 : in_part ? (double)log->signal.cache.n : rows;
    }
    return (prices){price->search * searched * (n_pass > 0 ? n_pass : 1),
                    c->is_sampled ? price->fit * fitted : 0.0, price->judge * all};
}

static double sum_of(const prices *work)
{
    return work->search + work->fit + work->judge;
}

/* part: of the stage, in its pass over the logs */
static double fraction_at(const tqa_calibration *c, unsigned stage, double part)
{
    if (stage == TQA_STAGE_READ) {
        return look_share * part;
    }
    if (stage == TQA_STAGE_REPORT) {
        return 1.0 - report_share * (1.0 - part);
    }
    const prices first = work_of(c, false);
    const prices second = work_of(c, true);
    const prices *now = c->has_chosen ? &second : &first;
    const bool is_double = c->has_chosen || c->foresees_instruments;
    const double all = sum_of(&first) + (is_double ? sum_of(&second) : 0.0);
    double done = c->has_chosen ? sum_of(&first) : 0.0;
    if (stage == TQA_STAGE_VALIDATE) {
        done += now->search + now->fit + part * now->judge;
    } else if (c->is_last) {
        done += now->search + part * now->fit;
    } else {
        const double planned = (double)c->n_planned[c->has_chosen ? 1 : 0];
        done += now->search * fmin((c->n_pass + part) / fmax(planned, 1.0), 1.0);
    }
    return look_share + (1.0 - look_share - report_share) * done / fmax(all, 1.0);
}

bool tqa_calibration_tell(tqa_calibration *c, unsigned stage, double i, size_t n, const char *step)
{
    const tqa_host *host = c->control->host;
    c->told = fmax(c->told, fraction_at(c, stage, fmin(i / (double)(n > 0 ? n : 1), 1.0)));
    if (host != NULL && host->progress != NULL) {
        host->progress(host->ctx, c->told, step);
    }
    if (host != NULL && host->cancelled != NULL && host->cancelled(host->ctx)) {
        (void)tqa_problem_set(c->control->problem, "busy", "the job was stopped");
        return false;
    }
    return true;
}

bool tqa_calibration_tell_within(tqa_calibration *c, unsigned stage, size_t log, size_t n_block,
                                 double all)
{
    enum { EVERY = 64 };
    const double part = (double)n_block * (double)TQ_BLOCK / all;
    const bool is_fit = stage == TQA_STAGE_FIT;
    return n_block % EVERY != 0 ||
           tqa_calibration_tell(c, stage, (double)log + (part < 1.0 ? part : 1.0),
                                is_fit ? c->n_fitted : c->n_log, is_fit ? "fit" : "validate");
}

/* ------------------------------------------------------------------------------------------------
 * Will there be instruments?
 */

typedef struct foresight {
    tqa_calibration *c;
    tq_noise_bias *noise;
    const double *variance; /* (nv) of the log at hand */
} foresight;

static bool add_block(void *ctx, const tqa_recording_block *block)
{
    const foresight *f = ctx;
    tq_error error = {0};
    const tq_status status = tq_noise_bias_push(f->noise, &block->data, f->variance, &error);
    return status == TQ_OK || tqa_calibration_fail(f->c, status, &error);
}

static bool foresee(tqa_calibration *c, tq_scratch *scratch)
{
    foresight f = {.c = c};
    tq_error error = {0};
    size_t ignored = 0;
    double n_sample = 0.0;
    double *bias = tq_scratch_take(scratch, c->n_column, sizeof *bias);
    tq_status status = tq_noise_bias_begin(c->fit, &c->solution, scratch, &f.noise, &error);
    for (size_t i = 0; status == TQ_OK && i < c->n_fitted; i++) {
        f.variance = c->variance + i * c->order.nv;
        n_sample += (double)c->logs[i].signal.n_chosen * c->logs[i].signal.period /
                    c->logs[i].signal.step / (double)c->request.options.filter.decimate;
        if (!tqa_recording_pass(&c->logs[i], add_block, &f)) {
            return false;
        }
    }
    if (status == TQ_OK) {
        status = tq_noise_bias_find(f.noise, scratch, bias, &error);
    }
    if (status != TQ_OK && status != TQ_ERR_SINGULAR) {
        return tqa_calibration_fail(c, status, &error);
    }
    if (status == TQ_OK) { /* a bias stays where more samples take the deviations down */
        const double more = sqrt(n_sample / fmax((double)c->solution.n_sample, 1.0));
        c->foresees_instruments =
            more * tq_noise_bias_worst(&c->solution, bias, &ignored) > TQ_NOISE_BIAS_MOST;
    }
    return true;
}

bool tqa_calibration_foresee(tqa_calibration *c)
{
    tq_scratch scratch = {0};
    if (!c->chooses_method || !c->is_sampled || !(c->solution.freedom > 0.0)) {
        return true;
    }
    const size_t size = tq_scratch_cost(c->n_column, sizeof(double)) + tq_noise_bias_size(c->fit) +
                        tq_noise_bias_find_size(c->fit);
    const bool good = tqa_tree_scratch(c->control, size, &scratch) && foresee(c, &scratch);
    tqa_tree_give_scratch(c->control, &scratch);
    return good;
}
