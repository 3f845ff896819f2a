/* SPDX-License-Identifier: Apache-2.0 */
/* api/robots/zip/zip.c - the directory of a zip archive, and its members inflated. */
#define ZLIB_CONST /* next_in points to const */
#include "api/robots/zip/zip.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum {
    LOCAL_SIZE = 30,
    ENTRY_SIZE = 46,
    END_SIZE = 22,
    COMMENT_MAX = 65535,
    ENCRYPTED = 1, /* flags of an entry */
    STORED = 0,    /* methods */
    DEFLATED = 8,
    DEFLATE_MOST = 1040, /* times its input, at most */
};

static const uint32_t sign_local = 0x04034b50;
static const uint32_t sign_entry = 0x02014b50;
static const uint32_t sign_end = 0x06054b50;

static uint32_t get16(const unsigned char *s)
{
    return (uint32_t)s[0] | (uint32_t)s[1] << 8;
}

static uint32_t get32(const unsigned char *s)
{
    return get16(s) | get16(s + 2) << 16;
}

bool tqa_zip_recognise(const char *bytes, size_t n)
{
    return n >= 4 && (memcmp(bytes, "PK\3\4", 4) == 0 || memcmp(bytes, "PK\5\6", 4) == 0);
}

/* The record at the end of the directory, NULL: none. A comment follows it. */
static const unsigned char *find_end(const unsigned char *bytes, size_t n)
{
    for (size_t back = END_SIZE; back <= n && back <= END_SIZE + COMMENT_MAX; back++) {
        const unsigned char *end = bytes + n - back;
        if (get32(end) == sign_end && get16(end + 20) == back - END_SIZE) {
            return end;
        }
    }
    return NULL;
}

/* The path from folder `base` to `path`, without "." and "..". False: it leads out, or is too long.
 */
static bool join(const char *base, size_t n_base, const char *path, char ret[TQA_ZIP_PATH_MAX])
{
    char whole[2 * TQA_ZIP_PATH_MAX];
    size_t n = 0;
    if (n_base + strlen(path) + 2 > sizeof whole) {
        return false;
    }
    memcpy(whole, base, n_base);
    whole[n_base] = '/';
    memcpy(whole + n_base + 1, path, strlen(path) + 1);
    for (const char *p = whole; *p != '\0';) {
        p += strspn(p, "/\\");
        const size_t part = strcspn(p, "/\\");
        if (part == 2 && memcmp(p, "..", 2) == 0) {
            if (n == 0) {
                return false;
            }
            while (n > 0 && ret[--n] != '/') {
            }
        } else if (part > 0 && !(part == 1 && *p == '.')) {
            if (n + part + 2 > TQA_ZIP_PATH_MAX) {
                return false;
            }
            if (n > 0) {
                ret[n++] = '/';
            }
            memcpy(ret + n, p, part);
            n += part;
        }
        p += part;
    }
    ret[n] = '\0';
    return n > 0;
}

static void refuse(tqa_draft *draft, const char *detail)
{
    tqa_draft_fault(draft, "malformed", "", "pack the files again: zip -r robot.zip folder",
                    "the zip archive cannot be read: %s", detail);
}

/* Entry k of the directory into *ret; false: it is no file that can be read. */
static bool read_entry(tqa_zip *archive, const unsigned char *entry, tqa_zip_member *ret)
{
    char name[TQA_ZIP_PATH_MAX];
    char path[TQA_ZIP_PATH_MAX];
    const size_t n_name = get16(entry + 28);
    if (n_name == 0 || n_name >= sizeof name || memchr(entry + ENTRY_SIZE, '\0', n_name) != NULL) {
        return false;
    }
    memcpy(name, entry + ENTRY_SIZE, n_name);
    name[n_name] = '\0';
    const uint32_t method = get16(entry + 10);
    const bool folder = name[n_name - 1] == '/';
    const bool readable =
        (get16(entry + 8) & ENCRYPTED) == 0 && (method == STORED || method == DEFLATED);
    if (folder || !readable || !join("", 0, name, path)) {
        return false;
    }
    *ret = (tqa_zip_member){.path = tqa_arena_text(archive->draft->arena, path, strlen(path)),
                            .offset = get32(entry + 42),
                            .packed = get32(entry + 20),
                            .size = get32(entry + 24),
                            .crc = get32(entry + 16),
                            .deflated = method == DEFLATED};
    return ret->path != NULL;
}

static bool read_directory(tqa_zip *archive, const unsigned char *end)
{
    tqa_draft *draft = archive->draft;
    const uint32_t n_entry = get16(end + 10);
    const size_t last = (size_t)(end - archive->bytes);
    size_t at = get32(end + 16);
    if (get16(end + 4) != 0 || get16(end + 8) != n_entry || at > last) {
        refuse(draft, "it is of several disks, or of 64 bits");
        return false;
    }
    if (n_entry > TQA_ZIP_MEMBER_MAX) {
        tqa_draft_fault(draft, "too-large", "", "pack only the robot and its meshes",
                        "the archive has %u members, more than %d", n_entry, TQA_ZIP_MEMBER_MAX);
        return false;
    }
    archive->members = tqa_arena_take(draft->arena, n_entry + 1, sizeof *archive->members, 16);
    const char **paths = tqa_arena_take(draft->arena, n_entry + 1, sizeof *paths, 16);
    for (uint32_t k = 0; k < n_entry && archive->members != NULL && paths != NULL; k++) {
        const unsigned char *entry = archive->bytes + at;
        if (last - at < ENTRY_SIZE || get32(entry) != sign_entry) {
            refuse(draft, "its directory is damaged");
            return false;
        }
        const size_t length =
            (size_t)ENTRY_SIZE + get16(entry + 28) + get16(entry + 30) + get16(entry + 32);
        if (last - at < length) {
            refuse(draft, "its directory is damaged");
            return false;
        }
        if (read_entry(archive, entry, &archive->members[archive->n_member])) {
            paths[archive->n_member] = archive->members[archive->n_member].path;
            archive->n_member++;
        }
        at += length;
    }
    return paths != NULL && archive->members != NULL &&
           tqa_names_build(&archive->paths, draft->arena, paths, archive->n_member);
}

tqa_zip *tqa_zip_open(tqa_draft *draft, const char *bytes, size_t n)
{
    tqa_zip *archive = tqa_arena_take(draft->arena, 1, sizeof *archive, 16);
    const unsigned char *end = find_end((const unsigned char *)bytes, n);
    if (end == NULL) {
        refuse(draft, "its end is missing");
        return NULL;
    }
    if (archive != NULL) {
        archive->draft = draft;
        archive->bytes = (const unsigned char *)bytes;
        archive->n = n;
        archive->comment =
            tqa_arena_text(draft->arena, (const char *)end + END_SIZE, get16(end + 20));
    }
    if (archive == NULL || archive->comment == NULL || !read_directory(archive, end)) {
        if (draft->problem->status == 0) {
            tqa_draft_fault(draft, "too-large", "", "pack only the robot and its meshes",
                            "the robot needs more memory than is given");
        }
        return NULL;
    }
    return archive;
}

uint32_t tqa_zip_find(const tqa_zip *archive, uint32_t from, const char *path)
{
    char joined[TQA_ZIP_PATH_MAX];
    const char *base = from == TQ_NONE ? "" : archive->members[from].path;
    const char *slash = strrchr(base, '/');
    if (path[0] == '/' || !join(base, slash != NULL ? (size_t)(slash - base) : 0, path, joined)) {
        return TQ_NONE;
    }
    return tqa_names_find(&archive->paths, joined, strlen(joined));
}

/* Raw deflate of a member, exactly to its stated size. */
static bool inflate_member(const tqa_zip_member *member, const unsigned char *packed,
                           unsigned char *ret)
{
    z_stream stream = {.next_in = packed, .avail_in = member->packed, .avail_out = member->size};
    stream.next_out = ret;
    if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) {
        return false;
    }
    const int status = inflate(&stream, Z_FINISH);
    const bool whole = status == Z_STREAM_END && stream.avail_out == 0;
    inflateEnd(&stream);
    return whole;
}

/* Where the bytes of a member begin, NULL: not inside the archive. */
static const unsigned char *find_packed(const tqa_zip *archive, const tqa_zip_member *m)
{
    if (m->offset > archive->n || archive->n - m->offset < LOCAL_SIZE) {
        return NULL;
    }
    const unsigned char *local = archive->bytes + m->offset;
    const size_t skip = (size_t)LOCAL_SIZE + get16(local + 26) + get16(local + 28);
    const size_t room = archive->n - m->offset;
    const bool inside = skip <= room && m->packed <= room - skip;
    return get32(local) == sign_local && inside ? local + skip : NULL;
}

char *tqa_zip_read(tqa_zip *archive, uint32_t i, size_t *ret_n)
{
    tqa_draft *draft = archive->draft;
    const tqa_zip_member *m = &archive->members[i];
    assert(i < archive->n_member);
    if (m->size / DEFLATE_MOST > m->packed) {
        tqa_draft_fault(draft, "malformed", m->path, "pack the files again",
                        "the member states more bytes than deflate can hold");
        return NULL;
    }
    if (m->size > TQA_ZIP_BYTES_MAX - archive->n_read) {
        tqa_draft_fault(draft, "too-large", m->path, "leave out meshes that are only visual",
                        "the members that are read have more than %d bytes", TQA_ZIP_BYTES_MAX);
        return NULL;
    }
    const unsigned char *packed = find_packed(archive, m);
    char *bytes = malloc((size_t)m->size + 1);
    if (bytes == NULL) {
        tqa_arena_miss(draft->arena);
        tqa_draft_fault(draft, "busy", m->path, NULL, "memory is short");
        return NULL;
    }
    archive->n_read += m->size;
    bool good = packed != NULL;
    if (good && m->deflated) {
        good = inflate_member(m, packed, (unsigned char *)bytes);
    } else if (good && m->packed == m->size) {
        memcpy(bytes, packed, m->size);
    } else {
        good = false;
    }
    if (!good || crc32(crc32(0, NULL, 0), (unsigned char *)bytes, m->size) != m->crc) {
        tqa_draft_fault(draft, "malformed", m->path, "pack the files again",
                        "the member is damaged");
        free(bytes);
        return NULL;
    }
    bytes[m->size] = '\0';
    *ret_n = m->size;
    return bytes;
}

bool tqa_zip_annotate(char **bytes, size_t *n, const char *line)
{
    const unsigned char *all = (const unsigned char *)*bytes;
    const unsigned char *end = find_end(all, *n);
    const size_t more = strlen(line);
    if (end == NULL || get16(end + 20) + more > COMMENT_MAX) {
        return false;
    }
    const size_t at = (size_t)(end - all) + END_SIZE;
    const size_t comment = get16(end + 20) + more;
    char *moved = realloc(*bytes, *n + more);
    if (moved == NULL) {
        return false;
    }
    memmove(moved + at + more, moved + at, *n - at);
    memcpy(moved + at, line, more);
    moved[at - 2] = (char)(unsigned char)(comment & 0xFF);
    moved[at - 1] = (char)(unsigned char)(comment >> 8);
    *bytes = moved;
    *n += more;
    return true;
}

static bool is_description(const unsigned char *name, size_t n)
{
    static const char *const endings[] = {".xml", ".mjcf", ".urdf", ".xacro", ".sdf"};
    for (size_t k = 0; k < sizeof endings / sizeof endings[0]; k++) {
        const size_t length = strlen(endings[k]);
        if (n > length && memcmp(name + n - length, endings[k], length) == 0) {
            return true;
        }
    }
    return false;
}

size_t tqa_zip_text_size(const char *bytes, size_t n)
{
    const unsigned char *all = (const unsigned char *)bytes;
    const unsigned char *end = tqa_zip_recognise(bytes, n) ? find_end(all, n) : NULL;
    size_t sum = 0;
    if (end == NULL) {
        return 0;
    }
    const size_t last = (size_t)(end - all);
    size_t at = get32(end + 16);
    while (at < last && last - at >= ENTRY_SIZE && get32(all + at) == sign_entry) {
        const size_t n_name = get16(all + at + 28);
        const size_t length = ENTRY_SIZE + n_name + get16(all + at + 30) + get16(all + at + 32);
        if (last - at < length) {
            break;
        }
        if (is_description(all + at + ENTRY_SIZE, n_name)) {
            sum += get32(all + at + 24);
        }
        at += length;
    }
    return sum < TQA_ZIP_TEXT_MAX ? sum : (size_t)TQA_ZIP_TEXT_MAX;
}
