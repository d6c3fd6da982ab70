"""Narrate a fight on the terminal: each command, its dice, its events and their rules.

The narration uses the record alone, so a live fight, a bundle and a script look alike. A rule's statement is
printed the first time, later only its id.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from rich.console import Console
from rich.rule import Rule as Line
from rich.text import Text

from service.cli.terminal import escape
from service.core.sentences import SHARED_SPEECH, Speech, sentence, unique_names
from service.record.text import plain

_ROUND_BEGINS: Final = ("combat_began", "round_started")
_REPEATED: Final = ("type", "prompt", "creature")


class Narrator:
    """Narrates one encounter on a console: *statements* of rules by id, *speech* for events."""

    def __init__(
        self,
        console: Console,
        opening: Mapping[str, Any],
        statements: Mapping[str, str],
        speech: Speech = SHARED_SPEECH,
    ) -> None:
        self._console = console
        self._names = unique_names(names_of(opening))
        self._statements = statements
        self._speech = speech
        self._known: set[str] = set()

    def heading(self, text: str) -> None:
        """Print a heading."""
        self._console.print(Line(escape(text), style="bold"))

    def remark(self, text: str) -> None:
        """Print a remark between two commands."""
        self._console.print(f"[italic]{escape(text)}[/]")

    def narrate(
        self,
        n: int | None,
        seat: str,
        type_: str,
        data: Mapping[str, Any],
        outcome: Mapping[str, Any],
        says: str = "",
    ) -> None:
        """Print one command with its *outcome*, which has the API's form."""
        events = outcome.get("events", ())
        began = next((event for event in events if event["type"] in _ROUND_BEGINS), None)
        if says:
            self._console.print(f"\n[bold]{escape(says)}[/]")
        number = "" if n is None else str(n)
        self._console.print(
            f"[dim]{number:>4}[/] [cyan]{escape(seat)}[/] {escape(_command_line(type_, data))}"
        )
        if "refusal" in outcome:
            refusal = outcome["refusal"]
            said = f"refused: {refusal['detail']} ({refusal['code']}, {refusal['rule']})"
            self._console.print(f"     [red]{escape(said)}[/]")
        elif outcome["outcome"] == "sealed":
            self._console.print(
                "     [magenta]sealed: what it was stays between the seat and its envelope[/]"
            )
        for roll in outcome.get("rolls", ()):
            self._console.print(self._roll(roll))
        self._events(events)
        if began is not None:
            self.heading(f"Round {began.get('round', 1)}")

    def _events(self, events: Iterable[Mapping[str, Any]]) -> None:
        for event in events:
            said = sentence(event, self._names, self._speech)
            if not said:
                continue
            because = ", ".join(event["because"])
            line = Text("     ").append(plain(said)).append(plain(f"  {because}"), "dim")
            self._console.print(line)
            for id_ in event["because"]:
                self._statement(id_)

    def _statement(self, id_: str) -> None:
        if id_ in self._known or id_ not in self._statements:
            return
        self._known.add(id_)
        self._console.print(f"       [dim italic]{escape(id_)}: {escape(self._statements[id_])}[/]")

    def _roll(self, roll: Mapping[str, Any]) -> Text:
        name = roll["name"]
        text = Text("     ").append(plain(_spelled(roll, self._names)), "yellow").append("  ")
        for i, die in enumerate(roll["dice"]):
            style = "strike dim" if die.get("dropped") else "bold"
            text.append(" + " if i else "").append(plain(f"{die['role']} d{die['sides']} "))
            text.append(plain(die["face"]), style)
        for term in roll["terms"]:
            text.append(f" {term['amount']:+d} ").append(plain(term["what"]))
        text.append(f" = {total_of(roll)}", "bold")
        where = plain(f"  epoch {name['epoch']}, place {name['place']}")
        return text.append("  thrown by hand" if roll["source"] == "declared" else where, "dim")


def names_of(opening: Mapping[str, Any]) -> Mapping[str, str]:
    """Return the names of an opening's creatures by id."""
    entries = opening.get("creatures", ())
    sheets = [entry["sheet"] for entry in entries if isinstance(entry, Mapping) and "sheet" in entry]
    return {sheet["id"]: sheet["name"] for sheet in sheets}


def total_of(roll: Mapping[str, Any]) -> int:
    """Return the total of a roll: the faces that count, and the terms."""
    kept: Sequence[int] = [die["face"] for die in roll["dice"] if not die.get("dropped")]
    terms: Sequence[int] = [term["amount"] for term in roll["terms"]]
    return sum(kept) + sum(terms)


def _command_line(type_: str, data: Mapping[str, Any]) -> str:
    """Return a command as one line: its type, its creature and its other fields."""
    rest = [f"{k}={_short(v)}" for k, v in data.items() if k not in _REPEATED and v is not None]
    creature = [data["creature"]] if data.get("creature") else []
    return " ".join([type_, *creature, *rest])


def _short(value: Any) -> str:  # noqa: ANN401 - JSON
    if isinstance(value, list):
        return ",".join(_short(item) for item in value)
    return "…" if isinstance(value, dict) else str(value)


def _spelled(roll: Mapping[str, Any], names: Mapping[str, str]) -> str:
    """Return a roll's owner and purpose, from its stream."""
    owner, *what = roll["name"]["stream"].split("/")
    return " ".join([names.get(owner, owner), *(names.get(word, word) for word in what)]) + ":"
