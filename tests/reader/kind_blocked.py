"""blocked and split-block: section 8 of docs/format.md."""
from kinds import Bits, high, word

FACTORS = (0x47B6137B, 0x44974D91, 0x8824AD5B, 0xA2B7289D, 0x705495C7, 0x2DF1424B, 0x9EFC4947, 0x5C6BFB31)

def lanes(lo):
    """The bit in each lane of a split block."""
    half = (1 << 32) - 1
    return [((lo & half) * factor & half) >> 27 for factor in FACTORS]

class Blocked(Bits):
    name, promised = "blocked", 0b1111001
    fields = [("blocks", 8, 1, 1 << 51), ("hashes", 1, 1, 64), ("ones", 8, 0, 1 << 60)]

    def size(self):
        return self.field["blocks"] * 512

    def positions(self, lo):
        start = high(lo, self.field["blocks"]) * 512
        return [start + (word(lo, i // 7) >> 9 * (i % 7) & 511) for i in range(self.field["hashes"])]

class SplitBlock(Bits):
    name, promised = "split-block", 0b1111001
    fields = [("blocks", 8, 1, 1 << 31), ("hashes", 1, 8, 8), ("ones", 8, 0, 1 << 39)]

    def size(self):
        return self.field["blocks"] * 256

    def positions(self, lo):
        start = ((lo >> 32) * self.field["blocks"] >> 32) * 256
        return [start + 32 * lane + bit for lane, bit in enumerate(lanes(lo))]
