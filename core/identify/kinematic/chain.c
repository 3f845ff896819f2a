/* SPDX-License-Identifier: Apache-2.0 */
/* core/identify/kinematic/chain.c - the columns of a kinematic calibration, and the chain of joints
 * with its errors. */
#include <math.h>
#include <string.h>

#include "core/base/finite.h"
#include "core/dynamics/kinematics/joint_motion.h"
#include "core/identify/kinematic/kinematic_private.h"
#include "core/identify/kinematic/rotation.h"
#include "core/spatial/screw.h"

static const double quaternion_slack = 1e-6; /* tolerance of the interface */
enum { PLANE_LEAST = 4 };

size_t tq_kinematic_rows_of(tq_kinematic_kind kind)
{
    return kind == TQ_KINEMATIC_POSES ? 6 : kind == TQ_KINEMATIC_POINTS ? 3 : 1;
}

static bool has_zero(const tq_joint *joint)
{
    return joint->kind == TQ_JOINT_REVOLUTE || joint->kind == TQ_JOINT_CONTINUOUS ||
           joint->kind == TQ_JOINT_PRISMATIC;
}

static bool is_unknown(const tq_kinematic_problem *p, uint32_t joint)
{
    return p->only == NULL || p->only[joint];
}

static uint32_t master_of(const tq_model *model, uint32_t joint)
{
    const uint32_t master = model->joints[joint].mimic;
    return master == TQ_NONE ? joint : master;
}

static size_t tool_columns(const tq_kinematic_problem *p)
{
    return p->knows_tool ? 0 : p->kind == TQ_KINEMATIC_POSES ? 6 : 3;
}

static size_t path_length(const tq_kinematic_problem *p)
{
    size_t n = 0;
    for (uint32_t at = p->link; at != p->model->root; n++) {
        at = p->model->joints[p->model->links[at].joint].parent;
    }
    return n;
}

size_t tq_kinematic_count(const tq_kinematic_problem *p, size_t *ret_n_step)
{
    const tq_model *model = p->model;
    size_t n = tool_columns(p);
    *ret_n_step = path_length(p);
    n += p->kind == TQ_KINEMATIC_PLANES ? 3 * p->n_plane : p->knows_base ? 0 : 6;
    for (uint32_t at = p->link; at != model->root;) {
        const uint32_t j = model->links[at].joint;
        const tq_joint *joint = &model->joints[j];
        n += is_unknown(p, master_of(model, j)) && has_zero(joint) ? 1 : 0; /* masters may repeat */
        n += is_unknown(p, j) && p->with_frames && joint->kind != TQ_JOINT_FIXED ? 6 : 0;
        at = joint->parent;
    }
    return n;
}

static void add(tq_kinematic *k, tq_kinematic_part part, uint32_t index, uint32_t n)
{
    for (uint32_t axis = 0; axis < n; axis++) {
        k->list[k->n++] = (tq_kinematic_parameter){part, index, axis};
    }
}

static void list_columns(tq_kinematic *k)
{
    const tq_kinematic_problem *p = k->problem;
    if (p->kind != TQ_KINEMATIC_PLANES && !p->knows_base) {
        add(k, TQ_KINEMATIC_BASE, 0, 6);
    }
    add(k, TQ_KINEMATIC_TOOL, 0, (uint32_t)tool_columns(p));
    for (uint32_t i = 0; p->kind == TQ_KINEMATIC_PLANES && i < p->n_plane; i++) {
        add(k, TQ_KINEMATIC_PLANE, i, 3);
    }
    for (size_t s = 0; s < k->n_step; s++) {
        tq_kinematic_step *step = &k->steps[s];
        const tq_joint *joint = &p->model->joints[step->joint];
        const uint32_t master = master_of(p->model, step->joint);
        if (!has_zero(joint) || !is_unknown(p, master)) {
            continue;
        }
        for (size_t c = k->n; c > 0 && k->list[c - 1].part == TQ_KINEMATIC_ZERO; c--) {
            step->zero = k->list[c - 1].index == master ? (uint32_t)(c - 1) : step->zero;
        }
        if (step->zero == TQ_NONE) {
            step->zero = (uint32_t)k->n;
            add(k, TQ_KINEMATIC_ZERO, master, 1);
        }
    }
    for (size_t s = 0; p->with_frames && s < k->n_step; s++) {
        const uint32_t j = k->steps[s].joint;
        if (p->model->joints[j].kind != TQ_JOINT_FIXED && is_unknown(p, j)) {
            k->steps[s].frame = (uint32_t)k->n;
            add(k, TQ_KINEMATIC_FRAME, j, 6);
        }
    }
}

static void list_steps(tq_kinematic *k)
{
    const tq_model *model = k->problem->model;
    uint32_t at = k->problem->link;
    for (size_t s = k->n_step; s-- > 0;) {
        tq_kinematic_step *step = &k->steps[s];
        *step = (tq_kinematic_step){
            .joint = model->links[at].joint, .zero = TQ_NONE, .frame = TQ_NONE, .factor = 1.0};
        step->motion = model->joints[step->joint];
        step->motion.origin = tq_pose_identity;
        if (step->motion.mimic != TQ_NONE) { /* its rows of q are its master's */
            step->factor = step->motion.mimic_multiplier;
        }
        at = model->joints[step->joint].parent;
    }
}

static tq_status check_unit(const double *quaternion, const char *what, size_t i, tq_error *reterr)
{
    const double length = sqrt(tq_dot3(quaternion, quaternion) + quaternion[3] * quaternion[3]);
    return fabs(length - 1.0) <= quaternion_slack
               ? TQ_OK
               : tq_fail(reterr, TQ_ERR_QUATERNION, what, i, length);
}

static tq_status check_poses(const tq_kinematic *k, tq_error *reterr)
{
    const tq_kinematic_problem *p = k->problem;
    const size_t nq = p->model->nq;
    tq_status status = TQ_OK;
    for (size_t i = 0; status == TQ_OK && i < p->n_pose; i++) {
        const double *q = p->q + i * nq;
        if (tq_find_not_finite(q, nq) < nq) {
            return tq_fail(reterr, TQ_ERR_NOT_FINITE, "q", i, 0.0);
        }
        if (p->position != NULL && tq_find_not_finite(p->position + 3 * i, 3) < 3) {
            return tq_fail(reterr, TQ_ERR_NOT_FINITE, "position", i, 0.0);
        }
        for (size_t s = 0; status == TQ_OK && s < k->n_step; s++) {
            const tq_joint *joint = &p->model->joints[k->steps[s].joint];
            if (joint->nq > joint->nv) {
                status = check_unit(q + joint->q_index + joint->nq - 4, "q", i, reterr);
            }
        }
        if (status == TQ_OK && p->kind == TQ_KINEMATIC_POSES) {
            status = check_unit(p->quaternion + 4 * i, "quaternion", i, reterr);
        }
    }
    for (uint32_t a = 0; status == TQ_OK && a < p->n_plane; a++) {
        size_t n = 0;
        for (size_t i = 0; i < p->n_pose; i++) {
            n += p->plane[i] == a;
        }
        if (n < PLANE_LEAST) {
            status = tq_fail(reterr, TQ_ERR_SHAPE, "plane", a, (double)n);
        }
    }
    return status;
}

tq_status tq_kinematic_begin(const tq_kinematic_problem *p, tq_scratch *scratch, tq_kinematic *ret,
                             tq_error *reterr)
{
    const tq_model *model = p->model;
    size_t n_step = 0;
    const size_t n = tq_kinematic_count(p, &n_step);
    bool moves = false;
    *ret = (tq_kinematic){
        .problem = p, .n_step = n_step, .m = tq_kinematic_rows_of(p->kind), .scratch = scratch};
    if (n == 0 || n > TQ_KINEMATIC_UNKNOWNS_MAX) {
        return tq_fail(reterr, TQ_ERR_SHAPE, "unknowns", 0, (double)n);
    }
    ret->steps = tq_scratch_take(scratch, n_step + 1, sizeof *ret->steps);
    ret->list = tq_scratch_take(scratch, n, sizeof *ret->list);
    ret->q = tq_scratch_take(scratch, model->nq + 1u, sizeof(double));
    ret->still = tq_scratch_take(scratch, model->nv + 1u, sizeof(double));
    ret->rows = tq_scratch_take(scratch, TQ_KINEMATIC_ROWS * n, sizeof(double));
    if (ret->steps == NULL || ret->list == NULL || ret->q == NULL || ret->still == NULL ||
        ret->rows == NULL) {
        return tq_fail(reterr, TQ_ERR_SCRATCH, "scratch", 0, (double)tq_kinematic_size(p));
    }
    memset(ret->still, 0, model->nv * sizeof(double));
    list_steps(ret);
    for (size_t s = 0; s < n_step; s++) {
        moves = moves || ret->steps[s].motion.kind != TQ_JOINT_FIXED;
    }
    if (!moves) {
        return tq_fail(reterr, TQ_ERR_SHAPE, "joint", p->link, 0.0);
    }
    list_columns(ret);
    return check_poses(ret, reterr);
}

/* ------------------------------------------------------------------------------------------------
 * States
 */

tq_status tq_kinematic_state_new(const tq_kinematic *k, tq_kinematic_state *ret, tq_error *reterr)
{
    const size_t n_joint = k->problem->model->n_joint;
    *ret = (tq_kinematic_state){
        .base = k->problem->knows_base ? k->problem->base : tq_pose_identity,
        .tool = k->problem->tool,
        .plane = tq_scratch_take(k->scratch, 4 * k->problem->n_plane + 1, sizeof(double)),
        .zero = tq_scratch_take(k->scratch, n_joint, sizeof(double)),
        .frame = tq_scratch_take(k->scratch, 6 * n_joint, sizeof(double)),
    };
    if (ret->plane == NULL || ret->zero == NULL || ret->frame == NULL) {
        return tq_fail(reterr, TQ_ERR_SCRATCH, "scratch", 0, (double)tq_kinematic_size(k->problem));
    }
    memset(ret->plane, 0, 4 * k->problem->n_plane * sizeof(double));
    memset(ret->zero, 0, n_joint * sizeof(double));
    memset(ret->frame, 0, 6 * n_joint * sizeof(double));
    return TQ_OK;
}

void tq_kinematic_copy(const tq_kinematic *k, const tq_kinematic_state *from,
                       tq_kinematic_state *to)
{
    const size_t n_joint = k->problem->model->n_joint;
    to->base = from->base;
    to->tool = from->tool;
    memcpy(to->plane, from->plane, 4 * k->problem->n_plane * sizeof(double));
    memcpy(to->zero, from->zero, n_joint * sizeof(double));
    memcpy(to->frame, from->frame, 6 * n_joint * sizeof(double));
}

static tq_pose error_pose(const double *frame)
{
    tq_pose ret;
    tq_rotation_exp(frame + 3, ret.r);
    memcpy(ret.p, frame, sizeof ret.p);
    return ret;
}

/* shifted along and turned about the outer frame's axes */
static void move_pose(tq_pose *pose, uint32_t axis, double by)
{
    if (axis < 3) {
        pose->p[axis] += by;
        return;
    }
    double v[3] = {0.0};
    double turn[9];
    v[axis - 3] = by;
    tq_rotation_exp(v, turn);
    tq_mat_product(turn, pose->r, pose->r);
}

void tq_kinematic_move(const tq_kinematic *k, const uint32_t *active, size_t n_active,
                       const double *step, tq_kinematic_state *x)
{
    for (size_t a = 0; a < n_active; a++) {
        const tq_kinematic_parameter *c = &k->list[active[a]];
        double *plane = x->plane + 4 * (size_t)c->index;
        switch (c->part) {
        case TQ_KINEMATIC_BASE:
            move_pose(&x->base, c->axis, step[a]);
            break;
        case TQ_KINEMATIC_TOOL:
            move_pose(&x->tool, c->axis, step[a]);
            break;
        case TQ_KINEMATIC_PLANE:
            if (c->axis == 2) {
                plane[3] += step[a];
                break;
            } else {
                double axes[9];
                tq_mat_third_column(plane, axes);
                for (unsigned i = 0; i < 3; i++) {
                    plane[i] += step[a] * axes[3 * i + c->axis];
                }
                const double length = sqrt(tq_dot3(plane, plane));
                for (unsigned i = 0; i < 3; i++) {
                    plane[i] /= length;
                }
            }
            break;
        case TQ_KINEMATIC_ZERO:
            x->zero[c->index] += step[a];
            break;
        case TQ_KINEMATIC_FRAME:
            x->frame[6 * (size_t)c->index + c->axis] += step[a];
            break;
        }
    }
}

/* ------------------------------------------------------------------------------------------------
 * One pose
 */

void tq_kinematic_walk(tq_kinematic *k, const double *q, const tq_kinematic_state *x)
{
    const tq_model *model = k->problem->model;
    memcpy(k->q, q, model->nq * sizeof(double));
    for (size_t c = 0; c < k->n; c++) {
        if (k->list[c].part == TQ_KINEMATIC_ZERO) {
            k->q[model->joints[k->list[c].index].q_index] += x->zero[k->list[c].index];
        }
    }
    k->link = tq_pose_identity;
    for (size_t s = 0; s < k->n_step; s++) {
        tq_kinematic_step *step = &k->steps[s];
        tq_joint_motion motion;
        step->at = tq_pose_multiply(&k->link, &model->joints[step->joint].origin);
        memcpy(step->outer, step->at.r, sizeof step->outer);
        if (step->frame != TQ_NONE) {
            const tq_pose error = error_pose(x->frame + 6 * (size_t)step->joint);
            step->at = tq_pose_multiply(&step->at, &error);
        }
        tq_joint_move(&step->motion, k->q, k->still, k->still, &motion);
        k->link = tq_pose_multiply(&step->at, &motion.pose);
    }
    k->tip = tq_pose_multiply(&k->link, &x->tool);
}

bool tq_kinematic_screw(const tq_kinematic *k, const tq_kinematic_step *step, double dp[3],
                        double w[3])
{
    double axis[3];
    double arm[3];
    if (!has_zero(&step->motion)) {
        return false;
    }
    tq_mat_vec(step->at.r, step->motion.axis, axis);
    for (unsigned i = 0; i < 3; i++) {
        axis[i] *= step->factor;
        arm[i] = k->tip.p[i] - step->at.p[i];
    }
    if (step->motion.kind == TQ_JOINT_PRISMATIC) {
        memcpy(dp, axis, sizeof axis);
        memset(w, 0, 3 * sizeof *w);
    } else {
        memcpy(w, axis, sizeof axis);
        tq_vec_cross(axis, arm, dp);
    }
    return true;
}

tq_pose tq_kinematic_origin(const tq_model *model, const tq_kinematic_state *state, uint32_t j)
{
    const tq_joint *joint = &model->joints[j];
    const tq_pose error = error_pose(state->frame + 6 * (size_t)j);
    tq_pose ret = tq_pose_multiply(&joint->origin, &error);
    const uint32_t master = master_of(model, j);
    if (has_zero(joint) && state->zero[master] != 0.0) {
        const double by = (joint->mimic == TQ_NONE ? 1.0 : joint->mimic_multiplier);
        tq_pose turn = tq_pose_identity;
        double v[3];
        for (unsigned i = 0; i < 3; i++) {
            v[i] = by * state->zero[master] * joint->axis[i];
        }
        if (joint->kind == TQ_JOINT_PRISMATIC) {
            memcpy(turn.p, v, sizeof v);
        } else {
            tq_rotation_exp(v, turn.r);
        }
        ret = tq_pose_multiply(&ret, &turn);
    }
    return ret;
}
