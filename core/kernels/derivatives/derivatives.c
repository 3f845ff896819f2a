/* SPDX-License-Identifier: Apache-2.0 */
/* core/kernels/derivatives/derivatives.c - partial derivatives of rigid-body torque by q and qd. */
#include <float.h>

#include "core/kernels/derivatives/subtrees.h"
#include "core/kernels/entries.h"
#include "core/kernels/symbols.h"

/* Singh, Russo & Wensing, Efficient analytical derivatives of rigid-body dynamics using spatial
 * vector algebra, RA-L 7(2), 2022; here in world axes about a point O. With x the spatial cross
 * product, W and A the velocity and acceleration of the parent of dof k, S its axis, T the velocity
 * of the body in which the axis is fixed:
 *     P = W x S,  Y = W x P + A x S  (change of velocity and acceleration per unit dq_k),
 *     R = P + T x S                  (change of acceleration per unit dqd_k).
 * With composites of the subtree of the deeper of f and k (inertia I, Coriolis matrix B, force F)
 *     dtau_f/dq_k = S_f . (I Y_k + 2 B P_k + S_k x* F),  dtau_f/dqd_k = S_f . (I R_k + 2 B S_k),
 * the term in F only where k is a descendant of f. As integrals over points x with velocity x':
 *     I (v, w) = integral (1, x) (v + w x x) dm,  2 B (v, w) = integral (1, x) 2 w x x' dm. */
typedef struct freedom {
    screw s, y, r;
    vec p; /* angular part of P; its linear part is not used */
} freedom;

enum { A_FREEDOM = 21 };

typedef struct sweep {
    reach walk;
    subtree *sums;     /* one per body */
    freedom *freedoms; /* one per dof */
    entries at;
    long other;  /* offset from an entry of dtau/dq to that of dtau/dqd */
    real *total; /* sum of all entries written: finite exactly when they are, up to overflow of
                    the sum */
} sweep;

/* S, P (angular), R and Y of dof f of a body */
TQ_INLINE void fill_freedom(const tq_canonical_joint *k, const place *parent, const place *body,
                            int f, freedom *own)
{
    const screw s = screw_of(k, &body->at, f), p = screw_cross(&parent->twist, &s);
    const screw fixed_to = k->ball >= 0 ? screw_cross(&body->twist, &s) : p;
    own->s = s;
    own->p = p.w;
    own->r = screw_add(p, fixed_to);
    own->y = screw_add(screw_cross(&parent->twist, &p), screw_cross(&parent->rate, &s));
}

/* Entries in column f of dtau/dq and dtau/dqd, rows of the dofs from g up to the world: S_g times
 * the wrenches per unit of dof f. Returns their sum. */
TQ_INLINE real put_column(const sweep *s, int f, long g, wrench by_q, wrench by_qd, double *dq)
{
    double *column = dq + s->at.across[f], *other = column + s->other;
    const long *down = s->at.down, *up = s->at.up;
    const freedom *freedoms = s->freedoms;
    real sum = splat(0.0);
    for (; g >= 0; g = up[g]) {
        const screw x = freedoms[g].s;
        const real first = power(&x, &by_q, splat(0.0)), second = power(&x, &by_qd, splat(0.0));
        sum = sum + (first + second);
        store(column + down[g], first);
        store(other + down[g], second);
    }
    return sum;
}

/* Entries in row f, columns of the dofs from g up to the world: S_f . I and S_f . 2 B times their
 * fields. A loop of its own: with put_column's wrenches it would take 21 registers. */
TQ_INLINE real put_row(const sweep *s, int f, long g, wrench weight, vec lag, double *dq)
{
    double *row = dq + s->at.down[f], *other = row + s->other;
    const long *across = s->at.across, *up = s->at.up;
    const freedom *freedoms = s->freedoms;
    real sum = splat(0.0);
    for (; g >= 0; g = up[g]) {
        const freedom *x = &freedoms[g];
        const real first = power(&x->y, &weight, vec_dot(x->p, lag));
        const real second = power(&x->r, &weight, vec_dot(x->s.w, lag));
        sum = sum + (first + second);
        store(row + across[g], first);
        store(other + across[g], second);
    }
    return sum;
}

/* Entries that pair dof f of body b with the dofs of its own joint and of all ancestor joints. */
TQ_INLINE void put_pairs(const tq_canonical_joint *k, const sweep *s, int b, int f, double *dq)
{
    const freedom *deep = &s->freedoms[f];
    const subtree *sum = &s->sums[b];
    const long above = s->at.up[k->dof];
    const wrench here = wrench_add(inertia_times(sum, &deep->y), coriolis_times(sum, deep->p));
    const wrench rate = wrench_add(inertia_times(sum, &deep->r), coriolis_times(sum, deep->s.w));
    real total = splat(0.0);
    for (int g = k->dof; g < k->dof + tq_canonical_freedoms(k->kind); g++) {
        const screw *own = &s->freedoms[g].s;
        const real first = power(own, &here, splat(0.0)), second = power(own, &rate, splat(0.0));
        total = total + (first + second);
        store(dq + s->at.down[g] + s->at.across[f], first);
        store(dq + s->other + s->at.down[g] + s->at.across[f], second);
    }
    const wrench moved = wrench_add(here, cross_force(&deep->s, &sum->force));
    total = total + put_column(s, f, above, moved, rate, dq);
    total =
        total + put_row(s, f, above, inertia_times(sum, &deep->s), coriolis_row(sum, &deep->s), dq);
    *s->total = *s->total + total;
}

static void inward(const tq_canonical *c, const sweep *s, double *dq)
{
    for (int b = c->n_body - 1; b >= 0; b--) {
        const tq_canonical_joint *k = &c->joints[b];
        for (int f = k->dof; f < k->dof + tq_canonical_freedoms(k->kind); f++) {
            put_pairs(k, s, b, f, dq);
        }
        if (k->parent >= 0) {
            subtree_add(&s->sums[k->parent], &s->sums[b]);
        }
    }
}

/* Kinematics of all bodies, and what each contributes. */
TQ_INLINE void outward(const tq_canonical *c, const tq_kernel_input *in, long i, sweep *s)
{
    reach_start(c, in, i, &s->walk);
    const place world = place_world(&s->walk);
    for (int b = 0; b < c->n_body; b++) {
        const tq_canonical_joint *k = &c->joints[b];
        const place *parent = parent_of(&s->walk, k, &world), *body = &s->walk.places[b];
        reach_body(k, in, i, &s->walk, b, parent, 1);
        s->sums[b] = body_of(k, body);
        if (k->ball < 0) {
            fill_freedom(k, parent, body, 0, &s->freedoms[k->dof]);
            continue;
        }
        for (int f = 0; f < tq_canonical_freedoms(k->kind); f++) {
            fill_freedom(k, parent, body, f, &s->freedoms[k->dof + f]);
        }
    }
}

/* ret_d: dtau/dq, then dtau/dqd */
int TQ_KERNEL(tq_derivatives)(const tq_canonical *c, const tq_kernel_input *in, double *work,
                              const int32_t *rows, long n_row, double *ret_d)
{
    real *at, total = splat(0.0);
    sweep s;
    s.walk = reach_in(c, in->gravity, work, &at);
    s.sums = (void *)at, at += (long)A_SUBTREE * c->n_body;
    s.freedoms = (void *)at, at += (long)A_FREEDOM * c->n_dof;
    s.at = entries_in(c, in, rows, n_row, at);
    s.other = n_row * n_row * in->out_stride;
    s.total = &total;
    entries_climb(c, &s.at);
    for (long i = 0; i < in->n_sample; i += TQ_LANES) {
        outward(c, in, i, &s);
        inward(c, &s, ret_d + i);
    }
    entries_complete(c, &s.at, in->n_sample, 0, ret_d);
    entries_complete(c, &s.at, in->n_sample, 0, ret_d + s.other);
    return beyond(total, DBL_MAX) == 0;
}
