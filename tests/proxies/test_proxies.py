# SPDX-License-Identifier: Apache-2.0
# tests/proxies/test_proxies.py - the recipes of systemd/proxies, run: each proxy as its file says, in front of a daemon's Unix socket.
import glob
import hashlib
import http.client
import io
import json
import os
import pathlib
import re
import shutil
import socket
import ssl
import subprocess
import time

import numpy as np
import pytest
from conftest import PATIENCE, ROOT

RECIPES = ROOT / "systemd/proxies"
UNPACKED = ROOT / "build/proxies"
NAME = "robots.lab.example"


def program(name):
    """Installed, or unpacked by `make deps-proxies`; with the libraries beside it."""
    for folder in ("usr/sbin", "usr/bin"):
        if (UNPACKED / folder / name).exists():
            return str(UNPACKED / folder / name), {"LD_LIBRARY_PATH": ":".join(glob.glob(str(UNPACKED / "usr/lib/*-linux-gnu")))}
    found = shutil.which(name) or shutil.which(name, path="/usr/sbin")
    if found is None:
        pytest.skip(f"no {name}: make deps-proxies")
    return found, {}


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


@pytest.fixture(scope="module")
def certificate(tmp_path_factory):
    folder = tmp_path_factory.mktemp("certificate")
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", "-subj", f"/CN={NAME}",
                    "-addext", f"subjectAltName=DNS:{NAME}", "-keyout", folder / "key.pem", "-out", folder / "cert.pem"],
                   check=True, capture_output=True, timeout=PATIENCE)
    (folder / "both.pem").write_text((folder / "cert.pem").read_text() + (folder / "key.pem").read_text())
    return folder


def fitted(recipe, port, path, certificate):
    """The recipe with this test's port, socket and certificate: nothing else of it changes."""
    text = (RECIPES / recipe).read_text()
    for old, new in (("/run/torqued.sock", path), ("/etc/ssl/torqued", str(certificate))):
        assert old in text
        text = text.replace(old, new)
    return text, port


def nginx(folder, port, path, certificate):
    text, _ = fitted("nginx.conf", port, path, certificate)
    text = text.replace("listen 443 ssl;", f"listen 127.0.0.1:{port} ssl;").replace("    listen [::]:443 ssl;\n", "")
    places = "".join(f"{kind}_temp_path {folder}/{kind};\n" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
    whole = (f"daemon off;\nmaster_process off;\npid {folder}/pid;\nerror_log {folder}/error.log;\nevents {{}}\n"
             f"http {{\naccess_log off;\n{places}{text}}}\n")
    (folder / "nginx.conf").write_text(whole)
    return ["-e", str(folder / "error.log"), "-c", str(folder / "nginx.conf"), "-p", str(folder)]


def caddy(folder, port, path, certificate):
    text, _ = fitted("Caddyfile", port, path, certificate)
    text = text.replace(f"{NAME} {{", f"https://{NAME}:{port} {{\n\tbind 127.0.0.1")
    (folder / "Caddyfile").write_text("{\n\tadmin off\n\tauto_https disable_redirects\n}\n" + text)
    return ["run", "--adapter", "caddyfile", "--config", str(folder / "Caddyfile")]


def haproxy(folder, port, path, certificate):
    text, _ = fitted("haproxy.cfg", port, path, certificate)
    (folder / "haproxy.cfg").write_text(text.replace("bind :443", f"bind 127.0.0.1:{port}"))
    return ["-db", "-f", str(folder / "haproxy.cfg")]


class Proxy:
    def __init__(self, port, certificate):
        self.port, self.context = port, ssl.create_default_context(cafile=certificate / "cert.pem")

    def connect(self):
        """By the name of the certificate, to this machine."""
        plain = socket.create_connection(("127.0.0.1", self.port), timeout=PATIENCE)
        connection = http.client.HTTPSConnection(NAME, self.port, timeout=PATIENCE)
        connection.sock = self.context.wrap_socket(plain, server_hostname=NAME)
        return connection

    def request(self, method, path, body=None, headers=None, connection=None):
        own = connection or self.connect()
        own.request(method, path, body, {"Authorization": "Bearer lab-token", **(headers or {})})
        answer = own.getresponse()
        found = answer.status, {k.lower(): v for k, v in answer.getheaders()}, answer.read()
        if connection is None:
            own.close()
        return found


@pytest.fixture(scope="module", params=["nginx", "caddy", "haproxy"])
def proxy(request, tmp_path_factory, certificate):
    name, environment = request.param, {}
    path, environment = program(name)
    folder = tmp_path_factory.mktemp(name)
    tokens = folder / "tokens"
    tokens.write_text("lab " + hashlib.blake2b(b"lab-token", digest_size=32).hexdigest() + "\n")
    tokens.chmod(0o600)
    daemon_class = __import__("conftest").Daemon
    daemon = daemon_class({"credentials": str(tokens)}, listen=f"unix:{folder}/torqued.sock")
    port = free_port()
    argv = globals()[name](folder, port, f"{folder}/torqued.sock", certificate)
    process = subprocess.Popen([path, *argv], stdin=subprocess.DEVNULL, stdout=open(folder / "log", "wb"), stderr=subprocess.STDOUT,
                               env={**os.environ, "HOME": str(folder), "XDG_DATA_HOME": str(folder), "XDG_CONFIG_HOME": str(folder), **environment})
    front = Proxy(port, certificate)
    end = time.monotonic() + PATIENCE
    while True:
        try:
            if front.request("GET", "/readyz")[0] == 200:
                break
        except OSError:
            pass
        assert process.poll() is None and time.monotonic() < end, (folder / "log").read_text()[-3000:]
        time.sleep(0.05)
    front.daemon = daemon
    yield front
    process.kill()  # Caddy would wait for its idle connections
    process.wait(PATIENCE)
    daemon.stop()


def npy(array):
    out = io.BytesIO()
    np.save(out, array)
    return out.getvalue()


def test_json_and_npy_are_the_same_numbers(proxy):
    rng = np.random.default_rng(3)
    q = rng.uniform(-1, 1, (20000, 2))
    status, _, body = proxy.request("POST", "/v1/robots/planar-2r/inverse-dynamics",
                                    json.dumps({"q": q[:3].tolist(), "qd": q[:3].tolist(), "qdd": q[:3].tolist()}), {"Content-Type": "application/json"})
    assert status == 200, body
    few = np.array(json.loads(body)["tau"])
    # NPY: q, qd and qdd of a sample in a row
    status, headers, body = proxy.request("POST", "/v1/robots/planar-2r/inverse-dynamics", npy(np.hstack([q, q, q])),
                                          {"Content-Type": "application/x-npy", "Accept": "application/x-npy"})
    assert status == 200, body[:400]
    assert headers["content-type"].startswith("application/x-npy")
    many = np.load(io.BytesIO(body))
    assert many.shape == (20000, 2) and (many[:3] == few).all()


def test_nothing_without_a_token(proxy):
    assert proxy.request("GET", "/v1/robots", headers={"Authorization": "Bearer other"})[0] == 401


def test_an_upload_of_megabytes_comes_back(proxy):
    rows = np.hstack([np.arange(200000)[:, None] * 1e-3, np.random.default_rng(5).normal(size=(200000, 2))])
    text = b"t,q1,q2\n" + b"".join(b"%.6f,%.9f,%.9f\n" % tuple(r) for r in rows)
    assert len(text) > 5_000_000
    assert proxy.request("PUT", "/v1/datasets/large", text, {"Content-Type": "text/csv"})[0] in (200, 201)
    status, _, back = proxy.request("GET", "/v1/datasets/large/content")
    assert status == 200 and hashlib.sha256(back).digest() == hashlib.sha256(text).digest()
    status, headers, part = proxy.request("GET", "/v1/datasets/large/content", headers={"Range": "bytes=1000-1999"})
    assert (status, part) == (206, text[1000:2000])


def test_events_come_while_the_stream_is_open(proxy):
    stream = proxy.connect()
    stream.request("GET", "/v1/events", headers={"Authorization": "Bearer lab-token", "Accept": "text/event-stream"})
    answer = stream.getresponse()
    assert answer.status == 200 and answer.getheader("content-type").startswith("text/event-stream")
    status, _, body = proxy.request("POST", "/v1/robots/planar-2r/simulate", json.dumps(
        {"initial": {"q": [0.1, 0.2]}, "duration_s": 0.5, "output": {"interval_s": 0.1}}), {"Content-Type": "application/json", "Prefer": "respond-async"})
    assert status == 202, body
    job = json.loads(body)["id"].encode()
    got = b""
    while job not in got:  # the stream has not ended: a proxy that collects would never give it
        piece = answer.read1(4096)
        assert piece, got
        got += piece
    stream.close()


def test_kept_connections_stay_in_step(proxy):
    connection = proxy.connect()
    for method, path in (("HEAD", "/v1/robots"), ("GET", "/v1/robots"), ("HEAD", "/v1/events"), ("GET", "/v1/version"), ("GET", "/no/such"),
                         ("HEAD", "/metrics"), ("GET", "/healthz")):
        for _ in range(3):
            connection.request(method, path, headers={"Authorization": "Bearer lab-token"})
            answer = connection.getresponse()
            body = answer.read()
            assert answer.status == (404 if path == "/no/such" else 200), (method, path)
            assert (body == b"") == (method == "HEAD"), (method, path)
            if answer.will_close:
                connection.close()
                connection = proxy.connect()
    connection.close()


def test_a_page_of_this_very_host_may_send_and_no_other(proxy):
    body = json.dumps({"q": [0, 0], "qd": [0, 0], "qdd": [0, 0]})
    for origin, status in ((f"https://{NAME}:{proxy.port}", 200), ("https://evil.example", 403)):
        found = proxy.request("POST", "/v1/robots/planar-2r/inverse-dynamics", body, {"Content-Type": "application/json", "Origin": origin})
        assert found[0] == status, (origin, found[2])


def test_forged_peers_change_nothing(proxy):
    assert proxy.request("GET", "/v1/robots", headers={"Forwarded": "for=127.0.0.1", "X-Forwarded-For": "127.0.0.1", "Authorization": ""})[0] == 401


def test_tls_below_1_2_is_refused_and_transport_is_strict(proxy):
    assert "strict-transport-security" in proxy.request("GET", "/v1/version")[1]
    old = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    old.check_hostname, old.verify_mode = False, ssl.CERT_NONE
    old.set_ciphers("ALL:@SECLEVEL=0")
    old.minimum_version, old.maximum_version = ssl.TLSVersion.TLSv1, ssl.TLSVersion.TLSv1_1
    with socket.create_connection(("127.0.0.1", proxy.port), timeout=PATIENCE) as plain, pytest.raises(OSError):
        old.wrap_socket(plain, server_hostname=NAME)


def test_recipes_name_the_socket_of_the_unit():
    unit = (ROOT / "systemd/torqued-activated.socket").read_text()
    path = re.search(r"ListenStream=(\S+)", unit)[1]
    assert all(path in pathlib.Path(recipe).read_text() for recipe in glob.glob(str(RECIPES / "*")) if not recipe.endswith(".md"))
