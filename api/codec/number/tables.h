/* SPDX-License-Identifier: Apache-2.0 */
/* api/codec/number/tables.h - powers of ten to 128 bits, shared by scanning and printing. */
#ifndef TQA_CODEC_NUMBER_TABLES_H
#define TQA_CODEC_NUMBER_TABLES_H

#include <stdint.h>

enum {
    TQA_POWER_LOWEST = -342,
    TQA_POWER_HIGHEST = 324,
    TQA_POWER_COUNT = TQA_POWER_HIGHEST - TQA_POWER_LOWEST + 1,
    /* 10^q fits into the 128 bits exactly for 0 <= q <= 55 */
    TQA_POWER_EXACT = 55,
};

/* Row q - TQA_POWER_LOWEST: the leading 128 bits of 10^q, rounded down; [0] the high word. */
extern const uint64_t tqa_number_powers[TQA_POWER_COUNT][2];

#endif
