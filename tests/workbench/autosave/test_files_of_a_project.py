"""Nothing but the project itself is opened until the person says so."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtWidgets import QComboBox, QLabel, QPushButton

from algorithms.core.parameters import files_of
from algorithms.core.run_control import RunContext
from algorithms.evaluation.methods.methods import Holdout, TestFile
from algorithms.evaluation.tuning.wrapper import WrapperSelection
from algorithms.learners.bayes.bayesian_network import BayesianNetwork, BayesianNetworkModel
from algorithms.learners.bayes.network_files import write_bif
from algorithms.learners.ensembles.bagging import Bagging
from tests.expected_texts import autosave as wording
from tests.workbench.stage import Stage
from tests.workbench.window_helpers import Wait, click, judged, part, small_data
from workbench.autosave.session_serialization import kept_project, restored
from workbench.session.runs import RunState
from workbench.tabs.preprocess.reading import LOOK


def test_start_does_not_open_a_network_file_that_only_the_project_names(
    stage: Stage, tmp_path: Path, wait_until: Wait
) -> None:
    session, path = stage.session(small_data(90)), tmp_path / "net.bif"
    assert session.data is not None
    model = BayesianNetwork().fit(session.data, RunContext())
    assert isinstance(model, BayesianNetworkModel)
    content = write_bif(model.network)
    path.write_text(content, encoding="utf-8")
    learner = BayesianNetwork(structure="file", network_file=str(path))
    assert judged(session, wait_until, learner, Holdout()).state is RunState.DONE
    session.restore(restored(kept_project(session), RunContext()))
    assert session.jobs.unread_files >= {str(path)}
    refused = judged(session, wait_until, learner, Holdout())
    assert refused.state is RunState.FAILED and wording.ONLY_PROJECT_NAMES_IT in refused.message
    offer = next(message for message in session.messages.open if message.action_text == "Allow it")
    assert offer.action is not None
    offer.action()
    assert judged(session, wait_until, learner, Holdout()).state is RunState.DONE


def test_files_are_found_in_learners_within_and_in_methods() -> None:
    within = BayesianNetwork(structure="file", network_file="a.bif")
    assert list(files_of(Bagging(base=within))) == ["a.bif"]
    assert list(files_of(TestFile(path="t.csv"))) == ["t.csv"]


def test_opening_a_project_does_not_open_the_file_of_its_table(stage: Stage, tmp_path: Path, wait_until: Wait) -> None:
    table, project = tmp_path / "shop.csv", tmp_path / "work.coppice"
    table.write_text("size;kind\n" + "1,5;a\n2,5;b\n" * 20, encoding="utf-8")
    session = stage.session()
    session.open_file(table)
    wait_until(lambda: session.summary is not None)
    saved = session.saving.save_project(project)
    wait_until(lambda: not saved.is_running)
    table.write_text("size\tkind\n" + "1.5\ta\n2.5\tb\n" * 20, encoding="utf-8")

    window = stage.window()
    titles: list[str] = []
    window.session.jobs.started.connect(lambda job: titles.append(job.title))
    window.open_file(str(project))
    wait_until(lambda: window.findChild(QLabel, "preprocess.read_as") is not None)
    words, change = part(window, QLabel, "preprocess.read_as"), part(window, QPushButton, "preprocess.read_as.change")
    wait_until(lambda: window.session.summary is not None and "Read as" in words.accessibleName())
    wait_until(lambda: not window.session.jobs.running)
    assert "semicolon" in words.accessibleName() and LOOK not in titles

    click(change)
    wait_until(lambda: any(message.action_text == "Allow it" for message in window.session.messages.open))
    assert "semicolon" in words.accessibleName()
    offer = next(message for message in window.session.messages.open if message.action_text == "Allow it")
    assert offer.place == str(table) and offer.action is not None
    offer.action()
    click(change)
    wait_until(part(window, QComboBox, "preprocess.delimiter").isVisible)
    assert "tab" in words.accessibleName() and "semicolon" not in words.accessibleName()


def test_every_file_that_a_project_names_counts_as_not_opened(stage: Stage, tmp_path: Path, wait_until: Wait) -> None:
    table = tmp_path / "shop.csv"
    table.write_text("size,kind\n" + "1.5,a\n2.5,b\n" * 20, encoding="utf-8")
    session = stage.session()
    session.open_file(table)
    wait_until(lambda: session.summary is not None)
    session.set_class("kind")
    within = BayesianNetwork(structure="file", network_file="recipe.bif")
    session.set_recipe((WrapperSelection(base=within),), "Choose columns")
    session.set_recipe((), "Remove the step")
    assert restored(kept_project(session), RunContext()).files == {str(table), "recipe.bif"}
