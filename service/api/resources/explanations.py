"""Explain a commit: its events with their rules, and its rolls with the derivation of their faces."""

from __future__ import annotations

from typing import Final

from service.api.answers import EVENT, REFUSAL, ROLL
from service.api.operations import READERS, UNCHANGED, ResponseSchema, operation
from service.api.parameters import Parameter
from service.api.problems import Problem, not_found
from service.api.request import ApiRequest, ApiResponse
from service.api.shapes import HASH, NUMBER, TEXT, TRUTH, closed, component, listing, maybe, ref
from service.audit.explain import ChainTooLong
from service.audit.explanations import explanation
from service.usecases import reading

TAG: Final = "Record"
_WHY: Final = closed(
    "An event, the rules that caused it, and the house rulings on ambiguities that they applied.",
    text={**TEXT, "description": "The event in a sentence; empty if other events make it visible."},
    event=EVENT,
    rules=listing(ref("Rule")),
    rulings=listing(
        closed(
            "An ambiguity of the rulebook and how this encounter settles it.",
            ambiguity=TEXT,
            option=maybe(TEXT),
            value={},
            text={**TEXT, "description": "What holds at this table, as a sentence."},
        )
    ),
)
_DERIVATION: Final = closed(
    "How the faces are derived; link, key and faces are present once the roll's epoch is disclosed.",
    {"link": HASH, "key": HASH, "faces": listing(NUMBER)},
    algorithm=TEXT,
    disclosed=TRUTH,
    name=TEXT,
)
_STEP: Final = closed("A rule that was called, and its depth in the chain of calls.", rule=TEXT, depth=NUMBER)
EXPLANATION: Final = component(
    "Explanation",
    closed(
        "The explanation of a commit.",
        {
            "refusal": REFUSAL,
            "chain": {
                **listing(_STEP),
                "description": "With `?consulted=true`: every rule that was called, in order.",
            },
            "consulted": {
                **listing(ref("Rule")),
                "description": "With `?consulted=true`: the rules that were called and decided nothing.",
            },
        },
        answer={**TEXT, "description": "One sentence: what came of the command, and why."},
        n=NUMBER,
        hash=HASH,
        type={**maybe(TEXT), "description": "The command's type; null if this seat may not know it."},
        outcome={"enum": ["accepted", "refused", "sealed", "quarantined"]},
        events=listing(_WHY),
        rolls=listing(
            closed(
                "A roll, in words too, and its derivation.",
                roll=ROLL,
                text=TEXT,
                derivation=_DERIVATION,
            )
        ),
        rules={**listing(ref("Rule")), "description": "The rules that decided."},
    ),
)


@operation(
    "GET",
    "/v1/encounters/{encounter}/commits/{n}/explanation",
    "explainCommit",
    TAG,
    roles=READERS,
    query=(
        Parameter(
            "consulted", "`true`: also the rules that were called and decided nothing.", pattern="true"
        ),
    ),
    answers={200: ResponseSchema("The explanation.", EXPLANATION), 304: UNCHANGED},
)
def explain_commit(request: ApiRequest) -> ApiResponse:
    """Explain a commit: in a sentence, by its events with their rules, by its rolls and how they are derived.

    With `?consulted=true` the service decides the command again and traces it: `chain` lists every rule that
    was called, in order, and `consulted` those that decided nothing. Both are for those who may read the
    command: its seat, the gm except for sealed choices, and everybody once nothing in it is sealed. What
    takes too much work to trace is refused (`too-much-work`); `rewound explain --consulted` traces it, from a
    bundle.

    A roll has its keys once its epoch is disclosed, at the end of its round. Then anybody can recompute it.
    """
    n = request.number("n")
    head = reading.head(request.services, request.encounter)
    asked = "consulted" in request.query
    try:
        data = explanation(request.services, request.encounter, request.me.seat, n, consulted=asked)
    except ChainTooLong as fault:
        raise Problem("too-much-work", f"{fault}: ask without `?consulted=true`") from fault
    if data is None:
        raise not_found(f"there is no commit {n}: the newest is {head}") if n > head else not_found()
    return ApiResponse(data, version=f"{n}-{head}")
