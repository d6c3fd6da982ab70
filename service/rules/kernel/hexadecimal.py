"""Read bytes that others write as hexadecimal digits, in one spelling: hashes, keys, seeds and salts."""

from __future__ import annotations

import re
from typing import Final

from service.rules.kernel.messages import Refused

BYTES: Final = 32
_DIGITS: Final = re.compile("[0-9a-f]*")


def is_hex(text: object, size: int = BYTES) -> bool:
    """Return whether *text* is a text that writes *size* bytes, two lower-case digits for each."""
    return isinstance(text, str) and len(text) == 2 * size and _DIGITS.fullmatch(text) is not None


def expected_hex(what: str) -> str:
    """Return what is expected of *what*, for people."""
    return f"{what} is {BYTES} bytes as 64 lower-case hexadecimal digits"


def check_hex(text: str, what: str, code: str, rule: str | None = None) -> None:
    """Refuse, with *code* and *rule*, a *text* that does not write 32 bytes; *what* names it."""
    if not is_hex(text):
        raise Refused(code, expected_hex(what), rule)
