"""The program's own registry: every learner, filter, method and sample that comes with it.

Nothing here imports compiled loops, pandas or Qt, so that listing is instant.
"""

from __future__ import annotations

from algorithms.core.registry import Registry
from algorithms.evaluation import methods


def builtin() -> Registry:
    """A new registry with everything that comes with the program."""
    registry = Registry()
    _add_learners(registry)
    _add_filters(registry)
    _add_methods(registry)
    _add_samples(registry)
    return registry


def _add_learners(registry: Registry) -> None:
    """One line a learner, the model classes it yields after it; in the order of lists."""


def _add_filters(registry: Registry) -> None:
    """One line a filter, in the order of lists."""


def _add_methods(registry: Registry) -> None:
    for method in methods.ALL:
        registry.add_method(method)


def _add_samples(registry: Registry) -> None:
    """The sample data sets, in the order of lists."""
