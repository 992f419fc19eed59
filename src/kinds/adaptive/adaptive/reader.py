"""adaptive: section 8 of docs/format.md."""
from kinds import Kind, high, need, up, word

STATE = ("waiting", "adapted", "stuck")

class Adaptive(Kind):
    name, promised = "adaptive", 0b11001
    fields = [("fast", 8, 8, 1 << 57), ("slow", 8, 0, 1 << 60), ("hashes", 1, 1, 64), ("words", 1, 1, 64),
              ("selector", 1, 0, 3), ("memory", 1, 0, 1), ("check", 1, 0, 1), ("policy", 1, 0, 1),
              ("every", 1, 1, 255), ("ones", 8, 0, 1 << 60), ("waiting", 1, 0, 254), ("adapted", 8, 0, 1 << 62),
              ("stuck", 8, 0, 1 << 62)]
    states = ("ones", "waiting", "adapted", "stuck")

    def bytes(self):
        f = self.field
        self.groups, self.width, self.blocks = 1 << f["selector"], 64 - f["selector"], f["fast"] // 8
        self.kept = self.groups - f["memory"]
        self.counted = f["policy"] == 1 and f["every"] > 1
        need(f["fast"] % 8 == 0 and f["slow"] == f["fast"] * self.kept, "fast and slow")
        need(f["words"] <= f["hashes"] and (f["words"] <= 4 or f["words"] == f["hashes"]), "words of a key")
        need(-(-f["hashes"] // f["words"]) <= self.width // 2, "bits of a word")
        need(f["waiting"] < f["every"] and f["ones"] <= self.blocks * self.width * self.groups, "waiting or ones")
        self.slow_at = up(f["fast"], 64)
        self.count_at = self.slow_at + f["slow"]
        return up(self.count_at + (self.blocks if self.counted else 0), 8)

    def start(self):
        super().start()
        self.field.update(dict.fromkeys(STATE, 0))

    def word(self, at):
        return int.from_bytes(self.cells[at:at + 8], "little")

    def set(self, at, value):
        self.cells[at:at + 8] = value.to_bytes(8, "little")

    def chosen(self, i):
        return self.word(8 * i) >> self.width

    def group(self, i):
        """[bits of word i in group 0, 1, ...]"""
        slow = [self.word(self.slow_at + 8 * (i * self.kept + t)) for t in range(self.kept)]
        if self.field["memory"]:
            slow.insert(0, self.word(8 * i) & (1 << self.width) - 1)
            c = self.chosen(i)
            slow = slow[-c:] + slow[:-c] if c else slow
        need(all(bits >> self.width == 0 for bits in slow), "a selector in the slow memory")
        return slow

    def store(self, i, bits, chosen):
        kept = (bits[chosen:] + bits[:chosen])[1:] if self.field["memory"] else bits
        for t, value in enumerate(kept):
            self.set(self.slow_at + 8 * (i * self.kept + t), value)
        self.set(8 * i, chosen << self.width | bits[chosen])

    def state(self):
        used, cells, ones = self.count_at + (self.blocks if self.counted else 0), self.cells, 0
        need(not any(cells[self.field["fast"]:self.slow_at] + cells[used:]), "bits between the words")
        need(all(c < self.field["every"] for c in cells[self.count_at:used]), "a counter of a word")
        for i in range(self.blocks):
            bits = self.group(i)
            need(self.word(8 * i) == self.chosen(i) << self.width | bits[self.chosen(i)], "a fast word")
            ones += sum(b.bit_count() for b in bits)
        return {"ones": ones, **{name: self.field[name] for name in STATE}}

    def reads(self, lo):
        """[(word, [mask in group 0, 1, ...])] of the key's reads"""
        reads, hashes = self.field["words"], self.field["hashes"]
        out = []
        for r in range(reads):
            share = hashes // reads + (r < hashes % reads)
            where = high(word(lo, r - 1) if r else lo, self.blocks)
            out.append((where, [self.mask(lo, g, r, share) for g in range(self.groups)]))
        return out

    def mask(self, lo, group, read, share):
        first, mask = self.field["words"] - 1 + 4 * (group * self.field["words"] + read), 0
        for p in range(share):
            if self.width == 64:
                mask |= 1 << (word(lo, first + p // 10) >> 6 * (p % 10)) % 64
                continue
            rest = word(lo, first + p // 8) if p % 8 == 0 else rest
            mask |= 1 << high(rest, self.width)
            rest = rest * self.width % 2 ** 64
        return mask

    def has(self, lo, hi):
        return all(masks[self.chosen(i)] & ~self.word(8 * i) == 0 for i, masks in self.reads(lo))

    def add(self, lo, hi, weight):
        for i, masks in self.reads(lo):
            self.store(i, [bits | mask for bits, mask in zip(self.group(i), masks)], self.chosen(i))

    def turn(self, lo):
        at = self.count_at + self.reads(lo)[0][0]
        now = (self.cells[at] if self.counted else self.field["waiting"]) + 1
        left = now if now < self.field["every"] else 0
        if self.counted:
            self.cells[at] = left
        else:
            self.field["waiting"] = left
        return left == 0

    def deny(self, lo, hi):
        if not self.turn(lo):
            return
        for i, masks in self.reads(lo):
            bits, c = self.group(i), self.chosen(i)
            for r in ((c + j) % self.groups for j in range(1, self.groups)):
                if self.field["check"] == 1 or masks[r] & ~bits[r]:
                    self.store(i, bits, r)
                    break
            if not self.has(lo, hi):
                break
        moved = self.groups > 1 if self.field["check"] == 1 else not self.has(lo, hi)
        self.field["adapted" if moved else "stuck"] += 1
