"""Reads the log of a store from a PostgreSQL server: over the cursor of any driver (PEP 249).

    connection = psycopg.connect("postgresql://db1/shop")
    records, chain_hash, last = read_server.fold(connection.cursor())
"""
import struct, zstandard, cbor2
import read_log as log

def signed(number): return struct.unpack("<Q", struct.pack("<q", number))[0]

def batches(cursor, schema="skyros"):                # number, chain hash through it, bytes
    name = '"' + schema.replace('"', '""') + '"'
    cursor.execute(f"SELECT version, store FROM {name}.log")
    (version, store), = cursor.fetchall()
    log.require(version == 2, f"tables of version {version}")
    chain, next_number = log.hash64(bytes(store)), 1
    # Before the frames: meanwhile the writer may put rows into frames, and nothing the other way.
    cursor.execute(f"SELECT sequence, chain, event FROM {name}.event ORDER BY sequence")
    rows = cursor.fetchall()
    cursor.execute(f"SELECT first, last, chain_before, chain_after, zstd FROM {name}.frame "
                   "ORDER BY first")
    for first, last, before, after, frame in cursor.fetchall():
        content = zstandard.ZstdDecompressor().decompress(bytes(frame))
        parts = list(log.items(content))
        assert first == next_number and len(parts) == last - first + 1, f"frame {first}"
        assert chain == signed(before), f"frame {first} does not continue"
        for part in parts:
            chain = log.hash64(struct.pack("<QQ", chain, log.hash64(log.hash_form(part))))
            yield next_number, chain, part
            next_number += 1
        assert chain == signed(after), f"frame {first} is damaged"
    for number, stated, part in rows:
        if number < next_number: continue
        part = bytes(part)
        chain = log.hash64(struct.pack("<QQ", chain, log.hash64(log.hash_form(part))))
        assert number == next_number, f"event {next_number} is missing"
        assert chain == signed(stated), f"event {number} does not continue"
        yield number, chain, part
        next_number += 1

def fold(cursor, schema="skyros"):                   # records, chain hash, last number
    records, chain, last = {}, None, 0
    for last, chain, part in batches(cursor, schema):
        event = log.fields(part, log.EVENT)
        assert cbor2.loads(event["sequence"]) == last
        log.apply(event, records)
    return records, chain, last
