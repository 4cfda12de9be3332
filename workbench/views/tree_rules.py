"""A tree told as rules, one for each leaf, in the order and with the numbers of its table."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from workbench.views.own_units import AS_IN_THE_TABLE
from workbench.views.tree_drawing import TreePlan
from workbench.views.tree_words import amount, path_conditions, percent, records_words

MOST_VALUES: Final = 1000
BREATH: Final = 100


def rules_text(plan: TreePlan, give_way: Callable[[], None] = lambda: None) -> str:
    """``1. If age ≤ 40.5 and colour = red, then class 0 (12 records, 91.7% of them class 0)``, a line for each leaf.

    ``give_way`` is called every few milliseconds.
    """
    tree = plan.worded
    lines = [] if tree is plan.tree else [f"{AS_IN_THE_TABLE}\n\n"]
    for nth, node in enumerate(plan.order.tolist(), 1):
        if nth % BREATH == 0:
            give_way()
        if not tree.is_leaf(node):
            continue
        where = " and ".join(path_conditions(tree, node, at_most=MOST_VALUES))
        decision = tree.schema.classes[int(tree.decision[node])]
        then = f"If {where}, then {decision}" if where else f"Always {decision}"
        lines.append(f"{plan.leaf_number[node]}. {then} ({_record_words(plan, node, decision)})\n")
    return "".join(lines)


def _record_words(plan: TreePlan, node: int, decision: str) -> str:
    records = float(plan.records[node])
    if records <= 0:
        return "no record"
    right = float(plan.counted.counts[node, int(plan.tree.decision[node])]) / records
    said = f"{records_words(records)}, {percent(right)} of them {decision}"
    if plan.counted.wrong is None:
        return said
    return f"tested: {said}; {amount(float(plan.counted.wrong[node]))} decided wrongly"
