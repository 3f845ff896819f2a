/* SPDX-License-Identifier: Apache-2.0 */
/* tests/support/fault_vfs.c - SQLite on a disk that fails on request. */
#include "tests/support/fault_vfs.h"

#include <sqlite3.h>
#include <stdatomic.h>
#include <string.h>

/* followed by the real file in the same memory */
typedef struct fault_file {
    sqlite3_file base;
    sqlite3_file *real;
} fault_file;

static sqlite3_vfs shim;
static sqlite3_vfs *real_vfs;
static _Atomic long left = -1;
static _Atomic long given;
static _Atomic int answer;

void tqt_fault_after(long good, int code)
{
    answer = code;
    given = 0;
    left = good;
}

long tqt_fault_count(void)
{
    return given;
}

/* the code to fail with, or SQLITE_OK */
static int fault(void)
{
    if (left < 0) {
        return SQLITE_OK;
    }
    if (left > 0) {
        left--;
        return SQLITE_OK;
    }
    given++;
    return answer;
}

static sqlite3_file *real_of(sqlite3_file *file)
{
    return ((fault_file *)file)->real;
}

#define FORWARD(name, parameters, arguments)                                                       \
    static int name parameters                                                                     \
    {                                                                                              \
        return real_of(file)->pMethods->name arguments;                                            \
    }
FORWARD(xRead, (sqlite3_file * file, void *out, int n, sqlite3_int64 at),
        (real_of(file), out, n, at))
FORWARD(xTruncate, (sqlite3_file * file, sqlite3_int64 size), (real_of(file), size))
FORWARD(xFileSize, (sqlite3_file * file, sqlite3_int64 *size), (real_of(file), size))
FORWARD(xLock, (sqlite3_file * file, int kind), (real_of(file), kind))
FORWARD(xUnlock, (sqlite3_file * file, int kind), (real_of(file), kind))
FORWARD(xCheckReservedLock, (sqlite3_file * file, int *out), (real_of(file), out))
FORWARD(xFileControl, (sqlite3_file * file, int op, void *arg), (real_of(file), op, arg))
FORWARD(xSectorSize, (sqlite3_file * file), (real_of(file)))
FORWARD(xDeviceCharacteristics, (sqlite3_file * file), (real_of(file)))
FORWARD(xShmMap, (sqlite3_file * file, int i, int n, int grow, void volatile **out),
        (real_of(file), i, n, grow, out))
FORWARD(xShmLock, (sqlite3_file * file, int offset, int n, int flags),
        (real_of(file), offset, n, flags))
FORWARD(xShmUnmap, (sqlite3_file * file, int drop), (real_of(file), drop))

static void xShmBarrier(sqlite3_file *file)
{
    real_of(file)->pMethods->xShmBarrier(real_of(file));
}

static int xClose(sqlite3_file *file)
{
    return real_of(file)->pMethods->xClose(real_of(file));
}

static int xWrite(sqlite3_file *file, const void *bytes, int n, sqlite3_int64 at)
{
    const int code = fault();
    if (code != SQLITE_OK) {
        /* like a disk that fails in the middle: the first half is written */
        real_of(file)->pMethods->xWrite(real_of(file), bytes, n / 2, at);
        return code == SQLITE_IOERR ? SQLITE_IOERR_WRITE : code;
    }
    return real_of(file)->pMethods->xWrite(real_of(file), bytes, n, at);
}

static int xSync(sqlite3_file *file, int flags)
{
    const int code = fault();
    return code != SQLITE_OK ? SQLITE_IOERR_FSYNC
                             : real_of(file)->pMethods->xSync(real_of(file), flags);
}

static const sqlite3_io_methods methods = {2,
                                           xClose,
                                           xRead,
                                           xWrite,
                                           xTruncate,
                                           xSync,
                                           xFileSize,
                                           xLock,
                                           xUnlock,
                                           xCheckReservedLock,
                                           xFileControl,
                                           xSectorSize,
                                           xDeviceCharacteristics,
                                           xShmMap,
                                           xShmLock,
                                           xShmBarrier,
                                           xShmUnmap,
                                           NULL,
                                           NULL};

static int open_file(sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags, int *out)
{
    (void)vfs;
    fault_file *f = (fault_file *)file;
    f->base.pMethods = NULL;
    f->real = (sqlite3_file *)(f + 1);
    const int code = real_vfs->xOpen(real_vfs, name, f->real, flags, out);
    if (code == SQLITE_OK) {
        f->base.pMethods = &methods;
    }
    return code;
}

void tqt_fault_vfs_use(void)
{
    real_vfs = sqlite3_vfs_find(NULL);
    shim = *real_vfs;
    shim.zName = "fault";
    shim.pNext = NULL;
    shim.szOsFile = (int)sizeof(fault_file) + real_vfs->szOsFile;
    shim.xOpen = open_file;
    sqlite3_vfs_register(&shim, 1);
}
