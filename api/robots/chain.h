/* SPDX-License-Identifier: Apache-2.0 */
/* api/robots/chain.h - links and joints added one by one, with axes anywhere in space. */
#ifndef TQA_ROBOTS_CHAIN_H
#define TQA_ROBOTS_CHAIN_H

#include <stdbool.h>
#include <stdint.h>

#include "api/robots/draft.h"

/* For formats whose link frames need not lie on the axes of their joints: Denavit-Hartenberg
 * tables, screws, MJCF. Where a frame lies beside the axis that carries it, a link without mass
 * ("<joint>_axis") on the axis carries it by a fixed joint ("<joint>_offset"), so that frames,
 * inertias and coordinates are those of the file. A helical joint becomes two (compound.h). */
typedef struct tqa_chain {
    tqa_draft *draft;
    uint32_t link_max, joint_max;
    uint32_t n_link, n_joint;
    tq_link *links;
    tq_joint *joints;
    double *pitches; /* (joint_max) of helical joints, at their first joint; else 0 */
    const char **link_names, **joint_names, **link_places, **joint_places;
} tqa_chain;

/* One joint and the frame of its child, both seen from the parent link at q = 0. */
typedef struct tqa_chain_joint {
    const char *name;  /* arena */
    const char *place; /* arena: a pointer into the file */
    tq_joint_kind kind;
    uint32_t parent, child; /* links of the chain */
    tq_pose pose;           /* of the child */
    double axis[3];         /* direction; unused by kinds without */
    double point[3];        /* on the axis, or where a ball's centre is */
    double pitch;           /* m a turn, of a joint that turns and is helical; 0: it is not */
} tqa_chain_joint;

/* Room for `n_link` links beside the root and as many joints, and the carriers they may need.
 * False: a fault was added. */
bool tqa_chain_init(tqa_chain *chain, tqa_draft *draft, uint32_t n_link);

/* Adds a link; its number. Name and place live in the arena. */
uint32_t tqa_chain_link(tqa_chain *chain, const char *name, const char *place);

/* Adds a joint, and a carrier when there is need of one. Returns the number of the moving joint,
 * which has no limits, friction, spring, rotor or mimic yet. */
uint32_t tqa_chain_join(tqa_chain *chain, const tqa_chain_joint *joint);

/* Once limits and mimics of all joints are known: helical joints by them. */
void tqa_chain_settle(tqa_chain *chain);

/* Hands links and joints to the draft and indexes their names. False: faults were added. */
bool tqa_chain_finish(tqa_chain *chain);

#endif
