"""Stage fights in which seldom rules come soon: a cast for one thing, and what all would rather do.

A scene only bends chance. What creatures do is still picked from their options; what no option leads to,
since the rule is a refusal, is tried by the bots of `master`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from tests.rules.rise.bot import BLADE, CHEER
from tests.rules.rise.campaign import Campaign
from tests.rules.rise.kit import entry, opening

Entry = Mapping[str, Any]

FROST: Final = {
    "id": "frost",
    "range_ft": 60,
    "effects": [{"does": "damage", "amount": 6, "sort": "environmental"}],
}
GUST: Final = {"id": "gust", "range_ft": 60, "effects": [{"does": "push", "amount": 5}]}
LURKS: Final = 0.3
"""How often the GM does something with who hides."""
HIDING: Final = ("move_hidden_creature", "reveal_creature", "withdraw_hidden_creature")
BARE: Final[Mapping[str, Any]] = {"hp_max": 90, "weapons": [BLADE], "abilities": [CHEER]}


@dataclass(frozen=True)
class Scene:
    """What a fight is made for: its cast, the phase it begins with, and what is done before all else."""

    name: str
    rules: tuple[str, ...]
    """The seldom rules that it brings."""
    cast: tuple[Entry, ...]
    phase: str = "action"
    wants: tuple[str, ...] = ()
    is_thrown: bool = False
    """Whether people throw all dice: among theirs ties are common."""
    known_hidden: bool = False
    """Whether the GM hides creatures, moves them, and shows them again."""


SCENES: Final = (
    Scene(
        name="frost",
        rules=("RI-DMG-6",),
        cast=tuple(
            entry(f"pc@{side}/{side}", (2 * i, 0), **{**BARE, "abilities": [FROST]})
            for i, side in enumerate(("north", "south"))
        ),
        wants=("use_ability",),
    ),
    Scene(
        name="a cell for one",
        rules=("RI-INIT-3",),
        cast=tuple(
            entry(f"pc@{side}/{side}", at, **BARE)
            for side, at in (("east", (7, 1)), ("west", (1, 1)), ("south", (4, 4)), ("north", (4, -2)))
        ),
        phase="movement",
        wants=("throw_dice", "plan_movement"),
        is_thrown=True,
    ),
    Scene(
        name="in the saddle",
        rules=("RI-MOVE1-3",),
        cast=(
            *(entry(f"pc@riders/r{i}", (0, 3 * i), mount=f"m{i}", ride=6, **BARE) for i in range(3)),
            *(
                entry(f"pc@riders/m{i}", (0, 3 * i), size="large", carries_riders=True, **BARE)
                for i in range(3)
            ),
            entry("mon@wolves/wolf", (30, 0), **BARE),
        ),
        phase="movement",
        wants=("plan_movement",),
    ),
    Scene(
        name="a gust from a friend",
        rules=("RI-MOVE1-8",),
        cast=(
            *(entry(f"pc@heroes/h{i}", (2 * i, 0), **{**BARE, "abilities": [GUST]}) for i in range(4)),
            entry("mon@wolves/wolf", (0, 9), **{**BARE, "abilities": [GUST]}),
        ),
        wants=("use_ability",),
    ),
    Scene(
        name="hidden_creatures",
        rules=("TABLE-HIDDEN-1", "TABLE-HIDDEN-2", "TABLE-HIDDEN-3"),
        cast=tuple(
            entry(f"pc@{side}/{side}", at, **BARE)
            for side, at in (("east", (7, 1)), ("west", (1, 1)), ("south", (4, 4)))
        ),
        phase="movement",
        wants=("plan_movement",),
        known_hidden=True,
    ),
)


@dataclass
class Staged(Campaign):
    """A fight in a scene."""

    many: int = 0
    budget: int = 120
    scene: Scene = field(default=SCENES[0])

    def opening(self) -> dict[str, Any]:
        made = opening(*(dict(each) for each in self.scene.cast))
        return made if self.scene.is_thrown else {**made, "declared_sides": []}

    def preferred(self) -> tuple[str, ...]:
        return self.scene.wants if self.random.random() < 0.8 else ()

    def play(self) -> Staged:
        """Begin at once and play until the budget is spent."""
        self.open()
        self.must("start_combat", "gm", {"start_phase": self.scene.phase})
        while self.commands < self.budget and self.state.stage != "ended":
            if self.scene.known_hidden and self.random.random() < LURKS:
                self.lurk()
            self.turn()
        return self

    def lurk(self) -> None:
        """Hide somebody where many go, or move, reveal or withdraw who hides first, if anybody does."""
        name = self.random.choice(("hide_creature", "hide_creature", *HIDING))
        position = [self.random.randrange(9), self.random.randrange(5)]
        data: dict[str, Any] = {"hidden_creature": int(next(iter(self.state.hidden_creatures), "1"))}
        if name == "hide_creature":
            data = {"entry": entry(f"mon@orcs/orc-{self.commands}", (position[0], position[1]), **BARE)}
        elif name == "move_hidden_creature":
            data["position"] = position
        self.attempt(name, "gm", data)
