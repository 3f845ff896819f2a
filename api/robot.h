/* SPDX-License-Identifier: Apache-2.0 */
/* api/robot.h - an immutable parsed robot: its names, its mechanism, what was understood and what
 * was not. */
#ifndef TQA_ROBOT_H
#define TQA_ROBOT_H

#include <stddef.h>
#include <stdint.h>

#include "api/problem.h"
#include "api/robots/names.h"
#include "core/constraints/constraints.h"
#include "core/drives/drive.h"
#include "core/model/mechanism.h"
#include "core/model/model.h"

typedef enum tqa_media {
    TQA_MEDIA_NONE, /* recognise by the first bytes */
    TQA_MEDIA_JSON,
    TQA_MEDIA_CBOR,
    TQA_MEDIA_NPY,
    TQA_MEDIA_NPZ,
    TQA_MEDIA_CSV,
    TQA_MEDIA_XML, /* URDF, or MJCF by its root element */
    TQA_MEDIA_OTHER,
} tqa_media;

enum { TQA_NAME_MAX = 128, TQA_DIGEST_TEXT = 65, TQA_ROBOT_BYTES_MAX = 16 << 20 };

typedef enum tqa_finding_kind {
    TQA_FINDING_UNDERSTOOD, /* "12 links, 11 joints", ... */
    TQA_FINDING_IGNORED,    /* an element or attribute that has no effect here */
    TQA_FINDING_DOCTOR,     /* something that is allowed but probably wrong */
} tqa_finding_kind;

typedef struct tqa_finding {
    tqa_finding_kind kind;
    const char
        *where; /* "link forearm", "joint j3/transmission", line number included where known */
    const char *text;
    uint32_t count; /* how often it was seen */
} tqa_finding;

/* The drive of a joint. Its rotor and the friction of its motor are in the model too, once: in the
 * joint's rotor and viscous friction. */
typedef struct tqa_joint_drive {
    tq_drive drive; /* motor.constant 0: the joint has none */
    double damping; /* of the joint alone, N m s/rad or N s/m */
} tqa_joint_drive;

/* What a file calls a constraint. */
typedef struct tqa_constraint {
    const char *name;
    const char *place; /* in the file */
    const char *const
        *texts; /* expressions: of each Pfaffian term in order, or of the equation; NULL: none */
} tqa_constraint;

/* Owned by one allocation set; everything inside lives until tqa_robot_free. */
typedef struct tqa_robot {
    const char *name;             /* the name in the document, "" if it has none */
    const char *description;      /* a note for people, "" if it has none */
    const char *source;           /* "urdf", "mjcf", "document" */
    char digest[TQA_DIGEST_TEXT]; /* lower-case hex BLAKE2b-256 of the bytes */
    const tq_mechanism *mechanism;
    const tq_model *model;          /* inside the mechanism */
    const char *const *link_names;  /* (model->n_link) */
    const char *const *joint_names; /* (model->n_joint) */
    const double *joint_rpy; /* (3 n_joint) origins' roll pitch yaw as written, NaN: not; or NULL */
    const tqa_joint_drive *drives;          /* (model->n_joint), or NULL: no joint has one */
    tqa_names links, joints;                /* for tqa_robot_link and tqa_robot_joint */
    const tq_constraints *constraints;      /* NULL: none, and every joint is driven */
    const tqa_constraint *constraint_notes; /* (constraints->n_constraint) */
    const char *const *row_names;           /* (constraints->n_row) */
    const double
        *assembled;  /* (nq) coordinates that satisfy the constraints; NULL: no constraints */
    uint32_t n_free; /* freedoms that the constraints leave */
    const tqa_finding *findings;
    size_t n_finding;
    void *arena; /* of the parser */
} tqa_robot;

/* Parses a robot. NULL and a problem when the bytes are no robot: 400 for malformed, 422 for
 * impossible; every fault has its place (line and column for XML, a JSON pointer for documents).
 * Bounded in memory (1 MiB and 64 times the bytes, 1 GiB at most), depth (64) and attributes (64 an
 * element). Never reads anything but the bytes. */
tqa_robot *tqa_robot_parse(tqa_media media, const char *bytes, size_t n, tqa_problem *reterr);
void tqa_robot_free(tqa_robot *robot); /* accepts NULL */

/* Joint or link number by name; TQ_NONE if there is none. */
uint32_t tqa_robot_joint(const tqa_robot *robot, const char *name, size_t n);
uint32_t tqa_robot_link(const tqa_robot *robot, const char *name, size_t n);

/* The drive of joint j, or NULL. */
const tq_drive *tqa_robot_drive(const tqa_robot *robot, uint32_t j);
/* Viscous friction of joint j without that of its motor. */
double tqa_robot_damping(const tqa_robot *robot, uint32_t j);

/* The robot document (GET), and the answer to PUT (document plus findings). malloc'ed JSON text;
 * NULL only when memory is short. */
char *tqa_robot_document(const tqa_robot *robot, const char *name, size_t *ret_n);
char *tqa_robot_report(const tqa_robot *robot, const char *name, size_t *ret_n);

/* The robot as URDF, malloc'ed; read again it is the same robot, and prints the same text. What
 * only torqued understands stands in elements torqued:... NULL with a problem: 406 when URDF has no
 * words for it (spherical joints, names that XML cannot hold). Of drives only what moves is told:
 * rotors and friction. */
char *tqa_robot_urdf(const tqa_robot *robot, const char *name, size_t *ret_n, tqa_problem *reterr);

/* The built-in robots: n of them, name and bytes by number. */
size_t tqa_builtin_count(void);
const char *tqa_builtin_name(size_t i);
const char *tqa_builtin_bytes(size_t i, size_t *ret_n, tqa_media *ret_media);

#endif
