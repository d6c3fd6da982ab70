"""The bytes of requests and commits: the vectors, and that what is written is read."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, ClassVar

import pytest

from service.core.decide import FoldedState, decide_request, unfolded
from service.record.canonical import NotCanonical, is_canonical
from service.record.commit import (
    Batch,
    Request,
    command_of,
    dump_request,
    event_of,
    fold_commit,
    load_commit,
    load_request,
)
from service.rules.kernel.codec import Malformed
from service.rules.kernel.messages import Actor, Command, Emits, Event, Private, Refused, Scope
from service.rules.kernel.records import record
from service.rules.ruleset import Ruleset
from service.rules.table.table import Table
from service.stores.secrets import EncounterSecrets
from tests.support.tiny_game import TINY, Add
from tests.support.tiny_table import GM, eid, request

VECTORS = json.loads((Path(__file__).parents[1] / "vectors" / "log.json").read_text())


@record
class VectorOpened(Event[Table]):
    type: ClassVar[str] = "encounter_opened"
    edition: str

    def evolve(self, state: Table) -> Table:
        return state


@record
class VectorCommitted(Event[Table]):
    type: ClassVar[str] = "stance_committed"
    creature: str

    def evolve(self, state: Table) -> Table:
        return state


@record
class VectorChosen(Event[Table]):
    type: ClassVar[str] = "stance_chosen"
    creature: str
    stance: str

    def evolve(self, state: Table) -> Table:
        return state


@record
class VectorOpen(Command[Table]):
    type: ClassVar[str] = "open"
    edition: str
    names: dict[str, str]

    def check(self, view: Table) -> None:
        pass

    def decide(self, state: Table) -> Emits[Table]:
        return (yield VectorOpened(edition=self.edition, because=("HR-GEN-1",)))


@record
class VectorChoose(Command[Table]):
    type: ClassVar[str] = "choose_stance"
    creature: str
    prompt: str
    stance: str

    def check(self, view: Table) -> None:
        pass

    def decide(self, state: Table) -> Emits[Table]:
        state = yield VectorCommitted(creature=self.creature, because=("HR-STANCE-1",))
        chosen = VectorChosen(creature=self.creature, stance=self.stance, because=("HR-STANCE-1",))
        return (yield Private(scope=self.scope(state), event=chosen))

    def scope(self, state: Table) -> Scope:
        return Scope(audience=(f"seat:{self.by.seat}",), opens="r1/e1/reveal")


@record
class VectorPass(Command[Table]):
    type: ClassVar[str] = "pass"
    side: str

    def check(self, view: Table) -> None:
        raise Refused("engagement_in_progress", "nobody has priority in an engagement", "HR-PRIO-8")

    def decide(self, state: Table) -> Emits[Table]:
        yield from ()
        raise AssertionError("it is always refused")


PLAY: Ruleset[Table] = Ruleset(
    edition="heartrush@1",
    title="Vectors",
    blank=Table(),
    opening=VectorOpen,
    commands={command.type: command for command in (VectorChoose, VectorPass)},
    events={event.type: event for event in (VectorOpened, VectorCommitted, VectorChosen)},
    options={},
    packages=("tests.record.test_commit",),
)


def _decided() -> list[Any]:
    """Decide the requests of the vectors, one after the other."""
    envelope_secret = bytes.fromhex(VECTORS["envelope"]["envelope_secret"])
    encounter = json.loads(VECTORS["commits"][0]["request"])["encounter"]
    secrets = EncounterSecrets(encounter, {0: bytes(32)}, {0: 4}, envelope_secret)
    folded: FoldedState[Table] = unfolded(encounter, PLAY)
    written = []
    for vector in VECTORS["commits"]:
        written.append(decide_request(PLAY, folded, vector["request"].encode(), vector["n"], secrets))
        folded = written[-1].folded
    return written


@pytest.mark.parametrize("n", [1, 2, 3])
def test_deciding_a_vectors_request_writes_its_commit(n: int) -> None:
    written = _decided()[n - 1]
    vector = VECTORS["commits"][n - 1]

    assert written.raw.decode() == vector["commit"]
    assert written.hash == vector["hash"]


def test_deciding_the_vectors_sealed_choice_keeps_its_payload_apart() -> None:
    written = _decided()[1]
    envelope = VECTORS["envelope"]

    assert [(index, lies.payload) for index, lies in written.sealed] == [
        (envelope["index"], envelope["payload"].encode())
    ]
    assert written.sealed[0][1].salt.hex() == envelope["salt"]
    assert envelope["commitment"] in written.raw.decode()


@pytest.mark.parametrize("size", [2, 3])
def test_the_frontier_has_the_vectors_root(size: int) -> None:
    assert _decided()[size - 1].folded.frontier.root().hex() == VECTORS[f"root_{size}"]


@pytest.mark.parametrize("vector", VECTORS["commits"], ids=lambda vector: f"n={vector['n']}")
def test_a_vectors_request_is_read_and_written_alike(vector: dict[str, str]) -> None:
    assert dump_request(load_request(vector["request"].encode())).decode() == vector["request"]


def test_a_request_is_read_as_it_was_written() -> None:
    sent = Request(
        encounter=eid(),
        type="add",
        at="2026-01-02T03:04:05.678Z",
        nonce="0f" * 16,
        actor=Actor(seat="ada", role="player"),
        data={"amount": 3},
        batch=Batch(id="a1", index=1, of=3, stop=True),
    )

    raw = dump_request(sent)

    assert load_request(raw) == sent
    assert is_canonical(raw)


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"{",
        b"[]",
        b"{}",
        b"\xff",
        b'{"type":"add","data":[]}',
        b'{"type":1,"data":{}}',
        request(2, "add", {}).replace(b'"actor"', b'"acted"'),
        request(2, "add", {}).replace(b'"batch":null', b'"batch":{"id":"x"}'),
    ],
)
def test_bytes_that_are_no_request_are_not_read(raw: bytes) -> None:
    with pytest.raises(NotCanonical):
        load_request(raw)


@pytest.mark.parametrize("raw", [b"{", b"[]", b"{}", b'{"v":1}', b'{"v":1,"surplus":2}'])
def test_bytes_that_are_no_commit_are_not_read(raw: bytes) -> None:
    with pytest.raises(NotCanonical):
        load_commit(raw)


def test_a_command_takes_its_actor_from_the_request() -> None:
    answer = load_request(request(2, "add", {"amount": 3}))

    assert command_of(TINY, answer) == Add(by=GM, amount=3)
    assert command_of(TINY, load_request(request(2, "castle", {}))) is None


def test_a_command_with_a_wrong_field_names_its_place() -> None:
    with pytest.raises(Malformed) as fault:
        command_of(TINY, load_request(request(2, "add", {"amount": "3"})))

    assert fault.value.pointer == "/data/amount"


def test_an_event_of_an_unknown_type_fails() -> None:
    with pytest.raises(KeyError):
        event_of(TINY, {"type": "checkmate", "because": []})


def test_folding_the_vectors_needs_the_envelopes_payload() -> None:
    commit = load_commit(VECTORS["commits"][1]["commit"].encode())

    with pytest.raises(KeyError):
        fold_commit(PLAY, Table(), commit, {})
    assert fold_commit(PLAY, Table(), commit, {1: json.loads(VECTORS["envelope"]["payload"])}) == Table()
