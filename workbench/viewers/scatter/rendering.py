"""Rendering of pictures of records in jobs: parts from coarse to fine, the points of a scatter plot, its keys."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import ceil
from typing import Final

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QBrush, QColor, QFontMetricsF, QImage, QLinearGradient, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from algorithms.core.run_control import RunContext
from algorithms.data.columns import Mask
from algorithms.evaluation.regions import Regions
from workbench.jobs.jobs import Jobs, LatestTask
from workbench.layout.camera import Window
from workbench.layout.density import FAINTEST, MOST_POINTS, Pixels, density_counts, opacities, painted, shown_points
from workbench.layout.points import Checkpoint, ScatterPoints
from workbench.style.theme import Theme, current_theme, themes
from workbench.viewers.scatter.scatter_paint import FADED, Layer
from workbench.widgets.labels import elided
from workbench.widgets.layouts import named
from workbench.widgets.painting import MIDDLE_LEFT, MIDDLE_RIGHT, draw_text, pen_and_brush

RenderingSteps = Callable[[Checkpoint], Iterator[object]]
"""Yields the parts of a picture in order, and :data:`COARSE_DONE` after the coarse ones."""
COARSE_DONE: Final = "coarse done"


class ProgressiveRenderer(QObject):
    """Renders requests in parts; a newer one follows the coarse picture of the running one."""

    rendered = Signal(object)

    def __init__(self, jobs: Jobs | None, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._task, self._has_jobs = LatestTask(jobs), jobs is not None
        self._next: RenderingSteps | None = None
        self._seen_once = False

    @property
    def is_busy(self) -> bool:
        return self._task.is_running

    def want(self, steps: RenderingSteps, *, at_once: bool = False) -> None:
        """Requests the parts of a picture; ``at_once`` computes short work without a job."""
        if self.is_busy and not self._seen_once and not at_once:
            self._next = steps
        else:
            self._begin(steps, at_once or not self._has_jobs)

    def drop(self) -> None:
        self._next = None
        self._task.stop()

    def _begin(self, steps: RenderingSteps, at_once: bool = False) -> None:
        def work(context: RunContext) -> None:
            for part in steps(context.checkpoint):
                context.publish(part)

        self._next, self._seen_once = None, False
        self._task.run("", work, on_done=None if at_once else self._done, on_event=self._land, at_once=at_once)

    def _land(self, part: object) -> None:
        if part is COARSE_DONE:
            self._seen_once = True
            if self._next is not None:
                self._begin(self._next)
        else:
            self.rendered.emit(part)

    def _done(self, _nothing: object) -> None:
        if self._next is not None:
            self._begin(self._next)
        else:
            self.rendered.emit(None)


BESIDE: Final = 0.5
"""Share of the window rendered beyond each of its edges, for panning."""
CELL: Final = 2.0
"""Pixels of a density cell: large enough to see a lone record."""
ROOM: Final = 12.0
"""Pixels of the view per point drawn one by one; more points are drawn as density."""
FEWEST: Final = 1500
"""At least this many points are drawn one by one."""
FAINTEST_SELECTED: Final = 0.75
"""Opacity of a lone selected point over the others."""
FAINTEST_REGION, STRONGEST_REGION = 0.13, 0.28
LEAST_GREYISH, GREYISH, LEAST_SATURATION = 0.1, 0.35, 0.6
"""Saturations: a tint of a colour from the first to the second looks grey on white, so it has that of the third."""


@dataclass(frozen=True, eq=False)
class LayerRequest:
    """What a layer depends on."""

    points: ScatterPoints
    window: Window
    chosen: Mask | None
    theme: Theme


def class_colors(theme: Theme, k: int) -> NDArray[np.float32]:
    """Colours (k + 1, 3), 0 to 255, first for records without class."""
    return channels([theme.class_color(code) for code in range(-1, k)])


def channels(colors: Sequence[QColor]) -> NDArray[np.float32]:
    """Red, green and blue (n, 3), 0 to 255."""
    return np.array([(c.red(), c.green(), c.blue()) for c in colors], dtype=np.float32)


def layer_of(wanted: LayerRequest, checkpoint: Checkpoint) -> Layer:
    """The points of a window and its surroundings, one by one or as density."""
    points, window, around = wanted.points, wanted.window, wanted.window.around(BESIDE)
    most = round(min(MOST_POINTS, max(FEWEST, window.width * window.height / ROOM)))
    if len(points) <= most:
        return Layer(Window(-9.0, 9.0, -9.0, 9.0), np.arange(len(points)))
    if len(shown_points(points, window, most, checkpoint)) <= most:
        shown = shown_points(points, around, 4 * most, checkpoint)
        if len(shown) <= 4 * most:
            return Layer(around, shown)
        return Layer(window, shown_points(points, window, most, checkpoint))
    colors = class_colors(wanted.theme, points.n_classes)
    opacity = 1.0 if wanted.chosen is None else FADED
    total, mixed = density_counts(points, around, colors, CELL, checkpoint=checkpoint)
    picture = as_image(painted(total, mixed, FAINTEST, opacity, checkpoint))
    if wanted.chosen is not None:
        total, mixed = density_counts(points, around, colors, CELL, wanted.chosen, checkpoint)
        with QPainter(picture) as painter:
            painter.drawImage(0, 0, as_image(painted(total, mixed, FAINTEST_SELECTED, 1.0, checkpoint)))
    return Layer(around, picture=picture, fullest=int(total.max(initial=0)))


def as_image(pixels: Pixels) -> QImage:
    """An image with its own copy of premultiplied ARGB pixels (h, w)."""
    height, width = pixels.shape
    whole = np.ascontiguousarray(pixels)
    return QImage(whole.data, width, height, 4 * width, QImage.Format.Format_ARGB32_Premultiplied).copy()


def region_color(theme: Theme, code: int) -> QColor:
    """The colour of which the region of a class has a tint: that of the class, on white never greyish."""
    color = theme.class_color(code)
    saturation = color.hsvSaturationF()
    is_grey = saturation < LEAST_GREYISH or (theme.colored is not None and code not in theme.colored)
    if theme.is_dark or is_grey or saturation >= GREYISH:
        return color
    return QColor.fromHsvF(color.hsvHueF(), LEAST_SATURATION, color.valueF())


def regions_image(regions: Regions, theme: Theme, k: int) -> QImage:
    """The image of decision regions: the class colour over the background, stronger for higher probability.

    Classes that ``theme`` has in grey have a grey region.
    """
    colors = channels([region_color(theme, code) for code in range(k)])
    ground = channels([theme.color("pane")])
    surer = np.clip((regions.probability - 1 / k) / max(1e-6, 1 - 1 / k), 0, 1)
    strength = FAINTEST_REGION + (STRONGEST_REGION - FAINTEST_REGION) * surer
    strength = strength[..., None].astype(np.float32)
    shades = np.round(ground * (1 - strength) + colors[regions.decision] * strength).astype(np.uint32)
    pixels = np.uint32(0xFF000000) | shades[..., 0] << np.uint32(16) | shades[..., 1] << np.uint32(8) | shades[..., 2]
    return as_image(pixels[::-1])


MIDDLE_FROM: Final = 9
"""From so many records in the fullest cell on, the key names the number in its middle."""
MOST_BANDS: Final = 4
"""The key of regions has no more bands than this."""
TINT_WIDTH: Final = 96
TINT_NAME: Final = 110
"""Pixels for the name of a class before the key."""
TINT_HEIGHT: Final = 20


class ShadeKey(QWidget):
    """The base of keys of shades: words, a bar from the first shade to the last, and words."""

    has_plate = False
    """Whether the words on the middle stand on the colour of the pane, as its shade is too strong for them."""

    def __init__(self, name: str, tip: str = "") -> None:
        super().__init__()
        named(self, name, tip=tip)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.hide()
        themes.changed.connect(self.updateGeometry)

    @property
    @abstractmethod
    def _before(self) -> str:
        """The words before the bar."""

    @property
    @abstractmethod
    def _after(self) -> str:
        """The words after it."""

    @property
    @abstractmethod
    def _middle(self) -> str:
        """The words on its middle."""

    @abstractmethod
    def shades(self) -> list[list[tuple[float, QColor]]]:
        """The bands of the bar, each with places along it from 0 to 1 and the colour there."""

    def paint_shades(self, painter: QPainter, bar: QRectF) -> None:
        """Paints the bands on the pane, as the picture is."""
        painter.fillRect(bar, current_theme().color("pane"))
        bands = self.shades()
        for place, shades in enumerate(bands):
            band = QRectF(bar.left(), bar.top() + place * bar.height() / len(bands), bar.width(), 0.0)
            band.setBottom(bar.top() + (place + 1) * bar.height() / len(bands))
            tint = QLinearGradient(bar.topLeft(), bar.topRight())
            for at_share, color in shades:
                tint.setColorAt(at_share, color)
            painter.fillRect(band, QBrush(tint))

    def paint_middle(self, painter: QPainter, bar: QRectF) -> None:
        """Paints the words on the middle of the bar."""
        font, theme = themes.font(11), current_theme()
        box = QRectF(0.0, 0.0, QFontMetricsF(font).horizontalAdvance(self._middle) + themes.px(4), bar.height())
        box.moveCenter(bar.center())
        if self.has_plate and self._middle:
            painter.fillRect(box, theme.color("pane"))
        draw_text(painter, box, self._middle, theme.color("text"), font, Qt.AlignmentFlag.AlignCenter)

    def show_key(self, says: str) -> None:
        """Shows the key, which says so; nothing if it says nothing."""
        self.setAccessibleName(says)
        self.setVisible(bool(says))
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        words = QFontMetricsF(themes.font(12)).horizontalAdvance(f"{self._before}{self._after}")
        return QSize(ceil(words) + themes.px(TINT_WIDTH + 12), themes.px(TINT_HEIGHT))

    def paintEvent(self, _event: QPaintEvent) -> None:
        theme, font = current_theme(), themes.font(12)
        bar = QRectF(self.rect()).adjusted(0, themes.px(2), 0, -themes.px(2))
        bar.setLeft(QFontMetricsF(font).horizontalAdvance(self._before) + themes.px(6))
        bar.setWidth(themes.px(TINT_WIDTH))
        with QPainter(self) as painter:
            self.paint_shades(painter, bar)
            pen_and_brush(painter, theme.color("faint"))
            painter.drawRect(bar)
            self.paint_middle(painter, bar)
            draw_text(painter, QRectF(self.rect()), self._before, theme.color("dim"), font, MIDDLE_LEFT)
            draw_text(painter, QRectF(self.rect()), self._after, theme.color("dim"), font, MIDDLE_RIGHT)


class TintKey(ShadeKey):
    """The key of decision regions, in the tints of the classes.

    Of two classes it goes from the certain other class over 50% to the certain class of interest. Of a few more it has
    a band for each, of many one for some of the coloured classes and one for those in grey, from the lightest to the
    strongest tint. The lightest stands for the probability of one of k equal classes and less: a rule, or the vote of
    several records, may choose a less probable class.
    """

    def __init__(self) -> None:
        tip = "Background: the colour is the predicted class, its strength the probability of that class"
        super().__init__("visualize.scatter-tint", tip)
        self._names: tuple[str, ...] = ()
        self._code, self._opacity = 0, 1.0
        self._colored: frozenset[int] | None = None

    def show_classes(
        self, names: tuple[str, ...], code: int = 0, opacity: float = 1.0, colored: frozenset[int] | None = None
    ) -> None:
        """Shows the key of regions of these classes painted with this opacity; of one or none there is none.

        Of two, ``code`` is that of interest; only ``colored`` classes have their colours, None for all.
        """
        self._colored = colored
        self._names, self._code, self._opacity = names, code if 0 <= code < len(names) else len(names) - 1, opacity
        what = f"probability of {names[self._code]}" if len(names) == 2 else "P(predicted class)"
        ends = "0% to 100%" if len(names) == 2 else f"{self._least} (light) to 100% (strong)"
        self.show_key(f"Background: {what} from {ends}" if len(names) > 1 else "")

    @property
    def _least(self) -> str:
        return "0%" if len(self._names) == 2 else f"≤ {100 / max(1, len(self._names)):.0f}%"

    @property
    def _before(self) -> str:
        if len(self._names) != 2:
            return f"P(predicted class)  {self._least}"
        name = elided(QFontMetricsF(themes.font(12)), self._names[self._code], themes.px(TINT_NAME), self._names)
        return f"P({name})  {self._least}"

    @property
    def _after(self) -> str:
        return "100%"

    @property
    def _middle(self) -> str:
        return "50%" if len(self._names) == 2 else ""

    def stops(self) -> list[list[tuple[float, int, float]]]:
        """The bands: places along the bar from 0 to 1, class codes, and the strength of the tint there."""
        if len(self._names) != 2:
            return [[(0.0, code, FAINTEST_REGION), (1.0, code, STRONGEST_REGION)] for code in self._codes()]
        mine, other = self._code, 1 - self._code
        middle = (0.4999, other, FAINTEST_REGION), (0.5, mine, FAINTEST_REGION)
        return [[(0.0, other, STRONGEST_REGION), *middle, (1.0, mine, STRONGEST_REGION)]]

    def _codes(self) -> list[int]:
        """The classes with a band: of many the one of interest first, and one for all in grey."""
        codes = range(len(self._names))
        if len(codes) <= MOST_BANDS:
            return list(codes)
        grey = [code for code in codes if self._colored is not None and code not in self._colored]
        bright = sorted(set(codes).difference(grey), key=lambda code: (code != self._code, code))
        return [*bright[: MOST_BANDS - bool(grey)], *grey[:1]]

    def shades(self) -> list[list[tuple[float, QColor]]]:
        return [[(place, self._shade(code, strength)) for place, code, strength in band] for band in self.stops()]

    def _shade(self, code: int, strength: float) -> QColor:
        color = region_color(current_theme().only(self._colored), code)
        color.setAlphaF(strength * self._opacity)
        return color


class DensityKey(ShadeKey):
    """The key of a density picture: from one record in a cell to the number in the fullest, in logarithms."""

    has_plate = True

    def __init__(self) -> None:
        super().__init__("visualize.scatter-density")
        self.fullest, self._of_selected = 0, False

    def show_density(self, fullest: int, *, of_selected: bool = False) -> None:
        """Shows the key of a picture whose fullest cell has so many records, or selected ones; 0 for none."""
        self.fullest, self._of_selected = fullest, of_selected
        what = "selected records" if of_selected else "records"
        size = f"{CELL:.0f} × {CELL:.0f} pixels"
        self.setToolTip(f"The stronger the colour, the more {what} are in a cell of {size}, by their logarithm")
        self.show_key(f"Density: from 1 to {fullest:,} {what} in a cell of {size}" if fullest else "")

    @property
    def _before(self) -> str:
        return f"{'Selected' if self._of_selected else 'Records'} per cell: few (1)"

    @property
    def _after(self) -> str:
        return f"many ({self.fullest:,})"

    @property
    def _middle(self) -> str:
        return f"{round(self.fullest**0.5):,}" if self.fullest >= MIDDLE_FROM else ""

    def shades(self) -> list[list[tuple[float, QColor]]]:
        ends = np.array([1.0, max(1.0, float(self.fullest))])
        least, most = opacities(ends, float(ends[1]), FAINTEST_SELECTED if self._of_selected else FAINTEST).tolist()
        shades = []
        for place, opacity in ((0.0, least), (1.0, most)):
            color = current_theme().color("dim")
            color.setAlphaF(opacity)
            shades.append((place, color))
        return [shades]
