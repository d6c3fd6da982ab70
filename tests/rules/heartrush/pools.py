"""Throw a bare pool of dice in a test: the sides, the net advantage, and the faces they show."""

from __future__ import annotations

from collections.abc import Sequence

from service.dice.values import Roll
from service.rules.heartrush.rolling.rolls import Edge, throw
from service.rules.rolls.chance import Chance, PoolDie
from tests.rules.heartrush.kit import begun


class Faces:
    """A source of dice that shows the faces it was told, once."""

    def __init__(self, faces: Sequence[int]) -> None:
        self.told = tuple(faces)

    def faces(self, lane: int, epoch: int, stream: str, place: int, sides: Sequence[int]) -> tuple[int, ...]:
        """Return the faces told, which must be as many as the dice asked for."""
        assert len(self.told) == len(sides), f"{len(sides)} dice were asked for"
        return self.told

    def link(self, lane: int, epoch: int) -> bytes:
        """Return a link nobody uses."""
        return bytes(32)


def thrown(pool: Sequence[int], levels: int, faces: Sequence[int]) -> Roll:
    """Return the roll of dice with these sides at a net advantage of *levels*."""
    state = begun({"pia": (0, 0), "orc": (5, 0)}, declared_sides=[]).state
    edges = (Edge(levels, "a test", "HR-AD-3"),)
    tale = throw(
        state,
        Chance(Faces(faces)),
        owner="pia",
        stream="pia/test",
        purpose={"what": "test"},
        pool=[PoolDie(role="die", sides=sides) for sides in pool],
        edges=edges,
    )
    fact = next(tale)
    try:
        tale.send(fact.evolve(state))
    except StopIteration as done:
        roll: Roll = done.value[1]
        return roll
    raise AssertionError("one roll tells one fact")
