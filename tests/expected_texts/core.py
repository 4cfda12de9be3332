"""Texts that tests of `algorithms.core` expect."""


# several tests
def at_line(file: str, line: int) -> str:
    return f"{file}, line {line}"


DAY_OR_MONTH_FIRST = "day first or month first"
NOT_A_NUMBER = "not a number"
CANNOT_BE_WRITTEN = "cannot be written"
CANNOT_BE_READ = "cannot be read"


def not_a_number(value: str) -> str:
    return f"'{value}' is not a number"


def column_is_missing(name: str) -> str:
    return f"Column '{name}' is missing"


def is_new(name: str) -> str:
    return f"'{name}' is new"


# align
COUNTS_AS_MISSING = "counts as missing"
THREE_MISSING_2_MORE_PATTERN = r"'a' is missing\. .*'b' is missing\. .*'c' is missing\. 2 more columns do not fit"


def must_hold_numbers(column: str, value: str, record: int) -> str:
    return f"Column '{column}' must hold numbers, but '{value}' in record {record} is not a number"


X_IS_DATE = "Column 'x' is date; the model was trained on numeric"
CORRECT_THE_FILE = "Correct the file, or leave such cells empty: then they count as missing."
WARD_3_UNSEEN = "Column 'ward' has values that training never saw ('3') in 1 of 2 records: each counts as missing."
IS_NOT_COUNTED = "is not counted"
EXTRA_IS_NEW = "Column 'extra' is new and not looked at."

# array state
SAVED_IS_DAMAGED = "The saved thing is damaged"

# blocks
Y_IS_NO_NUMBER_IN_LINE_2 = "In line 2 of the block, 'y': 'many' is not a number"
NOTHING_PASTED = "Nothing was pasted."
ONLY_1_COLUMN_LEFT = "2 columns wide, but only 1 column is left"

# conditions
AGE_AT_LEAST_18 = "age is at least 18"
AGE_IS_MISSING = "age is missing"
HAS_NO_VALUE = "has no value"
NEEDS_A_VALUE = "needs a value"
NOT_A_DATE = "not a date"
NO_COLUMN_NAMED = "no column named"

# data
NO_COLUMN_NUMBER_3 = "no column number 3"
ONE_ATTRIBUTE_TWO_COLUMNS = "1 attributes were described but 2 columns"
NUMERIC_NOT_NOMINAL = "numeric, not nominal"

# dates
MORE_THAN_200_CHARACTERS = "more than 200 characters"
CANNOT_BE_READ_BY_PATTERN = "cannot be read by the pattern"

# editing
IS_NOT_A_NUMBER = "is not a number"
CLEAR_THE_CELL = "clear the cell"
TYPE_ONE_OR_OTHER = "Type 1234 or 1.234."
IS_NOT_A_DATE = "is not a date"
NEEDS_A_NAME = "needs a name"

# errors
LONG_COLUMN_STARTS = "The column xxx"
LONG_COLUMN_ENDS = "xxx is no number."
ERROR_WITH_PLACE_AND_REMEDY = "table.csv, line 3: The column a is no number. Rename it."


# params
def from_to(low: int, high: int) -> str:
    return f"from {low:,} to {high:,}"


OUTER_CHANGED = "Outer, count 3, careful no"
OUTER_WITH_BASE = "Outer, base Inner, share 0.25"
WHOLE_FROM_2_TO_99 = "a whole number from 2 to 99"
WHOLE_OR_NONE = "a whole number from 1 or none"


def count_must_be_whole(given: object) -> str:
    return f"Count must be a whole number from 2 to 99, not {given}"


ONE_OF_SOFT_HARD = "one of soft, hard"
FORCE_FROM_0 = "Force must be a number from 0"
FORCE_IS_A_NUMBER = "Force must be a number"
TRUE_OR_FALSE = "true or false"
MUST_BE_TEXT = "must be text"
LIST_OF_COLUMN_NAMES = "list of column names"
SIZES_MUST_BE = "Sizes must be"
LIST_OF_WHOLE_NUMBERS = "list of whole numbers"
LIST_OF_NUMBERS = "list of numbers"
SHARES_FROM_0 = "Shares must be numbers from 0"
LIKE_A_SQUARE = 'like "0 1; 5 0"'
COSTS_MUST_BE = "Costs must be"
MUST_BE_A_LEARNER = "must be a learner"


def no_parameter(name: str) -> str:
    return f"no parameter '{name}'"


NO_PARAMETERS_OF_ITS_OWN = "no parameters of its own"
INNER_HAS_NO_UNHEARD = "Inner has no parameter 'base.unheard'"
SIZES_NOT_A = "Sizes must be whole numbers from 1, not 'a'"
SHARES_NOT_B = "Shares must be numbers from 0, not 'b'"

# plain json
HALF_OF_A_CHARACTER = "notes.txt cannot be written: half of a character follows 'a name '."
IS_NOT_A_COST = "is not a cost"
IS_NO_NUMBER = "is no number"

# recast
TWO_FOUR_AND_OTHERS = "'two', 'IV', '1_000' and others"
TOO_MANY_FOR_CATEGORIES = "too many for categories"
AS_DATES_SOON = "as dates: 'soon'"

# registry
TWO_THINGS_WITH_ID = "two things have the id 'a'"
NO_LEARNER_C45 = "no learner 'c45'"
TWO_LEARNERS_WITH_ID = "two learners have the id 'means'"

# replacement
CHOOSE_SHORTER_NAME = "Choose a shorter name."
MAKE_ROOM = "Make room on the disk, or choose another folder.\n"
NO_SPACE_LEFT = "No space left"

# scores
SHARE_WORKED_OUT = "Share = a / (a + b) = 3 / (3 + 0.25) = 0.9231"
BETWEEN_0_AND_1 = "between 0 and 1"

# searching
IN_X_NOT_A_NUMBER = "In 'x': '1x' is not a number"
NOTHING_REPLACED = "Nothing was replaced."

# several values
NEEDS_THE_VALUES = "needs the values"
SMALLER_TO_LARGER = "smaller to a larger"
NUMBER_OF_VALUES = "number of values"
ONE_VALUE_ONLY = "one value only"

# extreme parameters
OUT_OF_BOUNDS_IN_SIZE = "1e-100 to 1e+100 in size"
TOO_MANY_WEIGHTS = "The network would have 12,000,000 weights; 5,000,000 are the most"
TOO_MANY_HIDDEN_LAYERS = "101 hidden layers; 100 are the most"


# many classes
def pairs_of_classes(words: object) -> str:
    return f"1,000 classes make 499,500 pairs; {words}"


MODELS_OF_50_CLASSES = "50 classes: 1,225 models"

# toy registration
SMOOTHING_FROM_1_TO_99 = "Smoothing must be a whole number from 1 to 99, not 0"

# wide tables
MUST_AND_MAY_NOT = "must be there and may not"

# fuzzers
CRASH_WITH_EXIT_CODE = "crash: exit code 3"


# tests elsewhere
def at_sheet(file: str, sheet: str) -> str:
    return f"{file}, sheet {sheet}"


DUPLICATED_CLASS_NAME = "duplicated public class names       1"


def no_column(name: str) -> str:
    return f"no column '{name}'"


def there_is_no_column(name: str) -> str:
    return f"There is no column '{name}'"


ONLY_LOOPS_CALL_NEXT = "only compiled loops can call _next"

# settings
MANY_BAGGED = "Bagging, 10,000 × "
SEED_AND_LARGE_LEAVES = "random seed 12345, min. records per leaf 10,000"

# cluster
WORKERS_ENDED = r"The workers that did this part or held its data ended, \d+ times"
PROCESSES_OR_TCP = "processes:2"
NO_SCHEDULER = "No Dask scheduler answers at tcp://127.0.0.1:1"
NO_SCHEDULER_AT = "No Dask scheduler answers at "
SAME_VERSION = "Install the same version"
HAS_NO_COPPICE = "has no Coppice"
PACKAGE_NOT_FOUND = "cannot tell its versions (PackageNotFoundError: No package metadata was found for numba)"
NO_MORE = "cannot tell its versions (RuntimeError: no more)"
WATCH_ENDED = "The watch over the cluster ended by an error: Failed: of a note"
CONNECTION_LOST = "The connection to the cluster at .* was lost"
WORKER_HAS_PYTHON = "The worker b has python 3.0 (here "
GETS_NO_PARTS = "gets no parts: it has Coppice"
UNTIL_IT_ANSWERS = "gets no parts until it answers"
HAS_COPPICE_9 = "has Coppice 9, this program is "


def has_package(name: str, version: str) -> str:
    return f"has {name} {version}, this program has "
