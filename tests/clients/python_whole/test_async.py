# SPDX-License-Identifier: Apache-2.0
# tests/clients/python_whole/test_async.py - the asynchronous client over every resource: what the synchronous one is made of.
import asyncio

import numpy as np
import pytest
import torqued

SWING = {"initial": {"q": [0.3]}, "duration_s": 1, "output": {"interval_s": 0.01}}
ENDLESS = {"initial": {"q": [0.3, 0.1]}, "duration_s": 9e4, "output": {"interval_s": 100}, "solver": {"method": "rk4", "step_s": 1e-4}}


def over(daemon, act, **how):
    async def run():
        async with torqued.AsyncClient(daemon.url, **how) as client:
            return await act(client)
    return asyncio.run(run())


def test_robots_and_datasets(daemon, tmp_path):
    async def act(client):
        text = await (await client.robot("pendulum")).urdf()
        robot = await client.put_robot("async", text)
        assert robot.report["name"] == "async" and robot.nq == robot.nv == 1 and "async" in repr(robot) and "AsyncClient" in repr(client)
        assert "</table>" in robot._repr_html_() and "async" in [one["name"] for one in await client.robots()]
        again = await client.put_robot("async", text, if_match=robot.digest)
        await again.refresh()
        turned = await again.terms([0.1], include=["gravity_torque"], joints=again.joints)
        assert turned.gravity_torque.shape == (1,)
        await client.delete_robot("async")
        table = np.arange(8.0).reshape(4, 2)
        report = await client.put_dataset("async", table)
        assert report["rows"] == 4 and (await client.dataset("async"))["columns"] == 2
        await client.put_dataset("async", table, if_match=report["sha256"])
        assert (await client.dataset_points("async", 2))["points"] >= 1 and "async" in [one["name"] for one in await client.datasets()]
        data = await client.dataset_content("async")
        await client.dataset_content("async", tmp_path / "async.npy")
        assert (tmp_path / "async.npy").read_bytes() == data and np.array_equal(np.load(tmp_path / "async.npy"), table)
        await client.delete_dataset("async")
        with pytest.raises(torqued.NotFound):
            await client.dataset("async")
    over(daemon, act)


def test_jobs(daemon, tmp_path):
    async def act(client):
        robot = await client.robot("pendulum")
        job = await robot.jobs.simulate(**SWING)
        result = await job.result()
        assert job.is_ended and result.job_id == job.id and job.attachments == [] and job.progress["fraction"] == 1
        assert "succeeded" in repr(job) and "</table>" in job._repr_html_() and job.kind == "simulate"
        assert np.array_equal(await job.field("q"), result.q) and set(await job.result("q")) >= {"q"}
        assert (await job.points(10)).series and (await job.request())["duration_s"] == 1
        await job.save(tmp_path / "run.csv")
        with pytest.raises(ValueError, match="npz"):
            await job.save(tmp_path / "run.xls")
        assert (await client.job(job.id)).state == "succeeded"
        assert job.id in [one.id for one in await client.list_jobs(kind="simulate", limit=1000)]
        one_page = await client.list_jobs(limit=1)
        assert len(one_page) == 1
        with pytest.raises(torqued.NotFound):
            await job.report()
        await job.delete()
        running = await (await client.robot("planar-2r")).jobs.simulate(**ENDLESS)
        async for event in running:
            if event.state == "running":
                await running.cancel()
        assert "cancelled" in repr(running)
        with pytest.raises(torqued.JobCancelled):
            await running.result()
        with pytest.raises(torqued.Conflict):
            await running.attachment("robot.urdf")
        assert (await client.delete_jobs(state="cancelled"))["deleted"] >= 1
    over(daemon, act)


def test_an_awaited_job_that_is_interrupted_goes_on(daemon, capsys):
    async def act(client):
        job = await (await client.robot("planar-2r")).jobs.simulate(**ENDLESS)
        waiting = asyncio.ensure_future(job.wait(progress=True))
        async for event in (await client.job(job.id)).events():
            if event.progress is not None:
                break
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        assert (await job.refresh()).state == "running"
        await job.cancel()
        await job.wait(progress=False)
        return job.id
    id = over(daemon, act)
    assert f'client.job("{id}")' in capsys.readouterr().err


def test_the_service(daemon, tmp_path):
    async def act(client):
        assert (await client.health())["status"] == "alive" and await client.is_ready() and "torqued_" in await client.metrics()
        assert (await client.contract())["openapi"] and "<html" in (await client.docs()).html and (await client.index())["name"] == "torqued"
        assert (await client.problem_type((await client.problem_types())[0]["type"]))["remedy"] and (await client.version())["version"]
        await client.backup(tmp_path / "backup.tar")
        with pytest.raises(torqued.NotAllowed):
            await client.begin_session()  # without a token there is nothing to exchange
        await client.end_session()
    over(daemon, act)
    assert (tmp_path / "backup.tar").stat().st_size > 1000


def test_what_is_not_there():
    async def act():
        async with torqued.AsyncClient("127.0.0.1:1", retries=1) as client:
            assert not await client.is_ready()
            with pytest.raises(torqued.ConnectionLost):
                async for _ in client.events():
                    pass
    asyncio.run(act())


def test_events_of_nothing(daemon):
    async def act(client):
        with pytest.raises(torqued.NotFound):
            async for _ in client._stream("/v1/jobs/01JD8XK4T5Q2M7N9V3W6Y8Z0AB/events", None):
                pass
        job = await (await client.robot("pendulum")).jobs.simulate(**SWING)
        events = [event async for event in job.events()]
        assert [event async for event in job.events(events[-1].id)] == [], "204: all is sent"
    over(daemon, act)
