/* SPDX-License-Identifier: Apache-2.0 */
/* core/kernels/moment_rates.h - mass moments of a subtree and their rates, moved inward. */
#ifndef TQ_KERNELS_MOMENT_RATES_H
#define TQ_KERNELS_MOMENT_RATES_H

#include "core/kernels/composite.h"
#include "core/kernels/pose.h"

/* Over the mass of a subtree, x the position of a point and x' its velocity, both relative to a
 * body's origin and in one set of axes for all bodies: first and second moment of x, g = integral
 * x' dm and spin = integral x x'^T dm. */
typedef struct flow {
    composite c;
    vec g;
    mat spin;
} flow;

TQ_INLINE flow flow_zero(void)
{
    return (flow){composite_zero(), vec_zero(), mat_zero()};
}

TQ_INLINE flow flow_add(flow a, flow b)
{
    return (flow){composite_add(a.c, b.c), vec_add(a.g, b.g), mat_add(a.spin, b.spin)};
}

/* a single body with these moments and angular velocity w */
TQ_INLINE flow flow_of(composite body, vec w)
{
    flow f = {.c = body};
    const sym s = f.c.s;
    f.g = vec_cross(w, f.c.h);
    /* rows x_a (w x x)^T */
    const vec x = vec_cross(w, (vec){s.xx, s.xy, s.xz});
    const vec y = vec_cross(w, (vec){s.xy, s.yy, s.yz});
    const vec z = vec_cross(w, (vec){s.xz, s.yz, s.zz});
    f.spin = (mat){x.x, x.y, x.z, y.x, y.y, y.z, z.x, z.y, z.z};
    return f;
}

/* Origin moved by -p, which moves with velocity u relative to the new origin; m: total mass. */
TQ_INLINE flow flow_inward(double m, vec p, vec u, flow f)
{
    const vec h = f.c.h;
    mat *s = &f.spin;
    *s = (mat){tq_fma(h.x, u.x, s->xx), tq_fma(h.x, u.y, s->xy), tq_fma(h.x, u.z, s->xz),
               tq_fma(h.y, u.x, s->yx), tq_fma(h.y, u.y, s->yy), tq_fma(h.y, u.z, s->yz),
               tq_fma(h.z, u.x, s->zx), tq_fma(h.z, u.y, s->zy), tq_fma(h.z, u.z, s->zz)};
    f.g = vec_along(f.g, splat(m), u.x, u.y, u.z);
    const vec g = f.g;
    *s = (mat){tq_fma(p.x, g.x, s->xx), tq_fma(p.x, g.y, s->xy), tq_fma(p.x, g.z, s->xz),
               tq_fma(p.y, g.x, s->yx), tq_fma(p.y, g.y, s->yy), tq_fma(p.y, g.z, s->yz),
               tq_fma(p.z, g.x, s->zx), tq_fma(p.z, g.y, s->zy), tq_fma(p.z, g.z, s->zz)};
    composite_shift(&f.c, m, p);
    return f;
}

#endif
