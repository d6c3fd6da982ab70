"""Menus, buttons and forms: they ask a player for a command, step by step."""

import logging
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

import discord
from discord import ui

from discord_bot.offers import LINES, MENUS, Decision, label, words
from discord_bot.texts import pieces, shortened

LOG = logging.getLogger("rewound.discord")
PATIENCE_S = 600
"""Seconds for which menus take a choice."""
FIELDS = 5
"""Fields of a form in Discord; more are asked in steps."""
LABEL = 100
"""Characters of a row of a menu, and again of the line below it."""

Submit = Callable[[discord.Interaction, Decision], Awaitable[None]]


async def show(interaction: discord.Interaction, text: str, view: ui.View | None = None) -> None:
    """Show a text of any length in place of what the player alone sees; its rest follows below."""
    first, *rest = pieces(text)
    await interaction.edit_original_response(content=first, view=view)
    for piece in rest:
        await interaction.followup.send(piece, ephemeral=True)


async def tell(interaction: discord.Interaction, text: str, view: ui.View | None = None) -> None:
    """Answer the player alone, with a text of any length; the view is below its last part."""
    *before, last = pieces(text)
    for piece in before:
        await interaction.followup.send(piece, ephemeral=True)
    if view is None:
        await interaction.followup.send(last, ephemeral=True)
    else:
        await interaction.followup.send(last, view=view, ephemeral=True)


async def sorry(interaction: discord.Interaction, error: Exception) -> None:
    """Say what was not expected, instead of Discord's "This interaction failed"."""
    LOG.error("an interaction failed", exc_info=error)
    if not interaction.response.is_done():
        await interaction.response.defer(ephemeral=True, thinking=True)
    await tell(interaction, f"That did not work: {error}")


class Asking(ui.View):
    """A view that says what goes wrong in it."""

    async def on_error(
        self, interaction: discord.Interaction, error: Exception, _item: ui.Item[Any], /
    ) -> None:
        """Tell the player."""
        await sorry(interaction, error)


class Menu(ui.Select[ui.View]):
    """A menu of any length: its last row turns to the next page if Discord cannot show all at once."""

    def __init__(
        self, title: str, labels: Sequence[str], choose: Callable[[discord.Interaction, int], Awaitable[None]]
    ) -> None:
        super().__init__(placeholder=shortened(title, LABEL))
        self.labels, self.choose, self.page = labels, choose, 0
        self.show()

    def show(self) -> None:
        """Show the rows of the current page."""
        rows = len(self.labels) if len(self.labels) <= LINES else LINES - 1
        first = self.page * rows
        self.options = [
            discord.SelectOption(
                label=text[:LABEL], description=shortened(text[LABEL:], LABEL) or None, value=str(at)
            )
            for at, text in list(enumerate(self.labels))[first : first + rows]
        ]
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


class OfferMenu(Asking):
    """The first question: what to do."""

    def __init__(self, offered: Sequence[Decision], submit: Submit) -> None:
        super().__init__(timeout=PATIENCE_S)
        self.offered, self.submit = offered, submit
        self.add_item(Menu("What do you do?", [each.title for each in offered], self.choose))

    async def choose(self, interaction: discord.Interaction, at: int) -> None:
        """Show the choices of an offer."""
        chosen = CommandMenu(self.offered[at], self.submit)
        await interaction.response.defer()
        await show(interaction, chosen.text, chosen)


class CommandMenu(Asking):
    """The second question: with which target, path or payment. *Send* sends the command."""

    def __init__(self, decision: Decision, submit: Submit) -> None:
        super().__init__(timeout=PATIENCE_S)
        self.decision = decision
        for name, values in decision.listed.items():
            self.add_item(Menu(words(name), [label(each) for each in values], self.chooser(name, values)))
        self.add_item(SendButton(decision, submit))

    @property
    def text(self) -> str:
        """The command as it would be sent now."""
        names = [name for name in self.decision.choices if name in self.decision.command]
        chosen = [f"{words(name)}: {label(self.decision.command[name])}" for name in names]
        return "\n".join((f"**{discord.utils.escape_markdown(self.decision.title)}**", *chosen))

    def chooser(
        self, name: str, values: Sequence[Any]
    ) -> Callable[[discord.Interaction, int], Awaitable[None]]:
        """Return the function that sets the field *name*."""

        async def choose(interaction: discord.Interaction, at: int) -> None:
            self.decision.command[name] = values[at]
            await interaction.response.defer()
            await show(interaction, self.text, self)

        return choose


class SendButton(ui.Button[CommandMenu]):
    """Sends the command of a decision."""

    def __init__(self, decision: Decision, submit: Submit) -> None:
        super().__init__(label="Send", style=discord.ButtonStyle.primary, row=MENUS)
        self.decision, self.submit = decision, submit

    async def callback(self, interaction: discord.Interaction) -> None:
        """Send the command, after the player has written what menus cannot offer."""
        if self.decision.written:
            await interaction.response.send_modal(Writing(self.decision, self.submit))
        else:
            await interaction.response.defer()
            await self.submit(interaction, self.decision)


class Writing(ui.Modal):
    """A form for cells among hundreds, for texts, and for the faces of dice: one step of five fields."""

    def __init__(self, decision: Decision, submit: Submit, first: int = 0) -> None:
        self.steps = -(-len(decision.written) // FIELDS)
        step = f" ({first // FIELDS + 1} of {self.steps})" if self.steps > 1 else ""
        super().__init__(title=shortened(decision.title, 45 - len(step)) + step, timeout=PATIENCE_S)
        self.decision, self.submit, self.after = decision, submit, first + FIELDS
        self.inputs: dict[str, ui.TextInput[Writing]] = {}
        for name in decision.written[first : self.after]:
            hint = shortened(decision.hint(name), LABEL)
            self.inputs[name] = ui.TextInput(label=shortened(words(name), 45), placeholder=hint)
            self.add_item(self.inputs[name])

    async def on_submit(self, interaction: discord.Interaction) -> None:
        """Ask for the next fields, or send the command with what was written."""
        await interaction.response.defer()
        try:
            for name, written in self.inputs.items():
                self.decision.write(name, written.value)
        except ValueError as fault:
            await show(interaction, f"That did not work: {fault}")
            return
        if self.after < len(self.decision.written):  # Discord shows no form as the answer to a form
            text = f"**{discord.utils.escape_markdown(self.decision.title)}**\nThere is more to write."
            await show(interaction, text, GoOn(self.decision, self.submit, self.after))
        else:
            await self.submit(interaction, self.decision)

    async def on_error(  # type: ignore[override]  # as discord.py declares it for a form
        self, interaction: discord.Interaction, error: Exception, /
    ) -> None:
        """Tell the player."""
        await sorry(interaction, error)


class GoOn(Asking):
    """A button between two steps of a form."""

    def __init__(self, decision: Decision, submit: Submit, first: int) -> None:
        super().__init__(timeout=PATIENCE_S)
        self.decision, self.submit, self.first = decision, submit, first

    @ui.button(label="Go on", style=discord.ButtonStyle.primary)
    async def go_on(self, interaction: discord.Interaction, _button: ui.Button[ui.View]) -> None:
        """Show the next form."""
        await interaction.response.send_modal(Writing(self.decision, self.submit, self.first))
