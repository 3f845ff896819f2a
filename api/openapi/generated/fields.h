/* SPDX-License-Identifier: Apache-2.0 */
/* api/openapi/generated/fields.h - names of fields and words of choices, out of the schema. */
/* Made by generate.py: do not edit. */
#ifndef TQA_OPENAPI_GENERATED_FIELDS_H
#define TQA_OPENAPI_GENERATED_FIELDS_H

/* clang-format off */
/* names of the fields of an object, in the order of the schema */
#define TQA_FIELDS_ASSEMBLE_REQUEST "q", "qd", "qdd", "near", "joints", "angles"
#define TQA_FIELDS_CALIBRATE_CONTROLLER "kind", "kp", "kd", "ki", "effort_limits", "reference"
#define TQA_FIELDS_CALIBRATE_DATASET "dataset", "job", "rows", "q", "qd", "qdd", "tau", "time", \
    "q_cmd", "qd_cmd", "tau_ff", "base_position", "base_quaternion_wxyz", "base_twist", \
    "contacts"
#define TQA_FIELDS_CALIBRATE_KINEMATICS_REQUEST "q", "position", "quaternion_wxyz", "plane", \
    "frame", "identify", "only", "base", "tool", "noise", "weights", "limits", "robust", \
    "folds", "confidence", "joints", "angles"
#define TQA_FIELDS_CALIBRATE_KINEMATICS_REQUEST_LIMITS "zero_rad", "displacement_m", \
    "rotation_rad"
#define TQA_FIELDS_CALIBRATE_KINEMATICS_REQUEST_NOISE "position_m", "rotation_rad"
#define TQA_FIELDS_CALIBRATE_LINK_BOUNDS "mass_kg", "com_m"
#define TQA_FIELDS_CALIBRATE_REQUEST "datasets", "columns", "units", "scale", "rate_hz", "rows", \
    "filter", "delay_s", "joints", "controller", "at_rest", "contacts", "external_wrenches", \
    "model", "method", "bounds", "compare", "lag_s", "prior", "ridge", "bootstrap", \
    "covariance", "column_noise", "prior_weight", "confidence", "validate", "points"
#define TQA_FIELDS_CALIBRATE_REQUEST_BOUNDS "links", "mass_within_percent", "com_within_m"
#define TQA_FIELDS_CALIBRATE_REQUEST_MODEL "kind", "gravity", "friction", "rotor", "springs", \
    "smoothing", "presliding", "relaxation_s", "stribeck_speed", "couplings"
#define TQA_FIELDS_CALIBRATE_WRENCH "link", "force", "moment", "at", "applied_to", \
    "expressed_in"
#define TQA_FIELDS_COLLISION_SHAPE "link", "name", "shape", "size", "points", "pose"
#define TQA_FIELDS_COMPARE_COLUMNS "a", "b"
#define TQA_FIELDS_COMPARE_REQUEST "a", "b", "columns", "time", "by", "include"
#define TQA_FIELDS_CONFIGURATION_REQUEST "q", "step", "to", "fractions", "joints", "angles"
#define TQA_FIELDS_CONSTRAINED_CONTROLLER "kind", "reference", "coordinates", "kp", "kd", "ki", \
    "force", "effort_limits", "model"
#define TQA_FIELDS_CONSTRAINED_CONTROLLER_FORCE "rows", "values", "t", "interpolation", "ki"
#define TQA_FIELDS_CONTROLLER "kind", "reference", "kp", "kd", "ki", "lambda", "effort_limits", \
    "sample_time_s", "model"
#define TQA_FIELDS_CONTROLLER_MODEL "payload", "mass_scale", "without"
#define TQA_FIELDS_COUPLING_CONSTRAINT "name", "kind", "coefficients", "offset"
#define TQA_FIELDS_DISTANCE_CONSTRAINT "name", "kind", "a", "b", "length"
#define TQA_FIELDS_DISTANCE_REQUEST "q", "shapes", "exclude", "adjacent", "joints", "angles"
#define TQA_FIELDS_DRIVE_REQUEST "drive", "load", "voltage", "speed", "duty", \
    "angular_frequency_rad_s", "responses"
#define TQA_FIELDS_DRIVE_REQUEST_LOAD "inertia", "viscous", "locked"
#define TQA_FIELDS_ENSEMBLE_REQUEST "initial", "duration_s", "output", "input", "disturbance", \
    "external_wrenches", "payload", "solver", "gravity", "without", "joints", "angles", \
    "drives", "events", "vary", "members", "seed", "quantiles", "return_members", "only", \
    "end_states"
#define TQA_FIELDS_EQUATION_CONSTRAINT "name", "kind", "expression"
#define TQA_FIELDS_EVENT_RULE "on", "action", "joint", "joints", "level", "direction", \
    "restitution"
#define TQA_FIELDS_EXCITATION_REQUEST "parameters", "frequency_hz", "period_s", "harmonics", \
    "limits", "criterion", "torque_noise", "recorded", "task", "identify", "link", "shapes", \
    "exclude", "adjacent", "clearance_m", "tries", "seed", "interval_s", "joints", "angles", \
    "gravity"
#define TQA_FIELDS_EXCITATION_REQUEST_LIMITS "lower", "upper", "velocity", "acceleration", \
    "effort"
#define TQA_FIELDS_INERTIA_REQUEST "bodies", "frame", "about", "floor", "mass_floor"
#define TQA_FIELDS_INERTIA_REQUEST_BODIES "mass", "com", "inertia", "inertia_about", "shape", \
    "size", "pose", "subtract"
#define TQA_FIELDS_INVERSE_KINEMATICS_REQUEST "frame", "pose", "axes", "joints", "initial", \
    "limits", "solutions", "seeds", "iterations", "tolerance", "angles"
#define TQA_FIELDS_INVERSE_KINEMATICS_REQUEST_TOLERANCE "position_m", "rotation_rad"
#define TQA_FIELDS_KINEMATICS_REQUEST "q", "qd", "qdd", "joints", "frames", "include", \
    "expressed_in", "angles"
#define TQA_FIELDS_LINK_FRAME "link", "position", "rotation", "rpy", "quaternion_wxyz"
#define TQA_FIELDS_LINK_PLANE "link", "position", "normal"
#define TQA_FIELDS_LINK_POINT "link", "position"
#define TQA_FIELDS_LINK_SPHERE "link", "position", "radius"
#define TQA_FIELDS_LOOP_CONSTRAINT "name", "kind", "a", "b", "axes"
#define TQA_FIELDS_MANIPULABILITY_REQUEST "q", "frame", "axes", "joints", "angles"
#define TQA_FIELDS_NOISE_DISTURBANCE "kind", "torque", "wrench", "interval_s", "seed"
#define TQA_FIELDS_OPERATIONAL_CONTROLLER "kind", "frame", "axes", "task_frame", "pose", \
    "reference", "kp", "kd", "stiffness", "damping", "damping_ratio", "force", "posture", \
    "singularity_damping", "effort_limits", "sample_time_s", "model"
#define TQA_FIELDS_OPERATIONAL_CONTROLLER_FORCE "axes", "values", "t", "interpolation", "kd"
#define TQA_FIELDS_OPERATIONAL_CONTROLLER_POSTURE "q", "kp", "kd"
#define TQA_FIELDS_OPERATIONAL_CONTROLLER_TASK_FRAME "rotation", "quaternion_wxyz", "rpy"
#define TQA_FIELDS_PAYLOAD_REQUEST "datasets", "reference", "columns", "units", "scale", \
    "rate_hz", "rows", "filter", "delay_s", "joints", "link", "from", "friction", "confidence"
#define TQA_FIELDS_PFAFFIAN_CONSTRAINT "name", "kind", "rows", "equals"
#define TQA_FIELDS_POINT_ON_PLANE_CONSTRAINT "name", "kind", "plane", "point"
#define TQA_FIELDS_POINT_ON_SPHERE_CONSTRAINT "name", "kind", "sphere", "point"
#define TQA_FIELDS_POSE "position", "rotation", "quaternion_wxyz", "rpy"
#define TQA_FIELDS_PULSE_DISTURBANCE "kind", "torque", "wrench", "start_s", "duration_s"
#define TQA_FIELDS_REFERENCE "waypoints", "poses", "fourier", "setpoint", "table", "frame", \
    "axes", "initial", "timing", "blend", "times_s", "durations_s", "duration_s", "joints", \
    "angles", "t", "provenance", "warnings", "read_as", "q", "qd", "qdd", "score", \
    "first_random", "tries", "improvements", "samples_judged", "base_parameters"
#define TQA_FIELDS_REFERENCE_TABLE "t", "q", "qd", "qdd", "joints", "angles", "violations", \
    "duration_s", "binding", "tau", "provenance", "warnings", "read_as", "fourier", "score", \
    "first_random", "tries", "improvements", "samples_judged", "base_parameters"
#define TQA_FIELDS_REGRESSOR_REQUEST "q", "qd", "qdd", "joints", "gravity", "parameters", \
    "form", "angles"
#define TQA_FIELDS_RESIDUAL_REQUEST "datasets", "quiet", "columns", "units", "scale", "rate_hz", \
    "rows", "filter", "delay_s", "joints", "gain_hz", "sigma", "threshold", \
    "false_alarms_per_day", "persistent_s"
#define TQA_FIELDS_RIGID_BODY_REQUEST "axis_motion", "point_motion", "body", "lie_bracket"
#define TQA_FIELDS_RIGID_BODY_REQUEST_AXIS_MOTION "axis", "axis_rate", "rate_rad_s", \
    "acceleration"
#define TQA_FIELDS_RIGID_BODY_REQUEST_BODY "mass", "com", "inertia", "inertia_about", "shape", \
    "size", "pose", "twist", "twist_rate", "expressed_in", "frame"
#define TQA_FIELDS_RIGID_BODY_REQUEST_LIE_BRACKET "a", "b"
#define TQA_FIELDS_RIGID_BODY_REQUEST_POINT_MOTION "rotation", "quaternion_wxyz", "rpy", \
    "origin_velocity", "origin_acceleration", "angular_velocity", "angular_acceleration", \
    "position", "velocity", "acceleration"
#define TQA_FIELDS_ROLLING_CONSTRAINT "name", "kind", "body", "plane", "sphere", "slips", \
    "spins"
#define TQA_FIELDS_ROLLING_CONSTRAINT_BODY "link", "position", "radius", "axis"
#define TQA_FIELDS_ROLLING_CONSTRAINT_SPHERE "link", "position", "radius", "inside"
#define TQA_FIELDS_SESSION_FORK_REQUEST "step", "seed"
#define TQA_FIELDS_SESSION_REQUEST "robot", "initial", "step_s", "solver", "actuators", \
    "sensors", "history", "include", "disturbance", "external_wrenches", "payload", "events", \
    "gravity", "without", "drives", "joints", "angles"
#define TQA_FIELDS_SESSION_REQUEST_ACTUATORS "effort_limits", "delay_s"
#define TQA_FIELDS_SESSION_REWIND_REQUEST "step", "t"
#define TQA_FIELDS_SESSION_SENSOR "noise_std", "resolution", "delay_s"
#define TQA_FIELDS_SESSION_SENSORS "seed", "q", "qd", "tau"
#define TQA_FIELDS_SESSION_STEP_REQUEST "tau", "steps", "at_step"
#define TQA_FIELDS_SIMULATE_CONTACTS "law", "stiffness", "exponent", "dissipation", \
    "slip_speed", "shapes", "friction", "restitution", "pairs", "exclude", "adjacent"
#define TQA_FIELDS_SIMULATE_CONTACTS_PAIRS "a", "b", "friction", "restitution", "stiffness", \
    "exponent", "dissipation", "slip_speed"
#define TQA_FIELDS_SIMULATE_DRIVES "command", "t", "values", "interpolation", "reduced"
#define TQA_FIELDS_SIMULATE_REQUEST "initial", "duration_s", "output", "input", "disturbance", \
    "external_wrenches", "payload", "contacts", "events", "solver", "gravity", "without", \
    "include", "verdict", "drives", "joints", "angles"
#define TQA_FIELDS_SIMULATE_REQUEST_INITIAL "q", "qd"
#define TQA_FIELDS_SIMULATE_REQUEST_OUTPUT "interval_s", "times_s"
#define TQA_FIELDS_SIMULATE_REQUEST_SOLVER "method", "rtol", "atol", "max_step_s", "step_s"
#define TQA_FIELDS_SIMULATE_REQUEST_VERDICT "tolerated_error", "model_uncertainty"
#define TQA_FIELDS_SINE_DISTURBANCE "kind", "torque", "wrench", "frequency_hz", "phase_rad", \
    "start_s", "duration_s"
#define TQA_FIELDS_STATICS_REQUEST "q", "joints", "endpoint_wrench", "joint_stiffness", \
    "geometric", "gravity", "axes", "angles"
#define TQA_FIELDS_STATICS_REQUEST_JOINT_STIFFNESS "series"
#define TQA_FIELDS_STATIC_POSES_REQUEST "poses", "candidates", "parameters", "criterion", \
    "limits", "torque_noise", "identify", "link", "load", "shapes", "exclude", "adjacent", \
    "clearance_m", "dwell_s", "seed", "joints", "angles", "gravity"
#define TQA_FIELDS_STATIC_POSES_REQUEST_LIMITS "lower", "upper", "velocity", "effort"
#define TQA_FIELDS_STATIC_POSES_REQUEST_LOAD "mass", "com", "link"
#define TQA_FIELDS_TABLE_DISTURBANCE "kind", "torque", "wrench", "t", "interpolation"
#define TQA_FIELDS_TENDON "name", "coefficients", "points", "stiffness", "rest", "damping", \
    "friction"
#define TQA_FIELDS_TENDON_FRICTION "coulomb", "smoothing"
#define TQA_FIELDS_TENDON_POINT "link", "position", "weight", "radius", "axis", "side"
#define TQA_FIELDS_TENDON_SIDE "link", "position"
#define TQA_FIELDS_TORQUE_TABLE "kind", "t", "tau", "interpolation"
#define TQA_FIELDS_TRAJECTORY_REQUEST "waypoints", "poses", "fourier", "frame", "axes", \
    "initial", "timing", "blend", "times_s", "durations_s", "duration_s", "limits", "payload", \
    "interval_s", "joints", "angles"
#define TQA_FIELDS_TRAJECTORY_REQUEST_FOURIER "frequency_hz", "offset", "a", "b"
#define TQA_FIELDS_TRAJECTORY_REQUEST_LIMITS "kind", "path", "velocity", "velocity_factor", \
    "acceleration", "acceleration_factor", "jerk", "jerk_factor", "torque", "torque_factor", \
    "grid", "tau"
#define TQA_FIELDS_UNKNOWN_GAIN "start"
#define TQA_FIELDS_VARIATION "of", "joint", "link", "disturbance", "at", "uniform", "normal", \
    "list", "grid"
#define TQA_FIELDS_VARIATION_GRID "from", "to", "count"
#define TQA_FIELDS_VARIATION_NORMAL "mean", "deviation"
#define TQA_FIELDS_WRENCH "link", "force", "moment", "at", "applied_to", "expressed_in"

/* words of a choice, in the order of the schema and of the enum in C */
#define TQA_WORDS_AXES "x", "y", "z", "rx", "ry", "rz"
#define TQA_WORDS_CALIBRATE_BOUND_END "least", "most"
#define TQA_WORDS_CALIBRATE_BOUND_QUANTITY "mass", "com_x", "com_y", "com_z"
#define TQA_WORDS_CALIBRATE_CONTROLLER_KIND "pd", "pd-gravity", "computed-torque"
#define TQA_WORDS_CALIBRATE_CONTROLLER_REFERENCE "robot"
#define TQA_WORDS_CALIBRATE_FINDING_KIND "torque-sign", "torque-swap", "position-swap", \
    "torque-scale", "torque-stuck", "position-stuck", "gravity", "payload", "friction-drift", \
    "friction-of-run", "runs-disagree", "outliers", "torque-lag"
#define TQA_WORDS_CALIBRATE_KINEMATICS_REQUEST_IDENTIFY "zeros", "frames"
#define TQA_WORDS_CALIBRATE_KINEMATICS_RESULT_MEASURED "poses", "points", "planes"
#define TQA_WORDS_CALIBRATE_KINEMATICS_RESULT_NOT_IDENTIFIED_BECAUSE "structure", "poses"
#define TQA_WORDS_CALIBRATE_KINEMATICS_RESULT_VERDICT "usable", "incomplete", \
    "insufficient-excitation"
#define TQA_WORDS_CALIBRATE_PARAMETER_VERDICT "usable", "robust-control-only", "incomplete", \
    "unidentifiable"
#define TQA_WORDS_CALIBRATE_REQUEST_COMPARE "feasible", "ols", "wls", "tls", "ridge", "bounded", \
    "iv", "feasible-iv", "entropic", "idim-iv", "feasible-idim-iv", "didim", "feasible-didim"
#define TQA_WORDS_CALIBRATE_REQUEST_METHOD "feasible", "ols", "wls", "irls", "tls", "ridge", \
    "bounded", "iv", "feasible-iv", "feasible-didim"
#define TQA_WORDS_CALIBRATE_REQUEST_MODEL_FRICTION "viscous", "coulomb", "offset", "stribeck", \
    "load"
#define TQA_WORDS_CALIBRATE_REQUEST_MODEL_GRAVITY "constant", "cos", "sin-cos"
#define TQA_WORDS_CALIBRATE_REQUEST_MODEL_KIND "base", "full", "per-joint"
#define TQA_WORDS_CALIBRATE_REQUEST_VALIDATE "leave-one-out", "none"
#define TQA_WORDS_CALIBRATE_RESULT_VALIDATION_KIND "none", "leave-one-out", "datasets"
#define TQA_WORDS_COLLISION_SHAPE_SHAPE "sphere", "capsule", "box", "half-space", "hull"
#define TQA_WORDS_COMPARE_REQUEST_BY "time", "row"
#define TQA_WORDS_COMPARE_REQUEST_INCLUDE "series"
#define TQA_WORDS_CONSTRAINED_CONTROLLER_FORCE_INTERPOLATION "hold", "linear", "cubic"
#define TQA_WORDS_CONSTRAINED_CONTROLLER_KIND "hybrid-position-force", "nonholonomic"
#define TQA_WORDS_CONTROLLER_KIND "feedforward", "pd", "pd-gravity", "computed-torque", \
    "passivity-based"
#define TQA_WORDS_CONTROLLER_MODEL_WITHOUT "friction", "rotor", "spring", "gravity"
#define TQA_WORDS_DISTURBANCE_KIND "pulse", "sine", "noise", "table"
#define TQA_WORDS_DRIVE_REQUEST_RESPONSES "speed", "speed_reduced", "admittance", \
    "current_open", "current", "emf_current", "velocity_open", "velocity"
#define TQA_WORDS_ENSEMBLE_RESULT_RETURNED_MEMBERS_OUTCOME "completed", "stopped", "diverged", \
    "unfinished"
#define TQA_WORDS_EVENT_ON "lower_limit", "upper_limit", "q", "qd", "tau", "kinetic_energy", \
    "energy", "stick", "slip", "rest", "leave", "touch", "lift"
#define TQA_WORDS_EVENT_RULE_ACTION "report", "stop", "bounce"
#define TQA_WORDS_EVENT_RULE_DIRECTION "down", "both", "up"
#define TQA_WORDS_EVENT_RULE_ON "limits", "q", "qd", "tau", "kinetic_energy", "energy"
#define TQA_WORDS_EXCITATION_REQUEST_CRITERION "torque-error", "condition", "determinant"
#define TQA_WORDS_EXCITATION_REQUEST_IDENTIFY "robot", "payload"
#define TQA_WORDS_EXCITATION_REQUEST_PARAMETERS "rotor", "viscous", "coulomb", "offset", \
    "stiffness"
#define TQA_WORDS_KINEMATICS_REQUEST_EXPRESSED_IN "world", "link", "spatial"
#define TQA_WORDS_KINEMATICS_REQUEST_INCLUDE "jacobian", "jacobian_rate"
#define TQA_WORDS_OPERATIONAL_CONTROLLER_KIND "operational-space", "cartesian-impedance"
#define TQA_WORDS_PAYLOAD_REQUEST_FRICTION "viscous", "coulomb", "offset"
#define TQA_WORDS_PAYLOAD_REQUEST_FROM "auto", "motion", "poses"
#define TQA_WORDS_PAYLOAD_RESULT_FROM "motion", "poses"
#define TQA_WORDS_PAYLOAD_RESULT_VERDICT "found", "none", "less", "open"
#define TQA_WORDS_REGRESSOR_REQUEST_FORM "base"
#define TQA_WORDS_REGRESSOR_REQUEST_PARAMETERS "rotor", "viscous", "coulomb", "offset", \
    "stiffness"
#define TQA_WORDS_RESIDUAL_FINDING_TERM "viscous", "coulomb", "offset"
#define TQA_WORDS_RESIDUAL_RESULT_NOISE_FROM "quiet", "sigma", "logs"
#define TQA_WORDS_RIGID_BODY_REQUEST_BODY_EXPRESSED_IN "world", "body"
#define TQA_WORDS_SESSION_REQUEST_INCLUDE "qdd"
#define TQA_WORDS_SIMULATE_CONTACTS_LAW "rigid", "compliant"
#define TQA_WORDS_SIMULATE_DRIVES_COMMAND "voltage", "duty", "current", "velocity", "torque"
#define TQA_WORDS_SIMULATE_DRIVES_INTERPOLATION "hold", "linear", "cubic"
#define TQA_WORDS_SIMULATE_REQUEST_INCLUDE "qdd", "multipliers", "energy", "momentum", \
    "base_reaction", "tracking_error"
#define TQA_WORDS_SIMULATE_REQUEST_SOLVER_METHOD "dopri87", "dopri45", "sdirk", "bdf", "rk4", \
    "semi-implicit-euler", "implicit-midpoint", "moreau-jean"
#define TQA_WORDS_SIMULATE_REQUEST_WITHOUT "friction", "rotor", "spring", "gravity"
#define TQA_WORDS_STATIC_POSES_REQUEST_CRITERION "torque-error", "determinant"
#define TQA_WORDS_STATIC_POSES_REQUEST_PARAMETERS "offset", "stiffness"
#define TQA_WORDS_TABLE_DISTURBANCE_INTERPOLATION "hold", "linear", "cubic"
#define TQA_WORDS_TERMS_REQUEST_AXES "x", "y", "z", "rx", "ry", "rz"
#define TQA_WORDS_TERMS_REQUEST_CORIOLIS_FORM "christoffel", "c1", "c2", "stacked"
#define TQA_WORDS_TERM_PROPERTIES_LIMITS_EXCEEDED_LIMIT "lower", "upper", "velocity", "torque"
#define TQA_WORDS_TORQUE_TABLE_INTERPOLATION "hold", "linear", "cubic"
#define TQA_WORDS_TRAJECTORY_REQUEST_LIMITS_KIND "trapezoid", "s-curve", "time-optimal"
#define TQA_WORDS_TRAJECTORY_REQUEST_LIMITS_PATH "spline", "lines"
#define TQA_WORDS_TRAJECTORY_REQUEST_TIMING "linear", "cubic", "quintic", "septic", "trapezoid", \
    "spline"
#define TQA_WORDS_TRAJECTORY_RESULT_VIOLATIONS_LIMIT "lower", "upper", "velocity"
#define TQA_WORDS_VARIATION_OF "q", "qd", "torque", "mass_factor", "viscous_factor", \
    "coulomb_factor", "payload_mass", "kp_factor", "kd_factor", "ki_factor", "lambda_factor", \
    "noise_seed", "disturbance_factor"
/* clang-format on */

#endif
