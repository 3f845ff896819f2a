/* SPDX-License-Identifier: Apache-2.0 */
/* tests/support/naive.c - Newton-Euler in world axes by the textbook; it shares only 3-vector
 * functions with the kernels. */
#include "tests/support/naive.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/spatial/frame.h"

double naive_uniform(uint64_t *state)
{
    uint64_t z = (*state += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return (double)(int64_t)((z ^ (z >> 31)) >> 11) / 0x1p52 - 1.0;
}

static void rotation_of(const double *quat, double *r)
{
    const double w = quat[0], x = quat[1], y = quat[2], z = quat[3];
    const double m[9] = {1 - 2 * (y * y + z * z), 2 * (x * y - w * z),     2 * (x * z + w * y),
                         2 * (x * y + w * z),     1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
                         2 * (x * z - w * y),     2 * (y * z + w * x),     1 - 2 * (x * x + y * y)};
    memcpy(r, m, sizeof m);
}

static void random_quaternion(uint64_t *state, double *quat)
{
    double n2 = 0.0;
    for (int k = 0; k < 4; k++) {
        quat[k] = naive_uniform(state);
        n2 += quat[k] * quat[k];
    }
    for (int k = 0; k < 4; k++) {
        quat[k] /= sqrt(n2);
    }
}

static int below(uint64_t *state, int n)
{
    return (int)((naive_uniform(state) + 1.0) / 2.0 * n);
}

/* frames in turn: general, right-angled, identity, nearly parallel: the cases of the canonical form
 */
static void random_origin(uint64_t *state, tq_pose *pose)
{
    double quat[4];
    random_quaternion(state, quat);
    const int kind = below(state, 4);
    if (kind == 1) {
        const double half = sqrt(0.5);
        const double q[4] = {half, half, 0, 0};
        memcpy(quat, q, sizeof q);
    } else if (kind == 2) {
        const double q[4] = {1, 0, 0, 0};
        memcpy(quat, q, sizeof q);
    } else if (kind == 3) {
        const double angle = pow(10.0, -10.0 * (naive_uniform(state) + 1.0) / 2.0);
        const double q[4] = {cos(angle), sin(angle) * 0.6, sin(angle) * 0.8, 0};
        memcpy(quat, q, sizeof q);
    }
    rotation_of(quat, pose->r);
    for (int k = 0; k < 3; k++) {
        pose->p[k] = below(state, 4) == 0 ? 0.0 : naive_uniform(state);
    }
}

static void random_inertia(uint64_t *state, tq_inertia *inertia)
{
    double quat[4], r[9], d[3];
    inertia->mass = 1.0 + naive_uniform(state) * 0.9;
    random_quaternion(state, quat);
    rotation_of(quat, r);
    for (int k = 0; k < 3; k++) {
        inertia->com[k] = 0.3 * naive_uniform(state);
        d[k] = 0.02 * (1.1 + naive_uniform(state)) * inertia->mass;
    }
    const double moments[3] = {d[1] + d[2], d[0] + d[2], d[0] + d[1]};
    int e = 0;
    for (int i = 0; i < 3; i++) {
        for (int j = i; j < 3; j++) {
            inertia->about_com[e] = 0.0;
            for (int k = 0; k < 3; k++) {
                inertia->about_com[e] += r[3 * i + k] * moments[k] * r[3 * j + k];
            }
            e++;
        }
    }
}

static void random_joint(naive_robot *robot, uint32_t j, unsigned flags)
{
    uint64_t *state = &robot->state;
    tq_joint *joint = &robot->joints[j];
    static const tq_joint_kind singles[] = {TQ_JOINT_REVOLUTE, TQ_JOINT_REVOLUTE,
                                            TQ_JOINT_PRISMATIC};
    static const tq_joint_kind all[] = {TQ_JOINT_REVOLUTE, TQ_JOINT_PRISMATIC, TQ_JOINT_CONTINUOUS,
                                        TQ_JOINT_FIXED,    TQ_JOINT_SPHERICAL, TQ_JOINT_FLOATING,
                                        TQ_JOINT_PLANAR,   TQ_JOINT_REVOLUTE};
    *joint = (tq_joint){.child = j + 1, .mimic = TQ_NONE, .mimic_multiplier = 1.0};
    joint->kind = flags & NAIVE_SINGLES ? singles[below(state, 3)] : all[below(state, 8)];
    joint->parent = flags & NAIVE_CHAIN ? j : (uint32_t)below(state, (int)j + 1);
    if (j > 0 && below(state, 3) != 0) {
        joint->parent = j;
    }
    random_origin(state, &joint->origin);
    for (int k = 0; k < 3; k++) {
        joint->axis[k] = naive_uniform(state);
    }
    if (below(state, 2) == 0) {
        const double z[3] = {0, 0, below(state, 2) == 0 ? 1 : -1};
        memcpy(joint->axis, z, sizeof z);
    }
    if (!(flags & NAIVE_PLAIN)) {
        joint->friction = (tq_friction){.viscous = 0.3, .coulomb = 0.2, .offset = 0.05};
        joint->spring = (tq_spring){.stiffness = 2.0, .rest = 0.1};
        joint->rotor = (tq_rotor){.inertia = 1e-4, .ratio = 50.0};
    }
    if (!(flags & NAIVE_NO_MIMIC) && j > 0 && tq_joint_kind_nv(joint->kind) == 1 &&
        below(state, 4) == 0) {
        const uint32_t master = (uint32_t)below(state, (int)j);
        if (tq_joint_kind_nv(robot->joints[master].kind) == 1 &&
            robot->joints[master].mimic == TQ_NONE) {
            joint->mimic = master;
            joint->mimic_multiplier = -0.7;
            joint->mimic_offset = 0.3;
        }
    }
}

void naive_random_robot(naive_robot *robot, uint32_t n_joint, unsigned flags, uint64_t seed)
{
    assert(n_joint <= NAIVE_JOINT_MAX);
    memset(robot, 0, sizeof *robot);
    robot->state = seed;
    robot->model = (tq_model){.n_link = n_joint + 1,
                              .n_joint = n_joint,
                              .links = robot->links,
                              .joints = robot->joints,
                              .order = robot->order,
                              .gravity = {0.3, -0.2, -9.81}};
    for (uint32_t l = 0; l <= n_joint; l++) {
        random_inertia(&robot->state, &robot->links[l].inertia);
    }
    for (uint32_t j = 0; j < n_joint; j++) {
        random_joint(robot, j, flags);
    }
    tq_status status = tq_model_finish(&robot->model, NULL);
    assert(status == TQ_OK);
    const size_t size = tq_mechanism_size(&robot->model);
    robot->memory = aligned_alloc(64, size);
    status = tq_mechanism_build(&robot->model, robot->memory, size, &robot->mechanism, NULL);
    assert(status == TQ_OK);
}

void naive_free(naive_robot *robot)
{
    free(robot->memory);
}

void naive_random_q(naive_robot *robot, size_t n_sample, size_t stride, double *q)
{
    naive_random_v(robot, n_sample, stride, 3.0, q + 0);
    for (uint32_t r = robot->model.nv; r < robot->model.nq; r++) {
        memset(q + r * stride, 0, stride * sizeof *q);
    }
    for (uint32_t j = 0; j < robot->model.n_joint; j++) {
        const tq_joint *joint = &robot->joints[j];
        const size_t row = joint->q_index;
        for (size_t i = 0; joint->nq > 0 && i < stride; i++) {
            double quat[4];
            random_quaternion(&robot->state, quat);
            for (size_t k = 0; k < joint->nq; k++) {
                q[(row + k) * stride + i] = 2.0 * naive_uniform(&robot->state);
            }
            const size_t at = joint->kind == TQ_JOINT_FLOATING ? 3 : 0;
            for (size_t k = 0; joint->nq != joint->nv && k < 4; k++) {
                q[(row + at + k) * stride + i] = quat[k];
            }
        }
    }
    (void)n_sample;
}

void naive_random_v(naive_robot *robot, size_t n_sample, size_t stride, double size, double *v)
{
    (void)n_sample;
    for (size_t k = 0; k < robot->model.nv * stride; k++) {
        v[k] = size * naive_uniform(&robot->state);
    }
}

typedef struct body {
    double r[9], p[3], w[3], al[3], a[3]; /* world axes; a: acceleration of the link origin, less
                                             gravity */
    double f[3], n[3];                    /* exerted by the joint, about the link origin */
} body;

static void add(double *a, const double *b)
{
    for (int k = 0; k < 3; k++) {
        a[k] += b[k];
    }
}

static void add_cross(double *sum, const double *a, const double *b)
{
    double c[3];
    tq_vec_cross(a, b, c);
    add(sum, c);
}

static double dot(const double *a, const double *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* displacement and rates of the child in the joint frame, which moves with the parent */
typedef struct relative {
    double r[9], x[3], v[3], a[3], w[3], al[3]; /* r, x and the rates in the joint frame */
} relative;

static void turn_about(const double *axis, double angle, double *r)
{
    const double half[4] = {cos(angle / 2), sin(angle / 2) * axis[0], sin(angle / 2) * axis[1],
                            sin(angle / 2) * axis[2]};
    rotation_of(half, r);
}

static relative relative_of(const tq_joint *joint, const double *q, const double *qd,
                            const double *qdd)
{
    relative rel;
    memset(&rel, 0, sizeof rel);
    tq_mat_identity(rel.r);
    const double *q0 = q + joint->q_index, *v0 = qd + joint->v_index, *a0 = qdd + joint->v_index;
    double ratio = 1.0, offset = 0.0, z[9];
    if (joint->mimic != TQ_NONE) {
        ratio = joint->mimic_multiplier;
        offset = joint->mimic_offset;
    }
    const double *quat = q0;
    switch (joint->kind) {
    case TQ_JOINT_FIXED:
        break;
    case TQ_JOINT_REVOLUTE:
    case TQ_JOINT_CONTINUOUS:
        turn_about(joint->axis, ratio * q0[0] + offset, rel.r);
        for (int k = 0; k < 3; k++) {
            rel.w[k] = joint->axis[k] * ratio * v0[0];
            rel.al[k] = joint->axis[k] * ratio * a0[0];
        }
        break;
    case TQ_JOINT_PRISMATIC:
        for (int k = 0; k < 3; k++) {
            rel.x[k] = joint->axis[k] * (ratio * q0[0] + offset);
            rel.v[k] = joint->axis[k] * ratio * v0[0];
            rel.a[k] = joint->axis[k] * ratio * a0[0];
        }
        break;
    case TQ_JOINT_PLANAR:
        tq_mat_third_column(joint->axis, z);
        turn_about(joint->axis, q0[2], rel.r);
        for (int k = 0; k < 3; k++) {
            rel.x[k] = z[3 * k] * q0[0] + z[3 * k + 1] * q0[1];
            rel.v[k] = z[3 * k] * v0[0] + z[3 * k + 1] * v0[1];
            rel.a[k] = z[3 * k] * a0[0] + z[3 * k + 1] * a0[1];
            rel.w[k] = joint->axis[k] * v0[2];
            rel.al[k] = joint->axis[k] * a0[2];
        }
        break;
    case TQ_JOINT_FLOATING:
        memcpy(rel.x, q0, sizeof rel.x);
        quat = q0 + 3;
        rotation_of(quat, rel.r);
        memcpy(rel.a, a0, sizeof rel.a);
        add_cross(rel.a, v0 + 3, v0);
        tq_mat_vec(rel.r, rel.a, rel.a);
        tq_mat_vec(rel.r, v0, rel.v);
        v0 += 3;
        a0 += 3;
        tq_mat_vec(rel.r, v0, rel.w);
        tq_mat_vec(rel.r, a0, rel.al);
        break;
    case TQ_JOINT_SPHERICAL:
        rotation_of(quat, rel.r);
        tq_mat_vec(rel.r, v0, rel.w);
        tq_mat_vec(rel.r, a0, rel.al);
        break;
    }
    return rel;
}

/* adds the acceleration of a point fixed at offset x in a frame with w, al */
static void add_carried(double *a, const double *w, const double *al, const double *x)
{
    double wx[3];
    tq_vec_cross(w, x, wx);
    add_cross(a, al, x);
    add_cross(a, w, wx);
}

static void step(const tq_joint *joint, const relative *rel, const body *parent, body *s)
{
    double r[9], lever[3], x[3], v2[3], w[3], t[3];
    tq_mat_product(parent->r, joint->origin.r, r);
    tq_mat_product(r, rel->r, s->r);
    tq_mat_vec(parent->r, joint->origin.p, lever);
    tq_mat_vec(r, rel->x, x);
    add(lever, x);
    memcpy(s->p, parent->p, sizeof s->p);
    add(s->p, lever);
    memcpy(s->a, parent->a, sizeof s->a);
    add_carried(s->a, parent->w, parent->al, lever);
    tq_mat_vec(r, rel->v, v2);
    for (int k = 0; k < 3; k++) {
        v2[k] *= 2.0;
    }
    add_cross(s->a, parent->w, v2);
    tq_mat_vec(r, rel->a, t);
    add(s->a, t);
    tq_mat_vec(r, rel->w, w);
    memcpy(s->al, parent->al, sizeof s->al);
    add_cross(s->al, parent->w, w);
    tq_mat_vec(r, rel->al, t);
    add(s->al, t);
    memcpy(s->w, parent->w, sizeof s->w);
    add(s->w, w);
}

static double size_of(const double *a)
{
    return fabs(a[0]) + fabs(a[1]) + fabs(a[2]);
}

/* Newton-Euler of one link, about its origin */
static double own_load(const tq_inertia *inertia, body *s)
{
    const double *e = inertia->about_com;
    double tensor[9] = {e[0], e[1], e[2], e[1], e[3], e[4], e[2], e[4], e[5]}, rt[9];
    double c[3], l[3], ac[3], t[3];
    tq_mat_product(s->r, tensor, tensor);
    for (int k = 0; k < 9; k++) {
        rt[k] = s->r[3 * (k % 3) + k / 3];
    }
    tq_mat_product(tensor, rt, tensor);
    tq_mat_vec(s->r, inertia->com, c);
    memcpy(ac, s->a, sizeof ac);
    add_carried(ac, s->w, s->al, c);
    for (int k = 0; k < 3; k++) {
        s->f[k] = inertia->mass * ac[k];
    }
    tq_mat_vec(tensor, s->al, s->n);
    tq_mat_vec(tensor, s->w, l);
    add_cross(s->n, s->w, l);
    tq_vec_cross(c, s->f, t);
    const double size = size_of(s->f) * (1.0 + size_of(c)) + size_of(s->n) + size_of(l);
    add(s->n, t);
    return size;
}

static void put_effort(const tq_joint *joint, const body *parent, const body *s, double *tau)
{
    double r[9], f[3], n[3], z[9];
    tq_mat_product(parent->r, joint->origin.r, r);
    tq_mat_tvec(r, s->f, f);
    tq_mat_tvec(r, s->n, n);
    double *row = tau + joint->v_index;
    const double ratio = joint->mimic != TQ_NONE ? joint->mimic_multiplier : 1.0;
    switch (joint->kind) {
    case TQ_JOINT_FIXED:
        break;
    case TQ_JOINT_REVOLUTE:
    case TQ_JOINT_CONTINUOUS:
        row[0] += ratio * dot(joint->axis, n);
        break;
    case TQ_JOINT_PRISMATIC:
        row[0] += ratio * dot(joint->axis, f);
        break;
    case TQ_JOINT_PLANAR:
        tq_mat_third_column(joint->axis, z);
        row[0] = z[0] * f[0] + z[3] * f[1] + z[6] * f[2];
        row[1] = z[1] * f[0] + z[4] * f[1] + z[7] * f[2];
        row[2] = dot(joint->axis, n);
        break;
    case TQ_JOINT_FLOATING:
        tq_mat_tvec(s->r, s->f, row);
        tq_mat_tvec(s->r, s->n, row + 3);
        break;
    case TQ_JOINT_SPHERICAL:
        tq_mat_tvec(s->r, s->n, row);
        break;
    }
}

static void put_joint(const body *s, double *ret)
{
    tq_mat_tvec(s->r, s->f, ret);
    tq_mat_tvec(s->r, s->n, ret + 3);
}

double naive_inverse(const tq_model *model, const double *gravity, const double *q,
                     const double *qd, const double *qdd, const double *external, double *ret_tau,
                     double *ret_joint)
{
    static _Thread_local body bodies[NAIVE_JOINT_MAX + 1];
    double scale = 0.0;
    memset(bodies, 0, sizeof bodies);
    memset(ret_tau, 0, model->nv * sizeof *ret_tau);
    body *root = &bodies[model->root];
    tq_mat_identity(root->r);
    for (int k = 0; k < 3; k++) {
        root->a[k] = -gravity[k];
    }
    for (uint32_t k = 0; k < model->n_joint; k++) {
        const tq_joint *joint = &model->joints[model->order[k]];
        const relative rel = relative_of(joint, q, qd, qdd);
        body *s = &bodies[joint->child];
        step(joint, &rel, &bodies[joint->parent], s);
        scale += own_load(&model->links[joint->child].inertia, s);
        for (int e = 0; external != NULL && e < 3; e++) {
            s->f[e] -= external[6 * joint->child + (uint32_t)e];
            s->n[e] -= external[6 * joint->child + 3 + (uint32_t)e];
        }
    }
    for (uint32_t k = model->n_joint; k-- > 0;) {
        const uint32_t j = model->order[k];
        const tq_joint *joint = &model->joints[j];
        const body *s = &bodies[joint->child];
        body *parent = &bodies[joint->parent];
        put_effort(joint, parent, s, ret_tau);
        if (ret_joint != NULL) {
            put_joint(s, ret_joint + 6 * j);
        }
        double lever[3];
        for (int e = 0; e < 3; e++) {
            lever[e] = s->p[e] - parent->p[e];
        }
        add(parent->f, s->f);
        add(parent->n, s->n);
        add_cross(parent->n, lever, s->f);
        scale += size_of(s->f) * (1.0 + size_of(lever));
    }
    return scale;
}
