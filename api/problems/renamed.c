/* SPDX-License-Identifier: Apache-2.0 */
/* api/problems/renamed.c - other words for the fields of requests and the operations. A word has
 * several rows where its name depends on the place: the first one that exists there counts.
 */
#include "api/problems/renamed.h"

#include <assert.h>
#include <stdbool.h>
#include <string.h>

#define BASE "base parameters: POST .../regressor?form=base"
#define FLOOR                                                                                      \
    "write \"contacts\": {\"shapes\": [{\"shape\": \"half-space\"}, {\"shape\": \"sphere\", "      \
    "\"link\": \"foot\", \"size\": [0.03]}]}"
#define INITIAL                                                                                    \
    "where it starts: \"initial\": {\"q\": [...]} of simulate and ensemble, \"initial\": [...] else"
#define RATE   "one over the rate: \"interval_s\": 0.01 is 100 Hz"
#define OUTPUT "one over the rate: \"output\": {\"interval_s\": 0.01} is 100 Hz"
#define TURN   "write \"rpy\": [roll, pitch, yaw], \"quaternion_wxyz\": [w, x, y, z] or \"rotation\""
#define PLACE                                                                                      \
    "write \"pose\": {\"position\": [x, y, z], \"rpy\": [roll, pitch, yaw]}, or in place of rpy "  \
    "\"quaternion_wxyz\" or \"rotation\", three rows of three"
#define OPTIMAL                                                                                    \
    "as fast as limits allow: \"limits\": {\"kind\": \"time-optimal\"} in place of timing and times"

/* Read as `name`: another word for the same values. INTO: for a member of the object `name`.
 * BESIDE, INTO: where `beside` is known too. SAY: only said in a hint, as the value is written
 * otherwise or may mean something else. */
#define AS(word, name)                                                                             \
    {                                                                                              \
        word, name, NULL, NULL, name, NULL                                                         \
    }
#define BESIDE(word, name, beside)                                                                 \
    {                                                                                              \
        word, name, NULL, NULL, name, beside                                                       \
    }
#define INTO(word, name, member, beside)                                                           \
    {                                                                                              \
        word, name, "write \"" name "\": {\"" member "\": ...}", member, name "/" member, beside   \
    }
#define SAY(word, name, note)                                                                      \
    {                                                                                              \
        word, name, note, NULL, NULL, NULL                                                         \
    }

static const struct row {
    const char *word, *name;
    const char *note; /* what to write; NULL: the name says it */
    const char *member, *text, *beside;
} table[] = {
    /* names from before those of /v1 were frozen */
    AS("angular_frequency", "angular_frequency_rad_s"),
    SAY("bandwidth", "bandwidth_hz", NULL),
    AS("constant", "constant_nm_a"),
    AS("continuous", "continuous_a"),
    AS("dropout", "dropout_v"),
    AS("duration", "duration_s"),
    AS("durations", "durations_s"),
    AS("entropy", "prior_weight"),
    AS("foldback_time", "foldback_time_s"),
    AS("frequency", "frequency_hz"),
    AS("interval", "interval_s"),
    AS("lead_time", "lead_time_s"),
    AS("max_step", "max_step_s"),
    AS("peak", "peak_a"),
    AS("peak_reverse", "peak_reverse_a"),
    AS("phase", "phase_rad"),
    AS("position", "position_m"),
    AS("profile", "kind"),
    AS("rate", "rate_hz"),
    AS("sample_rate", "rate_hz"),
    AS("sampling_rate", "rate_hz"),
    AS("fs", "rate_hz"),
    SAY("rate", "rate_rad_s", NULL),
    AS("rotation", "rotation_rad"),
    AS("sample_time", "sample_time_s"),
    AS("seen_from", "frame"),
    AS("stand", "setpoint"),
    AS("hold", "setpoint"),
    AS("start", "start_s"),
    AS("step", "step_s"),
    AS("supply", "supply_v"),
    AS("tacho_time", "tacho_time_s"),
    AS("tell", "return_members"),
    AS("times", "times_s"),
    /* words of other tools and textbooks */
    AS("type", "kind"),
    AS("law", "kind"),
    AS("mode", "kind"),
    AS("pos", "position"),
    AS("target", "setpoint"),
    AS("goal", "setpoint"),
    AS("target", "pose"),
    AS("goal", "pose"),
    INTO("target", "reference", "setpoint", NULL),
    INTO("goal", "reference", "setpoint", NULL),
    INTO("setpoint", "reference", "setpoint", NULL),
    INTO("q_des", "reference", "setpoint", NULL),
    INTO("q_ref", "reference", "setpoint", NULL),
    INTO("desired", "reference", "setpoint", NULL),
    AS("q", "setpoint"),
    SAY("q", "waypoints", NULL),
    SAY("start", "waypoints", "write \"waypoints\": [START, GOAL], each a number for each joint"),
    SAY("goal", "waypoints", "write \"waypoints\": [START, GOAL], each a number for each joint"),
    SAY("end", "waypoints", "write \"waypoints\": [START, GOAL], each a number for each joint"),
    SAY("from", "waypoints", "write \"waypoints\": [START, GOAL], each a number for each joint"),
    SAY("to", "waypoints", "write \"waypoints\": [START, GOAL], each a number for each joint"),
    SAY("target", "waypoints", "write \"waypoints\": [START, GOAL], each a number for each joint"),
    INTO("q", "initial", "q", "output"),
    INTO("q0", "initial", "q", "output"),
    INTO("qd", "initial", "qd", "output"),
    INTO("qd0", "initial", "qd", "output"),
    BESIDE("q", "initial", "pose"),
    BESIDE("q0", "initial", "pose"),
    SAY("q", "initial", INITIAL),
    SAY("q0", "initial", INITIAL),
    SAY("seed", "initial", NULL),
    AS("xyz", "position"),
    SAY("quaternion", "quaternion_wxyz", NULL),
    SAY("orientation", "rpy", TURN),
    SAY("orientation", "quaternion_wxyz", TURN),
    SAY("orientation", "pose", PLACE),
    SAY("euler", "rpy", NULL),
    SAY("roll", "rpy", TURN),
    SAY("pitch", "rpy", TURN),
    SAY("yaw", "rpy", TURN),
    SAY("matrix", "rotation",
        "\"rotation\" is its three rows of three, \"position\" its last column"),
    SAY("T", "rotation", "\"rotation\" is its three rows of three, \"position\" its last column"),
    SAY("transform", "rotation",
        "\"rotation\" is its three rows of three, \"position\" its last column"),
    SAY("matrix", "pose", PLACE),
    SAY("T", "pose", PLACE),
    SAY("transform", "pose", PLACE),
    AS("dq", "qd"),
    AS("ddq", "qdd"),
    AS("qdot", "qd"),
    AS("qddot", "qdd"),
    AS("velocity", "qd"),
    AS("velocities", "qd"),
    AS("acceleration", "qdd"),
    AS("accelerations", "qdd"),
    AS("positions", "q"),
    AS("position", "q"),
    AS("torque", "tau"),
    AS("torques", "tau"),
    AS("effort", "tau"),
    AS("efforts", "tau"),
    SAY("torque", "moment", NULL),
    AS("joint_names", "joints"),
    AS("names", "joints"),
    AS("joint_order", "joints"),
    AS("dt", "interval_s"),
    AS("dt", "step_s"),
    AS("timestep", "step_s"),
    AS("control_timestep", "step_s"),
    AS("frame_skip", "steps"),
    AS("n_steps", "steps"),
    AS("action", "tau"),
    AS("ctrl", "tau"),
    SAY("noise", "noise_std", NULL),
    SAY("latency_s", "delay_s", NULL),
    SAY("sample_rate", "interval_s", RATE),
    SAY("sampling_rate", "interval_s", RATE),
    SAY("rate", "interval_s", RATE),
    SAY("rate_hz", "interval_s", RATE),
    SAY("fs", "interval_s", RATE),
    SAY("hz", "interval_s", RATE),
    SAY("sample_rate", "output", OUTPUT),
    SAY("sampling_rate", "output", OUTPUT),
    SAY("rate", "output", OUTPUT),
    SAY("rate_hz", "output", OUTPUT),
    SAY("fs", "output", OUTPUT),
    SAY("hz", "output", OUTPUT),
    AS("time", "duration_s"),
    AS("t_end", "duration_s"),
    AS("t_final", "duration_s"),
    AS("tf", "duration_s"),
    AS("seconds", "duration_s"),
    AS("controller", "input"),
    AS("control", "input"),
    SAY("tau", "input", NULL),
    AS("return", "return_members"),
    AS("link", "frame"),
    AS("tool", "frame"),
    AS("tcp", "frame"),
    AS("end_effector", "frame"),
    AS("tip", "frame"),
    AS("body", "frame"),
    AS("max_velocity", "velocity"),
    AS("max_acceleration", "acceleration"),
    AS("max_jerk", "jerk"),
    AS("limit", "limits"),
    AS("max_effort", "effort"),
    AS("max_torque", "effort"),
    SAY("at", "frame", "write \"frame\": {\"link\": \"tool\", \"at\": [0, 0, 0]}"),
    AS("units", "angles"),
    AS("unit", "angles"),
    AS("angle_unit", "angles"),
    AS("angle_units", "angles"),
    SAY("ground", "shapes",
        "the ground is one of \"shapes\": [{\"shape\": \"half-space\"}, {\"shape\": \"sphere\", "
        "\"link\": \"foot\", \"size\": [0.03]}]; others: capsule, box"),
    SAY("floor", "shapes",
        "the floor is one of \"shapes\": [{\"shape\": \"half-space\"}, {\"shape\": \"sphere\", "
        "\"link\": \"foot\", \"size\": [0.03]}]; others: capsule, box"),
    SAY("ground", "contacts", FLOOR),
    SAY("floor", "contacts", FLOOR),
    SAY("links", "shapes",
        "a shape for each: \"shapes\": [{\"shape\": \"sphere\", \"link\": \"foot\", \"size\": "
        "[0.03]}, ...]"),
    SAY("radius", "size", "write \"size\": [radius]"),
    SAY("degrees", "angles", "say \"angles\": \"deg\""),
    SAY("deg", "angles", "say \"angles\": \"deg\""),
    AS("degrees", "deg"),
    AS("degree", "deg"),
    AS("radians", "rad"),
    AS("frame", "frames"),
    AS("link", "frames"),
    AS("links", "frames"),
    AS("points", "frames"),
    SAY("jacobian", "link_jacobians",
        "of a point: POST .../kinematics with \"expressed_in\": \"world\"; of all links: "
        "\"link_jacobians\""),
    AS("gravity", "gravity_torque"),
    AS("G", "gravity_torque"),
    AS("M", "mass_matrix"),
    AS("inertia", "mass_matrix"),
    AS("inertia_matrix", "mass_matrix"),
    AS("C", "coriolis_matrix"),
    SAY("coriolis", "coriolis_vector", NULL),
    AS("com", "center_of_mass"),
    SAY("constraints", "constraint_jacobian", NULL),
    SAY("base_parameters", "mass_matrix", BASE),
    SAY("base_parameters", "form", BASE),
    SAY("base", "form", BASE),
    SAY("include", "form",
        "the whole answer comes at once; for base parameters: \"form\": \"base\""),
    SAY("base", "rotor", BASE),
    AS("minimal", "base"),
    INTO("position", "pose", "position", NULL),
    INTO("xyz", "pose", "position", NULL),
    INTO("rpy", "pose", "rpy", NULL),
    INTO("quaternion_wxyz", "pose", "quaternion_wxyz", NULL),
    SAY("quaternion", "pose",
        "write \"pose\": {\"position\": [...], \"quaternion_wxyz\": [w, x, y, z]}"),
    SAY("check_limits", "include", "say \"include\": [\"limits\"]"),
    SAY("torque_limits", "include", "say \"include\": [\"limits\"]"),
    AS("wrenches", "external_wrenches"),
    AS("external_forces", "external_wrenches"),
    SAY("external_force", "external_wrenches", NULL),
    SAY("force", "external_wrenches", NULL),
    AS("forces", "external_wrenches"),
    AS("f_ext", "external_wrenches"),
    AS("fext", "external_wrenches"),
    AS("wrench", "external_wrenches"),
    AS("data", "datasets"),
    AS("dataset", "datasets"),
    AS("logs", "datasets"),
    AS("files", "datasets"),
    AS("values", "list"),
    SAY("range", "uniform", NULL),
    INTO("from", "grid", "from", "uniform"),
    INTO("to", "grid", "to", "uniform"),
    INTO("count", "grid", "count", "uniform"),
    INTO("num", "grid", "count", "uniform"),
    AS("parameter", "of"),
    AS("name", "of"),
    AS("name", "joints"), /* of ROS' JointState */
    AS("what", "of"),
    AS("quantity", "of"),
    AS("payload", "payload_mass"),
    SAY("payload", "vary",
        "write \"vary\": [{\"of\": \"payload_mass\", \"link\": \"tool\", \"list\": [0, 1]}]"),
    AS("n", "members"),
    AS("samples", "members"),
    SAY("motor", "drive",
        "write \"drive\": {\"motor\": {...}, \"gear\": {...}, \"amplifier\": {...}}"),
    SAY("gear", "drive",
        "write \"drive\": {\"motor\": {...}, \"gear\": {...}, \"amplifier\": {...}}"),
    SAY("amplifier", "drive",
        "write \"drive\": {\"motor\": {...}, \"gear\": {...}, \"amplifier\": {...}}"),
    AS("rotor_inertia", "inertia"),
    AS("supply_voltage", "supply_v"),
    AS("voltage", "supply_v"),
    AS("kt", "constant_nm_a"),
    AS("torque_constant", "constant_nm_a"),
    AS("R", "resistance"),
    AS("L", "inductance"),
    AS("J", "inertia"),
    INTO("dt", "output", "interval_s", NULL),
    INTO("interval", "output", "interval_s", NULL),
    INTO("output_interval_s", "output", "interval_s", NULL),
    INTO("interval_s", "output", "interval_s", NULL),
    INTO("sample_time", "output", "interval_s", NULL),
    INTO("times_s", "output", "times_s", NULL),
    INTO("times", "output", "times_s", NULL),
    INTO("t_eval", "output", "times_s", NULL),
    SAY("time_optimal", "limits", "write \"limits\": {\"kind\": \"time-optimal\"}"),
    SAY("minimum_time", "limits", "write \"limits\": {\"kind\": \"time-optimal\"}"),
    SAY("fastest", "limits", "write \"limits\": {\"kind\": \"time-optimal\"}"),
    SAY("fastest", "linear", OPTIMAL),
    SAY("optimal", "linear", OPTIMAL),
    SAY("minimum-time", "linear", OPTIMAL),
    SAY("time-optimal", "linear", OPTIMAL),
    SAY("toppra", "linear", OPTIMAL),
    AS("fastest", "time-optimal"),
    AS("optimal", "time-optimal"),
    AS("minimum-time", "time-optimal"),
    AS("toppra", "time-optimal"),
    INTO("max_velocity", "limits", "velocity", "interval_s"),
    INTO("velocity_limits", "limits", "velocity", "interval_s"),
    INTO("max_acceleration", "limits", "acceleration", "interval_s"),
    INTO("acceleration_limits", "limits", "acceleration", "interval_s"),
    SAY("jacobian", "expressed_in", "add \"include\": [\"jacobian\"]"),
    AS("duration_s", "period_s"),
    AS("duration", "period_s"),
    AS("period", "period_s"),
    SAY("period", "interval_s", NULL),
    SAY("forward-kinematics", "kinematics", NULL),
    SAY("fk", "kinematics", NULL),
    SAY("jacobian", "kinematics", "kinematics with \"expressed_in\": \"world\""),
    SAY("ik", "inverse-kinematics", NULL),
    SAY("id", "inverse-dynamics", NULL),
    SAY("dynamics", "inverse-dynamics", NULL),
    SAY("rnea", "inverse-dynamics", NULL),
    SAY("fd", "forward-dynamics", NULL),
    SAY("aba", "forward-dynamics", NULL),
    SAY("gravity", "terms", "terms with \"include\": [\"gravity_torque\"]"),
    SAY("coriolis", "terms", "terms with \"include\": [\"coriolis_vector\"]"),
    SAY("friction", "terms", "terms with \"include\": [\"friction\"]"),
    SAY("energy", "terms", "terms with \"include\": [\"energy\"]"),
    SAY("mass-matrix", "terms", "terms with \"include\": [\"mass_matrix\"]"),
    SAY("crba", "terms", "terms with \"include\": [\"mass_matrix\"]"),
    SAY("base-parameters", "regressor", "regressor?form=base"),
    SAY("limits", "robots", "/v1/robots/NAME: its joints have their limits"),
    SAY("joints", "robots", "/v1/robots/NAME: its joints, links and limits"),
    SAY("links", "robots", "/v1/robots/NAME: its joints, links and limits"),
    SAY("document", "robots", "/v1/robots/NAME?format=document"),
    SAY("urdf", "robots", "/v1/robots/NAME?format=urdf"),
    SAY("mjcf", "robots", "/v1/robots/NAME?format=mjcf"),
    SAY("sdf", "robots", "/v1/robots/NAME?format=sdf"),
    SAY("plot", "result", "/v1/jobs/ID/result?fields=q&points=200; / and /docs draw it"),
    SAY("viscous", "coulomb", "write \"damping\" on the joint: viscous friction, N m s/rad"),
    SAY("identify", "calibrate", NULL),
    SAY("identification", "calibrate", NULL),
    SAY("calibration", "calibrate", NULL),
    SAY("gravity-torque", "terms", "terms with \"include\": [\"gravity_torque\"]"),
    SAY("gravity_torque", "terms", "terms with \"include\": [\"gravity_torque\"]"),
    SAY("mass_matrix", "terms", "terms with \"include\": [\"mass_matrix\"]"),
    SAY("inertia-matrix", "terms", "terms with \"include\": [\"mass_matrix\"]"),
    SAY("base_parameters", "regressor", "regressor?form=base"),
    SAY("jacobians", "kinematics", "kinematics with \"include\": [\"jacobian\"]"),
    SAY("pose", "kinematics", NULL),
    SAY("simulation", "simulate", NULL),
    SAY("simulations", "simulate", NULL),
    SAY("run", "simulate", NULL),
    SAY("control", "simulate", "simulate with \"input\": {\"kind\": \"pd-gravity\", ...}"),
    SAY("motion", "trajectory", NULL),
    SAY("path", "trajectory", NULL),
    SAY("plan", "trajectory", NULL),
    SAY("time-optimal", "trajectory", "trajectory with \"limits\": {\"kind\": \"time-optimal\"}"),
    SAY("logs", "datasets", NULL),
    SAY("exciting-trajectory", "excitation", NULL),
    SAY("monte-carlo", "ensemble", NULL),
};

enum { N_ROW = sizeof table / sizeof table[0] };

static bool is_word(const struct row *row, const char *text, size_t n)
{
    return strlen(row->word) == n && memcmp(row->word, text, n) == 0;
}

unsigned tqa_renamed(const char *text, size_t n, const char *name, const char **ret_note)
{
    assert((text != NULL || n == 0) && name != NULL);
    for (unsigned k = 0; k < N_ROW; k++) {
        if (is_word(&table[k], text, n) && strcmp(table[k].name, name) == 0) {
            *ret_note = table[k].note;
            return k + 1;
        }
    }
    return 0;
}

static const char *find(const char *const *known, const char *name)
{
    while (*known != NULL && strcmp(*known, name) != 0) {
        known++;
    }
    return *known;
}

/* The next letter of a name: `external_wrenches`, `externalWrenches` and `External-Wrenches` have
 * the same ones. */
static char next_letter(const char *text, size_t n, size_t *at)
{
    while (*at < n && (text[*at] == '_' || text[*at] == '-' || text[*at] == ' ')) {
        ++*at;
    }
    const char c = *at < n ? text[*at] : '\0';
    *at += 1;
    return c >= 'A' && c <= 'Z' ? (char)(c | 0x20) : c;
}

static bool has_same_letters(const char *text, size_t n, const char *name)
{
    const size_t n_name = strlen(name);
    size_t a = 0, b = 0;
    char c = '\0';
    do {
        c = next_letter(text, n, &a);
        if (c != next_letter(name, n_name, &b)) {
            return false;
        }
    } while (c != '\0');
    return true;
}

bool tqa_renamed_reads(const char *text, size_t n, const char *const *known, tqa_renamed_field *ret)
{
    assert((text != NULL || n == 0) && known != NULL);
    for (unsigned k = 0; k < N_ROW; k++) {
        const struct row *row = &table[k];
        const char *name = is_word(row, text, n) ? find(known, row->name) : NULL;
        if (name != NULL && (row->beside == NULL || find(known, row->beside) != NULL)) {
            *ret = (tqa_renamed_field){.name = name, .member = row->member, .text = row->text};
            return row->text != NULL;
        }
    }
    for (const char *const *name = known; *name != NULL && n > 1; name++) {
        if (has_same_letters(text, n, *name)) {
            *ret = (tqa_renamed_field){.name = *name, .text = *name};
            return true;
        }
    }
    return false;
}
