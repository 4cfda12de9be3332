"""Sequential covering step by step: its own search, watched."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from algorithms.core.columns import IntArray
from algorithms.core.context import RunContext
from algorithms.core.data import Dataset
from algorithms.rules.learn_one_rule import Bounds, Found, RuleSearch, SearchOptions
from algorithms.rules.measures import Ground as Judged
from algorithms.rules.ranked import Ranked
from algorithms.rules.sequential_covering import SequentialCovering
from algorithms.rules.steps import Notes, Phase, Story, Weighed, ended


def covering_story(learner: SequentialCovering, data: Dataset, context: RunContext) -> Story:
    notes: list[Notes] = []

    def searching(ranked: Ranked, options: SearchOptions, checkpoint: Callable[[], None]) -> RuleSearch:
        made = _WatchedSearch(ranked, options, checkpoint)
        made.notes = Notes(ranked)
        notes.append(made.notes)
        return made

    rules, _ = learner.induced(data, context, searching)
    told = ended(notes[0], data, rules.default_decision, learner.measure.replace("-", " "))
    is_cautious = learner.pruning == "pessimistic"
    return replace(told, cutting="By the cautious estimate") if is_cautious else told


class _WatchedSearch(RuleSearch):
    """Tells what it does; the rules are those it would find unwatched."""

    notes: Notes

    def best(self, rows: IntArray, target: int | None) -> Found | None:
        self._grown: list[tuple[Found, list[Found]]] = []
        self._cut: list[tuple[Found, Bounds]] = []
        found = super().best(rows, target)
        code = target if target is not None else int(np.argmax(self.counts(rows)))
        before = self.notes.steps[-1] if self.notes.steps else None
        if before is None or before.target != code:
            self.notes.add(Phase.BEGIN, code, (), rows)
        if found is None and not self._cut:
            self.notes.add(Phase.DROP, code, (), rows)
            return None
        grown = self._cut[0][0] if self._cut else found
        assert grown is not None
        said = target if target is not None else int(np.argmax(grown.counts))
        judged = Judged(self.counts(rows), target, self._options.m)
        for bounds, weighed in self._way(grown, judged):
            self.notes.add(Phase.GROW, said, bounds, rows, weighed=weighed)
        for _, bounds in self._cut:
            self.notes.add(Phase.PRUNE, said, bounds, rows, before=grown.bounds)
        if found is None:
            self.notes.add(Phase.DROP, code, (), rows)
            return None
        said = target if target is not None else int(np.argmax(found.counts))
        self.notes.kept.append(self.notes.rule(found.bounds, said))
        self.notes.add(Phase.KEEP, said, found.bounds, rows)
        return found

    def _cut_back(self, grown: Found, rows: IntArray, target: int) -> Bounds:
        bounds = super()._cut_back(grown, rows, target)
        self._cut.append((grown, bounds))
        return bounds

    def _next(self, beam: list[Found], ground: Judged) -> list[Found]:
        following = super()._next(beam, ground)
        if following:
            self._grown.append((beam[0], following))
        return following

    def _way(self, found: Found, ground: Judged) -> list[tuple[Bounds, tuple[Weighed, ...]]]:
        """The best of the beam at each number of conditions, up to the rule that was found, with its rivals."""
        way = []
        for _, following in self._grown:
            own = next((each for each in following if each.bounds == found.bounds), None)
            shown = own or following[0]
            rivals = [
                Weighed(
                    self.notes.ranked.condition(*each.bounds[-1]),
                    each.worth,
                    float(ground.of_target(each.counts)[0]),
                    float(each.counts.sum()),
                    each is shown,
                )
                for each in following
            ]
            way.append((shown.bounds, tuple(rivals)))
            if own is not None:
                return way
        return [*way, (found.bounds, ())]
