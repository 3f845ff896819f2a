/* SPDX-License-Identifier: Apache-2.0 */
/* core/dynamics/bounds/bounds_relative.c - first derivatives of M at a point and bounds on the
 * second over a box, both relative to M. */
#include "core/dynamics/bounds/bounds_relative.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "core/dynamics/lagrangian.h"
#include "core/linalg/dense.h"
#include "core/model/inertia.h"

bool tq_is_slide(const tq_joint *joint)
{
    return joint->kind == TQ_JOINT_PRISMATIC;
}

double tq_mimic_factor(const tq_joint *joint)
{
    return joint->mimic != TQ_NONE ? fabs(joint->mimic_multiplier) : 1.0;
}

uint32_t tq_parent_joint(const tq_model *model, uint32_t number)
{
    return model->links[model->joints[number].parent].joint;
}

/* largest distance of a prismatic joint's child from its joint frame */
static double travel(const tq_joint *joint, const double *lower, const double *upper)
{
    if (!tq_is_slide(joint)) {
        return 0.0;
    }
    const double most = fmax(fabs(lower[joint->q_index]), fabs(upper[joint->q_index]));
    return tq_mimic_factor(joint) * most +
           (joint->mimic != TQ_NONE ? fabs(joint->mimic_offset) : 0.0);
}

static double length3(const double x[3])
{
    return sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
}

void tq_measure_arms(const tq_model *model, const double *lower, const double *upper, uint32_t link,
                     double *ret_arm)
{
    double far = length3(model->links[link].inertia.com);
    for (uint32_t j = model->links[link].joint; j != TQ_NONE; j = tq_parent_joint(model, j)) {
        const tq_joint *joint = &model->joints[j];
        ret_arm[j] = tq_is_slide(joint) ? 1.0 : far;
        far += length3(joint->origin.p) + travel(joint, lower, upper);
    }
}

/* ------------------------------------------------------------------------------------------------
 * Second derivatives
 */

/* limit on the sum of depth^4 over links, 30 ns each (0.24 s): a chain of 24 joints takes 1.8e6 */
static const double work_max = 8e6;
enum { DEPTH_MAX = 64 };

/* The moving joints between a link and the root, deepest first. */
typedef struct way {
    size_t n;
    const tq_joint *joint[DEPTH_MAX];
    double arm[DEPTH_MAX];
} way;

/* Bound on |d^n c / dq_i dq_j ...| of the centre of mass: z_i x (z_j x ... (c - p)), joints from
 * the root outward, so at most the arm of the deepest. The derivative is 0 if a prismatic joint is
 * not the deepest, or if the deepest is prismatic and occurs twice. */
static double of_centre(const way *w, const size_t *i, size_t n)
{
    size_t deep = i[0], count = 0;
    for (size_t k = 1; k < n; k++) {
        deep = i[k] < deep ? i[k] : deep;
    }
    for (size_t k = 0; k < n; k++) {
        count += i[k] == deep;
        if (i[k] != deep && tq_is_slide(w->joint[i[k]])) {
            return 0.0;
        }
    }
    return count > 1 && tq_is_slide(w->joint[deep]) ? 0.0 : w->arm[deep];
}

/* the same for the axis of joint i[0] in the link's frame: only revolute joints deeper than it
 * rotate it */
static double of_axis(const way *w, const size_t *i, size_t n)
{
    for (size_t k = 0; k < n; k++) {
        if (tq_is_slide(w->joint[i[k]]) || (k > 0 && i[k] >= i[0])) {
            return 0.0;
        }
    }
    return 1.0;
}

/* bound on |d2/dq_k dq_l (m Jv_a . Jv_b + Jw_a . I Jw_b)| of one link: product rule, each
 * derivative on either factor */
static double curve_of(const way *w, double mass, double moment, size_t a, size_t b, size_t k,
                       size_t l)
{
    const size_t base = a > b ? a : b;
    if (k >= base || l >= base) {
        return 0.0; /* a joint at or before both moves both rigidly */
    }
    double sum = 0.0;
    for (unsigned split = 0; split < 4; split++) {
        size_t one[3] = {a}, other[3] = {b}, n_one = 1, n_other = 1;
        const size_t by[2] = {k, l};
        for (unsigned e = 0; e < 2; e++) {
            if ((split >> e & 1u) != 0) {
                one[n_one++] = by[e];
            } else {
                other[n_other++] = by[e];
            }
        }
        sum += mass * of_centre(w, one, n_one) * of_centre(w, other, n_other) +
               moment * of_axis(w, one, n_one) * of_axis(w, other, n_other);
    }
    return sum;
}

static void add_curves(const tq_relative *r, const way *w, const tq_inertia *inertia,
                       const double *h)
{
    const size_t nv = r->model->nv;
    double principal[3], axes[9];
    tq_symmetric_eigen(inertia->about_com, principal, axes);
    const double moment = fmax(fabs(principal[0]), fabs(principal[2]));
    double factor[DEPTH_MAX];
    for (size_t i = 0; i < w->n; i++) {
        factor[i] = tq_mimic_factor(w->joint[i]);
    }
    for (size_t a = 0; a < w->n; a++) {
        for (size_t b = 0; b < w->n; b++) {
            for (size_t k = 0; k < w->n; k++) {
                double sum = 0.0;
                for (size_t l = 0; l < w->n; l++) {
                    sum += factor[l] * h[w->joint[l]->v_index] *
                           curve_of(w, fabs(inertia->mass), moment, a, b, k, l);
                }
                r->curve[(w->joint[k]->v_index * nv + w->joint[a]->v_index) * nv +
                         w->joint[b]->v_index] += factor[a] * factor[b] * factor[k] * sum;
            }
        }
    }
}

size_t tq_relative_scratch_size(const tq_model *model)
{
    const size_t nv = model->nv;
    if (nv > TQ_RELATIVE_NV_MAX) {
        return 0;
    }
    return 2 * tq_scratch_cost(nv * nv * nv, sizeof(double)) +
           3 * tq_scratch_cost(nv * nv, sizeof(double)) + 2 * tq_scratch_cost(nv, sizeof(double));
}

static bool has_inertia(const tq_inertia *inertia)
{
    double most = fabs(inertia->mass);
    for (unsigned k = 0; k < 6; k++) {
        most = fmax(most, fabs(inertia->about_com[k]));
    }
    return most > 0.0;
}

/* moving joints between a link and the root */
static size_t depth_of(const tq_model *model, uint32_t link)
{
    size_t n = 0;
    for (uint32_t j = model->links[link].joint; j != TQ_NONE; j = tq_parent_joint(model, j)) {
        n += tq_joint_kind_nv(model->joints[j].kind) != 0;
    }
    return n;
}

/* nv bounds neither the number of joints, as many may mimic one, nor that of links on a chain */
bool tq_relative_is_affordable(const tq_model *model)
{
    double work = 0.0;
    for (uint32_t link = 0; link < model->n_link && work <= work_max; link++) {
        const double depth = (double)depth_of(model, link);
        const bool counts = has_inertia(&model->links[link].inertia);
        work += (double)model->n_joint + (counts ? depth * depth * depth * depth : 0.0);
    }
    return model->nv <= TQ_RELATIVE_NV_MAX && work <= work_max;
}

static void find_way(const tq_model *model, uint32_t link, const double *arm, way *ret)
{
    ret->n = 0;
    for (uint32_t j = model->links[link].joint; j != TQ_NONE; j = tq_parent_joint(model, j)) {
        if (tq_joint_kind_nv(model->joints[j].kind) != 0) {
            assert(ret->n < DEPTH_MAX); /* depth^4 <= work_max */
            ret->joint[ret->n] = &model->joints[j];
            ret->arm[ret->n++] = arm[j];
        }
    }
}

bool tq_relative_init(tq_relative *r, const tq_model *model, const double *lower,
                      const double *upper, double *arm, tq_scratch *scratch)
{
    const size_t nv = model->nv, mark = tq_scratch_mark(scratch);
    *r = (tq_relative){.model = model};
    r->curve = tq_scratch_take(scratch, nv * nv * nv, sizeof(double));
    r->gamma = tq_scratch_take(scratch, nv * nv * nv, sizeof(double));
    r->w = tq_scratch_take(scratch, nv * nv, sizeof(double));
    r->part = tq_scratch_take(scratch, nv * nv, sizeof(double));
    r->n = tq_scratch_take(scratch, nv * nv, sizeof(double));
    r->values = tq_scratch_take(scratch, nv, sizeof(double));
    double *h = tq_scratch_take(scratch, nv, sizeof(double));
    if (r->curve == NULL || r->gamma == NULL || r->w == NULL || r->part == NULL || r->n == NULL ||
        r->values == NULL || h == NULL) {
        tq_scratch_rewind(scratch, mark);
        return false;
    }
    for (size_t k = 0; k < nv; k++) {
        h[k] = 0.5 * (upper[k] - lower[k]);
    }
    memset(r->curve, 0, nv * nv * nv * sizeof(double));
    for (uint32_t link = 0; link < model->n_link; link++) {
        way w;
        if (!has_inertia(&model->links[link].inertia)) {
            continue;
        }
        tq_measure_arms(model, lower, upper, link, arm);
        find_way(model, link, arm, &w);
        add_curves(r, &w, &model->links[link].inertia, h);
    }
    return true;
}

/* ------------------------------------------------------------------------------------------------
 * In units of M0
 */

/* n += h |W D W^T|, D = dM/dq_k; returns the largest entry added */
static double add_slope(const tq_relative *r, size_t k, double h)
{
    const size_t nv = r->model->nv;
    double most = 0.0;
    for (size_t i = 0; i < nv; i++) {
        double *row = r->part + i * nv; /* row i of W D */
        memset(row, 0, nv * sizeof *row);
        for (size_t a = 0; a < nv; a++) {
            for (size_t b = 0; b < nv; b++) {
                const double slope =
                    r->gamma[(a * nv + b) * nv + k] + r->gamma[(b * nv + a) * nv + k];
                row[b] += r->w[i * nv + a] * slope;
            }
        }
    }
    for (size_t i = 0; i < nv; i++) {
        for (size_t j = 0; j < nv; j++) {
            double sum = 0.0;
            for (size_t b = 0; b < nv; b++) {
                sum += r->part[i * nv + b] * r->w[j * nv + b];
            }
            r->n[i * nv + j] += h * fabs(sum);
            most = fmax(most, h * fabs(sum));
        }
    }
    return most;
}

/* n += |W| R |W|^T, R = sum_k h_k curve_k / 2 */
static void add_curvature(const tq_relative *r, const double *h)
{
    const size_t nv = r->model->nv;
    double *rest = r->gamma; /* storage no longer in use */
    memset(rest, 0, nv * nv * sizeof *rest);
    for (size_t k = 0; k < nv; k++) {
        for (size_t e = 0; e < nv * nv; e++) {
            rest[e] += 0.5 * h[k] * r->curve[k * nv * nv + e];
        }
    }
    for (size_t i = 0; i < nv; i++) {
        for (size_t b = 0; b < nv; b++) {
            double sum = 0.0;
            for (size_t a = 0; a < nv; a++) {
                sum += fabs(r->w[i * nv + a]) * rest[a * nv + b];
            }
            r->part[i * nv + b] = sum;
        }
    }
    for (size_t i = 0; i < nv; i++) {
        for (size_t j = 0; j < nv; j++) {
            for (size_t b = 0; b < nv; b++) {
                r->n[i * nv + j] += r->part[i * nv + b] * fabs(r->w[j * nv + b]);
            }
        }
    }
}

tq_status tq_relative_change(const tq_relative *r, const tq_configuration *posture,
                             const double *values, const double *vectors, const double *h,
                             tq_scratch *scratch, double ret[2], tq_error *reterr)
{
    const size_t nv = r->model->nv;
    ret[0] = HUGE_VAL;
    ret[1] = 0.0;
    /* rounding of M0, (nv + 8) eps of its largest eigenvalue, relative to its smallest */
    const double rounding = (double)(nv + 8) * DBL_EPSILON * values[nv - 1] / values[0];
    if (!(values[0] > 0.0) || !(rounding < 0.1)) {
        return TQ_OK;
    }
    tq_status status = tq_lagrangian_christoffel(posture, scratch, r->gamma, reterr);
    if (status != TQ_OK) {
        return status;
    }
    for (size_t i = 0; i < nv; i++) {
        for (size_t a = 0; a < nv; a++) {
            r->w[i * nv + a] = vectors[i * nv + a] / sqrt(values[i]);
        }
    }
    memset(r->n, 0, nv * nv * sizeof *r->n);
    double most = -1.0;
    for (size_t k = 0; k < nv; k++) {
        const double added = add_slope(r, k, h[k]);
        ret[1] = added > most ? (double)k : ret[1];
        most = fmax(most, added);
    }
    add_curvature(r, h);
    status = tq_eigenvalues_symmetric(nv, r->n, nv, scratch, r->values, reterr);
    if (status == TQ_OK) {
        ret[0] = fmax(r->values[nv - 1], -r->values[0]) * (1.0 + 1e-9) + rounding;
    }
    return status;
}
