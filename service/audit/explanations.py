"""Explain one commit to one seat.

An explanation contains the events with their rules and the rulings on ambiguities that they used, and the
dice with their derivation. A seat that may read the command also gets the chain of rules that took part.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

from service.audit.explain import ExplainedStep, chain
from service.core import explain, sentences, views
from service.core.decide import FoldedState
from service.rules.kernel.sealed import is_opened, places_of_sealed
from service.rules.table.table import Table
from service.stores import imports
from service.usecases import reading, sending
from service.usecases.services import Services

Data = dict[str, Any]
_KEPT: Final = ("sheet/", "hidden_creature/")
"""Prefixes of the occasions that open GM-only fields and hidden creatures."""


def explanation(
    services: Services,
    encounter: str,
    seat: str,
    n: int,
    *,
    consulted: bool = False,
    is_bounded: bool = True,
) -> Data | None:
    """Return the explanation of commit *n* that *seat* may see; None if there is no such commit.

    With *consulted* it has the chain of every rule that was called, and those of them that decided nothing.
    Raises `ChainTooLong` if the chain *is_bounded*.
    """
    head = reading.head(services, encounter)
    found = sending.result_of(services, encounter, seat, n) if 1 <= n <= head else None
    request = sending.requested(services, encounter, n)
    if found is None or request is None:
        return None
    outcome = views.outcome_data(found.commit, found.payloads, found.reader)
    folded = services.folder.current(encounter, head)
    reasons = [explain.event_reasons(folded.ruleset, folded.state, event) for event in outcome["events"]]
    names = sentences.names_for(folded.ruleset, folded.state, seat)
    speech = sentences.speech_of(folded.ruleset)
    for reason in reasons:
        reason["text"] = sentences.sentence(reason["event"], names, speech)
    rolls = outcome["rolls"]
    derived = explain.derivations(services.log, encounter, folded.state, rolls)
    named = [rule["id"] for reason in reasons for rule in reason["rules"]]
    named += [term["rule"] for roll in rolls for term in roll["terms"]]
    reads = views.may_read_request(found.commit, found.reader, request.actor.seat)
    data: Data = {
        "answer": explain.answer(folded.ruleset, outcome, reasons, names, request.type if reads else None),
        "n": n,
        "hash": found.commit.hash,
        "type": request.type if reads else None,
        "outcome": outcome["outcome"],
        "events": reasons,
        "rolls": [
            {"roll": roll, "text": explain.roll_text(roll), "derivation": derivation}
            for roll, derivation in zip(rolls, derived, strict=True)
        ],
    }
    if "refusal" in outcome:
        data["refusal"] = outcome["refusal"]
        named += [outcome["refusal"]["rule"]] if outcome["refusal"]["rule"] else []
    data["rules"] = explain.rules_named(folded.ruleset, named)
    before = services.folder.at(encounter, n - 1) if consulted and reads else None
    if before is not None and not _is_hidden_from(before.state, found.reader):
        steps = _chain(services, before, encounter, found, n, is_bounded=is_bounded)
        data["chain"] = [{"rule": step.rule, "depth": step.depth} for step in steps]
        others = (step["rule"] for step in data["chain"] if step["rule"] not in named)
        data["consulted"] = explain.rules_named(folded.ruleset, others)
    return data


def _is_hidden_from(state: Table, reader: views.Reader) -> bool:
    """Return whether *state* holds a GM-only field or a hidden creature that is closed to *reader*.

    The rules that took part, and how often, would leak such values: a faster creature looks at more cells.
    """
    return any(
        sealed.opens.startswith(_KEPT)
        and f"seat:{reader.seat}" not in sealed.audience
        and not is_opened(sealed.opens, reader.occasions)
        for _, sealed in places_of_sealed(state)
    )


def _chain(
    services: Services,
    before: FoldedState[Any],
    encounter: str,
    found: sending.CommandResult,
    n: int,
    *,
    is_bounded: bool,
) -> list[ExplainedStep]:
    """Return the rules that took part; the commit's envelopes are opened only to decide it again."""
    raw = next(entry.raw for entry in services.log.commands(encounter, n - 1, 1))
    before = replace(before, encounter=imports.record_at(services.log, encounter))
    return chain(before, raw, found.commit, found.payloads, is_bounded=is_bounded)
