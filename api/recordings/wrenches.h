/* SPDX-License-Identifier: Apache-2.0 */
/* api/recordings/wrenches.h - recorded external wrenches: their generalised forces are added to the
 * torque of each row. */
#ifndef TQA_RECORDINGS_WRENCHES_H
#define TQA_RECORDINGS_WRENCHES_H

#include "api/recordings/parts.h"

/* Torque of a recording becomes tau + J^T w, w the wrenches that the request names columns of: what
 * is left for the robot's own parameters. All other recordings pass without effect. */

/* `external_wrenches` of a request. False: the problem is set. */
bool tqa_wrench_columns_read(const tqa_value *object, tqa_recording_request *inout);
/* Their columns in a recording's table. False: the problem is set. */
bool tqa_wrench_columns_find(tqa_recording *recording, const tqa_recording_source *source);

/* False: the problem is set. Close it either way. */
bool tqa_wrench_rows_open(tqa_recording_rows *rows);
void tqa_wrench_rows_close(tqa_recording_rows *rows);
/* Wrenches of n rows of the table from n_run on, `pitch` numbers apart. */
void tqa_wrench_rows_convert(tqa_recording_rows *rows, const double *cells, size_t n, size_t pitch);
/* Adds their forces to the torque of the run. False: the problem is set. */
bool tqa_wrench_rows_add(const tqa_recording_rows *rows);

#endif
