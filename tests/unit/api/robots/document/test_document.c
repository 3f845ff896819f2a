/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/api/robots/document/test_document.c - robot documents: round trips and refusals. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <criterion/parameterized.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/robots/parsed.h"

#define DOCUMENT(links, joints)                                                                    \
    "{\"gravity\": [0, 0, -9.81], \"links\": [" links "], \"joints\": [" joints "]}"
#define AB "{\"name\": \"a\"}, {\"name\": \"b\"}"
#define JOINT(more)                                                                                \
    "{\"name\": \"j\", \"kind\": \"revolute\", \"parent\": \"a\", \"child\": \"b\", "              \
    "\"axis\": [0, 0, 1]" more "}"

typedef struct bad_case {
    const char *name;
    const char *text;
    int status;
    const char *slug;
    const char *pointer;
    const char *hint; /* a part of it */
} bad_case;

/* clang-format off */
static const bad_case bad_cases[] = {
    {"cut", "{\"gravity\": [0", 400, "malformed", "", "arrived whole"},
    {"tail", DOCUMENT(AB, JOINT("")) "}", 400, "malformed", "", "arrived whole"},
    {"array", "{\"gravity\": [0, 0, 0], \"links\": {}, \"joints\": []}", 400, "wrong-type", "/links", ""},
    {"twice", "{\"gravity\": [0, 0, 0], \"gravity\": [0, 0, 0]}", 400, "duplicate-field", "", "keep one"},
    {"1e999", "{\"gravity\": [0, 0, 1e999]}", 422, "not-finite", "", "finite"},
    {"no gravity", "{\"links\": [{\"name\": \"a\"}], \"joints\": []}", 422, "missing-field", "/gravity", "[0, 0, -9.81]"},
    {"short gravity", "{\"gravity\": [0, 0], \"links\": [{\"name\": \"a\"}], \"joints\": []}", 422, "wrong-length", "/gravity", "3 numbers"},
    {"text in gravity", "{\"gravity\": [0, 0, \"9\"], \"links\": [{\"name\": \"a\"}], \"joints\": []}", 400, "wrong-type", "/gravity/2", ""},
    {"no links", "{\"gravity\": [0, 0, 0]}", 422, "missing-field", "/links", ""},
    {"empty", DOCUMENT("", ""), 422, "invalid-robot", "/links", "base"},
    {"unknown field", "{\"gravity\": [0, 0, 0], \"gravitty\": 1, \"links\": [{\"name\": \"a\"}], \"joints\": []}", 400, "unknown-field", "/gravitty", "gravity"},
    {"unknown field of a link", DOCUMENT("{\"name\": \"a\", \"a~/b\": 1}", ""), 400, "unknown-field", "/links/0/a~0~1b", "inertia_about"},
    {"tree and links", "{\"gravity\": [0, 0, 0], \"tree\": {}, \"links\": []}", 422, "invalid-value", "/tree", "keep one"},
    {"fault in a tree", "{\"gravity\": [0, 0, 0], \"tree\": {\"links\": [{\"name\": \"a\"}, {\"name\": \"b\"}], \"joints\": []}}", 422, "tree", "/tree/links/1", "fixed joint"},
    {"link of no object", DOCUMENT("3", ""), 400, "wrong-type", "/links/0", ""},
    {"link without name", DOCUMENT("{}", ""), 422, "missing-field", "/links/0/name", "a name"},
    {"empty name", DOCUMENT("{\"name\": \"\"}", ""), 422, "invalid-value", "/links/0/name", "1 to 127"},
    {"two of one name", DOCUMENT("{\"name\": \"a\"}, {\"name\": \"a\"}", ""), 422, "invalid-robot", "/links/1", "own name"},
    {"mass without com", DOCUMENT("{\"name\": \"a\", \"mass\": 1}", ""), 422, "missing-field", "/links/0/com", "[x, y, z]"},
    {"inertia about what", DOCUMENT("{\"name\": \"a\", \"mass\": 1, \"com\": [0, 0, 0], \"inertia\": [[1, 0, 0], [0, 1, 0], [0, 0, 1]]}", ""), 422, "missing-field", "/links/0/inertia_about", "\"com\" or \"origin\""},
    {"skew inertia", DOCUMENT("{\"name\": \"a\", \"mass\": 1, \"com\": [0, 0, 0], \"inertia\": [[1, 0, 0], [1, 1, 0], [0, 0, 1]], \"inertia_about\": \"com\"}", ""), 422, "invalid-value", "/links/0/inertia", "equal"},
    {"two rows", DOCUMENT("{\"name\": \"a\", \"mass\": 1, \"com\": [0, 0, 0], \"inertia\": [[1, 0, 0], [1, 1, 0]], \"inertia_about\": \"com\"}", ""), 422, "wrong-length", "/links/0/inertia", "3 rows"},
    {"negative mass", DOCUMENT("{\"name\": \"a\", \"mass\": -1, \"com\": [0, 0, 0]}", ""), 422, "inertia", "/links/0/mass", "zero or more"},
    {"no kind", DOCUMENT(AB, "{\"name\": \"j\", \"parent\": \"a\", \"child\": \"b\"}"), 422, "missing-field", "/joints/0/kind", "revolute"},
    {"unknown kind", DOCUMENT(AB, "{\"name\": \"j\", \"kind\": \"ball\", \"parent\": \"a\", \"child\": \"b\"}"), 422, "invalid-value", "/joints/0/kind", "spherical"},
    {"unknown link", DOCUMENT(AB, "{\"name\": \"j\", \"kind\": \"fixed\", \"parent\": \"a\", \"child\": \"c\"}"), 422, "unknown-name", "/joints/0/child", "name of a link"},
    {"no axis", DOCUMENT(AB, "{\"name\": \"j\", \"kind\": \"revolute\", \"parent\": \"a\", \"child\": \"b\"}"), 422, "missing-field", "/joints/0/axis", "3 numbers"},
    {"axis of a weld", DOCUMENT(AB, "{\"name\": \"j\", \"kind\": \"fixed\", \"parent\": \"a\", \"child\": \"b\", \"axis\": [1, 0, 0]}"), 422, "invalid-value", "/joints/0/axis", "remove"},
    {"damping of a weld", DOCUMENT(AB, "{\"name\": \"j\", \"kind\": \"fixed\", \"parent\": \"a\", \"child\": \"b\", \"damping\": 1}"), 422, "invalid-value", "/joints/0/damping", "remove"},
    {"zero axis", DOCUMENT(AB, "{\"name\": \"j\", \"kind\": \"revolute\", \"parent\": \"a\", \"child\": \"b\", \"axis\": [0, 0, 0]}"), 422, "range", "/joints/0/axis", "0 0 1"},
    {"no rotation", DOCUMENT(AB, JOINT(", \"origin\": {\"rotation\": [[1, 0, 0], [0, 2, 0], [0, 0, 1]]}")), 422, "range", "/joints/0/origin", "orthonormal"},
    {"mirror", DOCUMENT(AB, JOINT(", \"origin\": {\"rotation\": [[1, 0, 0], [0, 1, 0], [0, 0, -1]]}")), 422, "range", "/joints/0/origin", "orthonormal"},
    {"long quaternion", DOCUMENT(AB, JOINT(", \"origin\": {\"quaternion_wxyz\": [1, 1, 0, 0]}")), 422, "quaternion", "/joints/0/origin/quaternion_wxyz", "divide"},
    {"two rotations", DOCUMENT(AB, JOINT(", \"origin\": {\"quaternion_wxyz\": [1, 0, 0, 0], \"rotation\": 1}")), 422, "invalid-value", "/joints/0/origin/quaternion_wxyz", "keep one"},
    {"unknown limit", DOCUMENT(AB, JOINT(", \"limits\": {\"low\": 1}")), 400, "unknown-field", "/joints/0/limits/low", "lower"},
    {"mimic of nobody", DOCUMENT(AB, JOINT(", \"mimic\": {\"joint\": \"k\"}")), 422, "unknown-name", "/joints/0/mimic/joint", "another joint"},
    {"mimic of itself", DOCUMENT(AB, JOINT(", \"mimic\": {\"joint\": \"j\"}")), 422, "tree", "/joints/0/mimic", ""},
};
/* clang-format on */

enum { N_BAD = sizeof bad_cases / sizeof bad_cases[0] };

ParameterizedTestParameters(robot_document, refused)
{
    static size_t row[N_BAD];
    for (size_t i = 0; i < N_BAD; i++) {
        row[i] = i;
    }
    return cr_make_param_array(size_t, row, N_BAD);
}

ParameterizedTest(size_t *row, robot_document, refused)
{
    const bad_case *c = &bad_cases[*row];
    tqa_problem problem;
    const tqa_robot *robot = tqa_robot_parse(TQA_MEDIA_NONE, c->text, strlen(c->text), &problem);
    cr_assert(robot == NULL, "%s: was accepted", c->name);
    cr_assert(strcmp(problem.slug, c->slug) == 0, "%s: slug %s: %s", c->name, problem.slug,
              problem.detail);
    cr_assert(problem.status == c->status, "%s: status %d", c->name, problem.status);
    cr_assert(problem.n_fault > 0, "%s: no place", c->name);
    const tqa_fault *fault = &problem.faults[0];
    cr_assert(strcmp(fault->pointer, c->pointer) == 0, "%s: place %s", c->name, fault->pointer);
    cr_assert(strstr(fault->hint, c->hint) != NULL, "%s: hint %s", c->name, fault->hint);
}

static tqa_robot *parse(const char *text, size_t n)
{
    static tqa_problem problem;
    tqa_robot *robot = tqa_robot_parse(TQA_MEDIA_NONE, text, n, &problem);
    cr_assert(robot != NULL, "%s: %s\n%s", problem.slug, problem.detail, text);
    return robot;
}

static bool same_bits(const double *a, const double *b, size_t n)
{
    return memcmp(a, b, n * sizeof *a) == 0;
}

/* bitwise equal, except quantities without effect, which a document may omit */
static void assert_same_model(const tqa_robot *a, const tqa_robot *b, const char *what)
{
    cr_assert(a->model->n_link == b->model->n_link && a->model->n_joint == b->model->n_joint, "%s",
              what);
    cr_assert(same_bits(a->model->gravity, b->model->gravity, 3), "%s", what);
    for (uint32_t l = 0; l < a->model->n_link; l++) {
        const tq_inertia *x = &a->model->links[l].inertia;
        const tq_inertia *y = &b->model->links[l].inertia;
        cr_assert(strcmp(a->link_names[l], b->link_names[l]) == 0, "%s: link %u", what, l);
        cr_assert(memcmp(x, y, sizeof *x) == 0, "%s: link %u", what, l);
    }
    for (uint32_t i = 0; i < a->model->n_joint; i++) {
        const tq_joint *x = &a->model->joints[i];
        const tq_joint *y = &b->model->joints[i];
        cr_assert(strcmp(a->joint_names[i], b->joint_names[i]) == 0, "%s: joint %u", what, i);
        cr_assert(x->kind == y->kind && x->parent == y->parent && x->child == y->child &&
                      x->mimic == y->mimic && x->q_index == y->q_index && x->v_index == y->v_index,
                  "%s: joint %u", what, i);
        cr_assert(memcmp(&x->origin, &y->origin, sizeof x->origin) == 0, "%s: origin %u", what, i);
        cr_assert(same_bits(x->axis, y->axis, 3), "%s: axis %u: %.17g %.17g", what, i, x->axis[0],
                  y->axis[0]);
        cr_assert(memcmp(&x->limits, &y->limits, sizeof x->limits) == 0, "%s: %u", what, i);
        cr_assert(memcmp(&x->friction, &y->friction, sizeof x->friction) == 0, "%s: %u", what, i);
        cr_assert(memcmp(&x->rotor, &y->rotor, sizeof x->rotor) == 0, "%s: %u", what, i);
        cr_assert(memcmp(&x->spring, &y->spring, sizeof x->spring) == 0, "%s: %u", what, i);
    }
}

/* robot -> document -> robot -> document: the same robot, and the same text from then on */
static void assert_round_trip(const tqa_robot *robot, const char *what)
{
    size_t n = 0;
    size_t n_again = 0;
    char *text = tqa_robot_document(robot, "x", &n);
    cr_assert(text != NULL && n == strlen(text), "%s", what);
    tqa_robot *again = parse(text, n);
    assert_same_model(robot, again, what);
    char *report = tqa_robot_report(again, "x", &n_again);
    tqa_robot *third = parse(report, n_again);
    assert_same_model(robot, third, what);
    tqa_robot_free(third);
    tqa_robot_free(again);
    free(report);
    free(text);
}

Test(robot_document, builtins_there_and_back)
{
    for (size_t i = 0; i < tqa_builtin_count(); i++) {
        size_t n = 0;
        tqa_media media = TQA_MEDIA_NONE;
        const char *bytes = tqa_builtin_bytes(i, &n, &media);
        tqa_robot *robot = parse(bytes, n);
        assert_round_trip(robot, tqa_builtin_name(i));
        tqa_robot_free(robot);
    }
}

/* every kind, oblique axes and origins, mimic, friction, rotor, names that need escapes */
Test(robot_document, everything_there_and_back)
{
    const char *text =
        "<robot name='r'><link name='a&quot;\\&#9;&#233;'/><link name='b/c'/><link name='c'/>"
        "<link name='d'/><link name='e'/><link name='f'><inertial><origin xyz='.1 .2 .3' rpy='1 2 3'/>"
        "<mass value='.7'/><inertia ixx='.3' ixy='.01' ixz='.02' iyy='.31' iyz='.03' izz='.32'/>"
        "</inertial></link><link name='g'/>"
        "<joint name='1' type='floating'><parent link='a&quot;\\&#9;&#233;'/><child link='b/c'/></joint>"
        "<joint name='2' type='revolute'><parent link='b/c'/><child link='c'/>"
        "<origin xyz='.1 .2 .3' rpy='.3 .2 .1'/><axis xyz='1 2 3'/><limit lower='-1' upper='2'/>"
        "<dynamics damping='.1' friction='.7'/></joint>"
        "<joint name='3' type='planar'><parent link='c'/><child link='d'/><axis xyz='.3 -.1 .7'/></joint>"
        "<joint name='4' type='prismatic'><parent link='d'/><child link='e'/><axis xyz='3 1 .1'/></joint>"
        "<joint name='5' type='continuous'><parent link='e'/><child link='f'/><axis xyz='-1 -1 7'/>"
        "<mimic joint='2' multiplier='.3' offset='.1'/></joint>"
        "<joint name='6' type='fixed'><parent link='f'/><child link='g'/></joint>"
        "<transmission><joint name='4'/><actuator><mechanicalReduction>100</mechanicalReduction>"
        "<drake:rotor_inertia value='1e-5'/></actuator></transmission></robot>";
    tqa_robot *robot = parse(text, strlen(text));
    assert_round_trip(robot, "everything");
    tqa_robot_free(robot);
}

/* oblique unit axes must not change when they are normalised again */
Test(robot_document, axes_stay)
{
    for (int i = 0; i < 200; i++) {
        char text[512];
        (void)snprintf(text, sizeof text,
                       DOCUMENT(AB, "{\"name\": \"j\", \"kind\": \"revolute\", \"parent\": \"a\", "
                                    "\"child\": \"b\", \"axis\": [%.17g, %.17g, %.17g]}"),
                       sin(1.0 + i), cos(3.0 * i), sin(7.0 * i + 0.5));
        tqa_robot *robot = parse(text, strlen(text));
        assert_round_trip(robot, text);
        tqa_robot_free(robot);
    }
}

Test(robot_document, tensor_about_the_origin_is_moved)
{
    const char *text =
        DOCUMENT("{\"name\": \"a\", \"mass\": 2, \"com\": [0, 0, 3], \"inertia\": "
                 "[[20, 0, 0], [0, 21, 0], [0, 0, 4]], \"inertia_about\": \"origin\"}",
                 "");
    tqa_robot *robot = parse(text, strlen(text));
    const double *s = robot->model->links[0].inertia.about_com;
    cr_assert(eq(dbl, s[0], 2.0));
    cr_assert(eq(dbl, s[3], 3.0));
    cr_assert(eq(dbl, s[5], 4.0));
    tqa_robot_free(robot);
}

Test(robot_document, derived_fields_are_listed_as_ignored)
{
    const char *text = "{\"gravity\": [0, 0, 0], \"nq\": 77, \"links\": [{\"name\": \"a\"}], "
                       "\"joints\": []}";
    tqa_robot *robot = parse(text, strlen(text));
    bool found = false;
    for (size_t i = 0; i < robot->n_finding; i++) {
        found = found || (robot->findings[i].kind == TQA_FINDING_IGNORED &&
                          strcmp(robot->findings[i].where, "/nq") == 0);
    }
    cr_assert(found);
    size_t n = 0;
    char *report = tqa_robot_report(robot, "name \"x\"", &n);
    cr_assert(strstr(report, "{\"where\": \"/nq\"") != NULL, "%s", report);
    cr_assert(strstr(report, "\"nq\": 0,") != NULL, "%s", report);
    cr_assert(strstr(report, "{\"name\": \"name \\\"x\\\"\"") != NULL, "%s", report);
    free(report);
    tqa_robot_free(robot);
}

Test(robot_document, depth_and_size_are_bounded, .timeout = 100)
{
    const size_t n = (size_t)8 << 20;
    char *text = malloc(n);
    tqa_problem problem;
    cr_assert(text != NULL);
    memset(text, '[', n);
    text[0] = '{';
    cr_assert(tqa_robot_parse(TQA_MEDIA_JSON, text, n, &problem) == NULL);
    cr_assert(eq(int, problem.status, 413));
    for (size_t i = 0; i < n; i++) {
        text[i] = i % 2 == 0 ? '0' : ',';
    }
    cr_assert(tqa_robot_parse(TQA_MEDIA_JSON, text, n, &problem) == NULL);
    cr_assert(eq(int, problem.status, 413));
    free(text);
}
