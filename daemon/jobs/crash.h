/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/jobs/crash.h - records which job was running in the thread whose fault ended the process.
 */
#ifndef TQD_JOBS_CRASH_H
#define TQD_JOBS_CRASH_H

#include "daemon/store/jobs.h"

/* Reads the note of a former process in the state folder, "" if there is none. The note stays. */
void tqd_crash_read(const char *state, char ret_id[TQD_JOB_ID_TEXT]);

/* Empties the note, and installs the handler of fatal signals that writes it. Called once, by the
 * keeper at start. False when the folder is not writable. */
bool tqd_crash_arm(const char *state);

/* Sets the job that this thread works on; borrowed until the next call; NULL: none. */
void tqd_crash_set_job(const char *id);
const char *tqd_crash_job(void);

#endif
