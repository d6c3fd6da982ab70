"""Verify the signatures of checkpoints: who signed, whether the signature is valid and the key trusted.

Laws. A note is tampered if its signature is invalid or its key is unknown. With pinned keys, only these and
their successors by rotation are trusted. A key that rotates to a trusted one is an older key: its checkpoints
are ignored, and are not faults.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from service.audit import checkpoint, notes
from service.audit.checkpoint import Checkpoint
from service.audit.evidence import Evidence
from service.audit.notes import BadNote, verifier_key
from service.audit.receipts import BadReceipt, SignedReceipt, read_receipt
from service.audit.signing import VouchedKey, believed, name_of
from service.audit.verdict import MALFORMED, TAMPERED, Fault, Verdict


@dataclass(frozen=True, slots=True)
class Signed:
    """The result of verifying signatures: accepted heads, the greatest one's key, and what was ignored."""

    points: tuple[Checkpoint, ...] = ()
    key: str | None = None
    """The verifier key of the greatest accepted head."""
    ignored: int = 0
    """The number of heads that an older key signed: they prove nothing to those who pinned the newer one."""
    lost: int = 0
    """The number of heads of a lost history; an accepted head covers the acceptance of the loss."""

    @property
    def size(self) -> int:
        """The number of commits that the greatest accepted head covers."""
        return max((point.size for point in self.points), default=0)


UNSIGNED: Final = Signed()


def signed_heads(evidence: Evidence) -> Signed:
    """Return the signed heads of *evidence* after verifying every signature; raises `Fault`."""
    points: list[Checkpoint] = []
    last: tuple[int, str] | None = None
    ignored = 0
    for note in evidence.notes:
        point, key = _verified(evidence, note)
        if _is_believed(evidence, key):
            points.append(point)
            line = verifier_key(point.origin, key.public)
            last = max(last or (0, line), (point.size, line))
        elif _is_older(evidence, key):
            ignored += 1
        else:
            raise _tampered(point.size, f"it was signed by {key.public.hex()[:16]}…, which is not accepted")
    return Signed(tuple(points), None if last is None else last[1], ignored)


def accepted_keys(evidence: Evidence) -> dict[bytes, str | None]:
    """Return the accepted keys, each with the origin that *evidence* gives it, None if it names no origin.

    Accepted are the pinned keys and their successors by rotation; all keys of *evidence* if none is pinned.
    """
    named = {key.public: key.name for key in evidence.keys if _is_believed(evidence, key)}
    return {**dict.fromkeys(evidence.pinned), **named}


def accepted_receipts(evidence: Evidence) -> tuple[tuple[SignedReceipt, ...], str | None]:
    """Return the receipts that an accepted key signed about this encounter, and why another is not one."""
    accepted, unfit = accepted_keys(evidence), None
    found: list[SignedReceipt] = []
    for raw in evidence.signed_receipts:
        try:
            receipt = read_receipt(raw)
        except BadReceipt as fault:
            unfit = unfit or f"a receipt is false: {fault}"
            continue
        if receipt.encounter != evidence.line_at(receipt.n):
            unfit = unfit or f"a receipt is of the encounter {receipt.encounter}"
        elif receipt.public not in accepted:
            unfit = unfit or f"a receipt was signed by {receipt.public.hex()}, which is not accepted"
        else:
            found.append(receipt)
    return tuple(found), unfit


def _verified(evidence: Evidence, note: str) -> tuple[Checkpoint, VouchedKey]:
    """Return the checkpoint of *note*, and the key that signed it; raises `Fault`."""
    try:
        point = checkpoint.parse(note)
        ids = {(line.name, line.key_id) for line in notes.parse(note).signatures}
    except BadNote as fault:
        raise Fault(Verdict(MALFORMED, len(evidence.commits), f"checkpoint: {fault}")) from fault
    for key in evidence.keys:
        name = name_of(key.name, evidence.line_at(point.size))
        if (name, notes.id_of(name, key.public)) not in ids:
            continue
        try:
            return checkpoint.verify(note, verifier_key(name, key.public)), key
        except BadNote as fault:
            raise _tampered(point.size, str(fault)) from fault
    raise _tampered(point.size, "no key that the record names has signed it")


def _is_believed(evidence: Evidence, key: VouchedKey) -> bool:
    return not evidence.pinned or key.public in _from(evidence, key.name, evidence.pinned)


def _is_older(evidence: Evidence, key: VouchedKey) -> bool:
    """Return whether *key* leads to a pinned key by any number of rotations."""
    return not _from(evidence, key.name, [key.public]).isdisjoint(evidence.pinned)


def _from(evidence: Evidence, name: str, start: Sequence[bytes]) -> set[bytes]:
    rotations = [key.rotation for key in evidence.keys if key.rotation is not None and key.name == name]
    return believed(name, start, rotations)


def _tampered(size: int, why: str) -> Fault:
    return Fault(Verdict(TAMPERED, size, f"the checkpoint of {size} commits: {why}"))
