"""Workings as rich text: name, formula, the formula with this run's numbers, value, and what each term means."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from algorithms.core.scores import Working, shown
from workbench.theme import current_theme


def workings_html(workings: Sequence[Working]) -> str:
    """One line a working, and below them, dim, what the terms are."""
    lines = [_line(working) for working in workings]
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


def _line(working: Working) -> str:
    steps = [escape(working.symbolic)]
    if working.filled != working.symbolic:
        steps.append(escape(working.filled))
    source = f' <span style="color:{current_theme().dim}">· {escape(working.source)}</span>' if working.source else ""
    return f"<b>{escape(working.name)}</b> = {' = '.join(steps)} = <b>{shown(working.value)}</b>{source}"
