/* SPDX-License-Identifier: Apache-2.0 */
/* api/operations/simulate/controller.h - `input` of a simulation when it is a controller. */
#ifndef TQA_OPERATIONS_SIMULATE_CONTROLLER_H
#define TQA_OPERATIONS_SIMULATE_CONTROLLER_H

#include "api/operations/trajectory/reference.h"
#include "api/request/inertia_fields.h"
#include "core/plant/constrained_controller.h"
#include "core/plant/controller.h"
#include "core/plant/operational_controller.h"

/* Values of `kind`: first by the numbers of tq_control_law, then those of robots with constraints,
 * then by those of tq_operational_law; ends with NULL. */
extern const char *const tqa_controller_kinds[];
enum { TQA_LAW_HYBRID = TQ_LAW_PASSIVITY + 1, TQA_LAW_NONHOLONOMIC, TQA_LAW_OPERATIONAL };

/* Hints for a controller without `kind`, or without a reference. */
#define TQA_ADD_CONTROLLER_KIND                                                                    \
    "add \"kind\": \"pd-gravity\" goes to a setpoint without sag; \"pd\" sags under gravity; "     \
    "\"computed-torque\" and \"passivity-based\" follow a motion; \"feedforward\" is open loop"
#define TQA_ADD_REFERENCE                                                                          \
    "add \"reference\": {\"setpoint\": [q]}; or {\"waypoints\": [[q], [q]], \"times_s\": [0, 1], " \
    "\"timing\": \"quintic\"}; or \"poses\", \"fourier\", \"table\""

/* The controlled robot and its initial state. Borrowed while the controller lives. */
typedef struct tqa_controlled {
    const tqa_order *order;
    const tq_mechanism *mechanism; /* with all that it carries */
    const double *q, *qd;          /* (nq), (nv) at the start */
    const double *gravity;         /* (3) */
    unsigned without;              /* TQ_WITHOUT_... of the simulation */
} tqa_controlled;

/* Lives in the call's memory: do not move it once the effect is made. */
typedef struct tqa_controller {
    tqa_reference reference;
    unsigned kind;                         /* of tqa_controller_kinds */
    tq_controller core;                    /* borrowed by `effect`, up to TQ_LAW_PASSIVITY */
    tq_constrained_controller constrained; /* the same, up to TQA_LAW_NONHOLONOMIC */
    tq_operational_controller operational; /* the same, beyond */
    tq_pose goal;                          /* of a point; */
    tq_reference posture;                  /* of the joints beside it */
    tq_table force;                        /* goals of multipliers, or of forces; n_point 0: none */
    bool *pushed;                          /* (n_row) rows with a goal; NULL: none */
    tq_effect effect;
} tqa_controller;

/* Reads an object whose `kind` is one of the above. False: the problem is set. */
bool tqa_value_controller(const tqa_value *input, const tqa_controlled *plant, tqa_controller *ret);

/* The same for kinds from TQA_LAW_HYBRID on. */
bool tqa_value_constrained_controller(const tqa_value *input, const tqa_controlled *plant,
                                      tqa_controller *ret);

/* The same for kinds from TQA_LAW_OPERATIONAL on; and whether a controller is one. */
bool tqa_value_operational_controller(const tqa_value *input, const tqa_controlled *plant,
                                      tqa_controller *ret);
static inline bool tqa_controller_is_operational(const tqa_controller *controller)
{
    return controller->kind >= TQA_LAW_OPERATIONAL;
}

/* Where the columns of `values` of a force go: number k to column to[k] of n_column. */
typedef struct tqa_force_columns {
    const uint32_t *to; /* (n) */
    size_t n, n_column;
    const char *missing; /* hint for an object without `values` */
} tqa_force_columns;

/* Reads `values`, `t` and `interpolation`. */
bool tqa_value_force_table(const tqa_value *force, const tqa_force_columns *columns, tq_table *ret);

/* Whether torques depend on the state, and how often they are computed (s, 0: all the time). */
bool tqa_controller_is_closed(const tqa_controller *controller);
double tqa_controller_sample_time(const tqa_controller *controller);

/* The reference at t: position, velocity, acceleration (nq each). Joints that the
 * controller does not follow are where they are, q (nq). */
void tqa_controller_desired(const tqa_controller *controller, double t, const double *q,
                            double *ret_desired);

/* Parts of all kinds: a gain (one number, or one for each joint; >= 0), limits of torques ("robot",
 * or numbers), the reference, and the model that a law uses. */
bool tqa_value_gain(const tqa_value *part, const tqa_order *order, const double **ret);
bool tqa_value_effort_limits(const tqa_value *part, const tqa_order *order, const tq_model *model,
                             const double **ret);
bool tqa_value_controller_reference(const tqa_value *input, const tqa_controlled *plant,
                                    tqa_reference *ret);
bool tqa_value_controller_model(const tqa_value *part, const tqa_controlled *plant,
                                const tq_mechanism **ret, unsigned *ret_without);

#endif
