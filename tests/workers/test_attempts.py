"""Attempts at webhooks are shared: by owner, by webhook, and with hosts that are silent."""

from __future__ import annotations

from service.stores.webhooks import Webhook
from workers.attempts import (
    AT_SILENT_HOSTS,
    OF_A_WEBHOOK,
    OF_AN_OWNER,
    THREADS,
    DeliveryAttempts,
    DeliveryTarget,
)
from workers.webhooks import DeliveryPace


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


def aim(owner: str, webhook: str, host: str | None = None) -> DeliveryTarget:
    return DeliveryTarget(webhook, owner, host or f"https://{webhook}.example")


def begun(attempts: DeliveryAttempts, *aims: DeliveryTarget) -> int:
    """Begin an attempt at each of *aims* that there is room for; how many there were."""
    count = 0
    for number, each in enumerate(aims):
        if attempts.has_room(each):
            attempts.begin(f"{each.webhook}/{number}", each)
            count += 1
    return count


def test_no_owner_has_more_than_half_and_no_webhook_more_than_its_share() -> None:
    attempts = DeliveryAttempts(Clock(), DeliveryPace().rest)
    assert begun(attempts, *[aim("a", "one")] * 9) == OF_A_WEBHOOK
    assert begun(attempts, *(aim("a", f"w{n}") for n in range(99))) == OF_AN_OWNER - OF_A_WEBHOOK
    assert begun(attempts, *(aim("b", f"v{n}") for n in range(99))) == THREADS - OF_AN_OWNER
    assert begun(attempts, aim("c", "last")) == 0


def test_owners_are_served_in_turn_whoever_has_more() -> None:
    attempts = DeliveryAttempts(Clock(), DeliveryPace().rest)
    many = [aim("a", f"w{n}") for n in range(5)]
    order = attempts.fairly([*many, aim("b", "x"), aim("b", "y")])
    assert [each.owner for each in order] == ["a", "b", "a", "b", "a", "a", "a"]
    attempts.begin("n", many[0])
    assert attempts.fairly([*many, aim("b", "x")])[0].owner == "b", "who has one under way comes later"


def test_a_silent_host_rests_longer_each_time_and_is_tried_one_at_a_time() -> None:
    clock = Clock()
    pace = DeliveryPace()
    attempts, one, two = (
        DeliveryAttempts(clock, pace.rest),
        aim("a", "one", "https://h"),
        aim("b", "two", "https://h"),
    )
    rests = []
    for _ in range(8):
        attempts.answered("https://h", is_silent=True)
        began = clock.now
        while not attempts.has_room(two):
            clock.now += 1
        rests.append(clock.now - began)
    assert rests == sorted(rests)
    assert rests[0] >= pace.first_s
    assert pace.rest_s <= rests[-1] <= pace.rest_s + 1
    assert begun(attempts, one, two) == 1, "another owner's webhook at the same host waits, too"
    attempts.end("one/0")
    attempts.answered("https://h", is_silent=False)
    assert begun(attempts, one, two) == 2


def test_silent_hosts_have_half_of_the_attempts_together() -> None:
    clock = Clock()
    attempts = DeliveryAttempts(clock, DeliveryPace().rest)
    silent = [aim(f"o{n}", f"w{n}") for n in range(99)]
    for each in silent:
        attempts.answered(each.host, is_silent=True)
    clock.now += 9
    assert begun(attempts, *silent) == AT_SILENT_HOSTS
    assert begun(attempts, *(aim(f"p{n}", f"v{n}") for n in range(99))) == THREADS - AT_SILENT_HOSTS


def test_a_webhook_that_was_ended_is_nobodys() -> None:
    made = Webhook("w", "owner", "http://127.0.0.1:8080/hook?x", "2026-01-01T00:00:00.000Z")
    assert DeliveryTarget.at("w", made) == DeliveryTarget("w", "owner", "http://127.0.0.1:8080")
    assert DeliveryTarget.at("w", None) == DeliveryTarget("w", "", "")
