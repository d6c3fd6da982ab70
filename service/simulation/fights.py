"""Play fights to their end, one for each seed, and return their results."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from random import Random
from typing import Any, Final, Literal

from service.core.fold import Registry
from service.rules.kernel.records import EMPTY
from service.rules.table.table import Table
from service.simulation.bot import Bot, Creatures, creatures_of, stands
from service.simulation.table import LocalTable, secrets_of
from service.simulation.taste import taste_of

ROUNDS: Final = 50
COMMANDS: Final = 5_000

Ended = Literal["one_side_stands", "nobody_stands", "combat_ended", "rounds", "commands", "nobody_acts"]


class FightStalled(RuntimeError):
    """The rules refused a command that they had offered: a bug in the service, not in the opening."""


@dataclass(frozen=True)
class FightLimits:
    """The numbers of rounds and commands after which a fight is stopped."""

    rounds: int = ROUNDS
    commands: int = COMMANDS


@dataclass(frozen=True)
class FightResult:
    """The result of a fight."""

    seed: str
    encounter: str
    ended: Ended
    winner: str | None
    """The only side that is left, or who won by the state's own word; None if nobody did."""
    rounds: int
    commands: int
    damage: Mapping[str, int]
    """The hit points that each creature lost; healing is not subtracted."""
    hp: Mapping[str, int]

    def data(self) -> dict[str, Any]:
        """Return the result as JSON data."""
        return {
            "seed": self.seed,
            "encounter": self.encounter,
            "ended": self.ended,
            "winner": self.winner,
            "rounds": self.rounds,
            "commands": self.commands,
            "damage": dict(self.damage),
            "hp": dict(self.hp),
        }


def play(
    registry: Registry,
    opening: Mapping[str, Any],
    seed: str,
    limits: FightLimits | None = None,
    tick: Callable[[], None] | None = None,
) -> FightResult:
    """Play one fight and return its result; the same *seed* plays the same fight.

    *tick* is called before each command. Raises `BadOpening` and `FightStalled`.
    """
    limits = limits or FightLimits()
    table = LocalTable(registry, opening, secrets_of(seed))
    taste = taste_of(table.ruleset.edition)
    creatures = creatures_of if taste.aims else _no_creatures
    bot = Bot(taste, Random(seed))  # noqa: S311 - a bot's choices are not dice
    lost = dict.fromkeys(creatures(table.state), 0)
    rounds = commands = 0
    while (ended := _ended(table.state, creatures)) is None:
        if table.state.round > limits.rounds:
            ended = "rounds"
            break
        move = bot.pick(table.ruleset, table.state) if commands < limits.commands else None
        if move is None:
            ended = "commands" if commands >= limits.commands else "nobody_acts"
            break
        if tick is not None:
            tick()
        before = _hit_points(creatures(table.state))
        commit, _ = table.send(move.seat, move.type, move.data)
        commands += 1
        if commit.refusal is not None:
            raise FightStalled(
                f"seed {seed}, command {commands}: {move} was offered, then refused: {commit.refusal}"
            )
        for name, hp in _hit_points(creatures(table.state)).items():
            lost[name] = lost.get(name, 0) + max(0, before.get(name, hp) - hp)
        rounds = max(rounds, table.state.round)
    standing = _sides(creatures(table.state))  # a fight of bots ends before the rules end it
    return FightResult(
        seed=seed,
        encounter=table.encounter,
        ended=ended,
        winner=standing[0] if len(standing) == 1 else table.state.won_by,
        rounds=rounds,
        commands=commands,
        damage=lost,
        hp=_hit_points(creatures(table.state)),
    )


def _no_creatures(state: Table) -> Creatures:
    """Return no creature: what a state of another ruleset holds is not known here."""
    del state
    return EMPTY


def _ended(state: Table, creatures: Callable[[Table], Creatures]) -> Ended | None:
    sides = _sides(creatures(state))
    if len(sides) > 1 or creatures is _no_creatures:
        return "combat_ended" if state.is_over else None
    return "one_side_stands" if sides else "nobody_stands"


def _sides(creatures: Creatures) -> list[str]:
    return sorted({each.sheet.side for each in creatures.values() if stands(each)})


def _hit_points(creatures: Creatures) -> dict[str, int]:
    return {name: each.hp for name, each in creatures.items()}
