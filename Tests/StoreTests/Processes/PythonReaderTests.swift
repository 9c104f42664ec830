import Foundation
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
    private func read() throws -> [String] {
        let python = Repository.root.appending(path: ".build/python/bin/python3").path
        let reader = Repository.root.appending(path: "docs/read_log.py").path
        return try Shell.lines(python, reader, directory.store.path)
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

    @Test func `ignores a sealed segment whose open form still exists`() throws {
        try store.close()
        let expected = try expected(Archive(at: directory.store).snapshot())
        let sealed = try #require(segments("zst").first)
        let open = sealed.deletingPathExtension().appendingPathExtension("open")
        // A crash while sealing can leave both; the open form counts.
        try openForm(of: sealed).write(to: open)
        try Data("never read".utf8).write(to: sealed)
        #expect(try read() == expected)
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
            EventCoding.append(event, to: &writer)
            #expect(rest.starts(with: writer.array))
            rest = rest.dropFirst(writer.array.count)
            count += 1
        }
        #expect(rest.isEmpty)
        #expect(count > 10)
    }
}
