/* SPDX-License-Identifier: Apache-2.0 */
/* clients/c/cbor.h - CBOR answers as they come, arrays of numbers into memory of the caller. */
#ifndef TQC_CBOR_H
#define TQC_CBOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "clients/c/tqc.h"

enum { TQCI_NESTED_MAX = 32, TQCI_KEY_BYTES = 128, TQCI_RANK_MAX = 8 };

typedef struct tqci_level {
    uint64_t left; /* items that follow; of a map, keys and values */
    uint64_t index;
    bool indefinite, is_map;
    bool is_shaped;  /* of a tag 40: extents, then elements */
    bool is_extents; /* the first of them */
    size_t n_path;   /* of the path outside */
} tqci_level;

/* A text of the answer: up to room - 1 bytes of it and a NUL; longer ones are cut. */
typedef struct tqci_text {
    const char *name;
    char *to;
    size_t room;
} tqci_text;

/* Reads a document that comes in pieces. Needs no memory beyond this. */
typedef struct tqci_cbor {
    tqc_result *results;
    size_t n_result, n_found;
    const tqci_text *texts;
    size_t n_text;
    tqci_level levels[TQCI_NESTED_MAX];
    int depth;
    uint64_t tag; /* before the next item; 0: none */
    unsigned char head[9];
    size_t n_head;
    uint64_t n_skipped; /* bytes of a string that are left, into nothing, */
    char *to;           /* or here */
    size_t n_room;      /* of which so many have room; of a text */
    bool is_text;
    bool is_key; /* the string names the next value */
    char path[TQCI_KEY_BYTES];
    size_t n_path;
    size_t extents[TQCI_RANK_MAX], rank;
    bool is_done, is_bad;
    tqc_result *small; /* a result whose room is too small */
} tqci_cbor;

void tqci_cbor_open(tqci_cbor *reader, tqc_result *results, size_t n_result);
/* Texts that are taken too; "" until they come. After tqci_cbor_open. */
void tqci_cbor_texts(tqci_cbor *reader, const tqci_text *texts, size_t n_text);
/* Takes the next bytes; false: not understood, or too small. */
bool tqci_cbor_push(tqci_cbor *reader, const unsigned char *bytes, size_t n);

/* Writes the head of an item (major type 0 to 7, argument); returns its 1 to 9 bytes. */
size_t tqci_cbor_head(unsigned char out[9], unsigned major, uint64_t argument);

#endif
