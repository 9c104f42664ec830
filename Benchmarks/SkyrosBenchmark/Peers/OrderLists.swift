import BenchmarkModel

/// The numbers of the orders of each restaurant in each status, sorted by time: the index of the
/// floor.
struct OrderLists {
    private struct Entry {
        let createdAt: Double
        let row: UInt32
    }

    private var restaurants: [String: Int] = [:]
    /// A list for each status of each restaurant.
    private var lists: [[Entry]] = []
    private let entriesReserved: Int

    /// - Parameter rows: how many rows are expected.
    init(reserving rows: Int) {
        // Lists of average length grow by a quarter without being copied.
        entriesReserved = rows / 2_000
    }

    /// Lists of rows that are known already: each is sorted once.
    init(_ orders: [Order]) {
        self.init(reserving: orders.count)
        for (row, order) in orders.enumerated() {
            let list = list(order.restaurant, order.status)
            lists[list].append(Entry(createdAt: order.createdAt, row: UInt32(row)))
        }
        for list in lists.indices { lists[list].sort { $0.createdAt < $1.createdAt } }
    }

    mutating func add(_ order: Order, row: Int) {
        let entry = Entry(createdAt: order.createdAt, row: UInt32(row))
        let list = list(order.restaurant, order.status)
        let place = Self.place(of: entry, in: lists[list])
        lists[list].insert(entry, at: place)
    }

    /// Removes the order as it was when it was added.
    mutating func remove(_ order: Order, row: Int) {
        let entry = Entry(createdAt: order.createdAt, row: UInt32(row))
        let list = list(order.restaurant, order.status)
        var index = Self.place(of: entry, in: lists[list])
        while index < lists[list].count, lists[list][index].row != entry.row { index += 1 }
        if index < lists[list].count { lists[list].remove(at: index) }
    }

    /// The newest rows of a restaurant in a status, the newest first.
    func newest(
        _ restaurant: String, _ status: Order.Status, limit: Int, _ body: (Int) -> Void
    ) {
        guard let number = restaurants[restaurant] else { return }
        let list = lists[number * FloorEncoder.statuses.count + Int(status.floorCode)]
        for index in (max(list.count - limit, 0)..<list.count).reversed() {
            body(Int(list[index].row))
        }
    }

    private mutating func list(_ restaurant: String, _ status: Order.Status) -> Int {
        let statusCount = FloorEncoder.statuses.count
        if let number = restaurants[restaurant] {
            return number * statusCount + Int(status.floorCode)
        }
        let number = restaurants.count
        restaurants[restaurant] = number
        for _ in 0..<statusCount {
            lists.append([])
            lists[lists.count - 1].reserveCapacity(entriesReserved)
        }
        return number * statusCount + Int(status.floorCode)
    }

    /// The first place whose entry is not older.
    private static func place(of entry: Entry, in list: [Entry]) -> Int {
        // Most orders are newer than all before them.
        guard let last = list.last, last.createdAt >= entry.createdAt else { return list.count }
        var low = 0
        var high = list.count
        while low < high {
            let middle = (low + high) / 2
            if list[middle].createdAt < entry.createdAt {
                low = middle + 1
            } else {
                high = middle
            }
        }
        return low
    }
}
