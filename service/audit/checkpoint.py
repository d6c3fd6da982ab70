"""Sign checkpoints of an encounter's Merkle tree, and read checkpoints that others signed.

A checkpoint is a signed note of C2SP (tlog-checkpoint) whose text has three lines: origin, size, root. Its
origin, `<origin>/<encounter>`, is also the name of its key, so a note of one encounter never verifies for
another.
"""

import re
from dataclasses import dataclass
from typing import Final

from service.audit import notes
from service.audit.notes import BadNote, base64, check_name, unbase64

_ROOT_BYTES: Final = 32
_LINES: Final = 3
_SIZE: Final = re.compile(r"0|[1-9][0-9]{0,14}")


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """The signed statement: an encounter has *size* commits, and *root* is the Merkle root over their hashes.

    Raises `BadNote` if the origin cannot name a key, the size is negative or above 15 digits, or the root
    does not have 32 bytes.
    """

    origin: str
    size: int
    root: bytes

    def __post_init__(self) -> None:
        check_name(self.origin)
        if _SIZE.fullmatch(str(self.size)) is None or len(self.root) != _ROOT_BYTES:
            raise BadNote(f"no tree has size {self.size} and a root of {len(self.root)} bytes")

    @property
    def text(self) -> str:
        """The signed text, its last newline included."""
        return f"{self.origin}\n{self.size}\n{base64(self.root)}\n"


def sign(checkpoint: Checkpoint, secret: bytes) -> str:
    """Return *checkpoint* as a note with one signature, by the raw *secret* key."""
    return notes.sign(checkpoint.text, checkpoint.origin, secret)


def verify(note: str, key: str) -> Checkpoint:
    """Return the checkpoint of *note* if the verifier key *key* signed it; raises `BadNote`."""
    name, _ = notes.read_verifier_key(key)
    read = parse(note)
    if read.origin != name:
        raise BadNote(f"the note is of {read.origin}, the key is of {name}")
    notes.verify(note, key)
    return read


def size_of(note: str) -> int:
    """Return the number of commits that *note* covers; raises `BadNote`."""
    return parse(note).size


def parse(note: str) -> Checkpoint:
    """Return the checkpoint in *note* without verifying signatures; raises `BadNote`."""
    lines = notes.parse(note).text[:-1].split("\n")
    if len(lines) != _LINES:
        raise BadNote("a checkpoint has three lines, an empty one and signatures")
    origin, size, root = lines
    if _SIZE.fullmatch(size) is None:
        raise BadNote(f"{size!r} is not a size")
    return Checkpoint(origin, int(size), unbase64(root))
