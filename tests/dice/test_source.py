"""The two sources of dice: they agree, and an audit knows nothing of an open epoch."""

import json
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

from service.dice.chain import Chain, DiceExhausted, seal, step
from service.dice.errors import BadParameter
from service.dice.source import Dice, DisclosedDice, FalseLink, NotDisclosed, SeededDice

VECTORS: dict[str, Any] = json.loads((Path(__file__).parents[1] / "vectors" / "dice.json").read_text("utf-8"))
CHAINS = {chain["name"]: chain for chain in VECTORS["chains"]}

EID = bytes(range(16))
LANES = {lane: Chain(bytes([lane]) * 32, EID, lane, 200) for lane in (0, 1)}
ANCHORS = [chain.anchor for chain in LANES.values()]
SEAL = seal(EID, ANCHORS, {})
SEEDED = SeededDice(EID, SEAL, LANES)


def disclosed(*epochs: tuple[int, int]) -> DisclosedDice:
    """Return the dice of an audit that holds the links of these (lane, epoch)."""
    return DisclosedDice(
        EID, SEAL, ANCHORS, {(lane, epoch): LANES[lane].link(epoch) for lane, epoch in epochs}
    )


@pytest.mark.parametrize("case", VECTORS["rolls"], ids=lambda case: f"{case['stream']}-{len(case['sides'])}")
def test_every_roll_vector_comes_from_its_seeds_and_from_its_link(case: dict[str, Any]) -> None:
    vector, lane = CHAINS[case["chain"]], case["lane"]
    eid, epoch = UUID(vector["encounter"]).bytes, vector["epoch"]
    chains = {int(k): Chain(bytes.fromhex(s), eid, int(k), vector["n"]) for k, s in vector["seeds"].items()}
    anchors = [chain.anchor for chain in chains.values()]
    salt = bytes.fromhex(vector["seal"])
    link = bytes.fromhex(vector["disclosed"][str(lane)])
    sources: list[Dice] = [
        SeededDice(eid, salt, chains),
        DisclosedDice(eid, salt, anchors, {(lane, epoch): link}),
    ]

    for dice in sources:
        assert list(dice.faces(lane, epoch, case["stream"], case["place"], case["sides"])) == case["faces"]


@pytest.mark.parametrize("case", VECTORS["must_fail"], ids=lambda case: case["why"])
def test_an_audit_does_not_begin_with_a_false_link(case: dict[str, Any]) -> None:
    vector, lane = CHAINS[case["chain"]], case["lane"]
    eid = UUID(vector["encounter"]).bytes
    anchor = Chain(bytes.fromhex(vector["seeds"][str(lane)]), eid, lane, vector["n"]).anchor
    claimed = {(lane, vector["epoch"]): bytes.fromhex(case["claimed"])}

    with pytest.raises(FalseLink, match=f"lane {lane} for epoch {vector['epoch']}"):
        DisclosedDice(eid, bytes.fromhex(vector["seal"]), [anchor], claimed)


def test_a_name_gives_its_dice_whenever_it_is_asked() -> None:
    """Epochs and lanes come and go between; a decision that is repeated rolls the same."""
    first = SEEDED.faces(0, 3, "orc/attack", 0, (8, 10, 12))
    SEEDED.faces(0, 4, "orc/attack", 0, (8, 10, 12))
    SEEDED.faces(1, 3, "orc/attack", 0, (8, 10, 12))
    SEEDED.faces(0, 3, "pia/attack", 0, (8,))

    assert SEEDED.faces(0, 3, "orc/attack", 0, (8, 10, 12)) == first
    assert SeededDice(EID, SEAL, LANES).faces(0, 3, "orc/attack", 0, (8, 10, 12)) == first


def test_lanes_and_epochs_have_dice_of_their_own() -> None:
    sides = (1_000_000,) * 4
    rolls = [SEEDED.faces(lane, epoch, "table", 0, sides) for lane in (0, 1) for epoch in (1, 2)]

    assert all(one != other for i, one in enumerate(rolls) for other in rolls[:i])


def test_an_audit_agrees_with_play_in_every_disclosed_epoch() -> None:
    audit = disclosed((0, 1), (0, 2), (0, 130), (1, 200))

    for lane, epoch in [(0, 1), (0, 2), (0, 3), (0, 129), (0, 130), (1, 1), (1, 199), (1, 200)]:
        assert audit.link(lane, epoch) == SEEDED.link(lane, epoch)
        assert audit.faces(lane, epoch, "table", 5, (20,) * 9) == SEEDED.faces(
            lane, epoch, "table", 5, (20,) * 9
        )


@pytest.mark.parametrize(("lane", "epoch"), [(0, 3), (1, 1), (1, 2), (0, 0), (0, -1)])
def test_an_audit_derives_no_dice_of_an_open_epoch(lane: int, epoch: int) -> None:
    audit = disclosed((0, 1), (0, 2))

    with pytest.raises(NotDisclosed):
        audit.link(lane, epoch)
    with pytest.raises(NotDisclosed, match=f"lane {lane} in epoch {epoch}") as caught:
        audit.faces(lane, epoch, "table", 0, (6,))
    assert caught.value.code == "not_disclosed"


def test_both_sources_end_at_the_same_epoch() -> None:
    """An audit decides again the command that found the dice exhausted, and must find them so."""
    for dice in (SEEDED, disclosed((0, 200))):
        with pytest.raises(DiceExhausted):
            dice.faces(0, 201, "table", 0, (6,))


def test_no_dice_are_thrown_before_the_first_epoch() -> None:
    with pytest.raises(BadParameter):
        SEEDED.faces(0, 0, "table", 0, (6,))


@pytest.mark.parametrize("epoch", [0, -1, 201])
def test_a_link_of_an_epoch_that_does_not_exist_is_false(epoch: int) -> None:
    with pytest.raises(FalseLink):
        DisclosedDice(EID, SEAL, ANCHORS, {(0, epoch): LANES[0].link(1)})


def test_a_link_of_a_lane_without_an_anchor_is_false() -> None:
    with pytest.raises(FalseLink, match="lane 1 for epoch 1"):
        DisclosedDice(EID, SEAL, ANCHORS[:1], {(1, 1): LANES[1].link(1)})


def test_the_first_false_link_is_the_one_that_is_named() -> None:
    links = {(0, 1): LANES[0].link(1), (0, 2): LANES[0].link(3), (0, 3): LANES[1].link(3)}

    with pytest.raises(FalseLink) as caught:
        DisclosedDice(EID, SEAL, ANCHORS, links)
    assert (caught.value.code, caught.value.lane, caught.value.epoch) == ("false_link", 0, 2)


def test_a_false_link_behind_true_ones_is_found() -> None:
    """Each link is held to the one before it, which is no way around the anchor."""
    forged = bytes(32)
    links = {(0, 1): LANES[0].link(1), (0, 9): forged, (0, 8): step(EID, 0, 9, forged)}

    with pytest.raises(FalseLink, match="lane 0 for epoch 8"):
        DisclosedDice(EID, SEAL, ANCHORS, links)


def test_a_chain_rolls_only_for_its_own_lane_and_encounter() -> None:
    with pytest.raises(AssertionError, match="the chain of lane 1 belongs elsewhere"):
        SeededDice(EID, SEAL, {1: LANES[0]})
    with pytest.raises(AssertionError, match="the chain of lane 0 belongs elsewhere"):
        SeededDice(EID[::-1], SEAL, {0: LANES[0]})
