"""Duel: two fighters choose in secret, the better choice strikes, and the last with breath left wins."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import ClassVar, Final, Literal

from service.rules import kit

Move = Literal["thrust", "cut", "parry"]
BEATS: Final[Mapping[Move, Move]] = {"thrust": "cut", "cut": "parry", "parry": "thrust"}

GAME: Final = kit.Book("Duel").at("Rules")
DUEL_1: Final = kit.Rule(
    "DUEL-1", "Each round both fighters choose a move in secret; then both moves are revealed.", GAME
)
DUEL_2: Final = kit.Rule(
    "DUEL-2", "The fighter whose move beats the other's rolls a d6; the other loses so much breath.", GAME
)
DUEL_3: Final = kit.Rule(
    "DUEL-3",
    "A fighter without breath has lost; until then another round follows, with dice of its own.",
    GAME,
)
DUEL_4: Final = kit.Rule("DUEL-4", "Thrust beats cut, cut beats parry, parry beats thrust.", GAME)
DUEL_5: Final = kit.Rule(
    "DUEL-5", "Once in a duel a fighter may give ground, and loses only half as much breath.", GAME
)


@kit.record
class State(kit.Table):
    """The breath of each fighter, who has given ground, and what they chose this round."""

    breath: Mapping[kit.CreatureId, kit.Count] = kit.EMPTY
    cornered: tuple[kit.CreatureId, ...] = ()
    """Who has given ground, and cannot again."""
    moves: Mapping[kit.CreatureId, Move | kit.Sealed[Move]] = kit.EMPTY
    winner: kit.CreatureId = ""

    @property
    def is_over(self) -> bool:
        return bool(self.winner)

    @property
    def won_by(self) -> str | None:
        return self.winner or None

    def has_creature(self, creature: str) -> bool:
        return creature in self.breath

    def other(self, fighter: str) -> str:
        return next(name for name in self.breath if name != fighter)

    def secret(self, fighter: str) -> kit.Scope:
        """Return who knows the move of *fighter*, and what reveals it."""
        return kit.Scope(audience=(f"seat:{self.controller(fighter)}",), opens=f"r{self.round}/reveal")


@kit.record
class Duel(kit.Opening):
    """Begin a duel of two fighters."""

    fighters: tuple[kit.CreatureId, kit.CreatureId]

    def creature_ids(self) -> tuple[str, ...]:
        return self.fighters

    def faults(self) -> Iterator[tuple[str, str]]:
        if self.fighters[0] == self.fighters[1]:
            yield "/fighters/1", "another id than the first fighter's"

    def begin(self) -> State:
        breath = dict.fromkeys(self.fighters, int(self.options["breath"]))
        return State(breath=breath, round=1).pushed(Round(path="duel"))


# --- frames: what waits for somebody, and what goes on by itself -----------------------------------------


@kit.enforces(DUEL_1)
@kit.record
class Round(kit.Frame[State]):
    """Ask both fighters for a move, in secret; then reveal both."""

    kind: ClassVar[str] = "duel_round"

    def waiting(self, state: State) -> tuple[kit.Awaited, ...]:
        missing = [name for name in state.breath if name not in state.moves]
        return tuple([self.asks(name, state.controller(name), state.round) for name in missing])

    def asks(self, name: str, seat: str, number: int) -> kit.Awaited:
        return kit.Awaited(prompt=f"r{number}/move/{name}", seat=seat, accepts=("choose",), creature=name)

    def advance(self, state: State, chance: kit.Chance) -> kit.Emits[State]:
        moves = {name: kit.unsealed(move) for name, move in state.moves.items()}
        return (yield Revealed(moves=moves, occasion=f"r{state.round}/reveal"))


@kit.enforces(DUEL_2)
@kit.record
class Strike(kit.Frame[State]):
    """Roll for the fighter whose move beats the other's, and wait for the answer to it."""

    kind: ClassVar[str] = "duel_strike"
    by: kit.CreatureId
    against: kit.CreatureId
    amount: kit.Count | None = None

    def waiting(self, state: State) -> tuple[kit.Awaited, ...]:
        if self.amount is None or self.against in state.cornered:
            return ()
        seat = state.controller(self.against)
        return (kit.Awaited(prompt=self.path, seat=seat, accepts=("answer",), creature=self.against),)

    def advance(self, state: State, chance: kit.Chance) -> kit.Emits[State]:
        if self.amount is not None:
            return (yield BreathLost(fighter=self.against, by=self.by, amount=self.amount))
        die = (kit.PoolDie(role="strike", sides=6),)
        stream, purpose = f"{self.by}/strike", {"what": "strike"}
        state, roll = yield from chance.throw(state, owner=self.by, stream=stream, purpose=purpose, pool=die)
        return (yield StrikeRolled(by=self.by, against=self.against, amount=roll.total))


@kit.enforces(DUEL_3)
@kit.record
class RoundEnd(kit.Frame[State]):
    """End the round, or the duel."""

    kind: ClassVar[str] = "duel_round_end"

    def advance(self, state: State, chance: kit.Chance) -> kit.Emits[State]:
        state = yield from kit.close_epoch(state, chance)
        lost = next((name for name, left in state.breath.items() if left == 0), None)
        return (yield RoundStarted(round=state.round + 1) if lost is None else Won(winner=state.other(lost)))


# --- events: what happened -------------------------------------------------------------------------------


@kit.record
class MoveChosen(kit.Event[State]):
    """A fighter chose a move; only its own seat knows which."""

    type: ClassVar[str] = "move_chosen"
    sentence: ClassVar[str] = "{fighter} will {move}"
    fighter: kit.CreatureId
    move: Move

    def evolve(self, state: State) -> State:
        scope = state.secret(self.fighter)
        move = kit.Sealed(audience=scope.audience, opens=scope.opens, value=self.move)
        return kit.changed(state, moves=kit.with_key(state.moves, self.fighter, move))


@kit.record
class Revealed(kit.Event[State]):
    """Both moves are revealed."""

    type: ClassVar[str] = "moves_revealed"
    sentence: ClassVar[str] = "the moves: {moves}"
    moves: Mapping[kit.CreatureId, Move]
    occasion: kit.Occasion

    def evolve(self, state: State) -> State:
        state = kit.changed(state, moves=kit.EMPTY).pushed(RoundEnd(path="end"))
        for by, move in self.moves.items():
            against = state.other(by)
            if BEATS[move] == self.moves[against]:
                state = state.pushed(Strike(path="strike", by=by, against=against))
        return state


@kit.record
class StrikeRolled(kit.Event[State]):
    """A strike is rolled, and the other fighter may answer it."""

    type: ClassVar[str] = "strike_rolled"
    sentence: ClassVar[str] = "{by} strikes {against} for {amount}"
    by: kit.CreatureId
    against: kit.CreatureId
    amount: kit.Count

    def evolve(self, state: State) -> State:
        return state.put(Strike(path="strike", by=self.by, against=self.against, amount=self.amount))


@kit.record
class BreathLost(kit.Event[State]):
    """A strike took breath."""

    type: ClassVar[str] = "breath_lost"
    sentence: ClassVar[str] = "{fighter} loses {amount} breath"
    fighter: kit.CreatureId
    by: kit.CreatureId
    amount: kit.Count
    gave_ground: bool = False

    def evolve(self, state: State) -> State:
        left = max(0, state.breath[self.fighter] - self.amount)
        cornered = (*state.cornered, self.fighter) if self.gave_ground else state.cornered
        breath = kit.with_key(state.breath, self.fighter, left)
        return kit.changed(state, breath=breath, cornered=cornered).popped("strike")


@kit.record
class RoundStarted(kit.Event[State]):
    """A round begins."""

    type: ClassVar[str] = "round_started"
    sentence: ClassVar[str] = "round {round} begins"
    round: kit.Round

    def evolve(self, state: State) -> State:
        return kit.changed(state, round=self.round).popped("end")


@kit.record
class Won(kit.Event[State]):
    """The duel is over."""

    type: ClassVar[str] = "duel_won"
    sentence: ClassVar[str] = "{winner} wins the duel"
    winner: kit.CreatureId

    def evolve(self, state: State) -> State:
        return kit.changed(state, winner=self.winner).popped("end").popped("duel")


# --- commands: what a seat may do ------------------------------------------------------------------------


@kit.enforces(DUEL_4)
@kit.record
class Choose(kit.AwaitedCommand[State]):
    """Choose a move in secret."""

    type: ClassVar[str] = "choose"
    move: Move

    def scope(self, state: State) -> kit.Scope:
        return state.secret(self.creature)

    def decide(self, state: State) -> kit.Emits[State]:
        chosen = MoveChosen(fighter=self.creature, move=self.move, because=("DUEL-4",))
        return (yield kit.Private(scope=state.secret(self.creature), event=chosen))


@kit.enforces(DUEL_5)
@kit.record
class Answer(kit.AwaitedCommand[State]):
    """Take a strike, or give ground."""

    type: ClassVar[str] = "answer"
    give_ground: bool

    def decide(self, state: State) -> kit.Emits[State]:
        strike = state.top
        assert isinstance(strike, Strike)
        amount = strike.amount or 0
        lost = amount // 2 if self.give_ground else amount
        return (
            yield BreathLost(fighter=self.creature, by=strike.by, amount=lost, gave_ground=self.give_ground)
        )


COUNTED: Final = kit.Counted(
    acts={"strike_rolled": "by"},
    harms={"breath_lost": kit.Harm(creature="fighter", source="by")},
)

DUEL: Final = kit.ruleset(
    "duel@1",
    "Duel",
    state=State,
    opening=Duel,
    messages=(
        *(Choose, Answer),
        *(MoveChosen, Revealed, StrikeRolled, BreathLost, RoundStarted, Won),
    ),
    frames=(Round, Strike, RoundEnd),
    options=(kit.OptionSpec(key="breath", text="The breath of each fighter.", values=(10, 6, 20)),),
    counted=COUNTED,
)
