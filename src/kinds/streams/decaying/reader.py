"""decaying: section 8 of docs/format.md."""
from kinds import Array, need

LONG = 1 << 48

class Decaying(Array):
    name, promised = "decaying", 0
    fields = [("cells", 8, 1, 1 << 58), ("hashes", 1, 1, 64), ("window", 8, 1, LONG), ("distinct", 8, 1, LONG),
              ("blocks", 8, 0, LONG), ("stamp", 8, 0, 1 << 57), ("turn", 8, 0, 1 << 58)]
    states = ("stamp", "turn")
    now = 0

    def bytes(self):
        f = self.field
        window, blocks = f["window"], f["blocks"]
        need(blocks <= f["cells"] and f["distinct"] <= window, "blocks and keys")
        if blocks:
            self.top = -(-(window - 1) // blocks) + 1
            self.width = self.top.bit_length()
        else:
            self.width = (window + max(window // 2, 1)).bit_length()
            self.top = (1 << self.width) - 1
        self.slices = blocks or min(self.top - window, f["cells"])
        need(f["turn"] < self.slices and f["stamp"] <= (0 if blocks else self.top), "stamp and turn")
        return super().bytes()

    def start(self):
        super().start()
        self.field["turn"] = 0
        self.field["stamp"] = 0 if self.field["blocks"] else 1

    def state(self):
        values = self.values()
        need(all(value <= self.top for value in values), "turns of a cell")
        need(bool(self.field["stamp"]) != bool(self.field["blocks"]), "stamp")
        return {"stamp": self.field["stamp"], "turn": self.field["turn"]}

    def live(self, value):
        return value > 0 and (self.field["blocks"] > 0 or (self.field["stamp"] - value) % self.top < self.field["window"])

    def has(self, lo, hi):
        return all(self.live(self.get(c)) for c in self.positions(lo))

    def step(self):
        f = self.field
        f["turn"] = (f["turn"] + 1) % self.slices
        if not f["blocks"]:
            f["stamp"] = f["stamp"] % self.top + 1
        length, longer = divmod(f["cells"], self.slices)
        first = f["turn"] * length + min(f["turn"], longer)
        for c in range(first, first + length + (f["turn"] < longer)):
            value = self.get(c)
            self.set(c, max(value - 1, 0) if f["blocks"] else value if self.live(value) else 0)

    def add(self, lo, hi, weight):
        self.step()
        for c in self.positions(lo):
            self.set(c, self.top if self.field["blocks"] else self.field["stamp"])
        self.now += 1

    def tick(self, now):
        steps, self.now = now - self.now, now
        long = self.top * (self.field["blocks"] or 1)
        if steps < long:
            for _ in range(steps):
                self.step()
        else:  # all cells were emptied on the way
            self.cells = bytearray(self.length)
            self.field["turn"] = (self.field["turn"] + steps) % self.slices
            if not self.field["blocks"]:
                self.field["stamp"] = (self.field["stamp"] - 1 + steps) % self.top + 1
