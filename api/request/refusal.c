/* SPDX-License-Identifier: Apache-2.0 */
/* api/request/refusal.c - JSON pointers, and hints shared by several readers of a request. */
#include "api/request/refusal.h"

#include <stdio.h>
#include <string.h>

bool tqa_refuse_at(tqa_problem *problem, const char *pointer, uint64_t at, const char *slug,
                   const char *hint, const char *detail)
{
    const char *separator = pointer[0] != '\0' ? ": " : "";
    if (at != UINT64_MAX) {
        (void)tqa_problem_set(problem, slug, "%s%s%s (byte %llu of the body)", pointer, separator,
                              detail, (unsigned long long)at);
    } else {
        (void)tqa_problem_set(problem, slug, "%s%s%s", pointer, separator, detail);
    }
    tqa_problem_fault(problem, pointer, hint, "%s", detail);
    return false;
}

bool tqa_refuse_root(tqa_problem *problem, uint64_t at, const char *got)
{
    char detail[TQA_PROBLEM_TEXT];
    (void)snprintf(detail, sizeof detail, "expected an object with named fields, got %s", got);
    return tqa_refuse_at(problem, "", at, "wrong-type",
                         "write the fields of the request in braces: {...}", detail);
}

void tqa_hint_type(const char *wanted, const char *got, char hint[TQA_PROBLEM_TEXT])
{
    const bool one_number = strncmp(wanted, "a number", 8) == 0;
    if (strcmp(got, "null") == 0) {
        (void)snprintf(hint, TQA_PROBLEM_TEXT, "leave the field out, or write %s", wanted);
    } else if (one_number && strcmp(got, "a string") == 0) {
        (void)snprintf(hint, TQA_PROBLEM_TEXT, "write the number without quotes");
    } else if (one_number && strcmp(got, "an array") == 0) {
        (void)snprintf(hint, TQA_PROBLEM_TEXT, "write one number, without brackets");
    } else {
        (void)snprintf(hint, TQA_PROBLEM_TEXT, "write %s", wanted);
    }
}

const char *tqa_hint_decode(tqa_decode state, tqa_media media)
{
    switch (state) {
    case TQA_DECODE_NOT_FINITE:
        return "leave out what is not known or was not measured; numbers end at 1.797e308";
    case TQA_DECODE_LIMIT:
        return "write it flatter or shorter; no request that is understood has this depth or "
               "length";
    case TQA_DECODE_MALFORMED:
        return media == TQA_MEDIA_JSON || media == TQA_MEDIA_NONE
                   ? "at this byte: JSON has double quotes, a comma between two elements and "
                     "none after the last, no comments, and no NaN or Infinity"
                   : "compare the body with what was encoded: it may be cut short, or of another "
                     "type than its Content-Type says";
    case TQA_DECODE_OK:
    case TQA_DECODE_REFUSED:
        break;
    }
    return NULL;
}

void tqa_hint_sample(size_t n, char hint[TQA_PROBLEM_TEXT])
{
    (void)snprintf(hint, TQA_PROBLEM_TEXT,
                   "one sample of this array is %zu numbers; a batch is an array of such arrays",
                   n);
}

void tqa_hint_missing_samples(const char *name, size_t n, char hint[TQA_PROBLEM_TEXT])
{
    (void)snprintf(hint, TQA_PROBLEM_TEXT,
                   "add \"%s\": an array of %zu numbers, or an array of such", name, n);
}

void tqa_place_index(char pointer[TQA_POINTER_TEXT], size_t index)
{
    const size_t n = strlen(pointer);
    (void)snprintf(pointer + n, TQA_POINTER_TEXT - n, "/%zu", index);
}

void tqa_place_key(char pointer[TQA_POINTER_TEXT], const char *key, size_t n)
{
    size_t used = strlen(pointer);
    if (used + 1 < TQA_POINTER_TEXT) {
        pointer[used++] = '/';
    }
    for (size_t i = 0; i < n && used + 2 < TQA_POINTER_TEXT; i++) {
        if (key[i] == '~' || key[i] == '/') {
            pointer[used++] = '~';
            pointer[used++] = key[i] == '~' ? '0' : '1';
        } else {
            pointer[used++] = key[i];
        }
    }
    pointer[used] = '\0';
}
