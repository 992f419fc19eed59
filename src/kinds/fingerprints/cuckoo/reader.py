"""cuckoo: section 8 of docs/format.md."""
from itertools import combinations_with_replacement
from kinds import Array, high, need, up, word

CODES = list(combinations_with_replacement(range(16), 4))  # in lexicographic order
PLACES = {quadruple: code for code, quadruple in enumerate(CODES)}

class Cuckoo(Array):
    name, promised = "cuckoo", 0b101
    fields = [("buckets", 8, 1, 1 << 48), ("slots", 1, 1, 8), ("width", 1, 5, 56), ("form", 1, 0, 1), ("twins", 1, 0, 1),
              ("doublings", 1, 0, 48), ("used", 8, 0, 1 << 52), ("different", 8, 0, 1 << 52), ("pairs", 8, 0, 1 << 52)]
    states = ("doublings", "used", "different", "pairs")

    def bytes(self):
        f = self.field
        self.across, self.low, self.slots = f["buckets"] << f["doublings"], f["width"] - f["doublings"], f["slots"]
        self.range = f["buckets"] << f["width"]
        need(self.slots in (1, 2, 4, 8) and (self.slots == 4 or not f["form"]), "slots")
        need(self.low >= 5 and self.range <= 1 << 62 and self.across <= 1 << 48, "buckets")
        need(f["pairs"] <= f["different"] <= f["used"] <= 2 * self.across * self.slots, "used, different and pairs")
        self.width = self.slots * self.low - 4 * f["form"]  # of a bucket, which is a cell of Array
        return up(2 * self.across * self.width, 64) // 8

    def size(self):
        return 2 * self.across

    def start(self):
        self.field.update(doublings=0, used=0, different=0, pairs=0)
        self.length = self.bytes()
        super().start()

    def rests(self, bucket):
        whole = self.get(bucket)
        if not self.field["form"]:
            return [whole >> s * self.low & (1 << self.low) - 1 for s in range(self.slots)]
        need(whole & 4095 < len(CODES), "a code")
        low = self.low - 4
        return [whole >> 12 + s * low & (1 << low) - 1 | CODES[whole & 4095][s] << low for s in range(4)]

    def write(self, bucket, rests):
        if not self.field["form"]:
            self.set(bucket, sum(rest << s * self.low for s, rest in enumerate(rests)))
            return
        rests, low = sorted(rests), self.low - 4
        code = PLACES[tuple(rest >> low for rest in rests)]
        self.set(bucket, code | sum((rest & (1 << low) - 1) << 12 + s * low for s, rest in enumerate(rests)))

    def turn(self, rest):
        return high(word(rest, 1), self.across)

    def place(self, print_):
        """Its buckets, and its rest."""
        rest, first = print_ & (1 << self.low) - 1 or 1, print_ >> self.low
        return [first, self.across + (first + self.turn(rest)) % self.across], rest

    def other(self, bucket, rest):
        if bucket < self.across:
            return self.across + (bucket + self.turn(rest)) % self.across
        return (bucket - self.across - self.turn(rest)) % self.across

    def prints(self):
        """The fingerprints of all slots in use, as far as they are known: a rest of 1 may be 0."""
        for bucket in range(self.size()):
            for rest in self.rests(bucket):
                if rest:
                    yield (bucket if bucket < self.across else self.other(bucket, rest)) << self.low | rest

    def state(self):
        need(int.from_bytes(self.cells, "little") >> self.size() * self.width == 0, "bits past the end")
        if self.field["form"]:
            need(all(self.rests(b) == sorted(self.rests(b)) for b in range(self.size())), "the order of a bucket")
        prints = list(self.prints())
        need(not self.field["twins"] or len(set(prints)) == len(prints), "a fingerprint twice")
        return {"used": len(prints), "different": len(set(prints)), "doublings": self.field["doublings"],
                "pairs": sum(p & (1 << self.low) - 1 == 1 for p in set(prints))}

    def times(self, print_):
        buckets, rest = self.place(print_)
        return [self.rests(b).count(rest) for b in buckets]

    def count(self, lo, hi):
        return sum(self.times(high(lo, self.range))), False

    def has(self, lo, hi):
        return self.count(lo, hi)[0] > 0

    def change(self, bucket, old, rest):
        """In the first slot that has it."""
        rests = self.rests(bucket)
        rests[rests.index(old)] = rest
        self.write(bucket, rests)

    def way(self, line):
        """[(bucket, the rest that leaves it, ...)] from an empty slot back to the start."""
        came = {bucket: None for bucket in line}  # on the list: from where, and by which rest
        for bucket in line:
            joined = []
            for rest in self.rests(bucket):
                to = self.other(bucket, rest)
                if to not in came and len(line) < 2048:
                    came[to] = bucket, rest
                    line.append(to)
                    joined.append(to)
            free = next((b for b in joined if 0 in self.rests(b)), None)
            if free is not None:
                while came[free]:
                    yield (free, *came[free])
                    free = came[free][0]
                return
        need(False, "room")

    def put(self, print_):
        buckets, rest = self.place(print_)
        if self.field["twins"] and sum(self.times(print_)):
            return
        room = [self.rests(b).count(0) for b in buckets]
        if max(room):
            self.change(buckets[room[1] > room[0]], 0, rest)
            return
        last = None
        for to, bucket, moved in list(self.way(list(buckets))):
            self.change(to, 0, moved)
            self.change(bucket, moved, 0)
            last = bucket
        self.change(last, 0, rest)

    def add(self, lo, hi, weight):
        for _ in range(weight):
            self.put(high(lo, self.range))

    def delete(self, lo, hi, weight):
        print_ = high(lo, self.range)
        buckets, rest = self.place(print_)
        times = self.times(print_)
        self.change(buckets[times[1] > times[0]], rest, 0)

    def grow(self):
        prints = list(self.prints())
        self.field["doublings"] += 1
        self.length = self.bytes()
        self.cells = bytearray(self.length)
        for print_ in prints:
            self.put(print_)
