"""Read the text of a file that a person has, whatever program wrote it."""

from __future__ import annotations

import codecs
from typing import Final, NamedTuple

from service.conversion.faults import Unconvertible

_MARKS: Final = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_PICTURE: Final = "a picture; a map with walls is a .uvtt, .dd2vtt or .df2vtt file"
_PROGRAMS: Final = {
    b"PK\x03\x04": "a workbook or an archive; save the sheet as CSV, or unpack the archive",
    b"\xd0\xcf\x11\xe0": "an old workbook of Excel; save the sheet as CSV",
    b"%PDF": "a PDF; copy the table out of it",
    b"\x89PNG": _PICTURE,
    b"\xff\xd8\xff": _PICTURE,
    b"GIF8": _PICTURE,
    b"RIFF": _PICTURE,
    b"\x1f\x8b": "compressed; unpack it",
    b"{\\rtf": "a document of a word processor; save it as plain text",
}
"""What files of other programs begin with, and what to do with them."""
FALLBACK: Final = "cp1252"
"""What spreadsheets of Western Europe write where a file is not UTF-8; a superset of printable Latin-1."""


class FileText(NamedTuple):
    """The text of a file, and a note where its encoding had to be guessed."""

    text: str
    notes: tuple[str, ...] = ()


def text_of(data: bytes) -> FileText:
    """Return the text of *data*: UTF-8 with or without a byte order mark, UTF-16, or Windows-1252.

    UTF-16 without a mark is recognised by its zero bytes. Raises `Unconvertible` for what is no text.
    """
    if not data.strip():
        raise Unconvertible("the file is empty")
    for mark, what in _PROGRAMS.items():
        if data.startswith(mark):
            raise Unconvertible(f"the file is not text: {what}")
    if data[4:8] == b"ftyp":
        raise Unconvertible(f"the file is not text: {_PICTURE}")
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return FileText(_decoded(data, encoding))
    if b"\x00" in data[:4]:
        return FileText(_decoded(data, "utf-16-be" if data[:1] == b"\x00" else "utf-16-le"))
    if b"\x00" in data:
        raise Unconvertible("the file is not text")
    try:
        return FileText(data.decode("utf-8"))
    except UnicodeDecodeError as fault:
        note = f"not UTF-8 at byte {fault.start}: read as Windows-1252"
        return FileText(_decoded(data, FALLBACK), (note,))


def _decoded(data: bytes, encoding: str) -> str:
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError as fault:
        said = "neither UTF-8 nor Windows-1252" if encoding == FALLBACK else f"not {encoding}"
        raise Unconvertible(f"{said} at byte {fault.start}: save it as UTF-8") from None
    if not text.strip():
        raise Unconvertible("the file is empty")
    return text
