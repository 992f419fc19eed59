"""fuse: section 8 of docs/format.md."""
from kinds import Xored, high, need

class Fuse(Xored):
    name = "fuse"
    fields = [("width", 1, 1, 32), ("arity", 1, 3, 4), ("shards", 8, 1, 1 << 56), ("segment", 1, 2, 18),
              ("segments", 8, 1, 1 << 30), ("widened", 1, 0, 16), ("members", 8, 0, 1 << 56)]

    def shard_cells(self):
        need(self.field["segments"] > self.field["widened"], "segments")
        return self.field["segments"] + self.field["arity"] - 1 << self.field["segment"]

    def places(self, x):
        log, arity = self.field["segment"], self.field["arity"]
        length, first = 1 << log, high(x, self.field["segments"] << log)
        shifts = (18, 0) if arity == 3 else (0, log, 2 * log)
        return [first] + [first + (j + 1) * length ^ x >> s & length - 1 for j, s in enumerate(shifts)]
