"""The warnings name what is so, and their remedies do what they name."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QPushButton

from algorithms.data.dataset import DataOrigin, Dataset
from algorithms.data.schema import Attribute, AttributeKind, Schema, nominal, numeric
from algorithms.evaluation.costs.cost_matrix import CostMatrix
from algorithms.evaluation.methods.methods import CrossValidation, TrainingSet
from algorithms.filters.scale import Scale
from algorithms.learners.costs.cost_sensitive import CostSensitive
from algorithms.learners.trees.zero_r import ZeroR
from tests.expected_texts import evaluation as evaluation_wording
from tests.expected_texts import warnings as wording
from tests.workbench.stage import Stage
from tests.workbench.window_helpers import Wait, judged, part, press, warning_drawer
from workbench.session.session import Session
from workbench.style.theme import LIGHT_NAME, current_theme, themes
from workbench.tabs.classify.run_summary import warnings_of
from workbench.warnings.warning_drawer import Veil, WarningBadge, WarningCard, WarningDrawer, plain
from workbench.warnings.warnings import Fact, facts


def table(n: int = 60, marks: tuple[str, ...] = ()) -> Dataset:
    schema = Schema(
        (
            numeric("customer_id"),
            numeric("width"),
            nominal("constant", ["x"]),
            Attribute("remarks", AttributeKind.TEXT),
            nominal("class", ["often", "seldom", "never"]),
        ),
        4,
    )
    codes = np.zeros(n, dtype=np.int8)
    codes[:3] = 1
    columns = [np.arange(n), np.linspace(0, 1, n), np.zeros(n, dtype=np.int8), ["words"] * n, codes]
    return Dataset(schema, columns, origin=DataOrigin("table", marks=marks))


@pytest.fixture
def session(stage: Stage) -> Session:
    return stage.session(table(marks=("Missing values were filled from all records.",)))


def names(session: Session) -> list[str]:
    return [fact.name for fact in facts(session)]


def test_before_a_run_the_doubts_about_the_data_stand_there(session: Session) -> None:
    assert names(session) == ["mark", "identifiers", "constant", "few", "left-out"]
    said = {fact.name: fact.sentence for fact in facts(session)}
    assert said["identifiers"] == wording.LOOKS_LIKE_IDENTIFIER
    assert said["left-out"] == wording.REMARKS_IS_TEXT
    assert said["few"] == wording.ONLY_3_SELDOM


def test_a_column_that_costs_use_is_left_out_of_the_model_by_one_click(session: Session) -> None:
    session.set_costs(CostMatrix(session.classes, ((0, "[width] * 2", 1), (1, 0, 1), (1, 1, 0))))
    [fact] = [fact for fact in facts(session) if fact.name == "cost-attribute"]
    assert fact.is_warning and fact.sentence == wording.WIDTH_IS_A_COST and fact.act is not None
    fact.act(session)
    assert "cost-attribute" not in names(session)
    assert session.costs is not None and session.costs.columns == ("width",)


def test_a_column_of_the_costs_of_the_learner_in_view_is_warned_of(session: Session, wait_until: Wait) -> None:
    rows = ((0.0, "[width] * 2", 1.0), (1.0, 0.0, 1.0), (1.0, 1.0, 0.0))
    judged(session, wait_until, CostSensitive(base=ZeroR(), costs=rows), CrossValidation(folds=2))
    assert "cost-attribute" in names(session)
    session.set_current_run(judged(session, wait_until, ZeroR(), CrossValidation(folds=2)))
    assert "cost-attribute" not in names(session)


def test_a_fine_measurement_is_not_taken_for_an_identifier(session: Session) -> None:
    assert not any("width" in fact.sentence for fact in facts(session))


def test_the_remedy_leaves_the_column_out_and_can_be_undone(stage: Stage, session: Session, wait_until: Wait) -> None:
    press_remedy(warning_drawer(stage, session), "identifiers")
    assert session.data is not None and 0 not in session.data.schema.predictors
    wait_until(lambda: session.summary is not None)
    assert "identifiers" not in names(session)
    session.undo_stack.undo()
    wait_until(lambda: session.summary is not None)
    assert "identifiers" in names(session)


def test_a_dismissed_warning_is_kept_with_the_project_and_can_be_shown_again(
    stage: Stage, session: Session, wait_until: Wait
) -> None:
    drawer = warning_drawer(stage, session)
    badge = part(drawer.parentWidget(), QPushButton, "warnings")
    before = badge.text()
    press(drawer, "warnings.identifiers.dismiss")
    wait_until(lambda: badge.text() != before)
    assert "identifiers" not in [card.fact.name for card in drawer.findChildren(WarningCard) if card.isVisible()]
    (kept,) = session.place["dismissed_warnings"]
    assert kept.startswith("identifiers: ")
    session.set_used([session.data.schema.names[0]], False)
    session.undo_stack.undo()
    wait_until(lambda: session.summary is not None and "identifiers" in names(session))
    session.turns.finish()
    assert badge.text() != before
    press(drawer, "warnings.dismissed.show")
    wait_until(lambda: badge.text() == before)
    assert session.place["dismissed_warnings"] == []


def test_the_badge_counts_the_warnings_of_another_run_again_that_were_dismissed_for_the_first(
    stage: Stage, session: Session, wait_until: Wait
) -> None:
    """With the same warnings the badge kept its number while the open drawer showed one more."""
    runs = [judged(session, wait_until, ZeroR(), TrainingSet()) for _ in range(2)]
    session.set_current_run(runs[0])
    drawer = warning_drawer(stage, session)
    badge = part(drawer.parentWidget(), WarningBadge, "warnings")
    session.turns.finish()
    before = badge.text()
    (title,) = [line for line in drawer.findChildren(QLabel) if line.text() == before]
    press(drawer, "warnings.tested-on-training.dismiss")
    wait_until(lambda: badge.text() != before)
    session.set_current_run(runs[1])
    session.turns.finish()
    assert badge.text() == before == title.text()


def test_the_drawer_leaves_the_status_line_uncovered(stage: Stage, wait_until: Wait) -> None:
    """What runs, and what is selected, could not be seen beside the warnings."""
    window = stage.window(1280, 720)
    stage.open(window.session, table())
    wait_until(lambda: bool(window.warnings.warnings))
    window.badge.click()
    bottom = window.drawer.mapTo(window, window.drawer.rect().bottomLeft()).y()
    assert window.drawer.isVisible() and bottom < window.strip.mapTo(window, window.strip.rect().topLeft()).y()


def test_a_column_that_was_left_out_by_hand_is_learned_from_again_by_a_click(
    stage: Stage, session: Session, wait_until: Wait
) -> None:
    strip = warning_drawer(stage, session)
    session.set_used([session.data.schema.names[0]], False)
    wait_until(lambda: "unused" in names(session))
    said = {fact.name: fact.sentence for fact in facts(session)}
    assert said["unused"].endswith(wording.IS_LEFT_OUT), "in other words than what cannot be learned from"
    session.turns.finish()
    assert remedy_of(strip, "unused").text() == wording.LEARN_FROM_IT_AGAIN
    press_remedy(strip, "unused")
    assert 0 in session.data.schema.predictors
    wait_until(lambda: session.summary is not None and "unused" not in names(session))


def test_a_run_on_its_own_training_records_is_warned_of(session: Session, wait_until: Wait) -> None:
    session.start_run(ZeroR(), TrainingSet())
    wait_until(lambda: not session.runs[0].is_running)
    found = {fact.name: fact.tone for fact in facts(session)}
    assert found["tested-on-training"] == "warning"
    assert "folds" not in found


def test_several_models_on_the_same_records_are_counted(session: Session, wait_until: Wait) -> None:
    for seed in (1, 2, 3):
        session.start_run(ZeroR(), CrossValidation(folds=3), seed)
    session.start_run(ZeroR(), CrossValidation(folds=3), 2)  # gives the same model once more
    wait_until(lambda: not any(run.is_running for run in session.runs))
    said = {fact.name: fact.sentence for fact in facts(session)}
    assert said["tried"] == wording.THREE_MODELS_BY_AUC


def test_columns_that_no_learner_takes_are_said_once_with_steps_and_without(session: Session, wait_until: Wait) -> None:
    for recipe in ((), (Scale(),)):
        session.set_recipe(recipe, "Steps")
        run = judged(session, wait_until, ZeroR(), CrossValidation(folds=10))
        about_kinds = [fact for fact in facts(session) if "remarks (text)" in fact.why + fact.sentence]
        assert [fact.name for fact in about_kinds] == ["left-out"]
        assert not any("remarks (text)" in warning for warning in warnings_of(run, session.data, session.recipe))
        assert any(wording.FEWER_THAN_10_FOLDS in fact.sentence for fact in facts(session))


def test_labels_are_text_not_markup(stage: Stage) -> None:
    schema = Schema((numeric("x"), nominal("class", ["a", "<i>b</i>"])), 1)
    session = stage.session(Dataset(schema, [np.arange(20), np.arange(20) % 10 == 0]))
    assert "&lt;i&gt;b&lt;/i&gt;" in facts(session)[0].sentence


def test_small_classes_are_one_remark_however_many_they_are(stage: Stage, wait_until: Wait) -> None:
    session = stage.session()
    classes = [f"kind {i}" for i in range(8)]
    schema = Schema((numeric("x"), nominal("class", classes)), 1)
    session.set_document(Dataset(schema, [np.arange(24), np.arange(24) % 8]))
    session.start_run(ZeroR(), CrossValidation(folds=10))
    wait_until(lambda: not session.runs[0].is_running)
    remarks = [fact.sentence for fact in facts(session) if fact.name == "remark"]
    assert len(remarks) == 1
    assert remarks[0].startswith(wording.EIGHT_SMALL_CLASSES)


def suspicious(n: int = 300) -> Dataset:
    """``paid`` is the outcome under another name; a third of the records are entered twice; one class has 4 records."""
    random = np.random.default_rng(0)
    codes = (np.arange(n) % 2).astype(np.int8)
    codes[:4] = 2
    schema = Schema(
        (numeric("width"), nominal("paid", ["no", "yes", "?"]), nominal("outcome", ["bad", "good", "odd"])),
        2,
    )
    once = Dataset(schema, [random.normal(size=n), codes, codes], origin=DataOrigin("suspicious"))
    return once.take(np.r_[np.arange(n), np.arange(100)])


@pytest.fixture
def strip(stage: Stage) -> tuple[WarningDrawer, Session]:
    session = stage.session()
    strip = warning_drawer(stage, session)
    data = suspicious()
    stage.open(session, Dataset(data.schema, [data.column(index) for index in range(3)], origin=data.origin))
    return strip, session


def chip(drawer: WarningDrawer, name: str) -> WarningCard | None:
    return next(
        (card for card in drawer.findChildren(WarningCard) if card.fact.name == name and card.isVisible()), None
    )


def remedy_of(drawer: WarningDrawer, name: str) -> QPushButton:
    return part(drawer, QPushButton, f"warnings.{name}.remedy")


def press_remedy(drawer: WarningDrawer, name: str) -> None:
    remedy_of(drawer, name).click()


def test_a_column_that_alone_predicts_the_class_is_asked_about_and_left_out(strip, wait_until: Wait) -> None:
    shown, session = strip
    wait_until(lambda: chip(shown, "giveaway") is not None)
    said = plain(chip(shown, "giveaway").fact.sentence)
    assert said == wording.PAID_PREDICTS_OUTCOME
    press_remedy(shown, "giveaway")
    assert [session.data.schema.attributes[i].name for i in session.data.schema.predictors] == ["width"]
    wait_until(lambda: chip(shown, "giveaway") is None)
    session.undo_stack.undo()
    wait_until(lambda: chip(shown, "giveaway") is not None)


def test_twins_of_tested_records_are_counted_and_one_of_each_kept(strip, wait_until: Wait) -> None:
    shown, session = strip
    session.start_run(ZeroR(), CrossValidation(folds=10))
    wait_until(lambda: chip(shown, "twins") is not None)
    said = plain(chip(shown, "twins").fact.sentence)
    share = float(said.split("%")[0])
    assert 40 <= share <= 50, "200 of 400 records have a copy, nine tenths of them in another fold"
    assert said.endswith(evaluation_wording.EXACT_TWIN)
    press_remedy(shown, "twins")
    assert len(session.data) == 300
    assert session.undo_stack.undoText() == wording.UNDO_REMOVE_100_COPIES
    wait_until(lambda: chip(shown, "twins") is not None and chip(shown, "twins").fact.remedy == "")
    session.start_run(ZeroR(), CrossValidation(folds=10))
    wait_until(lambda: chip(shown, "twins") is None)
    session.undo_stack.undo()
    assert len(session.data) == 400


def test_records_of_a_tiny_class_can_be_left_out(strip, wait_until: Wait) -> None:
    shown, session = strip
    wait_until(lambda: session.summary is not None and chip(shown, "few") is None)
    session.start_run(ZeroR(), CrossValidation(folds=10))
    wait_until(lambda: chip(shown, "rare") is not None)
    assert wording.FEWER_THAN_10_FOLDS in chip(shown, "rare").fact.sentence
    press_remedy(shown, "rare")
    assert session.data.schema.classes == ("bad", "good")
    assert len(session.data) == 392
    session.undo_stack.undo()
    assert session.data.schema.classes == ("bad", "good", "odd")


def test_a_run_on_its_training_records_is_judged_by_folds_with_a_click(strip, wait_until: Wait) -> None:
    shown, session = strip
    session.start_run(ZeroR(), TrainingSet())
    wait_until(lambda: chip(shown, "tested-on-training") is not None)
    press_remedy(shown, "tested-on-training")
    assert session.runs[1].method == CrossValidation(folds=10)
    wait_until(lambda: chip(shown, "folds") is not None)
    assert chip(shown, "tested-on-training") is None


def test_where_few_different_records_are_possible_twins_are_no_warning(strip, wait_until: Wait) -> None:
    shown, session = strip
    session.set_used(["width"], False)
    session.start_run(ZeroR(), CrossValidation(folds=10))
    wait_until(lambda: chip(shown, "twins") is not None)
    assert chip(shown, "twins").fact.tone == "plain"
    assert "natural" in chip(shown, "twins").fact.why
    assert chip(shown, "twins").fact.remedy == ""


def test_three_coarse_columns_are_offered_no_removal_of_real_answers(stage: Stage, wait_until: Wait) -> None:
    random = np.random.default_rng(0)
    codes = random.integers(0, 2, 400)
    answers = [random.integers(0, n, 400) for n in (5, 5, 5)]
    schema = Schema((*(nominal(f"q{at}", "abcde") for at in range(3)), nominal("class", ["no", "yes"])), 3)
    session = stage.session(Dataset(schema, [*answers, codes]))
    shown = warning_drawer(stage, session)
    judged(session, wait_until, ZeroR(), CrossValidation(folds=10))
    wait_until(lambda: chip(shown, "twins") is not None)
    fact = chip(shown, "twins").fact
    assert fact.tone == "plain" and fact.remedy == "" and wording.BY_CHANCE_ABOUT in fact.why
    assert shown.findChild(QPushButton, "warnings.twins.remedy") is None


def test_warnings_come_before_the_notes(session: Session, wait_until: Wait) -> None:
    judged(session, wait_until, ZeroR(), CrossValidation(folds=5))
    tones = [fact.is_warning for fact in facts(session)]
    assert True in tones and False in tones and tones == sorted(tones, reverse=True)


def test_the_badge_counts_the_warnings_and_keeps_its_width(qapp: QApplication, stage: Stage, wait_until: Wait) -> None:
    themes.install(qapp, LIGHT_NAME)
    session = stage.session()
    drawer = warning_drawer(stage, session)
    badge = part(drawer.window(), QPushButton, "warnings")
    widths, words = [badge.sizeHint().width()], [badge.text()]
    assert badge.icon().isNull()
    stage.open(session, table())
    wait_until(lambda: badge.text() not in words)
    assert not badge.icon().isNull()
    ground = badge.grab().toImage().pixelColor(badge.width() // 2, 3)
    assert ground == current_theme().color("warning_edge"), "amber, and darker while the drawer is open"
    assert badge.text() == f"{sum(fact.is_warning for fact in facts(session))} warnings"
    assert badge.sizeHint().width() == widths[0]


def test_the_badge_shows_a_zero_where_room_is_short(qapp: QApplication, stage: Stage) -> None:
    themes.install(qapp, LIGHT_NAME)
    badge = part(warning_drawer(stage, stage.session()).window(), WarningBadge, "warnings")
    badge.set_brief(True)
    assert badge.text() == "0" and not badge.icon().isNull()


def test_the_drawer_covers_the_page_without_moving_it_and_escape_closes_it(stage: Stage, session: Session) -> None:
    drawer = warning_drawer(stage, session)
    page = drawer.parentWidget()
    assert drawer.geometry().right() == page.rect().right() and drawer.height() == page.height()
    assert page.layout() is None or page.layout().indexOf(drawer) < 0
    (veil,) = page.findChildren(Veil)
    assert veil.isVisible() and veil.geometry().right() + 1 == drawer.geometry().left(), "nothing beside it asks"
    badge = part(drawer.window(), QPushButton, "warnings")
    assert badge.isChecked()
    QTest.keyClick(drawer, Qt.Key.Key_Escape)
    assert drawer.isHidden() and veil.isHidden() and not badge.isChecked()
    badge.click()
    assert drawer.isVisible()
    QTest.mouseClick(veil, Qt.MouseButton.LeftButton)
    assert drawer.isHidden() and veil.isHidden() and not badge.isChecked()


def test_a_check_without_a_finding_is_listed_once_it_is_done(strip, wait_until: Wait) -> None:
    shown, _ = strip
    wait_until(lambda: chip(shown, "giveaway") is not None)
    texts = [words.text() for words in shown.findChildren(QLabel)]
    assert any(wording.CONSTANT_ATTRIBUTE in text for text in texts)
    assert not any(wording.REVEALS_THE_CLASS in text for text in texts)


def test_a_long_explanation_is_folded_after_its_first_line(stage: Stage) -> None:
    card = stage.show(WarningCard(Fact("tried", "Best of 3", "warning", "First.\nSecond."), int, int), 300, 200)
    (rest,) = [line for line in card.findChildren(QLabel) if line.text() == "Second."]
    assert not rest.isVisible()
    press(card, "warnings.tried.more")
    assert rest.isVisible() and "Second." in card.accessibleDescription()
