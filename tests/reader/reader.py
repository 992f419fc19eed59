#!/usr/bin/python3
"""A second reader of images, written from docs/format.md and from nothing else.

Prints KEY<TAB>maybe|no, or KEY<TAB>count; without a KEY it only looks whether the image is sound.
Exit 0; 2 usage, or the secret key is missing or wrong; 3 the image is not sound.
"""
import argparse
import re
import struct
import sys
import xxhash
from hashes import hash_of, key_check
from kinds import KINDS, need, resalt, up

class Image:
    def __init__(self, data, depth=0, family=None):
        need(len(data) >= 32 and data[:8] == b"\x89BLM\r\n\x1a\n", "magic")
        form, zero, header, image, checksum = struct.unpack("<HHIQQ", data[8:32])
        self.data, self.at, self.head = data, 32, 32 + header
        need(header <= 65536 and self.head <= len(data), "cut inside the header")
        head = data[:24] + bytes(8) + data[32:self.head]
        need(xxhash.xxh3_64_intdigest(head) == checksum, "checksum of the header")
        need(form == 1 and zero == 0 and image == len(data), "format or length")
        self.read_header()
        self.filter = KINDS[self.kind](self.field)
        end, zeros = self.read_cells(self.filter.length)
        self.read_children(end, zeros, depth, family or [0])
        self.filter.cells, self.filter.lost = bytearray(self.cells), self.lost
        self.filter.children, self.filter.capacity = self.children, self.capacity
        self.filter.now = int.from_bytes(self.tag.get(4, b""), "little")
        stored = {name: self.field[name] for name in self.filter.state()}
        need(self.filter.state() == stored, "cells and the fields that count them")

    def bytes(self, n):
        need(n <= self.head - self.at, "the header is too short")
        self.at += n
        return self.data[self.at - n:self.at]

    def take(self, width):
        return int.from_bytes(self.bytes(width), "little")

    def read_header(self):
        self.kind = self.bytes(self.take(1)).decode("ascii", "replace")
        need(self.kind in KINDS, "kind")
        promised, fields = KINDS[self.kind].promised, KINDS[self.kind].fields
        version, since = self.take(2), {name: (later or [1])[0] for name, _, _, _, *later in fields}
        need(1 <= version <= max(since.values()), "version")
        self.hash = self.bytes(self.take(1)).decode("ascii", "replace")
        self.seed, self.key_check, self.adds, self.capacity = (self.take(8) for _ in range(4))
        self.target, self.lost = struct.unpack("<d", self.bytes(8))[0], self.take(4)
        keyed = {"xxh3-64": False, "xxh3-128": False, "sip24-128": True, "given-64": False}.get(self.hash)
        need(keyed == (self.key_check != 0), "hash or key check value")
        need(self.adds <= 1 << 62 and 1 <= self.capacity <= 1 << 56 and 0 <= self.target <= 1, "adds, capacity or target")
        need(self.lost & ~promised == 0, "lost promises")
        self.field = {name: self.take(width) if since[name] <= version else low for name, width, low, *_ in fields}
        need(all(low <= self.field[name] <= high for name, _, low, high, *_ in fields), "a field")
        self.chunk, self.tag, last = self.take(1), {}, 0
        need(12 <= self.chunk <= 24, "chunk")
        while self.at < self.head:
            kind, flags, length = self.take(2), self.take(2), self.take(4)
            need(kind > last and (kind <= 4 or kind == 6 or flags & 1), "tag")
            self.tag[kind], last = self.bytes(length), kind
        note, directory = self.tag.get(1, b"-"), self.tag.get(2, bytes(8))
        need(1 <= len(note) <= 1024 and 0 not in note, "note")
        need(len(directory) % 8 == 0 and 1 <= len(directory) // 8 <= 1024, "children")
        need(all(len(self.tag[t]) == 8 and any(self.tag[t]) for t in (3, 4) if t in self.tag), "salt or now")
        if 5 in self.tag:
            need(len(self.tag[5]) == 16 and any(self.tag[5]), "seen")
            need(all(n <= 1 << 62 for n in struct.unpack("<QQ", self.tag[5])), "seen")
        form = self.tag.get(6, b"plain")
        self.form = form.split(b" ") if 6 in self.tag else []
        need(len(form) <= 32 and re.fullmatch(rb"[a-z0-9-]+( [a-z0-9-]+)*", form), "form")
        need(self.form == sorted(set(self.form)), "form")

    def read_cells(self, size):
        start = up(self.head, 4096 if size >= 4096 else 64 if size >= 64 else 8)
        sums = up(start + size, 8)
        end = sums + 8 * -(-size >> self.chunk)
        need(end <= len(self.data), "cells or sums are cut")
        self.cells = self.data[start:start + size]
        for i, (stored,) in enumerate(struct.iter_unpack("<Q", self.data[sums:end])):
            piece = self.cells[i << self.chunk:(i + 1) << self.chunk]
            need(xxhash.xxh3_64_intdigest(piece, i) == stored, "sum %d" % i)
        return end, self.data[self.head:start] + self.data[start + size:sums]

    def read_children(self, end, zeros, depth, family):
        self.children, directory = [], self.tag.get(2, b"")
        family[0] += len(directory) // 8
        need(not directory or depth < 4 and family[0] <= 65536, "too many children")
        for size, in struct.iter_unpack("<Q", directory):
            start = up(end, 4096 if size >= 4096 else 8)
            need(start + size <= len(self.data), "a child is cut")
            self.children.append(type(self)(self.data[start:start + size], depth + 1, family))
            zeros += self.data[end:start]
            end = start + size
        need(end == len(self.data) and not any(zeros), "padding, or more bytes than it holds")

    def salted(self, lo, hi):
        return resalt(lo, hi, int.from_bytes(self.tag[3], "little")) if 3 in self.tag else (lo, hi)

    def key_of(self, text):
        """The bytes that are hashed for what a user writes."""
        if b"hex" in self.form:
            return bytes.fromhex(text)
        key = text.encode("utf-8", "surrogateescape")
        return key.lower() if b"lower" in self.form else key

    def has(self, lo, hi):
        return self.filter.has(*self.salted(lo, hi))

    def count(self, lo, hi):
        return self.filter.count(*self.salted(lo, hi))

def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("image"), parser.add_argument("keys", metavar="KEY", nargs="*")
    parser.add_argument("--key", metavar="HEX", type=bytes.fromhex), parser.add_argument("--count", action="store_true")
    ask = parser.parse_intermixed_args()
    try:
        with open(ask.image, "rb") as file:
            image = Image(file.read())
    except ValueError as why:
        return print(ask.image, why, sep=": ", file=sys.stderr) or 3
    if ask.keys and image.key_check != key_check(ask.key):
        return print(ask.image, "the secret key is missing or wrong", sep=": ", file=sys.stderr) or 2
    for key in ask.keys:
        h = hash_of(image.hash, image.seed, image.key_of(key), ask.key, image.filter.wide)
        print(key, image.count(*h)[0] if ask.count else "maybe" if image.has(*h) else "no", sep="\t")

if __name__ == "__main__":
    sys.exit(main())
