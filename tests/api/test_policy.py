"""Each operation is open to the roles that its declaration names, and to nobody else."""

from __future__ import annotations

import json
import time

import pytest

from service.api.operations import KEY, OPERATIONS, READERS, Operation
from service.stores import api_keys
from service.usecases.services import Services
from tests.api.client import Api, Table, is_problem
from tests.api.declared import body, operations, target

OF_KEYS = [each for each in operations() if KEY in each.roles]
INSIDE = [each for each in operations() if each.is_inside]


def test_an_operation_that_does_not_say_who_may_call_it_cannot_be_declared() -> None:
    with pytest.raises(TypeError, match="roles"):
        Operation("GET", "/v1/nothing", "getNothing", "Record", answers={})  # type: ignore[call-arg]  # it is meant


def test_every_route_of_the_application_is_an_operation(api: Api) -> None:
    assert {rule.endpoint for rule in api.app.url_map.iter_rules()} == set(OPERATIONS.all)


def call(who: Api, at: str, each: Operation) -> object:
    """Call *each* on the encounter at *at* as *who* and return the answer's status."""
    known = {"encounter": at.rsplit("/", 1)[1], "seat": "bo"}
    return who(each.method, target(each, known), body(each)).status_code


@pytest.mark.parametrize("each", INSIDE, ids=lambda each: each.id)
def test_the_role_table_is_what_happens(owner: Api, services: Services, each: Operation) -> None:
    """The full matrix: every operation inside an encounter, by every role in it and by those outside."""
    mine, foreign = Table.opened(owner), Table.opened(owner)
    roles = {"player": mine.ada, "gm": mine.gm}
    for role in ("observer", "auditor"):
        opened = owner("POST", f"{mine.at}/seats", {"seat": role, "role": role})
        roles[role] = owner.with_token(json.loads(opened.text)["token"])
    assert set(roles) == set(READERS)
    stranger = owner.with_token(api_keys.create(services.log, "others", time.time())[0])

    assert call(foreign.ada, mine.at, each) == 404
    assert call(stranger, mine.at, each) == 404
    assert call(Api(owner.app), mine.at, each) == 401
    for role, who in roles.items():
        allowed = role in each.roles
        status = call(who, mine.at, each)
        assert (status != 403) == allowed, f"{role} gets {status} from {each.id}"


@pytest.mark.parametrize("each", OF_KEYS, ids=lambda each: each.id)
def test_what_needs_a_key_needs_its_scope_and_is_for_no_seat(
    table: Table, owner: Api, services: Services, each: Operation
) -> None:

    def status(who: Api) -> int:
        return who(each.method, target(each, {}), {} if each.body else None).status_code

    assert status(Api(owner.app)) == 401
    assert status(table.ada) == 403
    for scope in api_keys.SCOPES:
        who = owner.with_token(api_keys.create(services.log, scope, time.time(), scopes=(scope,))[0])
        assert (status(who) != 403) == (scope == each.needed_scope), scope


def test_a_public_operation_asks_for_nothing(api: Api) -> None:
    for address in ("/v1/rulesets", "/v1/keys", "/livez", "/readyz", "/docs", "/problems", "/openapi.yaml"):
        assert api("GET", address).status_code == 200


def test_a_key_alone_opens_no_path_that_does_not_exist(owner: Api) -> None:
    is_problem(owner("GET", "/v1/nothing"), 404, "not-found")
    answer = owner("PUT", "/v1/encounters", {})
    assert set(answer.headers["Allow"].split(", ")) == {"GET", "HEAD", "POST"}
    is_problem(answer, 405, "method-not-allowed")
