/* SPDX-License-Identifier: Apache-2.0 */
/* daemon/store/archive/backup.c - a consistent backup of the store as a stream of bytes. */
#include "daemon/store/archive/backup.h"

#include <errno.h>
#include <fcntl.h>
#include <gnutls/crypto.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "api/codec/writer.h"
#include "daemon/queue/workers.h"
#include "daemon/store/damage.h"
#include "daemon/store/file_set.h"
#include "daemon/store/files.h"

enum {
    BLOCK = 512,      /* of tar: headers and padding */
    TAIL = 2 * BLOCK, /* two empty blocks end an archive */
    NAME_BYTES = 96,
    COPY_BYTES = 64 << 10,
    DIGEST_BYTES = 32,
};

typedef struct entry {
    char name[NAME_BYTES];
    char digest[TQD_DIGEST_TEXT];
    uint64_t size;
} entry;

struct tqd_backup {
    tqd_store *store;
    tqd_file_set *set;
    bool holds;
    int db_fd;
    char *manifest;
    entry *entries; /* 0: the manifest, 1: the database, then the files */
    size_t n_entry, entries_size;
    size_t n_missing; /* the last entries: listed in the manifest only */
    time_t made;
    bool no_memory;
    /* position of the reader */
    size_t i;
    uint64_t at; /* bytes into entry i, header and padding included */
    int file_fd;
};

/* --------------------------------------------------------------------------------------- making */

static entry *add_entry(tqd_backup *backup, const char *digest, uint64_t size)
{
    if (backup->n_entry == backup->entries_size) {
        const size_t wanted = 2 * backup->entries_size + 16;
        entry *grown = realloc(backup->entries, wanted * sizeof *grown);
        if (grown == NULL) {
            backup->no_memory = true;
            return NULL;
        }
        backup->entries = grown;
        backup->entries_size = wanted;
    }
    entry *e = &backup->entries[backup->n_entry++];
    memset(e, 0, sizeof *e);
    snprintf(e->digest, sizeof e->digest, "%s", digest);
    e->size = size;
    return e;
}

static bool add_file(void *ctx, const char *digest, uint64_t size)
{
    entry *e = add_entry(ctx, digest, size);
    if (e != NULL) {
        snprintf(e->name, sizeof e->name, "files/%.2s/%s", digest, digest);
    }
    return e != NULL;
}

/* In a store shared by nodes: copies the file from the database into the folder, unless it is
 * there. */
static bool fetch(tqd_backup *backup, const entry *e)
{
    tqd_store_status status;
    tqd_file *file = tqd_file_open_sized(backup->store, e->digest, e->size, &status);
    tqd_file_close(file);
    tqd_workers_beat();
    return file != NULL;
}

/* True if the file exists (moved back from files/lost if necessary) with the size in its row. Its
 * contents are checked by the digest in the manifest. */
static bool is_there(tqd_backup *backup, const entry *e)
{
    char path[PATH_MAX];
    struct stat facts;
    if (tqd_store_is_shared(backup->store)) {
        return fetch(backup, e);
    }
    tqd_file_set_path(backup->set, e->digest, path);
    return tqd_file_digest_good(e->digest) && tqd_store_file_find(backup->store, e->digest) &&
           stat(path, &facts) == 0 && (uint64_t)facts.st_size == e->size;
}

/* Moves missing files to the end of the entries. */
static void part_missing(tqd_backup *backup)
{
    size_t n = 2;
    for (size_t i = 2; i < backup->n_entry; i++) {
        if (is_there(backup, &backup->entries[i])) {
            const entry good = backup->entries[i];
            backup->entries[i] = backup->entries[n];
            backup->entries[n++] = good;
        } else {
            tqd_damage_note(backup->set, backup->entries[i].digest, -1);
        }
    }
    backup->n_missing = backup->n_entry - n;
    backup->n_entry = n;
}

/* size and digest of the copy of the database */
static bool hash_database(int fd, entry *e)
{
    unsigned char raw[DIGEST_BYTES];
    gnutls_hash_hd_t hash;
    char *buffer = malloc(COPY_BYTES);
    if (buffer == NULL || gnutls_hash_init(&hash, GNUTLS_DIG_SHA256) < 0) {
        free(buffer);
        return false;
    }
    ssize_t n;
    while ((n = pread(fd, buffer, COPY_BYTES, (off_t)e->size)) > 0) {
        gnutls_hash(hash, buffer, (size_t)n);
        tqd_workers_beat();
        e->size += (uint64_t)n;
    }
    gnutls_hash_deinit(hash, raw);
    free(buffer);
    for (size_t i = 0; i < DIGEST_BYTES; i++) {
        snprintf(e->digest + 2 * i, 3, "%02x", raw[i]);
    }
    return n == 0;
}

/* the copy is unlinked once it is open: its space is freed with the descriptor in any case */
static tqd_store_status copy_database(tqd_backup *backup)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/tmp/XXXXXX", backup->set->folder);
    const int place = mkostemp(path, O_CLOEXEC);
    if (place < 0) {
        return errno == ENOSPC ? TQD_STORE_NO_SPACE : TQD_STORE_BROKEN;
    }
    close(place);
    tqd_store_status status = tqd_store_snapshot(backup->store, path);
    if (status == TQD_STORE_OK) {
        backup->db_fd = open(path, O_RDONLY | O_CLOEXEC);
        status = tqd_store_references(backup->store, path, add_file, backup);
    }
    unlink(path);
    return status != TQD_STORE_OK ? status : backup->db_fd >= 0 ? TQD_STORE_OK : TQD_STORE_BROKEN;
}

/* entries first .. end - 1, a line each */
static void put_entries(tqa_writer *to, const char *key, const entry *entries, size_t first,
                        size_t end)
{
    tqa_writer_list(to, key);
    for (size_t i = first; i < end; i++) {
        tqa_writer_line(to, 0);
        tqa_writer_object(to, NULL);
        tqa_writer_string(to, "name", entries[i].name);
        tqa_writer_count(to, "bytes", entries[i].size);
        tqa_writer_string(to, "sha256", entries[i].digest);
        tqa_writer_end(to);
    }
    tqa_writer_line(to, 0);
    tqa_writer_end(to);
}

static bool print_manifest(tqd_backup *backup)
{
    tqa_writer to = {.cbor = false};
    size_t n = 0;
    tqa_writer_object(&to, NULL);
    tqa_writer_count(&to, "torqued-backup", 1);
    put_entries(&to, "files", backup->entries, 1, backup->n_entry);
    if (backup->n_missing > 0) {
        put_entries(&to, "missing", backup->entries, backup->n_entry,
                    backup->n_entry + backup->n_missing);
    }
    tqa_writer_end(&to);
    tqa_writer_finish(&to);
    backup->manifest = tqa_writer_take(&to, &n);
    backup->entries[0].size = n;
    return backup->manifest != NULL;
}

static tqd_store_status make(tqd_backup *backup)
{
    entry *manifest = add_entry(backup, "", 0);
    if (manifest == NULL) {
        return TQD_STORE_NO_MEMORY;
    }
    snprintf(manifest->name, sizeof manifest->name, "manifest.json");
    entry *db = add_entry(backup, "", 0);
    if (db == NULL) {
        return TQD_STORE_NO_MEMORY;
    }
    snprintf(db->name, sizeof db->name, "torqued.db");
    tqd_file_set_hold(backup->set);
    backup->holds = true;
    const tqd_store_status status = copy_database(backup);
    if (status != TQD_STORE_OK || backup->no_memory) {
        return status != TQD_STORE_OK ? status : TQD_STORE_NO_MEMORY;
    }
    if (!hash_database(backup->db_fd, &backup->entries[1])) {
        return TQD_STORE_BROKEN;
    }
    part_missing(backup);
    return print_manifest(backup) ? TQD_STORE_OK : TQD_STORE_NO_MEMORY;
}

tqd_backup *tqd_backup_open(tqd_store *store, tqd_store_status *ret_status)
{
    tqd_backup *backup = calloc(1, sizeof *backup);
    if (backup == NULL) {
        *ret_status = TQD_STORE_NO_MEMORY;
        return NULL;
    }
    backup->store = store;
    backup->set = tqd_store_file_set(store);
    backup->db_fd = -1;
    backup->file_fd = -1;
    backup->made = time(NULL);
    *ret_status = make(backup);
    if (*ret_status != TQD_STORE_OK) {
        tqd_backup_close(backup);
        return NULL;
    }
    return backup;
}

static void close_file(tqd_backup *backup)
{
    if (backup->file_fd >= 0) {
        close(backup->file_fd);
    }
    backup->file_fd = -1;
}

void tqd_backup_close(tqd_backup *backup)
{
    if (backup == NULL) {
        return;
    }
    if (backup->holds) {
        tqd_file_set_release(backup->set);
    }
    if (backup->db_fd >= 0) {
        close(backup->db_fd);
    }
    close_file(backup);
    free(backup->manifest);
    free(backup->entries);
    free(backup);
}

/* -------------------------------------------------------------------------------------- reading */

static uint64_t padded(const entry *e)
{
    return BLOCK + (e->size + BLOCK - 1) / BLOCK * BLOCK;
}

uint64_t tqd_backup_size(const tqd_backup *backup)
{
    uint64_t size = TAIL;
    for (size_t i = 0; i < backup->n_entry; i++) {
        size += padded(&backup->entries[i]);
    }
    return size;
}

/* in octal digits if they suffice, else base-256: 64 bits after a marker byte, as GNU tar and other
 * readers understand */
static void print_size(uint64_t size, char out[12])
{
    if (size < (uint64_t)1 << 33) {
        snprintf(out, 12, "%011" PRIo64, size);
        return;
    }
    memset(out, 0, 12);
    out[0] = (char)0x80;
    for (int i = 0; i < 8; i++) {
        out[11 - i] = (char)(size >> (8 * i) & 0xff);
    }
}

static void print_header(const tqd_backup *backup, const entry *e, char out[BLOCK])
{
    unsigned sum = 0;
    memset(out, 0, BLOCK);
    snprintf(out, 100, "%s", e->name);
    memcpy(out + 100, "0000600", 8);
    memcpy(out + 108, "0000000", 8);
    memcpy(out + 116, "0000000", 8);
    print_size(e->size, out + 124);
    snprintf(out + 136, 12, "%011" PRIo64, (uint64_t)backup->made);
    memset(out + 148, ' ', 8);
    out[156] = '0';
    memcpy(out + 257,
           "ustar\0"
           "00",
           8);
    for (size_t i = 0; i < BLOCK; i++) {
        sum += (unsigned char)out[i];
    }
    snprintf(out + 148, 8, "%06o", sum);
}

/* n bytes of the contents of entry i at `offset` */
static bool read_content(tqd_backup *backup, uint64_t offset, char *out, size_t n)
{
    const entry *e = &backup->entries[backup->i];
    if (backup->i == 0) {
        memcpy(out, backup->manifest + offset, n);
        return true;
    }
    if (backup->i == 1) {
        return pread(backup->db_fd, out, n, (off_t)offset) == (ssize_t)n;
    }
    if (backup->file_fd < 0) {
        char path[PATH_MAX];
        tqd_file_set_path(backup->set, e->digest, path);
        backup->file_fd = open(path, O_RDONLY | O_CLOEXEC);
        /* the bounded cache may have dropped the file meanwhile */
        if (backup->file_fd < 0 && tqd_store_is_shared(backup->store) && fetch(backup, e)) {
            backup->file_fd = open(path, O_RDONLY | O_CLOEXEC);
        }
    }
    return pread(backup->file_fd, out, n, (off_t)offset) == (ssize_t)n;
}

/* up to n bytes of entry i, within its header, contents or padding; 0: read error */
static size_t read_part(tqd_backup *backup, char *out, size_t n)
{
    const entry *e = &backup->entries[backup->i];
    const uint64_t at = backup->at;
    if (at < BLOCK) {
        char header[BLOCK];
        const size_t part = n < BLOCK - at ? n : (size_t)(BLOCK - at);
        print_header(backup, e, header);
        memcpy(out, header + at, part);
        return part;
    }
    if (at < BLOCK + e->size) {
        const uint64_t left = BLOCK + e->size - at;
        const size_t part = n < left ? n : (size_t)left;
        return read_content(backup, at - BLOCK, out, part) ? part : 0;
    }
    const uint64_t left = padded(e) - at;
    const size_t part = n < left ? n : (size_t)left;
    memset(out, 0, part);
    return part;
}

long tqd_backup_read(tqd_backup *backup, char *bytes, size_t n)
{
    size_t used = 0;
    while (used < n && backup->i < backup->n_entry) {
        const size_t part = read_part(backup, bytes + used, n - used);
        if (part == 0) {
            return -1;
        }
        used += part;
        backup->at += part;
        if (backup->at == padded(&backup->entries[backup->i])) {
            close_file(backup);
            backup->i++;
            backup->at = 0;
        }
    }
    if (backup->i == backup->n_entry) {
        const uint64_t left = TAIL - backup->at;
        const size_t part = n - used < left ? n - used : (size_t)left;
        memset(bytes + used, 0, part);
        used += part;
        backup->at += part;
    }
    return (long)used;
}
