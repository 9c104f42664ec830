import SkyrosLog

extension CheckpointPosition {
    /// The last event that the rows contain.
    var last: SequenceNumber { SequenceNumber(rawValue: sequence) }

    /// Compares the position of a checkpoint with a log of the same store.
    ///
    /// - Throws: `StoreError` with `.logBehindCheckpoint` if the checkpoint holds more than the
    ///   log, `.chainBroken` if it is of another history; `CheckpointError` if its time is wrong.
    func compare(with log: any LogReader) throws {
        let event = last
        let place = StoreError.Place(file: "checkpoint.sqlite", sequences: event...event)
        guard sequence <= log.head.sequence else {
            throw StoreError(
                .logBehindCheckpoint,
                "the checkpoint holds event \(event), the log ends at \(log.head.sequence): "
                    + "the log lost something; restore it, save the records with "
                    + "`skyros salvage --from-checkpoint`, or remove the checkpoint to open the "
                    + "store without them; in a copy of a store that was written meanwhile, "
                    + "copy its events/ again", at: place)
        }
        if sequence + 1 < log.firstSequence {
            throw CheckpointError.damage("it is older than the first event that the log keeps")
        }
        guard event > .zero else { return }
        let stamp = try EventReader(log).stamp(of: event)
        guard stamp?.chainHash.rawValue == chainHash else {
            throw StoreError(
                .chainBroken,
                "the checkpoint and the log differ at or before event \(event); "
                    + "remove checkpoint.sqlite to rebuild it from the log", at: place)
        }
        guard let time = stamp?.time, time.microseconds != timeMicroseconds else { return }
        throw CheckpointError.damage("its time is not that of event \(event)")
    }
}
