"""The verbs ``predict`` and ``export``: what is done with a saved model."""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace
from typing import TYPE_CHECKING

from algorithms.cli.output import check_neutral, say
from algorithms.cli.sources import source_of
from algorithms.cli.warnings import as_json
from algorithms.cli.watching import watched
from algorithms.cli.words import check_folder, refuse_to_write_over

if TYPE_CHECKING:
    from algorithms.core.context import RunContext
    from algorithms.core.data import Dataset
    from algorithms.core.registry import Registry
    from algorithms.core.trained import TrainedClassifier
    from algorithms.io.writing import Style


def predict_with_model(options: argparse.Namespace, registry: Registry) -> None:
    from algorithms.core.context import RunContext
    from algorithms.core.errors import AbsentColumnsError, DataError
    from algorithms.evaluation.presentation import predictions_to_json
    from algorithms.io.excel_writing import write_table
    from algorithms.io.options import ReadOptions
    from algorithms.io.writing import csv_texts, style_of
    from algorithms.persistence.models import load_model

    source = source_of(options.data, registry, options.sheet)
    for read in (options.data, options.model):
        refuse_to_write_over(read, "--out", options.out)
    check_folder(options.out)
    check_neutral(options, "" if options.out is None and not options.json else options.out)
    heard: list[object] = []

    def work(context: RunContext) -> tuple[Dataset, TrainedClassifier, list[str]]:
        trained = load_model(options.model, registry)
        data = source(context)
        given = trained.completed(data) if options.absent_as_missing else data
        notes = [difference.sentence for difference in trained.differences(given) if not difference.fatal]
        context.say("Predicting")
        try:
            judgement = trained.judged(given, context)
        except AbsentColumnsError as error:
            remedy = f"{error.remedy} With --absent-as-missing the model treats it as missing."
            raise DataError(error.sentence, remedy=remedy, place=error.place) from error
        predicted = trained.with_judgement(data, judgement)
        context.checkpoint()
        if options.out is not None:
            write_table(options.out, predicted, context, style())
        known, right = trained.n_right(predicted)
        told = [f"Right on {right} of {known} records whose class is known."] if known else []
        return predicted, trained, [*deciding_of(trained), *notes, *trained.model.remarks(judgement), *told]

    def style() -> Style:
        found = style_of(next((event for event in heard if isinstance(event, ReadOptions)), None))
        return replace(found, neutral=options.neutral)

    predicted, trained, notes = watched(work, seed=0, threads=None, listener=heard.append)
    if options.json:
        say({**predictions_to_json(predicted, trained.classes, notes), "warnings": as_json((), notes)})
        return
    for note in notes:
        print(note, file=sys.stderr)
    if options.out is None:
        for text in csv_texts(predicted, RunContext(), style()):
            sys.stdout.write(text)


def deciding_of(trained: TrainedClassifier) -> list[str]:
    """By what a saved model decides, where it is not by itself."""
    from algorithms.evaluation.choices import AtThreshold, Decide

    if not isinstance(trained.deciding, Decide):
        return []
    choice = trained.deciding.choice
    if isinstance(choice, AtThreshold):
        return [f"Says {choice.label!r} from a probability of {choice.threshold:.4g} on, as it was saved."]
    return ["Decides by least expected cost, as it was saved."]


def export_tree(options: argparse.Namespace, registry: Registry) -> None:
    from algorithms.core.replacement import write_text
    from algorithms.export.formats import exported
    from algorithms.persistence.models import load_model

    refuse_to_write_over(options.model, "--out", options.out)
    check_folder(options.out)
    trained = load_model(options.model, registry)
    text = exported(trained, options.format)
    for note in deciding_of(trained):
        print(f"{note} What is exported decides as the model itself.", file=sys.stderr)
    if options.out is None:
        sys.stdout.write(text)
        return
    write_text(options.out, text)
