/* SPDX-License-Identifier: Apache-2.0 */
/* tests/support/fault_vfs.h - SQLite on a disk that fails on request. */
#ifndef TEST_SUPPORT_FAULT_VFS_H
#define TEST_SUPPORT_FAULT_VFS_H

/* Becomes the default VFS for every database opened from now on; at first nothing fails. */
void tqt_fault_vfs_use(void);

/* After `good` writes and syncs (each counts as one), every further one fails with `code`, an
 * SQLite result code, until the next call. good < 0: nothing fails. */
void tqt_fault_after(long good, int code);

/* Number of failures since tqt_fault_after. */
long tqt_fault_count(void);

#endif
