"""Play a fight in windows, by clicking what the panel to act offers and by nothing else."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from playwright.sync_api import Locator, Page, expect

from service.cli.playing import ScriptTable

LIKED = (
    *("start_combat", "begin_combat", "open_choice", "grant_priority", "strike", "engage", "declare_attack"),
    *(
        "decline_join",
        "choose_stance",
        "choose",
        "answer",
        "throw_dice",
        "accept_damage",
        "keep_roll",
        "go_on",
        "no_more_swift",
        "end_turn",
    ),
    *("pass_movement", "pass_turn", "pass"),
)
"""These come first, in this order, so that the fight makes progress."""


class ClickingTable:
    """The windows of the seats at one fight."""

    def __init__(
        self, windows: Mapping[str, Page], likes: Mapping[str, str], engage: Collection[str] | None = None
    ) -> None:
        self.windows = windows
        self.engage = windows if engage is None else engage
        """The seats that begin engagements."""
        self.likes = likes
        """What a seat chooses where a form offers it."""
        self.clicked: list[str] = []
        self.clicks = 0
        for page in windows.values():
            tab = page.get_by_role("tab", name="Act")
            if tab.count():  # in a narrow window
                tab.click()

    def play(self, most: int) -> None:
        """Play until the fight is over, in at most *most* commands."""
        for _ in range(most):
            if self.is_over() or not self.move():
                break
        assert self.is_over(), self.clicked

    def is_over(self) -> bool:
        """Return whether a page says that somebody has won, or that it is over."""
        text = next(iter(self.windows.values())).locator("#turn").inner_text()
        return " won" in text or text in ("It is over", "It has ended")

    def move(self) -> bool:
        """Send the command that is liked most, of any seat; False if no seat has one."""
        found = [
            (_rank(type_), seat, type_)
            for seat, page in self.windows.items()
            for type_ in _offered(page)
            if type_ != "engage" or seat in self.engage
        ]
        if not found:
            return False
        _, seat, type_ = min(found)
        self._click(self.windows[seat], type_, self.likes.get(seat))
        self.clicked.append(f"{seat} {type_}")
        return True

    def _click(self, page: Page, type_: str, liked: str | None) -> None:
        offers = page.locator(f"#panel-act [data-type={type_}]:enabled")
        better = offers.get_by_text(liked, exact=True) if liked else None
        (better if better and better.count() else offers).first.click()
        self.clicks += 1
        form = page.locator(".act-form")
        said = page.locator("#panel-act .said")
        if form.count():
            self.clicks += _fill(form)
            for choice in form.get_by_role("button", name=liked, exact=True).all() if liked else ():
                choice.click()
                self.clicks += 1
            form.get_by_role("button", name="Send").click()
            self.clicks += 1
        expect(said).to_contain_text("Done: ")
        n = said.get_attribute("data-n")
        for each in self.windows.values():
            expect(each.locator(f"#panel-act[data-version='{n}']")).to_be_attached()


def _offered(page: Page) -> Sequence[str]:
    shown = page.locator("#panel-act [data-type]:enabled")
    found: list[str] = shown.evaluate_all("nodes => nodes.map((node) => node.dataset.type)")
    return [type_ for type_ in found if type_ in LIKED]


def _rank(type_: str) -> int:
    return LIKED.index(type_)


def _fill(form: Locator) -> int:
    """Throw the dice that a form asks for, and choose the nearest of what is open; return the clicks."""
    throws = form.get_by_role("button", name="Throw them here").all()
    open_ = form.locator(".row[role=group]:not(:has([aria-pressed=true]))").all()
    for thrown in throws:
        thrown.click()
    places = form.locator("select:has(option[value='-1'])").all()
    for chosen in places:
        chosen.select_option(index=1)
    for group in open_:
        group.get_by_role("button").first.click()
    return len(throws) + 2 * len(places) + len(open_)


def points(table: ScriptTable, n: int) -> int:
    """Return Pia's hit points after commit *n*."""
    (found,) = (each["hp"] for each in table.gm.creatures(at=n) if each["id"] == "pia")
    assert found is not None
    return found
