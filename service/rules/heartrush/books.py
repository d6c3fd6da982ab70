"""The books of Heart Rush, and the chapters that its rules come from.

Its author publishes the game at heart-rush-tools.vercel.app and develops it in the repository
CaptainCrouton89/heart-rush-tools. The editions contradict each other. For combat the priority edition
decides, for its own subjects the turn edition, then the summary, then the older collection.
"""

from typing import Final

from service.rules.kernel.rulebook import Book

_TITLE: Final = "Heart Rush"

PRIORITY: Final = Book(
    _TITLE,
    "priority edition",
    "The edition in which sides pass priority: folder `sections` in the early history of the repository.",
)
TURNS: Final = Book(
    _TITLE,
    "turn edition",
    "The later edition of slow, quick and instant abilities, in which creatures take turns.",
)
SUMMARY: Final = Book(_TITLE, "summary", "“Heart Rush TTRPG Rules”, a short text of the combat rules.")
COLLECTION: Final = Book(
    _TITLE, "older collection", "Classes, talents, spells and monsters, before the present edition."
)

COMBAT: Final = PRIORITY.at("Combat")
CONDITIONS: Final = PRIORITY.at("Conditions")
WEAPONS: Final = PRIORITY.at("Weapons, Cantrips & Armor")
RESTS: Final = PRIORITY.at("Rests & Healing")
CHECKS: Final = PRIORITY.at("Gameplay Basics")
CHARACTERS: Final = PRIORITY.at("Building Your Character")

BASICS: Final = TURNS.at("Gameplay Basics")
COMBAT_IN_TURNS: Final = TURNS.at("Combat")

MECHANICS: Final = SUMMARY.at("Combat Mechanics")
OFFENSIVES: Final = SUMMARY.at("Other Offensive Actions")

SPELLCASTING: Final = COLLECTION.at("Spellcasting")

BOOKS: Final = (PRIORITY, TURNS, SUMMARY, COLLECTION)
