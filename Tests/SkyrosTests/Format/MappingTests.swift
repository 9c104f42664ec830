import Foundation
import SkyrosLog
import SkyrosSQLite
import TestSupport
import Testing

@testable import Skyros

@Suite struct `The table of docs/mapping.md` {
    /// The rows of the page: their second cell is CBOR in hexadecimal digits.
    private func pageRows() throws -> [String] {
        let file = Repository.root.appending(path: "docs/mapping.md")
        return try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
            .filter { $0.contains(/^\| [^|]+ \| `[0-9a-f]+` \|/) }.map(String.init)
    }

    /// The row of a value: what it looks like in each form.
    private func row(_ name: String, _ value: any Encodable) throws -> String {
        let cbor = try CBOREncoder().encode(value)
        let untyped = try FieldValue(cbor: cbor)
        #expect(try untyped.encoded() == cbor)
        let cells = [
            name, hex(cbor), caseName(of: untyped), untyped.jsonText(), try column(of: untyped),
        ]
        return "| " + cells.map { "`\($0)`" }.joined(separator: " | ") + " |"
    }

    private func caseName(of value: FieldValue) -> String {
        switch value {
        case .null: ".null"
        case .bool: ".bool"
        case .integer: ".integer"
        case .double: ".double"
        case .text: ".text"
        case .bytes: ".bytes"
        case .uuid: ".uuid"
        case .date: ".date"
        case .array: ".array"
        case .map: ".map"
        case .tagged(let tag, _): ".tagged(\(tag))"
        }
    }

    /// The column of a field whose first value this is: its kind, and what it shows.
    private func column(of value: FieldValue) throws -> String {
        let record = try Record(
            entity: "Sample", id: RecordID(1), fields: ["id": 1, "value": value])
        let event = Event(
            sequence: 1, time: EventTime(microseconds: 1), metadata: Metadata(), intent: nil,
            changes: [.inserted(record)])
        let chainHash = ChainHash(rawValue: 0)
        var state = Snapshot(try Schema([Counter.self]), beginning: chainHash, hashSeed: 0)
        var dirty = DirtyRows()
        try Projector.apply(event, chainHash: chainHash, to: &state, marking: &dirty)

        let database = try CheckpointDatabase(ConnectionOptions(.memory))
        let position = CheckpointPosition(
            storeID: [UInt8](repeating: 0, count: CheckpointPosition.storeIDBytes), sequence: 1,
            chainHash: 0, timeMicroseconds: 1)
        try database.write(Checkpointer.batch(state, dirty), at: position)
        let kinds = try database.connection.prepare(
            "SELECT kind FROM _skyros_columns WHERE field = 'value'")
        guard let kind = try kinds.single({ $0.string(at: 0) }) else { return "none" }
        let select = try database.connection.prepare("SELECT value FROM Sample")
        let shown = try select.single { self.value($0) } ?? .null
        return "\(kind) \(literal(shown))"
    }

    private func value(_ row: Statement) -> FieldValue {
        switch row.storageType(at: 0) {
        case .integer: .integer(Int128(row.integer(at: 0)))
        case .real: .double(row.real(at: 0))
        case .text: .text(row.string(at: 0))
        case .blob: .bytes(.init(row.bytes(at: 0)))
        case .null: .null
        }
    }

    /// What SQLite gives, as a literal of SQL.
    private func literal(_ value: FieldValue) -> String {
        switch value {
        case .text(let text):
            "'" + text.replacing("'", with: "''").replacing("\n", with: "\\n") + "'"
        case .bytes(let bytes): "x'\(hex(bytes))'"
        case .null: "NULL"
        case .double(let number) where number.isInfinite: number < 0 ? "-Inf" : "Inf"
        default: value.jsonText()
        }
    }

    @Test func `shows what the code writes, for every value that it names`() throws {
        let rows = try MappingSamples.all.map { try row($0.name, $0.value) }
        #expect(try pageRows() == rows)
    }
}
