"""Replay a bundle from one file, in a browser without a network: verified first, then shown on its map."""

from __future__ import annotations

import json
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path
from typing import Any, Final

import pytest
from playwright.sync_api import Page, expect

from service.api.single_file import single_file, unpacked
from service.cli.replay_page import content_of
from tests.page.accessibility import faults_of
from tests.page.conftest import Open

pytestmark = pytest.mark.slow  # a browser starts

BUNDLE: Final = Path(__file__).parents[1] / "audit" / "golden" / "heartrush-redone.jsonl"
PHONE: Final = {"width": 390, "height": 844}

Content = dict[str, Any]


@pytest.fixture(scope="module")
def content() -> Content:
    return content_of(BUNDLE.name, BUNDLE.read_bytes())


def shown(window: Open, content: Content, folder: Path, **how: Any) -> Page:
    """Open the file of *content* from disk, in a window without a network."""
    file = folder / "replay.html"
    file.write_text(single_file("fight/fight.html", "fight/replayed.mjs", content), "utf-8")
    return window(offline=True, **how).visit(file.as_uri())


def lines_of(bundle: str, kind: str) -> list[dict[str, Any]]:
    return [line for line in map(json.loads, bundle.splitlines()) if line["kind"] == kind]


def path_of(bundle: str) -> list[dict[str, Any]]:
    """Return the commits on the path of the fight: a line continues an earlier one after its commit n."""
    header, *rest = map(json.loads, bundle.splitlines())
    line = header["encounter"]
    paths: dict[str, list[dict[str, Any]]] = {line: []}
    for each in rest:
        if each["kind"] == "line":
            line = each["encounter"]
            paths[line] = paths[each["parent"]][: each["n"]]
        elif each["kind"] == "commit":
            paths[line].append(each)
    return paths[line]


def test_a_bundle_is_verified_and_replayed_from_one_file_without_a_network(
    content: Content, window: Open, tmp_path: Path
) -> None:
    page = shown(window, content, tmp_path)
    commits = path_of(content["bundle"])
    assert len(commits) < len(lines_of(content["bundle"], "commit")), "something was taken back"
    expect(page.locator(".entry[data-n]")).to_have_count(len(commits))
    expect(page.locator(".mark-proof")).to_have_text("Consistent, no key given")
    expect(page.get_by_role("tab", name="Act")).to_have_count(0)
    for n in (len(commits), 12, 1):
        page.get_by_label("Commit", exact=True).fill(str(n))
        expect(page.locator(".count")).to_have_text(f"{n} / {len(commits)}")
        tokens = tokens_at(content, n)
        expect(page.locator("[data-creature]")).to_have_count(len(tokens))
        for id_, token in tokens.items():
            says = page.locator(f"[data-creature='{id_}']").get_attribute("aria-label")
            assert says is not None
            assert f"{token['hp']} of {token['hp_max']} hit points" in says
    for commit, sentences in zip(commits, content["sentences"], strict=True):
        for sentence in sentences:
            expect(page.locator(f"li[data-n='{commit['n']}']")).to_contain_text(sentence.strip("()")[1:])
    page.get_by_label("Why? Explain commit 12").click()
    expect(page.locator(".why .answer")).to_be_visible()


def test_the_mark_is_green_with_the_key_that_signed(content: Content, window: Open, tmp_path: Path) -> None:
    page = shown(window, content, tmp_path)
    (key,) = {key["public"] for key in lines_of(content["bundle"], "key")}
    page.locator(".mark-proof").click()
    field = page.get_by_label("Keys that you accept")
    field.fill("no key")
    page.get_by_role("button", name="Verify it here").click()
    expect(page.locator("#panel-proof .fault")).to_have_text("no key is not a valid key")
    field.fill(key)
    page.get_by_role("button", name="Verify it here").click()
    expect(page.locator(".mark-proof")).to_have_text("✓ Proved")
    field.fill("11" * 32)
    page.get_by_role("button", name="Verify it here").click()
    expect(page.locator(".mark-proof")).not_to_have_text("✓ Proved")
    with page.expect_download() as download:
        page.get_by_role("button", name="Download the proof").click()
    assert download.value.path().read_bytes() == BUNDLE.read_bytes()


def without_the_last_sentence(content: Content) -> Content:
    return content | {"sentences": content["sentences"][:-1]}


def without_the_last_change(content: Content) -> Content:
    changes = content["answers"]["/creatures/changes"]
    fewer = changes | {"changes": changes["changes"][:-1]}
    return content | {"answers": content["answers"] | {"/creatures/changes": fewer}}


def with_another_time(content: Content) -> Content:
    changed = content["bundle"].replace('\\"at\\":\\"20', '\\"at\\":\\"30', 1)
    assert changed != content["bundle"]
    return content | {"bundle": changed}


def cut_short(content: Content) -> Content:
    return content | {"bundle": "\n".join(content["bundle"].splitlines()[:-6])}


@pytest.mark.parametrize(
    "edited", [without_the_last_sentence, without_the_last_change, with_another_time, cut_short]
)
def test_a_file_whose_bundle_is_not_sound_or_does_not_fit_shows_nothing_of_it(
    edited: Callable[[Content], Content], content: Content, window: Open, tmp_path: Path
) -> None:
    page = shown(window, edited(content), tmp_path)
    expect(page.get_by_role("alert").last).to_contain_text("Nothing of it is replayed.")
    expect(page.locator("[data-creature]")).to_have_count(0)
    expect(page.locator(".entry")).to_have_count(0)


def test_text_of_the_bundle_is_text_in_the_file(content: Content, window: Open, tmp_path: Path) -> None:
    attack = (
        "</script><script>document.title = 'taken'</script><img src=x onerror=\"document.title='taken'\">"
    )
    sentences = [[attack], *content["sentences"][1:]]
    page = shown(window, content | {"name": attack, "sentences": sentences}, tmp_path)
    expect(page.locator("li[data-n='1']")).to_contain_text(attack)
    expect(page.locator(".banner")).to_contain_text(attack)
    assert "taken" not in page.title()


def test_the_file_loads_no_script_that_is_put_into_it(content: Content, window: Open, tmp_path: Path) -> None:
    text = single_file("fight/fight.html", "fight/replayed.mjs", content)
    file = tmp_path / "replay.html"
    file.write_text(text.replace("</body>", "<script>document.title = 'taken'</script></body>"), "utf-8")
    opened = window(offline=True)
    opened.expect_fault("Content Security Policy")
    page = opened.visit(file.as_uri())
    expect(page.locator("[data-creature]").first).to_be_attached()
    assert page.title() != "taken"


def test_the_file_fits_a_phone_and_can_be_read(content: Content, window: Open, tmp_path: Path) -> None:
    page = shown(window, content, tmp_path, viewport=PHONE, bypass_csp=True)  # axe is put into the page
    banner = page.locator(".banner")
    height = banner.evaluate("node => node.getBoundingClientRect().height")
    assert height < PHONE["height"] / 8
    banner.locator("summary").click()
    expect(banner).to_contain_text("makes them again from the bundle")
    assert faults_of(page) == []


def test_every_module_is_in_the_file(content: Content) -> None:
    text = single_file("fight/fight.html", "fight/replayed.mjs", content)
    names = unpacked(text)["modules"]
    pages = files("service.api").joinpath("pages")
    assert all(pages.joinpath(*name.split("/")).is_file() for name in names)
    assert {"fight/replayed.mjs", "fight/fight.mjs", "verifier/verify.mjs"} <= set(names)


def tokens_at(content: Content, n: int) -> dict[str, Any]:
    """Return the creatures after commit *n*."""
    found: dict[str, Any] = {}
    for change in content["answers"]["/creatures/changes"]["changes"][:n]:
        for gone in change["gone"]:
            del found[gone]
        found |= {token["id"]: token for token in change["creatures"]}
    return found
