/* SPDX-License-Identifier: Apache-2.0 */
/* core/elementary/logarithm.c - logarithms in two words, and powers. */
#include <float.h>
#include <math.h>

#include "core/elementary/elementary.h"
#include "core/elementary/exponential.h"

/* c, a multiple of 2^-8 near 1 / m for m in one of 128 intervals of [0.703, 1.406), and -log c in
 * two words, the first a multiple of 2^-42. Intervals around 1 have c = 1: no cancellation in log x
 * near 1. */
static const struct {
    double c;
    twofold log;
} near_inverse[128] = {
    {1.41015625, {-0x1.5ff3070a79000p-2, -0x1.e9e439f105039p-45}},
    {1.40234375, {-0x1.5a42ab0f4d000p-2, 0x1.e63af2df7ba69p-50}},
    {1.39453125, {-0x1.548a2c3add000p-2, -0x1.3167e63081cf7p-45}},
    {1.38671875, {-0x1.4ec9732600000p-2, -0x1.34d7aaf04d104p-45}},
    {1.37890625, {-0x1.4900680401000p-2, 0x1.8bccffe1a0f8cp-44}},
    {1.37109375, {-0x1.432ef2a04f000p-2, 0x1.fb129931715adp-44}},
    {1.3671875, {-0x1.404308686a000p-2, -0x1.f8ef43049f7d3p-44}},
    {1.359375, {-0x1.3a64c55694000p-2, -0x1.7a71cbcd735d0p-44}},
    {1.3515625, {-0x1.347dd9a988000p-2, 0x1.5594dd4c58092p-45}},
    {1.34375, {-0x1.2e8e2bae12000p-2, 0x1.67b1e99b72bd8p-45}},
    {1.3359375, {-0x1.2895a13de8000p-2, -0x1.a8d7ad24c13f0p-44}},
    {1.328125, {-0x1.22941fbcf8000p-2, 0x1.a6976f5eb0963p-44}},
    {1.32421875, {-0x1.1f8ff9e48a000p-2, -0x1.7946c040cbe77p-45}},
    {1.31640625, {-0x1.1980d2dd42000p-2, -0x1.b7b3a7a361c9ap-45}},
    {1.30859375, {-0x1.136870293b000p-2, 0x1.d3e8499d67123p-44}},
    {1.3046875, {-0x1.1058bf9ae5000p-2, 0x1.4ab9d817d52cdp-44}},
    {1.296875, {-0x1.0a324e2739000p-2, -0x1.c6bee7ef4030ep-47}},
    {1.2890625, {-0x1.0402594b4d000p-2, -0x1.036b89ef42d7fp-48}},
    {1.28515625, {-0x1.00e6c45ad5000p-2, -0x1.cc68d52e01203p-50}},
    {1.27734375, {-0x1.f550a564b8000p-3, 0x1.323e3a09202fep-45}},
    {1.26953125, {-0x1.e8c0252aa6000p-3, 0x1.6805b80e8e6ffp-45}},
    {1.265625, {-0x1.e27076e2b0000p-3, 0x1.a342c2af0003cp-44}},
    {1.2578125, {-0x1.d5c216b4fc000p-3, 0x1.1ba91bbca681bp-45}},
    {1.25, {-0x1.c8ff7c79aa000p-3, 0x1.7794f689f8434p-45}},
    {1.24609375, {-0x1.c2968558c2000p-3, 0x1.cfd73dee38a40p-45}},
    {1.23828125, {-0x1.b5b519e8fc000p-3, 0x1.4b722ec011f31p-44}},
    {1.234375, {-0x1.af3c94e80c000p-3, 0x1.a4e633fcd9066p-52}},
    {1.2265625, {-0x1.a23bc1fe2c000p-3, 0x1.539cd91dc9f0bp-44}},
    {1.22265625, {-0x1.9bb362e7e0000p-3, 0x1.1f2a8a1ce0ffcp-45}},
    {1.21484375, {-0x1.8e928de886000p-3, -0x1.a8154b13d72d5p-44}},
    {1.2109375, {-0x1.87fa06520c000p-3, -0x1.22120401202fcp-44}},
    {1.203125, {-0x1.7ab890210e000p-3, 0x1.bdb9072534a58p-45}},
    {1.19921875, {-0x1.740f8f5404000p-3, 0x1.0b66c99018aa1p-44}},
    {1.1953125, {-0x1.6d60fe719e000p-3, 0x1.bc6e557134767p-44}},
    {1.1875, {-0x1.5ff3070a7a000p-3, 0x1.8586f183bebf2p-44}},
    {1.18359375, {-0x1.59338d9982000p-3, -0x1.0ba68b7555d4ap-48}},
    {1.17578125, {-0x1.4ba36f39a6000p-3, 0x1.4354bb3f219e5p-44}},
    {1.171875, {-0x1.44d2b6ccb8000p-3, 0x1.70cc16135783cp-46}},
    {1.16796875, {-0x1.3dfc2b0ecc000p-3, -0x1.8a72a62b8c13fp-45}},
    {1.16015625, {-0x1.303d718e48000p-3, 0x1.680b5ce3ecb05p-50}},
    {1.15625, {-0x1.29552f8200000p-3, 0x1.5b967f4471dfcp-44}},
    {1.15234375, {-0x1.2266f190a6000p-3, 0x1.4d20ab840e7f6p-45}},
    {1.14453125, {-0x1.1478584674000p-3, -0x1.563451027c750p-46}},
    {1.140625, {-0x1.0d77e7cd08000p-3, -0x1.cb2cd2ee2f482p-44}},
    {1.13671875, {-0x1.0671512ca6000p-3, 0x1.a47579cdc0a3dp-45}},
    {1.12890625, {-0x1.f0a30c0118000p-4, 0x1.d599e83368e91p-44}},
    {1.125, {-0x1.e27076e2b0000p-4, 0x1.a342c2af0003cp-45}},
    {1.12109375, {-0x1.d4313d66cc000p-4, 0x1.9454379135713p-45}},
    {1.1171875, {-0x1.c5e548f5bc000p-4, -0x1.d0c57585fbe06p-46}},
    {1.109375, {-0x1.a926d3a4ac000p-4, -0x1.563650bd22a9cp-44}},
    {1.10546875, {-0x1.9ab4246204000p-4, 0x1.8a64826787061p-45}},
    {1.1015625, {-0x1.8c345d6318000p-4, -0x1.b20f5acb42a66p-44}},
    {1.09765625, {-0x1.7da766d7b0000p-4, -0x1.2cc844480c89bp-44}},
    {1.08984375, {-0x1.60658a9374000p-4, -0x1.0c3b1dee9c4f8p-44}},
    {1.0859375, {-0x1.51b073f060000p-4, -0x1.83f69278e686ap-44}},
    {1.08203125, {-0x1.42edcbea64000p-4, -0x1.bc0eeea7c9acdp-46}},
    {1.078125, {-0x1.341d7961bc000p-4, -0x1.1d09299837610p-44}},
    {1.07421875, {-0x1.253f62f0a0000p-4, -0x1.416f8fb69a701p-44}},
    {1.0703125, {-0x1.16536eea38000p-4, 0x1.47c5e768fa309p-46}},
    {1.0625, {-0x1.f0a30c0118000p-5, 0x1.d599e83368e91p-45}},
    {1.05859375, {-0x1.d276b8adb0000p-5, -0x1.6a423c78a64b0p-46}},
    {1.0546875, {-0x1.b42dd71198000p-5, 0x1.c827ae5d6704cp-46}},
    {1.05078125, {-0x1.95c830ec90000p-5, 0x1.c148297c5feb8p-45}},
    {1.046875, {-0x1.77458f6330000p-5, 0x1.181dce586af09p-44}},
    {1.04296875, {-0x1.58a5bafc90000p-5, 0x1.b2b739570ad39p-45}},
    {1.0390625, {-0x1.39e87b9fe8000p-5, -0x1.eafd480ad9015p-44}},
    {1.03515625, {-0x1.1b0d989240000p-5, 0x1.3401e9ae889bbp-44}},
    {1.03125, {-0x1.f829b0e780000p-6, -0x1.980267c7e09e4p-45}},
    {1.02734375, {-0x1.b9fc027b00000p-6, 0x1.b9a010ae6922ap-44}},
    {1.0234375, {-0x1.7b91b07d60000p-6, 0x1.3b955b602ace4p-44}},
    {1.01953125, {-0x1.3cea443470000p-6, 0x1.6a2c432d6a40bp-44}},
    {1.015625, {-0x1.fc0a8b0fc0000p-7, -0x1.f1e7cf6d3a69cp-50}},
    {1.01171875, {-0x1.7dc475f820000p-7, 0x1.eb1245b5da1f5p-44}},
    {1.0078125, {-0x1.fe02a6b100000p-8, -0x1.9e23f0dda40e4p-46}},
    {1.0, {0.0, 0.0}},
    {1.0, {0.0, 0.0}},
    {0.98828125, {0x1.82448a3880000p-7, 0x1.4554412c584e0p-44}},
    {0.98046875, {0x1.432a925980000p-6, 0x1.98139928637fep-47}},
    {0.97265625, {0x1.c63d2ec150000p-6, -0x1.5439ce030a687p-44}},
    {0.96484375, {0x1.252f32f8d0000p-5, 0x1.83e9ae021b67bp-45}},
    {0.95703125, {0x1.67c94f2d48000p-5, 0x1.dac20827cca0cp-44}},
    {0.953125, {0x1.894aa149f8000p-5, 0x1.9a19a8be97661p-44}},
    {0.9453125, {0x1.ccb73cddd8000p-5, 0x1.965c36e09f5fep-44}},
    {0.9375, {0x1.08598b59e4000p-4, -0x1.7e5dd7009902cp-46}},
    {0.9296875, {0x1.2aa04a4470000p-4, 0x1.7a48ba8b1cb41p-44}},
    {0.92578125, {0x1.3bdf5a7d20000p-4, -0x1.19bd0ad125895p-44}},
    {0.91796875, {0x1.5e95a4d978000p-4, 0x1.1cb7ce1d17171p-44}},
    {0.91015625, {0x1.8197e2f410000p-4, -0x1.c0fe460d20041p-44}},
    {0.90625, {0x1.9335e5d594000p-4, 0x1.3115c3abd47dap-45}},
    {0.8984375, {0x1.b6ac88dad4000p-4, 0x1.b1bdff50225c7p-44}},
    {0.890625, {0x1.da72763844000p-4, 0x1.a89401fa71733p-46}},
    {0.88671875, {0x1.ec739830a0000p-4, 0x1.11fcba80cdd10p-44}},
    {0.87890625, {0x1.08598b59e4000p-3, -0x1.7e5dd7009902cp-45}},
    {0.875, {0x1.1178e8227e000p-3, 0x1.1ef78ce2d07f2p-45}},
    {0.8671875, {0x1.23d712a49c000p-3, 0x1.00d238fd3df5cp-46}},
    {0.86328125, {0x1.2d1610c868000p-3, 0x1.39d6ccb81b4a1p-47}},
    {0.85546875, {0x1.3fb45a5992000p-3, 0x1.19713c0cae559p-44}},
    {0.8515625, {0x1.4913d8333c000p-3, -0x1.53e43558124c4p-44}},
    {0.84375, {0x1.5bf406b544000p-3, -0x1.27023eb68981cp-46}},
    {0.83984375, {0x1.6574ebe8c2000p-3, -0x1.98c1d34f0f462p-44}},
    {0.83203125, {0x1.7898d85444000p-3, 0x1.8e67be3dbaf3fp-44}},
    {0.828125, {0x1.823c16551a000p-3, 0x1.e0ddb9a631e83p-46}},
    {0.82421875, {0x1.8beafeb390000p-3, -0x1.73d54aae92cd1p-47}},
    {0.81640625, {0x1.9f6c40708a000p-3, -0x1.337d94bcd3f43p-44}},
    {0.8125, {0x1.a93ed3c8ae000p-3, -0x1.8724350562169p-45}},
    {0.80859375, {0x1.b31d8575bc000p-3, 0x1.c794e562a63cbp-44}},
    {0.80078125, {0x1.c6ffbc6f00000p-3, 0x1.ee138d3a69d43p-44}},
    {0.796875, {0x1.d1037f2656000p-3, -0x1.84a7e75b6f6e4p-47}},
    {0.79296875, {0x1.db13db0d48000p-3, 0x1.2806a847527e6p-44}},
    {0.7890625, {0x1.e530effe72000p-3, -0x1.fdbdbb13f7c18p-44}},
    {0.78125, {0x1.f991c6cb3c000p-3, -0x1.90d04cd7cc834p-44}},
    {0.77734375, {0x1.01eae5626c000p-2, 0x1.a43dcfade85aep-44}},
    {0.7734375, {0x1.07138604d6000p-2, -0x1.e76324e912b17p-44}},
    {0.76953125, {0x1.0c42d67616000p-2, 0x1.7188b163ceae9p-45}},
    {0.765625, {0x1.1178e8227e000p-2, 0x1.1ef78ce2d07f2p-44}},
    {0.7578125, {0x1.1bf99635a7000p-2, -0x1.1ac89575c2125p-44}},
    {0.75390625, {0x1.214456d0ec000p-2, -0x1.caf0428b728a3p-44}},
    {0.75, {0x1.269621134e000p-2, -0x1.1b61f10522625p-44}},
    {0.74609375, {0x1.2bef07cdc9000p-2, 0x1.a9cfa4a5004f4p-45}},
    {0.7421875, {0x1.314f1e1d36000p-2, -0x1.8e27ad3213cb8p-45}},
    {0.73828125, {0x1.36b6776be1000p-2, 0x1.16ecdb0f177c8p-46}},
    {0.734375, {0x1.3c25277333000p-2, 0x1.83b54b606bd5cp-46}},
    {0.73046875, {0x1.419b423d5f000p-2, -0x1.ce379226de3ecp-44}},
    {0.7265625, {0x1.4718dc271c000p-2, 0x1.06c18fb4c14c5p-44}},
    {0.72265625, {0x1.4c9e09e173000p-2, -0x1.e20891b0ad8a4p-45}},
    {0.71875, {0x1.522ae0738a000p-2, 0x1.ebe708164c759p-45}},
    {0.71484375, {0x1.57bf753c8d000p-2, 0x1.fadedee5d40efp-46}},
    {0.7109375, {0x1.5d5bddf596000p-2, -0x1.a0b2a08a465dcp-47}},
};
static const uint64_t least_mantissa = UINT64_C(0x3fe6a00000000000); /* 0.703125 */

/* log(1 + r) = r - r^2/2 + r^3 (1/3 - r/4 + ...), |r| <= 2^-7, to about 2^-68 */
static inline twofold log_near_one(twofold r)
{
    const double x = r.hi, xx = x * x;
    const double a = 1.0 / 3.0 - x * 0.25;
    const double b = 1.0 / 5.0 - x * (1.0 / 6.0);
    const double c = 1.0 / 7.0 - x * 0.125;
    const double d = 1.0 / 9.0 - x * 0.1;
    const double series = a + xx * (b + xx * (c + xx * d));
    const twofold square = product_of(x, x);
    const twofold s = sum_of_ordered(x, -0.5 * square.hi);
    return (twofold){s.hi, s.lo + (r.lo - x * r.lo - 0.5 * square.lo + xx * x * series)};
}

/* x > 0 and finite, x = 2^k m: log x = k ln2 - log c + log(1 + (m c - 1)) */
static inline twofold log_of(double x)
{
    uint64_t bits = bits_of_number(x);
    int64_t k = 0;
    if (bits < UINT64_C(1) << 52) { /* subnormal */
        bits = bits_of_number(x * 0x1p54);
        k = -54;
    }
    const uint64_t from = bits - least_mantissa;
    const int64_t exponent = (int64_t)from >> 52;
    const uint64_t mantissa = bits - ((uint64_t)exponent << 52);
    const size_t j = (size_t)(from >> 45 & 127);
    k += exponent;

    /* both products are exact, and so is the difference: c has 9 bits, the high part 32 */
    const double m = number_of_bits(mantissa);
    const double high = number_of_bits(mantissa & ~UINT64_C(0x1fffff));
    const double c = near_inverse[j].c;
    const twofold near = log_near_one(sum_of(high * c - 1.0, (m - high) * c));
    /* exact: multiples of 2^-42 below 2^10 */
    const double far = (double)k * 0x1.62e42fefa38p-1 + near_inverse[j].log.hi;
    const twofold s = sum_of(far, near.hi);
    const double rest = (double)k * 0x1.ef35793c7673p-45 + near_inverse[j].log.lo;
    return sum_of_ordered(s.hi, s.lo + (near.lo + rest));
}

/* log of a number that is not positive and finite */
static double log_beyond(double x)
{
    return x == 0.0 ? -HUGE_VAL : x > 0.0 || x != x ? x : (double)NAN;
}

static int is_positive_finite(double x)
{
    return x > 0.0 && x <= DBL_MAX;
}

double tq_log(double x)
{
    return is_positive_finite(x) ? log_of(x).hi : log_beyond(x);
}

double tq_log10(double x)
{
    if (!is_positive_finite(x)) {
        return log_beyond(x);
    }
    const twofold l = log_of(x);
    const twofold p = product_of(l.hi, 0x1.bcb7b1526e50ep-2); /* 1 / log 10 */
    return p.hi + (p.lo + (l.hi * 0x1.95355baaafad3p-57 + l.lo * 0x1.bcb7b1526e50ep-2));
}

double tq_log1p(double x)
{
    const twofold u = sum_of(1.0, x);
    if (!is_positive_finite(u.hi)) {
        return log_beyond(u.hi);
    }
    if (fabs(x) < 0x1p-53) {
        return x;
    }
    const twofold l = log_of(u.hi);
    return l.hi + (l.lo + u.lo / u.hi);
}

/* Parity of a number that is not NaN: 1 odd, 0 even, -1 not an integer. */
static int parity_of(double y)
{
    const double size = fabs(y);
    if (size >= 0x1p53) {
        return 0;
    }
    return floor(size) != size ? -1 : (int)((uint64_t)size & 1);
}

/* x^y = exp(y log x), the exponent to 2^-58 */
static double power_of_positive(double x, double y)
{
    if (fabs(y) < 0x1p-65 || x == 1.0) {
        return 1.0;
    }
    if (fabs(y) > 0x1p66) {
        return (x > 1.0) == (y > 0.0) ? HUGE_VAL : 0.0;
    }
    const twofold l = log_of(x);
    const twofold p = product_of(y, l.hi);
    return tq_exp_of_twofold((twofold){p.hi, p.lo + y * l.lo});
}

double tq_pow(double x, double y)
{
    if (y == 0.0 || x == 1.0) {
        return 1.0;
    }
    if (x != x || y != y) {
        return x + y;
    }
    const double size = fabs(x);
    const int parity = signbit(x) ? parity_of(y) : 0;
    const double sign = parity == 1 ? -1.0 : 1.0;
    if (size == 0.0 || size > DBL_MAX) {
        return sign * ((size == 0.0) == (y > 0.0) ? 0.0 : HUGE_VAL);
    }
    return parity < 0 ? (double)NAN : sign * power_of_positive(size, y);
}
