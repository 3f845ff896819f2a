/* SPDX-License-Identifier: Apache-2.0 */
/* api/operations/terms/table.c - every name of `include`: its arrays, their descriptions, the
   functions that compute them. */
#include <string.h>

#include "api/operations/terms/constraints.h"
#include "api/operations/terms/include.h"
#include "core/drives/demand.h"
#include "core/dynamics/ball_terms.h"
#include "core/dynamics/checks.h"
#include "core/dynamics/derivatives/derivatives.h"
#include "core/dynamics/derivatives/second_derivatives.h"
#include "core/dynamics/derivatives/second_forward.h"
#include "core/dynamics/drag.h"
#include "core/dynamics/lagrangian.h"
#include "core/dynamics/ledger.h"
#include "core/dynamics/mass_matrix/mass_matrix_inverse.h"
#include "core/dynamics/momentum/momentum.h"
#include "core/dynamics/passive/tendons.h"
#include "core/dynamics/terms.h"
#include "core/linalg/dense.h"

static size_t square(const tqa_term_input *moment)
{
    return (size_t)moment->model->nv * moment->model->nv;
}

/* of the kernel, as without wrenches */
tq_status tqa_term_mass_matrix(const tqa_term_input *moment, double *ret, tq_error *error)
{
    return tq_mass_matrix_flat(moment->call->mechanism, moment->sample.q, 0, moment->scratch, ret,
                               error);
}

tq_status tqa_term_mass_matrix_inverse(const tqa_term_input *moment, double *ret, tq_error *error)
{
    const size_t nv = moment->model->nv;
    const tq_status status = tqa_term_mass_matrix(moment, moment->m, error);
    if (status == TQ_OK && nv > 0) {
        const size_t row = tq_mass_matrix_factor(nv, moment->m);
        if (row < nv) {
            return tq_fail(error, TQ_ERR_SINGULAR, "mass_matrix", 0, (double)row);
        }
        tq_mass_matrix_invert(nv, moment->m, ret);
    }
    return status;
}

tq_status tqa_term_mass_matrix_bounds(const tqa_term_input *moment, double *ret, tq_error *error)
{
    const size_t nv = moment->model->nv;
    const size_t mark = tq_scratch_mark(moment->scratch);
    ret[0] = ret[1] = 0.0;
    tq_status status = tqa_term_mass_matrix(moment, moment->m, error);
    double *values = tq_scratch_take(moment->scratch, nv, sizeof *values);
    if (status == TQ_OK && nv > 0) {
        status = values == NULL
                     ? TQ_ERR_SCRATCH
                     : tq_eigenvalues_symmetric(nv, moment->m, nv, moment->scratch, values, error);
        if (status == TQ_OK) {
            ret[0] = values[0];
            ret[1] = values[nv - 1];
        }
    }
    tq_scratch_rewind(moment->scratch, mark);
    return status;
}

tq_status tqa_term_mass_matrix_rate(const tqa_term_input *moment, double *ret, tq_error *error)
{
    return tq_mass_matrix_rate(&moment->posture, moment->scratch, ret, error);
}

tq_status tqa_term_mass_matrix_derivatives(const tqa_term_input *moment, double *ret,
                                           tq_error *error)
{
    const size_t nv = moment->model->nv;
    const tq_status status =
        tq_lagrangian_christoffel(&moment->posture, moment->scratch, ret, error);
    /* dM_ij/dq_k = Gamma_ijk + Gamma_jik, pair by pair in place */
    for (size_t i = 0; status == TQ_OK && i < nv; i++) {
        for (size_t j = 0; j <= i; j++) {
            for (size_t k = 0; k < nv; k++) {
                double *one = &ret[(i * nv + j) * nv + k], *other = &ret[(j * nv + i) * nv + k];
                *one = *other = *one + *other;
            }
        }
    }
    return status;
}

static tq_status coriolis(const tqa_term_input *moment, tq_coriolis_form form, double *ret,
                          tq_error *error)
{
    return tq_lagrangian_coriolis(&moment->posture, moment->sample.qd, form, moment->scratch, ret,
                                  error);
}

tq_status tqa_term_coriolis_matrix(const tqa_term_input *moment, double *ret, tq_error *error)
{
    tq_status status =
        coriolis(moment, (tq_coriolis_form)moment->call->request.options.form, ret, error);
    if (status == TQ_OK) {
        status = tqa_term_mass_matrix(moment, moment->m, error);
    }
    if (status == TQ_OK) {
        status = tqa_term_mass_matrix_rate(moment, moment->c, error);
    }
    if (status == TQ_OK) {
        ret[square(moment)] =
            tq_skew_residual(moment->model->nv, moment->m, moment->sample.qd, moment->c, ret);
    }
    return status;
}

tq_status tqa_term_coriolis_vector(const tqa_term_input *moment, double *ret, tq_error *error)
{
    const size_t nv = moment->model->nv;
    const tq_status status = coriolis(moment, TQ_CORIOLIS_CHRISTOFFEL, moment->c, error);
    for (size_t i = 0; status == TQ_OK && i < nv; i++) {
        ret[i] = 0.0;
        for (size_t j = 0; j < nv; j++) {
            ret[i] += moment->c[i * nv + j] * moment->sample.qd[j];
        }
    }
    return status;
}

tq_status tqa_term_christoffel_symbols(const tqa_term_input *moment, double *ret, tq_error *error)
{
    const size_t nv = moment->model->nv;
    double *split = ret + nv * nv * nv;
    const tq_status status =
        tq_lagrangian_christoffel(&moment->posture, moment->scratch, ret, error);
    if (status != TQ_OK) {
        return status;
    }
    return tq_velocity_split(&moment->posture, moment->sample.qd, moment->scratch, split,
                             split + nv, error);
}

tq_status tqa_term_gravity_torque(const tqa_term_input *moment, double *ret, tq_error *error)
{
    (void)error;
    tq_lagrangian_gravity(&moment->posture, moment->sample.gravity, ret);
    return TQ_OK;
}

tq_status tqa_term_friction(const tqa_term_input *moment, double *ret, tq_error *error)
{
    (void)error;
    const tq_model *model = moment->model;
    memset(ret, 0, model->nv * sizeof *ret);
    for (uint32_t j = 0; j < model->n_joint; j++) {
        const tq_joint *joint = &model->joints[j];
        if (tq_joint_kind_nv(joint->kind) == 1) {
            const double factor = joint->mimic != TQ_NONE ? joint->mimic_multiplier : 1.0;
            const double rate = factor * moment->sample.qd[joint->v_index];
            ret[joint->v_index] += factor * tq_friction_effort(&joint->friction, rate);
        } else {
            tq_ball_add_damper(joint, 1, 1, moment->sample.qd, 1.0, ret);
        }
    }
    tq_tendons_add_friction(model, 1, 1, moment->sample.q, moment->sample.qd, 1.0, ret);
    tq_drag_add_at(&moment->posture, ret);
    return TQ_OK;
}

tq_status tqa_term_energy(const tqa_term_input *moment, double *ret, tq_error *error)
{
    (void)error;
    const tq_sample *sample = &moment->sample;
    ret[0] = tq_lagrangian_kinetic(&moment->posture, sample->qd);
    ret[1] = tq_lagrangian_potential(&moment->posture, sample->gravity, sample->q);
    return TQ_OK;
}

tq_status tqa_term_momentum(const tqa_term_input *moment, double *ret, tq_error *error)
{
    (void)error;
    tq_momentum all;
    tq_momentum_compute(&moment->posture, &all);
    ret[0] = all.mass;
    memcpy(ret + 1, all.linear, sizeof all.linear);
    memcpy(ret + 4, all.angular_com, sizeof all.angular_com);
    memcpy(ret + 7, all.angular_origin, sizeof all.angular_origin);
    return TQ_OK;
}

tq_status tqa_term_center_of_mass(const tqa_term_input *moment, double *ret, tq_error *error)
{
    (void)error;
    tq_momentum all;
    tq_momentum_compute(&moment->posture, &all);
    memcpy(ret, all.com, sizeof all.com);
    memcpy(ret + 3, all.com_velocity, sizeof all.com_velocity);
    tq_com_jacobian(&moment->posture, ret + 6);
    return TQ_OK;
}

tq_status tqa_term_center_of_mass_jacobian(const tqa_term_input *moment, double *ret,
                                           tq_error *error)
{
    (void)error;
    tq_com_jacobian(&moment->posture, ret);
    return TQ_OK;
}

tq_status tqa_term_operational_space_inertia(const tqa_term_input *moment, double *ret,
                                             tq_error *error)
{
    const tqa_options *options = &moment->call->request.options;
    const size_t nv = moment->model->nv;
    const size_t mark = tq_scratch_mark(moment->scratch);
    double *jacobian = tq_scratch_take(moment->scratch, 6 * nv, sizeof *jacobian);
    tq_status status = tqa_term_mass_matrix(moment, moment->m, error);
    size_t n = 0;
    if (jacobian != NULL && status == TQ_OK) {
        tq_configuration_jacobian(&moment->posture, options->frame.link, options->frame.at,
                                  TQ_JACOBIAN_WORLD_ALIGNED, jacobian, NULL);
        for (size_t axis = 0; axis < 6; axis++) {
            if (options->axes == 0 || (options->axes >> axis & 1u) != 0) {
                memmove(jacobian + n++ * nv, jacobian + axis * nv, nv * sizeof *jacobian);
            }
        }
        status = tq_operational_inertia(n, nv, jacobian, moment->m, moment->scratch, ret, error);
    }
    tq_scratch_rewind(moment->scratch, mark);
    return status;
}

tq_status tqa_term_passivity(const tqa_term_input *moment, double *ret, tq_error *error)
{
    return tq_passivity_torque(&moment->posture, moment->sample.qd, moment->qd_ref, moment->qdd_ref,
                               moment->sample.gravity, moment->scratch, ret, error);
}

tq_status tqa_term_link_jacobians(const tqa_term_input *moment, double *ret, tq_error *error)
{
    (void)error;
    static const double origin[3] = {0.0, 0.0, 0.0};
    for (uint32_t link = 0; link < moment->model->n_link; link++) {
        tq_configuration_jacobian(&moment->posture, link, origin, TQ_JACOBIAN_WORLD_ALIGNED,
                                  ret + 6 * (size_t)link * moment->model->nv, NULL);
    }
    return TQ_OK;
}

tq_status tqa_term_ledger(const tqa_term_input *moment, double *ret, tq_error *error)
{
    const size_t nv = moment->model->nv;
    const tq_status status =
        tq_ledger(&moment->posture, &moment->sample, moment->scratch, ret, error);
    for (size_t i = 0; status == TQ_OK && i < nv; i++) {
        double sum = 0.0;
        for (size_t e = 0; e < TQ_LEDGER_COUNT; e++) {
            sum += ret[e * nv + i];
        }
        ret[TQ_LEDGER_COUNT * nv + i] = sum;
    }
    return status;
}

/* member m of joint number k of those with drives is ret[m * n + k] */
tq_status tqa_term_drive(const tqa_term_input *moment, double *ret, tq_error *error)
{
    const tqa_robot *robot = moment->call->robot;
    const size_t nv = moment->model->nv;
    const size_t n = tqa_member_extent(moment->call, TQA_EXTENT_DRIVES);
    const size_t mark = tq_scratch_mark(moment->scratch);
    double *entries = tq_scratch_take(moment->scratch, (TQ_LEDGER_COUNT + 1) * nv, sizeof *entries);
    const tq_status status =
        entries == NULL ? TQ_ERR_SCRATCH : tqa_term_ledger(moment, entries, error);
    size_t k = 0;
    bool feasible = true;
    for (uint32_t j = 0; status == TQ_OK && j < moment->model->n_joint; j++) {
        const tq_drive *driven = tqa_robot_drive(robot, j);
        if (driven == NULL) {
            continue;
        }
        const uint32_t row = moment->model->joints[j].v_index;
        tq_drive_demand d;
        tq_drive_demand_at(driven, entries[TQ_LEDGER_COUNT * nv + row], moment->sample.qd[row], &d);
        const double values[] = {d.motor_torque, d.motor_speed,    d.current,
                                 d.voltage,      d.duty,           d.power,
                                 d.current_use,  d.continuous_use, d.voltage_use};
        for (size_t m = 0; m < sizeof values / sizeof values[0]; m++) {
            ret[m * n + k] = values[m];
        }
        feasible = feasible && d.feasible;
        ret[sizeof values / sizeof values[0] * n] = feasible;
        k++;
    }
    tq_scratch_rewind(moment->scratch, mark);
    return status;
}

tq_status tqa_term_decoupling(const tqa_term_input *moment, double *ret, tq_error *error)
{
    const tq_model *model = moment->model;
    const size_t nv = model->nv;
    const size_t mark = tq_scratch_mark(moment->scratch);
    double *velocity = tq_scratch_take(moment->scratch, 2 * nv, sizeof *velocity);
    double *rotor = velocity + nv;
    tq_status status =
        velocity == NULL ? TQ_ERR_SCRATCH : tqa_term_coriolis_vector(moment, velocity, error);
    if (status == TQ_OK) {
        status = tqa_term_mass_matrix(moment, moment->m, error);
    }
    if (status == TQ_OK) {
        memset(rotor, 0, nv * sizeof *rotor);
        for (uint32_t j = 0; j < model->n_joint; j++) {
            const tq_joint *joint = &model->joints[j];
            const double turns =
                joint->rotor.ratio * (joint->mimic != TQ_NONE ? joint->mimic_multiplier : 1.0);
            if (tq_joint_kind_nv(joint->kind) == 1) {
                rotor[joint->v_index] += turns * turns * joint->rotor.inertia;
            }
        }
        /* of spherical and floating joints as they are in M */
        tq_ball_add_mass_diagonal(model, rotor);
        tq_decoupling_errors(nv, moment->m, rotor, velocity, moment->sample.qdd, ret);
    }
    tq_scratch_rewind(moment->scratch, mark);
    return status;
}

/* The posture of rigid bodies: at rest where the terms of velocity are left out. */
static tq_status rigid_posture(const tqa_term_input *moment, tq_configuration *ret, tq_error *error)
{
    *ret = moment->posture;
    return (moment->sample.without & TQ_WITHOUT_VELOCITY) == 0
               ? TQ_OK
               : tq_configuration_compute(moment->model, moment->sample.q, NULL, moment->scratch,
                                          ret, error);
}

/* d tau/dq, d tau/dqd, and M after them */
tq_status tqa_term_torque_derivatives(const tqa_term_input *moment, double *ret, tq_error *error)
{
    const size_t mark = tq_scratch_mark(moment->scratch);
    tq_configuration posture;
    tq_status status = rigid_posture(moment, &posture, error);
    if (status == TQ_OK) {
        status = tq_inverse_derivatives(&posture, &moment->sample, moment->scratch, ret,
                                        ret + square(moment), error);
    }
    tq_scratch_rewind(moment->scratch, mark);
    return status == TQ_OK ? tqa_term_mass_matrix(moment, ret + 2 * square(moment), error) : status;
}

tq_status tqa_term_second_derivatives(const tqa_term_input *moment, double *ret, tq_error *error)
{
    const size_t mark = tq_scratch_mark(moment->scratch);
    const tq_second_derivatives arrays = tq_second_arrays(ret, moment->model->nv);
    tq_configuration posture;
    tq_status status = rigid_posture(moment, &posture, error);
    if (status == TQ_OK) {
        status = tq_inverse_second_derivatives(&posture, &moment->sample, moment->scratch, &arrays,
                                               error);
    }
    tq_scratch_rewind(moment->scratch, mark);
    return status;
}

tq_status tqa_term_acceleration_derivatives(const tqa_term_input *moment, double *ret,
                                            tq_error *error)
{
    tqa_term_input with_inertia = *moment;
    with_inertia.sample.without &= ~(unsigned)TQ_WITHOUT_INERTIA;
    const tq_status status = tqa_term_torque_derivatives(&with_inertia, ret, error);
    const size_t n = square(moment);
    if (status != TQ_OK) {
        return status;
    }
    memcpy(moment->m, ret + 2 * n, n * sizeof *ret);
    return tq_forward_derivatives(moment->model->nv, moment->m, ret, ret + n, ret + 2 * n, error);
}

/* at the acceleration of the sample, whatever `without` leaves out of torque */
tq_status tqa_term_acceleration_second_derivatives(const tqa_term_input *moment, double *ret,
                                                   tq_error *error)
{
    const size_t n = square(moment), nv = moment->model->nv;
    const tq_second_derivatives arrays = tq_second_arrays(ret, nv);
    tqa_term_input with_inertia = *moment;
    with_inertia.sample.without &= ~(unsigned)TQ_WITHOUT_INERTIA;
    const size_t mark = tq_scratch_mark(moment->scratch);
    double *first = tq_scratch_take(moment->scratch, 5 * n, sizeof *first); /* and M, and work */
    tq_status status =
        first == NULL ? TQ_ERR_SCRATCH : tqa_term_torque_derivatives(&with_inertia, first, error);
    if (status == TQ_OK) {
        status = tqa_term_second_derivatives(&with_inertia, ret, error);
    }
    if (status == TQ_OK) {
        status = tq_forward_second_derivatives(nv, first + 2 * n, first, first + n, first + 3 * n,
                                               &arrays, error);
    }
    tq_scratch_rewind(moment->scratch, mark);
    return status;
}

tq_status tqa_term_checks(const tqa_term_input *moment, double *ret, tq_error *error)
{
    tq_checks all;
    const tq_status status = tq_checks_compute(moment->call->mechanism, &moment->posture,
                                               &moment->sample, moment->scratch, &all, error);
    const double values[] = {
        all.recursive_lagrangian, all.recursive_stacked, all.mass_matrix,
        all.skew_symmetry,        all.symmetry,          all.smallest_eigenvalue};
    memcpy(ret, values, sizeof values);
    return status;
}

#define ROW(text, of, function, ...)                                                               \
    {.name = (text), .bit = (of), .compute = tqa_term_##function, __VA_ARGS__},
const tqa_include tqa_includes[] = {{.name = "reactions", .bit = TQA_INCLUDE_REACTIONS},
                                    TQA_TERM_LIST(ROW){.name = NULL}};

#define ENTRY(text, bit) {text, bit},
const tqa_choice tqa_include_choices[] = {TQA_INCLUDE_LIST(ENTRY){NULL, 0}};

const tqa_choice tqa_without_choices[] = {
    {"friction", TQ_WITHOUT_FRICTION | TQ_WITHOUT_DRAG},
    {"rotor", TQ_WITHOUT_ROTOR},
    {"spring", TQ_WITHOUT_SPRING},
    {"gravity", TQ_WITHOUT_GRAVITY},
    {"external", TQ_WITHOUT_EXTERNAL},
    {"velocity", TQ_WITHOUT_VELOCITY},
    {"inertia", TQ_WITHOUT_INERTIA},
    {NULL, 0},
};
