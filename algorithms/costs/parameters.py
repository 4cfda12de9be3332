"""The parameters that learners of this family share, declared once."""

from __future__ import annotations

from typing import Any

from algorithms.core.params import cost_matrix


def costs() -> Any:
    return cost_matrix(
        label="What mistakes cost",
        help="A row for each true class, a column for each said one; below zero is a reward. As long as all are 1, "
        "being right most often is cheapest. Evaluate has costs of its own, to look at finished runs.",
    )
