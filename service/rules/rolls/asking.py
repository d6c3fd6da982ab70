"""Ask people for the dice they throw: a prompt that names the dice, and the command that answers it.

The step that needs the dice runs again once the faces are declared; its first try leaves nothing behind. If
something else changes what it needs, such as a ruling, the dice are withdrawn, and it runs again at once.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar, Final

from service.dice.values import DeclaredFacesError, check_declared
from service.rules.kernel.messages import TABLE, Awaited, Command, Emits, Event, Offer, Refused
from service.rules.kernel.records import changed, record, with_key
from service.rules.kernel.rulebook import RULING, Rule, enforces
from service.rules.kernel.values import (
    Count,
    PromptId,
    RollerId,
    RollPurpose,
    SeatId,
    ShownFaces,
    StreamName,
)
from service.rules.rolls.chance import Chance, DiceNeeded, PoolDie, names_of
from service.rules.table.stack import Frame
from service.rules.table.table import GM, DeclaredFaces, Table

TABLE_DICE_1: Final = Rule(
    "TABLE-DICE-1",
    "Dice that people throw are asked for by name, entered by the seat that throws for their owner, and "
    "withdrawn once a ruling has changed what is rolled.",
    RULING,
)


@record
class DiceFrame(Frame[Table]):
    """Waits for the faces of one roll that people throw themselves."""

    kind: ClassVar[str] = "dice"
    owner: RollerId
    stream: StreamName
    purpose: RollPurpose
    pool: tuple[PoolDie, ...]
    """The dice to throw, in order."""
    known: Count = 0
    """Dice known before."""

    def waiting(self, state: Table) -> tuple[Awaited, ...]:
        return (
            Awaited(
                prompt=self.path,
                seat=state.controller(self.owner),
                accepts=(ThrowDice.type,),
                creature=None if self.owner == "table" else self.owner,
                wants=names_of(self.pool),
            ),
        )

    def advance(self, state: Table, chance: Chance) -> Emits[Table]:
        """Raise `AssertionError`, because a dice prompt waits until it is answered."""
        raise AssertionError(self.path)


@record
class DiceRequested(Event[Table]):
    """A seat is asked to throw dice and declare their faces."""

    type: ClassVar[str] = "dice_requested"
    prompt: PromptId
    owner: RollerId
    stream: StreamName
    purpose: RollPurpose
    pool: tuple[PoolDie, ...]
    """The dice to throw, in order."""
    known: Count = 0
    """Dice known before."""

    def evolve(self, state: Table) -> Table:
        declared = state.declared_faces
        before = declared.get(self.stream)
        if before is not None and self.known < len(before.faces):  # those of a roll that has changed since
            kept = DeclaredFaces(
                seat=before.seat, faces=before.faces[: self.known], dice=before.dice[: self.known]
            )
            declared = with_key(declared, self.stream, kept)
        return changed(state, declared_faces=declared).pushed(
            DiceFrame(
                path=self.prompt,
                owner=self.owner,
                stream=self.stream,
                purpose=self.purpose,
                pool=self.pool,
                known=self.known,
            )
        )


@record
class DiceWithdrawn(Event[Table]):
    """The step that asked for dice needs others now, or none."""

    type: ClassVar[str] = "dice_withdrawn"
    prompt: PromptId

    def evolve(self, state: Table) -> Table:
        return state.popped(self.prompt)


@record
class DiceDeclared(Event[Table]):
    """A seat declared the faces of a roll."""

    type: ClassVar[str] = "dice_declared"
    prompt: PromptId
    stream: StreamName
    seat: SeatId
    faces: ShownFaces

    def evolve(self, state: Table) -> Table:
        before = state.declared_faces.get(self.stream)
        dice = names_of(state.top_frame(DiceFrame).pool)
        faces = self.faces
        if before is not None:
            faces, dice = (*before.faces, *faces), (*before.dice, *dice)
        shown = DeclaredFaces(seat=self.seat, faces=faces, dice=dice)
        declared = with_key(state.declared_faces, self.stream, shown)
        return changed(state.popped(self.prompt), declared_faces=declared)


@enforces(TABLE_DICE_1)
def ask(state: Table, wanted: DiceNeeded) -> Emits[Any]:
    """Emit the request for dice that a person throws.

    The path of the prompt continues that of the frame that needs the dice.
    """
    top = state.top
    assert top is not None, "only frames throw dice"
    after = f"/{wanted.known}" if wanted.known else ""  # dice that earlier ones of the same roll have added
    return (
        yield DiceRequested(
            prompt=f"{top.path}/dice/{wanted.stream}{after}",
            owner=wanted.owner,
            stream=wanted.stream,
            purpose=wanted.purpose,
            pool=wanted.pool,
            known=wanted.known,
            because=("TABLE-DICE-1",),
        )
    )


def withdraw(asked: DiceFrame) -> Emits[Any]:
    """Emit that *asked* dice are not asked for any more."""
    return (yield DiceWithdrawn(prompt=asked.path, because=("TABLE-DICE-1",)))


@record
class ThrowDice(Command[Table]):
    """Declare the faces of the dice that a prompt asks for, in the prompt's order."""

    type: ClassVar[str] = "throw_dice"
    sentence: ClassVar[str] = "Declare the dice that were thrown"
    prompt: PromptId
    faces: ShownFaces

    def place(self, view: Table) -> str:
        """Return the group whose world asks for these dice, or the table."""
        for place in view.apart:
            top = view.at(place).top
            if top is not None and top.path == self.prompt:
                return place
        return TABLE

    def check(self, view: Table) -> None:
        frame = view.top
        if not isinstance(frame, DiceFrame) or frame.path != self.prompt:
            raise Refused("prompt_gone", f"no dice are asked for at {self.prompt}", "TABLE-DICE-1")
        if self.by.seat not in (view.controller(frame.owner), GM):
            raise Refused(
                "not_your_prompt", f"{self.by.seat} does not throw for {frame.owner}", "TABLE-DICE-1"
            )
        try:
            check_declared(self.faces, [pip.sides for pip in frame.pool])
        except DeclaredFacesError as fault:
            raise Refused("faces_not_possible", str(fault), "TABLE-DICE-1") from fault

    def decide(self, state: Table) -> Emits[Table]:
        frame = state.top_frame(DiceFrame)
        return (
            yield DiceDeclared(
                prompt=self.prompt,
                stream=frame.stream,
                seat=self.by.seat,
                faces=self.faces,
                because=("TABLE-DICE-1",),
            )
        )

    @classmethod
    def offers(cls, view: Table, awaited: Awaited) -> Iterator[Offer]:
        frame = view.top
        if isinstance(frame, DiceFrame) and frame.path == awaited.prompt:
            faces = tuple(1 for _ in frame.pool)
            yield Offer(type=cls.type, prompt=awaited.prompt, given={"faces": faces})
