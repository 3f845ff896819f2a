/* SPDX-License-Identifier: Apache-2.0 */
/* clients/torquectl/verify.c - checks that a backup is complete and unchanged. */
#include "clients/torquectl/verify.h"

#include <jansson.h>
#include <sodium.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BLOCK = 512, PIECE = 64 << 10, MANIFEST_MAX = 1 << 30 };

typedef struct checking {
    FILE *archive;
    char *why;
    json_t *manifest;
    size_t next; /* entry of the manifest that must follow */
    size_t n_files;
    uint64_t n_bytes;
    char db_path[64]; /* temporary copy of the database; "" before */
} checking;

typedef struct member {
    char name[101];
    uint64_t size;
} member;

static bool fault(checking *c, const char *what, const char *name)
{
    snprintf(c->why, CTL_WHY, "%s%s%.120s", what, name[0] != '\0' ? ": " : "", name);
    return false;
}

/* ----------------------------------------------------------------------------------------- tar */

static bool read_size(const unsigned char *text, uint64_t *ret)
{
    *ret = 0;
    if (text[0] == 0x80) {
        for (int i = 4; i < 12; i++) {
            *ret = *ret << 8 | text[i];
        }
        return *ret < (uint64_t)1 << 62;
    }
    for (int i = 0; i < 11; i++) {
        if (text[i] < '0' || text[i] > '7') {
            return false;
        }
        *ret = *ret << 3 | (uint64_t)(text[i] - '0');
    }
    return true;
}

/* 1: a member, 0: the end of the archive, -1: invalid */
static int read_header(checking *c, member *ret)
{
    unsigned char block[BLOCK];
    unsigned sum = 8 * ' ';
    unsigned stated = 0;
    if (fread(block, 1, BLOCK, c->archive) != BLOCK) {
        return -1;
    }
    for (size_t i = 0; i < BLOCK; i++) {
        sum += i >= 148 && i < 156 ? 0 : block[i];
    }
    if (sum == 8 * ' ') {
        return 0;
    }
    for (size_t i = 148; i < 154; i++) {
        stated = stated << 3 | (unsigned)(block[i] - '0');
    }
    memcpy(ret->name, block, 100);
    ret->name[100] = '\0';
    return stated == sum && read_size(block + 124, &ret->size) ? 1 : -1;
}

static bool skip_padding(checking *c, uint64_t size)
{
    char padding[BLOCK];
    const size_t n = (size_t)((BLOCK - size % BLOCK) % BLOCK);
    return fread(padding, 1, n, c->archive) == n;
}

/* ------------------------------------------------------------------------------------- members */

static bool read_manifest(checking *c, const member *m)
{
    if (strcmp(m->name, "manifest.json") != 0 || m->size > MANIFEST_MAX) {
        return fault(c, "this is no backup of torqued", "");
    }
    char *text = malloc((size_t)m->size + 1);
    const bool read = text != NULL && fread(text, 1, (size_t)m->size, c->archive) == m->size;
    c->manifest = read ? json_loadb(text, (size_t)m->size, JSON_REJECT_DUPLICATES, NULL) : NULL;
    free(text);
    if (json_integer_value(json_object_get(c->manifest, "torqued-backup")) != 1) {
        return fault(c, "the manifest cannot be read", "");
    }
    return skip_padding(c, m->size) || fault(c, "the archive is cut short", m->name);
}

/* hashes a member; the database is also copied to a file */
static bool read_member(checking *c, const member *m, FILE *copy, char digest[65])
{
    crypto_hash_sha256_state state;
    unsigned char raw[crypto_hash_sha256_BYTES];
    static unsigned char piece[PIECE];
    crypto_hash_sha256_init(&state);
    for (uint64_t left = m->size; left > 0;) {
        const size_t n = left < PIECE ? (size_t)left : (size_t)PIECE;
        if (fread(piece, 1, n, c->archive) != n) {
            return fault(c, "the archive is cut short", m->name);
        }
        crypto_hash_sha256_update(&state, piece, n);
        if (copy != NULL && fwrite(piece, 1, n, copy) != n) {
            return fault(c, "the database cannot be unpacked for its check", "");
        }
        left -= n;
    }
    crypto_hash_sha256_final(&state, raw);
    sodium_bin2hex(digest, 65, raw, sizeof raw);
    return skip_padding(c, m->size) || fault(c, "the archive is cut short", m->name);
}

static bool check_member(checking *c, const member *m)
{
    char digest[65];
    const json_t *entry = json_array_get(json_object_get(c->manifest, "files"), c->next++);
    const char *name = json_string_value(json_object_get(entry, "name"));
    const char *stated = json_string_value(json_object_get(entry, "sha256"));
    if (name == NULL || stated == NULL || strcmp(name, m->name) != 0 ||
        (uint64_t)json_integer_value(json_object_get(entry, "bytes")) != m->size) {
        return fault(c, "not what the manifest says", m->name);
    }
    FILE *copy = NULL;
    if (strcmp(name, "torqued.db") == 0) {
        snprintf(c->db_path, sizeof c->db_path, "/tmp/torquectl-XXXXXX");
        const int fd = mkstemp(c->db_path);
        copy = fd >= 0 ? fdopen(fd, "wb") : NULL;
        if (copy == NULL) {
            return fault(c, "there is no room for unpacking the database", "");
        }
    }
    bool good = read_member(c, m, copy, digest);
    if (copy != NULL && fclose(copy) != 0 && good) {
        good = fault(c, "the database cannot be unpacked for its check", "");
    }
    if (good && strcmp(digest, stated) != 0) {
        good = fault(c, "its bytes have changed", m->name);
    }
    c->n_files++;
    c->n_bytes += m->size;
    return good;
}

/* True if the manifest has a file of this digest and size. Both the manifest and the query of the
 * database are sorted by digest (merge). */
static bool is_listed(const checking *c, size_t *at, const char *digest, uint64_t size)
{
    const json_t *files = json_object_get(c->manifest, "files");
    const size_t n = json_array_size(files);
    for (size_t i = 0; i < n; i++) {
        const json_t *entry = json_array_get(files, (*at + i) % n);
        const char *stated = json_string_value(json_object_get(entry, "sha256"));
        if (stated != NULL && strcmp(stated, digest) == 0) {
            *at = (*at + i + 1) % n;
            return (uint64_t)json_integer_value(json_object_get(entry, "bytes")) == size;
        }
    }
    return false;
}

/* Every file that the database refers to is in the archive. */
static bool check_references(checking *c, sqlite3 *db)
{
    static const char *const tables[] = {"dataset", "job_body", "job_attachment", "job_input"};
    bool good = true;
    for (size_t i = 0; good && i < sizeof tables / sizeof tables[0]; i++) {
        char text[128];
        sqlite3_stmt *statement = NULL;
        size_t at = 0;
        snprintf(text, sizeof text,
                 "SELECT DISTINCT file, size FROM %s WHERE file IS NOT NULL ORDER BY 1", tables[i]);
        if (sqlite3_prepare_v2(db, text, -1, &statement, NULL) != SQLITE_OK) {
            continue; /* older schemas lack some of these tables */
        }
        int code = sqlite3_step(statement);
        while (good && code == SQLITE_ROW) {
            const char *digest = (const char *)sqlite3_column_text(statement, 0);
            good = digest != NULL &&
                   (is_listed(c, &at, digest, (uint64_t)sqlite3_column_int64(statement, 1)) ||
                    fault(c, "a file that the database refers to is not in the backup", digest));
            code = good ? sqlite3_step(statement) : code;
        }
        sqlite3_finalize(statement);
        good = good && (code == SQLITE_DONE || fault(c, "the database is damaged", tables[i]));
    }
    return good;
}

static bool check_database(checking *c)
{
    sqlite3 *db = NULL;
    sqlite3_stmt *statement = NULL;
    if (c->db_path[0] == '\0') {
        return fault(c, "the backup has no database", "");
    }
    char uri[96]; /* immutable=1: SQLite creates no log beside it */
    snprintf(uri, sizeof uri, "file:%s?immutable=1", c->db_path);
    bool good =
        sqlite3_open_v2(uri, &db, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, NULL) == SQLITE_OK &&
        sqlite3_prepare_v2(db, "PRAGMA integrity_check(1)", -1, &statement, NULL) == SQLITE_OK &&
        sqlite3_step(statement) == SQLITE_ROW;
    const char *text = good ? (const char *)sqlite3_column_text(statement, 0) : NULL;
    if (text == NULL || strcmp(text, "ok") != 0) {
        good = fault(c, "the database is damaged", text != NULL ? text : sqlite3_errmsg(db));
    }
    sqlite3_finalize(statement);
    good = good && check_references(c, db);
    sqlite3_close(db);
    return good;
}

static bool check_archive(checking *c)
{
    member m = {.size = 0};
    if (read_header(c, &m) != 1) {
        return fault(c, "this is no backup of torqued", "");
    }
    if (!read_manifest(c, &m)) {
        return false;
    }
    int kind;
    while ((kind = read_header(c, &m)) == 1) {
        if (!check_member(c, &m)) {
            return false;
        }
    }
    if (kind < 0) {
        return fault(c, "the archive is cut short or changed", "");
    }
    if (c->next != json_array_size(json_object_get(c->manifest, "files"))) {
        return fault(c, "files of the manifest are missing", "");
    }
    return check_database(c);
}

bool ctl_verify(const char *path, size_t *ret_files, uint64_t *ret_bytes, char why[CTL_WHY])
{
    checking c = {.archive = fopen(path, "rbe"), .why = why};
    bool good = c.archive != NULL && sodium_init() >= 0;
    if (!good) {
        snprintf(why, CTL_WHY, "%.200s cannot be opened", path);
    } else {
        good = check_archive(&c);
    }
    if (c.archive != NULL) {
        fclose(c.archive);
    }
    if (c.db_path[0] != '\0') {
        unlink(c.db_path);
    }
    json_decref(c.manifest);
    *ret_files = c.n_files;
    *ret_bytes = c.n_bytes;
    return good;
}
