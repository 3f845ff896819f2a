/* SPDX-License-Identifier: Apache-2.0 */
/* core/elementary/elementary.h - elementary functions whose bits are the same on every machine. */
#ifndef TQ_ELEMENTARY_ELEMENTARY_H
#define TQ_ELEMENTARY_ELEMENTARY_H

/* Built from + - * / sqrt in double precision and integers only, which IEEE 754 and C define to the
 * last bit; the C library's functions differ between processors and versions. Domains, poles,
 * signed zeros, infinities and NaN as in C17 annex F; no flags, no errno. Errors below 1 ulp; of
 * log, log10 and hypot below 0.52 ulp. */

double tq_exp(double x);
double tq_log(double x);
double tq_log10(double x);
double tq_log1p(double x); /* log(1 + x) */
double tq_pow(double x, double y);
double tq_tanh(double x);
double tq_sin(double x);
double tq_cos(double x);
double tq_tan(double x);
double tq_atan2(double y, double x);
double tq_hypot(double x, double y); /* sqrt(x^2 + y^2) without intermediate overflow */

#endif
