"""Take sealed values out of plain data and put them back, by JSON pointer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from service.rules.json_pointer import steps

Data = Any
"""Plain data of any shape."""


def holder(data: Data, way: list[str]) -> Data:
    """Return what stands at the end of *way*; None where it does not lead on."""
    for step in way:
        if isinstance(data, list):
            data = data[int(step)]
        elif isinstance(data, dict) and step in data:
            data = data[step]
        else:
            return None
    return data


def taken(data: Data, pointer: str) -> Data:
    """Return what stands at *pointer*, and leave its closed envelope there."""
    *way, last = steps(pointer)
    at = holder(data, way)
    key = int(last) if isinstance(at, list) else last
    value = at[key]
    at[key] = {name: value[name] for name in ("sealed", "shown") if name in value}
    return value


def put(data: Data, pointer: str, value: Data) -> bool:
    """Put *value* where *pointer* says; False if its place is still sealed itself."""
    *way, last = steps(pointer)
    at = holder(data, way)
    if at is None:
        return False
    at[int(last) if isinstance(at, list) else last] = value
    return True


# --- fields of events --------------------------------------------------------------------------------

Fields = Mapping[str, Mapping[str, Data]]
"""What lies in envelopes of fields of events: by event (`3`, or `4/0` inside envelope 4), then by pointer."""


def fields_in(payloads: Mapping[int, Mapping[str, Data]]) -> Fields:
    """Return the fields of events that lie in the envelopes of one commit."""
    found: dict[str, dict[str, Data]] = {}
    for payload in payloads.values():
        for event, values in payload.get("fields", {}).items():
            found.setdefault(event, {}).update(values)
    return found


def whole(event: Mapping[str, Data], fields: Mapping[str, Data] | None, *, opened: bool = False) -> Data:
    """Return *event* with *fields* in place: sealed as they are kept, or *opened* for who may read them."""
    if not fields:
        return event
    data = _copied(event)
    for pointer, value in sorted(fields.items()):
        put(data, pointer, value["value"] if opened else value)
    return data


def _copied(data: Data) -> Data:
    """Return *data* with lists and objects of its own."""
    if isinstance(data, Mapping):
        return {key: _copied(item) for key, item in data.items()}
    return [_copied(item) for item in data] if isinstance(data, list | tuple) else data
