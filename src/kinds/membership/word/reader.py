"""word: section 8 of docs/format.md."""
from kinds import Bits, high, need, word

class Word(Bits):
    name, promised = "word", 0b1111001
    fields = [("blocks", 8, 1, 1 << 55), ("hashes", 1, 1, 64), ("reads", 1, 1, 4), ("width", 2, 32, 64),
              ("ones", 8, 0, 1 << 60)]
    states = ("ones",)

    def size(self):
        return self.field["blocks"] * self.field["width"]

    def bytes(self):
        most = -(-self.field["hashes"] // self.field["reads"])
        need(self.field["width"] in (32, 64) and most <= self.field["width"] // 2, "bits of a word")
        need(self.field["hashes"] >= self.field["reads"], "a bit in each word")
        return super().bytes()

    def positions(self, lo):
        width, reads, hashes = self.field["width"], self.field["reads"], self.field["hashes"]
        bits, places, out = (6, 10, []) if width == 64 else (5, 12, [])
        for r in range(reads):
            start = high(word(lo, r - 1) if r else lo, self.field["blocks"]) * width
            for _ in range(hashes // reads + (r < hashes % reads)):
                i = len(out)
                out.append(start + (word(lo, reads - 1 + i // places) >> bits * (i % places)) % width)
        return out
