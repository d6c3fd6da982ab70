"""Explain a commit: which rules spoke, which dice fell, and how their faces follow."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any, Final

from service.api.call import Answer, Call
from service.api.operations import Shape, operation
from service.api.problems import not_found
from service.audit.explain import Step, chain
from service.encounter import explain, play, records, views

TAG: Final = "Record"


@operation(
    "GET",
    "/v1/encounters/{encounter}/commits/{n}/explanation",
    "explainCommit",
    TAG,
    answers={200: Shape("The explanation.", "Explanation"), 304: Shape("Nothing has changed.")},
)
def explain_commit(call: Call) -> Answer:
    """Tell why a commit says what it says: its events with their rules, its dice with their derivation.

    `chain` lists every rule that took part, in the order of their calls: the command is decided again,
    watched. It is for whoever may read the command: its seat, outside sealed choices the gm, and everybody
    once nothing in the commit is sealed any more.

    A roll's keys are told once its epoch is disclosed, at the end of its round; from then on anybody can
    compute the faces again.
    """
    n, host = call.number("n"), call.host
    head = records.head(host, call.encounter)
    found = play.became(host, call.encounter, call.me.seat, n) if 1 <= n <= head else None
    request = play.requested(host, call.encounter, n)
    if found is None or request is None:
        raise not_found()
    outcome = views.outcome_data(found.commit, found.payloads, found.reader)
    folded = host.folder.current(call.encounter, head)
    reasons = [explain.event_reasons(folded.ruleset, folded.state, event) for event in outcome["events"]]
    rolls = outcome["rolls"]
    derived = explain.derivations(host.log, folded.state, rolls)
    named = [rule["id"] for reason in reasons for rule in reason["rules"]]
    named += [term["rule"] for roll in rolls for term in roll["terms"]]
    reads = views.may_read_request(found.commit, found.reader, request.actor.seat)
    data: dict[str, Any] = {
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
        data["chain"] = [asdict(step) for step in _chain(call, found, n)]
        named += [step["rule"] for step in data["chain"]]
    return Answer(data | {"rules": explain.rules_named(named)}, version=f"{n}-{head}")


def _chain(call: Call, found: play.Became, n: int) -> list[Step]:
    """Return the rules that took part, every envelope of the commit opened for the witness alone."""
    host = call.host
    raw = next(entry.raw for entry in host.log.commands(call.encounter, n - 1, 1))
    return chain(host.folder.at(call.encounter, n - 1), raw, found.commit, found.payloads)
