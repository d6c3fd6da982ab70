"""Check who may act: the seat's own creature, in the right phase, able, and with the floor of its group.

Every command of a creature is decided in the world of its group, on what that group knows; so a refusal tells
nothing that the group did not know already.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar, ParamSpec, Protocol

from service.rules.kernel.messages import TABLE, Actor, Command, Refused, Scope
from service.rules.kernel.records import record
from service.rules.kernel.rulebook import rule
from service.rules.rise.creatures.creature import Creature, is_able
from service.rules.rise.state import State
from service.rules.table.table import GM

P = ParamSpec("P")


class Sent(Protocol):
    """Anything that somebody sends."""

    @property
    def by(self) -> Actor: ...


@record
class Act(Command[State]):
    """A command of one creature, given inside its group."""

    abstract: ClassVar[bool] = True
    creature: str

    def place(self, view: State) -> str:
        return place_of(view, self.creature)

    def scope(self, state: State) -> Scope | None:
        return super().scope(state)  # said here so that the service knows these commands as sealed ones


@rule("RI-INFO-1", "P25-26")
def place_of(view: State, creature: str) -> str:
    """Until the announcement what a group does is decided and known in that group alone."""
    group = view.group_of(creature)
    return group if group is not None and group in view.apart else TABLE


@rule("RI-ROUND-5", "service ruling")
def gm(command: Sent) -> None:
    """What ends combat, and whatever the rules leave to discretion, is the GM's to say."""
    if command.by.role != GM:
        raise Refused("not_gm", f"{command.by.seat} is not the gm")


def own(view: State, command: Sent, creature: str) -> Creature:
    """Return the creature if the command's seat controls it."""
    found = view.creatures.get(creature)
    if found is None:
        raise Refused("no_such_creature", f"there is no creature {creature}", "TABLE-SEAT-1")
    if view.controller(creature) != command.by.seat:
        raise Refused("not_your_creature", f"{command.by.seat} does not control {creature}", "TABLE-SEAT-1")
    return found


@rule("RI-INFO-3", "P25")
def in_phase(view: State, command: Act, phase: str) -> Creature:
    """Whether something is allowed is judged on what the group knows, so no refusal tells it more."""
    found = own(view, command, command.creature)
    if view.phase != phase:
        wrong_phase(command.type, phase)
    if view.here == TABLE:
        still_resolving(command.creature)
    return found


@rule("RI-ACT-2", "P15-16")
def wrong_phase(what: str, phase: str) -> None:
    """Standard and minor actions belong to the action phase, one standard action each round."""
    raise Refused("wrong_phase", f"{what} is for the {phase} phase")


@rule("RI-RES-5", "P26, P52", settles=("C-01",))
def still_resolving(creature: str) -> None:
    """What groups did is announced together when all are done; a group that waits for others' Swift waits."""
    raise Refused("groups_still_resolving", f"the group of {creature} waits for another")


@rule("RI-ACT-10", "RF", settles=("C-36",))
def able(creature: Creature, *, excused: bool = False) -> None:
    """A creature that is unconscious, defeated or dead, as far as its own group knows, takes no actions."""
    if not excused and not is_able(creature):
        raise Refused("actor_incapacitated", f"{creature.id} cannot act")
    if creature.budget.bolts:
        raise Refused("mount_bolts", f"{creature.id} goes where it likes this round", "RI-MOUNT-1")


def is_allowed(check: Callable[P, object], *given: P.args, **more: P.kwargs) -> bool:
    """Tell whether *check*, with these arguments, refuses nothing; options ask so what commands ask."""
    try:
        check(*given, **more)
    except Refused:
        return False
    return True
