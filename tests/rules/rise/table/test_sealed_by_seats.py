"""Plans of movement that seats seal themselves: committed to by all groups, then opened, then resolved."""

from __future__ import annotations

from hashlib import sha256
from typing import Any

from service.rules.kernel.messages import Private
from service.rules.kernel.sealed import view
from service.rules.ruleset import waiting
from service.rules.secrecy.choices import canonical
from tests.rules.rise.kit import ENCOUNTER, Fight, begun, entry

SALT = "5a" * 32
WALK: dict[str, Any] = {"path": [[1, 0], [2, 0]]}


def made() -> Fight:
    """Return a fight of two groups in their movement phase, whose plans their seats seal."""
    return begun(
        entry("pc@heroes/pia", (0, 0)),
        entry("pc@heroes/bob", (0, 1)),
        entry("mon@orcs/gob", (9, 0)),
        phase="movement",
        options={"sealed_by": "seat", "gm_blind": False},
    )


def plan(type_: str, creature: str, **data: Any) -> dict[str, Any]:
    """Return a choice, as a seat commits to it."""
    return {"type": type_, "creature": creature, **data}


def prompt_of(fight: Fight, creature: str) -> str:
    """Return the prompt at which *creature* seals or opens its plan."""
    kinds = {"seal_choice", "open_choice"}
    return next(
        each.prompt
        for each in waiting(fight.state)
        if each.creature == creature and kinds & set(each.accepts)
    )


def seal(fight: Fight, choice: dict[str, Any]) -> None:
    """Commit to *choice* for the seat of its creature."""
    creature = choice["creature"]
    prompt, seat = prompt_of(fight, creature), fight.state.controller(creature)
    opening = b"rewound/dice/1/choice\x00" + bytes.fromhex(ENCOUNTER.replace("-", ""))
    where = b"".join(len(part).to_bytes(2, "big") + part for part in (seat.encode(), prompt.encode()))
    made = sha256(opening + where + bytes.fromhex(SALT) + canonical(choice)).hexdigest()
    fight.do("seal_choice", creature, prompt=prompt, commitment=made)


def show(fight: Fight, choice: dict[str, Any]) -> None:
    """Open *choice*."""
    creature = choice["creature"]
    fight.do("open_choice", creature, prompt=prompt_of(fight, creature), choice=choice, salt=SALT)


PLANS = (
    plan("plan_movement", "pia", **WALK),
    plan("pass_movement", "bob"),
    plan("plan_movement", "gob", path=[[8, 0]]),
)


def test_TABLE_CHOICE_1_all_groups_seal_before_any_plan_is_opened() -> None:
    """RI-INFO-4: the service learns no plan before all are made."""
    fight = made()
    for choice in PLANS[:2]:
        seal(fight, choice)
    assert not fight.logged("plans_opening")
    assert fight.refused("plan_movement", "gob", path=[[8, 0]]) == "choice_not_sealed"
    seal(fight, PLANS[2])
    assert len(fight.logged("plans_opening")) == 1
    assert not fight.logged("movement_planned")


def test_TABLE_CHOICE_1_commitments_stay_in_the_group() -> None:
    """RI-INFO-1: what a group does is sealed to it, commitments too."""
    fight = made()
    seal(fight, PLANS[0])
    assert fight.last is not None
    assert all(isinstance(fact, Private) for fact in fight.last.facts)
    assert view(fight.state, "observer").apart == ()


def test_TABLE_CHOICE_2_opened_plans_are_resolved_as_if_sent() -> None:
    fight = made()
    for choice in PLANS:
        seal(fight, choice)
    for choice in PLANS:
        show(fight, choice)
    assert [fight[name].position for name in ("pia", "bob", "gob")] == [(2, 0), (0, 1), (8, 0)]
    assert fight.state.phase == "action"


def test_TABLE_CHOICE_3_a_plan_that_cannot_be_made_counts_as_none() -> None:
    fight = made()
    wrong = plan("plan_movement", "pia", path=[[7, 7]])
    for choice in (wrong, *PLANS[1:]):
        seal(fight, choice)
    for choice in (wrong, *PLANS[1:]):
        show(fight, choice)
    (void,) = fight.logged("seat_choice_voided")
    assert void.creature == "pia"
    assert fight["pia"].position == (0, 0)
    assert fight.state.phase == "action"


def test_TABLE_CHOICE_4_a_forfeited_plan_leaves_its_creature_where_it_is() -> None:
    fight = made()
    for choice in PLANS:
        seal(fight, choice)
    for choice in PLANS[1:]:
        show(fight, choice)
    fight.do("forfeit_choice", prompt=prompt_of(fight, "pia"), reason="the player has left")
    assert fight["pia"].position == (0, 0)
    assert fight.state.phase == "action"


def test_TABLE_CHOICE_2_a_plan_that_was_opened_is_not_withdrawn() -> None:
    fight = made()
    for choice in PLANS:
        seal(fight, choice)
    show(fight, PLANS[0])
    assert fight.refused("withdraw_plan", "pia") == "choice_not_sealed"
