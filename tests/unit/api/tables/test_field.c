/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/api/tables/test_field.c - arrays extracted from documents, in pieces of any size. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <string.h>

#include "api/tables/field.h"

TestSuite(field, .timeout = 100);

typedef struct row {
    const char *document, *name;
    const char *csv;  /* NULL: refused */
    const char *slug; /* slug of the refusal */
} row;

static const row rows[] = {
    {"{\"a\":[1,2.5],\"b\":3}", "a", "a_0\n1.0\n2.5\n", NULL},
    {"{\"z\":{\"a\":[9]},\"a\":[[1,2],[3,4]]}", "a", "a_0,a_1\n1.0,2.0\n3.0,4.0\n", NULL},
    {"{\"a\":[[[1,2],[3,4]],[[5,6],[7,8]]]}", "a",
     "a_0,a_1,a_2,a_3\n1.0,2.0,3.0,4.0\n5.0,6.0,7.0,8.0\n", NULL},
    {"{\"r\":{\"a\":[0],\"base\":[[7]]},\"base\":[1]}", "r.base", "base_0\n7.0\n", NULL},
    {"{\"x\":[{\"a\":[1]}],\"a\":[2]}", "a", "a_0\n2.0\n", NULL},
    {"{\"a\":[1]}", "b", NULL, "not-found"},
    {"{\"a\":[[1,2],[3]]}", "a", NULL, "not-acceptable"},
    {"{\"a\":[[1],2]}", "a", NULL, "not-acceptable"},
    {"{\"a\":[1,[2]]}", "a", NULL, "not-acceptable"},
    {"{\"a\":[1,null]}", "a", NULL, "not-acceptable"},
    {"{\"a\":[1,\"x\"]}", "a", NULL, "not-acceptable"},
    {"{\"a\":[{}]}", "a", NULL, "not-acceptable"},
    {"{\"a\":{\"b\":[1]}}", "a", NULL, "not-acceptable"},
    {"{\"a\":3}", "a", NULL, "not-acceptable"},
    {"{\"a\":\"x\"}", "a", NULL, "not-acceptable"},
    {"{\"a\":[[[[[1]]]]]}", "a", NULL, "not-acceptable"},
    {"{\"a\":[1]", "a", NULL, "not-acceptable"},
    {"[1", "a", NULL, "not-acceptable"},
};

/* The field as CSV, with the document split into pieces; false if it is refused. */
static bool take(const row *r, size_t piece, char *out, size_t size, tqa_problem *problem)
{
    const size_t n = strlen(r->document);
    size_t used = 0;
    tqa_field *field = tqa_field_new(r->name, TQA_FIELD_CSV);
    bool good = true;
    for (size_t at = 0; good && at < n; at += piece) {
        good = tqa_field_measure(field, r->document + at, n - at < piece ? n - at : piece, problem);
    }
    good = good && tqa_field_measured(field, problem);
    for (size_t at = 0; good && at < n; at += piece) {
        size_t n_text = 0;
        const char *text =
            tqa_field_feed(field, r->document + at, n - at < piece ? n - at : piece, &n_text);
        cr_assert(text != NULL && used + n_text < size);
        memcpy(out + used, text, n_text);
        used += n_text;
    }
    out[used] = '\0';
    tqa_field_free(field);
    return good;
}

Test(field, rows_in_any_pieces)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        for (size_t piece = 1; piece < 40; piece += 6) {
            char out[512];
            tqa_problem problem = {.slug = ""};
            const bool good = take(&rows[i], piece, out, sizeof out, &problem);
            cr_assert(eq(int, good, rows[i].csv != NULL), "%s", rows[i].document);
            if (good) {
                cr_assert(strcmp(out, rows[i].csv) == 0, "%s: %s", rows[i].document, out);
            } else {
                cr_assert(strcmp(problem.slug, rows[i].slug) == 0, "%s", rows[i].document);
            }
        }
    }
}

Test(field, npy_has_the_size_it_says)
{
    static const char document[] = "{\"n\":1,\"a\":[[1,2,3],[4,5,6]]}";
    tqa_problem problem;
    tqa_field *field = tqa_field_new("a", TQA_FIELD_NPY);
    cr_assert(tqa_field_measure(field, document, sizeof document - 1, &problem));
    cr_assert(tqa_field_measured(field, &problem));
    size_t n = 0;
    const char *text = tqa_field_feed(field, document, sizeof document - 1, &n);
    cr_assert(text != NULL && n == tqa_field_size(field));
    double last = 0.0;
    memcpy(&last, text + n - sizeof last, sizeof last);
    cr_assert(last == 6.0 && memcmp(text, "\x93NUMPY", 6) == 0);
    tqa_field_free(field);
}
