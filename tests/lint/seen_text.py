#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# tests/lint/seen_text.py - seen_text.py FILE <PREPROCESSED: the part of a preprocessed file (clang -E -C -dD) that a linter's findings about FILE depend on.
"""FILE itself is not changed. Of our headers the following is left out, because no check reads it:

- line numbers, which decide where a finding is and not whether there is one;
- comments outside of functions' bodies, except those that speak to a linter;
- prototypes of functions whose name occurs nowhere else in the text: neither called nor defined here. Where the function is defined, or
  called, the same prototype is read.
A function's body is kept as it is, with its comments and its lines, which are counted."""

import re
import sys

PIECES = re.compile(r"""/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|^[ \t]*\#[^\n]*|[{};()]|[^/"'{};()\n]+|\n|.""", re.S | re.M)
SPOKEN = re.compile(r"NOLINT|IWYU|cppcheck-|coverity|clang-format")
ATTRIBUTE = re.compile(r"\b(?:__attribute__|__asm__|_Alignas)\s*\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)")
PROTOTYPE = re.compile(r"(?!\s*(?:typedef|_Static_assert)\b)[^=({]*?\b([A-Za-z_]\w*)\s*\((?!\s*[*^])")
WORD = re.compile(r"[A-Za-z_]\w*")


def parts(text):
    """(file, its text) in order, by the line markers."""
    name, lines = "", []
    for line in text.splitlines(keepends=True):
        found = re.match(r'# \d+ "([^"]*)"', line)
        if found:
            yield name, "".join(lines)
            name, lines = found.group(1), []
        else:
            lines.append(line)
    yield name, "".join(lines)


def chunks(text):
    """Declarations and directives at file scope: (the text as it is, the text without comments, is it a prototype's)."""
    whole, bare, depth, round_, braces, body = [], [], 0, 0, False, False
    for piece in PIECES.findall(text):
        if not depth and not round_ and piece.lstrip()[:1] == "#":
            yield piece.strip(), piece.strip(), False
            continue
        whole.append(piece)
        if piece[:2] in ("/*", "//"):
            bare.append(piece if SPOKEN.search(piece) else " ")
            continue
        if piece == "{":
            body = body or (not depth and "".join(bare).rstrip()[-1:] == ")")
            depth += 1
            braces = True
        elif piece == "}":
            depth -= 1
        elif piece in "()":
            round_ += 1 if piece == "(" else -1
        bare.append(piece)
        if not depth and not round_ and (piece == ";" or piece == "}" and body):
            # a body is read with its comments, whose lines and words count
            yield ("".join(whole),) * 2 + (False,) if body else ("".join(whole), " ".join("".join(bare).split()), not braces)
            whole, bare, braces, body = [], [], False, False
    yield "".join(whole), " ".join("".join(bare).split()), False


def reduced(file, text):
    kept = []  # (text, name of a prototype or None)
    for name, part in parts(text):
        if name == file or name[:1] in ("/", "<"):
            kept.append((name + "\n" + part, None))
            continue
        kept.append((name, None))
        for whole, bare, maybe in chunks(part):
            found = PROTOTYPE.match(ATTRIBUTE.sub(" ", bare)) if maybe and not SPOKEN.search(bare) else None
            if bare:
                kept.append((bare, found.group(1) if found else None))
    used = set()
    for words, prototype in kept:
        if prototype is None:
            used.update(WORD.findall(words))
    return "\n".join(words for words, prototype in kept if prototype is None or prototype in used)


if __name__ == "__main__":
    sys.stdin.reconfigure(encoding="utf-8", errors="surrogateescape")
    sys.stdout.reconfigure(encoding="utf-8", errors="surrogateescape")
    sys.stdout.write(reduced(sys.argv[1], sys.stdin.read()))
