"""Texts that tests of `algorithms.learners` expect."""


# several tests
def equals(attribute: str, value: object) -> str:
    return f"{attribute} = {value}"


def at_most(attribute: str, limit: object) -> str:
    return f"{attribute} <= {limit}"


def above(attribute: str, limit: object) -> str:
    return f"{attribute} > {limit}"


def is_missing(attribute: str) -> str:
    return f"{attribute} is missing"


def both(first: str, second: str) -> str:
    return f"{first} and {second}"


def rule(condition: str, label: str) -> str:
    return f"if {condition} then {label}"


NEEDS_ALL_IN_MEMORY = "needs all records in memory"
TWENTY_OF_THIRTY = "Of 30 known values, the 20 that matter most:"
EDITED_BY_HAND = "Edited by hand"

# edited network
ARROW_CLOSES_CIRCLE = "An arrow from c to a would close a circle: a → b → c → a."
ARROW_IS_THERE = "There is an arrow from a to b already."
NO_SUCH_ARROW = "There is no arrow from b to a."
CHOOSE_TWO_DIFFERENT = "choose two different ones"
TABLE_TOO_LARGE = "The table of d would have 4,194,304 cells"
WOULD_CLOSE_CIRCLE = "would close a circle: a → b → c → a"
EACH_NETWORK_CHANGED = "each fold's own network was changed in the same way"
DRAW_ARROW = "Draw the arrow from a b to c; d"


def write_table_where(name: object) -> str:
    return f"Write the table of {name} where "


NO_NETWORK_TO_CHANGE = "no network that could be changed"

# junction tree
ONE_RECORD_IMPOSSIBLE = "1 record was impossible"
CANNOT_BE_TOGETHER = "cannot be together"
NEEDS_TOO_MUCH_MEMORY = "exact inference needs too much memory"

# naive bayes
LEFT_OUT_ONLY = "left out: only"
PRIOR = "Prior: "
SETOSA_BEFORE = "Prior: setosa 33.3%"
NO_SINGLE_VALUE = "No single value decides: if any one of them is missing, setosa stays at >99.9%"
PETAL_WIDTH_ADDS = "Petal Width under 0.8: +"
STILL_SURE_WITHOUT = " log odds of setosa; without it >99.9%"
SETOSA_NAMES = ("setosa", "Iris-setosa")
TWICE_AS_LIKELY_IN_B = "colour = red: likelihood ratio 2 for b against a (80.0% against 40.0%)"
HARDLY_LIKELIER = "colour = red: likelihood ratio 1.02 for b against a (51.0% against 50.0%)"
ONLY_WITH_B = "size = l comes only with b, never with a (25.0% against 0.0%)"
OVER_A_MILLION_TIMES = "likelihood ratio more than a million for"
MORE_THAN_A_MILLION_TIMES = "more than a million times"

# network files
NOT_EXPECTED_IN_BIF = "was not expected in a BIF file"

# structure learning
THREE_ARROWS_DIRECTED = "with 3 arrows. The records tell the direction of 3"
ONE_BEFORE_EFFECT = "a, one before effect"
NONE_HAS_A_DIRECTION = "None of them has a direction"

# costs
COSTS_FOR_TWO_CLASSES = "for 2 classes, and here there are 4"
COST_OF_SAYING_NO = "expected cost of predicting no "


def no_and_yes(no: float, yes: float) -> str:
    return f"no {no:.4g}, yes {yes:.4g}"


YES_FROM_A_PROBABILITY = "yes is predicted from a probability of"


# bagging
def accuracy_of(percent: float) -> str:
    return f"accuracy is {percent:.1f}%"


# gradient boosting
TREES_SPEAK_FOR = "of 10 trees speak for"
INCREASING_AND_DECREASING = "x is to be increasing and decreasing"
HAS_NO_ORDER = "v has no order"


def is_no_predictor(name: object) -> str:
    return f"{name} is no predictor"


# proximity
ENSEMBLE_OF_TREES = "ensemble of trees"
NO_RECORD_62 = "no record 62"


# coefficient tests
def no_p_under_penalty(penalty: object) -> str:
    return f"Under a {penalty} penalty p is not defined: choose no penalty, or Firth's."


TWO_CLASSES_BUT_3 = "two classes, but there are 3"
CHOOSE_NO_PENALTY = "choose no penalty, or Firth's."

# discriminant analysis
SHAPE_IS_IN_PART = "the shape of c2 is in part (up to 57%)"
TOO_MANY_FOR_COVARIANCE = "too many for a covariance"

# logistic regression
COLOUR_IS_GREEN = "Colour = green"


def colour_is_missing(usual: str) -> str:
    return f"Colour is missing, so {usual}"


NEVER_DIFFERS = "never differs: same"
FOLLOWS_FROM_OTHERS = "follows from others: sum"
COEFFICIENTS_TAKE_MINUTES = "coefficients, which may take minutes"
STACKING_TAKES_MINUTES = "Stacking 3,000 probabilities a record, which may take minutes"
SOME_DIVERGE = "some coefficients diverge"

# multiclass
ANSWERS_IN_A_ROW = "these predictions in a row, 1 for the first side"
THOSE_OF_SETOSA = "those of setosa would be 0011"
DID_NOT_LEARN_FROM = "records it did not learn from"
C_HAS_NO_CODE = "'c' has no code word"
NOT_EQUALLY_LONG = "not equally long"
NO_CLASS_D = "no class 'd'"
SAME_CODE_WORD = "same code word"
NOT_CLASS_AND_CODE = "not class = code word"
CANNOT_BE_MONOTONE = "x cannot be monotone here"

# k nearest
TOO_MANY_VALUES = "id has 5,001 values"

# rote
LIKE_NO_RECORD = "1 record was like no training record, and given the most frequent class."
NO_TRAINING_RECORD = "No training record"
NO_BASIS = "of 40 tested records the model has no basis for a prediction; it predicted the most frequent class"

# networks
LEFT_AFTER_PRUNING = "left after pruning"


def did_not_converge(n: int) -> str:
    return f"did not converge: after {n} passes"


GREW_BEYOND_BOUNDS = "grew beyond all bounds"
NO_EPOCH_SMALLER = "no epoch made its loss smaller"

# rules of trees
SPLITS_ON_COMBINATIONS = "combinations of attributes"

# edited rules
EACH_RULES_CHANGED = "each fold's own rules were changed in the same way"


def undo_default_class(label: object) -> str:
    return f"Predict {label} where no rule fires"


EDIT_WRITES_RULE = "Write a rule: if Petal Width > 1.7 and Petal Length >= 5 and <= 6.5 or missing then virginica"
EDIT_CHANGES_CONDITION = "Change to Petal Length <= 2.5 in rule 1"
EDIT_ADDS_CONDITION = "Add Sepal Width >= 1 in rule 1"
EDIT_MOVES_RULE = "Move rule 2"


def remove_rule(number: int) -> str:
    return f"Remove rule {number}"


# inherited
NOT_RULE_1_AGE = "not rule 1: age > 30 or missing"


def not_rule_of_colour(number: int) -> str:
    return f"not rule {number}: colour = green or blue or missing"


NOT_RULE_1_BOTH = "not rule 1: not (age <= 30 and colour = red)"
NEVER_DECIDES = "It never decides: rule 2 fires wherever it would."
INHERITS_NOTHING = "It stands first, so no earlier rule limits it."
ONE_RULE_CANNOT_FIRE = "1 earlier rule cannot fire for its records anyway."


# model
def at_least(attribute: str, limit: object) -> str:
    return f"{attribute} >= {limit}"


def between(attribute: str, low: float, high: float) -> str:
    return f"{attribute} from {low} to {high}"


COLOUR_OR_MISSING = "Colour = red or blue or missing"
BECAUSE_OF_LENGTH = "Because Length > 0.4"
RULE_1_DECIDES = "Rule 1 decides: a, correct for "
RULE_2_FOR_B = "rule 2 (b)"
DEFAULT_RULE_DECIDES = "The default rule decides: "


def laplace(own: float, total: float, k: int, share: float) -> str:
    equation = f"({own:g} + 1) / ({total:g} + {k}) = {100 * share:.1f}%"
    return f"The probability is the Laplace-corrected share of the training records that the rule decides: {equation}"


def share(own: float, total: float, probability: float) -> str:
    equation = f"{own:g} / {total:g} = {100 * probability:.1f}%"
    return f"The probability is the share of the training records that the rule decides: {equation}"


# part
SEVERAL_RULES_DECIDE = "A value is missing, so several rules decide a part: "


def rule_with_condition(number: object) -> str:
    return f"Rule {number}: if "


def divided_left_out(n: object) -> str:
    return f"{n} records lack a value and are left out"


# rule extraction
SAYS_SAME_AS_RIPPER = "predicts the same as RIPPER for"
NEITHER_RULES_NOR_TREE = "neither rules nor a tree"
NOT_FOUND_OUT = "not found out"

# rule history
ONE_RULE_AFTER_OTHER = "one rule after the other"

# rule logic
MUTUALLY_EXCLUSIVE = "Mutually exclusive: no record, here or elsewhere, can meet two rules."
EXHAUSTIVE_HERE = (
    "Exhaustive here: every record meets a rule. But there could be one with a missing value that meets none"
)


def no_rule_fires_without(attribute: object) -> str:
    return f"{attribute} is missing: no rule fires"


def meeting_no_rule(n: object) -> str:
    return f"{n} of 150 records meet no rule"


# sequential covering
CN2_THAT_VOTES = "Sequential covering (CN2), CN2, unordered"

# machines
STILL_MOVING = "between c0 and c1 was still moving by more than the tolerance"
FOLLOW_FROM_DISTANCE = "between c0 and c2, c1 and c2 follow from the distance alone"
KEEPS_APART = "keeps c0 and c1 apart without error"
NOT_POSITIVE_SEMIDEFINITE = "not positive semidefinite"


# chaid
def not_below_chance_of_length(chance: object) -> str:
    return f"not below the {chance} of Petal Length"


HIGHER_CHI_SQUARE_OF_MORE_GROUPS = "Its higher chi-square comes from more groups, or more ways to form them."
ABOVE_OR_MISSING = "x > 1.5 or missing"

# cut back
CUT_BACK_TO_4 = "C4.5 decision tree, pruned to 4 leaves"

# drawing
CHANCE_HAD_A_SAY = "drew its splits at random"
DRAWN_BY_CHANCE = "drawn at random"
ONE_OF_BEST_8 = "one of the best 8 is taken"
ONLY_1_ATTRIBUTE = "only 1 random attribute"

# hunt
LOOK_AT_ALL = "Compare splits: all records"
FINAL_TREE = "Final tree"

# id3
EMPTY_LEAF = "No training record comes here: it predicts the class of its parent."
NUMBER_IN_ID3 = "age is numeric, and ID3 splits only on nominal attributes."
CUT_INTO_RANGES = "Cut it into ranges"

# linear tests
SUM_QUESTION = "length - 2 width <= 1"
WEIGHTIEST_OF_SUM = "a - 0.5 b + 2 more"
SUM_IS_MISSING = "length - 2 width is missing: as if length - 2 width > 1"
SUM_OF_TWO = "length + width"
COLOUR_IS_BLUE = "colour = blue"
SUM_CONDITION = "length - 2 width > 1"

# model
COLOUR_IS_MISSING = "Colour is missing: every branch counts by its share, Colour = red most (50%)"
OR_2_MORE = "a, b, c, d or 2 more"

# nodewise
LEAST_LIKELY_BY_CHANCE = "p = 0.002, the lowest of all splits"
MORE_OFTEN_THAN_COLOUR = "higher than that of colour"
SHOWS_WHAT_MAY_BE_CHANCE = "above α"
ALL_MAY_BE_CHANCE = "No split is significant here."
QUESTION_OF_3_RANGES = "Petal Width: ≤ 0.8, against from 0.8 to 1.75, against > 1.75"
ASKING_MORE = "The subtree ("

# oblique
C45_AND_CART_OFFER = "C4.5 and CART offer it"
CANNOT_BE_COUNTED = "cannot be counted"


def asking_leaves(attribute: object) -> str:
    return f"Splitting on {attribute} reduces the Gini index"


# soft thresholds
NEAR_THRESHOLD = "near the threshold: 75% goes here"

# steadiness
FIRST_IN_2_OF_3_FOLDS = (
    "In 2 of 3 folds this is the first split, its threshold from 0.5 to 1.5. In 1 it is on Colour instead."
)
ENDS_IN_2_OF_3_FOLDS = "In 2 of 3 folds the tree ends here too. In 1 the path here differs."
ASKED_IN_1_OF_3_FOLDS = "In 1 of 3 folds this split is here. In 1 it is a leaf; in 1 the path here differs."

# surrogates
JUDGED_BY_Y = "split by y (surrogate)"
THREE_SHARES_FOR_TWO_CLASSES = "3 numbers are given as shares, and there are 2 classes."
GIVE_ONE_NUMBER_EACH = "Give one number for each, in this order: a, b."

# why
STANDS_FIRST = "stands first in the table"
ALIKE_IN_EVERY = "equal values in every attribute"
TOOK_A_QUESTIONS_PLACE = "Pruning replaced a split"
MOVED_IT_UP = "raised it to this node"
TESTED_INSIDE_TRAINING = "tested inside the training records"


def age_tells_more(gain: object) -> str:
    return f"Age has a larger gain ({gain}), but a larger split information"


def with_gain_ratio(ratio: object) -> str:
    return f"(gain ratio {ratio})"


NOTHING_LEFT_TO_ASK = "the node is pure"
HELD_OUT_LEAF_GETS = "held out that come here, one leaf gets"
BITS_OF_LEAF = "bits, one leaf and its errors"
LEAF_IS_EXPECTED_TO_GET = "one leaf is expected to get"
LESS_THAN_ASKED = "below the critical value 0.3"
WRONG_WITHOUT_IT = "would be wrong without it and"
ONE_IS_ALLOWED = "above the significance level 0.01"
PRICE_OF_LEAF = "Penalized errors of one leaf"
SOURCE_OF_PRICE = "TSKK section 3.5.2"
DESCRIPTION_OF_LEAF = "Description length of one leaf"
ERRORS_OF_LEAF = "Expected errors of one leaf"
SOURCE_OF_M_ESTIMATE = "Cestnik and Bratko 1991"
NO_MORE_THAN_1_QUESTION = "maximum depth of 1"
NO_MORE_THAN_3_LEAVES = "maximum of 3 leaves"

# zero r
MOST_FREQUENT_IN_TRAINING = "b is the most frequent class in training (66.7%)"

# ensembles
WEIGHTED_VOTES = "of the votes, weighted by the accuracy of each member)"
ALL_TEN_PREDICT_SETOSA = ("10 of 10 members predict setosa (100.0% of the votes)", "Their average probabilities decide")

# tests elsewhere
RULED_OUT_BY_EVERY_CLASS = "1 record was ruled out by every class: the shares of the classes decided."
NO_CLASS_ALLOWS = "No class allows for all these values"
TOGETHER_ROUNDED = "Together: +24.68 (sum before rounding), for"
TOGETHER_EXACT = "Together: +20.75, for"

# naive Bayes from parts
NUMBERS_NEED_ALL_RECORDS = "for numeric attributes needs all records in memory"
