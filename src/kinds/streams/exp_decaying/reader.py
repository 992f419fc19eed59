"""exp-decaying: section 8 of docs/format.md."""
from hashes import M, mix
from kinds import Bits, need

STEP, HOPS = 0x9E3779B97F4A7C15, 1024

class ExpDecaying(Bits):
    name, promised = "exp-decaying", 0b111000
    fields = [("cells", 8, 1, 1 << 60), ("hashes", 1, 1, 64), ("theta", 1, 1, 64), ("fade", 4, 1, 65536),
              ("hops", 1, 1, 64), ("ones", 8, 0, 1 << 60)]
    states = ("ones",)
    now = 0

    def bytes(self):
        need(self.field["theta"] <= self.field["hashes"], "theta")
        need(self.field["ones"] <= self.field["cells"], "ones")
        return super().bytes()

    def theta(self, lo):
        return sum(self.get(c) for c in self.positions(lo))

    def has(self, lo, hi):
        return self.theta(lo) >= self.field["theta"]

    def value(self, lo, hi):
        return self.theta(lo) if self.has(lo, hi) else None

    def stays(self, c, hop):
        """64 digits of a random number of this bit, below 2^64 / fade?"""
        word, bit = divmod(c, 64)
        stream = mix(mix(self.seed + STEP & M) ^ mix(hop))
        number = 0
        for n in range(64):
            number = number << 1 | mix(stream + (64 * word + n) * STEP & M) >> bit & 1
        return number < (1 << 64) // self.field["fade"]

    def tick(self, now):
        hops = now - self.now if self.field["fade"] > 1 else 0
        ones = [c for c, one in enumerate(self.values()) if one]
        for c in ones:
            if hops >= HOPS or not all(self.stays(c, self.now + r) for r in range(1, hops + 1)):
                self.set(c, 0)
        self.now = now
