"""multilayer: section 8 of docs/format.md."""
from kinds import DEL_EXACT, Kind, high, need, up, word

GROUP, TOP = 256, 64

class Multilayer(Kind):
    name, promised = "multilayer", 0b10101101
    fields = [("cells", 8, 1, 1 << 56), ("hashes", 1, 1, 64), ("spare", 4, 1, 4032), ("ones", 8, 0, 1 << 56),
              ("sum", 8, 0, 1 << 62), ("stuck", 8, 0, 1 << 56), ("pool", 1, 0, 80)]
    states = ("ones", "sum", "stuck", "pool")

    def bytes(self):
        self.m, words = self.field["cells"], self.field["spare"]
        groups = -(-self.m // GROUP)
        self.pages = -(-groups // 16)
        self.own = -(-groups // self.pages)
        self.starts = range(0, self.m, GROUP)
        for _ in range(self.field["pool"]):
            words = min(words + words // 8 + 1, 252 * self.own)
        self.words = min(words, 252 * self.own)
        self.first, self.head = up(self.m, 64) // 8, up(16 * self.own, 64) // 8
        self.stride = self.head + 8 * self.words
        return self.first + self.pages * self.stride

    def start(self):
        self.field["pool"], self.values = 0, [0] * self.field["cells"]
        self.length = self.bytes()

    def positions(self, lo):
        return {high(word(lo, i), self.m) for i in range(self.field["hashes"])}

    def strings(self):
        """Of each group, out of the counters."""
        for start in self.starts:
            now, text = [v for v in self.values[start:start + GROUP] if v], ""
            for layer in range(1, TOP):
                text += "".join("01"[v > layer] for v in now)
                now = [v for v in now if v > layer]
            yield text

    def per_page(self):
        strings = list(self.strings())
        return [strings[i:i + self.own] for i in range(0, len(strings), self.own)]

    @property
    def cells(self):
        out = sum((v > 0) << i for i, v in enumerate(self.values)).to_bytes(self.first, "little")
        for strings in self.per_page():
            head = b"".join(len(text).to_bytes(2, "little") for text in strings)
            bits = int("0" + "".join(strings)[::-1], 2)
            out += head.ljust(self.head, b"\0") + bits.to_bytes(8 * self.words, "little")
        return out

    @cells.setter
    def cells(self, cells):
        """Reads the counters; the layers must be those of the counters to the last bit."""
        first = int.from_bytes(cells[:self.first], "little")
        self.values = [first >> i & 1 for i in range(self.m)]
        for group, start in enumerate(self.starts):
            page = cells[self.first + group // self.own * self.stride:][:self.stride]
            lengths = [int.from_bytes(page[2 * i:2 * i + 2], "little") for i in range(self.own)]
            at = sum(lengths[:group % self.own])
            bits = int.from_bytes(page[self.head:], "little") >> at & (1 << lengths[group % self.own]) - 1
            now = [i for i in range(start, min(start + GROUP, self.m)) if self.values[i]]
            for _ in range(1, TOP):
                here, now = now, [i for place, i in enumerate(now) if bits >> place & 1]
                bits >>= len(here)
                for i in now:
                    self.values[i] += 1
        need(self.cells == bytes(cells), "layers")

    def state(self):
        return {"ones": sum(v > 0 for v in self.values), "sum": sum(self.values), "stuck": self.values.count(TOP),
                "pool": self.field["pool"]}

    def count(self, lo, hi):
        least = min(self.values[c] for c in self.positions(lo))
        return least, least == TOP

    def has(self, lo, hi):
        return self.count(lo, hi)[0] > 0

    def add(self, lo, hi, weight):
        for c in self.positions(lo):
            self.values[c] = min(TOP, self.values[c] + weight)
            self.lost |= DEL_EXACT if self.values[c] == TOP else 0
        while max(sum(map(len, strings)) for strings in self.per_page()) > 64 * self.words:
            self.field["pool"] += 1
            self.length, self.lost = self.bytes(), self.lost | DEL_EXACT

    def delete(self, lo, hi, weight):
        for c in self.positions(lo):
            self.values[c] -= weight if self.values[c] < TOP else 0
