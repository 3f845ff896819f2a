/* SPDX-License-Identifier: Apache-2.0 */
/* api/robots/parsed.h - a parsed robot as api and its tests use it: names, mechanism, drives,
 * constraints and findings. The daemon holds it as an opaque pointer (api/robot.h). */
#ifndef TQA_ROBOTS_PARSED_H
#define TQA_ROBOTS_PARSED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "api/robot.h"
#include "api/robots/names.h"
#include "core/constraints/constraints.h"
#include "core/drives/drive.h"
#include "core/model/mechanism.h"
#include "core/model/model.h"

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
    uint32_t count; /* number of occurrences */
} tqa_finding;

/* The drive of a joint. Its rotor and the friction of its motor are in the model too, once: in the
 * joint's rotor and viscous friction. */
typedef struct tqa_joint_drive {
    tq_drive drive; /* motor.constant 0: the joint has none */
    double damping; /* of the joint alone, N m s/rad or N s/m */
} tqa_joint_drive;

/* Names of a constraint and of its parts in the file. */
typedef struct tqa_constraint {
    const char *name;
    const char *place; /* in the file */
    const char *const
        *texts; /* expressions: of each Pfaffian term in order, or of the equation; NULL: none */
} tqa_constraint;

/* Owned by one allocation set; everything inside lives until tqa_robot_free. */
struct tqa_robot {
    const char *name;             /* the name in the document, "" if it has none */
    const char *description;      /* a note for people, "" if it has none */
    const char *source;           /* "urdf", "mjcf", "document" */
    char digest[TQA_DIGEST_TEXT]; /* lower-case hex BLAKE2b-256 of the bytes */
    const tq_mechanism *mechanism;
    const tq_model *model;           /* inside the mechanism */
    const char *const *link_names;   /* (model->n_link) */
    const char *const *joint_names;  /* (model->n_joint) */
    const char *const *tendon_names; /* (model->n_tendon) */
    const double *joint_rpy; /* (3 n_joint) origins' roll pitch yaw as written, NaN: not; or NULL */
    const tqa_joint_drive *drives;          /* (model->n_joint), or NULL: no joint has one */
    tqa_names links, joints;                /* for tqa_robot_link and tqa_robot_joint */
    const tq_constraints *constraints;      /* NULL: none; n_constraint > 0 */
    const tqa_constraint *constraint_notes; /* (constraints->n_constraint) */
    const char *const *row_names;           /* (constraints->n_row) */
    const bool *actuated;                   /* (nv) rows of tau that have a motor; NULL: all */
    const double
        *assembled; /* (nq) coordinates that satisfy the constraints; NULL: no constraints */
    const double
        *far_q; /* (2 nq) least and largest coordinates that are not far beyond the limits */
    const bool *is_angle; /* (nq + nv) of q, then of qd: in rad, so that degrees may be meant */
    uint32_t n_free;      /* freedoms that the constraints leave */
    const tqa_finding *findings;
    size_t n_finding;
    void *arena; /* of the parser */
};

/* Joint or link number by name; TQ_NONE if there is none. */
uint32_t tqa_robot_joint(const tqa_robot *robot, const char *name, size_t n);
uint32_t tqa_robot_link(const tqa_robot *robot, const char *name, size_t n);

/* The drive of joint j, or NULL. */
const tq_drive *tqa_robot_drive(const tqa_robot *robot, uint32_t j);
/* The name of a link that a medium drags, or NULL. */
const char *tqa_robot_dragged(const tqa_robot *robot);
/* Viscous friction of joint j without that of its motor. */
double tqa_robot_damping(const tqa_robot *robot, uint32_t j);

#endif
