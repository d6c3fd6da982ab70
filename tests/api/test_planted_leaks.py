"""The twin harness names what could tell twins apart: leaks of every kind are planted, and each is caught.

Each plant looks into what is GM-only, the orc's hit points, and lets one thing that others receive depend on
it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from hashlib import sha256
from typing import Any, Final

import pytest
from flask import request

from service.api import event_stream, serving
from service.api.exchange import Reply
from service.api.request import ApiResponse
from service.core import explain
from service.core.fold import Folder
from service.rules.heartrush.moving.dash_and_sidestep import Dash
from service.rules.heartrush.timing.windows import PassWindow
from service.rules.kernel import sealed
from service.rules.kernel.messages import Actor, Awaited, Offer, Refused
from service.rules.kernel.records import Sealed
from service.rules.secrecy.screen import RollBehindScreen
from service.steps import Stream
from service.stores import webhooks
from service.usecases import sending
from tests.api.apart import CERTIFICATE, WEBHOOK
from tests.api.everything import MISTAKES
from tests.api.twins import differences
from workers.audits import Auditor

Patch = pytest.MonkeyPatch
Look = Callable[[], int]
"""Reads the orc's true hit points: 1000 in one twin, 1300 in the other."""

TOUGH: Final = 1200
SEED: Final = 4
"""Of a script in which soon somebody has a choice."""


@pytest.fixture
def look(monkeypatch: Patch) -> Look:
    """Give what no part of the service should be able to do: look into the true state from anywhere."""
    known: list[Any] = []
    keep = Folder.keep

    def kept(folder: Folder, folded: Any) -> None:
        known[:] = [folded.state]
        keep(folder, folded)

    monkeypatch.setattr(Folder, "keep", kept)

    def hit_points() -> int:
        found: int = known[0].creatures["orc"].hp if known and hasattr(known[0], "creatures") else 0
        return found

    return hit_points


def a_view_that_opens_sheets(patch: Patch, _: Look) -> None:
    closed = sealed._view  # noqa: SLF001 - a plant goes where no caller may

    def view(value: Any, readers: frozenset[str]) -> Any:
        if isinstance(value, Sealed) and value.opens.startswith("sheet/"):
            return value.value
        return closed(value, readers)

    patch.setattr(sealed, "_view", view)


def _answered(patch: Patch, ending: str, change: Callable[[ApiResponse], ApiResponse]) -> None:
    """Have every answer at an address that ends with *ending* changed."""
    respond = serving.respond

    def responded(answer: ApiResponse, if_none_match: str = "") -> Reply:
        return respond(change(answer) if request.path.endswith(ending) else answer, if_none_match)

    patch.setattr(serving, "respond", responded)


def an_etag_that_hashes_it(patch: Patch, look: Look) -> None:
    def tagged(answer: ApiResponse) -> ApiResponse:
        return replace(answer, version=sha256(str(look()).encode()).hexdigest())

    _answered(patch, "/rounds", tagged)


def a_header_that_counts_it(patch: Patch, look: Look) -> None:
    def counted(answer: ApiResponse) -> ApiResponse:
        return replace(answer, headers={**answer.headers, "Vary": str(look() // 100)})

    _answered(patch, "/seats", counted)


def a_size_that_follows_it(patch: Patch, look: Look) -> None:
    def padded(answer: ApiResponse) -> ApiResponse:
        return replace(answer, raw=json.dumps(answer.data).encode() + b" " * (look() // 100))

    _answered(patch, "/options", padded)


def a_commit_more(patch: Patch, look: Look) -> None:
    send = sending.send
    done: list[bool] = []

    def sent(
        services: Any, encounter: str, actor: Actor, kind: Any, data: Any, once: Any, **more: Any
    ) -> Any:
        if look() > TOUGH and not done:
            done.append(True)
            again = replace(once, key=f"{once.key}-again")
            gm = Actor(seat="gm", role="gm")
            yield from send(
                services, encounter, gm, RollBehindScreen, {"dice": [4], "what": "nothing"}, again
            )
        return (yield from send(services, encounter, actor, kind, data, once, **more))

    patch.setattr(sending, "send", sent)


def another_refusal(patch: Patch, look: Look) -> None:
    check = Dash.check

    def checked(command: Dash, view: Any) -> None:
        if command.to == tuple(MISTAKES[-1]["to"]) and look() > TOUGH:
            raise Refused("too_afraid", "of what the orc can take")
        check(command, view)

    patch.setattr(Dash, "check", checked)


def options_by_it(patch: Patch, look: Look) -> None:
    offers = PassWindow.offers

    def offered(_: type[PassWindow], view: Any, awaited: Awaited) -> Iterator[Offer]:
        if look() < TOUGH:
            yield from offers(view, awaited)

    patch.setattr(PassWindow, "offers", classmethod(offered))


def a_line_of_the_stream(patch: Patch, look: Look) -> None:
    frames = event_stream._frames  # noqa: SLF001 - as above

    def told(*of: Any) -> Stream[bytes]:
        yield b": %d\n" % look()
        yield from frames(*of)

    patch.setattr(event_stream, "_frames", told)


def a_body_of_a_webhook(patch: Patch, look: Look) -> None:
    found = webhooks.message_of
    patch.setattr(webhooks, "message_of", lambda *of: {**found(*of), "hp": look()})


def a_reason(patch: Patch, look: Look) -> None:
    reasons = explain.event_reasons

    def given(*of: Any) -> Any:
        return reasons(*of) | {"rules": []} if look() > TOUGH else reasons(*of)

    patch.setattr(explain, "event_reasons", given)


def a_member_of_a_certificate(patch: Patch, look: Look) -> None:
    certificate = Auditor._certificate  # noqa: SLF001 - as above
    patch.setattr(Auditor, "_certificate", lambda *of: {**certificate(*of), "hp": look()})


@pytest.mark.parametrize(
    ("plant", "reader", "where"),
    [
        (a_view_that_opens_sheets, "zoe", "GET /state"),
        (an_etag_that_hashes_it, "zoe", "GET /rounds"),
        (a_header_that_counts_it, "zoe", "GET /seats"),
        (a_size_that_follows_it, "zoe", "GET /options?text=en"),
        (a_commit_more, "zoe", "GET /commits"),
        (another_refusal, "zoe", "POST /previews"),
        (options_by_it, "zoe", "GET /options?text=en"),
        (a_line_of_the_stream, "zoe", "GET /stream"),
        (a_body_of_a_webhook, WEBHOOK, "commit 1"),
        (a_reason, "zoe", "GET /commits/1/explanation?consulted=true"),
        (a_member_of_a_certificate, CERTIFICATE, "a certificate"),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_a_leak_that_is_planted_is_named(
    monkeypatch: Patch, look: Look, plant: Callable[[Patch, Look], None], reader: str, where: str
) -> None:
    plant(monkeypatch, look)

    found = {(each.reader, each.where) for each in differences("heartrush@1", SEED, steps=3, readers=1)}

    assert (reader, where) in found


def test_without_a_leak_nothing_is_named() -> None:
    """As short as the scripts above are, something is hidden in them, or the harness would say so."""
    assert differences("heartrush@1", SEED, steps=3, readers=1) == []
