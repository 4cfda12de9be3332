"""A new method takes one class and one registration, and has its form, words, JSON and place in a saved run."""

from __future__ import annotations

import json

import pytest
from PySide6.QtWidgets import QLabel

from algorithms.catalogue import builtin
from algorithms.cli import main
from algorithms.core.registry import Registry
from algorithms.learners.trees.zero_r import ZeroR
from tests.expected_texts import toys as wording
from tests.workbench.stage import Stage
from tests.workbench.toys.every_other import EveryOther
from tests.workbench.toys.reading import check_texts, texts_of
from tests.workbench.window_helpers import Wait, judged
from workbench.tabs.classify.methods import MethodChooser
from workbench.tabs.classify.run_summary import VerdictPane, about
from workbench.warnings.warnings import facts


@pytest.fixture
def registry() -> Registry:
    registry = builtin()
    registry.add_method(EveryOther)
    return registry


def test_the_form_offers_it_with_its_options(registry: Registry, stage: Stage) -> None:
    chooser = stage.show(MethodChooser(registry), 500, 700)
    chooser.set_value(EveryOther(step=4), 7)
    assert chooser.value() == EveryOther(step=4) and chooser.error() == ""
    texts = list(texts_of(chooser))
    assert {EveryOther.name, EveryOther.sentence, "Step"} <= set(texts)
    check_texts(texts)


def test_a_run_is_described_by_it(registry: Registry, stage: Stage, wait_until: Wait) -> None:
    session = stage.session(registry=registry)
    session.open_sample("iris")
    wait_until(lambda: session.summary is not None)
    pane = stage.show(VerdictPane(session), 700, 900)
    run = judged(session, wait_until, ZeroR(), EveryOther())
    assert wording.one_record_in(3) in about(run)
    assert about(run) in [label.text() for label in pane.findChildren(QLabel)]
    said = [text for fact in facts(session, session.analyses.checks) for text in (fact.sentence, fact.why)]
    assert not any("fold" in sentence for sentence in said), "it has no folds"
    check_texts(said)


def test_the_command_line_lists_it_and_judges_by_it(registry: Registry, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["list", "methods"], registry) == 0
    assert f"toy-every-other        {EveryOther.name}: {EveryOther.sentence}" in capsys.readouterr().out
    command = ["evaluate", "sample:iris", "--learner", "zero-r", "--method", "toy-every-other:step=5"]
    assert main([*command, "--json"], registry) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["method"] == {"id": "toy-every-other", "parameters": {"step": 5}} and found["n"] == 30
    assert main(command, registry) == 0
    printed = capsys.readouterr()
    assert wording.one_record_in(5) in printed.out and "fold" not in printed.out
    assert main([*command[:-1], "toy-every-other:step=1"], registry) == 2
    assert wording.STEP_FROM_2 in capsys.readouterr().err
