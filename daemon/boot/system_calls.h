/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/boot/system_calls.h - the system calls of a process that serves. */
#ifndef TQD_BOOT_SYSTEM_CALLS_H
#define TQD_BOOT_SYSTEM_CALLS_H

#include <stdbool.h>

/* Installs a seccomp filter for all threads: calls that are not listed fail with ENOSYS. With
 * `connects` sockets of the Internet families can be made. 0, or the errno of the refusal. */
int tqd_system_calls_restrict(bool connects);

#endif
