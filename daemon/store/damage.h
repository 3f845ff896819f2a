/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/store/damage.h - which files are known to be damaged; private to this folder. */
#ifndef TQD_STORE_DAMAGE_H
#define TQD_STORE_DAMAGE_H

#include <sys/stat.h>

#include "daemon/store/file_set.h"

/* The bytes of a file are not those of its name, or (fd -1) it is not there: counted and told to
 * the operator once, until it is another file. */
void tqd_damage_note(tqd_file_set *set, const char *digest, int fd);

/* This very file has been found damaged: it need not be read once more. */
bool tqd_damage_known(tqd_file_set *set, const char *digest, const struct stat *facts);

void tqd_damage_clear(tqd_file_set *set);

#endif
