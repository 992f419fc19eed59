"""adaptive-count: section 8 of docs/format.md."""
from math import expm1, floor, log1p
from kinds import Bits, high, word

class AdaptiveCount(Bits):
    name, promised = "adaptive-count", 0b1
    fields = [("cells", 8, 1, 1 << 58), ("hashes", 1, 1, 64), ("limit", 4, 2, 65535), ("repeat", 4, 1, 65535),
              ("ones", 8, 0, 1 << 58)]
    states = ("ones",)

    def further(self, lo):
        k = self.field["hashes"]
        return (high(word(lo, k + i), self.size()) for i in range(self.field["limit"]))

    def run(self, lo):
        run = 0
        for c in self.further(lo):
            if not self.get(c):
                break
            run += 1
        return run

    def count(self, lo, hi):
        run = self.run(lo) if self.has(lo, hi) else 0
        ones, limit = self.state()["ones"], self.field["limit"]
        if run == 0 or ones == self.size():
            return min(run, 1), run == limit
        r = ones / self.size()
        g = -log1p(-r)
        return floor(max(1, (run - r / (1 - r)) * g / expm1(g)) + 0.5), run == limit

    def add(self, lo, hi, weight):
        super().add(lo, hi, weight)
        for c in self.further(lo):
            if not self.get(c):
                self.set(c, 1)
                break
