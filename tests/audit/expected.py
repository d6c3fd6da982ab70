"""Know what an audit must say of a file that was changed in one place, from its lines alone.

Nothing of the code under test is asked: lines are read with the standard library's JSON.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from service.audit.verdict import MALFORMED, NOT_A_BUNDLE, TAMPERED, TRUNCATED, VALID_UNSIGNED

Line = dict[str, Any]
Expected = tuple[frozenset[str], int | None]
"""The verdicts that are right, and the commit that must be named, if one must."""


def expected_of(raw: bytes, changed: bytes) -> Expected:
    """Return what is right for a file that was changed in one place."""
    before, after = raw.split(b"\n"), changed.split(b"\n")
    if raw == changed:
        return frozenset({VALID_UNSIGNED}), None
    if not _is_header(after[0]):
        return frozenset({NOT_A_BUNDLE}), None
    if len(before) != len(after):  # a line was broken or joined, or the last one has no end
        return frozenset({MALFORMED, TRUNCATED}), None
    at = next(i for i, (one, two) in enumerate(zip(before, after, strict=True)) if one != two)
    if at == len(before) - 1:  # what follows the last line's end is no line
        return frozenset({VALID_UNSIGNED}), None
    line: Line = json.loads(before[at])
    found = canonical(after[at])
    if found is None or found.keys() != line.keys() or found.get("kind") != line["kind"]:
        return frozenset({MALFORMED}), None
    return _of_line(line, found, _last(before))


def _is_header(line: bytes) -> bool:
    """Return whether a first line says that a bundle follows."""
    found = canonical(line)
    return found is not None and (found.get("kind"), found.get("format")) == ("header", "rewound/bundle/1")


def _last(lines: Sequence[bytes]) -> int:
    return int(json.loads(lines[-2])["count"])


def _of_line(line: Line, told: Line, last: int) -> Expected:
    """Return what is right where one line says something else, in the same shape."""
    changed = {name for name in line if line[name] != told[name]}
    if line["kind"] in ("command", "commit", "opened"):
        return _of_text(line, told, changed)
    if line["kind"] == "header":
        ours = {"seat": {VALID_UNSIGNED, MALFORMED}, "encounter": {MALFORMED, TAMPERED}}
        return frozenset().union(*(ours.get(name, {MALFORMED}) for name in changed)), None
    if "count" in changed:
        return frozenset({MALFORMED, TAMPERED if told["count"] < last else TRUNCATED}), None
    return frozenset({MALFORMED, TAMPERED}), None


def _of_text(line: Line, told: Line, changed: set[str]) -> Expected:
    """Return what is right where the text of one command, commit or envelope says something else."""
    if changed & {"n", "index"}:
        return frozenset({MALFORMED}), None
    texts = [told[name] for name in ("bytes", "payload") if name in changed]
    if any(canonical(text.encode()) is None for text in texts):
        return frozenset({MALFORMED}), line["n"]
    return frozenset({MALFORMED, TAMPERED}), line["n"]


def canonical(text: bytes) -> Line | None:
    """Return the object that *text* is the one spelling of, None if it is none; by the standard library."""
    try:
        data = json.loads(text, parse_float=_refuse, parse_constant=_refuse)
        spelled = json.dumps(data, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        return data if isinstance(data, dict) and spelled.encode() == text else None
    except (ValueError, RecursionError):
        return None


def _refuse(text: str) -> float:
    raise ValueError(text)
