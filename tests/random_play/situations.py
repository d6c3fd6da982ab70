"""Name the situations that random play must reach, and bring those that chance alone seldom brings.

Each player counts what its commands meet; a test of each fails where a situation is never met.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from random import Random
from typing import Any, Final

from service.rules.heartrush.creatures.sheet import Sheet as HeartrushSheet
from service.rules.heartrush.table.combat import ABILITY_COMMANDS, LEISURE_ACTIONS
from service.rules.kernel.records import sealable_fields
from service.rules.rise.creatures.sheet import Sheet as RiseSheet
from service.rules.table.table import GM
from tests.rules.heartrush.kit import sheet
from tests.rules.rise.bot import KIT
from tests.rules.rise.kit import entry

GM_ONLY_FIELDS: Final[Mapping[str, tuple[str, ...]]] = {
    "heartrush@1": tuple(sealable_fields(HeartrushSheet)),
    "rise@1": tuple(sealable_fields(RiseSheet)),
}
OUTSIDE: Final[Mapping[str, Mapping[str, frozenset[str]]]] = {
    "heartrush@1": {
        "acts": frozenset((*LEISURE_ACTIONS, *ABILITY_COMMANDS, "hide", "coat_weapon", "treat_wounds")),
        "rests": frozenset(("rest",)),
        "buys": frozenset(("spend_xp",)),
    },
    "rise@1": {"rests": frozenset(("rest",))},
}
"""What is done outside combat, by the commands of which it takes one."""
WHEN: Final[Mapping[str, str]] = {"setup": "before", "ended": "after"}

ANYWHERE: Final = (
    "the GM plays everybody",
    "hidden creatures of both sides",
    "GM-only fields of both sides",
)
SITUATIONS: Final[Mapping[str, frozenset[str]]] = {
    "heartrush@1": frozenset(
        (
            *ANYWHERE,
            *(f"{who} {when} combat" for who in OUTSIDE["heartrush@1"] for when in ("before", "after")),
        )
    ),
    "rise@1": frozenset(
        (
            *ANYWHERE,
            "rests before combat",
            "rests after combat",
            "two players in one group",
            "Swift abilities hidden by players and by the GM",
        )
    ),
}
"""What random play of each book must reach."""


def met(before: Any, after: Any, seat: str, type_: str) -> Iterator[str]:
    """Yield the situations in which *seat* gave an accepted command between two states."""
    if not before.edition:
        return
    stage = before.phase if before.edition == "heartrush@1" else before.stage
    if stage in WHEN:
        doing = (what for what, types in OUTSIDE[before.edition].items() if type_ in types)
        yield from (f"{what} {WHEN[stage]} combat" for what in doing)
    lurking = {entry.sheet.side for entry in after.known_hidden().values()}
    if len(lurking) > 1:
        yield "hidden creatures of both sides"
    if stage in WHEN:
        return
    if seat == GM and not any(before.controller(name) != GM for name in before.creatures):
        yield "the GM plays everybody"
    secretive = {_side(creature) for creature in before.creatures.values() if creature.gm_only}
    if len(secretive) > 1:
        yield "GM-only fields of both sides"
    if before.edition == "rise@1":
        yield from _met_in_groups(before, after, seat)


def _side(creature: Any) -> str:
    side: str = creature.sheet.side
    return side


def _met_in_groups(before: Any, after: Any, seat: str) -> Iterator[str]:
    for members in before.groups.values():
        players = {before.controller(name) for name in members} - {GM}
        if len(players) > 1 and seat in players:
            yield "two players in one group"
    hiding = {
        after.controller(name) == GM for group in after.hidden_swift for name in after.groups.get(group, ())
    }
    if len(hiding) > 1:
        yield "Swift abilities hidden by players and by the GM"


# --- what chance alone seldom brings -------------------------------------------------------------------


def concealed(random: Random, edition: str, opening: Mapping[str, Any]) -> dict[str, Any]:
    """Return *opening* with GM-only fields on every side; now and then the GM plays everybody.

    Players have creatures whose fields they do not know. Where Swift abilities are committed unseen
    (`swift_mode: lenient`) players keep their seats.
    """
    creatures = [dict(each) for each in opening["creatures"]]
    names = list(GM_ONLY_FIELDS[edition])
    if opening.get("options", {}).get("initiative") == "speed" and "speeds" in names:
        names.remove("speeds")  # every roll of initiative would show them, so the opening is refused
    if random.random() < 0.6:
        for each in creatures:
            if each["sheet"]["kind"] != "pc" and random.random() < 0.7:
                each["gm_only"] = random.sample(names, random.randint(1, 4))
    seats = list(opening["seats"])
    if random.random() < 0.25 and opening.get("options", {}).get("swift_mode") != "lenient":
        seats = [each for each in seats if each["role"] != "player"]
    return {**opening, "creatures": creatures, "seats": seats}


def hidden(random: Random, edition: str, opening: Mapping[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    """Return what the GM sends to hide a creature of each side where others may come upon it."""
    sides = sorted({each["sheet"]["side"] for each in opening["creatures"]})
    sent = []
    for i, side in enumerate(sides):
        name, at = f"hidden-{i}", [random.randrange(-3, 12), random.choice((-3, -2, 10, 11))]
        if edition == "heartrush@1":
            given: dict[str, Any] = {"sheet": sheet(name, like="wolf", side=side), "position": at}
        else:
            given = entry(f"mon@{side}/{name}", (at[0], at[1]), **KIT)
        if random.random() < 0.5:
            given["gm_only"] = ["hp_max"]
        sent.append(("hide_creature", {"entry": given}))
    return sent


def disturbed(random: Random, hidden_creatures: int) -> tuple[str, dict[str, Any]]:
    """Return what the GM tries with one of so many hidden creatures: moves, reveals or withdraws it."""
    data: dict[str, Any] = {"hidden_creature": random.randint(1, max(1, hidden_creatures))}
    name = random.choice(
        (
            "move_hidden_creature",
            "move_hidden_creature",
            "move_hidden_creature",
            "reveal_creature",
            "withdraw_hidden_creature",
        )
    )
    if name == "move_hidden_creature":
        data["position"] = [random.randrange(-3, 12), random.randrange(-3, 12)]
    return name, data
