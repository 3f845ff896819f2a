/* SPDX-License-Identifier: Apache-2.0 */
/* core/kernels/joint_elimination.h - eliminates a joint's dofs from articulated inertia and bias
 * (ABA, inward pass). */
#ifndef TQ_KERNELS_JOINT_ELIMINATION_H
#define TQ_KERNELS_JOINT_ELIMINATION_H

#include "core/kernels/articulated.h"

/* D below this fraction of the terms it was summed from is rounding: the joint moves no inertia and
 * M is singular. Joints of real robots are above 1e-8, chains of a thousand bodies too. */
#define PIVOT_RATIO_MIN 1e-13

/* Lanes in which D <= PIVOT_RATIO_MIN (trace of its block + the body's own scale). Regrouped
 * inertias may be negative where no joint moves them. */
TQ_INLINE real_mask weak_turn(real d, const sym *j, const body_moments *own)
{
    const real sum = magnitude(j->xx) + magnitude(j->yy) + magnitude(j->zz);
    return not_above(d, splat(PIVOT_RATIO_MIN) * (sum + moment_real(own->scale_turn)));
}
TQ_INLINE real_mask weak_slide(real d, const sym *m, const body_moments *own)
{
    const real sum = magnitude(m->xx) + magnitude(m->yy) + magnitude(m->zz);
    return not_above(d, splat(PIVOT_RATIO_MIN) * (sum + moment_real(own->scale_slide)));
}

/* For a one-dof joint with axis s, articulated inertia A, bias F and torque tau: U = A s,
 * D = s^T U + rotor and u = tau - s^T F (Featherstone 2008, eqs. 7.43 - 7.46);
 * A' = A - U U^T / D, F' = F + U u / D, and in the outward pass qdd = (u - U^T a_parent) / D. */
typedef struct gain {
    vec n, f; /* U / D */
    real u;   /* u / D */
} gain;

/* revolute, no rotor: D = J_zz, hence row z of A' is zero and the z moment of F' is tau */
TQ_INLINE gain project_revolute(articulated *a, wrench *f, real tau)
{
    sym *j = &a->j, *m = &a->m;
    mat *h = &a->h;
    const real id = splat(1.0) / j->zz, u = tau - f->n.z;
    gain g;
    g.n = (vec){j->xz * id, j->yz * id, splat(1.0)};
    g.f = (vec){h->zx * id, h->zy * id, h->zz * id};
    g.u = u * id;
    j->xx = tq_fnma(g.n.x, j->xz, j->xx);
    j->xy = tq_fnma(g.n.x, j->yz, j->xy);
    j->yy = tq_fnma(g.n.y, j->yz, j->yy);
    h->xx = tq_fnma(j->xz, g.f.x, h->xx);
    h->xy = tq_fnma(j->xz, g.f.y, h->xy);
    h->xz = tq_fnma(j->xz, g.f.z, h->xz);
    h->yx = tq_fnma(j->yz, g.f.x, h->yx);
    h->yy = tq_fnma(j->yz, g.f.y, h->yy);
    h->yz = tq_fnma(j->yz, g.f.z, h->yz);
    m->xx = tq_fnma(g.f.x, h->zx, m->xx);
    m->xy = tq_fnma(g.f.x, h->zy, m->xy);
    m->xz = tq_fnma(g.f.x, h->zz, m->xz);
    m->yy = tq_fnma(g.f.y, h->zy, m->yy);
    m->yz = tq_fnma(g.f.y, h->zz, m->yz);
    m->zz = tq_fnma(g.f.z, h->zz, m->zz);
    f->n.x = tq_fma(g.n.x, u, f->n.x);
    f->n.y = tq_fma(g.n.y, u, f->n.y);
    f->n.z = tau;
    f->f = vec_along(f->f, u, g.f.x, g.f.y, g.f.z);
    return g;
}

/* prismatic, no rotor: D = M_zz, and column z of H and M vanishes */
TQ_INLINE gain project_prismatic(articulated *a, wrench *f, real tau)
{
    sym *j = &a->j, *m = &a->m;
    mat *h = &a->h;
    const real o = splat(0.0), id = splat(1.0) / m->zz, u = tau - f->f.z;
    gain g;
    g.n = (vec){h->xz * id, h->yz * id, h->zz * id};
    g.f = (vec){m->xz * id, m->yz * id, splat(1.0)};
    g.u = u * id;
    j->xx = tq_fnma(g.n.x, h->xz, j->xx);
    j->xy = tq_fnma(g.n.x, h->yz, j->xy);
    j->xz = tq_fnma(g.n.x, h->zz, j->xz);
    j->yy = tq_fnma(g.n.y, h->yz, j->yy);
    j->yz = tq_fnma(g.n.y, h->zz, j->yz);
    j->zz = tq_fnma(g.n.z, h->zz, j->zz);
    h->xx = tq_fnma(g.n.x, m->xz, h->xx);
    h->xy = tq_fnma(g.n.x, m->yz, h->xy);
    h->yx = tq_fnma(g.n.y, m->xz, h->yx);
    h->yy = tq_fnma(g.n.y, m->yz, h->yy);
    h->zx = tq_fnma(g.n.z, m->xz, h->zx);
    h->zy = tq_fnma(g.n.z, m->yz, h->zy);
    m->xx = tq_fnma(g.f.x, m->xz, m->xx);
    m->xy = tq_fnma(g.f.x, m->yz, m->xy);
    m->yy = tq_fnma(g.f.y, m->yz, m->yy);
    h->xz = h->yz = h->zz = m->xz = m->yz = m->zz = o;
    f->n = vec_along(f->n, u, g.n.x, g.n.y, g.n.z);
    f->f.x = tq_fma(g.f.x, u, f->f.x);
    f->f.y = tq_fma(g.f.y, u, f->f.y);
    f->f.z = tau;
    return g;
}

/* with a rotor: no row vanishes */
TQ_INLINE gain project_geared(articulated *a, wrench *f, real tau, _Bool turns, real rotor)
{
    sym *j = &a->j, *m = &a->m;
    mat *h = &a->h;
    const vec un = turns ? (vec){j->xz, j->yz, j->zz} : (vec){h->xz, h->yz, h->zz};
    const vec uf = turns ? (vec){h->zx, h->zy, h->zz} : (vec){m->xz, m->yz, m->zz};
    const real id = splat(1.0) / ((turns ? un.z : uf.z) + rotor);
    const real u = tau - (turns ? f->n.z : f->f.z);
    const gain g = {{un.x * id, un.y * id, un.z * id}, {uf.x * id, uf.y * id, uf.z * id}, u * id};
    j->xx = tq_fnma(g.n.x, un.x, j->xx);
    j->xy = tq_fnma(g.n.x, un.y, j->xy);
    j->xz = tq_fnma(g.n.x, un.z, j->xz);
    j->yy = tq_fnma(g.n.y, un.y, j->yy);
    j->yz = tq_fnma(g.n.y, un.z, j->yz);
    j->zz = tq_fnma(g.n.z, un.z, j->zz);
    h->xx = tq_fnma(g.n.x, uf.x, h->xx);
    h->xy = tq_fnma(g.n.x, uf.y, h->xy);
    h->xz = tq_fnma(g.n.x, uf.z, h->xz);
    h->yx = tq_fnma(g.n.y, uf.x, h->yx);
    h->yy = tq_fnma(g.n.y, uf.y, h->yy);
    h->yz = tq_fnma(g.n.y, uf.z, h->yz);
    h->zx = tq_fnma(g.n.z, uf.x, h->zx);
    h->zy = tq_fnma(g.n.z, uf.y, h->zy);
    h->zz = tq_fnma(g.n.z, uf.z, h->zz);
    m->xx = tq_fnma(g.f.x, uf.x, m->xx);
    m->xy = tq_fnma(g.f.x, uf.y, m->xy);
    m->xz = tq_fnma(g.f.x, uf.z, m->xz);
    m->yy = tq_fnma(g.f.y, uf.y, m->yy);
    m->yz = tq_fnma(g.f.y, uf.z, m->yz);
    m->zz = tq_fnma(g.f.z, uf.z, m->zz);
    f->n = vec_along(f->n, u, g.n.x, g.n.y, g.n.z);
    f->f = vec_along(f->f, u, g.f.x, g.f.y, g.f.z);
    return g;
}

/* Spherical: D = J, g = J^-1 H, angular acceleration al = J^-1 u - g a; what remains for the parent
 * is
 * M - H^T g and the force. Floating: D = A; (al, a) does not depend on the parent, and the parent
 * feels only the joint's effort. */
typedef struct ball_gain {
    mat g;
    vec al, a;
} ball_gain;

/* LDL^T in place on the lower triangle of a (n <= 6); `solve` then takes one right-hand side. */
TQ_INLINE void factor(int n, real a[6][6], real id[6])
{
    for (int k = 0; k < n; k++) {
        id[k] = splat(1.0) / a[k][k];
        for (int i = k + 1; i < n; i++) {
            const real l = a[i][k] * id[k];
            for (int m = k + 1; m <= i; m++) {
                a[i][m] = tq_fnma(l, a[m][k], a[i][m]);
            }
        }
    }
}
TQ_INLINE void solve(int n, real a[6][6], const real id[6], real x[6])
{
    for (int k = 0; k < n; k++) {
        for (int i = k + 1; i < n; i++) {
            x[i] = tq_fnma(a[i][k] * id[k], x[k], x[i]);
        }
    }
    for (int k = n - 1; k >= 0; k--) {
        for (int i = k + 1; i < n; i++) {
            x[k] = tq_fnma(a[i][k], x[i], x[k]);
        }
        x[k] = x[k] * id[k];
    }
}

TQ_INLINE ball_gain project_floating(const body_moments *own, const articulated *b,
                                     const wrench *bias, const wrench *tau, real_mask *weak)
{
    const sym *j = &b->j, *m = &b->m;
    const mat *h = &b->h;
    const vec n = vec_sub(tau->n, bias->n), f = vec_sub(tau->f, bias->f);
    real a[6][6] = {{j->xx},
                    {j->xy, j->yy},
                    {j->xz, j->yz, j->zz},
                    {h->xx, h->yx, h->zx, m->xx},
                    {h->xy, h->yy, h->zy, m->xy, m->yy},
                    {h->xz, h->yz, h->zz, m->xz, m->yz, m->zz}};
    real id[6], x[6] = {n.x, n.y, n.z, f.x, f.y, f.z};
    factor(6, a, id);
    *weak = 0;
    for (int e = 0; e < 6; e++) {
        *weak |= e < 3 ? weak_turn(a[e][e], j, own) : weak_slide(a[e][e], m, own);
    }
    solve(6, a, id, x);
    return (ball_gain){mat_zero(), {x[0], x[1], x[2]}, {x[3], x[4], x[5]}};
}

/* *b and *f become what the parent carries, about the joint's centre */
TQ_INLINE ball_gain project_spherical(const body_moments *own, articulated *b, wrench *f, vec tau,
                                      real_mask *weak)
{
    const sym *j = &b->j;
    const mat h = b->h;
    const vec u = vec_sub(tau, f->n);
    real a[6][6] = {{j->xx}, {j->xy, j->yy}, {j->xz, j->yz, j->zz}};
    real id[6], x[6] = {h.xx, h.yx, h.zx}, y[6] = {h.xy, h.yy, h.zy}, z[6] = {h.xz, h.yz, h.zz};
    real w[6] = {u.x, u.y, u.z};
    factor(3, a, id);
    *weak = weak_turn(a[0][0], j, own) | weak_turn(a[1][1], j, own) | weak_turn(a[2][2], j, own);
    solve(3, a, id, x);
    solve(3, a, id, y);
    solve(3, a, id, z);
    solve(3, a, id, w);
    const ball_gain g = {
        {x[0], y[0], z[0], x[1], y[1], z[1], x[2], y[2], z[2]}, {w[0], w[1], w[2]}, vec_zero()};
    const vec cx = mat_tmul(&h, (vec){g.g.xx, g.g.yx, g.g.zx});
    const vec cy = mat_tmul(&h, (vec){g.g.xy, g.g.yy, g.g.zy});
    const vec cz = mat_tmul(&h, (vec){g.g.xz, g.g.yz, g.g.zz});
    b->m = (sym){b->m.xx - cx.x, b->m.xy - cy.x, b->m.xz - cz.x,
                 b->m.yy - cy.y, b->m.yz - cz.y, b->m.zz - cz.z};
    f->f = vec_add(f->f, mat_tmul(&h, g.al));
    f->n = tau;
    return g;
}

#endif
