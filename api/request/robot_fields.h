/* SPDX-License-Identifier: Apache-2.0 */
/* api/request/robot_fields.h - what nested requests say of a robot: states, points, poses,
 * wrenches; and how answers say it. */
#ifndef TQA_REQUEST_ROBOT_FIELDS_H
#define TQA_REQUEST_ROBOT_FIELDS_H

#include "api/request/value.h"
#include "core/model/model.h"

/* The order of joints that a request gives: number r of an array as the user writes it is number
 * q[r] (v[r]) of the robot's. */
typedef struct tqa_order {
    size_t nq, nv;
    uint32_t *q, *v;
    uint32_t *joints; /* (n_joint) the moving joints, in that order */
    size_t n_joint;
} tqa_order;

/* Reads the root's `joints`; the robot's own order when there is none. */
bool tqa_tree_order(tqa_tree *control, tqa_order *ret);
/* Reads an array of the names of all moving joints into the memory of *ret: q (nq), v (nv), joints
 * (or NULL), in that order. */
bool tqa_value_order(const tqa_value *part, tqa_order *ret);

enum { TQA_NEED_Q = 1u << 0, TQA_NEED_QD = 1u << 1, TQA_NEED_QDD = 1u << 2 };

/* Samples in the robot's order, one after another. */
typedef struct tqa_states {
    size_t n_sample;
    bool flat;            /* one sample, written as a flat array */
    double *q, *qd, *qdd; /* (n_sample x nq, nv, nv); NULL: not given */
} tqa_states;

/* Reads the root's q, qd and qdd; `take` says which may come, `need` which must, `zero` which are
 * zero when left out. One sample beside a batch is that of all its samples. */
bool tqa_tree_states(tqa_tree *control, const tqa_order *order, unsigned take, unsigned need,
                     unsigned zero, tqa_states *ret);
/* One row of n numbers, in the user's order on the way in, the robot's on the way out. */
bool tqa_value_row(const tqa_value *part, size_t n, const uint32_t *map, double *ret);
/* The pointer of a sample of q in a message. */
bool tqa_states_fail(tqa_tree *control, const tqa_states *states, size_t sample, tq_status status,
                     const tq_error *error);

/* A point fixed to a link. */
typedef struct tqa_point {
    uint32_t link;
    double at[3]; /* in the link frame */
} tqa_point;

/* [x, y, z] in m/s^2, world frame. */
bool tqa_value_gravity(const tqa_value *part, double ret[3]);

bool tqa_value_link(const tqa_value *part, uint32_t *ret);
/* "origin", "com" or three numbers. */
bool tqa_value_at(const tqa_value *part, uint32_t link, double ret[3]);
/* A link's name, for its origin, or {link, at}. */
bool tqa_value_point(const tqa_value *part, tqa_point *ret);

/* `rotation` (three rows) or `quaternion_wxyz` of an object, whichever is there; both is a fault.
 * *ret_there: one was. */
bool tqa_value_rotation(const tqa_value *object, double ret[9], bool *ret_there);
/* {position, rotation | quaternion_wxyz}: what is left out is the origin, and no rotation. */
bool tqa_value_pose(const tqa_value *part, tq_pose *ret);

/* A wrench with all of its parts stated: as the robot feels it. */
typedef struct tqa_load {
    tqa_point point;
    double wrench[6]; /* (f, m) about the point */
    bool in_link;     /* along the link's axes; else the world's */
} tqa_load;
bool tqa_value_load(const tqa_value *part, tqa_load *ret);
extern const char *const tqa_load_fields[]; /* of such an object; ends with NULL */
/* What to do about a wrench without them. */
#define TQA_ADD_FORCE  "add \"force\": [0, 0, 0] for a pure moment, or [x, y, z] in N"
#define TQA_ADD_MOMENT "add \"moment\": [0, 0, 0] for a pure force, or [x, y, z] in N m"

/* The fields of an object that say where a wrench acts, on whom and along which axes. */
#define TQA_PLACE_FIELDS "link", "at", "applied_to", "expressed_in"
/* Reads them: ret->wrench is 0; what the object says of a wrench times *ret_sign is what the robot
 * feels. */
bool tqa_value_place(const tqa_value *object, tqa_load *ret, double *ret_sign);

#endif
