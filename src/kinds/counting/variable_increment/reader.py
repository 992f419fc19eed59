"""variable-increment: section 8 of docs/format.md."""
from itertools import combinations_with_replacement
from kinds import Array, need, word

DEL_EXACT = 1 << 7

class VariableIncrement(Array):
    name, promised = "variable-increment", 0b10101101
    fields = [("cells", 8, 1, 1 << 54), ("hashes", 1, 1, 64), ("form", 1, 0, 1), ("increment", 1, 0, 16),
              ("width", 1, 2, 32), ("elements", 1, 0, 8), ("h", 1, 0, 4), ("values", 8, 0, (1 << 64) - 1),
              ("values_5", 8, 0, (1 << 64) - 1), ("ones", 8, 0, 1 << 54), ("stuck", 8, 0, 1 << 54)]
    states = ("ones", "stuck")

    def bytes(self):
        f, low = self.field, self.field["increment"]
        given = f["values"] | f["values_5"] << 64
        if f["form"]:
            self.adds = [given >> 16 * i & 0xFFFF for i in range((given.bit_length() + 15) // 16)]
            need(2 <= len(self.adds) <= 8 and self.adds == sorted(set(self.adds)) and 0 < self.adds[0], "values")
            need(self.adds[-1] < 4096 and f["h"] > 0 and low == 0 and f["elements"] > 0, "form 1")
            sums = [sum(choice) for choice in combinations_with_replacement(self.adds, f["h"])]
            need(len(sums) == len(set(sums)), "a B_h sequence")
        else:
            need(low in (1, 2, 4, 8, 16) and not given and f["h"] == f["elements"] == 0, "form 0")
            self.adds = list(range(low, 2 * low))
        self.width = f["width"] + f["elements"]
        self.top, self.most = (1 << f["width"]) - 1, (1 << f["elements"]) - 1
        need(self.top > self.adds[-1] * (f["h"] or 2) and (not f["form"] or self.most > f["h"]), "width")
        return super().bytes()

    def parts(self, c):
        value = self.get(c)
        return value >> self.field["elements"], value & self.most

    def stuck(self, total, keys):
        return total == self.top or bool(self.field["form"] and keys == self.most)

    def state(self):
        values = self.values()
        return {"ones": len(values) - values.count(0), "stuck": sum(self.stuck(*self.parts(c)) for c in range(len(values)))}

    def probes(self, lo):
        k = self.field["hashes"]
        pieces = [word(lo, k + i // 4) >> 16 * (i % 4) & 0xFFFF for i in range(k)]
        return zip(self.positions(lo), (self.adds[piece * len(self.adds) >> 16] for piece in pieces))

    def sums(self, keys):
        return {sum(choice) for choice in combinations_with_replacement(self.adds, keys)}

    def passes(self, total, keys, add):
        if self.stuck(total, keys):
            return True
        if not self.field["form"]:
            return total == add or total >= add + self.field["increment"]
        return keys > self.field["h"] or keys > 0 and total - add in self.sums(keys - 1)

    def possible(self, total, keys):
        if not self.field["form"]:
            return total == 0 or total >= self.field["increment"]
        if keys < self.field["h"]:
            return total in self.sums(keys)
        return keys * self.adds[0] <= total <= keys * self.adds[-1]

    def most_times(self, total, keys, add):
        most = min(total // add, keys) if self.field["form"] else total // add
        times = next(t for t in range(most, -1, -1) if t == 0 or self.possible(total - t * add, keys - t))
        return max(times, 1) if self.field["form"] and keys > self.field["h"] else times

    def has(self, lo, hi):
        return all(self.passes(*self.parts(c), add) for c, add in self.probes(lo))

    def count(self, lo, hi):
        cells = [(self.parts(c), add) for c, add in self.probes(lo)]
        free = [self.most_times(*parts, add) for parts, add in cells if not self.stuck(*parts)]
        return (min(free), False) if free else (min(self.top // add for _, add in cells), True)

    def change(self, lo, sign):
        for c, add in self.probes(lo):
            total, keys = self.parts(c)
            if sign > 0 or total < self.top:
                total = min(self.top, total + sign * add)
            if sign > 0 or keys < self.most:
                keys = min(self.most, keys + sign)
            self.set(c, total << self.field["elements"] | keys)
            self.lost |= DEL_EXACT if self.stuck(total, keys) else 0

    def add(self, lo, hi, weight):
        self.change(lo, 1)

    def delete(self, lo, hi, weight):
        self.change(lo, -1)
