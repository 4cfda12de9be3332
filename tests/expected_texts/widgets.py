"""Texts that tests of `workbench.widgets` and `workbench.forms` expect."""

# forms
TOWN_IS_NOMINAL = "town (nominal)"
NOT_IN_THE_DATA = "vanished (not in the data)"
SHARES_FROM_0 = "Shares must be numbers from 0, not -1."
NOT_A_COLUMN = "not a column"
USUAL_SETTINGS = "the usual settings"
CN2_A_LIST = "CN2, decision list"
YOUR_OWN_SETTINGS = "your own settings"

# toy form
NEEDS_NOMINAL_ONLY = "needs nominal attributes only"

# help
MEANING_OF_SEED = "The number that determines every random choice"
ZERO_IS_CHANCE = "0 is chance"
OPENS_ITS_BRANCHES = "opens its branches"
FIND_IN_RECORDS = "Find in the records"

# labels
IT_TOOK_SO_LONG = "It took 0.5 s, 12 min in all, 34 % of 2 GB; 3 steps more"
TYPESET = "age ≤ 40.5 and 2 < size and kind ≥ b and x = −2"

# names
NAMES_CUT = "says a…bluexxxxx (99 in 100) · it is a class…redxxxxx"

# status line
REMOVE_A_RECORD = "Done: Remove a record"
UNDONE_REMOVE_RECORD = "Undone: Remove a record"
ALL_IS_WELL = "All is well."
UNDONE_LEAVE_OUT = "Undone: Leave out the"
SAVED_150 = "Saved 150 predictions in "
END_OF_NAME = "csv."


def saved_briefly(name: str) -> str:
    return f"{SAVED_150}{name}."


def saved_with_rule(name: str) -> str:
    return f"{SAVED_150}{name}, as decided now: it predicts “ill” from 9% on."


def ten_folds(name: object) -> str:
    return f"{name}, 10-fold cross-validation"


FONT_LICENCE = "SIL OPEN FONT LICENSE Version 1.1"
NO_SUCH_RECORD = "Record 17700 does not exist. Record 1 stays."

# terms
RECALL_MACRO = "Recall, macro (TPR)"
CONFIDENCE_OF_THE_RUN = "Confidence factor = 0.25"
SEED_OF_THE_RUN = "Random seed = 1"
ENTROPY_OF_THE_ROOT = "Entropy of the root = "


def recall_worked_out(label: str, hits: str, misses: str) -> str:
    return f"Recall (TPR), class {label} = TP / (TP + FN) = {hits} / ({hits} + {misses}) = "


def of_all_classes(measure: str) -> str:
    return f"{measure}, all classes"


def of_the_class(measure: str, label: str) -> str:
    return f"{measure}, class {label}"


def gain_of_the_root(criterion: str, value: str) -> str:
    return f"{criterion} of the root's split = {value}\n"


OF_THE_ROOTS_SPLIT = "of the root's split"
CORES_AND_MEMORY = "Processor cores that Coppice uses, and memory that it takes"
DONE_LEAVE_OUT = "Done: Leave out "
LOGISTIC_OF_RUN_1 = "Logistic regr… (run 1)"
LOGISTIC_OF_RUN_11 = "Logistic reg… (run 11)"
