"""Texts that tests of the tab Classify expect."""

# classify tab
NO_TABLE_OPEN = "No table is open"
THIS_VERY_RUN = "Run 1 is this very run"
RUN_1_REMOVED = "Run 1 is not among the runs any more."
NOTHING_JUDGED_YET = "Nothing judged yet"
MARK_TO_BEAT = "would be right 50.0 times"
CHOOSE_COLUMN_OF_ORDER = "Choose the column that says in what order the records came about."
JUDGING_UNPREPARED = "Judging Unprepared toy"
COULD_NOT_BE_JUDGED = "could not be judged"
BROKEN_CHOOSE_ANOTHER = "It is broken. Choose another."
LEARNS_AFTER_2_STEPS = "Learns after 2 steps"
STEP_1_SCALES = "1. Scale numbers"
AFTER_2_STEPS_BELOW = "after 2 steps: scale numbers, fill missing values"
RIGHT_SO_FAR = "in 100 so far"
LOOPS_BEING_COMPILED = "takes some minutes; 3 of 9 parts ready"
LEARNED_WITHOUT_STEPS = (
    "It learned without any step; the recipe has 2 steps now: scale numbers, fill missing values. The "
    "table is the same."
)

# classify words
NOMINAL_ONLY = "It needs nominal attributes only. Cut the numeric ones into ranges."


def right_so_far(right: object, low: object, high: object) -> str:
    return f"{right} in 100 so far ({low} to {high})"


FOLD_2_RIGHT = "Fold 2: right 80.0 times in 100, 10 records"
FOLD_4_FAILED = "Fold 4: failed"
MINUTES_AND_SECONDS = "2 min 5 s"

# learner comparison
TAKE_KNOWING = "Take Knowing: it is right most often"
MORE_THAN_CHANCE = "more than chance explains"
LONG_NAME = "A tree with a name that is long"
QUESTIONS_IN_A_ROW_3 = "questions in a row 3"
AUC_SURELY_LOWER = "AUC surely lower"


def not_recommended_by_auc(lower: object, higher: object) -> str:
    return f"Not recommended: its AUC, {lower}, is surely lower than the {higher} of Knowing."


USE_SETTINGS_OF_RUN_2 = "Use the settings of run 2, in view"
IT_IS_BROKEN = "It is broken."
STOPPED_ONLY_JUDGED_RANKED = "Stopped: only those that were judged are ranked."
MAY_BE_AS_RIGHT = "may be right as often as the best, and does not surely rank the records worse"
SLOW_WAS_SKIPPED = "Slow: Skipped in the comparison."
TRY_ALL_4_FOLDED = "Try several: all 4 learners ▸"
TRY_2_OF_4 = "Try several: 2 of 4 learners ▾"
JUDGE_2 = "Judge 2 learners"
TICK_TWO = "Tick two learners or more that Try several is to compare."
TRY_ALL_4_OPEN = "Try several: all 4 learners ▾"
LIMIT_MUST_BE_WHOLE = "must be a whole number from 1 to 86400"
STOPPED_AT_LIMIT = "Stopped at the time limit of 1 s."


def costs_as_decided(cost: object) -> str:
    return f"costs <b>{cost}</b> as decided now"


COSTS_NOT_FOUND = "What they cost could not be found."
BEING_TRAINED_ON_ALL = "being trained on all records"
SLOW_AFTER_4_FOLDS = "Slow, 4 of 10 folds"
JUDGED_ON_4_FOLDS = "Judged on 4 of 10 folds only: it was finished early."
FINISHED_EARLY_NOT_ALL = "Finished early: not all of them were judged."
HEAD_OF_COPIED_RANKING = "Learner\tRange\tRight\tCompared"
SHOW_RANKING_OF_2 = "Show the ranking of 2 learners"
LEARNED_FROM_2_COLUMNS_NOW_1 = "2 of its columns were learned from, now 1."
TOO_FEW_LEARNERS = "too few learners"
C45_OF_3_QUESTIONS = "C4.5 decision tree, most questions in a row 3"


def judged_so_far(n: int, total: int) -> str:
    return f"{n} of {total} judged"


OTHERS_MUST_BEAT = "what the others must beat"
LEAVE_SLOW = "Leave Slow and go on with the next"

# runs table
HELD_OUT_WITH_SEED = "34% held out · seed 1"
AFTER_2_STEPS_LISTED = "after 2 steps:\n1. Scale numbers"
PLAIN_TOY_BY_10_FOLDS = "Plain toy, depth 7 · 10 folds · seed 1"
ON_TRAINING_RECORDS = "on training records"
DOUBTFUL_ON_TRAINING = "Doubtful: on training records"


def only_folds(n: int, total: int) -> str:
    return f"only {n} of {total} folds"


def remove_these(n: int) -> str:
    return f"Remove these {n}"


THREE_RUNS_REMOVED = "3 runs were removed."
MOST_QUESTIONS_IN_A = "most questions in a"
AUC_OPENED = "AUC, average by records = "
COMPARE_ALL_3 = "Compare all 3"
COMPARE_THESE_2 = "Compare these 2"
CART_IS_BETTER = "CART (run 3) is right more often"
COMPARE_3_OF_4 = "Compare 3 of 4"
C45_IS_BETTER = "C4.5 decision tree (run 2) is right more often"
PLAIN_TOY_OF_DEPTH_7 = "Plain toy, depth 7"
FIVE_FOLDS_SEED_3 = "5 folds · seed 3"

# tried values
FOUR_SETTINGS_BY_5_FOLDS = "4 settings compared by 5 folds inside the training records"
BY_3_FOLDS = "by 3 folds"
BEST_OF_2_SETTINGS = "best of 2 settings was chosen by its training records only"
TAKES_NO_PART = "takes no part"

# verdict words
ON_ALL_60 = "on all 60 records · "
KNOWS_ONLY_FREQUENCIES = "knows only how frequent each class is"
TREE_FACTS = "2 leaves · depth 1"
WEIGHED_EACH = "weighed each by itself"
TERMS_WEIGHED_TOGETHER = "terms weighed together"
CLASSES_OF_OWN_SHAPE = "classes with a shape of their own"
TWENTY_HIDDEN_NODES = "20 hidden nodes · 1 output"
INPUTS_AND_1_OUTPUT = "inputs · 1 output"
KEPT_60_ASKS_5 = "60 records kept · 5 neighbours asked"
KEPT_60 = "60 records kept"
