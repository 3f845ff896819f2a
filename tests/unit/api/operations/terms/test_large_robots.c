/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/api/operations/terms/test_large_robots.c - `include` for hundreds of dofs: the terms
 * computed by kernels, within the memory bound. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <jansson.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/memory.h"
#include "tests/support/one_call.h"

enum { JOINTS = 200, TEXT_MAX = 1 << 18 };

static char text[TEXT_MAX];
static size_t n_text;

__attribute__((format(printf, 1, 2))) static void put(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const int n = vsnprintf(text + n_text, sizeof text - n_text, format, arguments);
    va_end(arguments);
    cr_assert(n >= 0 && (size_t)n < sizeof text - n_text);
    n_text += (size_t)n;
}

/* Prismatic joints along one vertical line, each with a mass of 1 kg: M_ij = n - max(i, j). */
static tqa_robot *slides(void)
{
    n_text = 0;
    put("<robot name=\"slides\"><link name=\"l0\"/>");
    for (int j = 1; j <= JOINTS; j++) {
        put("<link name=\"l%d\"><inertial><mass value=\"1\"/><inertia ixx=\"1\" iyy=\"1\" izz=\"1\" "
            "ixy=\"0\" ixz=\"0\" iyz=\"0\"/></inertial></link><joint name=\"j%d\" type=\"prismatic\">"
            "<parent link=\"l%d\"/><child link=\"l%d\"/><axis xyz=\"0 0 1\"/>"
            "<limit lower=\"-9\" upper=\"9\" effort=\"9\" velocity=\"9\"/></joint>",
            j, j, j - 1, j);
    }
    put("</robot>");
    return tqt_urdf(text);
}

static tqt_answer ask(const tqa_robot *robot, const char *operation, const char *members,
                      const char *include)
{
    n_text = 0;
    put("{\"q\":[0");
    for (int j = 1; j < JOINTS; j++) {
        put(",0.01");
    }
    put("]%s,\"include\":[%s]}", members, include);
    return tqt_call(robot, text, n_text, (tqt_call_options){.operation = operation});
}

Test(large, mass_matrix_and_weight_of_a_line_of_slides)
{
    tqa_robot *robot = slides();
    static const char *const operations[] = {"terms", "inverse-dynamics"};
    for (int o = 0; o < 2; o++) {
        tqt_answer answer =
            ask(robot, operations[o], "", "\"mass_matrix\",\"gravity_torque\",\"energy\"");
        cr_assert(eq(int, answer.status, 200), "%s", answer.problem.detail);
        json_t *root = json_loads(answer.text, 0, NULL);
        cr_assert(ne(ptr, root, NULL));
        json_t *m = json_object_get(root, "mass_matrix");
        m = json_is_array(m) ? m : json_object_get(m, "matrix");
        const json_t *weight = json_object_get(root, "gravity_torque");
        cr_assert(eq(sz, json_array_size(m), JOINTS));
        for (int i = 0; i < JOINTS; i++) {
            const double w = json_number_value(json_array_get(weight, (size_t)i));
            cr_expect(epsilon_eq(dbl, w, 9.81 * (JOINTS - i), 1e-1));
            for (int j = 0; j < JOINTS; j++) {
                const double x =
                    json_number_value(json_array_get(json_array_get(m, (size_t)i), (size_t)j));
                cr_assert(epsilon_eq(dbl, x, (double)(JOINTS - (i > j ? i : j)), 1e-9));
            }
        }
        json_decref(root);
        tqt_answer_clear(&answer);
    }
    tqa_robot_free(robot);
}

Test(large, what_has_no_kernel_and_what_memory_does_not_hold)
{
    static const char *const refused[] = {"\"coriolis_matrix\"", "\"mass_matrix_inverse\"",
                                          "\"mass_matrix\",\"checks\""};
    tqa_robot *robot = slides();
    for (size_t k = 0; k < sizeof refused / sizeof refused[0]; k++) {
        tqt_answer answer = ask(robot, "inverse-dynamics", "", refused[k]);
        cr_expect(eq(int, answer.status, 413), "%s", refused[k]);
        tqt_answer_clear(&answer);
    }
    tqt_answer pushed =
        ask(robot, "inverse-dynamics",
            ",\"external_wrenches\":[{\"link\":\"l9\",\"force\":[0,0,1],\"moment\":[0,0,0],"
            "\"at\":\"origin\",\"applied_to\":\"robot\",\"expressed_in\":\"world\"}]",
            "\"mass_matrix\"");
    cr_expect(eq(int, pushed.status, 413));
    tqt_answer_clear(&pushed);
    tqa_memory_bound_set((size_t)JOINTS * JOINTS * 8 * sizeof(double) / 2);
    tqt_answer short_of = ask(robot, "inverse-dynamics", "", "\"mass_matrix\"");
    cr_expect(eq(int, short_of.status, 503));
    tqt_answer_clear(&short_of);
    tqa_memory_bound_set(SIZE_MAX);
    tqa_robot_free(robot);
}
