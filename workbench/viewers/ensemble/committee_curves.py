"""The curves of a committee: its error by its members, beside independent ones, and what votes weigh by their error."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from algorithms.data.columns import FloatArray
from algorithms.structures.members import Members
from workbench.style.wording import counted
from workbench.viewers.charts.bands import NOWHERE, BandLine, Bands

if TYPE_CHECKING:
    from algorithms.evaluation.curves.member_errors import MemberErrors

MOST_PLACES: Final = 150
"""So many numbers of members are drawn at most; the table has all."""
STEPS: Final = 41
"""Errors from 0 to 1 at which the independent members are drawn."""


def error_bands(members: Members, tested: MemberErrors | None) -> Bands | None:
    """The errors by the number of members, at evenly spread ones where they are many; None where none are known."""
    known = members.known
    curves: list[tuple[str, FloatArray]] = []
    if known.is_tested:
        curves.append(("out of bag", known.out_of_bag_error))
    if len(known.training_error):
        curves.append(("training", known.training_error))
    m = len(known.training_error)
    if m and not known.is_tested and len(known.member_errors) == m:
        curves.append(("each member alone, by its weights", known.member_errors))
        if len(known.training_bound) == m:
            curves.append(("the most there can be in training", np.minimum(known.training_bound, 1.0)))
    if tested is not None and np.isfinite(tested.together[:-1]).any():
        curves.append(("tested", tested.together))
    m = max((len(values) for _, values in curves), default=0)
    if not m:
        return None
    places = np.unique(np.linspace(1, m, min(m, MOST_PLACES)).round().astype(np.int64))
    none = np.zeros(len(places))
    lines = tuple(BandLine(name, _filled(values, m)[places - 1], none) for name, values in curves)
    return Bands("Members", "wrong of 100", tuple(map(str, places.tolist())), places.astype(np.float64), True, lines)


def _filled(values: FloatArray, m: int) -> FloatArray:
    """The same for m members, NaN where there are fewer."""
    return np.concatenate([values, np.full(m - len(values), np.nan)])


def independent_bands(tested: MemberErrors, members: int, classes: int) -> Bands | None:
    """So many members that err independently, or all alike, by how often each is wrong (TSKK Figure 5.30), and the
    committee's own place; None where its members decide nothing by themselves.

    Of more than two classes the first is how often most of them are wrong: the class with the most votes may be right
    all the same.
    """
    from algorithms.evaluation.curves.member_errors import independent_error

    own = tested.mean_alone
    if not np.isfinite(own):
        return None
    places = np.unique(np.append(np.linspace(0.0, 1.0, STEPS), own))
    at = int(np.searchsorted(places, own))
    point = np.full(len(places), np.nan)
    point[at] = tested.error
    none = np.zeros(len(places))
    return Bands(
        across="How often a member alone is wrong, of 100",
        upward="the committee wrong of 100",
        values=tuple(f"{100 * place:.4g}" for place in places.tolist()),
        places=places,
        is_number=True,
        lines=(
            BandLine(
                f"{members} that err independently" if classes == 2 else f"most of {members} wrong, independently",
                independent_error(places, members),
                none,
            ),
            BandLine("all err alike", places, none),
            BandLine("this committee", point, none),
        ),
        chosen=at,
        mark="this committee",
        marks=tuple((each / 10, f"{10 * each}") for each in range(11)),
    )


def independent_words(tested: MemberErrors, members: int, classes: int) -> str:
    """What the place of the committee says."""
    from algorithms.evaluation.curves.member_errors import independent_error

    own, error = tested.mean_alone, tested.error
    alone = float(independent_error(own, members))
    found = f"Tested on {tested.method.described()}: a member alone is wrong {100 * own:.1f} times in 100, all of them "
    found += f"together {100 * error:.1f} times. "
    if own >= 0.5 and classes > 2:
        return found + "Of several classes the right one may have the most votes where most of the members are wrong."
    if own >= 0.5:
        return found + "Members that are wrong half of the time or more do not mend each other by a plain vote."
    found += f"Were {counted(members, 'member')} wrong so often, each independently of the others, most of them would "
    found += f"be wrong {100 * alone:.1f} times in 100"
    return found + ("; these err alike more than that." if error > alone + 0.005 else ".")


def independent_rows(bands: Bands) -> list[tuple[str, ...]]:
    """The curves as a table, the heading first."""
    rows: list[tuple[str, ...]] = [("member alone wrong of 100", *(line.name for line in bands.lines))]
    for at, value in enumerate(bands.values):
        cells = (float(100 * line.mean[at]) for line in bands.lines)
        rows.append((value, *("" if np.isnan(cell) else f"{cell:.6g}" for cell in cells)))
    return rows


def importance_bands(members: Members) -> Bands | None:
    """What a member's vote weighs by its error in its round of boosting (TSKK Figure 5.37), and where the rounds are;
    None where it is no committee of boosting."""
    errors = members.known.member_errors
    m = len(errors)
    if not m or m != members.n_members or members.how != "members":
        return None
    law = _law(errors, members.weights, len(members.schema.classes))
    top = max(0.5, float(errors.max()))
    law_at = np.arange(1, min(99, int(np.ceil(100 * top)) + 2) + 1) / 100
    places = np.unique(np.concatenate([law_at, np.clip(errors, 1e-6, 1.0)]))
    rounds = np.full(len(places), np.nan)
    rounds[np.searchsorted(places, np.clip(errors, 1e-6, 1.0))] = members.weights
    none = np.zeros(len(places))
    lines = [BandLine("rounds of this committee", rounds, none)]
    if law is not None:
        divided, classes = law
        counted_as = np.clip(places / divided, 1e-10, 1 - 1e-10)
        curve = 0.5 * (np.log((1 - counted_as) / counted_as) + np.log(classes - 1))
        lines.insert(0, BandLine("weight by error", curve, none))
    return Bands(
        across="Error of the member in its round, of 100",
        upward="what its vote weighs",
        values=tuple(f"{100 * place:.3g}" for place in places.tolist()),
        places=places,
        is_number=True,
        lines=tuple(lines),
        chosen=NOWHERE,
        scale=1.0,
        by_factors=False,
        marks=tuple((float(place), f"{100 * place:.0f}") for place in law_at.tolist()),
    )


def importance_words(members: Members) -> str:
    """What the curve says of the heaviest and the lightest round."""
    errors, weights = members.known.member_errors, members.weights
    most, least = int(np.argmax(weights)), int(np.argmin(weights))
    law = _law(errors, weights, len(members.schema.classes))
    found = "The less a member is wrong in its round, the more its vote weighs"
    found += "; one that is no better than guessing weighs nothing." if law is not None and law[0] == 1 else "."
    found += f" Round {most + 1} weighs most ({weights[most]:.3g}, wrong {100 * errors[most]:.1f} in 100)"
    if most == least:
        return f"{found}."
    return f"{found}, round {least + 1} least ({weights[least]:.3g}, wrong {100 * errors[least]:.1f} in 100)."


def round_words(members: Members, at: int) -> str:
    """What one round is, and what is seen of it among the records."""
    error, weight = float(members.known.member_errors[at]), float(members.weights[at])
    said = "the first round alone says" if at == 0 else f"the first {at + 1} rounds say together"
    return (
        f"Round {at + 1} of {members.n_members}: wrong {100 * error:.1f} in 100 as the records weigh in it, its vote "
        f"weighs {weight:.3g}. In the scatter plot records are as large as they weigh in it; tinted is what {said}."
    )


def importance_rows(members: Members) -> list[tuple[str, ...]]:
    """The rounds as a table, the heading first."""
    rows: list[tuple[str, ...]] = [("round", "error in its round", "vote weighs")]
    pairs = zip(members.known.member_errors.tolist(), members.weights.tolist(), strict=True)
    return rows + [(str(at + 1), f"{error:.6g}", f"{weight:.6g}") for at, (error, weight) in enumerate(pairs)]


def _law(errors: FloatArray, weights: FloatArray, k: int) -> tuple[float, int] | None:
    """By what the errors were divided and among how many classes was guessed (Eqs. 5.68 and 5.69, SAMME); None where
    the weights follow no such law."""
    sure = (errors > 1e-9) & (errors < 1)
    if not sure.any():
        return (1.0, 2)
    e, w = errors[sure], weights[sure]
    for classes in range(2, max(2, k) + 1):
        records = float(np.round(e[0] * (1 + np.exp(2 * w[0]) / (classes - 1))))
        for divided in (1.0, records):
            expected = 0.5 * (np.log((divided - e) / e) + np.log(classes - 1)) if divided >= 1 else np.inf
            if np.allclose(expected, w, rtol=1e-6, atol=1e-9):
                return divided, classes
    return None
