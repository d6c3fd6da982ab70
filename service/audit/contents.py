"""Read what a commit holds for its reader: public events and rolls, and those of opened envelopes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from service.record.commit import Commit

Payload = dict[str, Any]
Payloads = Mapping[int, Mapping[int, Payload]]
"""The payloads of opened envelopes, by their commit's number, then by their index in it."""

RollPlace = tuple[int, int, str, int]
"""A roll's name as a key: epoch, lane, stream, place."""


def events_of(commit: Commit, payloads: Payloads) -> Iterator[Mapping[str, Any]]:
    """Yield the events of *commit* in order; those in an opened envelope stand in its place."""
    lying = payloads.get(commit.n, {})
    for index, event in enumerate(commit.events):
        if "sealed" not in event:
            yield event
        elif index in lying:
            yield from lying[index]["events"]


def rolls_of(commit: Commit, payloads: Payloads) -> Iterator[Mapping[str, Any]]:
    """Yield the rolls of *commit*: the public ones, then those in its opened envelopes."""
    yield from commit.rolls
    for payload in payloads.get(commit.n, {}).values():
        yield from payload["rolls"]


def place_of(roll: Mapping[str, Any]) -> RollPlace:
    """Return the name of a roll as a key."""
    name = roll["name"]
    return name["epoch"], name["lane"], name["stream"], name["place"]


def spelled(place: RollPlace) -> str:
    """Return the name of a roll as text: `epoch/lane/stream#place`."""
    epoch, lane, stream, number = place
    return f"{epoch}/{lane}/{stream}#{number}"
