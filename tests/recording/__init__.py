"""Recordings of what the program does, to prove that a change of its structure changes nothing.

``python -m tests.recording record FOLDER`` writes what this checkout does: the JSON of the command line for every
learner, filter, method and curve on three tables with a fixed seed, exports, model files, a project, and a picture of
every page of the window in both themes. ``python -m tests.recording compare FOLDER`` does the same again and prints
each difference as path, before, now; it also opens the models and projects of FOLDER. ``compare FOLDER OTHER`` compares
two folders that are there. ``--only commands`` (or ``models``, ``projects``, ``pictures``) does one part.

Without a FOLDER both take ``tests/recording/data``, which the repository keeps and which the suite checks in part
(``test_recording.py``). It holds no pictures: fonts differ between machines, so pictures are compared only between two
checkouts on one machine. Numbers must be equal to the last bit where the recording was made with the same versions of
the libraries on the same kind of processor, else to 1e-6. A checkout older than this package is recorded by copying
the package into it.

Changed words (sentences, labels, help) are listed apart from changed values. The suite fails for values only.
An intended difference is recorded again by ``record`` and stated in the commit; ``record`` keeps the model and project
files that are there, since those of older versions must go on working.
"""
