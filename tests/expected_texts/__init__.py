"""All sentences that tests expect, a module per package of the product.

A constant is named by what the text says in its situation. A function makes a text from values. Each section has the
texts of one test file, those of several files come first. A test imports its module ``as wording``. A new sentence
of the program costs one line here.
"""
