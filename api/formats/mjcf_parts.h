/* SPDX-License-Identifier: Apache-2.0 */
/* api/formats/mjcf_parts.h - the elements of an MJCF file and their attributes; private to the
 * reader. */
#ifndef TQA_FORMATS_MJCF_PARTS_H
#define TQA_FORMATS_MJCF_PARTS_H

#include "api/formats/chain.h"
#include "api/formats/urdf_walk.h"

/* Elements stand in the order of the file, so that parents come first. */
typedef struct tqa_mjcf_node {
    const char *name;
    unsigned long line;
    const char *const *attributes; /* name, value, ..., NULL */
    uint32_t parent;               /* TQ_NONE: the outermost */
    uint32_t end;                  /* first element behind this one's children */
    uint32_t owner;                /* the body (or worldbody) it belongs to, frames left out */
    uint32_t childclass;           /* default class of what is inside, as a row of `classes` */
    uint32_t link;                 /* of a body or worldbody */
    tq_pose at;                    /* of the frames between owner and this element */
} tqa_mjcf_node;

/* A <default>: its class, and the one it refines. */
typedef struct tqa_mjcf_class {
    const char *name;
    uint32_t node, base;
} tqa_mjcf_class;

enum { TQA_MJCF_CLASS_MAX = 256, TQA_MJCF_COST_MAX = 20000000 };

typedef struct tqa_mjcf {
    tqa_draft *draft;
    tqa_urdf_file ignored; /* only its list of what is ignored is used */
    tqa_mjcf_node *nodes;
    size_t n_node, node_capacity;
    tqa_mjcf_class classes[TQA_MJCF_CLASS_MAX]; /* row 0: "main" */
    size_t n_class;
    double angle; /* radians of the file's unit */
    char eulerseq[4];
    bool autolimits;
    int from_geoms; /* 1: always, 0: where there is no <inertial>, -1: never */
    tqa_chain chain;
} tqa_mjcf;

/* Reads all elements (mjcf_tree.c). False: faults were added. */
bool tqa_mjcf_tree(tqa_mjcf *m, const char *bytes, size_t n);

/* Default classes, and the class inside every element (mjcf_value.c). */
bool tqa_mjcf_classes(tqa_mjcf *m);

/* The value of an attribute of element i, from its class when it is not there; NULL: nowhere. */
const char *tqa_mjcf_get(const tqa_mjcf *m, uint32_t i, const char *key);
bool tqa_mjcf_is(const tqa_mjcf *m, uint32_t i, const char *key, const char *value);

/* Numbers of an attribute: at least `least`, at most `most`; returns how many, 0 when it is absent
 * (ret is kept) or a fault was added. */
size_t tqa_mjcf_numbers(tqa_mjcf *m, uint32_t i, const char *key, size_t least, size_t most,
                        double *ret);

/* pos and whatever tells the rotation. */
void tqa_mjcf_pose(tqa_mjcf *m, uint32_t i, tq_pose *ret);

void tqa_mjcf_fault(tqa_mjcf *m, uint32_t i, const char *slug, const char *hint, const char *format,
                    ...) __attribute__((format(printf, 5, 6)));

/* Lists an element (attribute NULL) or attribute as ignored. */
void tqa_mjcf_ignore(tqa_mjcf *m, uint32_t i, const char *attribute, const char *why);

/* <equality> as rigid constraints, once links and joints are indexed (mjcf_equality.c); and the
 * attributes of one of its elements that are read, or NULL. */
bool tqa_mjcf_equality(tqa_mjcf *m);
const char *const *tqa_mjcf_equality_known(const tqa_mjcf *m, uint32_t i);

/* Mass of a body from its <inertial> or its geoms (mjcf_inertia.c). */
void tqa_mjcf_inertia(tqa_mjcf *m, uint32_t body, tq_inertia *ret);

#endif
