"""Say in a sentence why the events of a commit happened: what attacks came to, what a phase did at once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final

Data = Mapping[str, Any]
Names = Mapping[str, str]
"""Names of creatures by id."""

TELLING: Final = (
    *("combat_ended", "defeated", "fell_unconscious", "vital_wound_taken", "damage_taken", "healed"),
    *("condition_gained", "conflict_found", "moved", "group_announced", "group_finished", "swift_resolved"),
    *(
        "recover_used",
        "ability_used",
        "plans_revealed",
        "movement_planned",
        "combat_started",
        "round_started",
    ),
)
"""See `Ruleset.telling`."""
_OUTCOMES: Final[Mapping[str, str]] = MappingProxyType(
    {"crit": "critically hits", "hit": "hits", "glance": "grazes", "miss": "misses"}
)
_AT_ONCE: Final = ("damage_taken", "healed", "defeated", "fell_unconscious")


def answer(events: Sequence[Data], names: Names) -> str:
    """Return why these events happened, empty for those that no attack and no announcement explains."""
    if any(event["type"] == "group_announced" for event in events):
        done = "; ".join(_at_once(events, names))
        return f"All groups are done, so what they did takes effect at once: {done}" if done else ""
    return "; ".join(_attacks(events, names))


def _attacks(events: Sequence[Data], names: Names) -> Iterator[str]:
    """Yield of each attack that was rolled what it came to, with the total and the damage."""
    for at, event in enumerate(events):
        if event["type"] != "attack_rolled" or event["outcome"] not in _OUTCOMES:
            continue
        who, target = (names.get(event[name], event[name]) for name in ("attacker", "target"))
        known = [f"{name} {value}" for name, value in event["defenses"].items() if type(value) is int]
        met = f" against {', '.join(known)}" if known else ""
        against = f" with {event['total']}{met}" if type(event["total"]) is int else ""
        after = [each for each in events[at:] if each["type"] == "damage_rolled"]
        amount = next((each["amount"] for each in after if each["target"] == event["target"]), None)
        damage = f", for {amount} damage" if type(amount) is int else ""
        yield f"{who} {_OUTCOMES[event['outcome']]} {target}{against}{damage}"


def _at_once(events: Sequence[Data], names: Names) -> Iterator[str]:
    """Yield what happened to each creature when everything took effect."""
    for event in events:
        if event["type"] not in _AT_ONCE:
            continue
        who = names.get(event["creature"], event["creature"])
        if event["type"] == "damage_taken":
            yield f"{who} takes {event['amount']} damage"
        elif event["type"] == "healed":
            yield f"{who} is healed"
        elif event["type"] == "defeated":
            yield f"{who} is {event['fate']}"
        else:
            yield f"{who} falls unconscious"
