"""Whoever follows the whole log counts who opens again and again, and sees whatever was taken out of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from service.audit.log_writer import LogWriter
from service.audit.mirror import UNKNOWN, Fetch, Mirror, MirrorFault, count
from service.audit.tiles import ENTRIES, WIDTH, tile_path
from service.audit.witness_policy import read_policy
from service.record.log_entries import END, LINE, LogEntry
from tests.support.a_log import a_log, encounter, head, opening, policy_text

LOGS = read_policy(policy_text([], "").encode()).logs


def fetching(writer: LogWriter) -> Fetch:
    """Return what fetches the log as a client does."""

    def fetch(path: str) -> bytes:
        latest = writer.log.latest()
        assert latest is not None
        if path == "checkpoint":
            return latest[1].encode()
        for number in range(latest[0] // WIDTH + 1):
            for width in (WIDTH, latest[0] % WIDTH):
                if path == tile_path(ENTRIES, number, width):
                    part = writer.log.entries(number * WIDTH, number * WIDTH + width)
                    return b"".join(len(raw).to_bytes(2, "big") + raw for raw in part)
        raise FileNotFoundError(path)

    return fetch


def ended(at: int, size: int, later: int | None = None) -> LogEntry:
    """Return the end of an encounter."""
    return LogEntry(END, encounter(at), size, f"{size:064x}", continued_in=encounter(later) if later else "")


def gone_on(at: int, parent: int) -> LogEntry:
    """Return the line *at* that goes on from commit 2 of the encounter *parent*."""
    named = {"parent": encounter(parent), "ruled_in": encounter(parent), "head": "ab" * 32}
    return LogEntry(LINE, encounter(at), 4, f"{at:064x}", n=2, **named)


def test_a_mirror_follows_a_log_as_it_grows(tmp_path: Path) -> None:
    (tmp_path / "host").mkdir()
    _, writer = a_log(tmp_path / "host", *(opening(at) for at in range(3)))
    mirror, before = Mirror(tmp_path / "mirror"), 0

    for more, size in ((0, 3), (0, 3), (250, 253), (3, 256), (300, 556)):
        known = writer.log.size()
        writer.log.propose([opening(at) for at in range(known, known + more)])
        writer.write()
        point, fresh = mirror.follow(fetching(writer), LOGS)
        assert point.size == size
        assert fresh == size - before
        before = size
        assert mirror.entries() == writer.log.entries(0, size)


def test_a_log_that_lost_or_changed_an_entry_is_refused_and_its_note_is_kept(tmp_path: Path) -> None:
    for name in ("host", "other"):
        (tmp_path / name).mkdir()
    _, writer = a_log(tmp_path / "host", *(opening(at) for at in range(5)))
    _, other = a_log(tmp_path / "other", *(opening(at) for at in (0, 1, 9, 10, 11, 12)))
    mirror = Mirror(tmp_path / "mirror")
    mirror.follow(fetching(writer), LOGS)

    with pytest.raises(MirrorFault, match="does not begin with the 5"):
        mirror.follow(fetching(other), LOGS)
    latest = other.log.latest()
    assert latest is not None
    assert [file.read_text("utf-8") for file in (mirror.home / "contradictions").iterdir()] == [latest[1]]
    assert mirror.entries() == writer.log.entries(0, 5)


def test_a_log_that_nobody_accepted_signed_is_refused(tmp_path: Path) -> None:
    _, writer = a_log(tmp_path, opening(1))
    with pytest.raises(MirrorFault, match="no log of the policy"):
        Mirror(tmp_path / "mirror").follow(fetching(writer), [])


def test_who_opens_again_and_again_until_lucky_is_counted() -> None:
    """An owner opens five fights and plays the last one; its pseudonym stands in each opening."""
    entries = [opening(at, "cd") for at in range(5)]
    entries += [head(4, 3), ended(4, 9), opening(10), ended(10, 2)]
    found = count([entry.to_bytes() for entry in entries])

    assert found.openings == {"cd" * 16: 5, "aa" * 16: 1}
    assert found.unended == {"cd" * 16: 4}
    assert sorted(found.open_of) == [encounter(at) for at in range(4)]


def test_an_encounter_that_another_line_continues_ends_with_that_line() -> None:
    entries = [opening(1, "cd"), ended(1, 4, later=2), gone_on(2, 1), head(2, 3)]
    found = count([entry.to_bytes() for entry in entries])
    assert found.open_of == {encounter(2): "cd" * 16}
    assert (found.lines, found.unopened, found.stray) == ({"cd" * 16: 1}, [], [])
    assert count([entry.to_bytes() for entry in [*entries, ended(2, 9)]]).open_of == {}


@pytest.mark.parametrize(
    "entry",
    [head(7, 3), ended(7, 9), gone_on(8, 7), ended(6, 9, later=7)],
    ids=["head", "end", "line", "named"],
)
def test_what_the_log_names_without_an_opening_is_counted_as_one(entry: LogEntry) -> None:
    """So a host that calls fights continuations of ones that nobody has is counted all the same."""
    others = [opening(6), opening(1)] if entry.encounter == encounter(6) else [opening(1)]
    found = count([each.to_bytes() for each in [*others, entry]])

    assert found.openings == {"aa" * 16: len(others), UNKNOWN: 1}
    assert found.unopened == [encounter(7)]
    assert (encounter(7) in found.open_of) == (entry.encounter != encounter(7) or entry.kind != END)


def test_a_ruling_that_is_kept_beside_the_one_that_is_shown_is_named() -> None:
    """The gm rules as often as it likes, and the host shows the line that pleases it."""
    entries = [opening(1), *(gone_on(at, 1) for at in range(2, 6)), ended(1, 4, later=5)]
    found = count([entry.to_bytes() for entry in entries])

    assert found.lines == {"aa" * 16: 4}
    assert found.stray == [encounter(at) for at in range(2, 5)]
    assert set(found.open_of) == {encounter(at) for at in range(2, 6)}


def test_lines_that_go_on_from_each_other_are_counted_once_and_belong_to_nobody() -> None:
    found = count([gone_on(1, 2).to_bytes(), gone_on(2, 1).to_bytes()])

    assert (found.lines, found.openings) == ({UNKNOWN: 2}, {})


def test_two_histories_of_one_encounter_are_named() -> None:
    other = LogEntry("head", encounter(1), 5, "f" * 64)
    found = count([entry.to_bytes() for entry in (opening(1), head(1, 5), head(1, 7), other)] + [b"new form"])
    assert (found.contradictions, found.unreadable) == ([(encounter(1), 5)], 1)
