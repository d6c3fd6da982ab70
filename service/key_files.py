"""Keep keys and secrets in files that only their owner may read."""

import contextlib
import os
import re
import secrets
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Self

_KEY: Final = r"[0-9a-f]{64}"
_KEY_BYTES: Final = 32
_TOKENS: Final = "tokens"
_ARCHIVE: Final = "archive"


class SettingsError(Exception):
    """Name every fault of the environment, one for each line."""

    def __init__(self, faults: list[str]) -> None:
        super().__init__("\n".join(faults))
        self.faults = faults


@dataclass(frozen=True)
class Keyring:
    """The secret keys of a service: the first seals what is stored, and each opens what it sealed.

    As text it is one key, or items separated by spaces, commas or line breaks: keys of 64 hexadecimal digits,
    `tokens:…` and `archive:…`.
    """

    keys: tuple[bytes, ...] = field(repr=False)
    tokens: bytes | None = field(default=None, repr=False)
    """The service key, from which tokens and ids follow; None if it follows from the only key."""
    archives: tuple[bytes, ...] = field(default=(), repr=False)
    """Keys that open archived files, and nothing else, of secret keys that are no longer here."""

    @classmethod
    def of(cls, key: bytes) -> Self:
        """Return the ring of one key."""
        return cls((key,))

    @classmethod
    def read(cls, text: str) -> Self:
        """Return the ring that *text* is; raises ValueError."""
        keys: list[bytes] = []
        named: dict[str, list[bytes]] = {_TOKENS: [], _ARCHIVE: []}
        for item in re.split(r"[\s,]+", text.strip()):
            name, separator, digits = item.rpartition(":")
            if not re.fullmatch(_KEY, digits) or (separator and name not in named):
                raise ValueError("a secret key is 64 hexadecimal digits")
            (named[name] if separator else keys).append(bytes.fromhex(digits))
        tokens = named[_TOKENS]
        if not keys or len(set(keys)) < len(keys) or len(tokens) > 1:
            raise ValueError("it has different secret keys, and one key of tokens")
        if not tokens and (len(keys) > 1 or named[_ARCHIVE]):
            raise ValueError("several secret keys need the key of tokens too: rewound keys secret makes them")
        return cls(tuple(keys), tokens[0] if tokens else None, tuple(named[_ARCHIVE]))

    def text(self, between: str = "\n") -> str:
        """Return the items as text, separated by *between*."""
        tokens = [] if self.tokens is None else [f"{_TOKENS}:{self.tokens.hex()}"]
        archives = [f"{_ARCHIVE}:{key.hex()}" for key in self.archives]
        return between.join([*(key.hex() for key in self.keys), *tokens, *archives])


def read_or_create_keyring(path: Path) -> Keyring:
    """Return the keys in the file *path*; the first call makes the file with one key, with mode 0600.

    Raises `SettingsError`, as `read_or_create_key`.
    """
    text = _read_or_create(path)
    try:
        return Keyring.read(text)
    except ValueError as fault:
        raise SettingsError([f"{path}: {fault}"]) from fault


def write_keyring(path: Path, ring: Keyring) -> None:
    """Replace the file *path* at once by one with *ring*, with mode 0600; raises OSError."""
    handle, draft = tempfile.mkstemp(dir=path.parent)  # 0600
    with os.fdopen(handle, "w") as file:
        file.write(ring.text() + "\n")
        file.flush()
        os.fsync(file.fileno())
    Path(draft).replace(path)
    _sync(path.parent)


def new_key() -> bytes:
    """Return a key at random."""
    return secrets.token_bytes(_KEY_BYTES)


def read_or_create_key(path: Path) -> bytes:
    """Return the 32 bytes in the file *path*; the first call makes the file, with mode 0600.

    Processes that start at the same time get the same key. Raises `SettingsError` for a file that contains no
    key, that others may read, or that cannot be made.
    """
    text = _read_or_create(path)
    if not re.fullmatch(_KEY, text):
        raise SettingsError([f"{path}: this is not a key of 64 hexadecimal digits"])
    return bytes.fromhex(text)


def _read_or_create(path: Path) -> str:
    try:
        if not path.exists():
            _make_key(path)
        if path.stat().st_mode & 0o077:
            raise SettingsError([f"{path}: others may read this key: chmod 600 it"])
        return path.read_text("ascii").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(
            [f"{path}: the key cannot be stored there: {error}; or set REWOUND_SECRET_KEY"]
        ) from error


def _make_key(path: Path) -> None:
    """Write a new key unless there is one by now: the whole file appears at once, or not at all."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    handle, draft = tempfile.mkstemp(dir=path.parent)  # 0600
    try:
        with os.fdopen(handle, "w") as file:
            file.write(secrets.token_hex(_KEY_BYTES) + "\n")
            file.flush()
            os.fsync(file.fileno())
        with contextlib.suppress(FileExistsError):  # another process was first: its key is the key
            os.link(draft, path)
    finally:
        Path(draft).unlink()
    _sync(path.parent)


def _sync(directory: Path) -> None:
    handle = os.open(directory, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
