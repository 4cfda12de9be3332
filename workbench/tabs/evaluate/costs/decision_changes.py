"""What a decision rule is called and changes: sentences, rows of figures and their table."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import Any, ClassVar, Final

import numpy as np
from PySide6.QtCore import Qt

from algorithms.core.scores import ratio
from algorithms.data.columns import FloatArray
from algorithms.evaluation.compare.significance_tests import PairedComparison
from algorithms.evaluation.costs.cost_workings import ComparedCost
from algorithms.evaluation.costs.decision_rules import ByCost, Choice
from algorithms.text.names import shortened
from algorithms.text.numbers import (
    MINUS,
    MOST_DECIMALS,
    amount,
    decimals_of,
    in_decimal,
    in_hundredths,
    p_words,
    percent,
    points,
    price,
    price_alike,
)
from algorithms.text.sentences import BRIEF_NAMES, of_class, quoted, threshold_words
from workbench.style.theme import current_theme, themes
from workbench.widgets.labels import Naming
from workbench.widgets.tables import Role, TextModel, TextTable, set_row_height

Money = Callable[[float], str]

NEXT_TO_NOTHING: Final = 1e-9
MOST_OF_COST: Final = 6
"""Most decimals of a cost per record: as many as show the change."""
ABOUT: Final = "≈"
PER_RECORD: Final = "Cost per record"
WHAT_ABOUT_IS: Final = "≈: difference before rounding."
"""Note beside a table with a difference that the figures shown do not give."""
COSTS: Final = "Total cost", PER_RECORD, "False negatives", "False positives", "Other errors"
"""Names of figures that are better if less; the last only with more than two classes."""
WHAT_OTHER_ERRORS_ARE: Final = "Errors between the other classes: neither false negatives nor false positives"
NOT_ROUNDED: Final = "The true difference, rounded. The difference of the rounded figures has another last digit."
POSITIVE: Final = "Positive: {label}"
"""Heading of the names of figures: the class of the false negatives and positives, of recall and of precision."""
WIDTH_STEP: Final = 30
"""Pixels by which the table grows with its figures."""
LOW_ROW: Final = 20
LEAST_FIRST: Final = 116
"""Least width of the names of figures: that of "False negatives". The name of the class above them gives way."""
LONGEST_FIGURES: Final = 24
"""So many of the longest figures of a column are measured to reserve its width."""


def rule_name(choice: Choice, naming: Naming) -> str:
    """The rule at the begin of a sentence."""
    if isinstance(choice, ByCost):
        return "Least expected cost"
    if choice.threshold > 1:
        return f"Never predicting {quoted(naming(choice.label))}"
    return f"A threshold of {threshold_words(choice.threshold)}"


def named_rule(choice: Choice, naming: Naming) -> str:
    """The rule within a sentence."""
    if isinstance(choice, ByCost):
        return "least expected cost"
    if choice.threshold > 1:
        return f"“never {naming(choice.label)}”"
    return f"threshold {threshold_words(choice.threshold)}"


def brief_rule(choice: Choice) -> str:
    """The rule as the heading of a column."""
    if isinstance(choice, ByCost):
        return "By cost"
    return "Never" if choice.threshold > 1 else threshold_words(choice.threshold)


def verdict_words(subject: str, before: float, now: float, money: Money, *, is_brief: bool = False) -> str:
    """What a decision rule, the ``subject``, does to the total cost ``before`` of the default rule."""
    cost = "cost" if is_brief else "total cost"
    if abs(now - before) < NEXT_TO_NOTHING:
        return f"{subject} leaves the {cost} at {money(before)}"
    does = "lowers" if now < before else "raises"
    return f"{subject} {does} the {cost} from {price(before)} to {money(now)}"


def saving_words(subject: str, saved: PairedComparison, n: float) -> str:
    """What a rule, the ``subject``, saves on records of weight ``n``, with its interval, and per record."""
    ends, mean = (price(float(f"{n * end:.2g}")) for end in saved.interval), price(saved.difference)
    each = f", {mean} per record" if mean.strip("0.") else ""  # one that rounds to 0 is no saving
    unclear = "" if saved.significant else ", not significantly"
    return f"{subject} saves {price(n * saved.difference)} (95% CI {' to '.join(ends)}){each}{unclear}."


def baseline_wordings(
    name: str, classes: tuple[str, ...], costs: tuple[float, float], money: Money, than: str = ""
) -> tuple[str, ...]:
    """What the best constant prediction, that of the class ``name``, costs beside a rule; ever shorter.

    ``costs`` are that of the baseline and that of the rule, which ``than`` names unless it stands above.
    """
    (cost, now), names = costs, [name, *(shortened(name, most, classes) for most in BRIEF_NAMES)]
    over = cost - now
    beside = f", {price(abs(over))} {'more' if over > 0 else 'less'}{than}"
    costs_what = f"costs no more: {money(cost)}" if abs(over) < NEXT_TO_NOTHING else f"costs {money(cost)}{beside}"
    whole = [f"The baseline (always {shown}) {costs_what}" for shown in names]
    return tuple(dict.fromkeys((*whole, f"Baseline {costs_what}", f"Baseline {costs_what.removesuffix(than)}")))


def beside_one_answer(comparison: ComparedCost, naming: Naming, rule: str, money: Money) -> str:
    """Whether the best constant prediction costs more than the ``rule``, and whether that is significant.

    The p-value is that of this comparison alone; Classify and Compare correct theirs for all learners or runs.
    """
    over, sentence = comparison.more, f"The baseline (always {naming(comparison.guessed)}) costs"
    if abs(over) < NEXT_TO_NOTHING:
        return f"{sentence} the same as {rule}."
    sentence += f" {money(abs(over))} {'more' if over > 0 else 'less'} than {rule}"
    verdict = "significant" if comparison.less.significant else "not significant"
    return f"{sentence}: {verdict} in this comparison alone (unadjusted {p_words(comparison.less.p_value)})."


def mistakes_of(matrix: FloatArray, code: int) -> tuple[float, float]:
    """False negatives and false positives of class ``code`` in a confusion matrix (k, k)."""
    hits = float(matrix[code, code])
    return float(matrix[code].sum()) - hits, float(matrix[:, code].sum()) - hits


def other_errors(matrix: FloatArray, code: int) -> float:
    """Errors between classes other than ``code`` in a confusion matrix (k, k)."""
    return float(matrix.sum() - np.trace(matrix)) - sum(mistakes_of(matrix, code))


def changes_sentence(before: FloatArray, now: FloatArray, code: int, name: str, *, is_brief: bool = False) -> str:
    """How many false negatives and false positives of the class ``name`` a rule adds or saves; in brief without it."""
    n_actual = float(before[code].sum())
    of = of_class(n_actual, name), f"{amount(float(before.sum()) - n_actual)} others"
    names = [
        name if is_brief else f"{name} among {whole}"
        for name, whole in zip(("false negatives", "false positives"), of, strict=True)
    ]
    changes = [new - old for old, new in zip(mistakes_of(before, code), mistakes_of(now, code), strict=True)]
    if not any(changes):
        sentence = f"{' and '.join(names)} stay the same."
        return f"{sentence[0].upper()}{sentence[1:]}"
    parts = []
    for over, name in zip(changes, names, strict=True):
        one = name.replace("ives", "ive", 1) if abs(over) == 1 else name
        more = f"{amount(abs(over))} {'more' if over > 0 else 'fewer'} {one}"
        parts.append(more if over else f"{name} stay the same")
    sentence = "; ".join(parts)
    return f"{sentence[0].upper()}{sentence[1:]}."


def change_rows(before: FloatArray, now: FloatArray, totals: tuple[float, float], code: int) -> list[tuple[str, ...]]:
    """Cost, mistakes and measures of two rules as text, and their true difference, rounded.

    Rates have as many decimals as show the change. "≈" precedes a difference that is not that of the figures shown.
    """
    rows = list[tuple[str, ...]]()
    per_record = [ratio(total, float(before.sum())) or 0.0 for total in totals]
    counts = [totals, per_record, *zip(mistakes_of(before, code), mistakes_of(now, code), strict=True)]
    if len(before) > 2:  # without these the errors do not add up
        counts.append((other_errors(before, code), other_errors(now, code)))
    for name, (old, new) in zip(COSTS, counts, strict=False):
        was, becomes = price(old), price(new)
        if name == PER_RECORD:
            tried = range(decimals_of(per_record), MOST_OF_COST)
            decimals = next((n for n in tried if _tells(old, new, n)), MOST_OF_COST)
            alike = [price_alike(cost, decimals) for cost in per_record]
            was, becomes = (was, becomes) if any(figure.startswith("<") for figure in alike) else alike
        shown = float(_shown(becomes) - _shown(was))
        decimals = max(len(figure.partition(".")[2]) for figure in (was, becomes))
        is_exact = _is_exact(shown, new - old, decimals)
        over = shown if is_exact else float(f"{in_decimal(new - old):.{decimals}f}")
        change = price_alike(over, decimals) if name == PER_RECORD and over else price(over)
        rows.append((name, was, becomes, f"{'' if is_exact else ABOUT}{'+' if over > 0 else ''}{change}"))
    pairs = zip(_rates(before, code), _rates(now, code), strict=True)
    for name, (rate, rate_now) in zip(("Recall", "Precision", "Accuracy"), pairs, strict=True):
        if rate is None or rate_now is None:
            rows.append((name, percent(rate), percent(rate_now), ""))
            continue
        told = next((n for n in range(1, MOST_DECIMALS + 1) if _rates_tell(rate, rate_now, n)), None)
        about = ABOUT if told is None else ""
        over = round(100.0 * (rate_now - rate), 1) if told is None else _points_shown(rate, rate_now, told)
        figures = (percent(share, decimals=told or 1) for share in (rate, rate_now))
        rows.append((name, *figures, f"{about}{points(over / 100.0, told or 1) if over else '0'}"))
    return rows


def _is_exact(shown: float, exact: float, decimals: int) -> bool:
    """Whether a difference of rounded figures is the ``exact`` one, rounded to as many decimals."""
    return bool(abs(shown - exact) <= 0.5 * 10**-decimals + NEXT_TO_NOTHING)


def _tells(before: float, after: float, decimals: int) -> bool:
    """Whether the difference of two costs with so many decimals is the true one, rounded, and 0 only if that is."""
    shown = float(Decimal(f"{in_decimal(after):.{decimals}f}") - Decimal(f"{in_decimal(before):.{decimals}f}"))
    return _is_exact(shown, after - before, decimals) and (shown != 0 or abs(after - before) < NEXT_TO_NOTHING)


def _points_shown(before: float, after: float, decimals: int) -> float:
    """The difference of two shares in percent with so many decimals."""
    return float(Decimal(in_hundredths(after, decimals)) - Decimal(in_hundredths(before, decimals)))


def _rates_tell(before: float, after: float, decimals: int) -> bool:
    """Whether the difference of two percentages with so many decimals is the true one, rounded, and 0 if that is."""
    shown, is_same = _points_shown(before, after, decimals), not float(in_hundredths(after - before, MOST_DECIMALS))
    return not shown if is_same else shown != 0 and _is_exact(shown, 100.0 * (after - before), decimals)


def _shown(figure: str) -> Decimal:
    return Decimal(figure.replace(",", "").replace(MINUS, "-"))


def _rates(matrix: FloatArray, code: int) -> tuple[float | None, ...]:
    """Recall and precision of a class, and accuracy; None where no record counts."""
    right = float(matrix[code, code])
    return (
        ratio(right, float(matrix[code].sum())),
        ratio(right, float(matrix[:, code].sum())),
        ratio(float(np.trace(matrix)), float(matrix.sum())),
    )


class _Changes(TextModel):
    """Rows of a comparison whose last column is coloured by what is better: less cost and mistakes, more of a rate."""

    def tip(self, row: int, column: int) -> str | None:
        if self.text(row, column) == COSTS[-1]:
            return WHAT_OTHER_ERRORS_ARE
        return NOT_ROUNDED if self.text(row, column).startswith(ABOUT) else super().tip(row, column)

    def value(self, row: int, column: int, role: int) -> Any:
        if role != Role.ForegroundRole or column != self.size()[1] - 1:
            return super().value(row, column, role)
        text = self.text(row, column).removeprefix(ABOUT)
        if text[:1] not in ("+", "−"):
            return current_theme().color("dim")
        return current_theme().color("good" if (text[0] == "−") is (self.text(row, 0) in COSTS) else "bad")


class ChangesTable(TextTable):
    """What a decision rule changes, as high as its rows, which are low where the page is."""

    shows_whole_columns: ClassVar[bool] = True
    _is_low = False  # of the class, as the constructor of the base measures
    _reserved: tuple[tuple[str, ...], ...] = ()

    def __init__(self) -> None:
        super().__init__(
            "evaluate.board.changes", "What the decision rule changes", _Changes(), least_words=LEAST_FIRST
        )
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)

    def needed_width(self, _room: int) -> int:
        """The width that shows all figures whole, in steps, so that it is steady while figures change."""
        step = themes.px(WIDTH_STEP)
        return -(-(sum(self._least) + 2 * self.frameWidth()) // step) * step

    def reserve(self, rows: Sequence[Sequence[str]]) -> None:
        """Reserves the widths of the figures in ``rows``, so that no column moves while rules are stepped through."""
        columns = [sorted(set(column), key=len)[-LONGEST_FIGURES:] for column in zip(*rows, strict=True)]
        reserved = tuple(map(tuple, columns[1:]))
        if reserved != self._reserved:
            self._reserved = reserved
            self._weigh()

    def _weigh(self) -> None:
        super()._weigh()
        metrics = self.fontMetrics()
        for column, texts in enumerate(self._reserved[: max(0, len(self._least) - 1)], start=1):
            width = max(map(metrics.horizontalAdvance, texts), default=0) + themes.px(self.around)
            for widths in (self._least, self._cells, self._wanted):
                widths[column] = max(widths[column], width)
        self._share_room()

    def set_low(self, is_low: bool) -> None:
        if is_low is not self._is_low:
            self._is_low = is_low
            self._measure()

    def _measure(self) -> None:
        super()._measure()
        if self._is_low:
            set_row_height(self, themes.px(LOW_ROW))
            self._share_room()

    def _share_room(self) -> None:
        super()._share_room()
        self.setFixedHeight(self.content_height())
