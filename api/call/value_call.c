/* SPDX-License-Identifier: Apache-2.0 */
/* api/call/value_call.c - runs a request that is a value tree, and hands out its answer. */
#include "api/call/value_call.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/call/notes.h"
#include "api/codec/writer.h"
#include "api/response/archive.h"
#include "api/response/provenance.h"
#include "core/integrate/setup.h"

enum { ARCHIVE_TEXT_MAX = 128 << 20 }; /* bytes of an answer that becomes an archive */

static bool find_form(const tqa_operation *operation, const char *query, unsigned *ret)
{
    static const char name[] = "form=";
    const char *const *forms = operation->methods->tree->forms;
    *ret = 0;
    if (query == NULL || query[0] == '\0') {
        return true;
    }
    if (forms == NULL || strncmp(query, name, sizeof name - 1) != 0) {
        return false;
    }
    for (unsigned k = 0; forms[k] != NULL; k++) {
        if (strcmp(query + sizeof name - 1, forms[k]) == 0) {
            *ret = k + 1;
            return true;
        }
    }
    return false;
}

static bool is_read(tqa_media media)
{
    return media == TQA_MEDIA_NONE || media == TQA_MEDIA_JSON || media == TQA_MEDIA_CBOR ||
           media == TQA_MEDIA_NPZ;
}

static bool is_written(tqa_media media)
{
    return is_read(media) || media == TQA_MEDIA_CSV || media == TQA_MEDIA_SVG;
}

bool tqa_tree_check_head(const tqa_operation *operation, const tqa_call_head *head,
                         tqa_problem *reterr)
{
    unsigned form = 0;
    if (!find_form(operation, head->query, &form)) {
        const char *const *forms = operation->methods->tree->forms;
        (void)tqa_problem_set(reterr, "unknown-field", "%s takes %s%s, got \"?%.64s\"",
                              operation->name, forms != NULL ? "?form=" : "no query",
                              forms != NULL ? forms[0] : "", head->query);
        return false;
    }
    if (!is_read(head->content)) {
        (void)tqa_problem_set(reterr, "unsupported-media",
                              "send application/json, application/cbor, or the arrays as "
                              "application/x-npz");
        return false;
    }
    if (!is_written(head->accept)) {
        (void)tqa_problem_set(reterr, "not-acceptable",
                              "the answer comes as application/json, application/cbor, or its "
                              "arrays as application/x-npz or text/csv");
        return false;
    }
    return true;
}

bool tqa_tree_open(tqa_call *call, const tqa_call_head *head, tqa_problem *reterr)
{
    call->tree = tqa_tree_new(call->robot, &call->problem);
    if (call->tree == NULL) {
        (void)tqa_problem_set(reterr, "busy", "there is no memory for this request now");
        return false;
    }
    call->answer = (tqa_writer){.cbor = call->accept == TQA_MEDIA_CBOR};
    call->tree->answer = &call->answer;
    call->tree->is_picture = call->accept == TQA_MEDIA_SVG;
    const bool known = find_form(call->operation, head->query, &call->tree->form);
    assert(known);
    (void)known;
    if (call->tree->form != 0) { /* the same body has another answer */
        tqa_digest_feed(&call->digest, "?", 1);
        tqa_digest_feed(&call->digest, head->query, strlen(head->query));
    }
    const tqa_body_sink sink = {
        .events = &tqa_tree_events,
        .ctx = call->tree,
        .place = tqa_tree_place,
        .problem = &call->problem,
        .n_number = TQA_TREE_VALUES_MAX,
    };
    tqa_body_init(&call->body, head->content, &sink);
    return true;
}

bool tqa_tree_finish(tqa_call *call)
{
    const tqa_tree_methods *methods = call->operation->methods->tree;
    if (!tqa_body_finish(&call->body) || methods->check == NULL) {
        return call->problem.status == 0;
    }
    const tqa_value root = tqa_value_root(call->tree);
    return tqa_value_fields(&root, methods->fields, methods->needed) && methods->check(call->tree);
}

static void put_provenance(tqa_call *call)
{
    const char *name = call->operation->name;
    const bool integrates = strcmp(name, "simulate") == 0 || strcmp(name, "ensemble") == 0;
    char digest[TQA_REQUEST_DIGEST_TEXT];
    tqa_digest_text(&call->digest, digest);
    const tqa_provenance provenance = {
        .robot_digest = call->robot != NULL ? call->robot->digest : NULL,
        .request_digest = digest,
        .linear_algebra = tqa_linear_algebra_of(call),
        .integrator = integrates ? tq_ode_library_name() : NULL,
    };
    tqa_writer_object(&call->answer, "provenance");
    tqa_provenance_put(&call->answer, &provenance);
    tqa_writer_end(&call->answer);
}

/* members of the answer about its request */
static void put_notes(tqa_call *call)
{
    static const char *const names[] = {"q", "qd", "qdd"};
    tqa_writer *answer = &call->answer;
    const unsigned assumed = call->tree->assumed;
    const tqa_value root = tqa_value_root(call->tree);
    bool any = assumed != 0;
    for (unsigned k = 0; k < 3 && !call->operation->methods->tree->finds_unnamed; k++) {
        any = any || (call->robot != NULL &&
                      tqa_notes_put_unnamed(NULL, call->robot,
                                            tqa_value_field(&root, names[k]).value, names[k]));
    }
    if (any) {
        tqa_writer_list(answer, "assumed_zero");
        for (unsigned k = 0; k < 3; k++) {
            if ((assumed >> k & 1u) != 0) {
                tqa_writer_string(answer, NULL, names[k]);
            }
            (void)tqa_notes_put_unnamed(answer, call->robot, tqa_value_field(&root, names[k]).value,
                                        names[k]);
        }
        tqa_writer_end(answer);
    }
    if (tqa_wording_any(call->tree)) {
        tqa_wording_put(call->tree, answer);
    }
    if (call->tree->off.n > 0) {
        tqa_off_end(&call->tree->off, answer);
    }
    const bool in_degrees = call->tree->in_degrees && !call->tree->in_radians;
    if (call->tree->in_degrees || call->tree->is_motion) {
        tqa_writer_string(answer, "angles", in_degrees ? "deg" : "rad");
    }
    tqa_notes_put_warnings(answer, call->tree);
}

/* the text written since the last call becomes the next piece */
static bool take_text(tqa_call *call)
{
    free(call->text);
    call->text = tqa_json_text_take(&call->answer.text, &call->n_text);
    call->n_put = 0;
    return call->text != NULL;
}

static bool no_memory(tqa_call *call)
{
    (void)tqa_problem_set(&call->problem, "busy", "there is no memory for the answer now");
    return false;
}

/* the end of the root object */
static void put_end(tqa_call *call)
{
    tqa_writer *answer = &call->answer;
    put_notes(call);
    put_provenance(call);
    tqa_writer_end(answer);
    tqa_writer_finish(answer);
}

/* An archive needs the whole answer, including arrays that are otherwise written in pieces. */
static bool make_archive(tqa_call *call)
{
    tqa_tree *tree = call->tree;
    while (tree->more != NULL && call->answer.text.n <= ARCHIVE_TEXT_MAX) {
        if (!tree->more(tree)) {
            tree->more = NULL;
            put_end(call);
        }
    }
    if (call->answer.text.n > ARCHIVE_TEXT_MAX) {
        (void)tqa_problem_set(&call->problem, "not-acceptable",
                              "the answer is too long for an archive at once: submit it with "
                              "\"Prefer: respond-async\" and take the job's result in this "
                              "form");
        return false;
    }
    if (!take_text(call)) {
        return no_memory(call);
    }
    call->archive = tqa_archive_of_text(call->text, call->n_text, call->accept,
                                        call->operation->name, false, &call->problem);
    call->text = NULL;
    return call->archive != NULL;
}

bool tqa_tree_run(tqa_call *call, const tqa_host *host)
{
    const tqa_tree_methods *methods = call->operation->methods->tree;
    tqa_tree *tree = call->tree;
    tqa_writer *answer = &call->answer;
    tree->host = host;
    const tqa_value root = tqa_value_root(tree);
    if (!tqa_value_fields(&root, methods->fields, methods->needed)) {
        return false;
    }
    tqa_writer_object(answer, NULL);
    const bool done = methods->run(tree);
    /* an operation that ended by a cancellation has written half an answer */
    if (done && atomic_load(&tree->is_stopped)) {
        return tqa_tree_fail(tree, "", TQ_ERR_STOPPED, NULL);
    }
    if (!done) {
        assert(call->problem.status != 0);
        return false;
    }
    if (tree->more == NULL) {
        put_end(call);
    }
    if (answer->not_finite) {
        return tqa_value_refuse(&root, "overflow", "smaller numbers, or other units",
                                "a result is too large for a number");
    }
    return call->accept == TQA_MEDIA_NPZ || call->accept == TQA_MEDIA_CSV ||
                   call->accept == TQA_MEDIA_SVG
               ? make_archive(call)
               : take_text(call) || no_memory(call);
}

size_t tqa_tree_read(tqa_call *call, char *out, size_t size)
{
    while (call->n_put == call->n_text && call->tree->more != NULL) {
        if (!call->tree->more(call->tree)) {
            call->tree->more = NULL;
            put_end(call);
        }
        if (!take_text(call)) {
            call->n_text = 0;
            (void)no_memory(call);
            return 0;
        }
    }
    const size_t left = call->n_text - call->n_put;
    const size_t n = left < size ? left : size;
    memcpy(out, call->text + call->n_put, n);
    call->n_put += n;
    return n;
}

void tqa_tree_close(tqa_call *call)
{
    size_t ignored = 0;
    free(tqa_json_text_take(&call->answer.text, &ignored));
    tqa_tree_free(call->tree);
}
