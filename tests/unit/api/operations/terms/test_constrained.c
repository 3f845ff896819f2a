/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/api/operations/terms/test_constrained.c - robots with constraints: accelerations,
 * torques of actuated joints, and the terms of `include`. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tests/support/ask.h"

/* the assembled state with velocity w of the crank, as text of q and qd; ret_qd: the numbers */
static void moving_state(double w, char *q, char *qd, size_t size, double *ret_qd)
{
    tqa_robot *four_bar = tqt_builtin("four-bar");
    const double *at = four_bar->assembled;
    /* the pin's velocity by crank and coupler equals that by the rocker: 2 equations for 2
     * velocities */
    const double a = at[0], b = at[0] + at[1], c = at[2];
    const double v[2] = {-(0.2 * sin(a) + 0.5 * sin(b)) * w, (0.2 * cos(a) + 0.5 * cos(b)) * w};
    const double m[4] = {-0.5 * sin(b), 0.4 * sin(c), 0.5 * cos(b), -0.4 * cos(c)};
    const double det = m[0] * m[3] - m[1] * m[2];
    ret_qd[0] = w;
    ret_qd[1] = (-v[0] * m[3] + v[1] * m[1]) / det;
    ret_qd[2] = (-v[1] * m[0] + v[0] * m[2]) / det;
    (void)snprintf(q, size, "[%.17g, %.17g, %.17g]", at[0], at[1], at[2]);
    (void)snprintf(qd, size, "[%.17g, %.17g, %.17g]", ret_qd[0], ret_qd[1], ret_qd[2]);
    tqa_robot_free(four_bar);
}

Test(constrained, forward_and_inverse_agree)
{
    char q[128], qd[128], body[1024];
    double speed[3], values[2], force[3], qdd[3], tau[3], matrix[6], rate[2];
    moving_state(3.0, q, qd, sizeof q, speed);
    (void)snprintf(body, sizeof body,
                   "{'q': %s, 'qd': %s, 'tau': [1.5, 0, 0], 'include': ['multipliers', "
                   "'constraint_power', 'constraint_jacobian', 'projectors', 'integrability']}",
                   q, qd);
    json_t *answer = tqt_ask("four-bar", "forward-dynamics", body);
    tqt_numbers(answer, "qdd", qdd, 3);
    tqt_numbers(answer, "multipliers.values", values, 2);
    tqt_numbers(answer, "multipliers.force", force, 3);
    tqt_numbers(answer, "constraint_jacobian.matrix", matrix, 6);
    tqt_numbers(answer, "constraint_jacobian.rate_term", rate, 2);
    cr_expect(strcmp(json_string_value(tqt_at(answer, "multipliers.rows.1")), "pin.y") == 0);
    cr_expect(eq(dbl, tqt_number(answer, "multipliers.rank"), 2.0));
    cr_expect(eq(dbl, tqt_number(answer, "multipliers.redundant.0"), 0.0));
    cr_expect(eq(dbl, tqt_number(answer, "integrability.new_directions"), 0.0));
    cr_expect(eq(dbl, tqt_number(answer, "integrability.dof"), 1.0));
    cr_expect(fabs(tqt_number(answer, "constraint_power")) < 1e-11);
    for (int r = 0; r < 2; r++) {
        double sum = rate[r], residual = 0.0;
        for (int k = 0; k < 3; k++) {
            sum += matrix[3 * r + k] * qdd[k];
            residual += matrix[3 * r + k] * speed[k];
        }
        cr_expect(fabs(sum) < 1e-10 && fabs(residual) < 1e-12, "%g %g", sum, residual);
    }
    for (int k = 0; k < 3; k++) {
        cr_expect(fabs(force[k] - matrix[k] * values[0] - matrix[3 + k] * values[1]) < 1e-12);
    }
    json_decref(answer);
    (void)snprintf(body, sizeof body,
                   "{'q': %s, 'qd': %s, 'qdd': [%.17g, %.17g, %.17g], 'include': ['multipliers', "
                   "'actuation']}",
                   q, qd, qdd[0], qdd[1], qdd[2]);
    answer = tqt_ask("four-bar", "inverse-dynamics", body);
    tqt_numbers(answer, "tau", tau, 3);
    cr_expect(fabs(tau[0] - 1.5) < 1e-11 && tau[1] == 0.0 && tau[2] == 0.0, "%g", tau[0]);
    for (int r = 0; r < 2; r++) {
        char path[64];
        (void)snprintf(path, sizeof path, "multipliers.values.%d", r);
        cr_expect(fabs(tqt_number(answer, path) - values[r]) < 1e-10);
    }
    cr_expect(eq(dbl, tqt_number(answer, "actuation.actuated"), 1.0));
    cr_expect(eq(dbl, tqt_number(answer, "actuation.dof"), 1.0));
    cr_expect(eq(dbl, tqt_number(answer, "actuation.internal"), 0.0));
    cr_expect(tqt_number(answer, "actuation.missing") < 1e-11);
    tqt_same_in_cbor("four-bar", "inverse-dynamics", body, answer);
    json_decref(answer);
}

/* batches, and another order of joints, give the same numbers */
Test(constrained, order_and_batch)
{
    double one[4], other[4], both[8];
    json_t *answer = tqt_ask("rolling-disk", "forward-dynamics",
                             "{'q': [0, 0, 0.3, 0], 'qd': [0.19, 0.06, 2, 1], 'tau': [0, 0, 0.1, "
                             "0.2], 'include': ['multipliers', 'projectors']}");
    tqt_numbers(answer, "qdd", one, 4);
    const double first = tqt_number(answer, "multipliers.values.0");
    const double corner = tqt_number(answer, "projectors.force.0.3");
    json_decref(answer);
    answer = tqt_ask("rolling-disk", "forward-dynamics",
                     "{'joints': ['phi', 'theta', 'x', 'y'], 'q': [0, 0.3, 0, 0], 'qd': [1, 2, "
                     "0.19, 0.06], 'tau': [0.2, 0.1, 0, 0], 'include': ['multipliers', "
                     "'projectors']}");
    tqt_numbers(answer, "qdd", other, 4);
    cr_expect(other[0] == one[3] && other[1] == one[2] && other[2] == one[0]);
    cr_expect(eq(dbl, tqt_number(answer, "multipliers.values.0"), first));
    cr_expect(eq(dbl, tqt_number(answer, "projectors.force.2.0"), corner));
    json_decref(answer);
    answer = tqt_ask("rolling-disk", "forward-dynamics",
                     "{'q': [[0, 0, 0.3, 0], [0, 0, 0.3, 0]], 'qd': [[0.19, 0.06, 2, 1], [0, 0, 0, "
                     "0]], 'tau': [[0, 0, 0.1, 0.2], [0, 0, 0, 0]], 'include': ['multipliers']}");
    tqt_numbers(answer, "qdd", both, 8);
    cr_expect(both[0] == one[0] && both[3] == one[3] && fabs(both[4]) < 1e-12);
    cr_expect(eq(dbl, tqt_number(answer, "multipliers.values.0.0"), first));
    json_decref(answer);
}

/* three actuators for two dofs; with six there are four internal forces */
Test(constrained, internal_forces_are_counted)
{
    tqa_robot *robot = tqt_builtin("parallel-2dof");
    char body[1024];
    const double *q = robot->assembled;
    (void)snprintf(body, sizeof body,
                   "{'q': [%.17g, %.17g, %.17g, %.17g, %.17g, %.17g], 'qd': [0, 0, 0, 0, 0, 0], "
                   "'qdd': [0, 0, 0, 0, 0, 0], 'include': ['actuation', 'integrability', "
                   "'constraint_jacobian']}",
                   q[0], q[1], q[2], q[3], q[4], q[5]);
    json_t *answer = tqt_ask("parallel-2dof", "inverse-dynamics", body);
    cr_expect(eq(dbl, tqt_number(answer, "actuation.internal"), 1.0));
    cr_expect(eq(dbl, tqt_number(answer, "actuation.dof"), 2.0));
    cr_expect(fabs(tqt_number(answer, "constraint_jacobian.position_residual.3")) < 1e-12);
    json_decref(answer);
    tqa_robot_free(robot);
}

Test(constrained, names_that_do_not_fit_are_refused)
{
    tqt_refused("panda", "terms",
                "{'q': [0, 0, 0, 0, 0, 0, 0], 'include': ['constraint_jacobian']}", 422,
                "invalid-value", "/include", NULL);
    tqt_refused("four-bar", "terms", "{'q': [0, 0, 0], 'include': ['multipliers']}", 422,
                "invalid-value", "/include", NULL);
    tqt_refused("four-bar", "forward-dynamics",
                "{'q': [0, 0, 0], 'qd': [0, 0, 0], 'tau': [0, 0, 0], 'include': ['actuation']}",
                422, "invalid-value", "/include", NULL);
}

/* with all bars on one line no velocity changes the distance of their ends, although their rotation
 * requires it */
Test(constrained, contradictory_states_are_named)
{
    static const char body[] =
        "{'q': [[0, 0, 0], [0, 0, 0]], 'qd': [[0, 0, 0], [1, 0, 0]], 'tau': [[0, 0, 0], [0, 0, "
        "0]]}";
    tqt_refused("four-bar", "forward-dynamics", body, 422, "singular", "/q/1", NULL);
    tqt_refused("four-bar", "forward-dynamics",
                "{'q': [0, 0, 0], 'qd': [1, 0, 0], 'tau': [0, 0, 0]}", 422, "singular", "/q", NULL);
}
