"""Keep keys and secrets in files that only their owner may read."""

import contextlib
import os
import re
import secrets
import tempfile
from pathlib import Path
from typing import Final

_KEY: Final = r"[0-9a-f]{64}"
_KEY_BYTES: Final = 32


class SettingsError(Exception):
    """Name every fault of the environment, one for each line."""

    def __init__(self, faults: list[str]) -> None:
        super().__init__("\n".join(faults))
        self.faults = faults


def read_or_create_key(path: Path) -> bytes:
    """Return the 32 bytes in the file *path*; the first call makes the file, with mode 0600.

    Processes that start at the same time get the same key. Raises `SettingsError` for a file that contains no
    key, that others may read, or that cannot be made.
    """
    try:
        if not path.exists():
            _make_key(path)
        if path.stat().st_mode & 0o077:
            raise SettingsError([f"{path}: others may read this key: chmod 600 it"])
        text = path.read_text("ascii").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(
            [f"{path}: the key cannot be stored there: {error}; or set REWOUND_SECRET_KEY"]
        ) from error
    if not re.fullmatch(_KEY, text):
        raise SettingsError([f"{path}: this is not a key of 64 hexadecimal digits"])
    return bytes.fromhex(text)


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
    directory = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(directory)
    finally:
        os.close(directory)


def private_text(path: Path) -> str:
    """Return the text of a file; raises `SettingsError` if it cannot be read, or others may read it."""
    try:
        if path.stat().st_mode & 0o077:
            raise SettingsError([f"{path}: others may read this: chmod 600 it"])
        return path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError([f"{path}: it cannot be read: {error}"]) from error
