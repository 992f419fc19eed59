"""popularity: section 8 of docs/format.md."""
from kinds import Bits, high, need, up, word

ONE, LEVELS, BUCKET, ALL_PAIRS, STARTS, FAR = 1 << 62, 64, 16, 32, 8, 128 << 32
LN2, LOG2E = 3196577161300663914, 6653256548922161245  # in 2^-62

def log2(x):
    """In 2^-32."""
    whole = x.bit_length() - 1
    y, total = x << 63 - whole, whole << 32
    for bit in range(31, -1, -1):
        y = y * y >> 63
        if y >> 64:
            y, total = y >> 1, total | 1 << bit
    return total

def exp_minus(load):
    """Load in 2^-48, result in 2^-62."""
    twos = load * LOG2E >> 62
    z, term, total, j = (twos & (1 << 48) - 1) * LN2 >> 48, ONE, ONE, 1
    while term:
        term = (term * z >> 62) // j
        total, j = total - term if j % 2 else total + term, j + 1
    return total >> (twos >> 48)

def limit(k):
    return min(max(k, 1 << 32), 64 << 32)

class Solver:
    """The k of classes (asked, held)."""

    def __init__(self, classes, per_key):
        asked, held = sum(a for a, _ in classes), sum(h for _, h in classes)
        self.share = [a * ONE // asked for a, _ in classes]
        self.load = [(h * ONE // held << 18) // per_key for _, h in classes]
        self.importance = [log2(a) - log2(h) for a, h in classes]
        self.n = len(classes)

    def rate(self, k):
        fill, power, total = ONE - exp_minus(sum(x * y for x, y in zip(self.load, k))), ONE, 0
        for level in range(1, max(k) + 1):
            power = power * fill >> 62
            total += sum(s for s, mine in zip(self.share, k) if mine == level) * power >> 62
        return total

    def steps(self, k):
        need(self.n <= ALL_PAIRS, "this reader takes few classes")
        while True:
            best, found = self.rate(k), None
            for up_ in [None, *(i for i in range(self.n) if k[i] < 64)]:
                for down in [None, *(i for i in range(self.n) if k[i] > 1)]:
                    if up_ == down:
                        continue
                    other = [x + (i == up_) - (i == down) for i, x in enumerate(k)]
                    rate = self.rate(other)
                    if rate < best:
                        best, found = rate, other
            if not found:
                return best, k
            k = found

    def solve(self):
        low, high_ = -2 * FAR - (64 << 32), 2 * FAR + (64 << 32)
        while high_ - low > 1:
            middle = low + (high_ - low) // 2
            load = sum(x * limit(i + middle) >> 32 for x, i in zip(self.load, self.importance))
            low, high_ = (middle, high_) if load < 195103586505167 else (low, middle)
        best = None
        for by in [0, *range(-STARTS, STARTS + 1)]:
            rate, k = self.steps([limit(i + high_ + by * (1 << 30)) + (1 << 31) >> 32 for i in self.importance])
            if best is None or rate < best[0]:
                best = rate, k
        return best[1]

class Popularity(Bits):
    name, promised = "popularity", 0b1111001
    fields = [("cells", 8, 1, 1 << 60), ("hashes", 1, 1, 64), ("head", 4, 0, 65536), ("ones", 8, 0, 1 << 60),
              ("tail", 1, 0, 64), ("named", 4, 0, 65536), ("mean", 4, 0, 64 << 16)]
    states = ("ones", "tail", "named", "mean")

    def bytes(self):
        f = self.field
        need(f["named"] <= f["head"] and (f["mean"] >= 1 << 16 if f["tail"] else not f["named"] and not f["mean"]), "table")
        self.bits = up(f["cells"], 64) // 8
        self.levels = up(self.bits, 64)
        self.buckets = -(-f["named"] // 8)
        return self.levels + 8 * LEVELS + 64 * self.buckets if f["tail"] else self.bits

    def state(self):
        value = int.from_bytes(self.cells[:self.bits], "little")
        need(value >> self.size() == 0, "bits past the end")
        return {"ones": bin(value).count("1"), **{name: self.field[name] for name in ("tail", "named", "mean")}}

    def start(self):
        super().start()
        self.members, self.lists = [], ({}, {})
        self.field.update(tail=0, named=0, mean=0)

    def bucket(self, lo):
        w = word(lo, 64)
        return self.levels + 8 * LEVELS + 64 * high(w, self.buckets), w & (1 << 26) - 1 or 1

    def entry(self, at):
        value = int.from_bytes(self.cells[at:at + 4], "little")
        return value >> 6, (value & 63) + 1

    def hashes(self, lo):
        if not self.field["tail"]:
            return self.field["hashes"]
        at, print_ = self.bucket(lo) if self.field["named"] else (0, 0)
        for i in range(BUCKET if print_ else 0):
            if self.entry(at + 4 * i)[0] in (0, print_):
                return self.entry(at + 4 * i)[1] if self.entry(at + 4 * i)[0] else self.field["tail"]
        return self.field["tail"]

    def positions(self, lo):
        return [high(word(lo, i), self.size()) for i in range(self.hashes(lo))]

    def add(self, lo, hi, weight):
        self.members.append(lo)

    def beside(self, number, lo, hi):
        self.lists[number - 1][lo] = self.lists[number - 1].get(lo, 0) + 1

    def classes(self):
        """[(lo, asked, held)] by rising lo, and what is left of both."""
        need(all(sum(counts.values()) < 1 << 40 for counts in self.lists), "counts")
        keys = {lo: [2 * counts.get(lo, 0) + 1 for counts in self.lists] for lo in {**self.lists[0], **self.lists[1]}}
        all_asked, all_held = (1 + sum(pair[i] for pair in keys.values()) for i in (0, 1))
        members, unit = max(1, self.capacity), 1 << 20
        while unit > 1 and members * unit >= 1 << 42:
            unit //= 2
        members *= unit
        keys = [(lo, asked, min(max(held * members // all_held, 1), unit)) for lo, (asked, held) in keys.items()]
        tail, before = (all_asked, members), None
        for _ in range(16):
            gains = sorted((-self.gain(asked, x, tail, all_asked), lo, asked, x) for lo, asked, x in keys)
            rows = sorted(row[1:] for row in gains[:self.field["head"]])
            left = members - sum(x for _, _, x in rows)
            before, tail = tail, (all_asked - sum(asked for _, asked, _ in rows), max(left, 1))
            if before == tail:
                break
        return rows, tail, (all_asked, members)

    @staticmethod
    def gain(asked, x, tail, all_asked):
        w, one = (asked << 40) // all_asked + 1, 1 << 40
        y = min(x * ((tail[0] << 40) // all_asked) // tail[1] if x >> 24 < tail[1] else one, one) + 1
        log = log2(y) - log2(w)
        part = y * (abs(log) * 2977044472 >> 32) >> 32
        return max(0, w - y + (part if log > 0 else -part))

    def table(self):
        rows, rest, (all_asked, members) = self.classes()
        shares = [(asked, held) for _, asked, held in rows] + [rest]
        need(len({log2(a) - log2(h) for a, h in shares}) > 1, "classes that are alike")
        per_key = min(max((self.size() << 32) // max(1, self.capacity), 1 << 28), 1 << 52)
        k = Solver(shares, per_key).solve()
        held, hashes = sum(h >> 8 for _, h in shares), sum((h >> 8) * mine for (_, h), mine in zip(shares, k))
        self.field.update(tail=k[-1], named=sum(mine != k[-1] for mine in k), mean=(hashes << 16) // held)
        need(self.bytes() == self.length, "length of the table")
        for (lo, _, _), mine in zip(rows, k):
            if mine != k[-1]:
                self.enter(lo, mine)
        for level in range(1, LEVELS + 1):
            of = [shares[i] for i in range(len(k)) if k[i] == level]
            pair = sum(a for a, _ in of) * 0xFFFFFFFF // all_asked, sum(h for _, h in of)
            at, most = self.levels + 8 * (level - 1), max(members, pair[1])
            share = max(pair[1] * 0xFFFFFFFF // most, level == k[-1])
            self.cells[at:at + 8] = pair[0].to_bytes(4, "little") + share.to_bytes(4, "little")

    def enter(self, lo, k):
        at, print_ = self.bucket(lo)
        for i in range(at, at + 4 * BUCKET, 4):
            if self.entry(i)[0] == print_:
                return
            if not self.entry(i)[0]:
                self.cells[i:i + 4] = (print_ << 6 | k - 1).to_bytes(4, "little")
                return

    def finish(self, built):
        if self.field["head"] and any(self.lists):
            self.table()
        for lo in self.members:
            for place in self.positions(lo):
                self.set(place, 1)
