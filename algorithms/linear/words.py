"""What linear models found, in words."""

from __future__ import annotations

import numpy as np

from algorithms.core.data import Dataset
from algorithms.core.hyperplanes import Hyperplanes
from algorithms.core.term_words import listed, remarks_on_terms
from algorithms.core.terms import IS_NUMBER, Terms


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
