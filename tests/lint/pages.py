#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# tests/lint/pages.py - pages of documentation name files, folders, functions and tests that exist; a README names every file of its folder.
import os
import re
import subprocess
import sys

ROOMS = ("core", "api", "daemon")
FILE = re.compile(r"[\w./-]*\w\.(?:c|h|py|sh|mk|md|yaml|rules|txt|scd|sql)")
TEST = re.compile(r"(tests/[\w./-]+\.(?:py|c))::(\w+)")
SYMBOL = re.compile(r"\b(?:tqa?|tqd|tqt|TQA?|TQD)_\w*\w")


def files():
    if os.path.exists(".git"):
        command = ["git", "ls-files", "-co", "--exclude-standard"]
        names = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    else:
        names = [os.path.join(where, name)[2:] for where, _, own in os.walk(".") for name in own if not where.startswith("./build")]
    return {name for name in names if os.path.isfile(name)}


def identifiers(names):
    known = set()
    for name in names:
        if re.search(r"\.[ch]$", name) and "/generated/" not in name:
            with open(name, encoding="utf-8") as file:
                text = file.read()
            known |= set(re.findall(r"\w+", text)) | set(re.findall(r"#include <([\w./]+)>", text))
            # names that macros and kernel builds put together
            known |= {f"{kernel}_{build}" for kernel in re.findall(r"TQ_KERNEL\((\w+)\)", text) for build in ("w1", "w1v", "w2", "w4", "w8")}
    return known


def is_there(name, here, names, folders):
    """As written, from the page's folder, or as the end of one path: `regression/fit.h`, `stream.c`."""
    own = os.path.normpath(os.path.join(here, name))
    ends = "/" + name.rstrip("/")
    return own in names | folders or any(("/" + n).endswith(ends) for n in names | folders)


def has_test(file, test):
    if not os.path.exists(file):
        return False
    with open(file, encoding="utf-8") as f:
        text = f.read()
    form = rf"^(?:async )?def {test}\(" if file.endswith(".py") else rf"^(?:Test|ParameterizedTest|Theory)\([^)]*\b{test}\b"
    return re.search(form, text, re.M) is not None


def check(page, names, folders, known):
    here = os.path.dirname(page)
    with open(page, encoding="utf-8") as file:
        text = file.read()
    for number, line in enumerate(text.splitlines(), 1):
        for target in re.findall(r"\]\(([^)#]+)[^)]*\)", line):
            if "://" not in target and os.path.normpath(os.path.join(here, target)) not in names | folders:
                yield f"{page}:{number}: a link to {target}, which is not there"
        for quoted in re.findall(r"`([^`]+)`", line):
            if FILE.fullmatch(quoted) and not is_there(quoted, here, names, folders) and quoted not in known:
                yield f"{page}:{number}: no file {quoted}"
            for file, test in TEST.findall(quoted):
                if not has_test(file, test):
                    yield f"{page}:{number}: no test {test} in {file}"
            for symbol in (s.rstrip("_") for s in SYMBOL.findall(quoted)):
                if symbol not in known and not any(word.startswith(symbol + "_") for word in known):
                    yield f"{page}:{number}: no {symbol}"
    if page.endswith("README.md") and here.split("/")[0] in ROOMS:
        for name in sorted(names):
            stem = os.path.basename(name).rsplit(".", 1)[0]
            if os.path.dirname(name) == here and re.search(r"\.[ch]$", name) and "/generated" not in here:
                if not re.search(r"`(?:[\w./-]*/)?" + re.escape(stem) + r"(?:\.[ch])?`", text):
                    yield f"{page}:1: does not name {os.path.basename(name)}"


def main():
    names = files()
    folders = {os.path.dirname(name) for name in names}
    folders |= {folder.rsplit("/", k)[0] for folder in folders for k in range(1, folder.count("/") + 1)}
    known = identifiers(names)
    pages = [n for n in names if n.endswith(".md") and n != "CHANGELOG.md"]
    faults = [fault for page in sorted(pages) for fault in check(page, names, folders, known)]
    print("\n".join(faults), end="\n" if faults else "")
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main())
