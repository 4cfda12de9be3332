"""Names as text: shortening that keeps them distinct, and suggestions for misspelt names."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from itertools import pairwise
from typing import Final

Width = Callable[[str], float]
"""A function that returns the width of a text in pixels or characters."""
GAP: Final = "…"
LONGEST: Final = 60
"""Largest number of characters of a name in a line."""
LEAD: Final = 3
"""Number of first characters kept if there is room besides the distinguishing part."""
WORD: Final = 8
"""The distinguishing part begins at the start of its word if that is within this many characters."""
TOLD: Final = 4
"""If fewer characters of the distinguishing part fit, the first characters are dropped."""


@lru_cache(maxsize=64)
def distinguishing_positions(names: tuple[str, ...]) -> Mapping[str, int]:
    """Index of the first character that distinguishes each name from all others."""
    ordered = sorted(set(names))
    shared = [0, *(_shared(*two) for two in pairwise(ordered)), 0]
    return {name: max(shared[place], shared[place + 1]) for place, name in enumerate(ordered)}


def cut(name: str, middle: str, room: float, width: Width, among: tuple[str, ...]) -> str:
    """A name shortened to ``room`` so that it differs from the other names in ``among``.

    ``middle`` is the name with its middle cut out, as wide as there is room for. It is returned if it keeps a
    distinguishing character; else the ellipsis precedes the word in which the name first differs.
    """
    differs = min(distinguishing_positions(among).get(name, 0), len(name) - 1)
    head = _shared(name, middle)
    if differs < head or len(name) - (len(middle) - head - len(GAP)) <= differs:
        return middle
    if differs <= LEAD:  # they differ so early that the end can go
        shown = most_fitting(len(name), lambda n: width(name[:n] + GAP) <= room)
        return name[:shown] + GAP if shown > differs else middle
    start = differs
    while differs - start < WORD and start > 0 and name[start - 1].isalnum():
        start -= 1
    if start > 0 and name[start - 1].isalnum():
        start = differs
    rest = GAP + name[start:]
    if width(rest) <= room:
        return name[: most_fitting(start, lambda n: width(name[:n] + rest) <= room)] + rest
    lead = name[: LEAD + 1] if name[LEAD : LEAD + 1].isalnum() and not name[LEAD + 1 :][:1].isalnum() else name[:LEAD]
    for first, begin in ((lead, start), (lead, differs), ("", differs)):
        shown = _shown(name, first, begin, room, width)
        if shown > differs - begin + TOLD or (shown and not first):
            return _part(name, first, begin, shown)
    return middle


def shortened(text: str, most: int = LONGEST, among: tuple[str, ...] = ()) -> str:
    """A name as one line of at most ``most`` characters that differs from the others in ``among``.

    Without ``among`` the middle is cut out, so that names with equal beginnings still differ by their ends.
    """
    line = " ".join(text.split())
    if len(line) <= most:
        return line
    end = (most - 1) // 3
    middle = f"{line[: most - 1 - end]}{GAP}{line[len(line) - end :]}"
    return cut(line, middle, most, len, among) if among else middle


def _shown(name: str, lead: str, begin: int, room: float, width: Width) -> int:
    """Number of characters from ``begin`` on that fit."""
    return most_fitting(len(name) - begin, lambda n: width(_part(name, lead, begin, n)) <= room)


def _shared(one: str, other: str) -> int:
    """Length of the common prefix."""
    return next(
        (place for place, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other))
    )


def _part(name: str, lead: str, begin: int, n: int) -> str:
    return f"{lead}{GAP}{name[begin : begin + n]}{GAP}"


def most_fitting(end: int, fits: Callable[[int], bool]) -> int:
    """The largest number up to ``end`` that fits, 0 if none does; ``fits`` is monotone."""
    return bisect_left(range(1, end + 1), True, key=lambda n: not fits(n))


MOST = 3


def nearest(name: str, names: Iterable[str], cutoff: float = 0.6) -> list[str]:
    """The names most similar to ``name``, ignoring case, the nearest first; at most three."""
    import difflib  # late: the window opens without it

    by_case: dict[str, str] = {}
    for word in names:
        by_case.setdefault(word.casefold(), word)
    return [by_case[near] for near in difflib.get_close_matches(name.casefold(), by_case, n=MOST, cutoff=cutoff)]


def did_you_mean(name: str, names: Iterable[str], cutoff: float = 0.6) -> str:
    """ "Did you mean min_leaf?"; empty if no name is similar."""
    near = nearest(name, names, cutoff)
    return f"Did you mean {' or '.join(near)}?" if near else ""
