"""Standing answers: sealed to their seat, part of the record, and given by the frames themselves."""

import pytest

from service.rules.heartrush.body.answers import lets_pass, standing_of
from service.rules.kernel.messages import Private
from service.rules.kernel.sealed import view
from service.rules.ruleset import waiting
from tests.rules.heartrush.kit import Fight, begun

PLACES = {"pia": (0, 0), "ash": (0, 4), "orc": (1, 0), "wolf": (9, 9)}


def harmed(fight: Fight, amount: int) -> Fight:
    """Let the GM deal damage to Pia."""
    effect = {"kind": "damage", "creature": "pia", "amount": amount}
    return fight.do("gm_ruling", kind="effect", decision="so be it", effects=[effect])


def standing(**answers: str) -> Fight:
    """Return a fight in which Pia's seat has answered in advance."""
    return begun(PLACES).do("set_standing", creature="pia", **answers)


def test_never_to_shrug_takes_damage_at_once() -> None:
    fight = harmed(standing(shrug="never"), 12)
    assert (fight["pia"].hp, fight["pia"].heart_die) == (28, 8)
    assert "pia" in fight.waits_for(), "she is asked what to do next, and not about the damage"
    assert fight.logged("damage_applied")


@pytest.mark.parametrize(("amount", "hp", "die"), [(79, -39, 8), (80, 0, 6)])
def test_to_shrug_only_what_would_kill(amount: int, hp: int, die: int) -> None:
    fight = harmed(standing(shrug="if_it_kills"), amount)
    assert (fight["pia"].hp, fight["pia"].heart_die) == (hp, die)


def test_a_window_passes_by_itself() -> None:
    fight = standing(windows="pass")
    fight.do("pass_side", side="players")
    fight.do("dash", creature="orc", to=[5, 0])
    assert [(event.creature, event.because) for event in fight.logged("window_passed")] == [
        ("pia", ("TABLE-STANDING-1",))
    ]
    assert fight["orc"].position == (5, 0)


@pytest.mark.parametrize(
    ("answer", "accepts", "passes"),
    [
        ("ask", ("opportunity_attack", "pass_window"), False),
        ("pass", ("declare_instant", "pass_window"), True),
        ("only_abilities", ("opportunity_attack", "pass_window"), True),
        ("only_abilities", ("trip", "declare_instant", "pass_window"), False),
    ],
)
def test_strikes_may_be_let_go_while_abilities_are_asked_for(
    answer: str, *, accepts: tuple[str, ...], passes: bool
) -> None:
    fight = standing(windows=answer)
    assert lets_pass(fight["pia"], accepts) is passes


def test_TABLE_STANDING_1_only_its_own_seat_knows_a_standing_answer() -> None:
    fight = standing(shrug="never")
    changed, kept = fight.events[-2:]
    assert (changed.type, kept.type) == ("standing_changed", "standing_set")
    assert changed.because == kept.because == ("TABLE-STANDING-1",)
    assert fight.last is not None
    assert fight.last.outcome == "sealed"
    (told,) = [fact for fact in fight.last.facts if isinstance(fact, Private)]
    assert told.scope.audience == ("seat:zoe",)
    assert standing_of(view(fight.state, "zoe").creatures["pia"]).shrug == "never"
    assert standing_of(view(fight.state, "gm").creatures["pia"]).shrug == "ask"
    assert [a.prompt for a in waiting(view(fight.state, "gm"))] == [a.prompt for a in waiting(fight.state)]


def test_TABLE_STANDING_1_a_standing_answer_is_changed_by_the_seat_alone() -> None:
    fight = standing(shrug="never").do("set_standing", creature="pia")
    harmed(fight, 12)
    assert fight.prompt("pia").endswith("damage-0")
    decision = fight.send("set_standing", "gm", creature="pia", shrug="never")
    assert decision.refusal is not None
    assert decision.refusal.code == "not_your_creature"
