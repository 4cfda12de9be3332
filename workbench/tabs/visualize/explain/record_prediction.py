"""Prediction of one record as text: when tested, reasons in log odds, paths through a tree, flips."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from functools import singledispatch
from html import escape
from typing import Final

import numpy as np
from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from algorithms.core.learner import Codes, Explanation, LogOddsTerm, Model
from algorithms.core.training import TrainedClassifier
from algorithms.data.alignment import aligned
from algorithms.data.columns import IntArray
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Schema
from algorithms.evaluation.costs.decision_rules import Thresholds
from algorithms.evaluation.what_if import DecisionFlip, LeafPath, Value
from algorithms.learners.linear.model import LinearModel
from algorithms.learners.rules.model import RuleModel
from algorithms.structures.tree import Tree
from algorithms.text.names import shortened
from algorithms.text.numbers import OWN_DIGITS, percent, weight_text, with_minus
from algorithms.text.sentences import BRIEF_NAMES, counted, in_brief, typeset
from workbench.session.decision_rules import DecisionQuery
from workbench.session.runs import Run
from workbench.style.structure_colors import StructureColors, class_letter, draw_symbol
from workbench.style.theme import current_theme, themes
from workbench.tabs.visualize.explain.value_charts import value_text
from workbench.viewers.original_units import (
    Unscaled,
    reason_in_own_units,
    rules_in_own_units,
    tree_in_own_units,
    unscaled_by,
)
from workbench.viewers.tree.tree_words import ON_AN_EDGE, HighlightedPath, condition, path_conditions
from workbench.widgets.labels import breaking, elided
from workbench.widgets.layouts import named
from workbench.widgets.painting import MIDDLE_LEFT, MIDDLE_RIGHT, draw_text

MOST: Final = 8
"""So many reasons are listed; the others are summed up in one line."""
MOST_ABSENT: Final = 4
"""So many attributes without a value are listed among the reasons."""
MOST_STEPS: Final = 9
MOST_COMPARED: Final = 8
"""So many attributes of the most similar record are listed."""
HALF: Final = 34
"""The longest bar, in pixels."""
UNIT: Final = "in log odds (0.7 doubles the odds, 2.3 makes them tenfold)"
WHAT_NUMBERS_MEAN: Final = (
    "The numbers are log odds and add up: above 0 they speak for the class to the right, below 0 for the one to the "
    "left. 0.7 makes it about twice as likely beside the other one, 2.3 ten times."
)


def shortened_reasons(reasons: Sequence[LogOddsTerm], most: int = MOST) -> list[LogOddsTerm]:
    """The intercept, the ``most`` strongest reasons, and the sum of all others."""
    start, *others_first = reasons
    rest = others_first[most:]
    if len(rest) < 2:
        return [start, *others_first]
    others = LogOddsTerm("All else together", "", sum(reason.added for reason in rest), start.against)
    return [start, *others_first[:most], others]


def is_certain(probabilities: Sequence[float]) -> bool:
    """Whether all classes but one have no probability at all."""
    return sum(probability > 0 for probability in probabilities) == 1


def probability_words(share: float, certain: bool) -> str:
    """A class's probability: "83.0%", and ">99.9%" for a 1 that is only rounded, as other classes have some."""
    return percent(share if certain else min(share, float(np.nextafter(1.0, 0.0))))


def reasons_html(reasons: Sequence[LogOddsTerm], decided: int, classes: Sequence[str], interest: str = "") -> str:
    """A table of the reasons for the class code ``decided``: bars to the right speak for it.

    The class of ``interest`` is to the right in all pictures, so signs turn if it is the other class.
    """
    theme = current_theme()
    right, left = decided, reasons[0].against
    if classes[left] == interest:
        right, left = left, right
        reasons = [replace(reason, added=-reason.added) for reason in reasons]
    shown = shortened_reasons(reasons)
    total = sum(reason.added for reason in reasons)
    largest = max([abs(reason.added) for reason in shown] + [1e-300])
    rows = []
    for reason in shown:
        code = right if reason.added > 0 else left
        width = max(1, round(themes.px(HALF) * abs(reason.added) / largest))
        bars = [_bar(width if reason.added < 0 else 0, theme.class_color(code).name(), "right")]
        bars += [_bar(width if reason.added > 0 else 0, theme.class_color(code).name(), "left")]
        beside = f' <span style="color:{theme.dim}">({escape(reason.beside)})</span>' if reason.beside else ""
        rows.append(
            f'<tr><td valign="middle">{escape(reason.what)}{beside}&nbsp;</td>{"".join(bars)}'
            f'<td align="right" valign="middle">&nbsp;{_signed(reason.added)}</td></tr>'
        )
    rows.append(f'<tr><td><b>Together</b></td><td></td><td></td><td align="right"><b>{_signed(total)}</b></td></tr>')
    ours, theirs = escape(classes[right]), escape(classes[left])
    return (
        f"To the right what votes for <b>{ours}</b>, to the left for <b>{theirs}</b>, {UNIT}:"
        f'<table cellspacing="0" cellpadding="1" width="100%">{"".join(rows)}</table>'
    )


def _bar(width: int, color: str, side: str) -> str:
    """A cell with a bar at its ``side``; an empty cell for width 0."""
    room = f'<td width="{themes.px(HALF)}" valign="middle">'
    if not width:
        return f"{room}</td>"
    inner = f'<td width="{width}" bgcolor="{color}" style="font-size:6pt">&nbsp;</td>'
    return f'{room}<table align="{side}" cellspacing="0" cellpadding="0"><tr>{inner}</tr></table></td>'


def _signed(value: float) -> str:
    return with_minus(f"{value:+z.2f}")


@dataclass(frozen=True)
class TestedPrediction:
    """The class label predicted most often when a record was tested, and its mean probability."""

    said: str
    sure: float


def has_tested(run: Run) -> bool:
    """Whether models that had not learned from them tested records of the run's data."""
    return run.result is not None and not run.result.test_is_training and not run.method.needs_test_data


def tests_of(run: Run, asked: DecisionQuery | None, row: int | None = None) -> tuple[IntArray, Codes] | None:
    """The tests (m,) of a run by models that had not learned from the record, and the predicted class codes (m,).

    They are those of the record in this row, or all. Decides by ``asked``, or by the models themselves if that is None.
    None if the run has no such tests.
    """
    result = run.result
    if result is None or not has_tested(run):
        return None
    tests = np.arange(len(result.row_ids))
    if row is not None:
        tests = np.flatnonzero(result.row_ids == run.data.row_ids[row])
    return tests, result.decision[tests] if asked is None else asked.rule.of_tests(result, tests)


def wrong_when_tested(run: Run, asked: DecisionQuery | None, _checkpoint: object = None) -> IntArray | None:
    """Rows (n,) of the run's data that a model predicted wrong when it tested them, ascending; None without tests."""
    tested = tests_of(run, asked)
    if run.result is None or tested is None:
        return None
    wrong_ids = run.result.row_ids[tested[1] != run.result.truth]
    return np.flatnonzero(np.isin(run.data.row_ids, wrong_ids))


def when_tested(run: Run, row: int, asked: DecisionQuery | None = None) -> TestedPrediction | None:
    """The prediction of the models that tested the record in this row; None if none did."""
    tested = tests_of(run, asked, row)
    if run.result is None or tested is None or not len(tested[0]):
        return None
    tests, decisions = tested
    code = int(np.bincount(decisions).argmax())
    return TestedPrediction(run.result.classes[code], float(run.result.probabilities[tests, code].mean()))


def why_untested(run: Run, row: int) -> str:
    """Of a record that no model tested: that the model was trained on it, unless it may have been left out."""
    may_leave_out = any(step.only_training for step in run.recipe) or true_class(run, row) is None
    return "not tested" if may_leave_out else "not tested: the model was trained on it"


def true_class(run: Run, row: int) -> str | None:
    """The label of the record's true class; None if it is missing."""
    schema = run.data.schema
    if schema.class_index is None or not schema.class_attribute.kind.is_coded:
        return None
    code = int(run.data.cells(schema.class_index, np.array([row]))[0])
    return schema.classes[code] if code >= 0 else None


MOST_WAYS: Final = 4


@dataclass(frozen=True, eq=False)
class RecordPrediction:
    """The predicted class code, its probabilities (k,), and the leaf paths and steps that led there."""

    decision: int
    probabilities: tuple[float, ...]
    ways: tuple[LeafPath, ...]
    steps: tuple[str, ...]
    reasons: tuple[LogOddsTerm, ...] = ()
    """What the model's own decision rests on, where it adds up reasons."""
    path: HighlightedPath = field(default_factory=HighlightedPath)
    tested: TestedPrediction | None = None
    untested: str = ""
    """What is known of training if no model tested the record; empty for one tested, or with changed values."""
    itself: int = -1
    """The class that the model itself predicts, if a decision rule decides; -1 if none does."""
    by: str = ""
    """What decides then, after the prediction: " at threshold 9%"."""
    unchanged: int = -1
    """The class predicted for the record with its own values, if some are changed; -1 if none are."""

    @property
    def probability(self) -> str:
        """The probability of the predicted class."""
        return probability_words(self.probabilities[self.decision], is_certain(self.probabilities))

    def when_tested(self, trained: TrainedClassifier, truth: str) -> str:
        """What the models that tested the record said of it, if that was wrong or else; ``truth`` is its class."""
        if self.tested is None:
            return f" ({self.untested})" if self.untested else ""
        said, is_wrong = self.tested.said, self.tested.said != truth
        now, then = self.probability, probability_words(self.tested.sure, is_certain(self.probabilities))
        if said == trained.classes[self.decision] and now == then:
            return " (wrong when tested, too)" if is_wrong else ""
        return f" ({'wrong ' if is_wrong else ''}when tested, before training on it: {said}, {then})"


def own_explained(trained: TrainedClassifier, explained: Explanation, record: Dataset) -> Explanation:
    """The explanation of the one raw ``record``, with numbers in the table's units, and what is missing."""
    unscaled, model = unscaled_by(trained.recipe), trained.model
    own = explained if unscaled is None else _in_own_units(model, trained, explained, record, unscaled)
    if not own.reasons or not isinstance(model, LinearModel):
        return own
    values, against = aligned(model.schema, trained.prepared(record)), own.reasons[0].against
    missing = (i for i in dict.fromkeys(model.planes.terms.attribute.tolist()) if values.missing(i)[0])
    absent = [LogOddsTerm(f"{model.schema.names[i]} is missing, so average", "", 0.0, against) for i in missing]
    return replace(own, reasons=(own.reasons[0], *absent[:MOST_ABSENT], *own.reasons[1:]))


@singledispatch
def _in_own_units(
    _model: Model, _trained: TrainedClassifier, explained: Explanation, _record: Dataset, _unscaled: Unscaled
) -> Explanation:
    """The explanation in the table's units; a model registers here how it words it."""
    return explained


@_in_own_units.register
def _(
    model: RuleModel, trained: TrainedClassifier, explained: Explanation, record: Dataset, unscaled: Unscaled
) -> Explanation:
    worded = rules_in_own_units(model.rules, unscaled)
    parts = model.parts_of(aligned(model.schema, trained.prepared(record)))
    return replace(explained, steps=tuple(model.steps_of(explained.parts, worded, parts)))


@_in_own_units.register
def _(
    model: LinearModel, _trained: TrainedClassifier, explained: Explanation, record: Dataset, unscaled: Unscaled
) -> Explanation:
    if not explained.reasons:
        return explained
    reasons = tuple(reason_in_own_units(reason, record, unscaled) for reason in explained.reasons)
    steps = model.steps_of(explained.decision, reasons, len(explained.parts))
    return replace(explained, reasons=reasons, steps=steps)


def ways_title(prediction: RecordPrediction, trained: TrainedClassifier) -> str:
    """The heading of what led to a prediction."""
    if prediction.reasons:
        return "Contributions to the log odds"
    return "Path through the tree" if isinstance(trained.structure(), Tree) else "Why this prediction"


def lists_steps(prediction: RecordPrediction, trained: TrainedClassifier) -> bool:
    """Whether :func:`ways_html` lists the steps of the explanation, not sums or the path through a tree."""
    return not prediction.reasons and not (isinstance(trained.structure(), Tree) and prediction.ways)


def ways_html(
    prediction: RecordPrediction, trained: TrainedClassifier, interest: str = "", *, shows_all: bool = False
) -> str:
    """The record's path through the model as rich text; bars to the right speak for ``interest``.

    ``shows_all`` lists all steps, not only the first :data:`MOST_STEPS`.
    """
    tree = trained.structure()
    if prediction.reasons:
        return reasons_html(
            prediction.reasons,
            prediction.decision if prediction.itself < 0 else prediction.itself,
            trained.classes,
            interest,
        )
    if lists_steps(prediction, trained):
        names = (*trained.input_schema.names, *trained.classes)
        steps = [escape(in_brief(typeset(step), names, BRIEF_NAMES[0])) for step in prediction.steps]
        return "<br>".join(steps if shows_all else steps[:MOST_STEPS])
    assert isinstance(tree, Tree)
    asked = {node for way in prediction.ways[:MOST_WAYS] for node in tree.path(way.leaf)}
    tree = tree_in_own_units(tree, unscaled_by(trained.recipe), nodes=asked)
    if len(prediction.ways) == 1:
        return _path_html(tree, prediction)
    lines = [f"Divided among {len(prediction.ways)} leaves, since a value is missing:"]
    for way in prediction.ways[:MOST_WAYS]:
        label_there = trained.classes[int(tree.decision[way.leaf])]
        where = " and ".join(path_conditions(tree, way.leaf, digits=ON_AN_EDGE))
        lines.append(f"<b>{escape(percent(way.share))}</b> {escape(label_there)}: {escape(where)}")
    if len(prediction.ways) > MOST_WAYS:
        rest = sum(way.share for way in prediction.ways[MOST_WAYS:])
        lines.append(f"{escape(percent(rest))} in {len(prediction.ways) - MOST_WAYS} more")
    return "<br>".join(lines)


def _path_html(tree: Tree, prediction: RecordPrediction) -> str:
    """The tests on the path to a leaf, each with the record's value and the training records that remain."""
    theme, (way,) = current_theme(), prediction.ways
    decision = int(tree.decision[way.leaf])
    label = tree.schema.classes[decision]
    if len(way.nodes) == 1:
        return f"The tree is one leaf: it predicts {escape(label)} for every record."
    names = (*tree.schema.names, *tree.schema.classes)
    symbol = _in_color(class_letter(decision), decision)
    heads = ("Test", "Value", "Records", f"{symbol} {escape(in_brief(label, names, BRIEF_NAMES[1]))}")
    rows = ["".join(f'<td align="{"left" if i == 0 else "right"}">{h}&nbsp;</td>' for i, h in enumerate(heads))]
    fewest = min(float(tree.counts[child].sum()) for child in way.nodes[1:])
    for child in way.nodes[1:]:
        counts = tree.counts[child]
        total = float(counts.sum())
        share = float(counts[decision]) / total if total else 0.0
        bar = _bar(round(themes.px(HALF) * share), theme.class_color(decision).name(), "left")
        value = prediction.path.labels.get(child, "").partition(", so ")[0]
        rows.append(
            f"<td>{escape(in_brief(condition(tree, child, digits=ON_AN_EDGE), names, BRIEF_NAMES[0]))}&nbsp;</td>"
            f'<td align="right">{escape(value)}&nbsp;</td><td align="right">{weight_text(total)}&nbsp;</td>'
            f'<td align="right">{percent(share, fewest)}&nbsp;</td>{bar}'
        )
    body = "".join(f"<tr>{row}</tr>" for row in rows)
    return f'<table cellspacing="0" cellpadding="3" width="100%">{body}</table>'


def _in_color(words: str, code: int) -> str:
    return f'<span style="color:{current_theme().class_color(code).name()}">{words}</span>'


def own_threshold(thresholds: Thresholds) -> str:
    """The probability that a class needs where costs differ by record, in brackets; empty where they do not."""
    if thresholds is None or np.isnan(thresholds[1][0]):
        return ""
    return f" ({thresholds[0]} needs at least {percent(float(thresholds[1][0]))} for this record's costs)"


def decided_words(prediction: RecordPrediction, trained: TrainedClassifier) -> str:
    """The prediction by the default rule, if another one decides."""
    if prediction.itself < 0:
        return ""
    also = "also " if prediction.itself == prediction.decision else ""
    at = "At the default threshold" if len(trained.classes) == 2 else "By default"
    return f" {at} {also}{trained.classes[prediction.itself]}."


def _decimals(figure: Decimal) -> int:
    exponent = figure.as_tuple().exponent
    return max(0, -exponent) if isinstance(exponent, int) else 0


def flip_html(schema: Schema, flip: DecisionFlip, now: Value, classes: tuple[str, ...]) -> str:
    """The change from ``now`` that makes the model predict another class, as rich text."""
    attribute = schema.attributes[flip.attribute]
    change, (value, own) = "", (value_text(attribute, cell, OWN_DIGITS) for cell in (flip.value, now))
    if not attribute.kind.is_coded and now == now:
        to, before = (Decimal(text.replace("−", "-").replace(",", "")) for text in (value, own))
        by = with_minus(f"{to - before:+.{max(_decimals(to), min(_decimals(before), 2))}f}")
        change = f' <span style="color:{current_theme().dim}">{by}, {flip.distance:.2f} SD</span>'
    values = f"{escape(own)} → <b>{escape(value)}</b>"
    then = f"{class_letter(flip.decision)} {escape(classes[flip.decision])}"
    return f"<b>{escape(breaking(attribute.name))}</b><br>{values}{change}<br>then {_in_color(then, flip.decision)}"


def similar_html(record: Dataset, other: Dataset, indices: Sequence[int], names: tuple[str, str]) -> str:
    """A table of attributes of two records with these names, and their classes last.

    Of more than :data:`MOST_COMPARED`, the equal ones are left out first; a line says how many are.
    """
    schema, theme = record.schema, current_theme()
    texts_of = {
        index: [value_text(schema.attributes[index], data.column(index)[0], OWN_DIGITS) for data in (record, other)]
        for index in (*indices, *([] if schema.class_index is None else [schema.class_index]))
    }
    unequal = {index for index in indices if texts_of[index][0] != texts_of[index][1]}
    first = sorted(indices, key=lambda index: index not in unequal)[:MOST_COMPARED]
    left, n_unequal = len(indices) - len(first), len(unequal.difference(first))
    rows: list[tuple[str, ...]] = [("", *names)]
    for index in texts_of:
        if index in first or index == schema.class_index:
            name = shortened(schema.attributes[index].name, BRIEF_NAMES[0], schema.names)
            rows.append((name, *texts_of[index]))
    if left:
        how = f"{n_unequal:,} of them unequal" if n_unequal else "equal"
        rows.insert(-1, (f"{counted(left, 'more attribute')}, {how}", "", ""))
    cells = []
    for place, (name, *texts) in enumerate(rows):
        is_other = place > 0 and texts[0] != texts[1]
        right = f"<b>{escape(texts[1])}</b>" if is_other else escape(texts[1])
        cells.append(
            f'<tr><td>{escape(breaking(name))}&nbsp;</td><td align="right">&nbsp;{escape(texts[0])}</td>'
            f'<td align="right">&nbsp;&nbsp;{right}</td></tr>'
        )
    return f'<table width="100%" cellpadding="3" cellspacing="0" style="color:{theme.text}">{"".join(cells)}</table>'


ROW_HEIGHT: Final = 24
MOST_ROWS: Final = 8
"""The classes with the highest probabilities; the rest share the last row."""
REST: Final = -1
NAME_SHARE: Final = 0.4
"""Part of the width for the longest name."""


class ProbabilityBars(QWidget):
    """A row for each class: symbol, name, bar and percentage, the most probable first."""

    def __init__(self, name: str) -> None:
        super().__init__()
        named(self, name, "Predicted probability of each class")
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.rows: list[tuple[int, str, float]] = []
        """Class code, name and probability; the code is :data:`REST` for the rest."""
        self._is_certain = False

    def show_probabilities(self, classes: tuple[str, ...], probabilities: Sequence[float]) -> None:
        """Shows these probabilities (k,); empty ones show nothing."""
        order = sorted(range(len(probabilities)), key=lambda code: -round(probabilities[code], 3))
        few = order if len(order) <= MOST_ROWS else order[: MOST_ROWS - 1]
        rest = order[len(few) :]
        self.rows = [(code, classes[code], probabilities[code]) for code in few]
        if rest:
            self.rows.append((REST, f"{len(rest)} other classes", sum(probabilities[code] for code in rest)))
        self._is_certain = is_certain(probabilities)
        spoken = ", ".join(f"{name} {self._words(share)}" for _code, name, share in self.rows)
        self.setAccessibleDescription(spoken)
        self.setToolTip("\n".join(f"{classes[code]} {self._words(probabilities[code])}" for code in order))
        self.updateGeometry()
        self.update()

    def _words(self, share: float) -> str:
        return probability_words(share, self._is_certain)

    def sizeHint(self) -> QSize:
        return QSize(themes.px(200), len(self.rows) * themes.px(ROW_HEIGHT))

    def paintEvent(self, _event: QPaintEvent) -> None:
        theme, look = current_theme(), StructureColors(current_theme())
        metrics, height = QFontMetricsF(self.font()), float(themes.px(ROW_HEIGHT))
        symbol, gap = themes.px(16), themes.px(8)
        names = tuple(name for _code, name, _share in self.rows)
        wanted = max((metrics.horizontalAdvance(name) for name in names), default=0.0)
        name_width = min(wanted + 2.0, NAME_SHARE * self.width())
        figure = metrics.horizontalAdvance("<0.01%")
        left = symbol + name_width + gap
        length = max(1.0, self.width() - left - figure - gap)
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            for row, (code, name, share) in enumerate(self.rows):
                top = row * height
                if code != REST:
                    draw_symbol(painter, look, code, QPointF(symbol / 2, top + height / 2), themes.px(10) / 2)
                line = QRectF(symbol, top, name_width, height)
                draw_text(painter, line, elided(metrics, name, name_width, names), look.text, align=MIDDLE_LEFT)
                bar = QRectF(left, top + height * 0.25, length, height * 0.5)
                painter.fillRect(bar, theme.color("line"))
                bar.setWidth(length * share)
                painter.fillRect(bar, look.dim if code == REST else look.class_color(code))
                end = QRectF(left + length + gap, top, figure, height)
                unclipped = Qt.TextFlag.TextDontClip
                draw_text(painter, end, self._words(share), look.text, align=MIDDLE_RIGHT | unclipped)
