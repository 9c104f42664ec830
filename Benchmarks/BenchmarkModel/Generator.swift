public import Foundation

/// The data and the requests of all workloads: a pure function of an index, the same everywhere.
public enum Generator {
    private static let words = [
        "extra", "cheese", "no", "onion", "ring", "bell", "twice", "leave", "at", "door", "gluten",
        "free", "spicy", "sauce", "please", "call", "on", "arrival", "hot", "cold", "napkins",
        "salt", "light", "vegan", "nuts", "allergy", "third", "floor", "back", "gate", "thanks",
        "quick",
    ]
    private static let statuses: [Order.Status] = [
        .placed, .accepted, .cooking, .delivering, .done,
    ]
    private static let customerCount = 10_000
    private static let restaurantCount = 500
    private static let noteCharacters = 36

    /// The id of a row.
    public static func id(_ row: Int) -> UUID {
        var numbers = SplitMix(.rows, at: row)
        return id(&numbers)
    }

    /// A row.
    public static func order(_ row: Int) -> Order {
        var numbers = SplitMix(.rows, at: row)
        let id = id(&numbers)
        let customer = "customer-\(numbers.next(below: customerCount))"
        let facts = Facts(row, &numbers)
        let items = 1 + numbers.next(below: 8)
        let note = note(&numbers)
        let chance = numbers.next()
        return Order(
            id: id, customer: customer, restaurant: "restaurant-\(facts.restaurant)",
            status: statuses[facts.status], totalCents: facts.totalCents,
            createdAt: facts.createdAt, items: items, note: note,
            rating: chance % 100 < 50 ? 1 + Double((chance >> 32) % 9) * 0.5 : nil)
    }

    /// The rows of a range, in order.
    public static func orders(_ rows: Range<Int>) -> [Order] {
        rows.map(order)
    }

    /// An update: which row gets which status.
    public static func update(_ index: Int, of rows: Int) -> (row: Int, status: Order.Status) {
        var numbers = SplitMix(.updates, at: index)
        let row = numbers.next(below: rows)
        return (row, statuses[numbers.next(below: statuses.count)])
    }

    /// A read: which row.
    public static func read(_ index: Int, of rows: Int) -> Int {
        var numbers = SplitMix(.reads, at: index)
        return numbers.next(below: rows)
    }

    /// A query: whose orders, in which status.
    public static func query(_ index: Int) -> (restaurant: String, status: Order.Status) {
        let (restaurant, status) = queryNumbers(index)
        return ("restaurant-\(restaurant)", statuses[status])
    }

    static func queryNumbers(_ index: Int) -> (restaurant: Int, status: Int) {
        var numbers = SplitMix(.queries, at: index)
        let restaurant = numbers.next(below: restaurantCount)
        return (restaurant, numbers.next(below: statuses.count))
    }

    /// The fields of a row that checks look at, without the strings.
    struct Facts {
        let restaurant: Int
        let status: Int
        let totalCents: Int
        let createdAt: Double

        init(row: Int) {
            var numbers = SplitMix(.rows, at: row)
            for _ in 0..<3 { _ = numbers.next() }
            self.init(row, &numbers)
        }

        fileprivate init(_ row: Int, _ numbers: inout SplitMix) {
            restaurant = numbers.next(below: restaurantCount)
            status = numbers.next(below: statuses.count)
            totalCents = 500 + numbers.next(below: 9_500)
            let jitter = Double(numbers.next(below: 250)) / 1_000
            createdAt = 1_700_000_000 + Double(row) * 0.25 + jitter
        }
    }

    private static func id(_ numbers: inout SplitMix) -> UUID {
        let high = numbers.next().bigEndian
        let low = numbers.next().bigEndian
        var bytes: uuid_t = (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
        withUnsafeMutableBytes(of: &bytes) {
            $0.storeBytes(of: high, as: UInt64.self)
            $0.storeBytes(of: low, toByteOffset: 8, as: UInt64.self)
        }
        return UUID(uuid: bytes)
    }

    private static func note(_ numbers: inout SplitMix) -> String? {
        guard numbers.next(below: 100) < 30 else { return nil }
        var note = words[numbers.next(below: words.count)]
        while note.utf8.count < noteCharacters {
            note += " " + words[numbers.next(below: words.count)]
        }
        return note
    }
}
