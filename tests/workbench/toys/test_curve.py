"""A new curve takes one class and one registration, and has its plot, options, table, file and JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from algorithms.catalogue import builtin
from algorithms.cli import main
from algorithms.core.registry import Registry
from algorithms.evaluation.curves.curve_kinds import CURVES
from algorithms.evaluation.methods.methods import CrossValidation
from tests.expected_texts import evaluation as evaluation_wording
from tests.expected_texts import toys as wording
from tests.workbench.stage import Stage
from tests.workbench.toys.centroids import CentroidModel, NearestCentroid
from tests.workbench.toys.det_curve import DetectionErrorTradeoff
from tests.workbench.toys.reading import check_texts, texts_of
from tests.workbench.window_helpers import Wait, judged, small_data
from workbench.tabs.evaluate.curve_pane import CurvePane
from workbench.tabs.evaluate.runs_checklist import SECOND
from workbench.tabs.evaluate.tab import EvaluateTab


@pytest.fixture(autouse=True)
def registered(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setitem(CURVES._added, DetectionErrorTradeoff.id, DetectionErrorTradeoff)
    yield


@pytest.fixture
def registry() -> Registry:
    registry = builtin()
    registry.add_learner(NearestCentroid, CentroidModel)
    return registry


def test_evaluate_draws_it_with_its_options_and_its_table(registry: Registry, stage: Stage, wait_until: Wait) -> None:
    session = stage.session(small_data(80), registry=registry)
    tab = stage.show(EvaluateTab(session), 1400, 900)
    judged(session, wait_until, NearestCentroid(), CrossValidation(folds=3))
    wait_until(lambda: tab.findChild(CurvePane) is not None)
    pane = tab.findChild(CurvePane)
    pane.choice.choose(DetectionErrorTradeoff.id)
    wait_until(lambda: wording.EQUAL_ERROR_RATE in str(pane.runs.item(0).data(SECOND)))
    texts = list(texts_of(pane))
    assert {DetectionErrorTradeoff.name, DetectionErrorTradeoff.sentence, wording.FPR_ACROSS} <= set(texts)
    check_texts(texts, allowed=r"^Margin$|\b(default|decision) rule\b")


def test_the_command_line_lists_draws_and_writes_it(
    registry: Registry, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["list", "curves"], registry) == 0
    assert "toy-det" in capsys.readouterr().out
    command = ["evaluate", "sample:iris", "--learner", "toy-centroid", "--method", "holdout", "--curve", "toy-det"]
    assert main([*command, "--curve-out", str(tmp_path), "--json"], registry) == 0
    curves = json.loads(capsys.readouterr().out)["curves"]
    assert {curve["id"] for curve in curves} == {"toy-det"}
    assert all(curve["value_is"] == wording.EQUAL_ERROR_RATE and 0 <= curve["value"] <= 1 for curve in curves)
    assert set(curves[0]["points"]) == {"Threshold", "FNR", evaluation_wording.FALSE_ALARMS}
    heading = (tmp_path / "toy-det.csv").read_text(encoding="utf-8").splitlines()[0]
    assert heading == wording.HEAD_OF_CURVE
