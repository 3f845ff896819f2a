# SPDX-License-Identifier: Apache-2.0
# clients/python/src/torqued/_generated/types.py - made by generate.py out of api/openapi/openapi.yaml: objects inside of requests and results.
"""For annotations: dicts with these keys. Names that end with Out are of results, whose arrays are numpy's."""
from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypedDict

from numpy.typing import ArrayLike
from typing_extensions import NotRequired

from .._codec import Array


class AssembleReadAsItemOut(TypedDict):
    pointer: str
    sent: NotRequired[str]
    read: str


class BodyInertiaOut(TypedDict):
    mass: float
    com: Array
    inertia: Array
    inertia_about: Literal['com']


class Box1(TypedDict):
    lower: ArrayLike
    upper: ArrayLike


class CalibrateBeyondCutoffItemOut(TypedDict):
    joint: NotRequired[str]
    inertia: NotRequired[float]
    jerk_gain: NotRequired[float]


class CalibrateBoundOut(TypedDict):
    """An end that the fit without bounds is beyond, or that the fit lies on"""
    link: str
    quantity: Literal['mass', 'com_x', 'com_y', 'com_z']
    end: Literal['least', 'most']
    bound: float
    value: float
    without_bounds: float
    price_percent: float | None
    price_percent_reason: NotRequired[str]
    unit: Literal['kg', 'm']


class CalibrateComparedFarthestOut(TypedDict):
    """The parameter that differs by the most of them"""
    name: str
    value: float
    applied: float
    deviations: float
    unit: str


class CalibrateComparedOut(TypedDict):
    """One estimator; without a result `reason` alone"""
    estimator: str
    reason: NotRequired[str]
    rmse: NotRequired[Array]
    rmse_ratio: NotRequired[list[float | None]]
    feasible: NotRequired[bool]
    infeasible_because: NotRequired[str]
    condition: NotRequired[float | None]
    condition_reason: NotRequired[str]
    price_percent: NotRequired[float | None]
    price_percent_reason: NotRequired[str]
    iterations: NotRequired[int]
    simulations: NotRequired[int]
    windows: NotRequired[int]
    windows_lost: NotRequired[int]
    values: NotRequired[Array]
    deviations: NotRequired[list[float | None]]
    farthest: NotRequired[CalibrateComparedFarthestOut]


class CalibrateComparisonOut(TypedDict):
    """With `compare`: what other estimators give on the same logs"""
    applied: str
    judged_by: Literal['leave-one-out', 'datasets', 'fitted']
    estimators: list[CalibrateComparedOut]


class CalibrateConditionOut(TypedDict):
    unscaled: NotRequired[float | None]
    unscaled_reason: NotRequired[str]
    column_scaled: NotRequired[float | None]
    column_scaled_reason: NotRequired[str]


class CalibrateController(TypedDict):
    """The controller that moved the robot. Of logs without torque it makes torque of commanded and measured motion
    (`q_cmd`, and `qd_cmd` where it is logged); logs with torque keep theirs. Rates are the logged ones where both
    are, else central differences of q_cmd - q. Row k of the log is what the controller saw at one time. Feed-
    forward torque that it adds to its law is `tau_ff` of the log. Rows at `effort_limits` are left out (repair
    saturated)
    """
    kind: Literal['pd', 'pd-gravity', 'computed-torque']
    kp: float | Literal['fit'] | UnknownGain | Sequence[float | Literal['fit'] | UnknownGain] | Mapping[str, Any]
    kd: float | Literal['fit'] | UnknownGain | Sequence[float | Literal['fit'] | UnknownGain] | Mapping[str, Any]
    ki: NotRequired[float | Literal['fit'] | UnknownGain | Sequence[float | Literal['fit'] | UnknownGain] | Mapping[str, Any]]
    effort_limits: NotRequired[Literal['robot'] | float | ArrayLike | Mapping[str, Any]]
    reference: NotRequired[Literal['robot']]


class CalibrateControllerUsedGainsItemOut(TypedDict):
    joint: str
    gain: Literal['kp', 'kd', 'ki']
    unit: str
    start: float
    start_by: Literal['robot', 'request']
    value: float
    standard_deviation: float | None
    standard_deviation_reason: NotRequired[str]
    interval: Array | None
    interval_reason: NotRequired[str]


class CalibrateControllerUsedOut(TypedDict):
    kind: Literal['pd', 'pd-gravity', 'computed-torque']
    law: str
    kp: Array
    kd: Array
    ki: NotRequired[Array]
    gains: NotRequired[list[CalibrateControllerUsedGainsItemOut]]
    scale: NotRequired[str]
    effort_limits: list[float | None]
    torque_of: list[CalibrateControllerUsedTorqueOfItemOut]
    note: str


class CalibrateControllerUsedTorqueOfItemOut(TypedDict):
    name: str
    rates: Literal['logged', 'differences']
    feed_forward: NotRequired[bool]
    rows_saturated: int


class CalibrateDataset1(TypedDict):
    dataset: NotRequired[str]
    job: NotRequired[str]
    rows: NotRequired[ArrayLike]
    q: NotRequired[str]
    qd: NotRequired[str]
    qdd: NotRequired[str]
    tau: NotRequired[str]
    time: NotRequired[str]
    q_cmd: NotRequired[str]
    qd_cmd: NotRequired[str]
    tau_ff: NotRequired[str]
    base_position: NotRequired[str]
    base_quaternion_wxyz: NotRequired[str]
    base_twist: NotRequired[str]
    contacts: NotRequired[Sequence[str]]


class CalibrateDelayOut(TypedDict):
    """Lag of q, qd and qdd behind tau that was used, and whether it was estimated"""
    delay_s: NotRequired[float]
    from_data: NotRequired[bool]


class CalibrateDocumentByJointItemOut(TypedDict):
    joint: str
    rmse_fit: float
    rmse_document: float
    price_percent: float | None
    price_percent_reason: NotRequired[str]


class CalibrateDocumentOut(TypedDict):
    """Where the fit has presliding or load: the error of the robot's friction law for samples alone and simulation,
    fitted again to what the bodies leave of the fitted logs' unfiltered torque. Along a log (`from`) the robot has
    the fit's own law, without this price
    """
    by_joint: list[CalibrateDocumentByJointItemOut]


class CalibrateFeasibilityBoundsOut(TypedDict):
    """With `bounds`. Deviations and intervals are those of the data without constraints, about the values within;
    above 2 % `reasons` has it too
    """
    price_percent: float | None
    price_percent_reason: NotRequired[str]
    active: list[CalibrateBoundOut]


class CalibrateFeasibilityCostliestOut(TypedDict):
    """Above 2 %: the parameter that constraints move by the most of its standard deviations. What it lacks elsewhere
    is often its cause: a joint without a rotor, a wrong axis or ratio
    """
    name: str
    value: float
    unconstrained: float
    deviations: float | None
    deviations_reason: NotRequired[str]
    unit: str


class CalibrateFeasibilityOut(TypedDict):
    objective: NotRequired[float]
    objective_unconstrained: NotRequired[float | None]
    objective_unconstrained_reason: NotRequired[str]
    gap: NotRequired[float | None]
    gap_reason: NotRequired[str]
    least_eigenvalue: NotRequired[float | None]
    least_eigenvalue_reason: NotRequired[str]
    iterations: NotRequired[int]
    price_percent: NotRequired[float | None]
    price_percent_reason: NotRequired[str]
    costliest: NotRequired[CalibrateFeasibilityCostliestOut]
    bounds: NotRequired[CalibrateFeasibilityBoundsOut]


class CalibrateFindingOut(TypedDict):
    """A fault of the logs: where, how large, and its cure in `text`"""
    kind: Literal['torque-sign', 'torque-swap', 'position-swap', 'torque-scale', 'torque-stuck', 'position-stuck', 'gravity', 'payload', 'friction-drift', 'friction-of-run', 'runs-disagree', 'outliers', 'torque-lag']
    text: str
    gross: bool
    explained: float
    joint: NotRequired[str]
    other_joint: NotRequired[str]
    datasets: NotRequired[list[str]]
    size: NotRequired[float]
    vector: NotRequired[Array]
    from_s: NotRequired[float]
    to_s: NotRequired[float]


class CalibrateFitOut(TypedDict):
    rmse: NotRequired[Array]
    by_joint: NotRequired[list[CalibrateJointsItemOut]]


class CalibrateForwardSimulationByDatasetItemOut(TypedDict):
    name: NotRequired[str]
    step_s: NotRequired[float]
    windows: NotRequired[int]
    windows_lost: NotRequired[int]
    rmse_q: NotRequired[Array]
    worst_t_s: NotRequired[Array]


class CalibrateForwardSimulationByJointItemOut(TypedDict):
    joint: NotRequired[str]
    rmse_q: NotRequired[float]
    rmse_qd: NotRequired[float]
    constant_velocity_rmse_q: NotRequired[float]
    relative_error: NotRequired[float | None]
    relative_error_reason: NotRequired[str]
    worst_q: NotRequired[float]


class CalibrateForwardSimulationOut(TypedDict):
    """The model let go from measured states with the logs' torque, in windows side by side over all logs, by a fit
    that has not seen the log where there is one. Null: forward_simulation_reason
    """
    horizon_s: NotRequired[float]
    windows: NotRequired[int]
    friction_note: NotRequired[str]
    windows_lost: NotRequired[int]
    by_joint: NotRequired[list[CalibrateForwardSimulationByJointItemOut]]
    by_dataset: NotRequired[list[CalibrateForwardSimulationByDatasetItemOut]]


class CalibrateFrictionSignOut(TypedDict):
    """What replaced the sign of velocity in friction, see the request's `model`"""
    smoothing: NotRequired[float | None]
    smoothing_reason: NotRequired[str]
    presliding: NotRequired[float]
    relaxation_s: NotRequired[float]
    from_data: NotRequired[bool]


class CalibrateGravityCheckByJointItemOut(TypedDict):
    joint: NotRequired[str]
    torque: NotRequired[float]
    rmse: NotRequired[float]
    worst: NotRequired[float]
    friction_band: NotRequired[float]
    poses_outside: NotRequired[int]
    excess: NotRequired[float]
    pairs: NotRequired[int]
    pair_rmse: NotRequired[float | None]
    pair_rmse_reason: NotRequired[str]
    relative_error: NotRequired[float | None]
    relative_error_reason: NotRequired[str]


class CalibrateGravityCheckOut(TypedDict):
    """Poses at which the whole robot is at rest for a quarter of a second or more: measured torque against what
    gravity, springs and offsets give there. Anything within a joint's friction may be held as well; where it came
    to one pose from either side, the mean of the two is free of it. On the logs of `validate` where they have
    poses. Null: gravity_check_reason
    """
    used_in_fit: NotRequired[bool]
    poses: NotRequired[int]
    by_joint: NotRequired[list[CalibrateGravityCheckByJointItemOut]]
    payload: NotRequired[CalibrateGravityCheckPayloadOut | None]
    payload_reason: NotRequired[str]


class CalibrateGravityCheckPayloadOut(TypedDict):
    """What a body at the end of the longest chain would weigh to explain what is left; named in `reasons` beyond three
    standard deviations and 1 % of the robot
    """
    link: NotRequired[str]
    mass: NotRequired[float]
    standard_deviation_kg: NotRequired[float]


class CalibrateInstrumentsOut(TypedDict):
    """With method iv and feasible-iv"""
    lag_s: NotRequired[float]
    lag_samples: NotRequired[int]


class CalibrateJointsItemExplainedByOut(TypedDict):
    """Shares of the residual's square in motion that terms would take which the model may lack; named in `reasons`
    above 0.1
    """
    slow_friction: NotRequired[float]
    load_friction: NotRequired[float]
    position: NotRequired[float]


class CalibrateJointsItemOut(TypedDict):
    joint: str
    all: NotRequired[CalibrateJudgedOut]
    moving: NotRequired[CalibrateJudgedOut]
    standing: NotRequired[CalibrateJudgedOut]
    explained_by: NotRequired[CalibrateJointsItemExplainedByOut]


class CalibrateJudgedOut(TypedDict):
    """Residual of torque, measured (unfiltered) less predicted"""
    samples: int
    rmse: float
    relative_error: float | None
    relative_error_reason: NotRequired[str]
    worst: float
    mean: float
    autocorrelation_1: NotRequired[float | None]
    autocorrelation_1_reason: NotRequired[str]
    autocorrelation_10: NotRequired[float | None]
    autocorrelation_10_reason: NotRequired[str]
    white_autocorrelation: NotRequired[float]


class CalibrateKinematicsBaseOut(TypedDict):
    """Of the robot's root in the tracker's frame"""
    position: Array
    quaternion_wxyz: Array
    known: bool
    standard_deviation: NotRequired[list[float | None]]


class CalibrateKinematicsByPoseOut(TypedDict):
    """In the order of the request"""
    position_before_m: Array
    position_after_m: Array
    rotation_before_rad: NotRequired[Array]
    rotation_after_rad: NotRequired[Array]
    deviations: list[float | None]


class CalibrateKinematicsErrorsOut(TypedDict):
    before: KinematicErrorsOut
    after: KinematicErrorsOut
    left_out_before: KinematicErrorsOut
    left_out_after: KinematicErrorsOut
    folds: int


class CalibrateKinematicsNoiseOut(TypedDict):
    stated: bool
    position_m: float
    rotation_rad: NotRequired[float]
    over_stated: NotRequired[float]


class CalibrateKinematicsNotIdentifiedItemOut(TypedDict):
    name: str
    because: Literal['structure', 'poses']
    text: str
    parts: list[CalibrateKinematicsNotIdentifiedItemPartsItemOut]


class CalibrateKinematicsNotIdentifiedItemPartsItemOut(TypedDict):
    name: str
    factor: float


class CalibrateKinematicsObservabilityOut(TypedDict):
    """By the Jacobian, lengths in m, angles in rad; rows of rotations are multiplied by the ratio of the deviations of
    position and rotation, in m/rad
    """
    singular_values: Array
    condition_number: float | None
    condition_number_reason: NotRequired[str]
    o1: float
    o2: float
    o3: float
    o4: float
    o5: float
    weakest: list[CalibrateKinematicsObservabilityWeakestItemOut]


class CalibrateKinematicsObservabilityWeakestItemOut(TypedDict):
    name: str
    component: float


class CalibrateKinematicsOutliersItemOut(TypedDict):
    pose: int
    position_m: float
    rotation_rad: NotRequired[float]
    deviations: float | None
    deviations_reason: NotRequired[str]
    left_out: bool


class CalibrateKinematicsPlanesItemOut(TypedDict):
    plane: int
    normal: Array
    distance_m: float
    standard_deviation: list[float | None]


class CalibrateKinematicsReadAsItemOut(TypedDict):
    pointer: str
    sent: NotRequired[str]
    read: str


class CalibrateKinematicsRequestLimits(TypedDict):
    """Largest absolute values; left out: none"""
    zero_rad: NotRequired[float]
    displacement_m: NotRequired[float]
    rotation_rad: NotRequired[float]


class CalibrateKinematicsRequestNoise(TypedDict):
    """Standard deviations of the measurement; left out: those of the residuals"""
    position_m: float
    rotation_rad: NotRequired[float]


class CalibrateKinematicsToolOut(TypedDict):
    """Of the measured frame, or point, on its link"""
    position: Array
    quaternion_wxyz: NotRequired[Array]
    known: bool
    standard_deviation: NotRequired[list[float | None]]


class CalibrateKinematicsWithinLimitsOut(TypedDict):
    """Standard deviation of the predicted position at random poses within the joints' limits, by the covariance of all
    parameters. With planes: at such poses on them
    """
    poses: int
    position_rms_m: float
    position_max_m: float


class CalibrateNoiseLeastSquaresBiasOut(TypedDict):
    """Of the parameter that is moved by the most standard deviations"""
    name: NotRequired[str]
    expected: NotRequired[float]
    deviations: NotRequired[float]


class CalibrateNoiseOut(TypedDict):
    """Noise of the logged motion, from the upper half of its spectra, and its effect on least squares: draws inertias
    towards zero. Where it would move some parameter by more than one standard deviation and the request names no
    method, instruments are used instead (method feasible-iv); if it names one, `reasons` states the bias
    """
    acceleration: NotRequired[Array]
    chose_instruments: NotRequired[bool]
    least_squares_bias: NotRequired[CalibrateNoiseLeastSquaresBiasOut | None]
    least_squares_bias_reason: NotRequired[str]


class CalibrateOutputErrorOut(TypedDict):
    """With method feasible-didim"""
    simulations: int
    windows: int
    windows_lost: int
    widened: NotRequired[CalibrateOutputErrorWidenedOut]


class CalibrateOutputErrorWidenedOut(TypedDict):
    """Where a controller is known or fitted: the simulated motion follows a change of a value, and brings a part c of
    it back. Deviations and intervals are 1 / (1 - c) of those of one simulation
    """
    most: float
    parameter: str


class CalibrateParameterOut(TypedDict):
    name: str
    kind: str
    link: NotRequired[str]
    joint: NotRequired[str]
    other: NotRequired[str]
    expression: NotRequired[str]
    unit: str
    stribeck_speed: NotRequired[float]
    value: float | None
    value_reason: NotRequired[str]
    standard_deviation: NotRequired[float | None]
    standard_deviation_reason: NotRequired[str]
    textbook_deviation: NotRequired[float | None]
    textbook_deviation_reason: NotRequired[str]
    least_squares: NotRequired[float | None]
    least_squares_reason: NotRequired[str]
    interval: NotRequired[Array | None]
    degrees_of_freedom: NotRequired[float]
    interval_reason: NotRequired[str]
    bootstrap_deviation: NotRequired[float | None]
    bootstrap_deviation_reason: NotRequired[str]
    bootstrap_interval: NotRequired[Array | None]
    bootstrap_interval_reason: NotRequired[str]
    relative_deviation: NotRequired[float | None]
    relative_deviation_reason: NotRequired[str]
    consistency_measure: NotRequired[float | None]
    consistency_measure_reason: NotRequired[str]
    effect: NotRequired[float | None]
    effect_reason: NotRequired[str]
    verdict: Literal['usable', 'robust-control-only', 'incomplete', 'unidentifiable']


class CalibratePredictionItemOut(TypedDict):
    name: NotRequired[str]
    used_in_fit: NotRequired[bool]
    every: NotRequired[int]
    t: NotRequired[Array]
    tau_measured: NotRequired[Array]
    tau_predicted: NotRequired[Array]
    residual: NotRequired[Array]


class CalibrateRankOut(TypedDict):
    structural: NotRequired[int]
    data: NotRequired[int]
    columns: NotRequired[int]


class CalibrateReadAsItemOut(TypedDict):
    pointer: str
    sent: NotRequired[str]
    read: str


class CalibrateRegroupedItemOut(TypedDict):
    combination: NotRequired[str]
    visible: NotRequired[float]


class CalibrateRequestBounds(TypedDict):
    """What is known of masses and centres of mass: weighed, or from CAD. The feasible fit stays within, and
    `feasibility.bounds` states which of them change it and their price. Where a fit without bounds is within them,
    it is the result. Only with method feasible and feasible-iv. A range of one value is a given value, to 1e-6 of a
    mass and 1e-6 m
    """
    links: NotRequired[Mapping[str, Any]]
    mass_within_percent: NotRequired[float]
    com_within_m: NotRequired[float]


class CalibrateRequestModel(TypedDict):
    kind: NotRequired[Literal['base', 'full', 'per-joint']]
    gravity: NotRequired[Literal['constant', 'cos', 'sin-cos']]
    friction: NotRequired[Sequence[Literal['viscous', 'coulomb', 'offset', 'stribeck', 'load']]]
    rotor: NotRequired[bool]
    springs: NotRequired[bool]
    smoothing: NotRequired[float]
    presliding: NotRequired[float]
    relaxation_s: NotRequired[float]
    stribeck_speed: NotRequired[float]
    couplings: NotRequired[Sequence[Sequence[str]]]


class CalibrateUnidentifiableItemOut(TypedDict):
    combination: NotRequired[str]
    deviation: NotRequired[float | None]
    deviation_reason: NotRequired[str]
    terms: NotRequired[list[dict[str, Any]]]


class CalibrateValidationOut(TypedDict):
    kind: NotRequired[Literal['none', 'leave-one-out', 'datasets']]
    rmse: NotRequired[Array]
    by_joint: NotRequired[list[CalibrateJointsItemOut]]
    by_dataset: NotRequired[list[dict[str, Any]]]


class CalibrateWrench(TypedDict):
    """As `Wrench`; its components are columns"""
    link: str
    force: NotRequired[str | int | Sequence[str | int]]
    moment: NotRequired[str | int | Sequence[str | int]]
    at: Literal['origin', 'com'] | ArrayLike
    applied_to: Literal['robot', 'environment']
    expressed_in: Literal['world', 'link']


class CollisionShape(TypedDict):
    """A solid that is fixed to a link"""
    link: NotRequired[str]
    name: NotRequired[str]
    shape: Literal['sphere', 'capsule', 'box', 'half-space', 'hull']
    size: NotRequired[ArrayLike]
    points: NotRequired[ArrayLike]
    pose: NotRequired[Pose]


class CompareColumns1(TypedDict):
    a: str | int
    b: str | int


class CompareColumnsItemOut(TypedDict):
    name: str
    rows: int
    max: float | None
    max_reason: NotRequired[str]
    max_row: NotRequired[int]
    max_t: NotRequired[float]
    rms: NotRequired[float]
    mean: NotRequired[float]


class CompareReadAsItemOut(TypedDict):
    pointer: str
    sent: NotRequired[str]
    read: str


class CompareSource(TypedDict):
    dataset: str


class CompareSource1(TypedDict):
    job: str


class ConfigurationOffConstraintsItemOut(TypedDict):
    constraint: str
    sample: int
    residual: float
    unit: str
    text: str


class ConfigurationReadAsItemOut(TypedDict):
    pointer: str
    sent: NotRequired[str]
    read: str


class ConstantWrench(TypedDict):
    """A force and a moment. Nothing about it is left unstated."""
    link: str
    force: NotRequired[ArrayLike]
    moment: NotRequired[ArrayLike]
    at: Literal['origin', 'com'] | ArrayLike
    applied_to: Literal['robot', 'environment']
    expressed_in: Literal['world', 'link']


class ConstrainedController(TypedDict):
    """A controller along and across the constraints of a robot that has them. The velocities u of `coordinates` go by
    u' = u_d' + kd (u_d - u) + kp e + ki s, all others follow from the constraints; `nonholonomic` has kd alone.
    Constraints carry `force` + ki times the integral of its error, 0 where no force is given. The torques are those
    of the robot's equations; where not every joint is driven, of the driven joints, of least norm, and forces are
    what comes with the motion.
    """
    kind: Literal['hybrid-position-force', 'nonholonomic']
    reference: Reference
    coordinates: NotRequired[Sequence[str]]
    kp: NotRequired[float | ArrayLike | Mapping[str, Any]]
    kd: float | ArrayLike | Mapping[str, Any]
    ki: NotRequired[float | ArrayLike | Mapping[str, Any]]
    force: NotRequired[ConstrainedControllerForce]
    effort_limits: NotRequired[Literal['robot'] | float | ArrayLike | Mapping[str, Any]]
    model: NotRequired[ControllerModel]


class ConstrainedControllerForce(TypedDict):
    """Multipliers that the constraints shall have, N or N m on the robot. Every joint has to be driven"""
    rows: NotRequired[Sequence[str]]
    values: ArrayLike
    t: NotRequired[ArrayLike]
    interpolation: NotRequired[Literal['hold', 'linear', 'cubic']]
    ki: NotRequired[float]


Controller = TypedDict('Controller', {
    'kind': "Literal['feedforward', 'pd', 'pd-gravity', 'computed-torque', 'passivity-based']",
    'reference': "Reference",
    'kp': "NotRequired[float | ArrayLike | Mapping[str, Any]]",
    'kd': "NotRequired[float | ArrayLike | Mapping[str, Any]]",
    'ki': "NotRequired[float | ArrayLike | Mapping[str, Any]]",
    'lambda': "NotRequired[float | ArrayLike | Mapping[str, Any]]",
    'effort_limits': "NotRequired[Literal['robot'] | float | ArrayLike | Mapping[str, Any]]",
    'sample_time_s': "NotRequired[float]",
    'model': "NotRequired[ControllerModel]",
})


class ControllerModel(TypedDict):
    """What the controller believes, where that is not the robot of this run"""
    payload: NotRequired[Payload]
    mass_scale: NotRequired[float]
    without: NotRequired[Sequence[Literal['friction', 'rotor', 'spring', 'gravity']]]


class CouplingConstraintOut(TypedDict):
    """Sum of coefficient * q = offset"""
    name: NotRequired[str]
    kind: Literal['coupling']
    coefficients: dict[str, Any]
    offset: NotRequired[float]


class DistanceConstraintOut(TypedDict):
    """Two points at a constant distance"""
    name: NotRequired[str]
    kind: Literal['distance']
    a: LinkPointOut
    b: LinkPointOut
    length: float


class DistanceLeastOut(TypedDict):
    """Of all pairs and samples"""
    distance: float
    a: str
    b: str
    sample: int


class DistanceLeftOutItemOut(TypedDict):
    a: str
    b: str
    reason: Literal['same-body', 'adjacent', 'excluded', 'half-spaces']


class DistancePairsItemOut(TypedDict):
    a: str
    b: str


class DistanceReadAsItemOut(TypedDict):
    pointer: str
    sent: NotRequired[str]
    read: str


class DragOut(TypedDict):
    """The box that a link is to the medium. MuJoCo's inertia-box model, there of the body's inertia"""
    box: Array
    position: NotRequired[Array]
    rotation: NotRequired[Array]
    rpy: NotRequired[Array]
    quaternion_wxyz: NotRequired[Array]


class Drive(TypedDict):
    """Motor, gear and amplifier of one joint. Limits that are left out do not exist."""
    motor: DriveMotor
    gear: NotRequired[DriveGear]
    amplifier: NotRequired[DriveAmplifier]
    current_limit: NotRequired[DriveCurrentLimit]
    current_loop: NotRequired[DriveCurrentLoop]
    velocity_loop: NotRequired[DriveVelocityLoop]


class DriveAmplifier(TypedDict):
    kind: NotRequired[Literal['pwm', 'linear']]
    supply_v: NotRequired[float]
    dead_band: NotRequired[float]
    frequency_hz: NotRequired[float]
    dropout_v: NotRequired[float]
    bandwidth_hz: NotRequired[float]


class DriveAmplifierOut(TypedDict):
    kind: NotRequired[Literal['pwm', 'linear']]
    supply_v: NotRequired[float]
    dead_band: NotRequired[float]
    frequency_hz: NotRequired[float]
    dropout_v: NotRequired[float]
    bandwidth_hz: NotRequired[float]


class DriveBodeOut(TypedDict):
    angular_frequency_rad_s: Array
    speed: NotRequired[DriveResponseOut]
    speed_reduced: NotRequired[DriveResponseOut]
    admittance: NotRequired[DriveResponseOut]
    current_open: NotRequired[DriveResponseOut]
    current: NotRequired[DriveResponseOut]
    emf_current: NotRequired[DriveResponseOut]
    velocity_open: NotRequired[DriveResponseOut]
    velocity: NotRequired[DriveResponseOut]


class DriveCurrentLimit(TypedDict):
    continuous_a: NotRequired[float]
    peak_a: NotRequired[float]
    peak_reverse_a: NotRequired[float]
    foldback_time_s: NotRequired[float]


class DriveCurrentLimitOut(TypedDict):
    continuous_a: NotRequired[float]
    peak_a: NotRequired[float]
    peak_reverse_a: NotRequired[float]
    foldback_time_s: NotRequired[float]


class DriveCurrentLoop(TypedDict):
    p: NotRequired[float]
    i: NotRequired[float]
    compensation: NotRequired[float]


class DriveCurrentLoopOut(TypedDict):
    p: NotRequired[float]
    i: NotRequired[float]
    compensation: NotRequired[float]


class DriveGear(TypedDict):
    ratio: NotRequired[float]
    efficiency: NotRequired[float]


class DriveGearOut(TypedDict):
    ratio: NotRequired[float]
    efficiency: NotRequired[float]


class DriveInertiaOut(TypedDict):
    motor_side: DriveShaftOut
    load_side: DriveShaftOut


class DriveLineOut(TypedDict):
    """Torque K i over speed, before the motor's own friction"""
    side: Literal['motor']
    voltage: float
    stall_torque: float
    stall_current: float
    no_load_speed_rad_s: float
    free_speed_rad_s: float
    slope: float
    largest_power: float
    held_torque: float | None
    held_torque_reason: NotRequired[str]
    held_below_rad_s: float | None
    held_below_rad_s_reason: NotRequired[str]
    points: NotRequired[DriveLinePointsOut]


class DriveLinePointsOut(TypedDict):
    speed: Array
    torque: Array
    current: Array
    voltage: Array
    electrical_power: Array
    copper_loss: Array


class DriveLoopOut(TypedDict):
    stable: bool
    crossover_rad_s: float | None
    crossover_rad_s_reason: NotRequired[str]
    phase_margin_rad: float | None
    phase_margin_rad_reason: NotRequired[str]
    phase_crossing_rad_s: float | None
    phase_crossing_rad_s_reason: NotRequired[str]
    gain_margin: float | None
    gain_margin_reason: NotRequired[str]
    bandwidth_rad_s: float | None
    bandwidth_rad_s_reason: NotRequired[str]
    low_gain: float
    peak: float
    peak_at_rad_s: float


class DriveLoopsOut(TypedDict):
    current: NotRequired[DriveLoopOut]
    velocity: NotRequired[DriveLoopOut]


class DriveMotor(TypedDict):
    constant_nm_a: float
    resistance: float
    inductance: NotRequired[float]
    inertia: NotRequired[float]
    viscous: NotRequired[float]


class DriveMotorOut(TypedDict):
    constant_nm_a: float
    resistance: float
    inductance: NotRequired[float]
    inertia: NotRequired[float]
    viscous: NotRequired[float]


class DriveOut(TypedDict):
    """Motor, gear and amplifier of one joint. Limits that are left out do not exist."""
    motor: DriveMotorOut
    gear: NotRequired[DriveGearOut]
    amplifier: NotRequired[DriveAmplifierOut]
    current_limit: NotRequired[DriveCurrentLimitOut]
    current_loop: NotRequired[DriveCurrentLoopOut]
    velocity_loop: NotRequired[DriveVelocityLoopOut]


class DriveReadAsItemOut(TypedDict):
    pointer: str
    sent: NotRequired[str]
    read: str


class DriveReductionOut(TypedDict):
    """What neglecting the inductance costs, for a step of voltage at rest"""
    electrical_time_s: float
    mechanical_time_s: float
    corner_hz: float | None
    corner_hz_reason: NotRequired[str]
    poles_per_s: Array | None
    poles_per_s_reason: NotRequired[str]
    reduced_pole_per_s: float
    speed_error: float
    speed_error_at_s: float
    current_error: float


class DriveRequestLoad(TypedDict):
    """What hangs from the gear, on its side"""
    inertia: NotRequired[float]
    viscous: NotRequired[float]
    locked: NotRequired[bool]


class DriveResponseOut(TypedDict):
    real: Array
    imaginary: Array
    magnitude: Array
    phase_rad: Array


class DriveShaftOut(TypedDict):
    inertia: float
    viscous: float


class DriveVelocityLoop(TypedDict):
    """i = gain (1 + lead lead_time_s s)/(1 + lead_time_s s) (commanded speed - measured speed), of the motor"""
    gain: float
    lead: NotRequired[float]
    lead_time_s: NotRequired[float]
    tacho_time_s: NotRequired[float]


class DriveVelocityLoopOut(TypedDict):
    """i = gain (1 + lead lead_time_s s)/(1 + lead_time_s s) (commanded speed - measured speed), of the motor"""
    gain: float
    lead: NotRequired[float]
    lead_time_s: NotRequired[float]
    tacho_time_s: NotRequired[float]


class EnsembleEndStatesOut(TypedDict):
    members: Array
    values: Array
    t: NotRequired[Array]
    events: NotRequired[Array]
    q: Array
    qd: Array


class EnsembleEndedItemOut(TypedDict):
    member: int
    outcome: Literal['stopped', 'diverged', 'unfinished']
    t: float
    reason: str
    event: NotRequired[int]


class EnsembleEventsOut(TypedDict):
    """With `events`: for each of them"""
    total: Array
    members: Array


class EnsembleOffConstraintsItemOut(TypedDict):
    constraint: str
    sample: int
    residual: float
    unit: str
    text: str


class EnsembleOutcomesOut(TypedDict):
    """How many members came to the end, were stopped by an event, ran away or met no accelerations, took too many
    steps
    """
    completed: int
    stopped: int
    diverged: int
    unfinished: int


class EnsembleReadAsItemOut(TypedDict):
    pointer: str
    sent: NotRequired[str]
    read: str


class EnsembleReturnedMembersItemOut(TypedDict):
    member: int
    values: Array
    outcome: Literal['completed', 'stopped', 'diverged', 'unfinished']
    t: NotRequired[float]
    reason: NotRequired[str]
    event: NotRequired[int]
    events: NotRequired[Array]
    q: Array
    qd: Array


class EnsembleStatisticsOut(TypedDict):
    mean: Array
    deviation: Array
    least: Array
    largest: Array
    quantiles: NotRequired[Array]


class EnsembleStatsOut(TypedDict):
    method: str
    step_s: NotRequired[float]
    rtol: NotRequired[float]
    atol: NotRequired[float]
    side_by_side: bool


class EquationConstraintOut(TypedDict):
    """The expression is 0"""
    name: NotRequired[str]
    kind: Literal['equation']
    expression: str | float


class ErrorSourcesOut(TypedDict):
    """Of the integrator's tolerance, of torques between the points of a table, of a model that is wrong as stated
    """
    integrator: NotRequired[float | None]
    integrator_reason: NotRequired[str]
    input: NotRequired[float | None]
    input_reason: NotRequired[str]
    model: NotRequired[float | None]
    model_reason: NotRequired[str]


class EventOut(TypedDict):
    t: float
    on: Literal['lower_limit', 'upper_limit', 'q', 'qd', 'tau', 'kinetic_energy', 'energy', 'stick', 'slip', 'rest', 'leave', 'touch', 'lift']
    joint: NotRequired[str]
    tendon: NotRequired[str]
    value: float
    a: NotRequired[str]
    b: NotRequired[str]
    event: NotRequired[int]


class EventRule(TypedDict):
    """What to look out for, found within a step to about 1e-12 s. `report` lists it, `stop` ends the run there,
    `bounce` turns a joint round on its limit by an impulse; what no longer bounces rests there until it is pulled
    away. Nothing bounces on a robot with constraints. A start on a level is no passage of it; a limit is passed
    each time it is left outwards, from a start beyond it too.
    """
    on: Literal['limits', 'q', 'qd', 'tau', 'kinetic_energy', 'energy']
    action: NotRequired[Literal['report', 'stop', 'bounce']]
    joint: NotRequired[str]
    joints: NotRequired[Sequence[str]]
    level: NotRequired[float]
    direction: NotRequired[Literal['down', 'both', 'up']]
    restitution: NotRequired[float]


class ExcitationFourierOut(TypedDict):
    """As `trajectory` takes it"""
    frequency_hz: float
    offset: Array
    a: Array
    b: Array


class ExcitationReadAsItemOut(TypedDict):
    pointer: str
    sent: NotRequired[str]
    read: str


class ExcitationRequestLimits(TypedDict):
    """One number for each of qd, instead of the robot's own, or by joint: `{"elbow": 1}`, where the others keep
    theirs; `acceleration` has no other source
    """
    lower: NotRequired[ArrayLike | Mapping[str, Any]]
    upper: NotRequired[ArrayLike | Mapping[str, Any]]
    velocity: NotRequired[ArrayLike | Mapping[str, Any]]
    acceleration: NotRequired[ArrayLike | Mapping[str, Any]]
    effort: NotRequired[ArrayLike | Mapping[str, Any]]


class ExcitationScoreOut(TypedDict):
    condition: float | None
    condition_reason: NotRequired[str]
    log_determinant: float | None
    log_determinant_reason: NotRequired[str]
    torque_error: float | None
    torque_error_reason: NotRequired[str]
    effort_used: float
    distance: NotRequired[float]


class ExcitationTask(TypedDict):
    """One motion; of an answer of `excitation` its series alone is read"""
    fourier: NotRequired[TrajectoryFourier]
    waypoints: NotRequired[Sequence[ArrayLike | Mapping[str, Any]]]
    table: NotRequired[ReferenceTable]


class ForwardDynamicsAccelerationSecondDerivativesOut(TypedDict):
    """Second partial derivatives of the acceleration of forward dynamics at this torque, also in inverse dynamics:
    what `derivatives` of acceleration change by the last coordinate. Without constraints. Limits and symmetries are
    those of `second_derivatives`.
    """
    index_order: Literal['[i][j][k] is that of acceleration i, by coordinate j of the first name, by k of the second']
    d2qdd_dq_dq: Array
    d2qdd_dqd_dqd: Array
    d2qdd_dqd_dq: Array
    d2qdd_dtau_dq: Array


class ForwardDynamicsActuationOut(TypedDict):
    """How torques were found: `tau` is that of the actuated joints, of least norm where they can work against each
    other. Without constraints it is that of every joint
    """
    actuated: float | Array
    dof: float | Array
    internal: float | Array
    missing: float | Array


class ForwardDynamicsCenterOfMassOut(TypedDict):
    expressed_in: Literal['world']
    position: Array
    velocity: Array
    jacobian: Array


class ForwardDynamicsCentroidalMomentumOut(TypedDict):
    """Linear momentum, then angular momentum about the centre of mass, is `matrix` qd; the force and moment about it
    from outside, gravity included, are `matrix` qdd + `bias`
    """
    expressed_in: Literal['world']
    matrix: Array
    rate: Array
    bias: Array


class ForwardDynamicsChecksOut(TypedDict):
    """A second opinion; residuals are relative to the largest entry, rounding leaves about 1e-14"""
    recursive_lagrangian: float | Array
    recursive_stacked: float | Array
    mass_matrix: float | Array
    skew_symmetry: float | Array
    symmetry: float | Array
    smallest_eigenvalue: float | Array


class ForwardDynamicsChristoffelSymbolsOut(TypedDict):
    index_order: Literal['[i][j][k], i the equation']
    symbols: Array
    coriolis: Array
    centrifugal: Array


class ForwardDynamicsConstraintJacobianOut(TypedDict):
    """A with A qd = b, dA/dt qd, and how far the state is off"""
    rows: list[str]
    matrix: Array
    rate_term: Array
    position_residual: Array
    velocity_residual: Array


class ForwardDynamicsCoriolisMatrixOut(TypedDict):
    """C with C qd the Coriolis and centrifugal torques"""
    form: Literal['christoffel', 'c1', 'c2', 'stacked']
    matrix: Array
    skew_residual: float | Array


class ForwardDynamicsDecouplingOut(TypedDict):
    """What laws that treat each joint alone get wrong. inertia_diagonal: M_ii qdd_i for (M qdd)_i; inertia_rotor: the
    rotor's inertia alone; decoupled, decoupled_rotor: the same without C qd
    """
    error: Literal['approximate torque less exact torque']
    inertia_diagonal: Array
    inertia_rotor: Array
    decoupled: Array
    decoupled_rotor: Array


class ForwardDynamicsDerivativesOut(TypedDict):
    """Partial derivatives, [i][j] of torque i by coordinate j; of accelerations in forward dynamics. Spherical and
    floating joints are displaced like their velocities: a turn (and a shift) in the child frame.
    """
    dtau_dq: NotRequired[Array]
    dtau_dqd: NotRequired[Array]
    dtau_dqdd: NotRequired[Array]
    dqdd_dq: NotRequired[Array]
    dqdd_dqd: NotRequired[Array]
    dqdd_dtau: NotRequired[Array]


class ForwardDynamicsDriveOut(TypedDict):
    """What the motion requires of the drives of `joints`: uses are parts of a limit, 0 where there is none; voltage
    without L di/dt; `feasible` is 1 where neither a peak current nor a voltage is exceeded, else 0
    """
    joints: list[str]
    motor_torque: Array
    motor_speed: Array
    current: Array
    voltage: Array
    duty: Array
    power: Array
    current_use: Array
    continuous_use: Array
    voltage_use: Array
    feasible: float | Array


class ForwardDynamicsEnergyOut(TypedDict):
    """J: potential is 0 with every centre of mass at the world origin and every spring at rest"""
    kinetic: float | Array
    potential: float | Array


class ForwardDynamicsIntegrabilityOut(TypedDict):
    """Frobenius' test here: directions that brackets of two allowed ones reach beside; 0: integrable"""
    dof: float | Array
    new_directions: float | Array
    defect: float | Array


class ForwardDynamicsLedgerOut(TypedDict):
    """Torque term by term, computed apart from tau; `external` is -J^T w"""
    inertia: Array
    coriolis: Array
    centrifugal: Array
    gravity: Array
    friction: Array
    rotor: Array
    spring: Array
    external: Array
    sum: Array


class ForwardDynamicsLimitsExceededItemOut(TypedDict):
    joint: str
    limit: Literal['lower', 'upper', 'velocity', 'torque']
    bound: float
    worst: float
    by: float
    sample: int
    samples: int


class ForwardDynamicsLimitsOut(TypedDict):
    """Which limits of the robot the samples exceed, each with its worst sample; nothing is cut off. Torque: `tau` of
    inverse-dynamics, the request's of forward-dynamics. Not for NPZ
    """
    exceeded: list[ForwardDynamicsLimitsExceededItemOut]
    unlimited: list[ForwardDynamicsLimitsUnlimitedItemOut]


class ForwardDynamicsLimitsUnlimitedItemOut(TypedDict):
    joint: str
    limit: Literal['lower', 'upper', 'velocity', 'torque']


class ForwardDynamicsLinkJacobianRatesOut(TypedDict):
    """Rates of change of `link_jacobians` at qd"""
    expressed_in: Literal['world']
    at: Literal['origin']
    links: list[str]
    rates: Array


class ForwardDynamicsLinkJacobiansOut(TypedDict):
    """Of every link: velocity of its origin, then angular velocity, along the world's axes"""
    expressed_in: Literal['world']
    at: Literal['origin']
    links: list[str]
    jacobians: Array


class ForwardDynamicsMassMatrixBoundsOut(TypedDict):
    """Eigenvalues of M at q; with `box`, also over all q in it"""
    smallest_eigenvalue: float | Array
    largest_eigenvalue: float | Array
    box_smallest_attained: NotRequired[float]
    box_largest_attained: NotRequired[float]
    box_smallest_guaranteed: NotRequired[float | None]
    box_largest_guaranteed: NotRequired[float | None]
    box_reason: NotRequired[str]


class ForwardDynamicsMassMatrixDerivativesOut(TypedDict):
    index_order: Literal['[i][j][k] is dM_ij/dq_k']
    derivatives: Array


class ForwardDynamicsMomentumOut(TypedDict):
    expressed_in: Literal['world']
    mass: float | Array
    linear: Array
    angular_com: Array
    angular_origin: Array


class ForwardDynamicsMomentumRegressorOut(TypedDict):
    """Linear momentum, then angular momentum about the world's origin, is the sum over links of `matrices` times m, m
    c (3), Ixx Ixy Ixz Iyy Iyz Izz about the link's origin, along its axes
    """
    expressed_in: Literal['world']
    links: list[str]
    matrices: Array


class ForwardDynamicsMultipliersOut(TypedDict):
    """Of a robot with constraints, in M qdd + ... = tau + J^T w + A^T values: forces of the constraints on the robot.
    Rows that follow from others here are redundant (1, else 0); they share the load with the least sum of squares
    """
    force_on: Literal['robot']
    rows: list[str]
    values: Array
    force: Array
    redundant: Array
    rank: float | Array


class ForwardDynamicsOffConstraintsItemOut(TypedDict):
    constraint: str
    sample: int
    residual: float
    unit: str
    text: str


class ForwardDynamicsOperationalSpaceInertiaFrameOut(TypedDict):
    link: str
    at: Array


class ForwardDynamicsOperationalSpaceInertiaOut(TypedDict):
    """(J M^-1 J^T)^-1 with the chosen rows of the Jacobian of the point; 422 where the point cannot move along one
    """
    expressed_in: Literal['world']
    frame: ForwardDynamicsOperationalSpaceInertiaFrameOut
    axes: list[Literal['x', 'y', 'z', 'rx', 'ry', 'rz']]
    matrix: Array


class ForwardDynamicsPassivityOut(TypedDict):
    """M qdd_ref + C qd_ref + gravity_torque, without friction and springs"""
    coriolis_form: Literal['christoffel']
    torque: Array


class ForwardDynamicsProjectorsOut(TypedDict):
    """P_w = E - A^T (A M^-1 A^T)^-1 A M^-1 of forces, and P_T = P_w^T of motions"""
    force: Array
    motion: Array


class ForwardDynamicsReadAsItemOut(TypedDict):
    pointer: str
    sent: NotRequired[str]
    read: str


class ForwardDynamicsSecondDerivativesOut(TypedDict):
    """Second partial derivatives of torque, also in forward dynamics: what `derivatives` of torque change by the last
    coordinate, friction, springs, tendons, drag and external wrenches included. For robots of up to 64 degrees of
    freedom, mimicking joints counted. Symmetric in j and k where both are q or both qd, but for two turns (or a
    turn and a shift) of one spherical or floating joint: k first, then j about axes that k has turned.
    """
    index_order: Literal['[i][j][k] is that of torque i, by coordinate j of the first name, by k of the second']
    d2tau_dq_dq: Array
    d2tau_dqd_dqd: Array
    d2tau_dqd_dq: Array
    d2tau_dqdd_dq: Array


class InertiaConsistencyOut(TypedDict):
    consistent: bool
    mass_positive: bool
    definite: bool
    triangle: bool
    margin: float | None
    margin_reason: NotRequired[str]


class InertiaPrincipalOut(TypedDict):
    moments: Array
    axes: Array


class InertiaReadAsItemOut(TypedDict):
    pointer: str
    sent: NotRequired[str]
    read: str


class InertiaRequestBodiesItem(TypedDict):
    mass: float
    com: NotRequired[ArrayLike]
    inertia: NotRequired[ArrayLike]
    inertia_about: NotRequired[Literal['com', 'origin']]
    shape: NotRequired[Literal['box', 'cylinder', 'cylinder_shell', 'sphere', 'sphere_shell', 'ellipsoid', 'cone', 'capsule', 'disk', 'bar', 'point']]
    size: NotRequired[ArrayLike]
    pose: NotRequired[Pose]
    subtract: NotRequired[bool]


class InverseDynamicsAccelerationSecondDerivativesOut(TypedDict):
    """Second partial derivatives of the acceleration of forward dynamics at this torque, also in inverse dynamics:
    what `derivatives` of acceleration change by the last coordinate. Without constraints. Limits and symmetries are
    those of `second_derivatives`.
    """
    index_order: Literal['[i][j][k] is that of acceleration i, by coordinate j of the first name, by k of the second']
    d2qdd_dq_dq: Array
    d2qdd_dqd_dqd: Array
    d2qdd_dqd_dq: Array
    d2qdd_dtau_dq: Array


class InverseDynamicsActuationOut(TypedDict):
    """How torques were found: `tau` is that of the actuated joints, of least norm where they can work against each
    other. Without constraints it is that of every joint
    """
    actuated: float | Array
    dof: float | Array
    internal: float | Array
    missing: float | Array


class InverseDynamicsCenterOfMassOut(TypedDict):
    expressed_in: Literal['world']
    position: Array
    velocity: Array
    jacobian: Array


class InverseDynamicsCentroidalMomentumOut(TypedDict):
    """Linear momentum, then angular momentum about the centre of mass, is `matrix` qd; the force and moment about it
    from outside, gravity included, are `matrix` qdd + `bias`
    """
    expressed_in: Literal['world']
    matrix: Array
    rate: Array
    bias: Array


class InverseDynamicsChecksOut(TypedDict):
    """A second opinion; residuals are relative to the largest entry, rounding leaves about 1e-14"""
    recursive_lagrangian: float | Array
    recursive_stacked: float | Array
    mass_matrix: float | Array
    skew_symmetry: float | Array
    symmetry: float | Array
    smallest_eigenvalue: float | Array


class InverseDynamicsChristoffelSymbolsOut(TypedDict):
    index_order: Literal['[i][j][k], i the equation']
    symbols: Array
    coriolis: Array
    centrifugal: Array


class InverseDynamicsConstraintJacobianOut(TypedDict):
    """A with A qd = b, dA/dt qd, and how far the state is off"""
    rows: list[str]
    matrix: Array
    rate_term: Array
    position_residual: Array
    velocity_residual: Array


class InverseDynamicsCoriolisMatrixOut(TypedDict):
    """C with C qd the Coriolis and centrifugal torques"""
    form: Literal['christoffel', 'c1', 'c2', 'stacked']
    matrix: Array
    skew_residual: float | Array


class InverseDynamicsDecouplingOut(TypedDict):
    """What laws that treat each joint alone get wrong. inertia_diagonal: M_ii qdd_i for (M qdd)_i; inertia_rotor: the
    rotor's inertia alone; decoupled, decoupled_rotor: the same without C qd
    """
    error: Literal['approximate torque less exact torque']
    inertia_diagonal: Array
    inertia_rotor: Array
    decoupled: Array
    decoupled_rotor: Array


class InverseDynamicsDerivativesOut(TypedDict):
    """Partial derivatives, [i][j] of torque i by coordinate j; of accelerations in forward dynamics. Spherical and
    floating joints are displaced like their velocities: a turn (and a shift) in the child frame.
    """
    dtau_dq: NotRequired[Array]
    dtau_dqd: NotRequired[Array]
    dtau_dqdd: NotRequired[Array]
    dqdd_dq: NotRequired[Array]
    dqdd_dqd: NotRequired[Array]
    dqdd_dtau: NotRequired[Array]


class InverseDynamicsDriveOut(TypedDict):
    """What the motion requires of the drives of `joints`: uses are parts of a limit, 0 where there is none; voltage
    without L di/dt; `feasible` is 1 where neither a peak current nor a voltage is exceeded, else 0
    """
    joints: list[str]
    motor_torque: Array
    motor_speed: Array
    current: Array
    voltage: Array
    duty: Array
    power: Array
    current_use: Array
    continuous_use: Array
    voltage_use: Array
    feasible: float | Array


class InverseDynamicsEnergyOut(TypedDict):
    """J: potential is 0 with every centre of mass at the world origin and every spring at rest"""
    kinetic: float | Array
    potential: float | Array


class InverseDynamicsIntegrabilityOut(TypedDict):
    """Frobenius' test here: directions that brackets of two allowed ones reach beside; 0: integrable"""
    dof: float | Array
    new_directions: float | Array
    defect: float | Array


class InverseDynamicsLedgerOut(TypedDict):
    """Torque term by term, computed apart from tau; `external` is -J^T w"""
    inertia: Array
    coriolis: Array
    centrifugal: Array
    gravity: Array
    friction: Array
    rotor: Array
    spring: Array
    external: Array
    sum: Array


class InverseDynamicsLimitsExceededItemOut(TypedDict):
    joint: str
    limit: Literal['lower', 'upper', 'velocity', 'torque']
    bound: float
    worst: float
    by: float
    sample: int
    samples: int


class InverseDynamicsLimitsOut(TypedDict):
    """Which limits of the robot the samples exceed, each with its worst sample; nothing is cut off. Torque: `tau` of
    inverse-dynamics, the request's of forward-dynamics. Not for NPZ
    """
    exceeded: list[InverseDynamicsLimitsExceededItemOut]
    unlimited: list[InverseDynamicsLimitsUnlimitedItemOut]


class InverseDynamicsLimitsUnlimitedItemOut(TypedDict):
    joint: str
    limit: Literal['lower', 'upper', 'velocity', 'torque']


class InverseDynamicsLinkJacobianRatesOut(TypedDict):
    """Rates of change of `link_jacobians` at qd"""
    expressed_in: Literal['world']
    at: Literal['origin']
    links: list[str]
    rates: Array


class InverseDynamicsLinkJacobiansOut(TypedDict):
    """Of every link: velocity of its origin, then angular velocity, along the world's axes"""
    expressed_in: Literal['world']
    at: Literal['origin']
    links: list[str]
    jacobians: Array


class InverseDynamicsLogOut(TypedDict):
    """With `from`, what became of the log"""
    source: LogReportOut
    filter: LogFilterUsedOut
    friction: NotRequired[Literal['along_log']]
    delay_s: NotRequired[float]
    t: Array


class InverseDynamicsMassMatrixBoundsOut(TypedDict):
    """Eigenvalues of M at q; with `box`, also over all q in it"""
    smallest_eigenvalue: float | Array
    largest_eigenvalue: float | Array
    box_smallest_attained: NotRequired[float]
    box_largest_attained: NotRequired[float]
    box_smallest_guaranteed: NotRequired[float | None]
    box_largest_guaranteed: NotRequired[float | None]
    box_reason: NotRequired[str]


class InverseDynamicsMassMatrixDerivativesOut(TypedDict):
    index_order: Literal['[i][j][k] is dM_ij/dq_k']
    derivatives: Array


class InverseDynamicsMomentumOut(TypedDict):
    expressed_in: Literal['world']
    mass: float | Array
    linear: Array
    angular_com: Array
    angular_origin: Array


class InverseDynamicsMomentumRegressorOut(TypedDict):
    """Linear momentum, then angular momentum about the world's origin, is the sum over links of `matrices` times m, m
    c (3), Ixx Ixy Ixz Iyy Iyz Izz about the link's origin, along its axes
    """
    expressed_in: Literal['world']
    links: list[str]
    matrices: Array


class InverseDynamicsMultipliersOut(TypedDict):
    """Of a robot with constraints, in M qdd + ... = tau + J^T w + A^T values: forces of the constraints on the robot.
    Rows that follow from others here are redundant (1, else 0); they share the load with the least sum of squares
    """
    force_on: Literal['robot']
    rows: list[str]
    values: Array
    force: Array
    redundant: Array
    rank: float | Array


class InverseDynamicsOffConstraintsItemOut(TypedDict):
    constraint: str
    sample: int
    residual: float
    unit: str
    text: str


class InverseDynamicsOperationalSpaceInertiaFrameOut(TypedDict):
    link: str
    at: Array


class InverseDynamicsOperationalSpaceInertiaOut(TypedDict):
    """(J M^-1 J^T)^-1 with the chosen rows of the Jacobian of the point; 422 where the point cannot move along one
    """
    expressed_in: Literal['world']
    frame: InverseDynamicsOperationalSpaceInertiaFrameOut
    axes: list[Literal['x', 'y', 'z', 'rx', 'ry', 'rz']]
    matrix: Array


class InverseDynamicsPassivityOut(TypedDict):
    """M qdd_ref + C qd_ref + gravity_torque, without friction and springs"""
    coriolis_form: Literal['christoffel']
    torque: Array


class InverseDynamicsProjectorsOut(TypedDict):
    """P_w = E - A^T (A M^-1 A^T)^-1 A M^-1 of forces, and P_T = P_w^T of motions"""
    force: Array
    motion: Array


class InverseDynamicsReadAsItemOut(TypedDict):
    pointer: str
    sent: NotRequired[str]
    read: str


class InverseDynamicsResidualByJointItemOut(TypedDict):
    joint: str
    rmse: float
    mean: float
    worst: float
    relative_error: float | None
    relative_error_reason: NotRequired[str]


class InverseDynamicsResidualOut(TypedDict):
    """`tau_measured` - `tau`"""
    by_joint: list[InverseDynamicsResidualByJointItemOut]
    tau: Array


class InverseDynamicsSecondDerivativesOut(TypedDict):
    """Second partial derivatives of torque, also in forward dynamics: what `derivatives` of torque change by the last
    coordinate, friction, springs, tendons, drag and external wrenches included. For robots of up to 64 degrees of
    freedom, mimicking joints counted. Symmetric in j and k where both are q or both qd, but for two turns (or a
    turn and a shift) of one spherical or floating joint: k first, then j about axes that k has turned.
    """
    index_order: Literal['[i][j][k] is that of torque i, by coordinate j of the first name, by k of the second']
    d2tau_dq_dq: Array
    d2tau_dqd_dqd: Array
    d2tau_dqd_dq: Array
    d2tau_dqdd_dq: Array


class InverseKinematicsNearestOut(TypedDict):
    """Of all starts"""
    position_error_m: float
    rotation_error_rad: float


class InverseKinematicsReadAsItemOut(TypedDict):
    pointer: str
    sent: NotRequired[str]
    read: str


class InverseKinematicsRequestTolerance(TypedDict):
    position_m: NotRequired[float]
    rotation_rad: NotRequired[float]


class InverseKinematicsSolutionsItemOut(TypedDict):
    q: Array
    branch: int
    position_error_m: float
    rotation_error_rad: float
    smallest_singular_value: float


class JointFrictionOut(TypedDict):
    coulomb: NotRequired[float]
    breakaway: NotRequired[float]
    stribeck_velocity: NotRequired[float]
    smoothing: NotRequired[float]
    offset: NotRequired[float]


class JointInAlongLogOut(TypedDict):
    """Friction and inertia along recorded motion, which `calibrate` writes: inverse dynamics `from` a log of an open
    chain has them in the place of `damping` and `friction`, and adds the rest. Samples alone, simulation and all
    else have `damping` and `friction`
    """
    damping: NotRequired[float]
    coulomb: NotRequired[float]
    breakaway: NotRequired[float]
    stribeck_velocity: NotRequired[float]
    smoothing: NotRequired[float]
    offset: NotRequired[float]
    load: NotRequired[float]
    presliding: NotRequired[float]
    relaxation_s: NotRequired[float]
    inertia: NotRequired[float]
    jerk_gain: NotRequired[float]
    delay_s: NotRequired[float]
    cutoff_hz: NotRequired[float]


class JointInLimitsOut(TypedDict):
    """What is left out does not exist"""
    lower: NotRequired[float]
    upper: NotRequired[float]
    velocity: NotRequired[float]
    effort: NotRequired[float]


class JointInMimicOut(TypedDict):
    """q = multiplier q(joint) + offset"""
    joint: NotRequired[str]
    multiplier: NotRequired[float]
    offset: NotRequired[float]


class JointInOriginOut(TypedDict):
    """m: The joint's frame in its parent's"""
    position: NotRequired[Array]
    rotation: NotRequired[Array]
    rpy: NotRequired[Array]


class JointInOut(TypedDict):
    """As `Joint`; what follows from the rest may be left out. Two further kinds are read as two joints with a link
    without mass between them, which is what the robot has afterwards. helical: a revolute or continuous joint of
    the same name turns link `NAME_nut`, and the prismatic joint `NAME_advance` follows it by pitch / (2 pi) along
    the same axis. limits to mimic are those of the angle, and torque is about it. universal: revolute joints of the
    same name about `axis` and `NAME_axis2` about `axis2`, between them link `NAME_cross`; limits, damping,
    friction, spring and rotor are of both
    """
    name: str
    kind: Literal['fixed', 'revolute', 'continuous', 'prismatic', 'planar', 'spherical', 'floating', 'helical', 'universal']
    parent: str
    child: str
    origin: NotRequired[JointInOriginOut]
    axis: NotRequired[Array]
    axis2: NotRequired[Array]
    pitch: NotRequired[float]
    limits: NotRequired[JointInLimitsOut]
    damping: NotRequired[float]
    friction: NotRequired[float | JointFrictionOut]
    along_log: NotRequired[JointInAlongLogOut]
    spring: NotRequired[JointInSpringOut]
    rotor: NotRequired[JointInRotorOut]
    drive: NotRequired[DriveOut]
    mimic: NotRequired[JointInMimicOut]


class JointInRotorOut(TypedDict):
    """Of a floating joint: a mass at the child's origin too, which has no weight"""
    inertia: NotRequired[float]
    ratio: NotRequired[float]


class JointInSpringOut(TypedDict):
    stiffness: NotRequired[float]
    rest: NotRequired[float]
    rest_pose: NotRequired[Array]


class KinematicErrorsOut(TypedDict):
    """Over the poses used"""
    position_rms_m: float
    position_max_m: float
    rotation_rms_rad: NotRequired[float]
    rotation_max_rad: NotRequired[float]


class KinematicParameterOut(TypedDict):
    name: str
    joint: str
    of: Literal['zero', 'x', 'y', 'z', 'rx', 'ry', 'rz']
    unit: str
    value: float
    standard_deviation: NotRequired[float | None]
    standard_deviation_reason: NotRequired[str]
    interval: NotRequired[Array]


class KinematicsFramesItemOut(TypedDict):
    link: str
    at: Array
    position: Array
    rotation: Array
    quaternion_wxyz: Array
    velocity: NotRequired[Array]
    acceleration: NotRequired[Array]
    jacobian: NotRequired[Array]
    jacobian_rate: NotRequired[Array]


class KinematicsOffConstraintsItemOut(TypedDict):
    constraint: str
    sample: int
    residual: float
    unit: str
    text: str


class KinematicsReadAsItemOut(TypedDict):
    pointer: str
    sent: NotRequired[str]
    read: str


class LinkFrameOut(TypedDict):
    """A frame that is fixed to a link"""
    link: str
    position: NotRequired[Array]
    rotation: NotRequired[Array]
    rpy: NotRequired[Array]
    quaternion_wxyz: NotRequired[Array]


class LinkInOut(TypedDict):
    """A link without mass, with a point mass, with mass and inertia, or of solids"""
    name: NotRequired[str]
    mass: NotRequired[float]
    com: NotRequired[Array]
    inertia: NotRequired[Array]
    inertia_about: NotRequired[Literal['com', 'origin']]
    spatial_inertia: NotRequired[Array]
    solid: NotRequired[SolidOut | list[SolidOut]]
    drag: NotRequired[DragOut]
    gravity_compensation: NotRequired[float]
    home: NotRequired[dict[str, Any]]
    pose: NotRequired[dict[str, Any]]


class LinkPlaneOut(TypedDict):
    """A plane that is fixed to a link"""
    link: str
    position: NotRequired[Array]
    normal: Array


class LinkPointOut(TypedDict):
    """A point of a link"""
    link: str
    position: NotRequired[Array]


class LinkSphereOut(TypedDict):
    """A sphere that is fixed to a link"""
    link: str
    position: NotRequired[Array]
    radius: float


class Log(TypedDict):
    """Recorded motion: a dataset, the result of a job, or one dataset for each quantity. Its clock is made even, rows
    that cannot be are left out, all signals go through the same filter without delay, velocities and accelerations
    that were not logged are derived, and rest at both ends is cut; what was repaired is reported. What cannot be
    meant (milliseconds as seconds, degrees as radians) is refused with a hint, never guessed.
    """
    dataset: NotRequired[str]
    job: NotRequired[str]
    q: NotRequired[str]
    qd: NotRequired[str]
    qdd: NotRequired[str]
    tau: NotRequired[str]
    time: NotRequired[str]
    q_cmd: NotRequired[str]
    qd_cmd: NotRequired[str]
    tau_ff: NotRequired[str]
    base_position: NotRequired[str]
    base_quaternion_wxyz: NotRequired[str]
    base_twist: NotRequired[str]
    columns: NotRequired[LogColumns]
    units: NotRequired[LogUnits]
    scale: NotRequired[LogScale]
    rate_hz: NotRequired[float]
    rows: NotRequired[ArrayLike]
    filter: NotRequired[LogFilter]
    delay_s: NotRequired[float]


class LogColumns(TypedDict):
    """The columns of each quantity. Left out: t, q, qd, qdd, tau and other usual names, then the layouts of ROS, UR,
    Franka and KUKA, then names with a joint and a word for the quantity; without a header, plain numbers time | q |
    qd | qdd | tau. `layout` of the answer names it. A field beside a preset replaces the preset's.
    """
    preset: NotRequired[Literal['ros-joint-state', 'ur-rtde', 'libfranka', 'plain']]
    groups: NotRequired[str]
    time: NotRequired[str | int | Sequence[str | int]]
    q: NotRequired[str | int | Sequence[str | int]]
    qd: NotRequired[str | int | Sequence[str | int]]
    qdd: NotRequired[str | int | Sequence[str | int]]
    tau: NotRequired[str | int | Sequence[str | int]]
    q_cmd: NotRequired[str | int | Sequence[str | int]]
    qd_cmd: NotRequired[str | int | Sequence[str | int]]
    tau_ff: NotRequired[str | int | Sequence[str | int]]
    base_position: NotRequired[str | int | Sequence[str | int]]
    base_quaternion_wxyz: NotRequired[str | int | Sequence[str | int]]
    base_twist: NotRequired[str | int | Sequence[str | int]]


class LogFilter(TypedDict):
    kind: NotRequired[Literal['butterworth', 'savitzky-golay', 'first-order', 'none']]
    order: NotRequired[int]
    cutoff_hz: NotRequired[float | Literal['auto']]
    tau_f_s: NotRequired[float]
    window: NotRequired[int]
    degree: NotRequired[int]
    decimate: NotRequired[int]


class LogFilterUsedOut(TypedDict):
    kind: Literal['butterworth', 'savitzky-golay', 'first-order', 'none']
    order: NotRequired[int]
    cutoff_hz: NotRequired[float]
    from_spectra: NotRequired[bool]
    cutoffs_hz: NotRequired[Array]
    tau_f_s: NotRequired[float]
    window: NotRequired[int]
    degree: NotRequired[int]
    decimate: int
    decimate_from_length: NotRequired[bool]


class LogReportBandwidthOut(TypedDict):
    motion_hz: float
    noise_hz: float
    cutoff_above_10_motion: NotRequired[bool]
    cutoff_below_a_tenth_of_noise: NotRequired[bool]


class LogReportColumnsOut(TypedDict):
    """The names of the columns of each quantity, in the order of `joints`; {} without a header"""
    time: NotRequired[list[str]]
    q: NotRequired[list[str]]
    qd: NotRequired[list[str]]
    qdd: NotRequired[list[str]]
    tau: NotRequired[list[str]]
    q_cmd: NotRequired[list[str]]
    qd_cmd: NotRequired[list[str]]
    tau_ff: NotRequired[list[str]]
    base_position: NotRequired[list[str]]
    base_quaternion_wxyz: NotRequired[list[str]]
    base_twist: NotRequired[list[str]]


class LogReportOut(TypedDict):
    name: str
    layout: NotRequired[str]
    columns: NotRequired[LogReportColumnsOut]
    rows: int
    rows_chosen: NotRequired[int]
    rows_searched: NotRequired[int]
    samples: int
    segments: int
    clock: Literal['even', 'resampled']
    period_s: NotRequired[float]
    step_s: NotRequired[float]
    truncated_last_line: NotRequired[bool]
    samples_at_rest_left_out: NotRequired[int]
    samples_at_borders_left_out: NotRequired[int]
    short_segments: NotRequired[int]
    repairs: list[LogReportRepairsItemOut]
    bandwidth: NotRequired[LogReportBandwidthOut]


class LogReportRepairsItemOut(TypedDict):
    kind: Literal['not-finite', 'absurd', 'spike', 'outlier', 'repeated-time', 'out-of-order', 'set-back', 'bridged', 'split', 'unwrapped', 'braked', 'unpaired', 'too-short', 'saturated', 'not-unit']
    meaning: str
    count: int
    longest_s: NotRequired[float]
    rows: NotRequired[int]
    first_rows: list[int]


class LogScale(TypedDict):
    """Factors: drive gains (N m/A), signs"""
    q: NotRequired[float | ArrayLike]
    qd: NotRequired[float | ArrayLike]
    qdd: NotRequired[float | ArrayLike]
    tau: NotRequired[float | ArrayLike]
    q_cmd: NotRequired[float | ArrayLike]
    qd_cmd: NotRequired[float | ArrayLike]
    tau_ff: NotRequired[float | ArrayLike]
    base_position: NotRequired[float | ArrayLike]
    base_twist: NotRequired[float | ArrayLike]


class LogUnits(TypedDict):
    """Of a robot with a floating base those of q, qd and tau are of the joints alone, unless a list has one for each
    coordinate of the base as well; likewise LogScale
    """
    time: NotRequired[Literal['s', 'ms', 'us', 'ns']]
    q: NotRequired[str | Sequence[str]]
    qd: NotRequired[str | Sequence[str]]
    qdd: NotRequired[str | Sequence[str]]
    tau: NotRequired[str | Sequence[str]]
    q_cmd: NotRequired[str | Sequence[str]]
    qd_cmd: NotRequired[str | Sequence[str]]
    tau_ff: NotRequired[str | Sequence[str]]
    base_position: NotRequired[str | Sequence[str]]
    base_twist: NotRequired[str | Sequence[str]]


class LoopConstraintOut(TypedDict):
    """Frame of b on frame of a, in the axes of a's frame that are named (planar pins: x, y)"""
    name: NotRequired[str]
    kind: Literal['loop']
    a: LinkFrameOut
    b: LinkFrameOut
    axes: NotRequired[list[Literal['x', 'y', 'z', 'rx', 'ry', 'rz']]]


class ManipulabilityOffConstraintsItemOut(TypedDict):
    constraint: str
    sample: int
    residual: float
    unit: str
    text: str


class ManipulabilityReadAsItemOut(TypedDict):
    pointer: str
    sent: NotRequired[str]
    read: str


class MediumOut(TypedDict):
    """A fluid around the robot, which acts on the boxes of links that have a `drag`: as friction, in all that has
    friction. `calibrate`, `payload` and times from limits refuse such a robot
    """
    density: NotRequired[float]
    viscosity: NotRequired[float]
    velocity: NotRequired[Array]


class NoiseDisturbance(TypedDict):
    """Normal, independent of one another"""
    kind: Literal['noise']
    torque: NotRequired[ArrayLike | Mapping[str, Any]]
    wrench: NotRequired[ConstantWrench]
    interval_s: float
    seed: int


class OperationalController(TypedDict):
    """A controller of a point of a link in space, along `axes`; with `force` it presses along others. With J their
    rows of the point's Jacobian, Lambda = (J M^-1 J^T)^-1, N Coriolis, gravity, friction and springs, e the error
    of the pose and a0 what `posture` asks of the joints: tau = M a0 + N + J^T [Lambda (a - J' qd - J a0) + f], so
    that x'' = a + Lambda^-1 (f - f_env), and the posture moves the robot only where the point stays (dynamically
    consistent null space). `operational-space` (Khatib): a = x_d'' + kd e' + kp e, so that e'' + kd e' + kp e =
    Lambda^-1 f_env. `cartesian-impedance`: a = x_d'', f = stiffness e + damping e', so that Lambda e'' + damping e'
    + stiffness e = f_env, the force on the environment. The error of a rotation is its turn about one axis. Every
    joint has to be driven
    """
    kind: Literal['operational-space', 'cartesian-impedance']
    frame: NotRequired[str | Point1]
    axes: NotRequired[Sequence[Literal['x', 'y', 'z', 'rx', 'ry', 'rz']]]
    task_frame: NotRequired[OperationalControllerTaskFrame]
    pose: NotRequired[Pose]
    reference: NotRequired[Reference]
    kp: NotRequired[float | ArrayLike]
    kd: NotRequired[float | ArrayLike]
    stiffness: NotRequired[float | ArrayLike]
    damping: NotRequired[float | ArrayLike]
    damping_ratio: NotRequired[float]
    force: NotRequired[OperationalControllerForce]
    posture: NotRequired[OperationalControllerPosture]
    singularity_damping: NotRequired[float]
    effort_limits: NotRequired[Literal['robot'] | float | ArrayLike | Mapping[str, Any]]
    sample_time_s: NotRequired[float]
    model: NotRequired[ControllerModel]


class OperationalControllerForce(TypedDict):
    """With which the point presses on its environment. Commanded, not measured: its error is that of the model
    """
    axes: Sequence[Literal['x', 'y', 'z', 'rx', 'ry', 'rz']]
    values: ArrayLike
    t: NotRequired[ArrayLike]
    interpolation: NotRequired[Literal['hold', 'linear', 'cubic']]
    kd: NotRequired[float | ArrayLike]


class OperationalControllerPosture(TypedDict):
    """Accelerations of the joints where they do not move the point: kp (q_d - q) + kd (qd_d - qd)"""
    q: NotRequired[ArrayLike | Mapping[str, Any]]
    kp: NotRequired[float | ArrayLike | Mapping[str, Any]]
    kd: NotRequired[float | ArrayLike | Mapping[str, Any]]


class OperationalControllerTaskFrame(TypedDict):
    """Axes of the task in the world; the world's if absent"""
    rotation: NotRequired[ArrayLike]
    quaternion_wxyz: NotRequired[ArrayLike]
    rpy: NotRequired[ArrayLike]


class Payload(TypedDict):
    """A body fixed to a link for this request, along the axes of the link"""
    link: str
    mass: float
    com: ArrayLike
    inertia: NotRequired[ArrayLike]


class PayloadByJointItemOut(TypedDict):
    joint: str
    rmse_without: NotRequired[float | None]
    rmse_without_reason: NotRequired[str]
    rmse_with: NotRequired[float | None]
    rmse_with_reason: NotRequired[str]
    viscous_change: NotRequired[float | None]
    viscous_change_reason: NotRequired[str]
    coulomb_change: NotRequired[float | None]
    coulomb_change_reason: NotRequired[str]
    offset_change: NotRequired[float | None]
    offset_change_reason: NotRequired[str]


class PayloadEstimateOut(TypedDict):
    name: str
    unit: str
    value: float | None
    value_reason: NotRequired[str]
    standard_deviation: NotRequired[float]
    interval: NotRequired[Array]


class PayloadOut(TypedDict):
    """A body fixed to a link for this request, along the axes of the link"""
    link: str
    mass: float
    com: Array
    inertia: NotRequired[Array]


class PayloadReadAsItemOut(TypedDict):
    pointer: str
    sent: NotRequired[str]
    read: str


class PfaffianConstraintOut(TypedDict):
    """Sum of entry * qd = equals, row by row"""
    name: NotRequired[str]
    kind: Literal['pfaffian']
    rows: list[dict[str, Any]]
    equals: NotRequired[Array]


class Point1(TypedDict):
    link: str
    at: NotRequired[Literal['origin', 'com'] | ArrayLike]


class PointOnPlaneConstraintOut(TypedDict):
    """A point of a link on a plane"""
    name: NotRequired[str]
    kind: Literal['point-on-plane']
    plane: LinkPlaneOut
    point: LinkPointOut


class PointOnSphereConstraintOut(TypedDict):
    """A point of a link on a sphere"""
    name: NotRequired[str]
    kind: Literal['point-on-sphere']
    sphere: LinkSphereOut
    point: LinkPointOut


class PointResultOut(TypedDict):
    link: str
    at: Array


class Pose(TypedDict):
    """Of a frame; what is left out is the origin, and no rotation. one of `rotation`, `quaternion_wxyz` and `rpy`
    """
    position: NotRequired[ArrayLike]
    rotation: NotRequired[ArrayLike]
    quaternion_wxyz: NotRequired[ArrayLike]
    rpy: NotRequired[ArrayLike]


class ProvenanceOfRequestOut(TypedDict):
    """Where no robot takes part"""
    engine: str
    request_digest: str


class ProvenanceOut(TypedDict):
    """What it takes to compute the same bits again, on any machine"""
    engine: str
    robot_digest: str
    request_digest: str
    linear_algebra: NotRequired[str]
    integrator: NotRequired[str]


class PulseDisturbance(TypedDict):
    kind: Literal['pulse']
    torque: NotRequired[ArrayLike | Mapping[str, Any]]
    wrench: NotRequired[ConstantWrench]
    start_s: NotRequired[float]
    duration_s: NotRequired[float]


class ReactionsOut(TypedDict):
    """The whole wrench (force, then moment) that each joint, fixed ones too, carries to its child link, and the world
    to the root link. Joint torques are parts of it; tendons along points pull at their links beside it.
    """
    applied_to: Literal['child link']
    expressed_in: Literal['child link']
    at: Literal['origin']
    joints: list[str]
    joint_wrenches: Array
    base_wrench: Array


class Reference(TypedDict):
    """Motion over time, as `trajectory` takes it; or a setpoint; or a table. An answer of `excitation` is one as it
    is: its series
    """
    waypoints: NotRequired[Sequence[ArrayLike | Mapping[str, Any]]]
    poses: NotRequired[Sequence[Pose]]
    fourier: NotRequired[TrajectoryFourier]
    setpoint: NotRequired[ArrayLike | Mapping[str, Any]]
    table: NotRequired[ReferenceTable]
    frame: NotRequired[str | Point1]
    axes: NotRequired[Sequence[Literal['x', 'y', 'z', 'rx', 'ry', 'rz']]]
    initial: NotRequired[ArrayLike | Mapping[str, Any]]
    timing: NotRequired[Literal['linear', 'cubic', 'quintic', 'septic', 'trapezoid', 'spline']]
    blend: NotRequired[float]
    times_s: NotRequired[ArrayLike]
    durations_s: NotRequired[ArrayLike]
    duration_s: NotRequired[float]
    joints: NotRequired[Sequence[str]]
    angles: NotRequired[Literal['rad', 'deg']]
    t: NotRequired[Any]
    provenance: NotRequired[Any]
    warnings: NotRequired[Any]
    read_as: NotRequired[Any]
    q: NotRequired[Any]
    qd: NotRequired[Any]
    qdd: NotRequired[Any]
    score: NotRequired[Any]
    first_random: NotRequired[Any]
    tries: NotRequired[Any]
    improvements: NotRequired[Any]
    samples_judged: NotRequired[Any]
    base_parameters: NotRequired[Any]


class ReferenceTable(TypedDict):
    """`q` alone: their cubic spline; with `qd` and `qdd`, both or neither: quintics between them. An answer of
    `trajectory` is one as it is, and one of `excitation`
    """
    t: ArrayLike
    q: Sequence[ArrayLike | Mapping[str, Any]]
    qd: NotRequired[Sequence[ArrayLike | Mapping[str, Any]]]
    qdd: NotRequired[Sequence[ArrayLike | Mapping[str, Any]]]
    joints: NotRequired[Sequence[str]]
    angles: NotRequired[Literal['rad', 'deg']]
    violations: NotRequired[Any]
    duration_s: NotRequired[Any]
    binding: NotRequired[Any]
    tau: NotRequired[Any]
    provenance: NotRequired[Any]
    warnings: NotRequired[Any]
    read_as: NotRequired[Any]
    fourier: NotRequired[Any]
    score: NotRequired[Any]
    first_random: NotRequired[Any]
    tries: NotRequired[Any]
    improvements: NotRequired[Any]
    samples_judged: NotRequired[Any]
    base_parameters: NotRequired[Any]


class RegressorColumnsItemOut(TypedDict):
    name: str
    unit: str
    link: NotRequired[str]
    joint: NotRequired[str]
    expression: NotRequired[str]
    terms: NotRequired[list[RegressorColumnsItemTermsItemOut]]


class RegressorColumnsItemTermsItemOut(TypedDict):
    name: str
    factor: float


class RegressorOffConstraintsItemOut(TypedDict):
    constraint: str
    sample: int
    residual: float
    unit: str
    text: str


class RegressorReadAsItemOut(TypedDict):
    pointer: str
    sent: NotRequired[str]
    read: str


class ResidualByJointItemDriftItemOut(TypedDict):
    term: Literal['viscous', 'coulomb', 'offset']
    change: float | None
    change_reason: NotRequired[str]
    standard_deviation: NotRequired[float]
    significant: NotRequired[bool]


class ResidualByJointItemOut(TypedDict):
    joint: str
    sigma: float
    correlation: float
    threshold: float
    false_alarms_per_day: float
    worst: float
    drift: list[ResidualByJointItemDriftItemOut]


class ResidualFindingOut(TypedDict):
    kind: Literal['contact', 'persistent', 'drift']
    text: str
    joint: str
    dataset: NotRequired[str]
    from_s: NotRequired[float]
    duration_s: NotRequired[float]
    torque: NotRequired[float]
    term: NotRequired[Literal['viscous', 'coulomb', 'offset']]
    change: NotRequired[float]
    standard_deviation: NotRequired[float]
    interval: NotRequired[Array]
    relative: NotRequired[float | None]
    relative_reason: NotRequired[str]


class ResidualReadAsItemOut(TypedDict):
    pointer: str
    sent: NotRequired[str]
    read: str


class RigidBodyAxisMotionOut(TypedDict):
    angular_velocity: Array
    angular_acceleration: Array


class RigidBodyBodyFrameOut(TypedDict):
    generalised_inertia: Array
    twist: NotRequired[Array]
    kinetic_energy: NotRequired[float]


class RigidBodyBodyMomentumOut(TypedDict):
    expressed_in: Literal['world']
    linear: Array
    angular_about_com: Array
    angular_about_origin: Array


class RigidBodyBodyNewtonEulerOut(TypedDict):
    """The wrench that makes the body move so"""
    expressed_in: Literal['body']
    applied_to: Literal['body']
    at: Literal['origin']
    force: Array
    moment: Array


class RigidBodyBodyOut(TypedDict):
    generalised_inertia: Array
    inertia_world: Array
    momentum: NotRequired[RigidBodyBodyMomentumOut]
    kinetic_energy: NotRequired[float]
    kinetic_energy_by_generalised_inertia: NotRequired[float]
    newton_euler: NotRequired[RigidBodyBodyNewtonEulerOut]
    frame: NotRequired[RigidBodyBodyFrameOut]


class RigidBodyPointMotionAccelerationOut(TypedDict):
    origin: Array
    relative: Array
    euler: Array
    centripetal: Array
    coriolis: Array
    total: Array


class RigidBodyPointMotionOut(TypedDict):
    expressed_in: Literal['fixed frame']
    velocity: Array
    acceleration: RigidBodyPointMotionAccelerationOut


class RigidBodyReadAsItemOut(TypedDict):
    pointer: str
    sent: NotRequired[str]
    read: str


class RigidBodyRequestAxisMotion(TypedDict):
    axis: ArrayLike
    axis_rate: NotRequired[ArrayLike]
    rate_rad_s: float
    acceleration: NotRequired[float]


class RigidBodyRequestBody(TypedDict):
    mass: float
    com: NotRequired[ArrayLike]
    inertia: NotRequired[ArrayLike]
    inertia_about: NotRequired[Literal['com', 'origin']]
    shape: NotRequired[str]
    size: NotRequired[ArrayLike]
    pose: NotRequired[Pose]
    twist: NotRequired[ArrayLike]
    twist_rate: NotRequired[ArrayLike]
    expressed_in: NotRequired[Literal['world', 'body']]
    frame: NotRequired[Pose]


class RigidBodyRequestLieBracket(TypedDict):
    a: ArrayLike
    b: ArrayLike


class RigidBodyRequestPointMotion(TypedDict):
    """A frame that moves in a fixed one, and a point that moves in it"""
    rotation: NotRequired[ArrayLike]
    quaternion_wxyz: NotRequired[ArrayLike]
    rpy: NotRequired[ArrayLike]
    origin_velocity: NotRequired[ArrayLike]
    origin_acceleration: NotRequired[ArrayLike]
    angular_velocity: NotRequired[ArrayLike]
    angular_acceleration: NotRequired[ArrayLike]
    position: NotRequired[ArrayLike]
    velocity: NotRequired[ArrayLike]
    acceleration: NotRequired[ArrayLike]


class RobotDocumentDhJointsItemOut(TypedDict):
    name: str
    kind: NotRequired[Literal['revolute', 'continuous', 'prismatic', 'helical', 'fixed']]
    pitch: NotRequired[float]
    theta: NotRequired[float]
    d: NotRequired[float]
    a: NotRequired[float]
    alpha: NotRequired[float]
    offset: NotRequired[float]
    link: NotRequired[LinkInOut]


class RobotDocumentDhOut(TypedDict):
    """A Denavit-Hartenberg table: standard Rz(theta) Tz(d) Tx(a) Rx(alpha), or modified (Craig) Rx(alpha) Tx(a)
    Rz(theta) Tz(d), alpha and a then being those of the row before in the usual numbering. The coordinate of a
    joint adds to theta, of a prismatic one to d, and so does offset. Inertias are in the frame of their row.
    """
    convention: Literal['standard', 'modified']
    base: NotRequired[LinkInOut]
    tool: NotRequired[LinkInOut]
    joints: list[RobotDocumentDhJointsItemOut]


class RobotDocumentOut(TypedDict):
    """A robot as it may be put. One of `links` with `joints` (as a Robot has them, alone or inside `tree`), `dh`,
    `poe`, `urdf` states the kinematics. What follows from the rest may be there and is computed anew; every other
    unknown field is a fault.
    """
    name: NotRequired[str]
    description: NotRequired[str]
    gravity: NotRequired[Array]
    medium: NotRequired[MediumOut]
    links: NotRequired[list[LinkInOut]]
    joints: NotRequired[list[JointInOut]]
    tree: NotRequired[RobotDocumentTreeOut]
    dh: NotRequired[RobotDocumentDhOut]
    poe: NotRequired[RobotDocumentPoeOut]
    urdf: NotRequired[str]
    constraints: NotRequired[list[LoopConstraintOut | DistanceConstraintOut | PointOnPlaneConstraintOut | PointOnSphereConstraintOut | RollingConstraintOut | CouplingConstraintOut | PfaffianConstraintOut | EquationConstraintOut]]
    tendons: NotRequired[list[TendonOut]]
    actuated: NotRequired[list[str]]


class RobotDocumentPoeJointsItemOut(TypedDict):
    name: str
    kind: Literal['revolute', 'continuous', 'prismatic', 'helical']
    screw: Array
    link: NotRequired[LinkInOut]


class RobotDocumentPoeOut(TypedDict):
    """Screws (v, w), linear first, in the base frame at q = 0, where also every home pose is stated. The screw of a
    helical joint has the pitch 2 pi v.w, in metres a turn
    """
    tool: NotRequired[LinkInOut]
    joints: list[RobotDocumentPoeJointsItemOut]


class RobotDocumentTreeOut(TypedDict):
    links: list[dict[str, Any]]
    joints: list[dict[str, Any]]


class RollingConstraintBodyOut(TypedDict):
    link: str
    position: NotRequired[Array]
    radius: float
    axis: NotRequired[Array]


class RollingConstraintOut(TypedDict):
    """A ball, or with axis a disk, on a plane or a sphere"""
    name: NotRequired[str]
    kind: Literal['rolling']
    body: RollingConstraintBodyOut
    plane: NotRequired[LinkPlaneOut]
    sphere: NotRequired[RollingConstraintSphereOut]
    slips: NotRequired[bool]
    spins: NotRequired[bool]


class RollingConstraintSphereOut(TypedDict):
    link: str
    position: NotRequired[Array]
    radius: float
    inside: NotRequired[bool]


class SimulateAuditEnergyOut(TypedDict):
    """J. What is left of the change of energy = work - dissipated + external, each integrated with the run"""
    kinetic_start: NotRequired[float]
    kinetic_end: NotRequired[float]
    kinetic_max: NotRequired[float]
    potential_change: NotRequired[float]
    work: NotRequired[float]
    dissipated: NotRequired[float]
    external: NotRequired[float]
    contact_friction: NotRequired[float]
    contact_impacts: NotRequired[float]
    contact_damping: NotRequired[float]
    contact_stored: NotRequired[float]
    residual: NotRequired[float]
    residual_max: NotRequired[float]
    relative: NotRequired[float | None]
    finding: NotRequired[str]
    relative_reason: NotRequired[str]


class SimulateAuditMomentumOut(TypedDict):
    """N s: With `include: [momentum]`. What is left of the change of linear momentum = impulses of base, external
    wrenches, drag of a medium and weight
    """
    base_impulse: NotRequired[Array]
    external_impulse: NotRequired[Array]
    residual: NotRequired[Array]
    relative: NotRequired[float | None]
    relative_reason: NotRequired[str]


class SimulateAuditOut(TypedDict):
    energy: SimulateAuditEnergyOut
    momentum: NotRequired[SimulateAuditMomentumOut]


class SimulateConstraintsOut(TypedDict):
    """Of a robot that has them; its coordinates stay on them to 1e-10"""
    rows: list[str]
    start: SimulateConstraintsStartOut


class SimulateConstraintsStartOut(TypedDict):
    """How far the initial state was off, and by how much it was moved to the nearest one that is not"""
    position_residual: NotRequired[float]
    velocity_residual: NotRequired[float]
    change_q: NotRequired[float]
    change_qd: NotRequired[float]


class SimulateContacts(TypedDict):
    """Rigid solids on links, and obstacles in the world, that do not pass through each other: unilateral contact,
    Coulomb friction, Newton's restitution. A half-space meets spheres, capsules, boxes and hulls by their corners;
    a sphere has one point with others; faces and edges of capsules, boxes and hulls meet at up to 8 points, 2 with
    a capsule. Moreau's time stepping in steps of `solver.step_s`, impacts located to 1e-12 m: of order 2 while
    every contact keeps its state, 1 where one begins to slide or to stick. Approaches below 1 mm/s do not bounce.
    Restitution is reduced where it would create energy together with friction. With `law: compliant` solids give
    way instead (Hunt and Crossley): at depth x and its rate v they press with k x^n (1 + c v), never pull, and
    slide with friction mu F w / sqrt(w^2 + slip_speed^2). Then any adaptive solver steps them, constraints and dry
    friction of joints may be there too, and they may overlap at the start.
    """
    law: NotRequired[Literal['rigid', 'compliant']]
    stiffness: NotRequired[float]
    exponent: NotRequired[float]
    dissipation: NotRequired[float]
    slip_speed: NotRequired[float]
    shapes: Sequence[CollisionShape]
    friction: float
    restitution: NotRequired[float]
    pairs: NotRequired[Sequence[SimulateContactsPairsItem]]
    exclude: NotRequired[Sequence[Sequence[str]]]
    adjacent: NotRequired[bool]


class SimulateContactsOut(TypedDict):
    law: Literal['rigid', 'compliant']
    pairs: list[SimulateContactsPairsItemOut]
    impacts: NotRequired[int]
    violation: NotRequired[float]


class SimulateContactsPairsItem(TypedDict):
    a: str
    b: str
    friction: NotRequired[float]
    restitution: NotRequired[float]
    stiffness: NotRequired[float]
    exponent: NotRequired[float]
    dissipation: NotRequired[float]
    slip_speed: NotRequired[float]


class SimulateContactsPairsItemOut(TypedDict):
    a: str
    b: str
    friction: float
    restitution: NotRequired[float]
    touches: NotRequired[int]
    stiffness: NotRequired[float]
    exponent: NotRequired[float]
    dissipation: NotRequired[float]
    slip_speed: NotRequired[float]


class SimulateDrives(TypedDict):
    """The drives of the robot's joints produce the commanded torque, as far as supply, current limit and foldback
    allow. `torque`: the commands of `input` for these joints; the others: a table of their own, a column for each
    drive in the robot's order. Currents, integrals, tachometers and heat are states of the run, 0 at the start.
    With inductance the run is stiff by L/R: `bdf` or `sdirk` suit long ones.
    """
    command: NotRequired[Literal['voltage', 'duty', 'current', 'velocity', 'torque']]
    t: NotRequired[ArrayLike]
    values: NotRequired[ArrayLike]
    interpolation: NotRequired[Literal['hold', 'linear', 'cubic']]
    reduced: NotRequired[bool]


class SimulateDrivesOut(TypedDict):
    command: Literal['torque', 'voltage', 'duty', 'current', 'velocity']
    reduced: bool
    joints: list[str]


class SimulateInitial(TypedDict):
    q: ArrayLike | Mapping[str, Any]
    qd: NotRequired[ArrayLike | Mapping[str, Any]]


class SimulateLimitsExceededItemOut(TypedDict):
    joint: str
    limit: Literal['lower', 'upper', 'velocity', 'torque']
    bound: float
    worst: float
    by: float
    sample: int
    t: float
    samples: int


class SimulateLimitsOut(TypedDict):
    """Which limits of the robot the outputs exceed, each with its worst row, if there are any: a run has none, unless
    `input.effort_limits` or `events` put them in
    """
    exceeded: list[SimulateLimitsExceededItemOut]


class SimulateOffConstraintsItemOut(TypedDict):
    constraint: str
    sample: int
    residual: float
    unit: str
    text: str


class SimulateOutput(TypedDict):
    """One of the two; a thousandth of the duration if absent"""
    interval_s: NotRequired[float]
    times_s: NotRequired[ArrayLike]


class SimulateReadAsItemOut(TypedDict):
    pointer: str
    sent: NotRequired[str]
    read: str


class SimulateRequestVerdict(TypedDict):
    """What the verdict shall judge by"""
    tolerated_error: NotRequired[float]
    model_uncertainty: NotRequired[float]


class SimulateSolver(TypedDict):
    """`dopri87` and `dopri45` are explicit and choose their steps by the tolerance; `sdirk` and `bdf` do so for stiff
    systems. The others take steps of one size: `implicit-midpoint`, in coordinates and momenta, lets energy
    oscillate but not drift; `semi-implicit-euler` does so only where the mass matrix is constant, and loses or
    gains energy on coupled arms. `audit.energy` states by how much and names it as a finding from 1 % of the
    largest kinetic energy on. `step_s` alone means `rk4`. With rigid `contacts` it is always `moreau-jean`.
    """
    method: NotRequired[Literal['dopri87', 'dopri45', 'sdirk', 'bdf', 'rk4', 'semi-implicit-euler', 'implicit-midpoint', 'moreau-jean']]
    rtol: NotRequired[float]
    atol: NotRequired[float]
    max_step_s: NotRequired[float]
    step_s: NotRequired[float]


class SimulateStatsOut(TypedDict):
    method: Literal['dopri87', 'dopri45', 'sdirk', 'bdf', 'rk4', 'semi-implicit-euler', 'implicit-midpoint', 'moreau-jean']
    rtol: NotRequired[float]
    atol: NotRequired[float]
    step_s: NotRequired[float]
    steps: int
    rejected: int
    evaluations: int


class SimulateTrackingForceOut(TypedDict):
    """N or N m: Errors of the multipliers that had goals"""
    rows: list[str]
    max: Array
    rms: Array
    final: Array


class SimulateTrackingOut(TypedDict):
    """How well a controller's reference was followed, over all rows. Joints that it does not follow have no error
    """
    force: NotRequired[SimulateTrackingForceOut]
    max: NotRequired[Array]
    rms: NotRequired[Array]
    final: NotRequired[Array]
    task: NotRequired[SimulateTrackingTaskOut]
    point: NotRequired[SimulateTrackingPointOut]


class SimulateTrackingPointOut(TypedDict):
    """Distance of a point of the robot from where it should be, m: that of the poses, of the frame that a controller
    moves (along its axes), or the origin of the last joint's link
    """
    link: NotRequired[str]
    at: NotRequired[Array]
    max: NotRequired[float]
    rms: NotRequired[float]
    final: NotRequired[float]
    length: NotRequired[float]
    max_percent: NotRequired[float | None]
    max_percent_reason: NotRequired[str]
    final_percent: NotRequired[float | None]
    final_percent_reason: NotRequired[str]


class SimulateTrackingTaskOut(TypedDict):
    """Errors of the point that a controller moves, m and rad along its axes"""
    axes: list[Literal['x', 'y', 'z', 'rx', 'ry', 'rz']]
    max: Array
    rms: Array
    final: Array


class SimulateVerdictFastestGrowthOut(TypedDict):
    """Along the run"""
    rate_per_s: NotRequired[float]
    frequency_rad_s: NotRequired[float]
    t: NotRequired[float]


class SimulateVerdictHorizonOut(TypedDict):
    """Until when the run can be trusted, s: when errors pass what is tolerated"""
    tolerated_error: NotRequired[float]
    t: NotRequired[float | None]
    t_reason: NotRequired[str]
    integrator_s: NotRequired[float | None]
    integrator_s_reason: NotRequired[str]
    input_s: NotRequired[float | None]
    input_s_reason: NotRequired[str]
    model_s: NotRequired[float | None]
    model_s_reason: NotRequired[str]


class SimulateVerdictOut(TypedDict):
    outcome: Literal['completed', 'stopped', 'diverged', 'unfinished']
    t: float
    reason: NotRequired[str]
    joint: NotRequired[str]
    term: NotRequired[Literal['coriolis', 'centrifugal', 'gravity', 'friction', 'spring', 'external', 'input']]
    loop: NotRequired[Literal['open', 'closed']]
    growth_rate_per_s: NotRequired[float | None]
    growth_rate_per_s_reason: NotRequired[str]
    doubling_time_s: NotRequired[float | None]
    doubling_time_s_reason: NotRequired[str]
    fastest_growth: NotRequired[SimulateVerdictFastestGrowthOut]
    amplification: NotRequired[float | None]
    amplification_reason: NotRequired[str]
    expected_error: NotRequired[ErrorSourcesOut]
    horizon: NotRequired[SimulateVerdictHorizonOut]


class SineDisturbance(TypedDict):
    kind: Literal['sine']
    torque: NotRequired[ArrayLike | Mapping[str, Any]]
    wrench: NotRequired[ConstantWrench]
    frequency_hz: float
    phase_rad: NotRequired[float]
    start_s: NotRequired[float]
    duration_s: NotRequired[float]


class SolidOut(TypedDict):
    shape: Literal['box', 'cylinder', 'cylinder_shell', 'sphere', 'sphere_shell', 'ellipsoid', 'cone', 'capsule', 'disk', 'bar', 'point']
    size: NotRequired[Array]
    mass: NotRequired[float]
    density: NotRequired[float]
    pose: NotRequired[dict[str, Any]]


class StaticPosesLegsItemOut(TypedDict):
    duration_s: float
    distance: NotRequired[float]
    is_clear: NotRequired[bool]
    via: NotRequired[Array]
    via_distance_m: NotRequired[float]


class StaticPosesReadAsItemOut(TypedDict):
    pointer: str
    sent: NotRequired[str]
    read: str


class StaticPosesRequestLimits(TypedDict):
    """One number for each of qd, instead of the robot's own, or by joint"""
    lower: NotRequired[ArrayLike | Mapping[str, Any]]
    upper: NotRequired[ArrayLike | Mapping[str, Any]]
    velocity: NotRequired[ArrayLike | Mapping[str, Any]]
    effort: NotRequired[ArrayLike | Mapping[str, Any]]


class StaticPosesRequestLoad(TypedDict):
    """A known load: record each pose without and with it. Then gains of drives are not known either, but only in parts
    of themselves, and poses are chosen that show them as well: tau of the drive = gain x current
    """
    mass: float
    com: NotRequired[ArrayLike]
    link: NotRequired[str]


class StaticsEndpointOut(TypedDict):
    link: str
    at: Array
    expressed_in: Literal['world']
    axes: list[Literal['x', 'y', 'z', 'rx', 'ry', 'rz']]
    compliance: Array
    deflection: Array
    stiffness: Array | None
    stiffness_reason: NotRequired[str]
    unbounded_directions: Array


class StaticsJointWrenchesBaseOut(TypedDict):
    link: str
    force: Array
    moment: Array


class StaticsJointWrenchesJointsItemOut(TypedDict):
    joint: str
    link: str
    force: Array
    moment: Array
    bearing_force: Array
    bearing_moment: Array


class StaticsJointWrenchesOut(TypedDict):
    applied_to: Literal['child link']
    expressed_in: Literal['child link']
    at: Literal['origin']
    joints: list[StaticsJointWrenchesJointsItemOut]
    base: StaticsJointWrenchesBaseOut


class StaticsOffConstraintsItemOut(TypedDict):
    constraint: str
    sample: int
    residual: float
    unit: str
    text: str


class StaticsReadAsItemOut(TypedDict):
    pointer: str
    sent: NotRequired[str]
    read: str


class StaticsRequestJointStiffness1(TypedDict):
    series: ArrayLike


class TableDisturbance(TypedDict):
    kind: Literal['table']
    torque: NotRequired[Sequence[ArrayLike | Mapping[str, Any]]]
    wrench: NotRequired[Wrench]
    t: ArrayLike
    interpolation: NotRequired[Literal['hold', 'linear', 'cubic']]


class TendonFrictionOut(TypedDict):
    coulomb: NotRequired[float]
    smoothing: NotRequired[float]


class TendonOut(TypedDict):
    """A spring and friction along a length that q determines: of `coefficients`, length = sum of coefficient * q,
    MuJoCo's fixed tendon; or of `points`, the straight lines from point to point, MuJoCo's spatial tendon. Each
    joint feels d length/dq * (stiffness * stretch + friction); the stretch is what the length is beyond `rest`.
    `calibrate`, `payload` and times from limits of torque refuse such a robot; URDF and SDF have no words for it
    """
    name: NotRequired[str]
    coefficients: NotRequired[dict[str, Any]]
    points: NotRequired[list[TendonPointOut]]
    stiffness: NotRequired[float]
    rest: NotRequired[float | Array]
    damping: NotRequired[float]
    friction: NotRequired[float | TendonFrictionOut]


class TendonPointOut(TypedDict):
    link: str
    position: NotRequired[Array]
    weight: NotRequired[float]
    radius: NotRequired[float]
    axis: NotRequired[Array]
    side: NotRequired[TendonSideOut]


class TendonSideOut(TypedDict):
    link: str
    position: NotRequired[Array]


class TermsAccelerationSecondDerivativesOut(TypedDict):
    """Second partial derivatives of the acceleration of forward dynamics at this torque, also in inverse dynamics:
    what `derivatives` of acceleration change by the last coordinate. Without constraints. Limits and symmetries are
    those of `second_derivatives`.
    """
    index_order: Literal['[i][j][k] is that of acceleration i, by coordinate j of the first name, by k of the second']
    d2qdd_dq_dq: Array
    d2qdd_dqd_dqd: Array
    d2qdd_dqd_dq: Array
    d2qdd_dtau_dq: Array


class TermsActuationOut(TypedDict):
    """How torques were found: `tau` is that of the actuated joints, of least norm where they can work against each
    other. Without constraints it is that of every joint
    """
    actuated: float | Array
    dof: float | Array
    internal: float | Array
    missing: float | Array


class TermsCenterOfMassOut(TypedDict):
    expressed_in: Literal['world']
    position: Array
    velocity: Array
    jacobian: Array


class TermsCentroidalMomentumOut(TypedDict):
    """Linear momentum, then angular momentum about the centre of mass, is `matrix` qd; the force and moment about it
    from outside, gravity included, are `matrix` qdd + `bias`
    """
    expressed_in: Literal['world']
    matrix: Array
    rate: Array
    bias: Array


class TermsChecksOut(TypedDict):
    """A second opinion; residuals are relative to the largest entry, rounding leaves about 1e-14"""
    recursive_lagrangian: float | Array
    recursive_stacked: float | Array
    mass_matrix: float | Array
    skew_symmetry: float | Array
    symmetry: float | Array
    smallest_eigenvalue: float | Array


class TermsChristoffelSymbolsOut(TypedDict):
    index_order: Literal['[i][j][k], i the equation']
    symbols: Array
    coriolis: Array
    centrifugal: Array


class TermsConstraintJacobianOut(TypedDict):
    """A with A qd = b, dA/dt qd, and how far the state is off"""
    rows: list[str]
    matrix: Array
    rate_term: Array
    position_residual: Array
    velocity_residual: Array


class TermsCoriolisMatrixOut(TypedDict):
    """C with C qd the Coriolis and centrifugal torques"""
    form: Literal['christoffel', 'c1', 'c2', 'stacked']
    matrix: Array
    skew_residual: float | Array


class TermsDecouplingOut(TypedDict):
    """What laws that treat each joint alone get wrong. inertia_diagonal: M_ii qdd_i for (M qdd)_i; inertia_rotor: the
    rotor's inertia alone; decoupled, decoupled_rotor: the same without C qd
    """
    error: Literal['approximate torque less exact torque']
    inertia_diagonal: Array
    inertia_rotor: Array
    decoupled: Array
    decoupled_rotor: Array


class TermsDerivativesOut(TypedDict):
    """Partial derivatives, [i][j] of torque i by coordinate j; of accelerations in forward dynamics. Spherical and
    floating joints are displaced like their velocities: a turn (and a shift) in the child frame.
    """
    dtau_dq: NotRequired[Array]
    dtau_dqd: NotRequired[Array]
    dtau_dqdd: NotRequired[Array]
    dqdd_dq: NotRequired[Array]
    dqdd_dqd: NotRequired[Array]
    dqdd_dtau: NotRequired[Array]


class TermsDriveOut(TypedDict):
    """What the motion requires of the drives of `joints`: uses are parts of a limit, 0 where there is none; voltage
    without L di/dt; `feasible` is 1 where neither a peak current nor a voltage is exceeded, else 0
    """
    joints: list[str]
    motor_torque: Array
    motor_speed: Array
    current: Array
    voltage: Array
    duty: Array
    power: Array
    current_use: Array
    continuous_use: Array
    voltage_use: Array
    feasible: float | Array


class TermsEnergyOut(TypedDict):
    """J: potential is 0 with every centre of mass at the world origin and every spring at rest"""
    kinetic: float | Array
    potential: float | Array


class TermsIntegrabilityOut(TypedDict):
    """Frobenius' test here: directions that brackets of two allowed ones reach beside; 0: integrable"""
    dof: float | Array
    new_directions: float | Array
    defect: float | Array


class TermsLedgerOut(TypedDict):
    """Torque term by term, computed apart from tau; `external` is -J^T w"""
    inertia: Array
    coriolis: Array
    centrifugal: Array
    gravity: Array
    friction: Array
    rotor: Array
    spring: Array
    external: Array
    sum: Array


class TermsLimitsExceededItemOut(TypedDict):
    joint: str
    limit: Literal['lower', 'upper', 'velocity', 'torque']
    bound: float
    worst: float
    by: float
    sample: int
    samples: int


class TermsLimitsOut(TypedDict):
    """Which limits of the robot the samples exceed, each with its worst sample; nothing is cut off. Torque: `tau` of
    inverse-dynamics, the request's of forward-dynamics. Not for NPZ
    """
    exceeded: list[TermsLimitsExceededItemOut]
    unlimited: list[TermsLimitsUnlimitedItemOut]


class TermsLimitsUnlimitedItemOut(TypedDict):
    joint: str
    limit: Literal['lower', 'upper', 'velocity', 'torque']


class TermsLinkJacobianRatesOut(TypedDict):
    """Rates of change of `link_jacobians` at qd"""
    expressed_in: Literal['world']
    at: Literal['origin']
    links: list[str]
    rates: Array


class TermsLinkJacobiansOut(TypedDict):
    """Of every link: velocity of its origin, then angular velocity, along the world's axes"""
    expressed_in: Literal['world']
    at: Literal['origin']
    links: list[str]
    jacobians: Array


class TermsMassMatrixBoundsOut(TypedDict):
    """Eigenvalues of M at q; with `box`, also over all q in it"""
    smallest_eigenvalue: float | Array
    largest_eigenvalue: float | Array
    box_smallest_attained: NotRequired[float]
    box_largest_attained: NotRequired[float]
    box_smallest_guaranteed: NotRequired[float | None]
    box_largest_guaranteed: NotRequired[float | None]
    box_reason: NotRequired[str]


class TermsMassMatrixDerivativesOut(TypedDict):
    index_order: Literal['[i][j][k] is dM_ij/dq_k']
    derivatives: Array


class TermsMomentumOut(TypedDict):
    expressed_in: Literal['world']
    mass: float | Array
    linear: Array
    angular_com: Array
    angular_origin: Array


class TermsMomentumRegressorOut(TypedDict):
    """Linear momentum, then angular momentum about the world's origin, is the sum over links of `matrices` times m, m
    c (3), Ixx Ixy Ixz Iyy Iyz Izz about the link's origin, along its axes
    """
    expressed_in: Literal['world']
    links: list[str]
    matrices: Array


class TermsMultipliersOut(TypedDict):
    """Of a robot with constraints, in M qdd + ... = tau + J^T w + A^T values: forces of the constraints on the robot.
    Rows that follow from others here are redundant (1, else 0); they share the load with the least sum of squares
    """
    force_on: Literal['robot']
    rows: list[str]
    values: Array
    force: Array
    redundant: Array
    rank: float | Array


class TermsOffConstraintsItemOut(TypedDict):
    constraint: str
    sample: int
    residual: float
    unit: str
    text: str


class TermsOperationalSpaceInertiaFrameOut(TypedDict):
    link: str
    at: Array


class TermsOperationalSpaceInertiaOut(TypedDict):
    """(J M^-1 J^T)^-1 with the chosen rows of the Jacobian of the point; 422 where the point cannot move along one
    """
    expressed_in: Literal['world']
    frame: TermsOperationalSpaceInertiaFrameOut
    axes: list[Literal['x', 'y', 'z', 'rx', 'ry', 'rz']]
    matrix: Array


class TermsPassivityOut(TypedDict):
    """M qdd_ref + C qd_ref + gravity_torque, without friction and springs"""
    coriolis_form: Literal['christoffel']
    torque: Array


class TermsProjectorsOut(TypedDict):
    """P_w = E - A^T (A M^-1 A^T)^-1 A M^-1 of forces, and P_T = P_w^T of motions"""
    force: Array
    motion: Array


class TermsReadAsItemOut(TypedDict):
    pointer: str
    sent: NotRequired[str]
    read: str


class TermsSecondDerivativesOut(TypedDict):
    """Second partial derivatives of torque, also in forward dynamics: what `derivatives` of torque change by the last
    coordinate, friction, springs, tendons, drag and external wrenches included. For robots of up to 64 degrees of
    freedom, mimicking joints counted. Symmetric in j and k where both are q or both qd, but for two turns (or a
    turn and a shift) of one spherical or floating joint: k first, then j about axes that k has turned.
    """
    index_order: Literal['[i][j][k] is that of torque i, by coordinate j of the first name, by k of the second']
    d2tau_dq_dq: Array
    d2tau_dqd_dqd: Array
    d2tau_dqd_dq: Array
    d2tau_dqdd_dq: Array


class TorqueTable(TypedDict):
    """Torques over time"""
    kind: Literal['torque']
    t: ArrayLike
    tau: ArrayLike | Sequence[ArrayLike | Mapping[str, Any]]
    interpolation: NotRequired[Literal['hold', 'linear', 'cubic']]


class TrajectoryBindingItemOut(TypedDict):
    from_s: float
    to_s: float
    joint: str
    limit: Literal['velocity', 'acceleration', 'jerk', 'torque']


class TrajectoryFourier(TypedDict):
    frequency_hz: float
    offset: ArrayLike | Mapping[str, Any]
    a: ArrayLike
    b: ArrayLike


class TrajectoryReadAsItemOut(TypedDict):
    pointer: str
    sent: NotRequired[str]
    read: str


class TrajectoryRequestLimits(TypedDict):
    """Times out of limits, in place of `timing` and times: of waypoints, or (time-optimal) of poses"""
    kind: NotRequired[Literal['trapezoid', 's-curve', 'time-optimal']]
    path: NotRequired[Literal['spline', 'lines']]
    velocity: NotRequired[ArrayLike | Mapping[str, Any]]
    velocity_factor: NotRequired[float]
    acceleration: NotRequired[ArrayLike | Mapping[str, Any]]
    acceleration_factor: NotRequired[float]
    jerk: NotRequired[ArrayLike | Mapping[str, Any]]
    jerk_factor: NotRequired[float]
    torque: NotRequired[ArrayLike | Mapping[str, Any]]
    torque_factor: NotRequired[float]
    grid: NotRequired[int]
    tau: NotRequired[bool]


class TrajectoryViolationsItemOut(TypedDict):
    joint: str
    limit: Literal['lower', 'upper', 'velocity']
    bound: float
    worst: float
    t: float
    sample: int


class UnknownGain(TypedDict):
    start: float | ArrayLike


class Variation(TypedDict):
    """One of `uniform`, `normal`, `list`, `grid`"""
    of: Literal['q', 'qd', 'torque', 'mass_factor', 'viscous_factor', 'coulomb_factor', 'payload_mass', 'kp_factor', 'kd_factor', 'ki_factor', 'lambda_factor', 'noise_seed', 'disturbance_factor']
    joint: NotRequired[str]
    link: NotRequired[str]
    disturbance: NotRequired[int]
    at: NotRequired[Literal['origin', 'com'] | ArrayLike]
    uniform: NotRequired[ArrayLike]
    normal: NotRequired[VariationNormal]
    list: NotRequired[ArrayLike]
    grid: NotRequired[VariationGrid]


VariationGrid = TypedDict('VariationGrid', {
    'from': "float",
    'to': "float",
    'count': "int",
})


class VariationNormal(TypedDict):
    mean: NotRequired[float]
    deviation: float


class WarningsItemOut(TypedDict):
    joint: str
    sample: int
    text: str


class Wrench(TypedDict):
    """A force or a moment or both, for all samples or one for each. Where it acts, on whom and along which axes is
    stated.
    """
    link: str
    force: NotRequired[ArrayLike]
    moment: NotRequired[ArrayLike]
    at: Literal['origin', 'com'] | ArrayLike
    applied_to: Literal['robot', 'environment']
    expressed_in: Literal['world', 'link']


class WrenchOverTime(TypedDict):
    """As `ConstantWrench`; with `t`, force and moment have one row a time"""
    link: str
    force: NotRequired[ArrayLike]
    moment: NotRequired[ArrayLike]
    at: Literal['origin', 'com'] | ArrayLike
    applied_to: Literal['robot', 'environment']
    expressed_in: Literal['world', 'link']
    t: NotRequired[ArrayLike]
    interpolation: NotRequired[Literal['hold', 'linear', 'cubic']]
