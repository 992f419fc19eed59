"""spectral: section 8 of docs/format.md."""
from kinds import Array, Kind, need, resalt

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

class Spectral(Kind):
    name, promised = "spectral", 0b10101101
    fields = [("cells", 8, 1, 1 << 52), ("hashes", 1, 1, 64), ("width", 1, 2, 64), ("method", 1, 0, 2),
              ("share", 1, 0, 64), ("ones", 8, 0, 1 << 52), ("stuck", 8, 0, 1 << 52), ("moved", 8, 0, 1 << 52),
              ("moved_stuck", 8, 0, 1 << 52), ("marks", 8, 0, 1 << 52)]
    states = ("ones", "stuck", "moved", "moved_stuck", "marks")

    def bytes(self):
        cells, width, share = self.field["cells"], self.field["width"], self.field["share"]
        need(width <= 57 or width == 64, "width")
        need(share > 1 if self.field["method"] == 2 else share == 0, "share")
        self.primary = Part(self, 0, cells, width, 0)
        if not share:
            return self.primary.length
        self.secondary = Part(self, self.primary.length, -(-cells // share), width, 1)
        self.marks = Part(self, self.primary.length + self.secondary.length, cells, 1, 2)
        return self.marks.at + self.marks.length

    def start(self):
        super().start()
        self.lost = (0, ANY_ORDER | MERGE_EXACT | DEL_EXACT,
                     ANY_ORDER | MERGE_EXACT | DEL_EXACT | NEVER_LOW)[self.field["method"]]

    def state(self):
        two = self.field["method"] == 2
        moved, marks = (self.secondary.census(), self.marks.census()) if two else ((0, 0), (0, 0))
        return dict(zip(("ones", "stuck", "moved", "moved_stuck", "marks"),
                        self.primary.census() + moved + marks[:1]))

    def marked(self, lo, hi):
        return self.field["method"] == 2 and self.marks.least(lo, hi) == 1

    def has(self, lo, hi):
        return self.primary.least(lo, hi) > 0

    def count(self, lo, hi):
        least = self.primary.least(lo, hi)
        second = self.secondary.least(lo, hi) if self.marked(lo, hi) else 0
        times = second if 0 < second < least else least
        return times, times == (1 << self.primary.width) - 1

    def add(self, lo, hi, weight):
        first, places = self.primary, self.primary.of(lo, hi)
        target = first.least(lo, hi) + weight
        for c in places:
            first.set(c, max(first.get(c), target) if self.field["method"] == 1 else first.get(c) + weight)
            self.lost |= DEL_EXACT if first.get(c) == (1 << first.width) - 1 else 0
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

    def delete(self, lo, hi, weight):
        marked = self.marked(lo, hi)
        for c in self.primary.of(lo, hi):
            self.primary.lower(c, weight)
        for c in self.secondary.of(lo, hi) if marked else []:
            self.secondary.lower(c, weight)
