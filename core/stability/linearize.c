/* SPDX-License-Identifier: Apache-2.0 */
/* core/stability/linearize.c - linearisation, and its dominant mode. */
#include "core/stability/linearize.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "core/base/finite.h"
#include "core/dynamics/derivatives/derivatives.h"
#include "core/dynamics/mass_matrix/mass_matrix.h"
#include "core/elementary/elementary.h"
#include "core/linalg/dense.h"
#include "core/linalg/exponential.h"
#include "core/plant/state.h"
#include "core/plant/stiction.h"

/* relative step of central differences: cube root of eps, where rounding and truncation errors are
 * equal */
static const double nudge = 6e-6;

/* Derivatives of the effects' torque */

/* states of a block: two for each coordinate and velocity, or as many as fit */
static size_t probe_width(const tq_plant *plant)
{
    return tq_block_stride(4 * (size_t)tq_mechanism_model(plant->mechanism)->nv + 1);
}

static size_t probe_size(const tq_plant *plant)
{
    const tq_model *model = tq_mechanism_model(plant->mechanism);
    const size_t width = probe_width(plant);
    const size_t rows =
        model->nq + 4 * (size_t)model->nv + 2 * tq_plant_n_z(plant) + tq_plant_n_held(plant) + 6;
    return tq_scratch_cost(rows * width, sizeof(double)) +
           8 * tq_scratch_cost(width, sizeof(double)) + tq_plant_scratch_size(plant, width);
}

static double *spread(const double *x, size_t n, size_t width, tq_scratch *scratch)
{
    double *rows = tq_scratch_take(scratch, n > 0 ? n * width : 1, sizeof *rows);
    for (size_t k = 0; rows != NULL && k < n * width; k++) {
        rows[k] = x != NULL ? x[k / width] : 0.0;
    }
    return rows;
}

/* Rows of a block of displaced states. */
typedef struct probe {
    tq_trajectories state;
    tq_rates rates;
} probe;

static bool take_probe(const tq_plant *plant, const tq_run_point *at, tq_scratch *scratch,
                       probe *ret)
{
    const tq_model *model = tq_mechanism_model(plant->mechanism);
    const size_t n_z = tq_plant_n_z(plant);
    const size_t width = probe_width(plant);
    ret->state =
        (tq_trajectories){.n_sample = width,
                          .stride = width,
                          .q = spread(at->q, model->nq, width, scratch),
                          .qd = spread(at->qd, model->nv, width, scratch),
                          .z = spread(at->z, n_z, width, scratch),
                          .held = spread(at->held, tq_plant_n_held(plant), width, scratch)};
    ret->rates = (tq_rates){.q = spread(NULL, model->nq, width, scratch),
                            .qd = spread(NULL, model->nv, width, scratch),
                            .z = spread(NULL, n_z, width, scratch),
                            .tau = spread(NULL, model->nv, width, scratch)};
    return ret->state.q != NULL && ret->state.qd != NULL && ret->state.z != NULL &&
           ret->state.held != NULL && ret->rates.q != NULL && ret->rates.qd != NULL &&
           ret->rates.z != NULL && ret->rates.tau != NULL;
}

/* the joint of row c of qd */
static const tq_joint *joint_of(const tq_model *model, size_t c)
{
    const tq_joint *found = &model->joints[0];
    for (uint32_t j = 0; j < model->n_joint; j++) {
        const tq_joint *joint = &model->joints[j];
        found = c >= joint->v_index && c < (size_t)joint->v_index + joint->nv ? joint : found;
    }
    return found;
}

/* Whether torque jumps where this joint's velocity changes sign: a controller that makes up for its
 * dry friction jumps against it. */
static bool jumps_at_rest(const tq_plant *plant, const tq_joint *joint)
{
    return (plant->without & TQ_WITHOUT_FRICTION) == 0 && tq_can_stick(joint);
}

/* displaces states 2 i and 2 i + 1 of the block by +-`by` in coordinate `first` + i of (q, qd); for
 * joints with quaternions by a displacement in the child's axes. Velocities at which friction jumps
 * are displaced to one side: the slope is that of either side, as that of the joint's friction. */
static void nudge_pairs(const tq_plant *plant, const tq_run_point *at, size_t first, size_t n,
                        double by, const probe *p)
{
    const tq_model *model = tq_mechanism_model(plant->mechanism);
    const size_t width = p->state.stride, nv = model->nv;
    for (size_t i = 0; i < n; i++) {
        const size_t c = (first + i) % nv;
        const bool is_q = first + i < nv;
        const tq_joint *joint = joint_of(model, c);
        if (is_q && joint->nq != joint->nv) {
            double to[2][7];
            const unsigned k = (unsigned)c - joint->v_index;
            tq_state_integrate(joint, at->q + joint->q_index, k, by, to[0]);
            tq_state_integrate(joint, at->q + joint->q_index, k, -by, to[1]);
            for (uint32_t q = 0; q < joint->nq; q++) {
                p->state.q[(joint->q_index + q) * width + 2 * i] = to[0][q];
                p->state.q[(joint->q_index + q) * width + 2 * i + 1] = to[1][q];
            }
            continue;
        }
        const size_t place = is_q ? joint->q_index + (c - joint->v_index) : c;
        double *row = (is_q ? p->state.q : p->state.qd) + place * width + 2 * i;
        const double x = is_q ? at->q[place] : at->qd[c];
        row[0] = x + by * fmax(1.0, fabs(x));
        row[1] = x - by * fmax(1.0, fabs(x));
        if (by > 0.0 && !is_q && fabs(x) <= by && jumps_at_rest(plant, joint)) {
            row[0] = x + copysign(3.0 * by, x);
            row[1] = x + copysign(by, x);
        }
    }
}

/* difference of the two states of a pair */
static double apart(const tq_model *model, size_t first, size_t i, const probe *p)
{
    const size_t width = p->state.stride, nv = model->nv;
    const size_t c = (first + i) % nv;
    const bool is_q = first + i < nv;
    const tq_joint *joint = joint_of(model, c);
    if (is_q && joint->nq != joint->nv) {
        return 2.0 * nudge;
    }
    const size_t place = is_q ? joint->q_index + (c - joint->v_index) : c;
    const double *row = (is_q ? p->state.q : p->state.qd) + place * width + 2 * i;
    return row[0] - row[1];
}

/* K -= dtau/dq and D -= dtau/dqd, each nv x nv row by row */
static tq_status take_off_effects(const tq_plant *plant, const tq_run_point *at,
                                  tq_scratch *scratch, double *k_and_d[2], tq_error *reterr)
{
    const tq_model *model = tq_mechanism_model(plant->mechanism);
    const size_t nv = model->nv;
    const size_t width = probe_width(plant);
    probe p;
    if (!take_probe(plant, at, scratch, &p)) {
        return tq_fail(reterr, TQ_ERR_SCRATCH, "scratch", 0, (double)probe_size(plant));
    }
    const size_t at_once = width / 2;
    for (size_t first = 0; nv > 0 && first < 2 * nv; first += at_once) {
        const size_t n = 2 * nv - first < at_once ? 2 * nv - first : at_once;
        nudge_pairs(plant, at, first, n, nudge, &p);
        const tq_status status = tq_plant_rate(plant, at->t, &p.state, scratch, &p.rates, reterr);
        if (status != TQ_OK) {
            return status;
        }
        for (size_t i = 0; i < n; i++) {
            const size_t c = (first + i) % nv;
            const bool is_q = first + i < nv;
            const double step = apart(model, first, i, &p);
            for (size_t r = 0; r < nv; r++) {
                const double *tau = p.rates.tau + r * width + 2 * i;
                k_and_d[is_q ? 0 : 1][r * nv + c] -= (tau[0] - tau[1]) / step;
            }
        }
        nudge_pairs(plant, at, first, n, 0.0, &p);
    }
    return TQ_OK;
}

/* ------------------------------------------------------------------------------------------------
 * The matrix
 */

/* M (nv x nv) at q */
static tq_status mass(const tq_plant *plant, const double *q, tq_scratch *scratch, double *ret_m,
                      tq_error *reterr)
{
    const tq_model *model = tq_mechanism_model(plant->mechanism);
    const size_t nv = model->nv;
    const size_t mark = tq_scratch_mark(scratch);
    double *rows = tq_scratch_take(scratch, (model->nq + 1) * TQ_BLOCK_PAD, sizeof *rows);
    double *m = tq_scratch_take(scratch, (nv * nv + 1) * TQ_BLOCK_PAD, sizeof *m);
    if (rows == NULL || m == NULL) {
        return tq_fail(reterr, TQ_ERR_SCRATCH, "scratch", 0,
                       (double)tq_linearise_scratch_size(plant));
    }
    for (size_t k = 0; k < model->nq * TQ_BLOCK_PAD; k++) {
        rows[k] = q[k / TQ_BLOCK_PAD];
    }
    const tq_status status =
        tq_mass_matrix(plant->mechanism, 1, TQ_BLOCK_PAD, rows, plant->without, scratch, m, reterr);
    for (size_t k = 0; status == TQ_OK && k < nv * nv; k++) {
        ret_m[k] = m[k * TQ_BLOCK_PAD];
    }
    tq_scratch_rewind(scratch, mark);
    return status;
}

/* K and D: derivatives of the torque of inverse dynamics */
static tq_status torque_derivatives(const tq_plant *plant, const tq_run_point *at,
                                    tq_scratch *scratch, double *ret_k, double *ret_d,
                                    tq_error *reterr)
{
    const tq_model *model = tq_mechanism_model(plant->mechanism);
    const size_t mark = tq_scratch_mark(scratch);
    const size_t n_wrench = at->wrench != NULL ? plant->n_wrench : 0;
    tq_point_wrench *wrenches = tq_scratch_take(scratch, n_wrench, sizeof *wrenches);
    if (wrenches == NULL) {
        return tq_fail(reterr, TQ_ERR_SCRATCH, "scratch", 0,
                       (double)tq_linearise_scratch_size(plant));
    }
    for (size_t k = 0; k < n_wrench; k++) {
        const tq_external_wrench *w = &plant->wrenches[k];
        wrenches[k] = (tq_point_wrench){.link = w->link, .expressed_in = w->expressed_in};
        memcpy(wrenches[k].at, w->at, sizeof w->at);
        memcpy(wrenches[k].value, at->wrench + 6 * k, sizeof wrenches[k].value);
    }
    const tq_sample sample = {.q = at->q,
                              .qd = at->qd,
                              .qdd = at->qdd,
                              .gravity = plant->gravity != NULL ? plant->gravity : model->gravity,
                              .wrenches = wrenches,
                              .n_wrench = n_wrench,
                              .without = plant->without};
    tq_configuration p = {0};
    tq_status status = tq_configuration_compute(
        model, at->q, (plant->without & TQ_WITHOUT_VELOCITY) != 0 ? NULL : at->qd, scratch, &p,
        reterr);
    if (status == TQ_OK) {
        status = tq_inverse_derivatives(&p, &sample, scratch, ret_k, ret_d, reterr);
    }
    tq_scratch_rewind(scratch, mark);
    return status;
}

/* a -= [w x] in rows r .. and columns c .. */
static void take_cross(double *a, size_t n, size_t r, size_t c, const double w[3])
{
    a[r * n + c + 1] += w[2];
    a[r * n + c + 2] -= w[1];
    a[(r + 1) * n + c] -= w[2];
    a[(r + 1) * n + c + 2] += w[0];
    a[(r + 2) * n + c] += w[1];
    a[(r + 2) * n + c + 1] -= w[0];
}

/* upper half: d(dq)/dt = dqd - ad(qd) dq, where a displacement is in a rotating frame */
static void rate_of_displacement(const tq_model *model, const double *qd, double *a)
{
    const size_t n = 2 * (size_t)model->nv;
    for (size_t r = 0; r < model->nv; r++) {
        a[r * n + model->nv + r] = 1.0;
    }
    for (uint32_t j = 0; j < model->n_joint; j++) {
        const tq_joint *joint = &model->joints[j];
        const size_t r = joint->v_index;
        if (joint->kind == TQ_JOINT_SPHERICAL) {
            take_cross(a, n, r, r, qd + r);
        } else if (joint->kind == TQ_JOINT_FLOATING) {
            take_cross(a, n, r, r, qd + r + 3);
            take_cross(a, n, r, r + 3, qd + r);
            take_cross(a, n, r + 3, r + 3, qd + r + 3);
        }
    }
}

size_t tq_linearise_scratch_size(const tq_plant *plant)
{
    const tq_model *model = tq_mechanism_model(plant->mechanism);
    const size_t nv = model->nv;
    const size_t of_mass = tq_scratch_cost((model->nq + 1) * TQ_BLOCK_PAD, sizeof(double)) +
                           tq_scratch_cost((nv * nv + 1) * TQ_BLOCK_PAD, sizeof(double)) +
                           tq_mass_matrix_scratch_size(plant->mechanism);
    const size_t of_torque = tq_scratch_cost(plant->n_wrench, sizeof(tq_point_wrench)) +
                             tq_configuration_scratch_size(model) +
                             tq_derivatives_scratch_size(model);
    return 3 * tq_scratch_cost(nv * nv + 1, sizeof(double)) +
           tq_larger(probe_size(plant), tq_larger(of_mass, of_torque));
}

static tq_status linearise(const tq_plant *plant, const tq_run_point *at, bool is_closed,
                           tq_scratch *scratch, double *ret_a, double *ret_inverse,
                           tq_error *reterr)
{
    const tq_model *model = tq_mechanism_model(plant->mechanism);
    const size_t nv = model->nv;
    double *k_and_d[2] = {tq_scratch_take(scratch, nv * nv + 1, sizeof(double)),
                          tq_scratch_take(scratch, nv * nv + 1, sizeof(double))};
    double *m = tq_scratch_take(scratch, nv * nv + 1, sizeof *m);
    if (k_and_d[0] == NULL || k_and_d[1] == NULL || m == NULL) {
        return tq_fail(reterr, TQ_ERR_SCRATCH, "scratch", 0,
                       (double)tq_linearise_scratch_size(plant));
    }
    tq_status status = torque_derivatives(plant, at, scratch, k_and_d[0], k_and_d[1], reterr);
    if (status == TQ_OK && is_closed) {
        status = take_off_effects(plant, at, scratch, k_and_d, reterr);
    }
    if (status == TQ_OK) {
        status = mass(plant, at->q, scratch, m, reterr);
    }
    if (status == TQ_OK) {
        status = tq_forward_derivatives(nv, m, k_and_d[0], k_and_d[1], ret_inverse, reterr);
    }
    if (status != TQ_OK) {
        return status;
    }
    memset(ret_a, 0, 4 * nv * nv * sizeof *ret_a);
    rate_of_displacement(model, at->qd, ret_a);
    for (size_t r = 0; r < nv; r++) {
        memcpy(ret_a + (nv + r) * 2 * nv, k_and_d[0] + r * nv, nv * sizeof *ret_a);
        memcpy(ret_a + (nv + r) * 2 * nv + nv, k_and_d[1] + r * nv, nv * sizeof *ret_a);
    }
    return TQ_OK;
}

tq_status tq_linearise(const tq_plant *plant, const tq_run_point *at, bool is_closed,
                       tq_scratch *scratch, double *ret_a, double *ret_inverse, tq_error *reterr)
{
    const tq_model *model = tq_mechanism_model(plant->mechanism);
    if (model->nv > TQ_LINEAR_NV_MAX) {
        return tq_fail(reterr, TQ_ERR_SHAPE, "nv", 0, (double)model->nv);
    }
    const size_t mark = tq_scratch_mark(scratch);
    const tq_status status = linearise(plant, at, is_closed, scratch, ret_a, ret_inverse, reterr);
    tq_scratch_rewind(scratch, mark);
    return status;
}

/* Dominant mode */

size_t tq_fastest_growth_scratch_size(size_t n)
{
    return 2 * tq_scratch_cost(n + 1, sizeof(double)) + tq_eigen_general_scratch_size(n);
}

tq_status tq_fastest_growth_of(size_t n, double *a, tq_scratch *scratch,
                               tq_fastest_growth *ret_growth, tq_error *reterr)
{
    if (n == 0) {
        *ret_growth = (tq_fastest_growth){0.0, 0.0};
        return TQ_OK;
    }
    const size_t bad = tq_find_not_finite(a, n * n);
    if (bad < n * n) {
        return tq_fail(reterr, TQ_ERR_OVERFLOW, "linearisation", bad, a[bad]);
    }
    const size_t mark = tq_scratch_mark(scratch);
    double *re = tq_scratch_take(scratch, n, sizeof *re);
    double *im = tq_scratch_take(scratch, n, sizeof *im);
    if (re == NULL || im == NULL) {
        tq_scratch_rewind(scratch, mark);
        return tq_fail(reterr, TQ_ERR_SCRATCH, "scratch", 0,
                       (double)tq_fastest_growth_scratch_size(n));
    }
    /* row-major is the transpose: the same eigenvalues */
    const tq_status status = tq_eigen_general(n, a, n, scratch, re, im, reterr);
    if (status == TQ_OK) {
        size_t most = 0;
        for (size_t k = 1; k < n; k++) {
            most = re[k] > re[most] ? k : most;
        }
        *ret_growth = (tq_fastest_growth){.rate = re[most], .frequency = fabs(im[most])};
    }
    tq_scratch_rewind(scratch, mark);
    return status;
}

size_t tq_fastest_growth_sampled_scratch_size(size_t n)
{
    const size_t m = 2 * n + 1;
    return 3 * tq_scratch_cost(m * m, sizeof(double)) + tq_scratch_cost(n * n + 1, sizeof(double)) +
           2 * tq_scratch_cost(n + 1, sizeof(double)) + tq_eigen_general_scratch_size(n);
}

/* x+ = F x, F by columns: exp([A E; 0 0] h) contains exp(A h) and its integral */
static void sampled_map(size_t n, const double *open, const double *closed, double h,
                        double *const rooms[3], double *ret_f)
{
    const size_t m = 2 * n;
    double *x = rooms[0];
    memset(x, 0, m * m * sizeof *x);
    for (size_t c = 0; c < n; c++) {
        for (size_t r = 0; r < n; r++) {
            x[c * m + r] = h * open[r * n + c];
        }
        x[(n + c) * m + c] = h;
    }
    tq_exponential(m, x, rooms[1], rooms[2]);
    for (size_t c = 0; c < n; c++) {
        for (size_t r = 0; r < n; r++) {
            double sum = x[c * m + r];
            for (size_t k = 0; k < n; k++) {
                sum += x[(n + k) * m + r] * (closed[k * n + c] - open[k * n + c]);
            }
            ret_f[c * n + r] = sum;
        }
    }
}

tq_status tq_fastest_growth_sampled(size_t n, const double *open, const double *closed,
                                    double sample_time, tq_scratch *scratch,
                                    tq_fastest_growth *ret_growth, tq_error *reterr)
{
    if (n == 0) {
        *ret_growth = (tq_fastest_growth){0.0, 0.0};
        return TQ_OK;
    }
    const size_t mark = tq_scratch_mark(scratch);
    const size_t m = 2 * n;
    double *const rooms[3] = {tq_scratch_take(scratch, m * m, sizeof(double)),
                              tq_scratch_take(scratch, m * m, sizeof(double)),
                              tq_scratch_take(scratch, m * m, sizeof(double))};
    double *f = tq_scratch_take(scratch, n * n, sizeof *f);
    double *re = tq_scratch_take(scratch, n, sizeof *re);
    double *im = tq_scratch_take(scratch, n, sizeof *im);
    if (rooms[0] == NULL || rooms[1] == NULL || rooms[2] == NULL || f == NULL || re == NULL ||
        im == NULL) {
        tq_scratch_rewind(scratch, mark);
        return tq_fail(reterr, TQ_ERR_SCRATCH, "scratch", 0,
                       (double)tq_fastest_growth_sampled_scratch_size(n));
    }
    sampled_map(n, open, closed, sample_time, rooms, f);
    const size_t bad = tq_find_not_finite(f, n * n);
    const tq_status status = bad < n * n
                                 ? tq_fail(reterr, TQ_ERR_OVERFLOW, "linearisation", bad, f[bad])
                                 : tq_eigen_general(n, f, n, scratch, re, im, reterr);
    if (status == TQ_OK) {
        size_t most = 0;
        for (size_t k = 1; k < n; k++) {
            most = tq_hypot(re[k], im[k]) > tq_hypot(re[most], im[most]) ? k : most;
        }
        *ret_growth =
            (tq_fastest_growth){.rate = tq_log(tq_hypot(re[most], im[most])) / sample_time,
                                .frequency = fabs(tq_atan2(im[most], re[most])) / sample_time};
    }
    tq_scratch_rewind(scratch, mark);
    return status;
}
