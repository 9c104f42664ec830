import Foundation
import Skyros
import TestSupport
import Testing

private struct Thing<ID: Hashable & Codable & Sendable>: Entity, Equatable {
    var id: ID
    var text: String
    static var entityName: String { "Thing" }
}

private struct Seat: Hashable, Codable, Sendable {
    var row: Int
    var letter: String
}

private enum Place: Hashable, Codable, Sendable {
    case table(Int)
    case bar
}

/// The types that an id may have, from the first write until after the store was reopened.
@Suite struct `An id` {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    @Test func `may be an integer of any width, minimum and maximum included`() throws {
        func extremes<I: FixedWidthInteger & Codable & Sendable>(_ type: I.Type) throws {
            try check(I.min, I.max)
        }
        try extremes(Int.self)
        try extremes(Int8.self)
        try extremes(Int16.self)
        try extremes(Int32.self)
        try extremes(Int64.self)
        try extremes(Int128.self)
        try extremes(UInt.self)
        try extremes(UInt8.self)
        try extremes(UInt16.self)
        try extremes(UInt32.self)
        try extremes(UInt64.self)
        try extremes(UInt128.self)
    }

    @Test func `may be a text, a UUID or data`() throws {
        try check("", "Grüße, \u{1F30D}")
        try check(UUID(), UUID())
        try check(Data(), Data([0, 255]))
    }

    @Test func `may be a custom type or an array`() throws {
        try check(Seat(row: 1, letter: "a"), Seat(row: 1, letter: "b"))
        try check(Place.table(3), Place.bar)
        try check([1, 2], [])
    }

    /// Writes and changes two records and reads their history. Then opens the store twice, from
    /// the checkpoint and from the log, and finds the same records.
    private func check<ID: Hashable & Codable & Sendable>(_ first: ID, _ second: ID) throws {
        let url = directory.url.appending(path: UUID().uuidString)
        let store = try Store(at: url, entities: Thing<ID>.self)
        try store.write { tx in
            try tx.insert(Thing(id: first, text: "a"))
            try tx.insert(Thing(id: second, text: "b"))
        }
        try store.write { try $0.update(Thing<ID>.self, first) { $0.text = "c" } }
        try store.write { try $0.delete(Thing<ID>.self, second) }
        #expect(throws: StoreError(.duplicateID, "")) {
            try store.write { try $0.insert(Thing(id: first, text: "d")) }
        }
        #expect(try store.history(of: Thing<ID>.self, second).map(\.kind) == [.inserted, .deleted])
        try store.close()

        for removesCheckpoint in [false, true] {
            if removesCheckpoint {
                try FileManager.default.removeItem(at: url.appending(path: "checkpoint.sqlite"))
            }
            let next = try Store(at: url, entities: Thing<ID>.self)
            #expect(try next.all(Thing<ID>.self) == [Thing(id: first, text: "c")])
            #expect(try next.get(Thing<ID>.self, first)?.text == "c")
            #expect(try !next.exists(Thing<ID>.self, second))
            try next.close()
        }
    }
}
