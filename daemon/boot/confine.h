/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/boot/confine.h - what this process can do while it serves: Landlock for files and TCP,
 * seccomp for system calls. */
#ifndef TQD_BOOT_CONFINE_H
#define TQD_BOOT_CONFINE_H

#include <stdbool.h>
#include <stddef.h>

enum { TQD_CONFINE_READ = 4, TQD_CONFINED_TEXT = 96 };

typedef struct tqd_confinement {
    const char *state;  /* a folder: everything but execution and special files */
    const char *socket; /* a Unix socket that is unlinked at the end; NULL: none */
    const char *readable[TQD_CONFINE_READ]; /* files that a reload reads; NULL: none. Their folders
                                             * are readable, since an editor replaces a file */
    bool connects; /* the store connects to a server: TCP connections and their sockets */
} tqd_confinement;

/* Confines the calling thread and all later ones, for ever: to be called before any is created.
 * Kernels that lack one of the two, or part of it, are given what they have: `ret_text` says what
 * is in force ("landlock 7, seccomp"; "none: ..."). True if both are. */
bool tqd_confine(const tqd_confinement *of, char ret_text[TQD_CONFINED_TEXT]);

#endif
