/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/api/operations/test_excitation.c - checkpoints of a search for an excitation. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <stdlib.h>
#include <string.h>

#include "api/host.h"
#include "tests/support/one_call.h"

static const char body[] = "{\"tries\":40,\"harmonics\":2,\"seed\":3}";

/* A host that keeps the last checkpoint and cancels from a chosen call of `cancelled` on. */
typedef struct keeper {
    unsigned char *bytes;
    size_t n, saves, loads;
    size_t asked, stop_at; /* calls of `cancelled`; the first that returns true, 0: never */
    bool is_due;
} keeper;

static int save(void *ctx, const void *bytes, size_t n)
{
    keeper *k = ctx;
    k->bytes = realloc(k->bytes, n);
    memcpy(k->bytes, bytes, n);
    k->n = n;
    k->saves++;
    return 0;
}

static size_t load(void *ctx, void *bytes, size_t size)
{
    keeper *k = ctx;
    k->loads++;
    if (k->n == 0 || k->n > size) {
        return 0;
    }
    memcpy(bytes, k->bytes, k->n);
    return k->n;
}

static bool due(void *ctx)
{
    return ((const keeper *)ctx)->is_due;
}

static bool cancelled(void *ctx)
{
    keeper *k = ctx;
    k->asked++;
    return k->stop_at > 0 && k->asked >= k->stop_at;
}

static tqt_answer run(keeper *k)
{
    const tqa_host host = {.ctx = k,
                           .cancelled = cancelled,
                           .checkpoint_save = save,
                           .checkpoint_load = load,
                           .checkpoint_due = due};
    tqa_robot *robot = tqt_builtin("planar-2r");
    const tqt_answer answer = tqt_call(
        robot, body, strlen(body), (tqt_call_options){.operation = "excitation", .host = &host});
    tqa_robot_free(robot);
    return answer;
}

Test(excitation, stopped_at_any_try_it_resumes_to_the_same_text)
{
    keeper never = {0};
    tqt_answer want = run(&never);
    cr_assert(eq(int, want.status, 200), "%s", want.problem.detail);
    cr_assert(eq(sz, never.saves, 0));
    size_t resumed = 0;
    for (size_t stop = 2; stop < never.asked; stop += 3) {
        keeper k = {.is_due = true, .stop_at = stop};
        tqt_answer stopped = run(&k);
        cr_assert(eq(int, stopped.status, 503), "%zu", stop);
        const bool saved = k.saves > 0;
        k.asked = 0, k.stop_at = 0;
        tqt_answer got = run(&k);
        cr_assert(eq(str, got.text, want.text), "stopped at %zu", stop);
        cr_assert(saved == false || k.asked < never.asked, "stopped at %zu: began anew", stop);
        resumed += saved;
        free(k.bytes);
        tqt_answer_clear(&stopped);
        tqt_answer_clear(&got);
    }
    cr_assert(ge(sz, resumed, 10)); /* of 39 tries, every third */
    tqt_answer_clear(&want);
}

Test(excitation, a_checkpoint_of_something_else_is_not_used)
{
    keeper never = {0};
    tqt_answer want = run(&never);
    unsigned char zeros[64] = {0};
    keeper k = {.bytes = zeros, .n = sizeof zeros};
    tqt_answer got = run(&k);
    cr_assert(eq(sz, k.loads, 1));
    cr_assert(eq(sz, k.asked, never.asked));
    cr_assert(eq(str, got.text, want.text));
    tqt_answer_clear(&want);
    tqt_answer_clear(&got);
}
