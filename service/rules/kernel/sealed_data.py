"""Take sealed values out of plain data and put them back, by JSON pointer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from service.rules.kernel.json_pointer import steps

Data = Any
"""Plain data of any shape."""


def holder(data: Data, way: list[str]) -> Data:
    """Return the value at the path *way* in *data*, None if there is none."""
    for step in way:
        if isinstance(data, list):
            data = data[int(step)]
        elif isinstance(data, dict) and step in data:
            data = data[step]
        else:
            return None
    return data


def taken(data: Data, pointer: str) -> Data:
    """Return the sealed value at *pointer*, and leave its closed form in its place."""
    *way, last = steps(pointer)
    at = holder(data, way)
    key = int(last) if isinstance(at, list) else last
    value = at[key]
    at[key] = {name: value[name] for name in ("sealed", "shown") if name in value}
    return value


def put(data: Data, pointer: str, value: Data) -> bool:
    """Put *value* at *pointer*; returns False if that place is itself inside a sealed value."""
    *way, last = steps(pointer)
    at = holder(data, way)
    if at is None:
        return False
    at[int(last) if isinstance(at, list) else last] = value
    return True


# --- fields of events --------------------------------------------------------------------------------

Fields = Mapping[str, Mapping[str, Data]]
"""Sealed fields of events by event (`3`, or `4/0` inside envelope 4), then by JSON pointer."""


def fields_in(payloads: Mapping[int, Mapping[str, Data]]) -> Fields:
    """Return the sealed fields of events in the envelopes of one commit."""
    found: dict[str, dict[str, Data]] = {}
    for payload in payloads.values():
        for event, values in payload.get("fields", {}).items():
            found.setdefault(event, {}).update(values)
    return found


def whole(event: Mapping[str, Data], fields: Mapping[str, Data] | None, *, opened: bool = False) -> Data:
    """Return *event* with its sealed *fields* put in place, or with their values if *opened*."""
    if not fields:
        return event
    data = _copied(event)
    for pointer, value in sorted(fields.items()):
        put(data, pointer, value["value"] if opened else value)
    return data


def _copied(data: Data) -> Data:
    """Return a deep copy of *data*."""
    if isinstance(data, Mapping):
        return {key: _copied(item) for key, item in data.items()}
    return [_copied(item) for item in data] if isinstance(data, list | tuple) else data
