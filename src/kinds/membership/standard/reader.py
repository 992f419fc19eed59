"""standard: section 8 of docs/format.md."""
from kinds import Bits

class Standard(Bits):
    name, promised = "standard", 0b1111001
    fields = [("cells", 8, 1, 1 << 60), ("hashes", 1, 1, 64), ("ones", 8, 0, 1 << 60)]
    states = ("ones",)
