"""blocked: section 8 of docs/format.md."""
from kinds import Bits, high, word

class Blocked(Bits):
    name, promised = "blocked", 0b1111001
    fields = [("blocks", 8, 1, 1 << 51), ("hashes", 1, 1, 64), ("ones", 8, 0, 1 << 60)]
    states = ("ones",)

    def size(self):
        return self.field["blocks"] * 512

    def positions(self, lo):
        start = high(lo, self.field["blocks"]) * 512
        return [start + (word(lo, i // 7) >> 9 * (i % 7) & 511) for i in range(self.field["hashes"])]
