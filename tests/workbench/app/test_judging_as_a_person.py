"""Judging walked as a person walks it: a recipe, settings tried inside the folds, two runs compared, luck ruled out,
and what the strip reports put right. Mouse and keys only, widgets found by their names."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QComboBox, QLabel, QLineEdit, QPushButton

from algorithms.evaluation.methods.methods import CrossValidation
from algorithms.evaluation.tuning.parameter_search import Tuned
from algorithms.filters.replace_missing import ReplaceMissing
from algorithms.learners.trees.zero_r import ZeroR
from tests.expected_texts import app as wording
from tests.expected_texts import tabs_evaluate as tabs_evaluate_wording
from tests.workbench.person import Person
from workbench.app.main_window import MainWindow
from workbench.app.start import make_window
from workbench.session.runs import Run, RunState

Wait = Callable[..., None]


@pytest.fixture
def window(
    qapp: QApplication, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, wait_until: Wait
) -> Iterator[MainWindow]:
    monkeypatch.setenv("COPPICE_HOME", str(tmp_path))
    made = make_window(qapp)
    made.resize(1280, 900)
    made.show()
    made.activateWindow()
    wait_until(made.isActiveWindow)
    yield made
    made.session.jobs.stop_all()
    made.session.close()
    made.deleteLater()
    QTest.qWait(0)


def patients(path: Path) -> None:
    """Eighty patients, some with a hole, ten of them written down twice."""
    random = np.random.default_rng(3)
    ill = random.random(80) < 0.5
    fever, pulse = random.normal(37 + 1.4 * ill, 0.7), random.normal(70 + 8 * ill, 12)
    lines = []
    for i in range(80):
        measured = "" if i % 11 == 0 else f"{fever[i]:.3f}"
        lines.append(f"{measured},{pulse[i]:.2f},{'ill' if ill[i] else 'well'}")
    path.write_text("\n".join(["fever,pulse,state", *lines, *lines[20:30]]), "utf-8")


class Judge(Person):
    """A person who judges classifiers."""

    def run(self, number: int) -> Run:
        """Start, and wait for this run."""
        session = self.window.session
        self.click("classify.start")
        self.wait(lambda: len(session.runs) == number and session.runs[-1].state is RunState.DONE, 120)
        return session.runs[-1]

    def add_step(self, words: str, name: str) -> None:
        """Look a step up by typing, and take it with a click."""
        self.click("preprocess.add_step")
        QTest.keyClicks(self.see(QLineEdit, "preprocess.filters.search"), words)
        self.click_row("preprocess.filters.list", name)

    def choose_kept(self, name: str, kept: object) -> None:
        """Choose in a combo box by what stands behind its words."""
        box = self.see(QComboBox, name)
        self.choose(name, box.itemText(box.findData(kept)))


def test_from_a_recipe_to_a_verdict_that_can_be_believed(window: MainWindow, tmp_path: Path, wait_until: Wait) -> None:
    session, person = window.session, Judge(window, wait_until)
    patients(tmp_path / "patients.csv")
    window.open_file(str(tmp_path / "patients.csv"))
    wait_until(lambda: session.data is not None and session.summary is not None, 60)
    person.click("preprocess.predict.fine")

    # a recipe of two steps, each with what it does
    person.add_step("missing", ReplaceMissing.name)
    assert wording.NINE_WERE_MISSING in person.read("preprocess.step.0.effect")
    person.add_step("scale", "Normalize / standardize")
    assert [step.id for step in session.recipe] == ["replace-missing", "scale"]
    wait_until(lambda: "change" in person.read("preprocess.step.1.effect"))

    # values of an option are tried inside the training part of each fold: nested cross-validation
    person.go_to("Classify")
    person.choose("classify.method", CrossValidation.name)
    person.type("classify.method.option.folds", "5")
    person.click_row("classify.learners", ZeroR.name)
    plain = person.run(1)
    person.click_row("classify.learners", "Decision stump")
    person.click("classify.tried.add")
    person.choose_kept("classify.tried.1.option", "min_leaf")
    person.type("classify.tried.1.values", "2, 10")
    nested = person.run(2)
    assert isinstance(nested.learner, Tuned)
    assert nested.result is not None and len(nested.result.searches) == 5
    assert person.see(QLabel, "classify.verdict").accessibleName().startswith("Accuracy ")

    # the honest error stands beside the one that flatters, each with its mark
    person.go_to("Evaluate")
    person.click("evaluate.page.diagnostics")
    person.choose("evaluate.analysis", "Parameter search")
    assert person.read("evaluate.settings.headline").startswith(wording.CHOSEN_ON_ALL_90)
    assert [person.read(f"evaluate.settings.mark.{n}") for n in (1, 3)] == ["optimistic", "honest"]
    assert nested.report is not None
    assert person.read("evaluate.settings.value.3") == f"{100 * nested.report.error_rate:.1f}%"

    # both runs are compared in words
    person.click("evaluate.page.compare")
    wait_until(lambda: person.read("evaluate.comparison.headline") not in ("Which runs?", "Comparing"))
    wait_until(lambda: tabs_evaluate_wording.ACCURACY in person.read("evaluate.comparison.words"))
    assert person.read("evaluate.comparison.headline") == wording.SEVERAL_SETTINGS_ARE_BETTER

    # the same run on shuffled classes: no luck
    person.click("evaluate.page.diagnostics")
    person.choose("evaluate.analysis", "Permutation test")
    person.choose_kept("evaluate.shuffle.number", 19)
    person.click("evaluate.shuffle.start")
    wait_until(lambda: nested.shuffle is not None and session.analyses.permutation_tests.job_of(nested) is None, 120)
    assert nested.shuffle is not None
    assert len(nested.shuffle.scores) == 19
    assert nested.shuffle.is_real

    # what the strip reports is put right: patients who were written down twice, and were tested by their own copies
    person.click("warnings")
    person.click("warnings.twins.remedy")
    person.click("warnings.close")
    assert session.data is not None
    assert len(session.data) == 80
    wait_until(lambda: session.summary is not None)
    person.go_to("Classify")
    mended = person.run(3)
    assert mended.result is not None and mended.result.n_records == 80
    wait_until(lambda: not [b for b in window.findChildren(QPushButton, "warnings.twins.remedy") if b.isVisible()])
    assert [run.learner for run in session.runs[1:]] == [nested.learner] * 2
    assert plain.report is not None
