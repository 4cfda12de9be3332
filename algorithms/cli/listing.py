"""Subcommand ``list``: learners, filters, cleaning rules, methods, curves and samples with their parameters."""

from __future__ import annotations

import argparse
import textwrap
from typing import TYPE_CHECKING, Any, Final

from algorithms.cli.arguments import COST_FILE, condition_words
from algorithms.cli.output import print_result
from algorithms.core.parameters import PRESET, Configurable, Parameter, ParameterKind

if TYPE_CHECKING:
    from algorithms.core.registry import Registry


WIDTH: Final = 110
NESTED: Final = "its own parameters follow a dot: {name}={id},{name}.{parameter}=..."


def list_what_there_is(options: argparse.Namespace, registry: Registry) -> None:
    """Print all components of one kind, or one in full; JSON is an object with the kind as its key."""
    if options.what == "samples":
        samples = [sample for sample in registry.samples if options.id in (None, sample.id)]
        if not samples:
            registry.samples.get(options.id)
        items = [
            {"id": s.id, "name": s.name, "question": s.question, "sentence": s.sentence, "records": s.n_records}
            for s in samples
        ]
        lines = [f"{s['id']:<22} {s['question']} {s['sentence']} ({s['records']} records)" for s in items]
    else:
        components = _components(options.what, registry)
        things = list(components) if options.id is None else [components.get(options.id)]
        items = [_described(thing) for thing in things]
        lines = [line for thing in things for line in (_lines(thing) if options.id is None else _whole(thing))]
    print_result({options.what: items} if options.json else "\n".join(lines), indent=2)


def _components(what: str, registry: Registry) -> Any:
    if what == "cleaning":
        from algorithms.filters.cleaning_rules import RULES

        return RULES
    if what != "curves":
        return getattr(registry, what)
    from algorithms.evaluation.curves.curve_kinds import CURVES

    return CURVES


def _described(thing: type[Configurable]) -> dict[str, Any]:
    described: dict[str, Any] = {"id": thing.id, "name": thing.name, "sentence": thing.sentence}
    family = getattr(thing, "family", None)
    if family:
        described["family"] = family
    if getattr(thing, "only_training", False):
        described["only_training"] = True
    if thing.presets:
        described["presets"] = [
            {"word": p.word, "name": p.name, "help": p.help, "values": dict(p.values)} for p in thing.presets
        ]
    described["parameters"] = [
        {
            "name": p.name,
            "kind": p.kind.value,
            "default": p.plain(p.default),
            "allowed": _allowed(p),
            "label": p.label,
            "help": p.help,
        }
        for p in thing.parameters()
    ]
    return described


def _lines(thing: type[Configurable]) -> list[str]:
    lines = [f"{thing.id:<22} {thing.name}: {thing.sentence}"]
    lines += [f"    {f'{PRESET}={preset.word}':<24} {preset.name}: {preset.help}" for preset in thing.presets]
    lines += [f"    {_assignment(p):<24} {p.label}: {_allowed(p)}" for p in thing.parameters()]
    return lines


def _whole(thing: type[Configurable]) -> list[str]:
    """One component with the meaning of each parameter and the condition under which it has an effect."""
    lines = _wrapped(f"{thing.id}   {thing.name}: {thing.sentence}", 0)
    for preset in thing.presets:
        lines += ["", f"  {PRESET}={preset.word}", *_wrapped(f"{preset.name}: {preset.help}", 6)]
    for p in thing.parameters():
        lines += ["", f"  {_assignment(p)}", *_wrapped(f"{p.label}: {p.help}", 6)]
        if p.kind is ParameterKind.CHOICE:
            lines += [
                line
                for option in p.options
                for line in _wrapped(": ".join(filter(None, [f"{option.word} ({option.label})", option.help])), 8)
            ]
        else:
            lines += _wrapped(f"{_allowed(p)}.", 6)
        if p.enabled_if is not None:
            lines += _wrapped(f"Counts only with {condition_words(p.enabled_if)}.", 6)
        if isinstance(p.default, Configurable):
            lines += _wrapped(_nested_words(p.name, p.default), 6)
    return lines


def _allowed(parameter: Parameter) -> str:
    """The values that a user may type for a parameter, as text."""
    also = f", or {COST_FILE}" if parameter.kind is ParameterKind.COST_MATRIX else ""
    return f"{parameter.allowed()}{also}"


def _nested_words(name: str, default: Configurable) -> str:
    inner = default.parameters()
    example = inner[0].name if inner else "NAME"
    listed = f"list learners {default.id}"
    words = NESTED.format(name=name, id=default.id, parameter=example)
    return f"{words[:1].upper()}{words[1:]} (see: {listed})"


def _wrapped(text: str, indent: int) -> list[str]:
    margin = " " * indent
    return textwrap.wrap(text, WIDTH, initial_indent=margin, subsequent_indent=margin, break_on_hyphens=False)


def _assignment(parameter: Parameter) -> str:
    default = parameter.default
    return f"{parameter.name}={_typed(default.id if isinstance(default, Configurable) else parameter.plain(default))}"


def _typed(default: Any) -> str:
    if isinstance(default, bool) or default is None:
        return str(default).lower()
    return ",".join(map(str, default)) if isinstance(default, list) else str(default)
