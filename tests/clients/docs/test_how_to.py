# SPDX-License-Identifier: Apache-2.0
# tests/clients/docs/test_how_to.py - docs/first-hour.md by torquectl, Python and JavaScript: each prints the numbers that curl prints.
"""tests/contract/test_first_hour.py compares what curl prints letter by letter; other clients print the same numbers in their own form."""
import pytest
from conftest import ROOT, Daemon
from runner import Runner, same_numbers

import blocks

PAGE = (ROOT / "docs/first-hour.md").read_text()
TASKS = blocks.tasks(PAGE)
PRELUDES = {language: code for language, title, code in blocks.blocks(PAGE.split("\n## ")[0]) if title}


@pytest.fixture(scope="module")
def printed(tmp_path_factory):
    """{(task, client): what it prints, or what went wrong}. Later tasks use files and robots of earlier ones."""
    folder = tmp_path_factory.mktemp("how-to")
    daemon = Daemon({"wait": "60s"})
    runner = Runner(daemon.url, folder, PRELUDES)
    found = {}
    try:
        for task in TASKS:
            if not task.clients:
                continue  # a service of its own
            for title, (language, code) in task.clients.items():
                try:
                    found[task.title, title] = runner.run("sh", task.common + code) if language == "sh" else runner.run(language, code)
                except AssertionError as fault:
                    found[task.title, title] = fault
    finally:
        daemon.stop()
    return found


@pytest.mark.seconds(600)
@pytest.mark.parametrize("task, client", [(task, client) for task in TASKS for client in task.clients], ids=lambda one: getattr(one, "title", one))
def test_client_prints_the_numbers_of_the_page(printed, task, client):
    got = printed[task.title, client]
    if isinstance(got, AssertionError):
        raise got
    assert same_numbers(got, task.printed), f"{got}\n--- the page:\n{task.printed}"


def test_tasks_have_other_clients():
    """Tokens, and calibration from logs made by jq, are curl's own."""
    assert set(PRELUDES) == {"python", "js"}
    assert sum("Python" in task.clients for task in TASKS) >= 27 and sum("torquectl" in task.clients for task in TASKS) >= 22
