/* SPDX-License-Identifier: Apache-2.0 */
/* tests/fuzz/fuzz_client.c - what libtqc reads of an answer: the same whole and in pieces.
 * The first byte of the input names the format, the second one the size of the pieces. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "clients/c/arrays.h"
#include "clients/c/cbor.h"
#include "clients/c/error.h"
#include "clients/c/json.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { ROOM = 16 };

static void require(int truth)
{
    if (!truth) {
        abort();
    }
}

/* An answer into arrays of ROOM numbers, and what became of it. */
typedef struct taken {
    double a[ROOM + 1], b[ROOM + 1];
    tqc_result results[2];
    char text[ROOM], other[ROOM];
    int is_good, is_done;
} taken;

static const double guard = 12345.0;

static void read_cbor(taken *t, const uint8_t *data, size_t size, size_t piece)
{
    tqci_cbor reader;
    t->results[0] = (tqc_result){.name = "qdd", .values = t->a, .room = ROOM};
    t->results[1] = (tqc_result){.name = "a.b.0", .values = t->b, .room = ROOM};
    const tqci_text texts[] = {{"t", t->text, ROOM / 2}, {"a.t", t->other, ROOM / 2}};
    tqci_cbor_open(&reader, t->results, 2);
    tqci_cbor_texts(&reader, texts, 2);
    memset(t->text + ROOM / 2, 1, ROOM / 2);
    memset(t->other + ROOM / 2, 1, ROOM / 2);
    t->is_good = 1;
    for (size_t at = 0; at < size && t->is_good; at += piece) {
        t->is_good = tqci_cbor_push(&reader, data + at, size - at < piece ? size - at : piece);
    }
    t->is_done = reader.is_done;
    require(t->text[ROOM / 2] == 1 && strnlen(t->text, ROOM / 2) < ROOM / 2);
    require(t->other[ROOM / 2] == 1 && strnlen(t->other, ROOM / 2) < ROOM / 2);
}

static void read_npy(taken *t, const uint8_t *data, size_t size, size_t piece)
{
    tqci_npy reader;
    tqci_npy_open(&reader, t->a, 2, ROOM / 2);
    t->is_good = 1;
    for (size_t at = 0; at < size && t->is_good; at += piece) {
        t->is_good = tqci_npy_push(&reader, data + at, size - at < piece ? size - at : piece);
    }
    t->is_done = tqci_npy_is_whole(&reader);
}

static void in_pieces(void (*read)(taken *, const uint8_t *, size_t, size_t), const uint8_t *data,
                      size_t size, size_t piece)
{
    taken whole, parts;
    memset(&whole, 0, sizeof whole);
    memset(&parts, 0, sizeof parts);
    whole.a[ROOM] = whole.b[ROOM] = parts.a[ROOM] = parts.b[ROOM] = guard;
    read(&whole, data, size, size > 0 ? size : 1);
    read(&parts, data, size, piece);
    require(whole.is_good == parts.is_good && (!whole.is_good || whole.is_done == parts.is_done));
    require(!whole.is_good || (memcmp(whole.a, parts.a, sizeof whole.a) == 0 &&
                               memcmp(whole.b, parts.b, sizeof whole.b) == 0));
    require(whole.a[ROOM] == guard && whole.b[ROOM] == guard);
    require(parts.a[ROOM] == guard && parts.b[ROOM] == guard);
    require(!whole.is_good ||
            (strcmp(whole.text, parts.text) == 0 && strcmp(whole.other, parts.other) == 0));
    for (int i = 0; i < 2 && whole.is_good && whole.results[i].n > 0; i++) {
        require(whole.results[i].n <= ROOM);
    }
}

static void read_json(const char *text, size_t n)
{
    tqci_json json;
    tqci_kind kind;
    char out[64];
    size_t tokens = 0;
    tqci_json_open(&json, text, n);
    do {
        kind = tqci_json_next(&json);
        require(json.at >= text && json.at <= text + n && ++tokens <= n + 2);
        if (kind == TQCI_KEY || kind == TQCI_TEXT || kind == TQCI_NUMBER) {
            require(json.token >= text && json.token + json.n_token <= text + n);
            require(tqci_json_text(&json, out, sizeof out) < sizeof out);
        }
    } while (kind != TQCI_END && kind != TQCI_FAULT);
    require(tqci_json_next(&json) == TQCI_FAULT || kind == TQCI_END);
    tqc_error error;
    require(tqci_refused(&error, 422, text, n) == TQC_REFUSED);
    require(strlen(error.detail) < sizeof error.detail && strlen(error.hint) < sizeof error.hint);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2) {
        return 0;
    }
    const size_t piece = 1 + data[1] % 16, n = size - 2;
    switch (data[0] % 3) {
    case 0:
        in_pieces(read_cbor, data + 2, n, piece);
        break;
    case 1:
        in_pieces(read_npy, data + 2, n, piece);
        break;
    default: {
        char *text = malloc(n > 0 ? n : 1); /* of its own size, for AddressSanitizer */
        require(text != NULL);
        memcpy(text, data + 2, n);
        read_json(text, n);
        free(text);
    }
    }
    return 0;
}
