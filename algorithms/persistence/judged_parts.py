"""What a run that was stopped had judged, on disk, so that the same run goes on from there another day.

The parts are those of :attr:`algorithms.core.context.RunContext.kept`: folds, and settings tried inside them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from algorithms.core.context import Kept
from algorithms.core.errors import ModelFileError
from algorithms.core.resampling import Split
from algorithms.evaluation.outcome import Outcome
from algorithms.persistence.searches import search_from_json, search_to_json
from algorithms.persistence.shared import Reader, Writer
from algorithms.persistence.stored import a_list, a_text, an_object

_FOLD: Final = "fold"
_SETTING: Final = re.compile(r"setting (\d{1,9})")
_OF_RECORDS: Final = {"tested": "i8", "truth": "i4", "decision": "i4", "probabilities": "f8"}
SINGLE: Final = {"probabilities": "f4"}
"""What older programs kept in single precision."""
_CLOSE: Final = 1e-4
_N_NUMBERS: Final = 5
"""Whole numbers of a fold: how many records it tested, its repeat and fold, whether it corrects, how many undecided."""


def parts_to_json(kept: Kept, seed: int, writer: Writer) -> list[dict[str, Any]]:
    """The parts of a run with this seed as JSON values, arrays by their numbers."""
    settings: dict[int, list[tuple[list[int], tuple[float, float, str]]]] = {}
    folds: dict[int, list[tuple[list[int], Outcome]]] = {}
    for (entropy, place, name), made in kept.items():
        tried = _SETTING.fullmatch(name)
        if entropy == seed and tried is not None:
            settings.setdefault(len(place), []).append(([*place, int(tried[1])], made))
        elif entropy == seed and name == _FOLD and isinstance(made, Outcome):
            folds.setdefault(len(place), []).append(([*place], made))
    return [
        *(_folds_to_json(rows, writer) for rows in folds.values()),
        *(_settings_to_json(rows, writer) for rows in settings.values()),
    ]


def parts_from_json(stored: Any, seed: int, k: int, reader: Reader) -> dict[Any, Any]:
    """The parts of a run of ``k`` classes again; raises :class:`CoppiceError` or one of ``NONSENSE``."""
    found: dict[Any, Any] = {}
    for part in stored or ():
        if a_text(part, "part") == _FOLD:
            found.update(((seed, place, _FOLD), made) for place, made in _folds(part, k, reader))
        else:
            found.update(((seed, place, name), made) for place, name, made in _settings(part, reader))
    return found


def _settings_to_json(rows: list[tuple[list[int], tuple[float, float, str]]], writer: Writer) -> dict[str, Any]:
    """Settings that were tried at places of one depth: where, and the loss and size of each."""
    places = np.array([place for place, _ in rows], dtype=np.int64)
    numbers = np.array([(loss, size) for _, (loss, size, _) in rows], dtype=np.float64)
    failures = {str(at): why for at, (_, (_, _, why)) in enumerate(rows) if why}
    return {
        "part": "settings",
        "places": writer.array(places),
        "numbers": writer.array(numbers),
        "failures": failures,
    }


def _settings(part: Mapping[str, Any], reader: Reader) -> Iterator[tuple[tuple[int, ...], str, Any]]:
    places, numbers = _array(part, "places", "i8", reader), _array(part, "numbers", "f8", reader)
    failures = an_object(part, "failures")
    if places.ndim != 2 or places.shape[1] < 1 or numbers.shape != (len(places), 2):
        raise _damaged()
    for at, (place, (loss, size)) in enumerate(zip(places.tolist(), numbers.tolist(), strict=True)):
        yield tuple(place[:-1]), f"setting {place[-1]}", (loss, size, str(failures.get(str(at), "")))


def _folds_to_json(rows: list[tuple[list[int], Outcome]], writer: Writer) -> dict[str, Any]:
    """Folds at places of one depth, what they say of their records one behind the other."""
    made = [outcome for _, outcome in rows]
    numbers = [(len(o.tested), o.split.repeat, o.split.fold, int(o.split.resubstitution), o.undecided) for o in made]
    searches = [
        None if o.search is None else search_to_json(o.search, lambda _, array: writer.array(array)) for o in made
    ]
    joined = {name: np.concatenate([getattr(o, name) for o in made]).astype(kind) for name, kind in _OF_RECORDS.items()}
    return {
        "part": _FOLD,
        "places": writer.array(np.array([place for place, _ in rows], dtype=np.int64)),
        "numbers": writer.array(np.array(numbers, dtype=np.int64)),
        "seconds": writer.array(np.array([(o.fit_seconds, o.predict_seconds) for o in made])),
        "class_weights": writer.array(np.stack([o.class_weights for o in made])),
        "arrays": {name: writer.array(array) for name, array in joined.items()},
        "searches": searches,
        "left_out": [o.left_out for o in made],
        "differences": [list(o.differences) for o in made],
    }


def _folds(part: Mapping[str, Any], k: int, reader: Reader) -> Iterator[tuple[tuple[int, ...], Outcome]]:
    places, numbers = _array(part, "places", "i8", reader), _array(part, "numbers", "i8", reader)
    seconds, class_weights = _array(part, "seconds", "f8", reader), _array(part, "class_weights", "f8", reader)
    stored = an_object(part, "arrays")
    arrays = {name: _array(stored, name, kind, reader, SINGLE.get(name, kind)) for name, kind in _OF_RECORDS.items()}
    n, searches = len(places), a_list(part, "searches")
    left_out = a_list(part, "left_out") if "left_out" in part else [""] * n
    differences = a_list(part, "differences") if "differences" in part else [[]] * n
    fit = numbers.shape == (n, _N_NUMBERS) and seconds.shape == (n, 2) and class_weights.shape == (n, k)
    if not fit or places.ndim != 2 or len(searches) != n or bool((numbers < 0).any()):
        raise _damaged()
    if len(left_out) != n or len(differences) != n or not all(isinstance(each, list) for each in differences):
        raise _damaged()
    m = int(numbers[:, 0].sum())
    if any(array.shape != ((m, k) if name == "probabilities" else (m,)) for name, array in arrays.items()):
        raise _damaged()
    if m and any(not 0 <= arrays[name].min() <= arrays[name].max() < k for name in ("truth", "decision")):
        raise _damaged()
    weighed = bool(np.isfinite(class_weights).all() and (class_weights >= 0).all())
    if not are_shares(arrays["probabilities"]) or not weighed or not np.isfinite(seconds).all():
        raise _damaged()
    nothing, starts = np.zeros(0, dtype=np.int64), np.cumsum(numbers[:, 0]) - numbers[:, 0]
    for at, (size, repeat, fold, corrects, undecided) in enumerate(numbers.tolist()):
        own = {name: array[starts[at] : starts[at] + size] for name, array in arrays.items()}
        search = searches[at]
        yield (
            tuple(places[at].tolist()),
            Outcome(
                split=Split(nothing, own["tested"], repeat, fold, bool(corrects)),
                **own,
                undecided=undecided,
                class_weights=class_weights[at],
                fit_seconds=float(seconds[at, 0]),
                predict_seconds=float(seconds[at, 1]),
                partial=False,
                left_out=str(left_out[at]),
                differences=tuple(map(str, differences[at])),
                search=None
                if search is None
                else search_from_json(search, lambda number: reader.get(number, np.ndarray)),
            ),
        )


def are_shares(probabilities: NDArray[Any]) -> bool:
    """Whether each record's probabilities (m, k) are from 0 to 1 and sum to 1, as far as single precision goes."""
    return bool(np.all(probabilities >= 0) and np.all(np.abs(probabilities.sum(axis=1) - 1.0) <= _CLOSE))


def _array(stored: Mapping[str, Any], name: str, kind: str, reader: Reader, older: str = "") -> NDArray[Any]:
    found: NDArray[Any] = reader.get(stored[name], np.ndarray)
    if found.dtype not in (np.dtype(kind), np.dtype(older or kind)):
        raise _damaged()
    return found


def _damaged() -> ModelFileError:
    return ModelFileError("The file is damaged: what a stopped run had judged does not fit together.")
