"""Pictures and an inspection of every page of the window, over tables of very different sizes.

``python -m tests.pages FOLDER`` shows each page with nothing loaded, iris, breast-cancer, 26 classes, 300 long names
and 200,000 records, in both themes, several sizes and two scales of text. ``--table letters=letter.csv --class letter``
shows the letters of a file in place of those made here. It does so at rest and in busier states (questions, selections,
open bars, running work, each view of an ensemble). It writes a picture of each, and prints what a widget can tell of
it: how many buttons are in view, which controls are cut off, which text is smaller than 11 px, and which terms the
glossary has replaced. Text that is painted is only in the pictures: look at them.
"""
