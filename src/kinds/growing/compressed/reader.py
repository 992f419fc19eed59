"""compressed: section 8 of docs/format.md."""
from kinds import Bits

class Compressed(Bits):
    name, promised = "compressed", 0b1111001
    fields = [("cells", 8, 1, 1 << 60), ("hashes", 1, 1, 64), ("ones", 8, 0, 1 << 60)]
    states = ("ones",)
