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

/* Bodies are in depth-first order: each is placed on the way out, and summed into its parent when
 * its subtree is complete. So only the bodies and dofs between the world and the body at hand are
 * kept, which the first-level cache holds. */
typedef struct sweep {
    reach walk;          /* places: by depth */
    subtree *sums;       /* by depth: of the children so far of a body with has_branch */
    subtree *none;       /* of a body without children */
    subtree *last;       /* of the subtree that was completed last */
    freedom *freedoms;   /* of the dofs from the world to the body at hand */
    long *down, *across; /* of the same dofs: as in entries */
    entries at;
    long other;  /* offset from an entry of dtau/dq to that of dtau/dqd */
    real *total; /* sum of all entries written: finite exactly when they are, up to overflow of
                    the sum */
} sweep;

/* V = W + S qd, A_body = A + S qdd + P qd, and the fields of the joint's dof */
TQ_INLINE void reach_freedom(const tq_canonical_joint *k, const tq_kernel_input *in, long i,
                             const reach *walk, int b, const place *parent, place *body,
                             freedom *own)
{
    const long stride = in->stride;
    const real v = joint_rate(k, in->qd != NULL ? in->qd + i : NULL, stride);
    const real acc = joint_rate(k, in->qdd != NULL ? in->qdd + i : NULL, stride);
    const screw w = parent->twist, a = parent->rate;
    body->at = place_single(k, joint_turn(k, &walk->cs[b]), joint_travel(k, in->q + i, stride),
                            &parent->at);
    const screw s = screw_of(k, &body->at, 0), p = screw_cross(&w, &s);
    body->twist = screw_along(w, v, &s);
    body->rate = screw_along(screw_along(a, v, &p), acc, &s);
    own->s = s;
    own->p = p.w;
    own->r = screw_add(p, p);
    own->y = screw_add_cross(screw_cross(&w, &p), &a, &s);
}

/* the same of dof f of a spherical or floating joint, whose axes are fixed in its body */
TQ_INLINE void fill_freedom(const tq_canonical_joint *k, const place *parent, const place *body,
                            int f, freedom *own)
{
    const screw s = screw_of(k, &body->at, f), p = screw_cross(&parent->twist, &s);
    own->s = s;
    own->p = p.w;
    own->r = screw_add_cross(p, &body->twist, &s);
    own->y = screw_add_cross(screw_cross(&parent->twist, &p), &parent->rate, &s);
}

/* Entries in column f of dtau/dq and dtau/dqd, rows of the first n dofs: S_g times the wrenches per
 * unit of dof f. Returns their sum. */
TQ_INLINE real put_column(const sweep *s, long f, long n, wrench by_q, wrench by_qd, double *dq)
{
    double *column = dq + s->across[f], *other = column + s->other;
    const long *down = s->down;
    const freedom *freedoms = s->freedoms;
    real sum = splat(0.0);
    for (long g = n - 1; g >= 0; g--) {
        const screw x = freedoms[g].s;
        const real first = power(&x, &by_q, splat(0.0)), second = power(&x, &by_qd, splat(0.0));
        sum = sum + (first + second);
        store(column + down[g], first);
        store(other + down[g], second);
    }
    return sum;
}

/* Entries in row f, columns of the first n dofs: S_f . I and S_f . 2 B times their fields. A loop
 * of its own: with put_column's wrenches it would take 21 registers. */
TQ_INLINE real put_row(const sweep *s, long f, long n, wrench weight, vec lag, double *dq)
{
    double *row = dq + s->down[f], *other = row + s->other;
    const long *across = s->across;
    const freedom *freedoms = s->freedoms;
    real sum = splat(0.0);
    for (long g = n - 1; g >= 0; g--) {
        const freedom *x = &freedoms[g];
        const real first = power(&x->y, &weight, vec_dot(x->p, lag));
        const real second = power(&x->r, &weight, vec_dot(x->s.w, lag));
        sum = sum + (first + second);
        store(row + across[g], first);
        store(other + across[g], second);
    }
    return sum;
}

/* Entries that pair dof f, one of those from `first` to `end` of joint k, with the dofs of its own
 * joint and of all ancestor joints. */
static __attribute__((noinline)) void put_pairs(const tq_canonical_joint *k, const sweep *s,
                                                const subtree *sum, long first, long end, long f,
                                                double *dq)
{
    const double m = k->subtree_mass;
    const freedom *deep = &s->freedoms[f];
    const wrench here = wrench_add(inertia_times(m, sum, &deep->y), coriolis_times(sum, deep->p));
    const wrench rate = wrench_add(inertia_times(m, sum, &deep->r), coriolis_times(sum, deep->s.w));
    real total = splat(0.0);
    for (long g = first; g < end; g++) {
        const screw *own = &s->freedoms[g].s;
        const real by_q = power(own, &here, splat(0.0)), by_qd = power(own, &rate, splat(0.0));
        total = total + (by_q + by_qd);
        store(dq + s->down[g] + s->across[f], by_q);
        store(dq + s->other + s->down[g] + s->across[f], by_qd);
    }
    if (first > 0) {
        const wrench moved = wrench_add(here, cross_force(&deep->s, &sum->force));
        total = total + put_column(s, f, first, moved, rate, dq);
        total = total + put_row(s, f, first, inertia_times(m, sum, &deep->s),
                                coriolis_row(sum, &deep->s), dq);
    }
    *s->total = *s->total + total;
}

/* body b is placed, and its own dofs are the last on the way from the world */
TQ_INLINE void outward(const tq_canonical *c, const tq_kernel_input *in, long i, const sweep *s,
                       const place *world, int b)
{
    const tq_canonical_joint *k = &c->joints[b];
    const long freedoms = tq_canonical_freedoms(k->kind), first = k->path - freedoms;
    place *body = &s->walk.places[k->depth];
    const place *parent = k->parent < 0 ? world : body - 1;
    for (long f = 0; f < freedoms; f++) {
        s->down[first + f] = s->at.down[k->dof + f];
        s->across[first + f] = s->at.across[k->dof + f];
    }
    if (k->ball < 0) {
        reach_freedom(k, in, i, &s->walk, b, parent, body, &s->freedoms[first]);
    } else {
        reach_ball(k, in, i, &s->walk, k->depth, parent, 1);
        for (int f = 0; f < freedoms; f++) {
            fill_freedom(k, parent, body, f, &s->freedoms[first + f]);
        }
    }
}

/* The subtree of joint k is complete: its sum is that of its body and, in the order in which they
 * come, its children. */
TQ_INLINE void inward(const tq_canonical *c, const tq_canonical_joint *k, const sweep *s,
                      _Bool leaf, double *dq)
{
    const subtree *below = leaf ? s->none : k->has_branch ? &s->sums[k->depth] : s->last;
    const _Bool meets = k->parent >= 0 && c->joints[k->parent].has_branch;
    subtree *sum = meets && k->parent_is_previous ? &s->sums[k->depth - 1] : s->last;
    const long end = k->path, first = end - tq_canonical_freedoms(k->kind);
    subtree_of(k, &s->walk.places[k->depth], below, sum);
    for (long f = first; f < end; f++) {
        put_pairs(k, s, sum, first, end, f, dq);
    }
    if (meets && sum == s->last) {
        subtree_add(&s->sums[k->depth - 1], sum);
    }
}

static void one_group(const tq_canonical *c, const tq_kernel_input *in, long i, sweep *s,
                      double *dq)
{
    reach_start(c, in, i, &s->walk);
    const place world = place_world(&s->walk);
    for (int b = 0; b < c->n_body; b++) {
        outward(c, in, i, s, &world, b);
        for (int e = b; e >= 0 && c->joints[e].last == b; e = c->joints[e].parent) {
            inward(c, &c->joints[e], s, e == b, dq);
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
    s.none = (void *)at, at += A_SUBTREE;
    s.last = (void *)at, at += A_SUBTREE;
    s.sums = (void *)at, at += (long)A_SUBTREE * c->n_body;
    s.freedoms = (void *)at, at += (long)A_FREEDOM * c->n_dof;
    s.at = entries_in(c, in, rows, n_row, at), at += (long)ENTRIES_REALS * c->n_dof;
    entries_climb(c, &s.at);
    s.down = (void *)at, at += c->n_dof;
    s.across = (void *)at;
    s.other = n_row * n_row * in->out_stride;
    s.total = &total;
    *s.none = subtree_zero();
    for (long i = 0; i < in->n_sample; i += TQ_LANES) {
        one_group(c, in, i, &s, ret_d + i);
    }
    entries_complete(c, &s.at, in->n_sample, 0, ret_d);
    entries_complete(c, &s.at, in->n_sample, 0, ret_d + s.other);
    return beyond(total, DBL_MAX) == 0;
}
