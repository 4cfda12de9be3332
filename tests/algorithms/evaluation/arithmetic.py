"""Reckons the formula of a working with its terms: the numbers must lead to the value that stands beside them."""

from __future__ import annotations

import ast
import math
import operator
import re
from typing import Final

from algorithms.core.scores import FormulaWorking

_SIGNS: Final = {"·": "*", "−": "-", "²": "**2", "^": "**", "√": "sqrt"}
_OPERATORS: Final = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: operator.pow,
}


def reckoned(working: FormulaWorking) -> float:
    """What the formula comes to when each symbol in braces is its term's value."""
    values: dict[str, float] = {}

    def name_of(found: re.Match[str]) -> str:
        term = next(term for term in working.terms if term.symbol == found[1])
        assert term.value is not None
        name = f"t{len(values)}"
        values[name] = float(term.value)
        return name

    text = re.sub(r"\{([^{}]+)\}", name_of, working.formula)
    for sign, python in _SIGNS.items():
        text = text.replace(sign, python)
    return _value(ast.parse(text, mode="eval").body, values)


def _value(node: ast.expr, values: dict[str, float]) -> float:
    match node:
        case ast.Constant(value=int() | float() as number):
            return float(number)
        case ast.Name(id=name):
            return values[name]
        case ast.UnaryOp(op=ast.USub(), operand=inner):
            return -_value(inner, values)
        case ast.Call(func=ast.Name(id="sqrt"), args=[inner]):
            return math.sqrt(_value(inner, values))
        case ast.Call(func=ast.Name(id="max" | "min" as name), args=inner):
            return (max if name == "max" else min)(_value(each, values) for each in inner)
        case ast.BinOp(left=left, op=op, right=right):
            return float(_OPERATORS[type(op)](_value(left, values), _value(right, values)))
        case _:
            raise AssertionError(f"not arithmetic: {ast.dump(node)}")
