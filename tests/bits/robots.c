/* SPDX-License-Identifier: Apache-2.0 */
/* tests/bits/robots.c - text of questions, and the robots that they are put to. */
#include "tests/bits/questions.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "tests/support/one_call.h"

enum { N_RANDOM = 12, N_ROBOT_MAX = 64 };

void put(question *to, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const int n = vsnprintf(to->body + to->n, sizeof to->body - to->n, format, arguments);
    va_end(arguments);
    assert(n >= 0 && (size_t)n < sizeof to->body - to->n);
    to->n += (size_t)n;
}

void put_number(question *to, tqt_random *r, double lower, double upper)
{
    const double x = tqt_random_uniform(r, lower, upper);
    put(to, "%.7g", (double)(long)(x * 0x1p20) * 0x1p-20);
}

void put_numbers(question *to, tqt_random *r, size_t n, double lower, double upper)
{
    put(to, "[");
    for (size_t k = 0; k < n; k++) {
        put(to, "%s", k == 0 ? "" : ",");
        put_number(to, r, lower, upper);
    }
    put(to, "]");
}

void put_named(question *to, tqt_random *r, const char *name, size_t n, double size)
{
    put(to, "\"%s\":", name);
    put_numbers(to, r, n, -size, size);
}

/* ------------------------------------------------------------------------------------------------
 * Robots
 */

static void put_random_joint(question *to, tqt_random *r, size_t k)
{
    static const char *const kinds[] = {"revolute", "continuous", "prismatic", "revolute"};
    const size_t parent = tqt_random_chance(r, 0.8) ? k - 1 : tqt_random_below(r, (uint32_t)k);
    put(to,
        "%s{\"name\":\"j%zu\",\"kind\":\"%s\",\"parent\":\"l%zu\",\"child\":\"l%zu\",\"origin\":{",
        k > 1 ? "," : "", k, kinds[tqt_random_below(r, 4)], parent, k);
    put_named(to, r, "position", 3, 0.5);
    put(to, ",");
    put_named(to, r, "rpy", 3, 3.0);
    put(to, "},");
    put_named(to, r, "axis", 3, 1.0);
    put(to, ",\"damping\":");
    put_number(to, r, 0.0, 2.0);
    put(to, ",\"friction\":{\"coulomb\":0.5,\"breakaway\":0.9,\"stribeck_velocity\":");
    put_number(to, r, 0.01, 0.2);
    put(to, ",\"smoothing\":");
    put_number(to, r, 0.001, 0.1);
    put(to, "},\"rotor\":{\"inertia\":1e-4,\"ratio\":");
    put_number(to, r, 20.0, 120.0);
    put(to, "}}");
}

static const tqa_robot *random_robot(uint64_t seed)
{
    static question text;
    tqt_random r = tqt_random_seed(seed);
    const size_t n = 1 + (size_t)seed % 9;
    text.n = 0;
    put(&text, "{\"name\":\"random%d\",\"gravity\":[0,0,-9.81],\"links\":[{\"name\":\"l0\"}",
        (int)seed);
    for (size_t k = 1; k <= n; k++) {
        put(&text, ",{\"name\":\"l%zu\",\"mass\":", k);
        put_number(&text, &r, 0.5, 9.0);
        put(&text, ",");
        put_named(&text, &r, "com", 3, 0.3);
        put(&text,
            ",\"inertia_about\":\"com\",\"inertia\":[[0.04,0.003,0],[0.003,0.05,-0.002],[0,-0.002,0.06]]}");
    }
    put(&text, "],\"joints\":[");
    for (size_t k = 1; k <= n; k++) {
        put_random_joint(&text, &r, k);
    }
    put(&text, "]}");
    tqa_problem problem = {0};
    const tqa_robot *robot = tqa_robot_parse(TQA_MEDIA_JSON, text.body, text.n, &problem);
    if (robot == NULL) {
        (void)fprintf(stderr, "%s\n%s\n", problem.detail, text.body);
    }
    assert(robot != NULL);
    return robot;
}

size_t robot_count(void)
{
    return tqa_builtin_count() + N_RANDOM;
}

const tqa_robot *robot_of(size_t k)
{
    static const tqa_robot *robots[N_ROBOT_MAX];
    assert(k < robot_count() && k < N_ROBOT_MAX);
    if (robots[k] == NULL) {
        const size_t n = tqa_builtin_count();
        robots[k] = k < n ? tqt_builtin(tqa_builtin_name(k)) : random_robot(1 + k - n);
    }
    return robots[k];
}

const tqa_robot *robot_named(const char *name)
{
    for (size_t k = 0; k < tqa_builtin_count(); k++) {
        if (strcmp(tqa_builtin_name(k), name) == 0) {
            return robot_of(k);
        }
    }
    return NULL;
}
