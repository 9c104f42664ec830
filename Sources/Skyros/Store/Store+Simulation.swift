package import SkyrosDisk
import SkyrosLog

// For simulations: a store that does only what they call, in their order.

extension Store {
    /// A step that the background threads of a store otherwise run.
    package enum MaintenanceStep: Sendable {
        /// Seals the oldest ended segment, if there is one.
        case seal
        /// Appends an idle mark to the log.
        case mark
        /// Ends the active segment, if it holds enough, as after a pause.
        case endSegment
        /// Merges small segments, if that is due.
        case merge
        /// Writes a checkpoint of the newest state.
        case checkpoint
        /// Reads sealed segments again, as after a minute of use.
        case scrub
        /// Makes runs of the whole history, and merges those that are due.
        case indexHistory
        /// Prunes the history before the newest event, as far as files end there.
        case prune
        /// Prunes what `Options.retention` does not keep.
        case retention
    }

    /// Opens a store that seals what an earlier process left to seal, and runs nothing in the
    /// background after this call.
    package static func simulated(
        _ entities: [any Entity.Type], _ options: Options, _ environment: Environment
    ) throws -> Store {
        let store = try Store(Schema(entities), options, environment)
        store.maintenance.stop()
        return store
    }

    /// Runs the step on the calling thread.
    package func run(_ step: MaintenanceStep) throws {
        switch step {
        case .seal:
            _ = try StoreError.wrap(try session.engine.segments?.sealNext())
        case .mark:
            try StoreError.wrap(try session.engine.segments?.markIdle())
        case .endSegment:
            try StoreError.wrap(try maintenance.endSegment())
        case .merge:
            _ = try StoreError.wrap(try session.engine.segments?.mergeNext())
        case .checkpoint: try maintenance.checkpoint()
        case .scrub: maintenance.scrub()
        case .indexHistory: try maintenance.indexHistory()
        case .retention: try maintenance.retain()
        case .prune: _ = try maintenance.prune(before: snapshot.time, nil, nil)
        }
    }

    /// The last event that survives a power cut, and the last one that survives the process.
    package var safeSequences: (durable: SequenceNumber, written: SequenceNumber) {
        (
            SequenceNumber(rawValue: session.engine.durableEnd.head.sequence),
            SequenceNumber(rawValue: session.engine.writtenHead.sequence)
        )
    }
}
