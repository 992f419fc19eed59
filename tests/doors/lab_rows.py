#!/usr/bin/env python3
"""The rows that `bloomery lab run -o DIR` wrote, judged again by their own figures.

    lab_rows.py CSV TABLE LEAST DOCS   TABLE is what was printed; both have the same rows, LEAST or more

Fails with the first row whose verdict its figures do not bear out, or whose known disagreement is not listed with its
size and tolerance in DOCS (docs/lab.md).
"""
import csv
import re
import sys


def number(row, name):
    return float(row[name]) if row[name] else None


def agrees(row, low, high):
    """Is what was found, low to high, what the paper says?"""
    expected, within = number(row, "expected"), number(row, "within") or 0
    if expected is not None and not (high >= expected * (1 - within) and low <= expected * (1 + within)):
        return False
    if row["at_most"] and not number(row, "high") <= number(row, "at_most"):
        return False
    return not row["at_least"] or number(row, "low") >= number(row, "at_least")


def verdict(row):
    lowest, highest, measured = (number(row, name) for name in ("lowest", "highest", "measured"))
    low, high = number(row, "formula_low"), number(row, "formula_high")
    paper = number(row, "expected") or number(row, "at_most") or number(row, "at_least")
    if measured is None or not number(row, "low") <= measured <= number(row, "high"):
        return "FAILS"
    if low is None:
        if paper is None:
            return "shown"  # nothing that it could contradict
        low, high = lowest, highest
    elif not (high >= lowest and low <= highest):
        return "FAILS"
    if row["known"]:
        size, tolerance = number(row, "size"), number(row, "tolerance")
        if not (high / paper >= size * (1 - tolerance) and low / paper <= size * (1 + tolerance)):
            return "FAILS"
    if agrees(row, low, high):
        return "holds"
    return "known" if row["known"] else "FAILS"


def listed(row, docs):
    """A line of the table of known disagreements has this row's size and tolerance."""
    line = f"| {row['known']} | {row['part']}: {row['row']} | {number(row, 'size'):.7g} | {100 * number(row, 'tolerance'):g} % |"
    assert line in docs, "not in the docs: " + line


def main(path, table, least, docs):
    with open(path, encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    with open(table, encoding="utf-8") as file:
        shown = [line for line in file if re.search(r" (holds|known|FAILS|shown)( \w+)?$", line)]
    with open(docs, encoding="utf-8") as file:
        documented = file.read().splitlines()
    assert len(rows) >= int(least), len(rows)
    assert len(shown) == len(rows), (len(shown), len(rows))
    for row in rows:
        assert row["verdict"] in ("holds", "known", "shown"), row
        assert row["verdict"] == verdict(row), row
        if row["known"]:
            listed(row, documented)


main(*sys.argv[1:])
