"""Rankings of attributes by relevance to the class, with their stability over folds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from algorithms.core.errors import DataError
from algorithms.core.filters import Recipe, fit_recipe
from algorithms.core.resampling import fold_numbers
from algorithms.core.run_control import RunContext
from algorithms.data.columns import FloatArray
from algorithms.data.dataset import Dataset
from algorithms.filters.checks import require_class
from algorithms.filters.select_attributes import AttributeScores, AttributeSelection, score_words

SPLIT_WORDS: Final = {
    "binary": " A numeric attribute is scored by its best binary split.",
    "mdl": " A numeric attribute is scored after it is discretized by MDL.",
}
"""How numbers were cut, by the key of :data:`~algorithms.filters.select_attributes.SPLITS`."""
STEADY: Final = 0.75
POOR: Final = 0.4
"""Bounds of stability: above ``STEADY`` it is excellent, below ``POOR`` poor (Nogueira et al. 2018, section 4.3.1)."""


@dataclass(frozen=True, eq=False)
class AttributeRanking:
    """A ranking of attributes on all records, and on the training parts of ``n_folds`` folds.

    Each attribute (d,) has ``scores`` (NaN if none), ``places`` (ranks from 1, ties get the mean), ``mean_place`` and
    ``spread`` (standard deviation) over folds, the ``share`` of folds that keep it, and ``kept`` on all records.
    ``stability`` is Nogueira's and ``consistency`` Kuncheva's index of the kept sets, None if undefined. ``splits``
    names the method by which numbers were cut, empty if none were.
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
        """The attributes from best to worst on all records, ties by mean rank over folds."""
        return sorted(range(len(self.names)), key=lambda i: (self.places[i], self.mean_place[i], i))

    def sentence(self) -> str:
        """Sentences on the stability of the selection and the cuts of numbers."""
        return self._steadiness() + SPLIT_WORDS.get(self.splits, "")

    def _steadiness(self) -> str:
        n, kept = len(self.names), int(self.kept.sum())
        if self.stability is None:
            same = (
                "every column is kept" if kept == n else "no column is kept" if not kept else "folds cannot be compared"
            )
            return f"There is nothing to choose: {same}."
        always = int(np.count_nonzero(self.share >= 1))
        one, some = "is chosen in every fold", f"of the {kept} chosen attributes"
        if kept == 1:
            often = f"the chosen attribute {one if always else 'is not chosen in every fold'}"
        elif always > 1:
            often = f"{always} {some} are chosen in every fold"
        else:
            often = f"{'1' if always else 'none'} {some} {one}"
        how = "steady" if self.stability > STEADY else "fairly steady" if self.stability >= POOR else "unsteady"
        index = f"stability {self.stability:.2f}, where 0 is chance and 1 always the same"
        advice = " Other records would bring other columns forward." if how == "unsteady" else ""
        return f"The choice is {how}: {often} ({index}).{advice}{self._by_place()}"

    def _by_place(self) -> str:
        """A sentence on kept columns whose score equals that of a removed one; empty without such ties."""
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
    """The ranking on all records with a class, and on the training part of each of ``folds`` stratified folds.

    Each part fits the ``recipe`` first. A column that is missing in a part ranks last there. Raises :class:`DataError`
    if nothing can be ranked, :class:`Cancelled` on a stop.
    """
    require_class(data, "evaluate with")
    data = data.labelled()
    folds = min(folds, len(data))
    if folds < 2:
        raise DataError("There are too few records with a class to rank by.", remedy="Open data with more records.")
    of = fold_numbers(data.class_codes.astype(np.int64), len(data), folds, context.random())
    done = [0]

    def judged(fold: int) -> AttributeScores:
        part = context.child(1 / (folds + 1), fold + 1)
        _, prepared = fit_recipe(recipe, data if fold < 0 else data.take(of != fold), part.child(0.3, 0))
        scores = step.judged(prepared, part.child(0.7, 1))
        part.complete()
        done[0] += 1
        context.say(f"{done[0]} of {folds + 1} rankings made")
        return scores

    everyone, *parts = context.map(judged, range(-1, folds))
    if not everyone.names:
        raise DataError("There is no column to rank.", remedy="Take columns into learning first.")
    parts = [_in_order_of(everyone.names, part) for part in parts]
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


def _in_order_of(names: tuple[str, ...], part: AttributeScores) -> AttributeScores:
    """The scores of a fold in the order of ``names``; missing columns rank last."""
    if part.names == names:
        return part
    place_of = {name: place for place, name in enumerate(part.names)}
    rows = np.array([place_of.get(name, -1) for name in names])
    scores = np.append(part.scores, -np.inf)[rows]
    return AttributeScores(names, scores, np.append(part.kept, False)[rows])


def places_of(part: AttributeScores) -> FloatArray:
    """The rank of each attribute from 1 (d,), ties at their mean; without scores kept ones come first."""
    from scipy.stats import rankdata

    scores = part.scores
    worth = part.kept.astype(np.float64) if bool(np.isnan(scores).any()) else scores
    return np.asarray(rankdata(-worth), dtype=np.float64)


def nogueira(kept: NDArray[np.bool_]) -> float | None:
    """The stability of m sets (m, d): 0 expected by chance, 1 if all are equal; None if m < 2 or all are empty or full.

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
    """Mean pairwise consistency of m sets (m, d) of k attributes (Kuncheva 2007); None if k differs or is 0 or d."""
    m, d = kept.shape
    sizes = np.unique(kept.sum(axis=1))
    if m < 2 or len(sizes) > 1 or sizes[0] in (0, d):
        return None
    k = float(sizes[0])
    common = kept.astype(np.float64) @ kept.T.astype(np.float64)
    pairs = common[np.triu_indices(m, 1)]
    return float(np.mean((pairs * d - k * k) / (k * (d - k))))


TITLES: Final = ("Rank", "Attribute", "Score", "Mean rank", "Spread", "Selected in", "Selected")


def rows_of(ranking: AttributeRanking) -> list[list[str]]:
    """The ranking as rows of text under :data:`TITLES`, best first."""
    return [cells_of(ranking, i) for i in ranking.order]


def cells_of(ranking: AttributeRanking, i: int) -> list[str]:
    """The row of one attribute as text under :data:`TITLES`."""
    return [
        place_words(ranking, i),
        ranking.names[i],
        "" if np.isnan(ranking.scores[i]) else score_words(float(ranking.scores[i])),
        f"{ranking.mean_place[i]:.1f}",
        f"{ranking.spread[i]:.1f}",
        f"{100 * ranking.share[i]:.0f}%",
        "yes" if ranking.kept[i] else "no",
    ]


def place_words(ranking: AttributeRanking, i: int) -> str:
    """The rank of an attribute, or the range of tied ranks: "3", "16–17"."""
    place = float(ranking.places[i])
    beside = (int(np.count_nonzero(ranking.places == place)) - 1) / 2
    return f"{place - beside:.0f}–{place + beside:.0f}" if beside else f"{place:.0f}"


def to_json(ranking: AttributeRanking) -> dict[str, Any]:
    attributes = [
        {
            "name": ranking.names[i],
            "score": None if np.isnan(ranking.scores[i]) else float(ranking.scores[i]),
            "place": float(ranking.places[i]),
            "mean_place": float(ranking.mean_place[i]),
            "spread": float(ranking.spread[i]),
            "share_of_folds": float(ranking.share[i]),
            "kept": bool(ranking.kept[i]),
        }
        for i in ranking.order
    ]
    return {
        "filter": ranking.step.to_json(),
        "folds": ranking.n_folds,
        "stability": ranking.stability,
        "consistency": ranking.consistency,
        "numeric_splits": ranking.splits or None,
        "sentence": ranking.sentence(),
        "attributes": attributes,
    }
