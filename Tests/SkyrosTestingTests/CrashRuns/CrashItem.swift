import Skyros

/// The entity of the crash runs.
struct CrashItem: Entity, Equatable {
    var id: Int
    /// The number of the batch that wrote it last, so that every update changes the record.
    var number: Int
    var text: String
    static let indexes: [Index<CrashItem>] = [.on(\.text), .unique(\.id)]
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
