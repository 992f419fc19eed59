"""time-decaying: section 8 of docs/format.md."""
from fractions import Fraction
from functools import lru_cache
from math import isqrt
from kinds import Counters, M, high, need, word

LN2 = Fraction(693147180559945309417232121458176568, 10 ** 36)
REST = 128  # epochs after which stuck cells leave

def step(j):
    """floor(2^63 2^(j / 64)): the root of degree 64, by six square roots."""
    root = 1 << 63 * 64 + j
    for _ in range(6):
        root = isqrt(root)
    return root

STEPS = [step(j) for j in range(64)]
TERMS, whole = [], 1
for i in range(1, 7):
    whole *= i
    TERMS.append(int(2 ** 64 * (LN2 / 64) ** i / whole))

class TimeDecaying(Counters):
    name, promised = "time-decaying", 0
    fields = [("columns", 8, 1, 1 << 52), ("half", 8, 1, 1 << 48), ("window", 8, 1, 1 << 52), ("hashes", 1, 1, 64),
              ("width", 1, 8, 32), ("update", 1, 0, 1), ("timed", 1, 0, 1), ("used", 8, 0, 1 << 58),
              ("stuck", 8, 0, 1 << 58), ("met", 8, 0, M)]
    states = ("used", "stuck", "met")

    def size(self):
        return self.field["columns"] * self.field["hashes"]

    def bytes(self):
        f = self.field
        self.width, self.point = f["width"], f["width"] // 2
        need(self.width in (8, 16, 32), "width")
        need(f["window"] <= (self.point - 2) * f["half"], "window")
        need(f["stuck"] <= f["used"] <= self.size(), "used and stuck")
        return super().bytes()

    def start(self):
        super().start()
        self.field["met"] = 0

    @lru_cache(None)
    def power(self, rest):
        """2^63 times 2 to the power of rest / half."""
        half = self.field["half"]
        bits = half.bit_length()
        x = high(rest << 64 - bits, (1 << 62 + bits) // half) * 4
        u, v = x * 64 & M, TERMS[5]
        for i in (4, 3, 2, 1, 0):
            v = TERMS[i] + high(v, u)
        return STEPS[x >> 58] + high(STEPS[x >> 58], high(v, u))

    def brings(self, weight, rest):
        return -(-((weight << self.point) * self.power(rest)) >> 63)

    def threshold(self, now):
        half, window = self.field["half"], self.field["window"]
        r, b = now % half, window % half
        return self.brings(1, r - b + (half if r < b else 0)) >> window // half + (r < b)

    def state(self):
        values = self.values()
        return {"used": sum(v >= self.threshold(0) for v in values), "stuck": values.count(self.top()),
                "met": self.field["met"]}

    def positions(self, lo):
        columns = self.field["columns"]
        return [r * columns + high(word(lo, r), columns) for r in range(self.field["hashes"])]

    def least(self, lo):
        return min(self.get(c) for c in self.positions(lo))

    def has(self, lo, hi):
        return self.least(lo) >= self.threshold(self.now)

    def count(self, lo, hi):
        least = self.least(lo)
        if least == self.top():
            return 1 << self.point - 1, True
        return round(Fraction(least << 63 - self.point, self.power(self.now % self.field["half"]))), False

    def tick(self, now):
        half = self.field["half"]
        epochs, self.now = now // half - self.now // half, now
        rested = now // half >= self.field["met"] + REST
        for c in range(self.size()) if epochs else ():
            v = self.get(c)
            self.set(c, v >> min(epochs, 64) if v != self.top() else 0 if rested else v)

    def add(self, lo, hi, weight):
        if not self.field["timed"]:
            self.tick(self.now + 1)
        rest = self.now % self.field["half"]
        more, ceiling, least = self.brings(weight, rest), self.brings(1 << self.point - 1, rest), self.least(lo)
        for c in self.positions(lo):
            old = self.get(c)
            v = max(old, least + more) if self.field["update"] else old + more
            self.set(c, old if v == old else self.top() if v >= min(ceiling, self.top()) else v)
            if self.get(c) == self.top():
                self.field["met"] = self.now // self.field["half"]
