/* SPDX-License-Identifier: Apache-2.0 */
/* api/codec/json/print.h - streams an array as JSON into buffers of given size. */
#ifndef TQA_CODEC_JSON_PRINT_H
#define TQA_CODEC_JSON_PRINT_H

#include <stddef.h>
#include <stdint.h>

#include "api/codec/element.h"

/* Prints the inside of the array's outermost brackets from *index on while there is room; moves
 * *index and returns the bytes written. *index counts values, or the rows of an array without
 * values; at tqa_json_array_steps all is printed. All values are finite. */
size_t tqa_json_print_array(const tqa_array *array, uint64_t *index, char *out, size_t size);
uint64_t tqa_json_array_steps(const tqa_array *array);

#endif
