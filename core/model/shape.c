/* SPDX-License-Identifier: Apache-2.0 */
/* core/model/shape.c - inertia of uniform solids. */
#include <math.h>

#include "core/model/inertia.h"

unsigned tq_shape_size_count(tq_shape shape)
{
    switch (shape) {
    case TQ_SHAPE_BOX:
    case TQ_SHAPE_ELLIPSOID:
        return 3;
    case TQ_SHAPE_CYLINDER:
    case TQ_SHAPE_CYLINDER_SHELL:
    case TQ_SHAPE_CONE:
    case TQ_SHAPE_CAPSULE:
        return 2;
    case TQ_SHAPE_SPHERE:
    case TQ_SHAPE_SPHERE_SHELL:
    case TQ_SHAPE_DISK:
    case TQ_SHAPE_BAR:
        return 1;
    case TQ_SHAPE_POINT:
        return 0;
    }
    return 0;
}

/* across: about x and y; along: about z */
static void set_axial(tq_inertia *inertia, double across, double along)
{
    inertia->about_com[0] = inertia->about_com[3] = across;
    inertia->about_com[5] = along;
}

static void set_capsule(tq_inertia *inertia, double r, double length)
{
    /* mass by volume: a cylinder and two hemispheres */
    const double cylinder = length;
    const double caps = 4.0 / 3.0 * r;
    const double whole = cylinder + caps;
    const double mc = whole > 0.0 ? inertia->mass * cylinder / whole : 0.0;
    const double ms = whole > 0.0 ? inertia->mass * caps / whole : inertia->mass;
    /* centre of mass of a hemisphere: 3/8 r from its flat face */
    const double across = mc * (3.0 * r * r + length * length) / 12.0 +
                          ms * (0.4 * r * r + 0.25 * length * length + 0.375 * length * r);
    set_axial(inertia, across, 0.5 * mc * r * r + 0.4 * ms * r * r);
}

tq_status tq_inertia_of_shape(tq_shape shape, double mass, const double size[3],
                              tq_inertia *ret_inertia, tq_error *reterr)
{
    if (!isfinite(mass)) {
        return tq_fail(reterr, TQ_ERR_NOT_FINITE, "mass", 0, mass);
    }
    if (mass < 0.0) {
        return tq_fail(reterr, TQ_ERR_RANGE, "mass", 0, mass);
    }
    for (unsigned k = 0; k < tq_shape_size_count(shape); k++) {
        if (!isfinite(size[k])) {
            return tq_fail(reterr, TQ_ERR_NOT_FINITE, "size", k, size[k]);
        }
        if (size[k] < 0.0) {
            return tq_fail(reterr, TQ_ERR_RANGE, "size", k, size[k]);
        }
    }
    tq_inertia inertia = {.mass = mass};
    const double a = tq_shape_size_count(shape) > 0 ? size[0] : 0.0;
    const double b = tq_shape_size_count(shape) > 1 ? size[1] : 0.0;
    const double c = tq_shape_size_count(shape) > 2 ? size[2] : 0.0;
    switch (shape) {
    case TQ_SHAPE_BOX:
        inertia.about_com[0] = mass * (b * b + c * c) / 12.0;
        inertia.about_com[3] = mass * (a * a + c * c) / 12.0;
        inertia.about_com[5] = mass * (a * a + b * b) / 12.0;
        break;
    case TQ_SHAPE_CYLINDER:
        set_axial(&inertia, mass * (3.0 * a * a + b * b) / 12.0, 0.5 * mass * a * a);
        break;
    case TQ_SHAPE_CYLINDER_SHELL:
        set_axial(&inertia, mass * (6.0 * a * a + b * b) / 12.0, mass * a * a);
        break;
    case TQ_SHAPE_SPHERE:
        set_axial(&inertia, 0.4 * mass * a * a, 0.4 * mass * a * a);
        break;
    case TQ_SHAPE_SPHERE_SHELL:
        set_axial(&inertia, 2.0 / 3.0 * mass * a * a, 2.0 / 3.0 * mass * a * a);
        break;
    case TQ_SHAPE_ELLIPSOID:
        inertia.about_com[0] = 0.2 * mass * (b * b + c * c);
        inertia.about_com[3] = 0.2 * mass * (a * a + c * c);
        inertia.about_com[5] = 0.2 * mass * (a * a + b * b);
        break;
    case TQ_SHAPE_CONE:
        set_axial(&inertia, mass * (0.15 * a * a + 0.0375 * b * b), 0.3 * mass * a * a);
        break;
    case TQ_SHAPE_CAPSULE:
        set_capsule(&inertia, a, b);
        break;
    case TQ_SHAPE_DISK:
        set_axial(&inertia, 0.25 * mass * a * a, 0.5 * mass * a * a);
        break;
    case TQ_SHAPE_BAR:
        inertia.about_com[3] = inertia.about_com[5] = mass * a * a / 12.0;
        break;
    case TQ_SHAPE_POINT:
        break;
    }
    *ret_inertia = inertia;
    return TQ_OK;
}
