"""Counts, names and thresholds within sentences."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Sequence
from typing import Final

from algorithms.text.names import shortened
from algorithms.text.numbers import MINUS, amount, interval_words, percent

BRIEF_NAMES = (24, 14)
"""Lengths to which names in a sentence are cut, one after the other, until it fits."""
MOST_OF_A_NAME: Final = 40
"""Largest number of characters of a name in a sentence at first."""
TO_CHOOSE_BY = "validation records"
"""Phrase for the validation records, a part of the training data used to choose settings."""
HYPHEN: Final = re.compile(r"(?<![^\s(])-(?=\d)")
"""A hyphen as the sign of a number."""


def in_brief(sentence: str, among: tuple[str, ...], most: int) -> str:
    """A sentence with these names cut to at most ``most`` characters each."""
    names = (name for name in among if len(name) > most and name in sentence)
    for name in sorted(names, key=len, reverse=True):
        sentence = sentence.replace(name, shortened(name, most, among))
    return sentence


def in_room(sentence: str, among: tuple[str, ...], fits: Callable[[str], bool]) -> str:
    """A sentence with these names cut to the same length until it fits, or as far as possible."""
    if fits(sentence):
        return sentence
    longest = max((len(name) for name in among if name in sentence), default=0)
    fewer = range(longest - 1, min(BRIEF_NAMES) - 1, -1)
    place = bisect_left(fewer, True, key=lambda most: fits(in_brief(sentence, among, most)))
    return in_brief(sentence, among, fewer[min(place, len(fewer) - 1)]) if fewer else sentence


def typeset(words: str) -> str:
    """Conditions with typographic signs: "age ≤ 40 and size = −2" for "age <= 40 and size = -2"."""
    return HYPHEN.sub(MINUS, words.replace("<= ", "≤ ").replace(">= ", "≥ "))


NO_BREAK: Final = "\N{NO-BREAK SPACE}"
TOGETHER: Final = re.compile(
    r"(?<=\bp) (?=(?:[<=>≤≥]|&lt;|&gt;) )"
    r"|(?<=[<=>≤≥±]) (?=[\d.−-])|(?<=&lt;) (?=[\d.−-])|(?<=&gt;) (?=[\d.−-])"
    r"|(?<=\d%) (?=CI\b)|(?<=% CI) (?=[\d−-])"
    r"|(?<=\d) (?=(?:ms|s|min|h|KB|MB|GB|points?)\b)"
)
"""Spaces between a number and its sign, its unit or its name."""


def without_breaks(words: str) -> str:
    """Words, or HTML, of which no line ends within "p < 0.001", "95% CI 89.8–97.3", "2.6 s" or "1.2 points"."""
    return TOGETHER.sub(NO_BREAK, words)


THOUSANDS: Final = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
"""The comma between two groups of three digits."""


def without_thousands(words: str) -> str:
    """Words with their numbers as a person types them in a search: "age > 12500" for "age > 12,500"."""
    return THOUSANDS.sub("", words)


def accuracy_words(accuracy: float, interval: tuple[float, float], n: float | None = None) -> str:
    """The accuracy on ``n`` records with its interval: "Accuracy 94.7% (95% CI 89.8–97.3)"."""
    return f"Accuracy {percent(accuracy, n)} ({interval_words(*interval, n)})"


def baseline_words(label: str, accuracy: float, n: float | None = None, decimals: int | None = None) -> str:
    """The accuracy of always predicting one class: "Baseline (always setosa) 33.3%"."""
    return f"Baseline (always {label}) {percent(accuracy, n, decimals)}"


def counted(n: int, one: str, many: str = "") -> str:
    """A count with its noun: "1 record", "699 records", "12,000 records"."""
    return f"{n:,} {one if n == 1 else many or one + 's'}"


def quoted(label: str) -> str:
    """The name of a class in a sentence, so that a class "no" or "not confirmed" is not read as words of it: “no”."""
    return f"“{label}”"


def of_class(n: float, label: str, units: str = "records") -> str:
    """Records of a class in a sentence: "1 record of class “no”", "17,781 tests of class “yes”"."""
    return f"{amount(n)} {units.removesuffix('s') if n == 1 else units} of class {quoted(label)}"


def confused(actual: str, predicted: str) -> str:
    """One kind of error in a sentence: "“no” predicted “yes”"."""
    return f"{quoted(actual)} predicted {quoted(predicted)}"


def and_more(names: Sequence[str], most: int, between: str = ", ") -> str:
    """The first names, and the number of further ones: "a, b and 3 more"."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return between.join(names[:most]) + more


def listed(values: Sequence[str], at_most: int = 4) -> str:
    """Values in a row: ``red``, ``red or blue``, ``red, blue or green``, with the rest counted."""
    shown = list(values[:at_most])
    if len(values) > at_most:
        return f"{', '.join(shown)} or {len(values) - at_most} more"
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} or {shown[-1]}" if shown else "no value"


def name_in_list(summary: str) -> str:
    """A learner with its settings in brackets, since in a list a setting after a comma reads as another learner."""
    name, comma, settings = summary.partition(", ")
    return f"{name} ({settings})" if comma else name


def within_sentence(label: str) -> str:
    """A label within a sentence: "maximum depth"; names such as "MDL correction" or "C4.5" keep their capital."""
    first, rest = label[:1], label[1:]
    return first.lower() + rest if rest[:1].islower() or rest[:1] == " " else label


def one_of(many: str) -> str:
    """The singular of a noun: "record" of "records", "leaf" of "leaves"; "%" and "MB" are unchanged."""
    return {"leaves": "leaf"}.get(many, many.removesuffix("s"))


def likeliest(names: Sequence[str], shares: Sequence[float], most: int) -> str:
    """The ``most`` names with the largest shares (0 to 1), and the number of others."""
    order = sorted(range(len(names)), key=lambda index: -round(shares[index], 6))  # ties keep their order
    words = [f"{names[index]} {percent(shares[index])}" for index in order[:most]]
    return ", ".join([*words, f"{len(names) - most:,} more"] if len(names) > most else words)


MOST_DECIMALS: Final = 10
"""Most decimals of a threshold in percent that is written whole."""


def threshold_words(threshold: float, most_decimals: int = MOST_DECIMALS) -> str:
    """A threshold in percent: "50%", "12.996%"; "9.1%", if ``most_decimals`` do not write it whole; "over 100%"."""
    if threshold > 1:
        return "over 100%"
    whole = round(100 * threshold, most_decimals)
    if abs(whole / 100 - threshold) > 1e-14 or (whole in (0, 100) and 100 * threshold != whole):
        return percent(threshold)
    return f"{f'{whole:.{most_decimals}f}'.rstrip('0').rstrip('.')}%"
