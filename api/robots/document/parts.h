/* SPDX-License-Identifier: Apache-2.0 */
/* api/robots/document/parts.h - the parts of links and joints that all kinds of robot
 * documents share; private to their readers. */
#ifndef TQA_ROBOTS_DOCUMENT_PARTS_H
#define TQA_ROBOTS_DOCUMENT_PARTS_H

#include "api/codec/writer.h"
#include "api/robots/chain.h"
#include "api/robots/compound.h"
#include "api/robots/document/node.h"
#include "api/robots/log_law.h"

/* position, and one of rotation, rpy, quaternion_wxyz; identity if absent. ret_rpy may
 * be NULL: the angles, when the rotation came from them, else NaN. */
void tqa_document_pose(const tqa_json_at *at, tq_pose *ret, double ret_rpy[3]);

/* The same of an object that has further fields, which the caller checks. */
#define TQA_DOCUMENT_PLACE "position", "rotation", "rpy", "quaternion_wxyz"
void tqa_document_place(const tqa_json_at *at, tq_pose *ret, double ret_rpy[3]);

/* "constraints" and "actuated", once links and joints are indexed; and their printing. */
void tqa_document_constraints(const tqa_json_at *root);
void tqa_document_print_constraints(tqa_writer *to, const tqa_robot *robot);

/* Fields of a link about its mass: names for tqa_json_fields. */
#define TQA_DOCUMENT_INERTIA "mass", "com", "inertia", "inertia_about", "solid"
void tqa_document_inertia(const tqa_json_at *link, tq_inertia *ret);

/* "medium" of the robot and "drag" of a link, without which it is in none; a box is at the centre
 * of mass unless it says where. And their printing: nothing without. */
void tqa_document_medium(const tqa_json_at *at, tq_medium *ret);
void tqa_document_drag(const tqa_json_at *link, const double com[3], tq_drag_box *ret);
void tqa_document_put_medium(tqa_writer *to, const tq_medium *medium);
void tqa_document_put_drag(tqa_writer *to, const tq_drag_box *box);

/* "tendons", once links and joints are indexed, and their printing: nothing without. The fields of
 * one that are there, and its joints or points (arena); where it has some, these may stay as they
 * are. */
void tqa_document_tendons(const tqa_json_at *root);
void tqa_document_tendon(const tqa_json_at *at, tq_tendon *ret, tqa_tendon_parts *parts);
void tqa_document_put_tendons(tqa_writer *to, const tqa_robot *robot);

/* One solid, or an array of them: their sum in the axes of the link. */
void tqa_document_solid(const tqa_json_at *at, tq_inertia *ret);

/* Fields of a joint of one dof. Faults for joints of another kind. The mimic is
 * looked up in draft->joints, so these must be indexed. */
#define TQA_DOCUMENT_DRIVE                                                                         \
    "limits", "damping", "friction", TQA_LOG_LAW, "spring", "rotor", "mimic", "drive"
void tqa_document_drive(const tqa_json_at *joint, tq_joint *ret);

/* "drive" of the joint: motor, gear, amplifier, loops, into the draft; or into *ret, which has its
 * defaults. */
void tqa_document_motor(const tqa_json_at *at, const tq_joint *joint);
void tqa_document_read_drive(const tqa_json_at *at, const tq_joint *joint, tq_drive *ret);

/* The word for a kind of joint; of a compound, the kind is that of its first joint. */
bool tqa_document_kind(const tqa_json_at *at, tq_joint_kind *ret, tqa_compound *ret_compound);

/* "pitch" of a helical joint, a fault of any other; 0 with a fault. */
double tqa_document_pitch(const tqa_json_at *joint, tqa_compound compound);

/* The number of a name among `names`, or TQ_NONE with a fault whose hint is `what`. */
uint32_t tqa_document_resolve(const tqa_json_at *at, const tqa_names *names, const char *what);

/* The names of all members of an array of objects. False: faults were added. */
bool tqa_document_names(const tqa_json_at *array, uint32_t *ret_n, const char *const **ret_names);

/* The pieces of serial arms: a link of a chain with its own name or the one given (no inertia yet),
 * a fixed joint, and the drives of all joints once their names are indexed. */
bool tqa_document_link(tqa_chain *chain, const tqa_json_at *link, const char *name,
                       const char *const *known, uint32_t *ret);
void tqa_document_fixed(tqa_chain *chain, const char *name, const char *place, uint32_t parent,
                        uint32_t child, const tq_pose *pose);
bool tqa_document_drives(tqa_chain *chain, const tqa_json_at *joints, const char *const *names,
                         uint32_t n);

/* "links" and "joints" of a tree (tree.c). False: faults were added. */
bool tqa_document_tree(const tqa_json_at *tree);

/* "dh" and "poe": links and joints of a serial arm. False: faults were added. */
bool tqa_document_dh(const tqa_json_at *dh);
bool tqa_document_poe(const tqa_json_at *poe);

#endif
