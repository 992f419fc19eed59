"""The codes of cells in a stream: docs/format.md, section 12."""
import struct
from kinds import need

def varint(data, at):
    """A number, and where it ends."""
    value = shift = 0
    while True:
        need(at < len(data), "it is cut")
        byte, at = data[at], at + 1
        value, shift = value | (byte & 127) << shift, shift + 7
        if byte < 128:
            need(shift <= 70 and value < 1 << 64 and (byte or shift == 7), "varint")
            return value, at

class Bits:
    """Numbers from a row of bits."""

    def __init__(self, data):
        self.row, self.left, self.size = int.from_bytes(data, "little"), 8 * len(data), len(data)

    def take(self, n):
        need(n <= self.left, "a code is cut")
        value, self.row, self.left = self.row & (1 << n) - 1, self.row >> n, self.left - n
        return value

    def zeros(self):
        """How many there are before the next one, which is read too."""
        need(self.row, "a code is cut")
        n = (self.row & -self.row).bit_length() - 1
        self.take(n + 1)
        return n

def gaps(code, n):
    m, at = varint(code, 0)
    ones, at = varint(code, at)
    need(1 <= m <= 1 << 48 and ones <= 8 * n, "gaps")
    bits, out, place, b = Bits(code[at:]), bytearray(n), -1, (m - 1).bit_length()
    for _ in range(ones):
        gap, r = m * bits.zeros(), bits.take(b - 1) if b else 0
        if b and r >= (1 << b) - m:
            r = 2 * r + bits.take(1) - ((1 << b) - m)
        place += gap + r + 1
        need(place < 8 * n, "a one past the end")
        out[place // 8] |= 1 << place % 8
    need(bits.left < 8 and not bits.row, "the end of the gaps")
    return out

def by_frequency(code, n):
    need(code and 9 <= code[0] <= 16, "scale")
    scale, bits, table = code[0], Bits(code[1:1100]), []
    for value in range(256):
        h = bits.zeros()
        table += [value] * ((1 << h) + bits.take(h) - 1)
        need(len(table) <= 1 << scale, "frequencies")
    need(len(table) == 1 << scale and not bits.take(bits.left % 8), "frequencies")
    at = 1 + bits.size - bits.left // 8
    need(len(code) - at >= 32 and (len(code) - at) % 4 == 0, "states")
    states, words = list(struct.unpack("<4Q", code[at:at + 32])), struct.iter_unpack("<I", code[at + 32:])
    need(all(1 << 31 <= x < 1 << 63 for x in states), "states")
    first, out = {v: table.index(v) for v in set(table)}, bytearray()
    count = {v: table.count(v) for v in first}
    for i in range(n):
        x, p = divmod(states[i % 4], 1 << scale)
        v = table[p]
        x = count[v] * x + p - first[v]
        if x < 1 << 31:
            word = next(words, None)
            need(word is not None, "words")
            x = x << 32 | word[0]
        states[i % 4] = x
        out.append(v)
    need(states == [1 << 31] * 4 and next(words, None) is None, "the end of the words")
    return out
