import Foundation
import Synchronization
import Testing

@testable import Skyros

/// Rows that were loaded, and who decodes them. All tests share one count of decodings.
@Suite(.serialized) struct `A stored row` {
    private static let decodedCount = Atomic(0)

    private struct Noted: Entity, Equatable {
        let id: Int
        var text: String

        init(id: Int, text: String) {
            self.id = id
            self.text = text
        }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            id = try container.decode(Int.self, forKey: .id)
            text = try container.decode(String.self, forKey: .text)
            `A stored row`.decodedCount.add(1, ordering: .relaxed)
        }
    }

    private func row(_ value: Noted) throws -> Row {
        StoredRow<Noted>(
            id: try RecordCoding.id(value), hash: 1, number: 1,
            bytes: try RecordCoding.encode(value))
    }

    @Test func `is decoded only by its first reader`() throws {
        let value = Noted(id: 1, text: "a text of more than fifteen bytes")
        let row = try row(value)
        let before = Self.decodedCount.load(ordering: .relaxed)
        for _ in 0..<5 { #expect(try row.value(as: Noted.self) == value) }
        #expect(Self.decodedCount.load(ordering: .relaxed) == before + 1)

        // Many concurrent first readers: some may decode for themselves, all read the same.
        let rows = try (0..<200).map { try self.row(Noted(id: $0, text: "text number \($0)")) }
        let wrong = Atomic(0)
        DispatchQueue.concurrentPerform(iterations: 4) { _ in
            for (number, row) in rows.enumerated() {
                let text = try? row.value(as: Noted.self).text
                if text != "text number \(number)" { wrong.add(1, ordering: .relaxed) }
            }
        }
        #expect(wrong.load(ordering: .relaxed) == 0)
        let after = Self.decodedCount.load(ordering: .relaxed)
        for row in rows { _ = try row.value(as: Noted.self) }
        #expect(Self.decodedCount.load(ordering: .relaxed) == after)
    }

    @Test func `keeps fields that today's type does not know (F58)`() throws {
        struct Older: Entity {
            let id: Int
            var text: String
            var color: String
        }
        let bytes = try RecordCoding.encode(Older(id: 1, text: "a", color: "red"))
        let row = StoredRow<Noted>(id: RecordID(1), hash: 1, number: 1, bytes: bytes)
        #expect(try row.value(as: Noted.self).text == "a")
        #expect(row.bytes == bytes)
    }

    @Test func `is read as another type by its fields`() throws {
        struct Short: Entity, Equatable {
            let id: Int
        }
        let value = Noted(id: 7, text: "a")
        let row = try row(value)
        #expect(try row.value(as: Short.self) == Short(id: 7))
        #expect(try row.inlinedValue(as: Short.self) == Short(id: 7))
        #expect(try row.value(as: Noted.self) == value)
        #expect(try row.inlinedValue(as: Noted.self) == value)
        #expect(throws: StoreError.self) {
            let bytes = try RecordCoding.encode(Short(id: 7))
            let short = StoredRow<Short>(id: row.id, hash: 1, number: 1, bytes: bytes)
            _ = try short.value(as: Noted.self)
        }
    }
}
