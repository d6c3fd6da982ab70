"""Texts as Discord takes them: 2,000 characters a message, so longer ones are split and nothing is cut."""

from collections.abc import Iterator

LONGEST = 2000
MARKS = ("\n", ". ", " ")
"""Where a text is split, the best first."""


def pieces(text: str, longest: int = LONGEST) -> Iterator[str]:
    """Yield *text* in pieces of at most *longest* characters: by lines, sentences, words, or anywhere."""
    left = text
    while len(left) > longest:
        cuts = (left.rfind(mark, 0, longest - len(mark) + 1) + len(mark) for mark in MARKS)
        at = next((cut for cut, mark in zip(cuts, MARKS, strict=True) if cut > len(mark)), longest)
        yield left[:at].rstrip()
        left = left[at:].lstrip("\n ")
    yield left


def shortened(text: str, longest: int) -> str:
    """Return a name of at most *longest* characters; a shortened one shows that it is."""
    return text if len(text) <= longest else f"{text[: longest - 1]}…"
