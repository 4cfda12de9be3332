"""Shapley values of the record in view, as a waterfall of bars from the base value to the prediction."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Final

import numpy as np
from PySide6.QtCore import Signal
from PySide6.QtGui import QColor

from algorithms.core.run_control import RunContext
from algorithms.core.training import TrainedClassifier
from algorithms.data.dataset import Dataset
from algorithms.evaluation.shapley import (
    BACKGROUND,
    PredictionShapley,
    ShapleyValues,
    background_records,
    shapley_values,
)
from algorithms.text.numbers import in_hundredths, percent, points, signed
from algorithms.text.sentences import counted
from workbench.jobs.jobs import Jobs, LatestTask, give_way
from workbench.session.runs import Run
from workbench.style.theme import current_theme, themes
from workbench.tabs.visualize.explain.record_prediction import (
    LEAST_CONTRIBUTION,
    BarTable,
    is_certain,
    probability_words,
    value_text,
)
from workbench.widgets.labels import LinkLabel, link, show_text
from workbench.widgets.layouts import ClearWidget, column_layout, named
from workbench.widgets.tables import TableLabel

SHAPLEY: Final = "Shapley values"
LEAST_PREDICTED, MOST_PREDICTED, MOST_SECONDS = 2_000, 20_000, 3.0
"""Predictions for Shapley values of any model, fewer of a slow one, so that they follow each change of a value."""
WHAT_THEY_ARE: Final = (
    "What each value adds to the prediction, averaged over all orders in which the attributes can join (Shapley 1953; "
    "Lundberg and Lee 2017). Base value and Shapley values add up to the prediction."
)
LEAST_ERROR: Final = 0.0005
"""A smaller share would be written as 0.0 points."""


@dataclass(frozen=True)
class WaterfallRow:
    """A bar from ``start`` to ``end``, with its words and figure; a total stands on zero."""

    words: str
    figure: str
    start: float
    end: float
    is_total: bool = False


def waterfall_rows(
    values: ShapleyValues, words: Sequence[str], most: int, *, is_share: bool, certain: bool = False
) -> list[WaterfallRow]:
    """The base value, the ``most`` largest values, all others in one row unless they add nothing, and the prediction.

    A probability of 1 is written so only if the prediction is ``certain``, all others being 0.
    """

    def written(value: float, error: float = 0.0) -> str:
        figure = points(value).removesuffix(" points") if is_share else signed(value)
        return f"{figure} ± {in_hundredths(error)}" if error >= LEAST_ERROR else figure

    def total(name: str, value: float) -> WaterfallRow:
        figure = probability_words(value, certain) if is_share else signed(value)
        return WaterfallRow(name, figure, 0.0, value, True)

    sizes, least = np.abs(values.values), LEAST_ERROR if is_share else LEAST_CONTRIBUTION
    order = np.argsort(-sizes, kind="stable").tolist()
    n_seen = int(np.count_nonzero(sizes >= least))
    shown = order[: most if n_seen > most + 1 else n_seen]
    rows, reached = [total("Base value", values.base)], values.base
    for place in shown:
        added = float(values.values[place])
        figure = written(added, float(values.errors[place]))
        rows.append(WaterfallRow(words[place], figure, reached, reached + added))
        reached += added
    left = order[len(shown) :]
    if sizes[left].sum() >= least:
        added = float(values.values[left].sum())
        rows.append(WaterfallRow(counted(len(left), "other attribute"), written(added), reached, reached + added))
    return [*rows, total("Prediction", values.prediction)]


def waterfall_html(
    rows: Sequence[WaterfallRow], colors: tuple[QColor | str, QColor | str], width: int, *, is_share: bool
) -> str:
    """The rows as bars on one axis, of the colours of what adds and of what takes away.

    The axis of a probability goes from 0% to 100%, or as far as the bars. The pane has this ``width`` in pixels.
    """
    ends = [end for row in rows for end in (row.start, row.end)]
    low, high = min(0.0, *ends), max(1.0 if is_share else 0.0, *ends)
    per = 1.0 / (high - low) if high > low else 0.0
    table = BarTable.of(width, [row.words for row in rows], [row.figure for row in rows])
    theme, room = current_theme(), 2 * table.half
    size = f'<span style="color:{theme.dim};font-size:{themes.px(11)}px">'
    first, last = (percent(end, 1) if is_share else signed(end) for end in (low, high))
    axis = f'<table width={room} cellspacing="0" cellpadding="0"><tr><td>{size}{first}</span></td>'
    axis += f'<td align="right">{size}{last}</span></td></tr></table>'
    lines = [f'<tr><td></td><td width="{room}">{axis}</td><td></td></tr>']
    for row in rows:
        left, right = (round(room * per * (end - low)) for end in sorted((row.start, row.end)))
        color = theme.dim if row.is_total else colors[0] if row.end >= row.start else colors[1]
        name = color if isinstance(color, str) else color.name()
        filled = f'<td width="{max(1, right - left)}" bgcolor="{name}" style="font-size:6pt">&#8203;</td>'
        gap = f'<td width="{left}" style="font-size:6pt"></td>' if left else ""
        bar = f'<table cellspacing="0" cellpadding="0"><tr>{gap}{filled}</tr></table>'
        words, figure = escape(row.words), escape(row.figure)
        if row.is_total:
            words, figure = f"<b>{words}</b>", f"<b>{figure}</b>"
        style = f"border-left: 1px solid {theme.line}; border-right: 1px solid {theme.line}"
        lines.append(
            f'<tr><td valign="middle">{words}&nbsp;</td><td width="{room}" valign="middle" style="{style}">{bar}</td>'
            f'<td align="right" valign="middle">&nbsp;{figure}</td></tr>'
        )
    return table.html(lines)


class ShapleyReasons(ClearWidget):
    """The waterfall of a record; ``switched`` says that it is wanted, or no longer, where the model has its own words.

    The link in ``switch`` chooses between both.
    """

    switched = Signal()

    def __init__(self, jobs: Jobs, name: str) -> None:
        super().__init__()
        self.switch = named(LinkLabel(""), f"{name}.switch")
        self.switch.setWordWrap(False)
        self.switch.linkActivated.connect(self._switch)
        self._scale = named(LinkLabel(""), f"{name}.scale")
        self._scale.linkActivated.connect(self._other_scale)
        self.bars = named(TableLabel("small"), name)
        self._task = LatestTask(jobs)
        self._found: PredictionShapley | None = None
        self._trained: TrainedClassifier | None = None
        self._code = 0
        self._room = (0, 0)
        self._is_chosen = self._is_log = self._is_own = False
        column_layout(self._scale, self.bars, inside=self, spacing=0)
        self.stop = self._task.stop
        self.hide()

    @property
    def is_wanted(self) -> bool:
        """Whether Shapley values are shown for the prediction in view."""
        return self._trained is not None and (self._is_chosen or not self._is_own)

    def forget(self) -> None:
        """Shows nothing until :meth:`follow`."""
        self.stop()
        self._found = self._trained = None
        self.bars.clear()
        self._scale.clear()
        self.switch.clear()
        self.hide()

    def outdate(self) -> None:
        """Dims the values of another record until :meth:`compute` has those in view."""
        self._found = None

    def follow(self, trained: TrainedClassifier, code: int, own_title: str, room: tuple[int, int]) -> None:
        """Shows the class ``code`` of a model; ``own_title`` names the model's own reasons, if it has any.

        ``room`` is the width of the pane in pixels, and how many attributes have a bar.
        """
        self._trained, self._code, self._is_own, self._room = trained, code, bool(own_title), room
        show_text(self.switch, link("why", own_title if self._is_chosen else SHAPLEY) if own_title else "")
        self._show()

    def compute(self, run: Run, record: Dataset) -> None:
        """Computes the values of a record, unless they are not wanted or there."""
        trained = self._trained
        if trained is None or not self.is_wanted or self._found is not None:
            return
        rows = None if run.of_fold is None else run.of_fold.rows

        def work(context: RunContext) -> PredictionShapley:
            train = (run.data if rows is None else run.data.take(rows)).labelled()
            background = background_records(train, BACKGROUND, np.random.default_rng(1))
            began = time.monotonic()
            trained.judged(background, context)
            n = MOST_SECONDS * len(background) / max(1e-9, time.monotonic() - began)
            most = int(np.clip(n, LEAST_PREDICTED, MOST_PREDICTED))
            return shapley_values(trained, record, background, context, most=most, pause=give_way)

        self._task.run(SHAPLEY, work, on_done=self._computed, says="Computing Shapley values")

    def _computed(self, found: PredictionShapley) -> None:
        self._found = found
        self._show()

    def _switch(self, _link: str) -> None:
        self._is_chosen = not self._is_chosen
        self.switched.emit()

    def _other_scale(self, _link: str) -> None:
        self._is_log = not self._is_log
        self._show()

    def _show(self) -> None:
        self.setVisible(self.is_wanted and bool(self._found is not None or self.bars.text()))
        self.bars.setEnabled(self._found is not None)
        found, trained = self._found, self._trained
        if found is None or trained is None or found.probability is None:
            return
        classes, code, against = trained.classes, self._code, found.against(self._code)
        is_log, part = False, found.probability
        if self._is_log and against is not None and found.log_scores is not None:
            is_log, part = True, found.log_scores
        label, theme = f"<b>{escape(classes[code])}</b>", current_theme()
        drawn = " (estimate ± standard error)" if part.errors.any() else ""
        scale, other = f"Probability of {label}{drawn}.", link("scale", "Log odds") if against is not None else ""
        if is_log and against is not None:
            scale = f"Log odds of {label} against <b>{escape(classes[against])}</b>."
            other = link("scale", "Probability")
        self._scale.setText(f"{scale} {other}".strip())
        values = part.of(code, against if is_log else None)
        attributes = [(found.record.schema.attributes[i], found.record.column(i)[0]) for i in found.indices]
        words = [f"{attribute.name} = {value_text(attribute, value)}" for attribute, value in attributes]
        opposite = against if is_log else 1 - code if len(classes) == 2 else None
        colors = theme.class_color(code), theme.dim if opposite is None else theme.class_color(opposite)
        width, most = self._room
        certain = is_certain(found.probability.prediction.tolist())
        rows = waterfall_rows(values, words, most, is_share=not is_log, certain=certain)
        self.bars.setText(waterfall_html(rows, colors, width, is_share=not is_log))
        self.bars.setToolTip(f"{part.sentence}\n{WHAT_THEY_ARE}")
