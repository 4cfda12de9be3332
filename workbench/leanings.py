"""Bias and variance of runs' learners: measured in jobs, ended early with what there is, kept with their runs."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, TypeGuard

from algorithms.core.context import RunContext
from workbench.run_jobs import RunFindings
from workbench.runs import Run

if TYPE_CHECKING:
    from algorithms.evaluation.leaning import Leaning, Plane
    from algorithms.persistence.findings import Findings


class Leanings(RunFindings["Leaning"]):
    """At most one measurement of a run at a time; the last one of each is kept."""

    def start(self, run: Run, sets: int, records: int, plane: Plane | None) -> None:
        """Learn from many training sets of the run's table, by its learner after its recipe."""

        def work(context: RunContext) -> Leaning:
            from algorithms.evaluation.leaning import leaning
            from algorithms.evaluation.tuned import tuned_base

            base = tuned_base(run.learner)
            return leaning(base, run.data, context, recipe=run.recipe, sets=sets, records=records, plane=plane)

        self._find(run, f"Bias and variance of run {run.number}", work)

    def _found_in(self, findings: Findings) -> Leaning | None:
        return findings.leaning

    def _found_with(self, findings: Findings, found: Leaning) -> Findings:
        return replace(findings, leaning=found)

    def _is_finding(self, event: object) -> TypeGuard[Leaning]:
        from algorithms.evaluation.leaning import Leaning

        return isinstance(event, Leaning)
