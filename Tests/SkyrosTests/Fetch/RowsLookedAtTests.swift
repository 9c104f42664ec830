import Foundation
import Skyros
import Synchronization
import Testing

/// Whether a request uses an index shows in how many values its filter gets to see.
@Suite struct `The rows that a request looks at` {
    /// A number written as text, in the order of the numbers.
    private struct Edition: Codable, Comparable, Sendable {
        var number: Int

        init(_ number: Int) { self.number = number }

        init(from decoder: any Decoder) throws {
            number = Int(try decoder.singleValueContainer().decode(String.self)) ?? 0
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode("\(number)")
        }

        static func < (a: Edition, b: Edition) -> Bool { a.number < b.number }
    }

    /// An enum in an order of its own, against that of its raw values.
    private enum Shape: String, Codable, Comparable, CaseIterable {
        case small, large

        static func < (a: Shape, b: Shape) -> Bool { a == .small && b == .large }
    }

    private struct Book: Entity {
        static let indexes: [Index<Book>] = [
            .on(\.shelf), .on(\.shelf, \.year), .on(\.year), .on(\.price), .on(\.loan),
            .on(\.edition), .on(\.shape, \.year), .on(\.data), .on(\.isLent),
        ]

        var id: Int
        var shelf: String
        var year: Int
        var price: Double
        var loan: Int?
        var edition: Edition
        var shape: Shape
        var data: Data
        var isLent: Bool
        var title = "t"
    }

    private let store: Store
    private let books: [Book]

    init() throws {
        store = try Store(inMemory: Book.self)
        books = (0..<120).map { id in
            Book(
                id: id, shelf: ["a", "b", "c"][id % 3], year: 2000 + id % 10,
                price: Double(id % 8) / 2, loan: id % 4 == 0 ? nil : id % 6,
                edition: Edition(id % 12), shape: id % 2 == 0 ? .small : .large,
                data: Data([UInt8(id % 5)]), isLent: id % 20 == 0)
        }
        try store.write { [books] in try $0.insert(books) }
    }

    /// The number of values that pass by, of all those that `filter` looks at.
    private func expect(
        _ looked: Int, of filter: Filter<Book>?, sortedBy sort: Sort<Book>..., offset: Int = 0,
        limit: Int? = nil, location: SourceLocation = #_sourceLocation
    ) throws {
        let tally = Tally()
        let counting = Filter<Book> { _ in tally.note() }
        _ = try store.all(
            Book.self, where: filter.map { counting && $0 } ?? counting, sortedBy: sort,
            offset: offset, limit: limit)
        #expect(tally.count == looked, sourceLocation: location)
    }

    private func count(_ isIncluded: (Book) -> Bool) -> Int {
        books.filter(isIncluded).count
    }

    @Test func `are those with the value asked for`() throws {
        try expect(40, of: \.shelf == "a")
        try expect(0, of: \.shelf == "nowhere")
        try expect(count { $0.loan == nil }, of: \.loan == nil)
        try expect(count { $0.loan == 5 }, of: \.loan == 5)
        try expect(6, of: \.isLent == true)
    }

    @Test func `are those with the values asked for, of several fields`() throws {
        try expect(
            count { $0.shelf == "a" && $0.year == 2003 }, of: \.shelf == "a" && \.year == 2003)
        try expect(
            count { $0.shelf == "a" && $0.year == 2003 },
            of: \.title == "t" && (\.year == 2003 && \.shelf == "a"))
        try expect(
            count { $0.shelf == "a" && $0.year == 2003 },
            of: \.shelf == "a" && \.shelf == "b" && \.year == 2003)
    }

    @Test func `are those within the range asked for`() throws {
        try expect(count { $0.year < 2003 }, of: \.year < 2003)
        try expect(count { $0.year <= 2003 }, of: \.year <= 2003)
        try expect(count { $0.year > 2003 }, of: \.year > 2003)
        try expect(count { $0.year >= 2003 }, of: \.year >= 2003)
        try expect(count { $0.price > 1 && $0.price <= 2 }, of: \.price > 1 && \.price <= 2)
        try expect(count { $0.year >= 2003 && $0.year < 2005 }, of: \.year < 2005 && \.year >= 2003)
        try expect(0, of: \.year > 2005 && \.year < 2003)
        try expect(0, of: \.year > 2005 && \.year < 2005)
        try expect(count { $0.year == 2004 }, of: \.year >= 2004 && \.year <= 2004)
        try expect(
            count { $0.year > 2004 }, of: \.year > 2001 && \.year > 2004 && \.year >= 2002)
    }

    @Test func `are none that are nil, if a range is asked for`() throws {
        try expect(count { $0.loan.map { $0 < 3 } ?? false }, of: \.loan < 3)
        try expect(count { $0.loan.map { $0 <= 3 } ?? false }, of: \.loan <= 3)
        try expect(count { $0.loan.map { $0 > 3 } ?? false }, of: \.loan > 3)
        try expect(count { $0.loan.map { $0 >= 3 } ?? false }, of: \.loan >= 3)
    }

    @Test func `are those of an equality and a range behind it`() throws {
        try expect(
            count { $0.shelf == "b" && $0.year > 2005 }, of: \.year > 2005 && \.shelf == "b")
        try expect(
            count { $0.shape == .large && $0.year >= 2003 && $0.year < 2008 },
            of: \.shape == .large && \.year >= 2003 && \.year < 2008)
    }

    @Test func `end with the last one asked for, where an index gives the order`() throws {
        try expect(5, of: nil, sortedBy: .ascending(\.year), limit: 5)
        try expect(5, of: nil, sortedBy: .ascending(\.year), offset: 3, limit: 2)
        try expect(5, of: nil, sortedBy: .ascending(\.shelf), .ascending(\.year), limit: 5)
        try expect(5, of: \.shelf == "c", sortedBy: .ascending(\.year), limit: 5)
        try expect(5, of: \.year > 2003, sortedBy: .ascending(\.year), limit: 5)
        try expect(5, of: nil, sortedBy: .descending(\.year), limit: 5)
        try expect(5, of: \.shelf == "c", sortedBy: .descending(\.year), limit: 5)
        try expect(5, of: nil, sortedBy: .ascending(\.loan), limit: 5)
        try expect(5, of: nil, limit: 5)
        try expect(0, of: nil, sortedBy: .ascending(\.year), limit: 0)
    }

    @Test func `are all, where no index gives the order`() throws {
        try expect(120, of: nil, sortedBy: .ascending(\.title), limit: 5)
        try expect(120, of: nil, sortedBy: .ascending(\.edition), limit: 5)
        try expect(120, of: nil, sortedBy: .ascending(\.shape), .ascending(\.year), limit: 5)
        try expect(120, of: nil, sortedBy: .ascending(\.shelf), .descending(\.year), limit: 5)
        // Books of one shelf and year come in the order of their ids, not of their prices.
        try expect(40, of: \.shelf == "a", sortedBy: .ascending(\.shelf), limit: 5)
        // What compares by the user's language is in no index.
        try expect(120, of: nil, sortedBy: Sort(SortDescriptor(\.shelf)), limit: 5)
    }

    @Test func `are all below an or, and below a not`() throws {
        try expect(120, of: \.shelf == "a" || \.shelf == "b")
        try expect(120, of: !(\.shelf == "a"))
        try expect(120, of: \.shelf != "a")
        try expect(120, of: !(\.shelf == "a" && \.year == 2003))
        try expect(40, of: \.shelf == "a" && (\.year == 2003 || \.year == 2004))
    }

    @Test func `are all for a field without an index`() throws {
        try expect(120, of: \.title == "t")
        try expect(120, of: Filter { $0.shelf == "a" })
        try expect(120, of: nil)
    }

    @Test func `are all for types whose order and equality are their own`() throws {
        try expect(120, of: \.edition < Edition(10))
        try expect(120, of: \.edition == Edition(10))
        try expect(120, of: \.shape < .large)
        try expect(120, of: \.data == Data([2]))
        try expect(60, of: \.shape == .small)
        #expect(try store.count(Book.self, where: \.edition >= Edition(10)) == 20)
        #expect(try store.count(Book.self, where: \.shape < .large) == 60)
        #expect(try store.first(Book.self, sortedBy: [.descending(\.shape)])?.shape == .large)
        #expect(
            try store.first(Book.self, sortedBy: [.descending(\.edition)])?.edition == Edition(11))
    }

    @Test func `are none where the filter cannot hold`() throws {
        try expect(0, of: \.price > .infinity)
        try expect(0, of: \.price < 0)
        try expect(0, of: \.loan > .max)
    }
}

/// The same for the trees that `#Predicate` makes.
extension `The rows that a request looks at` {
    private func expect(
        _ looked: Int, of predicate: Predicate<Book>, location: SourceLocation = #_sourceLocation
    ) throws {
        try expect(looked, of: Filter(predicate), location: location)
    }

    @Test func `are those with the value that a predicate asks for`() throws {
        let (shelf, year, loan) = ("b", 2004, Int?.some(5))
        try expect(40, of: #Predicate { $0.shelf == shelf })
        try expect(40, of: #Predicate { "b" == $0.shelf })
        try expect(40, of: #Predicate { shelf == $0.shelf && $0.title == "t" })
        try expect(
            count { $0.shelf == shelf && $0.year == year },
            of: #Predicate { $0.year == year && $0.shelf == shelf })
        try expect(count { $0.loan == 5 }, of: #Predicate { $0.loan == loan })
    }

    @Test func `are those within the range that a predicate asks for`() throws {
        let (year, price) = (2004, 1.5)
        try expect(count { $0.year < year }, of: #Predicate { $0.year < year })
        try expect(count { $0.year <= year }, of: #Predicate { $0.year <= year })
        try expect(count { $0.year > year }, of: #Predicate { $0.year > year })
        try expect(count { $0.year >= year }, of: #Predicate { $0.year >= year })
        try expect(count { $0.price > price }, of: #Predicate { price < $0.price })
        try expect(count { $0.price >= price }, of: #Predicate { price <= $0.price })
        try expect(count { $0.price < price }, of: #Predicate { price > $0.price })
        try expect(count { $0.price <= price }, of: #Predicate { price >= $0.price })
        try expect(
            count { $0.price > 0.5 && $0.price <= 2 },
            of: #Predicate { $0.price > 0.5 && $0.price <= 2 && $0.title == "t" })
        try expect(
            count { $0.shelf == "a" && $0.year > year },
            of: #Predicate { $0.shelf == "a" && ($0.year > year && $0.title != "u") })
    }

    @Test func `are all where a predicate is not understood`() throws {
        let (shelf, other) = ("b", books[7])
        try expect(120, of: #Predicate { $0.shelf == shelf || $0.year == 2001 })
        try expect(120, of: #Predicate { !($0.shelf == shelf) })
        try expect(120, of: #Predicate { $0.shelf != shelf })
        try expect(120, of: #Predicate { $0.year + 1 == 2002 })
        try expect(120, of: #Predicate { $0.shelf == $0.title })
        try expect(120, of: #Predicate { $0.year == other.year })
        try expect(120, of: #Predicate { ($0.loan ?? 5) == 5 })
        try expect(120, of: #Predicate { $0.shelf.starts(with: "a") })
    }
}

/// Counts how often a filter was asked.
private final class Tally: Sendable {
    private let calls = Mutex(0)

    var count: Int { calls.withLock { $0 } }

    func note() -> Bool {
        calls.withLock { $0 += 1 }
        return true
    }
}
