/* SPDX-License-Identifier: Apache-2.0 */
/* core/signal/passivity.c - work of the motors along a stretch of motion, and its allowances. */
#include "core/signal/passivity.h"

#include <math.h>

enum { COARSE = 1024 }; /* points of a stretch between which velocities are measured */

static const double deviations = 6.0;
/* of the work there and back: a delay of 30 ms at 1 Hz, without friction, makes so much of it */
static const double by_delay = 0.2;

/* Of one joint. */
typedef struct tally {
    double work;         /* J, beside that of its mean torque */
    double both_ways;    /* J, without signs */
    double noise;        /* J: deviation by white noise of torque */
    double most;         /* N m: the largest torque from its mean */
    double gap;          /* rad, m: from its end to its start */
    double start, end;   /* rad/s, m/s */
    double acceleration; /* rad/s^2, m/s^2: the usual one */
} tally;

static double mean_of(const double *x, size_t n)
{
    double sum = 0.0;
    for (size_t k = 0; k < n; k++) {
        sum += x[k];
    }
    return sum / (double)n;
}

/* Second differences of white noise have six times its variance. */
static void add_work(const double *q, const double *tau, size_t n, tally *ret)
{
    const double mean = mean_of(tau, n);
    double way = 0.0, bends = 0.0;
    for (size_t k = 1; k + 1 < n; k++) {
        const double step = 0.5 * (q[k + 1] - q[k - 1]);
        const double bend = tau[k + 1] - 2.0 * tau[k] + tau[k - 1];
        ret->work += (tau[k] - mean) * step;
        ret->both_ways += fabs((tau[k] - mean) * step);
        ret->most = fmax(ret->most, fabs(tau[k] - mean));
        way += step * step;
        bends += bend * bend;
    }
    ret->noise = sqrt(bends / (6.0 * (double)(n - 2)) * way);
}

/* velocities at the ends, and how fast they change on the whole */
static void add_ends(const double *q, size_t n, double step, tally *ret)
{
    const size_t wide = n > COARSE ? n / COARSE : 1;
    const double apart = (double)wide * step;
    double changes = 0.0, before = 0.0;
    size_t count = 0;
    for (size_t k = 0; k + wide < n; k += wide, count++) {
        const double rate = (q[k + wide] - q[k]) / apart;
        changes += count > 0 ? fabs(rate - before) : 0.0;
        before = rate;
    }
    ret->start = (q[wide] - q[0]) / apart;
    ret->end = (q[n - 1] - q[n - 1 - wide]) / apart;
    ret->gap = q[n - 1] - q[0];
    ret->acceleration = count > 1 ? changes / ((double)(count - 1) * apart) : 0.0;
}

static tally tally_of(const tq_recording *recording, const tq_uniform *even, const tq_joint *joint)
{
    const size_t *first = recording->channels.first;
    const double *q = even->channels + (first[TQ_QUANTITY_Q] + joint->q_index) * even->stride;
    const double *tau = even->channels + (first[TQ_QUANTITY_TAU] + joint->v_index) * even->stride;
    tally ret = {0};
    add_work(q, tau, even->n, &ret);
    add_ends(q, even->n, recording->step, &ret);
    return ret;
}

static bool has_work(const tq_joint *joint)
{
    return joint->nv == 1 && joint->mimic == TQ_NONE;
}

tq_passivity tq_recording_passivity(const tq_recording *recording, const tq_uniform *even)
{
    const tq_model *model = recording->options->model;
    tq_passivity ret = {.joint = TQ_NONE};
    double least = 0.0, noise = 0.0, back = 0.0; /* s: that changes all velocities to the first */
    for (uint32_t j = 0; j < model->n_joint; j++) {
        if (!has_work(&model->joints[j])) {
            continue;
        }
        const tally t = tally_of(recording, even, &model->joints[j]);
        ret.work += t.work;
        ret.explained += by_delay * t.both_ways;
        noise += t.noise * t.noise;
        ret.joint = t.work < least ? j : ret.joint;
        least = fmin(least, t.work);
        const double change = fabs(t.end - t.start);
        back = t.acceleration > 0.0 ? fmax(back, change / t.acceleration) : back;
    }
    ret.explained += deviations * sqrt(noise);
    for (uint32_t j = 0; j < model->n_joint; j++) {
        if (has_work(&model->joints[j])) {
            const tally t = tally_of(recording, even, &model->joints[j]);
            const double fastest = fmax(fabs(t.start), fabs(t.end));
            ret.explained += t.most * (fabs(t.gap) + 2.0 * fastest * back);
        }
    }
    return ret;
}
