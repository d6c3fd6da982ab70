"""Play random legal Rise: any offer of any seat, chosen by a seed, until so many commands are decided."""

from __future__ import annotations

from random import Random
from typing import Any

from service.rules.kernel.messages import Offer
from service.rules.rise import RISE
from service.rules.ruleset import legal
from tests.rules.rise.kit import AIMED, Fight, Seeded, entry, opened, unfolded

BOW = {
    "id": "bow",
    "melee": False,
    "projectile": True,
    "close_ft": 60,
    "long_ft": 120,
    "strike": {"dice": [6], "flat": 1},
}
BLADE = {"id": "blade", "strike": {"dice": [8], "flat": 2}}
MEND = {"id": "mend", "range_ft": 60, "effects": [{"does": "heal_hp", "dice": [6], "amount": 2}]}
SHOUT = {
    "id": "shout",
    "usage": "minor",
    "range_ft": 30,
    "strike": {"versus": ["mental"], "damaging": False},
    "effects": [{"does": "gain", "condition": "dazed", "until": "brief"}],
}
GUARD = {
    "id": "guard",
    "tags": ["swift"],
    "usage": "minor",
    "effects": [{"does": "gain", "condition": "guard", "modifiers": {"armor": 2}, "until": "round"}],
}
BURN = {
    "id": "burn",
    "range_ft": 30,
    "strike": {"versus": ["reflex"], "dice": [4]},
    "effects": [
        {"does": "gain", "condition": "burning", "until": "brief", "tick": {"step": 11, "damage": 3}}
    ],
}
ECHO = {
    "id": "echo",
    "later": "each_action",
    "times": 2,
    "range_ft": 60,
    "effects": [{"does": "damage", "amount": 2}],
}
CHEER = {
    "id": "cheer",
    "usage": "free",
    "range_ft": 30,
    "per_round_limit": 1,
    "effects": [{"does": "gain", "condition": "cheered", "modifiers": {"accuracy": 1}, "until": "round"}],
}
KIT: dict[str, Any] = {
    "weapons": [BLADE, BOW],
    "abilities": [MEND, SHOUT, GUARD, BURN, ECHO, CHEER],
    "dr_max": 4,
}


def melee(seed: int, sides: tuple[str, ...] = ("heroes", "orcs"), each: int = 2, **options: Any) -> Fight:
    """Return a fight of several sides in round 1; the first `played` of them are players'."""
    played = options.pop("played", 1)
    entries = []
    for s, side in enumerate(sides):
        for i in range(each):
            kind = "pc" if s < played else "mon"
            at = (2 * s, 2 * i)
            entries.append(entry(f"{kind}@{side}/{side[:2]}{i}", at, dexterity=i, **KIT))
    fight = opened(*entries, dice=Seeded(seed), declared_sides=[], options=options)
    return fight.do("start_combat")


def choices(fight: Fight) -> list[tuple[str, Offer]]:
    """Return every offer of every seat, an offer for each target and the like."""
    return [
        (seat, offer)
        for seat in fight.state.seats
        for _, offers in legal(RISE, fight.state, seat)
        for offer in unfolded(offers, *AIMED)
    ]


def data_of(offer: Offer, random: Random) -> dict[str, Any]:
    """Return the command that *offer* stands for, its free parameters chosen."""
    data = {**offer.given, **{key: random.choice(values) for key, values in offer.choices.items()}}
    if offer.creature is not None:
        data["creature"] = offer.creature
    if offer.prompt is not None:
        data["prompt"] = offer.prompt
    return {key: _plain(value) for key, value in data.items()}


def _plain(value: Any) -> Any:
    return [_plain(item) for item in value] if isinstance(value, tuple) else value


def play(fight: Fight, seed: int, commands: int) -> Fight:
    """Send random legal commands; every one must be accepted."""
    random = Random(seed)
    for _ in range(commands):
        found = [choice for choice in choices(fight) if choice[1].type not in ("end_combat", "close")]
        if not found:
            return fight
        seat, offer = random.choice(found)
        data = data_of(offer, random)
        decision = fight.send(offer.type, seat, **data)
        assert decision.refusal is None, (seed, offer, decision.refusal)
    return fight
