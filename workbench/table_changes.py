"""What became of a table since a model was judged on it. No widgets."""

from __future__ import annotations

from algorithms.core.data import Dataset
from workbench.wording import counted, shortened


def change_words(then: Dataset, now: Dataset) -> str:
    """The first that differs of class, records, columns, their use and kinds; else it is values."""
    one, other = then.schema, now.schema
    classes = [None if each.class_index is None else each.class_attribute.name for each in (one, other)]
    if classes[0] != classes[1]:
        was, is_now = (shortened(name or "nothing", 30) for name in classes)
        return f"then {was} was predicted, now {is_now}"
    if len(then) != len(now):
        return f"it had {counted(len(then), 'record')}, now {len(now):,}"
    if one.names != other.names:
        return "its columns are others now"
    if one.predictors != other.predictors:
        return f"{len(one.predictors):,} of its columns were learned from, now {len(other.predictors):,}"
    if [each.kind for each in one.attributes] != [each.kind for each in other.attributes]:
        return "kinds of its columns are others now"
    return "values in it were changed since"
