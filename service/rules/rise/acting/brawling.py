"""Brawl: trip, grapple and what follows from it, dirty tricks, and shoves."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar, Final, Literal

from service.rules.kernel.messages import Awaited, Emits, Offer, Refused
from service.rules.kernel.records import changed, record
from service.rules.kernel.rulebook import Rule, enforces
from service.rules.kernel.values import Code, CreatureId, Direction, TargetId
from service.rules.rise import books
from service.rules.rise.acting.combat_time import check_standard, check_trade, pay_for
from service.rules.rise.acting.strikes import check_trades, fitting, moved_already, target_of
from service.rules.rise.acting.swift import SwiftFrame
from service.rules.rise.acting.turns import begun, offered, on_turn, sender, taking_turn, turns
from service.rules.rise.attacks.making_attacks import AssaultBegun
from service.rules.rise.body.effects import UNSEEN_FT, grapplers, push_feet
from service.rules.rise.body.movement_and_positioning import check_direction
from service.rules.rise.creatures.combat_statistics import hands_free, speed_of
from service.rules.rise.creatures.creature import Creature
from service.rules.rise.creatures.permission import Act, able, in_phase, is_allowed
from service.rules.rise.creatures.sheet import Effect, Strike
from service.rules.rise.creatures.state import State
from service.rules.rise.sight.obstacles_and_targets import Assault
from service.rules.rise.sight.vision_and_lines import check_reach, in_reach
from service.rules.space.grid import FEET, STEPS, Cell, Feet

# --- brawling ------------------------------------------------------------------------------------------
# What all brawling has in common. All use brawling accuracy, do no damage of their own and so never glance;
# which defense they attack is the profile's to say.

RI_UNIV_TRIP: Final = Rule(
    "RI-UNIV-TRIP",
    "Knock a target prone; the attack does no damage and so cannot glance.",
    books.ABILITIES.at("Trip"),
)
RI_UNIV_GRAPPLE: Final = Rule(
    "RI-UNIV-GRAPPLE",
    "Seize a target with a free hand: both are grappled until one gets away.",
    books.ABILITIES.at("Grapple"),
)
RI_UNIV_DIRTY: Final = Rule(
    "RI-UNIV-DIRTY",
    "With a free hand, a dirty trick takes 2 off one of the target's defenses for a short while.",
    books.ABILITIES.at("Dirty Trick"),
)
RI_UNIV_ESCAPE: Final = Rule(
    "RI-UNIV-ESCAPE",
    "Break free of a grapple by beating what its holder rolled to keep it, nothing where it did not.",
    books.ABILITIES.at("Escape Grapple"),
)
RI_ACT_11: Final = Rule(
    "RI-ACT-11",
    "A free action that takes a check is not tried twice in a round for the same purpose.",
    books.MECHANICS.at("Trying Again"),
)
RI_UNIV_MAINTAIN: Final = Rule(
    "RI-UNIV-MAINTAIN",
    "Once a round, as a free action, roll how firm the grip is; to escape, a creature must beat it.",
    books.ABILITIES.at("Maintain Grapple"),
    settles=("C-46",),
)


ONE_LARGER = 1
GRIP: Final = "maintain_grapple"


def brawl(versus: tuple[str, ...]) -> Strike:
    """Return an attack with bare strength against these defenses."""
    return Strike(versus=versus, damaging=False, brawling=True)


def is_too_big(user: Creature, target: Creature) -> bool:
    """Return whether *target* is more than one size larger, in its present posture."""
    return target.rank - target.has("prone") - user.rank > ONE_LARGER


def check_size(user: Creature, target: Creature) -> None:
    """Refuse a target more than one size larger; lying flat counts as one size smaller."""
    if is_too_big(user, target):
        raise Refused("target_too_big", f"{target.id} is too big for {user.id}", "RI-UNIV-SHOVE")


def check_hand(creature: Creature) -> None:
    """Refuse what needs a free hand."""
    if hands_free(creature) < 1:
        raise Refused("no_free_hand", f"{creature.id} has no hand free", "RI-UNIV-GRAPPLE")


@record
class Brawl(Act):
    """A brawling ability used on one target for the standard action."""

    abstract: ClassVar[bool] = True
    target: TargetId
    willing: bool = False
    """Whether the target, of the same group, lets it happen."""

    def check(self, view: State) -> None:
        creature = taking_turn(view, self)
        check_standard(creature)
        target = target_of(view, creature, self.target, willing=self.willing)
        check_reach(view, creature, target, FEET, touching=True)
        check_size(creature, target)
        self.check_more(view, creature)

    def check_more(self, view: State, user: Creature) -> None:
        """Refuse what this ability does not allow, with any target."""

    def decide(self, state: State) -> Emits[State]:
        state = yield from begun(state, self.creature)
        state = yield from pay_for(self.creature, "standard", "standard", self.type)
        target = state.creatures[self.target]
        helpless = self.willing or target.down
        assault = changed(self.assault(state), willing=(self.target,) if helpless else ())
        return (yield AssaultBegun(assault=assault, because=self.because()))

    def because(self) -> tuple[str, ...]:
        """Return the rule that this ability is."""
        return (f"RI-UNIV-{self.type.upper()}",)

    def assault(self, state: State) -> Assault:
        """Return the use of this ability."""
        raise NotImplementedError

    @classmethod
    def offers(cls, view: State, awaited: Awaited) -> Iterator[Offer]:
        command = cls(by=sender(view, awaited), creature=awaited.creature or "", target="")
        user = on_turn(view, command)
        if user is None or not (
            is_allowed(check_standard, user) and is_allowed(command.check_more, view, user)
        ):
            return
        near = in_reach(view, user, FEET, touching=True)
        small = [name for name in near if not is_too_big(user, view.creatures[name])]
        for willing in (False, True):
            fit = fitting(view, user, willing=willing)
            targets = tuple([name for name in small if name in fit])
            if targets:
                given = {"willing": True} if willing else {}
                yield Offer(type=cls.type, creature=user.id, given=given, choices={"target": targets})


@enforces(RI_UNIV_TRIP)
@record
class Trip(Brawl):
    """Knock a target prone; the attack does no damage and so cannot glance."""

    type: ClassVar[str] = "trip"
    sentence: ClassVar[str] = "Trip {target}[{willing}, which it allows]"

    def assault(self, state: State) -> Assault:
        prone = Effect(does="gain", condition="prone", until="condition")
        return Assault(
            user=self.creature,
            what=self.type,
            targets=(self.target,),
            strike=brawl(state.profile.trip),
            effects=(prone,),
        )


@enforces(RI_UNIV_GRAPPLE)
@record
class Grapple(Brawl):
    """Seize a target with a free hand: both are grappled until one gets away."""

    type: ClassVar[str] = "grapple"
    sentence: ClassVar[str] = "Grapple {target}[{willing}, which it allows]"

    def check_more(self, view: State, user: Creature) -> None:
        check_hand(user)

    def assault(self, state: State) -> Assault:
        return Assault(
            user=self.creature,
            what=self.type,
            targets=(self.target,),
            strike=brawl(state.profile.grapple),
            maneuver="grapple",
        )


@enforces(RI_UNIV_DIRTY)
@record
class DirtyTrick(Brawl):
    """Take 2 off one of the target's defenses for a short while, with a free hand."""

    type: ClassVar[str] = "dirty_trick"
    sentence: ClassVar[str] = (
        "Play a dirty trick on {target}[, against {defense}][{willing}, which it allows]"
    )
    defense: Code = "armor"
    """The name of the defense."""

    def check_more(self, view: State, user: Creature) -> None:
        check_hand(user)
        if not view.profile.dirty_trick:
            raise Refused("ability_not_in_profile", "this printing knows no dirty tricks", "RI-UNIV-DIRTY")
        if self.defense not in view.profile.defenses:
            raise Refused("invalid_target", f"there is no defense {self.defense}", "RI-UNIV-DIRTY")

    def because(self) -> tuple[str, ...]:
        return ("RI-UNIV-DIRTY",)

    def assault(self, state: State) -> Assault:
        trick = Effect(does="gain", condition="dirty_trick", modifiers={self.defense: -2}, until="brief")
        return Assault(
            user=self.creature,
            what=self.type,
            targets=(self.target,),
            strike=brawl(("reflex",)),
            effects=(trick,),
        )


def check_grappled(creature: Creature) -> None:
    """Refuse what only the grappled can do."""
    if not creature.has("grappled"):
        raise Refused("not_grappled", f"{creature.id} is in no grapple", "RI-UNIV-GRAPPLE")


@enforces(RI_UNIV_ESCAPE)
@record
class EscapeGrapple(Act):
    """Break free of a grapple by beating what its holder rolled to keep it."""

    type: ClassVar[str] = "escape_grapple"
    sentence: ClassVar[str] = "Break free of the grapple"

    def check(self, view: State) -> None:
        creature = taking_turn(view, self)
        check_standard(creature)
        check_grappled(creature)

    def decide(self, state: State) -> Emits[State]:
        state = yield from begun(state, self.creature)
        state = yield from pay_for(self.creature, "standard", "standard", self.type)
        assault = Assault(
            user=self.creature,
            what=self.type,
            targets=grapplers(state.creatures[self.creature]),
            strike=brawl(("grip",)),
            maneuver="escape",
        )
        return (yield AssaultBegun(assault=assault, because=("RI-UNIV-ESCAPE",)))

    @classmethod
    def offers(cls, view: State, awaited: Awaited) -> Iterator[Offer]:
        yield from offered(cls(by=sender(view, awaited), creature=awaited.creature or ""), view)


@enforces(RI_ACT_11)
def not_twice(creature: Creature, purpose: str) -> None:
    """Refuse a free action with a check that *creature* has tried this round for the same *purpose*."""
    if creature.budget.free.get(purpose, 0):
        raise Refused("free_check_repeated", f"{creature.id} has tried {purpose} this round", RI_ACT_11.id)


def grip(creature: str) -> Assault:
    """Return the roll for how firm the grip of *creature* is: it attacks nobody and sets a number to beat."""
    return Assault(user=creature, what=GRIP, targets=(creature,), strike=brawl(("grip",)), maneuver="grip")


def check_in_time(view: State, creature: Creature) -> None:
    """Refuse to firm a grip in a turn where Swift abilities had to be committed before."""
    if not isinstance(view.top, SwiftFrame) and turns(view).precommitted:
        raise Refused("swift_not_precommitted", f"{creature.id} has not firmed its grip", "RI-SWIFT-3")


@enforces(RI_UNIV_MAINTAIN)
@record
class MaintainGrapple(Act):
    """Roll, once a round and freely, how firm the grip is: a creature that wants to escape has to beat it."""

    type: ClassVar[str] = GRIP
    sentence: ClassVar[str] = "Tighten the grip"

    def check(self, view: State) -> None:
        if isinstance(view.top, SwiftFrame):
            creature = in_phase(view, self, "action")
            able(creature)
        else:
            creature = taking_turn(view, self)
        check_grappled(creature)
        check_in_time(view, creature)
        not_twice(creature, self.type)

    def decide(self, state: State) -> Emits[State]:
        if not isinstance(state.top, SwiftFrame):
            state = yield from begun(state, self.creature)
        state = yield from pay_for(self.creature, "free", "free", self.type)
        return (yield AssaultBegun(assault=grip(self.creature), because=("RI-UNIV-MAINTAIN",)))

    @classmethod
    def offers(cls, view: State, awaited: Awaited) -> Iterator[Offer]:
        yield from offered(cls(by=sender(view, awaited), creature=awaited.creature or ""), view)


# --- shoving -------------------------------------------------------------------------------------------
# Or move the whole grapple one is in as a movement of one's own.

RI_UNIV_SHOVE: Final = Rule(
    "RI-UNIV-SHOVE",
    "Push a target, moving along: up to half speed, or all of it critically or on a far smaller one.",
    books.ABILITIES.at("Shove"),
)


def check_grapple_moves(view: State, user: Creature, targets: Sequence[str], direction: Cell | None) -> None:
    """Refuse a shove as a movement outside a grapple, or one that leaves out a creature that holds it."""
    bound = grapplers(user)
    if not bound:
        raise Refused("not_grappled", f"{user.id} is in no grapple", "RI-UNIV-SHOVE")
    if sorted(targets) != sorted(bound):
        raise Refused("invalid_target", f"{user.id} moves only with all of {bound}", "RI-UNIV-SHOVE")
    for name in targets:
        check_size(user, view.creatures[name])
    if direction is not None:
        check_direction(direction)
    if user.has("immobilized") or not speed_of(view, user):
        raise Refused("immobilized", f"{user.id} cannot move", "RI-COND-2")


@enforces(RI_UNIV_SHOVE)
@record
class Shove(Brawl):
    """Push a target, moving along: up to half speed, or all of it critically or on a far smaller one."""

    type: ClassVar[str] = "shove"
    sentence: ClassVar[str] = "Shove {target}[ {direction}][ {distance_ft} ft][{willing}, which it allows]"
    direction: Direction | None = None
    """One step on the grid; null pushes straight away."""
    distance_ft: Feet | None = None
    """Null pushes as far as possible."""
    pay: Literal["standard", "movement"] = "standard"
    """A grappled creature may shove as a movement: if it beats all who hold it, the whole grapple moves."""
    also: tuple[CreatureId, ...] = ()
    """The others who hold the user, where a movement pays for it."""

    def check(self, view: State) -> None:
        if self.pay == "standard":
            super().check(view)
            return
        user = taking_turn(view, self)
        check_trade(user, "movement")
        check_trades(view)
        if user.location_changed:
            moved_already(view, user.id)
        target_of(view, user, self.target, willing=self.willing)
        check_grapple_moves(view, user, (self.target, *self.also), self.direction)

    def check_more(self, view: State, user: Creature) -> None:
        if self.also:
            raise Refused("invalid_target", "a standard action shoves one creature", "RI-UNIV-SHOVE")
        if self.direction is not None:
            check_direction(self.direction)

    def decide(self, state: State) -> Emits[State]:
        if self.pay == "standard":
            return (yield from super().decide(state))
        state = yield from begun(state, self.creature)
        state = yield from pay_for(self.creature, "movement", "movement", self.type)
        targets = (self.target, *self.also)
        helpless = [n for n in targets if state.creatures[n].down or (self.willing and n == self.target)]
        assault = changed(
            self.assault(state), targets=targets, willing=tuple(helpless), maneuver="grapple_shove"
        )
        return (yield AssaultBegun(assault=assault, because=("RI-UNIV-SHOVE", "C-48")))

    def assault(self, state: State) -> Assault:
        user, target = state.creatures[self.creature], state.creatures[self.target]
        most = UNSEEN_FT if "speeds" in user.gm_only else push_feet(state, user, target, critical=True)
        return Assault(
            user=user.id,
            what=self.type,
            targets=(target.id,),
            strike=brawl(state.profile.shove),
            push=self.direction or state.away(target, user),
            push_ft=most if self.distance_ft is None else min(most, self.distance_ft),
        )

    @classmethod
    def offers(cls, view: State, awaited: Awaited) -> Iterator[Offer]:
        yield from super().offers(view, awaited)
        by, user = sender(view, awaited), view.creatures[awaited.creature or ""]
        bound = grapplers(user)
        for target in bound:
            given: Mapping[str, Any] = {
                "target": target,
                "also": tuple([name for name in bound if name != target]),
                "pay": "movement",
            }
            for offer in offered(cls(by=by, creature=user.id, **given), view, **given):
                yield changed(offer, choices={"direction": STEPS})
