"""dynamic: section 8 of docs/format.md."""
from kinds import DEL_EXACT, KINDS, Kind, need

class Layer:
    """A filter and its number of keys, made anew."""
    def __init__(self, filter_):
        self.filter, self.adds = filter_, 0
        self.filter.start()

class Dynamic(Kind):
    name, promised = "dynamic", 0b101
    fields = [("cells", 8, 1, 1 << 60), ("hashes", 1, 1, 64), ("inner", 1, 0, 1)]

    def bytes(self):
        need(self.field["inner"] or self.field["cells"] <= 1 << 58, "counters")
        return 0

    def layer(self):
        """The kind and the fields of a layer with no key."""
        f = self.field
        if f["inner"]:
            return "standard", {"cells": f["cells"], "hashes": f["hashes"], "ones": 0}
        return "counting", {"cells": f["cells"], "hashes": f["hashes"], "width": 4, "used": 0, "stuck": 0, "layout": 0}

    def state(self):
        need(1 <= len(self.children) <= 512, "layers")
        kind, shape = self.layer()
        for child in self.children:
            need(child.kind == kind and 3 not in child.tag and child.capacity == self.capacity, "a layer")
            need(all(child.filter.field[n] == v for n, v in shape.items() if n not in child.filter.states), "shape of a layer")
            need(child.adds <= self.capacity, "keys of a layer")
        return {}

    def start(self):
        super().start()
        self.layers = []
        self.append()

    def append(self):
        kind, shape = self.layer()
        self.layers.append(Layer(KINDS[kind](shape)))

    def inner(self):
        return [(bytes(layer.filter.cells), layer.adds) for layer in self.layers]

    def has(self, lo, hi):
        return any(child.has(lo, hi) for child in self.children)

    def count(self, lo, hi):
        counts = [child.count(lo, hi) for child in self.children]
        return sum(times for times, _ in counts), any(bound for _, bound in counts)

    def add(self, lo, hi, weight):
        if all(layer.adds == self.capacity for layer in self.layers):
            self.append()
        layer = next(layer for layer in self.layers if layer.adds < self.capacity)
        layer.filter.add(lo, hi, weight)
        layer.adds += 1

    def delete(self, lo, hi, weight):
        said = [layer for layer in self.layers if layer.filter.has(lo, hi)]
        if len(said) != 1:
            return
        said[0].filter.delete(lo, hi, weight)
        said[0].adds -= said[0].adds > 0
        for other in self.layers:
            if other is not said[0] and other.adds + said[0].adds <= self.capacity // 2:
                return self.compact(*sorted(self.layers.index(layer) for layer in (other, said[0])))

    def compact(self, i, j):
        into, gone = self.layers[i], self.layers.pop(j)
        cells, more = into.filter, gone.filter
        top = (1 << cells.width) - 1
        for c in range(cells.size()):
            cells.set(c, min(cells.get(c) + more.get(c), top))
            cells.lost |= DEL_EXACT if cells.get(c) == top > 1 else 0
        into.adds += gone.adds

    def grow(self):
        for _ in list(self.layers):
            self.append()
