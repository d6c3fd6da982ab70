"""Check what seats signed: every command of a seat with a key must be signed by it, once, on this history.

The record says which seat had which key at each commit. What a line of play repeats where it begins is signed
in the line that it continues (`lines.py` compares them). A withheld request cannot be checked.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType

from service.audit.beginnings import repeated
from service.audit.history import Loss
from service.audit.seat_keys import keys_after
from service.audit.verdict import FALSE_REFUSAL, FORGED_COMMAND, FORKED, Fault, Verdict
from service.core.decide import UNSIGNED
from service.record.commit import Commit, Request
from service.record.statements import is_signed_by
from service.rules.kernel.messages import Actor
from service.rules.table.seats import SetSeatKey
from service.rules.table.table import CLOCK, GM


def check_statements(
    commits: Sequence[Commit],
    requests: Sequence[Request | None],
    losses: Iterable[Loss],
    pinned: Mapping[str, str] = MappingProxyType({}),
) -> int:
    """Return how many commands their seats signed; raises `Fault`.

    The faults are a forged command, a forked history, and a command that was falsely refused as not signed.

    *pinned* are keys that the reader knows from elsewhere, by seat: they hold from the first commit on,
    whatever the record says, and a command that sets the pinned key itself needs no signature.
    """
    keys: Mapping[str, str] = {}
    exempt = repeated(commits)
    taken: set[tuple[str, str, int]] = set()
    lost = tuple(losses)
    for commit, request in zip(commits, requests, strict=False):
        if request is not None:
            _check_role(commit.n, request.actor)
        if request is not None and commit.n not in exempt:
            key = None if _opens(commit, request) else _key_for(request, keys, pinned)
            if _was_refused_for_it(commit):
                _check_refusal(commit.n, request, keys, pinned)
            elif key is not None:
                _check_signature(commit.n, request, key)
                _check_head(commits, commit.n, request, lost)
                _check_once(commit.n, request, taken)
        keys = keys_after(commit, keys)
    return len(taken)


def _check_role(n: int, actor: Actor) -> None:
    """Raise `Fault` if another seat speaks as the gm or as the service, which have no second seat."""
    if any((actor.seat == name) != (actor.role == name) for name in (GM, CLOCK)):
        raise _forged(n, f"the seat {actor.seat} has the role {actor.role}")


def _check_signature(n: int, request: Request, key: str) -> None:
    if not is_signed_by(request, key):
        raise _forged(n, f"the command is not signed by the key of {request.actor.seat}")


def _check_refusal(n: int, request: Request, keys: Mapping[str, str], pinned: Mapping[str, str]) -> None:
    """Raise `Fault` if a command was refused as not signed although its seat signed it, or need not sign."""
    seat = request.actor.seat
    if seat not in keys:
        raise Fault(Verdict(FALSE_REFUSAL, n, f"{seat} had no key, so it need not sign"))
    if any(is_signed_by(request, known[seat]) for known in (keys, pinned) if seat in known):
        raise Fault(Verdict(FALSE_REFUSAL, n, f"the command is signed by the key of {seat}"))


def _check_head(commits: Sequence[Commit], n: int, request: Request, losses: Sequence[Loss]) -> None:
    """Raise `Fault` if the newest commit that the seat had seen is not in this record, and was not lost."""
    signed = request.signed
    assert signed is not None, "it is signed"
    is_here = 1 <= signed.n < n and commits[signed.n - 1].hash == signed.hash
    if not is_here and not any(loss.covers(signed.n) for loss in losses):
        detail = f"{request.actor.seat} signed that commit {signed.n} is {signed.hash[:16]}…: another history"
        raise Fault(Verdict(FORKED, n, detail))


def _check_once(n: int, request: Request, taken: set[tuple[str, str, int]]) -> None:
    """Raise `Fault` if the same statement was taken before; otherwise remember it."""
    assert request.signed is not None
    name = (request.actor.seat, request.signed.key, request.signed.index)
    if name in taken:
        raise _forged(n, f"{request.actor.seat} signed this command once, and it is on the record twice")
    taken.add(name)


def _key_for(request: Request, keys: Mapping[str, str], pinned: Mapping[str, str]) -> str | None:
    """Return the key that must have signed *request*; None if it needs no signature.

    A seat that gives itself its pinned key may not be able to sign with it yet.
    """
    seat = request.actor.seat
    if seat not in pinned:
        return keys.get(seat)
    own = {"seat": seat, "key": pinned[seat]}
    is_first = request.signed is None and (request.type, request.data) == (SetSeatKey.type, own)
    return None if is_first else pinned[seat]


def _opens(commit: Commit, request: Request) -> bool:
    """Return whether this is the gm's first command, before which there is no commit that it could name."""
    return commit.n == 1 and request.actor.seat == GM


def _was_refused_for_it(commit: Commit) -> bool:
    return commit.refusal is not None and commit.refusal["code"] == UNSIGNED


def _forged(n: int, detail: str) -> Fault:
    return Fault(Verdict(FORGED_COMMAND, n, detail))
