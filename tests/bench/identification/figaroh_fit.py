# SPDX-License-Identifier: Apache-2.0
# tests/bench/identification/figaroh_fit.py - one identification by FIGAROH: figaroh_fit.py FOLDER.
"""Reads FOLDER/case.npz and FOLDER/robot.urdf, writes FOLDER/figaroh.json: processor seconds of the fit, the torque at the unseen states, and
what it says of the logs. It is used as its guide has it: a subclass that supplies the logs, filtered and differentiated one
by one by its own filters at the cut-off that the generator knows, weighted least squares on base parameters with viscous
and Coulomb friction, offsets and rotors, and a log of its own for validation."""

import contextlib
import io
import json
import logging
import pathlib
import sys
import time

import numpy as np
import yaml
from figaroh.identification.base_identification import BaseIdentification
from figaroh.tools.regressor import build_regressor_basic, build_regressor_reduced
from figaroh.tools.robot import Robot

FOLDER = pathlib.Path(sys.argv[1])


class Identification(BaseIdentification):
    """logs: (positions, torques) of each run; the last one is for validation."""

    def __init__(self, robot, config, logs, rate):
        self.logs, self.rate = logs, rate
        super().__init__(robot, config)
        every = list(range(robot.model.nv))
        self.identif_config.update(act_idxq=every, act_idxv=every)  # its base class expects them of a subclass

    def load_trajectory_data(self, data_source=None):
        self.current = self.logs[-1:] if data_source else self.logs[:-1]
        n = sum(len(q) for q, _ in self.current)
        return {"timestamps": np.arange(n) / self.rate, "positions": np.vstack([q for q, _ in self.current]), "velocities": None,
                "accelerations": None, "torques": np.vstack([tau for _, tau in self.current])}

    def process_kinematics_data(self, filter_config=None):
        parts = []
        for q, tau in self.current:
            t = np.arange(len(q)) / self.rate
            q, tau = self._apply_filters(q, tau, **filter_config["filter_params"])
            qd = self._differentiate_signal(t, q, method="gradient")
            qdd = self._differentiate_signal(t, qd, method="gradient")
            edge = int(self.rate / 2)  # the filter's transient
            parts.append([x[edge:-edge] for x in (q, qd, qdd, tau)])
        q, qd, qdd, self.filtered = (np.vstack(x) for x in zip(*parts))
        self.processed_data = {"timestamps": np.arange(len(q)) / self.rate, "positions": q, "velocities": qd, "accelerations": qdd}

    def process_torque_data(self, **_):
        return self.filtered

    def predict(self, q, qd, qdd):
        """Torques (samples x joints) of the identified base parameters."""
        whole = build_regressor_basic(self.robot, q, qd, qdd, self.identif_config)
        base = build_regressor_reduced(whole, self._idx_eliminated)[:, self._base_indices]
        return (base @ self.phi_base)[:q.shape[1] * len(q)].reshape(q.shape[1], len(q)).T


def configure(names, rate, cutoff):
    """As its unified format has it."""
    n = len(names)
    task = {"joints": {"active_joints": names},
            "mechanics": {"friction_coefficients": {"viscous": [0] * n, "static": [0] * n}, "actuator_inertias": [0] * n,
                          "joint_offsets": [0] * n, "reduction_ratios": [1] * n},
            "problem": {"include_external_forces": False, "use_joint_torques": True,
                        "model_components": {"friction": True, "actuator_inertia": True, "joint_offset": True}},
            "coupling": {"has_coupled_wrist": False}, "data": {"validation_data_file": "validation"},
            "signal_processing": {"sampling_frequency": float(rate), "cutoff_frequency": float(cutoff)}}
    path = FOLDER / "figaroh.yaml"
    path.write_text(yaml.safe_dump({"robot": {"name": "robot"}, "tasks": {"identification": task}}))
    return str(path)


def main():
    case = np.load(FOLDER / "case.npz")
    logs = [(case[f"q{e}"], case[f"tau{e}"]) for e in range(int(case["runs"]))] + [(case["q_check"], case["tau_check"])]
    rate = float(case["rate"])
    said = []

    class Keep(logging.Handler):
        def emit(self, record):
            said.append(record.getMessage())

    logging.getLogger("figaroh").addHandler(Keep(logging.WARNING))
    begun = time.process_time()
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        robot = Robot(str(FOLDER / "robot.urdf"), str(FOLDER))
        names = [robot.model.names[k] for k in range(1, robot.model.njoints)]
        one = Identification(robot, configure(names, rate, case["cutoff"]), logs, rate)
        one.initialize()
        one.solve(decimate=False, plotting=False, wls=True)
    seconds = time.process_time() - begun
    verdict = one.verify()
    metrics = one.result["validation_metrics"]
    tau = one.predict(case["q_unseen"], case["qd_unseen"], case["qdd_unseen"])
    (FOLDER / "figaroh.json").write_text(json.dumps({
        "seconds": seconds, "tau": tau.tolist(), "log": said, "insights": verdict.insights, "unpredictable": metrics["unpredictable_joints"],
        "rmse_check": [m["rmse_identified"] for m in metrics["per_joint"].values()], "report": out.getvalue()}))


main()
