"""What can be fuzzed, by the name that the command line has for it."""

from __future__ import annotations

from typing import Final

TARGETS: Final = {
    "csv": "tests.fuzz.tables:Csv",
    "survey": "tests.fuzz.tables:InPieces",
    "clipboard": "tests.fuzz.tables:Clipboard",
    "arff": "tests.fuzz.tables:Arff",
    "gzip": "tests.fuzz.tables:Packed",
    "foreign": "tests.fuzz.tables:Foreign",
    "xlsx": "tests.fuzz.workbooks:Xlsx",
    "xls": "tests.fuzz.workbooks:Xls",
    "ods": "tests.fuzz.workbooks:Ods",
    "bif": "tests.fuzz.networks:Bif",
    "xmlbif": "tests.fuzz.networks:Xmlbif",
    "models": "tests.fuzz.saved:Models",
    "projects": "tests.fuzz.saved:Projects",
    "journals": "tests.fuzz.saved:Journals",
    "recipes": "tests.fuzz.saved:Recipes",
    "costs": "tests.fuzz.saved:Costs",
    "settings": "tests.fuzz.windows:SettingsFiles",
    "window": "tests.fuzz.windows:Windows",
    "sessions": "tests.fuzz.windows:Sessions",
    "formulas": "tests.fuzz.typed:Formulas",
    "dates": "tests.fuzz.typed:Dates",
    "cells": "tests.fuzz.typed:Cells",
    "options": "tests.fuzz.typed:Options",
    "commands": "tests.fuzz.typed:Commands",
    "edits": "tests.fuzz.typed:Edits",
}
"""Each with the module and the class that it is; a module is imported in the worker that needs it only."""
