# SPDX-License-Identifier: Apache-2.0
# tests/system/test_damaged_rows.py - one damaged row of the database and the lists that it is part of.
import json

from test_store_damage import SMALL, ctl, put, sha, state  # noqa: F401: a fixture


def test_a_damaged_row_hides_no_other_in_the_list(start, state):
    """The list has every dataset; the one whose row is damaged is marked, and only its name is listed."""
    daemon = start(state=str(state))
    other = SMALL + b"7,8\n"
    put(daemon, "row", SMALL)
    put(daemon, "other", other)
    right = {d["name"]: d for d in json.loads(daemon.request("GET", "/v1/datasets")[2])["datasets"]}
    daemon.stop()
    database = state / "torqued.db"
    whole = database.read_bytes()
    at = whole.index(b"text/csv", whole.index(sha(SMALL).encode())) + 3
    database.write_bytes(whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1:])
    daemon = start(state=str(state))
    status, _, text = daemon.request("GET", "/v1/datasets")
    assert status == 200, text
    assert [d for d in json.loads(text)["datasets"] if not d.get("built_in")] == [right["other"], {"name": "row", "damaged": True}]
    assert daemon.request("GET", "/v1/datasets/row")[0] == 503
    said = ctl(daemon, "datasets", "list")
    assert said.returncode == 0 and "other" in said.stdout and "row" in said.stdout, said
    status, _, text = daemon.request("PUT", "/v1/datasets/row", SMALL, {"Content-Type": "text/csv"})  # put anew
    assert status in (200, 201), text
    assert json.loads(daemon.request("GET", "/v1/datasets")[2])["datasets"][-1]["sha256"] == sha(SMALL)
    daemon.stop()
