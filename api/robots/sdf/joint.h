/* SPDX-License-Identifier: Apache-2.0 */
/* api/robots/sdf/joint.h - what joints of the tree and those that close loops share; private to the
 * reader. */
#ifndef TQA_ROBOTS_SDF_JOINT_H
#define TQA_ROBOTS_SDF_JOINT_H

#include "api/robots/sdf/parts.h"

typedef enum tqa_sdf_joint_type {
    TQA_SDF_FIXED,
    TQA_SDF_REVOLUTE,
    TQA_SDF_CONTINUOUS,
    TQA_SDF_PRISMATIC,
    TQA_SDF_BALL,
    TQA_SDF_UNIVERSAL,
    TQA_SDF_SCREW,
    TQA_SDF_GEARBOX,
    TQA_SDF_UNKNOWN
} tqa_sdf_joint_type;

tqa_sdf_joint_type tqa_sdf_joint_type_of(const tqa_sdf *s, uint32_t node);

/* Two joints of the tree, for which there is no constraint. */
static inline bool tqa_sdf_is_compound(tqa_sdf_joint_type type)
{
    return type == TQA_SDF_SCREW || type == TQA_SDF_UNIVERSAL;
}

/* Direction of axis i in the world, of unit length. False: a fault was added. */
bool tqa_sdf_direction(tqa_sdf *s, const tqa_sdf_thing *joint, uint32_t i, double ret[3]);

/* b as seen from a; where a fault of the joint is */
tq_pose tqa_sdf_relative(const tq_pose *a, const tq_pose *b);
const char *tqa_sdf_joint_place(tqa_sdf *s, const char *name);

/* A link of the chain, and its frame in the world. */
typedef struct tqa_sdf_end {
    uint32_t link;
    const tq_pose *pose;
} tqa_sdf_end;

/* A joint to a link that another one carries already closes a loop: its fixed directions are
 * constrained, in a frame of both links whose z is the axis. */
bool tqa_sdf_close_loop(tqa_sdf *s, uint32_t number, tqa_sdf_joint_type type, tqa_sdf_end parent,
                        tqa_sdf_end child);

/* A gearbox couples the hinges of its parent and its child on the reference body: with their angles
 * th1 about axis and th2 about axis2, th2 = -ratio th1. */
bool tqa_sdf_couple(tqa_sdf *s, uint32_t number, uint32_t parent, uint32_t child);

#endif
