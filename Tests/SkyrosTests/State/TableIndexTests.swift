import Testing

@testable import Skyros

@Suite struct `An index made of many rows` {
    private let definition = IndexDefinition(fields: ["name"], isUnique: false)

    private func row(_ number: Int) -> Row {
        let name = CheckpointValue.text("name \(number % 1_000)")
        let record = CheckpointValue.map([("name", name)])
        let id = StateFixtures.id(number)
        return Row(
            id: id, hash: StateFixtures.mixed(number), number: UInt64(number + 1), bytes: record)
    }

    /// From 8,192 rows on two threads share the work.
    @Test(arguments: [0, 1, 2, 8_191, 8_192, 8_193, 20_001])
    func `is the one that adding them row by row makes`(count: Int) throws {
        var rows = RowTrie()
        var added = TableIndex(definition)
        for number in 0..<count {
            let row = row(number)
            rows.insert(row)
            try added.update(row: row, replacing: nil)
        }
        let made = try TableIndex(definition, of: rows)
        #expect(made.tree.brokenInvariant() == nil)
        #expect(made.tree.count == count)
        #expect(made.isFaithful == added.isFaithful)
        #expect(ids(made) == ids(added))
    }

    private func ids(_ index: TableIndex) -> [RecordID] {
        var ids: [RecordID] = []
        index.tree.scanRows(from: nil, to: nil) { row in
            ids.append(row.id)
            return true
        }
        return ids
    }
}
