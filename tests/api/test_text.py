"""Text at the door: what hides, deceives or is read otherwise elsewhere is refused, with its place."""

from __future__ import annotations

import json
from urllib.parse import quote

import pytest

from tests.api.client import Api, Table, is_problem

HIDDEN = {
    "unassigned": "q\u0897\u0316",
    "unassigned, behind a mark": "q\u0301\U00010efd",
    "unassigned, before a mark": "\U000105d2\u0307",
    "a terminal's title": "Pia\x1b]0;owned\x07",
    "a line of its own": "Pia\r\nrewound: forged line",
    "eight bits of escape": "\x9b31m",
    "an override": "abc\u202edcba",
    "an isolate": "\u2067abc\u2069",
}


@pytest.mark.parametrize("text", HIDDEN.values(), ids=HIDDEN)
def test_text_that_hides_or_deceives_is_refused_with_its_place(table: Table, text: str) -> None:
    before = table.gm.get(table.at)["appended"]

    problem = is_problem(
        table.send(table.ada, {"type": "contest", "commit": 1, "claim": text}), 422, "invalid"
    )

    assert [each["pointer"] for each in problem["errors"]] == ["/claim"]
    assert problem["errors"][0]["detail"].startswith("text without U+")
    assert text not in json.dumps(problem, ensure_ascii=False)
    assert table.gm.get(table.at)["appended"] == before


@pytest.mark.parametrize("text", HIDDEN.values(), ids=HIDDEN)
def test_no_query_brings_such_text_onto_the_record(table: Table, text: str) -> None:
    is_problem(table.gm("DELETE", f"{table.at}?reason={quote(text)}"), 422, "invalid")
    is_problem(table.gm("DELETE", f"{table.at}?reason={quote('e' + chr(0x301))}"), 422, "invalid")

    assert table.gm.get(table.at)["closed"] is False


def test_text_at_length_may_have_lines_and_a_name_may_not(table: Table, owner: Api) -> None:
    claim = "The orc could not see me:\n\tthe wall stands between us."
    answer = table.send(table.ada, {"type": "contest", "commit": 1, "claim": claim})
    assert answer.status_code == 200, answer.text

    for title in ("two\nlines", "a\ttab"):
        problem = is_problem(
            owner("POST", "/v1/encounters", {"edition": "tiny@1", "title": title}), 422, "invalid"
        )
        assert [each["pointer"] for each in problem["errors"]] == ["/title"]


def test_names_of_members_are_visible(table: Table) -> None:
    is_problem(table.send(table.gm, {"type": "add", "amou\x1bnt": 1}), 400, "not-strict-json")


def test_what_people_write_is_taken_as_it_is(table: Table) -> None:
    claim = "Zoë, 仁, אב, عمر, 🐉, ﷽, \u200fright to left"
    sent = json.loads(table.send(table.ada, {"type": "contest", "commit": 1, "claim": claim}).text)

    assert claim in json.dumps(sent, ensure_ascii=False)
