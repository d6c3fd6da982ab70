"""Read the 32 bytes that clients write as hexadecimal digits: hashes, seeds and salts."""

from __future__ import annotations

import re
from typing import Final

from service.rules.kernel.messages import Refused

BYTES: Final = 32
_DIGITS: Final = re.compile("[0-9a-f]{64}")


def check_hex(text: str, what: str, code: str) -> None:
    """Refuse, with *code*, a *text* that does not write 32 bytes; *what* names it."""
    if not _DIGITS.fullmatch(text):
        raise Refused(code, f"{what} is {BYTES} bytes as 64 lower-case hexadecimal digits")
