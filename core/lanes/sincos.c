/* SPDX-License-Identifier: Apache-2.0 */
/* core/lanes/sincos.c - the rare large angle, by the C library; one object, so one set of bits. */
#include "core/lanes/sincos.h"

/* apart, so that no compiler merges the two calls into a sincos of its own choice */
static __attribute__((noinline)) double sine(double x)
{
    return sin(x);
}

static __attribute__((noinline)) double cosine(double x)
{
    return cos(x);
}

void tq_sincos_exact(double x, double *ret_sin, double *ret_cos)
{
    *ret_sin = sine(x);
    *ret_cos = cosine(x);
}
