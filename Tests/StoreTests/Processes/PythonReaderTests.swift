import Foundation
import SkyrosDisk
import TestSupport
import Testing

@testable import Skyros
@testable import SkyrosLog

/// An entity with a field of every type that the format encodes in its own way.
private struct Everything: Entity, Equatable {
    enum Shape: Codable, Equatable {
        case circle(radius: Double)
        case point
    }

    var id: Int
    var flag = true
    var small: Int8 = -7
    var large = UInt64.max
    var huge = Int128.max
    var ratio = 0.1
    var third: Float = 0.333
    var text = "Grüße, \u{1F30D}"
    var nothing: String?
    var uuid = UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))
    var date = Date(timeIntervalSinceReferenceDate: 123_456.789)
    var data = Data([0, 255, 10])
    var url = URL(string: "https://example.org/a?b=c")
    var price = Decimal(string: "12345.6789")
    var list = [3, 1, 2]
    var set: Set<String> = ["b", "a", "c"]
    var map = ["x": 1, "long key": 2, "y": 3]
    var numbers = [1: "one", 2: "two"]
    var shape = Shape.circle(radius: 1.5)
    var shapes: [Shape] = [.point, .circle(radius: -0.0)]
}

/// An entity whose ids are of all kinds.
private struct Odd: Entity {
    enum ID: Codable, Hashable {
        case none
        case bool(Bool)
        case int(Int)
        case double(Double)
        case text(String)
        case bytes(Data)
        case uuid(UUID)
        case date(Date)
        case url(URL)
        case decimal(Decimal)
        case list([ID])
        case map([String: ID])

        private var content: any Encodable {
            switch self {
            case .none: Int?.none
            case .bool(let value): value
            case .int(let value): value
            case .double(let value): value
            case .text(let value): value
            case .bytes(let value): value
            case .uuid(let value): value
            case .date(let value): value
            case .url(let value): value
            case .decimal(let value): value
            case .list(let values): values
            case .map(let values): values
            }
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(content)
        }

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            func read<T: Decodable>(_ make: (T) -> ID) -> ID? {
                (try? container.decode(T.self)).map(make)
            }
            self =
                try container.decodeNil()
                ? .none
                : read(ID.bool) ?? read(ID.int) ?? read(ID.double) ?? read(ID.text)
                    ?? read(ID.bytes) ?? read(ID.uuid) ?? read(ID.date) ?? read(ID.url)
                    ?? read(ID.list) ?? read(ID.map) ?? .decimal(container.decode(Decimal.self))
        }
    }

    static let ids: [ID] = [
        .none, .bool(true), .bool(false), .int(1), .double(1.5), .int(-1), .int(1_000), .int(0),
        .double(-0.0), .double(-.infinity), .int(.max), .double(9.3e18), .text("b"), .text("aa"),
        .text(""), .text("e\u{301}"), .text("\u{E9}"), .text("\u{10000}"), .text("\u{FFFF}"),
        .text(String(repeating: "a", count: 40)), .bytes(Data([2])), .bytes(Data([1, 1])),
        .uuid(UUID()), .uuid(UUID()), .date(Date(timeIntervalSinceReferenceDate: -1)),
        .date(Date(timeIntervalSinceReferenceDate: 0.5)), .list([]), .list([.int(2)]),
        .list([.int(1), .text("b")]), .list([.int(1), .text("aa")]), .list([.list([.int(0)])]),
        .map([:]), .map(["a": .int(2)]), .map(["b": .int(1)]),
        .map(["a": .int(1), "b": .int(0)]), .map(["zz": .int(1), "b": .int(1)]),
        .url(URL(fileURLWithPath: "/b")), .url(URL(fileURLWithPath: "/aa")),
        .decimal(Decimal(string: "-1.25") ?? 0), .decimal(Decimal(string: "12") ?? 0),
    ]

    var id: ID
}

@Suite struct `A reader in another language` {
    private let directory: TemporaryDirectory
    private let store: Store

    init() throws {
        directory = try TemporaryDirectory()
        var options = Store.Options()
        options.segmentBytesMax = 16 << 10
        store = try Store(
            at: directory.store, entities: Everything.self, Note.self, options: options)
        for id in 0..<60 {
            try store.write(
                by: "writer \(id % 3)", because: "step", metadata: Metadata(tags: ["n": "\(id)"])
            ) { tx in
                try tx.insert(Everything(id: id))
                try tx.insert(Note(id: id, text: "note \(id)"))
                for (older, text) in [(id - 10, "something"), (id - 20, nil)]
                where try tx.exists(Everything.self, older) {
                    try tx.update(Everything.self, older) { $0.nothing = text }
                }
                if id % 4 == 3 { try tx.delete(Everything.self, id / 2) }
            }
        }
        try store.write(by: "cleaner") { try $0.deleteAll(Note.self) }
        try store.write { try $0.insert(Note(id: 1_000, text: "last")) }
    }

    private func segments(_ suffix: String) throws -> [URL] {
        try FileManager.default.contentsOfDirectory(
            at: directory.store.appending(path: "events"), includingPropertiesForKeys: nil
        ).filter { $0.pathExtension == suffix }.sorted { $0.path < $1.path }
    }

    /// The output of docs/read_log.py.
    private func read(_ url: URL? = nil) throws -> [String] {
        let python = Repository.root.appending(path: ".build/python/bin/python3").path
        let reader = Repository.root.appending(path: "docs/read_log.py").path
        return try Shell.lines(python, reader, (url ?? directory.store).path)
    }

    private func expected(_ state: Snapshot) throws -> [String] {
        var lines: [String] = []
        for entity in state.entities {
            for record in try state.records(entity) {
                let id = hex(record.id.bytes.array)
                lines.append("\(entity) \(id) \(hex(record.fields.bytes))")
            }
        }
        return lines + ["digest \(try state.digest())"]
    }

    @Test func `folds the log to the same records and the same digest (F64)`() throws {
        try store.writeWithReceipt(durability: .durable) {
            try $0.insert(Note(id: 1_001, text: "durable"))
        }
        #expect(try read() == expected(store.snapshot))
        let digest = try store.snapshot.digest()
        try store.close()
        #expect(try !segments("zst").isEmpty)
        #expect(try segments("open").count == 1)
        let archive = try Archive(at: directory.store)
        #expect(try read() == expected(archive.snapshot()))
        #expect(try archive.snapshot().digest() == digest)
    }

    @Test func `gives records in the order of their ids, of whatever kind (F67)`() throws {
        let other = try TemporaryDirectory()
        let odd = try Store(at: other.store, entities: Odd.self)
        try odd.write { try $0.insert(Odd.ids.map { Odd(id: $0) }) }
        let expected = try expected(odd.snapshot)
        #expect(try read(other.store) == expected)
        #expect(expected.count == Odd.ids.count + 1)
        try odd.close()
    }

    @Test func `orders ids beyond 128 bits and under any tag as the library does (F67)`() throws {
        let long = FieldValue.bytes(Data([1] + [UInt8](repeating: 0, count: 16)))
        let full = FieldValue.bytes(Data(repeating: 0xFF, count: 16))
        let values: [FieldValue] = [
            .null, true, false, 1, .double(1), .double(.nan), .double(-.infinity), "1", [], [[1]],
            .integer(.max), .integer(.min), .integer(-1), .tagged(2, full), .tagged(3, full),
            .tagged(2, long), .tagged(3, long), .tagged(0, "x"), .tagged(1, 5), .tagged(100, 3),
            .tagged(4, [1, 2]), .tagged(4, [1]), .tagged(32, "a:b"), .tagged(37, "x"),
            .tagged(55_934, 5), .tagged(55_934, "x"), .tagged(1_000, 1), .date(.distantPast),
            .date(Date(timeIntervalSinceReferenceDate: .nan)), .bytes(Data([7])), ["a": 1],
            .uuid(UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 9))), ["b": 0],
        ]
        let ids = try values.map { try RecordID($0) }
        let code = """
            import sys; sys.path.insert(0, sys.argv[1]); import read_log
            ids = map(bytes.fromhex, sys.argv[2:])
            for key in sorted(ids, key=lambda key: (read_log.order(key), key)): print(key.hex())
            """
        let python = Repository.root.appending(path: ".build/python/bin/python3").path
        let docs = Repository.root.appending(path: "docs").path
        let output = try Shell.run(
            [python, "-c", code, docs] + ids.reversed().map { hex($0.bytes.array) })
        let lines = String(decoding: output, as: UTF8.self).split(separator: "\n").map(String.init)
        #expect(lines == ids.sorted().map { hex($0.bytes.array) })
    }

    @Test func `agrees with the tool`() throws {
        try store.close()
        let tool = try Program("skyros")
        let lines = try read()
        let replayed = try tool.run("replay", directory.store.path, "--json").output
        let digest = try #require(try FieldValue(json: replayed)["digest"]?.text)
        #expect(lines.last == "digest \(digest)")
        for entity in ["Everything", "Note"] {
            let shown = try tool.run("show", directory.store.path, entity, "--json").output
            let records = try lines.filter { $0.hasPrefix(entity + " ") }.map { line in
                let fields = bytes(String(line.split(separator: " ")[2]))
                return try Fields(canonical: fields).value
            }
            let found = try shown.split(separator: "\n").map {
                try FieldValue(json: String($0))["record"]
            }
            #expect(try found == records.map { try FieldValue(json: $0.jsonText()) })
            #expect(!found.isEmpty)
        }
    }

    @Test func `reads a log that was pruned, whatever is left below its floor`() throws {
        try store.close()
        // The next opening seals what was not sealed in time.
        try Store(at: directory.store, entities: Everything.self, Note.self).close()
        let expected = try expected(Archive(at: directory.store).snapshot())
        let before = try directory.contents()
        let disk = try PosixDisk(path: directory.store.path, creating: false)
        let first = try FileLog.prune(on: disk)
        #expect(first > 1 && first < 62)
        #expect(try read() == expected)
        let left = try directory.contents()
        let removed = before.filter { $0.key.contains("/events/") && left[$0.key] == nil }
        #expect(!removed.isEmpty)
        for (path, bytes) in removed {
            try bytes.write(to: directory.url.appending(path: path))
            #expect(try read() == expected)
        }
        // The log continues after it.
        let again = try Store(at: directory.store, entities: Everything.self, Note.self)
        try again.write { try $0.upsert(Note(id: 5, text: "later")) }
        try again.close()
        #expect(try read() == self.expected(Archive(at: directory.store).snapshot()))
        // Without a segment of its number, a floor is none.
        let floor = try #require(segments("floor").first)
        for number in ["00000000000000000002", "00000000000000099999"] {
            let copy = floor.deletingLastPathComponent().appending(path: "\(number).floor")
            try FileManager.default.copyItem(at: floor, to: copy)
        }
        #expect(try read() == self.expected(again.snapshot))
    }

    @Test func `reads the events of a merged segment once beside its sources (F73)`() throws {
        let other = try TemporaryDirectory()
        var options = Store.Options()
        options.segmentBytesMax = 900
        let first = try Store(at: other.store, entities: Note.self, options: options)
        for id in 0..<150 {
            try first.write { try $0.insert(Note(id: id, text: "note \(id) of many")) }
        }
        try first.close()
        let sources = try other.contents().filter { $0.key.hasSuffix(".zst") }
        options.segmentBytesMax = 1 << 20
        options.sealThresholdBytes = 300
        let second = try Store(at: other.store, entities: Note.self, options: options)
        for _ in 0..<20 { try second.run(.merge) }
        let expected = try expected(second.snapshot)
        try second.close()
        let merged = try other.contents()
        let left = sources.filter { merged[$0.key] == nil }
        #expect(left.count > 10)
        #expect(try read(other.store) == expected)
        // A power cut may undo the removal of sources.
        for (path, bytes) in left { try bytes.write(to: other.url.appending(path: path)) }
        #expect(try read(other.store) == expected)
        #expect(try Archive(at: other.store).verify().ok)
        try Store(at: other.store, entities: Note.self).close()
        #expect(try other.contents().keys.sorted() == merged.keys.sorted())
        #expect(try read(other.store) == expected)
    }

    @Test func `reads the events of a sealed segment once beside its open file (F73)`() throws {
        try store.close()
        let expected = try expected(Archive(at: directory.store).snapshot())
        let sealed = try #require(segments("zst").first)
        let open = sealed.deletingPathExtension().appendingPathExtension("open")
        // A crash while sealing can leave both, and a restored open file may be shorter.
        let whole = try openForm(of: sealed)
        for count in [whole.count, whole.count / 2] {
            try whole.prefix(count).write(to: open)
            #expect(try read() == expected)
        }
    }

    /// The open segment from which a sealed one was made: its header, and its events in blocks.
    private func openForm(of sealed: URL) throws -> Data {
        let file = [UInt8](try Data(contentsOf: sealed))
        let header = try SegmentHeader(
            Array(file[8..<104]), in: #require(SegmentName(sealed.lastPathComponent)))
        var bytes = header.bytes
        var (sequence, chainHash) = (header.firstSequence, header.chainHashBefore)
        let content = [UInt8](try Shell.run(["zstd", "-dcq", sealed.path]))
        var offset = 0
        while offset < content.count {
            try content[offset...].withUnsafeBytes { rest in
                let size = try #require(EventCoding.byteCount(of: rest))
                let payload = UnsafeRawBufferPointer(rebasing: rest[..<size])
                let hash = XXH64.hash(payload)
                chainHash = chainHash.advanced(by: hash)
                let block = Block(
                    .batch, payload: payload, payloadHash: hash, sequence: sequence,
                    chainHash: chainHash,
                    durableByteCount: 0)
                block.append(to: &bytes, payload: payload, salt: header.salt)
                sequence += 1
                offset += size
            }
        }
        return Data(bytes)
    }

    @Test func `equals the source in the description of the format`() throws {
        let docs = Repository.root.appending(path: "docs")
        let page = try String(contentsOf: docs.appending(path: "log-format.md"), encoding: .utf8)
        let reader = try String(contentsOf: docs.appending(path: "read_log.py"), encoding: .utf8)
        #expect(page.contains("```python\n\(reader)```"))
    }

    @Test func `finds the same in the checkpoint by SQL`() throws {
        try store.close()
        let state = try Archive(at: directory.store).snapshot()
        let file = directory.store.appending(path: "checkpoint.sqlite").path
        let sql = "SELECT id, small, ratio, text, uuid, \"nothing\" FROM Everything ORDER BY id"
        let rows = try Shell.lines("sqlite3", "-readonly", file, sql)
        let values = try state.all(Everything.self, sortedBy: \.id)
        #expect(
            rows
                == values.map { value in
                    let uuid = value.uuid.uuidString.lowercased()
                    return "\(value.id)|\(value.small)|\(value.ratio)|\(value.text)|\(uuid)|"
                        + (value.nothing ?? "")
                })
        #expect(values.count == rows.count)
        let notes = try Shell.lines("sqlite3", "-readonly", file, "SELECT id, text FROM Note")
        #expect(try notes == state.all(Note.self, sortedBy: \.id).map { "\($0.id)|\($0.text)" })
    }

    @Test func `gets the same events from zstd`() throws {
        try store.close()
        var bytes = Data()
        for segment in try segments("zst") {
            _ = try Shell.lines("zstd", "-q", "-t", segment.path)
            bytes += try Shell.run(["zstd", "-q", "-dc", segment.path])
        }
        let archive = try Archive(at: directory.store)
        var rest = [UInt8](bytes)[...]
        var count: UInt64 = 0
        var events = archive.events().makeIterator()
        while !rest.isEmpty, let event = try events.next() {
            var writer = CBORWriter()
            try EventCoding.append(event, to: &writer)
            #expect(rest.starts(with: writer.array))
            rest = rest.dropFirst(writer.array.count)
            count += 1
        }
        #expect(rest.isEmpty)
        #expect(count > 10)
    }
}
