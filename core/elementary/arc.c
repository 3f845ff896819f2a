/* SPDX-License-Identifier: Apache-2.0 */
/* core/elementary/arc.c - atan2, and hypot. */
#include <float.h>
#include <math.h>

#include "core/elementary/elementary.h"
#include "core/elementary/twofold.h"

/* atan(j / 32) */
static const twofold arc_of[33] = {
    {0.0, 0.0},
    {0x1.ffd55bba97625p-6, -0x1.5ec431444912cp-60},
    {0x1.ff55bb72cfdeap-5, -0x1.c934d86d23f1dp-60},
    {0x1.7ee182602f10fp-4, -0x1.cfb654c0c3d98p-58},
    {0x1.fd5ba9aac2f6ep-4, -0x1.cd37686760c17p-59},
    {0x1.3d6eee8c6626cp-3, 0x1.61a3b0ce9281bp-57},
    {0x1.7b97b4bce5b02p-3, 0x1.347b0b4f881cap-58},
    {0x1.b90d7529260a2p-3, 0x1.17b10d2e0e5abp-61},
    {0x1.f5b75f92c80ddp-3, 0x1.8ab6e3cf7afbdp-57},
    {0x1.18bf5a30bf178p-2, 0x1.30ca4748b1bf9p-57},
    {0x1.362773707ebccp-2, -0x1.963a544b672d8p-57},
    {0x1.530ad9951cd4ap-2, -0x1.2566480884082p-57},
    {0x1.6f61941e4def1p-2, -0x1.c63aae6f6e918p-56},
    {0x1.8b24d394a1b25p-2, 0x1.b6d0ba3748fa8p-56},
    {0x1.a64eec3cc23fdp-2, -0x1.24dec1b50b7ffp-56},
    {0x1.c0db4c94ec9f0p-2, -0x1.cc1ce70934c34p-56},
    {0x1.dac670561bb4fp-2, 0x1.a2b7f222f65e2p-56},
    {0x1.f40dd0b541418p-2, -0x1.a3992dc382a23p-57},
    {0x1.0657e94db30d0p-1, -0x1.d5b495f6349e6p-56},
    {0x1.1255d9bfbd2a9p-1, -0x1.2bdaee1c0ee35p-58},
    {0x1.1e00babdefeb4p-1, -0x1.928df287a668fp-58},
    {0x1.2958e59308e31p-1, -0x1.09e73b0c6c087p-56},
    {0x1.345f01cce37bbp-1, 0x1.1021137c71102p-55},
    {0x1.3f13fb89e96f4p-1, 0x1.ecf8b492644f0p-56},
    {0x1.4978fa3269ee1p-1, 0x1.2419a87f2a458p-56},
    {0x1.538f57b89061fp-1, -0x1.1bb74abda520cp-55},
    {0x1.5d58987169b18p-1, 0x1.0028e4bc5e7cap-57},
    {0x1.66d663923e087p-1, -0x1.6ea6febe8bbbap-56},
    {0x1.700a7c5784634p-1, -0x1.8c34d25aadef6p-56},
    {0x1.78f6bbd5d315ep-1, 0x1.406a089803740p-55},
    {0x1.819d0b7158a4dp-1, -0x1.bf76229d3b917p-56},
    {0x1.89ff5ff57f1f8p-1, -0x1.55b9a5e177a1bp-55},
    {0x1.921fb54442d18p-1, 0x1.1a62633145c07p-55},
};
static const twofold half_turn = {0x1.921fb54442d18p+1, 0x1.1a62633145c07p-53};

/* |t| <= 1/8: atan t - t by a Chebyshev fit within 1e-20 */
static inline double arc_rest(double t)
{
    const double z = t * t, zz = z * z;
    const double a = -0x1.5555555555555p-2 + z * 0x1.9999999999998p-3;
    const double b = -0x1.2492492491c35p-3 + z * 0x1.c71c71c5048c5p-4;
    const double c = -0x1.745d153686e51p-4 + z * 0x1.3b129727dd376p-4;
    const double d = -0x1.10bd47b9e32eep-4 + z * 0x1.c7d106100b6bdp-5;
    return t * z * ((a + zz * b) + zz * zz * (c + zz * d));
}

/* 0 <= q <= 1: atan q = atan c + atan((q - c) / (1 + q c)), c the multiple of 1/32 nearest to q */
static twofold arc_of_ratio(twofold q)
{
    if (q.hi < 0.125) {
        return sum_of_ordered(q.hi, q.lo + arc_rest(q.hi));
    }
    const double j = rint(32.0 * q.hi);
    const double c = j * 0.03125;
    const double t = ((q.hi - c) + q.lo) / (1.0 + q.hi * c); /* q.hi - c is exact */
    const twofold at = arc_of[(size_t)j];
    return sum_of_ordered(at.hi, at.lo + (t + arc_rest(t)));
}

static double arc_of_special(double y, double x)
{
    if (x != x || y != y) {
        return x + y;
    }
    const double pi = half_turn.hi;
    if (y == 0.0) {
        return copysign(signbit(x) ? pi : 0.0, y);
    }
    if (fabs(y) <= DBL_MAX) { /* and x = 0 or infinite */
        return copysign(x == 0.0 ? 0.5 * pi : x > 0.0 ? 0.0 : pi, y);
    }
    return copysign(fabs(x) <= DBL_MAX ? 0.5 * pi : x > 0.0 ? 0.25 * pi : 0.75 * pi, y);
}

/* power of two that scales both arguments so that the larger is near 1 */
static double scale_of(double larger)
{
    return larger > 0x1p500 ? 0x1p-600 : larger < 0x1p-400 ? 0x1p600 : 1.0;
}

double tq_atan2(double y, double x)
{
    const double a = fabs(y), b = fabs(x);
    if (!(a > 0.0 && a <= DBL_MAX && b > 0.0 && b <= DBL_MAX)) {
        return arc_of_special(y, x);
    }
    const int steep = a > b;
    const double small = steep ? b : a, large = steep ? a : b;
    twofold arc;
    if (small < large * 0x1p-300) {
        arc = (twofold){small / large, 0.0}; /* outside the range of exact products; accurate
                                                enough */
    } else {
        const double scale = scale_of(large);
        arc =
            arc_of_ratio(quotient_of((twofold){small * scale, 0.0}, (twofold){large * scale, 0.0}));
    }
    if (!steep && x > 0.0) {
        return copysign(arc.hi + arc.lo, y);
    }
    const double part = steep ? 0.5 : 1.0; /* of half a turn */
    const double sign = steep && x < 0.0 ? 1.0 : -1.0;
    const twofold s = sum_of_ordered(part * half_turn.hi, sign * arc.hi);
    return copysign(s.hi + (s.lo + (part * half_turn.lo + sign * arc.lo)), y);
}

double tq_hypot(double x, double y)
{
    double a = fabs(x), b = fabs(y);
    if (!(a <= DBL_MAX && b <= DBL_MAX)) {
        return a > DBL_MAX || b > DBL_MAX ? HUGE_VAL : x + y;
    }
    if (a < b) {
        const double was = a;
        a = b;
        b = was;
    }
    if (b <= a * 0x1p-60) {
        return a; /* the square of b / a is below half an ulp */
    }
    const double scale = scale_of(a);
    a *= scale;
    b *= scale;
    /* Newton's step from the square root of the leading word */
    const twofold aa = product_of(a, a), bb = product_of(b, b);
    const twofold s = sum_of_ordered(aa.hi, bb.hi);
    const double root = sqrt(s.hi);
    const twofold back = product_of(root, root);
    const double rest = ((s.hi - back.hi) - back.lo) + (s.lo + (aa.lo + bb.lo));
    return (root + 0.5 * rest / root) / scale;
}
