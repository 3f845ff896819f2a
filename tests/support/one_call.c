/* SPDX-License-Identifier: Apache-2.0 */
/* tests/support/one_call.c - the daemon's part of one call. */
#include "tests/support/one_call.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* A parallel_for that runs blocks one after another, in either order, each with fresh scratch. */
static void parallel_for(void *ctx, size_t n, size_t scratch_size,
                         void (*body)(void *arg, size_t i, void *scratch), void *arg)
{
    const bool *backwards = ctx;
    for (size_t k = 0; k < n; k++) {
        void *scratch = aligned_alloc(64, (scratch_size + 64) / 64 * 64);
        assert(scratch != NULL);
        body(arg, *backwards ? n - 1 - k : k, scratch);
        free(scratch);
    }
}

static void compute_ahead(tqa_call *call, size_t first, size_t n)
{
    const size_t size = tqa_call_compute_early_scratch_size(call);
    void *scratch = aligned_alloc(64, (size + 64) / 64 * 64);
    assert(scratch != NULL);
    while (n-- > first) {
        tqa_call_compute_early(call, n, scratch, size);
    }
    free(scratch);
}

static bool feed(tqa_call *call, const char *body, size_t n, const tqt_call_options *options,
                 size_t *ret_ready)
{
    for (size_t at = 0; at < n;) {
        size_t piece = options->step > 0 ? options->step : n - at;
        if (options->step == 0 && at < options->cut && options->cut < n) {
            piece = options->cut - at;
        }
        piece = piece < n - at ? piece : n - at;
        char *copy = malloc(piece);
        assert(copy != NULL);
        memcpy(copy, body + at, piece);
        const bool accepted = tqa_call_feed(call, copy, piece);
        free(copy);
        if (!accepted) {
            return false;
        }
        at += piece;
        if (options->ahead || options->idle) {
            const size_t before = *ret_ready;
            *ret_ready = tqa_call_ready(call);
            compute_ahead(call, before == 0 && options->idle ? 1 : before, *ret_ready);
        }
    }
    return tqa_call_finish(call);
}

static bool run(tqa_call *call, const tqt_call_options *options)
{
    bool backwards = options->backwards;
    const tqa_host own = {.ctx = &backwards, .parallel_for = parallel_for};
    const tqa_host *host = options->host != NULL ? options->host : &own;
    const size_t size = tqa_call_scratch_size(call);
    void *scratch = aligned_alloc(64, (size + 64) / 64 * 64);
    assert(scratch != NULL);
    const bool done = tqa_call_run(call, host, scratch, size);
    free(scratch);
    return done;
}

static void append(tqt_answer *answer, const char *bytes, size_t n)
{
    answer->text = realloc(answer->text, answer->n + n + 1);
    assert(answer->text != NULL);
    memcpy(answer->text + answer->n, bytes, n);
    answer->n += n;
    answer->text[answer->n] = '\0';
}

static void look(tqa_call *call, tqt_answer *answer)
{
    size_t n = 0;
    for (const char *bytes; (bytes = tqa_call_look(call, &n)) != NULL;) {
        assert(n > 0);
        append(answer, bytes, n);
        answer->n_looked += n;
    }
}

static void read_all(tqa_call *call, tqt_answer *answer, const tqt_call_options *options)
{
    const size_t room = options->room > 0 ? options->room : 65536;
    char *piece = malloc(room);
    const uint64_t length = tqa_call_length(call);
    assert(piece != NULL);
    for (size_t n; (n = tqa_call_read(call, piece, room)) > 0;) {
        assert(n <= room);
        append(answer, piece, n);
        if (options->look) {
            look(call, answer);
        }
    }
    assert(length == 0 || length == answer->n);
    free(piece);
}

tqt_answer tqt_call(const tqa_robot *robot, const char *body, size_t n, tqt_call_options options)
{
    static bool started;
    if (!started) {
        started = tqa_start(0) == NULL;
        assert(started);
    }
    const char *name = options.operation != NULL ? options.operation : "inverse-dynamics";
    const tqa_operation *operation = tqa_operation_find(name, strlen(name), robot != NULL);
    assert(operation != NULL);
    const tqa_call_head head = {
        .content = options.content,
        .accept = options.accept,
        .query = options.query,
        .request_id = "test",
        .content_length = options.step == 0 && options.cut == 0 ? n : UINT64_MAX,
    };
    tqt_answer answer = {.status = 200};
    tqa_call *call = tqa_call_open(operation, robot, &head, &answer.problem);
    if (call == NULL) {
        answer.status = answer.problem.status;
        return answer;
    }
    if (feed(call, body, n, &options, &answer.n_ready) && tqa_call_cost_us(call) > 0.0 &&
        run(call, &options)) {
        read_all(call, &answer, &options);
    } else {
        answer.problem = *tqa_call_problem(call);
        answer.status = answer.problem.status;
        assert(answer.status >= 400);
    }
    tqa_call_close(call);
    return answer;
}

void tqt_answer_clear(tqt_answer *answer)
{
    free(answer->text);
    *answer = (tqt_answer){0};
}

static tqa_robot *parsed(tqa_media media, const char *bytes, size_t n)
{
    tqa_problem problem;
    tqa_robot *robot = tqa_robot_parse(media, bytes, n, &problem);
    assert(robot != NULL);
    return robot;
}

tqa_robot *tqt_urdf(const char *text)
{
    return parsed(TQA_MEDIA_XML, text, strlen(text));
}

tqa_robot *tqt_builtin(const char *name)
{
    for (size_t i = 0; i < tqa_builtin_count(); i++) {
        if (strcmp(tqa_builtin_name(i), name) == 0) {
            size_t n = 0;
            tqa_media media = TQA_MEDIA_NONE;
            const char *bytes = tqa_builtin_bytes(i, &n, &media);
            return parsed(media, bytes, n);
        }
    }
    assert(0 && "there is no built-in robot of this name");
    return NULL;
}
