"""Texts that tests of `workbench.session` and `workbench.jobs` expect."""

# jobs
BUG_OF_THE_WINDOW = "a bug of the window"
FILE_IS_EMPTY = "a.csv: The file is empty. Choose another."
DRAWING_REGIONS = "Drawing decision regions"
DRAW_REGIONS = "Draw decision regions"
THERE_IS_NO_RECORD = "There is no record."

# messages
MORE_LIT = "more, lit: the l"
KEY_OF_FOUR_CLASSES = "Background: P(predicted class) from ≤ 25% (light) to 100% (strong)"
Y_OF_THE_ALPHABET = "Y of the alphabet"
ROW_3_HAS_4_CELLS = "a.csv, line 3: Row 3 has 4 cells. Mend it."


def and_in_grey(n: int) -> str:
    return f"and {n} in grey"


def and_more(n: int) -> str:
    return f"and {n} more"


# time left
def seconds_left(n: float) -> str:
    return f"{n} s left"


def about_seconds_left(n: int) -> str:
    return f"about {n} s left"


MINUTE_LEFT = "about 1 min left"
MINUTE_AND_20_LEFT = "about 1 min 20 s left"
MINUTES_LEFT_2 = "about 2 min left"

# continued runs
RUN_2_GOES_ON = "Run 2 continues from the folds of run 1 that were done"
A_COLUMN_IS_NEW = "A column is new."

# decision rules
NOW_SAYS_NO_FROM_10 = "now predicts “no” from 10% on"


def right_so_often(percent: object) -> str:
    return f"Accuracy {percent}%"


def right_as_decided_now(percent: object) -> str:
    return f"With your decision rule: accuracy {percent}%"


SAYS_NO_FROM_10 = "predicts “no” from 10% on"


NOW_DECIDES_BY_COST = "now decides by least expected cost"


def costs_as_decided_now(cost: object, percent: float) -> str:
    return f"With your decision rule: cost {cost} a record, accuracy {percent:.1f}%"


def costs_now_and_by_itself(now: object, itself: object) -> str:
    return f"Cost of a record: <b>{now}</b> under the rule set in Evaluate, {itself} by default"


def always_saying_costs(label: object, cost: object) -> str:
    return f"Always predicting <b>{label}</b> would cost {cost}"


WITH_COSTS_A_RECORD_COSTS = "Cost of a record: <b>"
THE_SAME = ", the same."
COMPARED_BY_ACCURACY = "; runs are compared by it."
COMPARED_BY_COST = ". Runs are compared by least expected cost."


def costs_by_least_expected_cost(cost: object, threshold: object) -> str:
    return f"By least expected cost (threshold {threshold}), which compares runs, it is {cost}."


def wrong_now_and_by_itself(now: object, itself: object) -> str:
    return f"{now} wrong as decided now, {itself} by default"


WOULD_SAY_NO = "Prediction: no"
AT_10_NOT_BY_DEFAULT = ", at threshold 10%. At the default threshold yes."
WOULD_SAY_YES = "Prediction: yes"
AT_THE_DEFAULT = "At the default"


def wrong_of_240(n: object) -> str:
    return f"240 records · {n} wrong"


SAVED_240_PREDICTIONS = "Saved 240 predictions in found.csv, as decided now: it predicts “no” from 10% on."


# history
def you_are_here(step: str) -> str:
    return f"{step}  ·  you are here"


def undone(step: str) -> str:
    return f"{step}  ·  undone"


AS_IT_WAS_OPENED = "As it was opened"
LEAVE_OUT_THE = "Leave out the"
UNTIL_NEXT_CHANGE = "The next change to the table replaces what is undone."

# selected labelled
UNDO_SET_SUSPECT = "Set suspect to yes in 2 selected records"
UNDO_SET_CLASS = "Set class to no in 2 selected records"

# selected listed
ONLY_3_LISTED = "Only 3 of 30 records are listed: those selected by the test"
NO_LONGER_SELECTED = "no longer selected"

# selection
THE_SCATTER_PLOT = "the scatter plot"
HISTOGRAM_OF_X = "the histogram of x"

# session
UNDO_LEAVE_OUT_2 = "Leave out 2 attributes"
SAVED_AS_CSV = "Saved saved.csv. A CSV keeps the values, not the kinds, the class and what is left out."
SAVED_AS_ARFF = "Saved saved.arff. The file keeps the values, not the class, the steps and what is left out."
VALUES_ARE_SAVED = "The values are saved."
COSTS_NOT_SAVED = "The costs are not saved."
COSTS_GONE_NOT_SAVED = "That the costs are gone is not saved."
ONE_EDIT_NOT_SAVED = "1 edit is not saved."
NOTHING_CAN_BE_KEPT = "Nothing can be kept."

# tree edits
MAKE_IT_A_LEAF = "Make it a leaf"
EDITED_TREES_NOT_SAVED = "trees changed by hand are not saved"
UNDO_REMOVE_RUN_2 = "Remove run 2, changed by hand"
TWO_RUNS_REMOVED = "2 runs were removed, run 2 with the changes made in it."


def least_costs(figure: str) -> str:
    return f"by cost {figure}"


# runs and analyses that fail or are stopped
TRY_AGAIN = "Try again"
RUN_1_FAILED = "Run 1 failed: It is broken."
IT_IS_BROKEN = "It is broken. Choose another."
STOPPED_EARLY = "Stopped before a result was there."

# undo
USE_LETTER = "Use letter as the class"
