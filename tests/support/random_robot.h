/* SPDX-License-Identifier: Apache-2.0 */
/* tests/support/random_robot.h - random trees and random states, the same for the same seed. */
#ifndef TQT_RANDOM_ROBOT_H
#define TQT_RANDOM_ROBOT_H

#include "core/model/model.h"

#include <stddef.h>
#include <stdint.h>

/* Joint kinds to draw from, as bits 1 << tq_joint_kind. */
enum {
    TQT_KINDS_ONE = 1u << TQ_JOINT_REVOLUTE | 1u << TQ_JOINT_CONTINUOUS | 1u << TQ_JOINT_PRISMATIC,
    TQT_KINDS_ALL = TQT_KINDS_ONE | 1u << TQ_JOINT_FIXED | 1u << TQ_JOINT_PLANAR |
                    1u << TQ_JOINT_SPHERICAL | 1u << TQ_JOINT_FLOATING,
};

/* Properties of a robot besides joints and inertias. */
enum {
    TQT_WITH_BRANCHES = 1u << 0,
    TQT_WITH_MIMIC = 1u << 1,
    TQT_WITH_FRICTION = 1u << 2,
    TQT_WITH_ROTOR = 1u << 3,
    TQT_WITH_SPRING = 1u << 4,
    TQT_WITH_MASSLESS = 1u << 5, /* massless links with children */
    TQT_WITH_SPECIAL = 1u << 6,  /* parallel, coincident, nearly parallel axes; zero offsets */
    TQT_WITH_SHUFFLE = 1u << 7,  /* joints and links numbered in any order */
    TQT_WITH_ALL = (1u << 8) - 1,
};

typedef struct tqt_robot_options {
    uint32_t n_joint; /* 1 or more */
    unsigned kinds;   /* 1 << tq_joint_kind, any of */
    unsigned with;    /* TQT_WITH_..., any of */
} tqt_robot_options;

/* A finished random model. Ends the test if tq_model_finish fails. Free it with tqt_model_free. */
tq_model *tqt_random_robot(uint64_t seed, tqt_robot_options options);

/* A random arm of revolute joints, all with this friction; `with` as in the options. */
tq_model *tqt_random_arm(uint64_t seed, uint32_t n_joint, unsigned with, tq_friction friction);

/* A model with n_link links and n_link - 1 joints, all zero except: unit rotations, axes along z,
 * no limits, no mimic, gravity -9.81 along z. Not finished. */
tq_model *tqt_model_new(uint32_t n_link);
void tqt_model_free(tq_model *model);

/* One block of motion in the layout of core/base/block.h, up to TQ_BLOCK samples. */
typedef struct tqt_states {
    size_t n_sample, stride;
    double *q, *qd, *qdd; /* (nq, nv, nv x stride), aligned to 64 */
} tqt_states;

/* Random states: angles to +-pi (continuous joints to +-100), travel to +-1, rates to +-3,
 * accelerations to +-10; quaternions of unit length to rounding. */
tqt_states tqt_random_states(uint64_t seed, const tq_model *model, size_t n_sample);
void tqt_states_free(tqt_states *states);

/* Cleared memory of n doubles (at least one), aligned to 64; ends the test if there is none. Free
 * it with free. */
double *tqt_doubles(size_t n);

/* Copies sample i of n_row block rows into ret_x (n_row). */
void tqt_sample(const double *rows, size_t n_row, size_t stride, size_t i, double *ret_x);

#endif
