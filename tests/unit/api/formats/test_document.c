/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/api/formats/test_document.c - trees from JSON and CBOR, what they refuse, what is
 * written. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "api/formats/cbor.h"
#include "api/formats/document.h"
#include "api/formats/json_scan.h"
#include "api/formats/writer.h"

enum { BUDGET = 1 << 20 };

typedef struct fixture {
    tqa_arena *arena;
    tqa_problem problem;
    tqa_document document;
} fixture;

static tqa_decode read_json(fixture *f, const char *text)
{
    static tqa_json_scan scan;
    *f = (fixture){.arena = tqa_arena_new(BUDGET)};
    tqa_document_init(&f->document, f->arena, &f->problem);
    tqa_json_scan_init(&scan, &tqa_document_events, &f->document);
    tqa_decode state = TQA_DECODE_OK;
    for (const char *at = text; *at != '\0' && state == TQA_DECODE_OK; at++) {
        state = tqa_json_scan_feed(&scan, at, 1); /* any piece, so also the smallest */
    }
    return state == TQA_DECODE_OK ? tqa_json_scan_finish(&scan) : state;
}

Test(document, fields_of_every_kind)
{
    fixture f;
    cr_assert(eq(int,
                 read_json(&f, "{\"a\":1.5,\"b\":[1,2,3],\"c\":{\"d\":\"x/y\",\"e\":true},\"f\":[],"
                               "\"g\":[[1],[2,3]],\"n\":null}"),
                 TQA_DECODE_OK));
    const tqa_node *root = f.document.root;
    double a = 0;
    const double *b = NULL;
    bool e = false;
    const char *d = NULL;
    cr_assert(eq(int, tqa_node_number(&f.problem, tqa_node_field(root, "a"), &a), 1));
    cr_assert(eq(dbl, a, 1.5));
    cr_assert(eq(int, tqa_node_numbers(&f.problem, tqa_node_field(root, "b"), 3, &b), 1));
    cr_assert(eq(dbl, b[2], 3.0));
    const tqa_node *c = tqa_node_field(root, "c");
    cr_assert(eq(int, tqa_node_string(&f.problem, tqa_node_field(c, "d"), &d), 1));
    cr_assert(eq(str, (char *)(uintptr_t)d, "x/y"));
    cr_assert(eq(int, tqa_node_boolean(&f.problem, tqa_node_field(c, "e"), &e), 1));
    cr_assert(eq(int, e, 1));
    cr_assert(eq(int, tqa_node_numbers(&f.problem, tqa_node_field(root, "f"), 0, &b), 1));
    const tqa_node *g = tqa_node_field(root, "g");
    cr_assert(eq(sz, g->n, 2));
    char pointer[TQA_POINTER_TEXT];
    tqa_node_pointer(g->last, pointer);
    cr_assert(eq(str, pointer, "/g/1"));
    const char *known[] = {"a", "b", "c", "f", "g", NULL};
    cr_assert(eq(int, tqa_node_all_known(&f.problem, root, known), 0));
    cr_assert(eq(str, (char *)(uintptr_t)f.problem.slug, "unknown-field"));
    cr_assert(eq(str, f.problem.faults[0].pointer, "/n"));
    tqa_arena_free(f.arena);
}

Test(document, refusals_name_their_place)
{
    const struct {
        const char *text, *slug, *pointer;
    } rows[] = {{"{\"a\":1,\"a\":2}", "duplicate-field", "/a"},
                {"{\"a\":[1,\"x\"]}", "wrong-type", "/a"},
                {"{\"a\":[\"x\",1]}", "wrong-type", "/a"},
                {"{\"p~/q\":{\"b\":[1,[2]]}}", "wrong-type", "/p~0~1q/b"}};
    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++) {
        fixture f;
        cr_assert(eq(int, read_json(&f, rows[k].text), TQA_DECODE_REFUSED), "%s", rows[k].text);
        cr_assert(eq(str, (char *)(uintptr_t)f.problem.slug, (char *)(uintptr_t)rows[k].slug), "%s",
                  rows[k].text);
        cr_assert(eq(str, f.problem.faults[0].pointer, (char *)(uintptr_t)rows[k].pointer));
        tqa_arena_free(f.arena);
    }
}

Test(document, readers_refuse_other_kinds)
{
    fixture f;
    cr_assert(eq(int, read_json(&f, "{\"a\":\"x\",\"b\":[1,2],\"c\":2.5}"), TQA_DECODE_OK));
    const tqa_node *root = f.document.root;
    double x = 0;
    const double *v = NULL;
    size_t n = 0;
    const char *names[] = {"y", "z", NULL};
    cr_assert(eq(int, tqa_node_number(&f.problem, tqa_node_field(root, "a"), &x), 0));
    cr_assert(eq(int, tqa_node_numbers(&f.problem, tqa_node_field(root, "b"), 3, &v), 0));
    cr_assert(eq(str, (char *)(uintptr_t)f.problem.slug, "wrong-length"));
    cr_assert(eq(int, tqa_node_count(&f.problem, tqa_node_field(root, "c"), 1, 9, &n), 0));
    cr_assert(eq(int, f.problem.status, 422));
    cr_assert(eq(int, tqa_node_choice(&f.problem, tqa_node_field(root, "a"), names, &n), 0));
    cr_assert(eq(str, f.problem.faults[0].hint, "one of: y, z"));
    cr_assert(eq(ptr, tqa_node_require(&f.problem, root, "q", "add \"q\""), NULL));
    cr_assert(eq(str, (char *)(uintptr_t)f.problem.slug, "missing-field"));
    tqa_arena_free(f.arena);
}

static void sample(tqa_writer *w)
{
    const double m[4] = {1, 2, 3, 4.25};
    tqa_write_map(w);
    tqa_write_key(w, "name");
    tqa_write_string(w, "a \"b\"\n");
    tqa_write_key(w, "m");
    tqa_write_matrix(w, m, 2, 2);
    tqa_write_key(w, "n");
    tqa_write_count(w, 7);
    tqa_write_key(w, "list");
    tqa_write_array(w);
    tqa_write_boolean(w, true);
    tqa_write_null(w);
    tqa_write_number(w, NAN);
    tqa_write_end_array(w);
    tqa_write_end_map(w);
}

Test(writer, json_text)
{
    tqa_writer w;
    tqa_writer_init(&w, TQA_MEDIA_JSON, BUDGET);
    sample(&w);
    cr_assert(eq(int, w.failed, 0));
    const char want[] = "{\"name\":\"a \\\"b\\\"\\u000a\",\"m\":[[1.0,2.0],[3.0,4.25]],\"n\":7,"
                        "\"list\":[true,null,null]}";
    cr_assert(eq(sz, w.n, sizeof want - 1));
    cr_assert(eq(int, memcmp(w.text, want, w.n), 0));
    free(w.text);
}

Test(writer, cbor_reads_back_as_the_same_tree)
{
    static tqa_cbor_decoder decoder;
    tqa_writer w;
    fixture f = {.arena = tqa_arena_new(BUDGET)};
    tqa_writer_init(&w, TQA_MEDIA_CBOR, BUDGET);
    sample(&w);
    cr_assert(eq(int, w.failed, 0));
    tqa_document_init(&f.document, f.arena, &f.problem);
    tqa_cbor_decoder_init(&decoder, &tqa_document_events, &f.document);
    cr_assert(eq(int, tqa_cbor_decoder_feed(&decoder, w.text, w.n), TQA_DECODE_OK));
    cr_assert(eq(int, tqa_cbor_decoder_finish(&decoder), TQA_DECODE_OK));
    const double *row = NULL;
    const tqa_node *m = tqa_node_field(f.document.root, "m");
    cr_assert(eq(int, tqa_node_numbers(&f.problem, m->last, 2, &row), 1));
    cr_assert(eq(dbl, row[1], 4.25));
    free(w.text);
    tqa_arena_free(f.arena);
}

Test(writer, stops_at_its_bound)
{
    tqa_writer w;
    tqa_writer_init(&w, TQA_MEDIA_JSON, 100);
    tqa_write_array(&w);
    for (int k = 0; k < 1000; k++) {
        tqa_write_number(&w, 0.1 * k);
    }
    cr_assert(eq(int, w.failed, 1));
    cr_assert(le(sz, w.n, 100));
    free(w.text);
}
