# SPDX-License-Identifier: Apache-2.0
# api/openapi/document.py - prints a value as YAML: flow where it fits a line, else block; the same bytes everywhere.
import json
import re

PLAIN = re.compile(r"[A-Za-z/_][A-Za-z0-9_./+-]*(?: [A-Za-z0-9_./+(<=>;`^-][A-Za-z0-9_./+()<=>;`^-]*)*")
WORDS = {"true", "false", "null", "yes", "no", "on", "off", "y", "n"}


def scalar(value):
    if isinstance(value, str):
        if PLAIN.fullmatch(value) and value.lower() not in WORDS:
            return value
        return json.dumps(value, ensure_ascii=False)
    text = json.dumps(value)
    if isinstance(value, float) and "e" in text and "." not in text:
        text = text.replace("e", ".0e")  # YAML 1.1 reads 1e-9 as text
    return text


def flow(value):
    if isinstance(value, dict):
        return "{" + ", ".join(f"{scalar(key)}: {flow(inner)}" for key, inner in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(flow(inner) for inner in value) + "]"
    return scalar(value)


def block(value, indent, width):
    """Lines of a mapping or a sequence."""
    pad = " " * indent
    pairs = value.items() if isinstance(value, dict) else [(None, inner) for inner in value]
    for key, inner in pairs:
        head = f"{pad}-" if key is None else f"{pad}{scalar(key)}:"
        line = f"{head} {flow(inner)}"
        if len(line) <= width or not isinstance(inner, (dict, list)) or not inner:
            if isinstance(inner, str) and len(line) > width:
                yield from folded(head, inner, indent, width)
            else:
                yield line
        elif isinstance(inner, list) and not any(isinstance(each, (dict, list)) for each in inner):
            yield from filled(f"{head} [", [scalar(each) for each in inner], indent + 2, width)
        elif key is None:
            lines = list(block(inner, indent + 2, width))
            yield f"{head} {lines[0].lstrip()}"
            yield from lines[1:]
        else:
            yield head
            yield from block(inner, indent + 2, width)


def filled(line, words, indent, width):
    """A flow sequence of scalars over several lines."""
    for i, word in enumerate(words):
        part = word + ("]" if i + 1 == len(words) else ",")
        if len(line) + 1 + len(part) > width:
            yield line
            line = " " * indent + part
        else:
            line += part if line.endswith("[") else f" {part}"
    yield line


def folded(head, text, indent, width):
    """A long text as a folded block; one with line breaks or outer spaces stays quoted."""
    if "\n" in text or text != text.strip() or "  " in text:
        yield f"{head} {json.dumps(text, ensure_ascii=False)}"
        return
    yield f"{head} >-"
    line = " " * (indent + 2)
    for word in text.split(" "):
        if len(line) + len(word) > width and line.strip():
            yield line.rstrip()
            line = " " * (indent + 2)
        line += word + " "
    yield line.rstrip()


def dump(value, width=140):
    return "\n".join(block(value, 0, width)) + "\n"
