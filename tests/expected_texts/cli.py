"""Texts that tests of `algorithms.cli` expect."""

# several tests
RATE_READ_AS_NUMBERS = "rate: read as numbers, % removed (2.8 % is 2.8)."


# commands
def did_you_mean(name: str) -> str:
    return f"Did you mean {name}"


def is_given_twice(name: str) -> str:
    return f"{name} is given twice"


USAGE = "usage: coppice [FILE]\n       coppice VERB ..."
USAGE_OF_EVALUATE = "usage: coppice evaluate "
USAGE_AS_SCRIPT = "usage: main.py [FILE]"
THERE_IS_NO = "There is no"
CONFIDENCE_HAS_NO_EFFECT = "confidence has no effect here"
ONLY_WITH_PRUNING = "It counts only with pruning=error-based."
BASE_CONFIDENCE_HAS_NO_EFFECT = "base.confidence has no effect here"
COUNTS_ONLY_WITH_PRUNING = "Counts only with pruning=error-based."
NO_SUCH_FOLDER = "no such folder"
CTRL_C_AGAIN = "Ctrl-C again stops"
FOLDS_TESTED = " 40% 4 of 10 folds tested"
SECONDS_LEFT = " 40% 4 of 10 folds tested, about 12 s left"
MINUTES_LEFT = " 25% Evaluating, about 6 min 0 s left"
ONLY_MINUTES_LEFT = " 25% about 6 min 0 s left"


def two_hours(minutes: int) -> str:
    return f"2 h {minutes} min"


def invalid_choice(name: str) -> str:
    return f"invalid choice: '{name}'"


NOTHING_TO_SET = "nothing to set"


def is_no_setting(text: object) -> str:
    return f"'{text}' is not NAME=VALUE"


CONFIDENCE_OUT_OF_RANGE = "from 0.0001 to 0.5, not 9"
COLUMNS_ARE = "'Defaulted'. The columns are Sepal Length,"
X_IS_NOT_WHOLE = "'x' is not a whole number"
IS_NOT_WHOLE = "is not a whole number"
SHUFFLE_OUT_OF_RANGE = "--shuffle: '1000000000' is not a whole number from 1 to 100,000"
SEED_IS_NOT_WHOLE = "seed: '9223372036854775808' is not a whole"
SQUARE_TABLE_LIKE = 'a square table of costs like "0 1; 5 0"'
WRITE_AFTER_LEARNER = "write it after --learner"
SEARCH_TRIES_MIN_LEAF = "--search tries values of min_leaf"
OVER_TRIES_MIN_LEAF = "--over tries values of min_leaf"


# compare
def on_folds(n: int) -> str:
    return f"on {n} folds"


NAIVE_BAYES_HAS_HIGHER_AUC = "naive-bayes has a significantly higher AUC"
SO_AUC_COUNTS = "so AUC counts here"
FINDS_TOO_MANY = "it is significant too often"


def was_left_out(name: object) -> str:
    return f"{name} was left out"


WAS_LEFT_OUT = "was left out"
C45_ON_IRIS = "sample:iris: c4.5 9"
ABSENT_WAS_LEFT_OUT = "absent was left out"
ZERO_R_ON_ALIKE_LEFT_OUT = "zero-r on alike was left out"
RECORDS_OF_ONE_DATA_SET = "records of one data set"
NOTHING_TO_COMPARE = "No data set could be compared."
ID3_ON_IRIS_LEFT_OUT = "id3 on sample:iris was left out"
MEANS_ON_IRIS_LEFT_OUT = "means on sample:iris was left out: These are no means."
GIVEN_TWICE = "is given twice"
TOOK_LONGER = "It took longer than 0.01 s."
NOT_A_NUMBER_OF_SECONDS = "is not a number of seconds from 0.01 to 1000000"
PROBABLY_THE_SAME = "P(equivalent)"
FROM_0_UP_TO_1 = "from 0 up to 1"

# curves
CALIBRATION_ERROR = "calibration error (ECE) 0."
CHANGES_CSV_ONLY = "changes CSV only"
AVERAGE_PROBABILITY = "Predicted probability (mean)"
NO_CLASS_ROSE = "There is no class 'rose'"

# evaluate
TEN_FOLDS_AND_SEED = "10-fold cross-validation, seed 1"
SIZE_PATTERN = "\\d leaves, \\d+ nodes, depth \\d+"
ONE_LEAF = "The model of all records: 1 leaf, 1 node, depth 0."
TEST_FILE_NEEDS_A_FILE = "test-file needs a file: --method test-file:path=FILE\n"


def no_folder_to_write(path: object) -> str:
    return f"{path}: The file cannot be written: there is no such folder.\n"


THIS_RUN = "<- this run"
AUC_ON_SHUFFLED = "AUC on shuffled classes, from"
BY_OTHER_MEASURES = "By other measures: accuracy p = 0.05, balanced accuracy p = 0.05, kappa p = 0.05"
LEVEL_OF_ANOTHER_KIND = "level has another distribution in the tested records"
LEVEL_DIFFERS = "level (100.0%"
LEAVE_LEVEL_OUT = "Leave it out: --filter remove-attributes:columns=level"
FILE_OF_COSTS_NOT = "the name of a file that --costs reads, not 'no.csv'"
FILE_OF_COSTS = "the name of a file that --costs reads"

# files
SHEET_IS_FOR_WORKBOOKS = "--sheet is for workbooks, databases and R files"
NEEDS_NAME_OF_FILE = "needs the name of a file"
IN_PIECES_IS_FOR_TEXT = "--in-pieces is for text files"
HOLDOUT_OR_TRAINING_SET = "holdout or training-set"

# model line
CONVERGED = "; it converged: no training record is wrong after "
HARDEST_TO_SEPARATE = "; the lowest member accuracy is "
SAYS_THE_SAME = "; it predicts the same as "


# saved models
def right_on(n: int, total: int) -> str:
    return f"Correct on {n} of {total} records whose class is known."


X_IS_MISSING = "Column 'x' is missing. The model needs the columns it was trained on. "
X_IS_MISSING_IN_BOTH = (
    "Column 'x' is missing in both records: the model treats it as missing and decides by the other columns."
)
HEAD_OF_PREDICTIONS = "\ufeffx;colour;group;predicted;probability no;probability yes"
CANNOT_BE_EXPORTED = "cannot be exported: only trees"
FORMATS = (
    "text: indented lines; sql: one query; mysql: one query for MySQL or MariaDB; python: a module; pmml: PMML 4.4"
)
NOT_EXHAUSTIVE = "\nNot exhaustive: there can be a record that meets no rule; the default rule decides, virginica."
NO_RULE_FIRES = ": no rule fires"
MODEL_HAS_NO_RULES = "This model has no rules."

# search
SETTINGS_TRIED_ON_ALL = "Settings tried on all 150 records"
LOG_LOSS_FLATTERS = "log loss of the winner in the search [optimistic]"
MUST_BE_WHOLE = "must be a whole number"
NO_STEP_OF_RECIPE = "names no step of the recipe; there are none"
SAY_WHAT_WITH_SEARCH = "--strategy needs --search"
MUST_BE_ONE_OF = "must be one of"

# warnings
TEST_FILE_IS_TRAINING_FILE = "100.0% of the records in the test file duplicate a training record"
LEARNED_BY_HEART = "makes the test optimistic"
COPY_PREDICTS_CLASS = "copy alone predicts class 100.0% correctly: is it known beforehand?"
LEAVE_COPY_OUT = "Leave it out: --filter remove-attributes:columns=copy"
LEAK_IN_VERDICT = "% of the tested records duplicate a training record; copy alone predicts class (100.0%)."
SAME_EVERYWHERE = "b is constant"
ONLY_3_ARE_RARE = "only 3 records are rare"
CODE_LOOKS_LIKE_IDENTIFIER = "code looks like an identifier"
PRICE_IS_NO_CLASS = "price holds 35 different numbers. The class must have few values."
WARNING_OF_CONSTANT = "Warning: b is constant."
WARNING_OF_TRAINING_RECORDS = "Warning: Tested on its own training data"
TEST_BY_FOLDS = "Test by folds: --method cross-validation"
INCOME_READ_AS_NUMBERS = "income: read as numbers, € removed."

CANNOT_BE_KEPT = "The compiled loops cannot be kept: the cache folder cannot be written."


def loops_written(folder: object) -> str:
    return f"All loops are compiled.\nWritten to {folder}.\n"


B_IS_A_COST = "b is both a cost and an attribute of the model"

# web logs
HALF_A_MINUTE = "A session ends after 0.5 min without a request."
NO_WEB_LOG = "boxes.csv is no log of a web server."
WIDTHS_ARE_FOR_TEXT = "--widths is for text files; "
CONVERTED = "30 records, 4 columns: saved as {}\n"
WITHOUT_BALANCE = "Balance classes changes training records only: the table is written without this step."
MY_LOANS_EXIST = "shop.sqlite has a table named 'my loans' already."
TABLE_IS_FOR_DATABASES = "--table and --if-exists are for databases: write one with --out FILE.sqlite."
SCRIPT_NEEDS_STEPS = "--script writes steps: name some with --filter, --recipe or --clean."
SCRIPT_SAVED = "1 step: saved as {}\n"
TOO_MANY_SECOND_TABLES = "The model has 1 step with a second table, but 2 are given."


def decided_and_correct(n: int, correct: int) -> str:
    return f"decides {n}, {correct} correct ({100 * correct / n:.1f}%)"


# files in parts
FOLDS_OF_FILES = "10 folds of whole files need at least 10 files"
NEEDS_ONE_TABLE = "needs them as one table"
NOT_WITH_A_PATTERN = "does not go with a pattern of files"
PART_2_LACKS_GROUP = "part-2.csv lacks the column 'group'"
NAME_OF_PARTS = "part-0 and 3 more"
THERE_ARE_MEASURES = "There are: accuracy, auc"

# effects and surrogates
ONE_OF_4_PARTS = "1 of 4 test parts"
IS_THE_CLASS = "is the class"
ONE_RECORD_AT_A_TIME = "tests one record at a time"
