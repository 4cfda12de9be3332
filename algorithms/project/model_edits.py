"""Models that a person changed by hand as plain values, whatever they are models of."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from algorithms.core.model_editing import ModelEdits
from algorithms.learners.bayes.edits import network_edits_from_text, network_edits_to_text
from algorithms.learners.rules.edits import rule_edits_from_text, rule_edits_to_text
from algorithms.learners.trees.edits import edits_from_text, edits_to_text
from algorithms.learners.trees.paths import nonsense

TREE: Final = "tree"
_WRITERS: Final[Mapping[str, Callable[[Sequence[Any]], str]]] = {
    TREE: edits_to_text,
    "rules": rule_edits_to_text,
    "network": network_edits_to_text,
}
_READERS: Final[Mapping[str, Callable[[str], tuple[Any, ...]]]] = {
    TREE: edits_from_text,
    "rules": rule_edits_from_text,
    "network": network_edits_from_text,
}


def hand_made_to_json(models: Sequence[ModelEdits]) -> list[dict[str, Any]]:
    """The models; of a tree it is not said what it is."""
    found = []
    for model in models:
        kind = {} if model.kind == TREE else {"kind": model.kind}
        edits = _WRITERS[model.kind](model.edits)
        found.append({"run": model.run, "origin": model.origin, "edits": edits, **kind})
    return found


def hand_made_from_json(stored: Any) -> tuple[ModelEdits, ...]:
    """The models again; raises :class:`ParameterError` where they are none."""
    if not isinstance(stored, list):
        raise nonsense()
    found = []
    for each in stored:
        if not isinstance(each, Mapping) or not isinstance(each.get("edits"), str):
            raise nonsense()
        run, origin, kind = each.get("run"), each.get("origin"), each.get("kind", TREE)
        if type(run) is not int or type(origin) is not int or not isinstance(kind, str) or kind not in _READERS:
            raise nonsense()
        found.append(ModelEdits(run, origin, _READERS[kind](each["edits"]), kind))
    return tuple(found)
