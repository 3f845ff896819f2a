/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/boot/confine.h - what this process can do while it serves: Landlock for files and TCP,
 * seccomp for system calls. */
#ifndef TQD_BOOT_CONFINE_H
#define TQD_BOOT_CONFINE_H

#include <stdbool.h>
#include <stddef.h>

enum { TQD_CONFINE_READ = 4, TQD_CONFINED_TEXT = 96 };

typedef struct tqd_confinement {
    const char *state;  /* a folder: all access except execution and special files */
    const char *socket; /* a Unix socket that is unlinked at the end; NULL: none */
    const char *readable[TQD_CONFINE_READ]; /* files that a reload reads; NULL: none. Their folders
                                             * are readable, since an editor replaces a file */
    bool connects; /* the store connects to a server: TCP connections and their sockets */
} tqd_confinement;

/* Confines the calling thread and all threads it creates, permanently: to be called before any is
 * created. On kernels that lack one of the two mechanisms, or a part, the available part is
 * applied; `ret_text` describes it ("landlock 7, seccomp"; "none: ..."). True if both were applied
 * completely. */
bool tqd_confine(const tqd_confinement *of, char ret_text[TQD_CONFINED_TEXT]);

#endif
