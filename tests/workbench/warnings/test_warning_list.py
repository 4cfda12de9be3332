"""The honesty strip says what is so, and its remedies do what they say."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtWidgets import QApplication, QMenu, QPushButton

from algorithms.data.dataset import DataOrigin, Dataset
from algorithms.data.schema import Attribute, AttributeKind, Schema, nominal, numeric
from algorithms.evaluation.costs.decision_rules import AtThreshold
from algorithms.evaluation.methods.methods import CrossValidation, TrainingSet
from algorithms.filters.scale import Scale
from algorithms.learners.trees.c45 import C45
from algorithms.learners.trees.zero_r import ZeroR
from tests.expected_texts import evaluation as evaluation_wording
from tests.expected_texts import session as session_wording
from tests.expected_texts import warnings as wording
from tests.workbench.stage import Stage
from tests.workbench.window_helpers import Wait, click, judged
from workbench.session.session import Session
from workbench.tabs.classify.run_summary import warnings_of
from workbench.warnings.warning_list import FactChip, WarningList, plain
from workbench.warnings.warnings import facts
from workbench.widgets.chips import how_many_fit, lines_of
from workbench.widgets.popover import Popover


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


def test_before_a_run_the_baseline_and_the_doubts_about_the_data_stand_there(session: Session) -> None:
    assert names(session) == ["baseline", "mark", "identifiers", "constant", "few", "left-out"]
    said = {fact.name: fact.sentence for fact in facts(session)}
    assert said["baseline"] == wording.GUESSING_OFTEN
    assert said["identifiers"] == wording.LOOKS_LIKE_IDENTIFIER
    assert said["left-out"] == wording.REMARKS_IS_TEXT
    assert said["few"] == wording.ONLY_3_SELDOM


def test_a_fine_measurement_is_not_taken_for_an_identifier(session: Session) -> None:
    assert not any("width" in fact.sentence for fact in facts(session))


def test_the_remedy_leaves_the_column_out_and_can_be_undone(session: Session, wait_until: Wait) -> None:
    strip = WarningList(session)
    remedy = strip.findChild(QPushButton, "honesty.identifiers.remedy")
    assert remedy is not None
    remedy.click()
    assert session.data is not None and 0 not in session.data.schema.predictors
    wait_until(lambda: session.summary is not None)
    assert "identifiers" not in names(session)
    session.undo_stack.undo()
    wait_until(lambda: session.summary is not None)
    assert "identifiers" in names(session)


def test_a_column_that_was_left_out_by_hand_is_learned_from_again_by_a_click(
    session: Session, wait_until: Wait
) -> None:
    strip = WarningList(session)
    session.set_used([session.data.schema.names[0]], False)
    wait_until(lambda: "unused" in names(session))
    said = {fact.name: fact.sentence for fact in facts(session)}
    assert said["unused"].endswith(wording.IS_LEFT_OUT), "in other words than what cannot be learned from"
    remedy = strip.findChild(QPushButton, "honesty.unused.remedy")
    assert remedy is not None and wording.LEARN_FROM_IT_AGAIN in remedy.text()
    remedy.click()
    assert 0 in session.data.schema.predictors
    wait_until(lambda: session.summary is not None and "unused" not in names(session))


def test_after_a_run_its_interval_and_what_it_was_judged_on_stand_there(session: Session, wait_until: Wait) -> None:
    session.start_run(ZeroR(), CrossValidation(folds=5))
    wait_until(lambda: not session.runs[0].is_running)
    said = {fact.name: fact.sentence for fact in facts(session)}
    assert "95.0" in said["interval"]
    assert said["judged-on"] == wording.JUDGED_BY_5_FOLDS
    session.decisions.choose(session.runs[0], AtThreshold(session.classes[session.class_of_interest], 0.0))
    said = {fact.name: fact.sentence for fact in facts(session)}
    assert (
        said["interval"].startswith(session_wording.interval_as_decided_now("5.0"))
        and "itself <b>95.0</b>" in said["interval"]
    )


def test_a_run_on_its_own_training_records_is_warned_of(session: Session, wait_until: Wait) -> None:
    session.start_run(ZeroR(), TrainingSet())
    wait_until(lambda: not session.runs[0].is_running)
    found = {fact.name: fact.tone for fact in facts(session)}
    assert found["tested-on-training"] == "warning"
    assert "judged-on" not in found


def test_several_models_on_the_same_records_are_counted(session: Session, wait_until: Wait) -> None:
    for seed in (1, 2, 3):
        session.start_run(ZeroR(), CrossValidation(folds=3), seed)
    session.start_run(ZeroR(), CrossValidation(folds=3), 2)  # gives the same model once more
    wait_until(lambda: not any(run.is_running for run in session.runs))
    said = {fact.name: fact.sentence for fact in facts(session)}
    assert said["tried"] == wording.THREE_MODELS_TRIED


def test_columns_that_no_learner_takes_are_said_once_with_steps_and_without(session: Session, wait_until: Wait) -> None:
    for recipe in ((), (Scale(),)):
        session.set_recipe(recipe, "Steps")
        run = judged(session, wait_until, ZeroR(), CrossValidation(folds=10))
        about_kinds = [fact for fact in facts(session) if "remarks (text)" in fact.tip + fact.sentence]
        assert [fact.name for fact in about_kinds] == ["left-out"]
        assert not any("remarks (text)" in warning for warning in warnings_of(run, session.data, session.recipe))
        assert any(wording.FEWER_THAN_10_FOLDS in fact.sentence for fact in facts(session))


def test_labels_are_text_not_markup(stage: Stage) -> None:
    schema = Schema((numeric("x"), nominal("class", ["<i>a</i>", "b"])), 1)
    session = stage.session(Dataset(schema, [np.arange(20), np.arange(20) % 4 == 0]))
    assert "&lt;i&gt;a&lt;/i&gt;" in facts(session)[0].sentence


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


def test_what_has_no_room_in_two_lines_is_counted() -> None:
    assert how_many_fit([100, 100, 100, 100], more=50, room=210, gap=10, lines=2) == 4
    assert how_many_fit([100, 100, 100, 100, 100], more=50, room=210, gap=10, lines=2) == 3
    assert how_many_fit([100, 100, 100, 40, 40, 40], more=50, room=210, gap=10, lines=2) == 4
    assert how_many_fit([900, 900, 900], more=50, room=210, gap=10, lines=2) == 1
    assert how_many_fit([], more=50, room=210, gap=10, lines=2) == 0


def test_the_strip_is_never_higher_than_two_lines_and_a_menu_has_the_rest(
    session: Session, qapp: QApplication, wait_until: Wait
) -> None:
    strip = WarningList(session)
    strip.resize(420, 40)
    strip.show()
    more = strip.findChild(QPushButton, "honesty.more")
    assert more is not None and more.isVisible()
    chips = strip.findChildren(FactChip)
    hidden = [chip for chip in chips if chip.isHidden()]
    assert more.text() == f"+{len(hidden)} more" and hidden
    assert strip.heightForWidth(420) < 3 * chips[0].sizeHint().height() + 2 * 8 + 12
    more.click()
    menu = strip.findChild(QMenu, "honesty.rest")
    assert menu is not None and len(menu.actions()) == len(hidden)
    remedy = next((a for a in menu.actions() if wording.LEAVE_IT_OUT in a.text()), None)
    assert remedy is not None
    remedy.trigger()
    assert session.saving.is_edited
    menu.close()
    strip.resize(4000, 40)
    wait_until(lambda: not more.isVisible())
    strip.close()


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
def strip(stage: Stage) -> tuple[WarningList, Session]:
    session = stage.session()
    strip = stage.show(WarningList(session), 2400, 80)
    data = suspicious()
    stage.open(session, Dataset(data.schema, [data.column(index) for index in range(3)], origin=data.origin))
    return strip, session


def chip(strip: WarningList, name: str) -> FactChip | None:
    return next((each for each in strip.findChildren(FactChip) if each.fact.name == name and each.isVisible()), None)


def test_a_click_on_a_chip_says_its_tip(stage: Stage, session: Session, qapp: QApplication, wait_until: Wait) -> None:
    shown = stage.show(WarningList(session), 2400, 80)
    wait_until(lambda: chip(shown, "left-out") is not None and chip(shown, "identifiers") is not None)
    for name, said in (("left-out", "remarks (text). "), ("identifiers", "customer_id")):
        click(chip(shown, name))
        wait_until(lambda: isinstance(qapp.activePopupWidget(), Popover))
        popover = qapp.activePopupWidget()
        assert popover.accessibleName().startswith(said) and not session.saving.is_edited
        assert not shown.isAncestorOf(popover) or popover.parentWidget() is shown, "it wears no colour of a chip"
        popover.close()


def press_remedy(strip: WarningList, name: str) -> None:
    button = strip.findChild(QPushButton, f"honesty.{name}.remedy")
    assert button is not None
    button.click()


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
    share = float(said.split()[0])
    assert 40 <= share <= 50, "200 of 400 records have a copy, nine tenths of them in another fold"
    assert said.endswith(evaluation_wording.EXACT_TWIN)
    wait_until(lambda: plain(chip(shown, "interval").fact.sentence).endswith(wording.WITH_2_LEAKS))
    assert chip(shown, "interval").fact.tone == "warning"
    press_remedy(shown, "twins")
    assert len(session.data) == 300
    assert session.undo_stack.undoText() == wording.UNDO_REMOVE_100_COPIES
    wait_until(lambda: chip(shown, "twins").fact.remedy == "")
    session.start_run(ZeroR(), CrossValidation(folds=10))
    wait_until(lambda: chip(shown, "twins") is None)
    session.undo_stack.undo()
    assert len(session.data) == 400


def test_records_of_a_tiny_class_can_be_left_out(strip, wait_until: Wait) -> None:
    shown, session = strip
    wait_until(lambda: chip(shown, "few") is None and chip(shown, "baseline") is not None)
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
    wait_until(lambda: chip(shown, "judged-on") is not None)
    assert chip(shown, "tested-on-training") is None


def test_where_few_different_records_are_possible_twins_are_no_warning(strip, wait_until: Wait) -> None:
    shown, session = strip
    session.set_used(["width"], False)
    session.start_run(ZeroR(), CrossValidation(folds=10))
    wait_until(lambda: chip(shown, "twins") is not None)
    assert chip(shown, "twins").fact.tone == "plain"
    assert "natural" in chip(shown, "twins").fact.tip
    assert chip(shown, "twins").fact.remedy == ""


def test_three_coarse_columns_are_offered_no_removal_of_real_answers(stage: Stage, wait_until: Wait) -> None:
    random = np.random.default_rng(0)
    codes = random.integers(0, 2, 400)
    answers = [random.integers(0, n, 400) for n in (5, 5, 5)]
    schema = Schema((*(nominal(f"q{at}", "abcde") for at in range(3)), nominal("class", ["no", "yes"])), 3)
    session = stage.session(Dataset(schema, [*answers, codes]))
    shown = stage.show(WarningList(session), 3000, 80)
    judged(session, wait_until, ZeroR(), CrossValidation(folds=10))
    wait_until(lambda: chip(shown, "twins") is not None)
    fact = chip(shown, "twins").fact
    assert fact.tone == "plain" and fact.remedy == "" and wording.BY_CHANCE_ABOUT in fact.tip
    assert shown.findChild(QPushButton, "honesty.twins.remedy") is None
    assert "leak" not in plain(chip(shown, "interval").fact.sentence)


def test_what_is_measured_comes_first_and_warnings_before_the_rest(session: Session, wait_until: Wait) -> None:
    session.start_run(ZeroR(), CrossValidation(folds=5))
    wait_until(lambda: not session.runs[0].is_running)
    found = facts(session)
    assert [fact.name for fact in found][:3] == ["baseline", "interval", "judged-on"]
    tones = [fact.tone for fact in found[3:]]
    assert tones == sorted(tones, key=lambda tone: tone != "warning")


def test_choosing_another_run_does_not_move_the_page_below(strip, wait_until: Wait) -> None:
    shown, session = strip
    session.set_used(["paid"], False)
    wait_until(lambda: session.summary is not None)
    widths = []
    for method in (CrossValidation(folds=10), TrainingSet()):
        session.start_run(ZeroR(), method)
        wait_until(lambda: not session.runs[-1].is_running and not session.jobs.running)
        widths.append(sum(each.width() + 8 for each in shown.findChildren(FactChip) if each.isVisible()))
    doubted, flattered = session.runs
    assert widths[0] > widths[1] + 50
    shown.resize(widths[1] + 50, 200)
    one = shown.minimumHeight()
    session.set_current_run(doubted)
    wait_until(lambda: chip(shown, "judged-on") is not None)
    assert shown.minimumHeight() == one
    shown.make_room()
    two = shown.minimumHeight()
    assert two > one
    session.set_current_run(flattered)
    wait_until(lambda: chip(shown, "tested-on-training") is not None)
    assert shown.minimumHeight() == two


def test_as_many_items_fit_as_trying_every_number_finds() -> None:
    random = np.random.default_rng(3)
    for _ in range(300):
        widths = random.integers(1, 120, random.integers(1, 12)).tolist()
        more, room, gap, lines = (int(random.integers(*ends)) for ends in ((1, 90), (60, 400), (0, 20), (1, 4)))
        all_fit = lines_of(widths, room, gap) <= lines
        tries = (n for n in range(len(widths) - 1, 0, -1) if lines_of([*widths[:n], more], room, gap) <= lines)
        assert how_many_fit(widths, more, room, gap, lines) == (len(widths) if all_fit else next(tries, 0))


def test_no_empty_line_stays_below_the_chips_when_a_comparison_has_ended(stage: Stage, wait_until: Wait) -> None:
    session = stage.session()
    shown = stage.show(WarningList(session), 1350, 80)
    session.open_sample("iris")
    wait_until(lambda: session.summary is not None and chip(shown, "baseline") is not None)
    one_line = shown.minimumHeight()
    judged(session, wait_until, C45(), TrainingSet())
    session.edit("Change a cell", session.data.with_cells(0, [0], [42.0]))
    wait_until(lambda: "changed" in [each.fact.name for each in shown.findChildren(FactChip)])
    shown.make_room()
    assert shown.minimumHeight() > one_line
    trial = session.analyses.comparison.start(CrossValidation(folds=2), seed=1)
    assert shown.minimumHeight() > one_line, "nothing moves while it runs"
    wait_until(lambda: not trial.is_running and chip(shown, "tried") is not None, 120)
    wait_until(lambda: not session.turns.is_busy)
    kept = shown.minimumHeight()
    shown.make_room()
    assert kept == shown.minimumHeight(), "as many lines as are needed, whatever the style makes of the words"
