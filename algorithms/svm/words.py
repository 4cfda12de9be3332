"""What support vector machines found, in words."""

from __future__ import annotations

import numpy as np

from algorithms.core.support_vectors import UNMET, UNSETTLED, SupportVectors
from algorithms.core.term_words import listed, remarks_on_terms
from algorithms.svm.probabilities import PLAIN


def kernel_words(held: SupportVectors) -> str:
    """What makes two records alike, in a few words."""
    if held.kernel == "gaussian":
        return f"Alike is what is near (Gaussian kernel, gamma {held.gamma:.4g})"
    if held.kernel == "polynomial":
        return (
            f"Alike by products of numbers (polynomial kernel, degree {held.degree}, gamma {held.gamma:.4g}, "
            f"constant {held.constant:.4g})"
        )
    if held.kernel == "sigmoid":
        return f"Alike by a sigmoid of products (gamma {held.gamma:.4g}, constant {held.constant:.4g})"
    return "A weighed sum of the numbers (linear kernel)"


def vector_words(held: SupportVectors, machine: int, at: int, pull: float, names: tuple[str, str]) -> str:
    """How a support vector of a machine, by its place there, pulls a record."""
    member = int(held.member[held.part(machine)][at])
    label = held.schema.classes[int(held.labels[member])]
    towards = names[0] if pull > 0 else names[1]
    return f"Support vector {member + 1:,} ({label}) pulls towards {towards}: {pull:+.3g}"


def remark_of(held: SupportVectors) -> str:
    """What a person should know of these machines, in one sentence without its full stop."""
    found = []
    unmet = np.flatnonzero(held.unmet == UNMET).tolist()
    if unmet:
        pairs = listed([" and ".join(held.side_names(machine)) for machine in unmet])
        found.append(
            f"no boundary of this kernel keeps {pairs} apart without error, so their margin has slack after all"
        )
    unsettled = np.flatnonzero(held.unmet == UNSETTLED).tolist()
    if unsettled:
        pairs = listed([" and ".join(held.side_names(machine)) for machine in unsettled])
        found.append(
            f"the boundary between {pairs} was still moving by more than the tolerance after the last step allowed"
        )
    loose = np.flatnonzero((held.sigmoid == PLAIN).all(axis=1)).tolist() if held.calibrated else []
    if loose:
        pairs = listed([" and ".join(held.side_names(machine)) for machine in loose])
        found.append(
            f"the probabilities between {pairs} follow from the distance alone: calibrating them was cut short, or a "
            "class has a single record"
        )
    if held.lowest < 0:
        found.append(
            "the kernel matrix of these records is not positive semidefinite "
            f"(its smallest eigenvalue is {held.lowest:.2g} of its largest), so this kernel is no product in any space "
            "and what was found need not be the best"
        )
    return "; ".join([*found, *remarks_on_terms(held.terms)])
