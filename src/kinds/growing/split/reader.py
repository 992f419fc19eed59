"""split: section 8 of docs/format.md."""
from kinds import Array, high, need, word

ANY_ORDER, MERGE_EXACT = 1 << 3, 1 << 5

class Split(Array):
    name, promised = "split", 0b111001
    fields = [("cells", 8, 1, 1 << 60), ("hashes", 1, 1, 64), ("parts", 1, 1, 64), ("rows", 1, 0, 1),
              ("per_row", 8, 0, 1 << 56), ("ones", 8, 0, 1 << 60), ("taken", 8, 0, 1 << 60)]
    states = ("ones", "taken")

    def bytes(self):
        f = self.field
        self.width = f["parts"] if f["parts"] < 58 else 64
        need(f["cells"] * self.width <= 1 << 60, "size")
        need(bool(f["rows"]) == (f["per_row"] == 0), "per_row")
        need(f["ones"] <= f["cells"] * f["parts"], "ones")
        need(f["taken"] == 0 if f["rows"] else f["taken"] <= f["ones"] <= f["taken"] * f["hashes"], "taken")
        return super().bytes()

    def start(self):
        super().start()
        self.field["taken"] = 0
        if not self.field["rows"]:
            self.lost = ANY_ORDER | MERGE_EXACT

    def row(self, taken):
        row = taken // self.field["per_row"]
        return row if row < self.field["parts"] else taken % self.field["parts"]

    def state(self):
        f, values = self.field, self.values()
        ones = [sum(v >> r & 1 for v in values) for r in range(64)]
        need(not any(ones[f["parts"]:]), "bits of no row")
        if not f["rows"]:
            loads = [0] * f["parts"]
            for t in range(f["taken"]):
                loads[self.row(t)] += 1
            need(all(load <= n <= load * f["hashes"] for n, load in zip(ones, loads)), "ones of a row")
        return {"ones": sum(ones), "taken": f["taken"]}

    def own(self, lo):
        return high(word(lo, self.field["hashes"]), self.field["parts"])

    def having(self, lo):
        """A mask of the rows that have the key, of those that it asks."""
        mask = 1 << self.own(lo) if self.field["rows"] else (1 << self.field["parts"]) - 1
        for c in self.positions(lo):
            mask &= self.get(c)
        return mask

    def has(self, lo, hi):
        return self.having(lo) != 0

    def count(self, lo, hi):
        return int(self.has(lo, hi)), False

    def add(self, lo, hi, weight):
        if self.has(lo, hi):
            return
        row = self.own(lo) if self.field["rows"] else self.row(self.field["taken"])
        for c in self.positions(lo):
            self.set(c, self.get(c) | 1 << row)
        self.field["taken"] += not self.field["rows"]
