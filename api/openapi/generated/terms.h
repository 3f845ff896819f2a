/* SPDX-License-Identifier: Apache-2.0 */
/* api/openapi/generated/terms.h - names and arrays of `include`, out of terms.schema. */
/* Made by generate.py: do not edit. */
#ifndef TQA_OPENAPI_GENERATED_TERMS_H
#define TQA_OPENAPI_GENERATED_TERMS_H

#include <assert.h>
#include <stdint.h>

/* clang-format off */
/* the bit of each name, in a uint64_t */
#define TQA_INCLUDE_REACTIONS (UINT64_C(1) << 0)
#define TQA_INCLUDE_LIMITS (UINT64_C(1) << 1)
#define TQA_INCLUDE_MASS_MATRIX (UINT64_C(1) << 2)
#define TQA_INCLUDE_MASS_MATRIX_INVERSE (UINT64_C(1) << 3)
#define TQA_INCLUDE_MASS_MATRIX_BOUNDS (UINT64_C(1) << 4)
#define TQA_INCLUDE_MASS_MATRIX_RATE (UINT64_C(1) << 5)
#define TQA_INCLUDE_MASS_MATRIX_DERIVATIVES (UINT64_C(1) << 6)
#define TQA_INCLUDE_CORIOLIS_MATRIX (UINT64_C(1) << 7)
#define TQA_INCLUDE_CORIOLIS_VECTOR (UINT64_C(1) << 8)
#define TQA_INCLUDE_CHRISTOFFEL_SYMBOLS (UINT64_C(1) << 9)
#define TQA_INCLUDE_GRAVITY_TORQUE (UINT64_C(1) << 10)
#define TQA_INCLUDE_FRICTION (UINT64_C(1) << 11)
#define TQA_INCLUDE_ENERGY (UINT64_C(1) << 12)
#define TQA_INCLUDE_MOMENTUM (UINT64_C(1) << 13)
#define TQA_INCLUDE_CENTER_OF_MASS (UINT64_C(1) << 14)
#define TQA_INCLUDE_CENTER_OF_MASS_JACOBIAN (UINT64_C(1) << 15)
#define TQA_INCLUDE_CENTROIDAL_MOMENTUM (UINT64_C(1) << 16)
#define TQA_INCLUDE_MOMENTUM_REGRESSOR (UINT64_C(1) << 17)
#define TQA_INCLUDE_OPERATIONAL_SPACE_INERTIA (UINT64_C(1) << 18)
#define TQA_INCLUDE_PASSIVITY (UINT64_C(1) << 19)
#define TQA_INCLUDE_LINK_JACOBIANS (UINT64_C(1) << 20)
#define TQA_INCLUDE_LINK_JACOBIAN_RATES (UINT64_C(1) << 21)
#define TQA_INCLUDE_LEDGER (UINT64_C(1) << 22)
#define TQA_INCLUDE_DERIVATIVES (UINT64_C(1) << 23)
#define TQA_INCLUDE_SECOND_DERIVATIVES (UINT64_C(1) << 24)
#define TQA_INCLUDE_ACCELERATION_SECOND_DERIVATIVES (UINT64_C(1) << 25)
#define TQA_INCLUDE_CHECKS (UINT64_C(1) << 26)
#define TQA_INCLUDE_DRIVE (UINT64_C(1) << 27)
#define TQA_INCLUDE_DECOUPLING (UINT64_C(1) << 28)
#define TQA_INCLUDE_MULTIPLIERS (UINT64_C(1) << 29)
#define TQA_INCLUDE_CONSTRAINT_POWER (UINT64_C(1) << 30)
#define TQA_INCLUDE_ACTUATION (UINT64_C(1) << 31)
#define TQA_INCLUDE_CONSTRAINT_JACOBIAN (UINT64_C(1) << 32)
#define TQA_INCLUDE_PROJECTORS (UINT64_C(1) << 33)
#define TQA_INCLUDE_INTEGRABILITY (UINT64_C(1) << 34)
_Static_assert(35 <= 64, "bits of a uint64_t");

/* ENTRY(text, bit) */
#define TQA_INCLUDE_LIST(ENTRY) \
    ENTRY("reactions", TQA_INCLUDE_REACTIONS) \
    ENTRY("limits", TQA_INCLUDE_LIMITS) \
    ENTRY("mass_matrix", TQA_INCLUDE_MASS_MATRIX) \
    ENTRY("mass_matrix_inverse", TQA_INCLUDE_MASS_MATRIX_INVERSE) \
    ENTRY("mass_matrix_bounds", TQA_INCLUDE_MASS_MATRIX_BOUNDS) \
    ENTRY("mass_matrix_rate", TQA_INCLUDE_MASS_MATRIX_RATE) \
    ENTRY("mass_matrix_derivatives", TQA_INCLUDE_MASS_MATRIX_DERIVATIVES) \
    ENTRY("coriolis_matrix", TQA_INCLUDE_CORIOLIS_MATRIX) \
    ENTRY("coriolis_vector", TQA_INCLUDE_CORIOLIS_VECTOR) \
    ENTRY("christoffel_symbols", TQA_INCLUDE_CHRISTOFFEL_SYMBOLS) \
    ENTRY("gravity_torque", TQA_INCLUDE_GRAVITY_TORQUE) \
    ENTRY("friction", TQA_INCLUDE_FRICTION) \
    ENTRY("energy", TQA_INCLUDE_ENERGY) \
    ENTRY("momentum", TQA_INCLUDE_MOMENTUM) \
    ENTRY("center_of_mass", TQA_INCLUDE_CENTER_OF_MASS) \
    ENTRY("center_of_mass_jacobian", TQA_INCLUDE_CENTER_OF_MASS_JACOBIAN) \
    ENTRY("centroidal_momentum", TQA_INCLUDE_CENTROIDAL_MOMENTUM) \
    ENTRY("momentum_regressor", TQA_INCLUDE_MOMENTUM_REGRESSOR) \
    ENTRY("operational_space_inertia", TQA_INCLUDE_OPERATIONAL_SPACE_INERTIA) \
    ENTRY("passivity", TQA_INCLUDE_PASSIVITY) \
    ENTRY("link_jacobians", TQA_INCLUDE_LINK_JACOBIANS) \
    ENTRY("link_jacobian_rates", TQA_INCLUDE_LINK_JACOBIAN_RATES) \
    ENTRY("ledger", TQA_INCLUDE_LEDGER) \
    ENTRY("derivatives", TQA_INCLUDE_DERIVATIVES) \
    ENTRY("second_derivatives", TQA_INCLUDE_SECOND_DERIVATIVES) \
    ENTRY("acceleration_second_derivatives", TQA_INCLUDE_ACCELERATION_SECOND_DERIVATIVES) \
    ENTRY("checks", TQA_INCLUDE_CHECKS) \
    ENTRY("drive", TQA_INCLUDE_DRIVE) \
    ENTRY("decoupling", TQA_INCLUDE_DECOUPLING) \
    ENTRY("multipliers", TQA_INCLUDE_MULTIPLIERS) \
    ENTRY("constraint_power", TQA_INCLUDE_CONSTRAINT_POWER) \
    ENTRY("actuation", TQA_INCLUDE_ACTUATION) \
    ENTRY("constraint_jacobian", TQA_INCLUDE_CONSTRAINT_JACOBIAN) \
    ENTRY("projectors", TQA_INCLUDE_PROJECTORS) \
    ENTRY("integrability", TQA_INCLUDE_INTEGRABILITY)

/* ROW(text, bit, function, initialisers of a tqa_include), of names with arrays of each sample */
#define TQA_TERM_LIST(ROW) \
    ROW("mass_matrix", TQA_INCLUDE_MASS_MATRIX, mass_matrix, .block = tqa_block_mass_matrix, \
        .members = {{NULL, {TQA_EXTENT_V, TQA_EXTENT_V}}}) \
    ROW("mass_matrix_inverse", TQA_INCLUDE_MASS_MATRIX_INVERSE, mass_matrix_inverse, .block = tqa_block_mass_matrix_inverse, \
        .members = {{NULL, {TQA_EXTENT_V, TQA_EXTENT_V}}}) \
    ROW("mass_matrix_bounds", TQA_INCLUDE_MASS_MATRIX_BOUNDS, mass_matrix_bounds, .members = {{"smallest_eigenvalue", {0}}, {"largest_eigenvalue", {0}}}) \
    ROW("mass_matrix_rate", TQA_INCLUDE_MASS_MATRIX_RATE, mass_matrix_rate, .members = {{NULL, {TQA_EXTENT_V, TQA_EXTENT_V}}}) \
    ROW("mass_matrix_derivatives", TQA_INCLUDE_MASS_MATRIX_DERIVATIVES, mass_matrix_derivatives, .stated = {{"index_order", "[i][j][k] is dM_ij/dq_k"}}, \
        .for_each_rate = true, \
        .members = {{"derivatives", {TQA_EXTENT_V, TQA_EXTENT_V, TQA_EXTENT_V}}}) \
    ROW("coriolis_matrix", TQA_INCLUDE_CORIOLIS_MATRIX, coriolis_matrix, .members = {{"matrix", {TQA_EXTENT_V, TQA_EXTENT_V}}, {"skew_residual", {0}}}) \
    ROW("coriolis_vector", TQA_INCLUDE_CORIOLIS_VECTOR, coriolis_vector, .block = tqa_block_coriolis_vector, \
        .members = {{NULL, {TQA_EXTENT_V}}}) \
    ROW("christoffel_symbols", TQA_INCLUDE_CHRISTOFFEL_SYMBOLS, christoffel_symbols, .stated = {{"index_order", "[i][j][k], i the equation"}}, \
        .for_each_rate = true, \
        .members = {{"symbols", {TQA_EXTENT_V, TQA_EXTENT_V, TQA_EXTENT_V}}, {"coriolis", {TQA_EXTENT_V}}, {"centrifugal", {TQA_EXTENT_V}}}) \
    ROW("gravity_torque", TQA_INCLUDE_GRAVITY_TORQUE, gravity_torque, .block = tqa_block_gravity_torque, \
        .members = {{NULL, {TQA_EXTENT_V}}}) \
    ROW("friction", TQA_INCLUDE_FRICTION, friction, .members = {{NULL, {TQA_EXTENT_V}}}) \
    ROW("energy", TQA_INCLUDE_ENERGY, energy, .block = tqa_block_energy, \
        .members = {{"kinetic", {0}}, {"potential", {0}}}) \
    ROW("momentum", TQA_INCLUDE_MOMENTUM, momentum, .stated = {{"expressed_in", "world"}}, \
        .block = tqa_block_momentum, \
        .members = {{"mass", {0}}, {"linear", {3}}, {"angular_com", {3}}, {"angular_origin", {3}}}) \
    ROW("center_of_mass", TQA_INCLUDE_CENTER_OF_MASS, center_of_mass, .stated = {{"expressed_in", "world"}}, \
        .members = {{"position", {3}}, {"velocity", {3}}, {"jacobian", {3, TQA_EXTENT_V}}}) \
    ROW("center_of_mass_jacobian", TQA_INCLUDE_CENTER_OF_MASS_JACOBIAN, center_of_mass_jacobian, .members = {{NULL, {3, TQA_EXTENT_V}}}) \
    ROW("centroidal_momentum", TQA_INCLUDE_CENTROIDAL_MOMENTUM, centroidal_momentum, .stated = {{"expressed_in", "world"}}, \
        .members = {{"matrix", {6, TQA_EXTENT_V}}, {"rate", {6, TQA_EXTENT_V}}, {"bias", {6}}}) \
    ROW("momentum_regressor", TQA_INCLUDE_MOMENTUM_REGRESSOR, momentum_regressor, .stated = {{"expressed_in", "world"}}, \
        .members = {{"matrices", {TQA_EXTENT_LINKS, 6, 10}}}) \
    ROW("operational_space_inertia", TQA_INCLUDE_OPERATIONAL_SPACE_INERTIA, operational_space_inertia, .stated = {{"expressed_in", "world"}}, \
        .members = {{"matrix", {TQA_EXTENT_AXES, TQA_EXTENT_AXES}}}) \
    ROW("passivity", TQA_INCLUDE_PASSIVITY, passivity, .stated = {{"coriolis_form", "christoffel"}}, \
        .members = {{"torque", {TQA_EXTENT_V}}}) \
    ROW("link_jacobians", TQA_INCLUDE_LINK_JACOBIANS, link_jacobians, .stated = {{"expressed_in", "world"}, {"at", "origin"}}, \
        .members = {{"jacobians", {TQA_EXTENT_LINKS, 6, TQA_EXTENT_V}}}) \
    ROW("link_jacobian_rates", TQA_INCLUDE_LINK_JACOBIAN_RATES, link_jacobian_rates, .stated = {{"expressed_in", "world"}, {"at", "origin"}}, \
        .members = {{"rates", {TQA_EXTENT_LINKS, 6, TQA_EXTENT_V}}}) \
    ROW("ledger", TQA_INCLUDE_LEDGER, ledger, .for_each_rate = true, \
        .members = {{"inertia", {TQA_EXTENT_V}}, {"coriolis", {TQA_EXTENT_V}}, {"centrifugal", {TQA_EXTENT_V}}, {"gravity", {TQA_EXTENT_V}}, {"friction", {TQA_EXTENT_V}}, {"rotor", {TQA_EXTENT_V}}, {"spring", {TQA_EXTENT_V}}, {"external", {TQA_EXTENT_V}}, {"sum", {TQA_EXTENT_V}}}) \
    ROW("derivatives", TQA_INCLUDE_DERIVATIVES, torque_derivatives, .operation = TQA_FOR_TORQUE, \
        .block = tqa_block_derivatives, \
        .members = {{"dtau_dq", {TQA_EXTENT_V, TQA_EXTENT_V}}, {"dtau_dqd", {TQA_EXTENT_V, TQA_EXTENT_V}}, {"dtau_dqdd", {TQA_EXTENT_V, TQA_EXTENT_V}}}) \
    ROW("derivatives", TQA_INCLUDE_DERIVATIVES, acceleration_derivatives, .operation = TQA_FOR_ACCELERATION, \
        .members = {{"dqdd_dq", {TQA_EXTENT_V, TQA_EXTENT_V}}, {"dqdd_dqd", {TQA_EXTENT_V, TQA_EXTENT_V}}, {"dqdd_dtau", {TQA_EXTENT_V, TQA_EXTENT_V}}}) \
    ROW("second_derivatives", TQA_INCLUDE_SECOND_DERIVATIVES, second_derivatives, .stated = {{"index_order", "[i][j][k] is that of torque i, by coordinate j of the first name, by k of the second"}}, \
        .for_each_rate = true, \
        .block = tqa_block_second_derivatives, \
        .members = {{"d2tau_dq_dq", {TQA_EXTENT_V, TQA_EXTENT_V, TQA_EXTENT_V}}, {"d2tau_dqd_dqd", {TQA_EXTENT_V, TQA_EXTENT_V, TQA_EXTENT_V}}, {"d2tau_dqd_dq", {TQA_EXTENT_V, TQA_EXTENT_V, TQA_EXTENT_V}}, {"d2tau_dqdd_dq", {TQA_EXTENT_V, TQA_EXTENT_V, TQA_EXTENT_V}}}) \
    ROW("acceleration_second_derivatives", TQA_INCLUDE_ACCELERATION_SECOND_DERIVATIVES, acceleration_second_derivatives, .stated = {{"index_order", "[i][j][k] is that of acceleration i, by coordinate j of the first name, by k of the second"}}, \
        .for_each_rate = true, \
        .members = {{"d2qdd_dq_dq", {TQA_EXTENT_V, TQA_EXTENT_V, TQA_EXTENT_V}}, {"d2qdd_dqd_dqd", {TQA_EXTENT_V, TQA_EXTENT_V, TQA_EXTENT_V}}, {"d2qdd_dqd_dq", {TQA_EXTENT_V, TQA_EXTENT_V, TQA_EXTENT_V}}, {"d2qdd_dtau_dq", {TQA_EXTENT_V, TQA_EXTENT_V, TQA_EXTENT_V}}}) \
    ROW("checks", TQA_INCLUDE_CHECKS, checks, .for_each_rate = true, \
        .members = {{"recursive_lagrangian", {0}}, {"recursive_stacked", {0}}, {"mass_matrix", {0}}, {"skew_symmetry", {0}}, {"symmetry", {0}}, {"smallest_eigenvalue", {0}}}) \
    ROW("drive", TQA_INCLUDE_DRIVE, drive, .for_each_rate = true, \
        .members = {{"motor_torque", {TQA_EXTENT_DRIVES}}, {"motor_speed", {TQA_EXTENT_DRIVES}}, {"current", {TQA_EXTENT_DRIVES}}, {"voltage", {TQA_EXTENT_DRIVES}}, {"duty", {TQA_EXTENT_DRIVES}}, {"power", {TQA_EXTENT_DRIVES}}, {"current_use", {TQA_EXTENT_DRIVES}}, {"continuous_use", {TQA_EXTENT_DRIVES}}, {"voltage_use", {TQA_EXTENT_DRIVES}}, {"feasible", {0}}}) \
    ROW("decoupling", TQA_INCLUDE_DECOUPLING, decoupling, .stated = {{"error", "approximate torque less exact torque"}}, \
        .members = {{"inertia_diagonal", {TQA_EXTENT_V}}, {"inertia_rotor", {TQA_EXTENT_V}}, {"decoupled", {TQA_EXTENT_V}}, {"decoupled_rotor", {TQA_EXTENT_V}}}) \
    ROW("multipliers", TQA_INCLUDE_MULTIPLIERS, multipliers, .stated = {{"force_on", "robot"}}, \
        .members = {{"values", {TQA_EXTENT_ROWS}}, {"force", {TQA_EXTENT_V}}, {"redundant", {TQA_EXTENT_ROWS}}, {"rank", {0}}}) \
    ROW("constraint_power", TQA_INCLUDE_CONSTRAINT_POWER, constraint_power, .members = {{NULL, {0}}}) \
    ROW("actuation", TQA_INCLUDE_ACTUATION, actuation, .members = {{"actuated", {0}}, {"dof", {0}}, {"internal", {0}}, {"missing", {0}}}) \
    ROW("constraint_jacobian", TQA_INCLUDE_CONSTRAINT_JACOBIAN, constraint_jacobian, .members = {{"matrix", {TQA_EXTENT_ROWS, TQA_EXTENT_V}}, {"rate_term", {TQA_EXTENT_ROWS}}, {"position_residual", {TQA_EXTENT_ROWS}}, {"velocity_residual", {TQA_EXTENT_ROWS}}}) \
    ROW("projectors", TQA_INCLUDE_PROJECTORS, projectors, .members = {{"force", {TQA_EXTENT_V, TQA_EXTENT_V}}, {"motion", {TQA_EXTENT_V, TQA_EXTENT_V}}}) \
    ROW("integrability", TQA_INCLUDE_INTEGRABILITY, integrability, .for_each_rate = true, \
        .members = {{"dof", {0}}, {"new_directions", {0}}, {"defect", {0}}})
/* clang-format on */

#endif
