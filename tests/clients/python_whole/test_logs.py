# SPDX-License-Identifier: Apache-2.0
# tests/clients/python_whole/test_logs.py - logs of other formats, each written by the library of its format, to the same calibration.
"""A known motion goes into each format, in units of its own; what the service makes of it must agree with the plain array."""
import numpy as np
import pytest
import torqued
from torqued import logs

N, RATE = 2000, 200.0


@pytest.fixture(scope="module")
def run(client):
    """t, q, qd, tau of planar-2r along sines, its torque by the service."""
    robot = client.robot("planar-2r")
    t = np.arange(N) / RATE
    w = 2 * np.pi * np.array([[0.3, 0.5, 0.9], [0.4, 0.7, 1.1]])
    a = np.array([[0.5, 0.3, 0.1], [0.4, 0.2, 0.15]])
    phase = w[None] * t[:, None, None]
    q, qd, qdd = (a * np.sin(phase)).sum(2), (a * w * np.cos(phase)).sum(2), (-a * w**2 * np.sin(phase)).sum(2)
    return robot, t, q, qd, robot.inverse_dynamics(q, qd, qdd)


def agrees(client, run, name, log, tol=1e-9):
    """The residual of the log's torque along its motion is that of the plain array."""
    robot, t, q, _, tau = run
    client.put_dataset("plain", np.column_stack([t, q, tau]))
    want = robot.inverse_dynamics(from_={"dataset": "plain", "columns": {"time": 0, "q": [1, 2], "tau": [3, 4]}, "filter": {"cutoff_hz": 8}})
    client.put_dataset(name, log)
    options = {**log.options, "columns": {k: v for k, v in log.columns.items() if k != "qd"}}
    got = robot.inverse_dynamics(from_={"dataset": name, "filter": {"cutoff_hz": 8}, **options})
    assert got.tau.shape == want.tau.shape and np.allclose(got.tau, want.tau, rtol=0, atol=tol * abs(want.tau).max())
    assert np.allclose(got.tau_measured, want.tau_measured, rtol=0, atol=tol * abs(want.tau).max())
    return log


def test_arrays_and_tables(client, run):
    _, t, q, qd, tau = run
    agrees(client, run, "arrays", logs.from_arrays(time=t, q=q, tau=tau))
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"stamp": (t * 1e3), "pos_0": np.degrees(q[:, 0]), "pos_1": np.degrees(q[:, 1]), "i1": tau[:, 0] / 2, "i2": tau[:, 1] / 3})
    said = {"columns": {"time": "stamp", "q": "pos", "tau": ["i1", "i2"]}}
    with pytest.raises(torqued.LogError, match="in which units are time and q and tau"):
        logs.from_pandas(frame, **said)
    log = agrees(client, run, "pandas", logs.from_pandas(frame, **said, units={"time": "ms", "q": "deg", "tau": "A"}, scale={"tau": [2, 3]}))
    assert "q: deg" in repr(log) and "2000 rows" in repr(log)
    frame.attrs["units"] = {"stamp": "ms", "pos_0": "degrees", "pos_1": "deg", "i1": "A", "i2": "A"}
    assert logs.from_pandas(frame, **said).units == {"time": "ms", "q": "deg", "tau": "A"}
    indexed = pd.DataFrame({"q0": q[:, 0], "q1": q[:, 1]}, index=pd.to_datetime((t * 1e9).astype("i8")))
    by_index = logs.from_pandas(indexed, columns={"time": "index", "q": "q"}, units={"time": "ns", "q": "rad"})
    assert np.allclose(by_index.data[:, 0], (t * 1e9).astype("i8")) and by_index.columns == {"time": 0, "q": [1, 2]}


@pytest.mark.parametrize("said, match", [
    ({}, "which columns hold what.*t, q0, q1, name"), ({"columns": {"q": "q", "torque": "x"}}, "'torque' is none of"),
    ({"columns": {"time": "t", "q": "p"}, "units": {"time": "s", "q": "rad"}}, "no column 'p' for q"),
    ({"columns": {"q": "name"}, "units": {"q": "rad"}}, "holds no numbers"), ({"columns": {"q": ["q0", "long"]}, "units": {"q": "rad"}}, "differ in length"),
    ({"columns": {"time": "t", "q": "long"}, "units": {"q": "rad", "time": "s"}}, "others have")])
def test_what_is_not_said_is_asked_for(said, match):
    from torqued.logs import _files
    table = _files.Table({"t": np.zeros(3), "q0": np.zeros(3), "q1": np.zeros(3), "name": np.array(["a", "b", "c"]), "long": np.zeros(5)})
    with pytest.raises(torqued.LogError, match=match):
        _files.mapped(table, "the log", said)


def test_hdf5(client, run, tmp_path):
    h5py = pytest.importorskip("h5py")
    _, t, q, qd, tau = run
    with h5py.File(tmp_path / "run.h5", "w") as file:
        file["run/t"], file["run/q"], file["run/tau"] = t, np.degrees(q), tau * 1000
        file["run/note"] = "text"
        file["run/t"].attrs["units"], file["run/q"].attrs["units"] = "s", np.bytes_("deg")
    said = {"time": "run/t", "q": "run/q", "tau": "run/tau"}
    with pytest.raises(torqued.LogError, match="units are tau"):
        logs.read(tmp_path / "run.h5", columns=said)
    assert agrees(client, run, "hdf5", logs.read(tmp_path / "run.h5", columns=said, units={"tau": "mNm"})).units["q"] == "deg"


def test_mat(client, run, tmp_path):
    io = pytest.importorskip("scipy.io")
    _, t, q, qd, tau = run
    io.savemat(tmp_path / "run.mat", {"log": {"t": t, "q": q, "tau": tau}, "label": "text"})
    agrees(client, run, "mat", logs.read(tmp_path / "run.mat", columns={"time": "log.t", "q": "log.q", "tau": "log.tau"},
                                         units={"time": "s", "q": "rad", "tau": "Nm"}))
    h5py = pytest.importorskip("h5py")
    # of version 7.3: HDF5 after a block of 512 bytes, columns first
    with h5py.File(tmp_path / "new.mat", "w", userblock_size=512) as file:
        file["q"], file["t"] = q.T, t[None]
    with open(tmp_path / "new.mat", "r+b") as file:
        file.write(b"MATLAB 7.3 MAT-file, Platform: GLNXA64")
    log = logs.read(tmp_path / "new.mat", columns={"time": "t", "q": "q"}, units={"time": "s", "q": "rad"})
    assert np.array_equal(log.data, np.column_stack([t, q]))


@pytest.mark.parametrize("ending", ["parquet", "feather"])
def test_arrow(client, run, tmp_path, ending):
    pa = pytest.importorskip("pyarrow")
    import pyarrow.feather
    import pyarrow.parquet
    _, t, q, qd, tau = run
    table = pa.table([pa.array(t), pa.array(q.tolist()), pa.array(tau[:, 0]), pa.array(tau[:, 1])],
                     schema=pa.schema([pa.field("t", pa.float64(), metadata={"unit": "s"}), pa.field("q", pa.list_(pa.float64()), metadata={"unit": "rad"}),
                                       pa.field("tau[0]", pa.float64()), pa.field("tau[1]", pa.float64())]))
    path = tmp_path / f"run.{ending}"
    (pyarrow.parquet.write_table if ending == "parquet" else pyarrow.feather.write_feather)(table, path)
    agrees(client, run, ending, logs.read(path, columns={"time": "t", "q": "q", "tau": "tau"}, units={"tau": "Nm"}))
    ragged = pa.table({"q": [[1.0], [1.0, 2.0]]})
    pyarrow.parquet.write_table(ragged, tmp_path / "ragged.parquet")
    with pytest.raises(torqued.LogError, match="differ in length"):
        logs.read(tmp_path / "ragged.parquet", columns={"q": "q"}, units={"q": "rad"})


def joint_states(store, run, names=("b", "a"), **more):
    """Messages as a driver sends them: another order, stamps of a real day, and one of a gripper in between."""
    _, t, q, qd, tau = run
    kind = store.types["sensor_msgs/msg/JointState"]
    header, stamp = store.types["std_msgs/msg/Header"], store.types["builtin_interfaces/msg/Time"]
    for k in range(N):
        at = 1_700_000_000_123_456_789 + int(round(t[k] * 1e9))
        head = header(stamp=stamp(sec=at // 10**9, nanosec=at % 10**9), frame_id="")
        yield at, kind(header=head, name=list(names), position=q[k, ::-1].copy(), velocity=more.get("velocity", qd[k, ::-1].copy()),
                       effort=tau[k, ::-1].copy())
        if k == 7:
            yield at, kind(header=head, name=["gripper"], position=np.zeros(1), velocity=np.zeros(1), effort=np.zeros(1))


def write_mcap(path, store, streams):
    from mcap.writer import Writer
    with open(path, "wb") as file:
        writer = Writer(file)
        writer.start()
        schema = writer.register_schema("sensor_msgs/msg/JointState", "ros2msg", b"")
        for topic, states in streams.items():
            channel = writer.register_channel(topic, "cdr", schema)
            for at, state in states:
                writer.add_message(channel, at, bytes(store.serialize_cdr(state, "sensor_msgs/msg/JointState")), at)
        writer.finish()


def test_mcap(client, run, tmp_path):
    pytest.importorskip("mcap")
    typesys = pytest.importorskip("rosbags.typesys")
    store = typesys.get_typestore(typesys.Stores.ROS2_HUMBLE)
    write_mcap(tmp_path / "run.mcap", store, {"/joint_states": joint_states(store, run)})
    log = agrees(client, run, "mcap", logs.read(tmp_path / "run.mcap", joints=["a", "b"]), 1e-6)
    assert log.names == ["a", "b"] and any("1 of 2001 messages" in note for note in log.notes)
    assert np.allclose(log.data[:, 0], run[1], atol=1e-9), "nanoseconds are kept"
    with pytest.raises(torqued.LogError, match="a, c: they have b, a"):
        logs.read(tmp_path / "run.mcap", joints=["a", "c"])
    with pytest.raises(torqued.LogError, match="on /other"):
        logs.read(tmp_path / "run.mcap", topic="/other")
    write_mcap(tmp_path / "two.mcap", store, {"/left": joint_states(store, run, velocity=np.zeros(0)), "/right": joint_states(store, run)})
    with pytest.raises(torqued.LogError, match=r"/left \(2001\), /right \(2001\)"):
        logs.read(tmp_path / "two.mcap")
    left = logs.read(tmp_path / "two.mcap", topic="/left", joints=["a", "b"])
    assert "qd" not in left.columns and "velocity is not in every message" in left.notes
    write_mcap(tmp_path / "nan.mcap", store, {"/j": joint_states(store, run, velocity=np.full(2, np.nan))})
    assert "velocity is never a number" in logs.read(tmp_path / "nan.mcap", joints=["a", "b"]).notes


def test_rosbag2(client, run, tmp_path):
    rosbag2 = pytest.importorskip("rosbags.rosbag2")
    from rosbags.typesys import Stores, get_typestore
    store = get_typestore(Stores.ROS2_HUMBLE)
    with rosbag2.Writer(tmp_path / "bag", version=9) as bag:
        connection = bag.add_connection("/joint_states", "sensor_msgs/msg/JointState", typestore=store)
        for at, state in joint_states(store, run):
            bag.write(connection, at, store.serialize_cdr(state, "sensor_msgs/msg/JointState"))
    log = agrees(client, run, "rosbag2", logs.read(tmp_path / "bag", joints=["a", "b"]), 1e-6)
    assert np.array_equal(logs.read(next((tmp_path / "bag").glob("*.db3")), joints=["a", "b"]).data, log.data)


def test_csv_goes_as_it_is(client, run, tmp_path):
    robot, t, q, qd, tau = run
    path = tmp_path / "run.csv"
    np.savetxt(path, np.column_stack([t, q, tau]), delimiter=",", header="t,p0,p1,m0,m1", comments="", fmt="%.17g")
    said = {"columns": {"time": "t", "q": "p", "tau": "m"}}
    with pytest.raises(torqued.LogError, match="its first line is t,p0,p1,m0,m1"):
        logs.read(path)
    with pytest.raises(torqued.LogError, match="in which units are time and q and tau"):
        logs.read(path, **said)
    log = agrees(client, run, "csv", logs.read(path, **said, units={"time": "s", "q": "rad", "tau": "Nm"}))
    assert log.data is None and str(path) in repr(log)
    rtde = tmp_path / "rtde.csv"
    np.savetxt(rtde, np.column_stack([t, q, tau / [2.0, 4.0]]), delimiter=" ", fmt="%.17g", comments="",
               header="timestamp actual_q_0 actual_q_1 actual_current_0 actual_current_1")
    with pytest.raises(torqued.LogError, match="drive gain of each joint"):
        logs.read(rtde, kind="ur-rtde")
    agrees(client, run, "rtde", logs.read(rtde, kind="ur-rtde", scale={"tau": [2, 4]}))
    franka = tmp_path / "franka.csv"
    np.savetxt(franka, np.column_stack([t * 1e3, q, tau]), delimiter=",", fmt="%.17g", comments="",
               header="time,state.q[0],state.q[1],state.tau_J[0],state.tau_J[1]")
    agrees(client, run, "franka", logs.read(franka, kind="libfranka"))
    assert logs.read(rtde, columns={"preset": "ur-rtde"}, scale={"tau": [2, 4]}).options["columns"] == {"preset": "ur-rtde"}


def test_unknown_files(tmp_path):
    with pytest.raises(torqued.LogError, match="there is no"):
        logs.read(tmp_path / "nothing.csv")
    (tmp_path / "log.bin").write_bytes(b"x")
    with pytest.raises(torqued.LogError, match="kind= is one of ros2, hdf5"):
        logs.read(tmp_path / "log.bin")


@pytest.mark.parametrize("name, package, extra", [("a.mcap", "mcap", "ros"), ("a.h5", "h5py", "hdf5"), ("a.mat", "scipy", "mat"), ("a.parquet", "pyarrow", "parquet")])
def test_a_missing_library_is_named(tmp_path, monkeypatch, name, package, extra):
    import sys
    (tmp_path / name).write_bytes(b"\x89 some file")
    for module in [m for m in sys.modules if m.split(".")[0] == package] + [package] + (["rosbags.typesys"] if package == "mcap" else []):
        monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(torqued.LogError, match=rf"torqued\[{extra}\]"):
        logs.read(tmp_path / name, columns={"q": "q"})
