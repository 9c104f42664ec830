import Foundation
import TestSupport
import Testing

@testable import Skyros

/// A version of the type of the dishes in the golden stores `shape-older`, `shape-newer` and
/// `shape-other`.
protocol DishVersion: Entity where ID == Int {
    var name: String { get set }
    /// The fields that the version knows.
    static var known: [String] { get }
}

extension DishVersion {
    static var entityName: String { "Dish" }
}

enum Dishes {
    /// The first version.
    struct First: DishVersion {
        var id: Int
        var name: String
        static let known = ["id", "name"]
    }

    /// Today's.
    struct Today: DishVersion {
        var id: Int
        var name: String
        var price: Int
        var note: String?
        static let known = ["id", "name", "price", "note"]
    }

    /// Today's, with a value for what older records lack, and for what does not fit.
    struct Lenient: DishVersion {
        var id: Int
        var name: String
        var price: Int
        var note: String?
        static let known = Today.known

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            id = try container.decode(Int.self, forKey: .id)
            name = (try? container.decode(String.self, forKey: .name)) ?? "?"
            price = (try? container.decode(Int.self, forKey: .price)) ?? 0
            note = try container.decodeIfPresent(String.self, forKey: .note)
        }
    }

    /// One that keeps all fields as they come.
    struct Free: DishVersion {
        var id: Int
        var fields: [String: Value]
        static let known = ["id", "name", "price", "note", "chef", "allergens", "x"]

        var name: String {
            get { if case .text(let name) = fields["name"] { name } else { "" } }
            set { fields["name"] = .text(newValue) }
        }

        init(from decoder: any Decoder) throws {
            fields = try decoder.singleValueContainer().decode([String: Value].self)
            guard case .number(let number) = fields["id"] else {
                throw CocoaError(.coderInvalidValue)
            }
            id = number
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(fields)
        }
    }

    /// A value of a few kinds.
    enum Value: Codable, Sendable {
        case null, number(Int), text(String), list([Value]), map([String: Value]), other

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            func read<T: Decodable>(_ make: (T) -> Value) -> Value? {
                (try? container.decode(T.self)).map(make)
            }
            self =
                container.decodeNil()
                ? .null
                : read(Value.number) ?? read(Value.text) ?? read(Value.list) ?? read(Value.map)
                    ?? .other
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            switch self {
            case .null, .other: try container.encodeNil()
            case .number(let value): try container.encode(value)
            case .text(let value): try container.encode(value)
            case .list(let value): try container.encode(value)
            case .map(let value): try container.encode(value)
            }
        }
    }
}

/// Records that another version of the app has written, read and changed by each version.
@Suite struct `Records of another version` {
    /// A golden store, a type, and the records that do not fit it, with the field that does not.
    struct Case: CustomTestStringConvertible, Sendable {
        let store: String
        let type: any DishVersion.Type
        let misfits: [Int: String?]

        init(_ store: String, _ type: any DishVersion.Type, _ misfits: [Int: String?] = [:]) {
            (self.store, self.type, self.misfits) = (store, type, misfits)
        }

        var testDescription: String { "\(store) as \(type)" }
    }

    static let cases = [
        Case("shape-older", Dishes.First.self),
        Case("shape-older", Dishes.Today.self, [1: "price"]),
        Case("shape-older", Dishes.Lenient.self),
        Case("shape-older", Dishes.Free.self),
        Case("shape-newer", Dishes.First.self),
        Case("shape-newer", Dishes.Today.self),
        Case("shape-newer", Dishes.Lenient.self),
        Case("shape-newer", Dishes.Free.self),
        Case("shape-other", Dishes.First.self, [1: "name", 3: nil, 4: "id"]),
        Case("shape-other", Dishes.Today.self, [1: "name", 3: nil, 4: "id", 5: "price"]),
        Case("shape-other", Dishes.Lenient.self, [3: nil, 4: "id"]),
        Case("shape-other", Dishes.Free.self, [3: nil, 4: nil]),
    ]

    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    private func copy(_ store: String) throws -> URL {
        let url = directory.url.appending(path: UUID().uuidString)
        try FileManager.default.copyItem(
            at: `A golden store`.stores.appending(path: store), to: url)
        return url
    }

    @Test(arguments: cases)
    func `are read as far as they fit, and the others are listed (F68)`(test: Case) throws {
        func check<E: DishVersion>(_ type: E.Type) throws {
            let url = try copy(test.store)
            // Their shapes differ, and no step says why.
            var options = Store.Options()
            options.onSchemaChange = .report
            let store = try Store(at: url, entities: E.self, options: options)
            let ids = test.misfits.keys.sorted()
            let all = try store.snapshot.records("Dish").map(\.id)
            #expect(try store.count(E.self) == all.count)
            for list in [store.recovery.unreadable, try store.unreadableRecords()] {
                #expect(list.map(\.id) == ids.map { RecordID($0) })
                for misfit in list {
                    let id = try misfit.id.decode(as: Int.self)
                    #expect(misfit.error.code == .notDecodable)
                    #expect(misfit.error.place.entity == "Dish")
                    #expect(misfit.error.place.ids == [misfit.id])
                    #expect(misfit.error.place.field == test.misfits[id] ?? nil)
                    #expect(try misfit.record == store.snapshot.record("Dish", misfit.id))
                }
            }
            let (values, unreadable) = try store.allReadable(E.self, sortedBy: [.descending(\.id)])
            #expect(unreadable.map(\.id) == ids.map { RecordID($0) })
            #expect(values.count + unreadable.count == all.count)
            #expect(values.map(\.id) == values.map(\.id).sorted().reversed())
            for value in values { #expect(try store.get(E.self, value.id)?.name == value.name) }
            let whole = Result { try store.all(E.self) }
            #expect(((try? whole.get()) == nil) == !ids.isEmpty)
            try store.close()
        }
        try check(test.type)
    }

    @Test(arguments: cases)
    func `keep fields that the type does not know when they change (F68)`(test: Case) throws {
        func check<E: DishVersion>(_ type: E.Type) throws {
            let url = try copy(test.store)
            // Their shapes differ, and no step says why.
            var options = Store.Options()
            options.onSchemaChange = .report
            let store = try Store(at: url, entities: E.self, options: options)
            for value in try store.allReadable(E.self).values {
                let id = RecordID(value.id)
                let before = try #require(try store.snapshot.record("Dish", id))
                var changed = value
                changed.name = "changed"
                switch value.id % 3 {
                case 0: try store.write { try $0.update(changed) }
                case 1: try store.write { try $0.update(E.self, value.id) { $0.name = "changed" } }
                default: try store.write { try $0.upsert([changed]) }
                }
                let after = try #require(try store.snapshot.record("Dish", id))
                #expect(after["name"] == "changed")
                for name in before.fieldNames where !E.known.contains(name) {
                    #expect(after[name] == before[name])
                }
                let changes = try store.history(of: E.self, value.id).last?.changes ?? []
                #expect(changes.allSatisfy { E.known.contains($0.field) })
                #expect(changes.contains { $0.field == "name" })
            }
            let digest = try store.snapshot.digest()
            try store.close()
            #expect(try Archive(at: url).verify().ok)
            let next = try Store(at: url, entities: E.self, options: options)
            #expect(try next.snapshot.digest() == digest)
            try next.close()
        }
        try check(test.type)
    }
}
