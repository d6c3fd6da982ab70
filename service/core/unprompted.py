"""List what a seat may do without being asked, and say why a command is not legal now.

Both are judged on the seat's view, by the checks of the commands themselves: nothing here knows a rule. A
command is tried with every value that is known for its fields, and with the least value of the others.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice, product
from typing import Any, Final, TypeVar

from service.core.sentences import in_words, inside, name_of
from service.rules.kernel.codec import Malformed, from_data, to_data
from service.rules.kernel.hints import (
    Alternatives,
    AnyList,
    Choice,
    FieldShape,
    FixedList,
    Nothing,
    Scalar,
    Shape,
    fields_of,
    kind_in,
)
from service.rules.kernel.messages import Actor, Awaited, Command, Refused
from service.rules.kernel.sealed import EnvelopeClosed, view
from service.rules.ruleset import Ruleset
from service.rules.secrecy.hiding import HidingTable
from service.rules.table.table import GM, Table
from service.rules.table.unprompted import PLAYER, Unprompted

S = TypeVar("S", bound=Table)
Data = dict[str, Any]

MOST_TRIED: Final = 60
"""How many combinations of the values that must be given are tried."""
NOTHING_TO_CHOOSE: Final = "nothing_to_choose"
LISTED: Final = frozenset({"creatures", "subjects", "viewers", "unaware", "partly_unaware", "surprised"})
"""Fields that list creatures, in both books."""
_ID: Final = re.compile(r"[a-z0-9][a-z0-9-]*")
OTHERS: Final = frozenset({"target", "attacker", "patient", "toward", "after"})
"""Fields that name a creature besides `creature`, in both books."""


def unprompted(ruleset: Ruleset[S], state: S, seat: str) -> list[Data]:
    """Return the commands that *seat* may send although no prompt awaits them, as offers with a heading.

    Each has `choices` for the fields whose values are known, `called` for what numbers in them stand for,
    `lists` for fields that list such values, `asks` for those that a person must write, and `may_ask` for
    those that a person may. `refusal` says why none is legal now; None if one may be.
    """
    seen = view(state, seat)
    role = _role(seen, seat)
    return [
        _offered(ruleset, seen, seat, ruleset.commands[each.type], each)
        for each in ruleset.unprompted
        if each.type in ruleset.commands and role in each.roles
    ]


def refused(ruleset: Ruleset[S], state: S, seat: str, awaited: Awaited, offered: Iterable[str]) -> list[Data]:
    """Return why each command that answers *awaited* and is not *offered* is not legal now."""
    seen = view(state, seat)
    offers = set(offered)
    found: list[Data] = []
    for type_ in awaited.accepts:
        if type_ not in offers:
            given = {"creature": awaited.creature, "prompt": awaited.prompt}
            refusal = _refusal(ruleset, seen, seat, ruleset.commands[type_], given, most=1)
            if refusal is not None:
                found.append({"type": type_, "name": name_of(ruleset.commands[type_]), **refusal})
    return found


def _role(seen: Table, seat: str) -> str:
    return seen.seats[seat].role if seat in seen.seats else seat


def _offered(ruleset: Ruleset[S], seen: S, seat: str, kind: type[Command[S]], listed: Unprompted) -> Data:
    named: Any = kind
    fields = [each for each in fields_of(named) if each.given]
    free = [each for each in fields if each.name not in listed.writes]
    choices = {each.name: values for each in free if (values := _known(ruleset, seen, each)) is not None}
    if _role(seen, seat) == PLAYER and "creature" in choices:  # who acts; others are named by other fields
        choices["creature"] = [name for name in choices["creature"] if seen.controller(name) == seat]
    lists = {
        each.name: [token.id for token in ruleset.tokens(seen) if not token.hidden]
        for each in free
        if _lists_creatures(each)
    }
    asks = [each.name for each in fields if each.required and each.name not in {*choices, *lists}]
    may_ask = [each.name for each in fields if not each.required and each.name not in {*choices, *lists}]
    called = {name: words for name in choices if (words := _called(ruleset, seen, name))}
    empty = next((name for name, values in choices.items() if not values), None)
    refusal: Data | None = None
    if empty is not None:
        refusal = {"code": NOTHING_TO_CHOOSE, "detail": f"there is no {empty.replace('_', ' ')}"}
    elif not asks:  # what a person writes decides about the others
        refusal = _refusal(ruleset, seen, seat, kind, {})
    return {
        "heading": listed.heading,
        "name": name_of(kind),
        "text": (kind.__doc__ or "").split("\n")[0],
        "command": {"type": kind.type},
        "choices": to_data(choices),
        **({"called": called} if called else {}),
        "lists": to_data(lists),
        "asks": asks,
        "may_ask": may_ask,
        "refusal": refusal,
    }


def _refusal(
    ruleset: Ruleset[S],
    seen: S,
    seat: str,
    kind: type[Command[S]],
    given: Mapping[str, str | None],
    most: int | None = None,
) -> Data | None:
    """Return why no command of this *kind* is legal in the view *seen*, None if one is or may be.

    At *most* so many commands are tried, with None as many as are known.
    """
    by = Actor(seat=seat, role=_role(seen, seat))
    first: Refused | None = None
    for data in islice(_tries(ruleset, seen, seat, kind, given), most):
        try:
            command = from_data(kind, data, families=ruleset.families, by=by)
            place = command.place(seen)
            command.check(seen.at(place))
        except Refused as fault:
            first = first or fault
        except (Malformed, EnvelopeClosed, KeyError):  # nothing is known of a value that people write
            return None
        else:
            return None
    if first is None:
        return {"code": NOTHING_TO_CHOOSE, "detail": "there is nothing to choose"}
    return {"code": first.code, "detail": _with_names(ruleset, seen, first.detail)}


def _with_names(ruleset: Ruleset[S], seen: S, text: str) -> str:
    """Return *text* with the names of creatures in place of their ids."""
    names = {each.id: inside(each.name) for each in ruleset.tokens(seen)}
    return _ID.sub(lambda found: names.get(found[0], found[0]), text)


def _tries(
    ruleset: Ruleset[S], seen: S, seat: str, kind: type[Command[S]], given: Mapping[str, str | None]
) -> Iterator[Data]:
    """Yield data of commands: each combination of what is known of the fields that must be given.

    The creatures of *seat* come first: others may be out of its reach, and fill what is tried.
    """
    named: Any = kind
    needed = [each for each in fields_of(named) if each.given and each.required]
    likely = _likely(ruleset, seen, given.get("creature"))
    values: list[Sequence[Any]] = []
    for each in needed:
        own = given.get(each.name)
        if own is not None:
            values.append((own,))
            continue
        known = _tried(ruleset, seen, each)
        others = known if known is None else sorted(known, key=likely)
        if others is not None and each.name == "creature":
            others.sort(key=lambda name: seen.controller(name) != seat)
        values.append([_plain(each.shape)] if others is None else others)
    names = [each.name for each in needed]
    for chosen in islice(product(*values), MOST_TRIED):
        yield dict(zip(names, chosen, strict=True))
    least = {name: choices[0] for name, choices in zip(names, values, strict=True) if choices}
    if len(least) < len(names):
        return
    for each in fields_of(named):  # what need not be given may be what makes it legal, as a span of time
        if each.given and not each.required and each.name not in given:
            for value in _tried(ruleset, seen, each) or [_plain(_given(each.shape))]:
                yield {**least, each.name: value}


def _likely(ruleset: Ruleset[S], seen: S, creature: str | None) -> Callable[[Any], tuple[bool, bool, int]]:
    """Return a key that sorts whom a *creature* acts upon: the nearest of another side first, itself last."""
    tokens = {each.id: each for each in ruleset.tokens(seen)}
    own = tokens.get(creature or "")

    def key(value: Any) -> tuple[bool, bool, int]:  # noqa: ANN401 - JSON
        other = tokens.get(value) if isinstance(value, str) else None
        if own is None or other is None:
            return value == creature, False, 0
        far = max(abs(a - b) for a, b in zip(own.position, other.position, strict=False))
        return other.id == own.id, other.side == own.side, far

    return key


def _tried(ruleset: Ruleset[S], seen: S, field: FieldShape) -> list[Any] | None:
    """Return the values that *field* is tried with; None if a person writes it."""
    if _lists_creatures(field):
        return [[token.id] for token in ruleset.tokens(seen) if not token.hidden]
    return _known(ruleset, seen, field)


def _known(ruleset: Ruleset[S], seen: S, field: FieldShape) -> list[Any] | None:
    """Return the values that *field* may have on this table; None if a person writes it."""
    name, shape = field.name, field.shape
    players = [id_ for id_, seat in seen.seats.items() if seat.role == PLAYER and not seat.closed]
    is_list = isinstance(shape, AnyList)
    if not is_list and (kind_in(shape) == "creature" or name == "creature" or name in OTHERS):
        return [each.id for each in ruleset.tokens(seen) if not each.hidden]
    if name == "hidden_creature" and isinstance(seen, HidingTable):
        return [int(number) for number in seen.hidden_creatures]
    if name == "seat" and not field.required:
        return [None, *players]
    if name == "seat":
        return [id_ for id_, seat in seen.seats.items() if id_ != GM and not seat.closed]
    if name == "roll" and isinstance(shape, Scalar) and shape.kind is int:
        return [n for n in range(1, seen.screen.rolls + 1) if n not in seen.screen.shown]
    return _listed(shape)


def _called(ruleset: Ruleset[S], seen: S, name: str) -> dict[str, str]:
    """Return what values of the field *name* are called, where they are numbers for things with names."""
    if name != "hidden_creature" or not isinstance(seen, HidingTable):
        return {}
    known = seen.known_hidden()
    return {number: in_words(ruleset, "creature_hidden", "entry", entry) for number, entry in known.items()}


def _lists_creatures(field: FieldShape) -> bool:
    is_named = field.name in LISTED or kind_in(field.shape) == "creature"
    return is_named and isinstance(field.shape, AnyList)


def _listed(shape: Shape) -> list[Any] | None:
    """Return every value of *shape*, None if there are too many to list."""
    if isinstance(shape, Choice):
        return list(shape.values)
    return [False, True] if isinstance(shape, Scalar) and shape.kind is bool else None


def _given(shape: Shape) -> Shape:
    """Return the shape of a value that is there."""
    return shape.ways[0] if isinstance(shape, Alternatives) else shape


def _plain(shape: Shape) -> Any:  # noqa: ANN401 - JSON
    """Return the least value of *shape*, as data; an empty object for a record, which is malformed."""
    if isinstance(shape, Alternatives):
        return None if shape.optional else _plain(shape.ways[0])
    if isinstance(shape, Scalar):
        return {str: "-", int: max(1, shape.meaning.least or 0), bool: False}[shape.kind]
    if isinstance(shape, Choice):
        return shape.values[0]
    if isinstance(shape, FixedList):
        return [_plain(each) for each in shape.items]
    if isinstance(shape, AnyList):
        return []
    return None if isinstance(shape, Nothing) else {}
