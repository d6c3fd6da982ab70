"""The fight that can be looked at without a service is made by the page of today, and is small."""

from __future__ import annotations

from service.api.single_file import unpacked
from tests.docs.demo import HEAVIEST, PAGE, page


def test_the_replay_in_the_tree_is_what_rewound_replay_writes() -> None:
    """If not, `python -m tests.docs.demo` writes it again. Compressed bytes may differ, their content not."""
    shown, made = PAGE.read_text("utf-8"), page()
    assert unpacked(shown) == unpacked(made)
    assert shown.partition('id="packed">')[0] == made.partition('id="packed">')[0]


def test_the_replay_in_the_tree_is_small_and_told_of_a_ruling() -> None:
    assert PAGE.stat().st_size < HEAVIEST
    told = " ".join(" ".join(each) for each in unpacked(PAGE.read_text("utf-8"))["content"]["sentences"])
    assert "Play goes on from" in told
    assert "hits Pia" in told
