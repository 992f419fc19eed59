"""counting: section 8 of docs/format.md."""
from kinds import Array, high, need, word

DEL_EXACT = 1 << 7

class Counters(Array):
    """Counters with a ceiling. The smallest of a key's, each taken once, is its count."""
    def state(self):
        values = self.values()
        return {"used": len(values) - values.count(0), "stuck": values.count(self.top())}

    def top(self):
        return (1 << self.width) - 1

    def count(self, lo, hi):
        least = min(self.get(c) for c in self.positions(lo))
        return least, least == self.top()

    def has(self, lo, hi):
        return self.count(lo, hi)[0] > 0

    def add(self, lo, hi, weight):
        for c in set(self.positions(lo)):
            self.set(c, min(self.top(), self.get(c) + weight))
            self.lost |= DEL_EXACT if self.get(c) == self.top() else 0

    def delete(self, lo, hi, weight):
        for c in set(self.positions(lo)):
            if self.get(c) < self.top():
                self.set(c, self.get(c) - weight)

class Counting(Counters):
    name, promised = "counting", 0b10101101
    fields = [("cells", 8, 1, 1 << 58), ("hashes", 1, 1, 64), ("width", 1, 2, 16), ("used", 8, 0, 1 << 58),
              ("stuck", 8, 0, 1 << 58), ("layout", 1, 0, 1, 2)]

    def bytes(self):
        self.width = self.field["width"]
        self.line = 512 // self.width  # its counters
        whole = 512 % self.width == 0 and self.size() % self.line == 0
        need(whole or not self.field["layout"], "whole lines")
        return super().bytes()

    def positions(self, lo):
        if not self.field["layout"]:
            return super().positions(lo)
        start, bits = high(lo, self.size() // self.line) * self.line, self.line.bit_length() - 1
        a_word = 64 // bits
        return [start + (word(lo, i // a_word) >> i % a_word * bits) % self.line for i in range(self.field["hashes"])]
