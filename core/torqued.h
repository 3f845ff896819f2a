/* SPDX-License-Identifier: Apache-2.0 */
/* core/torqued.h - the whole public surface of core. */
#ifndef TQ_TORQUED_H
#define TQ_TORQUED_H

#include "core/base/block.h"
#include "core/base/scratch.h"
#include "core/base/status.h"
#include "core/dynamics/bounds.h"
#include "core/dynamics/checks.h"
#include "core/dynamics/compliance.h"
#include "core/dynamics/coriolis.h"
#include "core/dynamics/derivatives.h"
#include "core/dynamics/energy.h"
#include "core/dynamics/forward.h"
#include "core/dynamics/inverse.h"
#include "core/dynamics/inverse_kinematics.h"
#include "core/dynamics/jacobian.h"
#include "core/dynamics/lagrangian.h"
#include "core/dynamics/ledger.h"
#include "core/dynamics/mass_matrix.h"
#include "core/dynamics/momentum.h"
#include "core/dynamics/posture.h"
#include "core/dynamics/reactions.h"
#include "core/dynamics/regressor.h"
#include "core/dynamics/regressor_batch.h"
#include "core/dynamics/rigid_body.h"
#include "core/dynamics/sample.h"
#include "core/dynamics/terms.h"
#include "core/lanes/table.h"
#include "core/model/inertia.h"
#include "core/model/mechanism.h"
#include "core/model/model.h"

#endif
