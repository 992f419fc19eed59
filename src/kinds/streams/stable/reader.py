"""stable: section 8 of docs/format.md."""
from hashes import M, mix
from kinds import Array, high, need, word

class Stable(Array):
    name, promised = "stable", 0
    fields = [("cells", 8, 1, 1 << 58), ("hashes", 1, 1, 64), ("width", 1, 1, 8), ("picks", 8, 0, (1 << 32) - 1),
              ("each", 1, 0, 1), ("used", 8, 0, 1 << 58), ("steps", 8, 0, M), ("idle", 8, 0, M)]
    states = ("used", "steps", "idle")
    now = 0

    def bytes(self):
        f = self.field
        self.width, self.top = f["width"], (1 << f["width"]) - 1
        self.limit = (2 * self.top + 32) * (f["cells"] // f["picks"] + 1) if f["picks"] else M
        need(f["picks"] <= f["cells"] and f["used"] <= f["cells"] and f["idle"] <= self.limit, "picks, used and idle")
        return super().bytes()

    def start(self):
        super().start()
        self.field["steps"] = self.field["idle"] = 0

    def state(self):
        used = sum(value > 0 for value in self.values())
        return {"used": used, "steps": self.field["steps"], "idle": self.field["idle"]}

    def has(self, lo, hi):
        return all(self.get(c) for c in self.positions(lo))

    def lower(self):
        f = self.field
        f["steps"] = f["steps"] + 1 & M
        random = mix(self.seed + f["steps"] * 0x9E3779B97F4A7C15 & M)
        for i in range(f["picks"]):
            c = high(word(random, i), f["cells"]) if f["each"] else (high(random, f["cells"]) + i) % f["cells"]
            self.set(c, max(self.get(c) - 1, 0))

    def add(self, lo, hi, weight):
        self.lower()
        for c in self.positions(lo):
            self.set(c, self.top)
        self.field["idle"] = 0
        self.now += 1

    def tick(self, now):
        steps, self.now = now - self.now, now
        self.field["idle"] = min(self.field["idle"] + steps, self.limit)
        if self.field["idle"] == self.limit:
            self.cells = bytearray(self.length)
            self.field["steps"] = self.field["steps"] + steps & M
        else:
            for _ in range(steps):
                self.lower()
