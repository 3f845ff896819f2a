/* SPDX-License-Identifier: Apache-2.0 */
/* core/identify/regression/link_bounds.h - bounds of a link's mass and centre of mass in a feasible
 * fit. */
#ifndef TQ_IDENTIFY_REGRESSION_LINK_BOUNDS_H
#define TQ_IDENTIFY_REGRESSION_LINK_BOUNDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/status.h"
#include "core/identify/feasible/feasible.h"
#include "core/model/model.h"

/* Of each link: least and most of the mass, then of x, y, z of the centre of mass. */
enum { TQ_LINK_BOUNDED = 4, TQ_LINK_ENDS = 2 * TQ_LINK_BOUNDED };

/* Both are linear in the ten parameters: m >= a, and for the first moment h = m c: h - a m >= 0.
 * Minus and plus infinity: none. */
typedef struct tq_link_bounds {
    uint32_t link;
    double mass[2];   /* kg, least and most */
    double com[3][2]; /* m, in the link's frame */
    double with[4];   /* m (kg) and h (kg m) of what is fixed to the link: bounds hold for both
                         together; 0: for the link alone */
} tq_link_bounds;

/* An end that changes the fit: the fit without bounds lies beyond it, or the fit lies on it. */
typedef struct tq_active_bound {
    uint32_t link;
    uint32_t of; /* 0: mass; 1, 2, 3: x, y, z of the centre of mass */
    bool is_most;
    double end;     /* kg or m */
    double value;   /* of the fit, `with` included, */
    double without; /* and of the same fit without any bound */
    double share;   /* of what all bounds add to the objective */
} tq_active_bound;

/**
 * Check bounds of links.
 *
 * Returns  TQ_OK; TQ_ERR_RANGE "bounds" (index): no link that a joint of the robot moves by itself
 *          (the root, a link on a fixed joint), one that comes twice, a least above its most, a
 *          range of mass that leaves nothing to the link.
 */
tq_status tq_link_bounds_check(const tq_model *model, const tq_link_bounds *bounds, size_t n,
                               tq_error *reterr);

/* The same bounds, ends of one range at least 1e-6 of a mass, or 1e-6 m, apart: an interior-point
 * method needs an interior. */
tq_link_bounds tq_link_bounds_widened(const tq_link_bounds *bounds);

/* The bounds of a link among n; NULL: none. */
const tq_link_bounds *tq_link_bounds_find(const tq_link_bounds *bounds, size_t n, uint32_t link);

/* Moves a pseudo-inertia strictly into the bounds, with its moments about the centre of mass in
 * proportion to its mass: unchanged where it is a tenth of the range inside. */
void tq_link_bounds_enter(const tq_link_bounds *bounds, double inout_pseudo[16]);

/* The bounds for a body whose ten parameters are x combined by unit (10 x 10; row u: of entry u of
 * x); ends (TQ_LINK_ENDS): which, 2 of + is_most. Returns their number. */
size_t tq_link_bounds_describe(const tq_link_bounds *bounds, size_t body, const double *unit,
                               tq_feasible_bound *ret_bound, uint32_t *ret_end);

/* True if ten parameters are within, to rounding. */
bool tq_link_bounds_hold(const tq_link_bounds *bounds, const double *ten);

/* Appends the ends that change a fit: its ten parameters with and without bounds, multipliers
 * (TQ_LINK_ENDS) and objective. `share` is not scaled to a sum of 1 yet. Returns their number. */
size_t tq_link_bounds_active(const tq_link_bounds *bounds, const double *with,
                             const double *without, const double *multiplier, double objective,
                             tq_active_bound *ret);

#endif
