"""The measures that some fields ask for beside the usual ones, each with its sentence and its working. No widgets."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from algorithms.core.scores import FormulaWorking
from algorithms.evaluation.measures import measure_workings, report_workings
from algorithms.evaluation.measures.measure_workings import BinaryCounts, weighted_average
from algorithms.evaluation.measures.metrics import MetricOptions, Report
from algorithms.text.numbers import amount, in_100, index

Show = Callable[[float | None], str]
USUAL_BETAS: Final = (0.5, 1.0, 2.0)
"""F with these has a line of its own among the usual ones."""
Told = tuple[str, str, Show, FormulaWorking | None, tuple[FormulaWorking, ...]]
"""Its name, its sentence, how it is written, its working for all classes together and for the class of interest."""


def further(report: Report, code: int, options: MetricOptions) -> list[Told]:
    """The lines after the usual ones, in their order."""
    label = report.per_class[code].label
    return [*_of_decisions(report, code, label, options), *_of_order(report, code), *_of_probabilities(report, code)]


def _of_decisions(report: Report, code: int, label: str, options: MetricOptions) -> list[Told]:
    every = BinaryCounts.of_all(report.confusion, report.classes)

    def both(name: str, tip: str, show: Show, of: Callable[[BinaryCounts], FormulaWorking]) -> Told:
        values = zip(report.per_class, (of(counts).value for counts in every), strict=True)
        whole = weighted_average(name, name.lower(), [(c.label, c.n, value) for c, value in values])
        return name, tip, show, whole, (of(every[code]),)

    found = []
    if options.beta not in USUAL_BETAS:
        found.append(
            both(
                f"F of beta {options.beta:g}",
                "As F, but found counts so many times as much as sure; beta is chosen under Options.",
                index,
                options.f_measure,
            )
        )
    found += [
        both(
            "Weighted accuracy",
            "The share of right decisions, where each kind of decision counts as often as chosen under Options.",
            in_100,
            options.weighted_accuracy,
        ),
        both(
            "Missed (FNR)",
            f"Of the records that are {label}, how many in 100 were not said to be.",
            in_100,
            BinaryCounts.miss_rate,
        ),
        both(
            "Rightly cleared (NPV)",
            f"Of those not said to be {label}, how many in 100 really are not (negative predictive value).",
            in_100,
            BinaryCounts.negative_predictive_value,
        ),
        both("Jaccard", "Found, as a share of all that are of the class or said to be.", index, BinaryCounts.jaccard),
        both(
            "Informedness (Youden)",
            "Found plus cleared beyond chance: 0 is guessing, 1 is perfect.",
            index,
            BinaryCounts.informedness,
        ),
    ]
    one = every[code]
    found += [
        (
            "MCC, class against the rest",
            "Correlation of being of the class with being said so.",
            index,
            None,
            (one.matthews(),),
        ),
        (
            "Kappa, class against the rest",
            "Agreement beyond chance on whether it is the class.",
            index,
            None,
            (one.kappa(),),
        ),
        (
            "Likelihood ratio, said",
            "How many times as often a record of the class is said to be of it as another one (LR+).",
            amount,
            None,
            (one.likelihood_ratio(),),
        ),
        (
            "Likelihood ratio, not said",
            "How many times as often a record of the class is not said to be of it as another (LR−); 0 is perfect.",
            amount,
            None,
            (one.negative_likelihood_ratio(),),
        ),
    ]
    if report.in_two is not None:
        working = measure_workings.in_two_guesses(report.in_two, report.confusion)
        tip = "How many in 100 records are of one of the two classes thought most probable (top-2 accuracy)."
        found.append(("Right in two guesses", tip, in_100, working, ()))
    return found


def _of_order(report: Report, code: int) -> list[Told]:
    return [
        (
            "AUC, class against class",
            "The average over every two classes of how well they are told apart (Hand and Till).",
            index,
            report_workings.auc_one_vs_one(report),
            (),
        ),
        (
            "PR area, every class alike",
            "The average of the classes' areas under precision over recall (macro average).",
            index,
            report_workings.macro_pr_area(report),
            (),
        ),
        (
            "PR area, interpolated",
            "The area under precision over recall as it bends between the thresholds (Davis and Goadrich).",
            index,
            report_workings.interpolated_pr_area(report),
            (report_workings.class_interpolated_pr_area(report, code),),
        ),
    ]


def _of_probabilities(report: Report, code: int) -> list[Told]:
    told = report.probability
    return [
        (
            "Mean absolute error",
            "How far a probability is from 1 for the true class and 0 for the others, on average (MAE, as in Weka).",
            index,
            told.absolute_error(),
            (told.class_absolute_error(code),),
        ),
        (
            "Root mean squared error",
            "How far a probability is from 1 for the true class and 0 for the others, where large distances count more "
            "(RMSE, as in Weka).",
            index,
            told.root_squared_error(),
            (),
        ),
        (
            "Relative absolute error",
            "In 100 of what always giving the shares of the classes would err (RAE); below 100 is better than that.",
            in_100,
            told.relative_absolute_error(),
            (),
        ),
        (
            "Root relative squared error",
            "In 100 of the RMSE of always giving the shares of the classes (RRSE); below 100 is better than that.",
            in_100,
            told.root_relative_squared_error(),
            (),
        ),
        (
            "Log loss explained (D²)",
            "How much of the log loss of always giving the classes' shares is done away with; 1 is perfect.",
            index,
            told.explained_log_loss(),
            (),
        ),
        (
            "Brier skill (D²)",
            "How much of the squared distance of always giving the classes' shares is done away with; 1 is perfect.",
            index,
            told.explained_brier(),
            (),
        ),
        (
            "Bits saved",
            "By how much shorter a class can be written down with these probabilities (Weka: complexity improvement).",
            index,
            told.bits_saved(),
            (),
        ),
    ]
