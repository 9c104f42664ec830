import Skyros

/// The screen on which a customer edits the basket. Nothing of it is in the store before `save`.
struct BasketEditor {
    private let draft: ChildStore

    init(_ store: Store, by customer: String) {
        draft = store.fork(by: customer)
    }

    /// The basket with the edits.
    var basket: Basket {
        get throws { try Basket(of: draft) }
    }

    /// Whether there is anything to save.
    var hasChanges: Bool {
        get throws { try draft.hasChanges }
    }

    /// Sets how often a dish is wanted; 0 takes it out of the basket.
    func set(_ count: Int, of dish: Dish.ID, note: String? = nil) throws {
        try draft.write { tx in
            let line = try tx.first(BasketLine.self, where: \.dish == Ref(dish))
            guard count > 0 else {
                if let line { try tx.delete(line) }
                return
            }
            var wanted = line ?? BasketLine(dish: Ref(dish), count: count)
            wanted.count = count
            wanted.note = note ?? wanted.note
            try tx.upsert(wanted)
        }
    }

    /// Writes all edits as one event. If it throws, the store is as it was, and the draft is kept.
    ///
    /// A dish that the restaurant has taken off the menu meanwhile is a `StoreError` with
    /// `.brokenReference`, which lists the lines.
    func save() throws {
        try draft.merge(because: "basket changed")
    }

    /// Drops all edits.
    func cancel() throws {
        try draft.discard()
    }
}
