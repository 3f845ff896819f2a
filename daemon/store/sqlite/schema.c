/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/store/sqlite/schema.c - migration of a database to the present schema, and its copies. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "daemon/store/folder.h"
#include "daemon/store/sqlite/job_row.h"
#include "daemon/store/store.h"

static bool read_number(sqlite3 *db, const char *pragma, int *ret)
{
    sqlite3_stmt *statement = NULL;
    bool good = sqlite3_prepare_v2(db, pragma, -1, &statement, NULL) == SQLITE_OK &&
                sqlite3_step(statement) == SQLITE_ROW;
    *ret = good ? sqlite3_column_int(statement, 0) : 0;
    sqlite3_finalize(statement);
    return good;
}

bool tqd_sqlite_version(sqlite3 *db, int *ret)
{
    return read_number(db, "PRAGMA user_version", ret);
}

static bool sync_file(const char *path)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        return false;
    }
    const bool good = fsync(fd) == 0;
    close(fd);
    return good;
}

/* copies all pages into a fresh file; the result code of SQLite */
static int copy_pages(sqlite3 *db, const char *path)
{
    sqlite3 *copy = NULL;
    int code = sqlite3_open_v2(path, &copy, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, NULL);
    if (code == SQLITE_OK) {
        sqlite3_backup *backup = sqlite3_backup_init(copy, "main", db, "main");
        if (backup == NULL) {
            code = sqlite3_errcode(copy);
        } else {
            do {
                code = sqlite3_backup_step(backup, -1);
            } while (code == SQLITE_BUSY || code == SQLITE_LOCKED);
            const int finished = sqlite3_backup_finish(backup);
            code = code == SQLITE_DONE ? finished : code;
        }
    }
    sqlite3_close(copy);
    return code;
}

tqd_store_status tqd_sqlite_copy(sqlite3 *db, const char *path)
{
    char part[PATH_MAX];
    char folder[PATH_MAX];
    const int n = snprintf(part, sizeof part, "%s.part", path);
    if (n < 0 || (size_t)n >= sizeof part) {
        return TQD_STORE_BROKEN;
    }
    snprintf(folder, sizeof folder, "%s", path);
    char *slash = strrchr(folder, '/');
    if (slash == NULL) {
        snprintf(folder, sizeof folder, ".");
    } else {
        slash[slash == folder ? 1 : 0] = '\0';
    }
    unlink(part);
    tqd_store_status status = tqd_sqlite_status(NULL, copy_pages(db, part));
    if (status == TQD_STORE_OK &&
        (!sync_file(part) || rename(part, path) != 0 || tqd_folder_sync(folder) != 0)) {
        status = errno == ENOSPC || errno == EDQUOT ? TQD_STORE_NO_SPACE : TQD_STORE_BROKEN;
    }
    if (status != TQD_STORE_OK) {
        unlink(part);
    }
    return status;
}

/* another program's file, or one of a later release, is refused unchanged */
static bool check_identity(sqlite3 *db, int n_step, int *ret_version, char *why)
{
    int application = 0;
    int version = 0;
    int objects = 0;
    if (!read_number(db, "PRAGMA application_id", &application) ||
        !read_number(db, "PRAGMA user_version", &version) ||
        !read_number(db, "SELECT count(*) FROM sqlite_schema", &objects)) {
        snprintf(why, TQD_STORE_WHY, "the database cannot be read: %.150s", sqlite3_errmsg(db));
        return false;
    }
    if (application != TQD_SQLITE_APPLICATION && (application != 0 || objects != 0)) {
        snprintf(why, TQD_STORE_WHY, "the database belongs to another program");
        return false;
    }
    if (version > n_step || version < 0) {
        snprintf(why, TQD_STORE_WHY,
                 "the database has schema %d, this program supports up to %d: use a newer torqued",
                 version, n_step);
        return false;
    }
    *ret_version = version;
    return true;
}

static bool run_step(sqlite3 *db, const char *step, int version)
{
    char end[128];
    snprintf(end, sizeof end, "PRAGMA application_id=%d; PRAGMA user_version=%d; COMMIT;",
             (int)TQD_SQLITE_APPLICATION, version);
    const bool good = sqlite3_exec(db, "BEGIN IMMEDIATE", NULL, NULL, NULL) == SQLITE_OK &&
                      sqlite3_exec(db, step, NULL, NULL, NULL) == SQLITE_OK &&
                      sqlite3_exec(db, end, NULL, NULL, NULL) == SQLITE_OK;
    return good;
}

bool tqd_sqlite_migrate(tqd_connection *connection, const tqd_schema *schema, const char *folder,
                        char *why)
{
    sqlite3 *db = connection->db;
    int version = 0;
    if (!check_identity(db, schema->n_step, &version, why)) {
        return false;
    }
    if (version > 0 && version < schema->n_step) {
        char path[PATH_MAX];
        snprintf(path, sizeof path, "%s/torqued-schema%d.db", folder, version);
        const tqd_store_status status = tqd_sqlite_copy(db, path);
        if (status != TQD_STORE_OK) {
            snprintf(why, TQD_STORE_WHY, "no snapshot before the migration: %.150s",
                     tqd_store_status_text(status));
            return false;
        }
    }
    for (; version < schema->n_step; version++) {
        if (!run_step(db, schema->steps[version], version + 1)) {
            snprintf(why, TQD_STORE_WHY, "migration to schema %d: %.150s", version + 1,
                     sqlite3_errmsg(db));
            sqlite3_exec(db, "ROLLBACK", NULL, NULL, NULL);
            return false;
        }
    }
    return true;
}
