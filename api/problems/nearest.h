/* SPDX-License-Identifier: Apache-2.0 */
/* api/problems/nearest.h - the known name that a misspelt one was probably meant to be. */
#ifndef TQA_PROBLEMS_NEAREST_H
#define TQA_PROBLEMS_NEAREST_H

#include <stddef.h>

enum { TQA_NEAREST_TEXT = 256 };

/* The search for the nearest of many names: give them one by one. */
typedef struct tqa_nearest {
    const char *text;
    size_t n_text;
    const char *best;  /* NULL: none is near */
    size_t distance;   /* of best: letters to insert, delete or replace */
    unsigned rank;     /* of best as another word for `text`; 0: it is none */
    const char *note;  /* text to write instead; NULL: best itself */
    const char *alike; /* has a word in common with `text`; NULL: none has */
    size_t n_alike;    /* letters of that word */
    size_t n_list;
    char list[TQA_NEAREST_TEXT]; /* the first offered names, up to this number */
    char hint[TQA_NEAREST_TEXT];
} tqa_nearest;

void tqa_nearest_init(tqa_nearest *nearest, const char *text, size_t n);
void tqa_nearest_offer(tqa_nearest *nearest, const char *name);
/* After all offers: "did you mean ...?"; if only a word is shared, followed by the list of names;
   else the list alone. Valid as long as `nearest`. */
const char *tqa_nearest_hint(tqa_nearest *nearest);

#endif
