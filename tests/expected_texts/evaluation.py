"""Texts that tests of `algorithms.evaluation` expect."""

# several tests
READ_IN_PIECES = "read in pieces"


def judged_right(percent: object) -> str:
    return f"Accuracy {percent}%"


CORRECTED_RESAMPLED_T = "Corrected resampled t"
NONE_OF_19_BY_ACCURACY = "Permutation test: p = 0.050 (none of 19 permutations did as well by accuracy)"
OWN_TRAINING_RECORDS = "training data"

# answers
RUN_2_SAID_AGAIN = "run 2 predicted 2"


def run_said(number: int) -> str:
    return f"run {number} predicted"


def wrong_is(often: object, truth: object) -> str:
    return f"no{often}, actual {truth}"


# bootstrap
BOOTSTRAP_FLATTERS_MEMORY = ".632 estimate is optimistic for a learner that memorizes"
BOOTSTRAP_FLATTERS = ".632 estimate is optimistic"
MEMORISES_THEM = "memorises them (here by"

# chance copies
KEEP_ONE_OF_EACH = "remove duplicates"
DUPLICATE_A_TRAINING_RECORD = "% of the tested records duplicate a training record"


# comparing
def cannot_tell_apart(n: int) -> str:
    return f"No significant difference with {n} records"


PRACTICALLY_THE_SAME = "The two are practically equivalent"
TWO_TIED_OTHERS_WORSE = "Nearest mean and Twin are tied for the highest accuracy; all others are significantly worse"
FOUR_TIED_OTHERS_WORSE = "4 runs are tied for the highest accuracy; all others are significantly worse"
TWO_TIED_ONE_OTHER_NOT_WORSE = (
    "Nearest mean and Twin are tied for the highest accuracy; one other is not significantly worse"
)
NEAREST_MEAN_IS_BETTER = "Nearest mean has a significantly higher accuracy"
LEAD_OF_NEAREST_MEAN = "is 11.2 points (95% CI 3.3 to 19.1) more accurate than ZeroR (majority class)"
WAYS_OF_LEARNING = "compares the two learners"
WILCOXON = "Wilcoxon signed rank"
MCNEMAR_CORRECTED = "McNemar, with correction"
ONE_TEST_COUNTS_OTHERS_AGREE = "The deciding test is “Corrected resampled t”; 4 of 4 other tests give the same verdict."
OTHERS_AGREE = "other tests give the same verdict."
THESE_TWO_MODELS = "these two models"
DIFFERENCE_OF_ERRORS = "Difference of two error rates"
CANNOT_TELL = "No significant difference"
TAKEN_AS_INDEPENDENT = "treated as independent"
DIFFER_BY_NO_POINTS = "A and B differ by 0.0 points (simultaneous 95% CI −2.5 to 2.5) in accuracy: "
DIFFER_BY_NO_AUC = "A and B differ by 0.000 (simultaneous 95% CI −0.025 to 0.025) in AUC: "
A_LEADS_BY_A_POINT = "A is 1.0 points (simultaneous 95% CI "
TOO_MANY_DIFFERENCES = "significant too often"
NOT_ALONE = "not significantly worse"
CORRECTED_FOR_6_OF_3_SHOWN = "corrected for all 6 pairs (Tukey-Holm), not only for these 3."
NOT_SIGNIFICANTLY_MORE = "3.0% is not significantly more."
NATURAL_DUPLICATES = "Such duplicates are natural"
STRONG_LEADS_NOT_ALONE = "strong has the highest AUC; one other is not significantly worse"
WEAK_IS_WORSE = "Significantly worse: weak."
NEAR_IS_NOT_WORSE = "Not significantly worse: near."
STRONG_HAS_HIGHER_AUC = "strong has a significantly higher AUC"
AUC_COUNTS_HERE = "so AUC counts here."
NO_ACCURACY_ABOVE_ALWAYS_A = "No accuracy is significantly above the baseline (always a), so AUC counts here."
NO_ACCURACY_ABOVE_ITS_BASELINE = "No accuracy is significantly above its baseline, so AUC counts here."
NO_DIFFERENCE_IN_AUC = "No significant difference in AUC with 900 records"
DELONG_PAIRED = "DeLong, paired"
TEST_OF_AUCS = "Difference of two AUCs"
BASELINE_COSTS = "The baseline (always b) costs 0.500 per record."
CHEAPER_COSTS_LESS = "cheaper has a significantly lower cost"
NONE_CHEAPER_THAN_BASELINE = "No run costs significantly less than the baseline (always b), adjusted for 2 runs"
NONE_CHEAPER_THAN_BASELINE_A = "No run costs significantly less than the baseline (always a), adjusted for 2 runs"
LEADS_AND_PLACES_DIFFER = "For some pairs the tests of accuracies and of ranks disagree"
ONLY_ONE_RUN = "only one run"

# comparison over rows
LEARNER_1_BEATS_OTHER = "learner 1 has a significantly higher accuracy than the other"
BETTER_ON_10_SETS = "10 data sets, less accurate on 2, equal on 2"
LEARNER_2_BEATS_ALL = "learner 2 has a significantly higher accuracy than all others"
LEARNER_0_LEADS_NOT_ALONE = "learner 0 has the highest accuracy; one other is not significantly worse"
LEARNER_2_MAY_BE_AS_GOOD = "Not significantly worse: learner 2."


def cannot_tell_apart_on(n: int) -> str:
    return f"No significant difference between the two with {n} data sets"


NO_SIGNED_RANK_TEST = "no signed-rank test can be significant"
LEAST_P_OF_5 = "its least p is 0.062"
RANKS_DIFFER = "mean ranks differ significantly, by Nemenyi"
RANKS_COULD_DIFFER = "ranks could differ significantly by Nemenyi"
ONLY_ONE_LEARNER = "only one learner"
NO_DATA_SET = "no data set"
ONE_TEST_PART = "One test part"
BETTER_MORE_OFTEN_BY_LESS = "learner 0 has the best mean rank, but not the highest mean accuracy"
LEARNER_1_DID_BETTER = "learner 1 did significantly better"


# costs
def no_row_for(label: str) -> str:
    return f"no row for the class '{label}'"


NO_COLUMN_FOR_MAYBE = "no column for the class 'maybe'"
NO_HAS_TWO_ROWS = "line 3: The class 'no' has two rows"
MUCH_IS_NO_COST = "line 2: '5 much' is not a cost"


def two_costs_not(n: int) -> str:
    return f"line 2: 2 costs were expected, not {n}"


def no_costs_for(label: str) -> str:
    return f"no costs for the class '{label}'"


TWO_ROWS_TWO_COLUMNS = "2 rows and 2 columns"


def inf_is_no_cost(line: int) -> str:
    return f"line {line}: inf is not a cost"


NOT_A_COST = "not a cost"
LIST_OF_ROWS = "list of rows"
NO_COST_FOR_YES = "no: There is no cost for deciding 'yes'"
COST_FOR_EACH_CLASS = "a cost for each decided class"
NAMES_A_CLASS_TWICE = "names a class twice"
LIST_OF_LABELS = "list of labels"


# coverage
def folds_hold_so_often(times: object) -> str:
    return f"true coverage of this 95% CI is about {times}%, as folds share training records"


MUCH_TOO_NARROW = "much too narrow"


def held_so_often(times: object) -> str:
    return f"true coverage of this 95% CI is about {times}%, as folds share training records"


RECORDS_OF_A_GROUP = "records of a group are alike"

# drift
LIE_ELSEWHERE = r"x \(\d+\.\d%\)"
MISSING_VALUES_OF_Y = "missing values of y"


# in pieces
def without_a_class(n: int) -> str:
    return f"{n} records without a class were left out"


GB_OF_ROOM = "GB of room"
READ_UNTIL_THEN = "read until then"
CANNOT_BE_PREDICTED = "cannot be predicted"
NEEDS_ALL_RECORDS = "needs all records"

# intervals
SOURCE_OF_POSTERIOR = "Rubin 1981, Jeffreys 1946"
MEANING_OF_N = "records of the class, or of the others where they are fewer"

# leads
CORRECTED_FOR_21 = "corrected for 21 pairs by Tukey-Holm"
MAY_BE_CHANCE_WITH_P = "not significant (p = "
NAIVE_BAYES_IS_BEHIND = "naive-bayes, simpler, is significantly less accurate"
CORRECTED_FOR_ALL_21 = "corrected for all 21 pairs (Tukey-Holm)"
CORRECTED_FOR_ALL_21_OF_7 = "corrected for all 21 pairs of the 7 learners asked for (Tukey-Holm)"
MAY_BE_CHANCE_CORRECTED = "not significant (p = 0.060 corrected for 3 pairs by Tukey-Holm, p = 0.010 alone)"
SIGNIFICANT_BY_STEPS = (
    "significant (p = 0.026 corrected for 10 pairs by Tukey-Holm, p = 0.051 in a single step, p = 0.007 alone)"
)
FAMILY_OF_3 = "p adjusted for all 3 pairs of 3 learners (Tukey-Holm), the baseline apart"


def so_for(name: str, p: str) -> str:
    return f"an interval contains 0. Here that is so for {name} ({p} in a single step)."


HARDLY_CHANCE_WITH_P = "significant (p = 0.010)"

# leaning
MORE_BY_BIAS = "more by bias than by variance"

# mean cost
NOT_IN_THIS_TABLE = "not in this table"
HOLDS_NO_NUMBERS = "holds no numbers"
NAME_OF_A_COLUMN = "name of a column"


def eur_in_total(cost: float) -> str:
    return f"{cost:g} EUR in total"


NOT_WITH_IN_PIECES = "does not go with --in-pieces"

# record costs
NEEDS_TOO_MUCH_MEMORY_WITH = "a formula cannot use it as a number"
ROW_STANDS_FOR_CLASS = "the row of the cost matrix already stands for it"
NO_VALUE_FOR_ANY_RECORD = "has no value for any record"
CANNOT_BE_READ_IN_FORMULA = "cannot be read in the formula"
HAS_NO_VALUE = "has no value"
DEFAULT_PREDICTED_PAID = "default predicted paid"
COSTS_JSON_ROW_1 = "costs.json, row 1"
COST_OF_PREDICTING_PAID = "the cost of predicting paid for actual default"

# member errors
NO_COMMITTEE = "makes no ensemble"

# methods
TEST_FILE_DESCRIBED = "test file b.csv"
ONLY_ONE_RECORD = "only one record"
FOLDS_FROM_2 = "Folds must be a whole number from 2"

# methods by column
NONE_IS_LATER = "none is later"
WITHOUT_A_TIME = "1 record without a value in 'when' was left out."
ONLY_ONE_GROUP = "only one group"
KEPT_AS_ONE_GROUP = "kept together as one group"
BETTER_LEAVE_IT_OUT = "better leave it out"
NEED_10_GROUPS = "need at least 10 groups"
NOT_CLEAR_WHICH_VALUE = "not clear which value"
NO_RECORD_HAS_VALUE = "No record has the value 'older'"
NONE_LEFT_TO_TEST = "none is left to test"
CHOOSE_THE_COLUMN = "Choose the column that"
WRONG_COLUMN_PATTERN = r"Choose the column|is not a column that|no column"
TOO_MANY_PARTS = "4,495,501 different parts"
NONE_WOULD_BE_LEFT = "none would be left"

# metrics
MEANING_OF_FP = "of another class, predicted ill"
MEANING_OF_TN = "of another class, not predicted ill"


def accuracy_worked_out(right: int, tested: int, accuracy: object) -> str:
    return f"Accuracy = right / tested = {right} / {tested} = {accuracy}"


RECALL_UNDEFINED = "Recall = TP / (TP + FN) = 0 / (0 + 0) = –"
RECALL_WORKED_OUT = "Recall = TP / (TP + FN) = 223 / (223 + 18) = 92.5%"

FOLDS_NARROW_IT = "The interval is slightly narrow: folds share training records."

# model of fold
NO_SUCH_FOLD = "no such fold"

# predictions
PREDICTED_BY_MODEL = "predicted by the default rule"

# ranking
TAKE_SMALL_LEAD_MAY_BE_CHANCE = "Take Small: it is simpler, and not significantly worse than Large"


def best_looks_better(n: int) -> str:
    return f"slightly optimistic as the best of {n} runs"


def best_chosen_by_its_tests(n: int) -> str:
    return f"The best of {n} is slightly optimistic, because these same tests chose it."


COMPARED_WITH_BEST_ONLY = "Each is compared with the best only"
TAKE_ONE_QUESTION_TOO_LITTLE = "Take One question: it is simpler, and practically equivalent to Huge"
TAKE_LARGE_BEATS_SIMPLER = "Take Large: highest accuracy, significantly better than the simpler guess"
TAKE_LARGE_BEATS_ALL = "Take Large: highest accuracy, significantly better than all others"
ONE_RULE_ON_ONE = "One rule, on one attribute"
TAKE_WEIGHTS_LEAD_MAY_BE_CHANCE = "Take Weights: it is simpler, and not significantly worse than Forest"
TAKE_FOREST_BY_AUC = (
    "Take Forest: highest AUC, though no accuracy is significantly higher than the baseline (always a), "
    "adjusted for 2 learners"
)
GUESS_IS_RIGHT_SO_OFTEN = "The baseline's accuracy is 75.8%, so here accuracy says little"


SET_COSTS = "set the cost matrix in Evaluate"
RANKED_BY_AUC = "Ranked by AUC"
NONE_SURELY_BEATS_GUESS = "though, compared fold by fold, no accuracy is significantly higher than the baseline"
RANGE_ABOVE_GUESS_ALONE = (
    "The 95% CI 76.3–84.1 of Forest lies above the baseline, but compared fold by fold the difference is not "
    "significant: 4.8 points (95% CI −2.8 to 12.3) more."
)
TAKE_L3_COSTS_LEAST = "Take L3: lowest cost, significantly better than all others"
L4_LEADS_NOT_SURELY = "L4 costs least, but no learner costs significantly less than the baseline (always b)"
NONE_COSTS_LESS_THAN_B = "No learner costs significantly less than the baseline (always b)"
ADJUSTED_FOR_3_LEARNERS = ", adjusted for 3 learners"
TAKE_NONE = "Take none: no learner is significantly better than the baseline"
NOR_TELLS_CLASSES_APART = "No AUC is significantly above chance"
TAKE_SMALL_NOTHING_SIMPLER = (
    "Take Small: highest accuracy, though not significantly better than large, and nothing here is simpler"
)
TAKE_LARGE_BUT_HUGE_IS_LEVEL = (
    "Take Large: highest accuracy, significantly better than the simpler guess, but not than huge"
)
FITS_ITS_TRAINING_RECORDS = "fits its training records best"


def lead_with_interval(low: float, high: float) -> str:
    return f"10.0 points ({low:.1f} to {high:.1f}) more"


ONLY_GUESS_JUDGED = "Only Guess was tested"
RANKED_BY_COST = "Ranked by the cost per record"
CI, CI_FOLDS, CI_RECORDS = "95% CI", "95% CI (folds)", "95% CI (records)"
LEAST_EXPECTED_COST = "Least expected cost"
RANKED_BY_RIGHT = "Ranked by accuracy."

# regions
TEXT_AS_AXIS = "text is text"

# runner
ALL_THE_SAME_CLASS = "All records have the same class, 'a': there is nothing to tell apart"
ALL_WEIGH_0 = "All records have weight 0"
NO_VALUE_IN_CLASS = "No record has a value in the class 'kind'"
NO_CLASS_CHOSEN = "No class is chosen"
CLASS_IS_NUMERIC = "'x' is numeric, not nominal"
TEN_FOLDS_NEED_10 = "10 folds need at least 10 records"


def at_most_folds(n: int) -> str:
    return f"at most {n} folds"


CLASS_SMALLER_THAN_FOLDS = "'yes' has only 2 records, fewer than the 10 folds"
FOLD_IS_CURSED = "This fold is cursed."
FOLD_4_FAILED = "Fold 4 of repeat 1 failed: This fold is cursed."
UNEXPECTED_ERROR = "Unexpected error: ZeroDivisionError: oh"
DOES_NOT_LIKE_X = "does not like x"
ALL_4_FOLDS_JUDGED = "4 of 4 folds tested"
JUDGED_BY_30_SAMPLES = "Finished early: tested on 30 of 100 samples."
EACH_SAMPLE_LEFT_OUT = "each sample left out"
SAMPLES_30_JUDGED = "30 of 100 samples tested"
NO_FOLD_COMPLETE = "No fold was complete yet"
UNSEEN_COUNTS_AS_OTHER = (
    "Column 'town' has values that training never saw ('Rome') in 2 of 3 records: each counts as "
    "'other', as rare values do."
)


def each_counts_as_missing(value: object, n: int, total: int) -> str:
    return f"('{value}') in {n} of {total} records: each counts as missing"


NO_TEST_FILE = "No test file was given"


def finished_early(n_folds: object, n_records: object) -> str:
    return f"Finished early: tested on {n_folds} of 10 folds, which test {n_records} of 60 records."


# shuffling
SO_FEW_TABLES = "So few permutations"
NOT_MADE_OF_RECORDS = "not made of the records"
NONE_OF_19_BY_AUC = "none of 19 permutations did as well by AUC"


def auc_is(auc: float) -> str:
    return f"AUC is {auc}"


def may_be_no_better(auc: str) -> str:
    return f"The 95% CI of the AUC does not lie above the baseline ({auc}"


MAY_BE_LUCK = "not significant"

# sweeps
AS_MANY_IN_EACH = "Equal frequency"
WHERE_CLASS_CHANGES = "Entropy (MDL)"
ONE_PART_TESTED = "One part was tested"
ONE_VALUE_NO_CURVE = "One value makes no curve"
JUDGED_BY_10_FOLDS = "Note: tested with 10-fold cross-validation"
MORE_RECORDS_HELP = "More records would probably help"
MUCH_BETTER_THAN_NEW = "much better than new ones"
MORE_RECORDS_HELP_LITTLE = "more records alone would help little"
HEAD_OF_SAVED_CURVE = "Training records,training error,"
LEAST_WRONG_ON_VALIDATION = "Lowest validation error"

# tuned
CANNOT_BE_5 = "It cannot be 5."
LEFT_BEHIND_ON_FEWER = "left behind on fewer records"
CHOSEN_BY_TRAINING_RECORDS = "chosen by its training records only"
SETTINGS_TRIED = "Parameter search, C4.5 decision tree, pruning none: min. records per leaf 1,20"
DOES_NOT_COUNT = "does not count"

# verdict
BETWEEN = "(95% CI 92.6–96.0)"
BESIDE_GUESSING_MALIGNANT = "Baseline (always benign) 65.5%. Recall 92.5%, precision 91.8% (malignant)."
FINDS_BENIGN = "Recall 95.6%, precision 96.1% (benign)"
FINDS_NONE_NEVER_SAYS = "Recall 0%; class “b” is never predicted"
NO_TESTED_RECORD_IS_B = "No tested record is of class “b”."
GUESSING_AS_OFTEN = "Baseline (always a) 67%: the same."
GUESSING_MORE_OFTEN = "Baseline (always a) 80.0%."
FINE_INTERVAL = "(95% CI 80.04–82.77)"
FINE_BASELINE = "Baseline (always a) 80.00%."
FINE_BASELINE_ALONE = " 80.00%  (always a)"


NOT_CLEAR_BESIDE = "accuracy not significantly different (p = 0.030)."
HIGHER_BESIDE = "accuracy significantly higher (p = 0.030)."
LOWER_BESIDE = "accuracy significantly lower (p = 0.030)."
INSIDE_BY_FOLD = " The baseline lies inside the 95% CI, but the test compares both fold by fold."
INSIDE_BY_RECORD = " The baseline lies inside the 95% CI, but the test compares both record by record."
OUTSIDE_BY_RECORD = " The baseline lies outside the 95% CI, but the test compares both record by record."
OUTSIDE_DEPENDENT = (
    " The baseline lies outside the 95% CI, but the test takes the dependence of the folds into account."
)


def beside_guessing(verdict: str) -> str:
    return f"Baseline (always a) 80.0%: {verdict}"


TESTED_ON_TRAINING = "Tested on its own training data, which is optimistic."
RIGHT_3_OF_4 = "Accuracy 75% (95% CI"
HEAD_OF_MATRIX = "                  predicted benign  predicted malignant"
ROW_OF_MALIGNANT = "actual malignant                 1                    1"
ALIGNED_TABLE = "a   bbb\ncc    1"
JUDGE_BY_FOLDS = "test with folds"

# tests elsewhere
FALSE_ALARMS = "FPR"
EXACT_TWIN = "of tested records duplicate a training record"

# shared with other packages
TOOK_NO_PART = "took no part in choosing"
TAKE_LARGE_NOT_SURELY_AHEAD = "Take Large: highest accuracy, though not significantly better than huge and small"
BASELINE_B = "Baseline (always b)"
TAKE_FOREST_BEYOND_ONE_RULE = (
    "Take Forest: highest accuracy, and of the simpler ones One rule has a significantly lower AUC"
)
TAKE_FOREST_BEYOND_BOTH = f"{TAKE_FOREST_BEYOND_ONE_RULE}, the other a significantly lower accuracy"
MEAN_AUC_OF_FOLDS = "Mean AUC of the folds"

# overview
DUPLICATES_IN_A_TABLE = "2 records of 602 repeat an earlier one"
A_REPEATED_ATTRIBUTE = "again nearly repeats width (Spearman's ρ 1.000)"

BY_RESAMPLED_T = "corrected resampled t"
BY_DELONG = "DeLong, paired"
BY_RECORDS = "paired test of records"
BY_INDEPENDENCE = "independent results"
AND_2_MORE = " and 2 more"

# learning from files in parts
FOLDS_OF_WHOLE_FILES = "5 folds of whole files need at least 5 files; there are 4 with records"
SINGLE_FILE_HELD_OUT = "A single file cannot be held out"
RECORDS_IN_FILES = "The 5,994 records stand in 8 files, which were learned from in parts"
WHOLE_FILES_HELD_OUT = "whole files were held out"
CORRELATED = "driver and copy are correlated"
NOT_LEFT_OUT = "driver could not be left out"
SINGLE_RECORD = "single test record"
NO_NUMBER_AND_NO_VALUES = "is no number and has no list of values"
OF_200_TEST_PREDICTIONS = "of 200 test predictions"
MOST_FREQUENT_DECISION = "most frequent decision in each fold's training"
ONE_OF_5_FOLDS = "one of 5 folds"
ONE_OF_5_PARTS = "1 of 5 test parts"
ONE_RECORD_AT_A_TIME = "tests one record at a time"
NEIGHBOURS_WITH_SETTINGS = "k-nearest neighbours (choose k automatically)"

# where two runs differ
DISAGREE_ON = "A and B disagree on 16.5% (95% CI 12.0–22.3)"
ORACLE_REACHES = (
    "An oracle that always takes the correct one of both would reach 95.0% accuracy (95% CI 91.0–97.3), "
    "3.0 points above A (92.0%)."
)
DECIDE_ALIKE = "A and B decide all 200 records alike"
NO_GAIN = "as A alone"
LEFT_OUT = "left out"
ORACLE = "An oracle"
FOLDS_OF_METHOD = "Test with: Folds"

# errors
COULD_BE_EQUAL = "could all be equal"
UNLESS_NONE_IS_WRONG = "unless no prediction of the class is wrong"
IS_THE_CLASS = "is the class"


def confidently_contradicted(n: int) -> str:
    return f"{n} records are confidently contradicted"


def suggests_the_same(name: str, n: int, of: int) -> str:
    return f"{name} suggests the same class for {n} of {of}."
