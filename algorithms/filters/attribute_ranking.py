"""Attributes ranked by what they tell about the class, with how steady that is from fold to fold."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from algorithms.core.context import RunContext
from algorithms.core.errors import DataError
from algorithms.core.filters import Recipe, fit_recipe
from algorithms.core.resampling import fold_numbers
from algorithms.data.columns import FloatArray
from algorithms.data.dataset import Dataset
from algorithms.filters.select_attributes import (
    SPLITS,
    AttributeScores,
    AttributeSelection,
    require_class,
    score_words,
)

STEADY: Final = 0.75
POOR: Final = 0.4
"""Above the one agreement is excellent, below the other poor (Nogueira et al. 2018, section 4.3.1)."""


@dataclass(frozen=True, eq=False)
class AttributeRanking:
    """What was found from all records and from the training part of each of ``n_folds`` folds.

    For each attribute (d,): ``scores``, NaN where there is none; ``places`` from 1, the mean where several are equal;
    ``mean_place`` and ``spread`` (standard deviation) over the folds; ``share`` of the folds that keep it; ``kept`` by
    all records. ``stability`` is Nogueira's index of the sets that folds keep, ``consistency`` Kuncheva's: None where
    they are not defined. ``splits`` is how numbers were cut, empty where none was.
    """

    step: AttributeSelection
    names: tuple[str, ...]
    scores: FloatArray
    places: FloatArray
    mean_place: FloatArray
    spread: FloatArray
    share: FloatArray
    kept: NDArray[np.bool_]
    n_folds: int
    stability: float | None
    consistency: float | None
    splits: str = ""

    @property
    def order(self) -> list[int]:
        """The attributes from the best to the worst, by all records, then by the folds."""
        return sorted(range(len(self.names)), key=lambda at: (self.places[at], self.mean_place[at], at))

    def sentence(self) -> str:
        """How far the choice can be trusted and how numbers were cut, in words."""
        splits = f" Numeric splits: {SPLITS[self.splits]}." if self.splits else ""
        return self._steadiness() + splits

    def _steadiness(self) -> str:
        n, kept = len(self.names), int(self.kept.sum())
        if self.stability is None:
            same = (
                "every column is kept" if kept == n else "no column is kept" if not kept else "folds cannot be compared"
            )
            return f"There is nothing to choose: {same}."
        always = int(np.count_nonzero(self.share >= 1))
        often = (
            f"{always} of the {kept} kept are kept in every fold"
            if kept != 1
            else ("the one kept is kept in every fold" if always else "the one kept is not the same in every fold")
        )
        how = "steady" if self.stability > STEADY else "fairly steady" if self.stability >= POOR else "unsteady"
        index = f"stability {self.stability:.2f}, where 0 is chance and 1 always the same"
        advice = " Other records would bring other columns forward." if how == "unsteady" else ""
        return f"The choice is {how}: {often} ({index}).{advice}{self._by_place()}"

    def _by_place(self) -> str:
        """What is said where columns are kept that score no better than some left out: only their place decided."""
        left_out = self.scores[~self.kept]
        tied = int(np.count_nonzero(np.isin(self.scores[self.kept], left_out[np.isfinite(left_out)])))
        if not tied:
            return ""
        return (
            f" But {tied} of the kept {'scores' if tied == 1 else 'score'} no better than others left out: only being "
            "further left in the table decided."
        )


def ranked(
    step: AttributeSelection, data: Dataset, context: RunContext, *, folds: int = 10, recipe: Recipe = ()
) -> AttributeRanking:
    """Rank by all records that have a class, and again by the training part of each of ``folds`` stratified folds.

    The steps of ``recipe`` come before, learned anew from each training part. A column that a part does not make comes
    last in it.

    Raises :class:`DataError` where nothing can be ranked, :class:`Cancelled` on a stop.
    """
    require_class(data)
    known = data.class_codes >= 0
    data = data if bool(known.all()) else data.take(known)
    folds = min(folds, len(data))
    if folds < 2:
        raise DataError("There are too few records with a class to rank by.", remedy="Open data with more records.")
    of = fold_numbers(data.class_codes.astype(np.int64), len(data), folds, context.random())
    done = [0]

    def judged(fold: int) -> AttributeScores:
        part = context.child(1 / (folds + 1), fold + 1)
        _, prepared = fit_recipe(recipe, data if fold < 0 else data.take(of != fold), part.child(0.3, 0))
        found = step.judged(prepared, part.child(0.7, 1))
        part.complete()
        done[0] += 1
        context.say(f"{done[0]} of {folds + 1} rankings made")
        return found

    everyone, *parts = context.map(judged, range(-1, folds))
    if not everyone.names:
        raise DataError("There is no column to rank.", remedy="Take columns into learning first.")
    parts = [_under(everyone.names, part) for part in parts]
    kept = np.array([part.kept for part in parts])
    fold_places = np.array([places_of(part) for part in parts])
    return AttributeRanking(
        step=step,
        names=everyone.names,
        scores=everyone.scores,
        places=places_of(everyone),
        mean_place=fold_places.mean(axis=0),
        spread=fold_places.std(axis=0, ddof=1),
        share=kept.mean(axis=0),
        kept=everyone.kept,
        n_folds=folds,
        stability=nogueira(kept),
        consistency=kuncheva(kept),
        splits=everyone.splits,
    )


def _under(names: tuple[str, ...], part: AttributeScores) -> AttributeScores:
    """What a part says of the attributes of these names."""
    if part.names == names:
        return part
    at = {name: place for place, name in enumerate(part.names)}
    rows = np.array([at.get(name, -1) for name in names])
    scores = np.append(part.scores, -np.inf)[rows]
    return AttributeScores(names, scores, np.append(part.kept, False)[rows])


def places_of(found: AttributeScores) -> FloatArray:
    """The place of each attribute from 1 (d,), equal ones at the mean of theirs; kept ones first without scores."""
    from scipy.stats import rankdata

    scores = found.scores
    worth = found.kept.astype(np.float64) if bool(np.isnan(scores).any()) else scores
    return np.asarray(rankdata(-worth), dtype=np.float64)


def nogueira(kept: NDArray[np.bool_]) -> float | None:
    """How alike sets (m, d) are: 0 as by chance, 1 always the same; None where they are all empty or all whole.

    Source: Nogueira, Sechidis and Brown, On the stability of feature selection algorithms, JMLR 18 (2018), equation 4.
    """
    m, d = kept.shape
    share = kept.mean(axis=0)
    size = float(share.sum()) / d
    if m < 2 or size <= 0 or size >= 1:
        return None
    variance = m / (m - 1) * share * (1 - share)
    return float(1 - variance.mean() / (size * (1 - size)))


def kuncheva(kept: NDArray[np.bool_]) -> float | None:
    """The mean consistency of two sets of k out of d attributes (m, d); None where the sizes differ or k is 0 or d.

    Source: Kuncheva, A stability index for feature selection, AIA (2007).
    """
    m, d = kept.shape
    sizes = np.unique(kept.sum(axis=1))
    if m < 2 or len(sizes) > 1 or sizes[0] in (0, d):
        return None
    k = float(sizes[0])
    common = kept.astype(np.float64) @ kept.T.astype(np.float64)
    pairs = common[np.triu_indices(m, 1)]
    return float(np.mean((pairs * d - k * k) / (k * (d - k))))


TITLES: Final = ("Place", "Column", "Score", "Mean place", "Spread", "Chosen in", "Kept")


def rows_of(found: AttributeRanking) -> list[list[str]]:
    """The ranking as text, the best first, a row an attribute under :data:`TITLES`."""
    return [cells_of(found, at) for at in found.order]


def cells_of(found: AttributeRanking, at: int) -> list[str]:
    """One attribute as text under :data:`TITLES`."""
    return [
        place_words(found, at),
        found.names[at],
        "" if np.isnan(found.scores[at]) else score_words(float(found.scores[at])),
        f"{found.mean_place[at]:.1f}",
        f"{found.spread[at]:.1f}",
        f"{100 * found.share[at]:.0f}%",
        "yes" if found.kept[at] else "no",
    ]


def place_words(found: AttributeRanking, at: int) -> str:
    """The place of an attribute, of equal ones all that they share: "3", "16–17"."""
    place = float(found.places[at])
    beside = (int(np.count_nonzero(found.places == place)) - 1) / 2
    return f"{place - beside:.0f}–{place + beside:.0f}" if beside else f"{place:.0f}"


def to_json(found: AttributeRanking) -> dict[str, Any]:
    """The ranking as JSON values."""
    attributes = [
        {
            "name": found.names[at],
            "score": None if np.isnan(found.scores[at]) else float(found.scores[at]),
            "place": float(found.places[at]),
            "mean_place": float(found.mean_place[at]),
            "spread": float(found.spread[at]),
            "share_of_folds": float(found.share[at]),
            "kept": bool(found.kept[at]),
        }
        for at in found.order
    ]
    return {
        "filter": found.step.to_json(),
        "folds": found.n_folds,
        "stability": found.stability,
        "consistency": found.consistency,
        "numeric_splits": found.splits or None,
        "sentence": found.sentence(),
        "attributes": attributes,
    }
