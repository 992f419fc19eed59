"""partitioned: section 8 of docs/format.md."""
from kinds import Bits, high, need, word

class Partitioned(Bits):
    name, promised = "partitioned", 0b1111001
    fields = [("slice", 8, 1, 1 << 60), ("hashes", 1, 1, 64), ("ones", 8, 0, 1 << 60)]
    states = ("ones",)

    def size(self):
        return self.field["hashes"] * self.field["slice"]

    def bytes(self):
        need(self.size() <= 1 << 60, "slices")
        return super().bytes()

    def positions(self, lo):
        s = self.field["slice"]
        return [j * s + high(word(lo, j), s) for j in range(self.field["hashes"])]
