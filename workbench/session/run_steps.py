"""Steps of a run in words, and what changed in the table since."""

from __future__ import annotations

from algorithms.core.filters import Filter, Recipe
from algorithms.data.dataset import Dataset
from algorithms.text.names import shortened
from algorithms.text.sentences import counted
from workbench.session.runs import Run


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


FEW = 3
"""So many steps are named one by one."""


def after_steps(recipe: Recipe) -> str:
    """ "after 2 steps: fill missing values, scale numbers"; empty where there is none."""
    return f"after {counted(len(recipe), 'step')}: {_named(recipe)}" if recipe else ""


def step_words(step: Filter) -> str:
    """A step with the options that differ, and whether it is for training records only."""
    return f"{step.summary()} (training records only)" if step.only_training else step.summary()


def steps_listed(recipe: Recipe) -> str:
    """Every step with its options on a line of its own, in the order in which they are done."""
    return "\n".join(f"{number}. {step_words(step)}" for number, step in enumerate(recipe, start=1))


def changed_since(run: Run, data: Dataset | None, recipe: Recipe) -> str:
    """What is otherwise now than when the run began, in a sentence or two; empty where nothing is."""
    said = []
    if data is not None and run.data is not data:
        said.append(f"Judged on the table as it was then: {change_words(run.data, data)}.")
    if run.recipe != recipe:
        now = f"the recipe has {counted(len(recipe), 'step')} now: {_named(recipe)}" if recipe else "there is none now"
        if [step.name for step in run.recipe] == [step.name for step in recipe]:
            now = "the options of these are others now"
        said.append(f"It learned {after_steps(run.recipe) or 'without any step'}; {now}.")
        said += [] if len(said) > 1 else ["The table is the same."]
    return " ".join(said)


def _named(recipe: Recipe) -> str:
    names = [step.name[:1].lower() + step.name[1:] for step in recipe[:FEW]]
    return ", ".join(names) + (f" and {len(recipe) - FEW} more" if len(recipe) > FEW else "")
