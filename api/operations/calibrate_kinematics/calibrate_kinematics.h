/* SPDX-License-Identifier: Apache-2.0 */
/* api/operations/calibrate_kinematics/calibrate_kinematics.h - a kinematic calibration: its
 * request, its result. */
#ifndef TQA_OPERATIONS_CALIBRATE_KINEMATICS_CALIBRATE_KINEMATICS_H
#define TQA_OPERATIONS_CALIBRATE_KINEMATICS_CALIBRATE_KINEMATICS_H

#include "api/call/call.h"
#include "api/request/robot_fields.h"
#include "core/identify/kinematic/kinematic.h"

enum { TQA_KINEMATIC_NAME = TQA_NAME_MAX + 16 };

/* Everything lives in the tree's memory. */
typedef struct tqa_kinematic {
    tqa_tree *tree;
    tqa_order order;
    tqa_states states;
    tqa_point point; /* its link, and where the search of the tool begins */
    tq_kinematic_problem problem;
    tq_kinematic_result found;
    char *document, *urdf; /* malloc'ed; NULL: none */
    size_t n_document, n_urdf;
} tqa_kinematic;

/* read.c: the request. False: the problem is set. */
bool tqa_kinematic_read(tqa_kinematic *kinematic);

/* words.c: "elbow.zero", "base.rx" ..., and reason number i */
void tqa_kinematic_name(const tqa_kinematic *kinematic, size_t parameter,
                        char ret[TQA_KINEMATIC_NAME]);
void tqa_kinematic_reason_text(const tqa_kinematic *kinematic, size_t i,
                               char ret[TQA_PROBLEM_TEXT]);
void tqa_kinematic_why_not(const tqa_kinematic *kinematic, size_t parameter,
                           char ret[TQA_PROBLEM_TEXT]);
/* Number of the next largest absolute value of x (n) after that of `before` (SIZE_MAX: the first);
 * SIZE_MAX: none is above `least`. */
size_t tqa_kinematic_next(const double *x, size_t n, size_t before, double least);
/* The words of `of`: x y z rx ry rz by axis. */
extern const char *const tqa_kinematic_axes[];

/* answer.c, poses.c. False: the problem is set. */
bool tqa_kinematic_answer(tqa_kinematic *kinematic);
void tqa_kinematic_put_errors(const tqa_kinematic *kinematic);
void tqa_kinematic_put_outliers(const tqa_kinematic *kinematic);
bool tqa_kinematic_put_poses(tqa_kinematic *kinematic);
/* Prints the robot with the parameters. */
bool tqa_kinematic_robot(tqa_kinematic *kinematic);
bool tqa_kinematic_put_robot(tqa_kinematic *kinematic);

#endif
