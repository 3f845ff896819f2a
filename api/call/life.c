/* SPDX-License-Identifier: Apache-2.0 */
/* api/call/life.c - the life of one call: open, feed, finish, run, read, close. */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/call/call.h"
#include "api/call/notes.h"
#include "api/call/picture.h"
#include "api/call/value_call.h"
#include "api/recordings/from.h"
#include "api/request/fast_path.h"
#include "api/response/archive.h"

enum {
    CALL_BYTES_MAX = 1 << 30, /* of sample arrays, in and out: 134 million numbers */
};

static size_t align(size_t bytes)
{
    return (bytes + 63) / 64 * 64;
}

static bool check_head(const tqa_operation *operation, const tqa_call_head *head,
                       tqa_problem *problem)
{
    if (operation->methods->tree == NULL && head->query != NULL && head->query[0] != '\0') {
        (void)tqa_problem_set(problem, "unknown-field", "%s takes no query, got \"?%.64s\"",
                              operation->name, head->query);
        return false;
    }
    if (head->content_length != UINT64_MAX && head->content_length > operation->body_max) {
        (void)tqa_problem_set(problem, "too-large", "the body may have %llu bytes at most",
                              (unsigned long long)operation->body_max);
        return false;
    }
    if (head->accept == TQA_MEDIA_SVG && !operation->has_picture) {
        tqa_operation_refuse_picture(operation, problem);
        return false;
    }
    if (operation->methods->tree != NULL) {
        return tqa_tree_check_head(operation, head, problem);
    }
    if (!tqa_body_takes(head->content)) {
        (void)tqa_problem_set(problem, "unsupported-media",
                              "send application/json, application/cbor, application/x-npy or "
                              "application/x-npz");
        return false;
    }
    if (!tqa_result_gives(head->accept) && head->accept != TQA_MEDIA_SVG) {
        (void)tqa_problem_set(
            problem, "not-acceptable",
            "the answer comes as application/json, application/cbor, application/x-npy, "
            "application/x-npz or text/csv");
        return false;
    }
    return true;
}

static void start(tqa_call *call, const tqa_operation *operation, const tqa_robot *robot,
                  const tqa_call_head *head)
{
    call->operation = operation;
    call->robot = robot;
    call->accept = head->accept == TQA_MEDIA_NONE ? TQA_MEDIA_JSON : head->accept;
    call->n_fed = 0;
    call->is_read_whole = false;
    call->n_body = head->content_length;
    call->budget = (tqa_budget){.bytes_left = CALL_BYTES_MAX};
    call->ahead.is_off = false;
    call->ahead.states = NULL;
    atomic_init(&call->ahead.n_good, 0);
    call->ahead.n_ready = 0;
    call->reactions = call->multipliers = call->missing = call->terms = (tqa_blocks){0};
    call->kept = NULL;
    call->n_kept = 0;
    call->n_note = 0;
    atomic_init(&call->is_far, false);
    atomic_init(&call->base_tau, 0);
    call->mechanism = robot != NULL ? robot->mechanism : NULL;
    call->model = robot != NULL ? robot->model : NULL;
    call->own_mechanism = NULL;
    call->text = NULL;
    call->archive = NULL;
    call->tree = NULL;
    call->problem.status = 0;
    call->problem.n_fault = 0;
    tqa_digest_init(&call->digest);
}

/* The caller's memory when it is large enough, else our own. */
static tqa_call *take(const tqa_call_head *head, size_t size, tqa_problem *reterr)
{
    const bool is_borrowed = head->memory != NULL && size <= head->memory_size;
    tqa_call *call = is_borrowed ? head->memory : aligned_alloc(64, size);
    if (call == NULL) {
        (void)tqa_problem_set(reterr, "busy", "there is no memory for this request now");
        return NULL;
    }
    call->is_borrowed = is_borrowed;
    return call;
}

static tqa_call *open_tree(const tqa_operation *operation, const tqa_robot *robot,
                           const tqa_call_head *head, tqa_problem *reterr)
{
    tqa_call *call = take(head, align(sizeof(tqa_call)), reterr);
    if (call == NULL) {
        return NULL;
    }
    start(call, operation, robot, head);
    if (!tqa_tree_open(call, head, reterr)) {
        if (!call->is_borrowed) {
            free(call);
        }
        return NULL;
    }
    return call;
}

/* One piece of memory: the call, the request's small blocks, the result's. */
tqa_call *tqa_call_open(const tqa_operation *operation, const tqa_robot *robot,
                        const tqa_call_head *head, tqa_problem *reterr)
{
    assert(operation != NULL && head != NULL && reterr != NULL);
    assert(robot != NULL || !operation->needs_robot);
    if (!check_head(operation, head, reterr)) {
        return NULL;
    }
    if (operation->methods->tree != NULL) {
        return open_tree(operation, robot, head, reterr);
    }
    const tqa_schema *schema = &operation->methods->schema;
    const size_t request_at = align(sizeof(tqa_call));
    const size_t tau_at = request_at + align(tqa_request_arena_size(robot));
    const size_t n_tau = robot->model->nv;
    const size_t size = tau_at + align((n_tau * TQ_BLOCK_PAD + 1) * sizeof(double));
    tqa_call *call = take(head, size, reterr);
    if (call == NULL) {
        return NULL;
    }
    unsigned char *memory = (unsigned char *)call;
    start(call, operation, robot, head);
    tqa_blocks_init(&call->tau, n_tau, (double *)(void *)(memory + tau_at), &call->budget);
    tqa_request_init(&call->request, schema, robot, memory + request_at, &call->budget,
                     &call->problem);
    const tqa_body_sink sink = tqa_request_sink(&call->request);
    tqa_body_init(&call->body, head->content, &sink);
    return call;
}

static bool takes_json(const tqa_body *body, char first)
{
    return body->media == TQA_MEDIA_JSON || (body->media == TQA_MEDIA_NONE && first == '{');
}

bool tqa_call_feed(tqa_call *call, const char *bytes, size_t n)
{
    assert(call != NULL && call->problem.status == 0);
    if (n == 0) {
        return true;
    }
    call->n_fed += n;
    if (call->n_fed > call->operation->body_max) {
        (void)tqa_problem_set(&call->problem, "too-large", "the body may have %llu bytes at most",
                              (unsigned long long)call->operation->body_max);
        return false;
    }
    if (n == call->n_body) {
        if (call->digest.has_state) { /* a query precedes the body */
            tqa_digest_feed(&call->digest, bytes, n);
        } else {
            tqa_digest_whole(&call->digest, bytes, n);
        }
        call->is_read_whole = call->tree == NULL && takes_json(&call->body, bytes[0]) &&
                              tqa_fast_path_take(&call->request, bytes, n);
        if (call->is_read_whole) {
            return true;
        }
    } else {
        tqa_digest_feed(&call->digest, bytes, n);
    }
    return tqa_body_feed(&call->body, bytes, n);
}

bool tqa_call_inflates(const tqa_call *call, char first)
{
    const tqa_media media = call->body.media;
    return media == TQA_MEDIA_NPZ || (media == TQA_MEDIA_NONE && first == 'P');
}

bool tqa_call_finish(tqa_call *call)
{
    assert(call != NULL && call->problem.status == 0);
    const bool is_text = call->body.media == TQA_MEDIA_NONE || call->body.media == TQA_MEDIA_JSON;
    if (call->n_fed == 0 && is_text && !tqa_call_feed(call, "{}", 2)) { /* no fields at all */
        return false;
    }
    if (call->n_fed == 0) {
        (void)tqa_problem_set(&call->problem, "malformed", "the body is empty");
        tqa_problem_fault(&call->problem, "",
                          "send the fields of the request, such as {\"q\": [...]}",
                          "the body is empty");
        return false;
    }
    if (call->tree != NULL) {
        return tqa_tree_finish(call);
    }
    const bool is_good = call->is_read_whole
                             ? tqa_fast_path_finish(&call->request)
                             : tqa_body_finish(&call->body) && tqa_request_finish(&call->request);
    const tqa_operation_methods *methods = call->operation->methods;
    if (!is_good || (methods->check != NULL && !methods->check(call))) {
        return false;
    }
    if (call->accept == TQA_MEDIA_NPY && call->request.include != 0) {
        (void)tqa_problem_set(&call->problem, "not-acceptable",
                              "an NPY file has room for one array: leave out \"include\", or "
                              "accept application/json, application/cbor or application/x-npz");
        return false;
    }
    return true;
}

double tqa_call_cost_us(const tqa_call *call)
{
    const tqa_operation_methods *methods = call->operation->methods;
    return call->tree != NULL ? methods->tree->cost_us(call->tree) : methods->cost_us(call);
}

size_t tqa_call_scratch_size(const tqa_call *call)
{
    return call->tree != NULL ? 0 : call->operation->methods->scratch_size(call);
}

/* Where the answer is not sent as the result writes it */
static bool make_archive(tqa_call *call)
{
    if (call->accept == TQA_MEDIA_SVG) {
        call->archive = tqa_picture_of_call(call, &call->problem);
    } else if (call->accept == TQA_MEDIA_NPZ || call->accept == TQA_MEDIA_CSV) {
        call->archive = tqa_archive_of_result(&call->result, call->accept, &call->problem);
    } else {
        return true;
    }
    return call->archive != NULL;
}

bool tqa_call_run(tqa_call *call, const tqa_host *host, void *scratch, size_t scratch_size)
{
    assert(call != NULL && call->problem.status == 0);
    assert(scratch_size >= tqa_call_scratch_size(call));
    if (call->tree != NULL) {
        return tqa_tree_run(call, host);
    }
    if (call->request.from != NULL && !tqa_from_read(&call->request, host)) {
        return false;
    }
    call->host = host;
    tqa_result_init(&call->result, call->accept == TQA_MEDIA_SVG ? TQA_MEDIA_JSON : call->accept,
                    call->request.n_sample, call->request.flat);
    if (!call->operation->methods->run(call, host, scratch, scratch_size)) {
        return false;
    }
    if (!tqa_notes_end(call)) {
        return false;
    }
    char digest[TQA_REQUEST_DIGEST_TEXT];
    tqa_digest_text(&call->digest, digest);
    const tqa_provenance provenance = {.robot_digest = call->robot->digest,
                                       .request_digest = digest,
                                       .linear_algebra = tqa_linear_algebra_of(call)};
    tqa_result_provenance(&call->result, &provenance);
    if (!make_archive(call)) {
        return false;
    }
    if (call->request.n_sample > TQ_BLOCK_PAD && !call->tau.uses_spares) {
        tqa_request_drop_samples(&call->request); /* the answer may take their memory */
    }
    return true;
}

const char *tqa_call_media(const tqa_call *call)
{
    return call->accept == TQA_MEDIA_CBOR  ? "application/cbor"
           : call->accept == TQA_MEDIA_NPY ? "application/x-npy"
           : call->accept == TQA_MEDIA_NPZ ? "application/x-npz"
           : call->accept == TQA_MEDIA_CSV ? "text/csv"
           : call->accept == TQA_MEDIA_SVG ? "image/svg+xml"
                                           : "application/json";
}

uint64_t tqa_call_length(const tqa_call *call)
{
    assert(call != NULL && call->problem.status == 0);
    return call->tree != NULL || call->archive != NULL ? 0 : tqa_result_length(&call->result);
}

size_t tqa_call_read(tqa_call *call, char *out, size_t size)
{
    assert(call != NULL && call->problem.status == 0);
    return call->archive != NULL ? tqa_archive_read(call->archive, out, size)
           : call->tree != NULL  ? tqa_tree_read(call, out, size)
                                 : tqa_result_read(&call->result, out, size);
}

const char *tqa_call_look(tqa_call *call, size_t *ret_n)
{
    return call->archive == NULL && call->tree == NULL ? tqa_result_look(&call->result, ret_n)
                                                       : NULL;
}

const tqa_problem *tqa_call_problem(const tqa_call *call)
{
    return &call->problem;
}

void tqa_call_close(tqa_call *call)
{
    if (call == NULL) {
        return;
    }
    tqa_archive_close(call->archive);
    tqa_body_clear(&call->body);
    if (call->tree != NULL) {
        tqa_tree_close(call);
    } else {
        tqa_request_clear(&call->request);
        tqa_from_free(call->request.from);
        tqa_blocks_clear(&call->tau);
        tqa_blocks_clear(&call->reactions);
        tqa_blocks_clear(&call->multipliers);
        tqa_blocks_clear(&call->missing);
        tqa_blocks_clear(&call->terms);
    }
    for (size_t t = 0; t < call->n_kept; t++) {
        free(call->kept[t]);
    }
    free(call->kept);
    if (call->n_note > 0) {
        size_t ignored = 0;
        free(tqa_json_text_take(&call->notes.text, &ignored));
    }
    free(call->own_mechanism);
    free(call->ahead.states);
    free(call->text);
    if (!call->is_borrowed) {
        free(call);
    }
}
