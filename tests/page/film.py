"""Make the moving picture of the README: a blow, why it hit, the contest, the ruling, the proof.

`python -m tests.page.film` plays the sample fight until the orc hurts a hero, clicks through it, and writes
`docs/pictures/story-light.webp` and its twin for dark screens.
"""

from __future__ import annotations

import base64
import struct
import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final, Literal

from playwright.sync_api import Browser, Page, expect

from service.cli.playing import play
from service.cli.script import sample
from tests.cli.fights import Service, served
from tests.page.browser import Window, started

PICTURES: Final = Path(__file__).parents[2] / "docs" / "pictures"
SIZE: Final = 1100, 680
QUALITY: Final = 50
SHOWN_MS: Final = 2_800
"""How long each scene is shown."""
ATTEMPTS: Final = 30
Theme = Literal["light", "dark"]
THEMES: Final[tuple[Theme, ...]] = ("light", "dark")
CAPTION: Final = """text => {
  const said = document.querySelector("#caption") ?? document.body.appendChild(document.createElement("div"));
  said.id = "caption";
  said.textContent = text;
  Object.assign(said.style, { position: "fixed", left: "1rem", top: "7.2rem", padding: ".5rem", zIndex: 9,
    borderRadius: ".5rem", background: "#8e2a3c", color: "#fff", font: "600 1.25rem system-ui, sans-serif" });
}"""


class Film:
    """The scenes of both themes, in order."""

    def __init__(self) -> None:
        self.scenes: dict[Theme, list[bytes]] = {theme: [] for theme in THEMES}

    def take(self, page: Page, caption: str) -> None:
        """Add what *page* shows, under a *caption*."""
        page.evaluate(CAPTION, caption)
        session = page.context.new_cdp_session(page)
        for theme in THEMES:
            page.emulate_media(color_scheme=theme, reduced_motion="reduce")
            page.wait_for_timeout(300)
            shot = session.send("Page.captureScreenshot", {"format": "webp", "quality": QUALITY})
            self.scenes[theme].append(base64.b64decode(shot["data"]))
        session.detach()
        page.evaluate("() => document.querySelector('#caption').remove()")

    def write(self) -> None:
        """Write one animated picture of each theme."""
        for theme, scenes in self.scenes.items():
            (PICTURES / f"story-{theme}.webp").write_bytes(animated(scenes, SIZE, SHOWN_MS))


def animated(pictures: Sequence[bytes], size: tuple[int, int], shown_ms: int) -> bytes:
    """Return one WebP that shows *pictures*, each a WebP of this *size*, one after the other for ever."""
    width, height = size[0] - 1, size[1] - 1
    extent = width.to_bytes(3, "little") + height.to_bytes(3, "little")
    frame = (
        bytes(6) + extent + shown_ms.to_bytes(3, "little") + b"\x02"
    )  # drawn over the one before, as it is
    body = _chunk(b"VP8X", struct.pack("<I", 0x02) + extent) + _chunk(b"ANIM", bytes(4 + 2))
    body += b"".join(_chunk(b"ANMF", frame + _image(each)) for each in pictures)
    return _chunk(b"RIFF", b"WEBP" + body)


def _image(picture: bytes) -> bytes:
    """Return the chunk of the pixels of a WebP."""
    at = 12
    while picture[at : at + 4] not in {b"VP8 ", b"VP8L"}:
        at += 8 + (int.from_bytes(picture[at + 4 : at + 8], "little") + 1) // 2 * 2
    length = int.from_bytes(picture[at + 4 : at + 8], "little")
    return _chunk(picture[at : at + 4], picture[at + 8 : at + 8 + length])


def _chunk(name: bytes, data: bytes) -> bytes:
    return name + struct.pack("<I", len(data)) + data + b"\0" * (len(data) % 2)


def _opened(browser: Browser, url: str, key: str) -> Page:
    page = Window.opened(browser, viewport={"width": SIZE[0], "height": SIZE[1]}).visit(url, key)
    expect(page.locator("[data-creature]").first).to_be_visible()
    return page


def _take(film: Film, browser: Browser, url: str, keys: tuple[str, str], blow: int) -> None:
    """Take the scenes of the blow in the commit *blow*: the player's, then the gm's."""
    player = _opened(browser, url, f"{keys[1]}&n={blow}")
    player.get_by_role("tab", name="Log").click()
    entry = player.locator(f"li[data-n='{blow}']")
    entry.scroll_into_view_if_needed()
    film.take(player, "A blow lands.")
    player.get_by_label(f"Why? Explain commit {blow}").click()
    expect(player.locator(".why .answer")).to_be_visible()
    player.locator(".why .answer").evaluate("node => node.scrollIntoView()")
    film.take(player, "Why? The dice, the rule, its place in the book.")
    player.get_by_label(f"Why? Explain commit {blow}").click()
    player.get_by_label(f"Contest commit {blow}").click()
    player.get_by_label(f"What is wrong with commit {blow}?").fill("We stood behind the cart.")
    film.take(player, "A doubt? Contest it.")
    player.get_by_role("button", name="Contest it").click()
    expect(player.get_by_role("status").filter(has_text="Contested as c1")).to_be_visible()
    gm = _opened(browser, url, keys[0])
    gm.get_by_role("tab", name="Rulings").click()
    gm.get_by_role("button", name="Answer").click()
    gm.get_by_label("Go back to before").check()
    gm.get_by_label("The decision").fill("You did. We go back.")
    gm.get_by_role("button", name="Rule", exact=True).click()
    expect(gm.locator(".proposal")).to_contain_text("hit points")
    gm.locator(".proposal").scroll_into_view_if_needed()
    film.take(gm, "The gm rules, and sees what differs.")
    gm.get_by_role("button", name="Accept").click()
    expect(gm.locator(".log")).to_contain_text("Play goes on from commit")
    gm.get_by_role("tab", name="Proof").click()
    gm.get_by_role("button", name="Verify it here").click()
    expect(gm.locator(".mark-proof")).to_have_text("✓ Proved")
    expect(gm.locator("#panel-proof")).to_contain_text("Nothing is wrong")
    film.take(gm, "Every die is proved, in your browser.")


def _blow(service: Service) -> tuple[str, tuple[str, str], int]:
    """Play until a hero is hurt: the address of the fight, the keys of the gm and of a player, the commit."""
    for _ in range(ATTEMPTS):
        table = service.sit_down(sample("s002").seeded())
        blows = [
            moment.outcome["n"]
            for moment in play(table, sample("s002").seeded(), by_script=False)
            for event in moment.outcome.get("events", ())
            if event["type"] == "exchange_hit" and event["creature"] == "pia"
        ]
        if blows:
            url = f"{service.station.url}/encounters/{table.encounter}"
            return url, (service.key, table.gm.issue_token("zoe")["token"]), blows[0]
    raise AssertionError("no hero was hurt")


def main() -> None:
    """Make the picture, and print what it weighs."""
    film = Film()
    with TemporaryDirectory() as home, served(Path(home)) as service, started() as browser:
        url, keys, blow = _blow(service)
        _take(film, browser, url, keys, blow)
    film.write()
    for picture in sorted(PICTURES.glob("story-*.webp")):
        sys.stdout.write(f"{picture.stat().st_size // 1000:4d} kB  {picture.name}\n")


if __name__ == "__main__":
    main()
