import Skyros
import TestSupport
import Testing

private struct Place: Entity {
    var id: String
}

private struct Visitor: Entity {
    var id: Int
    var name: String
    var home: Ref<Place>?
    var others: [Ref<Place>] = []
    static let indexes: [Index<Visitor>] = [.unique(\.name)]
    static let relations: [Relation<Visitor>] = [
        .to(\.home, onDelete: .nullify), .toMany(\.others, onDelete: .remove),
    ]
}

extension Record {
    fileprivate static func visitor(_ id: Int, _ name: String) throws -> Record {
        try Record(
            entity: "Visitor", id: RecordID(id),
            fields: ["id": .integer(Int128(id)), "name": .text(name), "others": .array([])])
    }

    fileprivate static func place(_ id: String) throws -> Record {
        try Record(entity: "Place", id: RecordID(id), fields: ["id": .text(id)])
    }
}

/// Hangul of single letters, of which Foundation does not always find the normal form.
@Suite struct `A text of jamo in a recorded index` {
    private static let text = "\u{1100}\u{1161}"

    private func home(_ medium: Medium) throws -> VersionedHome {
        let home = try VersionedHome(medium)
        try home.write(as: Place.self, Visitor.self) { tx in
            try tx.insert([Place(id: Self.text), Place(id: "a"), Place(id: "b")])
            try tx.insert(
                Visitor(id: 1, name: Self.text, home: Ref(Self.text), others: [Ref(Self.text)]))
            try tx.insert(Visitor(id: 2, name: "b", home: Ref("a"), others: [Ref("b")]))
        }
        return home
    }

    @Test(arguments: Medium.allCases)
    func `hinders no other write`(medium: Medium) throws {
        let home = try home(medium)
        var store = try home.open()
        try store.write { try $0.insert(.visitor(3, "c")) }
        try store.write { try $0.upsert(.place(Self.text + "c")) }
        try store.write { try $0.insert(.visitor(4, Self.text + "d")) }
        try store.close()
        store = try home.open()
        try store.write { try $0.insert(.visitor(5, "e")) }
        let taken = code { try store.write { try $0.insert(.visitor(6, Self.text)) } }
        #expect(taken == .uniqueViolation)
        try store.write { tx in
            try tx.delete("Place", RecordID("a"))
            try tx.delete("Place", RecordID("b"))
        }
        #expect(try store.record("Visitor", RecordID(2))?["home"] == nil)
        #expect(try store.record("Visitor", RecordID(2))?["others"] == .array([]))
        try store.write { try $0.delete("Place", RecordID(Self.text)) }
        #expect(try store.record("Visitor", RecordID(1))?["home"] == nil)
        #expect(try store.record("Visitor", RecordID(1))?["others"] == .array([]))
    }
}
