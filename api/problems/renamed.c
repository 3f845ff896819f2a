/* SPDX-License-Identifier: Apache-2.0 */
/* api/problems/renamed.c - other words for the fields of requests and the operations. A word has
 * several rows where its name depends on the place: the first of those that are known there counts.
 */
#include "api/problems/renamed.h"

#include <assert.h>
#include <string.h>

static const struct {
    const char *word, *name;
    const char *note; /* what to write; NULL: the name says it */
} table[] = {
    /* names from before those of /v1 were frozen */
    {"angular_frequency", "angular_frequency_rad_s", NULL},
    {"bandwidth", "bandwidth_hz", NULL},
    {"constant", "constant_nm_a", NULL},
    {"continuous", "continuous_a", NULL},
    {"dropout", "dropout_v", NULL},
    {"duration", "duration_s", NULL},
    {"durations", "durations_s", NULL},
    {"entropy", "prior_weight", NULL},
    {"foldback_time", "foldback_time_s", NULL},
    {"frequency", "frequency_hz", NULL},
    {"interval", "interval_s", NULL},
    {"lead_time", "lead_time_s", NULL},
    {"max_step", "max_step_s", NULL},
    {"peak", "peak_a", NULL},
    {"peak_reverse", "peak_reverse_a", NULL},
    {"phase", "phase_rad", NULL},
    {"position", "position_m", NULL},
    {"profile", "kind", NULL},
    {"rate", "rate_hz", NULL},
    {"rate", "rate_rad_s", NULL},
    {"rotation", "rotation_rad", NULL},
    {"sample_time", "sample_time_s", NULL},
    {"seen_from", "frame", NULL},
    {"stand", "setpoint", NULL},
    {"hold", "setpoint", NULL},
    {"start", "start_s", NULL},
    {"step", "step_s", NULL},
    {"supply", "supply_v", NULL},
    {"tacho_time", "tacho_time_s", NULL},
    {"tell", "return_members", NULL},
    {"times", "times_s", NULL},
    /* words of other tools and textbooks */
    {"type", "kind", NULL},
    {"target", "setpoint", NULL},
    {"goal", "setpoint", NULL},
    {"target", "pose", NULL},
    {"goal", "pose", NULL},
    {"target", "reference", "write \"reference\": {\"setpoint\": [...]}"},
    {"goal", "reference", "write \"reference\": {\"setpoint\": [...]}"},
    {"setpoint", "reference", "write \"reference\": {\"setpoint\": [...]}"},
    {"q", "setpoint", NULL},
    {"q", "waypoints", NULL},
    {"q", "initial", NULL},
    {"q0", "initial", NULL},
    {"seed", "initial", NULL},
    {"xyz", "position", NULL},
    {"quaternion", "quaternion_wxyz", NULL},
    {"orientation", "rpy", NULL},
    {"orientation", "quaternion_wxyz", NULL},
    {"euler", "rpy", NULL},
    {"dq", "qd", NULL},
    {"ddq", "qdd", NULL},
    {"qdot", "qd", NULL},
    {"qddot", "qdd", NULL},
    {"velocity", "qd", NULL},
    {"velocities", "qd", NULL},
    {"acceleration", "qdd", NULL},
    {"accelerations", "qdd", NULL},
    {"positions", "q", NULL},
    {"torque", "tau", NULL},
    {"torques", "tau", NULL},
    {"effort", "tau", NULL},
    {"efforts", "tau", NULL},
    {"joint_names", "joints", NULL},
    {"dt", "interval_s", NULL},
    {"dt", "step_s", NULL},
    {"period", "interval_s", NULL},
    {"sample_rate", "interval_s", NULL},
    {"sampling_rate", "interval_s", NULL},
    {"rate", "interval_s", NULL},
    {"time", "duration_s", NULL},
    {"t_end", "duration_s", NULL},
    {"controller", "input", NULL},
    {"control", "input", NULL},
    {"tau", "input", NULL},
    {"return", "return_members", NULL},
    {"link", "frame", NULL},
    {"tool", "frame", NULL},
    {"tcp", "frame", NULL},
    {"max_velocity", "velocity", NULL},
    {"max_acceleration", "acceleration", NULL},
    {"max_jerk", "jerk", NULL},
    {"at", "frame", "write \"frame\": {\"link\": \"tool\", \"at\": [0, 0, 0]}"},
    {"units", "angles", "say \"angles\": \"deg\" for degrees; radians need no word"},
    {"unit", "angles", "say \"angles\": \"deg\" for degrees; radians need no word"},
    {"degrees", "angles", "say \"angles\": \"deg\""},
    {"deg", "angles", "say \"angles\": \"deg\""},
    {"degrees", "deg", NULL},
    {"degree", "deg", NULL},
    {"radians", "rad", NULL},
    {"jacobian", "expressed_in", "add \"expressed_in\": \"world\": it brings Jacobians"},
    {"duration_s", "frequency_hz", "it repeats after 1/frequency_hz: 0.05 for 20 s"},
    {"duration", "frequency_hz", "it repeats after 1/frequency_hz: 0.05 for 20 s"},
    {"forward-kinematics", "kinematics", NULL},
    {"fk", "kinematics", NULL},
    {"jacobian", "kinematics", "kinematics with \"expressed_in\": \"world\""},
    {"ik", "inverse-kinematics", NULL},
    {"id", "inverse-dynamics", NULL},
    {"dynamics", "inverse-dynamics", NULL},
    {"rnea", "inverse-dynamics", NULL},
    {"fd", "forward-dynamics", NULL},
    {"aba", "forward-dynamics", NULL},
    {"gravity", "terms", "terms with \"include\": [\"gravity_torque\"]"},
    {"coriolis", "terms", "terms with \"include\": [\"coriolis_vector\"]"},
    {"friction", "terms", "terms with \"include\": [\"friction\"]"},
    {"energy", "terms", "terms with \"include\": [\"energy\"]"},
    {"mass-matrix", "terms", "terms with \"include\": [\"mass_matrix\"]"},
    {"crba", "terms", "terms with \"include\": [\"mass_matrix\"]"},
    {"identify", "calibrate", NULL},
    {"identification", "calibrate", NULL},
};

unsigned tqa_renamed(const char *text, size_t n, const char *name, const char **ret_note)
{
    assert((text != NULL || n == 0) && name != NULL);
    for (unsigned k = 0; k < sizeof table / sizeof table[0]; k++) {
        if (strlen(table[k].word) == n && memcmp(table[k].word, text, n) == 0 &&
            strcmp(table[k].name, name) == 0) {
            *ret_note = table[k].note;
            return k + 1;
        }
    }
    return 0;
}
