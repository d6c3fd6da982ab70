"""Check who may act at all, in the ledger's order: lifecycle, actor's state, timing; costs come after.

Every command of a creature begins with `acting`; what needs priority goes on with `holding_priority`.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, Protocol

from service.rules.heartrush import books
from service.rules.heartrush.creatures.incapacity import check_able, is_confused_out_of
from service.rules.heartrush.creatures.lasting import barred
from service.rules.heartrush.means.timing import timing_of
from service.rules.heartrush.state import Creature, State, is_able
from service.rules.kernel.messages import Actor, Awaited, Refused
from service.rules.kernel.rulebook import RULING, Rule, enforces
from service.rules.table.stack import owed

HR_ABIL_9: Final = Rule(
    "HR-ABIL-9",
    "Outside combat whatever is an ability is used whenever one likes, while nothing waits, free of cost.",
    books.BASICS.at("Timing Tags"),
)
HR_ENG_8: Final = Rule(
    "HR-ENG-8", "One engagement is open at a time: none is declared inside another.", RULING
)
HR_PRIO_1: Final = Rule(
    "HR-PRIO-1",
    "While a side holds priority, any one of its members may use one ability.",
    books.COMBAT.at("Priority During Combat"),
)
HR_PRIO_8: Final = Rule(
    "HR-PRIO-8",
    "While an engagement is open neither side holds priority, and only instants may be used.",
    books.COMBAT.at("Engaging the Enemy"),
)
HR_SVC_3: Final = Rule(
    "HR-SVC-3",
    "An answer names the prompt it was made for and counts once: repeated or late it changes nothing.",
    RULING,
)


class Sent(Protocol):
    """Anything that somebody sends."""

    @property
    def type(self) -> str: ...
    @property
    def by(self) -> Actor: ...


def running(view: State) -> None:
    """Refuse unless combat has begun and is not over."""
    if view.phase == "ended":
        raise Refused("encounter_over", "combat has ended", "HR-GEN-1")
    if view.phase == "setup":
        raise Refused("no_priority", "combat has not begun", "HR-START-1")


def gm(command: Sent) -> None:
    """Refuse everybody but the GM."""
    if command.by.role != "gm":
        raise Refused("not_gm", f"{command.by.seat} is not the gm", "HR-SVC-1")


def own(view: State, command: Sent, creature: str) -> Creature:
    """Return the creature if the command's seat controls it."""
    found = view.creatures.get(creature)
    if found is None:
        raise Refused("no_such_creature", f"there is no creature {creature}", "TABLE-SEAT-1")
    if view.controller(creature) != command.by.seat:
        raise Refused("not_your_creature", f"{command.by.seat} does not control {creature}", "TABLE-SEAT-1")
    return found


def acting(view: State, command: Sent, creature: str, *, allow: tuple[str, ...] = ()) -> Creature:
    """Return the creature that acts: the seat's own, and in a state to act (*allow* excuses states)."""
    running(view)
    found = own(view, command, creature)
    check_able(found, command.type, allow)
    return found


def taking_action(view: State, command: Sent, creature: str, action: str = "act") -> Creature:
    """Return the creature that takes an action: with priority or in its turn, or freely outside combat."""
    if not view.paused():
        found = acting(view, command, creature)
        holding_priority(view, found, action)
        return found
    found = own(view, command, creature)
    check_able(found, command.type, ())
    at_leisure(view)
    if view.lasting:
        check_unbarred(view, found, action)
    return found


@enforces(HR_ABIL_9)
def at_leisure(view: State) -> None:
    """Refuse an ability outside combat while something waits to be resolved."""
    check_settled(view)


def check_settled(view: State) -> None:
    """Refuse while something waits to be resolved; outside combat too it comes first."""
    if view.top is not None and view.top.kind != "combat":
        raise Refused("no_priority", f"{view.top.path} is not resolved yet", "HR-PRIO-1")


@enforces(HR_ENG_8)
def engaged(view: State) -> bool:
    """Tell whether an engagement is open."""
    return any(frame.kind == "engagement" for frame in view.stacks.table)


def holding_priority(view: State, creature: Creature, action: str = "act") -> None:
    """Refuse an action at a moment that is not its own, and one that something forbids."""
    timing_of(view).check_action(view, creature, action)
    if view.lasting:
        check_unbarred(view, creature, action)


def without_priority(view: State, side: str) -> str:
    """Return why *side* may not act: the detail names the side that holds priority, if one does."""
    holder = (view.priority_side if view.phase == "priority" else None) or "nobody"
    return f"{side} does not hold priority: {holder} does"


@enforces(HR_PRIO_1)
def has_priority(view: State, creature: Creature) -> None:
    """Refuse a creature whose side has no priority, or that has declined already."""
    if engaged(view):
        no_priority_in_engagements()
    if view.phase != "priority" or view.priority_side != creature.side:
        raise Refused("no_priority", without_priority(view, creature.side))
    top = view.top
    assert top is not None, "combat keeps its frame"
    if top.kind != "combat":
        raise Refused("no_priority", f"{top.path} is not resolved yet")
    if creature.id in view.member_passed:
        raise Refused("already_passed", f"{creature.id} has declined already", "HR-PRIO-3")
    if is_held_back(view, creature):
        raise Refused("no_priority", f"{view.starter} was named to begin", "HR-START-4")


BARRED_BY: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        "dash": ("act", "move"),
        "sidestep": ("act", "move", "sidestep"),
        "call_out": ("act", "speak"),
        "cast": ("act", "speak"),
    }
)
"""What of a bar stops an action; the others are stopped by `act`."""


def is_unbarred(view: State, creature: Creature, action: str) -> bool:
    """Tell whether nothing that lies on *creature* forbids it an action: no ability, no confusion."""
    return not is_confused_out_of(creature, action) and not _is_barred(view, creature, action)


def _is_barred(view: State, creature: Creature, action: str) -> bool:
    return any(barred(view, creature, what) for what in BARRED_BY.get(action, ("act",)))


ALWAYS: Final = ("pass", "pass_side", "go_unconscious", "end_spell")
"""What no ability that lies on a creature forbids."""


def left_by_bars(view: State, creature: Creature, actions: tuple[str, ...]) -> tuple[str, ...]:
    """Return those of *actions* that nothing which lies on *creature* forbids."""
    if not view.lasting and not creature.conditions:
        return actions
    return tuple(name for name in actions if name in ALWAYS or is_unbarred(view, creature, name))


def check_unbarred(view: State, creature: Creature, action: str) -> None:
    """Refuse what an ability that lies on *creature* forbids."""
    if _is_barred(view, creature, action):
        raise Refused("barred", f"something keeps {creature.id} from that", "HR-GEN-3")


def is_held_back(view: State, creature: Creature) -> bool:
    """Tell whether the house lets only the named starter begin, and *creature* is somebody else."""
    if view.starter is None or view.starter == creature.id or not view.house.enforce_starter:
        return False
    return is_able(view.creatures[view.starter])


AT_REST = ("precombat", "priority", "turn")
"""The phases in which combat waits for somebody to act."""


@enforces(HR_PRIO_8)
def no_priority_in_engagements() -> None:
    """Refuse what needs priority while an engagement is open."""
    raise Refused("engagement_in_progress", "nobody has priority in an engagement")


class Answer(Sent, Protocol):
    """A command that answers a prompt."""

    @property
    def type(self) -> str: ...
    @property
    def prompt(self) -> str | None: ...


@enforces(HR_SVC_3)
def answering(view: State, command: Answer, *, late: str = "prompt_gone") -> Awaited:
    """Return what *command* answers; refuse with *late* where nothing waits for it.

    That a request sent twice is one request is the service's part: it knows the sender's nonce.
    """
    top = view.top
    awaited = owed(top.waiting(view), command.prompt) if top is not None and command.prompt else None
    if awaited is None or command.type not in awaited.accepts:
        raise Refused(late, f"nothing waits for {command.type} at {command.prompt}")
    if awaited.seat != command.by.seat:
        raise Refused("not_your_prompt", f"{command.prompt} is for {awaited.seat}", "TABLE-SEAT-1")
    return awaited


def answering_for(view: State, command: Answer, creature: str, *, late: str = "prompt_gone") -> None:
    """Refuse an answer on behalf of a creature that is not the one asked."""
    awaited = answering(view, command, late=late)
    if awaited.creature != creature:
        raise Refused("not_your_prompt", f"{command.prompt} is for {awaited.creature}", "TABLE-SEAT-1")
