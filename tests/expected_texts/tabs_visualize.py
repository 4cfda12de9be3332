"""Texts that tests of the tab Visualize expect."""

# several tests
CHOOSE_A_LEARNER = "Choose a learner in Classify"
WOULD_SAY = "It would say"

# committee rounds
IN_ROUND_2 = "in round 2"
ROUND_2_OF_4 = "Round 2 of 4: wrong "
RECORD_61 = "Record 61 (versicolor)"

# fold model
BEING_TRAINED = "is being trained."
MODEL_OF_FOLD = "The model of fold"


def banner_of_fold_model(model: object, record: object) -> str:
    return f"M{model}, trained without record {record}, which it predicts wrong"


def fold_model_would_say(model: object, label: object, sureness: float) -> str:
    return f"The m{model} would say {label} ({sureness:.0f} in 100)"


def fold_model_says(model: object, label: object) -> str:
    return f"the m{model} says {label}"


def would_say(label: object) -> str:
    return f"It would say {label}"


TINTED_AS_DECIDED = "tinted: as decided now"

# growth replay
MIDDLE_RANGE = "from 0.6 to 1.7"
CHANCE_BELOW_THOUSANDTH = "chance would do so with a probability of below 0.001"
UP_TO_1000_RECORDS = "up to 1,000 records"

# many axes
MISSING_30_OF_300 = "300 records · 30 with a value missing"
NO_ATTRIBUTE_TO_PLACE = "No attribute has values that can be placed"
AT_MOST_8 = "At most 8"
STRONGER_THE_MORE = "the stronger the more records"
MORE_LIT = "more, lit: the l"
Y_OF_THE_ALPHABET = "Y of the alphabet"

# parallel
MISSING_30 = "30 with a value missing"
NO_RECORD_IN_RANGES = "no record lies in all of these ranges"
DRAG_ALONG_AXIS = "drag along an axis"

# path in words
WHOLE_PATH = "says yes · age ≤ 3? Yes, 2. size ≤ 1? No, 4. hue? red."
PATH_WITHOUT_MIDDLE = "says yes · age ≤ 3? Yes, 2. … hue? red."
PATH_OF_LAST_TWO = "says yes · … size ≤ 1? No, 4. hue? red."
PATH_OF_LAST = "says yes · … hue? red."
PATH_OF_NONE = "says yes ·"

# pruning replay
BEST_WITH_4_AND_ALIKE = "Least wrong on unseen records with 4 leaves (5.0 in 100), the same as with 5 to 7."
BEST_WITH_2_AND_ALIKE = "with 2 leaves (5.0 in 100), the same as with 4."
BEST_WITH_2 = "with 2 leaves (4.0 in 100)."
THOSE_OF_THE_RUN = "those of the run"
ITS_OWN_TRAINING_RECORDS = "its own training records"
HEAD_OF_SAVED_ERRORS = "leaves,wrong on training records"
CUT_BACK_TO_3 = "cut back to 3 leaves"
CHOSEN_BY_LOOKING = "chosen by looking"

# record map
NEARNESS_BY_LEAVES = "The more of the trees send two records to the same leaf, the nearer they lie."

# rule editor
UNDO_MOVE_RULE = "Move rule 2 up"
ONE_CHANGE_OF_RULES = "1 change by hand. Wrong "
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
CIRCLED_AND_RINGED = "circled: wrong · ringed blue: selected"
PALE_NOT_SELECTED = "pale: not selected"


def tint_agrees_on(share: object) -> str:
    return f"tint agrees with the model on {share} of the records shown"


def agrees_on(share: object) -> str:
    return f"agrees with the model on {share}"


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
SEEN_ALL_RECORDS = "seen all records"
TICK_THE_VALUES = "Tick the values"
YOU_PUT_THIS_QUESTION = "You put this question here"
COPY_TREE = "Copy tree as text"
COMES_FIRST_IN_5_FOLDS = "of 5 folds this question comes first"
RECORDS_COME_WHERE = "Records come here where"
COST_OF_A_RECORD = "Cost of a record"
AT_THIS_NUMBER = "at this number:"
IN_TWO_GROUPS = "in two groups:"


# tree records
def selected_of(n: int, total: int) -> str:
    return f"{n} of {total} selected"


LIT_10 = "10 selected records lit"
OF_150_WRONG = "of 150 wrong"


# visualize tab


IRIS_FACTS = "150 records · 3 classes"
MODEL_SAYS_VIRGINICA = "the model of all records says virginica ("
LEARNED_FROM_ALL_WITH_THIS_ONE = "learned from all records, this one among them"
NO_MODEL_YET = "No model yet"
OPEN_A_TABLE = "Open a table"


def when_tested(label: object, sureness: float) -> str:
    return f"When tested: {label} ({sureness:.0f} in 100)"


# what if pane
WHEN_TESTED_VERSICOLOR = " (when tested, not yet learned from: versicolor, 99 in 100)"
RECORD_121 = ". Record 121 is virginica."
ATTRIBUTES_60_OF_150 = "60 of 150 attributes:"
SPEAKS_FOR_SETOSA = "To the right what speaks for setosa"
IN_LOG_ODDS = "in log odds"


def speaks_for_other_against_setosa(label: object) -> str:
    return f"To the right what speaks for {label}, to the left for setosa"


SHOW_BOTH_AGAIN = "Show both again"
SHOW_ONLY_WHAT_IF = "Show only what would change"
SINCE_A_VALUE_IS_MISSING = "since a value is missing"
SMALLEST_CHANGE = "The smallest change that flips it"
NO_CHANGE_OF_ONE = "No change of one value"


def all_attributes_asked_about(n: object) -> str:
    return f"{n} of {n} attributes that the model asks about"


# why pane
DOES_NOT_ASK = "does not ask one after another"
ROOT_OF_150 = "root · 150 records"
ENTROPY_BEFORE = "entropy before the question"
SOFT_FROM = "The threshold is soft from "
DOWN_BOTH_BRANCHES = "down both branches"
WRONG_AT_MOST = "Wrong at most"
WRONG_WITH_THRESHOLD = "records that are wrong with the threshold as it is"
WEIGHING_THE_QUESTIONS = "Weighing the questions"
UNSCALED_QUESTION = "With numbers as the table has them: Petal Length ≤ 2.45."
UNSCALED_AND_SCALED = "after scaling, Petal Length ≤ 2.45 as the table has it"
GAIN_AT_UNSCALED = "≤ 2.45: gain"
HEAD_OF_SCALED_GAINS = "threshold of Petal Length,after scaling,gain"
NUMBERS_AS_IN_TABLE = "numbers as in the table"
NUMBERS_STAND_AS_IN_TABLE = "Numbers stand as the table has them"
FIRST_RULE_UNSCALED = "1. If Petal Length ≤ 2.45, then"
UNSCALED_CONDITION = "Petal Length ≤ 2.45"
HEAD_OF_RULES_UNSCALED = "rule\tif (numbers as in the table)\tthen"
