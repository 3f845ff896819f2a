/* SPDX-License-Identifier: Apache-2.0 */
/* api/robots/mjcf/parts.h - the elements of an MJCF file and their attributes; private to the
 * reader. */
#ifndef TQA_ROBOTS_MJCF_PARTS_H
#define TQA_ROBOTS_MJCF_PARTS_H

#include "api/robots/chain.h"
#include "api/robots/urdf/walk.h"

/* Elements are in the order of the file, so that parents come first. */
typedef struct tqa_mjcf_node {
    const char *name;
    unsigned long line;
    uint32_t member;               /* of the archive that the file is in; TQ_NONE: a single file */
    const char *const *attributes; /* name, value, ..., NULL */
    uint32_t parent;               /* TQ_NONE: the outermost */
    uint32_t end;                  /* first element after this one's children */
    uint32_t owner;                /* the body (or worldbody) it belongs to, frames left out */
    uint32_t childclass;           /* default class of what is inside, as a row of `classes` */
    uint32_t link;                 /* of a body or worldbody */
    bool moves;                    /* a body with a joint between it and the world */
    tq_pose at;                    /* of the frames between owner and this element */
} tqa_mjcf_node;

/* A <default>: its class, and the one it refines. */
typedef struct tqa_mjcf_class {
    const char *name;
    uint32_t node, base;
} tqa_mjcf_class;

enum { TQA_MJCF_CLASS_MAX = 256, TQA_MJCF_COST_MAX = 20000000 };

/* compiler, option and flag */
typedef struct tqa_mjcf_settings {
    double angle; /* radians of the file's unit */
    char eulerseq[4];
    bool autolimits, align_free, balance_inertia;
    int from_geoms;                   /* 1: always, 0: where there is no <inertial>, -1: never */
    double groups[2];                 /* of geoms that inertias are inferred from */
    double bound_mass, bound_inertia; /* least of every body */
    double total_mass;                /* masses are scaled to it; 0 or less: as they are */
    bool no_gravity, no_spring, no_damper, no_frictionloss, no_equality, no_actuation;
} tqa_mjcf_settings;

typedef struct tqa_mjcf {
    tqa_draft *draft;
    tqa_urdf_file ignored; /* only its list of what is ignored is used */
    tqa_urdf_file doubts;  /* the same for what may change numbers: the doctor's */
    tqa_mjcf_node *nodes;
    size_t n_node, node_capacity;
    tqa_mjcf_class classes[TQA_MJCF_CLASS_MAX]; /* row 0: "main" */
    size_t n_class;
    tqa_mjcf_settings set;
    bool *included;               /* (members of the archive) */
    struct tqa_mjcf_mesh *meshes; /* of <asset>, and their names (mjcf/asset.c) */
    uint32_t n_mesh;
    tqa_names mesh_names;
    uint32_t weightless; /* a geom whose mass is not inferred, on a body that cannot move */
    tqa_chain chain;
    /* by the joint's number in the chain: qpos0 of one freedom; time constant and damping ratio of
     * springdamper, 0: none */
    double *references, *spring_dampers;
    double *spring_references; /* springref of one freedom, whether it has a spring or not */
    uint32_t spring_damper;    /* the first element with one, or 0 */
    size_t cost;               /* elements that were searched for sites of tendons */
    bool *follows;             /* (n_node) an equality that a joint's mimicry stands for */
} tqa_mjcf;

/* Reads all elements (mjcf_tree.c). False: faults were added. */
bool tqa_mjcf_tree(tqa_mjcf *m, const char *bytes, size_t n);

/* A member of the archive that an element of member `from` names: beside the main file in `folder`,
 * or beside its own file; TQ_NONE: there is none (mjcf/tree.c). */
uint32_t tqa_mjcf_member(const tqa_mjcf *m, uint32_t from, const char *folder, const char *path);

/* The mesh that geom i names, as a solid of 1 kg/m^3 in the axes of the geom. NULL, or why there is
 * none: arena or constant (mjcf/asset.c). */
const char *tqa_mjcf_mesh_inertia(tqa_mjcf *m, uint32_t geom, tq_inertia *ret);

/* Default classes, and the class inside every element (mjcf_value.c). */
bool tqa_mjcf_classes(tqa_mjcf *m);

/* The value of an attribute of element i, from its class when it is not there; NULL: nowhere. */
const char *tqa_mjcf_get(const tqa_mjcf *m, uint32_t i, const char *key);
bool tqa_mjcf_is(const tqa_mjcf *m, uint32_t i, const char *key, const char *value);

/* Numbers of an attribute: at least `least`, at most `most`; returns how many, 0 when it is absent
 * (ret is kept) or a fault was added. */
size_t tqa_mjcf_numbers(tqa_mjcf *m, uint32_t i, const char *key, size_t least, size_t most,
                        double *ret);

/* pos and the rotation, in any of its forms; and the pose of a body as the file has it, at its
 * joints' references. */
void tqa_mjcf_pose(tqa_mjcf *m, uint32_t i, tq_pose *ret);
tq_pose tqa_mjcf_body_pose(tqa_mjcf *m, uint32_t body);

void tqa_mjcf_fault(tqa_mjcf *m, uint32_t i, const char *slug, const char *hint, const char *format,
                    ...) __attribute__((format(printf, 5, 6)));

/* Lists an element (attribute NULL) or attribute as ignored; and as one for the doctor. */
void tqa_mjcf_ignore(tqa_mjcf *m, uint32_t i, const char *attribute, const char *why);
void tqa_mjcf_doubt(tqa_mjcf *m, uint32_t i, const char *attribute, const char *why);

/* Refuses an attribute that acts in MuJoCo and is not read here; `what`: its description. */
void tqa_mjcf_refuse(tqa_mjcf *m, uint32_t i, const char *key, const char *what);

/* All numbers of an attribute, inherited ones too, are 0, or it is nowhere. */
bool tqa_mjcf_is_zero(tqa_mjcf *m, uint32_t i, const char *key);

/* compiler, option and flag (mjcf_settings.c) */
void tqa_mjcf_read_settings(tqa_mjcf *m);

/* Refuses by name elements that act in MuJoCo and are not read, unless their value has no effect
 * (guard.c). */
void tqa_mjcf_guard(tqa_mjcf *m);

/* The largest magnitude of a range that is in effect; infinite: there is none (actuator.c). */
double tqa_mjcf_limit(tqa_mjcf *m, uint32_t i, const char *range_key, const char *limited_key);
/* Compensation of gravity, once the links have their masses (guard.c). */
void tqa_mjcf_compensate(tqa_mjcf *m);

/* Lists everything that had no effect, and doubts what no table of MuJoCo's format has
 * (mjcf_known.c). */
void tqa_mjcf_report(tqa_mjcf *m);

/* <equality> as rigid constraints, once links and joints are indexed (mjcf_equality.c); and the
 * attributes of one of its elements that are read, or NULL. */
bool tqa_mjcf_equality(tqa_mjcf *m);
/* Before that: equalities for which an exported robot had a joint that follows another, and has
 * again. False: no memory. */
bool tqa_mjcf_followers(tqa_mjcf *m);
const char *const *tqa_mjcf_equality_known(const tqa_mjcf *m, uint32_t i);

/* <actuator>: which joints have a motor, and the limits of their torque, once links and joints are
 * indexed (actuator.c). False: faults were added. */
bool tqa_mjcf_actuators(tqa_mjcf *m);

/* Tendons with a spring, a damper or dry friction, once joints are indexed (tendon.c). False:
 * faults were added. */
bool tqa_mjcf_tendons(tqa_mjcf *m);

/* armature of tendons of one joint, into its rotor; before what depends on the mass matrix
 * (tendon.c). */
void tqa_mjcf_tendon_armatures(tqa_mjcf *m);

/* The robot where the springs of its joints rest; q NULL: not yet made. */
typedef struct tqa_mjcf_rest {
    tq_model tree;
    const double *q;
} tqa_mjcf_rest;

/* The path of a <spatial> tendon, through sites and pulleys and around geoms (tendon_path.c).
 * *rest is made by the first call; *ret_rest: the length there. False: faults were added. */
bool tqa_mjcf_tendon_path(tqa_mjcf *m, uint32_t tendon, tqa_mjcf_rest *rest, tqa_tendon_parts *ret,
                          double *ret_rest);

/* Springs and dampers out of springdamper, once the links have their masses (spring_damper.c). */
void tqa_mjcf_convert_spring_dampers(tqa_mjcf *m);

/* A finished copy of the tree (arena), and its q where each joint of one freedom has its number
 * among `singles` and bodies that float are where the file has them. False, NULL: it is no tree, or
 * memory is short, which the checks of all formats report. */
bool tqa_mjcf_copy_tree(const tqa_mjcf *m, tq_model *ret);
double *tqa_mjcf_coordinates(tqa_mjcf *m, const tq_model *tree, const double *singles);

/* Mass of a body from its <inertial> or its geoms, at least the compiler's bounds, and in a fluid
 * the box of equal inertia; and all masses scaled to its total (mjcf_inertia.c). */
void tqa_mjcf_inertia(tqa_mjcf *m, uint32_t body, tq_link *link);
void tqa_mjcf_scale_masses(tqa_mjcf *m);

/* Centre and direction (z) of a geom given by its two ends, and half their distance. False: it is
 * not, and neither is written (mjcf_inertia.c). */
bool tqa_mjcf_ends(tqa_mjcf *m, uint32_t i, tq_pose *pose, double *ret_half);

#endif
