/* SPDX-License-Identifier: Apache-2.0 */
/* api/robots/draft.h - a robot while it is being read: the result of every format's reader. */
#ifndef TQA_ROBOTS_DRAFT_H
#define TQA_ROBOTS_DRAFT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "api/memory/arena.h"
#include "api/problem.h"
#include "api/robots/names.h"
#include "api/robots/parsed.h"
#include "core/model/model.h"

/* The reader of a format fills in name, source, model (links, joints and their numbers, gravity)
 * and the names; tqa_draft_check does the rest. Everything lives in the arena. */
typedef struct tqa_zip tqa_zip; /* api/robots/zip/zip.h */

typedef struct tqa_draft {
    tqa_arena *arena;     /* the caller's */
    tqa_problem *problem; /* the caller's; status 0 as long as nothing is wrong */
    const char *name, *description;
    const char *source; /* "urdf", "mjcf", "document" */
    const char *prefix; /* of JSON pointers: "" or "/tree" */
    tqa_zip *archive;   /* the files that the robot's file may name; NULL: none */
    uint32_t main;      /* the robot's own file in it */
    /* the root's joint: "fixed", "floating", "planar"; NULL: as in the file */
    const char *base;
    bool xml;                       /* places are XML paths of a URDF, not JSON pointers */
    bool lists_words;               /* findings are shown: other words for fields may be read */
    tq_model model;                 /* links, joints, order: arena */
    const char *const *link_names;  /* (model.n_link) */
    const char *const *joint_names; /* (model.n_joint) */
    /* place of each in the file; NULL: by number in links and joints */
    const char *const *link_places, *const *joint_places;
    double *joint_rpy; /* (3 n_joint) angles as the file has them, NaN where it has none; or NULL */
    tqa_joint_drive *drives; /* (model.n_joint), or NULL: no joint has one */
    tqa_names links, joints;
    /* constraints, before tqa_constraints_resolve with numbers of joints in place of rows */
    tq_constraints constraints;
    tqa_constraint *constraint_notes; /* (constraints.n_constraint) */
    const char **row_names;           /* (constraints.n_row), once resolved */
    bool *actuated;                   /* (model.n_joint); NULL: all */
    double *assembled;         /* (model.nq) satisfies the constraints; NULL: there are none */
    uint32_t n_free;           /* freedoms that the constraints leave */
    const char **tendon_names; /* (model.n_tendon) */
    size_t tendon_room, share_room, point_room, tendon_name_room;
    tqa_finding *findings;
    size_t n_finding, finding_capacity;
} tqa_draft;

/* Adds a fault with its place, and starts the problem with `slug` when it is the first. */
void tqa_draft_fault(tqa_draft *draft, const char *slug, const char *pointer, const char *hint,
                     const char *format, ...) __attribute__((format(printf, 5, 6)));
/* Adds the fault that the arena is too small, and returns false. */
bool tqa_draft_no_memory(tqa_draft *draft);
/* True, with that fault, when something did not fit the arena. */
bool tqa_draft_is_spent(tqa_draft *draft);

/* The place of a part ("axis"; "" for the whole) of joint i in the user's file. */
void tqa_draft_joint_place(const tqa_draft *draft, uint32_t i, const char *part,
                           char pointer[TQA_POINTER_TEXT]);

/* Adds a finding; both texts are constants or live in the arena. Silently none when memory is
 * short: see tqa_arena_spent. */
void tqa_draft_find(tqa_draft *draft, tqa_finding_kind kind, const char *where, const char *text,
                    uint32_t count);

/* The word for a kind of joint in a robot document, and back; false: no such word. */
const char *tqa_joint_kind_name(tq_joint_kind kind);
bool tqa_joint_kind_find(const char *name, tq_joint_kind *ret);

/* Indexes the names (needed to resolve them) and refuses duplicates. False: faults were added. */
bool tqa_draft_index(tqa_draft *draft);

/* Room for the drive of joint i, its numbers still their defaults. NULL: a fault was added. */
tqa_joint_drive *tqa_draft_drive(tqa_draft *draft, uint32_t i);

/* What a tendon goes along: a sum of coordinates, or points on links. */
typedef struct tqa_tendon_parts {
    tq_tendon_share *shares;
    tq_tendon_point *points;
    uint32_t n_share, n_point;
} tqa_tendon_parts;

/* Adds a tendon with copies of its parts, whose places and numbers are set in it. `name` NULL:
 * "tendon" with its number. False: a fault was added (draft_tendon.c). */
bool tqa_draft_tendon(tqa_draft *draft, const char *name, const tq_tendon *tendon,
                      const tqa_tendon_parts *parts);

/* Lets the root hang from a link "world" by a joint of `draft->base`, before the check; nothing if
 * that is NULL or "fixed". False: faults were added. */
bool tqa_draft_hold(tqa_draft *draft);

/* The value that tqa_robot_annotate wrote as "base": arena, or NULL. */
const char *tqa_base_note(tqa_draft *draft, const char *bytes, size_t n);

/* Checks that the links and joints form one tree, finishes the model and runs the doctor. False:
 * faults were added. */
bool tqa_draft_check(tqa_draft *draft);

#endif
