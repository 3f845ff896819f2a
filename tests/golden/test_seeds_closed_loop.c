/* SPDX-License-Identifier: Apache-2.0 */
/* tests/golden/test_seeds_closed_loop.c - forward simulation through the door: a disturbance, the
 * loop of planner and controller, and the homework open and closed (items 81, 82, 99, 100, 105). */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tests/support/ask.h"

/* the homework's line, 2 s by a quintic; the elbow's branch is chosen by `initial` */
#define LINE                                                                                       \
    "{'poses':[{'position':[0.10,0.15,0.35]},{'position':[0.25,0.05,0.55]}],'times_s':[0,2],"      \
    "'timing':'quintic','frame':'tip','initial':[1.9,0.8,0.2]}"

static void start_of(double lift, double ret_q[3])
{
    char body[256];
    (void)snprintf(body, sizeof body,
                   "{'pose':{'position':[0.10,0.15,%.17g]},'frame':'tip','initial':[1.9,0.8,0.2]}",
                   0.35 + lift);
    json_t *r = tqt_ask("rrp", "inverse-kinematics", body);
    tqt_numbers(r, "solutions.0.q", ret_q, 3);
    json_decref(r);
}

/* item 81: qdd = M^-1 (tau + tau_d - C qd - g), with the disturbance as a torque of its own */
Test(seeds, item_081_forward_dynamics_with_a_disturbance)
{
    json_t *run = tqt_ask("planar-2r", "simulate",
                          "{'initial':{'q':[0.3,-0.7],'qd':[0.5,1.5]},'duration_s':0.1,"
                          "'output':{'times_s':[0.05,0.1]},"
                          "'input':{'kind':'torque','t':[0,1],'tau':[[2,1],[2,1]]},"
                          "'disturbance':[{'kind':'sine','torque':[0.4,-0.3],'frequency_hz':2}],"
                          "'include':['qdd']}");
    double q[6], qd[6], qdd[6], tau[6];
    tqt_numbers(run, "q", q, 6);
    tqt_numbers(run, "qd", qd, 6);
    tqt_numbers(run, "qdd", qdd, 6);
    tqt_numbers(run, "tau", tau, 6);
    for (int k = 0; k < 3; k++) {
        const double push = sin(2 * M_PI * 2 * 0.05 * k);
        char body[512];
        (void)snprintf(body, sizeof body,
                       "{'q':[%.17g,%.17g],'qd':[%.17g,%.17g],'tau':[%.17g,%.17g]}", q[2 * k],
                       q[2 * k + 1], qd[2 * k], qd[2 * k + 1], 2 + 0.4 * push, 1 - 0.3 * push);
        json_t *now = tqt_ask("planar-2r", "forward-dynamics", body);
        for (int i = 0; i < 2; i++) {
            cr_assert(epsilon_eq(dbl, qdd[2 * k + i], tqt_at_number(now, "qdd", (size_t)i), 1e-11));
            cr_assert(
                epsilon_eq(dbl, tau[2 * k + i], (i == 0 ? 2 + 0.4 * push : 1 - 0.3 * push), 1e-14));
        }
        json_decref(now);
    }
    json_decref(run);
}

/* item 82: a planner and a controller around the robot; and inverse, then forward dynamics give the
 * planned motion back */
Test(seeds, item_082_round_trip_in_a_loop)
{
    static const char *const laws[] = {"'kind':'feedforward'",
                                       "'kind':'computed-torque','kp':100,'kd':20"};
    for (int k = 0; k < 2; k++) {
        char body[1024];
        (void)snprintf(body, sizeof body,
                       "{'initial':{'q':[0,-0.8,0,-2.3,0,1.6,0.8]},'duration_s':1,"
                       "'output':{'interval_s':0.1},'solver':{'rtol':1e-11,'atol':1e-12},"
                       "'input':{%s,'reference':{'waypoints':[[0,-0.8,0,-2.3,0,1.6,0.8],"
                       "[0.6,-0.3,0.2,-1.9,0.4,1.2,0.5]],'times_s':[0,1],'timing':'quintic'}}}",
                       laws[k]);
        json_t *r = tqt_ask("panda", "simulate", body);
        for (size_t i = 0; i < 7; i++) {
            /* tolerance 1e-11, amplified some thousand times where the loop is open */
            cr_assert(lt(dbl, tqt_at_number(r, "tracking.max", i), 1e-7), "law %d, joint %zu", k,
                      i);
        }
        json_decref(r);
    }
}

/* one run of the homework's arm, which starts `lift` higher and carries `payload` more at its tip,
 * while its controller believes in the arm as it was planned */
static json_t *homework(double lift, double payload, const char *law)
{
    double q[3];
    char body[2048];
    start_of(lift, q);
    (void)snprintf(
        body, sizeof body,
        "{'initial':{'q':[%.17g,%.17g,%.17g]},'duration_s':2,'output':{'interval_s':0.02},"
        "'payload':{'link':'tip','mass':%.17g,'com':[0,0,0]},"
        "'input':{%s,'reference':" LINE "}}",
        q[0], q[1], q[2], payload, law);
    return tqt_ask("rrp", "simulate", body);
}

#define OPEN "'kind':'feedforward','model':{}"

/* printed: theta2 runs to -180 deg, the mass falls along d3; here -144.95 deg and 18.4 m at 2 s */
Test(seeds, item_099_through_the_door)
{
    json_t *r = homework(0.01, 0.0, OPEN);
    cr_assert(epsilon_eq(dbl, tqt_number(r, "q.100.1") * 180 / M_PI, -144.95, 0.01));
    cr_assert(epsilon_eq(dbl, tqt_number(r, "q.100.2"), 18.4, 0.05));
    /* the verdict predicts it: an error of 1 cm grows by 8.9 /s */
    cr_assert(gt(dbl, tqt_number(r, "verdict.growth_rate_per_s"), 8.0));
    json_decref(r);
}

Test(seeds, item_100_through_the_door)
{
    json_t *r = homework(0.0, 0.1, OPEN);
    cr_assert(epsilon_eq(dbl, tqt_number(r, "q.100.1") * 180 / M_PI, 151.61, 0.01));
    cr_assert(epsilon_eq(dbl, tqt_number(r, "q.100.2"), 17.9, 0.05));
    json_decref(r);
}

/* The conclusion of the homework: a loop holds both. Critically damped at 20 /s an error
 * of 1 cm is gone after 2 s; 0.1 kg too much leaves what 0.98 N do against the stiffness. */
Test(seeds, item_105_closed_loop_holds_both)
{
    static const char *const laws[] = {
        "'kind':'computed-torque','model':{},'kp':400,'kd':40",
        "'kind':'computed-torque','model':{},'kp':400,'kd':40,'sample_time_s':0.001",
        "'kind':'pd-gravity','model':{},'kp':[20,20,400],'kd':[2,2,40]",
        "'kind':'passivity-based','model':{},'kd':[2,2,40],'lambda':20",
    };
    /* percent of the arc of 0.2693 m: with the wrong start, with the wrong mass */
    static const double lifted[] = {0.001, 0.01, 2.0, 0.001}, heavy[] = {2.0, 2.0, 2.0, 2.0};
    for (int k = 0; k < 4; k++) {
        json_t *r = homework(0.01, 0.0, laws[k]);
        cr_assert(epsilon_eq(dbl, tqt_number(r, "tracking.point.max"), 0.01, 3e-3));
        cr_assert(lt(dbl, tqt_number(r, "tracking.point.final_percent"), lifted[k]),
                  "law %d: %g %%", k, tqt_number(r, "tracking.point.final_percent"));
        cr_assert(lt(dbl, tqt_number(r, "verdict.growth_rate_per_s"), 0.0));
        json_decref(r);
        r = homework(0.0, 0.1, laws[k]);
        cr_assert(lt(dbl, tqt_number(r, "tracking.point.max_percent"), 2 * heavy[k]),
                  "law %d: %g %%", k, tqt_number(r, "tracking.point.max_percent"));
        cr_assert(lt(dbl, tqt_number(r, "tracking.point.final_percent"), heavy[k]), "law %d: %g %%",
                  k, tqt_number(r, "tracking.point.final_percent"));
        json_decref(r);
    }
}
