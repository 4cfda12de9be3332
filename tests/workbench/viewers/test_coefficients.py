"""The coefficients of linear models, driven by mouse and keys."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QAction, QFontMetricsF, QGuiApplication, QImage, QPainter
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QComboBox, QLabel, QLineEdit, QPushButton, QWidget

from algorithms.core.learner import Learner
from algorithms.core.run_control import RunContext
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Schema, nominal, numeric
from algorithms.learners.linear.discriminant_analysis import LinearDiscriminant
from algorithms.learners.linear.logistic_regression import SURE, LogisticRegression, effects
from algorithms.structures.hyperplanes import Hyperplanes
from tests.algorithms.battery_data import mixed
from tests.algorithms.learners.rules.hand_made import sample
from tests.expected_texts import learners as learners_wording
from tests.expected_texts import viewers as wording
from tests.workbench.window_helpers import choose_entry
from workbench.layout.row_layouts import effect_reach, log_ticks, ratio_ticks
from workbench.style.theme import themes
from workbench.viewers import linear
from workbench.viewers.linear import HEAD, LEAST_NAMES, NAMES, ROW, SHARE_OF_NAMES, CoefficientsView


def learned(data: Dataset, learner: Learner | None = None) -> Hyperplanes:
    found = (learner or LogisticRegression()).fit(data, RunContext()).structure()
    assert isinstance(found, Hyperplanes)
    return found


@pytest.fixture
def view(qapp: QApplication) -> Iterator[CoefficientsView]:
    """Those of data with numbers and lists of values, for class c rather than a."""
    made = CoefficientsView()
    made.controls.setParent(made)
    made.resize(1000, 600)
    made.set_structure(learned(mixed(200)))
    made.show()
    yield made
    made.hide()
    made.deleteLater()


def test_a_ratio_beyond_the_scale_is_written_without_powers_of_ten(view: CoefficientsView) -> None:
    effect = view.canvas.effects[0]
    tiny, huge = (replace(effect, log_odds=odds, low=np.nan, high=np.nan) for odds in (-15.0, 15.0))
    assert (view.canvas.figures(tiny), view.canvas.figures(huge)) == ("<0.001", ">10,000")
    assert view.canvas.figures(replace(tiny, log_odds=math.log(769.2))) == "769"


def test_an_interval_is_read_against_the_value_of_no_effect(view: CoefficientsView) -> None:
    assert wording.NO_PROOF_OF_AN_EFFECT in words(view) and wording.HOLLOW_CIRCLE.format("1") in words(view)
    effect = replace(view.canvas.effects[0], log_odds=math.log(85.6), low=math.log(9.52), high=math.log(769.0))
    assert view.canvas.figures_heading == wording.ODDS_RATIO_HEADING
    assert view.canvas.figures(effect) == "85.6  (9.52–769)"
    choose(view, "scale", "as coefficients")
    assert wording.NO_PROOF_OF_A_COEFFICIENT in words(view) and wording.HOLLOW_CIRCLE.format("zero") in words(view)
    assert view.canvas.figures_heading == wording.COEFFICIENT_HEADING
    assert view.canvas.figures(replace(effect, low=-0.5)) == "+4.45  (−0.50 to +6.65)"


def test_the_title_of_the_axis_keeps_clear_of_the_name_of_a_class(
    view: CoefficientsView, monkeypatch: pytest.MonkeyPatch
) -> None:
    canvas, written = view.canvas, dict[str, float]()

    def note(_painter: QPainter, place: object, text: str, *_: object, **__: object) -> None:
        if isinstance(place, QPointF):
            written[text] = place.x()

    monkeypatch.setattr(linear, "draw_text", note)
    for width in (300, 360, 420, 520, 700):
        view.resize(width, 600)
        QApplication.processEvents()
        written.clear()
        canvas.grab()
        metrics = QFontMetricsF(canvas.font())
        titles = [text for text in written if "dds" in text]
        ends = [written[title] + metrics.horizontalAdvance(title) for title in titles]
        lefts = [x for text, x in written.items() if text not in titles and written["c"] <= x < canvas.rows.x(0.0)]
        assert all(left > end for left in lefts for end in ends), (width, written)
    assert len(written) >= 2


def words(view: QWidget) -> str:
    found = view.findChild(QLabel, "visualize.coefficients.words")
    assert isinstance(found, QLabel)
    return found.text()


def choose(view: CoefficientsView, what: str, text: str) -> None:
    entries = [
        entry for entry in view.controls.findChildren(QAction) if entry.objectName().rpartition(".")[0].endswith(what)
    ]
    if entries:
        next(entry for entry in entries if entry.text().casefold() == text.casefold()).trigger()
        return
    box = view.controls.findChild(QComboBox, f"visualize.coefficients.{what}")
    assert isinstance(box, QComboBox)
    box.setFocus()
    wanted, steps = box.findText(text), 0
    while box.currentIndex() != wanted and steps < box.count():
        QTest.keyClick(box, Qt.Key.Key_Down if box.currentIndex() < wanted else Qt.Key.Key_Up)
        steps += 1
    assert box.currentText() == text


def names(view: CoefficientsView) -> list[str]:
    return [effect.name for effect in view.canvas.effects]


def middle_of(row: int) -> QPoint:
    return QPoint(400, themes.px(HEAD) + row * themes.px(ROW) + themes.px(ROW) // 2)


def test_the_strongest_come_first_with_their_intervals(view: CoefficientsView) -> None:
    planes = view.planes
    assert planes is not None
    shown = view.canvas.effects
    sizes = [abs(effect.log_odds) for effect in shown[:-1]]
    assert sizes == sorted(sizes, reverse=True)
    assert names(view)[-1] == "Intercept"
    first = shown[0]
    code, other = view.codes
    assert first.log_odds == pytest.approx(planes.log_odds(code, other)[first.place] * first.step)
    error = planes.standard_errors(code, other)[first.place]
    assert (first.low, first.high) == pytest.approx(
        (first.log_odds - SURE * error * first.step, first.log_odds + SURE * error * first.step)
    )
    assert words(view).startswith(wording.SPEAKS_FOR)
    assert view.facts() == wording.TERMS_OF_4_CLASSES


def test_a_click_says_a_row_in_words_and_keys_go_on(view: CoefficientsView) -> None:
    canvas = view.canvas
    at = names(view).index("Length")
    QTest.mouseClick(canvas, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, middle_of(at))
    assert canvas.row == at
    assert words(view).startswith(wording.ONE_STANDARD_DEVIATION)
    assert wording.MAKES_ODDS_WITH_LENGTH in words(view)
    assert canvas.accessibleDescription() == words(view)
    QTest.keyClick(canvas, Qt.Key.Key_Home)
    assert canvas.row == 0
    QTest.keyClick(canvas, Qt.Key.Key_End)
    assert wording.THE_ODDS_OF in words(view)
    QTest.keyClick(canvas, Qt.Key.Key_Up)
    assert canvas.row == len(canvas.effects) - 2


def test_in_a_narrow_pane_the_names_go_above_the_marks_and_both_sides_stay_in_view(view: CoefficientsView) -> None:
    canvas, wide = view.canvas, view.canvas.rows
    assert not canvas.is_narrow
    view.resize(340, 900)
    QApplication.sendPostedEvents()
    seen = canvas.visibleRegion().boundingRect()
    assert canvas.is_narrow and seen.width() == canvas.width() <= 340
    rows = canvas.rows
    assert rows.row > wide.row and canvas.minimumHeight() == canvas.whole.height()
    assert 0 < rows.x(-rows.reach) < rows.x(rows.reach) < seen.width()
    y = themes.px(HEAD) + round(2.5 * rows.row)
    QTest.mouseClick(canvas, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, QPoint(170, y))
    assert canvas.row == 2
    view.resize(1000, 600)
    QApplication.sendPostedEvents()
    assert canvas.rows == wide and canvas.minimumHeight() == canvas.whole.height()


def test_another_class_turns_every_effect_round(view: CoefficientsView) -> None:
    code, other = view.codes
    before = {effect.name: effect.log_odds for effect in view.canvas.effects}
    classes = ("a", "b", "c", "never")
    choose(view, "class", classes[other])
    third = next(name for at, name in enumerate(classes[:3]) if at not in (code, other))
    choose(view, "against", third)
    assert view.canvas.classes == (classes[other], third)
    choose(view, "against", classes[code])
    after = {effect.name: effect.log_odds for effect in view.canvas.effects}
    assert after == pytest.approx({name: -value for name, value in before.items()})


def test_steps_of_one_more_are_in_the_tables_own_unit(view: CoefficientsView) -> None:
    choose(view, "step", wording.FOR_ONE_MORE)
    assert {effect.step for effect in view.canvas.effects} == {1.0}
    choose(view, "scale", "as coefficients")
    assert view.canvas.figures(view.canvas.effects[0]).startswith(("+", "−"))
    view.canvas.choose(names(view).index("Width"))
    assert words(view).startswith(wording.ONE_MORE_OF_WIDTH)


def test_all_choices_stand_in_the_toolbar_above_the_picture(view: CoefficientsView) -> None:
    bar = view.controls
    for kind, name in ((QComboBox, "class"), (QComboBox, "against"), (QLineEdit, "find"), (QPushButton, "view")):
        assert bar.isAncestorOf(bar.findChild(kind, f"visualize.coefficients.{name}"))


def test_sorted_by_name_and_searched(view: CoefficientsView) -> None:
    choose(view, "order", "by name")
    shown = names(view)[:-1]
    assert shown == sorted(shown, key=str.casefold)
    search = view.controls.findChild(QLineEdit, "visualize.coefficients.find")
    QTest.keyClicks(search, "colour")
    assert all(name.startswith("Colour = ") for name in names(view))
    assert len(names(view)) == 2
    assert view.canvas.effects[0].usual
    QTest.keyClicks(search, "xyz")
    assert names(view) == []
    assert words(view) == wording.NO_NAME_WITH_LETTERS


def test_the_table_has_coefficients_ratios_and_ends(view: CoefficientsView) -> None:
    choose_entry(view, "visualize.coefficients.as-table")
    assert view.table.isVisible()
    rows = view.table_rows()
    first = view.canvas.effects[0]
    assert rows[1][0] == first.name
    assert float(rows[1][3]) == pytest.approx(first.log_odds, rel=1e-5)
    assert rows[0][4] == "std. error" and "p" not in rows[0]  # a ridge penalty is in force
    assert [float(each) for each in rows[1][4:]] == pytest.approx(
        [first.error, math.exp(first.log_odds), math.exp(first.low), math.exp(first.high)], rel=1e-3
    )
    view.table.setFocus()
    QTest.keyClick(view.table, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert QGuiApplication.clipboard().text().splitlines()[0] == "\t".join(rows[0])
    assert ("rather than" in rows[0]) == any(each.usual for each in view.canvas.effects)
    view.search.setText(next(each.name for each in view.canvas.effects if not each.usual and each.name != "intercept"))
    assert "rather than" not in view.table_rows()[0] and all(all(row) for row in view.table_rows())


def test_the_table_has_z_and_p_where_no_penalty_is_in_force(view: CoefficientsView) -> None:
    assert wording.NO_PROOF_OF_AN_EFFECT in words(view)
    view.set_structure(learned(mixed(200), LogisticRegression(penalty="none", likelihood_ratio=True)))
    rows = view.table_rows()
    head = list(rows[0])
    assert head[head.index("std. error") :][:3] == ["std. error", "z", "p"]
    assert head[-1] == wording.LIKELIHOOD_RATIO_P
    first = view.canvas.effects[0]
    z, p = (rows[1][head.index(name)] for name in ("z", "p"))
    assert float(z) == pytest.approx(first.z, rel=1e-3)
    assert p == ("<0.001" if first.p < 0.001 else f"{first.p:.3f}")
    assert all(row[-1] for row in rows[1:] if row[0] != "Intercept")


def test_the_picture_is_copied_and_saved(view: CoefficientsView, tmp_path: Path) -> None:
    view.export.copy_picture()
    assert not QGuiApplication.clipboard().image().isNull()
    view.export.save_picture(str(tmp_path / "c.png"))
    assert QImage(str(tmp_path / "c.png")).height() > 2 * 8 * 30
    view.export.save_picture(str(tmp_path / "c.svg"))
    assert "Length" in (tmp_path / "c.svg").read_text(encoding="utf-8")
    view.export.save_csv(str(tmp_path / "c.csv"))
    assert (tmp_path / "c.csv").read_text(encoding="utf-8").startswith("Term,rather than,step,")


def test_what_has_no_intervals_shows_none_and_says_why(view: CoefficientsView) -> None:
    view.set_structure(learned(mixed(200), LogisticRegression(penalty="lasso", strength=8.0)))
    assert not any(effect.has_interval for effect in view.canvas.effects)
    assert wording.OTHERS_NOT_SAID in words(view)
    assert any(effect.log_odds == 0 for effect in view.canvas.effects)
    view.set_structure(learned(sample("iris"), LinearDiscriminant()))
    assert "95 times" not in words(view)
    assert not view.grab().isNull()


def test_coefficients_that_grow_without_end_are_said_to(view: CoefficientsView) -> None:
    view.set_structure(learned(sample("iris"), LogisticRegression(penalty="none")))
    assert learners_wording.SOME_DIVERGE in words(view)
    away = next(at for at, effect in enumerate(view.canvas.effects) if effect.runs_away)
    view.canvas.choose(away)
    assert wording.IT_DIVERGES in words(view)


def test_many_terms_long_names_and_many_classes(view: CoefficientsView) -> None:
    random = np.random.default_rng(1)
    long = [f"{'a very long name of an attribute that nobody would type ' * 2}{i}" for i in range(300)]
    schema = Schema((*(numeric(name) for name in long), nominal("class", [f"class {c}" for c in range(26)])), 300)
    data = Dataset(schema, [*random.normal(size=(300, 300)), random.integers(0, 26, 300)])
    view.set_structure(learned(data, LinearDiscriminant(shrinkage="automatic")))
    assert len(view.canvas.effects) == 301
    assert view.canvas.height() >= 300 * themes.px(ROW)
    assert not view.grab().isNull()


def test_names_have_the_width_they_need_within_bounds(view: CoefficientsView) -> None:
    def names_of(*named: str) -> float:
        schema = Schema((*(numeric(name) for name in named), nominal("class", ["no", "yes"])), len(named))
        random = np.random.default_rng(1)
        data = Dataset(schema, [*random.normal(size=(len(named), 60)), np.arange(60) % 2])
        view.set_structure(learned(data))
        return view.canvas.rows.names

    middling = "forty letters of a measurement of length"
    short, middle, long = names_of("a", "b"), names_of("a", middling), names_of("a", middling * 9)
    assert themes.px(LEAST_NAMES) <= short < themes.px(NAMES) < middle < long == SHARE_OF_NAMES * view.canvas.width()
    font = QFontMetricsF(themes.font(13))
    assert middle > font.horizontalAdvance(middling), "it is written whole"
    names_of("a", middling)
    view.search.setText("Intercept")
    assert names(view) == ["Intercept"] and view.canvas.rows.names == middle, "a search moves nothing"


def test_an_axis_holds_all_effects_and_round_figures() -> None:
    assert effect_reach([(0.5, 0.1, 0.9), (-2.0, math.nan, math.nan)]) == pytest.approx(2.16)
    assert effect_reach([(0.1, -50.0, 50.0), (1.0, 0.5, 1.5)]) == pytest.approx(3.0)
    assert effect_reach([]) == effect_reach([(0.0, math.nan, math.nan)]) == 1.0
    assert effect_reach([(1e9, 0.0, 2e9)]) == 20.0
    assert [text for _, text in ratio_ticks(math.log(2.1))] == ["1", "1.1", "0.9", "1.25", "0.8", "1.5", "0.7",
                                                              "2", "0.5"]  # fmt: skip
    assert [text for _, text in ratio_ticks(math.log(2e6))][-4:] == ["10000", "0.0001", "1e+06", "0.000001"]
    assert len(ratio_ticks(0.01)) == 3
    for reach in (0.1, 1.15, 3.45, 20.0):
        assert all(abs(place) <= reach for place, _ in ratio_ticks(reach))
    for reach in (1e-6, 0.03, 1.0, 20.0):
        places = [place for place, _ in log_ticks(reach)]
        assert len(places) >= 3
        assert max(places) <= reach * (1 + 1e-9)


def test_the_constant_and_the_ends_are_those_of_the_model() -> None:
    planes = learned(sample("iris"))
    found = effects(planes, 2, 1, by_deviation=False)
    assert [effect.log_odds for effect in found] == pytest.approx(planes.log_odds(2, 1).tolist())
    assert found[-1].ratio == pytest.approx(math.exp(planes.log_odds(2, 1)[-1]))
