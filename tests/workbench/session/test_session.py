"""The session: document and undo, class of interest, summary, runs from start to end."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar

import numpy as np
import pytest
from PySide6.QtWidgets import QApplication

from algorithms.catalogue import builtin
from algorithms.core.errors import DataError
from algorithms.core.filters import FittedFilter
from algorithms.core.learner import Learner, Model
from algorithms.core.run_control import RunContext
from algorithms.data.dataset import DataOrigin, Dataset
from algorithms.data.schema import AttributeKind, Schema, nominal, numeric
from algorithms.evaluation.costs.cost_matrix import CostMatrix
from algorithms.evaluation.methods.methods import CrossValidation, TrainingSet
from algorithms.evaluation.runner import FoldDone
from algorithms.evaluation.tuning.wrapper import WrapperSelection
from algorithms.filters.arrange_attributes import RemoveAttributes
from algorithms.filters.scale import Scale
from algorithms.filters.select_attributes import SelectAttributes
from algorithms.io.reading import sheets
from algorithms.learners.costs.cost_sensitive import CostSensitive
from algorithms.learners.ensembles.bagging import Bagging
from algorithms.learners.trees.zero_r import ZeroR
from tests.expected_texts import app as app_wording
from tests.expected_texts import core as core_wording
from tests.expected_texts import session as wording
from tests.expected_texts import tabs_classify as tabs_classify_wording
from tests.workbench.stage import Stage
from tests.workbench.window_helpers import Wait
from workbench.autosave.session_serialization import kept_project, restored
from workbench.jobs.jobs import JobState
from workbench.jobs.messages import AUTOSAVE, MessageTone
from workbench.session.document import MOST_PROBLEMS
from workbench.session.runs import RunState
from workbench.session.session import Session
from workbench.session.settings import Settings


def table(n: int = 60) -> Dataset:
    kinds = nominal("class", ["common", "rare", "never"])
    codes = (np.arange(n) % 5 == 0).astype(np.int8)
    schema = Schema((numeric("x"), nominal("letter", ["a", "b"]), kinds), 2)
    return Dataset(schema, [np.arange(n, dtype=float), np.arange(n) % 2, codes], origin=DataOrigin("table"))


@dataclass(frozen=True, kw_only=True)
class Slow(Learner):
    """Takes a tenth of a second, then does as zero-r."""

    id: ClassVar[str] = "slow"
    name: ClassVar[str] = "Slow"
    sentence: ClassVar[str] = "Waits, then guesses."
    family: ClassVar[str] = "Tests"

    def _fit(self, data: Dataset, context: RunContext) -> Model:
        for _ in range(10):
            context.checkpoint()
            time.sleep(0.01)
        return ZeroR().fit(data, context)


@dataclass(frozen=True, kw_only=True)
class Patient(Learner):
    """Waits half a second for something else, then does as zero-r."""

    id: ClassVar[str] = "patient"
    name: ClassVar[str] = "Patient"
    sentence: ClassVar[str] = "Waits, then guesses."
    family: ClassVar[str] = "Tests"

    def _fit(self, data: Dataset, context: RunContext) -> Model:
        context.say("compiling", is_waiting=True)
        time.sleep(0.5)
        context.say("")
        return ZeroR().fit(data, context)


@dataclass(frozen=True, kw_only=True)
class Broken(Learner):
    """Has a bug."""

    id: ClassVar[str] = "broken"
    name: ClassVar[str] = "Broken"
    sentence: ClassVar[str] = "Divides by zero."
    family: ClassVar[str] = "Tests"

    def _fit(self, data: Dataset, context: RunContext) -> Model:
        raise ZeroDivisionError("on purpose")


@pytest.fixture
def open_session(session: Session) -> Session:
    session.set_document(table())
    return session


def test_editing_without_a_document_is_refused_in_words(session: Session) -> None:
    with pytest.raises(DataError, match=tabs_classify_wording.NO_TABLE_OPEN):
        session.edit("Nothing", table())


def test_an_edit_is_undone_and_redone_by_its_name(open_session: Session) -> None:
    before = open_session.data
    seen: list[int] = []
    open_session.data_changed.connect(lambda: seen.append(1))
    open_session.set_class("letter")
    assert open_session.undo_stack.undoText() == wording.USE_LETTER
    assert open_session.classes == ("a", "b")
    open_session.undo_stack.undo()
    assert open_session.data is before
    open_session.undo_stack.redo()
    assert open_session.classes == ("a", "b")
    assert len(seen) == 3


def test_leaving_out_several_columns_is_one_edit(open_session: Session) -> None:
    open_session.set_used(["x", "letter"], False)
    assert open_session.data is not None
    assert open_session.data.schema.predictors == ()
    assert open_session.undo_stack.undoText() == wording.UNDO_LEAVE_OUT_2
    open_session.undo_stack.undo()
    assert open_session.data.schema.predictors == (0, 1)


def test_the_recipe_is_undone_without_touching_the_data(open_session: Session) -> None:
    from algorithms.filters.replace_missing import ReplaceMissing

    changes: list[str] = []
    open_session.data_changed.connect(lambda: changes.append("data"))
    open_session.recipe_changed.connect(lambda: changes.append("recipe"))
    open_session.set_recipe((ReplaceMissing(),), "Impute missing values")
    open_session.undo_stack.undo()
    assert open_session.recipe == ()
    assert changes == ["recipe", "recipe"]


def test_another_document_begins_with_nothing_to_undo_and_an_empty_ledger(
    open_session: Session, wait_until: Wait
) -> None:
    job = open_session.start_run(ZeroR(), TrainingSet())
    wait_until(lambda: job.state is JobState.DONE)
    open_session.set_class("letter")
    open_session.set_document(table(20))
    assert not open_session.undo_stack.canUndo()
    assert open_session.runs == ()
    assert open_session.current_run is None
    assert not open_session.saving.is_edited


def test_the_summary_is_counted_beside_the_window(open_session: Session, wait_until: Wait) -> None:
    assert open_session.summary is None
    wait_until(lambda: open_session.summary is not None)
    assert open_session.summary is not None
    assert open_session.summary.of(0).n_distinct == 60


def test_the_summary_is_that_of_the_latest_edit(open_session: Session, wait_until: Wait) -> None:
    data = open_session.data
    assert data is not None
    for n in (50, 40, 30):
        open_session.edit("Take fewer", data.take(np.arange(n)))
    wait_until(lambda: open_session.summary is not None)
    assert open_session.summary is not None
    assert open_session.summary.n_records == 30


def test_problems_come_from_the_summary_and_change_with_the_class(open_session: Session, wait_until: Wait) -> None:
    wait_until(lambda: open_session.summary is not None)
    assert open_session.history.summaries.problems(ZeroR) == []
    open_session.set_class("x")
    wait_until(lambda: open_session.summary is not None)
    assert core_wording.NUMERIC_NOT_NOMINAL in open_session.history.summaries.problems(ZeroR)[0].sentence


def test_the_rarest_class_that_occurs_is_of_interest_until_one_is_chosen(
    open_session: Session, wait_until: Wait
) -> None:
    wait_until(lambda: open_session.summary is not None)
    assert open_session.classes[open_session.class_of_interest] == "rare"
    open_session.set_class_of_interest(0)
    assert open_session.class_of_interest == 0
    open_session.set_class("letter")
    open_session.set_class("class")
    assert open_session.class_of_interest == 0


def test_an_edit_announces_the_positive_class_only_where_it_becomes_another(
    open_session: Session, wait_until: Wait
) -> None:
    """Each edit drew every part that shows the positive class anew."""
    session, announced = open_session, list[int]()
    wait_until(lambda: session.summary is not None)
    session.class_of_interest_changed.connect(lambda: announced.append(session.class_of_interest))
    session.set_used(["x"], False)
    wait_until(lambda: session.summary is not None and not session.jobs.running)
    assert announced == []
    session.set_class_of_interest(0)
    assert announced == [0]
    session.set_class("letter")
    assert len(announced) == 2
    session.undo_stack.undo()
    wait_until(lambda: session.summary is not None and not session.jobs.running)
    assert announced[2:] and announced[-1] == 0


def test_a_class_without_a_label_is_of_interest_only_where_it_is_the_rarest(stage: Stage, wait_until: Wait) -> None:
    codes = np.repeat([0, 1, 2], [30, 5, 15]).astype(np.int16)
    session = stage.session(Dataset(Schema((nominal("class", ("", "ill", "well")),), 0), [codes]))
    wait_until(lambda: session.summary is not None)
    assert session.classes[session.class_of_interest] == "ill"


def test_a_run_is_judged_and_then_trained_on_all_records(open_session: Session, wait_until: Wait) -> None:
    job = open_session.start_run(ZeroR(), CrossValidation(folds=5), seed=3)
    run = open_session.current_run
    assert run is not None
    assert run.state is RunState.RUNNING
    wait_until(lambda: job.state is JobState.DONE)
    assert run.state is RunState.DONE
    assert len(run.folds) == 5
    assert run.report is not None and run.report.accuracy == pytest.approx(0.8)
    assert run.trained is not None
    assert run.result is not None and run.result.seed == 3


def test_folds_come_to_their_run_with_the_announcement_that_all_views_follow(
    open_session: Session, wait_until: Wait
) -> None:
    """A row that was painted between two announcements had a later mean than the line above it."""
    ledger = open_session.ledger
    run = ledger.new(ZeroR(), CrossValidation(folds=10), 1)
    ledger.enter(run)
    announced: list[int] = []
    open_session.runs_changed.connect(lambda: announced.append(len(run.folds)))
    for index in range(2):
        ledger.take_event(run, FoldDone(index, 10, 0, index, 6, 5))
    assert run.folds == [] and announced == []
    wait_until(lambda: announced == [2])
    ledger.take_event(run, FoldDone(2, 10, 0, 2, 6, 5))
    ledger.end(run, RunState.STOPPED)
    assert announced == [2, 3]


def test_a_run_gives_the_numbers_of_the_command_line(open_session: Session, wait_until: Wait) -> None:
    from algorithms.evaluation.runner import evaluate

    data = open_session.data
    assert data is not None
    job = open_session.start_run(ZeroR(), CrossValidation(folds=7), seed=5)
    wait_until(lambda: job.state is JobState.DONE)
    run = open_session.runs[0]
    direct = evaluate(ZeroR(), data, CrossValidation(folds=7), RunContext(seed=5))
    assert run.result is not None
    assert np.array_equal(run.result.row_ids, direct.row_ids)
    assert np.array_equal(run.result.probabilities, direct.probabilities)


def test_the_time_of_a_run_and_of_its_training_is_without_waits_for_compilation(
    open_session: Session, wait_until: Wait
) -> None:
    job = open_session.start_run(Patient(), TrainingSet())
    run = open_session.runs[0]
    wait_until(lambda: not run.is_running)
    assert job.seconds > 0.5 and run.seconds <= job.seconds - 0.5
    assert run.result is not None and run.result.timings.fit < 0.5


def test_a_stopped_run_is_stopped_at_once_and_stays_without_a_result(open_session: Session, wait_until: Wait) -> None:
    job = open_session.start_run(Slow(), CrossValidation(folds=10))
    run = open_session.runs[0]
    wait_until(lambda: len(run.folds) >= 1)
    began = time.monotonic()
    job.stop()
    assert run.state is RunState.STOPPED
    assert time.monotonic() - began < 0.2
    wait_until(lambda: job.future is not None and job.future.done(), 2)
    assert run.result is None and run.trained is None


def test_a_run_finished_early_keeps_its_folds_and_still_trains_a_whole_model(
    open_session: Session, wait_until: Wait
) -> None:
    job = open_session.start_run(Slow(), CrossValidation(folds=10))
    run = open_session.runs[0]
    wait_until(lambda: len(run.folds) >= 2)
    job.finish()
    wait_until(lambda: not run.is_running)
    assert run.state is RunState.PARTIAL
    assert run.result is not None and 0 < len(run.result) < 60
    assert run.trained is not None and not run.trained.model.partial


def test_a_run_that_cannot_be_says_why(open_session: Session, wait_until: Wait) -> None:
    open_session.set_class("x")
    open_session.start_run(ZeroR(), TrainingSet())
    run = open_session.runs[0]
    wait_until(lambda: not run.is_running)
    assert run.state is RunState.FAILED
    assert "not nominal" in run.message
    assert "not nominal" in open_session.messages.open[-1].text


def test_a_bug_in_a_learner_fails_the_run_and_is_reported(open_session: Session, wait_until: Wait) -> None:
    crashes: list[object] = []
    open_session.jobs.crashed.connect(crashes.append)
    open_session.start_run(Broken(), CrossValidation(folds=3))
    run = open_session.runs[0]
    wait_until(lambda: not run.is_running)
    assert run.state is RunState.FAILED
    assert isinstance(crashes[0], ZeroDivisionError)


def test_a_note_is_kept_with_its_run(open_session: Session, wait_until: Wait) -> None:
    open_session.start_run(ZeroR(), TrainingSet())
    run = open_session.runs[0]
    open_session.ledger.set_note(run, "first try")
    wait_until(lambda: not run.is_running)
    assert open_session.runs[0].note == "first try"


def test_removing_the_run_in_view_shows_another(open_session: Session, wait_until: Wait) -> None:
    open_session.start_run(ZeroR(), TrainingSet())
    open_session.start_run(ZeroR(), TrainingSet())
    wait_until(lambda: not any(run.is_running for run in open_session.runs))
    open_session.remove_runs(open_session.runs[1])
    assert open_session.current_run is open_session.runs[0]


def test_a_sample_opens_in_the_background(session: Session, wait_until: Wait) -> None:
    seen: list[int] = []
    session.document_replaced.connect(lambda: seen.append(1))
    session.open_sample("iris")
    assert session.data is None
    wait_until(lambda: session.data is not None)
    assert session.data is not None and len(session.data) == 150
    assert seen == [1]


def test_a_file_opens_and_is_remembered(stage: Stage, session: Session, tmp_path: Path, wait_until: Wait) -> None:
    path = tmp_path / "small.csv"
    path.write_text("a,b\n" + "\n".join(f"{i},{'yes' if i % 2 else 'no'}" for i in range(20)), "utf-8")
    session.open_file(path)
    wait_until(lambda: session.data is not None)
    assert Settings(stage.settings_path).recent_files == (str(path.resolve()),)


def test_a_file_that_is_not_there_is_a_plain_sentence_and_loses_nothing(
    open_session: Session, wait_until: Wait, tmp_path: Path
) -> None:
    before = open_session.data
    job = open_session.open_file(tmp_path / "missing.csv")
    wait_until(lambda: job.state is JobState.FAILED)
    assert open_session.messages.open
    assert open_session.data is before


def test_saving_keeps_asking_about_edits_that_a_csv_does_not_keep(
    open_session: Session, wait_until: Wait, tmp_path: Path
) -> None:
    open_session.set_class("letter")
    assert open_session.saving.unsaved == app_wording.CHANGES_NOT_SAVED
    for name, text in (("saved.csv", wording.SAVED_AS_CSV), ("saved.arff", wording.SAVED_AS_ARFF)):
        open_session.saving.save_data(tmp_path / name)
        wait_until(lambda text=text: open_session.messages.open and open_session.messages.open[-1].text == text)
        assert open_session.saving.is_edited
        assert open_session.saving.unsaved.startswith(wording.VALUES_ARE_SAVED)
        assert text.endswith(open_session.saving.unsaved.removeprefix(wording.VALUES_ARE_SAVED))
    open_session.undo_stack.undo()
    assert open_session.saving.unsaved == ""


def test_a_table_saved_in_a_database_twice_leaves_the_first(
    open_session: Session, wait_until: Wait, tmp_path: Path
) -> None:
    for _ in range(2):
        job = open_session.saving.save_data(tmp_path / "saved.db")
        wait_until(lambda job=job: job.state is JobState.DONE)
    assert len(sheets(tmp_path / "saved.db")) == 2


def test_saving_makes_the_document_unedited_until_the_next_edit(
    open_session: Session, wait_until: Wait, tmp_path: Path
) -> None:
    assert open_session.data is not None
    shorter = open_session.data.take(np.arange(5))
    open_session.edit("Remove records", shorter)
    assert open_session.saving.unsaved == app_wording.CHANGES_NOT_SAVED
    open_session.saving.save_data(tmp_path / "saved.csv")
    wait_until(lambda: not open_session.saving.is_edited)
    assert (tmp_path / "saved.csv").read_text("utf-8").startswith("x,letter,class")
    data = open_session.data
    assert data is not None
    attribute = replace(data.schema.attributes[0], kind=AttributeKind.NUMERIC, used=False)
    open_session.edit("Leave out x", data.with_schema(data.schema.with_attribute(0, attribute)))
    assert open_session.saving.is_edited


def missed(cost: float) -> CostMatrix:
    return CostMatrix(("common", "rare", "never"), ((0.0, 1.0, 1.0), (cost, 0.0, 1.0), (1.0, 1.0, 0.0)))


def test_what_is_set_back_by_hand_is_saved(open_session: Session, wait_until: Wait, tmp_path: Path) -> None:
    saving, decisions = open_session.saving, open_session.decisions
    decisions.set_costs(missed(5.0))
    assert saving.is_unsaved and saving.unsaved == wording.COSTS_NOT_SAVED
    decisions.set_costs(None)
    assert not saving.is_unsaved and saving.unsaved == ""
    decisions.set_costs(missed(5.0))
    saving.save_project(tmp_path / "saved.coppice")
    wait_until(lambda: saving.path is not None and not saving.is_unsaved)
    open_session.set_recipe((Scale(),), "Add a step")
    assert saving.unsaved == wording.ONE_EDIT_NOT_SAVED
    open_session.set_recipe((), "Remove the step")
    assert not saving.is_unsaved and saving.unsaved == ""


def test_costs_alone_are_named_where_the_saved_ones_were_undone(
    open_session: Session, wait_until: Wait, tmp_path: Path
) -> None:
    """The step that the file holds is gone from the history."""
    saving, decisions = open_session.saving, open_session.decisions
    decisions.set_costs(missed(5.0))
    saving.save_project(tmp_path / "saved.coppice")
    wait_until(lambda: saving.path is not None and not saving.is_unsaved)
    open_session.undo_stack.undo()
    assert saving.is_unsaved and saving.unsaved == wording.COSTS_GONE_NOT_SAVED
    decisions.set_costs(missed(7.0))
    assert saving.is_unsaved and saving.unsaved == wording.COSTS_NOT_SAVED
    decisions.set_costs(missed(5.0))
    assert not saving.is_unsaved and saving.unsaved == ""


def test_costs_alone_are_named_after_a_recovery(open_session: Session) -> None:
    open_session.decisions.set_costs(missed(5.0))
    again = Session(builtin())
    again.restore(restored(kept_project(open_session), RunContext()))
    assert again.saving.is_unsaved and again.saving.unsaved == wording.COSTS_NOT_SAVED
    assert again.close()


def test_closing_during_a_run_leaves_no_thread(qapp: QApplication) -> None:
    before = {thread.ident for thread in threading.enumerate()}
    session = Session(builtin())
    session.set_document(table(2000))
    session.start_run(Slow(), CrossValidation(folds=10))
    assert session.close()
    assert {thread.ident for thread in threading.enumerate()} <= before


def test_settings_that_are_broken_are_forgotten_not_fatal(tmp_path: Path) -> None:
    path = tmp_path / "settings.json"
    path.write_text("{not json", "utf-8")
    settings = Settings(path)
    assert settings.recent_files == ()
    settings.set("theme", "dark")
    assert Settings(path).get("theme", "system") == "dark"
    assert Settings(path).get("theme", 1.0) == 1.0


class Learns(SelectAttributes):
    """A step that counts how often it is learned."""

    times: ClassVar[list[int]] = []

    def fit(self, data: Dataset, context: RunContext) -> FittedFilter:
        self.times.append(1)
        return super().fit(data, context)


def test_a_step_is_learned_once_for_the_same_data_whatever_is_done_after_it(
    open_session: Session, wait_until: Wait
) -> None:
    session, first = open_session, Learns(number=1)
    Learns.times.clear()

    def settle() -> None:
        wait_until(lambda: session.summary is not None and not session.jobs.running)

    session.set_recipe((first,), "Add a step")
    settle()
    session.set_recipe((first, Scale()), "Add another")
    settle()
    assert session.history.summaries.effect(1) is not None
    session.undo_stack.undo()
    settle()
    assert len(Learns.times) == 1
    data = session.data
    assert data is not None
    session.edit("Set a cell", data.with_cells(0, np.array([0]), np.array([3.0])))
    settle()
    assert len(Learns.times) == 2, "from other data it is learned again"


def test_a_step_that_trains_a_learner_reads_costs_before_the_recipe(open_session: Session, wait_until: Wait) -> None:
    costs = ((0.0, "[x]", 1.0), (1.0, 0.0, 1.0), (1.0, 1.0, 0.0))
    step = WrapperSelection(base=CostSensitive(costs=costs, base=ZeroR()))
    open_session.set_recipe((RemoveAttributes(columns=("x",)), step), "Add steps")
    summaries = open_session.history.summaries
    wait_until(lambda: summaries.prepared is not None and not open_session.jobs.running)
    before = summaries.before(1)
    assert before is not None and "x" not in before.schema and step.check(before) == []
    assert summaries.refusal(1) == "" and summaries.effect(1) is not None


def test_why_learners_refuse_is_kept_of_so_many_settings(open_session: Session, wait_until: Wait) -> None:
    wait_until(lambda: open_session.summary is not None)
    for members in range(2, MOST_PROBLEMS + 10):
        open_session.history.summaries.problems(Bagging(members=members))
    assert len(open_session.history.summaries._problems) <= MOST_PROBLEMS


def test_an_error_goes_once_what_it_says_is_mended(open_session: Session, wait_until: Wait, tmp_path: Path) -> None:
    session, path = open_session, tmp_path / "table.csv"

    def errors() -> list[str]:
        return [message.sentence for message in session.messages.open if message.tone is MessageTone.ERROR]

    def opened() -> None:
        job = session.open_file(path)
        wait_until(lambda: not job.is_running and not session.jobs.running)

    opened()
    assert len(errors()) == 1, "there is no such file"
    session.messages.error(DataError("The column x is no number."))
    session.messages.error(DataError("Nothing can be kept."), AUTOSAVE)
    session.set_used(["x"], False)
    mended = "The column x is no number."
    assert len(errors()) == 2 and mended not in errors()
    path.write_text("a,b\n1,2\n3,4\n", encoding="utf-8")
    opened()
    assert errors() == [wording.NOTHING_CAN_BE_KEPT], "of what another table does not mend"
    session.messages.mended(AUTOSAVE)
    assert errors() == []
    assert len(session.messages.history) >= 3, "what went is still among the past messages"
