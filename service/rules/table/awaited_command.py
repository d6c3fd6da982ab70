"""The base of commands that are legal exactly while they are awaited."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar, Final, TypeVar

from service.rules.kernel.hints import Choice, Scalar, Shape, fields_of
from service.rules.kernel.messages import Awaited, Command, Offer, Refused
from service.rules.kernel.records import record
from service.rules.kernel.rulebook import RULING, Rule, enforces
from service.rules.kernel.values import CreatureId
from service.rules.table.table import Table

TABLE_ANSWER_1: Final = Rule(
    "TABLE-ANSWER-1",
    "A command that answers a prompt is legal while the prompt awaits it from its seat, for its creature.",
    RULING,
)


S = TypeVar("S", bound=Table)


@enforces(TABLE_ANSWER_1)
@record
class AwaitedCommand(Command[S]):
    """A command that answers a prompt: legal while the prompt awaits it from its seat, for its creature.

    It offers every value of its fields whose type is a `Literal` or `bool`; a class with other fields, or
    that refuses some of these values, has `offers` of its own.
    """

    abstract: ClassVar[bool] = True
    creature: CreatureId

    def check(self, view: S) -> None:
        owed = view.top.waiting(view) if view.top is not None else ()
        mine = [each for each in owed if (each.seat, each.creature) == (self.by.seat, self.creature)]
        if not any(self.type in each.accepts for each in mine):
            raise Refused(
                "not_awaited", f"{self.by.seat} cannot {self.type} for {self.creature} now", TABLE_ANSWER_1.id
            )

    @classmethod
    def offers(cls, view: S, awaited: Awaited) -> Iterator[Offer]:
        kind: Any = cls
        every = {field.name: field.shape for field in fields_of(kind) if field.given}
        yield Offer(type=cls.type, creature=awaited.creature, choices=dict(_choices(every)))


def _choices(shapes: Mapping[str, Shape]) -> Iterator[tuple[str, tuple[Any, ...]]]:
    for name, shape in shapes.items():
        if isinstance(shape, Choice):
            yield name, shape.values
        elif isinstance(shape, Scalar) and shape.kind is bool:
            yield name, (True, False)
