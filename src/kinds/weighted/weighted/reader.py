"""weighted: section 8 of docs/format.md."""
from kinds import Bits, high, need, word

CLASSES = 16

class Weighted(Bits):
    name, promised = "weighted", 0b1111001
    fields = [("cells", 8, 1, 1 << 60), ("hashes", 1, 1, 64), ("classes", 1, 1, CLASSES),
              *[field for c in range(CLASSES) for field in (
                  ("k%d" % c, 1, 0, 64), ("asked%d" % c, 4, 0, (1 << 32) - 1), ("held%d" % c, 4, 0, (1 << 32) - 1))],
              ("ones", 8, 0, 1 << 60)]
    states = ("ones",)

    def bytes(self):
        k, asked, held = ([self.field["%s%d" % (name, c)] for c in range(CLASSES)] for name in ("k", "asked", "held"))
        n = self.field["classes"]
        need(all(k[:n]) and not any(k[n:] + asked[n:] + held[n:]), "classes")
        need(any(asked) and any(held), "shares")
        mean = (sum(x * y for x, y in zip(k, held)) + sum(held) // 2) // sum(held)
        need(self.field["hashes"] == mean, "hashes")
        return super().bytes()

    def places(self, lo, which):
        return [high(word(lo, i), self.size()) for i in range(self.field["k%d" % which])]

    def add(self, lo, hi, which):
        for place in self.places(lo, which):
            self.set(place, 1)

    def has(self, lo, hi):
        """A key without a class is asked as one of class 0."""
        return all(self.get(place) for place in self.places(lo, 0))
