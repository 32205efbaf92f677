"""Texts that mean harm: each would end a string, begin a line or not be seen, if it could."""

from __future__ import annotations

HARMLESS = "a b"

CODE = "import os; os.abort()"

NAMED = {
    "quote": "'",
    "double quote": '"',
    "two quotes": '""',
    "triple": '"""',
    "four": '""""',
    "single triple": "'''",
    "code": f'"""\n{CODE}\n"""',
    "code in a function": f'."""\n    {CODE}\n    """',
    "code in SQL": f'x\n    """\n    {CODE}\n    sql = """',
    "code in a comment": f"x\n{CODE}\n#",
    "backslash": "\\",
    "backslashes": "\\\\\\",
    "backslash quote": '\\"',
    "backslash triple": '\\"""',
    "named character": "\\N{BEL}",
    "unknown character": "\\N{x}",
    "octal": "\\0\\x4\\u12\\U1",
    "line end": "a\nb",
    "many line ends": "\n\n\n",
    "carriage return": "a\rb",
    "both": "a\r\nb",
    "vertical tab": "a\x0bb",
    "form feed": "a\x0cb",
    "separators": "a\x1cb\x1db\x1eb\x1fb",
    "next line": "a\x85b",
    "line separator": "a\u2028b",
    "paragraph separator": "a\u2029b",
    "tab": "a\tb",
    "nul": "a\0b",
    "controls": "\x01\x07\x08\x1b[2J\x7f\x9b",
    "right to left": "a\u202eb\u2066c\u2069\u200f",
    "invisible": "a\u200bb\u00adc\ufeffd\u2060",
    "braces": "{}",
    "placeholder": "{members}",
    "placeholders": "{{members}} {0} {!r} {type_1} {session_start}",
    "percent": "%s %(prog)s %d 100%",
    "hash": "# x",
    "slashes": "../../x",
    "dots": "..",
    "a place of ours": "__type_1 __session_start __watermark",
    "unassigned": "\U000e0fff\ufdd0\U0010ffff",
    "emoji": "👩‍👩‍👧 größe 订单",
    "combining": "e\u0301\u0300\u0300",
    "long": "x y" * 1_000,
}

TOGETHER = {
    **{
        what: NAMED[what] for what in ("double quote", "triple", "code", "code in SQL", "backslash")
    },
    "all": "".join(NAMED[what] for what in NAMED if what != "long"),
    "all, from behind": "".join(NAMED[what] for what in reversed(NAMED) if what != "long"),
}
"""A few that hold them all."""
