# SPDX-License-Identifier: Apache-2.0
# tests/clients/python/test_jobs.py - jobs as objects: progress, events, results, interrupts, ends.
import asyncio
import io
import os
import pathlib
import signal
import subprocess
import sys

import numpy as np
import pytest
import torqued
from torqued import _events, _progress

SWING = {"initial": {"q": [0.3]}, "duration_s": 1, "output": {"interval_s": 0.01}}
# some minutes of work, so that it runs until it is cancelled
ENDLESS = {"initial": {"q": [0.3, 0.1]}, "duration_s": 9e4, "output": {"interval_s": 100}, "solver": {"method": "rk4", "step_s": 1e-4}}


@pytest.fixture(scope="module")
def pendulum(client):
    return client.robot("pendulum")


def test_from_first_event_to_result(client, pendulum):
    job = pendulum.jobs.simulate(**SWING)
    assert [e.state for e in job if e.state] == ["queued", "running", "succeeded"] and job.is_ended
    assert [e.state for e in job.events() if e.kind == "state"][-1] == "succeeded", "again from the first"
    result = job.result()
    assert result.q.shape == (101, 1) and np.array_equal(result.q, pendulum.simulate(**SWING).q)
    assert set(job.result("q", "t")) >= {"q", "t"} and "qd" not in job.result("q", "t")
    assert np.array_equal(job.field("q"), result.q) and job.progress["fraction"] == 1
    same = client.job(job.id)
    assert same.state == "succeeded" and np.array_equal(same.result().q, result.q) and job.id in repr(same)
    assert job.request()["duration_s"] == 1 and job.points(10).series and "</table>" in job._repr_html_()
    assert job.id in [one.id for one in client.list_jobs(kind="simulate", limit=500)]
    job.delete()
    with pytest.raises(torqued.NotFound):
        job.refresh()


def test_files_of_a_result(pendulum, tmp_path):
    job = pendulum.jobs.simulate(**SWING)
    result = job.result()
    for ending in ("npz", "csv", "cbor", "json"):
        job.save(tmp_path / f"run.{ending}")
        assert (tmp_path / f"run.{ending}").stat().st_size > 500
    with np.load(tmp_path / "run.npz") as file:
        assert np.array_equal(file["q"], result.q)
    with pytest.raises(ValueError, match=r"\.npz, \.csv"):
        job.save(tmp_path / "run.xls")
    assert sorted(p.name for p in tmp_path.iterdir()) == [f"run.{e}" for e in ("cbor", "csv", "json", "npz")], "no parts are left"


def test_a_key_makes_one_job(client, pendulum):
    first = pendulum.jobs.simulate(**SWING, idempotency_key="only-once")
    assert pendulum.jobs.simulate(**SWING, idempotency_key="only-once").id == first.id
    with pytest.raises(torqued.Conflict):
        pendulum.jobs.simulate({"q": [0.4]}, 1, {"interval_s": 0.01}, idempotency_key="only-once")


def test_cancelled_and_failed(client):
    job = client.robot("planar-2r").jobs.simulate(**ENDLESS)
    for event in job:
        if event.state == "running":
            job.cancel()
    assert job.refresh().state == "cancelled"
    with pytest.raises(torqued.JobCancelled) as caught:
        job.result()
    assert caught.value.job_id == job.id and isinstance(caught.value, torqued.JobFailed)
    assert client.delete_jobs(state="cancelled", dry_run=True)["matched"] >= 1
    assert client.delete_jobs(state="cancelled")["deleted"] >= 1
    # a log without motion identifies nothing: the job says so with its problem
    client.put_dataset("still", np.zeros((500, 15)))
    with pytest.raises(torqued.ProblemError) as error:
        client.robot("panda").jobs.calibrate(["still"], columns={"time": 0, "q": list(range(1, 8)), "tau": list(range(8, 15))}).result()
    assert error.value.detail and isinstance(error.value, torqued.JobFailed) and error.value.errors[0].place.startswith("datasets")


def test_an_interrupt_leaves_it_running(daemon, client):
    """Ctrl-C while waiting: the program ends, says the job's id, and the job goes on."""
    code = ("import torqued\n"
            f"job = torqued.Client({daemon.url!r}).robot('planar-2r').jobs.simulate(**{ENDLESS!r})\n"
            "print(job.id, flush=True)\njob.result(progress=True)\n")
    env = {**os.environ, "PYTHONPATH": str(pathlib.Path(torqued.__file__).parents[1])}
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=env) as program:
        id = program.stdout.readline().strip()
        bar = program.stderr.read(len(id) + 12)  # it waits: the bar begins
        assert f"simulate {id}" in bar
        program.send_signal(signal.SIGINT)
        said = program.stderr.read()
    assert f'client.job("{id}")' in said and "KeyboardInterrupt" in said
    job = client.job(id)
    assert job.state == "running"
    job.cancel()
    with pytest.raises(torqued.JobCancelled):
        job.result(progress=False)


def test_async_jobs(daemon):
    async def run():
        async with torqued.AsyncClient(daemon.url) as client:
            robot = await client.robot("pendulum")
            job = await robot.jobs.simulate(**SWING)
            states = [event.state async for event in job if event.state]
            async for event in client.events("0"):
                if event.job == job.id and event.state == "succeeded":
                    break
            return states, await job.result(), await robot.simulate(**SWING)

    states, result, waited = asyncio.run(run())
    assert states == ["queued", "running", "succeeded"] and np.array_equal(result.q, waited.q)


def test_events_in_any_pieces():
    text = (b'retry: 2000\n\n: comment\n\nid: 7\nevent: state\ndata: {"job":"j","state":"running"}\n\n'
            b'event: progress\ndata: {"job":"j","progress":{"fraction":0.5}}\n\ndata: {"x":\ndata: 1}\r\n\r\nid: 8\nevent: state\ndata: {"cut')
    for n in (1, 3, 1000):
        parser, found = _events.Parser(), []
        for at in range(0, len(text), n):
            found += parser.feed(text[at:at + n])
        assert [(e.kind, e.id) for e in found] == [("state", "7"), ("progress", None), ("message", None)]
        assert parser.last == "7"  # not 8: that event is not whole
        assert found[0].state == "running" and found[0].job == "j" and found[1].progress == {"fraction": 0.5} and found[2].data == {"x": 1}


def test_a_stream_that_begins_with_a_number_resumes_there():
    parser = _events.Parser()
    assert list(parser.feed(b"retry: 2000\nid: 6\n\n")) == [] and parser.last == "6"


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_the_bar():
    """On a terminal after a second; never in a pipe; at once where it is asked for."""
    at = [0.0]
    out = Terminal()
    bar = _progress.Bar("simulate", None, out, lambda: at[0])
    bar.update({"fraction": 0.1, "step": "running", "eta_s": 5})
    assert out.getvalue() == ""
    at[0] = 2.0
    bar.update({"fraction": 0.5, "step": "running", "eta_s": 3700})
    assert "############............" in out.getvalue() and " 50 %" in out.getvalue() and "00:02 + 1:01:40" in out.getvalue()
    bar.close()
    assert out.getvalue().endswith("\r\x1b[K")
    pipe = io.StringIO()
    quiet = _progress.Bar("simulate", None, pipe, lambda: at[0])
    at[0] = 9.0
    quiet.update({"fraction": 0.5})
    quiet.close()
    assert pipe.getvalue() == ""
    loud = _progress.Bar("simulate", True, pipe, lambda: at[0])
    loud.update({"fraction": 0.5})
    assert "--:--" in pipe.getvalue()
