"""Open fights of both books, and pick commands from what `options` offers: no rule is known here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any, Final

from tests.bench import fights
from tests.support.offers import spelled

Json = dict[str, Any]

IDLE: Final = frozenset(
    {"end_combat", "pass_side", "go_unconscious", "object", "help", "call_out", "sidestep"}
)
"""What is taken where there is nothing else: it ends things, or leads nowhere."""

_DEFENSES: Final = {"armor": 12, "fortitude": 10, "reflex": 10, "mental": 10}


def opening(book: str) -> Json:
    """Return an opening of *book*, with one player, whose creatures are hard to kill."""
    return _heartrush() if book == "heartrush@1" else _rise()


def _heartrush() -> Json:
    data = fights.opening(per_side=2, hp=400)
    return {
        "edition": "heartrush@1",
        "title": "A fight under fire",
        **data,
        "seats": [{"seat": "ann", "role": "player", "creatures": ["players-0", "players-1"]}],
    }


def _rise() -> Json:
    creatures = [
        _creature("mira", "heroes", [0, 0], "pc"),
        _creature("tam", "heroes", [0, 1], "pc"),
        _creature("knight", "iron", [2, 0], "monster"),
        _creature("squire", "iron", [2, 1], "monster"),
    ]
    return {
        "edition": "rise@1",
        "title": "Phases under fire",
        "creatures": creatures,
        "seats": [{"seat": "ann", "role": "player", "creatures": ["mira", "tam"]}],
    }


def _creature(name: str, side: str, position: list[int], kind: str) -> Json:
    sheet = {
        "id": name,
        "name": name.title(),
        "side": side,
        "kind": kind,
        "defenses": _DEFENSES,
        "accuracy": 5,
        "brawling_accuracy": 4,
        "hp_max": 400,
        "weapons": [{"id": "saber", "strike": {"dice": [8], "flat": 3}}],
    }
    return {"sheet": sheet, "position": position}


def pick(options: Json, chance: Random) -> Json | None:
    """Return one command of those that a seat may send now, None if there is none."""
    owed: list[tuple[Json, Json]] = []
    free: list[tuple[Json, Json]] = []
    idle: list[tuple[Json, Json]] = []
    for option in options["options"]:
        for offer in option["commands"]:
            pile = (
                idle if offer["command"]["type"] in IDLE else free if option["prompt"]["optional"] else owed
            )
            pile.append((option["prompt"], offer))
    for pile in (owed, free, idle):
        if pile:
            prompt, offer = chance.choice(pile)
            return _command(prompt, offer, chance)
    return None


def _command(prompt: Mapping[str, Any], offer: Mapping[str, Any], chance: Random) -> Json:
    command = spelled(offer, chance)
    if prompt["wants"]:
        command["faces"] = thrown(prompt["wants"], chance)
    return command


def thrown(wants: Sequence[str], chance: Random) -> list[int]:
    """Return faces for the dice that a prompt names, `heart:d8` for one."""
    return [chance.randint(1, int(wanted.rpartition(":d")[2])) for wanted in wants]


def secret_roll(chance: Random, what: str) -> Json:
    """Return a command that the gm may send at any time, each with words of its own."""
    return {
        "type": "roll_behind_screen",
        "dice": [chance.choice((6, 8, 20))],
        "bonus": chance.randint(0, 9),
    } | {"what": what}


def undo(chance: Random, version: int, why: str) -> Json:
    """Return a proposal to take back everything from some commit on, with a reason of its own."""
    return {"type": "undo", "commit": chance.randint(2, version), "reason": why}


def refused_roll(chance: Random) -> Json:
    """Return a command that the rules refuse at any time."""
    return {"type": "show_roll", "roll": chance.randint(100_000, 999_999)}
