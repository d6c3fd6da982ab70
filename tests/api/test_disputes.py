"""A history that is not the signed one, over HTTP: told with the encounter, accepted by a command."""

from __future__ import annotations

import json
import time
from uuid import UUID

from service.api.app import create_app
from service.log import Log
from service.stores import api_keys
from service.stores.disputes import MISSING, ROLLED_BACK, Dispute, Disputes
from service.usecases.services import Services
from tests.api.client import Api, Table, is_problem


def test_a_dispute_is_told_and_accepted_by_what_it_says_alone(table: Table, log: Log) -> None:
    disputes, lost = Disputes(log), {"size": 9, "root": "ab" * 32}
    command = {"type": "accept_history", "reason": "restored from Monday", "lost": lost, "epoch": 3}
    is_problem(table.send(table.gm, command), 409, "command-refused")
    assert table.gm.get(table.at)["dispute"] is None
    disputes.open(Dispute(table.id, ROLLED_BACK, 9, "ab" * 32, 1, epoch=3))

    data = table.gm.get(table.at)["dispute"]
    assert (data["lost"], data["epoch"], data["why"]) == (lost, 3, "rolled_back")
    for wrong in ({"epoch": 1}, {"lost": {"size": 8, "root": "ab" * 32}}):
        problem = is_problem(table.send(table.gm, {**command, **wrong}), 409, "command-refused")
        assert problem["code"] == "no_dispute"
    answer = table.send(table.gm, command, Idempotency_Key="accept")
    n = json.loads(answer.text)["n"]

    assert json.loads(answer.text)["events"][0]["epoch"] == 4
    assert disputes.standing(table.id) is None
    accepted = disputes.find(table.id)
    assert accepted is not None
    assert accepted.resumes == n
    assert json.loads(table.send(table.gm, command, Idempotency_Key="accept").text)["n"] == n
    assert table.gm.get(table.at)["dispute"] is None


def test_a_repeated_acceptance_accepts_no_later_dispute(table: Table, log: Log) -> None:
    disputes, lost = Disputes(log), {"size": 9, "root": "ab" * 32}
    command = {"type": "accept_history", "reason": "restored from Monday", "lost": lost, "epoch": 3}
    disputes.open(Dispute(table.id, ROLLED_BACK, 9, "ab" * 32, 1, epoch=3))
    n = json.loads(table.send(table.gm, command, Idempotency_Key="accept").text)["n"]
    later = Dispute(table.id, ROLLED_BACK, 12, "cd" * 32, 2, epoch=7)
    disputes.open(later)

    again = table.send(table.gm, command, Idempotency_Key="accept")

    assert json.loads(again.text)["n"] == n
    assert disputes.standing(table.id) == later, "it names another dispute"


def test_TABLE_EPOCH_2_an_advance_needs_its_reason(table: Table) -> None:
    problem = is_problem(
        table.send(table.gm, {"type": "advance_epoch", "reason": ""}), 409, "command-refused"
    )
    assert problem["code"] == "reason_missing"
    answer = table.send(table.gm, {"type": "advance_epoch", "reason": "the seed was on a screen"})
    assert json.loads(answer.text)["events"][0]["epoch"] == 2
    assert table.ada.get(table.at)["epoch"] == 2


def test_an_encounter_that_is_missing_is_told_as_such_at_every_address_and_to_every_seat(
    owner: Api, services: Services, log: Log
) -> None:
    opening = {"edition": "tiny@1"}
    id_ = json.loads(owner("POST", "/v1/encounters", opening, Idempotency_Key="once").text)["encounter"]
    at = f"/v1/encounters/{id_}"
    token = json.loads(owner("POST", f"{at}/seats/ada/token", {}).text)["token"]
    ada = owner.with_token(token)
    forged = owner.with_token(token[:-1] + ("A" if token[-1] != "A" else "B"))
    ada.get(at)
    log.forget(id_)
    lost = Dispute(id_, MISSING, 9, "ab" * 32, 0, epoch=3, owner=_owner_of(services, id_))
    Disputes(log).open(lost)
    services.missing.forget(id_)

    fresh = create_app(services)  # another process, which has believed nobody yet
    for who in (Api(fresh, owner.token), Api(fresh, ada.token)):
        for method, path, body in (
            ("GET", at, None),
            ("GET", f"{at}/state", None),
            ("GET", f"{at}/commits", None),
            ("POST", f"{at}/commands", {"type": "add", "amount": 1}),
        ):
            problem = is_problem(who(method, path, body), 404, "encounter-missing")
            assert problem["dispute"] == {
                "why": "missing",
                "text": "9 commits were signed, and the store has none of them",
                "lost": {"size": 9, "root": "ab" * 32},
                "epoch": 3,
                "folded": 0,
            }
    other = json.loads(owner("POST", "/v1/encounters", opening).text)["encounter"]
    is_problem(Api(fresh, ada.token)("GET", f"/v1/encounters/{other}"), 404, "not-found")
    is_problem(Api(fresh, forged.token)("GET", at), 401, "unauthenticated")
    is_problem(_stranger(services, log)("GET", at), 404, "not-found")
    again = owner("POST", "/v1/encounters", opening, Idempotency_Key="once")
    is_problem(again, 404, "encounter-missing")


def test_its_owner_is_told_even_where_the_store_knows_nothing_of_it(
    table: Table, services: Services, log: Log
) -> None:
    """A backup from before the encounter was opened: neither its record nor its entry is there."""
    lost = Dispute(str(UUID(int=7)), MISSING, 9, "ab" * 32, 0, owner=_owner_of(services, table.id))
    Disputes(log).open(lost)
    at = f"/v1/encounters/{lost.encounter}"

    assert is_problem(table.gm("GET", at), 404, "encounter-missing")["dispute"]["lost"]["size"] == 9
    is_problem(_stranger(services, log)("GET", at), 404, "not-found")
    is_problem(table.ada("GET", at), 404, "not-found")  # a seat of another encounter


def _owner_of(services: Services, encounter: str) -> str:
    entry = services.encounters.find(encounter)
    assert entry is not None
    return entry.owner


def _stranger(services: Services, log: Log) -> Api:
    return Api(create_app(services), api_keys.create(log, "somebody-else", time.time())[0])
