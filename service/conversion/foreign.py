"""Read what lists of other games and programs call a creature's name, size, speed and hit points.

Their other numbers have no meaning in another game, so they are left out, with one note for all.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from math import isfinite
from typing import Any, Final

ALIASES: Final[Mapping[str, str]] = {
    "creature": "name",
    "monster": "name",
    "character": "name",
    "title": "name",
    "label": "name",
    "display_name": "name",
    **{f"{kind}_name": "name" for kind in ("creature", "monster", "character", "token", "npc", "actor")},
    "hit_points": "hp",
    "hitpoints": "hp",
    "health": "hp",
    "current_hp": "hp",
    "current_hit_points": "hp",
    "hp_current": "hp",
    "max_hp": "hp_max",
    "maxhp": "hp_max",
    "hpmax": "hp_max",
    "hp_maximum": "hp_max",
    "maximum_hp": "hp_max",
    "max_hit_points": "hp_max",
    "maximum_hit_points": "hp_max",
    "size_category": "size",
    "movement": "speed",
    "move": "speed",
    "walk": "speed",
    "walking_speed": "speed",
    "walk_speed": "speed",
    "land_speed": "speed",
    "quantity": "count",
    "qty": "count",
    "amount": "count",
    "number": "count",
    "how_many": "count",
    "team": "side",
    "faction": "side",
    "statblock": "stat_block",
    "average_hit_points": "hp",
    "hp_avg": "hp",
    "average_hp": "hp",
    "npc_speed": "speed",
    "speed_ft": "speed",
    "speed_feet": "speed",
    "movements": "speed",
    "size_id": "size",
}
"""What others call a column, by their name."""
MARKS: Final = frozenset(
    (
        *("the rest of system", "the rest of data"),
        *("ac", "armor_class", "armour_class", "armorclass", "hit_dice", "hit_die"),
        *("hd", "cr", "challenge", "challenge_rating", "challengerating", "wis"),
        *("wisdom", "cha", "charisma", "str", "dex", "con"),
        *("int", "system", "initiative_modifier", "initiativemodifier", "initiative", "init"),
        *("alignment", "actions", "traits", "legendary_actions", "special_abilities", "saves"),
        *("saving_throws", "proficiency_bonus", "index", "url", "slug"),
    )
)
"""Members that only lists of other games have."""
DEEPER: Final = ("stats", "statistics", "attributes", "properties")
"""Members inside which other programs have a creature's numbers."""
NUMBERS: Final = frozenset(("hp", "hp_max", "speed", "size"))
"""What is read of them."""
READ: Final = (
    "id",
    "name",
    "side",
    "size",
    "speed",
    "hp",
    "hp_max",
    "count",
    "x",
    "y",
    "position",
    "stat_block",
)
"""What is read of a creature of another game."""
LISTS: Final = ("creatures", "monster", "monsters", "results", "combatants", "items", "entries", "data")
"""Members that a file's list is looked for in first."""
SIZES: Final[Mapping[str, str]] = {
    "f": "fine",
    "d": "diminutive",
    "t": "tiny",
    "s": "small",
    "sm": "small",
    "m": "medium",
    "med": "medium",
    "l": "large",
    "lg": "large",
    "h": "huge",
    "g": "gargantuan",
    "grg": "gargantuan",
    "c": "colossal",
}
"""Sizes as other games shorten them."""
FULL_SIZES: Final = frozenset(("tiny", "small", "medium", "large", "huge", "gargantuan"))
"""Sizes with which lists of other games begin what a creature is: `Small humanoid`."""
NUMBERED: Final[Mapping[int, str]] = dict(
    enumerate(("tiny", "small", "medium", "large", "huge", "gargantuan"), 2)
)
"""Sizes as one list of other games numbers them."""
MOST_WAYS: Final = 20
LONGEST_CELL: Final = 500
"""Letters of a cell of which a name of a column, or speeds, are read."""
LARGER: Final[Mapping[str, str]] = {"huge": "l2", "gargantuan": "l3", "colossal": "l4"}
"""Sizes of other games above large, where the rulebook counts them."""
_FEET: Final = re.compile(
    r"(?:([a-z]+)\s+)?(\d+)\s*(?:(?:ft\.?|feet|foot)(?:\s+(fly|climb|swim|burrow|hover)\b(?!\s*:?\s*\d))?)?",
    re.IGNORECASE,
)
"""A length, with the way of moving before it or behind it."""


_DICE: Final = re.compile(
    r"[+]?\d{0,3}[dw]\d{1,3}(?:[+-](?:\d{0,3}[dw]\d{1,3}|\d{1,4}))*(?:hp)?", re.IGNORECASE
)
_TERM: Final = re.compile(r"([+-]?)(?:(\d{0,3})[dw](\d{1,3})|(\d{1,4}))", re.IGNORECASE)
_LOOSE: Final = r"(?:\.0{1,2})?\s*(?:$|[(\[;]|,\s|hp\b|hit\b|points?\b)"
"""What may follow a number of hit points: nothing, a comment, or their name; no dice and no range."""


def canonical(name: str) -> str:
    """Return the name of a column as this project writes it: `Hit Points` is `hit_points`, that is `hp`."""
    spaced = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name.strip())
    plain = re.sub(r"[^a-z0-9]+", "_", spaced.casefold()).strip("_")
    joined = plain.replace("_", "")
    return ALIASES.get(plain, ALIASES.get(joined, plain))


def short(text: str) -> str:
    """Return a cell with single spaces, as far as anybody writes one: runs of spaces take long."""
    return " ".join(text[:LONGEST_CELL].split())


def column_of(cell: str) -> str:
    """Return the column that a table names, without a unit behind it: `Speed (ft)` is `speed`."""
    cell = short(cell)
    name, plain = canonical(cell), canonical(re.sub(r"\s*[(\[][^()\[\]]*[)\]]\s*$", "", cell))
    return plain if plain in READ and name not in READ else name


def members_of(creature: Mapping[str, Any]) -> dict[str, Any]:
    """Return the members of a creature by the names of columns, with those that lie deeper.

    The first of several with one name counts; what is null does not.
    """
    found: dict[str, Any] = {}
    for name, value in creature.items():
        if value is not None:
            found.setdefault(canonical(str(name)), value)
    for deeper in (_listed(creature.get("attribs")), *(creature.get(name) for name in DEEPER)):
        for name, value in deeper.items() if isinstance(deeper, Mapping) else ():
            if canonical(str(name)) in NUMBERS and value is not None:
                found.setdefault(canonical(str(name)), value)
    _add_nested(creature, found)
    if "size" not in found:
        kind = found.get("type", _listed(creature.get("attribs")).get("npc_type"))
        word = kind.split()[0].casefold() if isinstance(kind, str) and kind.strip() else ""
        if word in FULL_SIZES:
            found["size"] = word
    return found


def _add_nested(creature: Mapping[str, Any], found: dict[str, Any]) -> None:
    """Add what an actor of Foundry has deeper; what else is there is the rest of it."""
    name = next((each for each in ("system", "data") if isinstance(creature.get(each), Mapping)), None)
    inside = found if name is None else creature[name]
    attributes, traits = (
        each if isinstance(each, Mapping) else {} for each in (inside.get("attributes"), inside.get("traits"))
    )
    attribs = inside.get("attribs")
    deeper = {
        "hp": attributes.get("hp") or (attribs.get("hp") if isinstance(attribs, Mapping) else None),
        "speed": attributes.get("speed") or attributes.get("movement"),
        "size": traits.get("size"),
    }
    if name is not None:
        deeper["hp"] = deeper["hp"] or inside.get("hp")
    taken = {each: value for each, value in deeper.items() if value is not None and each not in found}
    found |= taken
    if name is not None and taken:
        found[f"the rest of {name}"] = found.pop(name)


def _listed(attributes: object) -> dict[str, Any]:
    """Return attributes that a list has, each with a name, a value now and a greatest one."""
    found: dict[str, Any] = {}
    for each in attributes if isinstance(attributes, list) else ():
        if isinstance(each, Mapping) and isinstance(each.get("name"), str):
            most = each.get("max")
            now = each.get("current")
            found[each["name"]] = {"max": most, "value": now} if most not in (None, "") else now
    return found


def hit_points(value: object) -> int | None:
    """Return hit points: a number, `7 (2d6)`, or an object with a maximum or an average."""
    if isinstance(value, Mapping):
        named = {canonical(str(name)): each for name, each in value.items()}
        for name in ("max", "average", "total", "value", "hp", "hp_max", "formula", "dice"):
            found = hit_points(named.get(name))
            if found is not None:
                return found
        return None
    average = average_of_dice(value)
    return whole(value, loose=True) if average is None else average


def average_of_dice(value: object) -> int | None:
    """Return the average of dice that have no number beside them, as books round it: 7 of `2d6`."""
    text = "".join(value[:60].split()).replace("\u2212", "-") if isinstance(value, str) else ""
    if not _DICE.fullmatch(text):
        return None
    twice = 0
    for sign, count, faces, number in _TERM.findall(text):
        found = int(count or 1) * (int(faces) + 1) if faces else 2 * int(number)
        twice += -found if sign == "-" else found
    return max(1, twice // 2)


def is_by_dice(value: object) -> bool:
    """Tell whether hit points are the average of dice, because no number stands beside them."""
    if isinstance(value, Mapping):
        numbers = {
            name: each for name, each in value.items() if canonical(str(name)) not in ("formula", "dice")
        }
        return hit_points(numbers) is None
    return average_of_dice(value) is not None


def has_nothing(value: object) -> bool:
    """Tell whether a value says nothing: it is empty, or an object in which each number is."""
    if isinstance(value, Mapping):
        return all(isinstance(each, bool) or has_nothing(each) for each in value.values())
    return value is None or value in ("", [])


def now_and_most(value: object) -> tuple[int, int] | None:
    """Return hit points now and at most, of `12/15` or an object that has both; None where one is missing."""
    if isinstance(value, str):
        parts = re.fullmatch(r"\s*(-?\d{1,6})\s*/\s*(\d{1,6})\s*(?:hp)?\s*", value, re.IGNORECASE)
        return (int(parts[1]), int(parts[2])) if parts else None
    if not isinstance(value, Mapping):
        return None
    named = {canonical(str(name)): each for name, each in value.items()}
    most = next(
        (found for name in ("max", "hp_max", "maximum") if (found := whole(named.get(name))) is not None),
        None,
    )
    now = next(
        (
            found
            for name in ("current", "value", "now", "hp")
            if (found := whole(named.get(name))) is not None
        ),
        None,
    )
    return (now, most) if now is not None and most is not None else None


def whole(value: object, *, loose: bool = False) -> int | None:
    """Return a whole number: 20, `20`, `20.0`, `+6`, `30 ft.`, `d8`; *loose* takes what begins with one."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return value
    if isinstance(value, float):
        return int(value) if isfinite(value) and value == int(value) else None
    if not isinstance(value, str):
        return None
    # a number of three digits behind a dot may be a thousand, so it is none
    end = _LOOSE if loose else r"(?:\.0{1,2}(?!\d)|,0{1,2})?\s*(?:ft\.?|feet|foot|hp)?\s*$"
    value = value.replace("\u2212", "-")  # the sign of typesetters
    value = re.sub(r"(?<=\d),(?=\d{3}(?!\d))", "", value)  # 1,000 is a thousand
    match = re.match(rf"\s*(?:\+|d(?=\d))?(-?\d{{1,9}}){end}", value, re.IGNORECASE)
    return int(match[1]) if match else None


def speeds(value: object, units: set[str] | None = None) -> dict[str, int]:
    """Return feet by the way of moving: of 30, `30 ft., fly 60 ft.`, `9 m`, or an object of ways.

    Adds to *units* those that are not feet. Returns nothing for what has no number, or an unknown unit.
    """
    units = set() if units is None else units
    if isinstance(value, Mapping):
        return _speeds_of_ways(value, units)
    if isinstance(value, Sequence) and not isinstance(value, str):
        found: dict[str, int] = {}
        for each in value[:MOST_WAYS]:
            found = speeds(each, units) | found
        return found
    if isinstance(value, str):
        value = in_feet(short(value), units)
    plain = whole(value)
    if plain is not None:
        return {"walk": plain}
    text = value if isinstance(value, str) else ""
    named = [
        ((before or behind or "walk").casefold(), int(feet)) for before, feet, behind in _FEET.findall(text)
    ]
    return dict(reversed(named))  # the first of one way counts


def _speeds_of_ways(ways: Mapping[Any, object], units: set[str]) -> dict[str, int]:
    """Return feet by the way of moving, of an object that may name the unit of its numbers."""
    unit = next((ways[name] for name in _UNIT_MEMBERS if isinstance(ways.get(name), str)), "")
    unit = str(unit).strip()
    if unit and not _UNIT.fullmatch(unit):
        return {}
    found: dict[str, int] = {}
    named = next((ways[name] for name in ("type", "name") if isinstance(ways.get(name), str)), None)
    for way, each in ways.items():
        name = canonical(str(way))
        if name in _UNIT_MEMBERS or name.endswith("id"):
            continue
        if isinstance(each, list):  # further ways, each with its own name
            found |= {other: feet for other, feet in speeds(each, units).items() if other not in found}
            continue
        feet = next(iter(speeds(with_unit(each, unit), units).values()), None)
        if feet is not None:
            found[name if name not in ("speed", "number", "value", "land", "total") else "walk"] = feet
    if named is not None and {*found} == {"walk"}:  # one way of a list of them
        return {canonical_way(str(named)): found["walk"]}
    return found


def canonical_way(name: str) -> str:
    """Return a way of moving by its name: `Land` and `Speed` are walking."""
    way = canonical(name)
    return "walk" if way in ("land", "speed", "ground", "base") else way


def with_unit(value: object, unit: str) -> object:
    """Return a number with the unit that something around it names."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if unit and (is_number or (isinstance(value, str) and _NUMBER.fullmatch(value))):
        return f"{value} {unit}"
    return value


def unit_of(cell: str) -> str:
    """Return the unit that the name of a column has behind it: `Speed (m)`; empty if it has none."""
    found = _NAMED_UNIT.search(cell)
    return found[1] if found and _UNIT.fullmatch(found[1]) else ""


def in_feet(text: str, units: set[str]) -> str:
    """Return *text* with its lengths in feet: a square is 5, and 1.5 m are a square, as books count.

    Adds to *units* those that were not feet.
    """

    def length(found: re.Match[str]) -> str:
        units.add("metres" if found["metre"] else "squares")
        tenths = int(found["whole"]) * 10 + int(found["tenth"] or 0)
        squares = (2 * tenths + 15) // 30 if found["metre"] else tenths // 10
        return f"{squares * 5} ft"

    return _OTHER_UNITS.sub(length, text)


_UNIT_MEMBERS: Final = ("unit", "units")
_UNIT: Final = re.compile(r"f(ee|oo)?t\.?|m|met(re|er)s?|squares?|sq\.?", re.IGNORECASE)
_NAMED_UNIT: Final = re.compile(r"[(\[]\s*(?:in\s+)?([a-z.]+)\s*[)\]]\s*$", re.IGNORECASE)
_NUMBER: Final = re.compile(r"\s*\d+(?:[.,]\d+)?\s*")
_OTHER_UNITS: Final = re.compile(
    r"\b(?P<whole>\d{1,4})(?:[.,](?P<tenth>\d)\d*)?\s*(?:(?P<metre>m|met(?:re|er)s?)|squares?|sq\.?)(?![a-z])",
    re.IGNORECASE,
)


def first_of(value: object) -> object:
    """Return the value of an object with one, or the first of a list."""
    if isinstance(value, Mapping):
        value = value.get("value") or value.get("name")
    if isinstance(value, Sequence) and not isinstance(value, str):
        value = value[0] if value else None
    return value


def size_of(value: object, known: Sequence[str]) -> str | None:
    """Return a size of the rulebook: `Medium`, `M`, `Medium humanoid`, `["M"]`; None where it has none."""
    value = first_of(value)
    if type(value) is int:
        value = NUMBERED.get(value)
    if not isinstance(value, str) or not value.strip():
        return None
    word = re.split(r"[^a-z0-9]+", value.strip().casefold())[0]
    for each in (word, SIZES.get(word, word), LARGER.get(SIZES.get(word, word), word)):
        if each in known:
            return each
    return None
