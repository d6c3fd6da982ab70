"""Let reactive attacks come: what a phase sets off resolves at its end, and sets nothing off itself."""

from __future__ import annotations

from typing import ClassVar

from service.rules.kernel.messages import Awaited, Emits, Event
from service.rules.kernel.records import changed, record, with_key
from service.rules.rise.acting.special import use_of
from service.rules.rise.attacks.areas import is_aimed
from service.rules.rise.attacks.assault import AssaultBegun
from service.rules.rise.creatures.creature import Creature, is_able
from service.rules.rise.creatures.sheet import Ability
from service.rules.rise.state import State
from service.rules.rolls.chance import Chance
from service.rules.space.grid import distance
from service.rules.table.stack import Frame


@record
class Reaction:
    """An ability that was set off: whose, which, by whom."""

    owner: str
    ability: str
    target: str


@record
class ReactionsFrame(Frame[State]):
    """What a phase set off, one after the other."""

    kind: ClassVar[str] = "rise_reactions"
    pending: tuple[Reaction, ...]

    def waiting(self, state: State) -> tuple[Awaited, ...]:
        return ()

    def advance(self, state: State, chance: Chance) -> Emits[State]:
        for reaction in self.pending:
            owner = state.creatures[reaction.owner]
            state = yield ReactionCame(reaction=reaction, because=("RI-ATK-11",))
            if not is_able(owner):
                return state
            ability = next(a for a in owner.sheet.abilities if a.id == reaction.ability)
            at = state.creatures[reaction.target].position if is_aimed(ability) else None
            use = changed(use_of(state, owner.id, ability, (reaction.target,), at), reactive=True)
            return (yield AssaultBegun(assault=use, because=("RI-ATK-11",)))
        return (yield ReactionsDone(path=self.path, because=("RI-ATK-11",)))


@record
class ReactionsSetOff(Event[State]):
    """These abilities were set off in the phase that ends."""

    type: ClassVar[str] = "reactions_set_off"
    reactions: tuple[Reaction, ...]

    def evolve(self, state: State) -> State:
        frame = ReactionsFrame(path=f"r{state.round}/{state.stage}/reactions", pending=self.reactions)
        return changed(state, reacted=True).pushed(frame)


@record
class ReactionCame(Event[State]):
    """One of them comes now."""

    type: ClassVar[str] = "reaction_came"
    reaction: Reaction

    def evolve(self, state: State) -> State:
        frame = state.top_frame(ReactionsFrame)
        state = state.put(changed(frame, pending=frame.pending[1:]))
        free = state.creatures[self.reaction.owner].budget.free
        used = with_key(free, self.reaction.ability, free.get(self.reaction.ability, 0) + 1)
        return state.with_budget(self.reaction.owner, free=used)


@record
class ReactionsDone(Event[State]):
    """Everything that was set off has come."""

    type: ClassVar[str] = "reactions_done"
    path: str

    def evolve(self, state: State) -> State:
        return state.popped(self.path)


def react(due: tuple[Reaction, ...]) -> Emits[State]:
    """Tell what the phase set off."""
    return (yield ReactionsSetOff(reactions=due, because=("RI-ATK-11",)))


def set_off(state: State) -> tuple[Reaction, ...]:
    """Return what the phase that ends has set off and has not come yet, by owner, ability and target."""
    if state.reacted:
        return ()
    found: list[Reaction] = []
    for name, owner in sorted(state.creatures.items()):
        for ability in owner.sheet.abilities if is_able(owner) else ():
            left = (ability.per_round_limit or 1) - owner.budget.free.get(ability.id, 0)
            by = [other for other in sorted(state.creatures) if was_set_off(state, owner, ability, other)]
            found += [Reaction(owner=name, ability=ability.id, target=other) for other in by[: max(0, left)]]
    return tuple(found)


def was_set_off(state: State, owner: Creature, ability: Ability, other: str) -> bool:
    """Tell whether *other*, an enemy, did in this phase what sets the ability off."""
    if ability.trigger == "none" or other == owner.id or state.attitude(owner.id, other) != "enemy":
        return False
    them = state.creatures[other]
    if them.dead or them.defeated:
        return False
    if ability.trigger == "hurt":
        return other in owner.hurt_by
    was, now = _apart(owner, them, before=True), _apart(owner, them, before=False)
    if ability.trigger == "enters_reach":
        return was > ability.range_ft >= now
    return now > ability.range_ft >= was


def _apart(owner: Creature, them: Creature, *, before: bool) -> int:
    a = owner.stood if before and owner.stood is not None else owner.position
    b = them.stood if before and them.stood is not None else them.position
    return distance(a, owner.space, b, them.space, "alternating")
