/* SPDX-License-Identifier: Apache-2.0 */
/* api/robots/sdf/parts.h - elements of an SDF file, and models, links, joints and frames with their
   poses; private to the reader. */
#ifndef TQA_ROBOTS_SDF_PARTS_H
#define TQA_ROBOTS_SDF_PARTS_H

#include "api/robots/chain.h"
#include "api/robots/urdf/walk.h"
#include "api/robots/xml_tree.h"

typedef enum tqa_sdf_kind {
    TQA_SDF_MODEL,
    TQA_SDF_LINK,
    TQA_SDF_FRAME,
    TQA_SDF_JOINT
} tqa_sdf_kind;

/* A model, link, joint or frame. */
typedef struct tqa_sdf_thing {
    tqa_sdf_kind kind;
    uint32_t node;
    uint32_t scope;     /* the model that it is in, TQ_NONE: the world */
    const char *prefix; /* of a model: of the names in it, "" or "arm::" */
    const char *name;   /* "arm::link1" */
    const char *own;    /* the robot's: of <torqued:name>, which an exported robot may have */
    uint32_t base;      /* the frame of its pose; TQ_NONE: the world */
    tq_pose pose;       /* in that frame; once `placed`, in the world */
    bool placed, on_the_way;
    bool is_static; /* of a model */
    uint32_t weld;  /* of a frame that is a link without mass: <torqued:joint>; else TQ_NONE */
    uint32_t link;  /* of a link, or such a frame: its number in the chain */
} tqa_sdf_thing;

/* A joint that closes a loop, or a gearbox, as a constraint; links are those of the chain. */
typedef struct tqa_sdf_loop {
    uint32_t thing;
    tq_constraint constraint;
    tq_coupling_term
        *terms; /* of a gearbox: those of the constraint, by things until it is handed on */
} tqa_sdf_loop;

typedef struct tqa_sdf {
    tqa_draft *draft;
    tqa_urdf_file ignored; /* only its list of what is ignored is used */
    tqa_xml_tree tree;
    tqa_sdf_thing *things;
    size_t n_thing, thing_capacity;
    tqa_names links, all;        /* numbers of things by name: links alone, and all */
    const uint32_t *link_things; /* thing of each row of `links` */
    uint32_t *above, *below, *carrier, *compound; /* (n_thing) set and used in carrier.c */
    bool *turned; /* (n_thing) joints that are read from their child to their parent */
    double version;
    tqa_sdf_loop *loops;
    size_t n_loop, loop_capacity;
    tqa_chain chain;
} tqa_sdf;

/* Reads all elements (tree.c). False: faults were added. */
bool tqa_sdf_tree(tqa_sdf *s, const char *bytes, size_t n);

/* The first child of this name, or TQ_NONE; an attribute or NULL; a child's text or NULL. */
uint32_t tqa_sdf_child(const tqa_sdf *s, uint32_t i, const char *name);
const char *tqa_sdf_attribute(const tqa_sdf *s, uint32_t i, const char *name);
const char *tqa_sdf_text(const tqa_sdf *s, uint32_t i, const char *child);

/* n numbers of element i's text; of its child's text, which may be absent: ret is kept. */
void tqa_sdf_numbers(tqa_sdf *s, uint32_t i, size_t n, double *ret);
void tqa_sdf_optional(tqa_sdf *s, uint32_t i, const char *child, double *ret);
/* "true" or "1" */
bool tqa_sdf_is_true(const char *text);

void tqa_sdf_fault(tqa_sdf *s, uint32_t i, const char *slug, const char *hint, const char *format,
                   ...) __attribute__((format(printf, 5, 6)));
void tqa_sdf_ignore(tqa_sdf *s, uint32_t i, const char *why);

/* The pose that element i states by its child <pose>; identity: none. */
void tqa_sdf_pose(tqa_sdf *s, uint32_t i, tq_pose *ret);

/* Things of a file, their names, and their places in the world (frame.c). */
bool tqa_sdf_frames(tqa_sdf *s);
/* A name as element i of model `scope` writes it: a thing, or TQ_NONE. */
uint32_t tqa_sdf_find(const tqa_sdf *s, uint32_t scope, const char *name);
/* True when "world" is the parent of a joint, and no link of its model is named so. */
bool tqa_sdf_hangs_from_world(const tqa_sdf *s, uint32_t joint);
/* True for a link, and for a frame that is one. */
bool tqa_sdf_is_link(const tqa_sdf_thing *thing);
/* The link that a thing is fixed to, or TQ_NONE. */
uint32_t tqa_sdf_body(const tqa_sdf *s, uint32_t thing);

void tqa_sdf_inertia(tqa_sdf *s, uint32_t thing, tq_inertia *ret);

/* Finds what could carry each link, and which joints have to be read the other way round
 * (carrier.c). False: no memory. */
bool tqa_sdf_carriers(tqa_sdf *s);
/* True where another joint to the same child has to carry it, which no constraint can be, and can:
 * what that hangs from does not hang from the child. */
bool tqa_sdf_gives_way(const tqa_sdf *s, uint32_t child);

/* Adds all joints of the file to the chain (joint.c). False: faults were added. */
bool tqa_sdf_joints(tqa_sdf *s);
/* Hands joints that close loops to the draft as constraints, once links are indexed. */
bool tqa_sdf_loops(tqa_sdf *s);
/* Links that universal joints need between their axes. */
uint32_t tqa_sdf_extra_links(const tqa_sdf *s);

#endif
