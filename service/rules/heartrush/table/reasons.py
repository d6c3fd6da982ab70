"""Say in a sentence why the events of a commit happened: who strikes by its stance, what attacks came to."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from service.rules.heartrush.engaging.stances import beats

Data = Mapping[str, Any]
Names = Mapping[str, str]
"""Names of creatures by id."""

TELLING: Final = (
    *("died", "unconscious", "combat_ended", "fell_to_zero", "wound_marked", "damage_applied", "shrugged"),
    *("exchange_hit", "push_chosen", "collision", "pushed", "condition_gained", "priority_granted"),
    *("round_started", "engagement_declared", "engagement_joined", "engagement_ended", "ability_fizzled"),
    "combat_began",
)
"""See `Ruleset.telling`."""
_STEPS: Final = ("cunning", "agility", "might")
"""The stances that attack, in the order of their steps."""


def answer(events: Sequence[Data], names: Names) -> str:
    """Return why these events happened, empty for those that stances and attack rolls do not explain."""
    return "; ".join([*_stances(events, names), *_attacks(events, names)])


def _stances(events: Sequence[Data], names: Names) -> Iterator[str]:
    """Yield of each creature whose stance is revealed whether it strikes in the step that begins, and why."""
    revealed = next((event for event in events if event["type"] == "stances_revealed"), None)
    started = next((event for event in events if event["type"] == "step_started"), None)
    if revealed is None:
        return
    stances: Mapping[str, str] = revealed["stances"]
    step = "" if started is None else str(started["step"])
    for id_, stance in stances.items():
        chose = f"{names.get(id_, id_)} chose {stance}"
        if stance not in _STEPS:
            yield f"{names.get(id_, id_)} is {stance}, so it does not strike"
        elif started is not None and id_ in started["eligible"]:
            yield f"{chose}, so it strikes in the {step} step"
        elif step and _STEPS.index(stance) > _STEPS.index(step):
            yield f"{chose}, so it may strike after the {step} step"
        else:
            others = {other for name, other in stances.items() if name != id_}
            first = f", which acts before {step}" if step and step != stance else ""
            beaten = [other for other in sorted(others) if beats(other, stance)]
            why = (
                f"{', '.join(beaten)} beats it"
                if len(beaten) == len(others)
                else "nobody whom it may strike is in reach"
            )
            yield f"{chose}{first}, but {why}, so it does not strike"


def _attacks(events: Sequence[Data], names: Names) -> Iterator[str]:
    """Yield of each attack that was rolled whether it hit, with both totals."""
    for event in events:
        if event["type"] != "attack_rolled":
            continue
        same = [each for each in events if each.get("exchange") == event["exchange"]]
        met = next((each for each in same if each["type"] in ("defense_rolled", "contested_rolled")), None)
        hit = next((each for each in same if each["type"] == "exchange_hit"), None)
        missed = any(each["type"] == "exchange_settled" and not each["hit"] for each in same)
        if met is None or not (hit or missed):
            continue
        mine, theirs = _total(event), _total(met)
        if hit is not None and hit["by"] == met["creature"]:  # the other of a contested pair hits
            mine, theirs = theirs, mine
        rolls = f": {mine} against {theirs}" if mine is not None and theirs is not None else ""
        if hit is not None:
            by, target = (names.get(hit[name], hit[name]) for name in ("by", "creature"))
            excess = f" by {hit['excess']}" if type(hit["excess"]) is int else ""
            yield f"{by} hits {target}{excess}{rolls}"
        else:
            by, target = (names.get(each["creature"], each["creature"]) for each in (event, met))
            yield f"{by} does not beat the roll of {target}{rolls}, so it misses"


def _total(event: Data) -> int | None:
    """Return the total of a roll, None if it is sealed from the reader."""
    total = event["rolled"].get("total")
    return total if type(total) is int else None
