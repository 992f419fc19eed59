"""From a hash to the cells of each kind: docs/format.md, sections 7 to 9."""
from hashes import M, mix

# kind: (promised bits, [(field, bytes, min, max)]), as sections 8 and 9 have them; a fifth number is the
# version that brought the field
KINDS = {
    "standard": (0b1111001, [("cells", 8, 1, 1 << 60), ("hashes", 1, 1, 64), ("ones", 8, 0, 1 << 60)]),
    "blocked": (0b1111001, [("blocks", 8, 1, 1 << 51), ("hashes", 1, 1, 64), ("ones", 8, 0, 1 << 60)]),
    "split-block": (0b1111001, [("blocks", 8, 1, 1 << 31), ("hashes", 1, 8, 8), ("ones", 8, 0, 1 << 39)]),
    "counting": (0b10101101, [("cells", 8, 1, 1 << 58), ("hashes", 1, 1, 64), ("width", 1, 2, 16),
                              ("used", 8, 0, 1 << 58), ("stuck", 8, 0, 1 << 58), ("layout", 1, 0, 1, 2)]),
}
BLOCK_BITS = {"blocked": 512, "split-block": 256}
FACTORS = (0x47B6137B, 0x44974D91, 0x8824AD5B, 0xA2B7289D, 0x705495C7, 0x2DF1424B, 0x9EFC4947, 0x5C6BFB31)

def resalt(lo, hi, salt):
    step = salt * 0x9E3779B97F4A7C15 & M
    return mix(lo + step & M), mix(hi ^ step)

def word(lo, i):
    t = lo + (i + 1) * 0xA0761D6478BD642F & M
    product = t * (t ^ 0xE7037ED1A0B428DB)
    return product & M ^ product >> 64

def lanes(lo):
    """The bit in each lane of a split block."""
    half = (1 << 32) - 1
    return [((lo & half) * factor & half) >> 27 for factor in FACTORS]

def size(kind, field):
    """In cells."""
    return field["blocks"] * BLOCK_BITS[kind] if kind in BLOCK_BITS else field["cells"]

def positions(kind, field, lo):
    if kind == "blocked":
        block = lo * field["blocks"] >> 64
        return [block * 512 + (word(lo, i // 7) >> 9 * (i % 7) & 511) for i in range(field["hashes"])]
    if kind == "split-block":
        block = (lo >> 32) * field["blocks"] >> 32
        return [block * 256 + 32 * lane + bit for lane, bit in enumerate(lanes(lo))]
    if field.get("layout"):
        line = 512 // field["width"]  # its counters
        start, bits = (lo * (field["cells"] // line) >> 64) * line, line.bit_length() - 1
        a_word = 64 // bits
        return [start + (word(lo, i // a_word) >> i % a_word * bits) % line for i in range(field["hashes"])]
    return [word(lo, i) * field["cells"] >> 64 for i in range(field["hashes"])]
