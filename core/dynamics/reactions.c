/* SPDX-License-Identifier: Apache-2.0 */
/* core/dynamics/reactions.c - recursive Newton-Euler on the user's own links, one sample at a time.
 */
#include "core/dynamics/reactions.h"

#include <assert.h>
#include <string.h>

#include "core/base/fpmode.h"
#include "core/dynamics/block.h"
#include "core/dynamics/drag.h"
#include "core/dynamics/kinematics/joint_motion.h"
#include "core/dynamics/passive/compensation.h"
#include "core/dynamics/passive/path.h"
#include "core/dynamics/passive/tendons.h"
#include "core/model/layout.h"

/* A link in its own axes; a is the acceleration of its origin, gravity a fictitious upward
 * acceleration of the world. */
typedef struct link_state {
    tq_pose in_parent;
    double in_world[9];
    double w[3], al[3], a[3];
    double f[3], n[3]; /* wrench transmitted by its joint, about its origin */
} link_state;

typedef struct room {
    link_state *links;
    double *q, *qd, *qdd; /* one sample, flat */
} room;

static void add(double *sum, const double *x)
{
    for (int k = 0; k < 3; k++) {
        sum[k] += x[k];
    }
}

static void add_cross(double *sum, const double *a, const double *b)
{
    double c[3];
    tq_vec_cross(a, b, c);
    add(sum, c);
}

/* acceleration of a point at x relative to the origin: al x x + w x (w x x) */
static void add_lever(double *a, const double *al, const double *w, const double *x)
{
    double wx[3];
    tq_vec_cross(w, x, wx);
    add_cross(a, al, x);
    add_cross(a, w, wx);
}

static void move_link(const tq_joint *joint, const room *r, const link_state *parent, link_state *s)
{
    tq_joint_motion m;
    double a[3], v2[3];
    tq_joint_move(joint, r->q, r->qd, r->qdd, &m);
    s->in_parent = m.pose;
    tq_mat_product(parent->in_world, m.pose.r, s->in_world);
    memcpy(a, parent->a, sizeof a);
    add_lever(a, parent->al, parent->w, m.pose.p);
    tq_mat_tvec(m.pose.r, parent->w, s->w);
    tq_mat_tvec(m.pose.r, parent->al, s->al);
    tq_mat_tvec(m.pose.r, a, s->a);
    for (int k = 0; k < 3; k++) {
        v2[k] = 2.0 * m.v[k];
    }
    add_cross(s->a, s->w, v2);
    add(s->a, m.a);
    add_cross(s->al, s->w, m.w);
    add(s->al, m.al);
    add(s->w, m.w);
}

/* Newton-Euler: f = m a_com, n = I al + w x I w + com x f, about the link's origin; weight by the
 * fictitious acceleration */
static void begin_wrench(const tq_inertia *inertia, link_state *s)
{
    const double *e = inertia->about_com;
    const double tensor[9] = {e[0], e[1], e[2], e[1], e[3], e[4], e[2], e[4], e[5]};
    double a[3], spin[3];
    memcpy(a, s->a, sizeof a);
    add_lever(a, s->al, s->w, inertia->com);
    for (int k = 0; k < 3; k++) {
        s->f[k] = inertia->mass * a[k];
    }
    tq_mat_vec(tensor, s->al, s->n);
    tq_mat_vec(tensor, s->w, spin);
    add_cross(s->n, s->w, spin);
    add_cross(s->n, inertia->com, s->f);
}

static void subtract_external(const tq_external_wrench *w, size_t i, link_state *s)
{
    double f[3], m[3];
    for (size_t k = 0; k < 3; k++) {
        f[k] = -w->rows[k * w->row_stride + i * w->sample_step];
        m[k] = -w->rows[(k + 3) * w->row_stride + i * w->sample_step];
    }
    if (w->expressed_in == TQ_FRAME_WORLD) {
        tq_mat_tvec(s->in_world, f, f);
        tq_mat_tvec(s->in_world, m, m);
    }
    add(s->f, f);
    add(s->n, m);
    add_cross(s->n, w->at, f);
}

/* the medium's wrench on every link; r->q and r->qd are at the sample */
static tq_status subtract_drag(const tq_model *model, const room *r, tq_scratch *scratch,
                               tq_error *reterr)
{
    const size_t mark = tq_scratch_mark(scratch);
    tq_configuration posture;
    const tq_status status =
        tq_configuration_compute(model, r->q, r->qd, scratch, &posture, reterr);
    for (uint32_t link = 0; status == TQ_OK && link < model->n_link; link++) {
        const tq_pose *pose = &posture.pose[link];
        double wrench[6], lever[3], f[3], n[3];
        if (tq_drag_wrench(&posture, link, wrench)) {
            tq_vec_cross(pose->p, wrench, lever);
            for (int k = 0; k < 3; k++) {
                f[k] = -wrench[k];
                n[k] = lever[k] - wrench[3 + k];
            }
            tq_mat_tvec(pose->r, f, f);
            tq_mat_tvec(pose->r, n, n);
            add(r->links[link].f, f);
            add(r->links[link].n, n);
        }
    }
    tq_scratch_rewind(scratch, mark);
    return status;
}

/* what tendons along paths do to the links of their points */
static void subtract_tendons(const tq_model *model, const room *r, unsigned without)
{
    const tq_path_sample at = {.stride = 1, .q = r->q, .qd = r->qd};
    for (uint32_t t = 0; t < model->n_tendon; t++) {
        const tq_tendon *tendon = &model->tendons[t];
        if (tendon->n_point == 0) {
            continue;
        }
        const double tension = tq_tendon_tension(model, tendon, (without & TQ_WITHOUT_SPRING) == 0,
                                                 (without & TQ_WITHOUT_FRICTION) == 0, &at);
        for (uint32_t k = 0; k + 1 < tendon->n_point; k++) {
            tq_path_force ends[4];
            const unsigned n = tq_path_forces(model, tendon, 1, r->q, k, -tension, ends);
            for (unsigned e = 0; e < n; e++) {
                link_state *s = &r->links[ends[e].link];
                add(s->f, ends[e].force);
                add_cross(s->n, ends[e].at, ends[e].force);
            }
        }
    }
}

/* what carries links; gravity (3) */
static void subtract_compensation(const tq_model *model, const room *r, const double *gravity)
{
    for (uint32_t link = 0; link < model->n_link; link++) {
        const double *at = model->links[link].carried_at;
        double force[6];
        const tq_external_wrench wrench = {.link = link,
                                           .expressed_in = TQ_FRAME_WORLD,
                                           .at = {at[0], at[1], at[2]},
                                           .rows = force,
                                           .row_stride = 1};
        tq_compensation_wrench(model, link, gravity, force);
        subtract_external(&wrench, 0, &r->links[link]);
    }
}

static void pass_inward(const link_state *s, link_state *parent)
{
    double f[3], n[3];
    tq_mat_vec(s->in_parent.r, s->f, f);
    tq_mat_vec(s->in_parent.r, s->n, n);
    add(parent->f, f);
    add(parent->n, n);
    add_cross(parent->n, s->in_parent.p, f);
}

static void copy_sample(const double *rows, size_t n_row, size_t stride, size_t i, double *ret)
{
    for (size_t r = 0; r < n_row; r++) {
        ret[r] = rows != NULL ? rows[r * stride + i] : 0.0;
    }
}

static tq_status one_sample(const tq_model *model, const tq_inverse_input *in, const room *r,
                            size_t i, tq_scratch *scratch, double *ret_wrench, tq_error *reterr)
{
    const unsigned without = in->without;
    copy_sample(in->q, model->nq, in->stride, i, r->q);
    copy_sample((without & TQ_WITHOUT_VELOCITY) != 0 ? NULL : in->qd, model->nv, in->stride, i,
                r->qd);
    copy_sample((without & TQ_WITHOUT_INERTIA) != 0 ? NULL : in->qdd, model->nv, in->stride, i,
                r->qdd);
    link_state *root = &r->links[model->root];
    *root = (link_state){.w = {0.0}};
    tq_mat_identity(root->in_world);
    const double *gravity = in->gravity != NULL ? in->gravity : model->gravity;
    for (int k = 0; k < 3 && (without & TQ_WITHOUT_GRAVITY) == 0; k++) {
        root->a[k] = -gravity[k];
    }
    begin_wrench(&model->links[model->root].inertia, root);
    for (uint32_t k = 0; k < model->n_joint; k++) {
        const tq_joint *joint = &model->joints[model->order[k]];
        link_state *s = &r->links[joint->child];
        move_link(joint, r, &r->links[joint->parent], s);
        begin_wrench(&model->links[joint->child].inertia, s);
    }
    for (size_t k = 0; k < in->n_wrench && (without & TQ_WITHOUT_EXTERNAL) == 0; k++) {
        subtract_external(&in->wrenches[k], i, &r->links[in->wrenches[k].link]);
    }
    if (tq_model_n_compensated(model) > 0 && (without & TQ_WITHOUT_GRAVITY) == 0) {
        subtract_compensation(model, r, gravity);
    }
    copy_sample(in->qd, model->nv, in->stride, i, r->qd); /* all of it, as in drag.h */
    subtract_tendons(model, r, without);
    if (tq_model_has_drag(model) && (without & TQ_WITHOUT_DRAG) == 0) {
        const tq_status status = subtract_drag(model, r, scratch, reterr);
        if (status != TQ_OK) {
            return status;
        }
    }
    for (uint32_t k = model->n_joint; k-- > 0;) {
        const tq_joint *joint = &model->joints[model->order[k]];
        pass_inward(&r->links[joint->child], &r->links[joint->parent]);
    }
    for (uint32_t j = 0; j <= model->n_joint; j++) {
        const link_state *s = j < model->n_joint ? &r->links[model->joints[j].child] : root;
        for (size_t k = 0; k < 3; k++) {
            ret_wrench[(6 * j + k) * in->stride + i] = s->f[k];
            ret_wrench[(6 * j + 3 + k) * in->stride + i] = s->n[k];
        }
    }
    return TQ_OK;
}

size_t tq_reactions_scratch_size(const tq_mechanism *mechanism)
{
    const tq_model *model = &mechanism->model;
    return tq_scratch_cost(model->n_link, sizeof(link_state)) +
           tq_scratch_cost(model->nq, sizeof(double)) +
           2 * tq_scratch_cost(model->nv, sizeof(double)) +
           (mechanism->has_drag ? tq_configuration_scratch_size(model) : 0);
}

static tq_status reactions_checked(const tq_mechanism *mechanism, const tq_inverse_input *in,
                                   tq_scratch *scratch, double *ret_wrench, tq_error *reterr)
{
    const tq_model *model = &mechanism->model;
    const room r = {
        .links = tq_scratch_take(scratch, model->n_link, sizeof(link_state)),
        .q = tq_scratch_take(scratch, model->nq, sizeof(double)),
        .qd = tq_scratch_take(scratch, model->nv, sizeof(double)),
        .qdd = tq_scratch_take(scratch, model->nv, sizeof(double)),
    };
    if (r.links == NULL || r.q == NULL || r.qd == NULL || r.qdd == NULL) {
        return tq_fail(reterr, TQ_ERR_SCRATCH, "scratch", 0,
                       (double)tq_reactions_scratch_size(mechanism));
    }
    for (size_t i = 0; i < in->n_sample; i++) {
        const tq_status status = one_sample(model, in, &r, i, scratch, ret_wrench, reterr);
        if (status != TQ_OK) {
            return status;
        }
    }
    /* scalar check: vectors would read padding after n_sample, which is not written here */
    for (size_t row = 0; row < 6 * ((size_t)model->n_joint + 1); row++) {
        for (size_t i = 0; i < in->n_sample; i++) {
            const double x = ret_wrench[row * in->stride + i];
            if (!__builtin_isfinite(x)) {
                return tq_fail(reterr, TQ_ERR_OVERFLOW, "reactions", i, x);
            }
        }
    }
    return TQ_OK;
}

tq_status tq_reactions(const tq_mechanism *mechanism, const tq_inverse_input *in,
                       tq_scratch *scratch, double *ret_wrench, tq_error *reterr)
{
    assert(mechanism != NULL && in != NULL && scratch != NULL && ret_wrench != NULL);
    assert(mechanism->model.nq == 0 || in->q != NULL);
    assert(in->n_wrench == 0 || in->wrenches != NULL);
    tq_status status = tq_check_block(in->n_sample, in->stride, reterr);
    if (status == TQ_OK) {
        status = tq_check_quaternions(mechanism, in->n_sample, in->stride, in->q, reterr);
    }
    if (status != TQ_OK) {
        return status;
    }
    const size_t mark = tq_scratch_mark(scratch);
    const tq_fpmode mode = tq_fpmode_enter();
    status = reactions_checked(mechanism, in, scratch, ret_wrench, reterr);
    tq_fpmode_leave(mode);
    tq_scratch_rewind(scratch, mark);
    return status;
}
