// SPDX-License-Identifier: Apache-2.0
// clients/javascript/contract.generated.d.ts - types of the contract, made by types.py: do not edit.

/** Nested arrays of numbers, rows outside. */
export type Tensor = number[] | number[][] | number[][][] | number[][][][];

/** A link welded to a link */
export interface AddPayload {
  op: "payload";
  link: string;
  /** Of the new link; "payload" where it is absent */
  name?: string;
  /** m: Of the new link in the frame of the other; its rotation by one of the next three */
  position?: Vector;
  rotation?: number[][];
  /** rad */
  rpy?: Vector;
  quaternion_wxyz?: Quaternion;
  /** kg */
  mass?: number;
  /** m */
  com?: Vector;
  /** kg m^2 */
  inertia?: number[][];
  inertia_about?: "com" | "origin";
  /** One solid, or an array of them */
  solid?: Solid | Solid[];
}

/**
 * Unit of angles of joints in q, qd, qdd and what is measured like them (rad/s: deg/s), and of rpy, in the request and in the
 * answer. All else (torques, Jacobians, derivatives) is in SI units
 */
export type Angles = "rad" | "deg";

/**
 * The arrays of numbers of the answer as an NPZ file: those of objects as "object.array", those inside of lists as "list.0.array"
 * where there is room for all of them (64)
 */
export type AnswerArchive = string;

export interface AssembleRequest {
  /** Positions by joint of one freedom: a number, or an array of them, one for each sample */
  q: {
    [name: string]: unknown;
  };
  /** Rates of the same joints; 0 where it is absent */
  qd?: {
    [name: string]: unknown;
  };
  /** Accelerations of the same joints; 0 where it is absent */
  qdd?: {
    [name: string]: unknown;
  };
  /** rad or m: A configuration on the branch that is meant; the robot's `assembled` if absent */
  near?: JointValues;
  /** Another order of joints */
  joints?: string[];
  /** default rad */
  angles?: Angles;
}

/** For a batch each array has a first index more, the sample */
export interface AssembleResult {
  joints: JointNames;
  /** Joints that kept their numbers */
  given: string[];
  /** rad or m */
  q: Samples;
  /** With `qd` or `qdd` in the request */
  qd?: Samples;
  qdd?: Samples;
  /** Freedoms that neither the given joints nor the constraints decide: they moved as little as possible */
  undecided: number;
  /** Words of other tools that were read as ours, and what the request leaves out and was taken as this */
  read_as?: {
    /** Where, in the request */
    pointer: string;
    /** The word; absent where nothing was sent */
    sent?: string;
    /** Such as `initial/q`, a name or a value */
    read: string;
  }[];
  warnings?: Warnings;
  /** Where the request states it */
  angles?: Angles;
  provenance: Provenance;
}

/** A point of a link, as a name or in the link frame (m) */
export type At = "origin" | "com" | Vector3;

/** Of the world, at the point: shifts, then turns */
export type Axes = ("x" | "y" | "z" | "rx" | "ry" | "rz")[];

/** One number for all axes, or one for each in their order */
export type AxisGains = number | number[];

export interface BodyInertia {
  mass: number;
  com: Vector3;
  inertia: Table;
  inertia_about: "com";
}

/**
 * Of `mass_matrix_bounds`: the range of q over which eigenvalues are bounded, besides those at q; `limits` takes those of the
 * joints, and a turn for angles without
 */
export type Box = "limits" | {
  /** nq numbers */
  lower: Sample;
  /** nq numbers, each at least its lower one */
  upper: Sample;
};

/** An end that the fit without bounds is beyond, or that the fit lies on */
export interface CalibrateBound {
  link: string;
  quantity: "mass" | "com_x" | "com_y" | "com_z";
  end: "least" | "most";
  /** kg or m: That of the request */
  bound: number;
  /** kg or m: Of the fit; of ...within..., with all that is fixed to the link */
  value: number;
  /** kg or m: Of the same fit without any bound */
  without_bounds: number;
  /**
   * Its part of the price of all: by its multiplier and what lies beyond. 0: it is reached on account of others, or the data do
   * not show the quantity
   */
  price_percent: number | null;
  price_percent_reason?: string;
  unit: "kg" | "m";
}

/** One estimator; without a result `reason` alone */
export interface CalibrateCompared {
  estimator: string;
  /** Why it has no result */
  reason?: string;
  /** N m or N: Of unfiltered torque, one a joint */
  rmse?: number[];
  /** Over that of the result on the same samples, where `compare` names its method as well */
  rmse_ratio?: (number | null)[];
  /**
   * Friction, rotors and masses not negative and M positive definite at random poses; of feasible methods also that every body
   * has a density
   */
  feasible?: boolean;
  infeasible_because?: string;
  /** Largest over least singular value of its weighted columns (of their projection on its instruments), scaled to one length */
  condition?: number | null;
  condition_reason?: string;
  /** Of constraints: its objective over that without them, less 1 */
  price_percent?: number | null;
  price_percent_reason?: string;
  /** Of the interior-point method; 0: none */
  iterations?: number;
  /** Of all logs */
  simulations?: number;
  /** Simulated; of these */
  windows?: number;
  /** left all bounds */
  windows_lost?: number;
  /** In the order of `parameters` */
  values?: number[];
  /** Its values less those of the result, in the result's standard deviations */
  deviations?: (number | null)[];
  /** The parameter that differs by the most of them */
  farthest?: {
    name: string;
    value: number;
    applied: number;
    deviations: number;
    unit: string;
  };
}

/**
 * The controller that moved the robot. Of logs without torque it makes torque of commanded and measured motion (`q_cmd`, and
 * `qd_cmd` where it is logged); logs with torque keep theirs. Rates are the logged ones where both are, else central differences
 * of q_cmd - q. Row k of the log is what the controller saw at one time. Feed-forward torque that it adds to its law is `tau_ff`
 * of the log. Rows at `effort_limits` are left out (repair saturated)
 */
export interface CalibrateController {
  /**
   * pd: kp (q_cmd - q) + kd (qd_cmd - qd). pd-gravity: and gravity and springs at q. computed-torque: M (qdd_cmd + kp e + kd e')
   * + C qd + gravity + friction. The model is the robot of the request, as it is before the calibration
   */
  kind: "pd" | "pd-gravity" | "computed-torque";
  /** Above 0: N m/rad and N/m; of computed-torque 1/s^2 */
  kp: FittedGains;
  /** N m s/rad and N s/m; of computed-torque 1/s */
  kd: FittedGains;
  /**
   * N m/(rad s) and N/(m s); of computed-torque 1/s^3. Adds ki s, s the integral of q_cmd - q from 0 at the first row of each log
   * on, by the trapezoidal rule; it does not grow into saturation at `effort_limits`, as in `simulate`
   */
  ki?: FittedGains;
  /** Left out: the robot's own; none with gains to fit, whose rows must not be saturated */
  effort_limits?: "robot" | Gains;
  /**
   * With gains to fit. Where nothing sets the scale of torque (no gain that is stated, no log with torque or `tau_ff`, no law
   * with gravity) all gains, masses and friction times one factor make the same motion; and so, within the noise, do the gains,
   * the inertia and the friction of one joint that others hardly feel. robot: the scale at which the bodies' torque along the
   * logs is nearest to that of the request's robot; kp of such a joint stays at its start. Left out: such requests are refused,
   * by name
   */
  reference?: "robot";
}

export interface CalibrateControllerUsed {
  kind: "pd" | "pd-gravity" | "computed-torque";
  /** Of torque, as it was computed */
  law: string;
  kp: number[];
  kd: number[];
  ki?: number[];
  /** With gains to fit: those that were found, which are parameters as well */
  gains?: {
    joint: string;
    gain: "kp" | "kd" | "ki";
    unit: string;
    start: number;
    /** robot: by the torque of its model along the logs */
    start_by: "robot" | "request";
    value: number;
    standard_deviation: number | null;
    standard_deviation_reason?: string;
    interval: number[] | null;
    interval_reason?: string;
  }[];
  /** With gains to fit: what sets the scale of torque, masses and gains */
  scale?: string;
  /** Null: none */
  effort_limits: (number | null)[];
  /** Logs whose torque is the law's */
  torque_of: {
    name: string;
    rates: "logged" | "differences";
    /** True: its `tau_ff` is in the torque */
    feed_forward?: boolean;
    /** Left out */
    rows_saturated: number;
  }[];
  /** What errors of the gains mean */
  note: string;
}

/** A dataset by name, or with ranges of rows; the result of a job; or one dataset for each quantity */
export type CalibrateDataset = string | {
  dataset?: string;
  job?: string;
  /** [first, one past the last], from 0, or several such ranges */
  rows?: number[] | number[][];
  q?: string;
  qd?: string;
  qdd?: string;
  tau?: string;
  time?: string;
  /** Of calibrations with `controller`; likewise qd_cmd, tau_ff */
  q_cmd?: string;
  qd_cmd?: string;
  tau_ff?: string;
  /** Of the floating base; likewise base_quaternion_wxyz, base_twist */
  base_position?: string;
  base_quaternion_wxyz?: string;
  base_twist?: string;
  /** Of this dataset, or of these `rows` of it, in place of the request's `contacts`; then no delay is searched */
  contacts?: string[];
};

/** A fault of the logs: where, how large, and its cure in `text` */
export interface CalibrateFinding {
  kind: "torque-sign" | "torque-swap" | "position-swap" | "torque-scale" | "torque-stuck" | "position-stuck" | "gravity" | "payload" | "friction-drift" | "friction-of-run" | "runs-disagree" | "outliers" | "torque-lag";
  text: string;
  /** Parameters found in spite of it are not usable: the verdict is incomplete or worse */
  gross: boolean;
  /** Sum over the joints of log(residual without the fault / with it), of torque */
  explained: number;
  /** Left out: all joints, or none in particular */
  joint?: string;
  /** Of what is exchanged */
  other_joint?: string;
  /** Left out: all that are fitted */
  datasets?: string[];
  /**
   * torque-scale: recorded torque over the model's. gravity: angle of its tilt, rad. payload: kg. friction: viscous friction at
   * the end over that at the start, or over that of the other logs. runs-disagree: residual in a common fit over that in one of
   * its own
   */
  size?: number;
  /** gravity: its direction in the world frame. payload: its centre in the frame of the last link */
  vector?: number[];
  /** s: Of a column that is stuck */
  from_s?: number;
  /** s */
  to_s?: number;
}

export type CalibrateJoints = {
  joint: string;
  all?: CalibrateJudged;
  /** Above 0.01 rad/s or m/s */
  moving?: CalibrateJudged;
  standing?: CalibrateJudged;
  /** Shares of the residual's square in motion that terms would take which the model may lack; named in `reasons` above 0.1 */
  explained_by?: {
    /** Extra friction below 0.05 rad/s or m/s (Stribeck) */
    slow_friction?: number;
    /** Friction in proportion to the torque */
    load_friction?: number;
    /** A spring */
    position?: number;
  };
}[];

/** Residual of torque, measured (unfiltered) less predicted */
export interface CalibrateJudged {
  samples: number;
  /** N m or N */
  rmse: number;
  /** Norm over that of the torque about its mean */
  relative_error: number | null;
  relative_error_reason?: string;
  /** Largest, without sign; N m or N */
  worst: number;
  /** N m or N */
  mean: number;
  /** After one sample; near 0 for white noise */
  autocorrelation_1?: number | null;
  autocorrelation_1_reason?: string;
  /** After ten samples */
  autocorrelation_10?: number | null;
  autocorrelation_10_reason?: string;
  /** Autocorrelations of white noise lie within plus or minus this, 95 % of them */
  white_autocorrelation?: number;
}

export interface CalibrateKinematicsRequest {
  /** rad or m: Of each pose, as the joints' sensors have them; 100000 poses at most */
  q: SamplesIn;
  /** m: Measured, in the tracker's frame */
  position?: Vector3[];
  /** Measured rotation of the frame, beside `position` */
  quaternion_wxyz?: Quaternion[];
  /** Number of the plane that is touched: 0, or 0 to n - 1 with four poses each */
  plane?: number[];
  /**
   * The link that carries the target, or the tip; `at`: where the search of the tool begins. The link that the robot ends in if
   * absent
   */
  frame?: Point;
  /** frames: also shift and turn of each joint's frame, six numbers (default zeros) */
  identify?: "zeros" | "frames";
  /** Joints whose parameters are unknown; left out: all that move the link */
  only?: string[];
  /** Of the robot's root in the tracker's frame, where it is known */
  base?: Pose;
  /** Of the frame on its link, where it is known; of a point its position */
  tool?: Pose;
  /** Standard deviations of the measurement; left out: those of the residuals */
  noise?: {
    /** m: With planes, of the distance */
    position_m: number;
    /** rad: Needed with quaternion_wxyz */
    rotation_rad?: number;
  };
  /** Inverse variances of the poses relative to each other */
  weights?: number[];
  /** Largest absolute values; left out: none */
  limits?: {
    /** rad: Of revolute joints */
    zero_rad?: number;
    /** m: Of frames, and of zeros of prismatic joints */
    displacement_m?: number;
    /** rad: Of frames, about each axis */
    rotation_rad?: number;
  };
  /** Outlying poses are left out. They are named in any case (default false) */
  robust?: boolean;
  /** Of the cross-validation: poses are left out in turn (default 5) */
  folds?: number;
  /** default 0.95 */
  confidence?: number;
  /** Another order of joints for every array of the request and the answer; names each moving joint once */
  joints?: string[];
  /** Also of `value` of zeros (default rad) */
  angles?: Angles;
}

export interface CalibrateKinematicsResult {
  verdict: "usable" | "incomplete" | "insufficient-excitation";
  /** Gravest first, with what to measure or to set */
  reasons: string[];
  measured: "poses" | "points" | "planes";
  frame: PointResult;
  joints: JointNames;
  /** That were sent */
  poses: number;
  /** Six, three or one for each pose used */
  equations: number;
  /** Estimated parameters, with those of base, tool and planes */
  unknowns: number;
  degrees_of_freedom: number;
  confidence: number;
  parameters: KinematicParameter[];
  /** Held at the values that they had */
  not_identified: {
    /** Such as `wrist.zero`, `tool.rz`, `base.x`, `plane0.tilt1` */
    name: string;
    /** structure: no poses of this kind, within the limits, separate it from `parts`; poses: these do not */
    because: "structure" | "poses";
    text: string;
    /** A unit of it has the effect of so much of these, where the fit began; the largest first, 12 at most */
    parts: {
      name: string;
      /** In the unit of this part over the unit of the parameter */
      factor: number;
    }[];
  }[];
  /** Of the robot's root in the tracker's frame */
  base: {
    /** m */
    position: Vector3;
    quaternion_wxyz: Quaternion;
    /** As the request states it */
    known: boolean;
    /** m along and rad about the tracker's axes; null: not identified */
    standard_deviation?: (number | null)[];
  } | null;
  base_reason?: string;
  /** Of the measured frame, or point, on its link */
  tool: {
    /** m */
    position: Vector3;
    /** Of a frame */
    quaternion_wxyz?: Quaternion;
    known: boolean;
    /** m along and, of a frame, rad about the link's axes */
    standard_deviation?: (number | null)[];
  };
  /** In the robot's root frame */
  planes?: {
    plane: number;
    /** Of unit length */
    normal: Vector3;
    /** m: normal . point = distance */
    distance_m: number;
    /** Two tilts in rad, distance in m */
    standard_deviation: (number | null)[];
  }[];
  noise: {
    stated: boolean;
    /** m: Standard deviation of each coordinate, or of the distance to a plane, by the residuals */
    position_m: number;
    /** rad: About each axis */
    rotation_rad?: number;
    /** Residual over what the stated noise lets expect */
    over_stated?: number;
  };
  errors: {
    /** Of the robot as it was: base, tool and planes alone are fitted */
    before: KinematicErrors;
    after: KinematicErrors;
    /** Of poses that the fit has not seen */
    left_out_before: KinematicErrors;
    left_out_after: KinematicErrors;
    folds: number;
  };
  /**
   * Standard deviation of the predicted position at random poses within the joints' limits, by the covariance of all parameters.
   * With planes: at such poses on them
   */
  within_limits: {
    poses: number;
    /** m */
    position_rms_m: number;
    /** m */
    position_max_m: number;
  } | null;
  within_limits_reason?: string;
  /**
   * By the Jacobian, lengths in m, angles in rad; rows of rotations are multiplied by the ratio of the deviations of position and
   * rotation, in m/rad
   */
  observability: {
    singular_values: number[];
    condition_number: number | null;
    condition_number_reason?: string;
    /** Geometric mean of the singular values over the root of the number of poses */
    o1: number;
    /** Smallest over largest */
    o2: number;
    /** Smallest */
    o3: number;
    /** Smallest squared over largest */
    o4: number;
    /** 1 over the sum of inverses */
    o5: number;
    /** The direction of the smallest, its largest components first; 6 at most */
    weakest: {
      name: string;
      component: number;
    }[];
  };
  /** Poses that do not belong to the others, at 1 % for all together; the worst first, 100 at most */
  outliers: {
    pose: number;
    /** m */
    position_m: number;
    /** rad */
    rotation_rad?: number;
    /** Root mean square of its residual in standard deviations */
    deviations: number | null;
    deviations_reason?: string;
    left_out: boolean;
  }[];
  outlier_count: number;
  /** In the order of the request */
  by_pose: {
    /** m: As in `errors`; of a plane the distance with its sign */
    position_before_m: number[];
    /** m */
    position_after_m: number[];
    /** rad */
    rotation_before_rad?: number[];
    /** rad */
    rotation_after_rad?: number[];
    /** null: the pose alone determines something */
    deviations: (number | null)[];
  };
  /** Of the unknowns, in m and rad, in the order of `covariance_of` */
  covariance: number[][] | null;
  covariance_reason?: string;
  covariance_of: string[];
  /** With the parameters in the origins of its joints */
  robot: RobotDocument;
  /** Words of other tools that were read as ours, and what the request leaves out and was taken as this */
  read_as?: {
    /** Where, in the request */
    pointer: string;
    /** The word; absent where nothing was sent */
    sent?: string;
    /** Such as `initial/q`, a name or a value */
    read: string;
  }[];
  warnings?: Warnings;
  /** Where the request states it */
  angles?: Angles;
  provenance: Provenance;
}

export interface CalibrateLinkBounds {
  mass_kg?: CalibrateRange;
  /** Centre of mass in the link's frame, along x, y and z */
  com_m?: (CalibrateRange | null)[];
}

export interface CalibrateParameter {
  name: string;
  kind: string;
  link?: string;
  joint?: string;
  other?: string;
  /** The combination of parameters that a base parameter is */
  expression?: string;
  unit: string;
  /** Of kind stribeck, rad/s or m/s: the value is a torque times sign(v) exp(-(v / stribeck_speed)^2) */
  stribeck_speed?: number;
  /** In `unit` */
  value: number | null;
  value_reason?: string;
  /**
   * From experiments left out, where there are four or more; of one, from segments of time; of two or three, the larger of both.
   * In `unit`
   */
  standard_deviation?: number | null;
  standard_deviation_reason?: string;
  /** If residuals were white, in `unit`: for comparison only */
  textbook_deviation?: number | null;
  textbook_deviation_reason?: string;
  /** With instruments: what weighted least squares gives, in `unit` */
  least_squares?: number | null;
  least_squares_reason?: string;
  /** From and to, at `confidence`, in `unit`, from the groups that `standard_deviation` is from */
  interval?: number[] | null;
  /**
   * Of the interval, by Student's t: experiments or segments less one. Where two experiments differ by more than their segments
   * explain 1: 95 % are 12.7 deviations; of three 2: 4.3
   */
  degrees_of_freedom?: number;
  interval_reason?: string;
  /** Over the draws of `bootstrap`, in `unit` */
  bootstrap_deviation?: number | null;
  bootstrap_deviation_reason?: string;
  /** Percentiles of the draws, in `unit` */
  bootstrap_interval?: number[] | null;
  bootstrap_interval_reason?: string;
  /** standard_deviation over the value without sign */
  relative_deviation?: number | null;
  relative_deviation_reason?: string;
  /** Sample deviation over the mean of the experiments' own fits */
  consistency_measure?: number | null;
  consistency_measure_reason?: string;
  /** N m or N: RMS torque of one standard deviation */
  effect?: number | null;
  effect_reason?: string;
  /**
   * By consistency_measure (relative_deviation where there is none): below 0.3, below 0.8, above; an effect below the noise of
   * the torque, as each experiment by itself leaves it, is usable whatever the spread
   */
  verdict: "usable" | "robust-control-only" | "incomplete" | "unidentifiable";
}

/** The least and the most; null: no bound */
export type CalibrateRange = (number | null)[];

export interface CalibrateRequest {
  /**
   * A fit works in 256 MiB, and in twice the columns where it has instruments: 413 at `/datasets` where logs and parameters need
   * more, as one log of 64 joints with all parameters does, or of 40 by `iv` or `feasible-iv`
   */
  datasets: CalibrateDataset[];
  columns?: LogColumns;
  units?: LogUnits;
  scale?: LogScale;
  /** Hz: of rows without a clock, or of the even clock to be made */
  rate_hz?: number;
  /** [first, one past the last], from 0, or several such ranges */
  rows?: number[] | number[][];
  filter?: LogFilter;
  /**
   * Lag of the logged q, qd and qdd behind tau; at most 4 samples or 50 ms. Left out: 0; in calibrations where `friction` is left
   * out and the robot has no Coulomb friction yet: what explains the torque best
   */
  delay_s?: number;
  /** Another order of joints for every array of the request and the answer; names each moving joint once */
  joints?: string[];
  controller?: CalibrateController;
  /**
   * Joints that were at rest and have no columns: the position of each by its name, as in `lock` of a robot's operations (a base
   * by its array). The rest of the robot is identified, `joints` and columns are those that moved, and `robot` is the whole
   * robot. Links that no joint moved against each other are one body: the sum is identified, not each share
   */
  at_rest?: {
    [name: string]: unknown;
  };
  /**
   * Of a robot with a floating base: the links that something touched in the logs (feet on the floor, a hand on a table). Forces
   * there are not logged, so torques of the joints between them and the root, and the wrench on the base, are left out. []:
   * nothing touched the robot, as in flight; then nothing but gravity acts on the base, and its six equations have torque 0.
   * Needed where `tau` is that of the joints alone; without it `tau` has six columns of the wrench on the base as well (its
   * coordinates' generalised forces)
   */
  contacts?: string[];
  /**
   * Forces and moments of the environment that the logs have columns of: soles with sensors, a handle. Their generalised forces
   * J^T w are added to the torque of each row, so that what is left is the robot's own. Of a robot with a floating base nothing
   * else then touches it but what `contacts` names
   */
  external_wrenches?: CalibrateWrench[];
  model?: {
    /** full: base, and all parameters beside (default base) */
    kind?: "base" | "full" | "per-joint";
    /** Of per-joint (default sin-cos) */
    gravity?: "constant" | "cos" | "sin-cos";
    /**
     * Left out: viscous, coulomb and offset, where the robot has no Coulomb friction yet with stribeck and with load, each if the
     * data show it
     */
    friction?: ("viscous" | "coulomb" | "offset" | "stribeck" | "load")[];
    /** default true */
    rotor?: boolean;
    /** default false */
    springs?: boolean;
    /**
     * Width of the sign of velocity, rad/s or m/s; 0: sharp. Left out: the joints' own, or 0.01 where the robot has no Coulomb
     * friction yet; where the data select the law of the sign and select this one, the width with the least residual
     */
    smoothing?: number;
    /**
     * rad or m: displacement over which gears yield at a reversal before they slip: the sign of velocity is then the state of
     * Dahl's friction. 0: that of velocity alone. Left out: 0 where the robot has Coulomb friction already or `smoothing` is
     * given; else 0.0002, unless the data clearly favour a smoothed sign. They select it where `smoothing` and `relaxation_s` are
     * left out as well, `friction` has a sign (coulomb, stribeck, load) and the method is not irls: see `friction_sign` of the
     * answer. Not 0: at least 1e-9
     */
    presliding?: number;
    /**
     * s after which a joint at rest has lost most of the torque that its friction held: gears and grease creep. Only with
     * `presliding`, else refused. 0: never; else at least 1e-6. Left out: 0, or 2 where the robot has no Coulomb friction yet,
     * unless the data clearly favour 0
     */
    relaxation_s?: number;
    /** rad/s or m/s: left out: the joints' own, or the best of 0.05 to 0.5; 0.3 where friction is left out as well */
    stribeck_speed?: number;
    /** Pairs of joints whose motors drive through each other */
    couplings?: string[][];
  };
  /**
   * iv and feasible-iv fit against instruments, the same columns a little earlier and later: noise of position, which draws least
   * squares' inertias to zero when the cut-off is high or the encoder coarse, does not bias them. Each parameter then states what
   * least squares would give. Left out: feasible, or feasible-iv where the noise of the logs would move some parameter by more
   * than one standard deviation (see `noise`). feasible-didim: output error, see `compare`, after a fit by feasible, with
   * everything that feasible has: noise of position is in no column
   */
  method?: "feasible" | "ols" | "wls" | "irls" | "tls" | "ridge" | "bounded" | "iv" | "feasible-iv" | "feasible-didim";
  /**
   * What is known of masses and centres of mass: weighed, or from CAD. The feasible fit stays within, and `feasibility.bounds`
   * states which of them change it and their price. Where a fit without bounds is within them, it is the result. Only with method
   * feasible and feasible-iv. A range of one value is a given value, to 1e-6 of a mass and 1e-6 m
   */
  bounds?: {
    /**
     * By link. Of those that a joint moves: what is fixed to a link keeps the values of the robot's file, and the root is in no
     * torque
     */
    links?: {
      [name: string]: CalibrateLinkBounds;
    };
    /**
     * Of the mass in the robot's file, for all links that `links` does not bound: each link that a joint moves, with all that is
     * fixed to it
     */
    mass_within_percent?: number;
    /** Of their centre in the robot's file, along x, y and z of the moved link, likewise */
    com_within_m?: number;
  };
  /**
   * Other estimators on the same logs and the same columns: `comparison` of the answer. The result stays that of `method`.
   * entropic: feasible with a thousand times the `prior_weight`, drawn to the robot's own bodies (Lee, Wensing and Park 2020).
   * idim-iv: instruments are the columns along a simulation that follows the logs (Janot, Vandanjon and Gautier 2014). didim:
   * output error, torque against the columns along that simulation alone (Gautier, Janot and Vandanjon 2013); with `controller`
   * both simulate its loop, else one that draws them to the logs at 1.5 Hz. irls reads the logs by its own weights: name it as
   * `method`
   */
  compare?: ("feasible" | "ols" | "wls" | "tls" | "ridge" | "bounded" | "iv" | "feasible-iv" | "entropic" | "idim-iv" | "feasible-idim-iv" | "didim" | "feasible-didim")[];
  /** Of instruments; left out: two periods of the cut-off, less where the motion is faster */
  lag_s?: number;
  /** Values of all parameters, in the order of the regressor's columns; left out: the robot's */
  prior?: number[];
  /** Of ridge: weight of the prior relative to the objective (default 0.0001) */
  ridge?: number;
  /**
   * Draws with replacement, of experiments where there are four or more, else of segments of time, raised as `standard_deviation`
   * is where two or three experiments differ: a second opinion on deviations (default 0)
   */
  bootstrap?: number;
  /** Answer with the covariance of the parameters (default false) */
  covariance?: boolean;
  /**
   * Of tls: noise of every column as a part of its RMS. Where the fit goes elsewhere than the noise of the logs explains,
   * `reasons` says so (default 0.0003)
   */
  column_noise?: number;
  /** Of feasible: weight of the prior where the data do not identify a parameter (default 1e-05) */
  prior_weight?: number;
  /** default 0.95 */
  confidence?: number;
  /** Left out, leave-one-out where there are several datasets. Rows that are fitted as well are refused */
  validate?: "leave-one-out" | "none" | CalibrateDataset[];
  /** Samples returned of each prediction (default 1000) */
  points?: number;
}

export interface CalibrateResult {
  verdict: "usable" | "robust-control-only" | "incomplete" | "physically-inconsistent" | "insufficient-excitation";
  /** Gravest first, with what to add to the model or the motion */
  reasons: string[];
  /**
   * Faults of the fitted logs that explain what the fit leaves, the gravest first; `reasons` begins with them. Fits of whole
   * robots of at most 8 joints, of one freedom each; for others see findings_limit
   */
  findings: CalibrateFinding[];
  /** Faults that were not searched for, and why: they may exist although findings do not name them */
  findings_limit?: string;
  /** That of the request; feasible or feasible-iv if it names none */
  method: string;
  model: string;
  joints: JointNames;
  /**
   * With `contacts`: joints whose torque is not used, since forces of contact enter it. Their residuals and predictions are 0,
   * and `by_joint` has their names alone
   */
  torques_left_out?: string[];
  samples: number;
  confidence?: number;
  /** With method feasible-didim */
  output_error?: {
    /** Of all logs, until no parameter moved by a thousandth; at most 30 */
    simulations: number;
    /** Of up to 3 s, of the last one */
    windows: number;
    /** That diverged: above a half the method is refused */
    windows_lost: number;
    /**
     * Where a controller is known or fitted: the simulated motion follows a change of a value, and brings a part c of it back.
     * Deviations and intervals are 1 / (1 - c) of those of one simulation
     */
    widened?: {
      /** 1 / (1 - c) of the parameter that it widens most */
      most: number;
      parameter: string;
    };
  };
  /** With method iv and feasible-iv */
  instruments?: {
    /** s: Instruments are the columns so long before and after */
    lag_s?: number;
    lag_samples?: number;
  };
  parameters: CalibrateParameter[];
  /** Their values once more, as an array that NPZ has too; null where the data do not identify one */
  parameter_values?: (number | null)[];
  /** Their standard deviations */
  parameter_deviations?: (number | null)[];
  /**
   * With covariance: of the parameters in their order, in the products of their units; the roots of its diagonal are
   * standard_deviation
   */
  covariance?: number[][] | null;
  covariance_reason?: string;
  /** With model full: name, unit, value */
  all_parameters?: {
    [name: string]: unknown;
  }[];
  rank: {
    /** What any motion could identify */
    structural?: number;
    /** What these data identify */
    data?: number;
    /** How many parameters there are */
    columns?: number;
  };
  condition: {
    /** Largest over least singular value of the weighted columns, in SI units */
    unscaled?: number | null;
    unscaled_reason?: string;
    /** The same with all columns scaled to one length */
    column_scaled?: number | null;
    column_scaled_reason?: string;
  };
  /** Combinations that the data do not identify */
  unidentifiable: {
    combination?: string;
    /** Standard deviation along it, in sizes of parameters that would matter; above 0.5 it counts as open */
    deviation?: number | null;
    deviation_reason?: string;
    terms?: {
      [name: string]: unknown;
    }[];
  }[];
  /** Combinations that no motion of this robot could show either, of axes that are nearly, not quite, parallel or square */
  regrouped?: {
    combination?: string;
    /**
     * Torque of one size of a parameter that would matter along it, over a joint's torque, in motion to the robot's limits: below
     * 0.02
     */
    visible?: number;
  }[];
  feasibility: {
    /** Sum of squared residuals of the filtered torque over the variances that weighted least squares leaves */
    objective?: number;
    /** The same of weighted least squares */
    objective_unconstrained?: number | null;
    objective_unconstrained_reason?: string;
    /** The objective is above the optimum by at most this: a certificate */
    gap?: number | null;
    gap_reason?: string;
    /** Of all pseudo-inertias, relative to their nominal size */
    least_eigenvalue?: number | null;
    least_eigenvalue_reason?: string;
    iterations?: number;
    /** By how much the objective is above that of weighted least squares */
    price_percent?: number | null;
    price_percent_reason?: string;
    /**
     * Above 2 %: the parameter that constraints move by the most of its standard deviations. What it lacks elsewhere is often its
     * cause: a joint without a rotor, a wrong axis or ratio
     */
    costliest?: {
      name: string;
      value: number;
      unconstrained: number;
      deviations: number | null;
      deviations_reason?: string;
      unit: string;
    };
    /**
     * With `bounds`. Deviations and intervals are those of the data without constraints, about the values within; above 2 %
     * `reasons` has it too
     */
    bounds?: {
      /** By how much bounds raise the objective over that of the same fit without any */
      price_percent: number | null;
      price_percent_reason?: string;
      /** That change the fit; none: all hold without */
      active: CalibrateBound[];
    };
  };
  /** N m or N: Residual deviation of each joint on filtered torque */
  sigma?: number[];
  fit: {
    /** N m or N: One a joint; 0 of torques_left_out */
    rmse?: number[];
    by_joint?: CalibrateJoints;
  };
  validation: {
    kind?: "none" | "leave-one-out" | "datasets";
    /** N m or N: One a joint */
    rmse?: number[];
    by_joint?: CalibrateJoints;
    /** name, rmse */
    by_dataset?: {
      [name: string]: unknown;
    }[];
  };
  /** With `compare`: what other estimators give on the same logs */
  comparison?: {
    /** The estimator of the result */
    applied: string;
    /** Logs of the error: as in validation; fitted: those of the fit itself */
    judged_by: "leave-one-out" | "datasets" | "fitted";
    estimators: CalibrateCompared[];
  } | null;
  comparison_reason?: string;
  /**
   * The model let go from measured states with the logs' torque, in windows side by side over all logs, by a fit that has not
   * seen the log where there is one. Null: forward_simulation_reason
   */
  forward_simulation?: {
    /** Length of a window */
    horizon_s?: number;
    windows?: number;
    /** Where the fit has `presliding`: what replaces it, which is not simulated */
    friction_note?: string;
    /** That left all bounds, or whose mass matrix is not definite; only their steps until then count */
    windows_lost?: number;
    by_joint?: {
      joint?: string;
      /** rad or m: Simulated less measured position over all steps */
      rmse_q?: number;
      /** rad/s or m/s: The same of the rate */
      rmse_qd?: number;
      /** The same of a joint that keeps the speed the window began with: of no model */
      constant_velocity_rmse_q?: number;
      /** rmse_q over constant_velocity_rmse_q: above 1 the model is worse than none */
      relative_error?: number | null;
      relative_error_reason?: string;
      /** rad or m: Largest error of position */
      worst_q?: number;
    }[];
    by_dataset?: {
      name?: string;
      /** s: Of the simulation */
      step_s?: number;
      windows?: number;
      windows_lost?: number;
      /** rad or m: One a joint */
      rmse_q?: number[];
      /** s: When the window with the largest error began, one a joint */
      worst_t_s?: number[];
    }[];
  } | null;
  forward_simulation_reason?: string;
  /**
   * Poses at which the whole robot is at rest for a quarter of a second or more: measured torque against what gravity, springs
   * and offsets give there. Anything within a joint's friction may be held as well; where it came to one pose from either side,
   * the mean of the two is free of it. On the logs of `validate` where they have poses. Null: gravity_check_reason
   */
  gravity_check?: {
    used_in_fit?: boolean;
    poses?: number;
    by_joint?: {
      joint?: string;
      /** N m or N: RMS of the measured torque */
      torque?: number;
      /** N m or N: Measured less predicted without friction, RMS over the poses */
      rmse?: number;
      /** N m or N: Largest of these */
      worst?: number;
      /** N m or N: What friction can hold: Coulomb, Stribeck and load together, mean over the poses */
      friction_band?: number;
      /** Poses beyond that and three deviations of the noise */
      poses_outside?: number;
      /** N m or N: What lies beyond, RMS over all poses */
      excess?: number;
      /** Times that one pose was come to from either side */
      pairs?: number;
      /** N m or N: Residual of the means of pairs */
      pair_rmse?: number | null;
      pair_rmse_reason?: string;
      /**
       * The larger of excess and (of two pairs on) what of the means of pairs is beyond half of friction_band, over the RMS
       * torque of the joint; named in `reasons` above 0.05
       */
      relative_error?: number | null;
      relative_error_reason?: string;
    }[];
    /**
     * What a body at the end of the longest chain would weigh to explain what is left; named in `reasons` beyond three standard
     * deviations and 1 % of the robot
     */
    payload?: {
      link?: string;
      /** kg: Beyond the model */
      mass?: number;
      /** kg */
      standard_deviation_kg?: number;
    } | null;
    payload_reason?: string;
  } | null;
  gravity_check_reason?: string;
  /**
   * Noise of the logged motion, from the upper half of its spectra, and its effect on least squares: draws inertias towards zero.
   * Where it would move some parameter by more than one standard deviation and the request names no method, instruments are used
   * instead (method feasible-iv); if it names one, `reasons` states the bias
   */
  noise?: {
    /** rad/s^2 or m/s^2: RMS noise of each filtered acceleration that appears in the fitted logs */
    acceleration?: number[];
    chose_instruments?: boolean;
    /** Of the parameter that is moved by the most standard deviations */
    least_squares_bias?: {
      name?: string;
      /** Expected value less truth, in the unit of the parameter */
      expected?: number;
      /** The same over the standard deviation, without sign */
      deviations?: number;
    } | null;
    least_squares_bias_reason?: string;
  };
  /** With `controller`: which torques are its law's, and what that means */
  controller?: CalibrateControllerUsed;
  /**
   * LogReport; used_for: fit or validation; with presliding also friction_way: velocity, as logged, or filtered position, where
   * velocity is not logged or its noise above 0.005 rad/s or m/s
   */
  datasets: {
    [name: string]: unknown;
  }[];
  filter: LogFilterUsed;
  /** Lag of q, qd and qdd behind tau that was used, and whether it was estimated */
  delay?: {
    /** s */
    delay_s?: number;
    from_data?: boolean;
  };
  /** What replaced the sign of velocity in friction, see the request's `model` */
  friction_sign?: {
    /** rad/s or m/s */
    smoothing?: number | null;
    smoothing_reason?: string;
    /** rad or m: 0: the sign of velocity alone */
    presliding?: number;
    /** s: 0: no relaxation at rest */
    relaxation_s?: number;
    /** The data selected this law of three (smoothed; gears that yield; that creep as well), as the best */
    from_data?: boolean;
  };
  /**
   * Torque above the cut-off: the unfiltered torque less the filtered is `inertia` times the part of the acceleration that the
   * filter removed and `jerk_gain` times its rate of change. Both are 0 where that takes less than a hundredth of it. They are
   * part of all predictions here, and in `along_log` of the robot's joints
   */
  beyond_cutoff?: {
    joint?: string;
    /** kg m^2 or kg */
    inertia?: number;
    /** kg m^2 s or kg s */
    jerk_gain?: number;
  }[];
  /**
   * The robot document with the identified parameters, ready for PUT /v1/robots/{name}; as URDF it is result/robot.urdf of the
   * job
   */
  robot: RobotDocument | null;
  robot_reason?: string;
  /** Parts of the fit that only inverse dynamics along a log computes, and their replacement elsewhere */
  robot_note?: string;
  /**
   * Where the fit has presliding or load: the error of the robot's friction law for samples alone and simulation, fitted again to
   * what the bodies leave of the fitted logs' unfiltered torque. Along a log (`from`) the robot has the fit's own law, without
   * this price
   */
  document?: {
    by_joint: {
      joint: string;
      /** N m or N: Of the fit, on the samples that are compared */
      rmse_fit: number;
      /** N m or N: Of the robot's law for samples alone on the same */
      rmse_document: number;
      /** By how much the second is larger */
      price_percent: number | null;
      price_percent_reason?: string;
    }[];
  };
  prediction: {
    name?: string;
    used_in_fit?: boolean;
    /** Every so many samples */
    every?: number;
    t?: number[];
    tau_measured?: Table;
    tau_predicted?: Table;
    /** `tau_measured` - `tau_predicted` */
    residual?: Table;
  }[];
  /** Words of other tools that were read as ours, and what the request leaves out and was taken as this */
  read_as?: {
    /** Where, in the request */
    pointer: string;
    /** The word; absent where nothing was sent */
    sent?: string;
    /** Such as `initial/q`, a name or a value */
    read: string;
  }[];
  provenance: Provenance;
}

/** As `Wrench`; its components are columns */
export interface CalibrateWrench {
  link: string;
  /** Three columns, N */
  force?: LogColumnsOf;
  /** Three columns, N m, about the point `at` */
  moment?: LogColumnsOf;
  /** In the link frame, m */
  at: "origin" | "com" | Vector3;
  /** Who feels it */
  applied_to: "robot" | "environment";
  /** Axes of its components */
  expressed_in: "world" | "link";
}

export interface ChangeGravity {
  op: "gravity";
  /** m/s^2: In the frame of the root link */
  gravity: Vector;
}

/** Other numbers for a joint of one freedom; what is not there stays */
export interface ChangeJoint {
  op: "joint";
  joint: string;
  /** N m s/rad or N s/m: Of the joint, without its motor's */
  damping?: number;
  /** A number: `coulomb` alone */
  friction?: number | JointFriction;
  /** In place of the one before, if there is one */
  drive?: Drive;
  spring?: {
    /** N m/rad or N/m */
    stiffness?: number;
    /** rad or m */
    rest?: number;
  };
  /** Not with a drive, whose motor has it */
  rotor?: {
    /** kg m^2 */
    inertia?: number;
    ratio?: number;
  };
  limits?: {
    /** rad or m */
    lower?: number;
    /** rad or m */
    upper?: number;
    /** rad/s or m/s */
    velocity?: number;
    /** N m or N */
    effort?: number;
  };
}

/** Another mass: alone it scales the tensor, as another density would; with inertia or solid all is stated anew */
export interface ChangeLink {
  op: "link";
  link: string;
  /** kg */
  mass?: number;
  /** m */
  com?: Vector;
  /** kg m^2 */
  inertia?: number[][];
  inertia_about?: "com" | "origin";
  /** One solid, or an array of them */
  solid?: Solid | Solid[];
  /** Its box to the medium; stays otherwise, whatever the mass */
  drag?: Drag;
  /** The share of its weight that is carried; stays otherwise */
  gravity_compensation?: number;
}

/** Another fluid around the robot; none with neither density nor viscosity */
export interface ChangeMedium {
  op: "medium";
  medium: Medium;
}

/**
 * Another link is held: joints on the way are turned round, a free base carries the link from then on. Coordinates of joints of
 * one freedom, and their torques, keep their meaning; gravity is in the axes of the new root
 */
export interface ChangeRoot {
  op: "root";
  link: string;
}

/** Other numbers for a tendon, and what is not there stays; or a new one */
export interface ChangeTendon {
  op: "tendon";
  tendon: string;
  /** These or points, needed of a new one; then all of them */
  coefficients?: {
    [name: string]: number;
  };
  /** Stay on their links through lock, root and join */
  points?: TendonPoint[];
  stiffness?: number;
  rest?: number | number[];
  damping?: number;
  friction?: number | TendonFriction;
}

/** A solid that is fixed to a link */
export interface CollisionShape {
  /** The world if absent, or `world` */
  link?: string;
  name?: string;
  /** Centred in its frame; half-space: all of z <= 0, such as the ground */
  shape: "sphere" | "capsule" | "box" | "half-space" | "hull";
  /** m: sphere: radius; capsule: radius, length of the cylinder along z; box: lengths along x, y, z */
  size?: number[];
  /** m: hull: the convex hull of these, such as the vertices of a mesh; at most 64 of them are its corners */
  points?: Vector[];
  /** Of the shape's frame in the link's */
  pose?: Pose;
}

/** Name of a column, or its number from 0 */
export type CompareColumn = string | number;

/** One column of each, or one for both */
export type CompareColumns = CompareColumn | {
  a: CompareColumn;
  b: CompareColumn;
};

export interface CompareRequest {
  a: CompareSource;
  b: CompareSource;
  columns?: CompareColumns[];
  /** If left out, `t`, `time` or `timestamp` of both */
  time?: CompareColumns;
  /** If left out, time where both have one */
  by?: "time" | "row";
  include?: "series"[];
}

export interface CompareResult {
  /** Compared */
  rows: number;
  unmatched_rows_a: number;
  rows_interpolated: number;
  /** Pairs left out because one is no finite number (0 in the series) */
  not_finite: number;
  /** s: Time of the first and of the last row that were compared */
  t?: number[];
  columns: {
    name: string;
    rows: number;
    /** Greatest absolute difference */
    max: number | null;
    max_reason?: string;
    /** Row of those compared, from 0 */
    max_row?: number;
    max_t?: number;
    rms?: number;
    /** Of a - b */
    mean?: number;
    [name: string]: unknown;
  }[];
  /** With `include`: `t` (or `row`) and a - b of each column */
  series?: {
    [name: string]: unknown;
  };
  /** Words of other tools that were read as ours, and what the request leaves out and was taken as this */
  read_as?: {
    /** Where, in the request */
    pointer: string;
    /** The word; absent where nothing was sent */
    sent?: string;
    /** Such as `initial/q`, a name or a value */
    read: string;
  }[];
  provenance: {
    [name: string]: unknown;
  };
  [name: string]: unknown;
}

/** A dataset or a job; as text alone an id of a job is one, and another name is a dataset's */
export type CompareSource = {
  /** NAME, or NAME@sha256 */
  dataset: string;
} | {
  /** Id of a job that has succeeded */
  job: string;
} | string;

export interface ConfigurationRequest {
  /** rad or m */
  q: JointValues;
  /** rad or m */
  step?: JointValues;
  /** rad or m */
  to?: JointValues;
  /** Of the difference, any numbers: 0 is `q`, 1 is `to` */
  fractions?: number[];
  /** Another order of joints */
  joints?: string[];
  /** default rad */
  angles?: Angles;
}

export interface ConfigurationResult {
  joints: JointNames;
  /** nq numbers, where there is a `step` */
  sum?: Sample;
  /** nv numbers, where there is a `to` */
  difference?: Sample;
  /** A row of nq numbers for each of `fractions` */
  between?: Table;
  /** Words of other tools that were read as ours, and what the request leaves out and was taken as this */
  read_as?: {
    /** Where, in the request */
    pointer: string;
    /** The word; absent where nothing was sent */
    sent?: string;
    /** Such as `initial/q`, a name or a value */
    read: string;
  }[];
  /** Arrays that were left out, and so are zero; of one by names, `q.elbow` */
  assumed_zero?: string[];
  warnings?: Warnings;
  /**
   * Constraints that q does not satisfy, each in its worst row and sample, from 1e-4; of more than 4096 samples at evenly spaced
   * ones
   */
  off_constraints?: {
    constraint: string;
    sample: number;
    residual: number;
    /** m or rad; empty: of an equation */
    unit: string;
    text: string;
  }[];
  /** Where the request states it */
  angles?: Angles;
  provenance: Provenance;
}

/** A force and a moment. Nothing about it is left unstated. */
export interface ConstantWrench {
  link: string;
  /** N: none if absent */
  force?: Vector3;
  /** N m: about the point `at`; none if absent */
  moment?: Vector3;
  at: At;
  applied_to: "robot" | "environment";
  expressed_in: "world" | "link";
}

/**
 * A controller along and across the constraints of a robot that has them. The velocities u of `coordinates` go by u' = u_d' + kd
 * (u_d - u) + kp e + ki s, all others follow from the constraints; `nonholonomic` has kd alone. Constraints carry `force` + ki
 * times the integral of its error, 0 where no force is given. The torques are those of the robot's equations; where not every
 * joint is driven, of the driven joints, of least norm, and forces are what comes with the motion.
 */
export interface ConstrainedController {
  kind: "hybrid-position-force" | "nonholonomic";
  /** Of all joints, though only `coordinates` are followed */
  reference: Reference;
  /**
   * Joints that are followed, as many as the constraints leave degrees of freedom. If absent the driven ones where they are as
   * many, else those that describe the motion best at the start
   */
  coordinates?: string[];
  /** 1/s^2 */
  kp?: Gains;
  /** 1/s */
  kd: Gains;
  /** 1/s^3 */
  ki?: Gains;
  /** Multipliers that the constraints shall have, N or N m on the robot. Every joint has to be driven */
  force?: {
    /** Names of rows of constraints; all if absent */
    rows?: string[];
    /** One for each row; with `t` such an array for each time */
    values: number[] | number[][];
    /** s: increasing */
    t?: number[];
    /** default linear */
    interpolation?: "hold" | "linear" | "cubic";
    /** 1/s: an error of force decays as exp(-ki t) */
    ki?: number;
  };
  /** Largest torques: `robot` takes the robot's own */
  effort_limits?: "robot" | Gains;
  model?: ControllerModel;
}

/**
 * Rows A(q) qd = b that joints of a tree cannot express. Multipliers are those of the force on the robot: a row's is positive
 * when b, the point or the body is pushed along the row's direction as seen from a or the surface.
 */
export type Constraint = LoopConstraint | DistanceConstraint | PointOnPlaneConstraint | PointOnSphereConstraint | RollingConstraint | CouplingConstraint | PfaffianConstraint | EquationConstraint;

/**
 * A controller; joints that the robot's document does not call `actuated` get no torque. With e the error and s its integral:
 * `pd` kp e + kd e' + ki s, so that it rests off the setpoint by gravity / kp; `pd-gravity` and gravity and springs: rests at it;
 * `computed-torque` M (qdd_d + kp e + kd e' + ki s) + C qd + ...; `passivity-based` M v' + C v + ... + kd (v - qd), v = qd_d +
 * lambda e; `feedforward` the torque of the reference alone. Robots with quaternions can take a `setpoint`: the error of such a
 * joint is the turn about one axis, and the way, in its child's axes.
 */
export interface Controller {
  kind: "feedforward" | "pd" | "pd-gravity" | "computed-torque" | "passivity-based";
  reference: Reference;
  kp?: Gains;
  kd?: Gains;
  ki?: Gains;
  lambda?: Gains;
  /** Largest torques: `robot` takes the robot's own */
  effort_limits?: "robot" | Gains;
  /** s: torques are held between samples. Continuous if absent */
  sample_time_s?: number;
  model?: ControllerModel;
}

/** What the controller believes, where that is not the robot of this run */
export interface ControllerModel {
  payload?: Payload;
  mass_scale?: number;
  without?: ("friction" | "rotor" | "spring" | "gravity")[];
}

/** Sum of coefficient * q = offset */
export interface CouplingConstraint {
  /** In results rows are called by it; kind and number where it is absent */
  name?: string;
  kind: "coupling";
  /** By joint */
  coefficients: {
    [name: string]: number;
  };
  /** rad or m (default 0) */
  offset?: number;
}

/** What hangs from a link alone; with tips only what lies between, and what is fixed to it */
export interface CutSubchain {
  op: "subchain";
  /** The new root */
  link: string;
  tips?: string[];
}

/** What the database holds of this dataset is not what was written; put it anew, or restore a backup */
export interface DamagedDatasetRow {
  /** Left out when it can be none */
  name?: string;
  damaged: true;
}

export interface Dataset {
  name: string;
  sha256: string;
  bytes: number;
  media_type: DatasetType;
  created: string;
  /** As in the list */
  owner: string | null;
  rows: number;
  columns: number;
  /** Only of a sample log, where it is true: the same on every daemon */
  built_in?: boolean;
  /** Of CSV */
  delimiter?: "comma" | "semicolon" | "tab" | "space";
  /** The last line had no end and too few cells */
  truncated_last_line?: boolean;
  /** Cells that are text */
  text_cells?: number;
  /** Columns of times (ISO 8601): seconds from midnight (UTC) of the first one's day */
  time_columns?: number[];
  /** The first line has words beside numbers: whether it was read as a row or as the header */
  findings?: string[];
  /** Arrays of an NPZ that have other rows than its t or time, or than most */
  left_out?: string[];
  /** Of the finite values of each column; null where it has none */
  statistics: {
    name: string | null;
    min: number | null;
    max: number | null;
    mean: number | null;
    not_finite: number;
  }[];
}

export interface DatasetPoints {
  name: string;
  sha256: string;
  bytes: number;
  media_type: DatasetType;
  created: string;
  /** As in the list */
  owner: string | null;
  rows: number;
  columns: number;
  /** Only of a sample log, where it is true */
  built_in?: boolean;
  /** Of the first point: of `rows` in the query */
  first_row?: number;
  /** In tables of 65,536 rows and more rounded up to whole blocks of rows */
  rows_per_point: number;
  points: number;
  series: {
    name: string | null;
    min: (number | null)[];
    max: (number | null)[];
  }[];
}

export interface DatasetRow {
  name: string;
  sha256: string;
  bytes: number;
  media_type: DatasetType;
  created: string;
  /**
   * Name of the token that made it, `NAMESPACE/NAME` in a namespace: only its client, or an `admin`, may change it; null: anybody
   */
  owner: string | null;
  rows: number;
  columns: number;
  /** Only of a sample log, where it is true: the same on every daemon, it cannot be replaced or deleted */
  built_in?: boolean;
}

export type DatasetType = "text/csv" | "application/x-npy" | "application/x-npz" | "application/json" | "application/cbor" | "application/gzip" | "application/zstd";

/** BLAKE2b-256 of the bytes, in hex */
export type Digest = string;

/** Two points at a constant distance */
export interface DistanceConstraint {
  /** In results rows are called by it; kind and number where it is absent */
  name?: string;
  kind: "distance";
  a: LinkPoint;
  b: LinkPoint;
  /** m */
  length: number;
}

export interface DistanceRequest {
  /** rad or m */
  q: SamplesIn;
  shapes: CollisionShape[];
  /** Pairs to leave out, by names of shapes, or of links for all their shapes */
  exclude?: string[][];
  /** Include pairs of links that one joint connects (default false) */
  adjacent?: boolean;
  /** Another order of joints */
  joints?: string[];
  /** default rad */
  angles?: Angles;
}

/** For a batch each array has a first index more, the sample */
export interface DistanceResult {
  joints: JointNames;
  expressed_in: "world";
  pairs: {
    /** Names of shapes */
    a: string;
    b: string;
  }[];
  /** m: By pair, below 0 where they overlap */
  distance: Samples;
  /** By pair: the point on the surface of a, then that of b, m; second - first = distance * normal */
  points: Tensors3;
  /** By pair: three numbers; of unit length, from a to b */
  normal: Tensors2;
  /** Of all pairs and samples */
  least?: {
    distance: number;
    a: string;
    b: string;
    sample: number;
  };
  /** At least one distance is below 0 */
  collides: boolean;
  /** Pairs that were not considered */
  left_out: {
    a: string;
    b: string;
    reason: "same-body" | "adjacent" | "excluded" | "half-spaces";
  }[];
  /** Words of other tools that were read as ours, and what the request leaves out and was taken as this */
  read_as?: {
    /** Where, in the request */
    pointer: string;
    /** The word; absent where nothing was sent */
    sent?: string;
    /** Such as `initial/q`, a name or a value */
    read: string;
  }[];
  warnings?: Warnings;
  /** Where the request states it */
  angles?: Angles;
  provenance: Provenance;
}

/** On all joints (`torque`) or at one place (`wrench`) */
export type Disturbance = PulseDisturbance | SineDisturbance | NoiseDisturbance | TableDisturbance;

/** The box that a link is to the medium. MuJoCo's inertia-box model, there of the body's inertia */
export interface Drag {
  /** m: Edges along its x, y, z */
  box: number[];
  /** m: Of its centre in the frame of the link; the centre of mass where it is absent */
  position?: Vector;
  rotation?: Matrix;
  /** rad */
  rpy?: Vector;
  quaternion_wxyz?: number[];
}

/** Motor, gear and amplifier of one joint. Limits that are left out do not exist. */
export interface Drive {
  motor: {
    /** Torque per ampere, N m/A; in SI units the back-emf per speed too, V s/rad */
    constant_nm_a: number;
    /** ohm */
    resistance: number;
    /** H: 0: neglected (default 0) */
    inductance?: number;
    /** kg m^2: Of the rotor (default 0) */
    inertia?: number;
    /** N m s/rad (default 0) */
    viscous?: number;
  };
  gear?: {
    /** Motor turns per joint turn, not 0; rad/m for a prismatic joint (default 1) */
    ratio?: number;
    /**
     * Share of the torque `constant_nm_a` times current that arrives at the joint, either way; what the rotor's inertia and
     * friction take passes the gear without loss (default 1)
     */
    efficiency?: number;
  };
  amplifier?: {
    /** default pwm */
    kind?: "pwm" | "linear";
    /** V */
    supply_v?: number;
    /** PWM: part of the duty around 1/2 that gives no voltage (default 0) */
    dead_band?: number;
    /** PWM: Hz; half a period of delay in the loops */
    frequency_hz?: number;
    /** Linear: V lost of the supply (default 0) */
    dropout_v?: number;
    /** Linear: Hz; one pole in the loops */
    bandwidth_hz?: number;
  };
  current_limit?: {
    /** A */
    continuous_a?: number;
    /** A */
    peak_a?: number;
    /** A: `peak_a` if left out */
    peak_reverse_a?: number;
    /** s over which the mean square of the current must not exceed that of `continuous_a`; it needs peaks */
    foldback_time_s?: number;
  };
  current_loop?: {
    /** V/A (default 0) */
    p?: number;
    /** V/(A s): p and i both 0: an ideal loop (default 0) */
    i?: number;
    /** Part of the back-emf that is added to the voltage (default 0) */
    compensation?: number;
  };
  /** i = gain (1 + lead lead_time_s s)/(1 + lead_time_s s) (commanded speed - measured speed), of the motor */
  velocity_loop?: {
    /** A s/rad */
    gain: number;
    /** default 1 */
    lead?: number;
    /** s (default 0) */
    lead_time_s?: number;
    /** s: Time constant of the tachometer (default 0) */
    tacho_time_s?: number;
  };
}

export interface DriveLoop {
  /** By Nyquist's count of the open loop */
  stable: boolean;
  /** rad/s where the open gain falls through 1 */
  crossover_rad_s: number | null;
  crossover_rad_s_reason?: string;
  /** rad */
  phase_margin_rad: number | null;
  phase_margin_rad_reason?: string;
  /** rad/s where the open phase falls through -180 degrees */
  phase_crossing_rad_s: number | null;
  phase_crossing_rad_s_reason?: string;
  /** Factor that would make it unstable */
  gain_margin: number | null;
  gain_margin_reason?: string;
  /** rad/s where the closed gain falls through 1/sqrt 2 */
  bandwidth_rad_s: number | null;
  bandwidth_rad_s_reason?: string;
  /** Closed gain at 1e-3 rad/s */
  low_gain: number;
  /** Largest closed gain */
  peak: number;
  /** rad/s */
  peak_at_rad_s: number;
}

export interface DriveRequest {
  drive: Drive;
  /** What hangs from the gear, on its side */
  load?: {
    /** kg m^2: kg for a prismatic joint (default 0) */
    inertia?: number;
    /** N m s/rad: N s/m (default 0) */
    viscous?: number;
    /** The shaft is locked: no back-emf (default false) */
    locked?: boolean;
  };
  /** V of the torque-speed line; what the amplifier reaches if left out */
  voltage?: number;
  /** Points of the line, rad/s of the motor */
  speed?: number[];
  /** Duties whose voltage is computed */
  duty?: number[];
  /** rad/s */
  angular_frequency_rad_s?: number[];
  /**
   * All that the drive has, if left out. speed: rad/s for a volt; admittance: A for a volt; current_open, velocity_open: the loop
   * cut; current, velocity: closed; emf_current: A for a volt of back-emf with the current loop closed
   */
  responses?: ("speed" | "speed_reduced" | "admittance" | "current_open" | "current" | "emf_current" | "velocity_open" | "velocity")[];
}

export interface DriveResponse {
  real: number[];
  imaginary: number[];
  magnitude: number[];
  /** rad: without jumps from one frequency to the next */
  phase_rad: number[];
}

export interface DriveResult {
  /** Torque K i over speed, before the motor's own friction */
  line?: {
    side: "motor";
    voltage: number;
    /** N m: without the limit */
    stall_torque: number;
    stall_current: number;
    /** rad/s */
    no_load_speed_rad_s: number;
    /** With the motor's own friction */
    free_speed_rad_s: number;
    /** N m s/rad: -K^2/R */
    slope: number;
    /** W: without the limit */
    largest_power: number;
    /** At the current limit */
    held_torque: number | null;
    held_torque_reason?: string;
    /** rad/s up to which the current limit holds */
    held_below_rad_s: number | null;
    held_below_rad_s_reason?: string;
    points?: {
      speed: number[];
      torque: number[];
      current: number[];
      /** At the motor: lower where the current is held */
      voltage: number[];
      electrical_power: number[];
      copper_loss: number[];
    };
  };
  /** V at each duty */
  duty_voltage?: number[];
  inertia: {
    motor_side: DriveShaft;
    load_side: DriveShaft;
  };
  /** What neglecting the inductance costs, for a step of voltage at rest */
  reduction?: {
    /** s: L/R */
    electrical_time_s: number;
    /** s */
    mechanical_time_s: number;
    /** R/(2 pi L) */
    corner_hz: number | null;
    corner_hz_reason?: string;
    /** 1/s: Real and imaginary part */
    poles_per_s: number[][] | null;
    poles_per_s_reason?: string;
    reduced_pole_per_s: number;
    /** Largest, over the final speed */
    speed_error: number;
    /** s */
    speed_error_at_s: number;
    /** Largest from 5 L/R on, over the stall current */
    current_error: number;
  };
  loops?: {
    current?: DriveLoop;
    velocity?: DriveLoop;
  };
  bode?: {
    angular_frequency_rad_s: number[];
    speed?: DriveResponse;
    speed_reduced?: DriveResponse;
    admittance?: DriveResponse;
    current_open?: DriveResponse;
    current?: DriveResponse;
    emf_current?: DriveResponse;
    velocity_open?: DriveResponse;
    velocity?: DriveResponse;
  };
  /** Words of other tools that were read as ours, and what the request leaves out and was taken as this */
  read_as?: {
    /** Where, in the request */
    pointer: string;
    /** The word; absent where nothing was sent */
    sent?: string;
    /** Such as `initial/q`, a name or a value */
    read: string;
  }[];
  provenance: ProvenanceOfRequest;
}

export interface DriveShaft {
  inertia: number;
  viscous: number;
}

/** The first fields are those of a simulation */
export interface EnsembleRequest {
  initial: SimulateInitial;
  duration_s: SimulateDurationS;
  output?: SimulateOutput;
  input?: SimulateInput;
  disturbance?: SimulateDisturbance;
  external_wrenches?: SimulateExternalWrenches;
  payload?: Payload;
  solver?: SimulateSolver;
  gravity?: Vector3;
  without?: SimulateWithout;
  joints?: SimulateJoints;
  /** Of `initial`, of `reference`, of levels and of `vary`, where it is of q and qd; results are in rad (default rad) */
  angles?: Angles;
  drives?: SimulateDrives;
  events?: SimulateEvents;
  vary: Variation[];
  /** Members for each point of lists and grids; only where something is drawn, and then needed */
  members?: number;
  /** default 0 */
  seed?: number;
  quantiles?: number[];
  /** Members whose whole motion is returned, by their place */
  return_members?: number[];
  /** Runs these members alone */
  only?: number[];
  /** The last state of every member, and what it was given (default false) */
  end_states?: boolean;
}

export interface EnsembleResult {
  members: number;
  seed: number;
  /** s: as long as a member is left */
  t: number[];
  /** Members left */
  alive: number[];
  q: EnsembleStatistics;
  qd: EnsembleStatistics;
  /** What to know before the statistics are read: members that diverged or did not finish, and by which steps */
  findings: string[];
  /** How many members came to the end, were stopped by an event, ran away or met no accelerations, took too many steps */
  outcomes: {
    completed: number;
    stopped: number;
    diverged: number;
    unfinished: number;
  };
  /** Members that did not come to the end; the first thousand */
  ended: {
    member: number;
    outcome: "stopped" | "diverged" | "unfinished";
    /** s: until when it means something */
    t: number;
    reason: string;
    /** Which of the request's `events` stopped it */
    event?: number;
  }[];
  /** With `events`: for each of them */
  events?: {
    /** How often it happened */
    total: number[];
    /** To how many members */
    members: number[];
  };
  returned_members?: {
    member: number;
    /** In the order of `vary` */
    values: number[];
    outcome: "completed" | "stopped" | "diverged" | "unfinished";
    /** s: when it did not come to the end */
    t?: number;
    reason?: string;
    event?: number;
    /** How often it met each of `events` */
    events?: number[];
    q: Table;
    qd: Table;
  }[];
  end_states?: {
    members: number[];
    values: number[][];
    /** s: with `events`: members that one stopped are there too, where it stopped them */
    t?: number[];
    /** How often each member met each */
    events?: number[][];
    q: number[][];
    qd: number[][];
  };
  stats: {
    method: string;
    /** s: of equal steps */
    step_s?: number;
    /** Of adaptive methods */
    rtol?: number;
    atol?: number;
    side_by_side: boolean;
  };
  /** Words of other tools that were read as ours, and what the request leaves out and was taken as this */
  read_as?: {
    /** Where, in the request */
    pointer: string;
    /** The word; absent where nothing was sent */
    sent?: string;
    /** Such as `initial/q`, a name or a value */
    read: string;
  }[];
  warnings?: Warnings;
  /**
   * Constraints that q does not satisfy, each in its worst row and sample, from 1e-4; of more than 4096 samples at evenly spaced
   * ones
   */
  off_constraints?: {
    constraint: string;
    sample: number;
    residual: number;
    /** m or rad; empty: of an equation */
    unit: string;
    text: string;
  }[];
  /** Where the request states it */
  angles?: Angles;
  provenance: Provenance;
}

export interface EnsembleStatistics {
  mean: Table;
  /** Of a sample: n - 1 */
  deviation: Table;
  least: Table;
  largest: Table;
  /** One table for each level, straight between neighbours */
  quantiles?: Table[];
}

/** The expression is 0 */
export interface EquationConstraint {
  /** In results rows are called by it; kind and number where it is absent */
  name?: string;
  kind: "equation";
  /**
   * Numbers, pi, names of joints of one degree of freedom ('in quotes' if not made of letters, digits and _), + - * / ^ ( ), sin
   * cos tan sqrt exp
   */
  expression: string | number;
}

/** Of the integrator's tolerance, of torques between the points of a table, of a model that is wrong as stated */
export interface ErrorSources {
  integrator?: number | null;
  integrator_reason?: string;
  input?: number | null;
  input_reason?: string;
  model?: number | null;
  model_reason?: string;
}

export interface Event {
  /** s */
  t: number;
  /**
   * Stick and slip: dry friction holds a joint or tendon, or no longer; rest and leave: a limit; touch and lift: a pair of
   * `contacts`
   */
  on: "lower_limit" | "upper_limit" | "q" | "qd" | "tau" | "kinetic_energy" | "energy" | "stick" | "slip" | "rest" | "leave" | "touch" | "lift";
  joint?: string;
  /** Of stick and slip of a tendon */
  tendon?: string;
  /**
   * At a limit the velocity that arrives; of stick, slip, rest and leave what holds the joint, N m or N; of touch the speed of
   * approach; else what passed its level
   */
  value: number;
  /** Of touch and lift: names of shapes */
  a?: string;
  b?: string;
  /** Which of the request's `events` */
  event?: number;
}

/**
 * What to look out for, found within a step to about 1e-12 s. `report` lists it, `stop` ends the run there, `bounce` turns a
 * joint round on its limit by an impulse; what no longer bounces rests there until it is pulled away. Nothing bounces on a robot
 * with constraints. A start on a level is no passage of it; a limit is passed each time it is left outwards, from a start beyond
 * it too.
 */
export interface EventRule {
  on: "limits" | "q" | "qd" | "tau" | "kinetic_energy" | "energy";
  /** default report */
  action?: "report" | "stop" | "bounce";
  /** Of `q`, `qd`, `tau` */
  joint?: string;
  /** Of `limits`; all if absent */
  joints?: string[];
  /** default 0 */
  level?: number;
  /** default both */
  direction?: "down" | "both" | "up";
  /** With `bounce`: part of the velocity that comes back (default 0) */
  restitution?: number;
}

export interface ExcitationRequest {
  /** Of joints; the ten of each link always come */
  parameters?: ("rotor" | "viscous" | "coulomb" | "offset" | "stiffness")[];
  /** Hz: one period is one over it (default 0.1) */
  frequency_hz?: number;
  /** s: the same, instead of it: the motion repeats after so long */
  period_s?: number;
  /**
   * More of them expect less error: 20 a tenth less than 10, 5 up to a sixth more. They are faster, up to the limits, and take
   * time in proportion (default 10)
   */
  harmonics?: number;
  /**
   * One number for each of qd, instead of the robot's own, or by joint: `{"elbow": 1}`, where the others keep theirs;
   * `acceleration` has no other source
   */
  limits?: {
    /** rad or m */
    lower?: number[] | {
      [name: string]: number;
    };
    /** rad or m */
    upper?: number[] | {
      [name: string]: number;
    };
    /** rad/s or m/s */
    velocity?: number[] | {
      [name: string]: number;
    };
    /** rad/s^2 or m/s^2 */
    acceleration?: number[] | {
      [name: string]: number;
    };
    /** N m or N: of the torque by the robot's own parameters */
    effort?: number[] | {
      [name: string]: number;
    };
  };
  /**
   * Least expected error of the torque at random states within the limits (I-optimal), least condition of the base regressor with
   * columns of one length, or the largest determinant of its normal matrix (D-optimal). The first calibrates best:
   * `score.torque_error` (default torque-error)
   */
  criterion?: "torque-error" | "condition" | "determinant";
  /**
   * N m or N: Standard deviation of the measured torque, by joint; 1 % of the limit of effort, or of the torque's rms where there
   * is none. What counts are the ratios between joints
   */
  torque_noise?: number[] | {
    [name: string]: number;
  };
  /**
   * Motions of which logs exist: earlier answers of this operation, or `{"fourier": {...}}`. The motion found is the one that
   * adds most to them, and every score is of all together
   */
  recorded?: {
  }[];
  /** Motions that the model is for: `torque-error` is then that of their torque, instead of random states */
  task?: ExcitationTask[];
  /**
   * payload: the motion is for `payload`: the robot's own parameters are known, and the ten of a body on `link` are not, nor are
   * `parameters` of the joints (default robot)
   */
  identify?: "robot" | "payload";
  /** That carries the payload; left out: the link after the most moving joints */
  link?: string;
  /** Solids fixed to links, and obstacles, that the motion keeps apart */
  shapes?: CollisionShape[];
  /** Pairs to leave out, by names of shapes, or of links for all their shapes */
  exclude?: string[][];
  /** Include pairs of links that one joint connects (default false) */
  adjacent?: boolean;
  /** m: Least distance of a pair, at a hundred samples of the highest harmonic's period (default 0.02) */
  clearance_m?: number;
  /**
   * Motions: a fifth at random, 25 at most; then those of descents along the gradient, each from another random motion and some
   * 100 long. By condition: a fifth at random, then changes of the best (default 200)
   */
  tries?: number;
  /** default 0 */
  seed?: number;
  /** s: with it, the answer has samples of one period */
  interval_s?: number;
  /** Another order of joints */
  joints?: string[];
  /** Of `limits`, and of the answer (default rad) */
  angles?: Angles;
  /** m/s^2 in the world frame, instead of the robot's own */
  gravity?: Vector3;
}

export interface ExcitationResult {
  joints: JointNames;
  /** As `trajectory` takes it */
  fourier: {
    frequency_hz: number;
    offset: number[];
    a: number[][];
    b: number[][];
  };
  /** One period, with `interval_s` */
  t?: number[];
  q?: number[][];
  qd?: number[][];
  qdd?: number[][];
  score: ExcitationScore;
  /** What the first random motion reached */
  first_random: ExcitationScore;
  tries: number;
  improvements: number;
  /** Of the period */
  samples_judged: number;
  /** With `identify: payload` */
  link?: string;
  /** Names as of `regressor?form=base` */
  base_parameters: string[];
  /** Words of other tools that were read as ours, and what the request leaves out and was taken as this */
  read_as?: {
    /** Where, in the request */
    pointer: string;
    /** The word; absent where nothing was sent */
    sent?: string;
    /** Such as `initial/q`, a name or a value */
    read: string;
  }[];
  /** Where the request states it */
  angles?: Angles;
  provenance: Provenance;
}

export interface ExcitationScore {
  /** Of the base regressor over a period, columns scaled to one length */
  condition: number | null;
  condition_reason?: string;
  /** Natural logarithm, of the normal matrix in SI units */
  log_determinant: number | null;
  log_determinant_reason?: string;
  /**
   * Rms, over joints and random states within the limits, of the torque error of a least-squares fit in parts of the noise, for
   * white noise on the samples judged: times sqrt(samples_judged / rows of a log) it is what `calibrate` leaves of that log,
   * within some 15 %
   */
  torque_error: number | null;
  torque_error_reason?: string;
  /** Largest torque over its limit; 0 without limits of effort */
  effort_used: number;
  /** m, least one of all pairs of `shapes` along the motion */
  distance?: number;
}

/** One motion; of an answer of `excitation` its series alone is read */
export interface ExcitationTask {
  fourier?: TrajectoryFourier;
  waypoints?: TrajectoryWaypoints;
  table?: ReferenceTable;
  [name: string]: unknown;
}

export type Findings = {
  where: string;
  text: string;
  count: number;
}[];

/**
 * As Gains; or `fit`: found with the parameters, by output error along simulations of the closed loop (method feasible-didim; of
 * pd and pd-gravity). It starts from the torque of the request's robot along the logs, or from `start`
 */
export type FittedGains = number | "fit" | UnknownGain | GainOrFit[] | {
  [name: string]: GainOrFit;
};

export interface ForwardDynamicsRequest {
  /** rad or m: nq numbers a sample */
  q: SamplesIn;
  /** rad/s or m/s: nv numbers a sample; zero when left out */
  qd?: SamplesIn;
  /** N m or N: nv numbers a sample; zero when left out */
  tau?: SamplesIn;
  /** Another order of joints for every array of the request and the answer; names each moving joint once */
  joints?: string[];
  external_wrenches?: Wrench[];
  /** m/s^2 in the world frame, instead of the robot's own */
  gravity?: Vector3;
  /** Terms to leave out of torque, `ledger`, `derivatives`, second derivatives and `checks`; rotors also of the matrices */
  without?: ("friction" | "rotor" | "spring" | "gravity" | "external" | "velocity" | "inertia")[];
  /** Further results, in the robot's own order or that of `joints`; not for NPY answers */
  include?: ("reactions" | "limits" | "mass_matrix" | "mass_matrix_inverse" | "mass_matrix_bounds" | "mass_matrix_rate" | "mass_matrix_derivatives" | "coriolis_matrix" | "coriolis_vector" | "christoffel_symbols" | "gravity_torque" | "friction" | "energy" | "momentum" | "center_of_mass" | "center_of_mass_jacobian" | "centroidal_momentum" | "momentum_regressor" | "operational_space_inertia" | "passivity" | "link_jacobians" | "link_jacobian_rates" | "ledger" | "derivatives" | "second_derivatives" | "acceleration_second_derivatives" | "checks" | "drive" | "decoupling" | "multipliers" | "constraint_power" | "actuation" | "constraint_jacobian" | "projectors" | "integrability")[];
  payload?: Payload;
  /** Of `coriolis_matrix`; c1 and c2 are for robots without spherical and floating joints (default christoffel) */
  coriolis_form?: "christoffel" | "c1" | "c2" | "stacked";
  /** The point of `operational_space_inertia` */
  frame?: Point;
  /** Directions of that inertia, along the world's axes; all when left out */
  axes?: ("x" | "y" | "z" | "rx" | "ry" | "rz")[];
  box?: Box;
  /** Of `passivity`: reference rates, nv numbers a sample */
  qd_ref?: SamplesIn;
  /** Of `passivity`: reference accelerations, nv numbers a sample */
  qdd_ref?: SamplesIn;
  /** default rad */
  angles?: Angles;
}

export interface ForwardDynamicsResult {
  reactions?: Reactions;
  /**
   * Which limits of the robot the samples exceed, each with its worst sample; nothing is cut off. Torque: `tau` of inverse-
   * dynamics, the request's of forward-dynamics. Not for NPZ
   */
  limits?: {
    exceeded: {
      joint: string;
      limit: "lower" | "upper" | "velocity" | "torque";
      bound: number;
      /** The value there */
      worst: number;
      /** How far it is beyond the bound */
      by: number;
      /** Where it is worst, from 0 */
      sample: number;
      /** How many exceed it */
      samples: number;
    }[];
    /** Limits that the robot does not state */
    unlimited: {
      joint: string;
      limit: "lower" | "upper" | "velocity" | "torque";
    }[];
  };
  /** M, rotors included (nv x nv) */
  mass_matrix?: Tensors2;
  /** M^-1 (nv x nv) */
  mass_matrix_inverse?: Tensors2;
  /** Eigenvalues of M at q; with `box`, also over all q in it */
  mass_matrix_bounds?: {
    smallest_eigenvalue: Scalars;
    largest_eigenvalue: Scalars;
    /** The least that was found in the box */
    box_smallest_attained?: number;
    /** The largest that was found in the box */
    box_largest_attained?: number;
    /** No q of the box has a smaller one */
    box_smallest_guaranteed?: number | null;
    /** No q of the box has a larger one */
    box_largest_guaranteed?: number | null;
    /** Why a bound is null, or how the bounds were found */
    box_reason?: string;
  };
  /** dM/dt at qd (nv x nv) */
  mass_matrix_rate?: Tensors2;
  mass_matrix_derivatives?: {
    index_order: "[i][j][k] is dM_ij/dq_k";
    /** nv x nv x nv */
    derivatives: Tensors3;
  };
  /** C with C qd the Coriolis and centrifugal torques */
  coriolis_matrix?: {
    form: "christoffel" | "c1" | "c2" | "stacked";
    /** nv x nv */
    matrix: Tensors2;
    /** How far dM/dt - 2 C is from skew-symmetric: rounding for the Christoffel form only */
    skew_residual: Scalars;
  };
  /** C qd */
  coriolis_vector?: Samples;
  christoffel_symbols?: {
    index_order: "[i][j][k], i the equation";
    /** Of the first kind (nv x nv x nv) */
    symbols: Tensors3;
    /** Torques of products of two different rates */
    coriolis: Samples;
    /** Torques of squares of rates */
    centrifugal: Samples;
  };
  /** dP/dq */
  gravity_torque?: Samples;
  /** Torques against friction, and against drag of a medium */
  friction?: Samples;
  /** J: potential is 0 with every centre of mass at the world origin and every spring at rest */
  energy?: {
    kinetic: Scalars;
    potential: Scalars;
  };
  momentum?: {
    expressed_in: "world";
    /** kg */
    mass: Scalars;
    /** kg m/s */
    linear: Samples;
    /** kg m^2/s: About the centre of mass */
    angular_com: Samples;
    /** kg m^2/s: About the world origin */
    angular_origin: Samples;
  };
  center_of_mass?: {
    expressed_in: "world";
    /** m */
    position: Samples;
    /** m/s */
    velocity: Samples;
    /** 3 x nv */
    jacobian: Tensors2;
  };
  /** J with J qd the velocity of the centre of mass, along the world's axes (3 x nv) */
  center_of_mass_jacobian?: Tensors2;
  /**
   * Linear momentum, then angular momentum about the centre of mass, is `matrix` qd; the force and moment about it from outside,
   * gravity included, are `matrix` qdd + `bias`
   */
  centroidal_momentum?: {
    expressed_in: "world";
    /** 6 x nv */
    matrix: Tensors2;
    /** Its rate of change (6 x nv) */
    rate: Tensors2;
    /** `rate` qd, a force and a moment */
    bias: Samples;
  };
  /**
   * Linear momentum, then angular momentum about the world's origin, is the sum over links of `matrices` times m, m c (3), Ixx
   * Ixy Ixz Iyy Iyz Izz about the link's origin, along its axes
   */
  momentum_regressor?: {
    expressed_in: "world";
    links: string[];
    /** links x 6 x 10 */
    matrices: Tensors3;
  };
  /** (J M^-1 J^T)^-1 with the chosen rows of the Jacobian of the point; 422 where the point cannot move along one */
  operational_space_inertia?: {
    expressed_in: "world";
    frame: {
      link: string;
      at: Vector3;
    };
    axes: ("x" | "y" | "z" | "rx" | "ry" | "rz")[];
    /** axes x axes */
    matrix: Tensors2;
  };
  /** M qdd_ref + C qd_ref + gravity_torque, without friction and springs */
  passivity?: {
    coriolis_form: "christoffel";
    torque: Samples;
  };
  /** Of every link: velocity of its origin, then angular velocity, along the world's axes */
  link_jacobians?: {
    expressed_in: "world";
    at: "origin";
    links: string[];
    /** links x 6 x nv */
    jacobians: Tensors3;
  };
  /** Rates of change of `link_jacobians` at qd */
  link_jacobian_rates?: {
    expressed_in: "world";
    at: "origin";
    links: string[];
    /** links x 6 x nv */
    rates: Tensors3;
  };
  /** Torque term by term, computed apart from tau; `external` is -J^T w */
  ledger?: {
    /** Without rotors */
    inertia: Samples;
    coriolis: Samples;
    centrifugal: Samples;
    gravity: Samples;
    friction: Samples;
    rotor: Samples;
    spring: Samples;
    external: Samples;
    sum: Samples;
  };
  /**
   * Partial derivatives, [i][j] of torque i by coordinate j; of accelerations in forward dynamics. Spherical and floating joints
   * are displaced like their velocities: a turn (and a shift) in the child frame.
   */
  derivatives?: {
    /** nv x nv */
    dtau_dq?: Tensors2;
    /** nv x nv */
    dtau_dqd?: Tensors2;
    /** M (nv x nv) */
    dtau_dqdd?: Tensors2;
    /** nv x nv */
    dqdd_dq?: Tensors2;
    /** nv x nv */
    dqdd_dqd?: Tensors2;
    /** M^-1 (nv x nv) */
    dqdd_dtau?: Tensors2;
  };
  /**
   * Second partial derivatives of torque, also in forward dynamics: what `derivatives` of torque change by the last coordinate,
   * friction, springs, tendons, drag and external wrenches included. For robots of up to 64 degrees of freedom, mimicking joints
   * counted. Symmetric in j and k where both are q or both qd, but for two turns (or a turn and a shift) of one spherical or
   * floating joint: k first, then j about axes that k has turned.
   */
  second_derivatives?: {
    index_order: "[i][j][k] is that of torque i, by coordinate j of the first name, by k of the second";
    /** nv x nv x nv */
    d2tau_dq_dq: Tensors3;
    /** nv x nv x nv */
    d2tau_dqd_dqd: Tensors3;
    /** By qd, then by q; in the other order j and k change places (nv x nv x nv) */
    d2tau_dqd_dq: Tensors3;
    /** dM/dq (nv x nv x nv) */
    d2tau_dqdd_dq: Tensors3;
  };
  /**
   * Second partial derivatives of the acceleration of forward dynamics at this torque, also in inverse dynamics: what
   * `derivatives` of acceleration change by the last coordinate. Without constraints. Limits and symmetries are those of
   * `second_derivatives`.
   */
  acceleration_second_derivatives?: {
    index_order: "[i][j][k] is that of acceleration i, by coordinate j of the first name, by k of the second";
    /** nv x nv x nv */
    d2qdd_dq_dq: Tensors3;
    /** nv x nv x nv */
    d2qdd_dqd_dqd: Tensors3;
    /** By qd, then by q; in the other order j and k change places (nv x nv x nv) */
    d2qdd_dqd_dq: Tensors3;
    /** d(M^-1)/dq (nv x nv x nv) */
    d2qdd_dtau_dq: Tensors3;
  };
  /** A second opinion; residuals are relative to the largest entry, rounding leaves about 1e-14 */
  checks?: {
    /** Torque by recursion against M, C and g by Jacobians */
    recursive_lagrangian: Scalars;
    /** Against the stacked equations of the product of exponentials */
    recursive_stacked: Scalars;
    /** M of composite bodies against M by Jacobians */
    mass_matrix: Scalars;
    /** Of dM/dt - 2 C, Christoffel form */
    skew_symmetry: Scalars;
    /** M - M^T */
    symmetry: Scalars;
    /** Of M: positive when it is definite */
    smallest_eigenvalue: Scalars;
  };
  /**
   * What the motion requires of the drives of `joints`: uses are parts of a limit, 0 where there is none; voltage without L
   * di/dt; `feasible` is 1 where neither a peak current nor a voltage is exceeded, else 0
   */
  drive?: {
    joints: string[];
    /** N m: K i */
    motor_torque: Samples;
    /** rad/s */
    motor_speed: Samples;
    /** A */
    current: Samples;
    /** V */
    voltage: Samples;
    /** Of PWM; of a linear amplifier (1 + v/reach)/2 */
    duty: Samples;
    /** W out of the supply */
    power: Samples;
    /** Of the peak */
    current_use: Samples;
    continuous_use: Samples;
    voltage_use: Samples;
    feasible: Scalars;
  };
  /**
   * What laws that treat each joint alone get wrong. inertia_diagonal: M_ii qdd_i for (M qdd)_i; inertia_rotor: the rotor's
   * inertia alone; decoupled, decoupled_rotor: the same without C qd
   */
  decoupling?: {
    error: "approximate torque less exact torque";
    inertia_diagonal: Samples;
    inertia_rotor: Samples;
    decoupled: Samples;
    decoupled_rotor: Samples;
  };
  /**
   * Of a robot with constraints, in M qdd + ... = tau + J^T w + A^T values: forces of the constraints on the robot. Rows that
   * follow from others here are redundant (1, else 0); they share the load with the least sum of squares
   */
  multipliers?: {
    force_on: "robot";
    rows: string[];
    /** N or N m: by row */
    values: Samples;
    /** A^T values, by joint */
    force: Samples;
    redundant: Samples;
    rank: Scalars;
  };
  /** W: 0 at velocities that satisfy the constraints */
  constraint_power?: Scalars;
  /**
   * How torques were found: `tau` is that of the actuated joints, of least norm where they can work against each other. Without
   * constraints it is that of every joint
   */
  actuation?: {
    /** Driven rows of tau */
    actuated: Scalars;
    /** That the constraints leave */
    dof: Scalars;
    /** Independent torques that move nothing */
    internal: Scalars;
    /** Largest torque that no driven joint makes; rounding where the motion is possible */
    missing: Scalars;
  };
  /** A with A qd = b, dA/dt qd, and how far the state is off */
  constraint_jacobian?: {
    rows: string[];
    /** rows x nv */
    matrix: Tensors2;
    rate_term: Samples;
    /** m or rad: 0 for rows without one */
    position_residual: Samples;
    velocity_residual: Samples;
  };
  /** P_w = E - A^T (A M^-1 A^T)^-1 A M^-1 of forces, and P_T = P_w^T of motions */
  projectors?: {
    /** nv x nv */
    force: Tensors2;
    /** nv x nv */
    motion: Tensors2;
  };
  /** Frobenius' test here: directions that brackets of two allowed ones reach beside; 0: integrable */
  integrability?: {
    dof: Scalars;
    new_directions: Scalars;
    /** Largest such bracket, relative to its terms */
    defect: Scalars;
  };
  /** rad/s^2 or m/s^2: nv numbers a sample */
  qdd: Samples;
  /** Words of other tools that were read as ours, and what the request leaves out and was taken as this */
  read_as?: {
    /** Where, in the request */
    pointer: string;
    /** The word; absent where nothing was sent */
    sent?: string;
    /** Such as `initial/q`, a name or a value */
    read: string;
  }[];
  /** Arrays that were left out, and so are zero; of one by names, `q.elbow` */
  assumed_zero?: string[];
  warnings?: Warnings;
  /**
   * Constraints that q does not satisfy, each in its worst row and sample, from 1e-4; of more than 4096 samples at evenly spaced
   * ones
   */
  off_constraints?: {
    constraint: string;
    sample: number;
    residual: number;
    /** m or rad; empty: of an equation */
    unit: string;
    text: string;
  }[];
  /** Where the request states it */
  angles?: Angles;
  provenance: Provenance;
}

export type GainOrFit = number | "fit" | UnknownGain;

/** One number for all joints, or one for each; by name, a gain that is not named is 0, and of a limit there is none */
export type Gains = number | number[] | {
  [name: string]: number;
};

export interface Index {
  name: "torqued";
  version: string;
  links: {
    docs: string;
    openapi: string;
    robots: string;
    health: string;
  };
}

export interface InertiaRequest {
  bodies: {
    /** kg */
    mass: number;
    /** m: Centre of mass in the body's frame */
    com?: Vector3;
    /** kg m^2: with `inertia_about` */
    inertia?: Table;
    inertia_about?: "com" | "origin";
    /** Centred at the centre of mass, axis along z (bar: along x) */
    shape?: "box" | "cylinder" | "cylinder_shell" | "sphere" | "sphere_shell" | "ellipsoid" | "cone" | "capsule" | "disk" | "bar" | "point";
    /**
     * m: box: lengths along x, y, z; ellipsoid: semi-axes; cylinder, cylinder_shell, cone, capsule: radius, length; sphere,
     * sphere_shell, disk: radius; bar: length; point: none
     */
    size?: number[];
    /** Of the body's frame in the common one */
    pose?: Pose;
    /** A hole (default false) */
    subtract?: boolean;
  }[];
  /** Of the frame of the answer in the common one */
  frame?: Pose;
  /** m: A point for `inertia_about_point` */
  about?: Vector3;
  /** Least eigenvalue of the second moments over their trace, of the nearest consistent inertia; below 1/3 (default 0) */
  floor?: number;
  /** kg (default 1e-06) */
  mass_floor?: number;
}

export interface InertiaResult {
  mass: number;
  com: Vector3;
  inertia: Table;
  inertia_about: "com";
  inertia_about_origin: Table;
  about?: Vector3;
  inertia_about_point?: Table;
  /** Linear, then angular, about the origin */
  spatial_inertia: Table;
  /** [Sigma, h; h^T, m] */
  pseudo_inertia: Table;
  principal: {
    /** Ascending */
    moments: Vector3;
    /** Axes as columns, right-handed */
    axes: Table;
  };
  consistency: {
    consistent: boolean;
    mass_positive: boolean;
    definite: boolean;
    /** No principal moment is above the sum of the two others */
    triangle: boolean;
    /** Smallest eigenvalue of the second moments over their trace */
    margin: number | null;
    margin_reason?: string;
  };
  nearest_consistent: BodyInertia;
  /** Words of other tools that were read as ours, and what the request leaves out and was taken as this */
  read_as?: {
    /** Where, in the request */
    pointer: string;
    /** The word; absent where nothing was sent */
    sent?: string;
    /** Such as `initial/q`, a name or a value */
    read: string;
  }[];
  provenance: ProvenanceOfRequest;
}

export interface InverseDynamicsRequest {
  /** A log instead of q, qd and qdd; its torque gives `residual` */
  from?: Log;
  /** rad or m: nq numbers a sample */
  q?: SamplesIn;
  /** rad/s or m/s: nv numbers a sample; zero when left out */
  qd?: SamplesIn;
  /** rad/s^2 or m/s^2: nv numbers a sample; zero when left out */
  qdd?: SamplesIn;
  /** Another order of joints for every array of the request and the answer; names each moving joint once */
  joints?: string[];
  external_wrenches?: Wrench[];
  /** m/s^2 in the world frame, instead of the robot's own */
  gravity?: Vector3;
  /** Terms to leave out of torque, `ledger`, `derivatives`, second derivatives and `checks`; rotors also of the matrices */
  without?: ("friction" | "rotor" | "spring" | "gravity" | "external" | "velocity" | "inertia")[];
  /** Further results, in the robot's own order or that of `joints`; not for NPY answers */
  include?: ("reactions" | "limits" | "mass_matrix" | "mass_matrix_inverse" | "mass_matrix_bounds" | "mass_matrix_rate" | "mass_matrix_derivatives" | "coriolis_matrix" | "coriolis_vector" | "christoffel_symbols" | "gravity_torque" | "friction" | "energy" | "momentum" | "center_of_mass" | "center_of_mass_jacobian" | "centroidal_momentum" | "momentum_regressor" | "operational_space_inertia" | "passivity" | "link_jacobians" | "link_jacobian_rates" | "ledger" | "derivatives" | "second_derivatives" | "acceleration_second_derivatives" | "checks" | "drive" | "decoupling" | "multipliers" | "constraint_power" | "actuation" | "constraint_jacobian" | "projectors" | "integrability")[];
  payload?: Payload;
  /** Of `coriolis_matrix`; c1 and c2 are for robots without spherical and floating joints (default christoffel) */
  coriolis_form?: "christoffel" | "c1" | "c2" | "stacked";
  /** The point of `operational_space_inertia` */
  frame?: Point;
  /** Directions of that inertia, along the world's axes; all when left out */
  axes?: ("x" | "y" | "z" | "rx" | "ry" | "rz")[];
  box?: Box;
  /** Of `passivity`: reference rates, nv numbers a sample */
  qd_ref?: SamplesIn;
  /** Of `passivity`: reference accelerations, nv numbers a sample */
  qdd_ref?: SamplesIn;
  /** default rad */
  angles?: Angles;
  /** Not used: of an answer of `trajectory` */
  t?: unknown;
  /** Not used: of an answer of `trajectory` */
  violations?: unknown;
  /** Not used: of an answer of `trajectory` */
  duration_s?: unknown;
  /** Not used: of an answer of `trajectory` */
  binding?: unknown;
  /** Not used: of an answer of `trajectory` */
  tau?: unknown;
  /** Not used: of an answer of `trajectory` */
  provenance?: unknown;
  /** Not used: of an answer of `trajectory` */
  warnings?: unknown;
  /** Not used: of an answer of `trajectory` */
  read_as?: unknown;
  /** Not used: of an answer of `excitation` */
  fourier?: unknown;
  /** Not used: of an answer of `excitation` */
  score?: unknown;
  /** Not used: of an answer of `excitation` */
  first_random?: unknown;
  /** Not used: of an answer of `excitation` */
  tries?: unknown;
  /** Not used: of an answer of `excitation` */
  improvements?: unknown;
  /** Not used: of an answer of `excitation` */
  samples_judged?: unknown;
  /** Not used: of an answer of `excitation` */
  base_parameters?: unknown;
}

export interface InverseDynamicsResult {
  reactions?: Reactions;
  /**
   * Which limits of the robot the samples exceed, each with its worst sample; nothing is cut off. Torque: `tau` of inverse-
   * dynamics, the request's of forward-dynamics. Not for NPZ
   */
  limits?: {
    exceeded: {
      joint: string;
      limit: "lower" | "upper" | "velocity" | "torque";
      bound: number;
      /** The value there */
      worst: number;
      /** How far it is beyond the bound */
      by: number;
      /** Where it is worst, from 0 */
      sample: number;
      /** How many exceed it */
      samples: number;
    }[];
    /** Limits that the robot does not state */
    unlimited: {
      joint: string;
      limit: "lower" | "upper" | "velocity" | "torque";
    }[];
  };
  /** M, rotors included (nv x nv) */
  mass_matrix?: Tensors2;
  /** M^-1 (nv x nv) */
  mass_matrix_inverse?: Tensors2;
  /** Eigenvalues of M at q; with `box`, also over all q in it */
  mass_matrix_bounds?: {
    smallest_eigenvalue: Scalars;
    largest_eigenvalue: Scalars;
    /** The least that was found in the box */
    box_smallest_attained?: number;
    /** The largest that was found in the box */
    box_largest_attained?: number;
    /** No q of the box has a smaller one */
    box_smallest_guaranteed?: number | null;
    /** No q of the box has a larger one */
    box_largest_guaranteed?: number | null;
    /** Why a bound is null, or how the bounds were found */
    box_reason?: string;
  };
  /** dM/dt at qd (nv x nv) */
  mass_matrix_rate?: Tensors2;
  mass_matrix_derivatives?: {
    index_order: "[i][j][k] is dM_ij/dq_k";
    /** nv x nv x nv */
    derivatives: Tensors3;
  };
  /** C with C qd the Coriolis and centrifugal torques */
  coriolis_matrix?: {
    form: "christoffel" | "c1" | "c2" | "stacked";
    /** nv x nv */
    matrix: Tensors2;
    /** How far dM/dt - 2 C is from skew-symmetric: rounding for the Christoffel form only */
    skew_residual: Scalars;
  };
  /** C qd */
  coriolis_vector?: Samples;
  christoffel_symbols?: {
    index_order: "[i][j][k], i the equation";
    /** Of the first kind (nv x nv x nv) */
    symbols: Tensors3;
    /** Torques of products of two different rates */
    coriolis: Samples;
    /** Torques of squares of rates */
    centrifugal: Samples;
  };
  /** dP/dq */
  gravity_torque?: Samples;
  /** Torques against friction, and against drag of a medium */
  friction?: Samples;
  /** J: potential is 0 with every centre of mass at the world origin and every spring at rest */
  energy?: {
    kinetic: Scalars;
    potential: Scalars;
  };
  momentum?: {
    expressed_in: "world";
    /** kg */
    mass: Scalars;
    /** kg m/s */
    linear: Samples;
    /** kg m^2/s: About the centre of mass */
    angular_com: Samples;
    /** kg m^2/s: About the world origin */
    angular_origin: Samples;
  };
  center_of_mass?: {
    expressed_in: "world";
    /** m */
    position: Samples;
    /** m/s */
    velocity: Samples;
    /** 3 x nv */
    jacobian: Tensors2;
  };
  /** J with J qd the velocity of the centre of mass, along the world's axes (3 x nv) */
  center_of_mass_jacobian?: Tensors2;
  /**
   * Linear momentum, then angular momentum about the centre of mass, is `matrix` qd; the force and moment about it from outside,
   * gravity included, are `matrix` qdd + `bias`
   */
  centroidal_momentum?: {
    expressed_in: "world";
    /** 6 x nv */
    matrix: Tensors2;
    /** Its rate of change (6 x nv) */
    rate: Tensors2;
    /** `rate` qd, a force and a moment */
    bias: Samples;
  };
  /**
   * Linear momentum, then angular momentum about the world's origin, is the sum over links of `matrices` times m, m c (3), Ixx
   * Ixy Ixz Iyy Iyz Izz about the link's origin, along its axes
   */
  momentum_regressor?: {
    expressed_in: "world";
    links: string[];
    /** links x 6 x 10 */
    matrices: Tensors3;
  };
  /** (J M^-1 J^T)^-1 with the chosen rows of the Jacobian of the point; 422 where the point cannot move along one */
  operational_space_inertia?: {
    expressed_in: "world";
    frame: {
      link: string;
      at: Vector3;
    };
    axes: ("x" | "y" | "z" | "rx" | "ry" | "rz")[];
    /** axes x axes */
    matrix: Tensors2;
  };
  /** M qdd_ref + C qd_ref + gravity_torque, without friction and springs */
  passivity?: {
    coriolis_form: "christoffel";
    torque: Samples;
  };
  /** Of every link: velocity of its origin, then angular velocity, along the world's axes */
  link_jacobians?: {
    expressed_in: "world";
    at: "origin";
    links: string[];
    /** links x 6 x nv */
    jacobians: Tensors3;
  };
  /** Rates of change of `link_jacobians` at qd */
  link_jacobian_rates?: {
    expressed_in: "world";
    at: "origin";
    links: string[];
    /** links x 6 x nv */
    rates: Tensors3;
  };
  /** Torque term by term, computed apart from tau; `external` is -J^T w */
  ledger?: {
    /** Without rotors */
    inertia: Samples;
    coriolis: Samples;
    centrifugal: Samples;
    gravity: Samples;
    friction: Samples;
    rotor: Samples;
    spring: Samples;
    external: Samples;
    sum: Samples;
  };
  /**
   * Partial derivatives, [i][j] of torque i by coordinate j; of accelerations in forward dynamics. Spherical and floating joints
   * are displaced like their velocities: a turn (and a shift) in the child frame.
   */
  derivatives?: {
    /** nv x nv */
    dtau_dq?: Tensors2;
    /** nv x nv */
    dtau_dqd?: Tensors2;
    /** M (nv x nv) */
    dtau_dqdd?: Tensors2;
    /** nv x nv */
    dqdd_dq?: Tensors2;
    /** nv x nv */
    dqdd_dqd?: Tensors2;
    /** M^-1 (nv x nv) */
    dqdd_dtau?: Tensors2;
  };
  /**
   * Second partial derivatives of torque, also in forward dynamics: what `derivatives` of torque change by the last coordinate,
   * friction, springs, tendons, drag and external wrenches included. For robots of up to 64 degrees of freedom, mimicking joints
   * counted. Symmetric in j and k where both are q or both qd, but for two turns (or a turn and a shift) of one spherical or
   * floating joint: k first, then j about axes that k has turned.
   */
  second_derivatives?: {
    index_order: "[i][j][k] is that of torque i, by coordinate j of the first name, by k of the second";
    /** nv x nv x nv */
    d2tau_dq_dq: Tensors3;
    /** nv x nv x nv */
    d2tau_dqd_dqd: Tensors3;
    /** By qd, then by q; in the other order j and k change places (nv x nv x nv) */
    d2tau_dqd_dq: Tensors3;
    /** dM/dq (nv x nv x nv) */
    d2tau_dqdd_dq: Tensors3;
  };
  /**
   * Second partial derivatives of the acceleration of forward dynamics at this torque, also in inverse dynamics: what
   * `derivatives` of acceleration change by the last coordinate. Without constraints. Limits and symmetries are those of
   * `second_derivatives`.
   */
  acceleration_second_derivatives?: {
    index_order: "[i][j][k] is that of acceleration i, by coordinate j of the first name, by k of the second";
    /** nv x nv x nv */
    d2qdd_dq_dq: Tensors3;
    /** nv x nv x nv */
    d2qdd_dqd_dqd: Tensors3;
    /** By qd, then by q; in the other order j and k change places (nv x nv x nv) */
    d2qdd_dqd_dq: Tensors3;
    /** d(M^-1)/dq (nv x nv x nv) */
    d2qdd_dtau_dq: Tensors3;
  };
  /** A second opinion; residuals are relative to the largest entry, rounding leaves about 1e-14 */
  checks?: {
    /** Torque by recursion against M, C and g by Jacobians */
    recursive_lagrangian: Scalars;
    /** Against the stacked equations of the product of exponentials */
    recursive_stacked: Scalars;
    /** M of composite bodies against M by Jacobians */
    mass_matrix: Scalars;
    /** Of dM/dt - 2 C, Christoffel form */
    skew_symmetry: Scalars;
    /** M - M^T */
    symmetry: Scalars;
    /** Of M: positive when it is definite */
    smallest_eigenvalue: Scalars;
  };
  /**
   * What the motion requires of the drives of `joints`: uses are parts of a limit, 0 where there is none; voltage without L
   * di/dt; `feasible` is 1 where neither a peak current nor a voltage is exceeded, else 0
   */
  drive?: {
    joints: string[];
    /** N m: K i */
    motor_torque: Samples;
    /** rad/s */
    motor_speed: Samples;
    /** A */
    current: Samples;
    /** V */
    voltage: Samples;
    /** Of PWM; of a linear amplifier (1 + v/reach)/2 */
    duty: Samples;
    /** W out of the supply */
    power: Samples;
    /** Of the peak */
    current_use: Samples;
    continuous_use: Samples;
    voltage_use: Samples;
    feasible: Scalars;
  };
  /**
   * What laws that treat each joint alone get wrong. inertia_diagonal: M_ii qdd_i for (M qdd)_i; inertia_rotor: the rotor's
   * inertia alone; decoupled, decoupled_rotor: the same without C qd
   */
  decoupling?: {
    error: "approximate torque less exact torque";
    inertia_diagonal: Samples;
    inertia_rotor: Samples;
    decoupled: Samples;
    decoupled_rotor: Samples;
  };
  /**
   * Of a robot with constraints, in M qdd + ... = tau + J^T w + A^T values: forces of the constraints on the robot. Rows that
   * follow from others here are redundant (1, else 0); they share the load with the least sum of squares
   */
  multipliers?: {
    force_on: "robot";
    rows: string[];
    /** N or N m: by row */
    values: Samples;
    /** A^T values, by joint */
    force: Samples;
    redundant: Samples;
    rank: Scalars;
  };
  /** W: 0 at velocities that satisfy the constraints */
  constraint_power?: Scalars;
  /**
   * How torques were found: `tau` is that of the actuated joints, of least norm where they can work against each other. Without
   * constraints it is that of every joint
   */
  actuation?: {
    /** Driven rows of tau */
    actuated: Scalars;
    /** That the constraints leave */
    dof: Scalars;
    /** Independent torques that move nothing */
    internal: Scalars;
    /** Largest torque that no driven joint makes; rounding where the motion is possible */
    missing: Scalars;
  };
  /** A with A qd = b, dA/dt qd, and how far the state is off */
  constraint_jacobian?: {
    rows: string[];
    /** rows x nv */
    matrix: Tensors2;
    rate_term: Samples;
    /** m or rad: 0 for rows without one */
    position_residual: Samples;
    velocity_residual: Samples;
  };
  /** P_w = E - A^T (A M^-1 A^T)^-1 A M^-1 of forces, and P_T = P_w^T of motions */
  projectors?: {
    /** nv x nv */
    force: Tensors2;
    /** nv x nv */
    motion: Tensors2;
  };
  /** Frobenius' test here: directions that brackets of two allowed ones reach beside; 0: integrable */
  integrability?: {
    dof: Scalars;
    new_directions: Scalars;
    /** Largest such bracket, relative to its terms */
    defect: Scalars;
  };
  /** N m or N: nv numbers a sample */
  tau: Samples;
  /** With `from`, what became of the log */
  log?: {
    source: LogReport;
    filter: LogFilterUsed;
    /**
     * Where joints have `along_log`: friction with a memory and by load, and inertia above the cut-off. `include: [friction]` has
     * the friction of samples alone
     */
    friction?: "along_log";
    /** Then: by which the log was read ahead */
    delay_s?: number;
    /** Time of each sample, s from the log's first row */
    t: number[];
  };
  /** With `from` and logged torque: it, before the filter */
  tau_measured?: Samples;
  /** `tau_measured` - `tau` */
  residual?: {
    by_joint: {
      joint: string;
      /** N m or N */
      rmse: number;
      mean: number;
      /** Largest size */
      worst: number;
      /** Norm of the residual over that of the torque about its mean; null where the torque is constant */
      relative_error: number | null;
      relative_error_reason?: string;
    }[];
    tau: Samples;
  };
  /** Words of other tools that were read as ours, and what the request leaves out and was taken as this */
  read_as?: {
    /** Where, in the request */
    pointer: string;
    /** The word; absent where nothing was sent */
    sent?: string;
    /** Such as `initial/q`, a name or a value */
    read: string;
  }[];
  /** Arrays that were left out, and so are zero; of one by names, `q.elbow` */
  assumed_zero?: string[];
  /** Fields of the request that have no effect */
  not_used?: string[];
  warnings?: Warnings;
  /**
   * Constraints that q does not satisfy, each in its worst row and sample, from 1e-4; of more than 4096 samples at evenly spaced
   * ones
   */
  off_constraints?: {
    constraint: string;
    sample: number;
    residual: number;
    /** m or rad; empty: of an equation */
    unit: string;
    text: string;
  }[];
  /** Where the request states it */
  angles?: Angles;
  provenance: Provenance;
}

export interface InverseKinematicsRequest {
  /** The link that the robot ends in if absent; needed where it ends in several */
  frame?: Point;
  /** Of the frame in the world */
  pose: Pose;
  /** Controlled axes; if absent those that the pose contains */
  axes?: Axes;
  /** Another order of joints */
  joints?: string[];
  /** Coordinates to begin with */
  initial?: JointValues;
  /** Stay inside the joints' limits (default true) */
  limits?: boolean;
  /** The search stops at so many (default 8) */
  solutions?: number;
  /** Starts (default 64) */
  seeds?: number;
  /** Of each start (default 200) */
  iterations?: number;
  tolerance?: {
    /** m (default 1e-09) */
    position_m?: number;
    /** rad (default 1e-09) */
    rotation_rad?: number;
  };
  /** default rad */
  angles?: Angles;
}

export interface InverseKinematicsResult {
  joints: JointNames;
  frame: PointResult;
  axes: Axes;
  /** More degrees of freedom than axes */
  redundant: boolean;
  solutions: {
    q: Sample;
    branch: number;
    /** m */
    position_error_m: number;
    /** rad */
    rotation_error_rad: number;
    /** Of the Jacobian of the axes: near 0 at a singular posture */
    smallest_singular_value: number;
  }[];
  /** Of all starts */
  nearest: {
    position_error_m: number;
    rotation_error_rad: number;
  };
  starts: number;
  /** Words of other tools that were read as ours, and what the request leaves out and was taken as this */
  read_as?: {
    /** Where, in the request */
    pointer: string;
    /** The word; absent where nothing was sent */
    sent?: string;
    /** Such as `initial/q`, a name or a value */
    read: string;
  }[];
  warnings?: Warnings;
  /** Where the request states it */
  angles?: Angles;
  provenance: Provenance;
}

export interface Job {
  id: string;
  /** Name of the operation */
  kind: string;
  robot: string | null;
  /** The version that is used, whatever happens to the name */
  robot_digest: string | null;
  state: "queued" | "running" | "succeeded" | "failed" | "cancelled";
  /** Greater first */
  priority: number;
  progress: {
    fraction: number;
    step: string;
    eta_s: number | null;
    [name: string]: unknown;
  };
  created: string;
  started: string | null;
  finished: string | null;
  /**
   * It is removed after this time; null until it is finished. A job whose result its own POST answered is kept for the setting
   * `jobs_keep_waited` (1 h), unless that was sent with `Prefer: respond-async` or an Idempotency-Key; others for `jobs_keep` (30
   * d)
   */
  expires: string | null;
  /** How often it was begun */
  attempts: number;
  cancel_asked: boolean;
  /** That runs or ran it */
  node: string | null;
  /**
   * Name of the token that it was submitted with, `NAMESPACE/NAME` in a namespace: only its client, or an `admin`, may cancel or
   * delete it; without credentials the user of the socket, or what Torqued-Client said
   */
  owner: string | null;
  /** Of the request that submitted it (W3C Trace Context), which log lines of its runs name */
  traceparent: string | null;
  problem?: Problem;
  /** Files beside the result, where the kind has some; at `/v1/jobs/{id}/result/{name}` */
  attachments?: {
    name: string;
    media_type: string;
    bytes: number;
    [name: string]: unknown;
  }[];
  [name: string]: unknown;
}

export interface JobList {
  jobs: Job[];
  /** For the next page; null on the last */
  cursor: string | null;
  [name: string]: unknown;
}

export type JobResult = InverseDynamicsResult | ResultPoints | ForwardDynamicsResult | TermsResult | KinematicsResult | StaticsResult | RegressorResult | InverseKinematicsResult | ManipulabilityResult | TrajectoryResult | InertiaResult | RigidBodyResult | DriveResult | CompareResult | SimulateResult | ExcitationResult | EnsembleResult | CalibrateResult | PayloadResult | ResidualResult | CalibrateKinematicsResult | DistanceResult | AssembleResult | StaticPosesResult | ConfigurationResult | {
  [name: string]: unknown;
};

export interface JobsDeleted {
  /** Finished jobs that the filters select */
  matched: number;
  /** 0 with `dry_run` */
  deleted: number;
  [name: string]: unknown;
}

/** Another robot, its root welded to a link; as Pinocchio's appendModel */
export interface JoinRobot {
  op: "join";
  /** Its name, or name@digest */
  robot: string;
  link: string;
  /** Before the names of its links and joints */
  prefix?: string;
  /** m: Of its root in the frame of the link; its rotation by one of the next three */
  position?: Vector;
  rotation?: number[][];
  /** rad */
  rpy?: Vector;
  quaternion_wxyz?: Quaternion;
}

/**
 * damping to mimic are stated of joints of one degree of freedom (revolute, continuous, prismatic); damping, spring and rotor
 * also of spherical and floating joints that have them: the same in every direction, of the child's origin (N, N s/m, kg) and of
 * its rotation (N m, N m s/rad, kg m^2)
 */
export interface Joint {
  name: string;
  kind: "fixed" | "revolute" | "continuous" | "prismatic" | "planar" | "spherical" | "floating";
  /** Name of a link */
  parent: string;
  /** Name of a link */
  child: string;
  /** m: The joint's frame in its parent's */
  origin: {
    position?: Vector;
    rotation?: Matrix;
    /** rad: as written; present where the file has angles */
    rpy?: Vector;
  };
  /** Unit vector in the joint's frame; of a planar joint, the normal */
  axis?: Vector;
  q: Slice;
  v: Slice;
  /** What is left out does not exist */
  limits?: {
    /** rad or m */
    lower?: number;
    /** rad or m */
    upper?: number;
    /** rad/s or m/s */
    velocity?: number;
    /** N m or N */
    effort?: number;
  };
  /** N m s/rad or N s/m: Viscous friction */
  damping?: number;
  friction?: JointFriction;
  /**
   * Friction and inertia along recorded motion, which `calibrate` writes: inverse dynamics `from` a log of an open chain has them
   * in the place of `damping` and `friction`, and adds the rest. Samples alone, simulation and all else have `damping` and
   * `friction`
   */
  along_log?: {
    /** N m s/rad or N s/m */
    damping?: number;
    /** N m or N */
    coulomb?: number;
    /** N m or N */
    breakaway?: number;
    /** rad/s or m/s */
    stribeck_velocity?: number;
    /** rad/s or m/s */
    smoothing?: number;
    /** N m or N */
    offset?: number;
    /** Of friction by load: times the torque of the bodies that the joint moves, without sign */
    load?: number;
    /**
     * rad or m: Displacement over which gears yield before they slip (Dahl's state for the sign of velocity); below 1e-9: the
     * sign of velocity
     */
    presliding?: number;
    /** In which a joint at rest loses what its friction held; 0: never */
    relaxation_s?: number;
    /** kg m^2 or kg: Times the acceleration above the cut-off of the log's filter */
    inertia?: number;
    /** kg m^2 s or kg s: Times its rate */
    jerk_gain?: number;
    /**
     * Of q, qd, qdd behind tau in the logs fitted. A log `from` without `delay_s` is read with that of the first joint, if it is
     * at most 50 ms
     */
    delay_s?: number;
    /** Of the filter of the logs fitted, which a log `from` without `filter` has where its rate allows */
    cutoff_hz?: number;
  };
  spring?: {
    /** N m/rad or N/m */
    stiffness?: number;
    /** rad or m */
    rest?: number;
    /**
     * Of a spherical or floating joint, as its q: qw qx qy qz, or x y z qw qx qy qz; identity when left out. It pulls by the
     * shorter rotation to it
     */
    rest_pose?: number[];
  };
  /** Of a floating joint: a mass at the child's origin too, which has no weight */
  rotor?: {
    /** kg m^2 */
    inertia?: number;
    /** Turns of the motor a turn of the joint */
    ratio?: number;
  };
  /** The motor's inertia is the joint's rotor unless `rotor` states one (it counts once); its friction adds to `damping` */
  drive?: Drive;
  /** q = multiplier q(joint) + offset */
  mimic?: {
    joint?: string;
    multiplier?: number;
    offset?: number;
  };
}

export interface JointFriction {
  /** N m or N */
  coulomb?: number;
  /** N m or N: used when stribeck_velocity is above 0 */
  breakaway?: number;
  /** rad/s or m/s */
  stribeck_velocity?: number;
  /** rad/s or m/s: 0: sign of the velocity, else tanh(velocity / smoothing) */
  smoothing?: number;
  /** N m or N */
  offset?: number;
}

/**
 * As `Joint`; what follows from the rest may be left out. Two further kinds are read as two joints with a link without mass
 * between them, which is what the robot has afterwards. helical: a revolute or continuous joint of the same name turns link
 * `NAME_nut`, and the prismatic joint `NAME_advance` follows it by pitch / (2 pi) along the same axis. limits to mimic are those
 * of the angle, and torque is about it. universal: revolute joints of the same name about `axis` and `NAME_axis2` about `axis2`,
 * between them link `NAME_cross`; limits, damping, friction, spring and rotor are of both
 */
export interface JointIn {
  name: string;
  kind: "fixed" | "revolute" | "continuous" | "prismatic" | "planar" | "spherical" | "floating" | "helical" | "universal";
  /** Name of a link */
  parent: string;
  /** Name of a link */
  child: string;
  /** m: The joint's frame in its parent's */
  origin?: {
    position?: Vector;
    rotation?: Matrix;
    /** rad: as written; present where the file has angles */
    rpy?: Vector;
  };
  /** Unit vector in the joint's frame; of a planar joint, the normal */
  axis?: Vector;
  /** Of a universal joint, which needs it: in the joint's frame at rest, not along `axis`; usually at a right angle to it */
  axis2?: Vector;
  /** Of a helical joint, which needs it: metres a turn, positive for a right-handed thread; 1e-12 or more in size */
  pitch?: number;
  /** What is left out does not exist */
  limits?: {
    /** rad or m */
    lower?: number;
    /** rad or m */
    upper?: number;
    /** rad/s or m/s */
    velocity?: number;
    /** N m or N */
    effort?: number;
  };
  /** N m s/rad or N s/m: Viscous friction */
  damping?: number;
  /** A number: `coulomb` alone */
  friction?: number | JointFriction;
  /**
   * Friction and inertia along recorded motion, which `calibrate` writes: inverse dynamics `from` a log of an open chain has them
   * in the place of `damping` and `friction`, and adds the rest. Samples alone, simulation and all else have `damping` and
   * `friction`
   */
  along_log?: {
    /** N m s/rad or N s/m */
    damping?: number;
    /** N m or N */
    coulomb?: number;
    /** N m or N */
    breakaway?: number;
    /** rad/s or m/s */
    stribeck_velocity?: number;
    /** rad/s or m/s */
    smoothing?: number;
    /** N m or N */
    offset?: number;
    /** Of friction by load: times the torque of the bodies that the joint moves, without sign */
    load?: number;
    /**
     * rad or m: Displacement over which gears yield before they slip (Dahl's state for the sign of velocity); below 1e-9: the
     * sign of velocity
     */
    presliding?: number;
    /** In which a joint at rest loses what its friction held; 0: never */
    relaxation_s?: number;
    /** kg m^2 or kg: Times the acceleration above the cut-off of the log's filter */
    inertia?: number;
    /** kg m^2 s or kg s: Times its rate */
    jerk_gain?: number;
    /**
     * Of q, qd, qdd behind tau in the logs fitted. A log `from` without `delay_s` is read with that of the first joint, if it is
     * at most 50 ms
     */
    delay_s?: number;
    /** Of the filter of the logs fitted, which a log `from` without `filter` has where its rate allows */
    cutoff_hz?: number;
  };
  spring?: {
    /** N m/rad or N/m */
    stiffness?: number;
    /** rad or m */
    rest?: number;
    /**
     * Of a spherical or floating joint, as its q: qw qx qy qz, or x y z qw qx qy qz; identity when left out. It pulls by the
     * shorter rotation to it
     */
    rest_pose?: number[];
  };
  /** Of a floating joint: a mass at the child's origin too, which has no weight */
  rotor?: {
    /** kg m^2 */
    inertia?: number;
    /** Turns of the motor a turn of the joint */
    ratio?: number;
  };
  /** The motor's inertia is the joint's rotor unless `rotor` states one (it counts once); its friction adds to `damping` */
  drive?: Drive;
  /** q = multiplier q(joint) + offset */
  mimic?: {
    joint?: string;
    multiplier?: number;
    offset?: number;
  };
  [name: string]: unknown;
}

/** The order of joints in this document */
export type JointNames = string[];

/** By joint, as an array or by name: joints that are not named are zero. A joint with several coordinates has an array */
export type JointValues = Sample | {
  [name: string]: number | number[];
};

/** Over the poses used */
export interface KinematicErrors {
  /** m: Of the distance between predicted and measured point, or between point and plane */
  position_rms_m: number;
  /** m */
  position_max_m: number;
  /** rad: Of the angle between predicted and measured frame */
  rotation_rms_rad?: number;
  /** rad */
  rotation_max_rad?: number;
}

export interface KinematicParameter {
  /** Joint and what it is of */
  name: string;
  joint: string;
  /**
   * zero: added to the measured coordinate. Else of the joint's frame: origin' = origin (exp([rx ry rz]), [x y z]), along the
   * axes of the joint frame
   */
  of: "zero" | "x" | "y" | "z" | "rx" | "ry" | "rz";
  /** rad, deg or m */
  unit: string;
  /** In `unit` */
  value: number;
  /** In `unit` */
  standard_deviation?: number | null;
  standard_deviation_reason?: string;
  /** In `unit`, at `confidence`, by Student's t */
  interval?: number[];
}

export interface KinematicsRequest {
  /** rad or m */
  q: SamplesIn;
  /** rad/s or m/s */
  qd?: SamplesIn;
  /** rad/s^2 or m/s^2: `qd` is zero when left out then */
  qdd?: SamplesIn;
  /** Another order of joints */
  joints?: string[];
  /** All links if absent */
  frames?: Point[];
  /** As `expressed_in` world, where that is absent: Jacobians of a batch; their rates of change at qd */
  include?: ("jacobian" | "jacobian_rate")[];
  /**
   * Of velocities and Jacobians. world: of the point, along the world's axes. link: of the point, along the link's axes. spatial:
   * of the body's point that passes the world's origin, along the world's axes.
   */
  expressed_in?: "world" | "link" | "spatial";
  /** default rad */
  angles?: Angles;
}

export interface KinematicsResult {
  joints: JointNames;
  poses_expressed_in: "world";
  expressed_in?: "world" | "link" | "spatial";
  /** For a batch each array has a first index more, the sample */
  frames: {
    link: string;
    at: Vector3;
    /** m */
    position: Samples;
    /** Three rows */
    rotation: Tensors2;
    quaternion_wxyz: Samples;
    /** v, w: m/s, rad/s */
    velocity?: Samples;
    /** Rate of change of `velocity`: m/s^2, rad/s^2 */
    acceleration?: Samples;
    /** 6 rows of nv */
    jacobian?: Tensors2;
    /** Where `include` names it: rates of change of its entries */
    jacobian_rate?: Tensors2;
  }[];
  /** Words of other tools that were read as ours, and what the request leaves out and was taken as this */
  read_as?: {
    /** Where, in the request */
    pointer: string;
    /** The word; absent where nothing was sent */
    sent?: string;
    /** Such as `initial/q`, a name or a value */
    read: string;
  }[];
  /** Arrays that were left out, and so are zero; of one by names, `q.elbow` */
  assumed_zero?: string[];
  warnings?: Warnings;
  /**
   * Constraints that q does not satisfy, each in its worst row and sample, from 1e-4; of more than 4096 samples at evenly spaced
   * ones
   */
  off_constraints?: {
    constraint: string;
    sample: number;
    residual: number;
    /** m or rad; empty: of an equation */
    unit: string;
    text: string;
  }[];
  /** Where the request states it */
  angles?: Angles;
  provenance: Provenance;
}

export interface Link {
  name: string;
  /** kg */
  mass: number;
  /** m: Centre of mass in the link's frame */
  com: Vector;
  /** kg m^2 in the axes of the link, products negative: Ixy = -integral of x y dm */
  inertia: Matrix;
  inertia_about: "com" | "origin";
  drag?: Drag;
  /** As in LinkIn; absent if 0 */
  gravity_compensation?: number;
}

/** A frame that is fixed to a link */
export interface LinkFrame {
  link: string;
  /** m: in the link's frame; 0 where it is absent */
  position?: Vector;
  rotation?: Matrix;
  rpy?: Vector;
  quaternion_wxyz?: number[];
}

/** A link without mass, with a point mass, with mass and inertia, or of solids */
export interface LinkIn {
  name?: string;
  /** kg */
  mass?: number;
  /** m: in the link's frame */
  com?: Vector;
  /** kg m^2: Ixy = -integral of x y dm */
  inertia?: Matrix;
  /** Required; origin is that of the link's frame */
  inertia_about?: "com" | "origin";
  /** poe only: [m E, -m c^; m c^, I], six rows of six, about the origin of the frame */
  spatial_inertia?: Table;
  /** One solid, or an array of them */
  solid?: Solid | Solid[];
  /** links of `links` or `tree` only; needs `medium` */
  drag?: Drag;
  /**
   * links of `links` or `tree` only: the share of its weight that a force at its centre of mass carries, which is part of
   * `gravity_torque`; 1: it is weightless, with all its inertia (default 0)
   */
  gravity_compensation?: number;
  /** poe only: pose in the base frame at q = 0; identity if absent */
  home?: {
    [name: string]: unknown;
  };
  /** base and tool of a table: pose in the frame before */
  pose?: {
    [name: string]: unknown;
  };
  [name: string]: unknown;
}

/** A plane that is fixed to a link */
export interface LinkPlane {
  link: string;
  /** m: in the link's frame; 0 where it is absent */
  position?: Vector;
  /** to the side of the body */
  normal: Vector;
}

/** A point of a link */
export interface LinkPoint {
  link: string;
  /** m: in the link's frame; 0 where it is absent */
  position?: Vector;
}

/** A sphere that is fixed to a link */
export interface LinkSphere {
  link: string;
  /** m: in the link's frame; 0 where it is absent */
  position?: Vector;
  /** m */
  radius: number;
}

/** Joints that become fixed where they are, and with them those that follow; as Pinocchio's buildReducedModel */
export interface LockJoints {
  op: "lock";
  /** The position of each by its name: a number; of planar, spherical and floating joints an array as in q */
  joints: {
    [name: string]: unknown;
  };
}

/**
 * Recorded motion: a dataset, the result of a job, or one dataset for each quantity. Its clock is made even, rows that cannot be
 * are left out, all signals go through the same filter without delay, velocities and accelerations that were not logged are
 * derived, and rest at both ends is cut; what was repaired is reported. What cannot be meant (milliseconds as seconds, degrees as
 * radians) is refused with a hint, never guessed.
 */
export interface Log {
  dataset?: string;
  /** The id of a job whose result has arrays over time */
  job?: string;
  /** One dataset for each quantity: that of q */
  q?: string;
  qd?: string;
  qdd?: string;
  tau?: string;
  time?: string;
  /** Commanded position, of calibrations with `controller`; likewise qd_cmd, tau_ff */
  q_cmd?: string;
  qd_cmd?: string;
  tau_ff?: string;
  /** Of the floating base, as in `columns`; likewise base_quaternion_wxyz, base_twist */
  base_position?: string;
  base_quaternion_wxyz?: string;
  base_twist?: string;
  columns?: LogColumns;
  units?: LogUnits;
  scale?: LogScale;
  /** Hz: of rows without a clock, or of the even clock to be made */
  rate_hz?: number;
  /** [first, one past the last], from 0, or several such ranges */
  rows?: number[] | number[][];
  filter?: LogFilter;
  /**
   * Lag of the logged q, qd and qdd behind tau; at most 4 samples or 50 ms. Left out: 0; in calibrations where `friction` is left
   * out and the robot has no Coulomb friction yet: what explains the torque best
   */
  delay_s?: number;
}

/** A column by its name, or its number from 0 */
export type LogColumn = string | number;

/**
 * The columns of each quantity. Left out: t, q, qd, qdd, tau and other usual names, then the layouts of ROS, UR, Franka and KUKA,
 * then names with a joint and a word for the quantity; without a header, plain numbers time | q | qd | qdd | tau. `layout` of the
 * answer names it. A field beside a preset replaces the preset's.
 */
export interface LogColumns {
  preset?: "ros-joint-state" | "ur-rtde" | "libfranka" | "plain";
  /**
   * Instead: groups of columns from the left, t, q, qd, qdd, tau, and - for nv columns that are left out, such as "t q qd tau"
   */
  groups?: string;
  /** One column, or two: seconds and nanoseconds */
  time?: LogColumnsOf;
  q?: LogColumnsOf;
  qd?: LogColumnsOf;
  qdd?: LogColumnsOf;
  tau?: LogColumnsOf;
  /**
   * Commanded positions: of calibrations with `controller`, where a log has no torque. Left out: q_cmd, q_d, q_des, q_ref,
   * target_q
   */
  q_cmd?: LogColumnsOf;
  /** Commanded rates, where they are logged: qd_cmd, dq_d, qd_des, qd_ref, target_qd */
  qd_cmd?: LogColumnsOf;
  /** Feed-forward torque that such a controller adds to its law, where it is logged: tau_ff */
  tau_ff?: LogColumnsOf;
  /**
   * Of the floating base, three columns in the parent's frame; with base_quaternion_wxyz. `q` is then that of the joints alone.
   * Left out (without `columns`): base_x, base_y, base_z, or base_position0 to 2. Without these fields `q` holds all coordinates,
   * of the base x y z qw qx qy qz
   */
  base_position?: LogColumnsOf;
  /**
   * Four columns, the scalar first; q and -q may alternate, and a length within 1 % of 1 is made 1: other rows are left out. Left
   * out: base_qw, base_qx, base_qy, base_qz, or base_quaternion_wxyz0 to 3
   */
  base_quaternion_wxyz?: LogColumnsOf;
  /**
   * Six columns in the axes of the base itself, linear then angular velocity, beside `qd` of the joints; left out: base_vx,
   * base_vy, base_vz, base_wx, base_wy, base_wz, or base_twist0 to 5. Without them the twist is derived from the pose, on the
   * manifold, and filtered as the rest is
   */
  base_twist?: LogColumnsOf;
}

/**
 * The columns of a quantity, in the order of `joints`; or one word for columns word0 word1 ..., word_0 word_1 ..., word[0]
 * word[1] ...; or a pattern with % for the joint's name or number ("joint%_pos"); or a range of numbers ("1-6")
 */
export type LogColumnsOf = LogColumn | LogColumn[];

/** One for all joints, or one for each */
export type LogFactor = number | number[];

export interface LogFilter {
  /** default butterworth */
  kind?: "butterworth" | "savitzky-golay" | "first-order" | "none";
  /** Of butterworth, forward and backward each (default 4) */
  order?: number;
  /**
   * Of butterworth; auto is ten times the bandwidth of the motion, from the spectra, and at most 0.4 times the rate after
   * decimation (default auto)
   */
  cutoff_hz?: number | "auto";
  /** Of first-order: 1 / (tau_f s + 1), forward and backward */
  tau_f_s?: number;
  /** Of savitzky-golay: samples, odd (default 21) */
  window?: number;
  /** Of savitzky-golay (default 3) */
  degree?: number;
  /**
   * Every so many samples are used. Left out: 1; of more than 250,000 samples of a calibration fewer, as long as five are left a
   * period of the cut-off (see decimate_from_length)
   */
  decimate?: number;
}

export interface LogFilterUsed {
  kind: "butterworth" | "savitzky-golay" | "first-order" | "none";
  order?: number;
  /** Where half of an amplitude is left; of savitzky-golay, by its window */
  cutoff_hz?: number;
  from_spectra?: boolean;
  /**
   * Of `calibrate`: of q, qd and qdd of each joint, in the order of `joints`; torque and friction pass cutoff_hz. There with
   * "auto", where rates are not logged, and a noisy joint needs less than half of cutoff_hz; left out: all pass that
   */
  cutoffs_hz?: number[];
  tau_f_s?: number;
  window?: number;
  degree?: number;
  decimate: number;
  /** It was not given, and the logs are long: what is left out has been filtered, and adds no information */
  decimate_from_length?: boolean;
}

export interface LogReport {
  name: string;
  /**
   * Which names of columns were recognised: a preset, "the usual names", kuka-fri, kuka-lbr, kuka-rsi, ros2-topic-echo, "words
   * and joints" (joint1_pos, /joint_states/elbow/position)
   */
  layout?: string;
  /** The names of the columns of each quantity, in the order of `joints`; {} without a header */
  columns?: {
    time?: string[];
    q?: string[];
    qd?: string[];
    qdd?: string[];
    tau?: string[];
    q_cmd?: string[];
    qd_cmd?: string[];
    tau_ff?: string[];
    base_position?: string[];
    base_quaternion_wxyz?: string[];
    base_twist?: string[];
  };
  rows: number;
  /** In the ranges of `rows` */
  rows_chosen?: number;
  /**
   * Of logs that a calibration fits: in these delay, friction by load and its sign, Stribeck's speeds and weights were searched.
   * All rows where 65,536, shared evenly by the logs, hold them; else runs spread over the log, no more of them than add
   * information. The last fit and the residuals read everything
   */
  rows_searched?: number;
  samples: number;
  segments: number;
  clock: "even" | "resampled";
  /** Of the log */
  period_s?: number;
  /** Of the even clock */
  step_s?: number;
  truncated_last_line?: boolean;
  /** At both ends */
  samples_at_rest_left_out?: number;
  /**
   * At the ends of segments, where the filter has to guess: 2.4 periods of the cut-off (order 4; until 3e-3 of its impulse
   * response are left), but not more than an eighth of the segment at each, nor less than a period
   */
  samples_at_borders_left_out?: number;
  /**
   * So short that an eighth is less than the filter needs: its guess is in the samples near the ends. Record longer, or raise the
   * cut-off; absent: none
   */
  short_segments?: number;
  repairs: {
    kind: "not-finite" | "absurd" | "spike" | "outlier" | "repeated-time" | "out-of-order" | "set-back" | "bridged" | "split" | "unwrapped" | "braked" | "unpaired" | "too-short" | "saturated" | "not-unit";
    meaning: string;
    count: number;
    /** Of bridged */
    longest_s?: number;
    /** Of braked: all rows of these rests */
    rows?: number;
    /** From 0; the header is no row */
    first_rows: number[];
  }[];
  bandwidth?: {
    /** 99.5 % of the velocity's power lies below it */
    motion_hz: number;
    /** From here on the positions are noise */
    noise_hz: number;
    cutoff_above_10_motion?: boolean;
    cutoff_below_a_tenth_of_noise?: boolean;
  };
}

/** Factors: drive gains (N m/A), signs */
export interface LogScale {
  q?: LogFactor;
  qd?: LogFactor;
  qdd?: LogFactor;
  tau?: LogFactor;
  /** Left out: that of q; likewise qd_cmd, and tau_ff that of tau */
  q_cmd?: LogFactor;
  qd_cmd?: LogFactor;
  tau_ff?: LogFactor;
  base_position?: LogFactor;
  base_twist?: LogFactor;
}

/** One for all joints, or one for each */
export type LogUnit = string | string[];

/**
 * Of a robot with a floating base those of q, qd and tau are of the joints alone, unless a list has one for each coordinate of
 * the base as well; likewise LogScale
 */
export interface LogUnits {
  /** default s */
  time?: "s" | "ms" | "us" | "ns";
  /** rad, deg, mrad, rev; m, mm */
  q?: LogUnit;
  /** rad/s, deg/s, rpm; m/s, mm/s */
  qd?: LogUnit;
  /** rad/s^2, deg/s^2; m/s^2, mm/s^2 */
  qdd?: LogUnit;
  /** Nm, mNm; N; A and mA with a scale */
  tau?: LogUnit;
  /** Left out: that of q; likewise qd_cmd, and tau_ff that of tau */
  q_cmd?: LogUnit;
  qd_cmd?: LogUnit;
  tau_ff?: LogUnit;
  /** m, mm */
  base_position?: LogUnit;
  /** One for the linear or for the angular velocity (deg/s), or one for each of the six */
  base_twist?: LogUnit;
}

/** Frame of b on frame of a, in the axes of a's frame that are named (planar pins: x, y) */
export interface LoopConstraint {
  /** In results rows are called by it; kind and number where it is absent */
  name?: string;
  kind: "loop";
  a: LinkFrame;
  b: LinkFrame;
  /** All six where it is absent */
  axes?: ("x" | "y" | "z" | "rx" | "ry" | "rz")[];
}

export interface ManipulabilityRequest {
  /** rad or m */
  q: JointValues;
  frame: Point;
  /** All six if absent */
  axes?: Axes;
  /** Another order of joints */
  joints?: string[];
  /** default rad */
  angles?: Angles;
}

export interface ManipulabilityResult {
  joints: JointNames;
  expressed_in: "world";
  frame: PointResult;
  axes: Axes;
  /** Descending: semi-axes of the ellipsoid */
  singular_values: number[];
  /** Row k: u_k, along `axes`; its largest component is positive */
  directions: Table;
  /** Row k: v_k, by joint */
  joint_directions: Table;
  /** Directions in which the point can move */
  rank: number;
  manipulability: number;
  /** Largest over smallest singular value */
  condition: number | null;
  condition_reason?: string;
  /** Words of other tools that were read as ours, and what the request leaves out and was taken as this */
  read_as?: {
    /** Where, in the request */
    pointer: string;
    /** The word; absent where nothing was sent */
    sent?: string;
    /** Such as `initial/q`, a name or a value */
    read: string;
  }[];
  /** Arrays that were left out, and so are zero; of one by names, `q.elbow` */
  assumed_zero?: string[];
  warnings?: Warnings;
  /**
   * Constraints that q does not satisfy, each in its worst row and sample, from 1e-4; of more than 4096 samples at evenly spaced
   * ones
   */
  off_constraints?: {
    constraint: string;
    sample: number;
    residual: number;
    /** m or rad; empty: of an equation */
    unit: string;
    text: string;
  }[];
  /** Where the request states it */
  angles?: Angles;
  provenance: Provenance;
}

/** Three rows */
export type Matrix = Vector[];

/**
 * A fluid around the robot, which acts on the boxes of links that have a `drag`: as friction, in all that has friction.
 * `calibrate`, `payload` and times from limits refuse such a robot
 */
export interface Medium {
  /** kg/m^3: Drag with the square of speed, on the faces (default 0) */
  density?: number;
  /** Pa s: Drag with speed, of a sphere of the mean edge (default 0) */
  viscosity?: number;
  /** m/s: Wind or current, in the frame of the root link; 0 where it is absent */
  velocity?: Vector;
}

/** A daemon; `node` of a job is its name */
export interface Node {
  name: string;
  version: string;
  /** Drained: it takes no jobs, until it is resumed */
  state: "active" | "drained";
  /** Its start */
  since: string;
  /** Time of its last sign of life: one every five seconds */
  seen: string;
  /** Jobs that it runs */
  running: number;
  /** Jobs that it runs at most */
  runners: number;
  /** Samples that one instruction takes; the same bits with any */
  lane_width?: number;
  /** Resident, of the process */
  memory_bytes?: number;
  [name: string]: unknown;
}

export interface NodeList {
  nodes: Node[];
  [name: string]: unknown;
}

/** Normal, independent of one another */
export interface NoiseDisturbance {
  kind: "noise";
  /** N m or N: one for each joint: standard deviations */
  torque?: JointValues;
  wrench?: ConstantWrench;
  /** s: for which each number is held */
  interval_s: number;
  /** The same one gives the same numbers */
  seed: number;
}

/**
 * A controller of a point of a link in space, along `axes`; with `force` it presses along others. With J their rows of the
 * point's Jacobian, Lambda = (J M^-1 J^T)^-1, N Coriolis, gravity, friction and springs, e the error of the pose and a0 what
 * `posture` asks of the joints: tau = M a0 + N + J^T [Lambda (a - J' qd - J a0) + f], so that x'' = a + Lambda^-1 (f - f_env),
 * and the posture moves the robot only where the point stays (dynamically consistent null space). `operational-space` (Khatib): a
 * = x_d'' + kd e' + kp e, so that e'' + kd e' + kp e = Lambda^-1 f_env. `cartesian-impedance`: a = x_d'', f = stiffness e +
 * damping e', so that Lambda e'' + damping e' + stiffness e = f_env, the force on the environment. The error of a rotation is its
 * turn about one axis. Every joint has to be driven
 */
export interface OperationalController {
  kind: "operational-space" | "cartesian-impedance";
  /** The link that the robot ends in if absent; needed where it ends in several */
  frame?: Point;
  /** Of motion; if absent those that `pose` contains, or all six, but for those of `force` */
  axes?: Axes;
  /** Axes of the task in the world; the world's if absent */
  task_frame?: {
    /** Three rows; x_world = R x_task */
    rotation?: Table;
    quaternion_wxyz?: Quaternion;
    /** rad */
    rpy?: Vector3;
  };
  /** To go to, and stay at. This, or `reference` */
  pose?: Pose;
  /** Of the joints: the point's pose, velocity and acceleration are those it would have */
  reference?: Reference;
  /** 1/s^2, of `operational-space` */
  kp?: AxisGains;
  /** 1/s */
  kd?: AxisGains;
  /** N/m and N m/rad, of `cartesian-impedance` */
  stiffness?: AxisGains;
  /** N s/m and N m s/rad. This, or */
  damping?: AxisGains;
  /** 1 is critical: by double diagonalisation of Lambda and stiffness, at each state */
  damping_ratio?: number;
  /** With which the point presses on its environment. Commanded, not measured: its error is that of the model */
  force?: {
    axes: Axes;
    /** N or N m, one for each axis in their order; with `t` such an array for each time */
    values: number[] | number[][];
    /** s: increasing */
    t?: number[];
    /** default linear */
    interpolation?: "hold" | "linear" | "cubic";
    /** Slows motion along them: 1/s, of `cartesian-impedance` N s/m and N m s/rad; 0 if absent */
    kd?: AxisGains;
  };
  /** Accelerations of the joints where they do not move the point: kp (q_d - q) + kd (qd_d - qd) */
  posture?: {
    /** That of `reference` if absent, else that of the start */
    q?: JointValues;
    /** 1/s^2: 0 if absent */
    kp?: Gains;
    /** 1/s: 0 if absent */
    kd?: Gains;
  };
  /**
   * Near a singular state, where the smallest eigenvalue s of the scaled Lambda^-1 is below this, adds this (1 - s / this)^2 to
   * it, so that forces stay bounded and the point lags. If absent the run ends where s < 1e-8
   */
  singularity_damping?: number;
  /** Largest torques: `robot` takes the robot's own */
  effort_limits?: "robot" | Gains;
  /** s: torques are held between samples. Continuous if absent */
  sample_time_s?: number;
  model?: ControllerModel;
}

/** A body fixed to a link for this request, along the axes of the link */
export interface Payload {
  /** Name of the link that carries it */
  link: string;
  /** kg */
  mass: number;
  /** m: Its centre of mass in the link frame */
  com: Vector3;
  /** kg m^2 about that centre of mass, products negative; a point when left out */
  inertia?: Matrix;
}

export interface PayloadEstimate {
  /** mass, com_x ..., Ixx ... about the centre of mass; m, mx ..., Ixx ... about the link's origin */
  name: string;
  unit: string;
  /** In `unit` */
  value: number | null;
  value_reason?: string;
  /** In `unit` */
  standard_deviation?: number;
  /** In `unit`, at `confidence` */
  interval?: number[];
}

export interface PayloadRequest {
  /** Logs with the payload */
  datasets: CalibrateDataset[];
  /** Logs of the robot without it */
  reference?: CalibrateDataset[];
  columns?: LogColumns;
  units?: LogUnits;
  scale?: LogScale;
  /** Hz: of rows without a clock, or of the even clock to be made */
  rate_hz?: number;
  /** [first, one past the last], from 0, or several such ranges */
  rows?: number[] | number[][];
  filter?: LogFilter;
  /**
   * Lag of the logged q, qd and qdd behind tau; at most 4 samples or 50 ms. Left out: 0; in calibrations where `friction` is left
   * out and the robot has no Coulomb friction yet: what explains the torque best
   */
  delay_s?: number;
  /** Another order of joints for every array of the request and the answer; names each moving joint once */
  joints?: string[];
  /** The carrying link; left out: the link after the most moving joints */
  link?: string;
  /** auto: motion, where a carrying joint moves in a twentieth of the samples (default auto) */
  from?: "auto" | "motion" | "poses";
  /**
   * Fitted for each joint as a change of the robot's friction, which depends on load and temperature. Left out: all three. With
   * motion only
   */
  friction?: ("viscous" | "coulomb" | "offset")[];
  /** default 0.95 */
  confidence?: number;
}

export interface PayloadResult {
  /**
   * none: 0 kg lies within the interval of the mass; less: the robot carries less than its model has; open: the data do not
   * identify a mass
   */
  verdict: "found" | "none" | "less" | "open";
  text: string;
  /** The carrying link; centre and inertia are in its frame, along its axes */
  link: string;
  from: "motion" | "poses";
  joints: JointNames;
  samples: number;
  /** Of motion, left out in turn */
  segments?: number;
  poses?: number;
  confidence: number;
  /** Of the intervals, by Student's t */
  degrees_of_freedom: number;
  /**
   * Mass, centre, inertia about the centre. Values are of a body of positive density, and intervals are cut where no body has
   * such values
   */
  estimates: PayloadEstimate[];
  /** The ten in which torque is linear, about the link's origin, without constraints */
  parameters: PayloadEstimate[];
  payload: Payload | null;
  payload_reason?: string;
  /** Members that the data do not identify, and the values used for them */
  payload_note?: string;
  /** Of the logs with the payload */
  by_joint: {
    joint: string;
    /** N m or N: Of filtered torque less that of the robot without payload */
    rmse_without?: number | null;
    rmse_without_reason?: string;
    /** N m or N: The same, less payload and changes of friction */
    rmse_with?: number | null;
    rmse_with_reason?: string;
    /** N m s/rad or N s/m */
    viscous_change?: number | null;
    viscous_change_reason?: string;
    /** N m or N */
    coulomb_change?: number | null;
    coulomb_change_reason?: string;
    /** N m or N */
    offset_change?: number | null;
    offset_change_reason?: string;
  }[];
  /** LogReport; used_for: payload or reference */
  datasets: {
    [name: string]: unknown;
  }[];
  filter: LogFilterUsed;
  /** With the payload as a part of the link */
  robot: RobotDocument | null;
  robot_reason?: string;
  /** Words of other tools that were read as ours, and what the request leaves out and was taken as this */
  read_as?: {
    /** Where, in the request */
    pointer: string;
    /** The word; absent where nothing was sent */
    sent?: string;
    /** Such as `initial/q`, a name or a value */
    read: string;
  }[];
  provenance: Provenance;
}

/** Sum of entry * qd = equals, row by row */
export interface PfaffianConstraint {
  /** In results rows are called by it; kind and number where it is absent */
  name?: string;
  kind: "pfaffian";
  /** Expressions by joint, as of EquationConstraint */
  rows: {
    [name: string]: string | number;
  }[];
  /** 0 where it is absent */
  equals?: number[];
}

/** A link's name, for the origin of its frame, or a point of a link */
export type Point = string | {
  link: string;
  /** Its origin if absent */
  at?: At;
};

/** A point of a link on a plane */
export interface PointOnPlaneConstraint {
  /** In results rows are called by it; kind and number where it is absent */
  name?: string;
  kind: "point-on-plane";
  plane: LinkPlane;
  point: LinkPoint;
}

/** A point of a link on a sphere */
export interface PointOnSphereConstraint {
  /** In results rows are called by it; kind and number where it is absent */
  name?: string;
  kind: "point-on-sphere";
  sphere: LinkSphere;
  point: LinkPoint;
}

export interface PointResult {
  link: string;
  at: Vector3;
}

/** Of a frame; what is left out is the origin, and no rotation. one of `rotation`, `quaternion_wxyz` and `rpy` */
export interface Pose {
  /** m */
  position?: Vector3;
  /** Three rows; x_outer = R x_inner */
  rotation?: Table;
  quaternion_wxyz?: Quaternion;
  /** rad: Roll, pitch, yaw about the fixed axes x, y, z: Rz(yaw) Ry(pitch) Rx(roll), as in URDF; deg with `angles: deg` */
  rpy?: Vector3;
}

export interface Problem {
  type: ProblemUri;
  title: string;
  status: number;
  detail?: string;
  request_id?: string;
  errors?: {
    /** RFC 6901, into the body */
    pointer: string;
    detail: string;
    /** What to change so that it works */
    hint?: string;
  }[];
}

export interface ProblemList {
  problems: {
    type: string;
    title: string;
    status: number;
  }[];
  [name: string]: unknown;
}

export interface ProblemType {
  type: string;
  title: string;
  status: number;
  meaning: string;
  remedy: string;
  example: Problem;
  [name: string]: unknown;
}

export type ProblemUri = "/problems/malformed" | "/problems/unknown-field" | "/problems/duplicate-field" | "/problems/wrong-type" | "/problems/unauthorized" | "/problems/forbidden" | "/problems/not-found" | "/problems/unknown-robot" | "/problems/method-not-allowed" | "/problems/not-acceptable" | "/problems/request-timeout" | "/problems/conflict" | "/problems/read-only" | "/problems/length-required" | "/problems/precondition-failed" | "/problems/too-large" | "/problems/range-not-satisfiable" | "/problems/unsupported-media" | "/problems/wrong-length" | "/problems/missing-field" | "/problems/unknown-name" | "/problems/not-finite" | "/problems/invalid-value" | "/problems/invalid-robot" | "/problems/range" | "/problems/tree" | "/problems/inertia" | "/problems/quaternion" | "/problems/overflow" | "/problems/singular" | "/problems/no-convergence" | "/problems/too-many-requests" | "/problems/headers-too-large" | "/problems/internal" | "/problems/busy" | "/problems/took-too-long" | "/problems/not-ready" | "/problems/damaged" | "/problems/storage-full";

/** What it takes to compute the same bits again, on any machine */
export interface Provenance {
  engine: string;
  robot_digest: Digest;
  request_digest: RequestDigest;
  /**
   * Of calibrations, excitations and robots of more than 64 degrees of freedom or constraint rows, or of matrices of more than
   * 16384 entries (rows by degrees of freedom, or by pairs of degrees of freedom): library and processor family whose order of
   * sums decides the last bits
   */
  linear_algebra?: string;
  /** Of simulations and ensembles: the adaptive methods have the same bits where these are the same */
  integrator?: string;
}

/** Where no robot takes part */
export interface ProvenanceOfRequest {
  engine: string;
  request_digest: RequestDigest;
}

export interface PulseDisturbance {
  kind: "pulse";
  /** N m or N: one for each joint */
  torque?: JointValues;
  wrench?: ConstantWrench;
  /** s: 0 if absent */
  start_s?: number;
  /** s: to the end of the run if absent */
  duration_s?: number;
}

/** w x y z, of unit length within 1e-6 */
export type Quaternion = number[];

/**
 * The whole wrench (force, then moment) that each joint, fixed ones too, carries to its child link, and the world to the root
 * link. Joint torques are parts of it; tendons along points pull at their links beside it.
 */
export interface Reactions {
  applied_to: "child link";
  /** Axes of the child link; for the base, of the root link: the world's */
  expressed_in: "child link";
  /** Moments are about the origin of the child link */
  at: "origin";
  /** Whose wrench each one is */
  joints: string[];
  /** One array of wrenches; for a batch, one such array a sample */
  joint_wrenches: Tensors2;
  /** One wrench; for a batch, one a sample */
  base_wrench: Samples;
}

/**
 * Motion over time, as `trajectory` takes it; or a setpoint; or a table. An answer of `excitation` is one as it is: its series
 */
export interface Reference {
  waypoints?: TrajectoryWaypoints;
  poses?: TrajectoryPoses;
  fourier?: TrajectoryFourier;
  /** Coordinates to go to, and stay at */
  setpoint?: JointValues;
  table?: ReferenceTable;
  frame?: Point;
  axes?: Axes;
  initial?: JointValues;
  timing?: TrajectoryTiming;
  blend?: TrajectoryBlend;
  times_s?: TrajectoryTimesS;
  durations_s?: TrajectoryDurationsS;
  duration_s?: TrajectoryDurationS;
  /** With `fourier`: the order of its numbers; that of the request if absent */
  joints?: string[];
  /** With `fourier`: of its numbers; those of the request if absent */
  angles?: Angles;
  /** Not used: of an answer of `trajectory` */
  t?: unknown;
  /** Not used: of an answer of `trajectory` */
  provenance?: unknown;
  /** Not used: of an answer of `trajectory` */
  warnings?: unknown;
  /** Not used: of an answer of `trajectory` */
  read_as?: unknown;
  /** Not used: of an answer of `excitation` */
  q?: unknown;
  /** Not used: of an answer of `excitation` */
  qd?: unknown;
  /** Not used: of an answer of `excitation` */
  qdd?: unknown;
  /** Not used: of an answer of `excitation` */
  score?: unknown;
  /** Not used: of an answer of `excitation` */
  first_random?: unknown;
  /** Not used: of an answer of `excitation` */
  tries?: unknown;
  /** Not used: of an answer of `excitation` */
  improvements?: unknown;
  /** Not used: of an answer of `excitation` */
  samples_judged?: unknown;
  /** Not used: of an answer of `excitation` */
  base_parameters?: unknown;
}

/**
 * `q` alone: their cubic spline; with `qd` and `qdd`, both or neither: quintics between them. An answer of `trajectory` is one as
 * it is, and one of `excitation`
 */
export interface ReferenceTable {
  t: number[];
  q: JointValues[];
  qd?: JointValues[];
  qdd?: JointValues[];
  /** The order of the table's rows; that of the request if absent */
  joints?: string[];
  /** Of the table's rows; those of the request if absent */
  angles?: Angles;
  /** Not used: of an answer of `trajectory` */
  violations?: unknown;
  /** Not used: of an answer of `trajectory` */
  duration_s?: unknown;
  /** Not used: of an answer of `trajectory` */
  binding?: unknown;
  /** Not used: of an answer of `trajectory` */
  tau?: unknown;
  /** Not used: of an answer of `trajectory` */
  provenance?: unknown;
  /** Not used: of an answer of `trajectory` */
  warnings?: unknown;
  /** Not used: of an answer of `trajectory` */
  read_as?: unknown;
  /** Not used: of an answer of `excitation` */
  fourier?: unknown;
  /** Not used: of an answer of `excitation` */
  score?: unknown;
  /** Not used: of an answer of `excitation` */
  first_random?: unknown;
  /** Not used: of an answer of `excitation` */
  tries?: unknown;
  /** Not used: of an answer of `excitation` */
  improvements?: unknown;
  /** Not used: of an answer of `excitation` */
  samples_judged?: unknown;
  /** Not used: of an answer of `excitation` */
  base_parameters?: unknown;
}

export interface RegressorRequest {
  /** rad or m: may be left out with `form=base` only */
  q?: SamplesIn;
  /** rad/s or m/s: zero when left out */
  qd?: SamplesIn;
  /** rad/s^2 or m/s^2: zero when left out */
  qdd?: SamplesIn;
  /** Another order of joints */
  joints?: string[];
  /** m/s^2 in the world frame, instead of the robot's own */
  gravity?: Vector3;
  /** Of joints; the ten of each link always come */
  parameters?: ("rotor" | "viscous" | "coulomb" | "offset" | "stiffness")[];
  /** The same as `?form=base`, for jobs, which have no query */
  form?: "base";
  /** default rad */
  angles?: Angles;
}

export interface RegressorResult {
  form: "full" | "base";
  joints: JointNames;
  /** nv rows, one column for each of `columns`; for a batch, one such table a sample */
  regressor?: Tensors2;
  columns: {
    /** Link or joint by number, in the order of the columns */
    name: string;
    unit: string;
    link?: string;
    joint?: string;
    /** Six digits; `terms` has all */
    expression?: string;
    terms?: {
      name: string;
      factor: number;
    }[];
  }[];
  /** Of the robot */
  parameter_values: number[];
  /** No torque depends on them */
  unidentifiable?: string[];
  n_base?: number;
  n_full?: number;
  /** Words of other tools that were read as ours, and what the request leaves out and was taken as this */
  read_as?: {
    /** Where, in the request */
    pointer: string;
    /** The word; absent where nothing was sent */
    sent?: string;
    /** Such as `initial/q`, a name or a value */
    read: string;
  }[];
  /** Arrays that were left out, and so are zero; of one by names, `q.elbow` */
  assumed_zero?: string[];
  warnings?: Warnings;
  /**
   * Constraints that q does not satisfy, each in its worst row and sample, from 1e-4; of more than 4096 samples at evenly spaced
   * ones
   */
  off_constraints?: {
    constraint: string;
    sample: number;
    residual: number;
    /** m or rad; empty: of an equation */
    unit: string;
    text: string;
  }[];
  /** Where the request states it */
  angles?: Angles;
  /** Smallest kept over largest dropped pivot: how clear the rank is */
  gap?: number;
  provenance: Provenance;
}

/**
 * The arrays of a request as an NPZ file (numpy.savez or savez_compressed), each under its field's name: rank one for one sample,
 * rank two for a batch. Fields that are no arrays of numbers stay as if they were not given
 */
export type RequestArchive = string;

/** XXH3-128 of the body's bytes as sent, in hex (`xxhsum -H2`); with `?form=base`, of that and the body */
export type RequestDigest = string;

export interface ResidualFinding {
  /** persistent: beyond its threshold for longer than persistent_s: a payload, an offset */
  kind: "contact" | "persistent" | "drift";
  text: string;
  /** Of a contact: the largest torque over its threshold */
  joint: string;
  dataset?: string;
  /** s: From the log's first row */
  from_s?: number;
  /** s */
  duration_s?: number;
  /** N m or N: The largest, with its sign: positive pushes the joint forward */
  torque?: number;
  /** Of drift */
  term?: "viscous" | "coulomb" | "offset";
  /** Of the term over all logs, in its own unit: N m s/rad or N s/m, N m or N */
  change?: number;
  /** Of the change */
  standard_deviation?: number;
  /** Of the change, 95 % */
  interval?: number[];
  /** Term at the end over that at the start */
  relative?: number | null;
  relative_reason?: string;
}

export interface ResidualRequest {
  datasets: CalibrateDataset[];
  /** Logs without contact: their rms is the noise, and thresholds are above their worst */
  quiet?: CalibrateDataset[];
  columns?: LogColumns;
  units?: LogUnits;
  scale?: LogScale;
  /** Hz: of rows without a clock, or of the even clock to be made */
  rate_hz?: number;
  /** [first, one past the last], from 0, or several such ranges */
  rows?: number[] | number[][];
  /** Left out: none */
  filter?: LogFilter;
  /**
   * Lag of the logged q, qd and qdd behind tau; at most 4 samples or 50 ms. Left out: 0; in calibrations where `friction` is left
   * out and the robot has no Coulomb friction yet: what explains the torque best
   */
  delay_s?: number;
  /** Another order of joints for every array of the request and the answer; names each moving joint once */
  joints?: string[];
  /** Of the observer: after time t it shows the part 1 - exp(-2 pi gain t) of a step in external torque (default 20) */
  gain_hz?: number;
  /**
   * N m or N: Standard deviation of the observer's output without contact, one a joint, in the order of `joints`: such as
   * validation.rmse of a calibration
   */
  sigma?: number[];
  /** N m or N: One a joint; left out: by false_alarms_per_day */
  threshold?: number[];
  /** Of all joints together (default 1) */
  false_alarms_per_day?: number;
  /** s: A longer one is a change of the robot, not a contact (default 10) */
  persistent_s?: number;
}

export interface ResidualResult {
  /** contact: also for persistent findings */
  verdict: "quiet" | "contact" | "drift";
  /** Drift first, then contacts in order of time; 1000 contacts at most */
  findings: ResidualFinding[];
  /** All of them */
  contacts: number;
  joints: JointNames;
  gain_hz: number;
  noise_from: "quiet" | "sigma" | "logs";
  /** Time of the logs */
  watched_s: number;
  /** In that time, at most, of Gaussian noise */
  false_alarms_expected: number;
  by_joint: {
    joint: string;
    /** N m or N: Standard deviation of the observer's output without contact */
    sigma: number;
    /** Of neighbouring samples of it */
    correlation: number;
    /** N m or N */
    threshold: number;
    /** Of this joint: 2 P(x_k <= u < x_k+1) of the samples of a day, Gaussian */
    false_alarms_per_day: number;
    /** N m or N: Largest absolute value in the logs */
    worst: number;
    /** Trends of its friction over the logs, by windows of 10 s and more, six and more */
    drift: {
      term: "viscous" | "coulomb" | "offset";
      change: number | null;
      change_reason?: string;
      standard_deviation?: number;
      /** At 1 % for all joints and terms together */
      significant?: boolean;
    }[];
  }[];
  /** LogReport; used_for: watch or noise */
  datasets: {
    [name: string]: unknown;
  }[];
  filter: LogFilterUsed;
  /** Words of other tools that were read as ours, and what the request leaves out and was taken as this */
  read_as?: {
    /** Where, in the request */
    pointer: string;
    /** The word; absent where nothing was sent */
    sent?: string;
    /** Such as `initial/q`, a name or a value */
    read: string;
  }[];
  provenance: Provenance;
}

export interface ResultPoints {
  rows: number;
  /** Of the first point: of `rows` in the query */
  first_row?: number;
  rows_per_point: number;
  points: number;
  series: {
    name: string;
    min: (number | null)[];
    max: (number | null)[];
  }[];
}

export interface RigidBodyRequest {
  axis_motion?: {
    /** Of unit length */
    axis: Vector3;
    /** 1/s: How it turns */
    axis_rate?: Vector3;
    /** rad/s */
    rate_rad_s: number;
    /** rad/s^2 */
    acceleration?: number;
  };
  /** A frame that moves in a fixed one, and a point that moves in it */
  point_motion?: {
    /** Of the frame; x_fixed = R x_moving */
    rotation?: Table;
    quaternion_wxyz?: Quaternion;
    rpy?: Vector3;
    /** In the fixed frame, like the next three */
    origin_velocity?: Vector3;
    origin_acceleration?: Vector3;
    angular_velocity?: Vector3;
    angular_acceleration?: Vector3;
    /** Of the point in the moving frame, like the next two */
    position?: Vector3;
    velocity?: Vector3;
    acceleration?: Vector3;
  };
  body?: {
    mass: number;
    com?: Vector3;
    inertia?: Table;
    inertia_about?: "com" | "origin";
    /** As of `/v1/inertia` */
    shape?: string;
    size?: number[];
    /** Of the body's frame in the world */
    pose?: Pose;
    /** Of the body's frame */
    twist?: Twist;
    /** Rate of the twist's components in the body's axes */
    twist_rate?: Twist;
    /** Axes of `twist` */
    expressed_in?: "world" | "body";
    /** Of another frame fixed to the body */
    frame?: Pose;
  };
  lie_bracket?: {
    a: Twist;
    b: Twist;
  };
}

export interface RigidBodyResult {
  axis_motion?: {
    angular_velocity: Vector3;
    angular_acceleration: Vector3;
  };
  point_motion?: {
    expressed_in: "fixed frame";
    velocity: Vector3;
    acceleration: {
      origin: Vector3;
      relative: Vector3;
      euler: Vector3;
      centripetal: Vector3;
      coriolis: Vector3;
      total: Vector3;
    };
  };
  body?: {
    /** 6 x 6 in the body frame: [m E, -m c^; m c^, I] */
    generalised_inertia: Table;
    /** R I R^T about the centre of mass */
    inertia_world: Table;
    momentum?: {
      expressed_in: "world";
      linear: Vector3;
      angular_about_com: Vector3;
      /** The world's origin */
      angular_about_origin: Vector3;
    };
    /** J */
    kinetic_energy?: number;
    /** V^T M V / 2 */
    kinetic_energy_by_generalised_inertia?: number;
    /** The wrench that makes the body move so */
    newton_euler?: {
      expressed_in: "body";
      applied_to: "body";
      at: "origin";
      force: Vector3;
      moment: Vector3;
    };
    frame?: {
      /** Ad^T M Ad */
      generalised_inertia: Table;
      twist?: Twist;
      kinetic_energy?: number;
    };
  };
  /** (w_a x v_b - w_b x v_a, w_a x w_b) */
  lie_bracket?: Twist;
  /** Words of other tools that were read as ours, and what the request leaves out and was taken as this */
  read_as?: {
    /** Where, in the request */
    pointer: string;
    /** The word; absent where nothing was sent */
    sent?: string;
    /** Such as `initial/q`, a name or a value */
    read: string;
  }[];
  provenance: ProvenanceOfRequest;
}

/**
 * A robot as it was understood, in SI units and radians. It may be put again unchanged and is the same robot; what follows from
 * the rest (source, digest, nq, nv, root, q, v) is then computed anew.
 */
export interface Robot {
  name: string;
  /** A note for people */
  description?: string;
  /** The format it came in */
  source: "urdf" | "mjcf" | "sdf" | "document";
  digest: Digest;
  /** Numbers in q */
  nq: number;
  /** Numbers in qd, qdd and tau */
  nv: number;
  /** The link that is fixed to the world */
  root: string;
  /** m/s^2: in the frame of the root link */
  gravity: Vector;
  medium?: Medium;
  /** In the order of q */
  joints: Joint[];
  links: Link[];
  constraints?: Constraint[];
  tendons?: Tendon[];
  /** Joints that have a motor; all where it is absent. MJCF: those that its actuators move */
  actuated?: string[];
  /** What the constraints leave */
  dof?: number;
  /** A q that satisfies the constraints */
  assembled?: number[];
  [name: string]: unknown;
}

/**
 * A robot as it may be put. One of `links` with `joints` (as a Robot has them, alone or inside `tree`), `dh`, `poe`, `urdf`
 * states the kinematics. What follows from the rest may be there and is computed anew; every other unknown field is a fault.
 */
export interface RobotDocument {
  name?: string;
  description?: string;
  /** m/s^2: may be left out with urdf alone */
  gravity?: Vector;
  medium?: Medium;
  links?: LinkIn[];
  joints?: JointIn[];
  tree?: {
    /** As `links` */
    links: {
      [name: string]: unknown;
    }[];
    /** As `joints` */
    joints: {
      [name: string]: unknown;
    }[];
    [name: string]: unknown;
  };
  /**
   * A Denavit-Hartenberg table: standard Rz(theta) Tz(d) Tx(a) Rx(alpha), or modified (Craig) Rx(alpha) Tx(a) Rz(theta) Tz(d),
   * alpha and a then being those of the row before in the usual numbering. The coordinate of a joint adds to theta, of a
   * prismatic one to d, and so does offset. Inertias are in the frame of their row.
   */
  dh?: {
    convention: "standard" | "modified";
    /** A frame before the first row, by its pose */
    base?: LinkIn;
    /** A frame after the last row, by its pose */
    tool?: LinkIn;
    joints: {
      name: string;
      /** default revolute */
      kind?: "revolute" | "continuous" | "prismatic" | "helical" | "fixed";
      /** Of a helical joint, which needs it: metres a turn, positive for a right-handed thread; 1e-12 or more in size */
      pitch?: number;
      /** default 0 */
      theta?: number;
      /** default 0 */
      d?: number;
      /** default 0 */
      a?: number;
      /** default 0 */
      alpha?: number;
      /** default 0 */
      offset?: number;
      link?: LinkIn;
      [name: string]: unknown;
    }[];
  };
  /**
   * Screws (v, w), linear first, in the base frame at q = 0, where also every home pose is stated. The screw of a helical joint
   * has the pitch 2 pi v.w, in metres a turn
   */
  poe?: {
    /** A frame after the last joint, by its home */
    tool?: LinkIn;
    joints: {
      name: string;
      kind: "revolute" | "continuous" | "prismatic" | "helical";
      screw: number[];
      link?: LinkIn;
      [name: string]: unknown;
    }[];
  };
  /** The text of a URDF */
  urdf?: string;
  constraints?: Constraint[];
  tendons?: Tendon[];
  /** Joints that are driven; all where it is absent */
  actuated?: string[];
  [name: string]: unknown;
}

export interface RobotList {
  robots: {
    name: string;
    nv: number;
    /** The format it came in */
    source: string;
    digest: Digest;
    builtin: boolean;
    /**
     * Name of the token that made it, `NAMESPACE/NAME` in a namespace: only its client, or an `admin`, may change it; null:
     * anybody
     */
    owner: string | null;
  }[];
}

export type RobotOperation = ChangeJoint | ChangeLink | ChangeGravity | ChangeMedium | ChangeTendon | AddPayload | LockJoints | ChangeRoot | CutSubchain | JoinRobot;

/** What makes another robot of this one: operations in their order, each on what those before it have left */
export interface RobotPatch {
  operations: RobotOperation[];
}

/** The robot document, with everything that was understood, everything ignored, and the doctor's findings */
export type RobotReport = Robot & {
  doctor: Findings;
  ignored: Findings;
  understood: Findings;
  [name: string]: unknown;
};

/** A ball, or with axis a disk, on a plane or a sphere */
export interface RollingConstraint {
  /** In results rows are called by it; kind and number where it is absent */
  name?: string;
  kind: "rolling";
  body: {
    link: string;
    /** m: in the link's frame; 0 where it is absent */
    position?: Vector;
    /** m */
    radius: number;
    /** Of a disk */
    axis?: Vector;
  };
  plane?: LinkPlane;
  sphere?: {
    link: string;
    /** m: in the link's frame; 0 where it is absent */
    position?: Vector;
    /** m */
    radius: number;
    /** The body rolls inside the hollow sphere (default false) */
    inside?: boolean;
  };
  /** Only the contact is kept (default false) */
  slips?: boolean;
  /** It may turn about the contact's normal (default true) */
  spins?: boolean;
}

/** One number for each coordinate, in the order of the robot's joints or of `joints` */
export type Sample = number[];

/** One sample, or a batch of them */
export type Samples = Sample | Sample[];

/** One sample, as an array or by the names of joints, or a batch of arrays */
export type SamplesIn = Sample | Sample[] | {
  [name: string]: number | number[];
};

/** One number, or for a batch one a sample */
export type Scalars = number | number[];

export interface Session {
  id: string;
  /** As the request named it */
  robot: string;
  robot_digest: string;
  /** The order of rows */
  joints: string[];
  /** s */
  step_s: number;
  solver: {
    method: "rk4" | "semi-implicit-euler" | "implicit-midpoint";
    /** s: Of each of the equal steps of a control period */
    step_s: number;
  };
  /** The earliest step that `rewind` can reach, beside step 0 */
  oldest_step: number;
  /** Memory of the session */
  bytes: number;
  /** s: Time until the session ends if no request uses it */
  expires_in_s: number;
  state: SessionState;
}

export interface SessionForkRequest {
  /** Of the forked session; the present step if absent */
  step?: number;
  /** Of the new session's noise; the same one if absent */
  seed?: number;
}

export interface SessionList {
  sessions: {
    id: string;
    robot: string;
    robot_digest: string;
    bytes: number;
    /** s */
    expires_in_s: number;
  }[];
}

export interface SessionRequest {
  /** Its name, or `name@digest` */
  robot: string;
  initial: SimulateInitial;
  /** s: The control period: each torque is held for it (zero-order hold) (default 0.001) */
  step_s?: number;
  /** As of `simulate`, of its methods with steps of one size */
  solver?: {
    /** default rk4 */
    method?: "rk4" | "semi-implicit-euler" | "implicit-midpoint";
    /** s: The largest: a control period is divided into equal steps, 10,000 at most (default 0.001) */
    step_s?: number;
  };
  actuators?: {
    /** Largest torques: `robot` takes the robot's own */
    effort_limits?: "robot" | Gains;
    /** s: From a torque to its effect, in whole control periods; until the first one arrives it is 0 (default 0) */
    delay_s?: number;
  };
  /** Readings beside the true state; without it there are none */
  sensors?: SessionSensors;
  /** Number of past steps that `rewind` and `fork` can reach (default 1000) */
  history?: number;
  /** Accelerations in each answer, at the state and with the last applied torque */
  include?: "qdd"[];
  disturbance?: Disturbance[];
  external_wrenches?: WrenchOverTime[];
  payload?: Payload;
  /** As of `simulate`: limits act only as events; `stop` ends the session */
  events?: EventRule[];
  /** m/s^2 in the world frame, instead of the robot's own */
  gravity?: Vector3;
  without?: ("friction" | "rotor" | "spring" | "gravity")[];
  drives?: SimulateDrives;
  /** Another order of joints, for this request, for torques and answers */
  joints?: string[];
  /** Of `initial`, and of levels of q and qd; answers are in rad (default rad) */
  angles?: Angles;
}

/** One of the two */
export interface SessionRewindRequest {
  /** 0 is the start, and always there */
  step?: number;
  /** s: The step at this time */
  t?: number;
}

/** The true value `delay_s` ago (before the start: that of the start), plus noise, rounded to a multiple of the resolution */
export interface SessionSensor {
  /** Standard deviation; normal, independent from step to step */
  noise_std?: Gains;
  /** Of an encoder, for example; 0: none. Not of joints with quaternions */
  resolution?: Gains;
  /** s: In whole control periods (default 0) */
  delay_s?: number;
}

export interface SessionSensors {
  /** Of the noise; the same one gives the same readings (default 0) */
  seed?: number;
  /** rad or m */
  q?: SessionSensor;
  qd?: SessionSensor;
  /** Of the torque applied in the last step */
  tau?: SessionSensor;
}

/** After a step */
export interface SessionState {
  /** Control periods since the start */
  step: number;
  /** s */
  t: number;
  /** rad or m: The true state */
  q: Sample;
  qd: Sample;
  qdd?: Sample;
  /** N m or N: Applied in the last period, after delay and limits */
  tau: Sample;
  /** Readings of the session's sensors */
  sensors?: {
    /** rad or m */
    q?: Sample;
    qd?: Sample;
    tau?: Sample;
  };
  /**
   * XXH3-128 of the state's bits: step (8 bytes), t, q, qd as doubles in the robot's order, little-endian; then states of drives,
   * modes of joints that stick, and torques under way, where there are any
   */
  hash: string;
  /** Of the last step, where there are any; 64 at most */
  events?: Event[];
  events_omitted?: number;
  /** Torque of the last step on a floating joint, which no motor gives */
  warnings?: Warnings;
  /** Reason for the end of the motion; `rewind` restores an earlier step */
  ended?: string;
  ended_joint?: string;
}

export interface SessionStepRequest {
  /** N m or N */
  tau: JointValues;
  /** Control periods for which it is held; the answer is the state after the last one (default 1) */
  steps?: number;
  /**
   * The `step` of the session for which tau was computed; 409 if it is another one. A retry of the last request (its answer was
   * lost) makes no second step and has the same answer
   */
  at_step?: number;
}

export interface SimulateAudit {
  /** J. What is left of the change of energy = work - dissipated + external, each integrated with the run */
  energy: {
    kinetic_start?: number;
    kinetic_end?: number;
    kinetic_max?: number;
    /** Springs included */
    potential_change?: number;
    /** Of the torques */
    work?: number;
    /** By friction, drag of a medium (below 0 where a current drives), and at limits */
    dissipated?: number;
    /** Work of external wrenches */
    external?: number;
    /** Part of `dissipated`: by sliding */
    contact_friction?: number;
    /** Part of `dissipated`: by impacts */
    contact_impacts?: number;
    /** Part of `dissipated`: by compliant contacts along their normals */
    contact_damping?: number;
    /** Part of `potential_change`: in compliant contacts */
    contact_stored?: number;
    /** At the end */
    residual?: number;
    /** The largest of all rows */
    residual_max?: number;
    /** That in parts of the largest kinetic energy */
    relative?: number | null;
    /** From a hundredth on: the motion is not that of the equations */
    finding?: string;
    relative_reason?: string;
  };
  /**
   * N s: With `include: [momentum]`. What is left of the change of linear momentum = impulses of base, external wrenches, drag of
   * a medium and weight
   */
  momentum?: {
    base_impulse?: Vector3;
    external_impulse?: Vector3;
    residual?: Vector3;
    /** In parts of the largest impulse of the base */
    relative?: number | null;
    relative_reason?: string;
  };
}

/**
 * Rigid solids on links, and obstacles in the world, that do not pass through each other: unilateral contact, Coulomb friction,
 * Newton's restitution. A half-space meets spheres, capsules, boxes and hulls by their corners; a sphere has one point with
 * others; faces and edges of capsules, boxes and hulls meet at up to 8 points, 2 with a capsule. Moreau's time stepping in steps
 * of `solver.step_s`, impacts located to 1e-12 m: of order 2 while every contact keeps its state, 1 where one begins to slide or
 * to stick. Approaches below 1 mm/s do not bounce. Restitution is reduced where it would create energy together with friction.
 * With `law: compliant` solids give way instead (Hunt and Crossley): at depth x and its rate v they press with k x^n (1 + c v),
 * never pull, and slide with friction mu F w / sqrt(w^2 + slip_speed^2). Then any adaptive solver steps them, constraints and dry
 * friction of joints may be there too, and they may overlap at the start.
 */
export interface SimulateContacts {
  /** default rigid */
  law?: "rigid" | "compliant";
  /** k of a compliant contact, N/m^n, which needs it: a mass m rests m g / k deep (n = 1) */
  stiffness?: number;
  /** n: 1 linear, 1.5 spheres after Hertz (default 1) */
  exponent?: number;
  /** c: an impact at speed v comes back with 1 - 2/3 c v of it, for small c v (default 0 [s/m]) */
  dissipation?: number;
  /** Below it friction is creep: it does not hold a body on a slope (default 0.001 [m/s]) */
  slip_speed?: number;
  /**
   * 4096 pairs at most. At one time 512 points may touch, or the run ends there; it takes memory for those that can, 40 MB and 62
   * kB a degree of freedom at most. A step computes impulses of every group of bodies that touch one another by itself
   */
  shapes: CollisionShape[];
  /** Coulomb's coefficient of all pairs */
  friction: number;
  /** Part of the velocity of approach that comes back (default 0) */
  restitution?: number;
  /** Pairs with coefficients of their own */
  pairs?: {
    /** Names of shapes */
    a: string;
    b: string;
    friction?: number;
    restitution?: number;
    stiffness?: number;
    exponent?: number;
    dissipation?: number;
    slip_speed?: number;
  }[];
  /** Pairs of names, of shapes or of links with all their shapes, that do not touch */
  exclude?: string[][];
  /** Links that one joint connects touch too (default false) */
  adjacent?: boolean;
}

/** Torques and wrenches that no controller commands; all act at once */
export type SimulateDisturbance = Disturbance[];

/**
 * The drives of the robot's joints produce the commanded torque, as far as supply, current limit and foldback allow. `torque`:
 * the commands of `input` for these joints; the others: a table of their own, a column for each drive in the robot's order.
 * Currents, integrals, tachometers and heat are states of the run, 0 at the start. With inductance the run is stiff by L/R: `bdf`
 * or `sdirk` suit long ones.
 */
export interface SimulateDrives {
  /** default torque */
  command?: "voltage" | "duty" | "current" | "velocity" | "torque";
  /** s: increasing */
  t?: number[];
  /** V, 0 to 1, A, or rad/s (m/s) of the joint */
  values?: number[][];
  /** default hold */
  interpolation?: "hold" | "linear" | "cubic";
  /** Neglects inductances (default false) */
  reduced?: boolean;
}

/** s */
export type SimulateDurationS = number;

export type SimulateEvents = EventRule[];

export type SimulateExternalWrenches = WrenchOverTime[];

export interface SimulateInitial {
  q: JointValues;
  /** All zero if absent */
  qd?: JointValues;
}

export type SimulateInput = TorqueTable | Controller | ConstrainedController | OperationalController;

/** Another order of joints */
export type SimulateJoints = string[];

/** One of the two; a thousandth of the duration if absent */
export interface SimulateOutput {
  /** s */
  interval_s?: number;
  /** s: increasing, up to the duration */
  times_s?: number[];
}

export interface SimulateRequest {
  initial: SimulateInitial;
  duration_s: SimulateDurationS;
  output?: SimulateOutput;
  input?: SimulateInput;
  disturbance?: SimulateDisturbance;
  external_wrenches?: SimulateExternalWrenches;
  payload?: Payload;
  contacts?: SimulateContacts;
  events?: SimulateEvents;
  solver?: SimulateSolver;
  /** m/s^2 in the world frame, instead of the robot's own */
  gravity?: Vector3;
  without?: SimulateWithout;
  /** Arrays over time. `momentum` adds its balance to the audit */
  include?: ("qdd" | "multipliers" | "energy" | "momentum" | "base_reaction" | "tracking_error")[];
  /** What the verdict shall judge by */
  verdict?: {
    /** rad or m of a joint: more is too much (default 0.01) */
    tolerated_error?: number;
    /** Of inertial parameters, as a part of them: 0.01 for 1 % */
    model_uncertainty?: number;
  };
  drives?: SimulateDrives;
  joints?: SimulateJoints;
  /** Of `initial`, of `reference` and of levels of q and qd; results are in rad (default rad) */
  angles?: Angles;
}

export interface SimulateResult {
  joints?: JointNames;
  /** s */
  t: number[];
  q: Table;
  qd: Table;
  qdd?: Table;
  drives?: {
    command: "torque" | "voltage" | "duty" | "current" | "velocity";
    reduced: boolean;
    /** Of the columns of drive_... */
    joints: string[];
  };
  /** A */
  drive_current?: Table;
  /** V at the motor */
  drive_voltage?: Table;
  /** 1 where a limit holds voltage or current, else 0 */
  drive_limited?: Table;
  /** As applied */
  tau: Table;
  /** J */
  kinetic_energy?: number[];
  /** J: springs included */
  potential_energy?: number[];
  /** kg m/s: Linear, along the world's axes */
  momentum?: Table;
  /** Force and moment of the ground on the root link, about its origin, along the world's axes */
  base_reaction?: Table;
  /** Reference less coordinate, of each joint */
  tracking_error?: Table;
  /** Forces of constraints on the robot, by `constraints.rows` */
  multipliers?: Table;
  /** Of a robot that has them; its coordinates stay on them to 1e-10 */
  constraints?: {
    rows: string[];
    /** How far the initial state was off, and by how much it was moved to the nearest one that is not */
    start: {
      /** m or rad */
      position_residual?: number;
      velocity_residual?: number;
      /** Largest of any coordinate */
      change_q?: number;
      change_qd?: number;
    };
  };
  /**
   * N: Of each of `contacts.pairs` x, y, z along the world's axes, on b by a: mean of the last step, impacts apart; of compliant
   * ones at this time
   */
  contact_force?: Table;
  /** N s: The same since the start, with impacts */
  contact_impulse?: Table;
  /** m: Of each of `contacts.pairs` */
  contact_gap?: Table;
  contacts?: {
    law: "rigid" | "compliant";
    pairs: {
      /** Names of shapes */
      a: string;
      b: string;
      friction: number;
      /** Of rigid ones */
      restitution?: number;
      /** Times at which it closed */
      touches?: number;
      /** Of compliant ones, as the next three */
      stiffness?: number;
      exponent?: number;
      dissipation?: number;
      slip_speed?: number;
    }[];
    impacts?: number;
    /** The largest of the laws of contact, as a relative velocity */
    violation?: number;
  };
  audit?: SimulateAudit;
  tracking?: SimulateTracking;
  stats: {
    method: "dopri87" | "dopri45" | "sdirk" | "bdf" | "rk4" | "semi-implicit-euler" | "implicit-midpoint" | "moreau-jean";
    rtol?: number;
    atol?: number;
    /** The largest */
    step_s?: number;
    steps: number;
    /** Steps tried in vain */
    rejected: number;
    /** Of the accelerations */
    evaluations: number;
  };
  verdict: {
    /** Stopped: by an event. Unfinished: too many steps */
    outcome: "completed" | "stopped" | "diverged" | "unfinished";
    /** How far it came, s: the last row */
    t: number;
    reason?: string;
    joint?: string;
    /** What acted most on that joint at the end, accelerations aside */
    term?: "coriolis" | "centrifugal" | "gravity" | "friction" | "spring" | "external" | "input";
    /** Closed: a controller reads the state */
    loop?: "open" | "closed";
    /**
     * 1/s: by exp(rate t) a small error grows from the start on (the largest real part of the eigenvalues of the linearised
     * equation); below 0 it dies out. Of a sampled controller: from sample to sample. Under constraints: of errors that satisfy
     * them
     */
    growth_rate_per_s?: number | null;
    growth_rate_per_s_reason?: string;
    /** s */
    doubling_time_s?: number | null;
    doubling_time_s_reason?: string;
    /** Along the run */
    fastest_growth?: {
      /** 1/s */
      rate_per_s?: number;
      /** rad/s at which errors swing while they grow */
      frequency_rad_s?: number;
      /** s */
      t?: number;
    };
    /**
     * Of a small error at the start, to the end of the run: the largest row of dq by (q0, qd0), by the linearised equations
     * carried along at the run's own steps, whatever the outputs are; like what follows, of robots without constraints
     */
    amplification?: number | null;
    amplification_reason?: string;
    /** At the end of the run, rad or m of the worst joint */
    expected_error?: ErrorSources;
    /** Until when the run can be trusted, s: when errors pass what is tolerated */
    horizon?: {
      /** rad or m */
      tolerated_error?: number;
      /** The first of them */
      t?: number | null;
      t_reason?: string;
      integrator_s?: number | null;
      integrator_s_reason?: string;
      input_s?: number | null;
      input_s_reason?: string;
      model_s?: number | null;
      model_s_reason?: string;
    };
  };
  events: Event[];
  /** More than can be returned */
  events_omitted?: number;
  /**
   * Which limits of the robot the outputs exceed, each with its worst row, if there are any: a run has none, unless
   * `input.effort_limits` or `events` put them in
   */
  limits?: {
    exceeded: {
      joint: string;
      limit: "lower" | "upper" | "velocity" | "torque";
      bound: number;
      /** The value there */
      worst: number;
      /** How far it is beyond the bound */
      by: number;
      /** The row where it is worst, from 0 */
      sample: number;
      /** s */
      t: number;
      /** How many rows exceed it */
      samples: number;
    }[];
  };
  /** Words of other tools that were read as ours, and what the request leaves out and was taken as this */
  read_as?: {
    /** Where, in the request */
    pointer: string;
    /** The word; absent where nothing was sent */
    sent?: string;
    /** Such as `initial/q`, a name or a value */
    read: string;
  }[];
  warnings?: Warnings;
  /**
   * Constraints that q does not satisfy, each in its worst row and sample, from 1e-4; of more than 4096 samples at evenly spaced
   * ones
   */
  off_constraints?: {
    constraint: string;
    sample: number;
    residual: number;
    /** m or rad; empty: of an equation */
    unit: string;
    text: string;
  }[];
  /** Where the request states it */
  angles?: Angles;
  provenance: Provenance;
}

/**
 * `dopri87` and `dopri45` are explicit and choose their steps by the tolerance; `sdirk` and `bdf` do so for stiff systems. The
 * others take steps of one size: `implicit-midpoint`, in coordinates and momenta, lets energy oscillate but not drift; `semi-
 * implicit-euler` does so only where the mass matrix is constant, and loses or gains energy on coupled arms. `audit.energy`
 * states by how much and names it as a finding from 1 % of the largest kinetic energy on. `step_s` alone means `rk4`. With rigid
 * `contacts` it is always `moreau-jean`.
 */
export interface SimulateSolver {
  /** default dopri87 */
  method?: "dopri87" | "dopri45" | "sdirk" | "bdf" | "rk4" | "semi-implicit-euler" | "implicit-midpoint" | "moreau-jean";
  /** Error of a step, of each number (default 1e-09) */
  rtol?: number;
  /** The same, absolute: rad, m and by second (default 1e-10) */
  atol?: number;
  /** s: none if absent */
  max_step_s?: number;
  /** s: with the methods of one size (default 0.001) */
  step_s?: number;
}

/** How well a controller's reference was followed, over all rows. Joints that it does not follow have no error */
export interface SimulateTracking {
  /** N or N m: Errors of the multipliers that had goals */
  force?: {
    rows: string[];
    max: Sample;
    rms: Sample;
    final: Sample;
  };
  max?: Sample;
  rms?: Sample;
  /** Reference less coordinate, at the end */
  final?: Sample;
  /** Errors of the point that a controller moves, m and rad along its axes */
  task?: {
    axes: Axes;
    max: number[];
    rms: number[];
    final: number[];
  };
  /**
   * Distance of a point of the robot from where it should be, m: that of the poses, of the frame that a controller moves (along
   * its axes), or the origin of the last joint's link
   */
  point?: {
    link?: string;
    at?: Vector3;
    max?: number;
    rms?: number;
    final?: number;
    /** Of the point's reference path */
    length?: number;
    /** Of that length */
    max_percent?: number | null;
    max_percent_reason?: string;
    final_percent?: number | null;
    final_percent_reason?: string;
  };
}

export type SimulateWithout = ("friction" | "rotor" | "spring" | "gravity")[];

export interface SineDisturbance {
  kind: "sine";
  /** N m or N: one for each joint: amplitudes */
  torque?: JointValues;
  wrench?: ConstantWrench;
  /** Hz */
  frequency_hz: number;
  /** rad */
  phase_rad?: number;
  /** s: 0 if absent */
  start_s?: number;
  /** s: to the end of the run if absent */
  duration_s?: number;
}

export interface Slice {
  index: number;
  /** 0: none of its own; a following joint has the index of its master */
  count: number;
}

export interface Solid {
  shape: "box" | "cylinder" | "cylinder_shell" | "sphere" | "sphere_shell" | "ellipsoid" | "cone" | "capsule" | "disk" | "bar" | "point";
  /**
   * m: box x y z; cylinder, cone, capsule radius and length along z; sphere and disk radius; ellipsoid semi-axes; bar length
   * along x. The centre of mass is the origin.
   */
  size?: number[];
  /** kg: this or density */
  mass?: number;
  /** kg/m^3 */
  density?: number;
  /** In the frame of the link */
  pose?: {
    [name: string]: unknown;
  };
}

/** One for each of qd */
export type Springs = number[];

export interface State {
  status: "alive" | "ready";
}

export interface StaticPosesRequest {
  /** Their number (default 20) */
  poses?: number;
  /** Random poses among which they are chosen; those beyond a limit of torque or clearance are dropped (default 400) */
  candidates?: number;
  /** Of joints; those of links that gravity shows always come */
  parameters?: ("offset" | "stiffness")[];
  /**
   * Least expected error of the torque at rest (I-optimal), or the largest determinant of the normal matrix (D-optimal) (default
   * torque-error)
   */
  criterion?: "torque-error" | "determinant";
  /** One number for each of qd, instead of the robot's own, or by joint */
  limits?: {
    /** rad or m */
    lower?: number[] | {
      [name: string]: number;
    };
    /** rad or m */
    upper?: number[] | {
      [name: string]: number;
    };
    /** rad/s or m/s: For durations alone; 1 where there is none */
    velocity?: number[] | {
      [name: string]: number;
    };
    /** N m or N: of the torque by the robot's own parameters */
    effort?: number[] | {
      [name: string]: number;
    };
  };
  /**
   * N m or N: Standard deviation of a pose's mean torque, by joint: friction's part is most of it. As of `excitation` if left
   * out. What counts are the ratios between joints
   */
  torque_noise?: number[] | {
    [name: string]: number;
  };
  /** payload: the robot's own parameters are known, and those of a body on `link` are not (default robot) */
  identify?: "robot" | "payload";
  /** That carries the payload; left out: the link after the most moving joints */
  link?: string;
  /**
   * A known load: record each pose without and with it. Then gains of drives are not known either, but only in parts of
   * themselves, and poses are chosen that show them as well: tau of the drive = gain x current
   */
  load?: {
    /** kg */
    mass: number;
    /** Its centre of mass, m, in the frame of `link`; left out: the origin */
    com?: Vector3;
    /** That carries it; left out: the link after the most moving joints */
    link?: string;
  };
  /** Solids fixed to links, and obstacles, that are kept apart */
  shapes?: CollisionShape[];
  /** Pairs to leave out, by names of shapes, or of links for all their shapes */
  exclude?: string[][];
  /** Include pairs of links that one joint connects (default false) */
  adjacent?: boolean;
  /** m: Least distance of a pair; of a line between poses at 41 places (default 0.02) */
  clearance_m?: number;
  /** s: At each pose; counts in `duration_s` (default 2) */
  dwell_s?: number;
  /** default 0 */
  seed?: number;
  /** Another order of joints */
  joints?: string[];
  /** Of `limits`, and of the answer (default rad) */
  angles?: Angles;
  /** m/s^2 in the world frame, instead of the robot's own */
  gravity?: Vector3;
}

export interface StaticPosesResult {
  joints: JointNames;
  /** In the order of the tour */
  q: number[][];
  /** Torque at rest, by the robot's own parameters */
  tau: number[][];
  /** To each pose from the one before, the first from the last: straight lines of coordinates */
  legs: {
    /** At the limits of velocity, along `via` where it is there */
    duration_s: number;
    /** m, least one of all pairs along the line; with `shapes` */
    distance?: number;
    /** The line */
    is_clear?: boolean;
    /** A way around, where the line is not clear: straight lines by these poses, six at most */
    via?: number[][];
    /** m: Least one of all pairs along it */
    via_distance_m?: number;
  }[];
  /** Lines; go by `via` there */
  legs_not_clear?: number;
  /** Of these, for which no way around was found: by hand, or leave the pose out */
  legs_without_way?: number;
  dwell_s: number;
  /** Of the tour with its dwells */
  duration_s: number;
  /**
   * With `load`: expected standard deviation of each drive gain, relative, for `torque_noise` on each mean of a pose. Null:
   * neither gravity nor the load turns that joint
   */
  gain_errors?: (number | null)[];
  /** That keep the limits of torque and clearance */
  candidates: number;
  /** Of these poses */
  score: ExcitationScore;
  /** Of as many random ones */
  first_random: ExcitationScore;
  /** With `identify: payload` */
  link?: string;
  /** That poses at rest show; names as of `regressor?form=base` */
  base_parameters: string[];
  /** Words of other tools that were read as ours, and what the request leaves out and was taken as this */
  read_as?: {
    /** Where, in the request */
    pointer: string;
    /** The word; absent where nothing was sent */
    sent?: string;
    /** Such as `initial/q`, a name or a value */
    read: string;
  }[];
  /** Where the request states it */
  angles?: Angles;
  provenance: Provenance;
}

export interface StaticsRequest {
  /** rad or m */
  q: JointValues;
  /** Another order of joints */
  joints?: string[];
  endpoint_wrench: ConstantWrench;
  /** N m/rad or N/m */
  joint_stiffness?: Springs | {
    /** Springs in series, such as of a drive's loop and its gear: 1/k = sum of 1/k_i */
    series: Springs[];
  };
  /** The load's own stiffness d(J^T w)/dq counts too; needs `joint_stiffness` */
  geometric?: boolean;
  /** m/s^2 in the world frame, instead of the robot's own */
  gravity?: Vector3;
  /** Directions of the compliance; all if absent */
  axes?: ("x" | "y" | "z" | "rx" | "ry" | "rz")[];
  /** default rad */
  angles?: Angles;
}

export interface StaticsResult {
  joints: JointNames;
  /** Holds the load alone: N m, N */
  tau: Sample;
  gravity_torque: Sample;
  /** Their sum */
  tau_with_gravity: Sample;
  joint_wrenches: {
    applied_to: "child link";
    /** For the base: the root link's, which are the world's */
    expressed_in: "child link";
    /** Moments are about the origin of the child link */
    at: "origin";
    joints: {
      joint: string;
      /** The child link */
      link: string;
      force: Vector3;
      moment: Vector3;
      /** Without the drive's share */
      bearing_force: Vector3;
      /** Without the drive's share */
      bearing_moment: Vector3;
    }[];
    base: {
      link: string;
      force: Vector3;
      moment: Vector3;
    };
  };
  endpoint?: {
    link: string;
    at: Vector3;
    expressed_in: "world";
    axes: ("x" | "y" | "z" | "rx" | "ry" | "rz")[];
    /** m/N, rad/(N m) */
    compliance: Table;
    /** Compliance times the wrench on the robot */
    deflection: number[];
    /** The inverse of the compliance, where it has one */
    stiffness: Table | null;
    stiffness_reason?: string;
    /** Unit vectors along which the endpoint cannot give way */
    unbounded_directions: Table;
  };
  /** d(J^T w)/dq */
  geometric_stiffness?: Table;
  /** Words of other tools that were read as ours, and what the request leaves out and was taken as this */
  read_as?: {
    /** Where, in the request */
    pointer: string;
    /** The word; absent where nothing was sent */
    sent?: string;
    /** Such as `initial/q`, a name or a value */
    read: string;
  }[];
  /** Arrays that were left out, and so are zero; of one by names, `q.elbow` */
  assumed_zero?: string[];
  warnings?: Warnings;
  /**
   * Constraints that q does not satisfy, each in its worst row and sample, from 1e-4; of more than 4096 samples at evenly spaced
   * ones
   */
  off_constraints?: {
    constraint: string;
    sample: number;
    residual: number;
    /** m or rad; empty: of an equation */
    unit: string;
    text: string;
  }[];
  /** Where the request states it */
  angles?: Angles;
  provenance: Provenance;
}

/** Row by row */
export type Table = number[][];

export interface TableDisturbance {
  kind: "table";
  /** N m or N: one row a time, one number for each joint */
  torque?: JointValues[];
  /** force and moment have one row a time */
  wrench?: Wrench;
  /** s: increasing */
  t: number[];
  /** default linear */
  interpolation?: "hold" | "linear" | "cubic";
}

/**
 * A spring and friction along a length that q determines: of `coefficients`, length = sum of coefficient * q, MuJoCo's fixed
 * tendon; or of `points`, the straight lines from point to point, MuJoCo's spatial tendon. Each joint feels d length/dq *
 * (stiffness * stretch + friction); the stretch is what the length is beyond `rest`. `calibrate`, `payload` and times from limits
 * of torque refuse such a robot; URDF and SDF have no words for it
 */
export interface Tendon {
  /** tendon1, tendon2, ... where it is absent */
  name?: string;
  /** By joint of one freedom; of one that follows another, by its own coordinate. This or `points` */
  coefficients?: {
    [name: string]: number;
  };
  /** In the order of the path: a spring between two bodies has two. Two that coincide have no direction, and pull at nothing */
  points?: TendonPoint[];
  /** Tension per unit of the length (default 0) */
  stiffness?: number;
  /** Length without tension, or the two between which the spring is slack (default 0) */
  rest?: number | number[];
  /** Tension per unit of its rate (default 0) */
  damping?: number;
  /**
   * A number: `coulomb` alone. In `simulate` it holds the length at rest, as that of joints, of up to 64 such tendons; with
   * `constraints` or rigid `contacts` it only changes its sign there
   */
  friction?: number | TendonFriction;
}

export interface TendonFriction {
  /** default 0 */
  coulomb?: number;
  /** 0: sign of the length's rate, else tanh(rate / smoothing) (default 0) */
  smoothing?: number;
}

export interface TendonPoint {
  /** That it is fixed to; the root link is the world */
  link: string;
  /** m: In the frame of the link; its origin where it is absent */
  position?: Vector;
  /**
   * Of the distance to the next point in the length: 1 / divisor behind a pulley of MuJoCo's; 0: the path ends here, and the next
   * point begins another. Not of a solid (default 1)
   */
  weight?: number;
  /**
   * m: A solid about `position`, no point: the path between the points before and behind it wraps around it where it is in the
   * way, and slides on it. A sphere, or with `axis` a cylinder without ends
   */
  radius?: number;
  /** Of the cylinder, of any length but 0 */
  axis?: Vector;
  /**
   * MuJoCo's sidesite (since 4.0): the path goes around the way that leads by this point. Less than `radius` away from
   * `position`: the path touches the surface from inside. Absent: the shorter way. Where an end passes behind the centre as seen
   * from the side, the length jumps
   */
  side?: TendonSide;
}

export interface TendonSide {
  link: string;
  /** m */
  position?: Vector;
}

/** Nested arrays, rows outside; for a batch, one such array a sample */
export type Tensors = Tensors2 | Tensors3;

/** Rows of numbers; for a batch, one such table a sample */
export type Tensors2 = number[][] | number[][][];

/** Tables of numbers; for a batch, one such array of tables a sample */
export type Tensors3 = number[][][] | number[][][][];

/** What the names of `include` give */
export interface TermProperties {
  reactions?: Reactions;
  /**
   * Which limits of the robot the samples exceed, each with its worst sample; nothing is cut off. Torque: `tau` of inverse-
   * dynamics, the request's of forward-dynamics. Not for NPZ
   */
  limits?: {
    exceeded: {
      joint: string;
      limit: "lower" | "upper" | "velocity" | "torque";
      bound: number;
      /** The value there */
      worst: number;
      /** How far it is beyond the bound */
      by: number;
      /** Where it is worst, from 0 */
      sample: number;
      /** How many exceed it */
      samples: number;
    }[];
    /** Limits that the robot does not state */
    unlimited: {
      joint: string;
      limit: "lower" | "upper" | "velocity" | "torque";
    }[];
  };
  /** M, rotors included (nv x nv) */
  mass_matrix?: Tensors2;
  /** M^-1 (nv x nv) */
  mass_matrix_inverse?: Tensors2;
  /** Eigenvalues of M at q; with `box`, also over all q in it */
  mass_matrix_bounds?: {
    smallest_eigenvalue: Scalars;
    largest_eigenvalue: Scalars;
    /** The least that was found in the box */
    box_smallest_attained?: number;
    /** The largest that was found in the box */
    box_largest_attained?: number;
    /** No q of the box has a smaller one */
    box_smallest_guaranteed?: number | null;
    /** No q of the box has a larger one */
    box_largest_guaranteed?: number | null;
    /** Why a bound is null, or how the bounds were found */
    box_reason?: string;
  };
  /** dM/dt at qd (nv x nv) */
  mass_matrix_rate?: Tensors2;
  mass_matrix_derivatives?: {
    index_order: "[i][j][k] is dM_ij/dq_k";
    /** nv x nv x nv */
    derivatives: Tensors3;
  };
  /** C with C qd the Coriolis and centrifugal torques */
  coriolis_matrix?: {
    form: "christoffel" | "c1" | "c2" | "stacked";
    /** nv x nv */
    matrix: Tensors2;
    /** How far dM/dt - 2 C is from skew-symmetric: rounding for the Christoffel form only */
    skew_residual: Scalars;
  };
  /** C qd */
  coriolis_vector?: Samples;
  christoffel_symbols?: {
    index_order: "[i][j][k], i the equation";
    /** Of the first kind (nv x nv x nv) */
    symbols: Tensors3;
    /** Torques of products of two different rates */
    coriolis: Samples;
    /** Torques of squares of rates */
    centrifugal: Samples;
  };
  /** dP/dq */
  gravity_torque?: Samples;
  /** Torques against friction, and against drag of a medium */
  friction?: Samples;
  /** J: potential is 0 with every centre of mass at the world origin and every spring at rest */
  energy?: {
    kinetic: Scalars;
    potential: Scalars;
  };
  momentum?: {
    expressed_in: "world";
    /** kg */
    mass: Scalars;
    /** kg m/s */
    linear: Samples;
    /** kg m^2/s: About the centre of mass */
    angular_com: Samples;
    /** kg m^2/s: About the world origin */
    angular_origin: Samples;
  };
  center_of_mass?: {
    expressed_in: "world";
    /** m */
    position: Samples;
    /** m/s */
    velocity: Samples;
    /** 3 x nv */
    jacobian: Tensors2;
  };
  /** J with J qd the velocity of the centre of mass, along the world's axes (3 x nv) */
  center_of_mass_jacobian?: Tensors2;
  /**
   * Linear momentum, then angular momentum about the centre of mass, is `matrix` qd; the force and moment about it from outside,
   * gravity included, are `matrix` qdd + `bias`
   */
  centroidal_momentum?: {
    expressed_in: "world";
    /** 6 x nv */
    matrix: Tensors2;
    /** Its rate of change (6 x nv) */
    rate: Tensors2;
    /** `rate` qd, a force and a moment */
    bias: Samples;
  };
  /**
   * Linear momentum, then angular momentum about the world's origin, is the sum over links of `matrices` times m, m c (3), Ixx
   * Ixy Ixz Iyy Iyz Izz about the link's origin, along its axes
   */
  momentum_regressor?: {
    expressed_in: "world";
    links: string[];
    /** links x 6 x 10 */
    matrices: Tensors3;
  };
  /** (J M^-1 J^T)^-1 with the chosen rows of the Jacobian of the point; 422 where the point cannot move along one */
  operational_space_inertia?: {
    expressed_in: "world";
    frame: {
      link: string;
      at: Vector3;
    };
    axes: ("x" | "y" | "z" | "rx" | "ry" | "rz")[];
    /** axes x axes */
    matrix: Tensors2;
  };
  /** M qdd_ref + C qd_ref + gravity_torque, without friction and springs */
  passivity?: {
    coriolis_form: "christoffel";
    torque: Samples;
  };
  /** Of every link: velocity of its origin, then angular velocity, along the world's axes */
  link_jacobians?: {
    expressed_in: "world";
    at: "origin";
    links: string[];
    /** links x 6 x nv */
    jacobians: Tensors3;
  };
  /** Rates of change of `link_jacobians` at qd */
  link_jacobian_rates?: {
    expressed_in: "world";
    at: "origin";
    links: string[];
    /** links x 6 x nv */
    rates: Tensors3;
  };
  /** Torque term by term, computed apart from tau; `external` is -J^T w */
  ledger?: {
    /** Without rotors */
    inertia: Samples;
    coriolis: Samples;
    centrifugal: Samples;
    gravity: Samples;
    friction: Samples;
    rotor: Samples;
    spring: Samples;
    external: Samples;
    sum: Samples;
  };
  /**
   * Partial derivatives, [i][j] of torque i by coordinate j; of accelerations in forward dynamics. Spherical and floating joints
   * are displaced like their velocities: a turn (and a shift) in the child frame.
   */
  derivatives?: {
    /** nv x nv */
    dtau_dq?: Tensors2;
    /** nv x nv */
    dtau_dqd?: Tensors2;
    /** M (nv x nv) */
    dtau_dqdd?: Tensors2;
    /** nv x nv */
    dqdd_dq?: Tensors2;
    /** nv x nv */
    dqdd_dqd?: Tensors2;
    /** M^-1 (nv x nv) */
    dqdd_dtau?: Tensors2;
  };
  /**
   * Second partial derivatives of torque, also in forward dynamics: what `derivatives` of torque change by the last coordinate,
   * friction, springs, tendons, drag and external wrenches included. For robots of up to 64 degrees of freedom, mimicking joints
   * counted. Symmetric in j and k where both are q or both qd, but for two turns (or a turn and a shift) of one spherical or
   * floating joint: k first, then j about axes that k has turned.
   */
  second_derivatives?: {
    index_order: "[i][j][k] is that of torque i, by coordinate j of the first name, by k of the second";
    /** nv x nv x nv */
    d2tau_dq_dq: Tensors3;
    /** nv x nv x nv */
    d2tau_dqd_dqd: Tensors3;
    /** By qd, then by q; in the other order j and k change places (nv x nv x nv) */
    d2tau_dqd_dq: Tensors3;
    /** dM/dq (nv x nv x nv) */
    d2tau_dqdd_dq: Tensors3;
  };
  /**
   * Second partial derivatives of the acceleration of forward dynamics at this torque, also in inverse dynamics: what
   * `derivatives` of acceleration change by the last coordinate. Without constraints. Limits and symmetries are those of
   * `second_derivatives`.
   */
  acceleration_second_derivatives?: {
    index_order: "[i][j][k] is that of acceleration i, by coordinate j of the first name, by k of the second";
    /** nv x nv x nv */
    d2qdd_dq_dq: Tensors3;
    /** nv x nv x nv */
    d2qdd_dqd_dqd: Tensors3;
    /** By qd, then by q; in the other order j and k change places (nv x nv x nv) */
    d2qdd_dqd_dq: Tensors3;
    /** d(M^-1)/dq (nv x nv x nv) */
    d2qdd_dtau_dq: Tensors3;
  };
  /** A second opinion; residuals are relative to the largest entry, rounding leaves about 1e-14 */
  checks?: {
    /** Torque by recursion against M, C and g by Jacobians */
    recursive_lagrangian: Scalars;
    /** Against the stacked equations of the product of exponentials */
    recursive_stacked: Scalars;
    /** M of composite bodies against M by Jacobians */
    mass_matrix: Scalars;
    /** Of dM/dt - 2 C, Christoffel form */
    skew_symmetry: Scalars;
    /** M - M^T */
    symmetry: Scalars;
    /** Of M: positive when it is definite */
    smallest_eigenvalue: Scalars;
  };
  /**
   * What the motion requires of the drives of `joints`: uses are parts of a limit, 0 where there is none; voltage without L
   * di/dt; `feasible` is 1 where neither a peak current nor a voltage is exceeded, else 0
   */
  drive?: {
    joints: string[];
    /** N m: K i */
    motor_torque: Samples;
    /** rad/s */
    motor_speed: Samples;
    /** A */
    current: Samples;
    /** V */
    voltage: Samples;
    /** Of PWM; of a linear amplifier (1 + v/reach)/2 */
    duty: Samples;
    /** W out of the supply */
    power: Samples;
    /** Of the peak */
    current_use: Samples;
    continuous_use: Samples;
    voltage_use: Samples;
    feasible: Scalars;
  };
  /**
   * What laws that treat each joint alone get wrong. inertia_diagonal: M_ii qdd_i for (M qdd)_i; inertia_rotor: the rotor's
   * inertia alone; decoupled, decoupled_rotor: the same without C qd
   */
  decoupling?: {
    error: "approximate torque less exact torque";
    inertia_diagonal: Samples;
    inertia_rotor: Samples;
    decoupled: Samples;
    decoupled_rotor: Samples;
  };
  /**
   * Of a robot with constraints, in M qdd + ... = tau + J^T w + A^T values: forces of the constraints on the robot. Rows that
   * follow from others here are redundant (1, else 0); they share the load with the least sum of squares
   */
  multipliers?: {
    force_on: "robot";
    rows: string[];
    /** N or N m: by row */
    values: Samples;
    /** A^T values, by joint */
    force: Samples;
    redundant: Samples;
    rank: Scalars;
  };
  /** W: 0 at velocities that satisfy the constraints */
  constraint_power?: Scalars;
  /**
   * How torques were found: `tau` is that of the actuated joints, of least norm where they can work against each other. Without
   * constraints it is that of every joint
   */
  actuation?: {
    /** Driven rows of tau */
    actuated: Scalars;
    /** That the constraints leave */
    dof: Scalars;
    /** Independent torques that move nothing */
    internal: Scalars;
    /** Largest torque that no driven joint makes; rounding where the motion is possible */
    missing: Scalars;
  };
  /** A with A qd = b, dA/dt qd, and how far the state is off */
  constraint_jacobian?: {
    rows: string[];
    /** rows x nv */
    matrix: Tensors2;
    rate_term: Samples;
    /** m or rad: 0 for rows without one */
    position_residual: Samples;
    velocity_residual: Samples;
  };
  /** P_w = E - A^T (A M^-1 A^T)^-1 A M^-1 of forces, and P_T = P_w^T of motions */
  projectors?: {
    /** nv x nv */
    force: Tensors2;
    /** nv x nv */
    motion: Tensors2;
  };
  /** Frobenius' test here: directions that brackets of two allowed ones reach beside; 0: integrable */
  integrability?: {
    dof: Scalars;
    new_directions: Scalars;
    /** Largest such bracket, relative to its terms */
    defect: Scalars;
  };
  [name: string]: unknown;
}

export interface TermsRequest {
  /** rad or m: nq numbers a sample */
  q: SamplesIn;
  /** rad/s or m/s: zero when left out */
  qd?: SamplesIn;
  /** rad/s^2 or m/s^2: zero when left out */
  qdd?: SamplesIn;
  /** Another order of joints for every array of the request and the answer; names each moving joint once */
  joints?: string[];
  external_wrenches?: Wrench[];
  /** m/s^2 in the world frame, instead of the robot's own */
  gravity?: Vector3;
  /** Terms to leave out of torque, `ledger`, `derivatives`, second derivatives and `checks`; rotors also of the matrices */
  without?: ("friction" | "rotor" | "spring" | "gravity" | "external" | "velocity" | "inertia")[];
  /** Further results, in the robot's own order or that of `joints`; not for NPY answers */
  include: ("reactions" | "limits" | "mass_matrix" | "mass_matrix_inverse" | "mass_matrix_bounds" | "mass_matrix_rate" | "mass_matrix_derivatives" | "coriolis_matrix" | "coriolis_vector" | "christoffel_symbols" | "gravity_torque" | "friction" | "energy" | "momentum" | "center_of_mass" | "center_of_mass_jacobian" | "centroidal_momentum" | "momentum_regressor" | "operational_space_inertia" | "passivity" | "link_jacobians" | "link_jacobian_rates" | "ledger" | "derivatives" | "second_derivatives" | "acceleration_second_derivatives" | "checks" | "drive" | "decoupling" | "multipliers" | "constraint_power" | "actuation" | "constraint_jacobian" | "projectors" | "integrability")[];
  payload?: Payload;
  /** Of `coriolis_matrix`; c1 and c2 are for robots without spherical and floating joints (default christoffel) */
  coriolis_form?: "christoffel" | "c1" | "c2" | "stacked";
  /** The point of `operational_space_inertia` */
  frame?: Point;
  /** Directions of that inertia, along the world's axes; all when left out */
  axes?: ("x" | "y" | "z" | "rx" | "ry" | "rz")[];
  box?: Box;
  /** Of `passivity`: reference rates, nv numbers a sample */
  qd_ref?: SamplesIn;
  /** Of `passivity`: reference accelerations, nv numbers a sample */
  qdd_ref?: SamplesIn;
  /** default rad */
  angles?: Angles;
  /** Not used: of an answer of `trajectory` */
  t?: unknown;
  /** Not used: of an answer of `trajectory` */
  violations?: unknown;
  /** Not used: of an answer of `trajectory` */
  duration_s?: unknown;
  /** Not used: of an answer of `trajectory` */
  binding?: unknown;
  /** Not used: of an answer of `trajectory` */
  tau?: unknown;
  /** Not used: of an answer of `trajectory` */
  provenance?: unknown;
  /** Not used: of an answer of `trajectory` */
  warnings?: unknown;
  /** Not used: of an answer of `trajectory` */
  read_as?: unknown;
  /** Not used: of an answer of `excitation` */
  fourier?: unknown;
  /** Not used: of an answer of `excitation` */
  score?: unknown;
  /** Not used: of an answer of `excitation` */
  first_random?: unknown;
  /** Not used: of an answer of `excitation` */
  tries?: unknown;
  /** Not used: of an answer of `excitation` */
  improvements?: unknown;
  /** Not used: of an answer of `excitation` */
  samples_judged?: unknown;
  /** Not used: of an answer of `excitation` */
  base_parameters?: unknown;
}

export interface TermsResult {
  reactions?: Reactions;
  /**
   * Which limits of the robot the samples exceed, each with its worst sample; nothing is cut off. Torque: `tau` of inverse-
   * dynamics, the request's of forward-dynamics. Not for NPZ
   */
  limits?: {
    exceeded: {
      joint: string;
      limit: "lower" | "upper" | "velocity" | "torque";
      bound: number;
      /** The value there */
      worst: number;
      /** How far it is beyond the bound */
      by: number;
      /** Where it is worst, from 0 */
      sample: number;
      /** How many exceed it */
      samples: number;
    }[];
    /** Limits that the robot does not state */
    unlimited: {
      joint: string;
      limit: "lower" | "upper" | "velocity" | "torque";
    }[];
  };
  /** M, rotors included (nv x nv) */
  mass_matrix?: Tensors2;
  /** M^-1 (nv x nv) */
  mass_matrix_inverse?: Tensors2;
  /** Eigenvalues of M at q; with `box`, also over all q in it */
  mass_matrix_bounds?: {
    smallest_eigenvalue: Scalars;
    largest_eigenvalue: Scalars;
    /** The least that was found in the box */
    box_smallest_attained?: number;
    /** The largest that was found in the box */
    box_largest_attained?: number;
    /** No q of the box has a smaller one */
    box_smallest_guaranteed?: number | null;
    /** No q of the box has a larger one */
    box_largest_guaranteed?: number | null;
    /** Why a bound is null, or how the bounds were found */
    box_reason?: string;
  };
  /** dM/dt at qd (nv x nv) */
  mass_matrix_rate?: Tensors2;
  mass_matrix_derivatives?: {
    index_order: "[i][j][k] is dM_ij/dq_k";
    /** nv x nv x nv */
    derivatives: Tensors3;
  };
  /** C with C qd the Coriolis and centrifugal torques */
  coriolis_matrix?: {
    form: "christoffel" | "c1" | "c2" | "stacked";
    /** nv x nv */
    matrix: Tensors2;
    /** How far dM/dt - 2 C is from skew-symmetric: rounding for the Christoffel form only */
    skew_residual: Scalars;
  };
  /** C qd */
  coriolis_vector?: Samples;
  christoffel_symbols?: {
    index_order: "[i][j][k], i the equation";
    /** Of the first kind (nv x nv x nv) */
    symbols: Tensors3;
    /** Torques of products of two different rates */
    coriolis: Samples;
    /** Torques of squares of rates */
    centrifugal: Samples;
  };
  /** dP/dq */
  gravity_torque?: Samples;
  /** Torques against friction, and against drag of a medium */
  friction?: Samples;
  /** J: potential is 0 with every centre of mass at the world origin and every spring at rest */
  energy?: {
    kinetic: Scalars;
    potential: Scalars;
  };
  momentum?: {
    expressed_in: "world";
    /** kg */
    mass: Scalars;
    /** kg m/s */
    linear: Samples;
    /** kg m^2/s: About the centre of mass */
    angular_com: Samples;
    /** kg m^2/s: About the world origin */
    angular_origin: Samples;
  };
  center_of_mass?: {
    expressed_in: "world";
    /** m */
    position: Samples;
    /** m/s */
    velocity: Samples;
    /** 3 x nv */
    jacobian: Tensors2;
  };
  /** J with J qd the velocity of the centre of mass, along the world's axes (3 x nv) */
  center_of_mass_jacobian?: Tensors2;
  /**
   * Linear momentum, then angular momentum about the centre of mass, is `matrix` qd; the force and moment about it from outside,
   * gravity included, are `matrix` qdd + `bias`
   */
  centroidal_momentum?: {
    expressed_in: "world";
    /** 6 x nv */
    matrix: Tensors2;
    /** Its rate of change (6 x nv) */
    rate: Tensors2;
    /** `rate` qd, a force and a moment */
    bias: Samples;
  };
  /**
   * Linear momentum, then angular momentum about the world's origin, is the sum over links of `matrices` times m, m c (3), Ixx
   * Ixy Ixz Iyy Iyz Izz about the link's origin, along its axes
   */
  momentum_regressor?: {
    expressed_in: "world";
    links: string[];
    /** links x 6 x 10 */
    matrices: Tensors3;
  };
  /** (J M^-1 J^T)^-1 with the chosen rows of the Jacobian of the point; 422 where the point cannot move along one */
  operational_space_inertia?: {
    expressed_in: "world";
    frame: {
      link: string;
      at: Vector3;
    };
    axes: ("x" | "y" | "z" | "rx" | "ry" | "rz")[];
    /** axes x axes */
    matrix: Tensors2;
  };
  /** M qdd_ref + C qd_ref + gravity_torque, without friction and springs */
  passivity?: {
    coriolis_form: "christoffel";
    torque: Samples;
  };
  /** Of every link: velocity of its origin, then angular velocity, along the world's axes */
  link_jacobians?: {
    expressed_in: "world";
    at: "origin";
    links: string[];
    /** links x 6 x nv */
    jacobians: Tensors3;
  };
  /** Rates of change of `link_jacobians` at qd */
  link_jacobian_rates?: {
    expressed_in: "world";
    at: "origin";
    links: string[];
    /** links x 6 x nv */
    rates: Tensors3;
  };
  /** Torque term by term, computed apart from tau; `external` is -J^T w */
  ledger?: {
    /** Without rotors */
    inertia: Samples;
    coriolis: Samples;
    centrifugal: Samples;
    gravity: Samples;
    friction: Samples;
    rotor: Samples;
    spring: Samples;
    external: Samples;
    sum: Samples;
  };
  /**
   * Partial derivatives, [i][j] of torque i by coordinate j; of accelerations in forward dynamics. Spherical and floating joints
   * are displaced like their velocities: a turn (and a shift) in the child frame.
   */
  derivatives?: {
    /** nv x nv */
    dtau_dq?: Tensors2;
    /** nv x nv */
    dtau_dqd?: Tensors2;
    /** M (nv x nv) */
    dtau_dqdd?: Tensors2;
    /** nv x nv */
    dqdd_dq?: Tensors2;
    /** nv x nv */
    dqdd_dqd?: Tensors2;
    /** M^-1 (nv x nv) */
    dqdd_dtau?: Tensors2;
  };
  /**
   * Second partial derivatives of torque, also in forward dynamics: what `derivatives` of torque change by the last coordinate,
   * friction, springs, tendons, drag and external wrenches included. For robots of up to 64 degrees of freedom, mimicking joints
   * counted. Symmetric in j and k where both are q or both qd, but for two turns (or a turn and a shift) of one spherical or
   * floating joint: k first, then j about axes that k has turned.
   */
  second_derivatives?: {
    index_order: "[i][j][k] is that of torque i, by coordinate j of the first name, by k of the second";
    /** nv x nv x nv */
    d2tau_dq_dq: Tensors3;
    /** nv x nv x nv */
    d2tau_dqd_dqd: Tensors3;
    /** By qd, then by q; in the other order j and k change places (nv x nv x nv) */
    d2tau_dqd_dq: Tensors3;
    /** dM/dq (nv x nv x nv) */
    d2tau_dqdd_dq: Tensors3;
  };
  /**
   * Second partial derivatives of the acceleration of forward dynamics at this torque, also in inverse dynamics: what
   * `derivatives` of acceleration change by the last coordinate. Without constraints. Limits and symmetries are those of
   * `second_derivatives`.
   */
  acceleration_second_derivatives?: {
    index_order: "[i][j][k] is that of acceleration i, by coordinate j of the first name, by k of the second";
    /** nv x nv x nv */
    d2qdd_dq_dq: Tensors3;
    /** nv x nv x nv */
    d2qdd_dqd_dqd: Tensors3;
    /** By qd, then by q; in the other order j and k change places (nv x nv x nv) */
    d2qdd_dqd_dq: Tensors3;
    /** d(M^-1)/dq (nv x nv x nv) */
    d2qdd_dtau_dq: Tensors3;
  };
  /** A second opinion; residuals are relative to the largest entry, rounding leaves about 1e-14 */
  checks?: {
    /** Torque by recursion against M, C and g by Jacobians */
    recursive_lagrangian: Scalars;
    /** Against the stacked equations of the product of exponentials */
    recursive_stacked: Scalars;
    /** M of composite bodies against M by Jacobians */
    mass_matrix: Scalars;
    /** Of dM/dt - 2 C, Christoffel form */
    skew_symmetry: Scalars;
    /** M - M^T */
    symmetry: Scalars;
    /** Of M: positive when it is definite */
    smallest_eigenvalue: Scalars;
  };
  /**
   * What the motion requires of the drives of `joints`: uses are parts of a limit, 0 where there is none; voltage without L
   * di/dt; `feasible` is 1 where neither a peak current nor a voltage is exceeded, else 0
   */
  drive?: {
    joints: string[];
    /** N m: K i */
    motor_torque: Samples;
    /** rad/s */
    motor_speed: Samples;
    /** A */
    current: Samples;
    /** V */
    voltage: Samples;
    /** Of PWM; of a linear amplifier (1 + v/reach)/2 */
    duty: Samples;
    /** W out of the supply */
    power: Samples;
    /** Of the peak */
    current_use: Samples;
    continuous_use: Samples;
    voltage_use: Samples;
    feasible: Scalars;
  };
  /**
   * What laws that treat each joint alone get wrong. inertia_diagonal: M_ii qdd_i for (M qdd)_i; inertia_rotor: the rotor's
   * inertia alone; decoupled, decoupled_rotor: the same without C qd
   */
  decoupling?: {
    error: "approximate torque less exact torque";
    inertia_diagonal: Samples;
    inertia_rotor: Samples;
    decoupled: Samples;
    decoupled_rotor: Samples;
  };
  /**
   * Of a robot with constraints, in M qdd + ... = tau + J^T w + A^T values: forces of the constraints on the robot. Rows that
   * follow from others here are redundant (1, else 0); they share the load with the least sum of squares
   */
  multipliers?: {
    force_on: "robot";
    rows: string[];
    /** N or N m: by row */
    values: Samples;
    /** A^T values, by joint */
    force: Samples;
    redundant: Samples;
    rank: Scalars;
  };
  /** W: 0 at velocities that satisfy the constraints */
  constraint_power?: Scalars;
  /**
   * How torques were found: `tau` is that of the actuated joints, of least norm where they can work against each other. Without
   * constraints it is that of every joint
   */
  actuation?: {
    /** Driven rows of tau */
    actuated: Scalars;
    /** That the constraints leave */
    dof: Scalars;
    /** Independent torques that move nothing */
    internal: Scalars;
    /** Largest torque that no driven joint makes; rounding where the motion is possible */
    missing: Scalars;
  };
  /** A with A qd = b, dA/dt qd, and how far the state is off */
  constraint_jacobian?: {
    rows: string[];
    /** rows x nv */
    matrix: Tensors2;
    rate_term: Samples;
    /** m or rad: 0 for rows without one */
    position_residual: Samples;
    velocity_residual: Samples;
  };
  /** P_w = E - A^T (A M^-1 A^T)^-1 A M^-1 of forces, and P_T = P_w^T of motions */
  projectors?: {
    /** nv x nv */
    force: Tensors2;
    /** nv x nv */
    motion: Tensors2;
  };
  /** Frobenius' test here: directions that brackets of two allowed ones reach beside; 0: integrable */
  integrability?: {
    dof: Scalars;
    new_directions: Scalars;
    /** Largest such bracket, relative to its terms */
    defect: Scalars;
  };
  /** Words of other tools that were read as ours, and what the request leaves out and was taken as this */
  read_as?: {
    /** Where, in the request */
    pointer: string;
    /** The word; absent where nothing was sent */
    sent?: string;
    /** Such as `initial/q`, a name or a value */
    read: string;
  }[];
  /** Arrays that were left out, and so are zero; of one by names, `q.elbow` */
  assumed_zero?: string[];
  /** Fields of the request that have no effect */
  not_used?: string[];
  warnings?: Warnings;
  /**
   * Constraints that q does not satisfy, each in its worst row and sample, from 1e-4; of more than 4096 samples at evenly spaced
   * ones
   */
  off_constraints?: {
    constraint: string;
    sample: number;
    residual: number;
    /** m or rad; empty: of an equation */
    unit: string;
    text: string;
  }[];
  /** Where the request states it */
  angles?: Angles;
  provenance: Provenance;
}

/** Torques over time */
export interface TorqueTable {
  kind: "torque";
  /** s: increasing; before the first and after the last the torque stays */
  t: number[];
  tau: Sample | JointValues[];
  /** default linear */
  interpolation?: "hold" | "linear" | "cubic";
}

/** Part of a stretch's time in which a trapezoid speeds up (default 0.25) */
export type TrajectoryBlend = number;

/** s: between two points; with `fourier` one period if absent */
export type TrajectoryDurationS = number;

/** s: one for each stretch, from time 0 */
export type TrajectoryDurationsS = number[];

export interface TrajectoryFourier {
  /** Hz */
  frequency_hz: number;
  offset: JointValues;
  /** One row a harmonic: of the velocity's cosines */
  a: Table;
  /** As many rows */
  b: Table;
}

/** Of `frame` in the world */
export type TrajectoryPoses = Pose[];

export interface TrajectoryRequest {
  waypoints?: TrajectoryWaypoints;
  poses?: TrajectoryPoses;
  fourier?: TrajectoryFourier;
  /** With `poses`; the link that the robot ends in if absent */
  frame?: Point;
  /** With `poses`; if absent those of which the poses say something */
  axes?: Axes;
  /** With `poses`: coordinates near the first one */
  initial?: JointValues;
  timing?: TrajectoryTiming;
  blend?: TrajectoryBlend;
  times_s?: TrajectoryTimesS;
  durations_s?: TrajectoryDurationsS;
  duration_s?: TrajectoryDurationS;
  /** Times out of limits, in place of `timing` and times: of waypoints, or (time-optimal) of poses */
  limits?: {
    /** `s-curve` with `jerk`, else `time-optimal`, if absent */
    kind?: "trapezoid" | "s-curve" | "time-optimal";
    /**
     * Time-optimal through waypoints: the not-a-knot spline over the length of chords, at rest at both ends; or lines, at rest at
     * each waypoint (default spline)
     */
    path?: "spline" | "lines";
    /** One for each joint. The robot's if absent, without limit where it has none */
    velocity?: number[] | {
      [name: string]: number;
    };
    /** Part of the limits that is used (default 1) */
    velocity_factor?: number;
    /** One for each joint; time-optimal: without limit if absent. One joint at least needs a bound of acceleration or torque */
    acceleration?: number[] | {
      [name: string]: number;
    };
    /** default 1 */
    acceleration_factor?: number;
    /** One for each joint, of an S-curve */
    jerk?: number[] | {
      [name: string]: number;
    };
    /** default 1 */
    jerk_factor?: number;
    /** One for each joint, time-optimal. The robot's if absent, without limit where it has none */
    torque?: number[] | {
      [name: string]: number;
    };
    /** default 1 */
    torque_factor?: number;
    /** Intervals of the path from rest to rest, time-optimal (default 200) */
    grid?: number;
    /** Torques of the samples in the answer (default false) */
    tau?: boolean;
  };
  /** With times out of limits: torques are those of the robot that carries it */
  payload?: Payload;
  /** s (default 0.01) */
  interval_s?: number;
  /** Another order of joints */
  joints?: string[];
  /** default rad */
  angles?: Angles;
}

export interface TrajectoryResult {
  joints: JointNames;
  violations: {
    joint: string;
    limit: "lower" | "upper" | "velocity";
    bound: number;
    worst: number;
    t: number;
    sample: number;
  }[];
  /** With `limits` */
  duration_s?: number;
  /** With `limits`: which one is met when; where a profile switches between grid points the nearest to it */
  binding?: {
    from_s: number;
    to_s: number;
    joint: string;
    limit: "velocity" | "acceleration" | "jerk" | "torque";
  }[];
  /** s */
  t: number[];
  q: Table;
  qd: Table;
  qdd: Table;
  /** With `limits.tau` */
  tau?: Table;
  /** Words of other tools that were read as ours, and what the request leaves out and was taken as this */
  read_as?: {
    /** Where, in the request */
    pointer: string;
    /** The word; absent where nothing was sent */
    sent?: string;
    /** Such as `initial/q`, a name or a value */
    read: string;
  }[];
  warnings?: Warnings;
  /** Where the request states it */
  angles?: Angles;
  provenance: Provenance;
}

/** s: increasing; one for each point. Without any times the motion is time-optimal */
export type TrajectoryTimesS = number[];

/** With waypoints and poses; `quintic` if absent; a spline is for waypoints */
export type TrajectoryTiming = "linear" | "cubic" | "quintic" | "septic" | "trapezoid" | "spline";

export type TrajectoryWaypoints = JointValues[];

/** v, w: m/s, rad/s */
export type Twist = number[];

export interface UnknownGain {
  /** 1e-9 to 1e12; for all joints one, or one for each */
  start: number | number[];
}

/** One of `uniform`, `normal`, `list`, `grid` */
export interface Variation {
  /**
   * q, qd: added to the initial ones; torque: added all the time; factors: on mass and inertia of a link, on friction of a joint,
   * on gains of the controller, on the amplitude of a disturbance; payload_mass: kg at a point of a link; noise_seed: of a
   * disturbance by noise, its whole part, 0 to 2^53. A drawn mass, friction or gain below 0 is 0
   */
  of: "q" | "qd" | "torque" | "mass_factor" | "viscous_factor" | "coulomb_factor" | "payload_mass" | "kp_factor" | "kd_factor" | "ki_factor" | "lambda_factor" | "noise_seed" | "disturbance_factor";
  /** Of a gain: all joints if absent */
  joint?: string;
  /** Of a payload: the link that the robot ends in if absent */
  link?: string;
  /** Place in the list `disturbance`, where there are several */
  disturbance?: number;
  /** Of a payload: where, on the link; its origin if absent */
  at?: "origin" | "com" | Vector3;
  /** From, to */
  uniform?: number[];
  normal?: {
    /** 0, of factors 1 */
    mean?: number;
    deviation: number;
  };
  list?: number[];
  grid?: {
    from: number;
    to: number;
    count: number;
  };
}

export type Vector = number[];

export type Vector3 = number[];

/**
 * What is allowed and probably wrong: coordinates more than a turn (or 10 m) beyond their limits, turns of a pose that look like
 * degrees, a run that ends beside its setpoint for want of a gravity term
 */
export type Warnings = {
  /** Empty: of no joint */
  joint: string;
  /** The worst one */
  sample: number;
  text: string;
}[];

/** A force or a moment or both, for all samples or one for each. Where it acts, on whom and along which axes is stated. */
export interface Wrench {
  /** The link that it acts on */
  link: string;
  /** N: none if absent */
  force?: Vector3 | Vector3[];
  /** N m: about the point `at`; none if absent */
  moment?: Vector3 | Vector3[];
  /** Point of action, as a name or in the link frame (m) */
  at: "origin" | "com" | Vector3;
  /** Who feels it */
  applied_to: "robot" | "environment";
  /** Axes of its components */
  expressed_in: "world" | "link";
}

/** As `ConstantWrench`; with `t`, force and moment have one row a time */
export interface WrenchOverTime {
  /** The link that it acts on */
  link: string;
  /** N: none if absent */
  force?: Vector3 | Vector3[];
  /** N m: about the point `at`; none if absent */
  moment?: Vector3 | Vector3[];
  /** Point of action, as a name or in the link frame (m) */
  at: "origin" | "com" | Vector3;
  /** Who feels it */
  applied_to: "robot" | "environment";
  /** Axes of its components */
  expressed_in: "world" | "link";
  /** s: increasing */
  t?: number[];
  /** default linear */
  interpolation?: "hold" | "linear" | "cubic";
}

/** Request, answer and query of each. */
export interface RobotOperations {
  /** Joint torques from motion */
  inverseDynamics: [InverseDynamicsRequest, InverseDynamicsResult, { format?: "json" | "cbor" | "npz" | "npy" | "csv" | "svg" }];
  /** Accelerations from joint torques */
  forwardDynamics: [ForwardDynamicsRequest, ForwardDynamicsResult, { format?: "json" | "cbor" | "npz" | "npy" | "csv" | "svg" }];
  /** Any terms of the equation of motion, in one pass */
  terms: [TermsRequest, TermsResult, { format?: "json" | "cbor" | "npz" | "csv" }];
  /** Poses of links and points, their velocities, accelerations and Jacobians */
  kinematics: [KinematicsRequest, KinematicsResult, { format?: "json" | "cbor" | "npz" | "csv" }];
  /** What holds a load, what the joints bear, how the endpoint gives way */
  statics: [StaticsRequest, StaticsResult, { format?: "json" | "cbor" | "npz" | "csv" }];
  /** Torque as a linear function of parameters */
  regressor: [RegressorRequest, RegressorResult, { form?: "base"; format?: "json" | "cbor" | "npz" | "csv" }];
  /** Coordinates that bring a point of a link to a pose */
  inverseKinematics: [InverseKinematicsRequest, InverseKinematicsResult, { format?: "json" | "cbor" | "npz" | "csv" }];
  /** How well, and in which directions, a point can be moved */
  manipulability: [ManipulabilityRequest, ManipulabilityResult, { format?: "json" | "cbor" | "npz" | "csv" }];
  /** Motion through waypoints, in joint or Cartesian space, sampled */
  trajectory: [TrajectoryRequest, TrajectoryResult, { format?: "json" | "cbor" | "npz" | "csv" | "svg" }];
  /** Motion under given torques or a controller */
  simulate: [SimulateRequest, SimulateResult, { format?: "json" | "cbor" | "npz" | "csv" | "svg" }];
  /** Motion to record, from which `calibrate` can identify the parameters */
  excitation: [ExcitationRequest, ExcitationResult, { format?: "json" | "cbor" }];
  /** Many simulations with varied parameters, initial states or inputs */
  ensemble: [EnsembleRequest, EnsembleResult, { format?: "json" | "cbor" | "npz" | "csv" | "svg" }];
  /** Parameters from measured motion */
  calibrate: [CalibrateRequest, CalibrateResult, { format?: "json" | "cbor" | "npz" | "csv" }];
  /** The body that a calibrated robot carries, from motion or from poses at rest */
  payload: [PayloadRequest, PayloadResult, { format?: "json" | "cbor" }];
  /** External torque on a calibrated robot that its model does not explain: contacts, and drifting friction */
  residual: [ResidualRequest, ResidualResult, { format?: "json" | "cbor" }];
  /** Zero offsets and errors of joints' frames from measured poses, points, or a touched plane */
  calibrateKinematics: [CalibrateKinematicsRequest, CalibrateKinematicsResult, { format?: "json" | "cbor" }];
  /** Distances between shapes of the robot, and from shapes to obstacles */
  distance: [DistanceRequest, DistanceResult, { format?: "json" | "cbor" | "npz" | "csv" }];
  /** The whole motion of closed loops, from that of the joints that are given */
  assemble: [AssembleRequest, AssembleResult, { format?: "json" | "cbor" | "npz" | "csv" }];
  /** Poses at rest to record, from which gravity or a payload can be identified */
  staticPoses: [StaticPosesRequest, StaticPosesResult, { format?: "json" | "cbor" }];
  /** Sums and differences of coordinates, quaternions among them */
  configuration: [ConfigurationRequest, ConfigurationResult, { format?: "json" | "cbor" | "npz" | "csv" }];
}

/** Request, answer and query of each. */
export interface ServiceOperations {
  /** Bodies put together, seen from anywhere, and judged */
  inertia: [InertiaRequest, InertiaResult, { format?: "json" | "cbor" | "npz" | "csv" }];
  /** One rigid body by itself: motion of its points, momentum, energy, frames */
  rigidBody: [RigidBodyRequest, RigidBodyResult, { format?: "json" | "cbor" | "npz" | "csv" }];
  /** One motor with its gear and amplifier */
  drive: [DriveRequest, DriveResult, { format?: "json" | "cbor" | "npz" | "csv" }];
  /** Two results or datasets: the differences of like columns over time */
  compare: [CompareRequest, CompareResult, { format?: "json" | "cbor" | "npz" | "csv" | "svg" }];
}
