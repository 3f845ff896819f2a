/* SPDX-License-Identifier: Apache-2.0 */
/* tests/support/pendulum.c - elliptic functions by the arithmetic-geometric mean. */
#include "tests/support/pendulum.h"

#include <assert.h>
#include <math.h>

#include "tests/support/random_robot.h"

tq_model *tqt_pendulum(void)
{
    tq_model *m = tqt_model_new(2);
    m->joints[0].kind = TQ_JOINT_CONTINUOUS, m->joints[0].parent = 0, m->joints[0].child = 1;
    m->joints[0].axis[0] = 0, m->joints[0].axis[1] = 1, m->joints[0].axis[2] = 0;
    m->links[1].inertia.mass = 1.0;
    m->links[1].inertia.com[2] = -0.5;
    const tq_status status = tq_model_finish(m, NULL);
    assert(status == TQ_OK);
    (void)status;
    return m;
}

double tqt_elliptic_k(double k)
{
    double a = 1.0, b = sqrt(1.0 - k * k);
    for (int i = 0; i < 10; i++) {
        const double mean = 0.5 * (a + b);
        b = sqrt(a * b), a = mean;
    }
    return M_PI_2 / a;
}

/* amplitude of u at modulus k: descending Landen's transformation */
static double amplitude(double u, double k)
{
    enum { N = 8 };
    double a[N + 1] = {1.0}, c[N + 1] = {k};
    double b = sqrt(1.0 - k * k);
    for (int i = 0; i < N; i++) {
        a[i + 1] = 0.5 * (a[i] + b);
        c[i + 1] = 0.5 * (a[i] - b);
        b = sqrt(a[i] * b);
    }
    double phi = ldexp(a[N] * u, N);
    for (int i = N; i > 0; i--) {
        phi = 0.5 * (phi + asin(c[i] * sin(phi) / a[i]));
    }
    return phi;
}

void tqt_pendulum_at(double start, double t, double *ret_angle, double *ret_rate)
{
    const double w = sqrt(9.81 / 0.5);
    const double k = sin(0.5 * start);
    const double u = tqt_elliptic_k(k) - w * t;
    const double phi = amplitude(u, k);
    *ret_angle = 2.0 * asin(k * sin(phi));
    *ret_rate = -2.0 * w * k * cos(phi);
}
