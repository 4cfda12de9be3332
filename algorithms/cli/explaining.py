"""Subcommand ``explain``: which attributes drive a learner's models, on records that these did not learn from."""

from __future__ import annotations

import argparse
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from algorithms.cli.arguments import (
    LearnerArgument,
    WrongUseError,
    add_arguments,
    check_columns,
    check_output,
    id_and_all_assignments,
    method_of,
    share,
    whole,
    without_effect,
)
from algorithms.cli.output import (
    STOPPED,
    add_neutral,
    as_json,
    check_neutral,
    print_result,
    print_warnings,
    warnings_about_table,
    watched,
    write_rows,
)
from algorithms.cli.sources import add_recipe, recipe_of, source_of_options, with_class

if TYPE_CHECKING:
    from algorithms.core.registry import Registry
    from algorithms.core.run_control import RunContext
    from algorithms.evaluation.attribute_importance import AttributeImportance
    from algorithms.evaluation.checks.warning import ResultWarning

MOST_REPEATS: Final = 1_000


class _Measures:
    """Ids of the measures, imported only when the help is printed or a measure is checked."""

    def __str__(self) -> str:
        from algorithms.evaluation.attribute_importance import importance_measures

        return ", ".join(measure.id for measure in importance_measures())


def explain_learner(options: argparse.Namespace, registry: Registry) -> int:
    """Print the importance of all attributes as a table or as JSON; returns the exit code."""
    from algorithms.evaluation.attribute_importance import attribute_importance, importance_measures

    learner_id, given = id_and_all_assignments(options.learner, options.p)
    typed = LearnerArgument(learner_id, given, registry)
    method, unread = method_of(options, registry)
    recipe = recipe_of(options, registry)
    known = [measure.id for measure in importance_measures()]
    if options.measure is not None and options.measure not in known:
        raise WrongUseError(f"--measure: there is no {options.measure!r} here. There are: {', '.join(known)}.")
    if options.drop_column and options.repeats is not None:
        raise WrongUseError("--repeats counts permutations: leave it out with --drop-column.")
    source = source_of_options(options, registry)
    check_output("--out", options.out, options.data, *options.append, options.recipe, *typed.files)
    check_neutral(options, options.out)
    idle = [*without_effect(typed.unread, given), *unread]

    def work(context: RunContext) -> tuple[AttributeImportance, list[ResultWarning], str, bool]:
        data = with_class(source(context.child(0.0, 1)), options.class_name)
        check_columns([method], data.schema)
        learner = typed.of(data.schema.classes)
        check_columns([*recipe, learner], data.schema)
        found = attribute_importance(
            learner,
            data,
            method,
            context.child(1.0, 0, same_seed=True),
            recipe=recipe,
            measure=options.measure or "",
            drops=options.drop_column,
            least=options.grouped or None,
            **({} if options.repeats is None else {"n_repeats": options.repeats}),
        )
        if context.finishing:
            return found, idle, data.origin.description, True
        warnings = idle + warnings_about_table(data, recipe, context.child(0.0, 2))
        return found, warnings, data.origin.description, context.finishing

    found, warnings, reading, is_stopped = watched(
        work, options.seed, options.threads, may_finish=True, cluster=options.cluster
    )
    if options.out:
        write_rows(options.out, found.rows(), options.neutral)
    if options.json:
        whole_json = {**found.to_json(), "method": method.to_json(), "seed": options.seed, "reading": reading}
        print_result({**whole_json, "warnings": as_json(warnings)})
    else:
        print_result(_text(found, f"{typed.unread.name}, {method.described()}"))
        print_warnings(warnings)
    return STOPPED if is_stopped else 0


def _text(found: AttributeImportance, tested: str) -> str:
    from algorithms.evaluation.report import table

    notes = [] if found.is_whole else [f"Note: {len(found.base)} of {found.n_folds} test parts were tested."]
    notes += [f"Note: {remark}" for remark in found.remarks]
    head = f"{found.title}: {tested}\n{found.sentence}"
    return "\n\n".join([head, table(found.written_rows()), *(["\n".join(notes)] if notes else [])])


def add_explain(verbs: Any) -> None:
    explain = verbs.add_parser("explain", help="which attributes drive a learner, tested on records it did not see")
    add_arguments(explain, "data", "--sheet", "--query", "--http", "--widths", "--read", "--sample", "--append")
    add_arguments(explain, "--file-column")
    add_arguments(explain, "--learner", "-p", "--class")
    add_recipe(explain)
    add_arguments(explain, "--method")
    measure = explain.add_argument(
        "--measure", metavar="ID", help="the measure that falls: %(measures)s (default: accuracy or AUC, as runs rank)"
    )
    vars(measure)["measures"] = _Measures()
    explain.add_argument(
        "--repeats",
        metavar="N",
        type=partial(whole, least=1, most=MOST_REPEATS),
        help="permutations of each attribute in each fold (default: 5)",
    )
    explain.add_argument(
        "--drop-column", action="store_true", help="train again without each attribute instead of permuting its values"
    )
    explain.add_argument(
        "--grouped",
        metavar="SHARE",
        type=share,
        default=0.7,
        help="also change attributes together whose association is at least this; 0 for no groups (default: 0.7)",
    )
    add_arguments(explain, "--seed", "--threads", "--cluster")
    explain.add_argument("--out", metavar="FILE", help="write the table here as CSV")
    add_neutral(explain)
    add_arguments(explain, "--json")
    explain.set_defaults(run=explain_learner)
