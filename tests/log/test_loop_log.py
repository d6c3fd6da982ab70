"""The log on an event loop: appends in one round trip, each once, and commits heard without a thread."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from threading import Thread
from typing import Any

import pytest
import redis

from service.log import (
    CommitWrite,
    KeyReused,
    NoSuchEncounter,
    Outcome,
    OutcomeUnknown,
    Submitted,
    VersionConflict,
    bucket_of,
)
from service.log.errors import StoreUnavailable, WouldWait
from service.log.valkey import ValkeyLog
from service.log.valkey.loop_log import ValkeyLoopLog
from service.log.values import ZERO_HASH

EID = "0190c0de-0000-7000-8000-000000000001"
OTHER = "0190c0de-0000-7000-8000-000000000002"


def submit(log: ValkeyLoopLog, n: int, encounter: str = EID, **options: Any) -> Awaitable[Submitted]:
    said = {"scope": "s", "key": f"k{n}", "fingerprint": "f", "at_ms": 1, "notify_ms": 1000, **options}
    return log.submit(encounter, b"request %d" % n, **said)


def on_loop(log: ValkeyLog, work: Callable[[ValkeyLoopLog], Awaitable[Any]]) -> Any:
    async def run() -> Any:
        return await asyncio.wait_for(work(ValkeyLoopLog(log)), 60)

    return asyncio.run(run())


@pytest.fixture
def opened(streams: ValkeyLog) -> ValkeyLog:
    for encounter in (EID, OTHER):
        streams.append(encounter, b"open", scope="s", key="open", fingerprint="f", create=True)
    return streams


def test_appends_of_one_turn_get_dense_numbers_in_order(opened: ValkeyLog) -> None:
    async def work(log: ValkeyLoopLog) -> list[Submitted]:
        return await asyncio.gather(*(submit(log, n) for n in range(600)))

    found = on_loop(opened, work)

    assert [each.n for each in found] == list(range(2, 602))
    assert [entry.raw for entry in opened.commands(EID, 1, 3)] == [b"request 0", b"request 1", b"request 2"]


def test_each_of_a_batch_has_its_own_answer(opened: ValkeyLog) -> None:
    async def work(log: ValkeyLoopLog) -> Any:
        return await asyncio.gather(
            submit(log, 1),
            submit(log, 1),
            submit(log, 1, fingerprint="another"),
            submit(log, 2, expected=9),
            submit(log, 3, encounter="0190c0de-0000-7000-8000-000000000003"),
            submit(log, 4, encounter=OTHER),
            return_exceptions=True,
        )

    first, again, reused, conflict, missing, other = on_loop(opened, work)

    assert (first.n, first.replayed) == (2, False)
    assert (again.n, again.replayed) == (2, True)
    assert isinstance(reused, KeyReused)
    assert isinstance(conflict, VersionConflict)
    assert conflict.actual == 2
    assert isinstance(missing, NoSuchEncounter)
    assert other.n == 2


def test_a_connection_that_was_cut_while_idle_is_opened_again(opened: ValkeyLog, streams_url: str) -> None:
    async def work(log: ValkeyLoopLog) -> Submitted:
        await submit(log, 1)
        with redis.Redis.from_url(streams_url) as client:
            client.client_kill_filter(_type="normal", skipme=True)
        await asyncio.sleep(0.5)
        return await submit(log, 2)

    assert on_loop(opened, work).n == 3


def test_what_was_sent_and_not_answered_is_unknown_and_happens_once(
    opened: ValkeyLog, streams_url: str
) -> None:
    """The server stops before it answers; the connection is cut, and the same key tells what became of it."""

    async def work(log: ValkeyLoopLog) -> tuple[Any, Submitted]:
        await submit(log, 1)
        with redis.Redis.from_url(streams_url) as client:
            client.execute_command("CLIENT", "PAUSE", "60000", "WRITE")
            waiting = asyncio.ensure_future(submit(log, 2))
            await asyncio.sleep(0.5)
            client.client_kill_filter(_type="normal", skipme=True)
            failed = (await asyncio.gather(waiting, return_exceptions=True))[0]
            client.execute_command("CLIENT", "UNPAUSE")
        return failed, await submit(log, 2)

    failed, sent = on_loop(opened, work)

    assert isinstance(failed, OutcomeUnknown)
    assert sent.n == 3
    assert opened.head(EID).appended == 3  # type: ignore[union-attr]  # it was opened


def test_a_server_that_is_not_there_was_sent_nothing() -> None:
    log = ValkeyLog.at("unix:///nowhere/at/all.sock?db=0")

    async def work(on: ValkeyLoopLog) -> Any:
        return await submit(on, 1)

    with pytest.raises(StoreUnavailable):
        on_loop(log, work)


def test_commits_are_heard_on_the_loop(opened: ValkeyLog) -> None:
    heard: list[Outcome] = []
    fold = CommitWrite(n=1, prev=ZERO_HASH, hash="1" * 64, raw=b"commit", request=b"open", frontier=b"")

    async def work(log: ValkeyLoopLog) -> None:
        stands, came = asyncio.Event(), asyncio.Event()

        def hear(outcome: Outcome) -> None:
            heard.append(outcome)
            came.set()

        async def begun() -> None:
            stands.set()

        hearing = asyncio.ensure_future(log.hear_outcomes(hear, begun))
        await stands.wait()
        Thread(target=opened.commit, args=(EID, fold)).start()
        await came.wait()
        hearing.cancel()

    on_loop(opened, work)

    assert [(each.encounter, each.n, each.raw) for each in heard] == [(EID, 1, b"commit")]


def test_who_asked_hears_a_commit_and_who_follows_its_bucket_but_no_other(opened: ValkeyLog) -> None:
    """The last commit names nobody who asked, so everybody hears it, and has heard the others by then."""
    heard: dict[str, list[bytes]] = {"asker": [], "follower": [], "other": []}
    hashes = ["0" * 64, "1" * 64, "2" * 64, "3" * 64]
    asked = (b"open", b"request 1", b"request 2")

    def commit(n: int, process: str) -> None:
        fold = CommitWrite(
            n=n, prev=hashes[n - 1], hash=hashes[n], raw=b"%d" % n, request=asked[n - 1], process=process
        )
        opened.commit(EID, fold)

    async def listen(name: str, log: ValkeyLoopLog, seen: asyncio.Event) -> asyncio.Task[None]:
        stands = asyncio.Event()

        def hear(outcome: Outcome) -> None:
            heard[name].append(outcome.raw)
            if outcome.n == len(hashes) - 1:
                seen.set()

        async def begun() -> None:
            stands.set()

        hearing = asyncio.ensure_future(log.hear_outcomes(hear, begun))
        await stands.wait()
        return hearing

    async def work(asker: ValkeyLoopLog) -> None:
        logs = {"asker": asker, "follower": ValkeyLoopLog(opened), "other": ValkeyLoopLog(opened)}
        seen = {name: asyncio.Event() for name in logs}
        hearing = [await listen(name, log, seen[name]) for name, log in logs.items()]
        await logs["follower"].follow(bucket_of(EID))
        wakes = await asyncio.to_thread(opened.listen_commands)
        await submit(asker, 1)
        wake = await asyncio.to_thread(wakes.get, 30)
        assert wake is not None
        await submit(asker, 2)
        await asyncio.to_thread(commit, 1, wake.process)
        await asyncio.to_thread(commit, 2, wake.process)
        await asyncio.to_thread(commit, 3, "")
        await asyncio.gather(*(each.wait() for each in seen.values()))
        wakes.close()
        for each in hearing:
            each.cancel()

    on_loop(opened, work)

    assert heard["asker"] == [b"1", b"2", b"3"]
    assert sorted(set(heard["follower"])) == [b"1", b"2", b"3"]
    assert heard["other"] == [b"3"]


def test_a_bucket_that_is_left_is_heard_no_more_and_may_be_followed_again(opened: ValkeyLog) -> None:
    heard: list[int] = []
    hashes = ["0" * 64, "1" * 64, "2" * 64]
    asked = (b"open", b"request 1")

    def commit(n: int) -> None:
        fold = CommitWrite(
            n=n, prev=hashes[n - 1], hash=hashes[n], raw=b"%d" % n, request=asked[n - 1], process="another"
        )
        opened.commit(EID, fold)

    async def work(log: ValkeyLoopLog) -> None:
        stands, came = asyncio.Event(), asyncio.Event()

        def hear(outcome: Outcome) -> None:
            heard.append(outcome.n)
            came.set()

        async def begun() -> None:
            stands.set()

        hearing = asyncio.ensure_future(log.hear_outcomes(hear, begun))
        await stands.wait()
        await submit(log, 1)
        await log.follow(bucket_of(EID))
        log.leave(bucket_of(EID))
        await log.follow(bucket_of(OTHER))  # the server has answered both by then
        await asyncio.to_thread(commit, 1)
        await log.follow(bucket_of(EID))
        await asyncio.to_thread(commit, 2)
        await came.wait()
        hearing.cancel()

    on_loop(opened, work)

    assert heard == [2]


def test_a_subscription_that_is_cut_says_so(opened: ValkeyLog, streams_url: str) -> None:
    async def work(log: ValkeyLoopLog) -> None:
        async def begun() -> None:
            with redis.Redis.from_url(streams_url) as client:
                client.client_kill_filter(_type="pubsub", skipme=True)

        await log.hear_outcomes(lambda _: None, begun)

    with pytest.raises(StoreUnavailable):
        on_loop(opened, work)


def test_the_log_itself_is_never_asked_on_a_loop(opened: ValkeyLog) -> None:
    async def work(_: ValkeyLoopLog) -> None:
        opened.head(EID)

    with pytest.raises(WouldWait):
        on_loop(opened, work)
