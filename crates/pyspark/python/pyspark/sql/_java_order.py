"""The order in which the JVM sees the entries of a dict: py4j puts them into a java.util.HashMap."""


def _spread(text):
    code = 0
    for letter in map(ord, text):
        above = letter - 0x10000
        # String.hashCode goes over UTF-16's units.
        units = [letter] if above < 0 else [0xD800 + (above >> 10), 0xDC00 + (above & 0x3FF)]
        for unit in units:
            code = (31 * code + unit) & 0xFFFFFFFF
    return code ^ (code >> 16)


def through_java(names):
    """The names as a HashMap and then Scala's immutable Map give them: more than four go through a trie of hashes."""
    names = list(names)
    size = 16
    while len(names) > size * 3 // 4:
        size *= 2
    names.sort(key=lambda name: _spread(name) & (size - 1))
    return names if len(names) <= 4 else _trie([(_spread(name), name) for name in names], 0)


def _trie(entries, level):
    """A node of scala.collection.immutable.HashMap: its own entries first, then the nodes below, by five bits of the hash."""
    if level > 30:
        return [name for _, name in entries]
    slots = {}
    for entry in entries:
        slots.setdefault((entry[0] >> level) & 31, []).append(entry)
    ordered = [slots[slot] for slot in sorted(slots)]
    out = [slot[0][1] for slot in ordered if len(slot) == 1]
    for slot in ordered:
        if len(slot) > 1:
            out += _trie(slot, level + 5)
    return out
