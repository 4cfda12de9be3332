"""A committee among the records: rounds of boosting as sizes of dots, and what trees take for alike, as lines."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QSlider

from algorithms.core.run_control import RunContext
from algorithms.evaluation.methods.methods import Holdout
from algorithms.learners.ensembles.adaboost import AdaBoost
from algorithms.learners.ensembles.model import CommitteeModel
from algorithms.learners.ensembles.random_forest import RandomForest, proximities
from algorithms.learners.trees.model import TreeModel
from tests.algorithms.learners.rules.hand_made import sample
from tests.expected_texts import tabs_visualize as wording
from tests.workbench.stage import Stage
from tests.workbench.window_helpers import Wait, judged, part, show_view
from workbench.layout.points import SIZES, sizes_of
from workbench.tabs.visualize.scatter.records_views import SCATTER, RecordsViews, ScatterPane
from workbench.tabs.visualize.tab import VisualizeTab
from workbench.viewers.ensemble.ensemble_view import ALIKE, MEMBERS, VOTE, WEIGHTS, EnsembleView
from workbench.widgets.buttons import IconButton


def test_rounds_are_stepped_through_by_keys_and_the_records_are_as_large_as_they_weigh(
    stage: Stage, wait_until: Wait
) -> None:
    session = stage.session(sample("stumps"))
    tab = stage.show(VisualizeTab(session), 1240, 700)
    run = judged(session, wait_until, AdaBoost(members=4), Holdout())
    wait_until(lambda: any(view.isVisible() for view in tab.findChildren(EnsembleView)), 60)
    view = next(view for view in tab.findChildren(EnsembleView) if view.isVisible())
    wait_until(lambda: tab.findChild(RecordsViews) is not None)
    records = tab.findChild(RecordsViews)
    assert isinstance(records, RecordsViews)
    scatter = records._pane(SCATTER)
    assert isinstance(scatter, ScatterPane)
    show_view(view, WEIGHTS)
    assert run.trained is not None
    QTest.keyClick(part(tab, QSlider, "visualize.committee.rounds.slider"), Qt.Key.Key_Home)
    scene = scatter.view.canvas.scene
    wait_until(lambda: scene.sizes is not None)
    assert scene.points is not None and scene.sizes is not None
    assert len(set(scene.sizes.tolist())) == 1  # before the first round all weigh the same
    assert scatter._stand_in is not None and len(scatter._stand_in.model.members) == 1  # type: ignore[attr-defined]
    QTest.mouseClick(part(tab, IconButton, "visualize.committee.rounds.forward"), Qt.MouseButton.LeftButton)
    assert view.members is not None and view.members.rounds is not None
    weights = view.members.rounds.counted[1]
    assert np.array_equal(scene.sizes, sizes_of(weights[scene.points.rows]))
    assert SIZES[int(scene.sizes.max())] > 1 > SIZES[int(scene.sizes.min())]
    assert wording.IN_ROUND_2 in scatter.view.remark.text()
    assert part(tab, QLabel, "visualize.committee.words").text().startswith(wording.ROUND_2_OF_4)
    show_view(view, VOTE)
    assert view.vote.chosen == 1
    view.vote.setFocus()
    QTest.keyClick(view.vote, Qt.Key.Key_Home)
    assert len(set(scene.sizes.tolist())) == 1
    show_view(view, MEMBERS)
    left: tuple[object, object] = (scatter.view.canvas.scene.sizes, scatter._stand_in)
    assert left == (None, None)


def test_areas_are_as_the_weights_and_the_mean_has_the_usual_size() -> None:
    found = [SIZES[size] for size in sizes_of(np.array([1.0, 1.0, 1.0])).tolist()]
    assert found == [1.0] * 3
    small, large = sizes_of(np.array([0.2, 4.0])).tolist()
    assert small < large


def test_records_that_the_trees_take_for_alike_are_listed_joined_and_gone_on_to(stage: Stage, wait_until: Wait) -> None:
    session = stage.session(sample("iris"))
    tab = stage.show(VisualizeTab(session), 1240, 700)
    run = judged(session, wait_until, RandomForest(members=9), Holdout())
    wait_until(lambda: any(view.isVisible() for view in tab.findChildren(EnsembleView)), 60)
    view = next(view for view in tab.findChildren(EnsembleView) if view.isVisible())
    wait_until(lambda: tab.findChild(RecordsViews) is not None)
    records = tab.findChild(RecordsViews)
    assert isinstance(records, RecordsViews)
    scatter = records._pane(SCATTER)
    assert isinstance(scatter, ScatterPane)
    show_view(view, ALIKE)
    words = part(tab, QLabel, "visualize.committee.words")
    wait_until(lambda: words.text().startswith(wording.RECORD_1))
    assert view.record.isVisible() and view.record.value() == 1 and len(view.rows()) > 1
    view.record.setValue(61)
    wait_until(lambda: words.text().startswith(wording.RECORD_61))
    assert session.selection.rows_of(run.data).tolist() == [60]
    assert run.trained is not None and isinstance(run.trained.model, CommitteeModel)
    model = run.trained.model
    shares = proximities(model, run.data.take([60]), run.data, RunContext())
    assert shares[60] == 1.0
    leaves = np.array([tree.leaves_of(run.data) for tree in model.members if isinstance(tree, TreeModel)])
    assert shares == pytest.approx((leaves == leaves[:, [60]]).mean(axis=0))
    first = int(view.rows()[1][0]) - 1
    assert shares[first] == np.delete(shares, 60).max() and view.rows()[1][2] == f"{100 * shares[first]:.0f}"
    assert words.text().startswith(wording.RECORD_61) and len(scatter.view.canvas.scene.links) == 10
    view.alike.setFocus()
    view.alike.setCurrentIndex(view.alike.model().index(0, 0))
    QTest.keyClick(view.alike, Qt.Key.Key_Return)
    assert session.selection.rows_of(run.data).tolist() == [first]
    wait_until(lambda: words.text().startswith(f"Record {first + 1} "))
