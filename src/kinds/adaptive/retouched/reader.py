"""retouched: section 8 of docs/format.md."""
from fractions import Fraction
from hashes import M, mix
from kinds import Bits, high, need, word

NO_MISS, ANY_ORDER, IDEMPOTENT = 1 << 0, 1 << 3, 1 << 4
RATIO, RANDOM, FEWEST_MISSES, MOST_FALSE = range(4)

class Retouched(Bits):
    name, promised = "retouched", 0b11001
    fields = [("cells", 8, 1, 1 << 60), ("hashes", 1, 1, 64), ("method", 1, 0, 3), ("clear", 8, 0, 1 << 60),
              ("ones", 8, 0, 1 << 60), ("built", 8, 0, 1 << 60), ("missed", 8, 0, 1 << 60), ("cleared", 8, 0, 1 << 60),
              ("struck", 8, 0, 1 << 60), ("dirty", 1, 0, 1)]
    states = ("ones", "built", "missed", "cleared", "struck", "dirty")
    told = None  # what the keys of a recipe make of the fields that the cells do not show

    def bytes(self):
        need(self.field["missed"] <= self.field["built"], "missed")
        return super().bytes()

    def start(self):
        super().start()
        self.members, self.unwanted = set(), set()
        self.told = dict.fromkeys(("built", "missed", "cleared", "struck", "dirty"), 0)

    def state(self):
        return {**super().state(), **(self.told or {name: self.field[name] for name in
                                                    ("built", "missed", "cleared", "struck", "dirty")})}

    def add(self, lo, hi, weight):
        super().add(lo, hi, weight)
        self.members.add(lo)
        if self.told["cleared"] or self.told["struck"]:
            self.told["dirty"] = 1

    def beside(self, number, lo, hi):
        need(number == 1, "list")
        self.unwanted.add(lo)

    def some(self, lo):
        return self.positions(lo)[high(word(lo, 64), self.field["hashes"])]

    def deny(self, lo, hi):
        self.set(self.some(lo), 0)
        self.told["struck"] += 1
        self.lost |= NO_MISS | ANY_ORDER | IDEMPOTENT

    def clear_by_chance(self):
        ones = [c for c in range(self.size()) if self.get(c)]
        left = self.field["clear"]
        for i, c in enumerate(ones):
            draw = mix(self.seed + (i + 1) * 0x9E3779B97F4A7C15 & M)
            if left and high(draw, len(ones) - i) < left:
                self.set(c, 0)
                left -= 1

    def uses(self, keys):
        out = dict.fromkeys(range(self.size()), 0)
        for lo in keys:
            for c in set(self.positions(lo)) if self.has(lo, 0) else ():
                out[c] += 1
        return out

    def clear_unwanted(self):
        members, unwanted = self.uses(self.members), self.uses(self.unwanted)
        price = {RATIO: lambda c: Fraction(members[c], unwanted[c]), FEWEST_MISSES: lambda c: members[c],
                 MOST_FALSE: lambda c: -unwanted[c]}.get(self.field["method"])
        for lo in sorted(self.unwanted):
            if self.has(lo, 0):
                self.set(min(self.positions(lo), key=price) if price else self.some(lo), 0)

    def finish(self, built):
        if not built:
            return
        before = super().state()["ones"]
        self.clear_by_chance()
        self.clear_unwanted()
        missed = sum(not self.has(lo, 0) for lo in self.members)
        self.told.update(built=len(self.members), missed=missed, cleared=before - super().state()["ones"])
        if missed:
            self.lost |= NO_MISS | IDEMPOTENT
