"""Throw dice for a decision: derived from the committed seed, or taken from people who threw them.

A roll's name is (epoch, lane, stream, place); the place counts the earlier rolls of that stream in the state
the decision sees, so deciding again gives the same dice and a refused command draws none. If the policy of
the roller's side is `declared`, the faces must already be declared; if not, `DiceNeeded` stops the step and
the runner asks for them with a prompt.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import replace
from typing import Final, TypeVar

from service.dice.chain import OPEN_LANE, SEALED_LANE
from service.dice.source import Dice
from service.dice.values import Die, Roll, Term
from service.rules.kernel.messages import Fact, Private, Refused, Rolled, Scope
from service.rules.kernel.records import record
from service.rules.kernel.rulebook import RULING, Rule, enforces
from service.rules.kernel.values import Code, DieSides
from service.rules.rolls.draws import check_shown, kept, redirected
from service.rules.rolls.withheld import ROLLS, open_part, scope_of
from service.rules.table.table import Table

TABLE_SEED_4: Final = Rule(
    "TABLE-SEED-4", "Until all seeds are revealed, every command that needs a die is refused.", RULING
)


S = TypeVar("S", bound=Table)


@record
class PoolDie:
    """One die of a pool before it is thrown: what it is for, and its sides."""

    role: Code
    """What the die is for, such as `heart` or `weapon`."""
    sides: DieSides
    """The number of sides of the die."""


def names_of(pool: Sequence[PoolDie]) -> tuple[str, ...]:
    """Return the dice of *pool* as people read them, such as `heart:d8`."""
    return tuple([f"{pip.role}:d{pip.sides}" for pip in pool])


class DiceNeeded(Exception):
    """A step needs faces that a person throws: owner, roll, dice, and the number of faces known so far."""

    def __init__(
        self, owner: str, stream: str, purpose: Mapping[str, str], pool: Sequence[PoolDie], known: int = 0
    ) -> None:
        super().__init__(stream)
        self.owner = owner
        self.stream = stream
        self.purpose = purpose
        self.pool = tuple(pool)
        self.known = known


DICE_NOT_SEALED: Final = "dice_not_sealed"


@enforces(TABLE_SEED_4)
def check_sealed(state: Table) -> None:
    """Refuse dice until all seeds are revealed."""
    if not state.dice_sealed:
        raise Refused(
            DICE_NOT_SEALED,
            "each listed seat sends commit_seed and then reveal_seed, or is waived, before dice fall",
            "TABLE-SEED-4",
        )


class Chance:
    """The source of chance for a decision: faces by name, and the link of an epoch that closes."""

    def __init__(self, dice: Dice) -> None:
        self.dice = dice

    def throw(  # noqa: PLR0913 - a roll has all of these; callers give only what it needs
        self,
        state: S,
        *,
        owner: str,
        stream: str,
        purpose: Mapping[str, str],
        pool: Sequence[PoolDie],
        drop: Callable[[Sequence[int]], Sequence[int]] | None = None,
        more: Callable[[Sequence[int]], Sequence[PoolDie]] | None = None,
        terms: Sequence[Term] = (),
    ) -> Generator[Fact[S], S, tuple[S, Roll]]:
        """Emit one roll of *pool* and return it with the state that counts it.

        *owner* is the creature (or `table`) whose side's policy applies; *drop* takes the faces in order of
        the pool and returns the indices that do not count (advantage and disadvantage); *more* takes the
        faces so far and returns the dice they add, none if the roll is complete (exploding dice).
        A line that continues another keeps that line's dice for the same rolls; from the first roll that
        differs the stream draws from this line's own epoch. Raises `DiceNeeded` and `Refused`.
        """
        first = state.drawn(OPEN_LANE, stream)
        name = kept(state, first, purpose, [pip.sides for pip in pool], grows=more is not None)
        if name != first:
            state = yield redirected(first, name)
        declared = state.declared_faces.get(stream) if state.dice_policy(owner) == "declared" else None
        by = declared.seat if declared else None
        faces: Sequence[int] = ()
        added: Sequence[PoolDie] = pool
        pool = ()
        while added:
            pool = (*pool, *added)
            if state.dice_policy(owner) != "declared":
                check_sealed(state)
                # A longer roll begins with the faces of the shorter one: what was shown stays as it was.
                sides = [pip.sides for pip in pool]
                check_shown(state, name, sides)
                faces = self.dice.faces(name.lane, name.epoch, stream, name.place, sides)
            elif declared is None or declared.dice[: len(pool)] != names_of(pool):
                raise DiceNeeded(owner, stream, purpose, added, known=len(faces))
            else:
                faces = declared.faces[: len(pool)]
            added = more(faces) if more else ()
        dropped = frozenset(drop(faces)) if drop else frozenset()
        roll = Roll(
            name=name,
            purpose=tuple(purpose.items()),
            dice=tuple(
                Die(role=pip.role, sides=pip.sides, face=face, dropped=i in dropped)
                for i, (pip, face) in enumerate(zip(pool, faces, strict=True))
            ),
            terms=tuple(terms),
            source="declared" if by else "seeded",
            by=by,
        )
        state = yield from _emit_roll(state, owner, roll)
        return state, roll

    def throw_sealed(
        self,
        state: S,
        scope: Scope,
        *,
        stream: str,
        purpose: Mapping[str, str],
        pool: Sequence[PoolDie],
        terms: Sequence[Term] = (),
    ) -> Generator[Private[S], S, tuple[S, Roll]]:
        """Emit one roll, which may stay sealed after its round, to the audience of *scope* alone.

        It is rolled in the sealed lane and always from the seed, because declared faces would prove nothing.
        """
        check_sealed(state)
        first = state.drawn(SEALED_LANE, stream)
        name = kept(state, first, purpose, [pip.sides for pip in pool], grows=False)
        if name != first:
            state = yield Private(scope=scope, event=redirected(first, name))
        sides = [pip.sides for pip in pool]
        check_shown(state, name, sides)
        faces = self.dice.faces(name.lane, name.epoch, stream, name.place, sides)
        dice = tuple(
            Die(role=pip.role, sides=pip.sides, face=face) for pip, face in zip(pool, faces, strict=True)
        )
        roll = Roll(name=name, purpose=tuple(purpose.items()), dice=dice, terms=tuple(terms))
        state = yield Private(scope=scope, event=Rolled(roll=roll))
        return state, roll

    def amend(
        self,
        state: S,
        *,
        owner: str,
        roll: Roll,
        pool: Sequence[PoolDie] = (),
        drop: Callable[[Sequence[int]], Sequence[int]] | None = None,
        terms: Sequence[Term] = (),
    ) -> Generator[Fact[S], S, tuple[S, Roll]]:
        """Emit a roll again that gained dice or terms after it was shown, with the same name and all dice.

        Added dice take the next words of the roll, after all shown ones. *drop* is called with all faces;
        without it, dropped dice stay dropped and added ones count.
        """
        faces = [die.face for die in roll.dice]
        by = roll.by
        if pool:
            added, by = self._added(state, owner, roll, pool)
            faces += added
        shown = [*roll.dice, *(Die(role=p.role, sides=p.sides, face=1) for p in pool)]
        gone = [i for i, die in enumerate(shown) if die.dropped] if drop is None else drop(faces)
        roll = replace(
            roll,
            dice=tuple(
                replace(die, face=face, dropped=i in gone)
                for i, (die, face) in enumerate(zip(shown, faces, strict=True))
            ),
            terms=(*roll.terms, *terms),
            source="declared" if by else "seeded",
            by=by,
        )
        state = yield from _emit_roll(state, owner, roll)
        return state, roll

    def _added(
        self, state: Table, owner: str, roll: Roll, pool: Sequence[PoolDie]
    ) -> tuple[list[int], str | None]:
        """Return the faces of dice added to *roll*, and who threw them; raises `DiceNeeded`."""
        name = roll.name
        if state.dice_policy(owner) == "declared":
            declared = state.declared_faces.get(name.stream)
            if declared is None or declared.dice != names_of(pool):
                raise DiceNeeded(owner, name.stream, {k: str(v) for k, v in roll.purpose}, pool)
            return list(declared.faces), declared.seat
        check_sealed(state)
        sides = [*(die.sides for die in roll.dice), *(pip.sides for pip in pool)]
        check_shown(state, name, sides)
        found = self.dice.faces(name.lane, name.epoch, name.stream, name.place, sides)
        return list(found[len(roll.dice) :]), None


def _emit_roll(state: S, owner: str, roll: Roll) -> Generator[Fact[S], S, S]:
    """Emit *roll*; if its flat parts are GM-only, emit its dice to all and the whole roll to the GM."""
    if ROLLS not in state.gm_only_of(owner):
        return (yield Rolled(roll=roll))
    yield Rolled(roll=open_part(roll))
    return (yield Private(scope=scope_of(owner), event=Rolled(roll=roll)))


class UnsealedDice:
    """Dice before they are sealed: a command that throws one is refused before it reads a face."""

    def faces(self, lane: int, epoch: int, stream: str, place: int, sides: Sequence[int]) -> tuple[int, ...]:
        """Raise `AssertionError`, because no die can be thrown yet."""
        raise AssertionError(f"{epoch}/{lane}/{stream}#{place} of {sides} was thrown without dice")

    def link(self, lane: int, epoch: int) -> bytes:
        """Return 32 zero bytes, because the decision is discarded."""
        return bytes(32)


class DieUnknown(Exception):
    """A die would be thrown, and nothing may depend on its face yet."""


class UnknownDice:
    """Dice of which no face may be known: throwing one raises `DieUnknown`."""

    def faces(self, lane: int, epoch: int, stream: str, place: int, sides: Sequence[int]) -> tuple[int, ...]:
        """Raise `DieUnknown`."""
        raise DieUnknown(f"{epoch}/{lane}/{stream}#{place} of {sides}")

    def link(self, lane: int, epoch: int) -> bytes:
        """Raise `DieUnknown`."""
        raise DieUnknown(f"{epoch}/{lane}")
