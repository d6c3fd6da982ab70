"""Check that every choice that a seat opened is the one to which it had committed.

The check needs no rules, so that a verifier without them can make it too. A commitment in an envelope that is
closed to the reader, or in an earlier line of play, is not known here; then its opening is not checked.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, Final

from service.audit.sealing import unhex
from service.audit.verdict import MALFORMED, TAMPERED, Fault, Verdict
from service.dice.chain import choice_commitment
from service.dice.encoding import check_id
from service.dice.errors import DiceError
from service.record.canonical import dumps
from service.rules.secrecy.choices import ChoiceCommitted, ChoiceOpened

_PROMPT: Final = re.compile("[ -~]{1,200}")
_TYPES: Final = (ChoiceCommitted.type, ChoiceOpened.type)


class Choices:
    """The commitments to choices that have been made and not opened, by prompt."""

    def __init__(self, eid: bytes) -> None:
        self._eid = eid
        self._committed: dict[str, tuple[str, bytes]] = {}

    def take(self, events: Iterable[Mapping[str, Any]], n: int) -> None:
        """Apply the *events* of commit *n*; raises `Fault` for a choice that does not fit."""
        for event in events:
            if event.get("type") not in _TYPES:
                continue
            try:
                is_held = self._holds(event)
            except (KeyError, TypeError, ValueError, DiceError) as fault:
                detail = f"the event {event['type']} is not valid"
                raise Fault(Verdict(MALFORMED, n, detail)) from fault
            if not is_held:
                detail = f"the choice of {event['seat']} is not the one that it committed to"
                raise Fault(Verdict(TAMPERED, n, detail))

    def _holds(self, event: Mapping[str, Any]) -> bool:
        seat, prompt = check_id(event["seat"]), event["prompt"]
        if not _PROMPT.fullmatch(prompt):
            raise ValueError(prompt)
        if event["type"] == ChoiceCommitted.type:
            self._committed[prompt] = (seat, unhex(event["commitment"]))
            return True
        choice, salt = event["choice"], unhex(event["salt"])
        if not isinstance(choice, dict):
            raise TypeError(choice)
        made = self._committed.pop(prompt, None)
        return made is None or made == (
            seat,
            choice_commitment(self._eid, seat, prompt, salt, dumps(choice)),
        )
