"""state-machine: section 8 of docs/format.md."""
from kinds import Array, high, need, word

TABLES, SLOTS, TOP, TOUCHED = 4, 8, 3, 4

class StateMachine(Array):
    name, promised = "state-machine", 0
    fields = [("buckets", 8, 1, 1 << 50), ("remainder", 1, 1, 53), ("states", 2, 1, 65535), ("doublings", 1, 0, 52),
              ("used", 8, 0, 1 << 58), ("stuck", 8, 0, 1 << 58)]
    states = ("doublings", "used", "stuck")
    now = 0

    def size(self):
        return TABLES * SLOTS * self.across

    def bytes(self):
        f = self.field
        self.across, self.range = f["buckets"] << f["doublings"], f["buckets"] << f["remainder"]
        self.tail = 3 + f["states"].bit_length()  # the bits below a remainder
        self.low = f["remainder"] - f["doublings"]
        need(self.low > 0 and f["remainder"] + self.tail <= 57, "bits of a cell")
        need(self.range <= 1 << 63 and self.across <= 1 << 50, "buckets")
        need(f["stuck"] <= f["used"] <= min(self.size(), self.range), "used and stuck")
        self.width = self.low + self.tail
        return super().bytes()

    def start(self):
        self.field["doublings"] = 0
        self.length = self.bytes()
        super().start()

    def rest(self, flow):
        return flow & (1 << self.low) - 1

    def cells_of(self, flow):
        """Bucket after bucket, the numbers of their cells."""
        for t in range(TABLES):
            bucket = ((flow >> self.low) + high(word(self.rest(flow), t), self.across)) % self.across
            yield range((t * self.across + bucket) * SLOTS, (t * self.across + bucket + 1) * SLOTS)

    def flow_of(self, cell, value):
        table, bucket = divmod(cell // SLOTS, self.across)
        rest = value >> self.tail
        return (bucket - high(word(rest, table), self.across)) % self.across << self.low | rest

    def in_use(self):
        """(cell, its value) of all that are in use."""
        return [(c, value) for c, value in enumerate(self.values()) if value]

    def state(self):
        used = self.in_use()
        need(all(value & TOP for _, value in used), "an empty cell that is not zero")
        need(all(self.known(value) <= self.field["states"] for _, value in used), "a state that is too high")
        need(len({self.flow_of(*cell) for cell in used}) == len(used), "two cells of one fingerprint")
        return {"used": len(used), "stuck": sum(value & TOP == TOP for _, value in used),
                "doublings": self.field["doublings"]}

    def known(self, value):
        return value >> 3 & (1 << self.tail - 3) - 1

    def find(self, flow):
        """(cell, its value), or None."""
        for bucket in self.cells_of(flow):
            for c in bucket:
                value = self.get(c)
                if value and value >> self.tail == self.rest(flow):
                    return c, value
        return None

    def has(self, lo, hi):
        return self.find(high(lo, self.range)) is not None

    def value(self, lo, hi):
        found = self.find(high(lo, self.range))
        return None if found is None else self.known(found[1]) or "unsure"

    def enter(self, c, value, state, alone):
        state = state if alone or self.known(value) == state else 0
        self.set(c, value >> self.tail << self.tail | state << 3 | TOUCHED | value & TOP)

    def take(self, flow, tail):
        """A new cell for a fingerprint."""
        free = [[c for c in bucket if not self.get(c)] for bucket in self.cells_of(flow)]
        self.set(max(free, key=len)[0], self.rest(flow) << self.tail | tail)  # the first of the longest

    def add(self, lo, hi, weight):
        flow = high(lo, self.range)
        found = self.find(flow)
        if found is None:
            self.take(flow, weight << 3 | TOUCHED | 1)
        else:
            self.enter(found[0], found[1] + (found[1] & TOP < TOP), weight, False)

    def put(self, lo, hi, state):
        c, value = self.find(high(lo, self.range))
        self.enter(c, value, state, value & TOP == 1)

    def delete(self, lo, hi, weight):
        c, value = self.find(high(lo, self.range))
        if value & TOP < TOP:
            self.set(c, value - 1 if value & TOP > 1 else 0)

    def tick(self, now):
        epochs, self.now = now - self.now, now
        for c, value in self.in_use() if epochs else []:
            self.set(c, value - TOUCHED if epochs == 1 and value & TOUCHED else 0)

    def grow(self):
        flows = [(self.flow_of(*cell), cell[1] & (1 << self.tail) - 1) for cell in self.in_use()]
        self.field["doublings"] += 1
        self.length = self.bytes()
        self.cells = bytearray(self.length)
        for flow, tail in flows:
            self.take(flow, tail)
