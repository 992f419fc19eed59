"""memory-optimized: section 8 of docs/format.md."""
from kinds import Bits, high, word

class MemoryOptimized(Bits):
    name, promised = "memory-optimized", 0b1111001
    fields = [("cells", 8, 1, 1 << 60), ("hashes", 1, 1, 64), ("query", 1, 0, 1), ("ones", 8, 0, 1 << 60)]
    states = ("ones",)

    def chosen(self, lo):
        k = self.field["hashes"]
        return self.positions(lo)[high(word(lo, k), k)]

    def has(self, lo, hi):
        if self.field["query"]:
            return any(self.get(c) for c in self.positions(lo))
        return self.get(self.chosen(lo)) == 1

    def add(self, lo, hi, weight):
        self.set(self.chosen(lo), 1)
