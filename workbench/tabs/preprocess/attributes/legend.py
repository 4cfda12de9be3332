"""Which colour is which class, and how many records each has."""

from __future__ import annotations

from html import escape

from PySide6.QtCore import Qt
from PySide6.QtGui import QFontMetrics, QResizeEvent
from PySide6.QtWidgets import QLabel, QWidget

from algorithms.data.column_statistics import Histogram
from algorithms.text.names import shortened
from workbench.style.theme import class_color, current_theme, themes
from workbench.tabs.preprocess.attributes.statistics_text import class_code, class_labels
from workbench.widgets.chips import how_many_fit

FEW = 12
MOST_SWATCHES = 4
"""So many colours stand for the classes that have no room."""
MOST_TOLD = 40
"""So many classes are told where the legend is pointed at."""


class ClassCountLegend(QLabel):
    """Swatches with class names and counts, as many as one line has room for, or two if they are few, and the rest."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("preprocess.legend")
        self.setTextFormat(Qt.TextFormat.RichText)
        self.setWordWrap(True)
        self._shown: Histogram | None = None
        themes.follow(self._write)

    def show_histogram(self, shown: Histogram | None) -> None:
        """Show the classes of a histogram; nothing where it has none."""
        self._shown = shown
        self._write()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self._write()

    def _write(self) -> None:
        shown = self._shown
        self.setVisible(shown is not None and bool(shown.classes))
        if shown is None or not shown.classes:
            self.clear()
            return
        names, counts = tuple(class_labels(shown)), shown.counts.sum(axis=0).tolist()
        metrics = QFontMetrics(themes.font())
        told = (f"■ {shortened(name, 28, names)} {count:,}" for name, count in zip(names, counts, strict=True))
        widths = [metrics.horizontalAdvance(words) for words in told]
        more = metrics.horizontalAdvance(f"{MOST_SWATCHES * '■'}… and {len(names)} more {sum(counts):,}")
        lines, gap = 1 if len(names) > FEW else 2, metrics.horizontalAdvance(3 * " ")
        shown_of_them = max(1, how_many_fit(widths, more, self.width(), gap, lines))
        parts = [
            f"{_swatch(shown, c)}&nbsp;{escape(_unbroken(names[c], names))}&nbsp;{_dim(f'{counts[c]:,}')}"
            for c in range(shown_of_them)
        ]
        if shown_of_them < len(names):
            rest = sum(counts[shown_of_them:])
            parts.append(_more(shown, range(shown_of_them, len(names)), rest))
        self.setText("&nbsp;&nbsp; ".join(parts))
        said = ", ".join(f"{name} {count:,}" for name, count in zip(names, counts, strict=True))
        self.setAccessibleName(f"Classes: {said}")
        is_cut = shown_of_them < len(names) or any(len(name) > 28 for name in names)
        self.setToolTip(_all_of_them(names, counts) if is_cut else "")


def _swatch(shown: Histogram, column: int) -> str:
    return f'<span style="color:{class_color(class_code(shown, column)).name()}">■</span>'


def _dim(words: str) -> str:
    return f'<span style="color:{current_theme().dim}">{words}</span>'


def _more(shown: Histogram, hidden: range, n: int) -> str:
    """How many classes have no room, with the colours of the first of them: each bar has its own."""
    swatches = "".join(_swatch(shown, column) for column in hidden[:MOST_SWATCHES])
    others = _dim("…") if len(hidden) > MOST_SWATCHES else ""
    return f"{swatches}{others}&nbsp;and&nbsp;{len(hidden)}&nbsp;more&nbsp;{_dim(f'{n:,}')}"


def _all_of_them(names: tuple[str, ...], counts: list[int]) -> str:
    """Every class with its number of records, a line each; of very many the first."""
    lines = [f"{name} {count:,}" for name, count in zip(names[:MOST_TOLD], counts, strict=False)]
    return "\n".join([*lines, *([f"and {len(names) - MOST_TOLD:,} more"] if len(names) > MOST_TOLD else [])])


def _unbroken(name: str, among: tuple[str, ...]) -> str:
    """A name in few characters, at none of which a line may end: its count stays beside it."""
    return shortened(name, 28, among).replace(" ", "\N{NO-BREAK SPACE}").replace("…", "\N{WORD JOINER}…\N{WORD JOINER}")
