"""Roll behind the GM's screen: only the GM sees the dice, until they are shown or the encounter closes.

Everybody sees that the GM rolled, and nothing else about the roll. The dice come from the sealed lane, whose
seed is disclosed at the end; then everybody can check that the GM did not choose them.
"""

from __future__ import annotations

from typing import ClassVar, Final

from service.dice.bounds import TooManyDice, check_asked
from service.dice.values import Term
from service.rules.kernel.messages import Command, Emits, Event, Private, Refused, Scope
from service.rules.kernel.records import changed, record
from service.rules.kernel.rulebook import RULING, Rule, enforces
from service.rules.kernel.values import (
    Bonus,
    DieSides,
    NumberFromOne,
    Occasion,
    PromptId,
    RollMatter,
    ScreenRollNumber,
    Total,
)
from service.rules.rolls.chance import Chance, PoolDie
from service.rules.table.stack import Frame
from service.rules.table.table import GM, Screen, Table

TABLE_SCREEN_1: Final = Rule(
    "TABLE-SCREEN-1",
    "The GM may roll in secret: everybody sees at once that a roll was made, and its dice at the end.",
    RULING,
)
TABLE_SCREEN_2: Final = Rule(
    "TABLE-SCREEN-2",
    "The GM may show a secret roll before the end; everybody sees its dice from then on.",
    RULING,
)


BECAUSE = ("TABLE-SCREEN-1",)
STREAM = "gm/screen"
TEXT_LENGTH = 200
MOST_BONUS = 1000


def scope_of(state: Table, number: int) -> Scope:
    """Return the audience of roll *number* behind the screen, and the occasion that opens it for all."""
    return Scope(audience=state.behind_screen, opens=f"roll/{number}")


@record
class ScreenFrame(Frame[Table]):
    """Throws the dice of a roll behind the screen; it is popped within the same command."""

    kind: ClassVar[str] = "screen"
    number: NumberFromOne
    dice: tuple[DieSides, ...]
    """The dice to throw, each as its number of sides."""
    what: RollMatter
    bonus: Bonus

    def advance(self, state: Table, chance: Chance) -> Emits[Table]:
        scope = scope_of(state, self.number)
        terms = (Term(amount=self.bonus, what="bonus", rule=BECAUSE[0]),) if self.bonus else ()
        state, roll = yield from chance.throw_sealed(
            state,
            scope,
            stream=STREAM,
            purpose={"what": self.what},
            pool=tuple(PoolDie(role="screen", sides=sides) for sides in self.dice),
            terms=terms,
        )
        rolled = ScreenRolled(prompt=self.path, roll=self.number, total=roll.total, because=BECAUSE)
        return (yield Private(scope=scope, event=rolled))


@record
class ScreenRollAnnounced(Event[Table]):
    """The GM rolled something behind the screen; `roll` is the roll's ordinal."""

    type: ClassVar[str] = "screen_roll_announced"
    roll: ScreenRollNumber

    def evolve(self, state: Table) -> Table:
        return changed(state, screen=changed(state.screen, rolls=self.roll))


@record
class ScreenRollBegun(Event[Table]):
    """The dice of a roll behind the screen, and their purpose."""

    type: ClassVar[str] = "screen_roll_begun"
    prompt: PromptId
    roll: ScreenRollNumber
    dice: tuple[DieSides, ...]
    """The dice that are thrown, each as its number of sides."""
    what: RollMatter
    bonus: Bonus

    def evolve(self, state: Table) -> Table:
        frame = ScreenFrame(
            path=self.prompt, number=self.roll, dice=self.dice, what=self.what, bonus=self.bonus
        )
        return state.pushed(frame)


@record
class ScreenRolled(Event[Table]):
    """The total of a roll behind the screen."""

    type: ClassVar[str] = "screen_rolled"
    prompt: PromptId
    roll: ScreenRollNumber
    total: Total

    def evolve(self, state: Table) -> Table:
        return state.popped(self.prompt)


@record
class ScreenRollShown(Event[Table]):
    """The GM showed a roll that was made behind the screen."""

    type: ClassVar[str] = "screen_roll_shown"
    roll: ScreenRollNumber
    occasion: Occasion

    def evolve(self, state: Table) -> Table:
        shown = tuple(sorted((*state.screen.shown, self.roll)))
        return changed(state, screen=Screen(rolls=state.screen.rolls, shown=shown))


@enforces(TABLE_SCREEN_1)
@record
class RollBehindScreen(Command[Table]):
    """Roll in secret, as the GM: everybody sees at once that a roll was made, and its dice at the end."""

    type: ClassVar[str] = "roll_behind_screen"
    sentence: ClassVar[str] = "Roll behind the screen"
    dice: tuple[DieSides, ...]
    """The sides of each die."""
    what: RollMatter
    bonus: Bonus = 0

    def check(self, view: Table) -> None:
        if self.by.role != GM:
            raise Refused(
                "not_gm",
                f"{self.type} is for the gm alone, and {self.by.seat} is not the gm",
                TABLE_SCREEN_1.id,
            )
        try:
            check_asked((self.dice,))
        except TooManyDice as fault:
            raise Refused(fault.code, fault.detail, TABLE_SCREEN_1.id) from fault
        if not self.dice or not 0 < len(self.what) <= TEXT_LENGTH or abs(self.bonus) > MOST_BONUS:
            text = f"dice, a purpose of 1 to {TEXT_LENGTH} characters, and a bonus of at most {MOST_BONUS}"
            raise Refused("params_missing", text, TABLE_SCREEN_1.id)

    def decide(self, state: Table) -> Emits[Table]:
        number = state.screen.rolls + 1
        state = yield ScreenRollAnnounced(roll=number)
        begun = ScreenRollBegun(
            prompt=f"screen/{number}",
            roll=number,
            dice=self.dice,
            what=self.what,
            bonus=self.bonus,
            because=BECAUSE,
        )
        return (yield Private(scope=scope_of(state, number), event=begun))


@enforces(TABLE_SCREEN_2)
@record
class ShowRoll(Command[Table]):
    """Show a secret roll, as the GM; everybody sees its dice from then on."""

    type: ClassVar[str] = "show_roll"
    sentence: ClassVar[str] = "Show a roll"
    roll: ScreenRollNumber

    def check(self, view: Table) -> None:
        if self.by.role != GM:
            raise Refused(
                "not_gm",
                f"{self.type} is for the gm alone, and {self.by.seat} is not the gm",
                TABLE_SCREEN_2.id,
            )
        if not 1 <= self.roll <= view.screen.rolls:
            raise Refused(
                "no_such_roll", f"there was no roll {self.roll} behind the screen", TABLE_SCREEN_2.id
            )
        if self.roll in view.screen.shown:
            raise Refused("already_shown", f"roll {self.roll} was shown before", TABLE_SCREEN_2.id)

    def decide(self, state: Table) -> Emits[Table]:
        return (yield ScreenRollShown(roll=self.roll, occasion=f"roll/{self.roll}"))
