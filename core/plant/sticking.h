/* SPDX-License-Identifier: Apache-2.0 */
/* core/plant/sticking.h - which joints and tendons dry friction can hold, and their modes. */
#ifndef TQ_PLANT_STICKING_H
#define TQ_PLANT_STICKING_H

#include "core/model/model.h"

/* Mode of a joint, or behind the joints of a tendon, in tq_trajectories.mode. */
enum {
    TQ_MODE_FREE = 0,   /* friction by its own formula */
    TQ_MODE_PLUS = 1,   /* slips: dry friction of a positive velocity, independent of qd */
    TQ_MODE_MINUS = -1, /* slips: dry friction of a negative velocity */
    TQ_MODE_STUCK = 2,  /* held by dry friction: zero acceleration */
    TQ_MODE_LOWER = 3,  /* rests on its lower limit: zero acceleration */
    TQ_MODE_UPPER = 4,
};

/* True if a joint can stick: one dof of its own, dry friction without smoothing. */
int tq_can_stick(const tq_joint *joint);

/* The same of a tendon, of at most TQ_STUCK_TENDONS_MAX with dry friction in the model. */
enum { TQ_STUCK_TENDONS_MAX = 64 };
int tq_tendon_can_stick(const tq_model *model, uint32_t tendon);

/* Magnitude of dry friction at a speed, N m or N. */
double tq_dry_friction(const tq_friction *friction, double speed);

/* Tendons that can stick, or 0 where they are more than that. */
size_t tq_sticking_tendons(const tq_model *model);

#endif
