"""What linear models found, in words."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from algorithms.core.columns import FloatArray
from algorithms.core.data import Dataset
from algorithms.core.hyperplanes import Hyperplanes
from algorithms.core.terms import IS_NUMBER, LeftOut, Terms

_FEW = 3


def strongest(added: FloatArray, most: int) -> list[int]:
    """The places of what adds something, the most first, at most so many."""
    order = np.argsort(-np.abs(added), kind="stable")[:most]
    return [int(at) for at in order if added[at] != 0]


def listed(names: Sequence[str]) -> str:
    """A few names, and how many more there are."""
    more = f" and {len(names) - _FEW} more" if len(names) > _FEW else ""
    return ", ".join(names[:_FEW]) + more


def contribution_words(terms: Terms, at: int, record: Dataset, added: float, classes: tuple[str, str]) -> str:
    """What a term of one record says for the first of two classes, or for the second."""
    index = int(terms.attribute[at])
    attribute, value = terms.schema.attributes[index], record.column(index)[0]
    speaks_for = classes[0] if added > 0 else classes[1]
    if int(terms.value[at]) == IS_NUMBER:
        known = bool(np.isfinite(value))
        shown = f"{attribute.name} = {float(value):.6g}" if known else f"{attribute.name} is not known, so average"
        return f"{shown} (average {float(terms.centre[at]):.6g}) speaks for {speaks_for}: {added:+.3g}"
    has = int(value) == int(terms.value[at])
    shown = terms.name(at) if has else f"{attribute.name} is not {attribute.values[int(terms.value[at])]}"
    return f"{shown} speaks for {speaks_for}: {added:+.3g}"


def remark_of(planes: Hyperplanes) -> str:
    """What a person should know of these coefficients, in one sentence without its full stop."""
    found = []
    if planes.is_separated:
        names = [planes.terms.name(at) for at in np.flatnonzero(planes.runs_away).tolist()]
        found.append(
            f"{listed(names)} can tell the classes apart without error, so the coefficients grow without end and mean "
            "little: hold them (ridge)"
        )
    found += remarks_on_terms(planes.terms)
    follows = np.flatnonzero(planes.follows).tolist()
    if follows:
        names = [planes.terms.name(at) for at in follows]
        found.append(f"within the classes {listed(names)} can be told from the others, so their weights are shared out")
    return "; ".join(found)


def remarks_on_terms(terms: Terms) -> list[str]:
    """What was not weighed, and why."""
    found = []
    constant, follows = terms.names_left_out(LeftOut.CONSTANT), terms.names_left_out(LeftOut.FOLLOWS)
    if constant:
        found.append(f"not weighed, as it never differs: {listed(constant)}")
    if follows:
        found.append(f"not weighed, as it follows from others: {listed(follows)}")
    return found
