"""Play Heart Rush in tests: a cast, given/when/then, and dice written as faces.

`Fight` runs commands through decide exactly as a worker does. Faces are given in the order the rules ask for
them; a test that tells too few or too many fails.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from service.rules.heartrush import HEARTRUSH
from service.rules.heartrush.creatures.state import Creature, State
from service.rules.kernel.codec import Malformed, from_data
from service.rules.kernel.messages import Actor, Event, Private, Rolled
from service.rules.kernel.records import changed
from service.rules.rolls.chance import Chance
from service.rules.ruleset import Decision, Refusal, decide, legal, waiting
from tests.support.http_mirror import Mirror, mirror

ENCOUNTER = "00112233-4455-6677-8899-aabbccddeeff"

CAST: dict[str, dict[str, Any]] = {
    "pia": {
        "side": "players",
        "kind": "pc",
        "might": 8,
        "agility": 6,
        "cunning": 6,
        "presence": 4,
        "armor": "light",
        "weapons": [{"id": "mace", "size_class": "light", "damage_type": "bludgeoning"}],
    },
    "ash": {
        "side": "players",
        "kind": "pc",
        "might": 4,
        "agility": 8,
        "cunning": 6,
        "presence": 6,
        "armor": "light",
        "weapons": [
            {"id": "shortbow", "size_class": "light", "attack_type": "ranged", "damage_type": "piercing"}
        ],
    },
    "bru": {
        "side": "players",
        "kind": "pc",
        "might": 8,
        "agility": 6,
        "cunning": 6,
        "presence": 4,
        "weapons": [{"id": "maul", "size_class": "heavy", "damage_type": "bludgeoning"}],
    },
    "orc": {
        "side": "enemies",
        "hp_max": 35,
        "might": 10,
        "agility": 6,
        "cunning": 4,
        "presence": 4,
        "armor": "medium",
        "weapons": [{"id": "greatsword", "size_class": "heavy", "damage_type": "slashing"}],
    },
    "wolf": {
        "side": "enemies",
        "hp_max": 20,
        "heart_die": 6,
        "might": 6,
        "agility": 8,
        "cunning": 8,
        "presence": 4,
        "weapons": [{"id": "bite", "size_class": "light", "damage_type": "piercing", "tags": ["natural"]}],
    },
}
"""The ledger's cast (section E), as sheets."""


class NoDice:
    """A source that gives no die: in these tests people throw them all."""

    def faces(self, *asked: object) -> tuple[int, ...]:
        """Fail: a seeded roll was made."""
        raise AssertionError(asked)

    def link(self, lane: int, epoch: int) -> bytes:
        """Return a link that tells its epoch."""
        return bytes([lane, epoch]) * 16


def sheet(name: str, **changes: object) -> dict[str, Any]:
    """Return the sheet of one of the cast, or of a copy of it, with *changes*."""
    base = dict(CAST[str(changes.pop("like", name))])
    return {"id": name, "name": name.capitalize(), **base, **changes}


def opening(
    places: Mapping[str, tuple[int, int]],
    *,
    sheets: Mapping[str, Mapping[str, Any]] | None = None,
    **changes: object,
) -> dict[str, Any]:
    """Return an opening with one of the cast at each place, players controlled by seat `zoe`."""
    creatures: list[dict[str, Any]] = [
        {"sheet": sheet(name, **dict((sheets or {}).get(name, {}))), "position": list(at)}
        for name, at in places.items()
    ]
    players = [entry["sheet"]["id"] for entry in creatures if entry["sheet"]["side"] == "players"]
    return {
        "sides": ["players", "enemies"],
        "player_side": "players",
        "declared_sides": ["players", "enemies"],
        "creatures": creatures,
        "seats": [{"seat": "zoe", "role": "player", "creatures": players}],
        **changes,
    }


@dataclass
class Fight:
    """A fight under test: its state, everything that happened, and the faces still to be thrown."""

    state: State = HEARTRUSH.blank
    events: list[Event[State]] = field(default_factory=list)
    rolls: list[Any] = field(default_factory=list)
    refusal: Refusal | None = None
    last: Decision[State] | None = None
    mirror: Mirror | None = field(default_factory=lambda: mirror("heartrush@1"))
    """The same fight over HTTP, where the test is played both ways."""

    def send(self, type_: str, seat: str, /, **data: object) -> Decision[State]:
        """Decide one command of *seat*; a refusal is kept, not raised."""
        cls = HEARTRUSH.commands[type_]
        command = from_data(
            cls,
            data,
            families=HEARTRUSH.families,
            by=Actor(seat=seat, role="gm" if seat == "gm" else "player"),
        )
        decision = decide(self.state, command, Chance(NoDice()))
        before = self.state
        self.state, self.refusal, self.last = decision.state, decision.refusal, decision
        if self.mirror is not None:
            self.mirror.follow(type_, seat, data, decision)
        if decision.refusal:
            assert self.state == before, "a refused command changed the state"
            assert not decision.facts
        for fact in decision.facts:
            if isinstance(fact, Rolled):
                self.rolls.append(fact.roll)
                continue
            event = fact.event if isinstance(fact, Private) else fact
            assert isinstance(event, Event)
            self.events.append(event)
        return decision

    def do(self, type_: str, *faces: int, **data: object) -> Fight:
        """Send a command of the creature's seat that must be accepted; then throw *faces* as asked."""
        decision = self.send(type_, self.seat_for(data), **data)
        assert decision.refusal is None, decision.refusal
        return self.throw(*faces)

    def refused(self, type_: str, **data: object) -> str:
        """Return the code with which a command is refused; it must be. A bound of a field is `malformed`."""
        try:
            decision = self.send(type_, self.seat_for(data), **data)
        except Malformed:
            return "malformed"
        assert decision.refusal is not None, f"{type_} was accepted"
        return decision.refusal.code

    def seat_for(self, data: Mapping[str, object]) -> str:
        """Return the seat of the creature a command is for, or the GM's."""
        creature = data.get("creature")
        known = creature in self.state.creatures
        return self.state.controller(str(creature)) if known else "gm"

    def throw(self, *faces: int) -> Fight:
        """Answer dice prompts, in the order they come, until all *faces* are given."""
        left = list(faces)
        while left:
            awaited = waiting(self.state)[0]
            assert awaited.wants, f"nobody asks for {left}; {awaited.prompt} is waiting"
            told, left = left[: len(awaited.wants)], left[len(awaited.wants) :]
            decision = self.send("throw_dice", awaited.seat, prompt=awaited.prompt, faces=told)
            assert decision.refusal is None, decision.refusal
        return self

    def answer(self, type_: str, creature: str, *faces: int, **data: object) -> Fight:
        """Answer the prompt that *creature* owes with a command of this type."""
        return self.do(type_, *faces, creature=creature, prompt=self.prompt(creature), **data)

    def prompt(self, creature: str) -> str:
        """Return the prompt that waits for *creature*."""
        found = [awaited.prompt for awaited in waiting(self.state) if awaited.creature == creature]
        assert found, f"nothing waits for {creature}: {[a.prompt for a in waiting(self.state)]}"
        return found[0]

    def waits_for(self) -> list[str]:
        """Return the creatures that owe an answer."""
        return [awaited.creature or awaited.seat for awaited in waiting(self.state)]

    def stances(self, **stances: str) -> Fight:
        """Let each creature choose its stance."""
        for creature, stance in stances.items():
            self.answer("choose_stance", creature, stance=stance)
        return self

    def joined_by(self, *creatures: str) -> Fight:
        """Let *creatures* join in this order, and everybody else decline until joining is closed."""
        for creature in creatures:
            self.answer("join_engagement", creature)
        while waits := [a for a in waiting(self.state) if "decline_join" in a.accepts]:
            self.answer("decline_join", str(waits[0].creature))
        return self

    def logged(self, type_: str) -> list[Any]:
        """Return the events of one type, in order."""
        return [event for event in self.events if event.type == type_]

    def offers(self, seat: str, creature: str | None = None) -> list[Any]:
        """Return what *seat* may do now."""
        found = legal(HEARTRUSH, self.state, seat)
        return [offer for owed, offers in found if creature in (None, owed.creature) for offer in offers]

    def __getitem__(self, creature: str) -> Creature:
        """Return a creature as it is now."""
        return self.state.creatures[creature]

    def with_table(self, **changes: object) -> Fight:
        """Set fields of the table itself: the clock, the ground."""
        self.state = changed(self.state, **changes)
        if self.mirror is not None:
            self.mirror.give(lambda state: changed(state, **changes))
        return self

    def given(self, creature: str, **changes: object) -> Fight:
        """Set fields of a creature, as something outside the test would have."""
        if self.mirror is not None:
            self.mirror.give(lambda state: state.with_creature(creature, **changes))
        self.state = self.state.with_creature(creature, **changes)
        return self


def opened(
    places: Mapping[str, tuple[int, int]],
    *,
    sheets: Mapping[str, Mapping[str, Any]] | None = None,
    **changes: object,
) -> Fight:
    """Return a fight that is set up but has not begun."""
    fight = Fight()
    dice = {
        "algorithm": "rewound/dice/1",
        "mode": "server",
        "lanes": [{"lane": 0, "n": 64, "anchor": "00" * 32}],
    }
    fight.do(
        "open",
        encounter=ENCOUNTER,
        edition="heartrush@1",
        digest="00" * 32,
        dice=dice,
        opening=opening(places, sheets=sheets, **changes),
    )
    return fight


def begun(
    places: Mapping[str, tuple[int, int]],
    *,
    first: str = "players",
    sheets: Mapping[str, Mapping[str, Any]] | None = None,
    **changes: object,
) -> Fight:
    """Return a fight in which side *first* holds priority in round 1."""
    fight = opened(places, sheets=sheets, **changes)
    unaware = next(side for side in fight.state.sides if side != first)
    return fight.do("begin_combat", unaware_side=unaware).do("grant_priority")
