/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/api/operations/test_inverse_dynamics.c - one request: correct torques, the same answer
 * for every split of the body, every refusal with its place. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/robots/parsed.h"
#include "api/version.h"
#include "tests/support/one_call.h"

/* Two links of 1 m and 2 kg in the x-z plane, point masses at their ends; friction on the elbow, a
 * fixed tool. Joint order: shoulder, elbow. */
static const char arm[] =
    "<robot name='arm'>"
    "<link name='base'/>"
    "<link name='upper'><inertial><origin xyz='1 0 0'/><mass value='2'/>"
    "<inertia ixx='0.01' ixy='0' ixz='0' iyy='0.01' iyz='0' izz='0.01'/></inertial></link>"
    "<link name='fore'><inertial><origin xyz='1 0 0'/><mass value='2'/>"
    "<inertia ixx='0.01' ixy='0' ixz='0' iyy='0.01' iyz='0' izz='0.01'/></inertial></link>"
    "<link name='tool'/>"
    "<joint name='shoulder' type='continuous'><parent link='base'/><child link='upper'/>"
    "<axis xyz='0 1 0'/></joint>"
    "<joint name='elbow' type='continuous'><parent link='upper'/><child link='fore'/>"
    "<origin xyz='1 0 0'/><axis xyz='0 1 0'/><dynamics damping='0.5'/></joint>"
    "<joint name='wrist' type='fixed'><parent link='fore'/><child link='tool'/>"
    "<origin xyz='1 0 0'/></joint>"
    "</robot>";

/* The answer's `tau` as numbers, row after row. */
static size_t torques(const tqt_answer *answer, double *tau, size_t n_max)
{
    cr_assert(eq(int, answer->status, 200), "%s", answer->problem.detail);
    json_t *root = json_loadb(answer->text, answer->n, JSON_REJECT_DUPLICATES, NULL);
    cr_assert(ne(ptr, root, NULL), "%s", answer->text);
    const json_t *rows = json_object_get(root, "tau");
    size_t n = 0;
    for (size_t i = 0; i < json_array_size(rows); i++) {
        const json_t *row = json_array_get(rows, i);
        const size_t n_row = json_is_array(row) ? json_array_size(row) : 1;
        for (size_t k = 0; k < n_row && n < n_max; k++) {
            tau[n++] = json_real_value(json_is_array(row) ? json_array_get(row, k) : row);
        }
    }
    json_decref(root);
    return n;
}

static tqt_answer ask(const char *body)
{
    static tqa_robot *robot;
    if (robot == NULL) {
        robot = tqt_urdf(arm);
    }
    return tqt_call(robot, body, strlen(body), (tqt_call_options){.content = TQA_MEDIA_JSON});
}

/* clang-format off */
static const struct {
    const char *body;
    double tau[4];
    size_t n;
} answers[] = {
    /* at rest, stretched along x: the weights' moments, 2 g 1 + 2 g 2 and 2 g 1, about y */
    {"{\"q\":[0,0],\"qd\":[0,0],\"qdd\":[0,0]}", {-58.86, -19.62}, 2},
    /* friction of the elbow, 0.5 * 2; no centrifugal moment when stretched */
    {"{\"q\":[0,0],\"qd\":[0,2],\"qdd\":[0,0],\"gravity\":[0,0,0]}", {0.0, 1.0}, 2},
    {"{\"q\":[0,0],\"qd\":[0,2],\"qdd\":[0,0],\"gravity\":[0,0,0],\"without\":[\"friction\"]}", {0.0, 0.0}, 2},
    {"{\"q\":[0,0],\"qd\":[0,0],\"qdd\":[0,0],\"without\":[\"gravity\",\"friction\"]}", {0.0, 0.0}, 2},
    /* M at q = 0: elbow 2 + 0.01, coupling 2*2 + 0.01, shoulder 2 + 2*4 + 0.02 */
    {"{\"q\":[0,0],\"qd\":[0,0],\"qdd\":[1,0],\"gravity\":[0,0,0]}", {10.02, 4.01}, 2},
    {"{\"q\":[0,0],\"qd\":[0,0],\"qdd\":[0,1],\"gravity\":[0,0,0]}", {4.01, 2.01}, 2},
    /* the same in another order of joints, stated before and after */
    {"{\"joints\":[\"elbow\",\"shoulder\"],\"q\":[0,0],\"qd\":[0,0],\"qdd\":[0,1],\"gravity\":[0,0,0]}", {4.01, 10.02}, 2},
    {"{\"q\":[0,0],\"qd\":[0,0],\"qdd\":[0,1],\"gravity\":[0,0,0],\"joints\":[\"elbow\",\"shoulder\"]}", {4.01, 10.02}, 2},
    {"{\"q\":[0,0],\"qd\":[0,0],\"qdd\":[1,0],\"gravity\":[0,0,0],\"joints\":[\"shoulder\",\"elbow\"]}", {10.02, 4.01}, 2},
    /* a force f along z at the tool, at x = 2, supports the arm: tau = -J^T w, its moment is -x f
     */
    {"{\"q\":[0,0],\"qd\":[0,0],\"qdd\":[0,0],\"gravity\":[0,0,0],\"external_wrenches\":[{\"link\":\"tool\",\"force\":[0,0,10],"
     "\"moment\":[0,0,0],\"at\":\"origin\",\"applied_to\":\"robot\",\"expressed_in\":\"world\"}]}", {20.0, 10.0}, 2},
    {"{\"q\":[0,0],\"qd\":[0,0],\"qdd\":[0,0],\"gravity\":[0,0,0],\"external_wrenches\":[{\"link\":\"tool\",\"force\":[0,0,10],"
     "\"moment\":[0,0,0],\"at\":[1,0,0],\"applied_to\":\"environment\",\"expressed_in\":\"link\"}]}", {-30.0, -20.0}, 2},
    {"{\"q\":[0,0],\"qd\":[0,0],\"qdd\":[0,0],\"gravity\":[0,0,0],\"external_wrenches\":[{\"link\":\"fore\",\"force\":[0,0,10],"
     "\"moment\":[0,3,0],\"at\":\"com\",\"applied_to\":\"robot\",\"expressed_in\":\"world\"}]}", {17.0, 7.0}, 2},
    {"{\"q\":[0,0],\"qd\":[0,0],\"qdd\":[0,0],\"gravity\":[0,0,0],\"without\":[\"external\"],\"external_wrenches\":[{\"link\":\"fore\","
     "\"force\":[0,0,10],\"moment\":[0,3,0],\"at\":\"com\",\"applied_to\":\"robot\",\"expressed_in\":\"world\"}]}", {0.0, 0.0}, 2},
    /* a batch, with a force for each sample and a constant moment */
    {"{\"q\":[[0,0],[0,0]],\"qd\":[[0,0],[0,0]],\"qdd\":[[0,0],[1,0]],\"gravity\":[0,0,0],\"external_wrenches\":[{\"link\":\"tool\","
     "\"force\":[[0,0,10],[0,0,20]],\"moment\":[0,1,0],\"at\":\"origin\",\"applied_to\":\"robot\",\"expressed_in\":\"world\"}]}",
     {19.0, 9.0, 49.02, 23.01}, 4},
    {"{\"q\":[[0,0]],\"qd\":[[0,0]],\"qdd\":[[1,0]],\"gravity\":[0,0,0],\"external_wrenches\":[],\"without\":[],\"include\":[]}", {10.02, 4.01}, 2},
};
/* clang-format on */

Test(inverse_dynamics, torques_are_right)
{
    for (size_t i = 0; i < sizeof answers / sizeof answers[0]; i++) {
        tqt_answer answer = ask(answers[i].body);
        double tau[8];
        cr_assert(eq(sz, torques(&answer, tau, 8), answers[i].n), "%s", answers[i].body);
        for (size_t k = 0; k < answers[i].n; k++) {
            /* a few eps of the largest sum, about 100 */
            cr_assert(lt(dbl, fabs(tau[k] - answers[i].tau[k]), 1e-13), "%s: tau[%zu] = %.17g",
                      answers[i].body, k, tau[k]);
        }
        tqt_answer_clear(&answer);
    }
}

Test(inverse_dynamics, the_answer_has_the_shape_of_the_question)
{
    tqt_answer flat = ask("{\"q\":[0,0],\"qd\":[0,0],\"qdd\":[0,0],\"gravity\":[0,0,0]}");
    cr_assert(eq(int,
                 strncmp(flat.text, "{\"tau\":[0.0,0.0],\"provenance\":{\"engine\":\"torqued ", 48),
                 0),
              "%s", flat.text);
    tqt_answer_clear(&flat);
    tqt_answer batch = ask("{\"q\":[[0,0]],\"qd\":[[0,0]],\"qdd\":[[0,0]],\"gravity\":[0,0,0]}");
    cr_assert(eq(int, strncmp(batch.text, "{\"tau\":[[0.0,0.0]],\"provenance\":", 32), 0), "%s",
              batch.text);
    tqt_answer_clear(&batch);
}

/* At rest and stretched along x, the base carries both weights, 4 kg in total, at 1.5 m; the elbow
 * carries one. */
Test(inverse_dynamics, reactions_state_whose_wrench_where_and_along_what)
{
    static const char *const bodies[] = {
        "{\"q\":[0,0],\"qd\":[0,0],\"qdd\":[0,0],\"gravity\":[0,0,-10],"
        "\"include\":[\"reactions\"]}",
        "{\"q\":[[0,0],[0,0]],\"qd\":[[0,0],[0,0]],\"qdd\":[[0,0],[0,0]],"
        "\"gravity\":[0,0,-10],\"include\":[\"reactions\"]}",
    };
    for (size_t i = 0; i < 2; i++) {
        tqt_answer answer = ask(bodies[i]);
        cr_assert(eq(int, answer.status, 200), "%s", answer.problem.detail);
        json_t *root = json_loadb(answer.text, answer.n, JSON_REJECT_DUPLICATES, NULL);
        cr_assert(ne(ptr, root, NULL), "%s", answer.text);
        json_t *reactions = json_object_get(root, "reactions");
        char *said = json_dumps(reactions, JSON_COMPACT);
        static const char start[] =
            "{\"applied_to\":\"child link\",\"expressed_in\":\"child link\",\"at\":\"origin\","
            "\"joints\":[\"shoulder\",\"elbow\",\"wrist\"],\"joint_wrenches\":[";
        cr_assert(eq(int, strncmp(said, start, sizeof start - 1), 0), "%s", said);
        json_t *joints = json_object_get(reactions, "joint_wrenches");
        json_t *base = json_object_get(reactions, "base_wrench");
        if (i == 1) {
            cr_assert(eq(sz, json_array_size(joints), 2));
            cr_assert(eq(sz, json_array_size(base), 2));
            joints = json_array_get(joints, 1);
            base = json_array_get(base, 1);
        }
        cr_assert(eq(sz, json_array_size(joints), 3));
        cr_assert(eq(sz, json_array_size(base), 6));
        static const double expected[4][6] = {
            {0, 0, 40, 0, -60, 0}, {0, 0, 20, 0, -20, 0}, {0}, {0, 0, 40, 0, -60, 0}};
        for (size_t w = 0; w < 4; w++) {
            const json_t *wrench = w < 3 ? json_array_get(joints, w) : base;
            for (size_t k = 0; k < 6; k++) {
                const double got = json_real_value(json_array_get(wrench, k));
                /* a few eps of 60 */
                cr_assert(lt(dbl, fabs(got - expected[w][k]), 1e-13), "%zu %zu: %g", w, k, got);
            }
        }
        free(said);
        json_decref(root);
        tqt_answer_clear(&answer);
    }
}

/* The digest equals the output of xxhsum 0.8.1 -H2 for the body. */
Test(inverse_dynamics, provenance_names_engine_robot_and_request)
{
    tqa_robot *robot = tqt_urdf(arm);
    static const char body[] = "{\"q\":[0,0],\"qd\":[0,0],\"qdd\":[0,0]}";
    char expected[512];
    (void)snprintf(expected, sizeof expected,
                   "\"provenance\":{\"engine\":\"torqued %s\",\"robot_digest\":\"%s\","
                   "\"request_digest\":\"a4f567a318fc850e791249d88cab8ff3\"}}\n",
                   TQA_VERSION, robot->digest);
    tqt_answer answer = tqt_call(robot, body, strlen(body), (tqt_call_options){.step = 5});
    cr_assert(eq(str, strstr(answer.text, "\"provenance\""), expected));
    tqt_answer_clear(&answer);
    tqa_robot_free(robot);
}

Test(inverse_dynamics, every_cut_gives_the_same_answer)
{
    tqa_robot *robot = tqt_urdf(arm);
    for (size_t i = 0; i < sizeof answers / sizeof answers[0]; i++) {
        const char *body = answers[i].body;
        const size_t n = strlen(body);
        tqt_answer whole = tqt_call(robot, body, n, (tqt_call_options){0});
        for (size_t cut = 1; cut < n + 3; cut++) {
            const tqt_call_options options = {.cut = cut, .step = cut >= n ? cut - n + 1 : 0};
            tqt_answer other = tqt_call(robot, body, n, options);
            cr_assert(eq(str, other.text, whole.text), "%s cut at %zu", body, cut);
            tqt_answer_clear(&other);
        }
        tqt_answer_clear(&whole);
    }
    tqa_robot_free(robot);
}

/* Text of a batch of n samples; sample i does not depend on n. */
static char *batch_body(size_t first, size_t n, size_t n_joint)
{
    static const char *const keys[] = {"q", "qd", "qdd"};
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    for (size_t m = 0; m < 3; m++) {
        fprintf(out, "%s\"%s\":[", m == 0 ? "{" : ",", keys[m]);
        for (size_t i = first; i < first + n; i++) {
            for (size_t k = 0; k < n_joint; k++) {
                const double x = 2.0 * sin(0.37 * (double)(i * 21 + m * 7 + k));
                fprintf(out, "%s%.17g", k > 0 ? "," : i > first ? ",[" : "[", x);
            }
            fprintf(out, "]");
        }
        fprintf(out, "]");
    }
    fprintf(out, "}");
    fclose(out);
    return text;
}

/* The text between "tau": and "provenance". */
static char *tau_text(const tqt_answer *answer)
{
    cr_assert(eq(int, answer->status, 200), "%s", answer->problem.detail);
    const char *start = strchr(answer->text, '[');
    const char *end = strstr(answer->text, ",\"provenance\"");
    return strndup(start, (size_t)(end - start));
}

Test(inverse_dynamics, bits_do_not_depend_on_batch_cuts_order_or_room)
{
    enum { N = 1000 };
    tqa_robot *robot = tqt_builtin("panda");
    const size_t nv = robot->model->nv;
    char *body = batch_body(0, N, nv);
    tqt_answer whole = tqt_call(robot, body, strlen(body), (tqt_call_options){0});
    char *all = tau_text(&whole);
    const tqt_call_options ways[] = {
        {.step = 3000},
        {.step = 1},
        {.backwards = true},
        {.room = 4096},
        {.room = 5001, .step = 17},
    };
    for (size_t w = 0; w < sizeof ways / sizeof ways[0]; w++) {
        tqt_answer other = tqt_call(robot, body, strlen(body), ways[w]);
        cr_assert(eq(str, other.text, whole.text), "way %zu", w);
        tqt_answer_clear(&other);
    }
    /* each sample alone, and runs that end at the edges of blocks */
    static const size_t runs[][2] = {{0, 1},   {1, 1},     {7, 1},     {999, 1},  {0, 7},
                                     {0, 8},   {0, 9},     {3, 255},   {3, 256},  {3, 257},
                                     {256, 1}, {255, 512}, {100, 513}, {744, 256}};
    for (size_t r = 0; r < sizeof runs / sizeof runs[0]; r++) {
        char *part = batch_body(runs[r][0], runs[r][1], nv);
        tqt_answer answer = tqt_call(robot, part, strlen(part), (tqt_call_options){0});
        char *tau = tau_text(&answer);
        /* without the outer brackets, its rows occur unchanged in the large answer */
        tau[strlen(tau) - 1] = '\0';
        cr_assert(ne(ptr, strstr(all, tau + 1), NULL), "samples %zu + %zu", runs[r][0], runs[r][1]);
        free(tau);
        free(part);
        tqt_answer_clear(&answer);
    }
    free(all);
    free(body);
    tqt_answer_clear(&whole);
    tqa_robot_free(robot);
}

/* clang-format off */
#define REST "\"qd\":[0,0],\"qdd\":[0,0]"
#define STILL "\"q\":[0,0]," REST
#define WRENCH "{" STILL ",\"external_wrenches\":"
static const struct {
    const char *body;
    int status;
    const char *slug, *pointer, *text; /* text: in detail or hint of the first fault */
} refusals[] = {
    {"", 422, "missing-field", "/q", "add \"q\""},
    {"[]", 400, "wrong-type", "", "expected an object"},
    {"7", 400, "wrong-type", "", "got a number"},
    {"null", 400, "wrong-type", "", "got null"},
    {"{", 400, "malformed", "", "too early"},
    {"{}", 422, "missing-field", "/q", "add \"q\": an array of 2 numbers"},
    {"{\"qd\":[0,0]}", 422, "missing-field", "/q", "add \"q\""},
    {"{" STILL "} x", 400, "malformed", "", "after the end"},
    {"{" STILL ",\"qddd\":[0,0]}", 400, "unknown-field", "/qddd", "did you mean \"qdd\"?"},
    {"{" STILL ",\"a/b~c\":1}", 400, "unknown-field", "/a~1b~0c", "not known"},
    {"{" STILL ",\"gravty\":[0,0,0]}", 400, "unknown-field", "/gravty", "\"gravity\""},
    {"{" STILL ",\"qd\":[0,0]}", 400, "duplicate-field", "/qd", "twice"},
    {"{\"q\":3," REST "}", 400, "wrong-type", "/q", "expected an array of numbers"},
    {"{\"q\":\"0,0\"," REST "}", 400, "wrong-type", "/q", "got a string"},
    {"{\"q\":{\"a\":1}," REST "}", 422, "unknown-name", "/q/a", "no joint"},
    {"{\"q\":{\"elbow\":1,\"elbow\":1}," REST "}", 400, "duplicate-field", "/q/elbow", "twice"},
    {"{\"q\":{\"elbow\":{}}," REST "}", 400, "wrong-type", "/q/elbow", "got an object"},
    {"{\"q\":{\"wrist\":1}," REST "}", 422, "invalid-value", "/q/wrist", "no coordinates"},
    {"{\"q\":[{\"elbow\":1}]," REST "}", 400, "wrong-type", "/q/0", "got an object"},
    {"{\"q\":{\"elbow\":1},\"qd\":[0,0],\"q\":[0,0]}", 400, "duplicate-field", "/q", "twice"},
    {"{\"q\":[0,null]," REST "}", 400, "wrong-type", "/q/1", "got null"},
    {"{\"q\":[0,\"0\"]," REST "}", 400, "wrong-type", "/q/1", "expected a number"},
    {"{\"q\":[0,true]," REST "}", 400, "wrong-type", "/q/1", "got true"},
    {"{\"q\":[[0,0],0]," REST "}", 400, "wrong-type", "/q/1", "array of such arrays"},
    {"{\"q\":[0,[0,0]]," REST "}", 400, "wrong-type", "/q/1", "array of such arrays"},
    {"{\"q\":[[[0]]]," REST "}", 400, "wrong-type", "/q/0/0", "array of such arrays"},
    {"{\"q\":[0]," REST "}", 422, "wrong-length", "/q", "expected 2 numbers, got 1"},
    {"{\"q\":[0,0,0,0]," REST "}", 422, "wrong-length", "/q", "expected 2 numbers, got 4"},
    {"{\"q\":[]," REST "}", 422, "wrong-length", "/q", "expected 2 numbers, got 0"},
    {"{\"q\":[[0,0],[0]]," REST "}", 422, "wrong-length", "/q/1", "expected 2 numbers, got 1"},
    {"{\"q\":[[0,0],[]]," REST "}", 422, "wrong-length", "/q/1", "got 0"},
    {"{\"q\":[[0,0],[0,0],[1,2,3,4,5]]," REST "}", 422, "wrong-length", "/q/2", "got 5"},
    {"{\"q\":[[0,0],[0,0]],\"qd\":[[0,0],[0,0]],\"qdd\":[[0,0],[0,0],[0,0]]}", 422, "wrong-length", "/qdd", "has 3 samples, but \"q\" has 2"},
    {"{\"q\":[[0,0],[0,0]],\"qd\":[]}", 422, "wrong-length", "/qd", "got 0"},
    {"{\"q\":[0,1e999]," REST "}", 422, "not-finite", "/q/1", "too large"},
    {"{\"q\":[[0,0],[0,-1e400]]," REST "}", 422, "not-finite", "/q/1/1", "too large"},
    {"{\"q\":[0,NaN]," REST "}", 400, "malformed", "/q/1", "NaN"},
    {"{\"q\":[0,-Infinity]," REST "}", 400, "malformed", "/q/1", "infinit"},
    {"{\"q\":[0,0}", 400, "malformed", "/q/2", "']' is missing"},
    {"{\"q\":[1e200,0],\"qd\":[1e200,1e200],\"qdd\":[0,0]}", 422, "overflow", "/q", "too large"},
    {"{" STILL ",\"joints\":[\"elbow\"]}", 422, "wrong-length", "/joints", "\"shoulder\" is not named"},
    {"{" STILL ",\"joints\":[\"elbow\",\"elbow\"]}", 422, "invalid-value", "/joints/1", "twice"},
    {"{" STILL ",\"joints\":[\"elbow\",\"sholder\"]}", 422, "unknown-name", "/joints/1", "did you mean \"shoulder\"?"},
    {"{" STILL ",\"joints\":[\"elbow\",\"shoulder\",\"wrist\"]}", 422, "invalid-value", "/joints/2", "no coordinates"},
    {"{" STILL ",\"joints\":\"elbow\"}", 422, "wrong-length", "/joints", "\"shoulder\" is not named"},
    {"{" STILL ",\"joints\":1}", 400, "wrong-type", "/joints", "array of names"},
    {"{" STILL ",\"joints\":[1]}", 400, "wrong-type", "/joints/0", "name of a joint"},
    {"{" STILL ",\"joints\":[[\"elbow\"]]}", 400, "wrong-type", "/joints/0", "got an array"},
    {"{" STILL ",\"gravity\":[0,0]}", 422, "wrong-length", "/gravity", "got 2"},
    {"{" STILL ",\"gravity\":[0,0,0,0]}", 422, "wrong-length", "/gravity", "got 4"},
    {"{" STILL ",\"gravity\":9.81}", 400, "wrong-type", "/gravity", "array of 3 numbers"},
    {"{" STILL ",\"gravity\":[0,0,1e999]}", 422, "not-finite", "/gravity/2", "too large"},
    {"{" STILL ",\"without\":[\"frction\"]}", 422, "unknown-name", "/without/0", "did you mean \"friction\"?"},
    {"{" STILL ",\"without\":[\"everything at all\"]}", 422, "unknown-name", "/without/0", "known here: friction, rotor"},
    {"{" STILL ",\"without\":1}", 400, "wrong-type", "/without", "array of names"},
    {"{" STILL ",\"include\":[\"everything\"]}", 422, "unknown-name", "/include/0", "known here: reactions"},
    {WRENCH "1}", 400, "wrong-type", "/external_wrenches", "array of wrenches"},
    {WRENCH "{}}", 422, "missing-field", "/external_wrenches/link", "add \"link\""},
    {WRENCH "[3]}", 400, "wrong-type", "/external_wrenches/0", "expected an object, got a number"},
    {WRENCH "[[]]}", 400, "wrong-type", "/external_wrenches/0", "link, at, applied_to"},
    {WRENCH "[{}]}", 422, "missing-field", "/external_wrenches/0/link", "add \"link\""},
    {WRENCH "[{\"link\":\"tool\",\"force\":[0,0,1],\"moment\":[0,0,0],\"applied_to\":\"robot\",\"expressed_in\":\"world\"}]}",
     422, "missing-field", "/external_wrenches/0/at", "add \"at\": \"origin\", \"com\""},
    {WRENCH "[{\"link\":\"tool\",\"force\":[0,0,1],\"moment\":[0,0,0],\"at\":\"com\",\"expressed_in\":\"world\"}]}",
     422, "missing-field", "/external_wrenches/0/applied_to", "add \"applied_to\""},
    {WRENCH "[{\"link\":\"tool\",\"force\":[0,0,1],\"moment\":[0,0,0],\"at\":\"com\",\"applied_to\":\"robot\"}]}",
     422, "missing-field", "/external_wrenches/0/expressed_in", "add \"expressed_in\""},
    {WRENCH "[{\"link\":\"tol\",\"at\":\"com\",\"applied_to\":\"robot\",\"expressed_in\":\"world\",\"force\":[0,0,0],\"moment\":[0,0,0]}]}", 422, "unknown-name", "/external_wrenches/0/link", "did you mean \"tool\"?"},
    {WRENCH "[{\"link\":3,\"at\":\"com\",\"applied_to\":\"robot\",\"expressed_in\":\"world\",\"force\":[0,0,0],\"moment\":[0,0,0]}]}", 400, "wrong-type", "/external_wrenches/0/link", "name of a link"},
    {WRENCH "[{\"link\":\"tool\",\"link\":\"tool\"}]}", 400, "duplicate-field", "/external_wrenches/0/link", "twice"},
    {WRENCH "[{\"torque\":[0,0,0]}]}", 400, "unknown-field", "/external_wrenches/0/torque", "not known"},
    {WRENCH "[{\"forse\":[0,0,0]}]}", 400, "unknown-field", "/external_wrenches/0/forse", "\"force\""},
    {WRENCH "[{\"force\":[0,0]}]}", 422, "wrong-length", "/external_wrenches/0/force", "expected 3 numbers, got 2"},
    {WRENCH "[{\"force\":[0,null,0]}]}", 400, "wrong-type", "/external_wrenches/0/force/1", "expected a number, got null"},
    {WRENCH "[{\"force\":\"up\"}]}", 400, "wrong-type", "/external_wrenches/0/force", "got a string"},
    {WRENCH "[{\"force\":{}}]}", 400, "wrong-type", "/external_wrenches/0/force", "got an object"},
    {WRENCH "[{\"force\":1}]}", 400, "wrong-type", "/external_wrenches/0/force", "got a number"},
    {WRENCH "[{\"link\":\"tool\",\"at\":[0,0],\"applied_to\":\"robot\",\"expressed_in\":\"world\",\"force\":[0,0,0],\"moment\":[0,0,0]}]}", 422, "wrong-length", "/external_wrenches/0/at", "got 2"},
    {WRENCH "[{\"link\":\"tool\",\"at\":[0,0,0,0],\"applied_to\":\"robot\",\"expressed_in\":\"world\",\"force\":[0,0,0],\"moment\":[0,0,0]}]}", 422, "wrong-length", "/external_wrenches/0/at", "got 4"},
    {WRENCH "[{\"link\":\"tool\",\"at\":[0,[0]],\"applied_to\":\"robot\",\"expressed_in\":\"world\",\"force\":[0,0,0],\"moment\":[0,0,0]}]}", 400, "wrong-type", "/external_wrenches/0/at/1", "got an array"},
    {WRENCH "[{\"link\":\"tool\",\"at\":\"tip\",\"applied_to\":\"robot\",\"expressed_in\":\"world\",\"force\":[0,0,0],\"moment\":[0,0,0]}]}", 422, "unknown-name", "/external_wrenches/0/at", "origin, com"},
    {WRENCH "[{\"link\":\"tool\",\"at\":\"com\",\"applied_to\":\"me\",\"expressed_in\":\"world\",\"force\":[0,0,0],\"moment\":[0,0,0]}]}", 422, "unknown-name", "/external_wrenches/0/applied_to", "environment"},
    {WRENCH "[{\"link\":\"tool\",\"at\":\"com\",\"applied_to\":\"robot\",\"expressed_in\":\"tool\",\"force\":[0,0,0],\"moment\":[0,0,0]}]}", 422, "unknown-name", "/external_wrenches/0/expressed_in", "world"},
    {WRENCH "[{\"link\":\"tool\",\"force\":[[0,0,1],[0,0,1]],\"moment\":[0,0,0],\"at\":\"com\",\"applied_to\":\"robot\",\"expressed_in\":\"world\"}]}",
     422, "wrong-length", "", "/external_wrenches/0/force has 2 samples, the motion has 1"},
};
/* clang-format on */

Test(inverse_dynamics, every_refusal_has_its_place)
{
    for (size_t i = 0; i < sizeof refusals / sizeof refusals[0]; i++) {
        tqt_answer answer = ask(refusals[i].body);
        const tqa_problem *problem = &answer.problem;
        cr_assert(eq(int, answer.status, refusals[i].status), "%s: %s", refusals[i].body,
                  answer.status != 200 ? problem->detail : answer.text);
        cr_assert(eq(str, (char *)problem->slug, (char *)refusals[i].slug), "%s: %s",
                  refusals[i].body, problem->detail);
        /* all missing and unknown fields are named together; any other fault is reported alone */
        const bool lacks = strcmp(refusals[i].slug, "missing-field") == 0 ||
                           strcmp(refusals[i].slug, "unknown-field") == 0;
        cr_assert(lacks ? problem->n_fault >= 1 : problem->n_fault == 1, "%s", refusals[i].body);
        const tqa_fault *fault = &problem->faults[0];
        cr_assert(eq(str, (char *)fault->pointer, (char *)refusals[i].pointer), "%s: %s",
                  refusals[i].body, problem->detail);
        cr_assert(strstr(fault->detail, refusals[i].text) != NULL ||
                      strstr(fault->hint, refusals[i].text) != NULL,
                  "%s: %s (%s)", refusals[i].body, fault->detail, fault->hint);
        tqt_answer_clear(&answer);
    }
}

/* A refusal is the same for every split of the body. */
Test(inverse_dynamics, refusals_do_not_depend_on_cuts)
{
    tqa_robot *robot = tqt_urdf(arm);
    for (size_t i = 0; i < sizeof refusals / sizeof refusals[0]; i++) {
        const size_t n = strlen(refusals[i].body);
        tqt_answer whole = tqt_call(robot, refusals[i].body, n, (tqt_call_options){0});
        for (size_t cut = 1; cut < n + 2; cut++) {
            const tqt_call_options options = {.cut = cut, .step = cut >= n ? cut - n + 1 : 0};
            tqt_answer other = tqt_call(robot, refusals[i].body, n, options);
            cr_assert(eq(str, other.problem.detail, whole.problem.detail), "%s cut at %zu",
                      refusals[i].body, cut);
        }
    }
    tqa_robot_free(robot);
}

Test(inverse_dynamics, media_types_and_queries_that_are_refused)
{
    static const struct {
        tqt_call_options options;
        int status;
    } rows[] = {
        {{.content = TQA_MEDIA_XML}, 415},
        {{.content = TQA_MEDIA_OTHER}, 415},
        {{.accept = TQA_MEDIA_XML}, 406},
        {{.query = "form=base"}, 400},
        {{.query = ""}, 200},
        {{.content = TQA_MEDIA_NONE}, 200},
        {{.accept = TQA_MEDIA_JSON}, 200},
    };
    static const char body[] = "{" STILL "}";
    tqa_robot *robot = tqt_urdf(arm);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        tqt_answer answer = tqt_call(robot, body, strlen(body), rows[i].options);
        cr_assert(eq(int, answer.status, rows[i].status), "row %zu", i);
        tqt_answer_clear(&answer);
    }
    tqa_robot_free(robot);
}
