#!/usr/bin/python3
"""The goldens without the library: what the second reader makes of their recipes.

    golden.py FOLDER NAME...           sound, the answers, and the cells computed anew from the keys
    golden.py --damage IMAGE...        every flipped bit, every cut and an appended byte are refused

tests/golden/recipe.h says what recipes and answers look like. Prints "N passed, N failed".
"""
import itertools
import os
import sys
import reader
from hashes import hash_of, key_check
from kinds import word
from reader import need, up

DEL_EXACT = 1 << 7
# The toys of the tests, as docs/format.md would list them.
TOYS = {
    "toy-map": (0b10001, [("slots", 8, 1, 1 << 57)]),
    "toy-ring": (0b11000, [("bits", 8, 1, 1 << 58), ("slice", 8, 1, 1 << 53), ("hashes", 1, 1, 64)]),
    "toy-chain": (0b10001, [("first", 8, 1, 1 << 56), ("halvings", 1, 1, 40), ("stages", 1, 0, 16)]),
    "toy-static": (0b11001, [("cells", 8, 1, 1 << 50)]),
    "toy-range": (0b111011, [("world", 8, 1, 1 << 60), ("ones", 8, 0, 1 << 60)]),
}
reader.KINDS.update(TOYS)


class Image(reader.Image):
    """The second reader, with the toys."""

    def cell_bytes(self):
        if self.kind not in TOYS:
            return super().cell_bytes()
        self.width = 1
        self.field.setdefault("hashes", 1)  # toy-static: one bit a key
        f = self.field
        return {"toy-map": lambda: f["slots"] * 24, "toy-ring": lambda: 3 * up(f["bits"], 64) // 8,
                "toy-chain": lambda: f["stages"] * 8, "toy-static": lambda: up(f["cells"], 64) // 8,
                "toy-range": lambda: up(f["world"], 64) // 8}[self.kind]()

    def check(self):
        if self.kind not in TOYS:
            super().check()
        elif self.kind == "toy-chain":
            need(0 < len(self.children) == self.field["stages"], "children")
        elif self.kind == "toy-range":
            bits = int.from_bytes(self.cells, "little")
            need(bits >> self.field["world"] == 0 and bin(bits).count("1") == self.field["ones"], "members")

    def value(self, h):
        """toy-map: what is kept beside the key, or None."""
        words = [int.from_bytes(self.cells[i:i + 8], "little") for i in range(0, len(self.cells), 8)]
        slots = {words[i:i + 2] == list(h) and words[i + 2] for i in range(0, len(words), 3)} - {False, 0}
        return slots.pop() - 1 if slots else None

    def has(self, h, key):
        if self.kind == "toy-map":
            return self.value(h) is not None
        if self.kind == "toy-chain":
            return any(child.count(*h) for child in self.children)
        if self.kind == "toy-range":
            i = int.from_bytes(key, "little")
            return i < self.field["world"] and self.cell(i) == 1
        if self.kind == "toy-static":
            return self.cell(self.positions(*h)[0]) == 1
        if self.kind == "toy-ring":
            m, section = self.field["bits"], up(self.field["bits"], 64)
            places = [word(h[0], i) * m >> 64 for i in range(self.field["hashes"])]
            return any(all(self.cell(s * section + p) for p in places) for s in range(3))
        return self.count(*h) > 0


def key_of(name, i):
    return i.to_bytes(8, "little") if name == "integer" else b"%s-%d" % (name.encode(), i)


class Golden:
    def __init__(self, folder, name):
        def text(suffix):
            with open(os.path.join(folder, name + suffix), encoding="utf-8") as file:
                return file.read()
        with open(os.path.join(folder, name + ".blm"), "rb") as file:
            self.image = Image(file.read())
        self.lines = [line.split(" ") for line in text(".recipe").splitlines() if line and line[0] != "#"]
        self.answers = text(".answers")
        self.kind, *words = self.first("build") or self.first("make")
        self.words = dict(word.split("=") for word in words)
        self.secret = bytes.fromhex((self.first("secret") or [""])[0]) or None

    def first(self, verb):
        return next((line[1:] for line in self.lines if line[0] == verb), [])

    def hash(self, key):
        return hash_of(self.image.hash, self.image.seed, key, self.secret, self.image.kind == "toy-map")

    def answer(self, verb, name, i):
        key, image = key_of(name, i), self.image
        if verb == "range8":
            return "maybe" if any(image.has(None, key_of(name, j)) for j in range(i, i + 8)) else "no"
        h = self.hash(key)
        if verb == "get":
            value = image.value(h)
            return "absent" if value is None else str(value)
        if verb == "count":
            times = image.count(*h)
            return "%d%s" % (times, "+" if times == (1 << image.width) - 1 else "")
        return "maybe" if image.has(h, key) else "no"

    def check_answers(self):
        out = []
        for verb, name, start, end in (line[1:] for line in self.lines if line[0] == "ask"):
            asked = [(self.answer(verb, name, i), i) for i in range(int(start), int(end) + 1)]
            for answer, run in itertools.groupby(asked, lambda pair: pair[0]):
                places = [i for _, i in run]
                out.append("%s %s %d %d %s\n" % (verb, name, places[0], places[-1], answer))
        need("".join(out) == self.answers, "answers")

    def check_header(self):
        image, fpr = self.image, self.words.get("fpr", "0.1%")
        need(image.kind == self.kind, "kind")
        need(image.seed == int(self.words.get("seed", 0)), "seed")
        adds = [line[1:4] for line in self.lines if line[0] == "add"]
        members = {(name, i) for name, start, end in adds for i in range(int(start), int(end) + 1)}
        need(image.capacity == int(self.words.get("keys", len(members))), "capacity")
        need(image.tag.get(1, b"").decode() == " ".join(self.first("note")), "note")
        need(image.key_check == key_check(self.secret), "key check")
        need(3 not in image.tag or self.first("build"), "salt")
        if "bits" not in self.words and not self.first("fold"):
            need(image.target == float(fpr.rstrip("%")) / 100, "target")
        elif image.kind == "standard" and image.size > 1:
            m, k, n = image.size, image.field["hashes"], image.capacity
            classic = (1 - (1 - 1 / m) ** (k * n)) ** k  # the exact rate is a little above it
            need(classic <= image.target < 1.02 * classic, "target of theory")

    def check_cells(self):
        """The kinds of section 8: every cell, from the keys and section 8 alone."""
        image = self.image
        cells, adds, lost, top = [0] * image.size, 0, 0, (1 << image.width) - 1
        for verb, name, start, end, *times in (line for line in self.lines if line[0] in ("add", "del")):
            for _ in range(int(times[0]) if times else 1):
                for i in range(int(start), int(end) + 1):
                    for c in set(image.positions(*self.hash(key_of(name, i)))):
                        cells[c] = min(top, cells[c] + 1) if verb == "add" else cells[c] - (0 < cells[c] < top)
                        lost |= DEL_EXACT if image.kind == "counting" and cells[c] == top else 0
                    adds += verb == "add"
        binary = "".join(format(value, "0%db" % image.width) for value in reversed(cells))
        bits = int(binary, 2)
        need(bits.to_bytes(len(image.cells), "little") == image.cells, "cells computed from the keys")
        need(image.adds == adds and image.lost == lost, "adds or lost")


def check_golden(folder, name):
    golden = Golden(folder, name)
    golden.check_header()
    golden.check_answers()
    if golden.image.kind not in TOYS:
        golden.check_cells()


def check_damage(path):
    with open(path, "rb") as file:
        good = file.read()
    Image(good)
    flips = (good[:i // 8] + bytes([good[i // 8] ^ 1 << i % 8]) + good[i // 8 + 1:] for i in range(8 * len(good)))
    cuts = (good[:n] for n in range(len(good)))
    for bad in itertools.chain(flips, cuts, [good + b"\0", good + b"x", good + good]):
        try:
            Image(bad)
        except ValueError:
            continue
        raise ValueError("taken for sound: it differs first at byte %d" % len(os.path.commonprefix([good, bad])))


def main(args):
    damage = args[:1] == ["--damage"]
    failed = 0
    for name in args[1:]:
        try:
            check_damage(name) if damage else check_golden(args[0], name)
            print("ok -", name)
        except ValueError as why:
            failed += 1
            print("not ok -", name, why)
    print("%d passed, %d failed" % (len(args) - 1 - failed, failed))
    return failed > 0 or len(args) < 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
