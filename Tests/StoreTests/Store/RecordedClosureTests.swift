import Skyros
import TestSupport
import Testing

private enum V1 {
    struct Memo: Entity {
        var id: Int
        var text: String
    }
}

private enum V2 {
    struct Memo: Entity {
        var id: Int
        var text: String
        static let evolution: Evolution<Memo> = [
            .version(2) { record in
                record["text"] = .text("new " + (record["text"]?.text ?? ""))
            }
        ]
    }
}

extension Record {
    fileprivate static func memo(_ id: Int, _ text: String) throws -> Record {
        try Record(
            entity: "Memo", id: RecordID(id),
            fields: ["id": .integer(Int128(id)), "text": .text(text)])
    }
}

@Suite struct `A record on which a closure of the app will run` {
    private func home(_ medium: Medium) throws -> VersionedHome {
        let home = try VersionedHome(medium)
        try home.write(as: V1.Memo.self) { tx in
            try tx.insert((1...3).map { V1.Memo(id: $0, text: "\($0)") })
        }
        try home.write(as: V2.Memo.self) { try $0.insert(V2.Memo(id: 4, text: "new 4")) }
        return home
    }

    @Test(arguments: Medium.allCases)
    func `is not replaced by one of an unknown shape`(medium: Medium) throws {
        let home = try home(medium)
        let store = try home.open()
        let sequence = store.sequence
        let refused = failure(as: StoreError.self) {
            try store.write { try $0.upsert([.memo(4, "new x"), .memo(1, "new x")]) }
        }
        #expect(refused?.code == .evolutionFailed)
        #expect(refused?.place.ids == [RecordID(1)])
        let update = code { try store.write { try $0.update(.memo(1, "new x")) } }
        #expect(update == .evolutionFailed)
        #expect(code { try store.write { try $0.insert(.memo(1, "x")) } } == .duplicateID)
        #expect(store.sequence == sequence)
    }

    @Test(arguments: Medium.allCases)
    func `is changed in its own shape, or by another record in its place`(
        medium: Medium
    ) throws {
        let home = try home(medium)
        let store = try home.open()
        try store.write { tx in
            try tx.update("Memo", RecordID(1)) { $0["text"] = "y" }
            try tx.upsert([.memo(2, "2"), .memo(4, "new z")])
            try tx.delete("Memo", RecordID(3))
            try tx.insert(.memo(3, "new 5"))
        }
        try store.close()
        let app = try home.open(V2.Memo.self)
        #expect(try app.all(V2.Memo.self).map(\.text) == ["new y", "new 2", "new 5", "new z"])
    }
}
