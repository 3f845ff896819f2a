/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/store/archive/restore.c - SQLite to PostgreSQL: files, then rows in one transaction. */
#include "daemon/store/archive/restore.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "daemon/store/file_set.h"
#include "daemon/store/files.h"
#include "daemon/store/store.h"
#include "daemon/store/store_private.h"

enum { PIECE = 256 << 10 };

typedef struct copying {
    tqd_store *from, *to;
    char *piece;
    tqd_restored *done;
    char *why;
    bool failed;
} copying;

static tqd_store_status copy_bytes(copying *c, tqd_file *file, uint64_t size, tqd_upload *upload)
{
    tqd_store_status status = TQD_STORE_OK;
    for (uint64_t at = 0; status == TQD_STORE_OK && at < size;) {
        const long n = tqd_file_read(file, at, c->piece, PIECE);
        status = n > 0 ? tqd_upload_append(upload, c->piece, (size_t)n) : tqd_file_status(file);
        status = n <= 0 && status == TQD_STORE_OK ? TQD_STORE_DAMAGED : status;
        at += n > 0 ? (uint64_t)n : 0;
    }
    return status;
}

/* Reads and verifies a file, and stores it under the digest of the bytes read. */
static bool copy_file(void *ctx, const char *digest, uint64_t size)
{
    copying *c = ctx;
    char found[TQD_DIGEST_TEXT] = "";
    uint64_t whole = 0;
    tqd_store_status status = TQD_STORE_OK;
    tqd_file *file = tqd_file_open_sized(c->from, digest, size, &status);
    tqd_upload *upload = file != NULL ? tqd_upload_open(c->to, &status) : NULL;
    if (upload != NULL) {
        status = copy_bytes(c, file, size, upload);
        status = status == TQD_STORE_OK ? tqd_upload_finish(upload, found, &whole) : status;
        status = status == TQD_STORE_OK && strcmp(found, digest) != 0 ? TQD_STORE_DAMAGED : status;
    }
    tqd_upload_close(upload);
    tqd_file_close(file);
    if (status != TQD_STORE_OK) {
        snprintf(c->why, TQD_STORE_WHY, "file %s: %.120s", digest, tqd_store_status_text(status));
        c->failed = true;
        return false;
    }
    c->done->n_file++;
    c->done->n_byte += size;
    return true;
}

/* `copy` is a snapshot of the database, which does not change */
static bool move(copying *c, const char *copy)
{
    tqd_store_status status = tqd_store_snapshot(c->from, copy);
    if (status == TQD_STORE_OK) {
        status = tqd_store_references(c->from, copy, copy_file, c);
    }
    if (status == TQD_STORE_OK && !c->failed) {
        status = c->to->engine->methods->restore(c->to->engine, copy, c->why);
    }
    unlink(copy);
    if (status != TQD_STORE_OK && c->why[0] == '\0') {
        snprintf(c->why, TQD_STORE_WHY, "%s", tqd_store_status_text(status));
    }
    return status == TQD_STORE_OK && !c->failed;
}

bool tqd_store_restore(tqd_store *store, const char *folder, tqd_restored *ret,
                       char why[TQD_STORE_WHY])
{
    const tqd_store_options options = {.folder = folder, .is_check = true};
    char database[PATH_MAX];
    char copy[PATH_MAX];
    *ret = (tqd_restored){.n_file = 0};
    why[0] = '\0';
    if (store->engine->methods->restore == NULL) {
        snprintf(why, TQD_STORE_WHY,
                 "with --store sqlite: a backup is unpacked into an empty state folder");
        return false;
    }
    snprintf(database, sizeof database, "%s/torqued.db", folder);
    if (access(database, R_OK) != 0) {
        snprintf(why, TQD_STORE_WHY, "%.180s: there is no torqued.db in it", folder);
        return false;
    }
    const int n =
        snprintf(copy, sizeof copy, "%s/tmp/restore.db", tqd_store_file_set(store)->folder);
    copying c = {.to = store, .done = ret, .why = why, .piece = malloc(PIECE)};
    c.from = n < (int)sizeof copy && c.piece != NULL ? tqd_store_open(&options, why) : NULL;
    const bool good = c.from != NULL && move(&c, copy);
    tqd_store_close(c.from);
    free(c.piece);
    if (!good && why[0] == '\0') {
        snprintf(why, TQD_STORE_WHY, "memory is short");
    }
    return good;
}
