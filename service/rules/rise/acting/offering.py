"""Offer what a turn allows."""

from __future__ import annotations

from collections.abc import Iterator

from service.rules.kernel.messages import Actor, Awaited, Offer, Refused
from service.rules.kernel.records import derived
from service.rules.rise.acting.turns import taking_turn
from service.rules.rise.creatures.creature import Creature
from service.rules.rise.permission import Act, is_allowed
from service.rules.rise.state import State


def on_turn(view: State, command: Act) -> Creature | None:
    """Return the creature of *command* if it may use its turn now; None otherwise."""

    def find(_: State) -> Creature | None:
        return view.creatures[command.creature] if is_allowed(taking_turn, view, command) else None

    return derived(view, f"on turn/{command.by.seat}/{command.creature}", find)


def offered(command: Act, view: State, **given: object) -> Iterator[Offer]:
    """Yield the offer that *command* stands for, if it is legal on *view* as it is."""
    try:
        command.check(view)
    except Refused:
        return
    yield Offer(type=command.type, creature=command.creature, given=given)


def sender(view: State, awaited: Awaited) -> Actor:
    """Return who would answer *awaited*."""
    return Actor(seat=awaited.seat, role=view.seats[awaited.seat].role)
