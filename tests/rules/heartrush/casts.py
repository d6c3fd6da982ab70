"""Set up fights in which creatures have abilities: shipped ones by id, or some written for the test."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from service.rules.ruleset import waiting
from tests.rules.heartrush.kit import Fight, begun


def ability(name: str, *tags: str, **changes: Any) -> dict[str, Any]:
    """Return an ability as a client would send it."""
    return {"id": name, "name": name, "tags": list(tags), **changes}


def do(kind: str, /, **effect: Any) -> dict[str, Any]:
    """Return the operation that carries one effect out."""
    return {"kind": "do", "effect": {"kind": kind, **effect}}


def owners(**abilities: tuple[str, ...]) -> dict[str, dict[str, Any]]:
    """Return sheets' changes that give each creature these abilities."""
    return {name: {"abilities": list(owned)} for name, owned in abilities.items()}


def fight_with(
    places: Mapping[str, tuple[int, int]], sheets: Mapping[str, Mapping[str, Any]], **changes: Any
) -> Fight:
    """Return a fight that has begun, with these changes of sheets."""
    return begun(places, sheets=sheets, **changes)


def use(fight: Fight, creature: str, name: str, /, *faces: int, rush: int = 0, **params: Any) -> Fight:
    """Let a creature use an ability that is no instant."""
    return fight.do("use_ability", *faces, creature=creature, ability=name, params=params, rush_extra=rush)


def declare(fight: Fight, creature: str, name: str, /, *faces: int, rush: int = 0, **params: Any) -> Fight:
    """Let a creature answer the window that waits for it with an instant, or declare it at an idle moment."""
    prompt = next((a for a in prompts(fight, creature) if not a.endswith("/instant")), None)
    data = {"creature": creature, "ability": name, "params": params, "rush_extra": rush}
    return fight.do("declare_instant", *faces, **data, **({"prompt": prompt} if prompt else {}))


def prompts(fight: Fight, creature: str) -> list[str]:
    """Return the prompts at which *creature* could declare an instant."""
    return [
        a.prompt
        for a in waiting(fight.state)
        if a.creature == creature
        and ("declare_instant" in a.accepts or {"cast", "pass_window"} <= set(a.accepts))
    ]


def let_go(fight: Fight) -> Fight:
    """Let everybody pass every window that is open now, until none is."""
    while windows := [a for a in waiting(fight.state) if "pass_window" in a.accepts]:
        fight.do("pass_window", creature=windows[0].creature, prompt=windows[0].prompt)
    return fight


def engaged(fight: Fight, who: str, whom: str, **stances: str) -> Fight:
    """Bring two creatures into an engagement by themselves, in these stances; windows are left open."""
    fight.do("engage", creature=who, target=whom).joined_by()
    return fight.stances(**stances)
