/* SPDX-License-Identifier: Apache-2.0 */
/* api/robots/zip/zip.h - a robot of several files: a zip archive, its members by path. */
#ifndef TQA_ROBOTS_ZIP_ZIP_H
#define TQA_ROBOTS_ZIP_ZIP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "api/robots/draft.h"

enum {
    TQA_ZIP_MEMBER_MAX = 4096,
    TQA_ZIP_PATH_MAX = 256,        /* bytes of a member's path, cut off beyond */
    TQA_ZIP_TEXT_MAX = 16 << 20,   /* bytes of all descriptions that are read */
    TQA_ZIP_BYTES_MAX = 256 << 20, /* bytes of all members that are read, inflated */
    TQA_ZIP_CANDIDATE_MAX = 64,    /* descriptions that may be the main one */
};

typedef struct tqa_zip_member {
    const char *path; /* "panda/assets/link0.stl": no "." and ".." in it; arena */
    uint32_t offset;  /* of its local header */
    uint32_t packed, size, crc;
    bool deflated;
} tqa_zip_member;

/* Lives in the draft's arena; `bytes` is borrowed. */
struct tqa_zip {
    tqa_draft *draft;
    const unsigned char *bytes;
    size_t n;
    tqa_zip_member *members; /* in the order of the directory */
    uint32_t n_member;
    tqa_names paths;
    const char *comment; /* of the whole archive, "" if it has none */
    size_t n_read;       /* bytes inflated so far */
};

/* True when the bytes begin as a zip does. */
bool tqa_zip_recognise(const char *bytes, size_t n);

/* Reads the directory of n bytes. NULL: a fault was added. */
tqa_zip *tqa_zip_open(tqa_draft *draft, const char *bytes, size_t n);

/* The member at `path` seen from the folder of member `from` (TQ_NONE: from the top), or TQ_NONE.
 * Paths may hold "." and ".."; those that lead out of the archive find nothing. */
uint32_t tqa_zip_find(const tqa_zip *archive, uint32_t from, const char *path);

/* The bytes of member i, malloc'ed, terminated by NUL. NULL: a fault was added. */
char *tqa_zip_read(tqa_zip *archive, uint32_t i, size_t *ret_n);

/* The member that is the robot, TQ_NONE with a fault when that is not certain; *ret_n_text is what
 * all descriptions of the archive have together, in bytes. */
uint32_t tqa_zip_main(tqa_zip *archive);

/* Puts a line "key=value\n" before the archive's comment: *bytes is malloc'ed, moved and longer
 * afterwards. False: no archive, no room or no memory; nothing has changed. */
bool tqa_zip_annotate(char **bytes, size_t *n, const char *line);

/* The value of `key` in the comment, or NULL: arena. */
const char *tqa_zip_note(const tqa_zip *archive, const char *key);

/* Bytes of all members that may be descriptions, as the directory states them, at most
 * TQA_ZIP_TEXT_MAX: what a budget of memory is made from. 0: no archive. */
size_t tqa_zip_text_size(const char *bytes, size_t n);

#endif
