"""Explain: the reasons for a prediction, as bars of contributions, a path or steps."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import pairwise
from typing import Final

import numpy as np
import pytest
from PySide6.QtGui import QTextDocumentFragment
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QCheckBox,
    QDoubleSpinBox,
    QLabel,
)

from algorithms.core.learner import Learner, LogOddsTerm, NumberInContext
from algorithms.core.run_control import RunContext
from algorithms.evaluation.costs.decision_rules import AtThreshold
from algorithms.evaluation.shapley import BACKGROUND, ShapleyValues, background_records, shapley_values
from algorithms.learners.bayes.bayesian_network import BayesianNetwork
from algorithms.learners.bayes.naive_bayes import NaiveBayes
from algorithms.learners.ensembles.adaboost import AdaBoost
from algorithms.learners.ensembles.random_forest import RandomForest
from algorithms.learners.linear.discriminant_analysis import LinearDiscriminant
from algorithms.learners.linear.logistic_regression import LogisticRegression
from algorithms.learners.linear.model import average_words, number_words
from algorithms.learners.neighbors.k_nearest import KNearestNeighbors
from algorithms.learners.neural.neural_network import NeuralNetwork
from algorithms.learners.rules.ripper import Ripper
from algorithms.learners.trees.c45 import C45
from algorithms.text.numbers import MINUS, percent, points
from tests.expected_texts import tabs_visualize as wording
from tests.workbench.stage import Stage
from tests.workbench.tabs.visualize.explain_helpers import (
    decide_by_costs,
    explained_run,
    opened,
    ran,
    reasons_text,
    text,
)
from tests.workbench.window_helpers import Wait, part, press_link
from workbench.session.session import Session
from workbench.style.theme import current_theme, themes
from workbench.tabs.visualize.explain.explain_page import LEAST_BESIDE, ExplainPage
from workbench.tabs.visualize.explain.record_prediction import (
    ARROW,
    HALF,
    LOG_ODDS,
    MOST,
    MOST_HALF,
    ExpectedCosts,
    RecordPrediction,
    own_explained,
    punctuated,
    reasons_html,
    role_of_other,
    unbroken,
)
from workbench.tabs.visualize.explain.shapley_reasons import (
    MOST_PREDICTED,
    SHAPLEY,
    WaterfallRow,
    waterfall_html,
    waterfall_rows,
)
from workbench.tabs.visualize.explain.value_charts import ProbabilityBars
from workbench.viewers.original_units import table_numbers

REASON = "<tr><td valign"
"""Begin of the row of a reason."""


def test_a_long_list_of_reasons_is_opened_and_closed_by_a_link(
    session: Session, explain: ExplainPage, wait_until: Wait
) -> None:
    ran(session, NaiveBayes(), wait_until, "breast-cancer")
    pane = opened(explain, session, wait_until)
    more = part(explain, QLabel, "visualize.what-if.ways.more")
    wait_until(more.isVisible)
    reasons = pane._prediction.reasons if pane._prediction is not None else ()
    few = text(explain, "ways")
    assert len(reasons) == 31 and few.count(REASON) == MOST + 2, "the prior, the strongest, and all else"
    assert wording.more_reasons(len(reasons) - 1 - MOST) in more.text()
    press_link(more)
    assert text(explain, "ways").count(REASON) == len(reasons) and wording.SHOW_FEWER in more.text()
    press_link(more)
    assert text(explain, "ways") == few
    heads = QTextDocumentFragment.fromHtml(few).toPlainText()
    assert heads.index("Prior") < heads.index(reasons[1].what) < heads.index(reasons[2].what) < heads.index("Together")


def test_a_contribution_of_nothing_has_no_minus_and_an_average_a_decimal() -> None:
    nothing = LogOddsTerm("x", "", 0.0, 1)
    html = reasons_html((nothing,), 0, ("a", "b"), "b")  # which turns its sign
    assert html.count("0.00<") == 2 and "+0" not in html and MINUS not in html
    html = reasons_html((LogOddsTerm("x", "", -0.004, 1), LogOddsTerm("y", "", 1563.2, 1)), 0, ("a", "b"), "a")
    assert re.findall(r'width="(\d+)" bg', html) == [str(round(themes.px(HALF) * 1563.2 / 2000))], "0.00 has no bar"
    assert "+1,563.20" in html and "\u22120.00" not in html
    assert (average_words(61.3, 14), average_words(12_730.4, 5000)) == ("61.3", "12,730")


def test_the_longest_bar_is_that_of_the_strongest_reason_and_the_sum_of_the_others_goes_beyond() -> None:
    """Beside the sum of 22 others, bars of the listed ones were eight pixels long; then that sum had none."""
    reasons = [LogOddsTerm("intercept", "", -0.5, 1), *(LogOddsTerm(f"x{at}", "", 4.5, 1) for at in range(30))]
    html = reasons_html(reasons, 0, ("a", "b"), "a", most=7)
    widths = [int(width) for width in re.findall(r'width="(\d+)" bg', html)]
    assert widths.count(round(themes.px(HALF) * 4.5 / 5)) == 7 and len(widths) == 9 and max(widths) < themes.px(HALF)
    assert widths[-1] == themes.px(HALF) - themes.px(ARROW) and html.count("▶") == 1 and "◀" not in html
    plain = QTextDocumentFragment.fromHtml(html).toPlainText()
    assert {wording.MINUS_5, wording.PLUS_5} <= set(plain.split()), "the ends of the bars are named"
    assert html.count("border-right") == len(re.findall("<tr><td valign", html)) + 1 == 10, "and drawn in every row"
    few = reasons_html(reasons[:3], 0, ("a", "b"), "b")
    assert "▶" not in few and "◀" not in few


def test_bars_of_one_to_three_pixels_are_as_wide_as_they_say(stage: Stage) -> None:
    """The bars of -0.02 and +0.12 both had the width of a space, three pixels."""
    terms = [LogOddsTerm(f"x{at}", "", added, 1) for at, added in enumerate((5.0, -0.02, -0.2, 0.32))]
    shown = stage.show(QLabel(reasons_html(terms, 0, ("a", "b"), "a")), 400, 200)
    image, colors = shown.grab().toImage(), [current_theme().class_color(code).name() for code in (0, 1)]
    lines = [[image.pixelColor(x, y).name() for x in range(image.width())] for y in range(image.height())]
    widths = [max(map(line.count, colors)) for line in lines]
    assert [width for width, before in pairwise((*widths, 0)) if width and width != before] == [48, 1, 2, 3]


def test_figures_that_do_not_add_up_say_that_the_sum_was_taken_before_rounding() -> None:
    """Three times 0.33 stood above "Together +1.00"."""

    def figures(*added: float) -> str:
        terms = tuple(LogOddsTerm(f"x{i}", "", value, 1) for i, value in enumerate(added))
        return QTextDocumentFragment.fromHtml(reasons_html(terms, 0, ("a", "b"), "a")).toPlainText()

    assert wording.SUM_BEFORE_ROUNDING in figures(1 / 3, 1 / 3, 1 / 3) and "+1.00" in figures(1 / 3, 1 / 3, 1 / 3)
    assert wording.SUM_BEFORE_ROUNDING not in figures(0.25, -0.5, 1.0)
    assert wording.SUM_BEFORE_ROUNDING not in figures(0.25, float("inf"))


def test_steps_end_as_sentences_do() -> None:
    """Some had no full stop, and "Because ..." stood alone."""
    assert punctuated(["Because a", "Rule 1", "b."]) == ["Because a,", "rule 1.", "b."]
    assert punctuated(["Because a"]) == ["Because a."] and punctuated([]) == []


def test_a_formula_is_not_broken_over_lines_and_conditions_only_at_and() -> None:
    """It was broken before its denominator."""
    whole, space = "(50 + 1) / (50 + 3) = 96.2%", "\N{NO-BREAK SPACE}"
    assert unbroken(f"The share: {whole}") == f"The share: {whole.replace(' ', space)}"
    conditions = "Petal Width ≤ 1.6 and Petal Length ≤ 4.9"
    kept = " and ".join(part.replace(" ", space) for part in conditions.split(" and "))
    assert unbroken(f"Because {conditions}") == f"Because {kept}"
    long = f"Because {'a name of many words ' * 4}= b"
    assert unbroken(long) == long and unbroken(wording.MANY_CONDITIONS) == wording.MANY_CONDITIONS


def test_a_number_stands_in_a_reason_as_in_its_field() -> None:
    """ "3141" stood beside "3140.54"."""
    assert number_words(NumberInContext("amount", 3140.54, 2094.3, 1500.0)) == wording.AMOUNT_IN_FULL


def test_the_shares_along_a_path_have_one_format(session: Session, explain: ExplainPage, wait_until: Wait) -> None:
    """Of fewer than 100 records they stood as "53%", below "89.8%" for the prediction."""
    ran(session, C45(), wait_until)
    opened(explain, session, wait_until)
    wait_until(lambda: wording.PATH_HEAD in text(explain, "ways"))
    shares = re.findall(r"(?<![\d.\"])[\d.]+%", text(explain, "ways"))
    assert shares and all("." in share for share in shares), shares


def test_contributions_say_that_a_missing_value_counts_as_average(
    session: Session, explain: ExplainPage, wait_until: Wait
) -> None:
    ran(session, LogisticRegression(), wait_until)
    pane = opened(explain, session, wait_until)
    name = pane.form.findChildren(QDoubleSpinBox)[0].accessibleName()
    part(explain, QCheckBox, f"visualize.what-if.{name}.missing").click()
    wait_until(lambda: wording.missing_so_average(name) in text(explain, "ways"))


def test_a_model_of_sums_lists_its_reasons_the_strongest_first_with_bars_that_add_up(
    session: Session, explain: ExplainPage, wait_until: Wait
) -> None:
    run = explained_run(session, explain, LinearDiscriminant(), wait_until)
    reasons = run.trained.explain(run.data, 0).reasons
    strengths = [abs(each.added) for each in reasons[1:]]
    assert len(reasons) == 5 and strengths == sorted(strengths, reverse=True)
    scores = run.trained.model.scores(run.data.take([0]))[0]  # type: ignore[attr-defined]
    first, second = np.sort(scores)[::-1][:2]
    assert sum(each.added for each in reasons) == pytest.approx(first - second)
    html = text(explain, "ways")
    assert html.count("<tr><td valign") == 5 and html.count("bgcolor") == 5
    said = QTextDocumentFragment.fromHtml(html).toPlainText()
    assert wording.VOTES_FOR_SETOSA in said and "(average 5.84)" in said  # deviation 0.83
    assert wording.IN_LOG_ODDS in said, "what the numbers at the bars count"
    assert said.index(reasons[1].what) < said.index(reasons[2].what) < said.index("Together")
    tip = explain.findChild(QLabel, "visualize.what-if.ways")
    assert tip is not None and "log odds" in tip.toolTip()
    total = said.partition("Together")[2].strip()
    other = run.trained.classes[reasons[0].against]
    session.set_class_of_interest(session.classes.index(other))
    turned = reasons_text(explain)
    assert wording.votes_for_other_against_setosa(other) in turned
    assert total.startswith("+") and turned.partition("Together")[2].strip() == total.replace("+", "−")


def test_where_costs_decide_the_reasons_weigh_the_predicted_class_against_the_actual_one(
    session: Session, explain: ExplainPage, wait_until: Wait
) -> None:
    run = explained_run(session, explain, LinearDiscriminant(), wait_until)
    shares = run.trained.judged(run.data, RunContext()).probabilities
    row = int(np.sort(shares, axis=1)[:, 1].argmax())  # the nearest to two classes
    actual = int(run.data.class_codes[row])
    predicted = int(np.argsort(shares[row])[::-1][:2].sum() - actual)
    costs = np.zeros((3, 3))
    costs[predicted] = 1e6
    costs[predicted, predicted] = 0.0
    costs[:, 0] = np.where(np.arange(3) == 0, 0.0, 1e6)  # setosa is never predicted
    decide_by_costs(session, costs)
    explain.what_if.show_record(row)
    label, other = run.trained.classes[predicted], run.trained.classes[actual]
    wait_until(lambda: wording.record_shown(row + 1) in text(explain, "said") + explain.what_if.words)
    wait_until(lambda: f": {label} (" in text(explain, "said"))
    session.set_class_of_interest(predicted)
    said = reasons_text(explain)
    assert said.startswith(wording.votes_for_against(label, other))
    scores = run.trained.model.scores(run.data.take([row]))[0]  # type: ignore[attr-defined]
    total = float(said.partition("Together")[2].split()[-1].replace("\u2212", "-"))
    assert total == pytest.approx(scores[predicted] - scores[actual], abs=0.006)


def test_where_costs_decide_the_reasons_weigh_the_predicted_class_against_the_next_lowest_expected_cost(
    session: Session, explain: ExplainPage, wait_until: Wait
) -> None:
    """They weighed it against the most probable other class, which the rule ranked last."""
    run = explained_run(session, explain, LinearDiscriminant(), wait_until)
    probabilities = run.trained.judged(run.data, RunContext()).probabilities
    row = int(np.flatnonzero((run.data.class_codes == 1) & (probabilities[:, 1] < 0.99))[0])
    assert probabilities[row].argsort().tolist() == [0, 2, 1], "virginica is more probable than setosa"
    costs = np.array([(0.0, 1.0, 9.0), (1.0, 0.0, 9.0), (1.0, 1.0, 0.0)])
    decide_by_costs(session, costs)
    explain.what_if.show_record(row)
    wait_until(lambda: wording.BY_LEAST_COST in text(explain, "model"))
    bars = part(explain, ProbabilityBars, "visualize.what-if.shares")
    expected = probabilities[row] @ costs
    assert expected.argsort().tolist() == [1, 0, 2]
    assert list(map(float, bars.costs.values())) == pytest.approx(expected.tolist(), abs=0.0006)
    assert bars.costs[1] in bars.accessibleDescription()
    session.set_class_of_interest(1)
    said = reasons_text(explain)
    assert said.startswith(wording.votes_for_against("versicolor", "setosa"))
    assert wording.NEXT_LOWEST_COST in said
    session.decisions.choose(run, None)
    wait_until(lambda: not bars.costs)
    said = reasons_text(explain)
    assert said.startswith(wording.votes_for_against("versicolor", "virginica"))


@pytest.mark.parametrize(
    "learner", [NaiveBayes(), Ripper(), BayesianNetwork(), KNearestNeighbors()], ids=lambda learner: learner.id
)
def test_where_a_rule_decides_the_steps_argue_for_its_prediction_or_name_the_one_by_default(
    session: Session, explain: ExplainPage, wait_until: Wait, learner: Learner
) -> None:
    """They argued for the prediction by default below a headline with another class."""
    ran(session, learner, wait_until)
    pane, run = opened(explain, session, wait_until), session.current_run
    assert run is not None
    session.set_class_of_interest(2)
    session.decisions.choose(run, AtThreshold("virginica", 0.0))
    pane.show_record(60)
    wait_until(lambda: text(explain, "said").startswith(wording.would_say("virginica")))
    if isinstance(learner, NaiveBayes):
        wait_until(lambda: bool(pane._prediction and pane._prediction.reasons))
        words = reasons_text(explain)
        assert words.startswith(wording.votes_for_against("virginica", "versicolor"))
        assert wording.EXPLAINS_VERSICOLOR not in text(explain, "ways")
    else:
        wait_until(lambda: text(explain, "ways").startswith(wording.EXPLAINS_VERSICOLOR))
        assert pane._ways_title.text() == wording.WHY_VERSICOLOR_BY_DEFAULT


def test_a_threshold_is_named_on_the_scale_of_the_contributions(
    session: Session, explain: ExplainPage, wait_until: Wait
) -> None:
    """Contributions of together -1.06 stood below a prediction of the class to which they were opposed."""
    ran(session, NaiveBayes(), wait_until, "breast-cancer")
    pane, run = opened(explain, session, wait_until), session.current_run
    assert run is not None and run.trained is not None and "At threshold" not in text(explain, "ways")
    session.set_class_of_interest(session.classes.index("benign"))
    session.decisions.choose(run, AtThreshold("benign", 0.2))
    words, benign = wording.where_together("20%", "benign", "-1.39"), run.trained.classes.index("benign")
    shares, decided = run.trained.predict_proba(run.data)[:, benign], set[str]()
    for row in (int(np.argmin(abs(shares - 0.1))), int(np.argmin(abs(shares - 0.3)))):
        pane.show_record(row)
        wait_until(lambda: words in text(explain, "ways").replace(MINUS, "-"))
        wait_until(lambda row=row: pane._prediction.probabilities[benign] == pytest.approx(shares[row]))
        figures = QTextDocumentFragment.fromHtml(text(explain, "ways")).toPlainText().split("Together")[1]
        together = float(re.search(r"[+-]\d+\.\d+", figures.replace(MINUS, "-")).group())
        name = "benign" if together >= -1.39 else "malignant"
        assert text(explain, "said").startswith(wording.would_say(name))
        assert (name == "benign") is bool(shares[row] >= 0.2)
        decided.add(name)
    assert len(decided) == 2


def test_where_a_rule_decides_the_path_counts_the_records_of_the_class_that_it_predicts(
    session: Session, explain: ExplainPage, wait_until: Wait
) -> None:
    """It counted those of the class that the tree predicts by default."""
    ran(session, C45(), wait_until)
    opened(explain, session, wait_until)
    run = session.current_run
    assert run is not None
    session.set_class_of_interest(2)
    session.decisions.choose(run, AtThreshold("virginica", 0.0))
    wait_until(lambda: text(explain, "said").startswith(wording.would_say("virginica")))
    heads = reasons_text(explain)
    assert "virginica" in heads and "setosa" not in heads


@pytest.mark.parametrize(("by", "average"), [("range", " (average 5.84)"), ("rank", "")])
def test_after_scaling_reasons_have_the_numbers_that_stand_in_the_fields(
    session: Session, explain: ExplainPage, wait_until: Wait, by: str, average: str
) -> None:
    run = explained_run(session, explain, LinearDiscriminant(), wait_until, by=by)
    name = run.data.schema.names[0]
    field = explain.findChild(QDoubleSpinBox, f"visualize.what-if.{name}")
    assert field is not None

    def told() -> str:
        return reasons_text(explain)

    assert f"{name} = {field.value():g}{average}" in told()
    field.setValue(50.0)  # beyond all that were learned from, where a scale may end
    wait_until(lambda: f"{name} = 50{average}" in told())
    explained = run.trained.explain(run.data, 0)
    model_sees = explained.reasons[1].number
    assert model_sees is not None and 0 <= model_sees.value <= 1
    numbers = table_numbers(run.trained, run.data)
    assert own_explained(run.trained, explained, run.data.take([0]), numbers).steps[1] != explained.steps[1]


def test_an_impossible_class_of_lower_expected_cost_is_passed_over_without_a_word() -> None:
    prediction = RecordPrediction(
        0, (0.8, 0.2, 0.0), (), (), (LogOddsTerm("x", "", 1.0, 1),), 0, expected=ExpectedCosts((1.0, 3.0, 2.0))
    )
    assert role_of_other(prediction, ("a", "b", "c"), None) == ""
    dearer = replace(prediction, expected=ExpectedCosts((1.0, 3.0, 4.0)))
    assert role_of_other(dearer, ("a", "b", "c"), None) == wording.B_IS_NEXT_LOWEST


@pytest.mark.parametrize(
    "learner",
    [BayesianNetwork(), NeuralNetwork(hidden=(4,), epochs=20), RandomForest(members=5), AdaBoost(members=4)],
    ids=lambda learner: learner.id,
)
def test_a_model_that_names_no_contributions_shows_shapley_values_of_the_probability(
    session: Session, explain: ExplainPage, wait_until: Wait, learner: Learner
) -> None:
    ran(session, learner, wait_until)
    pane, run = opened(explain, session, wait_until), session.current_run
    bars = part(explain, QLabel, "visualize.what-if.shapley")
    wait_until(lambda: bars.isVisible() and bars.isEnabled())
    assert run is not None and run.trained is not None and pane._prediction is not None
    background = background_records(run.data.labelled(), BACKGROUND, np.random.default_rng(1))
    found = shapley_values(run.trained, run.data.take([0]), background, RunContext(), most=MOST_PREDICTED).probability
    assert found is not None and bars.toolTip().startswith(found.sentence)
    values = found.of(pane._prediction.decision)
    strongest = int(np.abs(values.values).argmax())
    words, value = plain(bars.text()), points(float(values.values[strongest])).removesuffix(" points")
    assert f"{run.data.schema.names[run.data.schema.predictors[strongest]]} = " in words and value in words.split()
    assert percent(values.base) in words and percent(values.prediction) in words
    assert bars.text().count("bgcolor") == np.count_nonzero(np.abs(values.values) >= 0.0005) + 2
    assert not part(explain, QLabel, "visualize.what-if.shapley.switch").isVisible(), "it has no other reasons"
    first = bars.text()
    pane.show_record(77)
    wait_until(lambda: bars.isEnabled() and bars.text() != first)


def plain(html: str) -> str:
    return QTextDocumentFragment.fromHtml(html).toPlainText()


def test_values_of_the_record_before_are_dimmed_and_those_asked_for_before_never_come(
    session: Session, explain: ExplainPage, wait_until: Wait
) -> None:
    ran(session, RandomForest(members=5), wait_until)
    pane = opened(explain, session, wait_until)
    bars = part(explain, QLabel, "visualize.what-if.shapley")
    wait_until(lambda: bars.isVisible() and bars.isEnabled())
    assert pane._prediction is not None
    pane._answered(pane._prediction)
    assert bars.isVisible() and not bars.isEnabled(), "they are of another record until its own are computed"
    wait_until(bars.isEnabled)
    pane._answered(pane._prediction)
    pane._drop()
    wait_until(lambda: not session.jobs.running)
    assert not bars.isEnabled()
    run = session.current_run
    pane.show_run(None)
    assert not bars.text()
    pane.show_run(run)
    pane.show_record(3)
    wait_until(lambda: bars.isVisible() and bars.isEnabled() and bool(bars.text()))


@pytest.mark.parametrize("learner", [NaiveBayes(), C45()], ids=lambda learner: learner.id)
def test_a_model_with_contributions_of_its_own_or_a_path_has_shapley_values_on_demand(
    session: Session, explain: ExplainPage, wait_until: Wait, learner: Learner
) -> None:
    ran(session, learner, wait_until)
    pane = opened(explain, session, wait_until)
    wait_until(lambda: pane.effect.shown is not None and not session.jobs.running)
    bars, switch = (part(explain, QLabel, f"visualize.what-if.{name}") for name in ("shapley", "shapley.switch"))
    way, title = part(explain, QLabel, "visualize.what-if.ways"), pane._ways_title.text()
    assert way.isVisible() and not bars.isVisible()
    press_link(switch)
    assert pane._ways_title.text() == SHAPLEY and not way.isVisible()
    wait_until(lambda: bars.isVisible() and bars.isEnabled())
    scale, shown = part(explain, QLabel, "visualize.what-if.shapley.scale"), bars.text()
    if isinstance(learner, NaiveBayes):
        press_link(scale)
        assert bars.text() != shown and wording.IS_ADDITIVE in bars.toolTip()
        press_link(scale)
    assert bars.text() == shown and ("<a " in scale.text()) == isinstance(learner, NaiveBayes)
    press_link(switch)
    assert pane._ways_title.text() == title and way.isVisible() and not bars.isVisible()


def test_bars_lead_from_the_base_value_to_the_prediction_the_largest_first_the_others_last() -> None:
    values = ShapleyValues(np.array([0.1, -0.25, 0.3, 0.002, -0.001]), np.zeros(5), 0.5, 0.651)
    rows = waterfall_rows(values, ["a", "b", "c", "d", "e"], 2, is_share=True)
    assert [row.words for row in rows] == [wording.BASE_VALUE, "c", "b", wording.THREE_OTHERS, wording.PREDICTION]
    assert [row.end for row in rows] == pytest.approx([0.5, 0.8, 0.55, 0.651, 0.651])
    assert all(after.start == before.end for before, after in pairwise(rows[:-1]))
    assert [row.figure for row in rows[1:4]] == ["+30.0", f"{MINUS}25.0", "+10.1"]
    assert len(waterfall_rows(values, ["a", "b", "c", "d", "e"], 4, is_share=True)) == 7, "one is not summed up alone"
    drawn = values._replace(errors=np.full(5, 0.004))
    assert waterfall_rows(drawn, ["a", "b", "c", "d", "e"], 2, is_share=True)[1].figure == "+30.0 ± 0.4"
    log = waterfall_rows(values, ["a", "b", "c", "d", "e"], 9, is_share=False)
    assert [row.figure for row in log][:3] == ["+0.50", "+0.30", f"{MINUS}0.25"]


def test_bars_fill_the_room_between_words_and_figures_up_to_a_width_that_the_eye_can_follow() -> None:
    """In a panel of 1,270 pixels they spanned 95 in its middle, far from their names and figures."""
    rows, widths, tables = [WaterfallRow("x = 1.5", "+25.0", 0.5, 0.75)], [], []
    for room in (0, 200, 300, 1270):
        html = waterfall_html(rows, ("red", "blue"), room, is_share=True)
        half = int(re.findall(r'<td width="(\d+)"', html)[0])
        (bar,), (gap,) = re.findall(r'width="(\d+)" bg', html), re.findall(r'width="(\d+)" style="font', html)
        assert int(bar) == pytest.approx(half / 4, abs=1) and int(gap) == pytest.approx(half / 2, abs=1)
        widths.append(half)
        tables.append(re.findall(r'cellpadding="1" width="?([\d%]+)', html)[0])
    assert widths[0] == 2 * themes.px(HALF) and widths[1] < widths[2] < widths[3] == 2 * themes.px(MOST_HALF)
    assert tables[:2] == ["100%", "100%"] and int(tables[3]) < 600
    assert 'bgcolor="red"' in html and 'bgcolor="blue"' not in html


@pytest.mark.parametrize("learner", [BayesianNetwork(), NeuralNetwork(hidden=(4,), epochs=20)], ids=lambda one: one.id)
def test_points_are_shown_first_and_log_odds_on_demand_with_how_the_two_relate(
    session: Session, explain: ExplainPage, wait_until: Wait, learner: Learner
) -> None:
    """+1.7 points and +4.63 log odds of the same value stood side by side and seemed to contradict each other."""
    ran(session, learner, wait_until)
    pane = opened(explain, session, wait_until)
    more = part(explain, QLabel, "visualize.what-if.ways.more")
    wait_until(more.isVisible)
    assert LOG_ODDS not in text(explain, "ways") and pane._prediction is not None
    n_in_log_odds = sum(LOG_ODDS in step for step in pane._prediction.steps)
    assert n_in_log_odds and wording.other_reasons(n_in_log_odds) in more.text()
    press_link(more)
    assert wording.BARS_ARE_POINTS in text(explain, "ways")
    assert text(explain, "ways").count(LOG_ODDS) > n_in_log_odds


LEARNERS: Final = (
    NaiveBayes(),
    LogisticRegression(),
    BayesianNetwork(),
    Ripper(),
    RandomForest(),
    NeuralNetwork(hidden=(4,), epochs=20),
)


@pytest.mark.parametrize("learner", LEARNERS, ids=lambda learner: learner.id)
@pytest.mark.parametrize("size", [(1248, 530), (1408, 710)])
def test_the_column_of_the_prediction_is_as_wide_as_its_view_in_large_text(
    session: Session, stage: Stage, wait_until: Wait, learner: Learner, size: tuple[int, int]
) -> None:
    """Bars of the reasons took 40 pixels too much: probabilities and contributions were cut at the right edge."""
    themes.set_scale(1.5)
    explain = stage.show(ExplainPage(session), *size)
    explain.what_if.take_heading().hide()  # the tab shows it in its bar
    ran(session, learner, wait_until)
    pane = opened(explain, session, wait_until)
    wait_until(lambda: pane.effect.shown is not None and not session.jobs.running)
    QTest.qWait(50)
    assert pane._beside.widget().width() == pane._beside.viewport().width()
    themes.set_scale(1.0)


def test_the_effect_of_an_attribute_stands_whole_below_few_values(
    session: Session, stage: Stage, wait_until: Wait
) -> None:
    """The fold cut off its axis, with free room below the values."""
    themes.set_scale(1.5)
    explain = stage.show(ExplainPage(session), 1408, 710)
    explain.what_if.take_heading().hide()
    ran(session, NaiveBayes(), wait_until)
    pane = opened(explain, session, wait_until)
    wait_until(lambda: pane.effect.shown is not None and not session.jobs.running)
    QTest.qWait(50)
    assert pane._left.isAncestorOf(pane.effect) and not pane._beside.isAncestorOf(pane.effect)
    assert pane.effect.visibleRegion().boundingRect().height() == pane.effect.height() >= 1.5 * LEAST_BESIDE
    assert pane._left.widget().width() == pane._left.viewport().width()
    explain.resize(1248, 530)
    wait_until(lambda: pane._beside.isAncestorOf(pane.effect))
    themes.set_scale(1.0)


@pytest.mark.parametrize(
    ("learner", "sample", "least"),
    [(C45(), "iris", 1.5 * LEAST_BESIDE), (C45(), "breast-cancer", 90), (LogisticRegression(), "breast-cancer", 0)],
    ids=["whole below few values", "most of it", "its heading"],
)
def test_the_effect_of_an_attribute_begins_in_view_in_a_low_window_with_large_text(
    session: Session, stage: Stage, wait_until: Wait, learner: Learner, sample: str, least: float
) -> None:
    """At 1280 x 720 and a text size of 1.5 a long list of reasons, or a chart of full height, hid it."""
    themes.set_scale(1.5)
    explain = stage.show(ExplainPage(session), 1248, 530)
    explain.what_if.take_heading().hide()
    ran(session, learner, wait_until, sample)
    pane = opened(explain, session, wait_until)
    wait_until(lambda: pane.effect.shown is not None and not session.jobs.running)
    QTest.qWait(50)
    assert pane._attribute.visibleRegion().boundingRect().height() == pane._attribute.height()
    assert pane.effect.visibleRegion().boundingRect().height() >= least
    assert pane._left.widget().width() == pane._left.viewport().width()
    themes.set_scale(1.0)
