"""The verb ``curve``: the error as the number of training records, or the value of an option, changes."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from algorithms.cli.arguments import (
    LearnerArgument,
    WrongUseError,
    assignments_of,
    check_columns,
    check_output,
    check_untried,
    id_and_all_assignments,
    id_and_assignments,
    made,
    without_effect,
)
from algorithms.cli.output import as_json, check_neutral, print_warnings, say, warnings_about_table, write_csv_text
from algorithms.cli.sources import recipe_of, source_of, with_class
from algorithms.cli.watching import STOPPED, watched
from algorithms.core.files import CsvWriter
from algorithms.core.plain_json import typed_number

if TYPE_CHECKING:
    from algorithms.core.context import RunContext
    from algorithms.core.registry import Registry
    from algorithms.core.resampling import Method
    from algorithms.evaluation.checks.warning import ResultWarning
    from algorithms.evaluation.curves.learning_curves import Sweep


def draw_curve(options: argparse.Namespace, registry: Registry) -> int:
    from algorithms.evaluation.curves.learning_curves import SHARES, complexity_curve, learning_curve
    from algorithms.evaluation.tuning.search_space import space_of

    learner_id, given = id_and_all_assignments(options.learner, options.p)
    typed = LearnerArgument(learner_id, given, registry)
    id, assignments = id_and_assignments(options.method or "cross-validation")
    method: Method = made(registry.methods.get(id), assignments, registry)
    if method.needs_test_data or not method.honest:
        raise WrongUseError(f"{id} makes no curve: each point must be tested on records that it never saw.")
    recipe = recipe_of(options, registry)
    if options.over is not None and options.sizes is not None:
        raise WrongUseError("--over and --sizes make two different curves: choose one.")
    over = {} if options.over is None else assignments_of([options.over], "--over")
    check_untried(given, over, "--over")
    for name, values in over.items():
        space_of(typed.unread, recipe, f"{name}={values}").grid()
    shares = SHARES if options.sizes is None else _shares(options.sizes)
    source = source_of(options.data, registry, options.sheet)
    check_output("--out", options.out, options.data, options.recipe, *typed.files)
    check_neutral(options, options.out)
    idle = [*without_effect(typed.unread, given), *without_effect(method, assignments)]

    def work(context: RunContext) -> tuple[Sweep, list[ResultWarning], str, bool]:
        data = with_class(source(context.child(0.0, 1)), options.class_name)
        check_columns([method], data.schema)
        learner = typed.of(data.schema.classes)
        check_columns([*recipe, learner], data.schema)
        judging = context.child(1.0, 0, same_seed=True)
        if not over:
            sweep = learning_curve(learner, data, method, judging, recipe=recipe, shares=shares)
        else:
            name, values = next(iter(over.items()))
            sweep = complexity_curve(learner, data, method, judging, name, values, recipe=recipe)
        if context.finishing:
            return sweep, idle, data.origin.description, True
        warnings = idle + warnings_about_table(data, recipe, context.child(0.0, 2))
        return sweep, warnings, data.origin.description, context.finishing

    sweep, warnings, reading, is_stopped = watched(work, options.seed, options.threads, may_finish=True)
    if options.out:
        _write(options.out, sweep, options.neutral)
    if options.json:
        say({**sweep_to_json(sweep), "reading": reading, "warnings": as_json(warnings)})
    else:
        say(_text(sweep, method))
        print_warnings(warnings)
    return STOPPED if is_stopped else 0


def sweep_to_json(sweep: Sweep) -> dict[str, Any]:
    """The curve as JSON values; what is not known is null."""
    from algorithms.evaluation.curves.learning_curves import sweep_words
    from algorithms.evaluation.report import plain

    return {
        "what": sweep.what,
        "values": [float(place) for place in sweep.places] if sweep.is_number else list(sweep.values),
        "lines": {
            line.name: plain(
                {"error": line.mean.tolist(), "standard_error": line.standard_error.tolist(), "n": line.n.tolist()}
            )
            for line in sweep.lines
        },
        "method": sweep.method.to_json(),
        "seed": sweep.seed,
        "whole": sweep.is_whole,
        "failures": list(sweep.failures),
        "words": sweep_words(sweep),
    }


def _text(sweep: Sweep, wanted: Method) -> str:
    from algorithms.evaluation.curves.learning_curves import sweep_words
    from algorithms.evaluation.report import table

    notes = [] if sweep.is_whole else [f"Note: {sweep.n_done:,} of {sweep.lines[0].errors.size:,} models were judged."]
    if sweep.method != wanted:
        notes.append(f"Note: judged by {sweep.method.described()}; {wanted.described()} makes no curve.")
    notes += [f"Note: {why}" for why in sweep.failures]
    return "\n\n".join([sweep_words(sweep), table(sweep.rows()), *notes])


def _shares(text: str) -> tuple[float, ...]:
    found = []
    for word in text.split(","):
        number = word.strip().removesuffix("%")
        try:
            found.append(typed_number(number) / 100)
        except ValueError:
            raise WrongUseError(f"--sizes: {word.strip()!r} is no share; write 10%,30%,100%.") from None
    return tuple(sorted(set(found)))


def _write(path: str, sweep: Sweep, neutral: bool) -> None:
    import io

    text = io.StringIO()
    CsvWriter(text).writerows(sweep.rows())
    write_csv_text(path, text.getvalue(), neutral)
