"""Which colour is which class, and how many records each has."""

from __future__ import annotations

from html import escape

from PySide6.QtWidgets import QLabel, QWidget

from algorithms.core.statistics import Histogram
from workbench.preprocess.facts import class_code, class_labels
from workbench.theme import class_color, current_theme, themes
from workbench.wording import shortened

MOST = 12


class ClassLegend(QLabel):
    """Swatches with class names and counts, wrapped into as many lines as needed; beyond twelve they are summed."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("preprocess.legend")
        self.setWordWrap(True)
        self._shown: Histogram | None = None
        themes.follow(self._write)

    def show_histogram(self, shown: Histogram | None) -> None:
        """Show the classes of a histogram; nothing where it has none."""
        self._shown = shown
        self._write()

    def _write(self) -> None:
        shown = self._shown
        self.setVisible(shown is not None and bool(shown.classes))
        if shown is None or not shown.classes:
            self.clear()
            return
        names, counts = class_labels(shown), shown.counts.sum(axis=0).tolist()
        parts = [
            f'<span style="color:{class_color(class_code(shown, c)).name()}">■</span>&nbsp;'
            f"{escape(shortened(name, 28)).replace(' ', '&nbsp;')}&nbsp;"
            f'<span style="color:{current_theme().dim}">{count:,}</span>'
            for c, (name, count) in enumerate(zip(names, counts, strict=True))
        ]
        hidden = len(parts) - MOST
        if hidden > 1:
            rest = sum(counts[MOST:])
            parts = [*parts[:MOST], f"and&nbsp;{hidden}&nbsp;more&nbsp;{rest:,}"]
        self.setText("&nbsp;&nbsp; ".join(parts))
        said = ", ".join(f"{name} {count:,}" for name, count in zip(names, counts, strict=True))
        self.setAccessibleName(f"Classes: {said}")
        self.setToolTip(said if hidden > 1 or any(len(name) > 28 for name in names) else "")
