/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/api/robots/document/test_constraints.c - constraints in documents: reading, printing,
 * refusals. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <criterion/parameterized.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "api/robots/parsed.h"
#include "tests/support/one_call.h"

#define ROBOT(more)                                                                                \
    "{\"gravity\": [0, 0, -9.81], \"links\": [{\"name\": \"a\"}, {\"name\": \"b\", \"mass\": 1, "  \
    "\"com\": [0, 0, 0]}, {\"name\": \"c\", \"mass\": 1, \"com\": [0.3, 0, 0]}], \"joints\": ["    \
    "{\"name\": \"x\", \"kind\": \"prismatic\", \"parent\": \"a\", \"child\": \"b\", \"axis\": "   \
    "[1, 0, 0]}, {\"name\": \"turn-1\", \"kind\": \"continuous\", \"parent\": \"b\", \"child\": "  \
    "\"c\", \"axis\": [0, 0, 1]}], " more "}"
#define ONE(more) ROBOT("\"constraints\": [{" more "}]")
#define BALL                                                                                       \
    "{\"gravity\": [0, 0, 0], \"links\": [{\"name\": \"a\"}, {\"name\": \"b\", \"solid\": "        \
    "{\"shape\": \"sphere\", \"size\": [1], \"mass\": 1}}], \"joints\": [{\"name\": \"free\", "    \
    "\"kind\": \"floating\", \"parent\": \"a\", \"child\": \"b\"}], \"constraints\": [{"

typedef struct bad_case {
    const char *name, *text;
    int status;
    const char *slug, *pointer, *hint, *detail;
} bad_case;

/* clang-format off */
static const bad_case bad_cases[] = {
    {"no array", ROBOT("\"constraints\": {}"), 400, "wrong-type", "/constraints", "", "array"},
    {"no object", ROBOT("\"constraints\": [1]"), 400, "wrong-type", "/constraints/0", "", "object"},
    {"no kind", ONE("\"name\": \"n\""), 422, "missing-field", "/constraints/0/kind", "loop, distance", ""},
    {"unknown kind", ONE("\"kind\": \"weld\""), 422, "invalid-value", "/constraints/0/kind", "loop, distance", "weld"},
    {"unknown field", ONE("\"kind\": \"distance\", \"a\": {\"link\": \"a\"}, \"b\": {\"link\": \"b\"}, \"length\": 1, \"stiff\": 1"), 400, "unknown-field", "/constraints/0/stiff", "length", ""},
    {"unknown link", ONE("\"kind\": \"distance\", \"a\": {\"link\": \"z\"}, \"b\": {\"link\": \"b\"}, \"length\": 1"), 422, "unknown-name", "/constraints/0/a/link", "name of a link", "z"},
    {"one link", ONE("\"kind\": \"distance\", \"a\": {\"link\": \"b\"}, \"b\": {\"link\": \"b\"}, \"length\": 1"), 422, "range", "/constraints/0", "two different links", ""},
    {"no length", ONE("\"kind\": \"distance\", \"a\": {\"link\": \"a\"}, \"b\": {\"link\": \"b\"}"), 422, "missing-field", "/constraints/0/length", "", ""},
    {"no distance", ONE("\"kind\": \"distance\", \"a\": {\"link\": \"a\"}, \"b\": {\"link\": \"b\"}, \"length\": 0"), 422, "range", "/constraints/0", "above 0", "length"},
    {"unknown axis", ONE("\"kind\": \"loop\", \"a\": {\"link\": \"a\"}, \"b\": {\"link\": \"b\"}, \"axes\": [\"x\", \"w\"]"), 422, "unknown-name", "/constraints/0/axes/1", "rx, ry, rz", ""},
    {"no axis", ONE("\"kind\": \"loop\", \"a\": {\"link\": \"a\"}, \"b\": {\"link\": \"b\"}, \"axes\": []"), 422, "range", "/constraints/0", "name some", "axes"},
    {"no normal", ONE("\"kind\": \"point-on-plane\", \"plane\": {\"link\": \"a\"}, \"point\": {\"link\": \"b\"}"), 422, "missing-field", "/constraints/0/plane/normal", "3 numbers", ""},
    {"zero normal", ONE("\"kind\": \"point-on-plane\", \"plane\": {\"link\": \"a\", \"normal\": [0, 0, 0]}, \"point\": {\"link\": \"b\"}"), 422, "range", "/constraints/0/plane/normal", "[0, 0, 1]", ""},
    {"no surface", BALL "\"kind\": \"rolling\", \"body\": {\"link\": \"b\", \"radius\": 1}}]}", 422, "missing-field", "/constraints/0/plane", "\"sphere\"", "surface"},
    {"two surfaces", BALL "\"kind\": \"rolling\", \"body\": {\"link\": \"b\", \"radius\": 1}, \"plane\": {\"link\": \"a\", \"normal\": [0, 0, 1]}, \"sphere\": {\"link\": \"a\", \"radius\": 1}}]}", 422, "invalid-value", "/constraints/0/plane", "\"sphere\"", ""},
    {"disk on a ball", BALL "\"kind\": \"rolling\", \"body\": {\"link\": \"b\", \"radius\": 1, \"axis\": [0, 0, 1]}, \"sphere\": {\"link\": \"a\", \"radius\": 1}}]}", 422, "range", "/constraints/0", "planes only", "surface"},
    {"too big inside", BALL "\"kind\": \"rolling\", \"body\": {\"link\": \"b\", \"radius\": 1}, \"sphere\": {\"link\": \"a\", \"radius\": 1, \"inside\": true}}]}", 422, "range", "/constraints/0", "inside", ""},
    {"slips by words", BALL "\"kind\": \"rolling\", \"body\": {\"link\": \"b\", \"radius\": 1}, \"plane\": {\"link\": \"a\", \"normal\": [0, 0, 1]}, \"slips\": \"no\"}]}", 400, "wrong-type", "/constraints/0/slips", "", "true or false"},
    {"coupled to nobody", ONE("\"kind\": \"coupling\", \"coefficients\": {\"y\": 1}"), 422, "unknown-name", "/constraints/0/coefficients/y", "name of a joint", ""},
    {"coupled to nothing", ONE("\"kind\": \"coupling\", \"coefficients\": {}"), 422, "invalid-value", "/constraints/0/coefficients", "joint1", ""},
    {"coupled to a ball", BALL "\"kind\": \"coupling\", \"coefficients\": {\"free\": 1}}]}", 422, "invalid-value", "/constraints/0", "revolute", "not one coordinate"},
    {"wrong expression", ONE("\"kind\": \"pfaffian\", \"rows\": [{\"x\": 1}, {\"turn-1\": \"2*cos(x\"}]"), 422, "invalid-value", "/constraints/0/rows/1/turn-1", "add", "character 6"},
    {"unquoted name", ONE("\"kind\": \"equation\", \"expression\": \"x + turn-1\""), 422, "invalid-value", "/constraints/0/expression", "single quotes", "character 5"},
    {"no expression", ONE("\"kind\": \"equation\", \"expression\": []"), 400, "wrong-type", "/constraints/0/expression", "cos(theta)", ""},
    {"no rows", ONE("\"kind\": \"pfaffian\", \"rows\": []"), 422, "invalid-value", "/constraints/0/rows", "phi", ""},
    {"rows without right sides", ONE("\"kind\": \"pfaffian\", \"rows\": [{\"x\": 1}], \"equals\": [1, 2]"), 422, "wrong-length", "/constraints/0/equals", "1 numbers", ""},
    {"named twice", ROBOT("\"constraints\": [{\"name\": \"n\", \"kind\": \"equation\", \"expression\": \"x\"}, {\"name\": \"n\", \"kind\": \"equation\", \"expression\": \"x\"}]"), 422, "invalid-robot", "/constraints/1", "own name", "\"n\""},
    {"out of reach", ONE("\"kind\": \"distance\", \"a\": {\"link\": \"a\", \"position\": [0, 5, 0]}, \"b\": {\"link\": \"c\"}, \"length\": 1"), 422, "invalid-robot", "/constraints/0", "out of reach", "distance-1"},
    {"against each other", ROBOT("\"constraints\": [{\"kind\": \"equation\", \"expression\": \"x\"}, {\"kind\": \"equation\", \"expression\": \"x - 1\"}]"), 422, "invalid-robot", "/constraints/1", "contradict", "off by"},
    {"velocities against each other", ROBOT("\"constraints\": [{\"kind\": \"pfaffian\", \"rows\": [{\"x\": 1}]}, {\"kind\": \"pfaffian\", \"rows\": [{\"x\": 2}], \"equals\": [1]}]"), 422, "invalid-robot", "/constraints/1", "contradict", ""},
    {"no value", ONE("\"kind\": \"equation\", \"expression\": \"sqrt(-1 - x^2)\""), 422, "invalid-robot", "/constraints/0", "root of a number below 0", "no value"},
    {"divided by zero", ONE("\"kind\": \"equation\", \"expression\": \"x/0\""), 422, "invalid-robot", "/constraints/0", "divide by 0", "no value"},
    {"driven twice", ROBOT("\"actuated\": [\"x\", \"turn-1\", \"x\"]"), 422, "invalid-value", "/actuated/2", "once", "\"x\" is named twice"},
    {"driven by nobody", ROBOT("\"actuated\": [\"x\", \"y\"]"), 422, "unknown-name", "/actuated/1", "name of a joint", "y"},
};
/* clang-format on */

enum { N_BAD = sizeof bad_cases / sizeof bad_cases[0] };

ParameterizedTestParameters(constraints_document, refused)
{
    static size_t row[N_BAD];
    for (size_t i = 0; i < N_BAD; i++) {
        row[i] = i;
    }
    return cr_make_param_array(size_t, row, N_BAD);
}

ParameterizedTest(size_t *row, constraints_document, refused)
{
    static tqa_problem problem;
    const bad_case *c = &bad_cases[*row];
    tqa_robot *robot = tqa_robot_parse(TQA_MEDIA_JSON, c->text, strlen(c->text), &problem);
    cr_assert(robot == NULL, "%s", c->name);
    cr_assert(eq(int, problem.status, c->status), "%s: %s", c->name, problem.detail);
    cr_assert(strcmp(problem.slug, c->slug) == 0, "%s: %s", c->name, problem.slug);
    cr_assert(gt(sz, problem.n_fault, 0), "%s", c->name);
    const tqa_fault *fault = &problem.faults[0];
    cr_assert(strcmp(fault->pointer, c->pointer) == 0, "%s: %s", c->name, fault->pointer);
    cr_assert(strstr(fault->hint, c->hint) != NULL, "%s: %s", c->name, fault->hint);
    cr_assert(strstr(fault->detail, c->detail) != NULL, "%s: %s", c->name, fault->detail);
}

/* every kind, printed and read again, is bitwise the same and prints the same text */
Test(constraints_document, survives_the_round_trip)
{
    static const char *const robots[] = {"four-bar", "rolling-disk", "arm-on-sphere-rolling",
                                         "cartesian-pendulum", NULL};
    static const char text[] = ROBOT(
        "\"actuated\": [\"turn-1\"], \"constraints\": ["
        "{\"kind\": \"point-on-plane\", \"plane\": {\"link\": \"a\", \"normal\": [0.3, 0, 2]}, "
        "\"point\": {\"link\": \"b\", \"position\": [0, 0.5, 0]}}, "
        "{\"kind\": \"point-on-sphere\", \"sphere\": {\"link\": \"a\", \"position\": [0.1, 0, 0], "
        "\"radius\": 0.2645751311064591}, \"point\": {\"link\": \"c\", \"position\": [0.3, 0, 0]}}, "
        "{\"name\": \"\\\"odd\\\" name\", \"kind\": \"coupling\", \"coefficients\": {\"turn-1\": "
        "1, \"x\": 0}, \"offset\": 1.0471975511965976}, "
        "{\"kind\": \"pfaffian\", \"rows\": [{\"x\": \"0*'turn-1'\"}, {\"turn-1\": 0}], "
        "\"equals\": [0, 0]}, "
        "{\"kind\": \"equation\", \"expression\": \"0 * x^2 * ('turn-1' + pi)\"}]");
    for (size_t i = 0; i < sizeof robots / sizeof robots[0]; i++) {
        static tqa_problem problem;
        size_t n[2];
        tqa_robot *first = robots[i] != NULL
                               ? tqt_builtin(robots[i])
                               : tqa_robot_parse(TQA_MEDIA_JSON, text, sizeof text - 1, &problem);
        cr_assert(first != NULL, "%zu: %s", i, problem.detail);
        char *one = tqa_robot_document(first, "r", &n[0]);
        tqa_robot *second = tqa_robot_parse(TQA_MEDIA_JSON, one, n[0], &problem);
        cr_assert(second != NULL, "%zu: %s %s", i, problem.faults[0].pointer, problem.detail);
        char *two = tqa_robot_document(second, "r", &n[1]);
        /* all except source and digest, which are of the original bytes */
        cr_assert(strcmp(strstr(one, "\"nq\""), strstr(two, "\"nq\"")) == 0, "%s\n%s", one, two);
        for (uint32_t k = 0; k < first->constraints->n_constraint; k++) {
            const tq_constraint *a = &first->constraints->items[k];
            const tq_constraint *b = &second->constraints->items[k];
            cr_assert(memcmp(&a->a, &b->a, sizeof a->a) == 0 &&
                      memcmp(&a->b, &b->b, sizeof a->b) == 0 && a->axes == b->axes &&
                      a->length == b->length && a->radius == b->radius &&
                      a->surface == b->surface && a->n_row == b->n_row);
        }
        free(one);
        free(two);
        tqa_robot_free(first);
        tqa_robot_free(second);
    }
}

Test(constraints_document, urdf_has_no_words_for_them)
{
    static tqa_problem problem;
    size_t n = 0;
    tqa_robot *robot = tqt_builtin("four-bar");
    cr_assert(tqa_robot_urdf(robot, "r", &n, &problem) == NULL);
    cr_assert(eq(int, problem.status, 406));
    tqa_robot_free(robot);
}

/* the number of dofs with constraints, and of redundant rows */
Test(constraints_document, counts_what_is_left)
{
    static const struct {
        const char *robot;
        uint32_t n_free, n_row;
    } rows[] = {{"cartesian-pendulum", 1, 1},
                {"rolling-disk", 2, 2},
                {"four-bar", 1, 2},
                {"parallel-2dof", 2, 4},
                {"arm-on-sphere-slipping", 5, 1},
                {"arm-on-sphere-rolling", 2, 4}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        tqa_robot *robot = tqt_builtin(rows[i].robot);
        cr_assert(eq(u32, robot->n_free, rows[i].n_free), "%s", rows[i].robot);
        cr_assert(eq(u32, robot->constraints->n_row, rows[i].n_row), "%s", rows[i].robot);
        tqa_robot_free(robot);
    }
}
