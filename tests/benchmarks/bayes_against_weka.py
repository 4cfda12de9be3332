"""Naive Bayes, or a Bayesian network, beside Weka's naive Bayes on the published data sets.

``python -m tests.benchmarks.bayes_against_weka [seeds] [numbers, or network]``
Prints for each set the accuracy of stratified ten-fold cross-validation (mean over the seeds, 3 of them unless given)
beside that of ``shared/reference/weka-cv.csv``. In the mean it may be 0.5 points below. Weka's figures are of one seed.
"""

from __future__ import annotations

import sys
from statistics import mean

from algorithms.core.learner import Learner
from algorithms.learners.bayes.bayesian_network import BayesianNetwork
from algorithms.learners.bayes.naive_bayes import NaiveBayes
from tests.benchmarks.published_sets import accuracy, published

BELOW_IN_THE_MEAN = 0.5


def main(seeds: int, learner: Learner) -> int:
    """Print the table; 1 where it does not keep to the bound."""
    print("data set         ours    Weka   diff")
    differences = dict[str, float]()
    for row, data in published():
        theirs = float(row["NaiveBayes_accuracy"])
        ours = mean(accuracy(learner, data, seed) for seed in range(1, seeds + 1))
        differences[row["dataset"]] = ours - theirs
        print(f"{row['dataset']:14s} {ours:6.2f}  {theirs:6.2f} {ours - theirs:+6.2f}", flush=True)
    difference, worst = mean(differences.values()), min(differences, key=lambda name: differences[name])
    print(f"mean difference {difference:+.2f} points; the worst set is {worst}, {differences[worst]:+.2f} points")
    return 0 if difference >= -BELOW_IN_THE_MEAN else 1


if __name__ == "__main__":
    given = sys.argv[1:]
    wanted: Learner = NaiveBayes(numbers=given[1]) if given[1:] and given[1] != "network" else NaiveBayes()
    sys.exit(main(int(given[0]) if given else 3, BayesianNetwork() if given[1:] == ["network"] else wanted))
