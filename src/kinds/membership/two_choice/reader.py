"""two-choice: section 8 of docs/format.md."""
from kinds import Bits, high, need, word

class TwoChoice(Bits):
    name, promised = "two-choice", 0b10001
    fields = [("cells", 8, 1, 1 << 60), ("hashes", 1, 1, 64), ("choices", 1, 1, 8), ("ones", 8, 0, 1 << 60)]
    states = ("ones",)

    def bytes(self):
        need(self.field["choices"] * self.field["hashes"] <= 128, "choices")
        return super().bytes()

    def zeros(self, lo):
        """For each group, its distinct bits that are zero."""
        k = self.field["hashes"]
        groups = [[high(word(lo, g * k + i), self.size()) for i in range(k)] for g in range(self.field["choices"])]
        return [{c for c in group if not self.get(c)} for group in groups]

    def has(self, lo, hi):
        return set() in self.zeros(lo)

    def add(self, lo, hi, weight):
        for c in min(self.zeros(lo), key=len):  # the first of equals
            self.set(c, 1)
