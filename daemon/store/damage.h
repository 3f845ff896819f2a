/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/store/damage.h - the list of files that have been found damaged; private to this folder.
 * */
#ifndef TQD_STORE_DAMAGE_H
#define TQD_STORE_DAMAGE_H

#include <sys/stat.h>

#include "daemon/store/file_state.h"

/* Records that a file's contents differ from its digest, or (fd -1) that it is missing: counted,
 * and reported to the operator once, until it is replaced. */
void tqd_damage_note(tqd_file_set *set, const char *digest, int fd);

/* This very file (by inode and times) has been found damaged: no need to read it again. */
bool tqd_damage_known(tqd_file_set *set, const char *digest, const struct stat *facts);

void tqd_damage_clear(tqd_file_set *set);

#endif
