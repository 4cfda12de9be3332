"""What linear models found, in words."""

from __future__ import annotations

from math import floor, isfinite, log10
from typing import Final

import numpy as np

from algorithms.core.data import Dataset
from algorithms.core.hyperplanes import Hyperplanes
from algorithms.core.learner import NumberBeside, Reason
from algorithms.core.term_words import listed, remarks_on_terms
from algorithms.core.terms import IS_NUMBER, Terms


def reason(terms: Terms, at: int, record: Dataset, added: float, against: int) -> Reason:
    """What a term of one record adds for the decided class against another one."""
    index = int(terms.attribute[at])
    attribute, value = terms.schema.attributes[index], record.column(index)[0]
    if int(terms.value[at]) != IS_NUMBER:
        has = int(value) == int(terms.value[at])
        shown = terms.name(at) if has else f"{attribute.name} is not {attribute.values[int(terms.value[at])]}"
        return Reason(shown, "", added, against)
    number = NumberBeside(attribute.name, float(value), float(terms.centre[at]), float(terms.unit[at]))
    return Reason(number_words(number), beside_words(number), added, against, number)


def number_words(number: NumberBeside) -> str:
    """A number of a record: "age = 51"."""
    if not isfinite(number.value):
        return f"{number.name} is not known, so average"
    return f"{number.name} = {number.value:.6g}"


def beside_words(number: NumberBeside) -> str:
    """What a number is compared with: "average 47"."""
    return f"average {average_words(number.average, number.deviation)}"


def average_words(mean: float, deviation: float) -> str:
    """A mean with as many decimals as its standard ``deviation`` has in two figures: "12.7", "51", "1.0174"."""
    decimals = max(0, 1 - floor(log10(deviation))) if deviation > 0 and isfinite(deviation) else 6
    return f"{mean:.6g}" if decimals > 6 or abs(mean) >= 1e6 else f"{mean:.{decimals}f}"


def contribution_words(said: Reason, classes: tuple[str, str]) -> str:
    """What a term says for the first of two classes, or for the second."""
    beside = f" ({said.beside})" if said.beside else ""
    return f"{said.what}{beside} speaks for {classes[0] if said.added > 0 else classes[1]}: {said.added:+.3g}"


REMEDIES_OF_SEPARATION: Final = "choose Firth's penalty for figures that mean something, or hold them (ridge)"


def remark_of(planes: Hyperplanes) -> str:
    """What a person should know of these coefficients, in one sentence without its full stop."""
    found = []
    if planes.is_separated:
        names = [planes.terms.name(at) for at in np.flatnonzero(planes.runs_away).tolist()]
        found.append(
            f"{listed(names)} can tell the classes apart without error, so the coefficients grow without end and mean "
            f"little: {REMEDIES_OF_SEPARATION if len(planes.schema.classes) == 2 else 'hold them (ridge)'}"
        )
    found += remarks_on_terms(planes.terms)
    follows = np.flatnonzero(planes.follows).tolist()
    if follows:
        names = [planes.terms.name(at) for at in follows]
        found.append(f"within the classes {listed(names)} can be told from the others, so their weights are shared out")
    return "; ".join(found)
