/* SPDX-License-Identifier: Apache-2.0 */
/* api/formats/document.h - a control document as a tree, read from the events of any format. */
#ifndef TQA_FORMATS_DOCUMENT_H
#define TQA_FORMATS_DOCUMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "api/formats/arena.h"
#include "api/formats/events.h"
#include "api/problem.h"

/* For documents of mixed fields; a run of samples goes through operations/request straight into
 * blocks. An array of numbers is one flat span, eight bytes a number and no more. */
typedef enum tqa_node_kind {
    TQA_NODE_NULL,
    TQA_NODE_BOOLEAN,
    TQA_NODE_NUMBER,
    TQA_NODE_STRING,
    TQA_NODE_ARRAY,   /* of anything but numbers; also the empty array */
    TQA_NODE_NUMBERS, /* an array of numbers alone */
    TQA_NODE_OBJECT,
} tqa_node_kind;

typedef struct tqa_node {
    tqa_node_kind kind;
    bool boolean;
    bool known;      /* a member that tqa_node_field was asked for */
    uint64_t at;     /* byte of the input where it begins */
    size_t index;    /* its place among its siblings */
    const char *key; /* of a member, NUL-terminated; else NULL */
    double number;
    const char *text; /* of a string, NUL-terminated */
    size_t n;         /* bytes of a string, children of an array or object, numbers of a span */
    double *values;   /* of a span */
    size_t room;      /* of a span */
    struct tqa_node *parent, *first, *last, *next;
} tqa_node;

/* A document on its way in. */
typedef struct tqa_document {
    tqa_arena *arena; /* the caller's; everything below lives in it */
    tqa_problem *problem;
    tqa_node *root; /* NULL until something came */
    tqa_node *open; /* the innermost array or object that is not closed */
    const char *key;
    size_t n_node;
} tqa_document;

enum { TQA_DOCUMENT_NODES_MAX = 1 << 20 };

void tqa_document_init(tqa_document *document, tqa_arena *arena, tqa_problem *problem);

/* The receiver for a decoder, with the document as ctx. Refuses duplicate keys, arrays that mix
 * numbers and other values, and documents over the arena's budget: the problem is then set. */
extern const tqa_events tqa_document_events;

/* Readers. A node may be NULL for a member that is not there. Each returns false with the problem
 * set, naming the place, when the value is missing or of another kind. */

/* The member of an object, or NULL. */
tqa_node *tqa_node_field(const tqa_node *object, const char *key);
/* The same, but it must be there: `hint` says what to add. NULL: the problem is set. */
tqa_node *tqa_node_require(tqa_problem *problem, const tqa_node *object, const char *key,
                           const char *hint);
/* Every member must have been asked for: call it when all fields have been read. `known`, ending
 * with NULL, is for the hint. */
bool tqa_node_all_known(tqa_problem *problem, const tqa_node *object, const char *const *known);

bool tqa_node_object(tqa_problem *problem, const tqa_node *node);
bool tqa_node_number(tqa_problem *problem, const tqa_node *node, double *ret);
bool tqa_node_boolean(tqa_problem *problem, const tqa_node *node, bool *ret);
bool tqa_node_string(tqa_problem *problem, const tqa_node *node, const char **ret);
/* Exactly n numbers; SIZE_MAX: any count. */
bool tqa_node_numbers(tqa_problem *problem, const tqa_node *node, size_t n, const double **ret);
/* A whole number from low to high. */
bool tqa_node_count(tqa_problem *problem, const tqa_node *node, size_t low, size_t high,
                    size_t *ret);
/* One of `names`, which ends with NULL: its place in the list. */
bool tqa_node_choice(tqa_problem *problem, const tqa_node *node, const char *const *names,
                     size_t *ret);

/* A fault of the node's value. Always false. */
bool tqa_node_refuse(tqa_problem *problem, const tqa_node *node, const char *slug, const char *hint,
                     const char *format, ...) __attribute__((format(printf, 5, 6)));

/* JSON pointer of a node. */
void tqa_node_pointer(const tqa_node *node, char pointer[TQA_POINTER_TEXT]);

#endif
