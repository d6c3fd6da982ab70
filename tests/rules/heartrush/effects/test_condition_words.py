"""Words that act: what lays a condition names one of the book, whole, or says that it is the GM's own."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from typing import Any

import pytest

from service.rules.heartrush import HEARTRUSH
from service.rules.heartrush.body.conditions import CONDITIONS, is_ongoing, kind_of
from service.rules.heartrush.body.operations import Effect
from service.rules.heartrush.creatures.bestiary import BESTIARY
from service.rules.heartrush.creatures.state import MINUTE_S
from service.rules.heartrush.effects.condition_words import ELSEWHERE, word_fault
from service.rules.heartrush.effects.effects import GainCondition, Soak
from service.rules.heartrush.using.catalogue import CATALOGUE
from service.rules.kernel.near import misspelt_name
from tests.rules.heartrush.casts import ability, do
from tests.rules.heartrush.kit import ENCOUNTER, Fight, begun, opening

PLACES = {"pia": (0, 0), "orc": (1, 0)}


def laid(condition: str, **more: Any) -> dict[str, Any]:
    return {"kind": "condition", "creature": "orc", "condition": condition, **more}


def ruled(effect: dict[str, Any], fight: Fight | None = None) -> Fight:
    fight = fight or begun(PLACES)
    fight.send("gm_ruling", "gm", kind="effect", decision="so it is", effects=[effect])
    return fight


def refused(effect: dict[str, Any]) -> str:
    """Return why a ruling with *effect* is refused."""
    fight = ruled(effect)
    assert fight.refusal is not None
    assert fight.refusal.code == "effect_not_possible"
    return fight.refusal.detail


# --- words of rulings ----------------------------------------------------------------------------------


@pytest.mark.parametrize(("word", "effect"), ELSEWHERE.items())
def test_HR_SVC_9_a_word_that_means_something_elsewhere_names_the_place(word: str, effect: str) -> None:
    assert effect in refused(laid(word))


@pytest.mark.parametrize(
    ("word", "meant"),
    [
        ("stuned", "stunned"),
        ("Stunned", "stunned"),
        ("off-balanced", "off_balanced"),
        ("proned", "prone"),
        ("restraned", "restrained"),
        ("frightend", "frightened"),
    ],
)
def test_HR_SVC_9_a_slip_of_the_pen_is_no_condition_even_as_custom(word: str, meant: str) -> None:
    assert f"{meant} is one" in refused(laid(word))
    assert f"{meant} is one" in refused(laid(word, custom=True))


def test_HR_SVC_9_a_condition_of_the_gms_own_says_so() -> None:
    assert "say custom" in refused(laid("hexed by the moon"))
    assert "not custom" in refused(laid("stunned", custom=True))
    fight = ruled(laid("hexed by the moon", custom=True))
    assert fight.refusal is None
    assert fight["orc"].has("hexed by the moon")
    fight = ruled({"kind": "lose_condition", "creature": "orc", "condition": "hexed by the moon"}, fight)
    assert not fight["orc"].conditions


@pytest.mark.parametrize("word", [name for name, kind in CONDITIONS.items() if kind.of_somebody])
def test_HR_SVC_9_what_needs_a_second_creature_names_it(word: str) -> None:
    assert "name it in by" in refused(laid(word))
    assert word_fault(word, custom=False, other=True) is None


def test_HR_SVC_9_fear_and_rage_by_a_ruling_act() -> None:
    """HR-COND-15, HR-COND-16: the creature named is feared, and mastered by a save."""
    fight = ruled(laid("frightened", by="pia"), begun(PLACES, first="enemies"))
    fight.given("orc", position=(3, 0))
    assert fight.refused("dash", creature="orc", path=[[2, 0]]) == "frightened_approach"
    fight.do("steady", 8, 4, creature="orc", condition="frightened")
    assert not fight["orc"].has("frightened")


def test_HR_SVC_9_nothing_else_is_taken_off_than_there_is() -> None:
    effect = {"kind": "lose_condition", "creature": "orc", "condition": "stuned"}
    assert "stunned is one" in refused(effect)
    assert "the effect knock_out" in refused({**effect, "condition": "unconscious"})
    assert ruled({**effect, "condition": "stunned"}).refusal is None, "it is a condition, which it has not"


@pytest.mark.parametrize("word", CONDITIONS)
def test_HR_SVC_9_every_name_is_near_itself_alone(word: str) -> None:
    assert misspelt_name(word, CONDITIONS) == word
    assert misspelt_name("sleepy", CONDITIONS) is None


# --- words of abilities --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("effect", "why"),
    [
        (do("condition", creature="self", condition="unconscious"), "knock_out"),
        (do("condition", creature="self", condition="stuned"), "stunned is one"),
        (do("condition", creature="self", condition="gloomy"), "say custom"),
        (do("knock_down", creature="self", otherwise="daze"), "dazed is one"),
        (do("soak", creature="self", condition="hidden"), "the effect hidden"),
        (do("lay", creature="self", lasts="round", modifier={"kind": "aura", "condition": "out"}), "custom"),
        (
            do(
                "check",
                creature="self",
                ability="might",
                what="x",
                cn=5,
                failure=[{"kind": "condition", "creature": "self", "condition": "unconscious"}],
            ),
            "knock_out",
        ),
    ],
)
def test_HR_SVC_9_an_ability_is_written_with_conditions_of_the_book(effect: dict[str, Any], why: str) -> None:
    fight = Fight()
    own = ability("own", "heart", effects=[effect])
    dice = {
        "algorithm": "rewound/dice/1",
        "mode": "server",
        "lanes": [{"lane": 0, "n": 64, "anchor": "00" * 32}],
    }
    data = {"encounter": ENCOUNTER, "edition": "heartrush@1", "digest": "00" * 32, "dice": dice}
    found = fight.send("open", "gm", **data, opening=opening(PLACES, abilities=[own]))
    assert found.refusal is not None
    assert found.refusal.code == "opening_not_possible"
    assert why in found.refusal.detail


def test_HR_SVC_9_a_poison_brings_conditions_of_the_book() -> None:
    poison = {"id": "viper", "doses": 1, "conditions": {"burnin": 1}}
    with pytest.raises(AssertionError, match="burning is one"):
        begun(PLACES, sheets={"pia": {"poisons": [poison]}})


def test_HR_SVC_9_a_custom_condition_of_an_ability_is_its_authors() -> None:
    own = ability("own", "heart", effects=[do("condition", creature="self", condition="gloomy", custom=True)])
    assert begun(PLACES, abilities=[own]).refusal is None


# --- what is laid can be lifted ------------------------------------------------------------------------


def effects_in(value: Any) -> Iterator[Effect]:
    """Yield every effect anywhere in *value*."""
    if isinstance(value, Effect):
        yield value
    if isinstance(value, tuple):
        for item in value:
            yield from effects_in(item)
    elif is_dataclass(value):
        for field in fields(value):
            yield from effects_in(getattr(value, field.name))


def shipped() -> Iterator[tuple[str, str, object]]:
    """Yield what is shipped and lays a condition: whose, which, and for how long."""
    for name, definition in CATALOGUE.items():
        for effect in effects_in(definition):
            if isinstance(effect, GainCondition | Soak):
                yield name, effect.condition, effect.lasts
    for name, sheet in BESTIARY.items():
        for poison in getattr(sheet, "poisons", ()):
            yield from ((f"{name}/{poison.id}", condition, None) for condition in poison.conditions)


def test_HR_COND_29_whatever_is_shipped_and_laid_is_lifted_by_something() -> None:
    found = list(shipped())
    assert any(name == "cold-snap" for name, _, _ in found)
    lasting = [
        (name, condition)
        for name, condition, lasts in found
        if is_ongoing(condition) and lasts is None and not kind_of(condition).lifted_by
    ]
    assert not lasting, "it would bind for ever"


def test_HR_COND_29_cold_snap_ends_after_a_minute() -> None:
    fight = begun(PLACES, sheets={"pia": {"growth": {"attunements": ["water"], "spells": ["cold-snap"]}}})
    fight.do("cast", creature="pia", ability="cold-snap", params={"chosen": ["orc"]})
    assert fight["orc"].level("restrained") == 1
    assert fight["orc"].conditions["restrained"].until_s == fight.state.clock_s + MINUTE_S
    fight.do("end_combat").do("advance_clock", seconds=MINUTE_S - 1)
    assert fight["orc"].has("restrained")
    fight.do("advance_clock", seconds=1)
    assert not fight["orc"].has("restrained")
    assert fight.logged("condition_lost")[-1].because == ("HR-COND-29",)


@pytest.mark.parametrize(("before", "after", "ends"), [("minute", None, False), (None, "minute", False)])
def test_HR_COND_29_what_lasts_until_something_ends_it_is_not_cut_short(
    before: str | None, after: str | None, *, ends: bool
) -> None:
    fight = begun(PLACES)
    for lasts in (before, after):
        ruled(laid("restrained", **({"lasts": lasts} if lasts else {})), fight)
    fight.do("end_combat").do("advance_clock", minutes=5)
    assert (not fight["orc"].has("restrained")) is ends


@pytest.mark.parametrize("condition", ["frightened", "enraged", "charmed"])
def test_HR_SVC_9_nobody_is_the_second_creature_of_its_own_fear(condition: str) -> None:
    assert "another creature" in refused(laid(condition, by="orc"))


@pytest.mark.parametrize("name", [name for name, kind in CONDITIONS.items() if kind.lifted_by])
def test_HR_COND_3_what_lifts_a_condition_is_a_command(name: str) -> None:
    assert not CONDITIONS[name].fades
    assert set(CONDITIONS[name].lifted_by) <= {*HEARTRUSH.commands}


def test_HR_COND_3_the_gm_ends_what_no_command_ends() -> None:
    """The ongoing conditions without a command that ends them: those that docs/heartrush.md leaves to the GM.

    Cover, shadow and high ground are those of a place, and are said anew by the GM who said them.
    """
    left = {name for name in CONDITIONS if is_ongoing(name) and not kind_of(name).lifted_by}
    of_place = {"cover", "obscured", "highground"}
    vulnerable = {"vulnerable_physical", "vulnerable_mental"}
    gm = {"poisoned", "stunned", "incapacitated", "crippled", "restrained"}
    assert left == of_place | vulnerable | gm
