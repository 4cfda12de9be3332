"""What networks learned, in words."""

from __future__ import annotations

from typing import Final

import numpy as np

from algorithms.core.data import Dataset
from algorithms.core.layers import Layers
from algorithms.core.schema import Schema
from algorithms.core.term_words import remarks_on_terms
from algorithms.neural.watching import Ended

_NETWORK: Final = {
    Ended.LIMIT: "it was still learning when the limit of {epochs} was reached",
    Ended.FINISHED: "it was finished early: the best weights until then are kept",
    Ended.DIVERGED: "its weights grew beyond all bounds after {epochs}, as its steps were too large: the best until "
    "then are kept, and a smaller learning rate should do better",
}


def epochs_words(n: int) -> str:
    """ "1 epoch", "200 epochs"."""
    return f"{n:,} epoch{'' if n == 1 else 's'}"


def remark_of(layers: Layers) -> str:
    """What a person should know of how it learned, in one sentence without its full stop."""
    found = []
    if layers.n_layers:
        said = _of_perceptron(layers) if layers.kind == "perceptron" else _of_network(layers)
        found += [said] if said else []
    return "; ".join(found + remarks_on_terms(layers.terms))


def _of_network(layers: Layers) -> str:
    course, found = layers.course, []
    if course.ended in _NETWORK:
        found.append(_NETWORK[Ended(course.ended)].format(epochs=epochs_words(course.epochs)))
    if course.epochs and not course.best and not course.is_validated:
        found.append("no epoch made its loss smaller than that of the random weights it began with, which are kept")
    if course.is_validated and course.ended == Ended.VALIDATION:
        found.append(
            f"it stopped after {epochs_words(course.epochs)}, as records held out did best at epoch {course.best}"
        )
    if len(course.pruned_error) > 1:
        found.append(f"{layers.n_hidden} hidden node{'' if layers.n_hidden == 1 else 's'} were left after pruning")
    return "; ".join(found)


def _of_perceptron(layers: Layers) -> str:
    course = layers.course
    if course.ended == Ended.NO_ERRORS:
        return f"it converged: no training record is wrong after {passes_words(course.epochs)}"
    wrong = float(course.training_error[course.best]) if len(course.training_error) else float("nan")
    if wrong == 0:
        return f"together its nodes are right on all training records, though after " \
               f"{passes_words(course.epochs)} not every class is told from all others at once"  # fmt: skip
    why = "finished early" if course.ended == Ended.FINISHED else f"after {passes_words(course.epochs)}"
    return (
        f"it did not converge: {why} {100 * wrong:.3g}% of the training records are still wrong, as no straight "
        "boundary tells the classes apart, or none was found yet"
    )


def passes_words(n: int) -> str:
    """ "1 pass", "12 passes"."""
    return f"{n:,} pass{'' if n == 1 else 'es'}"


def effect_words(schema: Schema, index: int, record: Dataset, change: float, classes: tuple[str, str]) -> str:
    """What an attribute of a record says for one of two classes: the change of the log odds without it."""
    attribute, value = schema.attributes[index], record.column(index)[0]
    if attribute.kind.is_coded:
        shown = attribute.values[int(value)] if value >= 0 else "not known"
    else:
        shown = f"{float(value):.6g}" if np.isfinite(value) else "not known"
    said = f"{attribute.name} = {shown}" if shown != "not known" else f"{attribute.name} is not known"
    return f"{said} speaks for {classes[0] if change > 0 else classes[1]}: {change:+.3g}"
