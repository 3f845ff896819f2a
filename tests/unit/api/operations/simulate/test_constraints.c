/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/api/operations/simulate/test_constraints.c - constrained robots over time: with every
 * method constraints stay satisfied and energy is conserved. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tests/support/ask.h"

/* distance of the two ends at the four-bar's pin, m */
static double gap(const double q[3])
{
    const double x = 0.2 * cos(q[0]) + 0.5 * cos(q[0] + q[1]) - 0.5 - 0.4 * cos(q[2]);
    const double y = 0.2 * sin(q[0]) + 0.5 * sin(q[0] + q[1]) - 0.4 * sin(q[2]);
    return sqrt(x * x + y * y);
}

static void start_of(const char *robot, char *text, size_t size)
{
    tqa_robot *r = tqt_builtin(robot);
    size_t n = 0;
    for (uint32_t k = 0; k < r->model->nq; k++) {
        n += (size_t)snprintf(text + n, size - n, "%s%.17g", k > 0 ? ", " : "", r->assembled[k]);
    }
    tqa_robot_free(r);
}

Test(simulate_constraints, every_method_keeps_the_loop_closed, .timeout = 100)
{
    static const struct {
        const char *solver;
        double energy; /* J of 10 J: accuracy of the method with these settings over 2 s */
    } rows[] = {
        {"{'method': 'dopri87', 'rtol': 1e-10, 'atol': 1e-12}", 1e-8},
        {"{'method': 'dopri45', 'rtol': 1e-10, 'atol': 1e-12}", 1e-7},
        {"{'method': 'rk4', 'step_s': 0.001}", 1e-6},
        {"{'method': 'sdirk', 'rtol': 1e-8, 'atol': 1e-10}", 1e-4},
        {"{'method': 'bdf', 'rtol': 1e-9, 'atol': 1e-11}", 1e-4},
        {"{'method': 'semi-implicit-euler', 'step_s': 0.0001}", 0.5},
        {"{'method': 'implicit-midpoint', 'step_s': 0.001}", 0.05},
    };
    char start[128], body[512];
    start_of("four-bar", start, sizeof start);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        (void)snprintf(body, sizeof body,
                       "{'initial': {'q': [%s], 'qd': [6, 0, 0]}, 'duration_s': 2, 'output': "
                       "{'interval_s': 0.02}, 'solver': %s, 'include': ['energy', 'multipliers']}",
                       start, rows[i].solver);
        json_t *answer = tqt_ask("four-bar", "simulate", body);
        cr_assert(strcmp(json_string_value(tqt_at(answer, "verdict.outcome")), "completed") == 0,
                  "%s", rows[i].solver);
        cr_expect(strcmp(json_string_value(tqt_at(answer, "constraints.rows.0")), "pin.x") == 0);
        cr_expect(tqt_number(answer, "constraints.start.position_residual") < 1e-12);
        cr_expect(tqt_number(answer, "constraints.start.change_qd") > 0.1);
        double worst = 0.0, drift = 0.0, first = 0.0;
        const size_t n = json_array_size(tqt_at(answer, "t"));
        cr_assert(eq(sz, n, 101));
        for (size_t k = 0; k < n; k++) {
            double q[3];
            for (size_t j = 0; j < 3; j++) {
                q[j] = json_number_value(json_array_get(json_array_get(tqt_at(answer, "q"), k), j));
            }
            worst = fmax(worst, gap(q));
            const double e = tqt_at_number(answer, "kinetic_energy", k) +
                             tqt_at_number(answer, "potential_energy", k);
            first = k == 0 ? e : first;
            drift = fmax(drift, fabs(e - first));
        }
        cr_expect(worst <= 1e-10, "%s: open by %g", rows[i].solver, worst);
        cr_expect(drift < rows[i].energy, "%s: energy moves by %g", rows[i].solver, drift);
        json_decref(answer);
    }
}

/* distance of the ends of the three legs, m */
static double legs_gap(const double q[6])
{
    static const double foot[3][2] = {{0.0, 0.25}, {0.433, 0.0}, {0.433, 0.5}};
    double end[3][2], worst = 0.0;
    for (int k = 0; k < 3; k++) {
        const double a = q[2 * k], b = a + q[2 * k + 1];
        end[k][0] = foot[k][0] + 0.244 * (cos(a) + cos(b));
        end[k][1] = foot[k][1] + 0.244 * (sin(a) + sin(b));
        worst = fmax(worst, hypot(end[k][0] - end[0][0], end[k][1] - end[0][1]));
    }
    return worst;
}

/* A minute at tight tolerance: residuals stay below 1e-10, and energy below 1e-10 of the largest
 * kinetic energy, as robots without constraints keep it. */
Test(simulate_constraints, a_minute_keeps_loops_closed_and_energy, .timeout = 100)
{
    static const struct {
        const char *robot, *qd;
    } rows[] = {{"four-bar", "[6, 0, 0]"}, {"parallel-2dof", "[0.8, 0, 0.3, 0, 0, 0]"}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char start[256], body[1024], path[16];
        double worst = 0.0;
        start_of(rows[i].robot, start, sizeof start);
        (void)snprintf(
            body, sizeof body,
            "{'initial': {'q': [%s], 'qd': %s}, 'duration_s': 60, 'output': {'interval_s': "
            "0.25}, 'solver': {'rtol': 1e-13, 'atol': 1e-14}}",
            start, rows[i].qd);
        json_t *answer = tqt_ask(rows[i].robot, "simulate", body);
        cr_assert(eq(sz, json_array_size(tqt_at(answer, "t")), 241));
        for (size_t k = 0; k < 241; k++) {
            double q[6];
            (void)snprintf(path, sizeof path, "q.%zu", k);
            tqt_numbers(answer, path, q, i == 0 ? 3 : 6);
            worst = fmax(worst, i == 0 ? gap(q) : legs_gap(q));
        }
        cr_expect(worst <= 1e-10, "%s: open by %g", rows[i].robot, worst);
        const double lost = tqt_number(answer, "audit.energy.relative");
        cr_expect(lost <= 1e-10, "%s: %g of its energy", rows[i].robot, lost);
        json_decref(answer);
    }
}

/* y = sqrt(x) ends at x = 0: the run reports how far it came, and which constraint is undefined
 * there */
Test(simulate_constraints, a_constraint_that_ends_is_named)
{
    static const char wire[] =
        "{'gravity': [0, 0, 0], 'links': [{'name': 'o'}, {'name': 'a'}, {'name': 'b', 'mass': 1, "
        "'com': [0, 0, 0]}], 'joints': [{'name': 'x', 'kind': 'prismatic', 'parent': 'o', 'child': "
        "'a', 'axis': [1, 0, 0]}, {'name': 'y', 'kind': 'prismatic', 'parent': 'a', 'child': 'b', "
        "'axis': [0, 1, 0]}], 'constraints': [{'name': 'wire', 'kind': 'equation', 'expression': "
        "'y - sqrt(x)*(1 + 0.1*x)'}]}";
    json_t *answer = tqt_ask(wire, "simulate",
                             "{'initial': {'q': [1, 1.1], 'qd': [-1, -0.65]}, 'duration_s': 5, "
                             "'output': {'interval_s': 0.1}, 'input': {'kind': 'torque', 't': [0, "
                             "5], 'tau': [[-1, 0], [-1, 0]]}}");
    const char *reason = json_string_value(tqt_at(answer, "verdict.reason"));
    cr_expect(strcmp(json_string_value(tqt_at(answer, "verdict.outcome")), "completed") != 0);
    cr_expect(strstr(reason, "\"wire\"") != NULL, "%s", reason);
    cr_expect(tqt_number(answer, "verdict.t") > 0.5);
    json_decref(answer);
}

Test(simulate_constraints, starts_that_are_impossible_are_refused)
{
    /* with all bars on one line no small motion closes the loop */
    tqt_refused("four-bar", "simulate",
                "{'initial': {'q': [0, 0, 0], 'qd': [1, 0, 0]}, 'duration_s': 1}", 422,
                "no-convergence", "/initial/q", NULL);
    tqt_refused("panda", "simulate",
                "{'initial': {'q': [0, 0, 0, 0, 0, 0, 0]}, 'duration_s': 0.1, 'include': "
                "['multipliers']}",
                422, "invalid-value", "/include", NULL);
}

/* a state that violates its constraints is projected onto them, and that is reported */
Test(simulate_constraints, the_start_is_brought_onto_the_constraints)
{
    json_t *answer = tqt_ask("cartesian-pendulum", "simulate",
                             "{'initial': {'q': [0.9, 0], 'qd': [1, 1]}, 'duration_s': 0.1, "
                             "'output': {'interval_s': 0.1}}");
    cr_expect(fabs(tqt_number(answer, "q.0.0") - 0.8) < 1e-12);
    cr_expect(fabs(tqt_number(answer, "qd.0.0")) < 1e-12);
    cr_expect(fabs(tqt_number(answer, "qd.0.1") - 1.0) < 1e-12);
    cr_expect(fabs(tqt_number(answer, "constraints.start.change_q") - 0.1) < 1e-12);
    json_decref(answer);
}
