# SPDX-License-Identifier: Apache-2.0
# tests/proxies/test_alerts.py - promtool over the alert rules: their syntax, and that each fires on what it is for, and on nothing else.
import glob
import shutil
import subprocess

import pytest
import yaml
from conftest import PATIENCE, ROOT

RULES = ROOT / "clients/examples/grafana/alerts.yml"
INSTANCE = 'job="torqued",instance="lab:8420"'
# alert: series that make it fire, and the same service when all is well
SERIES = {
    "TorquedIsAway": ([("up{%s}" % INSTANCE, "0x60")], [("up{%s}" % INSTANCE, "1x60")]),
    "TorquedIsOverloaded": ([("torqued_queue_wait_seconds{%s}" % INSTANCE, "40x60"), ("torqued_queue_wait_limit_seconds{%s}" % INSTANCE, "60x60")],
                            [("torqued_queue_wait_seconds{%s}" % INSTANCE, "1x60"), ("torqued_queue_wait_limit_seconds{%s}" % INSTANCE, "60x60")]),
    "TorquedFails": ([('torqued_replies_total{status="500",%s}' % INSTANCE, "0+1x60")],
                     [('torqued_replies_total{status="200",%s}' % INSTANCE, "0+100x60"), ('torqued_replies_total{status="500",%s}' % INSTANCE, "7x60")]),
    "TorquedStoreIsDamaged": ([("torqued_store_files_damaged{%s}" % INSTANCE, "1x60"), ("torqued_store_commits_missing{%s}" % INSTANCE, "0x60")],
                              [("torqued_store_files_damaged{%s}" % INSTANCE, "0x60"), ("torqued_store_commits_missing{%s}" % INSTANCE, "0x60")]),
}


@pytest.fixture(scope="module")
def promtool():
    found = shutil.which("promtool") or next(iter(glob.glob(str(ROOT / "build/proxies/usr/bin/promtool"))), None)
    if found is None:
        pytest.skip("no promtool: make deps-proxies")

    def run(*args):
        done = subprocess.run([found, *map(str, args)], capture_output=True, text=True, timeout=PATIENCE, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    return run


def test_rules_and_scrape_configuration_are_valid(promtool):
    assert f"{len(SERIES)} rules found" in promtool("check", "rules", RULES)
    promtool("check", "config", RULES.parent / "prometheus.yml")


def test_each_fires_on_what_it_is_for_only(promtool, tmp_path):
    rules = yaml.safe_load(RULES.read_text())["groups"][0]["rules"]
    assert {rule["alert"] for rule in rules} == set(SERIES)
    tests = []
    for rule in rules:
        for series, fires in zip(SERIES[rule["alert"]], (True, False)):
            tests.append({
                "interval": "15s", "input_series": [{"series": name, "values": values} for name, values in series],
                "promql_expr_test": [],
                "alert_rule_test": [{"eval_time": "12m", "alertname": rule["alert"], "exp_alerts": []}],
            })
            if fires:
                tests[-1]["alert_rule_test"][0] = {"eval_time": "12m", "alertname": rule["alert"], "exp_alerts": [labels(rule, series[0][0])]}
    (tmp_path / "tests.yml").write_text(yaml.safe_dump({"rule_files": [str(RULES)], "evaluation_interval": "15s", "tests": tests}))
    promtool("test", "rules", tmp_path / "tests.yml")


def labels(rule, series):
    """What promtool expects of a firing alert: labels of its series, without the metric's name, and the summary filled in."""
    found = {"instance": "lab:8420"}
    if rule["alert"] != "TorquedFails":  # a sum by instance
        found["job"] = "torqued"
    return {"exp_labels": found, "exp_annotations": {"summary": rule["annotations"]["summary"].replace("{{ $labels.instance }}", "lab:8420")}}
