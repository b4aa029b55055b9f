"""The order in which the JVM sees the entries of a dict: py4j puts them into a java.util.HashMap."""


def _hash(text):
    """String.hashCode."""
    code = 0
    for letter in map(ord, text):
        above = letter - 0x10000
        # It goes over UTF-16's units.
        units = [letter] if above < 0 else [0xD800 + (above >> 10), 0xDC00 + (above & 0x3FF)]
        for unit in units:
            code = (31 * code + unit) & 0xFFFFFFFF
    return code


def _improved(code):
    """scala.collection.Hashing.improve."""
    code = (code + ~(code << 9)) & 0xFFFFFFFF
    code ^= code >> 14
    code = (code + (code << 4)) & 0xFFFFFFFF
    return code ^ (code >> 10)


def through_java(names):
    """The names as a HashMap and then Scala's immutable Map give them: more than four go through a trie of hashes."""
    names = list(names)
    size = 16
    while len(names) > size * 3 // 4:
        size *= 2
    names.sort(key=lambda name: (_hash(name) ^ (_hash(name) >> 16)) & (size - 1))
    return names if len(names) <= 4 else _trie([(_improved(_hash(name)), name) for name in names], 0)


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
