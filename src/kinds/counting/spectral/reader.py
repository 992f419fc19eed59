"""spectral: section 8 of docs/format.md."""
from kinds import Array, Kind, high, need, resalt, up, word

NEVER_LOW, ANY_ORDER, MERGE_EXACT, DEL_EXACT = 1 << 2, 1 << 3, 1 << 5, 1 << 7

class Part(Array):
    """One of the arrays, in the bytes of the whole filter from `at` on."""
    def __init__(self, owner, at, cells, width, salt):
        self.width, self.salt, self.owner, self.at = width, salt, owner, at
        super().__init__({"cells": cells, "hashes": owner.field["hashes"]})

    @property
    def cells(self):
        return self.owner.cells[self.at:self.at + self.length]

    def of(self, lo, hi):
        """The distinct places of a key."""
        return sorted(set(self.positions(resalt(lo, hi, self.salt)[0] if self.salt else lo)))

    def least(self, lo, hi):
        return min(self.get(c) for c in self.of(lo, hi))

    def set(self, c, value):
        top = (1 << self.width) - 1
        bits = int.from_bytes(self.cells, "little")
        bits += min(top, value) - self.get(c) << c * self.width
        self.owner.cells[self.at:self.at + self.length] = bits.to_bytes(self.length, "little")

    def lower(self, c, by):
        if self.get(c) < (1 << self.width) - 1:
            self.set(c, max(0, self.get(c) - by))

    def census(self):
        values = self.values()
        return len(values) - values.count(0), values.count((1 << self.width) - 1)

def class_of(value):
    """(class, bits of the value, the first value of the class)."""
    if value < 2:
        return value, 0, value
    j, first = 2, 2
    while value >= first + 4 ** (j - 1):
        j, first = j + 1, first + 4 ** (j - 1)
    return j, 2 * (j - 1), first

class Compact:
    """layout 1: the counters, in a list; their strings are made when cells are asked for."""
    def __init__(self, owner):
        self.field, self.m = owner.field, owner.field["cells"]
        groups = -(-self.m // 256)
        self.pages = -(-groups // 16)
        self.own = -(-groups // self.pages)
        words, most = self.field["spare"], 388 * self.own
        for _ in range(self.field["pool"]):
            words = min(words + words // 8 + 1, most)
        self.words = min(words, most)
        self.first, self.head = up(self.m, 64) // 8, up(16 * self.own, 64) // 8
        self.stride, self.list = self.head + 8 * self.words, [0] * self.m
        self.length = self.first + self.pages * self.stride

    def of(self, lo, hi):
        return sorted({high(word(lo, i), self.m) for i in range(self.field["hashes"])})

    def get(self, c):
        return self.list[c]

    def set(self, c, value):
        self.list[c] = min(value, (1 << self.field["width"]) - 1)

    def lower(self, c, by):
        if self.list[c] < (1 << self.field["width"]) - 1:
            self.list[c] = max(0, self.list[c] - by)

    def least(self, lo, hi):
        return min(self.list[c] for c in self.of(lo, hi))

    def census(self):
        return self.m - self.list.count(0), self.list.count((1 << self.field["width"]) - 1)

    def strings(self):
        for start in range(0, self.m, 256):
            group = [(v, *class_of(v)) for v in self.list[start:start + 256]]
            text, layer = "", 1
            while any(j >= layer for _, j, _, _ in group):
                text += "".join("01"[j > layer] for _, j, _, _ in group if j >= layer)
                layer += 1
            yield text + "".join(format(v - first, "0%db" % n)[::-1] for v, j, n, first in group if j > 1)

    def per_page(self):
        strings = list(self.strings())
        return [strings[i:i + self.own] for i in range(0, len(strings), self.own)]

    def short(self):
        return max(sum(map(len, strings)) for strings in self.per_page()) > 64 * self.words

    def bytes(self):
        out = sum((v > 0) << i for i, v in enumerate(self.list)).to_bytes(self.first, "little")
        for strings in self.per_page():
            head = b"".join(len(text).to_bytes(2, "little") for text in strings)
            bits = int("0" + "".join(strings)[::-1], 2)
            out += head.ljust(self.head, b"\0") + bits.to_bytes(8 * self.words, "little")
        return out

    def read(self, cells):
        bits = int.from_bytes(cells[:self.first], "little")
        for group, start in enumerate(range(0, self.m, 256)):
            page = cells[self.first + group // self.own * self.stride:][:self.stride]
            lengths = [int.from_bytes(page[2 * i:2 * i + 2], "little") for i in range(self.own)]
            at, n = sum(lengths[:group % self.own]), lengths[group % self.own]
            text = format(int.from_bytes(page[self.head:], "little") >> at & (1 << n) - 1, "b")[::-1].ljust(n, "0")
            members = range(start, min(start + 256, self.m))
            now = [c for c in members if bits >> c & 1]
            j = {c: int(c in now) for c in members}
            while now:
                here, text = text[:len(now)], text[len(now):]
                now = [c for c, bit in zip(now, here) if bit == "1"]
                for c in now:
                    j[c] += 1
            for c in members:
                n = 2 * (j[c] - 1) if j[c] > 1 else 0
                first = j[c] if j[c] < 2 else 2 + (4 ** (j[c] - 1) - 4) // 3
                self.list[c], text = first + int("0" + text[:n][::-1], 2), text[n:]
        need(self.bytes() == bytes(cells), "strings")

class Spectral(Kind):
    name, promised = "spectral", 0b10101101
    fields = [("cells", 8, 1, 1 << 52), ("hashes", 1, 1, 64), ("width", 1, 2, 64), ("method", 1, 0, 2),
              ("share", 1, 0, 64), ("ones", 8, 0, 1 << 52), ("stuck", 8, 0, 1 << 52), ("moved", 8, 0, 1 << 52),
              ("moved_stuck", 8, 0, 1 << 52), ("marks", 8, 0, 1 << 52), ("layout", 1, 0, 1, 2),
              ("spare", 4, 0, 6208, 2), ("pool", 1, 0, 80, 2)]
    states = ("ones", "stuck", "moved", "moved_stuck", "marks", "pool")
    room = b""

    def bytes(self):
        cells, width, share = self.field["cells"], self.field["width"], self.field["share"]
        need(width <= 57 or width == 64, "width")
        need(share > 1 if self.field["method"] == 2 else share == 0, "share")
        if self.field["layout"]:
            need(self.field["method"] < 2 and self.field["spare"], "method or spare")
            self.primary = Compact(self)
            return self.primary.length
        need(not self.field["spare"] and not self.field["pool"], "spare or pool")
        self.primary = Part(self, 0, cells, width, 0)
        if not share:
            return self.primary.length
        self.secondary = Part(self, self.primary.length, -(-cells // share), width, 1)
        self.marks = Part(self, self.primary.length + self.secondary.length, cells, 1, 2)
        return self.marks.at + self.marks.length

    @property
    def cells(self):
        return self.primary.bytes() if self.field["layout"] else self.room

    @cells.setter
    def cells(self, cells):
        if self.field["layout"]:
            self.primary.read(cells)
        else:
            self.room = cells

    def start(self):
        self.field["pool"] = 0
        self.length = self.bytes()
        if not self.field["layout"]:
            super().start()
        self.lost = (0, ANY_ORDER | MERGE_EXACT | DEL_EXACT,
                     ANY_ORDER | MERGE_EXACT | DEL_EXACT | NEVER_LOW)[self.field["method"]]
        self.lost |= DEL_EXACT if self.field["layout"] else 0

    def state(self):
        two = self.field["method"] == 2
        moved, marks = (self.secondary.census(), self.marks.census()) if two else ((0, 0), (0, 0))
        return dict(zip(self.states, self.primary.census() + moved + marks[:1] + (self.field["pool"],)))

    def marked(self, lo, hi):
        return self.field["method"] == 2 and self.marks.least(lo, hi) == 1

    def has(self, lo, hi):
        return self.primary.least(lo, hi) > 0

    def count(self, lo, hi):
        least = self.primary.least(lo, hi)
        second = self.secondary.least(lo, hi) if self.marked(lo, hi) else 0
        times = second if 0 < second < least else least
        return times, times == (1 << self.field["width"]) - 1

    def add(self, lo, hi, weight):
        first, places = self.primary, self.primary.of(lo, hi)
        target = first.least(lo, hi) + weight
        for c in places:
            first.set(c, max(first.get(c), target) if self.field["method"] == 1 else first.get(c) + weight)
            self.lost |= DEL_EXACT if first.get(c) == (1 << self.field["width"]) - 1 else 0
        if self.field["layout"]:
            self.grow()
        if self.field["method"] < 2:
            return
        values = [first.get(c) for c in places]
        if self.marked(lo, hi):
            for c in self.secondary.of(lo, hi):
                self.secondary.set(c, self.secondary.get(c) + weight)
        elif values.count(min(values)) == 1:
            for c in self.marks.of(lo, hi):
                self.marks.set(c, 1)
            for c in self.secondary.of(lo, hi):
                self.secondary.set(c, self.secondary.get(c) + min(values))

    def grow(self):
        """Until all strings have room."""
        while self.primary.short():
            self.field["pool"] += 1
            counters, self.length = self.primary.list, self.bytes()
            self.primary.list = counters

    def delete(self, lo, hi, weight):
        marked = self.marked(lo, hi)
        for c in self.primary.of(lo, hi):
            self.primary.lower(c, weight)
        for c in self.secondary.of(lo, hi) if marked else []:
            self.secondary.lower(c, weight)
