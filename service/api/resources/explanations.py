"""Explain a commit: which rules spoke, which dice fell, and how their faces follow."""

from __future__ import annotations

from typing import Final

from service.api.answers import EVENT, REFUSAL, ROLL
from service.api.operations import READERS, UNCHANGED, ResponseSchema, operation
from service.api.problems import not_found
from service.api.request import ApiRequest, ApiResponse
from service.api.shapes import HASH, NUMBER, TEXT, TRUTH, closed, component, listing, maybe, ref
from service.audit.explanations import explanation
from service.usecases import reading

TAG: Final = "Record"
_WHY: Final = closed(
    "An event, the rules it came from, and the house's rulings on ambiguities that they used.",
    event=EVENT,
    rules=listing(ref("Rule")),
    rulings=listing(
        closed(
            "An ambiguity of the books and how it is settled here.",
            ambiguity=TEXT,
            option=maybe(TEXT),
            value={},
            text=TEXT,
        )
    ),
)
_DERIVATION: Final = closed(
    "How the faces follow from what was published; the keys are told once the roll's epoch is disclosed.",
    {"link": HASH, "key": HASH, "faces": listing(NUMBER)},
    algorithm=TEXT,
    disclosed=TRUTH,
    name=TEXT,
)
_STEP: Final = closed("A rule that took part, and how deep in the chain of calls.", rule=TEXT, depth=NUMBER)
EXPLANATION: Final = component(
    "Explanation",
    closed(
        "Why a commit says what it says.",
        {"refusal": REFUSAL, "chain": listing(_STEP)},
        n=NUMBER,
        hash=HASH,
        type={**maybe(TEXT), "description": "The command's type, where this seat may know it."},
        outcome={"enum": ["accepted", "refused", "sealed", "quarantined"]},
        events=listing(_WHY),
        rolls=listing(closed("A roll and how it came about.", roll=ROLL, text=TEXT, derivation=_DERIVATION)),
        rules=listing(ref("Rule")),
    ),
)


@operation(
    "GET",
    "/v1/encounters/{encounter}/commits/{n}/explanation",
    "explainCommit",
    TAG,
    roles=READERS,
    answers={200: ResponseSchema("The explanation.", EXPLANATION), 304: UNCHANGED},
)
def explain_commit(request: ApiRequest) -> ApiResponse:
    """Tell why a commit says what it says: its events with their rules, its dice with their derivation.

    `chain` lists every rule that took part, in the order of their calls: the command is decided again,
    watched. It is for whoever may read the command: its seat, outside sealed choices the gm, and everybody
    once nothing in the commit is sealed any more.

    A roll's keys are told once its epoch is disclosed, at the end of its round; from then on anybody can
    compute the faces again.
    """
    n = request.number("n")
    head = reading.head(request.services, request.encounter)
    data = explanation(request.services, request.encounter, request.me.seat, n)
    if data is None:
        raise not_found()
    return ApiResponse(data, version=f"{n}-{head}")
