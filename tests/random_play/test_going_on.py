"""What a fight makes of a creature is what the next opening takes, however far its numbers went."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from service.rules.heartrush.creatures.character import Wound
from service.rules.kernel.codec import to_data
from service.rules.kernel.messages import Refused
from service.rules.kernel.records import changed
from service.rules.registry import REGISTRY
from service.rules.ruleset import Ruleset, waiting
from service.rules.table.carried import CarriedFrom
from service.usecases.openings import opening_faults
from tests.rules.heartrush import campaign as heartrush
from tests.rules.heartrush import kit as hearts
from tests.rules.rise import campaign as rise
from tests.rules.rise import kit

SOMEWHERE = CarriedFrom(encounter=kit.ENCOUNTER, n=5, hash="ab" * 32)
LONG = {"pia": "p" * 24, "orc": "o" * 24}
MOST = 10_000
ASPECT = {"text": "bold", "rank": 1}


def faults(book: str, state: Any, *creatures: str) -> list[tuple[str, str]]:
    """Return what the next opening has against *creatures* as they stand; those in peril stay behind."""
    ruleset: Ruleset[Any] = REGISTRY[f"{book}@1"]
    assert ruleset.carrying is not None
    entries: list[dict[str, Any]] = []
    for name in creatures or tuple(state.creatures):
        try:
            carried = ruleset.carrying.carry(state, name, SOMEWHERE)
        except Refused as refused:
            if refused.code != "in_peril":
                raise
            continue
        entries.append({"carried": to_data(carried), "position": [20 * len(entries), 0]})
    assert entries
    table: dict[str, Any] = {"sides": ["players", "enemies"], "player_side": "players"}
    if book == "rise":
        table = {"options": {"profile": state.options.get("profile", "rise-4d")}}
    return [*opening_faults(ruleset, {"creatures": entries, "seats": [], **table})]


def effect(fight: Any, **data: Any) -> Any:
    return fight.do("gm_ruling", kind="effect", decision="so", effects=[data])


def test_a_wound_with_the_longest_names_goes_on() -> None:
    """Its id is the path of the damage that made it."""
    sheets = {
        LONG["pia"]: {"like": "pia", "hp_max": MOST},
        LONG["orc"]: {"like": "orc", "hp_max": MOST},
    }
    fight = hearts.begun({LONG["pia"]: (0, 0), LONG["orc"]: (1, 0)}, sheets=sheets)
    fight.do("engage", creature=LONG["pia"], target=LONG["orc"])
    fight.stances(**{LONG["pia"]: "might", LONG["orc"]: "might"})
    fight.answer("declare_attack", LONG["pia"], target=LONG["orc"])
    fight.answer("declare_attack", LONG["orc"], 8, 8, 4, 4, 1, 1, 1, target=LONG["pia"])
    fight.answer("accept_damage", LONG["orc"])
    fight.do("end_combat")
    (wound,) = fight[LONG["orc"]].wounds
    assert len(wound.id) > 64
    assert faults("heartrush", fight.state) == []


def test_many_wounds_and_more_damage_than_hit_points_go_on() -> None:
    fight = hearts.opened({"pia": (0, 0), "orc": (5, 0)}, sheets={"pia": {"hp_max": MOST}})
    for _ in range(120):
        effect(fight, kind="wound", creature="pia", rank=1_000)
    assert len(fight["pia"].wounds) == 120
    assert faults("heartrush", fight.state, "pia") == []
    blow = Wound(id="blow", rank=3 * MOST, initial_rank=3 * MOST)  # as a roll with great bonuses leaves it
    fight.given("pia", wounds=(blow,)).do("invoke_wound", creature="pia", wound="blow")
    fight.do("adjudicate", prompt=waiting(fight.state)[0].prompt, accept=True)
    assert fight["pia"].penalty > 1_000
    fight.given("pia", hp=-MOST - 1, status="dead")  # as a last blow leaves it
    assert faults("heartrush", fight.state, "pia") == []


def test_the_campaign_clock_stops_where_carrying_ends() -> None:
    potent = {"id": "venom", "potent_s": 10**11, "dice": 1}
    late = hearts.opened({"pia": (0, 0), "orc": (5, 0)}, sheets={"pia": {"poisons": [potent]}})
    late = late.with_table(clock_s=10**11 - 60)
    late.do("coat_weapon", creature="pia", weapon="mace", poison="venom")
    for _ in range(2):
        late.do("advance_clock", days=400)
        assert late.state.clock_s == 10**11
    assert faults("heartrush", late.state, "pia") == []


def test_nights_of_many_campaigns_go_on() -> None:
    fight = hearts.opened({"pia": (0, 0), "orc": (5, 0)}).given("pia", long_rests=1_500, failed_nights=1_500)
    assert faults("heartrush", fight.state, "pia") == []


@pytest.mark.parametrize(
    ("sheet", "purchase"),
    [
        ({"hp_max": MOST}, {"kind": "hit_points"}),
        ({"growth": {"aspects": [ASPECT] * 20}}, {"kind": "aspect_new", "text": "tested"}),
    ],
)
def test_nobody_buys_what_no_opening_would_take(sheet: dict[str, Any], purchase: dict[str, Any]) -> None:
    sheets = {"pia": {**sheet, "growth": {"xp_unspent": 5_000, **sheet.get("growth", {})}}}
    fight = hearts.opened({"pia": (0, 0), "orc": (5, 0)}, sheets=sheets)
    assert fight.refused("spend_xp", creature="pia", purchase=purchase) == "out_of_bounds"


def test_nobody_is_awarded_what_no_opening_would_take() -> None:
    sheets = {"pia": {"growth": {"xp_total": 10**6, "xp_unspent": 0}}}
    fight = hearts.opened({"pia": (0, 0), "orc": (5, 0)}, sheets=sheets)
    assert fight.refused("award_xp", creatures=["pia"], amount=1) == "out_of_bounds"


def test_RI_fatigue_and_vital_wounds_without_end_go_on() -> None:
    ended = kit.opened(kit.entry("pc@p/pia", (0, 0), hp_max=1), kit.entry("mon@m/orc", (5, 0)))
    for _ in range(3):
        ended.do(
            "gm_ruling",
            kind="effect",
            decision="so",
            effects=[{"does": "fatigue", "target": "pia", "amount": MOST}],
        )
    assert ended["pia"].fatigue == 3 * MOST
    assert faults("rise", ended.state, "pia") == []


def _heartrush(seed: int) -> Any:
    return heartrush.Campaign(seed, budget=200).play().state


def _rise(seed: int) -> Any:
    return rise.Campaign(seed, 6, 120).play().state


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(("book", "play"), [("heartrush", _heartrush), ("rise", _rise)])
def test_what_random_play_leaves_goes_on(book: str, play: Callable[[int], Any], seed: int) -> None:
    """The GM ends the fight wherever it stands."""
    stage = {"heartrush": "phase", "rise": "stage"}[book]
    assert faults(book, changed(play(seed), **{stage: "ended"})) == []
