"""quotient: section 8 of docs/format.md."""
from math import isqrt
from kinds import Kind, high, need, up


class Quotient(Kind):
    name, promised = "quotient", 0b10101101
    fields = [("quotients", 8, 2, 1 << 50), ("remainder", 1, 1, 57), ("width", 1, 0, 16), ("doublings", 1, 0, 56),
              ("used", 8, 0, 1 << 50), ("prints", 8, 0, 1 << 50)]
    states = ("doublings", "used", "prints")
    all = None  # {fingerprint: copies}, once it was asked for

    def bytes(self):
        f = self.field
        self.range, self.homes = f["quotients"] << f["remainder"], f["quotients"] << f["doublings"]
        self.low = f["remainder"] - f["doublings"]
        need(self.low > 0 and f["remainder"] + f["width"] <= 57, "bits of a cell")
        need(self.range <= 1 << 63 and self.homes <= 1 << 50, "quotients")
        self.bits, self.most = self.low + f["width"], 1 << f["width"]
        self.slots = up(self.homes + min(self.homes, isqrt(100 * self.homes) + 1), 64)
        self.room = self.homes - up(self.homes, 20) // 20
        need(f["prints"] <= f["used"] <= self.room and f["prints"] <= self.range, "used and prints")
        return up(self.slots // 64 * (17 + 8 * self.bits), 8)

    def start(self):
        self.field["doublings"] = 0
        self.field["used"] = self.field["prints"] = 0
        self.length, self.all = self.bytes(), {}
        super().start()

    def block(self, b):
        """Offset, homes, ends, cells: numbers all of them."""
        size = 17 + 8 * self.bits
        block = self.cells[b * size:b * size + size]
        return [int.from_bytes(block[i:j], "little") for i, j in ((0, 1), (1, 9), (9, 17), (17, size))]

    def copies(self):
        """{fingerprint: copies}, from homes, ends and cells: end number i belongs to home number i."""
        homes, ends, cells = [], [], []
        for b in range(self.slots // 64):
            _, home, end, cell = self.block(b)
            homes += [64 * b + i for i in range(64) if home >> i & 1]
            ends += [64 * b + i for i in range(64) if end >> i & 1]
            cells += [cell >> i * self.bits & (1 << self.bits) - 1 for i in range(64)]
        need(len(homes) == len(ends), "as many ends as homes")
        all_, after = {}, 0
        for home, end in zip(homes, ends):
            need(home < self.homes and end >= max(home, after), "a run before its home")
            for cell in cells[max(home, after):end + 1]:
                print_ = home << self.low | cell // self.most
                all_[print_] = all_.get(print_, 0) + cell % self.most + 1
            after = end + 1
        return all_

    def lay(self, all_):
        """The bytes that these copies have."""
        cells, homes, ends, offsets, after, used = [0] * self.slots, 0, 0, [0] * (self.slots // 64), 0, 0
        runs = {}
        for print_ in sorted(all_):
            full, rest = divmod(all_[print_] - 1, self.most)
            value = (print_ & (1 << self.low) - 1) * self.most
            runs.setdefault(print_ >> self.low, []).extend([value + self.most - 1] * full + [value + rest])
        for home, run in runs.items():
            after = max(after, home) + len(run)
            need(after <= self.slots, "slots")
            cells[after - len(run):after] = run
            homes |= 1 << home
            ends |= 1 << after - 1
            used += len(run)
            for b in range(home // 64 + 1, self.slots // 64):  # of the last home below b
                offsets[b] = min(255, max(0, after - 64 * b))
        need(used <= self.room, "room")
        data = b""
        for b in range(self.slots // 64):
            number = sum(c << i * self.bits for i, c in enumerate(cells[64 * b:64 * b + 64]))
            words = [(x >> 64 * b & (1 << 64) - 1).to_bytes(8, "little") for x in (homes, ends)]
            data += bytes([offsets[b]]) + words[0] + words[1] + number.to_bytes(8 * self.bits, "little")
        self.used = used
        return bytearray(data.ljust(self.length, b"\0"))

    def state(self):
        all_ = self.copies()
        need(self.lay(all_) == self.cells, "other bytes than those of its fingerprints")
        return {"used": self.used, "prints": len(all_), "doublings": self.field["doublings"]}

    def known(self):
        if self.all is None:
            self.all = self.copies()
        return self.all

    def count(self, lo, hi):
        return self.known().get(high(lo, self.range), 0), False

    def has(self, lo, hi):
        return self.count(lo, hi)[0] > 0

    def add(self, lo, hi, weight):
        print_ = high(lo, self.range)
        self.all[print_] = self.all.get(print_, 0) + weight

    def delete(self, lo, hi, weight):
        self.add(lo, hi, -weight)

    def grow(self):
        self.field["doublings"] += 1
        self.length = self.bytes()

    def finish(self, built):
        self.cells = self.lay({print_: n for print_, n in self.all.items() if n})
