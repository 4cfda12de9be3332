"""All sentences that tests expect, a module per package of the product.

A constant is named by what the text says in its situation; a function makes a text from values. A test imports its
module ``as wording``. Parts of sentences stand here too, where a test asserts no more. A better sentence of the program
costs one line here.
"""
