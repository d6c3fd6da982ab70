"""Check the bytes of a record: well-formed, unchanged and complete. No game rule runs here.

The chain is walked backward from the head, which is trusted first: a commit is tampered if its bytes do not
have the hash that its successor names. If a checkpoint or a receipt contradicts a consistent chain, the
record was rewritten from some commit on, so the verdict names an interval.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any, Final, NamedTuple

from service.audit.beginnings import begun_by, check_beginnings
from service.audit.checkpoint import Checkpoint
from service.audit.completeness import check_completeness
from service.audit.contents import Payload, Payloads
from service.audit.coverage import check_coverage
from service.audit.evidence import Evidence
from service.audit.history import Loss, claimed_losses
from service.audit.moved_dice import check_moved_dice
from service.audit.named_events import check_named_events
from service.audit.progress import BYTES, Progress, part, unheard
from service.audit.quarantines import check_disputed
from service.audit.receipts import SignedReceipt
from service.audit.requests import read_request, was_refused_for_it
from service.audit.signatures import Signed, accepted_receipts, signed_heads
from service.audit.statements import check_statements
from service.audit.verdict import EMPTY, FORKED, MALFORMED, TAMPERED, TRUNCATED, Fault, Verdict
from service.dice.chain import envelope_commitment
from service.dice.errors import DiceError
from service.dice.values import Roll
from service.log.values import ZERO_HASH
from service.record.canonical import (
    NotCanonical,
    eid_of,
    read_strictly,
    request_digest,
)
from service.record.commit import (
    ACCEPTED,
    QUARANTINED,
    REFUSED,
    SEALED,
    VERSION,
    Commit,
    Request,
    commit_of,
)
from service.record.frontier import Frontier
from service.record.quarantine import CAUSES
from service.record.quarantine import MEMBERS as QUARANTINE
from service.rules.kernel.hexadecimal import is_hex

_TYPES: Final = {
    "at": str,
    "edition": str,
    "encounter": str,
    "epoch": int,
    "events": list,
    "n": int,
    "outcome": str,
    "prev": str,
    "request": str,
    "rolls": list,
    "v": int,
}
_ENVELOPE: Final = frozenset({"sealed", "audience", "opens"})
_REFUSAL: Final = frozenset({"code", "detail", "rule"})
_OUTCOMES: Final = (ACCEPTED, REFUSED, SEALED, QUARANTINED)


class Examined(NamedTuple):
    """The content of evidence whose bytes are unchanged and complete."""

    commits: tuple[Commit, ...]
    payloads: Payloads
    signed: Signed
    """The accepted heads."""
    statements: int
    """The number of commands that their seats signed."""
    receipts: tuple[SignedReceipt, ...]
    """The receipts that an accepted key signed about this encounter."""
    unfit: str | None
    """Why another signed receipt is none of these; None if there is no other."""
    requests: Sequence[Request | None]
    """What the commits decide; None if it is withheld, or no request."""


def examine(evidence: Evidence, progress: Progress = unheard) -> Examined:
    """Read *evidence*; check its consistency and compare it with heads and receipts; raises `Fault`."""
    commits = _read(evidence, part(progress, len(evidence.commits), BYTES))
    requests = _read_requests(evidence, commits)
    payloads = _read_opened(evidence, commits)
    _check_chain(evidence, commits)
    check_beginnings(commits, payloads)
    _check_contents(evidence, commits, requests)
    signed, losses = _surviving(evidence, commits, signed_heads(evidence))
    receipts, unfit = accepted_receipts(evidence)
    _check_heads(evidence, commits, (*evidence.checkpoints, *signed.points), receipts)
    if not commits:
        raise Fault(Verdict(EMPTY))
    check_completeness(evidence, commits, losses)
    check_coverage(evidence, commits, signed)
    check_named_events(commits, requests, payloads)
    statements = check_statements(commits, requests, losses, evidence.seat_keys)
    check_moved_dice(commits, requests, payloads)
    check_disputed(commits)
    return Examined(commits, payloads, signed, statements, receipts, unfit, requests)


# --- malformed ---------------------------------------------------------------------------------------


def _read(evidence: Evidence, done: Callable[[int], None]) -> tuple[Commit, ...]:
    try:
        eid_of(evidence.encounter)
    except NotCanonical as fault:
        raise Fault(Verdict(MALFORMED, 0, str(fault))) from fault
    commits = []
    for n, raw in enumerate(evidence.commits, 1):
        done(n)
        if not raw:
            raise Fault(Verdict(TAMPERED, n, "the commit is missing"))
        try:
            commits.append(read_commit(raw))
        except NotCanonical as fault:
            raise Fault(Verdict(MALFORMED, n, f"commit: {fault}")) from fault
    return tuple(commits)


def _read_requests(evidence: Evidence, commits: Sequence[Commit]) -> list[Request | None]:
    """Return the requests; raises `Fault`.

    None stands for a withheld request, and for bytes that were refused because they are not a valid request.
    """
    found: list[Request | None] = []
    for n, raw in enumerate(evidence.requests, 1):
        if raw == b"":
            raise Fault(Verdict(TAMPERED, n, "the request is missing"))
        request = None if raw is None else read_request(raw)
        is_excused = n <= len(commits) and was_refused_for_it(commits[n - 1])
        if raw is not None and request is None and not is_excused:
            raise Fault(Verdict(MALFORMED, n, "the request is not a valid request"))
        found.append(request)
    return found


def _read_opened(evidence: Evidence, commits: Sequence[Commit]) -> Payloads:
    payloads: dict[int, dict[int, Payload]] = {}
    for (n, index), opened in sorted(evidence.opened.items()):
        if not 1 <= n <= len(commits) or not _is_envelope(commits[n - 1], index):
            raise Fault(Verdict(MALFORMED, n, f"there is no envelope {index} to open"))
        try:
            payloads.setdefault(n, {})[index] = read_payload(opened.payload)
        except NotCanonical as fault:
            raise Fault(Verdict(MALFORMED, n, f"the payload of envelope {index}:  {fault}")) from fault
    return payloads


def read_commit(raw: bytes) -> Commit:
    """Return the commit in *raw*, which must be its canonical JSON; raises `NotCanonical`."""
    data = read_strictly(raw)
    if not isinstance(data, dict):
        raise NotCanonical("", "expected an object")
    if data.keys() - {"refusal", "quarantine"} != _TYPES.keys():
        raise NotCanonical("", "its members are not those of a commit")
    for name, kind in _TYPES.items():
        if type(data[name]) is not kind:
            raise NotCanonical(f"/{name}", f"expected a value of type {kind.__name__}")
    _check_values(data)
    return commit_of(data, raw)


def _check_values(data: dict[str, Any]) -> None:
    if data["v"] != VERSION:
        raise NotCanonical("/v", f"version {data['v']} is unknown")
    eid_of(data["encounter"])
    for name in ("prev", "request"):
        if not is_hex(data[name]):
            raise NotCanonical(f"/{name}", "expected 64 hexadecimal digits")
    if data["outcome"] not in _OUTCOMES:
        raise NotCanonical("/outcome", "one of " + ", ".join(_OUTCOMES))
    _check_reasons(data)
    for index, event in enumerate(data["events"]):
        _check_event(event, f"/events/{index}")
    for index, roll in enumerate(data["rolls"]):
        _check_roll(roll, f"/rolls/{index}")


def _check_reasons(data: dict[str, Any]) -> None:
    """Raise `NotCanonical` unless a refused or quarantined commit, and no other, says why it is one."""
    if ("refusal" in data) != (data["outcome"] == REFUSED):
        raise NotCanonical("/refusal", "a refused command has it, and no other")
    if "refusal" in data and (not isinstance(data["refusal"], dict) or data["refusal"].keys() != _REFUSAL):
        raise NotCanonical("/refusal", "expected code, detail and rule")
    if "refusal" in data and not _is_refusal(data["refusal"]):
        raise NotCanonical("/refusal", "code and detail must be text, rule must be text or null")
    if ("quarantine" in data) != (data["outcome"] == QUARANTINED):
        raise NotCanonical("/quarantine", "a quarantined command has it, and no other")
    if "quarantine" in data and not _is_quarantine(data["quarantine"]):
        raise NotCanonical("/quarantine", "expected a cause, the code, and texts or null")
    if data["outcome"] in (REFUSED, QUARANTINED) and (data["events"] or data["rolls"]):
        raise NotCanonical("/outcome", "a refused or quarantined command has no events and no rolls")


def _is_quarantine(quarantine: object) -> bool:
    if not isinstance(quarantine, dict) or quarantine.keys() != QUARANTINE:
        return False
    code, *others = (quarantine[name] for name in ("code", "error", "place", "rule"))
    return (
        quarantine["cause"] in CAUSES
        and is_hex(code)
        and all(isinstance(each, str | None) for each in others)
    )


def _is_refusal(refusal: Mapping[str, object]) -> bool:
    rule = refusal["rule"]
    return all(isinstance(refusal[name], str) for name in ("code", "detail")) and isinstance(rule, str | None)


def _check_event(event: object, pointer: str) -> None:
    if not isinstance(event, dict):
        raise NotCanonical(pointer, "expected an object")
    if "sealed" not in event:
        if not isinstance(event.get("type"), str) or not isinstance(event.get("because"), list):
            raise NotCanonical(pointer, "expected an event with `type` and `because`")
        return
    audience = event.get("audience")
    if event.keys() != _ENVELOPE or not isinstance(audience, list) or not isinstance(event["opens"], str):
        raise NotCanonical(pointer, "expected an envelope with a commitment, an audience and an occasion")
    if not is_hex(event["sealed"]):
        raise NotCanonical(f"{pointer}/sealed", "expected 64 hexadecimal digits")
    if not all(isinstance(reader, str) for reader in audience):
        raise NotCanonical(f"{pointer}/audience", "expected seats")


def _check_roll(roll: object, pointer: str) -> None:
    try:
        Roll.from_data(roll)
    except DiceError as fault:
        raise NotCanonical(pointer, str(fault)) from fault


def read_payload(raw: bytes) -> Payload:
    """Return the envelope's payload in *raw*, which must be its canonical JSON; raises `NotCanonical`."""
    data = read_strictly(raw)
    if not isinstance(data, dict) or not {"events", "rolls"} <= data.keys():
        raise NotCanonical("", "expected events and rolls")
    if not isinstance(data["events"], list) or not isinstance(data["rolls"], list):
        raise NotCanonical("", "events and rolls must be lists")
    fields = data.get("fields", {})
    if not isinstance(fields, dict) or not all(isinstance(each, dict) for each in fields.values()):
        raise NotCanonical("/fields", "expected objects by the places of their events")
    for index, event in enumerate(data["events"]):
        _check_event(event, f"/events/{index}")
        if "sealed" in event:
            raise NotCanonical(f"/events/{index}", "an envelope cannot contain an envelope")
    for index, roll in enumerate(data["rolls"]):
        _check_roll(roll, f"/rolls/{index}")
    return data


def _is_envelope(commit: Commit, index: int) -> bool:
    return 0 <= index < len(commit.events) and "sealed" in commit.events[index]


# --- tampered ----------------------------------------------------------------------------------------


def _check_chain(evidence: Evidence, commits: Sequence[Commit]) -> None:
    if len(commits) > evidence.count:
        detail = f"there are {len(commits)} commits, and the head counts {evidence.count}"
        raise Fault(Verdict(TAMPERED, evidence.count + 1, detail, to=len(commits)))
    if not commits:
        if evidence.count == 0 and evidence.head != ZERO_HASH:
            raise Fault(
                Verdict(TAMPERED, 0, f"there are no commits, and the head names {evidence.head[:16]}…")
            )
        return
    expected = evidence.head if len(commits) == evidence.count else commits[-1].hash
    for n in range(len(commits), 0, -1):
        commit = commits[n - 1]
        if commit.hash != expected:
            who = "the head" if n == evidence.count else f"commit {n + 1}"
            detail = f"its bytes have the hash {commit.hash[:16]}…, {who} names {expected[:16]}…"
            raise Fault(Verdict(TAMPERED, n, detail))
        expected = commit.prev
    if expected != ZERO_HASH:
        raise Fault(Verdict(TAMPERED, 1, "commit 1 names a previous commit"))
    line = commits[0].encounter
    for n, commit in enumerate(commits, 1):
        line = begun_by(commit) or line
        wanted = evidence.encounter if n == len(commits) else line
        if (commit.n, commit.encounter, commit.edition) != (n, line, commits[0].edition) or line != wanted:
            detail = f"it is commit {commit.n} of {commit.encounter} by {commit.edition}"
            raise Fault(Verdict(TAMPERED, n, detail))


def _check_contents(
    evidence: Evidence, commits: Sequence[Commit], requests: Sequence[Request | None]
) -> None:
    """Compare requests and opened envelopes with the hashes in the commits, which are already checked."""
    for n, raw in enumerate(evidence.requests, 1):
        if n > len(commits):
            raise Fault(Verdict(TAMPERED, n, "there is a request without a commit"))
        if raw is not None and request_digest(raw).hex() != commits[n - 1].request:
            raise Fault(Verdict(TAMPERED, n, "the request is not the one that its commit names"))
        read = requests[n - 1]
        if read is not None and read.encounter != commits[n - 1].encounter:
            raise Fault(Verdict(TAMPERED, n, f"the request is for encounter {read.encounter}"))
    if len(evidence.requests) < len(commits):
        raise Fault(Verdict(TAMPERED, len(evidence.requests) + 1, "the request is missing"))
    for (n, index), opened in sorted(evidence.opened.items()):
        eid = eid_of(commits[n - 1].encounter)
        commitment = envelope_commitment(eid, opened.salt, opened.payload).hex()
        if commitment != commits[n - 1].events[index]["sealed"]:
            raise Fault(
                Verdict(TAMPERED, n, f"the payload of envelope {index} does not match its commitment")
            )


# --- truncated, forked -------------------------------------------------------------------------------


def _surviving(
    evidence: Evidence, commits: Sequence[Commit], signed: Signed
) -> tuple[Signed, Sequence[Loss]]:
    """Return *signed* without the heads of lost histories, and the losses that count.

    A record may state that signed commits were lost. The statement has no signature of its own, so it counts
    only if an accepted head covers it: the head's size reaches the statement, and its root is that of this
    record. Otherwise every head is compared with the record. Receipts are always compared.
    """
    points = (*evidence.checkpoints, *signed.points)
    roots = _roots(commits, {point.size for point in points})
    reached = max((p.size for p in points if roots.get(p.size) == p.root.hex()), default=0)
    losses = [loss for loss in claimed_losses(commits) if loss.accepted_in <= reached]
    standing = tuple(
        point
        for point in signed.points
        if roots.get(point.size) == point.root.hex() or not any(loss.covers(point.size) for loss in losses)
    )
    return replace(signed, points=standing, lost=len(signed.points) - len(standing)), losses


def _check_heads(
    evidence: Evidence,
    commits: Sequence[Commit],
    points: Sequence[Checkpoint],
    receipts: Sequence[SignedReceipt],
) -> None:
    """Compare the commits with receipts and signed heads; raises `Fault`: tampered, truncated or forked."""
    roots = _roots(commits, {point.size for point in points})
    heads = [(r.n, r.hash, commits[r.n - 1].hash if r.n <= len(commits) else None) for r in evidence.receipts]
    signed = [[(c.size, c.root.hex(), roots.get(c.size)) for c in points]]
    signed += [[(r.n, r.said, _said(commits, r.n)) for r in receipts]]
    heads += [each for kind in signed for each in kind]
    false = sorted(n for n, said, found in heads if found is not None and said != found)
    true = [n for n, said, found in heads if said == found]
    forked = _is_forked(signed)
    if false and not forked:
        before = max((n for n in true if n < false[0]), default=0)
        detail = f"commit {false[0]} differs from a signed head or a receipt"
        raise Fault(Verdict(TAMPERED, before + 1, detail, to=None if before + 1 == false[0] else false[0]))
    last = max([evidence.count, *(n for n, _, _ in heads)])
    if last > len(commits):
        detail = f"there are {len(commits)} commits, and {last} were written"
        raise Fault(Verdict(TRUNCATED, len(commits) + 1, detail, to=last))
    if forked:
        detail = "two signed heads contradict each other"
        broken = next((r for r in receipts if _said(commits, r.n) not in (None, r.said)), None)
        if broken is not None:
            here = commits[broken.n - 1].hash[:16]
            detail = (
                f"the key {broken.public.hex()[:16]}… signed a receipt that commit {broken.n} is "
                f"{broken.hash[:16]}…, and it signed a record in which it is {here}…"
            )
        raise Fault(Verdict(FORKED, min(false, default=None), detail))


def _said(commits: Sequence[Commit], n: int) -> str | None:
    """Return commit *n* as a receipt names it; None if it is beyond the end."""
    if n > len(commits):
        return None
    commit = commits[n - 1]
    return f"{commit.hash}:{commit.request}:{commit.prev}"


def _is_forked(signed: Sequence[Sequence[tuple[int, str, str | None]]]) -> bool:
    """Return whether what was signed contradicts itself: (number, what was signed, what the record has).

    Either two of one kind have one number and differ, or one that matches is not below one that does not.
    """
    if any(a[0] == b[0] and a[1] != b[1] for kind in signed for a, b in combinations(kind, 2)):
        return True
    each = [one for kind in signed for one in kind]
    false = [n for n, said, found in each if found is not None and said != found]
    true = [n for n, said, found in each if said == found]
    return bool(false) and max(true, default=0) >= min(false)


def _roots(commits: Sequence[Commit], sizes: set[int]) -> dict[int, str]:
    """Return the tree's root at each of *sizes* up to the number of commits."""
    frontier = Frontier()
    found = {0: frontier.root().hex()} if 0 in sizes else {}
    for commit in commits if sizes else ():
        frontier = frontier.append(bytes.fromhex(commit.hash))
        if frontier.size in sizes:
            found[frontier.size] = frontier.root().hex()
    return found
