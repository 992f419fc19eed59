"""window: section 8 of docs/format.md."""
from kinds import Array, need

ANY_ORDER, MERGE_EXACT = 1 << 3, 1 << 5

class Window(Array):
    name, promised = "window", 0b101000
    fields = [("cells", 8, 1, 1 << 60), ("hashes", 1, 1, 64), ("slices", 1, 1, 63), ("unit", 1, 0, 2),
              ("span", 8, 1, 1 << 53), ("room", 2, 0, 63 * 256)]
    now, default = 0, 1 << 53

    def bytes(self):
        f = self.field
        self.columns = f["slices"] + 1
        power = 1 << (self.columns - 1).bit_length()
        self.width = power if power - self.columns <= power // 16 or self.columns > 57 else self.columns
        self.slice = -(-f["span"] // f["slices"])
        need(-(-f["span"] // self.slice) == f["slices"], "slices")
        need(f["room"] >= 256 or f["room"] == 0 and f["unit"] < 2, "room")
        need(f["cells"] * self.width <= 1 << 60, "size")
        self.packed = super().bytes()
        return self.packed + 8 * self.columns

    def start(self):
        super().start()
        self.lost = 0 if self.field["unit"] == 2 else ANY_ORDER | MERGE_EXACT

    def ones(self):
        return [int.from_bytes(self.cells[at:at + 8], "little") for at in range(self.packed, len(self.cells), 8)]

    def state(self):
        ones, whole = self.ones(), self.cells
        self.cells = whole[:self.packed]
        values, self.cells = self.values(), whole
        need([sum(v >> j & 1 for v in values) for j in range(64)] == ones + [0] * (64 - self.columns), "ones of a column")
        return {}

    def count_up(self, column, ones):
        at = self.packed + 8 * column
        self.cells[at:at + 8] = (self.ones()[column] + ones).to_bytes(8, "little")

    def mask(self, lo):
        mask = (1 << self.columns) - 1
        for c in self.positions(lo):
            mask &= self.get(c)
        return mask

    def has(self, lo, hi):
        return self.mask(lo) != 0

    def count(self, lo, hi):
        return int(self.has(lo, hi)), False

    def tick(self, now):
        before, self.now = self.now // self.slice, now
        for e in range(before + 1, min(now // self.slice, before + self.columns) + 1):
            column = e % self.columns
            for c in range(self.field["cells"]):
                self.set(c, self.get(c) & ~(1 << column))
            self.count_up(column, -self.ones()[column])

    def add(self, lo, hi, weight):
        if self.field["unit"] != 2:
            self.tick(self.now + 1)
        life = min(weight, self.field["span"])
        column = ((self.now + life) // self.slice + 1) % self.columns
        for c in self.positions(lo):
            if not self.get(c) >> column & 1:
                self.set(c, self.get(c) | 1 << column)
                self.count_up(column, 1)
