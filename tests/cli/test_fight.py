"""Play the books' worked example over HTTP, in both its forms, and prove what was played."""

from __future__ import annotations

import functools
from dataclasses import replace

import pytest
import redis
import requests

from service.audit import bundle, integrity
from service.audit import certificate as document
from service.audit.verify import verify
from service.cli.playing import play
from service.cli.script import sample
from service.log import keys
from service.record.canonical import dumps
from service.rules.registry import REGISTRY
from tests.audit.golden import HOME
from tests.cli.fights import PATIENCE_S, Service, audited, closed, played
from tests.support.tiny_table import SIGNER


def test_HR_V_31_over_HTTP_with_declared_dice_ends_as_the_ledger_has_it(service: Service) -> None:
    """The checks of the script, held while it is played, are the ledger's end state."""
    table = played(service, "s002", seeded=False)

    state = table.gm.state(at=22)["state"]
    assert state["edition"] == "heartrush@1"
    assert {name: creature["hp"] for name, creature in state["creatures"].items()} == {
        "pia": 37,
        "ash": 40,
        "orc": 29,
        "hound": 20,
    }
    assert state["creatures"]["orc"]["heart_die"] == 6
    assert state["priority_side"] == "undead"


def test_HR_V_32_over_HTTP_with_declared_dice_ends_as_the_ledger_has_it(service: Service) -> None:
    table = played(service, "e-c2", seeded=False)

    state = table.gm.state()["state"]
    assert state["edition"] == "heartrush@1"
    assert state["round"] == 2
    assert {name: creature["rush"] for name, creature in state["creatures"].items()} == {
        "pia": 1,
        "ash": 1,
        "orc": 1,
        "hound": 1,
    }


@pytest.mark.parametrize("form", ["s002", "e-c2"])
def test_seeded_dice_are_proved_to_their_epoch_while_it_is_played_and_wholly_after(
    service: Service, form: str
) -> None:
    table = played(service, form, seeded=True)

    live, over = audited(table), audited(closed(table))

    assert (live["status"], live["verdict"]) == ("done", "valid_to_epoch(1)")
    assert (over["status"], over["verdict"]) == ("done", "valid")
    assert over["certificate"]["counts"]["rolls_unverified"] == 0
    assert over["certificate"]["counts"]["rolls_declared"] == 0


def test_declared_dice_are_counted_in_the_certificate(service: Service) -> None:
    over = audited(closed(played(service, "s002", seeded=False)))

    assert over["verdict"] == "valid"
    assert over["certificate"]["counts"]["faces_declared"] == 12


def test_rounds_of_an_encounter_are_audited_alone(service: Service) -> None:
    table = played(service, "s002", seeded=True)
    rounds = table.gm.rounds()

    job = audited(table, first_round=1, last_round=1)

    assert job["verdict"] == "valid_to_epoch(1)"
    assert job["certificate"]["decided"] == {"from": rounds[0]["first"], "to": rounds[0]["last"]}


def test_an_audit_asked_for_twice_with_one_key_is_one_audit(service: Service) -> None:
    table = played(service, "e-c2", seeded=True)
    address = f"{service.station.url}{table.path}/audits"
    headers = {"Authorization": f"Bearer {service.key}", "Idempotency-Key": "once"}
    first = requests.post(address, json={}, headers=headers, timeout=PATIENCE_S)
    again = requests.post(address, json={}, headers=headers, timeout=PATIENCE_S)

    assert again.json()["audit"] == first.json()["audit"]
    assert again.headers["Idempotency-Replayed"] == "true"


# --- tampering ----------------------------------------------------------------------------------------


@pytest.fixture
def _remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    """Look at equal bytes once: the loop below changes one commit at a time."""
    for name in ("read_commit", "read_request", "read_payload"):
        monkeypatch.setattr(integrity, name, functools.cache(getattr(integrity, name)))


@pytest.mark.usefixtures("_remembered")
def test_any_single_byte_flipped_in_the_stored_commits_names_its_commit(service: Service) -> None:
    whole = service.evidence(closed(played(service, "s002", seeded=True)).encounter)
    assert str(verify(whole, REGISTRY).verdict) == "valid_unsigned"
    missed = []
    for n, raw in enumerate(whole.commits, 1):
        for at in range(len(raw)):
            commits = list(whole.commits)
            commits[n - 1] = raw[:at] + bytes([raw[at] ^ 1]) + raw[at + 1 :]
            verdict = verify(replace(whole, commits=commits), REGISTRY).verdict
            if verdict.name not in ("malformed", "tampered") or verdict.n != n:
                missed.append((n, at, str(verdict)))

    assert missed == []


def test_a_byte_flipped_in_the_store_is_found_by_the_service_and_named(service: Service) -> None:
    table = closed(played(service, "s002", seeded=True))
    _flip(service, table.encounter, n=14, at=300)

    job = audited(table)

    assert job["status"] == "done"
    assert job["certificate"]["verdict"]["n"] == 14
    assert job["certificate"]["verdict"]["name"] in ("malformed", "tampered")


def test_commits_cut_off_in_the_store_are_found_by_the_service(service: Service) -> None:
    table = closed(played(service, "e-c2", seeded=True))
    count = table.gm.get()["version"]
    with redis.Redis.from_url(str(service.station.settings.streams_url)) as client:
        client.xdel(keys.commits(table.encounter), f"{count}-0", f"{count - 1}-0")

    assert audited(table)["verdict"] == f"truncated({count - 1} to {count})"


def _flip(service: Service, encounter: str, n: int, at: int) -> None:
    """Turn one bit of commit *n* over in the store, as somebody who may write there could."""
    key = keys.commits(encounter)
    with redis.Redis.from_url(str(service.station.settings.streams_url)) as client:
        entries = client.xrange(key)
        client.delete(key)
        for id_, fields in entries:
            raw = fields[b"r"]
            if id_ == f"{n}-0".encode():
                raw = raw[:at] + bytes([raw[at] ^ 1]) + raw[at + 1 :]
            client.xadd(key, {"r": raw}, id=id_)


# --- for strangers ------------------------------------------------------------------------------------


def test_a_players_bundle_of_a_fight_under_way_is_valid_as_far_as_it_is_open(service: Service) -> None:
    """Zoe chooses a stance; the orc's own stance, sealed beside it, bounds what she can decide again."""
    fight = sample("s002")
    table = service.sit_down(fight)
    for moment in play(table, fight, by_script=True):
        if moment.send.get("creature") == "orc":
            break
    evidence = service.evidence(table.encounter)

    for_zoe = verify(bundle.read(b"".join(bundle.write(evidence, "zoe"))), REGISTRY)
    for_gm = verify(bundle.read(b"".join(bundle.write(evidence, "gm"))), REGISTRY)

    assert str(for_zoe.verdict) == f"valid_unsigned_as_opened({len(evidence.commits)})"
    assert str(for_gm.verdict) == f"valid_unsigned_as_opened({len(evidence.commits) - 1})"


def test_a_bundle_is_audited_alike_by_whoever_reads_it(service: Service) -> None:
    table = closed(played(service, "s002", seeded=True))
    evidence = service.evidence(table.encounter)

    reports = [
        verify(bundle.read(b"".join(bundle.write(evidence, seat))), REGISTRY)
        for seat in ("gm", "zoe", "stranger")
    ]

    assert {str(report.verdict) for report in reports} == {"valid_unsigned"}
    assert {report.root for report in reports} == {verify(evidence, REGISTRY).root}


def test_a_bundle_of_another_service_is_taken_in_by_a_worker_and_audits_there(service: Service) -> None:
    raw = (HOME / "heartrush-turns.jsonl").read_bytes()
    imported = service.owner.take_bundle(raw, wait_s=PATIENCE_S)
    assert imported["status"] == "done", imported
    assert imported["encounter"] is not None
    found = service.owner.encounter(imported["encounter"]).audit(wait_s=PATIENCE_S)
    assert found["verdict"] == "valid_unsigned"
    assert found["certificate"]["log"]["checkpoints"]["key"].startswith(f"{SIGNER.origin}/")
    assert document.read(dumps(found["certificate"]))["signature"]["public_key"] == _published(service)


def _published(service: Service) -> str:
    """Return the public key of the service that certifies, which is not the one that signed the fight."""
    [key] = service.owner.signing_keys()
    assert key["public_key"] != SIGNER.public.hex()
    return str(key["public_key"])
