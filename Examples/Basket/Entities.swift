import Foundation
import Skyros

/// A dish of the restaurant's menu.
struct Dish: Entity, Equatable {
    var id: String
    var name: String
    var cents: Int
}

/// How often a dish is in the basket. There is one line for each dish.
struct BasketLine: Entity, Equatable {
    var id = UUID()
    var dish: Ref<Dish>
    var count: Int
    var note: String?
    static let indexes: [Index<BasketLine>] = [.unique(\.dish)]
    static let relations: [Relation<BasketLine>] = [.to(\.dish, onDelete: .cascade)]
}

/// The basket as a screen shows it: of the store, or of a draft.
struct Basket {
    var items: [(line: BasketLine, dish: Dish)]

    init(of source: some RecordSource) throws {
        items = try source.join(BasketLine.self, \.dish)
            .sorted { $0.target.name < $1.target.name }
            .map { (line: $0.record, dish: $0.target) }
    }

    var totalCents: Int {
        items.reduce(0) { $0 + $1.line.count * $1.dish.cents }
    }
}
