"""A public log in memory, with a writer, a signing memory and witnesses in the same process."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from service.audit.log_writer import LogWriter, log_name
from service.audit.notes import COSIGNER, verifier_key
from service.audit.signing_memory import SigningMemory
from service.audit.witness_policy import Policy, read_policy
from service.log.memory import MemoryLog
from service.record.ed25519 import public_key
from service.record.log_entries import HEAD, OPENING, LogEntry
from service.stores.public_log import PublicLog
from service.witness.cosigner import Witness
from service.witness.store import WitnessStore
from tests.support.tiny_table import SIGNER
from workers.witnesses import WitnessSubmitter

LOG_KEY = verifier_key(log_name(SIGNER.origin), SIGNER.public)
START = 1_767_323_045
"""The witnesses' clocks at their start: 2026-01-02T03:04:05Z."""


def encounter(at: int) -> str:
    """Return the id number *at*."""
    return f"00000000-0000-4000-8000-{at:012x}"


def opening(at: int, owner: str = "aa") -> LogEntry:
    """Return the opening of the encounter number *at*."""
    return LogEntry(OPENING, encounter(at), 1, f"{at:064x}", owner * 16)


def head(at: int, size: int) -> LogEntry:
    """Return a head of the encounter number *at*."""
    return LogEntry(HEAD, encounter(at), size, f"{at * 1000 + size:064x}")


def secret_of(name: str) -> bytes:
    """Return the secret key of a witness."""
    return name.encode().ljust(32, b".")


def policy_text(names: Sequence[str], quorum: str, *, log_key: str = LOG_KEY) -> str:
    """Return a policy that names the log and these witnesses."""
    lines = [f"log {log_key}"]
    for name in names:
        key = verifier_key(f"{name}.example", public_key(secret_of(name)), COSIGNER)
        lines.append(f"witness {name} {key} https://{name}.example")
    lines += [f"group enough {quorum} {' '.join(names)}", "quorum enough"] if names else ["quorum none"]
    return "\n".join(lines) + "\n"


@dataclass
class Witnesses:
    """Witnesses that are reached without a network; those in *down* do not answer."""

    home: Path
    names: Sequence[str]
    down: set[str] = field(default_factory=set)
    now: float = START

    def __post_init__(self) -> None:
        watched = read_policy(f"log {LOG_KEY}\nquorum none\n".encode())
        self.all = {
            name: Witness(
                f"{name}.example",
                secret_of(name),
                watched,
                WitnessStore(self.home / f"{name}.db"),
                lambda: self.now,
            )
            for name in self.names
        }

    def post(self, url: str, body: bytes) -> tuple[int, str]:
        """Answer as the witness at *url* does."""
        name = url.removeprefix("https://").removesuffix(".example/add-checkpoint")
        if name in self.down:
            raise ConnectionRefusedError
        answer = self.all[name].add_checkpoint(body)
        return answer.status, answer.text

    def policy(self, quorum: str = "all") -> Policy:
        """Return the policy that asks for so many of them."""
        return read_policy(policy_text(self.names, quorum).encode())

    def submitter(self, log: PublicLog) -> WitnessSubmitter:
        """Return what submits the checkpoints of *log* to them."""
        return WitnessSubmitter(log, self.policy(), self.post, lambda: self.now)


def a_log(home: Path, *entries: LogEntry) -> tuple[MemoryLog, LogWriter]:
    """Return a store and the writer of its log, with *entries* in it."""
    store = MemoryLog()
    writer = LogWriter(PublicLog(store), SigningMemory(home / "signing-memory.db"), lambda: SIGNER)
    writer.log.propose(entries)
    writer.write()
    return store, writer
