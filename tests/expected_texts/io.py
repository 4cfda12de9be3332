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
ROW_6_IS_A_TOTAL = "Row 6 holds a total ('Total') and is left out"
ROW_PASSED_OVER = "Row 4 stands above the table and is left out: 'Sales of 2024'."
TWO_COLUMNS_NAMED_X = "Two columns are named 'x'"
SHEET_SALES_WAS_CHOSEN = "Sheet 'Sales' was chosen: most cells below names are there, few or none on 'About'."
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
PACKED_WITH_ZSTD = "packed with zstd"
FREE_ON_THE_DISK = "are free on the disk"


# kinds
def alter_is_not_numeric(kind: object, n: float) -> str:
    return f"Alter is {kind}, not numeric: 2 of {n:,} values"


def first_of_them(line: float) -> str:
    return f"'viel' in line {line:,}, the first of them"


MARKS_FOR_MISSING = "marks for missing values"
DECIMAL_COMMA_FROM_LINE = "10,000 of 30,000 values are no numbers ('5000,0' in line 20,002, the first of them)"
OTHER_DECIMAL_MARK = "other decimal mark"
INFINITE_IN_Y = "Infinite numbers in y count as missing."
TWO_VALUES_OF_A_B = "Keys that occur twice in a record, of which one value was kept: a.b."
INFINITE_IN_X = "Infinite numbers in x count as missing."
FAR_DATES_IN_WHEN = "Dates beyond the year 9999 in when count as missing."

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

# typed files
LEFT_OUT_LISTS = "Left out: many (lists)."
LEFT_OUT_BINARY = "Left out: picture (binary data)."
LEFT_OUT_BASKET = "Left out: basket (lists)."
NO_RECORDS = "holds no records"
RECORDS_OF_6_COLUMNS = "holds 90 records of 6 columns"
RECORDS_OF_16_COLUMNS = "holds 90 records of 16 columns"
GB_OF_TEXT = " GB of text, and 1.1 GB of memory are free"
TABLE_PEOPLE = "table people"
IS_IN_USE = "is in use"
GAVE_NO_RECORD = "gave no record for"
GIVES_MORE_RECORDS = "endless in a.db gives more records than fit into memory"
NO_TABLES = "holds no tables"

# statistics files
DECLARED_OF_SPSS = "Declared as missing: sex (9 = unknown: 2), age (99 = refused: 2; 98: 2), word (zz: 2)."
DECLARED_OF_STATA = "Declared as missing: code (.a = refused: 2; .z: 2)."
READ_AS_WINDOWS = "read as WINDOWS-1252"
LEFT_OUT_VECTOR = "Left out: v (no data frames)."
NOT_IN_XDR = "saved as text or not in XDR form"
NO_DATA_FRAME = "holds no data frame that can be read"
DATA_FRAMES_ARE = "Its data frames are people, pets."
MORE_THAN_FIT = "more than fit into the free memory"
NOT_AN_SPSS_FILE = "damaged, cut off, or not an SPSS file"


def no_table(name: str) -> str:
    return f"no table named '{name}'"


# JSON
LEFT_OUT_OF_JSON = "Left out: o (lists of objects); m (lists of lists)."
JOINED = "Lists were joined to texts by commas: tags."
SPREAD = "Lists of numbers became a column for each element: pixels."
KEYS_TWICE = "Keys that occur twice in a record, of which one value was kept: a."
IT_ENDS_WITHIN = "it ends within a list"
JSON_REFUSALS = {
    "syntax": "table.json is no valid JSON: Expecting property name enclosed in double quotes.",
    "deep": "table.json holds lists or objects that are nested too deeply.",
    "mixed": "table.json mixes records with values that are none.",
    "unequal": "The lists in table.json have different lengths.",
    "empty": "table.json holds no records.",
}
LISTS_OF_SHOP = "Its lists are customers, answer.orders."
NEEDS_MORE_MEMORY = "needs more than 0.3 GB of memory to unpack."


# packed
def damaged_package(file: str, packing: str) -> str:
    return f"{file} is packed with {packing}, and the package is damaged or cut off."


def packed_twice(file: str, packing: str) -> str:
    return f"{file} is packed twice, within with {packing}."


MORE_THAN_200_TIMES = "unpacks to more than 200 times its size"
ITS_FILES_ARE = "Its files are a.csv, b.csv."
ARCHIVE_TOO = "a.zip in t.zip is an archive too."
DAMAGED_ARCHIVE = "t.zip is a damaged or cut off archive."
NO_FILES = "t.zip holds no files."


# web pages
WEB_PAGE = "a web page (HTML)"
NO_TABLE_IN_PAGE = "table.html is a web page without a table."
CELLS_SPAN_TOO_MUCH = "Cells in table.html span more rows and columns than a table can have."
TABLES_OF_PAGE = "Its tables are Table 1, Sales, Table 3, Table 4."


# formats that are written
WRITING_IT_NEEDS = "Writing it needs py"
NOT_WRITTEN_AS_GZ = "Tables are not written as .gz files."
NOT_WRITTEN_AS_JSON = "Tables are not written as .json files."

SMALL_EXISTS = "a.db has a table named 'small' already."
VIEW_EXISTS = "a.db has a view named 'v' already."
SMALL_LACKS_EXTRA = "The table 'small' in a.db lacks the column 'extra'."
UNIQUE_FAILED = "UNIQUE constraint failed"
IN_USE_BY_ANOTHER = "a.db is in use by another program."
NO_SQLITE_DATABASE = "b.sqlite exists and is no SQLite database."
THE_SAME_COLUMN = "SQLite takes the names 'Äb' and 'ÄB' for the same column."
SAME_COLUMN = "SQLite takes the names 'Size' and 'size' for the same column."
ROOM_FOR_2000 = "A table of SQLite has room for 2,000 columns."
ZERO_IN_A_NAME = r"'a\\x00b' is no name for a table of SQLite."
NO_NAME_OF_A_TABLE = "'sqlite_stat1' is no name for a table of SQLite."

ZERO_CHARACTER = "'note' holds a text with a zero character, which S.* has no place for."
NOT_WRITTEN_AS_A_WHOLE = "table.* cannot be written as a whole."
TAKEN_FOR_MISSING = "'x' holds numbers that .* takes for missing ones."
TEXTS_TOO_LONG = "'t' holds texts of more than 32,767 bytes, the most of SPSS."

# web logs
SESSIONS_WITH_BAD_LINES = (
    "1 session of 8 requests. A session ends after 30 min without a request. "
    "Left out: 5 lines without a request (lines 2, 3, 4, ...)."
)
ALL_SESSIONS_ENDED = "Where more than 50 requests belonged to open sessions, all were ended."
LINES_LEFT_OUT_AFTER_BLANKS = "Left out: 100,000 lines without a request (lines 403, 406, 409, ...)."
SECOND_LINE_LEFT_OUT = "Left out: 1 line without a request (line 2)."
ONE_UNKNOWN_AGENT = "The agents of 1 session name neither a robot nor a browser."
FIRST_LINE_OF_LOG = "access.log, line 1"

# libsvm
ZERO_UNLESS_LISTED = "Values that a record does not list are 0."
COUNT_AS_MISSING = "Values that are infinite or no numbers count as missing."
TOO_WIDE_LIBSVM = "table.libsvm has 1,355,191 attributes, and a table can have 65,536."
RECORDS_OF_40000 = "holds 100 records of 40,000 columns: they need at least 0.0 GB"

# declared tables
UNDECLARED_SNOW = "Column 'outlook' holds 'snow', which the header does not declare"
WEIGHT_OF_RECORD_2 = "The weight of record 2 is missing or negative."
INFINITE_IN_X = "Infinite numbers in x count as missing."
PLACE_OF_RECORD_2 = "table.tab, record 2"
NO_DATA_BESIDE = "no golf.data stands beside it"
PLACE_OF_SNOW = "golf.data, record 2"
PLACE_OF_SHORT_RECORD = "golf.data, line 4"

# columns of fixed width
VALUE_CROSSES_BORDER = "A value crosses the border between the columns 1 and 2."
LINE_THAT_IS_CUT = "table.txt, line 30001"
NO_WIDTHS = "These cannot be the widths of columns."
NO_GUTTERS = "No column of blanks runs through all lines of table.txt."

# several files
MAY_AND_ONE_MORE = "may and 1 more"
MAY_LACKS_SHOP = "may.csv lacks the column 'shop' of the other files: missing there."
VALUE_IS_NOMINAL = "'value' is nominal: numeric in may.csv; nominal in june.csv."
SIZE_IS_NOMINAL = "'size' is nominal: ordinal in may.csv, june.csv."
DOLLARS_AND_EUROS = "The unit of 'pay' is $ in may.csv; € in june.csv."
DOLLARS_AND_NO_UNIT = "The unit of 'pay' is $ in may.csv; no unit in june.csv: taken for the same."
UNIT = "The unit of"
MAY_IS_NAMED_TWICE = "may.csv is named twice, so each of its records would count twice."
FREE_SOME_SPACE = "Free some space, or unpack it on another disk and open that."
KEEP_VIEW_AS_TABLE = "Choose another table, or keep it as one."
JUNE_LACKS_COLUMNS = "june.csv lacks the columns 'size', 'colour', 'class' of the other files."

# databases
ADDRESS_MAKES_NO_SENSE = "address of the database makes no sense"
HAS_SEVERAL_TABLES = "has 3 tables"
HAS_NO_SUCH_TABLE = "has no table named"
COULD_WRITE = "could write"
FIT_INTO_MEMORY = "more records than fit into memory"
SERVER_REFUSED = "types on 127.0.0.1 refused"
CANNOT_BE_REACHED = "cannot be reached"
CANNOT_BE_OPENED = "cannot be opened"
SHOP_ON_HOST = "my shop on ::1"
OTHER_SHOP_ON_HOST = "shop on db"
INSTALL_DRIVER = '-m pip install "no-such-driver>=1"'
HAS_TABLE_ALREADY = "has a table named"
HAS_VIEW_ALREADY = "has a view named"
LACKS_THE_COLUMNS = "lacks the columns"

# web addresses
MY_TABLE_CSV = "my table.csv"
REDIRECTS_WITHOUT_ENCRYPTION = "redirects to an address without encryption"
WITHOUT_ENCRYPTION = "an address without encryption"
DOES_NOT_GIVE_THE_FILE = "does not give the file"
ARE_FETCHED = "are fetched"
NO_DATABASE_NO_QUERY = "a query cannot be run on it"

# reading as an earlier file
NOT_READ_AS_EARLIER = "was not read as the earlier file was"
READ_BY_ITSELF = "It was read by itself."
NO_SAMPLE_OF_IT = "can only be read whole"
LEARNED_FROM_SAMPLE = "Learned from a sample and tested on it"
ALL_RECORDS_OF_T = "All 30,000 records of t.csv:"
PART_LACKS = r"part-1\.csv lacks the column 'b'"
PART_HAS_MORE = r"part-1\.csv has, unlike the other files, the column 'another'"
PART_HAS_WORDS = r"part-1\.csv cannot be read as part-\d\.csv was"
