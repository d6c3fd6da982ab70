"""Chains, seals, keys and envelopes: the vectors, and what nobody can make pass."""

import json
import random
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

from service.dice.chain import (
    MAX_EPOCHS,
    Anchor,
    Chain,
    DiceExhausted,
    discloses,
    envelope_commitment,
    epoch_key,
    seal,
    seat_commitment,
    step,
    walk,
)
from service.dice.errors import BadParameter

VECTORS: dict[str, Any] = json.loads((Path(__file__).parents[1] / "vectors" / "dice.json").read_text("utf-8"))
CHAINS = {chain["name"]: chain for chain in VECTORS["chains"]}
EID = bytes(range(16))
SEED = bytes(range(32))


@pytest.fixture(params=list(CHAINS.values()), ids=list(CHAINS))
def vector(request: pytest.FixtureRequest) -> dict[str, Any]:
    chain: dict[str, Any] = request.param
    return chain


def chains(vector: dict[str, Any]) -> dict[int, Chain]:
    eid = UUID(vector["encounter"]).bytes
    return {
        int(lane): Chain(bytes.fromhex(seed), eid, int(lane), vector["n"])
        for lane, seed in vector["seeds"].items()
    }


def seats(vector: dict[str, Any]) -> dict[str, bytes]:
    return {seat: bytes.fromhex(seed) for seat, seed in vector["seats"].items()}


def test_every_chain_vector_gives_its_anchors_and_links(vector: dict[str, Any]) -> None:
    for lane, chain in chains(vector).items():
        assert chain.anchor.value.hex() == vector["anchors"][str(lane)]
        assert chain.link(vector["epoch"]).hex() == vector["disclosed"][str(lane)]


def test_every_chain_vector_gives_its_seat_commitments_seal_and_keys(vector: dict[str, Any]) -> None:
    eid = UUID(vector["encounter"]).bytes
    lanes = chains(vector)
    salt = seal(eid, [chain.anchor for chain in lanes.values()], seats(vector))

    assert {s: seat_commitment(eid, s, seed).hex() for s, seed in seats(vector).items()} == vector[
        "seat_commitments"
    ]
    assert salt.hex() == vector["seal"]
    for lane, link in vector["disclosed"].items():
        key = epoch_key(bytes.fromhex(link), salt, eid, int(lane), vector["epoch"])
        assert key.hex() == vector["epoch_keys"][lane]


def test_every_disclosed_link_of_the_vectors_leads_to_its_anchor(vector: dict[str, Any]) -> None:
    eid = UUID(vector["encounter"]).bytes
    for lane, link in vector["disclosed"].items():
        anchor = bytes.fromhex(vector["anchors"][lane])
        assert discloses(bytes.fromhex(link), vector["epoch"], anchor, 0, eid, int(lane))


@pytest.mark.parametrize("case", VECTORS["must_fail"], ids=lambda case: case["why"])
def test_a_false_link_leads_nowhere(case: dict[str, Any]) -> None:
    vector = CHAINS[case["chain"]]
    anchor = bytes.fromhex(vector["anchors"][str(case["lane"])])
    claimed = bytes.fromhex(case["claimed"])

    assert not discloses(claimed, vector["epoch"], anchor, 0, UUID(vector["encounter"]).bytes, case["lane"])


def test_a_later_link_gives_the_earlier_one() -> None:
    case = VECTORS["later_link_gives_earlier"]
    eid = UUID(CHAINS[case["chain"]]["encounter"]).bytes

    assert step(eid, case["lane"], 2, bytes.fromhex(case["link_2"])).hex() == case["link_1"]


@pytest.mark.parametrize("case", VECTORS["envelopes"])
def test_every_envelope_vector_gives_its_commitment(case: dict[str, str]) -> None:
    eid, salt = UUID(case["encounter"]).bytes, bytes.fromhex(case["salt"])

    assert envelope_commitment(eid, salt, case["payload"].encode()).hex() == case["commitment"]


@pytest.mark.parametrize("n", [1, 2, 63, 64, 65, 128, 200])
def test_sparse_links_are_the_links_of_the_whole_chain(n: int) -> None:
    whole = [SEED]
    for i in range(n, 0, -1):
        whole.insert(0, step(EID, 1, i, whole[0]))
    chain = Chain(SEED, EID, 1, n)

    assert chain.anchor == Anchor(1, n, whole[0])
    assert [chain.link(i) for i in range(1, n + 1)] == whole[1:]


@pytest.mark.parametrize("n", [1, 2, 3, 63, 64, 200, 1000])
def test_links_in_any_order_with_and_without_marks_are_the_same(n: int) -> None:
    plain = Chain(SEED, EID, 1, n)
    whole = {i: walk(EID, 1, n, SEED, i) for i in range(1, n + 1)}
    marked = Chain(SEED, EID, 1, n, dict(plain.marks))
    chance = random.Random(n)

    assert marked.anchor == plain.anchor == Anchor(1, n, walk(EID, 1, n, SEED, 0))
    assert plain.marks == marked.marks
    for i in chance.choices(range(1, n + 1), k=100):
        assert plain.link(i) == marked.link(i) == whole[i]


def test_who_has_the_marks_walks_only_as_far_as_it_uses(monkeypatch: pytest.MonkeyPatch) -> None:
    marks = dict(Chain(SEED, EID, 0).marks)
    hashes = []

    def counted(eid: bytes, lane: int, i: int, later: bytes, j: int) -> bytes:
        hashes.append(i - j)
        return walk(eid, lane, i, later, j)

    monkeypatch.setattr("service.dice.chain.walk", counted)
    chain = Chain(SEED, EID, 0, marks=marks)
    for up_to, most in ((0, 0), (1, 63), (64, 64 * 7), (256, 256 * 9)):
        assert [chain.anchor.value, *(chain.link(i) for i in range(1, up_to + 1))]
        assert sum(hashes) <= most


def test_a_link_discloses_all_earlier_ones_and_no_later_one() -> None:
    chain = Chain(SEED, EID, 0, 70)

    assert discloses(chain.link(70), 70, chain.link(3), 3, EID, 0)
    assert not discloses(chain.link(3), 3, chain.link(70), 70, EID, 0)
    assert not discloses(chain.link(3), 3, chain.link(3), 3, EID, 0)


def test_a_link_of_another_length_or_beyond_every_chain_discloses_nothing() -> None:
    link = Chain(SEED, EID, 0, 4).link(2)

    assert not discloses(link + b"\x00", 2, link, 1, EID, 0)
    assert not discloses(link, MAX_EPOCHS + 1, link, MAX_EPOCHS, EID, 0)
    assert not discloses(link, 1, link, -1, EID, 0)


def test_beyond_the_last_epoch_the_dice_are_exhausted() -> None:
    chain = Chain(SEED, EID, 0, 8)

    assert chain.link(8) == SEED
    with pytest.raises(DiceExhausted, match="lane 0 has dice for 8 epochs, not for epoch 9") as caught:
        chain.link(9)
    assert caught.value.code == "dice_exhausted"


@pytest.mark.parametrize("epoch", [0, -1])
def test_there_is_no_link_before_the_first_epoch(epoch: int) -> None:
    """C_0 is public: a key made of it would be known to all before the dice are thrown."""
    with pytest.raises(BadParameter):
        Chain(SEED, EID, 0, 8).link(epoch)


@pytest.mark.parametrize(
    ("seed", "eid", "lane", "n"),
    [
        (SEED[1:], EID, 0, 4),
        (SEED, EID[1:], 0, 4),
        (SEED, EID, 2, 4),
        (SEED, EID, 0, 0),
        (SEED, EID, 0, MAX_EPOCHS + 1),
    ],
)
def test_a_chain_outside_the_format_is_not_made(seed: bytes, eid: bytes, lane: int, n: int) -> None:
    with pytest.raises(BadParameter) as caught:
        Chain(seed, eid, lane, n)
    assert seed.hex() not in str(caught.value)


def test_a_chain_shows_no_seed() -> None:
    assert SEED.hex() not in repr(Chain(SEED, EID, 0))
    assert repr(SEED) not in repr(Chain(SEED, EID, 0))


def test_the_seal_does_not_depend_on_the_order_in_which_lanes_and_seats_came() -> None:
    anchors = [Chain(SEED, EID, lane, 4).anchor for lane in (0, 1)]
    given = {"zoe": b"z" * 32, "ada": b"a" * 32}

    assert seal(EID, anchors, given) == seal(EID, anchors[::-1], dict(reversed(given.items())))


def test_a_seal_takes_each_lane_once_and_only_whole_seeds_of_named_seats() -> None:
    anchor = Chain(SEED, EID, 0, 4).anchor
    with pytest.raises(BadParameter, match="a lane has two anchors"):
        seal(EID, [anchor, anchor], {})
    with pytest.raises(BadParameter, match="'Ada' is not an id"):
        seal(EID, [anchor], {"Ada": SEED})
    with pytest.raises(BadParameter, match="a seat's seed has 31 bytes"):
        seal(EID, [anchor], {"ada": SEED[1:]})


def test_an_anchor_outside_the_format_is_not_made() -> None:
    for lane, n, value in [(2, 4, SEED), (0, 0, SEED), (0, 4, SEED[1:])]:
        with pytest.raises(BadParameter):
            Anchor(lane, n, value)


def test_an_envelope_needs_a_whole_salt() -> None:
    with pytest.raises(BadParameter, match="an envelope's salt has 31 bytes, not 32"):
        envelope_commitment(EID, SEED[1:], b"{}")
