/* SPDX-License-Identifier: Apache-2.0 */
/* core/signal/filter_rows.c - the uniform samples of a window, filtered; derivatives that were not
 * recorded. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "core/signal/differentiate.h"
#include "core/signal/pass_private.h"
#include "core/signal/pose/pose_rates.h"

void tq_filter_pass(tq_pass *p, const tq_filter *filter, tq_filter_ends ends, size_t m,
                    size_t n_row, double *rows)
{
    tq_scratch scratch;
    tq_scratch_init(&scratch, p->memory, p->memory_size);
    const size_t settle = tq_filter_settling_length(filter);
    tq_filter own = *filter;
    own.ends = ends;
    const tq_status status = tq_filter_zero_phase_rows(&own, settle < m ? settle : m - 1, m, n_row,
                                                       rows, p->n_uniform, &scratch, NULL);
    (void)status; /* the shapes are valid and the scratch is large enough */
}

static void zero_phase(tq_pass *p, tq_filter_ends ends, size_t m, size_t n_row, double *rows)
{
    tq_filter_pass(p, &p->plan.filter, ends, m, n_row, rows);
}

static void smooth(tq_pass *p, unsigned derivative, size_t m, const double *x, double *ret)
{
    const tq_recording_filter *filter = &p->options->filter;
    tq_scratch scratch;
    assert(x != NULL);
    tq_scratch_init(&scratch, p->memory, p->memory_size);
    const size_t odd = m % 2 == 1 ? m : m - 1;
    const tq_window window = {filter->window < odd ? filter->window : odd, filter->degree,
                              derivative, p->recording->step};
    if (tq_smooth(&window, m, x, ret, &scratch, NULL) != TQ_OK) {
        memcpy(ret, x, m * sizeof *x); /* eight samples and a degree of nine */
    }
}

/* Beyond the ends of a segment torque is to be that of the motion there. A break of slope would be
 * an impulse of what is differentiated after the filter, so that continues oddly. All else is
 * mirrored: rates of odd positions are mirrored too, hence friction, and the torque beyond does
 * not hang on a single value, which a jerk or noise moves. */
tq_filter_ends tq_filter_ends_of(const tq_pass *p, tq_quantity quantity)
{
    const bool is_differentiated = (quantity == TQ_QUANTITY_Q && !tq_pass_gives_rates(p)) ||
                                   (quantity == TQ_QUANTITY_QD && !tq_pass_has(p, TQ_QUANTITY_QDD));
    return is_differentiated ? TQ_ENDS_ODD : TQ_ENDS_EVEN;
}

/* Filters all recorded channels by the same filter, but those of unknown gains, the last ones:
 * parallel rows are made of them. */
static void filter_channels(tq_pass *p, size_t m)
{
    const tq_smoothing kind = p->options->filter.kind;
    if (kind != TQ_SMOOTHING_BUTTERWORTH && kind != TQ_SMOOTHING_FIRST_ORDER) {
        return;
    }
    for (tq_quantity q = 0; q < TQ_QUANTITIES; q++) {
        const size_t n = q == TQ_QUANTITY_Q ? p->options->model->nq : p->options->model->nv;
        if (tq_pass_has(p, q)) {
            zero_phase(p, tq_filter_ends_of(p, q), m, n, tq_pass_channel(p, q, 0));
        }
    }
}

/* The parabola that the samples bend by, without its line: ret(i) = c x^2, x from -1 to 1. */
static void fit_bend(size_t m, const double *x, double *ret)
{
    const double half = 0.5 * (double)(m - 1);
    double mean = 0.0, both = 0.0, square = 0.0;
    for (size_t i = 0; i < m; i++) {
        const double u = ((double)i - half) / half;
        mean += u * u / (double)m;
    }
    for (size_t i = 0; i < m; i++) {
        const double u = ((double)i - half) / half, of = u * u - mean;
        both += of * x[i];
        square += of * of;
    }
    for (size_t i = 0; i < m; i++) {
        const double u = ((double)i - half) / half;
        ret[i] = both / square * u * u;
    }
}

/* Adds `sign` times the bend of each floating joint's positions to them. A filter continues signals
 * beyond their ends as lines: of a fall it would see the acceleration of gravity end there. */
static void add_bends(tq_pass *p, size_t m, double sign)
{
    const tq_model *model = p->options->model;
    for (uint32_t j = 0; !tq_pass_has(p, TQ_QUANTITY_QDD) && j < model->n_joint; j++) {
        const tq_joint *joint = &model->joints[j];
        for (size_t k = 0; joint->kind == TQ_JOINT_FLOATING && k < 3; k++) {
            double *x = tq_pass_channel(p, TQ_QUANTITY_Q, joint->q_index + k);
            double *bend = p->derived + (model->nv + joint->v_index + k) * p->n_uniform;
            if (sign < 0.0) {
                fit_bend(m, x, bend);
            }
            for (size_t i = 0; i < m; i++) {
                x[i] += sign * bend[i];
            }
        }
    }
}

static void smooth_row(tq_pass *p, tq_quantity quantity, size_t r, size_t m)
{
    double *x = tq_pass_channel(p, quantity, r);
    double *copy = p->derived + 2 * p->options->model->nv * p->n_uniform;
    memcpy(copy, x, m * sizeof *x);
    smooth(p, 0, m, copy, x);
}

/* The joint of row r of the rates. */
static const tq_joint *joint_of_row(const tq_pass *p, size_t r)
{
    const tq_model *model = p->options->model;
    for (uint32_t j = 0; j < model->n_joint; j++) {
        const tq_joint *joint = &model->joints[j];
        if (r >= joint->v_index && r < (size_t)joint->v_index + joint->nv) {
            return joint;
        }
    }
    return NULL;
}

/* Row r of the rates: recorded, or NULL: by the slope of ret_slope's row of positions. */
static double *rates_of(const tq_pass *p, size_t r, size_t *ret_slope)
{
    const tq_joint *joint = joint_of_row(p, r);
    *ret_slope = joint != NULL ? joint->q_index + (r - joint->v_index) : r;
    return tq_pass_has(p, TQ_QUANTITY_QD) ? tq_pass_channel(p, TQ_QUANTITY_QD, r) : NULL;
}

/* True of rates that have no position of their own: of joints with quaternions. */
static bool is_of_pose(const tq_pass *p, size_t r)
{
    const tq_joint *joint = joint_of_row(p, r);
    return joint != NULL && tq_has_quaternion(joint);
}

static tq_pose_samples pose_of(const tq_pass *p, const tq_joint *joint, size_t m)
{
    return (tq_pose_samples){
        .n = m,
        .stride = p->n_uniform,
        .quaternion = tq_pass_channel(p, TQ_QUANTITY_Q, tq_quaternion_row(joint)),
    };
}

/* Recorded linear velocities of floating joints into the axes of the world, to be filtered
 * there. */
static void turn_velocities(tq_pass *p, size_t m)
{
    const tq_model *model = p->options->model;
    for (uint32_t j = 0; tq_pass_turns(p) && j < model->n_joint; j++) {
        const tq_joint *joint = &model->joints[j];
        if (joint->kind == TQ_JOINT_FLOATING) {
            const tq_pose_samples pose = pose_of(p, joint, m);
            tq_pose_to_parent(&pose, tq_pass_channel(p, TQ_QUANTITY_QD, joint->v_index));
        }
    }
}

/* x -= w x v of n samples, rows `stride` apart */
static void subtract_cross(size_t n, size_t stride, const double *w, const double *v, double *x)
{
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < 3; k++) {
            const size_t a = (k + 1) % 3 * stride + i, b = (k + 2) % 3 * stride + i;
            x[k * stride + i] -= w[a] * v[b] - w[b] * v[a];
        }
    }
}

/* Velocity v and acceleration a of a floating joint's origin along the axes of the child; w: its
 * angular velocity. Differences are taken in the world, where a fall of seconds is smooth: in the
 * turning axes dv/dt and w x v are large and cancel, which filtered factors do not. */
static void find_linear(tq_pass *p, const tq_joint *joint, size_t m, double *v, double *a)
{
    const size_t room = p->n_uniform;
    const tq_pose_samples pose = pose_of(p, joint, m);
    for (size_t k = 0; k < 3; k++) {
        if (!tq_pass_gives_rates(p)) {
            tq_difference(m, tq_pass_channel(p, TQ_QUANTITY_Q, joint->q_index + k),
                          p->recording->step, v + k * room);
        }
        tq_difference(m, v + k * room, p->recording->step, a + k * room);
    }
    tq_pose_to_child(&pose, v);
    tq_pose_to_child(&pose, a);
    subtract_cross(m, room, v + 3 * room, v, a);
}

/* Rates and accelerations of joints with quaternions, from filtered poses and recorded rates. */
static void find_twists(tq_pass *p, size_t m)
{
    const tq_model *model = p->options->model;
    const size_t room = p->n_uniform;
    for (uint32_t j = 0; !tq_pass_has(p, TQ_QUANTITY_QDD) && j < model->n_joint; j++) {
        const tq_joint *joint = &model->joints[j];
        size_t ignored = 0;
        if (!tq_has_quaternion(joint)) {
            continue;
        }
        const size_t n_linear = joint->nv - 3;
        const tq_pose_samples pose = pose_of(p, joint, m);
        double *own = rates_of(p, joint->v_index, &ignored);
        double *v = own != NULL ? own : p->derived + joint->v_index * room;
        double *a = p->derived + (model->nv + joint->v_index) * room;
        if (!tq_pass_gives_rates(p)) {
            tq_pose_rates(&pose, p->recording->step, v + n_linear * room);
        }
        for (size_t k = n_linear; k < joint->nv; k++) {
            tq_difference(m, v + k * room, p->recording->step, a + k * room);
        }
        if (n_linear > 0) {
            find_linear(p, joint, m, v, a);
        }
    }
}

/* Velocity and acceleration by a Savitzky-Golay filter, of unfiltered signals. */
static void derive_smoothly(tq_pass *p, size_t r, size_t m, double *qd, double *qdd)
{
    size_t slope = 0;
    const double *from = rates_of(p, r, &slope);
    const double *q = tq_pass_channel(p, TQ_QUANTITY_Q, slope);
    if (!tq_pass_has(p, TQ_QUANTITY_QDD)) {
        smooth(p, from != NULL ? 1 : 2, m, from != NULL ? from : q, qdd);
    }
    if (from == NULL) {
        smooth(p, 1, m, q, qd);
    }
}

/* Computes velocity and acceleration if they were not recorded; those of poses follow. */
static void derive(tq_pass *p, size_t m)
{
    const size_t nv = p->options->model->nv;
    const tq_smoothing kind = p->options->filter.kind;
    const double h = p->recording->step;
    for (size_t r = 0; r < nv; r++) {
        double *qd = p->derived + r * p->n_uniform;
        double *qdd = p->derived + (nv + r) * p->n_uniform;
        size_t slope = 0;
        const double *v = rates_of(p, r, &slope);
        if (is_of_pose(p, r)) {
            continue;
        }
        if (kind == TQ_SMOOTHING_SAVITZKY_GOLAY) {
            derive_smoothly(p, r, m, qd, qdd);
            continue;
        }
        if (v == NULL) {
            tq_difference(m, tq_pass_channel(p, TQ_QUANTITY_Q, slope), h, qd);
            if (kind == TQ_SMOOTHING_FIRST_ORDER) { /* once for each derivative */
                zero_phase(p, tq_filter_ends_of(p, TQ_QUANTITY_QD), m, 1, qd);
            }
            v = qd;
        }
        if (!tq_pass_has(p, TQ_QUANTITY_QDD)) {
            tq_difference(m, v, h, qdd);
        }
    }
}

/* A quaternion filtered or interpolated component by component is slightly shorter than 1. */
static void renormalise(tq_pass *p, size_t m)
{
    const tq_model *model = p->options->model;
    for (uint32_t j = 0; j < model->n_joint; j++) {
        if (!tq_has_quaternion(&model->joints[j])) {
            continue;
        }
        double *x = tq_pass_channel(p, TQ_QUANTITY_Q, tq_quaternion_row(&model->joints[j]));
        for (size_t i = 0; i < m; i++) {
            double square = 0.0;
            for (size_t k = 0; k < 4; k++) {
                square += x[k * p->n_uniform + i] * x[k * p->n_uniform + i];
            }
            const double length = square > 0.0 ? sqrt(square) : 1.0;
            for (size_t k = 0; k < 4; k++) {
                x[k * p->n_uniform + i] /= length;
            }
        }
    }
}

/* The unfiltered acceleration. */
static void find_raw_acceleration(tq_pass *p, size_t m)
{
    const size_t nv = p->options->model->nv;
    const double h = p->recording->step;
    for (size_t r = 0; r < nv; r++) {
        double *a = p->fast + r * p->n_uniform;
        double *v = p->fast + (nv + r) * p->n_uniform;
        size_t slope = 0;
        const double *rates = rates_of(p, r, &slope);
        if (tq_pass_has(p, TQ_QUANTITY_QDD)) {
            memcpy(a, tq_pass_channel(p, TQ_QUANTITY_QDD, r), m * sizeof *a);
        } else if (is_of_pose(p, r)) {
            memset(a, 0, m * sizeof *a); /* none: see find_fast */
        } else if (rates != NULL) {
            tq_difference(m, rates, h, a);
        } else {
            tq_difference(m, tq_pass_channel(p, TQ_QUANTITY_Q, slope), h, v);
            tq_difference(m, v, h, a);
        }
    }
}

/* fast = raw - filtered acceleration, and its derivative. */
static void find_fast(tq_pass *p, size_t m)
{
    const size_t nv = p->options->model->nv;
    for (size_t r = 0; r < nv; r++) {
        double *a = p->fast + r * p->n_uniform;
        if (!tq_pass_has(p, TQ_QUANTITY_QDD) && is_of_pose(p, r)) {
            memset(a, 0, m * sizeof *a); /* a free body has no rotor to show beyond the cut-off */
            memset(p->fast + (nv + r) * p->n_uniform, 0, m * sizeof *a);
            continue;
        }
        const double *filtered = tq_pass_has(p, TQ_QUANTITY_QDD)
                                     ? tq_pass_channel(p, TQ_QUANTITY_QDD, r)
                                     : p->derived + (nv + r) * p->n_uniform;
        for (size_t i = 0; i < m; i++) {
            a[i] -= filtered[i];
        }
        tq_difference(m, a, p->recording->step, p->fast + (nv + r) * p->n_uniform);
    }
}

/* Displacement of each step by the unfiltered velocity (trapezoidal rule), in the rows of a derived
 * velocity. */
static void find_displacement(tq_pass *p, size_t m)
{
    const double half = 0.5 * p->recording->step;
    for (size_t r = 0; tq_recording_gives_displacement(p->recording) && r < p->options->model->nv;
         r++) {
        const double *v = tq_pass_channel(p, TQ_QUANTITY_QD, r);
        double *way = p->derived + r * p->n_uniform;
        way[0] = 0.0;
        for (size_t i = 1; i < m; i++) {
            way[i] = half * (v[i - 1] + v[i]);
        }
    }
}

/* The rates that parallel rows are functions of: filtered as much as their noise demands. */
static void find_rates(tq_pass *p, size_t m)
{
    const size_t nv = p->options->model->nv;
    for (size_t r = 0; r < nv; r++) {
        double *to = p->rates + r * p->n_uniform;
        size_t slope = 0;
        const double *recorded = rates_of(p, r, &slope);
        if (recorded != NULL) {
            memcpy(to, recorded, m * sizeof *to);
        } else if (is_of_pose(p, r)) {
            memset(to, 0, m * sizeof *to); /* no friction */
        } else {
            tq_difference(m, tq_pass_channel(p, TQ_QUANTITY_Q, slope), p->recording->step, to);
        }
    }
    if (p->plan.rates.n > 0) {
        tq_filter_pass(p, &p->plan.rates, TQ_ENDS_EVEN, m, nv, p->rates);
    }
}

static void filter_signals(tq_pass *p, size_t m)
{
    const size_t nq = p->options->model->nq;
    const size_t nv = p->options->model->nv;
    if (p->options->filter.kind != TQ_SMOOTHING_SAVITZKY_GOLAY) {
        add_bends(p, m, -1.0);
        filter_channels(p, m);
        add_bends(p, m, 1.0);
        derive(p, m);
        renormalise(p, m);
        find_twists(p, m);
        return;
    }
    derive(p, m); /* from the unfiltered positions: Savitzky-Golay derivatives smooth too */
    for (tq_quantity q = 0; q < TQ_QUANTITIES; q++) {
        for (size_t r = 0; tq_pass_has(p, q) && r < (q == TQ_QUANTITY_Q ? nq : nv); r++) {
            smooth_row(p, q, r, m);
        }
    }
    renormalise(p, m);
    find_twists(p, m);
}

static const double *rates_of_parallel(const tq_pass *p)
{
    return p->rates != NULL                 ? p->rates
           : tq_pass_has(p, TQ_QUANTITY_QD) ? tq_pass_channel(p, TQ_QUANTITY_QD, 0)
                                            : p->derived;
}

/* Parallel rows: functions of the motion, filtered like torque. */
static void find_parallel(tq_pass *p, uint64_t lowest, size_t m)
{
    double *copy = p->derived + 2 * p->options->model->nv * p->n_uniform;
    const tq_parallel_window window = {
        .lowest = lowest,
        .n = m,
        .stride = p->n_uniform,
        .step = p->recording->step,
        .q = tq_pass_channel(p, TQ_QUANTITY_Q, 0),
        .qd = rates_of_parallel(p),
        .way = tq_recording_gives_displacement(p->recording) ? p->derived : NULL,
        .gains = p->even + p->recording->channels.first_gain * p->n_uniform,
        .n_gain = p->recording->channels.n_gain,
    };
    p->plan.parallel->compute(p->parallel_state, &window, p->parallel);
    if (p->options->filter.kind != TQ_SMOOTHING_SAVITZKY_GOLAY) {
        zero_phase(p, TQ_ENDS_EVEN, m, p->n_parallel, p->parallel);
        return;
    }
    for (size_t r = 0; r < p->n_parallel; r++) {
        double *row = p->parallel + r * p->n_uniform;
        memcpy(copy, row, m * sizeof *copy);
        smooth(p, 0, m, copy, row);
    }
}

/* Torque of the gains as they are now, tau += (k - start) e: rows are of those of the start. */
static void add_gains(tq_pass *p, size_t m)
{
    const tq_channels *channels = &p->recording->channels;
    for (size_t k = 0; k < channels->n_gain; k++) {
        const tq_unknown_gain *gain = &p->options->gains[k];
        const double *e = p->even + (channels->first_gain + k) * p->n_uniform;
        double *tau = tq_pass_channel(p, TQ_QUANTITY_TAU, gain->row);
        for (size_t i = 0; i < m; i++) {
            tau[i] += gain->change * e[i];
        }
    }
}

static void filter_window(tq_pass *p, uint64_t lowest, size_t m)
{
    const size_t nv = p->options->model->nv;
    renormalise(p, m);
    turn_velocities(p, m);
    add_gains(p, m);
    if (!tq_pass_has(p, TQ_QUANTITY_TAU)) {
        filter_signals(p, m);
        return;
    }
    for (size_t r = 0; r < nv; r++) {
        memcpy(p->raw_tau + r * p->n_uniform, tq_pass_channel(p, TQ_QUANTITY_TAU, r),
               m * sizeof(double));
    }
    find_raw_acceleration(p, m);
    find_displacement(p, m);
    if (p->rates != NULL) {
        find_rates(p, m);
    }
    filter_signals(p, m);
    find_fast(p, m);
    if (p->n_parallel > 0) {
        find_parallel(p, lowest, m);
    }
}

void tq_filter_window(tq_pass *p, uint64_t lowest, size_t m, bool ends)
{
    tq_own_keep(p, lowest, m, ends);
    filter_window(p, lowest, m);
    tq_own_put(p, m);
}
