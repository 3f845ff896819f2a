/* SPDX-License-Identifier: Apache-2.0 */
/* api/robots/urdf/parts.h - the contents of a URDF file, element by element; private to the reader.
 * */
#ifndef TQA_ROBOTS_URDF_PARTS_H
#define TQA_ROBOTS_URDF_PARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "api/robots/draft.h"
#include "api/robots/urdf/urdf.h"

typedef struct tqa_urdf_link {
    const char *name; /* "" when it has none: a fault was added */
    unsigned long line;
    double mass;
    double xyz[3], rpy[3];
    double inertia[6]; /* xx xy xz yy yz zz in the axes that rpy turns */
    double carried;    /* the share of its weight */
} tqa_urdf_link;

typedef struct tqa_urdf_joint {
    const char *name;
    unsigned long line;
    tq_joint_kind kind;
    const char *parent, *child; /* link names; NULL when not given */
    double xyz[3], rpy[3], axis[3];
    bool has_limit;
    tq_limits limits;
    double damping, friction;
    bool extended; /* some torqued: element with numbers was seen */
    bool passive;  /* it has no motor */
    tq_friction more;
    tq_log_law log_law;
    tq_spring spring;
    tq_rotor rotor;
    double turn_limits[2]; /* of a continuous joint */
    const char *mimic;     /* joint name or NULL */
    double multiplier, offset;
} tqa_urdf_joint;

typedef struct tqa_urdf_transmission {
    unsigned long line;
    const char *joint; /* the last one named, or NULL */
    uint32_t n_joint;
    double reduction, rotor_inertia; /* 0: not given */
    bool is_reduction_text;          /* mechanicalReduction is no number */
} tqa_urdf_transmission;

/* An element or attribute without effect, and how often it was seen. */
typedef struct tqa_urdf_ignored {
    const char *path; /* "link/visual", "joint/dynamics@D" */
    const char *text;
    unsigned long line; /* of the first */
    uint32_t count;
} tqa_urdf_ignored;

enum { TQA_URDF_IGNORED_MAX = 64 }; /* kinds; more are counted as one */

typedef struct tqa_urdf_file {
    tqa_draft *draft;
    tqa_urdf_link *links;
    tqa_urdf_joint *joints;
    tqa_urdf_transmission *transmissions;
    size_t n_link, link_capacity, n_joint, joint_capacity, n_transmission, transmission_capacity;
    tqa_urdf_ignored ignored[TQA_URDF_IGNORED_MAX];
    size_t n_ignored;
} tqa_urdf_file;

/* Reads every element (urdf_read.c). False: faults were added. */
bool tqa_urdf_read_elements(tqa_urdf_file *file, tqa_urdf_source *source, void *ctx);

/* Applies the torqued: elements and limits to a joint of one dof (extension.c). */
void tqa_urdf_fill_extension(const tqa_urdf_joint *row, tq_joint *joint);

/* Turns ignored elements into findings (build.c). */
void tqa_urdf_report_ignored(tqa_urdf_file *file);

/* Place of a value, for its fault (urdf_value.c). */
typedef struct tqa_urdf_place {
    tqa_draft *draft;
    const char *path; /* "/robot/joint[@name='j2']/axis" */
    unsigned long line;
} tqa_urdf_place;

/* Reads exactly n numbers with white space between them. Accepts what JSON's grammar does, and a
 * leading '+', ".5", "1." and leading zeros. False: a fault was added and ret is unchanged. */
bool tqa_urdf_read_numbers(const tqa_urdf_place *place, const char *attribute, const char *text,
                           size_t n, double *ret);

/* One number, written as those of tqa_urdf_read_numbers. False: it is none. */
bool tqa_urdf_word_number(const char *word, size_t n, double *ret);

/* Text that is no number, and no xacro expression either. */
bool tqa_urdf_is_words(const char *text);

#endif
