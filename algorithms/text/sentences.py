"""Counts, names and thresholds within sentences."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence
from typing import Final

from algorithms.text.names import shortened

BRIEF_NAMES = (24, 14)
"""Lengths to which names in a sentence are cut, one after the other, until it fits."""
MOST_OF_A_NAME: Final = 40
"""Largest number of characters of a name in a sentence at first."""
TO_CHOOSE_BY = "records to choose by (validation)"
"""Phrase for the validation records, a part of the training data used to choose settings."""


RAISED: Final = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
MOST_DIGITS = 18
"""Number of digits that distinguish any two numbers."""


def in_brief(sentence: str, among: tuple[str, ...], most: int) -> str:
    """A sentence with these names cut to at most ``most`` characters each."""
    names = (name for name in among if len(name) > most and name in sentence)
    for name in sorted(names, key=len, reverse=True):
        sentence = sentence.replace(name, shortened(name, most, among))
    return sentence


def in_room(sentence: str, among: tuple[str, ...], fits: Callable[[str], bool]) -> str:
    """A sentence with these names cut to the same length until it fits, or as far as possible."""
    if fits(sentence):
        return sentence
    longest = max((len(name) for name in among if name in sentence), default=0)
    fewer = range(longest - 1, min(BRIEF_NAMES) - 1, -1)
    place = bisect_left(fewer, True, key=lambda most: fits(in_brief(sentence, among, most)))
    return in_brief(sentence, among, fewer[min(place, len(fewer) - 1)]) if fewer else sentence


def typeset(words: str) -> str:
    """Conditions with typographic signs: "age ≤ 40 and size ≥ 2" for "age <= 40 and size >= 2"."""
    return words.replace(" <= ", " ≤ ").replace(" >= ", " ≥ ")


def opening(sentence: str, most: int) -> str:
    """The first words of a sentence within ``most`` characters, with an ellipsis if it continues."""
    if len(sentence) <= most:
        return sentence
    words = sentence[: most - 1].rpartition(" ")[0]
    return f"{words.rstrip(' .,;:')}…"


def counted(n: int, one: str, many: str = "") -> str:
    """A count with its noun: "1 record", "699 records", "12,000 records"."""
    return f"{n:,} {one if n == 1 else many or one + 's'}"


def one_of(many: str) -> str:
    """The singular of a noun: "record" of "records", "leaf" of "leaves"; "%" and "MB" are unchanged."""
    return {"leaves": "leaf"}.get(many, many.removesuffix("s"))


def likeliest(names: Sequence[str], shares: Sequence[float], most: int) -> str:
    """The ``most`` names with the largest shares (0 to 1), and the number of others."""
    order = sorted(range(len(names)), key=lambda index: -shares[index])
    words = [f"{names[index]} {shares[index]:.1%}" for index in order[:most]]
    return ", ".join([*words, f"{len(names) - most:,} more"] if len(names) > most else words)


def threshold_words(threshold: float, digits: int = 3) -> str:
    """A threshold in short: ".50", ".091", ".0083", "6.3 × 10⁻⁷", "0", "1"; "over 1" if no probability reaches it."""
    if threshold > 1:
        return "over 1"
    if threshold in (0.0, 1.0):
        return f"{threshold:.0f}"
    text = f"{threshold:.{digits}f}" if threshold >= 0.0995 else f"{threshold:.{digits - 1}g}"
    if digits == 3 and len(text) > 4 and text.endswith("0"):
        text = text[:-1]
    number, _, power = text.partition("e-")
    return f"{number} × 10⁻{power.lstrip('0').translate(RAISED)}" if power else number.removeprefix("0")


def threshold_beside(threshold: float, others: Sequence[float]) -> str:
    """A threshold with as many digits as distinguish it from ``others``: ".3334" next to .3331."""
    beside = [other for other in others if other != threshold and other <= 1]
    for digits in range(3, MOST_DIGITS):
        words = threshold_words(threshold, digits)
        if threshold > 1 or all(words != threshold_words(other, digits) for other in beside):
            break
    return words
