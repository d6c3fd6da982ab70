"""Compressed answers: what is compressed, what never is, and that nothing else changes."""

from __future__ import annotations

import gzip
import json

import pytest

from service.api.openapi import document
from service.api.operations import OPERATIONS
from tests.api.client import Api, Table
from tests.api.test_encounters import fight

SECRET = {"token", "ticket", "secret", "key_text", "text"}
"""Members of answers that hold a token, a key or a secret; `text` is that of an API key."""


@pytest.fixture
def at(owner: Api) -> str:
    return owner("POST", "/v1/encounters", fight()).headers["Location"]


def test_a_large_answer_is_compressed_for_those_who_accept_it(owner: Api, at: str) -> None:
    plain = owner("GET", f"{at}/state")
    small = owner("GET", f"{at}/state", Accept_Encoding="gzip, br")

    assert "Content-Encoding" not in plain.headers
    assert small.headers["Content-Encoding"] == "gzip"
    assert gzip.decompress(small.data) == plain.data
    assert len(small.data) * 2 < len(plain.data)
    for answer in (plain, small):
        assert "Accept-Encoding" in answer.headers["Vary"]
        assert "Authorization" in answer.headers["Vary"]
    assert owner("GET", f"{at}/state", Accept_Encoding="gzip;q=0").data == plain.data
    assert owner("GET", f"{at}/state", Accept_Encoding="br").data == plain.data


def test_each_spelling_has_a_tag_of_its_own_and_both_name_the_version(owner: Api, at: str) -> None:
    plain, small = (owner("GET", f"{at}/state", Accept_Encoding=each) for each in ("identity", "gzip"))
    assert (plain.headers["ETag"], small.headers["ETag"]) == ('"1"', '"1-gzip"')

    for tag in ('"1"', '"1-gzip"', '"0", W/"1-gzip"'):
        again = owner("GET", f"{at}/state", If_None_Match=tag, Accept_Encoding="gzip")
        assert (again.status_code, again.data) == (304, b"")
        assert again.headers["ETag"] in tag
    begun = owner("POST", f"{at}/commands", {"type": "begin_combat"}, If_Match='"1-gzip"')
    assert begun.status_code == 200
    assert owner("POST", f"{at}/commands", {"type": "begin_combat"}, If_Match='"1-gzip"').status_code == 412


def test_small_answers_streams_and_bundles_with_a_digest_are_sent_as_they_are(owner: Api, at: str) -> None:
    assert "Content-Encoding" not in owner("GET", f"{at}/seats/gm", Accept_Encoding="gzip").headers
    stream = owner("GET", f"{at}/commits", Accept="text/event-stream", Accept_Encoding="gzip")
    assert "Content-Encoding" not in stream.headers
    stream.close()
    bundle = owner("GET", f"{at}/bundle", Accept_Encoding="gzip")
    assert ("Repr-Digest" in bundle.headers) != ("Content-Encoding" in bundle.headers)


def test_no_answer_with_a_token_a_key_or_a_secret_is_compressed() -> None:
    schemas = document()["components"]["schemas"]
    declared = {each.id for each in OPERATIONS.all.values() if each.has_secret}
    found = set()
    for each in OPERATIONS.all.values():
        names = [
            answer.schema["$ref"].rpartition("/")[2]
            for answer in each.answers.values()
            if answer.schema is not None and "$ref" in answer.schema
        ]
        members = {member for name in names for member in schemas[name].get("properties", {})}
        if members & (SECRET - {"text"}) or any(name.endswith("WithText") for name in names):
            found.add(each.id)

    assert found == declared
    assert {"issueToken", "createApiKey", "rotateApiKey", "issueTicket", "createWebhook"} <= declared


def test_a_token_is_sent_as_it_is_however_long_the_answer(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("service.api.compression.SMALLEST", 1)

    issued = table.gm("POST", f"{table.at}/seats/ada/token", {}, Accept_Encoding="gzip")
    read = table.gm("GET", f"{table.at}/seats/ada", Accept_Encoding="gzip")

    assert "Content-Encoding" not in issued.headers
    assert json.loads(issued.text)["token"].startswith("rs_")
    assert read.headers["Content-Encoding"] == "gzip"


def test_options_are_chosen_by_type_and_by_prompt(owner: Api, at: str) -> None:
    for command in ({"type": "begin_combat", "unaware_side": "foes"}, {"type": "grant_priority"}):
        owner("POST", f"{at}/commands", command)
    whole = owner.get(f"{at}/options")
    types = {offer["command"]["type"] for option in whole["options"] for offer in option["commands"]}
    assert {"dash", "help"} <= types

    some = owner.get(f"{at}/options?types=dash,help")
    for option in some["options"]:
        assert {"dash", "help"} & set(option["prompt"]["accepts"])
    kept = [
        offer
        for option in whole["options"]
        for offer in option["commands"]
        if offer["command"]["type"] in ("dash", "help")
    ]
    assert [offer for option in some["options"] for offer in option["commands"]] == kept
    prompt = whole["options"][-1]["prompt"]["prompt"]
    (one,) = owner.get(f"{at}/options?prompt={prompt}")["options"]
    assert one == whole["options"][-1]
    assert owner.get(f"{at}/options?prompt=r9/nothing")["options"] == []
    wrong = json.loads(owner("GET", f"{at}/options?types=dsh").text)
    assert wrong["errors"] == [
        {"pointer": "?types", "detail": "dsh is not a command of heartrush@1; closest match: dash"}
    ]
