/* SPDX-License-Identifier: Apache-2.0 */
/* tests/long/number.c - scanning and printing against strtod over many random values.
 * Usage: number [COUNT [SEED]]; COUNT values of each cheap kind, fewer of the dear ones. */
#include <stdio.h>
#include <stdlib.h>

#include "tests/support/number_text.h"

static const struct {
    const char *name;
    number_kind kind;
    uint64_t divisor; /* these texts are long: fewer of them */
} scans[] = {
    {"random bits", NUMBER_BITS, 4},        {"robot decimals", NUMBER_ROBOT, 4},
    {"any decimals", NUMBER_DECIMAL, 4},    {"subnormals", NUMBER_SUBNORMAL, 8},
    {"halfway cases", NUMBER_HALFWAY, 400},
};

int main(int argc, char **argv)
{
    const uint64_t count = argc > 1 ? strtoull(argv[1], NULL, 10) : 100000000;
    uint64_t state = argc > 2 ? strtoull(argv[2], NULL, 10) | 1 : 20240611;
    char text[NUMBER_TEXT_ROOM];
    uint64_t failures = 0;
    for (size_t row = 0; row < sizeof scans / sizeof scans[0]; row++) {
        for (uint64_t i = 0; i < count / scans[row].divisor; i++) {
            const size_t n = number_random_text(&state, scans[row].kind, text);
            if (!number_scan_agrees(text, n) && failures++ < 10) {
                printf("scan differs from strtod: %.*s\n", (int)n, text);
            }
        }
        printf("scanned %-15s %llu\n", scans[row].name,
               (unsigned long long)(count / scans[row].divisor));
        fflush(stdout);
    }
    for (uint64_t i = 0; i < count; i++) {
        const double x = number_random_double(&state);
        if (!number_print_returns(x) && failures++ < 10) {
            printf("print does not return: %a\n", x);
        }
    }
    for (uint64_t i = 0; i < count / 20; i++) {
        const double x = number_random_double(&state);
        if (!number_print_is_shortest(x) && failures++ < 10) {
            printf("print is not the shortest: %a\n", x);
        }
    }
    printf("printed %llu, %llu of them against every shorter text; %llu failures\n",
           (unsigned long long)count, (unsigned long long)(count / 20),
           (unsigned long long)failures);
    return failures == 0 ? 0 : 1;
}
