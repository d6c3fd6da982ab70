"""Who follows an encounter goes on with the line that was accepted, and hears of no other."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest

from service.signals.webhook_addresses import WebhookAddressGuard
from service.usecases.services import Services
from tests.api.client import Api, Table
from tests.api.test_amendments import ADD, ROLL, accepted, did, line, made
from tests.api.test_stream import STREAM, Event, Stream, numbers
from tests.api.test_webhooks import Narrator
from tests.api.test_webhooks import made as hooked
from tests.support.waiting import until
from tests.support.webhook_receiver import NETWORK, Receiver, receiver

Follow = Callable[..., Stream]


@pytest.fixture
def services(services: Services) -> Services:
    return replace(services, address_guard=WebhookAddressGuard.of([NETWORK]))


@pytest.fixture
def hook() -> Iterator[Receiver]:
    with receiver() as given:
        yield given


@pytest.fixture
def teller(services: Services) -> Iterator[Narrator]:
    given = Narrator(services)
    yield given
    given.stop()


@pytest.fixture
def follow() -> Iterator[Follow]:
    streams: list[Stream] = []

    def opened(who: Api, at: str, after: int = 0, **headers: str) -> Stream:
        streams.append(Stream(who("GET", f"{at}/commits?after={after}", Accept=STREAM, **headers)))
        return streams[-1]

    yield opened
    for each in streams:
        each.close()


def undo(table: Table, commit: int) -> Any:
    return made(table.gm("POST", f"{table.at}/undo", {"to": commit - 1, "preview": True}))


def head(table: Table) -> dict[str, Any]:
    told = table.as_played.gm.get(table.at)
    return {"line": table.id, "n": told["version"], "hash": told["hash"]}


def seam(old: Table, new: Table) -> dict[str, Any]:
    """Return what is told where *new* takes over from *old*."""
    gm = old.as_played.gm
    last = json.loads(gm.get(f"{old.at}/commits?after={head(old)['n'] - 1}")["commits"][0]["commit"])
    (told,) = (event for event in last["events"] if event["type"] == "continued")
    assert told["encounter"] == new.id
    return {"line": new.id, **told["head"], "ended": head(old), "origin": origin(new)}


def origin(table: Table) -> Any:
    return table.as_played.gm.get(table.at)["origin"]


# --- streams -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("who", ["gm", "ada"])
def test_a_stream_ends_with_the_line_and_names_the_one_that_goes_on(
    table: Table, follow: Follow, who: str
) -> None:
    seat: Api = getattr(table, who)
    did(table, ROLL, ADD)
    stream = follow(seat, table.at, 5)
    assert numbers(stream.until_caught_up()) == []

    after = accepted(table, undo(table, 5))
    did(after, ROLL)
    *commits, end = [stream.next(), stream.next(), stream.next()]

    assert [each["event"] for each in commits] == ["commit", "commit"]  # proposed, accepted
    assert end["event"] == "continued"
    assert end["id"] == f"{after.id}:{end['data']['n']}"
    assert end["data"] == seam(table, after)
    assert stream.rest() == [], "the stream ends"
    onward = follow(seat, after.at, end["data"]["n"])
    new = onward.until_caught_up()
    assert numbers(new) == list(range(end["data"]["n"] + 1, head(after)["n"] + 1)) != []
    assert new[-1]["data"]["version"] == head(after)["n"]


def test_who_comes_late_is_led_through_two_undos_in_a_row(table: Table, follow: Follow) -> None:
    did(table, ROLL, ADD)
    first = accepted(table, undo(table, 5))
    did(first, ROLL, ADD)
    second = accepted(first, undo(first, 3))
    did(second, ADD)

    found: list[Event] = []
    place = f"{table.id}:0"
    while not found or found[-1]["event"] == "continued":
        stream = follow(table.ada, table.at, Last_Event_ID=place)
        found.append(stream.next())
        while found[-1]["event"] not in ("continued", "heartbeat"):
            found.append(stream.next())
        place = found[-1].get("id", "")

    ends = [each["data"] for each in found if each["event"] == "continued"]
    assert [each["line"] for each in ends] == [first.id, second.id]
    assert [each["ended"] for each in ends] == [head(table), head(first)]
    texts = [json.loads(each["data"]["commit"]) for each in found if each["event"] == "commit"]
    told = [(each["encounter"], each["n"]) for each in texts]
    assert told == [
        *((table.id, n) for n in range(1, head(table)["n"] + 1)),
        *((first.id, n) for n in range(ends[0]["n"] + 1, head(first)["n"] + 1)),
        *((second.id, n) for n in range(ends[1]["n"] + 1, head(second)["n"] + 1)),
    ]


def test_a_proposal_that_is_dropped_ends_no_stream(table: Table, follow: Follow) -> None:
    did(table, ROLL, ADD)
    stream = follow(table.ada, table.at, 5)
    stream.until_caught_up()

    proposal = undo(table, 5)
    made(table.gm("DELETE", f"{table.at}/amendments/{proposal['amendment']}"), 200)
    did(table, ADD)

    assert numbers(stream.take(3)) == [6, 7, 8]
    assert table.ada("GET", f"/v1/encounters/{proposal['line']}/commits").status_code == 404


# --- webhooks ----------------------------------------------------------------------------------------


def messages(hook: Receiver, webhook: Any) -> list[Any]:
    return hook.taken(webhook["secret"])


def told(hook: Receiver, webhook: Any) -> list[tuple[str, str, int]]:
    """Return what a receiver took: type, encounter and number, each once, in the order of the numbers."""
    found = [(m["type"], m["data"]["line"], m["data"]["n"]) for m in messages(hook, webhook)]
    assert len(set(found)) == len(found), "nothing is told twice"
    return found


def settled(teller: Narrator, *tables: Table) -> None:
    """Have everything put on the agenda, in the order in which it is heard of, and wait for the tries."""
    for each in tables:
        teller.event_type.heard(each.id)
    until(lambda: not teller.event_type.news)
    until(lambda: not teller.services.log.due("webhooks", 2**53, 1))


@pytest.mark.parametrize("about", ["all", "one"])
def test_a_webhook_goes_on_with_the_accepted_line_without_gap_or_repeat(
    owner: Api, table: Table, hook: Receiver, teller: Narrator, about: str
) -> None:
    """A3: one of a single encounter was silent from the first undo on. Two undos, and a redo that repeats."""
    webhook = hooked(owner, hook.url, **({"encounter": table.id} if about == "one" else {}))
    did(table, ROLL, ADD)  # 4, 5
    first = accepted(table, undo(table, 5))
    did(first, ROLL)
    settled(teller, first, table)  # the new line is heard of before the end of the old one
    second = accepted(first, undo(first, head(first)["n"]))
    third = accepted(second, made(second.gm("POST", f"{second.at}/redo", {"preview": True})))
    did(third, ADD)
    settled(teller, table, first, second, third, third)

    expected = {each.id: seam(old, each) for old, each in ((table, first), (first, second), (second, third))}
    commits = {(table.id, n) for n in range(4, head(table)["n"] + 1)}
    for each in (first, second, third):
        commits |= {(each.id, n) for n in range(expected[each.id]["n"] + 1, head(each)["n"] + 1)}
    found = told(hook, webhook)
    assert {each[1:] for each in found if each[0] == "encounter.commit"} == commits
    assert {each[0] for each in found} == {"encounter.commit", "encounter.continued"}
    others = [m["data"] for m in messages(hook, webhook) if m["type"] != "encounter.commit"]
    assert {each["encounter"] for each in others} == {table.id}
    assert {each["line"]: {k: v for k, v in each.items() if k != "encounter"} for each in others} == expected
    assert expected[third.id]["n"] > 1, "what the redo took again is told at the seam alone"
    assert (third.id, head(third)["n"]) in commits


@pytest.mark.parametrize("about", ["all", "one"])
def test_a_webhook_hears_nothing_of_what_was_only_proposed(
    owner: Api, table: Table, hook: Receiver, teller: Narrator, about: str
) -> None:
    """A2: the dice of a proposal were posted before it was accepted, and where it was dropped."""
    webhook = hooked(owner, hook.url, **({"encounter": table.id} if about == "one" else {}))
    did(table, ROLL, ADD)
    contest = made(table.ada("POST", f"{table.at}/contests", {"commit": 4, "claim": "it was a twenty"}))
    ruling = {"ending": "as_ruled", "decision": "so be it", "instead": [{"type": "roll", "sides": 20}]}
    proposal = made(table.gm("POST", f"{table.at}/contests/{contest['contest']}/ruling", ruling))
    settled(teller, line(table, proposal["line"]), table)
    amendment = proposal.get("amendment", proposal)
    name = amendment["amendment"] if isinstance(amendment, dict) else amendment
    made(table.gm("DELETE", f"{table.at}/amendments/{name}"), 200)
    dropped = proposal["line"]
    settled(teller, line(table, dropped), table)

    assert {each[1] for each in told(hook, webhook)} == {table.id}


def test_a_what_if_is_posted_to_webhooks_of_its_own_alone(
    owner: Api, table: Table, hook: Receiver, teller: Narrator
) -> None:
    """A2: the dice of a fork were posted as if they had been thrown."""
    every, one = hooked(owner, hook.url), hooked(owner, hook.url, encounter=table.id)
    did(table, ROLL)
    with receiver() as own:
        fork = line(table, made(table.gm("POST", f"{table.at}/forks", {"at": 4}))["encounter"])
        of_fork = hooked(owner, own.url, encounter=fork.id)
        did(fork, ROLL, ADD)
        after = accepted(fork, undo(fork, 3))
        did(after, ADD)
        settled(teller, fork, after, table)
        assert {each[1] for each in told(own, of_fork)} == {fork.id, after.id}
        assert ("encounter.continued", after.id) in {each[:2] for each in told(own, of_fork)}

    came = {json.loads(body)["data"]["encounter"] for _, body, _ in hook.came}
    assert came == {table.id}, (every["webhook"], one["webhook"])


def test_a_webhook_that_was_gone_at_the_seam_is_told_of_it_once_it_is_active_again(
    owner: Api, table: Table, hook: Receiver, teller: Narrator
) -> None:
    hook.answer = lambda _: 410
    webhook = hooked(owner, hook.url, encounter=table.id)
    did(table, ROLL, ADD)
    settled(teller, table)
    until(lambda: owner.get(f"/v1/webhooks/{webhook['webhook']}")["state"] == "gone")
    after = accepted(table, undo(table, 5))
    did(after, ROLL)
    settled(teller, table, after)
    hook.answer = lambda _: 200
    owner("PATCH", f"/v1/webhooks/{webhook['webhook']}", {"state": "active"})
    settled(teller)

    found = told(hook, webhook)
    assert ("encounter.continued", after.id) in {each[:2] for each in found}
    assert {n for _, encounter, n in found if encounter == table.id} == set(range(4, head(table)["n"] + 1))
    assert max(n for _, encounter, n in found if encounter == after.id) == head(after)["n"]
