"""Take the pictures of the documentation: play the sample fight, and click through it as a game master does.

`make pictures` writes them into `docs/pictures`. The dice of the sample fight are those of its script, so a
picture changes only with the page.
"""

from __future__ import annotations

import base64
import re
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final, Literal

from playwright.sync_api import Browser, Page, expect

from tests.cli.fights import Service, played, served
from tests.page import film
from tests.page.browser import Window, started

PICTURES: Final = Path(__file__).parents[2] / "docs" / "pictures"
SIZES: Final = {390: 844, 820: 1000, 1440: 900}
"""The windows, width and height in pixels."""
THEMES: Final[tuple[Literal["light", "dark"], ...]] = ("light", "dark")
QUALITY: Final = 70
HIT: Final = 14
"""The commit of the sample fight whose hit is looked at and contested."""
SMALL: Final = 1180, 760
"""The window in which the steps of a game master are taken."""


def taken(page: Page, name: str) -> None:
    """Write what *page* shows in its window, in both themes."""
    session = page.context.new_cdp_session(page)
    for theme in THEMES:
        page.emulate_media(color_scheme=theme, reduced_motion="reduce")
        page.wait_for_timeout(300)
        shot = session.send("Page.captureScreenshot", {"format": "webp", "quality": QUALITY})
        (PICTURES / f"{name}-{theme}.webp").write_bytes(base64.b64decode(shot["data"]))
    session.detach()


def opened(browser: Browser, url: str, key: str, size: tuple[int, int]) -> Page:
    """Return a window of *size* that shows *url*."""
    page = Window.opened(browser, viewport={"width": size[0], "height": size[1]}).visit(url, key)
    expect(page.locator("[data-creature]").first).to_be_visible()
    return page


def widths(browser: Browser, url: str, key: str) -> None:
    """Take the fight in every width."""
    for width, height in SIZES.items():
        page = opened(browser, url, f"{key}&n={HIT}", (width, height))
        expect(page.locator(".count")).to_contain_text(f"{HIT} / ")
        taken(page, f"fight-{width}")
        page.context.close()


def steps(browser: Browser, url: str, key: str, player_key: str) -> None:
    """Take what a game master clicks: why, a contest, its ruling, the difference, a link, the proof."""
    player = opened(browser, url, player_key, SMALL)
    player.get_by_label(f"Why? Explain commit {HIT}").click()
    expect(player.locator(".why .answer")).to_be_visible()
    player.locator(f"li[data-n='{HIT}']").scroll_into_view_if_needed()
    taken(player, "why")
    player.get_by_label(f"Why? Explain commit {HIT}").click()
    player.get_by_label(f"Contest commit {HIT}").click()
    player.get_by_label(f"What is wrong with commit {HIT}?").fill("The shield was up.")
    taken(player, "contest")
    player.get_by_role("button", name="Contest it").click()
    expect(player.get_by_role("status").filter(has_text="Contested as c1")).to_be_visible()

    gm = opened(browser, url, key, SMALL)
    gm.get_by_role("tab", name="Rulings").click()
    gm.get_by_role("button", name="Answer").click()
    gm.get_by_label("Go back to before").check()
    gm.get_by_label("The decision").fill("It was. We go back.")
    taken(gm, "answer")
    gm.get_by_role("button", name="Rule", exact=True).click()
    expect(gm.locator(".proposal")).to_contain_text("hit points")
    gm.locator(".proposal").scroll_into_view_if_needed()
    taken(gm, "proposal")
    gm.get_by_role("button", name="Accept").click()
    expect(gm.locator(".log")).to_contain_text("Play goes on from commit")
    gm.get_by_role("tab", name="Share").click()
    gm.get_by_role("button", name="Link for an observer").click()
    link = gm.get_by_label(re.compile("Link for guest"))
    expect(link).to_be_visible()
    link.evaluate("field => { field.value = 'https://rewound.example/s#rl_…'; }")
    gm.locator(".qr").evaluate("code => code.remove()")  # it says the address that nobody may read
    taken(gm, "share")
    gm.get_by_role("tab", name="Proof").click()
    gm.get_by_role("button", name="Verify it here").click()
    expect(gm.locator(".mark-proof")).to_have_text("✓ Proved")
    taken(gm, "proof")


def new_fight(browser: Browser, url: str, key: str) -> None:
    """Take the steps of a new fight."""
    page = Window.opened(browser, viewport={"width": SMALL[0], "height": SMALL[1]}).visit(f"{url}/new", key)
    page.get_by_role("button", name=re.compile("heartrush")).click()
    for name, side in (("New character", "heroes"), ("Goblin", "foes"), ("Orc", "foes")):
        page.get_by_label("Side", exact=True).select_option(side)
        page.get_by_label("Stat blocks of the book").fill(name)
        page.get_by_role("button", name=f"Add {name}", exact=True).click()
    page.get_by_label("Stat blocks of the book").fill("")
    taken(page, "new-creatures")
    page.get_by_role("button", name="Next: Map").click()
    page.get_by_role("button", name="Wall", exact=True).click()
    box = page.locator(".canvas svg.map").bounding_box()
    assert box is not None
    for part in (0.3, 0.45, 0.6):
        page.mouse.click(box["x"] + box["width"] * 0.52, box["y"] + box["height"] * part)
    taken(page, "new-map")
    page.context.close()


def take_all(service: Service) -> None:
    """Take every picture."""
    table = played(service, "s002", seeded=False)
    player_key = table.gm.issue_token("zoe")["token"]
    url = f"{service.station.url}/encounters/{table.encounter}"
    with started() as browser:
        new_fight(browser, service.station.url, service.key)
        widths(browser, url, service.key)
        steps(browser, url, service.key, player_key)


def main() -> None:
    """Take every picture and the film, and print what each weighs."""
    PICTURES.mkdir(exist_ok=True)
    with TemporaryDirectory() as home, served(Path(home)) as service:
        take_all(service)
    film.main()
    for picture in sorted(PICTURES.glob("*.webp")):
        sys.stdout.write(f"{picture.stat().st_size // 1000:4d} kB  {picture.name}\n")


if __name__ == "__main__":
    main()
