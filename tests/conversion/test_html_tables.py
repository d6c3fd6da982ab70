"""Lists of creatures that people copy out of a web page."""

from __future__ import annotations

from typing import Any

import pytest

from service.conversion.creatures import convert_creatures
from service.conversion.faults import Converted, Unconvertible
from service.conversion.html_tables import rows_of_tables
from service.rules.registry import REGISTRY

HEARTRUSH = REGISTRY["heartrush@1"]


def sheets(text: str) -> list[Any]:
    return [each["sheet"] for each in converted(text).part["creatures"]]


def converted(text: str) -> Converted:
    return convert_creatures(text, HEARTRUSH)


PAGE = """<!DOCTYPE html>
<html><head><title>Monsters</title><style>td { color: red }</style></head><body>
<table class=nav><tr><td><a href="/">Home</a></td><td>Rules</td></tr></table>
<p>The list:</p>
<!-- <table><tr><th>Name</th></tr><tr><td>Hidden</td></tr></table> -->
<TABLE BORDER=1>
<thead><tr><th>Name<th>Size<th>Hit Points<th>Speed</tr></thead>
<tr><td><a href="/wolf"><b>Dire</b> wolf</a><sup>[1]</sup><td>Large</td><td>37 (5d10&nbsp;+ 10)<td>50 ft.
<tr><td>Z&ouml;e&#39;s<br>imp</td><td>tiny</td><td>10</td><td>20 ft., <br>fly 40 ft.</td></tr>
</TABLE></body></html>
"""


def test_the_table_of_a_page_that_names_creatures_is_read() -> None:
    wolf, imp = sheets(PAGE)
    assert (wolf["name"], wolf["size"], wolf["hp_max"], wolf["speed"]) == ("Dire wolf", "large", 37, 50)
    assert (imp["name"], imp["size"], imp["hp_max"], imp["speed"]) == ("Zöe's imp", "tiny", 10, 20)


def test_tables_of_a_page_are_one_list_and_faults_name_the_table() -> None:
    table = "<table><tr><th>Monster<th>HP</tr><tr><td>{}<td>{}</tr></table>"
    assert [each["name"] for each in sheets(table.format("Orc", 9) + table.format("Elf", 7))] == [
        "Orc",
        "Elf",
    ]
    with pytest.raises(Unconvertible) as raised:
        converted(table.format("Orc", 9) + table.format("Elf", "many"))
    assert raised.value.faults == ("table 2, row 2, column HP: a whole number, not many",)


def test_merged_cells_are_those_of_each_row_and_column() -> None:
    text = (
        "<table><tr><th>name<th colspan=2>size and kind<th>hp</tr>"
        "<tr><td rowspan='2'>Wolf<td>medium<td>beast<td>11</tr><tr><td>large<td>beast<td>37</tr></table>"
    )
    assert rows_of_tables(text)[0] == [
        ["name", "size and kind", "", "hp"],
        ["Wolf", "medium", "beast", "11"],
        ["Wolf", "large", "beast", "37"],
    ]


def test_a_table_in_a_cell_and_what_is_not_shown_are_no_rows() -> None:
    text = (
        "<table><tr><td>name<script>if (a<b) {}</script></td></tr>"
        "<tr><td>Orc<table><tr><td>big</td></tr></table></td></tr></table>"
    )
    assert rows_of_tables(text) == [[["name"], ["Orc big"]]]


@pytest.mark.parametrize(
    "text",
    [
        "<!doctype html><p>A goblin.</p>",
        "<div class='stat-block'><h2>Goblin</h2></div>",
        PAGE.replace("Name", "Nom"),
    ],
)
def test_a_page_without_a_table_of_names_says_what_to_do(text: str) -> None:
    with pytest.raises(Unconvertible, match=r"no table has a column of names .*save it as CSV"):
        converted(text)


@pytest.mark.parametrize("row", ["<td colspan=9999>a</td>" * 2, "<td rowspan=9999 colspan=200>a" * 2])
def test_a_table_that_is_too_wide_is_refused(row: str) -> None:
    with pytest.raises(Unconvertible, match="200 in a row"):
        rows_of_tables(f"<table><tr>{row}</table>")


@pytest.mark.parametrize(
    "part", ["<a ", "<!--", "<table a='", "<![CDATA[", "&#", "<script></", "<", "<!", "</", "<? "]
)
def test_a_tag_ends_at_the_next_bracket_so_a_hostile_page_is_read_once(part: str) -> None:
    """The parser of the standard library takes hours for some of these."""
    page = "<table><tr><td>name<td>" + part * 200_000
    assert rows_of_tables(page)[0][0][0] == "name"


def test_a_character_with_a_number_of_thousands_of_digits_is_nothing() -> None:
    assert rows_of_tables(f"<table><tr><td>&#{'9' * 5000};<td>a</table>") == [[["", "a"]]]
