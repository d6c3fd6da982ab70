"""A hidden creature takes no part in a fight of Heart Rush until it is revealed or discovered."""

from __future__ import annotations

from typing import Any

import pytest

from service.rules.kernel.messages import Private
from tests.rules.heartrush.casts import use
from tests.rules.heartrush.engaging.test_offensive import HELD, HOLD, climbed
from tests.rules.heartrush.kit import Fight, begun, opened, sheet

PLACES = {"pia": (0, 0), "ash": (4, 0), "wolf": (1, 0), "orc": (20, 20)}


def gob(*position: int, **changes: Any) -> dict[str, Any]:
    return {"sheet": sheet("gob", like="wolf", **changes), "position": list(position)}


def found_by(fight: Fight) -> list[str]:
    return [event.found_by for event in fight.logged("hidden_creature_revealed")]


def test_TABLE_HIDDEN_2_who_is_put_there_stays_and_what_lurked_gives_way() -> None:
    fight = begun(PLACES).do("hide_creature", entry=gob(7, 7))
    effect = {"kind": "move", "creature": "ash", "to": [7, 7]}
    fight.do("gm_ruling", kind="other", decision="it stood there", effects=[effect])
    assert found_by(fight) == ["ash"]
    assert fight.logged("hidden_creature_revealed")[0].because == ("TABLE-HIDDEN-2",)
    assert fight["ash"].position == (7, 7)
    assert fight["gob"].position == (6, 7)


def holding(**changes: Any) -> Fight:
    """Return a fight in which Pia holds a wolf."""
    fight = begun({"pia": (0, 0), "wolf": (1, 0)}, **changes)
    return fight.given("pia", conditions=HOLD).given("wolf", conditions=HELD)


def test_TABLE_HIDDEN_2_who_is_dragged_there_finds_it() -> None:
    """A captive comes where its grappler stood; a large one reaches beyond that."""
    fight = holding(sheets={"wolf": {"size": "l2", "weapons": []}}).do("hide_creature", entry=gob(0, 1))
    fight.do("sidestep", creature="pia", to=[-1, 0])
    assert found_by(fight) == ["wolf"]
    assert fight["wolf"].position == (0, 0)
    assert fight["gob"].position not in {(0, 0), (1, 0), (0, 1), (1, 1)}


def test_TABLE_HIDDEN_2_an_ability_that_drags_somebody_finds_it() -> None:
    fight = holding(sheets={"pia": {"abilities": ["i-dont-think-so"]}}).given("pia", rush=3)
    fight.do("hide_creature", entry=gob(-1, 0))
    use(fight, "pia", "i-dont-think-so", option="drag", to=[-1, 0])
    fight.answer("choose", "wolf", 5, 6, 3, 4, option="agility")
    assert found_by(fight) == ["pia"]
    assert (fight["pia"].position, fight["wolf"].position) == ((0, 0), (1, 0)), "it stops them: HR-MOVE-7"


def shaken_off(*hides: int) -> Fight:
    fight = climbed()
    if hides:
        fight.do("hide_creature", entry=gob(*hides))
    fight.given("wolf", action=1).do("shake_off", creature="wolf", ability="might")
    return fight.answer("choose_defense_ability", "pia", 6, 6, 2, 2, ability="might")


def test_TABLE_HIDDEN_2_who_falls_off_a_mount_onto_it_finds_it() -> None:
    down = shaken_off()["pia"].position
    fight = shaken_off(*down)
    assert found_by(fight) == ["pia"]
    assert fight["pia"].position == down
    assert fight["gob"].position != down


def test_TABLE_HIDDEN_2_a_mount_stops_before_it_and_its_climber_with_it() -> None:
    fight = climbed().do("hide_creature", entry=gob(6, 1))
    fight.do("dash", creature="wolf", path=[[2, 0], [3, 0], [4, 0], [5, 0]])
    assert found_by(fight) == ["wolf"]
    assert (fight["wolf"].position, fight["pia"].position) == ((4, 0), (4, 0))
    assert fight["gob"].position == (6, 1)


def test_TABLE_HIDDEN_1_before_the_fight_begins_nothing_of_its_beginning_changes() -> None:
    """An opening names none: whoever lies in ambush is hidden before combat begins."""
    without, hidden = opened(PLACES), opened(PLACES).do("hide_creature", entry=gob(7, 7))
    for fight in (without, hidden):
        fight.do("begin_combat", unaware_side="enemies").do("grant_priority")
    assert hidden.state.creatures == without.state.creatures
    assert hidden.state.priority_side == without.state.priority_side
    assert hidden.offers("zoe") == without.offers("zoe")
    assert hidden.state.hidden_creatures


def test_TABLE_HIDDEN_3_who_is_revealed_before_the_fight_begins_with_all_others() -> None:
    fight = opened(PLACES).do("hide_creature", entry=gob(7, 7)).do("reveal_creature", hidden_creature=1)
    fight.do("begin_combat", unaware_side="enemies").do("grant_priority")
    assert fight["gob"].position == (7, 7)
    assert (fight["gob"].action, fight["gob"].rush) == (fight["wolf"].action, fight["wolf"].rush)


def test_TABLE_HIDDEN_3_the_gm_reveals_what_is_hidden_while_the_encounter_runs() -> None:
    fight = begun(PLACES).do("hide_creature", entry=gob(8, 8))
    decision = fight.send("reveal_creature", "zoe", hidden_creature=1)
    assert decision.refusal is not None
    assert decision.refusal.code == "not_gm"
    assert fight.refused("reveal_creature", hidden_creature=2) == "no_such_hidden_creature"
    fight.do("close")
    assert fight.refused("reveal_creature", hidden_creature=1) == "encounter_over"


@pytest.mark.parametrize("hides", [(8, 8), (0, 1)])
def test_TABLE_HIDDEN_3_it_takes_no_part_so_nobody_may_name_it(hides: tuple[int, int]) -> None:
    fight = begun(PLACES).do("hide_creature", entry=gob(*hides))
    assert fight.refused("engage", creature="pia", target="gob") == "target_not_enemy"


def test_TABLE_HIDDEN_1_hidden_creatures_are_numbered_and_each_is_sealed_to_the_gm() -> None:
    fight = begun(PLACES)
    for number in (1, 2):
        found = fight.send("hide_creature", "gm", entry=gob(7, 7 + number, id=f"gob{number}"))
        assert found.refusal is None
        assert found.scope is not None
        assert (found.scope.audience, found.scope.opens) == (("seat:gm",), f"hidden_creature/{number}")
        (fact,) = found.facts
        assert isinstance(fact, Private)
        assert fact.scope == found.scope


def test_TABLE_HIDDEN_1_at_most_100_creatures_are_hidden() -> None:
    fight = begun(PLACES).do("hide_creature", entry=gob(7, 7))
    entry = fight.state.hidden_creatures["1"]
    fight.with_table(hidden=99, hidden_creatures={str(n): entry for n in range(1, 100)})
    assert fight.send("hide_creature", "gm", entry=gob(9, 9, id="last")).refusal is None
    refusal = fight.send("hide_creature", "gm", entry=gob(11, 9, id="more")).refusal
    assert refusal is not None
    assert (refusal.code, refusal.rule) == ("opening_not_possible", "TABLE-HIDDEN-1")
