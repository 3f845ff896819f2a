/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/api/tables/test_view.c - a stored document in other forms, for any split into pieces.
 */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/codec/cbor/cbor.h"
#include "api/codec/npy/npz.h"
#include "api/tables/transcode.h"
#include "api/tables/view.h"

/* lists that are not arrays of numbers, nulls, empty lists, maps inside lists, names with dots */
static const char odd[] =
    "{\"t\":[0,0.5,1],\"a\":{\"b\":[[1,2],[3,4],[5,6]],\"deep\":{\"c\":[[[1],[2]],[[3],[4]]]}},"
    "\"ragged\":[[1,2],[3],[4]],\"mixed\":[[1,[2]],[3]],\"words\":[\"x\",[1,2],{\"in\":[7,8,9]}],"
    "\"gaps\":[1,null,3],\"empty\":[],\"hollow\":[[],[]],\"n\":5,\"x\":-2.5e-3,\"yes\":true,"
    "\"no\":null,\"text\":\"\\u00e9\\\"\\n\",\"five\":[[[[[1]]]]],\"late\":[[1,2],[3,\"z\"],[4,5]]}";

static char *name(const char *text)
{
    return (char *)(uintptr_t)text;
}

/* ----------------------------------------------------- a document's events as one text */

typedef struct teller {
    char text[4096];
    size_t n;
} teller;

static bool say(teller *t, const char *format, double value, const char *text, size_t n)
{
    t->n += (size_t)snprintf(t->text + t->n, sizeof t->text - t->n, format, (int)n, text, value);
    return true;
}

static bool log_begin_map(void *ctx, uint64_t at)
{
    (void)at;
    return say(ctx, "{%.*s ", 0.0, "", 0);
}

static bool log_end(void *ctx, uint64_t at)
{
    (void)at;
    return say(ctx, "end%.*s ", 0.0, "", 0);
}

static bool log_begin_array(void *ctx, uint64_t at)
{
    (void)at;
    return say(ctx, "[%.*s ", 0.0, "", 0);
}

static bool log_text(void *ctx, uint64_t at, const char *text, size_t n)
{
    (void)at;
    return say(ctx, "'%.*s' ", 0.0, text, n);
}

static bool log_number(void *ctx, uint64_t at, double value)
{
    (void)at;
    return say(ctx, "%.*s%.17g ", value, "", 0);
}

static bool log_numbers(void *ctx, uint64_t at, const double *values, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        log_number(ctx, at, values[i]);
    }
    return true;
}

static bool log_boolean(void *ctx, uint64_t at, bool value)
{
    (void)at;
    return say(ctx, value ? "true%.*s " : "false%.*s ", 0.0, "", 0);
}

static bool log_null(void *ctx, uint64_t at)
{
    (void)at;
    return say(ctx, "null%.*s ", 0.0, "", 0);
}

static const tqa_events log_events = {.begin_map = log_begin_map,
                                      .end_map = log_end,
                                      .key = log_text,
                                      .begin_array = log_begin_array,
                                      .end_array = log_end,
                                      .number = log_number,
                                      .numbers = log_numbers,
                                      .string = log_text,
                                      .boolean = log_boolean,
                                      .null = log_null};

static void log_json(teller *t, const char *text, size_t n)
{
    static tqa_json_scan scan;
    t->n = 0;
    tqa_json_scan_init(&scan, &log_events, t);
    cr_assert(eq(int, (int)tqa_json_scan_feed(&scan, text, n), TQA_DECODE_OK));
    cr_assert(eq(int, (int)tqa_json_scan_finish(&scan), TQA_DECODE_OK));
}

static void log_cbor(teller *t, const char *bytes, size_t n)
{
    static tqa_cbor_decoder decoder;
    t->n = 0;
    tqa_cbor_decoder_init(&decoder, &log_events, t);
    cr_assert(eq(int, (int)tqa_cbor_decoder_feed(&decoder, bytes, n), TQA_DECODE_OK), "%s at %zu",
              decoder.error.detail, (size_t)decoder.error.offset);
    cr_assert(eq(int, (int)tqa_cbor_decoder_finish(&decoder), TQA_DECODE_OK));
}

/* -------------------------------------------------------------------------------------- views */

typedef struct document {
    const char *text;
    size_t n, limit; /* bytes that one read returns at most; 0: no limit */
} document;

static long read_document(void *ctx, uint64_t offset, void *bytes, size_t n)
{
    const document *d = ctx;
    const size_t left = offset < d->n ? d->n - (size_t)offset : 0;
    const size_t some = left < n ? left : n;
    memcpy(bytes, d->text + (left > 0 ? offset : 0), some);
    return (long)some;
}

static char *view(const char *text, tqa_view_options options, size_t *ret_n, tqa_problem *problem)
{
    document d = {.text = text, .n = strlen(text)};
    const tqa_stored stored = {.read = read_document, .ctx = &d, .size = d.n};
    tqa_view *v = tqa_view_open(&options, &stored, problem);
    if (v == NULL) {
        return NULL;
    }
    char *out = malloc(1 << 16);
    size_t n = 0;
    for (long some = 1; some > 0;) {
        char piece[4096];
        some = tqa_view_read(v, piece, sizeof piece);
        cr_assert(ge(long, some, 0));
        memcpy(out + n, piece, (size_t)some);
        n += (size_t)some;
    }
    const uint64_t announced = tqa_view_size(v);
    cr_assert(announced == 0 || announced == n, "announced %zu, came %zu", (size_t)announced, n);
    out[n] = '\0';
    *ret_n = n;
    tqa_view_close(v);
    return out;
}

Test(view, cbor_and_json_say_the_same)
{
    static teller before, after;
    size_t n = 0;
    tqa_problem problem;
    log_json(&before, odd, sizeof odd - 1);
    char *cbor = view(odd, (tqa_view_options){.form = TQA_VIEW_CBOR}, &n, &problem);
    log_cbor(&after, cbor, n);
    cr_assert(eq(str, after.text, before.text));
    free(cbor);
    char *json = view(odd,
                      (tqa_view_options){.form = TQA_VIEW_JSON,
                                         .fields = "t,a,ragged,mixed,words,gaps,empty,hollow,n,x,"
                                                   "yes,no,text,five,late"},
                      &n, &problem);
    log_json(&after, json, n);
    cr_assert(eq(str, after.text, before.text));
    free(json);
    json =
        view(odd, (tqa_view_options){.form = TQA_VIEW_JSON, .fields = "no,words,n"}, &n, &problem);
    cr_assert(eq(str, json,
                 name("{\"words\":[\"x\",[1.0,2.0],{\"in\":[7.0,8.0,9.0]}],\"n\":5,\"no\":null}")));
    free(json);
}

Test(view, transcoding_does_not_see_cuts)
{
    static tqa_transcode transcode;
    size_t n_whole = 0;
    tqa_problem problem;
    char *whole = view(odd, (tqa_view_options){.form = TQA_VIEW_CBOR}, &n_whole, &problem);
    for (size_t step = 1; step < 40; step++) {
        char *out = malloc(n_whole + 4096);
        size_t n = 0;
        tqa_outline *outline = tqa_outline_new();
        for (size_t at = 0; at < sizeof odd - 1; at += step) {
            const size_t left = sizeof odd - 1 - at;
            cr_assert(tqa_outline_feed(outline, odd + at, step < left ? step : left));
        }
        cr_assert(tqa_outline_finish(outline));
        tqa_transcode_init(&transcode, outline, NULL, true);
        for (size_t at = 0; at < sizeof odd - 1; at += step) {
            const size_t left = sizeof odd - 1 - at;
            size_t some = 0;
            char *part = tqa_transcode_feed(&transcode, odd + at, step < left ? step : left, &some);
            cr_assert(part != NULL);
            memcpy(out + n, part, some);
            n += some;
            free(part);
        }
        cr_assert(n == n_whole && memcmp(out, whole, n) == 0, "step %zu", step);
        tqa_outline_free(outline);
        free(out);
    }
    free(whole);
}

/* by hand after RFC 8746: tag 86, doubles of little endian, and from rank 2 on tag 40 of the shape
 * and them */
Test(view, cbor_has_typed_arrays_of_every_rank)
{
    static const struct {
        const char *text, *want;
        size_t n_want;
    } rows[] = {
        {"{\"d\":[1,2]}",
         "\x61"
         "d\xd8\x56\x50",
         5},
        {"{\"d\":[[1,2]]}",
         "\x61"
         "d\xd8\x28\x82\x82\x01\x02\xd8\x56\x50",
         11},
        {"{\"d\":[[[1,2]]]}",
         "\x61"
         "d\xd8\x28\x82\x83\x01\x01\x02\xd8\x56\x50",
         12},
        {"{\"d\":[[[[1]],[[2]]]]}",
         "\x61"
         "d\xd8\x28\x82\x84\x01\x02\x01\x01\xd8\x56\x50",
         13},
        {"{\"d\":[1,null]}",
         "\x61"
         "d\x9f",
         3}, /* a gap: a list */
    };
    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++) {
        size_t n = 0;
        tqa_problem problem = {0};
        char *cbor = view(rows[k].text, (tqa_view_options){.form = TQA_VIEW_CBOR}, &n, &problem);
        cr_assert(cbor != NULL, "%s", problem.detail);
        cr_expect(memmem(cbor, n, rows[k].want, rows[k].n_want) != NULL, "%s", rows[k].text);
        free(cbor);
    }
}

Test(view, outline_names_arrays_of_numbers)
{
    static const struct {
        const char *name;
        size_t rank, n_null;
        uint64_t shape[3];
    } rows[] = {{"t", 1, 0, {3}},    {"a.b", 2, 0, {3, 2}}, {"a.deep.c", 3, 0, {2, 2, 1}},
                {"", 1, 0, {1}},     {"", 1, 0, {2}},       {"words.0.in", 1, 0, {3}},
                {"gaps", 1, 1, {3}}, {"empty", 1, 0, {0}},  {"hollow", 2, 0, {2, 0}},
                {"", 1, 0, {2}}};
    tqa_outline *outline = tqa_outline_new();
    cr_assert(tqa_outline_feed(outline, odd, sizeof odd - 1));
    cr_assert(tqa_outline_finish(outline));
    size_t found = 0;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        /* arrays inside lists have no name; the result for one of unequal rows is not specified */
        for (; rows[i].name[0] != '\0' && found < tqa_outline_count(outline) &&
               tqa_outline_at(outline, found)->name[0] == '\0';
             found++) {
        }
        if (rows[i].name[0] == '\0') {
            continue;
        }
        cr_assert(lt(sz, found, tqa_outline_count(outline)));
        const tqa_outline_array *array = tqa_outline_at(outline, found++);
        cr_assert(eq(str, name(array->name), name(rows[i].name)));
        cr_assert(eq(sz, array->rank, rows[i].rank), "%s", rows[i].name);
        cr_assert(eq(u64, array->n_null, rows[i].n_null));
        cr_assert(array->in_list == (strncmp(array->name, "words", 5) == 0));
        for (size_t r = 0; r < array->rank; r++) {
            cr_assert(eq(u64, array->shape[r], rows[i].shape[r]), "%s", rows[i].name);
        }
        cr_assert(odd[array->begin] == '[' && odd[array->end - 1] == ']');
    }
    tqa_outline_free(outline);
}

/* objects in a list are numbered; a list in a list has no names */
Test(view, outline_names_arrays_of_objects_in_lists)
{
    static const char text[] = "{\"a\":[{\"x\":[1],\"b\":[{\"y\":[2]},{\"y\":[3]}]},{\"x\":[4]},"
                               "{\"m\":{\"x\":[5]}}],\"c\":[[{\"x\":[6]}]],\"d\":[7]}";
    static const char *const names[] = {"a.0.x",   "a.0.b.0.y", "a.0.b.1.y", "a.1.x",
                                        "a.2.m.x", "",          "d"};
    enum { N = sizeof names / sizeof names[0] };
    tqa_outline *outline = tqa_outline_new();
    cr_assert(tqa_outline_feed(outline, text, sizeof text - 1) && tqa_outline_finish(outline));
    cr_assert(eq(sz, tqa_outline_count(outline), N));
    for (size_t i = 0; i < N; i++) {
        const tqa_outline_array *array = tqa_outline_at(outline, i);
        cr_assert(eq(str, name(array->name), name(names[i])));
        cr_assert(array->in_list == (names[i][0] == 'a'), "%s", names[i]);
    }
    tqa_outline_free(outline);
}

/* whether an archive of the document has an array of this name */
static bool has_member(const char *text, const char *member)
{
    size_t n = 0;
    tqa_problem problem;
    char *archive = view(text, (tqa_view_options){.form = TQA_VIEW_NPZ}, &n, &problem);
    cr_assert(archive != NULL, "%s", problem.detail);
    char file[80];
    const int size = snprintf(file, sizeof file, "%s.npy", member);
    const bool found = memmem(archive, n, file, (size_t)size) != NULL;
    free(archive);
    return found;
}

Test(view, archives_take_lists_where_all_of_them_fit)
{
    enum { OBJECT = 20, MOST = TQA_NPZ_MEMBERS_MAX };
    char text[(MOST + 2) * OBJECT] = "";
    for (int n = MOST - 1; n <= MOST; n++) {
        size_t used = (size_t)snprintf(text, sizeof text, "{\"t\":[1],\"a\":[");
        for (int i = 0; i < n; i++) {
            used += (size_t)snprintf(text + used, sizeof text - used, "%s{\"x\":[%d]}",
                                     i > 0 ? "," : "", i);
        }
        (void)snprintf(text + used, sizeof text - used, "]}");
        cr_assert(has_member(text, "t"));
        cr_assert(has_member(text, "a.62.x") == (n < MOST), "%d objects", n);
    }
    /* a table contains arrays that have a name of their own */
    size_t n = 0;
    tqa_problem problem;
    char *csv = view("{\"a\":[{\"x\":[1]}],\"b\":[2]}", (tqa_view_options){.form = TQA_VIEW_CSV},
                     &n, &problem);
    cr_assert(eq(str, csv, name("b\n2.0\n")));
    free(csv);
}

Test(view, table_of_arrays_as_long_as_t)
{
    size_t n = 0;
    tqa_problem problem;
    char *csv = view(odd, (tqa_view_options){.form = TQA_VIEW_CSV}, &n, &problem);
    cr_assert(
        eq(str, csv, name("t,a.b_0,a.b_1,gaps\n0.0,1.0,2.0,1.0\n0.5,3.0,4.0,\n1.0,5.0,6.0,3.0\n")));
    free(csv);
    csv = view("{\"a,b\":[1],\"say \\\"x\\\"\":[2]}", (tqa_view_options){.form = TQA_VIEW_CSV}, &n,
               &problem);
    cr_assert(eq(str, csv, name("\"a,b\",\"say \"\"x\"\"\"\n1.0,2.0\n")));
    free(csv);
    csv = view(odd, (tqa_view_options){.form = TQA_VIEW_POINTS, .fields = "t,gaps", .n_points = 2},
               &n, &problem);
    cr_assert(eq(
        str, csv,
        name(
            "{\"rows\":3,\"first_row\":0,\"rows_per_point\":2,\"points\":2,\"series\":[{\"name\":\"t\","
            "\"min\":[0.0,1.0],\"max\":[0.5,1.0]},{\"name\":\"gaps\",\"min\":[1.0,3.0],\"max\":[1.0,"
            "3.0]}]}\n")));
    free(csv);
}

Test(view, refusals_name_the_fault)
{
    static const struct {
        const char *text;
        tqa_view_options options;
        int status;
    } rows[] = {
        {"[1,2]", {.form = TQA_VIEW_CSV}, 406},
        {"{\"t\":[1,2}", {.form = TQA_VIEW_CSV}, 406},
        {"{\"t\":[1,2]", {.form = TQA_VIEW_CBOR}, 406},
        {"{\"s\":\"x\"}", {.form = TQA_VIEW_CSV}, 406},
        {"{\"s\":\"x\"}", {.form = TQA_VIEW_NPZ}, 406},
        {"{\"t\":[1,2]}", {.form = TQA_VIEW_CSV, .fields = "t,q"}, 422},
        {"{\"t\":[1,2]}", {.form = TQA_VIEW_POINTS, .array = "q", .n_points = 3}, 404},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        size_t n = 0;
        tqa_problem problem = {0};
        cr_assert(view(rows[i].text, rows[i].options, &n, &problem) == NULL, "row %zu", i);
        cr_assert(eq(int, problem.status, rows[i].status), "row %zu: %s", i, problem.detail);
    }
}
