"""Trees for tests and benchmarks of views: of any size, with every kind of test, consistent in their counts."""

from __future__ import annotations

import numpy as np

from algorithms.data.schema import Attribute, Schema, nominal, numeric
from algorithms.structures.tree import SplitTest, Tree

VALUES = ("red", "green", "blue", "yellow")
GRADES = ("low", "middle", "high", "top")


def schema_of(n_classes: int = 3, names: tuple[str, ...] = ("age", "colour", "grade", "height")) -> Schema:
    """Numeric, nominal and ordinal attributes in turn, and a class."""
    attributes: list[Attribute] = []
    for i, name in enumerate(names):
        kinds = (numeric(name), nominal(name, VALUES), nominal(name, GRADES, ordinal=True))
        attributes.append(kinds[i % 3])
    attributes.append(nominal("class", [f"class {code}" for code in range(n_classes)]))
    return Schema(tuple(attributes), len(attributes) - 1)


def random_tree(n_nodes: int, n_classes: int = 3, seed: int = 0, schema: Schema | None = None) -> Tree:
    """A tree of at least ``n_nodes`` nodes grown at random leaves, with numeric, multiway, subset and ordinal tests."""
    random = np.random.default_rng(seed)
    made = schema or schema_of(n_classes)
    builder = _Builder(made, random.dirichlet(np.ones(n_classes)) * 100.0 * n_nodes)
    leaves = [0]
    while len(builder.test) < n_nodes:
        leaves.extend(builder.split(leaves.pop(int(random.integers(len(leaves)))), random))
    return builder.tree()


class _Builder:
    def __init__(self, schema: Schema, counts: np.ndarray) -> None:
        self.schema = schema
        self.test, self.attribute, self.threshold = [int(SplitTest.LEAF)], [-1], [np.nan]
        self.first, self.n, self.parent, self.offset = [-1], [0], [-1], [-1]
        self.branches: list[int] = []
        self.counts = [counts]

    def split(self, node: int, random: np.random.Generator) -> range:
        """Give a leaf branches on a random attribute; its children."""
        attribute = int(random.integers(len(self.schema) - 1))
        described = self.schema.attributes[attribute]
        self.attribute[node] = attribute
        if not described.values:
            self.test[node], self.threshold[node], n = int(SplitTest.NUMERIC), round(float(random.normal(40, 20)), 1), 2
        elif attribute % 3 == 2:
            self.test[node], n = int(SplitTest.ORDINAL), 2
            self._branches(node, [0, 0, 1, 1])
        elif random.random() < 0.5:
            self.test[node], n = int(SplitTest.SUBSET), 2
            self._branches(node, [0, 1, 0, 1])
        else:
            self.test[node], n = int(SplitTest.MULTIWAY), len(described.values)
            self._branches(node, list(range(n)))
        self.first[node], self.n[node] = len(self.test), n
        shares = random.dirichlet(np.full(n, 0.7), size=self.counts[node].shape[0])
        for branch in range(n):
            self._leaf(node, self.counts[node] * shares[:, branch])
        return range(self.first[node], len(self.test))

    def _branches(self, node: int, branches: list[int]) -> None:
        self.offset[node] = len(self.branches)
        self.branches.extend(branches)

    def _leaf(self, parent: int, counts: np.ndarray) -> None:
        self.test.append(int(SplitTest.LEAF))
        self.attribute.append(-1)
        self.threshold.append(np.nan)
        self.first.append(-1)
        self.n.append(0)
        self.parent.append(parent)
        self.offset.append(-1)
        self.counts.append(counts)

    def tree(self) -> Tree:
        counts = np.array(self.counts)
        test = np.array(self.test, dtype=np.int8)
        return Tree(
            schema=self.schema,
            test=test,
            attribute=np.array(self.attribute, dtype=np.int32),
            threshold=np.array(self.threshold),
            first_child=np.array(self.first, dtype=np.int32),
            n_children=np.array(self.n, dtype=np.int32),
            parent=np.array(self.parent, dtype=np.int32),
            offset=np.array(self.offset, dtype=np.int32),
            branch_of=np.array(self.branches, dtype=np.int16),
            counts=counts,
            decision=np.argmax(counts, axis=1).astype(np.int32),
            gain=np.where(test == SplitTest.LEAF, np.nan, 0.1),
            missing_to=np.full(len(test), -1, dtype=np.int16),
            criterion="gini",
        )
