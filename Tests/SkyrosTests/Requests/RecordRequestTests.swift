import Foundation
import Skyros
import TestSupport
import Testing

/// A random condition, by key paths and by names.
private struct NamedTwin<I: Indexing> {
    typealias T = Twin<I>

    let typed: Filter<T>
    let named: RecordFilter

    private init(_ typed: Filter<T>, _ named: RecordFilter) {
        (self.typed, self.named) = (typed, named)
    }

    init(_ values: inout TwinValues, depth: Int = 2) {
        guard depth > 0, values.random.below(3) > 0 else {
            self = Self.atom(&values)
            return
        }
        let (a, b) = (Self(&values, depth: depth - 1), Self(&values, depth: depth - 1))
        switch values.random.below(5) {
        case 0: self.init(!a.typed, !a.named)
        case 1, 2: self.init(a.typed || b.typed, a.named || b.named)
        default: self.init(a.typed && b.typed, a.named && b.named)
        }
    }

    private static func atom(_ values: inout TwinValues) -> Self {
        let form = values.random.below(23)
        if form < 12 { return texts(form, values.text(), values.text()) }
        return others(form, &values)
    }

    private static func texts(_ form: Int, _ a: String, _ b: String) -> Self {
        let (text, note) = (RecordField("text"), RecordField("note"))
        switch form {
        case 0: return Self(\.text == a, text == a)
        case 1: return Self(\.text < a, text < a)
        case 2: return Self(\.text >= a, text >= a)
        case 3: return Self(\.note == a, note == a)
        case 4: return Self(\.note == nil, note == .null)
        case 5: return Self(\.note != nil, note != .null)
        case 6: return Self(\.note <= a, note <= a)
        case 7: return Self(.in(\.text, [a, b]), text.in([a, b]))
        case 8: return Self(.hasPrefix(\.text, a), text.hasPrefix(a))
        case 9: return Self(.hasSuffix(\.note, a), note.hasSuffix(a))
        case 10: return Self(.contains(\.text, a), text.contains(a))
        default: return Self(\.text > a && \.note > b, text > a && note > b)
        }
    }

    private static func others(_ form: Int, _ values: inout TwinValues) -> Self {
        let (number, rank, tag) = (values.number(), values.random.below(5) - 2, values.uuid())
        let (weight, level) = (RecordField("weight"), UInt8(values.random.below(3)))
        let kind = T.Kind.allCases[values.random.below(3)]
        switch form {
        case 12: return Self(\.weight == number, weight == number)
        case 13: return Self(\.weight < number, weight < number)
        case 14: return Self(\.weight >= number, weight >= number)
        case 15: return Self(\.weight == Double(rank), weight == rank)
        case 16: return Self(.between(\.rank, rank...2), RecordField("rank").between(rank...2))
        case 17: return Self(\.tag < tag, RecordField("tag") < tag)
        case 18: return Self(\.kind == kind, RecordField("kind") == kind)
        case 19: return Self(Filter(\.isOpen), RecordField("isOpen") == true)
        case 20: return Self(.in(\.rank, [rank, 0]), RecordField("rank").in([rank, 0]))
        case 21: return Self(\.level > level, RecordField("level") > level)
        default: return Self(.test { $0.rank > rank }, .test { ($0["rank"]?.integer ?? 0) > rank })
        }
    }
}

@Suite struct `A request by names` {
    private func check<I: Indexing>(_ type: I.Type, seed: UInt64) throws {
        var values = TwinValues(
            random: RandomSource(seed: seed), isIrregular: !seed.isMultiple(of: 3))
        let store = try Store(inMemory: Twin<I>.self)
        let twins = (0..<40).map { values.twin(Twin<I>.self, id: $0) }
        try store.write { try $0.insert(twins) }
        for _ in 0..<80 { try expect(NamedTwin<I>(&values), &values, in: store) }
        try store.write { tx in
            for id in 0..<12 { try tx.upsert(values.twin(Twin<I>.self, id: 3 * id)) }
            try tx.delete(Twin<I>.self, [1, 2, 4])
            for _ in 0..<40 { try expect(NamedTwin<I>(&values), &values, in: tx) }
        }
    }

    private func expect<I: Indexing>(
        _ twin: NamedTwin<I>, _ values: inout TwinValues,
        in source: borrowing some RecordSource & ~Copyable
    ) throws {
        let (typedSort, namedSort) = sort(Twin<I>.self, &values)
        let typed = FetchRequest(where: twin.typed, sortedBy: typedSort)
        let named = RecordRequest("Twin", where: twin.named, sortedBy: namedSort)
        let expected = try source.fetch(typed).map { RecordID($0.id) }
        #expect(try source.records(named).map(\.id) == expected, "\(named)")
        #expect(try source.count(named) == expected.count)
        let all = try source.records("Twin").filter(twin.named.matches).map(\.id)
        #expect(Set(all) == Set(expected))
        var request = named
        (request.offset, request.limit) = (values.random.below(4), values.random.below(9) + 1)
        let page = try source.page(request)
        var found = page.items.map(\.id)
        #expect(try source.records(request).map(\.id) == found)
        var next = page.next
        while let cursor = next {
            let page = try source.page(request, after: cursor)
            found += page.items.map(\.id)
            next = page.next
        }
        #expect(found == Array(expected.dropFirst(request.offset)), "\(request)")
    }

    private func sort<I: Indexing>(
        _ type: Twin<I>.Type, _ values: inout TwinValues
    ) -> ([Sort<Twin<I>>], [RecordSort]) {
        switch values.random.below(9) {
        case 0: ([.ascending(\.text)], [.ascending("text")])
        case 1: ([.descending(\.note)], [.descending("note")])
        case 2: ([.ascending(\.weight)], [.ascending("weight")])
        case 3:
            ([.descending(\.rank), .ascending(\.text)], [.descending("rank"), .ascending("text")])
        case 4: ([.ascending(\.tag)], [.ascending("tag")])
        case 5:
            ([.ascending(\.level), .ascending(\.text)], [.ascending("level"), .ascending("text")])
        case 6: ([.descending(\.score)], [.descending("score")])
        default: ([], [])
        }
    }

    @Test(arguments: 1...8)
    func `gives what the typed one gives, with indexes`(seed: UInt64) throws {
        try check(Indexed.self, seed: seed)
    }

    @Test(arguments: 1...4)
    func `gives what the typed one gives, without indexes`(seed: UInt64) throws {
        try check(Unindexed.self, seed: seed)
    }

    private struct Person: Entity {
        enum Key: String, CodingKey { case name, age }
        enum CodingKeys: String, CodingKey {
            case id, name, age
            case city = "town"
        }
        static let indexes: [Index<Person>] = [.on(\.age), .on(\.city, field: "town")]
        var id: Int
        var name: String
        var age: Int?
        var city: String?
        var tags: [String] = []

        init(id: Int, name: String) { (self.id, self.name) = (id, name) }
        init(from decoder: any Decoder) throws {
            let fields = try decoder.container(keyedBy: CodingKeys.self)
            id = try fields.decode(Int.self, forKey: .id)
            name = try fields.decode(String.self, forKey: .name)
            age = try fields.decodeIfPresent(Int.self, forKey: .age)
            city = try fields.decodeIfPresent(String.self, forKey: .city)
        }
    }

    @Test func `names a field that does not exist`() throws {
        let store = try Store(inMemory: Person.self)
        #expect(try store.records("Person", where: RecordField("nme") == "Ada").isEmpty)
        try store.write { try $0.insert((0..<100).map { Person(id: $0, name: "P\($0)") }) }
        // The type asks for it, though no record has it.
        #expect(try store.records("Person", where: RecordField("age") == .null).count == 100)
        #expect(try store.records("Person", sortedBy: [.descending(Person.Key.age)]).count == 100)
        #expect(try store.count(RecordRequest("Person", where: RecordField("town") > "A")) == 0)
        let requests = [
            RecordRequest("Person", where: RecordField("nme") == "Ada"),
            RecordRequest(
                "Person", where: RecordField("name") == "Ada" && !(RecordField("city") == 1)),
            RecordRequest("Person", sortedBy: [.ascending("name"), .descending("size")]),
        ]
        for (request, name) in zip(requests, ["nme", "city", "size"]) {
            let errors = [
                #expect(throws: StoreError.self) { try store.records(request) },
                #expect(throws: StoreError.self) { try store.count(request) },
                #expect(throws: StoreError.self) { try store.explain(request) },
            ]
            for error in errors {
                #expect(error?.code == .unknownField)
                #expect(error?.place.field == name)
                #expect(error?.message.contains("\"id\", \"name\"") == true)
            }
        }
        let error = #expect(throws: StoreError.self) {
            try store.records("Persn", where: RecordField("name") == "Ada")
        }
        #expect(error?.code == .unknownEntity)
    }

    private struct OldBook: Entity {
        static let entityName = "Book"
        var id: Int
        var name: String
    }

    private struct Book: Entity {
        var id: Int
        var name: String
        var pages: Int
        var nickname: String?
        static let prototype = Book(id: 0, name: "", pages: 7, nickname: nil)
    }

    @Test func `finds a field after one that only the prototype has`() throws {
        let directory = try TemporaryDirectory()
        let old = try Store(at: directory.store, entities: OldBook.self)
        try old.write { try $0.insert((1...3).map { OldBook(id: $0, name: "B\($0)") }) }
        try old.close()
        let store = try Store(at: directory.store, entities: Book.self)
        #expect(try store.records("Book", where: RecordField("nickname") == .null).count == 3)
        let refusal = code {
            _ = try store.records("Book", where: RecordField("nicknam") == .null)
        }
        #expect(refusal == .unknownField)
        try store.close()
    }

    @Test func `uses the indexes of the entity`() throws {
        let store = try Store(inMemory: Person.self)
        func accesses(_ filter: RecordFilter) throws -> [QueryExplanation.Access] {
            try store.explain(RecordRequest("Person", where: filter)).accesses
        }
        #expect(
            try accesses(RecordField("age").in([1, 2]) || RecordField("town") == "Athens") == [
                .index(fields: ["age"], rangeCount: 2), .index(fields: ["town"], rangeCount: 1),
            ])
        #expect(
            try store.explain(RecordRequest("Person", sortedBy: [.descending("age")])).accesses
                == [.wholeIndex(fields: ["age"])])
        #expect(try accesses(.test { _ in true }) == [.scan])
        #expect(
            try accesses(RecordField("town").hasPrefix("A")) == [
                .index(fields: ["town"], rangeCount: 1)
            ])
    }

    @Test func `refuses comparisons that mean nothing`() throws {
        let store = try Store(inMemory: Person.self)
        let filters = [
            RecordField("age") > true, RecordField("age") < ["a"], RecordField("age") >= Int?.none,
        ]
        for filter in filters {
            let error = #expect(throws: StoreError.self) {
                try store.records("Person", where: filter)
            }
            #expect(error?.code == .invalidInput)
        }
    }

    @Test func `reads records of entities without a type`() throws {
        let directory = try TemporaryDirectory()
        let store = try Store(at: directory.store, entities: Person.self)
        try store.write { try $0.insert((0..<9).map { Person(id: $0, name: "P\($0 % 3)") }) }
        try store.close()
        let state = try Archive(at: directory.store).snapshot(asOf: .sequence(1))
        let found = try state.records(
            "Person", where: RecordField("name").in(["P1", "P2"]),
            sortedBy: [.descending("name"), .descending("id")], limit: 4)
        #expect(found.map { $0["id"]?.integer } == [8, 5, 2, 7])
        let error = #expect(throws: StoreError.self) {
            try state.records("Person", where: RecordField("age") == 1)
        }
        #expect(error?.code == .unknownField)
        #expect(try state.records("Nobody", where: RecordField("age") == 1).isEmpty)
    }
}
