"""Both sides of each bound of beginnings, declines, rulings and shared cells, sent as commands."""

from __future__ import annotations

from typing import Any

import pytest

from service.rules.heartrush.creatures.character import Condition
from service.rules.heartrush.creatures.size_and_bonds import fit_together
from service.rules.kernel.records import changed
from tests.rules.heartrush.kit import begun, opened
from tests.rules.heartrush.sides import MALFORMED, PLACES, refusal_of

NEAR = {"pia": (0, 0), "ash": (0, 1), "orc": (1, 0)}


@pytest.mark.parametrize(("hp", "falls"), [(1, False), (0, True), (-3, True)])
def test_HR_START_1_who_is_at_zero_when_combat_begins_is_down(hp: int, *, falls: bool) -> None:
    fight = opened(PLACES).given("pia", hp=hp).do("begin_combat", unaware_side="enemies")
    fell = [event.creature for event in fight.logged("fell_to_zero")]
    assert fell == (["pia"] if falls else [])


def test_HR_START_9_who_is_here_may_begin_hidden() -> None:
    fight = opened(PLACES)
    data: dict[str, Any] = {"unaware_side": "enemies", "hidden": {"pia": ["orc"]}}
    assert refusal_of(fight, "gm", "begin_combat", **data) is None
    (event,) = fight.logged("combat_began")
    assert event.hidden == {"pia": ("orc",)}
    assert "orc" in fight["pia"].hidden_from


@pytest.mark.parametrize(("cn", "code"), [(0, None), (200, None), (201, "params_missing")])
def test_HR_HIDE_1_the_number_of_a_hiding_place_is_0_to_200(cn: int, code: str | None) -> None:
    fight = opened(PLACES)
    found = refusal_of(fight, "gm", "allow_hiding", creature="pia", cn=cn)
    assert found == (code and (code, "HR-HIDE-1"))
    assert refusal_of(fight, "zoe", "allow_hiding", creature="pia", cn=8) == ("not_gm", "HR-SVC-1")
    if code is None:
        (event,) = fight.logged("hiding_allowed")
        assert (event.creature, event.cn, event.viewers) == ("pia", cn, ("orc",))


def test_HR_HIDE_1_a_number_of_a_hiding_place_below_0_is_malformed() -> None:
    assert refusal_of(opened(PLACES), "gm", "allow_hiding", creature="pia", cn=-1) == MALFORMED


def test_HR_PRIO_6_priority_passes_when_the_last_of_a_side_has_declined() -> None:
    fight = begun(PLACES).do("pass", creature="pia")
    assert fight.state.priority_side == "players"
    assert [event.creature for event in fight.logged("declined")] == ["pia"]
    again = refusal_of(fight, "zoe", "pass", creature="pia")
    assert again == ("already_passed", "HR-PRIO-3")
    fight.do("pass", creature="ash")
    assert fight.state.priority_side == "enemies"
    (passed,) = fight.logged("priority_passed")[-1:]
    assert (passed.side, passed.passes) == ("enemies", 1)


@pytest.mark.parametrize(
    ("answers", "code"),
    [(None, None), ("request-1", None), ("request-2", None), ("request-3", "no_such_request")],
)
def test_HR_SVC_1_a_ruling_answers_a_request_that_somebody_made(
    answers: str | None, code: str | None
) -> None:
    fight = begun(NEAR)
    for text in ("may I swing from the lamp?", "and kick the orc?"):
        fight.do("ask_ruling", creature="pia", text=text)
    asked = [event.request for event in fight.logged("ruling_requested")]
    assert asked == ["request-1", "request-2"]
    ruling = {"kind": "effect", "decision": "yes", "reason": "bold", "answers": answers}
    found = refusal_of(fight, "gm", "gm_ruling", **ruling)
    assert (found and found[0]) == code
    left = [request.id for request in fight.state.requests]
    assert left == [each for each in asked if code or each != answers]


@pytest.mark.parametrize(("text", "code"), [("", "params_missing"), ("x", None)])
def test_HR_SVC_1_a_request_is_a_few_words_of_ones_own_creature(text: str, code: str | None) -> None:
    fight = begun(NEAR)
    found = refusal_of(fight, "zoe", "ask_ruling", creature="pia", text=text)
    assert found == (code and (code, "HR-SVC-1"))
    other = refusal_of(fight, "zoe", "ask_ruling", creature="orc", text="x")
    assert other == ("not_your_creature", "TABLE-SEAT-1")


@pytest.mark.parametrize(
    ("mover", "others", "fits"),
    [
        ("minuscule", ("tiny",) * 9, True),
        ("minuscule", ("tiny",) * 10, False),
        ("minuscule", ("small",) * 4, True),
        ("minuscule", ("small",) * 5, False),
        ("small", ("small",) * 3 + ("tiny",) * 2, True),
        ("small", ("small",) * 3 + ("tiny",) * 3, False),
        ("tiny", (), True),
        ("large", (), False),
    ],
)
def test_HR_SIZE_2_sizes_fill_a_cell_together(mover: Any, others: tuple[Any, ...], *, fits: bool) -> None:
    fight = begun(PLACES)

    def sized(name: str, to: Any) -> Any:
        return changed(fight[name], sheet=changed(fight[name].sheet, size=to))

    assert fit_together(sized("pia", mover), [sized("ash", other) for other in others]) is fits


def test_HR_COND_24_a_captive_is_dragged_for_no_feet_of_its_own() -> None:
    fight = begun(NEAR)
    fight.given("pia", conditions={"grappling": Condition(source="orc")})
    fight.given("orc", conditions={"grappled": Condition(source="pia")})
    fight.do("sidestep", creature="pia", to=[-1, 0])
    moved = [(event.creature, event.feet, event.how) for event in fight.logged("moved")]
    assert moved == [("pia", 5, "sidestep"), ("orc", 0, "dragged")]
    assert fight.logged("moved")[-1].because == ("HR-COND-24",)
    assert fight["orc"].moved_ft == 0
