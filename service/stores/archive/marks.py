"""Replace the incompressible parts of a line of text by marks, and restore them.

Marks are control characters, which canonical JSON never contains. Random digits (hashes, nonces, ids) become
raw bytes in a second string, `data`, at their first occurrence only. A time becomes the milliseconds since
the previous time, in `data` too. The caller names derived values, each with its mark.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Final
from uuid import UUID

FREE: Final = tuple(bytes([code]) for code in (6, 7, 8, 11, 12, 14, 15, 16))
"""Marks for values that the caller names."""

_HEX_16: Final = b"\x01"
_HEX_32: Final = b"\x02"
_UUID: Final = b"\x03"
_AGAIN: Final = b"\x04"
"""In pairs, around the number of an earlier value."""
_TIME: Final = b"\x05"
_KINDS: Final = {32: _HEX_16, 64: _HEX_32, 36: _UUID}
_SIZES: Final = {_HEX_16: 16, _HEX_32: 32, _UUID: 16}

_RANDOM: Final = re.compile(
    rb"(?<![0-9a-f-])(?:[0-9a-f]{64}|[0-9a-f]{32}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})(?![0-9a-f-])"
)
_AT: Final = re.compile(rb'"at":"([0-9]{4}(?:-[0-9]{2}){2}T[0-9]{2}(?::[0-9]{2}){2}\.[0-9]{3}Z)"')
_MARKS: Final = re.compile(rb"\x04([0-9]+)\x04|[\x01-\x08\x0b\x0c\x0e-\x10]")
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MS: Final = timedelta(milliseconds=1)
_MORE: Final = 0x80


class Shortener:
    """Replaces values by marks in one line after the other; `data` grows."""

    def __init__(self) -> None:
        self.data = bytearray()
        self._numbers: dict[bytes, int] = {}
        self._at = 0

    def short(self, raw: bytes, named: Mapping[bytes, bytes]) -> bytes:
        """Return *raw* with marks; *named* has values and their marks."""
        for value, mark in named.items():
            raw = raw.replace(value, mark)
        return _RANDOM.sub(self._random, _AT.sub(self._time, raw))

    def _random(self, found: re.Match[bytes]) -> bytes:
        digits = found[0]
        if digits in self._numbers:
            return b"%b%d%b" % (_AGAIN, self._numbers[digits], _AGAIN)
        self._numbers[digits] = len(self._numbers)
        self.data += bytes.fromhex(digits.replace(b"-", b"").decode())
        return _KINDS[len(digits)]

    def _time(self, found: re.Match[bytes]) -> bytes:
        try:
            at = (datetime.fromisoformat(found[1].decode()) - _EPOCH) // _MS
        except ValueError:  # for example the thirtieth of February
            return found[0]
        since, self._at = at - self._at, at
        number = since << 1 if since >= 0 else ~since << 1 | 1
        while number >= _MORE:
            self.data.append(number % _MORE | _MORE)
            number //= _MORE
        self.data.append(number)
        return _TIME


class Lengthener:
    """Restores values in the order in which a `Shortener` removed them; raises `ValueError`."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._place = 0
        self._values: list[bytes] = []
        self._at = 0

    def long(self, line: bytes, named: Mapping[bytes, Callable[[], bytes]]) -> bytes:
        """Return the original of *line*; *named* gives the next value of each mark that the caller named."""

        def value(found: re.Match[bytes]) -> bytes:
            if found[1] is not None:
                return self._values[int(found[1])]
            if found[0] == _TIME:
                return self._time()
            return named[found[0]]() if found[0] in FREE else self._random(found[0])

        return _MARKS.sub(value, line)

    def take(self, size: int) -> bytes:
        """Return the next *size* bytes of the data; raise `ValueError` if there are fewer."""
        taken = self._data[self._place : self._place + size]
        if len(taken) != size:
            raise ValueError("the data is cut short")
        self._place += size
        return taken

    def _random(self, mark: bytes) -> bytes:
        digits = self.take(_SIZES[mark]).hex()
        self._values.append((str(UUID(digits)) if mark == _UUID else digits).encode())
        return self._values[-1]

    def _time(self) -> bytes:
        number = shift = 0
        more = True
        while more:
            (byte,) = self.take(1)
            number |= byte % _MORE << shift
            shift, more = shift + 7, byte >= _MORE
        self._at += ~(number >> 1) if number & 1 else number >> 1
        try:
            at = _EPOCH + self._at * _MS
        except OverflowError as fault:
            raise ValueError("a time after the year 9999") from fault
        return f'"at":"{at:%Y-%m-%dT%H:%M:%S}.{at.microsecond // 1000:03}Z"'.encode()
