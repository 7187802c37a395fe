#!/usr/bin/env python3
"""Writes the table of single-byte character sets for the static program (src/main/static), from what
Python knows of them.

    cmake/write_charsets.py CHARSET.CC OUTPUT

The names are those that CHARSET.CC gives to iconv. A set with characters of several bytes is left
out: pages in it are shown with a replacement for each.
"""

import codecs
import pathlib
import re
import sys

source, output = sys.argv[1:]
names = sorted(set(re.findall(r'"([A-Z][A-Z0-9-]*)"', pathlib.Path(source).read_text(encoding="utf-8"))))
rows = []


def meaning(codec, text):
    try:
        return text.decode(codec)
    except UnicodeDecodeError:
        return "\0"


for name in names:
    codec = codecs.lookup({"MACINTOSH": "mac-roman"}.get(name, name)).name
    several = any(len(meaning(codec, pair)) == 1 and meaning(codec, pair) != "\0" for pair in (b"\x81\x40", b"\xb0\xa1"))
    if several or name.startswith("UTF") or name.startswith("ISO-2022"):
        continue
    points = [ord(meaning(codec, bytes([byte]))) for byte in range(0x80, 0x100)]
    rows.append(f'    {{"{name}", {{{", ".join(f"0x{point:x}" for point in points)}}}}},')
pathlib.Path(output).write_text("constexpr Charset kCharsets[] = {\n" + "\n".join(rows) + "\n};\n")
