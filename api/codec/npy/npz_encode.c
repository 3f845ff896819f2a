/* SPDX-License-Identifier: Apache-2.0 */
/* api/codec/npy/npz_encode.c - NPZ archives of stored members, written as they are asked for. */
#include <assert.h>
#include <string.h>
#include <zlib.h>

#include "api/codec/npy/npz.h"

enum {
    LOCAL_SIZE = 30,
    DESCRIPTOR_SIZE = 16,
    ENTRY_SIZE = 46,
    END_SIZE = 22,
    VERSION = 20,         /* of ZIP, that readers need */
    FLAGS = 1 << 3,       /* checksum and sizes follow the data */
    FIRST_OF_1980 = 0x21, /* no clock: the same result is the same file */
};

enum { WRITE_LOCAL, WRITE_DATA, WRITE_DESCRIPTOR, WRITE_ENTRY, WRITE_END, WRITE_NOTHING };

bool tqa_npz_encoder_init(tqa_npz_encoder *encoder, const tqa_npz_member *members, size_t n_member)
{
    assert(encoder != NULL && (members != NULL || n_member == 0));
    if (n_member > TQA_NPZ_MEMBERS_MAX) {
        return false;
    }
    uint64_t total = END_SIZE;
    for (size_t i = 0; i < n_member; i++) {
        const size_t name = strlen(members[i].name);
        const uint64_t count = tqa_array_count(members[i].array);
        if (name == 0 || name > TQA_NPZ_NAME_MAX || count > UINT32_MAX / sizeof(double)) {
            return false;
        }
        total += LOCAL_SIZE + DESCRIPTOR_SIZE + ENTRY_SIZE + 2 * (name + 4);
        total += TQA_NPY_HEADER_SIZE + count * sizeof(double);
    }
    *encoder = (tqa_npz_encoder){
        .members = members,
        .n_member = n_member,
        .stage = n_member > 0 ? WRITE_LOCAL : WRITE_END,
    };
    return total < UINT32_MAX;
}

static void put16(tqa_npz_encoder *e, uint32_t value)
{
    e->record[e->n_record++] = (char)value;
    e->record[e->n_record++] = (char)(value >> 8);
}

static void put32(tqa_npz_encoder *e, uint32_t value)
{
    put16(e, value & 0xffff);
    put16(e, value >> 16);
}

static void put_name(tqa_npz_encoder *e)
{
    const char *name = e->members[e->at].name;
    const size_t n = strlen(name);
    memcpy(e->record + e->n_record, name, n);
    memcpy(e->record + e->n_record + n, ".npy", 4);
    e->n_record += n + 4;
}

/* What a local header and a directory entry have in common, from the version on. */
static void put_facts(tqa_npz_encoder *e, uint32_t crc, uint32_t size)
{
    put16(e, VERSION);
    put16(e, FLAGS);
    put16(e, 0); /* stored */
    put16(e, 0); /* time */
    put16(e, FIRST_OF_1980);
    put32(e, crc);
    put32(e, size);
    put32(e, size);
    put16(e, (uint32_t)strlen(e->members[e->at].name) + 4);
    put16(e, 0); /* extra fields */
}

static void put_local(tqa_npz_encoder *e)
{
    e->written[e->at].offset = e->offset;
    e->written[e->at].crc = (uint32_t)crc32(0, NULL, 0);
    e->written[e->at].size = 0;
    tqa_npy_encoder_init(&e->npy, e->members[e->at].array);
    put32(e, 0x04034b50);
    put_facts(e, 0, 0);
    put_name(e);
    e->stage = WRITE_DATA;
}

static void put_descriptor(tqa_npz_encoder *e)
{
    put32(e, 0x08074b50);
    put32(e, e->written[e->at].crc);
    put32(e, e->written[e->at].size);
    put32(e, e->written[e->at].size);
    e->stage = WRITE_LOCAL;
    if (++e->at == e->n_member) {
        e->at = 0;
        e->directory = e->offset + (uint32_t)e->n_record;
        e->stage = WRITE_ENTRY;
    }
}

static void put_entry(tqa_npz_encoder *e)
{
    put32(e, 0x02014b50);
    put16(e, VERSION);
    put_facts(e, e->written[e->at].crc, e->written[e->at].size);
    put16(e, 0); /* comment */
    put16(e, 0); /* disk */
    put16(e, 0); /* attributes */
    put32(e, 0);
    put32(e, e->written[e->at].offset);
    put_name(e);
    if (++e->at == e->n_member) {
        e->stage = WRITE_END;
    }
}

static void put_end(tqa_npz_encoder *e)
{
    const uint32_t size = e->offset - e->directory;
    put32(e, 0x06054b50);
    put32(e, 0); /* disks */
    put16(e, (uint32_t)e->n_member);
    put16(e, (uint32_t)e->n_member);
    put32(e, size);
    put32(e, e->directory);
    put16(e, 0); /* comment */
    e->stage = WRITE_NOTHING;
}

static void put_record(tqa_npz_encoder *e)
{
    e->n_record = e->n_read = 0;
    switch (e->stage) {
    case WRITE_LOCAL:
        put_local(e);
        break;
    case WRITE_DESCRIPTOR:
        put_descriptor(e);
        break;
    case WRITE_ENTRY:
        put_entry(e);
        break;
    default:
        put_end(e);
        break;
    }
    assert(e->n_record <= sizeof e->record);
}

size_t tqa_npz_encoder_read(tqa_npz_encoder *encoder, char *out, size_t size)
{
    tqa_npz_encoder *e = encoder;
    size_t n = 0;
    assert(size >= TQA_NPZ_PIECE_MIN);
    for (;;) {
        /* a record may be cut by the end of `out`; a value of an array is not */
        const size_t left = e->n_record - e->n_read;
        const size_t taken = left < size - n ? left : size - n;
        memcpy(out + n, e->record + e->n_read, taken);
        e->n_read += taken;
        e->offset += (uint32_t)taken;
        n += taken;
        if (e->n_read < e->n_record || size - n < sizeof(double)) {
            return n;
        }
        if (e->stage == WRITE_NOTHING) {
            return n;
        }
        if (e->stage != WRITE_DATA) {
            put_record(e);
            continue;
        }
        const size_t got = tqa_npy_encoder_read(&e->npy, out + n, size - n);
        if (got == 0) {
            e->stage = WRITE_DESCRIPTOR;
            continue;
        }
        e->written[e->at].crc =
            (uint32_t)crc32(e->written[e->at].crc, (const Bytef *)(out + n), (uInt)got);
        e->written[e->at].size += (uint32_t)got;
        e->offset += (uint32_t)got;
        n += got;
    }
}
