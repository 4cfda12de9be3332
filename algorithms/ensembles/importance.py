"""How much the trees of a committee go by each attribute."""

from __future__ import annotations

from typing import Final

import numpy as np

from algorithms.core.columns import FloatArray, IntArray
from algorithms.core.data import Dataset
from algorithms.core.structures import Test, Tree
from algorithms.trees.model import TreeModel
from algorithms.trees.routing import value_block

MOST_RECORDS: Final = 1000
"""Records that one tree is asked about again for each attribute."""
_CELLS: Final = 20_000
"""Changed records that are sent down a tree in one go; of very many attributes each is tried on fewer records."""


def impurity_importance(tree: Tree) -> FloatArray:
    """What the questions about each attribute of the schema gained, by the share of the records that came to them;
    what a question about a sum gained is shared by its terms."""
    inner = np.flatnonzero(tree.attribute >= 0)
    whole = max(float(tree.counts[0].sum()), 1e-300)
    gained = np.nan_to_num(tree.gain[inner]) * tree.counts[inner].sum(axis=1) / whole
    found = np.bincount(tree.attribute[inner], gained, minlength=len(tree.schema)).astype(np.float64)
    sums = np.flatnonzero(tree.test[inner] == Test.LINEAR)
    for node, gain in zip(inner[sums].tolist(), gained[sums].tolist(), strict=True):
        terms = tree.asked(node)
        found[tree.attribute[node]] -= gain
        found[list(terms)] += gain / len(terms)
    return found


def permutation_importance(
    model: TreeModel, data: Dataset, left_out: IntArray, random: np.random.Generator
) -> FloatArray:
    """How much more often the tree is wrong about records it did not learn from, with an attribute's values dealt out
    anew among them; by attribute of the schema (Breiman 2001, section 10). ``left_out`` are their positions.
    """
    found, used = np.zeros(len(data.schema)), model.attributes
    most = min(MOST_RECORDS, max(50, _CELLS // max(1, len(used))))
    rows = left_out if len(left_out) <= most else np.sort(random.choice(left_out, most, replace=False))
    if not len(used) or not len(rows):
        return found
    part = data.take(rows)
    truth, weights = part.class_codes, part.weight_array
    block = value_block(part, used, slice(0, len(rows)))
    changed = np.tile(block, (len(used), 1))
    for slot in range(len(used)):
        at = slice(slot * len(rows), (slot + 1) * len(rows))
        changed[at, slot] = random.permutation(block[:, slot])
    right = model.tree.decision[model.leaves_in(block)] == truth
    still = model.tree.decision[model.leaves_in(changed)].reshape(len(used), -1) == truth
    found[used] = (weights * right).sum() - still @ weights
    return found / max(float(weights.sum()), 1e-300)


def shares(importance: FloatArray) -> FloatArray:
    """The same adding up to one, where there is any."""
    total = float(importance.sum())
    return importance / total if total > 0 else importance
