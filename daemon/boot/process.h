/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/boot/process.h - process-wide preparation, and the main thread's wait for signals. */
#ifndef TQD_BOOT_PROCESS_H
#define TQD_BOOT_PROCESS_H

#include <stdbool.h>
#include <stddef.h>

#include "daemon/boot/settings.h"

enum { TQD_STATE_DIR_TEXT = 1024 };

/* The state folder by the rules of --state-dir. False: none can be determined. */
bool tqd_state_dir(const tqd_settings *settings, char *ret_path, size_t size);

/* Two daemons of one host, or of two containers with one host name, are two nodes: the state folder
 * is locked by one process; a hash of its path (FNV-1a) distinguishes them across restarts. NULL:
 * there is one node. Valid until the next call. */
const char *tqd_node_name(const tqd_settings *settings, const char *state_dir);

/* Resolves settings of 0: workers and I/O threads by the cores this process may use. False with
 * `why` if the limit of open files is too low to serve. */
bool tqd_settings_resolve(tqd_settings *settings, char why[TQD_SETTING_WHY]);

/* umask 077; SIGPIPE and SIGXFSZ ignored; SIGTERM, SIGINT and SIGHUP blocked for all later threads;
 * RLIMIT_NOFILE raised to its hard limit. */
void tqd_process_prepare(void);

/* Waits for SIGTERM, SIGINT or the hang-up of the controlling terminal; returns the signal.
 * Meanwhile calls `pulse(ctx)` four times in each period of systemd's watchdog, if there is one,
 * and `reload` at any other SIGHUP. */
int tqd_process_wait(void (*pulse)(void *ctx), void *ctx, void (*reload)(void));

#endif
