import SkyrosLog

/// The content of a floor: each record with the event that had changed it last, and what else an
/// opening needs of the events before.
///
/// Its records are items as in a run, sorted by key, each with one version of the kind `kept`. So
/// one record is found without the others. May be used from any thread.
final class FloorState: Sendable {
    /// The content of a frame with records, at least.
    static let frameBytes = 32 << 10
    /// The frame before those with records.
    private static let headFrames = 1

    private let file: LogFloor
    private let head: FloorHead
    private let index: RunIndex

    /// Reads all but the records.
    ///
    /// - Throws: `StoreError` with `.logCorrupt` if that is damaged, `.unsupportedFormat`.
    init(_ file: LogFloor) throws {
        self.file = file
        do {
            head = try FloorHead(try file.content(ofFrame: 0))
        } catch let error as CBORError {
            throw StoreError(file.damage("its first frame: \(error)"))
        } catch {
            throw StoreError.wrapping(error)
        }
        let bytes = try StoreError.wrap(try file.index())
        guard let index = RunIndex(bytes), index.frameCount == file.frameCount - Self.headFrames
        else { throw StoreError(file.damage("its index")) }
        self.index = index
        let last = head.keys.last?.sequence ?? .zero
        guard last <= sequence, head.recordCount >= 0,
            head.projections.allSatisfy({ $0.sequence <= sequence })
        else {
            throw StoreError(file.damage("it has a key or a projection of a later event"))
        }
    }

    /// The last event that was pruned.
    var sequence: SequenceNumber { SequenceNumber(rawValue: file.head.sequence) }

    /// What the floor says of itself.
    var description: Floor {
        Floor(
            sequence: sequence, time: EventTime(microseconds: file.time),
            recordCount: head.recordCount, digest: head.digest, prunedAt: head.prunedAt,
            actor: head.actor, reason: head.reason)
    }

    /// The latest time at which one of the events happened that were pruned.
    var happenedUntil: EventTime { head.happenedUntil }

    /// What the log had recorded of the shapes of entities.
    var schemas: NamedValues<EntitySchema> { head.schemas }

    /// The values of projections after the last event that was pruned.
    var projections: [StoredProjection] { head.projections }

    /// The correlations of events that were pruned, and of others that the log had then.
    var correlations: [String] { head.correlations }

    /// The idempotency keys that were known after the last event that was pruned.
    var keys: KeyTable { KeyTable(head.keys, after: head.keyBound) }

    /// The version of a record, if it was there.
    ///
    /// - Complexity: O(log n), and a frame or two.
    /// - Throws: `StoreError` with `.logCorrupt` if a frame is damaged.
    func version(of key: HistoryKey) throws -> RecordVersion? {
        guard key.id != nil, index.filter.mayContain(key.hash) else { return nil }
        return try reading {
            var found: RecordVersion?
            for number in try index.frames(of: key) where found == nil {
                try forEachItem(ofFrame: number) { item in
                    guard item.matches(key) else { return true }
                    found = try self.version(item.versions)
                    return false
                }
            }
            return found
        }
    }

    /// Calls `body` with each record, in order.
    func forEach(_ body: (HistoryKey, RecordVersion) throws -> Void) throws {
        try reading {
            for number in 0..<index.frameCount {
                try forEachItem(ofFrame: number) { item in
                    try body(item.historyKey, self.version(item.versions))
                    return true
                }
            }
        }
    }

    /// Calls `body` with each record of an entity, in order.
    ///
    /// - Complexity: O(log n), and the frames with records of the entity.
    func forEach(of entity: [UInt8], _ body: (RecordID, RecordVersion) throws -> Void) throws {
        try reading {
            var number = try index.frames(of: HistoryKey(entity: entity, id: nil)).lowerBound
            var mayFollow = true
            while mayFollow, number < index.frameCount {
                let content = try file.content(ofFrame: number + Self.headFrames)
                mayFollow = try RunItem.forEachRecord(of: entity, in: content) { id, versions in
                    try body(id, self.version(versions))
                }
                number += 1
            }
        }
    }

    /// The state before the first event that the log keeps. Call it in `Snapshot.fold`.
    ///
    /// - Parameters:
    ///   - empty: the state before the first event of all.
    ///   - dirty: marks each record, with the event that had changed it last.
    ///   - body: called with each row, the index of its table, and its version.
    /// - Throws: `StoreError` with `.logCorrupt` if the records are not those that were written.
    func state(
        into empty: Snapshot, marking dirty: inout DirtyRows,
        _ body: (Row, Int, RecordVersion) -> Void = { _, _, _ in }
    ) throws -> Snapshot {
        var state = empty
        var digest = StateDigest()
        var count = 0
        try forEach { key, version in
            guard let id = key.id, case .record(let bytes) = version.image else {
                throw CBORError(.unexpectedType(.map), at: 0)
            }
            let entity = String(decoding: key.entity, as: UTF8.self)
            let index = state.tableIndex(of: entity)
            let table = state.tables[index]
            let row = table.storedRow(
                id, hash: table.hash(id), number: table.nextNumber, version: version.shape,
                bytes: bytes)
            guard try state.tables[index].put(row, replacing: nil) == nil else {
                throw StoreError(file.damage("two records have the same id"))
            }
            dirty.mark(row, of: version.sequence, in: entity, at: index)
            body(row, index, version)
            bytes.withUnsafeBytes { digest.add(entity: entity, id: id, record: $0) }
            count += 1
        }
        guard digest == head.digest, count == head.recordCount else {
            throw StoreError(file.damage("its records have another digest than it says"))
        }
        state.schemas = head.schemas
        state.move(
            to: sequence, time: EventTime(microseconds: file.time),
            rawChainHash: file.head.chainHash.rawValue)
        return state
    }

    // MARK: Frames

    private func version(
        _ bytes: UnsafeRawBufferPointer
    ) throws(CBORError) -> RecordVersion {
        var reader = CBORReader(bytes)
        let version = try RecordVersion(&reader)
        guard version.kind == .kept, reader.isAtEnd,
            0 < version.sequence, version.sequence <= sequence
        else {
            throw CBORError(.unexpectedType(.array), at: 0)
        }
        return version
    }

    private func forEachItem(
        ofFrame number: Int, _ body: (RunItem) throws -> Bool
    ) throws {
        _ = try RunItem.forEach(in: file.content(ofFrame: number + Self.headFrames), body)
    }

    private func reading<R>(_ body: () throws -> R) throws -> R {
        do {
            return try body()
        } catch let error as CBORError {
            throw StoreError(file.damage(error.description))
        } catch {
            throw StoreError.wrapping(error)
        }
    }
}
