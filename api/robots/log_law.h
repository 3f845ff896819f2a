/* SPDX-License-Identifier: Apache-2.0 */
/* api/robots/log_law.h - names of the numbers of a joint's law along recorded motion, in all
 * formats that have it. */
#ifndef TQA_ROBOTS_LOG_LAW_H
#define TQA_ROBOTS_LOG_LAW_H

#include "core/model/model.h"

#define TQA_LOG_LAW "along_log" /* the field of a joint, and torqued: element, that has them */

enum { TQA_LOG_LAW_NUMBERS = 13 };

/* (TQA_LOG_LAW_NUMBERS), NULL after the last */
extern const char *const tqa_log_law_names[TQA_LOG_LAW_NUMBERS + 1];

/* The number of each name. */
void tqa_log_law_numbers(tq_log_law *law, double *ret_numbers[TQA_LOG_LAW_NUMBERS]);

#endif
