"""dleft: section 8 of docs/format.md."""
from kinds import Array, high, need, word

DEL_EXACT = 1 << 7

class Dleft(Array):
    name, promised = "dleft", 0b10000101
    fields = [("buckets", 8, 1, 1 << 50), ("tables", 1, 3, 8), ("bucket", 1, 4, 32), ("remainder", 1, 1, 55),
              ("width", 1, 2, 16), ("doublings", 1, 0, 54), ("used", 8, 0, 1 << 58), ("stuck", 8, 0, 1 << 58)]
    states = ("doublings", "used", "stuck")

    def size(self):
        return self.field["tables"] * self.across * self.field["bucket"]

    def bytes(self):
        f = self.field
        self.range, self.across = f["buckets"] << f["remainder"], f["buckets"] << f["doublings"]
        self.low, self.top = f["remainder"] - f["doublings"], (1 << f["width"]) - 1
        need(self.low > 0 and f["remainder"] + f["width"] <= 57, "bits of a cell")
        need(self.range <= 1 << 63 and self.across <= 1 << 50, "buckets")
        self.width = self.low + f["width"]
        need(f["stuck"] <= f["used"] <= min(self.size(), self.range), "used and stuck")
        return super().bytes()

    def start(self):
        self.field["doublings"] = 0
        self.length = self.bytes()
        super().start()

    def turn(self, table, rest):
        return high(word(rest, table), self.across)

    def buckets(self, print_):
        """The cells of each of its buckets."""
        rest, slots = print_ & (1 << self.low) - 1, self.field["bucket"]
        places = [t * self.across + ((print_ >> self.low) + self.turn(t, rest)) % self.across
                  for t in range(self.field["tables"])]
        return [range(b * slots, (b + 1) * slots) for b in places]

    def prints(self):
        """(fingerprint, counter) of all cells in use."""
        for c, value in enumerate(self.values()):
            need(value == 0 or value & self.top, "an empty cell that is not zero")
            if value:
                table, bucket = divmod(c // self.field["bucket"], self.across)
                rest = value >> self.field["width"]
                yield (bucket - self.turn(table, rest)) % self.across << self.low | rest, value & self.top

    def state(self):
        prints = list(self.prints())
        need(len({p for p, _ in prints}) == len(prints), "two cells of one fingerprint")
        return {"used": len(prints), "stuck": sum(n == self.top for _, n in prints),
                "doublings": self.field["doublings"]}

    def find(self, print_):
        rest = print_ & (1 << self.low) - 1
        wanted = format(rest, "0%db" % self.low)
        for bucket in self.buckets(print_):
            for c, digits in zip(bucket, self.digits(bucket.start, bucket.stop)):
                if digits.startswith(wanted) and self.get(c) & self.top:
                    return c
        return None

    def count(self, lo, hi):
        cell = self.find(high(lo, self.range))
        times = 0 if cell is None else self.get(cell) & self.top
        return times, times == self.top

    def has(self, lo, hi):
        return self.count(lo, hi)[0] > 0

    def put(self, print_, times):
        cell = self.find(print_)
        if cell is None:
            free = [[c for c in bucket if not self.get(c)] for bucket in self.buckets(print_)]
            cell = max(free, key=len)[0]  # the first of the longest
            self.set(cell, (print_ & (1 << self.low) - 1) << self.field["width"])
        value = self.get(cell)
        now = min(self.top, (value & self.top) + times)
        self.set(cell, value & ~self.top | now)
        self.lost |= DEL_EXACT if now == self.top else 0

    def add(self, lo, hi, weight):
        self.put(high(lo, self.range), weight)

    def delete(self, lo, hi, weight):
        cell = self.find(high(lo, self.range))
        if self.get(cell) & self.top < self.top:
            left = self.get(cell) - weight
            self.set(cell, left if left & self.top else 0)

    def grow(self):
        prints = list(self.prints())
        self.field["doublings"] += 1
        self.length = self.bytes()
        self.cells = bytearray(self.length)
        for print_, times in prints:
            self.put(print_, times)
