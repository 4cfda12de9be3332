"""The program's own registry: a public contract of window, command line and tests."""

from __future__ import annotations

from algorithms.core.registry import Registry
from algorithms.io.samples import samples


def builtin() -> Registry:
    """A new registry: the sample data sets at once, everything of :mod:`algorithms.entries` once it is asked for."""
    registry = Registry(later=_register)
    for sample in samples():
        registry.add_sample(sample)
    return registry


def _register(registry: Registry) -> None:
    from algorithms.entries import register  # late: it takes a fifth of the time until the window stands

    register(registry)
