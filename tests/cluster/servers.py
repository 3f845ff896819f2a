# SPDX-License-Identifier: Apache-2.0
# tests/cluster/servers.py - what stands between and beside daemons and their database: servers, replicas, wires that are cut.
"""No test. Servers listen on 127.0.0.1 only and go with the test."""

import contextlib
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import threading

import pytest
from test_cluster import Postgres, conftest, single


def scratch():
    """A folder that the server's user may write."""
    folder = tempfile.mkdtemp(prefix="torqued-cluster-")
    os.chmod(folder, 0o755)
    if Postgres.user:
        shutil.chown(folder, "nobody")
    return folder


def run(*words, **more):
    subprocess.run([*Postgres.user, *words], check=True, capture_output=True, cwd="/", timeout=conftest.PATIENCE, **more)


def program(name):
    found = shutil.which(name) or shutil.which(name, path="/usr/sbin")
    if found is None:
        pytest.skip(f"no {name}: make deps-cluster")
    return found


class Server(Postgres):
    """A PostgreSQL of the test's own; `of`: a streaming replica of another."""

    def __init__(self, settings="", of=None):
        self.folder, self.port = scratch(), single.free_port()
        self.uri = f"postgresql://torqued@127.0.0.1:{self.port}/postgres?connect_timeout=5"
        if of is None:
            run(f"{self.programs}/initdb", "-D", f"{self.folder}/data", "-U", "torqued", "--auth=trust", "--encoding=UTF8", "--locale=C",
                "--data-checksums", "--no-sync")
        else:
            run(f"{self.programs}/pg_basebackup", "-d", f"host=127.0.0.1 port={of.port} user=torqued", "-D", f"{self.folder}/data", "-R",
                "-X", "stream", "-c", "fast", "--no-sync")
        with open(f"{self.folder}/data/postgresql.conf", "a") as f:
            f.write(f"port = {self.port}\nlisten_addresses = '127.0.0.1'\nunix_socket_directories = ''\nmax_connections = 100\n"
                    f"shared_buffers = 32MB\nwal_keep_size = 512MB\n{settings}\n")
        self.control("start")

    def processes(self):
        """All of them, stopped: they start no other."""
        with open(f"{self.folder}/data/postmaster.pid") as f:
            process = int(f.readline())
        os.kill(process, signal.SIGSTOP)
        listed = subprocess.run(["ps", "-o", "pid=", "--ppid", str(process)], capture_output=True, text=True, check=False).stdout
        return [*(int(word) for word in listed.split()), process]

    def kill_all(self):
        """The server with all its processes at once, as the end of its machine."""
        for one in self.processes():
            with contextlib.suppress(ProcessLookupError):
                os.kill(one, signal.SIGKILL)

    def set(self, **settings):
        for name, value in settings.items():
            self.query(f"ALTER SYSTEM SET {name} = '{value}'")
        self.query("SELECT pg_reload_conf()")

    def set_offline(self):
        """A replica that receives no more."""
        with open(f"{self.folder}/data/postgresql.conf", "a") as f:
            f.write("primary_conninfo = ''\n")
        with open(f"{self.folder}/data/postgresql.auto.conf") as f:
            kept = [line for line in f if not line.startswith("primary_conninfo")]
        with open(f"{self.folder}/data/postgresql.auto.conf", "w") as f:
            f.writelines(kept)
        self.control("reload")
        conftest.eventually(lambda: self.query("SELECT count(*) FROM pg_stat_wal_receiver") == "0")

    def close(self):
        with contextlib.suppress(subprocess.CalledProcessError):
            self.control("stop", "-m", "immediate")
        shutil.rmtree(self.folder, ignore_errors=True)


class Psql:
    """A session in the schema of a cluster, whose transactions stay open from one text to the next."""

    def __init__(self, home):
        self.process = subprocess.Popen([f"{home.postgres.programs}/psql", "-XAtq", "-v", "ON_ERROR_STOP=1", home.postgres.uri],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.ask(f"SET search_path = {home.schema}")

    def ask(self, text):
        self.process.stdin.write(f"{text};\n\\echo end\n")
        self.process.stdin.flush()
        lines = []
        while (line := self.process.stdout.readline()) and line != "end\n":
            lines.append(line)
        assert line, "".join(lines)
        return "".join(lines).strip()

    def close(self):
        self.process.kill()
        self.process.communicate()


class Wire:
    """TCP on a port of its own to another. Held, it keeps what comes and the connections: neither side sees an end."""

    def __init__(self, to, port=0):
        self.to = to
        # `until`: what a client sends is held from the second of these words on, where it follows the first; `of`: of this connection only
        self.requests_held, self.answers_held, self.until, self.of, self.last, self.closed = False, False, None, None, (), False
        self.reached, self.changed = threading.Event(), threading.Condition()
        self.sockets = set()
        self.listener = socket.create_server(("127.0.0.1", port), backlog=100)
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def hold(self, requests=False, answers=False, of=None):
        with self.changed:
            self.requests_held, self.answers_held, self.until, self.of = requests, answers, None, of
            self.changed.notify_all()

    def hold_from(self, first, then):
        self.reached.clear()
        self.until = first, then

    def answer_and_cut(self):
        """The held answers of the connection go on, and with them all connections end; nothing that the client sends in between passes."""
        with self.changed:
            self.requests_held, self.answers_held, self.last = True, False, self.of
            self.changed.notify_all()

    def cut(self):
        """All connections end on both sides."""
        with self.changed:
            sockets, self.sockets = self.sockets, set()
            self.changed.notify_all()
        for one in sockets:
            with contextlib.suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
            one.close()

    def refuse(self):
        """No new connection."""
        with contextlib.suppress(OSError):
            self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()

    def close(self):
        self.closed = True
        self.hold()
        self.refuse()
        self.cut()

    def _accept(self):
        while True:
            try:
                client = self.listener.accept()[0]
            except OSError:
                return
            threading.Thread(target=self._connect, args=(client,), daemon=True).start()

    def _connect(self, client):
        with self.changed:
            self.sockets.add(client)
            self.changed.wait_for(lambda: not self.requests_held or self.of is not None or self.closed)
        try:
            server = socket.create_connection(("127.0.0.1", self.to))
        except OSError:
            client.close()
            return
        with self.changed:
            if self.closed or client not in self.sockets:
                server.close()
                return
            self.sockets.add(server)
        threading.Thread(target=self._pass, args=(client, server, False), daemon=True).start()
        threading.Thread(target=self._pass, args=(server, client, True), daemon=True).start()

    def _split(self, before, piece):
        """How much of the piece comes before the words that are waited for; None: they are not in it."""
        if self.until is None:
            return None
        at = (before + piece).rfind(self.until[0])  # the last one: groups of before may have it too
        at = (before + piece).find(self.until[1], at) if at >= 0 else -1
        return at - len(before) if at >= len(before) else None

    def _holds(self, source, is_answer):
        return (self.answers_held if is_answer else self.requests_held) and source in (self.of or self.sockets) and source in self.sockets

    def _pass(self, source, target, is_answer):
        before = b""
        while True:
            try:
                piece = source.recv(65536)
            except OSError:
                piece = b""
            with self.changed:
                at = None if is_answer else self._split(before, piece)
                before = (before + piece)[-8192:]
                if at is not None:
                    target.sendall(piece[:at])
                    piece = piece[at:]
                    self.requests_held, self.until, self.of = True, None, {source, target}
                    self.reached.set()
                self.changed.wait_for(lambda: not self._holds(source, is_answer))
            try:
                if not piece:
                    target.shutdown(socket.SHUT_RDWR)
                    return
                target.sendall(piece)
            except OSError:
                return
            if is_answer and source in self.last:
                self.cut()


@pytest.fixture
def kept():
    """kept(thing): closed after the test, the last first; clusters are closed by a fixture of their own."""
    with contextlib.ExitStack() as stack:
        def keep(thing):
            stack.callback(thing.close)
            return thing
        yield keep
