"""Component names share one namespace: two schemas of one name fail, and both of their homes are named."""

from __future__ import annotations

from dataclasses import replace

import pytest

from service.api import resources
from service.api.fields import TextField
from service.api.openapi import document
from service.api.operations import OPERATIONS
from service.api.schemas import StrictSchema, strict
from service.api.shapes import COMPONENTS, DuplicateComponent, closed, component
from service.rules.kernel.meaning import text

WORDS = text("words", 100)


def declare_body(monkeypatch: pytest.MonkeyPatch, identity: str, body: StrictSchema) -> None:
    resources.load()
    model = OPERATIONS.all["createWebhook"]
    made = replace(model, id=identity, path=f"/v1/{identity}", body=body)
    made.handler = model.handler
    monkeypatch.setitem(OPERATIONS.all, identity, made)


def test_an_answer_with_the_name_of_a_schema_of_a_request_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    declare_body(monkeypatch, "putHead", strict("HeadOfTest", {"text": TextField(WORDS, required=True)}))
    component("HeadOfTest", closed("Another head."))
    try:
        with pytest.raises(DuplicateComponent) as caught:
            document()
    finally:
        del COMPONENTS["HeadOfTest"]
    assert str(caught.value) == (
        f"two components are called HeadOfTest: the body of putHead, and an answer in {__name__}; rename one"
    )


def test_two_requests_with_schemas_of_one_name_fail(monkeypatch: pytest.MonkeyPatch) -> None:
    declare_body(monkeypatch, "putOne", strict("PartOfTest", {"text": TextField(WORDS, required=True)}))
    declare_body(monkeypatch, "putOther", strict("PartOfTest", {"note": TextField(WORDS, required=True)}))
    with pytest.raises(DuplicateComponent, match=r"PartOfTest: the body of putOne, and the body of putOther"):
        document()


def test_two_requests_may_share_one_schema(monkeypatch: pytest.MonkeyPatch) -> None:
    shared = strict("SharedOfTest", {"text": TextField(WORDS, required=True)})
    for identity in ("putOne", "putOther"):
        declare_body(monkeypatch, identity, shared)
    assert "SharedOfTest" in document()["components"]["schemas"]


def test_two_answers_of_one_name_fail_when_they_are_declared() -> None:
    resources.load()
    name = next(iter(COMPONENTS))
    with pytest.raises(
        DuplicateComponent, match=f"{name}: an answer in service.*, and an answer in {__name__}"
    ):
        component(name, closed("Another."))
