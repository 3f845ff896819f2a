/* SPDX-License-Identifier: Apache-2.0 */
/* api/operations/terms/table.c - every name of `include`: its arrays, what is stated about them,
 * how they are computed. */
#include <string.h>

#include "api/operations/terms/constraints.h"
#include "api/operations/terms/include.h"
#include "core/drives/demand.h"
#include "core/dynamics/checks.h"
#include "core/dynamics/derivatives/derivatives.h"
#include "core/dynamics/lagrangian.h"
#include "core/dynamics/ledger.h"
#include "core/dynamics/mass_matrix/mass_matrix_inverse.h"
#include "core/dynamics/momentum/momentum.h"
#include "core/dynamics/terms.h"
#include "core/linalg/dense.h"

enum {
    V = TQA_EXTENT_V,
    LINKS = TQA_EXTENT_LINKS,
    AXES = TQA_EXTENT_AXES,
    DRIVES = TQA_EXTENT_DRIVES,
    ROWS = TQA_EXTENT_ROWS,
};

static size_t square(const tqa_term_input *moment)
{
    return (size_t)moment->model->nv * moment->model->nv;
}

/* of the kernel, as without wrenches */
static tq_status mass_matrix(const tqa_term_input *moment, double *ret, tq_error *error)
{
    return tq_mass_matrix_flat(moment->call->mechanism, moment->sample.q, 0, moment->scratch, ret,
                               error);
}

static tq_status mass_matrix_inverse(const tqa_term_input *moment, double *ret, tq_error *error)
{
    const size_t nv = moment->model->nv;
    const tq_status status = mass_matrix(moment, moment->m, error);
    if (status == TQ_OK && nv > 0) {
        const size_t row = tq_mass_matrix_factor(nv, moment->m);
        if (row < nv) {
            return tq_fail(error, TQ_ERR_SINGULAR, "mass_matrix", 0, (double)row);
        }
        tq_mass_matrix_invert(nv, moment->m, ret);
    }
    return status;
}

static tq_status mass_matrix_bounds(const tqa_term_input *moment, double *ret, tq_error *error)
{
    const size_t nv = moment->model->nv;
    const size_t mark = tq_scratch_mark(moment->scratch);
    ret[0] = ret[1] = 0.0;
    tq_status status = mass_matrix(moment, moment->m, error);
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

static tq_status mass_matrix_rate(const tqa_term_input *moment, double *ret, tq_error *error)
{
    return tq_mass_matrix_rate(&moment->posture, moment->scratch, ret, error);
}

static tq_status mass_matrix_derivatives(const tqa_term_input *moment, double *ret, tq_error *error)
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

static tq_status coriolis_matrix(const tqa_term_input *moment, double *ret, tq_error *error)
{
    tq_status status =
        coriolis(moment, (tq_coriolis_form)moment->call->request.options.form, ret, error);
    if (status == TQ_OK) {
        status = mass_matrix(moment, moment->m, error);
    }
    if (status == TQ_OK) {
        status = mass_matrix_rate(moment, moment->c, error);
    }
    if (status == TQ_OK) {
        ret[square(moment)] =
            tq_skew_residual(moment->model->nv, moment->m, moment->sample.qd, moment->c, ret);
    }
    return status;
}

static tq_status coriolis_vector(const tqa_term_input *moment, double *ret, tq_error *error)
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

static tq_status christoffel_symbols(const tqa_term_input *moment, double *ret, tq_error *error)
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

static tq_status gravity_torque(const tqa_term_input *moment, double *ret, tq_error *error)
{
    (void)error;
    tq_lagrangian_gravity(&moment->posture, moment->sample.gravity, ret);
    return TQ_OK;
}

static tq_status friction(const tqa_term_input *moment, double *ret, tq_error *error)
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
        }
    }
    return TQ_OK;
}

static tq_status energy(const tqa_term_input *moment, double *ret, tq_error *error)
{
    (void)error;
    const tq_sample *sample = &moment->sample;
    ret[0] = tq_lagrangian_kinetic(&moment->posture, sample->qd);
    ret[1] = tq_lagrangian_potential(&moment->posture, sample->gravity, sample->q);
    return TQ_OK;
}

static tq_status momentum(const tqa_term_input *moment, double *ret, tq_error *error)
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

static tq_status center_of_mass(const tqa_term_input *moment, double *ret, tq_error *error)
{
    (void)error;
    tq_momentum all;
    tq_momentum_compute(&moment->posture, &all);
    memcpy(ret, all.com, sizeof all.com);
    memcpy(ret + 3, all.com_velocity, sizeof all.com_velocity);
    tq_com_jacobian(&moment->posture, ret + 6);
    return TQ_OK;
}

static tq_status operational_space_inertia(const tqa_term_input *moment, double *ret,
                                           tq_error *error)
{
    const tqa_options *options = &moment->call->request.options;
    const size_t nv = moment->model->nv;
    const size_t mark = tq_scratch_mark(moment->scratch);
    double *jacobian = tq_scratch_take(moment->scratch, 6 * nv, sizeof *jacobian);
    tq_status status = mass_matrix(moment, moment->m, error);
    size_t n = 0;
    if (jacobian != NULL && status == TQ_OK) {
        tq_configuration_jacobian(&moment->posture, options->frame, options->at,
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

static tq_status passivity(const tqa_term_input *moment, double *ret, tq_error *error)
{
    return tq_passivity_torque(&moment->posture, moment->sample.qd, moment->qd_ref, moment->qdd_ref,
                               moment->sample.gravity, moment->scratch, ret, error);
}

static tq_status link_jacobians(const tqa_term_input *moment, double *ret, tq_error *error)
{
    (void)error;
    static const double origin[3] = {0.0, 0.0, 0.0};
    for (uint32_t link = 0; link < moment->model->n_link; link++) {
        tq_configuration_jacobian(&moment->posture, link, origin, TQ_JACOBIAN_WORLD_ALIGNED,
                                  ret + 6 * (size_t)link * moment->model->nv, NULL);
    }
    return TQ_OK;
}

static tq_status ledger(const tqa_term_input *moment, double *ret, tq_error *error)
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

/* member m of joint number k of those with drives stands at ret[m * n + k] */
static tq_status drive(const tqa_term_input *moment, double *ret, tq_error *error)
{
    const tqa_robot *robot = moment->call->robot;
    const size_t nv = moment->model->nv;
    const size_t n = tqa_member_extent(moment->call, TQA_EXTENT_DRIVES);
    const size_t mark = tq_scratch_mark(moment->scratch);
    double *entries = tq_scratch_take(moment->scratch, (TQ_LEDGER_COUNT + 1) * nv, sizeof *entries);
    const tq_status status = entries == NULL ? TQ_ERR_SCRATCH : ledger(moment, entries, error);
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
        const double told[] = {d.motor_torque, d.motor_speed,    d.current,
                               d.voltage,      d.duty,           d.power,
                               d.current_use,  d.continuous_use, d.voltage_use};
        for (size_t m = 0; m < sizeof told / sizeof told[0]; m++) {
            ret[m * n + k] = told[m];
        }
        feasible = feasible && d.feasible;
        ret[sizeof told / sizeof told[0] * n] = feasible;
        k++;
    }
    tq_scratch_rewind(moment->scratch, mark);
    return status;
}

static tq_status decoupling(const tqa_term_input *moment, double *ret, tq_error *error)
{
    const tq_model *model = moment->model;
    const size_t nv = model->nv;
    const size_t mark = tq_scratch_mark(moment->scratch);
    double *velocity = tq_scratch_take(moment->scratch, 2 * nv, sizeof *velocity);
    double *rotor = velocity + nv;
    tq_status status = velocity == NULL ? TQ_ERR_SCRATCH : coriolis_vector(moment, velocity, error);
    if (status == TQ_OK) {
        status = mass_matrix(moment, moment->m, error);
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
        tq_decoupling_errors(nv, moment->m, rotor, velocity, moment->sample.qdd, ret);
    }
    tq_scratch_rewind(moment->scratch, mark);
    return status;
}

/* d tau/dq, d tau/dqd, and M behind them */
static tq_status torque_derivatives(const tqa_term_input *moment, double *ret, tq_error *error)
{
    const tq_sample *sample = &moment->sample;
    const size_t mark = tq_scratch_mark(moment->scratch);
    tq_configuration still = moment->posture;
    tq_status status = TQ_OK;
    if ((sample->without & TQ_WITHOUT_VELOCITY) != 0) {
        status = tq_configuration_compute(moment->model, sample->q, NULL, moment->scratch, &still,
                                          error);
    }
    if (status == TQ_OK) {
        status = tq_inverse_derivatives(&still, sample, moment->scratch, ret, ret + square(moment),
                                        error);
    }
    tq_scratch_rewind(moment->scratch, mark);
    return status == TQ_OK ? mass_matrix(moment, ret + 2 * square(moment), error) : status;
}

static tq_status acceleration_derivatives(const tqa_term_input *moment, double *ret,
                                          tq_error *error)
{
    tqa_term_input with_inertia = *moment;
    with_inertia.sample.without &= ~(unsigned)TQ_WITHOUT_INERTIA;
    const tq_status status = torque_derivatives(&with_inertia, ret, error);
    const size_t n = square(moment);
    if (status != TQ_OK) {
        return status;
    }
    memcpy(moment->m, ret + 2 * n, n * sizeof *ret);
    return tq_forward_derivatives(moment->model->nv, moment->m, ret, ret + n, ret + 2 * n, error);
}

static tq_status checks(const tqa_term_input *moment, double *ret, tq_error *error)
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

#define FREE(k) (TQA_INCLUDE_FIRST_FREE << (k))

const tqa_include tqa_includes[] = {
    {.name = "reactions", .bit = TQA_INCLUDE_REACTIONS},
    {.name = "mass_matrix",
     .bit = FREE(0),
     .members = {{NULL, {V, V}}},
     .compute = mass_matrix,
     .block = tqa_block_mass_matrix},
    {.name = "mass_matrix_inverse",
     .bit = FREE(1),
     .members = {{NULL, {V, V}}},
     .compute = mass_matrix_inverse,
     .block = tqa_block_mass_matrix_inverse},
    {.name = "mass_matrix_bounds",
     .bit = TQA_INCLUDE_BOUNDS,
     .members = {{"smallest_eigenvalue", {0}}, {"largest_eigenvalue", {0}}},
     .compute = mass_matrix_bounds},
    {.name = "mass_matrix_rate",
     .bit = FREE(2),
     .members = {{NULL, {V, V}}},
     .compute = mass_matrix_rate},
    {.name = "mass_matrix_derivatives",
     .bit = FREE(3),
     .for_each_rate = true,
     .stated = {{"index_order", "[i][j][k] is dM_ij/dq_k"}},
     .members = {{"derivatives", {V, V, V}}},
     .compute = mass_matrix_derivatives},
    {.name = "coriolis_matrix",
     .bit = TQA_INCLUDE_CORIOLIS,
     .members = {{"matrix", {V, V}}, {"skew_residual", {0}}},
     .compute = coriolis_matrix},
    {.name = "coriolis_vector",
     .bit = FREE(4),
     .members = {{NULL, {V}}},
     .compute = coriolis_vector,
     .block = tqa_block_coriolis_vector},
    {.name = "christoffel_symbols",
     .bit = FREE(5),
     .for_each_rate = true,
     .stated = {{"index_order", "[i][j][k], i the equation"}},
     .members = {{"symbols", {V, V, V}}, {"coriolis", {V}}, {"centrifugal", {V}}},
     .compute = christoffel_symbols},
    {.name = "gravity_torque",
     .bit = FREE(6),
     .members = {{NULL, {V}}},
     .compute = gravity_torque,
     .block = tqa_block_gravity_torque},
    {.name = "friction", .bit = FREE(7), .members = {{NULL, {V}}}, .compute = friction},
    {.name = "energy",
     .bit = FREE(8),
     .members = {{"kinetic", {0}}, {"potential", {0}}},
     .compute = energy,
     .block = tqa_block_energy},
    {.name = "momentum",
     .bit = FREE(9),
     .stated = {{"expressed_in", "world"}},
     .members = {{"mass", {0}}, {"linear", {3}}, {"angular_com", {3}}, {"angular_origin", {3}}},
     .compute = momentum,
     .block = tqa_block_momentum},
    {.name = "center_of_mass",
     .bit = FREE(10),
     .stated = {{"expressed_in", "world"}},
     .members = {{"position", {3}}, {"velocity", {3}}, {"jacobian", {3, V}}},
     .compute = center_of_mass},
    {.name = "operational_space_inertia",
     .bit = TQA_INCLUDE_OPERATIONAL,
     .stated = {{"expressed_in", "world"}},
     .members = {{"matrix", {AXES, AXES}}},
     .compute = operational_space_inertia},
    {.name = "passivity",
     .bit = TQA_INCLUDE_PASSIVITY,
     .stated = {{"coriolis_form", "christoffel"}},
     .members = {{"torque", {V}}},
     .compute = passivity},
    {.name = "link_jacobians",
     .bit = TQA_INCLUDE_JACOBIANS,
     .stated = {{"expressed_in", "world"}, {"at", "origin"}},
     .members = {{"jacobians", {LINKS, 6, V}}},
     .compute = link_jacobians},
    {.name = "ledger",
     .bit = FREE(11),
     .for_each_rate = true,
     .members = {{"inertia", {V}},
                 {"coriolis", {V}},
                 {"centrifugal", {V}},
                 {"gravity", {V}},
                 {"friction", {V}},
                 {"rotor", {V}},
                 {"spring", {V}},
                 {"external", {V}},
                 {"sum", {V}}},
     .compute = ledger},
    {.name = "derivatives",
     .bit = FREE(12),
     .operation = TQA_FOR_TORQUE,
     .members = {{"dtau_dq", {V, V}}, {"dtau_dqd", {V, V}}, {"dtau_dqdd", {V, V}}},
     .compute = torque_derivatives,
     .block = tqa_block_derivatives},
    {.name = "derivatives",
     .bit = FREE(12),
     .operation = TQA_FOR_ACCELERATION,
     .members = {{"dqdd_dq", {V, V}}, {"dqdd_dqd", {V, V}}, {"dqdd_dtau", {V, V}}},
     .compute = acceleration_derivatives},
    {.name = "checks",
     .bit = FREE(13),
     .for_each_rate = true,
     .members = {{"recursive_lagrangian", {0}},
                 {"recursive_stacked", {0}},
                 {"mass_matrix", {0}},
                 {"skew_symmetry", {0}},
                 {"symmetry", {0}},
                 {"smallest_eigenvalue", {0}}},
     .compute = checks},
    {.name = "drive",
     .bit = TQA_INCLUDE_DRIVE,
     .for_each_rate = true,
     .members = {{"motor_torque", {DRIVES}},
                 {"motor_speed", {DRIVES}},
                 {"current", {DRIVES}},
                 {"voltage", {DRIVES}},
                 {"duty", {DRIVES}},
                 {"power", {DRIVES}},
                 {"current_use", {DRIVES}},
                 {"continuous_use", {DRIVES}},
                 {"voltage_use", {DRIVES}},
                 {"feasible", {0}}},
     .compute = drive},
    {.name = "decoupling",
     .bit = TQA_INCLUDE_DECOUPLING,
     .stated = {{"error", "approximate torque less exact torque"}},
     .members = {{"inertia_diagonal", {V}},
                 {"inertia_rotor", {V}},
                 {"decoupled", {V}},
                 {"decoupled_rotor", {V}}},
     .compute = decoupling},
    {.name = "multipliers",
     .bit = TQA_INCLUDE_MULTIPLIERS,
     .stated = {{"force_on", "robot"}},
     .members = {{"values", {ROWS}}, {"force", {V}}, {"redundant", {ROWS}}, {"rank", {0}}},
     .compute = tqa_multipliers_term},
    {.name = "constraint_power",
     .bit = TQA_INCLUDE_CONSTRAINT_POWER,
     .members = {{NULL, {0}}},
     .compute = tqa_constraint_power_term},
    {.name = "actuation",
     .bit = TQA_INCLUDE_ACTUATION,
     .members = {{"actuated", {0}}, {"dof", {0}}, {"internal", {0}}, {"missing", {0}}},
     .compute = tqa_actuation_term},
    {.name = "constraint_jacobian",
     .bit = TQA_INCLUDE_CONSTRAINTS,
     .members = {{"matrix", {ROWS, V}},
                 {"rate_term", {ROWS}},
                 {"position_residual", {ROWS}},
                 {"velocity_residual", {ROWS}}},
     .compute = tqa_constraint_jacobian_term},
    {.name = "projectors",
     .bit = TQA_INCLUDE_PROJECTORS,
     .members = {{"force", {V, V}}, {"motion", {V, V}}},
     .compute = tqa_projectors_term},
    {.name = "integrability",
     .bit = TQA_INCLUDE_INTEGRABILITY,
     .for_each_rate = true,
     .members = {{"dof", {0}}, {"new_directions", {0}}, {"defect", {0}}},
     .compute = tqa_integrability_term},
    {.name = NULL},
};

const tqa_choice tqa_include_choices[] = {
    {"reactions", TQA_INCLUDE_REACTIONS},
    {"mass_matrix", FREE(0)},
    {"mass_matrix_inverse", FREE(1)},
    {"mass_matrix_bounds", TQA_INCLUDE_BOUNDS},
    {"mass_matrix_rate", FREE(2)},
    {"mass_matrix_derivatives", FREE(3)},
    {"coriolis_matrix", TQA_INCLUDE_CORIOLIS},
    {"coriolis_vector", FREE(4)},
    {"christoffel_symbols", FREE(5)},
    {"gravity_torque", FREE(6)},
    {"friction", FREE(7)},
    {"energy", FREE(8)},
    {"momentum", FREE(9)},
    {"center_of_mass", FREE(10)},
    {"operational_space_inertia", TQA_INCLUDE_OPERATIONAL},
    {"passivity", TQA_INCLUDE_PASSIVITY},
    {"link_jacobians", TQA_INCLUDE_JACOBIANS},
    {"ledger", FREE(11)},
    {"derivatives", FREE(12)},
    {"checks", FREE(13)},
    {"drive", TQA_INCLUDE_DRIVE},
    {"decoupling", TQA_INCLUDE_DECOUPLING},
    {"multipliers", TQA_INCLUDE_MULTIPLIERS},
    {"constraint_power", TQA_INCLUDE_CONSTRAINT_POWER},
    {"actuation", TQA_INCLUDE_ACTUATION},
    {"constraint_jacobian", TQA_INCLUDE_CONSTRAINTS},
    {"projectors", TQA_INCLUDE_PROJECTORS},
    {"integrability", TQA_INCLUDE_INTEGRABILITY},
    {NULL, 0},
};

const tqa_choice tqa_without_choices[] = {
    {"friction", TQ_WITHOUT_FRICTION}, {"rotor", TQ_WITHOUT_ROTOR},
    {"spring", TQ_WITHOUT_SPRING},     {"gravity", TQ_WITHOUT_GRAVITY},
    {"external", TQ_WITHOUT_EXTERNAL}, {"velocity", TQ_WITHOUT_VELOCITY},
    {"inertia", TQ_WITHOUT_INERTIA},   {NULL, 0},
};
