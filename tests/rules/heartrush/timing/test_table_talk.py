"""Each row of the ledger's table-talk is a command, and recorded (F.2)."""

from typing import Any

import pytest

from service.rules.heartrush import HEARTRUSH
from service.rules.heartrush.creatures.character import Condition, Wound
from tests.rules.heartrush.kit import Fight, begun, opened

PLACES = {"pia": (0, 0), "ash": (4, 0), "orc": (1, 0), "wolf": (5, 0)}


def ruled(fight: Fight, kind: str, *effects: dict[str, Any], **data: object) -> Fight:
    """Let the GM rule on something, with these effects."""
    return fight.do(
        "gm_ruling",
        kind=kind,
        decision="so be it",
        reason="it stands to reason",
        effects=list(effects),
        **data,
    )


def cannot(fight: Fight, *effects: dict[str, Any]) -> str:
    """Return why the GM cannot rule so."""
    assert (
        fight.refused("gm_ruling", kind="other", decision="so", effects=list(effects))
        == "effect_not_possible"
    )
    assert fight.refusal is not None
    return fight.refusal.detail


def test_TT_1_advice_is_no_command() -> None:
    assert not {"help_text", "advice", "explain"} & set(HEARTRUSH.commands)


def test_TT_2_surprise_and_who_was_unaware_are_ruled_before_priority_is_granted() -> None:
    fight = opened(PLACES).do("begin_combat")
    ruled(
        fight,
        "surprise",
        {"kind": "surprise", "creature": "orc"},
        {"kind": "unaware", "side": "enemies"},
        subject="enemies",
    )
    assert fight["orc"].surprised
    fight.do("grant_priority")
    assert fight.state.priority_side == "players"


def test_TT_3_the_gm_may_have_to_choose_first() -> None:
    fight = begun(PLACES, options={"gm_commits_first": True})
    fight.do("engage", creature="pia", target="orc").joined_by()
    prompt = fight.prompt("pia")
    code = fight.refused("choose_stance", creature="pia", prompt=prompt, stance="might")
    assert code == "gm_must_commit_first"


def test_TT_4_a_call_out_is_free_text_that_a_ruling_may_annul() -> None:
    fight = begun(PLACES).do("call_out", creature="pia", words="For the hearth!")
    ruled(fight, "void", {"kind": "priority", "side": "players"}, subject="the call out")
    assert fight.logged("called_out")[-1].words == "For the hearth!"
    assert fight.state.priority_side == "players"


def test_TT_5_a_wound_is_worded_by_the_gm() -> None:
    fight = begun(PLACES).given("pia", wounds=(Wound(id="w", rank=12, initial_rank=12),))
    decision = fight.send("describe_wound", "gm", creature="pia", wound="w", description="a broken rib")
    assert decision.refusal is None
    assert fight.logged("wound_described")[-1].description == "a broken rib"


@pytest.mark.parametrize(("faces", "hp"), [((5, 4), 40), ((4, 4), 32)])
def test_TT_6_a_hazard_is_a_save_with_damage(faces: tuple[int, int], hp: int) -> None:
    fight = begun(PLACES)
    ruled(
        fight,
        "hazard",
        {
            "kind": "check",
            "creature": "pia",
            "ability": "agility",
            "what": "a falling beam",
            "cn": 9,
            "save": True,
            "failure": [{"kind": "damage", "creature": "pia", "amount": 8}],
        },
    ).throw(*faces)
    if hp < 40:
        fight.answer("accept_damage", "pia")
    assert fight["pia"].hp == hp


def test_TT_7_the_ground_is_what_the_gm_says() -> None:
    fight = begun(PLACES)
    fight.do("ask_ruling", creature="pia", text="is the mud deep?")
    (request,) = fight.state.requests
    ruled(
        fight,
        "environment",
        {"kind": "terrain", "cells": [[0, 1], [0, 2]], "terrain": "difficult"},
        answers=request.id,
    )
    assert fight.state.ground((0, 2)) == "difficult"
    assert fight.state.requests == ()
    ruled(fight, "environment", {"kind": "terrain", "cells": [[0, 2]], "terrain": "normal"})
    assert fight.state.ground((0, 2)) == "normal"
    assert fight.refused("gm_ruling", kind="other", decision="no", answers=request.id) == "no_such_request"


def test_TT_8_a_poison_without_a_record_is_an_effect() -> None:
    fight = ruled(
        begun(PLACES),
        "effect",
        {"kind": "condition", "creature": "pia", "condition": "poisoned", "levels": 2},
        {"kind": "damage", "creature": "pia", "amount": 3, "cause": "poison"},
    )
    fight.answer("accept_damage", "pia")
    assert (fight["pia"].level("poisoned"), fight["pia"].hp) == (2, 37)


def test_TT_11_what_befalls_the_helpless_is_ruled() -> None:
    fight = begun(PLACES).given("orc", status="unconscious", hp=-1)
    order = {"creature": "pia", "target": "orc", "stance": "might"}
    assert fight.refused("opportunity_attack", **order) == "gm_approval_required"
    ruled(fight, "helpless", {"kind": "expose", "creature": "orc"}, subject="orc")
    fight.do("opportunity_attack", **order)
    assert fight.logged("exchange_begun")[-1].defender == "orc"

    fight = begun(PLACES).given("orc", status="unconscious", hp=-1)
    ruled(fight, "helpless", {"kind": "die", "creature": "orc"}, subject="orc")
    assert fight["orc"].status == "dead"


def test_TT_12_a_stunt_is_a_ruling_with_a_check() -> None:
    fight = begun(PLACES)
    fight.do("ask_ruling", creature="pia", text="I kick the brazier over him")
    (request,) = fight.state.requests
    ruled(
        fight,
        "stunt",
        {
            "kind": "check",
            "creature": "pia",
            "ability": "might",
            "what": "kick the brazier",
            "against": {"creature": "orc", "by": "agility"},
            "success": [{"kind": "condition", "creature": "orc", "condition": "blinded", "levels": 1}],
            "failure": [{"kind": "condition", "creature": "pia", "condition": "prone"}],
        },
        answers=request.id,
    ).throw(2, 4)
    assert fight["orc"].has("blinded")
    assert not fight["pia"].has("prone")


def test_TT_13_a_creature_may_leave_the_fight_alive() -> None:
    fight = begun(PLACES)
    ruled(fight, "withdraw", {"kind": "withdraw", "creature": "orc"}, subject="orc")
    assert fight["orc"].status == "gone"
    assert fight.refused("engage", creature="pia", target="orc") in ("target_dead", "target_not_enemy")
    assert fight.state.standing_at((1, 0)) == ()
    ruled(fight, "withdraw", {"kind": "withdraw", "creature": "wolf"})
    assert fight.state.phase == "ended", "nobody is left on the other side"


def test_TT_13_combat_ends_by_the_gms_word() -> None:
    fight = begun(PLACES).do("end_combat", reason="they yield")
    assert fight.logged("combat_ended")[-1].reason == "they yield"


def test_TT_14_what_an_object_is_as_a_weapon_is_ruled() -> None:
    fight = begun(PLACES)
    ruled(
        fight,
        "object",
        {"kind": "arm", "creature": "pia", "weapon": {"id": "bench", "size_class": "heavy"}},
    )
    assert fight["pia"].wielded == "bench"
    small = begun(PLACES, sheets={"pia": {"size": "small"}})
    cannot(small, {"kind": "arm", "creature": "pia", "weapon": {"id": "bench", "size_class": "heavy"}})


def test_a_complications_effects_are_a_ruling() -> None:
    """TT-6."""
    fight = ruled(
        begun(PLACES), "complication", {"kind": "condition", "creature": "pia", "condition": "prone"}
    )
    assert fight["pia"].has("prone")
    ruled(fight, "other", {"kind": "lose_condition", "creature": "pia", "condition": "prone"})
    assert not fight["pia"].has("prone")


def test_levels_of_a_condition_are_taken_one_by_one() -> None:
    fight = begun(PLACES).given("pia", conditions={"dazed": Condition(level=3)})
    ruled(fight, "other", {"kind": "lose_condition", "creature": "pia", "condition": "dazed", "levels": 2})
    assert fight["pia"].level("dazed") == 1
