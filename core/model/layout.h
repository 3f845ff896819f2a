/* SPDX-License-Identifier: Apache-2.0 */
/* core/model/layout.h - contents of tq_mechanism, private to core. */
#ifndef TQ_MODEL_LAYOUT_H
#define TQ_MODEL_LAYOUT_H

#include "core/model/canonical.h"
#include "core/model/model.h"

struct tq_mechanism {
    tq_model model; /* as the user defined it */
    tq_canonical canonical;
    _Bool has_friction, has_spring, has_rotor;
    _Bool has_ball_terms; /* a damper, spring or rotor of a spherical or floating joint */
    _Bool has_ball_rotor; /* some spherical or floating joint has a rotor: it is in M, but not in
                             the kernels */
    _Bool has_drag;       /* the medium drags the box of some link */
    size_t n_compensated; /* links with gravity compensation */
    tq_canonical carried; /* if there are any: the same bodies, with what is carried of their masses
                             and no other inertia */
};

#endif
