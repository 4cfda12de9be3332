"""The sums behind a split, written with this node's numbers in them."""

from __future__ import annotations

from html import escape
from typing import Final

from algorithms.core.scores import Working, shown
from workbench.theme import current_theme

MOST_BRANCHES: Final = 4
"""A sum over more branches is shown shortened; all its terms are a click away."""


def as_html(working: Working) -> str:
    """``Gain = .930 − (429/699 × .071 + ...) = .702``, shortened where there are many branches."""
    theme = current_theme()
    n_parts = working.formula.count("{n") - working.formula.count("{n}")
    filled = working.filled if n_parts <= 2 * MOST_BRANCHES else _shortened(working)
    shown_words = escape(filled).replace(" x ", " × ").replace("- ", "− ")
    value = (
        "-" if working.value is None else f"{working.value:.3f}" if abs(working.value) < 10 else shown(working.value)
    )
    return f'<span style="color:{theme.dim}">{escape(working.name)}</span> = {shown_words} = <b>{escape(value)}</b>'


def _shortened(working: Working) -> str:
    """The first and the last branch of a sum, and how many there are between."""
    parts = working.filled.split(" + ") if " + " in working.filled else working.filled.split(" - ")
    joint = " + " if " + " in working.filled else " - "
    left_out = len(parts) - MOST_BRANCHES
    return (
        joint.join([*parts[: MOST_BRANCHES - 1], f"({left_out} more)", parts[-1]]) if left_out > 0 else working.filled
    )


def terms_html(sums: tuple[Working, ...]) -> str:
    """Each sum by its symbols, and every symbol's value and meaning."""
    lines = []
    for working in sums:
        source = f" ({escape(working.source)})" if working.source else ""
        symbols = escape(working.symbolic).replace(" x ", " × ").replace("- ", "− ")
        lines.append(f"<b>{escape(working.name)}</b> = {symbols}{source}")
        lines += [f"{escape(t.symbol)} = {escape(shown(t.value))}: {escape(t.meaning)}" for t in working.terms]
    return "<br>".join(lines)
