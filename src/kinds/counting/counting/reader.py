"""counting: section 8 of docs/format.md."""
from kinds import Counters, high, need, word

class Counting(Counters):
    name, promised = "counting", 0b10101101
    fields = [("cells", 8, 1, 1 << 58), ("hashes", 1, 1, 64), ("width", 1, 2, 16), ("used", 8, 0, 1 << 58),
              ("stuck", 8, 0, 1 << 58), ("layout", 1, 0, 1, 2)]
    states = ("used", "stuck")

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
