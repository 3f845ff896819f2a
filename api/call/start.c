/* SPDX-License-Identifier: Apache-2.0 */
/* api/call/start.c - once per process: choose kernels, start libraries, check one torque. */
#include <math.h>
#include <sodium.h>
#include <stdlib.h>

#include "api/operation.h"
#include "api/response/digest.h"
#include "api/robots/document/node.h"
#include "core/dynamics/inverse.h"
#include "core/integrate/setup.h"
#include "core/lanes/table.h"
#include "core/linalg/setup.h"

/* A pendulum about y, 2 kg at 0.5 m, at 30 degrees: tau = (0.1 + 2 * 0.5^2) qdd - 9.81 cos(q). */
static bool pendulum_is_right(const tq_mechanism *mechanism)
{
    static const double angle = 0.52359877559829882, acceleration = 2.0;
    static const double expected = 0.6 * 2.0 - 9.81 * 0.86602540378443865;
    _Alignas(64) double q[TQ_BLOCK_PAD], qd[TQ_BLOCK_PAD], qdd[TQ_BLOCK_PAD], tau[TQ_BLOCK_PAD];
    for (size_t i = 0; i < TQ_BLOCK_PAD; i++) {
        q[i] = angle;
        qd[i] = 0.0;
        qdd[i] = acceleration;
        tau[i] = 0.0;
    }
    const tq_inverse_input in = {
        .n_sample = TQ_BLOCK_PAD, .stride = TQ_BLOCK_PAD, .q = q, .qd = qd, .qdd = qdd};
    const size_t size = tq_inverse_scratch_size(mechanism, 0);
    void *memory = aligned_alloc(64, (size + 63) / 64 * 64);
    if (memory == NULL) {
        return false;
    }
    tq_scratch scratch;
    tq_scratch_init(&scratch, memory, size);
    bool right = tq_inverse_dynamics(mechanism, &in, &scratch, tau, NULL) == TQ_OK;
    free(memory);
    for (size_t i = 0; i < TQ_BLOCK_PAD; i++) {
        /* some tens of eps of the largest term, 9.81 */
        right = right && fabs(tau[i] - expected) <= 1e-13;
    }
    return right;
}

static bool computes_rightly(void)
{
    tq_link links[2] = {
        {.inertia = {.mass = 0.0}},
        {.inertia = {.mass = 2.0,
                     .com = {0.5, 0.0, 0.0},
                     .about_com = {0.1, 0.0, 0.0, 0.1, 0.0, 0.1}}},
    };
    tq_joint joint = {
        .kind = TQ_JOINT_REVOLUTE,
        .parent = 0,
        .child = 1,
        .origin = {.r = {1, 0, 0, 0, 1, 0, 0, 0, 1}},
        .axis = {0.0, 1.0, 0.0},
        .limits = {-HUGE_VAL, HUGE_VAL, HUGE_VAL, HUGE_VAL},
        .rotor = {.inertia = 0.0, .ratio = 1.0},
        .mimic = TQ_NONE,
    };
    uint32_t order[1] = {0};
    tq_model model = {.n_link = 2,
                      .n_joint = 1,
                      .links = links,
                      .joints = &joint,
                      .gravity = {0.0, 0.0, -9.81},
                      .order = order};
    if (tq_model_finish(&model, NULL) != TQ_OK) {
        return false;
    }
    const size_t size = tq_mechanism_size(&model);
    void *memory = aligned_alloc(64, (size + 63) / 64 * 64);
    if (memory == NULL) {
        return false;
    }
    const tq_mechanism *mechanism = NULL;
    const bool right = tq_mechanism_build(&model, memory, size, &mechanism, NULL) == TQ_OK &&
                       pendulum_is_right(mechanism);
    free(memory);
    return right;
}

const char *tqa_start(unsigned lane_width)
{
    if (tq_linalg_setup(NULL) != TQ_OK) {
        return "OpenBLAS is the serial build, which errs in many threads: install another";
    }
    if (sodium_init() < 0) {
        return "libsodium does not start";
    }
    tqa_json_start();
    tqa_digest digest; /* its library chooses its code at the first use: before there are threads */
    tqa_digest_init(&digest);
    tqa_digest_feed(&digest, "", 0);
    if (tq_lanes_select(lane_width) != TQ_OK) {
        return "this processor has no lanes of this width (setting: lane_width)";
    }
    if (!tq_ode_prepare()) {
        return "there is no memory for the integrators";
    }
    return computes_rightly() ? NULL : "the self-test fails: this machine computes wrongly";
}

unsigned tqa_lane_width(void)
{
    return tq_lanes_width();
}
