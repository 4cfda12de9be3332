"""Learning and complexity curves on disk, as far as they were drawn."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from algorithms.core.columns import FloatArray
from algorithms.core.errors import ModelFileError
from algorithms.core.registry import Registry
from algorithms.core.resampling import Method
from algorithms.evaluation.sweeps import Line, Sweep
from algorithms.persistence.models import configurable_from
from algorithms.persistence.shared import Reader, Writer
from algorithms.persistence.stored import a_flag, a_list, a_text, an_integer, strings_in

Sweeps = Mapping[tuple[str, str], Sweep]
"""Curves by the parameter and its values as typed; two empty texts for the number of training records."""


def sweeps_to_json(sweeps: Sweeps, writer: Writer) -> list[dict[str, Any]]:
    """The curves as JSON values, their arrays by number."""
    return [
        {
            "over": list(wanted),
            "what": sweep.what,
            "values": list(sweep.values),
            "places": writer.array(sweep.places),
            "is_number": sweep.is_number,
            "lines": [[line.name, writer.array(line.errors)] for line in sweep.lines],
            "method": sweep.method.to_json(),
            "seed": sweep.seed,
            "failures": list(sweep.failures),
        }
        for wanted, sweep in sweeps.items()
    ]


def sweeps_from_json(stored: Any, reader: Reader, registry: Registry) -> Sweeps:
    """The curves again; raises :class:`CoppiceError` or one of ``NONSENSE``."""
    found = {}
    for each in stored or ():
        name, values = strings_in(each, "over")
        found[name, values] = _sweep(each, reader, registry)
    return found


def _sweep(stored: Mapping[str, Any], reader: Reader, registry: Registry) -> Sweep:
    values = tuple(strings_in(stored, "values"))
    places = _numbers(stored["places"], reader, (len(values),))
    lines = tuple(Line(str(name), _numbers(at, reader, (len(values), -1))) for name, at in a_list(stored, "lines"))
    if len({line.errors.shape for line in lines}) != 1 or not all(np.isfinite(places)):
        raise ModelFileError("The file is damaged: the lines of a curve do not fit together.")
    return Sweep(
        a_text(stored, "what"),
        values,
        places,
        a_flag(stored, "is_number"),
        lines,
        configurable_from(Method, stored["method"], registry),
        an_integer(stored, "seed"),
        tuple(strings_in(stored, "failures")),
    )


def _numbers(number: Any, reader: Reader, shape: tuple[int, ...]) -> FloatArray:
    """A float array of this shape, -1 for any length."""
    found: FloatArray = reader.get(number, np.ndarray)
    fits = found.ndim == len(shape) and all(n in (-1, m) for n, m in zip(shape, found.shape, strict=True))
    if found.dtype != np.float64 or not fits:
        raise ModelFileError("The file is damaged: a curve has no numbers.")
    return found
