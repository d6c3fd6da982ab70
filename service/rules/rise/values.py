"""The types of values of Rise alone, each with its text; `kernel/values.py` has the shared ones."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from service.rules.kernel.values import Cell, CreatureId, Label

UserId: TypeAlias = Annotated[CreatureId, "The id of the creature that uses the ability."]
OwnerId: TypeAlias = Annotated[CreatureId, "The id of the creature whose it is."]
CellPath: TypeAlias = Annotated[tuple[Cell, ...], "The cells of the way, each as x and y."]
MeansName: TypeAlias = Annotated[Label, "The id of the ability or the name of the weapon."]
ModeName: TypeAlias = Annotated[Label, "The way of moving."]
