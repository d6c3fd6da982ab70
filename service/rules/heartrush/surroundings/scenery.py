"""Let the GM change light, water, climbs and heights while a fight goes on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from service.rules.heartrush.operations.effects import MOST, Effect, EffectsFrame
from service.rules.heartrush.sheets.ground import Light, Water
from service.rules.heartrush.state import State
from service.rules.kernel.messages import Emits, Event
from service.rules.kernel.records import changed, record
from service.rules.rolls.chance import Chance
from service.rules.space.grid import FEET


@record
class SceneryChanged(Event[State]):
    """Cells are lit, deep, steep or high in another way from now on; what is null stays as it was."""

    type: ClassVar[str] = "scenery_changed"
    cells: tuple[tuple[int, int], ...]
    light: Light | None = None
    ambient: Light | None = None
    water: Water | None = None
    climb_cn: int | None = None
    height_ft: int | None = None

    def evolve(self, state: State) -> State:
        scenery, keys = state.scenery, [f"{x},{y}" for x, y in self.cells]
        changes: dict[str, object] = {
            name: _put(getattr(scenery, name), keys, value)
            for name, value in (
                ("light", self.light),
                ("water", self.water),
                ("climb_cn", self.climb_cn),
                ("heights", self.height_ft),
            )
            if value is not None
        }
        if self.ambient is not None:
            changes["ambient"] = self.ambient
        return changed(state, scenery=changed(scenery, **changes))


def _put(mapping: Mapping[str, Any], keys: list[str], value: object) -> Mapping[str, Any]:
    return {**mapping, **dict.fromkeys(keys, value)}


@record
class SetScenery(Effect):
    """Say how cells are lit, how deep their water is, what climbing them takes, or how high they lie."""

    kind: ClassVar[str] = "scenery"
    cells: tuple[tuple[int, int], ...] = ()
    light: Light | None = None
    ambient: Light | None = None
    """The light of every cell that has none of its own."""
    water: Water | None = None
    climb_cn: int | None = None
    height_ft: int | None = None

    def fault(self, view: State) -> str | None:
        if len(self.cells) > MOST:
            return f"at most {MOST} cells"
        if self.climb_cn is not None and not 0 <= self.climb_cn <= MOST:
            return f"a number from 0 to {MOST}"
        if self.height_ft is not None and (self.height_ft % FEET or abs(self.height_ft) > MOST):
            return "feet in steps of 5"
        return None

    def tell(self, state: State, chance: Chance, frame: EffectsFrame) -> Emits[State]:
        return (
            yield SceneryChanged(
                cells=self.cells,
                light=self.light,
                ambient=self.ambient,
                water=self.water,
                climb_cn=self.climb_cn,
                height_ft=self.height_ft,
                because=frame.rules,
            )
        )
