/* SPDX-License-Identifier: Apache-2.0 */
/* core/spatial/frame.h - constant rotations, frames and mass moments in scalar doubles. */
#ifndef TQ_SPATIAL_FRAME_H
#define TQ_SPATIAL_FRAME_H

#include <math.h>

/* The only 3x3 helpers outside of kernels. Matrices are 3x3, row by row. Results may alias
 * arguments. */

/* Pose of a child frame in its parent: x_parent = r x_child + p. */
typedef struct tq_pose {
    double r[9]; /* row by row */
    double p[3]; /* m */
} tq_pose;

static const tq_pose tq_pose_identity = {.r = {1, 0, 0, 0, 1, 0, 0, 0, 1}};

/* Mass, first moment (kg m) and second moment integral x x^T dm (xx xy xz yy yz zz, kg m^2) about a
 * frame's origin. Displacing the frame and adding bodies are linear in them. */
typedef struct tq_moments {
    double m, h[3], s[6];
} tq_moments;

static inline void tq_mat_identity(double *ret)
{
    for (int k = 0; k < 9; k++) {
        ret[k] = k % 4 == 0 ? 1.0 : 0.0;
    }
}

static inline void tq_mat_product(const double *a, const double *b, double *ret)
{
    double t[9];
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            t[3 * i + j] = a[3 * i] * b[j] + a[3 * i + 1] * b[3 + j] + a[3 * i + 2] * b[6 + j];
        }
    }
    for (int k = 0; k < 9; k++) {
        ret[k] = t[k];
    }
}

/* transpose(a) b */
static inline void tq_mat_tproduct(const double *a, const double *b, double *ret)
{
    const double t[9] = {a[0], a[3], a[6], a[1], a[4], a[7], a[2], a[5], a[8]};
    tq_mat_product(t, b, ret);
}

static inline void tq_mat_vec(const double *a, const double *v, double *ret)
{
    const double x = v[0], y = v[1], z = v[2];
    for (int i = 0; i < 3; i++) {
        ret[i] = a[3 * i] * x + a[3 * i + 1] * y + a[3 * i + 2] * z;
    }
}

/* transpose(a) v */
static inline void tq_mat_tvec(const double *a, const double *v, double *ret)
{
    const double x = v[0], y = v[1], z = v[2];
    for (int i = 0; i < 3; i++) {
        ret[i] = a[i] * x + a[3 + i] * y + a[6 + i] * z;
    }
}

static inline void tq_mat_z(double c, double s, double *ret)
{
    const double r[9] = {c, -s, 0, s, c, 0, 0, 0, 1};
    for (int k = 0; k < 9; k++) {
        ret[k] = r[k];
    }
}

static inline void tq_mat_x(double c, double s, double *ret)
{
    const double r[9] = {1, 0, 0, 0, c, -s, 0, s, c};
    for (int k = 0; k < 9; k++) {
        ret[k] = r[k];
    }
}

static inline void tq_vec_cross(const double *a, const double *b, double *ret)
{
    const double x = a[1] * b[2] - a[2] * b[1];
    const double y = a[2] * b[0] - a[0] * b[2];
    ret[2] = a[0] * b[1] - a[1] * b[0];
    ret[0] = x;
    ret[1] = y;
}

/* Removes rounding at right angles: entries of a rotation within 1e-15 of 0 or +-1 become exact. */
static inline void tq_mat_settle(double *r)
{
    for (int k = 0; k < 9; k++) {
        const double size = fabs(r[k]);
        if (size < 1e-15) {
            r[k] = 0.0;
        } else if (fabs(size - 1.0) < 1e-15) {
            r[k] = copysign(1.0, r[k]);
        }
    }
}

/* a b: first b, then a, x -> a (b x) */
static inline tq_pose tq_pose_multiply(const tq_pose *a, const tq_pose *b)
{
    tq_pose t;
    tq_mat_product(a->r, b->r, t.r);
    tq_mat_vec(a->r, b->p, t.p);
    for (int k = 0; k < 3; k++) {
        t.p[k] += a->p[k];
    }
    return t;
}

/* pose of the parent in the child: (r^T, -r^T p) */
static inline tq_pose tq_pose_inverse(const tq_pose *a)
{
    tq_pose t;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            t.r[3 * i + j] = a->r[3 * j + i];
        }
    }
    tq_mat_tvec(a->r, a->p, t.p);
    for (int k = 0; k < 3; k++) {
        t.p[k] = -t.p[k];
    }
    return t;
}

/* Rotation of a quaternion w x y z of any length but 0. */
static inline void tq_mat_of_quaternion(const double *wxyz, double *ret)
{
    const double w = wxyz[0], x = wxyz[1], y = wxyz[2], z = wxyz[3];
    const double k = 2.0 / (w * w + x * x + y * y + z * z);
    const double r[9] = {
        1.0 - k * (y * y + z * z), k * (x * y - w * z),       k * (x * z + w * y),
        k * (x * y + w * z),       1.0 - k * (x * x + z * z), k * (y * z - w * x),
        k * (x * z - w * y),       k * (y * z + w * x),       1.0 - k * (x * x + y * y)};
    for (int i = 0; i < 9; i++) {
        ret[i] = r[i];
    }
}

/* Unit quaternion w x y z of a rotation, w >= 0. S. W. Shepperd, Quaternion from rotation matrix,
 * J. Guidance and Control 1(3), 1978: the largest component comes from a root, the others from
 * products. */
static inline void tq_quaternion_of_mat(const double *r, double *ret)
{
    const double t[4] = {r[0] + r[4] + r[8], r[0] - r[4] - r[8], r[4] - r[0] - r[8],
                         r[8] - r[0] - r[4]};
    int largest = 0;
    for (int i = 1; i < 4; i++) {
        largest = t[i] > t[largest] ? i : largest;
    }
    const double d[3] = {r[7] - r[5], r[2] - r[6], r[3] - r[1]}; /* 4 w (x, y, z) */
    const double s[3] = {r[1] + r[3], r[2] + r[6], r[5] + r[7]}; /* 4 xy, xz, yz */
    const double four[4][4] = {{1.0 + t[0], d[0], d[1], d[2]},
                               {d[0], 1.0 + t[1], s[0], s[1]},
                               {d[1], s[0], 1.0 + t[2], s[2]},
                               {d[2], s[1], s[2], 1.0 + t[3]}};
    const double *row = four[largest];
    double length = sqrt(row[0] * row[0] + row[1] * row[1] + row[2] * row[2] + row[3] * row[3]);
    length = row[0] < 0.0 ? -length : length;
    for (int i = 0; i < 4; i++) {
        ret[i] = row[i] / length;
    }
}

/* Columns e, f and the unit vector `axis` = e x f, where e and f are the x and y of a planar joint
 * (see tq_joint): Duff et al., Building an orthonormal basis, revisited, JCGT 6(1), 2017. */
static inline void tq_mat_third_column(const double *axis, double *ret)
{
    const double a = axis[0], b = axis[1], c = axis[2];
    const double s = c < 0.0 ? -1.0 : 1.0, k = 1.0 / (1.0 + s * c);
    const double r[9] = {
        1.0 - a * a * k, -s * a * b * k, a, -a * b * k, s * (1.0 - b * b * k), b, -s * a, -b, c};
    for (int i = 0; i < 9; i++) {
        ret[i] = r[i];
    }
}

/* Add to *sum the moments `body`, whose frame is at `f` in the frame of *sum:
 * S' = R S R^T + R h p^T + p (R h)^T + m p p^T. */
static inline void tq_moments_add(tq_moments *sum, const tq_moments *body, const tq_pose *f)
{
    const double *s = body->s, *p = f->p;
    double full[9] = {s[0], s[1], s[2], s[1], s[3], s[4], s[2], s[4], s[5]};
    double h[3], rows[9];
    tq_mat_vec(f->r, body->h, h);
    tq_mat_product(f->r, full, full);
    for (int i = 0; i < 3; i++) {
        tq_mat_vec(f->r, full + 3 * i, rows + 3 * i);
    }
    int entry = 0;
    for (int i = 0; i < 3; i++) {
        for (int j = i; j < 3; j++) {
            sum->s[entry++] +=
                rows[3 * i + j] + (h[i] * p[j] + p[i] * h[j]) + body->m * p[i] * p[j];
        }
    }
    for (int i = 0; i < 3; i++) {
        sum->h[i] += h[i] + body->m * p[i];
    }
    sum->m += body->m;
}

/* From mass, centre and inertia tensor about the centre (xx xy xz yy yz zz). */
static inline tq_moments tq_moments_of(double mass, const double *com, const double *about_com)
{
    const double *c = com, *i = about_com;
    const double half_trace = 0.5 * (i[0] + i[3] + i[5]);
    return (tq_moments){
        .m = mass,
        .h = {mass * c[0], mass * c[1], mass * c[2]},
        .s = {half_trace - i[0] + mass * c[0] * c[0], -i[1] + mass * c[0] * c[1],
              -i[2] + mass * c[0] * c[2], half_trace - i[3] + mass * c[1] * c[1],
              -i[4] + mass * c[1] * c[2], half_trace - i[5] + mass * c[2] * c[2]},
    };
}

/* Inertia tensor about the origin (xx xy xz yy yz zz): trace(S) 1 - S. */
static inline void tq_moments_tensor(const double *s, double *ret)
{
    const double t[6] = {s[3] + s[5], -s[1], -s[2], s[0] + s[5], -s[4], s[0] + s[3]};
    for (int k = 0; k < 6; k++) {
        ret[k] = t[k];
    }
}

#endif
