/* SPDX-License-Identifier: Apache-2.0 */
/* core/kernels/momentum.c - centre of mass and momentum of the whole robot. */
#include "core/kernels/body_states.h"
#include "core/kernels/symbols.h"

/* Sums about O, of moments that are not regrouped: regrouping preserves torque, not momentum. */
void TQ_KERNEL(tq_momentum)(const tq_canonical *c, const tq_kernel_input *in, double *work,
                            double *ret_momentum)
{
    real *rest;
    reach walk = reach_in(c, in->gravity, work, &rest);
    for (long i = 0; i < in->n_sample; i += TQ_LANES) {
        vec first = vec_zero(), linear = vec_zero(), angular = vec_zero();
        reach_out(c, in, i, &walk, 0);
        for (int b = 0; b < c->n_body; b++) {
            const tq_moments *own = &c->bodies[b].moments;
            const double t[6] = {own->s[3] + own->s[5], -own->s[1], -own->s[2],
                                 own->s[0] + own->s[5], -own->s[4], own->s[0] + own->s[3]};
            const sym tensor = sym_of(t);
            const place *body = &walk.places[b];
            const vec p = body->at.p, w = body->twist.w;
            const vec v = vec_add_cross(body->twist.v, w, p); /* of the origin */
            const vec h = mat_mul(&body->at.r, vec_of(own->h));
            const vec l = vec_along(vec_cross(w, h), splat(own->m), v.x, v.y, v.z);
            const vec spin = mat_mul(&body->at.r, sym_mul(&tensor, mat_tmul(&body->at.r, w)));
            first = vec_add(first, vec_along(h, splat(own->m), p.x, p.y, p.z));
            linear = vec_add(linear, l);
            angular = vec_add(angular, vec_add_cross(vec_add_cross(spin, h, v), p, l));
        }
        double *at = ret_momentum + i;
        vec_store(at, in->out_stride, first);
        vec_store(at + 3 * in->out_stride, in->out_stride, linear);
        vec_store(at + 6 * in->out_stride, in->out_stride, angular);
        vec_store(at + 9 * in->out_stride, in->out_stride, walk.o);
    }
}
