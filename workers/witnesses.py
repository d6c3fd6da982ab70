"""Submit the public log's checkpoints to the witnesses of the settings, and publish their cosignatures.

Laws. No witness is needed for play: one that is down, slow or wrong is named in the log and in the metrics,
and the others are asked. A cosignature is published only if it verifies under the key that the policy names.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from threading import Event
from typing import Final
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import structlog

from service.audit import checkpoint, cosignature, notes
from service.audit.notes import BadNote, base64
from service.audit.tiles import TiledTree
from service.audit.witness_policy import Party, Policy
from service.log.protocol import Log
from service.stores.public_log import COSIGNED, DOWN, FORKED, REFUSED, PublicLog, WitnessState
from workers.periodic import PeriodicThread

EVERY_S: Final = 1.0
ANSWER_S: Final = 10.0
PAUSE_S: Final = 30.0
"""How long a witness that failed is left alone."""
LEASE: Final = "witnesses"
_LIFE_MS: Final = 60_000
_MOST_BYTES: Final = 65_536
_OK: Final = 200
_CONFLICT: Final = 409
_NOT_CONSISTENT: Final = 422

_logger: Final = structlog.get_logger()

Post = Callable[[str, bytes], tuple[int, str]]
"""Post a body to an address; return status and text, or raise `OSError`."""


def post(url: str, body: bytes) -> tuple[int, str]:
    """Post *body* to *url*; return the status and the text of the answer; raises `OSError`."""
    request = Request(url, body, {"Content-Type": "text/plain; charset=utf-8"})  # noqa: S310 - of the settings
    try:
        with urlopen(request, timeout=ANSWER_S) as answer:  # noqa: S310 - as above
            return answer.status, answer.read(_MOST_BYTES).decode("utf-8", "replace")
    except HTTPError as refusal:
        with refusal:
            return refusal.code, refusal.read(_MOST_BYTES).decode("utf-8", "replace")
    except OSError:
        raise
    except Exception as fault:  # HTTPException, UnicodeError of a name, and what nobody has foreseen
        raise OSError(type(fault).__name__) from fault


def submission(old: int, tree: TiledTree, note: str) -> bytes:
    """Return the body of `add-checkpoint`: the size that the witness knows, a proof, the checkpoint."""
    proof = "".join(f"{base64(each)}\n" for each in tree.consistency(old))
    return f"old {old}\n{proof}\n{note}".encode()


class WitnessSubmitter:
    """Submits to the witnesses of *policy* that have an address."""

    def __init__(
        self, log: PublicLog, policy: Policy, post: Post = post, clock: Callable[[], float] = time.time
    ) -> None:
        self._log = log
        self._witnesses = {name: party for name, party in policy.witnesses.items() if party.url}
        self._post = post
        self._clock = clock
        self._left_until: dict[str, float] = {}

    def submit(self) -> list[tuple[str, WitnessState]]:
        """Submit the latest checkpoint to each witness that has not cosigned it; return what became known."""
        latest = self._log.latest()
        if latest is None:
            return []
        found = []
        for name, party in self._witnesses.items():
            if (
                cosignature.cosigned_at(notes.parse(self._note(latest[0])), party.name, party.public)
                is not None
            ):
                continue
            if self._left_until.get(name, 0.0) > self._clock():
                continue
            state = self._submitted(party, latest[0], self._log.witness(name))
            if state.outcome != COSIGNED:
                self._left_until[name] = self._clock() + PAUSE_S
            self._log.put_witness(name, state)
            found.append((name, state))
        return found

    def forget_others(self) -> None:
        """Forget what is known of witnesses that the policy does not name any more."""
        self._log.keep_witnesses(self._witnesses)

    def _submitted(self, party: Party, size: int, known: WitnessState) -> WitnessState:
        tree, old, now = TiledTree(size, self._log.tile), min(known.size, size), int(self._clock())
        for _ in range(2):
            try:
                status, text = self._post(
                    f"{party.url.rstrip('/')}/add-checkpoint", submission(old, tree, self._note(size))
                )
            except OSError:
                return WitnessState(known.size, DOWN, now)
            if status == _OK:
                is_there = self._publish(size, text, party)
                return WitnessState(size if is_there else known.size, COSIGNED if is_there else REFUSED, now)
            said = text.strip()
            if status == _NOT_CONSISTENT:
                return WitnessState(known.size, FORKED, now)
            if status != _CONFLICT or not (said.isascii() and said.isdecimal()):
                return WitnessState(known.size, REFUSED, now)
            if int(said) > size or int(said) == old:
                return WitnessState(known.size, FORKED, now)
            old = int(said)
        return WitnessState(known.size, FORKED, now)

    def _publish(self, size: int, lines: str, party: Party) -> bool:
        """Add the cosignature in *lines* to the note of *size*; return whether *party* has made one."""
        before = self._note(size)
        try:
            note = cosignature.merged(before, lines)
        except BadNote:
            return False
        signed = notes.parse(note)
        mine = [line for line in signed.signatures if line.name == party.name]
        if cosignature.cosigned_at(signed, party.name, party.public) is None:
            return False
        kept = before + "".join(
            notes.signature_line(line.name, line.key_id + line.value)
            for line in mine
            if line not in notes.parse(before).signatures
        )
        checkpoint.parse(kept)
        self._log.put_checkpoint(size, kept)
        return True

    def _note(self, size: int) -> str:
        note = self._log.checkpoint(size)
        assert note is not None, "the latest checkpoint is there"
        return note


class WitnessThread(PeriodicThread):
    """One worker's thread that submits checkpoints, while it has the lease."""

    name = "witnesses"
    every_s = EVERY_S

    def __init__(self, log: Log, policy: Policy, worker: str, stopping: Event) -> None:
        super().__init__(stopping)
        self._log = log
        self._worker = worker
        self._submitter = WitnessSubmitter(PublicLog(log), policy)

    def look(self) -> None:
        """Submit the latest checkpoint to each witness that has not cosigned it."""
        if not all(self._log.hold_leases([LEASE], self._worker, _LIFE_MS)):
            return
        self._submitter.forget_others()
        for name, state in self._submitter.submit():
            note = _logger.info if state.outcome == COSIGNED else _logger.error
            note(f"witness.{state.outcome}", witness=name, size=state.size)
