/* SPDX-License-Identifier: Apache-2.0 */
/* tests/golden/test_seeds_bodies.c - items 5, 6, 8, 11 to 18, 71 and 72: integrals over shapes, and
 * sums over point masses. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <math.h>
#include <string.h>

#include "core/dynamics/rigid_body.h"
#include "core/model/inertia.h"
#include "tests/support/expect.h"

/* one unit of rounding on numbers near 1, times the few dozen operations of these formulas */
static const double tiny = 64 * 0x1p-52;

/* Rz(yaw) Ry(pitch) Rx(roll) */
static const double yaw = 2.2, pitch = -1.1, roll = 0.3;
static tq_pose sample_pose(void)
{
    const double cr = cos(roll), sr = sin(roll), cp = cos(pitch), sp = sin(pitch), cy = cos(yaw),
                 sy = sin(yaw);
    return (tq_pose){.r = {cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr, sy * cp,
                           sy * sp * sr + cy * cr, sy * sp * cr - cy * sr, -sp, cp * sr, cp * cr},
                     .p = {0.4, -0.2, 0.1}};
}

static void cross(const double a[3], const double b[3], double c[3])
{
    for (int i = 0; i < 3; i++) {
        c[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
    }
}

/* x_outer = R x + p, and back */
static void outward(const tq_pose *at, const double x[3], double ret[3])
{
    for (int i = 0; i < 3; i++) {
        ret[i] = at->p[i] + at->r[3 * i] * x[0] + at->r[3 * i + 1] * x[1] + at->r[3 * i + 2] * x[2];
    }
}

static void inward(const tq_pose *at, const double x[3], double ret[3])
{
    for (int i = 0; i < 3; i++) {
        ret[i] = 0;
        for (int k = 0; k < 3; k++) {
            ret[i] += at->r[3 * k + i] * (x[k] - at->p[k]);
        }
    }
}

/* m, sum m x, and the tensor about the origin: xx xy xz yy yz zz with minus products */
typedef struct moments {
    double mass, first[3], tensor[6];
} moments;

static void add_point(moments *sum, double mass, const double x[3])
{
    const double tensor[6] = {x[1] * x[1] + x[2] * x[2], -x[0] * x[1], -x[0] * x[2],
                              x[0] * x[0] + x[2] * x[2], -x[1] * x[2], x[0] * x[0] + x[1] * x[1]};
    sum->mass += mass;
    for (int i = 0; i < 3; i++) {
        sum->first[i] += mass * x[i];
    }
    for (int k = 0; k < 6; k++) {
        sum->tensor[k] += mass * tensor[k];
    }
}

/* about the mass centre, from the same sums of points taken from there */
static tq_inertia inertia_of(size_t n, const double *mass, const double (*x)[3])
{
    moments sum = {0}, centred = {0};
    for (size_t k = 0; k < n; k++) {
        add_point(&sum, mass[k], x[k]);
    }
    tq_inertia body = {.mass = sum.mass};
    for (int i = 0; i < 3; i++) {
        body.com[i] = sum.first[i] / sum.mass;
    }
    for (size_t k = 0; k < n; k++) {
        const double arm[3] = {x[k][0] - body.com[0], x[k][1] - body.com[1], x[k][2] - body.com[2]};
        add_point(&centred, mass[k], arm);
    }
    memcpy(body.about_com, centred.tensor, sizeof body.about_com);
    return body;
}

/* Gauss-Legendre on [0, 1]: 24 points, beyond rounding for the polynomials and sines below */
enum { GAUSS = 24 };
static void gauss(double ret_x[GAUSS], double ret_w[GAUSS])
{
    for (int k = 0; k < GAUSS; k++) {
        double x = cos(M_PI * (k + 0.75) / ((double)GAUSS + 0.5)), slope = 1;
        for (int step = 0; step < 60; step++) {
            double last = 1, value = x;
            for (int n = 2; n <= GAUSS; n++) {
                const double next = ((2 * n - 1) * x * value - (n - 1) * last) / n;
                last = value, value = next;
            }
            slope = (double)GAUSS * (x * value - last) / (x * x - 1);
            x -= value / slope;
        }
        ret_x[k] = (1 + x) / 2;
        ret_w[k] = 1 / ((1 - x * x) * slope * slope);
    }
}

/* A shape as the image of the unit cube, in up to three parts: the place of (u, v, w), and the
 * volume, area or length of a part there. `size` as core's. The cone's base is z = 0. */
static double element(tq_shape shape, int part, const double s[3], const double c[3], double x[3])
{
    const double turn = 2 * M_PI * c[1], polar = M_PI * c[2];
    switch (shape) {
    case TQ_SHAPE_BOX:
        for (int i = 0; i < 3; i++) {
            x[i] = s[i] * (c[i] - 0.5);
        }
        return part == 0 ? s[0] * s[1] * s[2] : 0;
    case TQ_SHAPE_CYLINDER:
    case TQ_SHAPE_CYLINDER_SHELL:
    case TQ_SHAPE_DISK:
    case TQ_SHAPE_CONE: {
        const double height = shape == TQ_SHAPE_DISK ? 0 : s[1];
        const double reach = shape == TQ_SHAPE_CONE ? s[0] * (1 - c[2]) : s[0];
        const double r = shape == TQ_SHAPE_CYLINDER_SHELL ? reach : reach * c[0];
        x[0] = r * cos(turn), x[1] = r * sin(turn);
        x[2] = height * (shape == TQ_SHAPE_CONE ? c[2] : c[2] - 0.5);
        const double deep = shape == TQ_SHAPE_CYLINDER_SHELL ? 1 : reach;
        return part == 0 ? 2 * M_PI * r * deep * (shape == TQ_SHAPE_DISK ? 1 : height) : 0;
    }
    case TQ_SHAPE_SPHERE:
    case TQ_SHAPE_SPHERE_SHELL:
    case TQ_SHAPE_ELLIPSOID: {
        const double a[3] = {s[0], shape == TQ_SHAPE_ELLIPSOID ? s[1] : s[0],
                             shape == TQ_SHAPE_ELLIPSOID ? s[2] : s[0]};
        const double r = shape == TQ_SHAPE_SPHERE_SHELL ? 1 : c[0];
        x[0] = a[0] * r * sin(polar) * cos(turn), x[1] = a[1] * r * sin(polar) * sin(turn);
        x[2] = a[2] * r * cos(polar);
        const double deep = shape == TQ_SHAPE_SPHERE_SHELL ? 1 : a[2];
        return part == 0 ? 2 * M_PI * M_PI * r * r * sin(polar) * a[0] * a[1] * deep : 0;
    }
    case TQ_SHAPE_CAPSULE:
        if (part == 0) {
            return element(TQ_SHAPE_CYLINDER, 0, s, c, x);
        } else {
            const double half[3] = {c[0], c[1], part == 1 ? c[2] / 2 : (1 + c[2]) / 2};
            const double volume = element(TQ_SHAPE_SPHERE, 0, s, half, x) / 2;
            x[2] += (part == 1 ? 0.5 : -0.5) * s[1];
            return volume;
        }
    case TQ_SHAPE_BAR:
        x[0] = s[0] * (c[0] - 0.5), x[1] = x[2] = 0;
        return part == 0 ? s[0] : 0;
    case TQ_SHAPE_POINT:
    default:
        x[0] = x[1] = x[2] = 0;
        return part == 0 ? 1 : 0;
    }
}

static moments integral(tq_shape shape, const double size[3], double density, const tq_pose *at,
                        const double from[3])
{
    double node[GAUSS], weight[GAUSS];
    gauss(node, weight);
    moments sum = {0};
    for (int part = 0; part < 3; part++) {
        for (int k = 0; k < GAUSS * GAUSS * GAUSS; k++) {
            const int a = k % GAUSS, b = k / GAUSS % GAUSS, c = k / GAUSS / GAUSS;
            const double cube[3] = {node[a], node[b], node[c]};
            double x[3], y[3];
            const double d = element(shape, part, size, cube, x);
            for (int i = 0; i < 3; i++) {
                x[i] -= from[i];
            }
            outward(at, x, y);
            add_point(&sum, density * d * weight[a] * weight[b] * weight[c], y);
        }
    }
    return sum;
}

static const struct {
    tq_shape shape;
    double size[3], volume, com; /* closed forms: volume, area or length; height of the centre */
} shapes[] = {{TQ_SHAPE_BOX, {0.5, 0.2, 0.3}, 0.03, 0},
              {TQ_SHAPE_CYLINDER, {0.3, 0.8}, M_PI * 0.09 * 0.8, 0},
              {TQ_SHAPE_CYLINDER_SHELL, {0.3, 0.8}, 2 * M_PI * 0.3 * 0.8, 0},
              {TQ_SHAPE_SPHERE, {0.3}, 4 * M_PI * 0.027 / 3, 0},
              {TQ_SHAPE_SPHERE_SHELL, {0.3}, 4 * M_PI * 0.09, 0},
              {TQ_SHAPE_ELLIPSOID, {0.3, 0.5, 0.8}, 4 * M_PI * 0.12 / 3, 0},
              {TQ_SHAPE_CONE, {0.3, 0.8}, M_PI * 0.09 * 0.8 / 3, 0.2},
              {TQ_SHAPE_CAPSULE, {0.3, 0.8}, M_PI * 0.09 * (0.8 + 0.4), 0},
              {TQ_SHAPE_DISK, {0.3}, M_PI * 0.09, 0},
              {TQ_SHAPE_BAR, {0.7}, 0.7, 0},
              {TQ_SHAPE_POINT, {0}, 1, 0}};

/* m = integral of rho dV and m p_c = integral of p rho dV over each shape, at the origin and turned
 * and moved away, where all six entries of the tensor are in play: Ixy = -integral of x y rho dV.
 * Item 11: A_I = R C_I R^T. */
Test(seeds, item_005_006_008_011_shapes_by_integration)
{
    const tq_pose at = sample_pose(), home = {.r = {1, 0, 0, 0, 1, 0, 0, 0, 1}, .p = {0}};
    const double density = 2.7, none[3] = {0};
    for (size_t k = 0; k < sizeof shapes / sizeof shapes[0]; k++) {
        const moments still = integral(shapes[k].shape, shapes[k].size, density, &home, none);
        cr_expect(epsilon_eq(dbl, still.mass, density * shapes[k].volume, 1e-12), "row %zu", k);
        const double centre[3] = {still.first[0] / still.mass, still.first[1] / still.mass,
                                  still.first[2] / still.mass};
        tqt_expect("centre", centre, (double[3]){0, 0, shapes[k].com}, 3, 1e-12);
        tq_inertia body;
        cr_assert(eq(int,
                     tq_inertia_of_shape(shapes[k].shape, density * shapes[k].volume,
                                         shapes[k].size, &body, NULL),
                     TQ_OK));
        tqt_expect("com", body.com, none, 3, 0.0);
        const moments own = integral(shapes[k].shape, shapes[k].size, density, &home, centre);
        tqt_expect("I about C", body.about_com, own.tensor, 6, 1e-12);
        const tq_inertia moved = tq_inertia_move(&body, &at);
        const moments far = integral(shapes[k].shape, shapes[k].size, density, &at, centre);
        tq_pose turned = at;
        memset(turned.p, 0, sizeof turned.p);
        const moments here = integral(shapes[k].shape, shapes[k].size, density, &turned, centre);
        double about_origin[6], want[3];
        tq_inertia_about_origin(&moved, about_origin);
        for (int i = 0; i < 3; i++) {
            want[i] = far.first[i] / far.mass;
        }
        cr_expect(epsilon_eq(dbl, moved.mass, far.mass, 1e-12), "row %zu", k);
        tqt_expect("moved com", moved.com, want, 3, 1e-12);
        tqt_expect("R I R^T", moved.about_com, here.tensor, 6, 1e-12);
        tqt_expect("I about the origin", about_origin, far.tensor, 6, 1e-12);
    }
}

/* a body of six points, lopsided: no entry of its tensor and no component of its centre is zero */
enum { POINTS = 6 };
static const double masses[POINTS] = {0.4, 0.7, 0.2, 0.9, 0.3, 0.5};
static const double places[POINTS][3] = {{0.3, -0.1, 0.2},  {-0.2, 0.4, 0.1},  {0.5, 0.3, -0.4},
                                         {0.1, -0.3, -0.2}, {-0.4, -0.2, 0.3}, {0.2, 0.1, 0.6}};
static const double sample_twist[6] = {0.6, -0.4, 0.9, 1.2, -0.5, 0.8};
static const double sample_rate[6] = {0.1, 0.3, -0.2, 0.5, 0.4, -0.7};

/* v + w x x */
static void velocity_at(const double twist[6], const double x[3], double ret[3])
{
    cross(twist + 3, x, ret);
    for (int i = 0; i < 3; i++) {
        ret[i] += twist[i];
    }
}

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* items 13 to 15: G = sum m v, H_C = sum (x - c) x m v, H_O = sum x x m v, K = sum m v^2 / 2; and
 * item 12, R I R^T, as the sum in world axes */
Test(seeds, item_012_013_014_015_momentum_and_energy)
{
    const tq_pose at = sample_pose();
    const tq_inertia body = inertia_of(POINTS, masses, places);
    double world[POINTS][3], linear[3] = {0}, about_origin[3] = {0}, about_com[3] = {0};
    double kinetic = 0;
    for (int k = 0; k < POINTS; k++) {
        outward(&at, places[k], world[k]);
    }
    const tq_inertia want = inertia_of(POINTS, masses, world);
    for (int k = 0; k < POINTS; k++) {
        double from_frame[3], v[3], h[3];
        for (int i = 0; i < 3; i++) {
            from_frame[i] = world[k][i] - at.p[i];
        }
        velocity_at(sample_twist, from_frame, v);
        kinetic += 0.5 * masses[k] * dot(v, v);
        cross(world[k], v, h);
        for (int i = 0; i < 3; i++) {
            linear[i] += masses[k] * v[i];
            about_origin[i] += masses[k] * h[i];
        }
    }
    double carried[3];
    cross(want.com, linear, carried);
    for (int i = 0; i < 3; i++) {
        about_com[i] = about_origin[i] - carried[i];
    }
    tq_body_momentum m;
    tq_body_momentum_of(&body, &at, sample_twist, &m);
    tqt_expect("item 13: G", m.linear, linear, 3, 10 * tiny);
    tqt_expect("item 14: H_C", m.angular_com, about_com, 3, 10 * tiny);
    tqt_expect("item 14: H_O", m.angular_point, about_origin, 3, 10 * tiny);
    cr_expect(epsilon_eq(dbl, m.kinetic, kinetic, 10 * tiny), "item 15");
    tqt_expect("item 12", m.inertia_world, want.about_com, 6, 10 * tiny);
}

/* V_a^T M V_b = sum m v_a . v_b over the points, for all unit twists a, b */
static void spatial_of(const double (*x)[3], double ret[36])
{
    for (int e = 0; e < 36; e++) {
        ret[e] = 0;
        double a[6] = {0}, b[6] = {0};
        a[e / 6] = b[e % 6] = 1;
        for (int k = 0; k < POINTS; k++) {
            double va[3], vb[3];
            velocity_at(a, x[k], va);
            velocity_at(b, x[k], vb);
            ret[e] += masses[k] * dot(va, vb);
        }
    }
}

/* items 16 and 18: M_b about a frame that is not at the mass centre; item 17: seen from another */
Test(seeds, item_016_017_018_generalised_inertia)
{
    const tq_inertia body = inertia_of(POINTS, masses, places);
    const tq_pose at = sample_pose();
    double got[36], want[36], seen[POINTS][3], moved[36], ad[36];
    tq_inertia_spatial(&body, got);
    spatial_of(places, want);
    tqt_expect("M", got, want, 36, 10 * tiny);
    double kinetic = 0;
    for (int k = 0; k < POINTS; k++) {
        double v[3];
        velocity_at(sample_twist, places[k], v);
        kinetic += 0.5 * masses[k] * dot(v, v);
        inward(&at, places[k], seen[k]);
    }
    cr_expect(epsilon_eq(dbl, tq_generalised_energy(got, sample_twist), kinetic, 10 * tiny));
    tq_generalised_inertia_move(got, &at, moved);
    spatial_of(seen, want);
    tqt_expect("Ad^T M Ad", moved, want, 36, 100 * tiny);
    /* a unit twist of the new frame moves every point as the column of Ad says in the old one */
    tq_adjoint(&at, ad);
    for (int column = 0; column < 6; column++) {
        double inner[6] = {0}, outer[6];
        inner[column] = 1;
        for (int r = 0; r < 6; r++) {
            outer[r] = ad[6 * r + column];
        }
        for (int k = 0; k < POINTS; k++) {
            double v[3], there[3], tip[3], sum[3];
            velocity_at(inner, seen[k], v);
            velocity_at(outer, places[k], there);
            for (int i = 0; i < 3; i++) {
                tip[i] = v[i];
            }
            outward(&at, tip, sum); /* a direction: the origin's place comes off again */
            for (int i = 0; i < 3; i++) {
                sum[i] -= at.p[i];
            }
            tqt_expect("Ad", there, sum, 3, 10 * tiny);
        }
    }
}

/* sum m a and sum x x m a, with a = vdot + wdot x x + w x (v + w x x) in the body's axes */
static void wrench_of(const double (*x)[3], const double twist[6], const double rate[6],
                      double ret[6])
{
    memset(ret, 0, 6 * sizeof *ret);
    for (int k = 0; k < POINTS; k++) {
        double v[3], a[3], turning[3], moment[3];
        velocity_at(twist, x[k], v);
        velocity_at(rate, x[k], a);
        cross(twist + 3, v, turning);
        for (int i = 0; i < 3; i++) {
            a[i] += turning[i];
        }
        cross(x[k], a, moment);
        for (int i = 0; i < 3; i++) {
            ret[i] += masses[k] * a[i];
            ret[3 + i] += masses[k] * moment[i];
        }
    }
}

static void hat(const double t[6], double m[16])
{
    const double h[16] = {0,     -t[5], t[4], t[0], t[5], 0, -t[3], t[1],
                          -t[4], t[3],  0,    t[2], 0,    0, 0,     0};
    memcpy(m, h, sizeof h);
}

/* item 71: all six components of the wrench; item 72: the same in another frame, and the bracket as
 * the commutator of 4 x 4 matrices */
Test(seeds, item_071_072_newton_euler_body_frame)
{
    const tq_inertia body = inertia_of(POINTS, masses, places);
    const tq_pose at = sample_pose();
    double spatial[36], moved[36], wrench[6], want[6], seen[POINTS][3];
    tq_inertia_spatial(&body, spatial);
    tq_newton_euler(spatial, sample_twist, sample_rate, wrench);
    wrench_of(places, sample_twist, sample_rate, want);
    tqt_expect("F", wrench, want, 6, 10 * tiny);
    for (int k = 0; k < POINTS; k++) {
        inward(&at, places[k], seen[k]);
    }
    tq_generalised_inertia_move(spatial, &at, moved);
    tq_newton_euler(moved, sample_twist, sample_rate, wrench);
    wrench_of(seen, sample_twist, sample_rate, want);
    tqt_expect("F in another frame", wrench, want, 6, 100 * tiny);
    double a[16], b[16], got[6], commutator[16] = {0};
    hat(sample_twist, a);
    hat(sample_rate, b);
    for (int e = 0; e < 16; e++) {
        for (int k = 0; k < 4; k++) {
            commutator[e] +=
                a[e / 4 * 4 + k] * b[4 * k + e % 4] - b[e / 4 * 4 + k] * a[4 * k + e % 4];
        }
    }
    const double bracket[6] = {commutator[3], commutator[7], commutator[11],
                               commutator[9], commutator[2], commutator[4]};
    tq_lie_bracket(sample_twist, sample_rate, got);
    tqt_expect("[a, b]", got, bracket, 6, tiny);
}
