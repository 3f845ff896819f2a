/* SPDX-License-Identifier: Apache-2.0 */
/* core/kernels/symbols.h - prototypes of the kernels of the build being compiled; see table.h. */
#ifndef TQ_KERNELS_SYMBOLS_H
#define TQ_KERNELS_SYMBOLS_H

#include "core/kernels/block.h"
#include "core/kernels/path/path.h"
#include "core/lanes/build.h"
#include "core/model/canonical.h"

void TQ_KERNEL(tq_rnea)(const tq_canonical *c, const tq_kernel_input *in, double *work,
                        double *ret_tau);
int TQ_KERNEL(tq_crba)(const tq_canonical *c, const tq_kernel_input *in, double *work,
                       const int32_t *rows, long n_row, double *ret_m);
int TQ_KERNEL(tq_coriolis)(const tq_canonical *c, const tq_kernel_input *in, double *work,
                           const int32_t *rows, long n_row, double *ret_c);
void TQ_KERNEL(tq_aba)(const tq_canonical *c, const tq_kernel_input *in, double *work,
                       double *ret_qdd, tq_kernel_fault *ret_fault);
int TQ_KERNEL(tq_regressor)(const tq_canonical *c, const tq_kernel_input *in, double *work,
                            const int32_t *rows, int again, double *ret_y);
void TQ_KERNEL(tq_fold)(long n, const int64_t *offset, double *x, double *r);
void TQ_KERNEL(tq_contract)(long n, const int64_t *offset, const double *weights, const double *x,
                            double *ret);
void TQ_KERNEL(tq_triangle)(long n, double *r, double *x);
void TQ_KERNEL(tq_sections)(long n_section, const double *coefficients, long n, double *x,
                            int backward);
void TQ_KERNEL(tq_kinematics)(const tq_canonical *c, const tq_kernel_input *in, double *work,
                              double *ret_poses, long pose_stride);
void TQ_KERNEL(tq_energy)(const tq_canonical *c, const tq_kernel_input *in, double *work,
                          double *ret_energy);
int TQ_KERNEL(tq_derivatives)(const tq_canonical *c, const tq_kernel_input *in, double *work,
                              const int32_t *rows, long n_row, double *ret_d);
int TQ_KERNEL(tq_second_derivatives)(const tq_canonical *c, const tq_kernel_input *in, double *work,
                                     const int32_t *rows, long n_row, double *ret);
void TQ_KERNEL(tq_momentum)(const tq_canonical *c, const tq_kernel_input *in,
                            const tq_kernel_masses *masses, double *work, double *ret_momentum);
void TQ_KERNEL(tq_transpose)(long n_row, long n_column, const double *from, long pitch, double *to,
                             long stride);
void TQ_KERNEL(tq_aba_varied)(const tq_canonical *c, const tq_kernel_input *in, double *work,
                              double *ret_qdd, tq_kernel_fault *ret_fault);
void TQ_KERNEL(tq_combine)(const tq_kernel_sum *in, double *ret);
void TQ_KERNEL(tq_path_rows_of)(const tq_path_interval *in, tq_path_rows *ret);
int TQ_KERNEL(tq_path_range)(const tq_path_rows *rows, double start, double ret[2]);
double TQ_KERNEL(tq_path_upper)(const tq_path_rows *rows, double x);
double TQ_KERNEL(tq_path_use)(const tq_path_interval *in, double *ret_use, double *ret_high);
void TQ_KERNEL(tq_path_spline)(const tq_path_cubic *in, long n, const double *part, double *ret_x,
                               double *ret_slope, double *ret_bend);
#if TQ_LANES >= 4 /* this build computes a single sample with its joints or columns in the lanes */
void TQ_KERNEL(tq_sines)(const tq_canonical *c, const double *q, long stride, double *ret_cs);
int TQ_KERNEL(tq_crba_one)(const tq_canonical *c, const tq_kernel_input *in, double *work,
                           const int32_t *rows, long n_row, double *ret_m);
#endif
#ifdef TQ_WIDE /* one lane: names the build with lanes for a single sample */
void TQ_KERNEL_EXPAND(tq_sines, TQ_WIDE)(const tq_canonical *c, const double *q, long stride,
                                         double *ret_cs);
int TQ_KERNEL_EXPAND(tq_crba_one, TQ_WIDE)(const tq_canonical *c, const tq_kernel_input *in,
                                           double *work, const int32_t *rows, long n_row,
                                           double *ret_m);
#endif
int TQ_KERNEL(tq_finite)(long n_row, long n_sample, long stride, const double *x);
int TQ_KERNEL(tq_steady)(long n, const double *x, double most);
int TQ_KERNEL(tq_unit)(long n_sample, long stride, const double *quaternion, double tolerance);

#endif
