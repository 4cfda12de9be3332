"""What the schema of PMML 4.4 asks of the elements of a tree model: their order, their attributes, their types.

Written from the specification (Data Mining Group, PMML 4.4: General Structure, Data Dictionary, Mining Schema, Output,
Transformations, Trees, Rule Set, Regression), for the elements that are exported; any other element is refused.
"""

from __future__ import annotations

import re
from typing import Final
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

NS: Final = "{http://www.dmg.org/PMML-4_4}"
TEXT: Final = r"(?s).*"
NAME: Final = r"(?s).+"
NUMBER: Final = r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?|INF|-INF|NaN"
COUNT: Final = r"\d+"
SHARE: Final = r"0(\.\d*)?([eE]-\d+)?|1(\.0*)?|\d(\.\d+)?[eE]-\d+"
OPTYPE: Final = "categorical|ordinal|continuous"
DATA_TYPE: Final = "string|integer|float|double|boolean"
PREDICATE: Final = "(SimplePredicate|CompoundPredicate|SimpleSetPredicate|True|False) "
EXPRESSION: Final = "(Constant|FieldRef|Discretize|MapValues|Apply) "
MISSING_VALUES: Final = "lastPrediction|nullPrediction|defaultChild|weightedConfidence|aggregateNodes|none"

Attributes = dict[str, str]
RULES: Final[dict[str, tuple[Attributes, Attributes, str]]] = {
    "PMML": (
        {"version": r"4\.4"},
        {},
        "Header DataDictionary (TransformationDictionary )?(TreeModel|RegressionModel|MiningModel) ",
    ),
    "MiningModel": (
        {"functionName": "classification"},
        {"modelName": TEXT, "algorithmName": TEXT},
        "MiningSchema (Output )?(LocalTransformations )?Segmentation ",
    ),
    "Segmentation": ({"multipleModelMethod": "selectFirst"}, {}, "(Segment )+"),
    "Segment": ({}, {"id": NAME}, f"{PREDICATE}(TreeModel|RegressionModel) "),
    "TransformationDictionary": ({}, {}, "(DerivedField )*"),
    "RegressionModel": (
        {"functionName": "classification"},
        {"modelName": TEXT, "algorithmName": TEXT, "normalizationMethod": "none|simplemax|softmax|logit"},
        "MiningSchema (Output )?(LocalTransformations )?(RegressionTable )+",
    ),
    "RegressionTable": (
        {"intercept": NUMBER},
        {"targetCategory": TEXT},
        "(NumericPredictor )*(CategoricalPredictor )*",
    ),
    "NumericPredictor": ({"name": NAME, "coefficient": NUMBER}, {"exponent": COUNT}, ""),
    "CategoricalPredictor": ({"name": NAME, "value": TEXT, "coefficient": NUMBER}, {}, ""),
    "Header": ({}, {"copyright": TEXT, "description": TEXT, "modelVersion": TEXT}, "(Application )?"),
    "Application": ({"name": NAME}, {"version": TEXT}, ""),
    "DataDictionary": ({}, {"numberOfFields": COUNT}, "(DataField )+"),
    "DataField": (
        {"name": NAME, "optype": OPTYPE, "dataType": DATA_TYPE},
        {"displayName": TEXT},
        "(Interval )*(Value )*",
    ),
    "Value": ({"value": TEXT}, {"displayValue": TEXT, "property": "valid|invalid|missing"}, ""),
    "TreeModel": (
        {"functionName": "classification"},
        {
            "modelName": TEXT,
            "algorithmName": TEXT,
            "missingValueStrategy": MISSING_VALUES,
            "missingValuePenalty": SHARE,
            "noTrueChildStrategy": "returnNullPrediction|returnLastPrediction",
            "splitCharacteristic": "binarySplit|multiSplit",
        },
        "MiningSchema (Output )?(LocalTransformations )?Node ",
    ),
    "MiningSchema": ({}, {}, "(MiningField )+"),
    "MiningField": (
        {"name": NAME},
        {
            "usageType": "active|target|predicted|supplementary|group|order|frequencyWeight|analysisWeight",
            "missingValueReplacement": TEXT,
            "missingValueTreatment": "asIs|asMean|asMode|asMedian|asValue|returnInvalid",
            "invalidValueTreatment": "returnInvalid|asIs|asMissing|asValue",
            "outliers": "asIs|asMissingValues|asExtremeValues",
            "lowValue": NUMBER,
            "highValue": NUMBER,
        },
        "",
    ),
    "Output": ({}, {}, "(OutputField )+"),
    "OutputField": (
        {"name": NAME, "dataType": DATA_TYPE},
        {"optype": OPTYPE, "feature": "predictedValue|probability|transformedValue", "value": TEXT},
        f"({EXPRESSION})?",
    ),
    "LocalTransformations": ({}, {}, "(DerivedField )*"),
    "DerivedField": ({"name": NAME, "optype": OPTYPE, "dataType": DATA_TYPE}, {"displayName": TEXT}, EXPRESSION),
    "MapValues": (
        {"outputColumn": NAME},
        {"mapMissingTo": TEXT, "defaultValue": TEXT, "dataType": DATA_TYPE},
        "(FieldColumnPair )+InlineTable ",
    ),
    "FieldColumnPair": ({"field": NAME, "column": NAME}, {}, ""),
    "InlineTable": ({}, {}, "(row )*"),
    "Discretize": (
        {"field": NAME},
        {"mapMissingTo": TEXT, "defaultValue": TEXT, "dataType": DATA_TYPE},
        "(DiscretizeBin )*",
    ),
    "DiscretizeBin": ({"binValue": TEXT}, {}, "Interval "),
    "Interval": (
        {"closure": "openClosed|openOpen|closedOpen|closedClosed"},
        {"leftMargin": NUMBER, "rightMargin": NUMBER},
        "",
    ),
    "Apply": (
        {"function": r"if|or|and|equal|greaterThan|greaterOrEqual|lessOrEqual|min|max|is(Not)?Missing|\+|-|\*|/"},
        {"mapMissingTo": TEXT, "defaultValue": TEXT},
        f"({EXPRESSION})*",
    ),
    "Constant": ({}, {"dataType": DATA_TYPE}, ""),
    "FieldRef": ({"field": NAME}, {"mapMissingTo": TEXT}, ""),
    "Node": (
        {},
        {"id": NAME, "score": TEXT, "recordCount": NUMBER, "defaultChild": NAME},
        f"{PREDICATE}(ScoreDistribution )*(Node )*",
    ),
    "ScoreDistribution": ({"value": TEXT, "recordCount": NUMBER}, {"confidence": SHARE, "probability": SHARE}, ""),
    "SimplePredicate": (
        {
            "field": NAME,
            "operator": "equal|notEqual|lessThan|lessOrEqual|greaterThan|greaterOrEqual|isMissing|isNotMissing",
        },
        {"value": TEXT},
        "",
    ),
    "SimpleSetPredicate": ({"field": NAME, "booleanOperator": "isIn|isNotIn"}, {}, "Array "),
    "CompoundPredicate": ({"booleanOperator": "or|and|xor|surrogate"}, {}, f"({PREDICATE}){{2,}}"),
    "Array": ({"type": "int|real|string"}, {"n": COUNT}, ""),
    "True": ({}, {}, ""),
    "False": ({}, {}, ""),
}
"""Of each element: the attributes it must have and those it may have, with what they look like, and its children in
order."""


def faults(text: str) -> list[str]:
    """What is wrong with a document by the schema; nothing where it is valid."""
    found: list[str] = []
    _look(ElementTree.fromstring(text), found)
    return found


def _look(element: Element, found: list[str]) -> None:
    name = element.tag.removeprefix(NS)
    if name not in RULES or not element.tag.startswith(NS):
        found.append(f"{element.tag} is no element that is known here")
        return
    required, optional, children = RULES[name]
    found += [f"{name} lacks {attribute}" for attribute in required if attribute not in element.attrib]
    for attribute, value in element.attrib.items():
        pattern = required.get(attribute, optional.get(attribute))
        if pattern is None or not re.fullmatch(pattern, value):
            found.append(f"{name} has {attribute}={value!r}")
    below = "".join(f"{child.tag.removeprefix(NS)} " for child in element)
    if not re.fullmatch(children, below):
        found.append(f"{name} has the children {below}")
    if (element.text or "").strip() and name not in ("Array", "Constant"):
        found.append(f"{name} has the text {element.text!r}")
    for child in element:
        if name != "InlineTable":  # its rows hold columns of any name
            _look(child, found)
