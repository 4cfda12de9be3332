"""A tree as a PMML 4.4 document (Data Mining Group, pmml.org) that JPMML and PMML4S evaluate as the model does.

Where every record without an answer goes down one branch, it is a ``TreeModel`` with ``defaultChild``, or its branches
ask whether the answer is missing. Few programs know ``weightedConfidence``. So a tree that shares out records without
an answer is a ``MiningModel`` of two segments: a ``TreeModel`` for records with all answers, and for the others a
``RegressionModel`` over the part of the record that each leaf gets. Questions that stand in for another one are
``surrogate`` predicates. A label that a question has no branch for is mapped to a missing value first.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from algorithms.export.model_view import ColumnQuestion, ExportSubject
from algorithms.export.pmml_parts import (
    Element,
    PmmlWriter,
    all_of,
    allowed,
    apply,
    compound,
    constant,
    derived,
    element,
    field_ref,
    folded,
    free_name,
    is_between,
    is_one_of,
    number_text,
    one_of,
    simple,
    sub,
    write_weighted_shares,
)

BREATH: Final = 100


def as_pmml(subject: ExportSubject, give_way: Callable[[], None] = lambda: None) -> str:
    """The document; raises :class:`DataError` for a name that XML cannot hold, and a tree with soft thresholds.

    ``give_way`` is called every few milliseconds.
    """
    subject.check_is_sharp()
    return _Writer(subject, give_way).written()


class _Writer(PmmlWriter):
    subject: ExportSubject

    def __init__(self, subject: ExportSubject, give_way: Callable[[], None]) -> None:
        super().__init__(subject)
        self.tree, self.give_way = subject.tree, give_way
        inner = [node for node in range(self.tree.n_nodes) if not self.tree.is_leaf(node)]
        whole = [node for node in inner if subject.without_answer(node) is not None]
        for_missing = any(self._has_branch_for_missing(node) for node in whole)
        self.by_default = len(whole) == len(inner) and not for_missing
        self.known: dict[tuple[str, tuple[str, ...]], str] = {}
        self.sums: dict[int, tuple[str, ColumnQuestion]] = {}

    def _has_branch_for_missing(self, node: int) -> bool:
        return any(self.tree.is_for_missing(node, b) for b in range(int(self.tree.n_children[node])))

    # ---- the tree ----------------------------------------------------------------------------------------------------

    def write_model(self, root: Element) -> None:
        divided = [node for node in range(self.tree.n_nodes) if self._is_divided(node)]
        if not divided:
            self._write_tree(root)
            return
        name = self.subject.trained.learner.name
        model = sub(root, "MiningModel", modelName=name, functionName="classification", algorithmName=name)
        self.write_schema(model)
        self.write_output(model)
        segmentation = Element("Segmentation", {"multipleModelMethod": "selectFirst"})
        answered = sub(segmentation, "Segment", id="all answers")
        answered.append(all_of(self._all_answers(divided)))
        self._write_tree(answered)
        shared = sub(segmentation, "Segment", id="some answer is missing")
        shared.append(Element("True"))
        self._write_shares(shared)
        self._transformations(root, model)
        model.append(segmentation)

    def _is_divided(self, node: int) -> bool:
        return not self.tree.is_leaf(node) and self.subject.without_answer(node) is None

    def _all_answers(self, divided: Sequence[int]) -> list[Element]:
        """Predicates that every question that divides records, or one that stands in for it, has an answer."""
        fields = dict.fromkeys(tuple(self._field(node, ask) for ask in self.subject.asks(node)) for node in divided)
        return [compound("or", [simple(field, "isNotMissing") for field in each]) for each in fields]

    def _write_tree(self, parent: Element) -> None:
        tree = self.tree
        two = bool((tree.n_children[tree.n_children > 0] == 2).all())
        model = sub(
            parent,
            "TreeModel",
            modelName=self.subject.trained.learner.name,
            functionName="classification",
            algorithmName=self.subject.trained.learner.name,
            missingValueStrategy="defaultChild" if self.by_default else "none",
            noTrueChildStrategy="returnNullPrediction",
            splitCharacteristic="binarySplit" if two else "multiSplit",
        )
        self.write_schema(model)
        self.write_output(model)
        made = [self._node(node) for node in range(tree.n_nodes)]
        for node in range(1, tree.n_nodes):
            made[int(tree.parent[node])].append(made[node])
        if parent.tag == "PMML":
            self._transformations(parent, model)
        model.append(made[0])

    def _write_shares(self, parent: Element) -> None:
        """The regression over the parts of a record that the leaves get."""
        name, tree = self.subject.trained.learner.name, self.tree
        model = self.write_shares_model(parent, name)
        local = sub(model, "LocalTransformations")
        taken = self._taken()
        parts = {node: free_name(f"part at node {node}", taken) for node in range(1, tree.n_nodes)}
        for node, part in parts.items():
            if node % BREATH == 0:
                self.give_way()
            above = int(tree.parent[node])
            own = self._share(node)
            derived(local, part, apply("*", field_ref(parts[above]), own) if above else own)
        leaves = [(parts[node], self.subject.probabilities[node].tolist()) for node in parts if tree.is_leaf(node)]
        write_weighted_shares(model, self.subject.classes, leaves)

    def _share(self, child: int) -> Element:
        """The part of its parent's part that a node gets of a record, as an expression."""
        node = int(self.tree.parent[child])
        branch, whole = child - int(self.tree.first_child[node]), self.subject.without_answer(node)
        result = constant(float(self.subject.shares[child]) if whole is None else float(whole == child))
        for ask in reversed(self.subject.asks(node)):
            field = self._field(node, ask)
            result = apply("if", apply("isMissing", field_ref(field)), result, self._answers(field, ask, branch))
        return result

    @staticmethod
    def _answers(field: str, ask: ColumnQuestion, branch: int) -> Element:
        """1 where an answer that is there leads down a branch, else 0, as an expression."""
        for answer, b in zip(ask.answers, ask.branches, strict=True):
            if b != branch:
                continue
            test = is_between(field, *answer) if ask.is_number else is_one_of(field, [str(label) for label in answer])
            return constant(1.0) if test is None else apply("if", test, constant(1.0), constant(0.0))
        return constant(0.0)

    def _node(self, node: int) -> Element:
        if node % BREATH == 0:
            self.give_way()
        subject, tree = self.subject, self.tree
        weight = float(tree.counts[node].sum())
        attributes = {"id": str(node), "score": subject.decision(node), "recordCount": repr(weight)}
        if self.by_default and not tree.is_leaf(node):
            attributes["defaultChild"] = str(subject.without_answer(node))
        made = element("Node", attributes)
        made.append(Element("True") if node == 0 else self._way(node))
        for code, label in enumerate(subject.classes):
            sub(
                made,
                "ScoreDistribution",
                value=label,
                recordCount=repr(float(tree.counts[node, code])),
                confidence=repr(float(subject.probabilities[node, code])),
                probability=repr(float(subject.probabilities[node, code])),
            )
        return made

    def _way(self, child: int) -> Element:
        """The predicate that leads from its parent to a node."""
        node = int(self.tree.parent[child])
        branch, whole = child - int(self.tree.first_child[node]), self.subject.without_answer(node)
        asks = self.subject.asks(node)
        found = [self._answered(node, ask, branch) for ask in asks]
        if found[0] is None:
            return all_of([simple(self._field(node, ask), "isMissing") for ask in asks])
        answered = [Element("False") if each is None else each for each in found]
        own = answered[0] if len(answered) == 1 else compound("surrogate", answered)
        if self.by_default or whole is None:
            return own
        if whole == child:
            return compound("or", [own, all_of([simple(self._field(node, ask), "isMissing") for ask in asks])])
        known = [simple(self._field(node, ask), "isNotMissing") for ask in asks]
        return compound("and", [own, compound("or", known)])

    def _answered(self, node: int, ask: ColumnQuestion, branch: int) -> Element | None:
        """Whether the answer to a question leads down a branch; None where none does."""
        field = self._field(node, ask)
        for answer, b in zip(ask.answers, ask.branches, strict=True):
            if b != branch:
                continue
            if ask.is_number:
                return _between(field, *answer)
            return one_of(field, [str(label) for label in answer])
        return None

    def _field(self, node: int, ask: ColumnQuestion) -> str:
        """The field that a question looks at: one of its own where some labels have no branch."""
        name = ask.attribute.name
        if ask.terms:
            if node not in self.sums:
                self.sums[node] = (free_name(f"sum at node {node}", self._taken()), ask)
            return self.sums[node][0]
        cut = name in self.subject.cuts
        if not cut and (ask.is_number or set(ask.labels) >= set(self.subject.raw(ask.attribute).values)):
            return name
        key = (name, tuple(sorted(ask.labels)))
        if key not in self.known:
            self.known[key] = free_name(f"{name}, as known at node {node}", self._taken())
        return self.known[key]

    def _taken(self) -> set[str]:
        """The names that a field cannot have any more."""
        named = {attribute.name for attribute in self.fields()} | {self.subject.class_name}
        return named | set(self.known.values()) | {name for name, _ in self.sums.values()}

    def _transformations(self, root: Element, model: Element) -> None:
        """Add the fields that questions look at before the model: every segment of it sees them there."""
        if not self.known and not self.sums:
            return
        made = Element("TransformationDictionary")
        root.insert(list(root).index(model), made)
        for name, ask in self.sums.values():
            _sum(sub(made, "DerivedField", name=name, optype="continuous", dataType="double"), ask)
        for (name, labels), known in self.known.items():
            field = sub(made, "DerivedField", name=known, optype="categorical", dataType="string")
            if name in self.subject.cuts:
                self.write_ranges(field, name, labels)
                continue
            mapped = sub(field, "MapValues", outputColumn="known", dataType="string")
            sub(mapped, "FieldColumnPair", field=name, column="value")
            table = sub(mapped, "InlineTable")
            for label in labels:
                row = sub(table, "row")
                sub(row, "value").text = allowed(label)
                sub(row, "known").text = label


# ---- elements --------------------------------------------------------------------------------------------------------


def _sum(field: Element, ask: ColumnQuestion) -> None:
    """The sum of a question's terms, missing where all of them are; a missing one alone has its stand-in."""
    known = [apply("isNotMissing", field_ref(attribute.name)) for attribute, _, _ in ask.terms]
    products = []
    for attribute, coefficient, stand_in in ask.terms:
        missing = apply("isMissing", field_ref(attribute.name))
        value = apply("if", missing, constant(stand_in), field_ref(attribute.name))
        products.append(apply("*", constant(coefficient), value))
    field.append(apply("if", folded("or", known), folded("+", products)))


def _between(field: str, low: float | None, high: float | None) -> Element:
    parts = [] if low is None else [simple(field, "greaterThan", number_text(low))]
    parts += [] if high is None else [simple(field, "lessOrEqual", number_text(high))]
    return compound("and", parts) if parts else simple(field, "isNotMissing")
