"""List what may be offered by trying every combination alone: the slow way, which options must equal.

What is tried are the ways that options name: straight paths, everybody as a target, every item and payment.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product
from typing import Any, Final

from service.rules.kernel.messages import Actor, Awaited, Refused
from service.rules.rise import RISE
from service.rules.rise.body.aerial_movement import AIRBORNE
from service.rules.rise.body.effects import grapplers
from service.rules.rise.creatures.creature import Creature
from service.rules.rise.creatures.state import State
from service.rules.rise.sight.obstacles_and_targets import aims
from service.rules.space.grid import FEET, STEPS, cells, line

Data = Mapping[str, Any]
Path = tuple[tuple[int, int], ...]

PAYS: Final = ("free", "minor", "standard")
ANY_WAY: Final[tuple[Data, ...]] = (
    {},
    {"sprint": True},
    {"stand_up": True},
    {"stand_up": True, "sprint": True},
)
FAR_FT: Final = 500


def tried(view: State, awaited: Awaited, type_: str) -> Iterator[Data]:
    """Yield the data, without the creature, of every command of a type that is tried and legal on *view*."""
    creature = view.creatures[awaited.creature or ""]
    by = Actor(seat=awaited.seat, role=view.seats[awaited.seat].role)
    kind: Any = RISE.commands[type_]
    for data in CANDIDATES[type_](view, creature):
        try:
            kind(by=by, creature=creature.id, **data).check(view)
        except Refused:
            continue
        yield data


def _with(ways: Iterator[Data], **choices: tuple[Any, ...]) -> Iterator[Data]:
    for way in ways:
        for chosen in product(*choices.values()):
            yield {**way, **dict(zip(choices, chosen, strict=True))}


def _straight(creature: Creature) -> list[Path]:
    feet = 2 * max((0, *creature.sheet.speeds.values(), creature.sheet.speed("land")))
    ends = [tuple(line(creature.position, step, min(feet, FAR_FT) // FEET)) for step in STEPS]
    return [way[: many + 1] for way in ends for many in range(len(way))]


def _strikes(view: State, creature: Creature) -> Iterator[Data]:
    ways: tuple[Data, ...] = ({}, {"thrown": True}, {"willing": True})
    for weapon, target, way in product(creature.sheet.weapons, view.creatures, ways):
        yield from _with(iter(({"weapon": weapon.id, "target": target, **way},)), subdual=(False, True))


def _charges(view: State, creature: Creature) -> Iterator[Data]:
    for path, weapon, target in product(_straight(creature), creature.sheet.weapons, view.creatures):
        yield {"path": path, "weapon": weapon.id, "target": target}


def _brawls(view: State, creature: Creature) -> Iterator[Data]:
    for target, willing in product(view.creatures, (False, True)):
        yield {"target": target, "willing": willing}


def _shoves(view: State, creature: Creature) -> Iterator[Data]:
    yield from _brawls(view, creature)
    bound = grapplers(creature)
    for target, direction in product(bound, STEPS):
        also = tuple(name for name in bound if name != target)
        yield {"target": target, "also": also, "pay": "movement", "direction": direction}


def _throws(view: State, creature: Creature) -> Iterator[Data]:
    things: list[Data] = [{"item": item} for item in creature.held]
    yield from _with(iter((*things, *_brawls(view, creature))), direction=STEPS)


def _runs(view: State, creature: Creature) -> Iterator[Data]:
    for path in _straight(creature):
        others = [o for cell in path for part in cells(cell, creature.space) for o in view.standing_at(part)]
        met = tuple(dict.fromkeys([other.id for other in others if other.id != creature.id]))
        if met:
            friends = tuple(name for name in met if view.group_of(name) == view.here)
            yield from ({"path": path, "aside": aside} for aside in {(), friends})


def _uses(view: State, creature: Creature) -> Iterator[Data]:
    for ability in creature.sheet.abilities:
        pays: tuple[Data, ...] = (
            {},
            {"pay": {"minor": "standard", "move_or_standard": "movement"}.get(ability.usage)},
        )
        for aim in (*_aims(view, ability), *_all_in_reach(view, creature, ability)):
            yield from ({"ability": ability.id, **aim, **pay} for pay in pays)


def _aims(view: State, ability: Any) -> list[Data]:
    if ability.area is not None:
        return list(aims(view, ability))
    zone = ability.zone is not None
    return [{"targets": (c.id,), **({"at": c.position} if zone else {})} for c in view.creatures.values()]


def _all_in_reach(view: State, creature: Creature, ability: Any) -> Iterator[Data]:
    if ability.area is None and ability.zone is None:
        by = Actor(seat=view.controller(creature.id), role="player")
        use: Any = RISE.commands["use_ability"]
        found = []
        for name in view.creatures:
            try:
                use(by=by, creature=creature.id, ability=ability.id, targets=(name,)).check(view)
            except Refused:
                continue
            found.append(name)
        yield from ({"targets": tuple(found)},) if len(found) > 1 else ()


def _things(view: State, creature: Creature) -> Iterator[Data]:
    found = [(what, "") for what in ("open", "rummage", "other")]
    found += [(what, edge) for what in ("open", "close") for edge in view.walls]
    found += [("draw", weapon.id) for weapon in creature.sheet.weapons if weapon.id not in creature.held]
    found += [(what, item) for what in ("drop", "stow") for item in creature.held]
    found += [("pick_up", item) for item in view.lying]
    for (what, item), pay in product(found, PAYS):
        if what != "drop" or pay == "free":
            yield {"what": what, "item": item, "pay": pay}


def _moves(view: State, creature: Creature) -> Iterator[Data]:
    modes = {"land": 0, **creature.sheet.speeds}
    ways: list[Data] = [{"mode": mode} for mode in modes]
    if not creature.budget.paused:
        ways += ANY_WAY[1:]
        yield {"stand_up": True}
    for way, path in product(ways, _straight(creature)):
        yield from _with(iter(({**way, "path": path},)), pause=(False, True))
    rules: list[Data] = [
        {"ability": each, "distance_ft": feet} for each in ("follow", "withdraw") for feet in (5, 10, 30, 60)
    ]
    rules += [{"ability": "custom", "within_ft": feet} for feet in (10, 30)]
    bodily: list[Data] = [
        *ANY_WAY,
        *({"mode": mode, **way} for mode in modes if mode in AIRBORNE for way in ANY_WAY[:2]),
    ]
    if not creature.budget.paused and not creature.location_changed:
        for rule, way, target in product(rules, bodily, view.creatures):
            yield {**rule, **way, "targets": (target,)}
        yield from ({"ability": "block", "targets": (target,)} for target in view.creatures)
        for mount, path in product(view.creatures, ((), *_straight(creature))):
            yield {"mount": mount, "path": path}


CANDIDATES: Final = {
    **dict.fromkeys(("strike", "reckless_attack"), _strikes),
    **dict.fromkeys(("trip", "grapple", "dirty_trick"), _brawls),
    "charge": _charges,
    "shove": _shoves,
    "throw": _throws,
    "overrun": _runs,
    "use_ability": _uses,
    "manipulate_object": _things,
    "move": _moves,
}
