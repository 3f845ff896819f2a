/* SPDX-License-Identifier: Apache-2.0 */
/* tests/bench/robots.c - the robots that speed is measured on. */
#include "tests/bench/robots.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/support/random.h"
#include "tests/support/random_robot.h"

/* a body of plausible mass, definite inertia and a centre off its origin */
static void give_body(tq_link *link, tqt_random *random)
{
    tq_inertia *body = &link->inertia;
    body->mass = tqt_random_uniform(random, 0.5, 4.0);
    for (int k = 0; k < 3; k++) {
        body->com[k] = tqt_random_uniform(random, -0.1, 0.1);
    }
    const double about[6] = {0.020, 0.001, -0.002, 0.018, 0.003, 0.012};
    for (int k = 0; k < 6; k++) {
        body->about_com[k] = body->mass * about[k];
    }
}

/* origin turned about x by a right angle or not at all, as in most URDFs; moved by (x, y, z) */
static void give_joint(tq_joint *joint, uint32_t parent, char axis, tqt_random *random)
{
    joint->parent = parent;
    joint->axis[0] = axis == 'x';
    joint->axis[1] = axis == 'y';
    joint->axis[2] = axis == 'z';
    for (int k = 0; k < 3; k++) {
        joint->origin.p[k] = tqt_random_uniform(random, -0.3, 0.3);
    }
    if (axis == 'z') {
        const double s = tqt_random_chance(random, 0.5) ? 1.0 : -1.0;
        const double quarter[9] = {1, 0, 0, 0, 0, -s, 0, s, 0};
        for (int k = 0; k < 9; k++) {
            joint->origin.r[k] = quarter[k];
        }
    }
}

static tq_model *finish(tq_model *model)
{
    tq_error error = {0};
    const tq_status status = tq_model_finish(model, &error);
    if (status != TQ_OK) {
        fprintf(stderr, "bench robot: %s %s\n", tq_status_text(status), error.what);
        exit(2);
    }
    return model;
}

static tq_model *spread(uint32_t n_joint, uint32_t reach)
{
    tqt_random random = tqt_random_seed(n_joint);
    tq_model *model = tqt_model_new(n_joint + 1);
    for (uint32_t j = 0; j < n_joint; j++) {
        const uint32_t back = tqt_random_below(&random, reach);
        give_joint(&model->joints[j], back < j ? j - back : 0, 'z', &random);
        give_body(&model->links[j + 1], &random);
    }
    return finish(model);
}

tq_model *bench_tree(uint32_t n_joint)
{
    return spread(n_joint, 3);
}

tq_model *bench_chain(uint32_t n_joint)
{
    return spread(n_joint, 1);
}

/* a floating body with limbs; a limb is a word of axes, '(' starts one at the body */
static tq_model *limbs(const char *plan)
{
    tqt_random random = tqt_random_seed(7);
    uint32_t n_joint = 1;
    for (const char *c = plan; *c != '\0'; c++) {
        n_joint += *c != '(';
    }
    tq_model *model = tqt_model_new(n_joint + 1);
    model->joints[0].kind = TQ_JOINT_FLOATING;
    give_body(&model->links[1], &random);
    model->links[1].inertia.mass = 20;
    uint32_t parent = 1, j = 1;
    for (const char *c = plan; *c != '\0'; c++) {
        if (*c == '(') {
            parent = 1;
            continue;
        }
        give_joint(&model->joints[j], parent, *c, &random);
        give_body(&model->links[j + 1], &random);
        parent = j + 1;
        j++;
    }
    return finish(model);
}

tq_model *bench_quadruped(void)
{
    return limbs("(xyy(xyy(xyy(xyy");
}

tq_model *bench_humanoid(void)
{
    /* torso and head, arms of 7, legs of 6 */
    return limbs("(zyxz(yxzyzyx(yxzyzyx(zxyyyx(zxyyyx");
}
