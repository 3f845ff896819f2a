/* SPDX-License-Identifier: Apache-2.0 */
/* api/robots/solid.c - volumes of the solid shapes, for masses that are given by a density. */
#include "api/robots/solid.h"

#include <string.h>

static const double PI = 3.14159265358979323846;

static const char *const shape_names[] = {
    [TQ_SHAPE_BOX] = "box",
    [TQ_SHAPE_CYLINDER] = "cylinder",
    [TQ_SHAPE_CYLINDER_SHELL] = "cylinder_shell",
    [TQ_SHAPE_SPHERE] = "sphere",
    [TQ_SHAPE_SPHERE_SHELL] = "sphere_shell",
    [TQ_SHAPE_ELLIPSOID] = "ellipsoid",
    [TQ_SHAPE_CONE] = "cone",
    [TQ_SHAPE_CAPSULE] = "capsule",
    [TQ_SHAPE_DISK] = "disk",
    [TQ_SHAPE_BAR] = "bar",
    [TQ_SHAPE_POINT] = "point",
};

const char tqa_shape_words[] =
    "shape is one of: box (x, y, z), cylinder (radius, length along z), cylinder_shell, sphere "
    "(radius), sphere_shell, ellipsoid (semi-axes), cone (radius, height), capsule (radius, "
    "length), disk (radius), bar (length along x), point";

bool tqa_shape_find(const char *name, tq_shape *ret)
{
    for (unsigned k = 0; k < sizeof shape_names / sizeof shape_names[0]; k++) {
        if (strcmp(name, shape_names[k]) == 0) {
            *ret = (tq_shape)k;
            return true;
        }
    }
    return false;
}

double tqa_shape_volume(tq_shape shape, const double size[3])
{
    const double square = size[0] * size[0];
    switch (shape) {
    case TQ_SHAPE_BOX:
        return size[0] * size[1] * size[2];
    case TQ_SHAPE_CYLINDER:
        return PI * square * size[1];
    case TQ_SHAPE_SPHERE:
        return 4.0 / 3.0 * PI * square * size[0];
    case TQ_SHAPE_ELLIPSOID:
        return 4.0 / 3.0 * PI * size[0] * size[1] * size[2];
    case TQ_SHAPE_CONE:
        return PI / 3.0 * square * size[1];
    case TQ_SHAPE_CAPSULE:
        return PI * square * (size[1] + 4.0 / 3.0 * size[0]);
    case TQ_SHAPE_CYLINDER_SHELL:
    case TQ_SHAPE_SPHERE_SHELL:
    case TQ_SHAPE_DISK:
    case TQ_SHAPE_BAR:
    case TQ_SHAPE_POINT:
        break;
    }
    return 0.0;
}
