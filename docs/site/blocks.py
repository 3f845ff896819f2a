# SPDX-License-Identifier: Apache-2.0
# docs/site/blocks.py - blocks of code in a page of Markdown, task by task.
"""A task is a section `###`. Its blocks in one row, each with a `title`, are the same thing by several clients; a block without one
comes before them for everybody; `text` is what each of them prints."""
import re
from dataclasses import dataclass, field

FENCE = re.compile(r'^```([a-z]+)(?: title="([^"]+)")?\n(.*?)^```$', re.M | re.S)
CURL = "curl"


@dataclass
class Task:
    title: str
    common: str = ""  # sh, before any client
    clients: dict[str, tuple[str, str]] = field(default_factory=dict)  # title: (language, code)
    printed: str | None = None


def blocks(page):
    """(language, title or None, code) of every block, in order."""
    return [(found[1], found[2], found[3]) for found in FENCE.finditer(page)]


def tasks(page):
    found = []
    for section in re.split(r"^### ", page, flags=re.M)[1:]:
        task = Task(section.split("\n", 1)[0])
        for language, title, code in blocks(section):
            if language == "text":
                task.printed = code
            elif title:
                task.clients[title] = (language, code)
            else:
                task.common += code
        found.append(task)
    return found
