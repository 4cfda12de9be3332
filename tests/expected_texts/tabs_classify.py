"""Texts that tests of the tab Classify expect."""

# classify tab
ACCURACY_50 = "Accuracy 50% "
NO_TABLE_OPEN = "No table is open"
THIS_VERY_RUN = "Run 1 has the same options"
RUN_1_REMOVED = "Run 1 is not among the runs any more."
NOTHING_JUDGED_YET = "No run yet"
PRESS_COMPARE = "press <b>Compare learners</b>"
TICK_LEARNERS = "Tick learners on the left"
P_OF_THIS_RUN_ALONE = "This p is for this run alone"


def adjusted_for(n: int, verdict: str, p: str) -> str:
    return f"{P_OF_THIS_RUN_ALONE}; adjusted for {n} learners: {verdict} ({p})."


COVERS_ABOUT_89 = "The true coverage of this 95% CI is about 89%, as folds share training records."
BASELINE_OF_A = "Baseline (always a) 67.5%"
ACCURACY_HIGHER = "accuracy significantly higher"
ACCURACY_NOT_DIFFERENT = "accuracy not significantly different"
INSIDE_BUT_FOLD_BY_FOLD = "The baseline lies inside the 95% CI, but the test compares both fold by fold."
OUTSIDE_BUT_DEPENDENT = (
    "The baseline lies outside the 95% CI, but the test takes the dependence of the folds into account."
)
TEN_FOLD_CV = "10-fold CV · seed 3"
TEN_FOLD_CROSS_VALIDATION = "10-fold cross-validation"
STOPPED_AFTER_4_FOLDS = "Stopped after 4 of 10 folds"
MARK_TO_BEAT = "Baseline (always "
CHOOSE_COLUMN_OF_ORDER = "Choose the column that says in what order the records came about."
JUDGING_UNPREPARED = "Testing Unprepared toy"
FAILED = " failed"
BROKEN_CHOOSE_ANOTHER = "It is broken. Choose another."
LEARNS_AFTER_2_STEPS = "After 2 recipe steps"
STEP_1_SCALES = "1. Normalize / standardize"
AFTER_2_STEPS_BELOW = "after 2 steps: normalize / standardize, impute missing values"
RIGHT_SO_FAR = "% so far"
LOOPS_BEING_COMPILED = "takes some minutes; 3 of 9 parts ready"
LEARNED_WITHOUT_STEPS = (
    "It learned without any step; the recipe has 2 steps now: normalize / standardize, impute missing values. "
    "The "
    "table is the same."
)

# classify words
NOMINAL_ONLY = "It needs nominal attributes only. Cut the numeric ones into ranges."


def right_so_far(right: object, interval: object) -> str:
    return f"Accuracy {right} so far (95% CI {interval})"


FOLD_2_RIGHT = "Fold 2: accuracy 80.0%, 10 records"
FOLD_4_FAILED = "Fold 4: failed"
MINUTES_AND_SECONDS = "2 min 5 s"

# learner comparison
SEARCH_HIDES_1 = "the search hides 1 ticked learner"
TAKE_KNOWING = "Take Knowing: highest accuracy"
SIGNIFICANTLY_WORSE = "significantly worse"
LONG_NAME = "A tree with a name that is long"
QUESTIONS_IN_A_ROW_3 = "questions in a row 3"
ABOUT = ", about "


def chosen(n: int, n_all: int) -> str:
    return f"{n} of {n_all} chosen"


def some_of_them_took(n: int) -> str:
    return f"; {n} of them took "


AUC_OF_TWO_CLASSES = "AUC 0.500"
AUC_SURELY_LOWER = "not significantly worse\nAUC significantly lower"
NOT_SIGNIFICANTLY_WORSE = "not significantly worse"


def not_recommended_by_auc(lower: object, higher: object, verdict: str) -> str:
    return f"Not recommended: its AUC, {lower}, is lower than the {higher} of Knowing: {verdict}."


IT_IS_BROKEN = "It is broken."
STOPPED_ONLY_JUDGED_RANKED = "Stopped: only the tested learners are ranked."
MAY_BE_AS_RIGHT = "accuracy and AUC are not significantly lower than the best"
SLOW_WAS_SKIPPED = "Slow: Skipped in the comparison."
TRAIN_4_LEARNERS = "Train 4 learners"
TRAIN_2_LEARNERS = "Train 2 learners"
SELECT_TWO = "Select two learners or more to compare."
LIMIT_MUST_BE_WHOLE = "must be a whole number from 1 to 86400"
STOPPED_AT_LIMIT = "Stopped at the time limit of 1 s."


def costs_as_decided(cost: object) -> str:
    return f"Cost of a record: <b>{cost}</b> under the rule set in Evaluate"


COSTS_NOT_FOUND = "What they cost could not be found."
BEING_TRAINED_ON_ALL = "being trained on all records"
SLOW_AFTER_4_FOLDS = "Slow, 4 of 10 folds"
JUDGED_ON_4_FOLDS = "Tested on 4 of 10 folds only: it was finished early."
FINISHED_EARLY_NOT_ALL = "Finished early: not all learners were tested."
HEAD_OF_COPIED_RANKING = "Learner\tAccuracy\t95% CI (records)\tAUC\tTime\tCompared"
SHOW_COMPARISON_OF_2 = "Show the comparison of 2 learners"
LEARNED_FROM_2_COLUMNS_NOW_1 = "2 of its columns were learned from, now 1."
TOO_FEW_LEARNERS = "Too few learners"


def judged_so_far(n: int, total: int) -> str:
    return f"{n} of {total} tested"


LEAVE_SLOW = "Skip Slow"


def yes_missed(missed: object, n: object) -> str:
    return f"{missed} of {n} records of class “yes” were missed."


def yes_missed_tests(missed: int, n: int, n_records: int) -> str:
    return f"{missed} of {n} tests of class “yes” ({n_records} records) were missed."


def select_missed(n_records: int) -> str:
    return f"Select the {n_records} missed records"


SELECT_SOME_MISSED = "Select the missed records"


OF_720_TESTS = " of 720 tests were predicted correctly"
TESTS_OF_YES_MISSED = " tests of class “yes” were missed."


# runs table
HELD_OUT_WITH_SEED = "holdout 34% · seed 1"
AFTER_2_STEPS_LISTED = "after 2 steps:\n1. Normalize / standardize"
PLAIN_TOY_BY_10_FOLDS = "Plain toy, depth 7 · 10-fold cross-validation · seed 1"
ON_TRAINING_RECORDS = "training data (optimistic)"
DOUBTFUL_ON_TRAINING = "Doubtful: training data (optimistic)"


def only_folds(n: int, total: int) -> str:
    return f"only {tested_folds(n, total)}"


SO_FAR = "So far: "
SO_FAR_ENDS = " so far"


def differs(number: int, *parts: str) -> str:
    return f"Differs from run {number}: {', '.join(parts)}"


FOLDS = "folds"
SEED = "seed"
LEARNER = "learner"
TEST_METHOD = "test method"
TUNING = "tuning"
DIFFERS_IN_MANY = [
    "Differs from run 3: learner, folds, seed",
    "Differs from run 3: learner, folds and 1 more",
    "Differs from run 3: learner and 2 more",
    "Differs from run 3",
]
BASELINE = "baseline "


def settings_used(number: int) -> str:
    return f"The form has the settings of run {number} now."


def settings_used_in_part(number: int) -> str:
    return f"The form has the settings of run {number} now, as far as they fit."


def provisional(n: int, total: int) -> str:
    return f"Provisional: {n} of {total} compared learners are tested."


def tested_folds(n: int, total: int) -> str:
    return f"{n} of {total} folds"


def remove_these(n: int) -> str:
    return f"Remove these {n}"


THREE_RUNS_REMOVED = "3 runs were removed."
MOST_QUESTIONS_IN_A = "most questions in a"
AUC_OPENED = "AUC, average by records = "
COMPARE_ALL_3 = "Compare all 3"
COMPARE_THESE_2 = "Compare these 2"
CART_IS_BETTER = "CART (run 3) has a significantly higher accuracy"
COMPARE_3_OF_4 = "Compare 3 of 4"
C45_IS_BETTER = "C4.5 decision tree (run 2) has a significantly higher accuracy"
PLAIN_TOY_OF_DEPTH_7 = "Plain toy, depth 7"
FIVE_FOLDS_SEED_3 = "5-fold cross-validation · seed 3"

# tried values
FOUR_SETTINGS_BY_5_FOLDS = "4 settings compared by 5 folds inside the training records"
BY_3_FOLDS = "by 3 folds"
BEST_OF_2_SETTINGS = "best of 2 settings was chosen by its training records only"
TAKES_NO_PART = "takes no part"

# verdict words
ALL_60 = " · all 60 records"
KNOWS_ONLY_FREQUENCIES = "knows only how frequent each class is"
TREE_FACTS = "2 leaves · depth 1"
WEIGHED_EACH = "each weighed alone"
TERMS_WEIGHED_TOGETHER = "terms weighed together"
CLASSES_OF_OWN_SHAPE = "classes with a shape of their own"
TWENTY_HIDDEN_NODES = "20 hidden nodes · 1 output"
INPUTS_AND_1_OUTPUT = "inputs · 1 output"
KEPT_60_ASKS_5 = "60 records kept · k = 5"
KEPT_60 = "60 records kept"

# vocabulary
TWO_MINUTES_TEN = "2 min 10 s"


def always_baseline(label: str) -> str:
    return f"Baseline (always {label})"


def open_run(number: int) -> str:
    return f"Open run {number}"


def tip_of_run(number: int, learner: str) -> str:
    return f"Run {number}, {learner}: "


MEASURES_OF_C = "Precision, c", "Recall, c", "F1, c", "AUC, c"


def decides_by_cost(number: int) -> str:
    return f"Run {number} decides by least expected cost now, as it was ranked."


def two_costs(now: object, rule: object, least: object, threshold: object) -> str:
    return f"Cost per record {now} {rule}, {least} by least expected cost (threshold {threshold}, ties by default)"


def only_rival(n: int, name: str) -> str:
    return f"1 of {n} others is not significantly less accurate: {name}."


def equally_easy(name: str) -> str:
    return f" Equally easy to read: {name}."


ONE_CLASS_NOT_SHOWN = "1 other class is not shown."
LOG_ODDS_WITHOUT_ONE = "Log odds of “virginica” against “setosa”. 1 other class is not shown."
