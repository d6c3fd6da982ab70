"""Bundles over HTTP: written for a seat, taken in by another service, or refused whole."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from service.api.app import create_app
from service.audit import bundle
from service.audit.fight import verify_fight
from service.audit.importing import ImportedBundle, take
from service.cli.script import sample
from service.core.fold import Folder
from service.key_files import Keyring
from service.log import Log
from service.log.memory import MemoryLog
from service.stores import api_keys
from service.stores.archive.storage import DirectoryStorage
from service.stores.jobs import AUDITS
from service.usecases.services import Services, make_services
from tests.api.client import Api, Table, is_problem
from tests.api.conftest import BOTH
from tests.api.test_amendments import ADD, accepted, did
from tests.api.test_amendments import made as reached
from tests.audit.evidence_of import evidence_of
from tests.support.folding import fold_whole
from tests.support.tiny_table import Sitting
from workers.audits import Auditor
from workers.fold import CommandFolder
from workers.imports import Importer
from workers.retention import Retention

JSONL = {"Content_Type": "application/jsonl"}


def importer(log: Log) -> Importer:
    return Importer(log, BOTH, worker="one", stopping=Event())


def taken(who: Api, raw: bytes, query: str = "") -> Any:
    """Send a bundle, and return the import once it is done or has failed."""
    answer = who("POST", f"/v1/bundles{query}", raw, **JSONL)
    assert answer.status_code == 202, answer.text
    return who.get(answer.headers["Location"])


def refused(who: Api, raw: bytes, query: str = "") -> Any:
    """Send a bundle that is not taken in, and return why."""
    made = taken(who, raw, query)
    assert (made["status"], made["imported"]) == ("failed", None)
    return made["refusal"]


@pytest.fixture
def other() -> Iterator[Services]:
    """Give another service, with another key and an empty store, its worker there when it is rung for."""
    log = MemoryLog()
    services = make_services(
        log,
        BOTH,
        ring=lambda _bucket: importer(log).look(),
        clock=time.time,
        keys=Keyring.of(bytes(range(1, 33))),
        mode="memory",
    )
    yield services
    services.outcomes.close()


@pytest.fixture
def elsewhere(other: Services) -> Api:
    """Give a client of the other service."""
    token, _ = api_keys.create(other.log, "tests", time.time())
    return Api(create_app(other)).with_token(token)


def played(table: Table) -> Table:
    """Play two rounds with dice, refusals and secret choices."""
    for who, data in (
        (table.gm, {"type": "add", "amount": 3}),
        (table.gm, {"type": "roll"}),
        (table.ada, {"type": "choose", "number": 3}),
        (table.bo, {"type": "choose", "number": 4}),
        (table.gm, {"type": "add", "amount": 30}),
        (table.gm, {"type": "end_round"}),
        (table.gm, {"type": "roll"}),
    ):
        table.send(who, data)
    return table


def closed(table: Table) -> Table:
    table.send(played(table).gm, {"type": "close", "reason": "enough"})
    assert table.gm("POST", f"{table.at}/checkpoints", Prefer="wait=30").status_code == 200
    return table


def bundle_of(who: Api, table: Table) -> bytes:
    answer = who("GET", f"{table.at}/bundle")
    assert answer.status_code == 200, answer.text
    assert answer.mimetype == "application/jsonl"
    raw: bytes = answer.data
    return raw


def test_a_bundle_over_http_is_what_the_seat_may_see_and_audits_valid(table: Table) -> None:
    raw = bundle_of(closed(table).ada, table)

    evidence = bundle.read(raw)
    assert (evidence.seat, len(evidence.notes) > 0) == ("ada", True)
    assert str(verify_fight([evidence], BOTH).verdict) == "valid_unsigned"


def test_a_running_fights_bundle_holds_no_choice_of_another_seat(table: Table) -> None:
    table.send(table.ada, {"type": "choose", "number": 7})

    assert b'\\"number\\":7' in bundle_of(table.ada, table)
    assert b'\\"number\\":7' not in bundle_of(table.bo, table)


def test_what_is_taken_in_reads_replays_and_audits_as_where_it_was_played(
    table: Table, elsewhere: Api, other: Services
) -> None:
    raw = bundle_of(closed(table).gm, table)

    made = taken(elsewhere, raw)

    assert (made["status"], made["encounter"]) == ("done", table.id)
    assert made["certificate"]["verdict"]["text"] == made["verdict"]
    for path in ("/state", "/state?at=5", "/commits", "/rounds/1/replay", "/rolls", "/seats"):
        assert elsewhere.get(table.at + path) == table.gm.get(table.at + path), path
    assert bundle_of(elsewhere, table) == raw
    job = json.loads(elsewhere("POST", f"{table.at}/audits", {}).text)
    Auditor(other.log, BOTH, worker="one", stopping=Event()).look()
    found = AUDITS.find(other.log, table.id, job["audit"])
    assert found is not None
    assert found["verdict"] == made["verdict"]


def noting(seen: list[bytes]) -> Callable[..., ImportedBundle]:
    """Return what takes bundles in, and notes each of them in *seen*."""

    def taking(*given: Any) -> ImportedBundle:
        seen.append(given[3])
        return take(*given)

    return taking


def test_taking_in_is_a_job_that_a_worker_does_and_the_api_audits_nothing(
    table: Table, other: Services, elsewhere: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    raw = bundle_of(closed(table).gm, table)
    audits: list[bytes] = []
    monkeypatch.setattr("workers.imports.take", noting(audits))
    nobody = Api(create_app(replace(other, ring=lambda _bucket: None))).with_token(elsewhere.token or "")
    monkeypatch.setattr("service.audit.importing.verify_fight", lambda *_, **__: pytest.fail("it audits"))

    answer = nobody("POST", "/v1/bundles", raw, **JSONL)

    at = answer.headers["Location"]
    assert (answer.status_code, nobody.get(at)["status"], audits) == (202, "pending", [])
    assert nobody("GET", table.at).status_code == 404
    monkeypatch.setattr("service.audit.importing.verify_fight", verify_fight)
    importer(other.log).look()
    assert (nobody.get(at)["status"], audits) == ("done", [raw])
    assert [each["bundle"] for each in nobody.get("/v1/bundles")["imports"]] == [nobody.get(at)["bundle"]]
    assert other.log.record("bundles", nobody.get(at)["bundle"]) is None, "the file is not kept"


def test_every_bundle_is_taken_in_however_many_were_sent_at_once(
    table: Table, other: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    table.send(table.gm, {"type": "roll"})
    raw = bundle_of(table.gm, table)
    seen: list[bytes] = []
    nobody = create_app(replace(other, ring=lambda _bucket: None))
    owners = [Api(nobody).with_token(api_keys.create(other.log, f"o{i}", time.time())[0]) for i in range(20)]
    monkeypatch.setattr("workers.imports.take", noting(seen))
    for owner in owners:
        for number in range(8):
            asked = owner("POST", "/v1/bundles", raw, Idempotency_Key=f"k{number}", **JSONL)
            assert asked.status_code == 202

    importer(other.log).look()

    assert len(seen) == 160
    for owner in owners:
        assert [each["status"] for each in owner.get("/v1/bundles")["imports"]] == 8 * ["done"]


def test_a_repeat_with_its_key_is_the_same_import(table: Table, elsewhere: Api) -> None:
    raw = bundle_of(closed(table).gm, table)

    first, again = (elsewhere("POST", "/v1/bundles", raw, Idempotency_Key="once", **JSONL) for _ in range(2))

    assert first.headers["Location"] == again.headers["Location"]
    assert again.headers["Idempotency-Replayed"] == "true"
    other = elsewhere("POST", "/v1/bundles", raw + b" ", Idempotency_Key="once", **JSONL)
    is_problem(other, 422, "idempotency-key-reused")


def test_a_fight_that_is_still_played_is_taken_in_as_far_as_told(table: Table, elsewhere: Api) -> None:
    raw = bundle_of(played(table).gm, table)

    assert taken(elsewhere, raw)["status"] == "done"
    table.send(table.gm, {"type": "add", "amount": 1})
    longer = taken(elsewhere, bundle_of(table.gm, table))

    assert longer["encounter"] == table.id
    assert elsewhere.get(table.at)["version"] == table.gm.get(table.at)["version"]
    shorter = taken(elsewhere, raw)
    assert shorter["encounter"] == table.id, "it is a beginning of what is here"
    assert elsewhere.get(table.at)["version"] == table.gm.get(table.at)["version"]


def test_what_was_taken_in_takes_no_commands_and_no_seats(table: Table, elsewhere: Api) -> None:
    taken(elsewhere, bundle_of(played(table).gm, table))

    for path, data in (
        ("/commands", {"type": "add", "amount": 1}),
        ("/seats", {"seat": "cy", "role": "observer"}),
    ):
        is_problem(elsewhere("POST", table.at + path, data), 409, "encounter-imported")
    is_problem(elsewhere("DELETE", table.at), 409, "encounter-imported")
    is_problem(elsewhere("POST", f"{table.at}/checkpoints"), 409, "encounter-imported")


def test_the_same_bundle_again_changes_nothing(table: Table, elsewhere: Api) -> None:
    raw = bundle_of(closed(table).gm, table)

    assert [taken(elsewhere, raw)["encounter"] for _ in range(2)] == [table.id] * 2
    assert len(elsewhere.get("/v1/encounters")["encounters"]) == 1


# --- who signed it -------------------------------------------------------------------------------------


def forged(table: Table) -> bytes:
    """Return a sound bundle of another history under the encounter's id, which nobody signed."""
    sitting = Sitting(table.id)
    sitting.open()
    for _ in range(3):
        sitting.do("add", amount=1)
    return b"".join(bundle.write(evidence_of(sitting), "gm"))


def key_of(table: Table) -> str:
    key: str = table.gm.get("/v1/keys")["keys"][0]["public_key"]
    return key


def test_what_no_accepted_key_signed_is_unsigned_for_everybody_to_see(table: Table, elsewhere: Api) -> None:
    made = taken(elsewhere, bundle_of(closed(table).gm, table))

    assert made["imported"] == {"record": table.id, "unsigned": True, "signed": 0, "keys": []}
    assert elsewhere.get(table.at)["imported"] == made["imported"]
    (listed,) = elsewhere.get("/v1/encounters")["encounters"]
    assert listed["imported"] == made["imported"]
    assert table.gm.get(table.at)["imported"] is None


def test_a_key_of_the_settings_or_of_the_request_is_accepted(table: Table, other: Services) -> None:
    raw, key = bundle_of(closed(table).gm, table), key_of(table)
    count = table.gm.get(table.at)["version"]
    token, _ = api_keys.create(other.log, "tests", time.time())
    trusting = Api(create_app(replace(other, accepted_keys=(bytes.fromhex(key),)))).with_token(token)

    for who, query in ((Api(create_app(other)).with_token(token), f"?key={key}"), (trusting, "")):
        made = taken(who, raw, query)
        assert made["imported"] == {"record": table.id, "unsigned": False, "signed": count, "keys": [key]}
        assert made["verdict"] == "valid", "what is not `unsigned` is not `valid_unsigned`"
        assert made["certificate"]["log"]["checkpoints"]["key_was_given"] is True
        assert who.get(table.at)["imported"]["unsigned"] is False


def test_an_unsigned_import_is_signed_once_its_key_is_accepted_and_stays_so(
    table: Table, elsewhere: Api
) -> None:
    raw, key = bundle_of(closed(table).gm, table), key_of(table)

    said = [taken(elsewhere, raw, query)["imported"]["unsigned"] for query in ("", f"?key={key}", "")]

    assert said == [True, False, False]
    assert elsewhere.get(table.at)["imported"]["unsigned"] is False


def test_with_a_key_a_bundle_that_it_did_not_sign_whole_is_refused(table: Table, elsewhere: Api) -> None:
    raw = bundle_of(closed(table).gm, table)

    for body, key in ((raw, "ab" * 32), (forged(table), key_of(table))):
        refusal = refused(elsewhere, body, f"?key={key}")
        assert refusal["code"] == "bundle-refused"
        assert refusal["detail"].startswith("unsigned_from(1)")
    assert elsewhere.get("/v1/encounters")["encounters"] == []
    is_problem(elsewhere("POST", "/v1/bundles?key=nobody", raw, **JSONL), 422, "invalid")


@pytest.mark.parametrize("with_key", [True, False])
def test_a_false_bundle_keeps_no_true_one_out(table: Table, elsewhere: Api, *, with_key: bool) -> None:
    raw, key = bundle_of(closed(table).gm, table), key_of(table)
    false = taken(elsewhere, forged(table))
    assert (false["encounter"], false["imported"]["unsigned"]) == (table.id, True)

    true = taken(elsewhere, raw, f"?key={key}" if with_key else "")

    assert true["status"] == "done"
    assert true["encounter"] != false["encounter"]
    assert (true["imported"]["record"], true["imported"]["unsigned"]) == (table.id, not with_key)
    at = f"/v1/encounters/{true['encounter']}"
    assert elsewhere.get(f"{at}/state")["hash"] == table.gm.get(f"{table.at}/state")["hash"]
    assert elsewhere("GET", f"{at}/bundle").data == raw
    for path in ("/state", "/rounds/1/replay", "/rolls", "/seats", "/commits/3/explanation"):
        here = table.gm.get(table.at + path)
        named = {"line": true["encounter"]} if "line" in here else {}
        assert elsewhere.get(at + path) == here | named, path
    assert taken(elsewhere, raw)["encounter"] == true["encounter"], "the same one again"


def test_a_longer_false_bundle_takes_in_no_running_fight_that_is_signed(table: Table, elsewhere: Api) -> None:
    played(table)
    assert table.gm("POST", f"{table.at}/checkpoints", Prefer="wait=30").status_code == 200
    true, key = bundle_of(table.gm, table), key_of(table)
    size = table.gm.get(table.at)["version"]
    table.send(table.gm, {"type": "add", "amount": 1})  # whoever has the seeds may write such a tail
    false = taken(elsewhere, bundle_of(table.gm, table))

    made = taken(elsewhere, true, f"?key={key}")

    assert made["encounter"] != false["encounter"]
    assert (made["imported"]["unsigned"], made["imported"]["signed"]) == (False, size)
    assert elsewhere.get(f"/v1/encounters/{made['encounter']}")["version"] == size


def test_an_owners_import_keeps_no_other_owners_out(table: Table, other: Services, elsewhere: Api) -> None:
    taken(elsewhere, forged(table))
    token, _ = api_keys.create(other.log, "somebody else", time.time())
    second = Api(create_app(other)).with_token(token)

    made = taken(second, bundle_of(closed(table).gm, table))

    assert (made["status"], made["encounter"] != table.id) == ("done", True)
    assert elsewhere("GET", f"/v1/encounters/{made['encounter']}").status_code == 404


def test_what_an_accepted_key_signed_is_continued_by_nothing_unsigned(table: Table, elsewhere: Api) -> None:
    played(table)
    assert table.gm("POST", f"{table.at}/checkpoints", Prefer="wait=30").status_code == 200
    key = key_of(table)
    first = taken(elsewhere, bundle_of(table.gm, table), f"?key={key}")
    version = elsewhere.get(table.at)["version"]
    table.send(table.gm, {"type": "add", "amount": 1})

    longer = taken(elsewhere, bundle_of(table.gm, table))

    assert longer["encounter"] != first["encounter"]
    assert elsewhere.get(table.at)["version"] == version
    assert table.gm("POST", f"{table.at}/checkpoints", Prefer="wait=30").status_code == 200
    signed = taken(elsewhere, bundle_of(table.gm, table), f"?key={key}")
    assert signed["encounter"] == first["encounter"]
    assert elsewhere.get(table.at)["imported"]["unsigned"] is False


def test_an_encounter_that_is_played_here_is_not_overwritten(table: Table, owner: Api, log: Log) -> None:
    raw = bundle_of(closed(table).gm, table)
    before = owner.get(table.at)
    at = owner("POST", "/v1/bundles", raw, **JSONL).headers["Location"]

    importer(log).look()

    made = owner.get(at)
    assert (made["status"], made["encounter"] != table.id) == ("done", True)
    assert owner.get(table.at) == before
    assert [each["imported"] is None for each in owner.get("/v1/encounters")["encounters"]] == [False, True]


# --- what is not taken in ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "code"),
    [
        (lambda raw: raw.replace(b'\\"amount\\":3', b'\\"amount\\":4', 1), "tampered"),
        (lambda raw: raw[: len(raw) // 2], "truncated"),
        (lambda raw: raw.replace(b'"kind":"commit"', b'"kind":"kommit"', 1), "malformed"),
    ],
)
def test_a_bundle_that_fails_is_refused_whole(
    table: Table, elsewhere: Api, change: object, code: str
) -> None:
    assert callable(change)
    raw = change(bundle_of(closed(table).gm, table))

    refusal = refused(elsewhere, raw)

    assert (refusal["code"], refusal["detail"].startswith(code)) == ("bundle-refused", True)
    assert elsewhere.get("/v1/encounters")["encounters"] == []
    assert elsewhere("GET", table.at).status_code == 404


@pytest.mark.parametrize("raw", [b"", b"{}\n", b"\xff", b'{"kind":"trailer"}\n'])
def test_what_does_not_begin_as_a_bundle_is_refused_at_once(elsewhere: Api, raw: bytes) -> None:
    is_problem(elsewhere("POST", "/v1/bundles", raw, **JSONL), 422, "bundle-refused")


def test_a_bundle_from_which_something_is_withheld_is_not_taken_in(table: Table, elsewhere: Api) -> None:
    table.send(table.ada, {"type": "choose", "number": 7})

    refusal = refused(elsewhere, bundle_of(table.gm, table))

    assert refusal["code"] == "bundle-refused"
    assert "as_opened" in refusal["detail"]


def test_a_body_of_another_type_is_no_bundle(elsewhere: Api) -> None:
    is_problem(elsewhere("POST", "/v1/bundles", {}), 415, "unsupported-media-type")


# --- what becomes of it --------------------------------------------------------------------------------


def test_what_was_removed_is_not_taken_in_again(table: Table, elsewhere: Api, other: Services) -> None:
    raw = bundle_of(closed(table).gm, table)
    taken(elsewhere, raw)
    removal = {"bundle": sha256(raw).hexdigest()}
    assert elsewhere("POST", f"{table.at}/removal", removal).status_code == 200

    for late in (0, 3_600):
        Retention(
            other.log,
            BOTH,
            DirectoryStorage(Path()),
            0,
            Event(),
            lambda _: None,
            clock=lambda late=late: time.time() + late,  # type: ignore[misc]  # bound to this turn
        ).look()
        assert refused_again(elsewhere, raw) == ("encounter-removed", table.id)
        is_problem(elsewhere("GET", f"{table.at}/state"), 410, "encounter-removed")
    assert other.log.head(table.id) is None, "nothing of it is in the store"


def refused_again(who: Api, raw: bytes) -> tuple[str, str]:
    made = taken(who, raw)
    assert made["status"] == "failed"
    return made["refusal"]["code"], made["encounter"]


def test_an_import_of_a_fight_that_is_still_played_can_be_removed(table: Table, elsewhere: Api) -> None:
    raw = bundle_of(played(table).gm, table)
    taken(elsewhere, raw)

    answer = elsewhere("POST", f"{table.at}/removal", {"bundle": sha256(raw).hexdigest()})

    assert answer.status_code == 200, answer.text
    is_problem(elsewhere("GET", table.at), 410, "encounter-removed")


def test_a_fork_of_an_import_is_an_encounter_of_its_own(
    table: Table, elsewhere: Api, other: Services
) -> None:
    taken(elsewhere, bundle_of(closed(table).gm, table))

    answer = elsewhere("POST", f"{table.at}/forks", {"at": 3}, Prefer="respond-async")

    assert answer.status_code == 202, answer.text
    fork = json.loads(answer.text)["encounter"]
    fold_whole(CommandFolder(other.log, Folder(other.log, BOTH), Keyring.of(other.secrets_key)), fork)
    assert elsewhere.get(f"/v1/encounters/{fork}")["imported"] is None
    sent = elsewhere("POST", f"/v1/encounters/{fork}/commands", {"type": "add", "amount": 1}, Prefer="wait=0")
    assert sent.status_code == 202, sent.text


def test_an_import_keeps_its_title(elsewhere: Api, owner: Api) -> None:
    fight = sample(None, "heartrush")
    at = json.loads(owner("POST", "/v1/encounters", fight.opening).text)["encounter"]
    raw = owner("GET", f"/v1/encounters/{at}/bundle").data

    made = taken(elsewhere, raw)

    there = elsewhere.get(f"/v1/encounters/{made['encounter']}")
    assert there["title"] == owner.get(f"/v1/encounters/{at}")["title"] == fight.opening["title"]


def test_an_import_leads_to_no_line_that_its_record_names(table: Table, elsewhere: Api, owner: Api) -> None:
    """A record may name any id as the line in which it goes on; here that id is somebody else's."""
    did(table, ADD, ADD)
    accepted(table, reached(table.gm("POST", f"{table.at}/undo", {"to": 3, "preview": True})))
    raw = bundle_of(table.as_played.gm, table)

    done = taken(elsewhere, raw)

    assert done["status"] == "done"
    there = elsewhere.get(table.at)
    assert (there["encounter"], there["line"]) == (table.id, table.id)
    assert there["continued"] is not None


@pytest.fixture
def busy() -> Iterator[Services]:
    """Give a service whose workers do not come."""
    services = make_services(
        MemoryLog(),
        BOTH,
        ring=lambda _: None,
        clock=time.time,
        keys=Keyring.of(bytes(range(1, 33))),
        mode="memory",
    )
    yield services
    services.outcomes.close()


def test_so_many_bundles_of_one_owner_wait_and_no_more(table: Table, busy: Services) -> None:
    raw = bundle_of(closed(table).gm, table)
    app = create_app(busy)
    mine, other = (
        Api(app).with_token(api_keys.create(busy.log, name, time.time())[0]) for name in ("me", "other")
    )
    for number in range(8):
        answer = mine("POST", "/v1/bundles", raw, Idempotency_Key=f"k{number}", **JSONL)
        assert answer.status_code == 202

    full = mine("POST", "/v1/bundles", raw, Idempotency_Key="k8", **JSONL)

    is_problem(full, 429, "too-many-imports")
    assert int(full.headers["Retry-After"]) > 0
    assert len(busy.log.records("bundles", None, 50)) == 8, "what is refused is kept nowhere"
    assert mine("POST", "/v1/bundles", raw, Idempotency_Key="k7", **JSONL).status_code == 202
    assert other("POST", "/v1/bundles", raw, **JSONL).status_code == 202

    importer(busy.log).look()

    assert mine("POST", "/v1/bundles", raw, Idempotency_Key="k8", **JSONL).status_code == 202


def test_a_bundle_is_bytes_for_a_client_that_asks_for_bytes(table: Table, elsewhere: Api) -> None:
    """Generators of clients know no `application/jsonl`; both names mean the same file."""
    at = f"{closed(table).at}/bundle"
    plain, as_bytes = table.gm("GET", at), table.gm("GET", at, Accept="application/octet-stream")
    assert plain.headers["Content-Type"] == table.gm("GET", at, Accept="*/*").headers["Content-Type"]
    assert plain.headers["Content-Type"].startswith("application/jsonl")
    assert as_bytes.headers["Content-Type"] == "application/octet-stream"
    assert as_bytes.data == plain.data
    sent = elsewhere("POST", "/v1/bundles", as_bytes.data, Content_Type="application/octet-stream")
    assert elsewhere.get(sent.headers["Location"])["encounter"] == table.id
