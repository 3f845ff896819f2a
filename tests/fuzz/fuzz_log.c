/* SPDX-License-Identifier: Apache-2.0 */
/* tests/fuzz/fuzz_log.c - any bytes as a log of the pendulum, the first one choosing what is asked:
 * torques along it or a calibration; finite numbers or a problem. */
#include <jansson.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/fuzzed.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* a world with one dataset: the input */
typedef struct bytes {
    const uint8_t *data;
    size_t size;
} bytes;

static int look(void *ctx, const char *name, tqa_source *ret)
{
    (void)name;
    *ret = (tqa_source){.media = "text/csv", .size = ((const bytes *)ctx)->size};
    return 0;
}

static long read_bytes(void *ctx, const char *name, uint64_t offset, void *to, size_t n)
{
    const bytes *b = ctx;
    (void)name;
    if (offset >= b->size) {
        return 0;
    }
    const size_t left = b->size - (size_t)offset;
    n = n < left ? n : left;
    memcpy(to, b->data + offset, n);
    return (long)n;
}

static const struct {
    const char *operation, *body;
} asked[] = {
    {"inverse-dynamics", "{\"from\":{\"dataset\":\"d\"}}"},
    {"inverse-dynamics",
     "{\"from\":{\"dataset\":\"d\",\"rate_hz\":100,\"columns\":{\"q\":0,\"tau\":1},"
     "\"filter\":{\"kind\":\"none\"}}}"},
    {"inverse-dynamics",
     "{\"from\":{\"dataset\":\"d\",\"columns\":{\"time\":0,\"q\":1},\"units\":"
     "{\"time\":\"ms\",\"q\":\"deg\"},\"filter\":{\"kind\":\"savitzky-golay\"}}}"},
    {"inverse-dynamics",
     "{\"from\":{\"dataset\":\"d\",\"columns\":{\"time\":[0,1],\"q\":2},\"rows\":"
     "[[3,40],[50,900]],\"filter\":{\"kind\":\"first-order\",\"tau_f_s\":0.02}}}"},
    {"inverse-dynamics", "{\"from\":{\"dataset\":\"d\",\"columns\":{\"preset\":\"plain\"}}}"},
    {"calibrate", "{\"datasets\":[\"d\"],\"columns\":{\"time\":0,\"q\":1,\"tau\":2},\"units\":"
                  "{\"time\":\"s\",\"q\":\"rad\"}}"},
};
enum { N_ASKED = sizeof asked / sizeof asked[0] };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static tqa_robot *robot;
    if (robot == NULL) {
        robot = tqt_builtin("pendulum");
    }
    if (size == 0) {
        return 0;
    }
    bytes input = {data + 1, size - 1};
    const tqa_host host = {.ctx = &input, .dataset_look = look, .dataset_read = read_bytes};
    const size_t k = data[0] % N_ASKED;
    const tqt_call_options options = {.operation = asked[k].operation, .host = &host};
    tqt_answer answer = tqt_call(robot, asked[k].body, strlen(asked[k].body), options);
    /* 413: more samples than the memory of a call */
    tqt_must(answer.status == 200 || (answer.status >= 400 && answer.status < 500));
    if (answer.status == 200) {
        json_t *root = json_loadb(answer.text, answer.n, JSON_REJECT_DUPLICATES, NULL);
        tqt_must(json_is_object(root)); /* so no NaN */
        json_decref(root);
    }
    tqt_answer_clear(&answer);
    return 0;
}
