# SPDX-License-Identifier: Apache-2.0
# tests/system/test_damaged_database.py - a database that SQLite cannot read: the start is refused with how to go on, and that way works.
import conftest
import pytest
from test_store_damage import lost_of, put, recording, refused, sha, state  # noqa: F401: a fixture


@pytest.mark.parametrize("how", ["cut", "first page gone", "a page in the middle gone", "not a database"])
def test_a_damaged_database_refuses_the_start_and_says_how_to_go_on(start, state, how):
    daemon = start(state=str(state))
    data = [recording(k) for k in range(40)]
    for k, d in enumerate(data):
        put(daemon, f"d{k}", d)
    daemon.stop()
    path = state / "torqued.db"
    whole = path.read_bytes()
    middle = len(whole) // 8192 * 4096
    path.write_bytes({"cut": whole[:20000], "first page gone": bytes(4096) + whole[4096:], "not a database": b"{}" * 10000,
                      "a page in the middle gone": whole[:middle] + bytes([0xa5]) * 4096 + whole[middle + 4096:]}[how])
    said = refused(state)
    assert "--adopt" in said and "restore" in said and "torqued.db" in said and said.count("\n") == 1, said
    path.rename(state / "damaged.db")
    start(state=str(state), args=("--adopt",))
    conftest.eventually(lambda: lost_of(state) == sorted(sha(d) for d in data))
