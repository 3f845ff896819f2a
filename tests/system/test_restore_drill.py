# SPDX-License-Identifier: Apache-2.0
# tests/system/test_restore_drill.py - the restore that docs/operating.md describes, command by command, after the loss of everything.
import json
import os
import pathlib
import shutil
import subprocess

import conftest

TORQUECTL = str(pathlib.Path(conftest.TORQUED).parent / "torquectl")
BODY = json.dumps({"initial": {"q": [0.3, -0.2]}, "duration_s": 1, "output": {"interval_s": 0.1}})
JSON = {"Content-Type": "application/json"}


def everything(daemon):
    """Each stored thing, byte for byte, without what counts time."""
    found = {}
    for kind in ("robots", "datasets", "jobs"):
        rows = json.loads(daemon.request("GET", f"/v1/{kind}")[2])
        for row in rows[kind]:
            name = row.get("id") or row["name"]
            for path in {"robots": [""], "datasets": ["/content"], "jobs": ["/request", "/result"]}[kind]:
                found[kind, name, path] = daemon.request("GET", f"/v1/{kind}/{name}{path}")[::2]
    return found


def test_backup_verify_lose_everything_restore(start, tmp_path):
    daemon = start()
    urdf = daemon.request("GET", "/v1/robots/planar-2r/urdf")
    daemon.request("PUT", "/v1/robots/mine", urdf[2], {"Content-Type": "application/xml"})
    large = b"t,q\n" + b"".join(b"%d,%d\n" % (k, k * k % 97) for k in range(100_000))
    for name, data in (("small", b"t,q\n0,1\n1,2\n"), ("large", large)):
        assert daemon.request("PUT", f"/v1/datasets/{name}", data, {"Content-Type": "text/csv"})[0] in (200, 201)
    for _ in range(3):
        assert daemon.request("POST", "/v1/robots/planar-2r/simulate", BODY, {**JSON, "Prefer": "respond-async"})[0] == 202
    conftest.eventually(lambda: all(job["state"] == "succeeded" for job in json.loads(daemon.request("GET", "/v1/jobs")[2])["jobs"]))
    before = everything(daemon)
    assert len([key for key in before if key[0] == "jobs"]) == 6 and all(status == 200 for status, _ in before.values())

    archive = tmp_path / "torqued.tar"
    for command in (["backup", str(archive)], ["verify", str(archive)]):
        done = subprocess.run([TORQUECTL, "-s", daemon.url, *command], capture_output=True, text=True, timeout=conftest.PATIENCE, check=False)
        assert done.returncode == 0, done.stderr
    assert archive.stat().st_mode & 0o077 == 0
    # what comes after the backup is not in it
    assert daemon.request("PUT", "/v1/datasets/later", b"t,q\n0,1\n", {"Content-Type": "text/csv"})[0] in (200, 201)
    state = daemon.state
    daemon.process.kill()
    daemon.process.wait()
    daemon.closed = True
    shutil.rmtree(state)

    restored = tmp_path / "restored"
    restored.mkdir(mode=0o700)
    subprocess.run(["tar", "-C", restored, "-xf", archive], check=True, timeout=conftest.PATIENCE)
    checked = subprocess.run([conftest.TORQUED, "--check-store", "--state-dir", str(restored)], capture_output=True, text=True,
                             timeout=conftest.PATIENCE, check=False)
    assert checked.returncode == 0, checked.stdout + checked.stderr
    again = start(state=str(restored))
    assert everything(again) == before
    assert not os.path.exists(restored / "files/lost") or os.listdir(restored / "files/lost") == []
