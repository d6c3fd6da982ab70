"""What readers ask in their own words is answered by the page that should come first."""

from __future__ import annotations

import json

import pytest

from tests.docs.questions import QUESTIONS
from tests.support.javascript_verifier import node
from tests.support.site import INDEX, built_site

pytestmark = pytest.mark.slow  # the site is built, in ten seconds


def test_fifty_questions_of_five_readers_find_their_page_first() -> None:
    built_site()
    asked = {question: page for mine in QUESTIONS.values() for question, page in mine.items()}
    assert len(asked) == 50
    pages = json.loads(INDEX.read_text("utf-8"))
    found = json.loads(node("tests/docs/asked.mjs", told=json.dumps({"pages": pages, "questions": [*asked]})))
    wrong = {
        question: (wanted, answers)
        for (question, wanted), answers in zip(asked.items(), found, strict=True)
        if not answers or answers[0].partition("#")[0] != f"/docs/{wanted}"
    }
    assert wrong == {}


def test_the_changelog_is_not_searched() -> None:
    built_site()
    pages = json.loads(INDEX.read_text("utf-8"))
    assert [
        each["to"] for each in pages if each["to"].startswith(("/docs/changelog", "/docs/promises"))
    ] == []
