import Foundation
import Skyros
import TestSupport
import Testing

private struct Shelf: Entity {
    var id: Int
}

private struct Volume: Entity, Equatable {
    var id: Int
    var isbn: String?
    var shelf: Ref<Shelf>?
    var sequel: Ref<Volume>?
    static let indexes: [Index<Volume>] = [.unique(\.isbn)]
    static let relations: [Relation<Volume>] = [
        .to(\.shelf, onDelete: .deny), .to(\.sequel, onDelete: .nullify),
    ]

    /// The entity before it had rules.
    struct Careless: Entity {
        var id: Int
        var isbn: String?
        var shelf: Int?
        static let entityName = "Volume"
    }
}

@Suite struct `An import into a store whose app has rules` {
    private let directory: TemporaryDirectory
    private let tool: Program

    init() throws {
        directory = try TemporaryDirectory()
        tool = try Program("skyros")
    }

    private func open(_ options: Store.Options = Store.Options()) throws -> Store {
        try Store(at: directory.store, entities: Shelf.self, Volume.self, options: options)
    }

    /// The app writes a shelf and a volume, so that the log records its rules.
    private func makeStore() throws {
        let store = try open()
        try store.write { tx in
            try tx.insert(Shelf(id: 1))
            try tx.insert(Volume(id: 1, isbn: "a", shelf: Ref(1)))
        }
        try store.close()
    }

    private func run(_ text: String, _ words: String...) throws -> Program.Outcome {
        try directory.write(Array(text.utf8), to: "v.csv")
        return try tool.run(
            ["import", directory.store.path, directory.path("v.csv"), "--entity", "Volume"]
                + words)
    }

    @Test func `names the line of a value that is not unique`() throws {
        try makeStore()
        let many = (10..<1_500).map { "\($0),i\($0),1\n" }.joined()
        let taken = try run("id,isbn,shelf\n" + many + "1500,a,1\n")
        #expect(taken.status == 1)
        #expect(taken.errors.hasPrefix("skyros: uniqueViolation: line 1492: 1 records of"))
        let twice = try run("id,isbn,shelf\n" + many + "1500,i10,1\n")
        #expect(twice.errors.hasPrefix("skyros: uniqueViolation: line 1492: "))
        // Nothing of the whole input was written.
        #expect(try Archive(at: directory.store).sequence == 1)
        #expect(try run("id,isbn,shelf\n" + many).status == 0)
        #expect(try open().count(Volume.self) == 1_491)
    }

    @Test func `is checked against the store, which may be open`() throws {
        try makeStore()
        let app = try open()
        let sequence = app.sequence
        let taken = try run("id,isbn,shelf\n2,b,1\n3,a,1\n", "--check")
        #expect(taken.status == 1)
        #expect(taken.errors.hasPrefix("skyros: uniqueViolation: line 3: "))
        let broken = try run("id,isbn,shelf\n2,b,7\n", "--check")
        #expect(broken.errors.hasPrefix("skyros: brokenReference: line 2: "))
        let other = try run("id,isbn,shelf\n1,z,1\n", "--check")
        #expect(other.errors.hasPrefix("skyros: duplicateID: line 2: "))
        #expect(try run("id,isbn,shelf\n1,z,1\n", "--check", "--replace").status == 0)
        let good = try run("id,isbn,shelf\n2,b,1\n", "--check")
        #expect(good.status == 0)
        #expect(good.output.hasPrefix("Volume: 1 record\n"))
        #expect(app.sequence == sequence)
        try app.close()
        #expect(try Archive(at: directory.store).sequence == sequence)
    }

    @Test func `names the line of a reference that leads nowhere`() throws {
        try makeStore()
        let broken = try run("id,isbn,shelf\n2,b,1\n3,c,7\n")
        #expect(broken.status == 1)
        #expect(broken.errors.hasPrefix("skyros: brokenReference: line 3: "))
        #expect(broken.errors.contains("Volume 3.shelf → Shelf 7"))
        #expect(try Archive(at: directory.store).sequence == 1)
    }

    @Test func `takes records that refer to later ones`() throws {
        try makeStore()
        let ids = 10..<2_600
        let lines = ids.map { "\($0),i\($0),1,\($0 + 1 < ids.upperBound ? $0 + 1 : 10)\n" }
        let outcome = try run("id,isbn,shelf,sequel\n" + lines.joined(), "--json")
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.output.contains(#""inserted":2590,"replaced":0,"unchanged":0"#))
        let store = try open()
        #expect(store.recovery.brokenReferences.isEmpty)
        #expect(try store.get(Volume.self, 2_599)?.sequel == Ref(10))
        try store.close()
        let again = try run("id,isbn,shelf,sequel\n" + lines.joined(), "--json")
        #expect(again.output.contains(#""inserted":0,"replaced":0,"unchanged":2590"#))
    }

    @Test func `leaves alone what was broken before`() throws {
        let first = try Store(at: directory.store, entities: Volume.Careless.self)
        try first.write { tx in
            try tx.insert((1...2).map { Volume.Careless(id: $0, isbn: "a", shelf: 9) })
        }
        try first.close()
        var options = Store.Options()
        options.existingDuplicates = .report
        options.existingBrokenReferences = .report
        let app = try open(options)
        try app.write { try $0.insert(Volume(id: 3)) }
        try app.close()
        #expect(try run("id,isbn,shelf\n4,b,\n").status == 0)
        #expect(try run("id,isbn,shelf\n5,a,\n").errors.contains("uniqueViolation: line 2"))
        #expect(try run("id,isbn,shelf\n6,c,9\n").errors.contains("brokenReference: line 2"))
    }
}
