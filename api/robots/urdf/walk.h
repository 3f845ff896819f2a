/* SPDX-License-Identifier: Apache-2.0 */
/* api/robots/urdf/walk.h - one element of a URDF and its attributes; private to the reader. */
#ifndef TQA_ROBOTS_URDF_WALK_H
#define TQA_ROBOTS_URDF_WALK_H

#include "api/robots/urdf/parts.h"
#include "api/robots/xml.h"

enum { TQA_URDF_PATH_TEXT = 92 }; /* leaves room for a child's name in TQA_POINTER_TEXT */

/* Inside which element we are. */
typedef enum tqa_urdf_where {
    TQA_URDF_OUTSIDE,
    TQA_URDF_IN_ROBOT,
    TQA_URDF_IN_LINK,
    TQA_URDF_IN_INERTIAL,
    TQA_URDF_IN_JOINT,
    TQA_URDF_IN_TRANSMISSION,
    TQA_URDF_IN_ACTUATOR,
    TQA_URDF_IN_LEAF, /* an element without children that matter */
} tqa_urdf_where;

typedef struct tqa_urdf_walk {
    tqa_urdf_file *file;
    tqa_urdf_where stack[TQA_XML_DEPTH_MAX + 1];
    size_t depth;
    size_t skip;   /* open elements inside an ignored one, itself included */
    unsigned seen; /* elements already met in this link, joint or inertial: bits of SEEN_... */
    unsigned seen_inertial;
    char leaf[32];                 /* the name of the open element without children, cut */
    char path[TQA_URDF_PATH_TEXT]; /* of the link, joint or transmission that is open */
} tqa_urdf_walk;

enum {
    TQA_URDF_SEEN_INERTIAL = 1 << 0,
    TQA_URDF_SEEN_ORIGIN = 1 << 1,
    TQA_URDF_SEEN_MASS = 1 << 2,
    TQA_URDF_SEEN_INERTIA = 1 << 3,
    TQA_URDF_SEEN_PARENT = 1 << 4,
    TQA_URDF_SEEN_CHILD = 1 << 5,
    TQA_URDF_SEEN_AXIS = 1 << 6,
    TQA_URDF_SEEN_LIMIT = 1 << 7,
    TQA_URDF_SEEN_DYNAMICS = 1 << 8,
    TQA_URDF_SEEN_MIMIC = 1 << 9,
    TQA_URDF_SEEN_MORE_FRICTION = 1 << 10,
    TQA_URDF_SEEN_SPRING = 1 << 11,
    TQA_URDF_SEEN_ROTOR = 1 << 12,
    TQA_URDF_SEEN_LIMITS = 1 << 13,
    TQA_URDF_SEEN_LOG_LAW = 1 << 14,
    TQA_URDF_SEEN_CARRIED = 1 << 15,
};

/* The element now opening. */
typedef struct tqa_urdf_element {
    const char *name;
    unsigned long line;
    const char *const *attributes;
} tqa_urdf_element;

/* The value of an attribute, or NULL. */
const char *tqa_urdf_attribute(const tqa_urdf_element *e, const char *name);

/* Counts an element or attribute (its path: format) that has no effect, and why. */
void tqa_urdf_ignore(tqa_urdf_walk *w, unsigned long line, const char *text, const char *format,
                     ...) __attribute__((format(printf, 4, 5)));

/* Counts the attributes of `e` that are not among `known` (NULL at its end). */
void tqa_urdf_ignore_attributes(tqa_urdf_walk *w, const tqa_urdf_element *e,
                                const char *const *known);

/* The place of a child element of the open link or joint, for a fault. */
tqa_urdf_place tqa_urdf_place_of(const tqa_urdf_walk *w, const tqa_urdf_element *e,
                                 const char *child, char path[TQA_POINTER_TEXT]);

/* Reads n numbers of an attribute into ret, which keeps its value when there is none. */
void tqa_urdf_read_optional(const tqa_urdf_place *place, const tqa_urdf_element *e,
                            const char *name, size_t n, double *ret);

/* The same, but a missing attribute is a fault. */
void tqa_urdf_read_needed(const tqa_urdf_place *place, const tqa_urdf_element *e, const char *name,
                          size_t n, double *ret);

/* A name that must be there. NULL: a fault was added. */
const char *tqa_urdf_read_name(const tqa_urdf_place *place, const tqa_urdf_element *e,
                               const char *name);

/* False, with a fault, for a second element of this name. */
bool tqa_urdf_first_time(const tqa_urdf_place *place, const tqa_urdf_element *e, unsigned *seen,
                         unsigned bit);

/* Elements torqued:... of the robot, its links and its joints (extension.c). False: none of
 * them. */
bool tqa_urdf_open_gravity(tqa_urdf_walk *w, const tqa_urdf_element *e);
bool tqa_urdf_open_carried(tqa_urdf_walk *w, const tqa_urdf_element *e);
bool tqa_urdf_open_extension(tqa_urdf_walk *w, const tqa_urdf_element *e,
                             const tqa_urdf_place *place, tqa_urdf_joint *joint);

#endif
