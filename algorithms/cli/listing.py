"""The verb ``list``: what there is."""

from __future__ import annotations

import argparse
from typing import Any

from algorithms.cli.output import say
from algorithms.core.params import PRESET, Configurable
from algorithms.core.registry import Registry


def list_what_there_is(options: argparse.Namespace, registry: Registry) -> None:
    if options.what == "samples":
        items = [
            {"id": s.id, "name": s.name, "question": s.question, "sentence": s.sentence, "records": s.n_records}
            for s in registry.samples
        ]
        lines = [f"{s['id']:<22} {s['question']} {s['sentence']} ({s['records']} records)" for s in items]
    else:
        shelf = _shelf(options.what, registry)
        items = [_described(thing) for thing in shelf]
        lines = [line for thing in shelf for line in _lines(thing)]
    say(items if options.json else "\n".join(lines), indent=2)


def _shelf(what: str, registry: Registry) -> Any:
    if what != "curves":
        return getattr(registry, what)
    from algorithms.evaluation.curve_kinds import shelf

    return shelf()


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
            "default": _plain(p.default),
            "allowed": p.allowed(),
            "label": p.label,
            "help": p.help,
        }
        for p in thing.parameters()
    ]
    return described


def _plain(default: Any) -> Any:
    return default.to_json() if isinstance(default, Configurable) else default


def _lines(thing: type[Configurable]) -> list[str]:
    lines = [f"{thing.id:<22} {thing.name}: {thing.sentence}"]
    lines += [f"    {f'{PRESET}={each.word}':<24} {each.name}: {each.help}" for each in thing.presets]
    for p in thing.parameters():
        default = p.default.id if isinstance(p.default, Configurable) else p.default
        lines.append(f"    {f'{p.name}={_typed(default)}':<24} {p.label}: {p.allowed()}")
    return lines


def _typed(default: Any) -> str:
    if isinstance(default, bool) or default is None:
        return str(default).lower()
    return ",".join(map(str, default)) if isinstance(default, tuple) else str(default)
