# SPDX-License-Identifier: Apache-2.0
# tests/cluster/history.py - a history of operations on one key, and the check that it is linearizable.
"""No test. An order of all operations is searched that a single machine could have executed: each operation takes effect between its
call and its answer (Herlihy and Wing 1990; the search of Wing and Gong 1993 with the memory of Lowe 2017). An operation without an answer
may take effect at any time after its call, or never."""

import dataclasses
import math

ABSENT = None


@dataclasses.dataclass(frozen=True)
class Operation:
    """`kind`: put, replace (If-Match `old`), create (If-None-Match *), delete, read; `answer`: what `step` calls it, None where none came."""

    kind: str
    begin: float
    end: float = math.inf
    new: str | None = None
    old: str | None = None
    answer: str | None = None
    node: int = 0
    # a read may be answered from what its node had at this time
    since: float | None = None

    @property
    def earliest(self):
        return self.begin if self.since is None else self.since


def step(state, op):
    """(answer, state afterwards) of an operation on a register that may be absent."""
    if op.kind == "read":
        return state or "absent", state
    if op.kind == "put":
        return "created" if state is ABSENT else "replaced", op.new
    if op.kind == "create":
        return ("created", op.new) if state is ABSENT else ("refused", state)
    if op.kind == "replace":
        return ("replaced", op.new) if state == op.old else ("refused", state)
    assert op.kind == "delete", op.kind
    return ("absent", state) if state is ABSENT else ("deleted", ABSENT)


def precedes(a, b):
    """Whether a must come before b: it ended before b began; reads of one node never go back, nor behind what it wrote."""
    same = b.kind == "read" and a.node == b.node and (a.kind == "read" or a.answer in ("created", "replaced", "deleted"))
    return a.end < b.earliest or (same and a.end < b.begin)


def linearizable(history, state=ABSENT, most=300_000):
    """(True, an order) or (False, the longest order that holds and the operations that could not follow)."""
    history = sorted(history, key=lambda op: op.begin)
    before = [sum(1 << j for j, a in enumerate(history) if precedes(a, b)) for b in history]
    answered = sum(1 << i for i, op in enumerate(history) if op.end < math.inf)
    seen, stack, best = {(0, state)}, [(0, state, ())], ()
    while stack:
        done, state, order = stack.pop()
        if len(order) > len(best):
            best = order
        if done & answered == answered:
            return True, [history[i] for i in order]
        # what was answered is tried before what was not, the earliest first
        for i in sorted(range(len(history)), key=lambda i: (answered >> i & 1, -i)):
            if done >> i & 1 or before[i] & ~done:
                continue
            answer, then = step(state, history[i])
            if history[i].answer is None and then == state:
                continue  # without an answer and without an effect: as if it never came
            if history[i].answer in (None, answer) and (done | 1 << i, then) not in seen:
                assert len(seen) < most, "the search is too large: fewer clients, or fewer operations without an answer"
                seen.add((done | 1 << i, then))
                stack.append((done | 1 << i, then, (*order, i)))
    left = [op for i, op in enumerate(history) if i not in best and all(j in best for j in range(len(history)) if before[i] >> j & 1)]
    return False, [*(history[i] for i in best[-4:]), "then none of", *left]
