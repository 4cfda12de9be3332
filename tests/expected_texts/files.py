"""Texts that tests of `workbench.files` expect."""


# apply model
def saved_40(file: object) -> str:
    return f"Saved {file}: 40 records"


def own_threshold_for(label: str) -> str:
    return f"Costs differ by record, so each has its own threshold for {label}."


def from_percent(label: str) -> str:
    return f"threshold {label}"


WHAT_RUN_1_SAYS = "40 records of new ones.csv, predicted by run 1, Naive Bayes."
DEFAULT_RULE = "default"
DEFAULT_AT_HALF = "Decision rule: default, the most probable class (threshold 50%)."
DECIDES_BY_COST = "it decides by least expected cost"


def decides_by_cost_at(threshold: str, label: str) -> str:
    return f"{DECIDES_BY_COST} (threshold {threshold} for “{label}”). Costs: "


WARD_IS_NEW = "'ward' is new and not looked at"
SAID_BY_RUN_1 = "run 1, Naive Bayes"
DECIDED_BY_COST_WITH = "least expected cost: "
NO_PREDICTED_YES_1 = "no predicted yes 1"
YES_PREDICTED_NO_20 = "yes predicted no 20"
DECIDES_AS_MODEL_THOUGH_COSTS = (
    "This is the model of all records, not that of a fold. Costs are set, but this run uses the default rule"
)
MISSING_FOR_1_RECORD = "first * first + 1 is missing for 1 record: its average, "
NAIVE_BAYES_OF_SMALL = "Naive Bayes, trained on small"
BY_LEAST_EXPECTED_COST = "by least expected cost"
CANNOT_BE_USED = "cannot be used on lacking.csv. "
TREAT_AS_MISSING = "treat it as missing"
FIRST_IS_MISSING_IN_BOTH = "Column 'first' is missing in both records: the model treats it as missing"
DECIDED_WITHOUT_FIRST = "without first, treated as missing"


def right_on(n: float) -> str:
    return f"{n:,} of 240 records with a known class are predicted correctly."


OPTIMISTIC_FOR_TRAINING = "This is optimistic for training records."
ONE_INCOMPLETE = "1 record with missing values."


def costs_in_total(total: float, default: float) -> str:
    return f"They cost {total:g} in total, {default:g} under the default rule."


def predictions_for(name: object) -> str:
    return f"Predictions for {name}"


SAVED_30_ANSWERS = "Saved answers.csv: 30 records."
IS_A_PROJECT = "kept.coppice is a project"
ALL_SAVED_WITH_32_MORE = "All 90 records; saved with 32 more columns"
SAVED_MODEL_DECIDES_BY_COST = "Saved the model kept.coppice-model, as decided now: it decides by least expected cost."


def from_probability(label: object) -> str:
    return f"{label} from probability 0.0912345678 on"


# files in and out
LOOK_AT_FILE = "Look at the file"
SHEET_STOCK = "sheet Stock & more"
SAVED_150_PREDICTIONS = "Saved 150 predictions"
LOOKS_LIKE_AMOUNTS = "looks like amounts"
NO_TABLE_IN_CLIPBOARD = "no table in the clipboard"
ONE_LINE_ONLY = "one line only"
AMOUNT_AND_INCOME_READ_AS_NUMBERS = "amount, monthly income: read as numbers, € removed."
DASH_IN_INCOME_AND_REMARK = "- is missing in monthly income and a value in remark."

# large files
BOXES_TOO_LARGE = "boxes.csv is too large"
BOXES_HAS_1_MB = "boxes.csv has 1 MB"
BOXES_SAMPLE = "boxes, a sample"
NO_COLUMN_FOR_CLASS = "No column can be the class"
MB_OF_MEMORY = "1 MB of memory"
GROW_A_TREE = "Grow a tree"

# several files
TWO_FILES_AS_ONE = "Open 2 files as one table?"
MAY_LACKS_SHOP = "may.csv lacks the column 'shop' of the other files: missing there."

# databases
CUSTOMERS_WITH_90_RECORDS = "customers   (90 records)"
NO_SELECT_STATEMENT = "is no SELECT statement"
REFUSED_THE_PASSWORD = "refused the password"
COLUMNS_FROM_TOWNS = "A step of this model takes columns from towns.csv."
WITHOUT_ENCRYPTION = "an address without encryption"
FLOWERS_SAVED = "Saved flowers in shop on 127.0.0.1"
FEBRUARY_PREDICTED = "150 records of february.csv"
READ_AS_RECIPE = "Read as the table from which report.coppice-recipe was saved"
OPEN_AGAIN_FOR_RECIPE = "Open the file again and use the recipe before any change"
SAMPLE_FITS = "A random sample of its records fits"
SAMPLE_OF_BOXES = "1,000 of the 6,000 records of boxes."
FIGURES_OF_ALL = "The figures are of all 6,000 records of the file"
OF_THE_FILE = "records of the file"
LEARNED_FROM_A_SAMPLE = "Learned from a sample and tested on it: 1,000 of the 6,000 records of boxes."
