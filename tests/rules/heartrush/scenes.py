"""Stage campaigns in which seldom things come soon: a cast, stances, and what everybody would rather do.

A scene only bends chance. The strong stand against the weak, made for one thing: a grapple that is won,
knives to throw, a giant and its climbers. Bots prefer some offers, the GM tries some tricks; the rest is
random play.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from service.rules.ruleset import waiting
from tests.rules.heartrush.bot import SIDES, WEAPONS
from tests.rules.heartrush.campaign import CANTRIPS, OWN
from tests.rules.heartrush.kit import sheet
from tests.rules.heartrush.master import (
    Attempt,
    Moment,
    aspect,
    complication,
    contest,
    dash,
    rest,
    roll,
    ruled,
    stance,
    wound,
)

Trick = Callable[[Moment], Attempt | None]

KNIVES: Final = [{"id": f"knife-{i}", "attack_type": "thrown", "damage_type": "slashing"} for i in range(4)]
BOW: Final = [weapon for weapon in WEAPONS if weapon["id"] == "bow"]
SPEAR: Final = [weapon for weapon in WEAPONS if weapon["id"] == "spear"]
MIGHTY: Final = {"might": 12, "agility": 10, "cunning": 10, "heart_die": 10}
FEEBLE: Final = {"might": 4, "agility": 4, "cunning": 4, "heart_die": 4}
EQUALS: Final = (("cunning", "cunning"), ("might", "might"), ("agility", "agility"))
BEATEN: Final = (("might", "cunning"), ("might", "cunning"), ("cunning", "agility"), ("agility", "might"))
FIGHT: Final = ("declare_offensive", "declare_attack", "join_engagement", "engage")
IDLE: Final = ("pass", "end_turn")
HIDING: Final = ("move_hidden_creature", "reveal_creature", "withdraw_hidden_creature")
ROOM: Final = 3
"""Cells between the strong and the walls about the board."""


@dataclass(frozen=True)
class Scene:
    """What a campaign is made for: its cast, and how chance is bent."""

    name: str
    rules: tuple[str, ...]
    """The seldom rules that it brings."""
    strong: Mapping[str, Any] = field(default_factory=dict)
    weak: Mapping[str, Any] = field(default_factory=dict)
    stances: tuple[tuple[str, str], ...] = BEATEN
    """Stances of the strong and of the weak, one pair for each round."""
    wants: tuple[str, ...] = FIGHT
    """Commands that are taken before all others, the first of them first."""
    prefers: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)
    """Values that are chosen before all others, by parameter."""
    tricks: tuple[Trick, ...] = ()
    many: int = 4
    apart: int = 1
    """Cells from each of the strong to the next."""
    ground: str = "normal"
    lake: tuple[int, ...] = ()
    """The rows of the board that are deep water."""
    ambient: str = "bright"
    scenery: Mapping[str, Any] = field(default_factory=dict)
    """What the ground is like besides."""
    meddling: float = 0.1
    """How often the GM tries a trick."""
    surprised: bool = False
    """Whether the weak are taken by surprise."""
    leisure: int = 0
    """Commands before combat begins."""
    fights: int = 1
    """Fights that follow each other, with as much leisure before each."""

    def opening(self) -> dict[str, Any]:
        """Return the opening: pairs face to face, walls around them."""
        creatures = []
        for i in range(self.many):
            side, made = (
                (SIDES[1], {**FEEBLE, **self.weak}) if i % 2 else (SIDES[0], {**MIGHTY, **self.strong})
            )
            plain = {"hp_max": 90, "speed": 60, "armor": "none", "weapons": [], "wound_threshold": 40}
            given = sheet(f"c{i}", like="pia", side=side, **{**plain, **made})
            creatures.append({"sheet": given, "position": [-(i % 2), i // 2 * self.apart]})
        low, right, high = -ROOM, 2 * ROOM, self.many // 2 * self.apart + ROOM
        board = [(x, y) for x in range(low, right + 1) for y in range(low, high + 1)]
        rim = {f"{x},{y}": "wall" for x, y in board if x in (low, right) or y in (low, high)}
        inside = {} if self.ground == "normal" else {f"{x},{y}": self.ground for x, y in board}
        inside |= {f"{x},{y}": "deep_water" for x, y in board if y in self.lake}
        return {
            "sides": list(SIDES),
            "player_side": SIDES[0],
            "creatures": creatures,
            "abilities": OWN,
            "terrain": {**inside, **rim},
            "scenery": {"ambient": self.ambient, **self.scenery},
            "seats": [
                {"seat": "zoe", "role": "player", "creatures": [f"c{i}" for i in range(0, self.many, 2)]}
            ],
        }

    def stance(self, creature: str, number: int) -> str:
        """Return the stance that *creature* prefers in round *number*."""
        return self.stances[number % len(self.stances)][int(creature[1:]) % 2]


def _befall(condition: str, levels: int = 1) -> Trick:
    """Return a trick that lets a condition befall somebody."""

    def trick(m: Moment) -> Attempt:
        return ruled({"kind": "condition", "creature": m.who, "condition": condition, "levels": levels})

    return trick


def _shove(m: Moment) -> Attempt:
    """Push somebody away; one that is held, if anybody is."""
    held = [name for name, creature in m.state.creatures.items() if creature.has("grappled")]
    direction = m.chance.choice([[0, 1], [1, 0], [-1, 0], [0, -1]])
    return ruled({"creature": (held or [m.who])[0], "kind": "push", "feet": 15, "direction": direction})


def _hide(m: Moment) -> Attempt:
    """Hide a creature where somebody may dash to."""
    x, y = m.state.creatures[m.who].position
    entry = {"sheet": sheet(f"c{100 + m.state.hidden}", like="wolf"), "position": [x, y + 1]}
    return Attempt("hide_creature", "gm", {"entry": entry})


def _unhide(m: Moment) -> Attempt:
    """Move, reveal or withdraw a hidden creature first, or a creature that is not hidden."""
    data: dict[str, Any] = {"hidden_creature": int(next(iter(m.state.hidden_creatures), "1"))}
    name = m.chance.choice(HIDING)
    if name == "move_hidden_creature":
        data["position"] = [m.chance.randrange(ROOM), m.chance.randrange(ROOM)]
    return Attempt(name, "gm", data)


def _hasty(m: Moment) -> Attempt:
    """Sidestep, be it one's turn or not."""
    x, y = m.state.creatures[m.who].position
    return Attempt("sidestep", m.seat, {"creature": m.who, "to": [x + 1, y]})


def _wait(_: Moment) -> Attempt:
    """Let a minute pass."""
    return Attempt("advance_clock", "gm", {"minutes": 1})


def _hearten(m: Moment) -> Attempt:
    """Give somebody rush to spend."""
    return ruled({"kind": "rush", "creature": m.who, "points": 3})


def _fell(m: Moment) -> Attempt:
    """Knock somebody out."""
    return ruled({"kind": "knock_out", "creature": m.who})


def _spare(m: Moment) -> Attempt | None:
    """Let the second knife stay in hand where it could be thrown."""
    for awaited in waiting(m.state):
        if "forgo_follow_up" in awaited.accepts:
            data = {"creature": awaited.creature, "prompt": awaited.prompt}
            return Attempt("forgo_follow_up", awaited.seat, data)
    return None


SCENES: Final = (
    Scene(
        "wrestlers",
        ("HR-GRAP-4", "HR-GRAP-6", "HR-COND-25", "HR-FORCE-3", "HR-SIZE-3"),
        strong={"abilities": ["i-dont-think-so"]},
        wants=("deal_instead", "follow_captive", "use_ability", "break_free", *FIGHT, *IDLE, "let_go"),
        prefers={"what": ("grapple",)},
        tricks=(_shove, _hearten),
        many=2,
    ),
    Scene(
        "climbers",
        ("HR-CLIMB-1", "HR-COND-23"),
        strong={"size": "l2", **FEEBLE},
        weak={"size": "small", **MIGHTY},
        stances=(("cunning", "might"), ("agility", "cunning")),
        wants=("shake_off", *FIGHT, *IDLE),
        prefers={"what": ("climb",)},
        apart=4,
    ),
    Scene("stunts", ("HR-STUNT-1", "HR-HIND-1", "HR-START-3"), prefers={"what": ("stunt", "hinder")}),
    Scene(
        "duel",
        ("HR-ATK-4", "HR-AD-4"),
        strong={"abilities": ["brutal-attacks"]},
        stances=EQUALS,
        wants=("declare_attack", "engage"),
        many=2,
    ),
    Scene(
        "siege",
        ("HR-STANCE-DEF-1", "HR-WPN-13"),
        strong={"weapons": CANTRIPS[:1], "growth": {"attunements": ["force"]}},
        stances=(("might", "defensive"), ("cunning", "defensive")),
        wants=FIGHT[1:],
    ),
    Scene(
        "poisoners",
        ("HR-POIS-2", "HR-DMG-7"),
        strong={"weapons": SPEAR, "poisons": [{"id": "viper", "doses": 2}]},
        wants=(*FIGHT[1:], *IDLE),
    ),
    Scene(
        "knives",
        ("HR-WPN-8",),
        strong={"weapons": KNIVES},
        wants=("follow_up", "forgo_follow_up", *FIGHT[1:], *IDLE),
        tricks=(_spare,),
        meddling=0.5,
        many=6,
    ),
    Scene(
        "archers",
        ("HR-STANCE-5",),
        strong={"weapons": BOW, "speed": 10},
        weak={"weapons": BOW, "speed": 10},
        wants=("dash", *FIGHT, *IDLE),
        tricks=(lambda m: stance(m.state, m.chance),),
        meddling=0.5,
    ),
    Scene(
        "ambush", ("HR-START-7", "HR-COND-26"), wants=FIGHT[1:], tricks=(dash, _fell, dash), surprised=True
    ),
    Scene(
        "slippery",
        ("HR-ACT-13", "HR-TIME-3"),
        wants=("trip", "dash", "sidestep"),
        tricks=(_befall("off_balanced", 2), _hasty),
    ),
    Scene(
        "fallen",
        ("HR-MOVE-5",),
        wants=("dash", *FIGHT),
        prefers={"stand": (True,)},
        tricks=(_befall("prone"),),
    ),
    Scene(
        "passions",
        ("HR-COND-15", "HR-COND-16", "HR-COND-19"),
        strong={"abilities": ["own-frightened", "own-enraged", "own-burning"]},
        wants=("steady", "douse", "use_ability"),
        tricks=(_hearten,),
    ),
    Scene(
        "mishaps",
        ("HR-GEN-7", "HR-GEN-9", "HR-WND-2", "HR-WND-3"),
        weak={"wound_threshold": 5},
        wants=FIGHT[1:],
        tricks=(roll, complication, wound, contest),
        meddling=0.4,
    ),
    Scene(
        "looters",
        ("HR-ITEM-1", "HR-ITEM-2", "HR-LIGHT-1"),
        strong={"weapons": KNIVES[:2], "lantern_ft": 5, "shield": "light"},
        stances=(("cunning", "agility"), ("agility", "might")),
        wants=("declare_attack", "engage", "object", *IDLE),
        prefers={"verb": ("pick_up", "drop", "put_out", "light")},
        ambient="dark",
    ),
    Scene(
        "renowned",
        ("HR-ASP-1", "HR-ASP-2"),
        strong={"growth": {"aspects": [{"text": "quick to draw", "rank": 2}]}},
        wants=("invoke_aspect",),
        tricks=(aspect, roll),
        leisure=40,
        meddling=0.5,
    ),
    Scene(
        "cliffs",
        ("HR-FALL-1", "HR-FALL-2", "HR-FALL-3"),
        wants=("dash", "sidestep", *FIGHT),
        tricks=(_shove,),
        scenery={
            "heights": {f"{x},{y}": 20 for x in range(-2, 1) for y in range(5)},
            "ledges": [f"0,{y}|1,{y}" for y in range(5)],
        },
        meddling=0.4,
    ),
    Scene(
        "divers",
        ("HR-BREATH-1", "HR-BREATH-2", "HR-BREATH-3"),
        wants=("breathe", "hold_breath", "dash"),
        ground="deep_water",
        scenery={"water": {f"{x},{y}": {"submerged": True} for x in (1, 2, 3) for y in range(5)}},
    ),
    Scene(
        "burners",
        ("HR-COND-28",),
        tricks=(_befall("burning", 2), _wait),
        leisure=40,
        meddling=0.7,
    ),
    Scene(
        "travellers",
        ("HR-SVC-7", "HR-COND-28", "HR-FALL-1", "HR-BREATH-3"),
        wants=("dash", *FIGHT, "treat_wounds", "breathe"),
        tricks=(_befall("burning", 2), _wait, _shove, dash, rest),
        strong={"hp_max": 300},
        weak={"hp_max": 300},
        scenery={
            "heights": {f"{x},{y}": 20 for x in range(-2, 1) for y in range(3)},
            "ledges": [f"0,{y}|1,{y}" for y in range(3)],
            "water": {f"{x},{y}": {"submerged": True} for x in range(-2, 6) for y in (3, 4)},
        },
        lake=(3, 4),
        meddling=0.35,
        leisure=20,
        fights=3,
    ),
    Scene(
        "hidden_creatures",
        ("TABLE-HIDDEN-1", "TABLE-HIDDEN-2", "TABLE-HIDDEN-3"),
        wants=("dash", *HIDING),
        tricks=(_hide, _hide, dash, dash, dash, _unhide, _shove),
        meddling=0.6,
    ),
)
