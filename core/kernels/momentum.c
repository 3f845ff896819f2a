/* SPDX-License-Identifier: Apache-2.0 */
/* core/kernels/momentum.c - centre of mass and momentum of the whole robot. */
#include "core/kernels/body_states.h"
#include "core/kernels/symbols.h"

/* Sums about O, of moments that are not regrouped: regrouping preserves torque, not momentum. */
typedef struct sums {
    vec first, linear, angular;
} sums;

TQ_INLINE void sums_add(sums *s, const tq_moments *own, const place *body)
{
    const double t[6] = {own->s[3] + own->s[5], -own->s[1], -own->s[2],
                         own->s[0] + own->s[5], -own->s[4], own->s[0] + own->s[3]};
    const sym tensor = sym_of(t);
    const vec p = body->at.p, w = body->twist.w;
    const vec v = vec_add_cross(body->twist.v, w, p); /* of the origin */
    const vec h = mat_mul(&body->at.r, vec_of(own->h));
    const vec l = vec_along(vec_cross(w, h), splat(own->m), v.x, v.y, v.z);
    const vec spin = mat_mul(&body->at.r, sym_mul(&tensor, mat_tmul(&body->at.r, w)));
    s->first = vec_add(s->first, vec_along(h, splat(own->m), p.x, p.y, p.z));
    s->linear = vec_add(s->linear, l);
    s->angular = vec_add(s->angular, vec_add_cross(vec_add_cross(spin, h, v), p, l));
}

TQ_INLINE vec vec_over(vec a, real x)
{
    return (vec){a.x / x, a.y / x, a.z / x};
}

/* the cross product by products that are rounded each */
TQ_INLINE vec cross_rounded(vec a, vec b)
{
    return (vec){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

/* Moves the sums to the world's origin and the centre of mass. */
TQ_INLINE void put_sums(const tq_kernel_masses *m, const sums *s, vec o, long stride, double *to)
{
    const real mass = splat(m->all > 0.0 ? m->all : 1.0);
    const vec resting = vec_scale(splat(m->resting), o);
    /* centre of mass relative to O */
    const vec lever = vec_over(vec_sub(vec_add(s->first, vec_of(m->moment)), resting), mass);
    vec_store(to, stride, m->all > 0.0 ? vec_add(lever, o) : vec_zero());
    vec_store(to + 3 * stride, stride, vec_over(s->linear, mass));
    vec_store(to + 6 * stride, stride, s->linear);
    vec_store(to + 9 * stride, stride, vec_sub(s->angular, cross_rounded(lever, s->linear)));
    vec_store(to + 12 * stride, stride, vec_add(s->angular, cross_rounded(o, s->linear)));
}

void TQ_KERNEL(tq_momentum)(const tq_canonical *c, const tq_kernel_input *in,
                            const tq_kernel_masses *masses, double *work, double *ret_momentum)
{
    real *rest;
    reach walk = reach_in(c, in->gravity, work, &rest);
    for (long i = 0; i < in->n_sample; i += TQ_LANES) {
        sums s = {vec_zero(), vec_zero(), vec_zero()};
        reach_start(c, in, i, &walk);
        const place world = place_world(&walk);
        for (int b = 0; b < c->n_body; b++) {
            const tq_canonical_joint *k = &c->joints[b];
            reach_body(k, in, i, &walk, b, parent_of(&walk, k, &world), 0);
            sums_add(&s, &c->bodies[b].moments, &walk.places[b]);
        }
        put_sums(masses, &s, walk.o, in->out_stride, ret_momentum + i);
    }
}
