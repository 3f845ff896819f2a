/* SPDX-License-Identifier: Apache-2.0 */
/* core/integrate/ode_table.h - Dormand-Prince pairs 8(7) and 5(4): private to this folder. */
#ifndef TQ_INTEGRATE_ODE_TABLE_H
#define TQ_INTEGRATE_ODE_TABLE_H

/* RK8(7)13M: nodes c, coefficients a (13 x 13, row by row), weights b of order 8 and d of order 7;
 * 13 stages, explicit, not FSAL. Source: P. J. Prince, J. R. Dormand, High order embedded
 * Runge-Kutta formulae, J. Comp. Appl. Math. 7(1), 1981. Checked:
 * tests/property/core/integrate/test_ode.c */
enum { TQ_DOPRI87_STAGES = 13 };
extern const double tq_dopri87_c[TQ_DOPRI87_STAGES];
extern const double tq_dopri87_a[TQ_DOPRI87_STAGES * TQ_DOPRI87_STAGES];
extern const double tq_dopri87_b[TQ_DOPRI87_STAGES];
extern const double tq_dopri87_d[TQ_DOPRI87_STAGES];

/* RK5(4)7M, likewise: weights b of order 5 and d of order 4; 7 stages, explicit, FSAL. Source: J.
 * R. Dormand, P. J. Prince, A family of embedded Runge-Kutta formulae, J. Comp. Appl. Math. 6(1),
 * 1980. */
enum { TQ_DOPRI45_STAGES = 7 };
extern const double tq_dopri45_c[TQ_DOPRI45_STAGES];
extern const double tq_dopri45_a[TQ_DOPRI45_STAGES * TQ_DOPRI45_STAGES];
extern const double tq_dopri45_b[TQ_DOPRI45_STAGES];
extern const double tq_dopri45_d[TQ_DOPRI45_STAGES];

#endif
