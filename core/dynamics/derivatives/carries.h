/* SPDX-License-Identifier: Apache-2.0 */
/* core/dynamics/derivatives/carries.h - which dof of a joint moves the screw of another one. */
#ifndef TQ_DYNAMICS_DERIVATIVES_CARRIES_H
#define TQ_DYNAMICS_DERIVATIVES_CARRIES_H

#include <stdbool.h>
#include <stdint.h>

#include "core/model/model.h"

/* Whether dof number `by` of a joint moves the screw of dof `what` of the same joint: the rotation
 * axis of a planar joint moves with its translations, but not the reverse. */
static inline bool tq_freedom_carries(const tq_joint *joint, uint32_t by, uint32_t what)
{
    return joint->kind != TQ_JOINT_PLANAR || by < 2 || what == 2;
}

#endif
