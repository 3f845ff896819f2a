/* SPDX-License-Identifier: Apache-2.0 */
/* core/identify/kinematic/cross.c - cross-validation: errors of poses that a fit has not seen. */
#include <math.h>
#include <string.h>

#include "core/identify/kinematic/kinematic_private.h"

/* Number of the fold that each pose is left out in: in turn, and within each plane in turn. */
static void deal(const tq_kinematic_problem *p, uint32_t *ret_fold)
{
    uint32_t next[TQ_KINEMATIC_PLANES_MAX] = {0};
    for (size_t i = 0; i < p->n_pose; i++) {
        const uint32_t group = p->kind == TQ_KINEMATIC_PLANES ? p->plane[i] : 0;
        ret_fold[i] = next[group]++ % (uint32_t)p->n_fold;
    }
}

/* Working memory of one fold's fit. */
typedef struct fold {
    tq_kinematic *k;
    tq_kinematic_state x;
    double *weight, *gram;
    const uint32_t *of;  /* (n_pose) */
    const double *given; /* weights of the whole fit, or NULL */
} fold;

/* Fits without fold f from `start`, and adds the errors of that fold. */
static tq_status leave_out(fold *s, tq_kinematic_sum sum, size_t f, const tq_kinematic_state *start,
                           tq_kinematic_errors *errors, size_t *ret_n, tq_error *reterr)
{
    tq_kinematic *k = s->k;
    const tq_kinematic_problem *p = k->problem;
    size_t iterations = 0;
    for (size_t i = 0; i < p->n_pose; i++) {
        s->weight[i] = s->of[i] == f ? 0.0 : s->given != NULL ? s->given[i] : 1.0;
    }
    sum.weight = s->weight;
    tq_kinematic_copy(k, start, &s->x);
    tq_status status = tq_kinematic_fit(k, &sum, &s->x, s->gram, &iterations, reterr);
    status = status == TQ_ERR_NO_CONVERGENCE ? TQ_OK : status; /* as far as it came */
    for (size_t i = 0; status == TQ_OK && i < p->n_pose; i++) {
        if (s->of[i] == f && (s->given == NULL || s->given[i] > 0.0)) {
            double e[TQ_KINEMATIC_ROWS] = {0.0};
            tq_kinematic_walk(k, p->q + i * p->model->nq, &s->x);
            tq_kinematic_rows(k, &s->x, i, e, NULL);
            tq_kinematic_add_error(k, e, errors);
            ++*ret_n;
        }
    }
    return status;
}

tq_status tq_kinematic_cross(tq_kinematic *k, const tq_kinematic_sum *sum, const uint32_t *outer,
                             size_t n_outer, const tq_kinematic_state *was,
                             tq_kinematic_result *ret, tq_error *reterr)
{
    const size_t n_pose = k->problem->n_pose, n = sum->n_active;
    const size_t mark = tq_scratch_mark(k->scratch);
    uint32_t *of = tq_scratch_take(k->scratch, n_pose, sizeof *of);
    fold s = {.k = k,
              .weight = tq_scratch_take(k->scratch, n_pose, sizeof(double)),
              .gram = tq_scratch_take(k->scratch, (n + 1) * (n + 1), sizeof(double)),
              .of = of,
              .given = sum->weight};
    if (of == NULL || s.weight == NULL || s.gram == NULL) {
        tq_scratch_rewind(k->scratch, mark);
        return tq_fail(reterr, TQ_ERR_SCRATCH, "scratch", 0, (double)tq_kinematic_size(k->problem));
    }
    tq_status status = tq_kinematic_state_new(k, &s.x, reterr);
    tq_kinematic_sum without = *sum;
    without.active = outer;
    without.n_active = n_outer;
    ret->held_before = ret->held_after = (tq_kinematic_errors){0};
    size_t n_before = 0;
    size_t n_after = 0;
    if (status == TQ_OK) {
        deal(k->problem, of);
    }
    for (size_t f = 0; status == TQ_OK && f < k->problem->n_fold; f++) {
        status = leave_out(&s, *sum, f, &ret->state, &ret->held_after, &n_after, reterr);
        if (status == TQ_OK) {
            status = leave_out(&s, without, f, was, &ret->held_before, &n_before, reterr);
        }
    }
    if (status == TQ_OK) {
        tq_kinematic_end_errors(k, n_before, &ret->held_before);
        tq_kinematic_end_errors(k, n_after, &ret->held_after);
    }
    tq_scratch_rewind(k->scratch, mark);
    return status;
}
