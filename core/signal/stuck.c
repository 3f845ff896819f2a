/* SPDX-License-Identifier: Apache-2.0 */
/* core/signal/stuck.c - columns whose value repeats although the joint moves. */
#include "core/signal/stuck.h"

#include <math.h>
#include <string.h>

enum { ROWS = 30 };
static const double least_s = 0.5;
static const double least_way = 0.2;  /* rad or m: motion of the joint during one value of torque */
static const double arrested = 0.12;  /* rad/s or m/s: a joint does not lose this speed within one
                                         row */
static const double leap = 0.02;      /* rad or m: a joint does not jump by this within one row */
static const double leap_speed = 1.0; /* rad/s or m/s: nor faster than this */
static const double apart = 0.005;    /* s: interval over which a speed is measured */

size_t tq_stuck_size(const tq_model *model)
{
    return tq_scratch_cost(model->n_joint, sizeof(tq_stuck_joint));
}

bool tq_stuck_begin(const tq_model *model, tq_scratch *memory, tq_stuck_search *ret)
{
    *ret = (tq_stuck_search){.model = model};
    ret->joints = tq_scratch_take(memory, model->n_joint, sizeof *ret->joints);
    if (ret->joints != NULL) {
        memset(ret->joints, 0, model->n_joint * sizeof *ret->joints);
    }
    return ret->joints != NULL;
}

static void note(tq_stuck_search *s, uint32_t joint, bool of_torque, bool is_whole, double from,
                 double to)
{
    if (s->n < TQ_STUCK_MAX) {
        s->found[s->n++] = (tq_stuck){joint, of_torque, is_whole, from, to};
    }
}

static bool lasts(double from, double to, size_t n)
{
    return n >= ROWS && to - from >= least_s;
}

/* Ends a run of equal torques at time `t`: the torque changes, or the rows end. */
static void end_torque(tq_stuck_search *s, uint32_t j, double t)
{
    const tq_stuck_joint *x = &s->joints[j];
    if (lasts(x->tau_from, t, x->n_tau) && x->most - x->least > least_way) {
        note(s, j, true, false, x->tau_from, t);
    }
}

static void add_torque(tq_stuck_search *s, uint32_t j, double t, double q, double tau)
{
    tq_stuck_joint *x = &s->joints[j];
    if (s->n_row > 0 && tau == x->tau) {
        x->n_tau++;
        x->least = fmin(x->least, q);
        x->most = fmax(x->most, q);
        return;
    }
    if (s->n_row > 0) {
        end_torque(s, j, s->last_t);
    }
    x->tau = tau;
    x->tau_from = t;
    x->n_tau = 1;
    x->least = x->most = q;
}

/* speed with which the joint reaches q */
static double speed_of(const tq_stuck_joint *x, double t, double q)
{
    const unsigned last = x->n_past < TQ_STUCK_PAST ? x->n_past : (unsigned)TQ_STUCK_PAST;
    return last > 0 && t > x->past_t[last - 1]
               ? fabs(q - x->past_q[last - 1]) / (t - x->past_t[last - 1])
               : 0.0;
}

static void add_position(tq_stuck_search *s, uint32_t j, double t, double q)
{
    tq_stuck_joint *x = &s->joints[j];
    if (s->n_row > 0 && q == x->q) {
        x->n_q++;
        return;
    }
    if (s->n_row > 0 && lasts(x->q_from, s->last_t, x->n_q)) {
        const double way = fabs(q - x->q);
        const bool leaps = way > leap && way > leap_speed * (t - s->last_t);
        if (leaps || x->speed > arrested) {
            note(s, j, false, false, x->q_from, s->last_t);
        }
    }
    x->speed = speed_of(x, t, q);
    x->q = q;
    x->q_from = t;
    x->n_q = 1;
    if (x->n_past == 0 || t - x->past_t[0] >= apart) {
        memmove(x->past_q + 1, x->past_q, sizeof x->past_q - sizeof *x->past_q);
        memmove(x->past_t + 1, x->past_t, sizeof x->past_t - sizeof *x->past_t);
        x->past_q[0] = q;
        x->past_t[0] = t;
        x->n_past++;
    }
}

void tq_stuck_add(tq_stuck_search *s, const tq_channels *channels, const tq_raw_rows *rows,
                  size_t first, size_t end)
{
    for (size_t i = first; i < end; i++) {
        for (uint32_t j = 0; j < s->model->n_joint; j++) {
            const tq_joint *joint = &s->model->joints[j];
            if (joint->nq != 1 || joint->nv != 1 || joint->mimic != TQ_NONE) {
                continue;
            }
            const size_t at = channels->first[TQ_QUANTITY_Q] + joint->q_index;
            const double q = rows->values[at * TQ_RAW_ROWS + i];
            add_position(s, j, rows->t[i], q);
            if (channels->has[TQ_QUANTITY_TAU]) {
                const size_t of = channels->first[TQ_QUANTITY_TAU] + joint->v_index;
                add_torque(s, j, rows->t[i], q, rows->values[of * TQ_RAW_ROWS + i]);
            }
        }
        s->last_t = rows->t[i];
        s->n_row++;
    }
}

void tq_stuck_end(tq_stuck_search *s)
{
    for (uint32_t j = 0; s->n_row > 0 && j < s->model->n_joint; j++) {
        const tq_joint *joint = &s->model->joints[j];
        const tq_stuck_joint *x = &s->joints[j];
        if (joint->nq != 1 || joint->nv != 1 || joint->mimic != TQ_NONE) {
            continue;
        }
        end_torque(s, j, s->last_t);
        if (lasts(x->q_from, s->last_t, x->n_q) && (x->speed > arrested || x->n_q == s->n_row)) {
            note(s, j, false, x->n_q == s->n_row, x->q_from, s->last_t);
        }
    }
}
