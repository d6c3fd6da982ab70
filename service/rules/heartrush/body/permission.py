"""Check who may act: what conditions forbid, the timing of abilities, and the ledger's order of checks."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import ClassVar, Final, Literal, NamedTuple, Protocol

from service.rules.heartrush import books
from service.rules.heartrush.body.lasting import barred
from service.rules.heartrush.creatures.abilities import Ability, Spell
from service.rules.heartrush.creatures.state import Creature, State, is_able
from service.rules.kernel.messages import Actor, Awaited, Emits, Event, Refused
from service.rules.kernel.records import record
from service.rules.kernel.rulebook import RULING, Rule, enforces
from service.rules.rolls.chance import Chance
from service.rules.table.stack import owed
from service.rules.table.table import GM

# --- timing --------------------------------------------------------------------------------------------
# `Timing` lists everything in which the editions with priority and with turns differ. The edition with
# priority is `ByPriority` in `priority.py`, that with turns is `InTurns` in `turns.py`. Below are the speeds
# of the edition with turns: the permission matrix is the table `PERMITTED`, and the built-in actions carry
# the tags of both editions in `BUILT_INS`.

HR_TIME_10: Final = Rule(
    "HR-TIME-10",
    "In turns engaging, casting and dashing are slow, sidestep, object and help quick, reactions instant.",
    books.COMBAT_IN_TURNS,
)
HR_TIME_5: Final = Rule(
    "HR-TIME-5",
    "In turns whatever is not passive is slow, quick or instant; without such a tag it counts as slow.",
    books.BASICS.at("Timing Tags"),
    settles=("A-47",),
)
HR_TIME_2: Final = Rule(
    "HR-TIME-2",
    "A slow ability is used only in the creature's own turn, and never in an engagement.",
    books.BASICS.at("Timing Tags"),
)
HR_TIME_3: Final = Rule(
    "HR-TIME-3",
    "A quick ability is used in one's own turn or an ally's, never in an enemy's or in an engagement.",
    books.BASICS.at("Timing Tags"),
)


@record
class Timing:
    """One edition's way to say who may act when."""

    kind: ClassVar[str]
    """Its value of the option `timing`."""

    def begin(self, state: State, starter: str | None) -> Emits[State]:
        """Emit what follows when the GM grants the first priority; *starter* is a creature named to begin."""
        raise NotImplementedError

    def open(self, state: State, chance: Chance) -> Emits[State]:
        """Emit the dice that decide who begins, and the first priority or turn of the fight."""
        raise NotImplementedError

    def order_of_round(self, state: State) -> tuple[str, ...]:
        """Return the order of turns in a new round; empty without turns."""
        raise NotImplementedError

    def begin_round(self, state: State) -> Emits[State]:
        """Emit the first priority or turn of a later round."""
        raise NotImplementedError

    def after_engagement(self, ended: Event[State], targeted_side: str) -> Emits[State]:
        """Emit *ended*, the end of an engagement, and who may act after it."""
        raise NotImplementedError

    def check_action(self, view: State, creature: Creature, action: str) -> None:
        """Refuse a built-in action at a moment that is not its own."""
        raise NotImplementedError

    def check_ability(self, view: State, creature: Creature, definition: Ability | Spell) -> None:
        """Refuse an ability or spell that is not an instant outside its own turn."""
        raise NotImplementedError

    def assumed(self, state: State) -> tuple[str, ...]:
        """Return the abilities for which a timing is assumed, because none is printed."""
        raise NotImplementedError


def timing_of(state: State) -> Timing:
    """Return the timing that the house has chosen."""
    kind: type[Timing] = state.families.members(Timing)[state.house.timing]
    return kind()


Speed = Literal["slow", "quick", "instant"]
Place = Literal["own_turn", "ally_turn", "enemy_turn", "engagement", "interrupting"]

PERMITTED: Final[Mapping[Speed, tuple[Place, ...]]] = MappingProxyType(
    {
        "slow": ("own_turn",),
        "quick": ("own_turn", "ally_turn"),
        "instant": ("own_turn", "ally_turn", "enemy_turn", "engagement", "interrupting"),
    }
)
"""Where an ability of each speed may be used in the turn edition."""


class Tags(NamedTuple):
    """When a built-in action may be used: its tag in the priority edition, and in the turn edition."""

    priority: Literal["priority", "instant"]
    turns: Speed


BUILT_INS: Final[Mapping[str, Tags]] = MappingProxyType(
    {
        "engage": Tags("priority", "slow"),
        "cast": Tags("priority", "slow"),
        "dash": Tags("priority", "slow"),
        "sidestep": Tags("priority", "quick"),
        "object": Tags("priority", "quick"),
        "help": Tags("priority", "quick"),
        "call_out": Tags("priority", "slow"),
        "join_engagement": Tags("instant", "instant"),
        "trip": Tags("instant", "instant"),
        "opportunity_attack": Tags("instant", "instant"),
    }
)


@enforces(HR_TIME_10)
def built_in_speed(action: str) -> Speed:
    """Return the speed of the built-in *action* in the edition with turns."""
    return BUILT_INS[action].turns if action in BUILT_INS else "slow"


@enforces(HR_TIME_5)
def speed_in_turns(definition: Ability | Spell) -> Speed:
    """Return the speed of an ability or spell in the edition with turns."""
    if isinstance(definition, Spell):
        return "instant" if definition.instant else "slow"
    timing = definition.timing
    return timing if timing == "quick" or timing == "instant" else "slow"  # noqa: PLR1714 - membership narrows no type


def assumed_slow(definition: Ability | Spell) -> bool:
    """Return whether nothing is printed that says when *definition* is used in turns."""
    return (
        isinstance(definition, Ability)
        and definition.frequency != "passive"
        and definition.timing not in ("slow", "quick", "instant")
    )


def whose_turn(state: State) -> Creature | None:
    """Return the creature whose turn it is, if it is anybody's."""
    if state.phase != "turn" or state.turn >= len(state.turns):
        return None
    return state.creatures[state.turns[state.turn]]


def place_of(state: State, creature: Creature) -> Place:
    """Return where *creature* stands in the order of things now."""
    if any(frame.kind == "engagement" for frame in state.stacks.table):
        return "engagement"
    at_turn = whose_turn(state)
    top = state.top
    if at_turn is None or (top is not None and top.kind != "combat"):
        return "interrupting"
    if at_turn.id == creature.id:
        return "own_turn"
    return "ally_turn" if at_turn.side == creature.side else "enemy_turn"


def check_turn(view: State, creature: Creature, speed: Speed) -> None:
    """Refuse what the turn edition does not allow *creature* now."""
    place = place_of(view, creature)
    if place in PERMITTED[speed]:
        return
    if place == "interrupting":
        code = "not_ally_turn" if speed == "quick" else "not_your_turn"
        raise Refused(code, "nothing but an instant is used while something else resolves", "HR-TIME-2")
    if place == "engagement":
        raise Refused("engagement_in_progress", "only instants are used in an engagement", "HR-TIME-2")
    if speed == "quick":
        check_quick(creature)
    check_slow(creature)


@enforces(HR_TIME_2)
def check_slow(creature: Creature) -> None:
    """Refuse a slow ability out of the creature's own turn."""
    raise Refused("not_your_turn", f"it is not {creature.id}'s turn", HR_TIME_2.id)


@enforces(HR_TIME_3)
def check_quick(creature: Creature) -> None:
    """Refuse a quick ability out of the turns of the creature and its allies."""
    raise Refused("not_ally_turn", f"it is not a turn of {creature.side}", HR_TIME_3.id)


# --- what conditions forbid ----------------------------------------------------------------------------
# Acting at all, acting after moving, coming nearer to what one fears. `permission.acting` asks here in the
# ledger's order; a creature in good health costs one look.

HR_START_7: Final = Rule(
    "HR-START-7",
    "A surprised creature uses no abilities and does not move in round 1; others may strike at it.",
    books.COMBAT,
)
HR_COND_26: Final = Rule(
    "HR-COND-26",
    "The unconscious do nothing, like the incapacitated, until their hit points are above zero.",
    (books.MECHANICS.at("Zero Hit Points"), RULING),
)
HR_COND_6: Final = Rule(
    "HR-COND-6",
    "The stunned have no speed, no actions, abilities, speech or attacks, and stand helpless.",
    books.CONDITIONS.at("Stunned"),
)
HR_COND_7: Final = Rule(
    "HR-COND-7",
    "The incapacitated do nothing but speak, and enemies may strike at them whenever they can pay.",
    books.CONDITIONS.at("Incapacitated"),
)


MOVES: Final = ("dash", "sidestep")
SPELLS: Final = ("cast",)
ACTS: Final = (
    *SPELLS,
    "engage",
    "join_engagement",
    "help",
    "object",
    "drink_potion",
    "opportunity_attack",
    "trip",
    "use_ability",
    "declare_instant",
    "break_free",
    "shake_off",
    "douse",
    "steady",
)


def check_able(creature: Creature, command: str, allow: tuple[str, ...]) -> None:
    """Refuse what *creature* cannot do in the state it is in; *allow* excuses states."""
    if creature.status != "active":
        check_alive(creature)
        check_conscious(creature)
    if creature.conditions:
        if "stunned" not in allow:
            check_stunned(creature)
        if "incapacitated" not in allow:
            check_incapacitated(creature)
    if creature.surprised and "surprised" not in allow:
        refuse_surprised(creature)
    if creature.conditions:
        check_confused(creature, command)


@enforces(HR_START_7)
def refuse_surprised(creature: Creature) -> None:
    """Refuse what a surprised creature tries."""
    raise Refused("surprised", f"{creature.id} is surprised", HR_START_7.id)


def check_alive(creature: Creature) -> None:
    """Refuse the dead, and who has left the fight."""
    if creature.status == "gone":
        raise Refused("dead", f"{creature.id} has left the fight", "HR-SVC-1")
    if creature.status == "dead":
        raise Refused("dead", f"{creature.id} is dead", "HR-ZERO-4")


@enforces(HR_COND_26)
def check_conscious(creature: Creature) -> None:
    """Refuse what an unconscious creature tries."""
    if creature.status == "unconscious":
        raise Refused("unconscious", f"{creature.id} is unconscious", "HR-ZERO-6")


@enforces(HR_COND_6)
def check_stunned(creature: Creature) -> None:
    """Refuse what a stunned creature tries."""
    if creature.has("stunned"):
        raise Refused("stunned", f"{creature.id} is stunned", HR_COND_6.id)


@enforces(HR_COND_7)
def check_incapacitated(creature: Creature) -> None:
    """Refuse what an incapacitated creature tries."""
    if creature.has("incapacitated"):
        raise Refused("incapacitated", f"{creature.id} is incapacitated", HR_COND_7.id)


def check_confused(creature: Creature, command: str) -> None:
    """Refuse what confusion forbids now."""
    if is_confused_out_of(creature, command):
        raise Refused("confused_move_or_act", f"{creature.id} is confused", "HR-COND-14")


def is_confused_out_of(creature: Creature, command: str) -> bool:
    """Return whether confusion forbids a command: the second of moving and acting in a round, any spell."""
    if not creature.has("confused"):
        return False
    moved = creature.moved_ft > 0 or creature.dashed
    return command in SPELLS or (command in ACTS and moved) or (command in MOVES and creature.acted)


# --- who may act ---------------------------------------------------------------------------------------
# Lifecycle, actor's state, timing; costs come after. Every command of a creature begins with `acting`; what
# needs priority goes on with `holding_priority`.

HR_ABIL_9: Final = Rule(
    "HR-ABIL-9",
    "Outside combat abilities may be used at any time, free of cost, while nothing waits for an answer.",
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
    "An answer names its prompt and counts once; if it is repeated or late, it changes nothing.",
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
        raise Refused("no_priority", "combat has not begun: the gm sends begin_combat", "HR-START-1")


def gm(command: Sent) -> None:
    """Refuse everybody but the GM."""
    if command.by.role != "gm":
        raise Refused(
            "not_gm", f"{command.type} is for the gm alone, and {command.by.seat} is not the gm", "HR-SVC-1"
        )


def own(view: State, command: Sent, creature: str) -> Creature:
    """Return the creature if the command's seat controls it."""
    found = view.creatures.get(creature)
    if found is None:
        raise Refused("no_such_creature", f"there is no creature {creature}", "TABLE-SEAT-1")
    if view.controller(creature) != command.by.seat:
        holder = view.controller(creature)
        over = f": {holder} does; change_seat takes it over" if command.by.role == GM else ""
        detail = f"{command.by.seat} does not control {creature}{over}"
        raise Refused("not_your_creature", detail, "TABLE-SEAT-1")
    return found


def awake(view: State, command: Sent, creature: str) -> Creature:
    """Return the seat's own creature if it is in a state to do anything at leisure."""
    found = own(view, command, creature)
    check_able(found, command.type, ("surprised",))
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
        raise Refused("no_priority", what_waits(view), "HR-PRIO-1")


def what_waits(view: State) -> str:
    """Return in words what comes before anything else: whose dice, or whose answer, or what is under way."""
    assert view.top is not None, "something waits"
    owed = next(iter(view.top.waiting(view)), None)
    if owed is None:
        return f"something comes first: {view.top.kind.replace('_', ' ')}"
    who = owed.creature or owed.seat
    if "throw_dice" in owed.accepts:
        return f"the dice of {who} are still to be thrown"
    return f"{who} has to answer first: {' or '.join(owed.accepts)}"


@enforces(HR_ENG_8)
def engaged(view: State) -> bool:
    """Return whether an engagement is open."""
    return any(frame.kind == "engagement" for frame in view.stacks.table)


def holding_priority(view: State, creature: Creature, action: str = "act") -> None:
    """Refuse an action at a moment that is not its own, and one that something forbids."""
    timing_of(view).check_action(view, creature, action)
    if view.lasting:
        check_unbarred(view, creature, action)


def without_priority(view: State, side: str) -> str:
    """Return why *side* may not act: the detail names the side that holds priority, if one does."""
    holder = (view.priority_side if view.phase == "priority" else None) or "nobody"
    return f"priority is with {holder}, not with {side}"


@enforces(HR_PRIO_1)
def has_priority(view: State, creature: Creature) -> None:
    """Refuse a creature whose side has no priority, or that has declined already."""
    if engaged(view):
        no_priority_in_engagements()
    if view.phase != "priority" or view.priority_side != creature.side:
        raise Refused("no_priority", without_priority(view, creature.side), HR_PRIO_1.id)
    top = view.top
    assert top is not None, "combat keeps its frame"
    if top.kind != "combat":
        raise Refused("no_priority", what_waits(view), HR_PRIO_1.id)
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
    """Return whether nothing that affects *creature* forbids it an action: no ability, no confusion."""
    return not is_confused_out_of(creature, action) and not _is_barred(view, creature, action)


def _is_barred(view: State, creature: Creature, action: str) -> bool:
    return action not in ALWAYS and any(
        barred(view, creature, what) for what in BARRED_BY.get(action, ("act",))
    )


ALWAYS: Final = ("pass", "pass_side", "go_unconscious", "end_spell")
"""What no ability that affects a creature forbids."""


def left_by_bars(view: State, creature: Creature, actions: tuple[str, ...]) -> tuple[str, ...]:
    """Return those of *actions* that nothing which affects *creature* forbids."""
    if not view.lasting and not creature.conditions:
        return actions
    return tuple(name for name in actions if name in ALWAYS or is_unbarred(view, creature, name))


def check_unbarred(view: State, creature: Creature, action: str) -> None:
    """Refuse what an ability that affects *creature* forbids."""
    if _is_barred(view, creature, action):
        raise Refused("barred", f"something keeps {creature.id} from that", "HR-GEN-3")


def is_held_back(view: State, creature: Creature) -> bool:
    """Return whether the house lets only the named starter begin, and *creature* is somebody else."""
    if view.starter is None or view.starter == creature.id or not view.house.enforce_starter:
        return False
    return is_able(view.creatures[view.starter])


AT_REST = ("precombat", "priority", "turn")
"""The phases in which combat waits for somebody to act."""


@enforces(HR_PRIO_8)
def no_priority_in_engagements() -> None:
    """Refuse what needs priority while an engagement is open."""
    raise Refused("engagement_in_progress", "nobody has priority in an engagement", HR_PRIO_8.id)


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
        raise Refused(late, f"nothing waits for {command.type} at {command.prompt}", HR_SVC_3.id)
    if awaited.seat != command.by.seat:
        raise Refused("not_your_prompt", f"{command.prompt} is for {awaited.seat}", "TABLE-SEAT-1")
    return awaited


def answering_for(view: State, command: Answer, creature: str, *, late: str = "prompt_gone") -> None:
    """Refuse an answer on behalf of a creature that is not the one asked."""
    awaited = answering(view, command, late=late)
    if awaited.creature != creature:
        raise Refused("not_your_prompt", f"{command.prompt} is for {awaited.creature}", "TABLE-SEAT-1")
