"""Writes the golden stores of a foreign writer, from docs/log-format.md alone.

    .build/python/bin/python3 Tests/Golden/write.py DIRECTORY

`foreign` has every feature of the format. Each other store is a beginning of it with one part that
a later version may write; docs/testing.md has the table. The bytes are the same in every run,
except those of zstd.
"""

import decimal
import pathlib
import sqlite3
import struct
import sys
import uuid

import cbor2
import xxhash
import zstandard

STORE = bytes(range(0x10, 0x20))
OTHER = bytes(range(0x30, 0x40))
BOOT = "00000000-0000-4000-8000-000000000000"
RESERVED = 55_935


def hash64(data, seed=0):
    return xxhash.xxh64_intdigest(data, seed)


def cbor(value):
    return cbor2.dumps(value, canonical=True)


def skippable(magic, content):
    return struct.pack("<II", magic, len(content)) + content


class Log:
    """The end of a log, and the files that lead to it."""

    def __init__(self, store=STORE):
        self.store, self.files = store, {}
        self.sequence, self.time, self.chain = 0, 0, hash64(store)

    def header(self, salt, version=2, oldest=2, required=0, optional=0, family=0, extension=b"",
               size=None):
        total = 96 + (len(extension) + 8 if extension else 0)
        data = b"SKYLOG\r\n" + struct.pack("<HHI", version, oldest, size or total) + self.store
        data += struct.pack("<QQqQQIIQ", self.sequence + 1, self.chain, self.time, salt, 1 << 27,
                            required, optional, family)
        data += struct.pack("<Q", hash64(data))
        if extension:
            data += extension + struct.pack("<Q", hash64(extension))
        return data

    def advance(self, event):
        """Takes the next event; returns its bytes."""
        self.sequence += 1
        self.time = 1_700_000_000_000_000 + self.sequence
        whole = {"sequence": self.sequence, "time": self.time, "changes": [], **event}
        data = cbor(whole)
        self.chain = hash64(struct.pack("<QQ", self.chain, hash64(data)))
        return data

    def block(self, kind, payload, salt, durable, flags=0):
        head = struct.pack("<BBHIQQQQ", 0xB5, kind, flags, len(payload), self.sequence,
                           hash64(payload), self.chain, durable)
        data = head + struct.pack("<Q", hash64(head, salt)) + payload
        return data + bytes(-len(data) % 8)

    def open(self, events, extra=(), closes=True, zeros=0, boot=None, **header):
        """An open segment: its events, blocks of (kind, flags), and a closing mark."""
        salt = 1_000 + self.sequence
        name = f"{self.sequence + 1:020}.open"
        data = self.header(salt, **header)
        data += self.block(2, cbor(boot or {"boot": BOOT}), salt, 0)
        for event in events:
            data += self.block(1, self.advance(event), salt, 0)
        for kind, flags in extra:
            data += self.block(kind, b"later", salt, len(data), flags)
        if closes:
            data += self.block(4, b"", salt, len(data))
        self.files[f"events/{name}"] = data + bytes(zeros)
        return self

    def sealed(self, events, between=(), more=b"", frame=2, **header):
        """A sealed segment with `frame` events in each frame."""
        salt = 1_000 + self.sequence
        name = f"{self.sequence + 1:020}.zst"
        first = self.sequence + 1
        frames = [(skippable(0x184D2A50, self.header(salt, **header)), b"")]
        index = []
        for at in range(0, len(events), frame):
            index.append((self.sequence + 1, self.chain))
            content = b"".join(self.advance(event) for event in events[at:at + frame])
            compressor = zstandard.ZstdCompressor(write_checksum=True)
            frames.append((compressor.compress(content), content))
            frames += [(skippable(magic, b"later"), b"") for magic in between]
        count = self.sequence - first + 1
        data = struct.pack("<QQqII", count, self.chain, self.time, len(index), 0)
        data += b"".join(struct.pack("<QQ", *entry) for entry in index) + more
        frames.append((skippable(0x184D2A51, data + struct.pack("<Q", hash64(data))), b""))
        table = b"".join(
            struct.pack("<III", len(whole), len(content), hash64(content) & 0xFFFFFFFF)
            for whole, content in frames)
        table += struct.pack("<IBI", len(frames), 0x80, 0x8F92EAB1)
        data = b"".join(whole for whole, _ in frames) + skippable(0x184D2A5E, table)
        self.files[f"events/{name}"] = data
        return self

    def file(self, path, data=b"later"):
        self.files[path] = data
        return self


def insertion(number, **more):
    record = {"id": number, "text": f"item {number}"}
    return {"entity": "Item", "id": number, "after": record, **more}


def update(number, before, after):
    return {"entity": "Item", "id": number, "before": {"text": before}, "after": {"text": after}}


def of(*changes, **more):
    return {"changes": list(changes), **more}


EVERYTHING = {
    "id": uuid.UUID(bytes=bytes(range(16))), "flag": True, "none": None, "small": -7,
    "huge": 2**127 - 1, "least": -(2**127), "ratio": 0.1, "half": 1.5, "text": "Grüße, \U0001F30D",
    "bytes": b"\x00\xff", "date": cbor2.CBORTag(55_934, 123_456.789), "list": [3, [1, {}], 2],
    "url": cbor2.CBORTag(32, "https://example.org/a?b=c"), "map": {"b": 1, "aa": {"c": [None]}},
    "price": decimal.Decimal("12.5"), "$odd key": "", "_underscore": 1,
}

BEGINNING = [
    of(insertion(1), insertion(2)),
    of({"entity": "Everything", "id": EVERYTHING["id"], "after": EVERYTHING},
       actor="alice", reason="first", correlation="c", causation="e",
       occurredAt=-1, tags={"b": "1", "aa": "2"},
       intent={"name": "Add", "value": {"count": 2}}),
    of(update(1, "item 1", "changed"), update(2, "item 2", "item 1")),
]
# The first event, from a write with an idempotency key.
BEGUN_ONCE = {**BEGINNING[0], "key": "request 1", "intent": {"name": "Begin", "value": [1, "é"]}}
MIDDLE = [
    of({"entity": "Item", "id": 1, "before": {"id": 1, "text": "changed"}}, insertion(3)),
    of({"entity": "Item", "id": 3, "before": {"text": "item 3"}, "after": {"note": "added"}}),
]
END = [
    of({"entity": "Item", "cleared": 2}, insertion(4), insertion(5)),
    of(intent={"name": "Nothing", "value": None, "version": 2, "result": [1, None],
               "ids": bytes(range(32))}),
]


def foreign():
    return Log().sealed(BEGINNING).sealed(MIDDLE, frame=1).open(END, zeros=4_096)


def short(**header):
    return Log().open(BEGINNING, **header)


def with_event(event):
    return Log().open(BEGINNING + [event, of(insertion(9))])


def successor():
    log = Log().sealed(BEGINNING)
    log.store = OTHER
    return log.open(MIDDLE)


def newer_checkpoint(version):
    connection = sqlite3.connect(":memory:")
    connection.executescript(f"""PRAGMA application_id=1399552370; PRAGMA user_version={version};
                                 CREATE TABLE later(x);""")
    return connection.serialize()


def signed(number):
    return struct.unpack("<q", struct.pack("<Q", number))[0]


def checkpoint(log, kind="text", declared="TEXT"):
    """The checkpoint of a log whose only event is BEGUN_ONCE."""
    connection = sqlite3.connect(":memory:")
    for sql in ("PRAGMA page_size=4096", "PRAGMA application_id=1399552370",
                "PRAGMA user_version=7",
                "CREATE TABLE _skyros(number INTEGER PRIMARY KEY, format INTEGER, store TEXT, "
                "sequence INTEGER, chain TEXT, time INTEGER, digest TEXT, schema BLOB, "
                "key_count INTEGER, key_content TEXT, keys_after INTEGER, "
                "keys_after_time INTEGER, projection_count INTEGER, "
                "projection_content TEXT, seal TEXT)",
                "CREATE TABLE _skyros_entities(number INTEGER PRIMARY KEY, entity TEXT, "
                "table_name TEXT, row_count INTEGER, digest TEXT, content TEXT, indexes TEXT)",
                "CREATE TABLE _skyros_columns(number INTEGER PRIMARY KEY, entity TEXT, "
                "field TEXT, column_name TEXT, kind TEXT)",
                "CREATE TABLE _skyros_keys(sequence INTEGER PRIMARY KEY, time INTEGER, "
                "key TEXT, intent INTEGER)",
                "CREATE TABLE _skyros_projections(number INTEGER PRIMARY KEY, name TEXT, "
                "version INTEGER, sequence INTEGER, value BLOB, failure_kind INTEGER, "
                "failed_at INTEGER, failure TEXT, sum INTEGER)",
                'CREATE TABLE "Item"(_row INTEGER PRIMARY KEY, _sequence INTEGER, '
                '_version INTEGER, _sum INTEGER, '
                f'_id BLOB, _record BLOB, "id" INTEGER, "text" {declared})'):
        connection.execute(sql)
    sums, content = [0, 0], 0
    for number in (1, 2):
        record = {"id": number, "text": f"item {number}"}
        hashes = [hash64(cbor(["Item", number, record]), seed) for seed in (0, 1)]
        sums = [(sum + hash) % 2**64 for sum, hash in zip(sums, hashes)]
        content += hash64(struct.pack("<QQQQ", hashes[0], number, 1, 1))
        connection.execute(
            "INSERT INTO Item VALUES (?, 1, 1, ?, NULL, ?, ?, ?)",
            (number, signed(hashes[0]), cbor(record), number,
             record["text"] if kind == "text" else None))
    event, time = BEGUN_ONCE, log.time
    intent = hash64(cbor([event["intent"]["name"], event["intent"]["value"]]))
    keys = hash64(cbor([1, time, event["key"], intent]))
    connection.execute("INSERT INTO _skyros_keys VALUES (1, ?, ?, ?)",
                       (time, event["key"], signed(intent)))
    # No type of the tests has this projection: its row is kept.
    projection = hash64(cbor(["Other", 3, 1, b"\xa0", None, None, None]))
    connection.execute("INSERT INTO _skyros_projections VALUES "
                       "(1, 'Other', 3, 1, ?, NULL, NULL, NULL, ?)",
                       (b"\xa0", signed(projection)))
    digest, content = f"{sums[0]:016x}{sums[1]:016x}", content % 2**64
    columns = [["id", "id", "integer"], ["text", "text", kind]]
    indexes = '[["text"]]'
    schemas = cbor({})
    seal = hash64(cbor([7, log.store, log.sequence, log.chain, log.time, digest, schemas,
                        [1, keys, 0, 0], [1, projection],
                        [["Item", "Item", 2, digest, content, columns, indexes]]]))
    for number, column in enumerate(columns, 1):
        connection.execute("INSERT INTO _skyros_columns VALUES (?, 'Item', ?, ?, ?)",
                           (number, *column))
    connection.execute("INSERT INTO _skyros_entities VALUES (1, 'Item', 'Item', 2, ?, ?, ?)",
                       (digest, f"{content:016x}", indexes))
    connection.execute("INSERT INTO _skyros VALUES "
                       "(1, 7, ?, ?, ?, ?, ?, ?, 1, ?, 0, 0, 1, ?, ?)",
                       (log.store.hex(), log.sequence, f"{log.chain:016x}", log.time, digest,
                        schemas, f"{keys:016x}", f"{projection:016x}",
                        f"{seal:016x}"))
    connection.commit()
    return log.file("checkpoint.sqlite", connection.serialize())


def reserved_names():
    log = short().file("shared.sqlite")
    for name in ("tree", "history", "inbox", "forks"):
        log.file(f"{name}/later")
    return log


def protected(number=1):
    return cbor2.CBORTag(RESERVED, [number, b"commitment", b"ciphertext"])


def dish(number, **record):
    return {"entity": "Dish", "id": number, "after": record}


CHEF = {"name": "Eleni", "since": 1999}


def shape_older():
    """Records before there was a price."""
    return Log().open([
        of(dish(1, id=1, name="Soup"), dish(2, id=2, name="Bread", price=2, note=None)),
        of(dish(3, id=3, name="Fish", price=20)),
    ])


def shape_newer():
    """Records with fields that today's type does not know."""
    return Log().open([
        of(dish(1, id=1, name="Soup", price=5, chef=CHEF, allergens=["celery"]),
           dish(2, id=2, name="Bread", price=2, note="warm", x=None, chef=CHEF)),
    ])


def shape_other():
    """Records with values of other kinds, and with other ids than the rows'."""
    return Log().open([
        of(dish(1, id=1, name=5, price="12"), dish(2, id=2, name="Bread", price=2),
           dish(3, id=7, name="Fish", price=20), dish(4, name="Cake", price=4),
           dish(5, id=5, name="Gold", price=2**70)),
    ])


def names_by_bytes():
    """Names that differ by Unicode normalisation only."""
    one, two = "Caf\u00e9", "Cafe\u0301"
    first, second = "t\u00e9", "te\u0301"
    return Log().open([
        of({"entity": one, "id": 1, "after": {"id": 1, first: 1, second: 2}},
           {"entity": two, "id": 1, "after": {"id": 1, first: 3}},
           {"entity": two, "id": 2, "after": {"id": 2, "map": {first: 1, second: 2}}},
           tags={first: "1", second: "2"}),
        of({"entity": one, "id": 1, "before": {second: 2}, "after": {second: 4}}),
        of({"entity": one, "cleared": 1}, {"entity": one, "id": 3, "after": {"id": 3, second: 5}}),
    ])


def evolved():
    """Records of two shapes, and what the log says of them."""
    steps = [["rename", "name", "title"], ["retype", "price", "integerToText"]]
    more = {"version": 2, "steps": {"2": steps}, "fields": {"title": "text"}, "later": [1]}
    return Log().open([
        of(dish(1, id=1, name="Soup", price=5), dish(2, id=2, name="Bread", price=2)),
        of({"entity": "Dish", "id": 1, "before": {"name": "Soup", "price": 5},
            "after": {"title": "Hot soup", "price": "5"}, "version": 2, "formerVersion": 1,
            "+evolved": ["name", "price"]},
           dish(3, id=3, title="Fish", price="20") | {"version": 2}, schema={"Dish": more}),
        of(dish(4, id=4, name="Cake", price=4)),
        of({"entity": "Dish", "id": 3, "before": {"id": 3, "title": "Fish", "price": "20"},
            "version": 2}),
    ])


STORES = {
    "foreign": foreign,
    "shape-older": shape_older,
    "shape-newer": shape_newer,
    "shape-other": shape_other,
    "names-by-bytes": names_by_bytes,
    "event-schema": evolved,
    "header-longer": lambda: short(extension=b"extended" * 4),
    "header-optional-feature": lambda: short(optional=1 << 31),
    "header-family": lambda: short(family=77),
    "header-minor-version": lambda: short(version=3),
    "block-skipped": lambda: short(extra=[(0x40, 0)]),
    "opening-more-keys": lambda: short(boot={"boot": BOOT, "a": [1, {"b": None}]}),
    "sealed-header-longer": lambda: Log().sealed(BEGINNING, extension=b"extended").open(MIDDLE),
    "sealed-further-frames":
        lambda: Log().sealed(BEGINNING, between=range(0x184D2A52, 0x184D2A55)).open(MIDDLE),
    "sealed-index-longer": lambda: Log().sealed(BEGINNING, more=bytes(24)).open(MIDDLE),
    "successor-of-another-store": successor,
    "event-plus-keys": lambda: with_event(of(
        insertion(8, **{"+operations": [1], "+evolved": ["text"]}),
        intent={"name": "Add", "value": 1, "+more": 2},
        **{key: "later" for key in ("+origin", "+asked", "+stamp", "+after", "+conflicts",
                                    "+resolves", "+adopted")})),
    "value-reserved-tag": lambda: with_event(of(
        {"entity": "Item", "id": 8, "after": {"id": 8, "secret": protected()}},
        intent={"name": "Add", "value": protected(2)})),
    "names-reserved": reserved_names,
    "event-idempotency-key": lambda: with_event(of(insertion(8), key="request 1")),
    "checkpoint-foreign": lambda: checkpoint(Log().open([BEGUN_ONCE])),
    "checkpoint-kind": lambda: checkpoint(Log().open([BEGUN_ONCE]), "protected", "BLOB"),
    "names-of-others": lambda: short().file("events/notes.txt").file("notes.txt"),
    "format-newer": lambda: short(version=3, oldest=3),
    "format-older": lambda: short(version=1, oldest=1),
    "header-unknown-size": lambda: short(size=104),
    "block-required": lambda: short(extra=[(0x80, 0)]),
    "checkpoint-newer": lambda: short().file("checkpoint.sqlite", newer_checkpoint(8)),
    **{f"header-feature-{name}": lambda bit=bit: short(required=1 << bit)
       for bit, name in ((0, "protected"), (1, "encrypted"), (3, "tree"))},
    **{f"block-flag-{name}": lambda flag=flag: short(extra=[(1, flag)])
       for flag, name in ((1, "boxed"), (2, "protected"))},
    **{f"file-{suffix.replace('.', '-')}":
       lambda suffix=suffix: short().file(f"events/{1:020}.{suffix}")
       for suffix in ("zst.age", "floor.age")},
    **{f"event-key-{key}": lambda key=key: with_event(of(insertion(8), **{key: 1}))
       for key in ("erase", "tree", "floor")},
    "change-key": lambda: with_event(of(insertion(8, later=1))),
    "intent-key": lambda: with_event(of(intent={"name": "Add", "value": 1, "later": 1})),
    "actor-protected": lambda: with_event(of(insertion(8), actor=protected())),
    "tag-protected": lambda: with_event(of(insertion(8), tags={"a": protected()})),
}

if __name__ == "__main__":
    for name, make in STORES.items():
        for path, data in make().files.items():
            file = pathlib.Path(sys.argv[1], name, path)
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(data)
