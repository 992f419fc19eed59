"""layered: section 8 of docs/format.md."""
from kinds import Array, high, need, resalt, up, word

class Layered(Array):
    name, promised = "layered", 0b101
    fields = [("cells", 8, 1, 1 << 58), ("hashes", 1, 1, 64), ("layers", 1, 1, 16), ("shrink", 1, 1, 16),
              ("ones", 8, 0, 1 << 58), ("above", 8, 0, 1 << 62)]
    states = ("ones", "above")

    def size(self):
        return self.starts[-1]

    def bytes(self):
        f = self.field
        self.bits, self.starts = [f["cells"]], [0]
        while len(self.bits) < f["layers"]:
            self.bits.append(-(-self.bits[-1] // f["shrink"]))
        for bits in self.bits:
            self.starts.append(self.starts[-1] + up(bits, 64))
        need(f["ones"] <= f["cells"] and f["above"] <= self.size(), "ones")
        return super().bytes()

    def state(self):
        values = self.values()
        layers = [values[start:end] for start, end in zip(self.starts, self.starts[1:])]
        need(not any(any(layer[bits:]) for layer, bits in zip(layers, self.bits)), "bits past the end of a layer")
        return {"ones": sum(layers[0]), "above": sum(map(sum, layers[1:]))}

    def places(self, lo, hi, layer):
        lo = resalt(lo, hi, layer)[0] if layer else lo
        return [self.starts[layer] + high(word(lo, i), self.bits[layer]) for i in range(self.field["hashes"])]

    def count(self, lo, hi):
        depth = 0
        while depth < len(self.bits) and all(self.get(c) for c in self.places(lo, hi, depth)):
            depth += 1
        return depth, depth == len(self.bits)

    def has(self, lo, hi):
        return self.count(lo, hi)[0] > 0

    def add(self, lo, hi, weight):
        depth, full = self.count(lo, hi)
        for c in [] if full else self.places(lo, hi, depth):
            self.set(c, 1)
