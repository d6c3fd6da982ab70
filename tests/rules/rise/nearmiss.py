"""Spoil what is offered in one place: what nobody may do, though it looks like what one may."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from service.rules.rise.creatures.state import State
from tests.support.rule_ledger import read

CODES: Final = {
    *read(Path(__file__).parent / "fixtures" / "codes.json"),
    *("no_such_creature", "not_your_creature", "prompt_gone", "not_gm", "faces_not_possible", "gm_only"),
}
"""The ledger's codes, and those that every ruleset has."""


def spoiled(state: State, data: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield *data* with one thing wrong in each copy."""
    if data.get("path"):
        yield {**data, "path": [*data["path"], [999, 999]]}
    yield from misplaced(data)
    if "target" in data:
        yield {**data, "target": "nobody"}
        yield {**data, "target": data.get("creature", "nobody")}
    if data.get("targets"):
        yield {**data, "targets": ["nobody"]}
    for use in data.get("free_actions", ()):
        for wrong in ({"step": 99}, {"ability": "nothing"}, {"targets": ["nobody"]}):
            yield {**data, "free_actions": [{**use, **wrong}]}
        yield {**data, "free_actions": [use] * 99}
    if data.get("weapon") is not None:
        yield {**data, "weapon": "nothing"}
    if "prompt" in data:
        yield {**data, "prompt": "r0/nowhere"}
    if "creature" in data:
        yield {**data, "creature": "nobody"}
        others = [
            name for name in state.creatures if state.controller(name) != state.controller(data["creature"])
        ]
        if others:
            yield {**data, "creature": others[0]}


def misplaced(data: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield *data* with its place out of reach, or at a height that nothing has."""
    if "at" in data:
        yield {**data, "at": [999, 999]}
        yield {**data, "altitude_ft": 7}
