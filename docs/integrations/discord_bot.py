"""A Discord bot that posts a fight in a channel and lets its players act with menus and buttons.

DISCORD_TOKEN=... REWOUND=http://127.0.0.1:8000 REWOUND_KEY=rw_... python3 discord_bot.py

It needs `rewound_client` (clients/python) and `discord.py` 2. `/watch` posts an encounter, `/sit`
gives a player a seat, and `/act`, or the button below a post, shows a player what is legal.
"""

import asyncio
import os
import threading
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

import discord
from discord import app_commands, ui

from rewound_client import Problem, Refused, Rewound, RewoundError, Table, values_of

ADDRESS = os.environ["REWOUND"]
KEY = os.environ["REWOUND_KEY"]
PAGES = os.environ.get("REWOUND_PAGES", ADDRESS)
"""The address at which players open the page of a fight, if it is another than the bot's."""
LONGEST = 1900
"""Discord takes 2,000 characters."""
LINES = 25
"""Rows of a menu in Discord."""
MOST = 4 * LINES
"""Values that a menu offers; of more, such as the cells of a dash, the player writes one."""
MENUS = 4
"""Menus below a message; a fifth row has the buttons."""
OBSERVER = "discord"
"""The seat as which the bot reads what it posts: an observer sees what everybody sees."""
PATIENCE_S = 600
"""Seconds for which menus take a choice."""

Work = Callable[[Table], Any]


class Seats:
    """The encounter of each channel and the token of each player there, in memory."""

    def __init__(self) -> None:
        self.encounters: dict[int, str] = {}
        self.tokens: dict[tuple[int, int], str] = {}

    def ask(self, interaction: discord.Interaction, work: Work) -> Any:  # noqa: ANN401 - JSON
        """Return the result of *work* for the player's seat; blocks, with a client of its own."""
        channel = interaction.channel_id or 0
        token, encounter = self.tokens.get((channel, interaction.user.id)), self.encounters.get(channel)
        if token is None or encounter is None:
            raise LookupError("you have no seat here: the GM gives you one with /sit")
        with Rewound(ADDRESS, token) as service:
            return work(service.encounter(encounter))


class Bot(discord.Client):
    """A client that registers its commands with Discord once, and whose texts mention nobody."""

    def __init__(self) -> None:
        super().__init__(intents=discord.Intents.default(), allowed_mentions=discord.AllowedMentions.none())
        self.tree = app_commands.CommandTree(self)

    async def setup_hook(self) -> None:
        """Register the commands, and the button that stays below posts after a restart."""
        self.add_view(ActButton())
        await self.tree.sync()


seats = Seats()
bot = Bot()
tree = bot.tree


async def attempt(work: Callable[[], Any]) -> tuple[Any, str]:
    """Do blocking *work* in a thread; return its result and "", or None and the fault in words."""
    try:
        return await asyncio.to_thread(work), ""
    except Refused as refused:
        return None, f"Refused: {refused.detail} ({refused.rule})"
    except Problem as problem:
        return None, f"{problem.title}: {problem.detail}"
    except (RewoundError, LookupError, TypeError, ValueError) as fault:
        return None, f"That did not work: {fault}"


# --- offers, in words -------------------------------------------------------------------------------------


def words(name: str) -> str:
    """Return the name of a command or a field as words."""
    return name.replace("_", " ")


def is_cell(value: Any) -> bool:  # noqa: ANN401 - JSON
    """Return whether *value* is a cell `[x, y]`."""
    match value:
        case [int(), int()]:
            return True
        case _:
            return False


def label(value: Any) -> str:  # noqa: ANN401 - JSON
    """Return a value as a player reads and writes it; a path is named by its last cell."""
    match value:
        case None | [] | "":
            return "none"
        case bool():
            return "yes" if value else "no"
        case [*_, last] if is_cell(last):
            return f"to {label(last)}"
        case list():
            return ", ".join(map(label, value))
        case dict():
            return ", ".join(f"{words(name)} {label(each)}" for name, each in value.items())
        case _:
            return words(str(value))


@dataclass
class Decision:
    """An offer, and what the player has chosen of it so far."""

    offer: Mapping[str, Any]
    wants: list[str]
    """The dice whose faces the player writes, as `role:dN`."""
    command: dict[str, Any] = field(init=False)
    choices: dict[str, list[Any]] = field(init=False)

    def __post_init__(self) -> None:
        self.command = dict(self.offer["command"])
        values = {name: values_of(choice) for name, choice in self.offer["choices"].items()}
        self.choices = {name: each for name, each in values.items() if len(each) > 1}

    @property
    def title(self) -> str:
        """The command, its creature, and what distinguishes it from other offers."""
        fixed = {
            name: value
            for name, value in self.command.items()
            if name not in {"type", "creature", "prompt", *self.choices}
            and value not in (None, [], "", False)
        }
        parts = [f"{words(name)} {label(value)}" for name, value in fixed.items()]
        who = self.command.get("creature")
        return ": ".join(filter(None, (who, ", ".join((words(self.command["type"]), *parts)))))

    @property
    def listed(self) -> dict[str, list[Any]]:
        """The choices that menus show."""
        short = [name for name, values in self.choices.items() if len(values) <= MOST]
        return {name: self.choices[name] for name in short[:MENUS]}

    @property
    def written(self) -> list[str]:
        """The fields that the player writes: what the offer asks for, and choices with too many values."""
        return [*self.offer.get("asks", ()), *(name for name in self.choices if name not in self.listed)]

    def write(self, name: str, text: str) -> None:
        """Set the field *name* to what a player wrote; raises `ValueError` for what is not legal."""
        if name in self.choices:
            found = [
                each for each in self.choices[name] if label(each) in (text.strip(), f"to {text.strip()}")
            ]
            if not found:
                raise ValueError(f"{words(name)}: {text} is not among the {len(self.choices[name])} choices")
            self.command[name] = found[0]
        else:
            self.command[name] = [int(face) for face in text.split(",")] if name == "faces" else text

    def hint(self, name: str) -> str:
        """Return what to write for the field *name*."""
        if name == "faces":
            return ", ".join(self.wants)
        return f"for example {label(self.command[name])}" if name in self.command else ""


def decisions(table: Table) -> list[Decision]:
    """Return everything that is legal now for this seat."""
    return [
        Decision(offer, option["prompt"]["wants"])
        for option in table.options()["options"]
        for offer in option["commands"]
    ]


# --- menus and buttons ------------------------------------------------------------------------------------


class Menu(ui.Select[ui.View]):
    """A menu of any length: its last row turns to the next page if Discord cannot show all at once."""

    def __init__(
        self, title: str, labels: Sequence[str], choose: Callable[[discord.Interaction, int], Awaitable[None]]
    ) -> None:
        super().__init__(placeholder=title[:100])
        self.labels, self.choose, self.page = labels, choose, 0
        self.show()

    def show(self) -> None:
        """Show the rows of the current page."""
        rows = len(self.labels) if len(self.labels) <= LINES else LINES - 1
        first = self.page * rows
        shown = list(enumerate(self.labels))[first : first + rows]
        self.options = [discord.SelectOption(label=text[:100], value=str(at)) for at, text in shown]
        if rows < len(self.labels):
            pages = -(-len(self.labels) // rows)
            self.options.append(
                discord.SelectOption(label=f"More ({self.page + 1} of {pages})", value="more")
            )

    async def callback(self, interaction: discord.Interaction) -> None:
        """Turn the page, or hand on the chosen row."""
        if self.values[0] != "more":
            await self.choose(interaction, int(self.values[0]))
            return
        self.page = (self.page + 1) % -(-len(self.labels) // (LINES - 1))
        self.show()
        await interaction.response.edit_message(view=self.view)


class OfferMenu(ui.View):
    """The first question: what to do."""

    def __init__(self, offered: Sequence[Decision]) -> None:
        super().__init__(timeout=PATIENCE_S)
        self.offered = offered
        self.add_item(Menu("What do you do?", [each.title for each in offered], self.choose))

    async def choose(self, interaction: discord.Interaction, at: int) -> None:
        """Show the choices of an offer."""
        chosen = CommandMenu(self.offered[at])
        await interaction.response.edit_message(content=chosen.text, view=chosen)


class CommandMenu(ui.View):
    """The second question: with which target, path or payment. *Send* sends the command."""

    def __init__(self, decision: Decision) -> None:
        super().__init__(timeout=PATIENCE_S)
        self.decision = decision
        for name, values in decision.listed.items():
            self.add_item(Menu(words(name), [label(each) for each in values], self.chooser(name, values)))
        self.add_item(SendButton(decision))

    @property
    def text(self) -> str:
        """The command as it would be sent now."""
        names = [name for name in self.decision.choices if name in self.decision.command]
        chosen = [f"{words(name)}: {label(self.decision.command[name])}" for name in names]
        return "\n".join((f"**{discord.utils.escape_markdown(self.decision.title)}**", *chosen))[:LONGEST]

    def chooser(
        self, name: str, values: Sequence[Any]
    ) -> Callable[[discord.Interaction, int], Awaitable[None]]:
        """Return the function that sets the field *name*."""

        async def choose(interaction: discord.Interaction, at: int) -> None:
            self.decision.command[name] = values[at]
            await interaction.response.edit_message(content=self.text, view=self)

        return choose


class SendButton(ui.Button[CommandMenu]):
    """Sends the command of a decision."""

    def __init__(self, decision: Decision) -> None:
        super().__init__(label="Send", style=discord.ButtonStyle.primary, row=MENUS)
        self.decision = decision

    async def callback(self, interaction: discord.Interaction) -> None:
        """Send the command, after the player has written what menus cannot offer."""
        if self.decision.written:
            await interaction.response.send_modal(Writing(self.decision))
        else:
            await interaction.response.defer()
            await submit(interaction, self.decision)


class Writing(ui.Modal):
    """A form for cells among hundreds, for texts, and for the faces of dice."""

    def __init__(self, decision: Decision) -> None:
        super().__init__(title=decision.title[:45], timeout=PATIENCE_S)
        self.decision = decision
        self.inputs: dict[str, ui.TextInput[Writing]] = {}
        for name in decision.written[:5]:  # Discord shows five
            hint = decision.hint(name)[:100]
            self.inputs[name] = ui.TextInput(label=words(name)[:45], placeholder=hint)
            self.add_item(self.inputs[name])

    async def on_submit(self, interaction: discord.Interaction) -> None:
        """Send the command with what was written."""
        await interaction.response.defer()
        try:
            for name, written in self.inputs.items():
                self.decision.write(name, written.value)
        except ValueError as fault:
            await interaction.edit_original_response(content=f"That did not work: {fault}"[:LONGEST])
            return
        await submit(interaction, self.decision)


class ActButton(ui.View):
    """The button below what is posted; it works for everybody with a seat, also after a restart."""

    def __init__(self) -> None:
        super().__init__(timeout=None)

    @ui.button(label="What can I do?", custom_id="rewound:act")
    async def act(self, interaction: discord.Interaction, _button: ui.Button[ui.View]) -> None:
        """Show the player alone what is legal now."""
        await show_offers(interaction)


async def show_offers(interaction: discord.Interaction) -> None:
    """Answer with the first menu, visible to the player alone."""
    await interaction.response.defer(ephemeral=True, thinking=True)
    offered, fault = await attempt(lambda: seats.ask(interaction, decisions))
    if offered:
        await interaction.followup.send("It is for you to decide.", view=OfferMenu(offered), ephemeral=True)
    else:
        await interaction.followup.send(fault or "There is nothing for you to do now.", ephemeral=True)


async def submit(interaction: discord.Interaction, decision: Decision) -> None:
    """Send a command; the interaction's id is its key, so Discord's repeats have one effect."""

    def send(table: Table) -> object:
        return table.send(decision.command, key=f"discord-{interaction.id}")

    _, fault = await attempt(lambda: seats.ask(interaction, send))
    await interaction.edit_original_response(
        content=(fault or f"Done: {decision.title}")[:LONGEST], view=None
    )


def observing(table: Table) -> Table:
    """Return the encounter as an observer sees it: the gm's own view has what is secret."""
    if all(each["seat"] != OBSERVER for each in table.seats()):
        table.open_seat(OBSERVER, "observer")
    return table.sit(OBSERVER)


# --- commands ---------------------------------------------------------------------------------------------


@tree.command(description="Post every commit of an encounter in this channel")
@app_commands.guild_only()  # permissions are of a server: in a direct message everybody would have them
@app_commands.default_permissions(manage_channels=True)
async def watch(interaction: discord.Interaction, encounter: str) -> None:
    """Follow an encounter from now on, instead of the previous one."""
    number, loop = interaction.channel_id or 0, asyncio.get_running_loop()
    channel = cast("discord.abc.Messageable", interaction.channel)  # a command is used where people write
    begun = threading.Event()

    def post(text: str) -> None:
        sending = channel.send(text[:LONGEST], view=ActButton())
        asyncio.run_coroutine_threadsafe(sending, loop).result(30)

    def follow() -> None:
        with Rewound(ADDRESS, KEY) as service:
            gm = service.encounter(encounter)
            table = observing(gm)
            newest = table.get()
            seats.encounters[number] = encounter
            begun.set()
            post(f"The fight on its map: {PAGES}{gm.share_seat(OBSERVER)['page']}")
            for event in table.listen(after=newest["version"], line=newest["line"], text="en"):
                if seats.encounters.get(number) != encounter:  # seen every ten seconds, at a heartbeat
                    return
                if event.event == "commit" and event.data["text"]:
                    post(discord.utils.escape_markdown("\n".join(event.data["text"])))
                elif event.event == "continued":  # an undo: repeated commits are not announced again
                    post(f"The fight goes on from commit {event.data['origin']['n']}.")

    def work() -> str:
        if seats.encounters.get(number) == encounter:
            return f"{encounter} is posted here already."
        # A thread of its own, not one of the loop's few; as a daemon it does not prevent the bot from ending.
        threading.Thread(target=follow, daemon=True).start()
        return f"Posting {encounter} here." if begun.wait(60) else f"{encounter} cannot be read."

    await interaction.response.defer(ephemeral=True, thinking=True)
    text, fault = await attempt(work)
    await interaction.followup.send(text or fault, ephemeral=True)


@tree.command(description="Give a player a seat of this channel's encounter")
@app_commands.guild_only()
@app_commands.default_permissions(manage_channels=True)
async def sit(interaction: discord.Interaction, player: discord.Member, seat: str) -> None:
    """Issue a token for a seat. The bot keeps it and shows it to nobody."""
    channel = interaction.channel_id or 0

    def work() -> str:
        with Rewound(ADDRESS, KEY) as service:
            issued = service.encounter(seats.encounters[channel]).issue_token(seat)
        seats.tokens[channel, player.id] = issued["token"]
        return f"{player.display_name} sits as {seat}."

    await interaction.response.defer(ephemeral=True, thinking=True)
    text, fault = await attempt(work)
    await interaction.followup.send(text or fault, ephemeral=True)


@tree.command(description="Choose what to do")
@app_commands.guild_only()
async def act(interaction: discord.Interaction) -> None:
    """Show what is legal for the player's seat, in menus."""
    await show_offers(interaction)


if __name__ == "__main__":
    bot.run(os.environ["DISCORD_TOKEN"])
