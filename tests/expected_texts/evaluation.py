"""Texts that tests of `algorithms.evaluation` expect."""

# several tests
READ_IN_PIECES = "read in pieces"


def judged_right(percent: object) -> str:
    return f"Right {percent} times in 100"


CORRECTED_RESAMPLED_T = "Corrected resampled t"
NONE_OF_19_BY_ACCURACY = "None of 19 shuffled tables did as well by accuracy: chance does at most 5.0 times in 100"
OWN_TRAINING_RECORDS = "own training records"

# answers
RUN_2_SAID_AGAIN = "run 2 said 2"


def run_said(number: int) -> str:
    return f"run {number} said"


def wrong_is(often: object, truth: object) -> str:
    return f"wrong{often}, is {truth}"


# bootstrap
BOOTSTRAP_FLATTERS_MEMORY = ".632 estimate flatters a learner that memorises"
BOOTSTRAP_FLATTERS = ".632 estimate flatters"
MEMORISES_THEM = "memorises them (here by"

# chance copies
KEEP_ONE_OF_EACH = "keep one of each"
DUPLICATE_A_TRAINING_RECORD = "% of the tested records duplicate a training record"


# comparing
def cannot_tell_apart(n: int) -> str:
    return f"We cannot tell these two apart with {n} records"


PRACTICALLY_THE_SAME = "These two are practically the same"
NEAREST_MEAN_IS_BETTER = "Nearest mean is right more often"
LEAD_OF_NEAREST_MEAN = "is right in 11.2 more (3.3 to 19.1) than Most frequent class"
WAYS_OF_LEARNING = "ways of learning"
WILCOXON = "Wilcoxon signed rank"
MCNEMAR_CORRECTED = "McNemar, with correction"
ONE_TEST_COUNTS_OTHERS_AGREE = "This goes by one test (Corrected resampled t); all 4 others say the same."
OTHERS_AGREE = "others say the same."
THESE_TWO_MODELS = "these two models"
DIFFERENCE_OF_ERRORS = "Difference of two error rates"
CANNOT_TELL = "We cannot tell"
TAKEN_AS_INDEPENDENT = "taken as independent"
LITTLE_TOO_MUCH = "little too much"
NOT_ALONE = "it is not alone"
CORRECTED_FOR_6 = "corrected for all 6 pairs"
AS_IN_TRY_SEVERAL = "as in Try several"
STRONG_LEADS_NOT_ALONE = "strong has the highest AUC, but it is not alone"
LEAD_OVER_WEAK_IS_REAL = "Its lead over weak is more than chance explains."
LEAD_OVER_NEAR_MAY_BE_CHANCE = "Its lead over near may be chance or too little to matter."
STRONG_HAS_HIGHER_AUC = "strong has a higher AUC than the other"
NOR_DOES_AUC = "AUC does not tell them apart either."
LEADS_AND_PLACES_DIFFER = "Of some pairs leads and places do not say the same"
ONLY_ONE_RUN = "only one run"

# contest
LEARNER_1_BEATS_OTHER = "learner 1 is better than the other"
BETTER_ON_10_SETS = "10 data sets, less often on 2, as often on 2"
LEARNER_2_BEATS_ALL = "learner 2 is better than all others"
LEARNER_0_LEADS_NOT_ALONE = "learner 0 is best most often, but it is not alone"
LEARNER_2_MAY_BE_AS_GOOD = "learner 2 may be as good."


def cannot_tell_apart_on(n: int) -> str:
    return f"We cannot tell these two apart with {n} data sets"


FEWER_THAN_6_SETS = "fewer than 6 data sets"
ONLY_ONE_LEARNER = "only one learner"
NO_DATA_SET = "no data set"
ONE_TEST_PART = "One test part"
BETTER_MORE_OFTEN_BY_LESS = "learner 0 is better more often, but by less"
LEARNER_1_DID_BETTER = "learner 1 did better"


# costs
def no_row_for(label: str) -> str:
    return f"no row for the class '{label}'"


NO_COLUMN_FOR_MAYBE = "no column for the class 'maybe'"
NO_HAS_TWO_ROWS = "line 3: The class 'no' has two rows"
MUCH_IS_NO_COST = "line 2: 'much' is not a cost"


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
    return f"{times} times in 100, not 95"


MUCH_TOO_NARROW = "much too narrow"


def held_so_often(times: object) -> str:
    return f"held the true value {times} times in 100, not 95"


RECORDS_OF_A_GROUP = "records of a group are alike"

# drift
LIE_ELSEWHERE = "in 100 lie elsewhere"
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
CORRECTED_FOR_21 = "corrected for 21 pairs by Holm"
MAY_BE_CHANCE_WITH_P = "that may be chance (p = "
NAIVE_BAYES_IS_BEHIND = "naive-bayes, which is simpler, is right less often, by more than chance"
CORRECTED_FOR_ALL_21 = "corrected for all 21 pairs (Holm), as in Compare runs"
MAY_BE_CHANCE_CORRECTED = "that may be chance (p = 0.060 corrected for 3 pairs by Holm, p = 0.010 alone)"
HARDLY_CHANCE_WITH_P = "that is hardly chance (p = 0.010)"

# leaning
MORE_BY_BIAS = "more by bias than by chance"

# mean cost
AMOUNTS_BELOW_0 = "amounts below 0"
NOT_IN_THIS_TABLE = "not in this table"
NAME_OF_A_COLUMN = "name of a column"


def eur_in_total(cost: float) -> str:
    return f"{cost:g} EUR in total"


HOLDS_NO_NUMBERS = "holds no numbers"
NOT_WITH_IN_PIECES = "does not go with --in-pieces"

# member errors
NO_COMMITTEE = "makes no committee"

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
MEANING_OF_FP = "of another class and taken for ill"
MEANING_OF_TN = "of another class and not taken for ill"


def accuracy_worked_out(right: int, tested: int, accuracy: float) -> str:
    return f"Accuracy = right / tested = {right} / {tested} = {accuracy}"


RECALL_UNDEFINED = "Recall = TP / (TP + FN) = 0 / (0 + 0) = -"
RECALL_WORKED_OUT = "Recall = TP / (TP + FN) = 223 / (223 + 18) = 0.9253"

# model of fold
NO_SUCH_FOLD = "no such fold"

# predictions
PREDICTED_BY_MODEL = "predicted by the model itself"

# ranking
TAKE_SMALL_LEAD_MAY_BE_CHANCE = "Take Small: it is simpler, and the lead of Large over it may be chance"
LARGE_LEADS_BY = "Large is right 95.0 times in 100, 0.8 more ("
THAN_SMALL_MAY_BE_CHANCE = "than Small: that may be chance."
LEAD_OVER_GUESS = "Beside the simplest, Guess, the best is right 35.0 more ("
HARDLY_CHANCE = "that is hardly chance."


def best_looks_better(n: int) -> str:
    return f"best of {n} looks a little better than it is"


COMPARED_WITH_BEST_ONLY = "Each is compared with the best only"
TAKE_ONE_QUESTION_TOO_LITTLE = "Take One question: it is simpler, and what Huge has over it is too little to matter"
THAN_ONE_QUESTION_TOO_LITTLE = "than One question: too little to matter."
TAKE_LARGE_BEATS_SIMPLER = "Take Large: it is right most often, surely more often than the simpler one"
GUESS_IS_BEHIND = "Guess, which is simpler, is right less often, by more than chance explains."
TAKE_LARGE_BEATS_EVERY_SIMPLER = "Take Large: it is right most often, surely more often than every simpler one"
SIX_ARE_BEHIND = (
    "Small 0, Small 1, Small 2, Small 3 and 2 more, which are simpler, are right less often, by more "
    "than chance explains."
)
ONE_RULE_ON_ONE = "One rule, on one attribute"
TAKE_WEIGHTS_LEAD_MAY_BE_CHANCE = "Take Weights: it is simpler, and the lead of Forest over it may be chance"
ONE_RULE_RANKS_WORSE = (
    "One rule (on one attribute) is right as often as far as these tests can tell, but it ranks the records surely"
)
TAKE_FOREST_BY_AUC = (
    "Take Forest: it tells the classes apart best, though none is surely right more often than always guessing a"
)
GUESS_IS_RIGHT_SO_OFTEN = "That guess is right 75.8 times in 100, so here being right says little"


def forest_has_highest_auc(auc: float) -> str:
    return f"Forest has an AUC of {auc:.3f}, the highest of all."


SET_COSTS = "set in Evaluate what each mistake costs"
RANKED_BY_AUC = "Ranked by AUC"
NONE_SURELY_BEATS_GUESS = "though, compared fold by fold, none is surely right more often than always guessing a"
RANGE_ABOVE_GUESS_ALONE = (
    "The range of Forest, 76.3 to 84.1, lies above the guess, but looks at it alone; of 100 it is right "
    "in 4.8 more (2.8 less to 12.3 more), compared fold by fold: that may be chance."
)
TAKE_L3_COSTS_LEAST = "Take L3: it costs least, surely less than every simpler one"
L3_COSTS = "L3 costs 0."
L3_COSTS_LEAST_OF_ALL = "the least of all; L2 and L1, which are simpler, cost more, by more than chance explains."
L4_LEADS_NOT_SURELY = "L4 costs least, but nothing costs surely less than always saying b"
NONE_COSTS_LESS_THAN_B = "Nothing costs surely less than always saying b"
TAKE_NONE = "Take none: nothing does surely better than guessing"
NOR_TELLS_CLASSES_APART = "Nor does any surely tell the classes apart"
TAKE_SMALL_NOTHING_SIMPLER = "Take Small: it is right most often, and nothing here is simpler"
SMALL_IS_MOST_RIGHT = "Small is right 95.0 times in 100, the most of all, and nothing here is simpler."
FITS_ITS_TRAINING_RECORDS = "fits its training records best"


def lead_with_interval(low: float, high: float) -> str:
    return f"10.0 more ({low:.1f} to {high:.1f})"


ONLY_GUESS_JUDGED = "Only Guess was judged"
RANKED_BY_COST = "Ranked by what a record costs"
RANKED_BY_RIGHT = "Ranked by how often they are right."

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
ALL_4_FOLDS_JUDGED = "4 of 4 folds judged"
JUDGED_BY_30_SAMPLES = "Finished early: judged by 30 of 100 samples."
EACH_SAMPLE_LEFT_OUT = "each sample left out"
SAMPLES_30_JUDGED = "30 of 100 samples judged"
NO_FOLD_COMPLETE = "No fold was complete yet"
UNSEEN_COUNTS_AS_OTHER = (
    "Column 'town' has values that training never saw ('Rome') in 2 of 3 records: each counts as "
    "'other', as rare values do."
)


def each_counts_as_missing(value: object, n: int, total: int) -> str:
    return f"('{value}') in {n} of {total} records: each counts as missing"


NO_TEST_FILE = "No test file was given"


def finished_early(n_folds: object, n_records: object) -> str:
    return f"Finished early: judged by {n_folds} of 10 folds, which test {n_records} of 60 records."


# shuffling
SO_FEW_TABLES = "So few tables"
NOT_MADE_OF_RECORDS = "not made of the records"
NONE_OF_19_BY_AUC = "None of 19 shuffled tables did as well by AUC"


def auc_is(auc: float) -> str:
    return f"its AUC is {auc}"


def may_be_no_better(auc: str) -> str:
    return f"It may be no better than guessing (AUC {auc}"


MAY_BE_LUCK = "may be luck"

# sweeps
AS_MANY_IN_EACH = "as many records in each"
WHERE_CLASS_CHANGES = "where the class changes"
ONE_PART_TESTED = "One part was tested"
ONE_VALUE_NO_CURVE = "One value makes no curve"
JUDGED_BY_10_FOLDS = "Note: judged by 10 folds"
MORE_RECORDS_HELP = "More records would probably help"
MUCH_BETTER_THAN_NEW = "much better than new ones"
MORE_RECORDS_HELP_LITTLE = "more records alone would help little"
HEAD_OF_SAVED_CURVE = "Training records,training error,"
LEAST_WRONG_ON_VALIDATION = "Least wrong on the records to choose by (validation)"

# tuned
CANNOT_BE_5 = "It cannot be 5."
LEFT_BEHIND_ON_FEWER = "left behind on fewer records"
CHOSEN_BY_TRAINING_RECORDS = "chosen by its training records only"
SETTINGS_TRIED = "Several settings, C4.5 decision tree, pruning none: smallest branch 1,20"
DOES_NOT_COUNT = "does not count"

# verdict
BETWEEN = "(between 92.6 and 96.0)"
BESIDE_GUESSING_MALIGNANT = (
    "Always guessing benign would be right 65.5 times. Of those that are malignant it finds 92.5 in 100; "
    "when it says malignant it is right 91.8 in 100."
)
FINDS_BENIGN = "Of those that are benign it finds 95.6 in 100"
FINDS_NONE_NEVER_SAYS = "finds 0 in 100; it never says b"
NO_TESTED_RECORD_IS_B = "No tested record is b."
MAY_BE_CHANCE = "may be chance"
GUESSING_AS_OFTEN = "guessing a would be right as often: 66.7 times."
GUESSING_MORE_OFTEN = "Always guessing a would be right more often: 80.0 times."
TESTED_ON_TRAINING = "Tested on its own training records, which flatters it."
RIGHT_3_OF_4 = "Right 75.0 times in 100 (between"
HEAD_OF_MATRIX = "              said benign  said malignant"
ROW_OF_MALIGNANT = "is malignant            1               1"
ALIGNED_TABLE = "a   bbb\ncc    1"
JUDGE_BY_FOLDS = "judge by folds"

# tests elsewhere
FALSE_ALARMS = "False alarms (FPR)"
EXACT_TWIN = "in 100 tested records have an exact twin in training"

# shared with other packages
TOOK_NO_PART = "took no part in choosing"
