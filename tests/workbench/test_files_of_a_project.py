"""Nothing but the project itself is opened until the person says so."""

from __future__ import annotations

from pathlib import Path

from algorithms.core.context import RunContext
from algorithms.evaluation.methods.methods import Holdout, TestFile
from algorithms.learners.bayes.bayesian_network import BayesianNetwork
from algorithms.learners.bayes.network_files import write_bif
from algorithms.learners.bayes.network_model import BayesianNetworkModel
from algorithms.learners.ensembles.bagging import Bagging
from tests.workbench.stage import Stage
from tests.workbench.window_helpers import Wait, judged, small_data
from workbench.autosave.session_serialization import files_of, kept_project, restored
from workbench.session.runs import RunState


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
    assert refused.state is RunState.FAILED and "only the project names it" in refused.message
    offer = next(message for message in session.messages.open if message.action_text == "Allow it")
    assert offer.action is not None
    offer.action()
    assert judged(session, wait_until, learner, Holdout()).state is RunState.DONE


def test_files_are_found_in_learners_within_and_in_methods() -> None:
    within = BayesianNetwork(structure="file", network_file="a.bif")
    assert list(files_of(Bagging(base=within))) == ["a.bif"]
    assert list(files_of(TestFile(path="t.csv"))) == ["t.csv"]
