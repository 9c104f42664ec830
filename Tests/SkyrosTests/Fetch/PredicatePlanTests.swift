import Foundation
import Testing

@testable import Skyros

/// What the planner makes of Foundation's predicates.
@Suite struct `The plan of a predicate` {
    private typealias Single = Dish<SingleIndexes>
    private typealias Composite = Dish<CompositeIndexes>

    private struct Limits: Codable {
        var price = 3
    }

    @Test func `is that of the same filter by key paths`() {
        let price = 3
        #expect(
            PlanText.of(#Predicate<Single> { $0.price == price }) == PlanText.of(\Single.price == 3)
        )
        #expect(
            PlanText.of(#Predicate<Single> { $0.price < price }) == PlanText.of(\Single.price < 3))
        #expect(
            PlanText.of(#Predicate<Single> { $0.price <= price }) == PlanText.of(\Single.price <= 3)
        )
        #expect(
            PlanText.of(#Predicate<Single> { $0.price > price }) == PlanText.of(\Single.price > 3))
        #expect(
            PlanText.of(#Predicate<Single> { $0.price >= price }) == PlanText.of(\Single.price >= 3)
        )
        #expect(
            PlanText.of(#Predicate<Single> { $0.name == "a" }) == PlanText.of(\Single.name == "a"))
        #expect(PlanText.of(\Single.price == 3).index != nil)
    }

    @Test func `mirrors a comparison whose field stands on the right`() {
        #expect(
            PlanText.of(#Predicate<Single> { 3 == $0.price }) == PlanText.of(\Single.price == 3))
        #expect(PlanText.of(#Predicate<Single> { 3 < $0.price }) == PlanText.of(\Single.price > 3))
        #expect(
            PlanText.of(#Predicate<Single> { 3 <= $0.price }) == PlanText.of(\Single.price >= 3))
        #expect(PlanText.of(#Predicate<Single> { 3 > $0.price }) == PlanText.of(\Single.price < 3))
        #expect(
            PlanText.of(#Predicate<Single> { 3 >= $0.price }) == PlanText.of(\Single.price <= 3))
    }

    @Test func `joins the sides of a conjunction, however deep`() {
        let course = Dish<CompositeIndexes>.Course.main
        let (low, high) = (1, 9)
        let predicate = #Predicate<Composite> {
            (high > $0.price && $0.price >= low) && ($0.isVegan && $0.course == course)
        }
        let same = \Composite.course == .main && \.price < 9 && \.price >= 1
        #expect(PlanText.of(predicate) == PlanText.of(same))
        #expect(PlanText.of(same).index != nil)
    }

    @Test func `finds optional fields by equality`() {
        let rating: Double? = 3
        let none: String? = nil
        #expect(
            PlanText.of(#Predicate<Single> { $0.rating == rating })
                == PlanText.of(\Single.rating == 3))
        #expect(
            PlanText.of(#Predicate<Single> { $0.origin == none })
                == PlanText.of(\Single.origin == nil))
    }

    @Test func `is of all rows if the predicate tells nothing about each of them`() {
        let price = 3
        let limits = Limits()
        #expect(
            PlanText.of(#Predicate<Single> { $0.price == price || $0.name == "a" }) == .allRows)
        #expect(PlanText.of(#Predicate<Single> { !($0.price == price) }) == .allRows)
        #expect(PlanText.of(#Predicate<Single> { $0.price != price }) == .allRows)
        #expect(PlanText.of(#Predicate<Single> { $0.price + 1 == price }) == .allRows)
        #expect(PlanText.of(#Predicate<Single> { $0.price == limits.price }) == .allRows)
        #expect(PlanText.of(#Predicate<Single> { $0.name.count == price }) == .allRows)
        #expect(PlanText.of(#Predicate<Single> { ($0.rating ?? 3) == 3 }) == .allRows)
        #expect(PlanText.of(#Predicate<Single> { $0.name.contains("a") }) == .allRows)
        #expect(PlanText.of(#Predicate<Single> { _ in true }) == .allRows)
    }

    @Test func `uses one side of a conjunction whose other it does not understand`() {
        let predicate = #Predicate<Single> {
            $0.price == 3 && ($0.name == "a" || $0.name.contains("b"))
        }
        #expect(PlanText.of(predicate) == PlanText.of(\Single.price == 3))
    }
}
