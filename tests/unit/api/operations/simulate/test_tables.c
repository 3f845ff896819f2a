/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/api/operations/simulate/test_tables.c - cubic tables of torques, commands,
 * disturbances and wrenches are followed between their points. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <stdio.h>
#include <string.h>

#include "tests/support/ask.h"

/* A bar about a vertical axis: 0.05 kg m^2, 0.1 N m s of friction, no gravity about it. A
 * not-a-knot spline through five points of a cubic is that cubic, so that at every time
 * 0.05 qdd + 0.1 qd = tau(t) = 2 - t + 3 t^2 - 2 t^3. */
#define BAR                                                                                        \
    "{'gravity':[0,0,-9.81],'links':[{'name':'base'},{'name':'bar','mass':1,'com':[0,0,0],"        \
    "'inertia_about':'com','inertia':[[0.05,0,0],[0,0.05,0],[0,0,0.05]]}],'joints':[{'name':'j',"  \
    "'kind':'continuous','parent':'base','child':'bar','axis':[0,0,1],'damping':0.1%s}]}"
#define RUN "{'initial':{'q':[0]},'duration_s':2,'output':{'interval_s':0.1},'include':['qdd'],"
#define T   "'t':[0,0.5,1,1.5,2]"
enum { ROWS = 21, BODY = 2048 };

static double law(double t)
{
    return 2.0 - t + 3.0 * t * t - 2.0 * t * t * t;
}

static void expect_law(const char *body)
{
    char bar[BODY];
    (void)snprintf(bar, sizeof bar, BAR, "");
    json_t *answer = tqt_ask(bar, "simulate", body);
    double qd[ROWS], qdd[ROWS];
    tqt_numbers(answer, "qd", qd, ROWS);
    tqt_numbers(answer, "qdd", qdd, ROWS);
    for (int k = 0; k < ROWS; k++) {
        cr_expect(epsilon_eq(dbl, 0.05 * qdd[k] + 0.1 * qd[k], law(0.1 * k), 1e-11), "%s at %d",
                  body, k);
    }
    json_decref(answer);
}

/* the law at 0, 0.5, 1, 1.5 and 2 s: 2, 2, 2, 0.5, -4 */
Test(simulate_tables, a_cubic_torque)
{
    expect_law(RUN "'input':{'kind':'torque'," T ",'tau':[[2],[2],[2],[0.5],[-4]],"
                   "'interpolation':'cubic'}}");
}

Test(simulate_tables, a_cubic_disturbance)
{
    expect_law(RUN "'disturbance':[{'kind':'table'," T ",'torque':[[2],[2],[2],[0.5],[-4]],"
                   "'interpolation':'cubic'}]}");
}

Test(simulate_tables, a_cubic_wrench)
{
    expect_law(RUN "'external_wrenches':[{'link':'bar'," T
                   ",'force':[[0,0,0],[0,0,0],[0,0,0],[0,0,0],[0,0,0]],"
                   "'moment':[[0,0,2],[0,0,2],[0,0,2],[0,0,0.5],[0,0,-4]],'at':'origin',"
                   "'applied_to':'robot','expressed_in':'world','interpolation':'cubic'}]}");
}

/* R i + K n qd = 10 law(t), with R = 0.6, K = 0.05 and a gear of 100; no inductance */
Test(simulate_tables, a_cubic_voltage)
{
    char bar[BODY];
    (void)snprintf(bar, sizeof bar, BAR,
                   ",'drive':{'gear':{'ratio':100},'motor':{'constant_nm_a':0.05,'resistance':0.6,"
                   "'inertia':1e-4}}");
    json_t *answer = tqt_ask(bar, "simulate",
                             "{'initial':{'q':[0]},'duration_s':2,'output':{'interval_s':0.1},"
                             "'drives':{'command':'voltage'," T
                             ",'values':[[20],[20],[20],[5],[-40]],'interpolation':'cubic'}}");
    double qd[ROWS], current[ROWS];
    tqt_numbers(answer, "qd", qd, ROWS);
    tqt_numbers(answer, "drive_current", current, ROWS);
    for (int k = 0; k < ROWS; k++) {
        cr_expect(epsilon_eq(dbl, 0.6 * current[k] + 5.0 * qd[k], 10.0 * law(0.1 * k), 1e-10), "%d",
                  k);
    }
    json_decref(answer);
}
