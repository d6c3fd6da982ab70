"""Check the dice that people throw: the seat that a declared roll names has declared its faces.

The check needs no rules, so that a host cannot call a seeded roll declared for a verifier without them. Where
an envelope is closed to the reader, or a fork begins with a state that its parent has, faces may have been
declared that are not known here; from there on no roll is compared.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from service.audit.contents import Payloads, events_of, place_of, spelled
from service.audit.verdict import DICE_INVALID, MALFORMED, Fault, Verdict
from service.dice.chain import OPEN_LANE
from service.dice.encoding import check_id
from service.dice.errors import DiceError
from service.record.commit import Commit
from service.rules.contests.continuing import Forked
from service.rules.rolls.asking import DiceDeclared


class DeclaredDice:
    """The faces that seats have declared so far, by stream, and the rolls that showed them."""

    def __init__(self) -> None:
        self._faces: dict[str, list[int]] = {}
        self._seats: dict[str, set[str]] = {}
        self._shown: dict[tuple[int, int, str, int], int] = {}
        self._is_known = True

    def take(self, commit: Commit, payloads: Payloads) -> None:
        """Enter what is declared in *commit*; raises `Fault`."""
        for event in events_of(commit, payloads):
            if event["type"] == DiceDeclared.type:
                self._declare(commit.n, event)
            elif event["type"] == Forked.type:
                self._is_known = False
        sealed = sum("sealed" in event for event in commit.events)
        self._is_known = self._is_known and sealed == len(payloads.get(commit.n, {}))

    def _declare(self, n: int, event: Mapping[str, Any]) -> None:
        stream, faces = event.get("stream"), event.get("faces")
        try:
            seat = check_id(event.get("seat", ""))
        except (DiceError, TypeError) as fault:
            raise Fault(Verdict(MALFORMED, n, f"the event {event['type']} is not valid")) from fault
        if not (isinstance(stream, str) and isinstance(faces, list) and _are_faces(faces)):
            raise Fault(Verdict(MALFORMED, n, f"the event {event['type']} is not valid"))
        self._faces.setdefault(stream, []).extend(faces)
        self._seats.setdefault(stream, set()).add(seat)

    def check(self, n: int, roll: Mapping[str, Any]) -> None:
        """Check a roll of commit *n*; raises `Fault` if it is declared and nobody declared its new faces."""
        place = place_of(roll)
        faces = [die["face"] for die in roll["dice"]]
        before = self._shown.get(place, 0)
        self._shown[place] = max(before, len(faces))
        if roll["source"] != "declared" or not self._is_known:
            return
        stream, lane = roll["name"]["stream"], roll["name"]["lane"]
        is_theirs = roll["by"] in self._seats.get(stream, ())
        if lane != OPEN_LANE or not is_theirs or not _has(self._faces[stream], faces[before:]):
            detail = f"{roll['by']} has not declared these faces"
            raise Fault(Verdict(DICE_INVALID, n, detail, roll=spelled(place)))


def _are_faces(faces: Sequence[object]) -> bool:
    return all(type(face) is int for face in faces)


def _has(declared: Sequence[int], faces: Sequence[int]) -> bool:
    """Return whether *faces* stand one after the other in *declared*."""
    many = len(faces)
    return any(list(declared[at : at + many]) == list(faces) for at in range(len(declared) - many + 1))
