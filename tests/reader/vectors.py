#!/usr/bin/python3
"""docs/format.md against the second reader: its test vectors and its tables of fields.

    vectors.py page | c              the page's vectors; the same as rows of tests/core/test_vectors.c
    vectors.py check PAGE C_FILE     whether both files have exactly these numbers, and the page the
                                     fields and promises that the reader knows; 1 if not
"""
import re
import sys
from hashes import hash_of, key_check, mix, siphash_2_4_128
from kinds import KINDS, resalt, word

LENGTHS = (0, 1, 3, 4, 8, 9, 16, 17, 128, 129, 240, 241, 1000)
SEEDS = (0, 42)
SECRET = bytes(range(16))
CELLS, BLOCKS = 1000003, 1009


def key_of(length):
    return bytes((7 * i + 3) % 256 for i in range(length))


def hash_rows():
    for seed in SEEDS:
        for length in LENGTHS:
            key = key_of(length)
            lo, hi = hash_of("xxh3-64", seed, key)
            yield (length, seed, lo, hi, *hash_of("xxh3-128", seed, key),
                   *hash_of("sip24-128", seed, key, SECRET, wide=True))


def position_rows():
    for seed in SEEDS:
        for length in LENGTHS:
            lo, _ = hash_of("xxh3-64", seed, key_of(length))
            yield (length, seed, word(lo, 0), word(lo, 1), [word(lo, i) * CELLS >> 64 for i in range(4)],
                   lo * BLOCKS >> 64, [word(lo, i // 7) >> 9 * (i % 7) & 511 for i in range(8)])


def lane_rows():
    for seed in SEEDS:
        for length in LENGTHS:
            lo, _ = hash_of("xxh3-64", seed, key_of(length))
            yield (length, seed, (lo >> 32) * BLOCKS >> 32, KINDS["split-block"].lanes(lo))


def salt_rows():
    for salt in (1, 2):
        yield (salt, *resalt(*hash_of("xxh3-64", 0, key_of(8)), salt))


def text(value, place):
    """In the page: lengths, seeds, salts and positions decimal, words hexadecimal."""
    if isinstance(value, list):
        return " ".join(map(str, value))
    return "`%016X`" % value if value >= 1 << 32 or place == "word" else str(value)


def page():
    tables = {
        "hash": ("bytes|seed|`xxh3-64` lo|*mix*(lo)|`xxh3-128` lo|hi|`sip24-128` lo|hi", hash_rows(), 2),
        "positions": ("bytes|seed|word 0|word 1|positions|block|places", position_rows(), 2),
        "lanes": ("bytes|seed|block|bits", lane_rows(), 4),
        "salt": ("salt|lo|hi", salt_rows(), 1),
    }
    for name, (titles, rows, words_from) in tables.items():
        titles = titles.split("|")
        lines = ["| " + " | ".join(titles) + " |", "|" + "---|" * len(titles)]
        for row in rows:
            words = range(words_from, 4) if name == "positions" else range(words_from, len(row))
            cells = [text(v, "word" if i in words else "") for i, v in enumerate(row)]
            lines.append("| " + " | ".join(cells) + " |")
        yield name, lines


def c_rows():
    def number(v):
        return "{" + ", ".join(map(str, v)) + "}" if isinstance(v, list) else "0x%016X" % v if v > 4096 else str(v)
    for rows in (hash_rows(), position_rows(), lane_rows(), salt_rows()):
        for row in rows:
            yield "{" + ", ".join(map(number, row)) + "},"


def page_kinds(lines):
    """What sections 8 and 9 of the page say, as {kind: (promised, fields, states)}."""
    promised, fields, states, kind = {}, {}, {}, None
    for line in lines:
        title = re.fullmatch(r"### `([a-z-]+)`, version \d+", line)
        field = re.fullmatch(r"\| `(\w+)` \| `u(\d+)` \| ([\d^-]+) \| ([\d^-]+) \| (shape|state) \| .*?(?:; from version (\d+) on)? \|", line)
        promise = re.fullmatch(r"\| (\d+) \| `[a-z_]+` \| ([a-z, -]*) \|", line)
        if title:
            kind = title[1]
            fields[kind], states[kind] = [], ()
        elif field:
            low, high = (eval(text.replace("^", "**")) for text in field.group(3, 4))  # digits, ^ and - alone
            fields[kind].append((field[1], int(field[2]) // 8, low, high, *map(int, filter(None, [field[6]]))))
            states[kind] += (field[1],) if field[5] == "state" else ()
        elif promise:
            for name in filter(None, promise[2].split(", ")):
                promised[name] = promised.get(name, 0) | 1 << int(promise[1])
    return {name: (promised.get(name, 0), fields[name], states[name]) for name in fields}


def check(page_file, c_file):
    with open(page_file, encoding="utf-8") as file:
        lines = file.read().splitlines()
    with open(c_file, encoding="utf-8") as file:
        code = re.sub(r"\s+", "", file.read())
    wrong = [line for _, table in page() for line in table if line not in lines]
    wrong += [row for row in c_rows() if row.replace(" ", "") not in code]
    checks = "%016X" % key_check(SECRET)
    wrong += [checks + " in " + file for file, body in ((page_file, "\n".join(lines)), (c_file, code)) if checks not in body]
    kinds = page_kinds(lines)
    wrong += ["the reader's fields or promises of " + name for name in kinds.keys() | KINDS.keys()
              if name not in KINDS or kinds.get(name) != (KINDS[name].promised, KINDS[name].fields, KINDS[name].states)]
    # Published with SipHash itself: the reader's arithmetic is not taken on trust either.
    if siphash_2_4_128(SECRET, b"") != (0xE6A825BA047F81A3, 0x930255C71472F66D):
        wrong.append("SipHash-2-4-128 of no bytes")
    if mix(0x9E3779B97F4A7C15) != 0xE220A8397B1DCDAF:
        wrong.append("the first number of splitmix64 from 0")
    for line in wrong:
        print("missing or wrong:", line)
    return bool(wrong)


if __name__ == "__main__":
    if sys.argv[1:] == ["page"]:
        for _, rows_ in page():
            print("\n".join(rows_), end="\n\n")
    elif sys.argv[1:] == ["c"]:
        print("\n".join(c_rows()))
    elif sys.argv[1:2] == ["check"] and len(sys.argv) == 4:
        sys.exit(check(*sys.argv[2:]))
    else:
        sys.exit(__doc__)
