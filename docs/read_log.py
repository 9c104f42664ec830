import json, pathlib, struct, sys, cbor2, xxhash, zstandard

def u64(data, at): return struct.unpack_from("<Q", data, at)[0]
def hash64(data, seed=0): return xxhash.xxh64_intdigest(data, seed)
def canonical(value): return cbor2.dumps(value, canonical=True)

def batches(path, data):
    if path.suffix == ".zst":                                  # frames of CBOR, nothing else
        text = zstandard.ZstdDecompressor().stream_reader(data, read_across_frames=True).read()
        for event in cbor2_sequence(text): yield canonical(event)
        return
    at = 96                                                    # blocks after the header
    salt = u64(data, 56)
    while data[at:at + 1] == b"\xb5" and hash64(data[at:at + 40], salt) == u64(data, at + 40):
        kind, size = data[at + 1], struct.unpack_from("<I", data, at + 4)[0]
        payload = data[at + 48:at + 48 + size]
        if hash64(payload) != u64(data, at + 16): break        # torn: history ends here
        if kind == 1: yield payload
        at += (48 + size + 7) // 8 * 8

def cbor2_sequence(text):
    import io
    stream = io.BytesIO(text)
    while stream.tell() < len(text): yield cbor2.load(stream)

def fold(store):
    records, chain_hash = {}, None
    for path in sorted(pathlib.Path(store, "events").glob("*.[zo]*")):
        if path.suffix == ".zst" and path.with_suffix(".open").exists(): continue   # made again
        data = path.read_bytes()
        header = data[8:104] if path.suffix == ".zst" else data[:96]
        assert header[:8] == b"SKYLOG\r\n" and hash64(header[:88]) == u64(header, 88), path
        chain_hash = hash64(header[16:32]) if chain_hash is None else chain_hash
        assert chain_hash == u64(header, 40), f"{path} does not continue its predecessor"
        for batch in batches(path, data):
            chain_hash = hash64(struct.pack("<QQ", chain_hash, hash64(batch)))
            for change in cbor2.loads(batch)["changes"]:
                entity = records.setdefault(change["entity"], {})
                if "cleared" in change: entity.clear(); continue
                key = canonical(change["id"])
                before, after = change.get("before", {}), change.get("after")
                if after is None: del entity[key]; continue
                record = entity.get(key, {})
                entity[key] = {k: v for k, v in record.items() if k not in before} | after
    return records

def digest(records):
    rows = [canonical([entity, cbor2.loads(key), record])
            for entity, rows in records.items() for key, record in rows.items()]
    return "".join(f"{sum(hash64(row, seed) for row in rows) % 2**64:016x}" for seed in (0, 1))

if __name__ == "__main__":
    records = fold(sys.argv[1])
    for entity in sorted(records):
        for key in sorted(records[entity]):
            print(entity, key.hex(), canonical(records[entity][key]).hex())
    print("digest", digest(records))
