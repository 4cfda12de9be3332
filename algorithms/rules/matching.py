"""Which rules fire for which records."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from algorithms.core.columns import FloatArray, IntArray
from algorithms.core.data import Dataset
from algorithms.core.derivation import no_checkpoint
from algorithms.core.rule_set import DEFAULT_RULE, Int32Array, RuleSet
from algorithms.rules.divided import decided_parts, met_parts
from algorithms.trees.routing import value_block, value_blocks

if TYPE_CHECKING:
    from algorithms.rules.matching_kernels import Conditions

Checkpoint = Callable[[], None]

_MOST_ASKED: Final = 1 << 20
"""So many rules are asked of records between two looks at whether to stop."""

KERNELS = ("algorithms.rules.matching_kernels",)


class Matcher:
    """The rules in the form that the compiled loops take. Data must be under the rules' own schema."""

    def __init__(self, rules: RuleSet) -> None:
        self.rules = rules
        self._attributes: IntArray = np.unique(rules.attribute).astype(np.int64)
        self._conditions = _conditions(rules, self._attributes)

    def first(self, data: Dataset, checkpoint: Checkpoint = no_checkpoint) -> Int32Array:
        """The first rule that fires for each record (n,), -1 (``DEFAULT_RULE``) where none does.

        Of the rules that decide a record in part it is the one that decides most of it, the first of equals.
        """
        from algorithms.rules.matching_kernels import find_first

        first = np.empty(len(data), dtype=np.int32)
        for rows, block in self._blocks(data):
            checkpoint()
            find_first(block, self._conditions, first[rows])
            for some, parts in self._divided(block, checkpoint):
                most = np.argmax(parts > parts.max(axis=1, keepdims=True) - 1e-12, axis=1)
                first[rows][some] = np.where(most == self.rules.n_rules, DEFAULT_RULE, most)
        return first

    def parts(self, data: Dataset, checkpoint: Checkpoint = no_checkpoint) -> Iterator[tuple[IntArray, FloatArray]]:
        """The rows (m,) that lack a value the rules divide by, and the part that each rule and the default one
        decides of them (m, r + 1), in blocks."""
        for rows, block in self._blocks(data):
            for some, parts in self._divided(block, checkpoint):
                yield some + rows.start, parts

    def _divided(self, block: FloatArray, checkpoint: Checkpoint) -> Iterator[tuple[IntArray, FloatArray]]:
        """As :meth:`parts` for a block of values."""
        if not self.rules.divides:
            return
        lacking = np.flatnonzero(np.isnan(block).any(axis=1))
        step = max(1, _MOST_ASKED // max(1, self.rules.n_rules))
        for start in range(0, len(lacking), step):
            checkpoint()
            some = lacking[start : start + step]
            yield some, decided_parts(met_parts(self.rules, block[some], self._attributes))

    def covered(self, rule: int, data: Dataset, checkpoint: Checkpoint = no_checkpoint) -> NDArray[np.bool_]:
        """Which records (n,) meet the conditions of a rule, whether it decides them or not."""
        from algorithms.rules.matching_kernels import find_covered

        covered = np.empty(len(data), dtype=np.bool_)
        for rows, block in value_blocks(data, self._attributes):
            checkpoint()
            find_covered(block, rule, self._conditions, covered[rows])
        return covered

    def _blocks(self, data: Dataset) -> Iterator[tuple[slice, FloatArray]]:
        """The values in blocks: the more rules, the fewer records, so that a stop never waits long."""
        step = max(1, _MOST_ASKED // max(1, self.rules.n_rules))
        for rows, block in value_blocks(data, self._attributes):
            for start in range(0, len(block), step):
                part = block[start : start + step]
                yield slice(rows.start + start, rows.start + start + len(part)), part

    def n_fired(self, data: Dataset, checkpoint: Checkpoint = no_checkpoint) -> IntArray:
        """How many rules fire for each record (n,)."""
        from algorithms.rules.matching_kernels import find_fired

        found = np.zeros(len(data), dtype=np.int64)
        for rows, block in self._blocks(data):
            checkpoint()
            fired = np.empty((len(block), self.rules.n_rules), dtype=np.bool_)
            find_fired(block, self._conditions, fired)
            found[rows] = np.count_nonzero(fired, axis=1)
        return found

    def fired(self, data: Dataset, row: int) -> Int32Array:
        """The rules that fire for one record, in their order.

        Of a record that rules divide those that decide more of it than the default rule, the largest part first.
        """
        from algorithms.rules.matching_kernels import find_fired

        for _, parts in self.parts(data.take([row])):
            order = np.argsort(-parts[0], kind="stable")
            least = float(parts[0][-1])
            return np.array([rule for rule in order.tolist() if parts[0][rule] > least], dtype=np.int32)
        fired = np.empty((1, self.rules.n_rules), dtype=np.bool_)
        find_fired(value_block(data, self._attributes, slice(row, row + 1)), self._conditions, fired)
        return np.flatnonzero(fired[0]).astype(np.int32)

    def voted(self, data: Dataset) -> FloatArray:
        """The summed votes (n, k) of the rules that fire; of the default one where none does."""
        from algorithms.rules.matching_kernels import find_fired, sum_votes

        rules = self.rules
        default = rules.probabilities()[DEFAULT_RULE]
        sums = np.empty((len(data), rules.n_classes))
        for rows, block in self._blocks(data):
            fired = np.empty((len(block), rules.n_rules), dtype=np.bool_)
            find_fired(block, self._conditions, fired)
            sum_votes(fired, rules.votes, default, sums[rows])
        return sums

    def counted(self, data: Dataset, checkpoint: Checkpoint = no_checkpoint) -> RuleSet:
        """The rules with the weights of these records, which all have a class, as their counts."""
        from algorithms.rules.matching_kernels import count_rules, find_fired

        r, k = self.rules.n_rules, self.rules.n_classes
        covered, decided, left = np.zeros((r, k)), np.zeros((r, k)), np.zeros(k)
        codes = np.ascontiguousarray(data.class_codes, dtype=np.int32)
        weights = np.array(data.weight_array, dtype=np.float64)
        for rows, block in self._blocks(data):
            checkpoint()
            fired = np.empty((len(block), r), dtype=np.bool_)
            find_fired(block, self._conditions, fired)
            whole = weights[rows]
            for some, parts in self._divided(block, checkpoint):
                met = met_parts(self.rules, block[some], self._attributes) * whole[some, None]
                for code in np.unique(codes[rows][some]).tolist():
                    own = codes[rows][some] == code
                    covered[:, code] += met[own].sum(axis=0)
                    of_class = (parts[own] * whole[some][own, None]).sum(axis=0)
                    decided[:, code] += of_class[:-1]
                    left[code] += of_class[-1]
                whole = whole.copy()
                whole[some] = 0.0
            count_rules(fired, codes[rows], whole, covered, decided, left)
        if not self.rules.is_ordered:
            decided = covered.copy()
        return replace(self.rules, covered=covered, decided=decided, default_counts=left)


def _conditions(rules: RuleSet, attributes: IntArray) -> Conditions:
    from algorithms.rules.matching_kernels import Conditions

    return Conditions(
        rule_start=np.array(rules.rule_start, dtype=np.int32),
        slot=np.searchsorted(attributes, rules.attribute).astype(np.int32),
        low=np.array(rules.low, dtype=np.float64),
        high=np.array(rules.high, dtype=np.float64),
        low_is_open=np.array(rules.low_is_open, dtype=np.int8),
        offset=np.array(rules.offset, dtype=np.int32),
        value_in=np.array(rules.value_in, dtype=np.int8),
        takes_missing=np.array(rules.takes_missing, dtype=np.int8),
    )


def decided_as_counted(rules: RuleSet) -> RuleSet:
    """The rules of a list, each deciding for the class that is heaviest in what it decides in training.

    Where it decides nothing, what it covers counts; where another class is just as heavy, it keeps its own.
    """
    used = np.where(rules.decided.sum(axis=1, keepdims=True) > 0, rules.decided, rules.covered)
    decision = [_heaviest(counts, int(own)) for counts, own in zip(used, rules.decision, strict=True)]
    default = _heaviest(rules.default_counts, rules.default_decision)
    return replace(rules, decision=np.array(decision, dtype=np.int32), default_decision=default)


def _heaviest(counts: FloatArray, own: int) -> int:
    return own if counts[own] >= counts.max() else int(np.argmax(counts))
