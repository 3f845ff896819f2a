#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# tests/run/models.py - unpacks descriptions and meshes of the archives of one folder into another: models.py FROM INTO
import pathlib
import sys
import tarfile
import zipfile

KEPT = {".urdf", ".xml", ".mjcf", ".sdf", ".world", ".xacro", ".erb", ".stl", ".obj", ".msh", ".png", ".yaml", ".yml", ".config", ".skn"}


def members(archive):
    if zipfile.is_zipfile(archive):
        with zipfile.ZipFile(archive) as whole:
            for entry in whole.infolist():
                if not entry.is_dir():
                    yield entry.filename, lambda entry=entry: whole.read(entry)
        return
    with tarfile.open(archive) as whole:
        for entry in whole:
            if entry.isfile():
                yield entry.name, lambda entry=entry: whole.extractfile(entry).read()


def main():
    source, into = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]).resolve()
    for archive in sorted(path for path in source.iterdir() if path.is_file()):
        for name, read in members(archive):
            target = (into / name).resolve()
            if target.suffix.lower() in KEPT and into in target.parents:
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(read())


main()
