/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/jobs/crash.h - which job was running in the thread that ended the process. */
#ifndef TQD_JOBS_CRASH_H
#define TQD_JOBS_CRASH_H

#include "daemon/store/jobs.h"

/* Reads and forgets nothing yet: the note that a former process has left in the state folder, ""
 * if there is none. */
void tqd_crash_read(const char *state, char ret_id[TQD_JOB_ID_TEXT]);

/* Empties the note, and lets the signals of a fatal fault write it from now on. Once, by the keeper
 * at start. False when the folder refuses. */
bool tqd_crash_arm(const char *state);

/* What this thread works on, borrowed until the next call; NULL: no job. */
void tqd_crash_blame(const char *id);
const char *tqd_crash_blamed(void);

#endif
