"""Explain a commit: which rules spoke, which dice fell, and how their faces follow."""

from __future__ import annotations

from typing import Final

from service.api.call import Answer, Call
from service.api.operations import READERS, Shape, operation
from service.api.problems import not_found
from service.audit.moment import explanation
from service.encounter.reading import records

TAG: Final = "Record"


@operation(
    "GET",
    "/v1/encounters/{encounter}/commits/{n}/explanation",
    "explainCommit",
    TAG,
    roles=READERS,
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
    n = call.number("n")
    head = records.head(call.host, call.encounter)
    data = explanation(call.host, call.encounter, call.me.seat, n)
    if data is None:
        raise not_found()
    return Answer(data, version=f"{n}-{head}")
