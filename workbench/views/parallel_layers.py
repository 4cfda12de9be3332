"""What stands between the axes of parallel coordinates where there are many records: the density of their lines."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np

from algorithms.core.columns import IntArray
from workbench.geometry.density import Checkpoint, Pixels
from workbench.geometry.line_density import Gap, ends_of, lines_picture
from workbench.geometry.line_drawing import drawn_lines
from workbench.geometry.places import EVERY, SAMPLED_FROM, Places
from workbench.geometry.points import Mask
from workbench.theme import Theme
from workbench.views.refiner import COARSE_DONE
from workbench.views.scatter_layer import class_colors
from workbench.views.scatter_paint import FADED

MOST_LINES: Final = 4000
"""So many lines are drawn one by one; of more, how dense they are is shown."""
MOST_STEPS: Final = 260
"""Steps of height that are told apart, and columns of a picture, where the records are many."""
STRONGEST, FAINTEST = 0.85, 0.1
STRONG_ROOM: Final = 3.5
"""Pixels of an axis for each line where lines are drawn in full strength; with less room each is fainter."""
COARSE_STEPS, COARSE_COLUMNS = 72, 40
CELL: Final = 2.0
LIT_FAINTEST: Final = 0.6


@dataclass(frozen=True, eq=False)
class LinesWanted:
    """All that the pictures depend on. A gap is ``width`` by ``height`` pixels, from ``span[0]`` to ``span[1]``."""

    places: Places
    gaps: tuple[Gap, ...]
    span: tuple[float, float]
    width: float
    height: float
    lit: Mask | None
    marks_wrong: bool
    theme: Theme


@dataclass(frozen=True, eq=False)
class GapLayer:
    """The lines of one gap as pixels (h, w), and those of the records that are lit, to be laid over them."""

    gap: Gap
    pixels: Pixels
    above: Pixels | None = None


def strength_for(n: int, height: float) -> float:
    """How much of what is below it each of ``n`` lines hides on axes of so many pixels."""
    room = height / STRONG_ROOM / max(1, n)
    return float(max(FAINTEST, STRONGEST * min(1.0, room**0.5)))


def parallel_layers(wanted: LinesWanted, checkpoint: Checkpoint) -> Iterator[object]:
    """The pictures of the gaps: coarse ones of some records first, then all of them finely."""
    places, lit = wanted.places, wanted.lit
    is_sampled = len(places) >= SAMPLED_FROM
    some = places.sampled(EVERY) if is_sampled else places
    some_lit = lit[::EVERY] if is_sampled and lit is not None else lit
    if len(places) > MOST_LINES:
        for gap in wanted.gaps:
            dense = _dense(wanted, gap, some, None, (COARSE_STEPS, COARSE_COLUMNS), checkpoint)
            above = None
            if some_lit is not None:
                above = _dense(wanted, gap, some, some_lit, (COARSE_STEPS, COARSE_COLUMNS), checkpoint)
            yield GapLayer(gap, dense, above)
        yield COARSE_DONE
    for gap in wanted.gaps:
        yield _fine(wanted, gap, checkpoint)


def _fine(wanted: LinesWanted, gap: Gap, checkpoint: Checkpoint) -> GapLayer:
    places, lit = wanted.places, wanted.lit
    size = (
        max(COARSE_STEPS, min(MOST_STEPS, round(wanted.height / CELL))),
        max(COARSE_COLUMNS, min(MOST_STEPS, round(wanted.width / CELL))),
    )
    if len(places) <= MOST_LINES:
        others = np.arange(len(places)) if lit is None else np.flatnonzero(~lit)
        below = _lines(wanted, gap, others, 1.0 if lit is None else FADED, checkpoint)
    else:
        below = _dense(wanted, gap, places, None, size, checkpoint)
    if lit is None:
        return GapLayer(gap, below)
    if np.count_nonzero(lit) <= MOST_LINES:
        return GapLayer(gap, below, _lines(wanted, gap, np.flatnonzero(lit), 1.0, checkpoint))
    return GapLayer(gap, below, _dense(wanted, gap, places, lit, size, checkpoint))


def _dense(
    wanted: LinesWanted, gap: Gap, places: Places, lit: Mask | None, size: tuple[int, int], checkpoint: Checkpoint
) -> Pixels:
    """The density of all lines, fainter where some are lit; or that of the lit ones."""
    colors = class_colors(wanted.theme, places.n_classes)
    ends = ends_of(places, gap, size[0], wanted.span, colors, lit, checkpoint)
    if lit is not None:
        return lines_picture(ends, size[1], faintest=LIT_FAINTEST, checkpoint=checkpoint)
    return lines_picture(ends, size[1], opacity=1.0 if wanted.lit is None else FADED, checkpoint=checkpoint)


def _lines(wanted: LinesWanted, gap: Gap, records: IntArray, opacity: float, checkpoint: Checkpoint) -> Pixels:
    """The lines of some records (numbers of places, ascending) one by one."""
    places = wanted.places
    rows, columns = max(1, round(wanted.height)), max(1, round(wanted.width))
    per = rows / (wanted.span[1] - wanted.span[0])
    begin, end = (
        (wanted.span[1] - view.heights(places.units[axis][records]).astype(np.float64)) * per
        for axis, view in ((gap.left, gap.left_view), (gap.left + 1, gap.right_view))
    )
    codes = np.searchsorted(places.starts, records, side="right") - 1
    colors = class_colors(wanted.theme, places.n_classes)[codes]
    dashed = places.wrong[records] if wanted.marks_wrong else None
    strength = opacity * strength_for(len(records), wanted.height)
    return drawn_lines(begin, end, colors, (rows, columns), strength, dashed, checkpoint)
