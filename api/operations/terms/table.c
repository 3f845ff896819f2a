/* SPDX-License-Identifier: Apache-2.0 */
/* api/operations/terms/table.c - every name of `include`: its arrays, their descriptions, the
   functions that compute them. */
#include <string.h>

#include "api/operations/terms/constraints.h"
#include "api/operations/terms/include.h"
#include "core/drives/decoupling.h"
#include "core/drives/demand.h"
#include "core/dynamics/checks.h"
#include "core/dynamics/derivatives/derivatives.h"
#include "core/dynamics/derivatives/state_derivatives.h"
#include "core/dynamics/drag.h"
#include "core/dynamics/lagrangian.h"
#include "core/dynamics/ledger.h"
#include "core/dynamics/mass_matrix/mass_matrix_state.h"
#include "core/dynamics/momentum/centroidal.h"
#include "core/dynamics/momentum/momentum.h"
#include "core/dynamics/terms.h"

/* of the kernel, as without wrenches */
tq_status tqa_term_mass_matrix(const tqa_term_input *moment, double *ret, tq_error *error)
{
    return tq_mass_matrix_flat(moment->call->mechanism, moment->sample.q, 0, moment->scratch, ret,
                               error);
}

tq_status tqa_term_mass_matrix_inverse(const tqa_term_input *moment, double *ret, tq_error *error)
{
    return tq_mass_matrix_inverse_flat(moment->call->mechanism, moment->sample.q, moment->scratch,
                                       ret, error);
}

tq_status tqa_term_mass_matrix_bounds(const tqa_term_input *moment, double *ret, tq_error *error)
{
    return tq_mass_matrix_eigenvalue_range(moment->call->mechanism, moment->sample.q,
                                           moment->scratch, ret, error);
}

tq_status tqa_term_mass_matrix_rate(const tqa_term_input *moment, double *ret, tq_error *error)
{
    return tq_mass_matrix_rate(&moment->posture, moment->scratch, ret, error);
}

tq_status tqa_term_mass_matrix_derivatives(const tqa_term_input *moment, double *ret,
                                           tq_error *error)
{
    return tq_lagrangian_mass_matrix_derivatives(&moment->posture, moment->scratch, ret, error);
}

tq_status tqa_term_coriolis_matrix(const tqa_term_input *moment, double *ret, tq_error *error)
{
    const tqa_call *call = moment->call;
    const size_t nv = moment->model->nv;
    const tq_status status = tq_lagrangian_coriolis(&moment->posture, moment->sample.qd,
                                                    (tq_coriolis_form)call->request.options.form,
                                                    moment->scratch, ret, error);
    return status == TQ_OK
               ? tq_coriolis_skew_residual(call->mechanism, &moment->posture, &moment->sample, ret,
                                           moment->scratch, ret + nv * nv, error)
               : status;
}

tq_status tqa_term_coriolis_vector(const tqa_term_input *moment, double *ret, tq_error *error)
{
    return tq_lagrangian_velocity_torque(&moment->posture, moment->sample.qd, moment->scratch, ret,
                                         error);
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
    const tq_sample *sample = &moment->sample;
    memset(ret, 0, moment->model->nv * sizeof *ret);
    tq_add_friction(moment->call->mechanism, 1, 1, sample->q, sample->qd, 1.0, ret);
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

tq_status tqa_term_centroidal_momentum(const tqa_term_input *moment, double *ret, tq_error *error)
{
    (void)error;
    const size_t n = 6 * (size_t)moment->model->nv;
    tq_centroidal_momentum(&moment->posture, moment->sample.qd, ret, ret + n, ret + 2 * n);
    return TQ_OK;
}

tq_status tqa_term_momentum_regressor(const tqa_term_input *moment, double *ret, tq_error *error)
{
    (void)error;
    tq_momentum_regressor(&moment->posture, ret);
    return TQ_OK;
}

tq_status tqa_term_operational_space_inertia(const tqa_term_input *moment, double *ret,
                                             tq_error *error)
{
    const tqa_options *options = &moment->call->request.options;
    tq_task_point point = {.link = options->frame.link, .axes = options->axes};
    memcpy(point.at, options->frame.at, sizeof point.at);
    return tq_operational_inertia_at(moment->call->mechanism, &moment->posture, moment->sample.q,
                                     &point, moment->scratch, ret, error);
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

tq_status tqa_term_link_jacobian_rates(const tqa_term_input *moment, double *ret, tq_error *error)
{
    static const double origin[3] = {0.0, 0.0, 0.0};
    const size_t n = 6 * (size_t)moment->model->nv;
    const size_t mark = tq_scratch_mark(moment->scratch);
    double *jacobian = tq_scratch_take(moment->scratch, n, sizeof *jacobian);
    if (jacobian == NULL) {
        return tq_fail(error, TQ_ERR_SCRATCH, "scratch", 0, (double)n);
    }
    for (uint32_t link = 0; link < moment->model->n_link; link++) {
        tq_configuration_jacobian(&moment->posture, link, origin, TQ_JACOBIAN_WORLD_ALIGNED,
                                  jacobian, ret + n * link);
    }
    tq_scratch_rewind(moment->scratch, mark);
    return TQ_OK;
}

tq_status tqa_term_ledger(const tqa_term_input *moment, double *ret, tq_error *error)
{
    const size_t nv = moment->model->nv;
    const tq_status status =
        tq_ledger(&moment->posture, &moment->sample, moment->scratch, ret, error);
    if (status == TQ_OK) {
        tq_ledger_total(nv, ret, ret + TQ_LEDGER_COUNT * nv);
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
    return tq_decoupling_at(moment->call->mechanism, &moment->posture, &moment->sample,
                            moment->scratch, ret, error);
}

static tq_state_of_motion state_of(const tqa_term_input *moment)
{
    return (tq_state_of_motion){moment->call->mechanism, &moment->posture, &moment->sample};
}

tq_status tqa_term_torque_derivatives(const tqa_term_input *moment, double *ret, tq_error *error)
{
    const tq_state_of_motion state = state_of(moment);
    return tq_state_torque_derivatives(&state, moment->scratch, ret, error);
}

tq_status tqa_term_second_derivatives(const tqa_term_input *moment, double *ret, tq_error *error)
{
    const tq_state_of_motion state = state_of(moment);
    const tq_second_derivatives arrays = tq_second_arrays(ret, moment->model->nv);
    return tq_state_torque_second_derivatives(&state, moment->scratch, &arrays, error);
}

tq_status tqa_term_acceleration_derivatives(const tqa_term_input *moment, double *ret,
                                            tq_error *error)
{
    const tq_state_of_motion state = state_of(moment);
    return tq_state_acceleration_derivatives(&state, moment->scratch, ret, error);
}

tq_status tqa_term_acceleration_second_derivatives(const tqa_term_input *moment, double *ret,
                                                   tq_error *error)
{
    const tq_state_of_motion state = state_of(moment);
    const tq_second_derivatives arrays = tq_second_arrays(ret, moment->model->nv);
    return tq_state_acceleration_second_derivatives(&state, moment->scratch, &arrays, error);
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
