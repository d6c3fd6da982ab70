"""Explain one moment: why a commit says what it says, as one seat may know it.

Its events with their rules and the rulings on ambiguities they used, its dice with their derivation, and the
chain of every rule that took part, for whoever may read the command.
"""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import Any

from service.audit.explain import Step, chain
from service.encounter import play
from service.encounter.host import Host
from service.encounter.reading import explain, records, views
from service.encounter.stores import imports

Data = dict[str, Any]


def explanation(host: Host, encounter: str, seat: str, n: int) -> Data | None:
    """Return why commit *n* says what it says, as far as *seat* may know; None if there is no such commit."""
    head = records.head(host, encounter)
    found = play.became(host, encounter, seat, n) if 1 <= n <= head else None
    request = play.requested(host, encounter, n)
    if found is None or request is None:
        return None
    outcome = views.outcome_data(found.commit, found.payloads, found.reader)
    folded = host.folder.current(encounter, head)
    reasons = [explain.event_reasons(folded.ruleset, folded.state, event) for event in outcome["events"]]
    rolls = outcome["rolls"]
    derived = explain.derivations(host.log, encounter, folded.state, rolls)
    named = [rule["id"] for reason in reasons for rule in reason["rules"]]
    named += [term["rule"] for roll in rolls for term in roll["terms"]]
    reads = views.may_read_request(found.commit, found.reader, request.actor.seat)
    data: Data = {
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
    if reads:
        data["chain"] = [asdict(step) for step in _chain(host, encounter, found, n)]
        named += [step["rule"] for step in data["chain"]]
    return data | {"rules": explain.rules_named(named)}


def _chain(host: Host, encounter: str, found: play.Became, n: int) -> list[Step]:
    """Return the rules that took part, every envelope of the commit opened for the witness alone."""
    raw = next(entry.raw for entry in host.log.commands(encounter, n - 1, 1))
    before = replace(host.folder.at(encounter, n - 1), encounter=imports.record_at(host.log, encounter))
    return chain(before, raw, found.commit, found.payloads)
