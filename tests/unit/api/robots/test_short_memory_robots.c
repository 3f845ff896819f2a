/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/api/robots/test_short_memory_robots.c - each allocation of a parser of robots fails
 * once: the robot is refused with "busy", or is there. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/operation.h"
#include "api/robots/parsed.h"
#include "tests/support/short_memory.h"

/* Without allocation 1, 2, ... in turn the robot is refused as busy, or moves as it should. */
static void walk(const char *name, tqa_media media, const char *text, size_t n, uint32_t nv)
{
    cr_assert(eq(ptr, (void *)tqa_start(0), NULL));
    size_t n_all = SIZE_MAX, n_refused = 0;
    for (size_t k = 1; k <= n_all; k++) {
        tqa_problem problem = {0};
        tqt_short_begin(k, 1);
        tqa_robot *robot = tqa_robot_parse(media, text, n, &problem);
        const size_t n_now = tqt_short_end();
        cr_expect(robot != NULL ? robot->model->nv == nv : problem.status == 503,
                  "%s without allocation %zu: %d %s", name, k, problem.status, problem.detail);
        n_refused += robot == NULL ? 1 : 0;
        n_all = n_now < k ? k : n_all; /* none has failed: the last one */
        tqa_robot_free(robot);
    }
    cr_expect(gt(sz, n_refused, 10), "%s", name);
}

/* Every built-in robot, read from its text. */
Test(short_memory_robots, every_allocation_of_every_robot)
{
    cr_assert(eq(ptr, (void *)tqa_start(0), NULL));
    for (size_t i = 0; i < tqa_builtin_count(); i++) {
        size_t n_byte = 0;
        tqa_media media = TQA_MEDIA_NONE;
        const char *bytes = tqa_builtin_bytes(i, &n_byte, &media);
        for (size_t k = 1;; k++) {
            tqa_problem problem = {0};
            tqt_short_begin(k, 1);
            tqa_robot *robot = tqa_robot_parse(media, bytes, n_byte, &problem);
            const size_t n = tqt_short_end();
            cr_expect(robot != NULL || problem.status == 503, "%s without allocation %zu: %d %s",
                      tqa_builtin_name(i), k, problem.status, problem.detail);
            tqa_robot_free(robot);
            if (n < k) {
                cr_expect(gt(sz, k, 10), "the walk ended before the parser did");
                break;
            }
        }
    }
}

/* A format is recognised by its outermost element, which needs memory too: none is taken for
 * another. */
Test(short_memory_robots, every_allocation_of_every_format_of_xml)
{
    static const char *const texts[][2] = {
        {"urdf",
         "<robot name='r'><link name='a'/><link name='b'/><joint name='j' type='continuous'>"
         "<parent link='a'/><child link='b'/></joint></robot>"},
        {"xacro", "<robot name='r' xmlns:xacro='http://www.ros.org/wiki/xacro'><link name='a'/>"
                  "<xacro:if value='1'><link name='b'/><joint name='j' type='continuous'>"
                  "<parent link='a'/><child link='b'/></joint></xacro:if></robot>"},
        {"mjcf", "<mujoco><worldbody><body name='b'><joint name='j'/><geom size='0.1'/></body>"
                 "</worldbody></mujoco>"},
        {"sdf",
         "<sdf version='1.7'><model name='r'><link name='a'/><link name='b'/><joint name='w' "
         "type='fixed'><parent>world</parent><child>a</child></joint><joint name='j' "
         "type='revolute'><parent>a</parent><child>b</child><axis><xyz>0 0 1</xyz></axis>"
         "</joint></model></sdf>"},
        {"screw",
         "<sdf version='1.9'><model name='r'><link name='a'/><link name='b'/><joint name='j' "
         "type='screw'><parent>a</parent><child>b</child><axis><xyz>0 0 1</xyz></axis></joint>"
         "</model></sdf>"},
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        walk(texts[i][0], TQA_MEDIA_XML, texts[i][1], strlen(texts[i][1]), 1);
    }
}

/* Joints that are two of core's, in documents of every form. */
Test(short_memory_robots, every_allocation_of_compound_joints)
{
    static const char tree[] =
        "{\"gravity\": [0, 0, -9.81], \"links\": [{\"name\": \"a\"}, {\"name\": \"b\"}, {\"name\": "
        "\"c\", \"mass\": 1, \"com\": [0, 0, 1]}], \"joints\": [{\"name\": \"j\", \"kind\": "
        "\"helical\", \"pitch\": 0.5, \"axis\": [0, 0, 1], \"parent\": \"a\", \"child\": \"b\"}, "
        "{\"name\": \"k\", \"kind\": \"universal\", \"axis\": [1, 0, 0], \"axis2\": [0, 1, 0], "
        "\"parent\": \"b\", \"child\": \"c\"}]}";
    static const char screws[] =
        "{\"gravity\": [0, 0, -9.81], \"poe\": {\"joints\": [{\"name\": \"j\", \"kind\": "
        "\"helical\", \"screw\": [0, 0, 0.1, 0, 0, 1], \"link\": {\"mass\": 1, \"com\": [0, 0, "
        "0]}}]}}";
    walk("tree", TQA_MEDIA_JSON, tree, strlen(tree), 3);
    walk("screws", TQA_MEDIA_JSON, screws, strlen(screws), 1);
}

/* Bodies with springs that have a time constant: their stiffness is that of M, for which the parser
 * copies the tree so far. Its arrays (20 KB and more) need separate allocations. */
Test(short_memory_robots, every_allocation_of_many_springs)
{
    enum { BODIES = 320 };
    const size_t size = BODIES * 256 + 1024;
    char *text = malloc(size);
    size_t n = (size_t)snprintf(text, size, "<mujoco><worldbody>");
    for (int k = 0; k < BODIES; k++) {
        n += (size_t)snprintf(
            text + n, size - n,
            "<body name='b%d'><joint name='j%d' type='hinge' axis='0 0 1' springdamper='0.5 1'/>"
            "<inertial pos='0 0 0' mass='1' diaginertia='1 1 1'/></body>",
            k, k);
    }
    n += (size_t)snprintf(text + n, size - n, "</worldbody></mujoco>");
    walk("springs", TQA_MEDIA_XML, text, n, BODIES);
    free(text);
}
