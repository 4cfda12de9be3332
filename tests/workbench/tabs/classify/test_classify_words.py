"""What Classify says, without a window: lists, searches, folds so far, the order of the ledger."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QFontMetrics, QFontMetricsF
from PySide6.QtWidgets import QApplication

from algorithms.core.registry import Registry
from algorithms.core.run_control import RunContext
from algorithms.data.summary import summarize
from algorithms.evaluation.measures.metrics import report
from algorithms.evaluation.methods.methods import CrossValidation
from algorithms.evaluation.runner import FoldDone, evaluate
from algorithms.learners.trees.stump import DecisionStump
from algorithms.text.numbers import amount, coefficient, decimals_of, percent, percent_range, price_alike, seconds
from algorithms.text.sentences import NO_BREAK, counted, without_breaks
from tests.expected_texts import cli as cli_wording
from tests.expected_texts import tabs_classify as wording
from tests.workbench.stage import Stage
from tests.workbench.toy import Everything, Picky, Plain, ToyModel
from tests.workbench.window_helpers import small_data
from workbench.session.decision_rules import code_among
from workbench.style.theme import themes
from workbench.tabs.classify import progress
from workbench.tabs.classify.learner_list import entries, in_few_lines, matches, reason
from workbench.tabs.classify.progress import FoldDots, bars, mean_interval, so_far, ticks_around
from workbench.widgets.painting import draw_text


@pytest.fixture
def registry() -> Registry:
    registry = Registry()
    registry.add_learner(Plain, ToyModel)
    registry.add_learner(Picky)
    registry.add_learner(Everything)
    return registry


def fold(index: int, n_right: int, n_tested: int = 10, failed: str | None = None, repeat: int = 0) -> FoldDone:
    return FoldDone(index, 10, repeat, index, n_tested, n_right, failed)


def test_learners_stand_under_their_family(registry: Registry) -> None:
    assert [e.text for e in entries(registry)] == ["Toys", Plain.name, Picky.name, Everything.name]


def test_search_finds_names_ids_and_sentences_word_by_word(registry: Registry) -> None:
    assert [e.learner for e in entries(registry, "plain")][1:] == [Plain]
    assert matches(Picky, "toy-picky")
    assert matches(Plain, "frequent says")
    assert not matches(Plain, "frequent never")
    assert entries(registry, "zzz") == []


def test_reason_says_what_is_wrong_and_what_helps(registry: Registry) -> None:
    problems = Picky().check(summarize(small_data()))
    assert reason(problems) == wording.NOMINAL_ONLY
    assert reason([]) == ""


@pytest.mark.parametrize("unit", [1.0, 1e200, 1e-200])
def test_the_interval_of_weighted_folds_goes_by_kishs_number_and_the_share_by_weight(unit: float) -> None:
    """980 records of weight 1 and 20 of weight 500 are worth 23.6 of equal weight, as the report will say."""
    weights = np.where(np.arange(1000) % 50 == 0, 500.0, 1.0) * unit
    data, folds = small_data(1000).with_weights(weights), []
    context = RunContext(seed=1, listener=lambda event: folds.append(event) if isinstance(event, FoldDone) else None)
    told = report(evaluate(DecisionStump(), data, CrossValidation(), context))
    assert len(folds) == 10 and told.n_effective < 25
    low, high = told.interval
    assert so_far(folds) == wording.right_so_far(percent(told.accuracy), percent_range(low, high))
    assert bars(folds, 10, 1)[0].share == pytest.approx(told.accuracy)


def test_folds_so_far_are_said_with_their_interval() -> None:
    assert so_far([]) == ""
    assert so_far([fold(0, 9), fold(1, 10), fold(2, 0, 0, failed="no")]) == wording.right_so_far("95.0%", "76.4–99.1")


def test_repeats_do_not_narrow_the_interval_beyond_the_records_there_are() -> None:
    once = [fold(i, 9) for i in range(10)]
    twice = once + [replace(f, repeat=1) for f in once]
    assert so_far(once) == so_far(twice)


def test_every_fold_has_a_bar_while_there_is_room() -> None:
    shown = bars([fold(1, 8), fold(3, 0, 0, failed="broke")], 10, most=50)
    assert len(shown) == 10
    assert shown[1].share == 0.8
    assert shown[0].share is None
    assert shown[3].failed == 1
    assert shown[1].sentence() == wording.FOLD_2_RIGHT
    assert shown[3].sentence() == wording.FOLD_4_FAILED


def test_thousands_of_folds_share_bars() -> None:
    done = [FoldDone(i, 10_000, 0, i, 1, i % 2) for i in range(5_000)]
    shown = bars(done, 10_000, most=60)
    assert len(shown) <= 60
    assert sum(bar.tested for bar in shown) == 5_000
    assert shown[0].share == pytest.approx(0.5, abs=0.01)
    assert shown[-1].share is None


@pytest.mark.parametrize(
    ("shares", "ticks"),
    [
        ((0.825, 0.828, 0.8241, 0.8289), (0.824, 0.826, 0.828, 0.83)),
        ((0.94, 0.97, 0.92), (0.92, 0.94, 0.96, 0.98)),
        ((0.5, 1.0, 0.7), (0.4, 0.6, 0.8, 1.0)),
        ((1.0, 1.0), (0.999, 1.0)),
        ((0.0,), (0.0, 0.001)),
        ((), (0.0, 0.5, 1.0)),
    ],
)
def test_the_axis_of_folds_encloses_their_accuracies_and_the_interval_in_round_shares(shares, ticks) -> None:
    assert ticks_around(shares)[0] == pytest.approx(ticks)


def test_figures_are_written_alike_everywhere(qapp: QApplication) -> None:
    assert [percent(x) for x in (0.946, 1.0, 0.0, 0.9999, None)] == ["94.6%", "100.0%", "0.0%", ">99.9%", "–"]
    assert [coefficient(x) for x in (0.955, -0.0214, 1.0, 0.0, None)] == ["0.955", "−0.021", "1.000", "0.000", "–"]
    assert [coefficient(x) for x in (0.9994, 0.9996, 1 - 1e-15)] == ["0.999", ">0.999", "1.000"]
    assert [amount(x) for x in (12.0, 12000.0, 0.5, 0.4181, None)] == ["12", "12,000", "0.5", "0.418", "–"]
    assert [seconds(x) for x in (0.0001, 0.006, 1.44, 125.0, 7260.0)] == [
        "0 ms",
        "6 ms",
        "1.4 s",
        wording.MINUTES_AND_SECONDS,
        cli_wording.two_hours(1),
    ]
    assert [counted(n, "record") for n in (1, 699, 12_000)] == ["1 record", "699 records", "12,000 records"]


def test_class_of_interest_is_found_by_its_label_else_the_rarest_tested() -> None:
    assert code_among(("a", "b", "c"), "b", [5, 5, 5]) == 1
    assert code_among(("a", "b", "c"), "gone", [5, 2, 9]) == 1
    assert code_among(("a", "b", "c"), "gone", [5, 0, 9]) == 0
    assert code_among(("a", "b"), "gone", np.zeros(2).tolist()) == 1
    assert code_among(("no", "yes"), "gone", [5, 9]) == 1, "what says yes is looked for, however many they are"


def test_a_long_reason_is_cut_after_whole_words_in_three_lines(qapp: QApplication) -> None:
    metrics = QFontMetrics(themes.font(11))
    long = "the measured quantity of the third quarter is a number, and this learner asks only about lists of values."
    brief = in_few_lines(metrics, 110, long)
    assert brief.endswith("…") and long.startswith(brief.rstrip("…"))
    assert long[len(brief) - 1] in " .,"
    lines = (
        metrics.boundingRect(QRect(0, 0, 110, 1000), Qt.TextFlag.TextWordWrap, brief).height() / metrics.lineSpacing()
    )
    assert 2 < lines <= 3
    assert in_few_lines(metrics, 110, "Too short.") == "Too short."


def test_costs_of_one_column_have_one_number_of_decimals_as_far_as_it_has_room() -> None:
    def column(*costs: float | None) -> list[str]:
        return [price_alike(cost, decimals_of(costs)) for cost in costs]

    assert column(1.848, 0.68, 0.006) == ["1.848", "0.680", "0.006"]
    assert column(0.5, 2.0, None) == ["0.5", "2.0", "–"]
    assert column(5.0, 0.0) == ["5", "0"]
    assert column(22.581, 16.8752) == ["22.58", "16.88"]
    assert column(120.25, 0.04, 1.0) == ["120.2", "< 0.1", "1.0"]
    assert column(2717.4, -0.2, 0.7) == ["2,717", "0", "1"]


def test_the_mean_of_the_folds_lies_in_its_interval() -> None:
    assert mean_interval([]) is None
    folds = [fold(0, 9), fold(1, 6)]
    found = mean_interval(folds)
    assert found is not None
    mean, (low, high) = found
    assert mean == pytest.approx(15 / 20) and low < mean < high


@pytest.mark.parametrize(
    "words",
    [
        "higher (p < 0.001), so",
        "higher (p &lt; 0.001), so",
        "p = 0.013 alone",
        "at 95% CI 92.0–95.8 over",
        "about 2.6 s and",
        "by 1.2 points or",
        "from −3.1 points to",
    ],
)
def test_no_line_ends_between_a_number_and_its_sign_or_unit(words: str) -> None:
    """ "(p <" stood at the end of a line, "0.001)" at the beginning of the next."""
    first, *_, last = words.split(" ")
    kept = without_breaks(words)
    assert kept.replace(NO_BREAK, " ") == words
    assert kept.count(" ") == 2 if not kept.startswith("p") else kept.count(" ") == 1
    assert kept.endswith(f" {last}") and first in kept


def test_the_title_of_the_accuracies_stays_apart_from_their_numbers(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    """ "Accuracy" touched "87.0%" at a text scale of 1."""
    dots, rights, titles = stage.show(FoldDots(), 400, 150), list[float](), list[float]()

    def noted(painter, place, text, *look, **more):
        wide = QFontMetricsF(painter.font()).horizontalAdvance(text)
        if text.endswith("%") and place.left() == 0:
            rights.append(place.right() - wide)
        if text == "Accuracy":
            titles.append(painter.transform().mapRect(place).right())
        return draw_text(painter, place, text, *look, **more)

    monkeypatch.setattr(progress, "draw_text", noted)
    dots.set_folds([fold(index, 865 + index, 1000) for index in range(10)], 10)
    dots.grab()
    assert len(rights) >= 2 and min(rights) - titles[0] >= 3
