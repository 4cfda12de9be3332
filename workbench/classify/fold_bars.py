"""The folds as they come: a bar each, as high as the fold was right."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from PySide6.QtCore import QEvent, QRectF, QSize, Qt
from PySide6.QtGui import QHelpEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from algorithms.evaluation.runner import FoldDone
from workbench.theme import current_theme, themes
from workbench.views.export import ExportedDrawing, Table, rows_written
from workbench.views.figures import in_100
from workbench.wording import counted

NARROWEST = 3.0
GAP = 5.0
SCALE_STEP = 0.1


@dataclass(frozen=True)
class Bar:
    """Some neighbouring folds together (one, where there is room): how many are judged, tested, right, failed."""

    folds: range
    judged: int = 0
    tested: int = 0
    weight: float = 0.0
    right: float = 0.0
    """Weight of the records that were right, of ``weight`` in all."""
    failed: int = 0

    @property
    def share(self) -> float | None:
        return self.right / self.weight if self.weight else None

    def sentence(self) -> str:
        """The bar in words."""
        first, last = self.folds[0] + 1, self.folds[-1] + 1
        which = f"Fold {first}" if first == last else f"Folds {first} to {last}"
        if self.failed:
            return f"{which}: {'failed' if len(self.folds) == 1 else f'{self.failed} failed'}"
        if self.share is None:
            return f"{which}: not judged yet"
        return f"{which}: right {in_100(self.share)} times in 100, {counted(self.tested, 'record')}"


def bars(folds: Sequence[FoldDone], n_folds: int, most: int) -> list[Bar]:
    """At most ``most`` bars for ``n_folds`` folds, of which the given ones are done."""
    each = max(1, math.ceil(n_folds / max(1, most)))
    groups: list[list[FoldDone]] = [[] for _ in range(math.ceil(n_folds / each))]
    for fold in folds:
        if fold.index // each < len(groups):
            groups[fold.index // each].append(fold)
    return [
        Bar(
            range(i * each, min(n_folds, (i + 1) * each)),
            judged=len(group),
            tested=sum(f.n_tested for f in group),
            weight=math.fsum(f.sums.tested for f in group),
            right=math.fsum(f.sums.right for f in group),
            failed=sum(f.failed is not None for f in group),
        )
        for i, group in enumerate(groups)
    ]


def floor_of_scale(shares: Sequence[float]) -> float:
    """Where the bars' scale begins: a round share below the lowest, so that differences between folds are seen."""
    if not shares or min(shares) >= 1.0:
        return 0.0
    return max(0.0, math.floor((min(shares) - 0.02) / SCALE_STEP) * SCALE_STEP)


def fold_rows(folds: Sequence[FoldDone]) -> list[list[str]]:
    """The folds as rows of text under a heading, in their order."""
    rows = [["fold", "records tested", "right", "share right", "failed"]]
    for fold in sorted(folds, key=lambda fold: fold.index):
        share = f"{fold.sums.right / fold.sums.tested:.6g}" if fold.sums.tested else ""
        rows.append([str(fold.index + 1), str(fold.n_tested), str(fold.n_right), share, fold.failed or ""])
    return rows


class FoldBars(QWidget):
    """Painted bars; each fold in words is in its tooltip."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("classify.folds")
        self.setAccessibleName("Folds")
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self._folds: tuple[FoldDone, ...] = ()
        self._n_folds = 0
        themes.changed.connect(self.updateGeometry)

    def set_folds(self, folds: Sequence[FoldDone], n_folds: int) -> None:
        """Show the folds done so far of ``n_folds``."""
        self._folds, self._n_folds = tuple(folds), n_folds
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(200, themes.px(44))

    def _bars(self) -> list[Bar]:
        return bars(self._folds, self._n_folds, int(self._room() // NARROWEST))

    def _room(self) -> float:
        return self.width() - themes.px(30)

    def _place(self, index: int, n: int) -> QRectF:
        pitch = min(self._room() / max(1, n), 28.0)
        gap = min(GAP, 0.25 * pitch)
        return QRectF(index * pitch, 2, pitch - gap, self.height() - 4)

    @property
    def folds(self) -> tuple[FoldDone, ...]:
        """The folds that are shown."""
        return self._folds

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        self.paint(painter)
        painter.end()

    def paint(self, painter: QPainter) -> None:
        """Paint the bars and their scale."""
        if not self._n_folds:
            return
        theme, shown = current_theme(), self._bars()
        low = floor_of_scale([bar.share for bar in shown if bar.share is not None])
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        for i, bar in enumerate(shown):
            whole = self._place(i, len(shown))
            radius = min(2.0, whole.width() / 3)
            painter.setBrush(theme.color("bad_soft" if bar.failed else "soft"))
            painter.drawRoundedRect(whole, radius, radius)
            if bar.share is not None:
                height = max(2.0, whole.height() * (bar.share - low) / (1 - low))
                painter.setBrush(theme.color("accent"))
                painter.drawRoundedRect(whole.adjusted(0, whole.height() - height, 0, 0), radius, radius)
        painter.setPen(theme.color("dim"))
        painter.setFont(themes.font(10))
        side = QRectF(self.rect()).adjusted(0, 0, -1, 0)
        right = Qt.AlignmentFlag.AlignRight
        painter.drawText(side, right | Qt.AlignmentFlag.AlignTop, "100")
        painter.drawText(side, right | Qt.AlignmentFlag.AlignBottom, f"{100 * low:.0f}")

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and self._n_folds:
            shown = self._bars()
            hit = [bar for i, bar in enumerate(shown) if self._place(i, len(shown)).contains(event.pos())]
            QToolTip.showText(event.globalPos(), hit[0].sentence() if hit else "", self)
            return True
        return super().event(event)


class ExportedFolds(ExportedDrawing):
    """The bars as they stand, and every fold's numbers."""

    name: ClassVar[str] = "folds"
    title: ClassVar[str] = "Folds"

    def __init__(self, bars: FoldBars) -> None:
        self._bars = bars

    def size(self) -> QSize:
        return self._bars.size() if self._bars.folds else QSize()

    def paint(self, painter: QPainter) -> None:
        self._bars.paint(painter)

    def table(self) -> Table | None:
        return rows_written(fold_rows(self._bars.folds)) if self._bars.folds else None
