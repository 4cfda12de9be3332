"""Texts that tests of the tab Evaluate expect."""

from algorithms.text.numbers import p_words, percent

# several tests
ACCURACY = "Accuracy "
RECALL = "Recall (TPR)"
CONVEX_HULL = "ROC convex hull"


def run_named(learner: str, number: int) -> str:
    return f"{learner}, run {number}"


def run_offered(learner: str, accuracy: float, n: int) -> str:
    return f"{learner} · {percent(accuracy, n)}"


# bias variance page
BAYES_BOUNDARY = "optimal (Bayes) boundary"


def wrong_so_often(records: object, percent: float) -> str:
    return f"A model of {records} records has an error rate of {percent:.1f}%"


# comparison
COMPARE_NEEDS_TWO_RUNS = "Two tested runs are needed"
CANNOT_TELL_TWO_APART = "No significant difference with 60 records"
HIGHER_ACCURACY = "has a significantly higher accuracy"
HEAD_OF_COPIED_TESTS = "Test\tValue\tp"
DISCORDANT_COUNTS = "Only the first predicts b records correctly, only the second c."
SOURCE_OF_CORRECTED_T = "Nadeau and Bengio"
FRIEDMAN = "Any difference at all? (Friedman)"
BESIDE_THE_BASELINE = " against the baseline: corrected resampled t"
CRITICAL_DIFFERENCE = "Critical difference (Nemenyi)"


def finished_early_by_3(learner: object, run: object) -> str:
    return f"{learner} (run {run}) was finished early, tested on 3 of"


JUDGED_ON_AN_OLDER_TABLE = (
    "Run 1 was tested on the table before it was changed (2 of its columns were learned from, now 1); a "
    "difference may come from that."
)
CANNOT_BE_TOLD_APART = "do not differ significantly"
APART_BY_MORE_THAN_LUCK = "(Nemenyi)"
NOT_ON_SAME_TESTS = "not tested on the same records"
LESS_THAN_THE_BASELINE = "costs significantly less than the baseline (always "
FOREST_BY_COST = "least expected cost"
CANNOT_BE_COMPARED = "These cannot be compared"

SHADED_BAND = "Shaded: within ±1 point, practically equivalent."

# confusion selection
SAID_TO_BE_YES = "predicted “yes”"
SOURCE_IS_CELL_NO_YES = "the confusion matrix of run 1 (actual no, predicted yes, default rule)"
SOURCE_IS_ROW_PERHAPS = "the confusion matrix of run 1 (actual perhaps, default rule)"
RECORDS_ARE_PERHAPS = "30 records of class “perhaps”, "


def share_selected(n: object) -> str:
    return f"{n} of them are selected"


NONE_SELECTED = "None of them are selected"
ALL_SELECTED = "All of them are selected"
NOT_RECORDS_OF_THIS_TABLE = "They are not records of this table, so none is selected here."


def select_misclassified(n: int) -> str:
    return f"Select the {n} misclassified record{'' if n == 1 else 's'}"


SELECT_SOME_MISCLASSIFIED = "Select misclassified records"
SOURCE_IS_ALL_WRONG = "the confusion matrix of run 1 (all errors, default rule)"
BY_DEFAULT_RULE = ", default rule)"


def as_it_always_says(label: object) -> str:
    return f"(all errors, as it always predicts “{label}”)"


# cost board
def chosen_elsewhere_lowers_cost(before: object, nested: object) -> str:
    """With the cost where the other folds choose the threshold."""
    return f"A threshold chosen on the other folds lowers the total cost from {before} to {nested}"


def costs_on_these_records(rule: object, cost: object) -> str:
    return f" On these records {rule} costs {cost} (optimistic). "


CHOSEN_ELSEWHERE_SAVES = "Chosen on the other folds, a threshold saves "


BRIEF_VERDICT, WHOLE_VERDICT = "Threshold 18% leaves the cost at ", "A threshold of 18% leaves the total cost at "
BEFORE_ROUNDING = "≈: difference before rounding. "


def significantly_worse(name: object) -> str:
    return f"Significantly worse than the baseline: {name}."


def none_cheaper(threshold: object) -> str:
    return f"No threshold is clearly cheaper than {threshold}"


def rule_in_use(run: int, label: str, threshold: object) -> str:
    return f"Run {run} now predicts “{label}” from {threshold} on, until you reset it to default."


COMPARED_WITH = "Default compared with"


def default_rule_in_use(run: int) -> str:
    return f"Run {run} uses the default rule."


ONE_FALSE_NEGATIVE_FEWER_OF_NO = (
    "1 fewer false negative among 7 records of class “no”; false positives among 9 others stay the same."
)
BOTH_STAY = "False negatives among 7 records of class “no” and false positives among 9 others stay the same."
NOT_SIGNIFICANTLY = ", not significantly"
TYPED_COST = "Enter, or a click elsewhere, uses the typed cost. The results still use the previous costs."
USE_THIS_RULE = "Use this rule"
B_ON_ITS_OWN_SCALE = "b (own scale)"
RULE_STEPS = (
    "Use threshold 10% in run 1",
    "Use least expected cost in run 1",
    "Reset run 1 to the default rule",
    "Use threshold 90% in run 1",
)
USE_60_IN_RUN_1 = "Use threshold 60% in run 1"
OTHER_FOLDS = "the other folds"


CHOSEN_ON_THE_SAME = "Chosen on the same 240 records, so its figures above are optimistic."


def use_anyway(threshold: str) -> str:
    return f"Use threshold {threshold} anyway"


def using_threshold(threshold: object) -> str:
    return f"Using threshold {threshold}"


ACTUAL_NO_PREDICTED_YES = "Actual no, predicted yes: "


def formula_facts(formula: object, value: object, record: object) -> str:
    return f"{formula} = {value} for record {record}; a record of class “no”: 121 on average, from 2 to 240"


def missing_replaced(n: int, mean: object) -> str:
    return f", {n} missing values replaced by {mean}"


MISSING_COSTS_ITS_AMOUNT = (
    "Missing a record of class “no” costs its loan amount, 121 on average; a false positive costs 50."
)
MISSING_FOR_12_RECORDS = "loan amount is missing for 12 records: its average, 30, is assumed."
DID_YOU_MEAN_LOAN_AMOUNT = "Did you mean loan amount? The results still use the previous costs."


def cheapest_single_threshold(threshold: str, cost: str) -> str:
    return f"The cheapest single threshold on these records, {threshold}, would cost {cost}."


COST_MARKS_ALIKE = "by least expected cost and default: 8", "cheapest threshold: 7 at 60%"
COST_MARKS_APART = "by least expected cost: 6", "default: 8"
OWN_THRESHOLDS = "Costs differ by record, so each record has its own threshold: least expected cost uses it."
MISSING_AS_MUCH_AS_ALARM = "Missing a record of class “no” costs as much as a false positive."
MISSING_TEN_TIMES = "Missing a record of class “bad” costs 10 times a false positive."
ALARM_TWICE = "A false positive costs 2 times a missed record of class “bad”."
MISSING_THREE_ALARM_NOTHING = "Missing a record of class “bad” costs 3; a false positive costs 0."
MISSING_AS_ALARM_WITH_REWARD = (
    "Missing a record of class “bad” costs as much as a false positive. Each correct “bad” earns 5."
)
MISSING_COSTS_A_FORMULA = "Missing a record of class “bad” costs 2 * loan, 80 on average; a false positive costs 50."
EVERY_ERROR_COSTS_ONE = "Every error costs 1."
COSTLIEST_ERROR = "The costliest error is “c” predicted “a”: 7."
COSTLIEST_OF_CLASS = "The costliest errors are those on records of class “c”: 7."
COSTLIEST_ERRORS = "The costliest errors are “a” predicted “b”, “c” predicted “a”, “c” predicted “b”: 7."
ALWAYS_COSTS = "The baseline (always "
RESET_TO_DEFAULT = "Reset to default"
USING_EXPECTED_COST = "Using least expected cost"


def never_predicting(label: object) -> str:
    return f"Never predicting “{label}” lowers the total cost"


def always_in_ranking(label: object) -> str:
    return f"3 · Always {label}"


def always_with_learner(label: object) -> str:
    return f"3 · Always {label}: ZeroR (majority class)"


def two_cost_least(cost: object) -> str:
    return f"By least expected cost runs 1 and 2 of 3 cost least, both {cost} a record."


ALL_FOUR_COST_THE_SAME = "By least expected cost all 4 runs cost the same: 0"


def second_ended_early(learner: object) -> str:
    return f"2 · {learner}, 3 of 5 folds"


CHANGE_COSTS = "Change costs"
CHEAPEST_RUN_DECIDED_BY_COST = "By least expected cost run "


def using_never(label: object) -> str:
    return f"Using “never {label}”"


SIGNIFICANT = "significant"
NOT_SIGNIFICANT = "not significant"


def alone(verdict: str, p: float) -> str:
    return f" than least expected cost: {verdict} in this comparison alone (unadjusted {p_words(p)})."


def beside_nested(cost: object, more: float) -> str:
    return f" costs {cost} {'more' if more > 0 else 'less'} than a threshold chosen on the other folds: "


def always_costs_more(label: object, cost: object) -> str:
    return f"The baseline (always {label}) costs {cost} more"


def cheapest_by_models_themselves(run: object, learner: object) -> str:
    return f"By default, run {run}, {learner}, costs least"


# decision rules
DECIDED_AT_THRESHOLD_10 = "decided at threshold 10%, not by default"


def records_judged(n: float) -> str:
    return f"{n} test records"


def from_folds_on(n: int) -> str:
    return f"over {n} folds or more if wider"


def positive(name: str) -> str:
    return f"positive: {name}"


def matrix_of(n: int) -> str:
    return f"{records_judged(n)} · row percentages"


DECIDED_BY_COST_AT_THRESHOLD = "decided by least expected cost (threshold 9.1%)"
DECIDED_BY_EXPECTED_COST = "decided by least expected cost"
DECIDED_BY_COST_OF_EACH = "decided by least expected cost (threshold 34.1% to 96.9% by record, ties by default)"
BY_EXPECTED_COST = "least expected cost"
LEAST_EXPECTED_COST = "least expected cost"
CHEAPEST_SINGLE = "cheapest single threshold"
BOOTSTRAP_NOT_CORRECTED = "without the correction"


def below_a_run(measure: str, value: str, number: int) -> str:
    return f"{measure} {value} · run {number}"


NOT_DRAWN = "run 1 · off"
HOW_MANY_RECORDS = "how many records"
DECIDING_AS_NOW = "current decisions"


def f_of_beta(beta: int) -> str:
    return f"F-beta, beta {beta}"


# evaluate numbers
ITS_INTERVAL = "95% CI of accuracy"


MOST_OFTEN_NO_TAKEN_FOR_YES_COUNTED = "Most frequent: “no” predicted “yes” (20 of 38 errors)."
NOT_ONE_MISTAKE = "No errors."
CELL_MISTAKEN = "18 of 241 records of class “malignant” were predicted “benign” (7.5%)."
CELL_OF_ONE_MISTAKEN = "1 of 439 records of class “benign” was predicted “malignant”"
CELL_RIGHT = "223 of 241 records of class “malignant” were predicted “malignant”"
CELL_EMPTY = "0 of 0 records of class “malignant” were predicted “benign”."
ROWS_AND_COLUMNS = (
    "241 records of class “malignant”, 223 predicted correctly (recall 92.5%).",
    "439 records of class “benign”, 438 predicted correctly (recall 99.8%).",
    "224 records predicted “malignant”, 223 correctly (precision 99.6%).",
    "456 records predicted “benign”, 438 correctly (precision 96.1%).",
)
EMPTY_ROW = "0 records of class “benign”, 0 predicted correctly."
EMPTY_COLUMN = "0 records predicted “benign”, 0 correctly."
COPIED_MATRIX = (
    "\tpredicted a\tpredicted b\ttotal\nactual a\t1\t2.5\t3.5\nactual b\t0\t1000\t1000\ntotal\t1\t1002.5\t1003.5"
)
WEIGHTED_BY_RECORDS = "weighted by records"
MOST_OF_AVERAGE = "The most frequent class, no, dominates it: 90.0%."
TWO_MISTAKES_EQUALLY_OFTEN = "Most frequent: “a” predicted “b” and “b” predicted “a” (3 each, of 7 errors)."
THREE_MISTAKES_EQUALLY_OFTEN = (
    "Most frequent: “a” predicted “b”, “b” predicted “a” and “c” predicted “b” (3 each, of 9 errors)."
)


def four_kinds_of_mistake(n: int, total: int) -> str:
    return f"4 confusions are the most frequent: {n} each, of {total} errors."


# evaluate tab
CHOOSE_A_NUMBER = "Choose a number"
ACCURACY_IN_HTML = "Accuracy</a></b> = right / tested = 31 / 61 = <b>51%</b>"
DECIDED_RIGHTLY = "records predicted correctly"
AUC_WORKED_OUT = "AUC, average by records = (n₁·v₁ + n₂·v₂) / tested = (31·0.5 + 30·0.5) / 61 = 0.500"
AUC_IN_PAIRS = "(won + tied / 2) / (won + tied + lost) = (0 + 930 / 2) / (0 + 930 + 0) = 0.500"
ACCURACY_AT_OTHER_THRESHOLD = "Accuracy = right / tested = 30 / 61"
TOTAL_COST_WORKED_OUT = "Total cost = n₁·c₁ = 30·10 = 300"
PART_OF_TOTAL_COST = "n₁ = 30: “no” predicted “yes”"
AVERAGE_BY_RECORDS = "by records (average)"
AVERAGE_BY_CLASSES = "by classes (average)"
MOST_OFTEN_NO_TAKEN_FOR_YES = "“no” predicted “yes”"
CELL_ALL_MISTAKEN = "30 of 30 records of class “no” were predicted “yes” (100%)."
CELL_ALL_RIGHT = "31 of 31 records of class “yes” were predicted “yes”"
COLUMN_YES = "61 records predicted “yes”, 31 correctly (precision 51%)."
COPIED_MATRIX_OF_RUN = (
    "\tpredicted yes\tpredicted no\ttotal\nactual yes\t31\t0\t31\nactual no\t30\t0\t30\ntotal\t61\t0\t61"
)
COST_PER_RECORD = "Cost per record"
OTHER_ERRORS = "Other errors"
TWO_OF_TWO_SELECTED = "2 (2 selected)"
WORKING_IT_OUT = "Computing…"

# permutation tests
DOES_IT_AS_WELL_ON_SHUFFLED = "Would it score as high on shuffled classes?"
NOT_BY_LUCK = "significant by permutation (accuracy), p = 0.050"
NONE_OF_19 = "none of 19"
HEAD_OF_COPIED_SHUFFLES = "table\taccuracy (%)\nthe run itself\t"
AUC_MAY_BE_LUCK = "AUC not significant (p = 1.000)"
AS_WELL_BY_AUC = "as well by AUC"
AS_WELL_BY_KAPPA = "as well by kappa"
KAPPA_IS_0 = "kappa is 0.000"
KAPPA_MAY_BE_LUCK = "kappa not significant (p = 1.000)"

# search pages
CHOSEN_ON_ALL_60 = "Chosen on all 60 records: min. records per leaf"
TRAINING_RECORDS_ONLY = "training records only"
BRANCH_20_LOST = "min. records per leaf 20: "
BRANCH_1_CHOSEN = "Min. records per leaf 1"
BRANCH_20_READ = "min. records per leaf 20, "
CHOSEN_FLATTERS = "chosen: optimistic"
WOULD_MORE_RECORDS_HELP = "Would more records help?"
LEARNING_CURVE_AT_40 = "Training records 40: training"
WRONG_ON_TRAINING = "Error rate (%), training records"
WRONG_ON_TESTED = "Error rate (%), tested records"
HEAD_OF_SAVED_CURVE = "Min. records per leaf,training error"
RECORDS_TO_CHOOSE_BY = "validation records"


# toy measure
def tip_of_toy_measure(label: object) -> str:
    return f"The geometric mean of precision and recall of “{label}”."


TOY_MEASURE_WORKED_OUT = "Fowlkes-Mallows = √(p · r) = √("
TOY_MEASURE_IN_CLASSES = "The geometric mean of its precision and its recall"
AS_WELL_BY_TOY_MEASURE = "did as well by Fowlkes-Mallows index"
ON_SHUFFLED_TOY_MEASURE = "On permuted classes the Fowlkes-Mallows index is"

# vocabulary
BASELINE_YES = "Baseline (always yes)"
P_VALUES = ["p", "Adjusted p"]
AUC_WEIGHTED = "AUC, weighted"


def explain_selected(n: int) -> str:
    return f"Explain the {n} selected"


NOT_ROUNDED = "The true difference, rounded. The difference of the rounded figures has another last digit."


def cheapest_threshold(cost: str, threshold: str) -> str:
    return f"cheapest threshold: {cost} at {threshold}"


POOLED_AUC_IN_RUNS = "The AUC in Runs is that of all tested records together, here it is the mean of the folds."
COLOUR_IS_THE_SHARE = "colour: share of the row"
BOTH_DISCORDANT = "b = 804, c = 3,786"
FIVE_WON = "5 won, 0 lost"


SAVES_NOTHING_ELSEWHERE = "Chosen on the other folds, a threshold saves nothing"
MILLION_ELSEWHERE = f"{SAVES_NOTHING_ELSEWHERE}: it costs 1,000,000, the default "
NINE_CELLS = "3 data sets × 3 learners = 9 cells"
KEYS_OF_BARS = (
    "blue bars join learners that do not differ significantly",
    "blue bars: no significant difference",
)
REPEAT_FAILED = "Repeat failed cells"
WHERE_THE_CLASS_IS = "Use a file that has it, or declare a new experiment with another class."
NO_COLUMN_KIND = "There is no column 'kind'."
NO_EXPERIMENT = "This is not an experiment of this program"
ONLY_THE_EXPERIMENT = "since only the experiment names them"
RUN_BY_ANOTHER_PROCESS = "is being run by another process"
CELLS_120 = "= 120 cells"
CELLS_ARE_KEPT = "The cells that are done are kept"
RECIPE_NO_STEPS = "recipe No steps"
NO_STEPS = "No steps"
FALL_OF_KAPPA = "fall of kappa"

ALONG_FIRST = "Along first, the mean probability"
LEAVE_ONE_OUT_TESTS = "Leave-one-out tests one record"
DEPTH_AT_MOST_2 = "depth at most 2"
FIRST_ANSWER = "First answer: one of 3 folds"

# where two runs differ
CHOOSE_TWO_RUNS = "Choose two runs to see where they differ."

# errors
OUT_OF_DATE = "Out of date: found by the default rule"
ANOTHER_KIND = "another kind of learner"


def by_cost_phrase(cost: int) -> str:
    return f"by least expected cost (costs 0 {cost}; 1 0)"


def logistic_regression_suggests(run: int) -> str:
    return f"Logistic regression (run {run}) suggests the same class for"
