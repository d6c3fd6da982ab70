"""Say what bots like to do: one table for each rulebook, in the books' own commands.

A bot knows no rule. It takes what is offered, what it likes first; what ends or skips something comes last,
and what only a person should decide (rulings, rests, leaving) it never does.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True)
class Taste:
    """How commands are ranked: liked ones in order, then all others, then the idle, in order."""

    liked: tuple[str, ...]
    idle: tuple[str, ...]
    never: frozenset[str]
    shunned: frozenset[str] = frozenset()
    """Ways of doing a thing that come after all others."""

    def rank(self, type_: str) -> int | None:
        """Return how late *type_* comes, None if it is never done."""
        if type_ in self.never:
            return None
        if type_ in self.liked:
            return self.liked.index(type_)
        return len(self.liked) + (1 + self.idle.index(type_) if type_ in self.idle else 0)


_NEVER: Final = (
    *("close", "open_seat", "change_seat", "close_seat", "issue_token", "advance_epoch", "accept_history"),
    *("contest", "uphold", "amend", "undo", "redo", "accept_amendment", "drop_amendment"),
    *("roll_behind_screen", "show_roll", "show_sheet", "gm_ruling", "rest", "end_combat"),
)

TASTES: Final[Mapping[str, Taste]] = {
    "heartrush": Taste(
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
                *(*_NEVER, "rule", "set_groups", "set_attitude", "set_order", "treat_wound", "sustain"),
                *("ask_pause", "withdraw_plan"),
            )
        ),
        shunned=frozenset(("block", "custom", "overrun", "withdraw")),
    ),
}
"""By the rulebook's name: what stands before the `@` of an edition."""
