"""Ask somebody to choose while something is resolved, and hand the choice to what asked for it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

from service.rules.heartrush.permission import answering, own, running
from service.rules.heartrush.state import State
from service.rules.kernel.messages import Awaited, Command, Emits, Event, Offer, Refused
from service.rules.kernel.records import EMPTY, changed, record, with_key
from service.rules.rolls.chance import Chance
from service.rules.table.stack import Frame


@record
class Asking(Frame[State]):
    """A frame that asks for choices and finds them in `picked`."""

    picked: Mapping[str, str] = EMPTY


@record
class ChoiceFrame(Frame[State]):
    """One choice that is owed."""

    kind: ClassVar[str] = "choice"
    creature: str
    of: str
    """What is chosen: the name under which the choice is found."""
    options: tuple[str, ...]

    def waiting(self, state: State) -> tuple[Awaited, ...]:
        return (
            Awaited(
                prompt=self.path,
                seat=state.controller(self.creature),
                accepts=("choose",),
                creature=self.creature,
            ),
        )

    def advance(self, state: State, chance: Chance) -> Emits[State]:
        """Never come to this: a choice waits until it is made."""
        raise AssertionError(self.path)


@record
class ChoiceAsked(Event[State]):
    """Somebody is to choose."""

    type: ClassVar[str] = "choice_asked"
    choice: str
    creature: str
    of: str
    options: tuple[str, ...]

    def evolve(self, state: State) -> State:
        return state.pushed(
            ChoiceFrame(path=self.choice, creature=self.creature, of=self.of, options=self.options)
        )


@record
class Chosen(Event[State]):
    """A choice was made; whatever asked for it goes on from there."""

    type: ClassVar[str] = "chosen"
    choice: str
    creature: str
    of: str
    option: str

    def evolve(self, state: State) -> State:
        state = state.popped(self.choice)
        below: Any = state.top
        return state.put(changed(below, picked=with_key(below.picked, self.of, self.option)))


@record
class Choose(Command[State]):
    """Choose one of the options that a prompt lists."""

    type: ClassVar[str] = "choose"
    creature: str
    prompt: str
    option: str

    def check(self, view: State) -> None:
        if not isinstance(view.top, ChoiceFrame):
            running(view)  # out of combat too a choice may be owed
        own(view, self, self.creature)
        answering(view, self)
        frame = view.top_frame(ChoiceFrame)
        if frame.creature != self.creature:
            raise Refused("not_your_prompt", f"{self.prompt} is for {frame.creature}", "TABLE-SEAT-1")
        if self.option not in frame.options:
            raise Refused("params_missing", f"one of {', '.join(frame.options)}", "HR-ABIL-8")

    def decide(self, state: State) -> Emits[State]:
        frame = state.top_frame(ChoiceFrame)
        return (
            yield Chosen(
                choice=self.prompt,
                creature=self.creature,
                of=frame.of,
                option=self.option,
                because=("HR-ABIL-8",),
            )
        )

    @classmethod
    def offers(cls, view: State, awaited: Awaited) -> Iterator[Offer]:
        frame = view.top
        if isinstance(frame, ChoiceFrame):
            yield Offer(
                type=cls.type,
                creature=awaited.creature,
                prompt=awaited.prompt,
                choices={"option": frame.options},
            )
