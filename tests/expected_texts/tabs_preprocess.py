"""Texts that tests of the tab Preprocess expect."""

# histogram selection
SOURCE_IS_ONE_BAR = "the histogram of age (21)"
SOURCE_IS_THREE_BARS = "the histogram of age (3 bars)"
BAR_OF_8 = "22: 8 records (low 4, high 4)"
ALL_OF_BAR_SELECTED = "all of them selected"
COPIED_COUNTS_WITH_SELECTED = "Value\tlow\thigh\tAll\tSelected\n20\t4\t4\t8\t0\n"


# preprocess models
def numeric_from_to(low: float, high: int) -> str:
    return f"numeric · {low} to {high}"


DATE_FROM_FIRST_DAY = "date · 1970-01-01 to 1970-01-02"
NOMINAL_OF_2 = "nominal · 2 values"
TWO_MOST_FREQUENT = "a and c (40.0% each)"
THREE_ALIKE = "3 values equally often (33.3% each)"
BIN_WITH_CLASSES = "1: 2 records (a 1, b 1)"
BIN_WITHOUT_CLASS = "2: 1 record (no class 1)"
COPIED_COUNTS_WITH_NO_CLASS = "Value\ta\tb\tno class\tAll\n1\t1\t1\t0\t2\n2\t0\t0\t1\t1\n"

# preprocess tab
UNDO_KIND = "Change kind of age to nominal"
UNDO_RENAME_COLUMN = "Rename age to years of age"
NAME_IS_TAKEN = "Another column is named 'risk'"
UNDO_REMOVE_2 = "Remove 2 attributes"
UNDO_LEAVE_OUT = "Leave out age"
MUST_BE_CLASSES = "The class must have few values."
NONE_NOMINAL = "No attribute is nominal. A numeric class (target) must be discretized: each range is a class."
HISTOGRAM_DESCRIBED = "Histogram of age: 5 values, coloured by 2 classes."
SAVE_PICTURE = "Save picture…"
SAVE_CSV = "Save table (CSV)..."
COPIED_COUNTS = "Value\tlow\thigh\tAll\n20\t4\t4\t8\n"
BEST_GUESS = "Best guess: risk (low, high)"
WANT_TO_PREDICT = "Class: size (small, large, medium)."
FIVE_DIFFERENT_NUMBERS = "5 different numbers"
IDENTIFIER_OF_40 = "identifier · 40 different"
NO_ROW_OF_NAMES = "no row of names"

# ranges
MANY_DIFFERENT_NUMBERS = "price holds 199 different numbers"
FROM_2_TO_200 = "from 2 to 200"


def records_in_range(n: int, percent: float) -> str:
    return f"{n} records · {percent}%"


ONE_WITHOUT_A_NUMBER = "Missing: 1 record"
UNDO_CUT = "Cut price into 3 ranges"
NO_NUMBER = "'dear' is no number"
RANGE_OF_TOO_FEW = "1 range holds fewer than 5 records: too few for a test."
HEAD_OF_COPIED_RANGES = "Range\tRecords\nunder "

# ranking pane
KEPT_IN_EVERY_FOLD = "chosen in every fold"
UNDO_KEEP_BEST = "Add step Select attributes"
OLD_RANKING_UNTIL_THEN = "Until then the table shows the ranking by information gain."

# recipe steps
UNDO_CHANGE_STEP = "Change options of step"


def columns_become(before: int, after: int) -> str:
    return f"{before} columns become {after}."


NONE_CHOSEN_IS_ALL = "None chosen: all."

# records answers
PROBABILITY = "probability (%)"
WRONG_IS_YES = "no, actual yes"
WRONG_IS_NO = "no, actual no"
SORTED_BY_PROBABILITY = "▲ probability (%)"
CANNOT_BE_CHANGED = "cannot be changed"
CORRECT = "correct"
EXPLAIN_THE_PREDICTION = "Explain the prediction"


def run_predicted(number: int) -> str:
    return f"run {number} predicted"


ANSWERS_OF_RUN_2 = "Show predictions of run 2"
HEAD_OF_SAVED_ANSWERS = "first,second,class,run 1 predicted,probability,correct"


def export_3(total: object) -> str:
    return f"Export 3 of {total} records"


def saved_3(total: object) -> str:
    return f"Saved 3 of {total} records in listed.xlsx, with the predictions of run 1."


NOT_TRAINED_ON_IT = "not trained on this record"
FINAL_MODEL = "the final model"
HAD_LEARNED_FROM_IT = "was trained on this record"
EDIT_THE_CELL = "Edit the cell"
ANSWERS_ARE_OLDER = "Its predictions are of the earlier values"
JUDGED_BEFORE_THE_CHANGES = "older than the changes"
RUN_1_JUDGED_BEFORE = "run 1 is older than the changes · "


def only_67_listed(by: object) -> str:
    return f"Only 67 of 150 records are listed: {by}"


ONLY_67_LISTED = "Only 67 of 150 records are listed"


# records editing
def undo_set_cell(column: str, record: int, value: object) -> str:
    return f"Set {column} of record {record} to {value}"


NEW_VALUE = "'mauve' is a new value of 'colour'"
AS_THE_HIGHEST = "as the highest"
UNDO_CLEAR_6 = "Clear 6 cells"


def clear_x_of(number: int) -> str:
    return f"Clear x of record {number}"


UNDO_ADD_RECORD = "Add a record"


def remove_records(n: int) -> str:
    return f"Remove {n} records"


UNDO_REMOVE_RECORD_5 = "Remove record 5"
NEEDS_A_RECORD = "needs a record"
UNDO_PASTE_4 = "Paste 4 cells"
NEW_IN_COLOUR = "New in colour: pink."
BLOCK_REFUSED = "In line 2 of the block, 'x': 'many' is not a number. Nothing was pasted."

# records find
UNDO_REPLACE_ONE = "Replace 'bern' by 'Thun' in city of record 1"


def replace_in_cells(old: str, new: str, n: int) -> str:
    return f"Replace '{old}' by '{new}' in {n} cells"


# records order
ENTER_VALUE, CHOOSE_VALUE = "Enter a value", "Choose a value"
THREE_OF_6_MATCH = "3 of 6 match"


def keep_records(n: int, total: int) -> str:
    return f"Keep {n} of {total} records"


IS_MORE_THAN = "is more than"
WHERE_ANY_HOLDS = "match any of"

# training steps
GOOD_STAYS_BAD_GROWS = "good: 75 records stay\nbad: 15 records become 75"
WEIGHTS_OF_TWO_CLASSES = "A record of good weighs 0.6, of bad weighs 3."
BOTH_CLASSES_SHRINK = "good 75 → 30; bad 15 → 6."
CLASSES_GROW_TO_9 = "39 records become 54: 4 to 9 of a class → 9."
CLASS_Z_GROWS = "z: 4 records become 9"
WEIGHTS_BY_CLASS = "A record weighs 0.722 to 1.62, by its class."
MISSING_2_TO_0 = "missing 2 → 0"
AFTER_BALANCING = "after 1 step:\n1. Balance classes (training records only)"
UNDO_USE_RECIPE = "Use the recipe mine"
FIRST_COMPONENT = "component 1 ("
GOOD_STAYS_BAD_GROWS_IN_LINE = "good stays 75; bad 15 → 75."
TWO_COLUMNS_CHANGE = "2 columns change."

# values editor
UNDO_RENAME_VALUE = "Rename Paris of city to Lyon"
UNDO_MERGE_TWO = "Merge rome into Rome in city"
MERGE_3_AS = "Merge 3 values as"
UNDO_MERGE_3 = "Merge 3 values of city into South"

# the list of attributes
BEFORE_CORRECTION = "C4.5 subtracts the MDL correction from it, log₂(possible thresholds) / records"
BEFORE_CORRECTION_BRIEFLY = "before the MDL correction of C4.5"

# vocabulary
NORMALIZE = "Normalize / standardize"

# typed files
PEOPLE_OF_1200 = "people (1,200 records)"
A_VIEW = "days (view)"
READ_AS_A_VIEW = "Read as: view days (one of 3)"
VISITS_OF_1 = "visits (1 record)"
READ_AS_ONE_OF_3 = "Read as: table people (one of 3)"
READ_BY_WIDTHS = (
    "Read as: fixed width (12, 15, 4), decimal point, UTF-8, names in the first row, an empty field for missing"
)
READ_BY_GIVEN_WIDTHS = (
    "Read as: fixed width (7, 5, 15, 9), decimal point, UTF-8, names in the first row, an empty field for missing"
)
READ_BY_TYPES = "Read as: columns with the types that the file gives them"
DECLARED_OF_SEX = "Declared as missing: sex (9 = unknown: 4)."
DATA_FRAME_PEOPLE = "data frame people"

# web logs
READ_AS_SESSIONS = "Read as: sessions of a web log, 30 min timeout"
READ_AS_SHORT_SESSIONS = "Read as: sessions of a web log, 2 min timeout"

# overview of the table
PEARSON_OF_A_COPY = "Pearson's r = cov / sqrt(var 1 * var 2)"
WIDTH_AND_AGAIN = "width and again: Spearman's ρ 1.000"
WIDTH_AND_EXTREME = "width and extreme"
FROM_A_SAMPLE_OF_100 = "From a sample of 100 of"
TO_DECIDE = "To decide: "
DAY_FIRST = "Day first"
READ_AS_CHOSEN_FOR_MARCH = "Read as you chose for orders-2024-03.csv"
READ_AS_CHOSEN_BEFORE = "Read as you chose for sales.csv before: the file name and the columns are the same."
WRONG_QUERY = "SELECT nothing FROM nowhere"
QUERY_OF_SIZES = "SELECT size FROM people"
WITHOUT_CHOICES = "Read without these choices"
TAKE_999 = "Take -999 for missing"
READ_AS = "Read as: "
KEEP_TOTALS = "Keep totals"
