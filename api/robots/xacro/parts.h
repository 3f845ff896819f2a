/* SPDX-License-Identifier: Apache-2.0 */
/* api/robots/xacro/parts.h - values, scopes and macros; private to the reader. */
#ifndef TQA_ROBOTS_XACRO_PARTS_H
#define TQA_ROBOTS_XACRO_PARTS_H

#include "api/robots/xml.h"
#include "api/robots/xml_tree.h"

enum {
    TQA_XACRO_ELEMENT_MAX = 200000,
    TQA_XACRO_CALL_MAX = 32,      /* macros, blocks and includes inside each other */
    TQA_XACRO_STEP_MAX = 2000000, /* names looked through, operators, bytes of texts */
    TQA_XACRO_TEXT_MAX = 1024,    /* bytes of one value */
    TQA_XACRO_NESTING = 48,       /* brackets inside each other */
};

typedef enum tqa_xacro_kind {
    TQA_XACRO_FLOAT,
    TQA_XACRO_INTEGER,
    TQA_XACRO_BOOLEAN,
    TQA_XACRO_TEXT
} tqa_xacro_kind;

typedef struct tqa_xacro_value {
    tqa_xacro_kind kind;
    double number;
    const char *text; /* arena */
} tqa_xacro_value;

typedef struct tqa_xacro_scope tqa_xacro_scope;

/* An element of a file, or the children of one. */
typedef struct tqa_xacro_block {
    const tqa_xml_tree *tree; /* NULL: none */
    uint32_t node;
    bool children;
    tqa_xacro_scope *scope; /* that its names are looked up in */
} tqa_xacro_block;

/* A property or a parameter. */
typedef struct tqa_xacro_symbol {
    const char *name;
    const char *text; /* not evaluated yet; NULL: `value` counts */
    tqa_xacro_value value;
    tqa_xacro_block block;
    bool busy; /* is being evaluated */
} tqa_xacro_symbol;

struct tqa_xacro_scope {
    tqa_xacro_scope *parent;
    tqa_xacro_symbol *rows;
    size_t n, capacity;
};

typedef struct tqa_xacro_macro {
    const char *name;
    const char *params;
    const tqa_xml_tree *tree;
    uint32_t node;
} tqa_xacro_macro;

typedef struct tqa_xacro {
    tqa_draft *draft;
    const tqa_xml_reader *reader;
    tqa_xml_tree *main;
    tqa_xacro_scope global, args;
    tqa_xacro_macro *macros;
    size_t n_macro, macro_capacity;
    size_t n_element, n_step, n_call, depth, nesting;
    bool stopped;             /* the reader returned false */
    const tqa_xml_tree *tree; /* the element under way, for faults */
    uint32_t node;
} tqa_xacro;

/* False, always: a fault at the element under way. */
bool tqa_xacro_fault(tqa_xacro *x, const char *slug, const char *hint, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Counts n steps. False: there were too many, a fault was added. */
bool tqa_xacro_step(tqa_xacro *x, size_t n);

/* scope.c: the symbol of a name here or above, NULL: none; a new or the old row of this scope. */
tqa_xacro_symbol *tqa_xacro_find(tqa_xacro *x, tqa_xacro_scope *scope, const char *name, size_t n,
                                 tqa_xacro_scope **ret_owner);
tqa_xacro_symbol *tqa_xacro_set(tqa_xacro *x, tqa_xacro_scope *scope, const char *name);
/* The value of a name. False: a fault was added. */
bool tqa_xacro_get(tqa_xacro *x, tqa_xacro_scope *scope, const char *name, size_t n,
                   tqa_xacro_value *ret);

/* evaluate.c: one expression. */
bool tqa_xacro_evaluate(tqa_xacro *x, tqa_xacro_scope *scope, const char *text, size_t n,
                        tqa_xacro_value *ret);

/* text.c: text with ${...} and $(...), typed when it is one expression; as text; as yes or no. */
bool tqa_xacro_text(tqa_xacro *x, tqa_xacro_scope *scope, const char *text, tqa_xacro_value *ret);
const char *tqa_xacro_string(tqa_xacro *x, tqa_xacro_scope *scope, const char *text);
const char *tqa_xacro_print(tqa_xacro *x, const tqa_xacro_value *value);
bool tqa_xacro_truth(tqa_xacro *x, const tqa_xacro_value *value, bool *ret);
/* "0.5" -> a float, "3" -> an integer, "true" -> a boolean, other text as it is. */
void tqa_xacro_literal(tqa_xacro_value *value);

/* expand.c */
bool tqa_xacro_expand(tqa_xacro *x, const tqa_xacro_block *block);

/* instruction.c: an element xacro:... . False: a fault was added, or the reader stops. */
bool tqa_xacro_instruct(tqa_xacro *x, const tqa_xacro_block *block);

/* macro.c */
bool tqa_xacro_define(tqa_xacro *x, const tqa_xacro_block *block);
bool tqa_xacro_call(tqa_xacro *x, const tqa_xacro_block *block, const char *name);

#endif
