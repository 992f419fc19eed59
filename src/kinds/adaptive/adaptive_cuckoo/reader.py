"""adaptive-cuckoo: section 8 of docs/format.md."""
from hashes import mix
from kinds import Array, high, need, up, word

class AdaptiveCuckoo(Array):
    name, promised, wide = "adaptive-cuckoo", 0b10001, True
    fields = [("buckets", 8, 1, 1 << 48), ("width", 1, 2, 56), ("doublings", 1, 0, 48), ("used", 8, 0, 1 << 52),
              ("swaps", 8, 0, 1 << 62), ("fast", 8, 0, 1 << 57), ("slow", 8, 0, 1 << 57)]
    states = ("doublings", "used", "swaps", "fast", "slow")

    def size(self):
        return 4 * self.across

    def bytes(self):
        f = self.field
        self.across, self.width = f["buckets"] << f["doublings"], f["width"]
        need(self.across <= 1 << 48 and f["used"] <= self.size(), "buckets or used")
        f["fast"], f["slow"] = up(self.size() * self.width, 64) // 8, 64 * self.across
        return f["fast"] + f["slow"]

    def start(self):
        self.field.update(doublings=0, swaps=0, used=0)
        self.length = self.bytes()
        super().start()

    def digest(self, c):
        at = self.field["fast"] + 16 * c
        return int.from_bytes(self.cells[at:at + 8], "little"), int.from_bytes(self.cells[at + 8:at + 16], "little")

    def buckets(self, key):
        first = high(word(key[0], 0), self.across)
        if self.across == 1:
            return [first]
        return [first, (first + 1 + high(word(key[0], 1), self.across - 1)) % self.across]

    def places(self, key):
        """(cell, fingerprint) of each place."""
        return [(4 * bucket + slot, 1 + high(word(key[1], 4 * way + slot), (1 << self.width) - 1))
                for way, bucket in enumerate(self.buckets(key)) for slot in range(4)]

    def put(self, c, key):
        at = self.field["fast"] + 16 * c
        self.set(c, dict(self.places(key))[c] if key else 0)
        self.cells[at:at + 16] = b"".join(part.to_bytes(8, "little") for part in key or (0, 0))

    def state(self):
        used = [c for c in range(self.size()) if self.get(c)]
        need(int.from_bytes(self.cells[:self.field["fast"]], "little") >> self.size() * self.width == 0, "bits past the end")
        need(all(self.digest(c) == (0, 0) for c in set(range(self.size())) - set(used)), "an empty cell")
        need(all((c, self.get(c)) in self.places(self.digest(c)) for c in used), "a fingerprint")
        need(len({self.digest(c) for c in used}) == len(used), "a key twice")
        return {"used": len(used), **{name: self.field[name] for name in ("doublings", "swaps", "fast", "slow")}}

    def has(self, lo, hi):
        return any(self.get(c) == print_ for c, print_ in self.places((lo, hi)))

    def find(self, key):
        return next((c for c, print_ in self.places(key) if self.get(c) == print_ and self.digest(c) == key), None)

    def vacant(self, bucket):
        return next((c for c in range(4 * bucket, 4 * bucket + 4) if not self.get(c)), None)

    def add(self, lo, hi, weight):
        if self.find((lo, hi)) is not None:
            return
        came = {bucket: None for bucket in self.buckets((lo, hi))}  # in the order of the list: the cell of the key
        line = list(came)
        for bucket in line:
            free = self.vacant(bucket)
            if free is not None:
                break
            for c in range(4 * bucket, 4 * bucket + 4):
                other = next(b for b in self.buckets(self.digest(c)) + [bucket] if b != bucket or self.across == 1)
                if other not in came and len(line) < 2048:
                    came[other] = c
                    line.append(other)
        need(free is not None, "full")
        while came[free // 4] is not None:
            source = came[free // 4]
            self.put(free, self.digest(source))
            free = source
        self.put(free, (lo, hi))

    def delete(self, lo, hi, weight):
        self.put(self.find((lo, hi)), None)

    def deny(self, lo, hi):
        for c, print_ in self.places((lo, hi)):
            if self.get(c) == print_:
                self.field["swaps"] += 1
                other = c - c % 4 + (c + 1 + high(mix(self.field["swaps"]), 3)) % 4
                here, there = self.digest(c), self.digest(other) if self.get(other) else None
                self.put(other, here)
                self.put(c, there)

    def grow(self):
        keys = [self.digest(c) for c in range(self.size()) if self.get(c)]
        self.field["doublings"] += 1
        self.length = self.bytes()
        self.cells = bytearray(self.length)
        for key in keys:
            self.add(*key, 1)
