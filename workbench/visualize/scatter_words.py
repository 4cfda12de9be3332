"""What the line under the scatter plot says of its marks: wrong records, selected ones, density, tints."""

from __future__ import annotations

from collections.abc import Sequence

from workbench.views.scatter import ScatterView
from workbench.views.scatter_paint import PALE, selected_words, wrong_words


def marks_told(view: ScatterView, n_wrong: int) -> list[str]:
    """How wrong and selected records are marked among those in view, what is needed most first.

    Of density it is said first what is selected: no symbol tells it there.
    """
    shows_density, n_selected = view.n_shown() is None, view.n_selected
    if n_selected is None:
        return ["the stronger the more records"] if shows_density else [wrong_words(n_wrong)] if n_wrong else []
    seen = _seen_words(n_selected, view.n_selected_in_view, always=shows_density)
    if shows_density:
        return [PALE, *seen, "the stronger the more records"]
    return [*([wrong_words(n_wrong)] if n_wrong else []), selected_words(n_selected), *seen]


def _seen_words(n: int, n_in_view: int, *, always: bool) -> list[str]:
    """How many of ``n`` selected records are in view; nothing where all are, unless it is ``always`` said."""
    if not n:
        return ["no selected record has a place here"]
    if n_in_view == n:
        return [f"all {n:,} selected in view" if n > 1 else "the selected one in view"] if always else []
    return [f"{n_in_view:,} of {n:,} selected in view" if n_in_view else f"none of {n:,} selected in view"]


def in_fewer_words(told: Sequence[str], tint: str, tint_in_brief: str) -> list[str]:
    """The line with what the tints mean at its end, and the same with that in brief; nothing where nothing is told."""
    return [" · ".join([*told, *([words] if words else [])]) for words in (tint, tint_in_brief)]
