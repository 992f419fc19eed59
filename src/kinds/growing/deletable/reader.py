"""deletable: section 8 of docs/format.md."""
from kinds import Bits, high, need, word

class Deletable(Bits):
    name, promised = "deletable", 0b101001
    fields = [("cells", 8, 1, 1 << 60), ("hashes", 1, 1, 64), ("regions", 8, 1, 1 << 60), ("ones", 8, 0, 1 << 60),
              ("collided", 8, 0, 1 << 60)]
    states = ("ones", "collided")

    def bytes(self):
        self.data, self.regions = self.field["cells"], self.field["regions"]
        need(self.regions <= self.data, "regions")
        need(self.field["collided"] <= self.regions, "collisions")
        self.region = -(-self.data // self.regions)
        return super().bytes()

    def size(self):
        return self.field["cells"] + self.field["regions"]

    def positions(self, lo):
        return [high(word(lo, i), self.data) for i in range(self.field["hashes"])]

    def state(self):
        values = self.values()
        return {"ones": sum(values[:self.data]), "collided": sum(values[self.data:])}

    def mark(self, c):
        return self.data + c // self.region

    def add(self, lo, hi, weight):
        met = {c for c in self.positions(lo) if self.get(c)}
        for c in self.positions(lo):
            self.set(self.mark(c) if c in met else c, 1)

    def delete(self, lo, hi, weight):
        own = self.positions(lo)
        if all(self.get(c) for c in own):
            for c in own:
                if not self.get(self.mark(c)):
                    self.set(c, 0)
