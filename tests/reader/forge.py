#!/usr/bin/python3
"""Images that no honest writer makes, with every checksum repaired.

    forge.py standard-odd.blm FOLDER      writes FOLDER/bad-*.blm, which every reader must refuse, and
                                          FOLDER/good-*.blm, which every reader must take

The golden standard-odd has 1,001 bits, so bits past the end, and zeros between header and cells that a
short tag can take.
"""
import os
import struct
import sys
import xxhash

# Where standard with xxh3-64 keeps what: docs/format.md, sections 2, 3 and 8.
FORMAT, ZERO, HEADER, IMAGE, SUM, VERSION, KEY_CHECK, ADDS, CAPACITY = 8, 10, 12, 16, 24, 41, 59, 67, 75
TARGET, LOST, CELLS, HASHES, ONES, CHUNK, END = 83, 91, 95, 103, 104, 112, 113
REGION, SUMS, BITS = 128, 256, 1001


def repaired(data):
    data = bytearray(data)
    data[SUMS:SUMS + 8] = xxhash.xxh3_64_intdigest(bytes(data[REGION:SUMS]), 0).to_bytes(8, "little")
    data[SUM:SUM + 8] = bytes(8)
    end = 32 + int.from_bytes(data[HEADER:HEADER + 4], "little")
    data[SUM:SUM + 8] = xxhash.xxh3_64_intdigest(bytes(data[:end])).to_bytes(8, "little")
    return bytes(data)


def with_number(data, at, width, value):
    return repaired(data[:at] + value.to_bytes(width, "little") + data[at + width:])


def with_tag(data, kind, flags, body):
    tag = struct.pack("<HHI", kind, flags, len(body)) + body
    data = data[:HEADER] + struct.pack("<I", END - 32 + len(tag)) + data[HEADER + 4:]
    return repaired(data[:END] + tag + data[END + len(tag):])


def f64(value):
    return int.from_bytes(struct.pack("<d", value), "little")


def forgeries(data):
    numbers = {
        "format-0": (FORMAT, 2, 0), "format-2": (FORMAT, 2, 2), "zero-1": (ZERO, 2, 1),
        "image-longer": (IMAGE, 8, len(data) + 8), "version-0": (VERSION, 2, 0), "version-2": (VERSION, 2, 2),
        "kind": (33, 1, ord("S")), "hash": (44, 1, ord("X")), "key-check": (KEY_CHECK, 8, 1),
        "adds": (ADDS, 8, (1 << 62) + 1),
        "capacity-0": (CAPACITY, 8, 0), "capacity-large": (CAPACITY, 8, (1 << 56) + 1),
        "target-below-0": (TARGET, 8, f64(-0.5)), "target-2": (TARGET, 8, f64(2.0)), "target-nan": (TARGET, 8, f64(float("nan"))),
        "lost-foreign": (LOST, 4, 1 << 7), "lost-unknown": (LOST, 4, 1 << 31),
        "cells-0": (CELLS, 8, 0), "cells-few": (CELLS, 8, 64), "cells-many": (CELLS, 8, 1 << 60), "cells-past": (CELLS, 8, (1 << 60) + 1),
        "hashes-0": (HASHES, 1, 0), "hashes-65": (HASHES, 1, 65),
        "ones": (ONES, 8, int.from_bytes(data[ONES:ONES + 8], "little") + 1),
        "chunk-11": (CHUNK, 1, 11), "chunk-25": (CHUNK, 1, 25), "header-cut": (HEADER, 4, CHUNK - 32),
        "bit-past-the-end": (REGION + BITS // 8, 1, data[REGION + BITS // 8] | 1 << BITS % 8),
    }
    tags = {
        "note-empty": (1, 1, b""), "note-zero": (1, 1, b"\0"), "children-none": (2, 0, b""), "children-odd": (2, 0, b"1234"),
        "salt-short": (3, 0, b"1234"), "now-short": (4, 0, b"1234"), "seen-short": (5, 1, bytes([1]) * 8), "form-empty": (6, 0, b""), "form-upper": (6, 0, b"Hex"), "form-space": (6, 0, b"hex "),
        "form-zero": (6, 0, b"h\0x"), "form-order": (6, 0, b"b a"), "form-twice": (6, 0, b"a a"), "tag-0": (0, 1, b""), "tag-unknown": (99, 0, b""),
    }
    for name, change in numbers.items():
        yield "bad-" + name, with_number(data, *change)
    for name, change in tags.items():
        yield "bad-" + name, with_tag(data, *change)
    yield "good-adds", with_number(data, ADDS, 8, 1 << 62)
    yield "good-hashes", with_number(data, HASHES, 1, 64)
    yield "good-tag-to-skip", with_tag(data, 99, 1, b"later")
    yield "good-form", with_tag(data, 6, 0, b"a-1 b")
    yield "good-note", with_tag(data, 1, 1, b"a note")


if __name__ == "__main__":
    with open(sys.argv[1], "rb") as file:
        image = file.read()
    assert repaired(image) == image, "not the golden that this program knows"
    for name_, forged in forgeries(image):
        with open(os.path.join(sys.argv[2], name_ + ".blm"), "wb") as file:
            file.write(forged)
