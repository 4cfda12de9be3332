"""The curves of ``evaluate``: which are wanted, in the answer and in files."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from algorithms.cli.output import check_neutral, write_csv_text
from algorithms.cli.words import WrongUseError, id_and_assignments
from algorithms.core.configuring import configured
from algorithms.core.errors import DataError, ParameterError
from algorithms.core.suggestions import did_you_mean

if TYPE_CHECKING:
    from algorithms.core.columns import FloatArray
    from algorithms.core.context import RunContext
    from algorithms.core.registry import Registry
    from algorithms.evaluation.costs import CostMatrix
    from algorithms.evaluation.curve_kind import CurveKind
    from algorithms.evaluation.metrics import Report
    from algorithms.evaluation.result import EvaluationResult
    from algorithms.evaluation.traces import Trace


@dataclass(frozen=True, eq=False)
class Drawn:
    """One curve of one class."""

    kind: CurveKind
    label: str
    trace: Trace


@dataclass(frozen=True)
class WantedCurves:
    """Kinds of curves, the classes they are of (none: the class of interest), and the folder to write them to.

    ``neutral`` neutralises formulas in what is written.
    """

    kinds: tuple[CurveKind, ...]
    labels: tuple[str, ...]
    folder: str | None
    neutral: bool = False

    @classmethod
    def of(cls, options: argparse.Namespace, registry: Registry) -> WantedCurves:
        """What the command asks for; raises :class:`WrongUseError` where that means nothing."""
        from algorithms.evaluation.curve_kinds import shelf

        kinds: list[CurveKind] = []
        for text in options.curve:
            id, assignments = id_and_assignments(text)
            kinds.append(cast("CurveKind", configured(shelf().get(id), assignments, registry.resolve)))
        if not kinds and (options.curve_class or options.curve_out):
            raise WrongUseError("--curve-class and --curve-out need --curve ID (see: list curves).")
        if len({kind.id for kind in kinds}) < len(kinds) and options.curve_out:
            raise WrongUseError("--curve-out writes one file a kind of curve: ask for each kind once.")
        if options.curve_out and not Path(options.curve_out).is_dir():
            raise DataError("The curves cannot be written: there is no such folder.", place=options.curve_out)
        check_neutral(options, options.curve_out, "--curve-out FOLDER")
        return cls(tuple(kinds), tuple(options.curve_class), options.curve_out, options.neutral)

    def check(self, classes: Sequence[str]) -> None:
        """Raise :class:`ParameterError` where there is no class of a wanted label."""
        for label in self.labels:
            if label not in classes:
                remedy = did_you_mean(label, classes) or f"There are: {', '.join(classes)}."
                raise ParameterError(f"There is no class {label!r} to draw curves of.", remedy=remedy)

    def drawn(
        self,
        result: EvaluationResult,
        report: Report,
        costs: CostMatrix | None,
        amounts: FloatArray | None,
        context: RunContext,
    ) -> list[Drawn]:
        """The curves of a result; raises :class:`ParameterError` where there is no such class."""
        if not self.kinds:
            return []
        self.check(result.classes)
        from algorithms.evaluation.class_curves import class_curves
        from algorithms.evaluation.mean_cost import by_price
        from algorithms.evaluation.verdict import default_class_of_interest

        found: list[Drawn] = []
        table = None if costs is None else costs.ordered(result.classes)
        for label in self.labels or (result.classes[default_class_of_interest(report)],):
            made = class_curves(result, result.classes.index(label), context.checkpoint)
            paid, prices = made, table
            if table is not None and amounts is not None:
                priced, usual = by_price(result, amounts)
                prices = usual * table
                paid = class_curves(priced, result.classes.index(label), context.checkpoint)
            for kind in self.kinds:
                trace = kind.trace(paid, prices) if kind.weighs_amounts else kind.trace(made, table)
                found.append(Drawn(kind, label, trace))
        return found

    def save(self, curves: Sequence[Drawn]) -> None:
        """Write a CSV file for each kind of curve; raises :class:`DataError` where one cannot be written."""
        from algorithms.evaluation.traces import traces_to_csv

        for kind in self.kinds if self.folder is not None else ():
            path = Path(self.folder or "") / f"{kind.id}.csv"
            of_kind = [([each.label], each.trace) for each in curves if each.kind is kind]
            write_csv_text(path, traces_to_csv(of_kind, ["Class"]), self.neutral)

    def text(self, curves: Sequence[Drawn]) -> str:
        """What each curve says in one line, and where its points are."""
        from algorithms.evaluation.presentation import number

        lines = [
            f"{each.kind.name}, {each.label}: {each.trace.value_words} {number(each.trace.value)}" for each in curves
        ]
        if curves:
            where = f"saved in {self.folder}" if self.folder else "saved with --curve-out FOLDER, shown with --json"
            lines.append(f"Their points are {where}.")
        return "\n".join(lines)


def curves_to_json(curves: Sequence[Drawn]) -> list[dict[str, Any]]:
    """The curves as JSON values."""
    from algorithms.evaluation.traces import trace_to_json

    return [{**each.kind.to_json(), "class": each.label, **trace_to_json(each.trace)} for each in curves]
