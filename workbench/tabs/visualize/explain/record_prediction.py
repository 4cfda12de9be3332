"""Prediction of one record as text: when tested, reasons in log odds, paths through a tree."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import singledispatch
from html import escape
from math import ceil, isfinite, log
from typing import Final

import numpy as np
from PySide6.QtCore import QRect, QSize, Qt
from PySide6.QtGui import QFontMetrics, QPainter, QPaintEvent, QResizeEvent

from algorithms.core.learner import Codes, Explanation, LogOddsTerm, Model
from algorithms.core.training import TrainedClassifier
from algorithms.data.alignment import aligned
from algorithms.data.columns import IntArray
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Attribute
from algorithms.evaluation.costs.decision_rules import DecisionRule, Thresholds
from algorithms.evaluation.what_if import LeafPath, Value, ways
from algorithms.learners.linear.model import ALL_ELSE, LinearModel
from algorithms.learners.rules.model import RuleModel
from algorithms.structures.design_terms import IS_NUMBER
from algorithms.structures.tree import Tree
from algorithms.text.numbers import (
    MINUS,
    data_number,
    percent,
    signed,
    significant,
    sum_words,
    weight_text,
)
from algorithms.text.sentences import BRIEF_NAMES, in_brief, threshold_words, typeset
from workbench.layout.ticks import nice_step
from workbench.session.decision_rules import TIES_BY_DEFAULT, DecisionQuery
from workbench.session.runs import OF_ALL_RECORDS, FoldView, Run
from workbench.style.structure_colors import class_letter
from workbench.style.theme import current_theme, themes
from workbench.viewers.original_units import (
    TableNumbers,
    reason_in_own_units,
    rules_in_own_units,
    tree_in_own_units,
    written_rules,
    written_tree,
)
from workbench.viewers.tree.tree_words import HighlightedPath, condition, highlighted_path, path_conditions
from workbench.widgets.labels import ElidedLabel

MOST: Final = 8
"""So many reasons are listed; the others are summed up in one line."""
MOST_ABSENT: Final = 4
"""So many attributes without a value are listed among the reasons."""
MOST_STEPS: Final = 3
"""So many steps are listed below the bars of the prediction differences; one more rather than a link to it."""
MOST_LINES: Final = 2
"""Lines of the verdict at most."""
HALF: Final = 48
"""A full bar, in pixels, where a pane has no more room."""
MOST_HALF: Final = 160
"""A full bar in a wide pane, in pixels: names and figures stay near their bars."""
WIDEST_PATH: Final = 620
"""The table of a path through a tree at most, in pixels, so that a row can be followed by eye."""
ARROW: Final = 9
"""The arrow at the end of a bar that would be longer, in pixels."""
WHAT_NUMBERS_MEAN: Final = (
    "The numbers are log odds and add up: above 0 they speak for the class to the right, below 0 for the one to the "
    "left. 0.7 doubles its odds, 2.3 makes them tenfold."
)


FORMULA: Final = re.compile(r"\([\d.,]+ \+ [\d.,]+\)(?: / \([\d.,]+ \+ [\d.,]+\))?(?: = [\d.,]+%?)?")
BECAUSE: Final = "Because "
LONGEST_IN_ONE_LINE: Final = 40
"""Characters of a condition that is not broken over lines; in a longer one a narrow pane needs a break."""
LEAST_CONTRIBUTION: Final = 0.005
"""Smaller ones would be written as 0.00."""
LOG_ODDS: Final = " log odds"
"""What a step of a model says that counts in log odds."""
HOW_SCALES_RELATE: Final = (
    "The bars are points of the probability, the lines below are log odds: near 0% and 100%, large log odds change "
    "the probability by few points."
)


@dataclass(frozen=True)
class BarTable:
    """The room of rich text with bars: a full bar and the whole table, in pixels."""

    half: int
    width: int = 0
    """0 is the whole width of the pane."""

    @classmethod
    def of(cls, width: int, words: Iterable[str], figures: Iterable[str]) -> BarTable:
        """Bars between these words and figures in a pane of this ``width``; 0 is unknown."""
        metrics = QFontMetrics(themes.font(12))
        columns = (max(map(metrics.horizontalAdvance, texts), default=0) for texts in (words, figures))
        taken = sum(columns) + themes.px(44)
        half = min(themes.px(MOST_HALF), max(themes.px(HALF), (width - taken) // 2))
        return cls(half, taken + 2 * half if taken + 2 * half < width else 0)

    def html(self, rows: Sequence[str]) -> str:
        width = self.width or '"100%"'
        return f'<table cellspacing="0" cellpadding="1" width={width}>{"".join(rows)}</table>'


def value_text(attribute: Attribute, value: Value, write: Callable[[float], str] = data_number) -> str:
    """A value of an attribute, written as in the data or as given; "missing" if it is."""
    if value != value or (attribute.kind.is_coded and value < 0):
        return "missing"
    return attribute.values[int(value)] if attribute.kind.is_coded else write(float(value))


def shortened_reasons(reasons: Sequence[LogOddsTerm], most: int = MOST) -> list[LogOddsTerm]:
    """The intercept, the ``most`` strongest reasons, and the sum of all others."""
    start, *others_first = reasons
    rest = others_first[most:]
    if len(rest) < 2:
        return [start, *others_first]
    others = LogOddsTerm(ALL_ELSE, "", sum(reason.added for reason in rest), start.against)
    return [start, *others_first[:most], others]


def is_certain(probabilities: Sequence[float]) -> bool:
    """Whether all classes but one have no probability at all."""
    return sum(probability > 0 for probability in probabilities) == 1


def probability_words(share: float, certain: bool) -> str:
    """A class's probability: "83.0%", and ">99.9%" for a 1 that is only rounded, as other classes have some."""
    return percent(share if certain else min(share, float(np.nextafter(1.0, 0.0))))


def reasons_html(
    reasons: Sequence[LogOddsTerm],
    decided: int,
    classes: Sequence[str],
    interest: str = "",
    role: str = "",
    most: int = MOST,
    width: int = 0,
) -> str:
    """The reasons for class ``decided`` as a table; bars to the right speak for class ``interest``.

    ``role`` says why they weigh it against that other class. The pane has this ``width`` in pixels.
    """
    theme = current_theme()
    right, left = decided, reasons[0].against
    if classes[left] == interest:
        right, left = left, right
        reasons = [replace(reason, added=-reason.added) for reason in reasons]
    shown = shortened_reasons(reasons, most)
    total = sum(reason.added for reason in reasons)
    single = shown[:-1] if len(shown) < len(reasons) else shown  # beside the sum of many others they would be tiny
    largest = max([abs(reason.added) for reason in single if isfinite(reason.added)] + [LEAST_CONTRIBUTION])
    whole = nice_step(largest)
    words = [f"{reason.what} ({reason.beside})" if reason.beside else reason.what for reason in shown]
    table = BarTable.of(width, words, [signed(total), *(signed(reason.added) for reason in shown)])
    rows = [_ends_row(f"+{significant(whole)}")] if largest > LEAST_CONTRIBUTION else []
    for reason in shown:
        code = right if reason.added > 0 else left
        share = reason.added / whole if abs(reason.added) >= LEAST_CONTRIBUTION else 0.0
        beside = f' <span style="color:{theme.dim}">({escape(reason.beside)})</span>' if reason.beside else ""
        color = theme.class_color(code).name()
        rows.append(_bar_row(f"{escape(reason.what)}{beside}", share, color, signed(reason.added), table.half))
    rounded = sum_words([reason.added for reason in shown], total)
    note = f' <span style="color:{theme.dim}">({rounded})</span>' if rounded else ""
    rows.append(
        f'<tr><td><b>Together</b>{note}</td><td></td><td></td><td align="right"><b>{signed(total)}</b></td></tr>'
    )
    ours, theirs = escape(classes[right]), escape(classes[left])
    return (
        f"Bars to the right vote for <b>{ours}</b>, bars to the left for <b>{theirs}</b>{escape(role)}, in log odds."
        f"{table.html(rows)}"
    )


def _bar_row(what: str, share: float, color: str, figure: str, half: int) -> str:
    """A row of rich text: words, a bar to the left or right of the line at zero, and a figure.

    A ``share`` of -1 or 1 fills its half. An arrow at the end of a bar says that it would be longer.
    """
    width, is_beyond = max(1, round(half * min(1.0, abs(share)))), abs(share) > 1.0
    left = _bar(width if share < 0 else 0, color, True, is_beyond, half)
    right = _bar(width if share > 0 else 0, color, False, is_beyond, half)
    figure = f'<td align="right" valign="middle">&nbsp;{figure}</td>'
    return f'<tr><td valign="middle">{what}&nbsp;</td>{left}{right}{figure}</tr>'


def _ends_row(end: str) -> str:
    """The head of the bars: what their two ends and the line between them stand for."""
    size = f'<span style="color:{current_theme().dim};font-size:{themes.px(11)}px">'
    low = end.replace("+", MINUS)
    return (
        f'<tr><td></td><td style="{_lines(True)}">{size}&nbsp;{low}</span></td>'
        f'<td align="right" style="{_lines(False)}">{size}{end}&nbsp;</span></td><td></td></tr>'
    )


def _lines(is_left: bool) -> str:
    """The style of a half of the bars: a line at its end, and one at zero between the halves."""
    theme = current_theme()
    end = f"1px solid {theme.line}"
    return f"border-left: {end}" if is_left else f"border-left: 1px solid {theme.dim}; border-right: {end}"


def _bar(width: int, color: str, is_left: bool, is_beyond: bool = False, half: int = 0) -> str:
    room = f'<td width="{half or themes.px(HALF)}" valign="middle" style="{_lines(is_left)}">'
    if not width:
        return f"{room}</td>"
    tip = themes.px(ARROW) if is_beyond else 0
    parts = [f'<td width="{width - tip}" bgcolor="{color}" style="font-size:6pt">&#8203;</td>']
    if is_beyond:
        arrow = f'<td width="{tip}" valign="middle" style="color:{color};font-size:6pt">{"◀" if is_left else "▶"}</td>'
        parts.insert(0 if is_left else 1, arrow)
    side = "right" if is_left else "left"
    return f'{room}<table align="{side}" cellspacing="0" cellpadding="0"><tr>{"".join(parts)}</tr></table></td>'


@dataclass(frozen=True)
class TestedPrediction:
    """The class predicted most often when a record was tested, and its mean probability."""

    label: str
    probability: float
    is_certain: bool = False
    """Whether all other classes had no probability at all."""
    shares: Mapping[str, float] = field(default_factory=dict)
    """The mean probability of each class."""


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
    shares = run.result.probabilities[tests].mean(axis=0).tolist()
    by_class = dict(zip(run.result.classes, shares, strict=True))
    return TestedPrediction(run.result.classes[code], shares[code], is_certain(shares), by_class)


def why_untested(run: Run, row: int) -> str:
    """Of a record that no model tested: that the model was trained on it, unless it may have been left out."""
    may_leave_out = any(step.only_training for step in run.recipe) or true_class(run, row) is None
    return "not tested" if may_leave_out else "not tested: the model was trained on it"


def true_class(run: Run, row: int) -> str | None:
    schema = run.data.schema
    if schema.class_index is None or not schema.class_attribute.kind.is_coded:
        return None
    code = int(run.data.cells(schema.class_index, np.array([row]))[0])
    return schema.classes[code] if code >= 0 else None


MAY_BE_OPTIMISTIC: Final = "the probabilities above may be optimistic"
OPTIMISTIC: Final = "the probability of {actual} above is optimistic"
MOST_WAYS: Final = 4
WHAT_EXPECTED_COST_IS: Final = (
    "Expected cost of predicting a class: the cost for each actual class times its probability, added up. The least "
    "one decides."
)


@dataclass(frozen=True)
class ExpectedCosts:
    """The expected cost of predicting each class (k,) for one record, in a ``currency`` or none."""

    values: tuple[float, ...]
    currency: str = ""

    @classmethod
    def of(cls, rule: DecisionRule, probabilities: Sequence[float], record: Dataset) -> ExpectedCosts | None:
        """Those of the classes of ``rule``; None unless least expected cost decides."""
        costs = rule.expected_costs(probabilities, record)
        currency = "" if rule.costs is None else rule.costs.currency
        return None if costs is None else cls(tuple(costs.tolist()), currency)


@dataclass(frozen=True, eq=False)
class RecordPrediction:
    """The predicted class code, its probabilities (k,), and the leaf paths and steps that led there."""

    decision: int
    probabilities: tuple[float, ...]
    ways: tuple[LeafPath, ...]
    steps: tuple[str, ...]
    reasons: tuple[LogOddsTerm, ...] = ()
    """What speaks for class ``weighed`` against another, where the model adds up reasons."""
    weighed: int = -1
    """The class that the reasons speak for: the predicted one, unless the model cannot weigh it."""
    path: HighlightedPath = field(default_factory=HighlightedPath)
    worded: Tree | None = None
    """The tree with numbers as the table has them, on the ways of the record."""
    tested: TestedPrediction | None = None
    untested: str = ""
    """What is known of training if no model tested the record; empty for one tested, or with changed values."""
    itself: int = -1
    """The class that the model itself predicts, if a decision rule decides; -1 if none does."""
    by: str = ""
    """What decides then, after the prediction: " at threshold 9%"."""
    threshold: tuple[str, float] | None = None
    """The class and the probability from which it is predicted, if a threshold decides."""
    expected: ExpectedCosts | None = None
    """What predicting each class would cost, if least expected cost decides."""
    unchanged: int = -1
    """The class predicted for the record with its own values, if some are changed; -1 if none are."""

    @property
    def probability(self) -> str:
        return probability_words(self.probabilities[self.decision], is_certain(self.probabilities))


def words_of_tests(
    prediction: RecordPrediction, classes: Sequence[str], label: str | None, *, learned: bool
) -> tuple[str, ...]:
    """The prediction of the models that tested the record of class ``label``, from long to short; else why none did.

    ``learned`` says that the model in view was trained on the record. Its probability of the actual class is called
    optimistic only where the tests gave that class a lower one, as rounded.
    """
    tested = prediction.tested
    if tested is None:
        words = prediction.untested[:1].upper() + prediction.untested[1:]
        return (f"{words}; {MAY_BE_OPTIMISTIC}.", f"{words}.") if learned and words else (f"{words}." if words else "",)
    words = f"When tested: {tested.label} ({probability_words(tested.probability, tested.is_certain)})"
    if label is not None and tested.label != label:
        words = f"{words}, wrong"
    if not learned or label is None or label not in classes or label not in tested.shares:
        return (f"{words}.",)
    if round(prediction.probabilities[classes.index(label)], 3) <= round(tested.shares[label], 3):
        return (f"{words}.",)
    optimistic = OPTIMISTIC.format(actual=label)
    return (f"{words}; {optimistic}: the model was trained on this record.", f"{words}; {optimistic}.", f"{words}.")


def truth_words(
    prediction: RecordPrediction, trained: TrainedClassifier, name: str, label: str | None, *, is_changed: bool
) -> tuple[str, ...]:
    """The actual class ``label`` of the record ``name`` in a sentence, from long to short; empty if unknown."""
    if label is None:
        return (f"{name}." if is_changed else "",)
    if not is_changed:
        verdict = "correctly" if trained.classes[prediction.decision] == label else "wrongly"
        whole = f"ctual class: {label}. Predicted {verdict}."
        return f"{name}, a{whole}", f"A{whole}", f"Actual: {label}, predicted {verdict}.", f"Actual class: {label}."
    predicted = "" if prediction.unchanged < 0 else f"predicted {trained.classes[prediction.unchanged]}; "
    return f"{name}. Unchanged: {predicted}actual {label}.", f"Unchanged: {predicted}actual {label}."


def explained_for(
    trained: TrainedClassifier,
    explained: Explanation,
    record: Dataset,
    decision: int,
    truth: str | None,
    expected: ExpectedCosts | None,
    numbers: TableNumbers,
) -> Explanation:
    """As :func:`own_explained`, with reasons that weigh class ``decision`` against the class ``truth``.

    Against the runner-up where that is unknown, the same or of no probability: the other class of least expected cost
    where ``expected`` ones decide, else the most probable one.
    """
    model, shares = trained.model, explained.probabilities
    if not model.weighs_pairs or not shares[decision]:
        return own_explained(trained, explained, record, numbers)
    ranks = [-share for share in shares] if expected is None else expected.values
    others = sorted((code for code in range(len(shares)) if code != decision and shares[code]), key=ranks.__getitem__)
    actual = trained.classes.index(truth) if truth in trained.classes else decision
    if others:
        against = actual if actual in others else others[0]
        explained = model.explain_pair(trained.prepared(record), 0, (decision, against))
    return own_explained(trained, explained, record, numbers)


def with_path(
    prediction: RecordPrediction, trained: TrainedClassifier, tree: Tree, record: Dataset, numbers: TableNumbers
) -> RecordPrediction:
    """The prediction of the one raw ``record`` with its ways through the tree of the model."""
    prepared = trained.prepared(record)
    leaf_paths = ways(tree, prepared)
    parts: dict[int, float] = {}
    for way in leaf_paths:
        for node in way.nodes:
            parts[node] = parts.get(node, 0.0) + way.share
    unscaled, nodes = numbers.unscaled, sorted(parts)
    own = tree_in_own_units(tree, unscaled, nodes=nodes)
    worded = written_tree(tree, own, numbers, nodes=nodes)
    path = highlighted_path(tree, prepared, nodes, parts, unscaled, record, own, worded)
    return replace(prediction, ways=leaf_paths, path=path, worded=worded)


def role_of_other(prediction: RecordPrediction, classes: Sequence[str], truth: str | None) -> str:
    """Why the reasons weigh the prediction against that other class, in brackets; empty for two classes."""
    if not prediction.reasons or len(classes) < 3 or prediction.weighed != prediction.decision:
        return ""
    other = classes[prediction.reasons[0].against]
    if other == truth:
        return " (actual class)"
    if prediction.expected is None:
        return " (runner-up)"
    costs = [cost for code, cost in enumerate(prediction.expected.values) if code != prediction.decision]
    is_next = prediction.expected.values[prediction.reasons[0].against] <= min(costs)  # not if that one is impossible
    return " (next lowest expected cost)" if is_next else ""


def own_explained(
    trained: TrainedClassifier, explained: Explanation, record: Dataset, numbers: TableNumbers
) -> Explanation:
    """The explanation of the one raw ``record``, with ``numbers`` as the table has them, and what is missing."""
    model = trained.model
    own = _in_own_units(model, trained, explained, record, numbers)
    if not own.reasons or not isinstance(model, LinearModel):
        return own
    values, against = aligned(model.schema, trained.prepared(record)), own.reasons[0].against
    terms = model.planes.terms
    numeric = dict.fromkeys(terms.attribute[terms.value == IS_NUMBER].tolist())  # a nominal value has a reason then
    missing = (i for i in numeric if values.missing(i)[0])
    absent = [LogOddsTerm(f"{model.schema.names[i]} is missing, so average", "", 0.0, against) for i in missing]
    return replace(own, reasons=(own.reasons[0], *absent[:MOST_ABSENT], *own.reasons[1:]))


@singledispatch
def _in_own_units(
    _model: Model, _trained: TrainedClassifier, explained: Explanation, _record: Dataset, _numbers: TableNumbers
) -> Explanation:
    """The explanation in the table's units; a model registers here how it words it."""
    return explained


@_in_own_units.register
def _(
    model: RuleModel, trained: TrainedClassifier, explained: Explanation, record: Dataset, numbers: TableNumbers
) -> Explanation:
    own = rules_in_own_units(model.rules, numbers.unscaled)
    worded = written_rules(model.rules, own, numbers)
    if worded is model.rules:
        return explained
    parts = model.parts_of(aligned(model.schema, trained.prepared(record)))
    return replace(explained, steps=tuple(model.steps_of(explained.parts, worded, parts)))


@_in_own_units.register
def _(
    model: LinearModel, _trained: TrainedClassifier, explained: Explanation, record: Dataset, numbers: TableNumbers
) -> Explanation:
    if not explained.reasons or numbers.unscaled is None:
        return explained
    reasons = tuple(reason_in_own_units(reason, record, numbers.unscaled) for reason in explained.reasons)
    steps = model.steps_of(explained.decision, reasons)
    return replace(explained, reasons=reasons, steps=steps)


def ways_title(prediction: RecordPrediction, trained: TrainedClassifier) -> str:
    if prediction.reasons:
        return "Contributions to the log odds"
    if isinstance(trained.structure(), Tree):
        return "Path through the tree"
    is_own = prediction.weighed in (prediction.decision, -1)
    return "Why this prediction" if is_own else f"Why {trained.classes[prediction.weighed]} by default"


def n_left_out(prediction: RecordPrediction, trained: TrainedClassifier, most: int = MOST) -> int:
    """How many steps, or reasons beyond the ``most`` strongest, :func:`ways_html` leaves out at first; 0 if none.

    All but the first sentence are left out where there is room for fewer reasons than usual.
    """
    if prediction.reasons:
        n_others = len(prediction.reasons) - 1 - most
        return n_others if n_others > 1 else 0
    return len(prediction.steps) - len(_first_steps(prediction, most)) if lists_steps(prediction, trained) else 0


def _first_steps(prediction: RecordPrediction, most: int) -> Sequence[str]:
    """The first steps of the explanation, at most :data:`MOST_STEPS`; none in log odds beside the bars in points.

    Only the first sentence, which says what decides, if there is no room for as ``most`` reasons as usual.
    """
    steps = [step for step in prediction.steps if LOG_ODDS not in step]
    if most < MOST:
        return steps[: 2 if steps and steps[0].startswith(BECAUSE) else 1]
    if len(steps) < len(prediction.steps):
        return steps[:MOST_STEPS]
    return steps if len(steps) <= MOST_STEPS + 1 else steps[:MOST_STEPS]


def unbroken(step: str) -> str:
    """A step whose formula stays in one line, "(50 + 1) / (50 + 3)", as does each condition between two "and"."""
    space, parts = "\N{NO-BREAK SPACE}", step.removeprefix(BECAUSE).split(" and ")
    if step.startswith(BECAUSE):
        kept = (part.replace(" ", space) if len(part) <= LONGEST_IN_ONE_LINE else part for part in parts)
        return f"{BECAUSE}{' and '.join(kept)}"
    return FORMULA.sub(lambda formula: formula[0].replace(" ", space), step)


def punctuated(steps: Sequence[str]) -> list[str]:
    """Steps that end as sentences do; "Because ..." and the step after it, where there is one, are one sentence."""
    words = [step if step.endswith((".", ":", "!", "?")) else f"{step}." for step in steps]
    if len(words) > 1 and words[0].startswith(BECAUSE):
        words[:2] = [f"{words[0][:-1]},", f"{words[1][0].lower()}{words[1][1:]}"]
    return words


def lists_steps(prediction: RecordPrediction, trained: TrainedClassifier) -> bool:
    """Whether :func:`ways_html` lists the steps of the explanation, not sums or the path through a tree."""
    return not prediction.reasons and not (isinstance(trained.structure(), Tree) and prediction.ways)


def _default_html(prediction: RecordPrediction, classes: Sequence[str]) -> str:
    """Says that the reasons explain the class by default where a decision rule predicts another one; else empty."""
    if prediction.weighed in (prediction.decision, -1):
        return ""
    decided, default = (escape(classes[code]) for code in (prediction.decision, prediction.weighed))
    return f"This explains {default}, the prediction by default. The decision rule predicts {decided}.<br>"


def _boundary_html(prediction: RecordPrediction, classes: Sequence[str], interest: str) -> str:
    """Where the threshold of class ``interest`` stands among the contributions of two classes; empty without one."""
    label, share = prediction.threshold or ("", 0.0)
    if label != interest or len(classes) != 2 or not 0 < share < 1:
        return ""
    where = f"where they are together from {signed(log(share / (1 - share)))} on"
    return f"At threshold {threshold_words(share)}, {escape(label)} is predicted {where}."


def ways_html(
    prediction: RecordPrediction,
    trained: TrainedClassifier,
    interest: str = "",
    *,
    truth: str | None = None,
    shows_all: bool = False,
    most: int = MOST,
    width: int = 0,
) -> str:
    """The path as rich text, bars to the right for ``interest``; with ``shows_all`` all its steps.

    Of reasons the ``most`` strongest are shown at first. The pane has this ``width`` in pixels.
    """
    tree, default = trained.structure(), _default_html(prediction, trained.classes)
    if prediction.reasons:
        table = reasons_html(
            prediction.reasons,
            prediction.weighed,
            trained.classes,
            interest,
            role_of_other(prediction, trained.classes, truth),
            len(prediction.reasons) if shows_all else most,
            width,
        )
        return f"{default}{table}{_boundary_html(prediction, trained.classes, interest)}"
    if lists_steps(prediction, trained):
        names = (*trained.input_schema.names, *trained.classes)
        shown = list(prediction.steps if shows_all else _first_steps(prediction, most))
        if shows_all and any(LOG_ODDS in step for step in shown):
            shown = [HOW_SCALES_RELATE, *shown]
        steps = (escape(unbroken(in_brief(typeset(step), names, BRIEF_NAMES[0]))) for step in punctuated(shown))
        return default + "<br>".join(steps)
    assert isinstance(tree, Tree)
    tree = tree if prediction.worded is None else prediction.worded
    if len(prediction.ways) == 1:
        return _path_html(tree, prediction, width)
    lines = [f"Divided among {len(prediction.ways)} leaves, since a value is missing:"]
    for way in prediction.ways[:MOST_WAYS]:
        label_there = trained.classes[int(tree.decision[way.leaf])]
        where = " and ".join(path_conditions(tree, way.leaf))
        lines.append(f"<b>{escape(percent(way.share))}</b> {escape(label_there)}: {escape(where)}")
    if len(prediction.ways) > MOST_WAYS:
        rest = sum(way.share for way in prediction.ways[MOST_WAYS:])
        lines.append(f"{escape(percent(rest))} in {len(prediction.ways) - MOST_WAYS} more")
    return "<br>".join(lines)


def _path_html(tree: Tree, prediction: RecordPrediction, room: int) -> str:
    """The tests on the path to a leaf, each with the record's value and the training records that remain.

    The pane is ``room`` pixels wide.
    """
    theme, (way,) = current_theme(), prediction.ways
    decision = prediction.decision if prediction.itself >= 0 else int(tree.decision[way.leaf])
    label = tree.schema.classes[decision]
    if len(way.nodes) == 1:
        return f"The tree is one leaf: it predicts {escape(label)} for every record."
    names = (*tree.schema.names, *tree.schema.classes)
    symbol = in_color(class_letter(decision), decision)
    heads = ("Test", "Value", "Records", f"{symbol} {escape(in_brief(label, names, BRIEF_NAMES[1]))}")
    rows = ["".join(f'<td align="{"left" if i == 0 else "right"}">{h}&nbsp;</td>' for i, h in enumerate(heads))]
    for child in way.nodes[1:]:
        counts = tree.counts[child]
        total = float(counts.sum())
        share = float(counts[decision]) / total if total else 0.0
        bar = _bar(round(themes.px(HALF) * share), theme.class_color(decision).name(), is_left=False)
        value = prediction.path.labels.get(child, "").partition(", so ")[0]
        rows.append(
            f"<td>{escape(in_brief(condition(tree, child), names, BRIEF_NAMES[0]))}&nbsp;</td>"
            f'<td align="right">{escape(value)}&nbsp;</td><td align="right">{weight_text(total)}&nbsp;</td>'
            f'<td align="right">{percent(share)}&nbsp;</td>{bar}'
        )
    body = "".join(f"<tr>{row}</tr>" for row in rows)
    width = themes.px(WIDEST_PATH) if room > themes.px(WIDEST_PATH) else '"100%"'
    return f'<table cellspacing="0" cellpadding="3" width={width}>{body}</table>'


def in_color(words: str, code: int) -> str:
    return f'<span style="color:{current_theme().class_text_color(code).name()}">{words}</span>'


def own_threshold(thresholds: Thresholds) -> str:
    """The probability that a class needs where costs differ by record, in brackets; empty where they do not."""
    if thresholds is None or np.isnan(thresholds[1][0]):
        return ""
    return f" ({thresholds[0]} needs {percent(float(thresholds[1][0]))} for this record's costs, {TIES_BY_DEFAULT})"


def model_wordings(
    of_fold: FoldView | None, row: int, prediction: RecordPrediction, trained: TrainedClassifier
) -> tuple[str, ...]:
    """The model whose prediction is shown, the rule that decides and the prediction by default, from long to short.

    Of a fold's model also whether it was trained without the record in this row.
    """
    name = OF_ALL_RECORDS if of_fold is None else of_fold.name
    model = name.removeprefix("the ").capitalize()
    is_apart = of_fold is not None and row not in of_fold.rows
    whole = f"{model}, trained without this record" if is_apart else model
    if prediction.itself < 0:
        return whole, model
    also = "also " if prediction.itself == prediction.decision else ""
    at = "At the default threshold" if len(trained.classes) == 2 else "By default"
    default = f" {at} {also}{trained.classes[prediction.itself]}."
    by = f"{model},{prediction.by}"
    return f"{whole},{prediction.by}.{default}", f"{by}.{default}", by, prediction.by.strip().capitalize()


class VerdictLabel(ElidedLabel):
    """The longest wording of a prediction that fits, in two lines where one would not hold that of every class."""

    def __init__(self) -> None:
        super().__init__("", "verdict")
        self._longest, self._lines = "", 1

    def keep_room_for(self, texts: Iterable[str]) -> None:
        """Keeps the height that the longest of these texts needs, so that nothing moves with the prediction."""
        self._longest = max(texts, key=len, default="")
        self._reserve()

    def _lines_of(self, text: str, width: int) -> int:
        metrics = self.fontMetrics()
        if any(metrics.horizontalAdvance(word) > width for word in text.split()):
            return MOST_LINES + 1
        flags = int(Qt.TextFlag.TextWordWrap)
        return ceil(metrics.boundingRect(QRect(0, 0, width, 0), flags, text).height() / metrics.lineSpacing() - 0.1)

    def _reserve(self) -> None:
        lines = max(1, min(MOST_LINES, self._lines_of(self._longest, self.contentsRect().width())))
        if lines != self._lines:
            self._lines = lines
            self.updateGeometry()

    def shown_in(self, width: int) -> str:
        fitting = (text for text in self._wordings if self._lines_of(text, width) <= self._lines)
        return next(fitting, super().shown_in(width))

    def sizeHint(self) -> QSize:
        more = (self._lines - 1) * self.fontMetrics().lineSpacing()
        return super().sizeHint() + QSize(0, more)

    def minimumSizeHint(self) -> QSize:
        return QSize(super().minimumSizeHint().width(), self.sizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._reserve()

    def paintEvent(self, _event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            painter.setPen(self.palette().color(self.foregroundRole()))
            flags = int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextWordWrap)
            painter.drawText(self.contentsRect(), flags, self.shown())
