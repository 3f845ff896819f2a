/* SPDX-License-Identifier: Apache-2.0 */
/* core/kernels/derivatives/second_derivatives.c - second partial derivatives of rigid-body torque.
 */
#include <float.h>

#include "core/kernels/derivatives/subtrees.h"
#include "core/kernels/entries.h"
#include "core/kernels/symbols.h"

/* core/dynamics/derivatives/second_derivatives.h has the equations; here in world axes about a
 * point O. Of the subtree of d, the deepest of three dofs, with points x of velocity x', and S(x)
 * the velocity v + w x x of a screw, its matrices are
 *     N (v, w) = integral (1, x) w x S_d(x) + (0, S_d(x) x v(x)) dm
 *     L (., w) = integral (1, x) 2 w x S_d(x) dm
 *     K (., w) = integral (1, x) 2 w x (P_d(x) + w_d x x') + (0, S_d(x) x (2 w x x')) dm
 * of which the last two have the form of 2 B. */
typedef struct dof {
    screw s, p, y, r; /* as in derivatives.c, with the whole of P */
} dof;

typedef struct deepest {
    vec g, h;      /* integral S_d(x), and integral P_d(x) + w_d x x' */
    mat spin, lag; /* of L and of K, each times (trace - transpose) 2 w */
    sym turn;      /* of N: 2 trace(spin) - spin - spin^T */
    wrench row;    /* I S */
    vec b_row;     /* moment of 2 B^T S, whose force is 0 */
    wrench moved;  /* change of the subtree's force by q: I Y + 2 B P + S x* F */
    wrench sped;   /* and by qd: I R + 2 B S */
} deepest;

/* see tq_pair in core/dynamics/derivatives/triples.h */
typedef struct pair {
    wrench q_q, above_q_q, qd_qd, qd_q, above_qd_q, q_qd, qdd_q;
    wrench own_q_q, own_qd_qd, own_mates, own_qd_q, own_q_qd, own_qdd_q;
} pair;

enum { A_DOF = 24 };

typedef struct sweep {
    reach walk;
    subtree *sums; /* one per body */
    dof *dofs;
    /* entry (i, j, k) is at slab[i] + row[j] + column[k] */
    long *slab, *row, *column;
    long *up;    /* the previous dof towards the world, or -1 */
    long *stage; /* the first dof of its joint */
    long other;  /* from one of the four arrays to the next */
    real *total; /* as in derivatives.c */
} sweep;

TQ_INLINE wrench lag_times(vec g, const mat *spin, vec w)
{
    const vec w2 = vec_add(w, w);
    const real trace = spin->xx + spin->yy + spin->zz;
    return (wrench){vec_cross(w2, g), vec_sub_tmul(vec_scale(trace, w2), spin, w2)};
}

TQ_INLINE wrench turn_times(const deepest *d, const screw *x)
{
    return (wrench){vec_cross(x->w, d->g), vec_add_cross(sym_mul(&d->turn, x->w), d->g, x->v)};
}

/* rows h_r v + w x s_r: integral x (v + w x x)^T, s the second moment or that with x' */
TQ_INLINE mat moment_of(vec h, vec v, vec w, vec x, vec y, vec z)
{
    const vec a = vec_add_cross(vec_scale(h.x, v), w, x),
              b = vec_add_cross(vec_scale(h.y, v), w, y),
              c = vec_add_cross(vec_scale(h.z, v), w, z);
    return (mat){a.x, a.y, a.z, b.x, b.y, b.z, c.x, c.y, c.z};
}

TQ_INLINE mat moment_by(const subtree *c, const screw *x)
{
    const sym *s = &c->s;
    return moment_of(c->h, x->v, x->w, (vec){s->xx, s->xy, s->xz}, (vec){s->xy, s->yy, s->yz},
                     (vec){s->xz, s->yz, s->zz});
}

/* integral x (P(x) + w x x')^T + S(x) x'^T, S = (v, w) */
TQ_INLINE mat lag_of(const subtree *c, const dof *d)
{
    const mat *m = &c->spin;
    const vec w = d->s.w, none = vec_zero();
    const mat first = moment_by(c, &d->p);
    const mat turned = moment_of(none, none, w, (vec){m->xx, m->xy, m->xz},
                                 (vec){m->yx, m->yy, m->yz}, (vec){m->zx, m->zy, m->zz});
    /* columns w x (column of spin) + v g_column */
    const mat moved =
        mat_transpose(moment_of(c->g, d->s.v, w, (vec){m->xx, m->yx, m->zx},
                                (vec){m->xy, m->yy, m->zy}, (vec){m->xz, m->yz, m->zz}));
    return mat_add(mat_add(first, turned), moved);
}

TQ_INLINE void begin(double mass, const subtree *c, const dof *d, deepest *ret)
{
    ret->row = inertia_times(mass, c, &d->s);
    ret->g = ret->row.f;
    ret->spin = moment_by(c, &d->s);
    const mat *m = &ret->spin;
    const real trace = m->xx + m->yy + m->zz, twice = trace + trace;
    ret->turn = (sym){twice - (m->xx + m->xx), -(m->xy + m->yx), -(m->xz + m->zx),
                      twice - (m->yy + m->yy), -(m->yz + m->zy), twice - (m->zz + m->zz)};
    ret->h = vec_add_cross(inertia_times(mass, c, &d->p).f, d->s.w, c->g);
    ret->lag = lag_of(c, d);
    ret->b_row = coriolis_row(c, &d->s);
    ret->moved = wrench_add(wrench_add(inertia_times(mass, c, &d->y), coriolis_times(c, d->p.w)),
                            cross_force(&d->s, &c->force));
    ret->sped = wrench_add(inertia_times(mass, c, &d->r), coriolis_times(c, d->s.w));
}

TQ_INLINE wrench minus(wrench a)
{
    return wrench_sub(wrench_zero(), a);
}

/* - x x* (f, n) - y x* (0, m) */
TQ_INLINE wrench turned_back(const screw *x, const wrench *f, const screw *y, vec m)
{
    wrench turned = cross_force(x, f);
    turned.n = vec_add_cross(turned.n, y->w, m);
    return minus(turned);
}

TQ_INLINE void fill(double mass, const subtree *c, const deepest *at, const dof *d, const dof *e,
                    _Bool mates, pair *ret)
{
    const wrench lag = lag_times(at->g, &at->spin, e->s.w);
    ret->qdd_q = turn_times(at, &e->s);
    ret->qd_q = lag_times(at->g, &at->spin, e->p.w);
    ret->q_q = wrench_add(turn_times(at, &e->y), lag_times(at->h, &at->lag, e->p.w));
    ret->q_qd = wrench_add(turn_times(at, &e->r), lag_times(at->h, &at->lag, e->s.w));
    ret->above_q_q = wrench_add(ret->q_q, cross_force(&e->s, &at->moved));
    ret->above_qd_q = wrench_add(ret->qd_q, cross_force(&e->s, &at->sped));
    ret->qd_qd = lag;
    if (mates) { /* axes of mates do not move by each other's rates */
        const screw moved = screw_cross(&e->s, &d->s);
        ret->qd_qd = wrench_sub(lag, inertia_times(mass, c, &moved));
    }
    ret->own_qd_qd = minus(lag);
    ret->own_mates = minus(ret->qdd_q);
    ret->own_qd_q = minus(ret->qd_q);
    ret->own_q_q = turned_back(&e->y, &at->row, &e->p, at->b_row);
    ret->own_q_qd = turned_back(&e->r, &at->row, &e->s, at->b_row);
    ret->own_qdd_q = minus(cross_force(&e->s, &at->row));
}

/* Torque of d, by e and the dofs from `last`, its last mate, up to the mates of e. */
TQ_INLINE void put_own(const sweep *s, int d, long e, long last, const pair *x, double *ret)
{
    const long *row = s->row, *column = s->column, *up = s->up, *stage = s->stage;
    const long other = s->other, down = stage[e];
    double *own = ret + s->slab[d], *mass = own + 3 * other;
    const real none = splat(0.0);
    real sum = none;
    for (long i = last; i >= 0 && stage[i] >= down; i = up[i]) {
        const dof *at = &s->dofs[i];
        double *to = own + row[i] + column[e];
        const real by_q = power(&at->s, &x->own_q_q, power(&at->p, &x->own_qd_q, none));
        const real by_rate = power(&at->s, &x->own_qd_q, none);
        store(to, by_q);
        store(to + 2 * other, by_rate);
        if (stage[i] == down) {
            const real of_mates = power(&at->s, &x->own_mates, none);
            store(to + other, of_mates);
            sum = sum + ((by_q + by_rate) + of_mates);
            continue;
        }
        const real by_qd = power(&at->s, &x->own_qd_qd, none);
        const real by_both = power(&at->s, &x->own_q_qd, power(&at->p, &x->own_qd_qd, none));
        const real of_mass = power(&at->s, &x->own_qdd_q, none);
        double *back = own + row[e] + column[i];
        store(to + other, by_qd);
        store(back, by_q);
        store(back + other, by_qd);
        store(back + 2 * other, by_both);
        store(mass + row[e] + column[i], of_mass);
        store(ret + 3 * other + s->slab[e] + row[d] + column[i], of_mass);
        sum = sum + ((by_q + by_rate) + (by_qd + by_both) + of_mass);
    }
    *s->total = *s->total + sum;
}

/* Torques of the dofs from f up, all above d, by d and e. */
TQ_INLINE void put_above(const sweep *s, int d, long e, long f, const pair *x, double *ret)
{
    const long *slab = s->slab, *up = s->up, *stage = s->stage;
    const long there = s->row[d] + s->column[e], back = s->row[e] + s->column[d];
    const long other = s->other;
    const real none = splat(0.0);
    const _Bool mates = stage[d] == stage[e];
    real sum = none;
    for (; f >= 0; f = up[f]) {
        const screw axis = s->dofs[f].s;
        const _Bool above = stage[f] < stage[e];
        double *to = ret + slab[f] + there, *from = ret + slab[f] + back;
        const real by_q = power(&axis, above ? &x->above_q_q : &x->q_q, none);
        const real by_qd = power(&axis, &x->qd_qd, none);
        const real by_rate = power(&axis, above ? &x->above_qd_q : &x->qd_q, none);
        store(to, by_q);
        store(to + other, by_qd);
        store(to + 2 * other, by_rate);
        sum = sum + (by_q + by_qd + by_rate);
        if (!mates) {
            const real by_both = power(&axis, &x->q_qd, none);
            const real of_mass = power(&axis, &x->qdd_q, none);
            store(from, by_q);
            store(from + other, by_qd);
            store(from + 2 * other, by_both);
            store(from + 3 * other, of_mass);
            sum = sum + (by_both + of_mass);
        }
    }
    *s->total = *s->total + sum;
}

static void inward(const tq_canonical *c, const sweep *s, double *ret)
{
    for (int b = c->n_body - 1; b >= 0; b--) {
        const tq_canonical_joint *k = &c->joints[b];
        const long last = entries_last(k), above = s->up[k->dof];
        for (int d = k->dof; d <= last; d++) {
            deepest at;
            begin(k->subtree_mass, &s->sums[b], &s->dofs[d], &at);
            for (long e = last; e >= 0; e = s->up[e]) {
                pair x;
                fill(k->subtree_mass, &s->sums[b], &at, &s->dofs[d], &s->dofs[e],
                     s->stage[e] == k->dof, &x);
                put_own(s, d, e, last, &x, ret);
                put_above(s, d, e, above, &x, ret);
            }
        }
        if (k->parent >= 0) {
            subtree_add(&s->sums[k->parent], &s->sums[b]);
        }
    }
}

TQ_INLINE void fill_dof(const tq_canonical_joint *k, const place *parent, const place *body, int f,
                        dof *ret)
{
    ret->s = screw_of(k, &body->at, f);
    ret->p = screw_cross(&parent->twist, &ret->s);
    ret->r = screw_add(ret->p, k->ball >= 0 ? screw_cross(&body->twist, &ret->s) : ret->p);
    ret->y = screw_add(screw_cross(&parent->twist, &ret->p), screw_cross(&parent->rate, &ret->s));
}

static void outward(const tq_canonical *c, const tq_kernel_input *in, long i, sweep *s)
{
    reach_start(c, in, i, &s->walk);
    const place world = place_world(&s->walk);
    const subtree none = subtree_zero();
    for (int b = 0; b < c->n_body; b++) {
        const tq_canonical_joint *k = &c->joints[b];
        const place *parent = parent_of(&s->walk, k, &world), *body = &s->walk.places[b];
        reach_body(k, in, i, &s->walk, b, parent, 1);
        subtree_of(k, body, &none, &s->sums[b]);
        for (int f = 0; f < tq_canonical_freedoms(k->kind); f++) {
            fill_dof(k, parent, body, f, &s->dofs[k->dof + f]);
        }
    }
}

static void address(const tq_canonical *c, const int32_t *rows, long n_row, long stride, real *at,
                    sweep *s)
{
    const long n = c->n_dof;
    s->slab = (void *)at;
    s->row = s->slab + n;
    s->column = s->row + n;
    s->up = s->column + n;
    s->stage = s->up + n;
    s->other = n_row * n_row * n_row * stride;
    for (long f = 0; f < n; f++) {
        s->column[f] = rows[f] * stride;
        s->row[f] = s->column[f] * n_row;
        s->slab[f] = s->row[f] * n_row;
    }
    for (int b = 0; b < c->n_body; b++) {
        const tq_canonical_joint *k = &c->joints[b];
        for (int f = k->dof; f <= entries_last(k); f++) {
            s->up[f] = f > k->dof      ? f - 1
                       : k->parent < 0 ? -1
                                       : entries_last(&c->joints[k->parent]);
            s->stage[f] = k->dof;
        }
    }
}

/* pairs of branches, and M by what turns both of its dofs */
static void clear(long n_row, long n_sample, long stride, double *ret)
{
    for (long r = 0; r < n_row; r++) {
        if (n_sample <= TQ_LANES) {
            entries_zero(ret + r * stride, TQ_LANES, TQ_LANES);
        } else {
            entries_zero(ret + r * stride, n_sample, ENTRIES_RUN);
        }
    }
}

int TQ_KERNEL(tq_second_derivatives)(const tq_canonical *c, const tq_kernel_input *in, double *work,
                                     const int32_t *rows, long n_row, double *ret)
{
    real *at, total = splat(0.0);
    sweep s;
    s.total = &total;
    s.walk = reach_in(c, in->gravity, work, &at);
    s.sums = (void *)at, at += (long)A_SUBTREE * c->n_body;
    s.dofs = (void *)at, at += (long)A_DOF * c->n_dof;
    address(c, rows, n_row, in->out_stride, at, &s);
    clear(4 * n_row * n_row * n_row, in->n_sample, in->out_stride, ret);
    for (long i = 0; i < in->n_sample; i += TQ_LANES) {
        outward(c, in, i, &s);
        inward(c, &s, ret + i);
    }
    return beyond(total, DBL_MAX) == 0;
}
