"""Print the table of an evening: every fight, who fought, who won, what people decided, and its verdict."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from rich.table import Table

from service.audit import verdict as v
from service.audit.bundle import MAX_BYTES
from service.audit.evening import TEXTS, BadEvening, Evening, Fight, judge_evening, read_evening
from service.audit.held import Held
from service.audit.mirror import Mirror
from service.cli.every_ruleset import every_ruleset
from service.cli.judging import status_of
from service.cli.terminal import Failure, Terminal, document, escape, say
from service.record.log_entries import OPENING, BadEntry, read_entry

FORMAT: Final = "rewound/evening/1"
_SHORT: Final = 8


def report(
    paths: Sequence[Path], held: Held, expected: Mapping[str, str], *, unsigned: bool, as_json: bool
) -> int:
    """Judge the evening at *paths*, in which *expected* should be; print it, and return its status."""
    found = read(paths)
    found.expected = {**expected, **found.expected}
    fights = judged(found, held, quiet=as_json)
    data = data_of(fights, found.unread, unsigned=unsigned, without_rules=held.without_rules)
    if as_json:
        say(document(data))
    else:
        print_table(data, Terminal(highlight=False))
    status: int = data["status"]
    return status


def files_in(paths: Iterable[Path]) -> list[tuple[str, bytes]]:
    """Return the files at *paths* with their names: those of a directory and of the directories in it.

    A second file of a name has its path in place of it, except for a text file.
    """
    found: list[tuple[str, bytes]] = []
    named: set[str] = set()
    for path in paths:
        files = sorted(each for each in path.rglob("*") if each.is_file()) if path.is_dir() else [path]
        for file in files:
            name = _shown(file.relative_to(path) if path.is_dir() else Path(path.name))
            if name in named and name not in TEXTS:
                name = _shown(file)
            named.add(name)
            found.append((name, content(file)))
    return found


def _shown(path: Path) -> str:
    """Return a path as text; bytes that are not UTF-8 are replaced."""
    return os.fsencode(path.as_posix()).decode(errors="replace")


def content(path: Path) -> bytes:
    """Return the bytes of a file, but no more than show that it is too long."""
    with path.open("rb") as file:
        return file.read(MAX_BYTES + 1)


def openings_of(mirror: Path, owner: str) -> dict[str, str]:
    """Return the encounters that *owner*, a pseudonym, opened in the log that *mirror* follows."""
    found: dict[str, str] = {}
    for raw in Mirror(mirror).entries():
        try:
            entry = read_entry(raw)
        except BadEntry:
            continue
        if entry.kind == OPENING and entry.owner == owner:
            found[entry.encounter] = "opened in the public log"
    return found


def judged(evening: Evening, held: Held, *, quiet: bool) -> list[Fight]:
    """Return every fight of *evening*, judged; on a terminal each is named while it is judged."""
    console, found = Terminal(stderr=True, quiet=quiet), list[Fight]()
    with console.status("Deciding every fight again") as status:
        for fight in judge_evening(evening, held, every_ruleset()):
            found.append(fight)
            status.update(f"{len(found)} of {len(evening.bundles)} fights")
    return found


def read(paths: Sequence[Path]) -> Evening:
    """Return the evening at *paths*; raises `Failure`."""
    try:
        evening = read_evening(files_in(paths))
    except BadEvening as fault:
        raise Failure(str(fault)) from fault
    if not evening.bundles:
        raise Failure("there is no bundle among these files: rewound collect and rewound bundle write them")
    return evening


def data_of(fights: Sequence[Fight], unread: Sequence[str], **terms: bool) -> dict[str, Any]:
    """Return the table as data, with one status for all of it: the first that is not 0."""
    rows = [_row(fight, **terms) for fight in fights]
    status = next((row["status"] for row in rows if row["status"]), 0)
    return {"format": FORMAT, "fights": rows, "unread": list(unread), "status": status}


def _row(fight: Fight, **terms: bool) -> dict[str, Any]:
    report, verdict = fight.report, fight.report.verdict
    decided = Counter(each["kind"] for each in report.decisions)
    asked = {each["seat"] for each in report.seat_keys} - {e["seat"] for e in report.seat_keys if e["given"]}
    return {
        "file": fight.file,
        "encounter": fight.encounter,
        "title": fight.title,
        "sides": {side: list(names) for side, names in fight.sides.items()},
        "winner": report.winner,
        "commits": report.counts.commits if verdict.is_sound else None,
        "decisions": dict(sorted(decided.items())),
        "unseen": max((each["commits"] for each in report.unseen), default=0),
        "keys_not_given": sorted(asked),
        "verdict": {"name": verdict.name, "text": str(verdict), "detail": verdict.detail},
        "note": fight.note,
        "status": status_of(verdict.name, **terms),
    }


def print_table(data: dict[str, Any], console: Terminal) -> None:
    """Print the table and one line about all of it."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in ("fight", "who", "winner", "decided by people", "verdict"):
        table.add_column(name, overflow="fold")
    titles = Counter(row["title"] for row in data["fights"])
    for row in data["fights"]:
        short = row["encounter"][:_SHORT]
        title = f"{row['title']} {short}" if row["title"] and titles[row["title"]] > 1 else row["title"]
        colour = "green" if row["status"] == 0 else "red"
        decided = ", ".join(f"{count} {kind}" for kind, count in row["decisions"].items())
        notes = [row["note"], row["verdict"]["detail"] if row["status"] else ""]
        said = "\n".join(escape(note) for note in notes if note)
        table.add_row(
            escape(title or row["file"] or short),
            "\n".join(escape(f"{side}: {', '.join(names)}") for side, names in row["sides"].items()),
            escape(row["winner"] or ""),
            escape(decided or ("" if row["verdict"]["name"] == v.MISSING else "nothing")),
            f"[{colour}]{escape(row['verdict']['text'])}[/]" + (f"\n{said}" if said else ""),
        )
    console.print(table)
    for name in data["unread"]:
        console.print(f"[dim]not read   {escape(name)}: no bundle, and nothing that belongs to one[/]")
    asked = sorted({seat for row in data["fights"] for seat in row["keys_not_given"]})
    if asked:
        seats = escape(", ".join(asked))
        console.print(
            f"[bold yellow]only the records say whose these keys are: {seats}; seat-keys.txt pins them[/]"
        )
    wrong = sum(row["status"] != 0 for row in data["fights"])
    every = len(data["fights"])
    end = "nothing is wrong with them" if not wrong else f"something is wrong with {wrong}"
    console.print(f"\n[bold]{every} fights: {end}[/]")
