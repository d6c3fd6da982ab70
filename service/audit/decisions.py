"""List what people decided outside the rules: the gm's rulings and changes, the host's vetoes and losses.

An event declares what kind of decision it records (`Event.decides`); `KINDS` are the declared types, for
verifiers without the rules. Only public events are read, so that a list reveals nothing that is sealed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final

from service.audit.history import claims_a_loss
from service.record.commit import Commit, Request
from service.record.quarantine import KILLED
from service.rules.kernel.records import EMPTY

Data = dict[str, Any]

VETO: Final = "veto"
LOSS: Final = "loss"
EPOCH: Final = "epoch"

KINDS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "amendment_dropped": "amendment",
        "amendment_proposed": "amendment",
        "contest_closed": "contest",
        "contest_opened": "contest",
        "continued": "line",
        "epoch_advanced": EPOCH,
        "forked": "line",
        "gm_ruling_recorded": "ruling",
        "line_accepted": "line",
        "line_begun": "line",
        "ruling_made": "ruling",
        "seat_choice_forfeited": "forfeit",
        "seat_choice_voided": "forfeit",
        "seat_key_removed": "key",
        "seat_key_set": "key",
        "seed_waived": "waiver",
        "stream_redirected": EPOCH,
    }
)
"""The kind of each declared type of event."""

ORDER: Final = (*(VETO, LOSS, EPOCH, "line", "ruling", "amendment", "contest", "key", "waiver", "forfeit"),)
"""Every kind, in the order in which a report lists them."""

WHOLE: Final = frozenset(("state", "orders", "seats", "contests"))
"""Members that hold a whole state. A list omits them because the record has them."""


def decisions_of(
    commits: Sequence[Commit],
    requests: Sequence[Request | None],
    declared: Mapping[str, str] = EMPTY,
) -> tuple[Data, ...]:
    """Return the decisions in *commits*: `n`, `kind`, the `seat` that sent the command, and what it says.

    That is the `event`, or of a veto the `quarantine`. The seat is None if the request is withheld.
    *declared* are kinds of further types of events, as a ruleset declares them.
    """
    kinds = {**declared, **KINDS}
    found: list[Data] = []
    for commit, request in zip(commits, requests, strict=True):
        seat = None if request is None else request.actor.seat
        if commit.quarantine is not None:
            found.append({"n": commit.n, "kind": VETO, "seat": seat, "quarantine": commit.quarantine})
        for kind, event in _decided(commit, kinds):
            shown = {name: value for name, value in event.items() if name not in WHOLE}
            found.append({"n": commit.n, "kind": kind, "seat": seat, "event": shown})
    return tuple(found)


def _decided(commit: Commit, kinds: Mapping[str, str]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for event in commit.events:
        kind = None if "sealed" in event else kinds.get(event["type"])
        if kind is not None:
            yield LOSS if claims_a_loss(event) else kind, event


def summary(decisions: Sequence[Data]) -> list[tuple[str, str]]:
    """Return each kind of decision that was made, in order, and a line about them."""
    by_kind: dict[str, list[Data]] = {}
    for each in decisions:
        by_kind.setdefault(each["kind"], []).append(each)
    kinds = sorted(by_kind, key=lambda kind: ORDER.index(kind) if kind in ORDER else len(ORDER))
    return [(kind, _line(kind, by_kind[kind])) for kind in kinds]


_FEW: Final = 8


def _line(kind: str, each: Sequence[Data]) -> str:
    numbers = sorted({one["n"] for one in each})
    shown = ", ".join(map(str, numbers[:_FEW]))
    more = f" and {len(numbers) - _FEW} more" if len(numbers) > _FEW else ""
    seats = sorted({one["seat"] for one in each if one["seat"] is not None})
    by = f", by {', '.join(seats)}" if seats and kind != VETO else ""
    what = f"{len(each)}{by}: commit{'s' if len(numbers) > 1 else ''} {shown}{more}"
    if kind != VETO:
        return what
    causes = [one["quarantine"]["cause"] for one in each]
    told = ", ".join(f"{causes.count(cause)} {cause}" for cause in dict.fromkeys(causes))
    unproved = "; nobody but the host knows whether workers died" if KILLED in causes else ""
    return f"{what}; set aside by the host without a decision ({told}){unproved}"
