/* SPDX-License-Identifier: Apache-2.0 */
/* tests/bits/questions.c - random robots, states and requests, written as JSON. */
#include "tests/bits/questions.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { SHARES = 2000 };

/* ------------------------------------------------------------------------------------------------
 * Parts of requests
 */

/* coordinates: those that satisfy the constraints where there are any, else random ones, with unit
 * quaternions */
static void put_coordinates(question *to, tqt_random *r, double size)
{
    const tq_model *m = to->robot->model;
    put(to, "[");
    for (uint32_t k = 0; k < m->nq; k++) {
        put(to, "%s", k == 0 ? "" : ",");
        const double turn = to->robot->assembled != NULL ? to->robot->assembled[k] : 0.0;
        uint32_t quaternion = TQ_NONE;
        for (uint32_t j = 0; j < m->n_joint; j++) {
            const tq_joint *joint = &m->joints[j];
            const uint32_t first = joint->q_index + (joint->kind == TQ_JOINT_FLOATING ? 3 : 0);
            if ((joint->kind == TQ_JOINT_FLOATING || joint->kind == TQ_JOINT_SPHERICAL) &&
                k >= first && k < first + 4) {
                quaternion = k - first;
            }
        }
        if (quaternion != TQ_NONE) {
            static const double unit[4] = {0.5, -0.5, 0.5, 0.5};
            put(to, "%g", unit[quaternion]);
        } else if (to->robot->assembled != NULL) {
            put(to, "%.17g", turn);
        } else {
            put_number(to, r, -size, size);
        }
    }
    put(to, "]");
}

static const char *tip(const question *of)
{
    return of->robot->link_names[of->robot->model->n_link - 1];
}

static void put_state(question *to, tqt_random *r, int with_rates)
{
    const uint32_t nv = to->robot->model->nv;
    put(to, "{\"q\":");
    /* one in eight beyond the range where the kernels reduce angles themselves */
    put_coordinates(to, r, tqt_random_chance(r, 0.125) ? 1e6 : 3.0);
    if (with_rates) {
        put(to, ",");
        put_named(to, r, "qd", nv, 2.0);
    }
}

static void put_wrench(question *to, tqt_random *r, const char *name, const char *before,
                       const char *after)
{
    put(to, ",\"%s\":%s{\"link\":\"%s\",", name, before, tip(to));
    put_named(to, r, "force", 3, 20.0);
    put(to, ",");
    put_named(to, r, "moment", 3, 5.0);
    put(to, ",\"at\":\"origin\",\"applied_to\":\"robot\",\"expressed_in\":\"%s\"}%s",
        tqt_random_chance(r, 0.5) ? "world" : "link", after);
}

static void put_include(question *to, tqt_random *r)
{
    static const char *const includes[] = {"reactions",
                                           "mass_matrix",
                                           "mass_matrix_inverse",
                                           "mass_matrix_rate",
                                           "mass_matrix_derivatives",
                                           "coriolis_matrix",
                                           "coriolis_vector",
                                           "christoffel_symbols",
                                           "gravity_torque",
                                           "friction",
                                           "energy",
                                           "momentum",
                                           "center_of_mass",
                                           "link_jacobians",
                                           "ledger",
                                           "derivatives",
                                           "second_derivatives",
                                           "acceleration_derivatives",
                                           "acceleration_second_derivatives",
                                           "decoupling",
                                           "center_of_mass_jacobian",
                                           "checks",
                                           "multipliers",
                                           "constraint_power",
                                           "actuation",
                                           "constraint_jacobian",
                                           "projectors",
                                           "integrability"};
    enum { N = sizeof includes / sizeof includes[0] };
    enum { FREE = N - 6 }; /* the last six are of constraints */
    const uint32_t k = tqt_random_below(r, N + 3);
    if (k < N) {
        const int constraint = k >= FREE;
        put(to, ",\"include\":[\"%s\"]",
            includes[constraint && to->robot->constraints == NULL ? k - FREE : k]);
    } else if (k == N) {
        put(to, ",\"include\":[\"operational_space_inertia\"],\"frame\":\"%s\",\"axes\":[\"x\"]",
            tip(to));
    } else if (k == N + 1) {
        put(to, ",\"include\":[\"mass_matrix_bounds\"]");
    } else {
        put(to, ",\"include\":[\"passivity\"],");
        put_named(to, r, "qd_ref", to->robot->model->nv, 1.0);
        put(to, ",");
        put_named(to, r, "qdd_ref", to->robot->model->nv, 1.0);
    }
}

/* ------------------------------------------------------------------------------------------------
 * Requests
 */

static void inverse_dynamics(question *to, tqt_random *r)
{
    put_state(to, r, 1);
    put(to, ",");
    put_named(to, r, "qdd", to->robot->model->nv, 5.0);
    if (tqt_random_chance(r, 0.5)) {
        put_wrench(to, r, "external_wrenches", "[", "]");
    }
    if (tqt_random_chance(r, 0.5)) {
        put_include(to, r);
    }
    put(to, "}");
}

static void forward_dynamics(question *to, tqt_random *r)
{
    put_state(to, r, 1);
    put(to, ",");
    put_named(to, r, "tau", to->robot->model->nv, 20.0);
    if (tqt_random_chance(r, 0.5)) {
        put_include(to, r);
    }
    put(to, "}");
}

static void terms(question *to, tqt_random *r)
{
    put_state(to, r, 1);
    put(to, ",");
    put_named(to, r, "qdd", to->robot->model->nv, 5.0);
    put_include(to, r);
    put(to, "}");
}

static void kinematics(question *to, tqt_random *r)
{
    put_state(to, r, 1);
    put(to, ",");
    put_named(to, r, "qdd", to->robot->model->nv, 5.0);
    put(to, ",\"expressed_in\":\"%s\",\"frames\":[\"%s\"]}",
        tqt_random_chance(r, 0.5) ? "world" : "link", tip(to));
}

static void statics(question *to, tqt_random *r)
{
    put_state(to, r, 0);
    put_wrench(to, r, "endpoint_wrench", "", "");
    put(to, ",\"joint_stiffness\":");
    put_numbers(to, r, to->robot->model->nv, 100.0, 5000.0);
    put(to, ",\"geometric\":true}");
}

static void regressor(question *to, tqt_random *r)
{
    put_state(to, r, 1);
    put(to, ",");
    put_named(to, r, "qdd", to->robot->model->nv, 5.0);
    put(to, ",\"parameters\":[\"viscous\",\"coulomb\"]}");
}

static void inverse_kinematics(question *to, tqt_random *r)
{
    put(to, "{\"frame\":\"%s\",\"pose\":{", tip(to));
    put_named(to, r, "position", 3, 0.5);
    put(to, "},\"solutions\":2,\"seeds\":4}");
}

static void trajectory(question *to, tqt_random *r)
{
    static const char *const timings[] = {"quintic", "cubic", "trapezoid", "linear"};
    const uint32_t nv = to->robot->model->nv;
    if (tqt_random_chance(r, 0.5)) {
        put(to, "{\"waypoints\":[");
        put_coordinates(to, r, 1.0);
        put(to, ",");
        put_coordinates(to, r, 1.0);
        put(to, "],\"timing\":\"%s\",\"durations_s\":[1],\"interval_s\":0.1}",
            timings[tqt_random_below(r, 4)]);
        return;
    }
    put(to, "{\"fourier\":{\"frequency_hz\":0.1,");
    put_named(to, r, "offset", nv, 1.0);
    put(to, ",\"a\":[");
    put_numbers(to, r, nv, -0.3, 0.3);
    put(to, "],\"b\":[");
    put_numbers(to, r, nv, -0.3, 0.3);
    put(to, "]},\"interval_s\":0.5}");
}

static void inertia(question *to, tqt_random *r)
{
    put(to, "{\"bodies\":[{\"mass\":2,\"shape\":\"cylinder\",\"size\":");
    put_numbers(to, r, 2, 0.02, 0.4);
    put(to, "},{\"mass\":1,\"shape\":\"box\",\"size\":");
    put_numbers(to, r, 3, 0.02, 0.4);
    put(to, ",\"pose\":{");
    put_named(to, r, "position", 3, 0.4);
    put(to, ",\"quaternion_wxyz\":[0.5,0.5,-0.5,0.5]}}],");
    put_named(to, r, "about", 3, 0.3);
    put(to, "}");
}

static void rigid_body(question *to, tqt_random *r)
{
    put(to, "{\"axis_motion\":{\"axis\":[1,0,0],\"axis_rate\":[0,");
    put_number(to, r, -0.1, 0.1);
    put(to, ",");
    put_number(to, r, -0.1, 0.1);
    put(to, "]");
    put(to, ",\"rate_rad_s\":2,\"acceleration\":3},\"lie_bracket\":{");
    put_named(to, r, "a", 6, 1.0);
    put(to, ",");
    put_named(to, r, "b", 6, 1.0);
    put(to, "},\"body\":{\"mass\":2,\"shape\":\"box\",\"size\":[0.1,0.2,0.3],");
    put_named(to, r, "com", 3, 0.1);
    put(to, ",");
    put_named(to, r, "twist", 6, 1.0);
    put(to, ",");
    put_named(to, r, "twist_rate", 6, 1.0);
    put(to, ",\"expressed_in\":\"body\"}}");
}

static void drive(question *to, tqt_random *r)
{
    put(to, "{\"drive\":{\"motor\":{\"constant_nm_a\":0.05,\"resistance\":");
    put_number(to, r, 0.2, 2.0);
    put(to,
        ",\"inductance\":0.0006,\"inertia\":0.0001,\"viscous\":0.0002},\"gear\":{\"ratio\":100},\"amplifier\":{\"kind\":\"pwm\","
        "\"supply_v\":48,\"frequency_hz\":25000},\"current_loop\":{\"p\":");
    put_number(to, r, 0.1, 1.0);
    put(to,
        ",\"i\":400},\"velocity_loop\":{\"gain\":0.5,\"lead\":4,\"lead_time_s\":0.002,\"tacho_time_s\":0.0005}},\"load\":{\"inertia\":0.05,"
        "\"viscous\":0.1},\"speed\":[0,200],\"duty\":[0.25,0.75],\"angular_frequency_rad_s\":[1,10,100,1000]}");
}

static void compare(question *to, tqt_random *r)
{
    const uint32_t a = tqt_random_below(r, 2), b = tqt_random_below(r, 2);
    put(to,
        "{\"a\":{\"dataset\":\"run%u\"},\"b\":{\"dataset\":\"run%u\"},\"include\":[\"series\"]}", a,
        b);
}

static void put_run(question *to, tqt_random *r, const char *solver)
{
    put(to, "{\"initial\":{\"q\":");
    put_coordinates(to, r, 1.0);
    put(to, "},\"duration_s\":0.1,\"output\":{\"interval_s\":0.02},\"solver\":{%s}", solver);
}

static void put_input(question *to, tqt_random *r)
{
    if (to->robot->constraints != NULL || to->robot->model->nq != to->robot->model->nv ||
        tqt_random_chance(r, 0.5)) {
        return; /* free */
    }
    put(to, ",\"input\":{\"kind\":\"computed-torque\",\"reference\":{\"setpoint\":");
    put_coordinates(to, r, 1.0);
    put(to, "},\"kp\":100,\"kd\":20%s}",
        tqt_random_chance(r, 0.5) ? ",\"sample_time_s\":0.001" : "");
}

/* methods that stand on SUNDIALS, whose own arithmetic is that of its build, apart from ours */
static void simulate_adaptive(question *to, tqt_random *r)
{
    static const char *const solvers[] = {"\"method\":\"dopri45\"", "\"method\":\"dopri87\"",
                                          "\"method\":\"bdf\"", "\"method\":\"sdirk\""};
    put_run(to, r, solvers[tqt_random_below(r, 4)]);
    put_input(to, r);
    put(to, "}");
}

static void simulate_stepped(question *to, tqt_random *r)
{
    static const char *const solvers[] = {"\"method\":\"rk4\",\"step_s\":0.001",
                                          "\"method\":\"semi-implicit-euler\",\"step_s\":0.001",
                                          "\"method\":\"implicit-midpoint\",\"step_s\":0.002"};
    put_run(to, r, solvers[tqt_random_below(r, 3)]);
    put_input(to, r);
    put(to, ",\"include\":[\"energy\",\"momentum\"]}");
}

/* a torque table, and how far the run can be trusted with it */
static void simulate_trusted(question *to, tqt_random *r)
{
    static const char *const solvers[] = {"\"rtol\":1e-8", "\"method\":\"rk4\",\"step_s\":0.002"};
    const uint32_t nv = to->robot->model->nv;
    put(to, "{\"initial\":{\"q\":");
    put_coordinates(to, r, 1.0);
    put(to,
        "},\"duration_s\":0.5,\"output\":{\"interval_s\":0.1},\"solver\":{%s},"
        "\"verdict\":{\"tolerated_error\":1e-6,\"model_uncertainty\":0.01}",
        solvers[tqt_random_below(r, 2)]);
    if (tqt_random_chance(r, 0.5)) {
        put_input(to, r);
    } else {
        put(to, ",\"input\":{\"kind\":\"torque\",\"t\":[0,0.2,0.4,0.6],\"tau\":[");
        for (unsigned k = 0; k < 4; k++) {
            put(to, "%s", k == 0 ? "" : ",");
            put_numbers(to, r, nv, -2.0, 2.0);
        }
        put(to, "]}");
    }
    put(to, "}");
}

/* members of other masses, friction, gains and disturbances */
static void ensemble_changed(question *to, tqt_random *r)
{
    static const char *const spreads[] = {"\"normal\":{\"mean\":0.5,\"deviation\":0.4}",
                                          "\"uniform\":[0.5,2]",
                                          "\"grid\":{\"from\":0,\"to\":2,\"count\":3}"};
    static const char *const solvers[] = {"\"method\":\"rk4\",\"step_s\":0.002", "\"rtol\":1e-7"};
    static const char *const varied[] = {
        "mass_factor\",\"link",     "payload_mass\",\"at\":[0.1,0,0],\"link",
        "viscous_factor\",\"joint", "coulomb_factor\",\"joint",
        "kp_factor\",\"joint",      "kd_factor",
        "disturbance_factor",       "noise_seed"};
    to->robot = tqt_random_chance(r, 0.3) ? robot_named("planar-2r") : to->robot;
    if (strcmp(to->robot->name, "spherical-pendulum") == 0) {
        /* at its pole 1 / sin^2 theta: a member that passes near takes ten million steps */
        to->robot = robot_named("planar-2r");
    }
    const tq_model *m = to->robot->model;
    const uint32_t way = tqt_random_below(r, 3);
    uint32_t joint = tqt_random_below(r, m->n_joint);
    while (joint + 1 < m->n_joint &&
           (m->joints[joint].nv != 1 || m->joints[joint].mimic != TQ_NONE)) {
        joint++;
    }
    put_run(to, r, solvers[tqt_random_below(r, 2)]);
    put(to, ",\"input\":{\"kind\":\"pd-gravity\",\"reference\":{\"setpoint\":");
    put_coordinates(to, r, 1.0);
    put(to, "},\"kp\":100,\"kd\":20},\"seed\":%u%s,\"quantiles\":[0.1,0.5],\"vary\":[",
        tqt_random_below(r, 1000), way < 2 ? ",\"members\":5" : "");
    for (unsigned k = 0; k < 2; k++) {
        const uint32_t v = tqt_random_below(r, 4) + 4 * k;
        const bool named = v < 5;
        put(to, "%s{\"of\":\"%s\"", k == 0 ? "" : ",", varied[v]);
        if (named) {
            put(to, ":\"%s\"", v < 2 ? tip(to) : to->robot->joint_names[joint]);
        }
        put(to, ",%s}", spreads[way]);
    }
    put(to, "],\"disturbance\":[{\"kind\":\"noise\",\"interval_s\":0.005,\"seed\":3,\"torque\":");
    put_numbers(to, r, m->nv, 0.0, 2.0);
    put(to, "}],\"end_states\":true,\"return_members\":[0,1]}");
}

static void ensemble(question *to, tqt_random *r)
{
    static const char *const solvers[] = {"\"method\":\"rk4\",\"step_s\":0.001",
                                          "\"method\":\"dopri45\",\"rtol\":1e-8",
                                          "\"method\":\"dopri87\",\"rtol\":1e-8"};
    put_run(to, r, solvers[tqt_random_below(r, 3)]);
    put(to,
        ",\"members\":9,\"seed\":%u,\"vary\":[{\"of\":\"torque\",\"joint\":\"%s\",\"normal\":{\"deviation\":1}}],"
        "\"disturbance\":[{\"kind\":\"noise\",\"interval_s\":0.005,\"seed\":3,\"torque\":",
        tqt_random_below(r, 1000), to->robot->joint_names[0]);
    put_numbers(to, r, to->robot->model->nv, 0.0, 2.0);
    put(to, "}],\"end_states\":true}");
}

static void excitation(question *to, tqt_random *r)
{
    put(to,
        "{\"parameters\":[\"viscous\",\"coulomb\"],\"frequency_hz\":0.1,\"harmonics\":3,\"tries\":8,\"seed\":%u}",
        tqt_random_below(r, 1000));
}

static void calibrate(question *to, tqt_random *r)
{
    static const char *const methods[] = {"ols", "irls", "feasible", "iv"};
    const uint32_t cutoff = 3 + tqt_random_below(r, 5);
    const char *method = methods[tqt_random_below(r, 4)];
    to->robot = robot_named("planar-2r");
    put(to,
        "{\"datasets\":[\"run0\",\"run1\"],\"columns\":{\"time\":\"t\",\"q\":\"q\",\"tau\":\"tau\"},\"filter\":{\"kind\":\"butterworth\","
        "\"cutoff_hz\":%u},\"model\":{\"friction\":[\"viscous\",\"offset\"]},\"method\":\"%s\"}",
        cutoff, method);
}

/* torque by the law of the controller */
static void calibrate_followed(question *to, tqt_random *r)
{
    static const char *const kinds[] = {"pd", "pd-gravity", "computed-torque"};
    static const char *const columns[] = {"", ",\"qd\":\"qd\",\"qd_cmd\":\"qd_cmd\"",
                                          ",\"qd_cmd\":\"qd_cmd\"",
                                          ",\"qd\":\"qd\",\"qd_cmd\":\"qd_cmd\",\"tau_ff\":\"ff\""};
    const uint32_t kind = tqt_random_below(r, 3);
    const uint32_t limit = 20 + tqt_random_below(r, 200);
    to->robot = robot_named("planar-2r");
    put(to,
        "{\"datasets\":[\"followed0\",\"followed1\"],\"columns\":{\"time\":\"t\",\"q\":\"q\",\"q_cmd\":\"q_cmd\"%s},"
        "\"delay_s\":0,\"model\":{\"friction\":[\"viscous\",\"offset\"]},\"method\":\"ols\",\"controller\":{\"kind\":\"%s\",\"kp\":",
        columns[tqt_random_below(r, 4)], kinds[kind]);
    put_numbers(to, r, 2, 50.0, 400.0);
    put(to, ",\"kd\":");
    put_numbers(to, r, 2, 0.0, 20.0);
    if (tqt_random_chance(r, 0.5)) {
        put(to, ",\"ki\":");
        put_numbers(to, r, 2, 0.0, 50.0);
    }
    if (tqt_random_chance(r, 0.5)) {
        put(to, ",\"effort_limits\":[%u,%u]", limit, limit);
    }
    put(to, "}}");
}

/* torque beside recorded forces on the end of the arm */
static void calibrate_pushed(question *to, tqt_random *r)
{
    /* each draw by itself: arguments have no order */
    const bool in_world = tqt_random_chance(r, 0.5);
    const bool by_robot = tqt_random_chance(r, 0.5);
    to->robot = robot_named("planar-2r");
    put(to,
        "{\"datasets\":[\"pushed0\",\"pushed1\"],\"columns\":{\"time\":\"t\",\"q\":\"q\",\"tau\":\"tau\"},"
        "\"delay_s\":0,\"model\":{\"friction\":[\"viscous\",\"offset\"]},\"method\":\"ols\",\"external_wrenches\":[{\"link\":\"%s\",",
        tip(to));
    put_named(to, r, "at", 3, 0.5);
    put(to,
        ",\"applied_to\":\"%s\",\"expressed_in\":\"%s\",\"force\":[\"ff_0\",\"ff_1\",\"qd_0\"],\"moment\":[\"qd_1\",\"ff_1\",\"ff_0\"]}]}",
        by_robot ? "robot" : "environment", in_world ? "world" : "link");
}

static const struct {
    const char *operation;
    void (*write)(question *to, tqt_random *r);
    int share, needs_robot;
} kinds[] = {{"inverse-dynamics", inverse_dynamics, 496, 1},
             {"forward-dynamics", forward_dynamics, 360, 1},
             {"terms", terms, 500, 1},
             {"kinematics", kinematics, 200, 1},
             {"statics", statics, 120, 1},
             {"regressor", regressor, 70, 1},
             {"inverse-kinematics", inverse_kinematics, 30, 1},
             {"trajectory", trajectory, 60, 1},
             {"inertia", inertia, 40, 0},
             {"rigid-body", rigid_body, 40, 0},
             {"drive", drive, 10, 0},
             {"compare", compare, 4, 0},
             {"simulate", simulate_stepped, 24, 1},
             {"simulate", simulate_adaptive, 16, 1},
             {"ensemble", ensemble, 3, 1},
             {"excitation", excitation, 1, 1},
             {"calibrate", calibrate, 2, 1},
             {"simulate", simulate_trusted, 6, 1},
             {"ensemble", ensemble_changed, 8, 1},
             {"calibrate", calibrate_followed, 6, 1},
             {"calibrate", calibrate_pushed, 4, 1}};

void ask_question(size_t i, question *ret)
{
    tqt_random r = tqt_random_seed(1000 + i);
    int at = (int)(i * 7919 % SHARES); /* 7919 has no divisor in common: all shares, spread */
    size_t k = 0;
    while (at >= kinds[k].share) {
        at -= kinds[k++].share;
        assert(k < sizeof kinds / sizeof kinds[0]);
    }
    ret->operation = kinds[k].operation;
    ret->robot =
        kinds[k].needs_robot ? robot_of(tqt_random_below(&r, (uint32_t)robot_count())) : NULL;
    ret->n = 0;
    kinds[k].write(ret, &r);
}

/* ------------------------------------------------------------------------------------------------
 * Recordings of planar-2r: polynomial swings, torques that belong to none of its parameters
 */

static size_t write_recording(char *text, size_t room, uint64_t seed)
{
    tqt_random r = tqt_random_seed(seed);
    size_t n = (size_t)snprintf(text, room, "t,q_0,q_1,tau_0,tau_1\n");
    for (int k = 0; k < 1200; k++) {
        const double t = k * 0.01;
        const double a = t * (12.0 - t) / 36.0, b = a * (2.0 - t) * (t - 7.0) / 12.0;
        double noise[2];
        noise[0] = tqt_random_uniform(&r, -1, 1); /* arguments have no order */
        noise[1] = tqt_random_uniform(&r, -1, 1);
        n += (size_t)snprintf(text + n, room - n, "%.2f,%.9f,%.9f,%.6f,%.6f\n", t, a * b,
                              b - 0.5 * a, 20.0 - 9.0 * a + noise[0], 4.0 * b + noise[1]);
    }
    return n;
}

/* Commanded swings, which the joints follow some hundredths of a rad behind, without torque, or
 * with; a row is missing in the middle, and one is no number. */
static size_t write_followed(char *text, size_t room, uint64_t seed, bool has_torque)
{
    tqt_random r = tqt_random_seed(seed);
    size_t n = (size_t)snprintf(
        text, room, "t,q_0,q_1,q_cmd_0,q_cmd_1,qd_0,qd_1,qd_cmd_0,qd_cmd_1,ff_0,ff_1%s\n",
        has_torque ? ",tau_0,tau_1" : "");
    for (int k = 0; k < 1000; k++) {
        const double t = k * 0.01, s = t - 5.0;
        const double a = (25.0 - s * s) / 25.0, b = a * s;
        const double a_rate = -2.0 * s / 25.0, b_rate = a + a_rate * s;
        double noise[2];
        noise[0] = tqt_random_uniform(&r, -1, 1);
        noise[1] = tqt_random_uniform(&r, -1, 1);
        if (k == 500) {
            continue;
        }
        n += (size_t)snprintf(text + n, room - n,
                              "%.2f,%.9f,%.9f,%.9f,%.9f,%.9f,%.9f,%.9f,%.9f,%.6f,%.6f", t,
                              a - 0.02 * b - 0.0001 * noise[0], b - 0.03 * a - 0.0001 * noise[1],
                              k == 300 ? (double)NAN : a, b, a_rate, b_rate - 0.001 * noise[1],
                              a_rate, b_rate, noise[0], noise[1]);
        if (has_torque) {
            n += (size_t)snprintf(text + n, room - n, ",%.6f,%.6f", 20.0 - 9.0 * a + noise[0],
                                  4.0 * b + noise[1]);
        }
        n += (size_t)snprintf(text + n, room - n, "\n");
    }
    return n;
}

void add_recordings(tqt_host *host)
{
    static const char *const names[] = {"run0",      "run1",    "followed0",
                                        "followed1", "pushed0", "pushed1"};
    enum { LOGS = sizeof names / sizeof names[0] };
    static char text[LOGS][1 << 18];
    static size_t n[LOGS];
    for (size_t k = 0; k < LOGS; k++) {
        if (n[k] == 0) {
            n[k] = k < 2 ? write_recording(text[k], sizeof text[k], 5 + k)
                         : write_followed(text[k], sizeof text[k], 5 + k, k >= 4);
        }
        tqt_host_dataset(host, names[k], "text/csv", text[k], n[k]);
    }
}
