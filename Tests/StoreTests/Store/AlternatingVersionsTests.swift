import Foundation
import TestSupport
import Testing

@testable import Skyros

/// A type with a prototype, and two versions that alternate.
private enum Alternating {
    struct Old: Entity, Equatable {
        static let entityName = "Thing"
        var id: Int
        var name: String
    }

    struct New: Entity, Equatable {
        static let entityName = "Thing"
        var id: Int
        var name: String
        var color: String?
        static let evolution: Evolution<New> = [.version(2) { .add("color", "red") }]
    }

    struct WithPrototype: Entity, Equatable {
        static let entityName = "Thing"
        var id: Int
        var name: String
        var size: Int
        var note: String?
        static let prototype = WithPrototype(id: 0, name: "", size: 7, note: "x")
    }

    struct WithNick: Entity {
        static let entityName = "Thing"
        var id: Int
        var name: String
        var nick: String?
    }

    /// As `WithNick`, with a new property, and a renamed one without a step.
    struct WithAlias: Entity {
        static let entityName = "Thing"
        var id: Int
        var age: Int
        var name: String
        var alias: String?
        static let prototype = WithAlias(id: 0, age: 7, name: "", alias: nil)
    }

    struct WrongPrototype: Entity {
        var id: Int
        static let prototype = "no value of the type"
    }
}

@Suite struct `Two versions of an app` {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    @Test func `alternate on one store past a step that only adds, and lose nothing`() throws {
        var store = try Store(at: directory.store, entities: Alternating.Old.self)
        try store.write { try $0.insert(Alternating.Old(id: 1, name: "a")) }
        try store.close()
        store = try Store(at: directory.store, entities: Alternating.New.self)
        try store.write { tx in
            try tx.update(Alternating.New.self, 1) { $0.color = "blue" }
            try tx.insert(Alternating.New(id: 2, name: "b", color: nil))
        }
        // The update found the first shape; the insertion found nothing.
        #expect(try store.event(2)?.formerVersions == [0: 1])
        try store.close()
        store = try Store(at: directory.store, entities: Alternating.Old.self)
        try store.write { tx in
            try tx.update(Alternating.Old.self, 1) { $0.name = "A" }
            try tx.update(Alternating.Old.self, 2) { $0.name = "B" }
            try tx.insert(Alternating.Old(id: 3, name: "c"))
        }
        #expect(try store.event(3)?.schemas.isEmpty == true)
        #expect(try store.event(3)?.formerVersions == [:])
        try store.close()
        store = try Store(at: directory.store, entities: Alternating.New.self)
        // The older app has inserted a record since, which is no reason for another copy.
        #expect(store.recovery.evolution == ["Thing": [EvolutionStep(from: 1, to: 2)]])
        #expect(store.recovery.backup == nil)
        // The second record has no color because the newer app has given it none.
        #expect(
            try store.all(Alternating.New.self) == [
                .init(id: 1, name: "A", color: "blue"), .init(id: 2, name: "B", color: nil),
                .init(id: 3, name: "c", color: "red"),
            ])
    }

    @Test func `take a new property from the prototype`() throws {
        var store = try Store(at: directory.store, entities: Alternating.Old.self)
        try store.write { try $0.insert(Alternating.Old(id: 1, name: "a")) }
        try store.close()
        store = try Store(at: directory.store, entities: Alternating.WithPrototype.self)
        #expect(
            try store.get(Alternating.WithPrototype.self, 1)
                == .init(id: 1, name: "a", size: 7, note: nil))
        try store.write { try $0.update(Alternating.WithPrototype.self, 1) { $0.name = "b" } }
        #expect(try store.event(2)?.additions(toChange: 0)["+evolved"] == ["size"])
        #expect(
            code { _ = try Store(inMemory: Alternating.WrongPrototype.self) } == .invalidSchema)
    }

    @Test func `report a likely rename beside a property of the prototype`() throws {
        var store = try Store(at: directory.store, entities: Alternating.WithNick.self)
        try store.write { try $0.insert(Alternating.WithNick(id: 1, name: "a", nick: "b")) }
        try store.close()
        store = try Store(at: directory.store, entities: Alternating.WithAlias.self)
        let differences = store.recovery.schemaDifferences
        #expect(differences.map(\.step) == [".rename(\"nick\", to: \"alias\")"])
        #expect(differences.map(\.field) == ["alias"])
    }
}

/// Evolutions that cannot be followed.
private enum Wrong {
    struct Descending: Entity {
        var id: Int
        static let evolution: Evolution<Descending> = [
            .version(3) { .drop("a") }, .version(2) { .drop("b") },
        ]
    }

    struct First: Entity {
        var id: Int
        static let evolution: Evolution<First> = [.version(1) { .drop("a") }]
    }

    struct OnePart: Entity {
        var id: Int
        static let evolution: Evolution<OnePart> = [
            .version(2) { .split("a", into: ["b"], at: " ") }
        ]
    }
}

@Suite struct `An evolution` {
    @Test(
        arguments: [Wrong.Descending.self, Wrong.First.self, Wrong.OnePart.self]
            as [any Entity.Type])
    func `that cannot be followed is refused`(type: any Entity.Type) {
        #expect(code { _ = try Schema([type]) } == .invalidSchema)
    }

    @Test func `of a new store in memory is recorded with the first write`() throws {
        let store = try Store(inMemory: Alternating.New.self)
        try store.write { try $0.insert(Alternating.New(id: 1, name: "a", color: "x")) }
        #expect(try store.event(1)?.version(ofChange: 0) == 2)
        #expect(try store.event(1)?.schemas["Thing"]?.version == 2)
        #expect(try store.get(Alternating.New.self, 1)?.color == "x")
    }
}
