"""Texts of attribute statistics and histograms, without widgets."""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from algorithms.data.column_statistics import BinKind, Histogram, NominalStatistics, NumericStatistics, Statistics
from algorithms.data.columns import IntArray
from algorithms.data.convert_kind import date_labels
from algorithms.data.schema import Attribute, AttributeKind
from algorithms.data.whole_file import MOST_DISTINCT, ColumnTotals, WholeFile
from algorithms.text.names import shortened
from algorithms.text.numbers import percent, significant
from algorithms.text.sentences import counted, typeset

MOST_ALIKE: Final = 2
"""Up to this number of equally frequent values, they are named."""
LONGEST_VALUES: Final = 28
"""Total length of their names in characters."""


def date_text(seconds: float) -> str:
    """Time in ISO format; at midnight the date only."""
    if not math.isfinite(seconds):
        return "–"
    return str(date_labels(np.array([round(seconds)], dtype=np.float64))[0]).replace("T", " ")


def missing_share(n_missing: int, n: int) -> str:
    """Share of missing values: "0", "2.3%", "<0.1%"."""
    return percent(n_missing / n) if n_missing else "0"


def headline(attribute: Attribute, statistics: Statistics) -> str:
    """Kind and range: "numeric · 1 to 10"."""
    kind = attribute.kind.value
    if statistics.n_missing == statistics.n:
        return f"{kind} · no values"
    if isinstance(statistics, NumericStatistics):
        if attribute.kind is AttributeKind.DATE:
            return f"{kind} · {date_text(statistics.minimum)} to {date_text(statistics.maximum)}"
        return f"{kind} · {significant(statistics.minimum)} to {significant(statistics.maximum)}"
    if isinstance(statistics, NominalStatistics):
        return f"{kind} · {counted(len(statistics.values), 'value')}"
    return f"{kind} · {statistics.n_distinct:,} different"


ABOUT: Final = "≈\u2009"
"""Stands before figures of the sample among those of a whole file."""


def pairs_of_whole(attribute: Attribute, statistics: Statistics, totals: ColumnTotals) -> list[tuple[str, str]]:
    """Statistics of the whole file; what only the sample tells is marked by "≈"."""
    of_sample = {"Length", "Examples"}
    of_sample |= set() if totals.quartiles is not None else {"Median", "Quartiles"}
    of_sample |= set() if totals.moments is not None else {"Mean", "SD", "Earliest", "Latest"}
    of_sample |= set() if totals.counts is not None else {"Values", "Never used", "Most frequent"}
    more = f"more than {MOST_DISTINCT:,}"
    shown = [
        (name, more if name == "Distinct" and totals.n_distinct is None else value)
        for name, value in pairs(attribute, statistics)
    ]
    return [(name, f"{ABOUT}{value}" if name in of_sample and value != "–" else value) for name, value in shown]


def whole_words(whole: WholeFile, is_known: bool) -> str:
    """Which of the figures are of the whole file: the sentence below them."""
    if not is_known:
        return f"All figures are of the sample of {whole.n_sampled:,} of {whole.n_records:,} records."
    which = "The figures are of all" if not whole.is_partial else "The figures are of the first"
    sample = f"the histogram and what is marked ≈ are of the sample of {whole.n_sampled:,}."
    return f"{which} {whole.n_records:,} records of the file; {sample}"


def pairs(attribute: Attribute, statistics: Statistics) -> list[tuple[str, str]]:
    """Statistics as name and value, the most important first."""
    n_missing = statistics.n_missing
    share = f" ({missing_share(n_missing, statistics.n)})" if n_missing else ""
    missing, distinct = ("Missing", f"{n_missing:,}{share}"), ("Distinct", f"{statistics.n_distinct:,}")
    if isinstance(statistics, NumericStatistics) and attribute.kind is AttributeKind.DATE:
        ends = [("Earliest", date_text(statistics.minimum)), ("Latest", date_text(statistics.maximum))]
        return [*ends, ("Median", date_text(statistics.median)), missing, distinct]
    if isinstance(statistics, NumericStatistics):
        quartiles = f"{significant(statistics.lower_quartile)} to {significant(statistics.upper_quartile)}"
        return [
            ("Mean", significant(statistics.mean)),
            ("Median", significant(statistics.median)),
            ("SD", significant(statistics.standard_deviation)),
            missing,
            distinct,
            ("Quartiles", quartiles),
        ]
    if isinstance(statistics, NominalStatistics):
        return _nominal_pairs(statistics, missing)
    examples = ", ".join(shortened(text, 40) for text in statistics.examples[:4])
    extent = "" if statistics.shortest == statistics.longest else f"{statistics.shortest:,} to "
    length = f"{extent}{counted(statistics.longest, 'character')}" if statistics.n_distinct else "–"
    return [missing, ("Distinct", distinct[1]), ("Length", length), ("Examples", examples or "–")]


def _nominal_pairs(statistics: NominalStatistics, missing: tuple[str, str]) -> list[tuple[str, str]]:
    rows = [missing, ("Values", f"{statistics.n_distinct:,}")]
    unused = len(statistics.values) - statistics.n_distinct
    if unused:
        rows.append(("Never used", f"{unused:,}"))
    if statistics.n_distinct:
        rows.append(("Most frequent", _most_frequent(statistics)))
    return rows


def _most_frequent(statistics: NominalStatistics) -> str:
    """Mode and its share, ``red (41.2%)``; ties are named or counted."""
    most = np.flatnonzero(statistics.counts == statistics.counts.max())
    share = percent(float(statistics.counts[most[0]]) / max(1, int(statistics.counts.sum())))
    if len(most) > MOST_ALIKE:
        return f"{len(most):,} values equally often ({share} each)"
    names = [
        shortened(statistics.values[code], LONGEST_VALUES // len(most), tuple(statistics.values))
        for code in most.tolist()
    ]
    return f"{names[0]} ({share})" if len(names) == 1 else f"{' and '.join(names)} ({share} each)"


def class_labels(shown: Histogram) -> list[str]:
    if not shown.classes:
        return ["Records"]
    return [*shown.classes, *(["no class"] if shown.has_unclassified else [])]


def class_code(shown: Histogram, column: int) -> int:
    """Class code that colours a column of the counts; -1 for records without class."""
    return -1 if shown.classes and column >= len(shown.classes) else column


def bin_words(shown: Histogram, bin: int, selected: IntArray | None = None) -> str:
    """ "5 to 6: 130 records (malignant 107, benign 23), 12 of them selected", as ``selected`` (b, c) says."""
    counts = shown.counts[bin]
    n = int(counts.sum())
    words = f"{typeset(shown.labels[bin])}: {counted(n, 'record')}"
    if shown.classes:
        names = class_labels(shown)
        order = [int(c) for c in np.argsort(-counts, kind="stable") if counts[c]][:6]
        parts = ", ".join(f"{shortened(names[c], 24, tuple(names))} {int(counts[c]):,}" for c in order)
        words += f" ({parts})" if parts else ""
    if selected is None or not n:
        return words
    n_selected = int(selected[bin].sum())
    return f"{words}, {'all' if n_selected == n else f'{n_selected:,}' if n_selected else 'none'} of them selected"


def plot_words(name: str, shown: Histogram) -> str:
    what = "values" if shown.kind is BinKind.VALUE else "ranges"
    by = f", coloured by {len(shown.classes)} classes" if shown.classes else ""
    highest = int(np.argmax(shown.counts.sum(axis=1)))
    return f"Histogram of {name}: {len(shown.labels)} {what}{by}. Most records: {bin_words(shown, highest)}."
