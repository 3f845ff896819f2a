# SPDX-License-Identifier: Apache-2.0
# tests/bench/identification/mujoco_fit.py - one identification by MuJoCo's sysid: mujoco_fit.py FOLDER.
"""Reads FOLDER/case.npz and FOLDER/robot.urdf, writes FOLDER/mujoco.json: processor seconds of the fit, the torque at the unseen states, and what
it says of the logs. Every body's pseudo-inertia, and armature, damping and friction loss of every joint, are fitted to
positions and velocities of windows of 0.3 s that the recorded torque drives from the recorded state (nothing of a
controller is known, and longer windows of an arm without one diverge). Rates are those of the positions, low-pass filtered
without delay at the cut-off that the generator knows."""

import json
import logging
import pathlib
import sys
import time

import mujoco
import numpy as np
import scipy.signal
from absl import logging as absl_logging
from mujoco import sysid

FOLDER = pathlib.Path(sys.argv[1])
WINDOW_S, STEP_S, ITERATIONS = 0.3, 0.005, 30


def load(path):
    read = mujoco.MjSpec.from_string(path.read_text())
    read.compile()
    spec = mujoco.MjSpec.from_string(read.to_xml())  # its own format, whose bodies sysid can change
    spec.option.timestep = STEP_S
    spec.option.integrator = mujoco.mjtIntegrator.mjINT_RK4
    spec.option.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONTACT | mujoco.mjtDisableBit.mjDSBL_LIMIT
    for joint in spec.joints:
        spec.add_actuator(name=f"m_{joint.name}", target=joint.name, trntype=mujoco.mjtTrn.mjTRN_JOINT)
        for kind, of in (("p", mujoco.mjtSensor.mjSENS_JOINTPOS), ("v", mujoco.mjtSensor.mjSENS_JOINTVEL)):
            spec.add_sensor(name=f"{kind}_{joint.name}", type=of, objtype=mujoco.mjtObj.mjOBJ_JOINT, objname=joint.name)
    return spec


def parameters(spec, model):
    found = sysid.ParameterDict()
    for b in range(1, model.nbody):
        if model.body_mass[b] > 0:
            name = model.body(b).name
            found.add(sysid.body_inertia_param(spec, model, name, inertia_type=sysid.InertiaType.Pseudo, modifier=body_setter(name)))
    for joint in spec.joints:
        for what, most in (("armature", 5.0), ("damping", 20.0), ("frictionloss", 20.0)):
            found.add(sysid.Parameter(f"{joint.name}_{what}", 0.05, 0.0, most, modifier=setter(joint.name, what)))
    return found


def body_setter(name):
    """As its own modifier, by principal axes: with a full inertia (its own) MuJoCo 4.0 refuses the body."""
    def change(spec, parameter):
        mass, *h = (pi := sysid.model_modifier.pi_from_theta(parameter.value))[:4]
        com = np.array(h) / mass
        cross = sysid.model_modifier.skew(com)
        moments, axes = np.linalg.eigh(pi_inertia(pi) + mass * cross @ cross)
        axes[:, 2] *= np.sign(np.linalg.det(axes))
        quat = np.zeros(4)
        mujoco.mju_mat2Quat(quat, axes.flatten())
        body = spec.body(name)
        body.mass, body.ipos, body.inertia, body.iquat = mass, com, moments, quat
        body.fullinertia = np.full(6, np.nan)
        body.explicitinertial = True
    return change


def pi_inertia(pi):
    return np.asarray(pi[4:]).reshape(3, 3)


def setter(name, what):
    def change(spec, parameter):
        joint = spec.joint(name)
        if what == "damping":
            joint.damping = [parameter.value[0], 0, 0] if np.ndim(joint.damping) else parameter.value[0]
        else:
            setattr(joint, what, parameter.value[0])
    return change


def windows(model, case, stride):
    rate = float(case["rate"])
    b, a = scipy.signal.butter(4, float(case["cutoff"]) / (rate / 2))
    names = [model.joint(j).name for j in range(model.njnt)]
    # in the model's order: the residual compares column by column
    sensors = {f"{kind}_{n}": (sysid.SignalType.MjSensor, np.array([2 * k + (kind == "v")])) for k, n in enumerate(names) for kind in "pv"}
    states, controls, measured = [], [], []
    for e in range(int(case["runs"])):
        q, tau = (scipy.signal.filtfilt(b, a, case[f"{k}{e}"], axis=0) for k in ("q", "tau"))
        qd = np.gradient(q, 1 / rate, axis=0)
        t = np.arange(len(q)) / rate
        n = round(WINDOW_S * rate)
        for k in range(int(rate / 2), len(q) - int(rate / 2) - n, n * stride):
            states.append(sysid.create_initial_state(model, q[k], qd[k]))
            steps = np.arange(round(WINDOW_S / STEP_S) + 1) * STEP_S
            held = np.column_stack([np.interp(t[k] + steps + STEP_S / 2, t, tau[:, j]) for j in range(tau.shape[1])])
            controls.append(sysid.TimeSeries(steps, held))
            rows = slice(k, k + n + 1)
            measured.append(sysid.TimeSeries(t[rows] - t[k], np.stack([q[rows], qd[rows]], 2).reshape(n + 1, -1), sensors))
    return states, controls, measured


def inverse(model, case):
    data, out = mujoco.MjData(model), []
    for q, qd, qdd in zip(case["q_unseen"], case["qd_unseen"], case["qdd_unseen"]):
        data.qpos[:], data.qvel[:], data.qacc[:] = q, qd, qdd
        mujoco.mj_inverse(model, data)
        out.append(data.qfrc_inverse.copy())
    return np.array(out)


def main():
    case = np.load(FOLDER / "case.npz")
    said = []

    class Keep(logging.Handler):
        def emit(self, record):
            said.append(record.getMessage())

    absl_logging.use_absl_handler()
    logging.getLogger("absl").addHandler(Keep(logging.WARNING))
    begun = time.process_time()
    spec = load(FOLDER / "robot.urdf")
    model = spec.compile()
    states, controls, measured = windows(model, case, int(case["stride"]))
    sequences = sysid.ModelSequences("arm", spec, [f"w{k}" for k in range(len(states))], states, controls, measured)
    first = parameters(spec, model)
    first.move_off_bounds()
    residual = sysid.build_residual_fn(models_sequences=[sequences])
    best, result = sysid.optimize(first, residual, optimizer="mujoco", verbose=False, check_conditioning=True, max_iters=ITERATIONS)
    residuals, _, _ = residual(best.as_vector(), best)
    _, widths = sysid.calculate_intervals(residuals, result.jac)
    seconds = time.process_time() - begun
    fitted = sysid.apply_param_modifiers(best, spec)
    low, high = best.get_bounds()
    x = best.as_vector()
    (FOLDER / "mujoco.json").write_text(json.dumps({
        "seconds": seconds, "tau": inverse(fitted, case).tolist(), "log": said, "windows": len(states),
        "at_bounds": int(((x - low < 1e-3 * (high - low)) | (high - x < 1e-3 * (high - low))).sum()), "parameters": len(x),
        "wide": int((np.abs(widths) > 0.3 * np.abs(x)).sum()), "residual": float(np.sqrt(np.mean(np.concatenate(residuals) ** 2)))}))


main()
