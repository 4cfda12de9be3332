"""What speaks for and against the class said of a record, the strongest first: bars and numbers, as rich text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from html import escape
from typing import Final

from algorithms.core.learner import LogOddsTerm
from algorithms.text.numbers import with_minus
from workbench.style.theme import current_theme, themes

MOST: Final = 8
"""So many reasons are listed; the others are summed up in one line."""
HALF: Final = 34
"""The longest bar, in pixels."""
UNIT: Final = "in log odds (0.7 doubles the odds, 2.3 makes them tenfold)"
WHAT_NUMBERS_MEAN: Final = (
    "The numbers are log odds and add up: above 0 they speak for the class to the right, below 0 for the one to the "
    "left. 0.7 makes it about twice as likely beside the other one, 2.3 ten times."
)


def shortened_reasons(reasons: Sequence[LogOddsTerm], most: int = MOST) -> list[LogOddsTerm]:
    """Where it begins, then the ``most`` strongest reasons, then all others in one."""
    start, *said = reasons
    rest = said[most:]
    if len(rest) < 2:
        return [start, *said]
    others = LogOddsTerm("All else together", "", sum(each.added for each in rest), start.against)
    return [start, *said[:most], others]


def reasons_html(reasons: Sequence[LogOddsTerm], decided: int, classes: Sequence[str], interest: str = "") -> str:
    """A table of the reasons for the class ``decided`` (a code): to the right what speaks for it, to the left what
    speaks for the other one; the other way round where the other one is the class of ``interest``, which is to the
    right in all pictures."""
    theme = current_theme()
    right, left = decided, reasons[0].against
    if classes[left] == interest:
        right, left = left, right
        reasons = [replace(each, added=-each.added) for each in reasons]
    shown = shortened_reasons(reasons)
    total = sum(each.added for each in reasons)
    largest = max([abs(each.added) for each in shown] + [1e-300])
    rows = []
    for each in shown:
        code = right if each.added > 0 else left
        width = max(1, round(themes.px(HALF) * abs(each.added) / largest))
        bars = [_bar(width if each.added < 0 else 0, theme.class_color(code).name(), "right")]
        bars += [_bar(width if each.added > 0 else 0, theme.class_color(code).name(), "left")]
        beside = f' <span style="color:{theme.dim}">({escape(each.beside)})</span>' if each.beside else ""
        rows.append(
            f'<tr><td valign="middle">{escape(each.what)}{beside}&nbsp;</td>{"".join(bars)}'
            f'<td align="right" valign="middle">&nbsp;{_signed(each.added)}</td></tr>'
        )
    rows.append(f'<tr><td><b>Together</b></td><td></td><td></td><td align="right"><b>{_signed(total)}</b></td></tr>')
    ours, theirs = escape(classes[right]), escape(classes[left])
    return (
        f"To the right what speaks for <b>{ours}</b>, to the left for <b>{theirs}</b>, {UNIT}:"
        f'<table cellspacing="0" cellpadding="1" width="100%">{"".join(rows)}</table>'
    )


def _bar(width: int, color: str, side: str) -> str:
    """A cell with a bar at its ``side``; an empty one where the bar has no width."""
    room = f'<td width="{themes.px(HALF)}" valign="middle">'
    if not width:
        return f"{room}</td>"
    inner = f'<td width="{width}" bgcolor="{color}" style="font-size:6pt">&nbsp;</td>'
    return f'{room}<table align="{side}" cellspacing="0" cellpadding="0"><tr>{inner}</tr></table></td>'


def _signed(value: float) -> str:
    return with_minus(f"{value:+.2f}")
