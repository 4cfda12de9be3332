"""Subcommand ``explain``: which attributes drive a learner's models and how, on records that they did not see."""

from __future__ import annotations

import argparse
from functools import partial
from typing import TYPE_CHECKING, Any, Final, TypeAlias

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
from algorithms.text.sentences import quoted

if TYPE_CHECKING:
    from algorithms.core.filters import Recipe
    from algorithms.core.learner import Learner
    from algorithms.core.registry import Registry
    from algorithms.core.resampling import Method
    from algorithms.core.run_control import RunContext
    from algorithms.data.dataset import Dataset
    from algorithms.evaluation.attribute_effects import LearnerEffects
    from algorithms.evaluation.attribute_importance import AttributeImportance
    from algorithms.evaluation.checks.warning import ResultWarning

MOST_REPEATS: Final = 1_000

Explained: TypeAlias = "AttributeImportance | LearnerEffects"


class _Measures:
    """Ids of the measures, imported only when the help is printed or a measure is checked."""

    def __str__(self) -> str:
        from algorithms.evaluation.attribute_importance import importance_measures

        return ", ".join(measure.id for measure in importance_measures())


def explain_learner(options: argparse.Namespace, registry: Registry) -> int:
    """Print the importance of all attributes as a table or as JSON; returns the exit code."""
    from algorithms.evaluation.attribute_effects import LearnerEffects
    from algorithms.evaluation.attribute_importance import REPEATS, attribute_importance, importance_measures

    learner_id, given = id_and_all_assignments(options.learner, options.p)
    typed = LearnerArgument(learner_id, given, registry)
    method, unread = method_of(options, registry)
    recipe = recipe_of(options, registry)
    known = [measure.id for measure in importance_measures()]
    if options.measure is not None and options.measure not in known:
        raise WrongUseError(f"--measure: there is no {options.measure!r} here. There are: {', '.join(known)}.")
    if options.drop_column and options.repeats is not None:
        raise WrongUseError("--repeats counts permutations: leave it out with --drop-column.")
    if options.effect and (options.drop_column or options.measure or options.repeats):
        raise WrongUseError("--effect shows probabilities: leave out --measure, --repeats and --drop-column.")
    if options.out and len(options.effect) > 1:
        raise WrongUseError("--out writes one table: give one --effect, or --json for several.")
    if options.of_class is not None and not options.effect:
        raise WrongUseError("--of-class needs --effect COLUMN.")
    if options.interactions and len(options.effect) < 2:
        raise WrongUseError("--interactions needs two columns: --effect COLUMN --effect COLUMN.")
    source = source_of_options(options, registry)
    check_output("--out", options.out, options.data, *options.append, options.recipe, *typed.files)
    check_neutral(options, options.out)
    idle = [*without_effect(typed.unread, given), *unread]

    code = [0]

    def work(context: RunContext) -> tuple[Explained, list[ResultWarning], str, bool]:
        data = with_class(source(context.child(0.0, 1)), options.class_name)
        check_columns([method], data.schema)
        learner = typed.of(data.schema.classes)
        check_columns([*recipe, learner], data.schema)
        explaining = context.child(1.0, 0, same_seed=True)
        if options.effect:
            found: Explained
            found, code[0] = _effects(options, learner, data, method, recipe, explaining)
        else:
            found = attribute_importance(
                learner,
                data,
                method,
                explaining,
                recipe=recipe,
                measure=options.measure or "",
                n_repeats=options.repeats or REPEATS,
                drops=options.drop_column,
                least=options.grouped or None,
            )
        if context.finishing:
            return found, idle, data.origin.description, True
        warnings = idle + warnings_about_table(data, recipe, context.child(0.0, 2))
        return found, warnings, data.origin.description, context.finishing

    found, warnings, reading, is_stopped = watched(
        work, options.seed, options.threads, may_finish=True, cluster=options.cluster
    )
    if options.out:
        rows = found.effects[0].rows(code[0]) if isinstance(found, LearnerEffects) else found.rows()
        write_rows(options.out, rows, options.neutral)
    if options.json:
        settings = {"method": method.to_json(), "seed": options.seed, "reading": reading}
        of_found = effects_to_json(found, code[0]) if isinstance(found, LearnerEffects) else found.to_json()
        print_result({**of_found, **settings, "warnings": as_json(warnings)})
    else:
        tested = f"{typed.unread.name}, {method.described()}"
        text = _effects_text(found, code[0], tested) if isinstance(found, LearnerEffects) else _text(found, tested)
        print_result(text)
        print_warnings(warnings)
    return STOPPED if is_stopped else 0


def _effects(
    options: argparse.Namespace, learner: Learner, data: Dataset, method: Method, recipe: Recipe, context: RunContext
) -> tuple[LearnerEffects, int]:
    """The effects that the options name, and the class code; raises :class:`ParameterError` for an unknown class."""
    from algorithms.core.errors import ParameterError
    from algorithms.evaluation.attribute_effects import attribute_effects
    from algorithms.evaluation.report import affirmative
    from algorithms.text.names import did_you_mean

    classes, wanted = data.schema.classes, options.of_class
    if wanted is not None and wanted not in classes:
        remedy = did_you_mean(wanted, classes) or f"There are: {', '.join(classes)}."
        raise ParameterError(f"There is no class {wanted!r}.", remedy=remedy)
    said_yes = affirmative(classes)
    weights = data.labelled().class_weights.tolist()
    code = classes.index(wanted) if wanted else weights.index(min(weights)) if said_yes is None else said_yes
    paired = code if options.interactions else None
    effects = attribute_effects(learner, data, method, context, options.effect, recipe=recipe, paired=paired)
    return effects, code


def effects_to_json(found: LearnerEffects, code: int) -> dict[str, Any]:
    """The effects on all classes, and the interactions on the class ``code``."""
    from algorithms.evaluation.report import plain

    pairs = [{"attributes": list(one.names), "h": one.h, "by_part": list(one.by_fold)} for one in found.interactions]
    effects = [one.to_json() for one in found.effects]
    return {"class": found.effects[0].classes[code], "effects": plain(effects), "interactions": plain(pairs)}


def _effects_text(found: LearnerEffects, code: int, tested: str) -> str:
    """A table for each attribute, then one of the interactions."""
    from algorithms.evaluation.report import table
    from algorithms.text.numbers import coefficient, percent, points

    parts = [f"Probability of {quoted(found.effects[0].classes[code])} by attribute: {tested}"]
    for one in found.effects:
        curves = zip(one.values, one.dependence(code).tolist(), one.local(code).tolist(), strict=True)
        head = [one.attribute.name, "partial dependence", "accumulated local effect"]
        rows = [head, *([value, percent(mean), points(local)] for value, mean, local in curves)]
        parts.append("\n".join([table(rows), *(f"Note: {why}" for why in one.failures)]))
    if found.interactions:
        pairs = [[" x ".join(one.names), coefficient(one.h)] for one in found.interactions]
        parts.append(table([["interaction", "Friedman's H"], *pairs]))
    return "\n\n".join(parts)


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
        help="group attributes with a pairwise association of at least SHARE; 0 forms no groups (default: 0.7)",
    )
    explain.add_argument(
        "--effect",
        metavar="COLUMN",
        action="append",
        default=[],
        help="the probability of a class along this column instead: partial dependence and accumulated local effects",
    )
    explain.add_argument("--of-class", metavar="LABEL", help="the class of --effect (default: that of interest)")
    explain.add_argument("--interactions", action="store_true", help="Friedman's H of each pair of --effect columns")
    add_arguments(explain, "--seed", "--threads", "--cluster")
    explain.add_argument("--out", metavar="FILE", help="write the table here as CSV")
    add_neutral(explain)
    add_arguments(explain, "--json")
    explain.set_defaults(run=explain_learner)
