"""Stances that seats seal themselves: committed to, opened together, void or forfeited."""

from __future__ import annotations

from hashlib import sha256
from typing import Any

import pytest

from service.rules.secrecy.choices import canonical
from tests.rules.heartrush.kit import ENCOUNTER, Fight, begun

PLACES = {"pia": (0, 0), "orc": (1, 0), "wolf": (0, 1)}
SALT = "5a" * 32


def stance(fight: Fight, creature: str, chosen: str = "might") -> dict[str, Any]:
    """Return the choice of a stance for *creature*, as a seat commits to it."""
    return {"type": "choose_stance", "creature": creature, "prompt": fight.prompt(creature), "stance": chosen}


def commitment(seat: str, choice: dict[str, Any], salt: str = SALT, prompt: str | None = None) -> str:
    """Compute a commitment as the format spells it, apart from the code under test."""
    where = (prompt or choice["prompt"]).encode()
    opening = b"rewound/dice/1/choice\x00" + bytes.fromhex(ENCOUNTER.replace("-", ""))
    parts = [seat.encode(), where]
    named = b"".join(len(part).to_bytes(2, "big") + part for part in parts)
    return sha256(opening + named + bytes.fromhex(salt) + canonical(choice)).hexdigest()


def seal(fight: Fight, choice: dict[str, Any], salt: str = SALT) -> None:
    """Commit to *choice* for the seat of its creature."""
    creature = choice["creature"]
    made = commitment(fight.state.controller(creature), choice, salt)
    fight.do("seal_choice", creature=creature, prompt=choice["prompt"], commitment=made)


def show(fight: Fight, choice: dict[str, Any], salt: str = SALT) -> None:
    """Open *choice*."""
    creature = choice["creature"]
    fight.do("open_choice", creature=creature, prompt=choice["prompt"], choice=choice, salt=salt)


@pytest.fixture
def fight() -> Fight:
    """Give a fight in which pia, the orc and the wolf choose stances, sealed by their seats."""
    made = begun(PLACES, options={"sealed_by": "seat"})
    return made.do("engage", creature="pia", target="orc").joined_by("wolf")


def test_TABLE_CHOICE_1_no_choice_is_opened_before_all_are_committed_to(fight: Fight) -> None:
    pia, orc, wolf = (stance(fight, name) for name in ("pia", "orc", "wolf"))
    seal(fight, pia)
    assert fight.waits_for() == ["orc", "wolf"]
    opening = {"creature": "pia", "prompt": pia["prompt"], "choice": pia, "salt": SALT}
    assert fight.refused("open_choice", **opening) == "not_awaited"
    seal(fight, orc)
    seal(fight, wolf)
    assert fight.waits_for() == ["pia", "orc", "wolf"]
    assert {name for each in fight.offers("zoe") for name in [each.type]} >= {"open_choice"}
    assert fight.refused("seal_choice", creature="pia", prompt=pia["prompt"], commitment="00" * 32)


def test_TABLE_CHOICE_1_a_choice_in_the_clear_is_refused(fight: Fight) -> None:
    assert fight.refused("choose_stance", **_fields(stance(fight, "pia"))) == "choice_not_sealed"


def test_TABLE_CHOICE_1_the_offer_of_a_commitment_lists_the_choices(fight: Fight) -> None:
    (offer,) = [each for each in fight.offers("zoe") if each.type == "seal_choice"]
    (inner,) = offer.seals
    assert (inner.type, inner.choices["stance"]) == (
        "choose_stance",
        ("might", "agility", "cunning", "defensive"),
    )


def test_TABLE_CHOICE_2_opened_choices_are_decided_as_if_sent(fight: Fight) -> None:
    chosen = {"pia": "might", "orc": "cunning", "wolf": "defensive"}
    choices = {name: stance(fight, name, each) for name, each in chosen.items()}
    for choice in choices.values():
        seal(fight, choice)
    for choice in choices.values():
        show(fight, choice)
    (revealed,) = fight.logged("stances_revealed")
    assert dict(revealed.stances) == chosen
    assert not fight.state.sealed_choices


@pytest.mark.parametrize(
    ("changed", "salt"), [({"stance": "agility"}, SALT), ({}, "5b" * 32), ({"extra": 1}, SALT)]
)
def test_TABLE_CHOICE_2_nothing_else_fits_a_commitment(
    fight: Fight, changed: dict[str, Any], salt: str
) -> None:
    choices = [stance(fight, name) for name in ("pia", "orc", "wolf")]
    for choice in choices:
        seal(fight, choice)
    pia = choices[0]
    data = {"creature": "pia", "prompt": pia["prompt"], "choice": {**pia, **changed}, "salt": salt}
    assert fight.refused("open_choice", **data) == "choice_does_not_fit"


def test_TABLE_CHOICE_2_a_commitment_of_another_seat_cannot_be_copied(fight: Fight) -> None:
    pia = stance(fight, "pia")
    seal(fight, pia)
    copied = commitment("zoe", pia)
    orc, wolf = stance(fight, "orc"), stance(fight, "wolf")
    fight.do("seal_choice", creature="orc", prompt=orc["prompt"], commitment=copied)
    seal(fight, wolf)
    for choice in (orc, pia):
        data = {"creature": "orc", "prompt": orc["prompt"], "choice": choice, "salt": SALT}
        assert fight.refused("open_choice", **data) == "choice_does_not_fit"


@pytest.mark.parametrize(
    "bad",
    [
        {"stance": "sneaky"},
        {"type": "pass_side"},
        {"creature": "wolf"},
        {"prompt": "r1/e1/stance/wolf"},
        {"type": 7},
        {"stance": None, "more": {"a": [1]}},
    ],
)
def test_TABLE_CHOICE_3_what_is_no_choice_of_the_prompt_counts_as_none(
    fight: Fight, bad: dict[str, Any]
) -> None:
    pia, orc, wolf = (stance(fight, name) for name in ("pia", "orc", "wolf"))
    garbage = {**pia, **bad}
    made = commitment("zoe", garbage, prompt=pia["prompt"])
    fight.do("seal_choice", creature="pia", prompt=pia["prompt"], commitment=made)
    seal(fight, orc)
    seal(fight, wolf)
    fight.do("open_choice", creature="pia", prompt=pia["prompt"], choice=garbage, salt=SALT)
    (void,) = fight.logged("seat_choice_voided")
    assert void.code == "choice_malformed"
    show(fight, orc)
    show(fight, wolf)
    (revealed,) = fight.logged("stances_revealed")
    assert revealed.stances["pia"] == "helpless"


def test_TABLE_CHOICE_3_and_TABLE_CHOICE_2_an_illegal_stance_counts_as_none() -> None:
    """HR-STANCE-6: a surprised creature may only defend, where the house says so."""
    fight = begun(PLACES, options={"sealed_by": "seat", "surprised_stance": "defensive"})
    fight.given("pia", surprised=True)
    fight.do("pass_side", side="players").do("engage", creature="orc", target="pia").joined_by("wolf")
    pia, orc, wolf = (stance(fight, name) for name in ("pia", "orc", "wolf"))
    others = (orc, wolf)
    for choice in (pia, *others):
        seal(fight, choice)
    for choice in (pia, *others):
        show(fight, choice)
    (void,) = fight.logged("seat_choice_voided")
    assert (void.creature, void.code) == ("pia", "stance_not_allowed")


def test_TABLE_CHOICE_4_the_gm_declares_forfeited_what_is_not_sealed_or_not_opened(fight: Fight) -> None:
    pia, orc, wolf = (stance(fight, name) for name in ("pia", "orc", "wolf"))
    fight.do("forfeit_choice", prompt=wolf["prompt"], reason="nobody plays the wolf")
    seal(fight, pia)
    seal(fight, orc)
    show(fight, orc)
    fight.do("forfeit_choice", prompt=pia["prompt"], reason="ten minutes are over")
    (revealed,) = fight.logged("stances_revealed")
    assert dict(revealed.stances) == {"pia": "helpless", "orc": "might", "wolf": "helpless"}
    assert [each.seat for each in fight.logged("seat_choice_forfeited")] == ["gm", "zoe"]


@pytest.mark.parametrize(
    ("data", "code"),
    [
        ({"reason": ""}, "params_missing"),
        ({"reason": "x" * 501}, "params_missing"),
        ({"prompt": "r1/e1/stance/bru"}, "not_awaited"),
    ],
)
def test_TABLE_CHOICE_4_a_forfeit_names_an_open_choice_and_a_reason(
    fight: Fight, data: dict[str, Any], code: str
) -> None:
    given = {"prompt": fight.prompt("pia"), "reason": "late", **data}
    decision = fight.send("forfeit_choice", "gm", **given)
    assert decision.refusal is not None
    assert decision.refusal.code == code
    refusal = fight.send("forfeit_choice", "zoe", **{**given, "reason": "late"}).refusal
    assert refusal is not None
    assert refusal.code == "not_gm"


@pytest.mark.parametrize("reason", ["x", "x" * 500])
def test_TABLE_CHOICE_4_a_reason_has_from_one_character_to_500(fight: Fight, reason: str) -> None:
    fight.do("forfeit_choice", prompt=fight.prompt("pia"), reason=reason)
    (forfeited,) = fight.logged("seat_choice_forfeited")
    assert forfeited.reason == reason


@pytest.mark.parametrize("commitment", ["0g" * 32, "00" * 31, "00" * 33, "AB" * 32, ""])
def test_TABLE_CHOICE_1_a_commitment_is_64_hexadecimal_digits(fight: Fight, commitment: str) -> None:
    data = {"creature": "pia", "prompt": fight.prompt("pia"), "commitment": commitment}
    assert fight.refused("seal_choice", **data) == "commitment_malformed"


def test_TABLE_CHOICE_2_a_choice_is_sent_to_nobody_where_the_service_seals() -> None:
    fight = begun(PLACES)
    fight.do("engage", creature="pia", target="orc").joined_by("wolf")
    choice = stance(fight, "pia")
    data = {"creature": "pia", "prompt": choice["prompt"]}
    assert fight.refused("seal_choice", **data, commitment="00" * 32) == "not_awaited"
    assert fight.refused("open_choice", **data, choice=choice, salt=SALT) == "not_awaited"
    assert fight.refused("forfeit_choice", prompt=choice["prompt"], reason="late") == "not_awaited"


def _fields(choice: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in choice.items() if name != "type"}
