"""Say what the ground is like: terrain, light, water and heights."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from service.rules.heartrush.sheets.sheet import Size
from service.rules.kernel.records import EMPTY, record

Terrain = Literal["normal", "difficult", "shallow_water", "deep_water", "wall", "climb"]


Light = Literal["bright", "dim", "dark"]


@record
class Water:
    """Deep water: the smallest size that can stand in it (null: none), and whether heads are under it."""

    stands_from: Size | None = "minuscule"
    submerged: bool = False


@record
class Scenery:
    """What the ground is like besides its terrain; cells are written `x,y`."""

    ambient: Light = "bright"
    """The light of every cell that is not listed."""
    light: Mapping[str, Light] = EMPTY
    water: Mapping[str, Water] = EMPTY
    """Deep water that is not as everybody can stand in it."""
    climb_cn: Mapping[str, int] = EMPTY
    """The number of the might check a climbing cell asks for; one not listed is climbed freely."""
    sheer: tuple[str, ...] = ()
    """Climbing cells that nobody climbs."""
    heights: Mapping[str, int] = EMPTY
    """Feet that a cell lies above the others."""
