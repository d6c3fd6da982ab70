"""Evaluate the few forms of PromQL that our alert rules use, on two scrapes.

A rule is comparisons joined by `and`. A side is a selector, a quotient of two, or `increase(…)` of one,
perhaps in `sum(…)`; an increase is the difference of the two scrapes, and an average over time that of the
last one alone. Anything else is refused.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Mapping
from typing import Final

Labels = tuple[tuple[str, str], ...]
Samples = Mapping[tuple[str, Labels], float]

_COMPARED: Final = re.compile(r"(.+?) (==|>|<) ([0-9.]+)")
_INCREASE: Final = re.compile(r"increase\((.+)\[\d+[mh]\]\)")
_AVERAGE: Final = re.compile(r"avg_over_time\((.+)\[\d+[mh]\]\)")
_SUM: Final = re.compile(r"sum\((.+)\)")
_SELECTOR: Final = re.compile(r"([a-z_]+)(?:\{([^}]*)\})?")
_LABEL: Final = re.compile(r'(\w+)(=~|=)"([^"]*)"')
_COMPARES: Final[Mapping[str, Callable[[float, float], bool]]] = {
    "==": operator.eq,
    ">": operator.gt,
    "<": operator.lt,
}


def fires(rule: str, before: Samples, now: Samples) -> bool:
    """Return whether *rule* holds for any series; *before* is an earlier scrape."""
    return all(_holds(part, before, now) for part in rule.split(" and "))


def names_in(expression: str) -> set[str]:
    """Return the names of the metrics in *expression*."""
    return set(re.findall(r"\b(?:rewound_\w+|up)\b", expression))


def _holds(comparison: str, before: Samples, now: Samples) -> bool:
    found = _COMPARED.fullmatch(comparison)
    assert found, f"not a comparison: {comparison}"
    values = _values(found[1], before, now)
    return any(_COMPARES[found[2]](value, float(found[3])) for value in values.values())


def _values(term: str, before: Samples, now: Samples) -> dict[Labels, float]:
    if summed := _SUM.fullmatch(term):
        return {(): sum(_values(summed[1], before, now).values())}
    if increased := _INCREASE.fullmatch(term):
        then = _values(increased[1], before, before)
        later = _values(increased[1], now, now)
        return {labels: value - then[labels] for labels, value in later.items() if labels in then}
    if averaged := _AVERAGE.fullmatch(term):
        return _values(averaged[1], before, now)
    if " / " in term:
        one, other = (_values(side, before, now) for side in term.split(" / "))
        return {labels: one[labels] / other[labels] for labels in one.keys() & other.keys() if other[labels]}
    found = _SELECTOR.fullmatch(term)
    assert found, f"not a selector: {term}"
    wanted = _LABEL.findall(found[2] or "")
    return {
        labels: value
        for (name, labels), value in now.items()
        if name == found[1] and all(_matches(dict(labels), *each) for each in wanted)
    }


def _matches(labels: Mapping[str, str], name: str, how: str, value: str) -> bool:
    said = labels.get(name, "")
    return re.fullmatch(value, said) is not None if how == "=~" else said == value
