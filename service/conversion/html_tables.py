"""Read the tables of a web page as rows of cells: people copy lists of creatures out of pages.

The parser of the standard library takes time that grows with the square of a hostile page. Here a tag ends at
the next angle bracket, so a page takes time that grows with its length.
"""

from __future__ import annotations

import html
import re
from collections.abc import Sequence
from typing import Final

from service.conversion.faults import Unconvertible

MOST_CELLS: Final = 200_000
"""Cells of all tables together, those of merged cells counted one by one."""
WIDEST: Final = 200
"""Columns of a table."""
_UNSEEN: Final = ("script", "style", "template", "sup")
"""Elements whose text is none of a cell; a raised number is a footnote."""
_INLINE: Final = frozenset(("a", "b", "i", "u", "em", "strong", "span", "small", "code", "abbr"))
"""Elements that part no words."""
_TAG: Final = re.compile(r"<(?:(!--)|(/?)([a-zA-Z][a-zA-Z0-9]{0,20})\b([^<>]*)>)")
_SPAN: Final = re.compile(r"\b(colspan|rowspan)\s*=\s*[\"']?\s*(\d{1,4})", re.IGNORECASE)


class _Cell:
    """A cell that is being read: its text, and the columns and rows that it takes."""

    def __init__(self, attributes: str) -> None:
        self.words: list[str] = []
        spans = {name.casefold(): min(int(cells), WIDEST) for name, cells in _SPAN.findall(attributes)}
        self.columns = spans.get("colspan") or 1
        self.rows = spans.get("rowspan") or 1

    @property
    def text(self) -> str:
        """Return the text as a page shows it."""
        try:
            return " ".join(html.unescape("".join(self.words)).split())
        except ValueError:  # a character with a number of thousands of digits
            return ""


class _Tables:
    """Collects the rows of each table; a table inside a cell is text of that cell."""

    def __init__(self) -> None:
        self.tables: list[list[list[str]]] = []
        self._deep = 0
        self._unseen = 0
        self._row: list[_Cell] | None = None
        self._cell: _Cell | None = None
        self._below: dict[int, tuple[int, str]] = {}
        """Of a column: the rows that a cell above still takes, and its text."""
        self._cells = 0

    def begin(self, tag: str, attributes: str) -> None:
        """Begin a table, a row or a cell."""
        if tag in _UNSEEN:
            self._unseen += 1
        elif tag == "table":
            self._deep += 1
            if self._deep == 1:
                self.tables.append([])
                self._below = {}
        elif self._deep != 1:
            self._space(tag)
        elif tag == "tr":
            self._end_row()
            self._row = []
        elif tag in ("td", "th"):
            if self._row is None:
                self._row = []
            self._cell = _Cell(attributes)
            self._row.append(self._cell)
        else:
            self._space(tag)

    def end(self, tag: str) -> None:
        """End a table, a row or a cell."""
        if tag in _UNSEEN:
            self._unseen = max(0, self._unseen - 1)
        elif tag == "table":
            if self._deep == 1:
                self._end_row()
            self._deep = max(0, self._deep - 1)
        elif self._deep == 1 and tag == "tr":
            self._end_row()
        elif self._deep == 1 and tag in ("td", "th"):
            self._cell = None
        else:
            self._space(tag)

    def add(self, data: str) -> None:
        """Add text to the cell that is read."""
        if self._cell is not None and not self._unseen:
            self._cell.words.append(data)

    def _space(self, tag: str) -> None:
        """Keep words apart that stand in two elements of a cell, as two lines do."""
        if self._cell is not None and tag not in _INLINE:
            self._cell.words.append(" ")

    def _end_row(self) -> None:
        """Add a row: a merged cell has its text in every row, and in its first column."""
        row, self._row, self._cell = self._row, None, None
        if row is None:
            return
        cells: list[str] = []
        for cell in row:
            cells += self._from_above(len(cells))
            for column in range(cell.columns):
                text = "" if column else cell.text
                if cell.rows > 1:
                    self._below[len(cells)] = (cell.rows - 1, text)
                cells.append(text)
            self._cells += cell.columns
        cells += self._from_above(len(cells))
        if self._cells > MOST_CELLS or len(cells) > WIDEST:
            raise Unconvertible(f"tables of a page have at most {MOST_CELLS} cells, {WIDEST} in a row")
        self.tables[-1].append(cells)

    def _from_above(self, column: int) -> list[str]:
        """Return the texts of cells above that reach down into the row, from *column* on."""
        found: list[str] = []
        while column + len(found) in self._below:
            left, text = self._below.pop(column + len(found))
            if left > 1:
                self._below[column + len(found)] = (left - 1, text)
            found.append(text)
        return found


def rows_of_tables(text: str) -> Sequence[Sequence[Sequence[str]]]:
    """Return the tables of a page, each as rows of cells.

    Raises `Unconvertible` for too many cells.
    """
    reader = _Tables()
    at = 0
    while (found := _TAG.search(text, at)) is not None:
        reader.add(text[at : found.start()])
        at = found.end()
        comment, closing, tag, attributes = found.groups()
        if comment:
            at = text.find("-->", at) + len("-->")
            if at < len("-->"):  # it does not end
                break
        elif closing:
            reader.end(tag.casefold())
        else:
            reader.begin(tag.casefold(), attributes)
    reader.end("table")
    return reader.tables
