/* SPDX-License-Identifier: Apache-2.0 */
/* core/model/doctor.h - plausibility checks of a model: allowed, but probably a mistake. */
#ifndef TQ_MODEL_DOCTOR_H
#define TQ_MODEL_DOCTOR_H

#include <stddef.h>
#include <stdint.h>

#include "core/base/scratch.h"
#include "core/base/status.h"
#include "core/model/model.h"

/* One row per finding: enum, about a link or a joint, text. Append only. */
#define TQ_DOCTOR_LIST(X)                                                                          \
    X(TQ_DOCTOR_NO_MASS, LINK, "has a moment of inertia but no mass")                              \
    X(TQ_DOCTOR_NOT_DEFINITE, LINK,                                                                \
      "no body has this inertia: a principal moment is negative (smallest, kg m^2)")               \
    X(TQ_DOCTOR_TRIANGLE, LINK,                                                                    \
      "no body has this inertia: a principal moment exceeds the sum of the two others (margin)")   \
    X(TQ_DOCTOR_INERTIA_LARGE, LINK,                                                               \
      "the inertia is far too large for this mass: is it in kg mm^2? (radius of gyration, m)")     \
    X(TQ_DOCTOR_INERTIA_SMALL, LINK,                                                               \
      "the inertia is far too small for this mass and size (radius of gyration, m)")               \
    X(TQ_DOCTOR_COM_FAR, LINK,                                                                     \
      "the centre of mass is far outside the robot: is it in millimetres? (distance, m)")          \
    X(TQ_DOCTOR_DENSE, LINK,                                                                       \
      "is denser than any metal for a robot of this size: is it in grams? (mass, kg)")             \
    X(TQ_DOCTOR_ORIGIN_FAR, JOINT,                                                                 \
      "lies very far from its parent: is the origin in millimetres? (distance, m)")                \
    X(TQ_DOCTOR_LIMITS, JOINT, "its lower limit is above its upper limit (lower)")                 \
    X(TQ_DOCTOR_FRICTION, JOINT, "its friction pushes instead of resisting (coefficient)")         \
    X(TQ_DOCTOR_MASSLESS, JOINT,                                                                   \
      "moves neither mass nor inertia: the mass matrix is always singular, so forward dynamics "   \
      "has no answer")                                                                             \
    X(TQ_DOCTOR_SINGULAR, JOINT,                                                                   \
      "feels almost no inertia at q = 0 when the other joints are free: the mass matrix is "       \
      "singular there, or nearly so, but not everywhere (share of the robot's largest)")           \
    X(TQ_DOCTOR_ROTOR, JOINT, "its rotor has a negative moment of inertia (kg m^2)")               \
    X(TQ_DOCTOR_HEAVY, LINK,                                                                       \
      "has an inertia too small for its mass: is the mass in grams? (kg/m^3, were it a ball of "   \
      "this radius of gyration)")                                                                  \
    X(TQ_DOCTOR_DEGREES, JOINT, "its limit is many turns away: is it in degrees? (rad)")           \
    X(TQ_DOCTOR_TRAVEL_FAR, JOINT, "its limit is very far away: is it in millimetres? (m)")        \
    X(TQ_DOCTOR_NEGATIVE_LIMIT, JOINT, "its limit of velocity or effort is negative (least)")      \
    X(TQ_DOCTOR_SPRING, JOINT, "its spring pushes away from its rest (stiffness)")                 \
    X(TQ_DOCTOR_SINGULAR_ALWAYS, JOINT,                                                            \
      "feels almost no inertia when the other joints are free, in every state checked: the "       \
      "mass matrix is singular, or nearly so, everywhere (share of the robot's largest)")

typedef enum tq_doctor_code {
#define TQ_DOCTOR_ENUM(code, about, text) code,
    TQ_DOCTOR_LIST(TQ_DOCTOR_ENUM)
#undef TQ_DOCTOR_ENUM
} tq_doctor_code;

typedef enum tq_doctor_about { TQ_DOCTOR_LINK, TQ_DOCTOR_JOINT } tq_doctor_about;

typedef struct tq_doctor_finding {
    tq_doctor_code code;
    uint32_t index; /* of the link or joint */
    double value;   /* the value that the text names in parentheses */
} tq_doctor_finding;

tq_doctor_about tq_doctor_about_of(tq_doctor_code code);
const char *tq_doctor_text(tq_doctor_code code);

/* Maximum number of findings for a model. */
size_t tq_doctor_finding_max(const tq_model *model);

/**
 * Check the plausibility of a finished model.
 *
 * Shapes   ret_findings (tq_doctor_finding_max), links first, then joints, each in their order.
 * Units    See the texts.
 * Memory   Takes tq_doctor_scratch_size(model) bytes of scratch and releases them.
 * Returns  TQ_OK, TQ_ERR_SCRATCH (value = bytes needed)
 * Cost     O(n_joint).
 * Source   Singular mass matrix: M is singular exactly if some articulated-body inertia along its
 *          joint's axis is zero; Featherstone, Rigid Body Dynamics Algorithms, 2008, ch. 7. It is
 *          evaluated at q = 0 and in four states between the limits, the same in every run;
 *          spherical, planar and mimic joints count as locked; a joint whose mimic joints
 *          move an inertia is not reported as massless.
 * Checked  tests/unit/core/model/test_doctor.c
 */
tq_status tq_doctor_check(const tq_model *model, tq_scratch *scratch,
                          tq_doctor_finding *ret_findings, size_t *ret_n, tq_error *reterr);
size_t tq_doctor_scratch_size(const tq_model *model);

#endif
