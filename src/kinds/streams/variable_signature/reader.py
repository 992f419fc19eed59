"""variable-signature: section 8 of docs/format.md."""
from kinds import Array, need

class VariableSignature(Array):
    name, promised = "variable-signature", 0b111000
    fields = [("cells", 8, 1, 1 << 60), ("hashes", 1, 1, 64), ("ask", 1, 1, 64), ("least", 1, 1, 64),
              ("stripes", 4, 1, 65536), ("window", 4, 0, 65536), ("ones", 8, 0, 1 << 60), ("reset", 8, 0, 1 << 62)]
    states = ("ones", "reset")
    now = 0

    def bytes(self):
        f = self.field
        need(f["ask"] <= f["hashes"] and f["least"] <= f["hashes"], "ask and least")
        need(f["window"] < f["stripes"] <= f["cells"], "stripes")
        need(f["ones"] <= f["cells"], "ones")
        return super().bytes()

    def start(self):
        super().start()
        self.field["reset"] = 0

    def state(self):
        return {"ones": sum(self.values()), "reset": self.field["reset"]}

    def signature(self, lo):
        return sum(self.get(c) for c in self.positions(lo))

    def has(self, lo, hi):
        return self.signature(lo) >= self.field["ask"]

    def value(self, lo, hi):
        ones = self.signature(lo)
        return ones if ones >= self.field["least"] else None

    def add(self, lo, hi, length):
        for c in self.positions(lo)[:length]:
            self.set(c, 1)

    def put(self, lo, hi, length):
        ones = self.signature(lo)
        for c in self.positions(lo):
            if ones < length and not self.get(c):
                self.set(c, 1)
                ones += 1

    def delete(self, lo, hi, length):
        for c in reversed(self.positions(lo)):
            if self.has(lo, hi):
                self.field["reset"] += self.get(c)
                self.set(c, 0)

    def tick(self, now):
        m, stripes = self.size(), self.field["stripes"]
        if now - self.now >= stripes:
            self.field["reset"] = 0
        for step in range(max(self.now, now - stripes) + 1, now + 1):
            s = step % stripes
            for c in range(s * m // stripes, (s + 1) * m // stripes):
                self.set(c, 0)
        self.now = now
