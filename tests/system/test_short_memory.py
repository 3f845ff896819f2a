# SPDX-License-Identifier: Apache-2.0
# tests/system/test_short_memory.py - one allocation in many fails: requests are refused with 503, and the daemon lives.
import collections
import http.client
import json
import shutil
import subprocess

import pytest
from test_scale import BODY, conftest

SHIM = r"""
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t);
static volatile uint32_t *chance; /* of 2^32, in a file that the test writes */
static __thread uint64_t state;
__attribute__((constructor)) static void begin(void)
{
    const int fd = open(getenv("FAULT_FILE"), O_RDONLY);
    void *page = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0);
    chance = page != MAP_FAILED ? page : NULL;
}
static int fails(void)
{
    if (chance == NULL || *chance == 0)
        return 0;
    state = state != 0 ? state : (uint64_t)gettid() * 88172645463325252u + 1;
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    errno = ENOMEM;
    return (uint32_t)(state >> 16) < *chance;
}
void *malloc(size_t n) { return fails() ? NULL : __libc_malloc(n); }
void *calloc(size_t n, size_t each) { return fails() ? NULL : __libc_calloc(n, each); }
void *realloc(void *p, size_t n) { return fails() ? NULL : __libc_realloc(p, n); }
"""
BIG = json.dumps({"q": [[0.1] * 7] * 3000, "qd": [[0.1] * 7] * 3000, "qdd": [[0.1] * 7] * 3000}).encode()
PANDA = "/v1/robots/panda/"
SIMULATION = json.dumps({"initial": {"q": [0.3, 0.2]}, "duration": 0.1, "output": {"interval": 0.01}, "solver": {"method": "rk4", "step": 0.01}}).encode()


@pytest.mark.skipif(shutil.which("cc") is None or "san" in conftest.TORQUED, reason="no compiler, or a sanitizer has malloc for itself")
@pytest.mark.seconds(120)
@pytest.mark.parametrize("chance", (0.003, 0.02))
def test_failing_allocations(tmp_path, monkeypatch, chance):
    source, shim, fault, wrapper = (tmp_path / name for name in ("shim.c", "shim.so", "fault", "torqued"))
    source.write_text(SHIM)
    subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-o", shim, source], check=True)
    fault.write_bytes(b"\0" * 4096)
    wrapper.write_text(f'#!/bin/sh\nFAULT_FILE={fault} LD_PRELOAD={shim} exec "{conftest.TORQUED}" "$@"\n')
    wrapper.chmod(0o755)
    monkeypatch.setitem(conftest.Daemon.__init__.__globals__, "TORQUED", str(wrapper))
    daemon = conftest.Daemon({"jobs": 2})

    def fail(share):
        with open(fault, "r+b", buffering=0) as f:
            f.write(int(share * 2 ** 32).to_bytes(4, "little"))

    def ask(method, path, body=None, **headers):
        try:
            status, _, text = daemon.request(method, path, body, {k.title(): v for k, v in headers.items()})
            return status, text
        except (OSError, http.client.HTTPException) as cut:  # the HTTP library has no memory for a page of its own
            return 0, type(cut).__name__

    arm = (conftest.ROOT / "api/robots/ur5e.urdf").read_bytes()
    status, text = ask("POST", PANDA + "inverse-dynamics", BIG, prefer="respond-async, wait=20")
    assert status == 200
    job = f"/v1/jobs/{json.loads(ask('GET', '/v1/jobs')[1])['jobs'][0]['id']}"
    assert ask("PUT", "/v1/datasets/x", b"a,b\n1,2\n" * 1000)[0] == 201
    calls = [("POST", PANDA + "inverse-dynamics", BIG), ("POST", PANDA + "inverse-dynamics", BODY), ("GET", "/v1/jobs"),
             ("POST", "/v1/robots/planar-2r/simulate", SIMULATION), ("PUT", "/v1/datasets/x", b"a,b\n1,2\n" * 10000),
             ("GET", "/v1/datasets/x?points=100"), ("PUT", "/v1/robots/arm", arm), ("GET", "/v1/robots/ur10e"),
             ("POST", PANDA + "kinematics", b'{"q": [0, 0, 0, 0, 0, 0, 0]}'), ("GET", job + "/result?fields=tau"),
             ("GET", job + "/result?points=9"), ("GET", job + "/result/tau"), ("GET", job + "/request")]
    counts = collections.Counter()
    fail(chance)
    for _ in range(12):
        for call in calls:
            status, text = ask(*call)
            counts[status] += 1
            assert status in (0, 200, 201, 202, 503), (call[:2], status, text)
            assert daemon.process.poll() is None, daemon.log[-5:]
    fail(0)
    assert counts[200] > 0 and counts[503] > 0, counts
    assert ask("POST", PANDA + "inverse-dynamics", BIG)[0] == 200
    status, text = ask("PUT", "/v1/robots/arm", arm)
    assert status in (200, 201), (text, daemon.log[-5:])
    daemon.stop()
