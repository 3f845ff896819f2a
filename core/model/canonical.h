/* SPDX-License-Identifier: Apache-2.0 */
/* core/model/canonical.h - the form of a robot for the kernels: constants, no pointers to other
 * structs. */
#ifndef TQ_MODEL_CANONICAL_H
#define TQ_MODEL_CANONICAL_H

#include <stdint.h>

#include "core/spatial/frame.h"

/* Links joined by fixed joints are one body; a planar joint is two prismatic and one revolute joint
 * with massless bodies between; every other moving joint is one joint and its body. Bodies are in
 * depth-first order, so a subtree is a contiguous range. */
typedef enum tq_canonical_kind {
    TQ_CANONICAL_REVOLUTE,
    TQ_CANONICAL_PRISMATIC,
    TQ_CANONICAL_SPHERICAL,
    TQ_CANONICAL_FLOATING,
} tq_canonical_kind;

/* One joint and its body.
 *
 * One dof: body frame = parent's frame, displaced by p, rotated about z by gamma (cg, sg), then
 * modified DH: Rx(alpha) Tx(a) Rz(theta) Tz(d), z being the joint axis; revolute: theta = q + q0;
 * prismatic: theta = q0, and d + q replaces d. The first child of a body has gamma = 0 and p = 0
 * (has_offset false), which makes the recursion along a chain cheap (Khalil & Kleinfinger, A new
 * geometric notation for open and closed-loop robots, ICRA 1986; Craig, Introduction to Robotics,
 * ch. 3).
 *
 * Spherical and floating: body frame = parent's frame, displaced by p and rotated by r, displaced
 * by the coordinates x y z (floating), rotated by the quaternion. */
typedef struct tq_canonical_joint {
    int32_t parent;       /* body, or -1: the world */
    int32_t last;         /* last body of the subtree */
    int32_t depth;        /* joints between the world and this one */
    int32_t q_row, v_row; /* first row in the user's q, and in qd, qdd, tau */
    int32_t dof;          /* number of its first dof, in the order of bodies */
    int32_t ball;         /* number among the spherical and floating joints, or -1 */
    int32_t path;         /* number of dofs from the world to the body, its own included */
    int32_t kept;         /* sum of `path` over the bodies with has_branch before this one */
    int32_t
        first_link; /* of the links fixed to the body, in the order of tq_canonical_alignment, or
                           -1 */
    tq_canonical_kind kind;
    _Bool parent_is_previous; /* parent is body b - 1: its state is in registers */
    _Bool next_is_child;      /* body b + 1 is a child: its contribution inward is in registers */
    _Bool has_branch;         /* has a child other than body b + 1: its state is saved */
    _Bool has_offset;         /* p or gamma is not zero */
    _Bool alpha_is_right;     /* alpha = pi/2: ca = 0 and sa = 1 */
    _Bool alpha_is_zero;      /* alpha = 0: ca = 1 and sa = 0 */
    _Bool is_simple_revolute; /* revolute, parent_is_previous, and not has_branch, has_offset,
                                  is_mimic, accumulates_tau: the most frequent joint, with a fast
                                  path in the kernels */
    _Bool is_mimic;           /* q = multiplier * row + offset (offset is within q0 or d) */
    _Bool accumulates_tau;    /* tau is added to its row, which a later body of the same row has
                                 written */
    double multiplier;
    double ca, sa, a, d, q0, c0, s0;
    double cg, sg, p[3];
    double m, h[3], s[6]; /* regrouped (base parameters): fewest non-zero moments for the same
                             dynamics */
    double tensor[6];     /* inertia about the origin, from s */
    double subtree_mass;  /* regrouped */
    double scale_turn;    /* size of the body's own tensor (turn) and mass (slide) before
                             regrouping: the scale against */
    double scale_slide;   /* which a joint inertia is rounding error */
    double rotor;         /* ratio^2 * inertia, on the joint's own acceleration only */
    double r[9];          /* spherical, floating */
} tq_canonical_joint;

/* The body as the user wrote it, without regrouping. */
typedef struct tq_canonical_body {
    tq_moments moments; /* not regrouped, in the body frame, merged links included */
    uint32_t joint;     /* number in the model */
} tq_canonical_body;

/* Relative orientation of a link's frame and its body's. */
typedef enum tq_canonical_alignment {
    TQ_ALIGN_ALONG,   /* axes parallel to the body's, permuted or reversed; origin displaced
                         along z at most */
    TQ_ALIGN_TURNED,  /* the same relative to the body's frame rotated about its z */
    TQ_ALIGN_OBLIQUE, /* any other */
} tq_canonical_alignment;

/* For TQ_ALIGN_ALONG and TQ_ALIGN_TURNED: converts inertial parameters about the body's frame,
 * displaced along z and rotated about it, to those about the link's frame. Parameters are m, h (x y
 * z), tensor (xx xy xz yy yz zz). */
typedef struct tq_canonical_axes {
    double shift; /* along z, m */
    double c, s;  /* cos, sin of the rotation about z */
    _Bool renamed, reversed;
    uint8_t row[10]; /* the link's parameter that corresponds to each of the body's */
    double sign[6];  /* 0.0, or -0.0 where the sign flips: h x y z, tensor xy xz yz */
} tq_canonical_axes;

/* Pose of a link: in the frame of a body, or in the world (body -1). */
typedef struct tq_canonical_link {
    int32_t body;
    int32_t column; /* number of its joint in the model's order; -1: the root */
    int32_t next;   /* another link of the same body, or -1 */
    tq_canonical_alignment alignment;
    tq_pose in_body;
    tq_canonical_axes axes;
} tq_canonical_link;

typedef struct tq_canonical {
    int32_t n_body, n_ball, n_link, n_dof;
    int32_t nq, nv;
    _Bool has_mimic;
    _Bool has_travel;           /* some joint is prismatic or floating */
    double reach;               /* sum of all lengths, m, without the travel of prismatic joints */
    int32_t kept;               /* sum of `path` over all bodies with has_branch */
    tq_canonical_joint *joints; /* (n_body) */
    tq_canonical_body *bodies;  /* (n_body) */
    tq_canonical_link *links;   /* (n_link) */
    int32_t *dof_rows;          /* (n_dof) row of each dof in qd, qdd, tau */
    double *dof_factors;        /* (n_dof) rate of the dof per unit rate of its row (mimic
                                   multiplier) */
    _Bool rows_ascend;          /* every dof has a larger row number than its ancestor dofs */
    _Bool side_by_side;         /* one-sample CRBA fills the SIMD lanes with columns of M */
} tq_canonical;

/* A moving joint before the choice of frames, passed between the construction steps. Body frames
 * are the user's child link frames here. */
typedef struct tq_joint_frame_draft {
    tq_pose at;      /* of the joint frame in the parent body's user frame */
    double axis[3];  /* one dof: in the joint frame */
    double z[9];     /* one dof: rotation with the axis as third column */
    double shift;    /* of the body frame along z, from its first child's common normal */
    double turn;     /* of the body frame about z, likewise */
    double own_turn; /* gamma and z displacement that this joint requires of its parent's frame */
    double own_shift;
    double across;   /* distance that modified DH cannot represent: nearly parallel axes */
    tq_pose in_user; /* canonical body frame in the body's user frame */
} tq_joint_frame_draft;

/* number of dofs of a joint */
static inline int32_t tq_canonical_freedoms(tq_canonical_kind kind)
{
    return kind == TQ_CANONICAL_FLOATING ? 6 : kind == TQ_CANONICAL_SPHERICAL ? 3 : 1;
}

/* Construction steps, in this order (one file each). `limbs` has n_body rows. */
struct tq_model;
int32_t tq_canonical_count(const struct tq_model *model);
int32_t tq_canonical_count_freedoms(const struct tq_model *model);
void tq_canonical_merge(const struct tq_model *model, tq_canonical *c, tq_joint_frame_draft *limbs);
void tq_canonical_gauge(tq_canonical *c, tq_joint_frame_draft *limbs);
void tq_canonical_inertia(const struct tq_model *model, tq_canonical *c,
                          const tq_joint_frame_draft *limbs);
void tq_canonical_faces(tq_canonical *c);

/* Afterwards, in a copy with joints and bodies of its own: the masses that gravity compensation
 * carries, c m at each centre of mass, in place of the inertias. */
void tq_canonical_carried(const struct tq_model *model, tq_canonical *c);

#endif
