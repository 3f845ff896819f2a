/* SPDX-License-Identifier: Apache-2.0 */
/* core/model/model.h - a robot as its user describes it: links, joints, inertia, gravity. */
#ifndef TQ_MODEL_MODEL_H
#define TQ_MODEL_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/status.h"
#include "core/spatial/frame.h"

enum {
    TQ_LINK_MAX = 4096, /* links of one robot; joints are one fewer */
    TQ_TENDON_MAX = 1024,
    TQ_TENDON_SHARE_MAX = 16384, /* of all tendons */
    TQ_TENDON_POINT_MAX = 4096,  /* of all tendons */
    TQ_TENDON_PATH_MAX = 16384,  /* joints between the points that follow each other, of all */
};
#define TQ_NONE UINT32_MAX /* "no such joint or link" */

/* Type of a joint, and its numbers of coordinates (nq, nv). */
typedef enum tq_joint_kind {
    TQ_JOINT_FIXED,      /* 0, 0 */
    TQ_JOINT_REVOLUTE,   /* 1, 1  angle about `axis`, limited */
    TQ_JOINT_CONTINUOUS, /* 1, 1  angle about `axis`, unlimited */
    TQ_JOINT_PRISMATIC,  /* displacement along `axis` */
    TQ_JOINT_PLANAR,     /* x, y, angle about `axis`, see tq_joint; qd are their rates */
    TQ_JOINT_SPHERICAL,  /* 4, 3  quaternion w x y z; angular velocity in the child frame */
    TQ_JOINT_FLOATING,   /* 7, 6  x y z qw qx qy qz; twist (v, w) in the child frame */
} tq_joint_kind;

/* Mass distribution of a link, in the axes of the link frame. */
typedef struct tq_inertia {
    double mass;         /* kg */
    double com[3];       /* centre of mass in the link frame, m */
    double about_com[6]; /* xx xy xz yy yz zz about the centre of mass; xy = -integral of x y dm, kg
                            m^2 */
} tq_inertia;

/* Friction torque (or force):
 *   viscous qd + (coulomb + (breakaway - coulomb) exp(-(qd/stribeck_velocity)^2)) s(qd) + offset,
 * s(v) = sign(v) with sign(0) = 0 if smoothing is 0, else tanh(v / smoothing). */
typedef struct tq_friction {
    double viscous;           /* N m s/rad or N s/m */
    double coulomb;           /* N m or N */
    double breakaway;         /* N m or N; used only when stribeck_velocity > 0 */
    double stribeck_velocity; /* rad/s or m/s; 0: no Stribeck term */
    double smoothing;         /* rad/s or m/s */
    double offset;            /* N m or N */
} tq_friction;

/* Friction and high-frequency inertia of a joint along a recording, whose earlier samples and
 * unfiltered signals are available; see core/dynamics/log_law.h. For a joint of an open chain;
 * is_there false: the joint has none. */
typedef struct tq_log_law {
    bool is_there;
    tq_friction friction; /* with presliding, s is the state of Dahl's model */
    double load;          /* times s |rigid-body torque|: dimensionless */
    double presliding;    /* rad or m; below 1e-9: s(qd) of tq_friction */
    double relaxation;    /* s, time constant with which s decays at rest; <= 0: s does not decay */
    double inertia;       /* kg m^2 or kg, times the acceleration above the filter's cut-off */
    double jerk;          /* kg m^2 s or kg s, times the rate of that acceleration */
    double delay;         /* s by which q, qd and qdd lagged behind the torque in the fitted
                             recordings */
    double cutoff;        /* Hz, cut-off of the filter of these recordings; 0: unknown */
} tq_log_law;

/* Spring torque stiffness * (q - rest). */
typedef struct tq_spring {
    double stiffness; /* N m/rad or N/m */
    double rest;      /* rad or m */
    double pose[7];   /* spherical, floating: rest as x y z (m) qw qx qy qz; all 0: no displacement,
                         no rotation */
} tq_spring;

/* Rotor inertia reflected through the gear: adds ratio^2 * inertia to the joint's own inertia.
 * Gyroscopic effects of the rotor are neglected, as is usual for ratios above about 10. */
typedef struct tq_rotor {
    double inertia; /* kg m^2 (for a prismatic joint: kg m^2 with ratio in rad/m) */
    double ratio;   /* motor turns per joint turn; 1 when `inertia` is already joint-side */
} tq_rotor;

/* Absent limits are -INFINITY or INFINITY. Limits are data; inputs are not clamped to them. */
typedef struct tq_limits {
    double lower, upper; /* rad or m */
    double velocity;     /* rad/s or m/s */
    double effort;       /* N m or N */
} tq_limits;

/* friction, spring, rotor and mimic apply to one-dof joints (file formats may restrict mimic
 * further); spherical and floating joints have friction.viscous, spring and rotor, equal in every
 * direction (core/dynamics/ball_terms.h). `parent` and `child` are link numbers. A planar joint
 * displaces by x e + y f in the joint frame, then rotates by the angle about `axis` = e x f. With
 * (a, b, c) = `axis`, s = (c < 0 ? -1 : 1) and k = 1 / (1 + s c): e = (1 - a a k, -a b k, -s a) and
 * f = s (-a b k, 1 - b b k, -s b), which are x and y if the axis is z. */
typedef struct tq_joint {
    tq_joint_kind kind;
    uint32_t parent, child;
    tq_pose origin; /* of the joint frame in the parent link's frame; at q = 0 the child frame is
                       the joint frame */
    double axis[3]; /* in the joint frame; any length but 0 */
    tq_limits limits;
    tq_friction friction;
    tq_log_law log_law;
    tq_spring spring;
    tq_rotor rotor;
    uint32_t mimic;          /* the master joint, or TQ_NONE */
    double mimic_multiplier; /* q = mimic_multiplier * q[mimic] + mimic_offset */
    double mimic_offset;
    uint32_t q_index, v_index; /* first row of this joint in q and in qd, qdd, tau: set by
                                  tq_model_finish; a mimic joint has its master's */
    uint32_t nq, nv;           /* number of its own rows: 0 for fixed and mimic joints */
} tq_joint;

/* A fluid around the robot: drag on the boxes of its links (core/dynamics/drag.h). */
typedef struct tq_medium {
    double density;     /* kg/m^3 */
    double viscosity;   /* Pa s */
    double velocity[3]; /* m/s, in the world frame */
} tq_medium;

/* The box that a link is to the medium. */
typedef struct tq_drag_box {
    double size[3]; /* edges, m; all 0: the medium does not act on the link */
    tq_pose at;     /* of its centre and axes in the link frame */
} tq_drag_box;

/* A share of a tendon's length: coefficient times the coordinate of a joint of one dof. */
typedef struct tq_tendon_share {
    uint32_t joint;
    double coefficient; /* unit of the length per rad or m */
} tq_tendon_share;

/* A point of a tendon's path, fixed to a link; or a solid on it that the path between the points
 * before and behind it wraps around where it is in the way: a sphere about `at`, or a cylinder
 * without ends whose axis passes there. The path turns about it as the one by way of the point
 * `side` does, or, where that is less than the radius away from `at`, touches the surface from
 * inside. */
typedef struct tq_tendon_point {
    uint32_t link;
    double at[3];       /* in the link frame, m */
    double weight;      /* of the distance to the next point; 0: the path ends here, and the next
                            point begins another. Of a solid that of the point before it, set by
                            tq_model_finish */
    double radius;      /* m; 0: a point */
    double axis[3];     /* of a cylinder, of any length, in the link frame; all 0: a sphere */
    bool has_side;      /* false: the shorter way */
    uint32_t side_link; /* that carries `side` */
    double side[3];     /* in that link's frame, m */
    uint32_t meet;      /* the last link that carries both this point and the next: set by
                            tq_model_finish, as the two below */
    uint32_t meet_ends; /* of a solid: that carries the points on both sides of it */
    uint32_t meet_side; /* of a solid with a side: that carries both */
} tq_tendon_point;

/* A length with a spring and friction along it: a linear combination of coordinates, L = sum of
 * coefficient q, which is no path in space (MuJoCo's fixed tendon), or the straight lines between
 * points on links, L = sum of weight |p_next - p|, longer around solids that are in the way
 * (MuJoCo's spatial tendon; the weights are those of pulleys), or the sum of both. With s = L -
 * upper above `upper`, L - lower below `lower`, else 0, its tension is stiffness s +
 * friction(dL/dt), and tau must overcome dL/dq times that. Points that coincide have no direction,
 * and pull at nothing. */
typedef struct tq_tendon {
    uint32_t first, n_share;       /* of tq_model.shares */
    uint32_t first_point, n_point; /* of tq_model.points */
    double stiffness;
    double lower, upper;  /* the spring is slack between them */
    tq_friction friction; /* by the rate of the length */
} tq_tendon;

typedef struct tq_link {
    tq_inertia inertia;
    tq_drag_box drag;
    double gravity_compensation; /* the share of its weight that a force at its centre of mass
                                    carries; 0: none, 1: as if weightless */
    double carried_mass;         /* kg, that times mass: set by tq_model_finish */
    double carried_at[3];        /* and its centre. A payload that is added later is not carried */
    uint32_t joint; /* the joint whose child this link is, or TQ_NONE for the root: set by
                       tq_model_finish */
} tq_link;

/* The root link is fixed to the world, and its frame is the world frame. A floating-base robot is
 * attached to it by a floating joint. Joints are in the user's order, which is the order of q, qd,
 * qdd and tau. */
typedef struct tq_model {
    uint32_t n_link, n_joint;
    tq_link *links;   /* (n_link) */
    tq_joint *joints; /* (n_joint) */
    uint32_t n_tendon, n_share, n_point;
    tq_tendon *tendons;      /* (n_tendon) */
    tq_tendon_share *shares; /* (n_share) of all tendons */
    tq_tendon_point *points; /* (n_point) of all tendons */
    double gravity[3];       /* m/s^2 in the world frame, (0, 0, -9.81) on a table */
    tq_medium medium;
    uint32_t root;   /* link number: set by tq_model_finish */
    uint32_t nq, nv; /* rows of q, and of qd, qdd, tau: set by tq_model_finish */
    uint32_t
        *order; /* (n_joint) joints in depth-first order, parents first: set by tq_model_finish */
} tq_model;

/**
 * Check a description and compute root, order and row indices; axes are scaled to
 * unit length.
 *
 * Shapes   links, joints and order are the caller's arrays of n_link, n_joint, n_joint; tendons,
 *          shares and points of n_tendon, n_share, n_point.
 * Memory   Writes only into the model. Allocates nothing.
 * Returns  TQ_OK
 *          TQ_ERR_SHAPE       n_link is 0 or above TQ_LINK_MAX, or n_joint is not n_link - 1;
 *                             "tendon": too many tendons, shares, points, or joints between
 *                             points
 *          TQ_ERR_TREE        what "link.joint": link `index` has two parents; "link.root": link
 *                             `index` is a second root; "link.loop": link `index` cannot be
 *                             reached from the root; "joint.parent", "joint.child": no such link;
 *                             "joint.mimic": the master of joint `index` does not exist, is that
 *                             joint, or is a mimic joint; or one of both has other than one dof
 *          TQ_ERR_NOT_FINITE  any number of joint or link `index`
 *          TQ_ERR_RANGE       "joint.axis" is zero; "joint.origin" is no rotation; "link.drag":
 *                             a box with a negative edge, or whose axes are no rotation; "medium":
 *                             negative density or viscosity; "tendon": lower above upper, a
 *                             share of tendon `index` is of no joint of one dof, or a point of it
 *                             on no link, of negative weight or radius, or a solid that is not
 *                             between two points
 *          TQ_ERR_INERTIA     "link.mass": link `index` has a negative mass
 * Cost     O(n_joint).
 * Checked  tests/unit/core/model/test_model.c
 */
tq_status tq_model_finish(tq_model *model, tq_error *reterr);

/* The medium has density or viscosity, and some link a box. */
bool tq_model_has_drag(const tq_model *model);

/* How many links have gravity compensation. */
size_t tq_model_n_compensated(const tq_model *model);

/* nv of a joint of `kind`. */
uint32_t tq_joint_kind_nv(tq_joint_kind kind);

#endif
