"""double-buffer: section 8 of docs/format.md."""
from kinds import Buffers, need

class DoubleBuffer(Buffers):
    name = "double-buffer"
    fields = Buffers.fields + [("active_keys", 8, 0, 1 << 60), ("active_ones", 8, 0, 1 << 60),
                               ("other_keys", 8, 0, 1 << 60), ("other_ones", 8, 0, 1 << 60)]

    def bytes(self):
        f = self.field
        need(f["active_keys"] <= f["active_ones"] and f["other_keys"] <= f["other_ones"], "a key without a bit")
        need(f["other_keys"] == 0 or f["active_keys"] > f["keep"], "a warm buffer too early")
        need(f["rule"] or f["other_keys"] < f["keep"], "a warm buffer that is half full")
        return super().bytes()

    def has(self, lo, hi):
        return self.rows(lo)[0]

    def add(self, lo, hi, weight):
        f, (active, warm) = self.field, self.rows(lo)
        if not active:
            self.put_into(lo, "active")
        if not warm and f["active_keys"] > f["keep"]:
            self.put_into(lo, "other")
        if f["other_keys"] >= f["keep"] and (f["rule"] == 0 or f["active_keys"] >= 2 * f["keep"]):
            self.swap("other")
