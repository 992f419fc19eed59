"""scalable: section 8 of docs/format.md."""
from kinds import KINDS, Kind, high, need, resalt, up

class Scalable(Kind):
    name, promised = "scalable", 0b10001
    fields = [("first", 8, 1, 1 << 56), ("halvings", 8, 0, 64 << 32), ("step", 8, 0, 64 << 32), ("max_bytes", 8, 0, 1 << 57),
              ("factor", 4, 1 << 16, 1000 << 16), ("layers", 2, 1, 1024), ("inner", 1, 0, 1)]

    def bytes(self):
        return 0

    def layer(self, i):
        """(slice, hashes, capacity) of layer i, or None; the bytes of those before it count."""
        f, x, all_bytes = self.field, self.field["first"] << 8, 0
        for place in range(i + 1):
            k = max(1, -(-(f["halvings"] + place * f["step"]) >> 32))
            s = (high(x, 0xB8AA3B295C17F0BB) >> 7) + 1
            all_bytes += up(k * s, 64) // 8
            if place >= f["layers"] or x >= 1 << 64 or k > 64 or k * s > 1 << 60 or 0 < f["max_bytes"] < all_bytes:
                return None
            now, x = (s, k, x >> 8), x * f["factor"] >> 16
        return now

    def state(self):
        need(1 <= len(self.children) <= self.field["layers"], "layers")
        for i, child in enumerate(self.children):
            need(int.from_bytes(child.tag.get(3, b""), "little") == i + 1, "salt of a layer")
            need(child.kind == ("blocked" if self.field["inner"] else "partitioned"), "kind of a layer")
            if not self.field["inner"]:
                need((child.field["slice"], child.field["hashes"], child.capacity) == self.layer(i), "size of a layer")
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
        inner = KINDS["partitioned"]({"slice": size[0], "hashes": size[1], "ones": 0})
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
        """(cells, adds) of each layer. Blocks are sized by a rate: they are read, and not made again."""
        return None if self.field["inner"] else [(bytes(layer[0].cells), layer[2]) for layer in self.layers]
