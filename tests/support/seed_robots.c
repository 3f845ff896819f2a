/* SPDX-License-Identifier: Apache-2.0 */
/* tests/support/seed_robots.c - planar arms, SCARA and RRP from their dimensions. */
#include "tests/support/seed_robots.h"

#include "tests/support/random_robot.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const tqt_rrp tqt_rrp_homework = {{.2757, .1378, .1378, .5}, .2, .1, .1, 9.81};

static tq_model *finished(tq_model *model)
{
    tq_error fault = {0};
    const tq_status status = tq_model_finish(model, &fault);
    if (status != TQ_OK) {
        fprintf(stderr, "seed robot: %s: %s\n", tq_status_slug(status), fault.what);
        abort();
    }
    return model;
}

tqt_bar tqt_slender_bar(double length, double mass)
{
    return (tqt_bar){length, mass, length / 2, mass * length * length / 12, 0.0};
}

tq_model *tqt_planar_arm(const tqt_bar *bars, uint32_t n, double g)
{
    tq_model *model = tqt_model_new(n + 1);
    memcpy(model->gravity, (double[3]){0, -g, 0}, sizeof model->gravity);
    for (uint32_t j = 0; j < n; j++) {
        const tqt_bar *bar = &bars[j];
        model->joints[j].friction.viscous = bar->viscous;
        if (j > 0) {
            model->joints[j].origin.p[0] = bars[j - 1].length;
        }
        model->links[j + 1].inertia =
            (tq_inertia){bar->mass, {bar->com, 0, 0}, {0, 0, 0, bar->inertia, 0, bar->inertia}};
    }
    return finished(model);
}

tq_model *tqt_scara_arm(const tqt_scara *from)
{
    tq_model *model = tqt_model_new(4);
    memcpy(model->gravity, (double[3]){0, 0, -from->g}, sizeof model->gravity);
    for (uint32_t j = 0; j < 2; j++) {
        const double moment = from->m[j] * from->a[j] * from->a[j] / 12;
        model->links[j + 1].inertia =
            (tq_inertia){from->m[j], {from->a[j] / 2, 0, 0}, {0, 0, 0, moment, 0, moment}};
        model->joints[j + 1].origin.p[0] = from->a[j];
    }
    model->joints[0].origin.p[2] = from->d1;
    model->joints[2].kind = TQ_JOINT_PRISMATIC;
    memcpy(model->joints[2].axis, (double[3]){0, 0, -1}, sizeof model->joints[2].axis);
    const double moment = from->m[2] * from->rod * from->rod / 12;
    model->links[3].inertia =
        (tq_inertia){from->m[2], {0, 0, from->rod / 2}, {moment, 0, 0, moment, 0, 0}};
    return finished(model);
}

/* rod of mass m from -L1 to 0 along z, point mass at 0, as one body */
static tq_inertia rod_with_tip(double rod, double m_rod, double m_tip)
{
    const double mass = m_rod + m_tip;
    const double com = -0.5 * rod * m_rod / mass;
    const double from_rod = com + 0.5 * rod;
    const double moment = m_rod * rod * rod / 12 + m_rod * from_rod * from_rod + m_tip * com * com;
    return (tq_inertia){mass, {0, 0, com}, {moment, 0, 0, moment, 0, 0}};
}

tq_model *tqt_rrp_arm(const tqt_rrp *from)
{
    tq_model *model = tqt_model_new(4);
    memcpy(model->gravity, (double[3]){0, 0, -from->g}, sizeof model->gravity);
    const double post = from->m[0] * from->height * from->height / 12;
    const double bar = from->m[1] * from->reach * from->reach / 12;
    model->links[1].inertia =
        (tq_inertia){from->m[0], {0, 0, from->height / 2}, {post, 0, 0, post, 0, 0}};
    model->links[2].inertia =
        (tq_inertia){from->m[1], {from->reach / 2, 0, 0}, {0, 0, 0, bar, 0, bar}};
    model->links[3].inertia = rod_with_tip(from->rod, from->m[2], from->m[3]);
    model->joints[1].origin.p[2] = from->height;
    memcpy(model->joints[1].axis, (double[3]){1, 0, 0}, sizeof model->joints[1].axis);
    model->joints[2].kind = TQ_JOINT_PRISMATIC;
    model->joints[2].origin.p[0] = from->reach;
    return finished(model);
}

tq_model *tqt_elbow_arm(const tqt_elbow *from)
{
    tq_model *model = tqt_model_new(4);
    memcpy(model->gravity, (double[3]){0, 0, -from->g}, sizeof model->gravity);
    const double com[3][3] = {{0, 0, from->r0}, {0, from->r1, 0}, {0, from->r2, 0}};
    for (uint32_t k = 0; k < 3; k++) {
        tq_inertia *inertia = &model->links[k + 1].inertia;
        *inertia = (tq_inertia){.mass = from->m[k],
                                .about_com = {from->ix[k], 0, 0, from->iy[k], 0, from->iz[k]}};
        memcpy(inertia->com, com[k], sizeof inertia->com);
        if (k > 0) {
            memcpy(model->joints[k].axis, (double[3]){-1, 0, 0}, sizeof model->joints[k].axis);
        }
    }
    model->joints[1].origin.p[2] = from->l0;
    model->joints[2].origin.p[1] = from->l1;
    return finished(model);
}

tq_model *tqt_floating_copy(const tq_model *fixed)
{
    tq_model *model = tqt_model_new(fixed->n_link + 1);
    memcpy(model->gravity, fixed->gravity, sizeof model->gravity);
    memcpy(model->links, fixed->links, fixed->n_link * sizeof *model->links);
    memcpy(&model->joints[1], fixed->joints, fixed->n_joint * sizeof *model->joints);
    model->links[fixed->root].inertia = (tq_inertia){0};
    model->joints[0].kind = TQ_JOINT_FLOATING;
    model->joints[0].parent = fixed->n_link;
    model->joints[0].child = fixed->root;
    for (uint32_t j = 1; j < model->n_joint; j++) {
        model->joints[j].mimic += model->joints[j].mimic != TQ_NONE;
    }
    return finished(model);
}
