#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""api/codec/number/tables.py - writes number_tables.c; with --check compares it instead.

Row q holds the first 128 bits of 10^q, rounded down, high word first. For -342 <= q <= 324 these are
the powers that scanning (-342 .. 308) and printing (-292 .. 324) need. Integers only: exact.
"""
import pathlib
import sys

LOWEST, HIGHEST = -342, 324


def significand(q):
    """floor(10^q / 2^e) for the e that makes it 128 bits long."""
    if q >= 0:
        power = 10**q
        shift = power.bit_length() - 128
        return power >> shift if shift >= 0 else power << -shift
    power = 10**-q
    # 2^b / 10^-q has 128 bits for b = bits + 127, or 127 bits when 10^-q is no power of two
    quotient = (1 << (power.bit_length() + 127)) // power
    assert quotient.bit_length() == 128
    return quotient


def table():
    lines = [
        "/* SPDX-License-Identifier: Apache-2.0 */",
        "/* api/codec/number/tables.c - powers of ten; written by number_tables.py, do not edit. */",
        '#include "api/codec/number/tables.h"',
        "",
        "/* clang-format off */",
        "const uint64_t tqa_number_powers[TQA_POWER_COUNT][2] = {",
    ]
    rows = []
    for q in range(LOWEST, HIGHEST + 1):
        s = significand(q)
        rows.append("{0x%016x, 0x%016x}" % (s >> 64, s & (2**64 - 1)))
    for i in range(0, len(rows), 2):
        lines.append("    " + ", ".join(rows[i:i + 2]) + ",")
    lines += ["};", "/* clang-format on */"]
    return "\n".join(lines) + "\n"


def main():
    path = pathlib.Path(__file__).with_suffix(".c")
    if sys.argv[1:] == ["--check"]:
        if path.read_text() != table():
            sys.exit(f"{path} is not what {pathlib.Path(__file__).name} writes")
        return
    path.write_text(table())


main()
