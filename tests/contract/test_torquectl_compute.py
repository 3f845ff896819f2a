# SPDX-License-Identifier: Apache-2.0
# tests/contract/test_torquectl_compute.py - torquectl's computations against the real daemon: each command and format, input, jobs, contexts, --curl.
import contextlib
import csv
import io
import json
import os
import pty
import re
import select
import shutil
import signal
import socket
import subprocess
import threading
import tty

import numpy as np
import pytest
import yaml
from conftest import PATIENCE, ROOT
from test_torquectl import CTL, answering, arm, ctl, good, http_reply

pytestmark = pytest.mark.skipif(not os.path.exists(CTL), reason="torquectl is not built")
Q = "q=0,-0.8,0,-2.3,0,1.6,0.8"
RATES = ("qd=0,0,0,0,0,0,0.1", "qdd=1,0,0,0,0,0,0")
SWING = ("initial.q=0.1,0", "duration_s=0.2", "output.interval_s=0.05")
COMMANDS = {  # {name: (arguments, path, request)}
    "id": (("panda", Q, *RATES), "robots/panda/inverse-dynamics", {"q": [0, -0.8, 0, -2.3, 0, 1.6, 0.8], "qd": [0] * 6 + [0.1], "qdd": [1] + [0] * 6}),
    "fd": (("planar-2r", "q=0,0", "qd=0,0", "--tau", "1,0"), "robots/planar-2r/forward-dynamics", {"q": [0, 0], "qd": [0, 0], "tau": [1, 0]}),
    "terms": (("planar-2r", "q=0,0;1,1", "--include=mass_matrix,gravity_torque"), "robots/planar-2r/terms",
              {"q": [[0, 0], [1, 1]], "include": ["mass_matrix", "gravity_torque"]}),
    "kin": (("planar-2r", "q=0,0"), "robots/planar-2r/kinematics", {"q": [0, 0]}),
    "ik": (("panda", "frame.link=flange", "pose.position=0.4,0,0.5", "solutions=1", 'frame.at=[0,0,0]'), "robots/panda/inverse-kinematics",
           {"frame": {"link": "flange", "at": [0, 0, 0]}, "pose": {"position": [0.4, 0, 0.5]}, "solutions": 1}),
    "manipulability": (("panda", Q, "frame.link=flange", "frame.at=origin"), "robots/panda/manipulability",
                       {"q": [0, -0.8, 0, -2.3, 0, 1.6, 0.8], "frame": {"link": "flange", "at": "origin"}}),
    "configuration": (("planar-2r", "q=0,0", "step=0.1,0.2"), "robots/planar-2r/configuration", {"q": [0, 0], "step": [0.1, 0.2]}),
    "distance": (("planar-2r", "q=0,0", 'shapes=[{"shape": "half-space"}, {"link": "tool", "shape": "sphere", "size": [0.1]}]'),
                 "robots/planar-2r/distance",
                 {"q": [0, 0], "shapes": [{"shape": "half-space"}, {"link": "tool", "shape": "sphere", "size": [0.1]}]}),
    "trajectory": (("planar-2r", "waypoints=0,0;1,0.5", "durations_s=[1]", "timing=quintic", "interval_s=0.25"), "robots/planar-2r/trajectory",
                   {"waypoints": [[0, 0], [1, 0.5]], "durations_s": [1], "timing": "quintic", "interval_s": 0.25}),
    "simulate": (("planar-2r", *SWING, "solver.method=rk4"), "robots/planar-2r/simulate",
                 {"initial": {"q": [0.1, 0]}, "duration_s": 0.2, "output": {"interval_s": 0.05}, "solver": {"method": "rk4"}}),
    "ensemble": (("planar-2r", *SWING, "vary.0.of=torque", "vary.0.joint=joint1", "vary.0.list=1,2"), "robots/planar-2r/ensemble",
                 {"initial": {"q": [0.1, 0]}, "duration_s": 0.2, "output": {"interval_s": 0.05}, "vary": [{"of": "torque", "joint": "joint1", "list": [1, 2]}]}),
    "excitation": (("planar-2r", "tries=5", "limits.velocity=1,1", "limits.acceleration=2,2"), "robots/planar-2r/excitation",
                   {"tries": 5, "limits": {"velocity": [1, 1], "acceleration": [2, 2]}}),
}


def without_provenance(document):
    return {k: v for k, v in document.items() if k not in ("provenance", "stats")}


def joint_name(daemon):
    return json.loads(daemon.request("GET", "/v1/robots/planar-2r")[2])["joints"][0]["name"]


@pytest.mark.parametrize("command", COMMANDS)
def test_each_command_answers_as_http_does(daemon, command):
    words, path, body = COMMANDS[command]
    name = joint_name(daemon)
    words = [w.replace("joint1", name) for w in words]
    body = json.loads(json.dumps(body).replace("joint1", name))
    status, _, expected = daemon.request("POST", f"/v1/{path}", json.dumps(body))
    assert status == 200, expected
    answer = json.loads(good(daemon, command, *words, "-o", "json"))
    assert without_provenance(answer) == without_provenance(json.loads(expected))
    assert good(daemon, command, *words).strip(), "a table"
    assert without_provenance(yaml.safe_load(good(daemon, command, *words, "-o", "yaml"))) == without_provenance(answer)


def test_every_operation_has_a_command(daemon):
    """The operations of the contract are those of the command table."""
    contract = json.loads(daemon.request("GET", "/openapi.json")[2])
    operations = {p.rsplit("/", 1)[1] for p, item in contract["paths"].items() if re.fullmatch(r"/v1/(robots/\{name\}/)?[a-z-]+", p)
                  and item.get("post", {}).get("requestBody") and "202" in item["post"]["responses"]}
    table = open(f"{ROOT}/clients/torquectl/commands.c", encoding="utf-8").read()
    assert operations <= set(re.findall(r'"([a-z-]+)",\n', table)) | {"session", "ticket"}, operations


# ----------------------------------------------------------------------------------------------------- input and output

MOTION = np.random.default_rng(1).uniform(-1, 1, (6, 21))


def write_csv(path, names=None):
    rows = ([",".join(names)] if names else []) + [",".join(repr(float(x)) for x in row) for row in MOTION]
    path.write_text("\n".join(rows) + "\n")
    return str(path)


def test_one_number_for_one_joint_is_a_list(daemon):
    """`initial.q` may be an array or an object of joint names; for a robot with one joint a single number is
    also accepted."""
    swing = ("simulate", "pendulum", "duration_s=0.1", "output.interval_s=0.1")
    assert json.loads(good(daemon, *swing, "initial.q=0.5", "-o", "json"))["q"][0] == [0.5]
    assert b'"q":{"joint":0.5}' in good(daemon, *swing, 'initial.q={"joint": 0.5}', "--curl").replace(b" ", b"")


def test_motion_from_files_and_pipes(daemon, tmp_path):
    names = [f"{part}_{j}" for part in ("q", "qd", "qdd") for j in range(7)]
    body = {"q": MOTION[:, :7].tolist(), "qd": MOTION[:, 7:14].tolist(), "qdd": MOTION[:, 14:].tolist()}
    expected = np.array(json.loads(daemon.request("POST", "/v1/robots/panda/inverse-dynamics", json.dumps(body))[2])["tau"])
    files = [write_csv(tmp_path / "named.csv", names),
             write_csv(tmp_path / "bare.csv"), str(tmp_path / "m.npy"), str(tmp_path / "m.npz"), str(tmp_path / "m.json")]
    np.save(files[2], MOTION)
    np.savez(files[3], q=MOTION[:, :7], qd=MOTION[:, 7:14], qdd=MOTION[:, 14:])
    (tmp_path / "m.json").write_text(json.dumps(body))
    for file in files:
        answer = list(csv.reader(io.StringIO(good(daemon, "id", "panda", file, "-o", "csv").decode())))
        assert answer[0] == [f"tau_{j}" for j in range(7)]
        assert np.array_equal(np.array(answer[1:], float), expected), "the same bits"
        with open(file, "rb") as f:
            piped = good(daemon, "id", "panda", "-", "-o", "npy", stdin=f.read())
        assert np.array_equal(np.load(io.BytesIO(piped)), expected)
    archive = np.load(io.BytesIO(good(daemon, "id", "panda", files[0], "-o", "npz")))
    assert np.array_equal(archive["tau"], expected)
    good(daemon, "id", "panda", files[0], "-o", "npy", "-f", str(tmp_path / "out.npy"))
    assert np.array_equal(np.load(tmp_path / "out.npy"), expected)
    assert np.array_equal(np.load(io.BytesIO(good(daemon, "id", "panda", files[2], "include=gravity_torque", "-o", "npy", "--field", "tau"))), expected)
    rows = good(daemon, "id", "panda", f"--set=q={json.dumps(body['q'])}", f"qd={json.dumps(body['qd'])}",
                f"qdd={json.dumps(body['qdd'])}").decode().splitlines()
    assert len([r for r in rows if len(r.split()) == 7]) == 7, "a heading and six samples"


@pytest.mark.parametrize("content, why", ((b"q_0,q_1\n1,x\n", b"in.csv:2: cell 2"), (b"1,2,3,4\n", b"4 columns"), (b'{"q": [1,}', b"in.csv:1:"),
                                          (b"u_0,u_1\n1,2\n", b'"u_0"'), (b"\x93NUMPY\x01\x00\x10\x00{'descr': '<f4'}", b"float64"), (b"1,2\n1\n", b"columns")))
def test_input_that_is_none(daemon, tmp_path, content, why):
    path = tmp_path / "in.csv"
    path.write_bytes(content)
    done = ctl(daemon, "id", "planar-2r", str(path), "without=friction")
    assert done.returncode == 2 and why in done.stderr.splitlines()[0], done
    assert ctl(daemon, "id", "planar-2r", str(tmp_path / "none")).returncode == 2


@pytest.mark.parametrize("kind", ("csv", "npz", "npy", "json", "yaml", "table"))
def test_results_of_jobs_in_every_format(daemon, tmp_path, kind):
    expected = json.loads(daemon.request("POST", "/v1/robots/planar-2r/simulate", json.dumps(COMMANDS["simulate"][2]))[2])["q"]
    job = json.loads(daemon.request("GET", "/v1/jobs?state=succeeded")[2])["jobs"][0]["id"]
    for words in (("simulate", *COMMANDS["simulate"][0]), ("jobs", "result", job)):
        out = good(daemon, *words, "-o", kind)
        if kind == "csv":
            rows = list(csv.DictReader(io.StringIO(out.decode())))
            got = [[float(r["q_0"]), float(r["q_1"])] for r in rows]
        elif kind in ("npz", "npy"):
            got = np.load(io.BytesIO(out))
            got = (got["q"] if kind == "npz" else got).tolist()
        elif kind == "table":
            assert b"verdict.outcome" in out and b"completed" in out
            continue
        else:
            got = (json.loads if kind == "json" else yaml.safe_load)(out)["q"]
        assert got == expected, words


def test_lists_in_every_format(daemon):
    table = json.loads(good(daemon, "robots", "-o", "json"))["robots"]
    assert yaml.safe_load(good(daemon, "robots", "-o", "yaml"))["robots"] == table
    rows = list(csv.DictReader(io.StringIO(good(daemon, "robots", "-o", "csv").decode())))
    assert [r["digest"] for r in rows] == [r["digest"] for r in table]
    assert ctl(daemon, "robots", "-o", "npz").returncode == 1


@pytest.mark.parametrize("words", (("robots",), ("jobs",), ("datasets",), ("--help",), ("help", "simulate"), ("help", "calibrate"), ("help", "robots"),
                                   ("help", "robots", "put"), ("top",), ("status",)))
def test_lines_fit_100_columns(daemon, words):
    for line in good(daemon, *words).decode().splitlines():
        assert len(line) <= 100, line


# --------------------------------------------------------------------------------------------------------------- jobs


def test_wait_detach_follow(daemon):
    job = good(daemon, "simulate", "planar-2r", *SWING, "--detach").decode().strip()
    assert re.fullmatch("[0-9a-z]{26}", job)
    done = ctl(daemon, "jobs", "wait", job, "--follow")
    assert done.returncode == 0 and done.stderr.decode().splitlines()[-1].startswith("succeeded 100 %"), done
    again = [good(daemon, "simulate", "planar-2r", *SWING, "--detach", "--key", "one").decode() for _ in range(2)]
    assert again[0] == again[1], "with a key nothing is computed twice"
    assert good(daemon, "simulate", "planar-2r", *SWING, "--follow", "-o", "csv").startswith(b"t,q_0")
    assert good(daemon, "jobs", "wait", job, "-o", "json").startswith(b"{")
    assert ctl(daemon, "id", "panda", Q, "--detach").returncode == 2


def test_a_bar_on_a_terminal_and_silence_in_a_pipe():
    """stderr is a terminal; the job is half done, then ends."""
    running = {"id": "x", "state": "running", "progress": {"fraction": 0.5, "step": "fit", "eta_s": 65}}
    replies = [http_reply(200, running), http_reply(200, {**running, "state": "succeeded", "progress": {"fraction": 1}})]
    with socket.create_server(("127.0.0.1", 0)) as s:
        def serve():
            left = replies * 2
            while left:
                one, _ = s.accept()
                with one:
                    is_stream = b"/events" in one.recv(65536)  # an older service without event streams
                    one.sendall(http_reply(404, {"title": "no"}) if is_stream else left.pop(0))
        threading.Thread(target=serve, daemon=True).start()
        url = f"http://127.0.0.1:{s.getsockname()[1]}"
        master, slave = pty.openpty()
        done = subprocess.run([CTL, "-s", url, "jobs", "wait", "x"], stdout=subprocess.PIPE, stderr=slave, timeout=PATIENCE)
        os.close(slave)
        said = os.read(master, 65536).decode()
        os.close(master)
        assert done.returncode == 0 and "[###############...............]  50 %  1:05 left  fit" in said, said
        assert ctl(url, "jobs", "wait", "x").stderr == b""


def test_a_calibration_on_a_terminal_says_where_its_report_is():
    """The answer of a calibration contains no job id: stderr names the address of its report."""
    whole = http_reply(200, {"verdict": "good"}).replace(b"\r\n\r\n", b"\r\nContent-Location: /v1/jobs/the-job/result\r\n\r\n", 1)
    with answering(whole) as url:
        words = [CTL, "-s", url, "calibrate", "r", "a-log"]
        master, slave = pty.openpty()
        done = subprocess.run(words, stdout=subprocess.PIPE, stderr=slave, timeout=PATIENCE)
        os.close(slave)
        said = os.read(master, 65536).decode()
        os.close(master)
        assert done.returncode == 0 and "torquectl jobs report the-job report.html" in said, said
        assert subprocess.run(words, capture_output=True, timeout=PATIENCE).stderr == b""


def test_follow_reads_the_event_stream_and_resumes_where_it_broke():
    """Changes arrive without polling; after a lost connection the stream resumes after its last event."""
    seen = []
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n"
    first = (b'id: 7\nevent: state\ndata: {"job":"x","state":"running"}\n\n: beat\n\n'
             b'event: progress\ndata: {"job":"x","progress":{"fraction":0.25,"step":"fit","eta_s":9}}\n\nevent: progress\ndata: {"jo')
    second = b'event: progress\r\ndata: {"job":"x","progress":{"fraction":0.75,"step":"fit","eta_s":3}}\r\n\r\nid: 9\nevent: state\ndata: {"state":"succeeded"}\n\n'
    jobs = [{"id": "x", "state": "queued"}, {"id": "x", "state": "running", "progress": {"fraction": 0.5, "step": "fit"}}, {"id": "x", "state": "succeeded"}]
    replies = [http_reply(200, jobs[0]), head + first, http_reply(200, jobs[1]), head + second, http_reply(200, jobs[2])]
    with socket.create_server(("127.0.0.1", 0)) as s:
        def serve():
            for reply in replies:
                one, _ = s.accept()
                with one:
                    seen.append(one.recv(65536).decode())
                    one.sendall(reply)
        threading.Thread(target=serve, daemon=True).start()
        done = ctl(f"http://127.0.0.1:{s.getsockname()[1]}", "jobs", "wait", "x", "--follow")
    assert done.returncode == 0, done.stderr
    lines = [" ".join(line.split()) for line in done.stderr.decode().splitlines()]
    assert lines == ["queued 0 %", "running 0 %", "running 25 % fit", "running 50 % fit", "running 75 % fit", "succeeded 75 % fit", "succeeded 0 %"], lines
    assert [request.split()[1] for request in seen] == ["/v1/jobs/x", "/v1/jobs/x/events", "/v1/jobs/x", "/v1/jobs/x/events", "/v1/jobs/x"]
    assert "Last-Event-ID" not in seen[1] and "Last-Event-ID: 7\r\n" in seen[3] and "Accept: text/event-stream\r\n" in seen[1]


def test_a_failed_job_says_why_with_its_hint():
    job = {"id": "x", "state": "failed", "problem": {"title": "T", "detail": "d" * 400, "errors": [{"hint": "the hint"}]}}
    with answering(http_reply(200, job)) as url:
        done = ctl(url, "jobs", "wait", "x")
        assert done.returncode == 5 and b"T: " + b"d" * 400 in done.stderr and b"hint: the hint" in done.stderr
        assert b"d" * 400 in ctl(url, "jobs", "get", "x").stdout, "nothing is cut"


def test_numbers_of_a_table_are_whole(daemon):
    """Columns without room are left out and counted; texts are truncated, numbers never; sentences are wrapped."""
    rows = [{"name": "a", **{f"column_number_{i}": 0.123456 + i for i in range(9)}, "text": "long " * 30}]
    with answering(http_reply(200, {"list": rows, "reasons": ["some words " * 20, "more"], "note": "words " * 60})) as url:
        said = ctl(url, "status").stdout.decode().splitlines()
    assert max(len(line) for line in said) <= 100, said
    assert any(re.fullmatch(r"\(\d columns more: -o json\)", line) for line in said) and not any(re.search(r"\d[.][.]", line) for line in said), said
    assert " ".join(said).count("words") == 80 and any(line.strip() == "more" for line in said)


def test_files_become_datasets(daemon, tmp_path):
    log = tmp_path / "my log.csv"
    log.write_text("t,q\n0,1\n1,2\n2,4\n")
    other = tmp_path / "b.csv"
    other.write_text("t,q\n0,1\n1,2.5\n2,4\n")
    done = ctl(daemon, "compare", str(log), str(other), "-o", "json")
    assert done.returncode == 0 and json.loads(done.stdout)["columns"][0]["max"] == 0.5
    assert re.search(rb"my log.csv: dataset my-log-[0-9a-f]{12}\n", done.stderr)
    assert ctl(daemon, "compare", str(log), str(other), "-q").stderr == b""
    curl = good(daemon, "calibrate", "planar-2r", "a", "b", "filter.cutoff_hz=8", "--curl").decode()
    assert '{"datasets": [{"dataset": "a"}, {"dataset": "b"}], "filter": {"cutoff_hz": 8}}' in curl
    assert ctl(daemon, "calibrate", "planar-2r", "no-such-log").returncode == 1


# ----------------------------------------------------------------------------------------- help, completion, contexts, curl


def commands():
    text = open(f"{ROOT}/clients/torquectl/commands.c", encoding="utf-8").read()
    return re.findall(r'^    \{"([a-z -]+)",', text, re.M)


def test_help_of_every_command():
    assert len(commands()) > 40
    for command in commands():
        by_word = good(None, "help", *command.split())
        assert by_word.startswith(b"usage: torquectl") and good(None, *command.split(), "--help") == by_word, command
    assert b"solver.method" in good(None, "simulate", "-h") and b"jobs wait" in good(None, "help", "jobs")
    assert good(None, "--version") == good(None, "version") and good(None, "version").startswith(b"torquectl 0")


def test_examples_of_the_help_run(daemon):
    """All examples that need no files, no existing job and no other node; files that they would write are discarded."""
    text = open(f"{ROOT}/clients/torquectl/commands.c", encoding="utf-8").read()
    examples = [e for each in re.findall(r'"(torquectl [^"]*)"', text) for e in each.split("\\n")]
    examples = [e if "<(" in e else e.split(">")[0] for e in examples]
    own = [e for e in examples if not re.search(r"[.](csv|json|urdf|tar)\b|ID|contexts|delete|token|unix:|nodes (drain|resume)", e)]
    assert len(own) >= 12, own
    for example in own:
        done = subprocess.run(["bash", "-c", example.replace("torquectl", CTL, 1 if "<(" not in example else -1)], capture_output=True, timeout=PATIENCE,
                              env={**os.environ, "TORQUED_URL": daemon.url})
        assert done.returncode == 0, (example, done.stderr)


def test_a_fault_is_stated_in_the_first_line(daemon):
    for words, said in ((("idd",), 'no command "idd"; it has "id"'), (("simluate",), 'it has "simulate"'), (("jobs", "fly"), 'jobs has no command "fly"'),
                        (("jobs", "canel"), 'it has "cancel"'), (("-o", "xml", "robots"), 'no format "xml"'),
                        (("robots", "--yes"), "takes no --yes"), (("robots", "put", "a"), "needs more: NAME FILE"), (("--nope", "status"), "no option --nope"),
                        (("status", "x"), 'takes no "x"'), (("--timeout",), "needs a value"), ((), "which command")):
        done = ctl(daemon, *words)
        assert done.returncode == 2 and done.stdout == b"", words
        assert done.stderr.startswith(b"torquectl: ") and said.encode() in done.stderr.splitlines()[0] and len(done.stderr.splitlines()) <= 3, done.stderr
    done = ctl(daemon, "id", "panda", "q=1,2")
    assert done.returncode == 1 and b"/q" in done.stderr.splitlines()[0] and b"hint: " in done.stderr.splitlines()[1]


def test_completion(daemon, tmp_path):
    for shell in ("bash", "zsh", "fish"):
        script = tmp_path / shell
        script.write_bytes(good(None, "completion", shell))
        assert b"simulate" in script.read_bytes() and b"older-than" in script.read_bytes()
        if shutil.which(shell):
            subprocess.run([shell, "-n", str(script)], check=True)
    assert ctl(None, "completion", "tcsh").returncode == 2
    ask = 'source "$0"; COMP_WORDS=(torquectl "$@"); COMP_CWORD=$#; _torquectl 2>/dev/null; echo "${COMPREPLY[@]}"'
    env = {**os.environ, "TORQUED_URL": daemon.url, "PATH": os.path.dirname(CTL) + ":" + os.environ["PATH"]}
    for words, found in ((("rob",), "robots"), (("robots", "ch"), "check change"), (("robots", "change", "x", "op", "=", "lo"), "lock"), (("id", "panda", "qd"), "qd= qdd= qd_ref= qdd_ref="), (("robots", "-o", "ya"), "yaml"),
                         (("jobs", "list", "--old"), "--older-than"), (("simulate", "panda", "solver.method", "=", "do"), "dopri87 dopri45"),
                         (("simulate", "panda", "solver.method", "="), "dopri87 dopri45 sdirk bdf rk4 semi-implicit-euler implicit-midpoint moreau-jean"),
                         (("id", "pan"), "panda"), (("robots", "get", "pum"), "puma560")):
        done = subprocess.run(["bash", "-c", ask, str(tmp_path / "bash"), *words], capture_output=True, text=True, check=True, env=env)
        assert done.stdout.strip() == found, words
    hits = (("torquectl robots ch", ["check", "change"]), ("torquectl robots get pum", ["puma560"]), ("torquectl id panda qdd", ["qdd=", "qdd_ref="]))
    for asked, found in hits:
        if shutil.which("fish"):
            said = subprocess.run(["fish", "--no-config", "-c", f"source {tmp_path}/fish; complete -C '{asked}'"], capture_output=True, text=True, check=True, env=env)
            assert sorted(line.split("\t")[0] for line in said.stdout.splitlines()) == sorted(found), asked
    if shutil.which("zsh"):
        for asked, found in (*hits, ("torquectl robots change panda op=lo", ["lock"])):
            assert zsh_completes(asked, tmp_path / "zsh", env) == found, asked


ZSH = r"""
PROMPT=
autoload -U compinit; compinit -u -D
bindkey '^I' complete-word
source "$COMPLETION"
before () { hits=() }
after () { print; print -rl -- \<${^hits}\> "<!>"; exit }
compprefuncs=(before) comppostfuncs=(after)
compadd () {
    if [[ ${@[1,(i)(-|--)]} == *-(O|A|D)\ * ]]; then builtin compadd "$@"; return $?; fi
    local -a found; builtin compadd -A found "$@"; hits+=($found); builtin compadd "$@"
}
print "<ready>"
"""


def zsh_completes(asked, script, env):
    """The completions that zsh itself offers on a terminal."""
    begin = script.with_suffix(".begin")
    begin.write_text(ZSH)
    master, slave = pty.openpty()
    shell = subprocess.Popen(["zsh", "-f", "-i"], stdin=slave, stdout=slave, stderr=slave, start_new_session=True, env={**env, "COMPLETION": str(script), "TERM": "dumb"})
    os.close(slave)
    said = b""
    with contextlib.suppress(OSError):  # end of the terminal's output
        for text, until in ((f"source {begin}\n", b"<ready>\r"), (asked + "\t", b"<!>")):
            os.write(master, text.encode())
            while until not in said and select.select([master], [], [], PATIENCE)[0]:
                said += os.read(master, 65536)
    os.close(master)
    shell.wait(timeout=PATIENCE)
    assert b"<!>" in said, said
    return [one for one in re.findall(r"<([^<>\s]+)>", said.decode().rsplit("ready", 1)[1]) if one != "!"]


def test_man_pages(tmp_path):
    page = good(None, "help", "man").decode()
    assert page.startswith(".TH TORQUECTL 1") and all(c.replace("-", "\\-") in page for c in commands())
    if shutil.which("man"):
        (tmp_path / "torquectl.1").write_text(page)
        for command in commands():
            own = good(None, "help", "man", *command.split()).decode()
            name = "torquectl-" + command.replace(" ", "-")
            assert own.startswith(".TH " + name.upper().replace("-", "\\-") + " 1 ") and f"\n{name} \\- ".replace("-", "\\-").replace("\\\\", "\\") in own
            if command in ("id", "robots change", "sessions step", "jobs list", "token create"):
                (tmp_path / f"{name}.1").write_text(own)
        done = subprocess.run(["man", "--warnings", "-l", *sorted(str(one) for one in tmp_path.glob("*.1"))], capture_output=True,
                              env={**os.environ, "MANWIDTH": "100", "LC_ALL": "C.UTF-8"})
        assert done.returncode == 0 and b"warning" not in done.stderr, done.stderr
    assert good(None, "help", "commands").decode().split("\n")[:-1] == commands()
    assert "solver.method" in good(None, "help", "man", "simulate").decode() and ctl(None, "help", "man", "fly").returncode == 2


def test_contexts(daemon, tmp_path):
    env = {"XDG_CONFIG_HOME": str(tmp_path), "TORQUED_URL": ""}
    token = tmp_path / "token"
    token.write_text("x\n")
    assert ctl(None, "status", "--context", "lab", env=env).returncode == 2
    good(None, "contexts", "set", "lab", "-s", daemon.url, "--token-file", str(token), env=env)
    good(None, "contexts", "set", "other", "-s", "http://127.0.0.1:1", env=env)
    assert b"torqued" in good(None, "status", env=env), "the first one is in use"
    assert ctl(None, "--context", "other", "status", env=env).returncode == 1
    good(None, "contexts", "use", "other", env=env)
    assert ctl(None, "status", env=env).returncode == 1
    assert b"torqued" in good(None, "status", env={**env, "TORQUECTL_CONTEXT": "lab"})
    assert b"torqued" in good(None, "status", env={**env, "TORQUED_URL": daemon.url})
    listed = json.loads(good(None, "contexts", "-o", "json", env=env))["contexts"]
    assert [(c["name"], c["in_use"]) for c in listed] == [("lab", False), ("other", True)] and listed[0]["token_file"] == str(token)
    good(None, "contexts", "delete", "other", env=env)
    assert ctl(None, "contexts", "use", "other", env=env).returncode == 2
    assert oct((tmp_path / "torquectl").stat().st_mode)[-3:] == "700"


def test_curl_lines_do_the_same(daemon, tmp_path):
    if not shutil.which("curl"):
        pytest.skip("curl is not installed")
    path = tmp_path / "it's.csv"
    path.write_text("t,q\n0,1\n1,2\n")
    for words in (("id", "panda", Q, *RATES, "-o", "json"), ("robots", "get", "panda", "-o", "json"), ("datasets", "put", "by-curl", str(path), "-o", "json"),
                  ("trajectory", *COMMANDS["trajectory"][0], "-o", "json")):
        line = good(daemon, *words, "--curl").decode()
        done = subprocess.run(["bash", "-c", line], capture_output=True, check=True, timeout=PATIENCE)
        mine, its = json.loads(good(daemon, *words)), json.loads(done.stdout)
        assert {k: v for k, v in mine.items() if k != "created"} == {k: v for k, v in its.items() if k != "created"}, line
    line = good(f"unix:{tmp_path}/s", "robots", "--curl", "--token-file", "f").decode()
    assert "--unix-socket" in line and 'Bearer $(head -n 1 \'f\')"' in line and line.rstrip().endswith("'http://localhost/v1/robots'")


# -------------------------------------------------------------------------------------------------- robots check, top, docs


def test_robots_check_prints_as_a_compiler(daemon, tmp_path):
    before = good(daemon, "robots")
    path = tmp_path / "heavy.urdf"
    path.write_bytes(arm(1400).replace(b"<link", b"\n<link").replace(b"<gazebo/>", b"\n<gazebo/>"))
    done = ctl(daemon, "robots", "check", str(path))
    said = done.stderr.decode().splitlines()
    assert done.returncode == 0 and done.stdout.startswith(f"{path}: nq 3, nv 3, ".encode())
    line = next(i for i, text in enumerate(path.read_text().splitlines(), 1) if '<link name="b"' in text)
    assert any(s.startswith(f"{path}:{line}: doctor: link b: ") for s in said), said
    assert any(s.startswith(f"{path}:2: ignored: robot/gazebo") for s in said), said
    assert ctl(daemon, "robots", "check", "--strict", str(path)).returncode == 1
    path.write_bytes(arm(2))
    assert ctl(daemon, "robots", "check", "--strict", str(path)).returncode == 0
    path.write_text("<robot")
    assert "dry_run=true" in good(daemon, "--curl", "robots", "check", str(path)).decode()
    done = ctl(daemon, "robots", "check", str(path), str(path))
    assert done.returncode == 1 and done.stderr.decode().count(f"{path}:") >= 2 and b"error" in done.stderr
    assert good(daemon, "robots") == before, "nothing is stored"


def test_top_and_docs(daemon):
    good(daemon, "simulate", "planar-2r", *SWING)
    said = good(daemon, "top").decode()
    assert "requests " in said and "simulate" in said and "\x1b" not in said
    assert int(re.search(r"2xx (\d+)", said).group(1)) > 0
    assert re.search(r"^/v1/robots/\S*/simulate +\d+ +[0-9.]+$", said, re.M), said
    assert ctl(daemon, "top", "--interval", "x").returncode == 2
    assert good(daemon, "docs").decode() == f"{daemon.url}/docs\n"
    assert good(daemon, "docs", "id").decode() == f"{daemon.url}/docs#inverse-dynamics\n"
    assert ctl(daemon, "docs", "fly").returncode == 2


def test_interrupted_it_says_how_to_go_on():
    """Ctrl-C while a job runs: status 130, the job's id is printed, nothing is cancelled."""
    with answering(http_reply(200, {"id": "x", "state": "running"})) as url:
        one = subprocess.Popen([CTL, "-s", url, "jobs", "wait", "the-job", "--follow"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        assert one.stderr.readline().startswith("running"), "it waits"
        one.send_signal(signal.SIGINT)
        _, said = one.communicate(timeout=PATIENCE)
    assert one.returncode == 130 and "torquectl jobs wait the-job" in said, said


def test_one_array_of_a_result(daemon, tmp_path):
    job = good(daemon, "simulate", "planar-2r", *SWING, "--detach").decode().strip()
    good(daemon, "jobs", "wait", job)
    expected = json.loads(good(daemon, "jobs", "result", job))["q"]
    rows = list(csv.reader(io.StringIO(good(daemon, "jobs", "result", job, "--field", "q").decode())))
    assert rows[0] == ["q_0", "q_1"] and [[float(x) for x in row] for row in rows[1:]] == expected
    good(daemon, "jobs", "result", job, str(tmp_path / "q.npy"), "--field", "q", "-o", "npy")
    assert np.load(tmp_path / "q.npy").tolist() == expected and os.listdir(tmp_path) == ["q.npy"]
    assert ctl(daemon, "jobs", "result", job, "--field", "none").returncode == 1
    assert ctl(daemon, "jobs", "report", job).returncode == 1, "a simulation writes none"


def test_json_is_on_lines_on_a_terminal(daemon):
    """The same digits as in a pipe."""
    document = good(daemon, "robots", "get", "planar-2r", "-o", "json")
    master, slave = pty.openpty()
    tty.setraw(slave)
    one = subprocess.Popen([CTL, "-s", daemon.url, "robots", "get", "planar-2r", "-o", "json"], stdout=slave)
    os.close(slave)
    said = b""
    with contextlib.suppress(OSError):  # end of the terminal's output
        while piece := os.read(master, 65536):
            said += piece
    os.close(master)
    assert one.wait(PATIENCE) == 0
    lines = said.decode().splitlines()
    assert re.sub(r"\s", "", said.decode()) == re.sub(r"\s", "", document.decode()), "digit for digit"
    assert lines[0] == "{" and lines[-1] == "}" and '  "name": "planar-2r",' in lines and len(lines) > 30
