"""split-block: section 8 of docs/format.md."""
from kinds import Bits

FACTORS = (0x47B6137B, 0x44974D91, 0x8824AD5B, 0xA2B7289D, 0x705495C7, 0x2DF1424B, 0x9EFC4947, 0x5C6BFB31)

class SplitBlock(Bits):
    name, promised = "split-block", 0b1111001
    fields = [("blocks", 8, 1, 1 << 31), ("hashes", 1, 8, 8), ("ones", 8, 0, 1 << 39)]
    states = ("ones",)

    @staticmethod
    def lanes(lo):
        """The bit in each lane of a split block."""
        half = (1 << 32) - 1
        return [((lo & half) * factor & half) >> 27 for factor in FACTORS]

    def size(self):
        return self.field["blocks"] * 256

    def positions(self, lo):
        start = ((lo >> 32) * self.field["blocks"] >> 32) * 256
        return [start + 32 * lane + bit for lane, bit in enumerate(self.lanes(lo))]
