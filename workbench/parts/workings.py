"""Workings as rich text: name, formula, the formula with this run's numbers, value, and what each term means."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from html import escape

from algorithms.core.scores import Working, shown
from workbench.theme import current_theme


def workings_html(workings: Sequence[Working]) -> str:
    """One line a working, and below them, dim, what the terms are; two that differ in one sign share a line."""
    both = _with_both_signs(workings)
    lines = [both] if both else [_line(working) for working in workings]
    terms = {term.symbol: term for working in workings for term in working.terms if term.meaning}
    if terms:
        meanings = " · ".join(f"<i>{escape(t.symbol)}</i> {escape(t.meaning)}" for t in terms.values())
        lines.append(f'<span style="color:{current_theme().dim}">{meanings}</span>')
    return "<br>".join(lines)


def workings_text(workings: Sequence[Working]) -> str:
    """The same as plain text, for copying and reading aloud."""
    terms = {term.symbol: term for working in workings for term in working.terms if term.meaning}
    meanings = [f"{t.symbol} = {shown(t.value)}: {t.meaning}" for t in terms.values()]
    sources = dict.fromkeys(working.source for working in workings if working.source)
    return "\n".join([*(working.sentence() for working in workings), *meanings, *sources])


def _line(working: Working, name: str = "", value: str = "") -> str:
    steps = [escape(working.symbolic)]
    if working.filled != working.symbolic:
        steps.append(escape(working.filled))
    source = f' <span style="color:{current_theme().dim}">· {escape(working.source)}</span>' if working.source else ""
    said = value or f"<b>{shown(working.value)}</b>"
    return f"<b>{escape(name or working.name)}</b> = {' = '.join(steps)} = {said}{source}"


def _with_both_signs(workings: Sequence[Working]) -> str:
    """The two ends of an interval in one formula with ±; empty where the workings are not such a pair."""
    if len(workings) != 2 or workings[0].terms != workings[1].terms:
        return ""
    low, high = workings
    differ = [at for at, (a, b) in enumerate(zip(low.formula, high.formula, strict=False)) if a != b]
    if len(low.formula) != len(high.formula) or [(low.formula[i], high.formula[i]) for i in differ] != [("−", "+")]:
        return ""
    either = replace(low, formula=f"{low.formula[: differ[0]]}±{low.formula[differ[0] + 1 :]}")
    value = f"<b>{shown(low.value)}</b> and <b>{shown(high.value)}</b>"
    return _line(either, f"{low.name}, {high.name.lower()}", value)
