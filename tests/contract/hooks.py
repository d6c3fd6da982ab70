"""Teach the public tool what it does not know: bundles are text, one JSON object a line."""

from __future__ import annotations

from typing import Any

import schemathesis


@schemathesis.serializer("application/jsonl")
def as_text(_context: Any, value: Any) -> bytes:
    """Return the body as it is sent."""
    return value if isinstance(value, bytes) else str(value).encode("utf-8", "surrogatepass")
