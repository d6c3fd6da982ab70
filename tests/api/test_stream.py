"""The stream of commits: each once and in order, live and after a gap, and nothing the pages do not show."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from werkzeug.test import TestResponse

from service.log import StoreUnavailable
from service.signals.feeds import FeedLimits
from service.stores import api_keys
from service.usecases import following, reading
from service.usecases.services import Services
from tests.api.client import Api, Table, is_problem

STREAM = "text/event-stream"
ADD = {"type": "add", "amount": 1}

Event = dict[str, Any]


class Stream:
    """A stream that is read event by event."""

    def __init__(self, answer: TestResponse) -> None:
        assert (answer.status_code, answer.mimetype) == (200, STREAM), answer.text
        self.answer = answer
        self.parts = answer.iter_encoded()
        self.retry = next(self.parts)

    def next(self) -> Event:
        lines = next(self.parts).decode().strip().split("\n")
        event: Event = dict(line.split(": ", 1) for line in lines)
        return event | {"data": json.loads(event["data"])}

    def take(self, count: int) -> list[Event]:
        return [self.next() for _ in range(count)]

    def until_caught_up(self) -> list[Event]:
        """Read up to the next heartbeat, which is the last one returned."""
        found = [self.next()]
        while found[-1]["event"] != "heartbeat":
            found.append(self.next())
        return found

    def rest(self) -> list[bytes]:
        return list(self.parts)

    def close(self) -> None:
        self.answer.close()


@pytest.fixture
def follow() -> Iterator[Callable[..., Stream]]:
    streams: list[Stream] = []

    def opened(who: Api, at: str, query: str = "", **headers: str) -> Stream:
        streams.append(Stream(who("GET", f"{at}/commits{query}", Accept=STREAM, **headers)))
        return streams[-1]

    yield opened
    for each in streams:
        each.close()


Follow = Callable[..., Stream]


def numbers(events: list[Event]) -> list[int]:
    return [int(event["id"].partition(":")[2]) for event in events if event["event"] == "commit"]


def test_the_gap_is_told_first_then_what_comes_each_once_and_in_order(table: Table, follow: Follow) -> None:
    stream = follow(table.ada, table.at)
    before = stream.until_caught_up()
    for _ in range(3):
        assert table.send(table.ada, ADD).status_code == 200
    live = stream.take(3)

    version = table.gm.get(table.at)["version"]
    assert stream.retry == f"retry: 3000\nid: {table.id}:0\n\n".encode()
    assert numbers(before) + numbers(live) == list(range(1, version + 1))
    pages = table.ada.get(f"{table.at}/commits")["commits"]
    assert [event["data"] for event in (*before[:-1], *live)] == [{**each, "revealed": []} for each in pages]


def choose(table: Table, who: Api, number: int) -> int:
    n: int = json.loads(table.send(who, {"type": "choose", "number": number}).text)["n"]
    return n


def envelope(table: Table, who: Api, n: int) -> list[Any]:
    [commit] = who.get(f"{table.at}/commits?after={n - 1}&limit=1")["commits"]
    return [{"n": n, **each} for each in commit["opened"]]


def test_what_a_commit_opens_of_earlier_ones_comes_with_it(table: Table, follow: Follow) -> None:
    """Whoever could not open it until then is given payload and salt; nobody needs to read again."""
    streams = {who: follow(who, table.at) for who in (table.gm, table.ada, table.bo)}
    for stream in streams.values():
        stream.until_caught_up()
    first, second = choose(table, table.ada, 2), choose(table, table.bo, 3)

    collected = {who: [event["data"] for event in stream.take(2)] for who, stream in streams.items()}

    of_ada, of_bo = envelope(table, table.gm, first), envelope(table, table.gm, second)
    assert '"number":2' in of_ada[0]["payload"]
    assert [[each["revealed"] for each in found] for found in collected.values()] == [
        [[], of_ada],  # bo's own lies in the commit that reveals it
        [[], []],
        [[], of_ada],
    ]
    for who, found in collected.items():
        assert [len(each["opened"]) for each in found] == [int(who is table.ada), 1]
    assert [{"n": second, **each} for each in collected[table.gm][1]["opened"]] == of_bo


def test_the_stream_is_the_same_whenever_it_is_read_and_from_wherever_it_goes_on(
    table: Table, owner: Api, follow: Follow
) -> None:
    """So a cut loses no reveal and repeats none; with what the pages open in the end nothing is missing."""
    eve = json.loads(owner("POST", f"{table.at}/seats", {"seat": "eve", "role": "observer"}).text)["token"]
    everybody = (table.gm, table.ada, table.bo, owner.with_token(eve))
    streams = [follow(who, table.at) for who in everybody]
    for _ in range(2):
        choose(table, table.ada, 1)
        table.send(table.gm, {"type": "whisper", "to": ["ada", "bo"], "note": "left"})
        choose(table, table.bo, 3)
        table.send(table.gm, {"type": "end_round"})
    choose(table, table.bo, 2)
    owner("DELETE", table.at)
    version = table.gm.get(table.at)["version"]
    for who, stream in zip(everybody, streams, strict=True):
        live = [event["data"] for event in until_number(stream, version)]

        assert [each["n"] for each in live] == list(range(1, version + 1))
        for after in range(version):
            again = follow(who, table.at, Last_Event_ID=f"{table.id}:{after}").until_caught_up()
            assert [event["data"] for event in again[:-1]] == live[after:]
        pages = who.get(f"{table.at}/commits")["commits"]
        given = sorted(
            (each["n"], e["index"], e["payload"], e["salt"]) for each in live for e in each["opened"]
        )
        shown = sorted(
            (e["n"], e["index"], e["payload"], e["salt"]) for each in live for e in each["revealed"]
        )
        in_pages = sorted(
            (each["n"], e["index"], e["payload"], e["salt"]) for each in pages for e in each["opened"]
        )
        assert sorted(given + shown) == in_pages
        assert shown or who is table.ada


def until_number(stream: Stream, n: int) -> list[Event]:
    found: list[Event] = []
    while not found or numbers(found[-1:]) < [n]:
        event = stream.next()
        found += [event] if event["event"] == "commit" else []
    return found


def test_who_comes_back_goes_on_after_the_last_event_it_had(table: Table, follow: Follow) -> None:
    for _ in range(3):
        table.send(table.ada, ADD)
    version = table.gm.get(table.at)["version"]

    by_header = follow(table.ada, table.at, Last_Event_ID=f"{table.id}:{version - 2}")
    by_query = follow(table.ada, table.at, f"?after={version - 1}")
    both = follow(table.ada, table.at, "?after=0", Last_Event_ID=f"{table.id}:{version}")

    assert numbers(by_header.until_caught_up()) == [version - 1, version]
    assert numbers(by_query.until_caught_up()) == [version]
    assert numbers(both.until_caught_up()) == []


@pytest.mark.parametrize("place", ["999", "1", "one", "-1", "9" * 40, "²"])
def test_an_unknown_position_is_a_reset_to_what_there_is(table: Table, follow: Follow, place: str) -> None:
    version = table.gm.get(table.at)["version"]
    stream = follow(table.ada, table.at, Last_Event_ID=place.encode().decode("latin-1"))

    reset, record_heartbeat = stream.take(2)
    table.send(table.ada, ADD)

    assert reset == {"event": "reset", "id": f"{table.id}:{version}", "data": {"version": version}}
    assert record_heartbeat["data"]["version"] == version
    assert numbers([stream.next()]) == [version + 1]


def test_a_heartbeat_tells_the_hash_of_the_seats_view(
    table: Table, follow: Follow, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(following, "HEARTBEAT_S", 0.05)
    for who in (table.gm, table.ada, table.bo):
        first, second = (
            follow(who, table.at).until_caught_up()[-1],
            follow(who, table.at).until_caught_up()[-1],
        )
        state = who.get(f"{table.at}/state")
        assert first["data"] == second["data"] == {"version": state["version"], "view": state["view"]}
        assert "id" not in first, "a heartbeat is no position"
    idle = follow(table.ada, table.at)
    idle.until_caught_up()
    assert [event["event"] for event in idle.take(3)] == ["heartbeat"] * 3


def test_heartbeats_come_often_enough() -> None:
    assert following.HEARTBEAT_S < 15


def test_a_commit_that_was_not_heard_is_found_by_the_next_look(
    table: Table, services: Services, follow: Follow, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the subscription missed is in the store."""
    monkeypatch.setattr(following, "HEARTBEAT_S", 0.05)
    stream = follow(table.ada, table.at)
    stream.until_caught_up()
    monkeypatch.setattr(services.feeds, "_followed", {})
    table.send(table.ada, ADD)
    version = table.gm.get(table.at)["version"]

    found = stream.until_caught_up()
    while not numbers(found):
        found = stream.until_caught_up()

    assert numbers(found) == [version]


def test_a_ticket_opens_one_stream_once(table: Table, api: Api, follow: Follow) -> None:
    for who in (table.gm, table.ada):
        answer = who("POST", f"{table.at}/tickets")
        assert answer.status_code == 201
        ticket = json.loads(answer.text)["ticket"]

        stream = follow(api, table.at, f"?ticket={ticket}")

        pages = who.get(f"{table.at}/commits")["commits"]
        found = [event["data"] for event in stream.until_caught_up()[:-1]]
        assert found == [{**each, "revealed": []} for each in pages]
        again = api("GET", f"{table.at}/commits?ticket={ticket}", Accept=STREAM)
        assert "WWW-Authenticate" in is_and_headers(again, 401, "unauthenticated")


def is_and_headers(answer: TestResponse, status: int, code: str) -> Any:
    is_problem(answer, status, code)
    return answer.headers


def test_a_ticket_is_for_streams_of_its_encounter_and_not_for_ever(
    table: Table, owner: Api, api: Api, services: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    def ticket() -> str:
        text: str = json.loads(table.ada("POST", f"{table.at}/tickets").text)["ticket"]
        return text

    other = Table.opened(owner)
    is_problem(api("GET", f"{other.at}/commits?ticket={ticket()}", Accept=STREAM), 401, "unauthenticated")
    is_problem(api("GET", f"{table.at}/state?ticket={ticket()}"), 401, "unauthenticated")
    is_problem(api("GET", f"{table.at}/commits?ticket={ticket()}"), 422, "invalid")
    for text in (
        ticket()[:-4] + "AAAA",
        "rt_x",
        "rt_e30." + "A" * 43,
        "rt_A." + "A" * 43,
        table.ada.token or "",
    ):
        is_problem(api("GET", f"{table.at}/commits?ticket={text}", Accept=STREAM), 401, "unauthenticated")
    late = ticket()
    object.__setattr__(services, "clock", lambda: time.time() + 31)
    is_problem(api("GET", f"{table.at}/commits?ticket={late}", Accept=STREAM), 401, "unauthenticated")


def test_a_stream_takes_no_parameter_that_it_does_not_heed(table: Table) -> None:
    for query in ("limit=1", "round=1"):
        is_problem(table.ada("GET", f"{table.at}/commits?{query}", Accept=STREAM), 422, "invalid")


def test_a_token_that_is_replaced_ends_its_stream_and_no_other(table: Table, follow: Follow) -> None:
    ada, bo = follow(table.ada, table.at), follow(table.bo, table.at)
    ada.until_caught_up()
    bo.until_caught_up()

    assert table.gm("POST", f"{table.at}/seats/ada/token", {}).status_code == 201

    assert [b"seat_token_issued" in part for part in ada.rest()] == [True], "the last thing it is told"
    assert numbers([bo.next()]) == [table.gm.get(table.at)["version"]]


def test_a_key_that_is_ended_ends_its_streams(
    table: Table, services: Services, follow: Follow, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(following, "HEARTBEAT_S", 0.02)
    stream = follow(table.gm, table.at)
    stream.until_caught_up()

    api_keys.end(services.log, str(table.gm.token).split("_")[1])

    assert all(b"heartbeat" in part for part in stream.rest())


def test_there_is_room_for_so_many_and_a_place_is_given_back(
    table: Table, services: Services, follow: Follow
) -> None:
    services.feeds.room = FeedLimits(process=3, owner=2)
    first = follow(table.ada, table.at)
    follow(table.bo, table.at)

    full = table.gm("GET", f"{table.at}/commits", Accept=STREAM)
    assert is_and_headers(full, 429, "too-many-streams")["Retry-After"] == "5"
    first.close()

    follow(table.gm, table.at)
    assert services.feeds.count == 2
    services.feeds.room = FeedLimits(process=2, owner=9)
    is_problem(table.gm("GET", f"{table.at}/commits", Accept=STREAM), 429, "too-many-streams")


def test_no_seat_keeps_the_owner_or_another_seat_out(
    table: Table, services: Services, follow: Follow
) -> None:
    services.feeds.room = FeedLimits(process=99, owner=16)
    path = f"{table.at}/commits"
    watcher = json.loads(table.gm("POST", f"{table.at}/seats", {"seat": "eve", "role": "observer"}).text)
    eve = table.gm.with_token(watcher["token"])
    for who, places in ((table.ada, 2), (eve, 8), (table.bo, 2)):
        for _ in range(places):
            follow(who, table.at)
        is_problem(who("GET", path, Accept=STREAM), 429, "too-many-streams")

    for _ in range(4):
        follow(table.gm, table.at)
    is_problem(table.gm("GET", path, Accept=STREAM), 429, "too-many-streams")


def test_all_seats_together_leave_places_for_the_owner(
    table: Table, services: Services, follow: Follow
) -> None:
    services.feeds.room = FeedLimits(process=99, owner=4)
    path = f"{table.at}/commits"
    seat = {"seat": "eve", "role": "observer"}
    eve = table.gm.with_token(json.loads(table.gm("POST", f"{table.at}/seats", seat).text)["token"])
    for who in (table.ada, eve, eve):
        follow(who, table.at)

    is_problem(table.bo("GET", path, Accept=STREAM), 429, "too-many-streams")
    follow(table.gm, table.at)


def test_streams_of_a_fork_take_the_places_of_the_seat_that_made_it(
    table: Table, services: Services, follow: Follow
) -> None:
    table.gm("DELETE", table.at)
    fork = json.loads(table.ada("POST", f"{table.at}/forks", {"at": 2}, Prefer="wait=30").text)
    services.feeds.room = FeedLimits(process=99, owner=16)
    there, where = table.ada.with_token(fork["token"]), f"/v1/encounters/{fork['encounter']}"
    follow(there, where)
    follow(there, where)

    is_problem(there("GET", f"{where}/commits", Accept=STREAM), 429, "too-many-streams")


def test_asking_for_the_head_alone_takes_no_place(table: Table, services: Services) -> None:
    answer = table.ada.app.test_client().head(
        f"{table.at}/commits", headers={"Accept": STREAM, "Authorization": f"Bearer {table.ada.token}"}
    )

    assert (answer.status_code, services.feeds.count) == (200, 0)


def test_a_store_that_falls_silent_ends_the_stream_and_gives_its_place_back(
    table: Table, services: Services, follow: Follow, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(following, "HEARTBEAT_S", 0.02)
    stream = follow(table.ada, table.at)
    stream.until_caught_up()

    def silent(*_: object) -> int:
        raise StoreUnavailable("gone")

    monkeypatch.setattr(reading, "head", silent)

    assert all(b"heartbeat" in part for part in stream.rest())
    assert services.feeds.count == 0


def test_a_process_that_stops_ends_its_streams(table: Table, services: Services, follow: Follow) -> None:
    stream = follow(table.ada, table.at)
    stream.until_caught_up()
    closing = threading.Timer(0.1, services.feeds.close)
    closing.start()

    assert stream.rest() == []
    closing.join()
