/* SPDX-License-Identifier: Apache-2.0 */
/* api/recordings/logs.h - several recordings of one request: read, surveyed, checked. */
#ifndef TQA_RECORDINGS_LOGS_H
#define TQA_RECORDINGS_LOGS_H

#include "api/recordings/recording.h"

/* Reads the recordings of an array, from element 0 into ret[0] on; `known`: members of those that
 * are objects, ends with NULL. False: the problem is set. */
bool tqa_logs_read(const tqa_recording_request *request, const tqa_value *array, size_t n,
                   const char *const *known, tqa_recording *ret);

/* True: both name rows that are the same. */
bool tqa_recordings_overlap(const tqa_recording *a, const tqa_recording *b);
/* Refuses rows of logs[i] that an earlier log has: repeated rows make intervals too narrow. */
bool tqa_logs_are_news(const tqa_recording *logs, size_t i);

/* Surveys n recordings, rests on brakes, filter and decimation of all. False: the problem is set.
 */
bool tqa_logs_survey(tqa_recording_request *request, tqa_recording *logs, size_t n);
/* Approximate number of samples of a pass over a surveyed recording, and their period, s. */
size_t tqa_log_expected(const tqa_recording *log, double *ret_period);

/* The problem of a recording that the last pass left without samples; else true. */
bool tqa_recording_has_samples(const tqa_recording *log);

#endif
