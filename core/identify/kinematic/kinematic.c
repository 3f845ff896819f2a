/* SPDX-License-Identifier: Apache-2.0 */
/* core/identify/kinematic/kinematic.c - kinematic calibration: the order of its steps. */
#include "core/identify/kinematic/kinematic.h"

#include <math.h>
#include <string.h>

#include "core/identify/kinematic/kinematic_private.h"
#include "core/linalg/dense.h"

enum { NOISE_ROUNDS = 8 };
static const double first_sigma = 1e-3;   /* m, rad */
static const double least_sigma = 1e-7;   /* as a weight */
static const double sigma_settled = 1e-3; /* relative */
static const double at_limit = 1e-12;     /* relative */

/* What the steps hand on. */
typedef struct solution {
    tq_kinematic k;
    tq_kinematic_result *ret;
    tq_kinematic_sum sum;   /* of the fit: its columns are ret->active */
    tq_kinematic_state was; /* base, tool and planes alone */
    uint32_t *outer;        /* (n_outer) their columns */
    size_t n_outer;
    double *weight;      /* (n_pose) 0: outlier */
    double *gram, *room; /* ((n + 1)^2) */
} solution;

static size_t squares(size_t n)
{
    return tq_scratch_cost((n + 1) * (n + 1), sizeof(double));
}

size_t tq_kinematic_size(const tq_kinematic_problem *p)
{
    size_t n_step = 0;
    size_t n = tq_kinematic_count(p, &n_step);
    n = n > TQ_KINEMATIC_UNKNOWNS_MAX ? TQ_KINEMATIC_UNKNOWNS_MAX : n;
    const size_t n_joint = p->model->n_joint;
    const size_t state = tq_scratch_cost(4 * p->n_plane + 1, sizeof(double)) +
                         tq_scratch_cost(n_joint, sizeof(double)) +
                         tq_scratch_cost(6 * n_joint, sizeof(double));
    const size_t chain = tq_scratch_cost(n_step + 1, sizeof(tq_kinematic_step)) +
                         tq_scratch_cost(n, sizeof(tq_kinematic_parameter)) +
                         3 * tq_scratch_cost(p->model->nq + 1u, sizeof(double)) +
                         tq_scratch_cost(p->model->nv + 1u, sizeof(double)) +
                         2 * tq_scratch_cost(TQ_KINEMATIC_ROWS * n, sizeof(double));
    const size_t result = tq_scratch_cost(n, sizeof(tq_kinematic_estimate)) + 12 * squares(n) / 2 +
                          8 * tq_scratch_cost(n + 1, sizeof(double)) +
                          12 * tq_scratch_cost(p->n_pose + 1, sizeof(double)) +
                          tq_scratch_cost(TQ_KINEMATIC_OUTLIERS_MAX, sizeof(uint32_t));
    const size_t samples =
        tq_scratch_cost(p->kind == TQ_KINEMATIC_PLANES || p->n_pose < 4096 ? p->n_pose : 4096,
                        2 * sizeof(tq_pose) + 2 * sizeof(double));
    return 8 * state + chain + result + samples + tq_kinematic_fit_size(n) +
           tq_eigen_symmetric_scratch_size(n) + tq_svd_scratch_size(9, 9) +
           tq_lstsq_scratch_size(6, 6) + 64 * TQ_SCRATCH_ALIGN;
}

static tq_status take(solution *s, tq_error *reterr)
{
    tq_scratch *scratch = s->k.scratch;
    tq_kinematic_result *ret = s->ret;
    const size_t n = s->k.n, n_pose = s->k.problem->n_pose;
    ret->n = n;
    ret->list = s->k.list;
    ret->estimate = tq_scratch_take(scratch, n, sizeof *ret->estimate);
    ret->part = tq_scratch_take(scratch, n * n, sizeof *ret->part);
    ret->active = tq_scratch_take(scratch, n, sizeof *ret->active);
    ret->covariance = tq_scratch_take(scratch, n * n, sizeof *ret->covariance);
    ret->error = tq_scratch_take(scratch, 2 * n_pose, sizeof(double));
    ret->error_was = tq_scratch_take(scratch, 2 * n_pose, sizeof(double));
    ret->studentized = tq_scratch_take(scratch, n_pose, sizeof(double));
    ret->outlier = tq_scratch_take(scratch, TQ_KINEMATIC_OUTLIERS_MAX, sizeof *ret->outlier);
    ret->singular = tq_scratch_take(scratch, n, sizeof(double));
    ret->weakest = tq_scratch_take(scratch, n, sizeof(double));
    s->outer = tq_scratch_take(scratch, n, sizeof *s->outer);
    s->weight = tq_scratch_take(scratch, n_pose, sizeof(double));
    s->gram = tq_scratch_take(scratch, (n + 1) * (n + 1), sizeof(double));
    s->room = tq_scratch_take(scratch, (n + 1) * (n + 1), sizeof(double));
    if (ret->estimate == NULL || ret->part == NULL || ret->active == NULL ||
        ret->covariance == NULL || ret->error == NULL || ret->error_was == NULL ||
        ret->studentized == NULL || ret->outlier == NULL || ret->singular == NULL ||
        ret->weakest == NULL || s->outer == NULL || s->weight == NULL || s->gram == NULL ||
        s->room == NULL) {
        return tq_fail(reterr, TQ_ERR_SCRATCH, "scratch", 0,
                       (double)tq_kinematic_size(s->k.problem));
    }
    const tq_status status = tq_kinematic_state_new(&s->k, &ret->state, reterr);
    return status == TQ_OK ? tq_kinematic_state_new(&s->k, &s->was, reterr) : status;
}

/* The columns that are fitted; refuses fewer equations than parameters. */
static tq_status choose_columns(solution *s, tq_error *reterr)
{
    const tq_kinematic_problem *p = s->k.problem;
    tq_kinematic_result *ret = s->ret;
    size_t wanted = 0;
    tq_status status =
        tq_kinematic_rank(&s->k, &ret->state, s->sum.sigma, ret->estimate, ret->part, reterr);
    ret->n_active = s->n_outer = 0;
    for (size_t c = 0; status == TQ_OK && c < s->k.n; c++) {
        const tq_kinematic_role role = ret->estimate[c].role;
        wanted += role != TQ_KINEMATIC_STRUCTURE;
        if (role == TQ_KINEMATIC_ESTIMATED) {
            if (s->k.list[c].part <= TQ_KINEMATIC_PLANE) {
                s->outer[s->n_outer++] = (uint32_t)c;
            }
            ret->active[ret->n_active++] = (uint32_t)c;
        }
    }
    if (status == TQ_OK && s->k.m * p->n_pose <= wanted) {
        return tq_fail(reterr, TQ_ERR_SHAPE, "poses", wanted,
                       floor((double)wanted / (double)s->k.m) + 1.0);
    }
    if (status == TQ_OK && ret->n_active == s->n_outer) {
        return tq_fail(reterr, TQ_ERR_SINGULAR, "poses", 0, 0.0);
    }
    s->sum.active = ret->active;
    s->sum.n_active = ret->n_active;
    return status;
}

/* Deviations of positions and rotations by their residuals and redundancies at the fit. */
static tq_status estimate_noise(solution *s, double ret_sigma[2], tq_error *reterr)
{
    tq_kinematic *k = &s->k;
    const size_t n = s->sum.n_active;
    const size_t mark = tq_scratch_mark(k->scratch);
    double *inverse = tq_scratch_take(k->scratch, n * n + 1, sizeof *inverse);
    if (inverse == NULL) {
        return tq_fail(reterr, TQ_ERR_SCRATCH, "scratch", 0, (double)tq_kinematic_size(k->problem));
    }
    double used = 0.0;
    double part = 0.0; /* trace of the positions' share */
    for (size_t i = 0; i < k->problem->n_pose; i++) {
        used += s->sum.weight == NULL || s->sum.weight[i] > 0.0 ? 3.0 : 0.0;
    }
    for (size_t a = 0; a < n; a++) {
        memcpy(inverse + a * n, s->gram + a * (n + 1), n * sizeof *inverse);
    }
    const tq_kinematic_sum positions = {.active = s->sum.active,
                                        .n_active = n,
                                        .weight = s->sum.weight,
                                        .sigma = {s->sum.sigma[0], (double)INFINITY}};
    tq_status status = tq_cholesky_factor(n, inverse, n, reterr);
    status = status == TQ_OK ? tq_cholesky_invert(n, inverse, n, reterr) : status;
    if (status == TQ_OK) {
        status = tq_kinematic_add(k, &s->ret->state, &positions, s->room, reterr);
    }
    for (size_t a = 0; status == TQ_OK && a < n; a++) {
        for (size_t b = 0; b < n; b++) {
            part += inverse[a * n + b] * s->room[a * (n + 1) + b];
        }
    }
    const double all = s->gram[(n + 1) * (n + 1) - 1];
    const double of_positions = s->room[(n + 1) * (n + 1) - 1];
    const double freedom[2] = {fmax(used - part, 1e-3 * used),
                               fmax(used - ((double)n - part), 1e-3 * used)};
    const double square[2] = {of_positions, fmax(all - of_positions, 0.0)};
    for (unsigned i = 0; i < 2; i++) {
        ret_sigma[i] = fmax(s->sum.sigma[i] * sqrt(square[i] / freedom[i]), least_sigma);
    }
    tq_scratch_rewind(k->scratch, mark);
    return status;
}

/* The fit; the noise of full poses, unless stated, until it settles. */
static tq_status fit_all(solution *s, tq_error *reterr)
{
    const bool asks_noise = s->k.m == 6 && s->k.problem->sigma[0] <= 0.0;
    tq_status status = TQ_OK;
    for (unsigned n = 0; status == TQ_OK && n < NOISE_ROUNDS; n++) {
        size_t iterations = 0;
        double sigma[2] = {0.0, 0.0};
        status = tq_kinematic_fit(&s->k, &s->sum, &s->ret->state, s->gram, &iterations, reterr);
        s->ret->n_iteration += iterations;
        if (status != TQ_OK || !asks_noise || n + 1 == NOISE_ROUNDS) {
            break;
        }
        status = estimate_noise(s, sigma, reterr);
        if (status != TQ_OK) {
            break;
        }
        if (fabs(sigma[0] / s->sum.sigma[0] - 1.0) < sigma_settled &&
            fabs(sigma[1] / s->sum.sigma[1] - 1.0) < sigma_settled) {
            break;
        }
        memcpy(s->sum.sigma, sigma, sizeof sigma);
    }
    return status;
}

/* Columns at their limits are known from now on. */
static tq_status hold_limits(solution *s, tq_error *reterr)
{
    tq_kinematic_result *ret = s->ret;
    const double *limit = s->k.problem->limit;
    size_t n = 0;
    for (size_t a = 0; a < ret->n_active; a++) {
        const uint32_t c = ret->active[a];
        const tq_kinematic_parameter *p = &s->k.list[c];
        double value = 0.0;
        double most = (double)INFINITY;
        if (p->part == TQ_KINEMATIC_ZERO) {
            const tq_joint *joint = &s->k.problem->model->joints[p->index];
            value = ret->state.zero[p->index];
            most = limit[joint->kind == TQ_JOINT_PRISMATIC ? 1 : 0];
        } else if (p->part == TQ_KINEMATIC_FRAME) {
            value = ret->state.frame[6 * (size_t)p->index + p->axis];
            most = limit[p->axis < 3 ? 1 : 2];
        }
        ret->estimate[c].is_at_limit = fabs(value) >= most * (1.0 - at_limit);
        if (!ret->estimate[c].is_at_limit) {
            ret->active[n++] = c;
        }
    }
    const bool same = n == ret->n_active;
    ret->n_active = s->sum.n_active = n;
    return same ? TQ_OK : tq_kinematic_add(&s->k, &ret->state, &s->sum, s->gram, reterr);
}

/* Base, tool and planes alone, from the start. */
static tq_status fit_outer(solution *s, tq_error *reterr)
{
    tq_kinematic_sum sum = s->sum;
    size_t iterations = 0;
    sum.active = s->outer;
    sum.n_active = s->n_outer;
    return tq_kinematic_fit(&s->k, &sum, &s->was, s->room, &iterations, reterr);
}

static tq_status run(solution *s, tq_error *reterr)
{
    tq_kinematic *k = &s->k;
    tq_kinematic_result *ret = s->ret;
    tq_status status = tq_kinematic_start(k, &ret->state, reterr);
    status = status == TQ_OK ? choose_columns(s, reterr) : status;
    if (status == TQ_OK) {
        tq_kinematic_copy(k, &ret->state, &s->was);
        status = fit_outer(s, reterr);
    }
    if (status == TQ_OK) {
        tq_kinematic_copy(k, &s->was, &ret->state);
        status = fit_all(s, reterr);
    }
    if (status == TQ_OK) {
        status = tq_kinematic_find_outliers(k, &s->sum, &ret->state, s->weight, ret, reterr);
    }
    if (status == TQ_OK && k->problem->is_robust && ret->n_outlier > 0) {
        s->sum.weight = s->weight;
        status = fit_all(s, reterr);
    }
    status = status == TQ_OK ? hold_limits(s, reterr) : status;
    status = status == TQ_OK ? fit_outer(s, reterr) : status;
    if (status == TQ_OK) {
        status = tq_kinematic_judge(k, &s->sum, s->gram, &s->was, ret, reterr);
    }
    if (status == TQ_OK) {
        status = tq_kinematic_cross(k, &s->sum, s->outer, s->n_outer, &s->was, ret, reterr);
    }
    status = status == TQ_OK ? tq_kinematic_reach(k, ret, reterr) : status;
    if (status == TQ_OK) {
        tq_kinematic_conclude(k, ret);
    }
    return status;
}

tq_status tq_kinematic_solve(const tq_kinematic_problem *problem, tq_scratch *scratch,
                             tq_kinematic_result *ret, tq_error *reterr)
{
    solution s = {.ret = ret};
    memset(ret, 0, sizeof *ret);
    tq_status status = tq_kinematic_begin(problem, scratch, &s.k, reterr);
    for (unsigned i = 0; i < 2; i++) {
        s.sum.sigma[i] = problem->sigma[i] > 0.0 ? problem->sigma[i] : first_sigma;
    }
    status = status == TQ_OK ? take(&s, reterr) : status;
    return status == TQ_OK ? run(&s, reterr) : status;
}
