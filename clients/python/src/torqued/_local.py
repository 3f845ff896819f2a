# SPDX-License-Identifier: Apache-2.0
# clients/python/src/torqued/_local.py - a daemon of one's own: a child on a private Unix socket, which ends with this program.
"""`with torqued.local() as t:` starts the daemon that the wheel carries."""
from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ._problems import LocalError
from ._generated.client import Client

STARTS_WITHIN_S = 30.0
ENDS_WITHIN_S = 10.0
TEMPDIR_MAX = 80  # characters: a Unix socket's path has 107 bytes
# The shell holds the read end of a pipe whose write end is this program's alone: however this program ends, by SIGKILL too, the
# kernel closes it, `read` ends, and so does the daemon. (PR_SET_PDEATHSIG would follow the thread that forked, not the program.)
KEEPER = 'trap "" INT; "$@" </dev/null & child=$!; read -r line; kill -TERM $child 2>/dev/null; wait $child'


def find_binary(given: str | os.PathLike[str] | None = None) -> str:
    """The daemon given, else $TORQUED, else the wheel's, else the PATH's."""
    carried = Path(__file__).parent / "_daemon" / "torqued"
    for one in (given, os.environ.get("TORQUED")):
        if one is not None:
            if not os.access(one, os.X_OK):
                raise LocalError(f"{os.fspath(one)} is no program")
            return os.fspath(one)
    if os.access(carried, os.X_OK):
        return str(carried)
    found = shutil.which("torqued")
    if found is None:
        raise LocalError("there is no torqued here: this package came without one, and the PATH has none. A wheel for this platform "
                         "carries it; else build it, and name it by TORQUED or local(binary=...)")
    return found


class Local(Client):
    """A client of its own daemon. `folder` has its socket, its settings and, unless `state` was given, its data."""

    def __init__(self, state: str | os.PathLike[str] | None = None, *, binary: str | os.PathLike[str] | None = None,
                 settings: Mapping[str, Any] | None = None) -> None:
        program = find_binary(binary)
        self._folder = tempfile.TemporaryDirectory(prefix="torqued-", dir=None if len(tempfile.gettempdir()) < TEMPDIR_MAX else "/tmp")
        self.folder = Path(self._folder.name)
        self.log = self.folder / "log"
        self.state = Path(state) if state is not None else self.folder / "state"
        config, socket = self.folder / "torqued.conf", self.folder / "socket"
        config.write_text("[torqued]\n" + "".join(f"{key} = {value}\n" for key, value in (settings or {}).items()), encoding="utf-8")
        # a session of its own: an interrupt at the terminal is this program's, not the daemon's
        with open(self.log, "wb") as log:
            self._keeper = subprocess.Popen(
                ["/bin/sh", "-c", KEEPER, "torqued", program, "--config", str(config), "--listen", f"unix:{socket}",
                 "--state-dir", str(self.state)],
                stdin=subprocess.PIPE, stdout=log, stderr=log, start_new_session=True)
        super().__init__(f"unix:{socket}")
        try:
            self._await_ready(socket)
        except BaseException:
            self.close()
            raise

    def _await_ready(self, socket: Path) -> None:
        deadline = time.monotonic() + STARTS_WITHIN_S
        while not (socket.exists() and self.is_ready()):
            text = self.log.read_text("utf-8", "replace")
            if '"event":"exit"' in text or self._keeper.poll() is not None or "torqued:" in text:
                hint = " (a slim image may lack it: apt install libexpat1)" if "libexpat" in text else ""
                raise LocalError(f"torqued does not start{hint}:\n" + text[-2000:])
            if time.monotonic() > deadline:
                raise LocalError(f"torqued was not ready within {STARTS_WITHIN_S:.0f} s:\n" + text[-2000:])
            time.sleep(0.005)

    @property
    def url(self) -> str:
        """For other clients: ``unix:/path``."""
        return self.address.text

    def close(self) -> None:
        """Ends the daemon, and removes its folder."""
        super().close()
        if self._keeper.stdin is not None:
            self._keeper.stdin.close()
        try:
            self._keeper.wait(ENDS_WITHIN_S)
        except subprocess.TimeoutExpired:
            os.killpg(self._keeper.pid, 9)  # the session began with it: its group is the keeper and the daemon
            self._keeper.wait()
        self._folder.cleanup()


def local(state: str | os.PathLike[str] | None = None, *, binary: str | os.PathLike[str] | None = None,
          settings: Mapping[str, Any] | None = None) -> Local:
    """Starts a daemon for this program alone; it ends with the `with`, with `close()`, and with the program.

    Arguments:
        state: a folder that keeps robots, datasets and jobs; without it they go with the daemon.
        binary: the daemon; else $TORQUED, else the one that the wheel carries, else the PATH's.
        settings: of torqued.conf, as ``{"workers": 2}``.
    """
    return Local(state, binary=binary, settings=settings)
