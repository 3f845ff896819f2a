/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/api/response/test_provenance.c - libraries that determine the last bits of an answer.
 */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <cblas.h>
#include <stdio.h>
#include <string.h>

#include "tests/support/ask.h"
#include "tests/support/one_call.h"

static const char *text_at(json_t *root, const char *key)
{
    return json_string_value(json_object_get(json_object_get(root, "provenance"), key));
}

Test(provenance, of_torques_of_a_small_robot_names_no_library)
{
    json_t *root = tqt_ask("pendulum", "inverse-dynamics", "{'q':[0],'qd':[0],'qdd':[0]}");
    cr_assert(text_at(root, "linear_algebra") == NULL);
    cr_assert(text_at(root, "integrator") == NULL);
    json_decref(root);
}

Test(provenance, of_a_simulation_names_the_integrator)
{
    json_t *root = tqt_ask("pendulum", "simulate",
                           "{'initial':{'q':[1]},'duration_s':0.1,'output':{'interval_s':0.1}}");
    const char *integrator = text_at(root, "integrator");
    cr_assert(integrator != NULL && strncmp(integrator, "sundials ", 9) == 0);
    json_decref(root);
}

/* the BLAS reports the kernel set it uses */
Test(provenance, of_an_excitation_names_the_core_of_the_blas)
{
    json_t *root = tqt_ask(
        "planar-2r", "excitation",
        "{'frequency_hz':0.1,'harmonics':2,'tries':2,'limits':{'velocity':[1,1],'acceleration':[4,4]}}");
    const char *blas = text_at(root, "linear_algebra");
    cr_assert(blas != NULL && strncmp(blas, "openblas ", 9) == 0);
    cr_assert(eq(str, (char *)(strrchr(blas, ' ') + 1), openblas_get_corename()));
    json_decref(root);
}

Test(provenance, of_an_ensemble_names_the_integrator)
{
    json_t *root = tqt_ask("planar-2r", "ensemble",
                           "{'initial':{'q':[1,0]},'duration_s':0.1,'output':{'interval_s':0.1},"
                           "'vary':[{'of':'q','joint':'joint1','list':[0,0.5,2]}],'seed':3}");
    const char *integrator = text_at(root, "integrator");
    cr_assert(integrator != NULL && strncmp(integrator, "sundials ", 9) == 0);
    json_decref(root);
}

/* two dofs, and `n` times the same row: a matrix n x n above 64 is factored by LAPACK */
static int names_library(size_t n)
{
    static char document[1 << 14];
    size_t at = (size_t)snprintf(
        document, sizeof document,
        "{'gravity':[0,0,0],'links':[{'name':'base'},{'name':'a','mass':1,'com':[0,0,0]},{'name':'b','mass':1,"
        "'com':[0,0,0]}],'joints':[{'name':'x','kind':'prismatic','parent':'base','child':'a',"
        "'axis':[1,0,0]},{'name':'y','kind':'prismatic','parent':'a','child':'b','axis':[0,1,0]}],"
        "'constraints':[");
    for (size_t k = 0; k < n; k++) {
        at += (size_t)snprintf(document + at, sizeof document - at,
                               "%s{'name':'c%zu','kind':'equation','expression':'y - x'}",
                               k > 0 ? "," : "", k);
    }
    (void)snprintf(document + at, sizeof document - at, "]}");
    static const char body[] = "{'q':[0,0],'qd':[0,0],'qdd':[0,0]}";
    json_t *root = tqt_ask(document, "inverse-dynamics", body);
    const int names = text_at(root, "linear_algebra") != NULL;
    tqt_same_in_cbor(document, "inverse-dynamics", body, root); /* at the point where CBOR states
                                                                   the number of pairs */
    json_decref(root);
    return names;
}

Test(provenance, of_a_small_robot_with_many_constraint_rows_names_the_blas)
{
    cr_assert(eq(int, names_library(64), 0));
    cr_assert(eq(int, names_library(65), 1));
}

static void has_digest(const char *query, const char *want)
{
    static const char body[] = "{\"q\":[0,0],\"qd\":[0,0],\"qdd\":[0,0]}";
    tqa_robot *robot = tqt_builtin("planar-2r");
    for (size_t cut = 0; cut < sizeof body - 1; cut += 9) {
        tqt_answer answer =
            tqt_call(robot, body, strlen(body),
                     (tqt_call_options){.operation = "regressor", .query = query, .cut = cut});
        cr_assert(eq(int, answer.status, 200), "%s", answer.problem.detail);
        json_t *root = json_loads(answer.text, 0, NULL);
        cr_assert(eq(str, (char *)text_at(root, "request_digest"), (char *)want), "cut %zu", cut);
        json_decref(root);
        tqt_answer_clear(&answer);
    }
    tqa_robot_free(robot);
}

/* XXH3_128bits of libxxhash 0.8.1, called from Python, of `?form=base` and the body, and of the
 * body */
Test(provenance, the_same_body_with_a_query_is_another_request)
{
    has_digest("form=base", "a1ce43f5ca9a03e79c77844b6188f0dd");
    has_digest(NULL, "a4f567a318fc850e791249d88cab8ff3");
}
