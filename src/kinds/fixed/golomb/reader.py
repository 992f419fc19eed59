"""golomb: section 8 of docs/format.md."""
from kinds import Kind, high, need, up

MASK = (1 << 64) - 1

class Golomb(Kind):
    name, promised = "golomb", 0b11001
    fields = [("shards", 8, 1, 1 << 32), ("buckets", 8, 1, 1 << 50), ("width", 8, 1, MASK), ("m", 8, 1, 1 << 48),
              ("room", 8, 1, 1 << 54), ("entry", 1, 2, 48), ("widened", 1, 0, 8), ("members", 8, 0, 1 << 60),
              ("values", 8, 0, 1 << 60)]
    states = ("members", "values")

    def bytes(self):
        f = self.field
        need(f["shards"] * f["buckets"] <= MASK and f["shards"] * f["buckets"] * f["width"] <= MASK, "range")
        self.supers = 8
        self.entries = self.supers + (f["buckets"] // 64 + 2) * 8
        self.codes = self.entries + up((f["buckets"] + 1) * f["entry"], 64) // 8
        self.stride = self.codes + f["room"] * 8 + 8
        self.low = f["m"].bit_length() - 1
        self.cut = (2 << self.low) - f["m"]
        return f["shards"] * self.stride

    def start(self):
        super().start()
        self.rows = set()

    def add(self, lo, hi, weight):
        self.rows.add(lo)

    def place(self, lo):
        """Bucket over all shards, and value."""
        count = self.field["shards"] * self.field["buckets"]
        return high(lo, count), high(lo * count & MASK, self.field["width"])

    def code(self, gap):
        quotient, rest = divmod(gap, self.field["m"])
        size, rest = (self.low, rest) if rest < self.cut else (self.low + 1, rest + self.cut)
        return "1" * quotient + "0" + (format(rest, "0%db" % size) if size else "")

    def finish(self, built):
        f, inside = self.field, {}
        for lo in self.rows:
            bucket, value = self.place(lo)
            inside.setdefault(bucket, set()).add(value)
        for shard in range(f["shards"]):
            self.section(shard, [sorted(inside.get(shard * f["buckets"] + b, ())) for b in range(f["buckets"])])
        f["members"], f["values"] = len(self.rows), sum(len(values) for values in inside.values())

    def section(self, shard, buckets):
        text, starts, at = [], [], 0
        for values in buckets:
            starts.append(at)
            for last, value in zip([-1] + values, values):
                text.append(self.code(value - last - 1))
                at += len(text[-1])
        starts.append(at)
        supers, entries = [], 0
        for first in range(0, len(starts), 64):
            supers += [starts[first], self.after(starts, first)]
            for b in range(first, min(first + 64, len(starts))):
                off = starts[b] - self.line(supers[-2], supers[-1], b - first)
                entries |= (off & (1 << self.field["entry"]) - 1) << b * self.field["entry"]
        supers = supers[::2] + supers[-1:]
        room = self.field["room"] * 64
        out = sum(map(len, buckets)).to_bytes(8, "little") + b"".join(s.to_bytes(8, "little") for s in supers)
        out += entries.to_bytes(self.codes - self.entries, "little")
        out += int("".join(text).ljust(room, "0"), 2).to_bytes(room // 8, "big") + bytes(8)
        self.cells[shard * self.stride:(shard + 1) * self.stride] = out

    @staticmethod
    def after(starts, first):
        """The super after the block of buckets from `first` on."""
        n = min(64, len(starts) - 1 - first)
        return starts[first] + -(-(starts[first + n] - starts[first]) * 64 // n) if n else starts[first]

    @staticmethod
    def line(start, end, step):
        return start + (end - start) * step // 64

    def begin(self, shard, b):
        """The first bit of bucket b of a shard, by its index."""
        base, size = shard * self.stride, self.field["entry"]
        entry = int.from_bytes(self.cells[base + self.entries:base + self.codes], "little") >> b * size & (1 << size) - 1
        at = base + self.supers + b // 64 * 8
        start, end = (int.from_bytes(self.cells[i:i + 8], "little") for i in (at, at + 8))
        return self.line(start, end, b % 64) + entry - (entry >> size - 1 << size)

    def decode(self, text):
        """The values of a bucket's codes."""
        values, at, value = [], 0, -1
        while at < len(text):
            end = text.find("0", at)
            need(end >= 0 and end + self.low < len(text), "a code without an end")
            rest = int(text[end + 1:end + 1 + self.low] or "0", 2)
            quotient, at = end - at, end + 1 + self.low
            if rest >= self.cut:
                need(at < len(text), "a code without an end")
                rest, at = 2 * rest + int(text[at]) - self.cut, at + 1
            value += quotient * self.field["m"] + rest + 1
            need(value < self.field["width"], "a value past its bucket")
            values.append(value)
        return values

    def bits(self, shard, start, end):
        """Bits of a shard's codes as a text of digits."""
        room = self.field["room"] * 64
        need(0 <= start <= end <= room, "a bucket past the codes")
        base = shard * self.stride + self.codes
        whole = int.from_bytes(self.cells[base + start // 8:base + up(end, 8) // 8], "big")
        return format(whole, "0%db" % max(1, up(end, 8) - start // 8 * 8))[start % 8:][:end - start]

    def state(self):
        f, total = self.field, 0
        for shard in range(f["shards"]):
            starts = [self.begin(shard, b) for b in range(f["buckets"] + 1)]
            buckets = [self.decode(self.bits(shard, *pair)) for pair in zip(starts, starts[1:])]
            total += sum(map(len, buckets))
            fresh = Golomb(f)
            fresh.start()
            fresh.section(shard, buckets)
            own = slice(shard * self.stride, (shard + 1) * self.stride)
            need(fresh.cells[own] == self.cells[own], "a section that its values do not make")
        need(total <= f["members"] and (total > 0) == (f["members"] > 0), "members")
        return {"members": f["members"], "values": total}

    def has(self, lo, hi):
        bucket, value = self.place(lo)
        shard, b = divmod(bucket, self.field["buckets"])
        if not self.field["members"]:
            return False
        return value in self.decode(self.bits(shard, self.begin(shard, b), self.begin(shard, b + 1)))
