# SPDX-License-Identifier: Apache-2.0
# tests/contract/test_service.py - the process: start, settings, health checks, signals, stop.
import http.client
import json
import os
import pty
import re
import resource
import signal
import socket
import stat
import subprocess
import time

import pytest
from conftest import PATIENCE, TORQUED, eventually, is_log_line, metric, once, parse_replies, problem, read_all


def run(*args, env=None):
    return subprocess.run([TORQUED, *args], capture_output=True, text=True, timeout=PATIENCE, env=env,
                          stdin=subprocess.DEVNULL)


def test_healthz_readyz_version(daemon):
    for path in ("/healthz", "/readyz", "/v1/version"):
        status, headers, body = daemon.request("GET", path)
        assert status == 200 and headers["Content-Type"] == "application/json"
        assert headers["Cache-Control"] == "no-store" and headers["X-Content-Type-Options"] == "nosniff"
        assert re.fullmatch(r"[0-9A-HJKMNP-TV-Z]{26}", headers["X-Request-Id"])
        json.loads(body)
    printed = run("--version").stdout.split()[1]
    assert json.loads(daemon.request("GET", "/v1/version")[2])["version"] == printed


@pytest.mark.parametrize("accept", [None, "*/*", "application/json", "application/json, text/html;q=0.5"])
def test_the_root_links_to_what_a_program_needs(daemon, accept):
    status, headers, body = daemon.request("GET", "/", headers={"Accept": accept} if accept else {})
    assert status == 200 and headers["Content-Type"] == "application/json" and headers["Vary"] == "Accept, Accept-Encoding"
    index = json.loads(body)
    assert index["name"] == "torqued" and index["version"] == run("--version").stdout.split()[1]
    assert index["links"] == {"docs": "/docs", "openapi": "/openapi.json", "robots": "/v1/robots", "health": "/healthz"}
    for path in index["links"].values():
        assert daemon.request("GET", path)[0] == 200, path


def test_the_root_is_the_dashboard_for_a_browser(daemon):
    """A page with the resources that it loads, under a content security policy without "unsafe", and with no
    request to other hosts."""
    firefox = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
    status, headers, body = daemon.request("GET", "/", headers={"Accept": firefox})
    assert status == 200 and headers["Content-Type"] == "text/html; charset=utf-8" and headers["Vary"] == "Accept, Accept-Encoding"
    policy = headers["Content-Security-Policy"]
    assert policy.startswith("default-src 'none'; script-src 'self'; style-src 'self'") and policy.endswith("frame-ancestors 'none'")
    assert "unsafe" not in policy and "http" not in policy
    page = body.decode()
    assert page.rstrip().endswith("</html>") and "http:" not in page and "https:" not in page
    loaded = re.findall(r'(?:src|href)="(/dashboard/[^"]+)"', page)
    assert {path.rpartition(".")[2] for path in loaded} == {"js", "css"}
    media = {"js": "text/javascript; charset=utf-8", "css": "text/css; charset=utf-8"}
    for path in loaded:
        status, headers, body = daemon.request("GET", path)
        assert status == 200 and headers["Content-Type"] == media[path.rpartition(".")[2]] and len(body) > 1000, path
    answer = problem(daemon.request("GET", "/dashboard/nothing.js"), 404)
    assert "nothing.js" in answer["detail"]


def test_openapi_states_every_address_that_is_served(daemon):
    status, headers, body = daemon.request("GET", "/openapi.json")
    contract = json.loads(body)
    assert status == 200 and contract["openapi"].startswith("3.")
    assert contract["info"]["version"] == json.loads(daemon.request("GET", "/v1/version")[2])["version"]
    for path, methods in contract["paths"].items():
        for method in ("get", "put", "post", "delete"):
            connection = daemon.connect()  # the body is not read: a stream of events has no end
            connection.request(method.upper(), path.replace("{", "no-").replace("}", ""), body=b"")
            status = connection.getresponse().status
            connection.close()
            assert (status == 405) == (method not in methods), (path, method, status)


@once
def test_openapi_is_valid(daemon):
    """Client generators refuse an invalid document or skip operations."""
    contract = json.loads(daemon.request("GET", "/openapi.json")[2])

    def nulls(value, path):
        """In YAML, `{description: One, two}` has a key "two" without a value: no member of OpenAPI may be null,
        except in examples."""
        if isinstance(value, dict):
            for key, inner in value.items():
                if key not in ("example", "examples", "value", "default", "enum", "const"):
                    assert inner is not None, f"{path}/{key}"
                    nulls(inner, f"{path}/{key}")
        elif isinstance(value, list):
            for k, inner in enumerate(value):
                nulls(inner, f"{path}/{k}")

    nulls(contract, "")
    validator = pytest.importorskip("openapi_spec_validator", reason="no openapi-spec-validator (make deps-check)")
    errors = [(list(error.absolute_path), error.message) for error in validator.OpenAPIV31SpecValidator(contract).iter_errors()]
    assert errors == []


def test_request_ids_differ(daemon):
    ids = {daemon.request("GET", "/healthz")[1]["X-Request-Id"] for _ in range(50)}
    assert len(ids) == 50


def test_a_daemon_alone_is_the_only_node(start):
    one = start({"node": "north", "jobs": 3})
    eventually(lambda: json.loads(one.request("GET", "/v1/nodes")[2])["nodes"])
    (node,) = json.loads(one.request("GET", "/v1/nodes")[2])["nodes"]
    assert node["name"] == "north" and node["runners"] == 3 and node["running"] == 0
    assert node["since"] <= node["seen"]


def test_metrics_count(daemon):
    before = metric(daemon, "torqued_requests_total")
    for _ in range(3):
        daemon.request("GET", "/healthz")
    assert metric(daemon, "torqued_requests_total") >= before + 4
    assert metric(daemon, "torqued_connections_open") >= 1


def read_metrics(one):
    """Text format 0.0.4: {name and labels: value}; each family has HELP and TYPE before its first sample."""
    values, types = {}, {}
    for line in one.request("GET", "/metrics")[2].decode().splitlines():
        if line.startswith("# TYPE "):
            _, _, name, kind = line.split()
            assert name not in types and kind in ("counter", "gauge", "histogram")
            types[name] = kind
        elif not line.startswith("# HELP "):
            found = re.fullmatch(r'([a-z0-9_]+)(?:\{((?:[a-z]+="[^"\\\n]*",?)*)\})? (\S+)', line)
            assert found, line
            name, labels, value = found.groups()
            family = name if name in types else re.sub("_(bucket|sum|count)$", "", name)
            assert family in types, line
            key = (name, *sorted(re.findall(r'([a-z]+)="([^"]*)"', labels or "")))
            assert key not in values, line
            values[key] = float(value)
    return values


def test_latency_is_counted_by_route_and_class(start):
    one = start()
    path = "/v1/robots/planar-2r/inverse-dynamics"
    for body, status in ((b'{"q":[0,0],"qd":[0,0],"qdd":[0,0]}', 200), (b"{}", 422), (b"{}", 422)):
        assert one.request("POST", path, body)[0] == status
    assert one.request("GET", "/v1/nothing")[0] == 404
    values = read_metrics(one)
    pattern = (("method", "POST"), ("route", "/v1/robots/{}/inverse-dynamics"))
    for klass, n in (("2xx", 1), ("4xx", 2)):
        labels = tuple(sorted((*pattern, ("class", klass))))
        assert values[("torqued_request_seconds_count", *labels)] == n
        assert 0 < values[("torqued_request_seconds_sum", *labels)] < 60
        buckets = sorted((float(dict(key[1:])["le"]), value) for key, value in values.items()
                         if key[0] == "torqued_request_seconds_bucket" and set(labels) <= set(key[1:]))
        counts = [c for _, c in buckets]
        assert len(buckets) == 26 and buckets[-1] == (float("inf"), n) and counts == sorted(counts)
        assert [b / a for (a, _), (b, _) in zip(buckets[:-2], buckets[1:-1])] == pytest.approx([2] * 24)
    assert values[("torqued_request_seconds_count", ("class", "4xx"), ("method", ""), ("route", ""))] == 1
    assert values[("torqued_replies_total", ("status", "422"))] == 2 and values[("torqued_replies_total", ("status", "404"))] == 1


def test_metrics_of_queue_store_and_process(daemon):
    values = read_metrics(daemon)
    for name in ("queue_tasks", "queue_wait_seconds", "bodies_bytes", "store_commits_missing", "store_files_lost", "store_files_damaged"):
        assert values[(f"torqued_{name}",)] >= 0
    assert values[("torqued_bodies_limit_bytes",)] > 0 and values[("torqued_queue_wait_limit_seconds",)] > 0
    assert values[("torqued_jobs", ("state", "queued"))] >= 0 and values[("torqued_jobs", ("state", "running"))] >= 0
    resident = int(open(f"/proc/{daemon.process.pid}/statm").read().split()[1]) * resource.getpagesize()
    assert 0.5 * resident < values[("process_resident_memory_bytes",)] < 2 * resident
    assert values[("process_cpu_seconds_total",)] > 0
    assert abs(values[("process_start_time_seconds",)] - os.stat(f"/proc/{daemon.process.pid}").st_ctime) < 60
    version = json.loads(daemon.request("GET", "/v1/version")[2])["version"]
    assert values[("torqued_build_info", ("version", version))] == 1


def test_head_has_no_body(daemon):
    get = daemon.request("GET", "/healthz")
    head = daemon.request("HEAD", "/healthz")
    assert head[0] == 200 and head[2] == b""
    assert head[1]["Content-Length"] == str(len(get[2]))
    replies, _ = daemon.raw(b"HEAD /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
    # nothing after the header
    assert replies[0][2] == b""


def test_not_found_and_method_not_allowed(daemon):
    status, headers, body = daemon.request("GET", "/v1/nothing")
    assert "/v1/nothing" in problem((status, headers, body), 404)["detail"]
    for method in ("POST", "PUT", "DELETE", "PATCH", "OPTIONS", "BREW"):
        status, headers, body = daemon.request(method, "/healthz", body=b"{}")
        problem((status, headers, body), 405)
        assert headers["Allow"] == "GET, HEAD"


def test_ready_line_is_one_json_object(start):
    one = start()
    line = next(text for text in one.log if '"listening"' in text)
    assert is_log_line(line)
    fields = json.loads(line)
    assert fields["url"] == one.url and fields["pid"] == one.process.pid and fields["level"] == "info"


def test_stops_at_once_when_idle(start):
    one = start({"stop_timeout": 600000})
    with one.socket(), one.socket() as second:
        second.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert second.recv(100)
        one.stop()


def test_stop_answers_what_has_arrived(start):
    """A body that is still arriving at SIGTERM is read and answered."""
    one = start({"stop_timeout": 600000})
    with one.socket() as s:
        before = metric(one, "torqued_body_bytes_total")
        s.sendall(b"POST /nothing HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n" + b"x" * 400)
        eventually(lambda: metric(one, "torqued_body_bytes_total") >= before + 400)
        os.kill(one.process.pid, 15)
        eventually(lambda: any('"stopping"' in line for line in one.log))
        eventually(lambda: not is_answered(one))
        s.sendall(b"x" * 600)
        got, closed = read_all(s)
    assert closed
    problem(parse_replies(got)[0], 404)


def test_stop_does_not_wait_for_a_refused_client(start):
    """The client has its answer already and may continue to send bytes that are not read."""
    one = start({"stop_timeout": 600000, "rate_grace": 3600000})
    with one.socket() as s:
        s.sendall(b"POST /nothing HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000000\r\n\r\n" + b"x" * 1000)
        eventually(lambda: metric(one, "torqued_requests_refused_total") == 1)
        one.stop()
        got, closed = read_all(s)
    assert closed
    problem(parse_replies(got)[0], 404)


def is_answered(one):
    """Whether a new connection gets an answer; it gets none if it is refused, reset from the backlog, or left
    there during the stop."""
    try:
        with socket.create_connection(one.address, timeout=2) as s:
            s.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
            return s.recv(100) != b""
    except OSError:
        return False


def test_sigint_stops_too(start):
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell ignores SIGINT in background processes
    try:
        one = start()
    finally:
        signal.signal(signal.SIGINT, before)
    os.kill(one.process.pid, 2)
    assert one.process.wait(PATIENCE) == 0


@pytest.mark.parametrize("disposition", (signal.SIG_DFL, signal.SIG_IGN), ids=("as usual", "under nohup"))
def test_hangup_rereads_settings_and_does_not_stop(start, disposition):
    before = signal.signal(signal.SIGHUP, disposition)
    try:
        one = start()
    finally:
        signal.signal(signal.SIGHUP, before)
    for n in (1, 2, 3):
        os.kill(one.process.pid, signal.SIGHUP)
        eventually(lambda n=n: sum('"reloaded"' in line for line in one.log) == n)
    assert one.request("GET", "/readyz")[0] == 200 and one.process.poll() is None


def test_terminal_that_closes_stops_what_was_started_in_it(tmp_path):
    """Otherwise the daemon would continue unseen. It is the terminal's only process: the kernel sends SIGHUP."""
    listening = tmp_path / "torqued.sock"
    pid, master = pty.fork()
    if pid == 0:
        try:
            signal.signal(signal.SIGHUP, signal.SIG_DFL)
            os.execv(TORQUED, [TORQUED, "--listen", f"unix:{listening}", "--state-dir", str(tmp_path / "state")])
        finally:
            os._exit(127)
    said = b""
    while b"listening: url unix:" not in said:  # the log in text format
        said += os.read(master, 4096)
    os.kill(pid, signal.SIGHUP)  # the terminal is still open
    while b" reloaded: " not in said:
        said += os.read(master, 4096)
    os.close(master)
    assert os.waitpid(pid, 0)[1] == 0, "ended by itself, with status 0"


@pytest.mark.parametrize("number", (signal.SIGXFSZ, signal.SIGPIPE))
def test_signals_of_writing_do_not_end_it(start, number):
    one = start()
    os.kill(one.process.pid, number)
    assert one.request("GET", "/healthz")[0] == 200


def test_file_beyond_its_limit_is_a_full_disk(start):
    """RLIMIT_FSIZE (ulimit -f, LimitFSIZE=): write() must fail with EFBIG; by default the kernel would end the
    process by SIGXFSZ."""
    one = start()
    table = b"t,q\n" + b"".join(b"%d,0.123456789012345678\n" % k for k in range(400000))
    assert len(table) > 8 << 20
    hard = resource.prlimit(one.process.pid, resource.RLIMIT_FSIZE)[1]
    resource.prlimit(one.process.pid, resource.RLIMIT_FSIZE, (4 << 20, hard))
    problem(one.request("PUT", "/v1/datasets/large", table), 507)
    assert one.request("GET", "/v1/datasets/large")[0] == 404
    assert one.request("PUT", "/v1/datasets/small", b"t,q\n0,1\n1,2\n")[0] == 201
    resource.prlimit(one.process.pid, resource.RLIMIT_FSIZE, (hard, hard))
    assert one.request("PUT", "/v1/datasets/large", table)[0] == 201


def test_closed_streams_are_never_the_stores(tmp_path):
    """Started without stdin, stdout and stderr, so that files get descriptors 0 to 2: no log line may reach a
    file of the state folder."""
    # a free TCP port would be known only from the log, which this daemon does not have
    path = str(tmp_path / "torqued.sock")
    process = subprocess.Popen(["bash", "-c", 'exec "$@" 0<&- 1>&- 2>&-', "-", TORQUED, "--listen", f"unix:{path}",
                                "--state-dir", str(tmp_path)])

    def listens():
        with socket.socket(socket.AF_UNIX) as s:
            return s.connect_ex(path) == 0

    try:
        eventually(listens)
        links = [os.readlink(f"/proc/{process.pid}/fd/{fd}") for fd in range(3)]
        assert links == ["/dev/null"] * 3
    finally:
        process.terminate()
        assert process.wait(PATIENCE) == 0


def test_unix_socket(start, tmp_path):
    path = str(tmp_path / "torqued.sock")
    one = start(listen=f"unix:{path}")
    assert stat.S_IMODE(os.stat(path).st_mode) == 0o600
    with socket.socket(socket.AF_UNIX) as s:
        s.connect(path)
        s.sendall(b"GET /healthz HTTP/1.1\r\nHost: whatever\r\n\r\n")
        got, _ = read_all(s)
    assert parse_replies(got)[0][0] == 200
    one.stop()
    assert not os.path.exists(path)


def test_unix_socket_is_open_to_whom_the_settings_say(start, tmp_path):
    for settings, mode in (({}, 0o600), ({"socket_mode": "0660"}, 0o660), ({"socket_mode": "666"}, 0o666)):
        path = str(tmp_path / f"{mode:o}.sock")
        start(settings, listen=f"unix:{path}")
        assert os.stat(path).st_mode & 0o777 == mode
    if os.geteuid() == 0:
        path = str(tmp_path / "group.sock")
        start({"socket_mode": "0660", "socket_group": "daemon"}, listen=f"unix:{path}")
        assert os.stat(path).st_gid == __import__("grp").getgrnam("daemon").gr_gid
    for line, says in (("socket_mode = 0777", "socket_mode must be"), ("socket_mode = 0060", "socket_mode must be"),
                       ("socket_mode = 8", "socket_mode must be"), ("socket_group = no-such-group", 'there is no group "no-such-group"')):
        config = tmp_path / "torqued.conf"
        config.write_text(f"[torqued]\n{line}\n")
        done = subprocess.run([TORQUED, "--config", str(config), "--listen", f"unix:{tmp_path}/x.sock", "--state-dir", str(tmp_path / "state")],
                              capture_output=True, text=True, timeout=PATIENCE)
        assert done.returncode in (1, 78) and says in done.stderr, (line, done.stderr)


def test_stale_unix_socket_is_replaced_and_a_live_one_is_not(start, tmp_path):
    path = str(tmp_path / "torqued.sock")
    with socket.socket(socket.AF_UNIX) as s:
        s.bind(path)
    start(listen=f"unix:{path}")
    second = run("--listen", f"unix:{path}", "--state-dir", str(tmp_path / "other"))
    assert second.returncode == 1 and path in second.stderr


def test_port_in_use_is_refused(daemon, tmp_path):
    second = run("--listen", "%s:%d" % daemon.address, "--state-dir", str(tmp_path))
    assert second.returncode == 1 and "in use" in second.stderr


def test_systemd_socket_activation(tmp_path):
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        s.listen(64)
        address = s.getsockname()
        code = ("import os,sys\nos.dup2(int(sys.argv[1]), 3)\nos.environ.update(LISTEN_FDS='1', LISTEN_PID=str(os.getpid()))\n"
                "os.execv(sys.argv[2], sys.argv[2:])")
        import sys
        process = subprocess.Popen([sys.executable, "-c", code, str(s.fileno()), TORQUED, "--state-dir", str(tmp_path)],
                                   pass_fds=[s.fileno()], stderr=subprocess.DEVNULL)
        try:
            for _ in range(3):
                c = http.client.HTTPConnection(*address, timeout=PATIENCE)
                c.request("GET", "/readyz")
                assert c.getresponse().status == 200
                c.close()
        finally:
            process.terminate()
            assert process.wait(PATIENCE) == 0


# ------------------------------------------------------------------------------------------------ settings

BAD = {
    "unknown name": ("[torqued]\nlisten = 127.0.0.1:0\nlissen = x\n", 3, "lissen"),
    "unknown section": ("[torqued]\nworkers = 1\n[server]\nworkers = 2\n", 4, "server"),
    "not a number": ("[torqued]\n\nworkers = many\n", 3, "workers"),
    "not whole": ("workers = 1.5\n", 1, "workers"),
    "too large": ("; a comment\nworkers = 100000\n", 2, "between"),
    "too small": ("[torqued]\nconnections = 0\n", 2, "between"),
    "wrong unit": ("[torqued]\nbody_budget = 10 MB\n", 2, "bytes"),
    "overflow": ("[torqued]\nbody_budget = 99999999999999999999\n", 2, "body_budget"),
    "set twice": ("[torqued]\nworkers = 1\nqueue = 5\nworkers = 2\n", 4, "line 2"),
    "no equals sign": ("[torqued]\nqueue = 5\nworkers\n", 3, ""),
    "line too long": ("[torqued]\nhosts = " + "a " * 500 + "\n", 2, "too long"),
    "bad level": ("[torqued]\nlog_level = loud\n", 2, "log_level"),
    "bad lane width": ("[torqued]\nlane_width = 3\n", 2, "lane_width"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_setting_is_one_line_with_its_place(name, tmp_path):
    text, line, word = BAD[name]
    path = tmp_path / "torqued.conf"
    path.write_text(text)
    for more in ((), ("--check-config",)):
        done = run("--config", str(path), *more)
        assert done.returncode == 78
        assert done.stdout == "" and len(done.stderr.splitlines()) == 1
        assert f"{path}:{line}: " in done.stderr and word in done.stderr


def test_check_config_prints_no_password(tmp_path):
    done = run("--store", "postgresql://lab:secret@db/torqued?sslpassword=other", "--state-dir", str(tmp_path), "--check-config")
    assert done.returncode == 0 and "store = postgresql://lab@db/torqued\n" in done.stdout and "secret" not in done.stdout + done.stderr


@pytest.mark.parametrize("args", [
    ("--workers", "x"), ("--workers",), ("--nonsense",), ("stray",), ("--listen", "8420"), ("--listen", "localhost:"),
    ("--listen", "::1:80"), ("--listen", "unix:"), ("--listen", "unix:" + "a" * 200), ("--config", "/nowhere/x.conf"),
    ("--listen", "127.0.0.1:99999999")])
def test_bad_flag_is_one_line(args):
    done = run(*args, "--check-config") if args != ("--workers",) else run(*args)
    assert done.returncode == 78
    assert len(done.stderr.splitlines()) == 1 and done.stderr.startswith("torqued: ")


@pytest.mark.parametrize("listen", ["0.0.0.0:0", "[::]:0", "192.0.2.1:80"])
def test_listening_beyond_loopback_is_refused(listen, tmp_path):
    done = run("--listen", listen, "--state-dir", str(tmp_path))
    assert done.returncode == 78 and "credentials" in done.stderr and len(done.stderr.splitlines()) == 1


def test_good_settings(tmp_path):
    path = tmp_path / "torqued.conf"
    path.write_text("# all of it\n[torqued]\nworkers = 2 ; two\nbody_budget = 64 MiB\nlisten = [::1]:0\nhosts=a b\n")
    done = run("--config", str(path), "--state-dir", str(tmp_path), "--check-config")
    assert (done.returncode, done.stderr) == (0, "")
    shown = dict(line.split(" = ", 1) for line in done.stdout.splitlines() if " = " in line)
    assert {"workers": "2", "body_budget": "64MiB", "listen": "[::1]:0", "hosts": "a b", "jobs_keep": "30d", "state_dir": str(tmp_path)}.items() <= shown.items()
    assert int(shown["io_threads"]) > 0, "what is chosen at start is shown as chosen"
    path.write_text(done.stdout)
    assert run("--config", str(path), "--check-config").stdout == done.stdout


def test_help_lists_every_setting():
    done = run("--help")
    assert done.returncode == 0
    for name in ("listen", "state_dir", "workers", "header_timeout", "body_budget", "--check-config"):
        assert name in done.stdout


def test_flags_win_over_the_file(start):
    one = start({"workers": 3}, args=("--workers", "2"))
    line = next(text for text in one.log if '"listening"' in text)
    assert json.loads(line)["workers"] == 2


def test_environment_gives_the_state_folder(tmp_path):
    clean = {k: v for k, v in os.environ.items() if k not in ("STATE_DIRECTORY", "XDG_STATE_HOME", "HOME")}
    assert run("--check-config", env=clean).returncode == 78
    assert run("--check-config", env={**clean, "HOME": str(tmp_path)}).returncode == 0
    assert run("--check-config", env={**clean, "STATE_DIRECTORY": str(tmp_path)}).returncode == 0


def test_the_guide_is_there_with_its_link_or_neither(daemon):
    """`make docs-site` before `make build` includes the guide in the daemon; otherwise there is no such route."""
    status, headers, body = daemon.request("GET", "/docs/guide/")
    assert (status == 200) == (b'href="/docs/guide/"' in daemon.request("GET", "/docs")[2])
    if status == 200:
        policy = {name.lower(): value for name, value in headers.items()}["content-security-policy"]
        assert b"<h1" in body and "unsafe" not in policy
    else:
        assert status == 404 and json.loads(body)["type"] == json.loads(daemon.request("GET", "/nowhere")[2])["type"]


def test_the_contract_is_a_page_for_people(daemon):
    """What the page loads exists, is allowed by the page's own policy, and loads nothing from other hosts."""
    status, headers, body = daemon.request("GET", "/docs")
    assert status == 200 and headers["Content-Type"] == "text/html; charset=utf-8"
    policy = headers["Content-Security-Policy"]
    assert policy.startswith("default-src 'none'; script-src 'self'; connect-src 'self'") and policy.endswith("frame-ancestors 'none'")
    page = body.decode()
    assert page.rstrip().endswith("</html>")
    scripts = re.findall(r'<script src="([^"]*)"></script>', page)
    assert scripts == ["/docs.js"] and page.count("<script") == 1 and "http:" not in page and "https:" not in page
    status, headers, body = daemon.request("GET", scripts[0])
    assert status == 200 and headers["Content-Type"] == "text/javascript; charset=utf-8"
    assert b"fetch('/openapi.json')" in body and body.endswith(b"\n") and b"innerHTML" not in body


@pytest.mark.parametrize(
    ("method", "path", "status", "says"),
    [
        ("GET", "/v1/robots/pandaa", 404, 'did you mean "panda"?'),
        ("POST", "/v1/robots/ur10/inverse-dynamics", 404, 'did you mean "ur10e"?'),
        ("DELETE", "/v1/robots/something-else", 404, "GET /v1/robots lists them"),
        ("GET", "/v1/robots/panda@" + "0" * 64, 404, "with this digest"),
        ("POST", "/v1/robots/panda/inverse-dynamic", 404, "did you mean .../inverse-dynamics?"),
        ("GET", "/v1/nothing-like-it", 404, "GET /openapi.json lists all addresses"),
        ("GET", "/v1/jobs?state=finished", 422, "state is queued, running, succeeded, failed or cancelled"),
        ("GET", "/v1/jobs?limit=201", 422, "limit is 1 to 200"),
        ("GET", "/v1/jobs?limit=0", 422, "limit is 1 to 200"),
        ("GET", "/v1/jobs?cursor=x", 422, 'cursor is the "cursor" of the previous page'),
        ("GET", "/v1/jobs?page=2", 422, "takes state, kind, robot, older_than, newer_than, limit and cursor"),
    ],
)
def test_a_wrong_address_is_answered_with_the_nearest_right_one(daemon, method, path, status, says):
    body = b'{"q":[0],"qd":[0],"qdd":[0]}' if method == "POST" else None
    assert says in problem(daemon.request(method, path, body), status)["detail"]


def test_a_trace_goes_through(start):
    """W3C Trace Context: the trace id is in the log line and in the answer, with a new span for each request; an
    invalid header is ignored."""
    one = start({"log_requests": 1})
    trace, parent = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
    body = json.dumps({name: [[0.1, 0.2]] * 20000 for name in ("q", "qd", "qdd")}).encode()
    spans = set()
    for n, sent in enumerate((b'{"q":[0,0],"qd":[0,0],"qdd":[0,0]}', body, b"{")):  # inline, on a worker, refused
        reply = one.request("POST", "/v1/robots/planar-2r/inverse-dynamics", sent, {"Content-Type": "application/json", "traceparent": f"00-{trace}-{parent}-01"})
        version, same, span, flags = reply[1]["traceresponse"].split("-")
        assert (version, same, flags) == ("00", trace, "01") and span not in {parent, *spans}
        spans.add(span)
        assert n == 2 or reply[0] == 200
    eventually(lambda: len([line for line in one.log if '"trace_id"' in line]) == 3)
    lines = [json.loads(line) for line in one.log if '"trace_id"' in line]
    assert {line["span_id"] for line in lines} == spans and all(line["trace_id"] == trace for line in lines)
    run = json.dumps({"initial": {"q": [0.1, 0]}, "duration_s": 0.01, "output": {"interval_s": 0.001}}).encode()
    reply = one.request("POST", "/v1/robots/planar-2r/simulate", run, {"Prefer": "respond-async", "traceparent": f"00-{trace}-{parent}-00"})
    job = json.loads(reply[2])["id"]
    eventually(lambda: any(f'"job":"{job}"' in line and trace in line for line in one.log))
    for bad in (None, "00-" + "0" * 32 + f"-{parent}-01", f"ff-{trace}-{parent}-01", f"00-{trace}-{parent}"):
        reply = one.request("GET", "/v1/version", headers={"traceparent": bad} if bad else {})
        assert reply[0] == 200 and reply[1]["traceresponse"] is None
