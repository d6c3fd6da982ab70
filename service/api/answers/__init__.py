"""Describe what the API answers: one component per shape, as JSON Schema.

The OpenAPI document is made from these, and the tests hold every answer to them. Objects that the service
spells itself are closed; what a ruleset spells (events, states, rolls' purposes) is open beyond what all
share. A component stands in the module of what it tells.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from service.api.answers.operating import OPERATING
from service.api.answers.play import PLAY
from service.api.answers.record import RECORD
from service.api.answers.rulebooks import RULEBOOKS
from service.api.answers.rulings import RULINGS
from service.api.answers.webhooks import WEBHOOKS
from service.api.shapes import Schema

COMPONENTS: Final[Mapping[str, Schema]] = MappingProxyType(
    {**OPERATING, **PLAY, **RECORD, **RULEBOOKS, **RULINGS, **WEBHOOKS}
)
