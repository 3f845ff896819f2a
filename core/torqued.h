/* SPDX-License-Identifier: Apache-2.0 */
/* core/torqued.h - the public headers of core: api includes these and no others. */
#ifndef TQ_TORQUED_H
#define TQ_TORQUED_H

/* One line a header. tests/lint/doors.sh refuses an include by api that is not in this list, and a
 * line that no file of api includes. */
/* clang-format off */

/* -- memory, errors, blocks of samples -- */
#include "core/base/block.h" /* layout of sample arrays: rows over samples, in blocks */
#include "core/base/finite.h" /* first number that is NaN or infinite */
#include "core/base/scratch.h" /* arena of bounded size, and cancellation of the computation that uses it */
#include "core/base/status.h" /* status codes, and the location of an error */
#include "core/dynamics/arrange.h" /* transposition: samples <-> rows of a block */
#include "core/dynamics/ball_terms.h" /* dampers, springs, inertias of spherical and floating joints */

/* -- numbers and the machine -- */
#include "core/elementary/elementary.h" /* exp, sin, atan2 ...: the same bits on every machine */
#include "core/integrate/setup.h" /* start and name of the ODE library */
#include "core/lanes/table.h" /* lane width: chosen from the CPU */
#include "core/linalg/dense.h" /* Cholesky, QR, SVD, eigenvalues */
#include "core/linalg/setup.h" /* start and name of the BLAS library */
#include "core/spatial/frame.h" /* 3x3 matrices and poses */
#include "core/spatial/rotation.h" /* rotations from angles, quaternions, axes */

/* -- solids -- */
#include "core/geometry/distance.h" /* signed distance and nearest points of two solids */
#include "core/geometry/geom.h" /* sphere, capsule, box, half-space, hull on a link */
#include "core/geometry/hull.h" /* the convex hull of points */

/* -- robots -- */
#include "core/model/doctor.h" /* plausibility of a model */
#include "core/model/inertia.h" /* mass distributions: solids, sums, principal axes, physical consistency */
#include "core/model/mechanism.h" /* a model prepared for the kernels */
#include "core/model/mesh_inertia.h" /* mass, centre, tensor of the solid that triangles enclose */
#include "core/model/model.h" /* a robot as its user describes it */

/* -- dynamics of open trees -- */
#include "core/dynamics/bounds/bounds.h" /* bounds on the eigenvalues of M over a box of q */
#include "core/dynamics/checks.h" /* one sample by several algorithms */
#include "core/dynamics/compliance.h" /* static torque of a load, endpoint compliance */
#include "core/dynamics/derivatives/derivatives.h" /* partial derivatives of torque; time derivative of M */
#include "core/dynamics/derivatives/derivatives_batch.h" /* the same for blocks */
#include "core/dynamics/derivatives/second_batch.h" /* second partial derivatives of torque, for blocks */
#include "core/dynamics/derivatives/state_derivatives.h" /* of torque and acceleration, first and second, at one state */
#include "core/dynamics/drag.h" /* drag of a medium on the boxes of links */
#include "core/dynamics/energy.h" /* kinetic and potential energy */
#include "core/dynamics/forward.h" /* qdd from tau */
#include "core/dynamics/inverse.h" /* tau from q, qd, qdd */
#include "core/dynamics/kinematics/configuration.h" /* poses, twists, screws at one state */
#include "core/dynamics/kinematics/integrate.h" /* sums and differences of configurations */
#include "core/dynamics/kinematics/inverse_kinematics.h" /* q from a pose */
#include "core/dynamics/kinematics/manipulability.h" /* velocity ellipsoid of a Jacobian */
#include "core/dynamics/lagrangian.h" /* equation of motion by Jacobians and energies */
#include "core/dynamics/ledger.h" /* torque of one sample by terms */
#include "core/dynamics/log_law.h" /* torque along recorded motion: presliding, load, above a cut-off */
#include "core/dynamics/mass_matrix/mass_matrix.h" /* M(q) */
#include "core/dynamics/mass_matrix/mass_matrix_inverse.h" /* M = L^T D L, and solves */
#include "core/dynamics/mass_matrix/mass_matrix_state.h" /* M^-1 and eigenvalues at one state */
#include "core/dynamics/momentum/centroidal.h" /* centroidal momentum matrix, regressor of momentum */
#include "core/dynamics/momentum/momentum.h" /* centre of mass and momentum at one state */
#include "core/dynamics/momentum/momentum_batch.h" /* the same for blocks */
#include "core/dynamics/passive/tendons.h" /* springs and friction along combinations of coordinates and paths */
#include "core/dynamics/reactions.h" /* constraint wrenches at joints and base */
#include "core/dynamics/regressor/regressor.h" /* tau = Y(q, qd, qdd) p */
#include "core/dynamics/rigid_body.h" /* point kinematics, momentum, energy of one body */
#include "core/dynamics/sample.h" /* one sample with external wrenches */
#include "core/dynamics/terms.h" /* friction, springs, rotors */
#include "core/dynamics/varied.h" /* inertial and friction parameters a sample */

/* -- constraints -- */
#include "core/constraints/actuation.h" /* torques of the actuated joints */
#include "core/constraints/assemble.h" /* motions that satisfy the constraints, some joints given */
#include "core/constraints/closure.h" /* coordinates that satisfy the constraints, from many starts */
#include "core/constraints/constraints.h" /* loops, contacts, rolling, couplings */
#include "core/constraints/dynamics.h" /* forward and inverse dynamics under constraints */
#include "core/constraints/expression.h" /* expressions of q with derivatives */
#include "core/constraints/integrability.h" /* holonomic or nonholonomic */
#include "core/constraints/project.h" /* states onto the constraints */
#include "core/constraints/projectors.h" /* projectors of motions and forces */

/* -- drives -- */
#include "core/drives/amplifier.h" /* from command to motor torque over time */
#include "core/drives/decoupling.h" /* errors of models of separate joints */
#include "core/drives/demand.h" /* requirements of a motion on a drive */
#include "core/drives/drive.h" /* motor, gear, amplifier */
#include "core/drives/response.h" /* Bode data and margins */

/* -- motion and simulation -- */
#include "core/contact/compliant.h" /* contacts that give way */
#include "core/contact/contact.h" /* unilateral contacts with friction and restitution */
#include "core/ensemble/ensemble.h" /* many trajectories of one plant */
#include "core/ensemble/member.h" /* robot, controller, disturbances of one member */
#include "core/ensemble/statistics.h" /* moments and quantiles over members */
#include "core/ensemble/variation.h" /* what varies between members, and its values */
#include "core/motion/desired.h" /* reference motion at any time */
#include "core/motion/timing/optimal.h" /* least time along a path under limits */
#include "core/plant/audit.h" /* energy and momentum balance of a run */
#include "core/plant/run_balance.h" /* the same of a whole run, out of its rows */
#include "core/plant/constrained_controller.h" /* hybrid motion and force control */
#include "core/plant/controller.h" /* tracking controllers */
#include "core/plant/disturbance.h" /* torques and wrenches over time */
#include "core/plant/driven.h" /* drives between commanded and actual torque */
#include "core/plant/operational_controller.h" /* motion and force of a link in space */
#include "core/plant/state.h" /* q' = f(q, qd), difference and integration of q */
#include "core/plant/stiction.h" /* dry friction and end stops at rest */
#include "core/plant/torque_table.h" /* torque over time from a table */
#include "core/simulate/event.h" /* conditions and actions of a run */
#include "core/simulate/lock_step.h" /* a run in control periods: held torques, sensors, history */
#include "core/simulate/run.h" /* one trajectory: methods, outputs, checkpoints */
#include "core/stability/error_growth.h" /* linearisation along a run, growth of errors, horizons */

/* -- recordings and parameters -- */
#include "core/excitation/poses.h" /* periodic motion for identification */
#include "core/identify/friction_rows.h" /* friction regressors of a pass */
#include "core/identify/gain_start.h"    /* first values of unknown gains of a controller */
#include "core/identify/kinematic/kinematic.h" /* zero offsets and frames from measured poses */
#include "core/identify/payload/payload.h" /* what a robot of known parameters carries */
#include "core/identify/regression/base.h" /* base parameters */
#include "core/identify/regression/columns.h" /* columns of the fitted torque */
#include "core/identify/regression/fit.h" /* parameters from torque, in one pass */
#include "core/identify/watch/watch.h" /* contacts and drift, by the momentum observer */
#include "core/identify/session.h" /* a calibration as passes: next, push, save */
#include "core/signal/bandwidth.h" /* bandwidths of motion and noise of a recording */
#include "core/signal/braked.h" /* intervals in which brakes hold */
#include "core/signal/commanded/commanded_torque.h" /* torque by the law of a controller */
#include "core/signal/own/own_cutoff.h" /* cut-offs of joints that move slowly where others move fast */
#include "core/signal/pass.h" /* one pass over a recording: clean, resample, filter */
#include "core/signal/plausibility.h" /* checks of units, signs and columns */
#include "core/signal/recording.h" /* recorded rows in SI units */
#include "core/signal/survey.h" /* first pass: clock, motion, gaps */
#include "core/signal/wrench_rows.h" /* generalised forces of recorded wrenches */
/* clang-format on */

#endif
