/* SPDX-License-Identifier: Apache-2.0 */
/* core/kernels/coriolis.c - the Coriolis matrix with Christoffel's symbols. */
#include "core/kernels/entries.h"
#include "core/kernels/flow.h"
#include "core/kernels/inward.h"
#include "core/kernels/symbols.h"

/* C = integral J^T dJ/dt dm over all points, J the Jacobian of a point: then C + C^T = dM/dt and C
 * qd is the velocity term, for joints of every kind. The fields J and dJ/dt of a freedom c act on
 * the subtree beyond it as two wrenches; together with the integral of x' x J they are carried
 * inward with those of all other freedoms and read off at every joint, as in CRBA. */
typedef struct column {
    wrench rate; /* of dJ/dt, about the frame's origin */
    wrench push; /* of J */
    vec lag;     /* integral x' x J dm, x' relative to the origin */
} column;

enum { COLUMN = 15, RATE = 0, PUSH = 6, LAG = 12 };

typedef struct sweep {
    cosine_sine *cs;
    vec *w, *u; /* angular velocity; velocity of the origin against the parent's, parent's axes */
    flow *sums; /* of bodies with `save` */
    column *columns; /* one a freedom */
    entries at;
    ball *balls;
} sweep;

TQ_INLINE vec angular_of_child(const tq_canonical_joint *k, const cosine_sine *cs, vec w)
{
    return turn_in(joint_turn(k, cs), k->pre ? z_in(k->cg, k->sg, w) : w);
}

/* w of body b and u, from the parent's w */
TQ_INLINE void move_single(const tq_canonical_joint *k, const tq_kernel_input *in, long i,
                           const sweep *s, int b)
{
    const long stride = in->stride;
    const real v = joint_rate(k, in->qd != NULL ? in->qd + i : NULL, stride);
    const real o = splat(0.0);
    if (k->parent < 0) {
        s->w[b] = k->kind == TQ_CANONICAL_REVOLUTE ? (vec){o, o, v} : vec_zero();
        return;
    }
    const vec above = s->w[k->parent];
    const real d = joint_travel(k, in->q + i, stride);
    vec p = {splat(k->a), splat(-k->sa) * d, splat(k->ca) * d};
    vec slide = {o, splat(-k->sa) * v, splat(k->ca) * v};
    if (k->pre) {
        p = vec_add(z_out(k->cg, k->sg, p), vec_of(k->p));
        slide = z_out(k->cg, k->sg, slide);
    }
    s->w[b] = angular_of_child(k, &s->cs[b], above);
    s->u[b] = vec_cross(above, p);
    if (k->kind == TQ_CANONICAL_REVOLUTE) {
        s->w[b].z = s->w[b].z + v;
    } else {
        s->u[b] = vec_add(s->u[b], slide);
    }
}

TQ_INLINE void move_ball(const tq_canonical_joint *k, const tq_kernel_input *in, long i,
                         const sweep *s, int b)
{
    const ball *at = &s->balls[k->ball];
    const _Bool floats = k->kind == TQ_CANONICAL_FLOATING;
    const mat fixed = mat_of(k->r);
    vec v = vec_zero(), w = vec_zero(), p = vec_of(k->p);
    if (in->qd != NULL) {
        const double *rows = in->qd + k->v_row * in->stride + i;
        v = floats ? vec_load(rows, in->stride) : v;
        w = vec_load(floats ? rows + 3 * in->stride : rows, in->stride);
    }
    const vec above = k->parent < 0 ? vec_zero() : s->w[k->parent];
    s->w[b] = vec_add(mat_tmul(&at->r, mat_tmul(&fixed, above)), w);
    if (floats) {
        p = vec_add(p, mat_mul(&fixed, at->x));
    }
    s->u[b] = vec_add(vec_cross(above, p), mat_mul(&fixed, mat_mul(&at->r, v)));
}

/* a turn about the body's z axis, which itself turns with (w.y, -w.x, 0) */
TQ_INLINE column begin_turn_z(const flow *f, vec w)
{
    const vec h = f->c.h, g = f->g;
    const sym s = f->c.s;
    const mat *x = &f->spin;
    const real u = w.y, v = -w.x, trace = x->xx + x->yy;
    column c;
    c.push = composite_twirl(&f->c, 2);
    c.rate.f = (vec){tq_fms(v, h.z, g.y), tq_fnma(u, h.z, g.x), tq_fms(u, h.y, v * h.x)};
    c.rate.n.x = tq_fms(s.yy + s.zz, u, tq_fma(s.xy, v, x->zx));
    c.rate.n.y = tq_fms(s.xx + s.zz, v, tq_fma(s.xy, u, x->zy));
    c.rate.n.z = tq_fnma(s.xz, u, tq_fnma(s.yz, v, trace));
    c.lag = (vec){-x->xz, -x->yz, trace};
    return c;
}

/* a slide along the body's axis e, which turns with e' */
TQ_INLINE column begin_slide(const flow *f, double m, int axis, vec e, vec rate)
{
    column c;
    c.push = composite_push(m, &f->c, axis);
    c.rate.f = vec_along(vec_zero(), splat(m), rate.x, rate.y, rate.z);
    c.rate.n = vec_cross(f->c.h, rate);
    c.lag = vec_cross(f->g, e);
    return c;
}

/* a turn about the body's axis e: e' x x + e x x' */
TQ_INLINE column begin_turn(const flow *f, int axis, vec e, vec rate)
{
    const sym s = f->c.s;
    const mat *x = &f->spin;
    const vec rows[3] = {{x->xx, x->xy, x->xz}, {x->yx, x->yy, x->yz}, {x->zx, x->zy, x->zz}};
    const vec lines[3] = {{x->xx, x->yx, x->zx}, {x->xy, x->yy, x->zy}, {x->xz, x->yz, x->zz}};
    const sym tensor = {s.yy + s.zz, -s.xy, -s.xz, s.xx + s.zz, -s.yz, s.xx + s.yy};
    const real trace = x->xx + x->yy + x->zz;
    const vec along = {trace * e.x, trace * e.y, trace * e.z};
    column c;
    c.push = composite_twirl(&f->c, axis);
    c.rate.f = vec_add(vec_cross(rate, f->c.h), vec_cross(e, f->g));
    c.rate.n = vec_add(sym_mul(&tensor, rate), vec_sub(along, rows[axis]));
    c.lag = vec_sub(along, lines[axis]);
    return c;
}

TQ_INLINE void begin_columns(const tq_canonical_joint *k, const flow *f, vec w, column *own)
{
    const real o = splat(0.0), one = splat(1.0);
    const vec e[3] = {{one, o, o}, {o, one, o}, {o, o, one}};
    const vec rate[3] = {{o, w.z, -w.y}, {-w.z, o, w.x}, {w.y, -w.x, o}};
    if (k->kind == TQ_CANONICAL_REVOLUTE) {
        own[0] = begin_turn_z(f, w);
        return;
    }
    if (k->kind == TQ_CANONICAL_PRISMATIC) {
        own[0] = begin_slide(f, k->subtree_mass, 2, e[2], rate[2]);
        return;
    }
    for (int axis = 0; k->kind == TQ_CANONICAL_FLOATING && axis < 3; axis++) {
        *own++ = begin_slide(f, k->subtree_mass, axis, e[axis], rate[axis]);
    }
    for (int axis = 0; axis < 3; axis++) {
        own[axis] = begin_turn(f, axis, e[axis], rate[axis]);
    }
}

/* Entries (r, c) for c = first .. end - 1 and (c, r) for c = beyond .. end - 1, r a freedom of the
 * joint at hand along or about `axis`. The second are integral J_c . d(J_r)/dt. */
TQ_INLINE void read_freedom(const sweep *s, vec w, int r, _Bool turns, int axis, const int span[3],
                            double *m)
{
    const real ws[3] = {w.x, w.y, w.z};
    const real u = ws[(axis + 2) % 3], v = ws[(axis + 1) % 3];
    const int part = turns ? 3 : 0, x = PUSH + part + (axis + 1) % 3,
              y = PUSH + part + (axis + 2) % 3;
    double *row = m + s->at.down[r], *line = m + s->at.across[r];
    const long *across = s->at.across, *down = s->at.down;
    const real *columns = &s->columns[0].rate.f.x;
    for (int c = span[0]; c < span[2]; c++) {
        store(row + across[c], columns[(long)COLUMN * c + RATE + part + axis]);
    }
    for (int c = span[1]; c < span[2]; c++) {
        const real *at = columns + (long)COLUMN * c;
        store(line + down[c], turns ? tq_fma(u, at[x], tq_fnma(v, at[y], at[LAG + axis]))
                                    : tq_fms(u, at[x], v * at[y]));
    }
}

TQ_INLINE void read_joint(const sweep *s, const tq_canonical_joint *k, vec w, int end, double *m)
{
    const int freedoms = tq_canonical_freedoms(k->kind);
    const int span[3] = {k->dof, k->dof + freedoms, end};
    if (k->kind == TQ_CANONICAL_REVOLUTE) {
        read_freedom(s, w, k->dof, 1, 2, span, m);
    } else if (k->kind == TQ_CANONICAL_PRISMATIC) {
        read_freedom(s, w, k->dof, 0, 2, span, m);
    } else {
        for (int f = 0; f < freedoms; f++) {
            read_freedom(s, w, k->dof + f, f >= freedoms - 3, f % 3, span, m);
        }
    }
}

/* one joint inward: u as in flow_inward */
TQ_INLINE void carry_single(const tq_canonical_joint *k, turn t, real d, vec u, column *c)
{
    c->rate = inward_single(k, t, d, c->rate);
    c->push = inward_single(k, t, d, c->push);
    c->lag = turn_out(t, c->lag);
    if (k->pre) {
        c->lag = z_out(k->cg, k->sg, c->lag);
    }
    c->lag = vec_add(c->lag, vec_cross(u, c->push.f));
}
TQ_INLINE void carry_ball(const tq_canonical_joint *k, const ball *at, vec u, column *c)
{
    const mat fixed = mat_of(k->r);
    c->rate = inward_ball(k, at, c->rate);
    c->push = inward_ball(k, at, c->push);
    c->lag = mat_mul(&fixed, mat_mul(&at->r, c->lag));
    c->lag = vec_add(c->lag, vec_cross(u, c->push.f));
}

static void inward(const tq_canonical *c, const tq_kernel_input *in, long i, const sweep *s,
                   double *m)
{
    flow f = flow_zero();
    column *columns = s->columns;
    for (int b = c->n_body - 1; b >= 0; b--) {
        const tq_canonical_joint *k = &c->joints[b];
        const tq_canonical_joint *last = &c->joints[k->last];
        const int end = last->dof + tq_canonical_freedoms(last->kind);
        const vec w = s->w[b], u = s->u[b];
        const flow own = flow_of(k, w);
        f = k->hang ? flow_add(f, own) : own;
        if (k->save) {
            f = flow_add(f, s->sums[b]);
        }
        begin_columns(k, &f, w, columns + k->dof);
        read_joint(s, k, w, end, m);
        for (int r = k->dof; r < k->dof + tq_canonical_freedoms(k->kind); r++) {
            entries_clear(&s->at, m, r, end);
        }
        if (k->parent < 0) {
            continue;
        }
        if (k->ball >= 0) {
            for (int col = k->dof; col < end; col++) {
                carry_ball(k, &s->balls[k->ball], u, &columns[col]);
            }
            f = flow_inward_ball(k, &s->balls[k->ball], u, f);
        } else {
            const turn t = joint_turn(k, &s->cs[b]);
            const real d = joint_travel(k, in->q + i, in->stride);
            for (int col = k->dof; col < end; col++) {
                carry_single(k, t, d, u, &columns[col]);
            }
            f = flow_inward(k, t, d, u, f);
        }
        if (!k->carry) {
            s->sums[k->parent] = flow_add(s->sums[k->parent], f);
        }
    }
}

void TQ_KERNEL(tq_coriolis)(const tq_canonical *c, const tq_kernel_input *in, double *work,
                            const int32_t *rows, long n_row, double *ret_c)
{
    real *at = (void *)work;
    sweep s;
    s.cs = (void *)at, at += 2L * c->n_body;
    s.w = (void *)at, at += 3L * c->n_body;
    s.u = (void *)at, at += 3L * c->n_body;
    s.sums = (void *)at, at += 21L * c->n_body;
    s.columns = (void *)at, at += (long)COLUMN * c->n_dof;
    s.balls = (void *)at, at += 12L * c->n_ball;
    s.at = entries_in(c, rows, n_row, in->out_stride, at);
    for (long i = 0; i < in->n_sample; i += TQ_LANES) {
        place_joints(c, in->q + i, in->stride, s.cs, s.balls);
        for (int b = 0; b < c->n_body; b++) {
            const tq_canonical_joint *k = &c->joints[b];
            if (k->ball >= 0) {
                move_ball(k, in, i, &s, b);
            } else {
                move_single(k, in, i, &s, b);
            }
            if (k->save) {
                s.sums[b] = flow_zero();
            }
        }
        inward(c, in, i, &s, ret_c + i);
    }
}
