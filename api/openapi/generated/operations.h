/* SPDX-License-Identifier: Apache-2.0 */
/* api/openapi/generated/operations.h - every operation, out of the schema. */
/* Made by generate.py: do not edit. */
#ifndef TQA_OPENAPI_GENERATED_OPERATIONS_H
#define TQA_OPENAPI_GENERATED_OPERATIONS_H

/* clang-format off */
/* ROW(name, methods, needs_robot, may_outlive, has_samples, has_picture), in order of the
 * contract */
#define TQA_OPERATION_LIST(ROW) \
    ROW("inverse-dynamics", tqa_inverse_dynamics_methods, true, false, true, true) \
    ROW("forward-dynamics", tqa_forward_dynamics_methods, true, false, true, true) \
    ROW("terms", tqa_terms_methods, true, false, true, false) \
    ROW("kinematics", tqa_kinematics_methods, true, false, false, false) \
    ROW("statics", tqa_statics_methods, true, false, false, false) \
    ROW("regressor", tqa_regressor_methods, true, false, false, false) \
    ROW("inverse-kinematics", tqa_inverse_kinematics_methods, true, false, false, false) \
    ROW("manipulability", tqa_manipulability_methods, true, false, false, false) \
    ROW("trajectory", tqa_trajectory_methods, true, false, false, true) \
    ROW("inertia", tqa_inertia_methods, false, false, false, false) \
    ROW("rigid-body", tqa_rigid_body_methods, false, false, false, false) \
    ROW("drive", tqa_drive_methods, false, false, false, false) \
    ROW("compare", tqa_compare_methods, false, false, false, true) \
    ROW("simulate", tqa_simulate_methods, true, true, false, true) \
    ROW("excitation", tqa_excitation_methods, true, true, false, false) \
    ROW("ensemble", tqa_ensemble_methods, true, true, false, true) \
    ROW("calibrate", tqa_calibrate_methods, true, true, false, false) \
    ROW("payload", tqa_payload_methods, true, true, false, false) \
    ROW("residual", tqa_residual_methods, true, true, false, false) \
    ROW("calibrate-kinematics", tqa_calibrate_kinematics_methods, true, true, false, false) \
    ROW("distance", tqa_distance_methods, true, false, false, false) \
    ROW("assemble", tqa_assemble_methods, true, false, false, false) \
    ROW("static-poses", tqa_static_poses_methods, true, true, false, false) \
    ROW("configuration", tqa_configuration_methods, true, false, false, false)
/* clang-format on */

#endif
