"""space-code: section 8 of docs/format.md."""
from kinds import Array, high, need, resalt, up, word
from hashes import M, mix

class SpaceCode(Array):
    name, promised = "space-code", 0b1
    states = ("random", "ones") + tuple("ones_%d" % j for j in range(2, 9))
    fields = [("cells", 8, 1, 1 << 58), ("hashes", 1, 1, 64), ("groups", 1, 2, 64), ("resolutions", 1, 1, 8),
              ("share", 4, 1 << 26, (1 << 32) - 1), ("decode", 1, 0, 1), ("random", 8, 0, M)]
    fields += [(name, 8, 0, 1 << 58) for name in states[1:]]
    drawn = 0

    def size(self):
        return self.starts[-1]

    def bytes(self):
        f = self.field
        self.chance, self.bits, self.starts = [None, f["share"] << 32], [f["cells"]], [0]
        while len(self.chance) < f["resolutions"]:
            self.chance.append(high(self.chance[-1], self.chance[1]))
        while len(self.bits) < f["resolutions"]:
            self.bits.append(high(f["cells"], self.chance[len(self.bits)]) + 1)
        for bits in self.bits:
            self.starts.append(self.starts[-1] + up(bits, 64))
        for name, bits in zip(self.states[1:], self.bits + 8 * [0]):
            need(f[name] <= bits, name)
        need(f["groups"] * f["hashes"] <= 512, "bits that a query reads")
        return super().bytes()

    def state(self):
        values = self.values()
        filters = [values[start:end] for start, end in zip(self.starts, self.starts[1:])]
        need(not any(any(all_[bits:]) for all_, bits in zip(filters, self.bits)), "bits past the end of a filter")
        sums = list(map(sum, filters)) + 8 * [0]
        return {"random": self.drawn or self.field["random"], **dict(zip(self.states[1:], sums))}

    def places(self, lo, hi, filter_, group):
        lo = resalt(lo, hi, filter_)[0] if filter_ else lo
        k = self.field["hashes"]
        return [self.starts[filter_] + high(word(lo, group * k + i), self.bits[filter_]) for i in range(k)]

    def has(self, lo, hi):
        return any(all(self.get(c) for c in self.places(lo, hi, 0, g)) for g in range(self.field["groups"]))

    def add(self, lo, hi, weight):
        x = mix(self.drawn * 0x9E3779B97F4A7C15 + lo & M)
        self.drawn += 1
        for j in range(self.field["resolutions"]):
            if j and word(x, j) >= self.chance[j]:
                continue
            for c in self.places(lo, hi, j, high(word(x, 8 + j), self.field["groups"])):
                self.set(c, 1)
