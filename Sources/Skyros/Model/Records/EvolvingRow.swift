import Synchronization

/// A row whose record has an older shape than its type: it keeps what the steps have made of it.
///
/// The stored bytes are the record, as of any row. The steps run when the record is first read,
/// indexed or written; so no closure runs under the lock of the view.
///
/// - Note: `@unchecked` as its superclass is. The reference is set once.
final class EvolvingRow: Row, @unchecked Sendable {
    private let evolver: Evolver
    private let evolved = AtomicLazyReference<EvolvedBytes>()

    init(
        id: RecordID, hash: UInt64, number: UInt64, version: Int, bytes: [UInt8],
        _ evolver: Evolver
    ) {
        self.evolver = evolver
        super.init(id: id, hash: hash, number: number, version: version, bytes: bytes)
    }

    override func bytes(evolvedBy other: Evolver, _ entity: String) throws -> [UInt8] {
        guard other === evolver || other.type == evolver.type else {
            return try super.bytes(evolvedBy: other, entity)
        }
        if let known = evolved.load() { return try known.result.get() }
        // Two threads may do it at the same time; all see what the first one has stored.
        let result = Result { try super.bytes(evolvedBy: evolver, entity) }
        return try evolved.storeIfNil(EvolvedBytes(result)).result.get()
    }
}

/// What the steps have made of a record, or why they could not.
private final class EvolvedBytes: Sendable {
    let result: Result<[UInt8], any Error>

    init(_ result: Result<[UInt8], any Error>) {
        self.result = result
    }
}
