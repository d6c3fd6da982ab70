"""Read scripted fights: an opening and the commands of every seat, in order.

A script has one or several forms. A step sends a command or checks the state. Steps that declare faces, and
checks, are left out when the service rolls the dice.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any, Final

FORMAT: Final = "rewound/fight/1"
SAMPLES: Final[Mapping[str, str]] = {"heartrush": "orc-and-hound", "rise": "mutual-kill"}
"""The sample fight of each rulebook."""
THROW: Final = "throw_dice"


class BadScript(ValueError):
    """The file is not a valid script; the text says why."""


@dataclass(frozen=True)
class ScriptStep:
    """One step of a script: a seat's command or a check, and its narration."""

    says: str
    seat: str = ""
    send: Mapping[str, Any] | None = None
    check: Mapping[str, Any] | None = None

    @property
    def throws(self) -> bool:
        """Whether the step declares the faces of thrown dice."""
        return self.send is not None and self.send["type"] == THROW

    @property
    def prompt(self) -> str | None:
        """The prompt that the step answers, if any."""
        return None if self.send is None else self.send.get("prompt")


@dataclass(frozen=True)
class ScriptedFight:
    """One form of a script, ready to be played."""

    title: str
    text: str
    opening: Mapping[str, Any]
    steps: tuple[ScriptStep, ...]

    def seeded(self) -> ScriptedFight:
        """Return the fight with all dice rolled by the service."""
        steps = tuple(step for step in self.steps if not step.throws and step.check is None)
        return ScriptedFight(self.title, self.text, {**self.opening, "declared_sides": []}, steps)

    @property
    def seats(self) -> tuple[str, ...]:
        """The players' seats."""
        return tuple(entry["seat"] for entry in self.opening["seats"])


def sample(form: str | None = None, book: str = "heartrush") -> ScriptedFight:
    """Return a form of the packaged sample fight of *book*, by default the first; raises `BadScript`."""
    text = resources.files(__package__).joinpath("fights", f"{SAMPLES[book]}.json").read_text("utf-8")
    forms = read(text)
    if form is not None and form not in forms:
        raise BadScript(f"there is no form {form}: {', '.join(forms)}")
    return forms[form or next(iter(forms))]


def load(path: Path) -> Mapping[str, ScriptedFight]:
    """Return the forms of the script in a file; raises `BadScript`."""
    return read(path.read_text("utf-8"))


def read(text: str) -> Mapping[str, ScriptedFight]:
    """Return the forms of the script *text*; raises `BadScript`."""
    try:
        data = json.loads(text)
        if not isinstance(data, dict) or data.get("format") != FORMAT:
            raise BadScript(f"not a {FORMAT}")
        return {name: _fight(form) for name, form in data["forms"].items()}
    except (ValueError, KeyError, TypeError, AttributeError) as fault:
        if isinstance(fault, BadScript):
            raise
        raise BadScript(f"neither a bundle nor a script: {fault}") from fault


def _fight(data: Mapping[str, Any]) -> ScriptedFight:
    steps = tuple(ScriptStep(**step) for step in data["steps"])
    return ScriptedFight(data["title"], data["text"], data["opening"], steps)
