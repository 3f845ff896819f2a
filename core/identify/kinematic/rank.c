/* SPDX-License-Identifier: Apache-2.0 */
/* core/identify/kinematic/rank.c - which parameters poses can separate, and of which others the
 * rest are parts. */
#include <math.h>
#include <string.h>

#include "core/base/random.h"
#include "core/identify/kinematic/kinematic_private.h"
#include "core/identify/sweep.h"
#include "core/spatial/screw.h"

enum { RANDOM_LEAST = 200, RANDOM_EACH = 4, TRIES = 4, NEWTON_STEPS = 20 };
/* length of what is left of a column, of its own: within it a column is a combination of others */
static const double of_structure = 1e-3, of_poses = 1e-6;
static const double on_plane = 1e-12; /* m */

/* ------------------------------------------------------------------------------------------------
 * Random poses
 */

static void random_joint(const tq_joint *joint, uint64_t *seed, double *q)
{
    const bool slides = joint->kind == TQ_JOINT_PRISMATIC;
    const double wide = slides ? 1.0 : M_PI;
    switch (joint->kind) {
    case TQ_JOINT_FIXED:
        break;
    case TQ_JOINT_REVOLUTE:
    case TQ_JOINT_CONTINUOUS:
    case TQ_JOINT_PRISMATIC: {
        const bool is_bounded = isfinite(joint->limits.lower) && isfinite(joint->limits.upper);
        const double low = is_bounded ? joint->limits.lower : -wide;
        const double high = is_bounded ? joint->limits.upper : wide;
        q[0] = 0.5 * (low + high) + 0.5 * (high - low) * tq_random_unit(seed);
        break;
    }
    case TQ_JOINT_PLANAR:
        q[0] = tq_random_unit(seed);
        q[1] = tq_random_unit(seed);
        q[2] = M_PI * tq_random_unit(seed);
        break;
    case TQ_JOINT_SPHERICAL:
    case TQ_JOINT_FLOATING: {
        double *quaternion = q + joint->nq - 4;
        double square = 0.0;
        for (uint32_t i = 0; i + 4 < joint->nq; i++) {
            q[i] = tq_random_unit(seed);
        }
        while (square < 1e-2 || square > 1.0) {
            square = 0.0;
            for (unsigned i = 0; i < 4; i++) {
                quaternion[i] = tq_random_unit(seed);
                square += quaternion[i] * quaternion[i];
            }
        }
        for (unsigned i = 0; i < 4; i++) {
            quaternion[i] /= sqrt(square);
        }
        break;
    }
    }
}

/* Newton steps of least norm to the plane, by the joints of one freedom. */
static bool project(tq_kinematic *k, const tq_kinematic_state *x, const double *plane, double *q,
                    double *slope)
{
    const tq_model *model = k->problem->model;
    for (unsigned n = 0; n < NEWTON_STEPS; n++) {
        double square = 0.0;
        tq_kinematic_walk(k, q, x);
        const double off = tq_dot3(plane, k->tip.p) - plane[3];
        if (fabs(off) <= on_plane) {
            return true;
        }
        memset(slope, 0, model->nq * sizeof *slope);
        for (size_t s = 0; s < k->n_step; s++) {
            double dp[3];
            double w[3];
            if (tq_kinematic_screw(k, &k->steps[s], dp, w)) {
                slope[k->steps[s].motion.q_index] += tq_dot3(plane, dp);
            }
        }
        for (uint32_t r = 0; r < model->nq; r++) {
            square += slope[r] * slope[r];
        }
        for (uint32_t r = 0; r < model->nq && square > 0.0; r++) {
            q[r] -= fmax(-0.5, fmin(0.5, off * slope[r] / square));
        }
    }
    return false;
}

bool tq_kinematic_random_pose(tq_kinematic *k, const tq_kinematic_state *x, size_t i, double *ret_q)
{
    const tq_kinematic_problem *p = k->problem;
    for (uint64_t attempt = 0; attempt < TRIES; attempt++) {
        uint64_t seed = 1 + i * TRIES + attempt;
        for (uint32_t j = 0; j < p->model->n_joint; j++) {
            const tq_joint *joint = &p->model->joints[j];
            if (joint->nq > 0) {
                random_joint(joint, &seed, ret_q + joint->q_index);
            }
        }
        if (p->kind != TQ_KINEMATIC_PLANES) {
            return true;
        }
        const size_t mark = tq_scratch_mark(k->scratch);
        double *slope = tq_scratch_take(k->scratch, p->model->nq + 1u, sizeof *slope);
        const bool good =
            slope != NULL && project(k, x, x->plane + 4 * (i % p->n_plane), ret_q, slope);
        tq_scratch_rewind(k->scratch, mark);
        if (good) {
            return true;
        }
    }
    return false;
}

/* ------------------------------------------------------------------------------------------------
 * Rank
 */

/* Products of columns (n x n) at random poses; *ret_n: poses that were found. */
static tq_status add_random(tq_kinematic *k, const tq_kinematic_state *x, const double sigma[2],
                            double *ret, size_t *ret_n, tq_error *reterr)
{
    static const double exact[TQ_KINEMATIC_ROWS] = {0.0};
    const size_t n = k->n;
    const size_t wanted = RANDOM_LEAST + RANDOM_EACH * n / k->m;
    const size_t mark = tq_scratch_mark(k->scratch);
    double *q = tq_scratch_take(k->scratch, k->problem->model->nq + 1u, sizeof *q);
    if (q == NULL) {
        return tq_fail(reterr, TQ_ERR_SCRATCH, "scratch", 0, (double)tq_kinematic_size(k->problem));
    }
    tq_status status = TQ_OK;
    memset(ret, 0, n * n * sizeof *ret);
    *ret_n = 0;
    for (size_t i = 0; status == TQ_OK && i < wanted; i++) {
        if (!tq_kinematic_random_pose(k, x, i, q)) {
            continue;
        }
        ++*ret_n;
        const size_t n_plane = k->problem->n_plane;
        tq_kinematic_walk(k, q, x);
        tq_kinematic_derivatives(k, x, n_plane > 0 ? (uint32_t)(i % n_plane) : 0, exact, k->rows);
        for (size_t r = 0; r < k->m; r++) {
            const double *row = k->rows + r * n;
            const double scale = 1.0 / (sigma[r < 3 ? 0 : 1] * sigma[r < 3 ? 0 : 1]);
            for (size_t a = 0; a < n; a++) {
                for (size_t b = 0; row[a] != 0.0 && b < n; b++) {
                    ret[a * n + b] += scale * row[a] * row[b];
                }
            }
        }
        status = tq_scratch_work(k->scratch, (double)(k->m * n * n), reterr);
    }
    tq_scratch_rewind(k->scratch, mark);
    return status;
}

/* Columns of length 1; ret_length (n). */
static void scale_columns(size_t n, double *a, double *ret_length)
{
    for (size_t i = 0; i < n; i++) {
        ret_length[i] = sqrt(fmax(a[i * n + i], 0.0));
    }
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++) {
            const double size = ret_length[i] * ret_length[j];
            a[i * n + j] = size > 0.0 ? a[i * n + j] / size : 0.0;
        }
    }
}

/* Sweeps the columns of role ESTIMATED one by one; those that depend on earlier ones get `role`
 * and their parts in these. */
static tq_status separate(tq_kinematic *k, double *a, double *length, double tolerance,
                          tq_kinematic_role role, tq_kinematic_estimate *estimate, double *part,
                          tq_error *reterr)
{
    const size_t n = k->n;
    tq_status status = TQ_OK;
    scale_columns(n, a, length);
    for (size_t c = 0; status == TQ_OK && c < n; c++) {
        if (estimate[c].role != TQ_KINEMATIC_ESTIMATED) {
            continue;
        }
        if (length[c] > 0.0 && a[c * n + c] > tolerance * tolerance) {
            tq_sweep(n, a, c);
            status = tq_scratch_work(k->scratch, (double)(n * n), reterr);
        } else {
            estimate[c].role = role;
        }
    }
    for (size_t c = 0; status == TQ_OK && c < n; c++) {
        for (size_t i = 0; estimate[c].role == role && i < n; i++) {
            const bool is_in = estimate[i].role == TQ_KINEMATIC_ESTIMATED && length[i] > 0.0;
            part[c * n + i] = is_in ? a[i * n + c] * length[c] / length[i] : 0.0;
        }
    }
    return status;
}

tq_status tq_kinematic_rank(tq_kinematic *k, const tq_kinematic_state *x, const double sigma[2],
                            tq_kinematic_estimate *estimate, double *part, tq_error *reterr)
{
    const size_t n = k->n;
    const size_t mark = tq_scratch_mark(k->scratch);
    double *a = tq_scratch_take(k->scratch, (n + 1) * (n + 1), sizeof *a);
    double *length = tq_scratch_take(k->scratch, n, sizeof *length);
    uint32_t *all = tq_scratch_take(k->scratch, n, sizeof *all);
    if (a == NULL || length == NULL || all == NULL) {
        return tq_fail(reterr, TQ_ERR_SCRATCH, "scratch", 0, (double)tq_kinematic_size(k->problem));
    }
    size_t n_random = 0;
    for (size_t c = 0; c < n; c++) {
        estimate[c] = (tq_kinematic_estimate){.role = TQ_KINEMATIC_ESTIMATED};
        all[c] = (uint32_t)c;
    }
    memset(part, 0, n * n * sizeof *part);
    tq_status status = add_random(k, x, sigma, a, &n_random, reterr);
    if (status == TQ_OK && n_random * k->m >= 2 * n) {
        status =
            separate(k, a, length, of_structure, TQ_KINEMATIC_STRUCTURE, estimate, part, reterr);
    }
    const tq_kinematic_sum sum = {.active = all, .n_active = n, .sigma = {sigma[0], sigma[1]}};
    if (status == TQ_OK) {
        status = tq_kinematic_add(k, x, &sum, a, reterr);
    }
    for (size_t i = 0; i < n; i++) { /* without the residual */
        memmove(a + i * n, a + i * (n + 1), n * sizeof *a);
    }
    if (status == TQ_OK) {
        status = separate(k, a, length, of_poses, TQ_KINEMATIC_NO_POSE, estimate, part, reterr);
    }
    tq_scratch_rewind(k->scratch, mark);
    return status;
}
