#!/usr/bin/python3
"""A second reader of packed filters and deltas, written from docs/format.md, section 12, and from nothing else.

    stream.py STREAM [--base OLD]      writes the image to standard output

Exit 0; 3 the stream is not sound; 5 it is a delta, and OLD is missing or another filter.
"""
import argparse
import struct
import sys
import xxhash
import golden  # the toys of the tests are kinds, too
from codes import by_frequency, gaps, varint
from kinds import KINDS, need, up
from reader import Image

class Header(Image):
    """The part of an image that a stream has."""

    def __init__(self, data):
        self.data, self.at, self.head = bytes(32) + data, 32, 32 + len(data)
        self.read_header()
        self.filter = KINDS[self.kind](self.field)
        self.size = self.filter.length
        self.directory = [size for size, in struct.iter_unpack("<Q", self.tag.get(2, b""))]

class Stream:
    def __init__(self, data, base=None):
        need(len(data) >= 40 and data[:8] == b"\x89BLP\r\n\x1a\n", "magic")
        need(xxhash.xxh3_64_intdigest(data[:-8]) == int.from_bytes(data[-8:], "little"), "checksum")
        version, what, header, self.image_bytes, self.base_sum = struct.unpack("<HHIQQ", data[8:32])
        need(version == 1 and what < 2, "version")
        self.data, self.at, self.end, self.delta = data, 32, len(data) - 8, what == 1
        need(self.delta or not self.base_sum, "base")
        if self.delta and (base is None or xxhash.xxh3_64_intdigest(base) != self.base_sum):
            raise LookupError("the base is missing, or another one")
        self.image = self.filter(header, self.image_bytes, Image(base) if self.delta else None, 0)
        need(self.at == self.end, "longer than its contents")

    def bytes(self, n):
        need(n <= self.end - self.at, "it is cut")
        self.at += n
        return self.data[self.at - n:self.at]

    def varint(self):
        value, self.at = varint(self.data[:self.end], self.at)
        return value

    def cells(self, size):
        out = bytearray()
        while len(out) < size:
            method, n = self.bytes(1)[0], self.varint()
            need(method <= 3 and 0 < n <= size - len(out), "record")
            code = b"" if method == 0 else self.bytes(n if method == 1 else self.varint())
            out += bytes(n) if method == 0 else code if method == 1 else (gaps if method == 2 else by_frequency)(code, n)
        return bytes(out)

    def filter(self, header_bytes, image_bytes, base, depth):
        """The image of one filter, and of its children."""
        need(header_bytes <= 65536 and depth <= 4, "header or depth")
        text = self.bytes(header_bytes)
        head = Header(text)
        need(base is None or (len(base.cells), len(base.children)) == (head.size, len(head.directory)), "shape of the base")
        cells = self.cells(head.size)
        if base is not None:
            cells = bytes(a ^ b for a, b in zip(cells, base.cells))
        front = b"\x89BLM\r\n\x1a\n" + struct.pack("<HHIQ", 1, 0, len(text), image_bytes)
        out = front + xxhash.xxh3_64_intdigest(front + bytes(8) + text).to_bytes(8, "little") + text
        align = 4096 if len(cells) >= 4096 else 64 if len(cells) >= 64 else 8
        out = out.ljust(up(len(out), align), b"\0") + cells
        out = out.ljust(up(len(out), 8), b"\0")
        for i in range(-(-len(cells) >> head.chunk)):
            piece = cells[i << head.chunk:(i + 1) << head.chunk]
            out += xxhash.xxh3_64_intdigest(piece, i).to_bytes(8, "little")
        for i, size in enumerate(head.directory):
            out = out.ljust(up(len(out), 4096 if size >= 4096 else 8), b"\0")
            out += self.filter(int.from_bytes(self.bytes(4), "little"), size, base and base.children[i], depth + 1)
        need(len(out) == image_bytes, "the size that it states")
        return out

def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("stream"), parser.add_argument("--base")
    ask = parser.parse_args()
    try:
        stream, base = (name and open(name, "rb").read() for name in (ask.stream, ask.base))
        image = Stream(stream, base).image
        Image(image)
    except (ValueError, LookupError) as why:
        return print(ask.stream, why, sep=": ", file=sys.stderr) or (5 if isinstance(why, LookupError) else 3)
    sys.stdout.buffer.write(image)
    return 0

if __name__ == "__main__":
    sys.exit(main())
