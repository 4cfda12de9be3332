"""The program's own registry: a public contract of window, command line and tests."""

from __future__ import annotations

from algorithms.core.registry import Registry
from algorithms.io.samples import samples


def builtin() -> Registry:
    """A new registry with the sample data sets; :mod:`algorithms.registration` is registered on first access."""
    registry = Registry(later=_register)
    for sample in samples():
        registry.add_sample(sample)
    return registry


def _register(registry: Registry) -> None:
    from algorithms.registration import register  # late: it takes a fifth of the start of the window

    register(registry)
