"""Subcommands ``predict``, ``export``, ``near`` and ``rules``, which use a saved model."""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from algorithms.cli.arguments import add_arguments, check_output, positive
from algorithms.cli.output import add_out, as_json, check_out, print_note, print_result, watched, write_out
from algorithms.cli.sources import source_of_options

if TYPE_CHECKING:
    from algorithms.core.registry import Registry
    from algorithms.core.run_control import RunContext
    from algorithms.core.training import TrainedClassifier
    from algorithms.data.dataset import Dataset
    from algorithms.evaluation.costs.decision_rules import Thresholds
    from algorithms.io.text.options import Style
    from algorithms.learners.rules.rule_logic import CounterExample, DataOverlap, WholeSpaceFindings
    from algorithms.structures.rule_set import RuleSet


def add_near(verbs: Any) -> None:
    near = verbs.add_parser("near", help="which records a saved forest finds near to one, or far out in their class")
    add_arguments(near, "model")
    near.add_argument("data", metavar="DATA", help="a file, or sample:NAME")
    near.add_argument("--record", type=positive, metavar="N", help="near to this one, from 1; without it, far out")
    near.add_argument("--count", type=positive, default=10, metavar="N", help="so many records at most (10)")
    add_arguments(near, "--sheet", "--query", "--http", "--widths", "--read", "--append", "--file-column", "--json")
    near.set_defaults(run=tell_near)


def tell_near(options: argparse.Namespace, registry: Registry) -> None:
    import numpy as np

    from algorithms.core.errors import DataError
    from algorithms.data.alignment import aligned
    from algorithms.filters.cleaning_rules import cleaned
    from algorithms.learners.ensembles.random_forest import ForestProximity
    from algorithms.project.models import load_model

    trained = load_model(options.model, registry)
    source = source_of_options(options, registry, lambda: trained.reading)

    def work(context: RunContext) -> tuple[list[dict[str, Any]], str]:
        context.say("Sending the records down the trees")
        given = source(context)
        clean, _ = cleaned(given, trained.cleaning, context.checkpoint)
        data = aligned(trained.model.schema, trained.prepared(clean))
        proximity = ForestProximity.among(trained.model, data, context)
        if options.record is None:
            measure = proximity.outlyingness(data.class_codes, context)
            order = np.argsort(-np.nan_to_num(measure, nan=-1.0), kind="stable")[: options.count]
            rows, name = order[np.nan_to_num(measure[order]) > 0], "outlyingness"
        elif options.record > len(data):
            raise DataError(f"There is no record {options.record}.", remedy=f"The last one is {len(data)}.")
        else:
            measure = proximity.to(options.record - 1)
            rows, name = proximity.nearest(options.record - 1, options.count), "proximity"
        classes = [trained.model.classes[code] if code >= 0 else None for code in data.class_codes[rows].tolist()]
        records = [
            {"record": row + 1, name: value, "class": label}
            for row, value, label in zip(rows.tolist(), measure[rows].tolist(), classes, strict=True)
        ]
        return records, given.origin.description

    records, reading = watched(work, seed=0, threads=None)
    print_result({"records": records, "reading": reading} if options.json else _near_as_words(records, options.record))


def _near_as_words(records: list[dict[str, Any]], near_to: int | None) -> str:
    if not records:
        return "No record shares a leaf with it." if near_to is not None else "No record lies farther out than others."
    if near_to is not None:
        heading = f"Nearest to record {near_to}, by the share of the trees in which they come to one leaf:"
        lines = [f"{r['record']:>8,}  {r['proximity']:.3f}  {r['class'] or '?'}" for r in records]
    else:
        heading = "Farthest out among the records of their class (above 10 a record may well be a mistake):"
        lines = [f"{r['record']:>8,}  {r['outlyingness']:6.1f}  {r['class']}" for r in records]
    return "\n".join([heading, *lines])


def add_rules(verbs: Any) -> None:
    tell = verbs.add_parser("rules", help="the rules of a saved model, and whether they overlap or leave gaps")
    add_arguments(tell, "model")
    tell.add_argument("data", metavar="DATA", nargs="?", help="count on this: a file, or sample:NAME")
    add_arguments(tell, "--sheet", "--query", "--http", "--widths", "--read", "--append", "--file-column")
    add_out(tell, "write the rules here as a table")
    add_arguments(tell, "--json")
    tell.set_defaults(run=tell_rules)


def tell_rules(options: argparse.Namespace, registry: Registry) -> None:
    from algorithms.core.errors import DataError
    from algorithms.data.alignment import aligned
    from algorithms.filters.cleaning_rules import cleaned
    from algorithms.learners.rules.model import RuleMatcher
    from algorithms.learners.rules.rule_logic import anywhere, on_data
    from algorithms.project.models import load_model
    from algorithms.structures.rule_set import RuleSet

    check_out(options, options.model, options.data, *options.append)
    trained = load_model(options.model, registry)
    structure = trained.structure()
    if not isinstance(structure, RuleSet):
        raise DataError("This model has no rules.", remedy="Learn one with ripper or another learner of rules.")
    rules: RuleSet = structure
    source = None if options.data is None else source_of_options(options, registry, lambda: trained.reading)

    def work(context: RunContext) -> tuple[RuleSet, DataOverlap | None, WholeSpaceFindings, str]:
        context.say("Asking whether rules overlap")
        there = anywhere(rules, context.checkpoint)
        if source is None:
            return rules, None, there, ""
        given = source(context)
        clean, _ = cleaned(given, trained.cleaning, context.checkpoint)
        prepared = aligned(rules.schema, trained.prepared(clean))
        counted = RuleMatcher(rules).counted(prepared.labelled(), context.checkpoint)
        return counted, on_data(rules, prepared, context.checkpoint), there, given.origin.description

    counted, here, there, reading = watched(work, seed=0, threads=None)
    if options.out is not None:
        from algorithms.structures.rule_set import rules_as_table

        write_out(options, rules_as_table(counted))
    print_result(
        {**_as_json(counted, here, there), "reading": reading} if options.json else _as_words(counted, here, there)
    )


def _as_words(rules: RuleSet, here: DataOverlap | None, there: WholeSpaceFindings) -> str:
    from algorithms.learners.rules.rule_logic import example_words, exclusive_words, exhaustive_words
    from algorithms.structures.rule_set import DEFAULT_RULE, rule_words, weight_words
    from algorithms.text.numbers import percent

    verb = "decides" if rules.is_ordered else "covers"
    lines = []
    for rule in (*range(rules.n_rules), DEFAULT_RULE):
        counts = rules.decided_by(rule)
        total = float(counts.sum())
        correct = float(counts[rules.decision_of(rule)])
        covered = total if rule == DEFAULT_RULE else float(rules.covered[rule].sum())
        met = f"meets {weight_words(covered)}, " if covered != total else ""
        share = f", {weight_words(correct)} correct ({percent(correct / total)})" if total > 0 else ""
        shares = zip(rules.schema.classes, counts.tolist(), strict=True)
        classes = ", ".join(f"{label} {weight_words(count)}" for label, count in shares if count > 0)
        number = "" if rule == DEFAULT_RULE else f"{rule + 1}. "
        words = f"{met}{verb} {weight_words(total)}{share}{f': {classes}' if classes else ''}"
        lines.append(f"{number}{rule_words(rules, rule)}\n   {words}")
    lines += ["", exclusive_words(rules, here, there)]
    if there.overlap is not None:
        lines.append(f"   for example {example_words(rules, there.overlap)}")
    lines.append(exhaustive_words(rules, here, there))
    if there.gap is not None:
        lines.append(f"   for example {example_words(rules, there.gap)}")
    return "\n".join(lines)


def _as_json(rules: RuleSet, here: DataOverlap | None, there: WholeSpaceFindings) -> dict[str, Any]:
    from algorithms.structures.rule_set import DEFAULT_RULE, conditions_words
    from algorithms.text.numbers import number

    stored = []
    for rule in (*range(rules.n_rules), DEFAULT_RULE):
        counts = rules.decided_by(rule)
        total, right = float(counts.sum()), float(counts[rules.decision_of(rule)])
        stored.append(
            {
                "rule": None if rule == DEFAULT_RULE else rule + 1,
                "conditions": list(conditions_words(rules, rule, at_most=10_000, write=number)),
                "class": rules.schema.classes[rules.decision_of(rule)],
                "covered": total if rule == DEFAULT_RULE else float(rules.covered[rule].sum()),
                "decided": total,
                "right": right,
                "accuracy": right / total if total > 0 else None,
                "counts": dict(zip(rules.schema.classes, counts.tolist(), strict=True)),
            }
        )
    content: dict[str, Any] = {
        "ordered": rules.is_ordered,
        "rules": stored,
        "exclusive": there.exclusive,
        "exhaustive": there.exhaustive,
        "overlap": _example(rules, there.overlap),
        "gap": _example(rules, there.gap),
    }
    if here is not None:
        content["data"] = {
            "records": here.n,
            "divided": here.divided,
            "exclusive": here.exclusive,
            "exhaustive": here.exhaustive,
            "meeting_several": len(here.several),
            "meeting_none": len(here.none),
        }
    return content


def _example(rules: RuleSet, example: CounterExample | None) -> dict[str, Any] | None:
    if example is None:
        return None
    values: dict[str, Any] = {}
    for index, value in example.point:
        attribute = rules.schema.attributes[index]
        shown = attribute.values[int(value)] if value == value and attribute.kind.is_coded else value
        values[attribute.name] = shown if value == value else None
    return {"record": values, "fired": [rule + 1 for rule in example.fired]}


def predict_with_model(options: argparse.Namespace, registry: Registry) -> None:
    from algorithms.core.errors import AbsentColumnsError, DataError
    from algorithms.core.run_control import RunContext
    from algorithms.evaluation.costs.decision_rules import DECISION_RULE, DEFAULT, DecisionRule, rule_words, with_notes
    from algorithms.evaluation.report import plain, predictions_to_json
    from algorithms.filters.cleaning_rules import cleaned
    from algorithms.io.text.options import ReadOptions
    from algorithms.io.text.text_writing import csv_texts, style_of
    from algorithms.project.models import load_model

    loaded: list[TrainedClassifier] = []
    source = source_of_options(options, registry, lambda: loaded[0].reading)
    check_out(options, options.model, options.data, *options.append, is_shown=not options.json)
    heard: list[object] = []
    read_as: list[ReadOptions] = []

    def work(context: RunContext) -> tuple[Dataset, TrainedClassifier, list[str], Thresholds, str]:
        trained = load_model(options.model, registry)
        loaded[:] = [trained]
        data = source(context)
        read_as[:] = [event for event in heard if isinstance(event, ReadOptions)]  # a second table is read later
        clean, misfits = cleaned(data, trained.cleaning, context.checkpoint)
        notes = [f"{misfit.sentence} {misfit.remedy}" for misfit in misfits]
        given = trained.completed(clean) if options.absent_as_missing else clean
        if options.second_table:
            from algorithms.filters.second_table import with_second_tables

            trained = with_second_tables(trained, options.second_table, given, context)
        notes += [difference.sentence for difference in trained.differences(given) if not difference.fatal]
        context.say("Predicting")
        try:
            judgement = trained.judged(given, context)
        except AbsentColumnsError as error:
            for note in notes:
                print_note(note)
            remedy = f"{error.remedy} With --absent-as-missing the model treats it as missing."
            raise DataError(error.sentence, remedy=remedy, place=error.place) from error
        predicted = trained.with_judgement(data, judgement)
        context.checkpoint()
        rule = trained.deciding if isinstance(trained.deciding, DecisionRule) else None
        thresholds = None if rule is None else rule.thresholds(given)
        if options.out is not None:
            write_out(options, noted(predicted, trained, thresholds), context, style())
        n_known, right = trained.n_right(trained.with_judgement(clean, judgement))
        accuracy_words = [f"Correct on {right} of {n_known} records whose class is known."] if n_known else []
        assumed = "" if rule is None else rule.costs_assumed(given)
        remarks = trained.model.remarks(judgement)
        notes = list(filter(None, [*decision_rule_note(trained), assumed, *notes, *remarks, *accuracy_words]))
        return predicted, trained, notes, thresholds, data.origin.description

    def noted(predicted: Dataset, trained: TrainedClassifier, thresholds: Thresholds) -> Dataset:
        """With the decision rule in columns as the window saves it, unless it is the default."""
        words = rule_words(trained.deciding)
        return predicted if words == DEFAULT else with_notes(predicted, thresholds, {DECISION_RULE: words})

    def style() -> Style:
        return replace(style_of(read_as[-1] if read_as else None), neutral=options.neutral)

    predicted, trained, notes, thresholds, reading = watched(work, seed=0, threads=None, listener=heard.append)
    if options.json:
        content = predictions_to_json(predicted, trained.classes, notes)
        if thresholds is not None:
            for record, threshold in zip(content["records"], plain(thresholds[1].tolist()), strict=True):
                record["thresholds"] = {thresholds[0]: threshold}
        rule = {"decision_rule": rule_words(trained.deciding)}
        print_result({**content, **rule, "reading": reading, "warnings": as_json((), notes)})
        return
    for note in notes:
        print_note(note)
    if options.out is None:
        for text in csv_texts(noted(predicted, trained, thresholds), RunContext(), style()):
            sys.stdout.write(text)


def decision_rule_note(trained: TrainedClassifier) -> list[str]:
    """A sentence on the decision rule of a saved model; empty list for the default rule."""
    from algorithms.evaluation.costs.decision_rules import AtThreshold, DecisionRule
    from algorithms.text.numbers import number

    if not isinstance(trained.deciding, DecisionRule):
        return []
    choice = trained.deciding.choice
    if isinstance(choice, AtThreshold):
        return [f"Predicts {choice.label!r} from a probability of {number(choice.threshold)} on, as it was saved."]
    columns = () if trained.deciding.costs is None else trained.deciding.costs.columns
    needed = f"; its costs need {', '.join(columns)}" if columns else ""
    return [f"Decides by least expected cost, as it was saved{needed}. Where costs tie, the default decision stays."]


def export_tree(options: argparse.Namespace, registry: Registry) -> None:
    from algorithms.core.files import write_text
    from algorithms.export.formats import exported
    from algorithms.project.models import load_model

    check_output("--out", options.out, options.model)
    trained = load_model(options.model, registry)
    text = exported(trained, options.format)
    for note in decision_rule_note(trained):
        print_note(note)
    if options.out is None:
        sys.stdout.write(text)
        return
    write_text(options.out, text)
