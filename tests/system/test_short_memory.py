# SPDX-License-Identifier: Apache-2.0
# tests/system/test_short_memory.py - the first allocation of a request fails, then the second, and so on: it is refused, the daemon lives.
"""Nothing is left to chance: which allocation fails is counted, over all threads of the daemon, from the moment at which a
request is sent. Threads take turns as they like, so the k-th is not always the same one, but what is asserted holds for
each of them. tests/unit/api/call/test_short_memory.c does the same without threads, to every operation."""
import collections
import http.client
import json
import shutil
import struct
import subprocess

import pytest
from test_scale import BODY, conftest

SHIM = r"""
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>
extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t), *__libc_memalign(size_t, size_t);
/* a file that the test writes; n is printed; a name: only threads of that name are counted */
static volatile struct { int64_t armed, first, many, n; char thread[16]; } *page;
__attribute__((constructor)) static void begin(void)
{
    const int fd = open(getenv("FAULT_FILE"), O_RDWR);
    void *mapped = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    page = mapped != MAP_FAILED ? mapped : NULL;
}
static int fails(void)
{
    if (page == NULL || page->armed == 0)
        return 0;
    char name[16] = "";
    if (page->thread[0] != 0 && (prctl(PR_GET_NAME, name) != 0 || strcmp(name, (const char *)page->thread) != 0))
        return 0;
    const int64_t n = __atomic_add_fetch(&page->n, 1, __ATOMIC_SEQ_CST);
    if (n < page->first || n - page->first >= page->many)
        return 0;
    errno = ENOMEM;
    return 1;
}
void *malloc(size_t n) { return fails() ? NULL : __libc_malloc(n); }
void *calloc(size_t n, size_t each) { return fails() ? NULL : __libc_calloc(n, each); }
void *realloc(void *p, size_t n) { return fails() ? NULL : __libc_realloc(p, n); }
void *aligned_alloc(size_t align, size_t n) { return fails() ? NULL : __libc_memalign(align, n); }
"""
BIG = json.dumps({"q": [[0.1] * 7] * 3000, "qd": [[0.1] * 7] * 3000, "qdd": [[0.1] * 7] * 3000}).encode()
PANDA = "/v1/robots/panda/"
FAILING = json.dumps({"initial": {"q": [0.3, 0.2], "qd": [1e150, -1e160]}, "duration_s": 3, "output": {"interval_s": 1}}).encode()
SIMULATION = json.dumps({"initial": {"q": [0.3, 0.2]}, "duration_s": 0.1, "output": {"interval_s": 0.01}, "solver": {"method": "rk4", "step_s": 0.01}}).encode()


ALL = 1 << 40
WALK_MAX = 5000  # allocations of one request


class Fault:
    """The page that the daemon and the test share."""

    def __init__(self, path):
        path.write_bytes(b"\0" * 4096)
        self.file = open(path, "r+b", buffering=0)

    def put(self, *numbers):
        self.file.seek(0)
        self.file.write(struct.pack(f"<{len(numbers)}q", *numbers))

    def begin(self, first, many, thread):
        self.put(0, first, many, 0)
        self.file.write(struct.pack("16s", thread))
        self.put(1)

    def end(self):
        self.put(0)
        self.file.seek(24)
        return struct.unpack("<q", self.file.read(8))[0]


@pytest.mark.skipif(shutil.which("cc") is None or "san" in conftest.TORQUED, reason="no compiler, or a sanitizer has malloc for itself")
@pytest.mark.seconds(240)
def test_each_allocation_fails_once(tmp_path, monkeypatch):
    source, shim, page, wrapper = (tmp_path / name for name in ("shim.c", "shim.so", "fault", "torqued"))
    source.write_text(SHIM)
    subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-o", shim, source], check=True)
    fault = Fault(page)
    wrapper.write_text(f'#!/bin/sh\nFAULT_FILE={page} LD_PRELOAD={shim} exec "{conftest.TORQUED}" "$@"\n')
    wrapper.chmod(0o755)
    monkeypatch.setitem(conftest.Daemon.__init__.__globals__, "TORQUED", str(wrapper))
    hour = dict.fromkeys(("header_timeout", "idle_timeout", "rate_grace", "run_timeout"), 3600000)
    daemon = conftest.Daemon({"jobs": 2, "workers": 2, "io_threads": 1, **hour})

    def ask(method, path, body=None, **headers):
        try:
            status, _, text = daemon.request(method, path, body, {k.title(): v for k, v in headers.items()})
            return status, text
        except (OSError, http.client.HTTPException) as cut:  # the HTTP library has no memory for a page of its own
            return 0, type(cut).__name__

    def walk(call, many, wanted=(200, 201), thread=b""):
        """Whatever is short: refused with 503, or cut off, or answered; never another status, never another answer."""
        usual, counts = ask(*call), collections.Counter()
        assert usual[0] in wanted, (call[:2], usual)
        for k in range(1, WALK_MAX):
            fault.begin(k, many, thread)
            status, text = ask(*call)
            n = fault.end()
            assert daemon.process.poll() is None, (call[:2], k, many, daemon.log[-5:])
            assert status in (*wanted, 503) or status == 0 and n >= k, (call[:2], k, many, status, text)
            counts[status] += 1
            if n < k:
                assert status in wanted, (call[:2], k, many, status, text)
                break
        else:
            raise AssertionError(f"{call[:2]}: more than {WALK_MAX} allocations")
        assert k > 1 and ask(*call)[0] in wanted, (call[:2], many, "it is as it was")
        return counts

    arm = (conftest.ROOT / "api/robots/builtin/ur5e.urdf").read_bytes()
    status, text = ask("POST", PANDA + "inverse-dynamics", BIG, prefer="respond-async, wait=600")
    assert status == 200, text
    job = f"/v1/jobs/{json.loads(ask('GET', '/v1/jobs')[1])['jobs'][0]['id']}"
    calls = [("POST", PANDA + "inverse-dynamics", BIG), ("POST", PANDA + "inverse-dynamics", BODY), ("GET", "/v1/jobs"),
             ("PUT", "/v1/datasets/x", b"a,b\n1,2\n" * 10000),
             ("GET", "/v1/datasets/x?points=100"), ("PUT", "/v1/robots/arm", arm), ("GET", "/v1/robots/ur10e"),
             ("POST", PANDA + "kinematics", b'{"q": [0, 0, 0, 0, 0, 0, 0]}'), ("GET", job + "/result?fields=tau"),
             ("GET", job + "/result?points=9"), ("GET", job + "/result/tau"), ("GET", job + "/request")]
    counts = collections.Counter()
    for call in calls:
        for many in (1, ALL):
            counts += walk(call, many)
    counts += walk(("GET", "/v1/nowhere"), 1, (404,)) + walk(("DELETE", PANDA + "kinematics"), 1, (405,))
    # of a job only allocations of its own thread: one that the store cannot claim is tried again only after a second, and
    # where all allocations fail it waits until there is memory again, and so does its client
    planar = "/v1/robots/planar-2r/simulate"
    counts += walk(("POST", planar, SIMULATION), 1, (200,), b"job")
    counts += walk(("POST", planar, FAILING), 1, (422,), b"job")
    assert counts[200] > 0 and counts[503] > 0, counts
    print(dict(counts))
    # an integrator that SUNDIALS cannot make: it prints before it can be silenced (core/simulate/README.md)
    daemon.log[:] = [line for line in daemon.log if line and not line.startswith(("[ARKODE", "  "))]
    daemon.stop()
