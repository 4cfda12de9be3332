"""Texts that tests of `algorithms.io` expect."""

# amounts
PRICE_READ_AS_NUMBERS = "price: read as numbers, EUR removed."
PRICE_LOOKS_LIKE_NUMBERS = "price looks like numbers"
BLANKS_BETWEEN_THOUSANDS = "Blanks stand between thousands"
P_LOOKS_LIKE_NUMBERS = "p looks like numbers"
MARK_IS_A_COMMA = "The decimal mark is a comma."
MISSING_IN_ONE_VALUE_IN_OTHER = "- is missing in price and a value in grade."

# any text
MARK_BETWEEN_THOUSANDS = "mark between thousands"

# bad input
DAMAGED_OR_CUT_OFF = "damaged or cut off"


def unpacks_to_too_much(name: object) -> str:
    return f"{name} unpacks to more than 200 times its size."


OTHERS_HAVE_3 = "where the others have 3"
MAY_NOT_BE_READ = "may not be read"
NOT_A_TEXT_FILE = "not a text file"

# excel
NO_NUMBER_IN_RECORD_31 = "1 of 90 values is no number ('viel' in record 31)"
READ_AS_HOURS = "opens, lasts are read as hours"
ROW_PASSED_OVER = "Row 4 stands above the table and was passed over: Sales of 2024"
TWO_COLUMNS_NAMED_X = "Two columns are named 'x'"
SHEET_DESCRIBED = "sheet Sales, names in the first row"


def no_sheet(name: str) -> str:
    return f"no sheet named '{name}'"


NOTHING_ON_SHEET = "nothing on its sheet Notes"
TO_BE_NUMERIC = "to be numeric"
LOCKED_WITH_PASSWORD = "locked with a password"

# excel writing
TOO_LARGE_FOR_WORKBOOK = "too large for a workbook"
SAVE_IT_AS_CSV = "Save it as CSV."
ERROR_WHEN_PROCESSING = "cannot be written: Error when processing."


# foreign formats
def is_no_table(file: str, format: str) -> str:
    return f"{file} is {format}, not a table."


WHAT_WAS_COPIED = "What was copied"

# hostile workbooks
LAST_CELL = "the cell XFD1048576"


def gb_of_memory(n: float) -> str:
    return f"{n} GB of memory"


WOULD_UNPACK = "would unpack to 3.0 GB"
TOOK_MORE_THAN = "took more than"
PACKED_WITH_GZIP = "packed with gzip"


# kinds
def alter_is_not_numeric(kind: object, n: float) -> str:
    return f"Alter is {kind}, not numeric: 2 of {n:,} values"


def first_of_them(line: float) -> str:
    return f"'viel' in line {line:,}, the first of them"


MARKS_FOR_MISSING = "marks for missing values"
DECIMAL_COMMA_FROM_LINE = "10,000 of 30,000 values are no numbers ('5000,0' in line 20,002, the first of them)"
OTHER_DECIMAL_MARK = "other decimal mark"
INFINITE_IN_Y = "Infinite numbers in y count as missing."
INFINITE_IN_X = "Infinite numbers in x count as missing."

# layouts
RECOGNISED = "semicolons, decimal comma, UTF-8, names in the first row, ? for missing"
NA_FOR_MISSING = "n/a for missing"
NA_AND_DASH_FOR_MISSING = "n/a, - for missing"

# pasted
COPY_THE_CELLS = "Copy the cells"

# regular files
PIPE_OR_DEVICE = "is a pipe or a device"
IS_A_FOLDER = "is a folder"

# surveying
ONLY_THOSE_IN_PIECES = "only those can be read in pieces"

# wide tables
A_IS_NOT_CLOSED = "'a' is not closed"
MORE_THAN_300_COLUMNS = "more than 300 columns"
