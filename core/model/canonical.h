/* SPDX-License-Identifier: Apache-2.0 */
/* core/model/canonical.h - the form of a robot that kernels run on: constants only, no pointers
 * out. */
#ifndef TQ_MODEL_CANONICAL_H
#define TQ_MODEL_CANONICAL_H

#include <stdint.h>

#include "core/spatial/frame.h"

/* Links joined by fixed joints are one body; a planar joint is two prismatic ones and a revolute
 * one with massless bodies between; every other moving joint is one joint with its body. Bodies
 * stand in depth-first order, so that a subtree is a run of neighbours. */
typedef enum tq_canonical_kind {
    TQ_CANONICAL_REVOLUTE,
    TQ_CANONICAL_PRISMATIC,
    TQ_CANONICAL_SPHERICAL,
    TQ_CANONICAL_FLOATING,
} tq_canonical_kind;

/* One joint and the body beyond it.
 *
 * One freedom: body frame = parent's frame, shifted by p, turned about z by gamma (cg, sg), then
 * modified DH: Rx(alpha) Tx(a) Rz(theta) Tz(d), the joint's axis being z; revolute: theta = q + q0;
 * prismatic: theta = q0 and the travel q adds to d. The first child of a body has gamma = 0 and
 * p = 0 (no `pre`), which is what makes the chain cheap (Khalil & Kleinfinger, A new geometric
 * notation for open and closed-loop robots, ICRA 1986; Craig, Introduction to Robotics, ch. 3).
 *
 * Spherical and floating: body frame = parent's frame, shifted by p and turned by r, moved along by
 * the coordinates x y z (floating), turned by the quaternion. */
typedef struct tq_canonical_joint {
    int32_t parent;       /* body, or -1: the world */
    int32_t last;         /* last body of the subtree */
    int32_t depth;        /* joints between the world and this one */
    int32_t q_row, v_row; /* first row in the user's q and in qd, qdd, tau */
    int32_t dof;          /* number of its first freedom, in the order of bodies */
    int32_t ball;         /* number among the spherical and floating joints, or -1 */
    int32_t path;         /* freedoms between the world and the body, its own included */
    int32_t kept;         /* paths of the bodies with `save` before this one, added up */
    int32_t first_link; /* of those fixed to the body, in the order of tq_canonical_stand, or -1 */
    tq_canonical_kind kind;
    _Bool carry;  /* parent is the body before: its state is still at hand */
    _Bool hang;   /* the body after is a child: what it passes inward is at hand */
    _Bool save;   /* some child is not the body after: state must be kept */
    _Bool pre;    /* p, gamma are not all zero */
    _Bool square; /* ca = 0 and sa = 1 */
    _Bool level;  /* ca = 1 and sa = 0 */
    _Bool plain;  /* revolute, carries on from its parent; not save, pre, follows or adds: what most
                      joints of most robots are, and what kernels have a straight line for */
    _Bool follows; /* mimics: q = multiplier * row + offset (offset is within q0 or d) */
    _Bool adds;    /* tau is added to its row, which a later body has already written */
    double multiplier;
    double ca, sa, a, d, q0, c0, s0;
    double cg, sg, p[3];
    double m, h[3], s[6]; /* regrouped: fewest non-zero moments, the same motion */
    double tensor[6];     /* inertia about the origin, from s */
    double subtree_mass;  /* regrouped */
    double scale_turn;    /* size of the body's own tensor and mass, before regrouping: what an */
    double scale_slide;   /* inertia that rounding left over is small against */
    double rotor;         /* ratio^2 * inertia, on the joint's own acceleration */
    double r[9];          /* spherical, floating */
} tq_canonical_joint;

/* What regrouping and gauge hide: the body as its user wrote it. */
typedef struct tq_canonical_body {
    tq_moments moments; /* not regrouped, in the body frame, merged links included */
    uint32_t joint;     /* of the model */
} tq_canonical_body;

/* How a link's frame stands to its body's. */
typedef enum tq_canonical_stand {
    TQ_ALIGN_ALONG,   /* axes along the body's, of other name or direction; moved along z at most */
    TQ_ALIGN_TURNED,  /* the same of the body's frame turned about its z */
    TQ_ALIGN_OBLIQUE, /* no such order */
} tq_canonical_stand;

/* Along and turned: what turns an inertial parameter about the body's frame, moved along z and
 * turned about it, into one about the link's. Parameters are m, h (x y z), tensor (xx xy xz yy yz
 * zz). */
typedef struct tq_canonical_face {
    double shift; /* along z */
    double c, s;  /* of the turn */
    _Bool renamed, reversed;
    uint8_t row[10]; /* the link's parameter that each of the body's becomes */
    double sign[6];  /* 0.0, or -0.0 where it is negated: h x y z, tensor xy xz yz */
} tq_canonical_face;

/* Where a link sits: in the frame of a body, or in the world (body -1). */
typedef struct tq_canonical_link {
    int32_t body;
    int32_t column; /* number of its joint in the model's order; -1: the root */
    int32_t next;   /* another link of the same body, or -1 */
    tq_canonical_stand stand;
    tq_frame3 in_body;
    tq_canonical_face face;
} tq_canonical_link;

typedef struct tq_canonical {
    int32_t n_body, n_ball, n_link, n_dof;
    int32_t nq, nv;
    _Bool has_mimic;
    _Bool has_travel;           /* some joint slides or floats */
    double reach;               /* what all lengths together span, without joints that slide */
    int32_t kept;               /* paths of all bodies with `save`, added up */
    tq_canonical_joint *joints; /* (n_body) */
    tq_canonical_body *bodies;  /* (n_body) */
    tq_canonical_link *links;   /* (n_link) */
    int32_t *dof_rows;          /* (n_dof) row of each freedom in qd, qdd, tau */
    double *dof_factors;        /* (n_dof) rate of the freedom for unit rate of its row: mimicry */
    _Bool rows_ascend;  /* every freedom's row stands behind those of the freedoms that carry it */
    _Bool side_by_side; /* columns of M that joints pass on would fill lanes of vectors */
} tq_canonical;

/* A moving joint before the choice of frames: what the steps of the making hand on. Body frames are
 * here the user's child link frames. */
typedef struct tq_joint_frame_draft {
    tq_frame3 at;    /* of the joint frame in the parent body's user frame */
    double axis[3];  /* one freedom: in the joint frame */
    double z[9];     /* one freedom: rotation with the axis as third column */
    double shift;    /* of the body frame along z, by its first child's common normal */
    double turn;     /* of the body frame about z, likewise */
    double own_turn; /* gamma and z-shift that this joint asks of its parent's frame */
    double own_shift;
    double across;     /* distance that modified DH cannot express: nearly parallel axes */
    tq_frame3 in_user; /* canonical body frame in the body's user frame */
} tq_joint_frame_draft;

/* freedoms of a joint */
static inline int32_t tq_canonical_freedoms(tq_canonical_kind kind)
{
    return kind == TQ_CANONICAL_FLOATING ? 6 : kind == TQ_CANONICAL_SPHERICAL ? 3 : 1;
}

/* The steps of the making, in this order (each its own file). `limbs` has n_body rows. */
struct tq_model;
int32_t tq_canonical_count(const struct tq_model *model);
int32_t tq_canonical_count_freedoms(const struct tq_model *model);
void tq_canonical_merge(const struct tq_model *model, tq_canonical *c, tq_joint_frame_draft *limbs);
void tq_canonical_gauge(tq_canonical *c, tq_joint_frame_draft *limbs);
void tq_canonical_inertia(const struct tq_model *model, tq_canonical *c,
                          const tq_joint_frame_draft *limbs);
void tq_canonical_faces(tq_canonical *c);

#endif
