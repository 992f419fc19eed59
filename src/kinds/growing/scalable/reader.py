"""scalable: section 8 of docs/format.md."""
from kinds import KINDS, Kind, high, need, resalt, up

# of layers of blocks, from k = 1 on: bits per key in 2^-16, and hashes
BITS = [94549, 189365, 285004, 382026, 480989, 584689, 689623, 796250, 907540, 1024720, 1146707, 1274085,
        1405526, 1545695, 1692525, 1847964, 2010877, 2183268, 2366456, 2559983, 2764622, 2980929, 3211561, 3457125,
        3718144, 3995298, 4289442, 4603145, 4937623, 5293828, 5675201, 6080912, 6516516, 6979966, 7478446, 8009337,
        8580904, 9190710, 9847451, 10549767, 11305907, 12116885, 12985710, 13924327, 14928740, 16017882, 17183376, 18450560,
        19808809, 21285498, 22872706, 24591546, 26450924, 28453221, 30636658, 32988675, 35559944, 38334516, 41365967, 44648354,
        48207473, 52099816, 56314890, 60939162]
HASHES = [1, 2, 3, 4, 5, 6, 6, 7, 8, 9, 10, 10, 11, 12, 13, 13, 14, 15, 15, 16, 17, 17, 18, 18, 19, 19, 20, 21, 21, 22, 22, 23, 23, 24, 24, 25, 25, 26, 26, 27,
          27, 27, 28, 28, 29, 29, 30, 30, 31, 31, 32, 32, 32, 33, 33, 34, 34, 35, 35, 36, 36, 36, 37, 37]

class Scalable(Kind):
    name, promised = "scalable", 0b10001
    fields = [("first", 8, 1, 1 << 56), ("halvings", 8, 0, 64 << 32), ("step", 8, 0, 64 << 32), ("max_bytes", 8, 0, 1 << 57),
              ("factor", 4, 1 << 16, 1000 << 16), ("layers", 2, 1, 1024), ("inner", 1, 0, 1)]

    def bytes(self):
        return 0

    def inner_kind(self):
        return ("blocked", "blocks") if self.field["inner"] else ("partitioned", "slice")

    def size(self, log, x):
        """(cells, hashes, bits) of a layer with a rate of 2^-(log / 2^32) and x / 2^8 keys, or None."""
        k = max(1, -(-log >> 32))
        if k > 64:
            return None
        if not self.field["inner"]:
            s = (high(x, 0xB8AA3B295C17F0BB) >> 7) + 1
            return s, k, k * s
        less = (BITS[k - 1] - BITS[k - 2]) * ((k << 32) - log) >> 32 if k > 6 else 0
        blocks = -(-x * (BITS[k - 1] - less) >> 33)
        return blocks, HASHES[k - 1], blocks * 512

    def layer(self, i):
        """(cells, hashes, capacity) of layer i, or None; the bytes of those before it count."""
        f, x, all_bytes = self.field, self.field["first"] << 8, 0
        for place in range(i + 1):
            size = self.size(f["halvings"] + place * f["step"], x) if place < f["layers"] and x < 1 << 64 else None
            if not size or size[2] > 1 << 60:
                return None
            all_bytes += up(size[2], 64) // 8
            if 0 < f["max_bytes"] < all_bytes:
                return None
            now, x = (size[0], size[1], x >> 8), x * f["factor"] >> 16
        return now

    def state(self):
        need(1 <= len(self.children) <= self.field["layers"], "layers")
        for i, child in enumerate(self.children):
            need(int.from_bytes(child.tag.get(3, b""), "little") == i + 1, "salt of a layer")
            kind, cells = self.inner_kind()
            need(child.kind == kind, "kind of a layer")
            need((child.field[cells], child.field["hashes"], child.capacity) == self.layer(i), "size of a layer")
        return {}

    def has(self, lo, hi):
        return any(child.has(lo, hi) for child in self.children)

    def start(self):
        super().start()
        self.layers = []
        self.append()

    def append(self):
        size = self.layer(len(self.layers))
        if not size:
            return False
        kind, cells = self.inner_kind()
        inner = KINDS[kind]({cells: size[0], "hashes": size[1], "ones": 0})
        inner.start()
        self.layers.append([inner, size[2], 0])
        return True

    def add(self, lo, hi, weight):
        salted = [resalt(lo, hi, i + 1) for i in range(len(self.layers) + 1)]
        if any(layer[0].has(*h) for layer, h in zip(self.layers, salted)):
            return
        place = next((i for i, layer in enumerate(self.layers) if layer[2] < layer[1]), None)
        if place is None:
            place = len(self.layers) - (not self.append())
        self.layers[place][0].add(*salted[place], weight)
        self.layers[place][2] += 1

    def grow(self):
        want = 2 * sum(layer[1] for layer in self.layers)
        while sum(layer[1] for layer in self.layers) < want:
            self.append()

    def inner(self):
        """(cells, adds) of each layer."""
        return [(bytes(layer[0].cells), layer[2]) for layer in self.layers]
