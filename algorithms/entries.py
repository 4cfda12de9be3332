"""Every learner, filter and method that comes with the program.

Nothing here imports compiled loops, pandas or Qt, so that listing is instant.
"""

from __future__ import annotations

from algorithms.bayes.bayesian_network import BayesianNetwork
from algorithms.bayes.edited import EditedNetwork
from algorithms.bayes.model import NaiveBayesModel
from algorithms.bayes.naive_bayes import NaiveBayes
from algorithms.bayes.network_model import BayesianNetworkModel
from algorithms.core.registry import Registry
from algorithms.costs.calibrated import Calibrated, CalibratedModel
from algorithms.costs.chosen_threshold import ChosenThreshold
from algorithms.costs.cost_sensitive import CostSensitive
from algorithms.costs.decided import CheapestModel, ThresholdModel
from algorithms.costs.metacost import MetaCost
from algorithms.ensembles.adaboost import AdaBoost
from algorithms.ensembles.bagging import Bagging
from algorithms.ensembles.gradient_boosting import GradientBoosting
from algorithms.ensembles.gradient_model import GradientModel
from algorithms.ensembles.model import CommitteeModel
from algorithms.ensembles.random_forest import RandomForest
from algorithms.ensembles.stacked import StackedModel
from algorithms.ensembles.stacking import Stacking
from algorithms.ensembles.voting import Voting
from algorithms.evaluation import methods
from algorithms.evaluation.tuned import Tuned
from algorithms.evaluation.wrapper import WrapperSelection
from algorithms.linear.linear_discriminant import LinearDiscriminant
from algorithms.linear.logistic_regression import LogisticRegression
from algorithms.linear.model import LinearModel
from algorithms.linear.quadratic_discriminant import QuadraticDiscriminant
from algorithms.linear.quadratic_model import QuadraticModel
from algorithms.multiclass.error_correcting import ErrorCorrectingCodes
from algorithms.multiclass.model import CodedModel
from algorithms.multiclass.one_vs_one import OneVsOne
from algorithms.multiclass.one_vs_rest import OneVsRest
from algorithms.neighbors.k_nearest import KNearestNeighbors
from algorithms.neighbors.model import NeighborModel
from algorithms.neighbors.rote import Rote, RoteModel
from algorithms.neural.model import NeuralModel
from algorithms.neural.neural_network import NeuralNetwork
from algorithms.neural.perceptron import Perceptron
from algorithms.preprocess.arrange import ChangeKind, KeepAttributes, MoveAttributes, RenameAttribute
from algorithms.preprocess.balance import BalanceClasses
from algorithms.preprocess.class_weights import ClassWeights
from algorithms.preprocess.components import PrincipalComponents
from algorithms.preprocess.derive import Derive
from algorithms.preprocess.discretize import Discretize
from algorithms.preprocess.encode import Encode
from algorithms.preprocess.filter_records import FilterRecords
from algorithms.preprocess.merge_values import MergeValues
from algorithms.preprocess.nearest_records import CondensedNeighbors, EditedNeighbors
from algorithms.preprocess.remove_attributes import RemoveAttributes
from algorithms.preprocess.replace_missing import ReplaceMissing
from algorithms.preprocess.sample_records import SampleRecords
from algorithms.preprocess.scale import Scale
from algorithms.preprocess.select_attributes import SelectAttributes
from algorithms.preprocess.tomek_links import TomekLinks
from algorithms.rules.association_rules import ClassAssociationRules
from algorithms.rules.c45_rules import C45Rules
from algorithms.rules.edited import EditedRules
from algorithms.rules.extracted import ExtractedRules
from algorithms.rules.mimic import MimicModel
from algorithms.rules.model import RuleModel
from algorithms.rules.one_r import OneR
from algorithms.rules.part import Part
from algorithms.rules.ripper import Ripper
from algorithms.rules.sequential_covering import SequentialCovering
from algorithms.rules.tree_rules import TreeRules
from algorithms.svm.linear_svm import LinearSupportVectorMachine
from algorithms.svm.model import SupportVectorModel
from algorithms.svm.svm import SupportVectorMachine
from algorithms.trees.c45 import C45
from algorithms.trees.cart import Cart
from algorithms.trees.chaid import Chaid
from algorithms.trees.cut_back import CutBackTree
from algorithms.trees.edited import EditedTree
from algorithms.trees.id3 import ID3
from algorithms.trees.model import TreeModel
from algorithms.trees.oblique import ObliqueTree
from algorithms.trees.stump import DecisionStump
from algorithms.trees.zero_r import PriorModel, ZeroR


def register(registry: Registry) -> None:
    """Register all of them."""
    _add_learners(registry)
    _add_filters(registry)
    _add_methods(registry)


def _add_learners(registry: Registry) -> None:
    """One line a learner, the model classes it yields after it; in the order of lists."""
    registry.add_learner(C45, TreeModel)
    registry.add_learner(Cart, TreeModel)
    registry.add_learner(Chaid, TreeModel)
    registry.add_learner(ObliqueTree, TreeModel)
    registry.add_learner(ID3, TreeModel)
    registry.add_learner(DecisionStump, TreeModel)
    registry.add_learner(EditedTree, TreeModel)
    registry.add_learner(CutBackTree, TreeModel)
    registry.add_learner(Ripper, RuleModel)
    registry.add_learner(C45Rules, RuleModel)
    registry.add_learner(Part, RuleModel)
    registry.add_learner(TreeRules, RuleModel)
    registry.add_learner(ExtractedRules, MimicModel)
    registry.add_learner(SequentialCovering, RuleModel)
    registry.add_learner(ClassAssociationRules, RuleModel)
    registry.add_learner(EditedRules, RuleModel)
    registry.add_learner(OneR, RuleModel)
    registry.add_learner(NaiveBayes, NaiveBayesModel)
    registry.add_learner(BayesianNetwork, BayesianNetworkModel)
    registry.add_learner(EditedNetwork, BayesianNetworkModel)
    registry.add_learner(LogisticRegression, LinearModel)
    registry.add_learner(LinearDiscriminant, LinearModel)
    registry.add_learner(QuadraticDiscriminant, QuadraticModel)
    registry.add_learner(NeuralNetwork, NeuralModel)
    registry.add_learner(Perceptron, NeuralModel)
    registry.add_learner(SupportVectorMachine, SupportVectorModel)
    registry.add_learner(LinearSupportVectorMachine, SupportVectorModel)
    registry.add_learner(KNearestNeighbors, NeighborModel)
    registry.add_learner(Rote, RoteModel)
    registry.add_learner(RandomForest, CommitteeModel)
    registry.add_learner(Bagging, CommitteeModel)
    registry.add_learner(AdaBoost, CommitteeModel)
    registry.add_learner(GradientBoosting, GradientModel)
    registry.add_learner(Voting, CommitteeModel)
    registry.add_learner(Stacking, StackedModel)
    registry.add_learner(OneVsRest, CodedModel)
    registry.add_learner(OneVsOne, CodedModel)
    registry.add_learner(ErrorCorrectingCodes, CodedModel)
    registry.add_learner(CostSensitive, CheapestModel)
    registry.add_learner(MetaCost)
    registry.add_learner(ChosenThreshold, ThresholdModel)
    registry.add_learner(Calibrated, CalibratedModel)
    registry.add_learner(ZeroR, PriorModel)
    registry.add_learner(Tuned)


def _add_filters(registry: Registry) -> None:
    """One line a filter, in the order of lists."""
    registry.add_filter(RemoveAttributes)
    registry.add_filter(KeepAttributes)
    registry.add_filter(SelectAttributes)
    registry.add_filter(WrapperSelection)
    registry.add_filter(RenameAttribute)
    registry.add_filter(MoveAttributes)
    registry.add_filter(ChangeKind)
    registry.add_filter(Derive)
    registry.add_filter(ReplaceMissing)
    registry.add_filter(Discretize)
    registry.add_filter(Scale)
    registry.add_filter(PrincipalComponents)
    registry.add_filter(Encode)
    registry.add_filter(MergeValues)
    registry.add_filter(FilterRecords)
    registry.add_filter(SampleRecords)
    registry.add_filter(BalanceClasses)
    registry.add_filter(ClassWeights)
    registry.add_filter(TomekLinks)
    registry.add_filter(EditedNeighbors)
    registry.add_filter(CondensedNeighbors)


def _add_methods(registry: Registry) -> None:
    for method in methods.ALL:
        registry.add_method(method)
