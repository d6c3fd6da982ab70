"""Choose the next command among the offered ones, by the rulebook's taste.

One `random.Random` chooses between equally ranked commands, so a seed determines a whole fight.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from random import Random
from typing import Any, Final, TypeAlias

from service.rules.kernel.messages import Awaited, Offer
from service.rules.ruleset import Ruleset, legal
from service.rules.secrecy.choices import OpenChoice, SealChoice, commitment_of
from service.rules.table.table import Table
from service.simulation.taste import Taste

Creatures: TypeAlias = Mapping[str, Any]
_AT: Final = ("target", "targets", "with_", "creatures")
_TO: Final = ("to", "path")
_FAR: Final = 10_000
_DOWN: Final = ("dead", "down", "defeated", "unconscious")


@dataclass(frozen=True)
class Move:
    """The next command, and the seat that sends it."""

    seat: str
    type: str
    data: dict[str, Any]


class Bot:
    """Plays all seats of one encounter."""

    def __init__(self, taste: Taste, chance: Random) -> None:
        self._taste = taste
        self._chance = chance
        self._sealed: dict[str, dict[str, Any]] = {}
        """What opens each choice that the bot has sealed, by prompt."""

    def pick(self, ruleset: Ruleset[Any], state: Table) -> Move | None:
        """Return the next command; None if no seat has an offer that a bot takes.

        Required prompts come before optional ones.
        """
        offered = [
            (awaited.optional, rank + self._is_shunned(offer), seat, awaited, offer)
            for seat in state.seats
            for awaited, offers in legal(ruleset, state, seat)
            for offer in offers
            if (rank := self._taste.rank(offer.type)) is not None
        ]
        if not offered:
            return None
        first = min((optional, rank) for optional, rank, *_ in offered)
        best = [each for each in offered if each[:2] == first]
        creatures = creatures_of(state) if self._taste.aims else {}
        *_, seat, awaited, offer = min(
            best, key=lambda each: (_aim(each[4], creatures), self._chance.random())
        )
        if offer.type == SealChoice.type:
            return Move(seat, offer.type, self._seal(ruleset, state, seat, awaited, offer, creatures))
        if offer.type == OpenChoice.type:
            return Move(seat, offer.type, self._sealed.pop(awaited.prompt))
        return Move(seat, offer.type, self._data(ruleset, awaited, offer, creatures))

    def _seal(
        self,
        ruleset: Ruleset[Any],
        state: Table,
        seat: str,
        awaited: Awaited,
        offer: Offer,
        creatures: Creatures,
    ) -> dict[str, Any]:
        """Return the commitment to the choice that the bot prefers, and remember what opens it."""
        inner = min(
            offer.seals,
            key=lambda each: (
                (self._taste.rank(each.type) or 0) + self._is_shunned(each),
                _aim(each, creatures),
                self._chance.random(),
            ),
        )
        choice = {"type": inner.type, **self._data(ruleset, awaited, inner, creatures)}
        salt = self._chance.randbytes(32)
        where = {"creature": awaited.creature, "prompt": awaited.prompt}
        self._sealed[awaited.prompt] = {**where, "choice": choice, "salt": salt.hex()}
        return {**where, "commitment": commitment_of(state, seat, awaited.prompt, salt, choice)}

    def _is_shunned(self, offer: Offer) -> int:
        said = [(value,) for value in offer.given.values()]
        return _FAR if any(not self._liked(values) for values in (*said, *offer.choices.values())) else 0

    def _liked(self, values: Sequence[Any]) -> Sequence[Any]:
        """Return *values* without the words that are shunned."""
        if not isinstance(values[0], str):
            return values
        return [value for value in values if value not in self._taste.shunned]

    def _data(
        self, ruleset: Ruleset[Any], awaited: Awaited, offer: Offer, creatures: Creatures
    ) -> dict[str, Any]:
        """Return the fields of one command that *offer* allows."""
        taken = {field.name for field in fields(ruleset.commands[offer.type])}
        named: dict[str, Any] = {"creature": offer.creature, "prompt": offer.prompt}
        data = {name: value for name, value in named.items() if value is not None and name in taken}
        data |= {**offer.given, **offer.written}
        for name, values in offer.choices.items():
            data[name] = self._chosen(name, values, offer, creatures)
        if awaited.wants:
            data["faces"] = [
                self._chance.randint(1, int(wanted.rpartition(":d")[2])) for wanted in awaited.wants
            ]
        return {name: _plain(value) for name, value in data.items()}

    def _chosen(self, name: str, values: Sequence[Any], offer: Offer, creatures: Creatures) -> Any:  # noqa: ANN401 - choices are of any kind
        if name in _TO:
            return min(values, key=lambda value: (_distance(value, offer, creatures), self._chance.random()))
        if name in _AT:
            foes = [value for value in values if _are_foes(value, offer, creatures)]
            return self._chance.choice(foes or list(values))
        return self._chance.choice(self._liked(values) or values)


def creatures_of(state: Table) -> Creatures:
    """Return the creatures in a state of one of the two books, by id."""
    found: Creatures = getattr(state, "creatures")  # noqa: B009 - both rulesets' tables have them, the core's none
    return found


def stands(creature: Any) -> bool:  # noqa: ANN401 - a creature of either rulebook
    """Return whether a creature can still fight."""
    return creature.hp > 0 and not any(getattr(creature, name, False) for name in _DOWN)


def _aim(offer: Offer, creatures: Creatures) -> int:
    """Return an offer's rank by its aim: 0 targets a standing foe, a step is 1 plus its distance to one."""
    said = {**offer.choices, **offer.given}
    for name in _AT:
        if name in said:
            values = said[name] if name in offer.choices else (said[name],)
            return 0 if any(_are_foes(value, offer, creatures) for value in values) else _FAR
    for name in _TO:
        if name in said:
            return 1 + min(
                _distances(said[name] if name in offer.choices else (said[name],), offer, creatures)
            )
    return _FAR // 2


def _are_foes(value: object, offer: Offer, creatures: Creatures) -> bool:
    names = [value] if isinstance(value, str) else list(value) if isinstance(value, (tuple, list)) else []
    side = _side(offer.creature, creatures)
    return bool(names) and all(
        isinstance(name, str)
        and name in creatures
        and creatures[name].sheet.side != side
        and stands(creatures[name])
        for name in names
    )


def _distances(values: Iterable[Any], offer: Offer, creatures: Creatures) -> Iterator[int]:
    yield from (_distance(value, offer, creatures) for value in values)
    yield _FAR


def _distance(value: Any, offer: Offer, creatures: Creatures) -> int:  # noqa: ANN401 - a cell, or a path of them
    """Return the distance in cells from the end of a step to the nearest standing foe."""
    cell = value[-1] if value and isinstance(value[-1], (tuple, list)) else value
    side = _side(offer.creature, creatures)
    foes = [each.position for each in creatures.values() if each.sheet.side != side and stands(each)]
    if len(cell) < 2:  # noqa: PLR2004 - a cell has two numbers
        return _FAR
    return min((max(abs(cell[0] - x), abs(cell[1] - y)) for x, y in foes), default=_FAR)


def _side(name: str | None, creatures: Creatures) -> str | None:
    return creatures[name].sheet.side if name is not None and name in creatures else None


def _plain(value: Any) -> Any:  # noqa: ANN401 - data of any kind
    return [_plain(item) for item in value] if isinstance(value, (tuple, list)) else value
