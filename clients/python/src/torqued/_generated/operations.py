# SPDX-License-Identifier: Apache-2.0
# clients/python/src/torqued/_generated/operations.py - made by generate.py out of api/openapi/openapi.yaml: operations as methods, results as classes.
"""Every operation of the contract, with its arguments and its result."""
# ruff: noqa: E501
from __future__ import annotations

from collections.abc import Awaitable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, TypeVar, overload

from .._results import Result, only

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from .._codec import Array
    from .._job import AsyncJob
    from .job import Job
    from .types import (
        AssembleReadAsItemOut, BodyInertiaOut, Box1, CalibrateBeyondCutoffItemOut, CalibrateComparisonOut,
        CalibrateConditionOut, CalibrateController, CalibrateControllerUsedOut, CalibrateDataset1,
        CalibrateDelayOut, CalibrateDocumentOut, CalibrateFeasibilityOut, CalibrateFindingOut, CalibrateFitOut,
        CalibrateForwardSimulationOut, CalibrateFrictionSignOut, CalibrateGravityCheckOut, CalibrateInstrumentsOut,
        CalibrateKinematicsBaseOut, CalibrateKinematicsByPoseOut, CalibrateKinematicsErrorsOut,
        CalibrateKinematicsNoiseOut, CalibrateKinematicsNotIdentifiedItemOut, CalibrateKinematicsObservabilityOut,
        CalibrateKinematicsOutliersItemOut, CalibrateKinematicsPlanesItemOut, CalibrateKinematicsReadAsItemOut,
        CalibrateKinematicsRequestLimits, CalibrateKinematicsRequestNoise, CalibrateKinematicsToolOut,
        CalibrateKinematicsWithinLimitsOut, CalibrateNoiseOut, CalibrateOutputErrorOut, CalibrateParameterOut,
        CalibratePredictionItemOut, CalibrateRankOut, CalibrateReadAsItemOut, CalibrateRegroupedItemOut,
        CalibrateRequestBounds, CalibrateRequestModel, CalibrateUnidentifiableItemOut, CalibrateValidationOut,
        CalibrateWrench, CollisionShape, CompareColumns1, CompareColumnsItemOut, CompareReadAsItemOut,
        CompareSource, CompareSource1, ConfigurationOffConstraintsItemOut, ConfigurationReadAsItemOut,
        ConstantWrench, ConstrainedController, Controller, DistanceLeastOut, DistanceLeftOutItemOut,
        DistancePairsItemOut, DistanceReadAsItemOut, Drive, DriveBodeOut, DriveInertiaOut, DriveLineOut,
        DriveLoopsOut, DriveReadAsItemOut, DriveReductionOut, DriveRequestLoad, EnsembleEndStatesOut,
        EnsembleEndedItemOut, EnsembleEventsOut, EnsembleOffConstraintsItemOut, EnsembleOutcomesOut,
        EnsembleReadAsItemOut, EnsembleReturnedMembersItemOut, EnsembleStatisticsOut, EnsembleStatsOut, EventOut,
        EventRule, ExcitationFourierOut, ExcitationReadAsItemOut, ExcitationRequestLimits, ExcitationScoreOut,
        ExcitationTask, ForwardDynamicsAccelerationSecondDerivativesOut, ForwardDynamicsActuationOut,
        ForwardDynamicsCenterOfMassOut, ForwardDynamicsCentroidalMomentumOut, ForwardDynamicsChecksOut,
        ForwardDynamicsChristoffelSymbolsOut, ForwardDynamicsConstraintJacobianOut,
        ForwardDynamicsCoriolisMatrixOut, ForwardDynamicsDecouplingOut, ForwardDynamicsDerivativesOut,
        ForwardDynamicsDriveOut, ForwardDynamicsEnergyOut, ForwardDynamicsIntegrabilityOut,
        ForwardDynamicsLedgerOut, ForwardDynamicsLimitsOut, ForwardDynamicsLinkJacobianRatesOut,
        ForwardDynamicsLinkJacobiansOut, ForwardDynamicsMassMatrixBoundsOut,
        ForwardDynamicsMassMatrixDerivativesOut, ForwardDynamicsMomentumOut, ForwardDynamicsMomentumRegressorOut,
        ForwardDynamicsMultipliersOut, ForwardDynamicsOffConstraintsItemOut,
        ForwardDynamicsOperationalSpaceInertiaOut, ForwardDynamicsPassivityOut, ForwardDynamicsProjectorsOut,
        ForwardDynamicsReadAsItemOut, ForwardDynamicsSecondDerivativesOut, InertiaConsistencyOut,
        InertiaPrincipalOut, InertiaReadAsItemOut, InertiaRequestBodiesItem,
        InverseDynamicsAccelerationSecondDerivativesOut, InverseDynamicsActuationOut,
        InverseDynamicsCenterOfMassOut, InverseDynamicsCentroidalMomentumOut, InverseDynamicsChecksOut,
        InverseDynamicsChristoffelSymbolsOut, InverseDynamicsConstraintJacobianOut,
        InverseDynamicsCoriolisMatrixOut, InverseDynamicsDecouplingOut, InverseDynamicsDerivativesOut,
        InverseDynamicsDriveOut, InverseDynamicsEnergyOut, InverseDynamicsIntegrabilityOut,
        InverseDynamicsLedgerOut, InverseDynamicsLimitsOut, InverseDynamicsLinkJacobianRatesOut,
        InverseDynamicsLinkJacobiansOut, InverseDynamicsLogOut, InverseDynamicsMassMatrixBoundsOut,
        InverseDynamicsMassMatrixDerivativesOut, InverseDynamicsMomentumOut, InverseDynamicsMomentumRegressorOut,
        InverseDynamicsMultipliersOut, InverseDynamicsOffConstraintsItemOut,
        InverseDynamicsOperationalSpaceInertiaOut, InverseDynamicsPassivityOut, InverseDynamicsProjectorsOut,
        InverseDynamicsReadAsItemOut, InverseDynamicsResidualOut, InverseDynamicsSecondDerivativesOut,
        InverseKinematicsNearestOut, InverseKinematicsReadAsItemOut, InverseKinematicsRequestTolerance,
        InverseKinematicsSolutionsItemOut, KinematicParameterOut, KinematicsFramesItemOut,
        KinematicsOffConstraintsItemOut, KinematicsReadAsItemOut, Log, LogColumns, LogFilter, LogFilterUsedOut,
        LogScale, LogUnits, ManipulabilityOffConstraintsItemOut, ManipulabilityReadAsItemOut, NoiseDisturbance,
        OperationalController, Payload, PayloadByJointItemOut, PayloadEstimateOut, PayloadOut, PayloadReadAsItemOut,
        Point1, PointResultOut, Pose, ProvenanceOfRequestOut, ProvenanceOut, PulseDisturbance, ReactionsOut,
        RegressorColumnsItemOut, RegressorOffConstraintsItemOut, RegressorReadAsItemOut, ResidualByJointItemOut,
        ResidualFindingOut, ResidualReadAsItemOut, RigidBodyAxisMotionOut, RigidBodyBodyOut,
        RigidBodyPointMotionOut, RigidBodyReadAsItemOut, RigidBodyRequestAxisMotion, RigidBodyRequestBody,
        RigidBodyRequestLieBracket, RigidBodyRequestPointMotion, RobotDocumentOut, SimulateAuditOut,
        SimulateConstraintsOut, SimulateContacts, SimulateContactsOut, SimulateDrives, SimulateDrivesOut,
        SimulateInitial, SimulateLimitsOut, SimulateOffConstraintsItemOut, SimulateOutput, SimulateReadAsItemOut,
        SimulateRequestVerdict, SimulateSolver, SimulateStatsOut, SimulateTrackingOut, SimulateVerdictOut,
        SineDisturbance, StaticPosesLegsItemOut, StaticPosesReadAsItemOut, StaticPosesRequestLimits,
        StaticPosesRequestLoad, StaticsEndpointOut, StaticsJointWrenchesOut, StaticsOffConstraintsItemOut,
        StaticsReadAsItemOut, StaticsRequestJointStiffness1, TableDisturbance,
        TermsAccelerationSecondDerivativesOut, TermsActuationOut, TermsCenterOfMassOut, TermsCentroidalMomentumOut,
        TermsChecksOut, TermsChristoffelSymbolsOut, TermsConstraintJacobianOut, TermsCoriolisMatrixOut,
        TermsDecouplingOut, TermsDerivativesOut, TermsDriveOut, TermsEnergyOut, TermsIntegrabilityOut,
        TermsLedgerOut, TermsLimitsOut, TermsLinkJacobianRatesOut, TermsLinkJacobiansOut, TermsMassMatrixBoundsOut,
        TermsMassMatrixDerivativesOut, TermsMomentumOut, TermsMomentumRegressorOut, TermsMultipliersOut,
        TermsOffConstraintsItemOut, TermsOperationalSpaceInertiaOut, TermsPassivityOut, TermsProjectorsOut,
        TermsReadAsItemOut, TermsSecondDerivativesOut, TorqueTable, TrajectoryBindingItemOut, TrajectoryFourier,
        TrajectoryReadAsItemOut, TrajectoryRequestLimits, TrajectoryViolationsItemOut, Variation, WarningsItemOut,
        Wrench, WrenchOverTime,
    )

R = TypeVar("R", bound=Result)
# these become jobs when they take long; the others answer when they are done
MAY_OUTLIVE = frozenset({'simulate', 'excitation', 'ensemble', 'calibrate'})


class InverseDynamicsResult(Result):
    """Of `inverse-dynamics`: Joint torques from motion."""

    _units = {
        'coriolis_vector': 'N m or N',
        'gravity_torque': 'N m or N',
        'friction': 'N m or N',
        'energy': 'J',
        'constraint_power': 'W',
        'tau': 'N m or N',
        'tau_measured': 'N m or N',
    }
    _lists = frozenset((
        'assumed_zero', 'constraint_jacobian.rows', 'drive.joints', 'limits.exceeded', 'limits.unlimited',
        'link_jacobian_rates.links', 'link_jacobians.links', 'log.source.columns.base_position',
        'log.source.columns.base_quaternion_wxyz', 'log.source.columns.base_twist', 'log.source.columns.q',
        'log.source.columns.q_cmd', 'log.source.columns.qd', 'log.source.columns.qd_cmd',
        'log.source.columns.qdd', 'log.source.columns.tau', 'log.source.columns.tau_ff',
        'log.source.columns.time', 'log.source.repairs', 'log.source.repairs.first_rows',
        'momentum_regressor.links', 'multipliers.rows', 'not_used', 'off_constraints',
        'operational_space_inertia.axes', 'reactions.joints', 'read_as', 'residual.by_joint', 'warnings',
    ))
    reactions: ReactionsOut
    limits: InverseDynamicsLimitsOut
    mass_matrix: Array
    mass_matrix_inverse: Array
    mass_matrix_bounds: InverseDynamicsMassMatrixBoundsOut
    mass_matrix_rate: Array
    mass_matrix_derivatives: InverseDynamicsMassMatrixDerivativesOut
    coriolis_matrix: InverseDynamicsCoriolisMatrixOut
    coriolis_vector: Array
    christoffel_symbols: InverseDynamicsChristoffelSymbolsOut
    gravity_torque: Array
    friction: Array
    energy: InverseDynamicsEnergyOut
    momentum: InverseDynamicsMomentumOut
    center_of_mass: InverseDynamicsCenterOfMassOut
    center_of_mass_jacobian: Array
    centroidal_momentum: InverseDynamicsCentroidalMomentumOut
    momentum_regressor: InverseDynamicsMomentumRegressorOut
    operational_space_inertia: InverseDynamicsOperationalSpaceInertiaOut
    passivity: InverseDynamicsPassivityOut
    link_jacobians: InverseDynamicsLinkJacobiansOut
    link_jacobian_rates: InverseDynamicsLinkJacobianRatesOut
    ledger: InverseDynamicsLedgerOut
    derivatives: InverseDynamicsDerivativesOut
    second_derivatives: InverseDynamicsSecondDerivativesOut
    acceleration_second_derivatives: InverseDynamicsAccelerationSecondDerivativesOut
    checks: InverseDynamicsChecksOut
    drive: InverseDynamicsDriveOut
    decoupling: InverseDynamicsDecouplingOut
    multipliers: InverseDynamicsMultipliersOut
    constraint_power: float | Array
    actuation: InverseDynamicsActuationOut
    constraint_jacobian: InverseDynamicsConstraintJacobianOut
    projectors: InverseDynamicsProjectorsOut
    integrability: InverseDynamicsIntegrabilityOut
    tau: Array
    log: InverseDynamicsLogOut
    tau_measured: Array
    residual: InverseDynamicsResidualOut
    read_as: list[InverseDynamicsReadAsItemOut]
    assumed_zero: list[str]
    not_used: list[str]
    warnings: list[WarningsItemOut]
    off_constraints: list[InverseDynamicsOffConstraintsItemOut]
    angles: Literal['rad', 'deg']
    provenance: ProvenanceOut


class ForwardDynamicsResult(Result):
    """Of `forward-dynamics`: Accelerations from joint torques."""

    _units = {
        'coriolis_vector': 'N m or N',
        'gravity_torque': 'N m or N',
        'friction': 'N m or N',
        'energy': 'J',
        'constraint_power': 'W',
        'qdd': 'rad/s^2 or m/s^2',
    }
    _lists = frozenset((
        'assumed_zero', 'constraint_jacobian.rows', 'drive.joints', 'limits.exceeded', 'limits.unlimited',
        'link_jacobian_rates.links', 'link_jacobians.links', 'momentum_regressor.links', 'multipliers.rows',
        'off_constraints', 'operational_space_inertia.axes', 'reactions.joints', 'read_as', 'warnings',
    ))
    reactions: ReactionsOut
    limits: ForwardDynamicsLimitsOut
    mass_matrix: Array
    mass_matrix_inverse: Array
    mass_matrix_bounds: ForwardDynamicsMassMatrixBoundsOut
    mass_matrix_rate: Array
    mass_matrix_derivatives: ForwardDynamicsMassMatrixDerivativesOut
    coriolis_matrix: ForwardDynamicsCoriolisMatrixOut
    coriolis_vector: Array
    christoffel_symbols: ForwardDynamicsChristoffelSymbolsOut
    gravity_torque: Array
    friction: Array
    energy: ForwardDynamicsEnergyOut
    momentum: ForwardDynamicsMomentumOut
    center_of_mass: ForwardDynamicsCenterOfMassOut
    center_of_mass_jacobian: Array
    centroidal_momentum: ForwardDynamicsCentroidalMomentumOut
    momentum_regressor: ForwardDynamicsMomentumRegressorOut
    operational_space_inertia: ForwardDynamicsOperationalSpaceInertiaOut
    passivity: ForwardDynamicsPassivityOut
    link_jacobians: ForwardDynamicsLinkJacobiansOut
    link_jacobian_rates: ForwardDynamicsLinkJacobianRatesOut
    ledger: ForwardDynamicsLedgerOut
    derivatives: ForwardDynamicsDerivativesOut
    second_derivatives: ForwardDynamicsSecondDerivativesOut
    acceleration_second_derivatives: ForwardDynamicsAccelerationSecondDerivativesOut
    checks: ForwardDynamicsChecksOut
    drive: ForwardDynamicsDriveOut
    decoupling: ForwardDynamicsDecouplingOut
    multipliers: ForwardDynamicsMultipliersOut
    constraint_power: float | Array
    actuation: ForwardDynamicsActuationOut
    constraint_jacobian: ForwardDynamicsConstraintJacobianOut
    projectors: ForwardDynamicsProjectorsOut
    integrability: ForwardDynamicsIntegrabilityOut
    qdd: Array
    read_as: list[ForwardDynamicsReadAsItemOut]
    assumed_zero: list[str]
    warnings: list[WarningsItemOut]
    off_constraints: list[ForwardDynamicsOffConstraintsItemOut]
    angles: Literal['rad', 'deg']
    provenance: ProvenanceOut


class TermsResult(Result):
    """Of `terms`: Any terms of the equation of motion, in one pass."""

    _units = {
        'coriolis_vector': 'N m or N',
        'gravity_torque': 'N m or N',
        'friction': 'N m or N',
        'energy': 'J',
        'constraint_power': 'W',
    }
    _lists = frozenset((
        'assumed_zero', 'constraint_jacobian.rows', 'drive.joints', 'limits.exceeded', 'limits.unlimited',
        'link_jacobian_rates.links', 'link_jacobians.links', 'momentum_regressor.links', 'multipliers.rows',
        'not_used', 'off_constraints', 'operational_space_inertia.axes', 'reactions.joints', 'read_as',
        'warnings',
    ))
    reactions: ReactionsOut
    limits: TermsLimitsOut
    mass_matrix: Array
    mass_matrix_inverse: Array
    mass_matrix_bounds: TermsMassMatrixBoundsOut
    mass_matrix_rate: Array
    mass_matrix_derivatives: TermsMassMatrixDerivativesOut
    coriolis_matrix: TermsCoriolisMatrixOut
    coriolis_vector: Array
    christoffel_symbols: TermsChristoffelSymbolsOut
    gravity_torque: Array
    friction: Array
    energy: TermsEnergyOut
    momentum: TermsMomentumOut
    center_of_mass: TermsCenterOfMassOut
    center_of_mass_jacobian: Array
    centroidal_momentum: TermsCentroidalMomentumOut
    momentum_regressor: TermsMomentumRegressorOut
    operational_space_inertia: TermsOperationalSpaceInertiaOut
    passivity: TermsPassivityOut
    link_jacobians: TermsLinkJacobiansOut
    link_jacobian_rates: TermsLinkJacobianRatesOut
    ledger: TermsLedgerOut
    derivatives: TermsDerivativesOut
    second_derivatives: TermsSecondDerivativesOut
    acceleration_second_derivatives: TermsAccelerationSecondDerivativesOut
    checks: TermsChecksOut
    drive: TermsDriveOut
    decoupling: TermsDecouplingOut
    multipliers: TermsMultipliersOut
    constraint_power: float | Array
    actuation: TermsActuationOut
    constraint_jacobian: TermsConstraintJacobianOut
    projectors: TermsProjectorsOut
    integrability: TermsIntegrabilityOut
    read_as: list[TermsReadAsItemOut]
    assumed_zero: list[str]
    not_used: list[str]
    warnings: list[WarningsItemOut]
    off_constraints: list[TermsOffConstraintsItemOut]
    angles: Literal['rad', 'deg']
    provenance: ProvenanceOut


class KinematicsResult(Result):
    """Of `kinematics`: Poses of links and points, their velocities, accelerations and Jacobians."""

    _units = {
    }
    _lists = frozenset((
        'assumed_zero', 'frames', 'joints', 'off_constraints', 'read_as', 'warnings',
    ))
    joints: list[str]
    poses_expressed_in: Literal['world']
    expressed_in: Literal['world', 'link', 'spatial']
    frames: list[KinematicsFramesItemOut]
    read_as: list[KinematicsReadAsItemOut]
    assumed_zero: list[str]
    warnings: list[WarningsItemOut]
    off_constraints: list[KinematicsOffConstraintsItemOut]
    angles: Literal['rad', 'deg']
    provenance: ProvenanceOut


class StaticsResult(Result):
    """Of `statics`: What holds a load, what the joints bear, how the endpoint gives way."""

    _units = {
        'tau': 'N m or N',
        'gravity_torque': 'N m or N',
    }
    _lists = frozenset((
        'assumed_zero', 'endpoint.axes', 'joint_wrenches.joints', 'joints', 'off_constraints', 'read_as',
        'warnings',
    ))
    joints: list[str]
    tau: Array
    gravity_torque: Array
    tau_with_gravity: Array
    joint_wrenches: StaticsJointWrenchesOut
    endpoint: StaticsEndpointOut
    geometric_stiffness: Array
    read_as: list[StaticsReadAsItemOut]
    assumed_zero: list[str]
    warnings: list[WarningsItemOut]
    off_constraints: list[StaticsOffConstraintsItemOut]
    angles: Literal['rad', 'deg']
    provenance: ProvenanceOut


class RegressorResult(Result):
    """Of `regressor`: Torque as a linear function of parameters."""

    _units = {
    }
    _lists = frozenset((
        'assumed_zero', 'columns', 'columns.terms', 'joints', 'off_constraints', 'read_as',
        'unidentifiable', 'warnings',
    ))
    form: Literal['full', 'base']
    joints: list[str]
    regressor: Array
    columns: list[RegressorColumnsItemOut]
    parameter_values: Array
    unidentifiable: list[str]
    n_base: int
    n_full: int
    read_as: list[RegressorReadAsItemOut]
    assumed_zero: list[str]
    warnings: list[WarningsItemOut]
    off_constraints: list[RegressorOffConstraintsItemOut]
    angles: Literal['rad', 'deg']
    gap: float
    provenance: ProvenanceOut


class InverseKinematicsResult(Result):
    """Of `inverse-kinematics`: Coordinates that bring a point of a link to a pose."""

    _units = {
    }
    _lists = frozenset((
        'axes', 'joints', 'read_as', 'solutions', 'warnings',
    ))
    joints: list[str]
    frame: PointResultOut
    axes: list[Literal['x', 'y', 'z', 'rx', 'ry', 'rz']]
    redundant: bool
    solutions: list[InverseKinematicsSolutionsItemOut]
    nearest: InverseKinematicsNearestOut
    starts: int
    read_as: list[InverseKinematicsReadAsItemOut]
    warnings: list[WarningsItemOut]
    angles: Literal['rad', 'deg']
    provenance: ProvenanceOut


class ManipulabilityResult(Result):
    """Of `manipulability`: How well, and in which directions, a point can be moved."""

    _units = {
    }
    _lists = frozenset((
        'assumed_zero', 'axes', 'joints', 'off_constraints', 'read_as', 'warnings',
    ))
    joints: list[str]
    expressed_in: Literal['world']
    frame: PointResultOut
    axes: list[Literal['x', 'y', 'z', 'rx', 'ry', 'rz']]
    singular_values: Array
    directions: Array
    joint_directions: Array
    rank: int
    manipulability: float
    condition: float | None
    condition_reason: str
    read_as: list[ManipulabilityReadAsItemOut]
    assumed_zero: list[str]
    warnings: list[WarningsItemOut]
    off_constraints: list[ManipulabilityOffConstraintsItemOut]
    angles: Literal['rad', 'deg']
    provenance: ProvenanceOut


class TrajectoryResult(Result):
    """Of `trajectory`: Motion through waypoints, in joint or Cartesian space, sampled."""

    _units = {
        't': 's',
        'q': 'rad or m',
        'qd': 'rad/s or m/s',
        'qdd': 'rad/s^2 or m/s^2',
        'tau': 'N m or N',
    }
    _lists = frozenset((
        'binding', 'joints', 'read_as', 'violations', 'warnings',
    ))
    joints: list[str]
    violations: list[TrajectoryViolationsItemOut]
    duration_s: float
    binding: list[TrajectoryBindingItemOut]
    t: Array
    q: Array
    qd: Array
    qdd: Array
    tau: Array
    read_as: list[TrajectoryReadAsItemOut]
    warnings: list[WarningsItemOut]
    angles: Literal['rad', 'deg']
    provenance: ProvenanceOut


class InertiaResult(Result):
    """Of `inertia`: Bodies put together, seen from anywhere, and judged."""

    _units = {
    }
    _lists = frozenset((
        'read_as',
    ))
    mass: float
    com: Array
    inertia: Array
    inertia_about: Literal['com']
    inertia_about_origin: Array
    about: Array
    inertia_about_point: Array
    spatial_inertia: Array
    pseudo_inertia: Array
    principal: InertiaPrincipalOut
    consistency: InertiaConsistencyOut
    nearest_consistent: BodyInertiaOut
    read_as: list[InertiaReadAsItemOut]
    provenance: ProvenanceOfRequestOut


class RigidBodyResult(Result):
    """Of `rigid-body`: One rigid body by itself: motion of its points, momentum, energy, frames."""

    _units = {
    }
    _lists = frozenset((
        'read_as',
    ))
    axis_motion: RigidBodyAxisMotionOut
    point_motion: RigidBodyPointMotionOut
    body: RigidBodyBodyOut
    lie_bracket: Array
    read_as: list[RigidBodyReadAsItemOut]
    provenance: ProvenanceOfRequestOut


class DriveResult(Result):
    """Of `drive`: One motor with its gear and amplifier."""

    _units = {
        'duty_voltage': 'V',
    }
    _lists = frozenset((
        'read_as', 'reduction.poles_per_s',
    ))
    line: DriveLineOut
    duty_voltage: Array
    inertia: DriveInertiaOut
    reduction: DriveReductionOut
    loops: DriveLoopsOut
    bode: DriveBodeOut
    read_as: list[DriveReadAsItemOut]
    provenance: ProvenanceOfRequestOut


class CompareResult(Result):
    """Of `compare`: Two results or datasets: the differences of like columns over time."""

    _units = {
        't': 's',
    }
    _lists = frozenset((
        'columns', 'read_as',
    ))
    rows: int
    unmatched_rows_a: int
    rows_interpolated: int
    not_finite: int
    t: Array
    columns: list[CompareColumnsItemOut]
    series: dict[str, Any]
    read_as: list[CompareReadAsItemOut]
    provenance: dict[str, Any]


class SimulateResult(Result):
    """Of `simulate`: Motion under given torques or a controller."""

    _units = {
        't': 's',
        'q': 'rad or m',
        'qd': 'rad/s or m/s',
        'qdd': 'rad/s^2 or m/s^2',
        'drive_voltage': 'V',
        'tau': 'N m or N',
        'kinetic_energy': 'J',
        'potential_energy': 'J',
        'momentum': 'kg m/s',
        'contact_force': 'N',
        'contact_impulse': 'N s',
        'contact_gap': 'm',
    }
    _lists = frozenset((
        'constraints.rows', 'contacts.pairs', 'drives.joints', 'events', 'joints', 'limits.exceeded',
        'off_constraints', 'read_as', 'tracking.force.rows', 'tracking.task.axes', 'warnings',
    ))
    joints: list[str]
    t: Array
    q: Array
    qd: Array
    qdd: Array
    drives: SimulateDrivesOut
    drive_current: Array
    drive_voltage: Array
    drive_limited: Array
    tau: Array
    kinetic_energy: Array
    potential_energy: Array
    momentum: Array
    base_reaction: Array
    tracking_error: Array
    multipliers: Array
    constraints: SimulateConstraintsOut
    contact_force: Array
    contact_impulse: Array
    contact_gap: Array
    contacts: SimulateContactsOut
    audit: SimulateAuditOut
    tracking: SimulateTrackingOut
    stats: SimulateStatsOut
    verdict: SimulateVerdictOut
    events: list[EventOut]
    events_omitted: int
    limits: SimulateLimitsOut
    read_as: list[SimulateReadAsItemOut]
    warnings: list[WarningsItemOut]
    off_constraints: list[SimulateOffConstraintsItemOut]
    angles: Literal['rad', 'deg']
    provenance: ProvenanceOut


class ExcitationResult(Result):
    """Of `excitation`: Motion to record, from which `calibrate` can identify the parameters."""

    _units = {
        't': 's',
        'q': 'rad or m',
        'qd': 'rad/s or m/s',
        'qdd': 'rad/s^2 or m/s^2',
    }
    _lists = frozenset((
        'base_parameters', 'joints', 'read_as',
    ))
    joints: list[str]
    fourier: ExcitationFourierOut
    t: Array
    q: Array
    qd: Array
    qdd: Array
    score: ExcitationScoreOut
    first_random: ExcitationScoreOut
    tries: int
    improvements: int
    samples_judged: int
    link: str
    base_parameters: list[str]
    read_as: list[ExcitationReadAsItemOut]
    angles: Literal['rad', 'deg']
    provenance: ProvenanceOut


class EnsembleResult(Result):
    """Of `ensemble`: Many simulations with varied parameters, initial states or inputs."""

    _units = {
        't': 's',
        'q': 'rad or m',
        'qd': 'rad/s or m/s',
    }
    _lists = frozenset((
        'ended', 'findings', 'off_constraints', 'read_as', 'returned_members', 'warnings',
    ))
    members: int
    seed: int
    t: Array
    alive: Array
    q: EnsembleStatisticsOut
    qd: EnsembleStatisticsOut
    findings: list[str]
    outcomes: EnsembleOutcomesOut
    ended: list[EnsembleEndedItemOut]
    events: EnsembleEventsOut
    returned_members: list[EnsembleReturnedMembersItemOut]
    end_states: EnsembleEndStatesOut
    stats: EnsembleStatsOut
    read_as: list[EnsembleReadAsItemOut]
    warnings: list[WarningsItemOut]
    off_constraints: list[EnsembleOffConstraintsItemOut]
    angles: Literal['rad', 'deg']
    provenance: ProvenanceOut


class CalibrateResult(Result):
    """Of `calibrate`: Parameters from measured motion."""

    _units = {
        'sigma': 'N m or N',
    }
    _lists = frozenset((
        'all_parameters', 'beyond_cutoff', 'comparison.estimators', 'comparison.estimators.deviations',
        'comparison.estimators.rmse_ratio', 'controller.effort_limits', 'controller.gains',
        'controller.gains.interval', 'controller.torque_of', 'covariance', 'datasets', 'document.by_joint',
        'feasibility.bounds.active', 'findings', 'findings.datasets', 'fit.by_joint',
        'forward_simulation.by_dataset', 'forward_simulation.by_joint', 'gravity_check.by_joint', 'joints',
        'parameter_deviations', 'parameter_values', 'parameters', 'parameters.bootstrap_interval',
        'parameters.interval', 'prediction', 'read_as', 'reasons', 'regrouped', 'robot.actuated',
        'robot.constraints', 'robot.constraints.axes', 'robot.constraints.rows', 'robot.dh.base.solid',
        'robot.dh.joints', 'robot.dh.joints.link.solid', 'robot.dh.tool.solid', 'robot.joints',
        'robot.links', 'robot.links.solid', 'robot.poe.joints', 'robot.poe.joints.link.solid',
        'robot.poe.tool.solid', 'robot.tendons', 'robot.tendons.points', 'robot.tree.joints',
        'robot.tree.links', 'torques_left_out', 'unidentifiable', 'unidentifiable.terms',
        'validation.by_dataset', 'validation.by_joint',
    ))
    _rows_in = 'parameters'
    verdict: Literal['usable', 'robust-control-only', 'incomplete', 'physically-inconsistent', 'insufficient-excitation']
    reasons: list[str]
    findings: list[CalibrateFindingOut]
    findings_limit: str
    method: str
    model: str
    joints: list[str]
    torques_left_out: list[str]
    samples: int
    confidence: float
    output_error: CalibrateOutputErrorOut
    instruments: CalibrateInstrumentsOut
    parameters: list[CalibrateParameterOut]
    parameter_values: list[float | None]
    parameter_deviations: list[float | None]
    covariance: Array | None
    covariance_reason: str
    all_parameters: list[dict[str, Any]]
    rank: CalibrateRankOut
    condition: CalibrateConditionOut
    unidentifiable: list[CalibrateUnidentifiableItemOut]
    regrouped: list[CalibrateRegroupedItemOut]
    feasibility: CalibrateFeasibilityOut
    sigma: Array
    fit: CalibrateFitOut
    validation: CalibrateValidationOut
    comparison: CalibrateComparisonOut | None
    comparison_reason: str
    forward_simulation: CalibrateForwardSimulationOut | None
    forward_simulation_reason: str
    gravity_check: CalibrateGravityCheckOut | None
    gravity_check_reason: str
    noise: CalibrateNoiseOut
    controller: CalibrateControllerUsedOut
    datasets: list[dict[str, Any]]
    filter: LogFilterUsedOut
    delay: CalibrateDelayOut
    friction_sign: CalibrateFrictionSignOut
    beyond_cutoff: list[CalibrateBeyondCutoffItemOut]
    robot: RobotDocumentOut | None
    robot_reason: str
    robot_note: str
    document: CalibrateDocumentOut
    prediction: list[CalibratePredictionItemOut]
    read_as: list[CalibrateReadAsItemOut]
    provenance: ProvenanceOut


class PayloadResult(Result):
    """Of `payload`: The body that a calibrated robot carries, from motion or from poses at rest."""

    _units = {
    }
    _lists = frozenset((
        'by_joint', 'datasets', 'estimates', 'joints', 'parameters', 'read_as', 'robot.actuated',
        'robot.constraints', 'robot.constraints.axes', 'robot.constraints.rows', 'robot.dh.base.solid',
        'robot.dh.joints', 'robot.dh.joints.link.solid', 'robot.dh.tool.solid', 'robot.joints',
        'robot.links', 'robot.links.solid', 'robot.poe.joints', 'robot.poe.joints.link.solid',
        'robot.poe.tool.solid', 'robot.tendons', 'robot.tendons.points', 'robot.tree.joints',
        'robot.tree.links',
    ))
    verdict: Literal['found', 'none', 'less', 'open']
    text: str
    link: str
    from_: Literal['motion', 'poses']
    joints: list[str]
    samples: int
    segments: int
    poses: int
    confidence: float
    degrees_of_freedom: float
    estimates: list[PayloadEstimateOut]
    parameters: list[PayloadEstimateOut]
    payload: PayloadOut | None
    payload_reason: str
    payload_note: str
    by_joint: list[PayloadByJointItemOut]
    datasets: list[dict[str, Any]]
    filter: LogFilterUsedOut
    robot: RobotDocumentOut | None
    robot_reason: str
    read_as: list[PayloadReadAsItemOut]
    provenance: ProvenanceOut


class ResidualResult(Result):
    """Of `residual`: External torque on a calibrated robot that its model does not explain: contacts, and drifting friction."""

    _units = {
    }
    _lists = frozenset((
        'by_joint', 'by_joint.drift', 'datasets', 'findings', 'joints', 'read_as',
    ))
    verdict: Literal['quiet', 'contact', 'drift']
    findings: list[ResidualFindingOut]
    contacts: int
    joints: list[str]
    gain_hz: float
    noise_from: Literal['quiet', 'sigma', 'logs']
    watched_s: float
    false_alarms_expected: float
    by_joint: list[ResidualByJointItemOut]
    datasets: list[dict[str, Any]]
    filter: LogFilterUsedOut
    read_as: list[ResidualReadAsItemOut]
    provenance: ProvenanceOut


class CalibrateKinematicsResult(Result):
    """Of `calibrate-kinematics`: Zero offsets and errors of joints' frames from measured poses, points, or a touched plane."""

    _units = {
    }
    _lists = frozenset((
        'base.standard_deviation', 'by_pose.deviations', 'covariance', 'covariance_of', 'joints',
        'not_identified', 'not_identified.parts', 'observability.weakest', 'outliers', 'parameters',
        'planes', 'planes.standard_deviation', 'read_as', 'reasons', 'robot.actuated', 'robot.constraints',
        'robot.constraints.axes', 'robot.constraints.rows', 'robot.dh.base.solid', 'robot.dh.joints',
        'robot.dh.joints.link.solid', 'robot.dh.tool.solid', 'robot.joints', 'robot.links',
        'robot.links.solid', 'robot.poe.joints', 'robot.poe.joints.link.solid', 'robot.poe.tool.solid',
        'robot.tendons', 'robot.tendons.points', 'robot.tree.joints', 'robot.tree.links',
        'tool.standard_deviation', 'warnings',
    ))
    verdict: Literal['usable', 'incomplete', 'insufficient-excitation']
    reasons: list[str]
    measured: Literal['poses', 'points', 'planes']
    frame: PointResultOut
    joints: list[str]
    poses: int
    equations: int
    unknowns: int
    degrees_of_freedom: float
    confidence: float
    parameters: list[KinematicParameterOut]
    not_identified: list[CalibrateKinematicsNotIdentifiedItemOut]
    base: CalibrateKinematicsBaseOut | None
    base_reason: str
    tool: CalibrateKinematicsToolOut
    planes: list[CalibrateKinematicsPlanesItemOut]
    noise: CalibrateKinematicsNoiseOut
    errors: CalibrateKinematicsErrorsOut
    within_limits: CalibrateKinematicsWithinLimitsOut | None
    within_limits_reason: str
    observability: CalibrateKinematicsObservabilityOut
    outliers: list[CalibrateKinematicsOutliersItemOut]
    outlier_count: int
    by_pose: CalibrateKinematicsByPoseOut
    covariance: Array | None
    covariance_reason: str
    covariance_of: list[str]
    robot: RobotDocumentOut
    read_as: list[CalibrateKinematicsReadAsItemOut]
    warnings: list[WarningsItemOut]
    angles: Literal['rad', 'deg']
    provenance: ProvenanceOut


class DistanceResult(Result):
    """Of `distance`: Distances between shapes of the robot, and from shapes to obstacles."""

    _units = {
        'distance': 'm',
    }
    _lists = frozenset((
        'joints', 'left_out', 'pairs', 'read_as', 'warnings',
    ))
    joints: list[str]
    expressed_in: Literal['world']
    pairs: list[DistancePairsItemOut]
    distance: Array
    points: Array
    normal: Array
    least: DistanceLeastOut
    collides: bool
    left_out: list[DistanceLeftOutItemOut]
    read_as: list[DistanceReadAsItemOut]
    warnings: list[WarningsItemOut]
    angles: Literal['rad', 'deg']
    provenance: ProvenanceOut


class AssembleResult(Result):
    """Of `assemble`: The whole motion of closed loops, from that of the joints that are given."""

    _units = {
        'q': 'rad or m',
        'qd': 'rad/s or m/s',
        'qdd': 'rad/s^2 or m/s^2',
    }
    _lists = frozenset((
        'given', 'joints', 'read_as', 'warnings',
    ))
    joints: list[str]
    given: list[str]
    q: Array
    qd: Array
    qdd: Array
    undecided: int
    read_as: list[AssembleReadAsItemOut]
    warnings: list[WarningsItemOut]
    angles: Literal['rad', 'deg']
    provenance: ProvenanceOut


class StaticPosesResult(Result):
    """Of `static-poses`: Poses at rest to record, from which gravity or a payload can be identified."""

    _units = {
        'q': 'rad or m',
        'tau': 'N m or N',
    }
    _lists = frozenset((
        'base_parameters', 'gain_errors', 'joints', 'legs', 'read_as',
    ))
    joints: list[str]
    q: Array
    tau: Array
    legs: list[StaticPosesLegsItemOut]
    legs_not_clear: int
    legs_without_way: int
    dwell_s: float
    duration_s: float
    gain_errors: list[float | None]
    candidates: int
    score: ExcitationScoreOut
    first_random: ExcitationScoreOut
    link: str
    base_parameters: list[str]
    read_as: list[StaticPosesReadAsItemOut]
    angles: Literal['rad', 'deg']
    provenance: ProvenanceOut


class ConfigurationResult(Result):
    """Of `configuration`: Sums and differences of coordinates, quaternions among them."""

    _units = {
    }
    _lists = frozenset((
        'assumed_zero', 'joints', 'off_constraints', 'read_as', 'warnings',
    ))
    joints: list[str]
    sum: Array
    difference: Array
    between: Array
    read_as: list[ConfigurationReadAsItemOut]
    assumed_zero: list[str]
    warnings: list[WarningsItemOut]
    off_constraints: list[ConfigurationOffConstraintsItemOut]
    angles: Literal['rad', 'deg']
    provenance: ProvenanceOut


class RobotOperations:
    """Computations of a robot, waited for."""

    if TYPE_CHECKING:
        def _compute(self, operation: str, kind: type[R], request: dict[str, Any],
                     idempotency_key: str | None, progress: bool | None = None) -> R: ...
        def _arrays(self, operation: str, request: dict[str, Any]) -> Array: ...

    @overload
    def inverse_dynamics(self, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike) -> Array: ...  # type: ignore[overload-overlap]
    @overload
    def inverse_dynamics(
            self, q: ArrayLike | Mapping[str, Any] | None = None, qd: ArrayLike | Mapping[str, Any] | None = None, qdd:
            ArrayLike | Mapping[str, Any] | None = None, tau: Any | None = None, *, from_: Log | None = None, joints:
            Sequence[str] | None = None, external_wrenches: Sequence[Wrench] | None = None, gravity: ArrayLike | None =
            None, without: Sequence[Literal['friction', 'rotor', 'spring', 'gravity', 'external', 'velocity',
            'inertia']] | None = None, include: Sequence[Literal['reactions', 'limits', 'mass_matrix',
            'mass_matrix_inverse', 'mass_matrix_bounds', 'mass_matrix_rate', 'mass_matrix_derivatives',
            'coriolis_matrix', 'coriolis_vector', 'christoffel_symbols', 'gravity_torque', 'friction', 'energy',
            'momentum', 'center_of_mass', 'center_of_mass_jacobian', 'centroidal_momentum', 'momentum_regressor',
            'operational_space_inertia', 'passivity', 'link_jacobians', 'link_jacobian_rates', 'ledger', 'derivatives',
            'second_derivatives', 'acceleration_second_derivatives', 'checks', 'drive', 'decoupling', 'multipliers',
            'constraint_power', 'actuation', 'constraint_jacobian', 'projectors', 'integrability']] | None = None,
            payload: Payload | None = None, coriolis_form: Literal['christoffel', 'c1', 'c2', 'stacked'] | None = None,
            frame: str | Point1 | None = None, axes: Sequence[Literal['x', 'y', 'z', 'rx', 'ry', 'rz']] | None = None,
            box: Literal['limits'] | Box1 | None = None, qd_ref: ArrayLike | Mapping[str, Any] | None = None, qdd_ref:
            ArrayLike | Mapping[str, Any] | None = None, angles: Literal['rad', 'deg'] | None = None, t: Any | None =
            None, violations: Any | None = None, duration_s: Any | None = None, binding: Any | None = None, provenance:
            Any | None = None, warnings: Any | None = None, read_as: Any | None = None, fourier: Any | None = None,
            score: Any | None = None, first_random: Any | None = None, tries: Any | None = None, improvements: Any |
            None = None, samples_judged: Any | None = None, base_parameters: Any | None = None, idempotency_key: str |
            None = None
    ) -> InverseDynamicsResult: ...
    def inverse_dynamics(
            self, q: ArrayLike | Mapping[str, Any] | None = None, qd: ArrayLike | Mapping[str, Any] | None = None, qdd:
            ArrayLike | Mapping[str, Any] | None = None, tau: Any | None = None, *, from_: Log | None = None, joints:
            Sequence[str] | None = None, external_wrenches: Sequence[Wrench] | None = None, gravity: ArrayLike | None =
            None, without: Sequence[Literal['friction', 'rotor', 'spring', 'gravity', 'external', 'velocity',
            'inertia']] | None = None, include: Sequence[Literal['reactions', 'limits', 'mass_matrix',
            'mass_matrix_inverse', 'mass_matrix_bounds', 'mass_matrix_rate', 'mass_matrix_derivatives',
            'coriolis_matrix', 'coriolis_vector', 'christoffel_symbols', 'gravity_torque', 'friction', 'energy',
            'momentum', 'center_of_mass', 'center_of_mass_jacobian', 'centroidal_momentum', 'momentum_regressor',
            'operational_space_inertia', 'passivity', 'link_jacobians', 'link_jacobian_rates', 'ledger', 'derivatives',
            'second_derivatives', 'acceleration_second_derivatives', 'checks', 'drive', 'decoupling', 'multipliers',
            'constraint_power', 'actuation', 'constraint_jacobian', 'projectors', 'integrability']] | None = None,
            payload: Payload | None = None, coriolis_form: Literal['christoffel', 'c1', 'c2', 'stacked'] | None = None,
            frame: str | Point1 | None = None, axes: Sequence[Literal['x', 'y', 'z', 'rx', 'ry', 'rz']] | None = None,
            box: Literal['limits'] | Box1 | None = None, qd_ref: ArrayLike | Mapping[str, Any] | None = None, qdd_ref:
            ArrayLike | Mapping[str, Any] | None = None, angles: Literal['rad', 'deg'] | None = None, t: Any | None =
            None, violations: Any | None = None, duration_s: Any | None = None, binding: Any | None = None, provenance:
            Any | None = None, warnings: Any | None = None, read_as: Any | None = None, fourier: Any | None = None,
            score: Any | None = None, first_random: Any | None = None, tries: Any | None = None, improvements: Any |
            None = None, samples_judged: Any | None = None, base_parameters: Any | None = None, idempotency_key: str |
            None = None
    ) -> Array | InverseDynamicsResult:
        """Joint torques from motion.

        tau = M(q) qdd + C(q, qd) qd + gravity_torque(q) + friction(qd) + spring(q) - J^T w, with w the wrenches
        applied to the robot. One sample is a flat array, a batch an array of such arrays; the answer has the same
        shape. One sample beside a batch is that of all its samples. A sample gives the same bits alone and in any
        batch. With constraints, torques are those of the actuated joints that go with the motion (`include:
        [actuation, multipliers]` returns more).

        Arguments:
            q: rad or m: nq numbers a sample
            qd: rad/s or m/s: nv numbers a sample; zero when left out
            qdd: rad/s^2 or m/s^2: nv numbers a sample; zero when left out
            tau: Not used: of an answer of `trajectory`
            from_: A log instead of q, qd and qdd; its torque gives `residual`
            joints: Another order of joints for every array of the request and the answer; names each moving joint
                once
            gravity: m/s^2 in the world frame, instead of the robot's own
            without: Terms to leave out of torque, `ledger`, `derivatives`, second derivatives and `checks`; rotors
                also of the matrices
            include: Further results, in the robot's own order or that of `joints`; not for NPY answers
            coriolis_form: Of `coriolis_matrix`; c1 and c2 are for robots without spherical and floating joints
                (default christoffel)
            frame: The point of `operational_space_inertia`
            axes: Directions of that inertia, along the world's axes; all when left out
            qd_ref: Of `passivity`: reference rates, nv numbers a sample
            qdd_ref: Of `passivity`: reference accelerations, nv numbers a sample
            angles: default rad
            t: Not used: of an answer of `trajectory`
            violations: Not used: of an answer of `trajectory`
            duration_s: Not used: of an answer of `trajectory`
            binding: Not used: of an answer of `trajectory`
            provenance: Not used: of an answer of `trajectory`
            warnings: Not used: of an answer of `trajectory`
            read_as: Not used: of an answer of `trajectory`
            fourier: Not used: of an answer of `excitation`
            score: Not used: of an answer of `excitation`
            first_random: Not used: of an answer of `excitation`
            tries: Not used: of an answer of `excitation`
            improvements: Not used: of an answer of `excitation`
            samples_judged: Not used: of an answer of `excitation`
            base_parameters: Not used: of an answer of `excitation`
        """
        request: dict[str, Any] = {'q': q, 'qd': qd, 'qdd': qdd, 'tau': tau, 'from': from_, 'joints':
            joints, 'external_wrenches': external_wrenches, 'gravity': gravity, 'without': without,
            'include': include, 'payload': payload, 'coriolis_form': coriolis_form, 'frame': frame, 'axes':
            axes, 'box': box, 'qd_ref': qd_ref, 'qdd_ref': qdd_ref, 'angles': angles, 't': t, 'violations':
            violations, 'duration_s': duration_s, 'binding': binding, 'provenance': provenance, 'warnings':
            warnings, 'read_as': read_as, 'fourier': fourier, 'score': score, 'first_random': first_random,
            'tries': tries, 'improvements': improvements, 'samples_judged': samples_judged,
            'base_parameters': base_parameters}
        if idempotency_key is None and only(request, ('q', 'qd', 'qdd')):
            return self._arrays('inverse-dynamics', request)
        return self._compute('inverse-dynamics', InverseDynamicsResult, request, idempotency_key)

    @overload
    def forward_dynamics(self, q: ArrayLike, qd: ArrayLike, tau: ArrayLike) -> Array: ...  # type: ignore[overload-overlap]
    @overload
    def forward_dynamics(
            self, q: ArrayLike | Mapping[str, Any], qd: ArrayLike | Mapping[str, Any] | None = None, tau: ArrayLike |
            Mapping[str, Any] | None = None, *, joints: Sequence[str] | None = None, external_wrenches: Sequence[Wrench]
            | None = None, gravity: ArrayLike | None = None, without: Sequence[Literal['friction', 'rotor', 'spring',
            'gravity', 'external', 'velocity', 'inertia']] | None = None, include: Sequence[Literal['reactions',
            'limits', 'mass_matrix', 'mass_matrix_inverse', 'mass_matrix_bounds', 'mass_matrix_rate',
            'mass_matrix_derivatives', 'coriolis_matrix', 'coriolis_vector', 'christoffel_symbols', 'gravity_torque',
            'friction', 'energy', 'momentum', 'center_of_mass', 'center_of_mass_jacobian', 'centroidal_momentum',
            'momentum_regressor', 'operational_space_inertia', 'passivity', 'link_jacobians', 'link_jacobian_rates',
            'ledger', 'derivatives', 'second_derivatives', 'acceleration_second_derivatives', 'checks', 'drive',
            'decoupling', 'multipliers', 'constraint_power', 'actuation', 'constraint_jacobian', 'projectors',
            'integrability']] | None = None, payload: Payload | None = None, coriolis_form: Literal['christoffel', 'c1',
            'c2', 'stacked'] | None = None, frame: str | Point1 | None = None, axes: Sequence[Literal['x', 'y', 'z',
            'rx', 'ry', 'rz']] | None = None, box: Literal['limits'] | Box1 | None = None, qd_ref: ArrayLike |
            Mapping[str, Any] | None = None, qdd_ref: ArrayLike | Mapping[str, Any] | None = None, angles:
            Literal['rad', 'deg'] | None = None, idempotency_key: str | None = None
    ) -> ForwardDynamicsResult: ...
    def forward_dynamics(
            self, q: ArrayLike | Mapping[str, Any], qd: ArrayLike | Mapping[str, Any] | None = None, tau: ArrayLike |
            Mapping[str, Any] | None = None, *, joints: Sequence[str] | None = None, external_wrenches: Sequence[Wrench]
            | None = None, gravity: ArrayLike | None = None, without: Sequence[Literal['friction', 'rotor', 'spring',
            'gravity', 'external', 'velocity', 'inertia']] | None = None, include: Sequence[Literal['reactions',
            'limits', 'mass_matrix', 'mass_matrix_inverse', 'mass_matrix_bounds', 'mass_matrix_rate',
            'mass_matrix_derivatives', 'coriolis_matrix', 'coriolis_vector', 'christoffel_symbols', 'gravity_torque',
            'friction', 'energy', 'momentum', 'center_of_mass', 'center_of_mass_jacobian', 'centroidal_momentum',
            'momentum_regressor', 'operational_space_inertia', 'passivity', 'link_jacobians', 'link_jacobian_rates',
            'ledger', 'derivatives', 'second_derivatives', 'acceleration_second_derivatives', 'checks', 'drive',
            'decoupling', 'multipliers', 'constraint_power', 'actuation', 'constraint_jacobian', 'projectors',
            'integrability']] | None = None, payload: Payload | None = None, coriolis_form: Literal['christoffel', 'c1',
            'c2', 'stacked'] | None = None, frame: str | Point1 | None = None, axes: Sequence[Literal['x', 'y', 'z',
            'rx', 'ry', 'rz']] | None = None, box: Literal['limits'] | Box1 | None = None, qd_ref: ArrayLike |
            Mapping[str, Any] | None = None, qdd_ref: ArrayLike | Mapping[str, Any] | None = None, angles:
            Literal['rad', 'deg'] | None = None, idempotency_key: str | None = None
    ) -> Array | ForwardDynamicsResult:
        """Accelerations from joint torques.

        The qdd of M(q) qdd + C(q, qd) qd + gravity_torque(q) + friction(qd) + spring(q) = tau + J^T w. Where some
        motion meets no inertia the answer is 422 and names the joint. With constraints, qdd is that of M qdd + ...
        = tau + J^T w + A^T multipliers and A qdd = -dA/dt qd.

        Arguments:
            q: rad or m: nq numbers a sample
            qd: rad/s or m/s: nv numbers a sample; zero when left out
            tau: N m or N: nv numbers a sample; zero when left out
            joints: Another order of joints for every array of the request and the answer; names each moving joint
                once
            gravity: m/s^2 in the world frame, instead of the robot's own
            without: Terms to leave out of torque, `ledger`, `derivatives`, second derivatives and `checks`; rotors
                also of the matrices
            include: Further results, in the robot's own order or that of `joints`; not for NPY answers
            coriolis_form: Of `coriolis_matrix`; c1 and c2 are for robots without spherical and floating joints
                (default christoffel)
            frame: The point of `operational_space_inertia`
            axes: Directions of that inertia, along the world's axes; all when left out
            qd_ref: Of `passivity`: reference rates, nv numbers a sample
            qdd_ref: Of `passivity`: reference accelerations, nv numbers a sample
            angles: default rad
        """
        request: dict[str, Any] = {'q': q, 'qd': qd, 'tau': tau, 'joints': joints, 'external_wrenches':
            external_wrenches, 'gravity': gravity, 'without': without, 'include': include, 'payload':
            payload, 'coriolis_form': coriolis_form, 'frame': frame, 'axes': axes, 'box': box, 'qd_ref':
            qd_ref, 'qdd_ref': qdd_ref, 'angles': angles}
        if idempotency_key is None and only(request, ('q', 'qd', 'tau')):
            return self._arrays('forward-dynamics', request)
        return self._compute('forward-dynamics', ForwardDynamicsResult, request, idempotency_key)

    def terms(
            self, q: ArrayLike | Mapping[str, Any], include: Sequence[Literal['reactions', 'limits', 'mass_matrix',
            'mass_matrix_inverse', 'mass_matrix_bounds', 'mass_matrix_rate', 'mass_matrix_derivatives',
            'coriolis_matrix', 'coriolis_vector', 'christoffel_symbols', 'gravity_torque', 'friction', 'energy',
            'momentum', 'center_of_mass', 'center_of_mass_jacobian', 'centroidal_momentum', 'momentum_regressor',
            'operational_space_inertia', 'passivity', 'link_jacobians', 'link_jacobian_rates', 'ledger', 'derivatives',
            'second_derivatives', 'acceleration_second_derivatives', 'checks', 'drive', 'decoupling', 'multipliers',
            'constraint_power', 'actuation', 'constraint_jacobian', 'projectors', 'integrability']], qd: ArrayLike |
            Mapping[str, Any] | None = None, qdd: ArrayLike | Mapping[str, Any] | None = None, *, tau: Any | None =
            None, joints: Sequence[str] | None = None, external_wrenches: Sequence[Wrench] | None = None, gravity:
            ArrayLike | None = None, without: Sequence[Literal['friction', 'rotor', 'spring', 'gravity', 'external',
            'velocity', 'inertia']] | None = None, payload: Payload | None = None, coriolis_form: Literal['christoffel',
            'c1', 'c2', 'stacked'] | None = None, frame: str | Point1 | None = None, axes: Sequence[Literal['x', 'y',
            'z', 'rx', 'ry', 'rz']] | None = None, box: Literal['limits'] | Box1 | None = None, qd_ref: ArrayLike |
            Mapping[str, Any] | None = None, qdd_ref: ArrayLike | Mapping[str, Any] | None = None, angles:
            Literal['rad', 'deg'] | None = None, t: Any | None = None, violations: Any | None = None, duration_s: Any |
            None = None, binding: Any | None = None, provenance: Any | None = None, warnings: Any | None = None,
            read_as: Any | None = None, fourier: Any | None = None, score: Any | None = None, first_random: Any | None =
            None, tries: Any | None = None, improvements: Any | None = None, samples_judged: Any | None = None,
            base_parameters: Any | None = None, idempotency_key: str | None = None
    ) -> TermsResult:
        """Any terms of the equation of motion, in one pass.

        What `include` names, of each sample. Rates and accelerations that are left out are zero. Robots of more
        than 128 degrees of freedom get `mass_matrix`, `coriolis_vector`, `gravity_torque`, `energy`, `momentum` and
        `derivatives`, as far as memory reaches, those of up to 128 all (second derivatives up to 64); bounds over a
        `box` for chains of up to 180 joints, mimicking and fixed ones among them.

        Arguments:
            q: rad or m: nq numbers a sample
            include: Further results, in the robot's own order or that of `joints`; not for NPY answers
            qd: rad/s or m/s: zero when left out
            qdd: rad/s^2 or m/s^2: zero when left out
            tau: Not used: of an answer of `trajectory`
            joints: Another order of joints for every array of the request and the answer; names each moving joint
                once
            gravity: m/s^2 in the world frame, instead of the robot's own
            without: Terms to leave out of torque, `ledger`, `derivatives`, second derivatives and `checks`; rotors
                also of the matrices
            coriolis_form: Of `coriolis_matrix`; c1 and c2 are for robots without spherical and floating joints
                (default christoffel)
            frame: The point of `operational_space_inertia`
            axes: Directions of that inertia, along the world's axes; all when left out
            qd_ref: Of `passivity`: reference rates, nv numbers a sample
            qdd_ref: Of `passivity`: reference accelerations, nv numbers a sample
            angles: default rad
            t: Not used: of an answer of `trajectory`
            violations: Not used: of an answer of `trajectory`
            duration_s: Not used: of an answer of `trajectory`
            binding: Not used: of an answer of `trajectory`
            provenance: Not used: of an answer of `trajectory`
            warnings: Not used: of an answer of `trajectory`
            read_as: Not used: of an answer of `trajectory`
            fourier: Not used: of an answer of `excitation`
            score: Not used: of an answer of `excitation`
            first_random: Not used: of an answer of `excitation`
            tries: Not used: of an answer of `excitation`
            improvements: Not used: of an answer of `excitation`
            samples_judged: Not used: of an answer of `excitation`
            base_parameters: Not used: of an answer of `excitation`
        """
        return self._compute('terms', TermsResult, {'q': q, 'include': include, 'qd': qd, 'qdd': qdd, 'tau':
            tau, 'joints': joints, 'external_wrenches': external_wrenches, 'gravity': gravity, 'without':
            without, 'payload': payload, 'coriolis_form': coriolis_form, 'frame': frame, 'axes': axes,
            'box': box, 'qd_ref': qd_ref, 'qdd_ref': qdd_ref, 'angles': angles, 't': t, 'violations':
            violations, 'duration_s': duration_s, 'binding': binding, 'provenance': provenance, 'warnings':
            warnings, 'read_as': read_as, 'fourier': fourier, 'score': score, 'first_random': first_random,
            'tries': tries, 'improvements': improvements, 'samples_judged': samples_judged,
            'base_parameters': base_parameters}, idempotency_key)

    def kinematics(
            self, q: ArrayLike | Mapping[str, Any], qd: ArrayLike | Mapping[str, Any] | None = None, qdd: ArrayLike |
            Mapping[str, Any] | None = None, *, joints: Sequence[str] | None = None, frames: Sequence[str | Point1] |
            None = None, include: Sequence[Literal['jacobian', 'jacobian_rate']] | None = None, expressed_in:
            Literal['world', 'link', 'spatial'] | None = None, angles: Literal['rad', 'deg'] | None = None,
            idempotency_key: str | None = None
    ) -> KinematicsResult:
        """Poses of links and points, their velocities, accelerations and Jacobians.

        Positions, rotations (x_world = R x_link) and quaternions in the world frame. With `expressed_in` also
        Jacobians, 6 rows (v, then w) by one column for each of qd; with qd velocities, with qdd accelerations,
        which are the rates of change of the velocities' components. One sample with `frames` or `qd` has them along
        the world's axes if `expressed_in` is absent. A batch is returned for each frame as an array of samples.

        Arguments:
            q: rad or m
            qd: rad/s or m/s
            qdd: rad/s^2 or m/s^2: `qd` is zero when left out then
            joints: Another order of joints
            frames: All links if absent
            include: As `expressed_in` world, where that is absent: Jacobians of a batch; their rates of change at
                qd
            expressed_in: Of velocities and Jacobians. world: of the point, along the world's axes. link: of the
                point, along the link's axes. spatial: of the body's point that passes the world's origin, along the
                world's axes.
            angles: default rad
        """
        return self._compute('kinematics', KinematicsResult, {'q': q, 'qd': qd, 'qdd': qdd, 'joints':
            joints, 'frames': frames, 'include': include, 'expressed_in': expressed_in, 'angles': angles},
            idempotency_key)

    def statics(
            self, q: ArrayLike | Mapping[str, Any], endpoint_wrench: ConstantWrench, *, joints: Sequence[str] | None =
            None, joint_stiffness: ArrayLike | StaticsRequestJointStiffness1 | None = None, geometric: bool | None =
            None, gravity: ArrayLike | None = None, axes: Sequence[Literal['x', 'y', 'z', 'rx', 'ry', 'rz']] | None =
            None, angles: Literal['rad', 'deg'] | None = None, idempotency_key: str | None = None
    ) -> StaticsResult:
        """What holds a load, what the joints bear, how the endpoint gives way.

        `tau` = -J^T w holds the wrench w on the robot without gravity (for a force that the robot applies to the
        environment this is +J^T F); `gravity_torque` comes on top. The wrench of each joint is the one its parent
        exerts on its child link, gravity included; `bearing_...` is what is left of it when the drive's share is
        taken out. `compliance` is J K^-1 J^T; where the endpoint cannot give way at all, the directions are
        returned and `stiffness` is null. Friction and springs of the model take no part.

        Arguments:
            q: rad or m
            joints: Another order of joints
            joint_stiffness: N m/rad or N/m
            geometric: The load's own stiffness d(J^T w)/dq counts too; needs `joint_stiffness`
            gravity: m/s^2 in the world frame, instead of the robot's own
            axes: Directions of the compliance; all if absent
            angles: default rad
        """
        return self._compute('statics', StaticsResult, {'q': q, 'endpoint_wrench': endpoint_wrench,
            'joints': joints, 'joint_stiffness': joint_stiffness, 'geometric': geometric, 'gravity':
            gravity, 'axes': axes, 'angles': angles}, idempotency_key)

    def regressor(
            self, q: ArrayLike | Mapping[str, Any] | None = None, qd: ArrayLike | Mapping[str, Any] | None = None, qdd:
            ArrayLike | Mapping[str, Any] | None = None, *, joints: Sequence[str] | None = None, gravity: ArrayLike |
            None = None, parameters: Sequence[Literal['rotor', 'viscous', 'coulomb', 'offset', 'stiffness']] | None =
            None, form: Literal['base'] | None = None, angles: Literal['rad', 'deg'] | None = None, idempotency_key: str
            | None = None
    ) -> RegressorResult:
        """Torque as a linear function of parameters.

        tau = regressor parameter_values, up to the terms that have no column: friction and rotors come with
        `parameters`. Parameters of a link are about its own frame's origin. With `?form=base`: the smallest set
        that torque depends on, each with the combination that it represents; q, qd and qdd may then be left out.

        Arguments:
            q: rad or m: may be left out with `form=base` only
            qd: rad/s or m/s: zero when left out
            qdd: rad/s^2 or m/s^2: zero when left out
            joints: Another order of joints
            gravity: m/s^2 in the world frame, instead of the robot's own
            parameters: Of joints; the ten of each link always come
            form: The same as `?form=base`, for jobs, which have no query
            angles: default rad
        """
        return self._compute('regressor', RegressorResult, {'q': q, 'qd': qd, 'qdd': qdd, 'joints': joints,
            'gravity': gravity, 'parameters': parameters, 'form': form, 'angles': angles}, idempotency_key)

    def inverse_kinematics(
            self, frame: str | Point1 | None, pose: Pose, *, axes: Sequence[Literal['x', 'y', 'z', 'rx', 'ry', 'rz']] |
            None = None, joints: Sequence[str] | None = None, initial: ArrayLike | Mapping[str, Any] | None = None,
            limits: bool | None = None, solutions: int | None = None, seeds: int | None = None, iterations: int | None =
            None, tolerance: InverseKinematicsRequestTolerance | None = None, angles: Literal['rad', 'deg'] | None =
            None, idempotency_key: str | None = None
    ) -> InverseKinematicsResult:
        """Coordinates that bring a point of a link to a pose.

        By damped least squares from many starts (a Halton sequence over the limits: the same request gives the same
        answer). For a pose out of reach `solutions` is empty, and `nearest` has the smallest error reached. Axes
        are the world's. Solutions are sorted by distance to `initial` (nearest to the middle of the limits without
        it); `branch` numbers those found by their coordinates, so that it does not depend on `initial`. A redundant
        arm has infinitely many solutions; the first ones found are returned.

        Arguments:
            frame: The link that the robot ends in if absent; needed where it ends in several
            pose: Of the frame in the world
            axes: Controlled axes; if absent those that the pose contains
            joints: Another order of joints
            initial: Coordinates to begin with
            limits: Stay inside the joints' limits (default true)
            solutions: The search stops at so many (default 8)
            seeds: Starts (default 64)
            iterations: Of each start (default 200)
            angles: default rad
        """
        return self._compute('inverse-kinematics', InverseKinematicsResult, {'frame': frame, 'pose': pose,
            'axes': axes, 'joints': joints, 'initial': initial, 'limits': limits, 'solutions': solutions,
            'seeds': seeds, 'iterations': iterations, 'tolerance': tolerance, 'angles': angles},
            idempotency_key)

    def manipulability(
            self, q: ArrayLike | Mapping[str, Any], frame: str | Point1, *, axes: Sequence[Literal['x', 'y', 'z', 'rx',
            'ry', 'rz']] | None = None, joints: Sequence[str] | None = None, angles: Literal['rad', 'deg'] | None =
            None, idempotency_key: str | None = None
    ) -> ManipulabilityResult:
        """How well, and in which directions, a point can be moved.

        The velocity ellipsoid of the rows `axes` of a point's Jacobian, J = sum_k s_k u_k v_k^T: joint velocities
        of unit length along v_k move the point by s_k along u_k. Torques of unit length hold forces 1/s_k along
        u_k. `manipulability` is sqrt(det(J J^T)), 0 in a singular configuration. Rows x, y, z and rx, ry, rz
        together mix m and rad: choose those of one kind.

        Arguments:
            q: rad or m
            axes: All six if absent
            joints: Another order of joints
            angles: default rad
        """
        return self._compute('manipulability', ManipulabilityResult, {'q': q, 'frame': frame, 'axes': axes,
            'joints': joints, 'angles': angles}, idempotency_key)

    def trajectory(
            self, interval_s: float | None = None, *, waypoints: Sequence[ArrayLike | Mapping[str, Any]] | None = None,
            poses: Sequence[Pose] | None = None, fourier: TrajectoryFourier | None = None, frame: str | Point1 | None =
            None, axes: Sequence[Literal['x', 'y', 'z', 'rx', 'ry', 'rz']] | None = None, initial: ArrayLike |
            Mapping[str, Any] | None = None, timing: Literal['linear', 'cubic', 'quintic', 'septic', 'trapezoid',
            'spline'] | None = None, blend: float | None = None, times_s: ArrayLike | None = None, durations_s:
            ArrayLike | None = None, duration_s: float | None = None, limits: TrajectoryRequestLimits | None = None,
            payload: Payload | None = None, joints: Sequence[str] | None = None, angles: Literal['rad', 'deg'] | None =
            None, idempotency_key: str | None = None
    ) -> TrajectoryResult:
        """Motion through waypoints, in joint or Cartesian space, sampled.

        The answer can be sent to inverse-dynamics as it is, and is a `reference.table` of a controller. One of
        `waypoints` (at rest at each, except along a spline), `poses` (straight lines of a point, turning about one
        axis between two poses; the branch is chosen by `initial`) or `fourier` (a periodic excitation: q = offset +
        sum_k a_k sin(k w t) / (k w) - b_k cos(k w t) / (k w)). Limits of the robot that the motion breaks are
        reported, with the worst sample of each, and not enforced. Samples are `interval_s` apart from the first
        time to the last one that is not later than the end. With `limits` the times are the shortest that the
        limits allow, from time 0, and the last sample is the end: `trapezoid` and `s-curve` go from rest to rest
        between waypoints, each joint by its own profile, all slowed to the slowest (no straight line in the space
        of joints); `time-optimal` is the fastest motion along a given path (TOPP-RA), where the limits hold between
        grid points too, to 1e-6 of them. Torques are those of inverse-dynamics, with friction.

        Arguments:
            interval_s: s (default 0.01)
            frame: With `poses`; the link that the robot ends in if absent
            axes: With `poses`; if absent those of which the poses say something
            initial: With `poses`: coordinates near the first one
            limits: Times out of limits, in place of `timing` and times: of waypoints, or (time-optimal) of poses
            payload: With times out of limits: torques are those of the robot that carries it
            joints: Another order of joints
            angles: default rad
        """
        return self._compute('trajectory', TrajectoryResult, {'interval_s': interval_s, 'waypoints':
            waypoints, 'poses': poses, 'fourier': fourier, 'frame': frame, 'axes': axes, 'initial': initial,
            'timing': timing, 'blend': blend, 'times_s': times_s, 'durations_s': durations_s, 'duration_s':
            duration_s, 'limits': limits, 'payload': payload, 'joints': joints, 'angles': angles},
            idempotency_key)

    def simulate(
            self, initial: SimulateInitial, duration_s: float, output: SimulateOutput | None = None, *, input:
            TorqueTable | Controller | ConstrainedController | OperationalController | None = None, disturbance:
            Sequence[PulseDisturbance | SineDisturbance | NoiseDisturbance | TableDisturbance] | None = None,
            external_wrenches: Sequence[WrenchOverTime] | None = None, payload: Payload | None = None, contacts:
            SimulateContacts | None = None, events: Sequence[EventRule] | None = None, solver: SimulateSolver | None =
            None, gravity: ArrayLike | None = None, without: Sequence[Literal['friction', 'rotor', 'spring', 'gravity']]
            | None = None, include: Sequence[Literal['qdd', 'multipliers', 'energy', 'momentum', 'base_reaction',
            'tracking_error']] | None = None, verdict: SimulateRequestVerdict | None = None, drives: SimulateDrives |
            None = None, joints: Sequence[str] | None = None, angles: Literal['rad', 'deg'] | None = None,
            idempotency_key: str | None = None, progress: bool | None = None
    ) -> SimulateResult:
        """Motion under given torques or a controller.

        Friction and springs of the model act; limits only with `events`. Dry friction that is not smoothed holds a
        joint that sticks until its torque exceeds breakaway, and a closed loop until its joints together cannot
        hold it: `events` report stick and slip. The state is returned at time 0, then at every multiple of
        `interval_s` up to the duration, or at `times_s`; steps land there, on samples of controllers and wherever
        an input is not smooth. A run that diverges is also answered with 200: everything up to its end and the last
        state, and `verdict` with time and cause. Answers 200 with the result when it comes within the wait: N
        seconds of `Prefer: wait=N` (60 at most), else the setting `wait` (10 s). Later it is 202 with the job,
        which goes on: its result is at `Location` + `/result`. `Prefer: respond-async` is 202 at once. `Preference-
        Applied` states what holds. The job of a 200 is kept for an hour, with `respond-async` or an Idempotency-Key
        for 30 days.

        Arguments:
            gravity: m/s^2 in the world frame, instead of the robot's own
            include: Arrays over time. `momentum` adds its balance to the audit
            verdict: What the verdict shall judge by
            angles: Of `initial`, of `reference` and of levels of q and qd; results are in rad (default rad)
        """
        return self._compute('simulate', SimulateResult, {'initial': initial, 'duration_s': duration_s,
            'output': output, 'input': input, 'disturbance': disturbance, 'external_wrenches':
            external_wrenches, 'payload': payload, 'contacts': contacts, 'events': events, 'solver': solver,
            'gravity': gravity, 'without': without, 'include': include, 'verdict': verdict, 'drives':
            drives, 'joints': joints, 'angles': angles}, idempotency_key, progress)

    def excitation(
            self, *, parameters: Sequence[Literal['rotor', 'viscous', 'coulomb', 'offset', 'stiffness']] | None = None,
            frequency_hz: float | None = None, period_s: float | None = None, harmonics: int | None = None, limits:
            ExcitationRequestLimits | None = None, criterion: Literal['torque-error', 'condition', 'determinant'] | None
            = None, torque_noise: ArrayLike | Mapping[str, Any] | None = None, recorded: Sequence[Mapping[str, Any]] |
            None = None, task: Sequence[ExcitationTask] | None = None, identify: Literal['robot', 'payload'] | None =
            None, link: str | None = None, shapes: Sequence[CollisionShape] | None = None, exclude:
            Sequence[Sequence[str]] | None = None, adjacent: bool | None = None, clearance_m: float | None = None,
            tries: int | None = None, seed: int | None = None, interval_s: float | None = None, joints: Sequence[str] |
            None = None, angles: Literal['rad', 'deg'] | None = None, gravity: ArrayLike | None = None, idempotency_key:
            str | None = None, progress: bool | None = None
    ) -> ExcitationResult:
        """Motion to record, from which `calibrate` can identify the parameters.

        A periodic motion, q = offset + sum_k a_k sin(k w t) / (k w) - b_k cos(k w t) / (k w), that begins and ends
        each period at rest, keeps the limits of position, velocity, acceleration and torque, and from which the
        fitted torque is as exact as the search achieves: by random motions, then along the gradient by L-BFGS.
        `fourier` of the answer may be sent to `trajectory` unchanged, the whole answer is a `reference` of a
        controller of `simulate`, and with `interval_s` a request to `inverse-dynamics`. With `shapes` solids keep
        their distance, else collisions are not checked: narrow the limits. A revolute joint without limits moves
        half a turn either way. The same request gives the same motion. Answers 200 with the result when it comes
        within the wait: N seconds of `Prefer: wait=N` (60 at most), else the setting `wait` (10 s). Later it is 202
        with the job, which goes on: its result is at `Location` + `/result`. `Prefer: respond-async` is 202 at
        once. `Preference-Applied` states what holds. The job of a 200 is kept for an hour, with `respond-async` or
        an Idempotency-Key for 30 days.

        Arguments:
            parameters: Of joints; the ten of each link always come
            frequency_hz: Hz: one period is one over it (default 0.1)
            period_s: s: the same, instead of it: the motion repeats after so long
            harmonics: More of them expect less error: 20 a tenth less than 10, 5 up to a sixth more. They are
                faster, up to the limits, and take time in proportion (default 10)
            limits: One number for each of qd, instead of the robot's own, or by joint: `{"elbow": 1}`, where the
                others keep theirs; `acceleration` has no other source
            criterion: Least expected error of the torque at random states within the limits (I-optimal), least
                condition of the base regressor with columns of one length, or the largest determinant of its normal
                matrix (D-optimal). The first calibrates best: `score.torque_error` (default torque-error)
            torque_noise: N m or N: Standard deviation of the measured torque, by joint; 1 % of the limit of effort,
                or of the torque's rms where there is none. What counts are the ratios between joints
            recorded: Motions of which logs exist: earlier answers of this operation, or `{"fourier": {...}}`. The
                motion found is the one that adds most to them, and every score is of all together
            task: Motions that the model is for: `torque-error` is then that of their torque, instead of random
                states
            identify: payload: the motion is for `payload`: the robot's own parameters are known, and the ten of a
                body on `link` are not, nor are `parameters` of the joints (default robot)
            link: That carries the payload; left out: the link after the most moving joints
            shapes: Solids fixed to links, and obstacles, that the motion keeps apart
            exclude: Pairs to leave out, by names of shapes, or of links for all their shapes
            adjacent: Include pairs of links that one joint connects (default false)
            clearance_m: m: Least distance of a pair, at a hundred samples of the highest harmonic's period (default
                0.02)
            tries: Motions: a fifth at random, 25 at most; then those of descents along the gradient, each from
                another random motion and some 100 long. By condition: a fifth at random, then changes of the best
                (default 200)
            seed: default 0
            interval_s: s: with it, the answer has samples of one period
            joints: Another order of joints
            angles: Of `limits`, and of the answer (default rad)
            gravity: m/s^2 in the world frame, instead of the robot's own
        """
        return self._compute('excitation', ExcitationResult, {'parameters': parameters, 'frequency_hz':
            frequency_hz, 'period_s': period_s, 'harmonics': harmonics, 'limits': limits, 'criterion':
            criterion, 'torque_noise': torque_noise, 'recorded': recorded, 'task': task, 'identify':
            identify, 'link': link, 'shapes': shapes, 'exclude': exclude, 'adjacent': adjacent,
            'clearance_m': clearance_m, 'tries': tries, 'seed': seed, 'interval_s': interval_s, 'joints':
            joints, 'angles': angles, 'gravity': gravity}, idempotency_key, progress)

    def ensemble(
            self, initial: SimulateInitial, duration_s: float, output: SimulateOutput | None, vary: Sequence[Variation],
            *, input: TorqueTable | Controller | ConstrainedController | OperationalController | None = None,
            disturbance: Sequence[PulseDisturbance | SineDisturbance | NoiseDisturbance | TableDisturbance] | None =
            None, external_wrenches: Sequence[WrenchOverTime] | None = None, payload: Payload | None = None, solver:
            SimulateSolver | None = None, gravity: ArrayLike | None = None, without: Sequence[Literal['friction',
            'rotor', 'spring', 'gravity']] | None = None, joints: Sequence[str] | None = None, angles: Literal['rad',
            'deg'] | None = None, drives: SimulateDrives | None = None, events: Sequence[EventRule] | None = None,
            members: int | None = None, seed: int | None = None, quantiles: ArrayLike | None = None, return_members:
            Sequence[int] | None = None, only: Sequence[int] | None = None, end_states: bool | None = None,
            idempotency_key: str | None = None, progress: bool | None = None
    ) -> EnsembleResult:
        """Many simulations with varied parameters, initial states or inputs.

        A simulation, and quantities that vary between its members: starts, constant torques, masses, friction, a
        payload, gains, disturbances. Lists and grids make a product; with random variations each point of it has
        `members` members. Member k has the same bits whatever the others are; `only` repeats some of them. The
        default `solver` is that of a simulation, dopri87 to 1e-9; `stats` has the steps taken, `findings` whether
        some diverged. rk4, semi-implicit-euler, dopri45 and dopri87 run members in parallel lanes, the latter two
        each by steps of its own; by equal steps a member has the bits of the simulation with its numbers, by
        adaptive ones it agrees with it within the tolerance. Other methods, events, dry friction that sticks,
        varied masses of robots with constraints or joints that follow others, and varied gains or disturbances run
        members one by one, still on all workers. A member that diverges or is stopped by an event ends, and
        statistics are those of the remaining ones. Each initial state is projected onto the robot's constraints.
        Answers 200 with the result when it comes within the wait: N seconds of `Prefer: wait=N` (60 at most), else
        the setting `wait` (10 s). Later it is 202 with the job, which goes on: its result is at `Location` +
        `/result`. `Prefer: respond-async` is 202 at once. `Preference-Applied` states what holds. The job of a 200
        is kept for an hour, with `respond-async` or an Idempotency-Key for 30 days.

        Arguments:
            angles: Of `initial`, of `reference`, of levels and of `vary`, where it is of q and qd; results are in
                rad (default rad)
            members: Members for each point of lists and grids; only where something is drawn, and then needed
            seed: default 0
            return_members: Members whose whole motion is returned, by their place
            only: Runs these members alone
            end_states: The last state of every member, and what it was given (default false)
        """
        return self._compute('ensemble', EnsembleResult, {'initial': initial, 'duration_s': duration_s,
            'output': output, 'vary': vary, 'input': input, 'disturbance': disturbance, 'external_wrenches':
            external_wrenches, 'payload': payload, 'solver': solver, 'gravity': gravity, 'without': without,
            'joints': joints, 'angles': angles, 'drives': drives, 'events': events, 'members': members,
            'seed': seed, 'quantiles': quantiles, 'return_members': return_members, 'only': only,
            'end_states': end_states}, idempotency_key, progress)

    def calibrate(
            self, datasets: Sequence[str | CalibrateDataset1], *, columns: LogColumns | None = None, units: LogUnits |
            None = None, scale: LogScale | None = None, rate_hz: float | None = None, rows: ArrayLike | None = None,
            filter: LogFilter | None = None, delay_s: float | None = None, joints: Sequence[str] | None = None,
            controller: CalibrateController | None = None, at_rest: Mapping[str, Any] | None = None, contacts:
            Sequence[str] | None = None, external_wrenches: Sequence[CalibrateWrench] | None = None, model:
            CalibrateRequestModel | None = None, method: Literal['feasible', 'ols', 'wls', 'irls', 'tls', 'ridge',
            'bounded', 'iv', 'feasible-iv', 'feasible-didim'] | None = None, bounds: CalibrateRequestBounds | None =
            None, compare: Sequence[Literal['feasible', 'ols', 'wls', 'tls', 'ridge', 'bounded', 'iv', 'feasible-iv',
            'entropic', 'idim-iv', 'feasible-idim-iv', 'didim', 'feasible-didim']] | None = None, lag_s: float | None =
            None, prior: ArrayLike | None = None, ridge: float | None = None, bootstrap: int | None = None, covariance:
            bool | None = None, column_noise: float | None = None, prior_weight: float | None = None, confidence: float
            | None = None, validate: Literal['leave-one-out', 'none'] | Sequence[str | CalibrateDataset1] | None = None,
            points: int | None = None, idempotency_key: str | None = None, progress: bool | None = None
    ) -> CalibrateResult:
        """Parameters from measured motion.

        Each dataset is one experiment. Logs are read in windows, so they may be larger than memory. The answer
        states what the motion identifies and what it does not, the uncertainty of each parameter, and a new robot
        with the results. With the job come a report page (`GET /v1/jobs/{id}/report`), `result/robot.urdf`,
        `result/parameters.h`, `result/parameters.csv` (CSV of the result is this one) and `result/prediction.csv`:
        measured, predicted and residual torques, by log, time and joint. Answers 200 with the result when it comes
        within the wait: N seconds of `Prefer: wait=N` (60 at most), else the setting `wait` (10 s). Later it is 202
        with the job, which goes on: its result is at `Location` + `/result`. `Prefer: respond-async` is 202 at
        once. `Preference-Applied` states what holds. The job of a 200 is kept for an hour, with `respond-async` or
        an Idempotency-Key for 30 days.

        Arguments:
            datasets: A fit works in 256 MiB, and in twice the columns where it has instruments: 413 at `/datasets`
                where logs and parameters need more, as one log of 64 joints with all parameters does, or of 40 by
                `iv` or `feasible-iv`
            rate_hz: Hz: of rows without a clock, or of the even clock to be made
            rows: [first, one past the last], from 0, or several such ranges
            delay_s: Lag of the logged q, qd and qdd behind tau; at most 4 samples or 50 ms. Left out: 0; in
                calibrations where `friction` is left out and the robot has no Coulomb friction yet: what explains
                the torque best
            joints: Another order of joints for every array of the request and the answer; names each moving joint
                once
            at_rest: Joints that were at rest and have no columns: the position of each by its name, as in `lock` of
                a robot's operations (a base by its array). The rest of the robot is identified, `joints` and
                columns are those that moved, and `robot` is the whole robot. Links that no joint moved against each
                other are one body: the sum is identified, not each share
            contacts: Of a robot with a floating base: the links that something touched in the logs (feet on the
                floor, a hand on a table). Forces there are not logged, so torques of the joints between them and
                the root, and the wrench on the base, are left out. []: nothing touched the robot, as in flight;
                then nothing but gravity acts on the base, and its six equations have torque 0. Needed where `tau`
                is that of the joints alone; without it `tau` has six columns of the wrench on the base as well (its
                coordinates' generalised forces)
            external_wrenches: Forces and moments of the environment that the logs have columns of: soles with
                sensors, a handle. Their generalised forces J^T w are added to the torque of each row, so that what
                is left is the robot's own. Of a robot with a floating base nothing else then touches it but what
                `contacts` names
            method: iv and feasible-iv fit against instruments, the same columns a little earlier and later: noise
                of position, which draws least squares' inertias to zero when the cut-off is high or the encoder
                coarse, does not bias them. Each parameter then states what least squares would give. Left out:
                feasible, or feasible-iv where the noise of the logs would move some parameter by more than one
                standard deviation (see `noise`). feasible-didim: output error, see `compare`, after a fit by
                feasible, with everything that feasible has: noise of position is in no column
            bounds: What is known of masses and centres of mass: weighed, or from CAD. The feasible fit stays
                within, and `feasibility.bounds` states which of them change it and their price. Where a fit without
                bounds is within them, it is the result. Only with method feasible and feasible-iv. A range of one
                value is a given value, to 1e-6 of a mass and 1e-6 m
            compare: Other estimators on the same logs and the same columns: `comparison` of the answer. The result
                stays that of `method`. entropic: feasible with a thousand times the `prior_weight`, drawn to the
                robot's own bodies (Lee, Wensing and Park 2020). idim-iv: instruments are the columns along a
                simulation that follows the logs (Janot, Vandanjon and Gautier 2014). didim: output error, torque
                against the columns along that simulation alone (Gautier, Janot and Vandanjon 2013); with
                `controller` both simulate its loop, else one that draws them to the logs at 1.5 Hz. irls reads the
                logs by its own weights: name it as `method`
            lag_s: Of instruments; left out: two periods of the cut-off, less where the motion is faster
            prior: Values of all parameters, in the order of the regressor's columns; left out: the robot's
            ridge: Of ridge: weight of the prior relative to the objective (default 0.0001)
            bootstrap: Draws with replacement, of experiments where there are four or more, else of segments of
                time, raised as `standard_deviation` is where two or three experiments differ: a second opinion on
                deviations (default 0)
            covariance: Answer with the covariance of the parameters (default false)
            column_noise: Of tls: noise of every column as a part of its RMS. Where the fit goes elsewhere than the
                noise of the logs explains, `reasons` says so (default 0.0003)
            prior_weight: Of feasible: weight of the prior where the data do not identify a parameter (default
                1e-05)
            confidence: default 0.95
            validate: Left out, leave-one-out where there are several datasets. Rows that are fitted as well are
                refused
            points: Samples returned of each prediction (default 1000)
        """
        return self._compute('calibrate', CalibrateResult, {'datasets': datasets, 'columns': columns,
            'units': units, 'scale': scale, 'rate_hz': rate_hz, 'rows': rows, 'filter': filter, 'delay_s':
            delay_s, 'joints': joints, 'controller': controller, 'at_rest': at_rest, 'contacts': contacts,
            'external_wrenches': external_wrenches, 'model': model, 'method': method, 'bounds': bounds,
            'compare': compare, 'lag_s': lag_s, 'prior': prior, 'ridge': ridge, 'bootstrap': bootstrap,
            'covariance': covariance, 'column_noise': column_noise, 'prior_weight': prior_weight,
            'confidence': confidence, 'validate': validate, 'points': points}, idempotency_key, progress)

    def payload(
            self, datasets: Sequence[str | CalibrateDataset1], *, reference: Sequence[str | CalibrateDataset1] | None =
            None, columns: LogColumns | None = None, units: LogUnits | None = None, scale: LogScale | None = None,
            rate_hz: float | None = None, rows: ArrayLike | None = None, filter: LogFilter | None = None, delay_s: float
            | None = None, joints: Sequence[str] | None = None, link: str | None = None, from_: Literal['auto',
            'motion', 'poses'] | None = None, friction: Sequence[Literal['viscous', 'coulomb', 'offset']] | None = None,
            confidence: float | None = None, idempotency_key: str | None = None
    ) -> PayloadResult:
        """The body that a calibrated robot carries, from motion or from poses at rest.

        Mass, centre and inertia of a body fixed to one link, from logs of a robot whose own parameters are known:
        calibrate it first, PUT its `robot`, then record it with the payload. Intervals are a jackknife over
        segments of time, and take the robot's own parameters as exact: with `reference`, logs of the robot without
        payload, the model's error at the carrying link is fitted and removed. Motion of all joints that carry the
        link is used; data at rest identify mass and centre, but no inertia. A value that the data do not identify
        is null. `payload` can be sent to inverse-dynamics, terms and simulate; `robot` has it welded on, and
        result/robot.urdf of the job is the same as URDF.

        Arguments:
            datasets: Logs with the payload
            reference: Logs of the robot without it
            rate_hz: Hz: of rows without a clock, or of the even clock to be made
            rows: [first, one past the last], from 0, or several such ranges
            delay_s: Lag of the logged q, qd and qdd behind tau; at most 4 samples or 50 ms. Left out: 0; in
                calibrations where `friction` is left out and the robot has no Coulomb friction yet: what explains
                the torque best
            joints: Another order of joints for every array of the request and the answer; names each moving joint
                once
            link: The carrying link; left out: the link after the most moving joints
            from_: auto: motion, where a carrying joint moves in a twentieth of the samples (default auto)
            friction: Fitted for each joint as a change of the robot's friction, which depends on load and
                temperature. Left out: all three. With motion only
            confidence: default 0.95
        """
        return self._compute('payload', PayloadResult, {'datasets': datasets, 'reference': reference,
            'columns': columns, 'units': units, 'scale': scale, 'rate_hz': rate_hz, 'rows': rows, 'filter':
            filter, 'delay_s': delay_s, 'joints': joints, 'link': link, 'from': from_, 'friction': friction,
            'confidence': confidence}, idempotency_key)

    def residual(
            self, datasets: Sequence[str | CalibrateDataset1], *, quiet: Sequence[str | CalibrateDataset1] | None =
            None, columns: LogColumns | None = None, units: LogUnits | None = None, scale: LogScale | None = None,
            rate_hz: float | None = None, rows: ArrayLike | None = None, filter: LogFilter | None = None, delay_s: float
            | None = None, joints: Sequence[str] | None = None, gain_hz: float | None = None, sigma: ArrayLike | None =
            None, threshold: ArrayLike | None = None, false_alarms_per_day: float | None = None, persistent_s: float |
            None = None, idempotency_key: str | None = None
    ) -> ResidualResult:
        """External torque on a calibrated robot that its model does not explain: contacts, and drifting friction.

        A momentum observer over logs: the torque that the robot's own parameters do not explain, through a first-
        order lag, without accelerations. A contact differs from drift by its duration. The threshold of each joint
        follows from the noise and from the allowed false alarms per day. Noise is that of `quiet` logs, `sigma`, or
        the logs themselves by medians. Friction drifts if the residual torque depends on speed more and more over
        the logs, in their order. By default nothing is filtered: a filter spreads a contact over its own length,
        and is meant for logs with few samples.

        Arguments:
            quiet: Logs without contact: their rms is the noise, and thresholds are above their worst
            rate_hz: Hz: of rows without a clock, or of the even clock to be made
            rows: [first, one past the last], from 0, or several such ranges
            filter: Left out: none
            delay_s: Lag of the logged q, qd and qdd behind tau; at most 4 samples or 50 ms. Left out: 0; in
                calibrations where `friction` is left out and the robot has no Coulomb friction yet: what explains
                the torque best
            joints: Another order of joints for every array of the request and the answer; names each moving joint
                once
            gain_hz: Of the observer: after time t it shows the part 1 - exp(-2 pi gain t) of a step in external
                torque (default 20)
            sigma: N m or N: Standard deviation of the observer's output without contact, one a joint, in the order
                of `joints`: such as validation.rmse of a calibration
            threshold: N m or N: One a joint; left out: by false_alarms_per_day
            false_alarms_per_day: Of all joints together (default 1)
            persistent_s: s: A longer one is a change of the robot, not a contact (default 10)
        """
        return self._compute('residual', ResidualResult, {'datasets': datasets, 'quiet': quiet, 'columns':
            columns, 'units': units, 'scale': scale, 'rate_hz': rate_hz, 'rows': rows, 'filter': filter,
            'delay_s': delay_s, 'joints': joints, 'gain_hz': gain_hz, 'sigma': sigma, 'threshold':
            threshold, 'false_alarms_per_day': false_alarms_per_day, 'persistent_s': persistent_s},
            idempotency_key)

    def calibrate_kinematics(
            self, q: ArrayLike | Mapping[str, Any], *, position: ArrayLike | None = None, quaternion_wxyz: ArrayLike |
            None = None, plane: Sequence[int] | None = None, frame: str | Point1 | None = None, identify:
            Literal['zeros', 'frames'] | None = None, only: Sequence[str] | None = None, base: Pose | None = None, tool:
            Pose | None = None, noise: CalibrateKinematicsRequestNoise | None = None, weights: ArrayLike | None = None,
            limits: CalibrateKinematicsRequestLimits | None = None, robust: bool | None = None, folds: int | None =
            None, confidence: float | None = None, joints: Sequence[str] | None = None, angles: Literal['rad', 'deg'] |
            None = None, idempotency_key: str | None = None
    ) -> CalibrateKinematicsResult:
        """Zero offsets and errors of joints' frames from measured poses, points, or a touched plane.

        Weighted nonlinear least squares from the robot's own parameters, with intervals, cross-validation and a
        verdict. Measured are, for each q: full poses of a frame (`position` and `quaternion_wxyz`) or positions of
        a point (`position`) in a tracker's frame, or the number of the unknown plane that the point touches
        (`plane`). Base (the robot's root in the tracker's frame), tool (the frame or point on its link) and planes
        are identified too. A parameter that no set of poses can separate from others is a part of these, and
        `not_identified` says of which: the zero of the first joint is a turn of an unknown base. `robot` has the
        parameters in the origins of its joints, ready for PUT; result/robot.urdf of the job is the same as URDF.

        Arguments:
            q: rad or m: Of each pose, as the joints' sensors have them; 100000 poses at most
            position: m: Measured, in the tracker's frame
            quaternion_wxyz: Measured rotation of the frame, beside `position`
            plane: Number of the plane that is touched: 0, or 0 to n - 1 with four poses each
            frame: The link that carries the target, or the tip; `at`: where the search of the tool begins. The link
                that the robot ends in if absent
            identify: frames: also shift and turn of each joint's frame, six numbers (default zeros)
            only: Joints whose parameters are unknown; left out: all that move the link
            base: Of the robot's root in the tracker's frame, where it is known
            tool: Of the frame on its link, where it is known; of a point its position
            noise: Standard deviations of the measurement; left out: those of the residuals
            weights: Inverse variances of the poses relative to each other
            limits: Largest absolute values; left out: none
            robust: Outlying poses are left out. They are named in any case (default false)
            folds: Of the cross-validation: poses are left out in turn (default 5)
            confidence: default 0.95
            joints: Another order of joints for every array of the request and the answer; names each moving joint
                once
            angles: Also of `value` of zeros (default rad)
        """
        return self._compute('calibrate-kinematics', CalibrateKinematicsResult, {'q': q, 'position':
            position, 'quaternion_wxyz': quaternion_wxyz, 'plane': plane, 'frame': frame, 'identify':
            identify, 'only': only, 'base': base, 'tool': tool, 'noise': noise, 'weights': weights,
            'limits': limits, 'robust': robust, 'folds': folds, 'confidence': confidence, 'joints': joints,
            'angles': angles}, idempotency_key)

    def distance(
            self, q: ArrayLike | Mapping[str, Any], shapes: Sequence[CollisionShape], *, exclude:
            Sequence[Sequence[str]] | None = None, adjacent: bool | None = None, joints: Sequence[str] | None = None,
            angles: Literal['rad', 'deg'] | None = None, idempotency_key: str | None = None
    ) -> DistanceResult:
        """Distances between shapes of the robot, and from shapes to obstacles.

        Signed distances, nearest points and normals of all pairs of the shapes in the request, at one configuration
        or at each of a batch. A distance below 0 is the penetration depth: the length of the shortest separating
        translation. Shapes of one rigid body make no pair; shapes of links that one joint connects make one only
        with `adjacent`. Obstacles are shapes of the `world`. Closed forms, exact to rounding.

        Arguments:
            q: rad or m
            exclude: Pairs to leave out, by names of shapes, or of links for all their shapes
            adjacent: Include pairs of links that one joint connects (default false)
            joints: Another order of joints
            angles: default rad
        """
        return self._compute('distance', DistanceResult, {'q': q, 'shapes': shapes, 'exclude': exclude,
            'adjacent': adjacent, 'joints': joints, 'angles': angles}, idempotency_key)

    def assemble(
            self, q: Mapping[str, Any], qd: Mapping[str, Any] | None = None, qdd: Mapping[str, Any] | None = None, *,
            near: ArrayLike | Mapping[str, Any] | None = None, joints: Sequence[str] | None = None, angles:
            Literal['rad', 'deg'] | None = None, idempotency_key: str | None = None
    ) -> AssembleResult:
        """The whole motion of closed loops, from that of the joints that are given.

        For a robot with constraints, such as a four-bar linkage of which the crank angle is known: the joints that
        `q` names keep these positions, and all others are moved by Newton's method until the constraints are
        satisfied to 1e-9 m or rad. Given joints go from their positions in `near` to those of the first sample, and
        from sample to sample, in steps of at most 0.1 rad or m, so that the others stay on the branch of `near`.
        With `qd` or `qdd` the rates and accelerations of all joints follow. Where the loop cannot be closed the
        answer is 422, with the row that stays open. What it returns is q, qd and qdd of `inverse-dynamics` or
        `initial` of `simulate`.

        Arguments:
            q: Positions by joint of one freedom: a number, or an array of them, one for each sample
            qd: Rates of the same joints; 0 where it is absent
            qdd: Accelerations of the same joints; 0 where it is absent
            near: rad or m: A configuration on the branch that is meant; the robot's `assembled` if absent
            joints: Another order of joints
            angles: default rad
        """
        return self._compute('assemble', AssembleResult, {'q': q, 'qd': qd, 'qdd': qdd, 'near': near,
            'joints': joints, 'angles': angles}, idempotency_key)

    def static_poses(
            self, *, poses: int | None = None, candidates: int | None = None, parameters: Sequence[Literal['offset',
            'stiffness']] | None = None, criterion: Literal['torque-error', 'determinant'] | None = None, limits:
            StaticPosesRequestLimits | None = None, torque_noise: ArrayLike | Mapping[str, Any] | None = None, identify:
            Literal['robot', 'payload'] | None = None, link: str | None = None, load: StaticPosesRequestLoad | None =
            None, shapes: Sequence[CollisionShape] | None = None, exclude: Sequence[Sequence[str]] | None = None,
            adjacent: bool | None = None, clearance_m: float | None = None, dwell_s: float | None = None, seed: int |
            None = None, joints: Sequence[str] | None = None, angles: Literal['rad', 'deg'] | None = None, gravity:
            ArrayLike | None = None, idempotency_key: str | None = None
    ) -> StaticPosesResult:
        """Poses at rest to record, from which gravity or a payload can be identified.

        Chosen among random poses one by one and then exchanged while that lowers the expected error of the torque
        at rest over the whole range, in the order of a short tour: for robots that should not or need not move
        fast, for drive gains with known loads, and for payloads (`payload` with `from: poses`). Gears hold a pose
        by friction of either sign, which can be as large as gravity's part: run the tour once in the order of the
        answer and once in the reverse, so that each pose is come to from two sides, and average. With `shapes`
        poses and the straight lines of coordinates between them keep solids apart, else collisions are not checked.
        The same request gives the same poses.

        Arguments:
            poses: Their number (default 20)
            candidates: Random poses among which they are chosen; those beyond a limit of torque or clearance are
                dropped (default 400)
            parameters: Of joints; those of links that gravity shows always come
            criterion: Least expected error of the torque at rest (I-optimal), or the largest determinant of the
                normal matrix (D-optimal) (default torque-error)
            limits: One number for each of qd, instead of the robot's own, or by joint
            torque_noise: N m or N: Standard deviation of a pose's mean torque, by joint: friction's part is most of
                it. As of `excitation` if left out. What counts are the ratios between joints
            identify: payload: the robot's own parameters are known, and those of a body on `link` are not (default
                robot)
            link: That carries the payload; left out: the link after the most moving joints
            load: A known load: record each pose without and with it. Then gains of drives are not known either, but
                only in parts of themselves, and poses are chosen that show them as well: tau of the drive = gain x
                current
            shapes: Solids fixed to links, and obstacles, that are kept apart
            exclude: Pairs to leave out, by names of shapes, or of links for all their shapes
            adjacent: Include pairs of links that one joint connects (default false)
            clearance_m: m: Least distance of a pair; of a line between poses at 41 places (default 0.02)
            dwell_s: s: At each pose; counts in `duration_s` (default 2)
            seed: default 0
            joints: Another order of joints
            angles: Of `limits`, and of the answer (default rad)
            gravity: m/s^2 in the world frame, instead of the robot's own
        """
        return self._compute('static-poses', StaticPosesResult, {'poses': poses, 'candidates': candidates,
            'parameters': parameters, 'criterion': criterion, 'limits': limits, 'torque_noise':
            torque_noise, 'identify': identify, 'link': link, 'load': load, 'shapes': shapes, 'exclude':
            exclude, 'adjacent': adjacent, 'clearance_m': clearance_m, 'dwell_s': dwell_s, 'seed': seed,
            'joints': joints, 'angles': angles, 'gravity': gravity}, idempotency_key)

    def configuration(
            self, q: ArrayLike | Mapping[str, Any], *, step: ArrayLike | Mapping[str, Any] | None = None, to: ArrayLike
            | Mapping[str, Any] | None = None, fractions: ArrayLike | None = None, joints: Sequence[str] | None = None,
            angles: Literal['rad', 'deg'] | None = None, idempotency_key: str | None = None
    ) -> ConfigurationResult:
        """Sums and differences of coordinates, quaternions among them.

        `sum` is `q` and `step` (integrate), `difference` the step from `q` to `to`, `between` what lies a fraction
        of it from `q` (interpolate). A step has nv numbers, as rates times time. Coordinates add, of angles without
        a thought of turns; a quaternion turns by the exponential map about the link's own axes, the shorter way;
        the position of a floating joint moves along those at `q`.

        Arguments:
            q: rad or m
            step: rad or m
            to: rad or m
            fractions: Of the difference, any numbers: 0 is `q`, 1 is `to`
            joints: Another order of joints
            angles: default rad
        """
        return self._compute('configuration', ConfigurationResult, {'q': q, 'step': step, 'to': to,
            'fractions': fractions, 'joints': joints, 'angles': angles}, idempotency_key)


class RobotJobs:
    """The same, as jobs: each returns at once with its job."""

    if TYPE_CHECKING:
        def _compute(self, operation: str, kind: type[R], request: dict[str, Any],
                     idempotency_key: str | None) -> Job[R]: ...

    def inverse_dynamics(
            self, q: ArrayLike | Mapping[str, Any] | None = None, qd: ArrayLike | Mapping[str, Any] | None = None, qdd:
            ArrayLike | Mapping[str, Any] | None = None, tau: Any | None = None, *, from_: Log | None = None, joints:
            Sequence[str] | None = None, external_wrenches: Sequence[Wrench] | None = None, gravity: ArrayLike | None =
            None, without: Sequence[Literal['friction', 'rotor', 'spring', 'gravity', 'external', 'velocity',
            'inertia']] | None = None, include: Sequence[Literal['reactions', 'limits', 'mass_matrix',
            'mass_matrix_inverse', 'mass_matrix_bounds', 'mass_matrix_rate', 'mass_matrix_derivatives',
            'coriolis_matrix', 'coriolis_vector', 'christoffel_symbols', 'gravity_torque', 'friction', 'energy',
            'momentum', 'center_of_mass', 'center_of_mass_jacobian', 'centroidal_momentum', 'momentum_regressor',
            'operational_space_inertia', 'passivity', 'link_jacobians', 'link_jacobian_rates', 'ledger', 'derivatives',
            'second_derivatives', 'acceleration_second_derivatives', 'checks', 'drive', 'decoupling', 'multipliers',
            'constraint_power', 'actuation', 'constraint_jacobian', 'projectors', 'integrability']] | None = None,
            payload: Payload | None = None, coriolis_form: Literal['christoffel', 'c1', 'c2', 'stacked'] | None = None,
            frame: str | Point1 | None = None, axes: Sequence[Literal['x', 'y', 'z', 'rx', 'ry', 'rz']] | None = None,
            box: Literal['limits'] | Box1 | None = None, qd_ref: ArrayLike | Mapping[str, Any] | None = None, qdd_ref:
            ArrayLike | Mapping[str, Any] | None = None, angles: Literal['rad', 'deg'] | None = None, t: Any | None =
            None, violations: Any | None = None, duration_s: Any | None = None, binding: Any | None = None, provenance:
            Any | None = None, warnings: Any | None = None, read_as: Any | None = None, fourier: Any | None = None,
            score: Any | None = None, first_random: Any | None = None, tries: Any | None = None, improvements: Any |
            None = None, samples_judged: Any | None = None, base_parameters: Any | None = None, idempotency_key: str |
            None = None
    ) -> Job[InverseDynamicsResult]:
        return self._compute('inverse-dynamics', InverseDynamicsResult, {'q': q, 'qd': qd, 'qdd': qdd,
            'tau': tau, 'from': from_, 'joints': joints, 'external_wrenches': external_wrenches, 'gravity':
            gravity, 'without': without, 'include': include, 'payload': payload, 'coriolis_form':
            coriolis_form, 'frame': frame, 'axes': axes, 'box': box, 'qd_ref': qd_ref, 'qdd_ref': qdd_ref,
            'angles': angles, 't': t, 'violations': violations, 'duration_s': duration_s, 'binding':
            binding, 'provenance': provenance, 'warnings': warnings, 'read_as': read_as, 'fourier': fourier,
            'score': score, 'first_random': first_random, 'tries': tries, 'improvements': improvements,
            'samples_judged': samples_judged, 'base_parameters': base_parameters}, idempotency_key)

    def forward_dynamics(
            self, q: ArrayLike | Mapping[str, Any], qd: ArrayLike | Mapping[str, Any] | None = None, tau: ArrayLike |
            Mapping[str, Any] | None = None, *, joints: Sequence[str] | None = None, external_wrenches: Sequence[Wrench]
            | None = None, gravity: ArrayLike | None = None, without: Sequence[Literal['friction', 'rotor', 'spring',
            'gravity', 'external', 'velocity', 'inertia']] | None = None, include: Sequence[Literal['reactions',
            'limits', 'mass_matrix', 'mass_matrix_inverse', 'mass_matrix_bounds', 'mass_matrix_rate',
            'mass_matrix_derivatives', 'coriolis_matrix', 'coriolis_vector', 'christoffel_symbols', 'gravity_torque',
            'friction', 'energy', 'momentum', 'center_of_mass', 'center_of_mass_jacobian', 'centroidal_momentum',
            'momentum_regressor', 'operational_space_inertia', 'passivity', 'link_jacobians', 'link_jacobian_rates',
            'ledger', 'derivatives', 'second_derivatives', 'acceleration_second_derivatives', 'checks', 'drive',
            'decoupling', 'multipliers', 'constraint_power', 'actuation', 'constraint_jacobian', 'projectors',
            'integrability']] | None = None, payload: Payload | None = None, coriolis_form: Literal['christoffel', 'c1',
            'c2', 'stacked'] | None = None, frame: str | Point1 | None = None, axes: Sequence[Literal['x', 'y', 'z',
            'rx', 'ry', 'rz']] | None = None, box: Literal['limits'] | Box1 | None = None, qd_ref: ArrayLike |
            Mapping[str, Any] | None = None, qdd_ref: ArrayLike | Mapping[str, Any] | None = None, angles:
            Literal['rad', 'deg'] | None = None, idempotency_key: str | None = None
    ) -> Job[ForwardDynamicsResult]:
        return self._compute('forward-dynamics', ForwardDynamicsResult, {'q': q, 'qd': qd, 'tau': tau,
            'joints': joints, 'external_wrenches': external_wrenches, 'gravity': gravity, 'without':
            without, 'include': include, 'payload': payload, 'coriolis_form': coriolis_form, 'frame': frame,
            'axes': axes, 'box': box, 'qd_ref': qd_ref, 'qdd_ref': qdd_ref, 'angles': angles},
            idempotency_key)

    def terms(
            self, q: ArrayLike | Mapping[str, Any], include: Sequence[Literal['reactions', 'limits', 'mass_matrix',
            'mass_matrix_inverse', 'mass_matrix_bounds', 'mass_matrix_rate', 'mass_matrix_derivatives',
            'coriolis_matrix', 'coriolis_vector', 'christoffel_symbols', 'gravity_torque', 'friction', 'energy',
            'momentum', 'center_of_mass', 'center_of_mass_jacobian', 'centroidal_momentum', 'momentum_regressor',
            'operational_space_inertia', 'passivity', 'link_jacobians', 'link_jacobian_rates', 'ledger', 'derivatives',
            'second_derivatives', 'acceleration_second_derivatives', 'checks', 'drive', 'decoupling', 'multipliers',
            'constraint_power', 'actuation', 'constraint_jacobian', 'projectors', 'integrability']], qd: ArrayLike |
            Mapping[str, Any] | None = None, qdd: ArrayLike | Mapping[str, Any] | None = None, *, tau: Any | None =
            None, joints: Sequence[str] | None = None, external_wrenches: Sequence[Wrench] | None = None, gravity:
            ArrayLike | None = None, without: Sequence[Literal['friction', 'rotor', 'spring', 'gravity', 'external',
            'velocity', 'inertia']] | None = None, payload: Payload | None = None, coriolis_form: Literal['christoffel',
            'c1', 'c2', 'stacked'] | None = None, frame: str | Point1 | None = None, axes: Sequence[Literal['x', 'y',
            'z', 'rx', 'ry', 'rz']] | None = None, box: Literal['limits'] | Box1 | None = None, qd_ref: ArrayLike |
            Mapping[str, Any] | None = None, qdd_ref: ArrayLike | Mapping[str, Any] | None = None, angles:
            Literal['rad', 'deg'] | None = None, t: Any | None = None, violations: Any | None = None, duration_s: Any |
            None = None, binding: Any | None = None, provenance: Any | None = None, warnings: Any | None = None,
            read_as: Any | None = None, fourier: Any | None = None, score: Any | None = None, first_random: Any | None =
            None, tries: Any | None = None, improvements: Any | None = None, samples_judged: Any | None = None,
            base_parameters: Any | None = None, idempotency_key: str | None = None
    ) -> Job[TermsResult]:
        return self._compute('terms', TermsResult, {'q': q, 'include': include, 'qd': qd, 'qdd': qdd, 'tau':
            tau, 'joints': joints, 'external_wrenches': external_wrenches, 'gravity': gravity, 'without':
            without, 'payload': payload, 'coriolis_form': coriolis_form, 'frame': frame, 'axes': axes,
            'box': box, 'qd_ref': qd_ref, 'qdd_ref': qdd_ref, 'angles': angles, 't': t, 'violations':
            violations, 'duration_s': duration_s, 'binding': binding, 'provenance': provenance, 'warnings':
            warnings, 'read_as': read_as, 'fourier': fourier, 'score': score, 'first_random': first_random,
            'tries': tries, 'improvements': improvements, 'samples_judged': samples_judged,
            'base_parameters': base_parameters}, idempotency_key)

    def kinematics(
            self, q: ArrayLike | Mapping[str, Any], qd: ArrayLike | Mapping[str, Any] | None = None, qdd: ArrayLike |
            Mapping[str, Any] | None = None, *, joints: Sequence[str] | None = None, frames: Sequence[str | Point1] |
            None = None, include: Sequence[Literal['jacobian', 'jacobian_rate']] | None = None, expressed_in:
            Literal['world', 'link', 'spatial'] | None = None, angles: Literal['rad', 'deg'] | None = None,
            idempotency_key: str | None = None
    ) -> Job[KinematicsResult]:
        return self._compute('kinematics', KinematicsResult, {'q': q, 'qd': qd, 'qdd': qdd, 'joints':
            joints, 'frames': frames, 'include': include, 'expressed_in': expressed_in, 'angles': angles},
            idempotency_key)

    def statics(
            self, q: ArrayLike | Mapping[str, Any], endpoint_wrench: ConstantWrench, *, joints: Sequence[str] | None =
            None, joint_stiffness: ArrayLike | StaticsRequestJointStiffness1 | None = None, geometric: bool | None =
            None, gravity: ArrayLike | None = None, axes: Sequence[Literal['x', 'y', 'z', 'rx', 'ry', 'rz']] | None =
            None, angles: Literal['rad', 'deg'] | None = None, idempotency_key: str | None = None
    ) -> Job[StaticsResult]:
        return self._compute('statics', StaticsResult, {'q': q, 'endpoint_wrench': endpoint_wrench,
            'joints': joints, 'joint_stiffness': joint_stiffness, 'geometric': geometric, 'gravity':
            gravity, 'axes': axes, 'angles': angles}, idempotency_key)

    def regressor(
            self, q: ArrayLike | Mapping[str, Any] | None = None, qd: ArrayLike | Mapping[str, Any] | None = None, qdd:
            ArrayLike | Mapping[str, Any] | None = None, *, joints: Sequence[str] | None = None, gravity: ArrayLike |
            None = None, parameters: Sequence[Literal['rotor', 'viscous', 'coulomb', 'offset', 'stiffness']] | None =
            None, form: Literal['base'] | None = None, angles: Literal['rad', 'deg'] | None = None, idempotency_key: str
            | None = None
    ) -> Job[RegressorResult]:
        return self._compute('regressor', RegressorResult, {'q': q, 'qd': qd, 'qdd': qdd, 'joints': joints,
            'gravity': gravity, 'parameters': parameters, 'form': form, 'angles': angles}, idempotency_key)

    def inverse_kinematics(
            self, frame: str | Point1 | None, pose: Pose, *, axes: Sequence[Literal['x', 'y', 'z', 'rx', 'ry', 'rz']] |
            None = None, joints: Sequence[str] | None = None, initial: ArrayLike | Mapping[str, Any] | None = None,
            limits: bool | None = None, solutions: int | None = None, seeds: int | None = None, iterations: int | None =
            None, tolerance: InverseKinematicsRequestTolerance | None = None, angles: Literal['rad', 'deg'] | None =
            None, idempotency_key: str | None = None
    ) -> Job[InverseKinematicsResult]:
        return self._compute('inverse-kinematics', InverseKinematicsResult, {'frame': frame, 'pose': pose,
            'axes': axes, 'joints': joints, 'initial': initial, 'limits': limits, 'solutions': solutions,
            'seeds': seeds, 'iterations': iterations, 'tolerance': tolerance, 'angles': angles},
            idempotency_key)

    def manipulability(
            self, q: ArrayLike | Mapping[str, Any], frame: str | Point1, *, axes: Sequence[Literal['x', 'y', 'z', 'rx',
            'ry', 'rz']] | None = None, joints: Sequence[str] | None = None, angles: Literal['rad', 'deg'] | None =
            None, idempotency_key: str | None = None
    ) -> Job[ManipulabilityResult]:
        return self._compute('manipulability', ManipulabilityResult, {'q': q, 'frame': frame, 'axes': axes,
            'joints': joints, 'angles': angles}, idempotency_key)

    def trajectory(
            self, interval_s: float | None = None, *, waypoints: Sequence[ArrayLike | Mapping[str, Any]] | None = None,
            poses: Sequence[Pose] | None = None, fourier: TrajectoryFourier | None = None, frame: str | Point1 | None =
            None, axes: Sequence[Literal['x', 'y', 'z', 'rx', 'ry', 'rz']] | None = None, initial: ArrayLike |
            Mapping[str, Any] | None = None, timing: Literal['linear', 'cubic', 'quintic', 'septic', 'trapezoid',
            'spline'] | None = None, blend: float | None = None, times_s: ArrayLike | None = None, durations_s:
            ArrayLike | None = None, duration_s: float | None = None, limits: TrajectoryRequestLimits | None = None,
            payload: Payload | None = None, joints: Sequence[str] | None = None, angles: Literal['rad', 'deg'] | None =
            None, idempotency_key: str | None = None
    ) -> Job[TrajectoryResult]:
        return self._compute('trajectory', TrajectoryResult, {'interval_s': interval_s, 'waypoints':
            waypoints, 'poses': poses, 'fourier': fourier, 'frame': frame, 'axes': axes, 'initial': initial,
            'timing': timing, 'blend': blend, 'times_s': times_s, 'durations_s': durations_s, 'duration_s':
            duration_s, 'limits': limits, 'payload': payload, 'joints': joints, 'angles': angles},
            idempotency_key)

    def simulate(
            self, initial: SimulateInitial, duration_s: float, output: SimulateOutput | None = None, *, input:
            TorqueTable | Controller | ConstrainedController | OperationalController | None = None, disturbance:
            Sequence[PulseDisturbance | SineDisturbance | NoiseDisturbance | TableDisturbance] | None = None,
            external_wrenches: Sequence[WrenchOverTime] | None = None, payload: Payload | None = None, contacts:
            SimulateContacts | None = None, events: Sequence[EventRule] | None = None, solver: SimulateSolver | None =
            None, gravity: ArrayLike | None = None, without: Sequence[Literal['friction', 'rotor', 'spring', 'gravity']]
            | None = None, include: Sequence[Literal['qdd', 'multipliers', 'energy', 'momentum', 'base_reaction',
            'tracking_error']] | None = None, verdict: SimulateRequestVerdict | None = None, drives: SimulateDrives |
            None = None, joints: Sequence[str] | None = None, angles: Literal['rad', 'deg'] | None = None,
            idempotency_key: str | None = None
    ) -> Job[SimulateResult]:
        return self._compute('simulate', SimulateResult, {'initial': initial, 'duration_s': duration_s,
            'output': output, 'input': input, 'disturbance': disturbance, 'external_wrenches':
            external_wrenches, 'payload': payload, 'contacts': contacts, 'events': events, 'solver': solver,
            'gravity': gravity, 'without': without, 'include': include, 'verdict': verdict, 'drives':
            drives, 'joints': joints, 'angles': angles}, idempotency_key)

    def excitation(
            self, *, parameters: Sequence[Literal['rotor', 'viscous', 'coulomb', 'offset', 'stiffness']] | None = None,
            frequency_hz: float | None = None, period_s: float | None = None, harmonics: int | None = None, limits:
            ExcitationRequestLimits | None = None, criterion: Literal['torque-error', 'condition', 'determinant'] | None
            = None, torque_noise: ArrayLike | Mapping[str, Any] | None = None, recorded: Sequence[Mapping[str, Any]] |
            None = None, task: Sequence[ExcitationTask] | None = None, identify: Literal['robot', 'payload'] | None =
            None, link: str | None = None, shapes: Sequence[CollisionShape] | None = None, exclude:
            Sequence[Sequence[str]] | None = None, adjacent: bool | None = None, clearance_m: float | None = None,
            tries: int | None = None, seed: int | None = None, interval_s: float | None = None, joints: Sequence[str] |
            None = None, angles: Literal['rad', 'deg'] | None = None, gravity: ArrayLike | None = None, idempotency_key:
            str | None = None
    ) -> Job[ExcitationResult]:
        return self._compute('excitation', ExcitationResult, {'parameters': parameters, 'frequency_hz':
            frequency_hz, 'period_s': period_s, 'harmonics': harmonics, 'limits': limits, 'criterion':
            criterion, 'torque_noise': torque_noise, 'recorded': recorded, 'task': task, 'identify':
            identify, 'link': link, 'shapes': shapes, 'exclude': exclude, 'adjacent': adjacent,
            'clearance_m': clearance_m, 'tries': tries, 'seed': seed, 'interval_s': interval_s, 'joints':
            joints, 'angles': angles, 'gravity': gravity}, idempotency_key)

    def ensemble(
            self, initial: SimulateInitial, duration_s: float, output: SimulateOutput | None, vary: Sequence[Variation],
            *, input: TorqueTable | Controller | ConstrainedController | OperationalController | None = None,
            disturbance: Sequence[PulseDisturbance | SineDisturbance | NoiseDisturbance | TableDisturbance] | None =
            None, external_wrenches: Sequence[WrenchOverTime] | None = None, payload: Payload | None = None, solver:
            SimulateSolver | None = None, gravity: ArrayLike | None = None, without: Sequence[Literal['friction',
            'rotor', 'spring', 'gravity']] | None = None, joints: Sequence[str] | None = None, angles: Literal['rad',
            'deg'] | None = None, drives: SimulateDrives | None = None, events: Sequence[EventRule] | None = None,
            members: int | None = None, seed: int | None = None, quantiles: ArrayLike | None = None, return_members:
            Sequence[int] | None = None, only: Sequence[int] | None = None, end_states: bool | None = None,
            idempotency_key: str | None = None
    ) -> Job[EnsembleResult]:
        return self._compute('ensemble', EnsembleResult, {'initial': initial, 'duration_s': duration_s,
            'output': output, 'vary': vary, 'input': input, 'disturbance': disturbance, 'external_wrenches':
            external_wrenches, 'payload': payload, 'solver': solver, 'gravity': gravity, 'without': without,
            'joints': joints, 'angles': angles, 'drives': drives, 'events': events, 'members': members,
            'seed': seed, 'quantiles': quantiles, 'return_members': return_members, 'only': only,
            'end_states': end_states}, idempotency_key)

    def calibrate(
            self, datasets: Sequence[str | CalibrateDataset1], *, columns: LogColumns | None = None, units: LogUnits |
            None = None, scale: LogScale | None = None, rate_hz: float | None = None, rows: ArrayLike | None = None,
            filter: LogFilter | None = None, delay_s: float | None = None, joints: Sequence[str] | None = None,
            controller: CalibrateController | None = None, at_rest: Mapping[str, Any] | None = None, contacts:
            Sequence[str] | None = None, external_wrenches: Sequence[CalibrateWrench] | None = None, model:
            CalibrateRequestModel | None = None, method: Literal['feasible', 'ols', 'wls', 'irls', 'tls', 'ridge',
            'bounded', 'iv', 'feasible-iv', 'feasible-didim'] | None = None, bounds: CalibrateRequestBounds | None =
            None, compare: Sequence[Literal['feasible', 'ols', 'wls', 'tls', 'ridge', 'bounded', 'iv', 'feasible-iv',
            'entropic', 'idim-iv', 'feasible-idim-iv', 'didim', 'feasible-didim']] | None = None, lag_s: float | None =
            None, prior: ArrayLike | None = None, ridge: float | None = None, bootstrap: int | None = None, covariance:
            bool | None = None, column_noise: float | None = None, prior_weight: float | None = None, confidence: float
            | None = None, validate: Literal['leave-one-out', 'none'] | Sequence[str | CalibrateDataset1] | None = None,
            points: int | None = None, idempotency_key: str | None = None
    ) -> Job[CalibrateResult]:
        return self._compute('calibrate', CalibrateResult, {'datasets': datasets, 'columns': columns,
            'units': units, 'scale': scale, 'rate_hz': rate_hz, 'rows': rows, 'filter': filter, 'delay_s':
            delay_s, 'joints': joints, 'controller': controller, 'at_rest': at_rest, 'contacts': contacts,
            'external_wrenches': external_wrenches, 'model': model, 'method': method, 'bounds': bounds,
            'compare': compare, 'lag_s': lag_s, 'prior': prior, 'ridge': ridge, 'bootstrap': bootstrap,
            'covariance': covariance, 'column_noise': column_noise, 'prior_weight': prior_weight,
            'confidence': confidence, 'validate': validate, 'points': points}, idempotency_key)

    def payload(
            self, datasets: Sequence[str | CalibrateDataset1], *, reference: Sequence[str | CalibrateDataset1] | None =
            None, columns: LogColumns | None = None, units: LogUnits | None = None, scale: LogScale | None = None,
            rate_hz: float | None = None, rows: ArrayLike | None = None, filter: LogFilter | None = None, delay_s: float
            | None = None, joints: Sequence[str] | None = None, link: str | None = None, from_: Literal['auto',
            'motion', 'poses'] | None = None, friction: Sequence[Literal['viscous', 'coulomb', 'offset']] | None = None,
            confidence: float | None = None, idempotency_key: str | None = None
    ) -> Job[PayloadResult]:
        return self._compute('payload', PayloadResult, {'datasets': datasets, 'reference': reference,
            'columns': columns, 'units': units, 'scale': scale, 'rate_hz': rate_hz, 'rows': rows, 'filter':
            filter, 'delay_s': delay_s, 'joints': joints, 'link': link, 'from': from_, 'friction': friction,
            'confidence': confidence}, idempotency_key)

    def residual(
            self, datasets: Sequence[str | CalibrateDataset1], *, quiet: Sequence[str | CalibrateDataset1] | None =
            None, columns: LogColumns | None = None, units: LogUnits | None = None, scale: LogScale | None = None,
            rate_hz: float | None = None, rows: ArrayLike | None = None, filter: LogFilter | None = None, delay_s: float
            | None = None, joints: Sequence[str] | None = None, gain_hz: float | None = None, sigma: ArrayLike | None =
            None, threshold: ArrayLike | None = None, false_alarms_per_day: float | None = None, persistent_s: float |
            None = None, idempotency_key: str | None = None
    ) -> Job[ResidualResult]:
        return self._compute('residual', ResidualResult, {'datasets': datasets, 'quiet': quiet, 'columns':
            columns, 'units': units, 'scale': scale, 'rate_hz': rate_hz, 'rows': rows, 'filter': filter,
            'delay_s': delay_s, 'joints': joints, 'gain_hz': gain_hz, 'sigma': sigma, 'threshold':
            threshold, 'false_alarms_per_day': false_alarms_per_day, 'persistent_s': persistent_s},
            idempotency_key)

    def calibrate_kinematics(
            self, q: ArrayLike | Mapping[str, Any], *, position: ArrayLike | None = None, quaternion_wxyz: ArrayLike |
            None = None, plane: Sequence[int] | None = None, frame: str | Point1 | None = None, identify:
            Literal['zeros', 'frames'] | None = None, only: Sequence[str] | None = None, base: Pose | None = None, tool:
            Pose | None = None, noise: CalibrateKinematicsRequestNoise | None = None, weights: ArrayLike | None = None,
            limits: CalibrateKinematicsRequestLimits | None = None, robust: bool | None = None, folds: int | None =
            None, confidence: float | None = None, joints: Sequence[str] | None = None, angles: Literal['rad', 'deg'] |
            None = None, idempotency_key: str | None = None
    ) -> Job[CalibrateKinematicsResult]:
        return self._compute('calibrate-kinematics', CalibrateKinematicsResult, {'q': q, 'position':
            position, 'quaternion_wxyz': quaternion_wxyz, 'plane': plane, 'frame': frame, 'identify':
            identify, 'only': only, 'base': base, 'tool': tool, 'noise': noise, 'weights': weights,
            'limits': limits, 'robust': robust, 'folds': folds, 'confidence': confidence, 'joints': joints,
            'angles': angles}, idempotency_key)

    def distance(
            self, q: ArrayLike | Mapping[str, Any], shapes: Sequence[CollisionShape], *, exclude:
            Sequence[Sequence[str]] | None = None, adjacent: bool | None = None, joints: Sequence[str] | None = None,
            angles: Literal['rad', 'deg'] | None = None, idempotency_key: str | None = None
    ) -> Job[DistanceResult]:
        return self._compute('distance', DistanceResult, {'q': q, 'shapes': shapes, 'exclude': exclude,
            'adjacent': adjacent, 'joints': joints, 'angles': angles}, idempotency_key)

    def assemble(
            self, q: Mapping[str, Any], qd: Mapping[str, Any] | None = None, qdd: Mapping[str, Any] | None = None, *,
            near: ArrayLike | Mapping[str, Any] | None = None, joints: Sequence[str] | None = None, angles:
            Literal['rad', 'deg'] | None = None, idempotency_key: str | None = None
    ) -> Job[AssembleResult]:
        return self._compute('assemble', AssembleResult, {'q': q, 'qd': qd, 'qdd': qdd, 'near': near,
            'joints': joints, 'angles': angles}, idempotency_key)

    def static_poses(
            self, *, poses: int | None = None, candidates: int | None = None, parameters: Sequence[Literal['offset',
            'stiffness']] | None = None, criterion: Literal['torque-error', 'determinant'] | None = None, limits:
            StaticPosesRequestLimits | None = None, torque_noise: ArrayLike | Mapping[str, Any] | None = None, identify:
            Literal['robot', 'payload'] | None = None, link: str | None = None, load: StaticPosesRequestLoad | None =
            None, shapes: Sequence[CollisionShape] | None = None, exclude: Sequence[Sequence[str]] | None = None,
            adjacent: bool | None = None, clearance_m: float | None = None, dwell_s: float | None = None, seed: int |
            None = None, joints: Sequence[str] | None = None, angles: Literal['rad', 'deg'] | None = None, gravity:
            ArrayLike | None = None, idempotency_key: str | None = None
    ) -> Job[StaticPosesResult]:
        return self._compute('static-poses', StaticPosesResult, {'poses': poses, 'candidates': candidates,
            'parameters': parameters, 'criterion': criterion, 'limits': limits, 'torque_noise':
            torque_noise, 'identify': identify, 'link': link, 'load': load, 'shapes': shapes, 'exclude':
            exclude, 'adjacent': adjacent, 'clearance_m': clearance_m, 'dwell_s': dwell_s, 'seed': seed,
            'joints': joints, 'angles': angles, 'gravity': gravity}, idempotency_key)

    def configuration(
            self, q: ArrayLike | Mapping[str, Any], *, step: ArrayLike | Mapping[str, Any] | None = None, to: ArrayLike
            | Mapping[str, Any] | None = None, fractions: ArrayLike | None = None, joints: Sequence[str] | None = None,
            angles: Literal['rad', 'deg'] | None = None, idempotency_key: str | None = None
    ) -> Job[ConfigurationResult]:
        return self._compute('configuration', ConfigurationResult, {'q': q, 'step': step, 'to': to,
            'fractions': fractions, 'joints': joints, 'angles': angles}, idempotency_key)


class AsyncRobotOperations:
    """Computations of a robot, waited for."""

    if TYPE_CHECKING:
        def _compute(self, operation: str, kind: type[R], request: dict[str, Any],
                     idempotency_key: str | None, progress: bool | None = None) -> Awaitable[R]: ...
        def _arrays(self, operation: str, request: dict[str, Any]) -> Awaitable[Array]: ...

    @overload
    def inverse_dynamics(self, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike) -> Awaitable[Array]: ...  # type: ignore[overload-overlap]
    @overload
    def inverse_dynamics(
            self, q: ArrayLike | Mapping[str, Any] | None = None, qd: ArrayLike | Mapping[str, Any] | None = None, qdd:
            ArrayLike | Mapping[str, Any] | None = None, tau: Any | None = None, *, from_: Log | None = None, joints:
            Sequence[str] | None = None, external_wrenches: Sequence[Wrench] | None = None, gravity: ArrayLike | None =
            None, without: Sequence[Literal['friction', 'rotor', 'spring', 'gravity', 'external', 'velocity',
            'inertia']] | None = None, include: Sequence[Literal['reactions', 'limits', 'mass_matrix',
            'mass_matrix_inverse', 'mass_matrix_bounds', 'mass_matrix_rate', 'mass_matrix_derivatives',
            'coriolis_matrix', 'coriolis_vector', 'christoffel_symbols', 'gravity_torque', 'friction', 'energy',
            'momentum', 'center_of_mass', 'center_of_mass_jacobian', 'centroidal_momentum', 'momentum_regressor',
            'operational_space_inertia', 'passivity', 'link_jacobians', 'link_jacobian_rates', 'ledger', 'derivatives',
            'second_derivatives', 'acceleration_second_derivatives', 'checks', 'drive', 'decoupling', 'multipliers',
            'constraint_power', 'actuation', 'constraint_jacobian', 'projectors', 'integrability']] | None = None,
            payload: Payload | None = None, coriolis_form: Literal['christoffel', 'c1', 'c2', 'stacked'] | None = None,
            frame: str | Point1 | None = None, axes: Sequence[Literal['x', 'y', 'z', 'rx', 'ry', 'rz']] | None = None,
            box: Literal['limits'] | Box1 | None = None, qd_ref: ArrayLike | Mapping[str, Any] | None = None, qdd_ref:
            ArrayLike | Mapping[str, Any] | None = None, angles: Literal['rad', 'deg'] | None = None, t: Any | None =
            None, violations: Any | None = None, duration_s: Any | None = None, binding: Any | None = None, provenance:
            Any | None = None, warnings: Any | None = None, read_as: Any | None = None, fourier: Any | None = None,
            score: Any | None = None, first_random: Any | None = None, tries: Any | None = None, improvements: Any |
            None = None, samples_judged: Any | None = None, base_parameters: Any | None = None, idempotency_key: str |
            None = None
    ) -> Awaitable[InverseDynamicsResult]: ...
    def inverse_dynamics(
            self, q: ArrayLike | Mapping[str, Any] | None = None, qd: ArrayLike | Mapping[str, Any] | None = None, qdd:
            ArrayLike | Mapping[str, Any] | None = None, tau: Any | None = None, *, from_: Log | None = None, joints:
            Sequence[str] | None = None, external_wrenches: Sequence[Wrench] | None = None, gravity: ArrayLike | None =
            None, without: Sequence[Literal['friction', 'rotor', 'spring', 'gravity', 'external', 'velocity',
            'inertia']] | None = None, include: Sequence[Literal['reactions', 'limits', 'mass_matrix',
            'mass_matrix_inverse', 'mass_matrix_bounds', 'mass_matrix_rate', 'mass_matrix_derivatives',
            'coriolis_matrix', 'coriolis_vector', 'christoffel_symbols', 'gravity_torque', 'friction', 'energy',
            'momentum', 'center_of_mass', 'center_of_mass_jacobian', 'centroidal_momentum', 'momentum_regressor',
            'operational_space_inertia', 'passivity', 'link_jacobians', 'link_jacobian_rates', 'ledger', 'derivatives',
            'second_derivatives', 'acceleration_second_derivatives', 'checks', 'drive', 'decoupling', 'multipliers',
            'constraint_power', 'actuation', 'constraint_jacobian', 'projectors', 'integrability']] | None = None,
            payload: Payload | None = None, coriolis_form: Literal['christoffel', 'c1', 'c2', 'stacked'] | None = None,
            frame: str | Point1 | None = None, axes: Sequence[Literal['x', 'y', 'z', 'rx', 'ry', 'rz']] | None = None,
            box: Literal['limits'] | Box1 | None = None, qd_ref: ArrayLike | Mapping[str, Any] | None = None, qdd_ref:
            ArrayLike | Mapping[str, Any] | None = None, angles: Literal['rad', 'deg'] | None = None, t: Any | None =
            None, violations: Any | None = None, duration_s: Any | None = None, binding: Any | None = None, provenance:
            Any | None = None, warnings: Any | None = None, read_as: Any | None = None, fourier: Any | None = None,
            score: Any | None = None, first_random: Any | None = None, tries: Any | None = None, improvements: Any |
            None = None, samples_judged: Any | None = None, base_parameters: Any | None = None, idempotency_key: str |
            None = None
    ) -> Awaitable[Array] | Awaitable[InverseDynamicsResult]:
        """Joint torques from motion.

        tau = M(q) qdd + C(q, qd) qd + gravity_torque(q) + friction(qd) + spring(q) - J^T w, with w the wrenches
        applied to the robot. One sample is a flat array, a batch an array of such arrays; the answer has the same
        shape. One sample beside a batch is that of all its samples. A sample gives the same bits alone and in any
        batch. With constraints, torques are those of the actuated joints that go with the motion (`include:
        [actuation, multipliers]` returns more).

        Arguments:
            q: rad or m: nq numbers a sample
            qd: rad/s or m/s: nv numbers a sample; zero when left out
            qdd: rad/s^2 or m/s^2: nv numbers a sample; zero when left out
            tau: Not used: of an answer of `trajectory`
            from_: A log instead of q, qd and qdd; its torque gives `residual`
            joints: Another order of joints for every array of the request and the answer; names each moving joint
                once
            gravity: m/s^2 in the world frame, instead of the robot's own
            without: Terms to leave out of torque, `ledger`, `derivatives`, second derivatives and `checks`; rotors
                also of the matrices
            include: Further results, in the robot's own order or that of `joints`; not for NPY answers
            coriolis_form: Of `coriolis_matrix`; c1 and c2 are for robots without spherical and floating joints
                (default christoffel)
            frame: The point of `operational_space_inertia`
            axes: Directions of that inertia, along the world's axes; all when left out
            qd_ref: Of `passivity`: reference rates, nv numbers a sample
            qdd_ref: Of `passivity`: reference accelerations, nv numbers a sample
            angles: default rad
            t: Not used: of an answer of `trajectory`
            violations: Not used: of an answer of `trajectory`
            duration_s: Not used: of an answer of `trajectory`
            binding: Not used: of an answer of `trajectory`
            provenance: Not used: of an answer of `trajectory`
            warnings: Not used: of an answer of `trajectory`
            read_as: Not used: of an answer of `trajectory`
            fourier: Not used: of an answer of `excitation`
            score: Not used: of an answer of `excitation`
            first_random: Not used: of an answer of `excitation`
            tries: Not used: of an answer of `excitation`
            improvements: Not used: of an answer of `excitation`
            samples_judged: Not used: of an answer of `excitation`
            base_parameters: Not used: of an answer of `excitation`
        """
        request: dict[str, Any] = {'q': q, 'qd': qd, 'qdd': qdd, 'tau': tau, 'from': from_, 'joints':
            joints, 'external_wrenches': external_wrenches, 'gravity': gravity, 'without': without,
            'include': include, 'payload': payload, 'coriolis_form': coriolis_form, 'frame': frame, 'axes':
            axes, 'box': box, 'qd_ref': qd_ref, 'qdd_ref': qdd_ref, 'angles': angles, 't': t, 'violations':
            violations, 'duration_s': duration_s, 'binding': binding, 'provenance': provenance, 'warnings':
            warnings, 'read_as': read_as, 'fourier': fourier, 'score': score, 'first_random': first_random,
            'tries': tries, 'improvements': improvements, 'samples_judged': samples_judged,
            'base_parameters': base_parameters}
        if idempotency_key is None and only(request, ('q', 'qd', 'qdd')):
            return self._arrays('inverse-dynamics', request)
        return self._compute('inverse-dynamics', InverseDynamicsResult, request, idempotency_key)

    @overload
    def forward_dynamics(self, q: ArrayLike, qd: ArrayLike, tau: ArrayLike) -> Awaitable[Array]: ...  # type: ignore[overload-overlap]
    @overload
    def forward_dynamics(
            self, q: ArrayLike | Mapping[str, Any], qd: ArrayLike | Mapping[str, Any] | None = None, tau: ArrayLike |
            Mapping[str, Any] | None = None, *, joints: Sequence[str] | None = None, external_wrenches: Sequence[Wrench]
            | None = None, gravity: ArrayLike | None = None, without: Sequence[Literal['friction', 'rotor', 'spring',
            'gravity', 'external', 'velocity', 'inertia']] | None = None, include: Sequence[Literal['reactions',
            'limits', 'mass_matrix', 'mass_matrix_inverse', 'mass_matrix_bounds', 'mass_matrix_rate',
            'mass_matrix_derivatives', 'coriolis_matrix', 'coriolis_vector', 'christoffel_symbols', 'gravity_torque',
            'friction', 'energy', 'momentum', 'center_of_mass', 'center_of_mass_jacobian', 'centroidal_momentum',
            'momentum_regressor', 'operational_space_inertia', 'passivity', 'link_jacobians', 'link_jacobian_rates',
            'ledger', 'derivatives', 'second_derivatives', 'acceleration_second_derivatives', 'checks', 'drive',
            'decoupling', 'multipliers', 'constraint_power', 'actuation', 'constraint_jacobian', 'projectors',
            'integrability']] | None = None, payload: Payload | None = None, coriolis_form: Literal['christoffel', 'c1',
            'c2', 'stacked'] | None = None, frame: str | Point1 | None = None, axes: Sequence[Literal['x', 'y', 'z',
            'rx', 'ry', 'rz']] | None = None, box: Literal['limits'] | Box1 | None = None, qd_ref: ArrayLike |
            Mapping[str, Any] | None = None, qdd_ref: ArrayLike | Mapping[str, Any] | None = None, angles:
            Literal['rad', 'deg'] | None = None, idempotency_key: str | None = None
    ) -> Awaitable[ForwardDynamicsResult]: ...
    def forward_dynamics(
            self, q: ArrayLike | Mapping[str, Any], qd: ArrayLike | Mapping[str, Any] | None = None, tau: ArrayLike |
            Mapping[str, Any] | None = None, *, joints: Sequence[str] | None = None, external_wrenches: Sequence[Wrench]
            | None = None, gravity: ArrayLike | None = None, without: Sequence[Literal['friction', 'rotor', 'spring',
            'gravity', 'external', 'velocity', 'inertia']] | None = None, include: Sequence[Literal['reactions',
            'limits', 'mass_matrix', 'mass_matrix_inverse', 'mass_matrix_bounds', 'mass_matrix_rate',
            'mass_matrix_derivatives', 'coriolis_matrix', 'coriolis_vector', 'christoffel_symbols', 'gravity_torque',
            'friction', 'energy', 'momentum', 'center_of_mass', 'center_of_mass_jacobian', 'centroidal_momentum',
            'momentum_regressor', 'operational_space_inertia', 'passivity', 'link_jacobians', 'link_jacobian_rates',
            'ledger', 'derivatives', 'second_derivatives', 'acceleration_second_derivatives', 'checks', 'drive',
            'decoupling', 'multipliers', 'constraint_power', 'actuation', 'constraint_jacobian', 'projectors',
            'integrability']] | None = None, payload: Payload | None = None, coriolis_form: Literal['christoffel', 'c1',
            'c2', 'stacked'] | None = None, frame: str | Point1 | None = None, axes: Sequence[Literal['x', 'y', 'z',
            'rx', 'ry', 'rz']] | None = None, box: Literal['limits'] | Box1 | None = None, qd_ref: ArrayLike |
            Mapping[str, Any] | None = None, qdd_ref: ArrayLike | Mapping[str, Any] | None = None, angles:
            Literal['rad', 'deg'] | None = None, idempotency_key: str | None = None
    ) -> Awaitable[Array] | Awaitable[ForwardDynamicsResult]:
        """Accelerations from joint torques.

        The qdd of M(q) qdd + C(q, qd) qd + gravity_torque(q) + friction(qd) + spring(q) = tau + J^T w. Where some
        motion meets no inertia the answer is 422 and names the joint. With constraints, qdd is that of M qdd + ...
        = tau + J^T w + A^T multipliers and A qdd = -dA/dt qd.

        Arguments:
            q: rad or m: nq numbers a sample
            qd: rad/s or m/s: nv numbers a sample; zero when left out
            tau: N m or N: nv numbers a sample; zero when left out
            joints: Another order of joints for every array of the request and the answer; names each moving joint
                once
            gravity: m/s^2 in the world frame, instead of the robot's own
            without: Terms to leave out of torque, `ledger`, `derivatives`, second derivatives and `checks`; rotors
                also of the matrices
            include: Further results, in the robot's own order or that of `joints`; not for NPY answers
            coriolis_form: Of `coriolis_matrix`; c1 and c2 are for robots without spherical and floating joints
                (default christoffel)
            frame: The point of `operational_space_inertia`
            axes: Directions of that inertia, along the world's axes; all when left out
            qd_ref: Of `passivity`: reference rates, nv numbers a sample
            qdd_ref: Of `passivity`: reference accelerations, nv numbers a sample
            angles: default rad
        """
        request: dict[str, Any] = {'q': q, 'qd': qd, 'tau': tau, 'joints': joints, 'external_wrenches':
            external_wrenches, 'gravity': gravity, 'without': without, 'include': include, 'payload':
            payload, 'coriolis_form': coriolis_form, 'frame': frame, 'axes': axes, 'box': box, 'qd_ref':
            qd_ref, 'qdd_ref': qdd_ref, 'angles': angles}
        if idempotency_key is None and only(request, ('q', 'qd', 'tau')):
            return self._arrays('forward-dynamics', request)
        return self._compute('forward-dynamics', ForwardDynamicsResult, request, idempotency_key)

    def terms(
            self, q: ArrayLike | Mapping[str, Any], include: Sequence[Literal['reactions', 'limits', 'mass_matrix',
            'mass_matrix_inverse', 'mass_matrix_bounds', 'mass_matrix_rate', 'mass_matrix_derivatives',
            'coriolis_matrix', 'coriolis_vector', 'christoffel_symbols', 'gravity_torque', 'friction', 'energy',
            'momentum', 'center_of_mass', 'center_of_mass_jacobian', 'centroidal_momentum', 'momentum_regressor',
            'operational_space_inertia', 'passivity', 'link_jacobians', 'link_jacobian_rates', 'ledger', 'derivatives',
            'second_derivatives', 'acceleration_second_derivatives', 'checks', 'drive', 'decoupling', 'multipliers',
            'constraint_power', 'actuation', 'constraint_jacobian', 'projectors', 'integrability']], qd: ArrayLike |
            Mapping[str, Any] | None = None, qdd: ArrayLike | Mapping[str, Any] | None = None, *, tau: Any | None =
            None, joints: Sequence[str] | None = None, external_wrenches: Sequence[Wrench] | None = None, gravity:
            ArrayLike | None = None, without: Sequence[Literal['friction', 'rotor', 'spring', 'gravity', 'external',
            'velocity', 'inertia']] | None = None, payload: Payload | None = None, coriolis_form: Literal['christoffel',
            'c1', 'c2', 'stacked'] | None = None, frame: str | Point1 | None = None, axes: Sequence[Literal['x', 'y',
            'z', 'rx', 'ry', 'rz']] | None = None, box: Literal['limits'] | Box1 | None = None, qd_ref: ArrayLike |
            Mapping[str, Any] | None = None, qdd_ref: ArrayLike | Mapping[str, Any] | None = None, angles:
            Literal['rad', 'deg'] | None = None, t: Any | None = None, violations: Any | None = None, duration_s: Any |
            None = None, binding: Any | None = None, provenance: Any | None = None, warnings: Any | None = None,
            read_as: Any | None = None, fourier: Any | None = None, score: Any | None = None, first_random: Any | None =
            None, tries: Any | None = None, improvements: Any | None = None, samples_judged: Any | None = None,
            base_parameters: Any | None = None, idempotency_key: str | None = None
    ) -> Awaitable[TermsResult]:
        return self._compute('terms', TermsResult, {'q': q, 'include': include, 'qd': qd, 'qdd': qdd, 'tau':
            tau, 'joints': joints, 'external_wrenches': external_wrenches, 'gravity': gravity, 'without':
            without, 'payload': payload, 'coriolis_form': coriolis_form, 'frame': frame, 'axes': axes,
            'box': box, 'qd_ref': qd_ref, 'qdd_ref': qdd_ref, 'angles': angles, 't': t, 'violations':
            violations, 'duration_s': duration_s, 'binding': binding, 'provenance': provenance, 'warnings':
            warnings, 'read_as': read_as, 'fourier': fourier, 'score': score, 'first_random': first_random,
            'tries': tries, 'improvements': improvements, 'samples_judged': samples_judged,
            'base_parameters': base_parameters}, idempotency_key)

    def kinematics(
            self, q: ArrayLike | Mapping[str, Any], qd: ArrayLike | Mapping[str, Any] | None = None, qdd: ArrayLike |
            Mapping[str, Any] | None = None, *, joints: Sequence[str] | None = None, frames: Sequence[str | Point1] |
            None = None, include: Sequence[Literal['jacobian', 'jacobian_rate']] | None = None, expressed_in:
            Literal['world', 'link', 'spatial'] | None = None, angles: Literal['rad', 'deg'] | None = None,
            idempotency_key: str | None = None
    ) -> Awaitable[KinematicsResult]:
        return self._compute('kinematics', KinematicsResult, {'q': q, 'qd': qd, 'qdd': qdd, 'joints':
            joints, 'frames': frames, 'include': include, 'expressed_in': expressed_in, 'angles': angles},
            idempotency_key)

    def statics(
            self, q: ArrayLike | Mapping[str, Any], endpoint_wrench: ConstantWrench, *, joints: Sequence[str] | None =
            None, joint_stiffness: ArrayLike | StaticsRequestJointStiffness1 | None = None, geometric: bool | None =
            None, gravity: ArrayLike | None = None, axes: Sequence[Literal['x', 'y', 'z', 'rx', 'ry', 'rz']] | None =
            None, angles: Literal['rad', 'deg'] | None = None, idempotency_key: str | None = None
    ) -> Awaitable[StaticsResult]:
        return self._compute('statics', StaticsResult, {'q': q, 'endpoint_wrench': endpoint_wrench,
            'joints': joints, 'joint_stiffness': joint_stiffness, 'geometric': geometric, 'gravity':
            gravity, 'axes': axes, 'angles': angles}, idempotency_key)

    def regressor(
            self, q: ArrayLike | Mapping[str, Any] | None = None, qd: ArrayLike | Mapping[str, Any] | None = None, qdd:
            ArrayLike | Mapping[str, Any] | None = None, *, joints: Sequence[str] | None = None, gravity: ArrayLike |
            None = None, parameters: Sequence[Literal['rotor', 'viscous', 'coulomb', 'offset', 'stiffness']] | None =
            None, form: Literal['base'] | None = None, angles: Literal['rad', 'deg'] | None = None, idempotency_key: str
            | None = None
    ) -> Awaitable[RegressorResult]:
        return self._compute('regressor', RegressorResult, {'q': q, 'qd': qd, 'qdd': qdd, 'joints': joints,
            'gravity': gravity, 'parameters': parameters, 'form': form, 'angles': angles}, idempotency_key)

    def inverse_kinematics(
            self, frame: str | Point1 | None, pose: Pose, *, axes: Sequence[Literal['x', 'y', 'z', 'rx', 'ry', 'rz']] |
            None = None, joints: Sequence[str] | None = None, initial: ArrayLike | Mapping[str, Any] | None = None,
            limits: bool | None = None, solutions: int | None = None, seeds: int | None = None, iterations: int | None =
            None, tolerance: InverseKinematicsRequestTolerance | None = None, angles: Literal['rad', 'deg'] | None =
            None, idempotency_key: str | None = None
    ) -> Awaitable[InverseKinematicsResult]:
        return self._compute('inverse-kinematics', InverseKinematicsResult, {'frame': frame, 'pose': pose,
            'axes': axes, 'joints': joints, 'initial': initial, 'limits': limits, 'solutions': solutions,
            'seeds': seeds, 'iterations': iterations, 'tolerance': tolerance, 'angles': angles},
            idempotency_key)

    def manipulability(
            self, q: ArrayLike | Mapping[str, Any], frame: str | Point1, *, axes: Sequence[Literal['x', 'y', 'z', 'rx',
            'ry', 'rz']] | None = None, joints: Sequence[str] | None = None, angles: Literal['rad', 'deg'] | None =
            None, idempotency_key: str | None = None
    ) -> Awaitable[ManipulabilityResult]:
        return self._compute('manipulability', ManipulabilityResult, {'q': q, 'frame': frame, 'axes': axes,
            'joints': joints, 'angles': angles}, idempotency_key)

    def trajectory(
            self, interval_s: float | None = None, *, waypoints: Sequence[ArrayLike | Mapping[str, Any]] | None = None,
            poses: Sequence[Pose] | None = None, fourier: TrajectoryFourier | None = None, frame: str | Point1 | None =
            None, axes: Sequence[Literal['x', 'y', 'z', 'rx', 'ry', 'rz']] | None = None, initial: ArrayLike |
            Mapping[str, Any] | None = None, timing: Literal['linear', 'cubic', 'quintic', 'septic', 'trapezoid',
            'spline'] | None = None, blend: float | None = None, times_s: ArrayLike | None = None, durations_s:
            ArrayLike | None = None, duration_s: float | None = None, limits: TrajectoryRequestLimits | None = None,
            payload: Payload | None = None, joints: Sequence[str] | None = None, angles: Literal['rad', 'deg'] | None =
            None, idempotency_key: str | None = None
    ) -> Awaitable[TrajectoryResult]:
        return self._compute('trajectory', TrajectoryResult, {'interval_s': interval_s, 'waypoints':
            waypoints, 'poses': poses, 'fourier': fourier, 'frame': frame, 'axes': axes, 'initial': initial,
            'timing': timing, 'blend': blend, 'times_s': times_s, 'durations_s': durations_s, 'duration_s':
            duration_s, 'limits': limits, 'payload': payload, 'joints': joints, 'angles': angles},
            idempotency_key)

    def simulate(
            self, initial: SimulateInitial, duration_s: float, output: SimulateOutput | None = None, *, input:
            TorqueTable | Controller | ConstrainedController | OperationalController | None = None, disturbance:
            Sequence[PulseDisturbance | SineDisturbance | NoiseDisturbance | TableDisturbance] | None = None,
            external_wrenches: Sequence[WrenchOverTime] | None = None, payload: Payload | None = None, contacts:
            SimulateContacts | None = None, events: Sequence[EventRule] | None = None, solver: SimulateSolver | None =
            None, gravity: ArrayLike | None = None, without: Sequence[Literal['friction', 'rotor', 'spring', 'gravity']]
            | None = None, include: Sequence[Literal['qdd', 'multipliers', 'energy', 'momentum', 'base_reaction',
            'tracking_error']] | None = None, verdict: SimulateRequestVerdict | None = None, drives: SimulateDrives |
            None = None, joints: Sequence[str] | None = None, angles: Literal['rad', 'deg'] | None = None,
            idempotency_key: str | None = None, progress: bool | None = None
    ) -> Awaitable[SimulateResult]:
        return self._compute('simulate', SimulateResult, {'initial': initial, 'duration_s': duration_s,
            'output': output, 'input': input, 'disturbance': disturbance, 'external_wrenches':
            external_wrenches, 'payload': payload, 'contacts': contacts, 'events': events, 'solver': solver,
            'gravity': gravity, 'without': without, 'include': include, 'verdict': verdict, 'drives':
            drives, 'joints': joints, 'angles': angles}, idempotency_key, progress)

    def excitation(
            self, *, parameters: Sequence[Literal['rotor', 'viscous', 'coulomb', 'offset', 'stiffness']] | None = None,
            frequency_hz: float | None = None, period_s: float | None = None, harmonics: int | None = None, limits:
            ExcitationRequestLimits | None = None, criterion: Literal['torque-error', 'condition', 'determinant'] | None
            = None, torque_noise: ArrayLike | Mapping[str, Any] | None = None, recorded: Sequence[Mapping[str, Any]] |
            None = None, task: Sequence[ExcitationTask] | None = None, identify: Literal['robot', 'payload'] | None =
            None, link: str | None = None, shapes: Sequence[CollisionShape] | None = None, exclude:
            Sequence[Sequence[str]] | None = None, adjacent: bool | None = None, clearance_m: float | None = None,
            tries: int | None = None, seed: int | None = None, interval_s: float | None = None, joints: Sequence[str] |
            None = None, angles: Literal['rad', 'deg'] | None = None, gravity: ArrayLike | None = None, idempotency_key:
            str | None = None, progress: bool | None = None
    ) -> Awaitable[ExcitationResult]:
        return self._compute('excitation', ExcitationResult, {'parameters': parameters, 'frequency_hz':
            frequency_hz, 'period_s': period_s, 'harmonics': harmonics, 'limits': limits, 'criterion':
            criterion, 'torque_noise': torque_noise, 'recorded': recorded, 'task': task, 'identify':
            identify, 'link': link, 'shapes': shapes, 'exclude': exclude, 'adjacent': adjacent,
            'clearance_m': clearance_m, 'tries': tries, 'seed': seed, 'interval_s': interval_s, 'joints':
            joints, 'angles': angles, 'gravity': gravity}, idempotency_key, progress)

    def ensemble(
            self, initial: SimulateInitial, duration_s: float, output: SimulateOutput | None, vary: Sequence[Variation],
            *, input: TorqueTable | Controller | ConstrainedController | OperationalController | None = None,
            disturbance: Sequence[PulseDisturbance | SineDisturbance | NoiseDisturbance | TableDisturbance] | None =
            None, external_wrenches: Sequence[WrenchOverTime] | None = None, payload: Payload | None = None, solver:
            SimulateSolver | None = None, gravity: ArrayLike | None = None, without: Sequence[Literal['friction',
            'rotor', 'spring', 'gravity']] | None = None, joints: Sequence[str] | None = None, angles: Literal['rad',
            'deg'] | None = None, drives: SimulateDrives | None = None, events: Sequence[EventRule] | None = None,
            members: int | None = None, seed: int | None = None, quantiles: ArrayLike | None = None, return_members:
            Sequence[int] | None = None, only: Sequence[int] | None = None, end_states: bool | None = None,
            idempotency_key: str | None = None, progress: bool | None = None
    ) -> Awaitable[EnsembleResult]:
        return self._compute('ensemble', EnsembleResult, {'initial': initial, 'duration_s': duration_s,
            'output': output, 'vary': vary, 'input': input, 'disturbance': disturbance, 'external_wrenches':
            external_wrenches, 'payload': payload, 'solver': solver, 'gravity': gravity, 'without': without,
            'joints': joints, 'angles': angles, 'drives': drives, 'events': events, 'members': members,
            'seed': seed, 'quantiles': quantiles, 'return_members': return_members, 'only': only,
            'end_states': end_states}, idempotency_key, progress)

    def calibrate(
            self, datasets: Sequence[str | CalibrateDataset1], *, columns: LogColumns | None = None, units: LogUnits |
            None = None, scale: LogScale | None = None, rate_hz: float | None = None, rows: ArrayLike | None = None,
            filter: LogFilter | None = None, delay_s: float | None = None, joints: Sequence[str] | None = None,
            controller: CalibrateController | None = None, at_rest: Mapping[str, Any] | None = None, contacts:
            Sequence[str] | None = None, external_wrenches: Sequence[CalibrateWrench] | None = None, model:
            CalibrateRequestModel | None = None, method: Literal['feasible', 'ols', 'wls', 'irls', 'tls', 'ridge',
            'bounded', 'iv', 'feasible-iv', 'feasible-didim'] | None = None, bounds: CalibrateRequestBounds | None =
            None, compare: Sequence[Literal['feasible', 'ols', 'wls', 'tls', 'ridge', 'bounded', 'iv', 'feasible-iv',
            'entropic', 'idim-iv', 'feasible-idim-iv', 'didim', 'feasible-didim']] | None = None, lag_s: float | None =
            None, prior: ArrayLike | None = None, ridge: float | None = None, bootstrap: int | None = None, covariance:
            bool | None = None, column_noise: float | None = None, prior_weight: float | None = None, confidence: float
            | None = None, validate: Literal['leave-one-out', 'none'] | Sequence[str | CalibrateDataset1] | None = None,
            points: int | None = None, idempotency_key: str | None = None, progress: bool | None = None
    ) -> Awaitable[CalibrateResult]:
        return self._compute('calibrate', CalibrateResult, {'datasets': datasets, 'columns': columns,
            'units': units, 'scale': scale, 'rate_hz': rate_hz, 'rows': rows, 'filter': filter, 'delay_s':
            delay_s, 'joints': joints, 'controller': controller, 'at_rest': at_rest, 'contacts': contacts,
            'external_wrenches': external_wrenches, 'model': model, 'method': method, 'bounds': bounds,
            'compare': compare, 'lag_s': lag_s, 'prior': prior, 'ridge': ridge, 'bootstrap': bootstrap,
            'covariance': covariance, 'column_noise': column_noise, 'prior_weight': prior_weight,
            'confidence': confidence, 'validate': validate, 'points': points}, idempotency_key, progress)

    def payload(
            self, datasets: Sequence[str | CalibrateDataset1], *, reference: Sequence[str | CalibrateDataset1] | None =
            None, columns: LogColumns | None = None, units: LogUnits | None = None, scale: LogScale | None = None,
            rate_hz: float | None = None, rows: ArrayLike | None = None, filter: LogFilter | None = None, delay_s: float
            | None = None, joints: Sequence[str] | None = None, link: str | None = None, from_: Literal['auto',
            'motion', 'poses'] | None = None, friction: Sequence[Literal['viscous', 'coulomb', 'offset']] | None = None,
            confidence: float | None = None, idempotency_key: str | None = None
    ) -> Awaitable[PayloadResult]:
        return self._compute('payload', PayloadResult, {'datasets': datasets, 'reference': reference,
            'columns': columns, 'units': units, 'scale': scale, 'rate_hz': rate_hz, 'rows': rows, 'filter':
            filter, 'delay_s': delay_s, 'joints': joints, 'link': link, 'from': from_, 'friction': friction,
            'confidence': confidence}, idempotency_key)

    def residual(
            self, datasets: Sequence[str | CalibrateDataset1], *, quiet: Sequence[str | CalibrateDataset1] | None =
            None, columns: LogColumns | None = None, units: LogUnits | None = None, scale: LogScale | None = None,
            rate_hz: float | None = None, rows: ArrayLike | None = None, filter: LogFilter | None = None, delay_s: float
            | None = None, joints: Sequence[str] | None = None, gain_hz: float | None = None, sigma: ArrayLike | None =
            None, threshold: ArrayLike | None = None, false_alarms_per_day: float | None = None, persistent_s: float |
            None = None, idempotency_key: str | None = None
    ) -> Awaitable[ResidualResult]:
        return self._compute('residual', ResidualResult, {'datasets': datasets, 'quiet': quiet, 'columns':
            columns, 'units': units, 'scale': scale, 'rate_hz': rate_hz, 'rows': rows, 'filter': filter,
            'delay_s': delay_s, 'joints': joints, 'gain_hz': gain_hz, 'sigma': sigma, 'threshold':
            threshold, 'false_alarms_per_day': false_alarms_per_day, 'persistent_s': persistent_s},
            idempotency_key)

    def calibrate_kinematics(
            self, q: ArrayLike | Mapping[str, Any], *, position: ArrayLike | None = None, quaternion_wxyz: ArrayLike |
            None = None, plane: Sequence[int] | None = None, frame: str | Point1 | None = None, identify:
            Literal['zeros', 'frames'] | None = None, only: Sequence[str] | None = None, base: Pose | None = None, tool:
            Pose | None = None, noise: CalibrateKinematicsRequestNoise | None = None, weights: ArrayLike | None = None,
            limits: CalibrateKinematicsRequestLimits | None = None, robust: bool | None = None, folds: int | None =
            None, confidence: float | None = None, joints: Sequence[str] | None = None, angles: Literal['rad', 'deg'] |
            None = None, idempotency_key: str | None = None
    ) -> Awaitable[CalibrateKinematicsResult]:
        return self._compute('calibrate-kinematics', CalibrateKinematicsResult, {'q': q, 'position':
            position, 'quaternion_wxyz': quaternion_wxyz, 'plane': plane, 'frame': frame, 'identify':
            identify, 'only': only, 'base': base, 'tool': tool, 'noise': noise, 'weights': weights,
            'limits': limits, 'robust': robust, 'folds': folds, 'confidence': confidence, 'joints': joints,
            'angles': angles}, idempotency_key)

    def distance(
            self, q: ArrayLike | Mapping[str, Any], shapes: Sequence[CollisionShape], *, exclude:
            Sequence[Sequence[str]] | None = None, adjacent: bool | None = None, joints: Sequence[str] | None = None,
            angles: Literal['rad', 'deg'] | None = None, idempotency_key: str | None = None
    ) -> Awaitable[DistanceResult]:
        return self._compute('distance', DistanceResult, {'q': q, 'shapes': shapes, 'exclude': exclude,
            'adjacent': adjacent, 'joints': joints, 'angles': angles}, idempotency_key)

    def assemble(
            self, q: Mapping[str, Any], qd: Mapping[str, Any] | None = None, qdd: Mapping[str, Any] | None = None, *,
            near: ArrayLike | Mapping[str, Any] | None = None, joints: Sequence[str] | None = None, angles:
            Literal['rad', 'deg'] | None = None, idempotency_key: str | None = None
    ) -> Awaitable[AssembleResult]:
        return self._compute('assemble', AssembleResult, {'q': q, 'qd': qd, 'qdd': qdd, 'near': near,
            'joints': joints, 'angles': angles}, idempotency_key)

    def static_poses(
            self, *, poses: int | None = None, candidates: int | None = None, parameters: Sequence[Literal['offset',
            'stiffness']] | None = None, criterion: Literal['torque-error', 'determinant'] | None = None, limits:
            StaticPosesRequestLimits | None = None, torque_noise: ArrayLike | Mapping[str, Any] | None = None, identify:
            Literal['robot', 'payload'] | None = None, link: str | None = None, load: StaticPosesRequestLoad | None =
            None, shapes: Sequence[CollisionShape] | None = None, exclude: Sequence[Sequence[str]] | None = None,
            adjacent: bool | None = None, clearance_m: float | None = None, dwell_s: float | None = None, seed: int |
            None = None, joints: Sequence[str] | None = None, angles: Literal['rad', 'deg'] | None = None, gravity:
            ArrayLike | None = None, idempotency_key: str | None = None
    ) -> Awaitable[StaticPosesResult]:
        return self._compute('static-poses', StaticPosesResult, {'poses': poses, 'candidates': candidates,
            'parameters': parameters, 'criterion': criterion, 'limits': limits, 'torque_noise':
            torque_noise, 'identify': identify, 'link': link, 'load': load, 'shapes': shapes, 'exclude':
            exclude, 'adjacent': adjacent, 'clearance_m': clearance_m, 'dwell_s': dwell_s, 'seed': seed,
            'joints': joints, 'angles': angles, 'gravity': gravity}, idempotency_key)

    def configuration(
            self, q: ArrayLike | Mapping[str, Any], *, step: ArrayLike | Mapping[str, Any] | None = None, to: ArrayLike
            | Mapping[str, Any] | None = None, fractions: ArrayLike | None = None, joints: Sequence[str] | None = None,
            angles: Literal['rad', 'deg'] | None = None, idempotency_key: str | None = None
    ) -> Awaitable[ConfigurationResult]:
        return self._compute('configuration', ConfigurationResult, {'q': q, 'step': step, 'to': to,
            'fractions': fractions, 'joints': joints, 'angles': angles}, idempotency_key)


class AsyncRobotJobs:
    """The same, as jobs: each returns at once with its job."""

    if TYPE_CHECKING:
        def _compute(self, operation: str, kind: type[R], request: dict[str, Any],
                     idempotency_key: str | None) -> Awaitable[AsyncJob[R]]: ...

    def inverse_dynamics(
            self, q: ArrayLike | Mapping[str, Any] | None = None, qd: ArrayLike | Mapping[str, Any] | None = None, qdd:
            ArrayLike | Mapping[str, Any] | None = None, tau: Any | None = None, *, from_: Log | None = None, joints:
            Sequence[str] | None = None, external_wrenches: Sequence[Wrench] | None = None, gravity: ArrayLike | None =
            None, without: Sequence[Literal['friction', 'rotor', 'spring', 'gravity', 'external', 'velocity',
            'inertia']] | None = None, include: Sequence[Literal['reactions', 'limits', 'mass_matrix',
            'mass_matrix_inverse', 'mass_matrix_bounds', 'mass_matrix_rate', 'mass_matrix_derivatives',
            'coriolis_matrix', 'coriolis_vector', 'christoffel_symbols', 'gravity_torque', 'friction', 'energy',
            'momentum', 'center_of_mass', 'center_of_mass_jacobian', 'centroidal_momentum', 'momentum_regressor',
            'operational_space_inertia', 'passivity', 'link_jacobians', 'link_jacobian_rates', 'ledger', 'derivatives',
            'second_derivatives', 'acceleration_second_derivatives', 'checks', 'drive', 'decoupling', 'multipliers',
            'constraint_power', 'actuation', 'constraint_jacobian', 'projectors', 'integrability']] | None = None,
            payload: Payload | None = None, coriolis_form: Literal['christoffel', 'c1', 'c2', 'stacked'] | None = None,
            frame: str | Point1 | None = None, axes: Sequence[Literal['x', 'y', 'z', 'rx', 'ry', 'rz']] | None = None,
            box: Literal['limits'] | Box1 | None = None, qd_ref: ArrayLike | Mapping[str, Any] | None = None, qdd_ref:
            ArrayLike | Mapping[str, Any] | None = None, angles: Literal['rad', 'deg'] | None = None, t: Any | None =
            None, violations: Any | None = None, duration_s: Any | None = None, binding: Any | None = None, provenance:
            Any | None = None, warnings: Any | None = None, read_as: Any | None = None, fourier: Any | None = None,
            score: Any | None = None, first_random: Any | None = None, tries: Any | None = None, improvements: Any |
            None = None, samples_judged: Any | None = None, base_parameters: Any | None = None, idempotency_key: str |
            None = None
    ) -> Awaitable[AsyncJob[InverseDynamicsResult]]:
        return self._compute('inverse-dynamics', InverseDynamicsResult, {'q': q, 'qd': qd, 'qdd': qdd,
            'tau': tau, 'from': from_, 'joints': joints, 'external_wrenches': external_wrenches, 'gravity':
            gravity, 'without': without, 'include': include, 'payload': payload, 'coriolis_form':
            coriolis_form, 'frame': frame, 'axes': axes, 'box': box, 'qd_ref': qd_ref, 'qdd_ref': qdd_ref,
            'angles': angles, 't': t, 'violations': violations, 'duration_s': duration_s, 'binding':
            binding, 'provenance': provenance, 'warnings': warnings, 'read_as': read_as, 'fourier': fourier,
            'score': score, 'first_random': first_random, 'tries': tries, 'improvements': improvements,
            'samples_judged': samples_judged, 'base_parameters': base_parameters}, idempotency_key)

    def forward_dynamics(
            self, q: ArrayLike | Mapping[str, Any], qd: ArrayLike | Mapping[str, Any] | None = None, tau: ArrayLike |
            Mapping[str, Any] | None = None, *, joints: Sequence[str] | None = None, external_wrenches: Sequence[Wrench]
            | None = None, gravity: ArrayLike | None = None, without: Sequence[Literal['friction', 'rotor', 'spring',
            'gravity', 'external', 'velocity', 'inertia']] | None = None, include: Sequence[Literal['reactions',
            'limits', 'mass_matrix', 'mass_matrix_inverse', 'mass_matrix_bounds', 'mass_matrix_rate',
            'mass_matrix_derivatives', 'coriolis_matrix', 'coriolis_vector', 'christoffel_symbols', 'gravity_torque',
            'friction', 'energy', 'momentum', 'center_of_mass', 'center_of_mass_jacobian', 'centroidal_momentum',
            'momentum_regressor', 'operational_space_inertia', 'passivity', 'link_jacobians', 'link_jacobian_rates',
            'ledger', 'derivatives', 'second_derivatives', 'acceleration_second_derivatives', 'checks', 'drive',
            'decoupling', 'multipliers', 'constraint_power', 'actuation', 'constraint_jacobian', 'projectors',
            'integrability']] | None = None, payload: Payload | None = None, coriolis_form: Literal['christoffel', 'c1',
            'c2', 'stacked'] | None = None, frame: str | Point1 | None = None, axes: Sequence[Literal['x', 'y', 'z',
            'rx', 'ry', 'rz']] | None = None, box: Literal['limits'] | Box1 | None = None, qd_ref: ArrayLike |
            Mapping[str, Any] | None = None, qdd_ref: ArrayLike | Mapping[str, Any] | None = None, angles:
            Literal['rad', 'deg'] | None = None, idempotency_key: str | None = None
    ) -> Awaitable[AsyncJob[ForwardDynamicsResult]]:
        return self._compute('forward-dynamics', ForwardDynamicsResult, {'q': q, 'qd': qd, 'tau': tau,
            'joints': joints, 'external_wrenches': external_wrenches, 'gravity': gravity, 'without':
            without, 'include': include, 'payload': payload, 'coriolis_form': coriolis_form, 'frame': frame,
            'axes': axes, 'box': box, 'qd_ref': qd_ref, 'qdd_ref': qdd_ref, 'angles': angles},
            idempotency_key)

    def terms(
            self, q: ArrayLike | Mapping[str, Any], include: Sequence[Literal['reactions', 'limits', 'mass_matrix',
            'mass_matrix_inverse', 'mass_matrix_bounds', 'mass_matrix_rate', 'mass_matrix_derivatives',
            'coriolis_matrix', 'coriolis_vector', 'christoffel_symbols', 'gravity_torque', 'friction', 'energy',
            'momentum', 'center_of_mass', 'center_of_mass_jacobian', 'centroidal_momentum', 'momentum_regressor',
            'operational_space_inertia', 'passivity', 'link_jacobians', 'link_jacobian_rates', 'ledger', 'derivatives',
            'second_derivatives', 'acceleration_second_derivatives', 'checks', 'drive', 'decoupling', 'multipliers',
            'constraint_power', 'actuation', 'constraint_jacobian', 'projectors', 'integrability']], qd: ArrayLike |
            Mapping[str, Any] | None = None, qdd: ArrayLike | Mapping[str, Any] | None = None, *, tau: Any | None =
            None, joints: Sequence[str] | None = None, external_wrenches: Sequence[Wrench] | None = None, gravity:
            ArrayLike | None = None, without: Sequence[Literal['friction', 'rotor', 'spring', 'gravity', 'external',
            'velocity', 'inertia']] | None = None, payload: Payload | None = None, coriolis_form: Literal['christoffel',
            'c1', 'c2', 'stacked'] | None = None, frame: str | Point1 | None = None, axes: Sequence[Literal['x', 'y',
            'z', 'rx', 'ry', 'rz']] | None = None, box: Literal['limits'] | Box1 | None = None, qd_ref: ArrayLike |
            Mapping[str, Any] | None = None, qdd_ref: ArrayLike | Mapping[str, Any] | None = None, angles:
            Literal['rad', 'deg'] | None = None, t: Any | None = None, violations: Any | None = None, duration_s: Any |
            None = None, binding: Any | None = None, provenance: Any | None = None, warnings: Any | None = None,
            read_as: Any | None = None, fourier: Any | None = None, score: Any | None = None, first_random: Any | None =
            None, tries: Any | None = None, improvements: Any | None = None, samples_judged: Any | None = None,
            base_parameters: Any | None = None, idempotency_key: str | None = None
    ) -> Awaitable[AsyncJob[TermsResult]]:
        return self._compute('terms', TermsResult, {'q': q, 'include': include, 'qd': qd, 'qdd': qdd, 'tau':
            tau, 'joints': joints, 'external_wrenches': external_wrenches, 'gravity': gravity, 'without':
            without, 'payload': payload, 'coriolis_form': coriolis_form, 'frame': frame, 'axes': axes,
            'box': box, 'qd_ref': qd_ref, 'qdd_ref': qdd_ref, 'angles': angles, 't': t, 'violations':
            violations, 'duration_s': duration_s, 'binding': binding, 'provenance': provenance, 'warnings':
            warnings, 'read_as': read_as, 'fourier': fourier, 'score': score, 'first_random': first_random,
            'tries': tries, 'improvements': improvements, 'samples_judged': samples_judged,
            'base_parameters': base_parameters}, idempotency_key)

    def kinematics(
            self, q: ArrayLike | Mapping[str, Any], qd: ArrayLike | Mapping[str, Any] | None = None, qdd: ArrayLike |
            Mapping[str, Any] | None = None, *, joints: Sequence[str] | None = None, frames: Sequence[str | Point1] |
            None = None, include: Sequence[Literal['jacobian', 'jacobian_rate']] | None = None, expressed_in:
            Literal['world', 'link', 'spatial'] | None = None, angles: Literal['rad', 'deg'] | None = None,
            idempotency_key: str | None = None
    ) -> Awaitable[AsyncJob[KinematicsResult]]:
        return self._compute('kinematics', KinematicsResult, {'q': q, 'qd': qd, 'qdd': qdd, 'joints':
            joints, 'frames': frames, 'include': include, 'expressed_in': expressed_in, 'angles': angles},
            idempotency_key)

    def statics(
            self, q: ArrayLike | Mapping[str, Any], endpoint_wrench: ConstantWrench, *, joints: Sequence[str] | None =
            None, joint_stiffness: ArrayLike | StaticsRequestJointStiffness1 | None = None, geometric: bool | None =
            None, gravity: ArrayLike | None = None, axes: Sequence[Literal['x', 'y', 'z', 'rx', 'ry', 'rz']] | None =
            None, angles: Literal['rad', 'deg'] | None = None, idempotency_key: str | None = None
    ) -> Awaitable[AsyncJob[StaticsResult]]:
        return self._compute('statics', StaticsResult, {'q': q, 'endpoint_wrench': endpoint_wrench,
            'joints': joints, 'joint_stiffness': joint_stiffness, 'geometric': geometric, 'gravity':
            gravity, 'axes': axes, 'angles': angles}, idempotency_key)

    def regressor(
            self, q: ArrayLike | Mapping[str, Any] | None = None, qd: ArrayLike | Mapping[str, Any] | None = None, qdd:
            ArrayLike | Mapping[str, Any] | None = None, *, joints: Sequence[str] | None = None, gravity: ArrayLike |
            None = None, parameters: Sequence[Literal['rotor', 'viscous', 'coulomb', 'offset', 'stiffness']] | None =
            None, form: Literal['base'] | None = None, angles: Literal['rad', 'deg'] | None = None, idempotency_key: str
            | None = None
    ) -> Awaitable[AsyncJob[RegressorResult]]:
        return self._compute('regressor', RegressorResult, {'q': q, 'qd': qd, 'qdd': qdd, 'joints': joints,
            'gravity': gravity, 'parameters': parameters, 'form': form, 'angles': angles}, idempotency_key)

    def inverse_kinematics(
            self, frame: str | Point1 | None, pose: Pose, *, axes: Sequence[Literal['x', 'y', 'z', 'rx', 'ry', 'rz']] |
            None = None, joints: Sequence[str] | None = None, initial: ArrayLike | Mapping[str, Any] | None = None,
            limits: bool | None = None, solutions: int | None = None, seeds: int | None = None, iterations: int | None =
            None, tolerance: InverseKinematicsRequestTolerance | None = None, angles: Literal['rad', 'deg'] | None =
            None, idempotency_key: str | None = None
    ) -> Awaitable[AsyncJob[InverseKinematicsResult]]:
        return self._compute('inverse-kinematics', InverseKinematicsResult, {'frame': frame, 'pose': pose,
            'axes': axes, 'joints': joints, 'initial': initial, 'limits': limits, 'solutions': solutions,
            'seeds': seeds, 'iterations': iterations, 'tolerance': tolerance, 'angles': angles},
            idempotency_key)

    def manipulability(
            self, q: ArrayLike | Mapping[str, Any], frame: str | Point1, *, axes: Sequence[Literal['x', 'y', 'z', 'rx',
            'ry', 'rz']] | None = None, joints: Sequence[str] | None = None, angles: Literal['rad', 'deg'] | None =
            None, idempotency_key: str | None = None
    ) -> Awaitable[AsyncJob[ManipulabilityResult]]:
        return self._compute('manipulability', ManipulabilityResult, {'q': q, 'frame': frame, 'axes': axes,
            'joints': joints, 'angles': angles}, idempotency_key)

    def trajectory(
            self, interval_s: float | None = None, *, waypoints: Sequence[ArrayLike | Mapping[str, Any]] | None = None,
            poses: Sequence[Pose] | None = None, fourier: TrajectoryFourier | None = None, frame: str | Point1 | None =
            None, axes: Sequence[Literal['x', 'y', 'z', 'rx', 'ry', 'rz']] | None = None, initial: ArrayLike |
            Mapping[str, Any] | None = None, timing: Literal['linear', 'cubic', 'quintic', 'septic', 'trapezoid',
            'spline'] | None = None, blend: float | None = None, times_s: ArrayLike | None = None, durations_s:
            ArrayLike | None = None, duration_s: float | None = None, limits: TrajectoryRequestLimits | None = None,
            payload: Payload | None = None, joints: Sequence[str] | None = None, angles: Literal['rad', 'deg'] | None =
            None, idempotency_key: str | None = None
    ) -> Awaitable[AsyncJob[TrajectoryResult]]:
        return self._compute('trajectory', TrajectoryResult, {'interval_s': interval_s, 'waypoints':
            waypoints, 'poses': poses, 'fourier': fourier, 'frame': frame, 'axes': axes, 'initial': initial,
            'timing': timing, 'blend': blend, 'times_s': times_s, 'durations_s': durations_s, 'duration_s':
            duration_s, 'limits': limits, 'payload': payload, 'joints': joints, 'angles': angles},
            idempotency_key)

    def simulate(
            self, initial: SimulateInitial, duration_s: float, output: SimulateOutput | None = None, *, input:
            TorqueTable | Controller | ConstrainedController | OperationalController | None = None, disturbance:
            Sequence[PulseDisturbance | SineDisturbance | NoiseDisturbance | TableDisturbance] | None = None,
            external_wrenches: Sequence[WrenchOverTime] | None = None, payload: Payload | None = None, contacts:
            SimulateContacts | None = None, events: Sequence[EventRule] | None = None, solver: SimulateSolver | None =
            None, gravity: ArrayLike | None = None, without: Sequence[Literal['friction', 'rotor', 'spring', 'gravity']]
            | None = None, include: Sequence[Literal['qdd', 'multipliers', 'energy', 'momentum', 'base_reaction',
            'tracking_error']] | None = None, verdict: SimulateRequestVerdict | None = None, drives: SimulateDrives |
            None = None, joints: Sequence[str] | None = None, angles: Literal['rad', 'deg'] | None = None,
            idempotency_key: str | None = None
    ) -> Awaitable[AsyncJob[SimulateResult]]:
        return self._compute('simulate', SimulateResult, {'initial': initial, 'duration_s': duration_s,
            'output': output, 'input': input, 'disturbance': disturbance, 'external_wrenches':
            external_wrenches, 'payload': payload, 'contacts': contacts, 'events': events, 'solver': solver,
            'gravity': gravity, 'without': without, 'include': include, 'verdict': verdict, 'drives':
            drives, 'joints': joints, 'angles': angles}, idempotency_key)

    def excitation(
            self, *, parameters: Sequence[Literal['rotor', 'viscous', 'coulomb', 'offset', 'stiffness']] | None = None,
            frequency_hz: float | None = None, period_s: float | None = None, harmonics: int | None = None, limits:
            ExcitationRequestLimits | None = None, criterion: Literal['torque-error', 'condition', 'determinant'] | None
            = None, torque_noise: ArrayLike | Mapping[str, Any] | None = None, recorded: Sequence[Mapping[str, Any]] |
            None = None, task: Sequence[ExcitationTask] | None = None, identify: Literal['robot', 'payload'] | None =
            None, link: str | None = None, shapes: Sequence[CollisionShape] | None = None, exclude:
            Sequence[Sequence[str]] | None = None, adjacent: bool | None = None, clearance_m: float | None = None,
            tries: int | None = None, seed: int | None = None, interval_s: float | None = None, joints: Sequence[str] |
            None = None, angles: Literal['rad', 'deg'] | None = None, gravity: ArrayLike | None = None, idempotency_key:
            str | None = None
    ) -> Awaitable[AsyncJob[ExcitationResult]]:
        return self._compute('excitation', ExcitationResult, {'parameters': parameters, 'frequency_hz':
            frequency_hz, 'period_s': period_s, 'harmonics': harmonics, 'limits': limits, 'criterion':
            criterion, 'torque_noise': torque_noise, 'recorded': recorded, 'task': task, 'identify':
            identify, 'link': link, 'shapes': shapes, 'exclude': exclude, 'adjacent': adjacent,
            'clearance_m': clearance_m, 'tries': tries, 'seed': seed, 'interval_s': interval_s, 'joints':
            joints, 'angles': angles, 'gravity': gravity}, idempotency_key)

    def ensemble(
            self, initial: SimulateInitial, duration_s: float, output: SimulateOutput | None, vary: Sequence[Variation],
            *, input: TorqueTable | Controller | ConstrainedController | OperationalController | None = None,
            disturbance: Sequence[PulseDisturbance | SineDisturbance | NoiseDisturbance | TableDisturbance] | None =
            None, external_wrenches: Sequence[WrenchOverTime] | None = None, payload: Payload | None = None, solver:
            SimulateSolver | None = None, gravity: ArrayLike | None = None, without: Sequence[Literal['friction',
            'rotor', 'spring', 'gravity']] | None = None, joints: Sequence[str] | None = None, angles: Literal['rad',
            'deg'] | None = None, drives: SimulateDrives | None = None, events: Sequence[EventRule] | None = None,
            members: int | None = None, seed: int | None = None, quantiles: ArrayLike | None = None, return_members:
            Sequence[int] | None = None, only: Sequence[int] | None = None, end_states: bool | None = None,
            idempotency_key: str | None = None
    ) -> Awaitable[AsyncJob[EnsembleResult]]:
        return self._compute('ensemble', EnsembleResult, {'initial': initial, 'duration_s': duration_s,
            'output': output, 'vary': vary, 'input': input, 'disturbance': disturbance, 'external_wrenches':
            external_wrenches, 'payload': payload, 'solver': solver, 'gravity': gravity, 'without': without,
            'joints': joints, 'angles': angles, 'drives': drives, 'events': events, 'members': members,
            'seed': seed, 'quantiles': quantiles, 'return_members': return_members, 'only': only,
            'end_states': end_states}, idempotency_key)

    def calibrate(
            self, datasets: Sequence[str | CalibrateDataset1], *, columns: LogColumns | None = None, units: LogUnits |
            None = None, scale: LogScale | None = None, rate_hz: float | None = None, rows: ArrayLike | None = None,
            filter: LogFilter | None = None, delay_s: float | None = None, joints: Sequence[str] | None = None,
            controller: CalibrateController | None = None, at_rest: Mapping[str, Any] | None = None, contacts:
            Sequence[str] | None = None, external_wrenches: Sequence[CalibrateWrench] | None = None, model:
            CalibrateRequestModel | None = None, method: Literal['feasible', 'ols', 'wls', 'irls', 'tls', 'ridge',
            'bounded', 'iv', 'feasible-iv', 'feasible-didim'] | None = None, bounds: CalibrateRequestBounds | None =
            None, compare: Sequence[Literal['feasible', 'ols', 'wls', 'tls', 'ridge', 'bounded', 'iv', 'feasible-iv',
            'entropic', 'idim-iv', 'feasible-idim-iv', 'didim', 'feasible-didim']] | None = None, lag_s: float | None =
            None, prior: ArrayLike | None = None, ridge: float | None = None, bootstrap: int | None = None, covariance:
            bool | None = None, column_noise: float | None = None, prior_weight: float | None = None, confidence: float
            | None = None, validate: Literal['leave-one-out', 'none'] | Sequence[str | CalibrateDataset1] | None = None,
            points: int | None = None, idempotency_key: str | None = None
    ) -> Awaitable[AsyncJob[CalibrateResult]]:
        return self._compute('calibrate', CalibrateResult, {'datasets': datasets, 'columns': columns,
            'units': units, 'scale': scale, 'rate_hz': rate_hz, 'rows': rows, 'filter': filter, 'delay_s':
            delay_s, 'joints': joints, 'controller': controller, 'at_rest': at_rest, 'contacts': contacts,
            'external_wrenches': external_wrenches, 'model': model, 'method': method, 'bounds': bounds,
            'compare': compare, 'lag_s': lag_s, 'prior': prior, 'ridge': ridge, 'bootstrap': bootstrap,
            'covariance': covariance, 'column_noise': column_noise, 'prior_weight': prior_weight,
            'confidence': confidence, 'validate': validate, 'points': points}, idempotency_key)

    def payload(
            self, datasets: Sequence[str | CalibrateDataset1], *, reference: Sequence[str | CalibrateDataset1] | None =
            None, columns: LogColumns | None = None, units: LogUnits | None = None, scale: LogScale | None = None,
            rate_hz: float | None = None, rows: ArrayLike | None = None, filter: LogFilter | None = None, delay_s: float
            | None = None, joints: Sequence[str] | None = None, link: str | None = None, from_: Literal['auto',
            'motion', 'poses'] | None = None, friction: Sequence[Literal['viscous', 'coulomb', 'offset']] | None = None,
            confidence: float | None = None, idempotency_key: str | None = None
    ) -> Awaitable[AsyncJob[PayloadResult]]:
        return self._compute('payload', PayloadResult, {'datasets': datasets, 'reference': reference,
            'columns': columns, 'units': units, 'scale': scale, 'rate_hz': rate_hz, 'rows': rows, 'filter':
            filter, 'delay_s': delay_s, 'joints': joints, 'link': link, 'from': from_, 'friction': friction,
            'confidence': confidence}, idempotency_key)

    def residual(
            self, datasets: Sequence[str | CalibrateDataset1], *, quiet: Sequence[str | CalibrateDataset1] | None =
            None, columns: LogColumns | None = None, units: LogUnits | None = None, scale: LogScale | None = None,
            rate_hz: float | None = None, rows: ArrayLike | None = None, filter: LogFilter | None = None, delay_s: float
            | None = None, joints: Sequence[str] | None = None, gain_hz: float | None = None, sigma: ArrayLike | None =
            None, threshold: ArrayLike | None = None, false_alarms_per_day: float | None = None, persistent_s: float |
            None = None, idempotency_key: str | None = None
    ) -> Awaitable[AsyncJob[ResidualResult]]:
        return self._compute('residual', ResidualResult, {'datasets': datasets, 'quiet': quiet, 'columns':
            columns, 'units': units, 'scale': scale, 'rate_hz': rate_hz, 'rows': rows, 'filter': filter,
            'delay_s': delay_s, 'joints': joints, 'gain_hz': gain_hz, 'sigma': sigma, 'threshold':
            threshold, 'false_alarms_per_day': false_alarms_per_day, 'persistent_s': persistent_s},
            idempotency_key)

    def calibrate_kinematics(
            self, q: ArrayLike | Mapping[str, Any], *, position: ArrayLike | None = None, quaternion_wxyz: ArrayLike |
            None = None, plane: Sequence[int] | None = None, frame: str | Point1 | None = None, identify:
            Literal['zeros', 'frames'] | None = None, only: Sequence[str] | None = None, base: Pose | None = None, tool:
            Pose | None = None, noise: CalibrateKinematicsRequestNoise | None = None, weights: ArrayLike | None = None,
            limits: CalibrateKinematicsRequestLimits | None = None, robust: bool | None = None, folds: int | None =
            None, confidence: float | None = None, joints: Sequence[str] | None = None, angles: Literal['rad', 'deg'] |
            None = None, idempotency_key: str | None = None
    ) -> Awaitable[AsyncJob[CalibrateKinematicsResult]]:
        return self._compute('calibrate-kinematics', CalibrateKinematicsResult, {'q': q, 'position':
            position, 'quaternion_wxyz': quaternion_wxyz, 'plane': plane, 'frame': frame, 'identify':
            identify, 'only': only, 'base': base, 'tool': tool, 'noise': noise, 'weights': weights,
            'limits': limits, 'robust': robust, 'folds': folds, 'confidence': confidence, 'joints': joints,
            'angles': angles}, idempotency_key)

    def distance(
            self, q: ArrayLike | Mapping[str, Any], shapes: Sequence[CollisionShape], *, exclude:
            Sequence[Sequence[str]] | None = None, adjacent: bool | None = None, joints: Sequence[str] | None = None,
            angles: Literal['rad', 'deg'] | None = None, idempotency_key: str | None = None
    ) -> Awaitable[AsyncJob[DistanceResult]]:
        return self._compute('distance', DistanceResult, {'q': q, 'shapes': shapes, 'exclude': exclude,
            'adjacent': adjacent, 'joints': joints, 'angles': angles}, idempotency_key)

    def assemble(
            self, q: Mapping[str, Any], qd: Mapping[str, Any] | None = None, qdd: Mapping[str, Any] | None = None, *,
            near: ArrayLike | Mapping[str, Any] | None = None, joints: Sequence[str] | None = None, angles:
            Literal['rad', 'deg'] | None = None, idempotency_key: str | None = None
    ) -> Awaitable[AsyncJob[AssembleResult]]:
        return self._compute('assemble', AssembleResult, {'q': q, 'qd': qd, 'qdd': qdd, 'near': near,
            'joints': joints, 'angles': angles}, idempotency_key)

    def static_poses(
            self, *, poses: int | None = None, candidates: int | None = None, parameters: Sequence[Literal['offset',
            'stiffness']] | None = None, criterion: Literal['torque-error', 'determinant'] | None = None, limits:
            StaticPosesRequestLimits | None = None, torque_noise: ArrayLike | Mapping[str, Any] | None = None, identify:
            Literal['robot', 'payload'] | None = None, link: str | None = None, load: StaticPosesRequestLoad | None =
            None, shapes: Sequence[CollisionShape] | None = None, exclude: Sequence[Sequence[str]] | None = None,
            adjacent: bool | None = None, clearance_m: float | None = None, dwell_s: float | None = None, seed: int |
            None = None, joints: Sequence[str] | None = None, angles: Literal['rad', 'deg'] | None = None, gravity:
            ArrayLike | None = None, idempotency_key: str | None = None
    ) -> Awaitable[AsyncJob[StaticPosesResult]]:
        return self._compute('static-poses', StaticPosesResult, {'poses': poses, 'candidates': candidates,
            'parameters': parameters, 'criterion': criterion, 'limits': limits, 'torque_noise':
            torque_noise, 'identify': identify, 'link': link, 'load': load, 'shapes': shapes, 'exclude':
            exclude, 'adjacent': adjacent, 'clearance_m': clearance_m, 'dwell_s': dwell_s, 'seed': seed,
            'joints': joints, 'angles': angles, 'gravity': gravity}, idempotency_key)

    def configuration(
            self, q: ArrayLike | Mapping[str, Any], *, step: ArrayLike | Mapping[str, Any] | None = None, to: ArrayLike
            | Mapping[str, Any] | None = None, fractions: ArrayLike | None = None, joints: Sequence[str] | None = None,
            angles: Literal['rad', 'deg'] | None = None, idempotency_key: str | None = None
    ) -> Awaitable[AsyncJob[ConfigurationResult]]:
        return self._compute('configuration', ConfigurationResult, {'q': q, 'step': step, 'to': to,
            'fractions': fractions, 'joints': joints, 'angles': angles}, idempotency_key)


class ServiceOperations:
    """Computations without a robot, waited for."""

    if TYPE_CHECKING:
        def _compute(self, operation: str, kind: type[R], request: dict[str, Any],
                     idempotency_key: str | None, progress: bool | None = None) -> R: ...

    def inertia(
            self, bodies: Sequence[InertiaRequestBodiesItem], *, frame: Pose | None = None, about: ArrayLike | None =
            None, floor: float | None = None, mass_floor: float | None = None, idempotency_key: str | None = None
    ) -> InertiaResult:
        """Bodies put together, seen from anywhere, and judged.

        Adds bodies (and takes away holes), each by its tensor or by a solid shape of uniform density, and returns
        the whole: about its centre of mass, about the origin and any point, principal moments and axes, generalised
        and pseudo-inertia, whether such a body can exist, and the nearest one that can. Products of inertia carry
        the tensor's minus sign: Ixy = -integral of x y dm.

        Arguments:
            frame: Of the frame of the answer in the common one
            about: m: A point for `inertia_about_point`
            floor: Least eigenvalue of the second moments over their trace, of the nearest consistent inertia; below
                1/3 (default 0)
            mass_floor: kg (default 1e-06)
        """
        return self._compute('inertia', InertiaResult, {'bodies': bodies, 'frame': frame, 'about': about,
            'floor': floor, 'mass_floor': mass_floor}, idempotency_key)

    def rigid_body(
            self, *, axis_motion: RigidBodyRequestAxisMotion | None = None, point_motion: RigidBodyRequestPointMotion |
            None = None, body: RigidBodyRequestBody | None = None, lie_bracket: RigidBodyRequestLieBracket | None =
            None, idempotency_key: str | None = None
    ) -> RigidBodyResult:
        """One rigid body by itself: motion of its points, momentum, energy, frames.

        Any of four questions at once: the angular acceleration of a rotation about a turning axis; velocity and
        acceleration of a point that moves in a moving frame, by parts; momentum, energy, generalised inertia and
        Newton-Euler wrench of a body; the Lie bracket of two twists. Vectors that are left out are zero. Twists are
        (v, w), wrenches (f, m).

        Arguments:
            point_motion: A frame that moves in a fixed one, and a point that moves in it
        """
        return self._compute('rigid-body', RigidBodyResult, {'axis_motion': axis_motion, 'point_motion':
            point_motion, 'body': body, 'lie_bracket': lie_bracket}, idempotency_key)

    def drive(
            self, drive: Drive, *, load: DriveRequestLoad | None = None, voltage: float | None = None, speed: ArrayLike
            | None = None, duty: ArrayLike | None = None, angular_frequency_rad_s: ArrayLike | None = None, responses:
            Sequence[Literal['speed', 'speed_reduced', 'admittance', 'current_open', 'current', 'emf_current',
            'velocity_open', 'velocity']] | None = None, idempotency_key: str | None = None
    ) -> DriveResult:
        """One motor with its gear and amplifier.

        The torque-speed line at a voltage (the supply's unless `voltage` is given) with the current limit in it;
        inertia and friction referred to either side of the gear; the error of neglecting the inductance; margins
        and bandwidth of the current and the velocity loop; Bode data at the requested frequencies. Every quantity
        is the motor's, on its own shaft, unless it is named as the load's.

        Arguments:
            load: What hangs from the gear, on its side
            voltage: V of the torque-speed line; what the amplifier reaches if left out
            speed: Points of the line, rad/s of the motor
            duty: Duties whose voltage is computed
            angular_frequency_rad_s: rad/s
            responses: All that the drive has, if left out. speed: rad/s for a volt; admittance: A for a volt;
                current_open, velocity_open: the loop cut; current, velocity: closed; emf_current: A for a volt of
                back-emf with the current loop closed
        """
        return self._compute('drive', DriveResult, {'drive': drive, 'load': load, 'voltage': voltage,
            'speed': speed, 'duty': duty, 'angular_frequency_rad_s': angular_frequency_rad_s, 'responses':
            responses}, idempotency_key)

    def compare(
            self, a: CompareSource | CompareSource1 | str, b: CompareSource | CompareSource1 | str, *, columns:
            Sequence[str | int | CompareColumns1] | None = None, time: str | int | CompareColumns1 | None = None, by:
            Literal['time', 'row'] | None = None, include: Sequence[Literal['series']] | None = None, idempotency_key:
            str | None = None
    ) -> CompareResult:
        """Two results or datasets: the differences of like columns over time.

        Columns are alike by name (`q[0]` of a result is `q_0` of a table, `q1` of one that counts from 1), or as
        `columns` says. Where both have a time, `b` is interpolated to the times of `a`, linearly, unless it has a
        row at that time; rows of `a` outside of `b`'s times are counted and left out. Without it, or with `"by":
        "row"`, they are compared row by row. A difference is a - b.

        Arguments:
            time: If left out, `t`, `time` or `timestamp` of both
            by: If left out, time where both have one
        """
        return self._compute('compare', CompareResult, {'a': a, 'b': b, 'columns': columns, 'time': time,
            'by': by, 'include': include}, idempotency_key)


class ServiceJobs:
    """The same, as jobs: each returns at once with its job."""

    if TYPE_CHECKING:
        def _compute(self, operation: str, kind: type[R], request: dict[str, Any],
                     idempotency_key: str | None) -> Job[R]: ...

    def inertia(
            self, bodies: Sequence[InertiaRequestBodiesItem], *, frame: Pose | None = None, about: ArrayLike | None =
            None, floor: float | None = None, mass_floor: float | None = None, idempotency_key: str | None = None
    ) -> Job[InertiaResult]:
        return self._compute('inertia', InertiaResult, {'bodies': bodies, 'frame': frame, 'about': about,
            'floor': floor, 'mass_floor': mass_floor}, idempotency_key)

    def rigid_body(
            self, *, axis_motion: RigidBodyRequestAxisMotion | None = None, point_motion: RigidBodyRequestPointMotion |
            None = None, body: RigidBodyRequestBody | None = None, lie_bracket: RigidBodyRequestLieBracket | None =
            None, idempotency_key: str | None = None
    ) -> Job[RigidBodyResult]:
        return self._compute('rigid-body', RigidBodyResult, {'axis_motion': axis_motion, 'point_motion':
            point_motion, 'body': body, 'lie_bracket': lie_bracket}, idempotency_key)

    def drive(
            self, drive: Drive, *, load: DriveRequestLoad | None = None, voltage: float | None = None, speed: ArrayLike
            | None = None, duty: ArrayLike | None = None, angular_frequency_rad_s: ArrayLike | None = None, responses:
            Sequence[Literal['speed', 'speed_reduced', 'admittance', 'current_open', 'current', 'emf_current',
            'velocity_open', 'velocity']] | None = None, idempotency_key: str | None = None
    ) -> Job[DriveResult]:
        return self._compute('drive', DriveResult, {'drive': drive, 'load': load, 'voltage': voltage,
            'speed': speed, 'duty': duty, 'angular_frequency_rad_s': angular_frequency_rad_s, 'responses':
            responses}, idempotency_key)

    def compare(
            self, a: CompareSource | CompareSource1 | str, b: CompareSource | CompareSource1 | str, *, columns:
            Sequence[str | int | CompareColumns1] | None = None, time: str | int | CompareColumns1 | None = None, by:
            Literal['time', 'row'] | None = None, include: Sequence[Literal['series']] | None = None, idempotency_key:
            str | None = None
    ) -> Job[CompareResult]:
        return self._compute('compare', CompareResult, {'a': a, 'b': b, 'columns': columns, 'time': time,
            'by': by, 'include': include}, idempotency_key)


class AsyncServiceOperations:
    """Computations without a robot, waited for."""

    if TYPE_CHECKING:
        def _compute(self, operation: str, kind: type[R], request: dict[str, Any],
                     idempotency_key: str | None, progress: bool | None = None) -> Awaitable[R]: ...

    def inertia(
            self, bodies: Sequence[InertiaRequestBodiesItem], *, frame: Pose | None = None, about: ArrayLike | None =
            None, floor: float | None = None, mass_floor: float | None = None, idempotency_key: str | None = None
    ) -> Awaitable[InertiaResult]:
        return self._compute('inertia', InertiaResult, {'bodies': bodies, 'frame': frame, 'about': about,
            'floor': floor, 'mass_floor': mass_floor}, idempotency_key)

    def rigid_body(
            self, *, axis_motion: RigidBodyRequestAxisMotion | None = None, point_motion: RigidBodyRequestPointMotion |
            None = None, body: RigidBodyRequestBody | None = None, lie_bracket: RigidBodyRequestLieBracket | None =
            None, idempotency_key: str | None = None
    ) -> Awaitable[RigidBodyResult]:
        return self._compute('rigid-body', RigidBodyResult, {'axis_motion': axis_motion, 'point_motion':
            point_motion, 'body': body, 'lie_bracket': lie_bracket}, idempotency_key)

    def drive(
            self, drive: Drive, *, load: DriveRequestLoad | None = None, voltage: float | None = None, speed: ArrayLike
            | None = None, duty: ArrayLike | None = None, angular_frequency_rad_s: ArrayLike | None = None, responses:
            Sequence[Literal['speed', 'speed_reduced', 'admittance', 'current_open', 'current', 'emf_current',
            'velocity_open', 'velocity']] | None = None, idempotency_key: str | None = None
    ) -> Awaitable[DriveResult]:
        return self._compute('drive', DriveResult, {'drive': drive, 'load': load, 'voltage': voltage,
            'speed': speed, 'duty': duty, 'angular_frequency_rad_s': angular_frequency_rad_s, 'responses':
            responses}, idempotency_key)

    def compare(
            self, a: CompareSource | CompareSource1 | str, b: CompareSource | CompareSource1 | str, *, columns:
            Sequence[str | int | CompareColumns1] | None = None, time: str | int | CompareColumns1 | None = None, by:
            Literal['time', 'row'] | None = None, include: Sequence[Literal['series']] | None = None, idempotency_key:
            str | None = None
    ) -> Awaitable[CompareResult]:
        return self._compute('compare', CompareResult, {'a': a, 'b': b, 'columns': columns, 'time': time,
            'by': by, 'include': include}, idempotency_key)


class AsyncServiceJobs:
    """The same, as jobs: each returns at once with its job."""

    if TYPE_CHECKING:
        def _compute(self, operation: str, kind: type[R], request: dict[str, Any],
                     idempotency_key: str | None) -> Awaitable[AsyncJob[R]]: ...

    def inertia(
            self, bodies: Sequence[InertiaRequestBodiesItem], *, frame: Pose | None = None, about: ArrayLike | None =
            None, floor: float | None = None, mass_floor: float | None = None, idempotency_key: str | None = None
    ) -> Awaitable[AsyncJob[InertiaResult]]:
        return self._compute('inertia', InertiaResult, {'bodies': bodies, 'frame': frame, 'about': about,
            'floor': floor, 'mass_floor': mass_floor}, idempotency_key)

    def rigid_body(
            self, *, axis_motion: RigidBodyRequestAxisMotion | None = None, point_motion: RigidBodyRequestPointMotion |
            None = None, body: RigidBodyRequestBody | None = None, lie_bracket: RigidBodyRequestLieBracket | None =
            None, idempotency_key: str | None = None
    ) -> Awaitable[AsyncJob[RigidBodyResult]]:
        return self._compute('rigid-body', RigidBodyResult, {'axis_motion': axis_motion, 'point_motion':
            point_motion, 'body': body, 'lie_bracket': lie_bracket}, idempotency_key)

    def drive(
            self, drive: Drive, *, load: DriveRequestLoad | None = None, voltage: float | None = None, speed: ArrayLike
            | None = None, duty: ArrayLike | None = None, angular_frequency_rad_s: ArrayLike | None = None, responses:
            Sequence[Literal['speed', 'speed_reduced', 'admittance', 'current_open', 'current', 'emf_current',
            'velocity_open', 'velocity']] | None = None, idempotency_key: str | None = None
    ) -> Awaitable[AsyncJob[DriveResult]]:
        return self._compute('drive', DriveResult, {'drive': drive, 'load': load, 'voltage': voltage,
            'speed': speed, 'duty': duty, 'angular_frequency_rad_s': angular_frequency_rad_s, 'responses':
            responses}, idempotency_key)

    def compare(
            self, a: CompareSource | CompareSource1 | str, b: CompareSource | CompareSource1 | str, *, columns:
            Sequence[str | int | CompareColumns1] | None = None, time: str | int | CompareColumns1 | None = None, by:
            Literal['time', 'row'] | None = None, include: Sequence[Literal['series']] | None = None, idempotency_key:
            str | None = None
    ) -> Awaitable[AsyncJob[CompareResult]]:
        return self._compute('compare', CompareResult, {'a': a, 'b': b, 'columns': columns, 'time': time,
            'by': by, 'include': include}, idempotency_key)


# the result of each, for jobs that are found by their ids
RESULTS: dict[str, type[Result]] = {
    'inverse-dynamics': InverseDynamicsResult,
    'forward-dynamics': ForwardDynamicsResult,
    'terms': TermsResult,
    'kinematics': KinematicsResult,
    'statics': StaticsResult,
    'regressor': RegressorResult,
    'inverse-kinematics': InverseKinematicsResult,
    'manipulability': ManipulabilityResult,
    'trajectory': TrajectoryResult,
    'inertia': InertiaResult,
    'rigid-body': RigidBodyResult,
    'drive': DriveResult,
    'compare': CompareResult,
    'simulate': SimulateResult,
    'excitation': ExcitationResult,
    'ensemble': EnsembleResult,
    'calibrate': CalibrateResult,
    'payload': PayloadResult,
    'residual': ResidualResult,
    'calibrate-kinematics': CalibrateKinematicsResult,
    'distance': DistanceResult,
    'assemble': AssembleResult,
    'static-poses': StaticPosesResult,
    'configuration': ConfigurationResult,
}
