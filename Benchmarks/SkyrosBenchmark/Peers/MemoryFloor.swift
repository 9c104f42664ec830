import BenchmarkModel
import Foundation

/// A program without a library: rows in an array, their numbers in a hash table, sorted lists of
/// row numbers for its only query, and a file to which each change is written first.
///
/// Unchecked because it has no lock: any number of threads may read while none writes, which holds
/// in all workloads. The accesses are not checked for exclusivity for the same reason.
final class MemoryFloor: Peer, @unchecked Sendable {
    @exclusivity(unchecked) private var rows: [Order] = []
    @exclusivity(unchecked) private var table: RowTable
    /// nil for a floor that answers no queries.
    @exclusivity(unchecked) private var lists: OrderLists?
    private let log: FileFloor?
    private let encoder = FloorEncoder()

    /// - Parameters:
    ///   - log: where changes are written; nil for a floor that forgets.
    ///   - count: how many rows are expected.
    ///   - isIndexed: whether to keep the sorted lists.
    init(logging log: FileFloor?, reserving count: Int, isIndexed: Bool = true) {
        self.log = log
        rows.reserveCapacity(count)
        table = RowTable(reserving: count)
        if isIndexed { lists = OrderLists(reserving: count) }
    }

    /// Folds a file of changes.
    ///
    /// - Parameter isIndexed: whether to make the sorted lists at the end.
    convenience init(folding file: URL, reserving count: Int, isIndexed: Bool) throws {
        self.init(logging: nil, reserving: count, isIndexed: false)
        let data = try Data(contentsOf: file, options: .alwaysMapped)
        try data.withUnsafeBytes { bytes in
            var decoder = FloorDecoder(bytes)
            while let change = try decoder.next() {
                switch change {
                case .insertion(let order): try add(order)
                case .status(let status, let id): rows[try number(of: id)].status = status
                }
            }
        }
        if isIndexed { lists = OrderLists(rows) }
    }

    func count() throws -> Int { rows.count }

    func insert(_ order: Order) throws {
        encoder.addInsertion(order)
        try write()
        try add(order)
    }

    func insert(_ orders: [Order]) throws {
        for order in orders { encoder.addInsertion(order) }
        try write()
        for order in orders { try add(order) }
    }

    func setStatus(_ status: Order.Status, of id: UUID) throws {
        let row = try number(of: id)
        encoder.addStatus(status, of: id)
        try write()
        if lists != nil, rows[row].status != status {
            lists?.remove(rows[row], row: row)
            rows[row].status = status
            lists?.add(rows[row], row: row)
        } else {
            rows[row].status = status
        }
    }

    func order(_ id: UUID) throws -> Order? {
        row(of: id).map { rows[$0] }
    }

    func totalCents(_ id: UUID) throws -> Int? {
        row(of: id).map { rows[$0].totalCents }
    }

    func newest(_ restaurant: String, _ status: Order.Status, limit: Int) throws -> [Order] {
        var orders: [Order] = []
        orders.reserveCapacity(limit)
        lists?.newest(restaurant, status, limit: limit) { orders.append(rows[$0]) }
        return orders
    }

    func reader() throws -> any Peer { self }

    func close() throws {
        log?.close()
    }

    private func write() throws {
        defer { encoder.clear() }
        _ = try log?.append(encoder.bytes)
    }

    private func add(_ order: Order) throws {
        guard row(of: order.id) == nil else { throw BenchmarkError("\(order.id) is there already") }
        table.add(order.id, row: rows.count) { rows[$0].id }
        rows.append(order)
        lists?.add(order, row: rows.count - 1)
    }

    private func row(of id: UUID) -> Int? {
        table.row(id) { rows[$0].id }
    }

    private func number(of id: UUID) throws -> Int {
        guard let row = row(of: id) else { throw BenchmarkError("no order \(id)") }
        return row
    }
}
