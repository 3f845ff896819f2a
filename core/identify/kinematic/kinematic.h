/* SPDX-License-Identifier: Apache-2.0 */
/* core/identify/kinematic/kinematic.h - kinematic calibration: zero offsets and errors of joints'
 * frames from measured poses, points or touched planes. */
#ifndef TQ_IDENTIFY_KINEMATIC_KINEMATIC_H
#define TQ_IDENTIFY_KINEMATIC_KINEMATIC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/scratch.h"
#include "core/base/status.h"
#include "core/model/model.h"
#include "core/spatial/frame.h"

enum {
    TQ_KINEMATIC_UNKNOWNS_MAX = 1200,
    TQ_KINEMATIC_POSES_MAX = 100000,
    TQ_KINEMATIC_PLANES_MAX = 100,
    TQ_KINEMATIC_FOLDS_MAX = 20,
    TQ_KINEMATIC_OUTLIERS_MAX = 100,
};

typedef enum tq_kinematic_kind {
    TQ_KINEMATIC_POSES,  /* position and rotation of a frame, in the tracker's frame: 6 equations */
    TQ_KINEMATIC_POINTS, /* position of a point, in the tracker's frame: 3 equations */
    TQ_KINEMATIC_PLANES, /* the point lies on one of some unknown planes: 1 equation */
} tq_kinematic_kind;

/* What a parameter belongs to, in the order in which columns are kept: a later one that depends on
 * earlier ones is a part of these. */
typedef enum tq_kinematic_part {
    TQ_KINEMATIC_BASE,  /* the robot's root in the tracker's frame, along the tracker's axes */
    TQ_KINEMATIC_TOOL,  /* the measured frame or point in its link, along the link's axes */
    TQ_KINEMATIC_PLANE, /* two tilts, distance */
    TQ_KINEMATIC_ZERO,  /* added to the measured coordinate of a joint, rad or m */
    TQ_KINEMATIC_FRAME, /* of a joint: origin' = origin (exp([r]), t), axes of the joint frame */
} tq_kinematic_part;

typedef struct tq_kinematic_parameter {
    tq_kinematic_part part;
    uint32_t index; /* joint or plane; else 0 */
    uint32_t axis; /* 0 1 2: displacement x y z, m; 3 4 5: rotation, rad; of a plane 0 1: tilt, rad,
                       2: distance, m; of a zero 0 */
} tq_kinematic_parameter;

typedef struct tq_kinematic_problem {
    const tq_model *model; /* an open tree */
    uint32_t link;         /* that carries what is measured */
    tq_kinematic_kind kind;
    size_t n_pose;
    const double *q;          /* (n_pose x nq) as the joints' sensors have them */
    const double *position;   /* (n_pose x 3) m, NULL with planes */
    const double *quaternion; /* (n_pose x 4) w x y z; with poses */
    const uint32_t *plane;    /* (n_pose) < n_plane; with planes */
    size_t n_plane;
    const double *weight; /* (n_pose) inverse variances relative to each other; NULL: equal */
    double sigma[2];      /* of positions m, of rotations rad; 0: estimated */
    bool with_frames;     /* frames of joints beside zero offsets */
    const bool *only;     /* (n_joint) joints whose parameters are unknown; NULL: all */
    bool knows_base, knows_tool;
    tq_pose base, tool; /* known values; of an unknown tool the start */
    double limit[3];    /* largest absolute zero offset in rad, displacement in m, rotation in rad;
                           INFINITY: none */
    bool is_robust;     /* outlying poses are left out */
    size_t n_fold;      /* of the cross-validation, > 1 */
    double confidence;  /* of the intervals, in (0, 1) */
} tq_kinematic_problem;

typedef enum tq_kinematic_role {
    TQ_KINEMATIC_ESTIMATED,
    TQ_KINEMATIC_STRUCTURE, /* a part of others: no pose of any set can separate them */
    TQ_KINEMATIC_NO_POSE,   /* these poses do not separate it from others */
} tq_kinematic_role;

typedef struct tq_kinematic_estimate {
    tq_kinematic_role role;
    double value; /* of base and tool the position, of a rotation of theirs or a tilt 0 */
    double deviation, low, high;
    bool is_at_limit;
} tq_kinematic_estimate;

/* State of all unknowns. */
typedef struct tq_kinematic_state {
    tq_pose base, tool;
    double *plane; /* (n_plane x 4) normal n and distance d in the root's frame: n p = d */
    double *zero;  /* (n_joint) */
    double *frame; /* (n_joint x 6) */
} tq_kinematic_state;

typedef struct tq_kinematic_errors {
    double position_rms, position_max; /* m; of planes the distance to the plane */
    double rotation_rms, rotation_max; /* rad; NaN: not measured */
} tq_kinematic_errors;

typedef enum tq_kinematic_reason {
    TQ_KINEMATIC_REASON_NO_POSE, /* index: first parameter of that role, value: their number */
    TQ_KINEMATIC_REASON_REACH,   /* value: m, deviation of the frame's position within the limits */
    TQ_KINEMATIC_REASON_NO_GAIN, /* value: error of left-out poses with the parameters over that
                                    without */
    TQ_KINEMATIC_REASON_MISFIT,  /* value: residual over the extent of the measured positions */
    TQ_KINEMATIC_REASON_LIMIT,   /* index: parameter at its limit */
    TQ_KINEMATIC_REASON_NOISE,   /* value: residual over the stated noise */
    TQ_KINEMATIC_REASON_OUTLIERS, /* value: their number */

} tq_kinematic_reason;

typedef enum tq_kinematic_verdict {
    TQ_KINEMATIC_USABLE,
    TQ_KINEMATIC_INCOMPLETE,
    TQ_KINEMATIC_INSUFFICIENT,
} tq_kinematic_verdict;

enum { TQ_KINEMATIC_REASON_MAX = 16 };

typedef struct tq_kinematic_result {
    size_t n; /* parameters */
    tq_kinematic_parameter *list;
    tq_kinematic_estimate *estimate; /* (n) */
    double *part;                    /* (n x n) row k: parts of parameter k in the others, if it is
                                        not estimated */
    tq_kinematic_state state;
    size_t n_active;
    uint32_t *active;   /* (n_active) numbers of the estimated parameters */
    double *covariance; /* (n_active^2) */
    size_t n_equation;  /* of poses that are used */
    double freedom;
    double sigma[2];        /* estimated noise; of planes and points only the first; else NaN */
    double variance_factor; /* squared residual over its expectation by the stated noise; NaN */
    tq_kinematic_errors before, after, held_before, held_after;
    double *error;       /* (n_pose x 2) m and rad, with the parameters */
    double *error_was;   /* (n_pose x 2) without them: base, tool and planes alone are fitted */
    double *studentized; /* (n_pose) residual in deviations, with its leverage */
    size_t n_outlier;    /* all of them */
    uint32_t *outlier;   /* (at most TQ_KINEMATIC_OUTLIERS_MAX), the worst first */
    double *singular; /* (n_active) of the Jacobian, descending; rotations times sigma ratio, m */
    double *weakest;  /* (n_active) right singular vector of the last */
    double reach_rms, reach_max; /* m: deviation of the position in poses all over the limits */
    size_t n_reach;
    size_t n_iteration;
    tq_kinematic_verdict verdict;
    size_t n_reason;
    struct {
        tq_kinematic_reason kind;
        size_t index;
        double value;
    } reasons[TQ_KINEMATIC_REASON_MAX];
} tq_kinematic_result;

/**
 * Identify the parameters of a robot's kinematics by weighted nonlinear least squares.
 *
 * Structural dependence is found at random poses within the limits (with planes: on them), then
 * that of the given poses, both column by column in the order of tq_kinematic_part. What is left is
 * fitted by Levenberg-Marquardt from the model's own parameters; base, tool and planes start from
 * closed forms. Noise of positions and of rotations, unless stated, is that of the residuals by
 * their redundancies. Outliers are named by a fit with Huber's weights of whole poses.
 *
 * Memory   tq_kinematic_size(problem) bytes of `scratch`, in which the result's arrays are.
 * Returns  TQ_OK
 *          TQ_ERR_SHAPE       "poses": fewer equations than unknowns, value: poses that are needed;
 *                             "plane": plane `index` has fewer than 4 poses, value: its number of
 *                             poses; "unknowns": none, or above the limit, value: their number;
 *                             "joint": no joint moves the link
 *          TQ_ERR_QUATERNION  "q", "quaternion": pose `index`, value: its length
 *          TQ_ERR_NOT_FINITE  "q", "position": pose `index`
 *          TQ_ERR_SINGULAR    "poses": they determine none of the unknowns; "limits": all of
 *                             them are at their limits
 *          TQ_ERR_SCRATCH, TQ_ERR_STOPPED, TQ_ERR_NO_CONVERGENCE
 * Cost     About (20 + 4 n_fold) passes of n_pose (joints + unknowns^2) flops.
 * Source   J. Hollerbach, W. Khalil, M. Gautier, Model identification, Springer Handbook of
 *          Robotics, 2016, chapter 6; M. Shah, Solving the robot-world/hand-eye calibration problem
 *          using the Kronecker product, J. Mechanisms and Robotics 5(3), 2013.
 * Checked  tests/property/core/identify/kinematic/, tests/contract/test_calibrate_kinematics.py
 */
tq_status tq_kinematic_solve(const tq_kinematic_problem *problem, tq_scratch *scratch,
                             tq_kinematic_result *ret, tq_error *reterr);
size_t tq_kinematic_size(const tq_kinematic_problem *problem);

/* origin of a joint with the errors found: what the calibrated model has in its place */
tq_pose tq_kinematic_origin(const tq_model *model, const tq_kinematic_state *state, uint32_t joint);

/* Numbers of a pose's residual: 6, 3 or 1. */
size_t tq_kinematic_rows_of(tq_kinematic_kind kind);

#endif
