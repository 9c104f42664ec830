import SkyrosLog
import TestSupport
import Testing

@testable import Skyros

/// What a log records of an entity, in a state without types.
@Suite struct `An entity in a state without types` {
    private var state: Snapshot
    private let writer: Writer

    init() {
        state = Snapshot(.untyped, beginning: ChainHash(rawValue: 0), hashSeed: 0)
        writer = Writer(empty: state, .system)
    }

    private mutating func record(
        _ entity: String, _ schema: NamedValues<FieldValue>
    ) throws {
        state.schemas[entity] = EntitySchema(try Fields(schema))
        try state.adoptRecordedSchemas()
    }

    /// Runs a write block on the state.
    private mutating func write(_ block: (inout WriteTransaction) throws -> Void) throws {
        var batch = CommandBatch(metadata: Metadata(), intent: nil)
        try writer.stage(on: state, into: &batch, block)
        try Projector.apply(batch.changes, to: &state)
        for table in state.tables { #expect(table.brokenInvariant() == nil) }
    }

    /// Adds a record that is stored in the first version of its shape.
    private mutating func store(
        _ entity: String, _ id: Int, _ fields: NamedValues<FieldValue> = [:]
    ) throws {
        let index = state.tableIndex(of: entity)
        let table = state.tables[index]
        let row = table.storedRow(
            RecordID(id), hash: table.hash(RecordID(id)), number: table.nextNumber,
            bytes: try Fields(fields).bytes)
        try state.tables[index].put(row, replacing: nil)
    }

    private func record(
        _ entity: String, _ id: Int, _ fields: NamedValues<FieldValue> = [:]
    ) throws -> Record {
        try Record(entity: entity, id: RecordID(id), fields: fields)
    }

    @Test(
        arguments: [
            ("reasons", ["reasons": [1]]),
            ("relations", ["relations": [["board", "Board", "some", "cascade"]]]),
            ("relations", ["relations": [["board", "Board", "one", "archive"]]]),
            ("relations", ["relations": [7]]),
        ] as [(String, NamedValues<FieldValue>)])
    mutating func `with rules that this version does not know is not written`(
        part: String, schema: NamedValues<FieldValue>
    ) throws {
        try store("Card", 1)
        try record("Card", schema.merging(["version": 1]) { $1 })
        let new = try record("Card", 2)
        let other = try record("Board", 1)
        let insertion = failure(as: StoreError.self) { try write { try $0.insert(new) } }
        #expect(insertion?.code == .unsupportedFormat)
        #expect(insertion?.message.contains("does not know: \(part). Nothing was") == true)
        let deletion = code { try write { _ = try $0.delete("Card", RecordID(1)) } }
        #expect(deletion == .unsupportedFormat)
        try write { try $0.insert(other) }
        #expect(state.recordCount == 2)
    }

    @Test(
        arguments: [
            (.array([["board", "Board", "some", "cascade"]]), false),
            (.array([["board", "Board", "one", "archive"]]), false),
            (.array([["board", "Board", "one", "cascade", "later"]]), false),
            (.array([[7, "Board", "one"]]), false),
            (.array([["board", 7, "one", "cascade"]]), true),
            (.array([["board"]]), true), (.array([7]), true), (.map(["board": "Board"]), true),
        ] as [(FieldValue, Bool)])
    mutating func `keeps records to which an unknown relation may lead`(
        relations: FieldValue, isTargetUnknown: Bool
    ) throws {
        for entity in ["Board", "Card", "User"] { try store(entity, 1) }
        try record("Card", ["version": 1, "relations": relations])
        let board = code { try write { _ = try $0.delete("Board", RecordID(1)) } }
        #expect(board == .unsupportedFormat)
        let all = failure(as: StoreError.self) { try write { _ = try $0.deleteAll("Board") } }
        #expect(all?.code == .unsupportedFormat)
        #expect(all?.place.entity == "Board")
        let user = code { try write { _ = try $0.delete("User", RecordID(1)) } }
        #expect(user == (isTargetUnknown ? .unsupportedFormat : nil))
        let (changed, new) = (try record("Board", 1, ["name": "a"]), try record("Board", 2))
        try write { try $0.upsert([changed, new]) }
        #expect(state.count("Board") == 2)
    }

    @Test mutating func `without records keeps none by an unknown relation`() throws {
        try store("Board", 1)
        try record("Card", ["version": 1, "relations": [["board", "Board", "some", "cascade"]]])
        try write { _ = try $0.deleteAll("Board") }
        #expect(state.recordCount == 0)
    }

    @Test mutating func `has its indexes after a fold`() throws {
        try store("Card", 1, ["code": "a"])
        try record("Card", ["version": 1, "unique": [["code"]]])
        try state.fold { state in
            let index = state.tableIndex(of: "Card")
            let table = state.tables[index]
            let row = table.storedRow(
                RecordID(2), hash: table.hash(RecordID(2)), number: table.nextNumber,
                bytes: try Fields(["code": "b"]).bytes)
            try state.tables[index].put(row, replacing: nil)
        }
        for value in ["a", "b"] {
            let new = try record("Card", 3, ["code": .text(value)])
            #expect(code { try write { try $0.insert(new) } } == .uniqueViolation)
        }
        let new = try record("Card", 3, ["code": "c"])
        try write { try $0.insert(new) }
    }

    @Test(
        arguments: [
            ["70000": [["drop", "x"]]], ["1": [["drop", "b"]]], ["2": 7, "x": [[]]],
            ["2": [["drop", "x"]], "-3": [["code"]]],
        ] as [NamedValues<FieldValue>])
    mutating func `with steps that mean nothing is written by the others`(
        steps: NamedValues<FieldValue>
    ) throws {
        try store("Board", 1)
        try store("Card", 1, ["b": 1, "x": 2])
        try record(
            "Card",
            [
                "version": 2, "steps": .map(steps), "unique": [[], 7, ["x", "x"]],
                "relations": [
                    ["b", "Board", "optional", "nullify"], ["b", "Board", "one", "cascade"],
                ],
            ])
        // What the tool shows.
        _ = try EvolvedState(state)
        try write { _ = try $0.delete("Board", RecordID(1)) }
        let row = try #require(state.table("Card")?.row(RecordID(1)))
        #expect(Fields(trusted: row.bytes)["b"] == nil)
    }
}
