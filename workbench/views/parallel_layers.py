"""What stands between the axes of parallel coordinates where there are many records: the density of their lines."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from workbench.geometry.density import Checkpoint, Pixels, over
from workbench.geometry.line_density import Gap, ends_of, lines_picture
from workbench.geometry.places import EVERY, SAMPLED_FROM, Places
from workbench.geometry.points import Mask
from workbench.theme import Theme
from workbench.views.refiner import COARSE_DONE
from workbench.views.scatter_layer import class_colors
from workbench.views.scatter_paint import FADED

MOST_LINES: Final = 600
"""So many lines are drawn one by one; of more, how dense they are is shown."""
MOST_STEPS: Final = 260
"""Steps of height that are told apart, and columns of a picture, where the records are many."""
FINE_STEPS: Final = 480
FINE_BELOW: Final = 50_000
"""Of fewer records each line can be drawn as finely as the screen allows."""
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
    paints_lit: bool
    theme: Theme


@dataclass(frozen=True, eq=False)
class GapLayer:
    """The lines of one gap as pixels (h, w)."""

    gap: Gap
    pixels: Pixels


def parallel_layers(wanted: LinesWanted, checkpoint: Checkpoint) -> Iterator[object]:
    """The pictures of the gaps: coarse ones of some records first, then all of them finely."""
    places, lit = wanted.places, wanted.lit
    sampled = len(places) >= SAMPLED_FROM
    some = places.sampled(EVERY) if sampled else places
    some_lit = lit[::EVERY] if sampled and lit is not None else lit
    for gap in wanted.gaps:
        yield _layer(wanted, gap, some, some_lit, COARSE_STEPS, COARSE_COLUMNS, checkpoint)
    yield COARSE_DONE
    most = FINE_STEPS if len(places) < FINE_BELOW else MOST_STEPS
    steps = max(COARSE_STEPS, min(most, round(wanted.height / CELL)))
    columns = max(COARSE_COLUMNS, min(most, round(wanted.width / CELL)))
    for gap in wanted.gaps:
        yield _layer(wanted, gap, places, lit, steps, columns, checkpoint)


def _layer(
    wanted: LinesWanted,
    gap: Gap,
    places: Places,
    lit: Mask | None,
    steps: int,
    columns: int,
    checkpoint: Checkpoint,
) -> GapLayer:
    colors = class_colors(wanted.theme, places.n_classes)
    ends = ends_of(places, gap, steps, wanted.span, colors, None, checkpoint)
    opacity = 1.0 if lit is None else FADED
    pixels = lines_picture(ends, columns, opacity=opacity, checkpoint=checkpoint)
    if lit is not None and wanted.paints_lit:
        ends = ends_of(places, gap, steps, wanted.span, colors, lit, checkpoint)
        pixels = over(lines_picture(ends, columns, faintest=LIT_FAINTEST, checkpoint=checkpoint), pixels)
    return GapLayer(gap, pixels)
