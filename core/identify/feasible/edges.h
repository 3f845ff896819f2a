/* SPDX-License-Identifier: Apache-2.0 */
/* core/identify/feasible/edges.h - linear bounds of single bodies, and their part of the
 * interior-point iteration. */
#ifndef TQ_IDENTIFY_FEASIBLE_EDGES_H
#define TQ_IDENTIFY_FEASIBLE_EDGES_H

#include <stdbool.h>
#include <stddef.h>

/* A linear bound of one body: row . (its ten) + offset >= 0, and > 0 at P = 1. */
typedef struct tq_feasible_bound {
    size_t body;
    double row[10];
    double offset;
    double multiplier; /* written: d objective / d offset is minus this; 0 where it is slack */
} tq_feasible_bound;

/* ------------------------------------------------------------------------------------------------
 * The iteration: private to feasible.c
 */

/* One bound: its slack s = row . x + offset, its dual z, and the scaling w in which both are
 * lambda. */
typedef struct tq_edge {
    const tq_feasible_bound *of;
    double s, z, lambda, w, ds, dz;
} tq_edge;

/* Slacks at x, and duals mu / s; false if a slack is not positive. */
bool tq_edges_start(tq_edge *edges, size_t n_edge, const double *x, double mu);
/* Adds Hessians to the lower triangle m (n^2), gradients to dual (n); *ret_product is the sum of
 * s z. False if a slack or a dual is not positive. */
bool tq_edges_assemble(tq_edge *edges, size_t n_edge, size_t n, double *m, double *dual,
                       double *ret_product);
/* Adds the right-hand side for s z = target to dx (n); `corrects`: with the second-order terms of
 * the steps ds, dz. */
void tq_edges_right_side(tq_edge *edges, size_t n_edge, double target, bool corrects, double *dx);
/* Steps of slacks and duals; returns 1 / (the longest feasible step), or `inverse` if larger. */
double tq_edges_steps(tq_edge *edges, size_t n_edge, const double *dx, double inverse);
/* The sum of s z after such a step. */
double tq_edges_look_ahead(const tq_edge *edges, size_t n_edge, double step);
/* Slacks follow their steps: computed from x, a small one would be rounding error. */
void tq_edges_advance(tq_edge *edges, size_t n_edge, double step);

#endif
