/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/api/operations/trajectory/test_motion.c - inverse kinematics and trajectories by
 * api/operation.h. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdlib.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tests/support/ask.h"

static const double reached = 1e-8; /* ten times the default tolerance, arms of 1 m */

Test(inverse_kinematics, both_elbows_of_the_planar_arm)
{
    const double x = 0.8 * cos(0.5) + 0.6 * cos(-0.4), y = 0.8 * sin(0.5) + 0.6 * sin(-0.4);
    double q[2][2][2];
    size_t branch[2][2];
    for (int k = 0; k < 2; k++) {
        char body[256];
        (void)snprintf(body, sizeof body,
                       "{'frame':'tool','pose':{'position':[%.17g,%.17g,0]},'axes':['x','y'],"
                       "'initial':%s}",
                       x, y, k == 0 ? "[0.4,-0.8]" : "[-0.4,0.8]");
        json_t *a = tqt_ask("planar-2r", "inverse-kinematics", body);
        cr_assert(eq(sz, json_array_size(tqt_at(a, "solutions")), 2));
        tqt_numbers(a, "solutions.0.q", q[k][0], 2);
        tqt_numbers(a, "solutions.1.q", q[k][1], 2);
        branch[k][0] = (size_t)tqt_number(a, "solutions.0.branch");
        branch[k][1] = (size_t)tqt_number(a, "solutions.1.branch");
        cr_assert(lt(dbl, tqt_number(a, "solutions.0.position_error_m"), 1e-9));
        cr_assert(gt(dbl, tqt_number(a, "solutions.0.smallest_singular_value"), 0.1));
        json_decref(a);
    }
    cr_assert(epsilon_eq(dbl, q[0][0][0], 0.5, reached), "nearest to initial first");
    cr_assert(epsilon_eq(dbl, q[0][0][1], -0.9, reached));
    cr_assert(epsilon_eq(dbl, q[1][0][1], 0.9, reached), "the other elbow");
    cr_assert(epsilon_eq(dbl, q[1][1][0], 0.5, reached));
    cr_assert(eq(sz, branch[0][0], 2), "0.5 is the larger first coordinate");
    cr_assert(eq(sz, branch[0][1], 1));
    cr_assert(eq(sz, branch[1][0], 1), "a branch keeps its number whatever `initial` is");
    cr_assert(eq(sz, branch[1][1], 2));
}

Test(inverse_kinematics, unreachable_reports_how_near)
{
    json_t *a = tqt_ask("planar-2r", "inverse-kinematics",
                        "{'frame':'tool','pose':{'position':[3,0,0]},'axes':['x','y']}");
    cr_assert(eq(sz, json_array_size(tqt_at(a, "solutions")), 0));
    cr_assert(epsilon_eq(dbl, tqt_number(a, "nearest.position_error_m"), 3.0 - 1.4, 1e-3),
              "steps shrink as the arm stretches");
    json_decref(a);
}

Test(inverse_kinematics, solutions_reach_the_pose)
{
    json_t *pose =
        tqt_ask("ur5e", "kinematics", "{'q':[0.3,-1.1,1.3,-0.9,-1.2,0.4],'frames':['flange']}");
    double p[3], w[4];
    tqt_numbers(pose, "frames.0.position", p, 3);
    tqt_numbers(pose, "frames.0.quaternion_wxyz", w, 4);
    char body[512];
    (void)snprintf(body, sizeof body,
                   "{'frame':'flange','pose':{'position':[%.17g,%.17g,%.17g],'quaternion_wxyz':"
                   "[%.17g,%.17g,%.17g,%.17g]},'solutions':8,'seeds':512}",
                   p[0], p[1], p[2], w[0], w[1], w[2], w[3]);
    json_t *a = tqt_ask("ur5e", "inverse-kinematics", body);
    const size_t n = json_array_size(tqt_at(a, "solutions"));
    cr_assert(eq(sz, n, 8), "an arm of this family has eight branches here");
    unsigned seen = 0;
    for (size_t i = 0; i < n; i++) {
        char key[64];
        double q[6], back[3], turned[4];
        (void)snprintf(key, sizeof key, "solutions.%zu.q", i);
        tqt_numbers(a, key, q, 6);
        (void)snprintf(key, sizeof key, "solutions.%zu.branch", i);
        seen |= 1u << (unsigned)tqt_number(a, key);
        (void)snprintf(body, sizeof body,
                       "{'q':[%.17g,%.17g,%.17g,%.17g,%.17g,%.17g],'frames':['flange']}", q[0],
                       q[1], q[2], q[3], q[4], q[5]);
        json_t *forward = tqt_ask("ur5e", "kinematics", body);
        tqt_numbers(forward, "frames.0.position", back, 3);
        tqt_numbers(forward, "frames.0.quaternion_wxyz", turned, 4);
        const double sign =
            turned[0] * w[0] + turned[1] * w[1] + turned[2] * w[2] + turned[3] * w[3] < 0 ? -1 : 1;
        for (int k = 0; k < 4; k++) {
            cr_assert(k == 3 || fabs(back[k] - p[k]) < reached);
            cr_assert(epsilon_eq(dbl, sign * turned[k], w[k], reached));
        }
        json_decref(forward);
    }
    cr_assert(eq(uint, seen, 0x1feu), "branches are numbered 1 to 8");
    json_decref(a);
    json_decref(pose);
}

Test(trajectory, quintic_answers_can_be_sent_on)
{
    json_t *a = tqt_ask("planar-2r", "trajectory",
                        "{'waypoints':[[0,0],[1,-2]],'timing':'quintic','durations_s':[2],"
                        "'interval_s':0.25}");
    const size_t n = json_array_size(tqt_at(a, "t"));
    cr_assert(eq(sz, n, 9));
    cr_assert(eq(dbl, tqt_number(a, "t.8"), 2.0));
    cr_assert(eq(dbl, tqt_number(a, "q.8.1"), -2.0));
    cr_assert(epsilon_eq(dbl, tqt_number(a, "q.4.0"), 0.5, 1e-15));
    cr_assert(epsilon_eq(dbl, tqt_number(a, "qd.4.0"), 1.875 / 2, 1e-15), "s' = 15/8 half way");
    cr_assert(eq(dbl, tqt_number(a, "qdd.0.0"), 0.0));
    json_t *next = json_object();
    static const char *const rows[] = {"q", "qd", "qdd"};
    for (int k = 0; k < 3; k++) {
        json_object_set(next, rows[k], tqt_at(a, rows[k]));
    }
    char *body = json_dumps(next, JSON_REAL_PRECISION(17));
    json_t *torques = tqt_ask("planar-2r", "inverse-dynamics", body);
    cr_assert(eq(sz, json_array_size(tqt_at(torques, "tau")), n));
    free(body);
    json_decref(next);
    json_decref(torques);
    json_decref(a);
}

/* clang-format off */
static const struct {
    const char *timing;
    double peak; /* of s' on a stretch of 1 s */
} laws[] = {{"linear", 1.0}, {"cubic", 1.5}, {"quintic", 1.875}, {"septic", 2.1875}, {"trapezoid", 4.0 / 3.0}, {"spline", 1.5}};
/* clang-format on */

Test(trajectory, each_law_has_its_peak)
{
    for (size_t i = 0; i < sizeof laws / sizeof laws[0]; i++) {
        char body[256];
        (void)snprintf(body, sizeof body,
                       "{'waypoints':[[0,0],[1,0]],'timing':'%s','times_s':[3,4],'interval_s':0.5}",
                       laws[i].timing);
        json_t *a = tqt_ask("planar-2r", "trajectory", body);
        cr_assert(eq(dbl, tqt_number(a, "t.0"), 3.0));
        cr_assert(epsilon_eq(dbl, tqt_number(a, "qd.1.0"), laws[i].peak, 1e-14), "%s",
                  laws[i].timing);
        json_decref(a);
    }
}

Test(trajectory, broken_limits_are_reported_with_their_worst_sample)
{
    json_t *a = tqt_ask("panda", "trajectory",
                        "{'waypoints':[[0,0,0,-1.5,0,1.5,0],[3.5,0,0,-1.5,0,1.5,0]],"
                        "'timing':'cubic','durations_s':[1],'interval_s':0.25}");
    cr_assert(eq(sz, json_array_size(tqt_at(a, "violations")), 2));
    cr_assert(eq(str, (char *)json_string_value(tqt_at(a, "violations.0.limit")), "upper"));
    cr_assert(eq(dbl, tqt_number(a, "violations.0.worst"), 3.5));
    cr_assert(eq(dbl, tqt_number(a, "violations.0.t"), 1.0));
    cr_assert(eq(str, (char *)json_string_value(tqt_at(a, "violations.1.limit")), "velocity"));
    cr_assert(epsilon_eq(dbl, tqt_number(a, "violations.1.worst"), 5.25, 1e-14));
    cr_assert(eq(int, (int)tqt_number(a, "violations.1.sample"), 2));
    json_decref(a);
    a = tqt_ask("panda", "trajectory",
                "{'waypoints':[[0,0,0,-1.5,0,1.5,0],[0.1,0,0,-1.5,0,1.5,0]],'timing':'cubic',"
                "'durations_s':[1],'interval_s':0.25}");
    cr_assert(eq(sz, json_array_size(tqt_at(a, "violations")), 0));
    json_decref(a);
}

Test(seeds, item_093_line_over_the_api)
{
    json_t *a = tqt_ask("planar-2r", "trajectory",
                        "{'poses':[{'position':[1,0.2,0]},{'position':[0.6,0.7,0]}],'frame':'tool',"
                        "'axes':['x','y'],'initial':[0.6,-0.8],'timing':'quintic','times_s':[0,2],"
                        "'interval_s':0.1}");
    cr_assert(eq(sz, json_array_size(tqt_at(a, "t")), 21));
    for (size_t i = 0; i < 21; i++) {
        double q[2], qd[2];
        char key[32];
        (void)snprintf(key, sizeof key, "q.%zu", i);
        tqt_numbers(a, key, q, 2);
        (void)snprintf(key, sizeof key, "qd.%zu", i);
        tqt_numbers(a, key, qd, 2);
        const double u = (double)i / 20, u3 = u * u * u;
        const double s = u3 * (10 - 15 * u + 6 * u * u);
        const double sd = 30 * u * u * (1 - 2 * u + u * u) / 2;
        const double x = 0.8 * cos(q[0]) + 0.6 * cos(q[0] + q[1]);
        const double y = 0.8 * sin(q[0]) + 0.6 * sin(q[0] + q[1]);
        cr_assert(epsilon_eq(dbl, x, 1 - 0.4 * s, reached));
        cr_assert(epsilon_eq(dbl, y, 0.2 + 0.5 * s, reached));
        cr_assert(epsilon_eq(dbl, -y * qd[0] - 0.6 * sin(q[0] + q[1]) * qd[1], -0.4 * sd, reached));
        cr_assert(lt(dbl, q[1], 0.0), "the elbow of `initial` is kept");
    }
    json_decref(a);
}

Test(trajectory, fourier_in_another_order_of_joints)
{
    json_t *a =
        tqt_ask("planar-2r", "trajectory",
                "{'joints':['joint2','joint1'],'fourier':{'frequency_hz':0.5,'offset':[0.1,"
                "0.2],'a':[[1,0],[0,2]],'b':[[0,0],[0,0]]},'duration_s':1,'interval_s':0.25}");
    const double w = M_PI, t = 0.25;
    cr_assert(epsilon_eq(dbl, tqt_number(a, "q.1.0"), 0.1 + sin(w * t) / w, 1e-15));
    cr_assert(epsilon_eq(dbl, tqt_number(a, "q.1.1"), 0.2 + 2 * sin(2 * w * t) / (2 * w), 1e-15));
    cr_assert(epsilon_eq(dbl, tqt_number(a, "qd.1.0"), cos(w * t), 1e-15));
    cr_assert(epsilon_eq(dbl, tqt_number(a, "qdd.1.0"), -w * sin(w * t), 1e-14));
    json_decref(a);
}

/* clang-format off */
static const struct {
    const char *operation, *body;
    int status;
    const char *slug, *pointer;
} refusals[] = {
    {"inverse-kinematics", "{'frame':'tool'}", 422, "missing-field", "/pose"},
    {"inverse-kinematics", "{'frame':'tol','pose':{'position':[1,0,0]}}", 422, "unknown-name", "/frame"},
    {"inverse-kinematics", "{'frame':'tool','pose':{}}", 422, "missing-field", "/pose/position"},
    {"inverse-kinematics", "{'frame':'tool','pose':{'position':[1,0]}}", 422, "wrong-length", "/pose/position"},
    {"inverse-kinematics", "{'frame':'tool','pose':{'position':[1,0,0]},'axes':['rz']}", 422, "missing-field", "/pose/quaternion_wxyz"},
    {"inverse-kinematics", "{'frame':'tool','pose':{'position':[1,0,0]},'axes':[]}", 422, "wrong-length", "/axes"},
    {"inverse-kinematics", "{'frame':'tool','pose':{'quaternion_wxyz':[1,1,0,0]}}", 422, "quaternion", "/pose/quaternion_wxyz"},
    {"inverse-kinematics", "{'frame':'tool','pose':{'rotation':[[1,0,0],[0,1,0],[0,0,-1]]}}", 422, "range", "/pose/rotation"},
    {"inverse-kinematics", "{'frame':'tool','pose':{'rotation':[[1,0,0],[0,1,0],[0,0,1]],'quaternion_wxyz':[1,0,0,0]}}", 422, "invalid-value", "/pose/rotation"},
    {"inverse-kinematics", "{'frame':'tool','pose':{'position':[1,0,0]},'seeds':0}", 422, "range", "/seeds"},
    {"inverse-kinematics", "{'frame':'tool','pose':{'position':[1,0,0]},'solutions':1.5}", 422, "range", "/solutions"},
    {"inverse-kinematics", "{'frame':'tool','pose':{'position':[1,0,0]},'tolerance':{'position_m':0}}", 422, "range", "/tolerance/position_m"},
    {"inverse-kinematics", "{'frame':'tool','pose':{'position':[1,0,0]},'limits':1}", 400, "wrong-type", "/limits"},
    {"trajectory", "{}", 422, "missing-field", "/waypoints"},
    {"trajectory", "{'waypoints':[[0,0]],'times_s':[0]}", 422, "wrong-length", "/waypoints"},
    {"trajectory", "{'waypoints':[[0,0],[1,1]],'timing':'cubic'}", 422, "missing-field", "/times_s"},
    {"trajectory", "{'waypoints':[[0,0],[1,1],[0,0]],'duration_s':1}", 422, "invalid-value", "/duration_s"},
    {"trajectory", "{'waypoints':[[0,0],[1,1]],'times_s':[0,1],'duration_s':1}", 422, "invalid-value", "/duration_s"},
    {"trajectory", "{'waypoints':[[0,0],[1,1]],'limits':{'acceleration':[1,1],'velocity':[1,1]},'duration_s':1}", 422, "invalid-value", "/duration_s"},
    {"trajectory", "{'waypoints':[[0,0],[1,1]],'times_s':[0,1],'timing':'quintc','interval_s':1}", 422, "unknown-name", "/timing"},
    {"trajectory", "{'waypoints':[[0,0],[1,1]],'times_s':[0,0],'timing':'cubic','interval_s':1}", 422, "range", "/times_s/1"},
    {"trajectory", "{'waypoints':[[0,0],[1,1]],'durations_s':[0],'timing':'cubic','interval_s':1}", 422, "range", "/durations_s/0"},
    {"trajectory", "{'waypoints':[[0,0],[1,1]],'times_s':[0,1],'durations_s':[1],'timing':'cubic','interval_s':1}", 422, "invalid-value", "/durations_s"},
    {"trajectory", "{'waypoints':[[0,0],[1,1]],'times_s':[0,1],'timing':'cubic','interval_s':1e-9}", 422, "range", "/interval_s"},
    {"trajectory", "{'waypoints':[[0,0],[1,1]],'times_s':[0,1],'timing':'cubic','blend':0.2,'interval_s':1}", 422, "range", "/blend"},
    {"trajectory", "{'waypoints':[[0,0],[1,1]],'poses':[],'interval_s':1}", 422, "invalid-value", "/poses"},
    {"trajectory", "{'waypoints':[[0,0],[1,1]],'frame':'tool','interval_s':1}", 422, "invalid-value", "/frame"},
    {"trajectory", "{'poses':[{'position':[1,0,0]},{'position':[1,0.1,0]}],'frame':'tool','axes':['x','y'],'times_s':[0,1],'timing':'cubic','interval_s':1}", 422, "missing-field", "/initial"},
    {"trajectory", "{'poses':[{'position':[1,0,0]},{'position':[1,0.1,0]}],'frame':'tool','axes':['x','y'],'times_s':[0,1],'timing':'spline','initial':[0,1],'interval_s':1}", 422, "invalid-value", "/timing"},
    {"trajectory", "{'poses':[{'position':[2,0,0]},{'position':[1,0.1,0]}],'frame':'tool','axes':['x','y'],'times_s':[0,1],'timing':'cubic','initial':[0,1],'interval_s':1}", 422, "no-convergence", "/poses/0"},
    {"trajectory", "{'poses':[{'position':[1,0,0]},{'position':[2,0.1,0]}],'frame':'tool','axes':['x','y'],'times_s':[0,1],'timing':'cubic','initial':[0,1],'interval_s':0.1}", 422, "no-convergence", "/poses"},
    {"trajectory", "{'fourier':{'frequency_hz':0,'offset':[0,0],'a':[[1,1]],'b':[[1,1]]},'interval_s':1}", 422, "range", "/fourier/frequency_hz"},
    {"trajectory", "{'fourier':{'frequency_hz':1,'offset':[0,0],'a':[[1,1]],'b':[]},'interval_s':1}", 422, "wrong-length", "/fourier/b"},
};
/* clang-format on */

Test(trajectory, refusals_have_their_place)
{
    for (size_t i = 0; i < sizeof refusals / sizeof refusals[0]; i++) {
        tqt_refused("planar-2r", refusals[i].operation, refusals[i].body, refusals[i].status,
                    refusals[i].slug, refusals[i].pointer, NULL);
    }
}
