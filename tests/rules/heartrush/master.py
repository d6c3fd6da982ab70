"""Let a game master do by chance what nobody is offered: hazards, rulings, experience, odd beginnings.

Each thing is only tried: what the moment does not allow is refused, which is as good a thing to have tried.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

from service.rules.heartrush.body import conditions
from service.rules.heartrush.creatures.state import State
from service.rules.ruleset import waiting
from tests.rules.heartrush.kit import sheet

CONDITIONS: Final = tuple(name for name, kind in conditions.CONDITIONS.items() if not kind.of_somebody)
"""What a ruling lays on a creature without naming another one."""
ABILITIES: Final = ("might", "agility", "cunning", "presence")
PURCHASES: Final[tuple[Mapping[str, Any], ...]] = (
    {"kind": "aspect_new", "text": "stubborn"},
    {"kind": "aspect_raise", "aspect": 0},
    {"kind": "hit_points"},
    {"kind": "ability_die", "ability": "might"},
    {"kind": "combat_talent", "name": "agile"},
    {"kind": "noncombat_talent", "name": "cook"},
    {"kind": "destiny_level", "name": "agile"},
    {"kind": "spell", "name": "cold-snap"},
)


class Attempt(NamedTuple):
    """One command that somebody tries."""

    type: str
    seat: str
    data: Mapping[str, Any]


class Moment(NamedTuple):
    """Where the fight stands, with a creature and another one picked by chance."""

    state: State
    chance: random.Random
    who: str
    other: str

    @property
    def seat(self) -> str:
        """Who plays the creature."""
        return self.state.controller(self.who)


def getting_up(state: State, chance: random.Random) -> Attempt | None:
    """Return a dash of somebody that lies down or is surprised, be it allowed or not."""
    if not any(creature.surprised or creature.has("prone") for creature in state.creatures.values()):
        return None
    return dash(Moment(state, chance, *chance.choices(list(state.creatures), k=2)))


def purchase(state: State, chance: random.Random) -> Attempt:
    """Return what somebody buys for experience."""
    who = chance.choice(list(state.creatures))
    return Attempt("spend_xp", state.controller(who), {"creature": who, "purchase": chance.choice(PURCHASES)})


def attempt(state: State, chance: random.Random) -> Attempt:
    """Return something to try now."""
    names = list(state.creatures)
    who, other = chance.choice(names), chance.choice(names)
    return chance.choice(TRICKS)(Moment(state, chance, who, other))


def verdict(state: State, chance: random.Random) -> Attempt | None:
    """Return the GM's word on what waits for it, if anything does."""
    for awaited in waiting(state):
        for name in ("adjudicate", "rule_ability"):
            if name in awaited.accepts:
                moment = Moment(state, chance, *chance.choices(list(state.creatures), k=2))
                accept = chance.random() < 0.5
                effects = [_check(moment)] if accept else []
                return Attempt(
                    name, awaited.seat, {"prompt": awaited.prompt, "accept": accept, "effects": effects}
                )
    return None


def prologue(state: State) -> list[Attempt]:
    """Return what is done before a campaign: one creature grows, is hurt, treated, sleeps; all coat."""
    who = next(iter(state.creatures))
    seat = state.controller(who)
    hurt = {"kind": "wound", "creature": who, "rank": 11}
    frail = {"kind": "condition", "creature": who, "condition": "vulnerable_physical", "levels": 1}
    done = [Attempt("spend_xp", seat, {"creature": who, "purchase": purchase}) for purchase in PURCHASES]
    done += [ruled(effect) for effect in (hurt, frail)]
    done.append(Attempt("treat_wounds", seat, {"creature": who, "patient": who}))
    done.append(
        Attempt("rest", "gm", {"rest": "long", "creatures": [who], "night": {"shelter": "structure"}})
    )
    return done + coats(state)


def coats(state: State) -> list[Attempt]:
    """Return what puts poison on the first weapon of everybody."""
    return [
        Attempt(
            "coat_weapon",
            state.controller(creature.id),
            {"creature": creature.id, "weapon": weapon.id, "poison": "viper"},
        )
        for creature in state.creatures.values()
        for weapon in creature.sheet.weapons[:1]
    ]


def hiding(state: State) -> list[Attempt]:
    """Return what hides the first creature from the second."""
    who, other = list(state.creatures)[:2]
    leave = {"creature": who, "cn": 5, "viewers": [other]}
    return [Attempt("allow_hiding", "gm", leave), Attempt("hide", state.controller(who), {"creature": who})]


def stance(state: State, chance: random.Random) -> Attempt | None:
    """Return a stance for somebody who owes one, be it allowed or not."""
    owing = [awaited for awaited in waiting(state) if "choose_stance" in awaited.accepts]
    if not owing:
        return None
    awaited = chance.choice(owing)
    chosen = chance.choice(["might", "agility", "cunning", "defensive"])
    data = {"creature": awaited.creature, "prompt": awaited.prompt, "stance": chosen}
    return Attempt("choose_stance", awaited.seat, data)


def _check(m: Moment) -> dict[str, Any]:
    number = {"cn": 7} if m.chance.random() < 0.5 else {"against": {"creature": m.other, "by": "heart"}}
    return {
        "kind": "check",
        "creature": m.who,
        "ability": m.chance.choice(ABILITIES),
        "what": "luck",
        "save": m.chance.random() < 0.5,
        "success": [_effect(m)],
        "failure": [_effect(m)],
        **number,
    }


def _effect(m: Moment) -> dict[str, Any]:
    cell = [m.chance.randint(-2, 9), m.chance.randint(-2, 9)]
    common: list[dict[str, Any]] = [
        {"kind": "condition", "condition": m.chance.choice(CONDITIONS), "levels": m.chance.randint(1, 3)},
        {"kind": "damage", "amount": m.chance.randint(1, 14)},
        {"kind": "heal", "amount": m.chance.randint(1, 14)},
        {
            "kind": "push",
            "feet": m.chance.choice([5, 10, 15]),
            "direction": m.chance.choice([[0, 1], [1, 0]]),
        },
        {"kind": "hp", "hp": m.chance.randint(-3, 5)},
        {"kind": "action", "actions": 1},
        {"kind": "rush", "points": m.chance.randint(1, 3)},
        {"kind": "move", "to": cell},
        {"kind": "expose"},
        {"kind": "hidden", "hidden_from": [m.other]},
    ]
    table: list[dict[str, Any]] = [
        {"kind": "scenery", "cells": [cell], "height_ft": 5, "climb_cn": 6},
        {"kind": "terrain", "cells": [cell], "terrain": m.chance.choice(["normal", "deep_water", "climb"])},
        {"kind": "ease_wounds", "creature": m.who, "amount": 3},
        {"kind": "priority", "side": m.state.creatures[m.who].side},
        {"kind": "restore", "creature": m.who, "hp": 5},
        {"kind": "surprise", "creature": m.who},
        {"kind": "knock_out", "creature": m.who},
    ]
    if m.chance.random() < 0.3:
        return m.chance.choice(table)
    return {"creature": m.who, **m.chance.choice(common)}


def roll(m: Moment) -> Attempt:
    """Return a check or a save of somebody, on the GM's order."""
    order = {key: value for key, value in _check(m).items() if key in ("ability", "what", "cn", "against")}
    return Attempt(m.chance.choice(["roll_check", "roll_save"]), "gm", {"creature": m.who, **order})


def contest(m: Moment) -> Attempt:
    """Return a contest of two creatures, on the order of the GM."""
    terms = {"ability": "cunning", "answered_with": m.chance.choice([["presence"], ["might", "agility"]])}
    return Attempt(
        "roll_contest", "gm", {"creature": m.who, "against": m.other, "what": "outrun it", **terms}
    )


def ruled(*effects: Mapping[str, Any], kind: str = "effect") -> Attempt:
    """Return a ruling of the GM's that has these effects."""
    return Attempt("gm_ruling", "gm", {"kind": kind, "decision": "so be it", "effects": list(effects)})


def _ruling(m: Moment) -> Attempt:
    kind = m.chance.choice(["effect", "correction", "hazard"])
    return ruled(_effect(m) if m.chance.random() < 0.8 else _check(m), kind=kind)


def _beginning(m: Moment) -> Attempt:
    mine, theirs = m.state.creatures[m.who].side, m.state.creatures[m.other].side
    hiding = {m.who: [m.other]} if mine != theirs else {}
    unready = m.chance.choice([[], [m.other]])
    return Attempt("begin_combat", "gm", {"hidden": hiding, "surprised": unready})


def wound(m: Moment) -> Attempt:
    """Return what is done with somebody's wound: described, or invoked."""
    wounds = [one.id for one in m.state.creatures[m.who].wounds] or ["w1"]
    data = {"creature": m.who, "wound": wounds[0]}
    if m.chance.random() < 0.5:
        return Attempt("describe_wound", "gm", {**data, "description": "a gash"})
    return Attempt("invoke_wound", m.seat, data)


def aspect(m: Moment) -> Attempt:
    """Return the invoking of the first aspect of somebody."""
    ways: list[dict[str, Any]] = [{"use": "earn"}, {"use": "spend"}, {"use": "spend", "points": 2}]
    return Attempt("invoke_aspect", m.seat, {"creature": m.who, "aspect": 0, **m.chance.choice(ways)})


def _treatment(m: Moment) -> Attempt:
    patient = m.chance.choice([m.who, m.other])
    return Attempt("treat_wounds", m.seat, {"creature": m.who, "patient": patient})


def rest(m: Moment) -> Attempt:
    night = {"warmth": m.chance.choice(["comfortable", "freezing"]), "watch": [m.who]}
    if m.chance.random() < 0.5:
        return Attempt("rest", "gm", {"rest": "short", "creatures": list(m.state.creatures)})
    return Attempt("rest", "gm", {"rest": "long", "creatures": list(m.state.creatures), "night": night})


def _time(m: Moment) -> Attempt:
    return Attempt("advance_clock", "gm", m.chance.choice([{"hours": 12}, {"minutes": 11}, {"days": 1}]))


def _arrival(m: Moment) -> Attempt:
    name = f"late-{len(m.state.creatures)}"
    place = [20 + len(m.state.creatures), 20]
    return Attempt("add_creature", "gm", {"entry": {"sheet": sheet(name, like="wolf"), "position": place}})


def dash(m: Moment) -> Attempt:
    """Return a dash of one step, of the hampered if there are any."""
    hampered = [c.id for c in m.state.creatures.values() if c.surprised or c.has("prone")]
    who = m.chance.choice(hampered or [m.who])
    x, y = m.state.creatures[who].position
    data = {"creature": who, "to": [x, y + 1], "stand": m.state.creatures[who].has("prone")}
    return Attempt("dash", m.state.controller(who), data)


def _hazard(m: Moment) -> Attempt:
    save = {"ability": "agility", "cn": 8, "damage": 6}
    return Attempt("hazard", "gm", {"creature": m.who, "what": "a pit", **save})


def complication(m: Moment) -> Attempt:
    """Return the telling of the oldest complication."""
    known = [one.id for one in m.state.complications] or ["c1"]
    return Attempt("tell_complication", "gm", {"complication": known[0], "text": "a cry"})


TRICKS: Final[tuple[Callable[[Moment], Attempt], ...]] = (
    *(
        roll,
        contest,
        _ruling,
        _ruling,
        _ruling,
        _beginning,
        wound,
        aspect,
        _treatment,
        rest,
        _time,
        complication,
    ),
    dash,
    _hazard,
    lambda m: Attempt("fall", "gm", {"creature": m.who, "feet": m.chance.choice([10, 20])}),
    lambda m: Attempt("cut_off", "gm", {"creature": m.who}),
    lambda m: Attempt("award_xp", "gm", {"creatures": [m.who], "amount": 60}),
    lambda m: purchase(m.state, m.chance),
    lambda m: Attempt("allow_hiding", "gm", {"creature": m.who, "cn": 5, "viewers": [m.other]}),
    lambda m: Attempt("hide", m.seat, {"creature": m.who}),
    lambda m: Attempt("go_unconscious", m.seat, {"creature": m.who}),
    lambda m: Attempt("ask_ruling", m.seat, {"creature": m.who, "text": "may I?"}),
    lambda m: _arrival(m) if m.chance.random() < 0.1 else _ruling(m),
)
