"""Subcommand ``explain``: what drives a learner's models, and where they err, on records that they did not see."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from algorithms.cli.arguments import WrongUseError, add_arguments, check_column, share, whole
from algorithms.cli.output import (
    STOPPED,
    add_neutral,
    as_json,
    print_result,
    print_warnings,
    warnings_about_table,
    watched,
    write_rows,
)
from algorithms.cli.sources import LearnerTask, add_recipe
from algorithms.text.sentences import quoted

if TYPE_CHECKING:
    from algorithms.core.learner import Learner
    from algorithms.core.registry import Registry
    from algorithms.core.resampling import Method
    from algorithms.core.run_control import RunContext
    from algorithms.data.dataset import Dataset
    from algorithms.data.schema import Schema
    from algorithms.evaluation.attribute_importance import AttributeImportance
    from algorithms.evaluation.checks.warning import ResultWarning
    from algorithms.evaluation.learner_effects import LearnerEffects
    from algorithms.evaluation.shapley import ClassShapley, RecordShapley
    from algorithms.evaluation.surrogate_tree import SurrogateTree

MOST_REPEATS: Final = 1_000
MOST_LISTED: Final = 50
"""Possible label errors that are printed."""
MOST_BACKGROUND: Final = 10_000
MOST_DEPTH: Final = 8
"""Greatest depth of a surrogate tree, as in :mod:`algorithms.evaluation.surrogate_tree`."""


@dataclass(frozen=True)
class Explained:
    """What a job found: the ``rows`` of its table, its JSON ``values``, and its ``text`` after a heading."""

    rows: Callable[[], list[list[object]]]
    values: Callable[[], dict[str, Any]]
    text: Callable[[str], str]


class _Measures:
    """Ids of the measures, imported only when the help is printed or a measure is checked."""

    def __str__(self) -> str:
        from algorithms.evaluation.attribute_importance import importance_measures

        return ", ".join(measure.id for measure in importance_measures())


def explain_learner(options: argparse.Namespace, registry: Registry) -> int:
    """Print importances, effects, a surrogate tree or Shapley values as text or as JSON; returns the exit code."""
    task = LearnerTask.of(options, registry)
    _check(options)
    read = task.opened(options, registry)
    explain = _surrogate if options.surrogate else _effects if options.effect else _importance
    of_record = _changes if options.change else _record
    explain = of_record if options.record is not None else _errors if _is_of_errors(options, task.method) else explain

    def work(context: RunContext) -> tuple[Explained, list[ResultWarning], str, bool]:
        data, learner = read(context)
        found = explain(options, task, learner, data, context.child(1.0, 0, same_seed=True))
        if context.finishing:
            return found, task.idle, data.origin.description, True
        warnings = task.idle + warnings_about_table(data, task.recipe, context.child(0.0, 2))
        return found, warnings, data.origin.description, context.finishing

    found, warnings, reading, is_stopped = watched(
        work, options.seed, options.threads, may_finish=True, cluster=options.cluster
    )
    if options.out:
        write_rows(options.out, found.rows(), options.neutral)
    if options.json:
        settings = {"method": task.method.to_json(), "seed": options.seed, "reading": reading}
        print_result({**found.values(), **settings, "warnings": as_json(warnings)})
    else:
        print_result(found.text(f"{task.typed.unread.name}, {task.method.described()}"))
        print_warnings(warnings)
    return STOPPED if is_stopped else 0


def _check(options: argparse.Namespace) -> None:
    """Raise :class:`WrongUseError` for options that exclude each other."""
    from algorithms.evaluation.attribute_importance import importance_measures

    known = [measure.id for measure in importance_measures()]
    if options.measure is not None and options.measure not in known:
        raise WrongUseError(f"--measure: there is no {options.measure!r} here. There are: {', '.join(known)}.")
    if options.drop_column and options.repeats is not None:
        raise WrongUseError("--repeats counts permutations: leave it out with --drop-column.")
    for option in ("effect", "surrogate", "record"):
        if getattr(options, option) and (options.drop_column or options.measure or options.repeats):
            raise WrongUseError(f"--{option} shows probabilities: leave out --measure, --repeats and --drop-column.")
    others = options.effect, options.surrogate, options.errors, options.errors_by, options.groups, options.label_errors
    if options.grouped is not None and (any(others) or options.record is not None):
        raise WrongUseError("--grouped is of the importance of attributes: leave it out here.")
    if options.background is not None and options.record is None:
        raise WrongUseError("--background needs --record N.")
    is_shapley = options.record is None or options.background is not None or options.of_class is not None
    if (options.change and is_shapley) or (options.fixed and not options.change):
        raise WrongUseError("--change needs --record N without --background and --of-class; --fixed needs --change.")
    if options.record is not None and (options.effect or options.surrogate):
        raise WrongUseError("--record explains one prediction: leave out --effect and --surrogate.")
    if options.effect and options.surrogate:
        raise WrongUseError("--effect and --surrogate explain in two ways: choose one.")
    if options.out and len(options.effect) > 1:
        raise WrongUseError("--out writes one table: give one --effect, or --json for several.")
    if options.of_class is not None and not options.effect and not options.groups and options.record is None:
        raise WrongUseError("--of-class needs --effect COLUMN, --groups COLUMN or --record N.")
    if options.interactions and len(options.effect) < 2:
        raise WrongUseError("--interactions needs two columns: --effect COLUMN --effect COLUMN.")


def _importance(
    options: argparse.Namespace, task: LearnerTask, learner: Learner, data: Dataset, context: RunContext
) -> Explained:
    from algorithms.evaluation.attribute_importance import GROUPED, REPEATS, attribute_importance

    found = attribute_importance(
        learner,
        data,
        task.method,
        context,
        recipe=task.recipe,
        measure=options.measure or "",
        n_repeats=options.repeats or REPEATS,
        drops=options.drop_column,
        least=GROUPED if options.grouped is None else options.grouped or None,
    )
    return Explained(found.rows, found.to_json, partial(_text, found))


def _effects(
    options: argparse.Namespace, task: LearnerTask, learner: Learner, data: Dataset, context: RunContext
) -> Explained:
    """The effects that the options name; raises :class:`ParameterError` for an unknown class or column."""
    from algorithms.evaluation.attribute_effects import attribute_effects

    code = _class_of(options, data)
    asked = [effect_columns(text, data.schema) for text in options.effect]
    for name in (name for columns in asked for name in columns):
        if data.schema.index_of(name) == data.schema.class_index:
            raise WrongUseError(f"--effect: {name} is the class. Give an attribute.")
    names = [columns[0] for columns in asked if len(columns) == 1]
    found = attribute_effects(
        learner,
        data,
        task.method,
        context,
        names,
        recipe=task.recipe,
        pairs=[(columns[0], columns[1]) for columns in asked if len(columns) == 2],
        interacting=list(dict.fromkeys(name for columns in asked for name in columns)) if options.interactions else (),
    )
    return Explained(
        lambda: found.every[0].rows(code),
        lambda: effects_to_json(found, code),
        lambda tested: effects_text(found, code, tested),
    )


def _class_of(options: argparse.Namespace, data: Dataset) -> int:
    """The code of the class of ``--of-class``, by default an affirmative one, else the rarest."""
    from algorithms.evaluation.report import affirmative

    classes = data.schema.classes
    if options.of_class is not None:
        return _code_of(classes, options.of_class)
    said_yes = affirmative(classes)
    weights = data.labelled().class_weights.tolist()
    return weights.index(min(weights)) if said_yes is None else said_yes


def _code_of(classes: tuple[str, ...], label: str) -> int:
    """The code of a class; raises :class:`ParameterError` for an unknown one."""
    from algorithms.core.errors import ParameterError
    from algorithms.text.names import did_you_mean

    if label not in classes:
        remedy = did_you_mean(label, classes) or f"There are: {', '.join(classes)}."
        raise ParameterError(f"There is no class {label!r}.", remedy=remedy)
    return classes.index(label)


def _record(
    options: argparse.Namespace, task: LearnerTask, learner: Learner, data: Dataset, context: RunContext
) -> Explained:
    """The Shapley values of a record, for the predicted class by default."""
    from algorithms.evaluation.shapley import BACKGROUND, record_shapley

    chosen = None if options.of_class is None else _code_of(data.schema.classes, options.of_class)
    n = BACKGROUND if options.background is None else options.background
    found = record_shapley(learner, data, task.method, context, options.record, recipe=task.recipe, n_background=n)
    code = found.values.predicted if chosen is None else chosen
    by = f"by the model of {task.method.part_name} {found.fold + 1} of {found.n_folds}, which did not learn from it"
    return Explained(
        lambda: _shapley_rows(found, code),
        lambda: shapley_to_json(found, code),
        lambda tested: _shapley_text(found, code, f"{tested}\n{by}"),
    )


def _changes(
    options: argparse.Namespace, task: LearnerTask, learner: Learner, data: Dataset, context: RunContext
) -> Explained:
    """The smallest changes that flip the prediction of a record, without the attributes of ``--fixed``."""
    import numpy as np

    from algorithms.data.convert_kind import cell_texts
    from algorithms.evaluation.fold_models import unseen_record
    from algorithms.evaluation.runner import classifier_of
    from algorithms.evaluation.what_if import DecisionFlip, JointChange, flips, joint_changes

    schema = data.schema
    names = [name for text in options.fixed for name in ([text] if text in schema else text.split(","))]
    fixed = [name if name in schema else name.strip() for name in names]
    for name in fixed:
        check_column(schema, name, "--fixed")
    tested = unseen_record(learner, data, task.method, context, options.record, task.recipe)
    trained, train, record = classifier_of(tested.learned, data), tested.train, tested.record
    part = context.child(0.5, 1, finish_cancels=True)
    changeable = [index for index in schema.predictors if schema.names[index] not in fixed]
    singles = flips(trained, train, record, changeable, part)
    joint = joint_changes(trained, train, record, changeable, singles, part)
    predicted = int(trained.judged(record, part).decisions[0])
    part.complete()

    def written(flip: DecisionFlip) -> dict[str, Any]:
        attribute, cells = schema.attributes[flip.attribute], (record.column(flip.attribute), np.array([flip.value]))
        before, to = (cell_texts(attribute, cell)[0] or "?" for cell in cells)
        return {"attribute": attribute.name, "from": before, "to": to, "distance": flip.distance}

    changes: list[dict[str, Any]] = []
    for change in (*(JointChange((flip,)) for flip in singles), *joint):
        label, parts = trained.classes[change.decision], [written(flip) for flip in change.parts]
        changes.append({"prediction": label, "distance": change.distance, "attributes": parts})
    fold = {"fold": tested.fold + 1, "folds": tested.n_folds, "fixed": fixed}
    found = {"record": options.record, "class": trained.classes[predicted], **fold, "changes": changes}
    by = f"by the model of {task.method.part_name} {tested.fold + 1} of {tested.n_folds}, which did not learn from it"
    rows: list[list[object]] = [["change", "attribute", "from", "to", "distance", "prediction"]]
    for number, one in enumerate(changes, 1):
        rows += [[number, *part.values(), one["prediction"]] for part in one["attributes"]]
    return Explained(lambda: rows, lambda: found, lambda tested: _changes_text(found, f"{tested}\n{by}"))


def _is_of_errors(options: argparse.Namespace, method: Method) -> bool:
    """Whether the errors of a run are asked about; raises :class:`WrongUseError` for options that do not fit."""
    asked = [options.errors, options.label_errors, bool(options.errors_by), bool(options.groups)]
    if not any(asked):
        return False
    if sum(asked) > 1:
        raise WrongUseError("Give one of --errors, --errors-by, --groups and --label-errors.")
    others = options.effect, options.surrogate, options.drop_column, options.measure, options.repeats
    if any(others) or options.record is not None:
        raise WrongUseError(
            "Leave out --effect, --surrogate, --record, --measure, --repeats and --drop-column: they are not of errors."
        )
    if method.needs_test_data:
        raise WrongUseError("Errors are analysed in the table itself: choose a --method that tests its records.")
    return True


def _errors(
    options: argparse.Namespace, task: LearnerTask, learner: Learner, data: Dataset, context: RunContext
) -> Explained:
    """What the options ask about the errors of the learner's tests."""
    from algorithms.evaluation.error_groups import error_groups, errors_by_attribute, rates_by_group
    from algorithms.evaluation.label_errors import agreement, label_errors
    from algorithms.evaluation.report import plain, table
    from algorithms.evaluation.runner import evaluate
    from algorithms.evaluation.tested_records import RecordErrors

    by, groups = options.errors_by, options.groups
    for name in filter(None, (by, groups)):
        check_column(data.schema, name, "--errors-by" if by else "--groups")
    result = evaluate(learner, data, task.method, context.child(0.6, 0, same_seed=True), recipe=task.recipe)
    errors = RecordErrors.of(result, data)
    if by or groups:
        rates = errors_by_attribute(errors, by) if by else rates_by_group(errors, groups, _class_of(options, data))
        parts = [rates.sentence, table(_in_one_line(rates.written_rows()))]
        return Explained(rates.rows, lambda: dict(plain(rates.to_json())), partial(_under, parts))
    if options.label_errors:
        suspects = label_errors(errors, context.checkpoint)
        listed = [table(suspects.written_rows(MOST_LISTED))] if len(suspects) else []
        more = [f"{len(suspects) - MOST_LISTED:,} more: --out FILE writes all."] if len(suspects) > MOST_LISTED else []
        parts = [suspects.sentence, *listed, *more, agreement(suspects, result)]
        return Explained(suspects.rows, lambda: dict(plain(suspects.to_json())), partial(_under, parts))
    found = error_groups(errors, context.child(0.4, 1))
    rules = [table(_in_one_line(found.written_rows()))] if found.groups else []
    remedies = [f"{number}. {one.remedy}" for number, one in enumerate(found.groups, 1)]
    parts = [found.sentence, *rules, "\n".join([*remedies, *(f"Note: {note}" for note in found.notes)])]
    return Explained(found.rows, lambda: dict(plain(found.to_json())), partial(_under, parts))


def _in_one_line(rows: list[list[str]]) -> list[list[str]]:
    """Replace the line breaks that the window puts into the heads of a table."""
    return [[cell.replace("\n", " ") for cell in row] for row in rows]


def _under(parts: Sequence[str], tested: str) -> str:
    """The parts of a text under what was tested."""
    return "\n\n".join(filter(None, (f"Errors of {tested}\n{parts[0]}", *parts[1:])))


def effect_columns(text: str, schema: Schema) -> tuple[str, ...]:
    """The column of this name, or the two columns of a text such as "Petal Length,Petal Width".

    Names may contain commas. Raises :class:`ParameterError` if there is no such column.
    """
    if text not in schema:
        commas = [place for place, letter in enumerate(text) if letter == ","]
        pairs = [(text[:place].strip(), text[place + 1 :].strip()) for place in commas]
        known = [pair for pair in pairs if pair[0] in schema and pair[1] in schema and pair[0] != pair[1]]
        if known:
            return known[0]
        for name in pairs[0] if len(pairs) == 1 else ():
            check_column(schema, name, "--effect")
    check_column(schema, text, "--effect")
    return (text,)


def _surrogate(
    options: argparse.Namespace, task: LearnerTask, learner: Learner, data: Dataset, context: RunContext
) -> Explained:
    from algorithms.evaluation.report import plain
    from algorithms.evaluation.surrogate_tree import surrogate_tree

    found = surrogate_tree(learner, data, task.method, context, options.surrogate, recipe=task.recipe)
    classes = data.schema.classes
    return Explained(
        lambda: found.rows(classes),
        lambda: dict(plain(found.to_json(classes))),
        lambda tested: surrogate_text(found, classes, tested),
    )


def surrogate_text(found: SurrogateTree, classes: tuple[str, ...], tested: str) -> str:
    """The fidelity in words, R^2 by class, and the tree as indented lines."""
    from algorithms.evaluation.report import table
    from algorithms.export.formats import exported

    head = f"Surrogate tree: {tested}\n{found.sentence(classes)}"
    notes = [] if found.is_whole else [f"Note: {len(found.sizes):,} of {found.n_folds:,} test parts were tested."]
    notes += [f"Note: {why}" for why in found.failures]
    tree = [] if found.trained is None else [exported(found.trained, "text").rstrip()]
    return "\n\n".join([head, table(found.written_rows(classes)), *tree, *notes])


def effects_to_json(found: LearnerEffects, code: int) -> dict[str, Any]:
    """The effects on all classes, and the interactions on the class ``code``."""
    from algorithms.evaluation.report import plain

    of_class = found.every[0].classes[code]
    interactions = [
        {"attributes": list(one.names), "h": one.h, "joint_effect_sd": one.joint, "by_part": list(one.by_fold)}
        for one in found.interactions(code)
    ]
    values = {
        "effects": [one.to_json() for one in found.effects],
        "pairs": [one.to_json() for one in found.pairs],
        "interactions": interactions,
    }
    return {"class": of_class, **plain(values)}


def effects_text(found: LearnerEffects, code: int, tested: str) -> str:
    """A table for each attribute and pair, then one of the interactions."""
    from algorithms.evaluation.report import table
    from algorithms.text.numbers import coefficient

    every = found.every
    parts = [f"Probability of {quoted(every[0].classes[code])} by attribute: {tested}"]
    for one in every:
        parts.append(
            "\n".join([table(one.written_rows(code)), *(f"Note: {why}" for why in (one.remark, *one.failures) if why)])
        )
    if strongest := found.interactions(code):
        pairs = [[" x ".join(one.names), coefficient(one.h), one.written_joint] for one in strongest]
        parts.append(table([["interaction", "Friedman's H", "joint effect (SD, points)"], *pairs]))
    return "\n\n".join(parts)


def _cells(found: RecordShapley) -> list[tuple[str, str]]:
    """Name and value of each attribute of the record, as text."""
    from algorithms.data.convert_kind import cell_texts

    record = found.values.record
    attributes = [(record.schema.attributes[index], record.column(index)) for index in found.values.indices]
    return [(attribute.name, cell_texts(attribute, column)[0] or "?") for attribute, column in attributes]


def _quantities(found: RecordShapley, code: int) -> list[tuple[ClassShapley, int | None]]:
    """The probability, and the log odds against another class, as far as there are values."""
    values, against = found.values, found.values.against(code)
    log_odds = values.log_scores if against is not None else None
    return [(part, other) for part, other in ((values.probability, None), (log_odds, against)) if part is not None]


def shapley_to_json(found: RecordShapley, code: int) -> dict[str, Any]:
    """The Shapley values of the probability of a class and of its log odds; null where there are none."""
    schema, cells, number = found.values.record.schema, _cells(found), int(found.values.record.row_ids[0]) + 1
    parts: dict[str, Any] = {"probability": None, "log_odds": None}
    for part, other in _quantities(found, code):
        one = part.of(code, other)
        parts["probability" if other is None else "log_odds"] = {
            **({} if other is None else {"against": schema.classes[other]}),
            "base": one.base,
            "prediction": one.prediction,
            "attributes": [
                {"attribute": name, "value": value, "shapley": shapley, "standard_error": error}
                for (name, value), shapley, error in zip(cells, one.values.tolist(), one.errors.tolist(), strict=True)
            ],
            "computed_by": part.method.value,
            "background": part.n_background,
            "words": part.sentence,
        }
    fold = {"fold": found.fold + 1, "folds": found.n_folds}
    return {"record": number, "class": schema.classes[code], **fold, **parts}


def _changes_text(found: dict[str, Any], tested: str) -> str:
    """A table of the changes, those of one attribute first; ``tested`` names the model."""
    from algorithms.evaluation.report import table

    fixed = f" Not changed: {', '.join(found['fixed'])}." if found["fixed"] else ""
    head = f"Smallest changes of record {found['record']:,}: {tested}\nPrediction: {quoted(found['class'])}.{fixed}"
    if not found["changes"]:
        return f"{head}\n\nNo change of up to three attributes flips the prediction."
    rows = [["change", "prediction", "distance"]]
    for change in found["changes"]:
        parts = ", ".join(f"{part['attribute']}: {part['from']} → {part['to']}" for part in change["attributes"])
        rows.append([parts, change["prediction"], f"{change['distance']:.2f}"])
    how = "Distance: sum of the differences in standard deviations; a nominal value counts 1."
    return f"{head}\n\n{table(rows)}\n{how}"


def _shapley_rows(found: RecordShapley, code: int) -> list[list[object]]:
    quantities = _quantities(found, code)
    names = {True: ["probability", "standard_error"], False: ["log_odds"]}
    columns: list[list[object]] = [["attribute", "value"]]
    columns += [[name, value] for name, value in [*_cells(found), ("base value", ""), ("prediction", "")]]
    for part, other in quantities:
        one = part.of(code, other)
        columns[0] += names[other is None]
        for row, value, error in zip(columns[1:-2], one.values.tolist(), one.errors.tolist(), strict=True):
            row += [value, error] if other is None else [value]
        for row, value in zip(columns[-2:], (one.base, one.prediction), strict=True):
            row += [value, ""] if other is None else [value]
    return columns


def _shapley_text(found: RecordShapley, code: int, tested: str) -> str:
    """A table of the probability and one of the log odds, the largest values first, and how they were computed.

    ``tested`` names the model.
    """
    from algorithms.evaluation.report import table
    from algorithms.text.numbers import in_hundredths, percent, points, signed

    schema, cells, number = found.values.record.schema, _cells(found), int(found.values.record.row_ids[0]) + 1
    texts = [f"Shapley values of record {number:,}: {tested}"]
    for part, other in _quantities(found, code):
        one = part.of(code, other)
        is_share, is_sampled = other is None, bool(part.errors.any())
        title = f"Probability of {quoted(schema.classes[code])}"
        if other is not None:
            title = f"Log odds of {quoted(schema.classes[code])} against {quoted(schema.classes[other])}"
        first, last = (percent(value) if is_share else signed(value) for value in (one.base, one.prediction))
        rows = [["attribute", "value", "Shapley value"], ["Base value", "", first]]
        for place in sorted(range(len(cells)), key=lambda place: -abs(one.values[place])):
            value, error = float(one.values[place]), float(one.errors[place])
            text = points(value) if is_share else signed(value)
            rows.append([*cells[place], f"{text} ± {in_hundredths(error)}" if is_sampled else text])
        rows.append(["Prediction", "", last])
        texts.append(f"{title}\n{table(rows, left=0)}\n{part.sentence}")
    return "\n\n".join(texts)


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
        help="group attributes with a pairwise association of at least SHARE; 0 forms no groups (default: 0.7)",
    )
    explain.add_argument(
        "--effect",
        metavar="COLUMN",
        action="append",
        default=[],
        help="the probability of a class along this column instead, or along two, as COLUMN,COLUMN: partial dependence "
        "and accumulated local effects",
    )
    explain.add_argument(
        "--record",
        metavar="N",
        type=partial(whole, least=1),
        help="why this record is predicted as it is instead: Shapley values by the model that did not learn from it",
    )
    explain.add_argument(
        "--background",
        metavar="N",
        type=partial(whole, most=MOST_BACKGROUND),
        help="training records that --record is compared with (default: 100); 0 follows the weights in trees instead",
    )
    explain.add_argument(
        "--of-class",
        metavar="LABEL",
        help="the class of --effect, --groups (default: that of interest) or --record (default: the predicted one)",
    )
    explain.add_argument(
        "--change",
        action="store_true",
        help="the smallest changes of one, two or three attributes that flip the prediction of --record instead",
    )
    explain.add_argument(
        "--fixed",
        metavar="COLUMN,...",
        action="append",
        default=[],
        help="attributes that --change leaves as they are, such as an age",
    )
    explain.add_argument("--interactions", action="store_true", help="Friedman's H of each pair of --effect columns")
    explain.add_argument(
        "--surrogate",
        metavar="DEPTH",
        type=partial(whole, least=1, most=MOST_DEPTH),
        help=f"a tree of at most this depth (1 to {MOST_DEPTH}) that imitates the model instead, and how faithfully",
    )
    errors = explain.add_argument_group("where the models err")
    errors.add_argument(
        "--errors", action="store_true", help="groups of records with more errors than elsewhere, as rules"
    )
    errors.add_argument("--errors-by", metavar="COLUMN", help="the error rate by values or ranges of a column")
    errors.add_argument(
        "--groups", metavar="COLUMN", help="base rate, accuracy, TPR, FPR, precision and calibration by group"
    )
    errors.add_argument(
        "--label-errors",
        action="store_true",
        help="records to check: the model contradicts their class with confidence",
    )
    add_arguments(explain, "--seed", "--threads", "--cluster")
    explain.add_argument("--out", metavar="FILE", help="write the table here as CSV")
    add_neutral(explain)
    add_arguments(explain, "--json")
    explain.set_defaults(run=explain_learner)
