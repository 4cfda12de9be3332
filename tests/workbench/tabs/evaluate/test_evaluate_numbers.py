"""The numbers of a run as they are shown: each with a working that leads to it, costs and mistakes in words."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtWidgets import QApplication

from algorithms.core.resampling import AccuracyEstimate
from algorithms.core.run_control import RunContext
from algorithms.evaluation.costs.cost_matrix import CostMatrix
from algorithms.evaluation.measures.confusion_counts import (
    HEAD,
    as_text,
    cell_sentence,
    margin_words,
    order_by_confusion,
    place_sentence,
)
from algorithms.evaluation.measures.intervals import accuracy_interval
from algorithms.evaluation.measures.measure_workings import bootstrap_632
from algorithms.evaluation.measures.metrics import Report
from algorithms.evaluation.measures.metrics import report as report_of
from algorithms.evaluation.measures.registry import of_class_table
from algorithms.evaluation.methods.methods import TrainingSet
from algorithms.evaluation.runner import evaluate
from algorithms.learners.trees.zero_r import ZeroR
from algorithms.text.numbers import UNDEFINED, interval_words, percent
from tests.algorithms.evaluation.arithmetic import reckoned
from tests.expected_texts import evaluation as evaluation_wording
from tests.expected_texts import tabs_evaluate as wording
from tests.workbench.stage import Stage
from tests.workbench.window_helpers import small_data
from workbench.layout.matrix_layout import matrix_layout
from workbench.tabs.evaluate.figure_table import MetricCell
from workbench.tabs.evaluate.numbers import (
    MetricFigure,
    class_headers,
    class_rows,
    confusion_sentence,
    headline_metrics,
    lines,
    records_judged,
)
from workbench.widgets.help_pages import page


def made_report(matrix: list[list[float]], classes: tuple[str, ...] = ("yes", "no")) -> Report:
    """A report whose confusion matrix is ``matrix``; its class metrics follow from it."""
    counts = np.array(matrix, dtype=float)
    truth, decision = (np.repeat(np.indices(counts.shape)[axis].ravel(), counts.astype(int).ravel()) for axis in (0, 1))
    result = evaluate(ZeroR(), small_data(20, classes), TrainingSet(), RunContext(seed=1))
    n, k = len(truth), len(classes)
    changed = {
        "row_ids": np.arange(n),
        "repeats": np.zeros(n, np.int32),
        "folds": np.zeros(n, np.int32),
        "truth": truth.astype(np.int32),
        "decision": decision.astype(np.int32),
        "probabilities": np.eye(k)[decision],
    }
    return report_of(replace(result, **changed))


def class_figure(report: Report, code: int, measure: str) -> MetricFigure:
    """The cell of a class and a measure in the table of classes."""
    _label, _records, *figures = class_rows(report)[code]
    return figures[[each.id for each in of_class_table()].index(measure)]


@pytest.fixture
def report() -> Report:
    return made_report([[223, 18], [20, 438]])


COSTS = CostMatrix(("yes", "no"), ((0.0, 10.0), (1.0, 0.0)))


def test_every_number_opens_to_terms_that_lead_to_it(report: Report) -> None:
    every = [figure for line in lines(report, 0, COSTS) for figure in (line.whole, line.of_class)]
    every += [figure for row in class_rows(report) for figure in row[2:]]
    shown = [figure for figure in every if figure.text]
    intervals = 1 + 3 * 2  # of kappa; of F, AUC and PR area, for all classes and for one
    assert len(shown) == 12 + 5 + 4 * 5 + 3 + 9 + 7 + 5 * 2 + 4 + 3 + 2 + 8 + intervals
    for figure in shown:
        assert figure.working is not None, figure
        assert figure.working.value == pytest.approx(figure.value, abs=1e-12)
        for working in figure.workings:
            assert reckoned(working) == pytest.approx(working.value, abs=1e-9)
            assert working.result.removesuffix("%") in figure.text and working.sentence().endswith(
                f"= {working.result}"
            )


def test_632_estimate_opens_to_the_two_accuracies_it_is_made_of(report: Report) -> None:
    corrected = 0.632 * 0.7 + 0.368 * 0.9
    estimate = AccuracyEstimate(bootstrap_632(0.7, 0.9), "")
    estimated = replace(report, accuracy=corrected, error_rate=1 - corrected, estimate=estimate)
    named = {line.name: line.whole for line in lines(estimated, 0, None)}
    assert named["Accuracy"].working is not None
    assert named["Accuracy"].working.filled == "0.632 · 0.7 + 0.368 · 0.9"
    wrong = named["Error rate"]
    assert wrong.working is not None and wrong.working.value == pytest.approx(1 - corrected)
    assert reckoned(wrong.working) == pytest.approx(wrong.value)


def test_recall_opens_to_its_formula_with_this_runs_numbers(report: Report) -> None:
    found = class_figure(report, 0, "recall")
    assert found.text == "92.5%"
    assert found.working is not None
    assert found.working.sentence() == evaluation_wording.RECALL_WORKED_OUT


def test_interval_stands_below_the_accuracy(report: Report) -> None:
    named = {line.name: line.whole.text for line in lines(report, 0, None)}
    low, high = accuracy_interval(661 / 699, 699)
    assert named["Accuracy"] == "94.6%"
    assert named[wording.ITS_INTERVAL] == f"{100 * low:.1f}–{100 * high:.1f}%"


def test_interval_opens_to_the_workings_of_both_its_ends(report: Report) -> None:
    figure = next(line.whole for line in lines(report, 0, None) if line.name == wording.ITS_INTERVAL)
    assert [working.value for working in figure.workings] == pytest.approx(accuracy_interval(661 / 699, 699))


def test_rate_that_is_undefined_is_a_dash_without_working() -> None:
    never_said = class_figure(made_report([[0, 5], [0, 5]]), 0, "precision")
    assert never_said.text == "–"
    assert never_said.working is None


def test_average_over_the_classes_is_undefined_where_one_class_is() -> None:
    named = {line.name: line.whole.text for line in lines(made_report([[0, 5], [0, 5]]), 0, None)}
    assert named["Precision"] == "–"
    assert named[wording.RECALL] == "50%"


def test_costs_follow_the_labels_not_the_order(report: Report) -> None:
    costs = CostMatrix(("no", "yes"), ((0.0, 1.0), (10.0, 0.0)))
    figure = next(line.whole for line in lines(report, 0, costs) if line.name == wording.COST_PER_RECORD)
    assert figure.value == pytest.approx((18 * 10 + 20) / 699)
    assert figure.working is not None
    assert figure.working.filled == "200 / 699"


def test_costs_of_other_classes_do_not_count(report: Report) -> None:
    other = CostMatrix(("a", "b"), ((0.0, 1.0), (1.0, 0.0)))
    assert all(line.name != wording.COST_PER_RECORD for line in lines(report, 0, other))


def test_mistake_made_most_often_is_said_in_words(report: Report) -> None:
    assert confusion_sentence(report) == wording.MOST_OFTEN_NO_TAKEN_FOR_YES_COUNTED
    assert confusion_sentence(made_report([[5, 0], [0, 5]])) == wording.NOT_ONE_MISTAKE
    assert records_judged(report) == wording.records_judged(699)


def test_cell_is_said_in_words() -> None:
    counts = np.array([[223.0, 18.0], [1.0, 438.0]])
    names = ("malignant", "benign")
    assert cell_sentence(names, counts, 0, 1) == wording.CELL_MISTAKEN
    assert cell_sentence(names, counts, 1, 0).startswith(wording.CELL_OF_ONE_MISTAKEN)
    assert cell_sentence(names, counts, 0, 0).startswith(wording.CELL_RIGHT)
    assert cell_sentence(names, np.zeros((2, 2)), 0, 1) == wording.CELL_EMPTY
    rows = [place_sentence(names, counts, row, HEAD) for row in (0, 1)]
    columns = [place_sentence(names, counts, HEAD, column) for column in (0, 1)]
    assert (*rows, *columns) == wording.ROWS_AND_COLUMNS
    one_class = np.array([[3.0, 0.0], [0.0, 0.0]])
    assert place_sentence(names, one_class, 1, HEAD) == wording.EMPTY_ROW
    assert place_sentence(names, one_class, HEAD, 1) == wording.EMPTY_COLUMN
    totals, recalls, precisions = margin_words(one_class)
    assert (totals, recalls, precisions) == (["3", "0"], ["100%", UNDEFINED], ["100%", UNDEFINED])


def test_matrix_is_copied_with_its_labels() -> None:
    assert as_text(("a", "b"), np.array([[1.0, 2.5], [0.0, 1000.0]])) == (wording.COPIED_MATRIX)


@pytest.mark.parametrize("k", [1, 2, 3, 10, 26, 100])
@pytest.mark.parametrize("size", [(220, 130), (560, 300), (1200, 800)])
def test_matrix_fits_its_place_and_every_cell_can_be_hit(k: int, size: tuple[int, int]) -> None:
    layout = matrix_layout(k, *size, widest_name=90)
    if k <= 26:
        assert layout.width <= size[0] + 3 * k
        assert layout.height <= size[1] + 3 * k
    for row, column in ((0, 0), (k - 1, 0), (0, k - 1), (k // 2, k // 2)):
        x, y, width, height = layout.cell(row, column)
        assert layout.cell_at(x + width / 2, y + height / 2) == (row, column)
    assert layout.cell_at(layout.left - 1, layout.top + 1) is None
    assert layout.cell_at(layout.width + 1, layout.top + 1) is None


def test_a_cell_is_never_smaller_than_its_count_and_the_matrix_scrolls() -> None:
    layout = matrix_layout(26, 380, 260, widest_name=9, least=(22.0, 15.0))
    assert layout.cell_width >= 22.0 and layout.cell_height >= 15.0
    assert layout.width > 380 and layout.height > 260
    assert layout.row_label_step == layout.column_label_step == 1


def test_names_are_turned_where_they_are_wider_than_their_column() -> None:
    assert not matrix_layout(3, 600, 300, 80).names_turned
    assert matrix_layout(26, 620, 460, 40).names_turned
    assert not matrix_layout(26, 620, 460, 8).names_turned
    turned = matrix_layout(26, 620, 460, 90)
    assert turned.top - turned.title >= 90, "the whole name is in sight"


def test_classes_confused_with_each_other_stand_side_by_side() -> None:
    matrix = np.eye(4) * 20
    matrix[0, 3] = matrix[3, 0] = 9
    matrix[1, 2] = matrix[2, 1] = 9
    order = order_by_confusion(matrix).tolist()
    assert sorted(order) == [0, 1, 2, 3]
    assert abs(order.index(0) - order.index(3)) == abs(order.index(1) - order.index(2)) == 1


def test_help_pages_are_plain_text() -> None:
    folder = Path(__file__).resolve().parents[4] / "resources" / "help"
    for name in ("classify", "evaluate"):
        page = (folder / f"{name}.md").read_text("utf-8")
        assert page.startswith("# ")
        assert "<" not in page


@pytest.mark.parametrize("k", [2, 3, 7, 26])
def test_every_defined_number_opens_for_any_number_of_classes(k: int) -> None:
    random = np.random.default_rng(k)
    matrix = random.integers(0, 9, (k, k)) + 12 * np.eye(k, dtype=int)
    told = made_report(matrix.tolist(), tuple(f"class {code}" for code in range(k)))
    found = {line.name: line for line in lines(told, k - 1, None)}
    for name, line in found.items():
        for figure in (line.whole, line.of_class):
            assert figure.value is None or figure.workings, name
    assert found["MCC"].whole.working is not None and found["MCC"].whole.working.name == "MCC"


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ([[9, 3, 0], [3, 9, 0], [0, 1, 9]], wording.TWO_MISTAKES_EQUALLY_OFTEN),
        (
            [[9, 3, 0], [3, 9, 0], [0, 3, 9]],
            wording.THREE_MISTAKES_EQUALLY_OFTEN,
        ),
        ([[9, 2, 2], [2, 9, 0], [0, 2, 9]], wording.four_kinds_of_mistake(2, 8)),
        ([[9, 1, 1], [1, 9, 0], [0, 1, 9]], wording.four_kinds_of_mistake(1, 4)),
    ],
)
def test_mistakes_made_equally_often_are_all_told(table: list[list[int]], said: str) -> None:
    assert confusion_sentence(made_report(table, tuple("abc"))) == said


def test_under_all_it_is_said_what_is_averaged_and_which_class_counts_most() -> None:
    """A rare class with 2.7 false alarms in 100 stands beside 78 for all: nine in ten records are of the other."""
    report = made_report([[10, 90], [25, 875]])
    (line,) = [each for each in lines(report, 0, None) if each.name == evaluation_wording.FALSE_ALARMS]
    assert (line.whole.text, line.of_class.text) == ("81.3%", "2.8%")
    assert wording.WEIGHTED_BY_RECORDS in line.tip
    assert line.tip.endswith(wording.MOST_OF_AVERAGE)
    assert line.whole.value == pytest.approx((100 * 25 / 900 + 900 * 90 / 100) / 1000)


UNTELLING = {
    *("class", "every", "alike", "against", "rest", "interval", "mean", "relative", "root", "ratio", "area"),
    *("the", "not", "said", "two", "cost", "log"),
}
"""Words of a name that say which variant of a measure it is, not which measure."""


def words_of(text: str) -> set[str]:
    return {word for word in re.findall(r"[a-z]{3,}", text.lower()) if word not in UNTELLING}


def test_every_measure_is_explained_beyond_its_name(report: Report) -> None:
    told = lines(report, 0, COSTS)
    assert len(told) > 40
    for line in told:
        assert len(words_of(line.tip) - words_of(line.name)) >= 2, (line.name, line.tip)
    for name, tip in class_headers()[2:]:
        assert words_of(tip) - words_of(name), (name, tip)


def test_every_measure_is_explained_beyond_its_name_in_help() -> None:
    text = page("evaluate").text
    table = text[text.index("| measure | other names | what it says |") :].split("\n\n")[0].splitlines()[2:]
    assert len(table) > 25
    for row in table:
        here, _, says = (cell.strip() for cell in row.strip("|").split(" | "))
        for name in here.split(", "):
            assert words_of(says) - words_of(name), row


def test_the_headline_has_the_mean_auc_of_the_table_of_runs() -> None:
    """Classes of unequal size with unequal areas: the mean weighted by records is not that of the classes."""
    report = made_report([[50, 10, 0], [2, 8, 0], [0, 3, 1]], ("a", "b", "c"))
    *_, area = headline_metrics(report, 0)
    assert area.name == wording.AUC_WEIGHTED and area.figure.value == report.auc
    assert report.auc != pytest.approx(np.mean([of.auc for of in report.per_class]))
    assert headline_metrics(made_report([[5, 1], [2, 8]]), 0)[-1].name == "AUC"


def test_a_baseline_just_outside_the_interval_of_the_accuracy_has_as_many_decimals_as_it(report: Report) -> None:
    low, high = report.interval
    close = replace(report, baseline_accuracy=low - 1e-5)
    accuracy, usual = headline_metrics(close, 0)[0], headline_metrics(report, 0)[0]
    digits = close.n, close.decimals_beside_baseline
    assert accuracy.interval_words == interval_words(low, high, *digits) != usual.interval_words
    assert all(words.endswith(percent(low - 1e-5, *digits)) for words in accuracy.brief)
    assert usual.interval_words == interval_words(low, high, report.n)


@pytest.mark.parametrize("width", [400, 190, 175, 130])
def test_an_interval_keeps_its_name_and_its_tooltip_says_how_narrow_it_is_in_any_room(
    qapp: QApplication, report: Report, width: int
) -> None:
    cell, narrow = MetricCell(0), replace(report, narrow=evaluation_wording.FOLDS_NARROW_IT)
    cell.show_metric(headline_metrics(narrow, 0)[0])
    cell.interval.resize(width, 20)
    assert cell.interval.shown().startswith("95% CI") and "narrow" not in cell.interval.shown()
    assert narrow.narrow in cell.interval.toolTip()


def test_names_below_a_headline_are_cut_to_the_room_that_they_have(stage: Stage) -> None:
    classes = ("no sign of a relapse within five years", "a sign of a relapse within five years")
    cell, metric = stage.show(MetricCell(1), 900, 200), headline_metrics(made_report([[5, 1], [2, 8]], classes), 0)[1]
    cell.show_metric(metric)
    assert cell.sentence.text() == metric.sentence and all(name in metric.sentence for name in classes[:1])
    cell.resize(190, 200)
    assert cell.sentence.text() != metric.sentence == cell.sentence.toolTip() and "…" in cell.sentence.text()
    narrow = len(cell.sentence.text())
    cell.resize(220, 200)
    assert narrow < len(cell.sentence.text()) < len(metric.sentence)
    accuracy, *of_class = headline_metrics(made_report([[5, 1], [2, 8]], classes), 0)
    baseline = accuracy.brief
    assert all(metric.brief[0] == f"Positive: {classes[0]}" for metric in of_class)
    assert classes[0] in baseline[0] and [len(words) for words in baseline] == sorted(map(len, baseline), reverse=True)


def test_a_low_window_keeps_the_counts_of_a_headline_in_its_tooltip(qapp: QApplication) -> None:
    cell, metric = MetricCell(1), headline_metrics(made_report([[5, 1], [2, 8]]), 0)[1]
    cell.show_metric(metric)
    assert not cell.toolTip() and metric.sentence in cell.accessibleName()
    cell.set_roomy(False)
    assert metric.sentence in cell.toolTip() and metric.interval_words in cell.toolTip()


def test_the_axis_of_a_headline_has_the_unit_of_its_figure(qapp: QApplication) -> None:
    cell = MetricCell(0)
    for metric in headline_metrics(made_report([[5, 1], [2, 8]]), 0):
        cell.show_metric(metric)
        assert all(end.endswith("%") is metric.figure.text.endswith("%") for end in cell.axis.ends), metric.name


def test_the_axes_of_the_headlines_begin_in_the_middle_if_nothing_lies_below() -> None:
    """The dot covered the whole interval on an axis from 0 to 100%."""
    assert {metric.lowest for metric in headline_metrics(made_report([[900, 20], [30, 850]]), 0)} == {0.5}
    assert {metric.lowest for metric in headline_metrics(made_report([[5, 1], [2, 8]]), 0)} > {0.0}
