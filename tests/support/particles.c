/* SPDX-License-Identifier: Apache-2.0 */
/* tests/support/particles.c - positions of point masses in closed form, and sums over them. */
#include "tests/support/particles.h"

#include <math.h>
#include <string.h>

#ifdef __clang__
#pragma clang diagnostic ignored "-Wdouble-promotion" /* an oracle in long double, on purpose */
#endif

static void add_bar(tqt_cloud *c, int link, double mass, const double from[3], const double to[3])
{
    for (int k = 0; k < 3; k++) { /* Simpson's weights are exact for second moments */
        tqt_particle *p = &c->particles[c->n++];
        p->mass = mass * (k == 1 ? 4 : 1) / 6;
        p->link = link;
        for (int i = 0; i < 3; i++) {
            p->at[i] = from[i] + 0.5 * k * (to[i] - from[i]);
        }
    }
}

static tqt_jet scaled_cos(long double x, tqt_jet angle)
{
    return tqt_jet_scale(x, tqt_jet_cos(angle));
}

static tqt_jet scaled_sin(long double x, tqt_jet angle)
{
    return tqt_jet_scale(x, tqt_jet_sin(angle));
}

static tqt_jet lifted(long double x, tqt_jet a)
{
    return tqt_jet_add(tqt_jet_constant(x), a);
}

/* (sum a_i cos(q_1 + .. + q_i) + x cos(..), the same with sin, z) */
static void place_planar(const tqt_cloud *c, int link, const double at[3], const tqt_jet *q,
                         tqt_jet p[3])
{
    tqt_jet angle = tqt_jet_constant(0);
    p[0] = p[1] = angle;
    for (int i = 0; i < link; i++) {
        const double along = i + 1 < link ? c->length[i] : at[0];
        const double across = i + 1 < link ? 0 : at[1];
        angle = tqt_jet_add(angle, q[i]);
        p[0] = tqt_jet_add(p[0], tqt_jet_add(scaled_cos(along, angle), scaled_sin(-across, angle)));
        p[1] = tqt_jet_add(p[1], tqt_jet_add(scaled_sin(along, angle), scaled_cos(across, angle)));
    }
    p[2] = tqt_jet_constant(at[2]);
}

tqt_cloud tqt_cloud_planar(const tqt_bar *bars, size_t n, double g)
{
    tqt_cloud c = {.n_q = n, .gravity = {0, -g, 0}, .place = place_planar};
    for (size_t k = 0; k < n; k++) {
        c.length[k] = bars[k].length;
        add_bar(&c, (int)k + 1, bars[k].mass, (double[3]){0}, (double[3]){bars[k].length, 0, 0});
    }
    return c;
}

/* the third link at the end of the second, rotated with it, at height d1 - d3 */
static void place_scara(const tqt_cloud *c, int link, const double at[3], const tqt_jet *q,
                        tqt_jet p[3])
{
    const double end[3] = {c->length[1] + at[0], at[1], at[2]};
    place_planar(c, link == 3 ? 2 : link, link == 3 ? end : at, q, p);
    p[2] = lifted(c->length[2], p[2]);
    if (link == 3) {
        p[2] = tqt_jet_add(p[2], tqt_jet_scale(-1, q[2]));
    }
}

tqt_cloud tqt_cloud_scara(const tqt_scara *from)
{
    tqt_cloud c = {.n_q = 3,
                   .gravity = {0, 0, -from->g},
                   .length = {from->a[0], from->a[1], from->d1},
                   .place = place_scara};
    add_bar(&c, 1, from->m[0], (double[3]){0}, (double[3]){from->a[0], 0, 0});
    add_bar(&c, 2, from->m[1], (double[3]){0}, (double[3]){from->a[1], 0, 0});
    add_bar(&c, 3, from->m[2], (double[3]){0}, (double[3]){0, 0, from->rod});
    return c;
}

/* x, y, z rotated by `turn` about +x or, with a negative angle, about -x; then about z by q1 */
static void turned(tqt_jet x, tqt_jet y, tqt_jet z, const tqt_jet *turn, tqt_jet q1, tqt_jet p[3])
{
    const tqt_jet s = tqt_jet_sin(*turn), co = tqt_jet_cos(*turn);
    const tqt_jet across =
        tqt_jet_add(tqt_jet_multiply(y, co), tqt_jet_scale(-1, tqt_jet_multiply(z, s)));
    p[2] = tqt_jet_add(tqt_jet_multiply(y, s), tqt_jet_multiply(z, co));
    const tqt_jet s1 = tqt_jet_sin(q1), c1 = tqt_jet_cos(q1);
    p[0] = tqt_jet_add(tqt_jet_multiply(x, c1), tqt_jet_scale(-1, tqt_jet_multiply(across, s1)));
    p[1] = tqt_jet_add(tqt_jet_multiply(x, s1), tqt_jet_multiply(across, c1));
}

/* (x c1 - (y c2 - z s2) s1, x s1 + (y c2 - z s2) c1, H + y s2 + z c2); the rod at x = L, z = d3 */
static void place_rrp(const tqt_cloud *c, int link, const double at[3], const tqt_jet *q,
                      tqt_jet p[3])
{
    const tqt_jet none = tqt_jet_constant(0);
    const tqt_jet x = tqt_jet_constant(at[0] + (link == 3 ? c->length[1] : 0));
    const tqt_jet z = lifted(at[2], link == 3 ? q[2] : none);
    turned(x, tqt_jet_constant(at[1]), z, link == 1 ? &none : &q[1], q[0], p);
    p[2] = lifted(link == 1 ? 0 : c->length[0], p[2]);
}

tqt_cloud tqt_cloud_rrp(const tqt_rrp *from)
{
    tqt_cloud c = {.n_q = 3,
                   .gravity = {0, 0, -from->g},
                   .length = {from->height, from->reach},
                   .place = place_rrp};
    add_bar(&c, 1, from->m[0], (double[3]){0}, (double[3]){0, 0, from->height});
    add_bar(&c, 2, from->m[1], (double[3]){0}, (double[3]){from->reach, 0, 0});
    add_bar(&c, 3, from->m[2], (double[3]){0, 0, -from->rod}, (double[3]){0});
    c.particles[c.n++] = (tqt_particle){from->m[3], 3, {0}};
    return c;
}

/* heights l0 - y sin q2 + .., l0 - l1 sin q2 - y sin(q2 + q3) + ..: rotations about -x (LW 23) */
static void place_elbow(const tqt_cloud *c, int link, const double at[3], const tqt_jet *q,
                        tqt_jet p[3])
{
    const tqt_jet none = tqt_jet_constant(0), x = tqt_jet_constant(at[0]);
    const tqt_jet first = tqt_jet_scale(-1, q[1]);
    const tqt_jet both = tqt_jet_scale(-1, tqt_jet_add(q[1], q[2]));
    turned(x, tqt_jet_constant(at[1]), tqt_jet_constant(at[2]),
           link == 1   ? &none
           : link == 2 ? &first
                       : &both,
           q[0], p);
    if (link == 3) {
        tqt_jet joint[3];
        turned(none, tqt_jet_constant(c->length[1]), none, &first, q[0], joint);
        for (int i = 0; i < 3; i++) {
            p[i] = tqt_jet_add(p[i], joint[i]);
        }
    }
    p[2] = lifted(link == 1 ? 0 : c->length[0], p[2]);
}

tqt_cloud tqt_cloud_elbow(const tqt_elbow *from)
{
    tqt_cloud c = {.n_q = 3,
                   .gravity = {0, 0, -from->g},
                   .length = {from->l0, from->l1},
                   .place = place_elbow};
    const double com[3][3] = {{0, 0, from->r0}, {0, from->r1, 0}, {0, from->r2, 0}};
    for (int k = 0; k < 3; k++) {
        const double i[3] = {from->ix[k], from->iy[k], from->iz[k]};
        for (int e = 0; e < 6; e++) {
            const int axis = e / 2;
            tqt_particle *p = &c.particles[c.n++];
            p->mass = from->m[k] / 6;
            p->link = k + 1;
            memcpy(p->at, com[k], sizeof p->at);
            const double moment = 0.5 * (i[0] + i[1] + i[2]) - i[axis]; /* I_x = S_y + S_z */
            p->at[axis] += (e % 2 == 0 ? 1 : -1) * sqrt(3 * moment / from->m[k]);
        }
    }
    return c;
}

/* q with its rates; `column` >= 0: unit rate of that coordinate only */
static void jets_of(const tqt_cloud *c, const double *q, const double *qd, const double *qdd,
                    int column, tqt_jet ret[TQT_CLOUD_Q])
{
    for (size_t k = 0; k < c->n_q; k++) {
        ret[k] = (tqt_jet){q[k], qd == NULL ? 0 : qd[k], qdd == NULL ? 0 : qdd[k]};
        if (column >= 0) {
            ret[k] = (tqt_jet){q[k], (int)k == column, 0};
        }
    }
}

/* dp/dq_k of every particle, by columns */
static void columns_of(const tqt_cloud *c, const double *q, size_t particle,
                       long double ret[TQT_CLOUD_Q][3])
{
    const tqt_particle *at = &c->particles[particle];
    for (size_t k = 0; k < c->n_q; k++) {
        tqt_jet jets[TQT_CLOUD_Q], p[3];
        jets_of(c, q, NULL, NULL, (int)k, jets);
        c->place(c, at->link, at->at, jets, p);
        for (int i = 0; i < 3; i++) {
            ret[k][i] = p[i].d;
        }
    }
}

void tqt_cloud_torque(const tqt_cloud *c, const double *q, const double *qd, const double *qdd,
                      double *ret_tau)
{
    long double tau[TQT_CLOUD_Q] = {0};
    tqt_jet jets[TQT_CLOUD_Q], p[3];
    jets_of(c, q, qd, qdd, -1, jets);
    for (size_t n = 0; n < c->n; n++) {
        long double column[TQT_CLOUD_Q][3];
        columns_of(c, q, n, column);
        c->place(c, c->particles[n].link, c->particles[n].at, jets, p);
        for (size_t k = 0; k < c->n_q; k++) {
            for (int i = 0; i < 3; i++) {
                tau[k] += c->particles[n].mass * (p[i].dd - c->gravity[i]) * column[k][i];
            }
        }
    }
    for (size_t k = 0; k < c->n_q; k++) {
        ret_tau[k] = (double)tau[k];
    }
}

void tqt_cloud_gravity(const tqt_cloud *c, const double *q, double *ret_g)
{
    tqt_cloud_torque(c, q, NULL, NULL, ret_g);
}

void tqt_cloud_mass(const tqt_cloud *c, const double *q, double *ret_m)
{
    long double m[TQT_CLOUD_Q * TQT_CLOUD_Q] = {0};
    for (size_t n = 0; n < c->n; n++) {
        long double column[TQT_CLOUD_Q][3];
        columns_of(c, q, n, column);
        for (size_t e = 0; e < c->n_q * c->n_q; e++) {
            for (int i = 0; i < 3; i++) {
                m[e] += c->particles[n].mass * column[e / c->n_q][i] * column[e % c->n_q][i];
            }
        }
    }
    for (size_t e = 0; e < c->n_q * c->n_q; e++) {
        ret_m[e] = (double)m[e];
    }
}

double tqt_cloud_kinetic(const tqt_cloud *c, const double *q, const double *qd)
{
    long double sum = 0;
    tqt_jet jets[TQT_CLOUD_Q], p[3];
    jets_of(c, q, qd, NULL, -1, jets);
    for (size_t n = 0; n < c->n; n++) {
        c->place(c, c->particles[n].link, c->particles[n].at, jets, p);
        sum += 0.5L * c->particles[n].mass * (p[0].d * p[0].d + p[1].d * p[1].d + p[2].d * p[2].d);
    }
    return (double)sum;
}

double tqt_cloud_potential(const tqt_cloud *c, const double *q)
{
    long double sum = 0;
    tqt_jet jets[TQT_CLOUD_Q], p[3];
    jets_of(c, q, NULL, NULL, -1, jets);
    for (size_t n = 0; n < c->n; n++) {
        c->place(c, c->particles[n].link, c->particles[n].at, jets, p);
        for (int i = 0; i < 3; i++) {
            sum -= c->particles[n].mass * c->gravity[i] * p[i].x;
        }
    }
    return (double)sum;
}

void tqt_cloud_wrench(const tqt_cloud *c, int link, const double *q, const double *qd,
                      const double *qdd, double ret_wrench[6])
{
    long double sum[6] = {0};
    tqt_jet jets[TQT_CLOUD_Q], p[3], origin[3];
    jets_of(c, q, qd, qdd, -1, jets);
    c->place(c, link, (double[3]){0}, jets, origin);
    for (size_t n = 0; n < c->n; n++) {
        const tqt_particle *at = &c->particles[n];
        if (at->link < link) {
            continue;
        }
        long double f[3], r[3];
        c->place(c, at->link, at->at, jets, p);
        for (int i = 0; i < 3; i++) {
            f[i] = at->mass * (p[i].dd - c->gravity[i]);
            r[i] = p[i].x - origin[i].x;
            sum[i] += f[i];
        }
        for (int i = 0; i < 3; i++) {
            sum[3 + i] += r[(i + 1) % 3] * f[(i + 2) % 3] - r[(i + 2) % 3] * f[(i + 1) % 3];
        }
    }
    for (int k = 0; k < 3; k++) { /* along the link's axes, found from points at 1 m */
        double unit[3] = {0};
        unit[k] = 1;
        c->place(c, link, unit, jets, p);
        long double along = 0, about = 0;
        for (int i = 0; i < 3; i++) {
            along += (p[i].x - origin[i].x) * sum[i];
            about += (p[i].x - origin[i].x) * sum[3 + i];
        }
        ret_wrench[k] = (double)along;
        ret_wrench[3 + k] = (double)about;
    }
}
