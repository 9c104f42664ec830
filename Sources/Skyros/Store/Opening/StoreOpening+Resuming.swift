import SkyrosDisk
import SkyrosLog

// Opening again what a suspended store has left, and others may have changed.

extension StoreOpening {
    /// The state of the log's files, which must continue the history of `known`.
    ///
    /// - Throws: `StoreError` with `.historyChanged` if they do not; as `open`.
    func inspection(continuing known: Snapshot) throws -> LogInspection {
        try ErasureMarker.checkIsMissing(on: environment.disk)
        let inspection = try LogInspection(
            of: environment.disk, logOptions, framing: EventCoding.byteCount(of:))
        if let refusal = inspection.refusal { throw refusal }
        let sequence = known.sequence
        // What the store knew may have been pruned.
        let isKept = sequence.rawValue + 1 >= inspection.firstSequence
        let hash =
            sequence == .zero
            ? inspection.storeID.map { ChainHash(beginning: $0) }
            : isKept ? try EventReader(inspection).check(through: sequence) : nil
        guard isKept, hash == known.chainHash else {
            throw StoreError(
                .historyChanged,
                "the log has another history than the store had at event \(sequence) when it was "
                    + "suspended: it was replaced or pruned, or has lost events. Close this store "
                    + "and open it again to see what is there now",
                at: StoreError.Place(sequences: sequence...sequence))
        }
        return inspection
    }

    /// The state at the end of the log, and the rows that the checkpoint lacks.
    ///
    /// - Parameters:
    ///   - known: an earlier state.
    ///   - dirty: the rows that differ between `known` and the checkpoint as it was then.
    ///   - keys: the idempotency keys of `known`, and then of the new state.
    func state(
        of log: LogInspection, after known: Snapshot, _ dirty: DirtyRows,
        _ keys: inout KeyTable, empty: Snapshot, _ checkpointer: Checkpointer?
    ) throws -> (snapshot: Snapshot, dirty: DirtyRows) {
        guard let checkpointer, try !checkpointer.isUnchanged() else {
            var (snapshot, dirty) = (known, dirty)
            let last = SequenceNumber(rawValue: log.head.sequence)
            try HistoryReader.fold(log, through: last, into: &snapshot, marking: &dirty) {
                keyWindow.note($0, in: &keys)
                return true
            }
            try compareWithSchema(snapshot)
            try snapshot.adoptRecordedSchemas()
            try schema.refuseOtherSteps(in: snapshot)
            return (snapshot, dirty)
        }
        // Another process has numbered the rows in its checkpoint.
        guard let storeID = log.storeID else { return (known, dirty) }
        var checkpoint = CheckpointOpening(checkpointer, on: environment.disk, storeID: storeID)
        var (snapshot, dirty) = (empty, DirtyRows())
        try snapshot.fold { snapshot in
            snapshot = try checkpoint.load(into: snapshot, log, &keys)
            try replay(log, into: &snapshot, &dirty, &keys)
        }
        try complete(&keys, from: log, at: snapshot.time)
        try compareWithSchema(snapshot)
        try snapshot.adoptRecordedSchemas()
        try schema.refuseOtherSteps(in: snapshot)
        _ = try checkpoint.setAsideIfUseless()
        try checkpoint.makeFileIfMissing()
        checkpoint.compareLater(with: log)
        return (snapshot, dirty)
    }
}
