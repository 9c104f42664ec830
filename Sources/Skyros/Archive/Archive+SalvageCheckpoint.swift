public import Foundation
package import SkyrosDisk
package import SkyrosLog

extension Archive {
    /// Writes a new store with the records of a store's checkpoint, for a store whose log is lost,
    /// or has lost the events that the checkpoint holds.
    ///
    ///     let report = try Archive.salvageCheckpoint(of: damaged, into: target)
    ///
    /// The records are taken over without their history, in as few events as the limit of an
    /// event's size allows, followed by one for each idempotency key. Each has the key `+adopted`:
    /// the store, the event and the chain hash of the checkpoint. The new store has another id, as
    /// it has another history. The old one is not changed. May be called from any thread.
    ///
    /// - Parameters:
    ///   - url: the store whose checkpoint is read. Its log need not be readable.
    ///   - directory: the new store: nothing, or an empty directory.
    ///   - progress: called for each record that is loaded or written, and each event read back.
    /// - Throws: `StoreError` with `.notAStore` if there is no checkpoint; `.checkpointFailed` if
    ///   it is damaged; `.unsupportedFormat` if a newer version wrote it or the log;
    ///   `.invalidInput` if the directory is not empty; `.diskFull`, `.io`.
    @discardableResult
    public static func salvageCheckpoint(
        of url: URL, into directory: URL, progress: (StoreProgress) -> Void = { _ in }
    ) throws -> SalvageReport {
        let source = try StoreDirectory.disk(at: url, creating: false)
        return try withNewDirectory(directory, outside: source) { target in
            try salvageCheckpoint(on: source, onto: target, progress: progress)
        }
    }

    /// The same on any disks; that of `target` must be empty.
    package static func salvageCheckpoint(
        on source: any Disk, onto target: Environment, options: LogOptions = LogOptions(),
        progress: (StoreProgress) -> Void = { _ in }
    ) throws -> SalvageReport {
        // Only a newer version knows what its log and its checkpoint have in common.
        do throws(LogError) {
            _ = try scan(source)
        } catch  where error.code == .unsupportedFormat {
            throw StoreError(error)
        } catch {}
        let (state, keys, position) = try checkpointState(on: source, progress)
        let total = state.recordCount + keys.events.count
        let storeID = StoreID(from: target.entropy)
        return try withNewLog(of: storeID, on: target, options, progress) { writer in
            var doneCount = 0
            let adoption = Adoption(position)
            func append(_ event: Event, _ count: Int) throws {
                var coded = CBORWriter(capacity: 1 << 12)
                try EventCoding.append(event, to: &coded)
                try coded.withUnsafeBytes { bytes throws(LogError) in
                    try writer.append(bytes, time: event.time.microseconds)
                }
                doneCount += count
                progress(StoreProgress(.writing, doneCount, of: total))
            }
            for changes in adoption.changes(of: state, bytesMax: options.batchBytesMax / 2) {
                // The first event says what the log had recorded of the shapes.
                let schemas = doneCount == 0 ? state.schemas : NamedValues()
                try append(
                    adoption.event(changes, schemas, writer.head.sequence + 1), changes.count)
            }
            for key in keys.events {
                try append(adoption.event(of: key, writer.head.sequence + 1), 1)
            }
            return SalvageReport(
                firstSequence: .zero.next, sequence: SequenceNumber(rawValue: writer.head.sequence),
                digest: try state.digest(), damages: [], tornTail: nil, readableAfterDamage: [],
                adoptedSequence: SequenceNumber(rawValue: position.sequence))
        }
    }

    private static func checkpointState(
        on disk: any Disk, _ progress: (StoreProgress) -> Void
    ) throws -> (Snapshot, KeyTable, CheckpointPosition) {
        do {
            let noStoreID = [UInt8](repeating: 0, count: CheckpointPosition.storeIDBytes)
            let chainHash = ChainHash(rawValue: 0)
            let empty = Snapshot(.untyped, beginning: chainHash, hashSeed: 0)
            guard let checkpoint = try checkpoint(on: disk, storeID: noStoreID),
                let description = try checkpoint.description(),
                let loaded = try checkpoint.loadContent(
                    into: empty,
                    progress: {
                        progress(StoreProgress(.loading, $0, of: description.layout.rowCount))
                    })
            else {
                throw StoreError(
                    .notAStore, "the store has no checkpoint, so there is nothing to take over",
                    at: StoreError.Place(file: "checkpoint.sqlite"))
            }
            return (loaded.snapshot, loaded.keys, loaded.description.position)
        } catch {
            throw StoreError.wrapping(error)
        }
    }
}

/// The events with which a new store takes over the records of a checkpoint.
private struct Adoption {
    private let position: CheckpointPosition

    init(_ position: CheckpointPosition) {
        self.position = position
    }

    /// The records as insertions, in groups of about `bytesMax` bytes or one larger record.
    func changes(of state: Snapshot, bytesMax: Int) -> some Sequence<[VersionedChange]> {
        var rest = state.tables.lazy.flatMap { table in
            table.sortedRows().lazy.map { row in
                VersionedChange(
                    .inserted(
                        Record(
                            entity: table.entity, id: row.id, fields: Fields(trusted: row.bytes))),
                    version: row.version)
            }
        }.makeIterator()
        var next = rest.next()
        return AnyIterator {
            var group: [VersionedChange] = []
            var byteCount = 0
            while let change = next, case .inserted(let record) = change.change,
                group.isEmpty || byteCount + record.fields.bytes.count <= bytesMax
            {
                group.append(change)
                byteCount += record.fields.bytes.count + record.entity.utf8.count + 64
                next = rest.next()
            }
            return group.isEmpty ? nil : group
        }
    }

    func event(
        _ changes: [VersionedChange], _ schemas: NamedValues<EntitySchema>, _ sequence: UInt64
    ) -> Event {
        Event(
            sequence: SequenceNumber(rawValue: sequence), time: time(of: sequence),
            metadata: metadata, intent: nil, changes: changes.map(\.change),
            additions: additions(), versions: changes.map(\.version), schemas: schemas)
    }

    /// An event with an idempotency key, so that the new store knows it. The checkpoint has only a
    /// hash of the intent.
    func event(of key: KeyedEvent, _ sequence: UInt64) -> Event {
        Event(
            sequence: SequenceNumber(rawValue: sequence), time: time(of: sequence),
            metadata: metadata, intent: nil, key: key.text, changes: [],
            additions: additions(key.intentHash))
    }

    /// Each is later than the one before, and leaves time for what is written next.
    private func time(of sequence: UInt64) -> EventTime {
        let start = min(max(position.timeMicroseconds, 0), Int64.max / 2)
        return EventTime(microseconds: start + Int64(sequence))
    }

    private var metadata: Metadata {
        Metadata(reason: "taken over from the checkpoint of event \(position.sequence)")
    }

    /// `+adopted`: where the records, or the key with the hash of its intent, come from.
    private func additions(_ intentHash: UInt64? = nil) -> Fields {
        var writer = CBORWriter()
        writer.appendMapHead(1)
        writer.append(text: "+adopted")
        writer.appendMapHead(intentHash == nil ? 3 : 4)
        writer.append(text: "chain")
        writer.append(position.chainHash)
        writer.append(text: "store")
        writer.append(bytes: position.storeID)
        if let intentHash {
            writer.append(text: "intent")
            writer.append(intentHash)
        }
        writer.append(text: "sequence")
        writer.append(position.sequence)
        return Fields(trusted: writer.array)
    }
}
