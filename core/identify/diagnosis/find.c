/* SPDX-License-Identifier: Apache-2.0 */
/* core/identify/diagnosis/find.c - the search: in each round all faults are tried, the one that
 * reduces S most is accepted, and the next round tries the others in addition. */
#include <math.h>
#include <string.h>

#include "core/elementary/elementary.h"
#include "core/identify/diagnosis/search.h"

enum { ROUNDS = 3, SUBSETS_OF = 6 };
/* residual over torque of a row: above it signs and exchanged columns are tried */
static const double poor = 0.05;
static const double least_angle = 0.009, most_angle = 0.8; /* rad; a larger tilt is not plausible */
static const double least_scale = 0.14;                    /* |log factor| of a joint's torque */
static const double farthest = 1.0;                        /* m, distance of a payload's centre */
/* |log factor|: beyond it the row is fitted without the others */
static const double most_scale = 7.7;
static const double gross_part = 0.10; /* part of a row's torque that a fault explains */
static const double gross_gain = 0.5;  /* nats that a fault explains */
/* nats by which a fault must reduce S: 0.15 is a quarter of the squared residual of one joint */
static const double price_column = 0.15, price_exchange = 0.12, price_of_run = 0.04;
static const double price_joint = 0.02;
static const double least_friction = 0.1; /* of the mean friction: bounds the ratio */
static const double partly = 0.25;
static const double hint = 0.01; /* nats */
/* Noise of accelerations is in the columns. Where it has this share of their mean square, a fault
 * that explains less than price_noise may be its doing. */
static const double noisy = 0.1, price_noise = 0.5;

static void consider(tq_search *s, double gain, double price, const tq_finding *finding)
{
    if (gain - price - s->price_noise > s->best) {
        s->best = gain - price - s->price_noise;
        s->finding = *finding;
        s->finding.explained = gain;
        s->change = s->trial;
    }
}

/* of one row, or of all: SIZE_MAX */
static void set_gain(tq_search *s, size_t row, uint64_t runs, double factor)
{
    for (size_t e = 0; e < s->d->n_run; e++) {
        for (size_t r = 0; r < s->d->nv; r++) {
            const bool is_in = (runs == 0 || tq_is_in(runs, e)) && (row == r || row == SIZE_MAX);
            s->d->gain[e * s->d->nv + r] *= is_in ? factor : 1.0;
        }
    }
}

static void exchange(tq_search *s, size_t a, size_t b, uint64_t runs)
{
    for (size_t e = 0; e < s->d->n_run; e++) {
        if (runs == 0 || tq_is_in(runs, e)) {
            uint32_t *response = s->d->response + e * s->d->nv;
            const uint32_t before = response[a];
            response[a] = response[b];
            response[b] = before;
        }
    }
}

/* applies the change of a trial, or takes it back */
static void apply(tq_search *s, const tq_change *c, bool back)
{
    if (c->factor != 1.0) {
        set_gain(s, c->row, c->runs, back ? 1.0 / c->factor : c->factor);
    }
    if (c->other != SIZE_MAX) {
        exchange(s, c->row, c->other, c->runs);
    }
    if (back) {
        s->h.n_extra -= c->n_extra;
    }
    for (size_t k = 0; !back && k < c->n_extra; k++) {
        s->h.extra[s->h.n_extra++] =
            (tq_extra){c->kind, c->width, c->n_extra > 1 ? k : c->row, c->extra_runs};
    }
}

/* S without less S with the trial, fitted with row `doubtful` down-weighted first */
static double explained_beside(tq_search *s, size_t doubtful)
{
    const size_t columns = tq_extra_column(s->d, &s->h, s->h.n_extra) - s->d->fit->n_column;
    if (s->h.n_extra + s->trial.n_extra > TQ_EXTRA_MAX ||
        columns + s->trial.n_extra * s->trial.width > TQ_EXTRA_COLUMNS) {
        return -(double)INFINITY;
    }
    apply(s, &s->trial, false);
    const double left = tq_hypothesis_fit_beside(s->d, &s->h, doubtful);
    apply(s, &s->trial, true);
    return s->left - left;
}

static double explained(tq_search *s)
{
    return explained_beside(s, SIZE_MAX);
}

/* S without a trial, the least of its local minima; d->sigma is that of the least */
static double fit_plain(tq_search *s)
{
    size_t best = SIZE_MAX;
    double least = tq_hypothesis_fit(s->d, &s->h);
    for (size_t r = 0; r < s->d->nv && s->d->nv > 1; r++) {
        const double left = tq_hypothesis_fit_beside(s->d, &s->h, r);
        best = left < least ? r : best;
        least = fmin(left, least);
    }
    return best == SIZE_MAX ? tq_hypothesis_fit(s->d, &s->h)
                            : tq_hypothesis_fit_beside(s->d, &s->h, best);
}

static uint32_t joint_of(const tq_search *s, size_t r)
{
    const tq_model *model = &s->d->fit->mechanism->model;
    for (uint32_t j = 0; j < model->n_joint; j++) {
        if (model->joints[j].nv == 1 && model->joints[j].v_index == r) {
            return j;
        }
    }
    return TQ_NONE;
}

static tq_change nothing(size_t row)
{
    return (tq_change){.row = row, .other = SIZE_MAX, .factor = 1.0, .extra_runs = ~(uint64_t)0};
}

static size_t run_count(const tq_search *s)
{
    return s->d->n_run < TQ_FINDING_RUNS ? s->d->n_run : (size_t)TQ_FINDING_RUNS;
}

/* Before other faults: residuals, by which these are searched for, may be small in spite of it. */
static void turn_all(tq_search *s, tq_finding *findings, size_t *n)
{
    tq_finding found = {0};
    if (!tq_search_turned(s->d, &found)) {
        return;
    }
    found.joint = s->d->nv == 1 ? joint_of(s, 0) : TQ_NONE;
    s->trial = nothing(SIZE_MAX);
    s->trial.runs = found.runs;
    s->trial.factor = -1.0;
    apply(s, &s->trial, false);
    const double left = fit_plain(s);
    found.explained = fmax(s->left - left, 0.0); /* as the data may fit as well the other way */
    s->left = left;
    findings[(*n)++] = found;
}

/* all recordings, then each of several */
static void try_exchanges(tq_search *s)
{
    const size_t n_run = s->d->n_run > 1 ? run_count(s) : 0;
    for (size_t e = 0; e <= n_run; e++) {
        const uint64_t runs = e == 0 ? 0 : (uint64_t)1 << (e - 1);
        const double price = price_exchange + (e == 0 ? 0.0 : price_of_run);
        for (size_t r = 0; r < s->d->nv; r++) {
            tq_finding found = {TQ_FINDING_TORQUE_SIGN, joint_of(s, r),  TQ_NONE, runs,
                                .size = -1.0,           .is_gross = true};
            s->trial = nothing(r);
            s->trial.runs = runs;
            s->trial.factor = -1.0;
            consider(s, fmax(explained(s), explained_beside(s, r)), price, &found);
            found.kind = TQ_FINDING_TORQUE_SWAP;
            s->trial.factor = 1.0;
            for (size_t other = r + 1; other < s->d->nv; other++) {
                s->trial.other = other;
                found.other = joint_of(s, other);
                consider(s, explained(s), price, &found);
            }
        }
    }
}

/* True if some factor of row r explains at least `hint` more than factor 1. */
static bool agrees_better(tq_search *s, size_t r)
{
    static const double steps[] = {0.14, -0.14, 3.4, -3.4};
    double most = -(double)INFINITY;
    for (size_t k = 0; k < sizeof steps / sizeof steps[0]; k++) {
        s->trial.factor = tq_exp(steps[k]);
        most = fmax(most, explained_beside(s, r));
    }
    s->trial.factor = 1.0;
    return most > explained_beside(s, r) + hint;
}

/* minimum of S over log factor: a scan with ratio 3, then golden section */
static void try_scales(tq_search *s)
{
    static const double golden = 0.6180339887498949;
    for (size_t r = 0; r < s->d->nv && s->d->nv > 1; r++) {
        const double step = tq_log(3.0);
        double best = 0.0, most = -(double)INFINITY;
        s->trial = nothing(r);
        if (!agrees_better(s, r)) {
            continue;
        }
        for (int k = -8; k <= 7; k++) {
            s->trial.factor = tq_exp(step * (double)k + 0.3 * step);
            const double gain = explained_beside(s, r);
            best = gain > most ? step * (double)k + 0.3 * step : best;
            most = fmax(gain, most);
        }
        double low = best - step, high = best + step;
        for (unsigned k = 0; k < 8; k++) {
            const double a = high - golden * (high - low), b = low + golden * (high - low);
            s->trial.factor = tq_exp(a);
            const double of_a = explained_beside(s, r);
            s->trial.factor = tq_exp(b);
            const double of_b = explained_beside(s, r);
            low = of_a > of_b ? low : a;
            high = of_a > of_b ? b : high;
        }
        if (fabs(best) > most_scale) {
            continue;
        }
        s->trial.factor = tq_exp(0.5 * (low + high));
        const tq_finding found = {TQ_FINDING_TORQUE_SCALE, joint_of(s, r),  TQ_NONE, 0,
                                  .size = s->trial.factor, .is_gross = true};
        if (fabs(tq_log(s->trial.factor)) > least_scale) {
            consider(s, explained_beside(s, r), price_exchange + price_joint, &found);
        }
    }
}

/* the largest fraction of a row's torque that the trial's columns explain */
static double part_of(tq_search *s)
{
    double part = 0.0;
    for (size_t r = 0; r < s->d->nv; r++) {
        for (size_t k = s->h.n_extra - s->trial.n_extra; k < s->h.n_extra; k++) {
            part = fmax(part, tq_extra_effect(s->d, &s->h, k, r) / s->d->usual[r]);
        }
    }
    return part;
}

/* Fits the trial's columns: ret_theta their values; returns the nats they explain. */
static double fit_columns(tq_search *s, tq_finding *found, double *ret_theta)
{
    const size_t columns = tq_extra_column(s->d, &s->h, s->h.n_extra) - s->d->fit->n_column;
    if (s->h.n_extra + s->trial.n_extra > TQ_EXTRA_MAX ||
        columns + s->trial.n_extra * s->trial.width > TQ_EXTRA_COLUMNS) {
        return -(double)INFINITY;
    }
    apply(s, &s->trial, false);
    const double gain = s->left - tq_hypothesis_fit(s->d, &s->h);
    const size_t at = tq_extra_column(s->d, &s->h, s->h.n_extra - s->trial.n_extra);
    memcpy(ret_theta, s->d->theta + at, s->trial.n_extra * s->trial.width * sizeof *ret_theta);
    found->is_gross = isfinite(gain) && gain > gross_gain && part_of(s) > gross_part;
    apply(s, &s->trial, true);
    return gain;
}

static void try_gravity(tq_search *s)
{
    tq_finding found = {TQ_FINDING_GRAVITY, TQ_NONE, TQ_NONE, 0, .size = 0.0};
    double theta[TQ_EXTRA_COLUMNS] = {0};
    const double *g = s->d->fit->mechanism->model.gravity;
    s->trial = nothing(SIZE_MAX);
    s->trial.kind = TQ_EXTRA_GRAVITY;
    s->trial.width = 2;
    s->trial.n_extra = 1;
    const double gain = fit_columns(s, &found, theta);
    found.size = tq_atan2(sqrt(theta[0] * theta[0] + theta[1] * theta[1]), 1.0);
    double norm = 0.0;
    for (unsigned k = 0; k < 3; k++) {
        found.vector[k] = g[k] + theta[0] * s->d->across[0][k] + theta[1] * s->d->across[1][k];
        norm += found.vector[k] * found.vector[k];
    }
    for (unsigned k = 0; k < 3 && norm > 0.0; k++) {
        found.vector[k] /= sqrt(norm);
    }
    if (found.size > least_angle && found.size < most_angle && !s->is_level) {
        consider(s, gain, price_column, &found);
    }
}

/* Not where the last link is carried: its columns are of another weight than a payload's. */
static void try_payload(tq_search *s)
{
    const tq_model *model = &s->d->fit->mechanism->model;
    if (model->links[model->joints[model->order[s->d->tip]].child].gravity_compensation != 0.0) {
        return;
    }
    const size_t n = s->d->n_run;
    const uint64_t all = n < TQ_FINDING_RUNS ? ((uint64_t)1 << n) - 1 : ~(uint64_t)0;
    const uint64_t end = n > SUBSETS_OF ? run_count(s) : (uint64_t)1 << (n - 1);
    for (uint64_t k = n > SUBSETS_OF ? 0 : 1; n > 1 && k < end; k++) {
        double theta[TQ_EXTRA_COLUMNS] = {0};
        const uint64_t runs = n > SUBSETS_OF ? (uint64_t)1 << k : k;
        tq_finding found = {TQ_FINDING_PAYLOAD, TQ_NONE, TQ_NONE, runs, .size = 0.0};
        s->trial = nothing(SIZE_MAX);
        s->trial.kind = TQ_EXTRA_PAYLOAD;
        s->trial.width = 4;
        s->trial.n_extra = 1;
        s->trial.extra_runs = runs;
        const double gain = fit_columns(s, &found, theta);
        found.size = fabs(theta[0]);
        found.runs = theta[0] < 0.0 ? all & ~runs : runs;
        for (unsigned c = 0; c < 3; c++) {
            found.vector[c] = theta[1 + c] / theta[0];
        }
        const double *at = found.vector;
        if (at[0] * at[0] + at[1] * at[1] + at[2] * at[2] < farthest * farthest) {
            consider(s, gain, price_column, &found);
        }
    }
}

static double viscous_of(const tq_search *s, size_t r)
{
    const tq_fit_row *row = &s->d->fit->rows[r];
    for (size_t c = 0; c < row->n; c++) {
        const tq_column *column = &s->d->fit->columns[row->column[c]];
        if (column->kind == TQ_COLUMN_PARAMETER && column->parameter.kind == TQ_PARAMETER_VISCOUS) {
            return s->d->solution->value[row->column[c]];
        }
    }
    return 0.0;
}

/* viscous friction at the end over that at the start, for a mean and a change */
static double ratio_of(double middle, double change)
{
    const double start = middle - 0.5 * change, end = middle + 0.5 * change;
    return fmax(end, 0.0) / fmax(start, least_friction * fabs(middle));
}

static void try_friction(tq_search *s)
{
    const size_t nv = s->d->nv, n_run = s->d->n_run > 1 ? run_count(s) : 0;
    double theta[TQ_EXTRA_COLUMNS] = {0};
    double length = 0.0;
    for (size_t e = 0; e < s->d->n_run; e++) {
        length = fmax(length, s->d->length[e]);
    }
    for (size_t r = 0; r <= nv; r++) { /* each joint, then all */
        tq_finding found = {TQ_FINDING_FRICTION, r < nv ? joint_of(s, r) : TQ_NONE, TQ_NONE, 0,
                            .size = 0.0};
        s->trial = nothing(r);
        s->trial.kind = TQ_EXTRA_DRIFT;
        s->trial.width = 1;
        s->trial.n_extra = r < nv ? 1 : nv;
        if (r == nv && nv == 1) {
            break;
        }
        double gain = fit_columns(s, &found, theta);
        const size_t at = r < nv ? r : 0;
        found.size = ratio_of(viscous_of(s, at), theta[0] * length);
        consider(s, gain, price_column + (r < nv ? 0.0 : price_joint * (double)nv), &found);
        for (size_t e = 0; r < nv && e < n_run; e++) {
            found.kind = TQ_FINDING_FRICTION_OF_RUN;
            found.runs = s->trial.extra_runs = (uint64_t)1 << e;
            s->trial.kind = TQ_EXTRA_RATE;
            gain = fit_columns(s, &found, theta);
            found.size = ratio_of(viscous_of(s, r) + 0.5 * theta[0], theta[0]);
            consider(s, gain, price_column + price_of_run, &found);
        }
    }
}

/* the largest ratio of residual deviation to torque of a row */
static double worst_of(const tq_diagnosis *d)
{
    double worst = 0.0;
    for (size_t r = 0; r < d->nv; r++) {
        worst = fmax(worst, d->sigma[r] / d->usual[r]);
    }
    return worst;
}

static void find_usual(tq_diagnosis *d)
{
    for (size_t r = 0; r < d->nv; r++) {
        const size_t width = tq_diagnosis_width(d, r);
        const size_t tau = d->fit->rows[r].n + r;
        double square = 0.0, n = 0.0;
        for (size_t e = 0; e < d->n_run; e++) {
            square += d->sets[e * d->set_size + d->at[r] + tau * width + tau];
            n += d->count[e];
            d->gain[e * d->nv + r] = 1.0;
            d->response[e * d->nv + r] = (uint32_t)r;
        }
        d->usual[r] = square > 0.0 ? sqrt(square / fmax(n, 1.0)) : 1.0;
    }
}

/* nats that noise of accelerations, of variance (n_run x nv), may explain by itself: of samples, or
 * of means over windows */
static double price_of_noise(const tq_diagnosis *d, const double *variance, bool of_means)
{
    const size_t nv = d->nv, nq = d->fit->mechanism->model.nq;
    double share = 0.0, n = 0.0;
    for (size_t r = 0; r < nv; r++) {
        if (!tq_is_moved(d, r)) {
            continue;
        }
        double noise = 0.0, square = 0.0, count = 0.0;
        for (size_t e = 0; e < d->n_run; e++) {
            noise += d->count[e] * variance[e * nv + r];
            count += d->count[e];
        }
        noise *= of_means ? d->window.noise : 1.0;
        square = of_means ? d->square[r] / fmax(d->n_window, 1.0) : 0.0;
        for (size_t i = 0; !of_means && i < d->n_kept; i++) {
            const double qdd = d->kept[i * (nq + 3 * nv) + nq + nv + r];
            square += qdd * qdd / (double)d->n_kept;
        }
        share += square > 0.0 ? noise / (count * square) : 0.0;
        n += 1.0;
    }
    return share > noisy * n ? price_noise : 0.0;
}

/* A recording with parameters of its own is listed before faults of single recordings of which it
 * explains a quarter or more, and before those of all of which it explains more than the whole: of
 * another robot in one of them some is a scale of a joint. */
static void put_runs(const tq_finding *runs, tq_finding *findings, size_t *n)
{
    size_t at = *n;
    while (at > 0 && runs->explained >
                         (findings[at - 1].runs != 0 ? partly : 1.0) * findings[at - 1].explained) {
        findings[at] = findings[at - 1];
        at--;
    }
    findings[at] = *runs;
    (*n)++;
}

tq_status tq_diagnosis_find(tq_diagnosis *d, const double *variance, tq_finding *ret_findings,
                            size_t room, size_t *ret_n, tq_error *reterr)
{
    tq_search s = {.d = d, .h = {.runs = ~(uint64_t)0}};
    tq_status status = TQ_OK;
    *ret_n = 0;
    find_usual(d);
    tq_diagnosis_sum_blocks(d);
    if (2 * tq_moved_count(d) <= d->nv) { /* too few joints move: at rest all hypotheses fit */
        return TQ_OK;
    }
    s.price_kept = price_of_noise(d, variance, false);
    s.price_noise = d->n_window > 0.0 ? price_of_noise(d, variance, true) : s.price_kept;
    s.left = fit_plain(&s);
    if (!isfinite(s.left)) {
        return TQ_OK;
    }
    if (room > 0) {
        turn_all(&s, ret_findings, ret_n);
    }
    tq_finding scale = {0};
    if (*ret_n < room && tq_search_units(d, &scale)) {
        ret_findings[(*ret_n)++] = scale;
    }
    for (unsigned round = 0; round < ROUNDS && *ret_n < room; round++) {
        s.best = 0.0;
        s.finding.explained = 0.0;
        const bool is_poor = worst_of(d) > poor;
        if (is_poor && d->nv >= 1) {
            try_exchanges(&s);
        }
        try_scales(&s);
        try_gravity(&s);
        try_payload(&s);
        try_friction(&s);
        if (is_poor && round == 0) {
            status = tq_search_positions(&s, reterr);
        }
        if (!(s.best > 0.0) || status != TQ_OK) {
            break;
        }
        if (s.finding.kind == TQ_FINDING_GRAVITY) {
            status = tq_search_tilt(d, &s.finding, reterr);
            s.is_level = s.finding.size < least_angle;
        }
        if (status == TQ_OK && s.finding.kind == TQ_FINDING_GRAVITY && s.is_level) {
            continue;
        }
        ret_findings[(*ret_n)++] = s.finding;
        if (status != TQ_OK || s.finding.kind == TQ_FINDING_POSITION_SWAP) {
            /* the sums hold positions as recorded: further faults cannot be tried */
            return status;
        }
        apply(&s, &s.change, false);
        s.left = fit_plain(&s);
    }
    if (status == TQ_OK && *ret_n < room && tq_search_runs(&s, &s.finding)) {
        put_runs(&s.finding, ret_findings, ret_n);
    }
    return status;
}
