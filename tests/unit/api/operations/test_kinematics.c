/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/api/operations/test_kinematics.c - poses, motion, statics and regressors by
 * api/operation.h: correct numbers, and every refusal with its place and hint. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tests/support/ask.h"

static const double tight = 1e-12; /* some hundred eps of numbers of order 1 */

Test(kinematics, of_the_planar_arm)
{
    json_t *a = tqt_ask("planar-2r", "kinematics",
                        "{'q':[0.5,-0.9],'qd':[0.7,-1.1],'qdd':[1.3,-0.4],'expressed_in':'world',"
                        "'frames':['tool']}");
    const double x = 0.8 * cos(0.5) + 0.6 * cos(-0.4), y = 0.8 * sin(0.5) + 0.6 * sin(-0.4);
    cr_assert(epsilon_eq(dbl, tqt_number(a, "frames.0.position.0"), x, tight));
    cr_assert(epsilon_eq(dbl, tqt_number(a, "frames.0.position.1"), y, tight));
    cr_assert(epsilon_eq(dbl, tqt_number(a, "frames.0.quaternion_wxyz.3"), sin(-0.2), tight));
    cr_assert(epsilon_eq(dbl, tqt_number(a, "frames.0.rotation.1.0"), sin(-0.4), tight));
    cr_assert(epsilon_eq(dbl, tqt_number(a, "frames.0.jacobian.0.0"), -y, tight));
    cr_assert(epsilon_eq(dbl, tqt_number(a, "frames.0.jacobian.1.0"), x, tight));
    /* x' and x'' of x = a1 c1 + a2 c12 */
    const double w1 = 0.7, w2 = -0.4, e1 = 1.3, e2 = 0.9;
    const double v = -0.8 * sin(0.5) * w1 - 0.6 * sin(-0.4) * w2;
    const double acceleration =
        -0.8 * (sin(0.5) * e1 + cos(0.5) * w1 * w1) - 0.6 * (sin(-0.4) * e2 + cos(-0.4) * w2 * w2);
    cr_assert(epsilon_eq(dbl, tqt_number(a, "frames.0.velocity.0"), v, tight));
    cr_assert(epsilon_eq(dbl, tqt_number(a, "frames.0.velocity.5"), w2, tight));
    cr_assert(epsilon_eq(dbl, tqt_number(a, "frames.0.acceleration.0"), acceleration, tight));
    cr_assert(epsilon_eq(dbl, tqt_number(a, "frames.0.acceleration.5"), e2, tight));
    json_decref(a);
}

Test(kinematics, frames_agree_with_each_other)
{
    static const char *const bodies[3] = {
        "{'q':[0.1,-0.2,0.3,-1.5,0.5,1.8,0.7],'qd':[1,2,3,-1,0.5,-2,1],'expressed_in':'world',"
        "'frames':[{'link':'link5','at':[0.1,0.2,-0.1]}]}",
        "{'q':[0.1,-0.2,0.3,-1.5,0.5,1.8,0.7],'qd':[1,2,3,-1,0.5,-2,1],'expressed_in':'link',"
        "'frames':[{'link':'link5','at':[0.1,0.2,-0.1]}]}",
        "{'q':[0.1,-0.2,0.3,-1.5,0.5,1.8,0.7],'qd':[1,2,3,-1,0.5,-2,1],'expressed_in':'spatial',"
        "'frames':[{'link':'link5','at':[0.1,0.2,-0.1]}]}"};
    double v[3][6], r[9], p[3];
    for (int k = 0; k < 3; k++) {
        json_t *a = tqt_ask("panda", "kinematics", bodies[k]);
        tqt_numbers(a, "frames.0.velocity", v[k], 6);
        tqt_numbers(a, "frames.0.rotation", r, 9);
        tqt_numbers(a, "frames.0.position", p, 3);
        /* J qd is the velocity, in each frame */
        double jacobian[42];
        static const double qd[7] = {1, 2, 3, -1, 0.5, -2, 1};
        tqt_numbers(a, "frames.0.jacobian", jacobian, 42);
        for (int i = 0; i < 6; i++) {
            double sum = 0;
            for (int c = 0; c < 7; c++) {
                sum += jacobian[7 * i + c] * qd[c];
            }
            cr_assert(epsilon_eq(dbl, sum, v[k][i], 10 * tight));
        }
        json_decref(a);
    }
    for (int i = 0; i < 3; i++) {
        double turned = 0, turned_w = 0;
        for (int k = 0; k < 3; k++) {
            turned += r[3 * i + k] * v[1][k];
            turned_w += r[3 * i + k] * v[1][3 + k];
        }
        cr_assert(epsilon_eq(dbl, turned, v[0][i], 10 * tight), "link axes to the world's");
        cr_assert(epsilon_eq(dbl, turned_w, v[0][3 + i], 10 * tight));
        const int j = (i + 1) % 3, l = (i + 2) % 3;
        const double carried = v[2][i] + v[2][3 + j] * p[l] - v[2][3 + l] * p[j];
        cr_assert(epsilon_eq(dbl, carried, v[0][i], 10 * tight), "v = v_O + w x p");
    }
}

Test(kinematics, a_batch_is_its_samples_in_another_order_of_joints)
{
    json_t *one = tqt_ask("planar-2r", "kinematics",
                          "{'q':[0.5,-0.9],'qd':[1,2],'frames':['tool'],'expressed_in':'link'}");
    json_t *batch = tqt_ask("planar-2r", "kinematics",
                            "{'joints':['joint2','joint1'],'q':[[0,0],[-0.9,0.5]],"
                            "'qd':[[0,0],[2,1]],'frames':['tool'],'expressed_in':'link'}");
    double a[12], b[12];
    tqt_numbers(one, "frames.0.jacobian", a, 12);
    tqt_numbers(batch, "frames.0.jacobian.1", b, 12);
    for (int i = 0; i < 6; i++) {
        cr_assert(eq(dbl, a[2 * i], b[2 * i + 1]));
        cr_assert(eq(dbl, a[2 * i + 1], b[2 * i]));
        cr_assert(eq(dbl, tqt_at_number(one, "frames.0.velocity", (size_t)i),
                     tqt_at_number(batch, "frames.0.velocity.1", (size_t)i)));
    }
    json_decref(one);
    json_decref(batch);
}

Test(kinematics, cbor_says_the_same)
{
    json_t *a = tqt_ask("panda", "kinematics", "{'q':[0,0,0,-1.5,0,1.5,0],'frames':['flange']}");
    tqt_same_in_cbor("panda", "kinematics", "{'q':[0,0,0,-1.5,0,1.5,0],'frames':['flange']}", a);
    json_decref(a);
}

Test(kinematics, cbor_is_taken_in_any_pieces)
{
    /* {"q": [0.5, -0.9], "frames": ["tool"]}, a half float and a double */
    static const char body[] = "\xa2\x61q\x82\xf9\x38\x00\xfb\xbf\xec\xcc\xcc\xcc\xcc\xcc\xcd"
                               "\x66"
                               "frames\x81\x64tool";
    json_t *wanted = tqt_ask("planar-2r", "kinematics", "{'q':[0.5,-0.9],'frames':['tool']}");
    tqa_robot *robot = tqt_builtin("planar-2r");
    for (size_t step = 0; step < 3; step++) {
        const tqt_call_options options = {.operation = "kinematics",
                                          .content = step == 0 ? TQA_MEDIA_NONE : TQA_MEDIA_CBOR,
                                          .step = step};
        tqt_answer answer = tqt_call(robot, body, sizeof body - 1, options);
        cr_assert(eq(int, answer.status, 200), "%s", answer.problem.detail);
        json_t *root = json_loadb(answer.text, answer.n, JSON_REJECT_DUPLICATES, NULL);
        cr_assert(json_equal(tqt_at(root, "frames"), tqt_at(wanted, "frames")));
        json_decref(root);
        tqt_answer_clear(&answer);
    }
    tqa_robot_free(robot);
    json_decref(wanted);
}

/* clang-format off */
static const struct {
    const char *operation, *body;
    int status;
    const char *slug, *pointer, *hint;
} refusals[] = {
    {"kinematics", "{}", 422, "missing-field", "/q", "add \"q\": an array of 2 numbers, or an array of such"},
    {"kinematics", "{'q':[1]}", 422, "wrong-length", "/q", ""},
    {"kinematics", "{'q':[1,2,3]}", 422, "wrong-length", "/q", ""},
    {"kinematics", "{'q':[1,'a']}", 400, "wrong-type", "/q/1", ""},
    {"kinematics", "{'q':[[1,2],[1]]}", 422, "wrong-length", "/q/1", ""},
    {"kinematics", "{'q':[[1,2],[1,2],[1,2]],'qd':[[1,2],[1,2]],'expressed_in':'world'}", 422, "wrong-length", "/qd", "give every array a row for each sample, or one sample for all"},
    {"kinematics", "{'q':[1,2],'expressed_in':'wold'}", 422, "unknown-name", "/expressed_in", "did you mean \"world\"?"},
    {"kinematics", "{'q':[1,2],'frames':['tol']}", 422, "unknown-name", "/frames/0", "did you mean \"tool\"?"},
    {"kinematics", "{'q':[1,2],'frames':[{'link':'tool','at':'con'}]}", 422, "unknown-name", "/frames/0/at", "did you mean \"com\"? known here: origin, com"},
    {"kinematics", "{'q':[1,2],'frames':[]}", 422, "wrong-length", "/frames", ""},
    {"kinematics", "{'q':[1,2],'frame':['tol']}", 422, "unknown-name", "/frame/0", "did you mean \"tool\"?"},
    {"kinematics", "{'q':[1,2],'q':[1,2]}", 400, "duplicate-field", "/q", "give it once"},
    {"kinematics", "{'q':[1,2],'frames':[{'link':'tool','at':[0,0,0],'link':'tool'}]}", 400, "duplicate-field", "/frames/0/link", "give it once"},
    {"kinematics", "{'q':null}", 400, "wrong-type", "/q", "leave the field out, or write an array of numbers, or an array of such arrays"},
    {"kinematics", "{'q':[1,1e999]}", 422, "not-finite", "/q/1", ""},
    {"kinematics", "[1]", 400, "wrong-type", "", ""},
    {"kinematics", "{'q':[1,2]", 400, "malformed", "/q", ""},
    {"kinematics", "{'q':[1,2],'joints':['joint1','joint1']}", 422, "invalid-value", "/joints/1", "name it once"},
    {"kinematics", "{'q':[1,2],'joints':['joint1']}", 422, "wrong-length", "/joints", ""},
    {"kinematics", "{'q':[1,2],'joints':['joint1','jont2']}", 422, "unknown-name", "/joints/1", "did you mean \"joint2\"?"},
    {"statics", "{'q':[1,2]}", 422, "missing-field", "/endpoint_wrench", "add \"endpoint_wrench\": {\"link\", \"force\", \"moment\", \"at\", \"applied_to\", \"expressed_in\"}"},
    {"statics", "{'q':[1,2],'endpoint_wrench':{}}", 422, "missing-field", "/endpoint_wrench/link", "add \"link\": the name of a link"},
    {"statics", "{'q':[1,2],'endpoint_wrench':{'link':'tool','force':[1,0,0],'moment':[0,0,0],'at':'origin','expressed_in':'world'}}", 422, "missing-field", "/endpoint_wrench/applied_to", "add \"applied_to\": \"robot\" or \"environment\""},
    {"statics", "{'q':[1,2],'endpoint_wrench':{'link':'tool','force':[1,0,0],'moment':[0,0,0],'at':'origin','applied_to':'robot'}}", 422, "missing-field", "/endpoint_wrench/expressed_in", "add \"expressed_in\": \"world\" or \"link\""},
    {"statics", "{'q':[[1,2]],'endpoint_wrench':{}}", 400, "wrong-type", "/q", "send one request for each posture"},
    {"statics", "{'q':[1,2],'geometric':true,'endpoint_wrench':{'link':'tool','force':[1,0,0],'moment':[0,0,0],'at':'origin','applied_to':'robot','expressed_in':'world'}}", 422, "missing-field", "/joint_stiffness", "add \"joint_stiffness\": one number for each of qd"},
    {"statics", "{'q':[1,2],'joint_stiffness':[1,0],'endpoint_wrench':{'link':'tool','force':[1,0,0],'moment':[0,0,0],'at':'origin','applied_to':'robot','expressed_in':'world'}}", 422, "range", "/joint_stiffness/1", ""},
    {"statics", "{'q':[0,0],'joint_stiffness':[1,1],'geometric':true,'endpoint_wrench':{'link':'tool','force':[-100,0,0],'moment':[0,0,0],'at':'origin','applied_to':'robot','expressed_in':'world'}}", 422, "singular", "/joint_stiffness", "stiffer springs, a smaller load, or \"geometric\": false"},
    {"statics", "{'q':[1,2],'joint_stiffness':{'series':[[1,1],[1,-1]]},'endpoint_wrench':{'link':'tool','force':[1,0,0],'moment':[0,0,0],'at':'origin','applied_to':'robot','expressed_in':'world'}}", 422, "range", "/joint_stiffness/series/1/1", ""},
    {"statics", "{'q':[1,2],'joint_stiffness':{'parallel':[]},'endpoint_wrench':{'link':'tool','force':[1,0,0],'moment':[0,0,0],'at':'origin','applied_to':'robot','expressed_in':'world'}}", 400, "unknown-field", "/joint_stiffness/parallel", NULL},
    {"regressor", "{'qd':[1,2]}", 422, "missing-field", "/q", "add \"q\": an array of 2 numbers, or an array of such"},
    {"regressor", "{'q':[1,2],'qd':[0,0],'qdd':[0,0],'parameters':['viscos']}", 422, "unknown-name", "/parameters/0", "did you mean \"viscous\"?"},
    {"regressor", "{'q':[1,2],'qd':[0,0],'qdd':[0,0],'parameters':['rotor','rotor']}", 422, "invalid-value", "/parameters/1", "give it once"},
};
/* clang-format on */

Test(kinematics, refusals_have_place_and_hint)
{
    for (size_t i = 0; i < sizeof refusals / sizeof refusals[0]; i++) {
        tqt_refused("planar-2r", refusals[i].operation, refusals[i].body, refusals[i].status,
                    refusals[i].slug, refusals[i].pointer, refusals[i].hint);
    }
}

Test(kinematics, head_is_judged_first)
{
    const tqt_call_options npy = {.operation = "kinematics", .content = TQA_MEDIA_NPY};
    const tqt_call_options table = {.operation = "kinematics", .accept = TQA_MEDIA_NPY};
    const tqt_call_options query = {.operation = "kinematics", .query = "form=base"};
    const tqt_call_options form = {.operation = "regressor", .query = "form=bse"};
    const struct {
        tqt_call_options options;
        int status;
    } rows[] = {{npy, 415}, {table, 406}, {query, 400}, {form, 400}};
    tqa_robot *robot = tqt_builtin("planar-2r");
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        tqt_answer answer = tqt_call(robot, "{}", 2, rows[i].options);
        cr_assert(eq(int, answer.status, rows[i].status));
        tqt_answer_clear(&answer);
    }
    tqa_robot_free(robot);
}

/* ------------------------------------------------------------------------------------------------
 * Statics
 */

#define PLANAR_LOAD                                                                                \
    "'endpoint_wrench':{'link':'tool','force':[10,-5,0],'moment':[0,0,0],'at':'origin',"           \
    "'applied_to':'environment','expressed_in':'world'}"

Test(seeds, item_135_136_statics_of_the_planar_arm)
{
    json_t *a = tqt_ask("planar-2r", "statics", "{'q':[0.5,-0.9]," PLANAR_LOAD "}");
    double gravity[2], sum[2];
    cr_assert(epsilon_eq(dbl, tqt_number(a, "tau.0"), -7.772407484552, tight));
    cr_assert(epsilon_eq(dbl, tqt_number(a, "tau.1"), -0.426672928157, tight));
    /* item 47's gravity; tau = J^T F + g(q) */
    tqt_numbers(a, "gravity_torque", gravity, 2);
    tqt_numbers(a, "tau_with_gravity", sum, 2);
    cr_assert(epsilon_eq(dbl, gravity[0], 21.284193622315, tight));
    cr_assert(epsilon_eq(dbl, gravity[1], 4.066023758026, tight));
    cr_assert(epsilon_eq(dbl, sum[0], gravity[0] - 7.772407484552, 2 * tight));
    json_decref(a);
}

Test(seeds, item_137_138_stiffness_over_the_api)
{
    json_t *a =
        tqt_ask("planar-2r", "statics",
                "{'q':[0.5,-0.9],'joint_stiffness':[1000,500],'axes':['x','y']," PLANAR_LOAD "}");
    cr_assert(epsilon_eq(dbl, tqt_number(a, "endpoint.compliance.0.0"), 1.316524245e-4, 1e-13));
    cr_assert(epsilon_eq(dbl, tqt_number(a, "endpoint.stiffness.0.0"), 7728.076134, 1e-6));
    cr_assert(epsilon_eq(dbl, tqt_number(a, "endpoint.stiffness.1.1"), 465.618577, 1e-6));
    /* in the document dp = C F, F acts on the environment; the robot deflects in the opposite
     * direction */
    cr_assert(epsilon_eq(dbl, tqt_number(a, "endpoint.deflection.0"), -0.000965616575, 1e-12));
    cr_assert(epsilon_eq(dbl, tqt_number(a, "endpoint.deflection.1"), 0.010223650386, 1e-12));
    cr_assert(eq(sz, json_array_size(tqt_at(a, "endpoint.unbounded_directions")), 0));
    json_decref(a);
    a = tqt_ask("planar-2r", "statics",
                "{'q':[0.5,-0.9],'joint_stiffness':[1000,500]," PLANAR_LOAD "}");
    cr_assert(eq(int, json_typeof(tqt_at(a, "endpoint.stiffness")), JSON_NULL));
    cr_assert(eq(int, json_typeof(tqt_at(a, "endpoint.stiffness_reason")), JSON_STRING));
    cr_assert(eq(sz, json_array_size(tqt_at(a, "endpoint.unbounded_directions")), 4));
    json_decref(a);
}

Test(seeds, item_139_springs_in_series)
{
    /* of loop and gear: 1/1000 = 1/1500 + 1/3000, 1/500 = 1/2000 + 1/1000 + 1/2000 */
    json_t *a = tqt_ask("planar-2r", "statics",
                        "{'q':[0.5,-0.9],'joint_stiffness':{'series':[[1500,2000],[6000,1000],"
                        "[6000,2000]]},'axes':['x','y']," PLANAR_LOAD "}");
    cr_assert(epsilon_eq(dbl, tqt_number(a, "endpoint.compliance.0.0"), 1.316524245e-4, 1e-13));
    cr_assert(epsilon_eq(dbl, tqt_number(a, "endpoint.compliance.1.1"), 2.185093145e-3, 1e-12));
    json_decref(a);
}

/* Link by link: force and moment of each joint balance the weight and the load beyond it. */
Test(seeds, item_132_133_134_bearing_loads)
{
    json_t *a = tqt_ask("planar-2r", "statics", "{'q':[0.5,-0.9]," PLANAR_LOAD "}");
    double f[3], m[3], base[3], moment[3], tau[2];
    tqt_numbers(a, "tau_with_gravity", tau, 2);
    tqt_numbers(a, "joint_wrenches.base.force", base, 3);
    tqt_numbers(a, "joint_wrenches.base.moment", moment, 3);
    cr_assert(epsilon_eq(dbl, base[0], 10.0, 100 * tight), "the load's reaction");
    cr_assert(epsilon_eq(dbl, base[1], 3.5 * 9.81 - 5.0, 100 * tight), "weight and load");
    cr_assert(epsilon_eq(dbl, moment[2], tau[0], 100 * tight));
    for (size_t j = 0; j < 2; j++) {
        char key[64];
        (void)snprintf(key, sizeof key, "joint_wrenches.joints.%zu.moment", j);
        tqt_numbers(a, key, m, 3);
        cr_assert(epsilon_eq(dbl, m[2], tau[j], 100 * tight), "b^T N of a revolute joint");
        (void)snprintf(key, sizeof key, "joint_wrenches.joints.%zu.bearing_moment", j);
        tqt_numbers(a, key, m, 3);
        cr_assert(eq(dbl, m[2], 0.0));
        (void)snprintf(key, sizeof key, "joint_wrenches.joints.%zu.bearing_force", j);
        tqt_numbers(a, key, f, 3);
        const double borne = hypot(f[0], f[1]);
        const double weight = (j == 0 ? 3.5 : 1.5) * 9.81;
        cr_assert(epsilon_eq(dbl, borne, hypot(10.0, weight - 5.0), 100 * tight));
    }
    json_decref(a);
    /* the tool of the SCARA is on its prismatic joint: b^T f is tau, the remainder is a reaction */
    a = tqt_ask("scara", "statics",
                "{'q':[0.3,0.8,0.1],'endpoint_wrench':{'link':'slide','force':[3,4,-7],"
                "'moment':[0,0,0],'at':'origin','applied_to':'robot','expressed_in':'world'}}");
    double share[3];
    tqt_numbers(a, "joint_wrenches.joints.2.force", f, 3);
    tqt_numbers(a, "joint_wrenches.joints.2.bearing_force", share, 3);
    const double own =
        sqrt((f[0] - share[0]) * (f[0] - share[0]) + (f[1] - share[1]) * (f[1] - share[1]) +
             (f[2] - share[2]) * (f[2] - share[2]));
    cr_assert(epsilon_eq(dbl, own, fabs(tqt_number(a, "tau_with_gravity.2")), 100 * tight));
    cr_assert(epsilon_eq(dbl, hypot(share[0], share[1]), 5.0, 100 * tight));
    json_decref(a);
}

Test(seeds, item_160_one_load_said_in_four_ways)
{
    static const char *const ways[4] = {
        "{'q':[0.5,-0.9],'endpoint_wrench':{'link':'tool','force':[10,-5,0],'moment':[0,0,2],"
        "'at':'origin','applied_to':'environment','expressed_in':'world'}}",
        "{'q':[0.5,-0.9],'endpoint_wrench':{'link':'tool','force':[-10,5,0],'moment':[0,0,-2],"
        "'at':'origin','applied_to':'robot','expressed_in':'world'}}",
        /* R^T (-10, 5), R a rotation by -0.4 */
        "{'q':[0.5,-0.9],'endpoint_wrench':{'link':'link2','at':[0.6,0,0],'applied_to':'robot',"
        "'force':[-11.157701651572102,0.711121546927922,0],'moment':[0,0,-2],"
        "'expressed_in':'link'}}",
        /* about link2's own origin: p x f is added to the moment */
        "{'q':[0.5,-0.9],'endpoint_wrench':{'link':'link2','at':'origin','applied_to':'robot',"
        "'force':[-11.157701651572102,0.711121546927922,0],'moment':[0,0,-1.5733270718432468],"
        "'expressed_in':'link'}}"};
    double tau[2], first[2] = {0};
    for (int k = 0; k < 4; k++) {
        json_t *a = tqt_ask("planar-2r", "statics", ways[k]);
        tqt_numbers(a, "tau", k == 0 ? first : tau, 2);
        for (int i = 0; k > 0 && i < 2; i++) {
            cr_assert(epsilon_eq(dbl, tau[i], first[i], 10 * tight), "way %d", k);
        }
        json_decref(a);
    }
}

/* ------------------------------------------------------------------------------------------------
 * Regressor
 */

Test(regressor, times_values_is_torque)
{
    static const char body[] =
        "{'q':[0.1,-0.2,0.3,-1.5,0.5,1.8,0.7],'qd':[1,2,3,-1,0.5,-2,1],'qdd':[1,0,2,0,3,0,4]}";
    json_t *a = tqt_ask("panda", "regressor", body);
    json_t *b = tqt_ask_form("panda", "regressor", "form=base", body);
    json_t *c = tqt_ask("panda", "inverse-dynamics",
                        "{'q':[0.1,-0.2,0.3,-1.5,0.5,1.8,0.7],'qd':[1,2,3,-1,0.5,-2,1],"
                        "'qdd':[1,0,2,0,3,0,4],'without':['friction','rotor','spring']}");
    for (size_t i = 0; i < 7; i++) {
        const double tau = tqt_at_number(c, "tau", i);
        cr_assert(epsilon_eq(dbl, tqt_dot(a, "regressor", i, "parameter_values"), tau, 1e-11),
                  "tens of terms of order 100");
        cr_assert(epsilon_eq(dbl, tqt_dot(b, "regressor", i, "parameter_values"), tau, 1e-9),
                  "coefficients come out of a triangle of condition up to 1e4");
    }
    cr_assert(eq(sz, json_array_size(tqt_at(a, "columns")),
                 json_array_size(tqt_at(a, "parameter_values"))));
    json_decref(a), json_decref(b), json_decref(c);
}

/* clang-format off */
static const struct {
    const char *robot, *parameters;
    int n_base;
} counts[] = {
    {"ur5e", "[]", 36}, {"ur5e", "['rotor']", 40}, {"ur5e", "['rotor','viscous','coulomb','offset']", 58},
    {"ur10e", "[]", 36}, {"ur10e", "['rotor']", 40}, {"ur10e", "['rotor','viscous','coulomb','offset']", 58},
    {"panda", "[]", 43}, {"planar-2r", "['viscous']", 8},
};
/* clang-format on */

Test(regressor, base_parameter_counts)
{
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        char body[128];
        (void)snprintf(body, sizeof body, "{'parameters':%s}", counts[i].parameters);
        json_t *a = tqt_ask_form(counts[i].robot, "regressor", "form=base", body);
        cr_assert(eq(int, (int)tqt_number(a, "n_base"), counts[i].n_base), "%s %s", counts[i].robot,
                  counts[i].parameters);
        json_decref(a);
    }
}

Test(regressor, combinations_read_as_a_person_writes_them)
{
    json_t *a = tqt_ask_form("planar-2r", "regressor", "form=base", "{}");
    static const char *const wanted[] = {
        "mx_1 + 0.8 m_2 + 0.8 m_3", "my_1",        "Izz_1 + 0.64 m_2 + 0.64 m_3",
        "mx_2 + mx_3 + 0.6 m_3",    "my_2 + my_3", "Izz_2 + 1.2 mx_3 + Izz_3 + 0.36 m_3"};
    for (size_t i = 0; i < 6; i++) {
        char key[64];
        (void)snprintf(key, sizeof key, "columns.%zu.expression", i);
        cr_assert(eq(str, (char *)json_string_value(tqt_at(a, key)), (char *)wanted[i]));
    }
    cr_assert(
        epsilon_eq(dbl, tqt_number(a, "parameter_values.2"), 2 * 0.64 / 3 + 1.5 * 0.64, tight),
        "m1 a1^2 / 3 + m2 a1^2");
    json_decref(a);
}
