"""API keys over HTTP: made, rotated with overlap, ended, each within its scopes and its owner."""

from __future__ import annotations

import json
import time

import pytest

from service.api.app import create_app
from service.stores import api_keys
from service.usecases.services import Services
from tests.api.client import Api, is_problem
from tests.support.canaries import of_token

KEYS = "/v1/api-keys"


def made(who: Api, data: object, /, **headers: str) -> dict[str, object]:
    answer = who("POST", KEYS, data, **headers)
    assert answer.status_code == 201, answer.text
    found: dict[str, object] = json.loads(answer.text)
    return found


def test_a_second_key_opens_what_the_first_one_owns(owner: Api) -> None:
    id_ = json.loads(owner("POST", "/v1/encounters", {"edition": "tiny@1"}).text)["encounter"]

    second = owner.with_token(str(made(owner, {"name": "bot"})["text"]))

    assert second.get(f"/v1/encounters/{id_}")["encounter"] == id_
    assert [each["encounter"] for each in second.get("/v1/encounters")["encounters"]] == [id_]


def test_a_repeat_gets_the_same_text_and_another_request_none(owner: Api, services: Services) -> None:
    first = made(owner, {"name": "bot"}, Idempotency_Key="k1")
    again = owner("POST", KEYS, {"name": "bot"}, Idempotency_Key="k1")

    assert json.loads(again.text) == first
    assert again.headers["Idempotency-Replayed"] == "true"
    is_problem(owner("POST", KEYS, {"name": "x"}, Idempotency_Key="k1"), 422, "idempotency-key-reused")
    stored = b"".join(record.blob for record in services.log.records(api_keys.COLLECTION))
    assert of_token(str(first["text"])) not in stored


@pytest.mark.parametrize("secret", ["_" * 43, "-" * 42 + "8", "_-" * 20 + "_-8", "A_" * 21 + "A"])
def test_a_key_may_hold_its_separators_in_its_secret_part(
    services: Services, api: Api, monkeypatch: pytest.MonkeyPatch, secret: str
) -> None:
    monkeypatch.setattr(api_keys, "token_urlsafe", lambda _: secret)
    token, key = api_keys.create(services.log, "separated", time.time())

    assert token == f"rw_{key.id}_{secret}"
    assert api.with_token(token).get("/v1/encounters")["encounters"] == []
    for changed in (token[:-1], token + "_", token[:-2] + "B" + token[-1], token.replace("_", "-", 2)):
        is_problem(api.with_token(changed)("GET", "/v1/encounters"), 401, "unauthenticated")


def test_no_key_makes_a_stronger_one(owner: Api, services: Services) -> None:
    weak = owner.with_token(str(made(owner, {"name": "weak", "scopes": ["read", "keys"]})["text"]))

    is_problem(weak("POST", KEYS, {"name": "up", "scopes": ["write"]}), 403, "forbidden")
    assert made(weak, {"name": "alike"})["scopes"] == ["read", "keys"]
    id_ = str(owner.token).split("_")[1]
    is_problem(weak("POST", f"{KEYS}/{id_}/rotation", {}), 403, "forbidden")


def test_the_scope_keys_is_needed(owner: Api, services: Services) -> None:
    plain, _ = api_keys.create(services.log, "plain", time.time(), scopes=("read", "write"))

    is_problem(owner.with_token(plain)("GET", KEYS), 403, "forbidden")
    is_problem(owner.with_token(plain)("POST", KEYS, {"name": "x"}), 403, "forbidden")


def test_a_rotated_key_overlaps_with_the_one_before_it(services: Services, api: Api) -> None:
    moment = [time.time()]
    object.__setattr__(services, "clock", lambda: moment[0])
    object.__setattr__(services, "keys", api_keys.KeyCache(services.log, lambda: moment[0]))
    old = Api(create_app(services), api_keys.create(services.log, "old", moment[0])[0])
    encounter = json.loads(old("POST", "/v1/encounters", {"edition": "tiny@1"}).text)["encounter"]
    id_ = str(old.token).split("_")[1]

    answer = old("POST", f"{KEYS}/{id_}/rotation", {"overlap_s": 60}, Idempotency_Key="turn")
    new = old.with_token(json.loads(answer.text)["text"])

    assert json.loads(answer.text)["follows"] == id_
    for who in (old, new):
        assert who.get(f"/v1/encounters/{encounter}")["version"] == 1
    moment[0] += 61
    is_problem(old("GET", KEYS), 401, "unauthenticated")
    found = new.get(KEYS)["keys"]
    assert [(each["key"] == id_, each["state"]) for each in found] == [(False, "valid"), (True, "expired")]


def test_an_ended_key_is_no_key_at_once_where_it_was_ended(owner: Api) -> None:
    second = made(owner, {"name": "bot", "expires_in_s": 3600})
    bot = owner.with_token(str(second["text"]))
    assert bot.get("/v1/encounters")["encounters"] == []

    ended = owner("DELETE", f"{KEYS}/{second['key']}")

    assert json.loads(ended.text)["state"] == "ended"
    is_problem(bot("GET", "/v1/encounters"), 401, "unauthenticated")


@pytest.mark.parametrize("end", [("DELETE", ""), ("POST", "/rotation")])
def test_another_owners_key_is_the_404_of_one_that_does_not_exist(
    owner: Api, services: Services, end: tuple[str, str]
) -> None:
    _, foreign = api_keys.create(services.log, "foreign", time.time())
    method, below = end
    body: object = {} if method == "POST" else None

    theirs = is_problem(owner(method, f"{KEYS}/{foreign.id}{below}", body), 404, "not-found")
    nobodys = is_problem(owner(method, f"{KEYS}/{'0' * 12}{below}", body), 404, "not-found")

    assert theirs["detail"] == nobodys["detail"]
    assert api_keys.known(services.log, foreign.id) == foreign


def test_a_seat_token_reaches_no_keys(owner: Api) -> None:
    id_ = json.loads(owner("POST", "/v1/encounters", {"edition": "tiny@1"}).text)["encounter"]
    answer = owner("POST", f"/v1/encounters/{id_}/seats", {"seat": "eve", "role": "observer"})
    eve = owner.with_token(json.loads(answer.text)["token"])

    is_problem(eve("GET", KEYS), 403, "forbidden")


def test_what_a_key_is_asked_to_be_is_checked(owner: Api) -> None:
    is_problem(owner("POST", KEYS, {"name": "x", "scopes": ["everything"]}), 422, "invalid")
    is_problem(owner("POST", KEYS, {"name": "x", "expires_in_s": 0}), 422, "invalid")
    is_problem(owner("POST", KEYS, {}), 422, "invalid")
