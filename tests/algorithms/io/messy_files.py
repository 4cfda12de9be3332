"""Twenty messy files such as people have, each with the table that it should become and the clicks that this may take.

A file is made when a test needs it. ``corrections`` names the guesses that a person corrects or accepts, in order: the
key of the guess and the label of the correction.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any, Final

import xlsxwriter

NUMERIC, NOMINAL, DATE, IDENTIFIER, TEXT = "numeric", "nominal", "date", "identifier", "text"


@dataclass(frozen=True)
class MessyFile:
    """A file, the columns it should become as (name, kind, values with None for missing), and the clicks."""

    name: str
    make: Callable[[Path], None]
    columns: Sequence[tuple[str, str, Sequence[object]]]
    corrections: Sequence[tuple[str, str]] = ()
    units: tuple[tuple[str, str], ...] = ()
    """Units that attributes should have, by name."""


def day(year: int, month: int, number: int) -> float:
    """Midnight of a day in seconds since 1970-01-01 UTC."""
    return datetime(year, month, number, tzinfo=UTC).timestamp()


def _text(content: str, encoding: str = "utf-8") -> Callable[[Path], None]:
    return lambda path: _write(path, content.encode(encoding))


def _write(path: Path, content: bytes) -> None:
    path.write_bytes(content)


def _sheet(rows: Sequence[Sequence[Any]], merged: Sequence[tuple[str, object]] = ()) -> Callable[[Path], None]:
    """A workbook with these rows from A1 on; ``merged`` ranges get one text each."""

    def make(path: Path) -> None:
        with xlsxwriter.Workbook(path) as book:
            sheet, days = book.add_worksheet("Data"), book.add_format({"num_format": "yyyy-mm-dd"})
            for i, row in enumerate(rows):
                for j, cell in enumerate(row):
                    if isinstance(cell, date):
                        sheet.write_datetime(i, j, datetime(cell.year, cell.month, cell.day), days)
                    elif cell is not None:
                        sheet.write(i, j, cell)
            for cells, text in merged:
                sheet.merge_range(cells, text)

    return make


_TITLES = _text(
    "Verkaufsbericht Süd;;;\n"
    "erstellt am 03.01.2025;;;\n"
    ";;;\n"
    "Region;Artikel;Menge;Umsatz\n"
    "Nord;Stuhl;12;1.240,50\n"
    "Nord;Tisch;3;899,00\n"
    "Süd;Stuhl;7;712,25\n"
    "Süd;Tisch;5;1.499,90\n"
    ";;;\n"
    "* vorläufige Zahlen;;;\n"
)
_TOTALS = _text(
    "Region,Units,Sales\nNorth,10,100.5\nSouth,20,200.25\nEast,5,50\nWest,15,149.25\nTotal,50,500\n"
    "Source: sales database\n"
)
_UNITS = _text(
    "Sample,Length,Mass,Temperature\n,mm,kg,°C\nA1,12.5,0.31,20.1\nA2,13.1,0.29,20.4\nA3,11.9,0.33,19.8\n"
    "A4,12.2,0.30,21.0\n"
)
_JOINED_HEADS = _text(
    "Region;2023;;2024;\n;Sales;Profit;Sales;Profit\nNorth;100;10;110;12\nSouth;90;8;95;9\nEast;70;5;82;7\n"
    "West;66;6;71;8\n"
)
_SIDE_BY_SIDE = _sheet(
    [
        ["Patients", None, None, None, "Wards"],
        ["Name", "Age", "Ward", None, "Code", "Beds"],
        ["Ada", 41, "W1", None, "W1", 20],
        ["Ben", 35, "W2", None, "W2", 12],
        ["Cleo", 62, "W1", None, "W3", 30],
        ["Dan", 57, "W3"],
        ["Eve", 48, "W2"],
    ]
)
_BELOW = _sheet(
    [
        ["Machines"],
        ["Machine", "Speed", "Power"],
        ["M1", 1200, 5.5],
        ["M2", 1500, 7.5],
        [],
        ["Failures"],
        ["Machine", "Day", "Hours", "Cause"],
        ["M1", date(2024, 1, 5), 2.5, "belt"],
        ["M2", date(2024, 1, 9), 1.0, "motor"],
        ["M1", date(2024, 2, 2), 4.0, "belt"],
        ["M2", date(2024, 2, 20), 3.5, "belt"],
        ["M2", date(2024, 3, 1), 0.5, "motor"],
    ]
)
_MERGED = _sheet(
    [
        ["Enrolment by school"],
        [],
        ["School"],
        [None, "girls", "boys", "girls", "boys"],
        ["Elm", 30, 28, 31, 29],
        ["Oak", 25, 27, 24, 30],
        ["Ash", 41, 39, 44, 40],
        ["Fir", 18, 22, 20, 21],
    ],
    merged=[("B3:C3", 2023), ("D3:E3", 2024)],
)
_AMOUNTS = _text(
    "Kunde;Umsatz;Rabatt;Saldo\n"
    "Abel;€ 1.234,50;12,5 %;(1.234)\n"
    "Boes;€ 99,00;3,0 %;250\n"
    "Cohn;€ 12.000,00;0 %;(99)\n"
    "Dorn;€ 640,10;7,5 %;1.020\n"
    "Eder;€ 5,25;10,0 %;88\n"
)
_ACCOUNTS = _sheet(
    [
        [None],
        [None, "Account", "Opening", "Change", "Share"],
        [None, "Cash", "$1,234.50", "(1,234.00)", "12.5%"],
        [None, "Stock", "$99.00", "250.00", "37.5%"],
        [None, "Debts", "$12,000.00", "(99.00)", "40%"],
        [None, "Land", "$640.10", "1,020.00", "10%"],
        [None],
        [None, "Prepared for the board; not audited"],
    ]
)
_SLASHES = _text(
    "Order,Day,Amount\n1001,03/04/2024,5\n1002,05/04/2024,7\n1003,05/04/2024,6\n1004,11/05/2024,9\n1005,12/06/2024,4\n"
)
_SHORT_YEARS = _text(
    "Name;Geboren;Eintritt;Alter\nAnna;31.12.70;01.02.98;55\nBert;05.01.72;15.03.04;52\nCarl;17.08.81;01.10.11;43\n"
    "Dora;22.02.90;01.04.24;34\n"
)
_MARKS = _text(
    "Station;Temp;Regen;Wind;Datum\nA;12,5;n/a;3;2024-01-01\nB;k.A.;0,2;-;2024-01-02\nC;11,0;1,4;5;–\n"
    "D;10,25;k. A.;2;2024-01-04\nE;n.v.;0,0;--;2024-01-05\n"
)
_SENTINEL = _text("Site,Depth,Oxygen\na,10,8.1\nb,12,-999\nc,15,7.4\nd,9,-999\ne,20,6.6\nf,22,6.1\ng,8,8.8\nh,11,7.9\n")
_YES_NO = _text(
    "Nr;de;fr;es;it;nl;pl;tr;ru;pt;en\n"
    "17;ja;oui;sí;sì;ja;tak;evet;да;sim;yes\n"
    "23;Nein;Non;No;No;Nee;Nie;Hayır;Нет;Não;No\n"
    "5;JA;OUI;SÍ;SÌ;JA;TAK;EVET;ДА;SIM;YES\n"
    "88;nein;non;no;no;nee;nie;hayır;нет;não;no\n"
    "41;Ja;Oui;Sí;Sì;Ja;Tak;Evet;Да;Sim;Yes\n"
)
_IDS = _text(
    "customer_id,zip,account,score\n00017,01067,0004711,1.5\n00021,80331,0008150,2.5\n00305,01099,0000042,3.5\n"
    "01004,50667,0012345,4.0\n"
)
_AROUND = _sheet(
    [
        [],
        [],
        [None, "Name", None, "Value", "Value", None, "Note"],
        [None, "a", "x", 1.5, 10, None, "ok"],
        [None, "b", "y", 2.5, 20, None, None],
        [],
        [None, "c", "x", 3.5, 30, None, "late"],
        [None, "d", "y", 4.5, 40, None, "ok"],
    ]
)
_STRAYS = _text(
    "Part,Width\n"
    + "".join(f"p{i},{20 + i / 10:.1f}\n" for i in range(30))
    + "p30,broken\np31,see note\n"
    + "".join(f"p{i},{20 + i / 10:.1f}\n" for i in range(32, 42))
)
_WESTERN = _text(
    'Stra\xdfe;"Bemerkung";Preis\nAm Tor;"ruhig;\nhell";850,50\nWeg 3;"zentral";1 020,00\nHof;"laut,\nbillig";430,00\n'
    'Ufer;"neu";1 250,75\n',
    "cp1252",
)
_WIDE = _text(
    "\ufeffPays\tPopulation\tPart\r\nFrance\t68\u00a0373\u00a0433\t12,5\u00a0%\r\nItalie\t58\u00a0761\u00a0146\t10,2\u00a0%\r\n"
    "Espagne\t48\u00a0946\u00a0035\t8,1\u00a0%\r\nBelgique\t11\u00a0742\u00a0796\t2,0\u00a0%\r\n",
    "utf-16-le",
)
_SUBTOTALS = _sheet(
    [
        ["Region", "Shop", "Units", "Sales"],
        ["North", "N1", 10, 100],
        ["North", "N2", 20, 210],
        ["North total", None, 30, 310],
        ["South", "S1", 5, 55],
        ["South", "S2", 7, 70],
        ["South", "S3", 8, 85],
        ["South total", None, 20, 210],
        ["Grand total", None, 50, 520],
    ]
)
_PAGES = _text(
    "Meter;Zählerstand;Zeit\n101;2204,5;08:00\n102;1987,1;08:10\n103;3301,9;08:15\n\nMeter;Zählerstand;Zeit\n"
    "104;512,0;08:20\n105;777,7;08:25\n106;904,3;08:40\nSumme;9687,5;\n"
)

_YES: Final = {
    "de": ("ja", "nein"),
    "fr": ("oui", "non"),
    "es": ("sí", "no"),
    "it": ("sì", "no"),
    "nl": ("ja", "nee"),
    "pl": ("tak", "nie"),
    "tr": ("evet", "hayır"),
    "ru": ("да", "нет"),
    "pt": ("sim", "não"),
    "en": ("yes", "no"),
}

MESSY_FILES: Final[tuple[MessyFile, ...]] = (
    MessyFile(
        "titles.csv",
        _TITLES,
        [
            ("Region", NOMINAL, ["Nord", "Nord", "Süd", "Süd"]),
            ("Artikel", NOMINAL, ["Stuhl", "Tisch", "Stuhl", "Tisch"]),
            ("Menge", NUMERIC, [12, 3, 7, 5]),
            ("Umsatz", NUMERIC, [1240.5, 899, 712.25, 1499.9]),
        ],
    ),
    MessyFile(
        "totals.csv",
        _TOTALS,
        [
            ("Region", NOMINAL, ["North", "South", "East", "West"]),
            ("Units", NUMERIC, [10, 20, 5, 15]),
            ("Sales", NUMERIC, [100.5, 200.25, 50, 149.25]),
        ],
    ),
    MessyFile(
        "units.csv",
        _UNITS,
        [
            ("Sample", NOMINAL, ["A1", "A2", "A3", "A4"]),
            ("Length", NUMERIC, [12.5, 13.1, 11.9, 12.2]),
            ("Mass", NUMERIC, [0.31, 0.29, 0.33, 0.3]),
            ("Temperature", NUMERIC, [20.1, 20.4, 19.8, 21]),
        ],
        units=(("Length", "mm"), ("Mass", "kg"), ("Temperature", "°C")),
    ),
    MessyFile(
        "joined-heads.csv",
        _JOINED_HEADS,
        [
            ("Region", NOMINAL, ["North", "South", "East", "West"]),
            ("2023 / Sales", NUMERIC, [100, 90, 70, 66]),
            ("2023 / Profit", NUMERIC, [10, 8, 5, 6]),
            ("2024 / Sales", NUMERIC, [110, 95, 82, 71]),
            ("2024 / Profit", NUMERIC, [12, 9, 7, 8]),
        ],
    ),
    MessyFile(
        "side-by-side.xlsx",
        _SIDE_BY_SIDE,
        [
            ("Name", IDENTIFIER, ["Ada", "Ben", "Cleo", "Dan", "Eve"]),
            ("Age", NUMERIC, [41, 35, 62, 57, 48]),
            ("Ward", NOMINAL, ["W1", "W2", "W1", "W3", "W2"]),
        ],
    ),
    MessyFile(
        "second-of-two.xlsx",
        _SIDE_BY_SIDE,
        [("Code", IDENTIFIER, ["W1", "W2", "W3"]), ("Beds", NUMERIC, [20, 12, 30])],
        corrections=[("table", "Read Wards")],
    ),
    MessyFile(
        "below.xlsx",
        _BELOW,
        [
            ("Machine", NOMINAL, ["M1", "M2", "M1", "M2", "M2"]),
            (
                "Day",
                DATE,
                [day(2024, 1, 5), day(2024, 1, 9), day(2024, 2, 2), day(2024, 2, 20), day(2024, 3, 1)],
            ),
            ("Hours", NUMERIC, [2.5, 1, 4, 3.5, 0.5]),
            ("Cause", NOMINAL, ["belt", "motor", "belt", "belt", "motor"]),
        ],
    ),
    MessyFile(
        "merged-heads.xlsx",
        _MERGED,
        [
            ("School", NOMINAL, ["Elm", "Oak", "Ash", "Fir"]),
            ("2023 / girls", NUMERIC, [30, 25, 41, 18]),
            ("2023 / boys", NUMERIC, [28, 27, 39, 22]),
            ("2024 / girls", NUMERIC, [31, 24, 44, 20]),
            ("2024 / boys", NUMERIC, [29, 30, 40, 21]),
        ],
    ),
    MessyFile(
        "amounts.csv",
        _AMOUNTS,
        [
            ("Kunde", NOMINAL, ["Abel", "Boes", "Cohn", "Dorn", "Eder"]),
            ("Umsatz", NUMERIC, [1234.5, 99, 12000, 640.1, 5.25]),
            ("Rabatt", NUMERIC, [12.5, 3, 0, 7.5, 10]),
            ("Saldo", NUMERIC, [-1234, 250, -99, 1020, 88]),
        ],
        units=(("Umsatz", "€"), ("Rabatt", "%")),
    ),
    MessyFile(
        "accounts.xlsx",
        _ACCOUNTS,
        [
            ("Account", NOMINAL, ["Cash", "Stock", "Debts", "Land"]),
            ("Opening", NUMERIC, [1234.5, 99, 12000, 640.1]),
            ("Change", NUMERIC, [-1234, 250, -99, 1020]),
            ("Share", NUMERIC, [12.5, 37.5, 40, 10]),
        ],
        units=(("Opening", "$"), ("Share", "%")),
    ),
    MessyFile(
        "slashes.csv",
        _SLASHES,
        [
            ("Order", NUMERIC, [1001, 1002, 1003, 1004, 1005]),
            (
                "Day",
                DATE,
                [day(2024, 4, 3), day(2024, 4, 5), day(2024, 4, 5), day(2024, 5, 11), day(2024, 6, 12)],
            ),
            ("Amount", NUMERIC, [5, 7, 6, 9, 4]),
        ],
        corrections=[("dates Day", "Day first")],
    ),
    MessyFile(
        "short-years.csv",
        _SHORT_YEARS,
        [
            ("Name", IDENTIFIER, ["Anna", "Bert", "Carl", "Dora"]),
            ("Geboren", DATE, [day(1970, 12, 31), day(1972, 1, 5), day(1981, 8, 17), day(1990, 2, 22)]),
            ("Eintritt", DATE, [day(1998, 2, 1), day(2004, 3, 15), day(2011, 10, 1), day(2024, 4, 1)]),
            ("Alter", NUMERIC, [55, 52, 43, 34]),
        ],
    ),
    MessyFile(
        "marks.csv",
        _MARKS,
        [
            ("Station", NOMINAL, ["A", "B", "C", "D", "E"]),
            ("Temp", NUMERIC, [12.5, None, 11, 10.25, None]),
            ("Regen", NUMERIC, [None, 0.2, 1.4, None, 0]),
            ("Wind", NUMERIC, [3, None, 5, 2, None]),
            ("Datum", DATE, [day(2024, 1, 1), day(2024, 1, 2), None, day(2024, 1, 4), day(2024, 1, 5)]),
        ],
    ),
    MessyFile(
        "sentinel.csv",
        _SENTINEL,
        [
            ("Site", NOMINAL, list("abcdefgh")),
            ("Depth", NUMERIC, [10, 12, 15, 9, 20, 22, 8, 11]),
            ("Oxygen", NUMERIC, [8.1, None, 7.4, None, 6.6, 6.1, 8.8, 7.9]),
        ],
        corrections=[("missing Oxygen", "Take -999 for missing")],
    ),
    MessyFile(
        "yes-no.csv",
        _YES_NO,
        [
            ("Nr", IDENTIFIER, ["17", "23", "5", "88", "41"]),
            *((name, NOMINAL, [yes, no, yes, no, yes]) for name, (yes, no) in _YES.items()),
        ],
    ),
    MessyFile(
        "ids.csv",
        _IDS,
        [
            ("customer_id", IDENTIFIER, ["00017", "00021", "00305", "01004"]),
            ("zip", NOMINAL, ["01067", "80331", "01099", "50667"]),
            ("account", NOMINAL, ["0004711", "0008150", "0000042", "0012345"]),
            ("score", NUMERIC, [1.5, 2.5, 3.5, 4]),
        ],
    ),
    MessyFile(
        "around.xlsx",
        _AROUND,
        [
            ("Name", IDENTIFIER, ["a", "b", "c", "d"]),
            ("Column 2", NOMINAL, ["x", "y", "x", "y"]),
            ("Value", NUMERIC, [1.5, 2.5, 3.5, 4.5]),
            ("Value (2)", NUMERIC, [10, 20, 30, 40]),
            ("Note", NOMINAL, ["ok", None, "late", "ok"]),
        ],
    ),
    MessyFile(
        "strays.csv",
        _STRAYS,
        [
            ("Part", IDENTIFIER, [f"p{i}" for i in range(42)]),
            ("Width", NUMERIC, [*(20 + i / 10 for i in range(30)), None, None, *(20 + i / 10 for i in range(32, 42))]),
        ],
        corrections=[("missing Width", "Read numbers, texts as missing")],
    ),
    MessyFile(
        "western.csv",
        _WESTERN,
        [
            ("Straße", NOMINAL, ["Am Tor", "Weg 3", "Hof", "Ufer"]),
            ("Bemerkung", NOMINAL, ["ruhig;\nhell", "zentral", "laut,\nbillig", "neu"]),
            ("Preis", NUMERIC, [850.5, 1020, 430, 1250.75]),
        ],
    ),
    MessyFile(
        "wide-characters.txt",
        _WIDE,
        [
            ("Pays", NOMINAL, ["France", "Italie", "Espagne", "Belgique"]),
            ("Population", NUMERIC, [68373433, 58761146, 48946035, 11742796]),
            ("Part", NUMERIC, [12.5, 10.2, 8.1, 2]),
        ],
        units=(("Part", "%"),),
    ),
    MessyFile(
        "subtotals.xlsx",
        _SUBTOTALS,
        [
            ("Region", NOMINAL, ["North", "North", "South", "South", "South"]),
            ("Shop", NOMINAL, ["N1", "N2", "S1", "S2", "S3"]),
            ("Units", NUMERIC, [10, 20, 5, 7, 8]),
            ("Sales", NUMERIC, [100, 210, 55, 70, 85]),
        ],
    ),
    MessyFile(
        "pages.csv",
        _PAGES,
        [
            ("Meter", NUMERIC, [101, 102, 103, 104, 105, 106]),
            ("Zählerstand", NUMERIC, [2204.5, 1987.1, 3301.9, 512, 777.7, 904.3]),
            ("Zeit", NOMINAL, ["08:00", "08:10", "08:15", "08:20", "08:25", "08:40"]),
        ],
    ),
)
