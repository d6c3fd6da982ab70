"""Check who may act: the seat's own creature, in the right phase, able, and with the floor of its group.

Every command of a creature is decided in the world of its group, on what that group knows; so a refusal
reveals nothing that the group did not know already.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar, Final, ParamSpec, Protocol

from service.rules.kernel.messages import TABLE, Actor, Command, Refused, Scope
from service.rules.kernel.meter import spend
from service.rules.kernel.records import Sealed, record
from service.rules.kernel.rulebook import RULING, Rule, enforces
from service.rules.kernel.values import CreatureId
from service.rules.rise import books
from service.rules.rise.creatures.creature import Creature, is_able
from service.rules.rise.creatures.state import State
from service.rules.table.table import GM

RI_INFO_1: Final = Rule(
    "RI-INFO-1",
    "Until the announcement what a group does is decided and known in that group alone.",
    books.TIME.at("Resolving Actions"),
)
RI_ROUND_5: Final = Rule(
    "RI-ROUND-5",
    "The GM decides when combat ends, and everything that the rules leave to discretion.",
    RULING,
)
RI_INFO_3: Final = Rule(
    "RI-INFO-3",
    "Whether something is allowed is judged on what the group knows, so no refusal reveals more to it.",
    books.TIME.at("Resolving Actions"),
)
RI_ACT_2: Final = Rule(
    "RI-ACT-2",
    "Standard and minor actions belong to the action phase, one standard action each round.",
    books.TIME.at("Standard Actions"),
)
RI_RES_5: Final = Rule(
    "RI-RES-5",
    "What groups did is announced together when all are done; a group that waits for others' Swift waits.",
    (books.TIME.at("Resolving Actions"), books.TIME.at("Action Resolution Summary")),
    settles=("C-01",),
)
RI_ACT_10: Final = Rule(
    "RI-ACT-10",
    "A creature that is unconscious, defeated or dead, as far as its own group knows, takes no actions.",
    books.REFERENCE.at("Circumstances and Debuffs"),
    settles=("C-36",),
)


P = ParamSpec("P")


class Sent(Protocol):
    """Anything that somebody sends."""

    @property
    def type(self) -> str: ...
    @property
    def by(self) -> Actor: ...


@record
class Act(Command[State]):
    """A command of one creature, given inside its group."""

    abstract: ClassVar[bool] = True
    creature: CreatureId

    def place(self, view: State) -> str:
        return place_of(view, self.creature)

    def scope(self, state: State) -> Scope | None:
        return super().scope(state)  # said here so that the service knows these commands as sealed ones


@enforces(RI_INFO_1)
def place_of(view: State, creature: str) -> str:
    """Return where *creature* decides: its group while groups are apart, the table otherwise."""
    group = view.group_of(creature)
    return group if group is not None and group in view.apart else TABLE


@enforces(RI_ROUND_5)
def gm(command: Sent) -> None:
    """Refuse everybody but the GM."""
    if command.by.role != GM:
        raise Refused(
            "not_gm",
            f"{command.type} is for the gm alone, and {command.by.seat} is not the gm",
            RI_ROUND_5.id,
        )


def own(view: State, command: Sent, creature: str) -> Creature:
    """Return the creature if the command's seat controls it."""
    found = view.creatures.get(creature)
    if found is None:
        raise Refused("no_such_creature", f"there is no creature {creature}", "TABLE-SEAT-1")
    if view.controller(creature) != command.by.seat:
        raise Refused("not_your_creature", f"{command.by.seat} does not control {creature}", "TABLE-SEAT-1")
    return found


@enforces(RI_INFO_3)
def in_phase(view: State, command: Act, phase: str) -> Creature:
    """Return the creature of *command*; refuse it in another phase, or while its group waits."""
    found = own(view, command, command.creature)
    if view.phase != phase:
        wrong_phase(command.type, phase)
    if view.here == TABLE:
        not_read_by(view, command)
        still_resolving(command.creature)
    return found


@enforces(RI_INFO_1)
def not_read_by(view: State, command: Act) -> None:
    """Refuse the GM a creature that has become the GM's in a phase whose world is sealed from the GM."""
    group = view.group_of(command.creature) or ""
    kept = view.worlds.get(group)
    if command.by.role == GM and isinstance(kept, Sealed) and f"seat:{GM}" not in kept.audience:
        seats = ", ".join(reader.partition(":")[2] for reader in kept.audience)
        detail = (
            f"{group} is sealed from the gm until the announcement; {seats} acts for {command.creature}, or "
        )
        raise Refused("groups_still_resolving", f"{detail}whom change_seat gives it to", "RI-INFO-6")


@enforces(RI_ACT_2)
def wrong_phase(what: str, phase: str) -> None:
    """Refuse a command of another phase."""
    raise Refused("wrong_phase", f"{what} is for the {phase} phase", RI_ACT_2.id)


@enforces(RI_RES_5)
def still_resolving(creature: str) -> None:
    """Refuse a command of a group that waits for others."""
    raise Refused("groups_still_resolving", f"the group of {creature} waits for another", RI_RES_5.id)


@enforces(RI_ACT_10)
def able(creature: Creature, *, excused: bool = False) -> None:
    """Refuse a creature that cannot act."""
    if not excused and not is_able(creature):
        raise Refused("actor_incapacitated", f"{creature.id} cannot act", RI_ACT_10.id)
    if creature.budget.bolts:
        raise Refused("mount_bolts", f"{creature.id} goes where it likes this round", "RI-MOUNT-1")


def is_allowed(check: Callable[P, object], *given: P.args, **more: P.kwargs) -> bool:
    """Return whether *check*, with these arguments, refuses nothing; options ask so what commands ask."""
    spend()
    try:
        check(*given, **more)
    except Refused:
        return False
    return True
