/* SPDX-License-Identifier: Apache-2.0 */
/* api/recordings/commanded.h - torque of recordings that have none, by the law of their controller
 * (core/signal/commanded). */
#ifndef TQA_RECORDINGS_COMMANDED_H
#define TQA_RECORDINGS_COMMANDED_H

#include "api/recordings/parts.h"

/* Rows of a recording that is_commanded; all others pass without effect. A run of rows is
 * resumed, filled with converted rows, and finished: then its torque is there. The last row of a
 * run waits for the one after it, since rates are central differences where they are not logged. */

/* False: the problem is set. Close it either way. */
bool tqa_commanded_open(tqa_recording_rows *rows);
void tqa_commanded_close(tqa_recording_rows *rows);

/* The row that waits is the first of the run: sets n_run to 1. */
void tqa_commanded_resume(tqa_recording_rows *rows);
/* Commands of n rows from n_run on, `pitch` numbers apart. */
void tqa_commanded_convert(tqa_recording_rows *rows, const double *cells[TQA_RECORDING_QUANTITIES],
                           size_t n, size_t pitch);
/* Torque of the run. `more`: rows may follow, and the last one waits. Rows at a limit of effort are
 * TQ_ROW_SATURATED. False: the problem is set. */
bool tqa_commanded_finish(tqa_recording_rows *rows, bool more);

/* After the survey: the robot follows the commanded motion, and most rows are within the limits.
 * False: the problem is set. */
bool tqa_commanded_check(const tqa_recording *recording);
/* Torque that the controller adds to its law is logged. */
bool tqa_commanded_has_feed_forward(const tqa_recording *recording);
/* Both rates are logged; else the rate of the error is by differences. */
bool tqa_commanded_has_rates(const tqa_recording *recording);

#endif
