"""Offers in words, and what a player has chosen of them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from rewound_client import Table, values_of

LINES = 25
"""Rows of a menu in Discord."""
MOST = 4 * LINES
"""Values that a menu offers; of more, such as the cells of a dash, the player writes one."""
MENUS = 4
"""Menus below a message; a fifth row has the buttons."""


def words(name: str) -> str:
    """Return the name of a command or a field as words."""
    return name.replace("_", " ")


def is_cell(value: Any) -> bool:  # noqa: ANN401 - JSON
    """Return whether *value* is a cell `[x, y]`."""
    match value:
        case [int(), int()]:
            return True
        case _:
            return False


def label(value: Any) -> str:  # noqa: ANN401 - JSON
    """Return a value as a player reads and writes it; a path is named by its last cell."""
    match value:
        case None | [] | "":
            return "none"
        case bool():
            return "yes" if value else "no"
        case [*_, last] if is_cell(last):
            return f"to {label(last)}"
        case list():
            return ", ".join(map(label, value))
        case dict():
            return ", ".join(f"{words(name)} {label(each)}" for name, each in value.items())
        case _:
            return words(str(value))


@dataclass
class Decision:
    """An offer, and what the player has chosen of it so far."""

    offer: Mapping[str, Any]
    wants: list[str]
    """The dice whose faces the player writes, as `role:dN`."""
    command: dict[str, Any] = field(init=False)
    choices: dict[str, list[Any]] = field(init=False)

    def __post_init__(self) -> None:
        self.command = dict(self.offer["command"])
        values = {name: values_of(choice) for name, choice in self.offer["choices"].items()}
        self.choices = {name: each for name, each in values.items() if len(each) > 1}

    @property
    def title(self) -> str:
        """The command, its creature, and what distinguishes it from other offers."""
        fixed = {
            name: value
            for name, value in self.command.items()
            if name not in {"type", "creature", "prompt", *self.choices}
            and value not in (None, [], "", False)
        }
        parts = [f"{words(name)} {label(value)}" for name, value in fixed.items()]
        who = self.command.get("creature")
        return ": ".join(filter(None, (who, ", ".join((words(self.command["type"]), *parts)))))

    @property
    def listed(self) -> dict[str, list[Any]]:
        """The choices that menus show."""
        short = [name for name, values in self.choices.items() if len(values) <= MOST]
        return {name: self.choices[name] for name in short[:MENUS]}

    @property
    def written(self) -> list[str]:
        """The fields that the player writes: what the offer asks for, and choices with too many values."""
        return [*self.offer.get("asks", ()), *(name for name in self.choices if name not in self.listed)]

    def write(self, name: str, text: str) -> None:
        """Set the field *name* to what a player wrote; raises `ValueError` for what is not legal."""
        if name in self.choices:
            found = [
                each for each in self.choices[name] if label(each) in (text.strip(), f"to {text.strip()}")
            ]
            if not found:
                raise ValueError(f"{words(name)}: {text} is not among the {len(self.choices[name])} choices")
            self.command[name] = found[0]
        else:
            self.command[name] = [int(face) for face in text.split(",")] if name == "faces" else text

    def hint(self, name: str) -> str:
        """Return what to write for the field *name*."""
        if name == "faces":
            return ", ".join(self.wants)
        return f"for example {label(self.command[name])}" if name in self.command else ""


def decisions(table: Table, creature: str | None = None) -> list[Decision]:
    """Return everything that is legal now for this seat, for one creature if it is named."""
    return [
        Decision(offer, option["prompt"]["wants"])
        for option in table.options()["options"]
        for offer in option["commands"]
        if creature is None or offer["command"].get("creature", option["prompt"]["creature"]) == creature
    ]
