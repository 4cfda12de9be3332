"""Plots over a plane: the names of their axes."""

from __future__ import annotations

import pytest

from tests.workbench.stage import Stage
from workbench.viewers.charts.plane_plots import BoundaryPlot, PlanePlot, RuleStepsPlot, SurfacePlot

NAMES = ("pressure of the left ventricle before the exercise", "pressure of the left ventricle after the exercise")


@pytest.mark.parametrize("kind", [BoundaryPlot, RuleStepsPlot, SurfacePlot])
def test_the_names_of_the_axes_have_the_room_there_is_and_tooltips_have_them_whole(
    stage: Stage, kind: type[PlanePlot]
) -> None:
    plot = stage.show(kind("plot"), 900, 700)
    plot.set_names(NAMES)
    across = plot.getAxis("bottom")
    assert (across.labelText, across.toolTip()) == (NAMES[0], NAMES[0])
    shown = {NAMES[0]}
    for width in (300, 220):
        plot.resize(width, 700)
        shown.add(across.labelText)
        assert "…" in across.labelText and across.labelText[-4:] == NAMES[0][-4:] and across.toolTip() == NAMES[0]
    assert len(shown) == 3
