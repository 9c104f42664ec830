import SkyrosDisk

/// The index keys that today's type reads from records of an older shape, by which a unique index
/// finds them.
///
/// Such a record lacks the indexed field, or holds a value of another kind, so the index itself has
/// another key of it. The keys are collected at the opening, and when such a record is written. A
/// record may have changed since: what is found is only a hint.
final class OlderKeys: Sendable {
    private let holders = Locked<[ByteString: Set<RecordID>]>([:])

    func add(_ key: ByteString, of id: RecordID) {
        _ = holders.withLock { $0[key, default: []].insert(id) }
    }

    /// The records that had this key when they were added.
    func records(with key: ByteString) -> Set<RecordID> {
        holders.withLock { $0[key] ?? [] }
    }

    /// All keys and their records.
    var all: [ByteString: Set<RecordID>] { holders.withLock { $0 } }
}
