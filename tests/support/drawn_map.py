"""Draw the map of an opening in characters: what cells are made of, walls and doors, who is where."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from service.rules.space.walls import edge_at, key_of

GROUND = {
    "wall": "###",
    "difficult": " , ",
    "obstacle": " o ",
    "shallow_water": " ~ ",
    "deep_water": "~~~",
    "climb": " ^ ",
}
ACROSS = {"ledge": "===", "wall": "---", "closed_door": "-D-", "open_door": "- -"}
DOWN = {"ledge": "=", "wall": "|", "closed_door": "D", "open_door": ":"}
LIGHT = {"bright": "*", "dim": ":", "dark": "%"}


def drawn(opening: Mapping[str, Any]) -> str:
    """Return the picture of an opening: its columns are named above, its rows at the left."""
    terrain, walls = opening.get("terrain", {}), opening.get("walls", {})
    scenery = opening.get("scenery", {})
    walls = {**dict.fromkeys(scenery.get("ledges", ()), "ledge"), **walls}
    heights, light = scenery.get("heights", {}), scenery.get("light", {})
    names = {_key(*each["position"]): _initial(each) for each in opening["creatures"]}
    items = {_key(*at): "!" for at in opening.get("items", {}).values()}
    named = [*terrain, *heights, *light, *names, *items]
    places = [tuple(map(int, key.split(","))) for key in named]
    places += [cell for key in walls if (edge := edge_at(key)) is not None for cell in edge]
    left, right = min(x for x, _ in places), max(x for x, _ in places)
    upper, lower = min(y for _, y in places), max(y for _, y in places)

    def inside(x: int, y: int) -> str:
        key = _key(x, y)
        ground = GROUND.get(terrain.get(key, ""), "   ")
        mark = {**items, **names}.get(key, ground[1])
        shine = light.get(key, scenery.get("ambient", "bright"))
        before = LIGHT[shine] if light or "ambient" in scenery else ground[0]
        high = str(heights[key]) if key in heights else ""
        return f"{high}{mark}".ljust(3) if high else f"{before}{mark}{ground[2]}"

    def corner(x: int, y: int) -> str:
        around = (
            key_of((x - 1, y - 1), (x, y - 1)),
            key_of((x - 1, y), (x, y)),
            key_of((x - 1, y - 1), (x - 1, y)),
            key_of((x, y - 1), (x, y)),
        )
        return "+" if any(key in walls for key in around) else "."

    columns = range(left, right + 1)
    lines = ["    " + "   ".join(f"{x:^2}".rstrip().ljust(1) for x in columns)]
    for y in range(upper, lower + 2):
        edges = (ACROSS.get(walls.get(key_of((x, y - 1), (x, y)), ""), "   ") for x in columns)
        line = "   " + "".join(corner(x, y) + edge for x, edge in zip(columns, edges, strict=True))
        lines.append(line + corner(right + 1, y))
        if y <= lower:
            cells = "".join(
                DOWN.get(walls.get(key_of((x - 1, y), (x, y)), ""), " ") + inside(x, y) for x in columns
            )
            lines.append(f"{y:>2} {cells}" + DOWN.get(walls.get(key_of((right, y), (right + 1, y)), ""), " "))
    return "\n".join(line.rstrip() for line in lines if line.strip()) + "\n"


def _key(x: int, y: int) -> str:
    return f"{x},{y}"


def _initial(entry: Mapping[str, Any]) -> str:
    name: str = (entry.get("sheet") or entry)["id"]
    return name[0].upper()
