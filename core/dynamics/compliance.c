/* SPDX-License-Identifier: Apache-2.0 */
/* core/dynamics/compliance.c - static torque, geometric stiffness, endpoint compliance. */
#include "core/dynamics/compliance.h"

#include <string.h>

#include "core/linalg/dense.h"
#include "core/spatial/screw.h"

/* relative singular value below which a direction is rounding error */
static const double rank_tolerance = 1e-12;

/* the load's point in the world, and its wrench about the world origin */
static void load_at_origin(const tq_configuration *p, const tq_load *load, double point[3],
                           double wrench[6])
{
    double arm[3];
    tq_mat_vec(p->pose[load->link].r, load->at, point);
    for (unsigned k = 0; k < 3; k++) {
        point[k] += p->pose[load->link].p[k];
    }
    tq_vec_cross(point, load->wrench, arm);
    for (unsigned k = 0; k < 3; k++) {
        wrench[k] = load->wrench[k];
        wrench[3 + k] = load->wrench[3 + k] + arm[k];
    }
}

void tq_static_torque(const tq_configuration *posture, const tq_load *load, double *ret_tau)
{
    double point[3];
    double wrench[6];
    load_at_origin(posture, load, point, wrench);
    for (unsigned k = 0; k < 6; k++) {
        wrench[k] = -wrench[k];
    }
    memset(ret_tau, 0, posture->model->nv * sizeof(double));
    tq_configuration_add_wrench(posture, load->link, wrench, ret_tau);
}

/* Does the axis of dof i move with dof j (both on one branch)? Within a spherical or floating joint
 * each axis moves with all dofs of the joint; within a planar joint the rotation axis moves with
 * the translations; else only with dofs before it. */
static int carries(const tq_model *model, const tq_freedom *j, const tq_freedom *i, size_t j_first,
                   size_t j_number, size_t i_number)
{
    if (j->joint != i->joint) {
        return j_number < i_number;
    }
    switch (model->joints[i->joint].kind) {
    case TQ_JOINT_SPHERICAL:
    case TQ_JOINT_FLOATING:
        return 1;
    case TQ_JOINT_PLANAR:
        return i_number - j_first == 2 && j_number - j_first < 2;
    case TQ_JOINT_FIXED:
    case TQ_JOINT_REVOLUTE:
    case TQ_JOINT_CONTINUOUS:
    case TQ_JOINT_PRISMATIC:
        return 0;
    }
    return 0;
}

void tq_geometric_stiffness(const tq_configuration *posture, const tq_load *load, double *ret_g)
{
    const tq_model *model = posture->model;
    const size_t nv = model->nv;
    double point[3];
    double wrench[6];
    load_at_origin(posture, load, point, wrench);
    memset(ret_g, 0, nv * nv * sizeof(double));
    for (uint32_t a = load->link; model->links[a].joint != TQ_NONE;
         a = model->joints[model->links[a].joint].parent) {
        const uint32_t ja = model->links[a].joint;
        for (uint32_t b = load->link; model->links[b].joint != TQ_NONE;
             b = model->joints[model->links[b].joint].parent) {
            const uint32_t jb = model->links[b].joint;
            for (uint32_t k = 0; k < posture->count[ja] * posture->count[jb]; k++) {
                const size_t i = posture->first[ja] + k / posture->count[jb];
                const size_t j = posture->first[jb] + k % posture->count[jb];
                const tq_freedom *fi = &posture->freedom[i];
                const tq_freedom *fj = &posture->freedom[j];
                /* d(J_i^T w)/dq_j: dof j moves the point, the force is constant in the world */
                double moved[3];
                double turned[6] = {0};
                tq_vec_cross(fj->screw + 3, point, moved);
                for (unsigned c = 0; c < 3; c++) {
                    moved[c] += fj->screw[c];
                }
                tq_vec_cross(moved, load->wrench, turned + 3);
                double sum = tq_dot6(fi->screw, turned);
                if (carries(model, fj, fi, posture->first[jb], j, i)) {
                    double rate[6];
                    tq_screw_cross(fj->screw, fi->screw, rate);
                    sum += tq_dot6(rate, wrench);
                }
                ret_g[fi->row * nv + fj->row] += fi->factor * fj->factor * sum;
            }
        }
    }
}

size_t tq_compliance_scratch_size(size_t n_task, size_t nv)
{
    return tq_scratch_cost(nv * nv, sizeof(double)) + tq_scratch_cost(nv * n_task, sizeof(double)) +
           tq_scratch_cost(n_task * n_task, sizeof(double)) +
           tq_scratch_cost(n_task, sizeof(double)) + tq_eigen_symmetric_scratch_size(n_task);
}

static tq_status compliance(size_t n_task, size_t nv, const double *jacobian,
                            const double *joint_stiffness, tq_scratch *scratch,
                            tq_compliance_result *result, tq_error *reterr)
{
    double *l = tq_scratch_take(scratch, nv * nv, sizeof *l);
    double *x = tq_scratch_take(scratch, nv * n_task, sizeof *x);
    double *v = tq_scratch_take(scratch, n_task * n_task, sizeof *v);
    double *value = tq_scratch_take(scratch, n_task, sizeof *value);
    if (l == NULL || x == NULL || v == NULL || value == NULL) {
        return tq_fail(reterr, TQ_ERR_SCRATCH, "scratch", 0,
                       (double)tq_compliance_scratch_size(n_task, nv));
    }
    memcpy(l, joint_stiffness, nv * nv * sizeof(double));
    memcpy(x, jacobian, nv * n_task * sizeof(double)); /* rows of J are columns of J^T */
    if (tq_cholesky_factor(nv, l, nv, reterr) != TQ_OK) {
        return tq_fail(reterr, TQ_ERR_SINGULAR, "joint_stiffness", 0, 0.0);
    }
    tq_status status = tq_cholesky_solve(nv, n_task, l, nv, x, nv, reterr);
    if (status != TQ_OK) {
        return status;
    }
    for (size_t i = 0; i < n_task; i++) {
        for (size_t j = 0; j < n_task; j++) {
            double sum = 0.0;
            for (size_t k = 0; k < nv; k++) {
                sum += jacobian[i * nv + k] * x[j * nv + k];
            }
            v[j * n_task + i] = sum;
        }
    }
    memcpy(result->compliance, v, n_task * n_task * sizeof(double));
    status = tq_eigen_symmetric(n_task, v, n_task, scratch, value, reterr);
    if (status != TQ_OK) {
        return status;
    }
    /* eigenvalues ascend: directions of zero compliance are first */
    size_t n_rigid = 0;
    while (n_rigid < n_task && value[n_rigid] <= rank_tolerance * value[n_task - 1]) {
        n_rigid++;
    }
    result->rank = n_task - n_rigid;
    memcpy(result->rigid, v, n_rigid * n_task * sizeof(double));
    for (size_t i = 0; n_rigid == 0 && i < n_task; i++) {
        for (size_t j = 0; j < n_task; j++) {
            double sum = 0.0;
            for (size_t k = 0; k < n_task; k++) {
                sum += v[k * n_task + i] * v[k * n_task + j] / value[k];
            }
            result->stiffness[i * n_task + j] = sum;
        }
    }
    return TQ_OK;
}

tq_status tq_compliance_compute(size_t n_task, size_t nv, const double *jacobian,
                                const double *joint_stiffness, tq_scratch *scratch,
                                tq_compliance_result *result, tq_error *reterr)
{
    const size_t mark = tq_scratch_mark(scratch);
    const tq_status status =
        compliance(n_task, nv, jacobian, joint_stiffness, scratch, result, reterr);
    tq_scratch_rewind(scratch, mark);
    return status;
}
