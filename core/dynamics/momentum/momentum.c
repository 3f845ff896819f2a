/* SPDX-License-Identifier: Apache-2.0 */
/* core/dynamics/momentum/momentum.c - centre of mass, momentum and operational-space inertia. */
#include "core/dynamics/momentum/momentum.h"

#include <math.h>
#include <string.h>

#include "core/dynamics/mass_matrix/mass_matrix_inverse.h"
#include "core/linalg/dense.h"
#include "core/model/inertia.h"
#include "core/spatial/screw.h"

void tq_momentum_compute(const tq_configuration *posture, tq_momentum *ret_momentum)
{
    const tq_model *model = posture->model;
    double first[3] = {0};
    double total[6] = {0};
    double mass = 0.0;
    for (uint32_t link = 0; link < model->n_link; link++) {
        const tq_inertia world = tq_inertia_move(&model->links[link].inertia, &posture->pose[link]);
        double spatial[36];
        double h[6];
        tq_inertia_spatial(&world, spatial);
        tq_apply6(spatial, posture->twist + 6 * (size_t)link, h);
        tq_axpy6(1.0, h, total);
        mass += world.mass;
        for (unsigned k = 0; k < 3; k++) {
            first[k] += world.mass * world.com[k];
        }
    }
    tq_momentum sum = {.mass = mass};
    for (unsigned k = 0; k < 3; k++) {
        sum.com[k] = mass > 0.0 ? first[k] / mass : 0.0;
        sum.linear[k] = total[k];
        sum.com_velocity[k] = mass > 0.0 ? total[k] / mass : 0.0;
        sum.angular_origin[k] = total[3 + k];
    }
    double orbital[3];
    tq_vec_cross(sum.com, sum.linear, orbital);
    for (unsigned k = 0; k < 3; k++) {
        sum.angular_com[k] = sum.angular_origin[k] - orbital[k];
    }
    *ret_momentum = sum;
}

void tq_com_jacobian(const tq_configuration *posture, double *ret_jacobian)
{
    const tq_model *model = posture->model;
    const size_t nv = model->nv;
    double mass = 0.0;
    memset(ret_jacobian, 0, 3 * nv * sizeof(double));
    for (uint32_t link = 0; link < model->n_link; link++) {
        const tq_inertia world = tq_inertia_move(&model->links[link].inertia, &posture->pose[link]);
        mass += world.mass;
        for (uint32_t at = link; model->links[at].joint != TQ_NONE;
             at = model->joints[model->links[at].joint].parent) {
            const uint32_t joint = model->links[at].joint;
            for (uint32_t k = 0; k < posture->count[joint]; k++) {
                const tq_freedom *freedom = &posture->freedom[posture->first[joint] + k];
                double turning[3];
                tq_vec_cross(freedom->screw + 3, world.com, turning);
                for (unsigned r = 0; r < 3; r++) {
                    ret_jacobian[r * nv + freedom->row] +=
                        world.mass * freedom->factor * (freedom->screw[r] + turning[r]);
                }
            }
        }
    }
    for (size_t k = 0; k < 3 * nv && mass > 0.0; k++) {
        ret_jacobian[k] /= mass;
    }
}

static size_t operational_size(size_t n_task, size_t nv)
{
    return tq_scratch_cost(nv * nv, sizeof(double)) + tq_scratch_cost(nv * n_task, sizeof(double));
}

static tq_status operational_inertia(size_t n_task, size_t nv, const double *jacobian,
                                     const double *m, tq_scratch *scratch, double *ret_lambda,
                                     tq_error *reterr)
{
    double *l = tq_scratch_take(scratch, nv * nv, sizeof *l);
    double *x = tq_scratch_take(scratch, nv * n_task, sizeof *x);
    if (l == NULL || x == NULL) {
        return tq_fail(reterr, TQ_ERR_SCRATCH, "scratch", 0, (double)operational_size(n_task, nv));
    }
    memcpy(l, m, nv * nv * sizeof(double));
    memcpy(x, jacobian, nv * n_task * sizeof(double)); /* rows of J are columns of J^T */
    if (tq_cholesky_factor(nv, l, nv, reterr) != TQ_OK) {
        return tq_fail(reterr, TQ_ERR_SINGULAR, "mass_matrix", 0, 0.0);
    }
    tq_status status = tq_cholesky_solve(nv, n_task, l, nv, x, nv, reterr);
    if (status != TQ_OK) {
        return status;
    }
    double largest = 0.0;
    for (size_t i = 0; i < n_task; i++) {
        for (size_t j = 0; j < n_task; j++) {
            double sum = 0.0;
            for (size_t k = 0; k < nv; k++) {
                sum += jacobian[i * nv + k] * x[j * nv + k];
            }
            ret_lambda[j * n_task + i] = sum;
        }
        largest = fmax(largest, ret_lambda[i * n_task + i]);
    }
    if (tq_cholesky_factor(n_task, ret_lambda, n_task, reterr) != TQ_OK) {
        return tq_fail(reterr, TQ_ERR_SINGULAR, "jacobian", 0, 0.0);
    }
    for (size_t k = 0; k < n_task; k++) {
        /* pivots below rounding, eps times the size of the sums, are zero */
        const double pivot = ret_lambda[k * n_task + k] * ret_lambda[k * n_task + k];
        if (pivot <= 64.0 * 0x1p-52 * (double)nv * largest) {
            return tq_fail(reterr, TQ_ERR_SINGULAR, "jacobian", k, pivot);
        }
    }
    return tq_cholesky_invert(n_task, ret_lambda, n_task, reterr);
}

tq_status tq_operational_inertia(size_t n_task, size_t nv, const double *jacobian, const double *m,
                                 tq_scratch *scratch, double *ret_lambda, tq_error *reterr)
{
    const size_t mark = tq_scratch_mark(scratch);
    const tq_status status =
        operational_inertia(n_task, nv, jacobian, m, scratch, ret_lambda, reterr);
    tq_scratch_rewind(scratch, mark);
    return status;
}

size_t tq_operational_at_scratch_size(const tq_mechanism *mechanism)
{
    const size_t nv = tq_mechanism_model(mechanism)->nv;
    return tq_scratch_cost(nv * nv, sizeof(double)) + tq_scratch_cost(6 * nv, sizeof(double)) +
           tq_larger(tq_mass_matrix_flat_scratch_size(mechanism), operational_size(6, nv));
}

tq_status tq_operational_inertia_at(const tq_mechanism *mechanism, const tq_configuration *posture,
                                    const double *q, const tq_task_point *point,
                                    tq_scratch *scratch, double *ret_lambda, tq_error *reterr)
{
    const size_t nv = tq_mechanism_model(mechanism)->nv;
    const size_t mark = tq_scratch_mark(scratch);
    double *m = tq_scratch_take(scratch, nv * nv, sizeof *m);
    double *jacobian = tq_scratch_take(scratch, 6 * nv, sizeof *jacobian);
    if (m == NULL || jacobian == NULL) {
        tq_scratch_rewind(scratch, mark);
        return tq_fail(reterr, TQ_ERR_SCRATCH, "scratch", 0,
                       (double)tq_operational_at_scratch_size(mechanism));
    }
    tq_status status = tq_mass_matrix_flat(mechanism, q, 0, scratch, m, reterr);
    if (status == TQ_OK) {
        size_t n = 0;
        tq_configuration_jacobian(posture, point->link, point->at, TQ_JACOBIAN_WORLD_ALIGNED,
                                  jacobian, NULL);
        for (size_t axis = 0; axis < 6; axis++) {
            if (point->axes == 0 || (point->axes >> axis & 1u) != 0) {
                memmove(jacobian + n++ * nv, jacobian + axis * nv, nv * sizeof *jacobian);
            }
        }
        status = tq_operational_inertia(n, nv, jacobian, m, scratch, ret_lambda, reterr);
    }
    tq_scratch_rewind(scratch, mark);
    return status;
}
