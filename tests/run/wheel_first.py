# SPDX-License-Identifier: Apache-2.0
# tests/run/wheel_first.py - what a new user does first with the installed package; run by wheel.sh where nothing else is installed.
import os
import time

begin = time.monotonic()
import torqued  # noqa: E402
from torqued import logs  # noqa: E402

with torqued.local() as client:
    panda = client.robot("panda")
    tau = panda.inverse_dynamics([0, -0.8, 0, -2.4, 0, 1.6, 0.8], [0] * 7, [0] * 7)
    print(f"first torque after {time.monotonic() - begin:.1f} s: {tau.round(2)}")
    assert tau.shape == (7,) and abs(tau[0]) < 1e-9 < abs(tau[3])
    try:
        panda.inverse_dynamics([0] * 6, [0] * 7, [0] * 7)
    except torqued.WrongInput as error:
        assert "q" in str(error) and error.errors[0].hint
    fit = panda.calibrate(["sample-panda-1", "sample-panda-2"], columns={"time": "t", "q": "q", "tau": "tau"}, filter={"cutoff_hz": 8})
    job = client.job(fit.job_id)
    job.report().save("/tmp/report.html")
    print(f"first report after {time.monotonic() - begin:.1f} s: {fit.verdict}, {os.path.getsize('/tmp/report.html')} bytes")
    assert "<svg" in open("/tmp/report.html").read()
    # a log of one's own: a file that is none, then one that is; what is missing is said, and how to get it
    with open("/tmp/log.csv", "w") as file:
        file.write("time,q1,tau1\n" + "".join(f"{k / 100},{k % 7 / 10},{k % 5}\n" for k in range(200)))
    try:
        logs.read("/tmp/log.csv", joints=["joint"])
    except torqued.TorquedError as error:
        print(f"a log without a map: {type(error).__name__}: {str(error).splitlines()[0][:160]}")
    for ask in (lambda: fit.to_pandas(), lambda: fit.plot(), lambda: logs.read("/tmp/none.mcap", joints=["joint"])):
        try:
            ask()
        except (ImportError, torqued.TorquedError, OSError) as error:
            print(f"without an extra: {type(error).__name__}: {str(error).splitlines()[0][:160]}")
            assert "pip install" in str(error) or "none.mcap" in str(error), error
    path = client.folder
assert not os.path.exists(path), "the daemon's folder goes with the program"
