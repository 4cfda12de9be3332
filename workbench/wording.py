"""Counts and names as they are shown: a count with its noun, a long name in a line. No widgets."""

from __future__ import annotations

LONGEST = 60
TO_CHOOSE_BY = "records to choose by (validation)"
"""Records of the training part by which settings are chosen."""


def shortened(text: str, most: int = LONGEST) -> str:
    """A name as one line of at most ``most`` characters; names that begin alike are told apart by their ends."""
    line = " ".join(text.split())
    if len(line) <= most:
        return line
    end = (most - 1) // 3
    return f"{line[: most - 1 - end]}…{line[len(line) - end :]}"


def opening(sentence: str, most: int) -> str:
    """The first words of a sentence, at most so many characters; an ellipsis where there are more."""
    if len(sentence) <= most:
        return sentence
    words = sentence[: most - 1].rpartition(" ")[0]
    return f"{words.rstrip(' .,;:')}…"


def counted(n: int, one: str, many: str = "") -> str:
    """ "1 record", "699 records", "12,000 records"."""
    return f"{n:,} {one if n == 1 else many or one + 's'}"


def threshold_words(threshold: float) -> str:
    """A threshold in short: ".50", ".091", ".0083", "0", "1"; "over 1" where nothing reaches it."""
    if threshold > 1:
        return "over 1"
    if threshold in (0.0, 1.0):
        return f"{threshold:.0f}"
    text = f"{threshold:.3f}" if threshold >= 0.0995 else f"{threshold:.2g}"
    if len(text) > 4 and text.endswith("0"):
        text = text[:-1]
    return text.removeprefix("0")
