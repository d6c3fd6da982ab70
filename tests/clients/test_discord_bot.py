"""The Discord bot plays on a real service, with the real library and a stand-in for Discord itself."""

from __future__ import annotations

import ast
import asyncio
import runpy
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any, Final

import discord
import pytest

import rewound_client
from rewound_client import Rewound, Table
from tests.clients.conftest import ROOT, Host

BOT: Final = ROOT / "docs" / "integrations" / "discord_bot.py"


class Channel:
    """A channel, and what was posted there."""

    def __init__(self) -> None:
        self.posts: list[str] = []
        self.views: list[Any] = []
        self.posted = asyncio.Event()

    async def send(self, text: str, view: Any) -> None:
        self.posts.append(text)
        self.posted.set()
        self.views.append(view)

    async def has(self, text: str) -> None:
        async with asyncio.timeout(60):
            while not any(text in post for post in self.posts):
                self.posted.clear()
                await self.posted.wait()


@dataclass
class Interaction:
    """Somebody used the bot: the last text, menu and form that only this person sees."""

    user: Any
    channel: Any
    id: int
    channel_id: int = 1
    text: str | None = None
    view: Any = None
    modal: Any = None
    texts: list[str | None] = field(default_factory=list)

    @property
    def response(self) -> Any:
        return SimpleNamespace(defer=self._defer, edit_message=self._show, send_modal=self._ask)

    @property
    def followup(self) -> Any:
        return SimpleNamespace(send=self._send)

    async def _defer(self, **_: object) -> None:
        await asyncio.sleep(0)

    async def _ask(self, modal: Any) -> None:
        self.modal = modal

    async def _send(self, text: str, *, ephemeral: bool, view: Any = None) -> None:
        assert ephemeral, "others do not see a player's choices"
        self.text, self.view = text, view

    async def _show(self, content: str | None = None, view: Any = None) -> None:
        self.text, self.view = content or self.text, view

    async def edit_original_response(self, content: str, view: Any = None) -> None:
        self.text, self.view = content, view

    # --- what the person does ---

    def menu(self, title: str) -> Any:
        assert self.view is not None, self.text
        return next(item for item in self.view.children if getattr(item, "placeholder", None) == title)

    def labels(self, title: str) -> list[str]:
        return [option.label for option in self.menu(title).options]

    async def choose(self, title: str, label: str) -> None:
        menu = self.menu(title)
        value = next(option.value for option in menu.options if option.label == label)
        menu._values = [value]  # noqa: SLF001 - the library sets it from Discord's message
        await menu.callback(self)

    async def press(self, label: str) -> None:
        await next(item for item in self.view.children if getattr(item, "label", "") == label).callback(self)

    async def fill(self, **fields: str) -> None:
        for name, text in fields.items():
            self.modal.inputs[name]._value = text  # noqa: SLF001 - the same
        await self.modal.on_submit(self)


@pytest.fixture
def bot(host: Host, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setenv("REWOUND", host.address)
    monkeypatch.setenv("REWOUND_KEY", host.key)
    return SimpleNamespace(**runpy.run_path(str(BOT)))


@pytest.fixture
def gm(rewound: Rewound, forms: dict[str, Any]) -> Table:
    """Give a duel of Pia, whose seat is zoe's, and the orc; nobody waits for others to join."""
    opening = forms["s002"]["opening"]
    pia, _, orc, _ = opening["creatures"]
    return rewound.open(
        opening | {"creatures": [pia, orc], "seats": opening["seats"][:1], "declared_sides": []}
    )


class Players:
    """People in one channel who use the bot."""

    def __init__(self, bot: Any) -> None:
        self.bot = bot
        self.channel = Channel()
        self.count = 0

    def interaction(self, name: str) -> Interaction:
        self.count += 1
        return Interaction(SimpleNamespace(id=len(name), display_name=name), self.channel, id=self.count)

    async def command(self, name: str, command: str, *words: object) -> Interaction:
        made = self.interaction(name)
        await self.bot.tree.get_command(command).callback(made, *words)
        return made


def test_a_player_acts_with_menus_and_the_channel_reads_what_everybody_may_know(bot: Any, gm: Table) -> None:
    gm.send({"type": "begin_combat", "unaware_side": "undead"})
    gm.send({"type": "grant_priority"})

    async def played() -> Players:
        people = Players(bot)
        nobody = await people.command("Ann", "act")
        assert nobody.text == "That did not work: you have no seat here: the GM gives you one with /sit"
        watched = await people.command("Gloria", "watch", gm.encounter)
        assert watched.text == f"Posting {gm.encounter} here."
        again = await people.command("Gloria", "watch", gm.encounter)
        assert again.text == f"{gm.encounter} is posted here already."
        seated = await people.command("Gloria", "sit", SimpleNamespace(id=3, display_name="Ann"), "zoe")
        assert seated.text == "Ann sits as zoe."

        turn = await people.command("Ann", "act")
        what = next(label for label in turn.labels("What do you do?") if label.startswith("pia: engage"))
        await turn.choose("What do you do?", what)
        assert turn.text == f"**{what}**", "there is one target, so there is nothing to choose"
        await turn.press("Send")
        assert turn.text == f"Done: {what}"

        stance = people.interaction("Ann")
        await people.channel.has("engage")
        await people.channel.views[-1].children[0].callback(stance)  # the button below a post
        what = next(label for label in stance.labels("What do you do?") if "choose stance" in label)
        await stance.choose("What do you do?", what)
        await stance.choose("stance", "cunning")
        assert stance.text == f"**{what}**\nstance: cunning"
        await stance.press("Send")
        assert stance.text == f"Done: {what}"
        gm.send(next(each["command"] for each in offers(gm) if each["command"]["type"] == "choose_stance"))
        await people.channel.has("cunning")
        bot.seats.encounters.clear()
        return people

    people = asyncio.run(played())
    page, _, token = people.channel.posts[0].removeprefix("The fight on its map: ").partition("#")
    assert page.endswith("/s")
    assert gm.with_token(token).get()["encounter"] == gm.encounter, "who follows the link sees the fight"
    first = next(post for post in people.channel.posts if "cunning" in post)
    assert "orc" in first, "a stance is posted when all are revealed, not before"
    assert bot.bot.allowed_mentions.to_dict() == {"parse": []}
    assert all(command.guild_only for command in bot.tree.get_commands()), "elsewhere nobody asks permissions"


def offers(table: Table) -> list[Any]:
    return [offer for option in table.options()["options"] for offer in option["commands"]]


def test_a_cell_among_hundreds_is_written_and_a_wrong_one_is_told(bot: Any, gm: Table) -> None:
    gm.send({"type": "begin_combat", "unaware_side": "undead"})
    gm.send({"type": "grant_priority"})

    async def played() -> None:
        people = Players(bot)
        await people.command("Gloria", "watch", gm.encounter)
        await people.command("Gloria", "sit", SimpleNamespace(id=3, display_name="Ann"), "zoe")
        for cell, answer in (
            ("99, 99", "That did not work: to: 99, 99 is not among the"),
            ("1, 1", "Done: pia"),
        ):
            turn = await people.command("Ann", "act")
            what = next(label for label in turn.labels("What do you do?") if label.startswith("pia: dash"))
            await turn.choose("What do you do?", what)
            await turn.press("Send")
            await turn.fill(to=cell)
            assert turn.text is not None
            assert turn.text.startswith(answer)
        bot.seats.encounters.clear()

    asyncio.run(played())
    assert next(each for each in gm.creatures() if each["id"] == "pia")["position"] == [1, 1]


def test_a_menu_of_any_length_shows_every_row_on_some_page(bot: Any) -> None:
    async def turned() -> list[str]:
        async def choose(_: object, at: int) -> None:
            chosen.append(at)

        chosen: list[int] = []
        view = discord.ui.View()
        menu = bot.Menu("one of many", [f"row {number}" for number in range(60)], choose)
        view.add_item(menu)
        person = Interaction(None, None, 1, view=view)
        seen: list[str] = []
        for _ in range(3):
            assert len(menu.options) <= 25
            seen += person.labels("one of many")[:-1]
            await person.choose("one of many", person.labels("one of many")[-1])
        await person.choose("one of many", "row 5")
        assert chosen == [5]
        return seen

    assert asyncio.run(turned()) == [f"row {number}" for number in range(60)]


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ([3, -4], "3, -4"),
        ([[1, 0], [2, 0]], "to 2, 0"),
        ([], "none"),
        (["orc", "wolf"], "orc, wolf"),
        (False, "no"),
        ("rush_point", "rush point"),
        ({"kind": "move", "feet": 5}, "kind move, feet 5"),
    ],
)
def test_values_are_written_in_words(bot: Any, value: Any, text: str) -> None:
    assert bot.label(value) == text


def test_the_bot_takes_what_the_client_has() -> None:
    tree = ast.parse(BOT.read_text("utf-8"))
    taken = {
        alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module == "rewound_client"
        for alias in node.names
    }
    assert taken
    assert taken <= set(rewound_client.__all__)
