"""Play Rise in tests: the ledger's common creature, given/when/then, and dice written as faces.

`Fight` runs commands through decide exactly as a worker does. Faces are given in the order the rules ask for
them; a test that tells too few or too many fails. `Seeded` throws the dice itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from itertools import product
from typing import Any

from service.dice.stream import check_stream
from service.rules.kernel.codec import Malformed, from_data
from service.rules.kernel.messages import Actor, Event, Offer, Private, Rolled
from service.rules.kernel.records import changed
from service.rules.rise import RISE
from service.rules.rise.creatures.creature import Creature
from service.rules.rise.creatures.state import State
from service.rules.rolls.chance import Chance
from service.rules.ruleset import Decision, Refusal, decide, legal, waiting
from tests.support.http_mirror import Mirror, mirror

ENCOUNTER = "00112233-4455-6677-8899-aabbccddeeff"

BLADE = {"id": "blade", "strike": {"dice": [8], "flat": 2}}
STD: dict[str, Any] = {
    "hp_max": 20,
    "accuracy": 4,
    "brawling_accuracy": 4,
    "defenses": {"armor": 12, "fortitude": 10, "reflex": 10, "mental": 10},
    "weapons": [BLADE],
}
"""The ledger's common creature (section E)."""
AIMED = ("ability", "target", "targets", "at", "free_actions", "what", "item", "pay", "aside")
"""Choices that bots make first, so that an offer with many of them is taken as often as they are."""
STARTS = ("hp", "dr", "fatigue", "mount", "altitude")
"""What an entry says beside its sheet."""


class NoDice:
    """A source that gives no die: in these tests people throw them all."""

    def faces(self, *asked: object) -> tuple[int, ...]:
        """Fail: a seeded roll was made."""
        raise AssertionError(asked)

    def link(self, lane: int, epoch: int) -> bytes:
        """Return a link that tells its epoch."""
        return bytes([lane, epoch]) * 16


class Seeded(NoDice):
    """A source whose faces follow from a seed and the roll's name."""

    def __init__(self, seed: int = 0) -> None:
        self.seed = seed

    def faces(self, *asked: object) -> tuple[int, ...]:
        """Return faces for (lane, epoch, stream, place, sides); a longer roll begins like the shorter."""
        *name, sides = asked
        assert isinstance(sides, Sequence)
        check_stream(str(name[2]))
        return tuple(
            1 + int.from_bytes(sha256(f"{self.seed}/{name}/{i}".encode()).digest()[:4]) % side
            for i, side in enumerate(sides)
        )


def sheet(name: str, side: str, **changes: Any) -> dict[str, Any]:
    """Return the sheet of a common creature with *changes*; `d8=3` makes its weapon 1d8+3."""
    data = {"id": name, "name": name.capitalize(), "side": side, **STD}
    for key in [key for key in changes if key[0] == "d" and key[1:].isdigit()]:
        data["weapons"] = [{"id": "blade", "strike": {"dice": [int(key[1:])], "flat": changes.pop(key)}}]
    defenses = {key: changes.pop(key) for key in list(changes) if key in STD["defenses"]}
    data["defenses"] = {**STD["defenses"], **defenses}
    return {**data, **changes}


def entry(who: str, at: tuple[int, int], **changes: Any) -> dict[str, Any]:
    """Return who takes part: `pc@heroes/pia` or `mon@orcs/gob`, with changes."""
    kind, _, rest = who.partition("@")
    side, _, name = rest.partition("/")
    mine: dict[str, Any] = {k: changes.pop(k) for k in STARTS if k in changes}
    made = sheet(name, side, kind={"pc": "pc", "mon": "monster", "obj": "object"}[kind], **changes)
    return {"sheet": made, "position": list(at), **mine}


def opening(*entries: dict[str, Any], **changes: Any) -> dict[str, Any]:
    """Return an opening; each side with player characters has a seat of its name, all dice are declared."""
    sides = list(dict.fromkeys(e["sheet"]["side"] for e in entries))
    seats = []
    for side in sides:
        mine = [
            e["sheet"]["id"] for e in entries if e["sheet"]["side"] == side and e["sheet"]["kind"] == "pc"
        ]
        if mine:
            seats.append({"seat": f"seat-{side}", "role": "player", "creatures": mine})
    return {"creatures": list(entries), "seats": seats, "declared_sides": sides, **changes}


@dataclass
class Fight:
    """A fight under test: its state, everything that happened, and the faces still to be thrown."""

    state: State = RISE.blank
    events: list[Event[State]] = field(default_factory=list)
    rolls: list[Any] = field(default_factory=list)
    refusal: Refusal | None = None
    last: Decision[State] | None = None
    dice: NoDice = field(default_factory=NoDice)
    sent: list[tuple[str, str, dict[str, Any]]] = field(default_factory=list)
    mirror: Mirror | None = field(default_factory=lambda: mirror("rise@1"))
    """The same fight over HTTP, where the test is played both ways."""

    def send(self, type_: str, seat: str, /, **data: Any) -> Decision[State]:
        """Decide one command of *seat*; a refusal is kept, not raised."""
        cls = RISE.opening if type_ == "open" else RISE.commands[type_]
        command = from_data(
            cls, data, families=RISE.families, by=Actor(seat=seat, role="gm" if seat == "gm" else "player")
        )
        decision = decide(self.state, command, Chance(self.dice))
        before = self.state
        self.sent.append((type_, seat, data))
        self.state, self.refusal, self.last = decision.state, decision.refusal, decision
        if self.mirror is not None:
            self.mirror.follow(type_, seat, data, decision)
        if decision.refusal:
            assert self.state == before, "a refused command changed the state"
            assert not decision.facts
        for fact in decision.facts:
            told = fact.event if isinstance(fact, Private) else fact
            if isinstance(told, Rolled):
                self.rolls.append(told.roll)
            else:
                self.events.append(told)
        return decision

    def do(self, type_: str, creature: str | None = None, *faces: int, **data: Any) -> Fight:
        """Send a command that must be accepted, for the creature's seat; then throw *faces*."""
        if creature is not None:
            data["creature"] = creature
        decision = self.send(type_, self.state.controller(creature) if creature else "gm", **data)
        assert decision.refusal is None, decision.refusal
        return self.throw(*faces)

    def refused(self, type_: str, creature: str | None = None, **data: Any) -> str:
        """Return the code with which a command is refused; it must be. A bound of a field is `malformed`."""
        if creature is not None:
            data["creature"] = creature
        try:
            decision = self.send(type_, self.state.controller(creature) if creature else "gm", **data)
        except Malformed:
            return "malformed"
        assert decision.refusal is not None, f"{type_} was accepted"
        return decision.refusal.code

    def throw(self, *faces: int) -> Fight:
        """Answer dice prompts, in the order they come, until all *faces* are given."""
        left = list(faces)
        while left:
            awaited = next((a for a in waiting(self.state) if a.wants), None)
            assert awaited is not None, f"nobody asks for {left}"
            told, left = left[: len(awaited.wants)], left[len(awaited.wants) :]
            decision = self.send("throw_dice", awaited.seat, prompt=awaited.prompt, faces=told)
            assert decision.refusal is None, decision.refusal
        return self

    def logged(self, type_: str) -> list[Any]:
        """Return the events of one type, in order."""
        return [event for event in self.events if event.type == type_]

    def offers(self, seat: str) -> list[Any]:
        """Return what *seat* may do now."""
        return [offer for _, offers in legal(RISE, self.state, seat) for offer in offers]

    def allows(self, type_: str, creature: str, **data: Any) -> bool:
        """Tell whether a command is accepted; fails unless it is offered if, and only if, it is."""
        seat = self.state.controller(creature)
        offered = any(
            offer.type == type_ and offer.creature == creature and _is_meant(offer, data)
            for offer in self.offers(seat)
        )
        actor = Actor(seat=seat, role="gm" if seat == "gm" else "player")
        command = from_data(
            RISE.commands[type_], {**data, "creature": creature}, families=RISE.families, by=actor
        )
        refusal = decide(self.state, command, Chance(self.dice)).refusal
        assert offered is (refusal is None), f"{type_} by {creature}: offered is {offered}, but {refusal}"
        return offered

    def __getitem__(self, creature: str) -> Creature:
        """Return a creature as it is now, at the table."""
        return self.state.creatures[creature]

    def seen(self, group: str, creature: str) -> Creature:
        """Return a creature as *group* knows it."""
        return self.state.at(group).creatures[creature]

    def given(self, creature: str, **changes: Any) -> Fight:
        """Set fields of a creature, also as its group knows it, as something outside would have."""

        def give(state: State) -> State:
            state = state.with_creature(creature, **changes)
            group = state.group_of(creature)
            if group is not None and group in state.worlds:
                state = state.with_at(group, state.at(group).with_creature(creature, **changes))
            return state

        self.state = give(self.state)
        if self.mirror is not None:
            self.mirror.give(give)
        return self

    # --- steps of a round -----------------------------------------------------------------------------

    def to_actions(self) -> Fight:
        """Let everybody who has not planned stay, and nobody commit to more Swift abilities."""
        while True:
            owed = waiting(self.state)
            step = next(
                (
                    (name, a)
                    for a in owed
                    for name in ("pass_movement", "no_more_swift")
                    if name in a.accepts and a.creature
                ),
                None,
            )
            if step is None:
                return self
            self.do(step[0], step[1].creature)

    def rest(self, *faces: int) -> Fight:
        """Let everybody who may still act pass, then throw *faces* that are asked for."""
        while True:
            owed = next((a for a in waiting(self.state) if "pass_turn" in a.accepts), None)
            if owed is None:
                break
            self.do("pass_turn", owed.creature)
        return self.throw(*faces)

    def end(self, *creatures: str) -> Fight:
        """Let *creatures* end their turns."""
        for creature in creatures:
            self.do("end_turn", creature)
        return self


def unfolded(offers: Iterable[Offer], *names: str) -> list[Offer]:
    """Return *offers* with these choices made, an offer for each combination of them."""
    return [
        changed(
            offer,
            given={**offer.given, **dict(zip(mine, values, strict=True))},
            choices={name: choice for name, choice in offer.choices.items() if name not in mine},
        )
        for offer in offers
        for mine in [[name for name in names if name in offer.choices]]
        for values in product(*(offer.choices[name] for name in mine))
    ]


def _is_meant(offer: Offer, data: Mapping[str, Any]) -> bool:
    """Tell whether *offer* stands for the command with *data* among others."""
    left = {key: value for key, value in data.items() if offer.given.get(key) != value}
    return offer.given.keys() <= data.keys() and all(
        value in offer.choices.get(key, ()) for key, value in left.items()
    )


def opened(*entries: dict[str, Any], dice: NoDice | None = None, **changes: Any) -> Fight:
    """Return a fight that is set up but has not begun."""
    fight = Fight(dice=dice or NoDice())
    lanes = [{"lane": 0, "n": 64, "anchor": "00" * 32}]
    fight.do(
        "open",
        encounter=ENCOUNTER,
        edition="rise@1",
        digest="00" * 32,
        dice={"algorithm": "rewound/dice/1", "mode": "server", "lanes": lanes},
        opening=opening(*entries, **changes),
    )
    return fight


def begun(
    *entries: dict[str, Any], phase: str = "action", dice: NoDice | None = None, **changes: Any
) -> Fight:
    """Return a fight in round 1: planning its movements, or with Swift abilities committed and turns open."""
    fight = opened(*entries, dice=dice, **changes).do("start_combat", start_phase=phase)
    return fight.to_actions() if phase == "action" else fight


def commits(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return *options* as an opening's."""
    return {"options": dict(options)}
