"""count-min: section 8 of docs/format.md."""
from hashes import M
from kinds import Counters, high, need, up, word

NEVER_LOW, ANY_ORDER, MERGE_EXACT = 1 << 2, 1 << 3, 1 << 5

class CountMin(Counters):
    name, promised = "count-min", 0b101101
    fields = [("columns", 8, 1, 1 << 52), ("hashes", 1, 1, 64), ("width", 1, 1, 64), ("update", 1, 0, 1),
              ("threshold", 8, 0, 1 << 53), ("flows", 8, 0, (1 << 32) - 1), ("weight", 8, 0, M),
              ("used", 8, 0, 1 << 58), ("stuck", 8, 0, 1 << 58), ("held", 8, 0, (1 << 32) - 1),
              ("dropped", 8, 0, M)]
    states = ("weight", "used", "stuck", "held", "dropped")

    def size(self):
        return self.field["columns"] * self.field["hashes"]

    def bytes(self):
        field = self.field
        self.width = field["width"]
        need(self.width <= 57 or self.width == 64, "width")
        need(bool(field["threshold"]) == bool(field["flows"]) and field["threshold"] <= self.top(), "threshold")
        self.table = super().bytes()
        self.slots = field["flows"] + field["flows"] // 2 + 1 if field["flows"] else 0
        return self.table + 24 * self.slots

    def start(self):
        super().start()
        self.field["weight"] = self.field["dropped"] = 0
        if self.field["update"] or self.field["threshold"]:
            self.lost = ANY_ORDER | MERGE_EXACT

    def state(self):
        need(int.from_bytes(self.cells[:self.table], "little") >> self.size() * self.width == 0, "bits past the end")
        values = [self.get(c) for c in range(self.size())]
        slots = [self.slot(i) for i in range(self.slots)]
        need(all(self.find(d)[0] == i if s + b else d == 0 for i, (d, s, b) in enumerate(slots)), "place of a flow")
        return {"used": len(values) - values.count(0), "stuck": values.count(self.top()),
                "held": sum(s + b > 0 for _, s, b in slots),
                "weight": self.field["weight"], "dropped": self.field["dropped"]}

    def positions(self, lo):
        columns = self.field["columns"]
        return [r * columns + high(word(lo, r), columns) for r in range(self.field["hashes"])]

    def slot(self, i):
        at = self.table + 24 * i
        return tuple(int.from_bytes(self.cells[a:a + 8], "little") for a in (at, at + 8, at + 16))

    def find(self, lo):
        """The slot of the key or the free one where it belongs, and its numbers."""
        home = high(word(lo, 64), self.slots)
        for i in ((home + j) % self.slots for j in range(self.slots)):
            digest, since, before = self.slot(i)
            if since + before == 0 or digest == lo:
                return i, since, before
        return None, 0, 0

    def count(self, lo, hi):
        _, since, before = self.find(lo)
        if since + before:
            return since + before, before == self.top()
        return super().count(lo, hi)

    def has(self, lo, hi):
        return all(self.get(c) for c in self.positions(lo))

    def put(self, i, *numbers):
        at = self.table + 24 * i
        self.cells[at:at + 24] = b"".join(n.to_bytes(8, "little") for n in numbers)

    def add(self, lo, hi, weight):
        field, (i, since, before) = self.field, self.find(lo)
        field["weight"] += weight
        if since + before:
            self.put(i, lo, since + weight, before)
            return
        places = self.positions(lo)
        least = min(self.get(c) for c in places)
        for c in places:
            to = max(self.get(c), least + weight) if field["update"] else self.get(c) + weight
            self.set(c, min(to, self.top()))
            self.lost |= NEVER_LOW if self.get(c) == self.top() else 0
        if field["threshold"] and least + weight >= field["threshold"]:
            if sum(self.slot(j)[1] + self.slot(j)[2] > 0 for j in range(self.slots)) < field["flows"]:
                self.put(i, lo, weight, least)
            else:
                field["dropped"] += 1
