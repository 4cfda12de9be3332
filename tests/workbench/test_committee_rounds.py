"""The rounds of boosting among the records: dots as large as they weigh, the plane as the rounds so far say."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from algorithms.ensembles.adaboost import AdaBoost
from algorithms.evaluation.methods import Holdout
from tests.algorithms.rules.hand_made import sample
from tests.workbench.stage import Stage
from tests.workbench.window_helpers import Wait, judged, part, press
from workbench.geometry.point_sizes import SIZES, sizes_of
from workbench.parts import IconButton
from workbench.views.members import MembersView
from workbench.visualize.records import SCATTER, Records
from workbench.visualize.scatter_pane import ScatterPane
from workbench.visualize.tab import VisualizeTab


def test_rounds_are_stepped_through_by_keys_and_the_records_are_as_large_as_they_weigh(
    stage: Stage, wait_until: Wait
) -> None:
    session = stage.session(sample("stumps"))
    tab = stage.show(VisualizeTab(session), 1240, 700)
    run = judged(session, wait_until, AdaBoost(members=4), Holdout())
    wait_until(lambda: any(view.isVisible() for view in tab.findChildren(MembersView)), 60)
    view = next(view for view in tab.findChildren(MembersView) if view.isVisible())
    wait_until(lambda: tab.findChild(Records) is not None)
    records = tab.findChild(Records)
    assert isinstance(records, Records)
    scatter = records._pane(SCATTER)
    assert isinstance(scatter, ScatterPane)
    press(tab, "visualize.committee.show-weights")
    assert run.trained is not None
    first = part(tab, IconButton, "visualize.committee.rounds.first")
    QTest.mouseClick(first, Qt.MouseButton.LeftButton)
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
    assert "in round 2" in scatter.view.remark.text()
    press(tab, "visualize.committee.show-vote")
    assert view.vote.chosen == 1
    view.vote.setFocus()
    QTest.keyClick(view.vote, Qt.Key.Key_Home)
    assert len(set(scene.sizes.tolist())) == 1
    press(tab, "visualize.committee.show-members")
    left = (scatter.view.canvas.scene.sizes, scatter._stand_in)
    assert left == (None, None)


def test_areas_are_as_the_weights_and_the_mean_has_the_usual_size() -> None:
    found = [SIZES[size] for size in sizes_of(np.array([1.0, 1.0, 1.0])).tolist()]
    assert found == [1.0] * 3
    small, large = sizes_of(np.array([0.2, 4.0])).tolist()
    assert small < large
