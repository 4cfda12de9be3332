"""What was found about a run afterwards, on disk: how its members err, and where its error comes from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from algorithms.core.data import Dataset
from algorithms.core.errors import ModelFileError
from algorithms.core.registry import Registry
from algorithms.core.resampling import Method
from algorithms.evaluation.bias_variance import Decomposition
from algorithms.evaluation.leaning import Leaning, Plane
from algorithms.evaluation.member_errors import MemberErrors
from algorithms.evaluation.regions import Axis, Regions
from algorithms.persistence.models import configurable_from
from algorithms.persistence.shared import Reader, Writer
from algorithms.persistence.stored import a_list, a_number, an_integer

DAMAGED: Final = "The file is damaged: what was found about a run does not fit together."


@dataclass(frozen=True, eq=False)
class Findings:
    """Each as far as it was found; None where nobody asked."""

    members: MemberErrors | None = None
    leaning: Leaning | None = None


def n_classes_of(data: Dataset) -> int:
    """The number of classes; 0 where there is no class of labels."""
    schema = data.schema
    return 0 if schema.class_index is None else len(schema.class_attribute.values)


def findings_to_json(findings: Findings, writer: Writer) -> dict[str, Any]:
    """The findings as JSON values, their arrays by number."""
    members, leaning = findings.members, findings.leaning
    return {
        **({} if members is None else {"members": _members_to_json(members, writer)}),
        **({} if leaning is None else {"leaning": _leaning_to_json(leaning, writer)}),
    }


def findings_from_json(stored: Any, reader: Reader, registry: Registry, k: int, n_attributes: int) -> Findings | None:
    """The findings again, of a table with so many classes and attributes.

    Raises :class:`CoppiceError` or one of ``NONSENSE``.
    """
    if not stored:
        return None
    members, leaning = stored.get("members"), stored.get("leaning")
    return Findings(
        None if members is None else _members(members, reader, registry),
        None if leaning is None else _leaning(leaning, reader, k, n_attributes),
    )


def _members_to_json(members: MemberErrors, writer: Writer) -> dict[str, Any]:
    return {
        "together": writer.array(members.together),
        "alone": writer.array(members.alone),
        "tested": members.tested,
        "parts": members.parts,
        "planned": members.planned,
        "method": members.method.to_json(),
    }


def _members(stored: Mapping[str, Any], reader: Reader, registry: Registry) -> MemberErrors:
    together, alone = (_array(stored[name], reader, "f8", 1) for name in ("together", "alone"))
    known = np.concatenate([together, alone])
    known = known[np.isfinite(known)]
    if not len(together) or len(together) != len(alone) or np.any((known < 0) | (known > 1 + 1e-9)):
        raise ModelFileError(DAMAGED)
    return MemberErrors(
        together,
        alone,
        a_number(stored, "tested"),
        an_integer(stored, "parts"),
        an_integer(stored, "planned"),
        configurable_from(Method, stored["method"], registry),
    )


def _leaning_to_json(leaning: Leaning, writer: Writer) -> dict[str, Any]:
    """Of the models' decisions the counts are kept: whole numbers, from which the shares follow to the last bit."""
    counts = np.rint(leaning.found.shares * leaning.sets).astype(np.uint32)
    found: dict[str, Any] = {
        "counts": writer.array(counts.astype(np.uint16) if leaning.sets < 1 << 16 else counts),
        "truth": writer.array(leaning.found.truth),
        "sets": leaning.sets,
        "planned": leaning.planned,
        "records": leaning.records,
    }
    if leaning.plane is not None:
        axes = (leaning.plane.across, leaning.plane.up)
        found["plane"] = [[axis.index, axis.low, axis.high] for axis in axes]
    if leaning.ground is not None:
        arrays = leaning.ground.decision, leaning.ground.probability
        found["ground"] = [writer.array(array) for array in arrays]
    for name, codes in (("best", leaning.best), ("best_drawn", leaning.best_drawn)):
        if codes is not None:
            found[name] = writer.array(codes)
    return found


def _leaning(stored: Mapping[str, Any], reader: Reader, k: int, n_attributes: int) -> Leaning:
    sets, truth = an_integer(stored, "sets"), _codes(stored["truth"], reader, k, 1)
    counts = _array(stored["counts"], reader, "u", 2)
    if counts.shape != (len(truth), k) or sets < 1 or not np.all(counts.sum(axis=1, dtype=np.int64) == sets):
        raise ModelFileError(DAMAGED)
    shares = counts.astype(np.float64) / sets
    plane = None
    if "plane" in stored:
        across, up = (Axis(int(at), float(low), float(high)) for at, low, high in a_list(stored, "plane"))
        if not all(0 <= axis.index < n_attributes for axis in (across, up)):
            raise ModelFileError(DAMAGED)
        plane = Plane(across, up)
    ground = None
    if "ground" in stored:
        decision, probability = a_list(stored, "ground")
        ground = Regions(_codes(decision, reader, k, 2), _array(probability, reader, "f4", 2))
        if ground.decision.shape != ground.probability.shape or plane is None:
            raise ModelFileError(DAMAGED)
    best, drawn = (_codes(stored[name], reader, k, 2) if name in stored else None for name in ("best", "best_drawn"))
    main = counts.argmax(axis=1).astype(np.int32)
    found = Decomposition(shares, main, truth)
    records, planned = an_integer(stored, "records"), an_integer(stored, "planned")
    return Leaning(found, sets, planned, records, plane, ground, best, drawn)


def _array(number: Any, reader: Reader, kind: str, n_dimensions: int) -> NDArray[Any]:
    """An array of this kind ("u": whole numbers of any width)."""
    found: NDArray[Any] = reader.get(number, np.ndarray)
    fits = found.dtype.kind == "u" if kind == "u" else found.dtype == np.dtype(kind)
    if not fits or found.ndim != n_dimensions:
        raise ModelFileError(DAMAGED)
    return found


def _codes(number: Any, reader: Reader, k: int, n_dimensions: int) -> NDArray[np.int32]:
    found = _array(number, reader, "i4", n_dimensions)
    if found.size and not 0 <= int(found.min()) <= int(found.max()) < k:
        raise ModelFileError("The file is damaged: a run speaks of a class that is none.")
    return found
