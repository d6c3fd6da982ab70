"""Rank the commands that bots prefer, with one table for each of the two books and one for all others.

A bot knows no rules. It takes the offered command that ranks first. Commands that end or skip something come
last. A bot never sends commands that only a person should decide: rulings, rests, leaving.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True)
class Taste:
    """A ranking of commands: the liked ones in order, then all others, then the idle ones in order."""

    liked: tuple[str, ...]
    idle: tuple[str, ...]
    never: frozenset[str]
    shunned: frozenset[str] = frozenset()
    """Values of fields; an offer that has one of them comes after all others."""
    aims: bool = False
    """Whether the bot aims at standing foes, by the sheets and positions of creatures."""

    def rank(self, type_: str) -> int | None:
        """Return the rank of *type_*, lower is earlier; None if a bot never sends it."""
        if type_ in self.never:
            return None
        if type_ in self.liked:
            return self.liked.index(type_)
        return len(self.liked) + (1 + self.idle.index(type_) if type_ in self.idle else 0)


_NEVER: Final = (
    *("close", "open_seat", "change_seat", "close_seat", "issue_token", "advance_epoch", "accept_history"),
    *("contest", "uphold", "amend", "undo", "redo", "accept_amendment", "drop_amendment"),
    *("roll_behind_screen", "show_roll", "show_sheet"),
)
_GM: Final = ("gm_ruling", "rest", "end_combat")

ANY: Final = Taste(liked=("throw_dice",), idle=(), never=frozenset(_NEVER))
"""The taste for every other ruleset: whatever is offered, at random."""

TASTES: Final[Mapping[str, Taste]] = {
    "heartrush": Taste(
        aims=True,
        liked=(
            *(
                "begin_combat",
                "throw_dice",
                "grant_priority",
                "engage",
                "declare_attack",
                "use_ability",
                "cast",
            ),
            *("declare_agility", "choose_stance", "opportunity_attack", "accept_damage", "dash"),
        ),
        idle=(
            *("join_engagement", "follow_up", "pass", "pass_window", "decline_join", "decline_attack"),
            *("decline_sidestep", "forgo_follow_up", "sidestep", "end_turn", "delay", "pass_side", "object"),
            *("help", "call_out", "hide", "let_go", "go_unconscious"),
        ),
        never=frozenset(
            (
                *_NEVER,
                *_GM,
                *(
                    "add_creature",
                    "advance_clock",
                    "allow_hiding",
                    "award_xp",
                    "ask_ruling",
                    "fall",
                    "hazard",
                ),
                *("hide_creature", "move_hidden_creature", "reveal_creature", "withdraw_hidden_creature"),
                *(
                    "roll_check",
                    "roll_save",
                    "set_standing",
                    "spend_xp",
                    "end_spell",
                    "meditate",
                    "scrape_weapon",
                ),
            )
        ),
    ),
    "rise": Taste(
        aims=True,
        liked=(
            *("start_combat", "throw_dice", "begin_turn", "strike", "use_ability", "charge", "plan_movement"),
            "escape_grapple",
        ),
        idle=(
            "keep_roll",
            "recover",
            "desperate_exertion",
            "no_more_swift",
            "end_turn",
            "pass_movement",
            "pass_turn",
            "manipulate_object",
            "next_round",
        ),
        never=frozenset(
            (
                *(*_NEVER, *_GM, "rule", "set_groups", "set_attitude", "set_order", "treat_wound", "sustain"),
                *("ask_pause", "withdraw_plan"),
            )
        ),
        shunned=frozenset(("block", "custom", "overrun", "withdraw")),
    ),
}
"""The taste for each rulebook, by its name: the part of an edition before the `@`."""


def taste_of(edition: str) -> Taste:
    """Return the taste for *edition*."""
    return TASTES.get(edition.partition("@")[0], ANY)
