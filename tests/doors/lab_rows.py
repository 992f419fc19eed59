#!/usr/bin/env python3
"""The rows that `bloomery lab run -o DIR` wrote, judged again by their own figures.

    lab_rows.py CSV TABLE LEAST        TABLE is what was printed; both have the same rows, LEAST or more

Fails with the first row whose verdict its figures do not bear out.
"""
import csv
import os
import re
import sys

# Experiments that allow for the error of their own model: that wider interval is not in the CSV.
OWN_INTERVALS = ("adaptive",)


def number(row, name):
    return float(row[name]) if row[name] else None


def judge(row, formulas):
    assert row["verdict"] in ("holds", "known"), row
    assert (row["known"] != "") == (row["verdict"] == "known"), row
    low, high, measured = (number(row, name) for name in ("low", "high", "measured"))
    assert low <= measured <= high, row
    if row["verdict"] == "known":
        return
    if row["at_most"]:
        assert high <= number(row, "at_most"), row
    if row["at_least"]:
        assert low >= number(row, "at_least"), row
    if formulas and row["formula_low"] and low < high:  # 99.99 % is 1.6 times as wide as 99 % where the interval is not skewed
        assert low - 2 * (measured - low) <= number(row, "formula_high"), row
        assert number(row, "formula_low") <= high + 2 * (high - measured), row


def main(path, table, least):
    with open(path, encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    with open(table, encoding="utf-8") as file:
        shown = [line for line in file if re.search(r" (holds|known|FAILS)( \w+)?$", line)]
    assert len(rows) >= int(least), len(rows)
    assert len(shown) == len(rows), (len(shown), len(rows))
    for row in rows:
        judge(row, os.path.basename(path)[:-len(".csv")] not in OWN_INTERVALS)


main(*sys.argv[1:])
