"""From a hash to words and cells: docs/format.md, section 7; what kinds have in common. Each kind has its own reader.py in its room."""
import glob
import importlib.util
import os
from hashes import M, mix

KINDS = {}  # by name
DEL_EXACT = 1 << 7  # a promise that full counters lose

def need(truth, what):
    if not truth:
        raise ValueError("not a sound image: " + what)

def up(n, a):
    return -(-n // a) * a

def word(lo, i):
    t = lo + (i + 1) * 0xA0761D6478BD642F & M
    product = t * (t ^ 0xE7037ED1A0B428DB)
    return product & M ^ product >> 64

def high(x, n):
    """A word brought into 0 .. n - 1."""
    return x * n >> 64

def resalt(lo, hi, salt):
    step = salt * 0x9E3779B97F4A7C15 & M
    return mix(lo + step & M), mix(hi ^ step)

def murmur(x):
    """The finisher of MurmurHash3."""
    x = (x ^ x >> 33) * 0xFF51AFD7ED558CCD & M
    x = (x ^ x >> 33) * 0xC4CEB9FE1A85EC53 & M
    return x ^ x >> 33

class Kind:
    """A filter of one kind. Its `cells` are an image's, or those that start() makes and add() fills.

    name; promised: bits of section 9; fields: (name, bytes, min, max), a fifth number is the version that
    brought it; states: the fields that move; all as sections 8 and 9 of the page have them."""
    name, promised, fields, states = "", 0, [], ()
    default = 1  # the number of a key that comes without one
    seed, wide = 0, False  # seed of the image; wide: needs 128 bits of hash
    capacity, children, now = 0, (), 0  # of the image; the images inside it; its time

    def __init_subclass__(cls):
        if cls.name:
            KINDS[cls.name] = cls

    def __init__(self, field):
        self.field, self.lost = dict(field), 0
        self.length = self.bytes()

    def start(self):
        """The cells of no key."""
        self.cells = bytearray(self.length)

    def bytes(self):
        """How long the cells are; raises when the fields contradict each other."""
        raise NotImplementedError

    def state(self):
        """{STATE field: its value by the cells}, and raises when the cells are impossible."""
        raise NotImplementedError

    def has(self, lo, hi):
        raise NotImplementedError

    def count(self, lo, hi):
        """(how often, is it only a lower bound?)"""
        raise NotImplementedError

    def add(self, lo, hi, weight):
        raise NotImplementedError

    def delete(self, lo, hi, weight):
        raise NotImplementedError

    def value(self, lo, hi):
        """What get() says: a number, "unsure", or None for a key that is absent."""
        raise NotImplementedError

    def put(self, lo, hi, value):
        """Of a key that is there."""
        raise NotImplementedError

    def tick(self, now):
        """The time is `now`."""

    def deny(self, lo, hi):
        """A key that is taken for a member, and is none."""

    def beside(self, number, lo, hi):
        """A key of the builder's list of that number, from 1."""
        raise NotImplementedError

    def inner(self):
        """(cells, adds) of the children that start() and add() made; None: the page does not say how to make them."""
        return []

    def finish(self, built):
        """After the last key; built: they came by a builder."""

    def adds_of(self, came):
        """What the image has for that many adds."""
        return came

class Array(Kind):
    """Cells of `width` bits one behind the other, in whole words of 64 bits."""
    width = 1

    def size(self):
        return self.field["cells"]

    def bytes(self):
        return up(self.size() * self.width, 64) // 8

    def get(self, c):
        at, end = c * self.width, (c + 1) * self.width
        return int.from_bytes(self.cells[at // 8:(end + 7) // 8], "little") >> at % 8 & (1 << self.width) - 1

    def set(self, c, value):
        at, end = c * self.width, (c + 1) * self.width
        bytes_ = slice(at // 8, (end + 7) // 8)
        old = int.from_bytes(self.cells[bytes_], "little") & ~((1 << self.width) - 1 << at % 8)
        self.cells[bytes_] = (old | value << at % 8).to_bytes(bytes_.stop - bytes_.start, "little")

    def values(self):
        need(int.from_bytes(self.cells, "little") >> self.size() * self.width == 0, "bits past the end")
        return [int(digits, 2) for digits in self.digits(0, self.size())]

    def digits(self, first, end):
        """The cells first .. end - 1, each as a string of `width` binary digits: much faster than get() of each."""
        at, bits = first * self.width, (end - first) * self.width
        whole = int.from_bytes(self.cells[at // 8:(at + bits + 7) // 8], "little") >> at % 8 & (1 << bits) - 1
        text = format(whole, "0%db" % bits)
        return [text[i - self.width:i] for i in range(bits, 0, -self.width)]

    def positions(self, lo):
        return [high(word(lo, i), self.size()) for i in range(self.field["hashes"])]

class Bits(Array):
    """One bit a cell, all of a key's positions set: has() asks for all of them."""
    def state(self):
        return {"ones": sum(self.values())}

    def has(self, lo, hi):
        return all(self.get(c) for c in self.positions(lo))

    def count(self, lo, hi):
        return int(self.has(lo, hi)), False

    def add(self, lo, hi, weight):
        for c in self.positions(lo):
            self.set(c, 1)

class Buffers(Array):
    """Two rows of bits, of which bit i is one cell; the active row is bit `active` of each, the other one is `1 - active`."""
    width, states = 2, ("active", "active_keys", "active_ones", "other_keys", "other_ones")
    fields = [("cells", 8, 1, 1 << 60), ("hashes", 1, 1, 64), ("keep", 8, 1, 1 << 56), ("rule", 1, 0, 1), ("active", 1, 0, 1)]

    def bytes(self):
        f = self.field
        for row in ("active", "other"):
            keys, ones = f[row + "_keys"], f[row + "_ones"]
            need(ones <= f["cells"] and ones <= keys * f["hashes"] and (keys == 0) == (ones == 0), "keys and ones")
        return super().bytes()

    def start(self):
        super().start()
        self.field.update(dict.fromkeys(self.states, 0))

    def state(self):
        values, active = self.values(), self.field["active"]
        ones = {"active_ones": sum(v >> active & 1 for v in values), "other_ones": sum(v >> 1 - active & 1 for v in values)}
        return {name: ones.get(name, self.field[name]) for name in self.states}

    def rows(self, lo):
        """Do the active row and the other one have the key?"""
        both = 3
        for c in self.positions(lo):
            both &= self.get(c)
        return bool(both >> self.field["active"] & 1), bool(both >> 1 - self.field["active"] & 1)

    def put_into(self, lo, row):
        """"active" or "other": counts the key there, and sets its bits."""
        bit = self.field["active"] ^ (row == "other")
        self.field[row + "_keys"] += 1
        for c in set(self.positions(lo)):
            self.field[row + "_ones"] += not self.get(c) >> bit & 1
            self.set(c, self.get(c) | 1 << bit)

    def swap(self, emptied):
        """The rows change roles; the one that is "active" or "other" from then on is emptied."""
        f = self.field
        f["active"] ^= 1
        for what in ("_keys", "_ones"):
            f["active" + what], f["other" + what] = f["other" + what], f["active" + what]
            f[emptied + what] = 0
        stays = 2 >> (f["active"] ^ (emptied == "other"))
        for c in range(self.size()):
            self.set(c, self.get(c) & stays)

    def count(self, lo, hi):
        return int(self.has(lo, hi)), False

class Counters(Array):
    """Counters with a ceiling. The smallest of a key's, each taken once, is its count."""
    def state(self):
        values = self.values()
        return {"used": len(values) - values.count(0), "stuck": values.count(self.top())}

    def top(self):
        return (1 << self.width) - 1

    def count(self, lo, hi):
        least = min(self.get(c) for c in self.positions(lo))
        return least, least == self.top()

    def has(self, lo, hi):
        return self.count(lo, hi)[0] > 0

    def add(self, lo, hi, weight):
        for c in set(self.positions(lo)):
            self.set(c, min(self.top(), self.get(c) + weight))
            self.lost |= DEL_EXACT if self.get(c) == self.top() else 0

    def delete(self, lo, hi, weight):
        for c in set(self.positions(lo)):
            if self.get(c) < self.top():
                self.set(c, self.get(c) - weight)

ROOMS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../src/kinds/*/*/reader.py")

class Xored(Kind):
    """Fixed sets: a key's cells, one of each place, give its fingerprint when they are xored. places(x): within a shard."""
    promised, states, keys = 0b11001, ("members",), ()

    def bytes(self):
        self.size, width = self.shard_cells(), self.field["width"]
        need(self.size < 1 << 32, "cells of a shard")
        need(self.field["members"] <= self.field["shards"] * (self.size + 1), "members")
        self.words = up(self.size * width, 64) // 8
        return self.field["shards"] * (8 + self.words)

    def state(self):
        for i in range(self.field["shards"]):
            need(self.shard(i) >> self.size * self.field["width"] == 0, "bits past the end")
        return {"members": self.field["members"]}

    def part(self, i):
        start = 8 * self.field["shards"] + i * self.words
        return slice(start, start + self.words)

    def shard(self, i):
        return int.from_bytes(self.cells[self.part(i)], "little")

    def seed_of(self, i):
        return int.from_bytes(self.cells[8 * i:8 * i + 8], "little")

    def print(self, x):
        width = self.field["width"]
        return (x * 0xD6E8FEB86659FD93 & M) >> 64 - width if width > 16 else (x ^ x >> 32) & (1 << width) - 1

    def has(self, lo, hi):
        i, width = high(lo, self.field["shards"]), self.field["width"]
        x, value = murmur(lo + self.seed_of(i) & M), 0
        start = 8 * self.part(i).start
        for c in self.places(x):
            at = start + c * width
            value ^= int.from_bytes(self.cells[at // 8:at // 8 + 5], "little") >> at % 8 & (1 << width) - 1
        return self.field["members"] > 0 and value == self.print(x)

    def count(self, lo, hi):
        return int(self.has(lo, hi)), False

    def add(self, lo, hi, weight):
        self.keys = {*self.keys, lo}

    def adds_of(self, came):
        return len(self.keys)

    def peeled(self, rows):
        """[(x, its own cell)] in the order in which rows are taken away; None: they hold each other fast."""
        cells, order = {}, []
        for x in rows:
            for c in self.places(x):
                cells.setdefault(c, set()).add(x)
        for first in range(self.size):
            stack = [first]
            while stack:
                own = stack.pop()
                if len(cells.get(own, ())) != 1:
                    continue
                x, = cells[own]
                order.append((x, own))
                for c in self.places(x):
                    cells[c].remove(x)
                    if len(cells[c]) == 1:
                        stack.append(c)
        return order if len(order) == len(rows) else None

    def build(self, i, rows):
        width = self.field["width"]
        for t in range(1, 9):
            seed = mix(t * 0x9E3779B97F4A7C15 & M)
            order = self.peeled([murmur(lo + seed & M) for lo in rows])
            if order is None:
                continue
            values = {}
            for x, own in reversed(order):
                values[own] = self.print(x)
                for c in self.places(x):
                    values[own] ^= values.get(c, 0) if c != own else 0
            self.cells[8 * i:8 * i + 8] = seed.to_bytes(8, "little")
            whole = sum(value << c * width for c, value in values.items())
            self.cells[self.part(i)] = whole.to_bytes(self.words, "little")
            return
        need(False, "a seed")

    def finish(self, built):
        need(self.field["members"] == (len(self.keys) if built else 0), "members")
        for i in range(self.field["shards"] if built else 0):
            self.build(i, [lo for lo in self.keys if high(lo, self.field["shards"]) == i])

for path in sorted(glob.glob(ROOMS)):
    room = importlib.util.spec_from_file_location("reader_" + os.path.basename(os.path.dirname(path)), path)
    room.loader.exec_module(importlib.util.module_from_spec(room))
