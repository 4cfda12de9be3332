"""Texts that tests of `workbench.autosave` expect."""

# autosave
CHANGE_A_CELL = "Change a cell"
LEAVE_OUT_SECOND = "Leave out second"
RESTORED_WITH_RUNS = "Restored what you had open when the program ended unexpectedly: small, 1 change, 2 runs."
SMALL_WITH_1_CHANGE = "small, 1 change."
KEPT_AFTER_UNEXPECTED_END = "What you had open when the program ended unexpectedly is kept: small, 1 change"
RESTORED_IS_DISCARDED = "What was restored is discarded."
PASTED_TABLE_UNSAVED = "pasted table * - "
PASTED_TABLE_WITH_1_CHANGE = "pasted table, 1 change"

# files of a project
ONLY_PROJECT_NAMES_IT = "only the project names it"

# kept runs
UNDO_WRITE_A_RULE = "Write a rule: if Petal Width >= 1.7"

# open elsewhere
CHANGED_SINCE_OPENED = "has changed since it was opened here"

# project files
REDO_LEAVE_OUT = "Leave out size"
NOTE_NOT_SAVED = "A note is not saved."
POSITIVE_CLASS_NOT_SAVED = "The positive class is not saved."
COSTS_AND_THRESHOLD_NOT_SAVED = "The costs, the threshold and the positive class are not saved."
NEW_RUN_NOT_SAVED = "1 new run is not saved."
TWO_NEW_RUNS_NOT_SAVED = "2 new runs are not saved."
CHANGES_GONE_RUN_AND_COSTS_NOT_SAVED = (
    "The changes to the table are not saved. The removal of 1 run and that the costs are gone are not saved."
)
EDIT_NOTE_AND_GONE_RUN_NOT_SAVED = "1 edit is not saved. A note and the removal of 1 run are not saved."
RUNS_AND_COSTS_NOT_SAVED = "2 runs and the costs are not saved."
STILL_RUNNING = "Something is still running."
OPENING_ANOTHER_STOPS = "Opening another table stops"
SOURCE_NOT_LOOKED_AT = "was not opened, so it may have changed since"
SHOP_HAS_CHANGED = "shop.csv has changed since"
NOT_A_SAVED_FILE = "not a saved file of this program, or it is damaged"
