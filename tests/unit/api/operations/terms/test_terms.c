/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/api/operations/terms/test_terms.c - every name of include as JSON and as CBOR, with
 * buffers of any size, for one sample and for batches of several blocks. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/codec/cbor/cbor.h"
#include "api/codec/json/scan.h"
#include "api/operations/terms/include.h"
#include "tests/support/one_call.h"

enum { BODY_MAX = 1 << 17 };

/* Events of a decoder as text: brackets, keys, numbers and strings in order. */
typedef struct record {
    FILE *to;
    char *text;
    size_t n;
} record;

static bool on_begin_map(void *ctx, uint64_t at)
{
    (void)at;
    return fputs("{", ((record *)ctx)->to) >= 0;
}

static bool on_end_map(void *ctx, uint64_t at)
{
    (void)at;
    return fputs("}", ((record *)ctx)->to) >= 0;
}

static bool on_begin_array(void *ctx, uint64_t at)
{
    (void)at;
    return fputs("[", ((record *)ctx)->to) >= 0;
}

static bool on_end_array(void *ctx, uint64_t at)
{
    (void)at;
    return fputs("]", ((record *)ctx)->to) >= 0;
}

static bool on_text(void *ctx, uint64_t at, const char *text, size_t n)
{
    (void)at;
    return fprintf(((record *)ctx)->to, "'%.*s'", (int)n, text) >= 0;
}

static bool on_numbers(void *ctx, uint64_t at, const double *values, size_t n)
{
    (void)at;
    for (size_t k = 0; k < n; k++) {
        /* negative zero is not distinguished: the sign of an empty sum */
        (void)fprintf(((record *)ctx)->to, "%.17g ", values[k] + 0.0);
    }
    return true;
}

static bool on_number(void *ctx, uint64_t at, double value)
{
    return on_numbers(ctx, at, &value, 1);
}

static bool on_boolean(void *ctx, uint64_t at, bool value)
{
    return on_text(ctx, at, value ? "true" : "false", 4);
}

static bool on_null(void *ctx, uint64_t at)
{
    return on_text(ctx, at, "null", 4);
}

static const tqa_events events = {.begin_map = on_begin_map,
                                  .end_map = on_end_map,
                                  .key = on_text,
                                  .begin_array = on_begin_array,
                                  .end_array = on_end_array,
                                  .number = on_number,
                                  .numbers = on_numbers,
                                  .string = on_text,
                                  .boolean = on_boolean,
                                  .null = on_null};

static char *heard(const tqt_answer *answer, tqa_media media)
{
    static tqa_json_scan json;
    static tqa_cbor_decoder cbor;
    record r = {0};
    r.to = open_memstream(&r.text, &r.n);
    cr_assert(ne(ptr, r.to, NULL));
    tqa_decode status;
    if (media == TQA_MEDIA_CBOR) {
        tqa_cbor_decoder_init(&cbor, &events, &r);
        status = tqa_cbor_decoder_feed(&cbor, answer->text, answer->n);
        status = status == TQA_DECODE_OK ? tqa_cbor_decoder_finish(&cbor) : status;
    } else {
        tqa_json_scan_init(&json, &events, &r);
        status = tqa_json_scan_feed(&json, answer->text, answer->n);
        status = status == TQA_DECODE_OK ? tqa_json_scan_finish(&json) : status;
    }
    (void)fclose(r.to);
    cr_assert(eq(int, (int)status, TQA_DECODE_OK), "%s", r.text);
    return r.text;
}

static void put_samples(FILE *to, const char *key, size_t n_row, size_t n_sample, bool flat)
{
    (void)fprintf(to, "\"%s\":%s", key, flat ? "" : "[");
    for (size_t i = 0; i < n_sample; i++) {
        for (size_t k = 0; k < n_row; k++) {
            (void)fprintf(to, "%s%.4f",
                          k > 0   ? ","
                          : i > 0 ? ",["
                                  : "[",
                          0.1 * (double)(k + 1) - 0.0003 * (double)i);
        }
        (void)fputs("]", to);
    }
    (void)fputs(flat ? "," : "],", to);
}

static char *body_for(const tqa_robot *robot, const char *call, const char *include,
                      size_t n_sample, bool flat)
{
    static const char *const keys[] = {"qd", "qdd", "qd_ref", "qdd_ref"};
    char *text = NULL;
    size_t n = 0;
    FILE *to = open_memstream(&text, &n);
    cr_assert(ne(ptr, to, NULL));
    (void)fputs("{", to);
    put_samples(to, "q", robot->model->nq, n_sample, flat);
    for (size_t k = 0; k < 4; k++) {
        const char *key = k == 1 && strcmp(call, "forward-dynamics") == 0 ? "tau" : keys[k];
        put_samples(to, key, robot->model->nv, n_sample, flat);
    }
    (void)fprintf(to,
                  "\"frame\":{\"link\":\"%s\",\"at\":\"com\"},\"axes\":[\"y\",\"x\"],"
                  "\"payload\":{\"link\":\"%s\",\"mass\":0.5,\"com\":[0,0,0.1]},"
                  "\"include\":[%s]}",
                  robot->link_names[robot->model->n_link - 1],
                  robot->link_names[robot->model->n_link - 1], include);
    (void)fclose(to);
    return text;
}

/* JSON in one buffer, JSON and CBOR in the smallest buffer: the same document except for the
 * request's digest */
static void same_in_all(const tqa_robot *robot, const char *call, const char *include,
                        size_t n_sample, bool flat)
{
    char *body = body_for(robot, call, include, n_sample, flat);
    char *first = NULL;
    for (int way = 0; way < 3; way++) {
        const tqa_media media = way == 2 ? TQA_MEDIA_CBOR : TQA_MEDIA_JSON;
        tqt_answer answer = tqt_call(robot, body, strlen(body),
                                     (tqt_call_options){.operation = call,
                                                        .content = TQA_MEDIA_JSON,
                                                        .accept = media,
                                                        .room = way == 0 ? 0 : 4096,
                                                        .backwards = way == 1});
        cr_assert(eq(int, answer.status, 200), "%s %s: %s", call, include, answer.problem.detail);
        char *text = heard(&answer, media);
        if (first == NULL) {
            first = text;
        } else {
            cr_assert(eq(str, text, first), "%s %s, way %d", call, include, way);
            free(text);
        }
        tqt_answer_clear(&answer);
    }
    free(first);
    free(body);
}

/* a built-in robot with a drive in every axis, and a constraint that is always satisfied */
static tqa_robot *driven(const char *name)
{
    static const char mark[] = "\"kind\": \"revolute\"";
    static const char drive[] =
        "\"drive\": {\"motor\": {\"constant_nm_a\": 0.05, \"resistance\": 0.6}}, ";
    tqa_robot *plain = tqt_builtin(name);
    size_t n = 0;
    char *text = tqa_robot_document(plain, name, &n);
    char *more = NULL;
    size_t n_more = 0;
    FILE *to = open_memstream(&more, &n_more);
    const char *from = text + 1;
    (void)fputs("{\"constraints\": [{\"kind\": \"equation\", \"expression\": \"0\"}], ", to);
    for (const char *at; (at = strstr(from, mark)) != NULL; from = at + 1) {
        (void)fprintf(to, "%.*s%s%c", (int)(at - from), from, drive, *at);
    }
    (void)fputs(from, to);
    (void)fclose(to);
    tqa_problem problem;
    tqa_robot *robot = tqa_robot_parse(TQA_MEDIA_JSON, more, n_more, &problem);
    cr_assert(robot != NULL, "%s", problem.detail);
    free(text);
    free(more);
    tqa_robot_free(plain);
    return robot;
}

/* constraint forces require torques, and their distribution requires the motion */
static bool is_answered(const char *call, const char *name)
{
    const bool of_forces =
        strcmp(name, "multipliers") == 0 || strcmp(name, "constraint_power") == 0;
    const bool of_drives = strcmp(name, "actuation") == 0;
    return strcmp(call, "inverse-dynamics") == 0 ||
           (!of_drives && (!of_forces || strcmp(call, "forward-dynamics") == 0));
}

Test(terms, every_name_alone_in_every_form_of_answer)
{
    static const char *const calls[] = {"inverse-dynamics", "forward-dynamics", "terms"};
    static const char *const robots[] = {"planar-2r", "panda"};
    for (size_t r = 0; r < 2; r++) {
        tqa_robot *robot = driven(robots[r]);
        for (const tqa_choice *choice = tqa_include_choices; choice->name != NULL; choice++) {
            for (size_t c = 0; c < 3; c++) {
                if (!is_answered(calls[c], choice->name)) {
                    continue;
                }
                char quoted[80];
                (void)snprintf(quoted, sizeof quoted, "\"%s\"", choice->name);
                same_in_all(robot, calls[c], quoted, 1, true);
                same_in_all(robot, calls[c], quoted, 2, false);
            }
        }
        tqa_robot_free(robot);
    }
}

Test(terms, all_names_at_once_over_several_blocks)
{
    static const char *const calls[] = {"inverse-dynamics", "forward-dynamics", "terms"};
    tqa_robot *robot = driven("planar-2r");
    for (size_t c = 0; c < 3; c++) {
        char names[1024] = "";
        for (const tqa_choice *choice = tqa_include_choices; choice->name != NULL; choice++) {
            const size_t n = strlen(names);
            if (is_answered(calls[c], choice->name)) {
                (void)snprintf(names + n, sizeof names - n, "%s\"%s\"", n > 0 ? "," : "",
                               choice->name);
            }
        }
        same_in_all(robot, calls[c], names, 1, true);
        same_in_all(robot, calls[c], names, 300, false);
    }
    tqa_robot_free(robot);
}

/* the first sample that cannot be computed is reported, whichever block is computed first */
Test(terms, the_first_fault_is_reported)
{
    tqa_robot *robot = tqt_builtin("spherical-pendulum");
    char *text = NULL;
    size_t n = 0;
    FILE *to = open_memstream(&text, &n);
    (void)fputs("{\"include\":[\"mass_matrix_inverse\"],\"q\":[", to);
    for (int i = 0; i < 700; i++) {
        (void)fprintf(to, "%s[%s,0.5]", i > 0 ? "," : "", i == 290 || i == 600 ? "0" : "0.4");
    }
    (void)fputs("]}", to);
    (void)fclose(to);
    for (int way = 0; way < 2; way++) {
        tqt_answer answer = tqt_call(
            robot, text, n, (tqt_call_options){.operation = "terms", .backwards = way == 1});
        cr_assert(eq(int, answer.status, 422));
        cr_assert(eq(str, (char *)answer.problem.slug, "singular"));
        cr_assert(eq(str, answer.problem.faults[0].pointer, "/q/290"));
        cr_assert(ne(ptr, strstr(answer.problem.faults[0].detail, "\"phi\""), NULL), "%s",
                  answer.problem.faults[0].detail);
        tqt_answer_clear(&answer);
    }
    free(text);
    tqa_robot_free(robot);
}

/* scratch of a term grows with the cube of the number of dofs, which is therefore bounded */
Test(terms, robots_of_too_many_freedoms_are_refused)
{
    enum { N_JOINT = 130 };
    char *text = NULL;
    size_t n = 0;
    FILE *to = open_memstream(&text, &n);
    (void)fputs("<robot name='snake'><link name='l0'/>", to);
    for (int j = 0; j < N_JOINT; j++) {
        (void)fprintf(to,
                      "<link name='l%d'><inertial><origin xyz='0.1 0 0'/><mass value='1'/>"
                      "<inertia ixx='0.01' ixy='0' ixz='0' iyy='0.01' iyz='0' izz='0.01'/>"
                      "</inertial></link>"
                      "<joint name='j%d' type='continuous'><parent link='l%d'/>"
                      "<child link='l%d'/><origin xyz='0.2 0 0'/><axis xyz='0 %d %d'/></joint>",
                      j + 1, j, j, j + 1, j % 2, 1 - j % 2);
    }
    (void)fputs("</robot>", to);
    (void)fclose(to);
    tqa_robot *robot = tqt_urdf(text);
    char *body = body_for(robot, "inverse-dynamics", "\"coriolis_matrix\"", 1, true);
    tqt_answer answer = tqt_call(robot, body, strlen(body), (tqt_call_options){0});
    cr_assert(eq(int, answer.status, 413), "%d", answer.status);
    tqt_answer_clear(&answer);
    free(body);
    free(text);
    tqa_robot_free(robot);
}

static bool at_second(void *ctx)
{
    return ++*(unsigned *)ctx == 2;
}

/* bounds over a box take some 2,000 matrices of this arm */
Test(terms, bounds_over_a_box_end_when_cancelled)
{
    static const char body[] = "{\"q\":[0,0,0,0,0,0],\"include\":[\"mass_matrix_bounds\"],\"box\":"
                               "{\"lower\":[-1,-1,-1,-1,-1,-1],\"upper\":[1,1,1,1,1,1]}}";
    unsigned asked = 0;
    const tqa_host host = {.ctx = &asked, .cancelled = at_second};
    tqa_robot *robot = tqt_builtin("ur5e");
    tqt_answer answer = tqt_call(robot, body, strlen(body),
                                 (tqt_call_options){.operation = "terms", .host = &host});
    cr_assert(eq(int, answer.status, 503), "%s", answer.problem.detail);
    cr_assert(eq(uint, asked, 2), "it is asked no more after a yes");
    tqt_answer_clear(&answer);
    tqa_robot_free(robot);
}
