"""Seats are on the record; their tokens are told once and are nowhere at rest."""

from __future__ import annotations

import json
import time

import pytest

from service.stores import api_keys, seat_tokens
from service.usecases.services import Services
from tests.api.client import Api, Table, is_problem
from tests.support.canaries import of_token

EVE = {"seat": "eve", "role": "observer"}


def open_eve(table: Table, **headers: str) -> tuple[Api, str]:
    answer = table.gm("POST", f"{table.at}/seats", EVE, **headers)
    assert answer.status_code == 201, answer.text
    token = json.loads(answer.text)["token"]
    return table.gm.with_token(token), token


def test_a_seat_is_opened_with_a_token_that_works(table: Table) -> None:
    eve, _ = open_eve(table)

    assert eve.get(f"{table.at}/state")["version"] == 4
    assert {seat["seat"]: seat["role"] for seat in eve.get(f"{table.at}/seats")["seats"]} == {
        "gm": "gm",
        "ada": "player",
        "bo": "player",
        "eve": "observer",
    }


def test_everybody_sees_that_a_token_was_issued(table: Table) -> None:
    open_eve(table)

    commit = json.loads(table.ada.get(f"{table.at}/commits?after=3")["commits"][0]["commit"])
    assert [event["type"] for event in commit["events"]] == ["seat_opened", "seat_token_issued"]


def test_a_repeat_tells_the_same_token(table: Table) -> None:
    _, first = open_eve(table, Idempotency_Key="k1")
    _, again = open_eve(table, Idempotency_Key="k1")

    assert again == first


def test_a_new_token_ends_the_one_before(table: Table) -> None:
    eve, _ = open_eve(table)
    answer = table.gm("POST", f"{table.at}/seats/eve/token", {})

    is_problem(eve("GET", f"{table.at}/state"), 401, "unauthenticated")
    newer = eve.with_token(json.loads(answer.text)["token"])
    assert newer("GET", f"{table.at}/state").status_code == 200


def test_a_closed_seat_has_no_token_that_works(table: Table) -> None:
    eve, _ = open_eve(table)
    answer = table.gm("DELETE", f"{table.at}/seats/eve")

    assert json.loads(answer.text)["closed"] is True
    is_problem(eve("GET", f"{table.at}/state"), 401, "unauthenticated")


def test_a_token_is_nowhere_at_rest(table: Table, services: Services) -> None:
    _, token = open_eve(table)
    secret = of_token(token)

    kept = [entry.raw for entry in services.log.commands(table.id, 0, 99)]
    kept += [entry.raw for entry in services.log.commits(table.id, 0, 99)]
    kept += [record.blob for registry in ("keys", "encounters") for record in services.log.records(registry)]
    assert not [raw for raw in kept if secret in raw]


def test_a_refused_seat_is_a_refused_command(table: Table) -> None:
    problem = is_problem(
        table.gm("POST", f"{table.at}/seats", {"seat": "ada", "role": "player"}), 409, "command-refused"
    )

    assert problem["code"] == "seat_taken"


def test_a_seat_changes_what_it_controls(table: Table) -> None:
    problem = is_problem(
        table.gm("PATCH", f"{table.at}/seats/ada", {"creatures": ["dragon"]}), 409, "command-refused"
    )

    assert problem["code"] == "no_such_creature"
    assert json.loads(table.gm("PATCH", f"{table.at}/seats/ada", {"creatures": []}).text)["creatures"] == []


@pytest.mark.parametrize("body", [{"seat": "Eve", "role": "observer"}, {"seat": "eve", "role": "king"}, {}])
def test_a_seat_that_does_not_fit_is_invalid(table: Table, body: dict[str, str]) -> None:
    is_problem(table.gm("POST", f"{table.at}/seats", body), 422, "invalid")


def test_an_unknown_seat_is_not_found(table: Table) -> None:
    is_problem(table.gm("GET", f"{table.at}/seats/nobody"), 404, "not-found")
    is_problem(table.gm("GET", f"{table.at}/seats/No%20body"), 404, "not-found")


# --- who may come in ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "sent",
    [
        "",
        "Bearer",
        "Bearer ",
        "Basic cnc6cnc=",
        "Bearer rw_0123456789ab_short",
        "Bearer " + "x" * 3_000,
        "Bearer rw_0123456789ab_" + "A" * 43,
        "Bearer rs_" + "0" * 32 + "_ada_" + "A" * 43,
    ],
)
def test_what_is_no_token_is_challenged(table: Table, sent: str) -> None:
    answer = Api(table.gm.app)("GET", table.at, Authorization=sent)

    is_problem(answer, 401, "unauthenticated")
    assert answer.headers["WWW-Authenticate"].startswith('Bearer realm="rewound"')


def test_a_seat_token_acts_in_its_own_encounter_alone(owner: Api) -> None:
    one, other = Table.opened(owner), Table.opened(owner)

    is_problem(one.ada("GET", other.at), 404, "not-found")
    is_problem(one.ada("GET", "/v1/encounters"), 403, "forbidden")


def test_a_forged_token_is_refused(table: Table) -> None:
    assert table.ada.token is not None
    flipped = table.ada.token[:-2] + ("A" if table.ada.token[-2] != "A" else "B") + table.ada.token[-1]
    for_bo = table.ada.token.replace("_ada_", "_bo_")

    for token in (flipped, for_bo):
        is_problem(table.gm.with_token(token)("GET", table.at), 401, "unauthenticated")


@pytest.mark.parametrize("secret", [b"\xff" * 32, b"\xfb\xef\xbe" * 11, b"\xfb\xff\xbf" * 11])
def test_a_token_may_hold_its_separators_in_its_secret_part(
    owner: Api, monkeypatch: pytest.MonkeyPatch, secret: bytes
) -> None:
    monkeypatch.setattr(seat_tokens, "hmac_digest", lambda *_: secret[:32])
    table = Table.opened(owner)
    token = str(table.ada.token)

    assert set(of_token(token).decode()) & {"_", "-"}
    assert table.ada.get(table.at)["encounter"] == table.id
    for changed in (token[:-1], token + "_", token[:-2] + "B" + token[-1]):
        is_problem(table.ada.with_token(changed)("GET", table.at), 401, "unauthenticated")


def test_a_key_works_until_it_expires_and_within_its_scopes(owner: Api, services: Services) -> None:
    reads, _ = api_keys.create(services.log, "reader", time.time(), scopes=("read",))
    over, _ = api_keys.create(services.log, "old", time.time(), expires=int(time.time()) - 1)

    assert owner.with_token(reads).get("/v1/encounters")["encounters"] == []
    is_problem(owner.with_token(reads)("POST", "/v1/encounters", {"edition": "tiny@1"}), 403, "forbidden")
    is_problem(owner.with_token(over)("GET", "/v1/encounters"), 401, "unauthenticated")


def test_an_ended_key_is_no_key(services: Services, api: Api) -> None:
    token, key = api_keys.create(services.log, "gone", time.time())
    assert api_keys.end(services.log, key.id)

    is_problem(api.with_token(token)("GET", "/v1/encounters"), 401, "unauthenticated")
    assert not api_keys.end(services.log, "0" * 12)
    assert [found.ended for found in api_keys.listed(services.log) if found.id == key.id] == [True]
    record = services.log.record(api_keys.COLLECTION, key.id)
    assert record is not None
    assert of_token(token) not in record
