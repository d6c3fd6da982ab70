"""Shove: push somebody and walk along, or move the whole grapple one is in as a movement of one's own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar, Final, Literal

from service.rules.kernel.messages import Awaited, Emits, Offer, Refused
from service.rules.kernel.records import changed, record
from service.rules.kernel.rulebook import Rule, enforces
from service.rules.rise import books
from service.rules.rise.acting.actions import check_trade, pay_for
from service.rules.rise.acting.brawling import Brawl, brawl, check_size
from service.rules.rise.acting.offering import offered, sender
from service.rules.rise.acting.strikes import moved_already, target_of
from service.rules.rise.acting.turns import begun, taking_turn
from service.rules.rise.attacks.assault import AssaultBegun
from service.rules.rise.attacks.uses import Assault
from service.rules.rise.creatures.creature import Creature
from service.rules.rise.harm.holds import grapplers
from service.rules.rise.harm.numbers import speed_of
from service.rules.rise.space.forced import UNSEEN_FT, push_feet
from service.rules.rise.space.paths import check_direction
from service.rules.rise.state import State
from service.rules.space.grid import STEPS, Cell, Feet

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
    direction: tuple[int, int] | None = None
    """One step on the grid; null pushes straight away."""
    distance_ft: Feet | None = None
    """Null pushes as far as possible."""
    pay: Literal["standard", "movement"] = "standard"
    """A grappled creature may shove as a movement: if it beats all who hold it, the whole grapple moves."""
    also: tuple[str, ...] = ()
    """The others who hold the user, where a movement pays for it."""

    def check(self, view: State) -> None:
        if self.pay == "standard":
            super().check(view)
            return
        user = taking_turn(view, self)
        check_trade(user, "movement")
        if view.house.traded_movement == "hustle":
            raise Refused("no_such_trade", "a standard action buys a hustle in this house", "RI-ACT-4")
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
