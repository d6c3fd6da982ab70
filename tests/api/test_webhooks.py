"""Webhooks: made, shown and ended by their owner; every commit is told, signed, until it is taken."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from threading import Event, Thread
from typing import Any

import pytest
from standardwebhooks import Webhook, WebhookVerificationError

from service.api.app import create_app
from service.signals.webhook_addresses import WebhookAddressGuard
from service.stores import api_keys, webhooks
from service.usecases.services import Services
from tests.api.client import Api, Table, is_problem
from tests.api.test_encounters import fight
from tests.support.certificate_authority import Authority
from tests.support.waiting import until
from tests.support.webhook_receiver import NETWORK, Receiver, receiver
from workers.posting import NotResolved
from workers.webhooks import NOWHERE, DeliveryPace, WebhookSender

ADD = {"type": "add", "amount": 1}
PACE = DeliveryPace(first_s=0.01, longest_s=0.05, lasts_s=60, tick_s=0.01, answer_s=30)
OUTWARD = WebhookAddressGuard.of([NETWORK])


@pytest.fixture
def services(services: Services) -> Services:
    return replace(services, address_guard=OUTWARD)


@pytest.fixture
def hook() -> Iterator[Receiver]:
    with receiver() as made:
        yield made


class Narrator:
    """A worker's telling in threads of this process."""

    def __init__(
        self, services: Services, address_guard: WebhookAddressGuard = OUTWARD, pace: DeliveryPace = PACE
    ) -> None:
        self.services = services
        self.stopping = Event()
        self.event_type = WebhookSender(
            services.log, services.folder, services.service_key, address_guard, self.stopping, pace, self.now
        )
        self.thread = Thread(target=self.event_type.run)
        self.thread.start()

    def now(self) -> float:
        return self.services.clock()

    def stop(self) -> None:
        self.stopping.set()
        self.thread.join()


@pytest.fixture
def teller(services: Services) -> Iterator[Narrator]:
    made = Narrator(services)
    yield made
    made.stop()


def made(owner: Api, url: str, **more: object) -> Any:
    answer = owner("POST", "/v1/webhooks", {"url": url, **more})
    assert answer.status_code == 201, answer.text
    return json.loads(answer.text)


def played(table: Table, teller: Narrator, count: int) -> list[int]:
    """Send so many commands and have their commits told; their numbers."""
    numbers = [json.loads(table.send(table.gm, ADD).text)["n"] for _ in range(count)]
    teller.event_type.heard(table.id)
    return numbers


def deliveries(owner: Api, webhook: str) -> list[Any]:
    found: list[Any] = owner.get(f"/v1/webhooks/{webhook}/deliveries")["deliveries"]
    return found


# --- what is told ------------------------------------------------------------------------------------


def test_every_commit_is_told_as_everybody_may_see_it_and_signed(
    owner: Api, table: Table, hook: Receiver, teller: Narrator
) -> None:
    webhook = made(owner, hook.url, encounter=table.id)
    choice = json.loads(table.send(table.ada, {"type": "choose", "number": 2}).text)
    numbers = [choice["n"], *played(table, teller, 2)]

    until(lambda: len(hook.came) >= 3)

    found = sorted(hook.taken(webhook["secret"]), key=lambda each: each["data"]["n"])
    assert [each["data"]["n"] for each in found] == numbers
    assert {each["type"] for each in found} == {"encounter.commit"}
    assert [event["type"] for event in found[0]["data"]["events"]] == ["choice_committed"]
    assert found[1]["data"]["events"] == [{"type": "counted", "by": 1, "rolled": None, "because": ["TINY-2"]}]
    commits = table.gm.get(f"{table.at}/commits?after={numbers[0] - 1}")["commits"]
    assert [each["data"]["hash"] for each in found] == [each["hash"] for each in commits]


def test_a_message_says_in_words_what_happened_if_it_is_asked_to(
    owner: Api, table: Table, hook: Receiver, teller: Narrator
) -> None:
    webhook = made(owner, hook.url, encounter=table.id, text="en")
    assert (webhook["text"], webhook["format"]) == ("en", "message")
    table.send(table.ada, {"type": "choose", "number": 2})
    n = played(table, teller, 1)[0]
    until(lambda: len(hook.came) >= 2)

    found = {each["data"]["n"]: each["data"] for each in hook.taken(webhook["secret"])}
    pages = table.bo.get(f"{table.at}/commits?after={n - 2}&text=en")["commits"]
    assert [found[each["n"]]["text"] for each in pages] == [each["text"] for each in pages]
    assert found[n]["text"] == ["Counted by=1 rolled=nothing"]


def test_a_channel_of_discord_gets_words_alone_and_mentions_no_person(
    owner: Api, hook: Receiver, teller: Narrator
) -> None:
    opening = fight()
    opening["creatures"][0]["sheet"]["name"] = "@everyone *Pia*"
    encounter = json.loads(owner("POST", "/v1/encounters", opening).text)["encounter"]
    made(owner, hook.url, encounter=encounter, format="discord")
    at = f"/v1/encounters/{encounter}"
    assert owner("POST", f"{at}/commands", {"type": "begin_combat"}).status_code == 200
    refused = owner("POST", f"{at}/commands", {"type": "begin_combat"})
    assert refused.status_code == 409
    assert owner("POST", f"{at}/undo", {"to": 1}).status_code == 200
    teller.event_type.heard(encounter)
    until(lambda: len(hook.came) >= 2 and not teller.services.log.due("webhooks", 2**53, 1))

    found = [json.loads(body) for _, body, _ in hook.came]
    assert {tuple(sorted(each)) for each in found} == {("allowed_mentions", "content")}
    assert all(each["allowed_mentions"] == {"parse": []} for each in found)
    assert any("Combat begins" in each["content"] for each in found)
    assert "Play goes on from commit 1." in [each["content"] for each in found]


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        (["Pia hits *hard*"], "Pia hits \\*hard\\*"),
        (["a", "b_c"], "a\nb\\_c"),
        (["x" * 2000], "x" * 2000),
        (["x" * 2001], "x" * 1999 + "…"),
    ],
)
def test_what_discord_is_told_is_escaped_and_cut(said: list[str], shown: str) -> None:
    body = webhooks.discord_body(said)
    assert body is not None
    assert json.loads(body)["content"] == shown
    assert webhooks.discord_body([]) is None


def test_another_secret_or_another_body_is_not_believed(
    owner: Api, table: Table, hook: Receiver, teller: Narrator
) -> None:
    webhook, other = made(owner, hook.url, encounter=table.id), made(owner, "https://example.com/")
    played(table, teller, 1)
    until(lambda: hook.came)
    headers, body, _ = hook.came[0]

    Webhook(webhook["secret"]).verify(body, headers)
    for secret, text in ((other["secret"], body), (webhook["secret"], body + b" ")):
        with pytest.raises(WebhookVerificationError):
            Webhook(secret).verify(text, headers)


def test_a_receiver_that_fails_nine_times_in_ten_gets_everything(
    owner: Api, table: Table, hook: Receiver, teller: Narrator
) -> None:
    hook.answer = lambda nth: 204 if nth % 10 == 9 else (500, 503, 404, 301, 429)[nth % 5]
    webhook = made(owner, hook.url)
    numbers = played(table, teller, 12)

    until(lambda: len(hook.taken(webhook["secret"])) >= len(numbers))

    found = [each["data"]["n"] for each in hook.taken(webhook["secret"])]
    assert sorted(set(found)) == numbers
    messages = {headers["webhook-id"] for headers, _, _ in hook.came}
    assert messages == {f"{webhook['webhook']}-{table.id}-{n}" for n in numbers}
    until(lambda: {each["state"] for each in deliveries(owner, webhook["webhook"])} == {"delivered"})
    assert sum(each["attempts"] for each in deliveries(owner, webhook["webhook"])) == len(hook.came)


def test_what_was_committed_before_is_not_told_and_what_is_committed_with_no_worker_is(
    owner: Api, table: Table, hook: Receiver, services: Services
) -> None:
    """Before a worker lets go of an encounter it puts all of it on the agenda, however long ago it was."""
    time.sleep(0.002)
    webhook = made(owner, hook.url, encounter=table.id)
    time.sleep(0.002)
    numbers = [json.loads(table.send(table.gm, ADD).text)["n"] for _ in range(3)]
    teller = Narrator(services)

    teller.event_type.schedule_deliveries(table.id)
    teller.event_type.schedule_deliveries(table.id)

    until(lambda: len(hook.came) >= 3)
    teller.stop()
    assert sorted(each["data"]["n"] for each in hook.taken(webhook["secret"])) == numbers


def test_410_disables_and_drops_what_is_due(
    owner: Api, table: Table, hook: Receiver, teller: Narrator
) -> None:
    hook.answer = lambda _: 410
    webhook = made(owner, hook.url, encounter=table.id)["webhook"]
    played(table, teller, 1)
    until(lambda: owner.get(f"/v1/webhooks/{webhook}")["state"] == "gone")
    until(lambda: deliveries(owner, webhook))
    came = len(hook.came)
    played(table, teller, 2)
    time.sleep(0.2)

    assert len(hook.came) == came
    [each] = deliveries(owner, webhook)
    assert (each["state"], each["status"], each["due"]) == ("failed", 410, None)
    is_problem(
        owner("POST", f"/v1/webhooks/{webhook}/deliveries/{each['delivery']}/retry"), 409, "webhook-disabled"
    )


def test_what_came_while_it_was_gone_is_told_once_it_is_active_again(
    owner: Api, table: Table, hook: Receiver, teller: Narrator
) -> None:
    """What was refused with 410, what was due then and what was committed since: nothing is left out."""
    hook.answer = lambda _: 410
    made_ = made(owner, hook.url)
    at = f"/v1/webhooks/{made_['webhook']}"
    numbers = played(table, teller, 3)
    until(lambda: owner.get(at)["state"] == "gone")
    numbers += played(table, teller, 2)
    until(lambda: not teller.event_type.news)
    quiet = Table.opened(owner)  # begun while it was gone, and silent since
    teller.event_type.heard(quiet.id)
    until(lambda: not teller.event_type.news)
    hook.answer = lambda _: 200

    answer = owner("PATCH", at, {"state": "active"})

    assert (answer.status_code, json.loads(answer.text)["state"]) == (200, "active")
    until(
        lambda: (
            {m["data"]["n"] for m in hook.taken(made_["secret"]) if m["data"]["encounter"] == table.id}
            == set(numbers)
        )
    )
    until(lambda: any(m["data"]["encounter"] == quiet.id for m in hook.taken(made_["secret"])))
    numbers += played(table, teller, 1)
    until(lambda: any(m["data"]["n"] == numbers[-1] for m in hook.taken(made_["secret"])))
    until(lambda: {each["state"] for each in deliveries(owner, made_["webhook"])} == {"delivered"})


def test_a_webhook_may_move_and_keeps_its_secret(
    owner: Api, table: Table, hook: Receiver, teller: Narrator
) -> None:
    with receiver() as old:
        old.answer = lambda _: 500
        webhook = made(owner, old.url, encounter=table.id)
        at = f"/v1/webhooks/{webhook['webhook']}"
        numbers = played(table, teller, 1)
        until(lambda: old.came)

        moved = owner("PATCH", at, {"url": hook.url})

    assert json.loads(moved.text) == {**owner.get(at), "url": hook.url}
    until(lambda: [each["data"]["n"] for each in hook.taken(webhook["secret"])] == numbers)
    for url in ("http://10.0.0.1/", "https://a@b/", "x"):
        problem = is_problem(owner("PATCH", at, {"url": url}), 422, "invalid")
        assert [each["pointer"] for each in problem["errors"]] == ["/url"]
    is_problem(owner("PATCH", at, {"state": "gone"}), 422, "invalid")
    assert owner.get(at)["url"] == hook.url


def test_a_receiver_over_tls_is_told(
    owner: Api, table: Table, teller: Narrator, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    authority = Authority(tmp_path)
    monkeypatch.setenv("SSL_CERT_FILE", str(authority.file))
    with receiver(authority.serving("127.0.0.1")) as hook:
        webhook = made(owner, hook.url, encounter=table.id)
        numbers = played(table, teller, 3)
        until(lambda: len(hook.taken(webhook["secret"])) >= 3)

    assert sorted(each["data"]["n"] for each in hook.taken(webhook["secret"])) == numbers


def test_no_redirect_is_followed(owner: Api, table: Table, hook: Receiver, teller: Narrator) -> None:
    """Where to, the address that was judged does not say."""
    hook.answer = lambda nth: 302 if nth == 0 else 200
    webhook = made(owner, hook.url, encounter=table.id)["webhook"]
    played(table, teller, 1)

    until(lambda: [each["attempts"] for each in deliveries(owner, webhook)] == [2])

    [message] = {headers["webhook-id"] for headers, _, _ in hook.came}
    assert message == deliveries(owner, webhook)[0]["message"]


def test_three_days_are_enough_and_then_a_person_may_have_it_tried_again(
    owner: Api, table: Table, hook: Receiver, services: Services, teller: Narrator
) -> None:
    hook.answer = lambda _: 500
    webhook = made(owner, hook.url, encounter=table.id)
    at = f"/v1/webhooks/{webhook['webhook']}/deliveries"
    played(table, teller, 1)
    until(lambda: hook.came)
    object.__setattr__(services, "clock", lambda: time.time() + PACE.lasts_s + 1)
    until(lambda: [each["state"] for each in deliveries(owner, webhook["webhook"])] == ["failed"])
    object.__setattr__(services, "clock", time.time)
    hook.answer = lambda _: 200

    [each] = deliveries(owner, webhook["webhook"])
    answer = owner("POST", f"{at}/{each['delivery']}/retry")

    assert (answer.status_code, json.loads(answer.text)["state"]) == (202, "pending")
    until(lambda: [each["state"] for each in deliveries(owner, webhook["webhook"])] == ["delivered"])
    assert len(hook.taken(webhook["secret"])) == 1


def test_the_pace_spans_three_days_and_tries_often_enough_for_a_receiver_that_fails_nine_in_ten() -> None:
    pace, spent, attempts = DeliveryPace(), 0.0, 0
    while spent <= pace.lasts_s:
        attempts += 1
        spent += pace.pause("message", attempts)

    assert pace.lasts_s == 3 * 86_400
    assert 0.9**attempts < 1e-6
    assert [round(pace.pause("message", n)) for n in (1, 2, 3)] == pytest.approx([5, 10, 20], rel=0.15)


def test_a_receiver_that_is_silent_or_drips_is_cut_off(owner: Api, table: Table, services: Services) -> None:
    """And one webhook's silence keeps no other waiting."""
    with receiver() as slow, receiver() as quick:
        over = Event()
        slow.answer = lambda _: 204 if over.wait(60) else 500
        teller = Narrator(services, pace=replace(PACE, answer_s=0.2))
        silent = made(owner, slow.url, encounter=table.id)
        other = made(owner, quick.url, encounter=table.id)
        numbers = played(table, teller, 6)
        until(lambda: {each["data"]["n"] for each in quick.taken(other["secret"])} == set(numbers))
        until(lambda: deliveries(owner, silent["webhook"]))
        teller.stop()
        over.set()
    found = deliveries(owner, silent["webhook"])
    assert {(each["state"], each["status"]) for each in found} == {("pending", None)}
    assert all(each["fault"] and each["due"] for each in found)


def test_dead_receivers_of_one_owner_keep_nobody_else_waiting(
    owner: Api, table: Table, hook: Receiver, services: Services
) -> None:
    """A11: the oldest hundred that were due were looked at alone, and all of them were theirs.

    Two are silent and one refuses; each has hundreds of commits due. Neither another owner nor another
    webhook of the same owner waits for them.
    """
    over = Event()
    token, _ = api_keys.create(services.log, "others", time.time())
    other = Table.opened(owner.with_token(token))
    with receiver() as gone:
        refusing = gone.url
    with receiver() as silent, receiver() as alive:
        silent.answer = lambda _: 204 if over.wait(60) else 500
        dead = [made(owner, url, encounter=table.id) for url in (silent.url, refusing, silent.url)]
        own = made(owner, alive.url, encounter=table.id)
        theirs = made(other.gm, hook.url)
        for _ in range(6):
            assert table.send(table.gm, [ADD] * 50).status_code == 200
        teller = Narrator(services, pace=DeliveryPace(tick_s=0.01, answer_s=1.0))
        teller.event_type.schedule_deliveries(table.id)
        until(lambda: deliveries(owner, dead[0]["webhook"]))
        numbers = played(other, teller, 9)

        began = time.monotonic()
        until(
            lambda: {each["data"]["n"] for each in hook.taken(theirs["secret"])} >= set(numbers), seconds=20
        )
        until(lambda: alive.taken(own["secret"]), seconds=20)
        took = time.monotonic() - began
        over.set()
        teller.stop()
    assert took < 10, f"{took} s behind 900 deliveries, of which each silent one takes a second"


def test_an_attempt_is_one_workers(owner: Api, table: Table, hook: Receiver, services: Services) -> None:
    webhook = made(owner, hook.url, encounter=table.id)
    tellers = [Narrator(services) for _ in range(3)]
    numbers = [json.loads(table.send(table.gm, ADD).text)["n"] for _ in range(10)]
    for each in tellers:
        each.event_type.heard(table.id)
    until(lambda: len(hook.came) >= 10)
    for each in tellers:
        each.stop()

    assert sorted(each["data"]["n"] for each in hook.taken(webhook["secret"])) == numbers


def test_nothing_is_sent_to_an_address_that_is_not_public(
    owner: Api, table: Table, hook: Receiver, services: Services
) -> None:
    """A network that was allowed when the webhook was made and is not now, or a name that leads elsewhere."""
    webhook = made(owner, hook.url, encounter=table.id)["webhook"]
    teller = Narrator(services, address_guard=WebhookAddressGuard())
    played(table, teller, 1)
    until(lambda: deliveries(owner, webhook))
    teller.stop()

    assert hook.came == []
    assert deliveries(owner, webhook)[0]["fault"] == NOWHERE


def test_a_fault_does_not_say_whether_a_name_is_known(
    owner: Api, table: Table, services: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It told names that lead inside from those that lead nowhere: an oracle for internal names."""

    def resolve(name: str, _port: int) -> list[str]:
        if name == "inside.example":
            return ["10.0.0.1"]
        raise NotResolved(name)

    monkeypatch.setattr("workers.webhooks.resolve", resolve)
    hooks = [
        made(owner, f"https://{name}.example/", encounter=table.id)["webhook"]
        for name in ("inside", "nowhere")
    ]
    teller = Narrator(services)
    played(table, teller, 1)
    until(lambda: all(deliveries(owner, each) for each in hooks))
    teller.stop()
    assert [deliveries(owner, each)[0]["fault"] for each in hooks] == [NOWHERE, NOWHERE]


# --- the resource ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "url",
    [
        "http://example.com/",
        "https://10.0.0.1/",
        "https://[::ffff:10.0.0.1]/",
        "ftp://x/",
        "x",
        "https://a@b/",
    ],
)
def test_an_address_that_leads_nowhere_is_refused_at_once(
    services: Services, worker: object, url: str
) -> None:
    token, _ = api_keys.create(services.log, "tests", time.time())
    strict = Api(create_app(replace(services, address_guard=WebhookAddressGuard())), token)

    problem = is_problem(strict("POST", "/v1/webhooks", {"url": url}), 422, "invalid")

    assert [each["pointer"] for each in problem["errors"]] == ["/url"]


def test_a_webhook_is_made_once_and_its_secret_told_to_who_made_it(owner: Api, services: Services) -> None:
    body = {"url": "https://example.com/hook"}
    first = owner("POST", "/v1/webhooks", body, Idempotency_Key="w1")
    again = owner("POST", "/v1/webhooks", body, Idempotency_Key="w1")
    other = owner("POST", "/v1/webhooks", {"url": "https://example.com/other"}, Idempotency_Key="w1")

    data = json.loads(first.text)
    assert json.loads(again.text) == data
    assert again.headers["Idempotency-Replayed"] == "true"
    is_problem(other, 422, "idempotency-key-reused")
    [shown] = owner.get("/v1/webhooks")["webhooks"]
    assert (
        shown
        == owner.get(f"/v1/webhooks/{data['webhook']}")
        == {k: v for k, v in data.items() if k != "secret"}
    )
    kept = webhooks.known(services.log, data["webhook"])
    assert kept is not None
    assert data["secret"][6:] not in str(services.log.record(f"webhooks/{kept.owner}", kept.id))


def test_another_owners_webhook_and_encounter_do_not_exist(
    owner: Api, table: Table, services: Services
) -> None:
    webhook = made(owner, "https://example.com/hook")["webhook"]
    token, _ = api_keys.create(services.log, "others", time.time())
    eve = owner.with_token(token)

    for method, path in (
        ("GET", ""),
        ("PATCH", ""),
        ("DELETE", ""),
        ("GET", "/deliveries"),
        ("POST", "/deliveries/x/retry"),
    ):
        is_problem(eve(method, f"/v1/webhooks/{webhook}{path}"), 404, "not-found")
    is_problem(
        eve("POST", "/v1/webhooks", {"url": "https://example.com/", "encounter": table.id}), 422, "invalid"
    )
    is_problem(table.ada("GET", "/v1/webhooks"), 403, "forbidden")
    assert eve.get("/v1/webhooks")["webhooks"] == []


def test_an_ended_webhook_is_told_nothing_more_and_makes_room(
    owner: Api, table: Table, hook: Receiver, teller: Narrator
) -> None:
    first = made(owner, hook.url)
    for n in range(webhooks.MOST - 1):
        made(owner, f"https://example.com/{n}")
    is_problem(owner("POST", "/v1/webhooks", {"url": hook.url}), 409, "too-many-webhooks")

    assert json.loads(owner("DELETE", f"/v1/webhooks/{first['webhook']}").text)["state"] == "ended"
    played(table, teller, 1)
    time.sleep(0.2)

    assert hook.came == []
    made(owner, "https://example.com/again")
