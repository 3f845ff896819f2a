/* SPDX-License-Identifier: Apache-2.0 */
/* core/identify/regression/visible.c - effect of combinations of columns on torque, over random
 * states within the robot's limits. */
#include "core/identify/regression/visible.h"

#include <math.h>
#include <string.h>

#include "core/base/random.h"

enum { STATES = 64 };
static const double usual_rate = 3.0;  /* rad/s, m/s */
static const double usual_way = 1.0;   /* m, of a prismatic joint without limits */
static const double by_rate = 3.3;     /* 1/s: acceleration over rate of a sine of 0.5 Hz */
static const double share_most = 0.01; /* of a direction's squared length, in columns other than
                                          link and joint parameters */

size_t tq_fit_visible_size(const tq_fit *fit)
{
    const tq_model *model = &fit->mechanism->model;
    const size_t n = fit->n_column;
    return tq_scratch_cost(model->nv * fit->n_parameter, sizeof(double)) +
           tq_scratch_cost(model->nq + 2 * model->nv, sizeof(double)) +
           tq_scratch_cost((n + 1) * fit->n_row, sizeof(double)) + tq_regressor_scratch_size(model);
}

/* uniform in [low, high], or about zero if the joint has no limits */
static double within(const tq_joint *joint, uint64_t *random)
{
    const double usual = joint->kind == TQ_JOINT_PRISMATIC ? usual_way : M_PI;
    const double low = isfinite(joint->limits.lower) ? joint->limits.lower : -usual;
    const double high = isfinite(joint->limits.upper) ? joint->limits.upper : usual;
    return 0.5 * (low + high) + 0.5 * (high - low) * tq_random_unit(random);
}

static void draw(const tq_model *model, uint64_t *random, double *q, double *qd, double *qdd)
{
    for (uint32_t j = 0; j < model->n_joint; j++) {
        const tq_joint *joint = &model->joints[j];
        const double most = joint->limits.velocity;
        const double rate = isfinite(most) && most > 0.0 ? most : usual_rate;
        for (uint32_t k = 0; k < joint->nq; k++) {
            q[joint->q_index + k] =
                joint->nv == 1 ? within(joint, random) : usual_rate * tq_random_unit(random);
        }
        if (joint->kind == TQ_JOINT_SPHERICAL || joint->kind == TQ_JOINT_FLOATING) {
            double *w = q + joint->q_index + joint->nq - 4;
            double square = 0.0;
            w[0] += 4.0; /* so that a length is not near zero */
            for (unsigned k = 0; k < 4; k++) {
                square += w[k] * w[k];
            }
            for (unsigned k = 0; k < 4; k++) {
                w[k] /= sqrt(square);
            }
        }
        for (uint32_t k = 0; k < joint->nv; k++) {
            qd[joint->v_index + k] = rate * tq_random_unit(random);
            qdd[joint->v_index + k] = by_rate * rate * tq_random_unit(random);
        }
    }
}

/* adds squared torques at one state: (n_row) of `value`, then (n x n_row) of the directions */
static void add_squares(const tq_fit *fit, const double *y, const double *value, size_t n,
                        const tq_unidentified *directions, double *sums)
{
    for (size_t r = 0; r < fit->n_row; r++) {
        const double *row = y + r * fit->n_parameter;
        for (size_t k = 0; k <= n; k++) {
            double tau = 0.0;
            for (size_t c = 0; c < fit->base.n_base; c++) {
                const double x =
                    k == 0 ? value[c] : directions[k - 1].direction[c] * fit->nominal[c];
                tau += row[fit->base.independent[c]] * x;
            }
            sums[k * fit->n_row + r] += tau * tau;
        }
    }
}

static double share_of_others(const tq_fit *fit, const tq_unidentified *u)
{
    double share = 0.0;
    for (size_t c = fit->base.n_base; c < fit->n_column; c++) {
        share += u->direction[c] * u->direction[c];
    }
    return share;
}

tq_status tq_fit_find_visible(const tq_fit *fit, const double *value, const double *noise, size_t n,
                              tq_unidentified *directions, tq_scratch *scratch, tq_error *reterr)
{
    const tq_model *model = &fit->mechanism->model;
    const size_t mark = tq_scratch_mark(scratch);
    double *y = tq_scratch_take(scratch, model->nv * fit->n_parameter, sizeof *y);
    double *q = tq_scratch_take(scratch, model->nq + 2 * model->nv, sizeof *q);
    double *sums = tq_scratch_take(scratch, (n + 1) * fit->n_row, sizeof *sums);
    if (y == NULL || q == NULL || sums == NULL) {
        tq_scratch_rewind(scratch, mark);
        return tq_fail(reterr, TQ_ERR_SCRATCH, "scratch", 0, (double)tq_fit_visible_size(fit));
    }
    double *qd = q + model->nq;
    uint64_t random = fit->options.seed;
    tq_status status = TQ_OK;
    memset(sums, 0, (n + 1) * fit->n_row * sizeof *sums);
    for (size_t s = 0; s < STATES && status == TQ_OK; s++) {
        draw(model, &random, q, qd, qd + model->nv);
        const tq_regressor_input in = {.q = q, .qd = qd, .qdd = qd + model->nv};
        status = tq_regressor(model, fit->options.model.with, &in, scratch, y, reterr);
        if (status == TQ_OK) {
            add_squares(fit, y, value, n, directions, sums);
        }
    }
    for (size_t k = 0; k < n; k++) {
        tq_unidentified *u = &directions[k];
        u->visible = share_of_others(fit, u) > share_most ? (double)INFINITY : 0.0;
        for (size_t r = 0; r < fit->n_row; r++) {
            const double usual = sums[r] / (double)STATES + noise[r] * noise[r];
            const double of = sums[(k + 1) * fit->n_row + r] / (double)STATES;
            u->visible = fmax(u->visible, usual > 0.0 ? sqrt(of / usual) : (double)INFINITY);
        }
    }
    tq_scratch_rewind(scratch, mark);
    return status;
}
