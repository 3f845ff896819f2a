/* SPDX-License-Identifier: Apache-2.0 */
/* api/robots/solid.c - volumes of the solid shapes, for masses that are given by a density. */
#include "api/robots/solid.h"

#include <math.h>
#include <string.h>

const char *const tqa_shape_names[] = {
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
    NULL,
};

const char tqa_shape_words[] =
    "shape is one of: box (x, y, z), cylinder (radius, length along z), cylinder_shell, sphere "
    "(radius), sphere_shell, ellipsoid (semi-axes), cone (radius, height), capsule (radius, "
    "length), disk (radius), bar (length along x), point";

bool tqa_shape_find(const char *name, tq_shape *ret)
{
    for (unsigned k = 0; tqa_shape_names[k] != NULL; k++) {
        if (strcmp(name, tqa_shape_names[k]) == 0) {
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
        return M_PI * square * size[1];
    case TQ_SHAPE_SPHERE:
        return 4.0 / 3.0 * M_PI * square * size[0];
    case TQ_SHAPE_ELLIPSOID:
        return 4.0 / 3.0 * M_PI * size[0] * size[1] * size[2];
    case TQ_SHAPE_CONE:
        return M_PI / 3.0 * square * size[1];
    case TQ_SHAPE_CAPSULE:
        return M_PI * square * (size[1] + 4.0 / 3.0 * size[0]);
    case TQ_SHAPE_CYLINDER_SHELL:
    case TQ_SHAPE_SPHERE_SHELL:
    case TQ_SHAPE_DISK:
    case TQ_SHAPE_BAR:
    case TQ_SHAPE_POINT:
        break;
    }
    return 0.0;
}
