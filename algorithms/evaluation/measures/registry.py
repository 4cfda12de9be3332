"""Registry of all measures, over which tables, curves, tests and reports loop."""

from __future__ import annotations

from typing import Final

from algorithms.core.registry import RegistryShelf
from algorithms.evaluation.costs import cost_workings
from algorithms.evaluation.measures import class_rates, ranking_measures
from algorithms.evaluation.measures.measure import Measure

MEASURES: Final[RegistryShelf[Measure]] = RegistryShelf("measure")
"""By id, in the order of table rows and of choices."""
for _measure in (
    class_rates.ACCURACY,
    class_rates.BASELINE,
    class_rates.RECALL,
    class_rates.PRECISION,
    class_rates.F,
    ranking_measures.AUC,
    class_rates.SPECIFICITY,
    class_rates.FALSE_ALARMS,
    class_rates.F2,
    class_rates.F05,
    class_rates.BALANCED_ACCURACY,
    class_rates.G_MEAN,
    class_rates.KAPPA,
    class_rates.ERROR_RATE,
    class_rates.MCC,
    ranking_measures.LOG_LOSS,
    ranking_measures.BRIER,
    cost_workings.COST,
    cost_workings.TOTAL_COST,
    ranking_measures.MACRO_AUC,
    ranking_measures.PR_AREA,
    ranking_measures.INFORMATION,
    ranking_measures.RELATIVE_INFORMATION,
    class_rates.F_BETA,
    class_rates.WEIGHTED_ACCURACY,
    class_rates.MISS_RATE,
    class_rates.NEGATIVE_PREDICTIVE_VALUE,
    class_rates.JACCARD,
    class_rates.INFORMEDNESS,
    class_rates.CLASS_MCC,
    class_rates.CLASS_KAPPA,
    class_rates.LIKELIHOOD_RATIO,
    class_rates.NEGATIVE_LIKELIHOOD_RATIO,
    class_rates.TOP_2_ACCURACY,
    ranking_measures.ONE_VS_ONE_AUC,
    ranking_measures.MACRO_PR_AREA,
    ranking_measures.INTERPOLATED_PR_AREA,
    ranking_measures.ABSOLUTE_ERROR,
    ranking_measures.ROOT_SQUARED_ERROR,
    ranking_measures.RELATIVE_ABSOLUTE_ERROR,
    ranking_measures.ROOT_RELATIVE_SQUARED_ERROR,
    ranking_measures.EXPLAINED_LOG_LOSS,
    ranking_measures.EXPLAINED_BRIER,
    ranking_measures.BITS_SAVED,
):
    MEASURES.add(_measure.id, _measure)


def in_table_order() -> list[Measure]:
    return sorted(MEASURES, key=lambda measure: measure.section.value)


def of_class_table() -> list[Measure]:
    """Measures with a column in the table of classes."""
    return [measure for measure in in_table_order() if measure.column is not None]


def of_text_report() -> list[Measure]:
    """Measures of the table of classes in the order of the text report, by basis."""
    return sorted(of_class_table(), key=lambda measure: measure.basis.value)


def with_curve() -> list[Measure]:
    """Measures that can be plotted against the threshold."""
    return [measure for measure in MEASURES if measure.curve is not None]


def of_permutation_test() -> list[Measure]:
    """Measures that the permutation test offers, for all of which higher is better."""
    return [measure for measure in MEASURES if measure.permutation is not None and measure.higher_is_better]
