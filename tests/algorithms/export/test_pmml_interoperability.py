"""JPMML and PMML4S evaluate what is exported as the model does.

They need Java and the packages of the extra ``pmml``; both are asked in one process each, for all models at once.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from algorithms.core.filters import Recipe
from algorithms.core.learner import Learner
from algorithms.core.run_control import RunContext
from algorithms.evaluation.costs.decision_rules import rule_words
from algorithms.evaluation.runner import train
from algorithms.export.formats import exported
from algorithms.filters.discretize import Discretize
from algorithms.filters.replace_missing import ReplaceMissing
from algorithms.learners.linear.discriminant_analysis import LinearDiscriminant
from algorithms.learners.linear.logistic_regression import LogisticRegression
from algorithms.learners.rules.part import Part
from algorithms.learners.rules.ripper import Ripper
from algorithms.learners.rules.sequential_covering import SequentialCovering
from algorithms.learners.trees.c45 import C45
from algorithms.learners.trees.cart import Cart
from algorithms.learners.trees.chaid import Chaid
from algorithms.learners.trees.oblique import ObliqueTree
from tests.algorithms.battery_data import mixed
from tests.algorithms.export.test_decision_exports import RULES, with_rule
from tests.algorithms.export.test_exports import odd_data, rows
from tests.algorithms.export.test_linear_exports import far_data

EVALUATORS = {
    "jpmml": """
import json, sys
from jpmml_evaluator import make_evaluator
from jpmml_evaluator.jpype import JPypeBackend
backend = JPypeBackend()
results = []
for case in json.load(open(sys.argv[1], encoding="utf-8")):
    evaluator = make_evaluator(case["file"], backend=backend).verify()
    results.append([evaluator.evaluate(record) for record in case["records"]])
json.dump(results, open(sys.argv[2], "w", encoding="utf-8"))
""",
    "pmml4s": """
import json, sys
from pypmml import Model
results = []
for case in json.load(open(sys.argv[1], encoding="utf-8")):
    model = Model.fromFile(case["file"])
    results.append(json.loads(model.predict(json.dumps(case["records"]))))  # one call: each takes a twentieth second
Model.close()  # it ends Java: after every model, the next would start another beside it
json.dump(results, open(sys.argv[2], "w", encoding="utf-8"))
""",
}
JAVA_OPTIONS = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
"""Java for a short life: it compiles what runs often once, quickly."""
PACKAGES = {"jpmml": ("jpmml_evaluator", "jpype"), "pmml4s": ("pypmml", "py4j")}
LEARNERS: dict[str, Learner] = {
    "C4.5": C45(pruning="none"),
    "C4.5, grouped": C45(pruning="none", criterion="chi-square", nominal_splits="grouped"),
    "CART": Cart(pruning="none"),
    "CHAID": Chaid(min_split=5, min_leaf=2, alpha=0.5),
    "oblique": ObliqueTree(pruning="none"),
    "PART": Part(),
    "RIPPER": Ripper(),
    "CN2, voting": SequentialCovering(order="unordered"),
    "logistic": LogisticRegression(),
    "discriminant": LinearDiscriminant(),
}
RECIPES: dict[str, Recipe] = {"as it is": (), "filled": (ReplaceMissing(),), "cut": (Discretize(),)}
FAR = far_data(1, 1.0), far_data(2, 1.0, far=30)
"""Records with scores beyond 1e12, whose exponentials PMML4S cannot compute."""


@cache
def cases() -> tuple[dict[str, Any], ...]:
    """Models of plain and of odd tables, with records that lack values, and what each model says of them.

    The plain table has a class without a record.
    """
    made = []
    for learner in LEARNERS.values():
        for recipe in RECIPES.values():
            for training, other in (
                (mixed(300, 3, missing=0.15), mixed(20, 9, missing=0.2)),
                (odd_data(2, 200, line_end="\n"), odd_data(52, 20, missing=0.25, line_end="\n")),
                *([FAR] if learner.family == "Linear" and not recipe else []),
            ):
                model = train(learner, training, recipe, RunContext(seed=1))
                decided = [with_rule(model, name) for name in RULES] if not recipe else []
                for trained in (model, *decided):
                    rule = rule_words(trained.deciding)
                    made.append(
                        {
                            "name": f"{learner.summary()} of {training.schema.class_attribute.name}, {rule}",
                            "text": exported(trained, "pmml"),
                            "records": rows(other),
                            "classes": trained.classes,
                            "probabilities": trained.predict_proba(other),
                            "decisions": [trained.classes[code] for code in trained.predict(other)],
                            "class": trained.input_schema.class_attribute.name,
                            "is_far": other is FAR[1],
                        }
                    )
    return tuple(made)


@pytest.mark.timeout(600)
@pytest.mark.parametrize("evaluator", EVALUATORS)
def test_other_programs_evaluate_what_is_exported_as_the_model_does(evaluator: str, tmp_path: Path) -> None:
    if shutil.which("java") is None:
        pytest.skip("Java is not there")
    if any(find_spec(package) is None for package in PACKAGES[evaluator]):
        pytest.skip(f"{PACKAGES[evaluator][0]} is not installed: it is in the extra pmml")
    asked, given = [], [case for case in cases() if evaluator == "jpmml" or not case["is_far"]]
    for nth, case in enumerate(given):
        path = tmp_path / f"{nth}.pmml"
        path.write_text(case["text"], encoding="utf-8")
        asked.append({"file": str(path), "records": case["records"]})
    questions, answers, script = tmp_path / "asked.json", tmp_path / "answers.json", tmp_path / "evaluate.py"
    questions.write_text(json.dumps(asked), encoding="utf-8")
    script.write_text(EVALUATORS[evaluator], encoding="utf-8")
    environment = {**os.environ, "JAVA_TOOL_OPTIONS": JAVA_OPTIONS}
    run = subprocess.run(
        [sys.executable, script, questions, answers], env=environment, capture_output=True, text=True, timeout=500
    )
    assert run.returncode == 0, run.stderr[-2000:]
    for case, results in zip(given, json.loads(answers.read_text(encoding="utf-8")), strict=True):
        shares = [[float(result[f"probability {label}"]) for label in case["classes"]] for result in results]
        assert np.allclose(shares, case["probabilities"], atol=1e-7), case["name"]
        order = np.sort(case["probabilities"], axis=1)
        for result, decision, top in zip(results, case["decisions"], order, strict=True):
            if top[-1] - top[-2] > 1e-9:
                assert result[f"predicted {case['class']}"] == decision, case["name"]
