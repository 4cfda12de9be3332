"""A new structure takes one file, its viewer another and a line; both speak for it everywhere."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtWidgets import QLabel

from algorithms.catalogue import builtin
from algorithms.cli import main
from algorithms.core.registry import Registry
from algorithms.core.run_control import RunContext
from algorithms.evaluation.methods.methods import CrossValidation
from algorithms.export.formats import EXPORTERS
from algorithms.structures.members import Committee, Members
from tests.expected_texts import toys as wording
from tests.workbench.stage import Stage
from tests.workbench.toys.centroids import EXPORTER, CentroidModel, Centroids, NearestCentroid
from tests.workbench.toys.centroids_view import CentroidsView
from tests.workbench.toys.reading import check_texts, texts_of, texts_of_menu
from tests.workbench.window_helpers import Wait, judged, show_page, small_data
from workbench.session.session import Session
from workbench.tabs.classify.run_summary import VerdictPane
from workbench.tabs.visualize.explain.explain_page import WhatIfPane
from workbench.tabs.visualize.tab import VisualizeTab
from workbench.viewers.ensemble.members import row_of
from workbench.viewers.viewer_registry import VIEWERS


@pytest.fixture
def registry(monkeypatch: pytest.MonkeyPatch) -> Iterator[Registry]:
    registry = builtin()
    registry.add_learner(NearestCentroid, CentroidModel)
    monkeypatch.setitem(VIEWERS, Centroids.viewer_key, CentroidsView)
    EXPORTERS.append(EXPORTER)
    yield registry
    EXPORTERS.remove(EXPORTER)


@pytest.fixture
def session(stage: Stage, registry: Registry, wait_until: Wait) -> Session:
    session = stage.session(registry=registry)
    session.open_sample("iris")
    wait_until(lambda: session.summary is not None)
    return session


def test_classify_shows_its_title_its_facts_and_its_viewer(session: Session, stage: Stage, wait_until: Wait) -> None:
    pane = stage.show(VerdictPane(session), 700, 900)
    judged(session, wait_until, NearestCentroid(), CrossValidation(folds=3))
    wait_until(lambda: pane.findChild(CentroidsView) is not None and bool(pane.findChild(CentroidsView).rows))
    texts = list(texts_of(pane))
    assert "The centroids" in texts and wording.CENTROIDS_FACTS in texts
    check_texts(texts)


def test_visualize_shows_its_viewer_its_exports_and_asks_for_its_attributes(
    session: Session, stage: Stage, wait_until: Wait
) -> None:
    tab = stage.show(VisualizeTab(session), 1200, 800)
    run = judged(session, wait_until, NearestCentroid(), CrossValidation(folds=3))
    wait_until(lambda: tab.findChild(CentroidsView) is not None and bool(tab.findChild(CentroidsView).rows))
    view = tab.findChild(CentroidsView)
    assert [row[0] for row in view.rows] == ["class", "setosa", "versicolor", "virginica"]
    headings = [label.text() for label in tab.findChildren(QLabel)]
    assert wording.CENTROIDS_HEADING in headings
    offers = list(texts_of_menu(view.export.menu))
    assert {"Copy JSON", "Save JSON...", EXPORTER.sentence} <= set(offers)
    assert not {"Copy SQL", wording.COPY_CENTROIDS} & set(offers)
    show_page(tab, "explain")
    pane = tab.findChild(WhatIfPane)
    wait_until(lambda: wording.SETOSA_IS_NEAREST in [label.text() for label in pane.findChildren(QLabel)])
    assert set(pane.form.values) == set(run.trained.structure().attributes)
    check_texts([*texts_of(view), *offers, *texts_of(pane)])


def test_a_member_of_an_ensemble_is_described_by_it() -> None:
    data = small_data(30)
    centroids = NearestCentroid().fit(data, RunContext()).structure()
    members = Members(data.schema, (centroids, centroids), ("Nearest centroid",) * 2, np.ones(2), True, Committee())
    row = row_of(members, 0)
    assert "2 centroids" in row
    check_texts(list(row))


def test_the_command_line_exports_it_and_refuses_other_formats(
    registry: Registry, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    saved = str(tmp_path / "m")
    command = ["evaluate", "sample:iris", "--learner", "toy-centroid", "--method", "holdout", "--save", saved]
    assert main(command, registry) == 0
    printed = capsys.readouterr().out
    assert "3 centroids" in printed
    check_texts([line for line in printed.splitlines() if "centroid" in line])
    assert main(["export", saved, "--as", "json"], registry) == 0
    exported = json.loads(capsys.readouterr().out)
    assert exported["columns"][0] == "Sepal Length" and set(exported["centroids"]) == {
        "setosa",
        "versicolor",
        "virginica",
    }
    assert exported["comments"][0] == wording.CENTROIDS_WRITTEN
    check_texts(exported["comments"])
    assert main(["export", saved, "--as", "sql"], registry) == 1
    assert wording.NOT_EXPORTED_AS_SQL in capsys.readouterr().err
    assert (
        main(["evaluate", "sample:iris", "--learner", "zero-r", "--method", "holdout", "--save", saved], registry) == 0
    )
    assert main(["export", saved, "--as", "json"], registry) == 1
    assert wording.DISCRIMINANTS_CAN in capsys.readouterr().err
    assert main(["export", "--help"], registry) == 0
    assert wording.ONE_JSON_OBJECT in " ".join(capsys.readouterr().out.split())


@pytest.mark.parametrize("kind", list(VIEWERS))
def test_every_viewer_key_is_that_of_a_structure(kind: str) -> None:
    from algorithms.structures.model_structure import ModelStructure

    def kinds(of: type[ModelStructure]) -> Iterator[str]:
        for each in of.__subclasses__():
            yield each.viewer_key
            yield from kinds(each)

    assert kind in set(kinds(ModelStructure))
