"""Texts that tests of the tab Visualize expect."""

# several tests
CHOOSE_A_LEARNER = "Train a learner in Classify"
WOULD_SAY = "Prediction: "
WOULD_SAY_OF_FOLD = "Prediction of the model of fold"

# committee rounds
IN_ROUND_2 = "in round 2"
ROUND_2_OF_4 = "Round 2 of 4: weighted error "
RECORD_1 = "Record 1 (setosa)"
RECORD_61 = "Record 61 (versicolor)"

# fold model
BEING_TRAINED = "is being trained."
MODEL_OF_FOLD = "The model of fold"


def banner_of_fold_model(model: object, record: object, verdict: str = "wrong") -> str:
    return f"M{model}, trained without record {record}, which it predicts {verdict}"


def fold_model_would_say(model: object, label: object, sureness: float) -> str:
    return f"Prediction of the m{model}: {label} ({sureness:.1f}%)"


def would_say(label: object) -> str:
    return f"Prediction: {label}"


BACKGROUND_AT_RULE = "at the decision rule"


def background_of_fold(model: str) -> str:
    return f"Background: the m{model} (Naive Bayes)"


# explain
CHANGED = "ecord 1, changed"
RECORD_31_IS = "Record 31, actual class: "
ACTUAL_CLASS = "ctual class: "
AT_THRESHOLD = "at threshold 18.657%"
THRESHOLD_LINE = "threshold 18.657%"


def unchanged(predicted: str, actual: str) -> str:
    return f"Unchanged: predicted {predicted}; actual {actual}."


def nearest_of(label: object) -> str:
    return f"It is the nearest record of class {label}, compared on 4 attributes."


def nearest_not_of(label: object) -> str:
    return f"It is the nearest record with an actual class other than {label}, compared on 4 attributes."


def similar_record(number: object, actual: object, predicted: object) -> str:
    return f"Record {number}: actual {actual}, predicted {predicted}. "


THREE_OTHER_CLASSES = "3 other classes"

# growth replay
MIDDLE_RANGE = "from 0.6 to 1.7"
P_BELOW_THOUSANDTH = "separates the classes with p < 0.001, the lowest of all splits"
UP_TO_1000_RECORDS = "up to 1,000 records"

# many axes
MISSING_30_OF_300 = "300 records · 30 with a value missing"
NO_ATTRIBUTE_TO_PLACE = "No attribute has values that can be placed"
AT_MOST_8 = "At most 8"
STRONGER_THE_MORE = "the stronger the more records"

# parallel
MISSING_30 = "30 with a value missing"
NO_RECORD_IN_RANGES = "no record lies in all of these ranges"
DRAG_ALONG_AXIS = "drag along an axis"

# pruning replay
BEST_WITH_4_AND_ALIKE = "Lowest test error with 4 leaves (5.0%), the same as with 5 to 7."
BEST_WITH_2_AND_ALIKE = "with 2 leaves (5.0%), the same as with 4."
BEST_WITH_2 = "with 2 leaves (4.0%)."
THOSE_OF_THE_RUN = "as in the test of the run"
LINE_AND_DIAMOND = (
    "The learner kept 2. Trees cut to as many leaves in every fold have a test error of 6.0% (line); trees that the "
    "learner pruned itself in every fold, to sizes of their own, have 5.3% (diamond)."
)
ITS_OWN_TRAINING_RECORDS = "its own training records"
HEAD_OF_SAVED_ERRORS = "leaves,training error"
CUT_BACK_TO_3 = "pruned to 3 leaves"
CHOSEN_BY_LOOKING = "chosen by looking"

# record map
NEARNESS_BY_LEAVES = "The more trees send two records to the same leaf, the nearer they lie."

# rule editor
UNDO_MOVE_RULE = "Move rule 2 up"
ONE_CHANGE_OF_RULES = "1 change by hand. Error rate "
UNDO_RESTORE_RULES = "Restore the rules"
RULES_ARE_NOT_SAVED = "The rules changed by hand are not saved."
FROM_TO = "from ... to"


# rule steps
def step_1_of(n: object) -> str:
    return f"Step 1 of {n}"


BITS_WITH_IT = " bits with it"

# scatter
TRAIN_ONE_IN_CLASSIFY = "train one in Classify"
WRONG_2_OF_3 = "2 of 3 tested wrong"
WRONG_NONE_OF_1 = "none of 1 tested wrong"
RINGED = "ringed in colour: selected"
NOT_TRAINED = "(by a model that was not trained on them)"
LEGEND_OF_PRUNING = (
    "training error",
    "test error (band: ± 1 standard error)",
    "◇&nbsp;test error of the tree kept",
    "tree&nbsp;shown",
)
MDS_DIMENSIONS = ("MDS dimension 1", "MDS dimension 2")
FOUR_ONE_WRONG = "4, 1 wrong"
NOT_TRAINED_ON_THEM = f"circled: wrong when tested {NOT_TRAINED}"
JITTERED = "Petal Width jittered"
JITTERED_BRIEFLY, CIRCLED_BRIEFLY = "jittered", "circled: wrong"
PALE_NOT_SELECTED = "pale: not selected"


BACKGROUND_OF_NAIVE_BAYES = (
    "Background: the model trained on all records (Naive Bayes), averaged over the 8 nearest records"
)


def key_of_two(label: str) -> str:
    return f"Background: probability of {label} from 0% to 100%"


def background_agrees_on(share: object) -> str:
    return f"agrees with the model on {share} of the records shown"


def agrees_on(share: object) -> str:
    return f"agrees with the model on {share}"


def prediction_of(label: object) -> str:
    return f"<b>Prediction: {label}</b>"


COARSE = ", coarse (32 × 32 cells)"
NEAREST_5 = "averaged over the 5 nearest records"
NEAREST_8 = "averaged over the 8 nearest records"
NEAREST_8_OF_SAMPLE = "averaged over the 8 nearest records of 20,000 sampled ones"
HARDLY_AGREE = "Regions agree with the model on 31.0% of the records: other attributes decide"
HARDLY_AGREE_IN_BRIEF = "Regions agree with the model on "
HORIZONTAL_AXIS = "Horizontal axis"
VERTICAL_AXIS = "Vertical axis"
KEY_OF_THREE = "Background: P(predicted class) from ≤ 33% (light) to 100% (strong)"
TWO_OTHER_ATTRIBUTES = "two other attributes"


def all_selected_in_view(n: object) -> str:
    return f"pale: not selected · all {n} selected in view"


def some_selected_in_view(seen: float, n: object) -> str:
    return f"{seen:,} of {n} selected in view"


# scatter tools
SOURCE_IS_LASSO = "a lasso in the scatter plot"
SOURCE_IS_REGION = "a region of setosa in the scatter plot"

# tree editor
ASKS_PETAL_WIDTH = "Petal Width ≤ 1.7?"
ONE_CHANGE = "1 change by hand"
ERROR_RATE = "Error rate "
SEEN_ALL_RECORDS = "seen all records"
TICK_THE_VALUES = "Tick the values"
YOU_PUT_THIS_QUESTION = "You made this split"
COPY_TREE = "Copy tree as text"
COMES_FIRST_IN_5_FOLDS = "of 5 folds this is the first split"
RECORDS_COME_WHERE = "Records come here where"
COST_OF_A_RECORD = "Cost of a record"
AT_THIS_NUMBER = "at threshold:"
IN_TWO_GROUPS = "in two groups:"


# tree records
SELECTED_AND_BRANCHES = "▬ share selected · Width of a branch: its records"


def selected_of(n: int, total: int) -> str:
    return f"{n} of {total} selected"


def selected_share(n: int, total: int) -> str:
    return f"{n}/{total} selected"


LIT_10 = "10 records selected"
OF_150_WRONG = "of 150 wrong"


# visualize tab


IRIS_FACTS = "150 records · 3 classes"
NO_MODEL_YET = "No model yet"
OPEN_A_TABLE = "Open a table"


# what if pane
NOT_TESTED = "Not tested: the model was trained on it"
NOT_TESTED_PERHAPS_LEFT_OUT = "Not tested"
WHEN_TESTED = "When tested: "


def when_tested(label: str, probability: str) -> str:
    return f"When tested: {label} ({probability})."


def optimistic_beside_tests(actual: str, wrong: str = "") -> tuple[str, ...]:
    """From long to short; ``wrong`` is ", wrong" where the tests were."""
    words = f"When tested: versicolor (99.1%){wrong}"
    optimistic = f"{words}; the probability of {actual} above is optimistic"
    return f"{optimistic}: the model was trained on this record.", f"{optimistic}.", f"{words}."


SEVEN_OTHER_CLASSES = "7 other classes"
AMOUNT_IN_FULL = "amount = 3,140.54"
WRONG_WHEN_TESTED = "), wrong"
PREDICTS_WRONG = "which it predicts wrong"
PREDICTS_RIGHT = "which it predicts right"
NO_OTHER_ERROR_SELECTED = "No other record of the selected ones was predicted wrong when tested."
NOT_TESTED_BY_OTHERS = "This run has not tested these records with a model that was trained without them."
RECORD_121 = "Record 121, actual class: virginica. Predicted correctly."
ATTRIBUTES_60_OF_150 = "60 of 150 attributes:"
VOTES_FOR_SETOSA = "Bars to the right vote for setosa"
IN_LOG_ODDS = "in log odds"


def votes_for_other_against_setosa(label: object) -> str:
    return f"Bars to the right vote for {label}, bars to the left for setosa"


def votes_for_against(label: object, other: object) -> str:
    return f"Bars to the right vote for {label}, bars to the left for {other}"


def density_of(number: object) -> str:
    return f"Density: from 1 to {number} in a cell of 2 × 2 pixels"


MINUS_5, PLUS_5 = "−5", "+5"
SUM_BEFORE_ROUNDING = "Together (sum before rounding)"


IS_ADDITIVE = "Exact: the log odds are a sum over the attributes"
BASE_VALUE, THREE_OTHERS, PREDICTION = "Base value", "3 other attributes", "Prediction"
BARS_ARE_POINTS = "The bars are points of the probability, the lines below are log odds"


SINCE_A_VALUE_IS_MISSING = "since a value is missing"
PATH_HEAD = "Records"
ONE_ATTRIBUTE = "One attribute, all else as it is."
ONE_ATTRIBUTE_AND_OTHERS = (
    "One attribute, all else as it is. Other single changes flip it too: Petal Width = 1.349, Sepal Width = 2.94."
)
NO_CHANGE_OF_ONE = "No change of one value"
SEVERAL_DO, NONE_OF_SEVERAL = " Several together do.", " None of two or three was found either."


def show_all(n: object) -> str:
    return f"Show all {n}"


def all_attributes_asked_about(n: object) -> str:
    return f"{n} of {n} attributes that the model uses"


# why pane
DOES_NOT_ASK = "does not split one attribute after another"
ROOT_OF_150 = "root · 150 records"
ENTROPY_BEFORE = "entropy before the split"
SOFT_FROM = "The threshold is soft from "
DOWN_BOTH_BRANCHES = "down both branches"
MOST_ERRORS = "Most errors"
WRONG_WITH_THRESHOLD = "errors with the threshold as it is"
WEIGHING_THE_QUESTIONS = "Comparing the splits"
UNSCALED_QUESTION = "With numbers as the table has them: Petal Length ≤ 2.45."
UNSCALED_AND_SCALED = "after scaling, Petal Length ≤ 2.45 as the table has it"
GAIN_AT_UNSCALED = "≤ 2.45: gain"
HEAD_OF_SCALED_GAINS = "threshold of Petal Length,after scaling,gain"
NUMBERS_AS_IN_TABLE = "numbers as in the table"
NUMBERS_STAND_AS_IN_TABLE = "Numbers stand as the table has them"
FIRST_RULE_UNSCALED = "1. If Petal Length ≤ 2.45, then"
UNSCALED_CONDITION = "Petal Length ≤ 2.45"
HEAD_OF_RULES_UNSCALED = "rule\tif (numbers as in the table)\tthen"

# vocabulary
EXPECTED_ERROR_RATE = "expected error rate"
SHOW_FEWER = "Show fewer"
SHOW_FIRST_60 = "Show the first 60"
SHORTEST_DESCRIPTION = "shortest description"

PROBABILITY = "Probability"
TWO_OF_EIGHT_CLASSES = "2 of 8 classes"
PREDICTED_AND_RUNNER_UP = "predicted and runner-up"
PREDICTED_AND_ACTUAL = "predicted and actual"
ALL_THREE_ROLES = "predicted, runner-up and actual"
TWO_UNUSED = "2 attributes this model does not use: Sepal Length, Sepal Width"


BY_LEAST_COST = " by least expected cost"
NEXT_LOWEST_COST = "(next lowest expected cost)"
B_IS_NEXT_LOWEST = " (next lowest expected cost)"
OF_ALL_RECORDS = "Model trained on all records"
BY_RULE_AND_BY_DEFAULT = "Model trained on all records, at threshold 18.657%. By default versicolor."
EXPLAINS_VERSICOLOR = "This explains versicolor, the prediction by default. The decision rule predicts virginica."
WHY_VERSICOLOR_BY_DEFAULT = "Why versicolor by default"
OF_FOLD_3 = "Model of fold 3"
OF_FOLD_3_WITHOUT = "Model of fold 3, trained without this record"
RECORD_21_IS = "Record 21, actual class"
MISSING = "missing"


def record_shown(number: int) -> str:
    return f"Record {number}, actual"


def actual_class(label: str, verdict: str) -> str:
    return f"Actual class: {label}. Predicted {verdict}."


def missing_so_average(name: str) -> str:
    return f"{name} is missing, so average"


def needs_at_least(label: str, threshold: str) -> str:
    return f" ({label} needs {threshold} for this record's costs, ties by default)"


def attributes_more(n: int, how: str) -> str:
    return f"{n} more attribute{'' if n == 1 else 's'}, {how}"


def other_reasons(n: object) -> str:
    return f">{n} more reasons<"


def more_reasons(n: object) -> str:
    return f"{n} more contributions"


HORIZONTAL_AXIS, VERTICAL_AXIS = "Horizontal axis", "Vertical axis"


def in_color(names: str) -> str:
    return f"In colour: {names}."


DOTTED = "Dotted: too few records on one side."
GAIN_MDL, GAIN_ALONE = "Gain (MDL)", "Gain"
RATIO_MDL, RATIO_ALONE = "Gain ratio (MDL)", "Gain ratio"
MANY_CONDITIONS = "Rule 1 decides and no other"


def where_together(threshold: str, label: str, edge: str) -> str:
    return f"At threshold {threshold}, {label} is predicted where they are together from {edge} on."
