"""Play Heart Rush at random: every seat takes what `legal` offers it, and throws the dice it is asked for.

One `random.Random` decides everything, so a seed names a whole fight; whoever lets a bot play tells the seed
when something fails.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from service.rules.heartrush import HEARTRUSH
from service.rules.heartrush.creatures.options import OPTIONS
from service.rules.heartrush.creatures.sheet import Sheet
from service.rules.heartrush.creatures.size_and_bonds import slots, slots_taken
from service.rules.heartrush.creatures.state import State
from service.rules.kernel.codec import from_data
from service.rules.kernel.messages import Actor, Awaited, Command, Fact, Offer
from service.rules.kernel.sealed import view
from service.rules.rolls.chance import Chance
from service.rules.ruleset import Decision, decide, legal, waiting
from tests.rules.heartrush.kit import ENCOUNTER, sheet
from tests.support.drawn_walls import drawn_walls

SIDES = ("players", "enemies")
BOARD = 8
"""Cells along a side of the board the creatures are placed on."""
GROUND = ("wall", "difficult", "shallow_water", "deep_water", "climb")
UNPLAYED = ("sealed_by",)
"""Options that keep their defaults: `random_play/test_sealed_by_seats.py` plays the other value."""
SELDOM = ("end_combat", "pass_side", "rest", "award_xp", "advance_clock", "spend_xp", "set_standing")
"""Commands that cut a fight short, or go on for ever outside it: taken once in twenty times they could be."""

WEAPONS: tuple[Mapping[str, Any], ...] = (
    {"id": "mace", "size_class": "light", "damage_type": "bludgeoning"},
    {"id": "maul", "size_class": "heavy", "damage_type": "bludgeoning"},
    {"id": "spear", "size_class": "light", "damage_type": "piercing", "tags": ["reach"]},
    {"id": "bow", "size_class": "light", "attack_type": "ranged", "damage_type": "piercing"},
    {"id": "longbow", "size_class": "heavy", "attack_type": "ranged", "damage_type": "piercing"},
    {"id": "knife", "attack_type": "thrown", "damage_type": "slashing"},
    {"id": "dart", "attack_type": "thrown", "damage_type": "piercing"},
    {"id": "lash", "size_class": "light", "attack_type": "whip", "damage_type": "slashing"},
    {"id": "fangs", "size_class": "light", "damage_type": "piercing", "tags": ["natural"]},
)


class RandomDice:
    """Faces and links from a seeded generator: what the server's chain is to the service.

    A roll's faces follow from its name, so a longer roll begins with the faces of the shorter one.
    """

    def __init__(self, chance: random.Random) -> None:
        self.salt = chance.random()

    def faces(self, lane: int, epoch: int, stream: str, place: int, sides: Sequence[int]) -> tuple[int, ...]:
        """Return a face for each die."""
        own = random.Random(f"{self.salt}/{lane}/{epoch}/{stream}/{place}")
        return tuple(1 + int(own.random() * die) for die in sides)

    def link(self, lane: int, epoch: int) -> bytes:
        """Return a link that tells its epoch."""
        return bytes([lane, epoch % 256]) * 16


def random_opening(chance: random.Random) -> dict[str, Any]:
    """Return a fight of 2 to 10 creatures of all kinds, on all kinds of ground, by all kinds of options."""
    names = [f"c{i}" for i in range(chance.randint(2, 10))]
    places = chance.sample([(x, y) for x in range(0, BOARD, 2) for y in range(0, BOARD, 2)], len(names))
    taken = [(x + i, y + j) for x, y in places for i in (0, 1) for j in (0, 1)]
    cells = [(x, y) for x in range(-2, BOARD + 2) for y in range(-2, BOARD + 2) if (x, y) not in taken]
    terrain = {
        f"{x},{y}": chance.choice(GROUND) for x, y in chance.sample(cells, chance.randint(0, len(cells) // 3))
    }
    creatures = [
        {"sheet": _sheet(chance, name, SIDES[i % 2]), "position": list(at)}
        for i, (name, at) in enumerate(zip(names, places, strict=True))
    ]
    players = names[::2]
    cut = chance.randint(0, len(players))
    return {
        "sides": list(SIDES),
        "player_side": chance.choice(SIDES),
        "declared_sides": [side for side in SIDES if chance.random() < 0.5],
        "creatures": creatures,
        "terrain": terrain,
        "walls": drawn_walls(BOARD, places, 2),
        "scenery": _scenery(chance, terrain),
        "options": random_options(chance),
        "seats": [
            {"seat": "zoe", "role": "player", "creatures": players[:cut]},
            {"seat": "max", "role": "player", "creatures": players[cut:]},
            {"seat": "eve", "role": "observer"},
        ],
    }


def _scenery(chance: random.Random, terrain: Mapping[str, str]) -> dict[str, Any]:
    """Return light, depths, climbs and heights for a board; half of all boards are plain."""
    if chance.random() < 0.5:
        return {}
    deep = [cell for cell, ground in terrain.items() if ground == "deep_water"]
    steep = [cell for cell, ground in terrain.items() if ground == "climb"]
    depths = ({"stands_from": "large"}, {"stands_from": None}, {"submerged": True})
    board = [f"{x},{y}" for x in range(BOARD) for y in range(BOARD)]
    scenery: dict[str, Any] = {
        "ambient": chance.choice(["bright", "dim", "dark"]),
        "light": {cell: chance.choice(["bright", "dim", "dark"]) for cell in chance.sample(board, 9)},
        "water": {cell: chance.choice(depths) for cell in deep if chance.random() < 0.5},
        "climb_cn": {cell: chance.randint(4, 12) for cell in steep if chance.random() < 0.5},
        "sheer": [cell for cell in steep if chance.random() < 0.2],
        "heights": {cell: chance.choice([5, 10]) for cell in chance.sample(board, 9)},
    }
    high = scenery["heights"]
    edges = (((x, y), (x + i, y + 1 - i)) for x in range(BOARD) for y in range(BOARD) for i in (0, 1))
    keys = [(f"{a[0]},{a[1]}", f"{b[0]},{b[1]}") for a, b in edges]
    scenery["ledges"] = [f"{a}|{b}" for a, b in keys if high.get(a, 0) != high.get(b, 0)][::2]
    return scenery


def random_options(chance: random.Random) -> dict[str, Any]:
    """Return house options of which about one in four differs from its default."""
    chosen = {}
    for key, spec in OPTIONS.items():
        if key in UNPLAYED:
            continue
        values = spec.values if spec.bounds is None else (1, 6, 600)
        chosen[key] = chance.choice(values) if chance.random() < 0.5 else spec.values[0]
    chosen["windows"] = "all" if chance.random() < 0.1 else "holders"  # it asks for much, and little comes
    return chosen


def _sheet(chance: random.Random, name: str, side: str) -> dict[str, Any]:
    size = chance.choices(["tiny", "small", "medium", "large", "l2"], [1, 2, 6, 2, 1])[0]
    fitting = {"tiny": ("knife", "dart", "fangs")}
    weapons = [
        w
        for w in WEAPONS
        if w["id"] in fitting.get(size, (w["id"],))
        and not (size == "small" and w.get("size_class") == "heavy")
    ]
    dice = {ability: chance.choice([4, 6, 8, 10, 12]) for ability in ("might", "agility", "cunning")}
    given = sheet(
        name,
        like="pia",
        side=side,
        kind=chance.choice(["pc", "npc"]),
        size=size,
        hp_max=chance.choice([5, 12, 30]),
        speed=chance.choice([10, 30, 60]),
        heart_die=chance.choice([4, 6, 8, 10]),
        armor=chance.choice(["none", "light", "medium", "heavy"]),
        shield=chance.choice(["none", "none", "light", "heavy"]),
        weapons=chance.sample(weapons, chance.randint(0, 3)),
        darkvision=chance.random() < 0.3,
        poisons=[{"id": "viper", "doses": 2, "conditions": {"burning": 1}}] if chance.random() < 0.3 else [],
        **dice,
    )
    while slots_taken(made := from_data(Sheet, given, families=HEARTRUSH.families)) > slots(made):
        given["weapons"].pop()
    return given


class Choice(NamedTuple):
    """One command that somebody may give now."""

    awaited: Awaited
    type: str
    data: Mapping[str, Any]


def choices(chance: random.Random, awaited: Awaited, offers: tuple[Offer, ...]) -> Iterator[Choice]:
    """Yield one command for each of *offers*: what is given, and one of each value there is to choose."""
    for offer in offers:
        data: dict[str, Any] = {**offer.given, **offer.written}
        data.update({key: chance.choice(values) for key, values in offer.choices.items()})
        if offer.creature is not None and offer.type != "throw_dice":
            data["creature"] = offer.creature
        if offer.prompt is not None:
            data["prompt"] = offer.prompt
        if offer.type == "throw_dice":
            data["faces"] = [chance.randint(1, int(want.rpartition("d")[2])) for want in awaited.wants]
        yield Choice(awaited, offer.type, _plain(data))


def _plain(data: Any) -> Any:
    """Return *data* as it comes out of JSON: lists for tuples."""
    if isinstance(data, Mapping):
        return {key: _plain(value) for key, value in data.items()}
    if isinstance(data, tuple | list):
        return [_plain(value) for value in data]
    return data


@dataclass
class Table:
    """A fight that bots play: its state, its facts, and how many commands it took."""

    seed: int
    state: State = HEARTRUSH.blank
    facts: list[Fact[State]] = field(default_factory=list)
    commands: int = 0

    def __post_init__(self) -> None:
        self.chance = random.Random(self.seed)
        self.dice = Chance(RandomDice(random.Random(self.seed)))

    def open(self) -> Table:
        """Open a random fight and begin it."""
        dice = {
            "algorithm": "rewound/dice/1",
            "mode": "server",
            "lanes": [{"lane": 0, "n": 64, "anchor": "00" * 32}],
        }
        self.must(
            "open",
            "gm",
            {
                "encounter": ENCOUNTER,
                "edition": HEARTRUSH.edition,
                "digest": "00" * 32,
                "dice": dice,
                "opening": self.opening(),
            },
        )
        return self

    def opening(self) -> dict[str, Any]:
        """Return what the fight begins with."""
        return random_opening(self.chance)

    def command(self, type_: str, seat: str, data: Mapping[str, Any]) -> Command[State]:
        """Return the command that *seat* would send."""
        role = self.state.seats[seat].role if seat in self.state.seats else seat
        return from_data(
            HEARTRUSH.commands[type_], data, families=HEARTRUSH.families, by=Actor(seat=seat, role=role)
        )

    def must(self, type_: str, seat: str, data: Mapping[str, Any]) -> Decision[State]:
        """Decide a command that has to be accepted, and keep what it made true."""
        decision = decide(self.state, self.command(type_, seat, data), self.dice)
        assert decision.refusal is None, f"seed {self.seed}: {type_} {data} by {seat}: {decision.refusal}"
        self.state = decision.state
        self.facts += decision.facts
        self.commands += 1
        return decision

    def offered(self) -> list[Choice]:
        """Return one command for every offer to every seat that anybody waits for."""
        found: list[Choice] = []
        for seat in dict.fromkeys(awaited.seat for awaited in waiting(self.state)):
            for awaited, offers in legal(HEARTRUSH, self.state, seat):
                found += choices(self.chance, awaited, offers)
        return found

    def pick(self) -> Choice | None:
        """Choose who acts, then a command it may give, then how; None when nobody may do anything."""
        answers = list(waiting(self.state))
        self.chance.shuffle(answers)
        seldom = self.chance.random() < 0.05
        return self._pick(answers, seldom=seldom) or self._pick(answers, seldom=True)

    def _pick(self, answers: list[Awaited], *, seldom: bool) -> Choice | None:
        for awaited in answers:
            seen = view(self.state, awaited.seat)
            for name in self.chance.sample(awaited.accepts, len(awaited.accepts)):
                if name in SELDOM and not seldom:
                    continue
                offers = tuple(HEARTRUSH.commands[name].offers(seen, awaited))
                if offers:
                    return next(choices(self.chance, awaited, (self.chance.choice(offers),)))
        return None

    def step(self) -> Decision[State] | None:
        """Let somebody do something; None when nobody may."""
        choice = self.pick()
        if choice is None:
            return None
        return self.must(choice.type, choice.awaited.seat, choice.data)
