# SPDX-License-Identifier: Apache-2.0
# tests/clients/dashboard/test_day.py - a day's use by someone new ends with its four answers, in few clicks; the ways of other tools are counted beside (day.py).
import math

import pytest

pytest.importorskip("pinocchio", reason="no pinocchio (make deps-check)")


@pytest.mark.seconds(200)
def test_a_day_of_someone_new(daemon, page, capsys):  # page: skips where there is no Chromium
    import day
    rows, answers = day.main()
    assert "2 links" in answers["read"]
    # m g l of the link, 2 kg at 0.2 m, and of the load, 3 kg at 0.4 m, at 1.5708 rad
    assert math.isclose(float(answers["torque"].split()[0].replace("\u2212", "-")), -9.81 * (2 * 0.2 + 3 * 0.4), rel_tol=1e-3), answers
    assert answers["torque"].endswith("of 40") and "ran to its end at 3 s" in answers["run"] and answers["verdict"] == "Usable" and "usable" in answers["first parameter"]
    assert all(row["clicks"] <= most for row, most in zip(rows, (3, 4, 7, 6), strict=True)) and sum(row["keys"] for row in rows) <= 20, rows
    table = capsys.readouterr().out
    assert "| Foxglove | MuJoCo's viewer | A notebook |" in table
