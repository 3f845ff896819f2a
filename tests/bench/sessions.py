# SPDX-License-Identifier: Apache-2.0
# tests/bench/sessions.py - a lock step of a 7-axis arm over a Unix socket, beside the bare HTTP library with as long an answer.
"""Usage: sessions.py TORQUED RESPONDER STEPS JSON_FILE. Ours and the responder alternate; medians of the rounds, and the best one."""

import json
import os
import socket
import statistics
import subprocess
import sys
import tempfile
import time

ROUNDS, REQUESTS = 9, 4000
HOME = [0, -0.785398163, 0, -2.35619449, 0, 1.57079633, 0.785398163]
# some torque that gravity nearly takes, 17 digits: the motion stays one for 40,000 steps
TAU = [0.01234567890123456, -4.123456789012345, 0.1234567890123456, 22.12345678901234, 0.5123456789012345, 2.212345678901234, 0.01123456789012345]


def post(path, where, body):
    with socket.socket(socket.AF_UNIX) as s:
        s.connect(path)
        body = json.dumps(body).encode()
        s.sendall(f"POST {where} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body)
        got = b""
        while piece := s.recv(65536):
            got += piece
    return json.loads(got.partition(b"\r\n\r\n")[2])


def wait_for(path):
    deadline = time.monotonic() + 30
    while not os.path.exists(path):
        assert time.monotonic() < deadline, "it does not start"
        time.sleep(0.01)


def main(torqued, responder, steps, out):
    folder = tempfile.mkdtemp(prefix="torqued-bench-")
    ours, bare = os.path.join(folder, "ours"), os.path.join(folder, "bare")
    request = {"robot": "panda", "initial": {"q": HOME}, "step_s": 0.001, "history": 100}
    body = json.dumps({"tau": TAU}, separators=(",", ":"))
    service = subprocess.Popen([torqued, "--listen", f"unix:{ours}", "--state-dir", os.path.join(folder, "state")], stderr=subprocess.DEVNULL)
    peer = None
    try:
        wait_for(ours)
        session = post(ours, "/v1/sessions", request)
        answer = os.path.join(folder, "answer")
        with open(answer, "w") as f:
            json.dump(post(ours, f"/v1/sessions/{session['id']}/step", {"tau": TAU}), f, separators=(",", ":"))
        peer = subprocess.Popen([responder, answer, "1", f"unix:{bare}"], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL)
        wait_for(bare)
        rows = {"ours": [], "bare": []}
        for _ in range(ROUNDS):
            session = post(ours, "/v1/sessions", request)  # each round the same steps
            for name, path, where in (("ours", ours, f"/v1/sessions/{session['id']}/step"), ("bare", bare, "/")):
                output = subprocess.run([steps, path, where, body, str(REQUESTS)], capture_output=True, text=True, check=True).stdout
                rows[name].append([float(word) for word in output.split()])
    finally:
        service.terminate()
        if peer is not None:
            peer.stdin.close()
            peer.wait()
        service.wait()
    result = []
    for k, (what, unit) in enumerate((("p50", "us"), ("p99", "us"), ("largest", "us"), ("requests a second", "1/s"))):
        mine, theirs = [row[k] for row in rows["ours"]], [row[k] for row in rows["bare"]]
        best = max if k == 3 else min
        print(f"a step of panda over a Unix socket, {what:18} {statistics.median(mine):9.1f} {unit:4} best {best(mine):9.1f}   "
              f"bare library {statistics.median(theirs):9.1f}, best {best(theirs):9.1f}")
        result.append({"what": f"lock step, {what}", "unit": unit, "ours": statistics.median(mine), "best": best(mine),
                       "peer": statistics.median(theirs), "peer_best": best(theirs)})
    with open(out, "w") as f:
        json.dump(result, f)


if __name__ == "__main__":
    main(*sys.argv[1:])
