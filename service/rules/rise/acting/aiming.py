"""Aim what stands on the sheet: who may be named, where an area or zone may come, what is offered."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, TypeAlias

from service.rules.kernel.messages import Refused
from service.rules.kernel.records import EMPTY
from service.rules.rise.acting.brawling import check_size
from service.rules.rise.attacks.areas import aims, check_named
from service.rules.rise.attacks.zones import check_place
from service.rules.rise.creatures.creature import Creature
from service.rules.rise.creatures.sheet import Ability
from service.rules.rise.permission import is_allowed
from service.rules.rise.space.sight import in_reach, known_of, targets_of
from service.rules.rise.state import State
from service.rules.space.grid import Cell

Choices: TypeAlias = Mapping[str, tuple[Any, ...]]


def check_targets(view: State, creature: Creature, ability: Ability, targets: tuple[str, ...]) -> None:
    """Refuse targets that are not there, out of reach, or too big."""
    check_named(ability, targets)
    if not targets and ability.zone is None and ability.area is None:
        raise Refused("invalid_target", f"{ability.id} needs a target", "RI-ATK-1")
    for target in targets_of(view, creature, targets, ability.range_ft):
        check_fit(creature, target, ability)


def check_fit(user: Creature, target: Creature, ability: Ability) -> None:
    """Refuse a target that is too big for *ability*."""
    if "size_based" in ability.tags and target.id != user.id:
        check_size(user, target)


# --- offers ------------------------------------------------------------------------------------------


def aimed(view: State, user: Creature, ability: Ability) -> Iterator[tuple[Mapping[str, Any], Choices]]:
    """Yield the ways to aim *ability* that are offered, each as what is fixed and what is to choose."""
    found = single_aims(view, user, ability)
    if ability.area is None and ability.zone is None and found:
        targets = tuple([aim["targets"] for aim in found])
        everybody = (tuple([name for (name,) in targets]),) if len(targets) > 1 else ()
        yield EMPTY, {"targets": (*targets, *everybody)}
    elif found == [{}]:
        yield EMPTY, EMPTY
    elif ability.area is not None:
        for altitude in dict.fromkeys([aim.get("altitude_ft", 0) for aim in found]):
            spots = tuple([aim["at"] for aim in found if aim.get("altitude_ft", 0) == altitude])
            yield {"altitude_ft": altitude} if altitude else EMPTY, {"at": spots}
    else:
        for at in dict.fromkeys([aim["at"] for aim in found]):
            yield {"at": at}, {"targets": tuple([aim["targets"] for aim in found if aim["at"] == at])}


def single_aims(view: State, user: Creature, ability: Ability) -> list[dict[str, Any]]:
    """Return the ways to aim *ability* at one creature: an area or zone where somebody stands."""
    if ability.area is not None:
        return [aim for aim in aims(view, ability) if is_allowed(check_aim, view, user, ability, **aim)]
    targets = targetable(view, user, ability)
    if ability.zone is None:
        is_placed = is_allowed(check_place, view, user, ability, None)
        return [{"targets": (name,)} for name in targets if is_placed]
    places = {name: view.creatures[name].position for name in targets}
    near = [name for name in targets if is_allowed(check_place, view, user, ability, places[name])]
    return [{"targets": (name,), "at": places[name]} for name in near]


def check_aim(
    view: State, user: Creature, ability: Ability, at: Cell | None = None, altitude_ft: int = 0
) -> None:
    """Refuse an area that cannot be placed so."""
    check_place(view, user, ability, at, altitude_ft)
    check_targets(view, user, ability, ())


def targetable(view: State, user: Creature, ability: Ability) -> tuple[str, ...]:
    """Return whom *ability* may name: its user, and everybody in reach who is not too big."""

    def find(_: State) -> tuple[str, ...]:
        near = dict.fromkeys((user.id, *in_reach(view, user, ability.range_ft)))
        return tuple([name for name in view.creatures if name in near])

    found = known_of(view, user, f"targetable/{ability.range_ft}", find)
    if "size_based" not in ability.tags:
        return found
    return tuple([name for name in found if is_allowed(check_fit, user, view.creatures[name], ability)])
