"""What two seats may both read, and share links: a seat's token that ends."""

from __future__ import annotations

import json
import time
from dataclasses import replace
from typing import Any

import pytest

from service.stores import share_links
from service.stores.share_links import ShareLink
from service.usecases.services import Services
from tests.api.client import Api, Table, is_problem
from tests.api.test_hidden_creatures import begun, hide

DAY_S = 86_400


def texts(api: Api, at: str, query: str) -> str:
    return "".join(
        json.dumps(api.get(f"{at}/{what}{query}"))
        for what in ("creatures", "creatures/changes", "creatures/statistics", "map", "state", "commits")
    )


def test_the_gm_reads_what_a_seat_reads_and_no_more_than_its_own(owner: Api) -> None:
    table = begun(owner)
    hide(table)
    player = next(seat for seat in table.seats if seat != "gm")
    own = owner.get(f"{table.at}/creatures")["creatures"]
    assert any(each["hidden"] for each in own)
    for whose in (player, "*"):
        seen = owner.get(f"{table.at}/creatures?seen_by={whose}")
        assert seen["creatures"] == table.seats[player].get(f"{table.at}/creatures")["creatures"]
        assert "gob" not in texts(owner, table.at, f"?seen_by={whose}")
    assert is_problem(owner("GET", f"{table.at}/creatures?seen_by=nobody"), 422, "invalid")
    for what in ("creatures", "state", "map"):  # a player who asks for the gm's view gets its own
        mine = table.seats[player].get(f"{table.at}/{what}")
        assert table.seats[player].get(f"{table.at}/{what}?seen_by=gm") == mine


def link(gm: Api, at: str, seat: str, **data: int) -> dict[str, Any]:
    answer = gm("POST", f"{at}/seats/{seat}/links", data)
    assert answer.status_code == 201, answer.text
    found: dict[str, Any] = json.loads(answer.text)
    return found


def test_a_share_link_is_its_seat_until_it_expires(owner: Api, services: Services) -> None:
    table = Table.opened(owner)
    made = link(owner, table.at, "ada", expires_in_s=60)
    shared = owner.with_token(made["token"])
    assert made["page"] == f"/s#{made['token']}"
    assert shared.get(f"{table.at}/options")["seat"] == "ada"
    is_problem(shared("GET", f"{Table.opened(owner).at}/options"), 404, "not-found")
    ended = ShareLink(services.encounters.root(table.id), "ada", 1, int(time.time()) - 1)
    past = owner.with_token(share_links.signed(services.service_key, ended))
    is_problem(past("GET", table.at), 401, "unauthenticated")
    future = share_links.signed(services.service_key, replace(ended, expires=ended.expires + 60))
    assert owner.with_token(future)("GET", table.at).status_code == 200


@pytest.mark.parametrize("end", ["a new token", "the close of the seat"])
def test_a_share_link_ends_with_its_seat(owner: Api, end: str) -> None:
    table = Table.opened(owner)
    shared = owner.with_token(link(owner, table.at, "ada")["token"])
    assert shared("GET", table.at).status_code == 200
    if end == "a new token":
        owner("POST", f"{table.at}/seats/ada/token", {})
    else:
        owner("DELETE", f"{table.at}/seats/ada")
    is_problem(shared("GET", table.at), 401, "unauthenticated")


def test_no_part_of_a_share_link_can_be_changed(owner: Api) -> None:
    table = Table.opened(owner)
    token = link(owner, table.at, "ada")["token"]
    parts = token.split("_", 5)
    for index, other in (
        (1, "0" * 32),
        (2, "bo"),
        (3, "2"),
        (4, str(int(time.time()) + 10 * DAY_S)),
        (5, "A" * 43),
    ):
        changed = "_".join([*parts[:index], other, *parts[index + 1 :]])
        is_problem(owner.with_token(changed)("GET", table.at), 401, "unauthenticated")


def test_only_a_seat_that_has_a_token_is_shared(owner: Api) -> None:
    table = Table.opened(owner)
    is_problem(owner("POST", f"{table.at}/seats/nobody/links", {}), 404, "not-found")
    is_problem(table.ada("POST", f"{table.at}/seats/ada/links", {}), 403, "forbidden")
