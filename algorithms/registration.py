"""Registration of all learners, filters and methods; imports no kernels, pandas or Qt, so that listing is instant."""

from __future__ import annotations

from algorithms.core.registry import Registry
from algorithms.evaluation.methods.by_column import GroupCrossValidation, GroupHoldout, MarkedParts, TimeHoldout
from algorithms.evaluation.methods.methods import (
    Bootstrap632,
    Bootstrap632Plus,
    CompleteCrossValidation,
    CrossValidation,
    Holdout,
    LeaveOneOut,
    RepeatedHoldout,
    TestFile,
    TrainingSet,
)
from algorithms.evaluation.tuning.parameter_search import NestedChoice, Tuned
from algorithms.evaluation.tuning.wrapper import WrapperSelection
from algorithms.filters.arrange_attributes import (
    ChangeKind,
    KeepAttributes,
    MoveAttributes,
    RemoveAttributes,
    RenameAttribute,
)
from algorithms.filters.balance_classes import BalanceClasses, CondensedNeighbors, EditedNeighbors, TomekLinks
from algorithms.filters.components import PrincipalComponents
from algorithms.filters.computed_columns import DateDifference, DateParts, FormulaColumn
from algorithms.filters.discretize import Discretize
from algorithms.filters.nominal_values import Encode, MergeValues
from algorithms.filters.replace_missing import ReplaceMissing
from algorithms.filters.scale import CapOutliers, Scale, UnitLength
from algorithms.filters.second_table import AggregateTable, JoinTable
from algorithms.filters.select_attributes import SelectAttributes
from algorithms.filters.text_counts import TextToWords
from algorithms.filters.training_records import ClassWeights, FilterRecords, SampleRecords
from algorithms.learners.bayes.bayesian_network import BayesianNetwork, BayesianNetworkModel
from algorithms.learners.bayes.edited_network import EditedNetwork
from algorithms.learners.bayes.naive_bayes import NaiveBayes, NaiveBayesModel
from algorithms.learners.costs.calibrated import Calibrated, CalibratedModel
from algorithms.learners.costs.cost_sensitive import ChosenThreshold, CostSensitive, MetaCost
from algorithms.learners.costs.wrapped_models import CheapestModel, ThresholdModel
from algorithms.learners.ensembles.adaboost import AdaBoost
from algorithms.learners.ensembles.bagging import Bagging
from algorithms.learners.ensembles.gradient_boosting import GradientBoosting, GradientModel
from algorithms.learners.ensembles.model import CommitteeModel
from algorithms.learners.ensembles.random_forest import RandomForest
from algorithms.learners.ensembles.voting_and_stacking import StackedModel, Stacking, Voting
from algorithms.learners.linear.discriminant_analysis import LinearDiscriminant, QuadraticDiscriminant
from algorithms.learners.linear.logistic_regression import LogisticRegression
from algorithms.learners.linear.model import LinearModel, QuadraticModel
from algorithms.learners.multiclass.reductions import CodedModel, ErrorCorrectingCodes, OneVsOne, OneVsRest
from algorithms.learners.neighbors.k_nearest import KNearestNeighbors, NeighborModel, RoteLearner, RoteModel
from algorithms.learners.neural.model import NeuralModel
from algorithms.learners.neural.neural_network import NeuralNetwork
from algorithms.learners.neural.perceptron import Perceptron
from algorithms.learners.rules.association_rules import ClassAssociationRules
from algorithms.learners.rules.c45_rules import C45Rules
from algorithms.learners.rules.edited_rules import EditedRules
from algorithms.learners.rules.model import RuleModel
from algorithms.learners.rules.one_r import OneR
from algorithms.learners.rules.part import Part
from algorithms.learners.rules.ripper import Ripper
from algorithms.learners.rules.rule_extraction import ExtractedRules, MimicModel, TreeRules
from algorithms.learners.rules.sequential_covering import SequentialCovering
from algorithms.learners.svm.model import SupportVectorModel
from algorithms.learners.svm.support_vector_machine import LinearSupportVectorMachine, SupportVectorMachine
from algorithms.learners.trees.c45 import C45
from algorithms.learners.trees.cart import Cart
from algorithms.learners.trees.chaid import Chaid
from algorithms.learners.trees.edited_tree import EditedTree
from algorithms.learners.trees.id3 import ID3
from algorithms.learners.trees.model import TreeModel
from algorithms.learners.trees.oblique import ObliqueTree
from algorithms.learners.trees.pruning.pruning_sequence import CutBackTree
from algorithms.learners.trees.stump import DecisionStump
from algorithms.learners.trees.zero_r import PriorModel, ZeroR


def register(registry: Registry) -> None:
    _add_learners(registry)
    _add_filters(registry)
    _add_methods(registry)


def _add_learners(registry: Registry) -> None:
    """One line per learner with its model classes, in the order of lists."""
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
    registry.add_learner(RoteLearner, RoteModel)
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
    registry.add_learner(NestedChoice)


def _add_filters(registry: Registry) -> None:
    """One line per filter, in the order of lists."""
    registry.add_filter(RemoveAttributes)
    registry.add_filter(KeepAttributes)
    registry.add_filter(SelectAttributes)
    registry.add_filter(WrapperSelection)
    registry.add_filter(RenameAttribute)
    registry.add_filter(MoveAttributes)
    registry.add_filter(ChangeKind)
    registry.add_filter(FormulaColumn)
    registry.add_filter(DateParts)
    registry.add_filter(DateDifference)
    registry.add_filter(JoinTable)
    registry.add_filter(AggregateTable)
    registry.add_filter(TextToWords)
    registry.add_filter(ReplaceMissing)
    registry.add_filter(Discretize)
    registry.add_filter(Scale)
    registry.add_filter(CapOutliers)
    registry.add_filter(UnitLength)
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
    registry.add_method(CrossValidation)
    registry.add_method(Holdout)
    registry.add_method(RepeatedHoldout)
    registry.add_method(LeaveOneOut)
    registry.add_method(TimeHoldout)
    registry.add_method(GroupHoldout)
    registry.add_method(GroupCrossValidation)
    registry.add_method(MarkedParts)
    registry.add_method(CompleteCrossValidation)
    registry.add_method(Bootstrap632Plus)
    registry.add_method(Bootstrap632)
    registry.add_method(TestFile)
    registry.add_method(TrainingSet)
