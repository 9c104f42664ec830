import pathlib, re, struct, sys, cbor2, xxhash, zstandard

def u32(data, at): return struct.unpack_from("<I", data, at)[0]
def u64(data, at): return struct.unpack_from("<Q", data, at)[0]
def hash64(data, seed=0): return xxhash.xxh64_intdigest(data, seed)
def canonical(value): return cbor2.dumps(value, canonical=True)
def require(isRead, what):                                     # of a later version: touch nothing
    if not isRead: sys.exit(f"unsupportedFormat: {what}")

# CBOR as bytes: hashes are taken over what was read, not over what a library makes of it.
def head(data, at):                                            # type, argument, the content's start
    kind, low = data[at] >> 5, data[at] & 31
    size = 1 << low - 24 if low > 23 else 0
    return kind, int.from_bytes(data[at + 1:at + 1 + size], "big") if size else low, at + 1 + size
def end(data, at):                                             # where the item ends
    kind, count, at = head(data, at)
    if kind in (2, 3): return at + count
    for _ in range({4: count, 5: 2 * count, 6: 1}.get(kind, 0)): at = end(data, at)
    return at
def items(data, at=0, until=None):                             # items that follow each other
    while at < (len(data) if until is None else until):
        yield data[at:end(data, at)]
        at = end(data, at)
def content(data): return list(items(data, head(data, 0)[2]))  # of an array or a map
def fields(data, known=None):                                  # a map: name to encoded value
    parts = content(data)
    result = {cbor2.loads(key): value for key, value in zip(parts[::2], parts[1::2])}
    for key in result:
        require(known is None or key in known or key[:1] == "+", f"the key {key}")
    return result
def text(data):                                                # a later version may protect it
    require(data[0] >> 5 == 3, "a protected text")
    return cbor2.loads(data)
def opening(kind, count): return bytes([cbor2.dumps(count)[0] | kind << 5]) + cbor2.dumps(count)[1:]
def encoded(record):
    return opening(5, len(record)) + b"".join(key + record[key] for key in sorted(record))
# Hashes are taken over the hash form: protected values are cut to [key id, commitment].
PROTECTED = None                                               # their tag; none is assigned yet
def hash_form(data):
    kind, tag, at = head(data, 0)
    if PROTECTED is None or kind not in (4, 5, 6): return data
    parts = content(data)
    if kind != 6 or tag != PROTECTED: return data[:at] + b"".join(map(hash_form, parts))
    return data[:at] + opening(4, 2) + b"".join(content(parts[0])[:2])

EVENT = ("sequence time changes actor reason correlation causation occurredAt key tags intent "
         "schema").split()
CHANGE = "entity id before after cleared version formerVersion".split()

def files(store):                                              # the floor or None, the segments
    floor, found = None, []
    for path in sorted(pathlib.Path(store, "events").iterdir()):
        if not re.match(r"\d{20}\.", path.name): continue      # not the store's
        require(path.name[20:] in (".zst", ".open", ".tmp", ".floor"), path.name)
        if path.suffix != ".tmp": found.append(path)
    for path in found:                                         # the newest with a segment after it
        if path.suffix == ".floor" and any(other.name[:20] == path.name[:20] and other != path
                                           for other in found): floor = path
    return floor, [path for path in found if path.suffix != ".floor"
                   and (floor is None or path.name[:20] >= floor.name[:20])]

def header(path, data):
    start = 0 if path.suffix == ".open" else 8                 # in a skippable frame
    kind = 4 if path.suffix == ".floor" else 0
    fixed = data[start:start + 96]
    assert fixed[:8] == b"SKYLOG\r\n" and hash64(fixed[:88]) == u64(fixed, 88), path
    version, oldest, size = struct.unpack_from("<HHI", fixed, 8)
    require(version >= 2 >= oldest and not u32(fixed, 72) & ~4, f"{path.name} of {version}")
    assert u32(fixed, 72) == kind, path                        # a floor, and no segment
    require(size == 96 or 112 <= size <= 65536 and size % 8 == 0, f"a header of {size} bytes")
    more = data[start + 96:start + size]
    assert size == 96 or hash64(more[:-8]) == u64(more, size - 104), path
    return fixed, size

def frames(data):                                              # frames of CBOR, nothing else
    return zstandard.ZstdDecompressor().stream_reader(data, read_across_frames=True).read()

def batches(path, data, salt, at):
    if path.suffix == ".zst":
        yield from items(frames(data))
        return
    while data[at:at + 1] == b"\xb5" and hash64(data[at:at + 40], salt) == u64(data, at + 40):
        kind, flags, size = struct.unpack_from("<BHI", data, at + 1)
        require(kind < 0x80 and flags == 0, f"a block of kind {kind}, flags {flags}")
        payload = data[at + 48:at + 48 + size]
        if hash64(payload) != u64(data, at + 16): break        # torn: history ends here
        if kind == 1: yield payload                            # others are marks, or skipped
        at += (48 + size + 7) // 8 * 8

def apply(event, records):
    for key in "actor reason correlation causation key".split(): text(event.get(key, b"\x60"))
    for value in fields(event.get("tags", b"\xa0")).values(): text(value)
    fields(event.get("intent", b"\xa0"), "ids name value result version".split())
    for change in content(event["changes"]):
        change = fields(change, CHANGE)
        entity = records.setdefault(cbor2.loads(change["entity"]), {})
        if "cleared" in change: entity.clear(); continue
        before, after = (dict(zip(part[::2], part[1::2])) for part in
                         (content(change.get(key, b"\xa0")) for key in ("before", "after")))
        record = entity.pop(change["id"], {})
        if "after" not in change: continue
        entity[change["id"]] = {k: v for k, v in record.items() if k not in before} | after

def floor_records(data):                                       # what the events before it led to
    about, *rest = items(frames(data))
    about = fields(about)
    require(about["format"] == b"\x01", "a later floor")
    records = {}
    for entity, key, versions in map(content, rest):
        (kind, _, _, record, *_), = map(content, items(cbor2.loads(versions)))
        require(kind == b"\x04", "a record that was not kept")
        parts = content(record)
        records.setdefault(cbor2.loads(entity), {})[key] = dict(zip(parts[::2], parts[1::2]))
    assert digest(records) == cbor2.loads(about["digest"]), "the floor is damaged"
    return records

def fold(store):
    records, chain_hash, last = {}, None, 0
    floor, segments = files(store)
    if floor:
        data = floor.read_bytes()
        start, _ = header(floor, data)
        chain_hash, last = u64(start, 40), u64(start, 32) - 1
        records = floor_records(data)
    for path in segments:
        data = path.read_bytes()
        start, size = header(path, data)
        chain_hash = hash64(start[16:32]) if chain_hash is None else chain_hash
        assert chain_hash == u64(start, 40) or u64(start, 32) <= last, f"{path} does not continue"
        for batch in batches(path, data, u64(start, 56), size):
            event = fields(batch, EVENT)
            if cbor2.loads(event["sequence"]) <= last: continue  # a crash can leave a file twice
            last = cbor2.loads(event["sequence"])
            chain_hash = hash64(struct.pack("<QQ", chain_hash, hash64(hash_form(batch))))
            apply(event, records)
    return records

def digest(records):
    rows = [hash_form(opening(4, 3) + canonical(entity) + key + encoded(record))
            for entity, rows in records.items() for key, record in rows.items()]
    return "".join(f"{sum(hash64(row, seed) for row in rows) % 2**64:016x}" for seed in (0, 1))

def order(data):                                               # of ids, see "The order of ids"
    kind, value, at = head(data, 0)
    if kind < 2: return 0x10, -1 - value if kind else value
    if kind == 2: return 0x21, data[at:]
    if kind == 3: return 0x20, data[at:]
    if kind == 4: return 0x40, [order(item) for item in content(data)]
    if kind == 5: return 0x41, [order(item) for item in content(data)[1::2]]
    if kind == 7:                                              # null, a boolean, a float
        value = cbor2.loads(data)
        if not isinstance(value, float): return (None, False, True).index(value),
        return (0x10, value) if value == value else (0x11,)
    inner = order(data[at:])                                   # of a value under a tag
    if value in (2, 3) and inner[0] == 0x21:
        number = int.from_bytes(inner[1], "big") + value - 2
        if number < 2**128: return 0x10, -number if value == 3 else number
    if value == 37 and inner[0] == 0x21 and len(inner[1]) == 16: return 0x30, inner[1]
    if value == 0xDA7E and data[at] >> 5 != 6 and inner[0] in (0x10, 0x11):
        if inner[0] == 0x11: return 0x32,
        if float(inner[1]) == inner[1]: return 0x31, inner[1]
    return 0x42, value, inner

if __name__ == "__main__":
    records = fold(sys.argv[1])
    for entity in sorted(records):
        for key in sorted(records[entity], key=lambda key: (order(key), key)):
            print(entity, key.hex(), encoded(records[entity][key]).hex())
    print("digest", digest(records))
