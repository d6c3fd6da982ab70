"""Hold options to both their halves: what is offered is accepted, what is not is refused, with a code.

What is not offered is made of what is: offers with one thing spoiled, and what was offered at other moments.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from service.rules.heartrush import HEARTRUSH
from service.rules.heartrush.creatures.state import State
from service.rules.kernel.messages import Offer
from service.rules.ruleset import decide, legal
from tests.random_play.offer_check import Unheld, fits, refused_offer
from tests.rules.heartrush.bot import Choice, Table

CODE: Final = re.compile("[a-z]+(_[a-z]+)*")
ANYTIME: Final = ("award_xp", "advance_clock", "set_standing", "end_spell")
"""What is offered at leisure, and accepted at any time: it disturbs nothing that is under way."""
BY_THE_GM: Final = ("hold_breath", "breathe", "spend_xp", "invoke_wound", "end_combat")
"""What is offered to creatures, and is the GM's word too, whoever it is about; and the end of a fight."""


def probe(table: Table, past: Sequence[Choice]) -> None:
    """Try every offer of this moment, spoiled ones, and those of *past* moments; the table stays as it is.

    Raises `Unheld` for the first command whose offer and outcome differ.
    """
    offers = {seat: _offers(table.state, seat) for seat in table.state.seats}
    tried = [(choice.type, choice.awaited.seat, choice.data) for choice in table.offered()]
    nearly = [(type_, seat, data) for type_, seat, whole in tried for data in spoiled(table.state, whole)]
    stale = [(choice.type, choice.awaited.seat, choice.data) for choice in past]
    for type_, seat, data in tried:
        _hold(table, type_, seat, data, _fault(table, type_, seat, data, offered=True))
    for type_, seat, data in (*nearly, *stale):
        if is_miss(offers[seat], type_, seat, data):
            _hold(table, type_, seat, data, _fault(table, type_, seat, data, offered=False))


def fault_of(table: Table, type_: str, seat: str, data: Mapping[str, Any]) -> str | None:
    """Return what is wrong between the offer of a command at this moment and its outcome, null if nothing."""
    offers = _offers(table.state, seat)
    if is_miss(offers, type_, seat, data):
        return _fault(table, type_, seat, data, offered=False)
    offered = any(fits(offer, type_, data) for offer in offers)
    return _fault(table, type_, seat, data, offered=True) if offered else None


def _hold(table: Table, type_: str, seat: str, data: Mapping[str, Any], fault: str | None) -> None:
    if fault is not None:
        raise Unheld(table.seed, type_, seat, data, fault)


def _fault(table: Table, type_: str, seat: str, data: Mapping[str, Any], *, offered: bool) -> str | None:
    try:
        refusal = _refusal(table, type_, seat, data)
    except Exception as broken:  # noqa: BLE001 - whatever breaks is what is looked for
        return f"breaks: {broken!r}"
    if offered:
        return None if refusal is None else refused_offer(refusal)
    if refusal is None:
        return "is not offered, but accepted"
    return None if CODE.fullmatch(refusal) else f"is refused without a code: {refusal}"


def is_miss(offers: Sequence[Offer], type_: str, seat: str, data: Mapping[str, Any]) -> bool:
    """Tell whether none of the *offers* to *seat* is this command, nor is it one for any time."""
    if type_ in ANYTIME or (type_ in BY_THE_GM and seat == "gm"):
        return False
    return not any(fits(offer, type_, data) for offer in offers)


def near_misses(table: Table) -> list[tuple[str, str, dict[str, Any]]]:
    """Return type, seat and data of what is nearly offered at this moment, but is not."""
    offers = {seat: _offers(table.state, seat) for seat in table.state.seats}
    return [
        (choice.type, choice.awaited.seat, data)
        for choice in table.offered()
        for data in spoiled(table.state, choice.data)
        if is_miss(offers[choice.awaited.seat], choice.type, choice.awaited.seat, data)
    ]


def _refusal(table: Table, type_: str, seat: str, data: Mapping[str, Any]) -> str | None:
    decision = decide(table.state, table.command(type_, seat, data), table.dice)
    if decision.refusal is None:
        return None
    assert decision.state is table.state, f"seed {table.seed}: a refused {type_} changed the state"
    return decision.refusal.code


def _offers(state: State, seat: str) -> list[Offer]:
    return [offer for _, offers in legal(HEARTRUSH, state, seat) for offer in offers]


def spoiled(state: State, data: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield *data* with one thing wrong in each copy."""
    if data.get("to") is not None:
        yield {**data, "to": [999, 999]}
    if data.get("target") is not None:
        for target in ("nobody", *state.creatures):
            yield {**data, "target": target}
    if data.get("prompt") is not None:
        yield {**data, "prompt": "r0/e0/stance/nobody"}
    if data.get("creature") is not None:
        for creature in ("nobody", *state.creatures):
            yield {**data, "creature": creature}
