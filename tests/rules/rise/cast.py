"""Draw up random fights of Rise: 2 to 40 creatures of all kinds, on all kinds of ground, by all options.

One `random.Random` decides everything, so a seed names a whole fight.
"""

from __future__ import annotations

from random import Random
from typing import Any, Final

from service.rules.rise.creatures.options import OPTIONS
from tests.rules.rise.bot import BLADE, BOW, BURN, ECHO, GUARD, MEND, SHOUT
from tests.rules.rise.kit import entry
from tests.support.drawn_walls import drawn_walls

SIDES: Final = ("heroes", "orcs", "wolves", "bats")
SIZES: Final = ("tiny", "small", "medium", "medium", "medium", "medium", "large", "huge")
STEPS: Final = (1, 2, 4, 5, 10, 11)

SELF: Final = {"range_ft": 0}
STONE: Final = {"id": "stone", "melee": False, "thrown": True, "close_ft": 10, "long_ft": 20}
MAUL: Final = {"id": "maul", "strike": {"dice": [10, 6], "flat": 4, "crit_bonus": 4}}
NET: Final = {
    "id": "net",
    "melee": False,
    "close_ft": 20,
    "long_ft": 40,
    "strike": {"dice": [4, 4], "versus": ["armor", "reflex"], "half_on_miss": True},
}
WEAPONS: Final[tuple[dict[str, Any], ...]] = (
    BLADE,
    BOW,
    MAUL,
    NET,
    {**STONE, "strike": {"dice": [4], "sort": "subdual"}},
)


def ticking(step: int, **tick: Any) -> dict[str, Any]:
    """Return an ability that leaves something on its target which happens at a step of each round."""
    gain = {"does": "gain", "condition": f"tick-{step}", "until": "brief", "tick": {"step": step, **tick}}
    return {"id": f"tick-{step}", "range_ft": 60, "effects": [gain]}


LATER: Final[tuple[dict[str, Any], ...]] = (
    ECHO,
    {
        "id": "later",
        "later": "next_action",
        "usage": "minor",
        "range_ft": 60,
        "effects": [{"does": "heal_dr", "amount": 3}],
    },
    {
        "id": "acid",
        "later": "each_action",
        "times": 2,
        "at_once": True,
        "range_ft": 60,
        "strike": {"versus": ["reflex"], "dice": [4]},
        "effects": [{"does": "extra", "dice": [4]}],
        "cost_fatigue": 1,
    },
)
SMITE: Final = {
    "id": "smite",
    "range_ft": 60,
    "effects": [{"does": "damage", "amount": 25, "dice": [10]}],
}
"""Fells whomever it hits, with several vital wounds at once."""
ABILITIES: Final[tuple[dict[str, Any], ...]] = (
    MEND,
    SHOUT,
    GUARD,
    BURN,
    {"id": "ward", "tags": ["swift"], "effects": [{"does": "heal_dr", "amount": 4}]},
    {
        "id": "hex",
        "tags": ["sustain"],
        "range_ft": 60,
        "effects": [{"does": "gain", "condition": "hex", "until": "sustain", "modifiers": {"defenses": -1}}],
    },
    {
        "id": "storm",
        "range_ft": 60,
        "strike": {"versus": ["reflex"], "dice": [6], "half_on_miss": True},
        "on_loss": [{"does": "gain", "condition": "stunned", "until": "brief"}],
        "on_crit": [{"does": "gain", "condition": "immobilized", "until": "brief"}],
        "on_miss": [{"does": "fatigue", "to": "self", "amount": 1}],
        "cost_fatigue": 1,
    },
    {
        "id": "burst",
        "area": {"shape": "sphere", "size_ft": 10, "range_ft": 60},
        "strike": {"versus": ["reflex"], "dice": [6], "half_on_miss": True},
    },
    {
        "id": "wave",
        "area": {"shape": "cone", "size_ft": 30, "whom": "enemies"},
        "strike": {"versus": ["armor"], "dice": [4]},
        "effects": [{"does": "push", "amount": 5}],
    },
    {
        "id": "bolt",
        "area": {"shape": "line", "size_ft": 60, "width_ft": 10},
        "strike": {"versus": ["armor", "reflex"], "dice": [8]},
    },
    {
        "id": "aura",
        "tags": ["swift"],
        "usage": "minor",
        "area": {"shape": "cylinder", "size_ft": 15, "whom": "allies"},
        "effects": [{"does": "heal_dr", "amount": 2}],
    },
    {"id": "cleanse", "usage": "free", "effects": [{"does": "lose", "condition": "*"}], "per_round_limit": 1},
    {
        "id": "slam",
        "tags": ["brawling", "size_based"],
        "strike": {"versus": ["fortitude"], "damaging": False},
        "effects": [{"does": "gain", "condition": "slowed"}],
    },
    {"id": "riposte", "tags": ["reactive"], "usage": "minor", "strike": {"dice": [6]}},
    {
        "id": "flame",
        "usage": "minor",
        "range_ft": 60,
        "effects": [{"does": "gain", "condition": "flame", "dice": [4], "modifiers": {"damage": 1}}],
    },
    {"id": "fog", "range_ft": 60, "effects": [{"does": "gain", "condition": "concealed", "until": "brief"}]},
    {"id": "frost", "range_ft": 60, "effects": [{"does": "damage", "amount": 30, "sort": "environmental"}]},
    {"id": "tire", "range_ft": 60, "effects": [{"does": "damage", "amount": 40, "sort": "subdual"}]},
    {
        "id": "again",
        "usage": "minor",
        "repeat_same_round": True,
        "effects": [{"does": "heal_hp", "amount": 1}],
    },
    *(ticking(step, damage=2, heal=1) for step in STEPS),
)


def drawable() -> dict[str, Any]:
    """Return the options that a house may draw: a bot cannot seal, so none lets seats seal by themselves."""
    return {key: spec for key, spec in OPTIONS.items() if key != "sealed_by"}


def drawn_options(random: Random) -> dict[str, Any]:
    """Return house options of which about one in four differs from its default."""
    found: dict[str, Any] = {}
    for key, spec in drawable().items():
        if random.random() < 0.3:
            found[key] = random.randint(*spec.bounds) if spec.bounds else random.choice(spec.values)
    return found


def drawn_opening(random: Random, many: int, played: int | None = None) -> dict[str, Any]:
    """Return a fight of *many* creatures; *played* of its sides have players, by chance if null."""
    sides = SIDES[: random.randint(2, min(4, max(2, many)))]
    played = random.randint(0, len(sides)) if played is None else played
    options = drawn_options(random)
    entries = [
        _entry(random, i, sides[i % len(sides)], is_played=i % len(sides) < played) for i in range(many)
    ]
    if options.get("profile") == "rise-5d":
        for each in entries:
            each["sheet"]["defenses"]["brawn"] = 10
    taken = [(x, y) for each in entries for x, y in _space(each["position"])]
    terrain = {
        f"{x},{y}": random.choice(("difficult", "obstacle", "wall"))
        for x, y in {(random.randrange(24), random.randrange(24)) for _ in range(random.randint(0, 30))}
        if (x, y) not in taken
    }
    for _ in range(random.choice((0, 2, many))):
        _mount(random, entries)
    return {
        "creatures": entries,
        "seats": _seats(random, entries, sides[:played]),
        "declared_sides": [side for side in sides if random.random() < 0.5],
        "terrain": dict(sorted(terrain.items())),
        "walls": drawn_walls(24, [(x, y) for x, y in (each["position"] for each in entries)], 3),
        "options": options,
    }


def _entry(random: Random, i: int, side: str, *, is_played: bool) -> dict[str, Any]:
    """Return one creature on a board of its own places, three cells apart."""
    kind = "pc" if is_played and random.random() < 0.8 else random.choices(("mon", "obj"), (9, 1))[0]
    size = random.choice(SIZES[:6]) if random.random() < 0.9 else random.choice(SIZES)
    at = (3 * (i % 7) + (random.randint(0, 1) if size != "huge" else 0), 3 * (i // 7))
    speeds = random.choice(({}, {}, {"land": 30, "fly": 40}, {"climb": 20, "land": 30}))
    return entry(
        f"{kind}@{side}/{side[0]}{i}",
        at,
        size=size,
        speeds=speeds,
        dexterity=random.choice((0, 0, 0, 0, 1, 4)),
        strength=random.randint(0, 4),
        accuracy=random.randint(2, 9),
        brawling_accuracy=random.randint(2, 12),
        hp_max=random.choice((4, 6, 12, 20)),
        dr_max=random.choice((0, 0, 4)),
        power=random.choice((0, 3)),
        fatigue_tolerance=random.choice((0, 2, 3)),
        fatigue=random.choice((0, 0, 0, 2)) if kind == "pc" else 0,
        communicates=random.random() < 0.95,
        carries_riders=size in ("medium", "large"),
        combat_trained=random.random() < 0.3,
        ride=random.choice((None, None, 2, 6)),
        floats=random.random() < 0.1,
        weapons=random.sample(WEAPONS, random.randint(1, 3)),
        abilities=[
            random.choice(LATER),
            *([SMITE] if random.random() < 0.25 else []),
            *random.sample(ABILITIES, random.randint(1, 5)),
        ],
    )


def _space(at: list[int]) -> list[tuple[int, int]]:
    """Return the cells that the largest creature would take at a place."""
    return [(at[0] + x, at[1] + y) for x in range(3) for y in range(3)]


def _mount(random: Random, entries: list[dict[str, Any]]) -> None:
    """Let one who neither rides nor is ridden ride another such of its side."""
    taken = {name for e in entries if "mount" in e for name in (e["sheet"]["id"], e["mount"])}
    free = [e for e in entries if e["sheet"]["id"] not in taken]
    pairs = [
        (rider, mount)
        for rider in free
        for mount in free
        if rider is not mount
        and rider["sheet"]["side"] == mount["sheet"]["side"]
        and mount["sheet"]["carries_riders"]
    ]
    if pairs:
        rider, mount = random.choice(pairs)
        rider["mount"], rider["position"] = mount["sheet"]["id"], mount["position"]


def _seats(random: Random, entries: list[dict[str, Any]], played: tuple[str, ...]) -> list[dict[str, Any]]:
    """Return a seat or two for each side of players, and one that only watches."""
    seats = []
    for side in played:
        mine = [
            e["sheet"]["id"] for e in entries if e["sheet"]["side"] == side and e["sheet"]["kind"] == "pc"
        ]
        cut = random.randint(1, len(mine)) if mine else 0
        for i, some in enumerate((mine[:cut], mine[cut:])):
            if some:
                seats.append({"seat": f"{side}-{i}", "role": "player", "creatures": some})
    return [*seats, {"seat": "eve", "role": "observer", "creatures": []}]
