import BenchmarkModel
import Foundation
import Synchronization

/// A program without a library: a Dictionary protected by a lock, sorted lists for its only query,
/// and a file to which each change is written first.
final class DictionaryFloor: Peer {
    fileprivate struct Group: Hashable {
        let restaurant: String
        let status: Order.Status
    }

    private struct Entry {
        let createdAt: Double
        let id: UUID
    }

    private struct State {
        var rows: [UUID: Order] = [:]
        var groups: [Group: [Entry]] = [:]
        var encoder = FloorEncoder()
    }

    private let state = Mutex(State())
    private let log: FileFloor?
    private let isIndexed: Bool

    /// - Parameters:
    ///   - log: where changes are written; nil for a Dictionary that forgets.
    ///   - isIndexed: whether to keep the sorted lists.
    init(logging log: FileFloor?, isIndexed: Bool = true) {
        self.log = log
        self.isIndexed = isIndexed
    }

    func count() throws -> Int {
        state.withLock { $0.rows.count }
    }

    func insert(_ order: Order) throws {
        try state.withLock { state in
            try write(&state) { $0.addInsertion(order) }
            add(order, to: &state)
        }
    }

    func insert(_ orders: [Order]) throws {
        try state.withLock { state in
            try write(&state) { encoder in
                for order in orders { encoder.addInsertion(order) }
            }
            for order in orders { add(order, to: &state) }
        }
    }

    func setStatus(_ status: Order.Status, of id: UUID) throws {
        try state.withLock { state in
            guard let old = state.rows[id] else { throw BenchmarkError("no order \(id)") }
            try write(&state) { $0.addStatus(status, of: id) }
            state.rows[id]?.status = status
            guard isIndexed, status != old.status else { return }
            let entry = Entry(createdAt: old.createdAt, id: id)
            Self.change(&state.groups[Group(old), default: []], removing: entry)
            let group = Group(restaurant: old.restaurant, status: status)
            Self.change(&state.groups[group, default: []], inserting: entry)
        }
    }

    func order(_ id: UUID) throws -> Order? {
        state.withLock { $0.rows[id] }
    }

    func totalCents(_ id: UUID) throws -> Int? {
        state.withLock { $0.rows[id]?.totalCents }
    }

    func newest(_ restaurant: String, _ status: Order.Status, limit: Int) throws -> [Order] {
        state.withLock { state in
            let group = Group(restaurant: restaurant, status: status)
            let entries = state.groups[group] ?? []
            return entries.suffix(limit).reversed().compactMap { state.rows[$0.id] }
        }
    }

    func reader() throws -> any Peer { self }

    func close() throws {
        log?.close()
    }

    private func write(
        _ state: inout State, _ encode: (inout FloorEncoder) -> Void
    ) throws {
        guard let log else { return }
        encode(&state.encoder)
        defer { state.encoder.clear() }
        _ = try state.encoder.bytes.withUnsafeBytes { try log.append($0) }
    }

    private func add(_ order: Order, to state: inout State) {
        state.rows[order.id] = order
        guard isIndexed else { return }
        let entry = Entry(createdAt: order.createdAt, id: order.id)
        Self.change(&state.groups[Group(order), default: []], inserting: entry)
    }

    private static func change(_ entries: inout [Entry], inserting entry: Entry) {
        entries.insert(entry, at: place(of: entry, in: entries))
    }

    private static func change(_ entries: inout [Entry], removing entry: Entry) {
        var index = place(of: entry, in: entries)
        while index < entries.count, entries[index].id != entry.id { index += 1 }
        if index < entries.count { entries.remove(at: index) }
    }

    /// The first place whose entry is not older.
    private static func place(of entry: Entry, in entries: [Entry]) -> Int {
        var low = 0
        var high = entries.count
        while low < high {
            let middle = (low + high) / 2
            if entries[middle].createdAt < entry.createdAt {
                low = middle + 1
            } else {
                high = middle
            }
        }
        return low
    }
}

extension DictionaryFloor.Group {
    fileprivate init(_ order: Order) {
        self.init(restaurant: order.restaurant, status: order.status)
    }
}
