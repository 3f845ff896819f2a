# SPDX-License-Identifier: Apache-2.0
# tests/system/test_unit_boots.py - the installed units under a real systemd, hardening and all.
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "contract"))
import conftest  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCRIPT = r"""
say() { echo; echo "== $1"; }
show() { systemctl show "$@"; }
until_ready() { for _ in $(seq 600); do curl -fs --max-time 20 http://127.0.0.1:8420/readyz >/dev/null && return; sleep 0.1; done; echo "not ready"; }
# until_shown PATTERN PROPERTY
until_shown() { for _ in $(seq 600); do show torqued -p $2 | grep -q "$1" && return; sleep 0.1; done; echo "$2 is not $1"; }
post() { curl -s --max-time 60 http://127.0.0.1:8420/v1/robots/planar-2r/$1 -H "$2" -H 'Content-Type: application/json' -d "$3"; }
until_ready
say started; show torqued -p ActiveState,StatusText,User,NRestarts
say computes; post inverse-dynamics 'X-Test: 1' '{"q":[0.1,0.2],"qd":[0,0],"qdd":[0,0]}'
say job; post simulate 'Prefer: respond-async' '{"initial":{"q":[0.3,0.2]},"duration_s":100000,"output":{"interval_s":100},"solver":{"method":"rk4","step_s":1e-3}}'
say state; stat -c '%U %a %n' /var/lib/torqued
say dataset; printf 't,q\n0,1\n1,2\n' | curl -s -T - http://127.0.0.1:8420/v1/datasets/log
say status; until_shown "1 running, 0 queued" StatusText; show torqued -p StatusText
say reloaded; systemctl reload torqued; echo "status $?"; show torqued -p ActiveState,NRestarts
# far out of reach: seconds of a core each, for clients that go and for some that stay. Longer than WatchdogSec below.
hard='{"frame":"flange","pose":{"position":[9,9,9],"quaternion_wxyz":[1,0,0,0]},"seeds":1024,"iterations":1000}'
ask() { curl -s --max-time $1 http://127.0.0.1:8420/v1/robots/panda/inverse-kinematics -H 'Content-Type: application/json' -d "$hard" >/dev/null; }
say busy; for _ in $(seq 64); do ask 0.5 & done; for _ in $(seq 32); do ask 30 & done; wait; show torqued -p ActiveState,NRestarts
say killed; kill -9 $(show torqued -p MainPID --value); until_shown =1 NRestarts; until_ready; show torqued -p ActiveState,NRestarts
curl -s http://127.0.0.1:8420/v1/datasets/log; curl -s 'http://127.0.0.1:8420/v1/jobs'
say frozen; kill -STOP $(show torqued -p MainPID --value); until_shown =2 NRestarts; until_ready; show torqued -p ActiveState,NRestarts
say stopped; systemctl stop torqued; show torqued -p ActiveState,Result,ExecMainStatus
say misconfigured; echo 'no_such = 1' >>@config@/torqued.conf; systemctl start torqued; show torqued -p ActiveState,ExecMainStatus,NRestarts
sed -i '$d' @config@/torqued.conf; systemctl reset-failed torqued
say activated; systemctl start torqued-activated.socket; show torqued-activated.service -p ActiveState
curl -s --max-time 60 --unix-socket /run/torqued.sock http://localhost/v1/datasets/log; show torqued-activated.service -p ActiveState,PrivateNetwork
systemctl stop torqued-activated.socket torqued-activated.service; show torqued-activated.service -p ActiveState,Result
say journal; journalctl -u torqued -u torqued-activated --no-pager -o cat
say end
"""


def boots(folder):
    """Whether namespaces, an overlay and a cgroup tree are to be had here."""
    if os.geteuid() != 0 or not os.path.exists("/lib/systemd/systemd") or shutil.which("unshare") is None:
        return False
    probe = ("mount --make-rprivate / && mkdir -p up work root && mount -t overlay overlay -o lowerdir=/,upperdir=up,workdir=work root && "
             "mount -t cgroup2 cgroup2 root/mnt && mount -t sysfs sysfs root/sys -o ro")
    return subprocess.run(["unshare", "--mount", "--pid", "--fork", "--net", "--uts", "--ipc", "--cgroup", "sh", "-c", probe], cwd=folder,
                          capture_output=True, timeout=100, check=False).returncode == 0


@pytest.mark.seconds(200)
def test_unit_under_a_real_systemd(tmp_path):
    probe = tmp_path / "probe"
    probe.mkdir()
    if not boots(probe):
        pytest.skip("no root, or no namespaces to boot a systemd in")
    inst = tmp_path / "inst"
    done = subprocess.run(["make", "-s", "install", f"DESTDIR={inst}"], cwd=ROOT, capture_output=True, text=True, timeout=400, check=False)
    assert done.returncode == 0, done.stderr
    config = next(inst.rglob("etc/torqued/torqued.conf"))
    unit = next(inst.rglob("torqued.service"))
    drop = unit.parent / "torqued.service.d"
    drop.mkdir()
    (drop / "soon.conf").write_text("[Service]\nWatchdogSec=20\n")  # as installed it is half a minute
    script = tmp_path / "script.sh"
    script.write_text(SCRIPT.replace("@config@", "/" + str(config.parent.relative_to(inst))))
    subprocess.run([ROOT / "tests/system/boot.sh", tmp_path, script], capture_output=True, timeout=400, check=False)
    out = (tmp_path / "up/out.txt").read_text()
    said = dict(re.findall(r"^== (\w+)\n(.*?)(?=\n== |\Z)", out, re.S | re.M))
    assert "end" in said, out[-3000:]

    def shown(name):
        return dict(line.split("=", 1) for line in said[name].splitlines() if re.match(r"^[A-Z]\w+=", line))

    assert shown("started") == {"ActiveState": "active", "StatusText": "Serving http://127.0.0.1:8420", "User": "torqued", "NRestarts": "0"}
    assert len(json.loads(said["computes"])["tau"]) == 2
    job = json.loads(said["job"])["id"]
    assert said["state"].split()[:2] == ["torqued", "700"]
    assert json.loads(said["dataset"])["rows"] == 2
    assert "1 running, 0 queued" in said["status"]
    assert "status 0" in said["reloaded"] and '"reloaded"' in said["journal"]
    assert shown("reloaded") == shown("busy") == {"ActiveState": "active", "NRestarts": "0"}, "busy is not dead"
    assert shown("killed") == {"ActiveState": "active", "NRestarts": "1"}
    assert '"rows":2' in said["killed"] and job in said["killed"], said["killed"]
    assert shown("frozen") == {"ActiveState": "active", "NRestarts": "2"}, "the watchdog did not bite"
    assert shown("stopped") == {"ActiveState": "inactive", "Result": "success", "ExecMainStatus": "0"}
    assert shown("misconfigured")["ActiveState"] == "failed" and shown("misconfigured")["ExecMainStatus"] == "78"
    assert shown("misconfigured")["NRestarts"] == "0", "a wrong setting is not tried again"
    assert '"rows":2' in said["activated"], "the same state through the socket unit"
    assert shown("activated")["PrivateNetwork"] == "yes" and shown("activated")["Result"] == "success"
    # the units' own filter lets the process confine itself
    confined = re.findall(r'"confinement":"([^"]*)"', said["journal"])
    how = r"none: a sanitizer" if conftest.SLOW > 1 else r"(?!.*EPERM).*seccomp"
    assert len(confined) >= 3 and all(re.match(how, c) for c in confined), confined
    assert "not permitted" not in said["journal"].lower(), said["journal"][-2000:]
