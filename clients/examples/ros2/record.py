#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# clients/examples/ros2/record.py - joint states of ROS 2 into a dataset of torqued, and the columns that a calibration of it names.
"""usage: record.py --dataset NAME [--topic /joint_states] [--joints j1,j2,...] [--url http://127.0.0.1:8420] [--out FILE]

Subscribes until Ctrl-C, then uploads a CSV and prints `columns` for `calibrate` and `inverse-dynamics`. Needs rclpy and
sensor_msgs, and of Python the standard library. Positions in rad or m, efforts in N m or N, as sensor_msgs/JointState has them.
"""
import argparse
import json
import math
import os
import sys
import urllib.request


class JointStateLog:
    """Messages of sensor_msgs/JointState as rows: time from the first one, then position, velocity and effort of each joint.

    The order of joints is that of `joints`, else of the first message; a message may have them in another one, or more
    of them. Messages that lack a joint, repeat a stamp or go back in time are counted in `left_out`. Velocity and effort
    are columns only if the first message has them; a value that is missing later is nan, which torqued counts.
    """

    def __init__(self, joints=None):
        self.joints = list(joints) if joints else None
        self.kinds = None
        self.rows = []
        self.left_out = {"joints": 0, "time": 0}
        self._start_ns = None
        self._last_ns = None

    def add(self, message):
        stamp_ns = message.header.stamp.sec * 1_000_000_000 + message.header.stamp.nanosec
        index = {name: i for i, name in enumerate(message.name)}
        if self.joints is None:
            self.joints = list(message.name)
        if any(name not in index for name in self.joints):
            self.left_out["joints"] += 1
            return
        if self._last_ns is not None and stamp_ns <= self._last_ns:
            self.left_out["time"] += 1
            return
        if self.kinds is None:
            self.kinds = ["q"] + [kind for kind, values in (("qd", message.velocity), ("tau", message.effort)) if len(values) > 0]
            self._start_ns = stamp_ns
        self._last_ns = stamp_ns
        row = [(stamp_ns - self._start_ns) / 1e9]
        for kind in self.kinds:
            values = {"q": message.position, "qd": message.velocity, "tau": message.effort}[kind]
            row += [float(values[index[name]]) if index[name] < len(values) else math.nan for name in self.joints]
        self.rows.append(row)

    def header(self):
        return ["t"] + [f"{kind}_{name}" for kind in self.kinds or ["q"] for name in self.joints or []]

    def csv(self):
        # repr of a float is the shortest text that gives its bits back
        return "".join(",".join(cells) + "\n" for cells in [self.header(), *(map(repr, row) for row in self.rows)])

    def columns(self):
        """What a request of torqued says about this log."""
        return {"time": "t", **{kind: [f"{kind}_{name}" for name in self.joints] for kind in self.kinds}}


def upload(url, dataset, text):
    headers = {"Content-Type": "text/csv"}
    if os.environ.get("TORQUED_TOKEN"):
        headers["Authorization"] = f"Bearer {os.environ['TORQUED_TOKEN']}"
    request = urllib.request.Request(f"{url.rstrip('/')}/v1/datasets/{dataset}", text.encode(), headers, method="PUT")
    with urllib.request.urlopen(request) as reply:
        return json.load(reply)


def record(log, topic):
    """Until Ctrl-C."""
    import rclpy
    from rclpy.node import Node
    from rclpy.qos import qos_profile_sensor_data
    from sensor_msgs.msg import JointState

    rclpy.init()
    node = Node("torqued_record")
    node.create_subscription(JointState, topic, log.add, qos_profile_sensor_data)
    try:
        rclpy.spin(node)
    except KeyboardInterrupt:
        pass
    finally:
        node.destroy_node()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--dataset", required=True)
    parser.add_argument("--topic", default="/joint_states")
    parser.add_argument("--joints", help="with commas between, in the robot's order")
    parser.add_argument("--url", default=os.environ.get("TORQUED_URL", "http://127.0.0.1:8420"))
    parser.add_argument("--out", help="write the CSV to this file as well")
    given = parser.parse_args()
    log = JointStateLog(given.joints.split(",") if given.joints else None)
    record(log, given.topic)
    if not log.rows:
        sys.exit(f"no message came on {given.topic}")
    if given.out:
        with open(given.out, "w", encoding="utf-8") as file:
            file.write(log.csv())
    stored = upload(given.url, given.dataset, log.csv())
    print(f"{stored['rows']} rows; left out: {log.left_out}", file=sys.stderr)
    print(json.dumps({"datasets": [given.dataset], "columns": log.columns()}))


if __name__ == "__main__":
    main()
