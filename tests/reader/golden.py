#!/usr/bin/python3
"""The goldens without the library: what the second reader makes of their recipes.

    golden.py PATH...                  (without suffix) sound, the answers, and the cells computed anew from the keys
    golden.py --damage IMAGE...        every flipped bit, every cut and an appended byte are refused
    golden.py --judge IMAGE...         a line per image: its name, and 0 if it is sound or 3 if it is refused

tests/golden/recipe.h says what recipes and answers look like. Prints "N passed, N failed".
"""
import itertools
import os
import sys
from hashes import hash_of, key_check
from kinds import Bits, Kind, high, need, resalt, up, word
from reader import Image

# ---- the toys of the tests, as docs/format.md would list them


class Map(Kind):
    name, promised, fields, wide = "toy-map", 0b10001, [("slots", 8, 1, 1 << 57)], True

    def bytes(self):
        return self.field["slots"] * 24

    def state(self):
        return {}

    def value(self, lo, hi):
        """What is kept beside the key, or None."""
        words = [int.from_bytes(self.cells[i:i + 8], "little") for i in range(0, len(self.cells), 8)]
        slots = {words[i:i + 2] == [lo, hi] and words[i + 2] for i in range(0, len(words), 3)} - {False, 0}
        return slots.pop() - 1 if slots else None

    def has(self, lo, hi):
        return self.value(lo, hi) is not None


class Ring(Bits):
    name, promised = "toy-ring", 0b11000
    fields = [("bits", 8, 1, 1 << 58), ("slice", 8, 1, 1 << 53), ("hashes", 1, 1, 64)]

    def size(self):
        return 3 * up(self.field["bits"], 64)

    def state(self):
        return {}

    def has(self, lo, hi):
        m, k = self.field["bits"], self.field["hashes"]
        return any(all(self.get(s * up(m, 64) + high(word(lo, i), m)) for i in range(k)) for s in range(3))


class Chain(Kind):
    name, promised = "toy-chain", 0b10001
    fields = [("first", 8, 1, 1 << 56), ("halvings", 1, 1, 40), ("stages", 1, 0, 16)]

    def bytes(self):
        return self.field["stages"] * 8

    def state(self):
        need(0 < len(self.children), "children")
        return {"stages": len(self.children)}

    def has(self, lo, hi):
        return any(child.has(lo, hi) for child in self.children)


class Static(Bits):
    name, promised, fields = "toy-static", 0b11001, [("cells", 8, 1, 1 << 50)]

    def state(self):
        return {}

    def positions(self, lo):
        return [high(word(lo, 0), self.size())]


class Range(Bits):
    name, promised, fields = "toy-range", 0b111011, [("world", 8, 1, 1 << 60), ("ones", 8, 0, 1 << 60)]

    def size(self):
        return self.field["world"]

    def has(self, lo, hi):
        return lo < self.size() and self.get(lo) == 1


class Sets(Bits):
    name, promised = "toy-sets", 0b11001
    fields = [("bits", 8, 64, 1 << 58), ("hashes", 1, 1, 64), ("sets", 1, 1, 64)]

    def size(self):
        return self.field["bits"]

    def state(self):
        return {}

    def has(self, lo, hi):
        """A key without a number is asked in set 0."""
        own = resalt(lo, hi, 1)[0]
        return all(self.get(high(word(own, i), self.size())) for i in range(self.field["hashes"]))


class Tally(Map):
    name, promised = "toy-tally", 0b1001
    fields = [("slots", 8, 1, 1 << 57), ("members", 8, 0, 1 << 57), ("more", 8, 0, 1 << 57)]

    def value(self, lo, hi):
        words = [int.from_bytes(self.cells[i:i + 8], "little") for i in range(0, len(self.cells), 8)]
        used = 3 * (self.field["members"] + self.field["more"])
        sums = [words[i + 2] for i in range(0, used, 3) if words[i:i + 2] == [lo, hi]]
        return sum(sums) if sums else None


class Shelf(Kind):
    name, promised, fields = "toy-shelf", 0b11001, [("inverse", 8, 1, 1 << 40)]

    def bytes(self):
        return 0

    def state(self):
        need(len(self.children) == 2, "halves")
        return {}

    def has(self, lo, hi):
        return self.children[lo >> 63].has(lo, hi)


class Parts(Kind):
    name, promised = "toy-parts", 0b11001
    fields = [("shards", 8, 1, 1 << 24), ("places", 8, 1, 1 << 30), ("members", 8, 0, 1 << 54)]

    def bytes(self):
        return self.field["shards"] * (self.field["places"] + 1) * 8

    def state(self):
        return {}

    def has(self, lo, hi):
        places = self.field["places"] + 1
        at = high(lo, self.field["shards"]) * places
        words = [int.from_bytes(self.cells[8 * i:8 * i + 8], "little") for i in range(at, at + places)]
        return lo in words[1:1 + words[0]]


TOYS = ("toy-map", "toy-ring", "toy-chain", "toy-static", "toy-range", "toy-sets", "toy-tally", "toy-shelf",
        "toy-parts")


def key_of(name, i):
    return i.to_bytes(8, "little") if name == "integer" else b"%s-%d" % (name.encode(), i)


class Golden:
    def __init__(self, path):
        def text(suffix):
            with open(path + suffix, encoding="utf-8") as file:
                return file.read()
        with open(path + ".blm", "rb") as file:
            self.image = Image(file.read())
        self.lines = [line.split(" ") for line in text(".recipe").splitlines() if line and line[0] != "#"]
        self.answers = text(".answers")
        self.kind, *words = self.first("build") or self.first("make")
        self.words = dict(word.split("=") for word in words)
        self.secret = bytes.fromhex((self.first("secret") or [""])[0]) or None

    def first(self, verb):
        return next((line[1:] for line in self.lines if line[0] == verb), [])

    def hash(self, key):
        if self.image.kind == "toy-range":
            return int.from_bytes(key, "little"), 0
        return hash_of(self.image.hash, self.image.seed, key, self.secret, self.image.filter.wide)

    def answer(self, verb, name, i):
        key, image = key_of(name, i), self.image
        if verb == "range8":
            return "maybe" if any(image.has(*self.hash(key_of(name, j))) for j in range(i, i + 8)) else "no"
        h = self.hash(key)
        if verb == "get":
            value = image.filter.value(*h)
            return "absent" if value is None else str(value)
        if verb == "count":
            times, bound = image.count(*h)
            return "%d%s" % (times, "+" if bound else "")
        return "maybe" if image.has(*h) else "no"

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
        need(image.tag.get(6, b"").decode() == " ".join(self.first("form")), "form")
        need(image.tag.get(1, b"").decode() == " ".join(self.first("note")), "note")
        need(image.key_check == key_check(self.secret), "key check")
        need(3 not in image.tag or self.first("build"), "salt")
        if "bits" not in self.words and not self.first("fold"):
            need(image.target == float(fpr.rstrip("%")) / 100, "target")
        elif image.kind == "standard" and image.filter.size() > 1:
            m, k, n = image.filter.size(), image.field["hashes"], image.capacity
            classic = (1 - (1 - 1 / m) ** (k * n)) ** k  # the exact rate is a little above it
            need(classic <= image.target < 1.02 * classic, "target of theory")

    def play_lists(self, fresh):
        """Keys of the lists beside the members, which are no adds."""
        fresh.seed = self.image.seed
        for name, start, end, number in (line[1:] for line in self.lines if line[0] == "list"):
            for i in range(int(start), int(end) + 1):
                fresh.beside(int(number), *self.image.salted(*self.hash(key_of(name, i))))

    def check_cells(self):
        """Every cell and every sum of them, from the keys and section 8 alone."""
        image, adds, denied = self.image, 0, 0
        fresh = type(image.filter)(image.field)
        fresh.seed, fresh.capacity = image.seed, image.capacity
        fresh.start()
        for verb, *rest in (line for line in self.lines if line[0] in ("add", "del", "deny", "put", "tick", "grow", "adopt")):
            if verb in ("tick", "grow", "adopt"):
                fresh.grow() if verb == "grow" else fresh.tick(int(rest[0])) if verb == "tick" else fresh.adopt(int(rest[0], 16))
                continue
            name, start, end, *rest = rest
            times, weight = [*map(int, rest), fresh.default][:2] if verb == "add" else (1, *map(int, rest), 1)[:2]
            for _ in range(times):
                for i in range(int(start), int(end) + 1):
                    h = image.salted(*self.hash(key_of(name, i)))
                    if verb == "deny":
                        denied += fresh.has(*h) and (fresh.deny(*h) or 1)
                        continue
                    if verb == "put":
                        fresh.put(*h, weight + i)
                        continue
                    (fresh.add if verb == "add" else fresh.delete)(*h, weight)
                    adds += verb == "add"
        self.play_lists(fresh)
        fresh.finish(bool(self.first("build")))
        need(bytes(fresh.cells) == image.cells, "cells computed from the keys")
        if fresh.inner() is not None:
            need(fresh.inner() == [(child.cells, child.adds) for child in image.children], "children computed from the keys")
        fresh.children = image.children
        need(fresh.state() == image.filter.state(), "fields computed from the keys")
        need(image.adds == fresh.adds_of(adds) and image.lost == fresh.lost, "adds or lost")
        need(int.from_bytes(image.tag.get(5, b"")[:8], "little") == denied, "denied keys")


def check_golden(path):
    golden = Golden(path)
    golden.check_header()
    golden.check_answers()
    if golden.image.kind not in TOYS and not golden.first("made-by-older"):
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


def judge(paths):
    for path in paths:
        with open(path, "rb") as file:
            try:
                Image(file.read())
                print(path, 0)
            except ValueError:
                print(path, 3)


def main(args):
    if args[:1] == ["--judge"]:
        return judge(args[1:])
    damage = args[:1] == ["--damage"]
    failed = 0
    paths = args[damage:]
    for name in paths:
        try:
            check_damage(name) if damage else check_golden(name)
            print("ok -", name)
        except ValueError as why:
            failed += 1
            print("not ok -", name, why)
    print("%d passed, %d failed" % (len(paths) - failed, failed))
    return failed > 0 or not paths


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
