"""The verb ``rules``: what a saved model's rules say, how right each is, whether they overlap or leave gaps."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from algorithms.cli.output import add_neutral, check_neutral, say
from algorithms.cli.sources import source_of
from algorithms.cli.watching import watched
from algorithms.cli.words import check_folder, refuse_to_write_over

if TYPE_CHECKING:
    from algorithms.core.context import RunContext
    from algorithms.core.registry import Registry
    from algorithms.core.rule_set import RuleSet
    from algorithms.rules.exclusive import Anywhere, Example, OnData


def add_rules(verbs: Any, sheet_help: str) -> None:
    """The verb's arguments."""
    tell = verbs.add_parser("rules", help="what a saved model's rules say, and whether they overlap or leave gaps")
    tell.add_argument("model", metavar="MODEL")
    tell.add_argument("data", metavar="DATA", nargs="?", help="count on this: a file, or sample:NAME")
    tell.add_argument("--sheet", metavar="NAME", help=sheet_help)
    tell.add_argument("--out", metavar="FILE", help="write the rules here as a table: CSV or .xlsx")
    add_neutral(tell)
    tell.add_argument("--json", action="store_true", help="one JSON object")
    tell.set_defaults(run=tell_rules)


def tell_rules(options: argparse.Namespace, registry: Registry) -> None:
    from algorithms.core.align import aligned
    from algorithms.core.errors import DataError
    from algorithms.core.rule_set import RuleSet
    from algorithms.persistence.models import load_model
    from algorithms.rules.exclusive import anywhere, on_data
    from algorithms.rules.matching import Matcher

    for read in (options.model, options.data):
        if read is not None:
            refuse_to_write_over(read, "--out", options.out)
    check_folder(options.out)
    check_neutral(options, options.out)
    trained = load_model(options.model, registry)
    structure = trained.structure()
    if not isinstance(structure, RuleSet):
        raise DataError("This model has no rules.", remedy="Learn one with ripper or another learner of rules.")
    rules: RuleSet = structure
    source = None if options.data is None else source_of(options.data, registry, options.sheet)

    def work(context: RunContext) -> tuple[RuleSet, OnData | None, Anywhere]:
        context.say("Asking whether rules overlap")
        there = anywhere(rules, context.checkpoint)
        if source is None:
            return rules, None, there
        prepared = aligned(rules.schema, trained.prepared(source(context)))
        known = prepared.take(prepared.class_codes >= 0)
        counted = Matcher(rules).counted(known, context.checkpoint)
        return counted, on_data(rules, prepared, context.checkpoint), there

    counted, here, there = watched(work, seed=0, threads=None)
    if options.out is not None:
        from algorithms.io.excel_writing import write_table
        from algorithms.io.writing import Style
        from algorithms.rules.as_table import rules_as_table

        write_table(options.out, rules_as_table(counted), style=Style(neutral=options.neutral))
    say(_as_json(counted, here, there) if options.json else _as_words(counted, here, there))


def _as_words(rules: RuleSet, here: OnData | None, there: Anywhere) -> str:
    from algorithms.core.rule_set import DEFAULT_RULE
    from algorithms.rules.exclusive_words import example_words, exclusive_words, exhaustive_words
    from algorithms.rules.words import rule_words, weight_words

    verb = "decides" if rules.is_ordered else "covers"
    lines = []
    for rule in (*range(rules.n_rules), DEFAULT_RULE):
        counts = rules.decided_by(rule)
        total = float(counts.sum())
        right = float(counts[rules.decision_of(rule)])
        covered = total if rule == DEFAULT_RULE else float(rules.covered[rule].sum())
        met = f"meets {weight_words(covered)}, " if covered != total else ""
        share = f", right for {weight_words(right)} ({100 * right / total:.1f}%)" if total > 0 else ""
        shares = zip(rules.schema.classes, counts.tolist(), strict=True)
        classes = ", ".join(f"{label} {weight_words(count)}" for label, count in shares if count > 0)
        number = "" if rule == DEFAULT_RULE else f"{rule + 1}. "
        said = f"{met}{verb} {weight_words(total)}{share}{f': {classes}' if classes else ''}"
        lines.append(f"{number}{rule_words(rules, rule)}\n   {said}")
    lines += ["", exclusive_words(rules, here, there)]
    if there.overlap is not None:
        lines.append(f"   for example {example_words(rules, there.overlap)}")
    lines.append(exhaustive_words(rules, here, there))
    if there.gap is not None:
        lines.append(f"   for example {example_words(rules, there.gap)}")
    return "\n".join(lines)


def _as_json(rules: RuleSet, here: OnData | None, there: Anywhere) -> dict[str, Any]:
    from algorithms.core.rule_set import DEFAULT_RULE
    from algorithms.rules.words import conditions_words

    told = []
    for rule in (*range(rules.n_rules), DEFAULT_RULE):
        counts = rules.decided_by(rule)
        total, right = float(counts.sum()), float(counts[rules.decision_of(rule)])
        told.append(
            {
                "rule": None if rule == DEFAULT_RULE else rule + 1,
                "conditions": list(conditions_words(rules, rule, at_most=10_000)),
                "class": rules.schema.classes[rules.decision_of(rule)],
                "covered": total if rule == DEFAULT_RULE else float(rules.covered[rule].sum()),
                "decided": total,
                "right": right,
                "accuracy": right / total if total > 0 else None,
                "counts": dict(zip(rules.schema.classes, counts.tolist(), strict=True)),
            }
        )
    found: dict[str, Any] = {
        "ordered": rules.is_ordered,
        "rules": told,
        "exclusive": there.exclusive,
        "exhaustive": there.exhaustive,
        "overlap": _example(rules, there.overlap),
        "gap": _example(rules, there.gap),
    }
    if here is not None:
        found["data"] = {
            "records": here.n,
            "divided": here.divided,
            "exclusive": here.exclusive,
            "exhaustive": here.exhaustive,
            "meeting_several": len(here.several),
            "meeting_none": len(here.none),
        }
    return found


def _example(rules: RuleSet, example: Example | None) -> dict[str, Any] | None:
    if example is None:
        return None
    values: dict[str, Any] = {}
    for index, value in example.point:
        attribute = rules.schema.attributes[index]
        known = attribute.values[int(value)] if value == value and attribute.kind.is_coded else value
        values[attribute.name] = known if value == value else None
    return {"record": values, "fired": [rule + 1 for rule in example.fired]}
