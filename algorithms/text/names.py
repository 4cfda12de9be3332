"""Names as text: shortened so that they still differ, and suggestions for a misspelt name."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from itertools import pairwise
from typing import Final

Width = Callable[[str], float]
"""How wide a text is: in pixels, or in letters."""
GAP: Final = "…"
LONGEST: Final = 60
"""So many letters of a name stand in a line."""
LEAD: Final = 3
"""So many first letters of a name remain where what tells it apart does not need their room."""
WORD: Final = 8
"""What tells a name apart is shown from the beginning of its word, if that is so near."""
TOLD: Final = 4
"""With fewer letters of what tells it apart, a name has no first letters."""


@lru_cache(maxsize=64)
def parting(names: tuple[str, ...]) -> Mapping[str, int]:
    """Position of the first letter that separates each name from every other one."""
    ordered = sorted(set(names))
    shared = [0, *(_shared(*two) for two in pairwise(ordered)), 0]
    return {name: max(shared[place], shared[place + 1]) for place, name in enumerate(ordered)}


def cut(name: str, middle: str, room: float, width: Width, among: tuple[str, ...]) -> str:
    """A name that has no room, so that it is told from the others ``among`` which it stands.

    ``middle`` is the name cut in its middle, as wide as there is room for. That is it where a letter that tells the
    name apart is left; else the gap comes before the word in which it first differs.
    """
    differs = min(parting(among).get(name, 0), len(name) - 1)
    head = _shared(name, middle)
    if differs < head or len(name) - (len(middle) - head - len(GAP)) <= differs:
        return middle
    if differs <= LEAD:  # they differ so early that the end can go
        shown = _most(len(name), lambda n: width(name[:n] + GAP) <= room)
        return name[:shown] + GAP if shown > differs else middle
    start = differs
    while differs - start < WORD and start > 0 and name[start - 1].isalnum():
        start -= 1
    if start > 0 and name[start - 1].isalnum():
        start = differs
    rest = GAP + name[start:]
    if width(rest) <= room:
        return name[: _most(start, lambda n: width(name[:n] + rest) <= room)] + rest
    lead = name[: LEAD + 1] if name[LEAD : LEAD + 1].isalnum() and not name[LEAD + 1 :][:1].isalnum() else name[:LEAD]
    for first, begin in ((lead, start), (lead, differs), ("", differs)):
        shown = _shown(name, first, begin, room, width)
        if shown > differs - begin + TOLD or (shown and not first):
            return _part(name, first, begin, shown)
    return middle


def shortened(text: str, most: int = LONGEST, among: tuple[str, ...] = ()) -> str:
    """A name as one line of at most ``most`` characters, told from the others ``among`` which it stands; where they are
    not said, names that begin alike are told apart by their ends."""
    line = " ".join(text.split())
    if len(line) <= most:
        return line
    end = (most - 1) // 3
    middle = f"{line[: most - 1 - end]}{GAP}{line[len(line) - end :]}"
    return cut(line, middle, most, len, among) if among else middle


def _shown(name: str, lead: str, begin: int, room: float, width: Width) -> int:
    """Number of letters from ``begin`` on that fit."""
    return _most(len(name) - begin, lambda n: width(_part(name, lead, begin, n)) <= room)


def _shared(one: str, other: str) -> int:
    """Length of the common prefix."""
    return next(
        (place for place, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other))
    )


def _part(name: str, lead: str, begin: int, n: int) -> str:
    return f"{lead}{GAP}{name[begin : begin + n]}{GAP}"


def _most(end: int, fits: Callable[[int], bool]) -> int:
    """The largest number up to ``end`` that fits, 0 where none does; ``fits`` is monotone."""
    return bisect_left(range(1, end + 1), True, key=lambda n: not fits(n))


MOST = 3


def nearest(name: str, names: Iterable[str], cutoff: float = 0.6) -> list[str]:
    """The names most like ``name``, whatever their case, the nearest first; three at most."""
    import difflib  # late: the window opens without it

    by_case: dict[str, str] = {}
    for word in names:
        by_case.setdefault(word.casefold(), word)
    return [by_case[near] for near in difflib.get_close_matches(name.casefold(), by_case, n=MOST, cutoff=cutoff)]


def did_you_mean(name: str, names: Iterable[str], cutoff: float = 0.6) -> str:
    """ "Did you mean min_leaf?", or nothing where no name is like ``name``."""
    near = nearest(name, names, cutoff)
    return f"Did you mean {' or '.join(near)}?" if near else ""
