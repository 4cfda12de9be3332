"""What the overview of a table finds: sentences with a remedy each, in the form of the warnings about data.

A warning and a finding about the same thing are one: both come from :mod:`~algorithms.evaluation.checks.warnings`. The
p-values behind a finding are corrected by Holm over all attributes, or over all pairs.
"""

from __future__ import annotations

import shlex
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np

from algorithms.core.run_control import RunContext
from algorithms.data.convert_kind import date_labels, unread_numbers
from algorithms.data.dataset import Dataset
from algorithms.data.number_formats import NumberForm
from algorithms.data.schema import AttributeKind
from algorithms.data.summary import Summary, summarize
from algorithms.data.whole_file import MOST_DISTINCT, WholeFile
from algorithms.evaluation.checks.data_quality_checks import (
    ALPHA,
    FEWEST,
    LeakingAttribute,
    TableDuplicates,
    compare_counts,
    giveaways,
    table_duplicates,
)
from algorithms.evaluation.checks.overview import (
    FAR_OUT,
    Associations,
    ColumnProfile,
    Outliers,
    TableOverview,
    look_over,
    strongest_pairs,
)
from algorithms.evaluation.checks.warning import MEANING, Emphasis, ResultWarning, name_of
from algorithms.evaluation.checks.warnings import (
    WHAT_TWINS_MEAN,
    CheckedData,
    by_chance,
    column_warning,
    data_warnings,
    in_a_list,
    leave_out,
    leave_out_command,
    looks_like_identifier,
    natural_words,
    unread_amounts,
)
from algorithms.evaluation.compare.significance_tests import holm
from algorithms.text.names import shortened
from algorithms.text.numbers import coefficient, p_text, percent, significant
from algorithms.text.sentences import and_more, counted

MOSTLY: Final = 0.5
"""An attribute with a larger share of missing values is better left out than imputed."""
REPEATS: Final = 0.98
"""Association from which an attribute adds nothing to another."""
LEAST_DISTANCE: Final = 0.2
"""Smallest distance between the classes of records with and without a value that is a finding."""
IMPUTES: Final = "replace-missing"
"""Id of the step that is the remedy; with such a step in the recipe there is nothing to find."""
CAPS: Final = "cap-outliers"
WHAT_REPEATING_MEANS: Final = (
    "Such an attribute adds next to nothing, as its values follow from those of the other, and it makes coefficients "
    "and importances hard to read. Holm correction over all pairs."
)
WHAT_MISSING_MEANS: Final = (
    "Some learners cannot take missing values. The step learns what to fill in from the training records of each fold."
)
WHAT_MOSTLY_MISSING_MEANS: Final = "Filled in, most of its values would be made up."
WHAT_MISSING_BY_CLASS_MEANS: Final = (
    "Whether a value is missing tells the class (chi-square test, Holm correction). A value that is entered only after "
    "the class is known makes the test optimistic."
)
WHAT_EXTREME_MEANS: Final = (
    "beyond the reach of an exponential tail through the outer eighths of the attribute (at most 1% by chance "
    "over all attributes, Bonferroni correction). Such values are often typing errors or codes such as 999."
)
WHY_THEY_ARE_NOT_CAPPED: Final = (
    f"Capping {FAR_OUT:g} interquartile ranges beyond the quartiles would leave some as they are: correct them instead."
)
WHAT_CHANGE_MEANS: Final = (
    "The percentage is the share of the distribution that differs between the first and the second half of the "
    "records, each time significantly (Kolmogorov-Smirnov test for numeric, chi-square test for nominal attributes, "
    "Holm correction)."
)
WHAT_SORTING_MEANS: Final = "Cross-validation and holdout shuffle the records, so their estimates are not affected."
WHAT_A_TREND_MEANS: Final = "A model of old records may not hold for new ones: test it with a time-ordered holdout."


@dataclass(frozen=True, eq=False)
class MissingByClass:
    """The share of each class (k,) without a value of ``name``; ``p_value`` is corrected for all attributes."""

    name: str
    shares: tuple[float, ...]
    distance: float
    p_value: float


@dataclass(frozen=True, eq=False)
class TableChecks:
    """The exact overview of a table and all else that its findings need."""

    overview: TableOverview
    summary: Summary
    giveaways: tuple[LeakingAttribute, ...]
    unread: Mapping[str, NumberForm]
    duplicates: TableDuplicates | None
    missing_by_class: tuple[MissingByClass, ...]


def check_table(data: Dataset, context: RunContext) -> TableChecks:
    """Look at a whole table; the overview of a sample is published first if it is large."""
    overview = look_over(data, context.child(0.8, 0))
    rest = context.child(0.2, 1)
    rest.say("Testing each attribute alone")
    has_class = data.schema.class_index is not None and data.schema.class_attribute.kind.is_coded
    leaking = tuple(giveaways(data, rest.checkpoint)) if has_class else ()
    unread = unread_numbers(data, rest.checkpoint)
    rest.say("Looking for duplicate records")
    duplicates = table_duplicates(data, rest.checkpoint)
    by_class = tuple(missing_by_class(data, overview, rest)) if has_class else ()
    rest.complete()
    return TableChecks(overview, summarize(data, context.checkpoint), leaking, unread, duplicates, by_class)


def missing_by_class(data: Dataset, overview: TableOverview, context: RunContext) -> list[MissingByClass]:
    """The attributes in which the share of missing values differs significantly between the classes."""
    codes, k = data.class_codes, len(data.schema.classes)
    tested = []
    for index in data.schema.predictors:
        if overview.columns[index].n_missing < FEWEST:
            continue
        context.checkpoint()
        gone = data.missing(index)
        counts = np.array([np.bincount(codes[(codes >= 0) & where], minlength=k) for where in (gone, ~gone)])
        if counts.sum(axis=1).min() < FEWEST:
            continue
        distance, p = compare_counts(counts.astype(np.float64))
        shares = counts[0] / np.maximum(1, counts.sum(axis=0))
        tested.append(MissingByClass(overview.columns[index].name, tuple(shares.tolist()), distance, p))
    corrected = holm([each.p_value for each in tested])
    return [
        MissingByClass(each.name, each.shares, each.distance, p)
        for each, p in zip(tested, corrected, strict=True)
        if p <= ALPHA and each.distance >= LEAST_DISTANCE
    ]


def table_findings(
    checks: TableChecks, left_out: Collection[str] = (), steps: Collection[str] = (), of_costs: Collection[str] = ()
) -> list[ResultWarning]:
    """All findings, harmless ones last. ``left_out`` are the columns and ``steps`` the ids of the steps of a recipe."""
    data = CheckedData(checks.summary, checks.giveaways, left_out, of_costs)
    asked = _Asked(checks, {column.attribute.name for column in data.used()}, steps)
    found = [
        *data_warnings(data),
        *(warning for look in FINDINGS for warning in look(asked)),
        *unread_amounts({name: form for name, form in checks.unread.items() if name not in left_out}),
    ]
    return sorted(found, key=lambda warning: warning.harmless)


@dataclass(frozen=True, eq=False)
class _Asked:
    """Checks of a table with the names of the attributes ``used`` and the ids of the steps that the recipe has."""

    checks: TableChecks
    used: set[str]
    steps: Collection[str]

    def columns(self) -> list[ColumnProfile]:
        """Profiles of the attributes that are used and vary."""
        return [each for each in self.checks.overview.columns if each.name in self.used and each.n_distinct > 1]


def _mostly_missing(asked: _Asked) -> Iterator[ResultWarning]:
    n = asked.checks.overview.n_records
    found = [each for each in asked.columns() if each.n_missing > MOSTLY * n]
    if found:
        both = "has mostly missing values", "have mostly missing values"
        warning = column_warning("mostly-missing", [each.name for each in found], *both)
        listed = in_a_list(f"{each.name} ({percent(each.n_missing / n)})" for each in found)
        yield _because(warning, f"{listed}. {WHAT_MOSTLY_MISSING_MEANS}")


def _missing(asked: _Asked) -> Iterator[ResultWarning]:
    n = asked.checks.overview.n_records
    some = [each for each in asked.columns() if 0 < each.n_missing <= MOSTLY * n]
    if not some or IMPUTES in asked.steps:
        return
    parts: tuple[str | Emphasis, ...] = (f"{len(some)} attributes have missing values",)
    if len(some) == 1:
        parts = name_of(some[0].name), f" is missing in {counted(some[0].n_missing, 'record')}"
    ordered = sorted(some, key=lambda each: -each.n_missing)
    listed = in_a_list(f"{each.name} ({percent(each.n_missing / n)})" for each in ordered)
    together = [pattern for pattern in asked.checks.overview.patterns if len(pattern.names) > 1][:1]
    also = [f"{_names(each.names)} are missing together in {counted(each.n, 'record')}." for each in together]
    why = " ".join([f"{listed}.", *also, WHAT_MISSING_MEANS])
    names = tuple(each.name for each in some)
    yield ResultWarning("missing-values", parts, why, "impute them", names, command=f"Impute them: --filter {IMPUTES}")


def _missing_by_class(asked: _Asked) -> Iterator[ResultWarning]:
    found = [each for each in asked.checks.missing_by_class if each.name in asked.used]
    if found:
        classes = asked.checks.overview.schema.classes
        both = "is missing in some classes more often", "are missing in some classes more often"
        warning = column_warning("missing-by-class", [each.name for each in found], *both)
        listed = []
        for each in found:
            most, least = int(np.argmax(each.shares)), int(np.argmin(each.shares))
            ends = f"{percent(each.shares[most])} of {classes[most]}, {percent(each.shares[least])} of {classes[least]}"
            listed.append(f"{each.name} ({ends})")
        yield _because(warning, f"{in_a_list(listed)}. {WHAT_MISSING_BY_CLASS_MEANS}")


def _duplicates(asked: _Asked) -> Iterator[ResultWarning]:
    found = asked.checks.duplicates
    if found is None:
        return
    number, n = found.n_copies, asked.checks.overview.n_records
    parts = (Emphasis(counted(number, "record")), f" of {n:,} {'repeats' if number == 1 else 'repeat'} an earlier one")
    have = f"{percent(found.share)} of the records have a duplicate."
    if found.natural:
        why = f"{have} {natural_words(found.share, found.by_chance)}"
        yield ResultWarning("duplicates", parts, why, harmless=True)
    else:
        why = f"{have} {by_chance(found.by_chance)} {WHAT_TWINS_MEAN}"
        yield ResultWarning("duplicates", parts, why, "remove duplicates", command="Remove duplicates from the file")


def _repeated(asked: _Asked) -> Iterator[ResultWarning]:
    pairs, summary = asked.checks.overview.pairs, asked.checks.summary
    varies = {each.name for each in asked.columns()}
    ids = {each.attribute.name for each in summary.attributes if looks_like_identifier(each, summary.n_records)}
    is_open = np.array([name in varies - ids for name in pairs.names], dtype=np.bool_)
    is_close = np.triu((pairs.strength >= REPEATS) & (pairs.p_values <= ALPHA) & (pairs.n >= FEWEST), 1)
    overview, repeats = asked.checks.overview, dict[str, str]()
    for i, j in np.argwhere(is_close & is_open & is_open[:, None]).tolist():
        if pairs.names[i] in repeats or pairs.names[j] in repeats:
            continue
        for own, other in _determined(pairs, i, j):
            name = pairs.names[own]
            n_known = overview.n_records - overview.column(name).n_missing
            if pairs.n[i, j] >= REPEATS * n_known:
                repeats[name] = f"{pairs.names[other]} ({pairs.measure(i, j)} {coefficient(pairs.value(i, j))})"
                break
    if not repeats:
        return
    names = tuple(repeats)
    parts: tuple[str | Emphasis, ...] = (f"{len(names)} attributes nearly repeat another one",)
    if len(names) == 1:
        parts = name_of(names[0]), " nearly repeats ", repeats[names[0]]
    listed = in_a_list(f"{name}: {other}" for name, other in repeats.items())
    why, command = f"{listed}. {WHAT_REPEATING_MEANS}", leave_out_command(names)
    yield ResultWarning("repeated", parts, why, leave_out(names), names, command=command)


def _determined(pairs: Associations, i: int, j: int) -> list[tuple[int, int]]:
    """Which of a closely associated pair is told by the other, as (told, telling); the preferred way first.

    A nominal attribute tells a numeric one, and of two nominal ones that with more values tells the other.
    """
    earlier_is_told, later_is_told = (i, j), (j, i)
    if pairs.is_numeric[i] != pairs.is_numeric[j]:
        return [earlier_is_told if pairs.is_numeric[i] else later_is_told]
    if pairs.is_numeric[i] or pairs.levels[i, j] == pairs.levels[j, i]:
        return [later_is_told, earlier_is_told]
    return [earlier_is_told if pairs.levels[i, j] < pairs.levels[j, i] else later_is_told]


def _outliers(asked: _Asked) -> Iterator[ResultWarning]:
    if CAPS in asked.steps:
        return
    found = [each for each in asked.columns() if each.outliers is not None and each.outliers.extreme]
    if not found:
        return
    capped = [each for each in found if each.outliers is not None and _are_capped(each.outliers)]
    left = [each for each in found if each not in capped]
    if capped:
        names = tuple(each.name for each in capped)
        step = f"{CAPS}:k={FAR_OUT:g},columns={','.join(names)}"
        command = f"Cap them: --filter {shlex.quote(step)}"
        if any(mark in name for name in names for mark in ",;="):
            command = f"Cap them with --filter {CAPS}"
        parts, why = _extreme_words(capped)
        yield ResultWarning("outliers", parts, f"{why} {_step_words(capped)}", "cap them", names, command=command)
    if left:
        parts, why = _extreme_words(left)
        yield ResultWarning("outliers-in-fences", parts, f"{why} {WHY_THEY_ARE_NOT_CAPPED}", MEANING)


def _are_capped(outliers: Outliers) -> bool:
    """Whether the fences of the remedy lie within the limits of extreme values, so that each of these is capped."""
    lower, _, upper = outliers.quartiles
    low, high = outliers.limits
    reach, below = FAR_OUT * (upper - lower), outliers.extreme_below
    return reach > 0 and (not below or low <= lower - reach) and (below == outliers.extreme or upper + reach <= high)


def _step_words(capped: list[ColumnProfile]) -> str:
    """How the remedy caps values, and how many of the whole table: more than are extreme."""
    n_capped = sum(each.outliers.far_out for each in capped if each.outliers is not None)
    which = f"all {n_capped:,} values" if n_capped > 1 else "the value"
    beyond = f"more than {FAR_OUT:g} interquartile ranges beyond the quartiles"
    return f"The step caps {which} {beyond}; it learns these in each fold."


def _extreme_words(found: list[ColumnProfile]) -> tuple[tuple[str | Emphasis, ...], str]:
    """The sentence about attributes with extreme values, and how many each has beyond which limits."""
    listed, total = [], 0
    for each in found:
        assert each.outliers is not None  # the caller chose those with extreme values
        total += each.outliers.extreme
        low, high = (significant(limit) for limit in each.outliers.limits)
        limits = f"below {low} or above {high}"
        if not each.outliers.extreme_below:
            limits = f"above {high}"
        elif each.outliers.extreme_below == each.outliers.extreme:
            limits = f"below {low}"
        listed.append(f"{each.name} ({each.outliers.extreme:,} {limits})")
    parts: tuple[str | Emphasis, ...] = (f"{len(found)} attributes have extreme values",)
    if len(found) == 1:
        parts = name_of(found[0].name), f" has {counted(total, 'extreme value')}"
    lies = "It lies" if total == 1 else "They lie"
    return parts, f"Extreme: {in_a_list(listed)}. {lies} {WHAT_EXTREME_MEANS}"


def _change(asked: _Asked) -> Iterator[ResultWarning]:
    """Attributes and classes that change over time or along the order of the records."""
    overview = asked.checks.overview
    of_class = [each for each in overview.drifts if each.is_class]
    own = [each for each in overview.drifts if not each.is_class and each.name in asked.used]
    names = tuple(dict.fromkeys(each.name for each in own))
    along = f"over {overview.order_by}" if overview.order_by else "along the order of the records"
    listed = in_a_list(each.words() for each in (*of_class, *own))
    meaning = WHAT_A_TREND_MEANS if overview.order_by else WHAT_SORTING_MEANS
    why = f"{listed}. {WHAT_CHANGE_MEANS} {meaning}"
    parts: tuple[str | Emphasis, ...]
    if of_class:
        also = f" and {counted(len(names), 'attribute')} change {along}" if names else f" changes {along}"
        parts = f"The {'distributions' if names else 'distribution'} of ", name_of(of_class[0].name), also
        yield ResultWarning("change", parts, why, MEANING, harmless=not overview.order_by)
    elif names:
        parts = (f"{len(names)} attributes change {along}",)
        if len(names) == 1:
            parts = name_of(names[0]), f" changes {along}"
        yield ResultWarning("change", parts, why, leave_out(names), names, command=leave_out_command(names))


FINDINGS: Final = (_missing_by_class, _duplicates, _repeated, _mostly_missing, _missing, _outliers, _change)
"""The registry of findings that only the overview makes, in display order."""


def _names(names: Collection[str]) -> str:
    first = [shortened(name, 24) for name in list(names)[:3]]
    return ", ".join(first) + (f" and {len(names) - 3} more" if len(names) > 3 else "")


def _because(warning: ResultWarning, why: str) -> ResultWarning:
    return replace(warning, why=why)


def column_rows(overview: TableOverview) -> list[list[str]]:
    """A row of text for each column, below the heading."""
    n = max(1, overview.n_used)
    changed = {(each.name, each.is_missing): each for each in overview.drifts}
    rows = [["Attribute", "Type", "Missing", "Distinct", "Beyond fences", "Robust z > 3.5", "Extreme", "Change"]]
    for each in overview.columns:
        of, drift = each.outliers, changed.get((each.name, False))
        counts = ["", "", ""] if of is None else [f"{k:,}" for k in (of.beyond_fences, of.robust, of.extreme)]
        change = "" if drift is None else percent(drift.distance)
        figures = percent(each.n_missing / n), f"{each.n_distinct:,}", *counts, change
        rows.append([each.name, each.kind.value, *figures])
    return rows


def file_rows(whole: WholeFile) -> list[list[str]]:
    """A row of text for each column of a file of which the table is a sample, below the heading; "?" is not known."""
    titles = ["Attribute", "Type", "Missing", "Distinct", "Mean", "SD", "Minimum", "Maximum", "Quartiles", "Values"]
    rows, n = [titles], max(1, whole.n_records)
    for name, totals in whole.columns.items():
        is_date, unknown = totals.kind is AttributeKind.DATE, "?" if totals.kind.is_float else ""
        figure = _date_text if is_date else significant
        moments = [unknown] * 4 if totals.moments is None else list(map(figure, totals.moments))
        moments[1] = "" if is_date else moments[1]
        quartiles = unknown if totals.quartiles is None else ", ".join(map(figure, totals.quartiles))
        distinct = f"> {MOST_DISTINCT:,}" if totals.n_distinct is None else f"{totals.n_distinct:,}"
        pairs = sorted(zip(totals.values, totals.counts or (), strict=False), key=lambda pair: -pair[1])
        counts = and_more([f"{value} {count:,}" for value, count in pairs], 5)
        rows.append([name, totals.kind.value, percent(totals.n_missing / n), distinct, *moments, quartiles, counts])
    return rows


def _date_text(seconds: float) -> str:
    return str(date_labels(np.array([round(seconds)], dtype=np.float64))[0]).replace("T", " ")


def pattern_rows(overview: TableOverview) -> list[list[str]]:
    """The columns missing together and in how many records, below the heading."""
    rows = [["Missing together", "Records"]]
    return [*rows, *([", ".join(each.names), f"{each.n:,}"] for each in overview.patterns)]


def pair_rows(pairs: Associations, most: int) -> list[list[str]]:
    """A row of text for each of the strongest pairs, below the heading."""
    rows = [["First", "Second", "Measure", "Value", "Mutual information (bits)", "p (Holm)", "Records"]]
    for i, j in strongest_pairs(pairs)[:most]:
        figures = coefficient(pairs.value(i, j)), coefficient(float(pairs.information[i, j]))
        p, count = p_text(float(pairs.p_values[i, j])), f"{int(pairs.n[i, j]):,}"
        rows.append([pairs.names[i], pairs.names[j], pairs.measure(i, j), *figures, p, count])
    return rows


def overview_to_json(checks: TableChecks, found: list[ResultWarning]) -> dict[str, Any]:
    """The overview as JSON values; unknown numbers are null."""
    from algorithms.evaluation.report import plain

    overview, pairs = checks.overview, checks.overview.pairs
    upper = [(i, j) for i in range(len(pairs.names)) for j in range(i + 1, len(pairs.names))]
    named: dict[str, Any] = {
        "records": overview.n_records,
        "findings": [{**each.to_json(), "columns": list(each.columns), "harmless": each.harmless} for each in found],
        "columns": [_column_to_json(each, overview.n_records) for each in overview.columns],
        "missing_patterns": [{"columns": list(each.names), "records": each.n} for each in overview.patterns],
        "pairs": [
            {
                "first": pairs.names[i],
                "second": pairs.names[j],
                "measure": pairs.measure(i, j),
                "value": pairs.value(i, j),
                "uncorrected": float(pairs.plain[i, j]),
                "pearson": float(pairs.pearson[i, j]),
                "mutual_information": float(pairs.information[i, j]),
                "p": float(pairs.p_values[i, j]),
                "records": int(pairs.n[i, j]),
                "missing_together": int(pairs.missing_together[i, j]),
            }
            for i, j in upper
        ],
        "ordered_by": overview.order_by,
        "changes": [
            {
                "column": each.name,
                "distance": each.distance,
                "p": each.p_value,
                "missing_values": each.is_missing,
                "class": each.is_class,
            }
            for each in overview.drifts
        ],
    }
    as_plain: dict[str, Any] = plain(named)
    return as_plain


def _column_to_json(profile: ColumnProfile, n: int) -> dict[str, Any]:
    described: dict[str, Any] = {
        "name": profile.name,
        "kind": profile.kind.value,
        "missing": profile.n_missing,
        "missing_share": profile.n_missing / n if n else 0.0,
        "distinct": profile.n_distinct,
        "missing_by_part": profile.missing_parts.tolist(),
        "mean_by_part" if profile.kind is AttributeKind.NUMERIC else "share_by_part": profile.trend.tolist(),
    }
    if profile.trend_of:
        described["most_frequent"] = profile.trend_of
    if profile.outliers is not None:
        of = profile.outliers
        described["outliers"] = {
            "quartiles": list(of.quartiles),
            "fences": list(of.fences),
            "beyond_fences": of.beyond_fences,
            "robust_z_above_3.5": of.robust,
            "limits": list(of.limits),
            "extreme": of.extreme,
        }
    return described
