import Foundation
import TestSupport
import Testing

@testable import Skyros

private struct Lower: Entity {
    static let entityName = "thing"
    var id: Int
    var value = 1
}

private struct Upper: Entity {
    static let entityName = "Thing"
    var id: Int
    var value: Int?
}

private struct Later: Entity {
    static let entityName = "thing"
    var id: Int
    var value = "text"
}

/// The tables, columns and kinds of a checkpoint, which depend on what the first one was made of.
@Suite struct `A checkpoint that replaces another` {
    private let directory: TemporaryDirectory
    private var file: URL { directory.store.appending(path: "checkpoint.sqlite") }

    init() throws {
        directory = try TemporaryDirectory()
        let first = try Store(at: directory.store, entities: Lower.self)
        try first.write { try $0.insert(Lower(id: 1)) }
        try first.close()
        let second = try Self.opened(directory.store)
        try second.write { tx in
            try tx.delete(Later.self, 1)
            try tx.insert(Later(id: 2))
            try tx.insert(Upper(id: 3, value: 5))
        }
        try second.close()
    }

    /// The store with today's types, which read no record of the older ones.
    private func opened() throws -> Store { try Self.opened(directory.store) }

    private static func opened(_ url: URL) throws -> Store {
        var options = Store.Options()
        options.onSchemaChange = .ignore
        return try Store(at: url, entities: Later.self, Upper.self, options: options)
    }

    private func names() throws -> [String] {
        try Shell.lines(
            "sqlite3", "-readonly", file.path,
            "SELECT entity, table_name FROM _skyros_entities ORDER BY 1; "
                + "SELECT entity, field, column_name, kind FROM _skyros_columns ORDER BY 1, 2;")
    }

    private let expected = [
        "Thing|Thing~1", "thing|thing", "Thing|id|id|integer", "Thing|value|value|integer",
        "thing|id|id|integer", "thing|value|value|integer",
    ]

    @Test func `because a row was damaged keeps all names and kinds (F26)`() throws {
        #expect(try names() == expected)
        _ = try Shell.lines(
            "sqlite3", file.path, "UPDATE thing SET _record = zeroblob(20); SELECT 1;")
        let store = try opened()
        guard case .rebuilt = store.recovery.checkpoint else {
            Issue.record("\(store.recovery.checkpoint)")
            return
        }
        try store.close()
        #expect(try names() == expected)
        #expect(try Archive(at: directory.store).verify().ok)
    }

    @Test func `by a rebuild keeps all names and kinds`() throws {
        _ = try Archive(at: directory.store).rebuildCheckpoint()
        #expect(try names() == expected)
        #expect(try Archive(at: directory.store).verify().ok)
    }
}
