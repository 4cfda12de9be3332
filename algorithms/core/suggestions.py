"""What a person may have meant by a name that is none."""

from __future__ import annotations

from collections.abc import Iterable

MOST = 3


def nearest(name: str, names: Iterable[str], cutoff: float = 0.6) -> list[str]:
    """The names most like ``name``, whatever their case, the nearest first; three at most."""
    import difflib  # late: the window opens without it

    by_case: dict[str, str] = {}
    for each in names:
        by_case.setdefault(each.casefold(), each)
    return [by_case[near] for near in difflib.get_close_matches(name.casefold(), by_case, n=MOST, cutoff=cutoff)]


def did_you_mean(name: str, names: Iterable[str], cutoff: float = 0.6) -> str:
    """ "Did you mean min_leaf?", or nothing where no name is like ``name``."""
    near = nearest(name, names, cutoff)
    return f"Did you mean {' or '.join(near)}?" if near else ""
