/* SPDX-License-Identifier: Apache-2.0 */
/* clients/c/json.h - JSON text token by token, in place, without allocation. */
#ifndef TQC_JSON_H
#define TQC_JSON_H

#include <stdbool.h>
#include <stddef.h>

enum { TQCI_DEPTH_MAX = 64 };

typedef enum tqci_kind {
    TQCI_END,    /* of the text */
    TQCI_FAULT,  /* not JSON, or deeper than TQCI_DEPTH_MAX */
    TQCI_OBJECT, /* { */
    TQCI_ARRAY,  /* [ */
    TQCI_CLOSE,  /* } or ] */
    TQCI_KEY,    /* a text; its value follows */
    TQCI_TEXT,
    TQCI_NUMBER,
    TQCI_TRUE,
    TQCI_FALSE,
    TQCI_NULL,
} tqci_kind;

typedef struct tqci_json {
    const char *at, *end;
    int depth; /* of open objects and arrays */
    char inside[TQCI_DEPTH_MAX];
    bool has_value; /* the next token is a comma or an end */
    bool is_after_key;
    const char *token; /* of KEY, TEXT (between the quotes) and NUMBER */
    size_t n_token;
} tqci_json;

void tqci_json_open(tqci_json *json, const char *text, size_t n);
/* The next token; after END and FAULT the same again. */
tqci_kind tqci_json_next(tqci_json *json);
/* The rest of an object or array whose opening token was the last one. False: FAULT. */
bool tqci_json_skip(tqci_json *json);
/* The token as UTF-8 without escapes, cut to `size` and NUL-terminated. Returns its length. */
size_t tqci_json_text(const tqci_json *json, char *out, size_t size);

#endif
