#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# tests/lint/seen_all.py - seen.sh for many files: those whose whole text has passed before cost no process.
"""usage: FLAGS="..." [KERNEL_FLAGS="..."] seen_all.py OUT COMMAND... <FILES      {} is the file, {flags} its flags: those of FLAGS, of a kernel KERNEL_FLAGS

The key: the command and its version, .clang-tidy, the file, every file of ours that it includes, and the list of installed packages, for the
headers of others. A file with another key is seen.sh's, which preprocesses it. Only what passed is kept. Outputs are OUT/<file, / as _>;
those of files that did not pass are printed, and the exit status is 1."""
import concurrent.futures
import hashlib
import os
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
PACKAGES = pathlib.Path("/var/lib/dpkg/status")
INCLUDE = re.compile(rb'^[ \t]*#[ \t]*include[ \t]*(?:"([^"\n]+)"|<[^>\n]+>|(\S))', re.M)


def read(path, known={}):
    """(hash of a file's text, the files of ours that it includes; None: an include that only the preprocessor can find)"""
    if path not in known:
        text = path.read_bytes()
        names = INCLUDE.findall(text)
        near = [next((one for one in (pathlib.Path(os.fsdecode(name)), path.parent / os.fsdecode(name)) if one.is_file()), None)
                for name, computed in names if name]
        is_plain = None not in near and not any(computed for _, computed in names)
        known[path] = hashlib.sha256(text).digest(), near if is_plain else None
    return known[path]


def key_of(path, *more):
    """None: only the preprocessor can find what the file includes."""
    seen, waiting = {}, [path]
    while waiting:
        one = waiting.pop()
        if one not in seen:
            digest, near = read(one)
            if near is None:
                return None
            seen[one] = digest
            waiting += near
    whole = hashlib.sha256(repr(more).encode())
    for one in sorted(seen):
        whole.update(os.fsencode(one) + b"\0" + seen[one])
    return whole.hexdigest()


def main():
    out, command = pathlib.Path(sys.argv[1]), sys.argv[2:]
    out.mkdir(parents=True, exist_ok=True)
    files = [pathlib.Path(line) for line in sys.stdin.read().split()]
    cache = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path(os.environ.get("HOME", "/nonexistent"), ".cache")) / "torqued-lint"
    version = out / "version"
    with version.open("wb") as file:
        subprocess.run([command[0], "--version"], stdout=file, stderr=subprocess.STDOUT, check=False)
    more = [version.read_bytes(), *(one.read_bytes() for one in (pathlib.Path(".clang-tidy"), PACKAGES) if one.is_file())]
    environment = {**os.environ, "SEEN_VERSION": str(version)}

    def passes(file):
        flags = os.environ["KERNEL_FLAGS" if file.parts[:2] == ("core", "kernels") and "KERNEL_FLAGS" in os.environ else "FLAGS"]
        words = [word for one in command for word in (flags.split() if one == "{flags}" else [one.replace("{}", str(file))])]
        result = out / str(file).replace("/", "_")
        key = key_of(file, words, *more) if PACKAGES.is_file() else None
        kept = cache / f"whole-{key}"
        if key is not None and kept.is_file():
            os.utime(kept)
            result.write_bytes(kept.read_bytes())
            return True
        done = subprocess.run([HERE / "seen.sh", file, flags, *words], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment, check=False)
        result.write_bytes(done.stdout)
        if done.returncode == 0 and key is not None and cache.is_dir():
            part = kept.with_suffix(f".{os.getpid()}")
            part.write_bytes(done.stdout)
            part.rename(kept)
        elif done.returncode:
            sys.stdout.write(f"{file}: {command[0]} ends with status {done.returncode}\n{done.stdout.decode(errors='replace')}")
        return done.returncode == 0

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        sys.exit(0 if all(list(pool.map(passes, files))) else 1)


main()
