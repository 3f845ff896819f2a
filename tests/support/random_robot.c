/* SPDX-License-Identifier: Apache-2.0 */
/* tests/support/random_robot.c - random trees of every joint kind, and states for them. */
#include "tests/support/random_robot.h"

#include "core/base/block.h"
#include "tests/support/random.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double identity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};

double *tqt_doubles(size_t n)
{
    const size_t bytes = (n * sizeof(double) / 64 + 1) * 64;
    double *at = aligned_alloc(64, bytes);
    if (at == NULL) {
        abort();
    }
    memset(at, 0, bytes);
    return at;
}

void tqt_sample(const double *rows, size_t n_row, size_t stride, size_t i, double *ret_x)
{
    for (size_t k = 0; k < n_row; k++) {
        ret_x[k] = rows[k * stride + i];
    }
}

tq_model *tqt_model_new(uint32_t n_link)
{
    tq_model *model = calloc(1, sizeof *model);
    tq_link *links = calloc(n_link, sizeof *links);
    tq_joint *joints = calloc(n_link, sizeof *joints);
    uint32_t *order = calloc(n_link, sizeof *order);
    if (model == NULL || links == NULL || joints == NULL || order == NULL) {
        abort();
    }
    *model = (tq_model){.n_link = n_link,
                        .n_joint = n_link - 1,
                        .links = links,
                        .joints = joints,
                        .gravity = {0, 0, -9.81},
                        .order = order};
    for (uint32_t j = 0; j + 1 < n_link; j++) {
        joints[j] = (tq_joint){.kind = TQ_JOINT_REVOLUTE,
                               .parent = j,
                               .child = j + 1,
                               .axis = {0, 0, 1},
                               .limits = {-HUGE_VAL, HUGE_VAL, HUGE_VAL, HUGE_VAL},
                               .rotor = {.ratio = 1},
                               .mimic = TQ_NONE,
                               .mimic_multiplier = 1};
        memcpy(joints[j].origin.r, identity, sizeof identity);
    }
    return model;
}

void tqt_model_free(tq_model *model)
{
    if (model != NULL) {
        free(model->links);
        free(model->joints);
        free(model->order);
        free(model);
    }
}

static int is_one_freedom(const tq_joint *joint)
{
    return ((unsigned)TQT_KINDS_ONE >> joint->kind & 1u) != 0;
}

static tq_joint_kind draw_kind(tqt_random *r, unsigned kinds)
{
    for (;;) {
        const uint32_t kind = tqt_random_below(r, TQ_JOINT_FLOATING + 1);
        if ((kinds >> kind & 1u) != 0) {
            return (tq_joint_kind)kind;
        }
    }
}

/* principal second moments x, y, z > 0 give the moments y + z, ...: a physically possible body */
static void draw_inertia(tqt_random *r, tq_inertia *ret_inertia)
{
    const double mass = pow(10.0, tqt_random_uniform(r, -1.0, 1.0));
    const double x = mass * tqt_random_uniform(r, 0.001, 0.05);
    const double y = mass * tqt_random_uniform(r, 0.001, 0.05);
    const double z = mass * tqt_random_uniform(r, 0.001, 0.05);
    const double moment[3] = {y + z, z + x, x + y};
    double a[9];
    tqt_random_rotation(r, a);
    ret_inertia->mass = mass;
    for (int i = 0, n = 0; i < 3; i++) {
        ret_inertia->com[i] = tqt_random_uniform(r, -0.3, 0.3);
        for (int k = i; k < 3; k++, n++) {
            ret_inertia->about_com[n] = 0.0;
            for (int m = 0; m < 3; m++) {
                ret_inertia->about_com[n] += a[3 * i + m] * moment[m] * a[3 * k + m];
            }
        }
    }
}

static void draw_origin(tqt_random *r, tq_joint *joint)
{
    tqt_random_rotation(r, joint->origin.r);
    for (int i = 0; i < 3; i++) {
        joint->origin.p[i] = tqt_random_uniform(r, -0.5, 0.5);
    }
    double unit[3];
    tqt_random_unit(r, 3, unit);
    const double length = tqt_random_uniform(r, 0.1, 10.0);
    for (int i = 0; i < 3; i++) {
        joint->axis[i] = length * unit[i];
    }
}

/* geometry for which general formulas divide by zero: parallel and coincident axes, and nearly so
 */
static void draw_special_origin(tqt_random *r, tq_joint *joint)
{
    static const double quarter[2][9] = {{1, 0, 0, 0, 0, -1, 0, 1, 0},
                                         {0, 0, 1, 0, 1, 0, -1, 0, 0}};
    memcpy(joint->origin.r, identity, sizeof identity);
    memcpy(joint->axis, (double[3]){0, 0, 1}, sizeof joint->axis);
    const uint32_t pick = tqt_random_below(r, 6);
    if (pick == 0 || pick == 1) {
        memcpy(joint->origin.r, quarter[pick], sizeof identity);
    } else if (pick == 2) {
        /* a quarter turn as read from roll-pitch-yaw: a cosine of 6e-17 remains */
        const double angle = acos(-1.0) / 2;
        const double turn[9] = {1, 0, 0, 0, cos(angle), -sin(angle), 0, sin(angle), cos(angle)};
        memcpy(joint->origin.r, turn, sizeof turn);
    } else if (pick == 3) {
        const double angle = pow(10.0, -(double)(3 + tqt_random_below(r, 10)));
        const double turn[9] = {1, 0, 0, 0, cos(angle), -sin(angle), 0, sin(angle), cos(angle)};
        memcpy(joint->origin.r, turn, sizeof turn);
    } else if (pick == 4) {
        memcpy(joint->axis, (double[3]){0, 0, -1}, sizeof joint->axis);
    }
    for (int i = 0; i < 3; i++) {
        joint->origin.p[i] = tqt_random_chance(r, 0.5) ? 0.0 : tqt_random_uniform(r, -0.5, 0.5);
    }
}

static void draw_joint_terms(tqt_random *r, unsigned with, tq_joint *joint)
{
    if (!is_one_freedom(joint)) {
        return;
    }
    if ((with & TQT_WITH_FRICTION) != 0 && tqt_random_chance(r, 0.7)) {
        joint->friction.viscous = tqt_random_uniform(r, 0.0, 2.0);
        joint->friction.coulomb = tqt_random_uniform(r, 0.0, 2.0);
        joint->friction.smoothing =
            tqt_random_chance(r, 0.5) ? 0.0 : tqt_random_uniform(r, 0.01, 1.0);
        if (tqt_random_chance(r, 0.5)) {
            joint->friction.breakaway = tqt_random_uniform(r, 0.0, 3.0);
            joint->friction.stribeck_velocity = tqt_random_uniform(r, 0.1, 1.0);
            joint->friction.offset = tqt_random_uniform(r, -1.0, 1.0);
        }
    }
    if ((with & TQT_WITH_ROTOR) != 0 && tqt_random_chance(r, 0.7)) {
        joint->rotor.inertia = tqt_random_uniform(r, 0.0, 1e-3);
        joint->rotor.ratio = tqt_random_uniform(r, -100.0, 100.0);
    }
    if ((with & TQT_WITH_SPRING) != 0 && tqt_random_chance(r, 0.7)) {
        joint->spring.stiffness = tqt_random_uniform(r, 0.0, 20.0);
        joint->spring.rest = tqt_random_uniform(r, -1.0, 1.0);
    }
}

/* some one-dof joints mimic another one that is not a mimic joint */
static void draw_mimics(tqt_random *r, tq_model *model)
{
    for (uint32_t j = 0; j < model->n_joint; j++) {
        const uint32_t master = tqt_random_below(r, model->n_joint);
        tq_joint *joint = &model->joints[j];
        int followed = 0;
        for (uint32_t i = 0; i < model->n_joint; i++) {
            followed |= model->joints[i].mimic == j;
        }
        if (master != j && !followed && tqt_random_chance(r, 0.2) && is_one_freedom(joint) &&
            is_one_freedom(&model->joints[master]) && model->joints[master].mimic == TQ_NONE) {
            joint->mimic = master;
            joint->mimic_multiplier = tqt_random_uniform(r, -2.0, 2.0);
            joint->mimic_offset = tqt_random_chance(r, 0.5) ? 0.0 : tqt_random_uniform(r, -1, 1);
        }
    }
}

static void shuffle(tqt_random *r, uint32_t n, uint32_t *ret_place)
{
    for (uint32_t i = 0; i < n; i++) {
        ret_place[i] = i;
    }
    for (uint32_t i = n; i > 1; i--) {
        const uint32_t k = tqt_random_below(r, i);
        const uint32_t old = ret_place[k];
        ret_place[k] = ret_place[i - 1];
        ret_place[i - 1] = old;
    }
}

/* renumbers links and joints, so that parents need not precede children */
static void renumber(tqt_random *r, tq_model *model)
{
    tq_model *old = tqt_model_new(model->n_link);
    memcpy(old->links, model->links, model->n_link * sizeof *old->links);
    memcpy(old->joints, model->joints, model->n_joint * sizeof *old->joints);
    uint32_t *link_place = calloc(model->n_link, sizeof *link_place);
    uint32_t *joint_place = calloc(model->n_link, sizeof *joint_place);
    if (link_place == NULL || joint_place == NULL) {
        abort();
    }
    shuffle(r, model->n_link, link_place);
    shuffle(r, model->n_joint, joint_place);
    for (uint32_t i = 0; i < model->n_link; i++) {
        model->links[link_place[i]] = old->links[i];
    }
    for (uint32_t j = 0; j < model->n_joint; j++) {
        tq_joint joint = old->joints[j];
        joint.parent = link_place[joint.parent];
        joint.child = link_place[joint.child];
        joint.mimic = joint.mimic == TQ_NONE ? TQ_NONE : joint_place[joint.mimic];
        model->joints[joint_place[j]] = joint;
    }
    free(link_place);
    free(joint_place);
    tqt_model_free(old);
}

tq_model *tqt_random_robot(uint64_t seed, tqt_robot_options options)
{
    tqt_random r = tqt_random_seed(seed);
    const unsigned with = options.with;
    tq_model *model = tqt_model_new(options.n_joint + 1);
    for (int i = 0; i < 3; i++) {
        model->gravity[i] = tqt_random_uniform(&r, -10.0, 10.0);
    }
    draw_inertia(&r, &model->links[0].inertia);
    for (uint32_t j = 0; j < options.n_joint; j++) {
        tq_joint *joint = &model->joints[j];
        joint->kind = draw_kind(&r, options.kinds);
        if ((with & TQT_WITH_BRANCHES) != 0 && tqt_random_chance(&r, 0.3)) {
            joint->parent = tqt_random_below(&r, j + 1);
        }
        draw_origin(&r, joint);
        if ((with & TQT_WITH_SPECIAL) != 0 && tqt_random_chance(&r, 0.4)) {
            draw_special_origin(&r, joint);
        }
        draw_joint_terms(&r, with, joint);
        draw_inertia(&r, &model->links[j + 1].inertia);
        if ((with & TQT_WITH_MASSLESS) != 0 && joint->parent != 0 && tqt_random_chance(&r, 0.2)) {
            model->links[joint->parent].inertia = (tq_inertia){0};
        }
    }
    if ((with & TQT_WITH_MIMIC) != 0) {
        draw_mimics(&r, model);
    }
    if ((with & TQT_WITH_SHUFFLE) != 0) {
        renumber(&r, model);
    }
    tq_error fault = {0};
    const tq_status status = tq_model_finish(model, &fault);
    if (status != TQ_OK) {
        fprintf(stderr, "random robot %llu: %s: %s %zu %g\n", (unsigned long long)seed,
                tq_status_slug(status), fault.what, fault.index, fault.value);
        abort();
    }
    return model;
}

static void draw_position(tqt_random *r, const tq_joint *joint, double *q, size_t stride)
{
    const double pi = acos(-1.0);
    const double lower[] = {0, -pi, -100.0, -1.0, -1.0, 0, -1.0};
    const double reach = -lower[joint->kind];
    const uint32_t n_plain = joint->nq < 4 ? joint->nq : joint->nq - 4;
    for (uint32_t k = 0; k < n_plain; k++) {
        q[k * stride] = tqt_random_uniform(r, -reach, reach);
    }
    if (joint->kind == TQ_JOINT_PLANAR) {
        q[2 * stride] *= pi;
    }
    if (joint->nq >= 4) {
        double h[4];
        tqt_random_unit(r, 4, h);
        for (uint32_t k = 0; k < 4; k++) {
            q[(n_plain + k) * stride] = h[k];
        }
    }
}

tqt_states tqt_random_states(uint64_t seed, const tq_model *model, size_t n_sample)
{
    tqt_random r = tqt_random_seed(seed ^ 0x5bd1e995u);
    const size_t stride = tq_block_stride(n_sample);
    tqt_states states = {.n_sample = n_sample,
                         .stride = stride,
                         .q = tqt_doubles(model->nq * stride),
                         .qd = tqt_doubles(model->nv * stride),
                         .qdd = tqt_doubles(model->nv * stride)};
    for (size_t i = 0; i < n_sample; i++) {
        for (uint32_t j = 0; j < model->n_joint; j++) {
            draw_position(&r, &model->joints[j], &states.q[model->joints[j].q_index * stride + i],
                          stride);
        }
        for (uint32_t k = 0; k < model->nv; k++) {
            states.qd[k * stride + i] = tqt_random_uniform(&r, -3.0, 3.0);
            states.qdd[k * stride + i] = tqt_random_uniform(&r, -10.0, 10.0);
        }
    }
    tq_block_pad(states.q, model->nq, stride, n_sample);
    tq_block_pad(states.qd, model->nv, stride, n_sample);
    tq_block_pad(states.qdd, model->nv, stride, n_sample);
    return states;
}

void tqt_states_free(tqt_states *states)
{
    free(states->q);
    free(states->qd);
    free(states->qdd);
    *states = (tqt_states){0};
}

tq_model *tqt_random_arm(uint64_t seed, uint32_t n_joint, unsigned with, tq_friction friction)
{
    const tqt_robot_options options = {
        .n_joint = n_joint, .kinds = 1u << TQ_JOINT_REVOLUTE, .with = with};
    tq_model *model = tqt_random_robot(seed, options);
    for (uint32_t j = 0; j < model->n_joint; j++) {
        model->joints[j].friction = friction;
    }
    return model;
}
