"""counter-braids: section 8 of docs/format.md."""
from hashes import M, mix
from kinds import Array, high, need, up, word

class CounterBraids(Array):
    name, promised = "counter-braids", 0b101101
    fields = [("columns", 8, 1, 1 << 52), ("hashes", 1, 3, 64), ("width", 1, 1, 32), ("deep_columns", 8, 1, 1 << 52),
              ("deep", 1, 4, 56), ("least", 8, 0, (1 << 32) - 1), ("used", 8, 0, 1 << 58), ("digest", 8, 0, M)]
    states = ("used", "digest")

    def size(self):
        return self.field["columns"] * self.field["hashes"]

    def bytes(self):
        need(self.field["used"] <= self.size(), "used")
        self.width = self.field["width"] + 1
        self.second = super().bytes()
        return self.second + up(3 * self.field["deep_columns"] * self.field["deep"], 64) // 8

    def start(self):
        super().start()
        self.field["digest"] = 0

    def state(self):
        first, second = (int.from_bytes(part, "little") for part in (self.cells[:self.second], self.cells[self.second:]))
        need(first >> self.size() * self.width == 0, "bits past the end of layer 1")
        need(second >> 3 * self.field["deep_columns"] * self.field["deep"] == 0, "bits past the end of layer 2")
        used = sum(self.get(c) > 0 for c in range(self.size()))
        return {"used": used, "digest": self.field["digest"]}

    def positions(self, lo):
        columns = self.field["columns"]
        return [r * columns + high(word(lo, r), columns) for r in range(self.field["hashes"])]

    def has(self, lo, hi):
        return all(self.get(c) for c in self.positions(lo))

    def carry(self, cell):
        columns, deep = self.field["deep_columns"], self.field["deep"]
        lo = mix(cell + 0x9E3779B97F4A7C15 & M)
        layer = int.from_bytes(self.cells[self.second:], "little")
        for r in range(3):
            at, top = (r * columns + high(word(lo, r), columns)) * deep, (1 << deep) - 1
            layer += (layer >> at & top) < top and 1 << at
        self.cells[self.second:] = layer.to_bytes(self.length - self.second, "little")

    def add(self, lo, hi, weight):
        status = 1 << self.field["width"]
        self.field["digest"] = self.field["digest"] + lo & M
        for c in self.positions(lo):
            value = (self.get(c) & status - 1) + 1
            if value == status:
                self.carry(c)
            self.set(c, status if value == status else self.get(c) & status | value)
