/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/api/problems/test_problem.c - problem documents: status of each slug, escaping,
 * bounds. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdio.h>

#include <jansson.h>
#include <string.h>

#include "api/problem.h"

#include "api/problems/status.h"
static json_t *document(const tqa_problem *problem, const char *request_id, size_t size)
{
    static char text[8192];
    cr_assert(le(sz, size, sizeof text));
    memset(text, '#', sizeof text);
    const size_t n = tqa_problem_print(problem, request_id, text, size);
    cr_assert(lt(sz, n, size));
    json_error_t error;
    json_t *root = json_loadb(text, n, JSON_REJECT_DUPLICATES, &error);
    cr_assert(ne(ptr, root, NULL), "%s: %.*s", error.text, (int)n, text);
    return root;
}

static const char *member(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text != NULL ? text : "(none)";
}

Test(problem, every_slug_gives_its_status_and_title)
{
    static const struct {
        const char *slug;
        int status;
    } rows[] = {
#define ROW(slug, status, title, meaning, remedy, example) {slug, status},
        TQA_PROBLEM_LIST(ROW)
#undef ROW
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        tqa_problem problem;
        cr_assert(not(tqa_problem_set(&problem, rows[i].slug, "x %d", 7)));
        cr_assert(eq(int, problem.status, rows[i].status));
        json_t *root = document(&problem, "01ABC", 4096);
        char type[64];
        snprintf(type, sizeof type, "/problems/%s", rows[i].slug);
        cr_assert(eq(str, (char *)member(root, "type"), type));
        cr_assert(eq(str, (char *)member(root, "detail"), "x 7"));
        cr_assert(eq(str, (char *)member(root, "request_id"), "01ABC"));
        cr_assert(
            eq(int, (int)json_integer_value(json_object_get(root, "status")), rows[i].status));
        cr_assert(ge(int, rows[i].status, 400));
        cr_assert(eq(uint, problem.retry_after_s, rows[i].status == 503 ? 1 : 0));
        cr_assert(eq(ptr, json_object_get(root, "errors"), NULL));
        json_decref(root);
    }
}

/* Their texts are written into JSON and HTML without escapes. */
Test(problem, every_kind_has_a_page)
{
    size_t n = 0;
    const tqa_problem_kind *kinds = tqa_problem_kinds(&n);
    cr_assert(gt(sz, n, 30));
    for (size_t i = 0; i < n; i++) {
        const char *const texts[] = {kinds[i].title, kinds[i].meaning, kinds[i].remedy,
                                     kinds[i].example};
        for (size_t k = 0; k < 4; k++) {
            cr_assert(gt(sz, strlen(texts[k]), 8), "%s", kinds[i].slug);
            cr_assert(lt(sz, strlen(texts[k]), TQA_PROBLEM_TEXT), "%s", kinds[i].slug);
            cr_assert(eq(sz, strcspn(texts[k], "<>&\"\\"), strlen(texts[k])), "%s", kinds[i].slug);
        }
    }
}

Test(problem, a_slug_that_is_not_listed_is_our_fault)
{
    tqa_problem problem;
    cr_assert(not(tqa_problem_set(&problem, "no-such-slug", "x")));
    cr_assert(eq(int, problem.status, 500));
}

Test(problem, core_statuses_are_the_clients_or_ours)
{
    tqa_problem problem;
    const tq_error error = {.what = "q", .index = 3, .value = 0.5};
    cr_assert(not(tqa_problem_from_status(&problem, TQ_ERR_QUATERNION, &error)));
    cr_assert(eq(int, problem.status, 422));
    cr_assert(eq(str, (char *)problem.slug, "quaternion"));
    cr_assert(ne(ptr, strstr(problem.detail, "q, number 3, value 0.5"), NULL), "%s",
              problem.detail);
    cr_assert(not(tqa_problem_from_status(&problem, TQ_ERR_SINGULAR, NULL)));
    cr_assert(eq(int, problem.status, 422));
    cr_assert(not(tqa_problem_from_status(&problem, TQ_ERR_SCRATCH, NULL)));
    cr_assert(eq(int, problem.status, 500));
    cr_assert(not(tqa_problem_from_status(&problem, TQ_ERR_LAPACK, NULL)));
    cr_assert(eq(int, problem.status, 500));
}

Test(problem, faults_carry_pointer_detail_and_hint)
{
    tqa_problem problem;
    tqa_problem_set(&problem, "wrong-length", "array");
    tqa_problem_fault(&problem, "/qd/3", "give \"7\"", "expected %d, got %d", 7, 6);
    tqa_problem_fault(&problem, "", NULL, "second");
    json_t *root = document(&problem, NULL, 4096);
    const json_t *errors = json_object_get(root, "errors");
    cr_assert(eq(sz, json_array_size(errors), 2));
    cr_assert(eq(str, (char *)member(json_array_get(errors, 0), "pointer"), "/qd/3"));
    cr_assert(eq(str, (char *)member(json_array_get(errors, 0), "detail"), "expected 7, got 6"));
    cr_assert(eq(str, (char *)member(json_array_get(errors, 0), "hint"), "give \"7\""));
    cr_assert(eq(str, (char *)member(json_array_get(errors, 1), "hint"), "(none)"));
    cr_assert(eq(str, (char *)member(root, "request_id"), "(none)"));
    json_decref(root);
}

/* Quoted bytes of a client: control bytes, quotes, bytes that are not UTF-8, text truncated within
 * a character. */
Test(problem, quoted_bytes_always_make_valid_json)
{
    tqa_problem problem;
    char all[256];
    for (size_t i = 0; i < 255; i++) {
        all[i] = (char)(i + 1);
    }
    all[255] = '\0';
    tqa_problem_set(&problem, "unknown-field", "%s", all);
    for (size_t i = 0; i < TQA_PROBLEM_FAULTS + 3; i++) {
        tqa_problem_fault(&problem, all, all, "%s", all);
    }
    cr_assert(eq(sz, problem.n_fault, TQA_PROBLEM_FAULTS));
    for (size_t size = 1024; size <= 8192; size += 512) {
        json_decref(document(&problem, all + 200, size));
    }
    tqa_problem_set(&problem, "unknown-field", "\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80");
    json_t *root = document(&problem, NULL, 1024);
    cr_assert(eq(str, (char *)member(root, "detail"), "\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80"));
    json_decref(root);
}
