import Skyros

/// The entity of the crash runs.
struct CrashItem: Entity, Equatable {
    var id: Int
    /// The number of the batch that wrote it last, so that every update changes the record.
    var number: Int
    var text: String
    static let indexes: [Index<CrashItem>] = [.on(\.text), .unique(\.id)]
}

/// The projection of the crash runs: the numbers of the records once more.
struct CrashTally: Projection {
    private(set) var numbers: [Int: Int] = [:]
    /// The event before the first that it got, and how many it got.
    private var start: UInt64 = 0
    private var eventCount: UInt64 = 0

    init() {}

    init(floor: Snapshot) throws {
        start = floor.sequence.rawValue
        for item in try floor.all(CrashItem.self) { numbers[item.id] = item.number }
    }

    mutating func apply(_ event: AppliedEvent) throws {
        eventCount += 1
        for change in try event.changes(of: CrashItem.self) {
            if let id = try change.before?.id { numbers[id] = nil }
            if let item = try change.after { numbers[item.id] = item.number }
        }
    }

    /// The last event that it got.
    var sequence: SequenceNumber { SequenceNumber(rawValue: start + eventCount) }
}

/// One step of a write block of the crash runs.
enum CrashEdit {
    case insert(CrashItem)
    case update(CrashItem)
    case delete(Int)
    case deleteAll

    func apply(to state: inout [Int: CrashItem]) {
        switch self {
        case .insert(let item), .update(let item): state[item.id] = item
        case .delete(let id): state[id] = nil
        case .deleteAll: state = [:]
        }
    }

    func apply(to tx: inout WriteTransaction) throws {
        switch self {
        case .insert(let item): try tx.insert(item)
        case .update(let item): try tx.update(item)
        case .delete(let id): try tx.delete(CrashItem.self, id)
        case .deleteAll: try tx.deleteAll(CrashItem.self)
        }
    }
}

extension CrashEdit: CustomStringConvertible {
    var description: String {
        switch self {
        case .insert(let item): "insert \(item.id) (\(item.text.count) characters)"
        case .update(let item): "update \(item.id) (\(item.text.count) characters)"
        case .delete(let id): "delete \(id)"
        case .deleteAll: "delete all"
        }
    }
}

extension Store {
    /// Writes a block, with an idempotency key if there is one.
    func write(
        once key: String?, because reason: String, _ durability: Durability,
        _ block: (inout WriteTransaction) throws -> Void
    ) throws {
        guard let key else { return try write(because: reason, durability: durability, block) }
        try write(once: key, because: reason, durability: durability, block)
    }
}
