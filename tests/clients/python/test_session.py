# SPDX-License-Identifier: Apache-2.0
# tests/clients/python/test_session.py - lock step from Python: a controller of a few lines, the way back, the end.
import asyncio

import numpy as np
import pytest
import torqued

HOME = np.array([0, -0.785, 0, -2.356, 0, 1.571, 0.785])


def test_a_controller_drives_a_robot(client, panda):
    kp, kd = np.array([100, 100, 100, 100, 20, 20, 5]), np.array([20, 20, 20, 20, 3, 3, 0.5])
    with panda.session(initial={"q": HOME}, without=["friction"], actuators={"effort_limits": "robot"}) as session:
        assert session.joints == panda.joints and session.document["robot_digest"] == panda.digest
        goal, state = HOME + 0.1, session.state
        weight = panda.inverse_dynamics(goal, np.zeros(7), np.zeros(7))
        for _ in range(600):
            state = session.step(weight + kp * (goal - state.q) - kd * state.qd)
        assert state.step == 600 and abs(state.t - 0.6) < 1e-9 and np.abs(state.q - goal).max() < 0.02
        fork = session.fork(400)
        assert fork.state.step == 400 and fork.id != session.id
        fork.close()
        fork.close()  # no fault
        assert session.rewind().step == 0 and (session.state.q == HOME).all()
        assert session.step(np.zeros(7), steps=3).step == 3
    with pytest.raises(torqued.NotFound):
        session.step(np.zeros(7))


def test_a_step_for_another_state_is_a_conflict(client):
    with client.session("pendulum", initial={"q": [0.3]}) as session:
        session.step({"joint1": 0.5})
        session.state = session._result({**session.state.to_dict(), "step": 0})
        assert session.step({"joint1": 0.5}).step == 1  # the same request again
        session.state = session._result({**session.state.to_dict(), "step": 7})
        with pytest.raises(torqued.Conflict):
            session.step([0.5])
    with pytest.raises(torqued.NotFound):
        client.session("pendulumm", initial={"q": [0.3]})
    with pytest.raises(torqued.WrongInput):
        client.session("pendulum", initial={"q": [0.3, 1]})


def test_sessions_are_found_again(client):
    with client.session("pendulum", initial={"q": [0.3]}, step_s=0.01) as session:
        session.step([0.5], steps=7)
        assert session.id in {one["id"] for one in client.sessions()}
        again = client.find_session(session.id)
        assert again.state.hash == session.state.hash and again.state.step == 7 and again.step_s == 0.01
        assert (again.rewind(t=0.03).step, again.rewind(3).t) == (3, 0.03)
    with pytest.raises(torqued.NotFound):
        client.find_session(session.id)


def test_async(daemon):
    async def drive():
        async with torqued.AsyncClient(daemon.url) as client, await client.session("pendulum", initial={"q": [0.3]}) as session:
            return (await session.step([0.5], steps=4)).step

    assert asyncio.run(drive()) == 4
