"""Names as text: shortening that keeps them distinct, and suggestions for misspelt names."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache, wraps
from itertools import pairwise
from typing import Final, TypeVar

Width = Callable[[str], float]
"""A function that returns the width of a text in pixels or characters."""
T = TypeVar("T")
GAP: Final = "…"
RUN_OF_LETTERS: Final = re.compile(r"[^\W_]+")
LONGEST: Final = 60
"""Largest number of characters of a name in a line."""
LEAD: Final = 3
"""Number of first characters kept if there is room besides the distinguishing part."""
WORD: Final = 8
"""The distinguishing part begins at the start of its word if that is within this many characters."""
NUMBER: Final = re.compile(r"(?<![\w.])[-−+]?\d[\d,]*(?:\.\d+)?(?:[eE][-−+]?\d+)?(?!\w)")
"""A number that stands alone; digits within a word, as in "x12", are part of a name."""
RUN_IN_NAME: Final = re.compile(r" \(run \d+\)$")
LEAST_BEFORE_RUN: Final = 3
"""The least number of characters that tell a name beside the number of its run."""
LEAST_SHOWN: Final = 6
"""Fewer characters do not tell what a name is."""
TOLD: Final = 4
"""If fewer characters of the distinguishing part fit, the first characters are dropped."""
MOST_KEPT: Final = 64
"""Number of lists of names for which sorted names and distinguishing positions are kept."""


def _kept(compute: Callable[[tuple[str, ...]], T]) -> Callable[[tuple[str, ...]], T]:
    """``compute`` with its last results kept by the names, and first by their identity.

    The hash of a tuple is computed anew at each look-up: for 10,000 names it takes longer than to shorten one of them.
    """
    by_equality = lru_cache(maxsize=MOST_KEPT)(compute)
    by_identity: dict[int, tuple[tuple[str, ...], T]] = {}

    def result(names: tuple[str, ...]) -> T:
        kept = by_identity.get(id(names))
        if kept is None or kept[0] is not names:
            if len(by_identity) >= MOST_KEPT:
                by_identity.clear()
            kept = by_identity[id(names)] = names, by_equality(names)
        return kept[1]

    return wraps(compute)(result)


@_kept
def distinguishing_positions(names: tuple[str, ...]) -> Mapping[str, int]:
    """Index of the first character that distinguishes each name from all others."""
    ordered = sorted(set(names))
    shared = [0, *(_shared(*two) for two in pairwise(ordered)), 0]
    return {name: max(shared[place], shared[place + 1]) for place, name in enumerate(ordered)}


def with_whole_numbers(name: str, shown: str) -> str:
    """A shortened name without the numbers that it shows only in part: "−1.85 to…" for "−1.85 to…22"."""
    if shown == name or GAP not in shown or GAP in name:
        return shown
    *parts, last = shown.split(GAP)
    places, end = [], 0
    for part in parts:
        start = name.find(part, end)
        end = start + len(part)
        places.append((start, end))
    places.append((len(name) - len(last), len(name)))
    numbers = [number.span() for number in NUMBER.finditer(name)]
    whole = []
    for start, end in places:
        start = next((high for low, high in numbers if low < start < high), start)
        end = next((low for low, high in numbers if low < end < high), end)
        whole.append(name[start:end] if start < end else "")
    return GAP.join(whole)


def cut(name: str, middle: Callable[[str], str], room: float, width: Width, among: tuple[str, ...]) -> str:
    """A name shortened to ``room`` so that it differs from the other names in ``among``.

    ``middle`` cuts out the middle of a name. Words are cut where another name would otherwise be shown alike. A number
    is shown whole or not at all, but for the digits of an identifier in which names differ.
    """
    positions = distinguishing_positions(among)
    positions = positions if name in positions else distinguishing_positions((*among, name))

    def cut_one(name: str, *, cuts_words: bool) -> str:
        differs = min(positions[name], len(name) - 1)
        shown = _distinct(name, middle(name), room, width, differs, cuts_words=cuts_words)
        numbers = list(NUMBER.finditer(name))
        if len(numbers) == 1 and numbers[0][0].isdigit() and numbers[0].start() <= differs < numbers[0].end():
            return shown
        return with_whole_numbers(name, shown)

    shown = cut_one(name, cuts_words=False)
    first, last = shown.partition(GAP)[0], shown.rpartition(GAP)[2]
    alike = (one for one in _with_ends(first, last, among) if one != name)
    if any(width(one) > room and cut_one(one, cuts_words=False) == shown for one in alike):
        shown = cut_one(name, cuts_words=True)
    if not fits_another(name, shown, among):
        return shown
    ways = (with_whole_numbers(name, way) for way in _other_ways(name, positions[name], room, width))
    enough = (way for way in ways if len(way.replace(GAP, "")) >= LEAST_SHOWN)
    return next((way for way in enough if not fits_another(name, way, among)), shown)


def with_bracket(name: str, shown: str, fits: Callable[[str], bool], among: tuple[str, ...] = ()) -> str:
    """A shortened name with the bracket at which its gap begins: "Recall (…reader)" for "Recall…second reader)".

    The number of a run in it stays whole, as it tells the name from others: "Logistic regr… (run 1)".
    """
    if shown != name and (run := RUN_IN_NAME.search(name)):
        n = most_fitting(run.start(), lambda n: fits(f"{name[:n].rstrip()}{GAP}{run[0]}"))
        if n >= LEAST_BEFORE_RUN:
            return f"{name[:n].rstrip()}{GAP}{run[0]}"
    first, _gap, last = shown.partition(GAP)
    if shown == name or not name.startswith(f"{first} (") or ")" not in last or "(" in last:
        return shown
    begins = [0, *(word.start() for word in RUN_OF_LETTERS.finditer(last))]
    ways = (f"{first} ({GAP}{last[begin:]}" for begin in begins)
    return next((way for way in ways if fits(way) and not fits_another(name, way, among)), shown)


@_kept
def _in_order(names: tuple[str, ...]) -> tuple[list[str], list[str]]:
    """The names in order, and in the order of their letters read from the end, each read so."""
    return sorted(names), sorted(name[::-1] for name in names)


def _with_ends(first: str, last: str, among: tuple[str, ...]) -> Iterator[str]:
    """The names of ``among`` that begin with ``first`` and end with ``last``.

    Those with the rarer of both are found by halving, as thousands of columns have long names.
    """
    forwards, backwards = _in_order(among)
    begins, ends = _beginning_with(first, forwards), _beginning_with(last[::-1], backwards)
    if len(begins) <= len(ends):
        return (forwards[place] for place in begins if forwards[place].endswith(last))
    turned = (backwards[place][::-1] for place in ends)
    return (name for name in turned if name.startswith(first))


def _beginning_with(first: str, names: list[str]) -> range:
    """Where those names stand, among ``names`` in order, that begin with ``first``."""
    start = bisect_left(names, first)
    return range(start, bisect_right(names, first, lo=start, key=lambda name: name[: len(first)]))


def fits_another(name: str, shown: str, among: tuple[str, ...]) -> bool:
    """Whether a shortened name could stand for one of the others too: "dia…firmed…" for "diagnosis not confirmed"."""
    first, *between, last = shown.split(GAP) if GAP in shown else (shown, "")

    def fits(other: str) -> bool:
        end = len(first)
        for part in between:
            start = other.find(part, end)
            if start < 0:
                return False
            end = start + len(part)
        return end <= len(other) - len(last)

    return GAP in shown and any(fits(other) for other in _with_ends(first, last, among) if other != name)


def _other_ways(name: str, differs: int, room: float, width: Width) -> Iterator[str]:
    """Other ways to shorten a name to ``room``: both its ends, then what stands around a place.

    Whole words come first, and a name keeps its first letters if it can. The place is the one where the name
    ``differs`` from others.
    """
    words = [word.start() for word in RUN_OF_LETTERS.finditer(name) if word.start()]
    places = (words, False), (range(1, len(name)), True)
    for (starts, cuts_words), least in ((place, least) for least in (LEAD, 0) for place in places):
        for start in starts:
            rest = GAP + name[start:]
            head = next((n for n in range(start, 0, -1) if width(name[:n] + rest) <= room), 0)
            head = head if cuts_words or head <= LEAD else end_of_word(name, LEAD, head)
            if width(rest) <= room and head >= max(least, not cuts_words):
                yield name[:head].rstrip() + rest
    for begin in range(differs, 0, -1):
        n = _shown(name, "", begin, room, width)
        if n > differs - begin:
            yield _part(name, "", begin, n)


def _distinct(name: str, middle: str, room: float, width: Width, differs: int, *, cuts_words: bool) -> str:
    """A name shortened to ``room`` so that its character ``differs`` is shown.

    ``middle`` is the name with its middle cut out, as wide as there is room for. It is returned, at edges of words if
    possible, if it keeps a distinguishing character; else the first words, if they do; else the ellipsis precedes the
    word in which the name first differs.
    """

    def tells(shown: str) -> bool:
        head = _shared(name, shown)
        return differs < head or len(name) - (len(shown) - head - len(GAP)) <= differs

    def end_at(least: int, end: int) -> int:
        return end if cuts_words else end_of_word(name, least, end)

    whole = middle if cuts_words else at_word_edges(name, middle, lambda whole: width(whole) <= room and tells(whole))
    if whole != middle:
        return whole
    head = most_fitting(len(name), lambda n: width(name[:n] + GAP) <= room)
    end = end_at(max(differs + 1, head // 2), head)
    if end > differs and not cuts_words and not _is_within_word(name, end):
        with_end = _with_last_word(name, differs, room, width) or _from_word(name, differs, room, width)
        return with_end or name[:end].rstrip() + GAP
    if tells(middle):
        return middle
    if differs <= LEAD:  # they differ so early that the end can go
        return name[:end] + GAP if end > differs else middle
    start = differs
    while differs - start < WORD and start > 0 and name[start - 1].isalnum():
        start -= 1
    if start > 0 and name[start - 1].isalnum():
        start = differs
    rest = GAP + name[start:]
    if width(rest) <= room:
        head = most_fitting(start, lambda n: width(name[:n] + rest) <= room)
        return name[: end_at(head // 2, head)].rstrip() + rest
    lead = name[: LEAD + 1] if name[LEAD : LEAD + 1].isalnum() and not name[LEAD + 1 :][:1].isalnum() else name[:LEAD]
    for first, begin in ((lead, start), ("", start), (lead, differs), ("", differs)):
        shown = _shown(name, first, begin, room, width)
        if shown > differs - begin + TOLD or (shown and not first):
            return _part(name, first, begin, end_at(max(differs, begin + shown // 2), begin + shown) - begin)
    return middle


def _with_last_word(name: str, differs: int, room: float, width: Width) -> str:
    """The beginning of a name, with some letters of the word in which it ``differs``, and its last word; or nothing."""
    last = GAP + name[max((word.start() for word in RUN_OF_LETTERS.finditer(name)), default=len(name)) :]
    head = most_fitting(len(name) - len(last), lambda n: width(name[:n] + last) <= room)
    end = end_of_word(name, max(differs + 1, head // 2), head)
    return name[:end].rstrip() + last if end > differs + 2 and last != GAP else ""


def _from_word(name: str, differs: int, room: float, width: Width) -> str:
    """The first letters of a name and its end from the word in which it ``differs``; or nothing."""
    start = next((word.start() for word in RUN_OF_LETTERS.finditer(name) if word.end() > differs), differs)
    rest = GAP + name[start:]
    if not start or width(rest) > room:
        return ""
    head = most_fitting(start, lambda n: width(name[:n] + rest) <= room)
    return (name[: end_of_word(name, head // 2, head)].rstrip() if head >= LEAD else "") + rest


def at_word_edges(name: str, middle: str, fits: Callable[[str], bool]) -> str:
    """``middle``, the name with its middle cut out, with whole words at both ends if so many of them fit.

    They show at least two thirds of the characters; else words are cut.
    """
    n = len(middle) - len(GAP)
    if n <= 0:
        return middle
    ends = [word.end() for word in RUN_OF_LETTERS.finditer(name[: n + 1]) if word.end() <= n]
    rest = len(name) - n
    begins = [rest + word.start() for word in RUN_OF_LETTERS.finditer(name[rest:]) if word.start()]
    if rest > 0 and not name[rest - 1].isalnum() and name[rest].isalnum():
        begins.append(rest)
    sides = [(max((end for end in ends if end <= begin - rest), default=0), begin) for begin in begins]
    whole = [(end - begin, end, begin) for end, begin in sides if end and 3 * (end + len(name) - begin) >= 2 * n]
    for _, end, begin in sorted(whole, reverse=True):
        shown = f"{name[:end]}{GAP}{name[begin:]}"
        if fits(shown):
            return shown
    return middle


def end_of_word(text: str, least: int, end: int) -> int:
    """The last place between ``least`` and ``end`` where no word goes on; ``end`` if there is none."""
    return next((n for n in range(end, least - 1, -1) if n and not _is_within_word(text, n)), end)


def _is_within_word(text: str, place: int) -> bool:
    return text[max(0, place - 1) : place].isalnum() and text[place : place + 1].isalnum()


def shortened(text: str, most: int = LONGEST, among: tuple[str, ...] = ()) -> str:
    """A name as one line of at most ``most`` characters that differs from the others in ``among``.

    Without ``among`` the middle is cut out, so that names with equal beginnings still differ by their ends.
    """
    line = " ".join(text.split())
    if len(line) <= most:
        return line
    end = (most - 1) // 3

    def middle(line: str) -> str:
        return line if len(line) <= most else f"{line[: most - 1 - end]}{GAP}{line[len(line) - end :]}"

    def fits(shown: str) -> bool:
        return len(shown) <= most

    if among:
        return with_bracket(line, cut(line, middle, most, len, among), fits, among)
    return with_bracket(line, with_whole_numbers(line, at_word_edges(line, middle(line), fits)), fits)


def _shown(name: str, lead: str, begin: int, room: float, width: Width) -> int:
    """Number of characters from ``begin`` on that fit."""
    return most_fitting(len(name) - begin, lambda n: width(_part(name, lead, begin, n)) <= room)


def _shared(one: str, other: str) -> int:
    """Length of the common prefix."""
    return next(
        (place for place, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other))
    )


def _part(name: str, lead: str, begin: int, n: int) -> str:
    return f"{lead}{GAP}{name[begin : begin + n].rstrip()}{GAP}"


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
