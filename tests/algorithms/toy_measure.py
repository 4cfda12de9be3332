"""A measure made for tests, as ``resources/docs/how-to-add-a-measure.md`` says; run, it prints what the program shows.

A process of its own registers it: the program has no way to take a measure back.
"""

from __future__ import annotations

import json
import sys
from contextlib import redirect_stdout
from io import StringIO
from typing import Any, Final

import numpy as np

from algorithms.core.scores import FormulaWorking, Term
from algorithms.evaluation.measures.confusion_counts import BinaryCounts
from algorithms.evaluation.measures.measure import ClassColumn, Measure, PermutationWords
from algorithms.evaluation.measures.registry import MEASURES


def fowlkes_mallows(counts: BinaryCounts) -> FormulaWorking:
    """The geometric mean of precision and recall (Fowlkes and Mallows 1983)."""
    precision, recall = counts.precision().value, counts.recall().value
    value = None if precision is None or recall is None else float(np.sqrt(precision * recall))
    terms = (Term("p", precision, "precision"), Term("r", recall, "recall"))
    return FormulaWorking("Fowlkes-Mallows", "√({p} · {r})", terms, value, source="Fowlkes and Mallows 1983")


TOY: Final = Measure(
    "fowlkes-mallows",
    "Fowlkes-Mallows",
    "The geometric mean of precision and recall of {class}.",
    of_class=lambda given, code: fowlkes_mallows(given.report.per_class[code].counts),
    symbol="FM",
    term="Fowlkes-Mallows index",
    is_averaged=True,
    curve=lambda matrices, _costs, _beta: np.sqrt(matrices.precision * matrices.recall),
    column=ClassColumn("FM", "The geometric mean of its precision and its recall"),
    permutation=PermutationWords("Fowlkes-Mallows index", "the Fowlkes-Mallows index is {}"),
    key="fowlkes_mallows",
)
COMMAND: Final = ("evaluate", "sample:iris", "--learner", "zero-r", "--method", "holdout", "--shuffle")


def _printed(*argv: str) -> str:
    from algorithms.cli import main

    with redirect_stdout(StringIO()) as output:
        assert main(argv) == 0
    return output.getvalue()


def everything_shown() -> dict[str, Any]:
    """What tables, tooltips, choices, JSON and the command line say of the toy."""
    from algorithms.catalogue import builtin
    from algorithms.core.run_control import RunContext
    from algorithms.evaluation.compare.permutation_test import ShuffleOptions
    from algorithms.evaluation.curves.curve_base import class_curves
    from algorithms.evaluation.curves.curve_kinds import ThresholdCurve
    from algorithms.evaluation.measures.metrics import report
    from algorithms.evaluation.methods.methods import TrainingSet
    from algorithms.evaluation.runner import evaluate
    from algorithms.learners.trees.zero_r import ZeroR
    from tests.workbench.window_helpers import small_data
    from workbench.tabs.evaluate.numbers import class_headers, class_rows, lines

    assert builtin() is not None
    result = evaluate(ZeroR(), small_data(20), TrainingSet(), RunContext(seed=1))
    judged = report(result)
    (row,) = [line for line in lines(judged, 0, None) if line.name == TOY.name]
    trace = ThresholdCurve(measure=TOY.id).trace(class_curves(result, 0))
    return {
        "precision and recall": [judged.per_class[0].precision, judged.per_class[0].recall],
        "tip": row.tip,
        "label": judged.classes[0],
        "texts": [row.whole.text, row.of_class.text],
        "value": row.of_class.value,
        "workings": [working.sentence() for working in (*row.whole.workings, *row.of_class.workings)],
        "headers": class_headers(),
        "cells": [[figure.text for figure in cells] for cells in class_rows(judged)],
        "curves": [option.word for option in ThresholdCurve.parameters()[0].options],
        "curve": [trace.up.words, float(np.nanmax(trace.y))],
        "permutation choices": [option.label for option in ShuffleOptions.parameters()[0].options],
        "json": json.loads(_printed(*COMMAND, f"2:measure={TOY.id}", "--json")),
        "text": _printed(*COMMAND, f"2:measure={TOY.id}"),
        "help": _printed("evaluate", "--help"),
    }


if __name__ == "__main__":
    MEASURES.add(TOY.id, TOY)
    sys.stdout.write(json.dumps(everything_shown()))
