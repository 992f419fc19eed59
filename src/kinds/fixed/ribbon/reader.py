"""ribbon: section 8 of docs/format.md."""
from hashes import M, mix
from kinds import Kind, high, need, up, word

STEP, NUMBER = 0x9E3779B97F4A7C15, 0xA0761D6478BD642F
FACTORS, LAST = (0xD1342543DE82EF95, 0xAF251AF3B0F025B5), 0xB564EF22EC7AECE5
LIMITS = {64: (0, 14, 40, 128), 128: (0, 40, 100, 512)}

class Layer:
    def __init__(self, width, columns, blocks, narrow):
        self.width, self.columns, self.blocks, self.narrow = width, columns, blocks, narrow
        self.starts = 64 * blocks - width + 1
        self.top = columns + (narrow < blocks)

    def wide(self, block):
        return self.columns + (block >= self.narrow)

    def at(self, block):
        """The word at which a block begins."""
        return block * self.columns + max(0, block - self.narrow)

class Ribbon(Kind):
    name, promised = "ribbon", 0b11001
    fields = [("form", 1, 0, 2), ("width", 1, 64, 128), ("columns", 1, 1, 32), ("wider", 1, 0, 8), ("shards", 8, 1, 1 << 24),
              ("blocks", 8, 1, 1 << 28), ("narrow", 8, 0, 1 << 28), ("spill", 8, 0, 1 << 28), ("members", 8, 0, 1 << 56)]
    states = ("members",)

    def bytes(self):
        f = self.field
        least, bumped, narrow = f["width"] // 64, f["form"] == 0, f["narrow"]
        need(f["width"] in (64, 128) and f["blocks"] >= least and narrow <= f["blocks"], "blocks")
        need(f["spill"] >= least if bumped else f["spill"] == 0, "spill")
        need(f["columns"] + (narrow < f["blocks"]) <= 32, "columns")
        self.layers = [Layer(f["width"], f["columns"], f["blocks"], narrow)]
        if bumped:
            second = Layer(f["width"], f["columns"], f["spill"], f["spill"])
            if narrow < f["blocks"]:
                second.narrow = min(f["spill"], narrow * second.starts // self.layers[0].starts)
                second.top = second.columns + (second.narrow < second.blocks)
            self.layers.append(second)
        self.bucket = LIMITS[f["width"]][3]
        self.buckets = up(self.layers[0].starts, self.bucket) // self.bucket
        self.head = 8 + 8 * (up(self.buckets, 32) // 32 if bumped else 0)
        self.words = sum(l.at(l.blocks) for l in self.layers)
        self.given = set()
        return f["shards"] * (self.head + 8 * self.words)

    def number(self, at):
        return int.from_bytes(self.cells[at:at + 8], "little")

    def codes(self, shard):
        return int.from_bytes(self.cells[shard * self.head + 8:(shard + 1) * self.head], "little")

    def state(self):
        for shard in range(self.field["shards"]):
            need(self.codes(shard) >> 2 * self.buckets == 0, "codes past the end")
        return {"members": self.field["members"]}

    def row(self, layer, x):
        low, high_ = (y ^ y >> 32 for y in (x * factor & M for factor in FACTORS))
        low |= 1 | (high_ << 64 if self.field["width"] == 128 else 0)
        return high(x, layer.starts), low, 0 if self.field["form"] == 2 else (x * LAST & M) >> 32

    def bumped(self, codes, start):
        return start % self.bucket < LIMITS[self.field["width"]][codes >> 2 * (start // self.bucket) & 3]

    def has(self, lo, hi):
        shard = high(lo, self.field["shards"])
        if not self.field["members"]:
            return False
        x = mix(lo + self.number(shard * self.head) & M)
        base, layer = self.field["shards"] * self.head + shard * self.words * 8, self.layers[0]
        start, bits, number = self.row(layer, x)
        if self.field["form"] == 0 and self.bumped(self.codes(shard), start):
            base, layer = base + layer.at(layer.blocks) * 8, self.layers[1]
            start, bits, number = self.row(layer, mix(x + STEP & M))
        block, bits = start // 64, bits << start % 64
        for j in range(layer.wide(block)):
            sum_ = 0
            for i in range(3):
                part = bits >> 64 * i & M
                if part:
                    sum_ ^= part & self.number(base + 8 * (layer.at(block + i) + j))
            if bin(sum_).count("1") & 1 != number >> j & 1:
                return False
        return True

    def add(self, lo, hi, weight):
        self.given.add(lo)

    def adds_of(self, came):
        return self.field["members"]

    # ---- building

    def put(self, layer, rows, row):
        """The slot where it stays; None: dropped; -1: it contradicts the others."""
        start, bits, number = row
        number &= (1 << self.layers[0].top) - 1
        while start in rows:
            bits, number = bits ^ rows[start][0], number ^ rows[start][1]
            if not bits:
                return -1 if number else None
            skip = (bits & -bits).bit_length() - 1
            start, bits = start + skip, bits >> skip
        rows[start] = bits, number
        return start

    def solved(self, layer, rows, noise):
        """The words of a layer."""
        full = (1 << layer.top) - 1
        slots, out = [0] * (64 * layer.blocks + layer.width), [0] * layer.at(layer.blocks)
        for s in range(64 * layer.blocks - 1, -1, -1):
            bits, value = rows.get(s, (0, word(noise + s * NUMBER & M, 0) & full if noise else 0))
            for i in range(1, layer.width):
                value ^= slots[s + i] if bits >> i & 1 else 0
            block = s // 64
            slots[s] = value & (1 << layer.wide(block)) - 1
            for j in range(layer.wide(block)):
                out[layer.at(block) + j] |= (value >> j & 1) << s % 64
        return out

    def first_layer(self, layer, keys):
        """Rows, codes, and the hashes that are bumped."""
        rows, codes, bumped = {}, 0, []
        for bucket in range(self.buckets):
            here = sorted((x for x in keys if high(x, layer.starts) // self.bucket == bucket),
                          key=lambda x: -high(x, layer.starts))
            stays = []
            for x in here:
                row = self.row(layer, x)
                slot, offset = self.put(layer, rows, row), row[0] % self.bucket
                if slot == -1:
                    limits = LIMITS[self.field["width"]]
                    code = next(c for c in (1, 2, 3) if limits[c] > offset)
                    for slot in [s for s, o in stays if o < limits[code]]:
                        del rows[slot]
                    codes |= code << 2 * bucket
                    break
                stays += [(slot, offset)] if slot is not None else []
            bumped += [x for x in here if self.bumped(codes, high(x, layer.starts))]
        return rows, codes, bumped

    def attempt(self, shard, keys, t):
        """Head and words of a shard, or None."""
        seed = mix(t * STEP & M)
        keys, codes = [mix(lo + seed & M) for lo in keys], 0
        if self.field["form"] == 0:
            rows, codes, bumped = self.first_layer(self.layers[0], keys)
            second = {}
            if -1 in [self.put(self.layers[1], second, self.row(self.layers[1], mix(x + STEP & M))) for x in bumped]:
                return None
            words = self.solved(self.layers[0], rows, 0) + self.solved(self.layers[1], second, 0)
        else:
            rows = {}
            slots = [self.put(self.layers[0], rows, self.row(self.layers[0], x)) for x in keys]
            if -1 in slots or (None in slots and self.field["form"] == 2 and t < 7):
                return None
            noise = mix(seed + shard + 1 & M) | 1 if self.field["form"] == 2 else 0
            words = self.solved(self.layers[0], rows, noise)
        head = seed.to_bytes(8, "little") + codes.to_bytes(self.head - 8, "little")
        return head, b"".join(w.to_bytes(8, "little") for w in words)

    def finish(self, built):
        heads, sections = [], []
        for shard in range(self.field["shards"]):
            keys = [lo for lo in self.given if high(lo, self.field["shards"]) == shard]
            tries = (self.attempt(shard, keys, t) for t in range(8))
            both = next((made for made in tries if made), None)
            need(both, "no seed works")
            heads.append(both[0])
            sections.append(both[1])
        self.cells = bytearray(b"".join(heads + sections))
        self.field["members"] = len(self.given)
