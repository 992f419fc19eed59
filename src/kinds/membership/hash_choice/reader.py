"""hash-choice: section 8 of docs/format.md."""
from math import comb
from kinds import Bits, high, need, up, word

class HashChoice(Bits):
    name, promised = "hash-choice", 0b11001
    fields = [("cells", 8, 1, 1 << 60), ("hashes", 1, 1, 64), ("library", 1, 1, 64), ("groups", 8, 1, 1 << 56),
              ("passes", 1, 1, 16), ("ones", 8, 0, 1 << 60), ("built", 8, 0, 1 << 60), ("before", 8, 0, 1 << 60)]
    states = ("ones", "built", "before")

    def bytes(self):
        self.ways = comb(self.field["library"], self.field["hashes"])
        need(0 < self.ways <= 1 << 57, "ways to choose")
        need(self.field["before"] <= self.field["ones"] and (self.field["built"] or not self.field["before"]), "before")
        self.bits = (self.ways - 1).bit_length()
        self.table = up(self.bits * self.field["groups"], 64)
        return self.table // 8 + super().bytes()

    def numbers(self):
        table = int.from_bytes(self.cells[:self.table // 8], "little")
        return [table >> self.bits * g & (1 << self.bits) - 1 for g in range(self.field["groups"])]

    def state(self):
        need(all(number < self.ways for number in self.numbers()), "a choice")
        need(int.from_bytes(self.cells[:self.table // 8], "little") >> self.bits * self.field["groups"] == 0, "table's end")
        need(int.from_bytes(self.cells, "little") >> self.table + self.size() == 0, "bits past the end")
        return {"ones": sum(self.get(self.table + c) for c in range(self.size()))}

    def functions(self, group):
        number, out, k = self.numbers()[group], [], self.field["hashes"]
        for c in reversed(range(self.field["library"])):
            if k and comb(c, k) <= number:
                number, k, out = number - comb(c, k), k - 1, out + [c]
        return out

    def place(self, lo, function):
        return self.table + high(word(lo, function), self.size())

    def positions(self, lo):
        return [self.place(lo, c) for c in self.functions(high(lo, self.field["groups"]))]

    keys = ()

    def add(self, lo, hi, weight):
        super().add(lo, hi, weight)
        self.keys = {*self.keys, lo}

    def finish(self, built):
        """Anew, when the keys came by a builder: the choices of all passes, then the bits."""
        need(self.field["built"] == (len(self.keys) if built else 0), "keys of the build")
        if not built:
            return
        groups, uses, taken = [[] for _ in range(self.field["groups"])], {}, {}
        for lo in self.keys:
            groups[high(lo, len(groups))].append(lo)
        def use(g, function, change):
            for lo in groups[g]:
                p = self.place(lo, function)
                uses[p] = uses.get(p, 0) + change
        for g in list(range(len(groups))) * self.field["passes"]:
            for function in taken.get(g, ()):
                use(g, function, -1)
            taken[g] = []
            while len(taken[g]) < self.field["hashes"]:
                best = min((len({p for p in (self.place(lo, c) for lo in groups[g]) if not uses.get(p)}), c)
                           for c in range(self.field["library"]) if c not in taken[g])[1]
                use(g, best, 1)
                taken[g].append(best)
        self.start()
        numbers = [sum(comb(c, i + 1) for i, c in enumerate(sorted(taken[g]))) for g in range(len(groups))]
        table = sum(number << self.bits * g for g, number in enumerate(numbers))
        self.cells[:self.table // 8] = table.to_bytes(self.table // 8, "little")
        for p in uses:
            if uses[p]:
                self.set(p, 1)
        need(self.field["before"] == self.state()["ones"], "ones of the build")
