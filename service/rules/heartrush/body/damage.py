"""Carry damage from what got through to what it did: shrugged off, applied, wounds, zero; burn, and crush."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from typing import ClassVar, Final

from service.dice.chain import OPEN_LANE
from service.dice.values import Roll
from service.rules.heartrush import books
from service.rules.heartrush.body.actions import wounded
from service.rules.heartrush.body.answers import standing_shrug
from service.rules.heartrush.body.permission import own, running
from service.rules.heartrush.body.wounds import death_line, die_at_the_line, fall_to_zero, falling
from service.rules.heartrush.creatures.character import Wound
from service.rules.heartrush.creatures.sheet import smaller_die
from service.rules.heartrush.creatures.state import Creature, State
from service.rules.heartrush.values import (
    BurnId,
    Cause,
    ComesFrom,
    CountAfter,
    CountBefore,
    CrushId,
    DamageId,
    HeartDie,
    HitPointsAfter,
)
from service.rules.kernel.messages import Answering, Awaited, Emits, Event, Fact, Offer, Refused
from service.rules.kernel.records import record, sealable
from service.rules.kernel.rulebook import RULING, Rule, enforces
from service.rules.kernel.values import (
    Amount,
    Causes,
    CreatureId,
    DiceCount,
    Levels,
    PromptId,
    Reason,
    Sum,
    TargetId,
    WoundId,
)
from service.rules.rolls.chance import Chance, PoolDie
from service.rules.table.stack import Frame, opened_by

# --- halves --------------------------------------------------------------------------------------------

HR_GEN_4: Final = Rule(
    "HR-GEN-4",
    "Where the book halves it says which way to round; where it does not, halves are rounded up.",
    (RULING, books.COMBAT, books.MECHANICS),
    settles=("A-18",),
)


@enforces(HR_GEN_4)
def half(number: int, *, up: bool = True) -> int:
    """Return half of *number*, rounded up or down."""
    return -(-number // 2) if up else number // 2


# --- damage --------------------------------------------------------------------------------------------
# Shrug off, apply, wound, zero, death. Every source runs the same pipeline, one frame for one instance;
# wounds are judged by instance, never by sums.

HR_ZERO_3: Final = Rule(
    "HR-ZERO-3",
    "At zero and below, damage and wounds are recorded as before.",
    books.MECHANICS.at("Zero Hit Points"),
)
HR_DMG_8: Final = Rule(
    "HR-DMG-8",
    "Each source of damage is dealt with by itself, in the same way: shrug it off or take it, then wounds.",
    RULING,
    settles=("A-65",),
)
HR_DMG_2: Final = Rule(
    "HR-DMG-2",
    "A d4 heart die cannot drop, so the full amount is taken.",
    books.MECHANICS.at("Taking Damage"),
)
HR_DMG_4: Final = Rule(
    "HR-DMG-4",
    "The final amount is subtracted from hit points, which may go below zero.",
    books.MECHANICS.at("Taking Damage"),
)
HR_DMG_5: Final = Rule(
    "HR-DMG-5",
    "Final damage of 10 or more marks a wound whose rank is that damage.",
    books.MECHANICS.at("More Than 10 Damage"),
    settles=("A-20", "A-21"),
)
HR_DMG_1: Final = Rule(
    "HR-DMG-1",
    "Shrugging off halves the damage and drops the heart die one size.",
    books.MECHANICS.at("Taking Damage"),
    settles=("A-18", "A-19"),
)
HR_DMG_3: Final = Rule(
    "HR-DMG-3",
    "Shrug off what the defensive stance has left: take half of it, and a smaller heart die.",
    (books.MECHANICS.at("Engagements"), books.COMBAT.at("Defensive")),
)


SMALLEST = 4
HAZARDS = ("fall", "hazard", "burning", "suffocation", "collision")
"""Causes of damage that no creature causes (A-56)."""


@record
class DeclaredDamage:
    """Damage to a creature: how much, whose doing, and of what sort."""

    creature: CreatureId
    amount: Amount
    source: ComesFrom | None
    cause: Cause


@record
class DamageFrame(DeclaredDamage, Frame[State]):
    """Damage that is known but not taken yet: its creature may shrug it off."""

    kind: ClassVar[str] = "damage"

    def waiting(self, state: State) -> tuple[Awaited, ...]:
        creature = state.creatures[self.creature]
        if refusal_to_shrug(state, creature, self.cause) or standing_shrug(creature) != "ask":
            return ()
        return (
            Awaited(
                prompt=self.path,
                seat=state.controller(self.creature),
                accepts=("shrug", "accept_damage"),
                creature=self.creature,
            ),
            *falling(state, self.path, ()),
        )

    @enforces(HR_ZERO_3)
    def advance(self, state: State, chance: Chance) -> Emits[State]:
        """Emit the damage, shrugged off if the seat said so in advance."""
        creature = state.creatures[self.creature]
        note = refusal_to_shrug(state, creature, self.cause)
        amount = self.amount
        if note is None and self._in_advance(state, creature):
            state, amount = yield from shrug_off(state, self)
        return (yield from take(state, self, amount, note=note))

    def _in_advance(self, state: State, creature: Creature) -> bool:
        """Return whether its seat has said in advance to shrug this off: it would kill otherwise."""
        lethal = creature.hp - self.amount <= death_line(state, creature)
        return lethal and standing_shrug(creature) == "if_it_kills"


class Consequence:
    """What damage that was taken brings besides; the ruleset lists each kind of it, in order."""

    def follows(self, state: State, frame: DamageFrame) -> bool:
        """Return whether it follows from this damage."""
        raise NotImplementedError

    def tell(self, state: State, frame: DamageFrame, final: int) -> Emits[State]:
        """Emit what follows from *final* points of it."""
        raise NotImplementedError


@record
class DamagePending(DeclaredDamage, Event[State]):
    """Damage is about to be taken."""

    type: ClassVar[str] = "damage_pending"
    damage: DamageId

    def evolve(self, state: State) -> State:
        return state.pushed(opened_by(self, DamageFrame, self.damage))


@record
class Shrugged(Event[State]):
    """A creature shrugged damage off: half of it, for a smaller heart die."""

    type: ClassVar[str] = "shrugged"
    creature: CreatureId
    before: CountBefore
    after: CountAfter
    heart_die: HeartDie

    def evolve(self, state: State) -> State:
        counted = state.creatures[self.creature].shrugs + (not state.paused())  # a round is over with combat
        return state.with_creature(self.creature, heart_die=self.heart_die, shrugs=counted)


@record
class DamageApplied(Event[State]):
    """Damage was taken from hit points."""

    type: ClassVar[str] = "damage_applied"
    damage: DamageId
    creature: CreatureId
    amount: Amount
    hp: HitPointsAfter = sealable(of="creature", blank=0)
    note: Reason | None = None
    """Why it could not be shrugged off, where it could not."""

    def evolve(self, state: State) -> State:
        return state.with_creature(self.creature, hp=self.hp).popped(self.damage)


@record
class WoundMarked(Event[State]):
    """Damage left a wound of its own rank."""

    type: ClassVar[str] = "wound_marked"
    creature: CreatureId
    wound: WoundId
    rank: Sum
    """The rank."""

    def evolve(self, state: State) -> State:
        creature = state.creatures[self.creature]
        wound = Wound(id=self.wound, rank=self.rank, initial_rank=self.rank)
        state = state.with_creature(self.creature, wounds=(*creature.wounds, wound))
        if state.house.clamp_hp_to_cap:
            now = state.creatures[self.creature]
            state = state.with_creature(self.creature, hp=min(now.hp, now.hp_cap))
        return state


@enforces(HR_DMG_8)
def hurt(
    state: State,  # noqa: ARG001 - every decision takes the state first
    path: str,
    creature: str,
    amount: int,
    *,
    source: str | None,
    cause: str,
) -> Emits[State]:
    """Emit damage that waits to be taken or shrugged off."""
    return (yield DamagePending(damage=path, creature=creature, amount=amount, source=source, cause=cause))


@enforces(HR_DMG_2)
def refusal_to_shrug(state: State, creature: Creature, cause: str = "attack") -> str | None:
    """Return why *creature* cannot shrug damage off, None if it can."""
    if cause in HAZARDS and not state.house.hazards_shruggable:
        return "hazards_not_shruggable"
    if creature.heart_die <= SMALLEST:
        return "heart_die_minimum"
    if state.house.shrug_per_round == 1 and creature.shrugs:
        return "already_shrugged"
    if creature.status != "active":
        return "unconscious" if creature.status == "unconscious" else "dead"
    return None


@enforces(HR_DMG_4)
def take(state: State, frame: DamageFrame, final: int, *, note: str | None = None) -> Emits[State]:
    """Emit the final damage, the wound, the death or fall that follow, and every other consequence."""
    before = state.creatures[frame.creature].hp
    state = yield DamageApplied(
        damage=frame.path, creature=frame.creature, amount=final, hp=before - final, note=note
    )
    state = yield from wound(state, frame, final)
    state = yield from die_at_the_line(state, frame.creature)
    state = yield from fall_to_zero(state, frame.creature, before)
    for kind in state.families.listed(Consequence) if final > 0 else ():
        consequence = kind()
        if consequence.follows(state, frame):
            state = yield from consequence.tell(state, frame, final)
    return state


@enforces(HR_DMG_5)
def wound(state: State, frame: DamageFrame, final: int) -> Emits[State]:
    """Emit a wound of rank *final*; nothing below the threshold."""
    sheet = state.creatures[frame.creature].sheet
    house = state.house.wound_threshold
    threshold = house if sheet.wound_threshold is None else max(1, sheet.wound_threshold)
    if not sheet.woundable or final < threshold:
        return state
    state = yield WoundMarked(creature=frame.creature, wound=frame.path, rank=final)
    return (yield from wounded(state, frame.creature))


@enforces(HR_DMG_1)
def shrug_off(state: State, frame: DamageFrame) -> _Halved:
    """Emit the halving of damage and the smaller heart die; return the state and the damage left."""
    amount = frame.amount
    after = shrugged(state, amount)
    die = smaller_die(state.creatures[frame.creature].heart_die)
    state = yield Shrugged(creature=frame.creature, before=amount, after=after, heart_die=die)
    return state, after


_Halved = Generator[Fact[State], State, tuple[State, int]]


def shrugged(state: State, amount: int) -> int:
    """Return what is left of *amount* if it is shrugged off."""
    return half(amount, up=state.house.half_rounding == "up")


def _answer(kind: type[Answering[State]], awaited: Awaited, frame: DamageFrame, taken: int) -> Offer:
    """Return the offer of an answer to damage that leaves *taken* of it."""
    about = PendingDamage(amount=frame.amount, source=frame.source, cause=frame.cause, taken=taken)
    return Offer(type=kind.type, creature=awaited.creature, prompt=awaited.prompt, about=about)


@record
class PendingDamage:
    """Damage that a creature is asked about, and what it takes of it."""

    amount: Amount
    source: CreatureId | None
    cause: Cause
    taken: Amount
    """How much it takes by this answer."""


def _pending(view: State, command: Shrug | AcceptDamage) -> DamageFrame:
    """Return the damage that *command* answers, or refuse: none is pending for this creature."""
    frame = view.top
    if not isinstance(frame, DamageFrame):
        running(view)  # out of combat too damage may be pending
    own(view, command, command.creature)
    if (
        not isinstance(frame, DamageFrame)
        or frame.creature != command.creature
        or frame.path != command.prompt
    ):
        raise Refused("no_damage_pending", f"no damage is pending for {command.creature} at {command.prompt}")
    return frame


@enforces(HR_DMG_3)
@record
class Shrug(Answering[State]):
    """Shrug off damage: take half of what the defensive stance left, and a smaller heart die."""

    type: ClassVar[str] = "shrug"
    sentence: ClassVar[str] = (
        "Shrug it off: take {about_taken} of {about_amount} damage ({about_cause}[ by {about_source}]), "
        "and a smaller heart die"
    )
    creature: CreatureId
    prompt: PromptId

    def check(self, view: State) -> None:
        frame = _pending(view, self)
        code = refusal_to_shrug(view, view.creatures[frame.creature], frame.cause)
        if code:
            raise Refused(code, f"{self.creature} cannot shrug this off", "HR-DMG-2")

    def decide(self, state: State) -> Emits[State]:
        frame = state.top_frame(DamageFrame)
        state, after = yield from shrug_off(state, frame)
        return (yield from take(state, frame, after))

    @classmethod
    def offers(cls, view: State, awaited: Awaited) -> Iterator[Offer]:
        frame = view.top_frame(DamageFrame)
        yield _answer(cls, awaited, frame, shrugged(view, frame.amount))


@record
class AcceptDamage(Answering[State]):
    """Take the damage in full."""

    type: ClassVar[str] = "accept_damage"
    sentence: ClassVar[str] = "Take all {about_amount} damage ({about_cause}[ by {about_source}])"
    creature: CreatureId
    prompt: PromptId

    def check(self, view: State) -> None:
        _pending(view, self)

    def decide(self, state: State) -> Emits[State]:
        frame = state.top_frame(DamageFrame)
        return (yield from take(state, frame, frame.amount))

    @classmethod
    def offers(cls, view: State, awaited: Awaited) -> Iterator[Offer]:
        frame = view.top_frame(DamageFrame)
        yield _answer(cls, awaited, frame, frame.amount)


# --- burning -------------------------------------------------------------------------------------------
# Dice at once for every level caught, and again at each round's end until it is put out.

HR_COND_19: Final = Rule(
    "HR-COND-19",
    "Fire burns 1d6 a level at once and at each round's end; an action puts out half, water all of it.",
    books.CONDITIONS.at("Burning"),
)


@record
class DeclaredFire:
    """Whom fire hurts, and how much of it."""

    creature: CreatureId
    levels: Levels


@enforces(HR_COND_19)
@record
class BurnFrame(DeclaredFire, Frame[State]):
    """Fire that is about to hurt: one die for each level."""

    kind: ClassVar[str] = "burn"

    def advance(self, state: State, chance: Chance) -> Emits[State]:
        roll: Roll
        state, roll = yield from chance.throw(
            state,
            owner=self.creature,
            stream=f"{self.creature}/burning",
            purpose={"what": "burning", "burn": self.path},
            pool=(PoolDie(role="burning", sides=6),) * self.levels,
        )
        state = yield Burned(burn=self.path, creature=self.creature)
        return (
            yield from hurt(
                state, f"{self.path}/damage", self.creature, roll.total, source=None, cause="burning"
            )
        )


@record
class FireCaught(DeclaredFire, Event[State]):
    """Fire hurts a creature now, one die for each level."""

    type: ClassVar[str] = "fire_caught"
    burn: BurnId

    def evolve(self, state: State) -> State:
        return state.pushed(opened_by(self, BurnFrame, self.burn))


@record
class Burned(Event[State]):
    """The dice of a fire are known."""

    type: ClassVar[str] = "burned"
    burn: BurnId
    creature: CreatureId

    def evolve(self, state: State) -> State:
        return state.popped(self.burn)


@enforces(HR_COND_19)
def burn(state: State, creature: str, levels: int) -> Emits[State]:
    """Emit that fire hurts *creature* now; the frame throws the dice."""
    number = state.place(OPEN_LANE, f"{creature}/burning") + 1
    path = state.free_path(f"r{state.round}/burn/{creature}", number)
    return (yield FireCaught(burn=path, creature=creature, levels=levels))


# --- crushing ------------------------------------------------------------------------------------------

HR_GRAP_6: Final = Rule(
    "HR-GRAP-6",
    "Instead of pushing whom it holds a creature may deal 1d6, and 1d6 more for each size it is larger.",
    books.BASICS.at("Size"),
)


@record
class DeclaredCrush:
    """Who harms whom at close quarters, and with how many dice."""

    creature: CreatureId
    target: TargetId
    dice: DiceCount
    """The number of dice."""


@record
class CrushFrame(DeclaredCrush, Frame[State]):
    """Harm done at close quarters instead of a push."""

    kind: ClassVar[str] = "crush"
    rules: Causes

    def advance(self, state: State, chance: Chance) -> Emits[State]:
        thrown: Roll
        state, thrown = yield from chance.throw(
            state,
            owner=self.creature,
            stream=f"{self.creature}/crush",
            purpose={"what": "crush", "crush": self.path, "against": self.target},
            pool=(PoolDie(role="crush", sides=6),) * self.dice,
        )
        state = yield Crushed(crush=self.path, creature=self.creature, target=self.target, because=self.rules)
        path = f"{self.path}/damage"
        return (yield from hurt(state, path, self.target, thrown.total, source=self.creature, cause="crush"))


@record
class CrushBegun(DeclaredCrush, Event[State]):
    """A creature harms whom it holds, or climbs on, instead of pushing it."""

    type: ClassVar[str] = "crush_begun"
    crush: CrushId

    def evolve(self, state: State) -> State:
        return state.pushed(opened_by(self, CrushFrame, self.crush, rules=self.because))


@record
class Crushed(Event[State]):
    """The dice of harm at close quarters are known."""

    type: ClassVar[str] = "crushed"
    crush: CrushId
    creature: CreatureId
    target: TargetId

    def evolve(self, state: State) -> State:
        return state.popped(self.crush)


@enforces(HR_GRAP_6)
def crush_dice(source: Creature, target: Creature) -> int:
    """Return how many d6 *source* deals instead of a push to a creature that it holds, otherwise 0."""
    if not (source.has("grappling") and source.conditions["grappling"].source == target.id):
        return 0
    return 1 + max(0, source.rank - target.rank)
