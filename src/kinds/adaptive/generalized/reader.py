"""generalized: section 8 of docs/format.md."""
from hashes import M, mix
from kinds import Bits, high, need, word

class Generalized(Bits):
    name, promised = "generalized", 0b11001
    fields = [("cells", 8, 1, 1 << 60), ("hashes", 2, 1, 512), ("resets", 2, 0, 512), ("distinct", 1, 0, 1),
              ("p0", 4, 0, 65536), ("ones", 8, 0, 1 << 60), ("adopted", 1, 0, 1)]
    states = ("ones", "adopted")

    def bytes(self):
        k0, k = self.field["resets"], self.field["hashes"]
        need(k0 <= k, "resets")
        need(not self.field["distinct"] or self.size() >= k, "distinct places")
        self.lost = self.promised if 0 < k0 < k else 0
        return super().bytes()

    def start(self):
        super().start()
        for c in range(self.size()):
            numbers = [mix(self.seed + (16 * (c // 64) + b + 1) * 0x9E3779B97F4A7C15 & M) for b in range(16)]
            u = sum((number >> c % 64 & 1) << b for b, number in enumerate(numbers))
            self.set(c, int(u >= self.field["p0"]))

    def adopt(self, byte):
        for c in range(self.size()):
            self.set(c, byte >> c % 8 & 1)
        self.field["adopted"] = 1

    def positions(self, lo):
        if not self.field["distinct"]:
            return super().positions(lo)
        places, i = [], 0
        while len(places) < self.field["hashes"]:
            for tries in range(64):
                place, i = high(word(lo, i), self.size()), i + 1
                if place not in places:
                    break
            while place in places:
                place = (place + 1) % self.size()
            places.append(place)
        return places

    def wanted(self, lo):
        """What the key leaves: {cell: bit}; the resets come last."""
        places, k0 = self.positions(lo), self.field["resets"]
        return {**dict.fromkeys(places[k0:], 1), **dict.fromkeys(places[:k0], 0)}

    def has(self, lo, hi):
        return all(self.get(c) == bit for c, bit in self.wanted(lo).items())

    def add(self, lo, hi, weight):
        for c, bit in self.wanted(lo).items():
            self.set(c, bit)

    def state(self):
        return {**super().state(), "adopted": self.field["adopted"]}
