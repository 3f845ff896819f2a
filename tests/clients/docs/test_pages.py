# SPDX-License-Identifier: Apache-2.0
# tests/clients/docs/test_pages.py - blocks of the other pages: the tutorial, conventions, verdicts, other languages.
import shutil
import subprocess

import pytest
from conftest import PATIENCE, ROOT, Daemon
from runner import Runner, same_numbers

import blocks

AFTER = "\n----------block\n"


@pytest.fixture(scope="module")
def runner(tmp_path_factory):
    daemon = Daemon({"wait": "60s"})
    yield Runner(daemon.url, tmp_path_factory.mktemp("pages"))
    daemon.stop()


def page(name):
    return blocks.blocks((ROOT / f"docs/{name}.md").read_text())


@pytest.mark.seconds(120)
@pytest.mark.parametrize("name, least", [("tutorial", 6), ("calibrating", 10), ("conventions", 1), ("verdicts", 2)])
def test_python_goes_on_from_block_to_block(runner, name, least):
    found = [one for one in page(name) if one[0] in ("python", "text")]
    code = [text for language, _, text in found if language == "python"]
    assert len(code) >= least
    said = runner.run("python", "".join(f"{text}\nprint({AFTER!r}, end='')\n" for text in code)).split(AFTER)
    at = -1
    for language, _, text in found:
        at += language == "python"
        if language == "text":
            assert same_numbers(said[at], text), f"{said[at]}\n--- the page:\n{text}"
            assert [word for word in text.split() if word.isalpha()] == [word for word in said[at].split() if word.isalpha()]


def test_the_guide_begins_with_a_refusal_that_helps(runner):
    (block,) = [text for language, _, text in page("guide") if language == "sh"]
    said = runner.run("sh", block)
    assert "/q" in said and "7" in said


LOCK_STEP = page("lock-step")


@pytest.mark.seconds(120)
@pytest.mark.parametrize("language, code", [(language, code) for language, title, code in LOCK_STEP if title], ids=lambda one: one if len(one) < 9 else "")
def test_lock_step_by_every_client(runner, language, code):
    printed = [text for found, _, text in LOCK_STEP if found == "text"][-1]
    assert same_numbers(runner.run(language, code), printed)


OTHERS = page("other-languages")
RUNTIMES = {"octave": "octave-cli", "r": "Rscript", "sh": "jq"}


@pytest.mark.seconds(120)
@pytest.mark.parametrize("language", RUNTIMES)
def test_other_languages(runner, language):
    if shutil.which(RUNTIMES[language]) is None:
        pytest.skip(f"no {RUNTIMES[language]}: make deps-clients")
    at = next(k for k, one in enumerate(OTHERS) if one[0] == language)
    assert OTHERS[at + 1][0] == "text"
    environment = {**runner.environment, "TORQUED_TOP": str(ROOT)}
    if language == "sh":
        said = runner.run("sh", OTHERS[at][2])
    else:
        (runner.folder / f"block.{language}").write_text(OTHERS[at][2])
        command = {"octave": ["octave-cli", "--quiet", "--no-init-file"], "r": ["Rscript"]}[language] + [f"block.{language}"]
        done = subprocess.run(command, cwd=runner.folder, env=environment, capture_output=True, text=True, timeout=2 * PATIENCE, check=False)
        assert done.returncode == 0, done.stderr
        said = done.stdout
    assert same_numbers(said, OTHERS[at + 1][2]), said
