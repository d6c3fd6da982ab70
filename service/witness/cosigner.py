"""Decide about checkpoints that are submitted to a witness (C2SP tlog-witness, `add-checkpoint`).

Laws. A witness cosigns a checkpoint only if it extends the last one that it cosigned of the same log, and it
has written that down before it answers. The comparison and the note of it are one transaction. A signed
checkpoint that contradicts what was cosigned is kept: it is proof against the log's host.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from service.audit import checkpoint, cosignature, notes
from service.audit.checkpoint import Checkpoint
from service.audit.notes import COSIGNER, BadNote, unbase64, verifier_key
from service.audit.tree import is_prefix
from service.audit.witness_policy import Policy
from service.record.ed25519 import public_key
from service.witness.store import WitnessStore

MOST_BYTES: Final = 65_536
PLAIN: Final = "text/plain; charset=utf-8"
SIZE: Final = "text/x.tlog.size"

_OLD: Final = re.compile(r"old (0|[1-9][0-9]{0,14})")
_MOST_HASHES: Final = 63
_HASH_BYTES: Final = 32


@dataclass(frozen=True)
class Answer:
    """An HTTP answer."""

    status: int
    text: str
    media_type: str = PLAIN


@dataclass(frozen=True)
class Witness:
    """A witness: its name, its secret key, the logs that it watches, what it has cosigned."""

    name: str
    secret: bytes = field(repr=False)
    policy: Policy
    """Its `log` lines; the others do not concern a witness."""
    store: WitnessStore
    clock: Callable[[], float] = time.time

    @property
    def verifier_key(self) -> str:
        """The line by which others name this witness in their policies."""
        return verifier_key(self.name, public_key(self.secret), COSIGNER)

    def add_checkpoint(self, body: bytes) -> Answer:
        """Cosign the checkpoint of *body* if it extends what was cosigned, and answer."""
        try:
            old, proof, note = _read(body)
            point = checkpoint.parse(note)
        except BadNote as fault:
            return Answer(400, f"{fault}\n")
        refusal = self._refusal(point, note, old)
        return refusal or self._compared(point, note, old, proof)

    def _refusal(self, point: Checkpoint, note: str, old: int) -> Answer | None:
        """Return why a submission is not compared with what was cosigned; None if it is."""
        known = [log for log in self.policy.logs if log.name == point.origin]
        if not known:
            return Answer(404, f"this witness does not watch {point.origin}\n")
        if not any(_is_by(note, log.name, log.public) for log in known):
            return Answer(403, f"no key of {point.origin} that this witness knows has signed it\n")
        if old > point.size:
            return Answer(400, "the old size is greater than the checkpoint\n")
        return None

    def _compared(self, point: Checkpoint, note: str, old: int, proof: list[bytes]) -> Answer:
        with self.store.changing(point.origin) as at:
            standing = at.standing
            size = standing.size if standing else 0
            if standing is not None and _contradicts(standing, point, old, proof):
                at.keep_contradiction(note, int(self.clock()))
            is_other = standing is not None and old == point.size and standing.root != point.root
            if old != size or is_other:
                return Answer(409, f"{size}\n", SIZE)
            if not _extends(standing, point, proof):
                return Answer(422, "the proof does not show that it extends what was cosigned\n")
            now = int(self.clock())
            at.put(point, note, now)
        return Answer(200, cosignature.cosign(notes.parse(note).text, self.name, self.secret, now))

    def report(self) -> Answer:
        """Answer with what this witness is, and what it has cosigned of each log."""
        lines = [f"witness {self.verifier_key}"]
        for log in dict.fromkeys(log.name for log in self.policy.logs):
            standing, contradictions = self.store.standing(log), self.store.contradictions(log)
            size = (
                "nothing yet" if standing is None else f"{standing.size} entries, root {standing.root.hex()}"
            )
            lines.append(f"log {log}: {size}")
            lines += [f"CONTRADICTION, shown at {at}:\n{note}" for at, note in contradictions]
        return Answer(200, "\n".join(lines) + "\n")


def _read(body: bytes) -> tuple[int, list[bytes], str]:
    """Return old size, proof and note of a submission; raises `BadNote`."""
    try:
        head, gap, note = body.decode().partition("\n\n")
    except UnicodeDecodeError as fault:
        raise BadNote("it is not UTF-8") from fault
    first, *hashes = head.split("\n")
    old = _OLD.fullmatch(first)
    if old is None or not gap:
        raise BadNote("a submission is the old size, a proof, an empty line and a checkpoint")
    proof = [unbase64(line) for line in hashes]
    if len(proof) > _MOST_HASHES or any(len(each) != _HASH_BYTES for each in proof):
        raise BadNote(f"a proof has at most {_MOST_HASHES} hashes of {_HASH_BYTES} bytes")
    return int(old[1]), proof, note


def _is_by(note: str, name: str, public: bytes) -> bool:
    try:
        notes.verify(note, verifier_key(name, public))
    except BadNote:
        return False
    return True


def _extends(standing: Checkpoint | None, point: Checkpoint, proof: list[bytes]) -> bool:
    if standing is None:
        return not proof
    return is_prefix(standing.size, point.size, proof, standing.root, point.root)


def _contradicts(standing: Checkpoint, point: Checkpoint, old: int, proof: list[bytes]) -> bool:
    """Return whether a signed *point* shows another history: one size and another root.

    A proof that does not verify shows nothing by itself; then the size is that of the old tree.
    """
    if point.size == standing.size:
        return point.root != standing.root
    return old == standing.size and not _extends(standing, point, proof)
