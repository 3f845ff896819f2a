/* SPDX-License-Identifier: Apache-2.0 */
/* core/lanes/sincos.c - sine and cosine of large angles; one object for all builds, hence the same
 * bits. */
#include "core/lanes/sincos.h"

#include "core/elementary/elementary.h"

void tq_sincos_exact(double x, double *ret_sin, double *ret_cos)
{
    *ret_sin = tq_sin(x);
    *ret_cos = tq_cos(x);
}
