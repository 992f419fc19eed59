"""aging: section 8 of docs/format.md."""
from kinds import Buffers, need

class Aging(Buffers):
    name = "aging"
    fields = Buffers.fields + [("active_keys", 8, 0, 1 << 56), ("active_ones", 8, 0, 1 << 60),
                               ("other_keys", 8, 0, 1 << 56), ("other_ones", 8, 0, 1 << 60)]

    def bytes(self):
        f = self.field
        need(f["active_keys"] < f["keep"] and f["other_keys"] in (0, f["keep"]), "keys")
        need(f["rule"] or (f["active_keys"] <= f["active_ones"] and f["other_keys"] <= f["other_ones"]), "a key without a bit")
        return super().bytes()

    def has(self, lo, hi):
        return any(self.rows(lo))

    def add(self, lo, hi, weight):
        if not self.rows(lo)[0]:
            self.put_into(lo, "active")
        elif self.field["rule"]:
            self.field["active_keys"] += 1
        if self.field["active_keys"] == self.field["keep"]:
            self.swap("active")
