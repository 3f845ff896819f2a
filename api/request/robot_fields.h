/* SPDX-License-Identifier: Apache-2.0 */
/* api/request/robot_fields.h - fields of nested requests about a robot: states, points, poses,
 * wrenches; and the same in answers. */
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
bool tqa_tree_order(tqa_tree *tree, tqa_order *ret);
/* There is no joint of this name: the nearest. Always false. */
bool tqa_value_refuse_joint(const tqa_value *part, const char *text);
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
bool tqa_tree_states(tqa_tree *tree, const tqa_order *order, unsigned take, unsigned need,
                     unsigned zero, tqa_states *ret);
/* Kinds of rows of numbers by joints: q (nq), rates and their derivatives (nv), torques (nv), which
 * may be an object of joints' names; the same as an array alone (nv); limits of rates (nv) and
 * other limits (nv), where joints that are not named keep what `ret` has; anything else (nv). */
typedef enum tqa_row_kind {
    TQA_ROW_Q,
    TQA_ROW_RATE,
    TQA_ROW_TORQUE,
    TQA_ROW_RATE_ARRAY,
    TQA_ROW_RATE_LIMIT,
    TQA_ROW_LIMIT,
    TQA_ROW_OTHER,
} tqa_row_kind;
/* One row, in the user's order on the way in, the robot's on the way out; angles of q and of rates
 * in degrees where the request has them so. */
bool tqa_value_row(const tqa_value *part, const tqa_order *order, tqa_row_kind kind, double *ret);
/* An object of limits, among them `velocity`, each a row by joints; `known` are their names. */
bool tqa_value_limits(const tqa_value *part, const char *const *known);
/* The same for an object of joints' names alone, {"elbow": 0.3}, as the request has its numbers:
 * joints that are not named are zero, their quaternions no turn. */
bool tqa_value_by_name(const tqa_value *part, tqa_row_kind kind, double *ret);
/* The numbers of one joint, `part`, into their places of a row. */
bool tqa_value_of_joint(const tqa_value *part, const char *name, tqa_row_kind kind, double *ret);
/* The same where a joint may have an array over all samples, {"elbow": [0.3, 0.4]}; those with one
 * value have it in each. *ret_flat: none has, and the sample is one. *ret: (n_sample, nq | nv) in
 * the robot's order, of the tree. */
bool tqa_value_rows_by_name(const tqa_value *part, tqa_row_kind kind, bool *ret_flat,
                            size_t *ret_n_sample, double **ret);
/* "rad" or "deg". */
bool tqa_value_angles(const tqa_value *part, bool *ret_in_degrees);
extern const double tqa_radians_of_degree;
/* The pointer of a sample of q in a message. */
bool tqa_states_fail(tqa_tree *tree, const tqa_states *states, size_t sample, tq_status status,
                     const tq_error *error);

/* A point fixed to a link. */
typedef struct tqa_point {
    uint32_t link;
    double at[3]; /* in the link frame */
} tqa_point;

/* [x, y, z] in m/s^2, world frame. */
bool tqa_value_gravity(const tqa_value *part, double ret[3]);

/* There is no link of this name: the nearest. Always false. */
bool tqa_value_refuse_link(const tqa_value *part, const char *text);
bool tqa_value_link(const tqa_value *part, uint32_t *ret);
/* The one link that moves and carries no other: a request that names none means it, and its answer
 * says so. Where there are several, or none, refuses `part`, the field that is missing, and names
 * them. */
bool tqa_value_end_link(const tqa_value *part, uint32_t *ret);
/* "origin", "com" or three numbers. */
bool tqa_value_at(const tqa_value *part, uint32_t link, double ret[3]);
/* A link's name, for its origin, or {link, at}. */
bool tqa_value_point(const tqa_value *part, tqa_point *ret);

/* `rotation` (three rows), `quaternion_wxyz` or `rpy` of an object, whichever is present; two are a
 * fault. *ret_there: one is present. */
bool tqa_value_rotation(const tqa_value *object, double ret[9], bool *ret_there);
/* {position, rotation | quaternion_wxyz | rpy}: left out: the origin, no rotation. */
bool tqa_value_pose(const tqa_value *part, tq_pose *ret);

/* A wrench with all of its parts stated: as it acts on the robot. */
typedef struct tqa_load {
    tqa_point point;
    double wrench[6]; /* (f, m) about the point */
    bool in_link;     /* along the link's axes; else the world's */
} tqa_load;
bool tqa_value_load(const tqa_value *part, tqa_load *ret);
/* Fields of such an object (ends with NULL), and all that it needs: those of its place, then force
 * and moment. */
extern const char *const tqa_load_fields[];
enum { TQA_PLACE_NEEDED = 4, TQA_LOAD_NEEDED = TQA_PLACE_NEEDED + 1 };
extern const tqa_needed tqa_load_needed[TQA_LOAD_NEEDED + 1];
/* Those of an object with `force` or `moment`: one of them is enough, the other is zero. */
const tqa_needed *tqa_load_needs(const tqa_value *part);

/* The fields of an object for the point, the link and the axes of a wrench. */
#define TQA_PLACE_FIELDS "link", "at", "applied_to", "expressed_in"
/* Reads them: ret->wrench is 0; the object's wrench times *ret_sign acts on the robot. */
bool tqa_value_place(const tqa_value *object, tqa_load *ret, double *ret_sign);

#endif
