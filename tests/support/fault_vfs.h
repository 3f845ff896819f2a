/* SPDX-License-Identifier: Apache-2.0 */
/* tests/support/fault_vfs.h - SQLite on a disk that fails on request. */
#ifndef TEST_SUPPORT_FAULT_VFS_H
#define TEST_SUPPORT_FAULT_VFS_H

/* Becomes the default for every database opened from now on. Fails nothing yet. */
void tqt_fault_vfs_use(void);

/* Lets `good` writes and syncs (each counts as one) pass, then answers every further one with
 * `code`, an SQLite result code, until it is called again. good < 0: nothing fails. */
void tqt_fault_after(long good, int code);

/* Failures given since tqt_fault_after. */
long tqt_fault_count(void);

#endif
