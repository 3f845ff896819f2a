/* SPDX-License-Identifier: Apache-2.0 */
/* tests/fuzz/fuzz_number.c - number text of any bytes; what is a number has the bits of strtod. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "api/codec/number/number.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(int truth)
{
    if (!truth) {
        abort();
    }
}

static void print_and_scan(const uint8_t *data)
{
    double x;
    memcpy(&x, data, sizeof x);
    if (!isfinite(x)) {
        return;
    }
    char text[TQA_NUMBER_ROOM];
    const size_t n = (size_t)(tqa_number_print(x, text) - text);
    double back = 0.0;
    require(n <= TQA_NUMBER_TEXT_MAX);
    require(tqa_number_read(text, n, &back) == TQA_NUMBER_OK);
    require(memcmp(&back, &x, sizeof x) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size >= sizeof(double)) {
        print_and_scan(data);
    }
    const char *text = (const char *)data;
    const char *p = text;
    double x = 0.0;
    const tqa_number status = tqa_number_scan(&p, text + size, &x);
    require(p >= text && p <= text + size && (status == TQA_NUMBER_OK || p == text));
    if (status != TQA_NUMBER_OK) {
        return 0;
    }

    /* alone, followed by a NUL, it is the same number to us and to the C library */
    const size_t n = (size_t)(p - text);
    char *copy = malloc(n + 1);
    require(copy != NULL);
    memcpy(copy, text, n);
    copy[n] = '\0';
    char *end = NULL;
    const double expected = strtod(copy, &end);
    double alone = 0.0;
    require(end == copy + n && memcmp(&expected, &x, sizeof x) == 0);
    require(tqa_number_read(copy, n, &alone) == TQA_NUMBER_OK);
    require(memcmp(&alone, &x, sizeof x) == 0);
    free(copy);
    return 0;
}
