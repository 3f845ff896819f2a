/* SPDX-License-Identifier: Apache-2.0 */
/* api/robots/surgery/surgery.h - a robot under change by operations; private to this folder. */
#ifndef TQA_ROBOTS_SURGERY_SURGERY_H
#define TQA_ROBOTS_SURGERY_SURGERY_H

#include "api/robots/document/parts.h"

enum { TQA_SURGERY_OPERATION_MAX = 256, TQA_SURGERY_ARENA = 64 << 20 };

/* Links and joints of the draft's model with room for more; names are indexed in the draft before
 * each operation. Rows of q and qd are those of `from`, for the constraints that it may have, then
 * those of robots that were joined. */
typedef struct tqa_surgery {
    tqa_draft *draft;
    const tqa_robot *from;
    const tqa_robot_others *others; /* for "join" */
    tq_link *links;
    tq_joint *joints;
    const char **link_names, **joint_names;
    tqa_joint_drive *drives;
    const bool *actuated; /* (n_row) by the v_index of joints; NULL: all */
    uint32_t n_row;
    uint32_t n_link, n_joint;
    size_t link_room, joint_room, link_name_room, joint_name_room, drive_room;
} tqa_surgery;

/* Adds a link, or a joint that is fixed at the identity and has no parent or child yet; TQ_NONE
 * with a fault where there is no room. Pointers into links and joints may move. */
uint32_t tqa_surgery_link(tqa_surgery *s, const char *name);
uint32_t tqa_surgery_joint(tqa_surgery *s, const char *name, uint32_t parent, uint32_t child);

/* Removes limits, friction, spring, rotor and drive of joint j: a fixed joint has none. */
void tqa_surgery_hold(tqa_surgery *s, uint32_t j);

/* `base` + `ending`, shortened and numbered until no link (joint) has it: arena. */
const char *tqa_surgery_name(tqa_surgery *s, bool of_link, const char *base, const char *ending);

/* The joint that carries link l, TQ_NONE: the root; the root; names indexed anew. */
uint32_t tqa_surgery_carrier(const tqa_surgery *s, uint32_t l);
uint32_t tqa_surgery_root(const tqa_surgery *s);
bool tqa_surgery_index(tqa_surgery *s);

/* The link or joint that a field names, or TQ_NONE with a fault. */
uint32_t tqa_surgery_find_link(const tqa_surgery *s, const tqa_json_at *op, const char *key);

/* False, with a fault, when the robot has constraints: their coordinates would be others. */
bool tqa_surgery_is_free(const tqa_surgery *s, const tqa_json_at *op);

/* Tendons, which the draft's model has. Those of another robot, whose joints and links are numbered
 * from first_joint and first_link on; of joint j, which stays at q; the joints' new numbers,
 * TQ_NONE: cut off; and which links are kept, with their new numbers. False with a fault. */
bool tqa_surgery_add_tendons(tqa_surgery *s, const tqa_robot *from, uint32_t first_joint,
                             uint32_t first_link, const char *prefix);
void tqa_surgery_lock_tendons(tqa_surgery *s, uint32_t j, double q);
bool tqa_surgery_cut_tendons(tqa_surgery *s, const tqa_json_at *op, const uint32_t *numbers);
bool tqa_surgery_cut_paths(tqa_surgery *s, const tqa_json_at *op, const bool *kept,
                           const uint32_t *numbers);

/* The operations. Each returns false after a fault; the robot is then discarded. */
typedef bool tqa_surgery_operation(tqa_surgery *s, const tqa_json_at *op);
tqa_surgery_operation tqa_surgery_change_joint, tqa_surgery_change_link, tqa_surgery_gravity,
    tqa_surgery_medium, tqa_surgery_change_tendon, tqa_surgery_payload, tqa_surgery_lock,
    tqa_surgery_reroot, tqa_surgery_subchain, tqa_surgery_join;

#endif
