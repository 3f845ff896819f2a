#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# api/openapi/generate.py - writes api/openapi/generated/openapi_json.c from api/openapi/openapi.yaml (needs PyYAML).
import json
import sys

import yaml

HEAD = """/* SPDX-License-Identifier: Apache-2.0 */
/* api/openapi/generated/openapi_json.c - openapi.yaml as JSON, made by generate.py: do not edit. */
#include "api/openapi.h"

/* longer than ISO C promises to take; gcc and clang take it */
#pragma GCC diagnostic ignored "-Woverlength-strings"
/* clang-format off */
static const char text[] =
"""
TAIL = """/* clang-format on */

const char *tqa_openapi_json(size_t *ret_n)
{
    *ret_n = sizeof text - 1;
    return text;
}
"""
WIDTH = 480  # bytes of JSON a line


def c_string(part):
    return '"' + part.replace("\\", "\\\\").replace('"', '\\"').replace("?", "\\?") + '"'


def main():
    source, target = sys.argv[1:]
    with open(source, encoding="utf-8") as file:
        document = yaml.safe_load(file)
    text = json.dumps(document, separators=(",", ":"))  # ASCII only: other characters are escaped
    lines = [c_string(text[i : i + WIDTH]) for i in range(0, len(text), WIDTH)]
    with open(target, "w", encoding="ascii") as file:
        file.write(HEAD + "\n".join(lines) + "\n" + '"\\n";\n' + TAIL)


main()
