"""Texts that tests of `workbench.app` expect."""


# app
def sudo_apt_install(package: object) -> str:
    return f"sudo apt install {package}"


SUDO_APT_INSTALL_EGL = "sudo apt install libegl1"

# as an editor
UNDO_MERGE_2 = "Merge 2 values of city into Bern"

# beginning
OPENING_GATE = "Opening Gate ..."
THIRD_DONE = "33% done"


# first paint
def parts_ready(n: int, total: int) -> str:
    return f"{n} of {total} parts"


# judging as a person
NINE_WERE_MISSING = "9 values were missing"
CHOSEN_ON_ALL_90 = "Chosen on all 90 records: "
SEVERAL_SETTINGS_ARE_BETTER = "Parameter search (run 2) has a significantly higher accuracy"

# long names
SUPPORT_VECTOR_MACHINE = "Support vector machine"

# main window
UNDO_PREDICT = "Undo: Use Petal Width as the class"
REDO_PREDICT = "Redo: Use Petal Width as the class"
LEDGER_NOT_SAVED = "1 run is not saved."
CHANGES_AND_LEDGER_NOT_SAVED = "The changes to the table are not saved. 1 run is not saved."
CHANGES_NOT_SAVED = "The changes to the table are not saved."
CLOSE_WITHOUT_SAVING = "Close without saving"
STAR_IN_NAME = "A *star* in <name>. Look at it."


# selection bar
def records_selected(n: int, total: int) -> str:
    return f"{n} of {total} records selected"


BY_THE_TEST = "by the test"
NOTHING_SELECTED = "No record selected."
CLICK_A_NUMBER = "Click the number of a record"
CLICK_A_CELL = "Click a cell of the confusion matrix"
CLICK_A_NODE = "Click a node of the tree"
CLICK_A_LINE = "Click the line of a record"
CLICK_A_POINT = "Click a point"
UNDO_REMOVE_2_SELECTED = "Remove 2 selected records"
CHOSEN_ARE_NOT_HERE = "2 chosen records are not in the table now"
ALL_SELECTED = "All records are selected"
NAME_OF_SELECTED = "small, 3 selected records"
HOW_A_MODEL_JUDGED = "chosen by a model's predictions"
BY_TURNING_OVER = "by turning over what was selected by the confusion matrix"

# staying in
STEP_1_OF = "Step 1 of"

# votes and costs as a person
ONE_MEMBER_HAS_3_WRONG = "1 member has 3 of 10 records"
THREE_MEMBERS_HAVE_NONE_WRONG = "The first 3 members together have 0 of 10"


# tests elsewhere
def title(name: str) -> str:
    return f"{name} - Coppice"


def title_unsaved(name: str) -> str:
    return f"{name} * - Coppice"


ALL_METRICS = "Evaluate, all metrics"
PREDICT_NEW_DATA = "Predict new data"
RECORD_120 = ["Record 120 in the table", "Explain record 120"]
LEARNER_HINT = "learner for the next run, Trees"
RUN_HINT = "run, shown on all pages"
OPEN_RECENT_MUSHROOMS = "Open recent: mushrooms.csv"
PETAL_WIDTH_MISSING = "Petal Width is missing"


def source_of_run_4(details: str = "") -> str:
    return f"by run 4 ({details})" if details else "by run 4"


SAVE_TEST_PREDICTIONS = "Save test predictions"
LISTED_ONCE = ("friedman", SAVE_TEST_PREDICTIONS, "save picture", "save table")
POSITIVE_CLASS = "Positive class"
COSTS_CHAPTER = "Costs & threshold"
