"""The verb ``evaluate``: judging a learner on data."""

from __future__ import annotations

import argparse
from dataclasses import dataclass, replace
from time import perf_counter
from typing import TYPE_CHECKING, Any, Final

from algorithms.cli.curves import WantedCurves, curves_to_json
from algorithms.cli.luck import luck_to_json, luck_to_text
from algorithms.cli.output import say
from algorithms.cli.recipes import recipe_of
from algorithms.cli.searching import check_search, search_to_text, searched_to_json, with_search
from algorithms.cli.sources import source_of, with_class
from algorithms.cli.warnings import as_json, print_warnings, warnings_about_run
from algorithms.cli.watching import STOPPED, watched
from algorithms.cli.words import (
    WrongUseError,
    assignments_of,
    check_column,
    check_columns,
    check_folder,
    id_and_all_assignments,
    id_and_assignments,
    made,
    refuse_to_write_over,
    without_effect,
)
from algorithms.core.errors import Cancelled

if TYPE_CHECKING:
    from algorithms.core.columns import FloatArray
    from algorithms.core.context import RunContext
    from algorithms.core.data import Dataset
    from algorithms.core.hyperplanes import Hyperplanes
    from algorithms.core.learner import Learner
    from algorithms.core.registry import Registry
    from algorithms.core.resampling import Method
    from algorithms.core.trained import TrainedClassifier
    from algorithms.evaluation.costs import CostMatrix
    from algorithms.evaluation.metrics import Report
    from algorithms.evaluation.result import EvaluationResult
    from algorithms.evaluation.runner import FoldDone
    from algorithms.evaluation.shuffling import ShuffleTest
    from algorithms.evaluation.warning import ResultWarning


@dataclass(frozen=True, eq=False)
class Judged:
    """What an evaluation yields, with the records it was made on where they are in memory."""

    result: EvaluationResult
    trained: TrainedClassifier | None
    """The model of all records; None where the run was stopped before it was learned."""
    costs: CostMatrix | None = None
    amounts: FloatArray | None = None
    data: Dataset | None = None
    test_data: Dataset | None = None

    @property
    def name(self) -> str:
        """What the table is called."""
        return (
            self.data.origin.name if self.data is not None else "" if self.trained is None else self.trained.data_name
        )


SHARE_OF_JUDGING: Final = 0.9
NO_MODEL: Final = "The model of all records was not learned or saved: the run was stopped."
NOT_IN_PIECES: Final = "A column of costs needs the whole table in memory: it does not go with --in-pieces."


def evaluate_learner(options: argparse.Namespace, registry: Registry) -> int:
    from algorithms.evaluation.costs import read_costs, zero_one
    from algorithms.evaluation.mean_cost import amounts_of, check_amounts
    from algorithms.evaluation.metric_options import MetricOptions
    from algorithms.evaluation.metrics import report
    from algorithms.evaluation.presentation import plain, report_to_json, report_to_text
    from algorithms.evaluation.runner import evaluate, train
    from algorithms.evaluation.shuffling import ShuffleOptions, shuffle_test
    from algorithms.linear.coefficient_table import coefficients_to_json, coefficients_to_text
    from algorithms.persistence.models import save_model

    learner_id, given = id_and_all_assignments(options.learner, options.p)
    learner: Learner = made(registry.learners.get(learner_id), given, registry)
    idle = without_effect(learner, given)
    learner = with_search(learner, options.search, options.strategy)
    id, assignments = id_and_assignments(options.method or ("holdout" if options.in_pieces else "cross-validation"))
    method: Method = made(registry.methods.get(id), assignments, registry)
    idle += without_effect(method, assignments)
    recipe = recipe_of(options, registry)
    wanted = WantedCurves.of(options, registry)
    measures: MetricOptions = made(MetricOptions, assignments_of(options.measure, "--measure"), registry)
    shuffles, by_measure = id_and_assignments(options.shuffle or "")
    if options.shuffle is not None and not (shuffles.isascii() and shuffles.isdecimal() and 0 < int(shuffles) < 10**6):
        raise WrongUseError(f"--shuffle {options.shuffle}: give a number of tables, such as 99 or 99:measure=auc.")
    luck_by: ShuffleOptions = made(ShuffleOptions, by_measure, registry)
    source = source_of(options.data, registry, options.sheet)
    check_search(learner, recipe)
    if options.in_pieces and (recipe or options.search or options.data.startswith("sample:") or options.sheet):
        raise WrongUseError(
            "--in-pieces is for text files as they are: no --filter, --recipe, --search, --sheet or sample."
        )
    if options.in_pieces and options.shuffle is not None:
        raise WrongUseError("--shuffle needs the whole table in memory: it does not go with --in-pieces.")
    if options.in_pieces and options.cost_amounts:
        raise WrongUseError(NOT_IN_PIECES)
    if options.coefficients and learner_id != "logistic-regression":
        raise WrongUseError(f"--coefficients is for logistic-regression, not for {learner_id}.")
    if method.needs_test_data and not method.values()["path"]:
        raise WrongUseError(f"{id} needs a file: --method {id}:path=FILE")
    for read in (options.data, options.costs, method.values().get("path")):
        refuse_to_write_over(read, "--save", options.save)
    check_folder(options.save)
    begin = perf_counter()

    def costs_of(classes: tuple[str, ...]) -> CostMatrix | None:
        costs = None if options.costs is None else read_costs(options.costs, classes)
        if options.cost_amounts:
            costs = replace(costs or zero_one(classes), amounts=options.cost_amounts)
        if options.in_pieces and costs is not None and costs.amounts:
            raise WrongUseError(NOT_IN_PIECES)
        return costs

    def in_pieces(context: RunContext) -> Judged:
        from algorithms.evaluation.in_pieces import grow_in_pieces

        found = grow_in_pieces(learner, options.data, method, context, class_name=options.class_name)
        return Judged(found.result, found.trained, costs_of(found.result.classes))

    def judged(context: RunContext) -> Judged:
        data = with_class(source(context), options.class_name)
        wanted.check(data.schema.classes)
        check_columns([method], data.schema)
        check_columns([*recipe, learner], data.schema)
        costs = costs_of(data.schema.classes)
        test_data = source_of(method.values()["path"], registry)(context) if method.needs_test_data else None
        tested = data if test_data is None else test_data
        if costs is not None and costs.amounts:
            check_column(tested.schema, costs.amounts, "--cost-amounts")
            check_amounts(tested, costs.amounts)
        loaded = perf_counter()
        judging = context.child(SHARE_OF_JUDGING, key=0, same_seed=True)
        result = evaluate(learner, data, method, judging, recipe=recipe, test_data=test_data)
        result = replace(result, timings=replace(result.timings, load=loaded - begin))
        judging.complete()
        amounts = None
        if costs is not None and costs.amounts:
            amounts = amounts_of(result, tested, costs.amounts)
        training = context.child(1 - SHARE_OF_JUDGING, key=1, finish_cancels=True)
        trained = None
        if not context.finishing:
            context.say("Training on all records")
            try:
                trained = train(learner, data, recipe, training, method)
            except Cancelled:
                context.checkpoint()
        return Judged(result, trained, costs, amounts, data, test_data)

    def shuffled(result: EvaluationResult, context: RunContext) -> ShuffleTest | None:
        if options.shuffle is None or context.finishing:
            return None
        data = with_class(source(context.child(0.0, key=2)), options.class_name)
        test_data = source_of(method.values()["path"], registry)(context) if method.needs_test_data else None
        part, planned = context.child(1.0, key=3), int(shuffles)
        return shuffle_test(result, data, part, planned=planned, test_data=test_data, measure=luck_by.measure)

    def work(context: RunContext) -> tuple[dict[str, Any] | str, list[ResultWarning], bool]:
        done = in_pieces(context) if options.in_pieces else judged(context)
        result, trained, costs, amounts = done.result, done.trained, done.costs, done.amounts
        if options.save and trained is not None:
            save_model(options.save, trained)
        summary = report(result, costs, amounts, context.checkpoint)
        curves = wanted.drawn(result, summary, costs, amounts, context)
        wanted.save(curves)
        luck = shuffled(result, context)
        warnings = idle + _warnings(done, summary, context, is_tested_for_luck=luck is not None)
        if not options.json:
            told = "" if trained is None else search_to_text(trained.search, result)
            leaks = [warning.leak for warning in warnings if warning.leak]
            said = (report_to_text(result, summary, leaks), told, wanted.text(curves), luck_to_text(luck))
            last = NO_MODEL if trained is None else _model_line(trained, options.save)
            planes = _planes(trained) if options.coefficients else None
            table = "" if planes is None else coefficients_to_text(planes)
            return "\n\n".join(filter(None, (*said, table, last))), warnings, context.finishing
        values = report_to_json(result, summary, measures)
        if curves:
            values["curves"] = plain(curves_to_json(curves))
        if luck is not None:
            values["shuffle"] = luck_to_json(luck)
        values["data"] = done.name
        values["reading"] = "" if done.data is None else done.data.origin.description
        values["model"] = None if trained is None else plain({"id": trained.model.id, **trained.model.facts()})
        planes = _planes(trained) if options.coefficients else None
        if planes is not None:
            values["model"].update(plain(coefficients_to_json(planes)))
        values["search"] = None if trained is None else plain(searched_to_json(trained, result))
        values["seconds"]["total"] = perf_counter() - begin
        values["warnings"] = as_json(warnings, result.remarks())
        return values, warnings, context.finishing

    judged_folds: list[FoldDone] = []

    def heard(event: object) -> None:
        from algorithms.evaluation.runner import FoldDone

        if isinstance(event, FoldDone) and event.failed is None:
            judged_folds.append(event)

    found, warnings, is_stopped = watched(
        work,
        options.seed,
        options.threads,
        heard,
        may_finish=lambda: options.in_pieces or bool(judged_folds),
    )
    say(found)
    if not options.json:
        print_warnings(warnings)
    return STOPPED if is_stopped else 0


def _warnings(done: Judged, summary: Report, context: RunContext, *, is_tested_for_luck: bool) -> list[ResultWarning]:
    """What is to be said; of records that were read in pieces only how they were tested."""
    from algorithms.evaluation.evaluation_warnings import evaluation_warnings
    from algorithms.evaluation.run_checks import NOTHING

    if done.data is None or done.trained is None:
        found = evaluation_warnings(done.result, summary, NOTHING)
    else:
        found = warnings_about_run(done.result, summary, done.data, done.test_data, done.trained, context)
    return [each for each in found if not (is_tested_for_luck and each.id == "luck")]


def _planes(trained: TrainedClassifier | None) -> Hyperplanes | None:
    """The coefficients of the model of all records, where there is one that has any."""
    from algorithms.core.hyperplanes import Hyperplanes

    found = None if trained is None else trained.model.structure()
    return found if isinstance(found, Hyperplanes) else None


def _model_line(trained: TrainedClassifier, saved: str | None) -> str:
    counted = trained.model.facts().items()
    facts = ", ".join(_counted(value, name) if name.endswith("s") else f"{name} {value:g}" for name, value in counted)
    remark = f"; {trained.model.remark()}" if trained.model.remark() else ""
    where = f"{remark}, saved as {saved}" if saved else remark
    return f"The model of all records: {facts or trained.learner.name}{where}."


def _counted(n: float, plural: str) -> str:
    """ "1 leaf", "5 leaves": a number of things whose plural is given."""
    if n != 1:
        return f"{n:g} {plural}"
    return f"1 {plural.removesuffix('aves') + 'af' if plural.endswith('aves') else plural.removesuffix('s')}"
