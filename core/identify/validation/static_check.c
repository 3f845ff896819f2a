/* SPDX-License-Identifier: Apache-2.0 */
/* core/identify/validation/static_check.c - poses found in recordings, their torque against gravity
 * within friction. */
#include "core/identify/validation/static_check.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "core/identify/regression/fit_private.h"
#include "core/identify/validation/statistics.h"
#include "core/linalg/dense.h"

enum {
    POSES_KEPT = 256,
    PAIRS_LEAST = 2,
    OF_BODY = 4, /* mass and first moments: the parameters that determine gravity */
    EQUATIONS_LEAST = 12,
    REST,
    SLIPPING,
    N_LANE, /* lanes of a run: without friction, and with the maximum friction */
};
static const double shaking = 5.0;    /* maximum rms velocity of a pose over `moving` */
static const double creep = 0.01;     /* rad or m: a larger displacement is another pose */
static const double same_pose = 0.05; /* rad or m: largest distance of two poses that count as
                                         equal */
static const double part_left = 0.5;  /* of the band, in a pair of poses: a joint may come to rest
                                         with any part of it */
static const double sure = 3.0;       /* standard deviations */
static const double rounding = 1e-9;  /* of a torque: rounding error */
static const double error_reported = 0.05;
static const double error_robust = 0.30; /* as for the parameters */
static const double error_incomplete = 0.80;
static const double mass_reported = 0.01; /* of the mass of all bodies */
static const double beyond_arm = 0.3;     /* m: centre of mass of an unknown payload from the last
                                         joint */

typedef struct sums {
    size_t n;
    double *q, *qdd, *tau; /* (nq, nv, nv) */
    double *qd, *qd_square, *tau_square;
    double *first; /* (nq) coordinates at the start */
    double apart;  /* largest distance of a coordinate from its start */
} sums;

typedef struct kept_pose {
    double *q, *residual; /* (nq, nv) */
    signed char *from;    /* (nv) direction of the last motion; 0: unknown, or used in a pair */
} kept_pose;

typedef struct row_sums {
    size_t n_outside, n_pair;
    double torque, square, worst, band, excess, pair, pair_excess;
} row_sums;

struct tq_static_check {
    const tq_fit *fit;
    const double *value;
    tq_static_check_plan plan;
    tq_fit_run run;
    sums chunk, pose;
    double before;     /* time of the last sample; NaN: none */
    signed char *from; /* (nv) */
    size_t n_pose, n_kept;
    kept_pose *kept; /* (POSES_KEPT) */
    row_sums *rows;  /* (nv) */
    double *usual;   /* (nv) mean square of the torque in the fitted data */
    uint32_t end;    /* index of the link at the end of the longest chain, or TQ_NONE */
    double gram[OF_BODY * OF_BODY], right[OF_BODY], left; /* of the payload there */
    size_t n_equation;
};

static size_t sums_size(const tq_fit *fit)
{
    return 2 * tq_scratch_cost(fit->mechanism->model.nq, sizeof(double)) +
           5 * tq_scratch_cost(fit->n_row, sizeof(double));
}

size_t tq_static_check_size(const tq_fit *fit)
{
    const size_t nq = fit->mechanism->model.nq, nv = fit->n_row;
    return tq_scratch_cost(1, sizeof(tq_static_check)) + tq_fit_run_size(fit) + 2 * sums_size(fit) +
           2 * tq_scratch_cost(nv, 1) + tq_scratch_cost(POSES_KEPT, sizeof(kept_pose)) +
           tq_scratch_cost((nq + nv) * POSES_KEPT, sizeof(double)) +
           tq_scratch_cost(nv * POSES_KEPT, 1) + tq_scratch_cost(nv, sizeof(row_sums)) +
           tq_scratch_cost(nv, sizeof(double));
}

static bool take_sums(const tq_fit *fit, tq_scratch *scratch, sums *ret)
{
    ret->q = tq_scratch_take(scratch, fit->mechanism->model.nq, sizeof(double));
    double **rows[] = {&ret->qdd, &ret->tau, &ret->qd, &ret->qd_square, &ret->tau_square};
    ret->first = tq_scratch_take(scratch, fit->mechanism->model.nq, sizeof(double));
    bool good = ret->q != NULL && ret->first != NULL;
    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++) {
        *rows[k] = tq_scratch_take(scratch, fit->n_row, sizeof(double));
        good = good && *rows[k] != NULL;
    }
    return good;
}

static bool take_kept(tq_static_check *s, tq_scratch *scratch)
{
    const size_t nq = s->fit->mechanism->model.nq, nv = s->fit->n_row;
    s->kept = tq_scratch_take(scratch, POSES_KEPT, sizeof *s->kept);
    double *numbers = tq_scratch_take(scratch, (nq + nv) * POSES_KEPT, sizeof *numbers);
    signed char *from = tq_scratch_take(scratch, nv * POSES_KEPT, 1);
    for (size_t k = 0; s->kept != NULL && numbers != NULL && from != NULL && k < POSES_KEPT; k++) {
        s->kept[k] = (kept_pose){.q = numbers + k * (nq + nv),
                                 .residual = numbers + k * (nq + nv) + nq,
                                 .from = from + k * nv};
    }
    return s->kept != NULL && numbers != NULL && from != NULL;
}

static void clear_sums(const tq_fit *fit, sums *s)
{
    const size_t size = fit->n_row * sizeof(double);
    s->n = 0;
    s->apart = 0.0;
    memset(s->q, 0, fit->mechanism->model.nq * sizeof(double));
    memset(s->qdd, 0, size);
    memset(s->tau, 0, size);
    memset(s->qd, 0, size);
    memset(s->qd_square, 0, size);
    memset(s->tau_square, 0, size);
}

/* the first link after the largest number of moving joints */
static uint32_t find_end(const tq_model *model)
{
    uint32_t best = TQ_NONE;
    size_t most = 0;
    for (uint32_t k = 0; k < model->n_joint; k++) {
        size_t n = 0;
        for (uint32_t j = model->order[k]; j != TQ_NONE;
             j = model->links[model->joints[j].parent].joint) {
            n += model->joints[j].kind != TQ_JOINT_FIXED;
        }
        if (n > most) {
            most = n;
            best = k;
        }
    }
    return best;
}

tq_status tq_static_check_begin(const tq_fit *fit, tq_scratch *scratch, tq_static_check **ret_check,
                                tq_error *reterr)
{
    const size_t nv = fit->n_row;
    tq_static_check *s = tq_scratch_take(scratch, 1, sizeof *s);
    if (s != NULL) {
        *s = (tq_static_check){.fit = fit, .before = (double)NAN, .end = TQ_NONE};
        s->from = tq_scratch_take(scratch, nv, 1);
        s->rows = tq_scratch_take(scratch, nv, sizeof *s->rows);
        s->usual = tq_scratch_take(scratch, nv, sizeof *s->usual);
    }
    if (s == NULL || s->from == NULL || s->rows == NULL || s->usual == NULL ||
        !take_sums(fit, scratch, &s->chunk) || !take_sums(fit, scratch, &s->pose) ||
        !take_kept(s, scratch)) {
        return tq_fail(reterr, TQ_ERR_SCRATCH, "scratch", 0, (double)tq_static_check_size(fit));
    }
    memset(s->rows, 0, nv * sizeof *s->rows);
    tq_fit_usual_torque(fit, s->usual);
    if (fit->options.model.kind == TQ_FIT_BASE) {
        s->end = find_end(&fit->mechanism->model);
    }
    const tq_status status = tq_fit_run_take(fit, scratch, &s->run, reterr);
    if (status == TQ_OK) {
        *ret_check = s;
    }
    return status;
}

tq_status tq_static_check_next(tq_static_check *s, const double *value,
                               const tq_static_check_plan *plan, tq_error *reterr)
{
    if (!(plan->period > 0.0) || !(plan->moving > 0.0) || plan->least == 0) {
        return tq_fail(reterr, TQ_ERR_RANGE, "plan", 0, plan->period);
    }
    s->value = value;
    s->plan = *plan;
    s->before = (double)NAN;
    memset(s->from, 0, s->fit->n_row);
    clear_sums(s->fit, &s->chunk);
    clear_sums(s->fit, &s->pose);
    return TQ_OK;
}

/* ------------------------------------------------------------------------------------------------
 * One pose
 */

/* torque of row r in sample `lane` of the run */
static double torque_of(const tq_static_check *s, size_t r, size_t lane)
{
    const tq_fit_row *row = &s->fit->rows[r];
    double sum = 0.0;
    for (size_t c = 0; c < row->n; c++) {
        sum += s->run.values[row->offset[c] + (int64_t)lane] * s->value[row->column[c]];
    }
    return sum;
}

/* friction band: friction just before slipping */
static double band_of(const tq_static_check *s, size_t r)
{
    const tq_fit_row *row = &s->fit->rows[r];
    double band = fabs(torque_of(s, r, SLIPPING) - torque_of(s, r, REST));
    for (size_t c = 0; c < row->n; c++) { /* their sign depends on two velocities; it is not among
                                             the signs of the run */
        if (s->fit->columns[row->column[c]].kind == TQ_COLUMN_COUPLED_COULOMB) {
            band += fabs(s->value[row->column[c]]);
        }
    }
    return band;
}

static bool is_same(const tq_static_check *s, const kept_pose *then, const kept_pose *now)
{
    double apart = 0.0;
    for (size_t i = 0; i < s->fit->mechanism->model.nq; i++) {
        apart = fmax(apart, fabs(then->q[i] - now->q[i]));
    }
    return apart < same_pose;
}

/* finds equal poses that were approached from the opposite side */
static void pair_up(tq_static_check *s, const kept_pose *now)
{
    for (size_t k = 0; k < s->n_kept; k++) {
        const kept_pose *then = &s->kept[k];
        const bool same = is_same(s, then, now);
        for (size_t r = 0; same && r < s->fit->n_row; r++) {
            if (then->from[r] * now->from[r] < 0) {
                const double mean = 0.5 * (then->residual[r] + now->residual[r]);
                const double excess = fabs(mean) - part_left * band_of(s, r);
                s->rows[r].pair += mean * mean;
                s->rows[r].pair_excess += excess > 0.0 ? excess * excess : 0.0;
                s->rows[r].n_pair++;
                then->from[r] = now->from[r] = 0;
            }
        }
    }
}

/* True if the pose is a new observation: friction at rest is the same each time a joint returns to
 * a pose from the same side. */
static bool is_news(const tq_static_check *s, const kept_pose *now, size_t r)
{
    bool news = s->n_kept < POSES_KEPT;
    for (size_t k = 0; news && k < s->n_kept; k++) {
        const kept_pose *then = &s->kept[k];
        news = then->from[r] * now->from[r] < 0 || !is_same(s, then, now);
    }
    return news;
}

/* equation of a payload at the end of the chain: its gravity torque is the residual */
static void add_equation(tq_static_check *s, size_t r, double residual, double deviation)
{
    double line[OF_BODY];
    double square = 0.0;
    for (unsigned k = 0; k < OF_BODY; k++) {
        const size_t column = (size_t)TQ_PARAMETERS_OF_LINK * s->end + k;
        line[k] = s->run.values[(r * s->fit->n_link_column + column) * TQ_FOLD_RUN + REST];
        square += line[k] * line[k];
    }
    if (!(square > 0.0) || !(deviation > 0.0)) {
        return;
    }
    for (unsigned i = 0; i < OF_BODY; i++) {
        for (unsigned k = 0; k < OF_BODY; k++) {
            s->gram[OF_BODY * i + k] += line[i] * line[k] / (deviation * deviation);
        }
        s->right[i] += line[i] * residual / (deviation * deviation);
    }
    s->left += residual * residual / (deviation * deviation);
    s->n_equation++;
}

static void judge_row(tq_static_check *s, size_t r, kept_pose *now)
{
    const double n = (double)s->pose.n;
    row_sums *row = &s->rows[r];
    const double tau = s->pose.tau[r] / n;
    const double variance = fmax(s->pose.tau_square[r] / n - tau * tau, 0.0);
    /* noise of neighbouring samples is correlated, filtered or not: `least` samples count as one */
    const double noise = sqrt(variance / fmax(n / (double)s->plan.least, 1.0));
    const double residual = tau - torque_of(s, r, REST);
    const double band = band_of(s, r);
    const double usual = sqrt(fmax(s->usual[r], tau * tau));
    const double excess = fabs(residual) - band - sure * noise - rounding * usual;
    row->torque += tau * tau;
    row->square += residual * residual;
    row->worst = fmax(row->worst, fabs(residual));
    row->band += band;
    row->excess += excess > 0.0 ? excess * excess : 0.0;
    row->n_outside += excess > 0.0;
    now->residual[r] = residual;
    now->from[r] = s->from[r];
    if (s->end != TQ_NONE && is_news(s, now, r)) { /* with friction anywhere in its band */
        add_equation(s, r, residual, sqrt(band * band / 3.0 + noise * noise) + rounding * usual);
    }
}

static bool is_known(const tq_static_check *s, size_t r)
{
    return tq_fit_uses_row(s->fit, r) && (s->plan.row_is_used == NULL || s->plan.row_is_used[r]);
}

static tq_status end_pose(tq_static_check *s, tq_error *reterr)
{
    const tq_fit *fit = s->fit;
    const tq_fit_run *run = &s->run;
    const size_t nq = fit->mechanism->model.nq, nv = fit->n_row;
    const double n = (double)s->pose.n;
    if (s->pose.n == 0) {
        return TQ_OK;
    }
    for (unsigned lane = REST; lane < N_LANE; lane++) {
        for (size_t i = 0; i < nq; i++) {
            run->q[i * TQ_FOLD_RUN + lane] = s->pose.q[i] / n;
        }
        for (size_t r = 0; r < nv; r++) {
            run->qd[r * TQ_FOLD_RUN + lane] = 0.0;
            run->qdd[r * TQ_FOLD_RUN + lane] = s->pose.qdd[r] / n;
            run->tau[r * TQ_FOLD_RUN + lane] = s->pose.tau[r] / n;
            run->sign[r * TQ_FOLD_RUN + lane] = lane == SLIPPING ? 1.0 : 0.0;
        }
    }
    const tq_status status = tq_fit_run_compute(fit, run, N_LANE, s->value, reterr);
    if (status != TQ_OK) {
        return status;
    }
    kept_pose *kept = &s->kept[s->n_kept < POSES_KEPT ? s->n_kept : POSES_KEPT - 1];
    for (size_t i = 0; i < nq; i++) {
        kept->q[i] = s->pose.q[i] / n;
    }
    for (size_t r = 0; r < nv; r++) {
        if (is_known(s, r)) {
            judge_row(s, r, kept);
        } else {
            kept->residual[r] = 0.0;
            kept->from[r] = 0;
        }
    }
    if (s->n_kept < POSES_KEPT) {
        pair_up(s, kept);
        s->n_kept++;
    }
    s->n_pose++;
    clear_sums(fit, &s->pose);
    return TQ_OK;
}

/* ------------------------------------------------------------------------------------------------
 * Samples into chunks, chunks into poses
 */

static bool is_standing(const tq_static_check *s)
{
    const double n = (double)s->chunk.n;
    const double most = shaking * s->plan.moving;
    if (s->chunk.apart > creep) {
        return false;
    }
    for (size_t r = 0; r < s->fit->n_row; r++) {
        if (fabs(s->chunk.qd[r]) > n * s->plan.moving || s->chunk.qd_square[r] > n * most * most) {
            return false;
        }
    }
    return true;
}

static bool is_near(const tq_static_check *s)
{
    bool near = true;
    for (size_t i = 0; i < s->fit->mechanism->model.nq; i++) {
        near = near &&
               fabs(s->chunk.q[i] / (double)s->chunk.n - s->pose.q[i] / (double)s->pose.n) <= creep;
    }
    return near;
}

static void add_chunk(tq_static_check *s)
{
    for (size_t i = 0; i < s->fit->mechanism->model.nq; i++) {
        s->pose.q[i] += s->chunk.q[i];
    }
    for (size_t r = 0; r < s->fit->n_row; r++) {
        s->pose.qdd[r] += s->chunk.qdd[r];
        s->pose.tau[r] += s->chunk.tau[r];
        s->pose.tau_square[r] += s->chunk.tau_square[r];
    }
    s->pose.n += s->chunk.n;
}

static tq_status end_chunk(tq_static_check *s, tq_error *reterr)
{
    const bool is_pose = is_standing(s);
    tq_status status = TQ_OK;
    if (s->pose.n > 0 && (!is_pose || !is_near(s))) {
        status = end_pose(s, reterr);
    }
    for (size_t r = 0; !is_pose && r < s->fit->n_row; r++) { /* the direction of motion is the
                                                                side from which the joint comes
                                                                to rest */
        if (fabs(s->chunk.qd[r]) > (double)s->chunk.n * s->plan.moving) {
            s->from[r] = s->chunk.qd[r] > 0.0 ? 1 : -1;
        }
    }
    if (is_pose) {
        add_chunk(s);
    }
    clear_sums(s->fit, &s->chunk);
    return status;
}

static void add_sample(tq_static_check *s, const tq_experiment_block *block, size_t i)
{
    const double *raw = block->tau_raw != NULL ? block->tau_raw : block->tau;
    for (size_t k = 0; k < s->fit->mechanism->model.nq; k++) {
        const double q = block->q[k * block->stride + i];
        s->chunk.first[k] = s->chunk.n == 0 ? q : s->chunk.first[k];
        s->chunk.apart = fmax(s->chunk.apart, fabs(q - s->chunk.first[k]));
        s->chunk.q[k] += q;
    }
    for (size_t r = 0; r < s->fit->n_row; r++) {
        const size_t at = r * block->stride + i;
        s->chunk.qd[r] += block->qd[at];
        s->chunk.qd_square[r] += block->qd[at] * block->qd[at];
        s->chunk.qdd[r] += block->qdd[at];
        s->chunk.tau[r] += raw[at];
        s->chunk.tau_square[r] += raw[at] * raw[at];
    }
    s->chunk.n++;
}

tq_status tq_static_check_push(tq_static_check *s, const tq_experiment_block *block,
                               const double *t, tq_error *reterr)
{
    tq_status status = TQ_OK;
    for (size_t i = 0; status == TQ_OK && i < block->n_sample; i++) {
        const double step = t[i] - s->before;
        if (!isnan(s->before) && !(step > 0.0 && step < 1.5 * s->plan.period)) {
            status = tq_static_check_end(s, reterr); /* the side of approach is unknown */
            memset(s->from, 0, s->fit->n_row);
        }
        s->before = t[i];
        add_sample(s, block, i);
        if (status == TQ_OK && s->chunk.n == s->plan.least) {
            status = end_chunk(s, reterr);
        }
    }
    return status;
}

tq_status tq_static_check_end(tq_static_check *s, tq_error *reterr)
{
    const tq_status status = end_pose(s, reterr);
    clear_sums(s->fit, &s->chunk);
    return status;
}

/* Results */

tq_static_residual tq_static_check_of(const tq_static_check *s, size_t r)
{
    const row_sums *row = &s->rows[r];
    const double n = (double)s->n_pose;
    if (s->n_pose == 0 || !tq_fit_uses_row(s->fit, r)) {
        return (tq_static_residual){.torque = (double)NAN,
                                    .rmse = (double)NAN,
                                    .worst = (double)NAN,
                                    .band = (double)NAN,
                                    .excess = (double)NAN,
                                    .pair_rmse = (double)NAN,
                                    .relative = (double)NAN};
    }
    tq_static_residual ret = {.n_pose = s->n_pose,
                              .torque = sqrt(row->torque / n),
                              .rmse = sqrt(row->square / n),
                              .worst = row->worst,
                              .band = row->band / n,
                              .excess = sqrt(row->excess / n),
                              .n_outside = row->n_outside,
                              .n_pair = row->n_pair};
    ret.pair_rmse = row->n_pair > 0 ? sqrt(row->pair / (double)row->n_pair) : (double)NAN;
    const double of_pairs =
        row->n_pair >= PAIRS_LEAST ? sqrt(row->pair_excess / (double)row->n_pair) : 0.0;
    const double off = fmax(ret.excess, of_pairs);
    const double usual = fmax(ret.torque, sqrt(s->usual[r]));
    ret.relative = usual > 0.0 ? off / usual : (double)NAN;
    return ret;
}

static double mass_of_all(const tq_fit *fit)
{
    const tq_model *model = &fit->mechanism->model;
    double mass = 0.0;
    for (uint32_t k = 0; k < model->n_link; k++) {
        mass += model->links[k].inertia.mass;
    }
    return mass;
}

tq_static_residual_payload tq_static_check_payload(const tq_static_check *s)
{
    tq_static_residual_payload ret = {TQ_STATIC_RESIDUAL_BODILESS, TQ_NONE, (double)NAN,
                                      (double)NAN};
    if (s->end == TQ_NONE) {
        return ret;
    }
    ret.fault = s->n_equation < EQUATIONS_LEAST ? TQ_STATIC_RESIDUAL_FEW : TQ_STATIC_RESIDUAL_ALIKE;
    if (ret.fault == TQ_STATIC_RESIDUAL_FEW) {
        return ret;
    }
    const tq_model *model = &s->fit->mechanism->model;
    double gram[OF_BODY * OF_BODY];
    double right[OF_BODY];
    memcpy(gram, s->gram, sizeof gram);
    memcpy(right, s->right, sizeof right);
    for (unsigned k = 1; k < OF_BODY; k++) { /* a payload is within metres of the last joint */
        gram[(OF_BODY + 1) * k] +=
            1e-3 * gram[0] / (beyond_arm * beyond_arm) + DBL_MIN / DBL_EPSILON;
    }
    if (!(gram[0] > 0.0) || tq_cholesky_factor(OF_BODY, gram, OF_BODY, NULL) != TQ_OK ||
        tq_cholesky_solve(OF_BODY, 1, gram, OF_BODY, right, OF_BODY, NULL) != TQ_OK ||
        tq_cholesky_invert(OF_BODY, gram, OF_BODY, NULL) != TQ_OK) {
        return ret;
    }
    double left = s->left;
    for (unsigned k = 0; k < OF_BODY; k++) {
        left -= right[k] * s->right[k];
    }
    const double deviation =
        sqrt(gram[0] * fmax(left, 0.0) / (double)(s->n_equation - OF_BODY)) + DBL_MIN;
    if (deviation < mass_of_all(s->fit)) { /* else the poses are too similar */
        const uint32_t link = model->joints[model->order[s->end]].child;
        /* the link's columns are those of what is left of its weight: a payload has all its own */
        const double weighs = 1.0 - model->links[link].gravity_compensation;
        ret = (tq_static_residual_payload){TQ_STATIC_RESIDUAL_FOUND, link, weighs * right[0],
                                           fabs(weighs) * deviation};
    }
    return ret;
}

tq_static_equations tq_static_check_equations(const tq_static_check *s)
{
    tq_static_equations ret = {.n = s->n_equation, .left = s->left};
    memcpy(ret.gram, s->gram, sizeof ret.gram);
    memcpy(ret.right, s->right, sizeof ret.right);
    return ret;
}

void tq_static_check_carrier(tq_static_check *s, uint32_t at)
{
    s->end = at;
}

void tq_static_check_judge(const tq_static_check *s, tq_verdict_report *report)
{
    for (size_t r = 0; r < s->fit->n_row; r++) {
        const tq_static_residual at_rest = tq_static_check_of(s, r);
        if (at_rest.relative > error_reported) {
            const tq_verdict verdict = at_rest.relative >= error_incomplete ? TQ_VERDICT_INCOMPLETE
                                       : at_rest.relative >= error_robust
                                           ? TQ_VERDICT_ROBUST_CONTROL_ONLY
                                           : TQ_VERDICT_USABLE;
            tq_verdict_add(report, verdict, (tq_reason){TQ_REASON_GRAVITY, r, at_rest.relative});
        }
    }
    const tq_static_residual_payload body = tq_static_check_payload(s);
    if (fabs(body.mass) > fmax(sure * body.deviation, mass_reported * mass_of_all(s->fit))) {
        tq_verdict_add(report, TQ_VERDICT_USABLE,
                       (tq_reason){TQ_REASON_PAYLOAD, body.link, body.mass});
    }
}

void tq_static_check_archive(tq_static_check *s, tq_archive *archive)
{
    const size_t nq = s->fit->mechanism->model.nq, nv = s->fit->n_row;
    tq_archive_bytes(archive, s->rows, nv * sizeof *s->rows);
    tq_archive_bytes(archive, &s->n_pose, sizeof s->n_pose);
    tq_archive_bytes(archive, &s->n_kept, sizeof s->n_kept);
    tq_archive_bytes(archive, &s->n_equation, sizeof s->n_equation);
    tq_archive_doubles(archive, s->gram, (size_t)OF_BODY * OF_BODY);
    tq_archive_doubles(archive, s->right, OF_BODY);
    tq_archive_doubles(archive, &s->left, 1);
    for (size_t k = 0; k < s->n_kept && k < POSES_KEPT; k++) {
        tq_archive_doubles(archive, s->kept[k].q, nq);
        tq_archive_doubles(archive, s->kept[k].residual, nv);
        tq_archive_bytes(archive, s->kept[k].from, nv);
    }
}
