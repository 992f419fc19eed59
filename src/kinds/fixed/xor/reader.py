"""xor: section 8 of docs/format.md."""
from kinds import M, Xored

class Xor(Xored):
    name = "xor"
    fields = [("width", 1, 1, 32), ("shards", 8, 1, 1 << 56), ("block", 8, 1, (1 << 32) - 1), ("widened", 1, 0, 16),
              ("members", 8, 0, 1 << 56)]

    def shard_cells(self):
        return 3 * self.field["block"]

    def places(self, x):
        block = self.field["block"]
        turned = [(x << r | x >> 64 - r) & 0xFFFFFFFF for r in (0, 21, 42)]
        return [(t * block >> 32) + j * block for j, t in enumerate(turned)]
