"""The verdict on a run in words, and its class of interest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from algorithms.evaluation.measures.metrics import Report
from algorithms.text.numbers import in_100

_PAIRS: Final = frozenset(
    {
        ("yes", "no"),
        ("y", "n"),
        ("true", "false"),
        ("t", "f"),
        ("1", "0"),
        ("+", "-"),
        ("positive", "negative"),
        ("pos", "neg"),
        ("ja", "nein"),
        ("oui", "non"),
        ("si", "no"),
        ("sí", "no"),
    }
)


def affirmative(labels: Sequence[str]) -> int | None:
    """Index of the affirmative label of a pair such as yes/no in any case; None for other labels.

    >>> affirmative(["No", "Yes"])
    1
    """
    if len(labels) != 2:
        return None
    first, second = (label.strip().casefold() for label in labels)
    if (first, second) in _PAIRS:
        return 0
    return 1 if (second, first) in _PAIRS else None


@dataclass(frozen=True)
class AccuracyVerdict:
    """The verdict in parts: "Right 94.6 times in 100", "(between 92.6 and 96.0)", and its meaning."""

    headline: str
    interval_words: str
    sentence: str

    def text(self) -> str:
        return f"{self.headline} {self.interval_words}. {self.sentence}"


def verdict(report: Report, class_of_interest: int, leaks: Sequence[str] = ()) -> AccuracyVerdict:
    """The report in words, with recall and precision of the class of interest (a code).

    ``leaks`` are clauses on how the class leaks into training or testing (:func:`~.evaluation_warnings.leaks`).
    """
    low, high = report.interval
    accuracy_words = (
        leak_words(leaks),
        _baseline_sentence(report),
        *([report.estimate.caution] if report.estimate is not None and report.estimate.caution else []),
        *_class_sentences(report, class_of_interest),
        report.narrow,
        report.weights_words(),
    )
    return AccuracyVerdict(
        headline=f"Right {in_100(report.accuracy)} times in 100",
        interval_words=f"(between {in_100(low)} and {in_100(high)})",
        sentence=" ".join(filter(None, accuracy_words)),
    )


def leak_words(leaks: Sequence[str]) -> str:
    """Sentences about leaks; empty without any."""
    if not leaks:
        return ""
    return f"{'Leak' if len(leaks) == 1 else 'Leaks'}: {'; '.join(leaks)}. New records may be predicted less well."


def default_class_of_interest(report: Report) -> int:
    """Code of the class that means yes, else of the rarest tested class, the last in a tie."""
    said_yes = affirmative([metrics.label for metrics in report.per_class])
    if said_yes is not None and report.per_class[said_yes].n > 0:
        return said_yes
    present = [(metrics.n, -code) for code, metrics in enumerate(report.per_class) if metrics.n > 0]
    return -min(present)[1] if present else 0


def _baseline_sentence(report: Report) -> str:
    guessing, right = f"Always guessing {report.baseline_class} would be right", in_100(report.baseline_accuracy)
    if report.test_is_training:
        return f"Tested on its own training records, which flatters it. {guessing} {right} times."
    low, high = report.interval
    if high < report.baseline_accuracy:
        return f"{guessing} more often: {right} times."
    if abs(report.accuracy - report.baseline_accuracy) < 1e-12:
        return f"{guessing} as often: {right} times."
    chance = " The difference may be chance." if low <= report.baseline_accuracy else ""
    return f"{guessing} {right} times.{chance}"


def _class_sentences(report: Report, code: int) -> list[str]:
    chosen = report.per_class[code]
    if chosen.recall is None:
        return [f"No tested record is {chosen.label}."]
    words = f"Of those that are {chosen.label} it finds {in_100(chosen.recall)} in 100"
    if chosen.precision is None:
        return [f"{words}; it never says {chosen.label}."]
    return [f"{words}; when it says {chosen.label} it is right {in_100(chosen.precision)} in 100."]
