/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/api/robots/document/test_parts.c - solids, rpy, tables and screws: their meaning, and
 * refusals. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <criterion/parameterized.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "api/robots/parsed.h"

#define G          "{\"gravity\": [0, 0, -9.81], "
#define LINK(more) G "\"links\": [{\"name\": \"a\", " more "}], \"joints\": []}"
#define DH(more)                                                                                   \
    G "\"dh\": {\"convention\": \"standard\", \"joints\": [{\"name\": \"j\"" more "}]}}"
#define POE(more) G "\"poe\": {\"joints\": [{\"name\": \"j\", \"kind\": \"revolute\"" more "}]}}"
#define UP        ", \"screw\": [0, 0, 0, 0, 0, 1]"
#define ROW(x)    "[" #x ", 0, 0, 0, 0, 0]"

typedef struct bad_case {
    const char *name;
    const char *text;
    int status;
    const char *slug, *pointer, *hint;
} bad_case;

/* clang-format off */
static const bad_case bad_cases[] = {
    {"mass and solid", LINK("\"mass\": 1, \"com\": [0, 0, 0], \"solid\": {\"shape\": \"point\", \"mass\": 1}"), 422, "invalid-value", "/links/0/solid", "keep one"},
    {"no shape", LINK("\"solid\": {\"mass\": 1}"), 422, "missing-field", "/links/0/solid/shape", "box (x, y, z)"},
    {"unknown shape", LINK("\"solid\": {\"shape\": \"torus\", \"mass\": 1}"), 422, "invalid-value", "/links/0/solid/shape", "cone"},
    {"short size", LINK("\"solid\": {\"shape\": \"box\", \"size\": [1, 2], \"mass\": 1}"), 422, "wrong-length", "/links/0/solid/size", "3 numbers"},
    {"negative size", LINK("\"solid\": {\"shape\": \"sphere\", \"size\": [-1], \"mass\": 1}"), 422, "range", "/links/0/solid/size", "zero or more"},
    {"no mass", LINK("\"solid\": {\"shape\": \"sphere\", \"size\": [1]}"), 422, "missing-field", "/links/0/solid/mass", ""},
    {"density of a bar", LINK("\"solid\": {\"shape\": \"bar\", \"size\": [1], \"density\": 1}"), 422, "invalid-value", "/links/0/solid/density", "\"mass\""},
    {"mass and density", LINK("\"solid\": {\"shape\": \"sphere\", \"size\": [1], \"density\": 1, \"mass\": 1}"), 422, "invalid-value", "/links/0/solid/density", "\"mass\""},
    {"second of two solids", LINK("\"solid\": [{\"shape\": \"point\", \"mass\": 1}, {\"shape\": \"point\"}]"), 422, "missing-field", "/links/0/solid/1/mass", ""},
    {"field of a solid", LINK("\"solid\": {\"shape\": \"point\", \"mass\": 1, \"origin\": 1}"), 400, "unknown-field", "/links/0/solid/origin", "pose"},
    {"rpy against rotation", G "\"links\": [{\"name\": \"a\"}, {\"name\": \"b\"}], \"joints\": [{\"name\": \"j\", \"kind\": \"fixed\", \"parent\": \"a\", \"child\": \"b\", \"origin\": {\"rpy\": [0, 0, 1], \"rotation\": [[1, 0, 0], [0, 1, 0], [0, 0, 1]]}}]}", 422, "invalid-value", "/joints/0/origin/rpy", "keep one"},
    {"no convention", G "\"dh\": {\"joints\": []}}", 422, "missing-field", "/dh/convention", "Rz(theta) Tz(d) Tx(a) Rx(alpha)"},
    {"other convention", G "\"dh\": {\"convention\": \"craig\", \"joints\": []}}", 422, "invalid-value", "/dh/convention", "\"modified\""},
    {"no table", G "\"dh\": {\"convention\": \"standard\"}}", 422, "missing-field", "/dh/joints", ""},
    {"a ball in a table", DH(", \"kind\": \"spherical\""), 422, "invalid-value", "/dh/joints/0/kind", "prismatic"},
    {"field of a row", DH(", \"r\": 1"), 400, "unknown-field", "/dh/joints/0/r", "alpha"},
    {"field of its link", DH(", \"link\": {\"weight\": 1}"), 400, "unknown-field", "/dh/joints/0/link/weight", "mass"},
    {"heavy by letters", DH(", \"link\": {\"mass\": \"1\"}"), 400, "wrong-type", "/dh/joints/0/link/mass", ""},
    {"negative mass", DH(", \"link\": {\"mass\": -1, \"com\": [0, 0, 0]}"), 422, "inertia", "/dh/joints/0/link/mass", "zero or more"},
    {"mimic of nobody", DH(", \"mimic\": {\"joint\": \"k\"}"), 422, "unknown-name", "/dh/joints/0/mimic/joint", "another joint"},
    {"two ways", G "\"dh\": {\"convention\": \"standard\", \"joints\": []}, \"poe\": {\"joints\": []}}", 422, "invalid-value", "/poe", "keep one"},
    {"table and links", G "\"links\": [{\"name\": \"a\"}], \"dh\": {\"convention\": \"standard\", \"joints\": []}}", 422, "invalid-value", "/dh", "keep one"},
    {"no gravity", "{\"dh\": {\"convention\": \"standard\", \"joints\": []}}", 422, "missing-field", "/gravity", "-9.81"},
    {"axis beside a screw", POE(", \"axis\": [0, 0, 1], \"screw\": [0, 0, 0, 0, 0, 1]"), 400, "unknown-field", "/poe/joints/0/axis", "screw"},
    {"no screw", POE(""), 422, "missing-field", "/poe/joints/0/screw", "6 numbers"},
    {"long axis", POE(", \"screw\": [0, 0, 0, 0, 0, 2]"), 422, "invalid-value", "/poe/joints/0/screw", "unit"},
    {"pitch", POE(", \"screw\": [0, 0, 0.1, 0, 0, 1]"), 422, "invalid-value", "/poe/joints/0/screw", "linear first"},
    {"pitch of a hinge", POE(", \"screw\": [0, 0, 0.1, 0, 0, 1]"), 422, "invalid-value", "/poe/joints/0/screw", "helical"},
    {"no pitch in a table", DH(", \"kind\": \"helical\""), 422, "missing-field", "/dh/joints/0/pitch", "metres a turn"},
    {"no thread", DH(", \"kind\": \"helical\", \"pitch\": 0"), 422, "range", "/dh/joints/0/pitch", "right-handed"},
    {"pitch in a table", DH(", \"pitch\": 1"), 422, "invalid-value", "/dh/joints/0/pitch", "helical"},
    {"two axes in a table", DH(", \"kind\": \"universal\""), 422, "invalid-value", "/dh/joints/0/kind", "helical"},
    {"slide that turns", G "\"poe\": {\"joints\": [{\"name\": \"j\", \"kind\": \"prismatic\"" UP "}]}}", 422, "invalid-value", "/poe/joints/0/screw", "w = 0"},
    {"weld in screws", G "\"poe\": {\"joints\": [{\"name\": \"j\", \"kind\": \"fixed\"" UP "}]}}", 422, "invalid-value", "/poe/joints/0/kind", "revolute"},
    {"five rows", POE(UP ", \"link\": {\"spatial_inertia\": [" ROW(1) "]}"), 422, "wrong-length", "/poe/joints/0/link/spatial_inertia", "6 rows"},
    {"no body", POE(UP ", \"link\": {\"spatial_inertia\": [" ROW(1) ", " ROW(1) ", " ROW(1) ", " ROW(1) ", " ROW(1) ", " ROW(1) "]}"), 422, "invalid-value", "/poe/joints/0/link/spatial_inertia", "[m E, -m c^; m c^, I]"},
    {"urdf of no text", G "\"urdf\": {}}", 400, "wrong-type", "/urdf", "text"},
    {"fault inside a urdf", "{\"urdf\": \"<robot name='r'><link name='a'/><link name='b'/></robot>\"}", 422, "tree", "/robot/link[@name='b']", "fixed joint"},
};
/* clang-format on */

enum { N_BAD = sizeof bad_cases / sizeof bad_cases[0] };

/* R D R^T is symmetric except for rounding; a larger difference is a mistake */
Test(robot_document_parts, tensors_of_rounding_are_symmetric)
{
    static const char *const texts[] = {
        LINK("\"mass\": 1, \"com\": [0, 0, 0], \"inertia_about\": \"com\", \"inertia\": [[1, 0.1, "
             "0], [0.10000000000000002, 2, 0], [0, 0, 2.5]]"),
        LINK("\"mass\": 1, \"com\": [0, 0, 0], \"inertia_about\": \"com\", \"inertia\": [[1, 0.1, "
             "0], [0.1000001, 2, 0], [0, 0, 2.5]]")};
    tqa_problem problem;
    tqa_robot *robot = tqa_robot_parse(TQA_MEDIA_JSON, texts[0], strlen(texts[0]), &problem);
    cr_assert(robot != NULL, "%s", problem.detail);
    cr_expect(epsilon_eq(dbl, robot->model->links[0].inertia.about_com[1], 0.1, 1e-16));
    tqa_robot_free(robot);
    cr_assert(tqa_robot_parse(TQA_MEDIA_JSON, texts[1], strlen(texts[1]), &problem) == NULL);
    cr_expect(strcmp(problem.slug, "invalid-value") == 0, "%s", problem.slug);
}

ParameterizedTestParameters(robot_document_parts, refused)
{
    static size_t row[N_BAD];
    for (size_t i = 0; i < N_BAD; i++) {
        row[i] = i;
    }
    return cr_make_param_array(size_t, row, N_BAD);
}

ParameterizedTest(size_t *row, robot_document_parts, refused)
{
    static tqa_problem problem;
    const bad_case *c = &bad_cases[*row];
    tqa_robot *robot = tqa_robot_parse(TQA_MEDIA_JSON, c->text, strlen(c->text), &problem);
    cr_assert(robot == NULL, "%s", c->name);
    cr_assert(strcmp(problem.slug, c->slug) == 0, "%s: %s %s", c->name, problem.slug,
              problem.detail);
    cr_assert(eq(int, problem.status, c->status), "%s", c->name);
    bool found = false;
    for (size_t k = 0; k < problem.n_fault; k++) {
        found = found || (strcmp(problem.faults[k].pointer, c->pointer) == 0 &&
                          strstr(problem.faults[k].hint, c->hint) != NULL);
    }
    cr_assert(found, "%s: %s: %s", c->name, problem.faults[0].pointer, problem.faults[0].hint);
}

static tqa_robot *parse(const char *text)
{
    static tqa_problem problem;
    tqa_robot *robot = tqa_robot_parse(TQA_MEDIA_JSON, text, strlen(text), &problem);
    cr_assert(robot != NULL, "%s: %s", problem.slug, problem.detail);
    return robot;
}

/* two unit cubes of water side by side equal one box of 2 m; the second has its density stated */
Test(robot_document_parts, solids_add_up)
{
    tqa_robot *robot = parse(
        LINK("\"solid\": [{\"shape\": \"box\", \"size\": [1, 1, 1], \"mass\": 1000, \"pose\": "
             "{\"position\": [0.5, 0, 0]}}, {\"shape\": \"box\", \"size\": [1, 1, 1], \"density\": "
             "1000, \"pose\": {\"position\": [1.5, 0, 0], \"rpy\": [0, 0, 1.5707963267948966]}}]"));
    const tq_inertia *i = &robot->model->links[0].inertia;
    const double expected[6] = {2000.0 / 6, 0, 0, 2000.0 * 5 / 12, 0, 2000.0 * 5 / 12};
    cr_assert(epsilon_eq(dbl, i->mass, 2000.0, 1e-12));
    cr_assert(epsilon_eq(dbl, i->com[0], 1.0, 1e-15));
    for (int k = 0; k < 6; k++) {
        cr_assert(epsilon_eq(dbl, i->about_com[k], expected[k], 1e-12), "%d: %.17g", k,
                  i->about_com[k]);
    }
    tqa_robot_free(robot);
}

/* the mass of every shape is its volume times the density */
Test(robot_document_parts, densities)
{
    static const struct {
        const char *text;
        double volume;
    } rows[] = {
        {LINK("\"solid\": {\"shape\": \"box\", \"size\": [1, 2, 3], \"density\": 2}"), 6},
        {LINK("\"solid\": {\"shape\": \"cylinder\", \"size\": [2, 3], \"density\": 2}"),
         12 * 3.14159265358979323846},
        {LINK("\"solid\": {\"shape\": \"sphere\", \"size\": [3], \"density\": 2}"),
         36 * 3.14159265358979323846},
        {LINK("\"solid\": {\"shape\": \"ellipsoid\", \"size\": [1, 2, 3], \"density\": 2}"),
         8 * 3.14159265358979323846},
        {LINK("\"solid\": {\"shape\": \"cone\", \"size\": [1, 3], \"density\": 2}"),
         3.14159265358979323846},
        {LINK("\"solid\": {\"shape\": \"capsule\", \"size\": [3, 2], \"density\": 2}"),
         54 * 3.14159265358979323846},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        tqa_robot *robot = parse(rows[i].text);
        cr_assert(epsilon_eq(dbl, robot->model->links[0].inertia.mass, 2 * rows[i].volume, 1e-12),
                  "%zu", i);
        tqa_robot_free(robot);
    }
}

/* a table has drives too; a mimic joint may precede its master */
Test(robot_document_parts, drives_of_a_table)
{
    tqa_robot *robot = parse(
        G "\"dh\": {\"convention\": \"modified\", \"base\": {\"name\": \"b\", \"pose\": "
          "{\"position\": [0, 0, 1]}}, \"joints\": [{\"name\": \"j\", \"mimic\": {\"joint\": "
          "\"k\", \"multiplier\": 2}}, {\"name\": \"k\", \"kind\": \"prismatic\", \"spring\": "
          "{\"stiffness\": 3, \"rest\": 0.1}, \"limits\": {\"lower\": -1}}], \"tool\": "
          "{\"name\": \"t\", \"mass\": 1, \"com\": [0, 0, 0]}}}");
    const uint32_t j = tqa_robot_joint(robot, "j", 1);
    const uint32_t k = tqa_robot_joint(robot, "k", 1);
    cr_assert(eq(u32, robot->model->joints[j].mimic, k));
    cr_assert(eq(dbl, robot->model->joints[k].spring.stiffness, 3.0));
    cr_assert(eq(dbl, robot->model->joints[k].limits.lower, -1.0));
    cr_assert(eq(u32, robot->model->nv, 1));
    cr_assert(tqa_robot_link(robot, "t", 1) != TQ_NONE && tqa_robot_link(robot, "b", 1) != TQ_NONE);
    tqa_robot_free(robot);
}

/* gravity and name of the document override those of the URDF in it */
Test(robot_document_parts, urdf_inside)
{
    tqa_robot *robot = parse("{\"urdf\": \"<robot name='r'><link name='a'/></robot>\", \"name\": "
                             "\"n\", \"gravity\": [1, 2, 3]}");
    cr_assert(strcmp(robot->name, "n") == 0 && strcmp(robot->source, "document") == 0);
    cr_assert(eq(dbl, robot->model->gravity[0], 1.0));
    tqa_robot_free(robot);
    robot = parse("{\"urdf\": \"<robot name='r'><link name='a'/></robot>\"}");
    cr_assert(strcmp(robot->name, "r") == 0);
    cr_assert(eq(dbl, robot->model->gravity[2], -9.81));
    tqa_robot_free(robot);
}
