import Foundation
import Testing

@testable import Skyros

/// What the planner makes of filters by key paths and of sorts.
@Suite struct `A query plan` {
    private typealias Single = Dish<SingleIndexes>
    private typealias Composite = Dish<CompositeIndexes>

    /// The places of the indexes that `SingleIndexes` and `CompositeIndexes` declare.
    private enum Place {
        static let (name, course, price, rating) = (0, 1, 2, 3)
        static let (coursePrice, veganName) = (0, 2)
    }

    @Test func `finds an equal value in a range of one key`() throws {
        let plan = PlanText.of(\Single.price == 3)
        #expect(plan == PlanText(Place.price, try PlanText.key(3), try PlanText.end(3)))
        let texts = PlanText.of(\Single.name == "e\u{301}")
        #expect(texts.lower == (try PlanText.key("\u{E9}")))
    }

    @Test func `bounds a range on the sides that the filter bounds`() throws {
        let (three, afterThree) = (try PlanText.key(3), try PlanText.end(3))
        let (numbers, afterNumbers) = ([UInt8(0x10)], [UInt8(0x11)])
        let place = Place.price
        #expect(PlanText.of(\Single.price < 3) == PlanText(place, numbers, three))
        #expect(PlanText.of(\Single.price <= 3) == PlanText(place, numbers, afterThree))
        #expect(PlanText.of(\Single.price > 3) == PlanText(place, afterThree, afterNumbers))
        #expect(PlanText.of(\Single.price >= 3) == PlanText(place, three, afterNumbers))
    }

    @Test func `takes the narrowest of several bounds`() throws {
        let plan = PlanText.of(
            \Single.price > 1 && \.price >= 3 && \.price < 9 && \.price <= 7)
        #expect(plan == PlanText(Place.price, try PlanText.key(3), try PlanText.end(7)))
    }

    @Test func `leaves nil out of a range and finds it by equality`() throws {
        #expect(PlanText.of(\Single.rating < 3).lower == [0x10])
        #expect(PlanText.of(\Single.rating == nil) == PlanText(Place.rating, [0x00], [0x01]))
        #expect(PlanText.of(\Single.rating == 3).lower == (try PlanText.key(3)))
    }

    @Test func `is of the index that fixes most fields`() throws {
        let both = PlanText.of(\Composite.price == 3 && \.course == .main)
        #expect(
            both
                == PlanText(
                    Place.coursePrice, try PlanText.key("main", 3), try PlanText.end("main", 3)))
        let range = PlanText.of(\Composite.course == .main && \.price > 3 && \.isVegan == true)
        #expect(range.index == Place.coursePrice)
        #expect(range.lower == (try PlanText.end("main", 3)))
        #expect(range.upper == (try PlanText.key("main")) + [0x11])
    }

    @Test func `needs the first field of an index`() {
        #expect(PlanText.of(\Composite.price == 3) == PlanText.allRows)
        #expect(PlanText.of(\Composite.name == "a") == PlanText.allRows)
    }

    @Test func `is of all rows if the filter tells nothing about each of them`() {
        #expect(PlanText.of(\Single.price == 1 || \.price == 2) == PlanText.allRows)
        #expect(PlanText.of(!(\Single.price == 1)) == PlanText.allRows)
        #expect(PlanText.of(\Single.price != 1) == PlanText.allRows)
        #expect(PlanText.of(Filter<Single> { $0.price == 1 }) == PlanText.allRows)
        #expect(PlanText.of(!(\Single.price == 1 && \.name == "a")) == PlanText.allRows)
        let either = (\Single.price == 1 || \.price == 2) && \.name == "a"
        #expect(PlanText.of(either).index == Place.name)
    }

    @Test func `takes the order from an index where it reaches to the index's end`() {
        let ascending = PlanText.of(nil, [.ascending(\Single.price)])
        #expect(ascending == PlanText(Place.price, nil, nil, isSorted: true))
        let descending = PlanText.of(nil, [.descending(\Single.price)])
        #expect(descending.isSorted && descending.isReversed)
        #expect(PlanText.of(nil, [.ascending(\Composite.course.rawValue)]) == .unsortedRows)
        let both = PlanText.of(nil, [.ascending(\Composite.isVegan.number), .ascending(\.name)])
        #expect(both == .unsortedRows)
        let rest = PlanText.of(\Composite.isVegan == true, [.descending(\.name)])
        #expect(rest.index == Place.veganName)
        #expect(rest.isSorted && rest.isReversed)
        let front = PlanText.of(nil, [.ascending(\Composite.rating)])
        #expect(front == .unsortedRows)
        let mixed = PlanText.of(nil, [.ascending(\Composite.rating), .descending(\.since)])
        #expect(mixed == .unsortedRows)
        let whole = PlanText.of(nil, [.descending(\Composite.rating), .descending(\.since)])
        #expect(whole.isSorted && whole.isReversed)
    }

    @Test func `leaves the order of a sort descriptor to the descriptor`() {
        let request = FetchRequest<Single>(predicate: nil, sortBy: [SortDescriptor(\.price)])
        #expect(PlanText(QueryPlan(request, indexes: Single.indexes)) == .unsortedRows)
    }
}

extension Bool {
    fileprivate var number: Int { self ? 1 : 0 }
}
